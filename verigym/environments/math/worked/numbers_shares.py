"""Families whose answer is a number: percentages, ratios, prices, interest and mixtures."""

from fractions import Fraction
from math import gcd, lcm
from random import Random

from verigym.environments.math.questions import percent
from verigym.environments.math.worked.steps import (
    divided,
    in_cents,
    in_euros,
    minus,
    percent_of,
    plain,
    plus,
    times,
    with_rest,
)
from verigym.environments.math.worked.telling import Decimal, Euros, Told, amount, money, names, tell


def sale_price(random: Random) -> Told:
    price, off = random.randrange(20, 480, 20), random.choice((5, 10, 15, 20, 25, 30, 35, 40, 45, 60))
    cut = Fraction(price * off, 100)
    ship = random.choice((0, 0, 4, 6, 9))
    thing = random.choice(("tent", "desk", "guitar", "camera", "carpet", "saddle"))
    extra = f", and delivery costs €{ship}" if ship else ""
    more = [f"With delivery: {plus(price - cut, ship)} euros."] if ship else []
    return tell(
        random,
        "sale_price",
        f"price €{price}, {off}% off{extra}.",
        "what is paid in euros.",
        [f"{percent_of(off, price)}.", f"{minus(price, cut)} euros.", *more],
        amount(price - cut + ship, "euros"),
        thing=thing,
        price=price,
        off=off,
        extra=extra,
        ship=ship,
    )


def with_tax(random: Random) -> Told:
    price, rate, count = (
        random.randrange(20, 400, 10),
        random.choice((5, 7, 8, 10, 15, 19, 20, 25)),
        random.randint(2, 6),
    )
    net = price * count
    tax = Fraction(net * rate, 100)
    thing = random.choice(("lamps", "tyres", "doors", "helmets", "heaters"))
    return tell(
        random,
        "with_tax",
        f"{count} {thing} at €{price}, tax {rate}%.",
        "the amount with tax in euros.",
        [f"{times(count, price)} euros without tax.", f"{percent_of(rate, net)}.", f"{plus(net, tax)} euros."],
        amount(net + tax, "euros"),
        count=count,
        thing=thing,
        price=price,
        rate=rate,
    )


def what_percent(random: Random) -> Told:
    share, base = (
        random.randrange(5, 100, 5),
        random.choice((20, 40, 60, 80, 120, 140, 160, 180, 220, 240, 260, 300, 360, 380)),
    )
    part = base * share // 100
    thing, verb = random.choice(
        (
            ("tickets", "sold"),
            ("seedlings", "growing"),
            ("questions", "answered"),
            ("boxes", "checked"),
            ("rooms", "booked"),
        )
    )
    rest = base - part
    ask_rest = random.random() < 0.4
    word = f"not {verb}" if ask_rest else verb
    target, value = (rest, 100 - share) if ask_rest else (part, share)
    return tell(
        random,
        "what_percent",
        f"{part} of {base} {verb}.",
        f"the percentage that is {word}.",
        [
            *([f"{word}: {minus(base, part)}."] if ask_rest else []),
            f"1% of {base} is {base} ÷ 100 = {plain(Fraction(base, 100))}.",
            f"{target} ÷ {plain(Fraction(base, 100))} = {value}, so {value}%.",
        ],
        percent("", "", value).data,
        part=part,
        base=base,
        thing=thing,
        verb=verb,
        word=word,
    )


def price_before(random: Random) -> Told:
    off, price = random.choice((10, 20, 25, 30, 40, 50, 60, 75)), random.randrange(20, 400, 20)
    now = Fraction(price * (100 - off), 100)
    thing = random.choice(("bench", "violin", "jacket", "mattress", "kayak", "printer"))
    keep = 100 - off
    unit = Fraction(now, keep)
    shown = Decimal(now)
    return tell(
        random,
        "price_before",
        f"€{shown} is the price after {off}% off.",
        "the price before, which is 100%.",
        [
            f"{minus(100, off)}, so €{shown} is {keep}% of it.",
            f"1%: {shown} ÷ {keep} = {plain(unit)}.",
            f"100%: 100 × {plain(unit)} = {price} euros.",
        ],
        amount(price, "euros"),
        thing=thing,
        off=off,
        shown=shown,
    )


