"""What an engine is asked for and what it returns: token ids in, token ids and logprobs out.

Nothing here knows text, tools or chat templates. `policies/render.py` makes the ids and reads them.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Literal

from msgspec import Struct

from verigym.core.records import Sampling

_known: dict[int, int] = {}


def one_object_each(ids: Sequence[int]) -> list[int]:
    """The same ids, with one object in memory for each token. An integer takes 32 bytes, and thousands of episodes that wait
    for a reply hold the same tokens."""
    return list(map(_known.setdefault, ids, ids))


class Generation(Struct, frozen=True, kw_only=True):
    """One request to an engine."""

    ids: list[int]
    """The whole prompt."""
    shared: int = 0
    """Number of leading ids that other requests share."""
    root: int = 0
    """Number of leading ids of the episode's first prompt. Episodes of one group share these ids."""
    sampling: Sampling = Sampling()
    seed: int = 0
    version: str = ""
    """The version to sample from: a name that `Engine.load` was given, or empty for the weights that the engine began with."""
    stop_ids: AbstractSet[int] = frozenset()
    """Tokens that end the reply, besides those that the engine knows."""
    matcher: Any = None
    """Returns which tokens may come next with `allowed(vocabulary)`, and is notified of the sampled one with `took(id)`. Only
    the engine in this process uses it."""
    on_tokens: Callable[[list[int]], None] | None = None
    """Called with the tokens as they are sampled, on the thread of the caller. An engine that does not stream calls it once."""


class Completion(Struct, frozen=True):
    """The reply of an engine."""

    ids: list[int]
    """The sampled tokens, including the end token if there is one."""
    logprobs: list[float]
    """Logprobs at the sampling temperature (1 if greedy), over the whole distribution. Empty if the engine does not know them."""
    finish: Literal["stop", "length", "context_full"]
    restricted: list[float] = []
    """Logprobs after truncation and constraint. Empty without either."""
    version: str = ""
    """The version that sampled the tokens."""


class EngineLoad(Struct, frozen=True, kw_only=True):
    """How busy an engine is."""

    running: int = 0
    """Requests that are being sampled."""
    waiting: int = 0
    """Requests that wait for a slot."""
    cache_used: float = 0.0
    """Share of the cache for keys and values that is in use, from 0 to 1."""
