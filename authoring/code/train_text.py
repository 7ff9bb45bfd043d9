"""Training problems about text. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any

from authoring.code.random_values import sentence, word


def count_vowels(text: str, *, letters: Any = ("aeiou", "aeiouy", "aeo", "iu")) -> int:
    """Return how many characters of `text` are one of the letters {letters!r}, capital or small."""
    return sum(each in letters for each in text.lower())


def initials(name: str, *, end: Any = (".", "", "-", "/")) -> str:
    """Return the first letter of every word of `name`, as a capital, each followed by {end!r}. Words stand between
    blanks."""
    return "".join(part[0].upper() + end for part in name.split())


def longest_word(text: str, *, least: Any = (3, 4, 5, 6)) -> str:
    """Return the longest word of `text` (words stand between blanks); of several the first. Return an empty string if
    no word has at least {least} characters."""
    best = ""
    for each in text.split():
        if len(each) >= least and len(each) > len(best):
            best = each
    return best


def squeeze(text: str, *, sign: Any = ("-", "_", "!", ".")) -> str:
    """Return `text` with every run of {sign!r} made into a single one."""
    out = ""
    for each in text:
        if each != sign or not out.endswith(sign):
            out += each
    return out


def snake_name(title: str, *, joint: Any = ("_", "-", ".", "+")) -> str:
    """Turn `title` into a name: small letters, its words (between blanks) joined by {joint!r}, other characters than
    letters and digits left out. A word of which nothing is left disappears."""
    words = ["".join(each for each in part.lower() if each.isalnum()) for part in title.split()]
    return joint.join(part for part in words if part)


def shift_letters(text: str, *, by: Any = (2, 3, 7, 13)) -> str:
    """Move every letter from a to z forward by {by} places in the alphabet, going on with a after z. Capital letters
    stay capital; all other characters stay as they are."""
    out = ""
    for each in text:
        if "a" <= each <= "z":
            out += chr((ord(each) - 97 + by) % 26 + 97)
        elif "A" <= each <= "Z":
            out += chr((ord(each) - 65 + by) % 26 + 65)
        else:
            out += each
    return out


def is_mirror(text: str, *, ignored: Any = (" ", " -", " .,!", "")) -> bool:
    """Say whether `text` reads the same from both ends, when capitals count as small letters and the characters in
    {ignored!r} are left out."""
    kept = [each for each in text.lower() if each not in ignored]
    return kept == kept[::-1]


def cut_short(text: str, *, most: Any = (8, 10, 12, 15), end: Any = ("...", "~")) -> str:
    """Return `text` if it has at most {most} characters; else its beginning followed by {end!r}, {most} characters in
    all."""
    return text if len(text) <= most else text[: most - len(end)] + end


def runs(text: str, *, least: Any = (2, 3, 4)) -> str:
    """Write each run of one character in `text` as the character and the length of the run, such as "a3b4". A run
    shorter than {least} is written as it is."""
    out, at = "", 0
    while at < len(text):
        end = at
        while end < len(text) and text[end] == text[at]:
            end += 1
        out += text[at] + str(end - at) if end - at >= least else text[at:end]
        at = end
    return out


def swap_words(text: str, *, step: Any = (2, 3)) -> str:
    """The words of `text` (between blanks) in groups of {step}: return them with the words inside each group in
    reverse order, joined by one blank. A last group that is too short is reversed too."""
    words = text.split()
    out: list[str] = []
    for at in range(0, len(words), step):
        out += words[at : at + step][::-1]
    return " ".join(out)


def first_once(text: str, *, otherwise: Any = ("", "?", "-", "none")) -> str:
    """Return the first character of `text` that stands in it only once, blanks aside; {otherwise!r} if there is
    none."""
    for each in text:
        if each != " " and text.count(each) == 1:
            return each
    return otherwise


def mask_digits(text: str, *, keep: Any = (2, 3, 4), sign: Any = ("*", "#")) -> str:
    """Replace every digit of `text` by {sign!r}, except for the last {keep} digits."""
    left = sum(each.isdigit() for each in text) - keep
    out = ""
    for each in text:
        if each.isdigit() and left > 0:
            out += sign
            left -= 1
        else:
            out += each
    return out


def wrap_words(text: str, *, width: Any = (10, 12, 16, 20)) -> list[str]:
    """Break `text` into lines of at most {width} characters between its words (which stand between blanks; one blank
    joins them in a line). A line takes as many words as fit. A longer word has a line of its own."""
    lines: list[str] = []
    for each in text.split():
        if lines and len(lines[-1]) + 1 + len(each) <= width:
            lines[-1] += " " + each
        else:
            lines.append(each)
    return lines


def inside(text: str, *, marks: Any = ("()", "[]", "<>")) -> list[str]:
    """Return the pieces of `text` that stand between {marks[0]!r} and the next {marks[1]!r}, in order; a further
    {marks[0]!r} before that is part of the piece. What is never closed is left out."""
    out: list[str] = []
    at = text.find(marks[0])
    while at >= 0:
        end = text.find(marks[1], at)
        if end < 0:
            break
        out.append(text[at + 1 : end])
        at = text.find(marks[0], end)
    return out


def common_start(words: list[str], *, fold: Any = ("the same", "different")) -> str:
    """Return the longest beginning that all `words` share, as it stands in the first; an empty string for no words.
    A capital letter and its small one count as {fold}."""
    if not words:
        return ""
    for at, each in enumerate(words[0]):
        for other in words:
            if at == len(other) or (other[at].lower() != each.lower() if fold == "the same" else other[at] != each):
                return words[0][:at]
    return words[0]


def title_case(text: str, *, small: Any = (["of", "the"], ["and", "in"], ["to", "for"])) -> str:
    """Return the words of `text` (between blanks) joined by one blank, each with a capital first letter and the rest
    small; but the words {small} are small throughout unless they come first."""
    words = text.lower().split()
    return " ".join(each if at and each in small else each.capitalize() for at, each in enumerate(words))


def column(rows: list[str], *, place: Any = (1, 2, 3)) -> list[str]:
    """Each row is text with parts between commas. Return part number {place} (the first is 1) of every row without
    blanks at its ends; an empty string where a row has no such part."""
    out: list[str] = []
    for each in rows:
        parts = each.split(",")
        out.append(parts[place - 1].strip() if len(parts) >= place else "")
    return out


def how_far(one: str, two: str, *, extra: Any = (1, 2)) -> int:
    """Count the places at which the two texts have different characters; each character by which one is longer than
    the other counts {extra}."""
    return sum(a != b for a, b in zip(one, two, strict=False)) + extra * abs(len(one) - len(two))


def hidden_word(text: str, *, wanted: Any = ("lamp", "stone", "river")) -> bool:
    """Say whether the letters of {wanted!r} stand in `text` in this order, perhaps with others between them. Capitals
    count as small letters."""
    at = 0
    for each in text.lower():
        if at < len(wanted) and each == wanted[at]:
            at += 1
    return at == len(wanted)


def _mirror(draw: Random) -> tuple[str]:
    half = sentence(draw, 2)
    back = "".join(each for each in half[::-1] if each not in draw.choice(["", " ", " -", " .,!"]))
    return (half + draw.choice(["", "x", " ", "-"]) + draw.choice([back, back.upper(), half, back[1:] + "z"]),)


def _squeezed(draw: Random) -> tuple[str]:
    return ("".join(draw.choice(["-", "_", "!", ".", "a", "b "]) * draw.randint(1, 3) for _ in range(6)),)


def _bracketed(draw: Random) -> tuple[str]:
    return (
        " ".join(draw.choice(["({})", "[{}]", "<{}>", "{}", "({}", "{}]", "{}>"]).format(word(draw)) for _ in range(6)),
    )


def _started(draw: Random) -> tuple[list[str]]:
    start = word(draw)
    some = [
        draw.choice([start, start[:3], start.title()]) + word(draw)[: draw.randint(0, 2)]
        for _ in range(draw.randint(0, 4))
    ]
    return (some,)


def _lettered(draw: Random) -> tuple[str]:
    letters = list(draw.choice(["lamp", "stone", "river", "lmap", "stne", "rivre"]))
    return ("".join(draw.choice(["", "x", "q ", "E"]) + draw.choice([each, each.upper()]) for each in letters),)


FAMILIES = {
    "text": [
        count_vowels,
        initials,
        longest_word,
        squeeze,
        snake_name,
        shift_letters,
        is_mirror,
        cut_short,
        runs,
        swap_words,
        first_once,
        mask_digits,
        wrap_words,
        inside,
        common_start,
        title_case,
        column,
        how_far,
        hidden_word,
    ],
}
INPUTS = {
    "squeeze": _squeezed,
    "is_mirror": _mirror,
    "runs": lambda draw: ("".join(draw.choice("abc") * draw.randint(1, 4) for _ in range(draw.randint(0, 5))),),
    "first_once": lambda draw: ("".join(draw.choice("abcd ") for _ in range(draw.randint(0, 9))),),
    "mask_digits": lambda draw: (f"{word(draw)} {draw.randint(0, 10**6)} {draw.randint(0, 999)}-{word(draw)}",),
    "inside": _bracketed,
    "common_start": _started,
    "title_case": lambda draw: (
        " ".join(draw.choice(["of", "the", "And", "in", "TO", "for", word(draw)]) for _ in range(draw.randint(0, 6))),
    ),
    "column": lambda draw: (
        [", ".join(word(draw) for _ in range(draw.randint(1, 4))) + draw.choice(["", ","]) for _ in range(3)],
    ),
    "how_far": lambda draw: (
        "".join(draw.choice("ab") for _ in range(draw.randint(0, 6))),
        draw.choice(["", "ab", "abba"]),
    ),
    "hidden_word": _lettered,
}
