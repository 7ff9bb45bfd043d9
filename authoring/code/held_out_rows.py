"""More problems that are held out: rows, dicts and lists; `train_text` says how they are written."""

from random import Random
from typing import Any


def interviews(wishes: list[list[Any]], *, last: Any = (3, 4), spare: Any = (0, 9)) -> dict[str, int]:
    """Candidates write down their name, the slot they want most and their second wish. Going down the list, everybody
    is given the first wish if nobody has it yet, otherwise the second, otherwise {spare}. Only the slots 1 to {last}
    exist; any other wish is treated as gone. Give back who has which slot."""
    got: dict[str, int] = {}
    for name, first, second in wishes:
        free = [slot for slot in (first, second) if 1 <= slot <= last and slot not in got.values()]
        got[name] = free[0] if free else spare
    return got


def journey(legs: list[list[Any]], home: str, *, change: Any = (2, 3, 4)) -> list[Any]:
    """A timetable: every leg names where it starts, where it goes, and its hours of departure and arrival; departures
    never go back in time from one leg to the next. A traveller waits at `home`, goes through the timetable once and boards every
    leg that starts where they are, except those that depart less than {change} hours after their latest arrival. Give
    back the place and the hour of the final arrival; `home` and 0 if they never left."""
    place, hour = home, 0
    for start, goal, leaves, arrives in legs:
        if start == place and (hour == 0 or leaves - hour >= change):
            place, hour = goal, arrives
    return [place, hour]


def albums(photos: list[list[Any]], *, apart: Any = (2, 3, 7)) -> list[list[str]]:
    """Photos come as title and day number, in no special order. Sort them into albums by day: a photo opens a new
    album when it was taken {apart} days or more after the photo just before it. Titles of one day are put in
    alphabetical sequence. Give back the albums, oldest one at the front, as lists of titles."""
    out: list[list[str]] = []
    before = 0
    for title, day in sorted(photos, key=lambda photo: (photo[1], photo[0])):
        if not out or day - before >= apart:
            out.append([])
        out[-1].append(title)
        before = day
    return out


def price_on(changes: list[list[Any]], thing: str, day: int, *, without: Any = (0, -1)) -> int:
    """Every change of a price says on which day it began to hold, for what, and the new price; the entries are
    not sorted. Find the price of `thing` on `day`: that of the youngest change which had begun by then. Two changes
    of one day: the entry further down is valid. No change so far means {without}."""
    best = 0
    price = without
    for begun, what, new in changes:
        if what == thing and best <= begun <= day:
            best, price = begun, new
    return price


def still_in(matches: list[list[str]], *, lives: Any = (1, 2)) -> list[str]:
    """A club plays a knockout; every match is noted as winner and loser, the earliest at the top. Whoever has lost {lives}
    of them is out. A match is void, and changes nothing, if somebody in it was out by that time. Give back by
    alphabet everyone who was in some match, void ones too, and is not out."""
    lost: dict[str, int] = {}
    for winner, loser in matches:
        for each in (winner, loser):
            lost.setdefault(each, 0)
        if lost[winner] < lives and lost[loser] < lives:
            lost[loser] += 1
    return sorted(name for name, count in lost.items() if count < lives)


