"""Constrained decoding with a model that knows nothing: whatever it samples is a call of the tools, or of the schema."""

import asyncio
import json
from typing import Any

import jsonschema
import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from tests.policies import templates
from verigym.core.errors import BadInput
from verigym.core.protocols import Request
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, Sampling, ToolSpec
from verigym.model.load import LoadedModel
from verigym.policies.local.constrain import Constraints, read_schema, spans
from verigym.policies.local.policy import LocalPolicy

BOOK = ToolSpec(
    name="calendar.book",
    parameters={
        "type": "object",
        "properties": {"day": {"enum": ["Monday", "Friday"]}, "hour": {"type": "integer", "minimum": 8, "maximum": 18}},
        "required": ["day", "hour"],
        "additionalProperties": False,
    },
)
PING = ToolSpec(name="ping", parameters={"type": "object", "properties": {}, "additionalProperties": False})
TOOLS = [BOOK, PING]


def policy(family: str = "bare") -> LocalPolicy:
    """Random weights under a tokenizer of bytes."""
    tokenizer = templates.tokenizer(family)
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = LlamaForCausalLM(config).eval().requires_grad_(False)
    return LocalPolicy(LoadedModel(model, tokenizer, "random"))


def replies(one: LocalPolicy, constrain: str, count: int = 6, tools: list[ToolSpec] = TOOLS) -> list[Any]:
    sampling = Sampling(temperature=1.0, max_tokens=200, constrain=constrain)

    async def ask() -> list[Any]:
        requests = [
            Request(items=[Message("user", "Book it.")], tools=tools, sampling=sampling, seed=i) for i in range(count)
        ]
        return await asyncio.gather(*map(one.respond, requests))

    return asyncio.run(ask())


def calls(items: list[Item]) -> list[FunctionCall]:
    return [item for item in items if isinstance(item, FunctionCall)]


@pytest.mark.parametrize("name", ["bare", "qwen2", "qwen3", "llama3", "mistral", "mistral newer", "nemotron"])
def test_every_dialect_holds_calls_to_the_tools_and_their_schemas(name: str) -> None:
    """A right call may be said to its end; one with an argument that the schema does not know may not."""
    one = policy(name)
    constraints: Constraints = one._constraints
    shown = one.render.shown_name(BOOK.name, one.render.template.offer(TOOLS).names)
    written = one.render.dialect.write([FunctionCall("c", shown, '{"day": "Friday", "hour": 9}')])
    matcher = constraints.matcher("tools", TOOLS)
    assert matcher is not None
    vocabulary = one.model.config.vocab_size
    ids = one.render.tokenizer.encode(written, add_special_tokens=False)
    for id in ids:
        assert matcher.allowed(vocabulary)[id], f"{written!r} may be said"
        matcher.took(id)
    assert matcher.allowed(vocabulary)[sorted(one.render.stop_ids)].any(), "and may end there"
    wrong = constraints.matcher("tools", TOOLS)
    assert wrong is not None
    for id in one.render.tokenizer.encode(written.replace("Friday", "Sunday"), add_special_tokens=False):
        if not wrong.allowed(vocabulary)[id]:
            break
        wrong.took(id)
    else:
        pytest.fail("a day that the schema does not know was let through")


@pytest.mark.parametrize("name", ["bare", "qwen2", "llama3", "mistral", "mistral newer", "nemotron"])
def test_where_a_call_is_demanded_words_are_no_way_out(name: str) -> None:
    one = policy(name)
    shown = one.render.shown_name(BOOK.name, one.render.template.offer(TOOLS).names)
    written = one.render.dialect.write([FunctionCall("c", shown, '{"day": "Friday", "hour": 9}')])
    matcher, vocabulary = one._constraints.matcher("call", TOOLS), one.model.config.vocab_size
    ends = sorted(one.render.stop_ids)
    free = one.render.tokenizer.encode("W", add_special_tokens=False)[0]
    assert not matcher.allowed(vocabulary)[[*ends, free]].any()
    for id in one.render.tokenizer.encode(written, add_special_tokens=False):
        assert matcher.allowed(vocabulary)[id], f"{written!r} may be said"
        matcher.took(id)
    assert matcher.allowed(vocabulary)[ends].any()


