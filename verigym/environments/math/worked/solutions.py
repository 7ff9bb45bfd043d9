"""Families whose answer is all solutions of an equation, or a pair: linear, quadratic and higher equations, and systems."""

from collections.abc import Iterable
from fractions import Fraction
from math import gcd
from random import Random

from verigym.core.records import Json
from verigym.environments.math.questions import Value, solutions, terms
from verigym.environments.math.worked.expressions import added, find_two_numbers
from verigym.environments.math.worked.steps import divided, minus, plus, signed, times
from verigym.environments.math.worked.telling import Told, names, tell


def _solutions(**values: Iterable[Value]) -> Json:
    return solutions("", "", **values).data


def _nonzero(random: Random, low: int, high: int) -> int:
    return random.choice([each for each in range(low, high + 1) if each])


def _either(values: Iterable[Value], letter: str = "x") -> str:
    return " or ".join(f"{letter} = {value}" for value in sorted(set(values)))


_ALL = "all_solutions"


def factors_given(random: Random) -> Told:
    a, c = random.choice((1, 1, 2, 3)), random.choice((1, 1, 2, 4, 5))
    p, q = a * _nonzero(random, -9, 9), c * _nonzero(random, -9, 9)
    one, two = terms(x=a, one=p), terms(x=c, one=q)
    k = random.choice(("", "", "3", "5"))
    equation = f"{k}({one})({two}) = 0"
    values = [Fraction(-p, a), Fraction(-q, c)]
    return tell(
        random,
        _ALL,
        f"{equation}.",
        "all x.",
        [
            "A product is 0 if one factor is 0.",
            f"{one} = 0: {divided(-p, a)}, so x = {values[0]}.",
            f"{two} = 0: {divided(-q, c)}, so x = {values[1]}.",
            f"So {_either(values)}.",
        ],
        _solutions(x=values),
        equation=equation,
    )


def square_equals(random: Random) -> Told:
    root, a, b = random.randint(2, 12), random.randint(1, 6), random.randint(-20, 40)
    equation = f"{terms(x2=a, one=b)} = {a * root * root + b}"
    right = a * root * root + b
    steps = [f"Bring {b} to the right: {minus(right, b)}, so {terms(x2=a)} = {right - b}."] if b else []
    steps += [f"{divided(right - b, a)}, so x^2 = {root * root}."] if a > 1 else []
    return tell(
        random,
        _ALL,
        f"{equation}.",
        "all x.",
        [
            *steps,
            f"{times(root, root)}, and (-{root}) × (-{root}) = {root * root} too.",
            f"So {_either([root, -root])}.",
        ],
        _solutions(x=[root, -root]),
        equation=equation,
    )


def common_x(random: Random) -> Told:
    a, r = random.randint(1, 8), _nonzero(random, -12, 12)
    b = -a * r
    move = random.random() < 0.4
    equation = f"{terms(x2=a)} = {terms(x=-b)}" if move else f"{terms(x2=a, x=b)} = 0"
    first = [f"Bring all to the left: {terms(x2=a, x=b)} = 0."] if move else []
    return tell(
        random,
        _ALL,
        f"{equation}.",
        "all x.",
        [
            *first,
            f"Take x out: x({terms(x=a, one=b)}) = 0.",
            f"x = 0, or {terms(x=a, one=b)} = 0: {divided(-b, a)}.",
            f"So {_either([0, r])}.",
        ],
        _solutions(x=[0, r]),
        equation=equation,
    )


def by_two_numbers(random: Random) -> Told:
    p, q = _nonzero(random, -10, 10), _nonzero(random, -10, 10)
    q = q if p + q else q % 10 + 1
    k, move = random.choice((1, 1, 1, 2, 3, 5)), random.choice((0, 0, 4, -6, 9))
    base = (k, k * (p + q), k * p * q)
    equation = f"{terms(x2=base[0], x=base[1], one=base[2] + move)} = {move}"
    steps = [f"Bring {move} to the left: {terms(x2=base[0], x=base[1], one=base[2])} = 0."] if move else []
    steps += [f"Divide by {k}: {terms(x2=1, x=p + q, one=p * q)} = 0."] if k > 1 else []
    one, two = (terms(x=1, one=each) for each in (p, q))
    return tell(
        random,
        _ALL,
        f"{equation}.",
        "all x.",
        [*steps, *find_two_numbers(p, q), f"({one})({two}) = 0.", f"So {_either([-p, -q])}."],
        _solutions(x=[-p, -q]),
        equation=equation,
    )


