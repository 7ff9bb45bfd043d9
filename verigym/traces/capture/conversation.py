"""A conversation that grows: each exchange adds its new items to the log and one turn to the tree of turns.

    [s u1] -> a1, [s u1 a1 u2] -> a2     items s u1 a1 u2 a2, turns 0 <- 1
    [s u1 a1 u2] again -> b2             turn 2, beside turn 1, marked as a retry
    [s u1 a1 u3] -> a3                   turn 3, from turn 0 on: a branch
    [s u1 x1 u2] -> c2                   turn 4, a root: its past was edited

Items stay original in memory and are redacted when they are written. Items that came back from the store are already redacted,
until the client sends them again.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import msgspec

from verigym.core.records import Failure, Item, Json, Mark, ToolSpec, Trajectory, Turn
from verigym.traces.capture.exchange import Exchange, Fingerprints, is_system, size_of
from verigym.traces.formats.trace import ids_until, marks_of, ranges, stop_of
from verigym.traces.redaction import without_ids

T = TypeVar("T")
_LONGEST = 16_000_000
"""Maximum bytes of one conversation. Later exchanges are not stored."""
_TURN, _ID = 1000, 40
"""Approximate bytes of a turn, and of a token id or logprob."""


class ConversationTooLong(Exception):
    """The conversation has reached its maximum size."""


class ConversationState(msgspec.Struct, kw_only=True, array_like=True):
    """The fingerprints that identify later requests of a conversation, which its trajectory does not hold."""

    id: str
    name: bytes = b""
    """Fingerprint of the conversation's id, if the client sent one."""
    prints: list[bytes] = []
    """Fingerprint of the conversation up to each item. Empty for an item that does not change it."""
    begins: list[bytes] = []
    """Fingerprint of each turn's request."""
    ends: list[bytes] = []
    """Fingerprint of each turn's request with its reply."""
    follows: list[int] = []
    """The turn that each turn continues. -1 for none."""
    responses: dict[str, int] = {}
    """Response id to the turn that it ended."""
    began: float = 0.0
    ended: float = 0.0
    owner: bytes = b""
    """Fingerprint of the API key that began it. Empty if the server needed no key."""


class PlacedRequest(NamedTuple):
    """Where a request belongs in a conversation."""

    follows: int | None
    """The turn that it continues."""
    context: list[int]
    """The items in its context."""
    print: bytes
    """Fingerprint of all of it."""