def raise_in_percent(random: Random) -> Told:
    base, change = (
        random.choice((40, 50, 60, 80, 120, 160, 200, 240, 250, 300, 400, 500)),
        random.choice((5, 10, 15, 20, 25, 30, 35, 40, 45, 60)),
    )
    up = random.random() < 0.5
    diff = base * change // 100 if base * change % 100 == 0 else 0
    while not diff:
        base, change = (
            random.choice((40, 60, 80, 120, 160, 200, 240, 300, 400, 500)),
            random.choice((5, 10, 15, 20, 25, 30, 35, 40)),
        )
        diff = base * change // 100 if base * change % 100 == 0 else 0
    new = base + diff if up else base - diff
    word = "rise" if up else "fall"
    thing = random.choice(
        (
            "water level in litres",
            "number of visitors",
            "price of a share in cents",
            "size of a herd",
            "length of a queue",
        )
    )
    return tell(
        random,
        "raise_in_percent",
        f"from {base} to {new}.",
        "the change in percent of the first value.",
        [
            f"Change: {minus(max(base, new), min(base, new))}.",
            f"1% of {base} is {base} ÷ 100 = {plain(Fraction(base, 100))}.",
            f"{diff} ÷ {plain(Fraction(base, 100))} = {change}, so {change}%.",
        ],
        percent("", "", change).data,
        thing=thing,
        base=base,
        new=new,
        word=word,
    )


def share_in_ratio(random: Random) -> Told:
    parts = random.sample(range(1, 9), 3)
    unit = random.randint(4, 45)
    total, who = sum(parts) * unit, names(random, 3)
    a, b, c = parts
    one, two, three = who
    index = random.randrange(3)
    asked = who[index]
    what, unit_name = random.choice((("euros", "euros"), ("sweets", ""), ("hectares", ""), ("marbles", "")))
    return tell(
        random,
        "share_in_ratio",
        f"{total} {what} in {a} + {b} + {c} parts.",
        f"the share of {asked}.",
        [
            f"Parts: {plus(a, b, c)}.",
            f"One part: {divided(total, sum(parts))}.",
            f"{asked} has {parts[index]} parts: {times(parts[index], unit)}.",
        ],
        amount(parts[index] * unit, unit_name),
        total=total,
        what=what,
        one=one,
        two=two,
        three=three,
        a=a,
        b=b,
        c=c,
        asked=asked,
    )


def ratio_and_difference(random: Random) -> Told:
    a, b = sorted(random.sample(range(2, 12), 2))
    while gcd(a, b) > 1:
        a, b = sorted(random.sample(range(2, 12), 2))
    unit = random.randint(3, 30)
    more, less = random.choice((("girls", "boys"), ("oaks", "birches"), ("cars", "lorries"), ("cats", "dogs")))
    gap, total = (b - a) * unit, (a + b) * unit
    return tell(
        random,
        "ratio_and_difference",
        f"{a} parts and {b} parts, the difference is {gap}.",
        "both together.",
        [
            f"Difference in parts: {minus(b, a)}.",
            f"One part: {divided(gap, b - a)}.",
            f"Parts in all: {plus(a, b)}.",
            f"{times(a + b, unit)}.",
        ],
        amount(total),
        less=less,
        more=more,
        a=a,
        b=b,
        gap=gap,
    )


def by_the_piece(random: Random) -> Told:
    have, want, each = random.randint(3, 12), random.randint(3, 30), random.randrange(25, 320, 5)
    want += want == have
    price = Euros(have * each)
    thing = random.choice(
        ("metres of ribbon", "oranges", "tiles", "cinema tickets", "bags of soil", "scoops of ice cream")
    )
    return tell(
        random,
        "by_the_piece",
        f"{have} cost {price}.",
        f"the price of {want} in euros.",
        [
            f"{in_cents(price)}.",
            f"One: {divided(have * each, have)} cents.",
            f"{want}: {times(want, each)} cents.",
            f"{in_euros(want * each)}.",
        ],
        money(want * each),
        have=have,
        want=want,
        price=price,
        thing=thing,
    )


def exchange(random: Random) -> Told:
    rate, amount_, fee = (
        random.choice((4, 7, 8, 11, 12, 20, 25, 30)),
        random.randrange(30, 400, 5),
        random.choice((2, 3, 5)),
    )
    coin = random.choice(("crowns", "pesos", "dirhams", "rand", "lira"))
    back = random.random() < 0.4
    if back:
        have = rate * amount_
        frame = "exchange_into_euros"
        steps = [f"{divided(have, rate)} euros.", f"{minus(amount_, fee)} euros."]
        data = amount(amount_ - fee, "euros")
    else:
        have = amount_
        frame = "exchange_from_euros"
        steps = [f"{minus(have, fee)} euros.", f"{times(have - fee, rate)} {coin}."]
        data = amount((have - fee) * rate)
    return tell(
        random,
        frame,
        f"{rate} {coin} for €1, fee €{fee}.",
        "the money after the fee.",
        steps,
        data,
        rate=rate,
        coin=coin,
        have=have,
        fee=fee,
        back=back,
    )


