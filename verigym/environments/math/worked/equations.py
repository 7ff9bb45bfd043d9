"""Families whose answer is an equation: lines, parabolas, circles, proportions, formulas for a story, and rearranging."""

import re
from fractions import Fraction
from random import Random

from verigym.core.records import Json
from verigym.environments.math.questions import terms
from verigym.environments.math.worked.steps import divided, minus, plus, signed, times
from verigym.environments.math.worked.telling import Told, tell


def _equation(answer: str, form: str = "") -> Json:
    return {"rule": "equation", "answer": answer, **({"form": form} if form else {})}


def _nonzero(random: Random, low: int, high: int) -> int:
    return random.choice([each for each in range(low, high + 1) if each])


def _line(slope: int | Fraction, constant: int | Fraction) -> str:
    return f"y = {terms(x=slope, one=constant)}"


def slope_and_intercept(random: Random) -> Told:
    m, c = _nonzero(random, -9, 9), _nonzero(random, -12, 12)
    answer = _line(m, c)
    return tell(
        random,
        "slope_and_intercept",
        f"gradient {m}, y-axis at {c}.",
        "the equation of the line.",
        ["A line is y = mx + c.", f"m is the gradient {m}, c is the place on the y-axis, {c}.", f"Result: {answer}."],
        _equation(answer),
        m=m,
        c=c,
    )


def gradient_and_point(random: Random) -> Told:
    m, x, y = _nonzero(random, -7, 8), _nonzero(random, -8, 8), random.randint(-15, 15)
    c = y - m * x
    answer = _line(m, c)
    return tell(
        random,
        "gradient_and_point",
        f"gradient {m}, point ({x}, {y}).",
        "c in y = mx + c.",
        [
            f"Put the point in: {y} = {signed(m)} × {signed(x)} + c.",
            f"{times(m, x)}.",
            f"c: {minus(y, m * x)}.",
            f"Result: {answer}.",
        ],
        _equation(answer),
        m=m,
        x=x,
        y=y,
    )


def through_both(random: Random) -> Told:
    m, x, run = _nonzero(random, -6, 7), random.randint(-7, 6), random.randint(1, 6)
    c = random.randint(-12, 12)
    y, u = m * x + c, x + run
    v = m * u + c
    answer = _line(m, c)
    return tell(
        random,
        "through_both",
        f"({x}, {y}) and ({u}, {v}).",
        "m and c in y = mx + c.",
        [
            f"Change of y: {minus(v, y)}. Change of x: {minus(u, x)}.",
            f"m: {divided(v - y, u - x)}.",
            f"c: {y} - {signed(m)} × {signed(x)} = {y} - {signed(m * x)} = {c}.",
            f"Result: {answer}.",
        ],
        _equation(answer),
        x=x,
        y=y,
        u=u,
        v=v,
    )


def parallel_or_upright(random: Random) -> Told:
    upright = random.random() < 0.5
    m, b = random.choice((2, 3, 4, 5, -2, -3, -4)), random.randint(-9, 9)
    x, y = _nonzero(random, -6, 6), random.randint(-9, 9)
    x = x * m if upright else x
    slope = Fraction(-1, m) if upright else Fraction(m)
    c = y - slope * x
    answer, given = _line(slope, c), _line(m, b)
    word = "perpendicular" if upright else "parallel"
    steps = (
        [f"Perpendicular: the gradient is -1 ÷ {signed(m)}, which is {slope}."]
        if upright
        else [f"Parallel: the gradient is the same, {m}."]
    )
    product = slope * x
    return tell(
        random,
        "parallel_or_upright",
        f"{word} to {given}, through ({x}, {y}).",
        "the equation of the new line.",
        [*steps, f"At x = {x} the part with x gives {product}.", f"c: {minus(y, product)}.", f"Result: {answer}."],
        _equation(answer),
        word=word,
        given=given,
        x=x,
        y=y,
        m=m,
        upright=upright,
    )


def cost_formula(random: Random) -> Told:
    fixed, each = random.randint(3, 90), random.randint(2, 25)
    what, unit, letter, out = random.choice(
        (
            ("plumber", "hour", "h", "C"),
            ("bike rental", "day", "d", "P"),
            ("printing firm", "booklet", "b", "K"),
            ("pool", "visit", "v", "P"),
        )
    )
    answer = f"{out} = {each}{letter} + {fixed}"
    return tell(
        random,
        "cost_formula",
        f"€{fixed} once, €{each} per {unit}.",
        f"{out} in terms of {letter}.",
        [
            f"{letter} {unit}s cost {each} times {letter}, which is {each}{letter}.",
            f"Add the fixed part {fixed}.",
            f"Result: {answer}.",
        ],
        _equation(answer),
        what=what,
        fixed=fixed,
        each=each,
        unit=unit,
        letter=letter,
        out=out,
    )


