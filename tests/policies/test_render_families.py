"""Every common family of models: its dialect, its thinking, ids that grow, a past that is rewritten, templates that refuse."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.policies.templates import BARE, FAMILIES, QWEN2, tokenizer
from tests.policies.test_dialects import arguments
from tests.policies.test_dialects import sayings as any_sayings
from verigym.core.errors import BadInput
from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    Item,
    Message,
    Reasoning,
    ReasoningText,
    ToolSpec,
    Turn,
)
from verigym.policies import dialects, template
from verigym.policies.render import Renderer, ids_so_far
from verigym.policies.template import tool_json

RENDERS = {family: Renderer(tokenizer(family)) for family in FAMILIES}
PLAIN = ["bare", "gemma"]
NATIVE = [family for family in FAMILIES if family not in PLAIN]
OPENED = ["qwen3 thinking", "nemotron"]
"""Whose prompt ends with `<think>`."""
ADD = ToolSpec(
    name="shop.add",
    description="Put it in.",
    parameters={"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]},
)
SYSTEM, USER = Message("system", "You keep a shop."), Message("user", "buy tea")
FIRST: list[Item] = [SYSTEM, USER]
CALL = FunctionCall("c", "shop.add", '{"item": "tea"}')
sayings = any_sayings.filter(lambda said: "think>" not in said)


def thought(text: str) -> Reasoning:
    return Reasoning(content=[ReasoningText(text)])


def said(text: str) -> Message:
    return Message("assistant", text)


def in_dialect(render: Renderer, items: list[Item]) -> list[Item]:
    """As the model's own reply: in the plain dialect a call has its message before it."""
    (call,) = items
    assert isinstance(call, FunctionCall)
    if render.dialect.name != "plain":
        return [call]
    return dialects.parse(dialects.write_call(call.name, json.loads(call.arguments)), call.call_id)


class Talk:
    """A conversation as a policy has it: what is sampled is what is put in."""

    def __init__(self, family: str, items: list[Item], tools: list[ToolSpec]) -> None:
        self.render, self.items, self.tools = RENDERS[family], list(items), tools
        self.turns: list[Turn] = []

    def hear(self, *items: Item) -> None:
        self.items += items

    def reply(self, items: list[Item] | None = None, *, ids: list[int] | None = None) -> Turn:
        gained = self.render.extend(self.items, self.tools, self.turns) if self.turns else None
        parent = None if gained is None else len(self.turns) - 1
        if gained is None:
            gained = self.render.prompt(self.items, self.tools)
        before = ids_so_far(self.turns, parent) if parent is not None else []
        if ids is None:
            ids = self.render.completion(items or [], self.items, self.tools)
        made = self.render.read(ids, self.tools, f"call_{len(self.turns)}", before + gained)
        places = list(range(len(self.items), len(self.items) + len(made)))
        rewritten = bool(self.turns) and parent is None
        turn = Turn(parent=parent, context_ids=gained, completion_ids=ids, made=places, rewritten=rewritten)
        self.turns.append(turn)
        self.items += made
        return turn

    def text(self, ids: list[int]) -> str:
        return self.render.tokenizer.decode(ids)


# -- the dialect ------------------------------------------------------------------------------------------------------


def test_each_family_has_its_dialect() -> None:
    assert {family: render.dialect.name for family, render in RENDERS.items()} == {
        "bare": "plain",
        "qwen2": "hermes",
        "qwen3": "hermes",
        "qwen3 thinking": "hermes",
        "llama3": "llama",
        "mistral": "mistral",
        "mistral newer": "mistral with [ARGS]",
        "nemotron": "nemotron",
        "gemma": "plain",
    }


@pytest.mark.parametrize("family", FAMILIES)
def test_a_conversation_is_tokenised_as_the_template_does_it(family: str) -> None:
    render = RENDERS[family]
    if render.dialect.name == "plain":
        shown: list[Any] = []
        system = "You keep a shop.\n\nTools:\nshop.add(item)"
    else:
        shown, system = [tool_json(ADD, "shop-add")], "You keep a shop."
    messages = [{"role": "system", "content": system}, {"role": "user", "content": "buy tea"}]
    if family == "gemma":
        messages = [{"role": "user", "content": f"{system}\n\nbuy tea"}]
    whole = render.tokenizer.apply_chat_template(
        messages, tools=shown or None, add_generation_prompt=True, return_dict=False
    )
    assert render.prompt(FIRST, [ADD]) == whole


