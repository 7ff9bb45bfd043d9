"""A verifier's corrected cases: outputs that it once judged wrongly, with the right verdict. They are its regression tests.

They are stored as JSON lines beside the environment (`desk.cases.jsonl` next to `desk.py`), so that you can read, edit and commit
them with it. Those of a shipped environment are in the workspace. If two lines are about one trajectory, the later one counts.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from verigym.audit.scripted_episodes import Answer
from verigym.core import codec
from verigym.core.errors import BadInput
from verigym.core.protocols import Context
from verigym.core.records import Case, Task, Trajectory
from verigym.environments.load import base_and_added
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout.many import judge


def path_of(environment: str, home: Path) -> Path:
    """The file of an environment's cases, by the environment's name or path."""
    base, _ = base_and_added(environment)
    first = Path(base.partition(",")[0].strip())
    if first.suffix:
        return first.with_name(f"{first.stem}.cases.jsonl")
    return home / "cases" / f"{base}.cases.jsonl"


def read(path: Path) -> list[Case]:
    if not path.exists():
        return []
    cases: dict[str, Case] = {}
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        try:
            case = codec.decode(line, Case)
        except BadInput as error:
            raise BadInput(f"{path} line {number}: {error}. Correct or delete the line") from error
        cases[f"{case.verifier} {case.trajectory.id}"] = case
    return list(cases.values())


def add(path: Path, case: Case) -> bool:
    """Appends the case and waits for the disk. Returns False if the file already has it with the same answer."""

    def key(case: Case) -> tuple[str, ...]:
        return case.trajectory.id, case.verifier, case.should, case.note

    if key(case) in map(key, read(path)):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    complete = not path.exists() or path.read_bytes()[-1:] in (b"", b"\n")
    with path.open("ab") as file:
        file.write((b"" if complete else b"\n") + codec.encode(case) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    return True


def make(
    verifier: str, task: Task, trajectory: Trajectory, should: str, note: str, who: str, blob: Callable[[str], bytes]
) -> Case:
    """A case that holds everything the verifier reads. Tokens are left out."""
    turns = [
        msgspec.structs.replace(turn, context_ids=[], completion_ids=[], logprobs=[], restricted=[])
        for turn in trajectory.turns
    ]
    return Case(
        should="pass" if should == "pass" else "fail",
        note=note,
        who=who,
        verifier=verifier,
        task=task,
        trajectory=msgspec.structs.replace(trajectory, turns=turns),
        blobs={sha256: blob(sha256) for sha256 in trajectory.blobs.values()},
    )


async def cases_hold(environment: EnvironmentSpec, cases: Sequence[Case], context: Context) -> Answer:
    """Whether every case now gets the right verdict."""
    wrong: list[str] = []
    failed: list[str] = []
    for case in cases:
        verifier = environment.verifiers.get(case.verifier, environment.verifier)
        given = msgspec.structs.replace(context, blob=case.blobs.__getitem__)
        [verdict] = await judge(verifier, case.task, [case.trajectory], given)
        note = f' ("{case.note}")' if case.note else ""
        if verdict.error is not None:
            failed.append(f"{case.trajectory.id}{note}: {verdict.error.kind}: {verdict.error.message}")
        elif verdict.passed != (case.should == "pass"):
            verb, evidence = "passes" if verdict.passed else "fails", verdict.evidence or "no evidence"
            wrong.append(f"{case.trajectory.id} {verb} and should {case.should}{note}: {evidence}")
    problems = [*wrong, *failed]
    words = f"{len(problems)} of {len(cases)} corrected cases get the wrong verdict: {'; '.join(problems)}"
    return ("fail", words) if problems else ("pass", f"{len(cases)} of {len(cases)}")
