"""Further training problems about dicts. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any

from authoring.code.random_values import words


def key_of_extreme(data: dict[str, int], *, want: Any = ("largest", "smallest"), none: Any = ("", "none")) -> str:
    """Return the key with the {want} value. If several keys have it, return the one that comes last in the
    alphabet. For an empty dict return {none!r}."""
    if not data:
        return none
    best = max(data.values()) if want == "largest" else min(data.values())
    return max(key for key, value in data.items() if value == best)


def value_counts(data: dict[str, int], *, least: Any = (1, 2)) -> list[list[int]]:
    """Return a list [value, count] for every value that at least {least} key(s) have, with the most frequent value
    first. Values that are equally frequent come in rising order."""
    values = list(data.values())
    different = sorted(set(values), key=lambda value: (-values.count(value), value))
    return [[value, values.count(value)] for value in different if values.count(value) >= least]


def pick_keys(data: dict[str, int], start: str, *, least: Any = (2, 3)) -> dict[str, int]:
    """Return a dict with only those entries whose key begins with `start` and has {least} or more characters.
    Capital and small letters are the same in this comparison. The order stays as it is."""
    return {key: value for key, value in data.items() if len(key) >= least and key.lower().startswith(start.lower())}


def percentages(votes: dict[str, int], *, least: Any = (0, 10, 25)) -> dict[str, int]:
    """`votes` has a number of votes for each name, 0 or more. Return the percentage of all votes for each name,
    rounded down. Leave out names with less than {least} percent after rounding. If there are no votes at all,
    return an empty dict."""
    total = sum(votes.values())
    if total == 0:
        return {}
    shares = {name: count * 100 // total for name, count in votes.items()}
    return {name: share for name, share in shares.items() if share >= least}


def inventory_gap(have: dict[str, int], want: dict[str, int], *, extra: Any = (0, 1, 2)) -> dict[str, int]:
    """`have` says what is in a box and `want` what should be in it. Of everything that is wanted, {extra} more than
    stated in `want` should be there. Return how many of each thing are missing, without things of which enough are
    there. Things that `have` does not name are there 0 times."""
    out: dict[str, int] = {}
    for thing, count in want.items():
        missing = count + extra - have.get(thing, 0)
        if missing > 0:
            out[thing] = missing
    return out


def shared_hobbies(hobbies: dict[str, list[str]], *, least: Any = (2, 3)) -> list[str]:
    """`hobbies` has a list of hobbies for each person, in which a hobby may occur twice. Return the hobbies that
    {least} or more people have, sorted by the number of people, the most popular first, and then alphabetically."""
    counts: dict[str, int] = {}
    for each in hobbies.values():
        for hobby in dict.fromkeys(each):
            counts[hobby] = counts.get(hobby, 0) + 1
    return sorted((hobby for hobby in counts if counts[hobby] >= least), key=lambda hobby: (-counts[hobby], hobby))


def deep_sum(tree: dict[str, Any], *, skip: Any = ("_", "x", "#")) -> int:
    """The values of `tree` are numbers or dicts of the same kind. Return the sum of all numbers at every level. An
    entry whose key begins with {skip!r} is left out together with everything in it."""
    total = 0
    for key, value in tree.items():
        if key.startswith(skip):
            continue
        total += deep_sum(value) if isinstance(value, dict) else value
    return total


def nest_depth(
    tree: dict[str, Any],
    *,
    empty: Any = ("count, so an empty `tree` gives 1", "do not count, so an empty `tree` gives 0"),
) -> int:
    """The values of `tree` are numbers or dicts of the same kind. Return how many dicts are nested in each other at
    most, where `tree` itself is the first. Empty dicts {empty}."""
    if not tree:
        return 1 if empty == "count, so an empty `tree` gives 1" else 0
    return 1 + max(nest_depth(value) if isinstance(value, dict) else 0 for value in tree.values())


def apply_changes(
    data: dict[str, int], changes: list[list[Any]], *, missing: Any = ("does nothing", "starts from 0")
) -> dict[str, int]:
    """Each change is a word, a key and a number. "set" gives the key this number, "add" adds the number to its
    value, and "del" removes the key (the number does not matter then, and a missing key is fine). "add" for a key
    that does not exist {missing}. Return the dict after all changes, in order."""
    out = dict(data)
    for word, key, number in changes:
        if word == "set":
            out[key] = number
        elif word == "del":
            out.pop(key, None)
        elif missing == "starts from 0" or key in out:
            out[key] = out.get(key, 0) + number
    return out


def grade_book(marks: dict[str, list[int]], *, passing: Any = (4, 5, 6), drop: Any = ("worst", "best")) -> list[str]:
    """`marks` has the marks of each pupil, where higher is better. Leave out the {drop} mark of a pupil once, if
    there are at least two marks. A pupil passes if the average of the other marks is {passing} or more. Return the
    names of those who pass in alphabetical order. Pupils without marks do not pass."""
    out: list[str] = []
    for name in sorted(marks):
        rest = sorted(marks[name])
        if len(rest) > 1:
            rest = rest[1:] if drop == "worst" else rest[:-1]
        if rest and sum(rest) >= passing * len(rest):
            out.append(name)
    return out


def translate(text: str, book: dict[str, str], *, unknown: Any = ("?", "...")) -> str:
    """Replace every word of `text` by what `book` says, and join the results with one blank. The keys of `book` are
    small, and capital letters in `text` count as small ones. A word that is not in `book` becomes {unknown!r}, but
    several such words in a row give only one {unknown!r}."""
    out: list[str] = []
    for part in text.lower().split():
        new = book[part] if part in book else unknown  # noqa: SIM401
        if new != unknown or not out or out[-1] != unknown:
            out.append(new)
    return " ".join(out)


def index_words(lines: list[str], *, first: Any = (0, 1)) -> dict[str, list[int]]:
    """Return for every word the numbers of the lines in which it occurs, in rising order and each once. The first
    line has number {first}. Words are separated by blanks and are made small."""
    out: dict[str, list[int]] = {}
    for number, line in enumerate(lines, first):
        for each in line.lower().split():
            places = out.setdefault(each, [])
            if number not in places:
                places.append(number)
    return out


def zip_records(
    names: list[str], values: list[int], *, fill: Any = (0, -1), same: Any = ("first", "last")
) -> dict[str, int]:
    """Return a dict from each name to the value at the same place. If there are fewer values than names, the
    missing ones are {fill}. Further values are ignored. If a name occurs several times, its {same} value counts."""
    out: dict[str, int] = {}
    for at, name in enumerate(names):
        if same == "last" or name not in out:
            out[name] = values[at] if at < len(values) else fill
    return out


def spend_budget(budget: dict[str, int], bills: list[list[Any]], *, other: Any = ("other", "rest")) -> list[str]:
    """`budget` has an amount for each purpose. Each bill is a purpose and an amount, and is taken from the money
    for that purpose, or from {other!r} if the budget does not have the purpose. If {other!r} is missing too,
    nothing happens. Return in alphabetical order the purposes with less than 0 after all bills."""
    left = dict(budget)
    for purpose, amount in bills:
        if purpose in left:
            left[purpose] -= amount
        elif other in left:
            left[other] -= amount
    return sorted(purpose for purpose in left if left[purpose] < 0)


def _data(draw: Random) -> tuple[dict[str, int]]:
    return ({each: draw.randint(0, 3) for each in words(draw, draw.randint(0, 5))},)


def _tree(draw: Random, depth: int = 0) -> dict[str, Any]:
    keys = draw.sample(["a", "b", "_c", "xd", "#e", "f"], draw.randint(0, 3))
    return {key: _tree(draw, depth + 1) if depth < 3 and draw.random() < 0.5 else draw.randint(1, 9) for key in keys}


def _changes(draw: Random) -> tuple[dict[str, int], list[list[Any]]]:
    changes = [
        [draw.choice(["set", "add", "add", "del"]), draw.choice("abc"), draw.randint(1, 5)]
        for _ in range(draw.randint(0, 5))
    ]
    return {each: draw.randint(0, 9) for each in "abc"[: draw.randint(0, 2)]}, changes


def _bills(draw: Random) -> tuple[dict[str, int], list[list[Any]]]:
    keys = draw.sample(["food", "rent", "other", "rest"], draw.randint(0, 4))
    bills = [[draw.choice(["food", "rent", "fun", "car"]), draw.randint(1, 9)] for _ in range(draw.randint(0, 5))]
    return {each: draw.randint(0, 12) for each in keys}, bills


FAMILIES = {
    "dicts": [
        key_of_extreme,
        value_counts,
        pick_keys,
        percentages,
        inventory_gap,
        shared_hobbies,
        deep_sum,
        nest_depth,
        apply_changes,
        grade_book,
        translate,
        index_words,
        zip_records,
        spend_budget,
    ],
}
INPUTS = {
    "key_of_extreme": _data,
    "value_counts": _data,
    "pick_keys": lambda draw: (
        {
            each: draw.randint(1, 9)
            for each in draw.sample(["Elm", "elk", "e", "ox", "Oak", "o", "eel", "x"], draw.randint(0, 5))
        },
        draw.choice(["e", "El", "O", "x", ""]),
    ),
    "percentages": lambda draw: ({each: draw.choice([0, 1, 1, 2, 3, 5]) for each in words(draw, draw.randint(0, 5))},),
    "inventory_gap": lambda draw: tuple(
        {each: draw.randint(0, 5) for each in draw.sample(["cup", "fork", "bowl", "jug"], draw.randint(0, 4))}
        for _ in range(2)
    ),
    "shared_hobbies": lambda draw: (
        {
            each: [draw.choice(["chess", "golf", "yoga", "art"]) for _ in range(draw.randint(0, 4))]
            for each in "abcd"[: draw.randint(0, 4)]
        },
    ),
    "deep_sum": lambda draw: (_tree(draw),),
    "nest_depth": lambda draw: (_tree(draw),),
    "apply_changes": _changes,
    "grade_book": lambda draw: (
        {
            each: [draw.randint(2, 8) for _ in range(draw.randint(0, 4))]
            for each in draw.sample(["Ada", "Bo", "Cy", "Di"], draw.randint(0, 4))
        },
    ),
    "translate": lambda draw: (
        " ".join(draw.choice(["Ja", "nein", "und", "oder", "NEIN"]) for _ in range(draw.randint(0, 6))),
        {each: each[::-1] for each in draw.sample(["ja", "nein", "und"], draw.randint(0, 3))},
    ),
    "index_words": lambda draw: (
        [
            " ".join(draw.choice(["ox", "Elm", "elm", "reed"]) for _ in range(draw.randint(0, 4)))
            for _ in range(draw.randint(0, 4))
        ],
    ),
    "zip_records": lambda draw: (
        [draw.choice("abcd") for _ in range(draw.randint(0, 5))],
        [draw.randint(1, 9) for _ in range(draw.randint(0, 5))],
    ),
    "spend_budget": _bills,
}