@pytest.mark.parametrize("family", NATIVE)
def test_a_name_with_a_dot_is_shown_without_and_read_with_it(family: str) -> None:
    render = RENDERS[family]
    shown = render.tokenizer.decode(render.prompt(FIRST, [ADD]))
    assert '"shop-add"' in shown and "shop.add" not in shown
    ids = render.completion([CALL], FIRST, [ADD])
    assert "shop-add" in render.tokenizer.decode(ids)
    assert render.read(ids, [ADD], "c", render.prompt(FIRST, [ADD]))[-1] == CALL


def test_a_name_that_only_resembles_one_is_none_in_the_plain_dialect() -> None:
    render = RENDERS["bare"]
    call = render.read(render.tokenizer.encode(dialects.write_call("shop-add", {})), [ADD], "c")[1]
    assert call == FunctionCall("c", "shop-add", "{}")


def test_a_tool_without_parameters_is_shown_with_none() -> None:
    assert tool_json(ToolSpec(name="x"), "x")["function"]["parameters"] == {"type": "object", "properties": {}}


def test_a_tool_that_was_called_and_never_offered_is_written_too() -> None:
    talk = Talk("qwen2", FIRST, [ADD])
    talk.reply([FunctionCall("c", "shop.steal", "{}")])
    talk.hear(FunctionCallOutput("c", "error"))
    assert "<tool_response>\nerror\n" in talk.text(talk.reply([said("Oh.")]).context_ids)
    assert "shop-steal" in talk.text(talk.render.prompt(talk.items, [ADD]))


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=40, deadline=None)
@given(made=arguments, spoken=sayings, thinks=st.booleans())
def test_a_demonstration_is_read_back_as_itself(family: str, made: str, spoken: str, thinks: bool) -> None:
    render = RENDERS[family]
    prompt = render.prompt(FIRST, [ADD])
    called = in_dialect(render, [FunctionCall("c", "shop.add", json.dumps(json.loads(made), ensure_ascii=False))])
    for reply in (called, [said(spoken)]):
        gold = [thought("Let me see."), *reply] if thinks else reply
        ids = render.completion(gold, FIRST, [ADD])
        read = render.read(ids, [ADD], "c", prompt)
        assert ids[-1] == render.end_id and ids.count(render.end_id) == 1
        without = [item for item in read if item != thought("")]  # a template may write a place for thinking
        assert [_spoken(item) for item in without] == [_spoken(item) for item in gold]


def _spoken(item: Item) -> Item | tuple[str, Any]:
    """Templates trim words, and write arguments in their own way."""
    if isinstance(item, FunctionCall):
        return item.name, json.loads(item.arguments)
    return Message(item.role, item.text.strip()) if isinstance(item, Message) else item


@pytest.mark.parametrize(
    ("family", "text"),
    {
        "qwen2": '<tool_call>\n{"name": "shop-add", "arguments": {"item": "tea"}}\n</tool_call><|im_end|>',
        "qwen3": '<think>\n\n</think>\n\n<tool_call>\n{"name": "shop-add", "arguments": {"item": "tea"}}\n</tool_call><|im_end|>',
        "qwen3 thinking": '\n</think>\n\n<tool_call>\n{"name": "shop-add", "arguments": {"item": "tea"}}\n</tool_call><|im_end|>',
        "llama3": '{"name": "shop-add", "parameters": {"item": "tea"}}<|eot_id|>',
        "mistral": '[TOOL_CALLS] [{"name": "shop-add", "arguments": {"item": "tea"}, "id": "call00000"}]</s>',
        "mistral newer": '[TOOL_CALLS]shop-add[ARGS]{"item": "tea"}</s>',
        "nemotron": '\n</think>\n\n<TOOLCALL>[{"name": "shop-add", "arguments": {"item": "tea"}}]</TOOLCALL>\n<SPECIAL_12>',
        "gemma": '{"tool": "shop.add", "args": {"item": "tea"}}<end_of_turn>',
    }.items(),
)
def test_a_gold_call_is_written_as_the_model_would_write_it(family: str, text: str) -> None:
    gold = dialects.parse(dialects.write_call("shop.add", {"item": "tea"}))
    render = RENDERS[family]
    assert render.tokenizer.decode(render.completion(gold, FIRST, [ADD])) == text
    assert render.completion(gold) == render.completion(gold, FIRST, [ADD]), "a context that is not given is any other"


