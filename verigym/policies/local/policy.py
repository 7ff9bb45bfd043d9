"""A policy that is a model in this process."""

import time
from pathlib import Path
from typing import Any

from verigym.core.protocols import Reply, Request
from verigym.core.records import Message, Turn, Usage
from verigym.model import lora
from verigym.model.load import Loaded, load
from verigym.policies.local.engine import Engine, Generation
from verigym.policies.render import Renderer, ids_so_far


class LocalPolicy:
    """`LocalPolicy.open("smollm2-135m")`. One model, at most one adapter on it at a time; `wear` changes the adapter."""

    def __init__(self, loaded: Loaded, *, agent: str = "", max_batch: int | None = None) -> None:
        self.model: Any = loaded.model
        self.base = loaded.name
        self.agent = agent or loaded.name
        """Agent version that its turns are signed with."""
        self.render = Renderer(loaded.tokenizer)
        more: Any = getattr(loaded.model.generation_config, "eos_token_id", None)
        self.render.stop_ids |= {id for id in (more if isinstance(more, list) else [more]) if id is not None}
        self.engine = Engine(
            loaded.model, stop_ids=self.render.stop_ids, decode=loaded.tokenizer.decode, max_batch=max_batch
        )

    @property
    def max_concurrency(self) -> int:
        """More episodes at once would only wait, on their own time."""
        return self.engine.max_batch

    @classmethod
    def open(cls, name: str, *, adapter: Path | None = None, device: str | None = None) -> "LocalPolicy":
        policy = cls(load(name, device=device))
        policy.wear(adapter, policy.agent)
        return policy

    def wear(self, adapter: Path | None, agent: str) -> None:
        """Puts on the adapter in a folder, or none, and signs as `agent` from now on."""
        self.engine.wait()
        if adapter is None:
            lora.detach(self.model)
        else:
            lora.load(self.model, adapter)
        self.changed(agent)

    def changed(self, agent: str) -> None:
        """The weights were changed in place: what was computed with the old ones is forgotten."""
        self.agent = agent
        self.engine.refresh()

    async def respond(self, request: Request) -> Reply:
        started = time.perf_counter()
        place = len(request.turns) - 1 if request.turns and request.turns[-1].completion_ids else None
        if place is None:
            context = gained = self.render.prompt(request.items, request.tools)
        else:
            before = request.turns[place]
            gained = self.render.gain(before, request.items[before.made[-1] + 1 :])
            context = ids_so_far(request.turns, place) + gained
        shared = self.render.shared(request.items, request.tools, context)
        done = await self.engine.generate(
            Generation(ids=context, shared=shared, sampling=request.sampling, seed=request.seed + len(request.turns))
        )
        turn = Turn(
            parent=place,
            context_ids=gained,
            completion_ids=done.ids,
            logprobs=done.logprobs,
            sampling=request.sampling,
            agent=self.agent,
            usage=Usage(len(context), len(done.ids)),
            latency_s=time.perf_counter() - started,
            finish=done.finish,
        )
        if done.finish == "context_full":
            return Reply(items=[Message("assistant", "")], turn=turn)
        return Reply(items=self.render.read(done.ids, request.tools, f"call_{len(request.turns)}"), turn=turn)
