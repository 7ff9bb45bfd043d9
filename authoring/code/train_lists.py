"""Problems about lists and small algorithms on them; `train_text` says how they are written."""

from random import Random
from typing import Any

from authoring.code.forms import numbers


def every_nth(items: list[int], *, n: Any = (2, 3, 4), start: Any = (0, 1)) -> list[int]:
    """Return every item of `items` at the places {start}, {start} + {n}, {start} + 2 x {n} and so on; the first place
    is 0."""
    return items[start::n]


def drop_repeats(items: list[int], *, most: Any = (1, 2)) -> list[int]:
    """Return `items` in order, but of equal ones no more than {most}: those that come first."""
    out: list[int] = []
    for each in items:
        if out.count(each) < most:
            out.append(each)
    return out


def running_total(items: list[int], *, floor: Any = (0, -5, 10)) -> list[int]:
    """Return the sums of the first one, the first two, ... items. Whenever a sum would be less than {floor} it
    becomes {floor}, and the counting goes on from there."""
    out: list[int] = []
    total = 0
    for each in items:
        total = max(total + each, floor)
        out.append(total)
    return out


def in_chunks(items: list[int], *, size: Any = (2, 3, 4), fill: Any = (0, -1)) -> list[list[int]]:
    """Cut `items` into lists of {size}; the last one is filled up with {fill}."""
    out = [items[at : at + size] for at in range(0, len(items), size)]
    if out:
        out[-1] = out[-1] + [fill] * (size - len(out[-1]))
    return out


def turn_left(items: list[int], *, by: Any = (2, 3, 4, 5)) -> list[int]:
    """Move the first item to the end, {by} times over, and return the list."""
    if not items:
        return []
    at = by % len(items)
    return items[at:] + items[:at]


def peaks(heights: list[int], *, least: Any = (1, 2, 3)) -> list[int]:
    """Return the places of the items that are higher than both neighbours by at least {least}. The first and the last
    item are no peaks; the first place is 0."""
    return [
        at
        for at in range(1, len(heights) - 1)
        if heights[at] - heights[at - 1] >= least and heights[at] - heights[at + 1] >= least
    ]


def longest_rise(items: list[int], *, step: Any = (1, 2, 3)) -> int:
    """Return the length of the longest stretch of neighbouring items in which each is larger than the one before by
    at least {step}. No items: 0."""
    best = now = 0
    for at, each in enumerate(items):
        now = now + 1 if at and each - items[at - 1] >= step else 1
        best = max(best, now)
    return best


def pairs_with_sum(items: list[int], *, total: Any = (7, 10, 12)) -> int:
    """Count the pairs of items at different places whose sum is {total}; the order inside a pair does not matter."""
    return sum(items[one] + items[two] == total for one in range(len(items)) for two in range(one + 1, len(items)))


def merge_sorted(one: list[int], two: list[int], *, equal: Any = ("one is", "all are")) -> list[int]:
    """Both lists are in ascending order. Return all their items in ascending order; of equal items {equal}
    kept."""
    out: list[int] = []
    for each in sorted(one + two):
        if equal == "all are" or not out or out[-1] != each:
            out.append(each)
    return out


