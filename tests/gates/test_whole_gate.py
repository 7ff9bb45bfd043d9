"""The whole gate in simulated worlds (bench/gate.py, which runs more of them): who deserves nothing is not promoted."""

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType

import pytest

from verigym.gates.policy import DEFAULT, QUICK

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_gate", BENCH / "gate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(BENCH))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(BENCH))
    return module


def _rarely(share: float, draws: int) -> bool:
    """At most 5%, and four standard errors of so many draws."""
    return share <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / draws)


@pytest.mark.parametrize("world", ["no better", "no better, 10 families of 24", "no better, 40 unequal families"])
def test_no_better_is_promoted_in_at_most_5_percent(bench: ModuleType, world: str):
    assert _rarely(bench.promoted(bench.BAD[world][0], DEFAULT, times=40), 40)


@pytest.mark.parametrize(
    "world",
    [
        "+20 points, 5% unsafe, correlation 0.5",
        "+20 points, forgets 5 points",
        "+20 points, over-refuses 10 points more",
    ],
)
def test_better_with_damage_at_a_margin_is_promoted_in_at_most_5_percent(bench: ModuleType, world: str):
    assert _rarely(bench.promoted(bench.BAD[world][0], DEFAULT, times=30), 30)


@pytest.mark.parametrize("cell", ["46x4", "80x3", "10x24", "40 pareto"])
def test_harm_at_the_margin_that_comes_in_families_passes_in_at_most_5_percent(bench: ModuleType, cell: str):
    passed = sum(bench.harm_passes(seed, cell, 0.5, 0.05)[0] for seed in range(100))
    assert _rarely(passed / 100, 100)


@pytest.mark.parametrize("world", ["80x3", "10x24", "40 pareto", "9 families", "families move by 40 points"])
def test_no_better_is_shown_better_in_at_most_5_percent_over_all_looks(bench: ModuleType, world: str):
    shown = sum(bench.null_passes(seed, bench.NULLS[world][0])[0] for seed in range(100))
    assert _rarely(shown / 100, 100)


def test_a_clear_gain_without_damage_is_promoted_most_of_the_time(bench: ModuleType):
    for policy in (DEFAULT, QUICK):
        runs = [bench.gated(seed, bench.World(gain=0.2), policy)[1] for seed in range(30)]
        assert sum(run.verdict == "PROMOTE" for run in runs) >= 17, "85%, less four standard errors"
        assert sum(run.tasks["primary"] for run in runs) / 30 < 200, "and it stops early"
