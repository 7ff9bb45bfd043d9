"""Repositories to learn from: shops, stocks and accounts."""

from authoring.code_repair.repositories import Bug, Repository

TILLS = Repository(
    "tills",
    "Prices at the till: lines, discounts, receipts. Amounts are whole cents.",
    {
        "prices": '''PRICES = {"apple": 40, "bread": 250, "candle": 399, "dates": 120}


def price_of(thing):
    """In cents; a thing that is not sold is a KeyError."""
    return PRICES[thing.lower()]


def line_total(thing, count):
    """What `count` of a thing cost; every fourth one is free."""
    return price_of(thing) * (count - count // 4)
''',
        "discounts": '''def percent_off(amount, percent):
    """The amount less so many percent, rounded to the nearest cent, half a cent up."""
    return (amount * (100 - percent) + 50) // 100


def best_offer(amount, member):
    """Members get 10 percent off, and everybody 5 percent from 2000 cents on; only the better one counts."""
    percent = 5 if amount >= 2000 else 0
    if member:
        percent = max(percent, 10)
    return percent_off(amount, percent)
''',
        "receipts": '''from tills.discounts import best_offer
from tills.prices import line_total


def money(cents):
    """As text: 1205 is "12.05"."""
    return f"{cents // 100}.{cents % 100:02}"


def receipt(cart, member=False):
    """A line for each thing in alphabetical order, then the total after discounts."""
    lines = [f"{thing} x{cart[thing]} {money(line_total(thing, cart[thing]))}" for thing in sorted(cart)]
    total = sum(line_total(thing, count) for thing, count in cart.items())
    return [*lines, f"total {money(best_offer(total, member))}"]
''',
    },
    {
        "prices": ['price_of("Bread")', 'line_total("apple", 3)', 'line_total("apple", 4)', 'line_total("dates", 9)'],
        "discounts": [
            "percent_off(1000, 10)",
            "percent_off(45, 10)",
            "best_offer(1999, False)",
            "best_offer(2000, False)",
            "best_offer(3000, True)",
        ],
        "receipts": ["money(1205)", "money(7)", 'receipt({"bread": 1, "apple": 5})', 'receipt({"candle": 6}, True)'],
    },
    [
        'line_total("apple", 8)',
        'line_total("Candle", 7)',
        'price_of("DATES")',
        "percent_off(95, 10)",
        "percent_off(333, 5)",
        "percent_off(1, 51)",
        "best_offer(2500, False)",
        "best_offer(100, True)",
        "best_offer(2001, True)",
        "money(100)",
        "money(99)",
        "money(503)",
        'receipt({"dates": 1, "bread": 2, "apple": 1})',
        'receipt({"candle": 5, "bread": 4}, True)',
        "receipt({})",
    ],
    [
        Bug(
            "free",
            "tills/prices.py",
            "count - count // 4",
            "count - count % 4",
            "Four apples should cost as much as three.",
        ),
        Bug(
            "rounding",
            "tills/discounts.py",
            " + 50) // 100",
            ") // 100",
            "Discounted prices are sometimes a cent too low.",
        ),
        Bug(
            "both", "tills/discounts.py", "max(percent, 10)", "percent + 10", "Members with large carts pay too little."
        ),
        Bug(
            "cents",
            "tills/receipts.py",
            "{cents % 100:02}",
            "{cents % 100}",
            "A receipt said 12.5 where 12.05 was right.",
        ),
    ],
)

LARDER = Repository(
    "larder",
    "What is in the larder, when it goes off, and what to buy.",
    {
        "stock": '''class Stock:
    """Things with a count and the day (a number) on which they go off."""

    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    def count(self, thing):
        return sum(row[1] for row in self.rows if row[0] == thing)

    def take(self, thing, count):
        """Takes from what goes off first. Returns how many could be taken."""
        taken = 0
        for row in sorted(self.rows, key=lambda row: row[2]):
            if row[0] == thing:
                now = min(row[1], count - taken)
                row[1] -= now
                taken += now
        self.rows = [row for row in self.rows if row[1] > 0]
        return taken
''',
        "dates": '''from larder.stock import Stock


def gone_off(rows, today):
    """The things that went off before `today`, in alphabetical order, each once."""
    return sorted({thing for thing, _, day in Stock(rows).rows if day < today})


def days_left(rows, thing, today):
    """Days until the first of a thing goes off; none where there is none of it."""
    days = [day - today for name, _, day in rows if name == thing]
    return min(days) if days else None
''',
        "shopping": '''from larder.stock import Stock


def after_meal(rows, thing, count):
    """What is left after a meal, and how many were missing."""
    stock = Stock(rows)
    taken = stock.take(thing, count)
    return [stock.rows, count - taken]


def to_buy(rows, wanted, today):
    """How many of each wanted thing are missing; what has gone off does not count."""
    good = Stock([row for row in rows if row[2] >= today])
    return {thing: count - good.count(thing) for thing, count in wanted.items() if good.count(thing) < count}
''',
    },
    {
        "dates": [
            'gone_off([["milk", 1, 4], ["eggs", 6, 9], ["milk", 2, 3]], 5)',
            'gone_off([["milk", 1, 5]], 5)',
            'days_left([["milk", 1, 8], ["milk", 1, 6]], "milk", 5)',
            'days_left([["milk", 1, 8]], "tea", 5)',
        ],
        "shopping": [
            'after_meal([["eggs", 3, 9], ["eggs", 2, 4]], "eggs", 3)',
            'after_meal([["eggs", 3, 9]], "eggs", 5)',
            'after_meal([["rice", 1, 50], ["eggs", 4, 9]], "rice", 1)',
            'to_buy([["eggs", 3, 9], ["tea", 2, 90]], {"eggs": 6, "tea": 1}, 5)',
            'to_buy([["eggs", 3, 9]], {"eggs": 3, "jam": 1}, 5)',
        ],
    },
    [
        'gone_off([["b", 1, 1], ["a", 1, 1], ["c", 1, 9]], 2)',
        'gone_off([["b", 1, 2]], 2)',
        'days_left([["b", 1, 7], ["a", 1, 1], ["b", 1, 4]], "b", 2)',
        'days_left([], "b", 2)',
        'after_meal([["a", 2, 9], ["a", 2, 3], ["b", 5, 1]], "a", 3)',
        'after_meal([["a", 2, 9], ["a", 2, 3]], "a", 4)',
        'after_meal([["a", 1, 1]], "z", 2)',
        'to_buy([["a", 2, 2]], {"a": 2}, 2)',
        'to_buy([["a", 1, 9]], {"a": 2}, 2)',
        'to_buy([["a", 1, 9], ["b", 9, 9]], {"a": 4, "b": 2, "c": 3}, 2)',
        'after_meal([["a", 6, 3], ["a", 2, 9]], "a", 3)',
        'days_left([["a", 1, 7], ["b", 1, 4]], "a", 2)',
        'to_buy([["a", 2, 1]], {"a": 2}, 2)',
    ],
    [
        Bug(
            "first",
            "larder/stock.py",
            "key=lambda row: row[2]",
            "key=lambda row: -row[2]",
            "The freshest eggs are used up first.",
        ),
        Bug("too_many", "larder/stock.py", "count - taken)", "count)", "Somebody took three eggs and five were gone."),
        Bug(
            "today", "larder/dates.py", "if day < today", "if day <= today", "Milk counts as gone off on its last day."
        ),
        Bug(
            "enough",
            "larder/shopping.py",
            "good.count(thing) < count",
            "good.count(thing) <= count",
            "The list has things to buy 0 of.",
        ),
    ],
)

