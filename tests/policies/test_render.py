"""Conversations to ids and back: ids only ever grow, and what was sampled is never tokenised again."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer

from tests.tiny import tokenizer
from verigym.core import watchdog
from verigym.core.errors import BadInput
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, ToolSpec, Turn, content_hash
from verigym.model import embedded
from verigym.policies import dialects
from verigym.policies import template as chat_template
from verigym.policies.render import Renderer, ids_so_far
from verigym.policies.template import DEFAULT_TEMPLATE

RENDER = Renderer(tokenizer())
END = RENDER.tokenizer.eos_token_id
ADD = ToolSpec(name="add", parameters={"properties": {"item": {"type": "string"}}, "required": ["item"]})
SYSTEM, USER = Message("system", "You keep a shop."), Message("user", "buy tea")
plain_text = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20)


def encode(text: str) -> list[int]:
    return RENDER.tokenizer.encode(text, add_special_tokens=False)


def decode(ids: list[int]) -> str:
    return RENDER.tokenizer.decode(ids)


def test_a_prompt_ends_where_the_reply_begins() -> None:
    ids = RENDER.prompt([SYSTEM, USER], [])
    assert decode(ids) == "<|system|>You keep a shop.<|end|>\n<|user|>buy tea<|end|>\n<|assistant|>"
    assert ids[-1] == encode("<|assistant|>")[0]


def test_the_tools_stand_in_the_system_part() -> None:
    assert decode(RENDER.prompt([SYSTEM, USER], [ADD])).startswith(
        "<|system|>You keep a shop.\n\nTools:\nadd(item)<|end|>"
    )


def test_a_completion_is_the_reply_and_the_end_token() -> None:
    ids = RENDER.completion([Message("assistant", "Done.")])
    assert ids == [*encode("Done."), END]


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.sampled_from(["item", "n"]), plain_text | st.integers(-5, 5)), plain_text)
def test_a_call_that_is_written_is_read_back(arguments: dict[str, str | int], word: str) -> None:
    gold = dialects.parse(dialects.write_call("add", arguments), "call_7")
    assert isinstance(gold[1], FunctionCall)
    assert RENDER.read(RENDER.completion(gold), [ADD], "call_7") == gold
    message: list[Item] = [Message("assistant", f"w{word}")]
    assert RENDER.read(RENDER.completion(message), [ADD], "call_7") == message


def test_a_call_is_not_read_where_there_are_no_tools() -> None:
    text = dialects.write_call("add", {})
    assert RENDER.read([*encode(text), END], [], "c") == [Message("assistant", text)]


def test_a_completion_that_was_cut_off_is_read_whole() -> None:
    assert RENDER.read(encode("half a"), [ADD], "c") == [Message("assistant", "half a")]


# -- growing ----------------------------------------------------------------------------------------------------------


def talk(replies: list[list[int]], results: list[list[Item]]) -> tuple[list[int], list[Turn]]:
    """Ids of the last context, and the turns, as a policy makes them."""
    items: list[Item] = [SYSTEM, USER]
    turns: list[Turn] = []
    for place, reply in enumerate(replies):
        items += results[place - 1] if place else []
        gained = RENDER.extend(items, [ADD], turns) if turns else RENDER.prompt(items, [ADD])
        assert gained is not None, "nothing is rewritten"
        made = RENDER.read(reply, [ADD], "c")
        places = list(range(len(items), len(items) + len(made)))
        turns.append(Turn(parent=place - 1 if place else None, context_ids=gained, completion_ids=reply, made=places))
        items += made
    return ids_so_far(turns, len(turns) - 1), turns


def test_the_second_context_is_the_first_the_completion_and_the_gain() -> None:
    call = dialects.write_call("add", {"item": "tea"})
    first, second = [*encode(call), END], [*encode("Done."), END]
    ids, turns = talk([first, second], [[FunctionCallOutput("c", "1 tea")]])
    assert ids == turns[0].context_ids + first + turns[1].context_ids + second
    assert decode(turns[1].context_ids) == "\n<|user|>1 tea<|end|>\n<|assistant|>"
    items: list[Item] = [SYSTEM, USER, *dialects.parse(call, "c"), FunctionCallOutput("c", "1 tea")]
    assert ids[: -len(second)] == RENDER.prompt(items, [ADD]), "it is what the template makes of the whole conversation"


def test_a_completion_that_was_cut_off_is_ended_by_the_context() -> None:
    _, turns = talk([encode("half"), [END]], [[Message("user", "go on")]])
    assert decode(turns[1].context_ids) == "<|end|>\n<|user|>go on<|end|>\n<|assistant|>"


def test_what_was_sampled_is_never_tokenised_again() -> None:
    spelled = [id for letter in "<|user|>" for id in encode(letter)]
    assert encode(decode(spelled)) != spelled, "an example is only one if tokenising again would change it"
    ids, turns = talk([[*spelled, END], [END]], [[Message("user", "what?")]])
    start = len(turns[0].context_ids)
    assert ids[start : start + len(spelled)] == spelled


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.lists(st.integers(6, 100), max_size=8), st.booleans(), plain_text), min_size=1, max_size=4)
)
def test_ids_extend_by_construction_whatever_was_sampled(rounds: list[tuple[list[int], bool, str]]) -> None:
    replies = [[*ids, END] if ended else ids or [9] for ids, ended, _ in rounds] + [[END]]
    results: list[list[Item]] = [[FunctionCallOutput("c", text)] for _, _, text in rounds]
    ids, turns = talk(replies, results)
    for last in range(len(turns)):
        so_far = ids_so_far(turns, last)
        assert ids[: len(so_far)] == so_far
        completion = turns[last].completion_ids
        assert so_far[len(so_far) - len(completion) :] == completion
    for turn, (_, ended, text) in zip(turns[1:], rounds, strict=True):
        assert decode(turn.context_ids) == ("" if ended else "<|end|>") + f"\n<|user|>{text}<|end|>\n<|assistant|>"


def test_ids_go_back_to_the_last_root_and_no_further() -> None:
    turns = [
        Turn(context_ids=[1], completion_ids=[2]),
        Turn(context_ids=[3], completion_ids=[4]),
        Turn(parent=2, context_ids=[5], completion_ids=[6]),
    ]
    assert (ids_so_far(turns, 0), ids_so_far(turns, 1)) == ([1, 2], [3, 4])
    assert ids_so_far(turns, 2) == [3, 4, 5, 6], (
        "the parent's place in the trajectory, with the user's turns, is another"
    )


# -- the shared part --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tools", [[], [ADD]], ids=["no tools", "tools"])
def test_the_shared_part_is_the_system_message(tools: list[ToolSpec]) -> None:
    ids = RENDER.prompt([SYSTEM, USER], tools)
    shared = RENDER.shared([SYSTEM, USER], tools, ids)
    assert decode(ids[:shared]).startswith("<|system|>You keep a shop.")
    assert decode(ids[:shared]).endswith("<|end|>\n")
    other: list[Item] = [SYSTEM, Message("user", "sell jam")]
    assert RENDER.prompt(other, tools)[:shared] == ids[:shared]
    assert RENDER.shared(other, tools, RENDER.prompt(other, tools)) == shared


def test_nothing_is_shared_without_a_system_message() -> None:
    assert RENDER.shared([USER], [], RENDER.prompt([USER], [])) == 0


def test_no_more_is_shared_than_is_equal() -> None:
    assert RENDER.shared([SYSTEM, USER], [], encode("<|system|>You sell")) == len(encode("<|system|>You "))


def test_a_tokenizer_without_a_template_gets_one() -> None:
    bare = tokenizer()
    bare.chat_template = None
    render = Renderer(bare)
    assert bare.chat_template == DEFAULT_TEMPLATE
    assert bare.decode(render.prompt([USER], [])) == "user: buy tea<|end|>\nassistant: "


def test_a_model_that_ends_nothing_is_refused_in_words() -> None:
    endless = tokenizer()
    endless.eos_token = None
    endless.name_or_path = "some/model"
    endless.chat_template = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
    with pytest.raises(BadInput, match="some/model: the model has no end-of-turn token"):
        Renderer(endless)


# -- the embedded model -----------------------------------------------------------------------------------------------

SMOLLM2 = """\
<|im_start|>system
You keep a shop.

