"""Held-out problems about text with a form: settings, logs, prices, notes. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any

from authoring.code.random_values import word


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


def _points(draw: Random) -> tuple[str]:
    forms = ["{} {}", "  {} {}", "    {} {}", " {} {}", "{}{}", "{1}", "{} ", "{}  {} "]
    lines = [draw.choice(forms).format(draw.choice("*-+"), word(draw)) for _ in range(draw.randint(0, 9))]
    return ("\n".join(lines),)


def phone(text: str, *, country: Any = ("31", "45", "353")) -> str:
    """Unify a phone number. Blanks, hyphens and slashes are dropped first. Then it has to start with "+" or "00", which
    the country follows, or else with one "0", which stands for the country {country}; behind this start must be digits, at
    least one, and nothing else. Write it as plus, country and the rest. Anything different raises a
    ValueError."""
    bare = text.replace(" ", "").replace("-", "").replace("/", "")
    if bare.startswith("+"):
        rest = bare[1:]
    elif bare.startswith("00"):
        rest = bare[2:]
    elif bare.startswith("0") and len(bare) > 1:
        rest = country + bare[1:]
    else:
        raise ValueError(text)
    if not rest.isdigit():
        raise ValueError(text)
    return "+" + rest


def dice_bounds(text: str, *, end: Any = ("lowest", "highest")) -> int:
    """A throw is noted as dice and numbers joined by "+" or "-", for instance "2d6+3": two dice with 6 sides, and 3
    more. "d8" is a single die. Dice show 1 to their number of sides. Work out the {end} total that the throw can
    have. What follows a "-" is subtracted."""
    total = 0
    for part in text.replace("-", "+-").split("+"):
        minus = part.startswith("-")
        count, found, sides = part.lstrip("-").partition("d")
        low = int(count or 1)
        high = low * int(sides) if found else low
        if end == "lowest":
            total += -high if minus else low
        else:
            total += -low if minus else high
    return total


def long_songs(lines: list[str], *, most: Any = (3, 4, 5)) -> list[str]:
    """A playlist has lines in the form "4:05 Blue Barn": minutes, a colon, seconds with two digits (00 to 59), one
    blank, title. Pick the titles of all songs that last longer than {most} minutes, longest song at the front, equally
    long ones as listed. Lines in a different form are skipped."""
    found: list[tuple[int, str]] = []
    for line in lines:
        time, _, title = line.partition(" ")
        minutes, _, seconds = time.partition(":")
        if minutes.isdigit() and len(seconds) == 2 and seconds.isdigit() and int(seconds) < 60 and title:
            found.append((int(minutes) * 60 + int(seconds), title))
    return [title for long, title in sorted(found, key=lambda song: -song[0]) if long > most * 60]


def options(words: list[str], *, valued: Any = (["out"], ["size"], ["out", "size"])) -> dict[str, str]:
    """Read the words of a command. One that starts with "--" is an option: "--out" is the option "out". The options
    {valued} take the very next word as their value, whatever it looks like; a missing one is a ValueError. All other
    options get the value "yes". The remaining words, with a single blank between them, are stored under the empty
    name, if there are any. A repeated option keeps its final value."""
    out: dict[str, str] = {}
    rest: list[str] = []
    at = 0
    while at < len(words):
        name = words[at][2:]
        if not words[at].startswith("--"):
            rest.append(words[at])
        elif name not in valued:
            out[name] = "yes"
        elif at + 1 == len(words):
            raise ValueError(name)
        else:
            at += 1
            out[name] = words[at]
        at += 1
    if rest:
        out[""] = " ".join(rest)
    return out


def _phone(draw: Random) -> tuple[str]:
    start = draw.choice(["+", "00", "0", "0", "+31 ", "00-45 ", "", "(0)", "++"])
    return (start + draw.choice(["", "7", "20 55", "6/12-34", "12 x", "353 1"]),)


def _throw(draw: Random) -> tuple[str]:
    parts = [draw.choice(["d8", "2d6", "3d4", "1d20", "3", "10"]) for _ in range(draw.randint(1, 4))]
    return ("".join(each + draw.choice("++-") for each in parts)[:-1],)


def _songs(draw: Random) -> tuple[list[str]]:
    times = [
        "2:59",
        "3:00",
        "3:01",
        "4:00",
        "4:01",
        "5:00",
        "5:01",
        "5:01",
        "5:59",
        "5:59",
        "12:07",
        "5:60",
        "4:5",
        "x:30",
        "530",
    ]
    titles = [word(draw), word(draw).title() + " 2", word(draw), ""]
    return ([f"{draw.choice(times)} {draw.choice(titles)}" for _ in range(draw.choice([0, 2, 3, 5, 6]))],)


FAMILIES = {
    "parsing": [
        template,
        bullets,
        phone,
        dice_bounds,
        long_songs,
        options,
    ],
}
INPUTS = {
    "template": lambda draw: (
        " ".join(
            draw.choice(["$a", "%a", "@a", "$bo", "%bo", "@bo", "$", "%", "@", "x$a", word(draw)]) for _ in range(4)
        ),
        draw.choice([{"a": "1", "bo": "two"}, {"a": "1", "bo": "two"}, {"a": ""}]),
    ),
    "bullets": _points,
    "phone": _phone,
    "dice_bounds": _throw,
    "long_songs": _songs,
    "options": lambda draw: (
        [draw.choice(["--out", "--size", "--dry", "plan", "-q"]) for _ in range(draw.randint(0, 5))],
    ),
}
