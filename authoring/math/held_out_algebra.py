"""More held-out families of algebra: expressions, equations and all their solutions, of kinds that are not learnt from."""

from fractions import Fraction
from math import gcd
from random import Random

from verigym.environments.math.asked import Asked, Family, equation, expression, solutions, terms

SMALL = [each for each in range(-9, 10) if each]


# -- easy --------------------------------------------------------------------------------------------------------------------


def negated(draw: Random) -> Asked:
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


def consecutive_sum(draw: Random) -> Asked:
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


def nuts_and_raisins(draw: Random) -> Asked:
    one, two, total = draw.randint(7, 19), draw.randint(3, 6), draw.randrange(60, 200, 5)
    return equation(
        draw.choice(
            [
                f"x kg of walnuts ({one} euros per kg) plus y kg of raisins ({two} euros per kg) cost exactly "
                f"{total} euros. Translate this into an equation.",
                f"Someone spends {total} euros altogether, buying x kilos of walnuts at {one} euros per kilo and y "
                f"kilos of raisins at {two} euros per kilo. Formulate the corresponding equation.",
            ]
        ),
        f"Walnuts: {one}x. Raisins: {two}y. Together {total}.",
        f"{one}x + {two}y = {total}",
    )


def reflected_line(draw: Random) -> Asked:
    m, c = draw.choice(SMALL), draw.choice(SMALL)
    across = draw.random() < 0.5
    right = f"y = {terms(x=-m, one=c if across else -c)}"
    axis = "y-axis" if across else "x-axis"
    return equation(
        draw.choice(
            [
                f"Reflect y = {terms(x=m, one=c)} across the {axis}. Resulting equation?",
                f"Mirror image of y = {terms(x=m, one=c)}, the mirror being the {axis}: state its equation.",
            ]
        ),
        f"In the mirror {'x becomes -x' if across else 'y becomes -y'}.\n{right}.",
        right,
    )


def cube_root(draw: Random) -> Asked:
    root, k, b = draw.choice([each for each in range(-6, 8) if each]), draw.choice([1, 2, 3]), draw.choice(SMALL)
    front = "" if k == 1 else k
    sign = "+" if b > 0 else "-"
    return solutions(
        draw.choice(
            [
                f"Determine all real v satisfying {front}v³ {sign} {abs(b)} = {k * root**3 + b}.",
                f"{front}v³ {sign} {abs(b)} = {k * root**3 + b}; real solutions for v?",
            ]
        ),
        f"{front}v^3 = {k * root**3}, so v^3 = {root**3}.\nOnly {root} has this cube.",
        v=[root],
    )


def fixed_multiple(draw: Random) -> Asked:
    a, k = draw.randint(3, 15), draw.choice([2, 3, 4, 5])
    return solutions(
        draw.choice(
            [
                f"Variables a and b obey b = {k}a and a + b = {a * (k + 1)}. Compute both.",
                f"Given a + b = {a * (k + 1)} while b equals {k} times a, determine a and b.",
            ]
        ),
        f"a + {k}a = {k + 1}a = {a * (k + 1)}, so a = {a}.\nb = {k} × {a} = {k * a}.",
        a=[a],
        b=[k * a],
    )


# -- medium ------------------------------------------------------------------------------------------------------------------


def common_bracket(draw: Random) -> Asked:
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


def fraction_sum(draw: Random) -> Asked:
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


def boiling_scale(draw: Random) -> Asked:
    ice, step = draw.choice([10, 20, 30, 40, 50]), draw.choice([2, 3, 4, 5])
    return equation(
        draw.choice(
            [
                f"A fictional thermometer shows {ice} zorks where Celsius shows 0, and {ice + 100 * step} zorks "
                "where Celsius shows 100. Assuming linearity, formulate Z (zorks) via C (Celsius).",
                f"Zorks Z depend linearly on Celsius C. C = 0 corresponds to Z = {ice}, C = 100 corresponds to Z = "
                f"{ice + 100 * step}. Derive the formula for Z.",
            ]
        ),
        f"For 100 degrees Z grows by {100 * step}, so {step} each.",
        f"Z = {step}C + {ice}",
    )


FORMULAS = [
    ("I = U/R", "R", "R = U/I", "IR = U"),
    ("p = 2kn - n", "k", "k = (p + n)/(2n)", "2kn = p + n"),
    ("W = F(b - a)", "a", "a = b - W/F", "b - a = W/F"),
    ("J = (x + 3y)/z", "x", "x = Jz - 3y", "x + 3y = Jz"),
    ("J = (x + 3y)/z", "y", "y = (Jz - x)/3", "3y = Jz - x"),
    ("M = 7(g + h)", "g", "g = M/7 - h", "g + h = M/7"),
    ("X = rs - 6", "s", "s = (X + 6)/r", "rs = X + 6"),
    ("e = (u - v)/u", "v", "v = u - eu", "eu = u - v"),
]


def rewrite_for(draw: Random) -> Asked:
    formula, name, right, step = draw.choice(FORMULAS)
    return equation(
        draw.choice(
            [f"Transpose {formula}, giving {name} explicitly.", f"{formula}. Express {name} through everything else."]
        ),
        f"{step}.\n{right}.",
        right,
        f"solved {name}",
    )


