"""One model call as the gateway saw it, and the fingerprints that identify calls of one conversation.

A client sends the whole conversation with each call, but often changes it: content as parts or as text, without reasoning,
other spaces in arguments. A fingerprint covers what stays: roles, text, and calls with their ids. It uses a key, because
it covers text that is not redacted: without the key, others cannot guess a number or address by trying values.
"""

import hashlib
from collections.abc import Iterable

import msgspec

from verigym.core.records import FunctionCall, FunctionCallOutput, Image, Item, Json, Message, Refusal
from verigym.traces.formats.trace import ModelCall


class Exchange(ModelCall, frozen=True, kw_only=True):
    """A request and its reply. With `previous`, the context is only what was added."""

    conversation: str = ""
    """The conversation's id, if the client sent one. Otherwise calls are joined by `previous` or by how they begin."""
    previous: str = ""
    """Id of the response that this request continues (`previous_response_id`)."""
    response: str = ""
    """Id of the response, if a later request may name it as `previous`."""
    owner: str = ""
    """Hash of the API key that sent it. Empty if the server needs no key. Ids of conversations, responses and users belong to
    their owner: another owner's are others."""
    user: str = ""
    """Who sent it, if known (`user` of the request, a hash of the key). Calls of different users are never joined by how
    they begin."""
    agent_system: bool = False
    """Whether the first item is the agent's system prompt, which a promotion may change during a conversation."""
    cost: float = 0.0
    """US dollars, if prices are known."""
    metadata: Json = {}
    """The client's metadata. Stored in the trajectory's end state."""
    began: float = 0.0
    """When the request arrived (`time.time()`). 0 for now."""


class Fingerprints:
    """Fingerprints of a conversation's prefixes: `chain([a, b, c])` gives those of `[a]`, `[a, b]` and `[a, b, c]`."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def of(self, *texts: str) -> bytes:
        return self._digest(b"", texts)

    def owner(self, owner: str) -> bytes:
        """The fingerprint of an owner. Empty without one."""
        return self.of("owner", owner) if owner else b""

    def id(self, kind: str, id: str, owner: bytes) -> bytes:
        """The fingerprint of an owner's id of a conversation or response."""
        return self.of(kind, owner.hex(), id) if owner else self.of(kind, id)

    def start(self, exchange: Exchange) -> bytes:
        """The start of a request's chain. It differs by owner, by user and by tools."""
        names = sorted(tool.name for tool in exchange.tools)
        owner = self.owner(exchange.owner)
        return self.of(owner.hex(), exchange.user, *names) if owner else self.of(exchange.user, *names)

    def request(self, exchange: Exchange) -> list[bytes]:
        """The chain of a request, without the agent's own system prompt."""
        start, items = self.start(exchange), exchange.context
        if exchange.agent_system and items and is_system(items[0]):
            return [start, *self.chain(items[1:], start)]
        return self.chain(items, start)

    def chain(self, items: Iterable[Item], start: bytes) -> list[bytes]:
        """One fingerprint per item. Items that clients may omit (reasoning, empty messages) do not change it."""
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
    """Approximate bytes in memory."""
    if isinstance(item, Message):
        return 300 + len(item.content if isinstance(item.content, str) else item.text)
    if isinstance(item, FunctionCall):
        return 300 + len(item.arguments)
    if isinstance(item, FunctionCallOutput):
        return 300 + len(item.output)
    return 500 + sum(len(part.text) for part in [*item.summary, *(item.content or [])])


def _gist(item: Item) -> tuple[str, ...] | None:
    """The part of an item that stays when a client sends it back. None if the client may omit it."""
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
    """Arguments as JSON with normalized spaces and key order, which clients change."""
    try:
        return msgspec.json.encode(msgspec.json.decode(arguments), order="sorted").decode()
    except (ValueError, RecursionError):
        return arguments.strip()
