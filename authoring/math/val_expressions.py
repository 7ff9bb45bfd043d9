"""Held-out problems whose answer is an expression. Each function is a family."""

from fractions import Fraction
from math import gcd
from random import Random

from authoring.math.notation import SMALL
from verigym.environments.math.questions import Family, Question, expression, terms


def kennel(draw: Random) -> Question:
    w, more = draw.randint(2, 5), draw.randint(3, 14)
    return expression(
        draw.choice(
            [
                f"A dog run is w metres wide; its length is {more} metres more than {w} times its width. Express its "
                "perimeter in metres through w, bracket-free.",
                f"Width w metres; length exceeds {w} times the width by {more} metres. Perimeter of this rectangle "
                "in metres, through w and bracket-free?",
            ]
        ),
        f"The length is {w}w + {more}.\n2(w + {w}w + {more}) = {2 + 2 * w}w + {2 * more}.",
        terms(w=2 + 2 * w, one=2 * more),
        "expanded",
    )


def squared_sum(draw: Random) -> Question:
    a, b = draw.randint(2, 7), draw.choice([each for each in range(-9, 10) if each])
    return expression(
        draw.choice(
            [
                f"Expand the square of {terms(z=a, one=b)}, collecting like powers of z.",
                f"({terms(z=a, one=b)})² expanded and ordered by powers of z?",
            ]
        ),
        f"({terms(z=a, one=b)})^2 = ({a}z)^2 + 2 × {a}z × ({b}) + ({b})^2.",
        terms(z2=a * a, z=2 * a * b, one=b * b),
        "expanded",
    )


def negated(draw: Random) -> Question:
    a, b, c = draw.choice(SMALL), draw.choice(SMALL), draw.choice(SMALL)
    shown = terms(p=a, q=b, r=c)
    return expression(
        draw.choice(
            [
                f"Determine the additive inverse of {shown}, bracket-free.",
                f"Flip every sign: -({shown}) equals which bracket-free expression?",
            ]
        ),
        "Each of the three terms changes its sign.",
        terms(p=-a, q=-b, r=-c),
        "expanded",
    )


def consecutive_sum(draw: Random) -> Question:
    count, step = draw.randint(4, 8), draw.choice([1, 2, 3, 5])
    rest = step * count * (count - 1) // 2
    return expression(
        draw.choice(
            [
                f"Integers grow in increments of {step}, the smallest being n. Express the sum of {count} such "
                "integers through n, bracket-free.",
                f"Sum of {count} integers n, n + {step}, n + {2 * step} and so forth? Collect everything into a "
                "bracket-free expression.",
            ]
        ),
        f"n occurs {count} times, and the increments make {rest}.",
        terms(n=count, one=rest),
        "expanded",
    )


def common_bracket(draw: Random) -> Question:
    a, b, c = draw.randint(2, 8), draw.choice([1, 2, 3, 5]), draw.choice(SMALL)
    shown = (
        f"{terms(k=a)}(k {'+' if c > 0 else '-'} {abs(c)}) + {b if b > 1 else ''}(k {'+' if c > 0 else '-'} {abs(c)})"
    )
    return expression(
        draw.choice(
            [
                f"Pull out the shared bracket so that {shown} becomes a pure product.",
                f"Rewrite {shown} purely as a product of two linear brackets.",
            ]
        ),
        f"The bracket k {'+' if c > 0 else '-'} {abs(c)} is taken {terms(k=a, one=b)} times.",
        f"({terms(k=a, one=b)})({terms(k=1, one=c)})",
        "factored",
    )


def fraction_sum(draw: Random) -> Question:
    a, b = draw.choice([(2, 3), (3, 4), (2, 5), (3, 5), (4, 5), (5, 6), (2, 7), (3, 8), (4, 7), (5, 8)])
    k, m = (draw.choice([each for each in range(1, 6) if gcd(each, bottom) == 1]) for bottom in (a, b))
    total = Fraction(k, a) + Fraction(m, b)
    top = [f"{each if each > 1 else ''}w" for each in (k, m)]
    return expression(
        draw.choice(
            [
                f"Combine {top[0]}/{a} + {top[1]}/{b} into one single term.",
                f"Merge into one term: {top[0]}/{a} + {top[1]}/{b}.",
            ]
        ),
        f"Over {a * b}: {k * b}w and {m * a}w, which makes {k * b + m * a}w/{a * b}.",
        f"{total.numerator}w/{total.denominator}",
        "expanded",
    )


def long_product(draw: Random) -> Question:
    a, b, c, d = draw.choice(SMALL), draw.choice(SMALL), draw.randint(1, 4), draw.choice(SMALL)
    first, rest = f"{c if c > 1 else ''}h^3", terms(h2=d + a * c, h=a * d + b * c, one=b * d)
    right = f"{first} - {rest[1:]}" if rest.startswith("-") else f"{first} + {rest}"
    return expression(
        draw.choice(
            [
                f"Expand ({terms(h2=1, h=a, one=b)})({terms(h=c, one=d)}), ordering by descending exponents of h.",
                f"Polynomial product, fully expanded in h: ({terms(h=c, one=d)})({terms(h2=1, h=a, one=b)})",
            ]
        ),
        f"h^2: {d} + ({a}) × {c} = {d + a * c}.\nh: ({a}) × ({d}) + ({b}) × {c} = {a * d + b * c}.\n"
        f"Constant: ({b}) × ({d}) = {b * d}.",
        right,
        "expanded",
    )


def grouped(draw: Random) -> Question:
    a, b = draw.choice([2, 3, 4, 5, 6, 7]), draw.choice(SMALL)
    shown = f"ux {'+' if b > 0 else '-'} {terms(u=abs(b))} + {a}x {'+' if b > 0 else '-'} {a * abs(b)}"
    return expression(
        draw.choice(
            [
                f"Factor by grouping: {shown}",
                f"Group terms cleverly, thereby factoring {shown} into two brackets.",
            ]
        ),
        f"u(x {'+' if b > 0 else '-'} {abs(b)}) + {a}(x {'+' if b > 0 else '-'} {abs(b)}).",
        f"(u + {a})(x {'+' if b > 0 else '-'} {abs(b)})",
        "factored",
    )


EASY: list[Family] = [
    negated,
    consecutive_sum,
]
MEDIUM: list[Family] = [
    kennel,
    squared_sum,
    common_bracket,
    fraction_sum,
]
HARD: list[Family] = [
    long_product,
    grouped,
]
