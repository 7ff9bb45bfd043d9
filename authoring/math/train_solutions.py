"""Training problems whose answer is all solutions of an equation. Each function is a family."""

from fractions import Fraction
from random import Random

from authoring.math.notation import SMALL, nonzero, signed
from authoring.math.train_names import NAMES
from verigym.environments.math.questions import Family, Question, solutions, terms


def picnic(draw: Random) -> Question:
    juice, bread, a, b, c, d = (draw.randint(2, 9) for _ in range(6))
    while a * d == b * c:
        d += 1
    return solutions(
        draw.choice(
            [
                f"At a picnic, {a} bottles of juice (x euros each) and {b} loaves of bread (y euros each) cost "
                f"{a * juice + b * bread} euros; "
                f"{c} bottles and {d} loaves cost {c * juice + d * bread} euros. What are x and y?",
                f"x is the price of a bottle of juice and y that of a loaf, in euros. {a} bottles with {b} loaves "
                f"are {a * juice + b * bread} euros, {c} bottles with {d} loaves {c * juice + d * bread} euros. "
                "Find x and y.",
                f"Two bills: {a} juices and {b} loaves for {a * juice + b * bread} euros, {c} juices and {d} loaves "
                f"for {c * juice + d * bread} euros. A juice costs x euros, a loaf y euros. Find both.",
                f"For {c} bottles of juice and {d} loaves somebody pays {c * juice + d * bread} euros, for {a} "
                f"bottles and {b} loaves {a * juice + b * bread} euros. Let x euros be the price of a bottle and y "
                "euros that of a loaf. Give x and y.",
            ]
        ),
        f"{a}x + {b}y = {a * juice + b * bread} and {c}x + {d}y = {c * juice + d * bread}.\n"
        f"Times {d} and times {b}, and one less the other: {a * d - b * c}x = {(a * d - b * c) * juice}, so x = "
        f"{juice}.\n"
        f"Then {b}y = {a * juice + b * bread} - {a * juice} = {b * bread}, so y = {bread}.",
        x=[juice],
        y=[bread],
    )


def quadratic(draw: Random) -> Question:
    p, q, a = nonzero(draw, -10, 10), nonzero(draw, -10, 10), draw.choice([1, 1, 2, 3])
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


def system(draw: Random) -> Question:
    x, y, a, b, c, d = nonzero(draw, -9, 9), nonzero(draw, -9, 9), *(nonzero(draw, -6, 7) for _ in range(4))
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


def square_is(draw: Random) -> Question:
    root, k, b = draw.randint(2, 14), draw.choice([1, 2, 3, 5]), draw.choice(SMALL)
    value = k * root * root
    shown = f"{terms(x2=k, one=b)} = {value + b}"
    return solutions(
        draw.choice(
            [
                f"Solve {shown}. There are two solutions; give both.",
                f"For which numbers x is {shown}?",
                f"{shown}. What can x be?",
                f"Name every x with {shown}.",
            ]
        ),
        f"{terms(x2=k)} = {value}"
        + (f", so x^2 = {root * root}" if k > 1 else "")
        + f".\nThe square is that of {root} and of -{root}.",
        x=[root, -root],
    )


def product_is_zero(draw: Random) -> Question:
    p, q, k = draw.choice(SMALL), draw.choice(SMALL), draw.choice([1, 2, 3])
    p = p + 10 if p == q else p
    shown = f"({terms(x=1, one=-p)})({terms(x=k, one=-k * q)}) = 0"
    return solutions(
        draw.choice(
            [
                f"Solve {shown}.",
                f"A product is zero: {shown}. Give all values that x may have.",
                f"What are the solutions of {shown}?",
                f"When is {shown} true? List each x.",
            ]
        ),
        f"One of the two factors is 0.\n{terms(x=1, one=-p)} = 0 for x = {p}, and {terms(x=k, one=-k * q)} = 0 for "
        f"x = {q}.",
        x=[p, q],
    )


def sum_and_gap(draw: Random) -> Question:
    x, y = sorted(draw.sample(range(6, 70), 2), reverse=True)
    return solutions(
        draw.choice(
            [
                f"Two numbers x and y add up to {x + y}, and x is {x - y} larger than y. What are x and y?",
                f"x + y = {x + y}\nx - y = {x - y}\nFind x and y.",
                f"A rope of {x + y} m is cut in two. The first part, x metres, is {x - y} m longer than the second, "
                "y metres. Give the numbers x and y.",
                f"x stamps and y coins make {x + y} things in a collection, and there are {x - y} more stamps than "
                "coins. Work out x and y.",
            ]
        ),
        f"2x = {x + y} + {x - y} = {2 * x}, so x = {x}.\ny = {x + y} - {x} = {y}.",
        x=[x],
        y=[y],
    )


