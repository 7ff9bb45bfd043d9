"""Training problems about lists. `problems` describes how a function becomes tasks."""

from typing import Any

from authoring.code.random_values import numbers


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


def merge_sorted(one: list[int], two: list[int], *, equal: Any = ("one is", "all are")) -> list[int]:
    """Both lists are in ascending order. Return all their items in ascending order; of equal items {equal}
    kept."""
    out: list[int] = []
    for each in sorted(one + two):
        if equal == "all are" or not out or out[-1] != each:
            out.append(each)
    return out


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


def sort_by_last_digit(items: list[int], *, way: Any = ("ascending", "descending")) -> list[int]:
    """Return `items` sorted by their last digit, {way}; those with the same last digit stay in the order in which
    they came. All are 0 or more."""
    return sorted(items, key=lambda each: each % 10 if way == "ascending" else -(each % 10))


def fold_strip(items: list[int], *, middle: Any = ("once", "twice")) -> list[int]:
    """A strip of paper with `items` on it is folded in the middle, so that the last number lies on the first, the last
    but one on the second, and so on. Return the sums of the numbers that lie on each other, beginning with the first.
    If the fold goes through a number, that one comes at the end and counts {middle}."""
    half = len(items) // 2
    out = [items[at] + items[-1 - at] for at in range(half)]
    if len(items) % 2 == 1:
        out.append(items[half] if middle == "once" else 2 * items[half])
    return out


def around_first(items: list[int], *, equal: Any = ("before", "after")) -> list[int]:
    """Rearrange `items` around their first one: all smaller ones come before it and all larger ones after it, each
    group in the order it had. Further items that are equal to the first stand directly {equal} it. Return the list;
    it is empty if `items` is."""
    if not items:
        return []
    first, *rest = items
    same = [each for each in rest if each == first]
    smaller, larger = [each for each in rest if each < first], [each for each in rest if each > first]
    return [*smaller, *same, first, *larger] if equal == "before" else [*smaller, first, *same, *larger]


def lamp_gaps(places: list[int], *, around: Any = (12, 20, 30)) -> list[int]:
    """Lamps stand along a path that goes {around} metres around a pond; `places` says where, in metres from the gate
    and always less than {around}, in any order, and some of them twice, which is one lamp. Return the distances from each lamp to
    the next, beginning with the lamp that has the smallest number; the last distance is the one past the gate. For one lamp
    it is the whole way around; without lamps there are none."""
    lamps = sorted(set(places))
    return [(lamps[at + 1] if at + 1 < len(lamps) else lamps[0] + around) - lamp for at, lamp in enumerate(lamps)]


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
        fold_strip,
        around_first,
        lamp_gaps,
    ],
}
INPUTS = {
    "drop_repeats": lambda draw: (numbers(draw, 0, 2),),
    "merge_sorted": lambda draw: (sorted(numbers(draw, -3, 6)), sorted(numbers(draw, -3, 6))),
    "split_at": lambda draw: (numbers(draw, -1, 2),),
    "sort_by_last_digit": lambda draw: (numbers(draw, 0, 60),),
    "around_first": lambda draw: ([draw.choice([1, 3, 5, 5, 6, 8, 9]) for _ in range(draw.randint(0, 7))],),
    "lamp_gaps": lambda draw: (numbers(draw, 0, 11),),
}
