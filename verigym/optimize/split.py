"""Divides the training tasks of an environment into feedback tasks and selection tasks.

Candidates are made from failures on feedback tasks and chosen by their success on selection tasks. The two share no family, so a
candidate that only repeats what it saw is not chosen. Held-out tasks are never used.
"""

from typing import NamedTuple

from verigym.core.errors import Refused
from verigym.core.records import Task
from verigym.core.seeds import derive
from verigym.core.words import counted
from verigym.evaluation.suites import family_of, in_turn
from verigym.harness.environment import EnvironmentSpec

BATCH_MIN, BATCH_MAX = 4, 16
"""Episodes of the first measurement of a candidate."""
_SHARE = 16
"""The first measurement takes at most one part in so many of the budget."""


class TrainingParts(NamedTuple):
    feedback: list[Task]
    selection: list[Task]
    """Both in the order of use: one task of each family in turn."""


def training_parts(environment: EnvironmentSpec, tasks: list[Task], seed: int) -> TrainingParts:
    """A third of the families for feedback, the others for selection. The part of a family depends only on its name and seed."""
    held_out = [task.id for task in tasks if task.split != "train"]
    if held_out:
        raise Refused(
            f"{environment.name}: {counted(len(held_out), 'task')} ({', '.join(held_out[:3])}) are held out. "
            "Only training tasks may be used to choose a prompt"
        )
    if not tasks:
        raise Refused(
            f"{environment.name} has no training tasks. Held-out tasks are not used to choose a prompt. Add tasks with "
            f'split "train", or divide a task file: verigym tasks split FILE'
        )
    families = sorted({family_of(task) for task in tasks}, key=lambda family: derive(seed, "optimize", family))
    if len(families) < 2:
        raise Refused(
            f"All {len(tasks)} training tasks of {environment.name} belong to one family. Feedback and selection need "
            "different families. Add tasks of another family"
        )
    shown = {*families[: max(1, len(families) // 3)]}
    feedback, selection = (
        in_turn([task for task in tasks if (family_of(task) in shown) is side], seed) for side in (True, False)
    )
    return TrainingParts(feedback, selection)


def batch_size(budget: int, parts: TrainingParts) -> int:
    """Episodes of the first measurement of a candidate. Refuses a budget that allows no candidate."""
    most = min(len(parts.feedback), len(parts.selection))
    batch = min(max(BATCH_MIN, min(BATCH_MAX, budget // _SHARE)), most)
    least = 3 * min(BATCH_MIN, most)
    if budget < least:
        raise Refused(
            f"A budget of {counted(budget, 'episode')} is too small. The least that works is {least}: "
            f"{least // 3} to see failures, {least // 3} to measure the agent and {least // 3} for one candidate. "
            "About 200 give a useful search"
        )
    return batch
