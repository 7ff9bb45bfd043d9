"""A policy that is a model in this process."""

import copy
import functools
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from verigym.core.protocols import Reply, Request
from verigym.core.records import Message, Turn, Usage
from verigym.core.seeds import derive
from verigym.model import lora, lora_files
from verigym.model.load import LoadedModel, load
from verigym.model.lora_layers import base_of
from verigym.model.nf4 import Quantized
from verigym.model.untrained import untrained_tokens
from verigym.policies.dialects import harmony, thinking
from verigym.policies.local.engine import Engine
from verigym.policies.local.requests import EngineReply, Generation
from verigym.policies.render import Renderer, ids_so_far

_THINKING = (harmony.MARK, *(tags.opening for tags in thinking.ALL))
"""What a reply that begins with thinking begins with."""
_BROKEN = "\ufffd"
"""The character that an incomplete character is decoded to."""


class LocalPolicy:
    """A policy on a local model: `LocalPolicy.open("smollm2-135m")`.

    The model has one adapter or none, and `load_adapter` changes it. `with_adapter` returns a second policy on
    the same model with another adapter.
    """

    version = ""
    """Version whose weights the engine samples with. Empty for the adapter that is loaded on the model."""

    def __init__(self, loaded: LoadedModel, *, agent: str = "", max_batch: int | None = None) -> None:
        self.model: Any = loaded.model
        self.base, self.quantized = loaded.name, loaded.quantized
        self.agent = agent or loaded.name
        """The version that is recorded in the turns."""
        self.render = Renderer(loaded.tokenizer, functools.partial(untrained_tokens, loaded.model))
        more: Any = getattr(loaded.model.generation_config, "eos_token_id", None)
        self.render.stop_ids |= {id for id in (more if isinstance(more, list) else [more]) if id is not None}
        self.engine = Engine(
            loaded.model, stop_ids=self.render.stop_ids, decode=self.render.decode, max_batch=max_batch
        )

    @property
    def max_concurrency(self) -> int:
        """Maximum useful number of concurrent episodes. More would only wait while their timeout runs."""
        return self.engine.max_batch

    @classmethod
    def open(
        cls, name: str, *, adapter: Path | None = None, device: str | None = None, quantized: Quantized = ""
    ) -> "LocalPolicy":
        policy = cls(load(name, device=device, quantized=quantized))
        policy.load_adapter(adapter, policy.agent)
        return policy

    def load_adapter(self, adapter: Path | None, agent: str) -> None:
        """Loads the adapter in a folder, or removes it, and names the policy `agent` from now on."""
        self.engine.wait()
        if adapter is None:
            lora.detach(self.model)
        else:
            lora_files.load(self.model, adapter)
        self.weights_changed(agent)

    def add_adapter(self, r: int = 16, alpha: int = 32, seed: int = 0) -> None:
        """Puts a new, untrained LoRA adapter on the model, for training."""
        self.engine.wait()
        lora.attach(self.model, lora.LoraConfig(r=r, alpha=alpha), seed)
        self.weights_changed(self.agent)

    def with_adapter(self, adapter: Path | None, agent: str) -> "LocalPolicy":
        """A second policy on the same model and engine with another adapter. Both answer at the same time."""
        bare = lora.LoraAdapter(lora.LoraConfig(), {})
        self.engine.adapters[agent] = bare if adapter is None else lora_files.read(self.model, adapter)
        other = copy.copy(self)
        other.agent = other.version = agent
        return other

    def weights_changed(self, agent: str) -> None:
        """Drops the cache of the old weights. Call this after changing the weights in place."""
        self.agent = agent
        self.engine.refresh()

    @functools.cached_property
    def _constraints(self) -> Any:
        from verigym.policies.local.constrain import Constraints

        return Constraints(self.render, base_of(self.model.get_output_embeddings()).weight.shape[0])

    def count_tokens(self, request: Request) -> int:
        """Number of tokens of the prompt."""
        return len(self.render.prompt(request.items, request.tools))

    async def respond(self, request: Request) -> Reply:
        return await self._respond(request, None)

    async def stream(self, request: Request, on_text: Callable[[str], None]) -> Reply:
        """Like `respond`, and calls `on_text` with the text of the reply while it is sampled. If tools are offered, it could be
        a call, so it is held back. Thinking is never passed on."""
        spoken = TextStream(self.render.decode, self.render.stop_ids, request.sampling.stop, on_text)
        return await self._respond(request, None if request.tools else spoken.add)

    async def _respond(self, request: Request, on_tokens: Callable[[list[int]], None] | None) -> Reply:
        started = time.perf_counter()
        parent = len(request.turns) - 1 if request.turns and request.turns[-1].completion_ids else None
        gained = None if parent is None else self.render.extend(request.items, request.tools, request.turns)
        rewritten = parent is not None and gained is None
        if parent is None or gained is None:
            parent = None
            context = gained = self.render.prompt(request.items, request.tools)
        else:
            context = ids_so_far(request.turns, parent) + gained
        shared = self.render.shared(request.items, request.tools, context)
        constrain = request.sampling.constrain
        done, forced = await self._generate(
            Generation(
                ids=context,
                shared=shared,
                sampling=request.sampling,
                seed=request.seed + len(request.turns),
                version=self.version,
                matcher=self._constraints.matcher(constrain, request.tools, request.items) if constrain else None,
                on_tokens=None if on_tokens is None or self.render.thinks(context) else on_tokens,
            )
        )
        turn = Turn(
            parent=parent,
            context_ids=gained,
            completion_ids=done.ids,
            logprobs=done.logprobs,
            restricted=done.restricted,
            forced=forced,
            rewritten=rewritten,
            sampling=request.sampling,
            agent=self.agent,
            usage=Usage(len(context), len(done.ids)),
            latency_s=time.perf_counter() - started,
            finish=done.finish,
        )
        if done.finish == "context_full":
            return Reply(items=[Message("assistant", "")], turn=turn)
        call_id = f"call_{len(request.turns)}"
        items = self.render.read(done.ids, request.tools, call_id, context, request.sampling.stop)
        return Reply(items=items, turn=turn)

    async def _generate(self, asked: Generation) -> tuple[EngineReply, list[tuple[int, int]]]:
        """The reply of the engine, and the ranges of its ids that the model did not sample.

        With a limit for reasoning, the engine stops at the limit. If the model still thinks there, the end of its thinking is
        written for it. Then the engine continues the same reply.
        """
        most, limit = asked.sampling.max_tokens, asked.sampling.reasoning_tokens
        if not limit or limit >= most:
            return await self.engine.generate(asked), []
        first = await self.engine.generate(replace(asked, sampling=replace(asked.sampling, max_tokens=limit)))
        if first.finish != "length":
            return first, []
        ending = self.render.end_of_thinking if self.render.still_thinks(first.ids, asked.ids) else []
        if asked.matcher is not None:
            for id in ending:
                asked.matcher.took(id)
        begun = first.ids + ending
        forced = [(len(first.ids), len(begun))] if ending else []
        left = most - len(begun)
        if left < 1:
            return first, []
        rest = await self.engine.generate(
            replace(
                asked,
                ids=asked.ids + begun,
                sampling=replace(asked.sampling, max_tokens=left),
                seed=derive(asked.seed, "after reasoning"),
            )
        )
        if rest.finish == "context_full":
            return first, []
        reply = EngineReply(
            begun + rest.ids,
            first.logprobs + [0.0] * len(ending) + rest.logprobs,
            rest.finish,
            first.restricted + [0.0] * len(ending) + rest.restricted if first.restricted else [],
        )
        return reply, forced