def smooth(items: list[int], *, width: Any = (2, 3, 4)) -> list[int]:
    """Return, for every stretch of {width} neighbouring items, from left to right, their sum divided by {width},
    rounded down."""
    return [sum(items[at : at + width]) // width for at in range(len(items) - width + 1)]


def split_at(items: list[int], *, mark: Any = (0, 1, -1)) -> list[list[int]]:
    """Cut `items` at every {mark}, which itself is left out, and return the pieces in order; empty pieces too."""
    out: list[list[int]] = [[]]
    for each in items:
        if each == mark:
            out.append([])
        else:
            out[-1].append(each)
    return out


def most_frequent(items: list[int], *, tie: Any = ("smallest", "largest")) -> int:
    """Return the item that stands most often in `items`, of several the {tie}; 0 for an empty list."""
    ordered = sorted(items, reverse=tie == "largest")
    return max(ordered, key=ordered.count, default=0)


def weave(one: list[int], two: list[int], *, first: Any = (1, 2)) -> list[int]:
    """Return the items of both lists in turn, beginning with list number {first}; when one is used up, the rest of
    the other."""
    a, b = (one, two) if first == 1 else (two, one)
    out: list[int] = []
    for at in range(max(len(a), len(b))):
        out += a[at : at + 1] + b[at : at + 1]
    return out


def turn_grid(grid: list[list[int]], *, way: Any = ("clockwise", "anticlockwise")) -> list[list[int]]:
    """`grid` is a list of rows of equal length. Return it turned by a quarter, {way}."""
    turned = [list(column) for column in zip(*grid)]  # noqa: B905
    return [row[::-1] for row in turned] if way == "clockwise" else turned[::-1]


def border_sum(grid: list[list[int]], *, ring: Any = (0, 1)) -> int:
    """`grid` is a list of rows of equal length. Ring 0 are its outermost cells, ring 1 those next to them towards the
    inside, and so on. Return the sum of the cells of ring {ring}; 0 if there are none."""
    return sum(
        value
        for y, row in enumerate(grid)
        for x, value in enumerate(row)
        if min(x, y, len(row) - 1 - x, len(grid) - 1 - y) == ring
    )


def diagonals(grid: list[list[int]], *, which: Any = ("top left corner down", "bottom left corner up")) -> int:
    """`grid` is a list of rows of equal length. Return the sum of the cells on the diagonal that goes from the
    {which} and ends where the grid ends."""
    rows = grid if which == "top left corner down" else grid[::-1]
    return sum(row[at] for at, row in enumerate(rows) if at < len(row))


def josephus(count: int, *, step: Any = (2, 3, 4)) -> list[int]:
    """`count` people with the numbers 1, 2, ... stand in a circle. Beginning with number 1, those who still
    stand are counted: the one at {step} is sent away, and with the next one the count begins again at 1, until nobody is
    left. Return the numbers in the order in which they are sent away."""
    standing, at = list(range(1, count + 1)), 0
    out: list[int] = []
    while standing:
        at = (at + step - 1) % len(standing)
        out.append(standing.pop(at))
    return out


def inversions(items: list[int], *, gap: Any = (0, 1, 2)) -> int:
    """Count the pairs of places at which the earlier item is larger than the later one by more than {gap}."""
    return sum(items[one] - items[two] > gap for one in range(len(items)) for two in range(one + 1, len(items)))


def fair_share(weights: list[int], *, limit: Any = (10, 15, 20)) -> int:
    """Parcels come in this order and go into vans that carry at most {limit} each; a van leaves when the next parcel
    does not fit. A parcel that is heavier than {limit} is turned away, and the van waits for the next one. All weigh
    1 or more. Return how many vans are used."""
    vans, load = 0, limit
    for each in weights:
        if each > limit:
            continue
        if load + each > limit:
            vans, load = vans + 1, 0
        load += each
    return vans


def sort_by_last_digit(items: list[int], *, way: Any = ("ascending", "descending")) -> list[int]:
    """Return `items` sorted by their last digit, {way}; those with the same last digit stay in the order in which
    they came. All are 0 or more."""
    return sorted(items, key=lambda each: each % 10 if way == "ascending" else -(each % 10))


FAMILIES = {
    "lists": [
        every_nth,
        drop_repeats,
        running_total,
        in_chunks,
        turn_left,
        merge_sorted,
        split_at,
        most_frequent,
        weave,
        turn_grid,
        border_sum,
        diagonals,
        sort_by_last_digit,
    ],
    "algorithms": [peaks, longest_rise, pairs_with_sum, smooth, josephus, inversions, fair_share],
}


def _positive(draw: Random) -> tuple[list[int]]:
    return (numbers(draw, 1, 23),)


INPUTS = {
    "drop_repeats": lambda draw: (numbers(draw, 0, 2),),
    "peaks": lambda draw: ([draw.randint(0, 6) for _ in range(draw.randint(0, 9))],),
    "longest_rise": lambda draw: ([draw.randint(0, 3) + at * draw.randint(0, 3) for at in range(draw.randint(0, 8))],),
    "merge_sorted": lambda draw: (sorted(numbers(draw, -3, 6)), sorted(numbers(draw, -3, 6))),
    "split_at": lambda draw: (numbers(draw, -1, 2),),
    "josephus": lambda draw: (draw.randint(0, 9),),
    "fair_share": _positive,
    "sort_by_last_digit": lambda draw: (numbers(draw, 0, 60),),
    "pairs_with_sum": lambda draw: (numbers(draw, 0, 12),),
}