def double_root(draw: Random) -> Asked:
    a, b = draw.choice([1, 1, 2, 3, 4, 5]), draw.randint(1, 9)
    front = a * a if a > 1 else ""
    return solutions(
        draw.choice(
            [
                f"Determine every parameter m making {front}x² + mx + {b * b} = 0 possess a double root.",
                f"{front}x² + mx + {b * b} is the square of a linear polynomial. Possible parameters m?",
            ]
        ),
        f"The discriminant m^2 - 4 × {a * a} × {b * b} must be 0.\nSo m^2 = {4 * a * a * b * b}, and m = "
        f"{2 * a * b} or m = {-2 * a * b}.",
        m=[2 * a * b, -2 * a * b],
    )


def two_means(draw: Random) -> Asked:
    r, s = draw.sample(range(2, 40), 2)
    if (r + s) % 2:
        s += 1
    third = draw.choice([each for each in range(1, 30) if (r + 2 * s + each) % 4 == 0])
    return solutions(
        draw.choice(
            [
                f"Averaging r and s yields {(r + s) // 2}; averaging the four numbers r, s, s, {third} yields "
                f"{(r + 2 * s + third) // 4}. Determine r and s.",
                f"Mean of r, s: {(r + s) // 2}. Mean of r, s, s, {third}: {(r + 2 * s + third) // 4}. Compute r and s.",
            ]
        ),
        f"r + s = {r + s}, and r + 2s = {r + 2 * s + third} - {third} = {r + 2 * s}.\nSo s = {s} and r = {r}.",
        r=[r],
        s=[s],
    )


# -- hard --------------------------------------------------------------------------------------------------------------------


def long_product(draw: Random) -> Asked:
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


def grouped(draw: Random) -> Asked:
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


def midline(draw: Random) -> Asked:
    x, y, half, up = draw.choice(SMALL), draw.choice(SMALL), draw.randint(1, 4), draw.choice([-3, -2, -1, 1, 2, 3])
    one, two = (x - half, y - up), (x + half, y + up)
    c = half * x + up * y
    return equation(
        draw.choice(
            [
                f"Points P{one} and Q{two} are given. Derive an equation, in x and y, of the perpendicular bisector "
                "of PQ.",
                f"Which points (x, y) are equally far from {one} and from {two}? Characterise them through one "
                "linear equation.",
            ]
        ),
        f"The midpoint is ({x}, {y}), and the direction of PQ is ({half}, {up}).\n{terms(x=half, y=up)} = {c}.",
        f"{terms(x=half, y=up)} = {c}",
    )


def tangent(draw: Random) -> Asked:
    a, b, x = draw.choice([1, 2, 3]), draw.choice(SMALL), draw.choice([-4, -3, -2, -1, 1, 2, 3, 4])
    c = draw.choice(SMALL)
    slope = 2 * a * x + b
    while slope == 0:
        b += 1
        slope = 2 * a * x + b
    y = a * x * x + b * x + c
    curve = terms(x2=a, x=b, one=c)
    right = f"y = {terms(x=slope, one=y - slope * x)}"
    return equation(
        draw.choice(
            [
                f"Derive the tangent to y = {curve} touching it where x = {x}; report an equation y = ...",
                f"Tangent line of the graph y = {curve} at x = {x}: equation?",
            ]
        ),
        f"The derivative is {terms(x=2 * a, one=b)}; at {x} it is {slope}, and y = {y}.\n{right}.",
        right,
    )


def pair_of_squares(draw: Random) -> Asked:
    a, b = sorted(draw.sample(range(2, 15), 2))
    return solutions(
        draw.choice(
            [
                f"Positive integers g and h fulfil g² + h² = {a * a + b * b} together with h - g = {b - a}. "
                "Determine g and h.",
                f"h exceeds g by {b - a}, both are positive, and their squares total {a * a + b * b}. Compute g and h.",
            ]
        ),
        f"g^2 + (g + {b - a})^2 = {a * a + b * b}.\n2g^2 + {2 * (b - a)}g = {a * a + b * b - (b - a) ** 2}, and the "
        f"positive root is g = {a}; h = {b}.",
        g=[a],
        h=[b],
    )


def ratio_equation(draw: Random) -> Asked:
    p, q = draw.choice(SMALL), draw.choice(SMALL)
    while p == q or 0 in (p + q, p - 1, q - 1):
        p, q = draw.choice(SMALL), draw.choice(SMALL)
    b, c = p + q - 1, -p * q
    left = terms(j=b, one=c)
    top = f"({left})" if b else left
    return solutions(
        draw.choice(
            [
                f"Cross-multiply, then determine every j: j = {top}/(j - 1)",
                f"Every admissible j solving j = {top}/(j - 1)?",
            ]
        ),
        f"j(j - 1) = {left}, so {terms(j2=1, j=-p - q, one=p * q)} = "
        f"0.\n({terms(j=1, one=-p)})({terms(j=1, one=-q)}) = 0, and neither makes j - 1 zero.",
        j=[p, q],
    )


EASY: list[Family] = [negated, consecutive_sum, nuts_and_raisins, reflected_line, cube_root, fixed_multiple]
MEDIUM: list[Family] = [common_bracket, fraction_sum, boiling_scale, rewrite_for, double_root, two_means]
HARD: list[Family] = [long_product, grouped, midline, tangent, pair_of_squares, ratio_equation]
