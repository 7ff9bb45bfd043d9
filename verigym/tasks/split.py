"""Assigns tasks to splits by the hash of their family: a family is never in two splits, and new tasks never move old families.

Tasks without a family first get one by the similarity of their prompts. Such a family is named after its smallest prompt, so a
new task can rename or join families. Once saved, the names are ordinary families and stay.
"""

from collections.abc import Mapping, Sequence

import msgspec

from verigym.core.records import Task, content_hash
from verigym.core.seeds import derive
from verigym.tasks import near_duplicates as near
from verigym.tasks.leaks import family_of

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
    tasks: Sequence[Task], at_least: float = NEAR, on_progress: near.Progress | None = None
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
    made: list[Task] = []
    for task, text, family in zip(tasks, texts, given, strict=True):
        root = groups.root(text)
        name = family or names.get(root) or f"like-{content_hash(root)[:16]}"
        made.append(msgspec.structs.replace(task, family=name))
    return made


def split_of(family: str, shares: Mapping[str, float], seed: int = 0) -> str:
    """The split of a family: `{"val": 0.2, "test": 0.1}`, and `train` for the rest."""
    place = derive(seed, "split", family) / 2**63
    for split, share in shares.items():
        if place < share:
            return split
        place -= share
    return "train"


def split_tasks(tasks: Sequence[Task], shares: Mapping[str, float], seed: int = 0) -> list[Task]:
    """The same tasks, each in the split of its family."""
    return [msgspec.structs.replace(task, split=split_of(family_of(task), shares, seed)) for task in tasks]


def sides(tasks: Sequence[Task]) -> list[SplitStats]:
    """The existing splits: `train`, `val`, then the others."""
    by_split: dict[str, dict[str, int]] = {}
    for task in tasks:
        counts = by_split.setdefault(task.split, {})
        counts[family_of(task)] = counts.get(family_of(task), 0) + 1
    found: list[SplitStats] = []
    for split in sorted(by_split, key=lambda split: ({"train": 0, "val": 1}.get(split, 2), split)):
        counts = by_split[split]
        count = sum(counts.values())
        largest = min(counts, key=lambda family: (-counts[family], family))
        found.append(
            SplitStats(
                split=split,
                tasks=count,
                share=count / len(tasks),
                families=len(counts),
                largest=largest,
                largest_share=counts[largest] / count,
            )
        )
    return found


def dominated(side: SplitStats) -> bool:
    """Whether one family makes up most of a split, so that its figures are about that family."""
    return side.largest_share > _DOMINATES
