"""Finds the conversation of a request: by its id, by the response that it continues, or by how it begins.

It holds only fingerprints, and only the latest, so that a lookup takes microseconds. `conversation` connects the request with
the earlier turns.

    [u1] -> a1    a conversation begins         [u1 a1 u2] -> a2    continues it: the request begins with what ended at a1
    [u1] again    a retry                       [u1 a1 u3]          a branch
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from verigym.core.records import Item
from verigym.wire.items import is_reply

_MOST = 100_000
"""Maximum fingerprints, two for each exchange."""
_RETRY_S, _UNANSWERED_S = 60.0, 600.0
"""Time in which the same first request is a retry, after a reply and without one. Later it is another client's request."""


class _LastRequest(NamedTuple):
    trajectory: str
    when: float
    end: bytes | None
    """Fingerprint with the reply. None without a reply."""


class ConversationIndex:
    """Fingerprints to trajectories. Trajectory ids sort by day, and those before `oldest` are ignored."""

    def __init__(self, most: int = _MOST) -> None:
        self.oldest = ""
        self._most = most
        self._names: OrderedDict[bytes, str] = OrderedDict()
        """Fingerprints of conversation ids and response ids."""
        self._begun: OrderedDict[bytes, _LastRequest] = OrderedDict()
        """Fingerprint of a whole request to the last such request."""
        self._ends: OrderedDict[bytes, list[str]] = OrderedDict()
        """Fingerprint of a request with its reply to the last trajectory there, then those that have not continued from there."""

    def __len__(self) -> int:
        return len(self._names) + len(self._begun) + len(self._ends)

    def named(self, name: bytes) -> str | None:
        """The trajectory of a conversation or response with this fingerprint."""
        found = self._names.get(name)
        if found is None or found < self.oldest:
            return None
        self._names.move_to_end(name)
        return found

    def found(self, items: Sequence[Item], chain: Sequence[bytes], now: float) -> str | None:
        """The trajectory that a request continues, by how it begins. None for a new one."""
        begun = self._begun.get(chain[-1]) if chain else None
        if begun is not None and begun.trajectory < self.oldest:
            begun = None
        for ends in self._ends_in(chain if begun is None else [each for each in chain if each != chain[-1]]):
            if len(ends) > 1:
                return ends.pop()
            return ends[0] if begun is None else begun.trajectory
        if begun is not None:
            return begun.trajectory if self._is_retry(begun, now) else None
        for place in range(len(chain) - 1, 0, -1):  # the client changed the reply to an earlier request
            if is_reply(items[place]) and not is_reply(items[place - 1]):
                earlier = self._begun.get(chain[place - 1])
                if earlier is not None and earlier.trajectory >= self.oldest:
                    return earlier.trajectory
        return None

    def begin(self, request: bytes, trajectory: str, now: float) -> None:
        _put(self._begun, request, _LastRequest(trajectory, now, None))
        self._bound()

    def end(self, request: bytes, whole: bytes, trajectory: str, now: float, *, open: bool = True) -> None:
        """Records a reply, or none if `whole` is `request`. `open`: no request has continued from there yet."""
        _put(self._begun, request, _LastRequest(trajectory, now, whole if whole != request else None))
        ends = self._ends.get(whole, [trajectory])
        ends[0] = trajectory
        if open and trajectory not in ends[1:]:
            ends.append(trajectory)
        _put(self._ends, whole, ends)
        self._bound()

    def name(self, name: bytes, trajectory: str) -> None:
        _put(self._names, name, trajectory)
        self._bound()

    def _ends_in(self, chain: Sequence[bytes]) -> Iterator[list[str]]:
        """The trajectories that ended where the request begins, the longest match first."""
        for print in reversed(chain):
            ends = self._ends.get(print)
            if ends is not None:
                ends[1:] = [each for each in ends[1:] if each >= self.oldest]
                if ends[0] >= self.oldest:
                    self._ends.move_to_end(print)
                    yield ends

    def _is_retry(self, begun: _LastRequest, now: float) -> bool:
        gone_on = begun.end is not None and begun.trajectory not in self._ends.get(begun.end, [])[1:]
        return not gone_on and now - begun.when <= (_UNANSWERED_S if begun.end is None else _RETRY_S)

    def _bound(self) -> None:
        while len(self) > self._most:
            largest = max((self._names, self._begun, self._ends), key=len)
            largest.popitem(last=False)


def _put(known: OrderedDict, key: bytes, value: object) -> None:
    known[key] = value
    known.move_to_end(key)
