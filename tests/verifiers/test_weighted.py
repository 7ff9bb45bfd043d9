"""Several verifiers as one: a weighted sum whose terms stay visible, and half a judgement is none."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.verifiers.builders import BROKEN, episode, task
from verigym.core.protocols import Context, Verifier
from verigym.core.records import Fault, Trajectory, Verdict
from verigym.verifiers.combine import Weighted
from verigym.verifiers.lift import lift


def always(score: Any, name: str = "v") -> Verifier:
    def verify(task: Any, trajectory: Any) -> Any:
        if isinstance(score, Exception):
            raise score
        return score

    return lift(name, verify)


def judge(parts: dict[str, tuple[float, Any]], *group: Trajectory) -> list[Verdict]:
    both = Weighted({name: (weight, always(score, name)) for name, (weight, score) in parts.items()})
    return asyncio.run(both.verify(task(), group or [episode("hello")], Context()))


finite = st.floats(-100, 100)


@given(st.dictionaries(st.sampled_from("abcd"), st.tuples(finite, finite), min_size=1))
def test_the_reward_is_the_weighted_sum_and_each_term_is_a_part(parts: dict[str, tuple[float, float]]) -> None:
    [found] = judge(parts)
    assert found.reward == pytest.approx(sum(weight * score for weight, score in parts.values()))
    assert found.parts == {name: score for name, (_, score) in parts.items()}


def test_parts_of_parts_keep_whose_they_are_and_evidence_is_joined() -> None:
    right = Verdict(reward=0.5, parts={"tool": 1.0}, evidence="the tool is right")
    short = Verdict(reward=0.2, parts={"tool": 0.0}, evidence="12 words")
    [found] = judge({"right": (1, right), "short": (0.5, short)})
    assert found.parts == {"right": 0.5, "right.tool": 1.0, "short": 0.2, "short.tool": 0.0}
    assert found.evidence == "the tool is right\n12 words" and found.reward == pytest.approx(0.6)


@pytest.mark.parametrize("first", [True, False])
def test_the_first_says_what_passed_and_any_what_was_unsafe(first: bool) -> None:
    one, other = Verdict(reward=0.0, passed=first), Verdict(reward=5.0, passed=not first, unsafe=True)
    [found] = judge({"one": (1, one), "other": (1, other)})
    assert found.passed == first and found.unsafe


@pytest.mark.parametrize("broken", [ValueError("no"), float("nan"), None], ids=["raises", "nan", "nothing"])
@pytest.mark.parametrize("at", [0, 1])
def test_where_one_has_no_reward_there_is_none(broken: Any, at: int) -> None:
    scores: list[Any] = [1.0, 1.0]
    scores[at] = broken
    [found] = judge({"one": (1, scores[0]), "other": (0.0, scores[1])})
    assert found.reward is None and not found.passed
    assert found.error is not None and found.error.fault is Fault.VERIFIER


def test_every_verdict_is_of_its_trajectory_and_under_one_name() -> None:
    group = [episode("a", "a"), BROKEN, episode("b", "b")]
    found = judge({"one": (1, 0.5), "other": (2, 0.25)}, *group)
    assert [one.trajectory for one in found] == ["a", "broken", "b"]
    assert [one.reward for one in found] == [1.0, None, 1.0]
    assert len({one.verifier for one in found}) == 1 and found[0].verifier.startswith("one+other@")


def test_other_weights_or_verifiers_are_another_version() -> None:
    one, other = always(1.0, "one"), always(0.0, "other")
    names = {
        Weighted(parts).name
        for parts in (
            {"one": (1.0, one), "other": (0.5, other)},
            {"one": (1.0, one), "other": (0.6, other)},
            {"one": (1.0, one), "other": (0.5, one)},
        )
    }
    assert len(names) == 3