_FORMULAS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("v = u + at", "a", "a = (v - u)/t", ("Subtract u: v - u = at.", "Divide by t: (v - u)/t = a.")),
    ("P = 2a + 2b", "b", "b = (P - 2a)/2", ("Subtract 2a: P - 2a = 2b.", "Divide by 2: (P - 2a)/2 = b.")),
    ("V = lwh", "w", "w = V/(lh)", ("w is multiplied by l and h.", "Divide by lh: V/(lh) = w.")),
    ("U = RI", "R", "R = U/I", ("R is multiplied by I.", "Divide by I: U/I = R.")),
    ("A = (c + d)h/2", "c", "c = 2A/h - d", ("Times 2: 2A = (c + d)h.", "Divide by h: 2A/h = c + d.", "Subtract d.")),
    ("s = d/t", "t", "t = d/s", ("Times t: st = d.", "Divide by s: t = d/s.")),
    ("y = mx + c", "m", "m = (y - c)/x", ("Subtract c: y - c = mx.", "Divide by x: (y - c)/x = m.")),
    ("E = mgh", "h", "h = E/(mg)", ("h is multiplied by m and g.", "Divide by mg: E/(mg) = h.")),
    ("K = G + nz", "z", "z = (K - G)/n", ("Subtract G: K - G = nz.", "Divide by n: (K - G)/n = z.")),
    ("F = 9c/5 + 32", "c", "c = 5(F - 32)/9", ("Subtract 32: F - 32 = 9c/5.", "Times 5: 5(F - 32) = 9c.", "Divide by 9.")),
    ("p = F/q", "F", "F = pq", ("F is divided by q.", "Times q: pq = F.")),
    ("S = (f + g)n/2", "n", "n = 2S/(f + g)", ("Times 2: 2S = (f + g)n.", "Divide by f + g: 2S/(f + g) = n.")),
    ("w = k(z - r)", "z", "z = w/k + r", ("Divide by k: w/k = z - r.", "Add r: w/k + r = z.")),
    ("T = b - ck", "k", "k = (b - T)/c", ("Add ck: T + ck = b.", "Subtract T: ck = b - T.", "Divide by c: k = (b - T)/c.")),
    ("M = (u + w)/2", "u", "u = 2M - w", ("Times 2: 2M = u + w.", "Subtract w: 2M - w = u.")),
    ("px + qy = r", "y", "y = (r - px)/q", ("Subtract px: qy = r - px.", "Divide by q: y = (r - px)/q.")),
    ("h = ut + w", "t", "t = (h - w)/u", ("Subtract w: h - w = ut.", "Divide by u: (h - w)/u = t.")),
    ("q = n(r + 1)", "r", "r = q/n - 1", ("Divide by n: q/n = r + 1.", "Subtract 1: q/n - 1 = r.")),
)  # fmt: skip
_ALPHABET = "bcdfghkmnpqrstuvwxyzABCDEFGHKLMNPQRSTUVW"
_LETTER = re.compile(r"\b(?:Subtract|Divide|Times|Add|by|is|multiplied|divided|and)\b|[A-Za-z]")


def rearrange(random: Random) -> Told:
    formula, letter, answer, steps = random.choice(_FORMULAS)
    known = sorted({each for each in formula if each.isalpha()})
    pick = dict(zip(known, random.sample(_ALPHABET, len(known)), strict=True))

    def renamed(text: str) -> str:
        return _LETTER.sub(lambda found: pick.get(found[0], found[0]), text)

    formula, letter, answer, steps = (
        renamed(formula),
        renamed(letter),
        renamed(answer),
        [renamed(step) for step in steps],
    )
    return tell(
        random,
        "rearrange",
        f"{formula}.",
        f"{letter} alone on one side.",
        [*steps, f"Result: {answer}."],
        _equation(answer, f"solved {letter}"),
        formula=formula,
        letter=letter,
    )


def rearrange_numbers(random: Random) -> Told:
    a, b, c = random.randint(2, 9), _nonzero(random, -12, 12), random.choice((2, 3, 4, 5, 6, -2, -3))
    one, two = random.choice((("x", "y"), ("p", "q"), ("s", "t"), ("m", "n")))
    c = c if abs(c) != 1 else 2
    left = terms(**{one: a, two: c})
    formula = f"{left} = {b}"
    answer = f"{two} = ({terms(one=b, **{one: -a})})/{c}" if c > 0 else f"{two} = ({terms(**{one: a, 'one': -b})})/{-c}"
    moved = terms(one=b, **{one: -a})
    return tell(
        random,
        "rearrange_numbers",
        f"{formula}.",
        f"{two} alone.",
        [f"Bring {terms(**{one: a})} to the right: {terms(**{two: c})} = {moved}.", f"Divide by {c}: {answer}."],
        _equation(answer, f"solved {two}"),
        formula=formula,
        one=one,
        two=two,
    )


