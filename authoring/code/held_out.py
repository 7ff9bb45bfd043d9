"""Problems that are held out: other ones than those to learn from; `train_text` says how they are written."""

from random import Random
from typing import Any

from authoring.code.forms import numbers, sentence, word, words


def acrostic(lines: list[str], *, place: Any = ("first", "last")) -> str:
    """Put together the {place} character of every line; empty lines count as a blank."""
    return "".join((each[0] if place == "first" else each[-1]) if each else " " for each in lines)


def stutter(text: str, *, times: Any = (2, 3), only: Any = ("aeiou", "xyz", "lrs")) -> str:
    """Write every character of `text` that is in {only!r} {times} times, and all others once."""
    return "".join(each * times if each in only else each for each in text)


def sandwich(text: str, *, bread: Any = ("bread", "toast", "bun")) -> str:
    """Return what stands in `text` between its first {bread!r} and its last one; an empty string unless there are two of
    them that do not overlap."""
    first, last = text.find(bread), text.rfind(bread)
    return text[first + len(bread) : last] if last >= first + len(bread) else ""


def zigzag(text: str, *, rows: Any = (2, 3)) -> str:
    """Write the characters of `text` in a zigzag over {rows} rows (down from the first row to the last, up again to
    the first, and so on), then read the rows from the first to the last, each from the left."""
    lines, at, way = [""] * rows, 0, 1
    for each in text:
        lines[at] += each
        if at + way not in range(rows):
            way = -way
        at += way
    return "".join(lines)


def letter_score(text: str, *, rare: Any = ("jqxz", "kvw"), worth: Any = (5, 8)) -> int:
    """Each letter of `text` from a to z is worth 1 point, capital or small, but the letters {rare!r} are worth
    {worth}. Return the points of the word with the most; words stand between blanks, no words are worth 0."""
    best = 0
    for each in text.lower().split():
        best = max(best, sum(worth if one in rare else 1 for one in each if "a" <= one <= "z"))
    return best


def anagram_groups(items: list[str], *, least: Any = (2, 3)) -> list[list[str]]:
    """Group the words that consist of the same letters, each as often; groups follow each other as their first words
    do, words in a group as they do in `items`. Groups of fewer than {least} words are left out."""
    groups: dict[str, list[str]] = {}
    for each in items:
        groups.setdefault("".join(sorted(each)), []).append(each)
    return [group for group in groups.values() if len(group) >= least]


def stairs(items: list[int], *, jump: Any = (1, 2, 3)) -> int:
    """Somebody walks over steps of these heights from the first on and goes on as long as the next step is at most
    {jump} higher or lower. Return how many steps they stand on in all."""
    if not items:
        return 0
    count = 1
    while count < len(items) and abs(items[count] - items[count - 1]) <= jump:
        count += 1
    return count


def queue_time(customers: list[int], *, desks: Any = (2, 3, 4)) -> int:
    """Customers need these numbers of minutes and stand in one queue before {desks} desks; who is next goes to the
    first desk that gets free. Return after how many minutes all are done."""
    busy = [0] * desks
    for each in customers:
        busy.sort()
        busy[0] += each
    return max(busy)


def water(heights: list[int], *, loss: Any = (1, 2)) -> int:
    """Walls of these heights stand side by side, each one wide, and it rains until no more water stays between them.
    Return how much water there is; at each place {loss} of it seeps away, or all if there is less."""
    total = 0
    for at, each in enumerate(heights):
        level = min(max(heights[: at + 1]), max(heights[at:]))
        total += max(0, level - each - loss)
    return total


def bounce(items: list[int], *, limit: Any = (5, 8, 10)) -> list[int]:
    """Return each number as it is after bouncing between 0 and {limit}: what is more than {limit} comes back down by
    as much as it was too high, what is less than 0 comes back up, as often as needed."""
    out: list[int] = []
    for each in items:
        at = each % (2 * limit)
        out.append(2 * limit - at if at > limit else at)
    return out


def islands(grid: list[list[int]], *, least: Any = (2, 3)) -> int:
    """The rows of `grid` consist of 0 and 1. Cells with 1 that touch at a side belong to one island. Count the islands of
    at least {least} cells."""
    left = {(y, x) for y, row in enumerate(grid) for x, value in enumerate(row) if value == 1}
    count = 0
    while left:
        todo, size = [left.pop()], 0
        while todo:
            y, x = todo.pop()
            size += 1
            for near in ((y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)):
                if near in left:
                    left.remove(near)
                    todo.append(near)
        count += size >= least
    return count


