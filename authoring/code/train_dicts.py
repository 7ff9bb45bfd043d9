"""Training problems about dictionaries. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any

from authoring.code.random_values import word, words

_PEOPLE = ["Fenn", "Gila", "Hanno", "Ines"]


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


def rename_keys(
    row: dict[str, int], names: dict[str, str], *, unknown: Any = ("stays as it is", "is left out")
) -> dict[str, int]:
    """Return `row` with each key replaced by what `names` says. A key that `names` does not have {unknown}.
    If two keys get the same name, the later one wins."""
    return {names.get(key, key): value for key, value in row.items() if unknown == "stays as it is" or key in names}


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


def dishes_without(
    dishes: dict[str, list[str]], *, avoid: Any = (["nuts"], ["milk", "egg"], ["fish", "nuts"])
) -> list[str]:
    """`dishes` has what each dish is made of. Return in alphabetical order the dishes in which nothing of {avoid} is,
    capital or small. A dish of which nothing is listed is left out, since nobody knows what is in it."""
    return [dish for dish in sorted(dishes) if dishes[dish] and all(each.lower() not in avoid for each in dishes[dish])]


def swap_shifts(
    plan: dict[str, str], swaps: list[list[str]], *, unknown: Any = ("changes nothing", "is a ValueError")
) -> dict[str, str]:
    """`plan` has the shift of each person. Each of `swaps` is two people who exchange their shifts, one exchange after
    the other. An exchange with somebody who is not in the plan {unknown}. Return the plan in the end."""
    out = dict(plan)
    for one, two in swaps:
        if one in out and two in out:
            out[one], out[two] = out[two], out[one]
        elif unknown == "is a ValueError":
            raise ValueError(one)
    return out


def elected(ballots: dict[str, str], *, share: Any = (25, 40, 50)) -> str:
    """`ballots` has for each voter the name on the ballot, which is "" if it was left empty. Return who has more than
    {share} percent of the ballots that are not empty; of several the one with the most, and of those the first in the
    alphabet. If there is nobody, return an empty string."""
    names = [each for each in ballots.values() if each]
    best = min(names, key=lambda name: (-names.count(name), name), default="")
    return best if names.count(best) * 100 > share * len(names) else ""


def after_orders(
    stock: dict[str, int], orders: list[list[Any]], *, short: Any = ("is not served", "gets what is there")
) -> dict[str, int]:
    """Each order is a thing and how many of it are wanted. They are served in their order from `stock`; one for which
    there is not enough {short}. Return what is in stock after all of them; things of which nothing is left do not
    appear. What `stock` does not have is there 0 times."""
    left = dict(stock)
    for thing, count in orders:
        if count <= left.get(thing, 0):
            left[thing] -= count
        elif short == "gets what is there":
            left[thing] = 0
    return {thing: count for thing, count in left.items() if count}


def setting_at(tree: dict[str, Any], path: str, *, joint: Any = (".", "/"), missing: Any = (-1, 0)) -> int:
    """The values of `tree` are numbers or further dicts of the same kind. `path` has keys with {joint!r} between
    them, which lead from the outside to the inside. Return the number to which they lead; if they lead to a dict, the
    number of its entries; {missing} if some key does not exist or comes after a number."""
    now: Any = tree
    for key in path.split(joint):
        if not isinstance(now, dict) or key not in now:
            return missing
        now = now[key]
    return len(now) if isinstance(now, dict) else now


def good_pairs(likes: dict[str, list[str]], *, least: Any = (1, 2, 3)) -> list[list[str]]:
    """`likes` has what each person likes, some things perhaps twice. Return all pairs of people who have {least} or
    more different things in common: each pair in alphabetical order, and the pairs in that of their first names, then
    of their second ones."""
    names = sorted(likes)
    return [
        [one, two]
        for at, one in enumerate(names)
        for two in names[at + 1 :]
        if len(set(likes[one]) & set(likes[two])) >= least
    ]


def subtotals(accounts: dict[str, int], *, parts: Any = (1, 2), joint: Any = ("-", ".")) -> dict[str, int]:
    """The names of `accounts` have parts with {joint!r} between them, such as "a{joint}7{joint}x". Of each name only the
    parts up to number {parts} count, the first being number 1; what comes after them is cut off. Return the sums of the
    accounts that have the same name then. Sums that are 0 are left out."""
    out: dict[str, int] = {}
    for name, amount in accounts.items():
        start = joint.join(name.split(joint)[:parts])
        out[start] = out.get(start, 0) + amount
    return {start: amount for start, amount in out.items() if amount != 0}


def _plan(draw: Random) -> tuple[dict[str, str], list[list[str]]]:
    plan = {each: draw.choice(["early", "late", "night"]) for each in _PEOPLE[: draw.choice([2, 3, 4])]}
    known = _PEOPLE if draw.random() < 0.5 else list(plan)
    return plan, [draw.sample(known, 2) for _ in range(draw.randint(1, 3))]


def _orders(draw: Random) -> tuple[dict[str, int], list[list[Any]]]:
    things = words(draw, 3)
    stock = {each: draw.randint(0, 6) for each in things[: draw.randint(0, 3)]}
    return stock, [[draw.choice(things), draw.randint(1, 5)] for _ in range(draw.randint(0, 4))]


def _inner(draw: Random) -> tuple[dict[str, Any], str]:
    lamp = draw.choice([{"on": 4}, {"dim": {"low": 5}}, {"on": 1, "dim": {"low": draw.randint(2, 9)}}])
    tree = {"lamp": lamp, **draw.choice([{}, {"fan": draw.randint(2, 9)}, {"fan": 3, "box": {}}])}
    joint = draw.choice("./")
    keys = [["lamp", "fan", "box", "tap"], ["on", "dim", "off"], ["low", "high"]]
    some = [draw.choice(each) for each in keys[: draw.randint(1, 3)]]
    return tree, joint.join(draw.choice([some, ["lamp", "dim", "low"][: len(some)]]))


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
        dishes_without,
        swap_shifts,
        elected,
        after_orders,
        setting_at,
        good_pairs,
        subtotals,
    ],
}
INPUTS = {
    "invert": lambda draw: ({each: draw.randint(0, 3) for each in words(draw, draw.randint(0, 5))},),
    "tally": lambda draw: (
        [draw.choice(["ash", "Ash", "oak", "OAK", "elm", "fir"]) for _ in range(draw.randint(0, 9))],
    ),
    "top_scores": lambda draw: ({each: draw.randint(0, 3) for each in words(draw, draw.randint(0, 5))},),
    "merge_stock": _two,
    "bill": _cart,
    "flatten": lambda draw: (_tree(draw),),
    "changed": _two,
    "rename_keys": lambda draw: (
        {each: draw.randint(0, 9) for each in "abcd"[: draw.randint(0, 4)]},
        {each: draw.choice("xya") for each in draw.sample("abcd", 2)},
    ),
    "dishes_without": lambda draw: (
        {
            dish: draw.sample(["nuts", "Milk", "egg", "fish", "rice", "Nuts", "oats"], draw.randint(0, 3))
            for dish in draw.sample(["pie", "soup", "bowl", "roll"], draw.randint(0, 4))
        },
    ),
    "swap_shifts": _plan,
    "elected": lambda draw: (
        {each: draw.choice(["", "Oda", "Pim", "Rolf", "Tess"]) for each in "stuvwxyz"[: draw.randint(0, 8)]},
    ),
    "after_orders": _orders,
    "setting_at": _inner,
    "good_pairs": lambda draw: (
        {
            each: [draw.choice(["tea", "rain", "jam", "fog"]) for _ in range(draw.randint(2, 6))]
            for each in draw.sample(_PEOPLE, draw.randint(0, 3))
        },
    ),
    "subtotals": lambda draw: (
        {
            draw.choice("-.").join(
                [draw.choice("ab"), draw.choice("78"), draw.choice("xy")][: draw.randint(1, 3)]
            ): draw.randint(-2, 3)
            for _ in range(draw.randint(0, 6))
        },
    ),
}