@pytest.mark.parametrize("constrain", ["tools", "call"])
def test_a_model_that_never_learnt_its_tags_is_held_to_calls_without_them(constrain: str) -> None:
    one = policy("qwen2")
    opening, closing = one.render.tokenizer.convert_tokens_to_ids(["<tool_call>", "</tool_call>"])
    head = one.model.get_output_embeddings().weight
    head[opening] = head[closing]
    vocabulary, ends = one.model.config.vocab_size, sorted(one.render.stop_ids)
    shown = one.render.shown_name(BOOK.name, one.render.template.offer(TOOLS).names)
    right = f'{{"name": "{shown}", "arguments": {{"day": "Friday", "hour": 9}}}}'

    def allows(text: str) -> bool:
        matcher = one._constraints.matcher(constrain, TOOLS)
        assert matcher is not None
        for id in one.render.tokenizer.encode(text, add_special_tokens=False):
            if not matcher.allowed(vocabulary)[id]:
                return False
            matcher.took(id)
        return bool(matcher.allowed(vocabulary)[ends].any())

    assert allows(right) and allows(f"[{right}, {right}]")
    assert allows("It is done.") == (constrain == "tools")
    wrong = right.replace("Friday", "Sunday")
    assert not any(allows(text) for text in (wrong, f"[{wrong}]", f"```json\n{wrong}\n```", f" {wrong}"))


@pytest.mark.parametrize("name", ["qwen2", "qwen3", "llama3", "mistral", "mistral newer", "nemotron"])
def test_words_are_no_way_to_a_call_of_wrong_arguments_without_tags(name: str) -> None:
    one = policy(name)
    vocabulary, ends = one.model.config.vocab_size, sorted(one.render.stop_ids)

    def allows(text: str) -> bool:
        matcher = one._constraints.matcher("tools", TOOLS)
        assert matcher is not None
        for id in one.render.tokenizer.encode(text, add_special_tokens=False):
            if not matcher.allowed(vocabulary)[id]:
                return False
            matcher.took(id)
        return bool(matcher.allowed(vocabulary)[ends].any())

    for tool in ("calendar.book", "calendar-book"):
        wrong = f'{{"name": "{tool}", "arguments": {{"day": "Sunday"}}}}'
        turned = f'{{"arguments": {{"day": "Sunday"}}, "name" : "{tool}"}}'
        written = [wrong, turned, f" \n[{wrong}]", f"```json\n{wrong}\n```", f'{{"tool": "{tool}", "args": {{}}}}']
        for text in written:
            ids = one.render.tokenizer.encode(text, add_special_tokens=False)
            assert calls(one.render.read(ids, TOOLS, "c")), f"{text} is read as a call"
            assert not allows(text), text
    assert allows("It is done.") and allows('I know {"name": "calendar-book"} and `ping`.')
    answers = ['[{"name": "Bo", "tool_use": 1}]', "```python\nprint({})\n```", "[1, 2]"]
    assert all(allows(text) for text in answers)


def test_sampled_calls_are_calls_of_the_tools() -> None:
    made = replies(policy(), "call", 8)
    found = [call for reply in made for call in calls(reply.items) if reply.turn.finish == "stop"]
    assert len(found) >= 4
    for call in found:
        tool = next(tool for tool in TOOLS if tool.name == call.name)
        jsonschema.validate(json.loads(call.arguments), tool.parameters)


def test_a_reply_of_a_schema_is_such_a_value_and_its_logprobs_say_so() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}, "ok": {"type": "boolean"}}}
    schema |= {"required": ["n", "ok"], "additionalProperties": False}
    for reply in replies(policy(), json.dumps(schema), tools=[]):
        if reply.turn.finish == "stop":
            jsonschema.validate(json.loads(reply.items[0].text), schema)
        turn = reply.turn
        assert len(turn.restricted) == len(turn.logprobs) == len(turn.completion_ids)
        assert all(kept >= free - 1e-4 for kept, free in zip(turn.restricted, turn.logprobs, strict=True))
        assert sum(turn.restricted) > sum(turn.logprobs) + 10, "a random model would hardly have said it"


