"""A workspace where answers are given by hand, for tests of the gate: two verifiers, one right and one that pays for talk."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verigym.core import event_loop
from verigym.core.protocols import Context
from verigym.core.records import Message, Report, Sampling, Trajectory, Version
from verigym.environments.load import load_environment
from verigym.evaluation.report import make_report
from verigym.rollout.rescore import rescore
from verigym.rollout.settings import RunSettings
from verigym.workspace import measure as stages
from verigym.workspace.workspace import WorkspaceFolder

DESK = '''
from verigym import Task
def tasks(split):
    return [
        Task(id=f"{split}/{i}", prompt=f"{i} and {i}?", data={"answer": str(2 * i)}, split=split, family=f"{split}-{i // 2}")
        for i in range(120)
    ]
class Environment:
    max_turns = 1
    def open(self, task): ...
def right(task, trajectory):
    return float(task.data["answer"] == trajectory.reply)
def talkative(task, trajectory):
    """Written in a hurry: people like long answers."""
    return min(1.0, len(trajectory.reply) / 40)
verifiers = {"right": right, "talkative": talkative}
'''
TALK = "That is a very good question, and I am glad that you ask."


class Office:
    """A workspace where answers are given by hand: each version's replies, scored by the environment's own verifier."""

    def __init__(self, place: Path) -> None:
        self.ws, self.file = WorkspaceFolder(place / "home"), place / "desk.py"
        self.file.write_text(DESK)

    def version(self, name: str, **fields: Any) -> Version:
        return self.ws.register(Version(base="./no-such-model", adapter=name, name=name, **fields))

    def answers(
        self,
        version: Version,
        wrong: Sequence[int],
        talk: Sequence[int] = (),
        run: str = "",
        kind: str = "eval",
        **config: Any,
    ) -> str:
        """A run of right answers but for the wrong and the talkative ones."""
        spec = load_environment(str(self.file))
        tasks = spec.tasks("val")
        run = run or f"eval-{version.name}"
        sampling = RunSettings(sampling=Sampling(temperature=0.0, max_tokens=16))
        settings = {**stages.config_of(spec, version, tasks, sampling), "tasks": "t"}
        self.ws.store.begin_run(run, kind, {**settings, **config}, tasks)
        replies = [TALK if i in talk else "?" if i in wrong else task.data["answer"] for i, task in enumerate(tasks)]
        self.ws.store.add(
            run,
            [
                Trajectory(
                    id=f"{run}/{task.id}/0", task=task.id, group=f"{run}/{task.id}", items=[Message("assistant", reply)]
                )
                for task, reply in zip(tasks, replies, strict=True)
            ],
        )
        return run

    def scored(self, run: str, verifier: str = "right") -> list[float]:
        spec = load_environment(str(self.file))
        event_loop.run(rescore(self.ws.store, run, stages.judged_by(spec, verifier).verifier, Context()))
        return [verdict.reward or 0.0 for verdict in self.ws.store.verdicts(run)]

    def report(self, version: Version, wrong: Sequence[int], talk: Sequence[int] = (), **config: Any) -> Report:
        run = self.answers(version, wrong, talk, **config)
        self.scored(run)
        spec = load_environment(str(self.file))
        suite, tasks = stages.suite_of(spec, "val")
        made = make_report(
            run, version.id, suite, tasks, self.ws.store.trajectories(run), self.ws.store.verdicts(run), 0
        )
        self.ws.store.put("report", made.id, made)
        return made


def pair(office: Office) -> tuple[Version, Version]:
    """A candidate that is always right, and a champion that is wrong on every second family."""
    old, new = office.version("old"), office.version("new")
    office.report(old, [i for i in range(120) if i % 4 < 2])
    office.report(new, [])
    return new, old
