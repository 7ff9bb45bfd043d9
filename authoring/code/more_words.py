"""Further training problems about words and names. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any

from authoring.code.random_values import word, words


def word_sizes(text: str, *, least: Any = (1, 2, 3)) -> list[int]:
    """Words in `text` are separated by blanks. Return the number of letters of each word, in order. Digits and
    signs do not count as letters. Leave out words with fewer than {least} letters."""
    sizes = [sum(each.isalpha() for each in part) for part in text.split()]
    return [size for size in sizes if size >= least]


def sorted_inside(text: str, *, order: Any = ("alphabetical", "reverse alphabetical"), least: Any = (3, 5)) -> str:
    """Sort the letters inside every word of `text` that has at least {least} letters, in {order} order. Shorter
    words stay unchanged. Join the words with one blank. All letters are small."""
    return " ".join(
        "".join(sorted(part, reverse=order == "reverse alphabetical")) if len(part) >= least else part
        for part in text.split()
    )


def shouted(text: str, *, least: Any = (2, 3)) -> list[str]:
    """Return the words of `text` that are written in capitals only and have {least} letters or more. A word with
    any character that is not a capital letter from A to Z does not count. Each word is returned once, at its first
    place."""
    found = [part for part in text.split() if len(part) >= least and all("A" <= each <= "Z" for each in part)]
    return list(dict.fromkeys(found))


def turn_long_words(text: str, *, longer: Any = (3, 4, 5)) -> str:
    """Write every word of `text` with more than {longer} characters backwards. Leave the other words and all blanks
    between words exactly as they are. There may be several blanks between two words."""
    return " ".join(part[::-1] if len(part) > longer else part for part in text.split(" "))


def censored(text: str, *, banned: Any = (["elm", "ox"], ["reed"], ["kelp", "dune"]), keep: Any = (1, 2)) -> str:
    """In `text`, words are separated by single blanks. In every word that is one of {banned}, capital or small,
    replace the characters by "*", except for the first {keep} of the word. Return the new text."""
    out: list[str] = []
    for part in text.split(" "):
        out.append(part[:keep] + "*" * (len(part) - keep) if part.lower() in banned else part)
    return " ".join(out)


def counted_things(things: dict[str, int], *, none: Any = ("is left out", 'is written with "no"')) -> str:
    """Write down the things and how many there are, such as "1 oak, 3 elms", in the order of the dict and with ", "
    between them. With any other number than 1, the name gets an "s". A thing with the number 0 {none}. An empty
    result is ""."""
    out: list[str] = []
    for name, number in things.items():
        if number == 0:
            if none == "is left out":
                continue
            else:
                out.append("no " + name + "s")
        else:
            out.append(str(number) + " " + name + ("" if number == 1 else "s"))
    return ", ".join(out)


def guest_list(names: list[str], *, shown: Any = (2, 3, 4)) -> str:
    """Write `names` as one text. Up to {shown} names are joined by ", ". If there are more, write the first
    {shown}, then " and ", the number of the others, and " more". Without names, return "nobody"."""
    if not names:
        return "nobody"
    text = ", ".join(names[:shown])
    return text + " and " + str(len(names) - shown) + " more" if len(names) > shown else text


def word_chain(items: list[str], *, letters: Any = (1, 2)) -> int:
    """In a chain, each word begins with the last {letters} letter(s) of the word before. Return how many words from
    the beginning of `items` form a chain. Every word is long enough. One word alone is a chain of 1."""
    count = 0
    for at, each in enumerate(items):
        if at and not each.startswith(items[at - 1][-letters:]):
            break
        count += 1
    return count


def hangman(secret: str, guesses: str, *, sign: Any = ("_", "-", "?"), most: Any = (3, 4)) -> str:
    """Return the word `secret` with every letter that is not in `guesses` replaced by {sign!r}. But if {most} or
    more different letters of `guesses` are not in the word, return "lost". All letters are small."""
    wrong = {each for each in guesses if each not in secret}
    if len(wrong) >= most:
        return "lost"
    return "".join(each if each in guesses else sign for each in secret)


def guess_marks(secret: str, guess: str, *, right: Any = ("G", "+"), near: Any = ("Y", "o")) -> str:
    """Both words have the same length. Return one mark for each letter of `guess`: {right!r} if `secret` has the
    same letter at this place, {near!r} if `secret` has the letter only at other places, and "." if it does not have
    it at all. How often a letter occurs does not matter."""
    out = ""
    for at, each in enumerate(guess):
        out += right if secret[at] == each else near if each in secret else "."
    return out


def letter_points(text: str, *, rare: Any = ("qxz", "jkw", "vy"), worth: Any = (5, 8)) -> int:
    """Return the points of a word in a game. A vowel (aeiou) is worth 1, each of the letters {rare!r} is worth
    {worth}, and any other letter 2. Capital and small letters count the same. Characters that are no letters are
    worth nothing."""
    total = 0
    for each in text.lower():
        if each.isalpha():
            total += 1 if each in "aeiou" else worth if each in rare else 2
    return total


def blank_initial(name: str, *, order: Any = ("last name first", "last name last")) -> str:
    """`name` is one or more names between blanks, of which the last is the family name. Shorten every other name to
    its first letter and a point, and write the result with the {order}. When the family name is first, a comma
    follows it, as in "Reed, A. B.". When it is last, the result looks like "A. B. Reed". A single name is returned
    as it is."""
    *given, family = name.split()
    short = " ".join(each[0] + "." for each in given)
    if not given:
        return family
    return family + ", " + short if order == "last name first" else short + " " + family


def login_names(names: list[str], *, size: Any = (3, 4, 5)) -> list[str]:
    """Make a login for each name: its first {size} characters in small letters. If a login was already given to
    somebody before, put the number 2 behind it, or if that was given too, 3, and so on. Return the logins in
    order."""
    out: list[str] = []
    for name in names:
        base = name[:size].lower()
        login, number = base, 1
        while login in out:
            number += 1
            login = base + str(number)
        out.append(login)
    return out


def rhymes(items: list[str], target: str, *, letters: Any = (2, 3)) -> list[str]:
    """Return those of `items` that end with the same {letters} letters as `target`, in their order. Capital and
    small letters are the same. The word `target` itself does not rhyme, and words with fewer than {letters} letters
    never do."""
    end = target.lower()[-letters:]
    return [
        each for each in items if len(each) >= letters and each.lower().endswith(end) and each.lower() != target.lower()
    ]


def by_size_then_name(items: list[str], *, first: Any = ("shortest", "longest")) -> list[str]:
    """Sort the words with the {first} first. Words of the same length come in alphabetical order, where capital
    letters count as small ones. Words that are also equal in this respect keep their order."""
    return sorted(items, key=lambda each: (len(each) if first == "shortest" else -len(each), each.lower()))


def fresh_words(text: str, known: list[str], *, least: Any = (2, 3, 4)) -> list[str]:
    """Return the different words of `text` (separated by blanks) that are not in `known`, in the order in which
    they first occur. Take the signs .,!? off the end of each word first and make it small. Words with fewer than
    {least} characters are left out. The words in `known` are small."""
    out: list[str] = []
    for part in text.split():
        bare = part.rstrip(".,!?").lower()
        if len(bare) >= least and bare not in known and bare not in out:
            out.append(bare)
    return out


def middle_name(names: list[str], *, pick: Any = ("former", "latter")) -> str:
    """Sort the names alphabetically and return the one in the middle. If there are two in the middle, return the
    {pick} of them. Names that occur several times count once. Without names, return an empty string."""
    different = sorted(dict.fromkeys(names))
    if not different:
        return ""
    return different[(len(different) - 1) // 2 if pick == "former" else len(different) // 2]


def compound(parts: list[str], *, drop: Any = ("e", "s", "t")) -> str:
    """Put the words of `parts` together into one long word. Where one word ends with {drop!r} and the next begins
    with {drop!r}, that letter is written only once. Empty words are skipped. All letters are small."""
    out = ""
    for each in parts:
        out += each[1:] if out.endswith(drop) and each.startswith(drop) else each
    return out


def _text(draw: Random, some: list[str]) -> tuple[str]:
    return (" ".join(draw.choice(some) for _ in range(draw.randint(0, 6))),)


def _chain(draw: Random) -> tuple[list[str]]:
    return (
        draw.choice(
            [["elm", "larch", "chess", "ssh"], ["oak", "kelp", "pea", "ash"], ["tin", "inn", "nnx", "elm"], []]
        )[: draw.randint(0, 4)]
        + draw.choice([[], ["heath", "thin"], ["ox"]]),
    )


FAMILIES = {
    "text": [
        word_sizes,
        sorted_inside,
        shouted,
        turn_long_words,
        censored,
        counted_things,
        guest_list,
        word_chain,
        hangman,
        guess_marks,
        letter_points,
        blank_initial,
        login_names,
        rhymes,
        by_size_then_name,
        fresh_words,
        middle_name,
        compound,
    ],
}
INPUTS = {
    "word_sizes": lambda draw: _text(draw, ["a", "ox", "elm!", "b2b", "--", "x7", "Reed", "1st", "o'er"]),
    "sorted_inside": lambda draw: _text(draw, ["ox", "elm", "reed", "kelp", "cedar", "so", "amber", "be"]),
    "shouted": lambda draw: _text(draw, ["A", "NO", "Yes", "STOP", "GO!", "X1", "STOP", "ok", "ÄH", "TO"]),
    "turn_long_words": lambda draw: _text(draw, ["ox", "", "elm", "reed", "cedar", "meadow", "a b"]),
    "censored": lambda draw: _text(draw, ["elm", "OX", "Reed", "reed", "kelp", "dune", "elms", "fern"]),
    "counted_things": lambda draw: ({each: draw.randint(0, 2) for each in words(draw, draw.randint(0, 4))},),
    "guest_list": lambda draw: (words(draw, draw.randint(0, 5)),),
    "word_chain": _chain,
    "hangman": lambda draw: (word(draw), "".join(draw.choice("aeioulmrnxqt") for _ in range(draw.randint(0, 7)))),
    "guess_marks": lambda draw: tuple("".join(draw.choice("abcde") for _ in range(4)) for _ in range(2)),
    "letter_points": lambda draw: (
        draw.choice(["Quiz-42", "", "jukebox", "WAVY ox", "Zoo!", word(draw), word(draw).upper()]),
    ),
    "blank_initial": lambda draw: (" ".join(each.title() for each in words(draw, draw.randint(1, 4))),),
    "login_names": lambda draw: (
        [draw.choice(["Anna", "Annabel", "anne", "Ann", "Anton", "Bo"]) for _ in range(draw.randint(0, 6))],
    ),
    "rhymes": lambda draw: (
        [draw.choice(["ring", "Sing", "ng", "king", "song", "g", "KING", "bang"]) for _ in range(draw.randint(0, 6))],
        draw.choice(["King", "ring", "long", "thing"]),
    ),
    "by_size_then_name": lambda draw: (
        [draw.choice(["ox", "Ox", "elm", "Ash", "b", "A", "reed", "oX", "elk"]) for _ in range(draw.randint(0, 6))],
    ),
    "fresh_words": lambda draw: (
        *_text(draw, ["Elm,", "elm", "ox.", "a", "Reed!?", "to", "the", "kelp", "?", "ox", "sea."]),
        draw.choice([[], ["elm"], ["to", "the"], ["ox", "kelp"]]),
    ),
    "middle_name": lambda draw: (
        [draw.choice(["Ada", "Bo", "Cy", "Dot", "Eve", "Flo"]) for _ in range(draw.randint(0, 6))],
    ),
    "compound": lambda draw: (
        [
            draw.choice(["tree", "eel", "", "salt", "tent", "sets", "ears", "t", "s", "e"])
            for _ in range(draw.randint(0, 5))
        ],
    ),
}
