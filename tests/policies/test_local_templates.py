"""Templates that write each message by itself are rendered on the end of a conversation only, with the result of the whole."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.policies import templates
from tests.policies.templates import BARE, FAMILIES, QWEN2, tokenizer, tokenizer_with
from tests.policies.test_render_families import ADD, FIRST, OPENED, Talk, said
from verigym.core.errors import BadInput
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, ToolSpec, Turn
from verigym.policies.local_templates import is_local
from verigym.policies.render import Renderer, _marked

START = "{% for message in messages %}{{ message.role + message.content }}"
LOCAL = {
    "the neighbour before, guarded": START
    + "{{ '' if loop.first or messages[loop.index0 - 1].role == 'tool' else '|' }}",
    "the neighbour before, guarded by a number": START + "{{ loop.index0 == 0 or messages[loop.index0 - 1].role }}",
    "the neighbour before, guarded by and": START
    + "{% if loop.index0 > 0 and messages[loop.index0 - 1].role %}|{% endif %}",
    "the neighbour after": START + "{% if not loop.last and messages[loop.index0 + 1].role == 'tool' %}|{% endif %}",
    "both neighbours": START
    + "{% if loop.last and not loop.first and messages[loop.index0 - 1].role == 'assistant' %}|{% endif %}",
    "the first message": "{{ messages[0].content }}" + START,
    "calls": START
    + "{% for call in message.tool_calls %}{{ loop.first }}{{ call.function.name | tojson }}{% endfor %}",
    "methods of texts": START + "{% set said = message.content.split('</think>')[-1].strip() %}{{ said }}",
}
NOT_LOCAL = {
    "the number of messages": START + "{{ messages | length }}",
    "the last message": START + "{{ messages[-1].content }}",
    "the second message": START + "{{ messages[1].content }}",
    "the neighbour before of the first message is the last": START + "{{ messages[loop.index0 - 1].role }}",
    "a guard of something else": START + "{{ loop.last or messages[loop.index0 - 1].role }}",
    "two before": START + "{{ loop.first or messages[loop.index0 - 2].role }}",
    "the place of a message": START + "{{ loop.index0 }}",
    "even places": START + "{% if loop.index0 % 2 %}|{% endif %}",
    "the length of the loop": START + "{{ loop.length }}",
    "a part of the messages": "{% for message in messages[1:] %}{{ message.content }}",
    "some of the messages": "{% for message in messages if message.role == 'user' %}{{ message.content }}",
    "the messages by another name": "{% set all = messages %}" + START + "{{ all[-1].content }}",
    "other messages by this name": "{% set messages = messages[1:] %}" + START,
    "what was seen before": "{% set seen = namespace(n=0) %}" + START + "{% set seen.n = seen.n + 1 %}{{ seen.n }}",
    "a list that grows": "{% set seen = [] %}" + START + "{{ seen.append(message) or seen | length }}",
    "a function": "{% macro write(m) %}{{ m.content }}{% endmacro %}" + START + "{{ write(message) }}",
    "a refusal": START + "{{ raise_exception('no') }}",
    "the time": START + "{{ strftime_now('%d') }}",
    "ids of calls": START + "{% for call in message.tool_calls %}{{ call.id }}{% endfor %}",
    "ids of results": START + "{{ message['tool_call_id'] }}",
    "neighbours in another loop": START
    + "{% for c in message.tool_calls %}{{ messages[loop.index0 + 1].role }}{% endfor %}",
}


@pytest.mark.parametrize("name", LOCAL)
def test_a_template_that_writes_each_message_by_itself_is_local(name: str) -> None:
    assert is_local(LOCAL[name] + "{% endfor %}")


@pytest.mark.parametrize("name", NOT_LOCAL)
def test_a_template_that_may_carry_something_on_is_not_local(name: str) -> None:
    assert not is_local(NOT_LOCAL[name] + "{% endfor %}")


@pytest.mark.parametrize(
    "source",
    [
        "{{ 'no loop' }}",
        START + "{% endfor %}" + START + "{% endfor %}",
        "{% for",
        {"default": BARE},
        None,
        "{% generation %}",
    ],
    ids=["no loop", "two loops", "broken", "several templates", "none", "an extension"],
)
def test_what_is_no_loop_over_the_messages_is_not_local(source: Any) -> None:
    assert not is_local(source)


def test_the_families_that_are_local() -> None:
    assert is_local(BARE) and is_local(QWEN2)
    assert not any(is_local(other) for other in (templates.GEMMA, templates.NEMOTRON, templates.MISTRAL))


words = st.text(st.sampled_from('ab \n<|>"{}é'), max_size=12)
RENDERS = {family: Renderer(tokenizer(family)) for family in FAMILIES}
RENDERS |= {
    name: Renderer(
        tokenizer_with(text + "{{ '<|im_end|>' }}{% endfor %}", ["<|endoftext|>", "<|im_end|>"], "<|im_end|>")
    )
    for name, text in LOCAL.items()
}


@st.composite
def conversations(draw: st.DrawFn) -> tuple[list[Item], list[Turn]]:
    """Replies with texts and calls, results, messages of the user, a system message in the middle, and a call of no tool."""
    items: list[Item] = draw(
        st.sampled_from([list[Item](FIRST), list[Item](FIRST[1:]), [*FIRST, said("Yes?"), FIRST[1]]])
    )
    turns: list[Turn] = []
    for number in range(draw(st.integers(1, 7))):
        names = draw(st.lists(st.sampled_from(["shop.add", "shop.add", "shop.add", "other"]), max_size=2))
        made: list[Item] = [FunctionCall(f"call_{number}_{i}", name, '{"item": "tea"}') for i, name in enumerate(names)]
        made = [said(draw(words)), *made] if not made or draw(st.booleans()) else made
        place = len(items)
        turns.append(Turn(made=[*range(place, place + len(made))], completion_ids=[1]))
        items += made
        items += [FunctionCallOutput(one.call_id, draw(words)) for one in made if isinstance(one, FunctionCall)]
        role = draw(st.sampled_from(["", "", "user", "system"]))
        if role or not names:
            items.append(Message(role or "user", draw(words)))  # type: ignore[arg-type]
    return items, turns


@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize("name", RENDERS)
@given(conversations())
def test_the_end_of_a_conversation_is_written_as_in_the_whole(name: str, talk: tuple[list[Item], list[Turn]]) -> None:
    (items, turns), template = talk, RENDERS[name].template
    for tools in ([ADD], []):
        offer, marked, start = template.offer(tools), _marked(items, turns), turns[-1].made[0]
        try:
            now, before = (template.text(part, offer, reply=True, brief=True) for part in (marked, marked[:start]))
        except BadInput:  # a strict template refuses it
            continue
        found = template.gained(marked, start, offer)
        assert found == (now[len(before) :] if now.startswith(before) else None)
    assert template._local == (name in ("bare", "qwen2", *LOCAL))


@pytest.mark.parametrize("family", ["bare", "qwen2"])
def test_a_late_turn_renders_no_more_messages_than_an_early_one(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    talk, rendered = long_talk(family, 30, monkeypatch)
    assert rendered[29] == rendered[5] <= 10
    whole = talk.render.prompt(talk.items, talk.tools)
    assert [id for turn in talk.turns for id in turn.context_ids + turn.completion_ids] == whole[
        : -len(after(talk, whole))
    ]


def long_talk(family: str, turns: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Talk, list[int]]:
    """A conversation, and how many messages the template was given in each turn."""
    talk, rendered = Talk(family, list(FIRST), [ADD]), [0]
    apply = talk.render.tokenizer.apply_chat_template

    def counted(messages: Any, **more: Any) -> Any:
        rendered[-1] += len(messages)
        return apply(messages, **more)

    monkeypatch.setattr(talk.render.tokenizer, "apply_chat_template", counted)
    end = talk.render.end_id
    for number in range(turns):
        opened = "</think>\n\n" if family in OPENED else ""
        talk.reply(ids=[*talk.render.tokenizer.encode(f"{opened}reply {number}"), end])
        talk.hear(Message("user", f"result {number}: " + "word " * 50))
        rendered.append(0)
    return talk, rendered


def after(talk: Talk, whole: list[int]) -> list[int]:
    """The ids of the last message, which no turn has read."""
    gained = talk.render.extend(talk.items, talk.tools, talk.turns)
    assert gained is not None and whole[-len(gained) :] == gained
    return gained


@pytest.mark.parametrize("family", ["qwen2", "qwen3 thinking", "llama3"])
def test_what_is_kept_of_a_turn_does_not_grow_with_the_conversation(
    family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk, _ = long_talk(family, 30, monkeypatch)
    kept = [repr(one) for one in talk.render.template.offer([ADD]).outlines.items()]
    assert max(map(len, kept)) < 400


def test_a_template_that_once_refused_a_message_is_rendered_on_the_whole_conversation() -> None:
    refusing = BARE.replace("message['content']", "(message['content'] if message['content'] != 'no' else no.no)")
    assert is_local(refusing)
    render = Renderer(tokenizer_with(refusing, ["<|endoftext|>", "<|im_start|>", "<|im_end|>"], "<|im_end|>"))
    items: list[Item] = [
        FIRST[1],
        said("a"),
        Message("user", "no"),
        Message("user", "go on"),
        said("b"),
        FIRST[1],
        said("c"),
    ]
    items += [FIRST[1], said("d"), FIRST[1]]
    turns = [Turn(made=[index], completion_ids=[1]) for index in (1, 4, 6, 8)]
    render.prompt(items[:4], [])  # joins both messages of the user, because of the first
    offer, marked = render.template.offer(list[ToolSpec]()), _marked(items, turns)
    found = render.template.gained(marked, 8, offer)
    now, before = (render.template.text(part, offer, reply=True, brief=True) for part in (marked, marked[:8]))
    assert found == now[len(before) :]
    assert not render.template._local
