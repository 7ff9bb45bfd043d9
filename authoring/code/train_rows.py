"""Training problems about rows of data. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any

_PLACES = ["Ambr", "Bolm", "Cade", "Dorn", "Elt", "Fisk"]
_PEOPLE = ["Abel", "Cora", "Dina", "Egon"]


def total_by(rows: list[list[Any]], *, least: Any = (0, 5, 10)) -> dict[str, int]:
    """Each row is a list of a name and a number. Return the sum of the numbers of each name; rows whose number is
    less than {least} do not count, and a name with no other row is left out."""
    out: dict[str, int] = {}
    for name, number in rows:
        if number >= least:
            out[name] = out.get(name, 0) + number
    return out


def best_of_each(rows: list[list[Any]], *, want: Any = ("highest", "lowest")) -> list[str]:
    """Each row is a list of a group, a name and a number. Return for each group, in alphabetical order of the groups,
    the name with the {want} number; of several the first."""
    best: dict[str, list[Any]] = {}
    for row in rows:
        have = best.get(row[0])
        if have is None or (row[2] > have[2] if want == "highest" else row[2] < have[2]):
            best[row[0]] = row
    return [best[group][1] for group in sorted(best)]


def who_follows(pairs: list[list[str]], *, least: Any = (2, 3)) -> list[str]:
    """Each pair is a list of two names: the first follows the second. Return in alphabetical order the names that at
    least {least} different others follow; following oneself does not count."""
    names = sorted(dict.fromkeys(pair[1] for pair in pairs))
    return [each for each in names if len({a for a, b in pairs if b == each and a != each}) >= least]


def reachable(roads: dict[str, list[str]], start: str, *, most: Any = (1, 2, 3)) -> list[str]:
    """`roads` has the places to which one can go directly from each place (a place without an entry leads nowhere).
    Return in alphabetical order all places that can be reached from `start`, itself left out, by taking one road after
    the other, {most} at most."""
    seen, edge = [start], [start]
    for _ in range(most):
        edge = [each for place in edge for each in roads.get(place, []) if each not in seen]
        seen += edge
    return sorted(dict.fromkeys(each for each in seen if each != start))


def late_returns(loans: list[list[Any]], today: int, *, free: Any = (7, 14), fee: Any = (1, 3)) -> dict[str, int]:
    """A shed lends tools. A loan is a name, the day the tool was lent and the day it came back, days as numbers; the
    last is -1 while the tool is out, and then `today` stands in for it. The first {free} days of a loan cost nothing,
    each further day costs {fee}. Return how much each person has to pay
    in all; who pays nothing is left out."""
    out: dict[str, int] = {}
    for name, lent, back in loans:
        days = (today if back == -1 else back) - lent
        if days > free:
            out[name] = out.get(name, 0) + (days - free) * fee
    return out


def thin_hours(shifts: list[list[Any]], *, closes: Any = (14, 16), least: Any = (2, 3)) -> list[int]:
    """A shift is a name, the hour at which it begins and the hour at which it ends: from 9 to 11 somebody is there in
    the hours 9 and 10. The shop is open in the hours from 9 to {closes}, both included. Return in ascending order the
    open hours in which fewer than {least} people are there; somebody with two shifts at once is one person."""
    return [
        hour
        for hour in range(9, closes + 1)
        if len({name for name, begins, ends in shifts if begins <= hour < ends}) < least
    ]


def league(games: list[list[Any]], *, win: Any = (2, 3), then: Any = ("scored most", "let in fewest")) -> list[str]:
    """A game is the home team, the guests, the goals of the home team and those of the guests. A win brings {win}
    points, a draw 1 for each. Return the teams with the most points first; of equal ones first the team that {then}
    goals in all its games, and if that is equal too, in alphabetical order."""
    points: dict[str, int] = {}
    goals: dict[str, int] = {}
    for home, guest, mine, theirs in games:
        for team, made, lost in ((home, mine, theirs), (guest, theirs, mine)):
            points[team] = points.get(team, 0) + (win if made > lost else 1 if made == lost else 0)
            goals[team] = goals.get(team, 0) + (-made if then == "scored most" else lost)
    return sorted(points, key=lambda team: (-points[team], goals[team], team))


def sowable(seeds: list[list[Any]], month: int, *, late: Any = (2, 3, 4)) -> list[str]:
    """A packet of seeds has the name of the plant and the first and the last month of sowing, 1 to 12, both included;
    a packet with 10 and 2 is sown from October to February. It may be sown up to {late} months after the last one,
    too. Return in alphabetical order the plants that may be sown in `month`, each once."""
    return sorted(
        dict.fromkeys(name for name, first, last in seeds if (month - first) % 12 <= (last - first) % 12 + late)
    )


def lost_property(finds: list[list[str]], claims: list[list[str]], *, none: Any = (-1, 99)) -> list[int]:
    """A find is a thing and its colour. A claim is the same, but its colour may be "" if nobody remembers it, which
    fits every colour. The claims are served in order: each gets the first find that fits and has not been given away.
    Return for each claim the place of its find in the list (the first is 0), {none} where nothing fits."""
    given: list[int] = []
    for thing, colour in claims:
        fitting = [
            at
            for at, find in enumerate(finds)
            if at not in given and find[0] == thing and (colour == "" or find[1] == colour)
        ]
        given.append(fitting[0] if fitting else none)
    return given


def meter_use(readings: list[list[Any]], *, top: Any = (99, 999)) -> dict[str, int]:
    """A reading is a house and what its meter shows, the oldest reading first. A meter goes from 0 to {top} and
    then begins again with 0; where it shows less than at the reading before, it has done so once. Return what each
    house has used between its first and its last reading; a house with one reading only is left out."""
    out: dict[str, int] = {}
    last: dict[str, int] = {}
    for house, shown in readings:
        if house in last:
            out[house] = out.get(house, 0) + (shown - last[house]) % (top + 1)
        last[house] = shown
    return out


def turned_away(bookings: list[list[Any]], *, gap: Any = (1, 2, 3)) -> list[str]:
    """A booking is who wants it, the room, and the hours at which it begins and ends. Bookings are looked at in order.
    One is refused if it overlaps an accepted one of the same room, or if the hours between the two, from the end of one
    to the beginning of the other, are fewer than {gap}. Return in order the names of those who are refused."""
    out: list[str] = []
    taken: list[list[Any]] = []
    for name, room, begins, ends in bookings:
        if any(room == other and begins < end + gap and start < ends + gap for other, start, end in taken):
            out.append(name)
        else:
            taken.append([room, begins, ends])
    return out


def fill_down(table: list[list[str]], *, but: Any = (0, 2), empty: Any = ("?", "none")) -> list[list[str]]:
    """All rows of `table` have three cells. Return the rows with each empty cell ("") replaced by what stands above
    it in the result; in the first row by {empty!r}. Column {but} (the first is 0) stays as it is."""
    out: list[list[str]] = []
    for row in table:
        above = out[-1] if out else [empty] * 3
        out.append([cell if cell or at == but else above[at] for at, cell in enumerate(row)])
    return out


def free_seats(taken: list[list[int]], *, seats: Any = (4, 5), together: Any = (2, 3)) -> list[int]:
    """A hall has 3 rows of {seats} seats, rows and seats counted from 1. `taken` has the row and the seat of every
    ticket sold. Find {together} free seats side by side in one row, the lowest row first and in it the lowest seats.
    Return the row and the first of these seats, an empty list if there are none."""
    for row in range(1, 4):
        for first in range(1, seats - together + 2):
            if all([row, seat] not in taken for seat in range(first, first + together)):
                return [row, first]
    return []


def open_tickets(
    events: list[list[str]], *, closing: Any = ("done", "closed"), again: Any = ("again", "lost")
) -> list[str]:
    """An event is the number of a ticket and its new state, the oldest event first. A ticket is open unless its last
    state is {closing!r}; a ticket that ever was in the state {again!r} is open in any case. Return the numbers of the
    open ones in the order of their first events."""
    last: dict[str, str] = {}
    for number, state in events:
        if last.get(number) != again:
            last[number] = state
    return [number for number, state in last.items() if state != closing]


def crates(apples: list[list[Any]], *, limits: Any = ([60, 80], [50, 70, 90], [65])) -> list[list[str]]:
    """An apple is a label and its weight. For each of the limits {limits} there is a crate that takes
    weights up to it, and a last crate takes any weight; an apple goes into the first crate that takes it. Return for
    each crate, in this order, the labels of its apples in the order of `apples`."""
    out: list[list[str]] = []
    for limit in limits:
        out.append([label for label, weight in apples if weight <= limit])
        apples = [apple for apple in apples if apple[1] > limit]
    return [*out, [label for label, _ in apples]]


def badges(
    people: list[list[str]], given: list[list[str]], *, which: Any = ("first", "last"), none: Any = ("", "-")
) -> list[list[str]]:
    """`people` has a number and a name for each person, `given` a number and a badge for each badge that was handed
    out, the oldest first. Return a name and a badge for each person, in the order of `people`: the {which} one handed
    out to that number, {none!r} if there is none. Badges of unknown numbers do not matter."""
    out: list[list[str]] = []
    for number, name in people:
        own = [badge for to, badge in given if to == number]
        out.append([name, (own[0] if which == "first" else own[-1]) if own else none])
    return out


def _loans(draw: Random) -> tuple[list[list[Any]], int]:
    today = draw.randint(20, 40)
    lent = [draw.randint(0, 19) for _ in range(draw.randint(0, 4))]
    return [
        [draw.choice(_PEOPLE[:2]), day, draw.choice([-1, min(today, day + draw.choice([0, 6, 7, 8, 14, 15]))])]
        for day in lent
    ], today


def _shifts(draw: Random) -> tuple[list[list[Any]]]:
    begun = [draw.randint(8, 15) for _ in range(draw.randint(0, 5))]
    return ([[draw.choice(_PEOPLE[:3]), hour, hour + draw.choice([1, 3, 5])] for hour in begun],)


def _games(draw: Random) -> tuple[list[list[Any]]]:
    return (
        [
            [*draw.sample(["Rams", "Owls", "Bees"], 2), draw.randint(0, 1), draw.randint(0, 1)]
            for _ in range(draw.randint(0, 5))
        ],
    )


def _claimed(draw: Random) -> tuple[list[list[str]], list[list[str]]]:
    def some(colours: list[str]) -> list[list[str]]:
        return [[draw.choice(["glove", "hat"]), draw.choice(colours)] for _ in range(draw.randint(0, 4))]

    return some(["red", "grey"]), some(["red", "grey", ""])


def _bookings(draw: Random) -> tuple[list[list[Any]]]:
    begun = [draw.randint(8, 14) for _ in range(draw.choice([0, 2, 4, 5, 6]))]
    return ([[draw.choice(_PEOPLE), draw.choice("AAAB"), hour, hour + draw.randint(1, 4)] for hour in begun],)


def _seats(draw: Random) -> tuple[list[list[int]]]:
    hall = [[row, seat] for row in (1, 2, 3) for seat in range(1, 6)]
    return (sorted(draw.sample(hall, draw.choice([0, 4, 7, 8, 9, 10]))),)


def _handed(draw: Random) -> tuple[list[list[str]], list[list[str]]]:
    people = [[str(at), each] for at, each in enumerate(_PEOPLE[: draw.randint(0, 3)], 4)]
    return people, [[draw.choice("4567"), draw.choice(["blue", "gold", "oak"])] for _ in range(draw.randint(0, 5))]


FAMILIES = {
    "rows": [
        total_by,
        best_of_each,
        who_follows,
        reachable,
        late_returns,
        thin_hours,
        league,
        sowable,
        lost_property,
        meter_use,
        turned_away,
        fill_down,
        free_seats,
        open_tickets,
        crates,
        badges,
    ],
}
INPUTS = {
    "total_by": lambda draw: ([[draw.choice(_PLACES[:3]), draw.randint(-2, 12)] for _ in range(draw.randint(0, 7))],),
    "best_of_each": lambda draw: (
        [[draw.choice("pqr"), draw.choice(_PLACES), draw.randint(0, 5)] for _ in range(draw.randint(0, 7))],
    ),
    "who_follows": lambda draw: (
        [[draw.choice(_PLACES[:4]), draw.choice(_PLACES[:4])] for _ in range(draw.randint(0, 12))],
    ),
    "reachable": lambda draw: (
        {each: draw.sample(_PLACES, draw.randint(0, 2)) for each in draw.sample(_PLACES, 4)},
        draw.choice(_PLACES),
    ),
    "late_returns": _loans,
    "thin_hours": _shifts,
    "league": _games,
    "sowable": lambda draw: (
        [
            [draw.choice(["kale", "leek", "peas", "beans"]), draw.randint(1, 12), draw.randint(1, 12)]
            for _ in range(draw.randint(0, 4))
        ],
        draw.randint(1, 12),
    ),
    "lost_property": _claimed,
    "meter_use": lambda draw: (
        [[draw.choice(["no 1", "no 2"]), draw.randint(0, 99)] for _ in range(draw.randint(0, 5))],
    ),
    "turned_away": _bookings,
    "fill_down": lambda draw: (
        [[draw.choice(["", "", "oak", "elm", "ash"]) for _ in range(3)] for _ in range(draw.randint(0, 4))],
    ),
    "free_seats": _seats,
    "open_tickets": lambda draw: (
        [
            [draw.choice(["T7", "T2", "T5"]), draw.choice(["new", "done", "closed", "again", "lost"])]
            for _ in range(draw.randint(0, 6))
        ],
    ),
    "crates": lambda draw: (
        [
            [label, draw.choice([50, 51, 60, 61, 65, 66, 70, 71, 80, 81, 90, 91])]
            for label in "abcd"[: draw.randint(0, 4)]
        ],
    ),
    "badges": _handed,
}
