"""Training problems whose answer is an expression. Each function is a family."""

from itertools import pairwise
from math import gcd
from random import Random

from authoring.math.notation import SMALL, nonzero, signed
from verigym.environments.math.questions import Family, Question, expression, terms


def remove_bracket(draw: Random) -> Question:
    a, b, c, d = (
        draw.choice([-5, -4, -3, -2, 2, 3, 4, 5, 6, 7, 8, 9]),
        draw.randint(2, 9),
        nonzero(draw, -12, 12),
        nonzero(draw, -15, 15),
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


def like_terms(draw: Random) -> Question:
    a, b, c, d = (nonzero(draw, -12, 15) for _ in range(4))
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


def in_symbols(draw: Random) -> Question:
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


def common_factor(draw: Random) -> Question:
    a, b, c = draw.randint(2, 9), draw.choice([1, 2, 3, 5, 7]), nonzero(draw, -9, 9)
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


def two_brackets(draw: Random) -> Question:
    a, b, c, d = draw.randint(1, 5), nonzero(draw, -9, 9), draw.randint(1, 4), nonzero(draw, -9, 9)
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


def quadratic_factors(draw: Random) -> Question:
    p, q = nonzero(draw, -11, 11), nonzero(draw, -11, 11)
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


def nth_term(draw: Random) -> Question:
    first, step = draw.randint(-12, 25), nonzero(draw, -8, 11)
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


def leading_factor(draw: Random) -> Question:
    a, b, c, d = draw.choice([2, 3, 5]), nonzero(draw, -7, 7), draw.choice([1, 2, 3]), nonzero(draw, -7, 7)
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


def party_room(draw: Random) -> Question:
    fee, each, off = draw.randint(30, 90), draw.randint(6, 18), draw.randint(5, 25)
    right = terms(n=each, one=fee - off)
    return expression(
        draw.choice(
            [
                f"A room costs €{fee} and each of n guests another €{each}. A voucher takes €{off} off the total. "
                "Write the price in euros as an expression in n, simplified and without brackets.",
                f"Party for n guests: €{fee} for the room, €{each} a head, less a voucher of €{off}. Which "
                "expression in n, without brackets and simplified, gives the number of euros to pay?",
                f"How many euros does a party with n guests cost, with €{each} for every guest, €{fee} for the room "
                f"and a discount of €{off} on the whole? Use n and no brackets, and simplify.",
                f"Give a simplified expression in n, no brackets, for the bill in euros: n meals at €{each}, one "
                f"room at €{fee}, "
                f"minus €{off} for regulars.",
            ]
        ),
        f"n guests cost {each}n.\n{each}n + {fee} - {off} = {right}.",
        right,
        "expanded",
    )


def triangle_around(draw: Random) -> Question:
    a, b, c, d = draw.randint(3, 6), draw.randint(1, 9), draw.randint(3, 6), draw.randint(1, 9)
    e = draw.randint(abs(a - c) + 1, a + c - 1)
    sides = [terms(a=a, one=b), terms(a=c, one=-d), terms(a=e)]
    right = terms(a=a + c + e, one=b - d)
    return expression(
        draw.choice(
            [
                f"The sides of a triangle are {sides[0]}, {sides[1]} and {sides[2]}. Add them to get the perimeter, "
                "simplified and without brackets.",
                f"What is the perimeter of a triangle with the sides {sides[2]}, {sides[0]} and {sides[1]}, as one "
                "simplified expression in a without brackets?",
                f"Add up the three sides {sides[1]}, {sides[2]} and {sides[0]} of a triangle and collect the terms; "
                "no brackets.",
                f"Somebody walks once around a triangle. Its edges are {sides[0]}, {sides[2]} and {sides[1]} long. "
                "How long is the walk, in terms of a, simplified and free of brackets?",
            ]
        ),
        f"a: {a} + {c} + {e} = {a + c + e}.\nNumbers: {b} - {d} = {b - d}.",
        right,
        "expanded",
    )


def powers(draw: Random) -> Question:
    k, m, a, b, c = draw.randint(2, 7), draw.randint(2, 7), draw.randint(2, 5), draw.randint(2, 4), draw.randint(1, 3)
    shown = f"{k}x^{a} · {m}x^{b} / x" + (f"^{c}" if c > 1 else "")
    right = f"{k * m}x^{a + b - c}"
    return expression(
        draw.choice(
            [
                f"Simplify to a single power of x with a number in front: {shown}",
                f"Write {shown} with only one x in it.",
                f"Put together what belongs together: {shown}. The result has a number and one power of x.",
                f"{shown}: what is this as one term, a number times a power of x?",
            ]
        ),
        f"Numbers: {k} × {m} = {k * m}.\nPowers of x: {a} + {b} - {c} = {a + b - c}.",
        right,
        "expanded",
    )


def put_in(draw: Random) -> Question:
    a, b, k = draw.randint(2, 9), draw.choice(SMALL), draw.randint(2, 8)
    m = draw.choice(SMALL)
    right = terms(t=a * k, one=a * m + b)
    return expression(
        draw.choice(
            [
                f"In {terms(x=a, one=b)}, replace x by {terms(t=k, one=m)} and simplify; no brackets are left.",
                f"Let x = {terms(t=k, one=m)}. What is {terms(x=a, one=b)} then, in terms of t, simplified and with "
                "no bracket?",
                f"Express {terms(x=a, one=b)} by t alone, if x stands for {terms(t=k, one=m)}. No brackets, please.",
                f"What becomes of {terms(x=a, one=b)} when {terms(t=k, one=m)} is put in for x? Multiply out and "
                "simplify it.",
            ]
        ),
        f"{a}({terms(t=k, one=m)}) {signed(b)} = {terms(t=a * k, one=a * m)} {signed(b)}.",
        right,
        "expanded",
    )


def squares_apart(draw: Random) -> Question:
    a, b = draw.choice([1, 2, 3, 4, 5, 7]), draw.choice([1, 3, 5, 7, 8, 9, 10, 11])
    while gcd(a, b) > 1:
        b += 1
    shown = terms(x2=a * a, one=-b * b)
    return expression(
        draw.choice(
            [
                f"Factorise {shown} completely.",
                f"Which two brackets give {shown} when they are multiplied? Write the product.",
                f"{shown} is a difference of two squares. Write it as a product.",
                f"Turn {shown} into a product of factors that have x only to the first power.",
            ]
        ),
        f"{a * a if a > 1 else ''}x^2 is the square of {terms(x=a)}, and {b * b} is the square of {b}.",
        f"({terms(x=a, one=b)})({terms(x=a, one=-b)})",
        "factored",
    )


def cut_corner(draw: Random) -> Question:
    a, b, c = draw.randint(4, 12), draw.randint(2, 9), draw.randint(2, 3)
    right = terms(x2=1, x=a + b, one=a * b - c * c)
    return expression(
        draw.choice(
            [
                f"A sheet of metal measures x + {a} by x + {b}. A square with the side {c} is cut out of it. Give "
                "the area that is left, without brackets.",
                f"From a rectangle with the sides x + {a} and x + {b} somebody cuts a square of side {c}. What area "
                "remains? Multiply out and simplify.",
                f"What is the area of a garden of x + {b} by x + {a} without a square pond of side {c} that lies in "
                "it? Write it as a sum of powers, no brackets.",
                f"A square hole of side {c} is made in a board of length x + {a} and width x + {b}. Find the "
                "remaining area as a simplified sum in x.",
            ]
        ),
        f"(x + {a})(x + {b}) = {terms(x2=1, x=a + b, one=a * b)}.\nLess {c * c}: {right}.",
        right,
        "expanded",
    )


def take_away(draw: Random) -> Question:
    a, b, c = draw.randint(2, 9), draw.choice(SMALL), draw.choice(SMALL)
    d, e, f = draw.randint(1, 8), draw.choice(SMALL), draw.choice(SMALL)
    d = d + 1 if a == d else d
    one, two = terms(x2=a, x=b, one=c), terms(x2=d, x=e, one=f)
    right = terms(x2=a - d, x=b - e, one=c - f)
    return expression(
        draw.choice(
            [
                f"Subtract {two} from {one} and write the result as a sum of terms, simplified.",
                f"Remove the brackets and simplify: ({one}) - ({two})",
                f"By what does {one} exceed {two}? Write it simplified, as a sum of powers of x.",
                f"Which expression has to be added to {two} to get {one}? Write it without brackets.",
            ]
        ),
        f"x^2: {a} - {d} = {a - d}.\nx: {b} - ({e}) = {b - e}.\nWithout x: {c} - ({f}) = {c - f}.",
        right,
        "expanded",
    )


def cancel(draw: Random) -> Question:
    p, q, k = draw.choice(SMALL), draw.choice(SMALL), draw.choice([1, 1, 2, 3])
    shown = f"({terms(x2=k, x=k * (p + q), one=k * p * q)}) / ({terms(x=1, one=p)})"
    right = terms(x=k, one=k * q)
    return expression(
        draw.choice(
            [
                f"Simplify the fraction {shown} until no division and no bracket is left (x is such that the "
                "divisor is not 0).",
                f"Cancel as far as possible and write without brackets: {shown}",
                f"The division {shown} comes out even. What is the quotient, without brackets?",
                f"Divide: {shown}. The result is a simple sum.",
            ]
        ),
        f"The top is {k if k > 1 else ''}({terms(x=1, one=p)})({terms(x=1, one=q)}).\nWithout {terms(x=1, one=p)}: "
        f"{right}.",
        right,
        "expanded",
    )


def cubed(draw: Random) -> Question:
    a, b = draw.choice([1, 1, 2, 3]), draw.choice([-5, -4, -3, -2, -1, 1, 2, 3, 4, 5])
    shown = f"({terms(x=a, one=b)})^3"
    first, rest = f"{a**3 if a > 1 else ''}x^3", terms(x2=3 * a * a * b, x=3 * a * b * b, one=b**3)
    right = f"{first} - {rest[1:]}" if rest.startswith("-") else f"{first} + {rest}"
    return expression(
        draw.choice(
            [
                f"Multiply out {shown} and collect the powers of x.",
                f"Write {shown} without brackets, in four terms.",
                f"A cube has edges of {terms(x=a, one=b)}. Give its volume as a sum of powers of x.",
                f"What is {shown} as a polynomial in x with all terms collected?",
            ]
        ),
        f"({terms(x=a, one=b)})^2 = {terms(x2=a * a, x=2 * a * b, one=b * b)}.\nTimes {terms(x=a, one=b)}: {right}.",
        right,
        "expanded",
    )


def second_order(draw: Random) -> Question:
    a, b, c = draw.choice([1, 1, 2, 3]), draw.randint(-5, 6), draw.randint(-6, 9)
    listed = [a * n * n + b * n + c for n in range(1, 6)]
    shown = ", ".join(map(str, listed))
    first = [later - before for before, later in pairwise(listed)]
    return expression(
        draw.choice(
            [
                f"The differences of the sequence {shown}, ... grow by the same amount each time. Find its term "
                f"number n as a sum of powers of n, where n = 1 gives {listed[0]}.",
                f"{shown}, ... are the values of a quadratic polynomial for n = 1, 2, 3, 4, 5. Write the polynomial "
                "in n without brackets.",
                f"A quadratic rule in n makes {shown} for n from 1 to 5. State the rule as an expression in n, "
                "expanded.",
                f"A table has, for n = 1, 2, 3, 4, 5, the entries {shown}. They come from a quadratic expression in "
                "n. Give that expression without brackets.",
            ]
        ),
        f"The differences are {', '.join(map(str, first))}; they grow by {2 * a}, so n^2 has the factor {a}.\nWhat "
        f"is left is {terms(n=b, one=c)}.",
        terms(n2=a, n=b, one=c),
        "expanded",
    )


def one_in_another(draw: Random) -> Question:
    a, b, c, d = draw.randint(2, 5), draw.choice(SMALL), draw.choice([1, 2, 3]), draw.choice(SMALL)
    inner = draw.random() < 0.5
    line, square = terms(x=a, one=b), terms(x2=c, one=d)
    right = terms(x2=c * a * a, x=2 * c * a * b, one=c * b * b + d) if inner else terms(x2=a * c, one=a * d + b)
    asked = "f(g(x))" if inner else "g(f(x))"
    whole = f"{c if c > 1 else ''}({line})^2 {signed(d)}" if inner else f"{a}({square}) {signed(b)}"
    return expression(
        draw.choice(
            [
                f"Let f(x) = {square} and g(x) = {line}. Work out {asked}, multiplied out and simplified.",
                f"f(x) = {square}, g(x) = {line}. What is {asked} without brackets?",
                f"Two machines turn x into f(x) = {square} and g(x) = {line}. They are set up so that {asked} comes "
                "out. Simplify that, with no brackets left.",
                f"With g(x) = {line} and f(x) = {square}, write {asked} as a sum of powers of x.",
            ]
        ),
        f"{asked} = {whole} = {right}.",
        right,
        "expanded",
    )


def three_factors(draw: Random) -> Question:
    p, q = draw.sample(SMALL, 2)
    k = draw.choice([1, 1, 2, 3])
    rest = terms(x2=k * (p + q), x=k * p * q)
    first = f"{k if k > 1 else ''}x^3"
    shown = f"{first} - {rest[1:]}" if rest.startswith("-") else f"{first} + {rest}"
    return expression(
        draw.choice(
            [
                f"Factorise {shown} as far as it goes.",
                f"Write {shown} as a product in which x never has a power above 1 within a factor and no bracket has a "
                "common number in it.",
                f"Take out what all terms of {shown} have in common, then split the rest into two brackets. What is "
                "the product?",
                f"Split {shown} completely: three factors with x in them, and a number in front if all terms share one.",
            ]
        ),
        f"All terms have {terms(x=k)} in them; what is left is {terms(x2=1, x=p + q, one=p * q)}.\nIt is "
        f"({terms(x=1, one=p)})({terms(x=1, one=q)}).",
        f"{terms(x=k)}({terms(x=1, one=p)})({terms(x=1, one=q)})",
        "fully factored",
    )


EASY: list[Family] = [
    remove_bracket,
    like_terms,
    in_symbols,
    common_factor,
    party_room,
    triangle_around,
    powers,
    put_in,
]
MEDIUM: list[Family] = [
    two_brackets,
    quadratic_factors,
    nth_term,
    squares_apart,
    cut_corner,
    take_away,
    cancel,
]
HARD: list[Family] = [
    leading_factor,
    cubed,
    second_order,
    one_in_another,
    three_factors,
]
