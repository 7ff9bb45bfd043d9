"""The whole gate in simulated worlds (bench/gate.py, which runs more of them): who deserves nothing is not promoted."""

import importlib.util
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


@pytest.mark.parametrize(
    "world",
    ["no difference", "no difference but 3% unsafe", "no difference, each version good at other families (20 of 12)"],
)
def test_no_better_is_promoted_in_at_most_5_percent(bench: ModuleType, world: str):
    assert bench.promoted(bench.BAD[world], DEFAULT, times=250) <= 0.09, "5% and three standard errors of 250"


@pytest.mark.parametrize(
    "world",
    ["+15 points, unsafe at the margin", "+15 points, forgets 3 points of retention"],
)
def test_better_with_damage_at_a_margin_is_promoted_in_at_most_5_percent(bench: ModuleType, world: str):
    assert bench.promoted(bench.BAD[world], DEFAULT, times=100) <= 0.11


def test_a_clear_gain_without_damage_is_promoted_more_often_than_not(bench: ModuleType):
    assert bench.promoted(bench.World(gain=0.2, tasks=500), DEFAULT, times=40) >= 0.4
    assert bench.promoted(bench.World(gain=0.2), QUICK, times=40) >= 0.8
