"""Problems about dicts and rows of data; `train_text` says how they are written."""

from random import Random
from typing import Any

from authoring.code.forms import word, words


def invert(shelf: dict[str, int]) -> dict[int, list[str]]:
    """Return a dict from each value of `shelf` to the list of its keys, in alphabetical order."""
    out: dict[int, list[str]] = {}
    for key in sorted(shelf):
        out.setdefault(shelf[key], []).append(key)
    return out


def tally(items: list[str], *, least: Any = (2, 3, 4)) -> dict[str, int]:
    """Return how often each of `items` occurs, capitals counted as small letters; those that occur fewer than {least}
    times are left out."""
    small = [each.lower() for each in items]
    return {each: small.count(each) for each in small if small.count(each) >= least}


def top_scores(scores: dict[str, int], *, most: Any = (1, 2, 3)) -> list[str]:
    """Return the names in the order of their scores, highest first, those with equal scores in alphabetical order, but
    no more than {most} of them."""
    return sorted(scores, key=lambda name: (-scores[name], name))[:most]


def merge_stock(
    one: dict[str, int], two: dict[str, int], *, rule: Any = ("sum of both", "larger one", "smaller one")
) -> dict[str, int]:
    """Return a dict with all keys of both; where both have a key, its value is the {rule}. Keys whose
    value is 0 in the end are left out."""
    out = dict(one)
    for key, value in two.items():
        if key not in out:
            out[key] = value
        elif rule == "sum of both":
            out[key] += value
        else:
            out[key] = max(out[key], value) if rule == "larger one" else min(out[key], value)
    return {key: value for key, value in out.items() if value != 0}


def by_first_letter(names: list[str], *, longest: Any = (4, 5, 6)) -> dict[str, list[str]]:
    """Group `names` by their first letter as a capital: a dict from letter to the list of names in order. Names of
    more than {longest} characters are left out, and so are empty ones."""
    out: dict[str, list[str]] = {}
    for each in names:
        if each and len(each) <= longest:
            out.setdefault(each[0].upper(), []).append(each)
    return out


def bill(cart: dict[str, int], prices: dict[str, int], *, off: Any = (3, 5, 10)) -> int:
    """`cart` has how many of each thing are bought, `prices` what one costs. Return what all of it costs. Of a thing
    that is bought {off} times or more, one is free. A thing without a price is a ValueError."""
    total = 0
    for thing, count in cart.items():
        if thing not in prices:
            raise ValueError(thing)
        total += prices[thing] * (count - 1 if count >= off else count)
    return total


def flatten(tree: dict[str, Any], *, joint: Any = (".", "/", ":")) -> dict[str, int]:
    """`tree` is a dict whose values are numbers or dicts of the same kind. Return one flat dict whose keys are the
    keys on the way to each number, joined by {joint!r}."""
    out: dict[str, int] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            for below, number in flatten(value).items():
                out[key + joint + below] = number
        else:
            out[key] = value
    return out


def changed(old: dict[str, int], new: dict[str, int], *, by: Any = (0, 1, 5)) -> list[str]:
    """Return in alphabetical order the keys that are in only one of the dicts, or whose values differ by more than
    {by}."""
    keys = sorted({**old, **new})
    return [key for key in keys if key not in old or key not in new or abs(old[key] - new[key]) > by]


def total_by(rows: list[list[Any]], *, least: Any = (0, 5, 10)) -> dict[str, int]:
    """Each row is a list of a name and a number. Return the sum of the numbers of each name; rows whose number is
    less than {least} do not count, and a name with no other row is left out."""
    out: dict[str, int] = {}
    for name, number in rows:
        if number >= least:
            out[name] = out.get(name, 0) + number
    return out


def rename_keys(
    row: dict[str, int], names: dict[str, str], *, unknown: Any = ("stays as it is", "is left out")
) -> dict[str, int]:
    """Return `row` with each key replaced by what `names` says. A key that `names` does not have {unknown}.
    If two keys get the same name, the later one wins."""
    return {names.get(key, key): value for key, value in row.items() if unknown == "stays as it is" or key in names}


