"""Training problems about text with a form: settings, logs, prices, notes. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any

from authoring.code.random_values import word


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


def table_lookup(text: str, *, column: Any = (1, 2), otherwise: Any = ("", "?")) -> list[str]:
    """`text` has lines with cells between bars, such as "a|b|c"; the first line has the headings. Return the heading
    of column {column} (the first is 0), then the cell of each further line in it; {otherwise!r} where a line is too
    short. Empty lines do not count."""
    rows = [line.split("|") for line in text.split("\n") if line]
    return [row[column] if len(row) > column else otherwise for row in rows]


def _pairs(draw: Random) -> tuple[str]:
    joint, sign = draw.choice(";&,"), draw.choice("=:")
    some = [
        draw.choice(["a", " b ", "", word(draw)])
        + draw.choice([sign, sign, "=", ":", ""])
        + draw.choice(["1", " x=:y ", ""])
        for _ in range(4)
    ]
    return (joint.join(some),)


def _log(draw: Random) -> tuple[list[str]]:
    levels = [draw.choice(["INFO", "WARN", "ERROR", "ERROR"]) for _ in range(draw.randint(0, 7))]
    return ([f"1{at}:05 {level}{draw.choice(['', f' {word(draw)} ERROR'])}" for at, level in enumerate(levels)],)


def _ranges(draw: Random) -> tuple[str]:
    lows = [draw.randint(0, 9) for _ in range(draw.randint(0, 3))]
    return (",".join(f"{low}{draw.choice(['', '-' + str(low + draw.choice([0, 1, 3])), f'-{low}'])}" for low in lows),)


def scaled_recipe(lines: list[str], *, times: Any = (2, 3, 10)) -> list[str]:
    """Each line of a recipe begins with an amount, such as "250 g flour" or "3 eggs", or has none, such as "salt".
    Return the lines for {times} times as much: where the first word (words stand between blanks) consists of digits
    only, it is multiplied; all else stays. The words of each line are joined by one blank; empty lines are left
    out."""
    out: list[str] = []
    for line in lines:
        words = line.split()
        if words:
            first = str(int(words[0]) * times) if words[0].isdigit() else words[0]
            out.append(" ".join([first, *words[1:]]))
    return out


def bare_subject(subject: str, *, marks: Any = (["re", "fwd"], ["re", "aw"], ["re"])) -> list[Any]:
    """A mail's subject may begin with several of the marks {marks}, capital or small, each with a colon right behind
    it and perhaps blanks before and after it. Return how many marks stand at the beginning, and the subject without them and
    without blanks at its ends."""
    count, rest = 0, subject.strip()
    while ":" in rest and rest.split(":")[0].lower() in marks:
        count += 1
        rest = rest[rest.index(":") + 1 :].strip()
    return [count, rest]


def board_place(text: str, *, wide: Any = (6, 8), high: Any = (6, 9)) -> list[int]:
    """The columns of a board are called by the first {wide} letters of the alphabet, its rows 1 to {high}. `text` is a
    place, such as "C4" or "c4". Return column and row as numbers that begin with 0: [2, 3]. Anything else than one
    letter and one digit on the board is a ValueError."""
    if len(text) != 2:
        raise ValueError(text)
    column, row = "abcdefghij".find(text[0].lower()), "123456789".find(text[1])
    if not 0 <= column < wide or not 0 <= row < high:
        raise ValueError(text)
    return [column, row]


def quoted_cells(line: str, *, comma: Any = (",", ";"), quote: Any = ("'", "|")) -> list[str]:
    """Cut `line` into cells at every {comma!r}, except for those between two {quote!r}: a {quote!r} begins a stretch
    in which nothing is cut, the next one ends it, and neither is part of a cell. A stretch that is not ended goes to
    the end of the line. Cells may be empty; an empty line is one empty cell."""
    cells, inside = [""], False
    for each in line:
        if each == quote:
            inside = not inside
        elif each == comma and not inside:
            cells.append("")
        else:
            cells[-1] += each
    return cells


def cents(text: str, *, group: Any = ("'", "_", ",")) -> int:
    """`text` is a price such as "1{group}250.50" or "80". Return it in cents. Each {group!r} is ignored, wherever it
    stands. Then there must be one digit or more, and after that nothing or a point with exactly two digits; else it is
    a ValueError."""
    whole, point, part = text.replace(group, "").partition(".")
    if not whole.isdigit() or (point and (len(part) != 2 or not part.isdigit())):
        raise ValueError(text)
    return int(whole) * 100 + int(part or 0)


def settings(text: str, *, comment: Any = ("#", ";", "//")) -> dict[str, dict[str, str]]:
    """`text` has lines such as "[garden]", which begin a part, and "hose = green" with the name and the value of a
    setting of the part that was begun last. Settings before the first part belong to the part "". All other lines
    do not count, nor do those that begin with {comment!r}; blanks around lines, names and values do not matter. Return
    name and value of the settings of each part that has any; of equal names in a part the last one counts."""
    out: dict[str, dict[str, str]] = {}
    part = ""
    for each in text.split("\n"):
        line = each.strip()
        if line.startswith("[") and line.endswith("]"):
            part = line[1:-1]
        elif "=" in line and not line.startswith(comment):
            name, _, value = line.partition("=")
            out.setdefault(part, {})[name.strip()] = value.strip()
    return out


def fits_shape(text: str, *, shape: Any = ("LL-DD", "L DDD", "DD/L")) -> bool:
    """Number plates of a town have the shape {shape!r}: L stands for a capital letter from A to Z, D for a digit, and
    every other character for itself. Say whether `text` is such a plate, from its first character to its last."""
    return len(text) == len(shape) and all(
        "A" <= one <= "Z" if form == "L" else "0" <= one <= "9" if form == "D" else one == form
        for one, form in zip(text, shape, strict=True)
    )


def stitches(pattern: str, *, width: Any = (6, 8, 9)) -> str:
    """A knitting pattern is words between blanks, each a letter and how often it is knitted: "k2 p3 k1" is "kkpppk".
    A letter alone is knitted once. Return the first {width} stitches of what comes out when the pattern is knitted over
    and over again; an empty pattern gives an empty string."""
    row = "".join(each[0] * int(each[1:] or 1) for each in pattern.split())
    row *= width
    return row[:width]


def sets_won(text: str, *, to: Any = (11, 21), lead: Any = (1, 2)) -> list[int]:
    """`text` has the results of the sets of a match between blanks, such as "11:7 9:11". A set is won by who has at
    least {to} points and at least {lead} more than the other; where nobody has, it counts for nobody. Return how many
    sets the first player and the second have won."""
    won = [0, 0]
    for each in text.split():
        one, two = map(int, each.split(":"))
        if max(one, two) >= to and abs(one - two) >= lead:
            won[0 if one > two else 1] += 1
    return won


def shelf_order(marks: list[str], *, way: Any = ("rising", "falling")) -> list[str]:
    """A shelf mark is letters and then perhaps a whole number, such as "Gar12". Return the marks sorted by their
    letters, capital or small being the same, and those with the same letters by their numbers, {way}; without a number
    it is 0. Marks that are equal in both stay in their order."""

    def number(mark: str) -> int:
        return int(mark.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") or 0)

    return sorted(
        marks, key=lambda mark: (mark.rstrip("0123456789").lower(), number(mark) if way == "rising" else -number(mark))
    )


def _lines(draw: Random) -> tuple[list[str]]:
    forms = ["{} g {}", "{}  {}", "{1}", "", "  {} ml  {} 2", "{1}  {0}", "{}g {}"]
    return ([draw.choice(forms).format(draw.choice([0, 3, 25, 250]), word(draw)) for _ in range(draw.randint(0, 4))],)


def _subject(draw: Random) -> tuple[str]:
    forms = ["Re: ", "RE:", " re: ", "Fwd: ", "fwd:", "AW: ", "Re : ", "Note: "]
    return ("".join(draw.choice(forms) for _ in range(draw.randint(0, 4))) + draw.choice(["", word(draw), "Re "]),)


def _price(draw: Random) -> tuple[str]:
    whole = draw.choice(["0", "80", "1'250", "1_250", "1,250", "12'0", "3,", "", "x", "-4"])
    return (whole + draw.choice(["", "", ".50", ".05", ".5", ".", ".500", ".a1"]),)


def _settings(draw: Random) -> tuple[str]:
    forms = [
        "[{}]",
        "[shed]",
        "{} = 1",
        "hose=2",
        " hose = a=b ",
        "# {} = 3",
        "; x = 4",
        "//y = 5",
        "{}",
        "z =",
        " [lane] ",
        "[half",
        "half]",
        "  # t = 7",
    ]
    return ("\n".join(draw.choice(forms).format(word(draw)) for _ in range(draw.randint(0, 6))),)


def _plate(draw: Random) -> tuple[str]:
    shape = draw.choice(["LL-DD", "L DDD", "DD/L"])
    near = {"L": "AZAZAZAZ@[q", "D": "09090909/:"}
    text = "".join(draw.choice(near.get(each, each * 6 + "x")) for each in shape)
    return (draw.choice([text, text, text, text, text[:-1], text + "5"]),)


FAMILIES = {
    "parsing": [
        key_values,
        log_level,
        number_ranges,
        to_ranges,
        parse_size,
        table_lookup,
        versions,
        scaled_recipe,
        bare_subject,
        board_place,
        quoted_cells,
        cents,
        settings,
        fits_shape,
        stitches,
        sets_won,
        shelf_order,
    ],
}
INPUTS = {
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
    "scaled_recipe": _lines,
    "bare_subject": _subject,
    "board_place": lambda draw: (
        draw.choice(["", "A", "A0", "f6", "F7", "g6", "H9", "h1", "i1", "B10", "44", "aa", "a1 ", "E9", "c8"])
        if draw.random() < 0.4
        else draw.choice("abcdefABCDEFGH") + str(draw.randint(1, 7)),
    ),
    "quoted_cells": lambda draw: (
        "".join(draw.choice([",", ";", "'", "|", "a", "b c"]) for _ in range(draw.randint(0, 9))),
    ),
    "cents": _price,
    "settings": _settings,
    "fits_shape": _plate,
    "stitches": lambda draw: (
        " ".join(draw.choice("kpy") + draw.choice(["", "1", "2", "3", "10"]) for _ in range(draw.randint(0, 4))),
    ),
    "sets_won": lambda draw: (
        " ".join(
            f"{draw.choice([3, 10, 11, 12, 20, 21, 22])}:{draw.choice([3, 9, 10, 11, 19, 20, 21])}"
            for _ in range(draw.randint(0, 5))
        ),
    ),
    "shelf_order": lambda draw: (
        [
            draw.choice(["gar", "Gar", "tu", "TU"]) + draw.choice(["", "0", "2", "10", "02"])
            for _ in range(draw.randint(0, 5))
        ],
    ),
}
