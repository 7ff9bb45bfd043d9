"""One model call as a gateway saw it, and the fingerprints by which calls of one conversation are known.

A client sends the whole conversation with each call, and not quite as it was answered: content as parts or as text, reasoning
left out, arguments with other spaces. A fingerprint covers what stays: who spoke, the words, the calls with their ids. It is
keyed, since what it covers is not redacted: without the key nobody can try out which number or address stood there.
"""

import hashlib
from collections.abc import Iterable
from typing import Literal

import msgspec

from verigym.core.records import (
    Failure,
    FunctionCall,
    FunctionCallOutput,
    Image,
    Item,
    Json,
    Message,
    Refusal,
    Sampling,
    ToolSpec,
    Usage,
)


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """A request and its reply."""

    items: list[Item]
    """What the model was shown: the whole context, system message first; with `previous`, what was added to it."""
    reply: list[Item] = []
    """Empty where there was none."""
    tools: list[ToolSpec] = []
    sampling: Sampling = Sampling()
    conversation: str = ""
    """The conversation's id where the client gives one; else calls are joined by `previous`, or by what they begin with."""
    previous: str = ""
    """Id of the response that this request continues (`previous_response_id`)."""
    response: str = ""
    """Id of the response, where a later request may name it as `previous`."""
    user: str = ""
    """Who asks, where that is known (`user` of the request, a hash of the key): two people's calls are never joined by what
    they begin with."""
    agent_system: bool = False
    """The first item is the agent's own system prompt, not the client's: a promotion changes it amid a conversation."""
    agent: str = ""
    """Version that replied."""
    usage: Usage = Usage()
    latency_s: float = 0.0
    finish: Literal["stop", "length", "tool_calls", "context_full", "error"] = "stop"
    error: Failure | None = None
    context_ids: list[int] = []
    """All of the context, as the engine saw it; empty where the engine does not say."""
    completion_ids: list[int] = []
    logprobs: list[float] = []
    restricted: list[float] = []
    cost: float = 0.0
    """US dollars, where prices are known."""
    metadata: Json = {}
    """What the client says about the call; kept in the trajectory's end state."""
    began: float = 0.0
    """When the request came (`time.time()`); 0 for now."""


class Fingerprints:
    """Fingerprints of a conversation's beginnings: `chain([a, b, c])` is that of `[a]`, of `[a, b]` and of `[a, b, c]`."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def of(self, *texts: str) -> bytes:
        return self._digest(b"", texts)

    def start(self, exchange: Exchange) -> bytes:
        """Where the chain of a request begins: conversations of another user or with other tools are others."""
        return self.of(exchange.user, *sorted(tool.name for tool in exchange.tools))

    def request(self, exchange: Exchange) -> list[bytes]:
        """The chain of a request, in which the agent's own system prompt says nothing."""
        start, items = self.start(exchange), exchange.items
        if exchange.agent_system and items and is_system(items[0]):
            return [start, *self.chain(items[1:], start)]
        return self.chain(items, start)

    def chain(self, items: Iterable[Item], start: bytes) -> list[bytes]:
        """One for each item; what clients may leave out (reasoning, empty messages) leaves it as it was."""
        prints: list[bytes] = []
        last = start
        for item in items:
            gist = _gist(item)
            if gist is not None:
                last = self._digest(last, gist)
            prints.append(last)
        return prints

    def _digest(self, before: bytes, texts: Iterable[str]) -> bytes:
        body = "\0".join(texts).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(before + body, digest_size=16, key=self._key).digest()


def is_system(item: Item) -> bool:
    return isinstance(item, Message) and item.role in ("system", "developer")


def size_of(item: Item) -> int:
    """Bytes that it takes in memory, about."""
    if isinstance(item, Message):
        return 300 + len(item.content if isinstance(item.content, str) else item.text)
    if isinstance(item, FunctionCall):
        return 300 + len(item.arguments)
    if isinstance(item, FunctionCallOutput):
        return 300 + len(item.output)
    return 500 + sum(len(part.text) for part in [*item.summary, *(item.content or [])])


def _gist(item: Item) -> tuple[str, ...] | None:
    """What stays of an item when a client sends it back; none where nothing may."""
    if isinstance(item, Message):
        content = item.content
        text = (content if isinstance(content, str) else "".join(map(_part, content))).strip()
        return (item.role, text) if text else None
    if isinstance(item, FunctionCall):
        return "call", item.call_id, item.name, _plain(item.arguments)
    if isinstance(item, FunctionCallOutput):
        return "output", item.call_id, item.output.strip()
    return None


def _part(part: object) -> str:
    if isinstance(part, Image):
        return f"\x00image {part.sha256}"
    return part.refusal if isinstance(part, Refusal) else getattr(part, "text", "")


def _plain(arguments: str) -> str:
    """Arguments as JSON without the spaces and the order of keys that clients change."""
    try:
        return msgspec.json.encode(msgspec.json.decode(arguments), order="sorted").decode()
    except (ValueError, RecursionError):
        return arguments.strip()
