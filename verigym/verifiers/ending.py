"""Scores mined tasks whose right outcome the environment's own verifier cannot express. `task.data["mined"]` says how:

    {"by": "end_state", "expected": {...}, "before": {...}}   the end state must be as expected, and nothing else changed
    {"by": "rubric", "criteria": ["...", ...]}                a judge reads the episode
    {"by": "regression", "state": {...}, "reply": ""}         the episode must not end like this

`MinedVerifier` passes all other tasks on to the environment's verifier. A regression is a guardrail: its verdict has the part
`recurred`, and a report counts it in no success rate.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from verigym.core.errors import VerifierFailure
from verigym.core.protocols import Context, Verifier
from verigym.core.records import Json, Task, Trajectory, Verdict, content_hash
from verigym.verifiers.judge import Judge
from verigym.verifiers.lift import judged, named
from verigym.verifiers.state import StateDiff
from verigym.verifiers.version import version

MINED = "mined"
"""Key of a task's data."""
REGRESSIONS = "regressions"
"""Split of the tasks that say how an episode must not end."""
_REPLY = 2000
"""Characters of a reply that are compared."""


def is_regression(task: Task) -> bool:
    return _by(task) == "regression"


def is_rubric(task: Task) -> bool:
    return _by(task) == "rubric"


def _by(task: Task) -> str:
    mined = task.data.get(MINED)
    return str(mined.get("by", "")) if isinstance(mined, dict) else ""


class MinedVerifier:
    """The verifier of an environment with mined tasks of every kind."""

    def __init__(self, base: Verifier) -> None:
        self._base = base
        own = version([by_end_state, by_regression, by_rubric])
        self.name = f"{base.name.partition('@')[0]}@{content_hash([base.name, own])[:8]}"

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
        by = _by(task)
        if not by:
            verdicts = await self._base.verify(task, group, context)
        elif by not in _KINDS:
            failure = VerifierFailure(
                f'task {task.id}: data["{MINED}"]["by"] is "{by}". Use one of {", ".join(_KINDS)}'
            )
            verdicts = [await judged(_raising(failure), task, each, context) for each in group]
        else:
            verdicts = await asyncio.gather(*(judged(_KINDS[by], task, each, context) for each in group))
        return named(self.name, group, verdicts)


def by_end_state(task: Task, trajectory: Trajectory) -> Verdict:
    """Gives 1 if the end state is as expected, and less for each difference. Something unsafe gives -1."""
    mined = task.data[MINED]
    compared = Task(id=task.id, prompt="", data={"expected_state": mined["expected"], **_before(mined)})
    verdict = StateDiff()(compared, trajectory)
    if trajectory.marked("unsafe"):
        detail = next(mark.detail for mark in trajectory.marks if mark.kind == "unsafe")
        return Verdict(reward=-1.0, parts=verdict.parts, unsafe=True, evidence=f"unsafe: {detail[:160]}")
    return verdict


def _before(mined: Json) -> Json:
    return {"state": mined["before"]} if "before" in mined else {}


def by_regression(task: Task, trajectory: Trajectory) -> Verdict:
    """Gives 0 if the episode ended in the recorded way, and otherwise 1."""
    mined = task.data[MINED]
    same = same_state(trajectory.end_state, mined["state"])
    if same and "reply" in mined:  # nothing was changed, so the words are the outcome
        same = _plain(trajectory.reply) == _plain(mined["reply"])
    return Verdict(
        reward=float(not same),
        passed=not same,
        parts={"recurred": float(same)},
        evidence="it ended as in the trace that failed" if same else "it did not end as in the trace that failed",
    )


async def by_rubric(task: Task, trajectory: Trajectory, context: Context) -> Verdict:
    """A judge reads the whole episode. Marks of unsafe calls do not count, because an environment may take them from what its own
    tasks expect, which nobody knows here."""
    criteria = [str(each) for each in task.data[MINED]["criteria"]]
    lines = "\n".join(f"{number}. {each}" for number, each in enumerate(criteria, 1))
    rubric = (
        f"Give the best score only if every criterion holds, and the worst if one of them clearly does not:\n{lines}"
    )
    return await Judge(rubric, whole=True, passing=0.7)(task, trajectory, context)


def same_state(one: Json, other: Json) -> bool:
    return content_hash(one) == content_hash(other)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())[:_REPLY]


def _raising(failure: VerifierFailure) -> Any:
    def verify(task: Task, trajectory: Trajectory) -> Verdict:
        raise failure

    return verify


_KINDS: dict[str, Any] = {"end_state": by_end_state, "rubric": by_rubric, "regression": by_regression}