def distance_from(draw: Random) -> Question:
    middle, far = draw.choice(SMALL), draw.randint(2, 15)
    shown = f"|{terms(x=1, one=-middle)}| = {far}"
    return solutions(
        draw.choice(
            [
                f"Solve {shown}.",
                f"Which numbers x on the number line are exactly {far} away from {middle}?",
                f"|...| is the absolute value. Find every x with {shown}.",
                f"The distance between x and {middle} is {far}. What are the possible values of x?",
            ]
        ),
        f"x is {far} above or below {middle}.\n{middle} + {far} = {middle + far}, and {middle} - {far} = "
        f"{middle - far}.",
        x=[middle + far, middle - far],
    )


def ticket_prices(draw: Random) -> Question:
    x, y, a, b, c = draw.randint(6, 16), draw.randint(3, 9), draw.randint(2, 5), draw.randint(2, 5), draw.randint(2, 4)
    one, two = a * x + b * y, (a + c) * x + b * y
    name, other = draw.sample(NAMES, 2)
    return solutions(
        draw.choice(
            [
                f"{name}'s family pays €{one} for {a} adults and {b} children at a museum, {other}'s family €{two} "
                f"for {a + c} adults and {b} children. An adult pays x euros, a child y euros. What are x and y?",
                f"{a} adult tickets and {b} child tickets cost {one} euros; {a + c} adult tickets and {b} child "
                f"tickets cost {two} euros. Find x, the price of an adult ticket, and y, that of a child ticket, as "
                "numbers of euros.",
                f"Let x be the euros for an adult and y the euros for a child. {a + c} adults with {b} children pay "
                f"{two}, {a} adults with {b} children pay {one}. Determine x and y.",
                f"Entry for {a} adults and {b} children is €{one}. With {c} more adults it would be €{two}. One "
                "adult pays x euros and one child y euros: find both.",
            ]
        ),
        f"{c} adults more cost {two} - {one} = {two - one}, so x = {x}.\nThen {b}y = {one} - {a * x} = {b * y}, so "
        f"y = {y}.",
        x=[x],
        y=[y],
    )


def no_constant(draw: Random) -> Question:
    k, root = draw.choice([1, 2, 3, 4, 5]), draw.choice([each for each in range(-12, 13) if each])
    moved = draw.random() < 0.5
    shown = f"{terms(x2=k)} = {terms(x=k * root)}" if moved else f"{terms(x2=k, x=-k * root)} = 0"
    return solutions(
        draw.choice(
            [
                f"Find both solutions of {shown}.",
                f"Solve {shown} without losing a solution.",
                f"Which values of x make {shown} true?",
                f"{shown}. Give all x.",
            ]
        ),
        f"{terms(x=k)}({terms(x=1, one=-root)}) = 0.\nSo x = 0 or x = {root}.",
        x=[0, root],
    )


def by_replacing(draw: Random) -> Question:
    k, b, x, c = draw.randint(2, 5), draw.choice(SMALL), draw.choice(SMALL), draw.randint(2, 5)
    y = k * x + b
    first, second = f"y = {terms(x=k, one=b)}", f"{terms(x=c, y=1)} = {c * x + y}"
    return solutions(
        draw.choice(
            [
                f"{first} and {second}. Find x and y.",
                f"Which pair x, y satisfies both {second} and {first}?",
                f"Put the first equation into the second and solve for x and y:\n{first}\n{second}",
                f"Solve for both letters: {second}, where {first}.",
            ]
        ),
        f"{terms(x=c)} + {terms(x=k, one=b)} = {c * x + y}, so {c + k}x = {c * x + y - b} and x = {x}.\ny = {k} × "
        f"({x}) {signed(b)} = {y}.",
        x=[x],
        y=[y],
    )


def squared_bracket(draw: Random) -> Question:
    middle, root, k = draw.choice(SMALL), draw.randint(2, 12), draw.choice([1, 1, 2, 3])
    shown = f"{k if k > 1 else ''}({terms(x=1, one=-middle)})^2 = {k * root * root}"
    return solutions(
        draw.choice(
            [
                f"Solve {shown}.",
                f"{shown}: which two numbers can x be?",
                f"Take the root on both sides of {shown} and find all x.",
                f"List the solutions of {shown}.",
            ]
        ),
        f"{terms(x=1, one=-middle)} is {root} or -{root}.\nSo x = {middle + root} or x = {middle - root}.",
        x=[middle + root, middle - root],
    )