def seat_plan(names: list[str], *, seats: Any = (2, 3)) -> list[str]:
    """Seat `names` in alphabetical order at tables of {seats}, and return one text for each table: "1: Ann, Bo", the
    tables counted from 1."""
    ordered = sorted(names)
    return [str(at // seats + 1) + ": " + ", ".join(ordered[at : at + seats]) for at in range(0, len(ordered), seats)]


def podium(results: dict[str, int], *, places: Any = (1, 2, 3)) -> list[str]:
    """`results` has the time of each runner, whose place is 1 more than the number of runners who were faster. Return
    in alphabetical order those on place {places} or a better one."""
    return sorted(name for name, time in results.items() if sum(other < time for other in results.values()) < places)


def restock(shelf: dict[str, int], wanted: dict[str, int], *, pack: Any = (4, 6, 10)) -> dict[str, int]:
    """Return how many packs of {pack} have to be bought of each thing so that the shelf has at least as many as
    wanted. Things of which there are enough are left out; what is not on the shelf is there 0 times."""
    out: dict[str, int] = {}
    for thing, count in wanted.items():
        missing = count - shelf.get(thing, 0)
        if missing > 0:
            out[thing] = (missing + pack - 1) // pack
    return out


def settle(payments: list[list[Any]], *, shown: Any = ("all who are not at 0", "those below 0")) -> dict[str, int]:
    """Each payment is a list of who pays, who gets it and how much. All begin with 0. Return, for {shown}, what they
    have in the end."""
    have: dict[str, int] = {}
    for giver, taker, amount in payments:
        have[giver] = have.get(giver, 0) - amount
        have[taker] = have.get(taker, 0) + amount
    return {name: value for name, value in have.items() if value < 0 or (shown == "all who are not at 0" and value > 0)}


def chain_of_command(boss: dict[str, str], name: str, *, most: Any = (1, 2, 3)) -> list[str]:
    """`boss` has the boss of each person. Return the boss of `name`, that one's boss and so on, at most {most} of
    them, until somebody has none. Somebody who would be in that list a second time is a ValueError; `name` may be in
    it once, too."""
    out: list[str] = []
    while name in boss and len(out) < most:
        name = boss[name]
        if name in out:
            raise ValueError(name)
        out.append(name)
    return out


def happy(number: int, *, power: Any = (2, 3)) -> bool:
    """Raise each digit of `number` (1 or more) to the power of {power} and replace the number by the sum of these, again
    and again. Say whether it becomes 1 before a number comes a second time."""
    seen: list[int] = []
    while number not in seen:
        seen.append(number)
        number = sum(int(each) ** power for each in str(number))
    return number == 1


def thirsty_plants(days: list[int], *, start: Any = (5, 8), use: Any = (2, 3)) -> int:
    """A plant has {start} litres of water. Each day it first gets the rain of that day, keeps at most 10 litres, and
    then uses {use}. Return the number of the first day (from 1) on which it has not enough to use; 0 if there is
    none."""
    water = start
    for at, each in enumerate(days):
        water = min(water + each, 10)
        if water < use:
            return at + 1
        water -= use
    return 0


def mixed_number(top: int, bottom: int, *, sign: Any = (" ", "+", " and ")) -> str:
    """Write `top` / `bottom` (both 1 or more) in lowest terms as whole number and fraction, such as "2{sign}1/3";
    without a fraction where it is whole, and without the whole number where that is 0."""
    whole, rest = top // bottom, top % bottom
    if rest == 0:
        return str(whole)
    for each in range(rest, 1, -1):
        if rest % each == 0 and bottom % each == 0:
            rest, bottom = rest // each, bottom // each
    fraction = str(rest) + "/" + str(bottom)
    return str(whole) + sign + fraction if whole else fraction


def triangle(a: int, b: int, c: int, *, flat: Any = ("line", "none")) -> str:
    """Three sides (1 or more): return "equal" if all are the same, "two" if exactly two are, else "odd"; but {flat!r}
    if one side is as long as the other two together, and a ValueError if it is longer."""
    x, y, z = sorted([a, b, c])
    if x + y < z:
        raise ValueError("no triangle")
    if x + y == z:
        return flat
    return "equal" if x == z else "two" if x == y or y == z else "odd"


def parking_fee(minutes: int, *, free: Any = (15, 30), price: Any = (2, 3), most: Any = (10, 15)) -> int:
    """Parking is free for up to {free} minutes. Who stays longer pays {price} for every hour that is begun, from the
    first minute on, but at most {most} for each 24 hours that are begun."""
    if minutes <= free:
        return 0
    days, rest = minutes // 1440, minutes % 1440
    return days * most + min(most, (rest + 59) // 60 * price)


def quarter_hours(start: str, count: int, *, step: Any = (15, 20, 45)) -> list[str]:
    """`start` is a clock time, as in "09:30". Return `count` times as text, the first one `start`, each {step} minutes
    after the one before; after 23:59 comes 00:00."""
    begun = int(start[:2]) * 60 + int(start[3:])
    times = [(begun + at * step) % 1440 for at in range(count)]
    return [("0" + str(each // 60))[-2:] + ":" + ("0" + str(each % 60))[-2:] for each in times]


def birthday_count(born: str, today: str) -> int:
    """Both are days, as in "2026-03-04". Return how many birthdays somebody born on `born` has had by `today`, that
    day included; a birthday on 29 February is kept on the 28th in years without one. `today` is not before `born`."""
    year, birthday = int(today[:4]), born[5:]
    if birthday == "02-29" and (year % 4 != 0 or (year % 100 == 0 and year % 400 != 0)):
        birthday = "02-28"
    return year - int(born[:4]) - (today[5:] < birthday)


def template(text: str, values: dict[str, str], *, sign: Any = ("$", "%", "@")) -> str:
    """Replace each word of `text` (between blanks) that begins with {sign!r} by the value of what follows; a name
    that has no value is a ValueError, and a word that is {sign!r} alone stays. Return the words joined by one
    blank."""
    out: list[str] = []
    for each in text.split():
        if not each.startswith(sign) or each == sign:
            out.append(each)
        elif each[1:] in values:
            out.append(values[each[1:]])
        else:
            raise ValueError(each)
    return " ".join(out)


def bullets(text: str, *, mark: Any = ("*", "-", "+")) -> list[list[Any]]:
    """`text` is a list with a line for each point: two blanks for each level, {mark!r}, a blank, and the words,
    which may have further blanks at their ends. Return a list of level (the outermost is 0) and words, without those
    blanks, for each point. Lines of another form are left out."""
    out: list[list[Any]] = []
    for line in text.split("\n"):
        bare = line.lstrip(" ")
        indent = len(line) - len(bare)
        if bare.startswith(mark + " ") and indent % 2 == 0 and bare[2:].strip():
            out.append([indent // 2, bare[2:].strip()])
    return out


def stack_machine(program: list[str], *, empty: Any = (0, -1)) -> int:
    """Run a program on a stack: a number as text puts it on top; "add" and "mul" replace the two on top by their sum
    or product; "dup" puts the top one there again; "drop" takes it away. A command that finds too few numbers does
    nothing. Return the top of the stack in the end, {empty} if there is none."""
    stack: list[int] = []
    for each in program:
        if each in ("add", "mul"):
            if len(stack) >= 2:
                b, a = stack.pop(), stack.pop()
                stack.append(a + b if each == "add" else a * b)
        elif each == "dup":
            stack += stack[-1:]
        elif each == "drop":
            stack = stack[:-1]
        else:
            stack.append(int(each))
    return stack[-1] if stack else empty


FAMILIES = {
    "text": [acrostic, stutter, sandwich, zigzag, letter_score],
    "lists": [anagram_groups, bounce, seat_plan],
    "algorithms": [stairs, queue_time, water, islands, stack_machine],
    "dicts": [podium, restock, chain_of_command],
    "rows": [settle],
    "numbers": [happy, thirsty_plants, mixed_number, triangle, parking_fee],
    "dates": [quarter_hours, birthday_count],
    "parsing": [template, bullets],
}

_NAMES = ["Ivo", "Jun", "Kaia", "Lise", "Moss"]
_BIRTHS = ["1996-02-29", "2001-05-17", "1988-12-31", "2004-02-29", "1999-01-01"]
_TODAYS = [
    "2026-02-28",
    "2026-03-01",
    "2028-02-28",
    "2028-02-29",
    "2026-05-16",
    "2026-05-17",
    "2100-02-28",
    "2030-12-31",
]


def _grid(draw: Random) -> tuple[list[list[int]]]:
    wide = draw.randint(1, 5)
    return ([[int(draw.random() < 0.45) for _ in range(wide)] for _ in range(draw.randint(0, 4))],)


def _bosses(draw: Random) -> tuple[dict[str, str], str]:
    found = {each: draw.choice(_NAMES[at + 1 :] or _NAMES) for at, each in enumerate(_NAMES) if draw.random() < 0.8}
    return found, draw.choice(_NAMES)


def _points(draw: Random) -> tuple[str]:
    forms = ["{} {}", "  {} {}", "    {} {}", " {} {}", "{}{}", "{1}", "{} ", "{}  {} "]
    lines = [draw.choice(forms).format(draw.choice("*-+"), word(draw)) for _ in range(draw.randint(0, 9))]
    return ("\n".join(lines),)


INPUTS = {
    "acrostic": lambda draw: ([sentence(draw, draw.choice([0, 1, 2])) for _ in range(draw.randint(0, 5))],),
    "sandwich": lambda draw: (
        "".join(
            draw.choice(["bread", "toast", "bun", "cheese", "ham", "bbun", "toas"]) for _ in range(draw.randint(0, 7))
        ),
    ),
    "zigzag": lambda draw: (word(draw)[: draw.randint(0, 6)] + word(draw),),
    "letter_score": lambda draw: (
        " ".join(
            draw.choice(["Jazz", "kiwi!", "vex", "quiz-9", "WAVE", word(draw)]) for _ in range(draw.randint(0, 4))
        ),
    ),
    "anagram_groups": lambda draw: (
        [draw.choice(["tea", "eat", "ate", "tan", "nat", "bat", "tab", "aet"]) for _ in range(draw.randint(0, 8))],
    ),
    "stairs": lambda draw: ([draw.randint(0, 4) for _ in range(draw.randint(0, 6))],),
    "queue_time": lambda draw: (numbers(draw, 1, 9),),
    "water": lambda draw: ([draw.randint(0, 5) for _ in range(draw.randint(0, 8))],),
    "bounce": lambda draw: (numbers(draw, -25, 40),),
    "islands": _grid,
    "seat_plan": lambda draw: (words(draw, draw.randint(0, 6)),),
    "podium": lambda draw: ({each: draw.randint(60, 63) for each in draw.sample(_NAMES, draw.randint(0, 5))},),
    "restock": lambda draw: (
        {each: draw.randint(0, 20) for each in draw.sample(["tea", "salt", "rice", "oil"], 3)},
        {each: draw.randint(0, 40) for each in draw.sample(["tea", "salt", "rice", "oil"], 3)},
    ),
    "settle": lambda draw: ([[*draw.sample(_NAMES[:3], 2), draw.randint(1, 3)] for _ in range(draw.randint(0, 5))],),
    "chain_of_command": lambda draw: draw.choice([_bosses(draw), _bosses(draw), ({"Ivo": "Jun", "Jun": "Ivo"}, "Ivo")]),
    "happy": lambda draw: (draw.randint(1, 120),),
    "thirsty_plants": lambda draw: ([draw.choice([0, 0, 1, 2, 3, 9]) for _ in range(draw.randint(0, 9))],),
    "mixed_number": lambda draw: (draw.randint(1, 60), draw.randint(1, 12)),
    "triangle": lambda draw: tuple(draw.randint(1, 5) for _ in "abc"),
    "parking_fee": lambda draw: (
        draw.choice([15, 16, 30, 31, 60, 61, 1440, 1441, 2885, draw.randint(0, 500), draw.randint(500, 4000)]),
    ),
    "quarter_hours": lambda draw: (
        f"{draw.choice([0, 9, 22, 23]):02}:{draw.choice([0, 5, 30, 45]):02}",
        draw.randint(0, 5),
    ),
    "birthday_count": lambda draw: (draw.choice(_BIRTHS), draw.choice(_TODAYS)),
    "template": lambda draw: (
        " ".join(
            draw.choice(["$a", "%a", "@a", "$bo", "%bo", "@bo", "$", "%", "@", "x$a", word(draw)]) for _ in range(4)
        ),
        draw.choice([{"a": "1", "bo": "two"}, {"a": "1", "bo": "two"}, {"a": ""}]),
    ),
    "bullets": _points,
    "stack_machine": lambda draw: (
        [draw.choice(["add", "mul", "dup", "drop", *"23457"]) for _ in range(draw.randint(0, 8))],
    ),
}
