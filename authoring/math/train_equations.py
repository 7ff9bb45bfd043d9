"""Training problems whose answer is an equation. Each function is a family."""

from fractions import Fraction
from random import Random

from authoring.math.notation import SMALL, nonzero, signed
from verigym.environments.math.questions import Family, Question, equation, plain, terms

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
RULES = [
    ("G = 3p + q", "p", "p = (G - q)/3", "3p = G - q"),
    ("L = m(k - 2)", "k", "k = L/m + 2", "k - 2 = L/m"),
    ("B = h(a + c)", "c", "c = B/h - a", "a + c = B/h"),
    ("z = (p - q)/4", "p", "p = 4z + q", "p - q = 4z"),
    ("z = (p - q)/4", "q", "q = p - 4z", "p - q = 4z"),
    ("D = m/V", "V", "V = m/D", "DV = m"),
    ("D = m/V", "m", "m = DV", "DV = m"),
    ("N = 100 - ks", "s", "s = (100 - N)/k", "ks = 100 - N"),
    ("w = 5d/t", "t", "t = 5d/w", "wt = 5d"),
    ("Q = 2(a + 3b)", "b", "b = (Q - 2a)/6", "6b = Q - 2a"),
    ("Q = 2(a + 3b)", "a", "a = Q/2 - 3b", "a + 3b = Q/2"),
    ("H = abc/2", "c", "c = 2H/(ab)", "abc = 2H"),
]


def subject(draw: Random) -> Question:
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


def slope_and_point(draw: Random) -> Question:
    m, x, y = nonzero(draw, -7, 7), nonzero(draw, -8, 8), draw.randint(-9, 9)
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