class TextStream:
    """Streams the text of a reply while it is sampled, in pieces that later tokens cannot change.

    It holds back incomplete characters, a possible beginning of a stop text, the end token, and thinking.
    """

    def __init__(
        self,
        decode: Callable[[list[int]], str],
        stop_ids: set[int],
        stops: Sequence[str],
        on_text: Callable[[str], None],
    ) -> None:
        self._decode, self._stop_ids, self._stops, self._on_text = decode, stop_ids, stops, on_text
        self._ids: list[int] = []
        self._start, self._read = 0, 0
        """Tokens from `start` to `read` are already in the text. They are decoded again with the next tokens, because the text of
        a token can depend on the token before it."""
        self._text = ""
        self._told = 0

    def add(self, ids: list[int]) -> None:
        self._ids += [id for id in ids if id not in self._stop_ids]
        known, now = self._decode(self._ids[self._start : self._read]), self._decode(self._ids[self._start :])
        if now.endswith(_BROKEN):
            return
        self._text += now[len(known) :]
        self._start, self._read = self._read, len(self._ids)
        sure = self._sure()
        if sure > self._told:
            self._on_text(self._text[self._told : sure])
            self._told = sure

    def _sure(self) -> int:
        """Length of the text that can no longer change."""
        begun = self._text.lstrip()
        if any(begun.startswith(tag) or tag.startswith(begun) for tag in _THINKING):
            return 0
        return min([len(self._text), *(_before(stop, self._text) for stop in self._stops)])


def _before(stop: str, text: str) -> int:
    """Index at which the stop text begins, or could begin at the end of the text."""
    index = text.find(stop)
    if index >= 0:
        return index
    tails = range(min(len(stop) - 1, len(text)), 0, -1)
    return len(text) - next((n for n in tails if stop.startswith(text[-n:])), 0)
