"""The figures of a comparison: worked out in a process of their own, and equal to those worked out here."""

import subprocess
import sys
from pathlib import Path

import pytest

from verigym.core.errors import InfrastructureFailure, Refused
from verigym.core.records import Report, Suite, TaskResult
from verigym.view import comparison


def report(agent: str, passed: list[float], seconds: float = 1.0, tasks: str = "t") -> Report:
    results = [
        TaskResult(
            task=f"{tasks}{at}",
            family=f"f{at // 2}",
            passed=one,
            reward=one,
            bucket="" if one else "wrong answer",
            trajectory=f"{agent}/{at}",
            latency_s=seconds + at,
            tokens=10.0,
        )
        for at, one in enumerate(passed)
    ]
    names = [one.task for one in results]
    suite = Suite(
        name="val", environment="desk", tasks=names, families=[one.family for one in results], verifier="v", hash="h"
    )
    return Report(id=agent, run=agent, agent=agent, suite=suite, metrics={}, results=results, buckets={})


BEFORE, AFTER = report("old", [1.0, 1.0, 0.0, 1.0, 1.0, 1.0]), report("new", [0.0, 1.0, 1.0, 0.0, 0.0, 1.0])


@pytest.fixture
def without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process looks as if it had not loaded scipy, so another one works the figures out."""
    monkeypatch.delitem(sys.modules, "scipy.special", raising=False)


@pytest.mark.usefixtures("without_scipy")
def test_another_process_works_out_the_same_figures() -> None:
    figures = comparison.figures_of(BEFORE, AFTER)
    assert figures == comparison.work_out(BEFORE, AFTER)
    assert figures.loss is not None and figures.loss.value == pytest.approx(1 / 3)
    assert figures.two_sided.low < figures.comparison.success.low


@pytest.mark.usefixtures("without_scipy")
def test_reports_that_share_no_task_are_refused_in_words() -> None:
    with pytest.raises(Refused, match="is in only one of the two reports"):
        comparison.figures_of(BEFORE, report("other", [1.0] * 6, tasks="x"))


def test_a_gain_has_no_loss() -> None:
    figures = comparison.work_out(AFTER, BEFORE)
    assert figures.loss is None and figures.loss_sign_flip is None


@pytest.mark.usefixtures("without_scipy")
def test_a_process_that_dies_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho no memory >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr(comparison.sys, "executable", str(program))
    with pytest.raises(InfrastructureFailure, match="ended with code 3: no memory"):
        comparison.figures_of(BEFORE, AFTER)


def test_the_server_does_not_load_numpy() -> None:
    code = (
        "import sys, verigym.view.serve, verigym.view.pages.compare, verigym.view.pages.failures\n"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'scipy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