ADD = ToolSpec(
    name="crm.add",
    parameters={
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "day": {"type": "string"},
            "status": {"enum": ["won", "lost"], "type": "string"},
        },
        "required": ["name"],
        "additionalProperties": False,
    },
)
READ: list[Item] = [
    Message("system", "Never say Grenadle."),
    Message("user", 'Add Zoë "Z" O\'Brien of Acme & Sons, plan_2.pdf.'),
    FunctionCallOutput("c", "found: Bo\nand Kim"),
]


@pytest.mark.parametrize("name", ["bare", "qwen2", "llama3", "mistral", "mistral newer", "nemotron"])
@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        ({"name": "Acme & Sons", "day": "any day at all"}, True),
        ({"name": 'Zoë "Z" O\'Brien'}, True),
        ({"name": "plan_2.pdf", "tags": ["Bo", "Kim", "Bo\nand Kim"]}, True),
        ({"name": "Grenadle"}, False),
        ({"name": "Acm"}, False),
        ({"name": ""}, False),
        ({"name": "Bo", "tags": ["Lea"]}, False),
    ],
    ids=["two words", "quotes", "several", "instruction", "part of a word", "empty", "list"],
)
def test_copied_arguments_are_parts_of_what_was_read(name: str, arguments: dict[str, Any], allowed: bool) -> None:
    one = policy(name)
    shown = one.render.shown_name(ADD.name, one.render.template.offer([ADD]).names)
    written = one.render.dialect.write([FunctionCall("c", shown, json.dumps(arguments, ensure_ascii=False))])
    matcher, vocabulary = one._constraints.matcher("copy:name,tags,status", [ADD], READ), one.model.config.vocab_size
    for id in one.render.tokenizer.encode(written, add_special_tokens=False):
        if not matcher.allowed(vocabulary)[id]:
            assert not allowed, f"{written!r} may be said"
            return
        matcher.took(id)
    assert allowed and matcher.allowed(vocabulary)[sorted(one.render.stop_ids)].any()


def test_sampled_arguments_are_copied_from_the_request_and_others_stay_free() -> None:
    made = replies(policy(), "copy:name,tags", 8, tools=[ADD])
    for call in [call for reply in made for call in calls(reply.items) if reply.turn.finish == "stop"]:
        assert json.loads(call.arguments)["name"] in spans("Book it.")


def test_spans_begin_and_end_at_words_and_are_bounded() -> None:
    assert spans("a b.") == ["a", "a b", "a b.", "b", "b.", "."]
    assert spans("") == spans(" \n") == [""]
    assert len(spans("x y " * 1000)) == 32, "each part once"
    assert max(len(part.split()) for part in spans(" ".join(map(str, range(100))))) == 16


def test_a_text_that_is_too_long_to_copy_from_is_refused_in_words_and_the_longest_is_not() -> None:
    one, words = policy(), [f"word{number:05}" for number in range(2001)]
    assert one._constraints.matcher("copy:name", [ADD], [Message("user", " ".join(words[:2000]))]) is not None
    with pytest.raises(BadInput, match=r"at most 2,000 words .* read 2,001\. Use the constraint tools"):
        one._constraints.matcher("copy:name", [ADD], [Message("user", " ".join(words))])


def test_a_constraint_that_copies_no_argument_is_refused() -> None:
    for names in ("copy:color", "copy:status", "copy:hour"):
        with pytest.raises(BadInput, match=f"{names} names no text argument of the offered tools"):
            policy()._constraints.matcher(names, [ADD, BOOK], READ)
    assert policy()._constraints.matcher("copy:name", []) is None


def test_words_stay_free_beside_the_tools() -> None:
    made = replies(policy(), "tools", 6)
    assert any(not calls(reply.items) for reply in made)


def test_without_tools_there_is_nothing_to_hold_to() -> None:
    assert policy()._constraints.matcher("tools", []) is None


@pytest.mark.parametrize("text", ["tool", "[1]", "{", '"x"'])
def test_what_is_neither_tools_nor_a_schema_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="neither"):
        read_schema(text)


def test_a_schema_that_cannot_be_kept_to_is_refused_in_words() -> None:
    with pytest.raises(BadInput, match="The constraint cannot be compiled"):
        policy()._constraints.matcher('{"type": "nonsense"}', [])
