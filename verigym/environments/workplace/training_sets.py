"""Other training tasks than the shipped ones, by the name that `workplace?train=NAME` uses.

`composed` has requests that are put together from parts, in the offices of the shipped training tasks. `composed-1` to
`composed-3` are those with so many calls, and `composed-4` those with four or more, for a curriculum.
`authoring/workplace/compose.py` makes the rows.
"""

from collections.abc import Callable
from functools import partial

from verigym.core.records import Task
from verigym.environments import shipped

COMPOSED = "train_composed"
TAGS = {"composed-1": "calls:1", "composed-2": "calls:2", "composed-3": "calls:3", "composed-4": "calls:4+"}


def composed(tag: str = "") -> list[Task]:
    """The composed tasks, or those with a tag."""
    tasks = shipped.tasks("workplace", COMPOSED, [COMPOSED])
    return [task for task in tasks if not tag or tag in task.tags]


training_sets: dict[str, Callable[[], list[Task]]] = {
    "composed": composed,
    **{name: partial(composed, tag) for name, tag in TAGS.items()},
}
