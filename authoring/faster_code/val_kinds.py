"""Slow code that is held out: other kinds, names and values."""

from authoring.faster_code.kinds import Kind

KINDS = [
    Kind(
        "ranks",
        "sorting",
        "for each score, one more than the number of higher scores",
        ("standings", "ranks"),
        (("scores",), ("points",)),
        """def $f($a):
    places = []
    for mine in $a:
        better = 0
        for theirs in $a:
            if theirs > mine:
                better += 1
        places.append(better + 1)
    return places
""",
        """def $f($a):
    place = {}
    for i, score in enumerate(sorted($a, reverse=True)):
        place.setdefault(score, i + 1)
    return [place[score] for score in $a]
""",
        """def make(random, size):
    return [[random.randrange(size + 2) for _ in range(size)]]
""",
        (500, 600, 650),
        (
            "def $f($a):\n    place = {score: i + 1 for i, score in enumerate(sorted($a, reverse=True))}\n"
            "    return [place[score] for score in $a]\n",
        ),
        edges=("[[]]", "[[5, 5, 1]]", "[[1, 2, 3]]"),
    ),
    Kind(
        "closest_gap",
        "sorting",
        "the smallest distance between two of the positions",
        ("closest_gap", "tightest_spacing"),
        (("positions",), ("places",)),
        """def $f($a):
    smallest = None
    for i in range(len($a)):
        for j in range(len($a)):
            if i != j:
                gap = abs($a[i] - $a[j])
                if smallest is None or gap < smallest:
                    smallest = gap
    return smallest
""",
        """def $f($a):
    ordered = sorted($a)
    return min(b - a for a, b in zip(ordered, ordered[1:]))
""",
        """def make(random, size):
    return [[random.randrange(size ** 3 + 9) for _ in range(max(2, size))]]
""",
        (300, 350, 400),
        ("def $f($a):\n    return min(abs(b - a) for a, b in zip($a, $a[1:]))\n",),
        edges=("[[4, 4]]", "[[9, 1, 4]]"),
    ),
    Kind(
        "joined_lists",
        "copies",
        "all lists joined into one",
        ("chained", "all_rows"),
        (("batches",), ("pages",)),
        """def $f($a):
    whole = []
    for part in $a:
        whole = whole + part
    return whole
""",
        "def $f($a):\n    return [item for part in $a for item in part]\n",
        """def make(random, size):
    return [[[random.randrange(100) for _ in range(random.randrange(3))] for _ in range(size)]]
""",
        (5500, 6000, 6500),
        ("def $f($a):\n    return sorted(item for part in $a for item in part)\n",),
        edges=("[[]]", "[[[], [2], [1, 2]]]"),
    ),
    Kind(
        "shop_totals",
        "tables",
        "the total amount of each shop, as a dict",
        ("totals_by_shop", "income"),
        (("sales",), ("entries",)),
        """def $f($a):
    totals = {}
    for sale in $a:
        amount = 0
        for other in $a:
            if other["shop"] == sale["shop"]:
                amount += other["amount"]
        totals[sale["shop"]] = amount
    return totals
""",
        """def $f($a):
    totals = {}
    for sale in $a:
        totals[sale["shop"]] = totals.get(sale["shop"], 0) + sale["amount"]
    return totals
""",
        """def make(random, size):
    return [[{"shop": f"s{random.randrange(size // 2 + 2)}", "amount": random.randrange(-9, 99)} for _ in range(size)]]
""",
        (400, 450, 500),
        ("def $f($a):\n    return {sale['shop']: sale['amount'] for sale in $a}\n",),
        edges=("[[]]", "[[{'shop': 'x', 'amount': 2}, {'shop': 'x', 'amount': -2}]]"),
    ),
    Kind(
        "longest_chain",
        "membership",
        "how many whole numbers follow each other without a gap, at most",
        ("longest_chain", "most_in_a_row"),
        (("tickets",), ("days",)),
        """def $f($a):
    longest = 0
    for start in $a:
        length = 1
        while start + length in $a:
            length += 1
        longest = max(longest, length)
    return longest
""",
        """def $f($a):
    known = set($a)
    longest = 0
    for start in known:
        if start - 1 not in known:
            length = 1
            while start + length in known:
                length += 1
            longest = max(longest, length)
    return longest
""",
        """def make(random, size):
    return [[random.randrange(3 * size // 2 + 3) for _ in range(size)]]
""",
        (550, 600, 650),
        ("def $f($a):\n    return len(set($a))\n",),
        edges=("[[]]", "[[4, 2, 3, 9, 3]]", "[[1, 3, 5]]"),
    ),
    Kind(
        "best_profit",
        "pairs",
        "the highest gain from buying on one day and selling on a later one, or 0",
        ("best_profit", "highest_gain"),
        (("quotes",), ("rates",)),
        """def $f($a):
    best = 0
    for buy in range(len($a)):
        for sell in range(buy + 1, len($a)):
            gain = $a[sell] - $a[buy]
            if gain > best:
                best = gain
    return best
""",
        """def $f($a):
    best = 0
    lowest = None
    for quote in $a:
        if lowest is None or quote < lowest:
            lowest = quote
        best = max(best, quote - lowest)
    return best
""",
        """def make(random, size):
    return [[random.randrange(10**5) for _ in range(size)]]
""",
        (450, 550, 650),
        ("def $f($a):\n    return max($a) - min($a) if $a else 0\n",),
        edges=("[[]]", "[[9, 4, 1]]", "[[7, 1, 5]]"),
    ),
    Kind(
        "power_rest",
        "numbers",
        "the rest of a power after division by the constant",
        ("power_rest", "clock_power"),
        (("base", "exponent"), ("factor", "repeats")),
        """def $f($a, $b):
    rest = 1
    for _ in range($b):
        rest = rest * $a % $k
    return rest
""",
        "def $f($a, $b):\n    return pow($a, $b, $k)\n",
        """def make(random, size):
    return [random.randrange(2, 10**6), random.randrange(size, size + size // 8 + 2)]
""",
        (150_000, 170_000, 190_000),
        ("def $f($a, $b):\n    return $a * $b % $k\n",),
        constants=(8191, 12289, 65537),
        edges=("[5, 0]", "[5, 1]", "[3, 20]"),
    ),
    Kind(
        "grid_routes",
        "recursion",
        "the number of routes through a grid that only go right or down, times a toll",
        ("routes", "delivery_routes"),
        (("rows", "columns", "toll"), ("down", "across", "fee")),
        """def $f($a, $b, $c):
    if $a == 0 or $b == 0:
        return $c
    return $f($a - 1, $b, $c) + $f($a, $b - 1, $c)
""",
        """from math import comb

def $f($a, $b, $c):
    return $c * comb($a + $b, $a)
""",
        """def make(random, size):
    return [size // 2 + 1, size - size // 2, random.randrange(1, 500)]
""",
        (16, 17, 18),
        ("def $f($a, $b, $c):\n    return $c * 2 ** ($a + $b) // 2\n",),
        edges=("[0, 4, 3]", "[2, 2, 1]", "[3, 1, 5]"),
    ),
    Kind(
        "first_positions",
        "searching",
        "for each wanted code, its first position in the list, or -1",
        ("first_positions", "shelf_numbers"),
        (("shelf", "wanted"), ("catalogue", "requested")),
        """def $f($a, $b):
    found = []
    for code in $b:
        position = -1
        if code in $a:
            position = $a.index(code)
        found.append(position)
    return found
""",
        """def $f($a, $b):
    first = {}
    for position, code in enumerate($a):
        first.setdefault(code, position)
    return [first.get(code, -1) for code in $b]
""",
        """def make(random, size):
    codes = [f"c{random.randrange(2 * size + 2)}" for _ in range(size)]
    return [codes, [f"c{random.randrange(2 * size + 2)}" for _ in range(size)]]
""",
        (750, 800, 850),
        (
            "def $f($a, $b):\n    at = {code: i for i, code in enumerate($a)}\n    return [at.get(code, -1) for code in $b]\n",
        ),
        edges=("[[], ['a']]", "[['a', 'b', 'a'], ['a', 'c']]"),
    ),
    Kind(
        "cheapest",
        "sorting",
        "the cheapest offers in rising order, as many as asked for",
        ("cheapest", "lowest_offers"),
        (("offers", "count"), ("bids", "places")),
        """def $f($a, $b):
    left = list($a)
    chosen = []
    while left and len(chosen) < $b:
        smallest = left[0]
        for offer in left:
            if offer < smallest:
                smallest = offer
        left.remove(smallest)
        chosen.append(smallest)
    return chosen
""",
        "def $f($a, $b):\n    return sorted($a)[:$b]\n",
        """def make(random, size):
    return [[random.randrange(5 * size + 5) for _ in range(size)], size // 2 + 1]
""",
        (900, 950, 1000),
        ("def $f($a, $b):\n    return sorted(set($a))[:$b]\n",),
        edges=("[[], 3]", "[[2, 2, 1], 2]", "[[3, 1], 0]"),
    ),
    Kind(
        "span_sums",
        "sums",
        "the sum of the amounts between the two ends of each span, without the second end",
        ("span_sums", "period_sums"),
        (("amounts", "spans"), ("rainfall", "periods")),
        """def $f($a, $b):
    sums = []
    for start, end in $b:
        part = 0
        for i in range(start, end):
            part += $a[i]
        sums.append(part)
    return sums
""",
        """def $f($a, $b):
    until = [0]
    for amount in $a:
        until.append(until[-1] + amount)
    return [until[end] - until[start] for start, end in $b]
""",
        """def make(random, size):
    spans = [sorted((random.randrange(size + 1), random.randrange(size + 1))) for _ in range(size)]
    return [[random.randrange(-9, 60) for _ in range(size)], spans]
""",
        (900, 1000, 1100),
        (
            "def $f($a, $b):\n    until = [0]\n    for amount in $a:\n        until.append(until[-1] + amount)\n"
            "    return [until[-1] for start, end in $b]\n",
        ),
        edges=("[[4, 5], [[0, 0], [0, 2], [1, 2]]]",),
    ),
    Kind(
        "free_numbers",
        "membership",
        "the numbers from 1 to the highest one that nobody has taken",
        ("free_numbers", "gaps_left"),
        (("taken",), ("booked",)),
        """def $f($a):
    free = []
    if not $a:
        return free
    for number in range(1, max($a)):
        if $a.count(number) == 0:
            free.append(number)
    return free
""",
        """def $f($a):
    used = set($a)
    return [number for number in range(1, max($a, default=1)) if number not in used]
""",
        """def make(random, size):
    return [[random.randrange(1, 2 * size + 3) for _ in range(size)]]
""",
        (550, 650, 700),
        ("def $f($a):\n    used = set($a)\n    return [n for n in range(1, len($a)) if n not in used]\n",),
        edges=("[[]]", "[[3, 1, 5]]", "[[2]]"),
    ),
]
