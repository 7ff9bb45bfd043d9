"""Which production traces have feedback, and of which kinds.

The feedback itself is read from the store when a page shows it: decoded, 20,000 records take 27 MB.
"""

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from verigym.core import codec
from verigym.core.records import Feedback
from verigym.view.read import Reader

_KINDS = {"failure": 1, "success": 2, "correction": 4, "intervention": 8, "note": 16}
_FAILED = _KINDS["failure"] | _KINDS["correction"] | _KINDS["intervention"]
_CHUNK = 500


class _FeedbackHead(Struct, frozen=True):
    trajectory: str
    outcome: str = ""
    correction: list[msgspec.Raw] = []
    intervention: str = ""
    note: str = ""

    @property
    def kinds(self) -> int:
        said = {self.outcome, *(name for name in ("correction", "intervention", "note") if getattr(self, name))}
        return sum(bit for name, bit in _KINDS.items() if name in said)


class FeedbackIndex:
    """Made once, until feedback is added."""

    def __init__(self, heads: Iterable[tuple[int, _FeedbackHead]]) -> None:
        self._known: dict[str, tuple[int, ...]] = {}
        """Trace to the kinds of its feedback, as bits, and its rows."""
        for rowid, head in heads:
            kinds, *rows = self._known.get(head.trajectory, (0,))
            self._known[head.trajectory] = kinds | head.kinds, *rows, rowid

    def with_kind(self, kind: str) -> set[str]:
        """Traces with feedback of this kind, or with `any`."""
        if kind == "any":
            return set(self._known)
        return {id for id, (kinds, *_) in self._known.items() if kinds & _KINDS[kind]}

    def failed(self) -> Iterable[str]:
        """Traces that failed, as people say. A correction says so, too."""
        return (id for id, (kinds, *_) in self._known.items() if kinds & _FAILED)

    def read(self, reader: Reader, traces: Iterable[str]) -> dict[str, list[Feedback]]:
        """Trace to its feedback, oldest first."""
        rows = [row for id in traces for row in self._known.get(id, (0,))[1:]]
        found: dict[str, list[Feedback]] = {}
        for start in range(0, len(rows), _CHUNK):
            some = rows[start : start + _CHUNK]
            marks = ", ".join("?" for _ in some)
            sql = f"SELECT body FROM documents WHERE rowid IN ({marks}) AND kind = 'feedback'"
            for (body,) in reader.rows(sql, *some):
                one = codec.decode(body, Feedback)
                found.setdefault(one.trajectory, []).append(one)
        return {id: sorted(several, key=lambda one: one.when) for id, several in found.items()}


def feedback_index(reader: Reader) -> FeedbackIndex:
    return reader.kept(
        "feedback by trace",
        reader.state_of("feedback"),
        lambda: FeedbackIndex(reader.each_document("feedback", _FeedbackHead)),
    )