def distance_bars(random: Random) -> Told:
    b, r, k = _nonzero(random, -12, 12), random.randint(1, 15), random.randint(2, 20)
    inner = terms(x=1, one=b)
    moved = random.random() < 0.4
    equation = f"|{inner}| + {k} = {r + k}" if moved else f"|{inner}| = {r}"
    first = [f"Subtract {k}: {minus(r + k, k)}, so |{inner}| = {r}."] if moved else []
    return tell(
        random,
        _ALL,
        f"{equation}.",
        "all x.",
        [*first, f"{inner} is {r} or -{r}.", f"{minus(r, b)}.", f"{minus(-r, b)}.", f"So {_either([r - b, -r - b])}."],
        _solutions(x=[r - b, -r - b]),
        equation=equation,
    )


def bracket_squared(random: Random) -> Told:
    b, root, k = _nonzero(random, -9, 9), random.randint(1, 9), random.choice((1, 1, 2, 3))
    inner = terms(x=1, one=b)
    equation = f"{k if k > 1 else ''}({inner})^2 = {k * root * root}"
    first = [f"{divided(k * root * root, k)}, so ({inner})^2 = {root * root}."] if k > 1 else []
    return tell(
        random,
        _ALL,
        f"{equation}.",
        "all x.",
        [
            *first,
            f"The square of {root} and of -{root} is {root * root}, so {inner} is {root} or -{root}.",
            f"{minus(root, b)}.",
            f"{minus(-root, b)}.",
            f"So {_either([root - b, -root - b])}.",
        ],
        _solutions(x=[root - b, -root - b]),
        equation=equation,
    )


def linear_fraction(random: Random) -> Told:
    a, b, c, d = _nonzero(random, -9, 9), _nonzero(random, -15, 15), _nonzero(random, -9, 9), _nonzero(random, -15, 15)
    c = c if c != a else c + 10
    value = Fraction(d - b, a - c)
    equation = f"{terms(x=a, one=b)} = {terms(x=c, one=d)}"
    return tell(
        random,
        _ALL,
        f"{equation}.",
        "x.",
        [
            f"x to the left: {minus(a, c)}, so {terms(x=a - c)} on the left.",
            f"Numbers to the right: {minus(d, b)}.",
            f"{terms(x=a - c)} = {d - b}.",
            f"x = {signed(d - b)} ÷ {signed(a - c)} = {value}.",
        ],
        _solutions(x=[value]),
        equation=equation,
    )


def cross_multiply(random: Random) -> Told:
    a, x = random.randint(2, 9), _nonzero(random, -12, 15)
    b, c = random.randint(2, 9), random.randint(1, 12)
    b = a * b // gcd(a, b)
    top = x + c
    equation = f"(x + {c})/{b} = {Fraction(top, b)}" if top % b else f"(x + {c})/{b} = {top // b}"
    right = Fraction(top, b)
    return tell(
        random,
        _ALL,
        f"{equation}.",
        "x.",
        [f"Times {b}: {right} × {b} = {top}, so x + {c} = {top}.", f"{minus(top, c)}, so x = {x}."],
        _solutions(x=[x]),
        equation=equation,
    )


def unknown_below(random: Random) -> Told:
    x, k = _nonzero(random, -12, 12), random.choice([each for each in range(-9, 10) if abs(each) > 1])
    b = _nonzero(random, -9, 9)
    b = b if x + b else b + 1
    top = k * (x + b)
    inner = terms(x=1, one=b)
    equation = f"{top}/({inner}) = {k}"
    return tell(
        random,
        _ALL,
        f"{equation}.",
        "x.",
        [
            f"Times ({inner}): {top} = {k}({inner}).",
            f"{divided(top, k)}, so {inner} = {top // k}.",
            f"{minus(top // k, b)}, so x = {x}.",
        ],
        _solutions(x=[x]),
        equation=equation,
    )


def cube_and_more(random: Random) -> Told:
    r = random.randint(2, 11)
    if random.random() < 0.5:
        equation, values = f"x^3 = {r * r}x", [0, r, -r]
        steps = [
            f"Bring all to the left: x^3 - {r * r}x = 0.",
            f"Take x out: x(x^2 - {r * r}) = 0.",
            f"x = 0 or x^2 = {r * r}.",
        ]
    else:
        p, q = _nonzero(random, -7, 7), _nonzero(random, -7, 7)
        q = q if p + q else q % 7 + 1
        values = [0, -p, -q]
        equation = f"x^3 {'+' if p + q > 0 else '-'} {terms(x2=abs(p + q))} {'+' if p * q > 0 else '-'} {terms(x=abs(p * q))} = 0"
        steps = [f"Take x out: x({terms(x2=1, x=p + q, one=p * q)}) = 0.", *find_two_numbers(p, q)]
    return tell(
        random,
        _ALL,
        f"{equation}.",
        "all x.",
        [*steps, f"So {_either(values)}."],
        _solutions(x=values),
        equation=equation,
    )


