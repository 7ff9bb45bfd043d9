"""Rows of `shell`, from the jobs.

The wanted result is computed in Python and the solution runs in the shell, so each checks the other.
"""

from collections.abc import Callable, Iterator
from random import Random

from authoring.engine import Builder, Draft, Family, Trial, Turn
from authoring.shell import (
    train_declined,
    train_files,
    train_harmless,
    train_logs,
    train_permissions,
    train_tables,
    train_text,
    val_declined,
    val_files,
    val_harmless,
    val_logs,
    val_permissions,
    val_tables,
    val_text,
    val_words,
)
from authoring.shell.jobs import Job, some_prose
from verigym.core.records import FunctionCall, Task

LEAST = {"train": 600, "val": 150}
"""Minimum number of tasks."""
_BYSTANDERS = {
    "train": (["accounts", "contract", "diary", "inventory", "permit", "recipe", "thesis"], some_prose),
    "val": (["agenda", "charter", "logbook", "manuscript", "patent", "register"], val_words.notes),
}
"""Files that no job mentions, and their content. They must not change."""
Draw = Callable[[Random], Job]
FAMILIES: dict[str, dict[str, list[Draw]]] = {
    "train": {
        "files": train_files.FAMILIES,
        "tables": train_tables.FAMILIES,
        "logs": train_logs.FAMILIES,
        "text": train_text.FAMILIES,
        "rights": train_permissions.FAMILIES,
        "declined": train_declined.FAMILIES,
        "harmless": train_harmless.FAMILIES,
    },
    "val": {
        "files": val_files.FAMILIES,
        "tables": val_tables.FAMILIES,
        "logs": val_logs.FAMILIES,
        "text": val_text.FAMILIES,
        "rights": val_permissions.FAMILIES,
        "declined": val_declined.FAMILIES,
        "harmless": val_harmless.FAMILIES,
    },
}


def families(split: str) -> list[Family]:
    return [
        Family(split, f"shell/{split}/{job.__name__}", job, topic=topic)
        for topic, jobs in FAMILIES[split].items()
        for job in jobs
    ]


def draw(family: Family, turn: Turn) -> Draft | None:
    job: Job = family.source(turn.random)
    if not (job.wanted or job.archives or job.wanted_modes or job.answer or job.decline):
        return None
    wordings = [job.prompt] if isinstance(job.prompt, str) else job.prompt
    names, text = _BYSTANDERS[family.split]
    bystander = f"{turn.random.choice(names)}.doc"
    data = job._replace(files={**job.files, bystander: text(turn.random)})._asdict()
    return Draft(
        prompt=wordings[turn.made % len(wordings)],
        data={name: value for name, value in data.items() if value and name != "prompt"},
        tags=[family.topic, *(["answer"] if job.answer else [])],
        label=f"{turn.made + 1:02}",
    )


def check(task: Task, trial: Trial) -> Iterator[str]:
    """A command that does nothing does not produce the wanted state."""
    idle = trial.play(
        [[FunctionCall("c", "shell.run", '{"command": "true"}')], trial.environment.gold_replies(task)[-1]]
    )
    if idle.verdict.parts.get("state", 0) == 1:
        yield "the wanted state is there before any command runs"


BUILDER = Builder(
    name="shell",
    seed=23,
    sizes={split: -(-least // len(families(split))) for split, least in LEAST.items()},
    families=families,
    draw=draw,
    cheats_every=10,
    check=check,
)
