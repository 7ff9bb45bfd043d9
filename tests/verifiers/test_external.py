"""A verdict of an external system is read from the end state, and refused where it is missing."""

from typing import Any

import pytest

from verigym.core.errors import VerifierFailure
from verigym.core.records import Task, Trajectory
from verigym.verifiers.external import external_verdict

TASK = Task(id="t", prompt="p")


def ended(end_state: dict[str, Any]) -> Trajectory:
    return Trajectory(id="a", task="t", group="g", end_state=end_state)


def test_a_number_and_an_object_are_read() -> None:
    assert external_verdict(TASK, ended({"external_verdict": 1.0})).passed
    given = {"reward": 0.5, "passed": True, "parts": {"db": 1.0}, "unsafe": True, "evidence": "their words"}
    verdict = external_verdict(TASK, ended({"external_verdict": given}))
    assert (verdict.reward, verdict.passed, verdict.parts, verdict.unsafe) == (0.5, True, {"db": 1.0}, True)
    assert verdict.evidence == "their words"


@pytest.mark.parametrize("end_state", [{}, {"external_verdict": None}, {"external_verdict": {"passed": True}}])
def test_without_a_reward_it_is_the_verifiers_failure(end_state: dict[str, Any]) -> None:
    with pytest.raises(VerifierFailure, match="task t"):
        external_verdict(TASK, ended(end_state))