LEDGERS = Repository(
    "ledgers",
    "Accounts with entries, balances and interest. Amounts are whole cents, days are numbers.",
    {
        "entries": '''def parse(line):
    """A line is `day account amount`; returns day, account and amount as a list."""
    day, account, amount = line.split()
    return [int(day), account.lower(), int(amount)]


def parse_all(lines):
    """Empty lines and those that begin with # are left out; the rest is sorted by day, otherwise in order."""
    rows = [parse(line) for line in lines if line.strip() and not line.startswith("#")]
    return sorted(rows, key=lambda row: row[0])
''',
        "balances": '''from ledgers.entries import parse_all


def balance(lines, account, until=10**6):
    """Of an account at the end of the day `until`."""
    return sum(amount for day, name, amount in parse_all(lines) if name == account and day <= until)


def overdrawn(lines):
    """The accounts that were below 0 at any time, in alphabetical order."""
    now, found = {}, set()
    for _, name, amount in parse_all(lines):
        now[name] = now.get(name, 0) + amount
        if now[name] < 0:
            found.add(name)
    return sorted(found)
''',
        "interest": '''from ledgers.balances import balance


def interest(cents, percent, years):
    """What is earned in whole years: each year is rounded down, and earns interest itself."""
    earned = 0
    for _ in range(years):
        earned += (cents + earned) * percent // 100
    return earned


def statement(lines, account, percent):
    """Balance, and what it earns in one year; a debt earns nothing."""
    now = balance(lines, account)
    return [now, interest(now, percent, 1) if now > 0 else 0]
''',
    },
    {
        "entries": ['parse("3 Rent -500")', 'parse_all(["# a", "", "4 b 1", "2 a 5", "4 a 2"])'],
        "balances": [
            'balance(["1 a 500", "3 a -200", "3 b 9"], "a")',
            'balance(["1 a 500", "3 a -200"], "a", 3)',
            'overdrawn(["2 a 100", "1 a -50", "1 b 5"])',
        ],
        "interest": [
            "interest(10000, 10, 2)",
            "interest(999, 5, 1)",
            'statement(["1 a 2000"], "a", 5)',
            'statement(["1 a -9"], "a", 5)',
        ],
    },
    [
        'parse("12 SHOP 7")',
        'parse_all(["9 x 1", "#9 y 1", "   ", "8 z 2"])',
        'parse_all(["5 z 1", "5 y 2", "1 x 3"])',
        'balance(["5 a 1", "6 a 2", "7 a 4"], "a", 6)',
        'balance([], "a")',
        'overdrawn(["3 b 10", "2 b -10", "1 a 10", "4 a -10"])',
        'overdrawn(["1 c -1", "2 c 5"])',
        "interest(1000, 10, 3)",
        "interest(105, 10, 2)",
        "interest(50, 1, 4)",
        'statement(["1 a 1", "2 A 399"], "a", 10)',
        'statement(["1 a -300"], "a", 10)',
        'balance(["400 a 5", "400 b 7"], "b")',
        "interest(199, 10, 2)",
    ],
    [
        Bug(
            "order",
            "ledgers/entries.py",
            "key=lambda row: row[0]",
            "key=lambda row: row[1]",
            "Accounts look overdrawn that never were, if lines are not in order.",
        ),
        Bug(
            "until",
            "ledgers/balances.py",
            "day <= until",
            "day < until",
            "The balance of a day misses what happened on that day.",
        ),
        Bug(
            "compound",
            "ledgers/interest.py",
            "(cents + earned) * percent",
            "cents * percent",
            "The second year earns as little as the first.",
        ),
        Bug(
            "debt",
            "ledgers/interest.py",
            "if now > 0 else 0",
            "if now != 0 else 0",
            "A debt is shown with negative interest.",
        ),
    ],
)

REPOSITORIES = [TILLS, LARDER, LEDGERS]
