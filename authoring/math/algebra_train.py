"""Algebra to learn from: equations, expressions, lines and sequences. A function is a family."""

from fractions import Fraction
from math import gcd
from random import Random

from verigym.environments.math.asked import Asked, Family, equation, expression, number, plain, solutions, terms


def _whole(draw: Random, low: int, high: int) -> int:
    """Between them, but not 0."""
    return draw.choice([each for each in range(low, high + 1) if each])


# -- easy --------------------------------------------------------------------------------------------------------------------


def one_unknown(draw: Random) -> Asked:
    a, x, b = draw.randint(2, 12), _whole(draw, -12, 15), _whole(draw, -30, 30)
    return number(
        draw.choice(
            [
                f"Solve for x: {terms(x=a, one=b)} = {a * x + b}",
                f"{terms(x=a, one=b)} = {a * x + b}. What is x?",
                f"Which number x makes {terms(x=a, one=b)} equal to {a * x + b}?",
                f"Find the value of x with {terms(x=a, one=b)} = {a * x + b}.",
            ]
        ),
        f"{a}x = {a * x + b} {'-' if b > 0 else '+'} {abs(b)} = {a * x}.\nx = {a * x} ÷ {a} = {x}.",
        x,
    )


def evaluate(draw: Random) -> Asked:
    a, b, c, x = draw.randint(2, 6), _whole(draw, -9, 9), _whole(draw, -20, 20), _whole(draw, -6, 7)
    return number(
        draw.choice(
            [
                f"What is {terms(x2=a, x=b, one=c)} for x = {x}?",
                f"Put x = {x} into {terms(x2=a, x=b, one=c)}. What is the result?",
                f"Let x = {x}. Work out {terms(x2=a, x=b, one=c)}.",
                f"Find the value of {terms(x2=a, x=b, one=c)} at x = {x}.",
            ]
        ),
        f"{a} × ({x})^2 = {a * x * x}, and {b} × ({x}) = {b * x}.\n{a * x * x} + ({b * x}) + ({c}) = "
        f"{a * x * x + b * x + c}.",
        a * x * x + b * x + c,
    )


def remove_bracket(draw: Random) -> Asked:
    a, b, c, d = (
        draw.choice([-5, -4, -3, -2, 2, 3, 4, 5, 6, 7, 8, 9]),
        draw.randint(2, 9),
        _whole(draw, -12, 12),
        _whole(draw, -15, 15),
    )
    right = terms(x=a * b, one=a * c + d)
    return expression(
        draw.choice(
            [
                f"Multiply out and simplify: {a}({terms(x=b, one=c)}) {'+' if d > 0 else '-'} {abs(d)}",
                f"Write {a}({terms(x=b, one=c)}) {'+' if d > 0 else '-'} {abs(d)} without brackets and as short as "
                "possible.",
                f"Remove the brackets and collect: {a}({terms(x=b, one=c)}) {'+' if d > 0 else '-'} {abs(d)}",
                f"What is {a}({terms(x=b, one=c)}) {'+' if d > 0 else '-'} {abs(d)} when it is multiplied out and "
                "simplified?",
            ]
        ),
        f"{a} times {terms(x=b, one=c)} is {terms(x=a * b, one=a * c)}.\nWith {d}: {right}.",
        right,
        "expanded",
    )


def like_terms(draw: Random) -> Asked:
    a, b, c, d = (_whole(draw, -12, 15) for _ in range(4))
    c = c + 1 if a + c == 0 else c
    right = terms(x=a + c, y=b + d)
    shown = f"{terms(x=a, y=b)} {'+' if c > 0 else '-'} {terms(x=abs(c))} {'+' if d > 0 else '-'} {terms(y=abs(d))}"
    return expression(
        draw.choice(
            [
                f"Simplify, without brackets: {shown}",
                f"Collect the terms in x and in y: {shown}",
                f"Put like terms together in {shown}, without brackets.",
                f"{shown} can be written with fewer terms and no brackets. How?",
            ]
        ),
        f"x: {a} + ({c}) = {a + c}.\ny: {b} + ({d}) = {b + d}.",
        right,
        "expanded",
    )