def simple_interest(random: Random) -> Told:
    capital, rate, years = random.randrange(200, 5000, 100), random.randint(1, 6), random.randint(2, 8)
    yearly = capital * rate // 100
    total = capital + yearly * years
    who = names(random, 1)[0]
    return tell(
        random,
        "simple_interest",
        f"€{capital}, {rate}% a year, {years} years.",
        "capital and interest in euros.",
        [
            f"{percent_of(rate, capital)} euros a year.",
            f"{times(years, yearly)} euros of interest.",
            f"{plus(capital, yearly * years)} euros.",
        ],
        amount(total, "euros"),
        who=who,
        capital=capital,
        rate=rate,
        years=years,
    )


def budget(random: Random) -> Told:
    price, other, have = (
        random.randrange(60, 480, 10),
        random.randrange(150, 2500, 50),
        random.choice((2000, 3000, 4000, 5000, 6000, 8000)),
    )
    left = have - other
    count, rest = divmod(left, price)
    p, q, h = Euros(price), Euros(other), Euros(have)
    thing, first = random.choice(
        (("apple trees", "a spade"), ("goldfish", "a net"), ("stickers", "an album"), ("rolls of film", "a tripod"))
    )
    return tell(
        random,
        "budget",
        f"{h}, first {q}, then {p} for each.",
        f"the number of {thing}.",
        [
            f"{minus(have, other)} cents are left.",
            f"{with_rest(left, price)}.",
            f"So {count}, and {rest} cents remain.",
        ],
        amount(count),
        h=h,
        first=first,
        q=q,
        p=p,
        thing=thing,
    )


def profit(random: Random) -> Told:
    count, buy, lost = random.randint(40, 90), random.randint(2, 7), random.randint(2, 9)
    sell = buy + random.randint(3, 6)
    gain = (count - lost) * sell - count * buy
    thing = random.choice(("plants", "mugs", "kites", "scarves", "pumpkins"))
    verb = "broken" if thing in ("mugs", "kites") else "spoilt"
    word = "profit"
    return tell(
        random,
        "profit",
        f"{count} bought at €{buy}, {lost} lost, the rest sold at €{sell}.",
        "income minus cost in euros.",
        [
            f"Cost: {times(count, buy)}.",
            f"Sold: {minus(count, lost)}.",
            f"Income: {times(count - lost, sell)}.",
            f"{minus((count - lost) * sell, count * buy)} euros.",
        ],
        amount(gain, "euros"),
        count=count,
        thing=thing,
        buy=buy,
        lost=lost,
        verb=verb,
        sell=sell,
        word=word,
    )


def two_changes(random: Random) -> Told:
    one, two = random.choice((10, 20, 25, 30, 40, 50)), random.choice((10, 20, 30, 40, 50))
    up, down = random.random() < 0.6, random.random() < 0.5
    after = Fraction(100 + (one if up else -one))
    end = after * (100 + (-two if down else two)) / 100
    change = abs(end - 100)
    if not change:
        two, down = 10, True
        end = after * 90 / 100
        change = abs(end - 100)
    word = "higher" if end > 100 else "lower"
    said = f"{'raised' if up else 'lowered'} by {one}% and then {'lowered' if down else 'raised'} by {two}%"
    thing = random.choice(("price", "fee", "dose", "quota", "toll"))
    part = after * two / 100
    return tell(
        random,
        "two_changes",
        f"{said}.",
        "the change of the whole in percent.",
        [
            f"Take 100 at the start. After the first change: 100 {'+' if up else '-'} {one} = {plain(after)}.",
            f"{percent_of(two, after)}.",
            f"{plain(after)} {'-' if down else '+'} {plain(part)} = {plain(end)}.",
            f"{minus(max(end, Fraction(100)), min(end, Fraction(100)))}, so {plain(change)}%.",
        ],
        percent("", "", change).data,
        thing=thing,
        said=said,
        word=word,
        one=one,
        two=two,
        up=up,
        down=down,
    )


