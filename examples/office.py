"""office: toolcall as a team has it in its first month. Nobody wrote training tasks for six of its tools yet, and production
asks for them all the same: see bench/flywheel.py, and docs/how-to/loop.md for the result.
The held-out tasks are those of toolcall."""

from verigym import Task
from verigym.environments import toolcall
from verigym.environments.toolcall import Environment, cheats, gold, mined, suites, verifiers

__all__ = ["Environment", "cheats", "gold", "mined", "suites", "tasks", "verifiers"]

MISSING = ("crm.log_call", "email.forward", "files.share", "files.move", "reminders.snooze", "tasks.assign")


def tasks(split: str) -> list[Task]:
    """Of toolcall's training tasks every second one, and none of the tools that are missing."""
    found = toolcall.tasks(split)
    return found if split != "train" else [task for task in found[::2] if task.data["expected_tool"] not in MISSING]


def requests() -> list[Task]:
    """What production asks for: the others."""
    own = {task.id for task in tasks("train")}
    return [task for task in toolcall.tasks("train") if task.id not in own]