def in_symbols(draw: Random) -> Asked:
    a, b = draw.randint(3, 15), draw.randint(2, 30)
    less = draw.random() < 0.5
    words = f"{b} less than {a} times n" if less else f"{a} times the number that is {b} more than n"
    right = terms(n=a, one=-b) if less else terms(n=a, one=a * b)
    return expression(
        draw.choice(
            [
                f"Write as an expression in n, without brackets: {words}",
                f"Turn these words into an expression in n without brackets: {words}.",
                f"{words[0].upper() + words[1:]}: which expression in n is that, with no brackets?",
                f"What is {words}? Answer with an expression in n, brackets multiplied out.",
            ]
        ),
        f"{a} times n is {a}n." if less else f"{b} more than n is n + {b}, and {a} times that is {a}n + {a * b}.",
        right,
        "expanded",
    )


def common_factor(draw: Random) -> Asked:
    a, b, c = draw.randint(2, 9), draw.choice([1, 2, 3, 5, 7]), _whole(draw, -9, 9)
    while gcd(b, c) > 1:
        c -= 1
    return expression(
        draw.choice(
            [
                f"Factorise: {terms(x2=a * b, x=a * c)}",
                f"Take the common factor out of {terms(x2=a * b, x=a * c)} and write it as a product.",
                f"Write {terms(x2=a * b, x=a * c)} as a product with nothing left to take out of the bracket.",
                f"{terms(x2=a * b, x=a * c)}: put in front of a bracket all that both terms share.",
            ]
        ),
        f"Both terms have {a}x in them: {a * b}x^2 = {a}x × {terms(x=b)}, and {a * c}x = {a}x × ({c}).",
        f"{a}x({terms(x=b, one=c)})",
        "fully factored",
    )


# -- medium ------------------------------------------------------------------------------------------------------------------


def both_sides(draw: Random) -> Asked:
    a, c, b, d = draw.randint(2, 12), draw.randint(2, 12), _whole(draw, -20, 20), _whole(draw, -20, 20)
    a = a + 1 if a == c else a
    x = Fraction(d - b, a - c)
    return number(
        draw.choice(
            [
                f"Find x: {terms(x=a, one=b)} = {terms(x=c, one=d)}. Give a fraction where it is not whole.",
                f"{terms(x=a, one=b)} = {terms(x=c, one=d)}. What is x, as a fraction if it is not whole?",
                f"For which x are {terms(x=a, one=b)} and {terms(x=c, one=d)} equal? A fraction may come out.",
                f"Solve {terms(x=a, one=b)} = {terms(x=c, one=d)} for x, exactly.",
            ]
        ),
        f"{terms(x=a - c)} = {d - b}.\nx = {d - b} ÷ ({a - c}) = {plain(x)}.",
        x,
    )


def two_brackets(draw: Random) -> Asked:
    a, b, c, d = draw.randint(1, 5), _whole(draw, -9, 9), draw.randint(1, 4), _whole(draw, -9, 9)
    right = terms(x2=a * c, x=a * d + b * c, one=b * d)
    return expression(
        draw.choice(
            [
                f"Expand and simplify: ({terms(x=a, one=b)})({terms(x=c, one=d)})",
                f"Write ({terms(x=a, one=b)})({terms(x=c, one=d)}) without brackets and put like terms together.",
                f"Multiply ({terms(x=a, one=b)}) by ({terms(x=c, one=d)}) and simplify.",
                f"What is ({terms(x=a, one=b)})({terms(x=c, one=d)}) when it is multiplied out?",
            ]
        ),
        f"x^2: {a} × {c} = {a * c}.\nx: {a} × ({d}) + ({b}) × {c} = {a * d + b * c}.\nWithout x: ({b}) × ({d}) = "
        f"{b * d}.",
        right,
        "expanded",
    )


