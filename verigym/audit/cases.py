"""A verifier's corrected cases: outputs that it once judged wrongly, with what is right. They are its regression tests.

They are kept as JSON lines beside the environment (`desk.cases.jsonl` next to `desk.py`), to be read, edited and committed with
it; those of a shipped environment are kept in the workspace. Of two lines on one trajectory the later counts.
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
    """Where the cases of an environment are kept, by its name or path."""
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
    """Appends the case, to the disk; false where it is there already, with the same answer."""
    known = [one for one in read(path) if (one.trajectory.id, one.verifier) == (case.trajectory.id, case.verifier)]
    if known and (known[0].should, known[0].note) == (case.should, case.note):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = not path.exists() or path.read_bytes()[-1:] in (b"", b"\n")
    with path.open("ab") as file:
        file.write((b"" if whole else b"\n") + codec.encode(case) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    return True


def make(
    verifier: str, task: Task, trajectory: Trajectory, should: str, note: str, who: str, blob: Callable[[str], bytes]
) -> Case:
    """Complete in itself, without the tokens, which no verifier reads."""
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
    """Each case as its verifier judges it now."""
    wrong: list[str] = []
    broken: list[str] = []
    for case in cases:
        verifier = environment.verifiers.get(case.verifier, environment.verifier)
        given = msgspec.structs.replace(context, blob=case.blobs.__getitem__)
        [verdict] = await judge(verifier, case.task, [case.trajectory], given)
        note = f' ("{case.note}")' if case.note else ""
        if verdict.error is not None:
            broken.append(f"{case.trajectory.id}{note}: {verdict.error.kind}: {verdict.error.message}")
        elif verdict.passed != (case.should == "pass"):
            said = "passes" if verdict.passed else "fails"
            wrong.append(
                f"{case.trajectory.id} {said} and should {case.should}{note}: {verdict.evidence or 'no evidence'}"
            )
    if wrong or broken:
        return (
            "fail",
            f"{len(wrong) + len(broken)} of {len(cases)} corrected cases get the wrong verdict: {'; '.join([*wrong, *broken])}",
        )
    return "pass", f"{len(cases)} of {len(cases)}"
