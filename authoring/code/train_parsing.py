"""Problems about dates, times and text with a form; `train_text` says how they are written."""

from random import Random
from typing import Any

from authoring.code.forms import day, word


def minutes_between(start: str, end: str, *, least: Any = (10, 15, 30)) -> int:
    """`start` and `end` are times such as "09:30". Return the minutes from `start` to `end`; if `end` is earlier, it
    is on the next day. Fewer than {least} minutes count as {least}."""
    a, b = [int(each[:2]) * 60 + int(each[3:]) for each in (start, end)]
    return max(least, (b - a) % 1440)


def day_name(date: str, *, letters: Any = (2, 3)) -> str:
    """`date` is a day such as "2026-03-04". Return the first {letters} letters of its English weekday, capital at the
    beginning."""
    import datetime

    days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    return days[datetime.date.fromisoformat(date).weekday()][:letters]


def workdays(start: str, end: str, *, off: Any = ([5, 6], [6], [0, 6])) -> int:
    """`start` and `end` are days such as "2026-03-04". Count the days from `start` to `end`, both included, whose
    weekday is not among {off} (Monday is 0, Sunday is 6). If `end` is earlier than `start` there are none."""
    import datetime

    a, b = datetime.date.fromisoformat(start), datetime.date.fromisoformat(end)
    return sum((a.toordinal() + at - 1) % 7 not in off for at in range((b - a).days + 1))


