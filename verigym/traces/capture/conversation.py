"""A conversation that grows: each exchange adds its new items to the log and one turn to the tree of turns.

    [s u1] -> a1, [s u1 a1 u2] -> a2     items s u1 a1 u2 a2, turns 0 <- 1
    [s u1 a1 u2] again -> b2             turn 2, beside turn 1, marked as a retry
    [s u1 a1 u3] -> a3                   turn 3, from turn 0 on: a branch
    [s u1 x1 u2] -> c2                   turn 4, a root: its past was edited

Items are held as they were said and redacted when they are written. Those of a conversation that came back from the store are
redacted already, until the client sends them again.
"""

import time
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from verigym.core.records import Item, Json, Mark, Stop, ToolSpec, Trajectory, Turn
from verigym.traces.capture.exchange import Exchange, Fingerprints, is_system, size_of
from verigym.traces.formats.trace import ids_until, marks_of, ranges

T = TypeVar("T")
_LONGEST = 16_000_000
"""Maximum bytes of one conversation. Later exchanges are not stored."""
_TURN, _ID = 1000, 40
"""Approximate bytes of a turn, and of a token id or logprob."""


class ConversationTooLong(Exception):
    """The conversation has reached its maximum size."""


class ConversationState(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The fingerprints that identify later requests of a conversation, which its record does not hold."""

    id: str
    name: bytes
    """Fingerprint of the conversation's id, where the client gave one."""
    prints: list[bytes] = []
    """Of the conversation up to each item; empty for one that has none of its own."""
    begins: list[bytes] = []
    """Of what each turn was asked."""
    ends: list[bytes] = []
    """Of that with its reply."""
    follows: list[int] = []
    """The turn that each went on from, -1 for none."""
    responses: dict[str, int] = {}
    began: float = 0.0
    ended: float = 0.0


class Conversation:
    def __init__(self, id: str, name: bytes = b"") -> None:
        self.id, self.name = id, name
        self.size = 0
        """Approximate bytes."""
        self.unwritten = 0
        """Exchanges that are not stored yet."""
        self.clean: int | None = 0
        """Number of items that need no redaction. None if some item does."""
        self.written = 0.0
        """When it was written last, and so for `touched` (both monotonic)."""
        self.touched = 0.0
        self._items: list[Item] = []
        self._turns: list[Turn] = []
        self._retries: list[Mark] = []
        self._offered: dict[str, ToolSpec] = {}
        self._gaps: list[str] = []
        self._prints: list[bytes] = []
        self._begins: list[bytes] = []
        self._ends: list[bytes] = []
        self._follows: list[int] = []
        self._responses: dict[str, int] = {}
        self._places: dict[bytes, int] = {}
        """Item by the fingerprint of the conversation up to it."""
        self._turn_of: dict[bytes, int] = {}
        """Turn by the fingerprint of what it ended with."""
        self._stale: set[int] = set()
        """Items that came back from the store, redacted."""
        self._began = self._ended = self._cost = 0.0
        self._stop, self._error = Stop.DONE, None
        self._metadata: Json = {}
        self.tools = ""
        """Hash of the tools offered last."""

    # -- growing ------------------------------------------------------------------------------------------------------

    def grow(self, exchange: Exchange, chain: Sequence[bytes], prints: Fingerprints, tools: str, began: float) -> None:
        """Adds an exchange. `chain` are the fingerprints of its request, `tools` is the hash of its toolset."""
        if self.size > _LONGEST:
            raise ConversationTooLong
        follows, context, last = self._context(exchange, chain, prints)
        first = len(self._items)
        ends = prints.chain(exchange.reply, last)
        for item, print, before in zip(exchange.reply, ends, [last, *ends], strict=False):
            self._append(item, print if print != before else b"")
        made = range(first, len(self._items))
        end = ends[-1] if ends else last
        place = len(self._turns)
        self._turns.append(self._turn(exchange, follows, context, made))
        if last in self._begins:
            self._retries.append(Mark("retry", made[0] if made else None))
        self._begins.append(last)
        self._ends.append(end)
        self._follows.append(-1 if follows is None else follows)
        self._turn_of[end] = place
        if exchange.response:
            self._responses[exchange.response] = place
        if self.tools not in ("", tools):
            self._gap("the tools that were offered before the last call: others than it had")
        self.tools = tools
        self._offered |= {tool.name: tool for tool in exchange.tools}
        self._began = min(self._began or began, began)
        self._ended = max(self._ended, began + exchange.latency_s)
        self._cost += exchange.cost
        self._error, self._stop = exchange.error, _stop(exchange)
        self._metadata |= exchange.metadata
        self.size += len(str(exchange.metadata))
        self.unwritten += 1
        self.touched = time.monotonic()

    def _context(
        self, exchange: Exchange, chain: Sequence[bytes], prints: Fingerprints
    ) -> tuple[int | None, list[int], bytes]:
        """The turn that a request continues, the items in its context, and the fingerprint of all of it."""
        items, start = exchange.items, prints.start(exchange)
        head = items[0] if (exchange.agent_system or exchange.previous) and items and is_system(items[0]) else None
        if exchange.previous:
            follows = self._responses.get(exchange.previous)
            if follows is None:
                self._gap(f"what was said before response {exchange.previous}")
            rest, last = items[1:] if head else items, start if follows is None else self._ends[follows]
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
                place = self._places.get(print)
                reused = place is not None
                context.append(self._append(item, print) if place is None else place)
            elif not reused:  # it says nothing, and after what is known it is known too
                context.append(self._append(item))
            last = print
        return follows, context, last

    def _refresh(self, items: Sequence[Item], chain: Sequence[bytes]) -> None:
        """Replaces redacted items from the store with the client's original ones, because a rule may need their keywords."""
        for item, print in zip(items, chain, strict=True) if self._stale else ():
            place = self._places.get(print)
            if place in self._stale and self._prints[place] == print:
                self._items[place], self.clean = item, None
                self._stale.discard(place)

    def _known(self, chain: Sequence[bytes]) -> int:
        """The number of items of a request that end with a known turn. A repeated request continues where the first did."""
        again = chain[-1] if chain and chain[-1] in self._begins else None
        ends = (n for n in range(len(chain), 0, -1) if chain[n - 1] in self._turn_of and chain[n - 1] != again)
        return next(ends, 0)

    def _headed(self, head: Item, print: bytes, context: list[int]) -> list[int]:
        """The context with this system message, which may have changed."""
        place = self._places.get(print)
        rest = context[1:] if context and is_system(self._items[context[0]]) else context
        return [self._append(head, print) if place is None else place, *rest]

    def _append(self, item: Item, print: bytes = b"") -> int:
        place = len(self._items)
        self._items.append(item)
        self._prints.append(print)
        if print:
            self._places[print] = place
        self.size += size_of(item)
        return place

    def _seen(self, turn: int) -> list[int]:
        return [item for start, end in self._turns[turn].saw for item in range(start, end)]

    def _turn(self, exchange: Exchange, follows: int | None, context: list[int], made: range) -> Turn:
        """The turn, with the ids that its context gained. If they do not extend the earlier ids, it is a root."""
        saw = [] if follows is None else self._seen(follows)
        parent = follows if context[: len(saw)] == saw else None
        gained, rewritten = [], False
        completion, logprobs, restricted = exchange.completion_ids, exchange.logprobs, exchange.restricted
        if completion:
            before = ids_until(self._turns, follows)
            if parent is not None and before and exchange.context_ids[: len(before)] == before:
                gained = exchange.context_ids[len(before) :]
            elif before or self._stale.isdisjoint(context):
                parent, gained, rewritten = None, exchange.context_ids, bool(before)
            else:  # the ids spell what was redacted when the conversation was written
                completion, logprobs, restricted = [], [], []
                self._gap("token ids: the turn before has none that it could go on from")
        self.size += _ID * (len(gained) + len(completion) + len(logprobs) + len(restricted)) + _TURN
        return Turn(
            parent=parent,
            saw=ranges(context),
            made=list(made),
            context_ids=gained,
            completion_ids=completion,
            logprobs=logprobs,
            restricted=restricted,
            rewritten=rewritten,
            sampling=exchange.sampling,
            agent=exchange.agent,
            usage=exchange.usage,
            latency_s=exchange.latency_s,
            finish=exchange.finish,
        )

    def _gap(self, words: str) -> None:
        if words not in self._gaps:
            self._gaps.append(words)

    # -- as records, and back -----------------------------------------------------------------------------------------

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
            stop=self._stop,
            error=self._error,
            seconds=self._ended - self._began,
            cost=self._cost,
            gaps=self._gaps[:],
            source="gateway",
        )

    def known(self) -> ConversationState:
        return ConversationState(
            id=self.id,
            name=self.name,
            prints=self._prints,
            begins=self._begins,
            ends=self._ends,
            follows=self._follows,
            responses=self._responses,
            began=self._began,
            ended=self._ended,
        )

    @classmethod
    def restored(cls, known: ConversationState, stored: Trajectory) -> "Conversation":
        """A conversation from the store. After a kill between the two writes, the store may hold more than the state."""
        self = cls(known.id, known.name)
        items, turns = len(stored.items), len(stored.turns)
        for item, print in zip(stored.items, _padded(known.prints, items, b""), strict=True):
            self._append(item, print)
        self._stale = set(range(items))
        self._turns, self._gaps = list(stored.turns), list(stored.gaps)
        self._retries = [mark for mark in stored.marks if mark.kind == "retry"]
        self._begins, self._ends = _padded(known.begins, turns, b""), _padded(known.ends, turns, b"")
        self._follows = _padded(known.follows, turns, -1)
        self._responses = {id: turn for id, turn in known.responses.items() if turn < turns}
        self._turn_of = {end: place for place, end in enumerate(self._ends) if end}
        self._began, self._ended, self._cost = known.began, known.ended, stored.cost
        self._stop, self._error = stored.stop, stored.error
        self._metadata = dict(stored.end_state.get("metadata", {}))
        self.tools = stored.tools
        numbers = sum(len(turn.context_ids) + 2 * len(turn.completion_ids) for turn in self._turns)
        self.size += _ID * numbers + _TURN * len(self._turns)
        self.touched = time.monotonic()
        return self


def _padded(known: list[T], length: int, empty: T) -> list[T]:
    return [*known, *[empty] * (length - len(known))][:length]


def _stop(exchange: Exchange) -> Stop:
    if exchange.error is not None:
        return Stop.ERROR
    return {"length": Stop.MAX_TOKENS, "context_full": Stop.CONTEXT_FULL}.get(exchange.finish, Stop.DONE)
