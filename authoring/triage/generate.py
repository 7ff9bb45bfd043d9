"""Makes the tasks of `train` and `val` from the cases, the same ones every time, and checks them.

    python -m authoring.triage.generate

rewrites `data/*.jsonl`. Each task is drawn from a seed of its own, so that a new case leaves the others as they are. `make`
gives any number of tasks of a family, also more than are shipped.
"""

import asyncio
from collections.abc import Iterable, Iterator
from itertools import count, islice
from random import Random
from typing import NamedTuple

import msgspec

from authoring.triage import (
    train_data_theft,
    train_exploited_server,
    train_malware,
    train_mining,
    train_ransomware,
    train_stolen_account,
    val_data_theft,
    val_exploited_server,
    val_malware,
    val_mining,
    val_ransomware,
    val_stolen_account,
)
from authoring.triage.companies import TRAIN, VAL
from authoring.triage.world import Case, build
from verigym.core.records import FunctionCall, FunctionCallOutput, Json, Mark, Task, Trajectory
from verigym.core.seeds import derive
from verigym.environments.triage import DATA, HARMLESS, TOOLS, Environment, Solution, cheats, gold
from verigym.environments.triage.verifier import triage_verifier
from verigym.tasks.load import ship

SEED = 11
EACH = {"train": 12, "val": 6}
"""Tasks of a family."""
CASES = {
    "train": (
        *train_malware.CASES,
        *train_ransomware.CASES,
        *train_mining.CASES,
        *train_stolen_account.CASES,
        *train_data_theft.CASES,
        *train_exploited_server.CASES,
    ),
    "val": (
        *val_malware.CASES,
        *val_ransomware.CASES,
        *val_mining.CASES,
        *val_stolen_account.CASES,
        *val_data_theft.CASES,
        *val_exploited_server.CASES,
    ),
}
COMPANIES = {"train": TRAIN, "val": VAL}


class Family(NamedTuple):
    split: str
    case: Case

    @property
    def name(self) -> str:
        return f"triage/{self.split}/{self.case.name}"


def families(split: str) -> list[Family]:
    return [Family(split, case) for case in CASES[split]]


def generate(split: str) -> list[Task]:
    """All tasks, in an order in which any first few are a fair mixture."""
    made = [task for family in families(split) for task in islice(make(family), EACH[split])]
    return sorted(made, key=lambda task: derive(SEED, "order", task.id))


def make(family: Family) -> Iterator[Task]:
    """Tasks of a family; its endings take turns, and each has every wording, so that the alert alone says nothing."""
    for place in count(1):
        draw = Random(derive(SEED, family.name, place))
        endings, alerts = family.case.endings, family.case.alerts
        ending, alert = endings[place % len(endings)], alerts[place // len(endings) % len(alerts)]
        world = build(family.case, ending, alert, COMPANIES[family.split], draw)
        yield Task(
            id=f"{family.name}/{place}",
            prompt=world.prompt,
            data=world.data,
            split=family.split,
            family=family.name,
            tags=["harmless" if ending.verdict in HARMLESS else "incident", ending.verdict],
            lineage=[f"verigym.environments.triage.generate seed {SEED}"],
        )


def check(made: Iterable[Task]) -> None:
    """Stops at the first task whose solution does not pass or takes what nothing has shown, or where a cheat passes."""
    for task in made:
        played = asyncio.run(_play(task, gold(task)))
        verdict = triage_verifier(task, played)
        assert verdict.passed, f"{task.id}: the gold solution does not pass: {verdict.evidence}"
        _check_shown(task, played)
        for cheat in cheats(task):
            assert not triage_verifier(task, asyncio.run(_play(task, cheat))).passed, f"{task.id}: {cheat!r} passes"


def _check_shown(task: Task, played: Trajectory) -> None:
    """Every name that a call takes stood in the alert or in an earlier result."""
    seen = str(task.prompt)
    for item in played.items:
        if isinstance(item, FunctionCallOutput):
            seen += f"\n{item.output}"
        elif isinstance(item, FunctionCall) and item.name != "close_alert":
            for value in msgspec.json.decode(item.arguments).values():
                assert value in seen, f"{task.id}: {item.name} takes {value}, which nothing has shown"


async def _play(task: Task, solution: Solution) -> Trajectory:
    """As the harness would: the calls of a reply, then their results."""
    environment = Environment()
    environment.open(task)
    log: Json = {"items": [], "marks": []}
    for reply in solution:
        first = len(log["items"])
        log["items"] += reply
        for place, item in enumerate(reply):
            if isinstance(item, FunctionCall):
                result = await TOOLS.call(environment, item.name, item.arguments)
                log["items"].append(FunctionCallOutput(item.call_id, result.output))
                log["marks"] += [Mark(mark.kind, first + place, mark.detail) for mark in result.marks]
    return Trajectory(id="a", task=task.id, group="g", end_state=environment.end_state(), **log)


def main() -> None:
    for split in ("train", "val"):
        made = generate(split)
        check(made)
        ship(DATA, split, made)


if __name__ == "__main__":
    main()
