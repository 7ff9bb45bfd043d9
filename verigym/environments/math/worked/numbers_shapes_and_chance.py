"""Families whose answer is a number: areas, solids, right angles, scales, probabilities and counting."""

from fractions import Fraction
from math import comb, gcd
from random import Random

from verigym.environments.math.questions import fraction
from verigym.environments.math.worked.steps import divided, minus, plus, times
from verigym.environments.math.worked.telling import Told, amount, listed, tell

_TRIPLES = ((3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25), (20, 21, 29), (9, 40, 41), (12, 35, 37))


def box_of_cubes(random: Random) -> Told:
    edge = random.choice((2, 3, 4, 5, 10))
    counts = [random.randint(3, 12) for _ in range(3)]
    a, b, c = (edge * each for each in counts)
    total = counts[0] * counts[1] * counts[2]
    thing = random.choice(("sugar cubes", "wooden cubes", "dice", "wax cubes"))
    return tell(
        random,
        "box_of_cubes",
        f"{a} cm, {b} cm and {c} cm; edge {edge} cm.",
        "the number of cubes.",
        [
            f"Along the sides: {a} ÷ {edge} = {counts[0]}, {b} ÷ {edge} = {counts[1]}, {c} ÷ {edge} = {counts[2]}.",
            f"{times(counts[0], counts[1])}.",
            f"{times(counts[0] * counts[1], counts[2])}.",
        ],
        amount(total),
        a=a,
        b=b,
        c=c,
        edge=edge,
        thing=thing,
    )


def l_shape(random: Random) -> Told:
    a, b = random.randint(8, 30), random.randint(8, 26)
    c, d = random.randint(2, a - 4), random.randint(2, b - 4)
    thing = random.choice(("courtyard", "office", "terrace", "stage"))
    return tell(
        random,
        "l_shape",
        f"{a} m by {b} m, without {c} m by {d} m.",
        "the area in m².",
        [f"Whole: {times(a, b)}.", f"Corner: {times(c, d)}.", f"{minus(a * b, c * d)} m²."],
        amount(a * b - c * d, "m²"),
        a=a,
        b=b,
        c=c,
        d=d,
        thing=thing,
    )


def trapezium(random: Random) -> Told:
    a, b, h = random.randint(6, 40), random.randint(4, 36), random.randint(3, 24)
    b += (a + b) * h % 2
    b += (a + b) * h % 2
    h += (a + b) * h % 2
    thing = random.choice(("trapezium", "roof with two parallel edges", "dam seen from the side"))
    return tell(
        random,
        "trapezium",
        f"parallel sides {a} m and {b} m, height {h} m.",
        "the area in m².",
        [
            "Add the parallel sides, multiply by the height, halve it.",
            f"{plus(a, b)}.",
            f"{times(a + b, h)}.",
            f"{divided((a + b) * h, 2)} m².",
        ],
        amount(Fraction((a + b) * h, 2), "m²"),
        thing=thing,
        a=a,
        b=b,
        h=h,
    )


def right_angle(random: Random) -> Told:
    a, b, c = random.choice(_TRIPLES)
    scale = random.choice((1, 2, 3, 4))
    a, b, c = (b, a, c) if random.random() < 0.5 else (a, b, c)
    a, b, c = a * scale, b * scale, c * scale
    long = random.random() < 0.5
    thing = random.choice(("field", "gate", "screen", "carpet"))
    unit = random.choice(("m", "cm"))
    if long:
        frame = "right_angle_long"
        steps = [
            f"{times(a, a)}.",
            f"{times(b, b)}.",
            f"{plus(a * a, b * b)}.",
            f"{c} × {c} = {c * c}, so it is {c} {unit}.",
        ]
        return tell(
            random,
            frame,
            f"sides {a} {unit} and {b} {unit} at a right angle.",
            "the long side.",
            ["The square of the long side is the sum of both squares.", *steps],
            amount(c, unit),
            thing=thing,
            a=a,
            b=b,
            unit=unit,
            long=long,
            c=c,
        )
    frame = "right_angle_short"
    steps = [
        f"{times(c, c)}.",
        f"{times(a, a)}.",
        f"{minus(c * c, a * a)}.",
        f"{b} × {b} = {b * b}, so it is {b} {unit}.",
    ]
    return tell(
        random,
        frame,
        f"long side {c} {unit}, one short side {a} {unit}.",
        "the other short side.",
        ["Take the square of the short side from the square of the long one.", *steps],
        amount(b, unit),
        thing=thing,
        a=a,
        c=c,
        unit=unit,
        long=long,
    )


