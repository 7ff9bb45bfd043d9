from larder.stock import Stock


def after_meal(rows, thing, count):
    """What is left after a meal, and how many were missing."""
    stock = Stock(rows)
    taken = stock.take(thing, count)
    return [stock.rows, count - taken]


def to_buy(rows, wanted, today):
    """How many of each wanted thing are missing; what has gone off does not count."""
    good = Stock([row for row in rows if row[2] >= today])
    return {thing: count - good.count(thing) for thing, count in wanted.items() if good.count(thing) < count}
