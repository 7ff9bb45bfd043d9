"""Holds the current conversations and writes them to the store: joined, redacted, and deleted after their retention time.

One thread does all of it (`capture`). A conversation is written whole after each exchange, but at most once in N seconds if it
has N megabytes. If the store refuses a write, the conversation waits in memory. If memory is full, the conversation that was
unused for the longest time is dropped and counted as lost.
"""

import datetime
import time
from collections import Counter, OrderedDict
from collections.abc import Callable

import msgspec

from verigym.core.errors import InfrastructureFailure, words_of
from verigym.core.records import Trajectory, Turn
from verigym.store.database import Store
from verigym.traces.capture.conversation import Conversation, ConversationState, ConversationTooLong
from verigym.traces.capture.conversation_index import ConversationDatabase
from verigym.traces.capture.exchange import Exchange, Fingerprints
from verigym.traces.redaction import RedactedToolsets, Redaction

RUN = "traces-served-"
"""Prefix of a run id, before the day. Retention deletes whole days."""
_MOST, _MOST_BYTES = 5_000, 128_000_000
"""Maximum conversations in memory, and their approximate bytes."""
_IDLE_S = 900.0
"""Idle time after which a conversation leaves memory. It can be restored from the store."""
_BATCH = 256
"""Trajectories per transaction."""
_BYTES_S = 1e6
"""Maximum bytes per second of one conversation that is rewritten after each exchange."""
_WAIT_S, _LONGEST_WAIT_S = 0.5, 15.0
"""First and longest wait before a failed write is retried."""


class Placement(msgspec.Struct, frozen=True):
    """The trajectory of a request, known before it is answered."""

    trajectory: str
    """Its id. Empty if the conversation is not captured."""
    chain: list[bytes] = []
    """Fingerprints of the request."""
    name: bytes = b""
    """Fingerprint of the conversation's id, if the client sent one."""
    new: bool = False
    """Whether the trajectory is new, so that the store cannot hold it yet."""
    sampled_out: bool = False
    began: float = 0.0
    owner: bytes = b""
    """Fingerprint of the API key that sent the request. Empty if the server needs no key."""


