"""Of those that pass, the shorter earn more; the others are as they were."""

import asyncio
from typing import Any

import pytest

from tests.verifiers.builders import BROKEN, episode, task
from verigym.core.errors import BadInput
from verigym.core.protocols import Context, Verifier
from verigym.core.records import Trajectory, Turn, Verdict
from verigym.verifiers.combine import Shortest
from verigym.verifiers.numeric import Numeric


def verify(*group: Trajectory, **settings: Any) -> list[Verdict]:
    return asyncio.run(Shortest(Numeric(), **settings).verify(task(answer=42), list(group), Context()))


def test_shorter_replies_that_pass_earn_more() -> None:
    group = [episode("42"), episode("So, it is 42"), episode("1 plus 41 is, after all, 42"), episode("7")]
    verdicts = verify(*group)
    rewards = [verdict.reward for verdict in verdicts]
    assert rewards[0] == 1.0 and rewards[2] == 0.5 and rewards[3] == 0.0
    assert rewards[1] == pytest.approx(1 - 0.5 * (len("So, it is 42") - 2) / (len("1 plus 41 is, after all, 42") - 2))
    assert [verdict.passed for verdict in verdicts] == [True, True, True, False]
    assert verdicts[2].parts["excess"] == 1.0 and verdicts[2].evidence.startswith(
        "length 27 (passing replies: 2 to 27)"
    )


def test_length_is_counted_in_tokens_where_they_are_known() -> None:
    group = [episode("42", turns=[Turn(completion_ids=[1] * 9)]), episode("It is 42", turns=[Turn(completion_ids=[1])])]
    assert [verdict.reward for verdict in verify(*group, cost=1.0)] == [0.0, 1.0]


@pytest.mark.parametrize("replies", [["42"], ["42", "42"], ["1", "2"], []], ids=str)
def test_without_a_difference_nothing_changes(replies: list[str]) -> None:
    assert [verdict.reward for verdict in verify(*map(episode, replies))] == [float(reply == "42") for reply in replies]


def test_an_episode_that_cannot_be_scored_is_left_out() -> None:
    good, broken = verify(episode("42"), BROKEN)
    assert (good.reward, broken.reward, broken.error, broken.trajectory) == (1.0, None, BROKEN.error, "broken")


def test_it_is_a_verifier_with_a_name_that_follows_its_settings() -> None:
    assert isinstance(Shortest(Numeric()), Verifier)
    names = {Shortest(each, cost).name for each in (Numeric(), Numeric(tolerance=1)) for cost in (0.1, 0.2)}
    assert len(names) == 4 and all(name.startswith("shortest@") for name in names)
    assert verify(episode("42"))[0].verifier == Shortest(Numeric()).name


def test_a_cost_that_is_no_share_is_refused() -> None:
    with pytest.raises(BadInput, match="from 0 to 1"):
        Shortest(Numeric(), cost=2.0)
