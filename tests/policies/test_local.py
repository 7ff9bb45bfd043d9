"""A model in this process as a policy: its turns carry the ids that become samples."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec.structs import replace

from tests.rollout.shop import ADD, AGENT, Shop, spec
from tests.tiny import tiny
from verigym.core.protocols import Policy, Request
from verigym.core.records import FunctionCallOutput, Item, Message, Sampling, Stop, Task, Trajectory
from verigym.model import lora, lora_files
from verigym.policies.local.policy import LocalPolicy
from verigym.policies.render import ids_so_far
from verigym.rollout.episode import run_episode
from verigym.rollout.settings import RunSettings
from verigym.training.samples import from_trajectory

TASK = Task(id="t", prompt="buy tea")


class Desk(Shop):
    """Answers every reply of the model, so that there are two turns whatever it says."""

    async def step(self, reply: str) -> tuple[str, float, bool]:
        return f"you said {len(reply)} letters", 0.5, False


def episode(policy: Any, environment: Any, *, seed: int = 3, max_tokens: int = 10, turns: int = 2) -> Trajectory:
    settings = RunSettings(sampling=Sampling(temperature=1.0, max_tokens=max_tokens), seed=seed)
    run = run_episode(spec(environment, turns), TASK, policy, settings, agent=AGENT, id="i", group="g")
    return asyncio.run(run)


class Writing(LocalPolicy):
    """The model's turn, but its first completion is the one it is told to write: a random model calls no tool."""

    text = ADD

    async def respond(self, request: Request) -> Any:
        reply = await super().respond(request)
        if request.turns:
            return reply
        ids = [*self.render.tokenizer.encode(self.text, add_special_tokens=False), self.render.tokenizer.eos_token_id]
        turn = replace(reply.turn, completion_ids=ids, logprobs=[-0.5] * len(ids), finish="stop")
        return replace(reply, items=self.render.read(ids, request.tools, "call_0"), turn=turn)


THINKING = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' }}{% if loop.last %}{{ message['content'] }}"
    "{% else %}{{ message['content'].split('</think>')[-1].strip() }}{% endif %}{{ '<|end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
"""Drops the thinking of every reply that is not the last."""


class Thinking(Writing):
    text = "<think>Tea, then.</think>" + ADD


def check_sample(made: Trajectory) -> None:
    (sample,) = from_trajectory(made, advantage=0.5)
    assert len(sample.ids) == len(sample.mask) == len(sample.logprobs)
    assert sample.ids == ids_so_far(made.turns, 1)
    place = 0
    for turn in made.turns:
        place += len(turn.context_ids)
        assert sample.mask[place - len(turn.context_ids) : place] == [0] * len(turn.context_ids)
        end = place + len(turn.completion_ids)
        assert sample.ids[place:end] == turn.completion_ids
        assert sample.mask[place:end] == [1] * len(turn.completion_ids)
        assert sample.logprobs[place:end] == turn.logprobs
        place = end
    assert place == len(sample.ids)


def test_it_is_a_policy() -> None:
    assert isinstance(LocalPolicy(tiny()), Policy)


def test_the_mask_covers_exactly_what_was_sampled_over_a_call_and_its_result() -> None:
    made = episode(Writing(tiny()), Shop)
    assert made.items[4] == FunctionCallOutput("call_0", "2 tea")
    assert [turn.parent for turn in made.turns] == [None, 0]
    check_sample(made)
    text = tiny().tokenizer.decode(made.turns[1].context_ids)
    assert text == "\n<|user|>2 tea<|end|>\n<|assistant|>"


@pytest.mark.parametrize("seed", range(4))
def test_the_mask_covers_exactly_what_was_sampled_over_an_observation(seed: int) -> None:
    made = episode(LocalPolicy(tiny()), Desk, seed=seed)
    assert len(made.turns) == 2 and made.error is None
    check_sample(made)


def test_a_context_that_the_template_rewrote_is_a_root_and_a_sample_of_its_own() -> None:
    loaded = tiny()
    loaded.tokenizer.chat_template = THINKING
    made = episode(Thinking(loaded), Shop)
    assert [type(item).__name__ for item in made.items[2:5]] == ["Reasoning", "Message", "FunctionCall"]
    first, second = made.turns
    assert (first.parent, first.rewritten, second.parent, second.rewritten) == (None, False, None, True)
    text = loaded.tokenizer.decode(second.context_ids)
    assert text.endswith(f"<|assistant|>{ADD}<|end|>\n<|user|>2 tea<|end|>\n<|assistant|>") and "think" not in text
    samples = from_trajectory(made, 1.0)
    assert [sample.ids for sample in samples] == [turn.context_ids + turn.completion_ids for turn in made.turns]


class Ending(LocalPolicy):
    """The model's turn, cut short, so that it is over."""

    async def respond(self, request: Request) -> Any:
        reply = await super().respond(request)
        ids = [*reply.turn.completion_ids[:3], self.render.end_id]
        turn = replace(reply.turn, completion_ids=ids, logprobs=[-0.5] * len(ids), finish="stop")
        return replace(reply, items=self.render.read(ids, [], ""), turn=turn)


