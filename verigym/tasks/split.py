"""Assigns tasks to splits by the hash of their family, and counts what a set of tasks consists of.

A family is never in two splits, and new tasks never move old families.
Tasks without a family first get one by the similarity of their prompts. Such a family is named after its smallest prompt, so
a new task can rename or join families. Once saved, the names are ordinary families and stay.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from verigym.core.records import Task, content_hash
from verigym.core.seeds import derive
from verigym.tasks import near_duplicates as near
from verigym.tasks.leaks import family_of, prompt_of
from verigym.tasks.load import tasks_hash
from verigym.tasks.rows import shape_of

NEAR = 0.5
"""Minimum similarity of prompts in one family. For the 2,400 requests of `toolcall`, 0.5 groups at most 21, 0.4 up to 57."""
_DOMINATES = 0.5


class SplitStats(msgspec.Struct, frozen=True):
    """Counts of one split."""

    split: str
    tasks: int
    share: float
    """Share of all tasks."""
    families: int
    largest: str
    """Its largest family."""
    largest_share: float


def with_families(
    tasks: Sequence[Task], at_least: float = NEAR, on_progress: near.Progress = lambda done, total: None
) -> list[Task]:
    """Gives every task a family. Existing families stay. A task without one (or with its own id as family) joins the tasks that
    it resembles, and their family if they have one."""
    given = [task.family if task.family != task.id else "" for task in tasks]
    if all(given):
        return list(tasks)
    texts = [near.text_of(task) for task in tasks]
    named: dict[str, str] = {}
    for text, family in zip(texts, given, strict=True):
        if family:
            named[text] = min(family, named.get(text, family))
    groups = near.TextGroups()
    for left, right, _ in near.links(texts, at_least, on_progress):
        if not (left in named and right in named):  # existing families are not joined
            groups.join(left, right)
    names: dict[str, str] = {}
    for text, family in named.items():
        names[groups.root(text)] = min(family, names.get(groups.root(text), family))
    renamed: list[Task] = []
    for task, text, family in zip(tasks, texts, given, strict=True):
        root = groups.root(text)
        name = family or names.get(root) or f"like-{content_hash(root)[:16]}"
        renamed.append(msgspec.structs.replace(task, family=name))
    return renamed


def split_of(family: str, shares: Mapping[str, float], seed: int = 0) -> str:
    """The split of a family: `{"val": 0.2, "test": 0.1}`, and `train` for the rest."""
    position = derive(seed, "split", family) / 2**63
    for split, share in shares.items():
        if position < share:
            return split
        position -= share
    return "train"


def split_tasks(tasks: Sequence[Task], shares: Mapping[str, float], seed: int = 0) -> list[Task]:
    """The same tasks, each in the split of its family."""
    return [msgspec.structs.replace(task, split=split_of(family_of(task), shares, seed)) for task in tasks]


def sides(tasks: Sequence[Task]) -> list[SplitStats]:
    """The existing splits: `train`, `val`, then the others."""
    by_split: dict[str, Counter[str]] = {}
    for task in tasks:
        by_split.setdefault(task.split, Counter())[family_of(task)] += 1
    stats: list[SplitStats] = []
    for split in sorted(by_split, key=lambda split: ({"train": 0, "val": 1}.get(split, 2), split)):
        families, count = by_split[split], by_split[split].total()
        largest = min(families, key=lambda family: (-families[family], family))
        share, largest_share = count / len(tasks), families[largest] / count
        stats.append(SplitStats(split, count, share, len(families), largest, largest_share))
    return stats


def dominated(side: SplitStats) -> bool:
    """Whether one family makes up most of a split, so that its figures are about that family."""
    return side.largest_share > _DOMINATES


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
    texts = (task.prompt if isinstance(task.prompt, str) else near.conversation_text(task.prompt) for task in tasks)
    lengths = sorted(map(len, texts))
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
