"""Environments with verifiers to be audited, as files, and outputs of them that somebody scripted."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import msgspec

from verigym.audit.repeatability import ScoringGroup
from verigym.audit.scripted_episodes import play
from verigym.audit.verifier import Audit, Outputs, audit_verifier
from verigym.core.protocols import Context, Policy
from verigym.core.records import Case, Check, Label
from verigym.environments.load import load_environment
from verigym.harness.environment import Reply

HEAD = """
import collections, datetime, json, random, time
from verigym import Task, tool
from verigym.core.records import Verdict
"""
SUMS = """
def tasks(split):
    return [
        Task(id=f"{split}/{i}", prompt=f"{split}: is {i} + {i} {2 * i} or 99?", split=split, family=f"{split}{i}",
             data={"answer": str(2 * i)})
        for i in range(10, 22)
    ]

class Environment:
    max_turns = 1
    def open(self, task): ...
"""
DESK = '''
def tasks(split):
    args = [{"who": who, "day": day} for who in ("Ada", "Bo", "Cy") for day in ("Monday", "Friday")]
    return [
        Task(id=f"{split}/{i}", prompt=f"{split}: see {each['who']} on {each['day']}", split=split, family=f"{split}{i}",
             data={"expected_tool": "book", "expected_args": each})
        for i, each in enumerate(args)
    ]

class Environment:
    max_turns = 1
    def open(self, task):
        self.booked = []
    @tool
    def book(self, who: str, day: str) -> str:
        """Book a meeting."""
        self.booked.append([who, day])
        return "booked"
    @tool
    def cancel(self, who: str) -> str:
        """Cancel all meetings with someone."""
        self.booked.append(["not", who])
        return "cancelled"
    @tool
    def look(self, day: str) -> str:
        """The meetings of a day."""
        return "none"
    def end_state(self):
        return {"booked": self.booked}
'''
RIGHT_SUM = "return float(trajectory.reply.strip() == task.data['answer'])"
RIGHT_DESK = """
expected = task.data["expected_args"]
return float(trajectory.end_state["booked"] == [[expected["who"], expected["day"]]])
"""


def write(folder: Path, world: str, verify: str, more: str = "") -> str:
    """The path of an environment whose verifier has this body."""
    body = "\n".join(f"    {line}" for line in verify.strip().splitlines())
    path = folder / "bad.py"
    path.write_text(f"{HEAD}{world}\n{more}\ndef verify(task, trajectory):\n{body}\n")
    return str(path)


def outputs(where: str, wrong: list[Reply]) -> Outputs:
    """The gold solution and the wrong replies on each held-out task, as a run of one group a task would hold them."""
    environment = load_environment(where)

    async def group(task: object) -> ScoringGroup:
        replies = [*environment.gold_replies(task), *wrong]  # type: ignore[arg-type]
        played = [await play(environment, task, [reply]) for reply in replies]  # type: ignore[arg-type]
        named = [
            msgspec.structs.replace(one.trajectory, id=f"run/{task.id}/{i}", index=i)  # type: ignore[attr-defined]
            for i, one in enumerate(played)
        ]
        return ScoringGroup(task, named)  # type: ignore[arg-type]

    groups = [asyncio.run(group(task)) for task in environment.tasks("val")]
    return Outputs(ids=[one.id for each in groups for one in each.trajectories], groups=groups, stored={})


def audit(
    where: str,
    wrong: list[Reply] | None = None,
    labels: Mapping[str, Label] | None = None,
    cases: list[Case] | None = None,
    judge: Policy | None = None,
    processes: int = 0,
) -> Audit:
    context = Context(policies={"judge": judge} if judge else {})
    found = outputs(where, ["99", "I do not know."] if wrong is None else wrong)
    asking = audit_verifier(
        load_environment(where), "run", found, context, labels or {}, cases or [], processes=processes
    )
    return asyncio.run(asking)


def asked(found: Audit, name: str) -> Check:
    [check] = [check for check in found.checks if check.name == name]
    return check