class Chatty(Shop):
    """Its user has a turn of their own after each reply."""

    def user(self, reply: str) -> str:
        return "go on"


def test_a_conversation_with_a_user_grows_turn_by_turn() -> None:
    made = episode(Ending(tiny()), Chatty, turns=5)
    own = [place for place, turn in enumerate(made.turns) if turn.actor == "policy"]
    assert own == [0, 2, 4, 6, 8] and [made.turns[place].parent for place in own] == [None, 0, 2, 4, 6]
    (sample,) = from_trajectory(made, 1.0)
    turns = [made.turns[place] for place in own]
    assert sample.ids == [id for turn in turns for id in turn.context_ids + turn.completion_ids]
    assert made.turns[8].usage.prompt_tokens == len(sample.ids) - len(made.turns[8].completion_ids)


def test_the_logprobs_of_a_sample_are_the_models_own() -> None:
    loaded = tiny()
    (sample,) = from_trajectory(episode(LocalPolicy(loaded), Desk), 1.0)
    with torch.no_grad():
        table = torch.log_softmax(loaded.model(input_ids=torch.tensor([sample.ids])).logits[0], -1)
    for t, (token, ours) in enumerate(zip(sample.ids, sample.mask, strict=True)):
        assert sample.logprobs[t] == (pytest.approx(float(table[t - 1, token]), abs=1e-4) if ours else 0.0)


def test_a_turn_says_what_it_used_and_who_replied() -> None:
    policy = LocalPolicy(tiny(), agent="agent-7")
    first, second = episode(policy, Desk).turns
    assert (first.agent, second.agent) == ("agent-7", "agent-7")
    assert first.usage.prompt_tokens == len(first.context_ids)
    assert second.usage.prompt_tokens == len(first.context_ids + first.completion_ids + second.context_ids)
    assert second.usage.completion_tokens == len(second.completion_ids) <= 10
    assert second.sampling.max_tokens == 10


def test_the_same_seed_is_the_same_reply_and_another_seed_another() -> None:
    loaded = tiny()

    async def ask(seed: int) -> list[int]:
        request = Request(items=[Message("user", "hi")], sampling=Sampling(max_tokens=10), seed=seed)
        reply = await LocalPolicy(loaded).respond(request)
        return reply.turn.completion_ids

    assert asyncio.run(ask(1)) == asyncio.run(ask(1)) != asyncio.run(ask(2))


def test_the_text_that_stops_a_reply_is_in_its_ids_and_not_in_its_words() -> None:
    policy = LocalPolicy(tiny())
    free = Request(
        items=[Message("user", "hello")], tools=[], sampling=Sampling(temperature=0.0, max_tokens=12), seed=0
    )
    whole = asyncio.run(policy.respond(free))
    said = whole.items[0]
    assert isinstance(said, Message) and len(said.text) > 6
    stop = said.text[3:5]
    stopping = replace(free, sampling=Sampling(temperature=0.0, max_tokens=12, stop=["never said", stop]))
    cut = asyncio.run(policy.respond(stopping))
    assert cut.items == [Message("assistant", said.text.partition(stop)[0])]
    assert cut.turn.finish == "stop"
    assert policy.render.decode(cut.turn.completion_ids).endswith(stop)


def test_an_episode_that_fills_the_window_ends_and_what_was_sampled_before_is_still_trained_on() -> None:
    items: list[Item] = [Message("system", Shop.system), Message("user", "buy tea")]
    prompt = len(LocalPolicy(tiny()).render.prompt(items, spec(Desk).tools))
    policy = LocalPolicy(tiny(window=prompt + 20))
    made = episode(policy, Desk, max_tokens=5)
    assert (made.stop, made.turns[-1].finish, made.turns[-1].completion_ids) == (Stop.CONTEXT_FULL, "context_full", [])
    (sample,) = from_trajectory(made, 1.0)
    assert sample.ids == made.turns[0].context_ids + made.turns[0].completion_ids


def test_another_adapter_is_worn_and_taken_off(tmp_path: Path) -> None:
    loaded = tiny()
    lora.attach(loaded.model, lora.LoraConfig(r=4))
    with torch.no_grad():
        for parameter in lora.parameters(loaded.model):
            parameter.normal_(std=0.2, generator=torch.Generator().manual_seed(0))
    lora_files.save(loaded.model, tmp_path, "tiny")
    policy = LocalPolicy(tiny())
    bare = episode(policy, Desk)
    policy.load_adapter(tmp_path, "trained")
    trained = episode(policy, Desk)
    policy.load_adapter(None, "tiny")
    again = episode(policy, Desk)
    assert trained.turns[0].completion_ids != bare.turns[0].completion_ids
    assert [turn.completion_ids for turn in again.turns] == [turn.completion_ids for turn in bare.turns]
    assert (trained.turns[0].agent, again.turns[0].agent) == ("trained", "tiny")
