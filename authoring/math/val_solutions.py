"""Held-out problems whose answer is all solutions of an equation. Each function is a family."""

from random import Random

from authoring.math.notation import SMALL
from verigym.environments.math.questions import Family, Question, solutions, terms


def product_form(draw: Random) -> Question:
    p, q = draw.sample([each for each in range(-9, 10) if each], 2)
    q = 10 if p + q == 0 else q
    return solutions(
        draw.choice(
            [
                f"For which values of u is u(u {'-' if p + q > 0 else '+'} {abs(p + q)}) = {-p * q}?",
                f"Determine every u obeying u(u {'-' if p + q > 0 else '+'} {abs(p + q)}) = {-p * q}.",
            ]
        ),
        f"u^2 - ({p + q})u + ({p * q}) = 0.\nThe sum of the solutions is {p + q} and their product {p * q}.",
        u=[p, q],
    )


def crossing_lines(draw: Random) -> Question:
    x, y, m, n = draw.randint(-6, 6), draw.randint(-9, 9), *draw.sample([each for each in range(-5, 6) if each], 2)
    return solutions(
        draw.choice(
            [
                f"Where do the lines y = {terms(x=m, one=y - m * x)} and y = {terms(x=n, one=y - n * x)} cross? "
                "Give x and y.",
                f"Intersection of y = {terms(x=m, one=y - m * x)} with y = {terms(x=n, one=y - n * x)}: state x and y.",
            ]
        ),
        f"{terms(x=m - n)} = {y - n * x - (y - m * x)}, so x = {x}.\nThen y = {m} × ({x}) + ({y - m * x}) = {y}.",
        x=[x],
        y=[y],
    )


def cube_root(draw: Random) -> Question:
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


def fixed_multiple(draw: Random) -> Question:
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


def double_root(draw: Random) -> Question:
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


def two_means(draw: Random) -> Question:
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


def pair_of_squares(draw: Random) -> Question:
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


def ratio_equation(draw: Random) -> Question:
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


EASY: list[Family] = [
    cube_root,
    fixed_multiple,
]
MEDIUM: list[Family] = [
    double_root,
    two_means,
]
HARD: list[Family] = [
    product_form,
    crossing_lines,
    pair_of_squares,
    ratio_equation,
]
