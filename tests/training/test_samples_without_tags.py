"""Conversations with several replies for a model that never learnt the tags of its calls."""

from tests.policies.templates import tokenizer
from tests.policies.test_render_families import ADD, CALL, FIRST, said
from verigym.core.records import Example, FunctionCallOutput, Item
from verigym.policies.render import Renderer
from verigym.training.samples import example_samples

ITEMS: list[Item] = [*FIRST, CALL, FunctionCallOutput(CALL.call_id, "added"), CALL,
                     FunctionCallOutput(CALL.call_id, "added"), said("Done.")]  # fmt: skip
MADE = [(len(FIRST) + index, len(FIRST) + index + 1) for index in (0, 2, 4)]


def test_later_replies_are_trained_on_after_calls_without_tags() -> None:
    render = Renderer(tokenizer("qwen2"), set)
    [sample] = example_samples(render, Example(task="t", items=ITEMS, made=MADE, tools=[ADD]))
    after = render.decode(sample.ids[len(render.prompt([*FIRST], [ADD])) :])
    call = '{"name": "shop-add", "arguments": {"item": "tea"}}<|im_end|>'
    assert "<tool_call>" not in after and after.count(call) == 2
    trained = render.decode([id for id, own in zip(sample.ids, sample.mask, strict=True) if own])
    assert trained == f"{call}{call}Done.<|im_end|>"


def test_a_context_with_calls_without_tags_is_that_of_the_template_around_them() -> None:
    bare, tagged = (
        example_samples(render, Example(task="t", items=ITEMS, made=MADE, tools=[ADD]))[0]
        for render in (Renderer(tokenizer("qwen2"), set), Renderer(tokenizer("qwen2")))
    )
    decode = Renderer(tokenizer("qwen2")).decode
    start = len(Renderer(tokenizer("qwen2")).prompt([*FIRST], [ADD]))
    plain = decode(tagged.ids[start:]).replace("<tool_call>\n", "").replace("\n</tool_call>", "")
    assert decode(bare.ids[start:]) == plain
