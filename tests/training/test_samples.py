"""Samples: which ids, which mask, from any tree of turns."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiny import TEMPLATE, tokenizer
from verigym.core.errors import BadInput
from verigym.core.records import (
    Example,
    FunctionCallOutput,
    Item,
    Message,
    Preference,
    Reasoning,
    ReasoningText,
    Sample,
    ToolSpec,
    Trajectory,
    Turn,
)
from verigym.policies import dialects
from verigym.policies.render import Renderer, replies
from verigym.training.samples import example_samples, from_trajectory, preference_pair, reward_pair


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


def test_every_branch_is_a_sample_of_its_own_and_a_shared_reply_is_trained_once() -> None:
    made = from_trajectory(
        trajectory(turn(None, [1], [2]), turn(0, [3], [4]), turn(0, [5], [6]), turn(1, [], [7])), 1.0
    )
    assert [(sample.ids, sample.mask) for sample in made] == [
        ([1, 2, 5, 6], [0, 1, 0, 1]),
        ([1, 2, 3, 4, 7], [0, 0, 0, 1, 1]),
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
    trained = [id for sample in samples for id, mask in zip(sample.ids, sample.mask, strict=True) if mask]
    assert sorted(trained) == sorted(ours), "each of them once"
    for sample in samples:
        assert len(sample.ids) == len(sample.mask) == len(sample.logprobs)
        assert sample.mask[-1] == 1 and sample.advantage == 2.0
        for id, mask, logprob in zip(sample.ids, sample.mask, sample.logprobs, strict=True):
            assert not mask or id in ours
            assert logprob == (-float(id) if mask else 0.0)
    beginnings = [(tuple(a.ids), tuple(b.ids)) for a in samples for b in samples if a is not b]
    assert all(b[: len(a)] != a for a, b in beginnings), "no sample is the beginning of another"


def test_advantages_of_turns_are_those_of_their_tokens() -> None:
    turns = trajectory(turn(None, [1], [2, 3]), turn(0, [], [4], "user"), turn(1, [5], [6]), turn(1, [7], [8, 9]))
    one, other = from_trajectory(turns, 0.5, [0.1, 0.2, 0.3])
    assert (one.ids, one.advantages) == ([1, 2, 3, 4, 5, 6], [0.1, 0.1, 0.2])
    assert (other.ids, other.advantages) == ([1, 2, 3, 4, 7, 8, 9], [0.3, 0.3])


@given(trees(), st.data())
def test_every_scored_token_has_the_advantage_of_its_turn(made: Trajectory, data: st.DataObject) -> None:
    own = [i for i, one in enumerate(made.turns) if one.actor == "policy"]
    by_turn = data.draw(st.lists(st.floats(-2, 2), min_size=len(own), max_size=len(own)))
    worth = {id: value for i, value in zip(own, by_turn, strict=True) for id in made.turns[i].completion_ids}
    for sample in from_trajectory(made, 9.0, by_turn):
        scored = [id for id, mask in zip(sample.ids, sample.mask, strict=True) if mask]
        assert sample.advantages == [worth[id] for id in scored]


# -- written conversations ------------------------------------------------------------------------------------------

FORGETS = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' }}"
    "{% if message['role'] == 'assistant' and not loop.last %}...{% else %}{{ message['content'] }}{% endif %}"
    "{{ '<|end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
"""A template that shortens what the assistant said before."""
ADD = ToolSpec(name="add", parameters={"type": "object", "properties": {"item": {"type": "string"}}})


def renderer(template: str = TEMPLATE) -> Renderer:
    letters = tokenizer()
    letters.chat_template = template
    return Renderer(letters)


def call(item: str) -> Item:
    return dialects.parse(dialects.write_call("add", {"item": item}))[-1]


def output(of: Any, said: str) -> Item:
    return FunctionCallOutput(call_id=of.call_id, output=said)


TEA, JAM = call("tea"), call("jam")
CONVERSATION: list[Item] = [
    Message("system", "You keep a shop."),
    Message("user", "tea and jam"),
    TEA,
    output(TEA, "1 tea"),
    JAM,
    output(JAM, "1 jam"),
    Message("assistant", "All there."),
    Message("user", "thanks"),
    Message("assistant", "Bye!"),
]
MADE = [(2, 3), (4, 5), (6, 7), (8, 9)]


def scored(render: Renderer, sample: Sample) -> list[str]:
    """The texts of the runs that are learnt."""
    runs: list[list[int]] = []
    for i, (id, mask) in enumerate(zip(sample.ids, sample.mask, strict=True)):
        if mask and (not i or not sample.mask[i - 1]):
            runs.append([])
        if mask:
            runs[-1].append(id)
    return [render.decode(run) for run in runs]


def sampled(render: Renderer, items: list[Item], made: list[tuple[int, int]], tools: list[ToolSpec]) -> Trajectory:
    """The same conversation as a policy would have had it: contexts grow, completions are what it said."""
    turns: list[Turn] = []
    for start, end in made:
        gained = render.extend(items[:start], tools, turns) if turns else None
        context = gained if gained is not None else render.prompt(items[:start], tools)
        completion = render.completion(items[start:end], items[:start], tools)
        turns.append(
            Turn(
                parent=len(turns) - 1 if gained is not None else None,
                made=list(range(start, end)),
                context_ids=context,
                completion_ids=completion,
                logprobs=[-1.0] * len(completion),
            )
        )
    return Trajectory(id="i", task="t", group="t", items=items, turns=turns)


def test_a_reply_is_learnt_with_its_end_and_nothing_else() -> None:
    render = renderer()
    example = Example(task="t", items=[Message("user", "buy tea"), TEA], made=[(1, 2)])
    [sample] = example_samples(render, example)
    assert scored(render, sample) == ['{"tool": "add", "args": {"item": "tea"}}<|end|>']
    assert sample.mask == sorted(sample.mask)
    assert render.decode(sample.ids[: sample.mask.index(1)]) == "<|user|>buy tea<|end|>\n<|assistant|>"
    assert (sample.logprobs, sample.trajectory, sample.advantage) == ([], "t", 1.0)


def test_a_whole_conversation_is_one_sample_as_if_it_had_been_sampled() -> None:
    render = renderer()
    [written] = example_samples(render, Example(task="t", items=CONVERSATION, made=MADE, tools=[ADD]))
    [lived] = from_trajectory(sampled(render, CONVERSATION, MADE, [ADD]), 1.0)
    assert (written.ids, written.mask) == (lived.ids, lived.mask)
    assert scored(render, written) == [
        '{"tool": "add", "args": {"item": "tea"}}<|end|>',
        '{"tool": "add", "args": {"item": "jam"}}<|end|>',
        "All there.<|end|>",
        "Bye!<|end|>",
    ]


words = st.text("abc .", min_size=1, max_size=6).map(lambda text: f"x{text}x")


@given(st.lists(st.tuples(words, words), min_size=1, max_size=4))
def test_any_chat_is_learnt_reply_by_reply_as_if_it_had_been_sampled(exchanges: list[tuple[str, str]]) -> None:
    render = RENDER
    items: list[Item] = [
        message for asked, said in exchanges for message in (Message("user", asked), Message("assistant", said))
    ]
    made = [(i, i + 1) for i in range(1, len(items), 2)]
    [written] = example_samples(render, Example(task="t", items=items, made=made))
    [lived] = from_trajectory(sampled(render, items, made, []), 1.0)
    assert (written.ids, written.mask) == (lived.ids, lived.mask)
    assert scored(render, written) == [f"{said}<|end|>" for _, said in exchanges]


RENDER = renderer()


def test_only_the_replies_that_are_named_are_learnt() -> None:
    """An example may show earlier replies without teaching them."""
    [sample] = example_samples(renderer(), Example(task="t", items=CONVERSATION, made=MADE[2:], tools=[ADD]))
    assert scored(renderer(), sample) == ["All there.<|end|>", "Bye!<|end|>"]


def test_a_template_that_rewrites_the_past_gives_a_sample_per_reply() -> None:
    render = renderer(FORGETS)
    items: list[Item] = [
        Message("user", "a"), Message("assistant", "one"), Message("user", "b"), Message("assistant", "two"),
    ]  # fmt: skip
    made = [(1, 2), (3, 4)]
    written = example_samples(render, Example(task="t", items=items, made=made))
    assert [scored(render, sample) for sample in written] == [["one<|end|>"], ["two<|end|>"]]
    assert "..." in render.decode(written[1].ids), "the second is shown what the model would be shown"
    lived = from_trajectory(sampled(render, items, made, []), 1.0)
    assert [(one.ids, one.mask) for one in written] == [(one.ids, one.mask) for one in lived]


def test_an_example_without_replies_gives_nothing() -> None:
    assert example_samples(renderer(), Example(task="t", items=[Message("user", "a")], made=[])) == []


# -- pairs ----------------------------------------------------------------------------------------------------------


def test_both_sides_of_a_pair_share_the_prompt_and_score_only_replies() -> None:
    render = renderer()
    pair = Preference(
        task="t", prompt=CONVERSATION[:2], chosen=CONVERSATION[2:7], rejected=[Message("assistant", "No.")], tools=[ADD]
    )
    chosen, rejected = preference_pair(render, pair)
    assert scored(render, chosen)[-1] == "All there.<|end|>" and len(scored(render, chosen)) == 3
    assert scored(render, rejected) == ["No.<|end|>"]
    start = rejected.mask.index(1)
    assert chosen.ids[:start] == rejected.ids[:start] == render.prompt(CONVERSATION[:2], [ADD])
    assert chosen.mask[:start] == [0] * start


def test_replies_in_the_prompt_of_a_pair_are_not_scored() -> None:
    render = renderer()
    pair = Preference(
        task="t",
        prompt=CONVERSATION[:8],
        chosen=CONVERSATION[8:],
        rejected=[Message("assistant", "What?")],
        tools=[ADD],
    )
    assert [scored(render, one) for one in preference_pair(render, pair)] == [["Bye!<|end|>"], ["What?<|end|>"]]


def test_several_replies_that_the_template_rewrites_are_refused_in_words() -> None:
    side: list[Item] = [Message("assistant", "one"), Message("user", "b"), Message("assistant", "two")]
    pair = Preference(task="t9", prompt=[Message("user", "a")], chosen=side, rejected=side[:1])
    with pytest.raises(BadInput, match=r'Task "t9": the pair has 2 replies\. The chat template of this model rewrites'):
        preference_pair(renderer(FORGETS), pair)


def test_a_reward_model_sees_the_conversation_up_to_the_last_reply() -> None:
    render = renderer()
    pair = Preference(
        task="t", prompt=CONVERSATION[:2], chosen=CONVERSATION[2:7], rejected=[Message("assistant", "No.")], tools=[ADD]
    )
    for seen, learnt in zip(reward_pair(render, pair), preference_pair(render, pair), strict=True):
        assert seen.ids == learnt.ids and not any(seen.mask)
        assert render.decode(seen.ids).endswith("<|end|>")


@pytest.mark.parametrize(
    ("items", "start", "runs"),
    [
        (CONVERSATION, 0, MADE),
        (CONVERSATION, 4, MADE[1:]),
        (CONVERSATION[:2], 0, []),
        ([Message("user", "a"), Reasoning(content=[ReasoningText("hm")]), TEA, JAM, output(TEA, "1")], 0, [(1, 4)]),
        ([Message("assistant", "a"), Message("assistant", "b")], 1, [(1, 2)]),
    ],
    ids=["all", "from the second on", "none", "thinking and calls are one reply", "what came before is no part"],
)
def test_replies_are_the_runs_that_the_assistant_made(
    items: list[Item], start: int, runs: list[tuple[int, int]]
) -> None:
    assert replies(items, start) == runs


def test_a_turn_whose_logprobs_are_unknown_is_context_and_not_trained_on() -> None:
    unknown = Turn(parent=0, context_ids=[3], completion_ids=[4])
    [made] = from_trajectory(trajectory(turn(None, [1], [2]), unknown, turn(1, [5], [6])), 1.0)
    assert (made.ids, made.mask) == ([1, 2, 3, 4, 5, 6], [0, 1, 0, 0, 0, 1])
    assert made.logprobs == [0.0, -2.0, 0.0, 0.0, 0.0, -6.0]
    assert from_trajectory(trajectory(Turn(context_ids=[1], completion_ids=[2])), 1.0) == []
