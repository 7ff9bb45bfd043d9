"""Further training problems about lists of numbers. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any

from authoring.code.random_values import numbers


def kth_largest(items: list[int], *, place: Any = (2, 3), none: Any = (-1, 0)) -> int:
    """Return the number {place} from the top among the different values of `items`, where number 1 is the largest.
    Equal values count once. If there are fewer than {place} different values, return {none}."""
    values = sorted(set(items), reverse=True)
    return values[place - 1] if len(values) >= place else none


def zeros_aside(items: list[int], *, value: Any = (0, 1, 5), side: Any = ("end", "beginning")) -> list[int]:
    """Move every {value} in `items` to the {side}. The other numbers keep their order."""
    others = [each for each in items if each != value]
    moved = [value] * (len(items) - len(others))
    return others + moved if side == "end" else moved + others


def steps_between(items: list[int], *, ring: Any = ("is the last entry", "is left out")) -> list[int]:
    """Return the distance between each number and the next one, never negative. The distance from the last number
    back to the first {ring}. For fewer than two numbers return an empty list."""
    if len(items) < 2:
        return []
    out = [abs(b - a) for a, b in zip(items, items[1:])]  # noqa: B905, RUF007
    return [*out, abs(items[0] - items[-1])] if ring == "is the last entry" else out


def new_records(
    items: list[int], *, kind: Any = ("higher", "lower"), first: Any = ("is one", "is not one")
) -> list[int]:
    """A record is a number that is {kind} than all numbers before it. The very first number {first}. Return the
    places of all records, where the first place is 0."""
    out: list[int] = []
    for at, each in enumerate(items):
        counts = (
            first == "is one" if at == 0 else each > max(items[:at]) if kind == "higher" else each < min(items[:at])
        )
        if counts:
            out.append(at)
    return out


def window_extremes(items: list[int], *, size: Any = (2, 3, 4), want: Any = ("largest", "smallest")) -> list[int]:
    """For every {size} numbers that stand next to each other, from left to right, return the {want} one. If there
    are fewer than {size} numbers, return an empty list."""
    windows = [items[at : at + size] for at in range(len(items) - size + 1)]
    return [max(each) if want == "largest" else min(each) for each in windows]


def dominant(items: list[int], *, share: Any = (2, 3), none: Any = (-1, 99)) -> int:
    """Return the smallest number that makes up more than 1/{share} of all `items`. If no number does, return
    {none}."""
    return min((each for each in items if items.count(each) * share > len(items)), default=none)


def gaps_in_range(items: list[int], *, start: Any = (0, 1), step: Any = (1, 2)) -> list[int]:
    """Return in rising order the numbers {start}, {start} + {step}, {start} + 2 x {step} and so on, up to the
    largest of `items`, that are missing in `items`. For an empty list return an empty list."""
    if not items:
        return []
    return [each for each in range(start, max(items) + 1, step) if each not in items]


def in_both(
    one: list[int], two: list[int], *, often: Any = ("once", "as often as in the list that has fewer of it")
) -> list[int]:
    """Return the numbers that are in both lists, in rising order. Each of them appears {often}."""
    out: list[int] = []
    for each in sorted(set(one)):
        times = min(one.count(each), two.count(each))
        out += [each] * (min(times, 1) if often == "once" else times)
    return out


def only_in_one(one: list[int], two: list[int], *, first: Any = ("one", "two")) -> list[int]:
    """Return the numbers that occur in exactly one of the two lists. Those from `{first}` come first, then those
    from the other list, always in the order of their lists. A number that is repeated in its list appears once."""
    a, b = (one, two) if first == "one" else (two, one)
    return list(dict.fromkeys([each for each in a if each not in b] + [each for each in b if each not in a]))


def run_lengths(items: list[int], *, least: Any = (1, 2, 3)) -> list[list[int]]:
    """A run is a number and all equal numbers that directly follow it. Return a list [number, length] for every run
    of {least} or more, from left to right."""
    out: list[list[int]] = []
    for each in items:
        if out and out[-1][0] == each:
            out[-1][1] += 1
        else:
            out.append([each, 1])
    return [run for run in out if run[1] >= least]


def unpack(pairs: list[list[int]], *, most: Any = (3, 4, 5)) -> list[int]:
    """Each pair is a number and how often to write it. Return all numbers written out, one pair after the other. A
    count below 0 means 0, and one above {most} means {most}."""
    out: list[int] = []
    for number, count in pairs:
        out += [number] * min(max(count, 0), most)
    return out


def flat(items: list[Any], *, levels: Any = (1, 2)) -> list[Any]:
    """`items` has numbers and lists, which may contain lists again. Take the numbers and lists out of the inner
    lists, {levels} level(s) deep. Lists that are nested more deeply stay lists. The order does not change."""
    out = items
    for _ in range(levels):
        now: list[Any] = []
        for each in out:
            if isinstance(each, list):
                now += each
            else:
                now.append(each)
        out = now
    return out


def zigzags(items: list[int], *, begin: Any = ("up", "down")) -> bool:
    """Say whether the first step goes {begin} and every further step goes in the other direction than the step
    before it, so that up and down take turns. A step between two equal numbers makes the answer False. A list with
    fewer than two numbers gives True."""
    for at in range(1, len(items)):
        rises = at % 2 == 1 if begin == "up" else at % 2 == 0
        if items[at] == items[at - 1] or (items[at] > items[at - 1]) != rises:
            return False
    return True


def balance_point(items: list[int], *, none: Any = (-1, -9), side: Any = ("leftmost", "rightmost")) -> int:
    """Find a place where the sum of all numbers before it equals the sum of all numbers after it. The number at the
    place itself does not count, and the sum of no numbers is 0. Return the {side} such place, counted from 0, or
    {none}."""
    found = [at for at in range(len(items)) if sum(items[:at]) == sum(items[at + 1 :])]
    if not found:
        return none
    return found[0] if side == "leftmost" else found[-1]


def best_stretch(items: list[int], *, most: Any = (2, 3, 4)) -> int:
    """Return the largest sum of 1 to {most} numbers that stand directly next to each other. For an empty list
    return 0."""
    return max(
        (sum(items[at:end]) for at in range(len(items)) for end in range(at + 1, min(at + most, len(items)) + 1)),
        default=0,
    )


def deal_out(
    cards: list[int], *, players: Any = (2, 3, 4), rest: Any = ("are dealt too", "stay on the table")
) -> list[list[int]]:
    """Deal the cards to {players} players in turns, one card at a time, starting with the first player. If the
    cards cannot be shared equally, the last ones, which would make some hands larger, {rest}. Return the hand of
    each player."""
    count = len(cards) if rest == "are dealt too" else len(cards) - len(cards) % players
    return [cards[at:count:players] for at in range(players)]


def swap_neighbours(items: list[int], *, skip: Any = (2, 3)) -> list[int]:
    """Leave the first {skip} numbers where they are. After them, swap the next two numbers with each other, then
    the two after these, and so on. A number that has no partner at the end stays."""
    out = list(items)
    for at in range(skip, len(items) - 1, 2):
        out[at], out[at + 1] = out[at + 1], out[at]
    return out


def trimmed(items: list[int], *, limit: Any = (0, 3, 5), ends: Any = ("both ends", "the beginning")) -> list[int]:
    """Remove numbers below {limit} from {ends} of the list, one by one, until a number of {limit} or more comes.
    Numbers further inside stay."""
    first, last = 0, len(items)
    while first < last and items[first] < limit:
        first += 1
    if ends == "both ends":
        while first < last and items[last - 1] < limit:
            last -= 1
    return items[first:last]


def ranks(
    scores: list[int], *, best: Any = ("highest", "lowest"), equal: Any = ("is skipped", "is given to the next score")
) -> list[int]:
    """Return the rank of every score, in the order of `scores`. The {best} score has rank 1. Equal scores share a
    rank. If two scores share rank 1, rank 2 {equal}, and so on in the same way for other ranks and numbers of equal
    scores."""
    out: list[int] = []
    for each in scores:
        better = [other for other in scores if (other > each if best == "highest" else other < each)]
        out.append(len(better) + 1 if equal == "is skipped" else len(set(better)) + 1)
    return out


def nearest_to(items: list[int], target: int, *, tie: Any = ("smaller", "larger"), none: Any = (0, -1)) -> int:
    """Return the number of `items` that is nearest to `target`. If two different numbers are equally near, return
    the {tie} one. For an empty list return {none}."""
    return min(items, key=lambda each: (abs(each - target), each if tie == "smaller" else -each), default=none)


def sorted_but_one(items: list[int], *, equal: Any = ("may", "must not")) -> bool:
    """Say whether one number can be removed from `items` so that the rest is in rising order. Neighbours in the
    rest {equal} be equal. If `items` is in such order already, the answer is True too. An empty list gives True."""
    rests = [items[:at] + items[at + 1 :] for at in range(len(items))]
    return not items or any(all(a <= b if equal == "may" else a < b for a, b in zip(rest, rest[1:])) for rest in rests)  # noqa: B905, RUF007


def even_steps(items: list[int], *, none: Any = (50, 99, 1000)) -> int:
    """If the difference between each number and the one before it is always the same, return this difference. It is
    negative for falling numbers and 0 for equal ones. If the differences vary or there are fewer than two numbers,
    return {none}."""
    steps = {b - a for a, b in zip(items, items[1:])}  # noqa: B905, RUF007
    return steps.pop() if len(steps) == 1 else none


def others_product(items: list[int], *, last: Any = (7, 10, 100)) -> list[int]:
    """For each number, multiply all the other numbers of the list. Return the remainders of these products after
    division by {last}. The product of no numbers is 1. All numbers are 0 or more."""
    out: list[int] = []
    for at in range(len(items)):
        product = 1
        for other in items[:at] + items[at + 1 :]:
            product *= other
        out.append(product % last)
    return out


def since_last(items: list[int], *, never: Any = (0, -1)) -> list[int]:
    """For each number, return how many places before it the same number stood the last time. If it did not occur
    before, the entry is {never}."""
    out: list[int] = []
    for at, each in enumerate(items):
        before = [at - place for place in range(at) if items[place] == each]
        out.append(before[-1] if before else never)
    return out


def next_larger(items: list[int], *, none: Any = (-1, 0, 99), by: Any = (1, 2)) -> list[int]:
    """For each number, return the first number further to the right that is larger by at least {by}. If there is no
    such number, the entry is {none}."""
    return [next((other for other in items[at + 1 :] if other >= each + by), none) for at, each in enumerate(items)]


def cancel_pairs(items: list[int], *, gone: Any = ("equal", "opposite")) -> list[int]:
    """Look for two neighbours that are {gone} numbers (3 and -3 are opposite, and so are 0 and 0), and remove both.
    Repeat this, with new neighbours too, until no such pair is left. Always take the leftmost pair. Return what is
    left."""
    out: list[int] = []
    for each in items:
        if out and (out[-1] == each if gone == "equal" else out[-1] == -each):
            out.pop()
        else:
            out.append(each)
    return out


def merged_spans(spans: list[list[int]], *, touch: Any = ("are", "are not")) -> list[list[int]]:
    """Each span is a list of its start and its end, and the start is smaller than the end. Join spans that overlap
    into one. Spans of which one ends exactly where the other starts {touch} joined. Return the result in rising
    order of the starts."""
    out: list[list[int]] = []
    for start, end in sorted(spans):
        if out and (start <= out[-1][1] if touch == "are" else start < out[-1][1]):
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return out


def leaders(items: list[int], *, side: Any = ("right", "left"), equal: Any = ("than or equal to", "than")) -> list[int]:
    """Return, in their order, the numbers that are larger {equal} all numbers to their {side}. A number with
    nothing to its {side} is returned too."""
    out: list[int] = []
    for at, each in enumerate(items):
        others = items[at + 1 :] if side == "right" else items[:at]
        if all(each >= other if equal == "than or equal to" else each > other for other in others):
            out.append(each)
    return out


def _small(draw: Random) -> tuple[list[int]]:
    return ([draw.randint(0, 4) for _ in range(draw.randint(0, 7))],)


def _two(draw: Random) -> tuple[list[int], list[int]]:
    return numbers(draw, 0, 6), numbers(draw, 0, 6)


def _nested(draw: Random) -> tuple[list[Any]]:
    return ([draw.choice([1, 2, [], [3, [4]], [[5], 6, [[7]]], [[[8]]], [9]]) for _ in range(draw.randint(0, 4))],)


def _balanced(draw: Random) -> tuple[list[int]]:
    some = numbers(draw, -2, 3)[:3]
    return (draw.choice([[*some, draw.randint(0, 5), *some[::-1]], numbers(draw, -1, 2), [*some, 0, 0, *some]]),)


def _rising(draw: Random) -> tuple[list[int]]:
    out = sorted(numbers(draw, 0, 9))
    for _ in range(draw.randint(0, 2)):
        out.insert(draw.randint(0, len(out)), draw.randint(0, 9))
    return (out,)


def _spans(draw: Random) -> tuple[list[list[int]]]:
    starts = [draw.randint(0, 12) for _ in range(draw.randint(0, 5))]
    return ([[start, start + draw.randint(1, 5)] for start in starts],)


FAMILIES = {
    "lists": [
        kth_largest,
        zeros_aside,
        steps_between,
        new_records,
        window_extremes,
        dominant,
        gaps_in_range,
        in_both,
        only_in_one,
        run_lengths,
        unpack,
        flat,
        zigzags,
        balance_point,
        best_stretch,
        deal_out,
        swap_neighbours,
        trimmed,
        ranks,
        nearest_to,
        sorted_but_one,
        even_steps,
        others_product,
        since_last,
        next_larger,
        cancel_pairs,
        merged_spans,
        leaders,
    ],
}
INPUTS = {
    "kth_largest": lambda draw: (numbers(draw, -4, 4),),
    "zeros_aside": lambda draw: ([draw.choice([0, 1, 5, 2, 7]) for _ in range(draw.randint(0, 7))],),
    "dominant": lambda draw: ([draw.choice([1, 1, 2, 3]) for _ in range(draw.randint(0, 7))],),
    "gaps_in_range": lambda draw: (numbers(draw, 0, 9),),
    "in_both": _two,
    "only_in_one": _two,
    "run_lengths": lambda draw: ([draw.randint(0, 1) for _ in range(draw.randint(0, 8))],),
    "unpack": lambda draw: ([[draw.randint(0, 9), draw.randint(-1, 6)] for _ in range(draw.randint(0, 4))],),
    "flat": _nested,
    "zigzags": lambda draw: (
        draw.choice([[3, 5, 2, 6, 1], [5, 3, 6, 2, 9], [1, 2, 0, 2, 2], [], [4], numbers(draw, 0, 5)])[
            : draw.randint(1, 9)
        ],
    ),
    "balance_point": _balanced,
    "best_stretch": lambda draw: (numbers(draw, -6, 8),),
    "deal_out": lambda draw: ([draw.randint(1, 13) for _ in range(draw.randint(0, 9))],),
    "swap_neighbours": lambda draw: (numbers(draw, 0, 20),),
    "trimmed": lambda draw: (numbers(draw, -2, 7),),
    "ranks": _small,
    "nearest_to": lambda draw: (numbers(draw, 0, 12), draw.randint(0, 12)),
    "sorted_but_one": _rising,
    "even_steps": lambda draw: (
        draw.choice(
            [
                [draw.randint(0, 5) + at * step for at in range(draw.randint(0, 4))]
                if step > 8
                else [2 + at * step for at in range(4)]
                for step in (3, -2, 0, 9)
            ]
            + [[7, 4], [1], [], [1, 2, 4]]
        ),
    ),
    "others_product": lambda draw: (numbers(draw, 0, 9)[:5],),
    "since_last": _small,
    "next_larger": lambda draw: (numbers(draw, 0, 6),),
    "cancel_pairs": lambda draw: ([draw.choice([-2, -1, 0, 1, 1, 2, 2]) for _ in range(draw.randint(0, 8))],),
    "merged_spans": _spans,
    "leaders": _small,
}