def quadratic_factors(draw: Random) -> Asked:
    p, q = _whole(draw, -11, 11), _whole(draw, -11, 11)
    return expression(
        draw.choice(
            [
                f"Write as a product of two brackets: {terms(x2=1, x=p + q, one=p * q)}",
                f"Factorise {terms(x2=1, x=p + q, one=p * q)} into two brackets.",
                f"Which product of two brackets is the same as {terms(x2=1, x=p + q, one=p * q)}?",
                f"{terms(x2=1, x=p + q, one=p * q)} = (x ...)(x ...): fill in and write the product.",
            ]
        ),
        f"Two numbers with the sum {p + q} and the product {p * q} are {p} and {q}.",
        f"({terms(x=1, one=p)})({terms(x=1, one=q)})",
        "factored",
    )


FORMULAS = [
    ("v = u + at", "t", "t = (v - u)/a", "at = v - u"),
    ("v = u + at", "a", "a = (v - u)/t", "at = v - u"),
    ("P = 2a + 2b", "b", "b = (P - 2a)/2", "2b = P - 2a"),
    ("y = mx + c", "x", "x = (y - c)/m", "mx = y - c"),
    ("y = mx + c", "m", "m = (y - c)/x", "mx = y - c"),
    ("F = ma", "m", "m = F/a", "ma = F"),
    ("S = 2rh + k", "h", "h = (S - k)/(2r)", "2rh = S - k"),
    ("T = n(a + b)/2", "a", "a = 2T/n - b", "a + b = 2T/n"),
    ("T = n(a + b)/2", "n", "n = 2T/(a + b)", "2T = n(a + b)"),
    ("E = mgh", "h", "h = E/(mg)", "mgh = E"),
    ("d = st", "t", "t = d/s", "st = d"),
    ("A = p(1 + rt)", "r", "r = (A - p)/(pt)", "prt = A - p"),
    ("A = p(1 + rt)", "p", "p = A/(1 + rt)", "p(1 + rt) = A"),
    ("K = a - bc", "b", "b = (a - K)/c", "bc = a - K"),
    ("K = a - bc", "c", "c = (a - K)/b", "bc = a - K"),
    ("V = lwh", "w", "w = V/(lh)", "lwh = V"),
    ("C = 5(F - 32)/9", "F", "F = 9C/5 + 32", "F - 32 = 9C/5"),
    ("R = ab + ac", "a", "a = R/(b + c)", "a(b + c) = R"),
]


def subject(draw: Random) -> Asked:
    formula, name, right, step = draw.choice(FORMULAS)
    words = draw.choice(
        [
            "Rearrange {0} to make {1} the subject.",
            "Solve the formula {0} for {1}.",
            "{0}. Write {1} by means of the other letters.",
            "Change {0} so that it says what {1} is.",
        ]
    )
    return equation(words.format(formula, name), f"{step}.\n{right}.", right, f"solved {name}")


def slope_and_point(draw: Random) -> Asked:
    m, x, y = _whole(draw, -7, 7), _whole(draw, -8, 8), draw.randint(-9, 9)
    c = y - m * x
    return equation(
        draw.choice(
            [
                f"A line has the slope {m} and goes through ({x}, {y}). Give its equation in x and y.",
                f"Which line with the slope {m} contains the point ({x}, {y})? Write its equation.",
                f"The point ({x}, {y}) lies on a line whose slope is {m}. Write the equation of the line.",
                f"Find the equation of a line: slope {m}, passing ({x}, {y}).",
            ]
        ),
        f"y = {terms(x=m)} + c with c = {y} - ({m}) × ({x}) = {c}.",
        f"y = {terms(x=m, one=c)}",
    )


