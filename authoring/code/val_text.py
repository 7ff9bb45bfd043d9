"""Held-out problems about text. `problems` describes how a function becomes tasks."""

from typing import Any

from authoring.code.random_values import sentence, word


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


def running_sign(text: str, steps: int, *, room: Any = (4, 7), gap: Any = (2, 3)) -> str:
    """A sign on a tram has room for {room} characters. Through it runs `text` with {gap} blanks behind it, over and
    over without end, to the left. At step 0 `text` starts at the left edge of the sign; with each step everything
    moves by one. Work out what is on the sign at step `steps`."""
    loop = text + " " * gap
    return "".join(loop[(steps + at) % len(loop)] for at in range(room))


FAMILIES = {
    "text": [
        acrostic,
        stutter,
        sandwich,
        zigzag,
        letter_score,
        running_sign,
    ],
}
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
    "running_sign": lambda draw: (draw.choice(["", "Line 4", "Depot", "Ring"]), draw.randint(0, 20)),
}
