"""Reasoning models: their thinking is an item of its own, and a limit ends it where it is reached."""

import asyncio
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from tests.policies.templates import tokenizer_with
from tests.policies.test_render_families import ADD, CALL, FIRST, SYSTEM, USER
from tests.tiny import tiny
from verigym.core.errors import BadInput
from verigym.core.protocols import Request
from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    Item,
    Message,
    Reasoning,
    ReasoningText,
    Sampling,
    ToolSpec,
    Trajectory,
    Turn,
)
from verigym.policies.dialects import function_xml, harmony, thinking
from verigym.policies.dialects.markup import HARMONY
from verigym.policies.local.constrain import tools_grammar
from verigym.policies.local.policy import LocalPolicy
from verigym.policies.render import Renderer
from verigym.rollout.settings import EpisodeLimits
from verigym.training.samples import from_trajectory
from verigym.wire.items import reasoning_text

_CHATML = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
_HARMONY = ["<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|constrain|>", "<|return|>", "<|call|>"]
_DEEPSEEK = ["<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"]
REAL: dict[str, tuple[list[str], str]] = {
    "qwen3": (_CHATML, "<|im_end|>"),
    "deepseek_r1_distill": (_DEEPSEEK, _DEEPSEEK[1]),
    "gptoss": (_HARMONY, "<|return|>"),
    "nemotron_3_nano": (_CHATML, "<|im_end|>"),
}
"""Templates as they are published, by their names in TRL."""
PLAIN_MODELS = ["qwen2_5", "llama3_1", "phi3"]


def published(name: str) -> str:
    spec = importlib.util.find_spec("trl")
    assert spec is not None and spec.submodule_search_locations is not None
    return (Path(spec.submodule_search_locations[0]) / "chat_templates" / f"{name}.jinja").read_text()


def renderer(name: str) -> Renderer:
    special, eos = REAL[name]
    return Renderer(tokenizer_with(published(name), special, eos))


def read(render: Renderer, text: str, context: list[int], tools: Any = ()) -> tuple[str | None, list[Item]]:
    """The thinking of a reply, and its other items."""
    items = render.read(render.tokenizer.encode(text, add_special_tokens=False), [*tools], "c", context)
    thoughts = [reasoning_text(item) for item in items if isinstance(item, Reasoning)]
    return ("\n".join(thoughts) if thoughts else None), [item for item in items if not isinstance(item, Reasoning)]


REPLIES = {
    "qwen3": "<think>\nhm\n</think>\n\nTea.<|im_end|>",
    "deepseek_r1_distill": "hm\n</think>\n\nTea.<｜end▁of▁sentence｜>",
    "gptoss": "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Tea.<|return|>",
    "nemotron_3_nano": "hm\n</think>\nTea.<|im_end|>",
}


@pytest.mark.parametrize("name", REAL)
def test_the_thinking_of_a_published_family_is_an_item_of_its_own(name: str) -> None:
    render = renderer(name)
    context = render.prompt([USER], [])
    assert read(render, REPLIES[name], context) == ("hm", [Message("assistant", "Tea.")])
    assert render.template.reasons


@pytest.mark.parametrize("name", REAL)
def test_a_demonstration_with_thinking_reads_back(name: str) -> None:
    render = renderer(name)
    items: list[Item] = [SYSTEM, USER]
    reply: list[Item] = [Reasoning(content=[ReasoningText("hm")]), Message("assistant", "Tea.")]
    ids = render.completion(reply, items)
    assert ids[-1] in render.stop_ids
    made = render.read(ids, [], "c", render.prompt(items, []))
    assert [type(item) for item in made] == [Reasoning, Message]
    assert isinstance(made[1], Message) and made[1].text == "Tea."


@pytest.mark.parametrize("name", PLAIN_MODELS)
def test_a_template_without_thinking_is_no_reasoning_model(name: str) -> None:
    assert not thinking.reasons(published(name))


def test_gpt_oss_has_a_tool_channel_of_its_own() -> None:
    render = renderer("gptoss")
    assert render.dialect.name == "harmony"
    context = render.prompt(FIRST, [ADD])
    assert "shop-add" in render.decode(context)
    text = (
        "<|channel|>analysis<|message|>I add it.<|end|><|start|>assistant"
        '<|channel|>commentary to=functions.shop-add <|constrain|>json<|message|>{"item": "tea"}<|call|>'
    )
    assert read(render, text, context, [ADD]) == ("I add it.", [FunctionCall("c", "shop.add", '{"item": "tea"}')])