@pytest.mark.parametrize("family", FAMILIES)
def test_a_call_in_the_plain_dialect_is_one_for_every_model(family: str) -> None:
    render = RENDERS[family]
    text = dialects.write_call("shop.add", {"item": "tea"})
    message, call = dialects.parse(text, "c")
    read = render.read(render.tokenizer.encode(text), [ADD], "c")
    assert read == ([message, call] if render.dialect.name == "plain" else [call])
    assert render.read(render.tokenizer.encode(text), [], "c") == [said(text)], "but for one without tools"


def test_a_malformed_call_is_all_in_the_message() -> None:
    text = 'Now:\n<tool_call>\n{"name": "shop-add", "arguments": {"item"'
    render = RENDERS["qwen2"]
    assert render.read(render.tokenizer.encode(text), [ADD], "c") == [said(text)]


# -- thinking ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", OPENED)
@pytest.mark.parametrize(
    ("text", "items"),
    [("hm\n</think>\n\nHello.", [thought("hm"), said("Hello.")]), ("let me", [thought("let me"), said("")])],
    ids=["closed", "cut off"],
)
def test_thinking_that_the_prompt_opens_is_thinking(family: str, text: str, items: list[Item]) -> None:
    render = RENDERS[family]
    assert render.read(render.tokenizer.encode(text), [ADD], "c", render.prompt(FIRST, [ADD])) == items


def test_a_prompt_that_opens_and_closes_the_thinking_opens_none() -> None:
    render = RENDERS["nemotron"]
    prompt = render.prompt([Message("system", "/no_think"), USER], [])
    assert render.tokenizer.decode(prompt).endswith("<think></think>")
    assert render.read(render.tokenizer.encode("Hello."), [], "c", prompt) == [said("Hello.")]
    ids = render.completion([said("Hello.")], [Message("system", "/no_think"), USER])
    assert render.tokenizer.decode(ids) == "Hello.\n<SPECIAL_12>"


@pytest.mark.parametrize("family", FAMILIES)
def test_thinking_and_a_call_are_both_kept(family: str) -> None:
    talk = Talk(family, FIRST, [ADD])
    called = in_dialect(talk.render, [CALL])
    talk.reply([thought("Tea, then."), *called])
    assert talk.items[2] == thought("Tea, then.")
    assert isinstance(talk.items[-1], FunctionCall) and talk.items[-1].name == "shop.add"


# -- growing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["bare", "qwen2", "llama3", "mistral newer", "gemma"])
@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.booleans(), sayings.filter(bool), sayings.filter(bool)), min_size=1, max_size=6))
def test_where_the_past_is_kept_what_has_grown_is_the_whole_rendering(
    family: str, rounds: list[tuple[bool, str, str]]
) -> None:
    talk = Talk(family, FIRST, [ADD])
    for calls, words, heard in rounds:
        if calls:
            talk.reply(in_dialect(talk.render, [FunctionCall("c", "shop.add", json.dumps({"item": words}))]))
            talk.hear(FunctionCallOutput(f"call_{len(talk.turns) - 1}", heard))
        talk.reply([said(words)])
        talk.hear(Message("user", heard))
    last = talk.reply([said("Done.")])
    assert not any(turn.rewritten for turn in talk.turns)
    assert [turn.parent for turn in talk.turns] == [None, *range(len(talk.turns) - 1)]
    grown = ids_so_far(talk.turns, len(talk.turns) - 1)
    whole = talk.render.prompt(talk.items[: last.made[0]], [ADD])
    assert talk.text(grown[: -len(last.completion_ids)]) == talk.text(whole)


