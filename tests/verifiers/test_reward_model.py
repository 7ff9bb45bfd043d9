"""A reward model as a verifier: its score is learnt from, and another verifier says what passed."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from tests.verifiers.builders import BROKEN, episode, task
from verigym.core.errors import InfrastructureFailure
from verigym.core.protocols import Context
from verigym.core.records import Fault, Trajectory, Verdict
from verigym.verifiers.lift import lift
from verigym.verifiers.reward_model import RewardModel


class Scorer:
    """Gives what it is told, in order; asked about nothing that cannot be scored."""

    name = "r1"

    def __init__(self, *scores: Any) -> None:
        self.scores = scores

    async def score(self, trajectories: Sequence[Trajectory]) -> list[float]:
        assert all(one.scorable for one in trajectories)
        if isinstance(self.scores[0], BaseException):
            raise self.scores[0]
        return list(self.scores)


def judge(scorer: Scorer | None, *group: Trajectory, independent: Any = None) -> list[Verdict]:
    own = lift(
        "own",
        independent or (lambda task, trajectory: Verdict(reward=0.3, passed=True, parts={"a": 0.3}, evidence="why")),
    )
    return asyncio.run(RewardModel("v1", own).verify(task(), group or [episode("x")], Context(scorer=scorer)))


def test_the_score_is_the_reward_and_all_else_is_the_other_verifiers() -> None:
    [found] = judge(Scorer(-1.25))
    assert (found.reward, found.passed, found.parts) == (-1.25, True, {"a": 0.3})
    assert found.verifier == "reward_model@v1" and found.evidence == "score -1.250\nwhy"


def test_a_high_score_does_not_pass_what_the_other_verifier_fails() -> None:
    [found] = judge(Scorer(99.0), independent=lambda task, trajectory: 0.0)
    assert found.reward == 99.0 and not found.passed


def test_what_cannot_be_scored_is_shown_to_neither_and_keeps_its_place() -> None:
    found = judge(Scorer(1.0, 2.0), episode("a", "a"), BROKEN, episode("b", "b"))
    assert [(one.trajectory, one.reward) for one in found] == [("a", 1.0), ("broken", None), ("b", 2.0)]
    [alone] = judge(Scorer(RuntimeError("never asked")), BROKEN)
    assert alone.reward is None and alone.error == BROKEN.error


def test_where_the_other_verifier_fails_the_score_counts_and_nothing_passed() -> None:
    def broken(task: Any, trajectory: Any) -> float:
        raise ValueError("no")

    [found] = judge(Scorer(0.5), independent=broken)
    assert (found.reward, found.passed, found.error) == (0.5, False, None)


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -float("inf")])
def test_a_score_that_is_no_number_is_no_reward(score: float) -> None:
    first, second = judge(Scorer(score, 1.0), episode("a", "a"), episode("b", "b"))
    assert first.reward is None and not first.passed and second.reward == 1.0
    assert first.error is not None and first.error.fault is Fault.VERIFIER and "score is" in first.error.message


@pytest.mark.parametrize(
    ("error", "fault"),
    [(RuntimeError("broken"), Fault.VERIFIER), (InfrastructureFailure("out of memory"), Fault.INFRASTRUCTURE)],
    ids=["breaks", "no memory"],
)
def test_a_reward_model_that_breaks_costs_its_verdicts_alone(error: Exception, fault: Fault) -> None:
    for found in judge(Scorer(error), episode("a", "a"), episode("b", "b")):
        assert found.reward is None and found.error is not None and found.error.fault is fault


def test_without_a_reward_model_it_says_where_to_name_one() -> None:
    [found] = judge(None)
    assert found.reward is None and found.error is not None and "reward_model: VERSION" in found.error.message


def test_who_stops_the_run_is_obeyed() -> None:
    class Stopped(Scorer):
        async def score(self, trajectories: Sequence[Trajectory]) -> list[float]:
            current = asyncio.current_task()
            assert current is not None
            current.cancel()
            await asyncio.sleep(0)
            return [1.0]

    with pytest.raises(asyncio.CancelledError):
        judge(Stopped())