Tools:
add(item)<|im_end|>
<|im_start|>user
buy tea<|im_end|>
<|im_start|>assistant
{"tool": "add", "args": {"item": "tea"}}<|im_end|>
<|im_start|>user
1 tea<|im_end|>
<|im_start|>assistant
"""


@pytest.mark.skipif(not embedded.is_pulled(), reason="the embedded model is not here: verigym models pull smollm2-135m")
def test_the_embedded_models_conversation_is_this_text_and_these_ids() -> None:
    smollm2 = AutoTokenizer.from_pretrained(embedded.folder())
    render = Renderer(smollm2)
    gold = dialects.parse(dialects.write_call("add", {"item": "tea"}), "c")
    first, completion = render.prompt([SYSTEM, USER], [ADD]), render.completion(gold)
    turn = Turn(context_ids=first, completion_ids=completion, made=[2, 3])
    items: list[Item] = [SYSTEM, USER, *gold, FunctionCallOutput("c", "1 tea")]
    gained = render.extend(items, [ADD], [turn])
    assert gained is not None and render.dialect.name == "plain"
    assert smollm2.decode(first + completion + gained) == SMOLLM2
    assert first + completion + gained == render.prompt(items, [ADD]) == smollm2.encode(SMOLLM2)
    assert render.shared(items, [ADD], first) == 19
    assert content_hash(first + completion + gained)[:16] == "f7ee79e34d4d0d3e"


_ENDLESS = (
    "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}"
)


def opened_with(text: str) -> Renderer:
    words = tokenizer()
    words.chat_template = text
    return Renderer(words)


@pytest.mark.timeout(1000, method="thread")
@pytest.mark.parametrize("on_main", [True, False], ids=["main thread", "other thread"])
def test_a_template_that_loops_without_end_is_refused_when_the_model_is_opened(
    monkeypatch: pytest.MonkeyPatch, on_main: bool
) -> None:
    monkeypatch.setattr(chat_template, "_LONGEST_S", 0.3)

    def opened() -> None:
        with pytest.raises(BadInput, match=r"chat template of the model took more than 0.3 s"):
            opened_with(DEFAULT_TEMPLATE + _ENDLESS)

    if on_main:
        opened()
    else:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(opened).result()


@pytest.mark.timeout(1000, method="thread")
def test_a_template_that_loops_on_one_conversation_ends_that_conversation_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_template, "_LONGEST_S", 0.3)
    render = opened_with(DEFAULT_TEMPLATE + "{% if 'slow' in messages[-1].content %}" + _ENDLESS + "{% endif %}")
    with watchdog.watching():
        with pytest.raises(BadInput, match=r"took more than 0.3 s"):
            render.template.text([Message("user", "slow")], render.template.offer([]), reply=True)
        assert "quick" in render.template.text([Message("user", "quick")], render.template.offer([]), reply=True)
