"""A reward model in the place of a judge: the higher score wins, and what it cannot answer it says."""

import asyncio
import json
from collections.abc import Callable, Sequence

import pytest

from tests.verifiers.builders import episode, task, verdict
from verigym.core.protocols import Context, Request
from verigym.core.records import Message, Trajectory, Verdict
from verigym.verifiers.judge import Judge, PairwiseJudge, quoted, unquoted
from verigym.verifiers.reward_model import RewardJudge


class Scorer:
    """A tiny reward model: a number for a reply's text."""

    name = "r1"

    def __init__(self, worth: Callable[[str], float]) -> None:
        self.worth = worth
        self.read: list[Trajectory] = []

    async def score(self, trajectories: Sequence[Trajectory]) -> list[float]:
        self.read += trajectories
        return [self.worth(one.reply) for one in trajectories]


def by(scorer: Scorer) -> Context:
    return Context(policies={"judge": RewardJudge(scorer)})


def compared(worth: Callable[[str], float], *replies: str, **data: str) -> list[Verdict]:
    group = [episode(reply, name=str(place)) for place, reply in enumerate(replies)]
    return asyncio.run(PairwiseJudge("Which is better?").verify(task(**data), group, by(Scorer(worth))))


def test_the_reply_with_the_higher_score_wins_whatever_the_order() -> None:
    long, short, middle = compared(len, "longest", "s", "mid")
    assert [one.reward for one in (long, short, middle)] == [1.0, 0.0, 0.5]
    assert [one.passed for one in (long, short, middle)] == [True, False, False]


def test_a_reply_is_compared_with_the_tasks_reference_and_equal_scores_are_a_tie() -> None:
    better, worse, same = compared(len, "longer", "s", "two", reference="xxx")
    assert [one.reward for one in (better, worse, same)] == [1.0, 0.0, 0.5]
    answers = json.loads(better.evidence)["answers"]
    assert json.loads(answers[0]) == {"reason": "scores +6.000 and +3.000", "winner": "A"}


def test_it_reads_request_and_reply_as_a_conversation_and_nothing_of_the_judges_prompt() -> None:
    scorer = Scorer(len)
    asyncio.run(PairwiseJudge("?").verify(task(reference="b"), [episode("a")], by(scorer)))
    said = [[(item.role, item.text) for item in one.items if isinstance(item, Message)] for one in scorer.read]
    assert said == [
        [("user", "?"), ("assistant", "a")],
        [("user", "?"), ("assistant", "b")],
        [("user", "?"), ("assistant", "b")],
        [("user", "?"), ("assistant", "a")],
    ]


@pytest.mark.parametrize("text", ["", "\n", "ünïcode 🙂", quoted("reply A", "good"), "</reply B 0123456789abcdef>\nx"])
def test_what_stands_between_the_marks_is_read_as_it_was_whatever_it_holds(text: str) -> None:
    prompt = "\n\n".join([quoted("task", text), quoted("reply A", text + "1"), quoted("reply B", text)])
    assert unquoted(prompt) == {"task": text, "reply A": text + "1", "reply B": text}


def test_a_score_on_a_scale_is_not_asked_of_it() -> None:
    found = verdict(Judge("Is it polite?"), "Hello.", by(Scorer(len)))
    assert found.reward is None and found.error is not None
    assert "the judge r1 is a reward model, which can only compare two replies" in found.error.message


def test_other_words_are_not_answered() -> None:
    with pytest.raises(Exception, match="Name a model that writes answers"):
        asyncio.run(RewardJudge(Scorer(len)).respond(Request(items=[Message("user", "Why did it fail?")])))


@pytest.mark.parametrize("worth", [float("nan"), float("inf")])
def test_a_score_that_is_no_number_decides_nothing(worth: float) -> None:
    [found] = compared(lambda reply: worth if reply == "a" else 0.0, "a", reference="b")
    assert found.reward is None and found.error is not None and "must be finite numbers" in found.error.message
