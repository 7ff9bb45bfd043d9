"""Rows of `triage`, from the cases."""

from collections.abc import Iterator

import msgspec

from authoring.engine import Builder, Draft, Family, Trial, Turn
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
from authoring.triage.world import build
from verigym.core.records import FunctionCall, FunctionCallOutput, Task
from verigym.environments.triage import HARMLESS

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


def families(split: str) -> list[Family]:
    return [Family(split, f"triage/{split}/{case.name}", case) for case in CASES[split]]


def draw(family: Family, turn: Turn) -> Draft:
    """The endings of a case take turns, and each has every wording, so that the alert alone reveals nothing."""
    endings, alerts = family.source.endings, family.source.alerts
    ending = endings[turn.number % len(endings)]
    alert = alerts[turn.number // len(endings) % len(alerts)]
    world = build(family.source, ending, alert, COMPANIES[family.split], turn.random)
    kind = "harmless" if ending.verdict in HARMLESS else "incident"
    return Draft(world.prompt, world.data, [kind, ending.verdict], key=turn.number)


def check(task: Task, trial: Trial) -> Iterator[str]:
    """Every name that a call uses was in the alert or in an earlier result."""
    seen = str(task.prompt)
    for item in trial.gold.trajectory.items:
        if isinstance(item, FunctionCallOutput):
            seen += f"\n{item.output}"
        elif isinstance(item, FunctionCall) and item.name != "close_alert":
            for value in msgspec.json.decode(item.arguments).values():
                if value not in seen:
                    yield f"{item.name} uses {value}, which nothing has shown"


BUILDER = Builder(
    name="triage", seed=11, sizes={"train": 12, "val": 6}, families=families, draw=draw, first=1, check=check
)