_PAIR = "pair_of_solutions"


def add_equations(random: Random) -> Told:
    x, y = random.randint(-9, 12), random.randint(-9, 12)
    a, c, b = _nonzero(random, -6, 7), _nonzero(random, -6, 7), random.randint(1, 6)
    while a + c == 0:
        c = _nonzero(random, -6, 7)
    one, two = f"{terms(x=a, y=b)} = {a * x + b * y}", f"{terms(x=c, y=-b)} = {c * x - b * y}"
    total, right = a + c, (a + c) * x
    return tell(
        random,
        _PAIR,
        f"{one} and {two}.",
        "x and y.",
        [
            f"Add both equations, y vanishes: {plus(a, c)}, {plus(a * x + b * y, c * x - b * y)}, so {terms(x=total)} = {right}.",
            f"x: {divided(right, total)}.",
            f"Put in: {signed(a)} × {signed(x)} = {a * x}, {minus(a * x + b * y, a * x)}, so {terms(y=b)} = {b * y}.",
            f"y: {divided(b * y, b)}.",
            f"So x = {x}, y = {y}.",
        ],
        _solutions(x=[x], y=[y]),
        one=one,
        two=two,
    )


def scale_and_subtract(random: Random) -> Told:
    x, y = random.randint(-8, 10), random.randint(-8, 10)
    a, b, k, d = random.randint(1, 5), _nonzero(random, -6, 6), random.randint(2, 4), _nonzero(random, -7, 7)
    while d == k * b:
        d = _nonzero(random, -7, 7)
    s, t = a * x + b * y, a * k * x + d * y
    one, two = f"{terms(x=a, y=b)} = {s}", f"{terms(x=a * k, y=d)} = {t}"
    rest, right = d - k * b, t - k * s
    return tell(
        random,
        _PAIR,
        f"{one} and {two}.",
        "x and y.",
        [
            f"First times {k}: {terms(x=a * k, y=k * b)} = {k * s}.",
            f"Second minus this: {minus(d, k * b)}, {minus(t, k * s)}, so {terms(y=rest)} = {right}.",
            f"y: {divided(right, rest)}.",
            f"Put in: {signed(b)} × {signed(y)} = {b * y}, {minus(s, b * y)}, so {terms(x=a)} = {s - b * y}.",
            f"x: {divided(s - b * y, a)}.",
            f"So x = {x}, y = {y}.",
        ],
        _solutions(x=[x], y=[y]),
        one=one,
        two=two,
    )


def insert_one(random: Random) -> Told:
    x, m, c = random.randint(-8, 10), _nonzero(random, -5, 6), random.randint(-12, 12)
    y = m * x + c
    a, b = _nonzero(random, -6, 6), _nonzero(random, -5, 5)
    a = a if a + b * m else a + 7
    one, two = f"y = {terms(x=m, one=c)}", f"{terms(x=a, y=b)} = {a * x + b * y}"
    right, total = a * x + b * y, a + b * m
    return tell(
        random,
        _PAIR,
        f"{one} and {two}.",
        "x and y.",
        [
            f"Put the first into the second: {signed(b)} times ({terms(x=m, one=c)}) is {terms(x=b * m, one=b * c)}.",
            f"x: {plus(a, b * m)}, so {terms(x=total, one=b * c)} = {right}.",
            f"{minus(right, b * c)}, {divided(right - b * c, total)}, so x = {x}.",
            f"y: {signed(m)} × {signed(x)} + {signed(c)} = {y}.",
            f"So x = {x}, y = {y}.",
        ],
        _solutions(x=[x], y=[y]),
        one=one,
        two=two,
    )


def lines_meet(random: Random) -> Told:
    x, m, n, c = random.randint(-8, 9), _nonzero(random, -6, 6), _nonzero(random, -6, 6), random.randint(-12, 12)
    n = n if n != m else n + 7
    d = (m - n) * x + c
    y = m * x + c
    one, two = f"y = {terms(x=m, one=c)}", f"y = {terms(x=n, one=d)}"
    return tell(
        random,
        _PAIR,
        f"{one} and {two}.",
        "x and y.",
        [
            f"Both are y: {terms(x=m, one=c)} = {terms(x=n, one=d)}.",
            f"{minus(m, n)}, {minus(d, c)}, so {terms(x=m - n)} = {d - c}.",
            f"x: {divided(d - c, m - n)}.",
            f"y: {signed(m)} × {signed(x)} + {signed(c)} = {y}.",
            f"So x = {x}, y = {y}.",
        ],
        _solutions(x=[x], y=[y]),
        one=one,
        two=two,
    )


