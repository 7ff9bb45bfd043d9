"""A policy of two parts: a renderer that makes token ids of conversations, and an engine that samples from them.

The ids of every engine are therefore the same: no server applies a chat template, and nothing that was sampled is tokenised
again. The engine may be the model in this process, a server, or many servers. This file loads neither torch nor a tokenizer.
"""

import copy
import time
from collections.abc import Callable, Sequence
from types import CoroutineType
from typing import Any, Self

from msgspec.structs import replace

from verigym.core.errors import BadInput
from verigym.core.generation import Completion, Generation
from verigym.core.protocols import Engine, Reply, Request
from verigym.core.records import Item, Message, ToolSpec, Turn, Usage
from verigym.core.seeds import derive
from verigym.policies.dialects import harmony, thinking
from verigym.policies.render import Renderer, ids_so_far

_THINKING = (harmony.MARK, *(tags.opening for tags in thinking.ALL))
"""What a reply that begins with thinking begins with."""
_BROKEN = "\ufffd"
"""The character that an incomplete character is decoded to."""

MakeMatcher = Callable[[str, list[ToolSpec], Sequence[Item]], Any]
"""Makes the matcher of a reply: from `Sampling.constrain`, the offered tools, and the items that the model read."""


class TokenPolicy:
    """A policy on an engine: `TokenPolicy(tokenizer, engine, agent="qwen")`.

    `tokenizer` is that of the engine's model, from transformers. `version` names the adapter that the engine samples from. It
    is empty for the weights that the engine began with.
    """

    version = ""

    def __init__(
        self,
        tokenizer: Any,
        engine: Engine,
        *,
        agent: str,
        version: str = "",
        render: Renderer | None = None,
        matcher: MakeMatcher | None = None,
    ) -> None:
        self.render = render or Renderer(tokenizer)
        self.engine: Any = engine
        self.agent = agent
        """The version that is recorded in the turns."""
        self.version = version
        self._matcher = matcher

    @property
    def max_concurrency(self) -> int:
        """Maximum useful number of concurrent episodes. More would only wait while their timeout runs."""
        return self.engine.max_batch

    def with_version(self, version: str, agent: str) -> Self:
        """A second policy on the same engine that samples from another version. Both answer at the same time."""
        other = copy.copy(self)
        other.version, other.agent = version, agent
        return other

    def count_tokens(self, request: Request) -> int:
        """Number of tokens of the prompt."""
        return len(self.render.prompt(request.items, request.tools))

    def respond(self, request: Request) -> "CoroutineType[Any, Any, Reply]":
        return self._respond(request, None)  # not `async`: a request that waits needs one frame less

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
            root = len(context)
        else:
            context = ids_so_far(request.turns, parent) + gained
            root = next(len(turn.context_ids) for turn in reversed(request.turns) if turn.parent is None)
        shared = self.render.shared(request.items, request.tools, context)
        asked = Generation(
            ids=context,
            shared=shared,
            root=root,
            sampling=request.sampling,
            seed=request.seed + len(request.turns),
            version=self.version,
            stop_ids=self.render.stop_ids,
            matcher=self._matcher_of(request) if request.sampling.constrain else None,
            on_tokens=None if on_tokens is None or self.render.thinks(context) else on_tokens,
        )
        if request.sampling.weights and not hasattr(self.engine, "check_weights"):
            raise BadInput(
                f"Weights in {request.sampling.weights} are for the engine in this process. Remove the setting"
            )
        forced: list[tuple[int, int]] = []
        if 0 < request.sampling.reasoning_tokens < request.sampling.max_tokens:
            done, forced = await self._generate_with_limit(asked)
        else:
            done = await self.engine.generate(asked)
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

    def _matcher_of(self, request: Request) -> Any:
        if self._matcher is None:
            raise BadInput(
                f"Agent {self.agent} samples on a server, which does not constrain replies. Remove the constraint, or use a "
                "model in this process"
            )
        return self._matcher(request.sampling.constrain, request.tools, request.items)

    async def _generate_with_limit(self, asked: Generation) -> tuple[Completion, list[tuple[int, int]]]:
        """The reply of the engine, and the ranges of its ids that the model did not sample.

        The engine stops at the limit for reasoning. If the model still thinks there, the end of its thinking is written for it.
        Then the engine continues the same reply.
        """
        most, limit = asked.sampling.max_tokens, asked.sampling.reasoning_tokens
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
        zeros = [0.0] * len(ending)
        reply = Completion(
            begun + rest.ids,
            first.logprobs + zeros + rest.logprobs if first.logprobs else [],
            rest.finish,
            first.restricted + zeros + rest.restricted if first.restricted else [],
            rest.version,
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
