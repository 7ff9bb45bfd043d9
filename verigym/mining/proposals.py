"""Stores what mining produces: proposals, reviews, the file of accepted tasks, and summaries.

Stored records never change. A proposal is written once. Every answer is a new `Review`, and the newest counts. Accepted tasks are
appended to `HOME/mined/ENV.jsonl`. Its earlier content stays byte for byte, so that held-out versions stay the same. The file is
written before the acceptance is recorded, so a killed process can resume.
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
from verigym.environments.load import base_and_added, name_of, regression_file, without_added
from verigym.tasks.files import write_whole
from verigym.tasks.load import load_tasks
from verigym.verifiers.ending import is_regression, is_rubric
from verigym.workspace.workspace import WorkspaceFolder

HELD_OUT = "mined"
"""Split of a held-out proposal. Its version is known once it is accepted."""
REGRESSION = "regression"
Answer = Literal["accepted", "rejected", "open"]
State = Literal["open", "accepted", "taken", "rejected"]
"""`accepted`: accepted, but not in the file yet."""


class Proposal(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A task made from failures, or a case in which the verifier was wrong."""

    id: str
    """The task's id, or `case/TRAJECTORY` for a case."""
    environment: str
    task: Task
    meaning: str = ""
    tool: str = ""
    pattern: str = ""
    """Used to find later failures that repeat or resemble it. See `families.MinedRequest`."""
    right: str
    """The correct outcome, as a reply."""
    source: str
    """The source of the correct outcome: a correction, a successful trace, a person's verdict."""
    did: str
    """What the agent did instead."""
    bucket: str = ""
    signals: list[str] = []
    """The signals of failure."""
    trajectories: list[str] = []
    """The traces that it was made from."""
    case: Case | None = None
    """The case, if the verifier was wrong."""
    by: str = ""
    """How the right outcome is known: `correction`, `twin`, `end state`, `teacher` or `rubric`. `regression` if it is not, and
    only the bad ending is. Empty for a correction or a twin in proposals of older releases."""
    needs_person: bool = False
    """Whether only a person can accept it."""
    start: bool | None = None
    """The side that its start state belongs to. See `families.MinedRequest`."""

    @property
    def is_task(self) -> bool:
        """Whether it can be trained on and measured: no case, and no regression."""
        return self.case is None and self.by != REGRESSION