def two_prices(random: Random) -> Told:
    x, y = random.randint(2, 15), random.randint(2, 15)
    a, b = random.randint(1, 5), random.randint(1, 5)
    c, k = random.randint(1, 5), random.randint(2, 3)
    c += c == a * k
    s, t = a * x + b * y, c * x + k * b * y
    p, q = random.choice((("tulip", "rose"), ("coffee", "cake"), ("brush", "canvas"), ("ball", "racket")))
    rest, right = a * k - c, k * s - t
    return tell(
        random,
        "two_prices",
        f"{terms(x=a, y=b)} = {s} and {terms(x=c, y=k * b)} = {t}.",
        "x and y.",
        [
            f"First times {k}: {terms(x=a * k, y=k * b)} = {k * s}.",
            f"Minus the second: {minus(a * k, c)}, {minus(k * s, t)}, so {terms(x=rest)} = {right}.",
            f"x: {divided(right, rest)}.",
            f"{times(a, x)}, {minus(s, a * x)}, so {terms(y=b)} = {b * y}.",
            f"y: {divided(b * y, b)}.",
            f"So x = {x}, y = {y}.",
        ],
        _solutions(x=[x], y=[y]),
        a=a,
        b=b,
        s=s,
        c=c,
        kb=k * b,
        t=t,
        p=p,
        q=q,
    )


def sum_and_multiple(random: Random) -> Told:
    small, k, extra = random.randint(3, 40), random.randint(2, 6), random.randint(0, 12)
    big = k * small + extra
    one, two = names(random, 2)
    more = f" plus {extra}" if extra else ""
    return tell(
        random,
        "sum_and_multiple",
        f"x + y = {small + big}, y = {terms(x=k, one=extra)}.",
        "x and y.",
        [
            f"Put y in: x + {terms(x=k, one=extra)} = {small + big}, so {terms(x=k + 1, one=extra)} = {small + big}.",
            f"{minus(small + big, extra)}, {divided(small + big - extra, k + 1)}, so x = {small}.",
            f"y: {minus(small + big, small)}.",
            f"So x = {small}, y = {big}.",
        ],
        _solutions(x=[small], y=[big]),
        one=one,
        two=two,
        total=small + big,
        k=k,
        more=more,
        extra=extra,
    )


def area_gives_side(random: Random) -> Told:
    x, k = random.randint(2, 20), random.randint(1, 12)
    area = x * (x + k)
    return tell(
        random,
        "area_gives_side",
        f"x(x + {k}) = {area}, x > 0.",
        "the positive x.",
        [
            f"x^2 + {terms(x=k)} - {area} = 0.",
            *find_two_numbers(-x, x + k),
            f"So x = {x} or x = {-x - k}. Only x = {x} is positive.",
            f"Check: {times(x, x + k)}.",
        ],
        _solutions(x=[x]),
        k=k,
        area=area,
    )


def leading_number(random: Random) -> Told:
    a, p, q = random.choice((2, 3, 5)), _nonzero(random, -7, 7), _nonzero(random, -7, 7)
    while gcd(a, p) > 1 or a * q + p == 0:
        a, p, q = random.choice((2, 3, 5)), _nonzero(random, -7, 7), _nonzero(random, -7, 7)
    b, c = a * q + p, p * q
    values = [Fraction(-p, a), Fraction(-q)]
    equation = f"{terms(x2=a, x=b, one=c)} = 0"
    return tell(
        random,
        _ALL,
        f"{equation}.",
        "all x.",
        [
            f"a × c is {times(a, c)}.",
            *find_two_numbers(p, a * q),
            f"Split the middle: {terms(x2=a)} {added(terms(x=a * q))} {added(terms(x=p))} {added(str(c))}.",
            f"({terms(x=a, one=p)})({terms(x=1, one=q)}) = 0.",
            f"So {_either(values)}.",
        ],
        _solutions(x=values),
        equation=equation,
    )


EASY = [factors_given, square_equals, distance_bars, cross_multiply, sum_and_multiple]
MEDIUM = [common_x, bracket_squared, linear_fraction, unknown_below, add_equations, insert_one, lines_meet]
HARD = [by_two_numbers, cube_and_more, scale_and_subtract, two_prices, area_gives_side, leading_number]