def table_to_line(random: Random) -> Told:
    m, c, start = _nonzero(random, -8, 9), random.randint(-12, 15), random.choice((0, 1, 2))
    xs = [start + each for each in range(4)]
    shown = ", ".join(f"({x}, {m * x + c})" for x in xs)
    answer, first = _line(m, c), m * start + c
    steps = [f"y changes by {minus(first + m, first)} from one x to the next, so m is {m}."]
    steps += [f"At x = 0 y is {c}, so c is {c}."] if start == 0 else [f"c: {first} - {signed(m)} × {start} = {c}."]
    return tell(
        random,
        "table_to_line",
        f"{shown}.",
        "m and c in y = mx + c.",
        [*steps, f"Result: {answer}."],
        _equation(answer),
        shown=shown,
        m=m,
        c=c,
    )


def proportion_law(random: Random) -> Told:
    inverse = random.random() < 0.5
    k, x = random.randint(2, 12), random.randint(2, 12)
    y = random.randint(2, 12) if inverse else k * x
    answer = f"y = {x * y}/x" if inverse else f"y = {k}x"
    word = "inversely proportional" if inverse else "directly proportional"
    steps = (
        [f"x × y is always the same: {times(x, y)}."] if inverse else [f"y ÷ x is always the same: {divided(y, x)}."]
    )
    return tell(
        random,
        "proportion_law",
        f"{word}, x = {x}, y = {y}.",
        "the equation.",
        [*steps, f"Result: {answer}."],
        _equation(answer),
        word=word,
        x=x,
        y=y,
        inverse=inverse,
    )


def shifted_line(random: Random) -> Told:
    m, c, k = _nonzero(random, -6, 7), random.randint(-9, 9), random.randint(1, 8)
    kind = random.choice(("down", "right", "left", "mirror"))
    given = _line(m, c)
    if kind == "down":
        said, answer, steps = f"moved down by {k}", _line(m, c - k), ["Only the constant changes.", f"{minus(c, k)}."]
    elif kind == "right":
        said, answer = f"moved to the right by {k}", _line(m, c - m * k)
        steps = [f"Put x - {k} for x.", f"{times(m, -k)}.", f"{plus(-m * k, c)}."]
    elif kind == "left":
        said, answer = f"moved to the left by {k}", _line(m, c + m * k)
        steps = [f"Put x + {k} for x.", f"{times(m, k)}.", f"{plus(m * k, c)}."]
    else:
        said, answer = "mirrored in the y-axis", _line(-m, c)
        steps = [f"Put -x for x, so the gradient {m} becomes {-m}.", f"The constant {c} stays."]
    return tell(
        random,
        "shifted_line",
        f"{given}, {said}.",
        "the new equation.",
        [*steps, f"Result: {answer}."],
        _equation(answer),
        given=given,
        said=said,
        kind=kind,
        k=k,
    )


def words_to_equation(random: Random) -> Told:
    a, b = random.randint(2, 9), random.randint(2, 20)
    kind = random.randrange(4)
    said, answer = (
        (f"y is {b} less than {a} times x", f"y = {a}x - {b}"),
        (f"{a} times y is {b} more than x", f"{a}y = x + {b}"),
        (f"the sum of x and {a} times y is {b}", f"x + {a}y = {b}"),
        (f"y is {a} times the sum of x and {b}", f"y = {a}(x + {b})"),
    )[kind]
    parts = (
        [f"{a} times x is {a}x.", f"{b} less: {a}x - {b}."], [f"{a} times y is {a}y.", f"{b} more than x: x + {b}."],
        [f"{a} times y is {a}y.", f"The sum with x: x + {a}y."], [f"The sum: x + {b}.", f"{a} times the sum: {a}(x + {b})."],
    )[kind]  # fmt: skip
    return tell(
        random,
        "words_to_equation",
        f"{said}.",
        "an equation.",
        [*parts, f"Result: {answer}."],
        _equation(answer),
        said=said,
        kind=kind,
        a=a,
        b=b,
    )


def parabola_from_zeros(random: Random) -> Told:
    p, q = random.sample([each for each in range(-8, 9)], 2)
    answer = f"y = {terms(x2=1, x=-p - q, one=p * q)}"
    one, two = (terms(x=1, one=-each) for each in (p, q))
    return tell(
        random,
        "parabola_from_zeros",
        f"zeros {p} and {q}, one times x^2.",
        "the equation.",
        [
            f"The factors are ({one}) and ({two}).",
            f"Sum of the zeros: {plus(p, q)}, so the number before x is {-(p + q)}.",
            f"Product: {times(p, q)}.",
            f"Result: {answer}.",
        ],
        _equation(answer),
        p=p,
        q=q,
    )


