"""Every dialect reads back what it writes, keeps what is malformed in sight, and loses nothing."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigym.core.records import FunctionCall, Item, Message, Reasoning, ReasoningText, SummaryText
from verigym.policies import dialects
from verigym.policies.dialects import Dialect, function_xml, markup, plain, thinking
from verigym.policies.dialects.markup import HERMES, LLAMA, MISTRAL, NEMOTRON, NEWER_MISTRAL
from verigym.wire.items import reasoning_text
from verigym.wire.tools import ToolNames

MARKED = [each for each in dialects.ALL if each not in (plain.DIALECT, function_xml.DIALECT)]
"""Dialects whose calls keep the types of their arguments without a schema."""
NASTY = [*"{}[]\";\\'<>", "</tool_call>", "<tool_call>", "[TOOL_CALLS]", "[ARGS]", "<TOOLCALL>", "</TOOLCALL>"]
NASTY += ["<|python_tag|>", "<think>", "</think>", '{"name": "x", "arguments": {}}', "\u2028", "\x00", "🍵", "\n", " "]

letters = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
words = st.lists(letters | st.sampled_from(NASTY), max_size=5).map("".join)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
arguments = st.builds(
    lambda found, indent, ascii: json.dumps(found, indent=indent, ensure_ascii=ascii),
    st.dictionaries(words, values, max_size=3),
    st.sampled_from([None, 2]),
    st.booleans(),
)
names = st.from_regex(r"[a-zA-Z0-9_.-]{1,20}", fullmatch=True)
calls = st.lists(st.tuples(names, arguments), max_size=3)
sayings = words.map(str.strip).filter(lambda said: not dialects.looks_like_call(said))


def reply(said: str, made: list[tuple[str, str]]) -> list[Item]:
    items: list[Item] = [Message("assistant", said)] if said or not made else []
    return items + [FunctionCall(f"c_{i}" if i else "c", *call) for i, call in enumerate(made)]


@pytest.mark.parametrize("dialect", MARKED, ids=lambda dialect: dialect.name)
@settings(max_examples=150, deadline=None)
@given(said=sayings, made=calls)
def test_what_is_written_is_read_back(dialect: Dialect, said: str, made: list[tuple[str, str]]) -> None:
    items = reply(said, made)
    assert dialect.parse(dialect.write(items), "c") == items


@pytest.mark.parametrize("dialect", [HERMES, NEMOTRON, LLAMA, MISTRAL], ids=lambda dialect: dialect.name)
@settings(max_examples=100, deadline=None)
@given(name=words, made=arguments)
def test_a_name_may_be_any_text_where_it_is_json(dialect: Dialect, name: str, made: str) -> None:
    items = reply("", [(name, made)])
    assert dialect.parse(dialect.write(items), "c") == items


@settings(max_examples=100, deadline=None)
@given(name=words, made=st.dictionaries(words, values, max_size=3))
def test_the_plain_dialect_reads_back_one_call(name: str, made: dict[str, Any]) -> None:
    text = plain.DIALECT.write([FunctionCall("c", name, json.dumps(made))])
    message, call = plain.DIALECT.parse(text, "c")
    assert (message, plain.DIALECT.write([message, call])) == (Message("assistant", text), text)
    assert isinstance(call, FunctionCall)
    assert (call.call_id, call.name, json.loads(call.arguments)) == ("c", name, made)


@pytest.mark.parametrize("dialect", dialects.ALL, ids=lambda dialect: dialect.name)
@settings(max_examples=200, deadline=None)
@given(text=words, opening=st.sampled_from(NASTY), made=arguments)
def test_any_text_is_read_and_none_is_lost(dialect: Dialect, text: str, opening: str, made: str) -> None:
    text = f"{opening}{text}{made}"
    items = dialect.parse(text, "c")
    found = [item for item in items if isinstance(item, FunctionCall)]
    if not found:
        assert items == [Message("assistant", text)]
    assert all(isinstance(json.loads(call.arguments), dict) for call in found)


def test_the_second_call_has_an_id_of_its_own() -> None:
    made = HERMES.parse(HERMES.write(reply("", [("a", "{}"), ("b", "{}"), ("c", "{}")])), "call_4")
    assert [item.call_id for item in made if isinstance(item, FunctionCall)] == ["call_4", "call_4_1", "call_4_2"]


# -- as the models write it -------------------------------------------------------------------------------------------

ADD, SUB = FunctionCall("c", "add", '{"a": 1}'), FunctionCall("c_1", "sub", "{}")
WRITTEN: dict[str, tuple[Dialect, str, list[Item]]] = {
    "hermes, on one line": (HERMES, '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>', [ADD]),
    "hermes, the other way round": (
        HERMES,
        '<tool_call>\n{ "arguments": {"a": 1}, "name": "add"}\n</tool_call> ',
        [ADD],
    ),
    "hermes, words and two calls": (
        HERMES,
        'Well.\n<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>\n'
        '<tool_call>\n{"name": "sub", "arguments": {}}\n</tool_call>',
        [Message("assistant", "Well."), ADD, SUB],
    ),
    "arguments in a string": (
        HERMES,
        r'<tool_call>{"name": "add", "arguments": "{\"a\": 1}"}</tool_call>',
        [ADD],
    ),
    "parameters instead of arguments": (
        HERMES,
        '<tool_call>{"name": "add", "parameters": {"a": 1}}</tool_call>',
        [ADD],
    ),
    "llama": (LLAMA, '{"name": "add", "parameters": {"a": 1}}', [ADD]),
    "llama, two": (
        LLAMA,
        '{"name": "add", "parameters": {"a": 1}}; {"name": "sub", "parameters": {}}\n',
        [ADD, SUB],
    ),
    "llama, with its tag": (
        LLAMA,
        '<|python_tag|>{"type": "function", "name": "add", "parameters": {"a": 1}}',
        [ADD],
    ),
    "mistral": (
        MISTRAL,
        '[TOOL_CALLS] [{"name": "add", "arguments": {"a": 1}, "id": "aB3456789"}, {"name": "sub", "arguments": {}}]',
        [ADD, SUB],
    ),
    "mistral, newer": (MISTRAL, '[TOOL_CALLS]add[ARGS]{"a": 1}[TOOL_CALLS]sub[ARGS]{}', [ADD, SUB]),
    "mistral, newer, with an id": (NEWER_MISTRAL, '[TOOL_CALLS]add[CALL_ID]x1[ARGS]{"a": 1}', [ADD]),
    "nemotron": (
        NEMOTRON,
        '<TOOLCALL>[{"name": "add", "arguments": {"a": 1}}, {"name": "sub", "arguments": {}}]</TOOLCALL>',
        [ADD, SUB],
    ),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_calls_are_read_as_models_write_them(case: str) -> None:
    dialect, text, items = WRITTEN[case]
    assert dialect.parse(text, "c") == items


def test_the_arguments_are_exactly_what_was_written() -> None:
    text = '<tool_call>{"name": "add", "arguments":  { "a" :1.0,"b": "\\u00e9é" } }</tool_call>'
    assert HERMES.parse(text, "c") == [FunctionCall("c", "add", '{ "a" :1.0,"b": "\\u00e9é" }')]


MALFORMED: dict[str, tuple[Dialect, str]] = {
    "hermes, cut off in the JSON": (HERMES, 'So.\n<tool_call>\n{"name": "add", "arguments": {"a'),
    "hermes, cut off behind it": (HERMES, '<tool_call>\n{"name": "add", "arguments": {}}\n</tool'),
    "hermes, empty": (HERMES, "<tool_call>\n</tool_call>"),
    "hermes, no arguments": (HERMES, '<tool_call>{"name": "add"}</tool_call>'),
    "hermes, arguments in a list": (HERMES, '<tool_call>{"name": "add", "arguments": [1]}</tool_call>'),
    "hermes, a string that is no object": (
        HERMES,
        '<tool_call>{"name": "add", "arguments": "tea"}</tool_call>',
    ),
    "hermes, no name": (HERMES, '<tool_call>{"arguments": {}}</tool_call>'),
    "hermes, NaN": (HERMES, '<tool_call>{"name": "add", "arguments": {"a": NaN}}</tool_call>'),
    "hermes, too deep": (
        HERMES,
        '<tool_call>{"name": "add", "arguments": {"a": ' + "[" * 300 + "]" * 300 + "}}</tool_call>",
    ),
    "hermes, far too deep": (HERMES, "<tool_call>" + "[" * 100_000),
    "hermes, half a surrogate pair": (HERMES, '<tool_call>{"name": "\ud800", "arguments": {}}</tool_call>'),
    "hermes, half a surrogate pair in a list": (HERMES, '<tool_call>["\ud800"]</tool_call>'),
    "llama, cut off": (LLAMA, '{"name": "add", "parameters": {"a": '),
    "llama, words behind": (LLAMA, '{"name": "add", "parameters": {}} is it'),
    "llama, words between": (LLAMA, '{"name": "add", "parameters": {}} and {"name": "add", "parameters": {}}'),
    "llama, a comma between": (LLAMA, '{"name": "add", "parameters": {}},{"name": "add", "parameters": {}}'),
    "llama, a semicolon too many": (LLAMA, '{"name": "add", "parameters": {}};'),
    "llama, code": (LLAMA, "<|python_tag|>print(1)"),
    "mistral, cut off": (MISTRAL, '[TOOL_CALLS][{"name": "add", "arguments": {}}'),
    "mistral, an empty list": (MISTRAL, "[TOOL_CALLS][]"),
    "mistral, one of two": (MISTRAL, '[TOOL_CALLS][{"name": "add", "arguments": {}}, {"name": "sub"}]'),
    "mistral, newer, cut off": (NEWER_MISTRAL, '[TOOL_CALLS]add[ARGS]{"a": '),
    "mistral, newer, a list": (NEWER_MISTRAL, "[TOOL_CALLS]add[ARGS][1]"),
    "nemotron, cut off": (NEMOTRON, '<TOOLCALL>[{"name": "add", "arguments": {"a": 1}}]'),
    "plain, cut off": (plain.DIALECT, '{"tool": "add", "args": {"a": '),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_call_stays_as_it_was_written_and_looks_like_one(case: str) -> None:
    dialect, text = MALFORMED[case]
    assert dialect.parse(text, "c") == [Message("assistant", text)]
    assert dialects.looks_like_call(text)


def test_a_malformed_call_beside_a_good_one_stays_in_the_message() -> None:
    text = '<tool_call>{"name": "add"</tool_call>\n<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>'
    items = HERMES.parse(text, "c")
    assert items == [Message("assistant", '<tool_call>{"name": "add"</tool_call>'), ADD]
    assert dialects.has_markup('<tool_call>{"name": "add"</tool_call>')


@pytest.mark.parametrize("text", ["Which tea?", "", "a < b", "[1] is a source"])
def test_words_do_not_look_like_a_call(text: str) -> None:
    assert not dialects.looks_like_call(text)


# -- which one --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", dialects.ALL, ids=lambda dialect: dialect.name)
def test_a_dialect_is_known_by_a_call_in_it(dialect: Dialect) -> None:
    assert dialects.choose(dialect.write([ADD])) is dialect


@pytest.mark.parametrize(
    "written",
    ["", "add(1)", "<tool_call>add\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>"],
    ids=["nothing", "Python", "keys and values"],
)
def test_a_call_in_no_known_dialect_is_left_to_the_plain_one(written: str) -> None:
    assert dialects.choose(written) is plain.DIALECT


# -- what a reply says besides ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", MARKED, ids=lambda dialect: dialect.name)
def test_a_call_that_was_written_in_the_plain_dialect_is_written_once(dialect: Dialect) -> None:
    gold = plain.parse(plain.write_call("add", {"a": 1}), "c")
    assert dialect.parse(dialect.write(gold), "c") == [FunctionCall("c", "add", '{"a":1}')]


@pytest.mark.parametrize("dialect", MARKED, ids=lambda dialect: dialect.name)
def test_no_arguments_are_an_empty_object(dialect: Dialect) -> None:
    assert dialect.parse(dialect.write([FunctionCall("c", "add", "")]), "c") == [FunctionCall("c", "add", "{}")]


THOUGHTS: dict[str, tuple[str, bool, tuple[str | None, str]]] = {
    "none": ("Hello.", False, (None, "Hello.")),
    "some": ("<think>\nhm\n</think>\n\nHello.", False, ("hm", "Hello.")),
    "after white space": ("\n<think>hm</think>Hello.\n", False, ("hm", "Hello.\n")),
    "empty": ("<think>\n\n</think>\n\nHello.", False, ("", "Hello.")),
    "cut off": ("<think>\nlet me", False, ("let me", "")),
    "later on": ("Hello <think>hm</think>", False, (None, "Hello <think>hm</think>")),
    "twice": ("<think>a</think><think>b</think>c", False, ("a", "<think>b</think>c")),
    "opened by the prompt": ("hm\n</think>\n\nHello.", True, ("hm", "Hello.")),
    "opened by the prompt, and again": ("<think>hm</think>Hello.", True, ("hm", "Hello.")),
    "opened by the prompt and cut off": ("let me", True, ("let me", "")),
}


@pytest.mark.parametrize("case", THOUGHTS)
def test_thinking_is_told_from_words(case: str) -> None:
    text, opened, split = THOUGHTS[case]
    assert thinking.split(text, opened=opened) == split


@given(letters.map(str.strip).filter(lambda text: "</think>" not in text), letters.map(str.lstrip))
def test_thinking_that_is_written_is_read_back(thought: str, said: str) -> None:
    assert thinking.split(thinking.write(thought) + said) == (thought, said)
    assert thinking.split(thinking.without_opening(thinking.write(thought) + said), opened=True) == (thought, said)


def test_the_text_of_thinking_is_its_content_or_else_its_summary() -> None:
    both = Reasoning([SummaryText("short")], [ReasoningText("a"), ReasoningText("b")])
    assert (reasoning_text(both), reasoning_text(Reasoning([SummaryText("short")]))) == ("ab", "short")


BARE_NAMES = ToolNames(["shop.add", "refuse"])
OBJECT = '{"name": "shop-add", "arguments": {"item": "tea"}}'


@pytest.mark.parametrize(
    "text",
    [
        OBJECT,
        f"\n {OBJECT}\n",
        f"```json\n{OBJECT}\n```",
        f"```\n{OBJECT}\n```\n",
        f"```json {OBJECT}```",
        '{"name": "shop.add", "parameters": {"item": "tea"}}',
        '{"name": "shop-add", "arguments": "{\\"item\\": \\"tea\\"}"}',
    ],
)
def test_a_reply_that_is_json_of_an_offered_tool_is_a_call(text: str) -> None:
    (call,) = markup.bare_calls(text, BARE_NAMES)
    assert BARE_NAMES.name(call.name) == "shop.add" and json.loads(call.arguments) == {"item": "tea"}


def test_a_list_of_bare_calls_is_several_calls() -> None:
    calls = markup.bare_calls(f'```json\n[{OBJECT}, {{"name": "refuse", "arguments": {{}}}}]\n```', BARE_NAMES)
    assert [call.name for call in calls] == ["shop-add", "refuse"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "tea",
        f"I will call it: {OBJECT}",
        f"{OBJECT}\nDone.",
        f"{OBJECT}\n{OBJECT}",
        f"```json\n{OBJECT}\n```\n```json\n{OBJECT}\n```",
        f"```json\n{OBJECT}",
        '{"name": "Omar", "arguments": {"age": 7}}',
        '{"name": "shop-add"}',
        '{"name": "shop-add", "arguments": [1]}',
        f'[{OBJECT}, {{"name": "unknown", "arguments": {{}}}}]',
        f"[{OBJECT}, 7]",
        '{"name": "shop-add", "arguments": {"item": "te',
        "[" * 5000,
        "```" * 5000,
    ],
)
def test_other_text_around_it_or_another_name_makes_json_a_message(text: str) -> None:
    assert markup.bare_calls(text, BARE_NAMES) == []
