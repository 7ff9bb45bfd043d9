"""A request to the engine, its reply, and its row in a batch while it is in progress."""

import asyncio
import functools
import random
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from verigym.core.records import Sampling


class Generation(msgspec.Struct, frozen=True, kw_only=True):
    ids: list[int]
    """The whole prompt."""
    shared: int = 0
    """Number of leading ids that other requests share."""
    sampling: Sampling = Sampling()
    seed: int = 0
    version: str = ""
    """The adapter to use: a key of `Engine.adapters`, or empty for the adapter on the model."""
    matcher: Any = None
    """Returns which tokens may come next with `allowed(vocabulary)`, and is notified of the sampled one with `took(id)`."""
    on_tokens: Callable[[list[int]], None] | None = None
    """Called with the tokens as they are sampled, on the thread of the caller."""


class EngineReply(msgspec.Struct, frozen=True):
    ids: list[int]
    """The sampled tokens, including the end token if there is one."""
    logprobs: list[float]
    """Logprobs at the sampling temperature (1 if greedy), over the whole distribution."""
    finish: Literal["stop", "length", "context_full"]
    restricted: list[float] = []
    """Logprobs after truncation and constraint. Empty without either."""


class Row:
    """A request in progress. A decoder computes its tokens, and the engine appends them."""

    def __init__(
        self,
        request: Generation,
        future: asyncio.Future[EngineReply],
        window: int = 1 << 30,
        begun: Callable[[], None] = lambda: None,
    ) -> None:
        self.request = request
        self.begun = begun
        """Called on the thread of the caller when the request no longer waits for others: it has its first token."""
        self.future = future
        self.ids: list[int] = []
        self.logprobs: list[float] = []
        self.restricted: list[float] = []
        self.prefix = tuple(request.ids[: min(request.shared, len(request.ids) - 1)])
        """The shared ids. At least one id of the prompt is not shared."""
        self.seed = request.seed & (2**63 - 1)
        self.most = min(request.sampling.max_tokens, window - len(request.ids))
        """Maximum tokens to sample."""
        self.watched = request.matcher is not None or bool(request.sampling.stop)
        """Whether each token must be inspected before the next step."""

    @functools.cached_property
    def random(self) -> random.Random:
        """The random number generator of this row."""
        return random.Random(self.request.seed)

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop of the caller."""
        return self.future.get_loop()

    @property
    def context(self) -> list[int]:
        """The ids to compute before the next token. After an interruption, they include the sampled ones."""
        return self.request.ids + self.ids if self.ids else self.request.ids

    @property
    def left(self) -> int:
        """Remaining tokens to sample."""
        return self.most - len(self.ids)