def lasting_days(pantry: dict[str, int], daily: dict[str, int], *, spare: Any = (1, 2), never: Any = (-1, 99)) -> int:
    """`daily` tells how much of each food a household eats per day, `pantry` how much is stored; food which is not
    stored counts as 0. Of every food that is eaten, {spare} must remain untouched. For how many whole days is there enough
    of all? {never} if nothing is eaten, amounts of 0 meaning just that."""
    days = [max(0, pantry.get(food, 0) - spare) // amount for food, amount in daily.items() if amount > 0]
    return min(days) if days else never


def update_contacts(old: dict[str, str], news: dict[str, str], *, gone: Any = ("-", "x", "gone")) -> dict[str, str]:
    """Bring an address book up to date. For every name in `news`: the text {gone!r} deletes it from the book (no
    matter if it was never there), an empty text changes nothing, and any other text becomes its address. Blanks at
    both ends of a text are removed before all that. Give back the new book."""
    book = dict(old)
    for name, text in news.items():
        address = text.strip()
        if address == gone:
            book.pop(name, None)
        elif address:
            book[name] = address
    return book


def quiz(answers: dict[str, list[str]], key: list[str], *, right: Any = (2, 3), wrong: Any = (1, 2)) -> dict[str, int]:
    """Mark a quiz. `key` holds the right answers, `answers` those of every guest, question by question; guests may
    have stopped early, and more answers than questions are ignored. A right answer (letters big or little) earns {right},
    an empty one nothing, a wrong one costs {wrong}. Nobody ends below 0. Give back the points of everybody."""
    out: dict[str, int] = {}
    for guest, given in answers.items():
        points = 0
        for one, wanted in zip(given, key, strict=False):
            points += right if one.lower() == wanted.lower() else -wrong if one else 0
        out[guest] = max(0, points)
    return out


def change_ringing(bells: list[int], *, rounds: Any = (2, 3, 4)) -> list[int]:
    """Ringers change the sequence of their bells {rounds} times. On odd changes (the 1st, the 3rd) the bells at the
    positions 1 and 2 trade, 3 and 4 trade, and so forth; on even changes 2 and 3, 4 and 5, and so forth. A bell with
    no partner keeps its position. Give back the final sequence."""
    out = list(bells)
    for change in range(rounds):
        for at in range(change % 2, len(out) - 1, 2):
            out[at], out[at + 1] = out[at + 1], out[at]
    return out


def cloakroom(guests: list[int], *, hooks: Any = (2, 3, 4)) -> list[int]:
    """A cloakroom has hooks with the numbers 1 to {hooks}, all empty. A 0 in `guests` is an arrival: the coat goes
    on the empty hook with the lowest number, or back home with its owner when none is empty. Any other number is a
    departure that empties this hook, if a coat hangs there. Give back the hooks in use at closing time, ascending."""
    used: set[int] = set()
    for each in guests:
        free = [hook for hook in range(1, hooks + 1) if hook not in used]
        if each == 0:
            used |= set(free[:1])
        else:
            used.discard(each)
    return sorted(used)


def pulled_out(seedlings: list[int], *, apart: Any = (3, 4, 6)) -> list[int]:
    """Seedlings grow in a row; given are their distances from the fence in centimetres, jumbled. Starting at the fence,
    a gardener lets a seedling stand if it is {apart} centimetres or further from the one let stand most recently
    (the nearest to the fence always stands), and pulls out all others. Give back the distances of those pulled out,
    ascending, repeats included."""
    out: list[int] = []
    kept: list[int] = []
    for each in sorted(seedlings):
        if not kept or each - kept[-1] >= apart:
            kept.append(each)
        else:
            out.append(each)
    return out


FAMILIES = {
    "rows": [interviews, journey, albums, price_on, still_in],
    "dicts": [lasting_days, update_contacts, quiz],
    "lists": [change_ringing, cloakroom, pulled_out],
}

_GUESTS = ["Nell", "Otto", "Runa", "Sven"]


def _legs(draw: Random) -> tuple[list[list[Any]], str]:
    leaves = sorted(draw.randint(1, 14) for _ in range(draw.randint(0, 7)))
    return [
        [*draw.sample(["Quay", "Mill", "Fort"], 2), hour, hour + draw.randint(1, 3)] for hour in leaves
    ], draw.choice(["Quay", "Mill", "Fort"])


def _quiz(draw: Random) -> tuple[dict[str, list[str]], list[str]]:
    key = [draw.choice("aBc") for _ in range(draw.randint(1, 4))]
    return {
        each: [draw.choice([right.upper(), right, "b", "", "C"]) for right in [*key, "a"]][: draw.randint(0, 6)]
        for each in _GUESTS[: draw.randint(0, 3)]
    }, key


INPUTS = {
    "interviews": lambda draw: (
        [[each, draw.randint(0, 5), draw.randint(1, 5)] for each in draw.sample(_GUESTS, draw.randint(0, 4))],
    ),
    "journey": _legs,
    "albums": lambda draw: (
        [
            [each, draw.randint(1, 12)]
            for each in draw.sample(["dune", "gate", "kite", "pond", "rock"], draw.randint(0, 5))
        ],
    ),
    "price_on": lambda draw: (
        [
            [draw.randint(1, 3), draw.choice(["bun", "bun", "jam"]), draw.randint(2, 9)]
            for _ in range(draw.randint(0, 7))
        ],
        draw.choice(["bun", "bun", "jam"]),
        draw.randint(1, 4),
    ),
    "still_in": lambda draw: ([draw.sample(_GUESTS, 2) for _ in range(draw.randint(0, 6))],),
    "lasting_days": lambda draw: (
        {food: draw.randint(0, 15) for food in draw.sample(["oats", "peas", "figs"], draw.randint(1, 3))},
        {food: draw.randint(0, 4) for food in draw.sample(["oats", "peas", "figs"], draw.randint(0, 3))},
    ),
    "update_contacts": lambda draw: (
        {each: draw.choice(["1 Elm St", "2 Bay Rd"]) for each in draw.sample(_GUESTS, draw.randint(0, 3))},
        {
            each: draw.choice(["-", "x", "gone", " - ", "x ", " gone", "", "  ", " 3 Low Ln ", "4 Top Sq"])
            for each in draw.sample(_GUESTS, draw.randint(0, 4))
        },
    ),
    "quiz": _quiz,
    "change_ringing": lambda draw: (draw.sample(range(1, 9), draw.randint(0, 7)),),
    "cloakroom": lambda draw: ([draw.choice([0, 0, 0, 0, 1, 2, 3, 4]) for _ in range(draw.randint(0, 8))],),
    "pulled_out": lambda draw: ([draw.randint(0, 25) for _ in range(draw.randint(0, 7))],),
}
