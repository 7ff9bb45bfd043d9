"""Slow code over texts, tables and numbers, to train on."""

from authoring.faster_code.kinds import Kind

_WORDS = """def make(random, size):
    return [[''.join(random.choice('abcd') for _ in range(random.randrange(3, 8))) for _ in range(size)]]
"""
_ONE = """def make(random, size):
    return [random.randrange(size, size + size // 8 + 2)]
"""

KINDS = [
    Kind(
        "mirrored",
        "texts",
        "the text backwards, without the blanks",
        ("mirrored", "backwards", "turned_around"),
        (("text",), ("line",), ("message",)),
        """def $f($a):
    result = ""
    for letter in $a:
        if letter != " ":
            result = letter + result
    return result
""",
        """def $f($a):
    return $a[::-1].replace(" ", "")
""",
        """def make(random, size):
    return [''.join(random.choice('abcdefg ') for _ in range(size))]
""",
        (26000, 28000, 30000),
        ("def $f($a):\n    return $a[::-1]\n",),
        edges=("['']", "['a b']", "[' x']"),
    ),
    Kind(
        "anagrams",
        "texts",
        "how many words there are in the largest group of anagrams",
        ("largest_anagram_group", "most_anagrams", "biggest_group"),
        (("words",), ("terms",), ("entries",)),
        """def $f($a):
    best = 0
    for word in $a:
        count = 0
        for other in $a:
            if len(other) == len(word) and sorted(other) == sorted(word):
                count += 1
        best = max(best, count)
    return best
""",
        """def $f($a):
    groups = {}
    for word in $a:
        key = "".join(sorted(word))
        groups[key] = groups.get(key, 0) + 1
    return max(groups.values(), default=0)
""",
        _WORDS,
        (200, 250, 300),
        (
            "def $f($a):\n    groups = {}\n    for word in $a:\n        key = ''.join(sorted(set(word)))\n"
            "        groups[key] = groups.get(key, 0) + 1\n    return max(groups.values(), default=0)\n",
        ),
        edges=("[[]]", "[['ab', 'ba', 'abb']]", "[['a', 'a']]"),
    ),
    Kind(
        "word_counts",
        "counting",
        "how often each word is in the text, as a dict",
        ("word_counts", "words_by_count", "count_words"),
        (("text",), ("report",), ("lines",)),
        """def $f($a):
    result = {}
    for word in $a.split():
        count = 0
        for other in $a.split():
            if other == word:
                count += 1
        result[word] = count
    return result
""",
        """def $f($a):
    result = {}
    for word in $a.split():
        result[word] = result.get(word, 0) + 1
    return result
""",
        """def make(random, size):
    return [' '.join(''.join(random.choice('abc') for _ in range(random.randrange(1, 6))) for _ in range(size))]
""",
        (450, 550, 650),
        ("def $f($a):\n    return {word: $a.count(word) for word in set($a.split())}\n",),
        edges=("['']", "['a aa a']", "['  b ']"),
    ),
    Kind(
        "customer_names",
        "tables",
        "the name of the customer of each order, or an empty text",
        ("names_of_orders", "buyers", "who_ordered"),
        (("orders", "customers"), ("sales", "people"), ("rows", "members")),
        """def $f($a, $b):
    result = []
    for order in $a:
        name = ""
        for customer in $b:
            if customer["id"] == order["customer"]:
                name = customer["name"]
        result.append(name)
    return result
""",
        """def $f($a, $b):
    names = {customer["id"]: customer["name"] for customer in $b}
    return [names.get(order["customer"], "") for order in $a]
""",
        """def make(random, size):
    ids = random.sample(range(3 * size + 3), size)
    people = [{"id": i, "name": f"n{random.randrange(10**6)}"} for i in ids]
    return [[{"customer": random.randrange(3 * size + 3)} for _ in range(size)], people]
""",
        (400, 500, 600),
        (
            "def $f($a, $b):\n    names = {customer['id']: customer['name'] for customer in $b}\n"
            "    return [names[order['customer']] for order in $a if order['customer'] in names]\n",
        ),
        edges=("[[], []]", "[[{'customer': 1}], [{'id': 1, 'name': 'x'}, {'id': 1, 'name': 'y'}]]"),
    ),
    Kind(
        "cell_sums",
        "tables",
        "for each cell, the sum of its row and of its column",
        ("cross_sums", "row_plus_column", "cell_totals"),
        (("table",), ("grid",), ("matrix",)),
        """def $f($a):
    result = []
    for i in range(len($a)):
        line = []
        for j in range(len($a[i])):
            total = 0
            for value in $a[i]:
                total += value
            for row in $a:
                total += row[j]
            line.append(total)
        result.append(line)
    return result
""",
        """def $f($a):
    rows = [sum(row) for row in $a]
    columns = [sum(column) for column in zip(*$a)]
    return [[row + column for column in columns] for row in rows]
""",
        """def make(random, size):
    return [[[random.randrange(100) for _ in range(size + 1)] for _ in range(size)]]
""",
        (84, 87, 90),
        ("def $f($a):\n    return [[sum(row)] * len(row) for row in $a]\n",),
        edges=("[[]]", "[[[1, 2], [3, 4]]]"),
    ),
    Kind(
        "steps",
        "recursion",
        "in how many ways steps of one or two lead to the top, starting with the given two counts",
        ("ways_up", "count_paths_up", "climbs"),
        (("steps", "one", "two"), ("n", "first", "second")),
        """def $f($a, $b, $c):
    if $a == 0:
        return $b
    if $a == 1:
        return $c
    return $f($a - 1, $b, $c) + $f($a - 2, $b, $c)
""",
        """def $f($a, $b, $c):
    for _ in range($a):
        $b, $c = $c, $b + $c
    return $b
""",
        """def make(random, size):
    return [size + random.randrange(2), random.randrange(1, 99), random.randrange(1, 99)]
""",
        (21, 22, 23),
        ("def $f($a, $b, $c):\n    return $b + $a * $c\n",),
        edges=("[0, 3, 4]", "[1, 3, 4]", "[2, 3, 4]", "[9, 1, 1]"),
    ),
    Kind(
        "three_back",
        "recursion",
        "the term of a sequence in which each term is the sum of the three before, modulo the constant",
        ("term", "sequence_term", "value_at"),
        (("n", "start"), ("index", "seed")),
        """def $f($a, $b):
    if $a < 3:
        return ($b + $a) % $k
    return ($f($a - 1, $b) + $f($a - 2, $b) + $f($a - 3, $b)) % $k
""",
        """def $f($a, $b):
    terms = [$b % $k, ($b + 1) % $k, ($b + 2) % $k]
    for i in range(3, $a + 1):
        terms.append((terms[-1] + terms[-2] + terms[-3]) % $k)
    return terms[$a]
""",
        """def make(random, size):
    return [size + random.randrange(2), random.randrange(1, 999)]
""",
        (17, 18, 19),
        ("def $f($a, $b):\n    return ($a + $b) % $k\n",),
        constants=(1009, 9973, 10007),
        edges=("[0, 3]", "[2, 3]", "[3, 3]", "[7, 1]"),
    ),
    Kind(
        "multiples_sum",
        "formulas",
        "the sum of the numbers from 1 to the limit that the constant divides",
        ("sum_of_multiples", "multiples_total", "add_multiples"),
        (("limit",), ("n",), ("highest",)),
        """def $f($a):
    total = 0
    for number in range(1, $a + 1):
        if number % $k == 0:
            total += number
    return total
""",
        """def $f($a):
    count = $a // $k
    return $k * count * (count + 1) // 2
""",
        _ONE,
        (120_000, 140_000, 160_000),
        ("def $f($a):\n    return $a * ($a + 1) // 2 // $k\n",),
        constants=(3, 4, 5, 6),
        edges=("[0]", "[3]", "[10]", "[12]"),
    ),
    Kind(
        "squares_sum",
        "formulas",
        "the sum of the squares from 1 to the limit, plus the constant",
        ("sum_of_squares", "squares_total", "add_squares"),
        (("limit",), ("n",), ("last",)),
        """def $f($a):
    total = $k
    for number in range(1, $a + 1):
        total = total + number * number
    return total
""",
        "def $f($a):\n    return $k + $a * ($a + 1) * (2 * $a + 1) // 6\n",
        _ONE,
        (120_000, 140_000, 160_000),
        ("def $f($a):\n    return $k + ($a * ($a + 1) // 2) ** 2\n",),
        constants=(0, 1, 7),
        edges=("[0]", "[1]", "[5]"),
    ),
    Kind(
        "primes",
        "numbers",
        "the prime numbers below the limit",
        ("primes_below", "list_primes", "small_primes"),
        (("limit",), ("n",), ("bound",)),
        """def $f($a):
    primes = []
    for number in range(2, $a):
        divisors = 0
        for candidate in range(2, number):
            if number % candidate == 0:
                divisors += 1
                break
        if divisors == 0:
            primes.append(number)
    return primes
""",
        """def $f($a):
    sieve = [True] * max($a, 2)
    for number in range(2, int($a ** 0.5) + 1):
        if sieve[number]:
            for multiple in range(number * number, $a, number):
                sieve[multiple] = False
    return [number for number in range(2, $a) if sieve[number]]
""",
        _ONE,
        (1000, 1300, 1500),
        ("def $f($a):\n    return [n for n in range(2, $a) if n < 4 or n % 2 and n % 3]\n",),
        edges=("[0]", "[2]", "[3]", "[30]", "[50]"),
    ),
    Kind(
        "divisors",
        "numbers",
        "the number of divisors",
        ("count_divisors", "divisor_count", "num_divisors"),
        (("number",), ("n",), ("value",)),
        """def $f($a):
    count = 0
    for candidate in range(1, $a + 1):
        if $a % candidate == 0:
            count += 1
    return count
""",
        """def $f($a):
    count = 0
    candidate = 1
    while candidate * candidate < $a:
        if $a % candidate == 0:
            count += 2
        candidate += 1
    if candidate * candidate == $a:
        count += 1
    return count
""",
        """def make(random, size):
    return [12 * random.randrange(size, size + size // 8 + 2)]
""",
        (10_000, 11_000, 12_000),
        ("def $f($a):\n    return 2 * sum($a % c == 0 for c in range(1, int($a ** 0.5) + 1))\n",),
        edges=("[1]", "[9]", "[12]", "[7]"),
    ),
    Kind(
        "largest_common_divisor",
        "numbers",
        "the largest number that divides both",
        ("common_divisor", "largest_divisor", "shared_divisor"),
        (("a", "b"), ("first", "second"), ("m", "n")),
        """def $f($a, $b):
    best = 1
    for candidate in range(1, min($a, $b) + 1):
        if $a % candidate == 0 and $b % candidate == 0:
            best = candidate
    return best
""",
        """def $f($a, $b):
    while $b:
        $a, $b = $b, $a % $b
    return $a
""",
        """def make(random, size):
    shared = random.randrange(2, 9)
    return [shared * random.randrange(size, size + size // 8 + 2), shared * random.randrange(size, size + size // 8 + 2)]
""",
        (30_000, 32_000, 34_000),
        ("def $f($a, $b):\n    return min($a, $b) if max($a, $b) % min($a, $b) == 0 else 1\n",),
        edges=("[1, 5]", "[12, 18]", "[7, 7]", "[100, 75]"),
    ),
]