def similar(random: Random) -> Told:
    small, factor = random.randint(2, 12), random.choice((2, 3, 4, 5, 6, 8, 10, 12))
    other = random.randint(2, 20)
    other += other == small
    big, value = small * factor, other * factor
    thing = random.choice(("photo", "sail", "sign", "stamp"))
    return tell(
        random,
        "similar",
        f"{small} cm becomes {big} cm.",
        f"what {other} cm becomes.",
        [f"Factor: {divided(big, small)}.", f"{times(other, factor)} cm."],
        amount(value, "cm"),
        thing=thing,
        small=small,
        other=other,
        big=big,
    )


def box_surface(random: Random) -> Told:
    a, b, c = random.randint(3, 20), random.randint(3, 20), random.randint(2, 15)
    open_ = random.random() < 0.4
    total = 2 * (a * b + a * c + b * c) - (a * b if open_ else 0)
    lid = "without a lid" if open_ else "with all six sides"
    tail = [f"Without the lid: {minus(2 * (a * b + a * c + b * c), a * b)} cm²."] if open_ else []
    return tell(
        random,
        "box_surface",
        f"{a} cm, {b} cm, height {c} cm, {lid}.",
        "the surface in cm².",
        [
            f"Floor: {times(a, b)}. Front: {times(a, c)}. Side: {times(b, c)}.",
            f"{plus(a * b, a * c, b * c)}.",
            f"Twice: {times(2, a * b + a * c + b * c)} cm².",
            *tail,
        ],
        amount(total, "cm²"),
        a=a,
        b=b,
        c=c,
        lid=lid,
        open=open_,
    )


def distance_in_plane(random: Random) -> Told:
    a, b, c = random.choice(_TRIPLES[:4])
    a, b = (b, a) if random.random() < 0.5 else (a, b)
    x, y = random.randint(-9, 9), random.randint(-9, 9)
    u, v = x + a * random.choice((1, -1)), y + b * random.choice((1, -1))
    return tell(
        random,
        "distance_in_plane",
        f"({x}, {y}) and ({u}, {v}).",
        "their distance.",
        [
            f"Across: {minus(max(x, u), min(x, u))}. Up: {minus(max(y, v), min(y, v))}.",
            f"{times(a, a)}, {times(b, b)}.",
            f"{plus(a * a, b * b)}.",
            f"{c} × {c} = {c * c}, so the distance is {c}.",
        ],
        amount(c),
        x=x,
        y=y,
        u=u,
        v=v,
    )


def draw_one(random: Random) -> Told:
    kinds = random.sample(("amber", "violet", "silver", "brown", "pink", "orange"), 3)
    counts = [random.randint(2, 14) for _ in range(3)]
    total = sum(counts)
    index = random.randrange(3)
    either = random.random() < 0.5
    other = (index + 1) % 3
    good = counts[index] + (counts[other] if either else 0)
    wanted = f"{kinds[index]} or {kinds[other]}" if either else kinds[index]
    shown = listed([f"{count} {kind}" for count, kind in zip(counts, kinds, strict=True)])
    result = Fraction(good, total)
    thing = random.choice(("balls", "tickets", "chips", "buttons"))
    first = f"Good ones: {plus(counts[index], counts[other])}." if either else f"Good ones: {good}."
    cancel = [f"Divide both by {gcd(good, total)}: {good}/{total} = {result}."] if gcd(good, total) > 1 else []
    return tell(
        random,
        "draw_one",
        f"{shown}.",
        f"the probability of {wanted}.",
        [f"All: {plus(*counts)}.", first, f"The fraction is {good}/{total}.", *cancel],
        fraction("", "", result).data,
        thing=thing,
        shown=shown,
        wanted=wanted,
        counts=dict(zip(kinds, counts, strict=True)),
    )


