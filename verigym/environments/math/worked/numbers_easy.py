"""Families of one or two steps whose answer is a number: stock, money, units, time, simple geometry and fractions."""

from fractions import Fraction
from math import gcd, lcm
from random import Random

from verigym.environments.math.questions import fraction, plain
from verigym.environments.math.worked.steps import (
    divided,
    in_cents,
    in_euros,
    minus,
    plus,
    signed,
    times,
    with_rest,
)
from verigym.environments.math.worked.telling import Decimal, Euros, Told, amount, listed, money, names, tell


def stockroom(random: Random) -> Told:
    boxes, each, loose, sold = (
        random.randint(6, 48),
        random.randint(6, 48),
        random.randint(5, 60),
        random.randint(5, 90),
    )
    total = boxes * each + loose - sold
    thing = random.choice(("bulbs", "batteries", "notebooks", "candles", "tennis balls", "screws"))
    return tell(
        random,
        "stockroom",
        f"{boxes} boxes of {each}, {loose} single ones, {sold} sold.",
        f"the {thing} that are left.",
        [f"In boxes: {times(boxes, each)}.", f"{plus(boxes * each, loose)}.", f"{minus(boxes * each + loose, sold)}."],
        amount(total),
        boxes=boxes,
        each=each,
        loose=loose,
        sold=sold,
        thing=thing,
    )


def split_bill(random: Random) -> Told:
    people, share, tip = random.randint(3, 9), random.randrange(350, 2400, 5), random.choice((0, 200, 300, 450, 600))
    bill = Euros(people * share - tip)
    what = random.choice(("dinner", "boat trip", "present", "taxi", "holiday flat"))
    extra = f" and they add a tip of {Euros(tip)}" if tip else ""
    first = [f"With the tip: {plus(int(bill), tip)} cents."] if tip else []
    return tell(
        random,
        "split_bill",
        f"{bill} for {people} people{extra}.",
        "the share of one person in euros.",
        [f"{in_cents(bill)}.", *first, f"{divided(people * share, people)} cents.", f"{in_euros(share)}."],
        money(share),
        people=people,
        bill=bill,
        extra=extra,
        what=what,
        tip=tip,
    )