def growth(random: Random) -> Told:
    rate, years = random.choice(((5, 2), (10, 2), (10, 3), (20, 2), (50, 2)))
    base = random.randint(1, 12) * {5: 400, 10: 100, 20: 25, 50: 4}[rate] * {2: 1, 3: 10}[years]
    down = random.random() < 0.3
    values = [Fraction(base)]
    steps: list[str] = []
    for year in range(years):
        part = values[-1] * rate / 100
        values.append(values[-1] - part if down else values[-1] + part)
        steps.append(
            f"Year {year + 1}: {percent_of(rate, values[-2])}, {minus(values[-2], part) if down else plus(values[-2], part)}."
        )
    word = "shrinks" if down else "grows"
    thing = random.choice(("flock", "town", "colony of bees", "sports club", "plantation"))
    return tell(
        random,
        "growth",
        f"{base}, {word} by {rate}% a year, {years} years.",
        "the number at the end.",
        steps,
        amount(values[-1]),
        thing=thing,
        base=base,
        word=word,
        rate=rate,
        years=years,
        down=down,
    )


def weighted_mean(random: Random) -> Told:
    a, b = random.randint(2, 12), random.randint(2, 12)
    p, q = random.sample(range(4, 31), 2)
    total = a * p + b * q
    while total % (a + b):
        a, b = random.randint(2, 12), random.randint(2, 12)
        p, q = random.sample(range(4, 31), 2)
        total = a * p + b * q
    what = random.choice(("coffee beans", "paint", "nuts", "perfume oil"))
    return tell(
        random,
        "weighted_mean",
        f"{a} kg at €{p}, {b} kg at €{q}.",
        "the price of 1 kg in euros.",
        [
            f"{times(a, p)}.",
            f"{times(b, q)}.",
            f"Value: {plus(a * p, b * q)}.",
            f"Weight: {plus(a, b)} kg.",
            f"{divided(total, a + b)} euros.",
        ],
        amount(Fraction(total, a + b), "euros"),
        a=a,
        b=b,
        p=p,
        q=q,
        what=what,
    )


def dilute(random: Random) -> Told:
    strong, weak = random.choice(
        ((40, 10), (50, 20), (60, 15), (30, 12), (24, 8), (45, 30), (80, 50), (36, 27), (70, 28))
    )
    unit = random.randint(1, 8)
    litres = lcm(weak, strong) // strong * unit
    pure = Fraction(strong * litres, 100)
    total = pure * 100 / weak
    water = total - litres
    what = random.choice(("vinegar", "syrup", "cleaner", "dye"))
    return tell(
        random,
        "dilute",
        f"{litres} litres of {strong}%, wanted {weak}%.",
        "the litres of water.",
        [
            f"Pure part: {litres} × {strong} ÷ 100 = {plain(pure)} litres. It stays the same.",
            f"It is {weak}% of the new amount: {plain(pure)} ÷ {weak} × 100 = {plain(total)} litres.",
            f"{minus(total, litres)} litres.",
        ],
        amount(water, "litres"),
        litres=litres,
        what=what,
        strong=strong,
        weak=weak,
    )


def same_cost(random: Random) -> Told:
    a, b = sorted(random.sample(range(2, 15), 2))
    units = random.randint(3, 40)
    base = random.randint(0, 30)
    high = base + (b - a) * units
    what, each = random.choice((("gym", "visit"), ("copy shop", "page"), ("car club", "ride"), ("library", "loan")))
    low = f"€{base} and €{b} per {each}" if base else f"only €{b} per {each}"
    return tell(
        random,
        "same_cost",
        f"€{high} + €{a} each, and €{base} + €{b} each.",
        f"the number of {each}s with the same cost.",
        [
            f"The fixed costs differ by {minus(high, base)} euros.",
            f"Each {each} makes up {minus(b, a)} euros.",
            f"{divided(high - base, b - a)}.",
        ],
        amount(units),
        what=what,
        each=each,
        high=high,
        a=a,
        low=low,
        base=base,
        b=b,
    )


EASY = []
MEDIUM = [
    sale_price,
    with_tax,
    what_percent,
    price_before,
    raise_in_percent,
    share_in_ratio,
    ratio_and_difference,
    by_the_piece,
    exchange,
    simple_interest,
    budget,
    profit,
]
HARD = [two_changes, growth, weighted_mean, dilute, same_cost]