class Conversation:
    def __init__(self, state: ConversationState) -> None:
        self.state, self.id = state, state.id
        self.size = 0
        """Approximate bytes."""
        self.unwritten = 0
        """Exchanges that are not stored yet."""
        self.clean: int | None = 0
        """Number of items that need no redaction. None if some item does."""
        self.written = 0.0
        """When it was last written (monotonic)."""
        self.touched = 0.0
        """When it last grew (monotonic)."""
        self._items: list[Item] = []
        self._turns: list[Turn] = []
        self._retries: list[Mark] = []
        self._offered: dict[str, ToolSpec] = {}
        self._gaps: list[str] = []
        self._index: dict[bytes, int] = {}
        """Item by the fingerprint of the conversation up to it."""
        self._turn_of: dict[bytes, int] = {}
        """Turn by the fingerprint of its end."""
        self._stale: set[int] = set()
        """Items that came back from the store, redacted."""
        self._cost = 0.0
        self._error: Failure | None = None
        self._metadata: Json = {}
        self.tools = ""
        """Hash of the tools of the first call. A turn that was offered others has a hash of its own."""

    def grow(self, exchange: Exchange, chain: Sequence[bytes], prints: Fingerprints, tools: str, began: float) -> None:
        """Adds an exchange. `chain` are the fingerprints of its request, `tools` is the hash of its toolset."""
        if self.size > _LONGEST:
            raise ConversationTooLong
        placed = self.place(exchange, chain, prints)
        self.record(exchange, placed, prints, self._turn(exchange, placed), tools, began)

    def place(self, exchange: Exchange, chain: Sequence[bytes], prints: Fingerprints) -> "PlacedRequest":
        """Finds the turn that a request continues, and adds what is new in its context to the items."""
        return PlacedRequest(*self._context(exchange, chain, prints))

    def record(
        self, exchange: Exchange, placed: "PlacedRequest", prints: Fingerprints, turn: Turn, tools: str, began: float
    ) -> None:
        """Adds the reply to a request that was placed. `turn` has its parent and its ids already."""
        state, last = self.state, placed.print
        first = len(self._items)
        ends = prints.chain(exchange.reply, last)
        for item, print, before in zip(exchange.reply, ends, [last, *ends], strict=False):
            self._append(item, print if print != before else b"")
        reply = range(first, len(self._items))
        end = ends[-1] if ends else last
        index = len(self._turns)
        self.tools = self.tools or tools
        own_tools = "" if tools == self.tools else tools
        self._turns.append(msgspec.structs.replace(turn, saw=ranges(placed.context), made=list(reply), tools=own_tools))
        if last in state.begins:
            self._retries.append(Mark("retry", reply[0] if reply else None))
        state.begins.append(last)
        state.ends.append(end)
        state.follows.append(-1 if placed.follows is None else placed.follows)
        self._turn_of[end] = index
        if exchange.response:
            state.responses[exchange.response] = index
        self._offered |= {tool.name: tool for tool in exchange.tools}
        state.began = min(state.began or began, began)
        state.ended = max(state.ended, began + exchange.turn.latency_s)
        self._cost += exchange.cost
        self._error = exchange.error
        self._metadata |= exchange.metadata
        self.size += len(str(exchange.metadata))
        self.unwritten += 1
        self.touched = time.monotonic()

    def _context(
        self, exchange: Exchange, chain: Sequence[bytes], prints: Fingerprints
    ) -> tuple[int | None, list[int], bytes]:
        """The turn that a request continues, the items in its context, and the fingerprint of all of it."""
        items, start = exchange.context, prints.start(exchange)
        head = items[0] if (exchange.agent_system or exchange.previous) and items and is_system(items[0]) else None
        if exchange.previous:
            follows = self.state.responses.get(exchange.previous)
            if follows is None:
                self._gap(f"what was said before response {exchange.previous}")
            rest, last = items[1:] if head else items, start if follows is None else self.state.ends[follows]
            rest_chain = prints.chain(rest, last)
        else:
            self._refresh(items, chain)
            known = self._known(chain)
            follows, last = (self._turn_of[chain[known - 1]], chain[known - 1]) if known else (None, start)
            known = known or int(head is not None)
            rest, rest_chain = items[known:], chain[known:]
        context = [] if follows is None else [*self._seen(follows), *self._turns[follows].made]
        if head is not None:
            context = self._headed(head, prints.chain([head], start)[0], context)
        reused = bool(self._turns)
        for item, print in zip(rest, rest_chain, strict=True):
            if print != last:
                index = self._index.get(print)
                reused = index is not None
                context.append(self._append(item, print) if index is None else index)
            elif not reused:  # an empty item after a known one is known too
                context.append(self._append(item))
            last = print
        return follows, context, last

    def _refresh(self, items: Sequence[Item], chain: Sequence[bytes]) -> None:
        """Replaces redacted items from the store with the client's original ones, because a rule may need their keywords."""
        for item, print in zip(items, chain, strict=True) if self._stale else ():
            index = self._index.get(print)
            if index in self._stale and self.state.prints[index] == print:
                self._items[index], self.clean = item, None
                self._stale.discard(index)

    def _known(self, chain: Sequence[bytes]) -> int:
        """The number of items of a request that end with a known turn. A repeated request continues where the first did."""
        again = chain[-1] if chain and chain[-1] in self.state.begins else None
        ends = (n for n in range(len(chain), 0, -1) if chain[n - 1] in self._turn_of and chain[n - 1] != again)
        return next(ends, 0)

    def _headed(self, head: Item, print: bytes, context: list[int]) -> list[int]:
        """The context with this system message, which may have changed."""
        index = self._index.get(print)
        rest = context[1:] if context and is_system(self._items[context[0]]) else context
        return [self._append(head, print) if index is None else index, *rest]

    def _append(self, item: Item, print: bytes = b"") -> int:
        index = len(self._items)
        self._items.append(item)
        self.state.prints.append(print)
        if print:
            self._index[print] = index
        self.size += size_of(item)
        return index

    def _seen(self, turn: int) -> list[int]:
        return [item for start, end in self._turns[turn].saw for item in range(start, end)]

    def _turn(self, exchange: Exchange, placed: "PlacedRequest") -> Turn:
        """The turn, with the ids that its context gained. If they do not extend the earlier ids, it is a root."""
        follows, context = placed.follows, placed.context
        saw = [] if follows is None else self._seen(follows)
        parent = follows if context[: len(saw)] == saw else None
        turn, gained, rewritten = exchange.turn, list[int](), False
        if turn.completion_ids:
            before = ids_until(self._turns, follows)
            if parent is not None and before and turn.context_ids[: len(before)] == before:
                gained = turn.context_ids[len(before) :]
            elif before or self._stale.isdisjoint(context):
                parent, gained, rewritten = None, turn.context_ids, bool(before)
            else:  # the ids would reveal what was redacted when the conversation was written
                turn = without_ids(turn)
                self._gap("token ids: the previous turn has none to continue from")
        self.size += _ID * (len(gained) + len(turn.completion_ids) + len(turn.logprobs) + len(turn.restricted)) + _TURN
        return msgspec.structs.replace(turn, parent=parent, context_ids=gained, rewritten=rewritten)

    def _gap(self, gap: str) -> None:
        if gap not in self._gaps:
            self._gaps.append(gap)

    def trajectory(self) -> Trajectory:
        """The original trajectory, which must be redacted before it is stored."""
        key = self.id.partition("/")[2]
        return Trajectory(
            id=self.id,
            task=key,
            group=key,
            items=self._items[:],
            tools=self.tools,
            turns=self._turns[:],
            marks=marks_of(self._items, list(self._offered.values())) + self._retries,
            end_state={"metadata": self._metadata} if self._metadata else {},
            stop=stop_of(self._turns, self._error),
            error=self._error,
            seconds=self.state.ended - self.state.began,
            cost=self._cost,
            gaps=self._gaps[:],
            source="gateway",
        )

    @property
    def items(self) -> list[Item]:
        return self._items

    @property
    def turns(self) -> list[Turn]:
        return self._turns

    @classmethod
    def restored(cls, state: ConversationState, stored: Trajectory) -> "Conversation":
        """A conversation from the store. After a kill between the two writes, the store may hold more than the state."""
        self = cls(state)
        items, turns = len(stored.items), len(stored.turns)
        prints, state.prints = _padded(state.prints, items, b""), []
        for item, print in zip(stored.items, prints, strict=True):
            self._append(item, print)
        self._stale = set(range(items))
        self._turns, self._gaps = list(stored.turns), list(stored.gaps)
        self._retries = [mark for mark in stored.marks if mark.kind == "retry"]
        state.begins, state.ends = _padded(state.begins, turns, b""), _padded(state.ends, turns, b"")
        state.follows = _padded(state.follows, turns, -1)
        state.responses = {id: turn for id, turn in state.responses.items() if turn < turns}
        self._turn_of = {end: turn for turn, end in enumerate(state.ends) if end}
        self._cost, self._error = stored.cost, stored.error
        self._metadata = dict(stored.end_state.get("metadata", {}))
        self.tools = stored.tools
        numbers = sum(len(turn.context_ids) + 2 * len(turn.completion_ids) for turn in self._turns)
        self.size += _ID * numbers + _TURN * len(self._turns)
        self.touched = time.monotonic()
        return self


def _padded(values: list[T], length: int, empty: T) -> list[T]:
    return [*values, *[empty] * (length - len(values))][:length]