@pytest.mark.parametrize("family", ["qwen3", "qwen3 thinking"])
def test_thinking_that_the_template_drops_makes_a_new_root(family: str) -> None:
    talk = Talk(family, FIRST, [ADD])
    talk.reply([thought("Tea it is."), CALL])
    talk.hear(FunctionCallOutput("call_0", "1 tea"))
    second = talk.reply([thought("Good."), said("Done.")])
    assert (second.parent, second.rewritten) == (0, False), "thinking stays between a call and its result"
    talk.hear(Message("user", "more"))
    third = talk.reply([thought("More tea."), CALL])
    assert (third.parent, third.rewritten) == (None, True)
    assert third.context_ids == talk.render.prompt(talk.items[: third.made[0]], [ADD])
    assert "Tea it is." not in talk.text(third.context_ids) and "Done." in talk.text(third.context_ids)
    talk.hear(FunctionCallOutput("call_2", "2 tea"))
    fourth = talk.reply([thought("Good."), said("Done.")])
    assert (fourth.parent, fourth.rewritten) == (2, False), "the new root is extended like any other"
    assert "More tea." in talk.text(ids_so_far(talk.turns, 3))


def test_a_reply_without_thinking_is_not_rewritten() -> None:
    talk = Talk("qwen3", FIRST, [ADD])
    talk.reply(ids=talk.render.tokenizer.encode("Hello.<|im_end|>"))
    talk.hear(Message("user", "more"))
    assert talk.reply([said("Done.")]).parent == 0


def test_thinking_that_is_always_dropped_makes_every_turn_a_root() -> None:
    talk = Talk("nemotron", FIRST, [ADD])
    talk.reply([thought("Tea it is."), CALL])
    talk.hear(FunctionCallOutput("call_0", "1 tea"))
    second = talk.reply([said("Done.")])
    assert (second.parent, second.rewritten) == (None, True)
    assert "<TOOLCALL>[{" in talk.text(second.context_ids) and "Tea it is." not in talk.text(second.context_ids)


def test_a_system_prompt_that_moves_to_the_last_user_message_makes_a_new_root() -> None:
    talk = Talk("mistral", FIRST, [])
    talk.reply([said("Done.")])
    talk.hear(Message("user", "more"))
    second = talk.reply([said("Done.")])
    assert second.rewritten
    assert talk.text(second.context_ids) == "<s>[INST] buy tea[/INST]  Done.</s>[INST] You keep a shop.\n\nmore[/INST]"
    without = Talk("mistral", [USER], [])
    without.reply([said("Done.")])
    without.hear(Message("user", "more"))
    assert without.reply([said("Done.")]).parent == 0, "without one nothing moves"


def test_a_past_in_which_any_letter_differs_makes_a_new_root() -> None:
    counting = tokenizer("bare")
    counting.chat_template = "{{ messages | length }} messages" + counting.chat_template
    talk = Talk("bare", FIRST, [])
    talk.render = Renderer(counting)
    talk.reply([said("Done.")])
    talk.hear(Message("user", "more"))
    second = talk.reply([said("Done.")])
    assert second.rewritten and talk.text(second.context_ids).startswith("4 messages<")


def test_tools_that_move_to_the_last_user_message_make_a_new_root() -> None:
    talk = Talk("mistral", [USER], [ADD])
    talk.reply([CALL])
    talk.hear(FunctionCallOutput("call_0", "1 tea"))
    assert talk.text(talk.reply([said("Done.")]).context_ids) == (
        '[TOOL_RESULTS] {"content": 1 tea, "call_id": "call00000"}[/TOOL_RESULTS]'
    )
    talk.hear(Message("user", "more"))
    third = talk.reply([said("Done.")])
    assert third.rewritten and talk.text(third.context_ids).count("[AVAILABLE_TOOLS]") == 1


def test_tools_that_only_come_with_the_first_user_message_make_a_new_root() -> None:
    talk = Talk("mistral", [SYSTEM], [ADD])
    talk.render = Renderer(tokenizer("mistral"))
    talk.render.tokenizer.chat_template = talk.render.tokenizer.chat_template.replace(
        "{{- raise_exception('roles must alternate') }}", ""
    )
    talk.reply([said("Hello!")])
    talk.hear(USER)
    second = talk.reply([said("Done.")])
    assert second.rewritten and '"shop-add"' in talk.text(second.context_ids)


@pytest.mark.parametrize("family", ["llama3", "mistral"])
def test_words_that_the_template_drops_beside_a_call_make_a_new_root(family: str) -> None:
    talk = Talk(family, FIRST, [ADD])
    talk.reply([said("Let me see."), CALL])
    talk.hear(FunctionCallOutput("call_0", "1 tea"))
    second = talk.reply([said("Done.")])
    assert second.rewritten and "Let me see." not in talk.text(second.context_ids)


