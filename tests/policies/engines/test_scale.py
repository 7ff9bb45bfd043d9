"""A small version of bench/scale.py: engines in another process, all slots filled over HTTP, and nothing lost."""

import asyncio
import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parents[3] / "bench"


@pytest.fixture
def scale(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCH))
    spec = importlib.util.spec_from_file_location("bench_scale", BENCH / "scale.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "bench_scale", module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.cluster
def test_every_slot_is_filled_and_a_version_is_loaded_meanwhile(scale: Any, tmp_path: Path) -> None:
    sizes = scale.Sizes(engines=4, slots=16, episodes=640, latency_s=0.3, processes=2, tokens=8)
    found = asyncio.run(
        scale.measured(sizes, tmp_path)
    )  # it checks that all episodes passed and that no engine was lost
    assert 0 < found.busy <= sizes.all_slots and found.load_s > 0
    first, last = found.moments[0], found.moments[-1]
    assert 0 < first.served < last.served <= 4 * sizes.episodes and last.done > first.done
