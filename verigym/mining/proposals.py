"""What mining keeps: proposals, what people said of them, the file of tasks that were taken, and what was left over.

Nothing that is kept is changed. A proposal is written once; every answer is one more `Review`, and the newest counts; what was
taken is appended to `HOME/mined/ENV.jsonl`, which begins with what it held before, byte for byte, so that held-out versions stay.
The file is written before it is noted as taken: whoever is killed in between finds it again.
"""

import re
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from verigym.audit import cases
from verigym.core import codec
from verigym.core.records import Case, Task
from verigym.environments.load import base_and_added
from verigym.tasks.files import write_whole
from verigym.tasks.load import load_tasks
from verigym.workspace.workspace import WorkspaceFolder

HELD_OUT = "mined"
"""Split of a proposal that is held out: which version it comes in by is known when it is taken."""
Answer = Literal["accepted", "rejected", "open"]
State = Literal["open", "accepted", "taken", "rejected"]
"""`accepted`: said so, and not in the file yet."""


class Proposal(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A task made of failures, or a case in which the verifier was wrong."""

    id: str
    """Of the task; `case/TRAJECTORY` of a case."""
    environment: str
    task: Task
    meaning: str = ""
    tool: str = ""
    pattern: str = ""
    """By which later failures are found to repeat or resemble it; see `family.Asked`."""
    right: str
    """What is right, as a reply."""
    source: str
    """Where that comes from: a correction, a trace that succeeded, a person's verdict."""
    did: str
    """What the agent did instead."""
    bucket: str = ""
    signals: list[str] = []
    """What says that it failed."""
    trajectories: list[str] = []
    """The traces that it comes from."""
    case: Case | None = None
    """Where the verifier was wrong."""


class Review(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What somebody said of proposals. It is never changed: a later one counts."""

    proposals: list[str]
    answer: Answer
    task: Task | None = None
    """As it was edited, and what is right then."""
    right: str = ""
    who: str = ""
    when: str = ""
    note: str = ""


class AcceptedBatch(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was written together: tasks to the file, cases to the verifier's own."""

    environment: str
    tasks: list[Task] = []
    cases: list[str] = []
    """Proposals."""
    when: str


class UnverifiableRequest(Struct, frozen=True, kw_only=True):
    """A request at which the agent failed, and what is missing to make a task of it."""

    request: str
    missing: str
    bucket: str
    signals: list[str]
    trajectories: list[str]


class MiningSummary(Struct, frozen=True, kw_only=True):
    """What a mining saw beside what it proposed."""

    environment: str
    counts: dict[str, int]
    buckets: dict[str, int]
    """Failed attempts by bucket, the most frequent first."""
    unverifiable: list[UnverifiableRequest]
    tasks: dict[str, str]
    """Failed trace to the task that stands for it."""


class ProposalSet(Struct, frozen=True):
    """All that is known of an environment's proposals."""

    proposals: dict[str, Proposal]
    """By id, oldest first."""
    reviews: dict[str, list[Review]]
    taken: dict[str, Task]
    """By id, also those that somebody has put into the file by hand."""
    taken_cases: set[str]

    def state(self, id: str) -> State:
        if id in self.taken or id in self.taken_cases:
            return "taken"
        said = self.reviews.get(id, [])
        return said[-1].answer if said else "open"

    def by_state(self, state: State) -> list[Proposal]:
        return [one for id, one in self.proposals.items() if self.state(id) == state]

    def task(self, id: str) -> Task:
        """As it was taken, or as it would be: edited where the last answer says so."""
        said = self.reviews.get(id, [])
        return self.taken.get(id) or (said[-1].task if said else None) or self.proposals[id].task

    def right(self, id: str) -> str:
        said = self.reviews.get(id, [])
        return (said[-1].right if said else "") or self.proposals[id].right


def name_of(environment: str) -> str:
    """`toolcall`, `desk` for `a/desk.py+b/desk.jsonl`: what its file and its proposals go by."""
    return Path(base_and_added(environment)[0].partition(",")[0].strip()).stem


def file_of(ws: WorkspaceFolder, environment: str) -> Path:
    return ws.home / "mined" / f"{name_of(environment)}.jsonl"


def with_file(ws: WorkspaceFolder, environment: str) -> str:
    """`ENV+FILE`, the name by which every command takes the environment with its mined tasks; ENV while there are none."""
    path = file_of(ws, environment)
    base = base_and_added(environment)[0]
    return f"{base}+{path}" if path.exists() else base


def kept(ws: WorkspaceFolder, environment: str) -> ProposalSet:
    name = name_of(environment)
    proposals = {one.id: one for one in ws.store.documents("proposal", Proposal) if one.environment == name}
    reviews: dict[str, list[Review]] = {}
    for review in ws.store.documents("review", Review):
        for id in review.proposals:
            if id in proposals:
                reviews.setdefault(id, []).append(review)
    noted = [one for one in ws.store.documents("taken", AcceptedBatch) if one.environment == name]
    taken = {task.id: task for one in noted for task in one.tasks}
    path = file_of(ws, environment)
    in_file = {task.id: task for task in load_tasks(path)} if path.exists() else {}
    return ProposalSet(proposals, reviews, taken | in_file, {id for one in noted for id in one.cases})


def last_summary(ws: WorkspaceFolder, environment: str) -> MiningSummary | None:
    name = name_of(environment)
    return next((one for one in reversed(ws.store.documents("mining", MiningSummary)) if one.environment == name), None)


def propose(ws: WorkspaceFolder, proposals: Iterable[Proposal]) -> None:
    for one in proposals:
        ws.store.put("proposal", one.id, one)


def say(ws: WorkspaceFolder, review: Review) -> None:
    ws.store.put("review", uuid.uuid4().hex, review)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def take(ws: WorkspaceFolder, environment: str) -> list[Task]:
    """Writes what was accepted: cases beside the environment, tasks to the file, held-out ones as its next version. Returns the
    tasks that are new in it."""
    found = kept(ws, environment)
    accepted = found.by_state("accepted")
    if not accepted:
        return []
    told = [one for one in accepted if one.case is not None]
    for one in told:
        assert one.case is not None
        cases.add(cases.path_of(environment, ws.home), one.case)
    version = newest_version(found.taken.values()) + 1
    tasks = [found.task(one.id) for one in accepted if one.case is None]
    tasks = [
        msgspec.structs.replace(task, split=f"{HELD_OUT}_v{version}") if task.split == HELD_OUT else task
        for task in tasks
    ]
    if tasks:
        _append(file_of(ws, environment), tasks)
    noted = AcceptedBatch(environment=name_of(environment), tasks=tasks, cases=[one.id for one in told], when=now())
    ws.store.put("taken", uuid.uuid4().hex, noted)
    return tasks


def _append(path: Path, tasks: list[Task]) -> None:
    """All or nothing, after what is there."""
    before = path.read_bytes() if path.exists() else b""
    gap = b"\n" if before and not before.endswith(b"\n") else b""
    lines = b"".join(codec.encode(task) + b"\n" for task in tasks)
    write_whole(path, lambda file: file.writelines([before, gap, lines]))


def newest_version(tasks: Iterable[Task]) -> int:
    """0 where nothing is held out yet."""
    found = [re.fullmatch(rf"{HELD_OUT}_v([0-9]+)", task.split) for task in tasks]
    return max((int(one[1]) for one in found if one is not None), default=0)