def test_a_call_that_was_written_in_the_plain_dialect_drops_no_words() -> None:
    talk = Talk("llama3", FIRST, [ADD])
    talk.reply(ids=talk.render.tokenizer.encode('{"tool": "shop-add", "args": {"item": "tea"}}<|eot_id|>'))
    assert talk.items[2:] == [FunctionCall("call_0", "shop.add", '{"item":"tea"}')]
    talk.hear(FunctionCallOutput("call_0", "1 tea"))
    assert talk.reply([said("Done.")]).parent == 0


@pytest.mark.parametrize("family", ["bare", "qwen2", "llama3", "mistral newer", "gemma"])
def test_a_reply_that_was_cut_off_is_ended_by_the_context(family: str) -> None:
    talk = Talk(family, FIRST, [ADD])
    talk.reply(ids=talk.render.tokenizer.encode("half a"))
    talk.hear(Message("user", "go on"))
    grown = talk.reply([said("x")])
    end = talk.render.tokenizer.decode([talk.render.end_id])
    assert talk.text(grown.context_ids).startswith(end)
    assert grown.context_ids.count(talk.render.end_id) == talk.text(grown.context_ids).count(end)


def test_a_call_that_was_cut_off_at_its_very_end_is_ended_and_not_closed_again() -> None:
    talk = Talk("qwen2", FIRST, [ADD])
    ids = talk.render.completion([CALL], FIRST, [ADD])[:-1]
    talk.reply(ids=ids)
    talk.hear(FunctionCallOutput("call_0", "1 tea"))
    assert talk.text(talk.reply([said("x")]).context_ids) == (
        "<|im_end|>\n<|im_start|>user\n<tool_response>\n1 tea\n</tool_response><|im_end|>\n<|im_start|>assistant\n"
    )


def test_white_space_before_the_end_is_written_for_a_reply_that_was_cut_off() -> None:
    talk = Talk("nemotron", [Message("user", "a /no_think")], [])
    talk.render = Renderer(tokenizer("nemotron"))
    talk.render.tokenizer.chat_template = talk.render.tokenizer.chat_template.replace("'<think></think>'", "''")
    talk.reply(ids=talk.render.tokenizer.encode("half a"))
    talk.hear(Message("user", "go on"))
    assert talk.text(talk.reply([said("x")]).context_ids).startswith("\n<SPECIAL_12>\n<SPECIAL_11>User\ngo on\n")


def test_an_empty_reply_is_extended() -> None:
    talk = Talk("qwen2", FIRST, [ADD])
    talk.reply(ids=[talk.render.end_id])
    talk.hear(Message("user", "well?"))
    second = talk.reply([said("x")])
    assert (talk.items[2], second.parent) == (said(""), 0)
    assert talk.text(second.context_ids) == "\n<|im_start|>user\nwell?<|im_end|>\n<|im_start|>assistant\n"


def test_a_template_without_an_end_of_turn_is_extended_by_all_that_it_writes() -> None:
    lines = tokenizer("bare")
    lines.chat_template = (
        "{% for message in messages %}{{ message.role + ': ' + message.content + '\\n' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"
    )
    render = Renderer(lines)
    assert render.end_id == lines.eos_token_id
    ids = render.completion([said("Done.")])
    turn = Turn(context_ids=render.prompt(FIRST, []), completion_ids=ids, made=[2])
    gained = render.extend([*FIRST, said("Done."), Message("user", "more")], [], [turn])
    assert lines.decode(gained) == "\nuser: more\nassistant: "


def test_what_was_sampled_in_a_spelling_of_its_own_stays() -> None:
    talk = Talk("qwen2", FIRST, [ADD])
    spelled = [id for letter in "<tool_call>" for id in talk.render.tokenizer.encode(letter)]
    rest = talk.render.tokenizer.encode('{ "arguments":{"item":"tea"},"name":"shop-add" }</tool_call><|im_end|>')
    assert talk.render.tokenizer.encode(talk.text(spelled)) != spelled
    talk.reply(ids=[*spelled, *rest])
    assert talk.items[-1] == FunctionCall("call_0", "shop.add", '{"item":"tea"}')
    talk.hear(FunctionCallOutput("call_0", "1 tea"))
    talk.reply([said("Done.")])
    grown = ids_so_far(talk.turns, 1)
    start = len(talk.turns[0].context_ids)
    assert grown[start : start + len(spelled) + len(rest)] == [*spelled, *rest]


