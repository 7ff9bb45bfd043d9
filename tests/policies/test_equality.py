"""Greedy tokens against transformers' `generate`, on 200 mixed prompts a model. Ties within rounding are counted, not hidden."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
import torch

from tests.model.families import VOCABULARY, family
from tests.policies.test_engine import reference, run
from verigym.core.generation import Generation
from verigym.core.records import Message, Sampling
from verigym.model.load import load
from verigym.policies.local.engine import LocalEngine
from verigym.policies.render import Renderer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
COUNT, NEW = 200, 20
TEXT = "the model says what 7 times 6 is, naïve façade 東京 🙂 {}[]() \n\t <|im_end|> def f(x): return x; ORDER #4711"
WORDS = TEXT.split(" ")
NAMES = ["llama", "qwen3", "gemma", "mistral", "qwen3 moe", "nemotron-h"]


def tie(model: Any, ids: list[int], ours: int, theirs: int) -> bool:
    """Whether a plain forward gives both tokens the same logit, up to rounding."""
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([ids])).logits[0, -1].float()
    return abs(float(logits[ours] - logits[theirs])) <= 1e-4 * float(logits.abs().max())


def ties(model: Any, asked: Sequence[Generation], stop: set[int]) -> int:
    """How many prompts went another way at a tie; fails where one did without."""
    found = 0
    for request, made in zip(asked, run(LocalEngine(model, stop_ids=stop), [*asked]), strict=True):
        wanted = reference(request.ids, model, NEW)
        if made.ids != wanted:
            place = next(i for i, (a, b) in enumerate(zip(made.ids, wanted, strict=False)) if a != b)
            assert tie(model, request.ids + wanted[:place], made.ids[place], wanted[place]), (request.ids, place)
            found += 1
    return found


def test_the_embedded_model() -> None:
    """Conversations with and without a system prompt, bare text, one word and many, unicode, code, special tokens typed."""
    loaded = load("smollm2-135m", device="cpu")
    render, draw = Renderer(loaded.tokenizer), random.Random(0)
    system = Message("system", "You answer in as few words as you can. " * 4)
    asked: list[Generation] = []
    for number in range(COUNT):
        text = " ".join(draw.choices(WORDS, k=draw.choice([1, 3, 10, 40, 150])))
        if number % 4 == 0:
            ids, shared = loaded.tokenizer.encode(text), 0
        else:
            items = [system, Message("user", text)] if number % 4 < 3 else [Message("user", text)]
            ids = render.prompt([*items], [])
            shared = render.shared([*items], [], ids)
        asked.append(Generation(ids=ids, shared=shared, sampling=Sampling(temperature=0.0, max_tokens=NEW)))
    found = ties(loaded.model, asked, {loaded.tokenizer.eos_token_id})
    print(f"{found} of {COUNT} went another way at a tie")
    assert found <= 2


@pytest.mark.parametrize("name", NAMES)
def test_a_tiny_random_model(name: str) -> None:
    draw = random.Random(1)
    head = [draw.randrange(3, VOCABULARY) for _ in range(20)]
    asked: list[Generation] = []
    for number in range(COUNT):
        own = [draw.randrange(3, VOCABULARY) for _ in range(draw.randrange(1, 60))]
        shared = 20 if number % 2 else 0
        ids = head[:shared] + own
        asked.append(Generation(ids=ids, shared=shared, sampling=Sampling(temperature=0.0, max_tokens=NEW)))
    found = ties(family(name), asked, {2})
    print(f"{found} of {COUNT} went another way at a tie")
    assert found <= 2
