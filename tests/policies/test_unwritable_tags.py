"""Demonstrations for models that never learnt the tokens around a call, such as Qwen2.5-Coder."""

import pytest

from tests.policies.templates import tokenizer
from tests.policies.test_render_families import ADD, CALL, FIRST, NATIVE, RENDERS, said
from verigym.core.records import FunctionCallOutput, Item
from verigym.policies.render import Renderer

BARE_CALL = '{"name": "shop-add", "arguments": {"item": "tea"}}<|im_end|>'
CALLED: list[Item] = [*FIRST, CALL, FunctionCallOutput(CALL.call_id, "added")]


def test_a_demonstration_has_no_tags_that_the_model_cannot_write():
    render = Renderer(tokenizer("qwen2"), set)
    ids = render.completion([CALL], FIRST, [ADD])
    assert render.decode(ids) == BARE_CALL
    assert render.read(ids, [ADD], "c") == [CALL]


def test_a_demonstration_keeps_the_tags_if_words_stand_beside_the_call():
    render = Renderer(tokenizer("qwen2"), set)
    ids = render.completion([said("I add it."), CALL], FIRST, [ADD])
    assert "<tool_call>" in render.decode(ids)
    assert render.read(ids, [ADD], "c") == [said("I add it."), CALL]


@pytest.mark.parametrize("family", NATIVE)
def test_a_demonstration_has_the_tags_that_the_model_learnt(family: str):
    render = Renderer(tokenizer(family), lambda ids: set())
    assert render.completion([CALL], FIRST, [ADD]) == RENDERS[family].completion([CALL], FIRST, [ADD])


def test_earlier_calls_of_a_prompt_are_as_the_model_writes_them():
    render = Renderer(tokenizer("qwen2"), set)
    first = [*render.prompt([*FIRST], [ADD]), *render.completion([CALL], FIRST, [ADD])]
    ids = render.prompt(CALLED, [ADD])
    assert ids[: len(first)] == first
    assert "<tool_call>" not in render.decode(ids[len(render.prompt([*FIRST], [ADD])) :])
    tagged = RENDERS["qwen2"].decode(RENDERS["qwen2"].prompt(CALLED, [ADD]))
    call = BARE_CALL.removesuffix("<|im_end|>")
    assert render.decode(ids) == tagged.replace(f"<tool_call>\n{call}\n</tool_call>", call)


def test_an_earlier_call_beside_words_keeps_its_tags_in_a_prompt():
    render = Renderer(tokenizer("qwen2"), set)
    items = [*FIRST, said("I add it."), CALL, FunctionCallOutput(CALL.call_id, "added")]
    assert render.prompt(items, [ADD]) == RENDERS["qwen2"].prompt(items, [ADD])


@pytest.mark.parametrize("family", NATIVE)
def test_results_follow_earlier_calls_without_tags_in_every_family(family: str):
    render = Renderer(tokenizer(family), set)
    if render.can_write_tags:  # they are not tokens of their own
        assert render.prompt(CALLED, [ADD]) == RENDERS[family].prompt(CALLED, [ADD])
        return
    text = render.decode(render.prompt(CALLED, [ADD]))
    assert BARE_CALL.removesuffix("<|im_end|>") in text and "added" in text.partition('"tea"')[2]
