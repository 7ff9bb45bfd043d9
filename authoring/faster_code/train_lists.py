"""Slow code over lists, to train on."""

from authoring.faster_code.kinds import Kind

_NUMBERS = """def make(random, size):
    return [[random.randrange(size + 3) for _ in range(size)]]
"""
_SIGNED = """def make(random, size):
    return [[random.randrange(-50, 50) for _ in range(size)]]
"""

KINDS = [
    Kind(
        "common",
        "membership",
        "the items of the first list that also are in the second list, in order",
        ("common_items", "shared", "overlap", "in_both"),
        (("first", "second"), ("left", "right"), ("xs", "ys")),
        """def $f($a, $b):
    result = []
    for item in $a:
        if item in $b:
            result.append(item)
    return result
""",
        """def $f($a, $b):
    known = set($b)
    return [item for item in $a if item in known]
""",
        """def make(random, size):
    wide = 3 * size + 3
    return [[random.randrange(wide) for _ in range(size)], [random.randrange(wide) for _ in range(size)]]
""",
        (700, 900, 1000),
        ("def $f($a, $b):\n    return sorted(set($a) & set($b))\n",),
        edges=("[[], []]", "[[1, 1, 2], [1]]", "[[3, 1, 3], [3, 1]]"),
    ),
    Kind(
        "absent",
        "membership",
        "the items of the first list that are not in the second list, in order",
        ("without", "not_in_other", "leftover", "only_first"),
        (("items", "removed"), ("rows", "blocked"), ("a", "b")),
        """def $f($a, $b):
    kept = []
    for item in $a:
        found = False
        for other in $b:
            if other == item:
                found = True
        if not found:
            kept.append(item)
    return kept
""",
        """def $f($a, $b):
    known = set($b)
    return [item for item in $a if item not in known]
""",
        """def make(random, size):
    wide = 2 * size + 3
    return [[random.randrange(wide) for _ in range(size)], [random.randrange(wide) for _ in range(size)]]
""",
        (600, 650, 700),
        ("def $f($a, $b):\n    return list(set($a) - set($b))\n",),
        edges=("[[], []]", "[[5, 5, 2], [2]]", "[[9, 1, 9, 4], []]"),
    ),
    Kind(
        "distinct",
        "membership",
        "the list without repeated items, each at its first place",
        ("distinct", "without_repeats", "unique_in_order", "drop_copies"),
        (("items",), ("values",), ("names",)),
        """def $f($a):
    result = []
    for item in $a:
        if item not in result:
            result.append(item)
    return result
""",
        "def $f($a):\n    return list(dict.fromkeys($a))\n",
        """def make(random, size):
    return [[random.randrange(2 * size + 2) for _ in range(size)]]
""",
        (1300, 1400, 1500),
        ("def $f($a):\n    return sorted(set($a))\n",),
        edges=("[[]]", "[[3, 1, 3, 2, 1]]", "[[2, 1]]"),
    ),
    Kind(
        "first_repeat",
        "membership",
        "the first item that was there before, or None",
        ("first_repeat", "first_seen_twice", "earliest_copy"),
        (("items",), ("values",), ("codes",)),
        """def $f($a):
    for i in range(len($a)):
        for j in range(i):
            if $a[j] == $a[i]:
                return $a[i]
    return None
""",
        """def $f($a):
    seen = set()
    for item in $a:
        if item in seen:
            return item
        seen.add(item)
    return None
""",
        """def make(random, size):
    items = random.sample(range(10 * size + 10), size)
    if size > 2 and size % 3:
        items[-1] = items[random.randrange(size - 1)]
    return [items]
""",
        (500, 700, 800),
        (
            "def $f($a):\n    for item in $a:\n        if $a.count(item) > 1:\n            return item\n    return None\n",
            "def $f($a):\n    return None\n",
        ),
        edges=("[[]]", "[[1, 2, 2, 1]]", "[[7, 7]]", "[[4, 5, 6]]"),
    ),
    Kind(
        "counts",
        "counting",
        "how often each item is in the list, as a dict",
        ("counts", "frequencies", "tally", "how_often"),
        (("items",), ("votes",), ("numbers",)),
        """def $f($a):
    result = {}
    for item in $a:
        result[item] = $a.count(item)
    return result
""",
        """def $f($a):
    result = {}
    for item in $a:
        result[item] = result.get(item, 0) + 1
    return result
""",
        _NUMBERS,
        (900, 1000, 1100),
        ("def $f($a):\n    return {item: 1 for item in $a}\n",),
        edges=("[[]]", "[[2, 2, 1]]"),
    ),
    Kind(
        "prefix_sums",
        "sums",
        "the sum of each beginning of the list",
        ("running_totals", "prefix_sums", "balances", "sums_so_far"),
        (("values",), ("numbers",), ("amounts",)),
        """def $f($a):
    totals = []
    for i in range(len($a)):
        totals.append(sum($a[:i + 1]))
    return totals
""",
        """def $f($a):
    totals = []
    total = 0
    for value in $a:
        total += value
        totals.append(total)
    return totals
""",
        _SIGNED,
        (1600, 1800, 2000),
        ("def $f($a):\n    return [i * value for i, value in enumerate($a)]\n",),
        edges=("[[]]", "[[5]]", "[[1, -1, 2]]"),
    ),
    Kind(
        "window_sums",
        "sums",
        "the sum of every window of the given width",
        ("window_sums", "moving_sums", "sums_of_windows"),
        (("values", "width"), ("numbers", "size"), ("daily", "days")),
        """def $f($a, $b):
    result = []
    for start in range(len($a) - $b + 1):
        total = 0
        for i in range(start, start + $b):
            total += $a[i]
        result.append(total)
    return result
""",
        """def $f($a, $b):
    if $b > len($a):
        return []
    total = sum($a[:$b])
    result = [total]
    for i in range($b, len($a)):
        total += $a[i] - $a[i - $b]
        result.append(total)
    return result
""",
        """def make(random, size):
    return [[random.randrange(-50, 50) for _ in range(size)], max(1, size // 4)]
""",
        (900, 1000, 1100),
        ("def $f($a, $b):\n    return [sum($a[:$b])] * (len($a) - $b + 1)\n",),
        edges=("[[1, 2], 3]", "[[4, 5, 6], 3]", "[[4, 5, 6], 1]"),
    ),
    Kind(
        "pairs_with_sum",
        "pairs",
        "how many pairs of two different places add up to the target",
        ("pairs_with_sum", "count_pairs", "matching_pairs"),
        (("numbers", "target"), ("values", "goal"), ("xs", "total")),
        """def $f($a, $b):
    count = 0
    for i in range(len($a)):
        for j in range(i + 1, len($a)):
            if $a[i] + $a[j] == $b:
                count += 1
    return count
""",
        """def $f($a, $b):
    seen = {}
    count = 0
    for number in $a:
        count += seen.get($b - number, 0)
        seen[number] = seen.get(number, 0) + 1
    return count
""",
        """def make(random, size):
    return [[random.randrange(size + 3) for _ in range(size)], random.randrange(size // 2 + 1, size + 4)]
""",
        (450, 550, 650),
        ("def $f($a, $b):\n    known = set($a)\n    return sum($b - n in known for n in $a) // 2\n",),
        edges=("[[], 4]", "[[2, 2, 2], 4]", "[[1, 3, 2], 4]"),
    ),
    Kind(
        "best_stretch",
        "sums",
        "the largest sum of neighbouring numbers, at least one of them",
        ("best_stretch", "largest_run", "top_segment"),
        (("numbers",), ("changes",), ("values",)),
        """def $f($a):
    best = $a[0]
    for i in range(len($a)):
        total = 0
        for j in range(i, len($a)):
            total += $a[j]
            if total > best:
                best = total
    return best
""",
        """def $f($a):
    best = current = $a[0]
    for number in $a[1:]:
        current = max(number, current + number)
        best = max(best, current)
    return best
""",
        """def make(random, size):
    return [[random.randrange(-50, 50) for _ in range(max(1, size))]]
""",
        (450, 550, 650),
        ("def $f($a):\n    return sum(n for n in $a if n > 0)\n",),
        edges=("[[-3, -1, -2]]", "[[4]]", "[[2, -9, 3, 4]]"),
    ),
    Kind(
        "waiting_line",
        "queues",
        "the order in which people leave a line where everyone who is not done goes to the end",
        ("leaving_order", "served_order", "finish_order"),
        (("needs",), ("turns",), ("rounds",)),
        """def $f($a):
    line = [[i, need] for i, need in enumerate($a)]
    order = []
    while line:
        person = line[0]
        line = line[1:]
        if person[1] > $k:
            line.append([person[0], person[1] - $k])
        else:
            order.append(person[0])
    return order
""",
        """from collections import deque

def $f($a):
    line = deque(enumerate($a))
    order = []
    while line:
        i, need = line.popleft()
        if need > $k:
            line.append((i, need - $k))
        else:
            order.append(i)
    return order
""",
        """def make(random, size):
    return [[random.randrange(1, 8) for _ in range(size)]]
""",
        (2800, 3000, 3200),
        ("def $f($a):\n    return sorted(range(len($a)), key=lambda i: ($a[i], -i))\n",),
        constants=(1, 2),
        edges=("[[]]", "[[3, 1, 2]]", "[[5, 5, 1, 4]]"),
    ),
    Kind(
        "merge_costs",
        "sorting",
        "the cost of joining the two smallest piles again and again until one is left",
        ("joining_cost", "merge_cost", "total_effort"),
        (("piles",), ("weights",), ("sizes",)),
        """def $f($a):
    piles = list($a)
    cost = 0
    while len(piles) > 1:
        piles = sorted(piles, reverse=True)
        piles = sorted(piles)
        joined = piles[0] + piles[1]
        cost += joined
        piles = piles[2:] + [joined]
    return cost
""",
        """import heapq

def $f($a):
    piles = list($a)
    heapq.heapify(piles)
    cost = 0
    while len(piles) > 1:
        joined = heapq.heappop(piles) + heapq.heappop(piles)
        cost += joined
        heapq.heappush(piles, joined)
    return cost
""",
        """def make(random, size):
    return [[random.randrange(1, 10**6) for _ in range(size)]]
""",
        (1000, 1100, 1200),
        (
            "def $f($a):\n    piles = sorted($a)\n    cost = total = 0\n    for i, pile in enumerate(piles):\n"
            "        total += pile\n        cost += total if i else 0\n    return cost\n",
        ),
        edges=("[[]]", "[[4]]", "[[5, 5, 1, 4, 9, 9, 9]]"),
    ),
    Kind(
        "drop_all",
        "copies",
        "the list without the numbers that the constant divides",
        ("drop_multiples", "without_multiples", "filter_out"),
        (("numbers",), ("values",), ("ids",)),
        """def $f($a):
    kept = list($a)
    i = 0
    while i < len(kept):
        if kept[i] % $k == 0:
            kept = kept[:i] + kept[i + 1:]
        else:
            i += 1
    return kept
""",
        "def $f($a):\n    return [number for number in $a if number % $k != 0]\n",
        """def make(random, size):
    return [[random.randrange(1000) for _ in range(size)]]
""",
        (4000, 4500, 5000),
        (
            "def $f($a):\n    return [number for number in $a if number % $k == 0]\n",
            "def $f($a):\n    return sorted(set(number for number in $a if number % $k != 0))\n",
        ),
        constants=(2, 3),
        edges=("[[]]", "[[6, 6, 5]]", "[[7, 0, 7]]"),
    ),
    Kind(
        "smaller_queries",
        "searching",
        "for each query, how many numbers of the sorted list are smaller",
        ("smaller_counts", "how_many_below", "positions"),
        (("ordered", "queries"), ("levels", "asked"), ("marks", "limits")),
        """def $f($a, $b):
    result = []
    for query in $b:
        count = 0
        for number in $a:
            if number < query:
                count += 1
        result.append(count)
    return result
""",
        """from bisect import bisect_left

def $f($a, $b):
    return [bisect_left($a, query) for query in $b]
""",
        """def make(random, size):
    wide = 2 * size + 3
    return [sorted(random.randrange(wide) for _ in range(size)), [random.randrange(wide) for _ in range(size)]]
""",
        (500, 600, 700),
        ("from bisect import bisect_right\n\ndef $f($a, $b):\n    return [bisect_right($a, query) for query in $b]\n",),
        edges=("[[], [1]]", "[[1, 1, 2], [1, 2, 3]]", "[[4], []]"),
    ),
    Kind(
        "next_larger",
        "searching",
        "for each number, the next larger one to its right, or -1",
        ("next_larger", "following_peak", "next_higher"),
        (("heights",), ("numbers",), ("prices",)),
        """def $f($a):
    result = []
    for i in range(len($a)):
        found = -1
        for j in range(len($a) - 1, i, -1):
            if $a[j] > $a[i]:
                found = $a[j]
        result.append(found)
    return result
""",
        """def $f($a):
    result = [-1] * len($a)
    waiting = []
    for i, number in enumerate($a):
        while waiting and $a[waiting[-1]] < number:
            result[waiting.pop()] = number
        waiting.append(i)
    return result
""",
        _NUMBERS,
        (700, 750, 800),
        ("def $f($a):\n    return [b if b > a else -1 for a, b in zip($a, $a[1:] + [-1])]\n",),
        edges=("[[]]", "[[3, 1, 2, 4]]", "[[2, 2, 3]]"),
    ),
]