def two_points(draw: Random) -> Question:
    x, y, across, m = (
        nonzero(draw, -7, 7),
        nonzero(draw, -9, 9),
        draw.randint(2, 6),
        Fraction(nonzero(draw, -9, 9), draw.choice([1, 1, 2, 3])),
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


def squared(letter: str, shift: int) -> str:
    """`(x - 3)^2`, or `x^2` without a shift."""
    return f"({letter} {signed(-shift)})^2" if shift else f"{letter}^2"


def steady_table(draw: Random) -> Question:
    k, first, step = draw.randint(2, 12), draw.randint(2, 5), draw.randint(2, 4)
    listed = ", ".join(f"x = {x}: y = {k * x}" for x in (first, first + step, first + 2 * step))
    return equation(
        draw.choice(
            [
                f"y is proportional to x. Some values: {listed}. Write the equation that connects them.",
                f"Measured: {listed}. All of it lies on one line through the origin. Which equation has this line?",
                f"Find the equation between x and y for direct proportion with {listed}.",
                f"Twice the x, twice the y: {listed}. What equation says how y comes from x?",
            ]
        ),
        f"{k * first} ÷ {first} = {k}, and the same for the other pairs.",
        f"y = {k}x",
    )


def taxi_fare(draw: Random) -> Question:
    base, each = draw.randint(3, 9), draw.choice([2, 3, 4])
    return equation(
        draw.choice(
            [
                f"A taxi ride costs €{base} to begin with and €{each} for every kilometre. Write an equation for "
                "the price C in euros of a ride of k kilometres.",
                f"Let C be the fare in euros and k the kilometres driven. There is a basic charge of €{base}, and "
                f"each kilometre adds €{each}. Which equation gives C?",
                f"Give C, the euros on the meter, by an equation in k: the meter starts at {base} and goes up by "
                f"{each} with each of the k kilometres.",
                f"k kilometres at €{each} each, and a starting fee of €{base}, come to C euros. As an equation?",
            ]
        ),
        f"k kilometres cost {each}k, and the start {base}.",
        f"C = {each}k + {base}",
    )


def told_rule(draw: Random) -> Question:
    k, b, more = draw.randint(2, 9), draw.randint(2, 15), draw.random() < 0.5
    word = "more" if more else "less"
    return equation(
        draw.choice(
            [
                f"Write as an equation: y is {b} {word} than {k} times x.",
                f"The number y is always {b} {word} than the {k}-fold of x. Put this into an equation.",
                f"To get y, multiply x by {k} and {'add' if more else 'take away'} {b}. State it as an equation in "
                "x and y.",
                f"{k} times x is {b} {'less' if more else 'more'} than y. Say the same with an equation.",
            ]
        ),
        f"{k} times x is {k}x, and {'with' if more else 'without'} {b} it is y.",
        f"y = {terms(x=k, one=b if more else -b)}",
    )


def moved_line(draw: Random) -> Question:
    m, c, up = draw.choice(SMALL), draw.choice(SMALL), draw.randint(2, 9)
    down = draw.random() < 0.5
    right = c - up if down else c + up
    word = "down" if down else "up"
    return equation(
        draw.choice(
            [
                f"The line y = {terms(x=m, one=c)} is moved {word} by {up}. What is its equation now?",
                f"Shift the graph of y = {terms(x=m, one=c)} by {up} units {word}wards and give the equation of the "
                "new line.",
                f"Each point of the line y = {terms(x=m, one=c)} goes {up} units {word}. On which line do they lie "
                "then? Write its equation.",
                f"Which line runs {up} {'below' if down else 'above'} the line y = {terms(x=m, one=c)}, measured "
                "along the y-axis, and is parallel to it? An equation, please.",
            ]
        ),
        f"The slope stays {m}.\nThe constant becomes {c} {'-' if down else '+'} {up} = {right}.",
        f"y = {terms(x=m, one=right)}",
    )


def alongside(draw: Random) -> Question:
    m, c, x, y = draw.choice(SMALL), draw.choice(SMALL), draw.choice(SMALL), draw.choice(SMALL)
    right = y - m * x
    c = c + 1 if c == right else c
    return equation(
        draw.choice(
            [
                f"Find the line through ({x}, {y}) that is parallel to y = {terms(x=m, one=c)}. Write its equation.",
                f"A road on a map follows y = {terms(x=m, one=c)}. A second road is parallel to it and passes the "
                f"point ({x}, {y}). What is the equation of the second?",
                f"Parallel to y = {terms(x=m, one=c)}, and the point ({x}, {y}) lies on it: which line is that, as "
                "an equation?",
                f"Give the equation of a line with the direction of y = {terms(x=m, one=c)} on which the point "
                f"({x}, {y}) lies.",
            ]
        ),
        f"The slope is {m} too.\nThe constant is {y} - ({m}) × ({x}) = {right}.",
        f"y = {terms(x=m, one=right)}",
    )


def through_axes(draw: Random) -> Question:
    p, q = draw.choice(SMALL), draw.choice(SMALL)
    return equation(
        draw.choice(
            [
                f"A line cuts the x-axis at {p} and the y-axis at {q}. What is its equation?",
                f"The points ({p}, 0) and (0, {q}) lie on a line. Which equation describes the line?",
                f"Write the equation of the line with the x-intercept {p} and the y-intercept {q}.",
                f"A straight fence on a plan meets the x-axis at x = {p} and the y-axis at y = {q}. Describe it by "
                "an equation.",
            ]
        ),
        f"The slope is -({q})/({p}), so {terms(x=q, y=p)} is the same for all points of the line.\nAt ({p}, 0) it "
        f"is {p * q}.",
        f"{terms(x=q, y=p)} = {p * q}",
    )


def turn_round(draw: Random) -> Question:
    formula, name, right, step = draw.choice(RULES)
    left = formula.partition(" = ")[0]
    return equation(
        draw.choice(
            [
                f"From {formula}, find {name}: write {name} = ...",
                f"{left} is worked out by {formula}. How is {name} worked out when the other letters are known? "
                f"Answer with {name} = ...",
                f"Turn {formula} round so that {name} stands alone on one side.",
                f"Isolate {name} in {formula}.",
            ]
        ),
        f"{step}.\n{right}.",
        right,
        f"solved {name}",
    )


def getting_lower(draw: Random) -> Question:
    rate, first, gap = draw.randint(2, 6), draw.randint(1, 3), draw.randint(2, 4)
    start = rate * (first + gap) + draw.randint(6, 20)
    one, two = start - rate * first, start - rate * (first + gap)
    return equation(
        draw.choice(
            [
                f"The snow on a roof melts evenly. After {first} hour{'s' if first > 1 else ''} it is {one} cm "
                f"deep, after {first + gap} hours {two} cm. Write an equation for the depth h in cm after t hours.",
                f"Water runs evenly out of a basin. Its level h (in cm) is {one} at t = {first} and {two} at t = "
                f"{first + gap}, with t in hours. Which equation gives h from t?",
                f"h falls evenly with the time t: h = {one} when t = {first}, and h = {two} when t = {first + gap}. "
                "Find the equation of h and t.",
                f"A stack gets lower at a steady rate. For t = {first} its height h is {one}, for t = {first + gap} "
                f"it is {two}. Give h as an equation in t.",
            ]
        ),
        f"In {gap} hours it falls by {one - two}, which is {rate} an hour.\nAt t = 0 it was {one} + {rate} × "
        f"{first} = {start}.",
        f"h = {start} - {rate}t",
    )


def circle(draw: Random) -> Question:
    a, b, r = draw.choice(SMALL), draw.randint(-7, 7), draw.randint(2, 9)
    return equation(
        draw.choice(
            [
                f"Give the equation of the circle around ({a}, {b}) with the radius {r}.",
                f"All points at the distance {r} from the point ({a}, {b}) form a circle. Which equation in x and y "
                "do they satisfy?",
                f"A goat on a rope of length {r} is tied to a peg at ({a}, {b}). Write the equation of the outer "
                "edge it can reach.",
                f"Centre ({a}, {b}), diameter {2 * r}: what is the equation of this circle in x and y?",
            ]
        ),
        f"The square of the distance from ({a}, {b}) is {squared('x', a)} + {squared('y', b)}, and it is {r}^2 = "
        f"{r * r}.",
        f"{squared('x', a)} + {squared('y', b)} = {r * r}",
    )


def from_vertex(draw: Random) -> Question:
    h, k, a, step = draw.choice(SMALL), draw.choice(SMALL), draw.choice([-3, -2, -1, 1, 2, 3]), draw.choice([1, 2, 3])
    x, y = h + step, k + a * step * step
    front = "" if a == 1 else "-" if a == -1 else str(a)
    return equation(
        draw.choice(
            [
                f"A parabola that opens upwards or downwards has its vertex at ({h}, {k}) and goes through ({x}, "
                f"{y}). What is its equation?",
                f"Find y = a(x - p)^2 + q with the vertex ({h}, {k}) such that ({x}, {y}) lies on the curve. Write "
                "the equation with numbers for a, p and q.",
                f"The graph of a quadratic function turns at ({h}, {k}) and passes ({x}, {y}). Give its equation.",
                f"Which parabola of the form y = ... has the turning point ({h}, {k}) and contains ({x}, {y})?",
            ]
        ),
        f"y = a{squared('x', h)} {signed(k)}.\nFor x = {x}: a × {step * step} {signed(k)} = {y}, so a = {a}.",
        f"y = {front}{squared('x', h)} {signed(k)}",
    )


def from_zeros(draw: Random) -> Question:
    p, q = draw.sample(range(-6, 7), 2)
    a, x = draw.choice([-3, -2, 2, 3]), draw.randint(-4, 4)
    while x in (p, q):
        x += 1
    y = a * (x - p) * (x - q)
    return equation(
        draw.choice(
            [
                f"A quadratic function is 0 at x = {p} and at x = {q}, and at x = {x} it is {y}. Write it as y = ...",
                f"The parabola of a quadratic function crosses the x-axis at {p} and {q} and contains the point "
                f"({x}, {y}). Which equation does it have?",
                f"y is quadratic in x, with the zeros {p} and {q}. For x = {x}, y is {y}. Find the equation.",
                f"State the equation of the curve y = a(x - p)(x - q) that meets the x-axis in {p} and {q} and "
                f"passes ({x}, {y}), with all numbers put in.",
            ]
        ),
        f"y = a({terms(x=1, one=-p)})({terms(x=1, one=-q)}).\nFor x = {x}: {(x - p) * (x - q)}a = {y}, so a = {a}.",
        f"y = {a}({terms(x=1, one=-p)})({terms(x=1, one=-q)})",
    )


def hidden_letter(draw: Random) -> Question:
    a, b, c = draw.randint(2, 7), draw.choice(SMALL), draw.choice(SMALL)
    while b == a * c:
        b += 1 if b != -1 else 2
    top, bottom = terms(x=a, one=b), terms(x=1, one=c)
    right = f"x = ({terms(one=b)} {'-' if c > 0 else '+'} {abs(c) if abs(c) > 1 else ''}y)/(y - {a})"
    return equation(
        draw.choice(
            [
                f"Solve y = ({top})/({bottom}) for x.",
                f"y = ({top})/({bottom}). Write x in terms of y, as x = ...",
                f"Starting from y = ({top})/({bottom}), get x alone on one side, with no x on the other.",
                f"If y({bottom}) = {top}, what is x? Answer with an equation x = ... in which only y occurs on the "
                "right.",
            ]
        ),
        f"y({bottom}) = {top}, so xy - {a}x = {b} {'-' if c > 0 else '+'} {abs(c) if abs(c) > 1 else ''}y.\nx(y - "
        f"{a}) is the left side.",
        right,
        "solved x",
    )


def given_roots(draw: Random) -> Question:
    p, q = draw.sample(SMALL, 2)
    k = draw.choice([1, 1, 2])
    one, two = p, Fraction(q, k)
    while one == two:
        two += 1
    k = two.denominator
    right = terms(x2=k, x=-k * (one + two), one=k * one * two)
    return equation(
        draw.choice(
            [
                f"Write a quadratic equation in x, with 0 on the right, whose solutions are {one} and {two}.",
                f"{one} and {two} are the two solutions of a quadratic equation. State such an equation in x.",
                f"Which quadratic equation in x is true for x = {one} and x = {two} and for nothing else?",
                f"Make up an equation of second degree in x that has exactly the solutions {one} and {two}.",
            ]
        ),
        f"({terms(x=1, one=-one)})({terms(x=1, one=-two)}) = 0.\nTimes {k}, multiplied out: {right} = 0.",
        f"{right} = 0",
    )


EASY: list[Family] = [
    steady_table,
    taxi_fare,
    told_rule,
    moved_line,
]
MEDIUM: list[Family] = [
    subject,
    slope_and_point,
    alongside,
    through_axes,
    turn_round,
    getting_lower,
]
HARD: list[Family] = [
    two_points,
    circle,
    from_vertex,
    from_zeros,
    hidden_letter,
    given_roots,
]
