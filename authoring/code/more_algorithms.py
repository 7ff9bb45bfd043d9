"""Further training problems about small algorithms. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any

from authoring.code.random_values import numbers


def climbing_ways(stairs: int, *, strides: Any = ([1, 2], [1, 3], [2, 3])) -> int:
    """Somebody climbs `stairs` stairs. Every stride takes one of these numbers of stairs: {strides}. Return in how
    many different orders of strides exactly all stairs can be climbed. For 0 stairs this is 1, and below 0 it is
    0."""
    ways = [1]
    for top in range(1, stairs + 1):
        ways.append(sum(ways[top - each] for each in strides if each <= top))
    return ways[stairs] if stairs >= 0 else 0


def fewest_coins(amount: int, *, coins: Any = ([1, 3, 4], [2, 5], [4, 6, 9])) -> int:
    """Return the smallest number of coins that together are worth exactly `amount` (0 or more). The coins are worth
    {coins} and there are enough of each. Return -1 if the amount cannot be paid."""
    best = [0]
    for total in range(1, amount + 1):
        before = [best[total - each] for each in coins if each <= total and best[total - each] >= 0]
        best.append(min(before) + 1 if before else -1)
    return best[amount]


def binary_steps(items: list[int], target: int, *, middle: Any = ("lower", "upper")) -> list[int]:
    """Search for `target` in `items`, which are in rising order without repeats. Always look at the middle of the
    part that is left (if there are two middles, at the {middle} one) and go on in the half that can still contain
    it. Return the numbers you looked at, up to the target itself or until nothing is left."""
    out: list[int] = []
    low, high = 0, len(items) - 1
    while low <= high:
        at = (low + high) // 2 if middle == "lower" else (low + high + 1) // 2
        out.append(items[at])
        if items[at] == target:
            break
        if items[at] < target:
            low = at + 1
        else:
            high = at - 1
    return out


def bubble_rounds(items: list[int], *, way: Any = ("rising", "falling")) -> int:
    """Sort `items` into {way} order like this. A round goes through the list once from left to right and swaps two
    neighbours whenever they are in the wrong order. Rounds are repeated until one makes no swap. Return the number
    of rounds, the last one, without swaps, included."""
    todo, rounds, swapped = list(items), 0, True
    while swapped:
        swapped = False
        rounds += 1
        for at in range(len(todo) - 1):
            a, b = todo[at], todo[at + 1]
            if a > b if way == "rising" else a < b:
                todo[at], todo[at + 1] = b, a
                swapped = True
    return rounds


def shortest_way(
    roads: list[list[str]],
    start: str,
    end: str,
    *,
    ways: Any = ("in both directions", "one way, from its first place to its second"),
) -> int:
    """A road joins two places and may be taken {ways}. How many roads must be taken at least to get from `start` to
    `end`? Return this number. For a `start` that equals `end` it is 0. If the roads do not lead there, return
    -1."""
    seen, edge, count = [start], [start], 0
    while edge:
        if end in edge:
            return count
        after: list[str] = []
        for one, two in roads:
            if one in edge and two not in seen:
                after.append(two)
            if ways == "in both directions" and two in edge and one not in seen:
                after.append(one)
        seen += after
        edge = after
        count += 1
    return -1


def friend_groups(people: list[str], friends: list[list[str]], *, least: Any = (1, 2, 3)) -> int:
    """Each entry of `friends` is two people who know each other. People who know each other, directly or through
    others, are in one group. Somebody who knows nobody is a group of one. Return how many groups have at least
    {least} people. All people in `friends` are in `people`."""
    left, count = list(people), 0
    while left:
        todo, size = [left.pop(0)], 0
        while todo:
            each = todo.pop()
            size += 1
            for one, two in friends:
                other = two if each == one else one
                if each in (one, two) and other in left:
                    left.remove(other)
                    todo.append(other)
        if size >= least:
            count += 1
    return count


def tree_depth(children: dict[str, list[str]], root: str, *, count: Any = ("people", "steps")) -> int:
    """`children` has the children of each person, and people without an entry have none. Nobody is their own
    descendant. Return how many {count} the longest line from `root` down to a descendant has. With only `root` that
    is 1 person or 0 steps."""
    depth, level = 0, [root]
    while level:
        depth += 1
        level = [each for name in level for each in children.get(name, [])]
    return depth if count == "people" else depth - 1


def round_robin(tasks: dict[str, int], *, slice_size: Any = (1, 2, 3)) -> list[str]:
    """`tasks` has the minutes that each task needs, 1 or more. The tasks take turns in the order of the dict. In
    each turn a task runs for {slice_size} minute(s), or less if it is done earlier, and then goes to the end of the
    queue unless it is done. Return the names of the tasks in the order in which they are done."""
    queue, out = list(tasks.items()), []
    while queue:
        name, left = queue.pop(0)
        if left <= slice_size:
            out.append(name)
        else:
            queue.append((name, left - slice_size))
    return out


def most_meetings(meetings: list[list[int]], *, gap: Any = (0, 1, 2)) -> int:
    """A meeting is a list of its first and its last minute, and the start is smaller than the end. Return how many
    meetings one person can attend at most. From the end of one meeting to the start of the next there must be at
    least {gap} minutes."""
    count, free = 0, -1000
    for start, end in sorted(meetings, key=lambda each: each[1]):
        if start >= free + gap:
            count += 1
            free = end
    return count


def busiest(visits: list[list[int]], *, last: Any = ("is still", "is no longer")) -> int:
    """A visit is a list of the minute in which somebody comes and the minute in which they leave, which is not
    earlier. Minutes go from 0 to 30. In the minute of leaving, the person {last} counted as present. Return the
    largest number of people who are present in the same minute, or 0 without visits."""
    best = 0
    for minute in range(0, 31):
        here = sum(start <= minute <= end if last == "is still" else start <= minute < end for start, end in visits)
        best = max(best, here)
    return best


def load_boat(weights: list[int], *, limit: Any = (10, 12, 15)) -> int:
    """A boat carries at most two people, who together weigh at most {limit}. Every weight is between 1 and {limit}.
    Always let the heaviest person who waits go, together with the lightest one if both fit, and otherwise alone.
    Return how many trips are needed."""
    waiting, trips = sorted(weights), 0
    while waiting:
        heavy = waiting.pop()
        if waiting and waiting[0] + heavy <= limit:
            waiting.pop(0)
        trips += 1
    return trips


def reach_end(jumps: list[int], *, most: Any = (2, 3, 4)) -> bool:
    """You stand on the first number of a row. From a number you may go forward by as many places as it says or by
    fewer, but by {most} at most. Say whether you can come to the last place. In an empty row you cannot, and with
    one number you are there. All numbers are 0 or more."""
    far = 0
    for at, each in enumerate(jumps):
        if at > far:
            return False
        far = max(far, at + min(each, most))
    return len(jumps) > 0


def subset_sum(items: list[int], *, total: Any = (7, 10, 13)) -> bool:
    """Say whether some of the numbers, each used at most once, add up to exactly {total}. At least one number must
    be used. All numbers are 1 or more."""
    sums = [0]
    for each in items:
        sums += [old + each for old in sums]
    return total in sums


def longest_common(one: str, two: str, *, kind: Any = ("and also in between", "but not in between")) -> int:
    """Return the length of the longest text that can be made both from `one` and from `two` by leaving out
    characters at the beginning and at the end, {kind}."""
    table = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]
    best = 0
    for a in range(1, len(one) + 1):
        for b in range(1, len(two) + 1):
            if one[a - 1] == two[b - 1]:
                table[a][b] = table[a - 1][b - 1] + 1
            elif kind == "and also in between":
                table[a][b] = max(table[a - 1][b], table[a][b - 1])
            best = max(best, table[a][b])
    return best


def stock_profit(prices: list[int], *, fee: Any = (0, 1, 2)) -> int:
    """`prices` has the price of a thing on each day. Buy it on one day and sell it on a later day, once at most.
    Buying and selling together cost a fee of {fee}. Return the largest possible profit after the fee, or 0 if none
    is above 0."""
    best = 0
    for buy in range(len(prices)):
        for sell in range(buy + 1, len(prices)):
            best = max(best, prices[sell] - prices[buy] - fee)
    return best


def thinned_crowd(heights: list[int], *, order: Any = ("rising", "falling")) -> int:
    """Return the largest number of items that can be picked from `heights`, in their order and not necessarily next
    to each other, so that they are strictly {order}."""
    best: list[int] = []
    for at, each in enumerate(heights):
        before = [
            best[other]
            for other in range(at)
            if (heights[other] < each if order == "rising" else heights[other] > each)
        ]
        best.append(max(before, default=0) + 1)
    return max(best, default=0)


def rob_houses(gold: list[int], *, apart: Any = (2, 3)) -> int:
    """Houses stand in a row, and `gold` has what is in each of them (0 or more). Places of any two chosen houses
    must differ by {apart} or more. Return the largest sum of gold that the chosen houses can have together."""
    best: list[int] = [0]
    for at, each in enumerate(gold):
        before = best[max(at + 1 - apart, 0)]
        best.append(max(best[-1], before + each))
    return best[-1]


def matched_pairs(left: list[int], right: list[int], *, most: Any = (0, 1, 2)) -> int:
    """Match left and right gloves. A left and a right glove fit if their sizes differ by at most {most}, and every
    glove is used at most once. Sort both lists and go through them from the smallest: if the two smallest fit, they
    are a pair, and otherwise the smaller of the two is put away. Return the number of pairs."""
    a, b, pairs = sorted(left), sorted(right), 0
    while a and b:
        if abs(a[0] - b[0]) <= most:
            pairs += 1
            a.pop(0)
            b.pop(0)
        elif a[0] < b[0]:
            a.pop(0)
        else:
            b.pop(0)
    return pairs


def peel_stack(text: str, *, undo: Any = ("<", "#", "-")) -> str:
    """`text` is what somebody typed. {undo!r} is a key that removes the last character that is still there, and
    does nothing if there is none. Every other character is written. Return the text in the end."""
    out = ""
    for each in text:
        out = out[:-1] if each == undo else out + each
    return out


def history(steps: list[str], *, home: Any = ("home", "start")) -> str:
    """A browser begins at the page {home!r}. Each step is the name of a page to open, or "back" or "forward".
    "back" goes to the page before in the history and "forward" to the one after, and each does nothing if there is
    no such page. Opening a page forgets all pages after the present one. Return the present page in the end."""
    pages, at = [home], 0
    for step in steps:
        if step == "back":
            at = max(at - 1, 0)
        elif step == "forward":
            at = min(at + 1, len(pages) - 1)
        else:
            pages = [*pages[: at + 1], step]
            at += 1
    return pages[at]


def gray_neighbours(codes: list[str], *, ring: Any = ("are compared too", "are not compared")) -> bool:
    """Codes are texts of 0 and 1, all of the same length. Say whether each code differs from the next one at
    exactly one place. The last code and the first {ring}. A single code or no code gives True."""
    pairs = list(zip(codes, codes[1:]))  # noqa: B905, RUF007
    if ring == "are compared too" and len(codes) > 1:
        pairs.append((codes[-1], codes[0]))
    return all(sum(one[at] != two[at] for at in range(len(one))) == 1 for one, two in pairs)


def _places(draw: Random, count: int) -> list[list[str]]:
    return [draw.sample("abcde", 2) for _ in range(count)]


def _boss(draw: Random) -> tuple[dict[str, str], str]:
    return {each: draw.choice("abcde") for each in draw.sample("abcde", draw.randint(0, 4))}, draw.choice("abcd")


def _family(draw: Random) -> tuple[dict[str, list[str]], str]:
    names, out = list("bcdefg"), {}
    for each in "abcd":
        if draw.random() < 0.7:
            out[each] = [names.pop(0) for _ in range(draw.randint(0, 2)) if names and names[0] > each]
    return out, draw.choice("aaab")


def _spans(draw: Random) -> tuple[list[list[int]]]:
    starts = [draw.randint(0, 14) for _ in range(draw.randint(0, 6))]
    return ([[start, start + draw.randint(1, 5)] for start in starts],)


def _texts(draw: Random) -> tuple[str, str]:
    one, two = ["".join(draw.choice("abc") for _ in range(draw.randint(0, 6))) for _ in range(2)]
    return one, two


FAMILIES = {
    "algorithms": [
        climbing_ways,
        fewest_coins,
        binary_steps,
        bubble_rounds,
        shortest_way,
        friend_groups,
        tree_depth,
        round_robin,
        most_meetings,
        busiest,
        load_boat,
        reach_end,
        subset_sum,
        longest_common,
        stock_profit,
        thinned_crowd,
        rob_houses,
        matched_pairs,
        peel_stack,
        history,
        gray_neighbours,
    ],
}
INPUTS = {
    "climbing_ways": lambda draw: (draw.randint(-2, 14),),
    "fewest_coins": lambda draw: (draw.randint(0, 30),),
    "binary_steps": lambda draw: (sorted(draw.sample(range(20), draw.randint(0, 9))), draw.randint(0, 19)),
    "bubble_rounds": lambda draw: (numbers(draw, 0, 6),),
    "shortest_way": lambda draw: (_places(draw, draw.randint(0, 6)), draw.choice("abc"), draw.choice("abcde")),
    "friend_groups": lambda draw: (list("abcdef")[: draw.randint(5, 6)], _places(draw, draw.randint(0, 4))),
    "tree_depth": _family,
    "round_robin": lambda draw: ({each: draw.randint(1, 7) for each in "abcde"[: draw.randint(0, 5)]},),
    "most_meetings": _spans,
    "busiest": lambda draw: (
        [[start, start + draw.randint(0, 4)] for start in [draw.randint(0, 9) for _ in range(draw.randint(0, 6))]],
    ),
    "load_boat": lambda draw: (numbers(draw, 1, 10),),
    "reach_end": lambda draw: ([draw.choice([0, 0, 0, 1, 2, 3, 5, 6]) for _ in range(draw.randint(0, 7))],),
    "subset_sum": lambda draw: (numbers(draw, 1, 9)[:5],),
    "longest_common": _texts,
    "stock_profit": lambda draw: (numbers(draw, 1, 9),),
    "thinned_crowd": lambda draw: (numbers(draw, 0, 9),),
    "rob_houses": lambda draw: (numbers(draw, 0, 9),),
    "matched_pairs": lambda draw: (numbers(draw, 1, 9), numbers(draw, 1, 9)),
    "peel_stack": lambda draw: ("".join(draw.choice("abc<<##--") for _ in range(draw.randint(0, 9))),),
    "history": lambda draw: (
        [draw.choice(["back", "back", "forward", "news", "mail", "shop"]) for _ in range(draw.randint(0, 8))],
    ),
    "gray_neighbours": lambda draw: (
        draw.choice(
            [
                ["00", "01", "11", "10"],
                ["00", "01", "11"],
                ["000", "001", "011", "111", "101"],
                [],
                ["01"],
                ["01", "01"],
                ["0", "1"],
                ["".join(draw.choice("01") for _ in range(2)) for _ in range(draw.randint(1, 4))],
            ]
        ),
    ),
}