# -- templates that refuse --------------------------------------------------------------------------------------------


def test_a_system_message_that_is_refused_goes_into_the_first_user_message() -> None:
    render = RENDERS["gemma"]
    assert render.tokenizer.decode(render.prompt(FIRST, [])) == (
        "<bos><start_of_turn>user\nYou keep a shop.\n\nbuy tea<end_of_turn>\n<start_of_turn>model\n"
    )


def test_a_user_who_may_not_speak_twice_in_a_row_speaks_once() -> None:
    talk = Talk("gemma", FIRST, [ADD])
    talk.reply([said("Done.")])
    talk.hear(FunctionCallOutput("a", "1 tea"), FunctionCallOutput("b", "2 tea"))
    second = talk.reply([said("x")])
    assert talk.text(second.context_ids) == ("\n<start_of_turn>user\n1 tea\n2 tea<end_of_turn>\n<start_of_turn>model\n")
    assert second.parent == 0


def test_a_user_who_speaks_twice_leaves_the_calls_as_they_are() -> None:
    render = RENDERS["mistral"]
    items: list[Item] = [USER, Message("user", "please"), CALL, FunctionCallOutput("c", "1 tea")]
    assert render.tokenizer.decode(render.prompt(items, [])) == (
        "<s>[INST] buy tea\nplease[/INST]"
        '[TOOL_CALLS] [{"name": "shop-add", "arguments": {"item": "tea"}, "id": "call00000"}]</s>'
        '[TOOL_RESULTS] {"content": 1 tea, "call_id": "call00000"}[/TOOL_RESULTS]'
    )


def test_two_calls_where_one_is_allowed_are_written_as_text() -> None:
    talk = Talk("llama3", FIRST, [ADD])
    both: list[Item] = [CALL, FunctionCall("d", "shop.add", '{"item": "jam"}')]
    talk.reply(both)
    written = '{"name": "shop-add", "parameters": {"item": "tea"}}; {"name": "shop-add", "parameters": {"item": "jam"}}'
    assert talk.text(talk.turns[0].completion_ids) == f"{written}<|eot_id|>"
    talk.hear(FunctionCallOutput("call_0", "1 tea"), FunctionCallOutput("call_0_1", "1 jam"))
    second = talk.reply([said("Done.")])
    assert second.parent == 0
    assert talk.text(second.context_ids) == (
        '<|start_header_id|>ipython<|end_header_id|>\n\n{"output": "1 tea"}<|eot_id|>'
        '<|start_header_id|>ipython<|end_header_id|>\n\n{"output": "1 jam"}<|eot_id|>'
        "<|start_header_id|>assistant<|end_header_id|>\n\n"
    )
    assert written in talk.text(talk.render.prompt(talk.items, [ADD]))


def test_a_call_without_a_result_is_written_as_text_where_turns_are_strict() -> None:
    talk = Talk("mistral newer", FIRST, [ADD])
    talk.reply([CALL])
    talk.hear(Message("user", "you said something"))
    assert talk.text(talk.reply([said("Done.")]).context_ids) == "[INST] you said something[/INST]"
    assert '[/INST][TOOL_CALLS]shop-add[ARGS]{"item": "tea"}</s>' in talk.text(talk.render.prompt(talk.items, [ADD]))


def test_a_conversation_that_no_form_of_is_taken_is_bad_input_that_names_the_model() -> None:
    refusing = tokenizer("gemma")
    refusing.name_or_path = "google/gemma"
    render = Renderer(refusing)
    with pytest.raises(
        BadInput,
        match="google/gemma: the chat template of the model raised an error on this conversation: roles must alternate",
    ):
        render.prompt([said("I begin."), USER], [])


def test_a_model_with_a_template_of_its_own_for_tools_is_known_by_that_one() -> None:
    two = tokenizer("qwen2")
    two.chat_template = {"default": BARE, "tool_use": QWEN2}
    render = Renderer(two)
    assert render.dialect.name == "hermes"
    assert "<tools>" in two.decode(render.prompt(FIRST, [ADD])) and render.prompt(FIRST, []) == RENDERS["bare"].prompt(
        FIRST, []
    )