def number_and_inverse(draw: Random) -> Question:
    p, q = draw.choice(SMALL), draw.choice(SMALL)
    while p + q == 0 or p == q:
        q = draw.choice(SMALL)
    shown = f"x {'+' if p * q > 0 else '-'} {abs(p * q)}/x = {p + q}"
    return solutions(
        draw.choice(
            [
                f"Solve {shown}.",
                f"x is not 0, and {shown}. Find all solutions.",
                f"Multiply {shown} by x and solve it. Which values come out?",
                f"Which numbers x fulfil {shown}?",
            ]
        ),
        f"Times x: {terms(x2=1, x=-p - q, one=p * q)} = 0.\nIt factorises as "
        f"({terms(x=1, one=-p)})({terms(x=1, one=-q)}) = 0.",
        x=[p, q],
    )


def root_with_fraction(draw: Random) -> Question:
    a, b, q = draw.choice([2, 3, 4, 5]), draw.choice(SMALL), draw.choice(SMALL)
    b = b if b % a else b + 1
    shown = f"{terms(x2=a, x=-a * q - b, one=b * q)} = 0"
    return solutions(
        draw.choice(
            [
                f"Solve the quadratic equation {shown}. Fractions may occur.",
                f"Both solutions of {shown} are wanted, as whole numbers or fractions.",
                f"Where is {shown.removesuffix(' = 0')} equal to zero? Give each x exactly.",
                f"Use the formula or factors: {shown}. What is x?",
            ]
        ),
        f"It is ({terms(x=a, one=-b)})({terms(x=1, one=-q)}) = 0.\nSo x = {Fraction(b, a)} or x = {q}.",
        x=[Fraction(b, a), q],
    )


def fourth_power(draw: Random) -> Question:
    p, q = draw.sample(range(1, 8), 2)
    shown = f"x^4 - {p * p + q * q}x^2 + {p * p * q * q} = 0"
    return solutions(
        draw.choice(
            [
                f"Find all four solutions of {shown}.",
                f"Solve {shown}. It is quadratic in the square of x.",
                f"For which x is {shown}? There are four.",
                f"Put z for x^2 in {shown}, solve for z, then give every x.",
            ]
        ),
        f"For z = x^2: (z - {p * p})(z - {q * q}) = 0.\nSo x^2 is {p * p} or {q * q}.",
        x=[p, -p, q, -q],
    )


def around_and_inside(draw: Random) -> Question:
    x, y = sorted(draw.sample(range(3, 25), 2))
    return solutions(
        draw.choice(
            [
                f"A rectangle is x m wide and y m long, with x less than y. It is {2 * (x + y)} m around and has an "
                f"area of {x * y} m². What are the numbers x and y?",
                f"The numbers x and y have the sum {x + y} and the product {x * y}, and x < y. Find them.",
                f"A floor has x rows of y tiles, {x * y} tiles in all. x and y add up to {x + y}, and there are "
                "fewer rows than tiles in a row. Give x and y.",
                f"Find x and y with x + y = {x + y}, xy = {x * y} and x < y.",
            ]
        ),
        f"Both solve z^2 - {x + y}z + {x * y} = 0, which is (z - {x})(z - {y}) = 0.\nThe smaller one is x = {x}.",
        x=[x],
        y=[y],
    )


def line_and_curve(draw: Random) -> Question:
    p, q = draw.sample(SMALL, 2)
    m, c = draw.choice(SMALL), draw.choice(SMALL)
    curve, line = terms(x2=1, x=m - p - q, one=c + p * q), terms(x=m, one=c)
    return solutions(
        draw.choice(
            [
                f"At which x do the curve y = {curve} and the line y = {line} meet?",
                f"The graphs of {curve} and {line} have two points in common. What are the x-values of these points?",
                f"Find every x for which {curve} and {line} have the same value.",
                f"Set y = {curve} equal to y = {line}. Which two values of x come out?",
            ]
        ),
        f"{curve} = {line} gives {terms(x2=1, x=-p - q, one=p * q)} = 0.\nThat is "
        f"({terms(x=1, one=-p)})({terms(x=1, one=-q)}) = 0.",
        x=[p, q],
    )


EASY: list[Family] = [
    square_is,
    product_is_zero,
    sum_and_gap,
    distance_from,
]
MEDIUM: list[Family] = [
    ticket_prices,
    no_constant,
    by_replacing,
    squared_bracket,
    number_and_inverse,
]
HARD: list[Family] = [
    picnic,
    quadratic,
    system,
    root_with_fraction,
    fourth_power,
    around_and_inside,
    line_and_curve,
]
