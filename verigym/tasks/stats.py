"""Counts what a set of tasks consists of. `dedup` and `leaks` find near-duplicates, which takes longer."""

import math
from collections import Counter
from collections.abc import Sequence

import msgspec

from verigym.core.records import Task, content_hash
from verigym.tasks import near_duplicates as near
from verigym.tasks.leaks import family_of, prompt_of
from verigym.tasks.load import tasks_hash
from verigym.tasks.rows import shape_of
from verigym.tasks.split import SplitStats, sides


class TaskStats(msgspec.Struct, frozen=True):
    tasks: int
    families: int
    own_families: int
    """Tasks whose only family is their own id. `split` assigns them one."""
    splits: list[SplitStats]
    shapes: dict[str, int]
    tags: dict[str, int]
    """Most frequent first."""
    prompt_letters: dict[str, int]
    """p50, p95 and maximum, without instructions (system, developer)."""
    repeated: int
    """Tasks with the same prompt and data as an earlier one."""
    repeated_prompts: int
    """Tasks with the same prompt as an earlier one."""
    hash: str


def describe(tasks: Sequence[Task]) -> TaskStats:
    lengths = sorted(
        len(task.prompt if isinstance(task.prompt, str) else near.conversation_text(task.prompt)) for task in tasks
    )
    return TaskStats(
        tasks=len(tasks),
        families=len({family_of(task) for task in tasks}),
        own_families=sum(family_of(task) == task.id for task in tasks),
        splits=sides(tasks),
        shapes=dict(Counter(shape_of(task) for task in tasks).most_common()),
        tags=dict(Counter(tag for task in tasks for tag in task.tags).most_common()),
        prompt_letters={"p50": _quantile(lengths, 0.5), "p95": _quantile(lengths, 0.95), "max": lengths[-1]},
        repeated=len(tasks) - len({content_hash([task.prompt, task.data]) for task in tasks}),
        repeated_prompts=len(tasks) - len({prompt_of(task) for task in tasks}),
        hash=tasks_hash(tasks),
    )


def _quantile(ordered: Sequence[int], share: float) -> int:
    """The smallest length that this share does not exceed."""
    return ordered[math.ceil(share * len(ordered)) - 1]