def draw_two(random: Random) -> Told:
    one, two = random.randint(2, 9), random.randint(2, 9)
    total = one + two
    good, all_ = one * (one - 1), total * (total - 1)
    result = Fraction(good, all_)
    a, b = random.sample(("ripe", "frozen", "wooden", "signed", "golden"), 2)
    thing = random.choice(("cards", "figures", "plums", "coins"))
    cancel = [f"Divide both by {gcd(good, all_)}: {good}/{all_} = {result}."] if gcd(good, all_) > 1 else []
    return tell(
        random,
        "draw_two",
        f"{one} {a}, {two} {b}, two drawn.",
        f"the probability that both are {a}.",
        [
            f"All: {plus(one, two)}.",
            f"First: {one}/{total}. Then {one - 1} of {total - 1} are left: {one - 1}/{total - 1}.",
            f"Top: {times(one, one - 1)}. Bottom: {times(total, total - 1)}.",
            f"The product is {good}/{all_}.",
            *cancel,
        ],
        fraction("", "", result).data,
        one=one,
        a=a,
        two=two,
        b=b,
        thing=thing,
    )


def choices(random: Random) -> Told:
    sizes = [random.randint(2, 12) for _ in range(3)]
    a, b, c = sizes
    one, two, three = random.choice(
        (
            ("soups", "main courses", "desserts"),
            ("frames", "wheels", "saddles"),
            ("engines", "colours", "seats"),
            ("covers", "papers", "bindings"),
        )
    )
    skip = random.random() < 0.35
    note = f" One may also do without the {three}." if skip else ""
    last = c + 1 if skip else c
    first = [f"For the {three} there is one more choice, none: {plus(c, 1)}."] if skip else []
    return tell(
        random,
        "choices",
        f"{a}, {b} and {c} choices.{note}",
        "the number of combinations.",
        [*first, f"{times(a, b)}.", f"{times(a * b, last)}."],
        amount(a * b * last),
        a=a,
        one=one,
        b=b,
        two=two,
        c=c,
        three=three,
        note=note,
        skip=skip,
    )


def committees(random: Random) -> Told:
    people, chosen = random.randint(4, 12), random.choice((2, 2, 3))
    ordered = random.random() < 0.5
    value = 1
    for each in range(chosen):
        value *= people - each
    shown = " × ".join(str(people - each) for each in range(chosen))
    repeat = 2 if chosen == 2 else 6
    who = random.choice(("actors", "nurses", "pilots", "sailors", "painters"))
    if ordered:
        roles = "a chair and a deputy" if chosen == 2 else "a chair, a deputy and a treasurer"
        frame = "committees_with_posts"
        steps, data = [f"{shown} = {value}."], amount(value)
        steps.insert(0, f"For the first post there are {people} people, for each next post one less.")
    else:
        roles = f"a team of {chosen}"
        frame = "committees_as_teams"
        steps = [f"In order: {shown} = {value}.", f"Each team is counted {repeat} times: {divided(value, repeat)}."]
        data = amount(comb(people, chosen))
    return tell(
        random,
        frame,
        f"{people} {who}, {roles}.",
        "the number of ways.",
        steps,
        data,
        people=people,
        who=who,
        roles=roles,
        chosen=chosen,
        ordered=ordered,
    )


EASY = [similar]
MEDIUM = [box_of_cubes, l_shape, trapezium, box_surface, draw_one, choices]
HARD = [right_angle, distance_in_plane, draw_two, committees]
