"""Problems about short notes with a form: recipes, prices, settings, results; `train_text` says how they are written."""

from random import Random
from typing import Any

from authoring.code.forms import word


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


FAMILIES = {
    "parsing": [
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
    ]
}


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


INPUTS = {
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