class Review(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A person's answer on proposals. It never changes. A later one overrides it."""

    proposals: list[str]
    answer: Answer
    task: Task | None = None
    """The edited task, and its correct outcome."""
    right: str = ""
    who: str = ""
    when: str = ""
    note: str = ""


class AcceptedBatch(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Proposals accepted together: tasks in the file, cases in the verifier's case file."""

    environment: str
    tasks: list[Task] = []
    cases: list[str] = []
    """Proposal ids."""
    when: str


class UnverifiableRequest(Struct, frozen=True, kw_only=True):
    """A failed request, and what is missing to make a task from it."""

    request: str
    missing: str
    bucket: str
    signals: list[str]
    trajectories: list[str]


class MiningSummary(Struct, frozen=True, kw_only=True):
    """What a mining run saw besides its proposals."""

    environment: str
    counts: dict[str, int]
    buckets: dict[str, int]
    """Failed attempts by bucket, the most frequent first."""
    unverifiable: list[UnverifiableRequest]
    tasks: dict[str, str]
    """Failed trace to the task that represents it."""
    sources: dict[str, int] = {}
    """All tasks that these traces make, proposed now or before, by how the right outcome is known (`Proposal.by`)."""
    regressions: dict[str, str] = {}
    """Failed trace to its regression."""


class ProposalSet(Struct, frozen=True):
    """Everything known about an environment's proposals."""

    proposals: dict[str, Proposal]
    """By id, oldest first."""
    reviews: dict[str, list[Review]]
    taken: dict[str, Task]
    """By id, including tasks that someone added to the file by hand."""
    taken_cases: set[str]

    def state(self, id: str) -> State:
        if id in self.taken or id in self.taken_cases:
            return "taken"
        review = self._last_review(id)
        return review.answer if review else "open"

    def by_state(self, state: State) -> list[Proposal]:
        return [proposal for id, proposal in self.proposals.items() if self.state(id) == state]

    def task(self, id: str) -> Task:
        """The task as accepted or as it would be, including the last edit."""
        review = self._last_review(id)
        return self.taken.get(id) or (review.task if review else None) or self.proposals[id].task

    def right(self, id: str) -> str:
        review = self._last_review(id)
        return (review.right if review else "") or self.proposals[id].right

    def _last_review(self, id: str) -> Review | None:
        return next(reversed(self.reviews.get(id, [])), None)


def file_of(ws: WorkspaceFolder, environment: str) -> Path:
    return ws.home / "mined" / f"{name_of(environment)}.jsonl"


def rubric_file(ws: WorkspaceFolder, environment: str) -> Path:
    """The file of accepted tasks that a judge scores. They are measured on their own, because a suite has one verifier."""
    return ws.home / "mined" / f"{name_of(environment)}_rubric.jsonl"


def _file_for(ws: WorkspaceFolder, environment: str, task: Task) -> Path:
    if is_regression(task):
        return regression_file(ws.home, environment)
    return rubric_file(ws, environment) if is_rubric(task) else file_of(ws, environment)


def with_file(ws: WorkspaceFolder, environment: str) -> str:
    """`ENV+FILE`, the name of the environment with its mined tasks in every command. ENV without any."""
    return _with(without_added(environment), file_of(ws, environment))


def _with(base: str, path: Path) -> str:
    return f"{base}+{path}" if path.exists() else base


def with_rubric(ws: WorkspaceFolder, environment: str) -> str:
    """`ENV+FILE` with the tasks that a judge scores. Empty without any."""
    path = rubric_file(ws, environment)
    return _with(base_and_added(environment)[0], path) if path.exists() else ""


def with_regressions(ws: WorkspaceFolder, environment: str) -> str:
    """`ENV+FILE` with the regressions. Empty without any."""
    path = regression_file(ws.home, environment)
    return _with(base_and_added(environment)[0], path) if path.exists() else ""


def read_proposals(ws: WorkspaceFolder, environment: str) -> ProposalSet:
    name = name_of(environment)
    proposals = {
        proposal.id: proposal for proposal in ws.store.documents("proposal", Proposal) if proposal.environment == name
    }
    reviews: dict[str, list[Review]] = {}
    for review in ws.store.documents("review", Review):
        for id in review.proposals:
            if id in proposals:
                reviews.setdefault(id, []).append(review)
    batches = [batch for batch in ws.store.documents("taken", AcceptedBatch) if batch.environment == name]
    taken = {task.id: task for batch in batches for task in batch.tasks}
    path = file_of(ws, environment)
    files = [path, rubric_file(ws, environment), regression_file(ws.home, environment)]
    in_file = {task.id: task for file in files if file.exists() for task in load_tasks(file)}
    return ProposalSet(proposals, reviews, taken | in_file, {id for batch in batches for id in batch.cases})


def last_summary(ws: WorkspaceFolder, environment: str) -> MiningSummary | None:
    name = name_of(environment)
    summaries = ws.store.documents("mining", MiningSummary)
    return next((summary for summary in reversed(summaries) if summary.environment == name), None)


def add_review(ws: WorkspaceFolder, review: Review) -> None:
    ws.store.put("review", uuid.uuid4().hex, review)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def write_accepted(ws: WorkspaceFolder, environment: str) -> list[Task]:
    """Writes accepted proposals: cases beside the environment, tasks to the file, held-out tasks as its next version. Returns the
    new tasks."""
    known = read_proposals(ws, environment)
    accepted = known.by_state("accepted")
    if not accepted:
        return []
    case_ids: list[str] = []
    by_file: dict[Path, list[Task]] = {}
    for proposal in accepted:
        if proposal.case is not None:
            cases.add(cases.path_of(environment, ws.home), proposal.case)
            case_ids.append(proposal.id)
            continue
        task = known.task(proposal.id)
        by_file.setdefault(_file_for(ws, environment, task), []).append(task)
    tasks: list[Task] = []
    for file, rows in by_file.items():
        version = newest_version(task for task in known.taken.values() if _file_for(ws, environment, task) == file) + 1
        splits = {HELD_OUT: f"{HELD_OUT}_v{version}"}
        placed = [msgspec.structs.replace(task, split=splits.get(task.split, task.split)) for task in rows]
        _append(file, placed)
        tasks += placed
    batch = AcceptedBatch(environment=name_of(environment), tasks=tasks, cases=case_ids, when=now())
    ws.store.put("taken", uuid.uuid4().hex, batch)
    return tasks


def _append(path: Path, tasks: list[Task]) -> None:
    """Appends atomically."""
    before = path.read_bytes() if path.exists() else b""
    gap = b"\n" if before and not before.endswith(b"\n") else b""
    lines = b"".join(codec.encode(task) + b"\n" for task in tasks)
    write_whole(path, lambda file: file.writelines([before, gap, lines]))


def newest_version(tasks: Iterable[Task]) -> int:
    """0 if nothing is held out yet."""
    matches = [re.fullmatch(rf"{HELD_OUT}_v([0-9]+)", task.split) for task in tasks]
    return max((int(match[1]) for match in matches if match is not None), default=0)