def two_kinds_of_goods(random: Random) -> Told:
    (one, two), a, b = (
        random.choice((("pens", "folders"), ("lemons", "melons"), ("stamps", "envelopes"), ("forks", "bowls"))),
        random.randint(2, 9),
        random.randint(2, 9),
    )
    p, q = Euros(random.randrange(35, 320, 5)), Euros(random.randrange(60, 480, 5))
    total = a * p + b * q
    note = Euros(-(-total // 1000) * 1000 + random.choice((0, 1000)))
    note = Euros(note + 1000) if note == total else note
    who = names(random, 1)[0]
    return tell(
        random,
        "two_kinds_of_goods",
        f"{a} {one} at {p}, {b} {two} at {q}, paid {note}.",
        "the change in euros.",
        [
            f"{one}: {times(a, int(p))} cents.",
            f"{two}: {times(b, int(q))} cents.",
            f"{plus(a * p, b * q)} cents.",
            f"{in_cents(note)}, and {minus(int(note), total)} cents.",
            f"{in_euros(note - total)}.",
        ],
        money(note - total),
        who=who,
        a=a,
        one=one,
        p=p,
        b=b,
        two=two,
        q=q,
        note=note,
    )


def same_sides(random: Random) -> Told:
    sides, word = random.choice(((3, "triangle"), (4, "square"), (5, "pentagon"), (6, "hexagon"), (8, "octagon")))
    side = random.randint(7, 96)
    unit = random.choice(("cm", "m"))
    around = sides * side
    return tell(
        random,
        "same_sides",
        f"a {word} has {sides} equal sides, all together {around} {unit}.".replace("a octagon", "an octagon"),
        "one side.",
        [f"{divided(around, sides)} {unit}."],
        amount(side, unit),
        sides=sides,
        word=word,
        around=around,
        unit=unit,
    )


def part_used(random: Random) -> Told:
    bottom = random.randint(3, 9)
    top = random.choice([each for each in range(1, bottom) if gcd(each, bottom) == 1])
    whole = bottom * random.randint(5, 60)
    thing, verb = random.choice(
        (("metres of cable", "laid"), ("sheets", "printed"), ("seats", "taken"), ("bricks", "used"))
    )
    used = whole // bottom * top
    return tell(
        random,
        "part_used",
        f"{whole} {thing}, {top}/{bottom} of them {verb}.",
        "how many are not.",
        [
            f"1/{bottom} of {whole}: {divided(whole, bottom)}.",
            f"{top}/{bottom}: {times(top, whole // bottom)}.",
            f"{minus(whole, used)}.",
        ],
        amount(whole - used),
        top=top,
        bottom=bottom,
        whole=whole,
        thing=thing,
        verb=verb,
    )


def glasses(random: Random) -> Told:
    small = random.choice((125, 150, 200, 250, 300, 400, 500))
    count = random.randint(8, 60)
    litres = Decimal(Fraction(small * count, 1000))
    unit, little, what = random.choice(
        (("litres", "ml", "juice"), ("kg", "g", "flour"), ("litres", "ml", "soup"), ("kg", "g", "seed"))
    )
    return tell(
        random,
        "glasses",
        f"{litres} {unit} in portions of {small} {little}.",
        "the number of portions.",
        [
            f"1 {unit.removesuffix('s') if unit == 'litres' else unit} is 1000 {little}.",
            f"{litres} × 1000 = {small * count} {little}.",
            f"{divided(small * count, small)}.",
        ],
        amount(count),
        litres=litres,
        unit=unit,
        little=little,
        what=what,
        small=small,
    )


def days_and_hours(random: Random) -> Told:
    days, hours = random.randint(2, 6), random.randint(1, 23)
    weeks = random.randint(0, 3)
    total = (7 * weeks + days) * 24 + hours
    said = (f"{weeks} weeks, " if weeks > 1 else "1 week, " if weeks else "") + f"{days} days and {hours} hours"
    steps = [f"Days: {times(7, weeks)}, {plus(7 * weeks, days)}."] if weeks else []
    return tell(
        random,
        "days_and_hours",
        f"{said}.",
        "the time in hours.",
        [
            *steps,
            f"A day has 24 hours: {times(7 * weeks + days, 24)}.",
            f"{plus((7 * weeks + days) * 24, hours)} hours.",
        ],
        amount(total),
        said=said,
        weeks=weeks,
        days=days,
        hours=hours,
    )


def times_as_many(random: Random) -> Told:
    few, factor, extra = random.randint(8, 60), random.randint(2, 7), random.randint(2, 20)
    one, two = names(random, 2)
    thing = random.choice(("stamps", "shells", "points", "trading cards", "medals", "recipes"))
    many = few * factor + extra
    return tell(
        random,
        "times_as_many",
        f"{one} has {few}; {two} has {factor} × {few} + {extra}.",
        "both together.",
        [f"{times(factor, few)}.", f"{two}: {plus(factor * few, extra)}.", f"Together: {plus(few, many)}."],
        amount(few + many),
        one=one,
        two=two,
        few=few,
        factor=factor,
        extra=extra,
        thing=thing,
    )


def entry_money(random: Random) -> Told:
    adults, children = random.randint(8, 60), random.randint(8, 90)
    full, reduced = random.randint(7, 19), random.randint(3, 6)
    total = adults * full + children * reduced
    place = random.choice(("zoo", "castle", "circus", "ice rink", "planetarium"))
    return tell(
        random,
        "entry_money",
        f"{adults} at €{full}, {children} at €{reduced}.",
        "the money in euros.",
        [
            f"Adults: {times(adults, full)}.",
            f"Children: {times(children, reduced)}.",
            f"{plus(adults * full, children * reduced)} euros.",
        ],
        amount(total, "euros"),
        adults=adults,
        full=full,
        children=children,
        reduced=reduced,
        place=place,
    )


def buses_needed(random: Random) -> Told:
    room, people = random.randint(7, 56), random.randint(60, 640)
    thing, load = random.choice(
        (("minibuses", "pupils"), ("boats", "tourists"), ("tents", "scouts"), ("shelves", "files"), ("lifts", "crates"))
    )
    count = -(-people // room)
    rest = people % room
    last = (
        f"{rest} are left, so one more: {plus(people // room, 1)}."
        if rest
        else f"Nothing is left, so {count} are enough."
    )
    return tell(
        random,
        "buses_needed",
        f"{people} {load}, {room} fit into one.",
        f"the number of {thing}, rounded up.",
        [f"{with_rest(people, room)}.", last],
        amount(count),
        people=people,
        room=room,
        thing=thing,
        load=load,
    )


def mean_of(random: Random) -> Told:
    count = random.randint(4, 6)
    mean = random.randint(12, 90)
    values = [mean + random.randint(-9, 9) for _ in range(count - 1)]
    values.append(mean * count - sum(values))
    shown = listed(values)
    thing = random.choice(("daily temperatures", "jumps", "test marks", "waiting times", "weights", "visitor numbers"))
    return tell(
        random,
        "mean_of",
        f"{count} numbers: {shown}.",
        "their mean.",
        [f"Sum: {plus(*values)}.", f"{divided(sum(values), count)}."],
        amount(mean),
        thing=thing,
        shown=shown,
        count=count,
        values=values,
    )


def fourth_angle(random: Random) -> Told:
    one, two, three = random.randint(50, 120), random.randint(50, 120), random.randint(50, 115)
    thing = random.choice(("kite", "field with four corners", "quadrilateral", "window with four corners"))
    total = one + two + three
    return tell(
        random,
        "fourth_angle",
        f"angles {one}, {two} and {three}.",
        "the fourth angle.",
        ["Four angles add up to 360.", f"{plus(one, two, three)}.", f"{minus(360, total)}."],
        amount(360 - total),
        thing=thing,
        one=one,
        two=two,
        three=three,
    )


def rectangle_or_triangle(random: Random) -> Told:
    long, wide = random.randint(6, 68), random.randint(4, 48)
    half = random.random() < 0.5
    wide += long * wide % 2 * half
    shape, names_ = ("triangle", ("base", "height")) if half else ("rectangle", ("length", "width"))
    area = long * wide // (2 if half else 1)
    a, b = names_
    return tell(
        random,
        "rectangle_or_triangle",
        f"{shape}, {a} {long} m, {b} {wide} m.",
        "the area in m².",
        [
            f"Area is {a} × {b}{' ÷ 2' if half else ''}.",
            f"{times(long, wide)}.",
            *([f"{divided(long * wide, 2)} m²."] if half else []),
        ],
        amount(area, "m²"),
        shape=shape,
        a=a,
        b=b,
        long=long,
        wide=wide,
    )


def order_of_operations(random: Random) -> Told:
    a, b, c, d = random.randint(3, 40), random.randint(2, 12), random.randint(2, 12), random.randint(2, 9)
    kind = random.randrange(4)
    if kind == 0:
        text, steps, value = (
            f"{a} + {b} × {c} - {d}",
            [f"First the product: {times(b, c)}.", f"{plus(a, b * c)}.", f"{minus(a + b * c, d)}."],
            a + b * c - d,
        )
    elif kind == 1:
        text, steps, value = (
            f"{d} × ({a} + {b}) - {c}",
            [f"First the bracket: {plus(a, b)}.", f"{times(d, a + b)}.", f"{minus(d * (a + b), c)}."],
            d * (a + b) - c,
        )
    elif kind == 2:
        text, steps, value = (
            f"{b * c} ÷ {b} + {a} × {d}",
            [f"First the quotient: {divided(b * c, b)}.", f"The product: {times(a, d)}.", f"{plus(c, a * d)}."],
            c + a * d,
        )
    else:
        text, steps, value = (
            f"{a} - ({b} - {c}) × {d}",
            [f"First the bracket: {minus(b, c)}.", f"{times(b - c, d)}.", f"{minus(a, (b - c) * d)}."],
            a - (b - c) * d,
        )
    return tell(
        random,
        "order_of_operations",
        f"{text}.",
        "its value.",
        ["Brackets come first, then × and ÷, then + and -.", *steps],
        amount(value),
        text=text,
    )


def lift_floors(random: Random) -> Told:
    start, moves = random.randint(-4, 12), [random.choice((-1, 1)) * random.randint(2, 15) for _ in range(3)]
    words = [f"{abs(each)} {'up' if each > 0 else 'down'}" for each in moves]
    one, two, three = words
    where = [start]
    for each in moves:
        where.append(where[-1] + each)
    steps = [
        f"{plain(a)} {'+' if m > 0 else '-'} {abs(m)} = {b}." for a, m, b in zip(where, moves, where[1:], strict=False)
    ]
    thing, unit = random.choice(
        (("lift", "floors"), ("diving robot", "metres"), ("thermometer", "degrees"), ("game piece", "fields"))
    )
    return tell(
        random,
        "lift_floors",
        f"start {start}; {one}, {two}, {three}.",
        "the last number.",
        steps,
        amount(where[-1]),
        thing=thing,
        unit=unit,
        start=start,
        one=one,
        two=two,
        three=three,
        moves=moves,
    )


def sum_of_fractions(random: Random) -> Told:
    b, d = random.sample((2, 3, 4, 5, 6, 8, 10, 12), 2)
    a, c = random.randint(1, b - 1), random.randint(1, d - 1)
    sign = random.choice((1, -1)) if Fraction(a, b) > Fraction(c, d) else 1
    common, op = lcm(b, d), "+" if sign > 0 else "-"
    e, f = a * common // b, c * common // d
    top = e + sign * f
    result = Fraction(top, common)
    steps = [
        f"The common denominator of {b} and {d} is {common}.",
        f"{a}/{b} = {e}/{common} and {c}/{d} = {f}/{common}.",
        f"{e} {op} {f} = {top}, so {top}/{common}.",
    ]
    if result.denominator != common:
        steps.append(f"Divide both by {gcd(top, common)}: {top}/{common} = {result}.")
    return tell(
        random,
        "sum_of_fractions",
        f"{a}/{b} {op} {c}/{d}.",
        "one fraction.",
        steps,
        fraction("", "", result).data,
        a=a,
        b=b,
        c=c,
        d=d,
        op=op,
    )


def common_measure(random: Random) -> Told:
    unit = random.randint(3, 15)
    one, two = random.sample([each for each in range(2, 10)], 2)
    a, b = unit * one, unit * two
    greatest = gcd(a, b)
    shared = [each for each in range(1, min(a, b) + 1) if a % each == 0 and b % each == 0]
    thing = random.choice(
        (
            "roses and tulips into equal bunches",
            "apples and pears into equal bags",
            "red and blue beads onto equal strings",
        )
    )
    return tell(
        random,
        "common_measure",
        f"{a} and {b}.",
        "the largest number that divides both.",
        [
            f"Numbers that divide both {a} and {b}: {', '.join(map(str, shared))}.",
            f"The largest is {greatest}.",
            f"Check: {a} ÷ {greatest} = {a // greatest} and {b} ÷ {greatest} = {b // greatest}.",
        ],
        amount(greatest),
        a=a,
        b=b,
        thing=thing,
    )


def common_multiple(random: Random) -> Told:
    a, b = sorted(random.sample(range(4, 31), 2))
    result = lcm(a, b)
    while result // b > 8:
        a, b = sorted(random.sample(range(4, 31), 2))
        result = lcm(a, b)
    steps = [f"{b} × {k} = {b * k}: {b * k} ÷ {a} leaves {b * k % a}." for k in range(1, result // b + 1)]
    return tell(
        random,
        "common_multiple",
        f"{a} and {b}.",
        "the smallest number that both divide.",
        [f"Go through the multiples of {b}.", *steps, f"So it is {result}."],
        amount(result),
        a=a,
        b=b,
    )


def how_much_longer(random: Random) -> Told:
    one, two = random.randrange(105, 990, 5), random.randrange(105, 990, 5)
    low, high = sorted((one, two + 5 * (one == two)))
    shown = f"{plain(Fraction(high, 100))} m"
    thing, more = random.choice((("curtain", "longer"), ("pole", "taller"), ("trench", "deeper"), ("banner", "wider")))
    return tell(
        random,
        "how_much_longer",
        f"{shown} and {low} cm.",
        "the difference in cm.",
        [f"{shown} is {high} cm, because 1 m is 100 cm.", f"{minus(high, low)} cm."],
        amount(high - low, "cm"),
        thing=thing,
        more=more,
        shown=shown,
        low=low,
        high=high,
    )


def weekly_steps(random: Random) -> Told:
    work, free = random.randrange(12, 95) * 10, random.randrange(12, 99) * 10
    who, thing = names(random, 1)[0], random.choice(("words", "metres", "steps", "strokes", "lines"))
    total = 5 * work + 2 * free
    return tell(
        random,
        "weekly_steps",
        f"5 days with {work}, 2 days with {free}.",
        "the total of 7 days.",
        [f"{times(5, work)}.", f"{times(2, free)}.", f"{plus(5 * work, 2 * free)}."],
        amount(total),
        who=who,
        thing=thing,
        work=work,
        free=free,
    )


def trees_in_a_row(random: Random) -> Told:
    gap, count = random.randint(3, 25), random.randint(6, 40)
    long, sides = gap * (count - 1), random.choice((1, 2))
    where = "on one side" if sides == 1 else "on both sides"
    thing = random.choice(("lamps", "poplars", "flags", "benches"))
    double = [f"Both sides: {times(2, count)}."] if sides == 2 else []
    return tell(
        random,
        "trees_in_a_row",
        f"{long} m, one every {gap} m, {where}, also at both ends.",
        f"the number of {thing}.",
        [f"Gaps: {divided(long, gap)}.", f"A row has one more than gaps: {plus(count - 1, 1)}.", *double],
        amount(count * sides),
        long=long,
        gap=gap,
        thing=thing,
        where=where,
        sides=sides,
    )


def think_of_a_number(random: Random) -> Told:
    x, a, b = random.randint(3, 40), random.randint(2, 9), random.randint(2, 30)
    minus_ = random.random() < 0.5
    result = a * x - b if minus_ else a * x + b
    word = f"take away {b}" if minus_ else f"add {b}"
    back = f"{result} + {b} = {a * x}" if minus_ else f"{result} - {b} = {a * x}"
    return tell(
        random,
        "think_of_a_number",
        f"times {a}, then {word}, result {result}.",
        "the number at the start, so go back.",
        [
            f"Undo the last step: {signed(result)} {back[len(str(result)) + 1 :]}.",
            f"Undo the product: {divided(a * x, a)}.",
        ],
        amount(x),
        a=a,
        word=word,
        result=result,
        b=b,
        minus=minus_,
    )


EASY = [
    stockroom, split_bill, two_kinds_of_goods, same_sides, part_used, glasses, days_and_hours, times_as_many, entry_money,
    buses_needed, mean_of, fourth_angle, rectangle_or_triangle, order_of_operations, lift_floors, sum_of_fractions,
    common_measure, common_multiple, how_much_longer, weekly_steps, trees_in_a_row, think_of_a_number,
]  # fmt: skip
MEDIUM = []
HARD = []
