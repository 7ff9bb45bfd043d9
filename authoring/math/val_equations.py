"""Held-out problems whose answer is an equation. Each function is a family."""

from fractions import Fraction
from random import Random

from authoring.math.notation import SMALL
from verigym.environments.math.questions import Family, Question, equation, terms

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


def perpendicular(draw: Random) -> Question:
    m, n = draw.choice([(2, 3), (3, 2), (1, 2), (3, 4), (1, 3), (5, 2), (2, 5), (4, 3)])
    x, y = draw.randint(-6, 6), draw.randint(-6, 6)
    c = m * x + n * y
    return equation(
        draw.choice(
            [
                f"Through ({x}, {y}) runs a straight line at a right angle to every line of slope {Fraction(n, m)}. "
                "State an "
                "equation for it in "
                "x and y.",
                f"State an equation, involving x and y, of the line perpendicular to slope {Fraction(n, m)} passing "
                f"through ({x}, {y}).",
            ]
        ),
        f"Its slope is {Fraction(-m, n)}, so it is {terms(x=m, y=n)} = c.\nc = {m} × ({x}) + {n} × ({y}) = {c}.",
        f"{terms(x=m, y=n)} = {c}",
    )


def nuts_and_raisins(draw: Random) -> Question:
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


def reflected_line(draw: Random) -> Question:
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


def boiling_scale(draw: Random) -> Question:
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


def rewrite_for(draw: Random) -> Question:
    formula, name, right, step = draw.choice(FORMULAS)
    return equation(
        draw.choice(
            [f"Transpose {formula}, giving {name} explicitly.", f"{formula}. Express {name} through everything else."]
        ),
        f"{step}.\n{right}.",
        right,
        f"solved {name}",
    )


def midline(draw: Random) -> Question:
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


def tangent(draw: Random) -> Question:
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


EASY: list[Family] = [
    nuts_and_raisins,
    reflected_line,
]
MEDIUM: list[Family] = [
    boiling_scale,
    rewrite_for,
]
HARD: list[Family] = [
    perpendicular,
    midline,
    tangent,
]
