"""Samples: which ids, which mask, from any tree of turns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiny import tokenizer
from verigym.core.errors import BadInput
from verigym.core.records import Message, Sample, Trajectory, Turn
from verigym.policies import dialects
from verigym.policies.render import Renderer
from verigym.training.samples import demonstration, from_trajectory


def trajectory(*turns: Turn) -> Trajectory:
    return Trajectory(id="r/t/0", task="t", group="r/t", turns=list(turns))


def turn(parent: int | None, context: list[int], completion: list[int], actor: str = "policy") -> Turn:
    logprobs = [-float(id) for id in completion]
    return Turn(parent=parent, context_ids=context, completion_ids=completion, logprobs=logprobs, actor=actor)


def test_two_turns_are_one_sample_with_the_tool_result_masked() -> None:
    made = from_trajectory(trajectory(turn(None, [1, 2, 3], [4, 5]), turn(0, [6], [7])), 0.5)
    assert made == [
        Sample(
            ids=[1, 2, 3, 4, 5, 6, 7],
            mask=[0, 0, 0, 1, 1, 0, 1],
            logprobs=[0, 0, 0, -4.0, -5.0, 0, -7.0],
            advantage=0.5,
            trajectory="r/t/0",
        )
    ]


def test_every_branch_is_a_sample_of_its_own() -> None:
    made = from_trajectory(
        trajectory(turn(None, [1], [2]), turn(0, [3], [4]), turn(0, [5], [6]), turn(1, [], [7])), 1.0
    )
    assert [(sample.ids, sample.mask) for sample in made] == [
        ([1, 2, 5, 6], [0, 1, 0, 1]),
        ([1, 2, 3, 4, 7], [0, 1, 0, 1, 1]),
    ]


def test_a_context_that_was_rewritten_is_a_new_root() -> None:
    made = from_trajectory(trajectory(turn(None, [1], [2]), turn(None, [3], [4])), 1.0)
    assert [sample.ids for sample in made] == [[1, 2], [3, 4]]


def test_what_other_actors_wrote_is_context() -> None:
    made = from_trajectory(trajectory(turn(None, [1], [2]), turn(0, [], [3, 4], "user"), turn(1, [5], [6])), 1.0)
    assert [(sample.ids, sample.mask, sample.logprobs) for sample in made] == [
        ([1, 2, 3, 4, 5, 6], [0, 1, 0, 0, 0, 1], [0, -2.0, 0, 0, 0, -6.0])
    ]


@pytest.mark.parametrize(
    "last", [turn(0, [3], [4], "user"), turn(0, [3], [])], ids=["the user's", "a full context, without a token"]
)
def test_a_last_turn_that_is_not_trained_does_not_hide_those_before_it(last: Turn) -> None:
    made = from_trajectory(trajectory(turn(None, [1], [2]), last), 1.0)
    assert [(sample.ids, sample.mask) for sample in made] == [([1, 2], [0, 1])]


def test_an_episode_without_the_policys_tokens_gives_nothing() -> None:
    assert from_trajectory(trajectory(), 1.0) == []
    assert from_trajectory(trajectory(turn(None, [1], [])), 1.0) == []
    assert from_trajectory(trajectory(turn(None, [1], [2], "judge")), 1.0) == []


@st.composite
def trees(draw: st.DrawFn) -> Trajectory:
    """Any tree of turns; every id is unique, so that a token can be traced to its turn."""
    turns, next_id = [], 0
    for place in range(draw(st.integers(0, 7))):
        sizes = draw(st.tuples(st.integers(0, 3), st.integers(0, 3)))
        parent = draw(st.none() | st.integers(0, place - 1)) if place else None
        ids = list(range(next_id, next_id + sum(sizes)))
        next_id += sum(sizes)
        actor = draw(st.sampled_from(["policy", "policy", "user"]))
        turns.append(turn(parent, ids[: sizes[0]], ids[sizes[0] :], actor))
    return trajectory(*turns)


@given(trees())
def test_every_token_of_the_policy_is_trained_and_no_other(made: Trajectory) -> None:
    samples = from_trajectory(made, 2.0)
    ours = {id for one in made.turns if one.actor == "policy" for id in one.completion_ids}
    trained = {id for sample in samples for id, mask in zip(sample.ids, sample.mask, strict=True) if mask}
    assert trained == ours
    for sample in samples:
        assert len(sample.ids) == len(sample.mask) == len(sample.logprobs)
        assert sample.mask[-1] == 1 and sample.advantage == 2.0
        for id, mask, logprob in zip(sample.ids, sample.mask, sample.logprobs, strict=True):
            assert mask == (id in ours)
            assert logprob == (-float(id) if mask else 0.0)
    beginnings = [(tuple(a.ids), tuple(b.ids)) for a in samples for b in samples if a is not b]
    assert all(b[: len(a)] != a for a, b in beginnings), "no sample is the beginning of another"


def test_a_demonstration_learns_the_reply_and_its_end_and_nothing_else() -> None:
    render = Renderer(tokenizer())
    reply = dialects.parse(dialects.write_call("add", {"item": "tea"}))
    sample = demonstration(render, [Message("user", "buy tea")], [], reply, "t")
    learnt = [id for id, mask in zip(sample.ids, sample.mask, strict=True) if mask]
    assert render.tokenizer.decode(learnt) == '{"tool": "add", "args": {"item": "tea"}}<|end|>'
    assert sample.mask == sorted(sample.mask)
    assert render.tokenizer.decode(sample.ids[: sample.mask.index(1)]) == "<|user|>buy tea<|end|>\n<|assistant|>"


@pytest.mark.parametrize("reply", [None, []], ids=["none", "empty"])
def test_a_task_without_a_gold_reply_is_refused_in_words(reply: list[object] | None) -> None:
    with pytest.raises(BadInput, match='task "t9" has no gold reply to imitate: give it "expected_tool" or "answer"'):
        demonstration(Renderer(tokenizer()), [Message("user", "x")], [], reply, "t9")  # type: ignore[arg-type]


def test_a_turn_whose_logprobs_are_unknown_is_context_and_not_trained_on() -> None:
    unknown = Turn(parent=0, context_ids=[3], completion_ids=[4])
    [made] = from_trajectory(trajectory(turn(None, [1], [2]), unknown, turn(1, [5], [6])), 1.0)
    assert (made.ids, made.mask) == ([1, 2, 3, 4, 5, 6], [0, 1, 0, 0, 0, 1])
    assert made.logprobs == [0.0, -2.0, 0.0, 0.0, 0.0, -6.0]
    assert from_trajectory(trajectory(Turn(context_ids=[1], completion_ids=[2])), 1.0) == []
