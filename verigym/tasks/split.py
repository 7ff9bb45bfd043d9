"""Tasks dealt to splits by the hash of their family: a family never crosses, and new tasks never move an old family.

Tasks without a family get one first, by likeness of their prompts. Such a family is named after its smallest prompt, so a
new task can rename or join two of them; once saved, the names are families like any other and stay.
"""

from collections.abc import Mapping, Sequence

import msgspec

from verigym.core.records import Task, content_hash
from verigym.core.seeds import derive
from verigym.tasks import near_duplicates as near
from verigym.tasks.leaks import family_of

NEAR = 0.5
"""How alike prompts of one family are. Of the 2,400 requests of `toolcall` this gathers at most 21, 0.4 up to 57."""
_DOMINATES = 0.5


class SplitStats(msgspec.Struct, frozen=True):
    """One split, counted."""

    split: str
    tasks: int
    share: float
    """Of all tasks."""
    families: int
    largest: str
    """Its largest family, and the share of the split's tasks that are of it."""
    largest_share: float


def with_families(
    tasks: Sequence[Task], at_least: float = NEAR, on_progress: near.Progress | None = None
) -> list[Task]:
    """Every task with a family. A family that is given stays; a task without one (or with its own id for one) joins those
    that it is like, and their family where they have one."""
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
        if not (left in named and right in named):  # given families are not joined
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
    """The split that a family falls to: `{"val": 0.2, "test": 0.1}`, and `train` for the rest."""
    place = derive(seed, "split", family) / 2**63
    for split, share in shares.items():
        if place < share:
            return split
        place -= share
    return "train"


def split_tasks(tasks: Sequence[Task], shares: Mapping[str, float], seed: int = 0) -> list[Task]:
    """The same tasks, each in the split that its family falls to."""
    return [msgspec.structs.replace(task, split=split_of(family_of(task), shares, seed)) for task in tasks]


def sides(tasks: Sequence[Task]) -> list[SplitStats]:
    """The splits that there are: `train`, `val`, then the others."""
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
    """Whether one family is most of a split, so that its figures are about that family."""
    return side.largest_share > _DOMINATES