def test_a_template_that_writes_calls_and_shows_no_tools_gets_the_plain_dialect() -> None:
    silent = tokenizer("qwen2")
    silent.chat_template = silent.chat_template.replace("{%- if tools %}", "{%- if false %}")
    render = Renderer(silent)
    assert render.dialect.name == "plain"
    assert "Tools:\nshop.add(item)" in silent.decode(render.prompt(FIRST, [ADD]))


def test_a_template_that_breaks_on_tools_gets_the_plain_dialect() -> None:
    broken = tokenizer("bare")
    broken.chat_template = "{% if tools %}{{ 1 / 0 }}{% endif %}" + broken.chat_template
    render = Renderer(broken)
    assert render.dialect.name == "plain"
    assert "Tools:\nshop.add(item)" in broken.decode(render.prompt(FIRST, [ADD]))


# -- the shared part --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("first", [[SYSTEM], []], ids=["system", "no system"])
def test_the_shared_part_is_what_every_conversation_begins_with(family: str, first: list[Item]) -> None:
    render = RENDERS[family]
    one, other = [*first, USER], [*first, Message("user", "sell jam")]
    ids, more = render.prompt(one, [ADD]), render.prompt(other, [ADD])
    shared = render.shared(one, [ADD], ids)
    assert render.shared(other, [ADD], more) == shared
    assert ids[:shared] == more[:shared]
    assert "add" in render.tokenizer.decode(ids[:shared]), "the tools are in it"


def test_outlines_are_remembered_and_forgotten_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template, "_OUTLINES_KEPT", 512)
    tools = [ToolSpec(name="only.here")]
    found: list[str] = []
    for number in [*range(600), 0]:
        talk = Talk("bare", [Message("user", str(number))], tools)
        talk.reply(ids=[talk.render.end_id])
        talk.hear(Message("user", f"more {number}"))
        found.append(talk.text(talk.reply(ids=[talk.render.end_id]).context_ids))
    assert found[0] == found[-1] == "\n<|im_start|>user\nmore 0<|im_end|>\n<|im_start|>assistant\n"
    assert len(RENDERS["bare"].template.offer(tools).outlines) == 512


def test_offers_are_remembered_and_forgotten_again() -> None:
    render = RENDERS["qwen2"]
    many = [[ToolSpec(name=f"tool{i}")] for i in range(20)]
    first = [render.prompt(FIRST, tools) for tools in many]
    assert [render.prompt(FIRST, tools) for tools in many] == first
    assert '"tool3"' in render.tokenizer.decode(first[3]) and '"tool4"' not in render.tokenizer.decode(first[3])


# -- calls without the tags of the dialect ----------------------------------------------------------------------------


@pytest.mark.parametrize("family", NATIVE)
@pytest.mark.parametrize("form", ["{}", "```json\n{}\n```"])
def test_bare_json_of_an_offered_tool_is_a_call_whose_ids_stay_as_sampled(family: str, form: str) -> None:
    render = RENDERS[family]
    opened = "</think>\n\n" if family in OPENED else ""
    text = opened + form.replace("{}", '{"name": "shop-add", "arguments": {"item": "tea"}}')
    talk = Talk(family, FIRST, [ADD])
    first = talk.reply(ids=[*render.tokenizer.encode(text), render.end_id])
    *_, call = talk.items
    assert isinstance(call, FunctionCall) and (call.call_id, call.name) == ("call_0", "shop.add")
    assert json.loads(call.arguments) == {"item": "tea"}
    talk.hear(FunctionCallOutput("call_0", "put in"))
    second = talk.reply([said("Done.")])
    if second.parent == 0:
        whole = talk.text(first.context_ids + first.completion_ids + second.context_ids)
        assert text in whole and "put in" in whole


@pytest.mark.parametrize("family", PLAIN)
def test_without_a_tool_channel_only_the_plain_form_is_a_call(family: str) -> None:
    render = RENDERS[family]
    ids = render.tokenizer.encode('{"name": "shop.add", "arguments": {"item": "tea"}}')
    assert not any(isinstance(item, FunctionCall) for item in render.read(ids, [ADD], "c"))
