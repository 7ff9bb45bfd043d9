"""The laws that a laboratory may follow, and the fit of a law to readings.

Every law is `scale * shape(x, b)`. For a given second parameter, the best first parameter is computed directly. So a fit is a
search in one dimension. It needs no initial guess and never diverges. A fit of ten readings takes half a millisecond.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

Shape = Callable[[float, float], float]


class Law(NamedTuple):
    name: str
    formula: str
    """Uses the names of the story: `{a}`, `{b}`, `{x}`."""
    shape: Shape
    low: float
    high: float
    """`low` and `high` bound the second parameter, relative to the largest setting X (see `span`)."""
    unit: int
    """Unit of the second parameter: 1 for X, -1 for 1/X, 0 for neither."""


class Fit(NamedTuple):
    a: float
    b: float
    a_error: float
    b_error: float
    """Standard errors, for the known noise."""
    misfit: float
    """Root mean square of the residuals, in units of the noise. About 1 if the law is right."""


def _slit(x: float, b: float) -> float:
    phase = math.pi * x / b
    return (math.sin(phase) / phase) ** 2 if phase else 1.0


LAWS = {
    law.name: law
    for law in [
        Law("exponential_decay", "{a} * exp(-{b} * {x})", lambda x, b: math.exp(-b * x), 1.2, 3.0, -1),
        Law("hyperbolic_decay", "{a} / (1 + {b} * {x})", lambda x, b: 1 / (1 + b * x), 2.5, 9.0, -1),
        Law("inverse_square", "{a} / (1 + {x} / {b})^2", lambda x, b: (1 + x / b) ** -2, 0.3, 0.9, 1),
        Law("gaussian", "{a} * exp(-({x} / {b})^2)", lambda x, b: math.exp(-((x / b) ** 2)), 0.4, 0.7, 1),
        Law("lorentzian", "{a} / (1 + ({x} / {b})^2)", lambda x, b: 1 / (1 + (x / b) ** 2), 0.25, 0.5, 1),
        Law("slit", "{a} * (sin(pi * {x} / {b}) / (pi * {x} / {b}))^2", _slit, 0.55, 0.9, 1),
        Law("saturation", "{a} * {x} / ({b} + {x})", lambda x, b: x / (b + x), 0.15, 0.5, 1),
        Law("sigmoid_saturation", "{a} * {x}^2 / ({b}^2 + {x}^2)", lambda x, b: x * x / (b * b + x * x), 0.2, 0.5, 1),
        Law("exponential_rise", "{a} * (1 - exp(-{x} / {b}))", lambda x, b: 1 - math.exp(-x / b), 0.2, 0.5, 1),
        Law("tanh_rise", "{a} * tanh({x} / {b})", lambda x, b: math.tanh(x / b), 0.3, 0.6, 1),
        Law("logistic", "{a} / (1 + 9 * exp(-{b} * {x}))", lambda x, b: 1 / (1 + 9 * math.exp(-b * x)), 4.0, 9.0, -1),
        Law("gompertz", "{a} * exp(-3 * exp(-{b} * {x}))", lambda x, b: math.exp(-3 * math.exp(-b * x)), 3.0, 7.0, -1),
        Law("power_law", "{a} * {x}^{b}", lambda x, b: x**b, 0.5, 0.9, 0),
        Law("logarithmic", "{a} * ln(1 + {x} / {b})", lambda x, b: math.log(1 + x / b), 0.05, 0.4, 1),
        Law("random_arrivals", "{a} / (1 - {x} / {b})", lambda x, b: 1 / (1 - x / b), 1.12, 1.5, 1),
        Law(
            "regular_service",
            "{a} * (1 + {x} / (2 * ({b} - {x})))",
            lambda x, b: 1 + x / (2 * (b - x)),
            1.06,
            1.25,
            1,
        ),
        Law("hump", "{a} * {x} * exp(-{x} / {b})", lambda x, b: x * math.exp(-x / b), 0.15, 0.4, 1),
        Law("ratio_hump", "{a} * {x} / (1 + ({x} / {b})^2)", lambda x, b: x / (1 + (x / b) ** 2), 0.15, 0.4, 1),
        Law("square_hump", "{a} * {x}^2 * exp(-{x} / {b})", lambda x, b: x * x * math.exp(-x / b), 0.12, 0.3, 1),
        Law("rayleigh", "{a} * {x} * exp(-({x} / {b})^2)", lambda x, b: x * math.exp(-((x / b) ** 2)), 0.35, 0.65, 1),
        Law(
            "maxwell",
            "{a} * {x}^2 * exp(-({x} / {b})^2)",
            lambda x, b: x * x * math.exp(-((x / b) ** 2)),
            0.35,
            0.65,
            1,
        ),
        Law(
            "resonance",
            "{a} / (0.1 + (1 - ({x} / {b})^2)^2)",
            lambda x, b: 1 / (0.1 + (1 - (x / b) ** 2) ** 2),
            0.4,
            0.7,
            1,
        ),
        Law("bell", "{a} * exp(-6 * ({x} / {b} - 1)^2)", lambda x, b: math.exp(-6 * (x / b - 1) ** 2), 0.4, 0.7, 1),
        Law("arch", "{a} * {x} * (1 - {x} / {b})", lambda x, b: x * (1 - x / b), 1.05, 1.4, 1),
        Law("sine_arch", "{a} * sin(pi * {x} / {b})", lambda x, b: math.sin(math.pi * x / b), 1.05, 1.4, 1),
        Law("linear_decline", "{a} * (1 - {x} / {b})", lambda x, b: 1 - x / b, 1.1, 1.6, 1),
        Law("parabolic_decline", "{a} * (1 - ({x} / {b})^2)", lambda x, b: 1 - (x / b) ** 2, 1.05, 1.4, 1),
        Law(
            "cosine_squared",
            "{a} * cos(pi * {x} / (2 * {b}))^2",
            lambda x, b: math.cos(math.pi * x / (2 * b)) ** 2,
            1.05,
            1.4,
            1,
        ),
        Law("root_decay", "{a} * exp(-sqrt({x} / {b}))", lambda x, b: math.exp(-math.sqrt(x / b)), 0.1, 0.5, 1),
        Law("erfc_decay", "{a} * erfc({x} / {b})", lambda x, b: math.erfc(x / b), 0.4, 0.8, 1),
        Law("power_decay", "{a} / {x}^{b}", lambda x, b: x**-b, 0.4, 1.1, 0),
        Law("linear_growth", "{a} * (1 + {b} * {x})", lambda x, b: 1 + b * x, 0.8, 4.0, -1),
        Law("square_growth", "{a} * (1 + ({x} / {b})^2)", lambda x, b: 1 + (x / b) ** 2, 0.4, 1.0, 1),
        Law("root_growth", "{a} * sqrt(1 + ({x} / {b})^2)", lambda x, b: math.sqrt(1 + (x / b) ** 2), 0.2, 0.5, 1),
        Law("exponential_growth", "{a} * exp({b} * {x})", lambda x, b: math.exp(b * x), 0.8, 2.2, -1),
        Law("arrhenius", "{a} * exp(-{b} / {x})", lambda x, b: math.exp(-b / x), 0.3, 1.0, 1),
    ]
}

_STEPS, _NARROWINGS = 24, 18
_GOLDEN = (math.sqrt(5) - 1) / 2


def span(law: Law, largest: float) -> tuple[float, float]:
    """The bounds of the law's second parameter if settings go up to `largest`."""
    return law.low * largest**law.unit, law.high * largest**law.unit