def parabola_from_vertex(random: Random) -> Told:
    h, k, a = _nonzero(random, -7, 7), random.randint(-12, 12), random.choice((1, 1, 2, -1, 3, -2))
    answer = f"y = {terms(x2=a, x=-2 * a * h, one=a * h * h + k)}"
    bracket = f"({terms(x=1, one=-h)})^2"
    shape = "as wide as y = x^2" if a == 1 else f"with the factor {a} before the square"
    return tell(
        random,
        "parabola_from_vertex",
        f"vertex ({h}, {k}), factor {a}.",
        "the equation.",
        [
            f"Vertex form: y = {terms(x=a).replace('x', '')}{bracket} {'+' if k >= 0 else '-'} {abs(k)}.",
            f"{bracket} = {terms(x2=1, x=-2 * h, one=h * h)}.",
            f"Constant: {signed(a)} × {h * h} + {signed(k)} = {a * h * h + k}.",
            f"Result: {answer}.",
        ],
        _equation(answer),
        h=h,
        k=k,
        shape=shape,
        a=a,
    )


def circle_equation(random: Random) -> Told:
    x, y, r = random.randint(-9, 9), random.randint(-9, 9), random.randint(2, 12)

    def part(letter: str, value: int) -> str:
        return f"({letter} {'-' if value > 0 else '+'} {abs(value)})^2" if value else f"{letter}^2"

    answer = f"{part('x', x)} + {part('y', y)} = {r * r}"
    size, said = random.choice(((r, "radius"), (2 * r, "diameter")))
    first = [f"The radius is {divided(2 * r, 2)}."] if said == "diameter" else []
    return tell(
        random,
        "circle_equation",
        f"centre ({x}, {y}), {said} {size}.",
        "the equation.",
        [
            *first,
            "The squares of both distances add up to the square of the radius.",
            f"{times(r, r)}.",
            f"Result: {answer}.",
        ],
        _equation(answer),
        x=x,
        y=y,
        said=said,
        size=size,
    )


def even_change(random: Random) -> Told:
    t1, run, rate = random.randint(0, 4), random.randint(2, 5), _nonzero(random, -6, 8)
    start = random.randint(20, 60)
    a, b, t2 = start + rate * t1, start + rate * (t1 + run), t1 + run
    out = random.choice(("h", "w", "L"))
    what, unit = random.choice(
        (
            ("snow depth", "days"),
            ("height of a plant", "weeks"),
            ("water in a tank", "minutes"),
            ("length of a candle", "hours"),
        )
    )
    answer = f"{out} = {terms(t=rate, one=start)}"
    return tell(
        random,
        "even_change",
        f"t = {t1}: {a}, t = {t2}: {b}.",
        f"{out} in terms of t.",
        [
            f"Change: {minus(b, a)} in {minus(t2, t1)} {unit}.",
            f"Per unit: {divided(b - a, run)}.",
            f"At t = 0: {a} - {signed(rate)} × {t1} = {start}.",
            f"Result: {answer}.",
        ],
        _equation(answer),
        what=what,
        unit=unit,
        out=out,
        a=a,
        b=b,
        t1=t1,
        t2=t2,
    )


def mirrored_parabola(random: Random) -> Told:
    b, c, k = _nonzero(random, -8, 8), _nonzero(random, -12, 12), random.randint(1, 9)
    given = f"y = {terms(x2=1, x=b, one=c)}"
    kind = random.choice(("up", "down", "flip", "mirror"))
    said, answer, steps = {
        "up": (f"moved up by {k}", terms(x2=1, x=b, one=c + k), [f"Only the constant changes: {plus(c, k)}."]),
        "down": (f"moved down by {k}", terms(x2=1, x=b, one=c - k), [f"Only the constant changes: {minus(c, k)}."]),
        "flip": ("reflected in the x-axis", terms(x2=-1, x=-b, one=-c), ["All three terms change their sign."]),
        "mirror": ("reflected in the y-axis", terms(x2=1, x=-b, one=c), [f"x^2 stays, {terms(x=b)} becomes {terms(x=-b)}."]),
    }[kind]  # fmt: skip
    answer = f"y = {answer}"
    return tell(
        random,
        "mirrored_parabola",
        f"{given}, {said}.",
        "the new equation.",
        [*steps, f"Result: {answer}."],
        _equation(answer),
        given=given,
        said=said,
        kind=kind,
        k=k,
    )


EASY = [slope_and_intercept, cost_formula, words_to_equation, proportion_law, mirrored_parabola]
MEDIUM = [gradient_and_point, table_to_line, shifted_line, rearrange, rearrange_numbers, even_change]
HARD = [through_both, parallel_or_upright, parabola_from_zeros, parabola_from_vertex, circle_equation]
