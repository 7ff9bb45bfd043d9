"""How often nominal 95% intervals of clustered binary outcomes cover the truth: ours, and others for contrast.

Families of 1 to 8 tasks; outcomes of a family are correlated (0.3, beta-binomial). `ours` is the interval of every rate in a
report; `t` is the same variance put around the mean (no width where families agree); `z` takes the normal distribution for t;
`bootstrap` draws whole families again and takes percentiles; `tasks` takes tasks as independent (Wilson). The last rows are
paired differences (25% gained, 10% lost).

    python bench/coverage.py          # two minutes on one core
"""

import math
from collections.abc import Callable

import numpy as np
from figures import figure, finish, parser
from scipy import stats

from verigym.evaluation.stats import clustered_mean, paired_delta

FAMILIES = (5, 10, 25, 50)
Interval = tuple[float, float]
Method = Callable[[np.ndarray, np.ndarray], Interval]
"""Values of tasks and their families to an interval."""


def chances(draw: np.random.Generator, families: np.ndarray, mean: float, likeness: float) -> np.ndarray:
    strength = (1 - likeness) / likeness
    return draw.beta(mean * strength, (1 - mean) * strength, families.max() + 1)[families]


def families_of(draw: np.random.Generator, num_families: int) -> np.ndarray:
    return np.repeat(np.arange(num_families), draw.integers(1, 9, num_families))


def outcomes(mean: float) -> Callable[[np.random.Generator, np.ndarray], np.ndarray]:
    return lambda draw, families: (draw.random(len(families)) < chances(draw, families, mean, 0.3)).astype(float)


def changes(draw: np.random.Generator, families: np.ndarray) -> np.ndarray:
    gain = chances(draw, families, 0.25, 0.2)
    loss = chances(draw, families, 0.10, 0.2) * (1 - gain) / 0.75
    drawn = draw.random(len(families))
    return (drawn < gain).astype(float) - (drawn > 1 - loss)


def moved(values: np.ndarray, families: np.ndarray) -> tuple[float, np.ndarray]:
    """The mean, and how far each family, left out, moves it."""
    sums, sizes = np.bincount(families, values), np.bincount(families)
    mean = values.mean()
    return float(mean), (sums - mean * sizes) / (len(values) - sizes)


def around(quantile: Callable[[int], float]) -> Method:
    def interval(values: np.ndarray, families: np.ndarray) -> Interval:
        mean, moves = moved(values, families)
        num = len(moves)
        reach = quantile(num - 1) * math.sqrt((num - 1) / num * float((moves**2).sum()))
        return mean - reach, mean + reach

    return interval


def ours(values: np.ndarray, families: np.ndarray) -> Interval:
    estimate = clustered_mean(values.tolist(), families.tolist(), rate=True)
    return estimate.low, estimate.high


def ours_paired(values: np.ndarray, families: np.ndarray) -> Interval:
    delta = paired_delta([0.0] * len(values), values.tolist(), families.tolist(), level=0.975, rate=True)
    return delta.low, delta.high


def bootstrap(values: np.ndarray, families: np.ndarray) -> Interval:
    draw, sums, sizes = np.random.default_rng(0), np.bincount(families, values), np.bincount(families)
    again = draw.integers(0, len(sizes), (500, len(sizes)))
    low, high = np.percentile(sums[again].sum(1) / sizes[again].sum(1), [2.5, 97.5])
    return float(low), float(high)


def of_tasks(values: np.ndarray, families: np.ndarray) -> Interval:
    found = stats.binomtest(int(values.sum()), len(values)).proportion_ci(0.95, method="wilson")
    return found.low, found.high


OTHERS: dict[str, Method] = {
    "t": around(lambda df: float(stats.t.ppf(0.975, df))),
    "z": around(lambda df: 1.96),
    "bootstrap": bootstrap,
}


def main() -> None:
    args = parser(__doc__).parse_args()
    num_draws = 300 if args.quick else 4000
    rates = {
        f"rate {mean}": (outcomes(mean), mean, {"ours": ours, **OTHERS, "tasks": of_tasks})
        for mean in (0.5, 0.7, 0.9, 0.95)
    }
    paired = {"paired difference": (changes, 0.15, {"ours": ours_paired, **OTHERS})}
    figures = []
    for what, (draw_values, truth, methods) in {**rates, **paired}.items():
        for num_families in FAMILIES:
            draw, hits = np.random.default_rng(num_families), dict.fromkeys(methods, 0)
            for _ in range(num_draws):
                families = families_of(draw, num_families)
                values = draw_values(draw, families)
                for name, method in methods.items():
                    low, high = method(values, families)
                    hits[name] += low <= truth <= high
            shares = {name: count / num_draws for name, count in hits.items()}
            if not args.json:
                cells = "  ".join(f"{name} {100 * share:5.1f}%" for name, share in shares.items())
                print(f"{what:18} {num_families:3} families:  {cells}", flush=True)
            goal = "" if args.quick else ">= 0.92"
            figures.append(
                figure(f"coverage, {what}, {num_families} families", shares["ours"], "of 95% intervals", goal)
            )
    finish(figures, args)


if __name__ == "__main__":
    main()
