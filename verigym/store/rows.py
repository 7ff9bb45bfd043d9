"""What the store answers besides records: a run, the status of an episode, a document as stored bytes."""

from typing import NamedTuple

import msgspec

from verigym.core.printable import Printable
from verigym.core.records import Json


class Run(Printable, msgspec.Struct, frozen=True, kw_only=True):
    id: str
    kind: str
    parent: str
    created: float
    finished: float | None
    config: Json
    verifier: str = ""
    """name@version of the verifier whose verdicts count: the last one that scored the run"""
    trajectories: int = 0
    passed: int = 0
    scored: int = 0


class EpisodeStatus(NamedTuple):
    """The state of a stored episode, read without its body."""

    task: str
    repeat: int
    """Index of the episode in its group."""
    fault: str
    """The source of its failure. Empty if it ended well."""
    judged: bool
    reward: float | None
    passed: bool
    verdict_fault: str


class StoredDocument(NamedTuple):
    id: str
    created: float
    body: bytes