class ConversationWriter:
    def __init__(
        self,
        store: Store,
        states: ConversationDatabase,
        redaction: Redaction,
        prints: Fingerprints,
        tell: Callable[[str, str], None],
    ) -> None:
        self.captured = 0
        """Exchanges written."""
        self.waiting = 0
        """Exchanges taken and not written yet."""
        self.lost: Counter[str] = Counter()
        self._store, self._states, self._redaction, self._prints = store, states, redaction, prints
        self._tell = tell
        """Called with a reason and a message. The callee limits how often it prints."""
        self._held: OrderedDict[str, Conversation] = OrderedDict()
        """The least recently used first."""
        self._bytes = 0
        self._unwritten: dict[str, Conversation] = {}
        self._runs: set[str] = set()
        """Runs that exist in the store."""
        self._toolsets = RedactedToolsets(redaction)
        self._trouble = ""
        """Reason of the last failed write, as it is counted. Empty after a successful write."""
        self._again, self._wait_s = 0.0, _WAIT_S

    def __len__(self) -> int:
        return len(self._held)

    def why_waiting(self, trajectory: str) -> str:
        """Why the store does not hold all of the trajectory yet. Empty if it does."""
        return (self._trouble or "it is being written") if trajectory in self._unwritten else ""

    def take(self, exchange: Exchange, placed: Placement) -> None:
        """Adds an exchange to its conversation. Counts failures and never raises."""
        try:
            conversation = self._conversation(placed)
            size = conversation.size
            tools, _ = self._toolsets.add(exchange.tools)
            conversation.grow(exchange, placed.chain, self._prints, tools, exchange.began or placed.began)
            self._bytes += conversation.size - size
            self._unwritten[conversation.id] = conversation
            self.waiting += 1
            self._make_room()
        except ConversationTooLong:
            self._lose("conversation too long", 1, f"{placed.trajectory} has reached its maximum size")
        except Exception as error:
            self._lose(_reason(error), 1, words_of(error))

    def _conversation(self, placed: Placement) -> Conversation:
        """The conversation in memory, from the store if it left memory or an earlier process wrote it, or a new one."""
        conversation, id = self._held.get(placed.trajectory), placed.trajectory
        if conversation is None:
            state = ConversationState(id=id, name=placed.name, owner=placed.owner)
            if placed.new or not self._store.known_trajectories([id]):
                conversation = Conversation(state)
            else:
                conversation = Conversation.restored(self._states.get(id) or state, self._store.trajectory(id)[1])
            self._held[id] = conversation
            self._bytes += conversation.size
        self._held.move_to_end(id)
        return conversation

    def write(self, *, everything: bool = False) -> None:
        """Commits the conversations that are due. A failed write is retried later."""
        now = time.monotonic()
        if now < self._again and not everything:
            return
        waiting = list(self._unwritten.values())
        due = waiting if everything else [each for each in waiting if now >= each.written + each.size / _BYTES_S]
        for start in range(0, len(due), _BATCH):
            batch = self._ready(due[start : start + _BATCH])
            try:
                self._commit(batch)
            except Exception as error:
                self._trouble = _reason(error)
                self._again, self._wait_s = now + self._wait_s, min(2 * self._wait_s, _LONGEST_WAIT_S)
                self._tell(
                    self._trouble, f"{words_of(error)}. Conversations wait in memory until the store accepts them"
                )
                return
            if self._trouble:
                self._tell("", "the store accepts conversations again")
            self._trouble, self._wait_s = "", _WAIT_S

    def _ready(self, conversations: list[Conversation]) -> list[tuple[Conversation, Trajectory]]:
        """The conversations with their redacted trajectories. One that cannot be redacted is dropped."""
        ready: list[tuple[Conversation, Trajectory]] = []
        for conversation in conversations:
            try:
                ready.append((conversation, self._redacted(conversation)))
            except Exception as error:
                self._give_up(conversation, "redaction failed", words_of(error))
        return ready

    def _redacted(self, conversation: Conversation) -> Trajectory:
        """The redacted trajectory. While nothing needed redaction, only new items are searched."""
        whole = conversation.trajectory()
        if conversation.clean is not None:
            settings = [
                Turn(sampling=turn.sampling) for turn in whole.turns if turn.sampling.stop or turn.sampling.constrain
            ]
            new = msgspec.structs.replace(whole, items=whole.items[conversation.clean :], turns=settings, marks=[])
            looked = self._redaction.trajectory(new)
            if msgspec.structs.replace(looked, redacted="") == new:
                conversation.clean = len(whole.items)
                return msgspec.structs.replace(whole, redacted=looked.redacted)
            conversation.clean = None
        return self._redaction.trajectory(whole)

    def _commit(self, batch: list[tuple[Conversation, Trajectory]]) -> None:
        self._toolsets.store(self._store)
        by_run: dict[str, list[Trajectory]] = {}
        for conversation, trajectory in batch:
            by_run.setdefault(conversation.id.partition("/")[0], []).append(trajectory)
        for run, trajectories in by_run.items():
            if run not in self._runs:
                self._store.begin_run(run, "traces", {})
                self._runs.add(run)
            self._store.add(run, trajectories)
        self._states.write(conversation.state for conversation, _ in batch)
        now = time.monotonic()
        for conversation, _ in batch:
            self.captured += conversation.unwritten
            self._clean(conversation)
            conversation.written = now

    def _clean(self, conversation: Conversation) -> None:
        self.waiting -= conversation.unwritten
        conversation.unwritten = 0
        self._unwritten.pop(conversation.id, None)

    def _make_room(self) -> None:
        if len(self._held) <= _MOST and self._bytes <= _MOST_BYTES:
            return
        if not self._trouble:
            self.write(everything=True)
        while len(self._held) > _MOST or (self._bytes > _MOST_BYTES and len(self._held) > 1):
            oldest = self._release(next(iter(self._held)))
            if oldest.unwritten:
                words = "Memory is full of conversations that could not be written"
                self._give_up(oldest, self._trouble or "no room", words)

    def _release(self, id: str) -> Conversation:
        conversation = self._held.pop(id)
        self._bytes -= conversation.size
        return conversation

    def _give_up(self, conversation: Conversation, reason: str, words: str) -> None:
        self._lose(reason, conversation.unwritten, words)
        self._clean(conversation)

    def _lose(self, reason: str, count: int, words: str) -> None:
        self.lost[reason] += count
        self._tell(reason, f"{words}. An exchange was lost")

    def put_idle_away(self) -> None:
        past = time.monotonic() - _IDLE_S
        while self._held and (oldest := next(iter(self._held.values()))).touched < past and not oldest.unwritten:
            self._release(oldest.id)

    def give_up_all(self) -> None:
        """Counts everything that is not written as lost."""
        for conversation in list(self._unwritten.values()):
            self._give_up(
                conversation,
                self._trouble or "not written at the end",
                "The gateway stopped before the store accepted it",
            )

    def tidy(self, today: datetime.date, keep_days: int | None) -> str:
        """Finishes the runs of earlier days and deletes expired ones. Ids that sort before the returned id are gone."""
        first = "" if keep_days is None else f"{RUN}{today - datetime.timedelta(days=keep_days)}"
        for run in self._store.runs():
            if run.kind != "traces" or not run.id.startswith(RUN):
                continue
            if run.id < first:
                self._store.delete_run(run.id)
                self._runs.discard(run.id)
            elif run.id < f"{RUN}{today}" and run.finished is None:
                self._store.finish_run(run.id)
        self._states.forget(first)
        for id in [id for id in self._held if id < first]:
            self._clean(self._release(id))
        return first


def _reason(error: Exception) -> str:
    """A short reason for the counters, the same for the same problem."""
    words = words_of(error)
    if "disk is full" in words or "No space left" in words:
        return "disk full"
    if "locked" in words or "Another process uses" in words:
        return "store locked"
    return "store refused" if isinstance(error, InfrastructureFailure) else f"store: {type(error).__name__}"