def nth_term(draw: Random) -> Asked:
    first, step = draw.randint(-12, 25), _whole(draw, -8, 11)
    listed = ", ".join(str(first + step * place) for place in range(5))
    return expression(
        draw.choice(
            [
                f"A sequence goes {listed}, ... Give its nth term as an expression in n without brackets (n = 1 for the first).",
                f"What is the nth term of {listed}, ..., where the first number belongs to n = 1? Write an "
                "expression in n, no brackets.",
                f"{listed}, ... goes on in equal steps. Write term number n as an expression in n without brackets; "
                f"n = 1 gives {first}.",
                f"Find a rule in n, without brackets, for the numbers {listed}, ..., beginning with n = 1.",
            ]
        ),
        f"It changes by {step} each time, and the term before the first would be {first - step}.",
        terms(n=step, one=first - step),
        "expanded",
    )


# -- hard --------------------------------------------------------------------------------------------------------------------


def quadratic(draw: Random) -> Asked:
    p, q, a = _whole(draw, -10, 10), _whole(draw, -10, 10), draw.choice([1, 1, 2, 3])
    return solutions(
        draw.choice(
            [
                f"Find all solutions: {terms(x2=a, x=-a * (p + q), one=a * p * q)} = 0",
                f"Solve {terms(x2=a, x=-a * (p + q), one=a * p * q)} = 0.",
                f"{terms(x2=a, x=-a * (p + q), one=a * p * q)} = 0. Which values can x have?",
                f"For which x is {terms(x2=a, x=-a * (p + q), one=a * p * q)} equal to 0? Give every one.",
            ]
        ),
        f"{f'Divide by {a}. ' if a > 1 else ''}It factorises as ({terms(x=1, one=-p)})({terms(x=1, one=-q)}) = 0.",
        x=[p, q],
    )


def system(draw: Random) -> Asked:
    x, y, a, b, c, d = _whole(draw, -9, 9), _whole(draw, -9, 9), *(_whole(draw, -6, 7) for _ in range(4))
    while a * d == b * c:
        d += 1 if d != -1 else 2
    return solutions(
        draw.choice(
            [
                f"Solve the system: {terms(x=a, y=b)} = {a * x + b * y} and {terms(x=c, y=d)} = {c * x + d * y}",
                f"Find x and y: {terms(x=a, y=b)} = {a * x + b * y}, {terms(x=c, y=d)} = {c * x + d * y}.",
                f"Which x and y fulfil both {terms(x=a, y=b)} = {a * x + b * y} and {terms(x=c, y=d)} = "
                f"{c * x + d * y}?",
                f"Two equations, two unknowns: {terms(x=a, y=b)} = {a * x + b * y}; {terms(x=c, y=d)} = "
                f"{c * x + d * y}. Give x and y.",
            ]
        ),
        f"The first times {d} less the second times {b}: {a * d - b * c}x = {(a * d - b * c) * x}, so x = {x}.\n"
        f"Then {terms(y=b)} = {a * x + b * y} - ({a * x}) = {b * y}, so y = {y}.",
        x=[x],
        y=[y],
    )


def two_points(draw: Random) -> Asked:
    x, y, across, m = (
        _whole(draw, -7, 7),
        _whole(draw, -9, 9),
        draw.randint(2, 6),
        Fraction(_whole(draw, -9, 9), draw.choice([1, 1, 2, 3])),
    )
    across *= m.denominator
    up = m * across
    c = y - m * x
    return equation(
        draw.choice(
            [
                f"Which line goes through the points ({x}, {y}) and ({x + across}, {y + up})? Give its equation in "
                "x and y.",
                f"A line passes ({x}, {y}) and ({x + across}, {y + up}). Write its equation.",
                f"Write the equation of the line on which ({x}, {y}) and ({x + across}, {y + up}) lie.",
                f"({x}, {y}) and ({x + across}, {y + up}) are joined by a straight line. What is its equation?",
            ]
        ),
        f"The slope is {up} ÷ {across} = {plain(m)}.\nc = {y} - ({plain(m)}) × ({x}) = {plain(c)}.",
        f"y = {terms(x=m, one=c)}",
    )


