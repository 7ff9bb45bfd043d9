"""A reward is the weighted sum of its named parts, or nothing at all."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifiers.builders import BROKEN, episode, verdict
from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.core.protocols import Context
from verigym.core.records import Failure, Fault, FunctionCall, Mark, Task, Trajectory, Verdict
from verigym.verifiers.combine import Combine, Shortest
from verigym.verifiers.numeric import Numeric


def called(task: Task, trajectory: Trajectory) -> bool:
    return any(call.name == "search" for call in trajectory.calls)


def unsafe(task: Task, trajectory: Trajectory) -> bool:
    return trajectory.marked("unsafe")


async def half(task: Task, trajectory: Trajectory, context: Context) -> Verdict:
    return Verdict(reward=0.5, evidence="2 of 4 tests")


SHAPED = Combine(
    {
        "right_tool": (0.1, called),
        "valid_artifact": (0.2, lambda task, trajectory: True),
        "partial_test": (0.3, half),
        "done": (1.0, Numeric()),
        "unsafe": (-1.0, unsafe),
    }
)


def test_the_reward_is_the_weighted_sum() -> None:
    items = [*episode("42").items, FunctionCall("c", "search", "{}")]
    found = verdict(SHAPED, episode("42", items=items), answer=42)
    assert found.reward == pytest.approx(0.1 + 0.2 + 0.15 + 1.0) and found.passed and not found.unsafe
    assert found.parts == {"right_tool": 1.0, "valid_artifact": 1.0, "partial_test": 0.5, "done": 1.0, "unsafe": 0.0}
    assert found.evidence.split("\n") == [
        "right_tool +0.1",
        "valid_artifact +0.2",
        "partial_test +0.15: 2 of 4 tests",
        "done +1: 42, as expected",
        "unsafe -0",
    ]


def test_what_is_unsafe_is_marked_and_taken_off() -> None:
    found = verdict(SHAPED, episode("41", marks=[Mark("unsafe")]), answer=42)
    assert found.reward == pytest.approx(0.2 + 0.15 - 1.0) and found.unsafe and not found.passed


def test_a_parts_own_mark_of_unsafe_counts() -> None:
    part = lambda task, trajectory: Verdict(reward=1.0, passed=True, unsafe=True)  # noqa: E731
    assert verdict(Combine({"done": (1.0, part)}), "x").unsafe


def test_done_decides_and_counts_one_or_zero() -> None:
    nearly = lambda task, trajectory: Verdict(reward=0.9)  # noqa: E731
    found = verdict(Combine({"all": (1.0, nearly), "tests": (1.0, lambda task, trajectory: 1.0)}, done="all"), "x")
    assert (found.reward, found.passed, found.parts) == (1.0, False, {"all": 0.0, "tests": 1.0})


def test_a_verifier_in_two_parts_is_asked_once() -> None:
    asked: list[str] = []

    def tests(task: Task, trajectory: Trajectory) -> float:
        asked.append(trajectory.id)
        return 1.0

    assert verdict(Combine({"partial": (0.5, tests), "done": (1.0, tests)}), "x").reward == 1.5
    assert asked == ["a"]


def test_a_group_verifier_may_be_a_part() -> None:
    shortest: Any = Shortest(Numeric())
    assert verdict(Combine({"done": (1.0, shortest)}), "42", answer=42).reward == 1.0


@pytest.mark.parametrize(
    ("raised", "fault"),
    [
        (KeyError("x"), Fault.VERIFIER),
        (SystemExit(0), Fault.VERIFIER),
        (InfrastructureFailure("away"), Fault.INFRASTRUCTURE),
    ],
    ids=repr,
)
def test_one_part_that_fails_leaves_no_reward_and_is_named(raised: BaseException, fault: Fault) -> None:
    def broken(task: Task, trajectory: Trajectory) -> float:
        raise raised

    found = verdict(Combine({"judge": (0.1, broken), "done": (1.0, Numeric())}), "42", answer=42)
    assert found.reward is None and not found.passed
    assert found.error is not None and found.error.fault is fault and found.error.message.startswith('part "judge": ')


def test_an_episode_that_cannot_be_scored_gets_no_reward() -> None:
    assert verdict(SHAPED, BROKEN, answer=42).error == Failure(Fault.INFRASTRUCTURE, "TimeoutError", "away")


@pytest.mark.parametrize(
    "parts",
    [{}, {"tests": (1.0, called)}, {"done": (float("nan"), called)}, {"done": (1.0, "numeric")}],
    ids=["none", "a name that is taken", "nan", "no verifier"],
)
def test_parts_that_cannot_be_combined_are_refused_in_words(parts: Any) -> None:
    with pytest.raises(BadInput, match="Combine: "):
        Combine(parts)


@settings(deadline=None)
@given(st.dictionaries(st.text(min_size=1), st.tuples(st.floats(-9, 9), st.floats(-9, 9), st.booleans()), max_size=6))
def test_the_sum_is_the_sum(parts: dict[str, tuple[float, float, bool]]) -> None:
    named = {**parts, "done": (1.0, 1.0, True)}

    def part(reward: float, passed: bool) -> Any:
        return lambda task, trajectory: Verdict(reward=reward, passed=passed)

    found = verdict(Combine({name: (weight, part(value, ok)) for name, (weight, value, ok) in named.items()}), "x")
    counted = {name: value if name != "done" else 1.0 for name, (_, value, _) in named.items()}
    assert found.reward == pytest.approx(
        sum(weight * counted[name] for name, (weight, _, _) in named.items()), abs=1e-9
    )
    assert found.parts == counted and found.passed
    assert found.unsafe == (counted.get("unsafe", 0.0) > 0)