def test_the_call_of_a_demonstration_for_gpt_oss_ends_with_its_own_token() -> None:
    render = renderer("gptoss")
    ids = render.completion([CALL], FIRST, [ADD])
    text = render.decode(ids)
    assert text.endswith("<|call|>") and "<|return|>" not in text
    made = render.read(ids, [ADD], "c", render.prompt(FIRST, [ADD]))
    assert [(each.name, json.loads(each.arguments)) for each in made if isinstance(each, FunctionCall)] == [
        ("shop.add", {"item": "tea"})
    ]


def test_a_past_of_gpt_oss_is_always_rendered_anew() -> None:
    render = renderer("gptoss")
    ids = render.completion([CALL], FIRST, [ADD])
    items: list[Item] = [*FIRST, CALL, FunctionCallOutput("c", "put in")]
    turn = Turn(context_ids=render.prompt(FIRST, [ADD]), completion_ids=ids, made=[2])
    assert render.extend(items, [ADD], [turn]) is None
    assert "put in" in render.decode(render.prompt(items, [ADD]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", (None, "")),
        ("Tea.", (None, "Tea.")),
        ("<think>hm", ("hm", "")),
        ("<think></think>Tea.", ("", "Tea.")),
        ("[THINK]hm[/THINK]Tea.", ("hm", "Tea.")),
        ("<seed:think>hm</seed:think>Tea.", ("hm", "Tea.")),
        ("<|START_THINKING|>hm<|END_THINKING|>Tea.", ("hm", "Tea.")),
        ("I said <think>no</think>", (None, "I said <think>no</think>")),
        ("<|channel|>analysis<|message|>hm", ("hm", "")),
        ("<|channel|>final<|message|>Tea.<|return|>", (None, "Tea.")),
        ("<|channel|>commentary<|message|>Wait.<|end|>", (None, "Wait.")),
        ("<|channel|>", (None, "<|channel|>")),
        ("<|channel|>" * 3000, (None, "<|channel|>" * 3000)),
    ],
)
def test_thinking_is_split_off_in_every_form(text: str, expected: tuple[str | None, str]) -> None:
    assert thinking.split(text) == expected


@pytest.mark.parametrize(
    ("text", "opened", "open"),
    [
        ("<think>hm", False, True),
        ("<think>hm</think>Te", False, False),
        ("hm", True, True),
        ("hm</think>", True, False),
        ("Tea", False, False),
        ("[THINK]hm", False, True),
        ("<|channel|>analysis<|message|>hm", False, True),
        (f"<|channel|>analysis<|message|>hm{harmony.CLOSING}", False, False),
    ],
)
def test_a_reply_that_was_cut_off_still_thinks_until_the_thinking_is_closed(
    text: str, opened: bool, open: bool
) -> None:
    assert thinking.is_open(text, opened=opened) is open


# -- the limit --------------------------------------------------------------------------------------------------------

OPENED = (
    "{% for m in messages %}{{ m['content'] }}<|end|>{% endfor %}{% if add_generation_prompt %}<think>\n{% endif %}"
)
# A prompt that opens the thinking, for a template that closes it: </think>


def thinker() -> LocalPolicy:
    loaded = tiny()
    loaded.tokenizer.chat_template = OPENED + "{# </think> #}"
    return LocalPolicy(loaded)


def ask(policy: LocalPolicy, most: int, limit: int, seed: int = 5) -> Any:
    sampling = Sampling(temperature=1.0, max_tokens=most, reasoning_tokens=limit)
    return asyncio.run(policy.respond(Request(items=[USER], sampling=sampling, seed=seed)))


def test_a_limit_ends_the_thinking_and_the_answer_follows() -> None:
    policy = thinker()
    reply = ask(policy, most=40, limit=8)
    ending = policy.render.end_of_thinking
    assert reply.turn.forced == [(8, 8 + len(ending))]
    assert reply.turn.completion_ids[8 : 8 + len(ending)] == ending
    assert len(reply.turn.completion_ids) > 8 + len(ending)
    assert len(reply.turn.logprobs) == len(reply.turn.completion_ids)
    assert [type(item) for item in reply.items] == [Reasoning, Message]