def is_leap(year: int, *, after: Any = (1700, 1800, 1900)) -> bool:
    """Say whether `year` is a leap year: it can be divided by 4, and not by 100 unless by 400 too. Years up to
    {after} never are."""
    return year > after and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def duration(seconds: int, *, unit: Any = ("s", "sec")) -> str:
    """Write `seconds` (0 or more) as hours, minutes and seconds, such as "1h 2m 5{unit}". Parts that are 0 are left
    out; 0 itself is "0{unit}"."""
    parts = [(seconds // 3600, "h"), (seconds // 60 % 60, "m"), (seconds % 60, unit)]
    return " ".join(str(count) + name for count, name in parts if count) or "0" + unit


def key_values(text: str, *, between: Any = (";", "&", ","), equal: Any = ("=", ":")) -> dict[str, str]:
    """`text` has parts between {between!r}, each a key and a value with {equal!r} between them. Return them as a
    dict, without blanks at the ends of keys and values. A part without {equal!r} or with an empty key is left out;
    only the first {equal!r} of a part counts; of equal keys the last wins."""
    out: dict[str, str] = {}
    for part in text.split(between):
        key, found, value = part.partition(equal)
        if found and key.strip():
            out[key.strip()] = value.strip()
    return out


def balanced(text: str, *, pairs: Any = ("()[]", "()", "[]{}")) -> bool:
    """Say whether the brackets in {pairs!r} (each opening one is followed by the one that closes it) are closed in
    `text` in the right order. Other characters do not matter."""
    open_ones = ""
    for each in text:
        if each in pairs:
            at = pairs.index(each)
            if at % 2 == 0:
                open_ones += each
            elif not open_ones or open_ones[-1] != pairs[at - 1]:
                return False
            else:
                open_ones = open_ones[:-1]
    return open_ones == ""


def calculate(text: str, *, first: Any = ("left", "right")) -> int:
    """`text` has whole numbers with " + ", " - " or " * " between them, such as "2 + 3 * 4". All signs count the
    same: work it out from the {first} end and return the result. From the right, "9 - 2 - 1" is 9 - (2 - 1)."""
    words = text.split()
    if first == "left":
        value, rest = int(words[0]), words[1:]
    else:
        value, rest = int(words[-1]), words[:-1][::-1]
    for at in range(0, len(rest), 2):
        sign, number = rest[at], int(rest[at + 1])
        a, b = (value, number) if first == "left" else (number, value)
        value = a + b if sign == "+" else a - b if sign == "-" else a * b
    return value


def versions(one: str, two: str, *, parts: Any = (2, 3)) -> int:
    """Compare two versions such as "1.4.2" number by number, of which only the first {parts} count and missing ones
    are 0. Return -1, 0 or 1 if `one` is lower than, equal to or higher than `two`."""
    a, b = [[*map(int, each.split(".")), *[0] * parts][:parts] for each in (one, two)]
    return (a > b) - (a < b)


def log_level(lines: list[str], *, level: Any = ("ERROR", "WARN"), most: Any = (1, 2, 3)) -> list[str]:
    """Each line is a time, a level and a message, such as "10:02 INFO started up". Return in order the messages of the
    lines with the level {level}, no more than the last {most}. Lines with fewer than three words are left out."""
    parts = [line.split(" ", 2) for line in lines]
    return [each[2] for each in parts if len(each) == 3 and each[1] == level][-most:]


def number_ranges(text: str) -> list[int]:
    """`text` has numbers and ranges between commas, such as "1,4-6". Return all numbers in ascending order, each
    once; the ends of a range belong to it. A range that ends before it begins is a ValueError. Empty text:
    nothing."""
    out: set[int] = set()
    for part in text.split(",") if text else []:
        low, found, high = part.partition("-")
        if found and int(high) < int(low):
            raise ValueError(part)
        out |= set(range(int(low), int(high if found else low) + 1))
    return sorted(out)


def to_ranges(items: list[int], *, least: Any = (2, 3)) -> str:
    """Write the different numbers of `items` in ascending order, joined by commas; {least} or more that follow each
    other directly are written as a range such as "4-6"."""
    out: list[str] = []
    todo = sorted(set(items))
    while todo:
        size = 1
        while size < len(todo) and todo[size] == todo[0] + size:
            size += 1
        if size >= least:
            out.append(str(todo[0]) + "-" + str(todo[size - 1]))
        else:
            out += map(str, todo[:size])
        todo = todo[size:]
    return ",".join(out)


def parse_size(text: str, *, step: Any = (1000, 1024)) -> int:
    """`text` is a whole number with B, K or M behind it, capital or small, perhaps after a blank, such as "12 K".
    Return it in bytes: K is {step} and M is {step} times {step}. Anything else is a ValueError."""
    number, unit = text[:-1].strip(), text[-1:].upper()
    if not number.isdigit() or unit not in ("B", "K", "M"):
        raise ValueError(text)
    return int(number) * (1 if unit == "B" else step if unit == "K" else step * step)


def next_date(
    date: str, *, days: Any = (2, 30, 100), instead: Any = ("last day of the year of `date`", "first day of that year")
) -> str:
    """`date` is a day such as "2026-03-04". Return the day {days} days later, written in the same way. If that is
    in another year, return the {instead} instead."""
    import datetime

    begun = datetime.date.fromisoformat(date)
    later = begun + datetime.timedelta(days=days)
    if later.year != begun.year:
        later = (
            datetime.date(begun.year, 12, 31)
            if instead == "last day of the year of `date`"
            else datetime.date(later.year, 1, 1)
        )
    return str(later)


def overlap(one: list[int], two: list[int], *, last: Any = ("does too", "does not")) -> int:
    """Each list is the first and the last day of a stay, as numbers. The first day belongs to the stay, and the last
    one {last}. Return how many days the stays share."""
    days = min(one[1], two[1]) - max(one[0], two[0])
    return max(0, days + 1 if last == "does too" else days)


def robot(moves: str, *, size: Any = (3, 5, 9)) -> list[int]:
    """A robot begins at place [0, 0] of a field whose places go from 0 to {size} in both directions. The letters of
    `moves` move it by one: R adds 1 to the first number, L takes 1 away, U adds 1 to the second, D takes 1 away;
    other letters do nothing. A move that would leave the field is not made. Return where it ends."""
    x = y = 0
    for each in moves:
        x = min(max(x + (each == "R") - (each == "L"), 0), size)
        y = min(max(y + (each == "U") - (each == "D"), 0), size)
    return [x, y]


def table_lookup(text: str, *, column: Any = (1, 2), otherwise: Any = ("", "?")) -> list[str]:
    """`text` has lines with cells between bars, such as "a|b|c"; the first line has the headings. Return the heading
    of column {column} (the first is 0), then the cell of each further line in it; {otherwise!r} where a line is too
    short. Empty lines do not count."""
    rows = [line.split("|") for line in text.split("\n") if line]
    return [row[column] if len(row) > column else otherwise for row in rows]


FAMILIES = {
    "dates": [minutes_between, day_name, workdays, is_leap, duration, next_date, overlap],
    "parsing": [key_values, log_level, number_ranges, to_ranges, parse_size, table_lookup, versions],
    "algorithms": [balanced, calculate, robot],
}


def _pairs(draw: Random) -> tuple[str]:
    joint, sign = draw.choice(";&,"), draw.choice("=:")
    some = [
        draw.choice(["a", " b ", "", word(draw)])
        + draw.choice([sign, sign, "=", ":", ""])
        + draw.choice(["1", " x=:y ", ""])
        for _ in range(4)
    ]
    return (joint.join(some),)


def _sum(draw: Random) -> tuple[str]:
    text = str(draw.randint(0, 9))
    for _ in range(draw.randint(0, 4)):
        text += f" {draw.choice('+-*')} {draw.randint(0, 9)}"
    return (text,)


def _log(draw: Random) -> tuple[list[str]]:
    levels = [draw.choice(["INFO", "WARN", "ERROR", "ERROR"]) for _ in range(draw.randint(0, 7))]
    return ([f"1{at}:05 {level}{draw.choice(['', f' {word(draw)} ERROR'])}" for at, level in enumerate(levels)],)


def _ranges(draw: Random) -> tuple[str]:
    lows = [draw.randint(0, 9) for _ in range(draw.randint(0, 3))]
    return (",".join(f"{low}{draw.choice(['', '-' + str(low + draw.choice([0, 1, 3])), f'-{low}'])}" for low in lows),)


def _stays(draw: Random) -> tuple[list[int], list[int]]:
    a, b = draw.randint(1, 9), draw.randint(1, 9)
    return [a, a + draw.randint(1, 6)], [b, b + draw.randint(1, 6)]


def _days(draw: Random) -> tuple[str, str]:
    import datetime

    begun = datetime.date.fromisoformat(day(draw))
    return str(begun), str(begun + datetime.timedelta(days=draw.randint(-2, 20)))


INPUTS = {
    "minutes_between": lambda draw: tuple(f"{draw.randint(8, 12):02}:{draw.choice([0, 5, 20, 59]):02}" for _ in "ab"),
    "day_name": lambda draw: (day(draw),),
    "workdays": _days,
    "is_leap": lambda draw: (
        draw.choice([1600, 1696, 1700, 1704, 1800, 1804, 1900, 1904, 2000, 2023, 2024, 2100, draw.randint(1750, 2100)]),
    ),
    "duration": lambda draw: (draw.choice([0, 59, 60, 3600, 3661, draw.randint(1, 9000)]),),
    "next_date": lambda draw: (draw.choice([day(draw), "2027-12-31", "2028-02-28", "2027-12-30", "2025-12-31"]),),
    "overlap": _stays,
    "key_values": _pairs,
    "log_level": _log,
    "number_ranges": lambda draw: draw.choice([_ranges(draw), _ranges(draw), ("5-3",), ("4,9-2",)]),
    "to_ranges": lambda draw: ([draw.randint(0, 9) for _ in range(draw.randint(0, 8))],),
    "parse_size": lambda draw: (
        draw.choice(
            ["", "K", "7", "3 G", "-2K", *(f"{draw.randint(0, 90)}{draw.choice(['', ' '])}{each}" for each in "BKMbkm")]
        ),
    ),
    "table_lookup": lambda draw: (
        "\n".join(
            "|".join(word(draw) for _ in range(draw.randint(1, 4))) * draw.choice([1, 1, 1, 0])
            for _ in range(draw.randint(1, 5))
        ),
    ),
    "versions": lambda draw: tuple(
        ".".join(str(draw.choice([0, 1, 2, 10])) for _ in range(draw.randint(1, 3))) for _ in "ab"
    ),
    "balanced": lambda draw: (
        draw.choice(
            [
                *("([])", "(x[y)]", "a{[]}", "[{]}", ")(", "", "(()", "{[()]}"),
                "".join(draw.choice("()[]{}ab") for _ in range(draw.randint(1, 5))),
            ]
        ),
    ),
    "calculate": _sum,
    "robot": lambda draw: ("".join(draw.choice("RRUULDx") for _ in range(draw.randint(0, 14))),),
}