def leading_factor(draw: Random) -> Asked:
    a, b, c, d = draw.choice([2, 3, 5]), _whole(draw, -7, 7), draw.choice([1, 2, 3]), _whole(draw, -7, 7)
    b = b if b % a else b + 1
    return expression(
        draw.choice(
            [
                f"Write as a product of linear factors: {terms(x2=a * c, x=a * d + b * c, one=b * d)}",
                f"Factorise {terms(x2=a * c, x=a * d + b * c, one=b * d)} into brackets that are linear in x.",
                f"Which two linear brackets multiply to {terms(x2=a * c, x=a * d + b * c, one=b * d)}? Write the "
                "product.",
                f"Split {terms(x2=a * c, x=a * d + b * c, one=b * d)} into linear factors.",
            ]
        ),
        f"({terms(x=a, one=b)})({terms(x=c, one=d)}) gives {a * c} for x^2, {a * d + b * c} for x and {b * d} "
        "without x.",
        f"({terms(x=a, one=b)})({terms(x=c, one=d)})",
        "factored",
    )


def fractions_of_x(draw: Random) -> Asked:
    a, b, x, c = draw.randint(2, 9), draw.randint(2, 9), _whole(draw, -9, 9), _whole(draw, -9, 9)
    b = b + 1 if a == b else b
    x = x * a * b // 2 if a * b % 2 == 0 else x * a * b
    right = Fraction(x, a) - Fraction(x + c, b)
    return number(
        draw.choice(
            [
                f"Solve x/{a} - ({terms(x=1, one=c)})/{b} = {plain(right) if right.denominator == 1 else right}",
                f"Find x: x/{a} - ({terms(x=1, one=c)})/{b} = {plain(right) if right.denominator == 1 else right}",
                f"x/{a} - ({terms(x=1, one=c)})/{b} is {plain(right) if right.denominator == 1 else right}. What is x?",
                f"Clear the fractions and solve for x: x/{a} - ({terms(x=1, one=c)})/{b} = "
                f"{plain(right) if right.denominator == 1 else right}",
            ]
        ),
        f"Times {a * b}: {b}x - {a}({terms(x=1, one=c)}) = {right * a * b}.\n{terms(x=b - a)} = "
        f"{right * a * b + a * c}.\n"
        f"x = {x}.",
        x,
    )


def smallest_value(draw: Random) -> Asked:
    h, k, a = _whole(draw, -8, 8), _whole(draw, -25, 25), draw.choice([1, 1, 2, 3])
    return number(
        draw.choice(
            [
                f"What is the smallest value of {terms(x2=a, x=-2 * a * h, one=a * h * h + k)} over all real x?",
                f"How small can {terms(x2=a, x=-2 * a * h, one=a * h * h + k)} get, for real x? Give the value, not x.",
                f"Find the minimum of {terms(x2=a, x=-2 * a * h, one=a * h * h + k)}.",
                f"The graph of y = {terms(x2=a, x=-2 * a * h, one=a * h * h + k)} has a lowest point. What is y there?",
            ]
        ),
        f"It is {'' if a == 1 else a}({terms(x=1, one=-h)})^2 {'+' if k > 0 else '-'} {abs(k)}.\nA square is never "
        "below 0, "
        "so the "
        f"smallest value is {k}, at x = {h}.",
        k,
    )


EASY: list[Family] = [one_unknown, evaluate, remove_bracket, like_terms, in_symbols, common_factor]
MEDIUM: list[Family] = [both_sides, two_brackets, quadratic_factors, subject, slope_and_point, nth_term]
HARD: list[Family] = [quadratic, system, two_points, leading_factor, fractions_of_x, smallest_value]
