"""More problems about dicts, kitchens, votes and stock, and one about postage; `train_text` says how they are written."""

from random import Random
from typing import Any

from authoring.code.forms import words


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


def postage(grams: int, *, step: Any = (50, 100), more: Any = (2, 3)) -> int:
    """A letter of up to 20 grams costs 4; a heavier one costs {more} more for each {step} grams, or part of them, by
    which it is heavier than 20. What weighs more than 500 grams is no letter: a ValueError, and so is a weight below
    1. Return what it costs."""
    if grams < 1 or grams > 500:
        raise ValueError(grams)
    return 4 if grams <= 20 else 4 + more * ((grams - 20 + step - 1) // step)


FAMILIES = {
    "dicts": [dishes_without, swap_shifts, elected, after_orders, setting_at, good_pairs, subtotals],
    "numbers": [postage],
}

_PEOPLE = ["Fenn", "Gila", "Hanno", "Ines"]


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


INPUTS = {
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
    "postage": lambda draw: (
        draw.choice([0, 1, 19, 20, 21, 70, 71, 120, 121, 499, 500, 501, *(draw.randint(2, 499) for _ in range(6))]),
    ),
}
