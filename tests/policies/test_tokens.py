"""A policy of a renderer and an engine: the same tokens whatever the engine is, and no torch."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec.structs import replace

from tests.policies.test_local import Desk, episode
from tests.tiny import tiny
from verigym.core.errors import BadInput
from verigym.core.generation import Completion, Generation
from verigym.core.protocols import Policy, Request
from verigym.core.records import Message, Sampling, Trajectory
from verigym.model import lora_files
from verigym.policies.engines.fake import FakeEngine
from verigym.policies.local.policy import LocalPolicy
from verigym.policies.render import ids_so_far
from verigym.policies.tokens import TokenPolicy

HELLO = Request(items=[Message("user", "Hello")], sampling=Sampling(max_tokens=8))


class Recorder:
    """An engine that remembers its requests and lets another engine answer them."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.max_batch = inner, inner.max_batch
        self.requests: list[Generation] = []

    async def generate(self, request: Generation) -> Completion:
        self.requests.append(request)
        return await self.inner.generate(request)


def without_latency(made: Trajectory) -> list[Any]:
    return [replace(turn, latency_s=0.0) for turn in made.turns]


def test_the_model_in_this_process_is_one_of_the_engines() -> None:
    local = LocalPolicy(tiny(), agent="a")
    policy = TokenPolicy(tiny().tokenizer, local.engine, agent="a")
    assert isinstance(policy, Policy) and policy.max_concurrency == local.engine.max_batch
    made, again = episode(policy, Desk), episode(local, Desk)
    assert made.items == again.items and without_latency(made) == without_latency(again)
    assert len(made.turns) == 2 and made.turns[1].parent == 0


def test_an_engine_gets_exactly_the_ids_of_the_turns() -> None:
    engine: Any = Recorder(FakeEngine(vocabulary=200))
    made = episode(TokenPolicy(tiny().tokenizer, engine, agent="fake"), Desk)
    first, second = engine.requests
    assert first.ids == made.turns[0].context_ids
    assert second.ids == ids_so_far(made.turns, 0) + made.turns[1].context_ids
    assert first.root == second.root == len(first.ids)
    assert second.seed == first.seed + 1
    assert [turn.completion_ids for turn in made.turns] == [reply_of(engine, one).ids for one in engine.requests]


def reply_of(engine: Recorder, request: Generation) -> Completion:
    return asyncio.run(engine.inner.generate(request))


def test_two_versions_of_one_engine_answer_side_by_side(tmp_path: Path) -> None:
    async def run() -> None:
        engine = FakeEngine()
        base = TokenPolicy(tiny().tokenizer, engine, agent="base")
        other = base.with_version("run@1", "agent-1")
        await engine.load("run@1", tmp_path)
        first, second = await asyncio.gather(base.respond(HELLO), other.respond(HELLO))
        assert (first.turn.agent, second.turn.agent, base.agent) == ("base", "agent-1", "base")
        assert first.turn.context_ids == second.turn.context_ids
        assert first.turn.completion_ids != second.turn.completion_ids

    asyncio.run(run())


def test_a_constraint_is_refused_if_the_engine_cannot_apply_it() -> None:
    policy = TokenPolicy(tiny().tokenizer, FakeEngine(), agent="far")
    with pytest.raises(BadInput, match="Agent far samples on a server, which does not constrain replies"):
        asyncio.run(policy.respond(replace(HELLO, sampling=Sampling(constrain="{}"))))


def test_a_full_context_is_the_models_failure() -> None:
    reply = asyncio.run(TokenPolicy(tiny().tokenizer, FakeEngine(window=2), agent="a").respond(HELLO))
    assert reply.turn.finish == "context_full" and reply.items == [Message("assistant", "")]


def test_a_stop_id_of_a_request_ends_a_reply_of_the_local_engine() -> None:
    engine = LocalPolicy(tiny()).engine
    request = Generation(ids=[5, 6, 7], sampling=Sampling(max_tokens=6, temperature=0.0))
    whole = asyncio.run(engine.generate(request))
    cut = asyncio.run(engine.generate(replace(request, stop_ids={whole.ids[1]})))
    assert cut.finish == "stop" and cut.ids == whole.ids[: whole.ids.index(whole.ids[1]) + 1]


def test_the_local_engine_loads_and_forgets_versions(tmp_path: Path) -> None:
    trained = LocalPolicy(tiny())
    trained.add_adapter(r=4)
    for number, parameter in enumerate(p for p in trained.model.parameters() if p.requires_grad):
        parameter.data.normal_(std=0.3, generator=torch.Generator().manual_seed(number))
    lora_files.save(trained.model, tmp_path, "tiny")

    async def run() -> None:
        engine = LocalPolicy(tiny()).engine
        request = Generation(ids=[5, 6, 7], sampling=Sampling(max_tokens=12, temperature=0.0))
        bare = await engine.generate(request)
        await engine.load("v1", tmp_path)
        await engine.load("v1", tmp_path / "not read, because v1 is loaded")
        running = asyncio.create_task(engine.generate(replace(request, version="v1")))
        await asyncio.sleep(0)
        await engine.forget("v1")
        assert running.done() and running.result().version == "v1" and running.result().ids != bare.ids
        with pytest.raises(Exception, match='There is no loaded version "v1"'):
            await engine.generate(replace(request, version="v1"))
        await engine.forget("v1")
        assert await engine.alive() and (await engine.generate(request)).ids == bare.ids

    asyncio.run(run())


def test_neither_the_policy_nor_the_engines_load_torch() -> None:
    code = (
        "import sys, verigym.policies.tokens, verigym.policies.engines.fake, verigym.core.protocols\n"
        "assert not {'torch', 'transformers', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
