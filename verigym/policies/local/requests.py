"""A request to the engine as a row of a batch, while it is in progress."""

import asyncio
import functools
import random
from collections.abc import Callable
from collections.abc import Set as AbstractSet

from verigym.core.generation import Completion, Generation


class Row:
    """A request in progress. A decoder computes its tokens, and the engine appends them."""

    def __init__(
        self,
        request: Generation,
        future: asyncio.Future[Completion],
        window: int = 1 << 30,
        begun: Callable[[], None] = lambda: None,
        stop_ids: AbstractSet[int] = frozenset(),
    ) -> None:
        self.request = request
        self.stop_ids = stop_ids if request.stop_ids <= stop_ids else request.stop_ids | stop_ids
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