def best_of_each(rows: list[list[Any]], *, want: Any = ("highest", "lowest")) -> list[str]:
    """Each row is a list of a group, a name and a number. Return for each group, in alphabetical order of the groups,
    the name with the {want} number; of several the first."""
    best: dict[str, list[Any]] = {}
    for row in rows:
        have = best.get(row[0])
        if have is None or (row[2] > have[2] if want == "highest" else row[2] < have[2]):
            best[row[0]] = row
    return [best[group][1] for group in sorted(best)]


def who_follows(pairs: list[list[str]], *, least: Any = (2, 3)) -> list[str]:
    """Each pair is a list of two names: the first follows the second. Return in alphabetical order the names that at
    least {least} different others follow; following oneself does not count."""
    names = sorted(dict.fromkeys(pair[1] for pair in pairs))
    return [each for each in names if len({a for a, b in pairs if b == each and a != each}) >= least]


def reachable(roads: dict[str, list[str]], start: str, *, most: Any = (1, 2, 3)) -> list[str]:
    """`roads` has the places to which one can go directly from each place (a place without an entry leads nowhere).
    Return in alphabetical order all places that can be reached from `start`, itself left out, by taking one road after
    the other, {most} at most."""
    seen, edge = [start], [start]
    for _ in range(most):
        edge = [each for place in edge for each in roads.get(place, []) if each not in seen]
        seen += edge
    return sorted(dict.fromkeys(each for each in seen if each != start))


FAMILIES = {
    "dicts": [
        invert,
        tally,
        top_scores,
        merge_stock,
        by_first_letter,
        bill,
        flatten,
        changed,
        rename_keys,
    ],
    "rows": [total_by, best_of_each, who_follows, reachable],
}

_PLACES = ["Ambr", "Bolm", "Cade", "Dorn", "Elt", "Fisk"]


def _cart(draw: Random) -> tuple[dict[str, int], dict[str, int]]:
    things = words(draw, 3)
    cart = {each: draw.randint(1, 12) for each in things}
    return cart, {each: draw.randint(1, 20) for each in things[draw.choice([0, 0, 0, 1]) :]}


def _tree(draw: Random, deep: int = 0) -> dict[str, Any]:
    kinds = [deep < 2 and draw.random() < 0.4 for _ in range(draw.randint(0, 3))]
    return {word(draw): _tree(draw, deep + 1) if kind else draw.randint(0, 9) for kind in kinds}


def _two(draw: Random) -> tuple[dict[str, int], dict[str, int]]:
    keys = words(draw, 5)
    return (
        {each: draw.randint(-3, 9) for each in keys[: draw.randint(0, 4)]},
        {each: draw.randint(-3, 9) for each in keys[draw.randint(0, 3) :]},
    )


INPUTS = {
    "invert": lambda draw: ({each: draw.randint(0, 3) for each in words(draw, draw.randint(0, 5))},),
    "tally": lambda draw: (
        [draw.choice(["ash", "Ash", "oak", "OAK", "elm", "fir"]) for _ in range(draw.randint(0, 9))],
    ),
    "top_scores": lambda draw: ({each: draw.randint(0, 3) for each in words(draw, draw.randint(0, 5))},),
    "merge_stock": _two,
    "changed": _two,
    "bill": _cart,
    "flatten": lambda draw: (_tree(draw),),
    "total_by": lambda draw: ([[draw.choice(_PLACES[:3]), draw.randint(-2, 12)] for _ in range(draw.randint(0, 7))],),
    "rename_keys": lambda draw: (
        {each: draw.randint(0, 9) for each in "abcd"[: draw.randint(0, 4)]},
        {each: draw.choice("xya") for each in draw.sample("abcd", 2)},
    ),
    "best_of_each": lambda draw: (
        [[draw.choice("pqr"), draw.choice(_PLACES), draw.randint(0, 5)] for _ in range(draw.randint(0, 7))],
    ),
    "who_follows": lambda draw: (
        [[draw.choice(_PLACES[:4]), draw.choice(_PLACES[:4])] for _ in range(draw.randint(0, 12))],
    ),
    "reachable": lambda draw: (
        {each: draw.sample(_PLACES, draw.randint(0, 2)) for each in draw.sample(_PLACES, 4)},
        draw.choice(_PLACES),
    ),
}
