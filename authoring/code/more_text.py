"""Further training problems about characters and lines of text. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any

from authoring.code.random_values import word


def keyed_shift(text: str, *, key: Any = ("bad", "cab", "dead")) -> str:
    """Encode `text` with the key {key!r}. The first small letter moves forward in the alphabet by the place of the
    first key letter (a is 0, b is 1), the second by that of the second key letter, and so on. After its last letter
    the key begins again. After z comes a. Characters other than a to z stay and use up no key letter."""
    out, used = "", 0
    for each in text:
        if "a" <= each <= "z":
            by = ord(key[used % len(key)]) - 97
            out += chr((ord(each) - 97 + by) % 26 + 97)
            used += 1
        else:
            out += each
    return out


def pig_latin(text: str, *, ending: Any = ("ay", "yo", "ix")) -> str:
    """Change every word of `text` and join the words with single blanks. A word that starts with one of aeiou gets
    {ending!r} at its end. Any other word first moves its first letter to its end and then gets {ending!r}. All
    letters are small."""
    out: list[str] = []
    for each in text.split():
        moved = each if each[0] in "aeiou" else each[1:] + each[0]
        out.append(moved + ending)
    return " ".join(out)


def wavy_case(text: str, *, first: Any = ("capital", "small"), step: Any = (1, 2)) -> str:
    """Make the letters of `text` capital and small in turns, {step} at a time. The first {step} are {first}.
    Characters that are no letters stay and are not counted."""
    out, count = "", 0
    for each in text:
        if each.isalpha():
            turn = count // step % 2 == 0
            out += each.upper() if turn == (first == "capital") else each.lower()
            count += 1
        else:
            out += each
    return out


def in_the_middle(text: str, *, width: Any = (9, 12, 14), fill: Any = ("*", "."), more: Any = ("left", "right")) -> str:
    """Put {fill!r} on both sides of `text` so that the result has {width} characters. If the two sides cannot be
    equal, the {more} side gets one more. Text of {width} or more characters is returned unchanged."""
    if len(text) >= width:
        return text
    missing = width - len(text)
    small, large = missing // 2, missing - missing // 2
    return fill * large + text + fill * small if more == "left" else fill * small + text + fill * large


def count_part(text: str, part: str, *, overlaps: Any = ("may", "must not")) -> int:
    """Count how many times `part` occurs in `text`. Two counted occurrences {overlaps} overlap. Go through `text`
    from left to right. An empty `part` occurs 0 times."""
    if not part:
        return 0
    count = at = 0
    while at + len(part) <= len(text):
        if text[at : at + len(part)] == part:
            count += 1
            at += 1 if overlaps == "may" else len(part)
        else:
            at += 1
    return count


def turn_vowels(text: str, *, vowels: Any = ("aeiou", "aeo", "aeiouAEIOU")) -> str:
    """Reverse the order of those characters of `text` that are in {vowels!r}. All other characters keep their
    places."""
    found = [each for each in text if each in vowels]
    return "".join(found.pop() if each in vowels else each for each in text)


def missing_letters(text: str, *, upto: Any = ("f", "k", "p")) -> str:
    """Return the letters from a to {upto} that do not occur in `text`, neither small nor capital, in alphabetical
    order and as one string."""
    return "".join(chr(at) for at in range(97, ord(upto) + 1) if chr(at) not in text.lower())


def strip_tags(text: str, *, marks: Any = ("<>", "[]", "()")) -> str:
    """Remove every tag from `text`. A tag starts with {marks[0]!r} and ends with the next {marks[1]!r}. A tag that
    never ends is removed up to the end of the text. A {marks[1]!r} outside of a tag stays."""
    out, hidden = "", False
    for each in text:
        if hidden:
            hidden = each != marks[1]
        elif each == marks[0]:
            hidden = True
        else:
            out += each
    return out


def tabs_to_blanks(text: str, *, stop: Any = (2, 4, 8)) -> str:
    """Replace every tab character of `text` by blanks. The number of blanks is such that the line is then a
    multiple of {stop} characters long. It is at least one blank. `text` is a single line."""
    out = ""
    for each in text:
        out += " " * (stop - len(out) % stop) if each == "\t" else each
    return out


def echo_letters(text: str, *, joint: Any = ("-", "_", " "), most: Any = (3, 4)) -> str:
    """Write the first character of `text` once, the second twice, the third three times, and so on, but none of
    them more than {most} times. Each group starts with a capital and goes on in small letters. Put {joint!r}
    between the groups."""
    return joint.join((each * min(at + 1, most)).capitalize() for at, each in enumerate(text))


def without_each(text: str, *, nth: Any = (2, 3, 4), counted: Any = ("left", "right")) -> str:
    """Remove every character of `text` whose number can be divided by {nth}. Characters are numbered from 1,
    starting at the {counted} end."""
    size = len(text)
    return "".join(each for at, each in enumerate(text) if (at + 1 if counted == "left" else size - at) % nth != 0)


def by_columns(text: str, *, width: Any = (2, 3, 4)) -> str:
    """Write `text` in rows of {width} characters, where the last row may be shorter. Then read it column by column,
    each from top to bottom, starting with the left column. Return what you read."""
    return "".join(text[at::width] for at in range(width))


def rail_fence(text: str, *, rails: Any = (3, 4, 5)) -> str:
    """Put the characters of `text` on {rails} rails. The first goes on the top rail, the next one rail lower, and
    so on down to the bottom rail. Then the rails are used upwards, then downwards again, without using the top or
    bottom rail twice at a turn. Read the rails from top to bottom, each from left to right, and return all of it as
    one text."""
    lines = [""] * rails
    for at, each in enumerate(text):
        place = at % (2 * rails - 2)
        lines[min(place, 2 * rails - 2 - place)] += each
    return "".join(lines)


def shared_ending(one: str, two: str, *, least: Any = (1, 2, 3)) -> str:
    """Return the longest text with which both `one` and `two` end. Capital and small letters are different. If it
    has fewer than {least} characters, return an empty string."""
    count = 0
    while count < min(len(one), len(two)) and one[-1 - count] == two[-1 - count]:
        count += 1
    return one[len(one) - count :] if count >= least else ""


def shorten_middle(text: str, *, front: Any = (2, 3), back: Any = (2, 4), gap: Any = ("..", "~")) -> str:
    """Return the first {front} characters of `text`, then {gap!r}, then its last {back} characters. If that would
    not be shorter than `text`, return `text` itself."""
    short = text[:front] + gap + text[-back:]
    return short if front + len(gap) + back < len(text) else text


def number_lines(text: str, *, start: Any = (0, 1, 10), sign: Any = (": ", ". ")) -> str:
    """Put a number and {sign!r} in front of every line of `text`. The first number is {start}, and each further one
    is larger by 1. Lines that are empty or have only blanks stay as they are and get no number."""
    out: list[str] = []
    number = start
    for line in text.split("\n"):
        if line.strip():
            out.append(str(number) + sign + line)
            number += 1
        else:
            out.append(line)
    return "\n".join(out)


def depths(lines: list[str], *, unit: Any = (2, 3, 4)) -> list[int]:
    """Return the depth of every line. The depth is the number of blanks at the beginning divided by {unit}, rounded
    down. A line that has nothing but blanks, or is empty, has the depth of the line before it, or 0 if it is the
    first."""
    out: list[int] = []
    for line in lines:
        bare = line.lstrip(" ")
        out.append((len(line) - len(bare)) // unit if bare else out[-1] if out else 0)
    return out


def split_camel(name: str, *, joint: Any = ("_", "-", " ")) -> str:
    """`name` is written like "maxItemSize". Put {joint!r} before every capital letter except one at the very
    beginning, and make all letters small. In "parseURL" each capital counts on its own."""
    out = ""
    for at, each in enumerate(name):
        if each.isupper() and at > 0:
            out += joint
        out += each.lower()
    return out


def one_change(one: str, two: str, *, kind: Any = ("replacing", "inserting", "removing")) -> bool:
    """Say whether `two` can be made from `one` by {kind} exactly one character. Equal texts give False."""
    if kind == "replacing":
        return len(one) == len(two) and sum(one[at] != two[at] for at in range(len(one))) == 1
    else:
        long, short = (two, one) if kind == "inserting" else (one, two)
        return len(long) == len(short) + 1 and any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


def longest_fresh(text: str, *, most: Any = (1, 2)) -> int:
    """Return the length of the longest piece of `text` without gaps in which no character occurs more than {most}
    times."""
    best = 0
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            piece = text[start:end]
            if all(piece.count(each) <= most for each in piece):
                best = max(best, end - start)
    return best


def mirrored_pieces(text: str, *, size: Any = (2, 3, 4)) -> int:
    """Count the places in `text` at which a piece of exactly {size} characters starts that reads the same
    backwards. Pieces may overlap."""
    pieces = [text[at : at + size] for at in range(len(text) - size + 1)]
    return sum(each == each[::-1] for each in pieces)


def tidy_lines(lines: list[str], *, most: Any = (0, 1, 2)) -> list[str]:
    """Remove the blanks at the right end of every line. Of empty lines that follow each other, also of a single
    one, keep {most} at most. Remove all empty lines at the beginning of the list."""
    out: list[str] = []
    empty = 0
    for line in lines:
        bare = line.rstrip()
        empty = 0 if bare else empty + 1
        if empty <= most and (bare or out):
            out.append(bare)
    return out


def swap_halves(text: str, *, middle: Any = ("stays in the middle", "is left out")) -> str:
    """Exchange the two halves of `text`. If its length is odd, the character in the middle {middle}."""
    half = len(text) // 2
    centre = text[half : len(text) - half] if middle == "stays in the middle" else ""
    return text[len(text) - half :] + centre + text[:half]


def commonest_letter(text: str, *, tie: Any = ("first in the alphabet", "last in the alphabet")) -> str:
    """Return the letter that occurs most often in `text`, as a small letter. Capital and small letters are the
    same, and other characters do not count. If several occur equally often, take the one that is {tie}. Without
    letters, return an empty string."""
    letters = sorted((each for each in text.lower() if each.isalpha()), reverse=tie == "last in the alphabet")
    return max(letters, key=letters.count, default="")


def _short(draw: Random) -> tuple[str]:
    return ("".join(draw.choice("abcde") for _ in range(draw.randint(0, 11))),)


def _tagged(draw: Random) -> tuple[str]:
    return (
        "".join(
            draw.choice(["<b>", "[i]", "(", ")", "<", ">", "]", "[", "ox", " elm"]) for _ in range(draw.randint(0, 7))
        ),
    )


def _edited(draw: Random) -> tuple[str, str]:
    one = word(draw)
    at = draw.randrange(len(one))
    return one, draw.choice(
        [
            one[:at] + draw.choice("xyz") + one[at + 1 :],
            one[:at] + "x" + one[at:],
            one[:at] + one[at + 1 :],
            one[:at] + "xy" + one[at:],
            one[at:],
            one,
            one[::-1],
            one + "s",
            one[:-1] + "qq",
        ]
    )


def _ends(draw: Random) -> tuple[str, str]:
    end = draw.choice(["", "g", "ng", "ing", "ring", "RING"])
    return draw.choice(["", word(draw), "st"]) + end, draw.choice(["", word(draw), "Bo"]) + end


def _texts(draw: Random) -> tuple[list[str]]:
    return ([draw.choice(["", "  ", "", "oak  ", " elm", "reed", "    ox "]) for _ in range(draw.randint(0, 8))],)


FAMILIES = {
    "text": [
        keyed_shift,
        pig_latin,
        wavy_case,
        in_the_middle,
        count_part,
        turn_vowels,
        missing_letters,
        strip_tags,
        tabs_to_blanks,
        echo_letters,
        without_each,
        by_columns,
        rail_fence,
        shared_ending,
        shorten_middle,
        number_lines,
        depths,
        split_camel,
        one_change,
        longest_fresh,
        mirrored_pieces,
        tidy_lines,
        swap_halves,
        commonest_letter,
    ],
}
INPUTS = {
    "keyed_shift": lambda draw: (draw.choice([word(draw) + " Z" + word(draw), "zebra-9 zoo", "", word(draw)]),),
    "pig_latin": lambda draw: (
        " ".join(draw.choice([word(draw), "a", "x", "ice"]) for _ in range(draw.randint(0, 4))),
    ),
    "in_the_middle": lambda draw: ("".join(draw.choice("abc ") for _ in range(draw.randint(0, 16))),),
    "count_part": lambda draw: (
        "".join(draw.choice("ab") for _ in range(draw.randint(0, 9))),
        draw.choice(["", "a", "aa", "ab", "aba", "bab", "abb", "bb"]),
    ),
    "strip_tags": _tagged,
    "tabs_to_blanks": lambda draw: (
        "".join(draw.choice(["\t", "a", "bc", "def", " "]) for _ in range(draw.randint(0, 6))),
    ),
    "echo_letters": lambda draw: ("".join(draw.choice("abCD9") for _ in range(draw.randint(0, 6))),),
    "without_each": _short,
    "by_columns": _short,
    "rail_fence": _short,
    "shared_ending": _ends,
    "shorten_middle": lambda draw: ("abcdefghijkl"[: draw.randint(0, 12)],),
    "number_lines": lambda draw: (
        "\n".join(draw.choice(["elm", " ox", "", "  ", "a: b"]) for _ in range(draw.randint(1, 6))),
    ),
    "depths": lambda draw: (
        [" " * draw.randint(0, 9) + draw.choice(["", "elm", "ox x", "a"]) for _ in range(draw.randint(0, 5))],
    ),
    "split_camel": lambda draw: (
        "".join(draw.choice(["max", "Item", "Size", "X", "ID", "n2"]) for _ in range(draw.randint(0, 4))),
    ),
    "one_change": _edited,
    "longest_fresh": _short,
    "mirrored_pieces": lambda draw: ("".join(draw.choice("ab") for _ in range(draw.randint(0, 10))),),
    "tidy_lines": _texts,
    "swap_halves": _short,
    "commonest_letter": lambda draw: ("".join(draw.choice("aAbBcz 1!") for _ in range(draw.randint(0, 8))),),
}