def fit(law: Law, largest: float, settings: Sequence[float], values: Sequence[float], noise: float) -> Fit:
    """Fits by least squares. Needs at least three readings at two or more settings."""
    low, high = span(law, largest)
    beyond = law.unit == 1 and law.low > 1  # a capacity, which lies above every setting
    ends = math.log(largest * 1.005 if beyond else low / 2), math.log(high * 2)

    def left(log_b: float) -> float:
        return _best(law.shape, math.exp(log_b), settings, values)[1]

    grid = [ends[0] + (ends[1] - ends[0]) * step / _STEPS for step in range(_STEPS + 1)]
    found = min(range(_STEPS + 1), key=lambda place: left(grid[place]))
    b = math.exp(_narrow(left, grid[max(0, found - 1)], grid[min(_STEPS, found + 1)]))
    a, rest = _best(law.shape, b, settings, values)
    return Fit(a, b, *_errors(law.shape, a, b, settings, noise), math.sqrt(rest / (len(values) - 2)) / noise)


def _best(shape: Shape, b: float, settings: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """The best scale, and the remaining sum of squares."""
    shapes = [shape(x, b) for x in settings]
    scale = sum(g * y for g, y in zip(shapes, values, strict=True)) / (sum(g * g for g in shapes) or 1.0)
    return scale, sum((y - scale * g) ** 2 for g, y in zip(shapes, values, strict=True))


def _narrow(left: Callable[[float], float], low: float, high: float) -> float:
    """Golden-section search."""
    one, two = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_one, at_two = left(one), left(two)
    for _ in range(_NARROWINGS):
        if at_one < at_two:
            high, two, at_two = two, one, at_one
            one = high - _GOLDEN * (high - low)
            at_one = left(one)
        else:
            low, one, at_one = one, two, at_two
            two = low + _GOLDEN * (high - low)
            at_two = left(two)
    return (low + high) / 2


def _errors(shape: Shape, a: float, b: float, settings: Sequence[float], noise: float) -> tuple[float, float]:
    by_a = [shape(x, b) for x in settings]
    by_b = [a * (shape(x, b * 1.0001) - shape(x, b * 0.9999)) / (b * 0.0002) for x in settings]
    aa, bb = sum(g * g for g in by_a), sum(g * g for g in by_b)
    ab = sum(g * h for g, h in zip(by_a, by_b, strict=True))
    determinant = aa * bb - ab * ab
    if determinant <= 1e-12 * aa * bb or determinant <= 0:
        return math.inf, math.inf
    return noise * math.sqrt(bb / determinant), noise * math.sqrt(aa / determinant)
