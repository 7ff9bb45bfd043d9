"""Demonstrations for models that never learnt the tokens around a call, such as Qwen2.5-Coder."""

import pytest

from tests.policies.templates import tokenizer
from tests.policies.test_render_families import ADD, CALL, FIRST, NATIVE, RENDERS, said
from verigym.policies.render import Renderer


def test_a_demonstration_has_no_tags_that_the_model_cannot_write():
    render = Renderer(tokenizer("qwen2"), set)
    ids = render.completion([CALL], FIRST, [ADD])
    assert render.decode(ids) == '{"name": "shop-add", "arguments": {"item": "tea"}}<|im_end|>'
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