def test_the_thinking_up_to_the_limit_is_what_the_model_samples_without_one() -> None:
    policy = thinker()
    assert ask(policy, 40, 8).turn.completion_ids[:8] == ask(policy, 40, 0).turn.completion_ids[:8]


def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    policy = thinker()
    free, limited = ask(policy, 6, 0), ask(policy, 6, 6)
    assert limited.turn.completion_ids == free.turn.completion_ids and not limited.turn.forced


def test_tokens_that_the_model_did_not_sample_are_not_trained_on() -> None:
    reply = ask(thinker(), most=40, limit=8)
    turn = reply.turn
    trajectory = Trajectory(id="i", task="t", group="g", items=[USER, *reply.items], turns=[turn])
    [sample] = from_trajectory(trajectory, 1.0, by_turn=[0.5])
    start, end = turn.forced[0]
    mask = sample.mask[len(turn.context_ids) :]
    assert mask[:start] == [1] * start and mask[start:end] == [0] * (end - start) and {*mask[end:]} == {1}
    assert len(sample.advantages) == sum(sample.mask)


def test_the_smaller_limit_counts() -> None:
    assert EpisodeLimits(reasoning_tokens=8).sampling(Sampling()).reasoning_tokens == 8
    assert EpisodeLimits(reasoning_tokens=8).sampling(Sampling(reasoning_tokens=4)).reasoning_tokens == 4
    assert EpisodeLimits().sampling(Sampling(reasoning_tokens=4)).reasoning_tokens == 4


# -- a tag for each argument ------------------------------------------------------------------------------------------

SET = ToolSpec(
    name="lamp.set",
    parameters={
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "level": {"type": "integer"},
            "rooms": {"type": "array", "items": {"type": "string"}},
        },
    },
)
LAMP = FunctionCall("c", "lamp.set", '{"name": "7", "level": 7, "rooms": ["hall", "ü"]}')


@pytest.mark.parametrize("name", ["nemotron_3_nano", "qwen3_6"])
def test_a_template_with_a_tag_for_each_argument_reads_back_with_the_types_of_the_schema(name: str) -> None:
    render = Renderer(tokenizer_with(published(name), _CHATML, "<|im_end|>"))
    assert render.dialect.name == "function xml"
    context = render.prompt(FIRST, [SET])
    ids = render.completion([LAMP], FIRST, [SET])
    assert "<function=lamp-set>" in render.decode(ids) and ids[-1] in render.stop_ids
    calls = [item for item in render.read(ids, [SET], "c", context) if isinstance(item, FunctionCall)]
    assert [(call.name, json.loads(call.arguments)) for call in calls] == [("lamp.set", json.loads(LAMP.arguments))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<tool_call>\n<function=a>\n</function>\n</tool_call>", [("a", {})]),
        ("<tool_call><function=a><parameter=x>1</parameter></function></tool_call>", [("a", {"x": 1})]),
        ("<tool_call><function=a><parameter=x>\n1 a\n</parameter></function></tool_call>", [("a", {"x": "1 a"})]),
        ('<tool_call><function=a><parameter=x>"q"</parameter></function></tool_call>', [("a", {"x": '"q"'})]),
        ("<tool_call><function=a><parameter=x>1</function></tool_call>", []),
        ("<tool_call><function=a>words</function></tool_call>", []),
        ("<tool_call><function=a>", []),
        ("<function=a></function>", []),
        ("<tool_call>" * 3000, []),
    ],
)
def test_a_malformed_call_with_tags_stays_a_message(text: str, expected: list[tuple[str, Any]]) -> None:
    items = function_xml.parse(text, "c")
    calls = [item for item in items if isinstance(item, FunctionCall)]
    assert [(call.name, json.loads(call.arguments)) for call in calls] == expected
    if not expected:
        assert items == [Message("assistant", text)]


def test_calls_that_cannot_be_constrained_are_refused() -> None:
    for dialect in (HARMONY, function_xml.DIALECT):
        with pytest.raises(BadInput, match="cannot be constrained"):
            tools_grammar(dialect, [SET], lambda text: None)
