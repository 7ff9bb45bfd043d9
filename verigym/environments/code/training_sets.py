"""Other training tasks than the shipped ones: `code?train=shipped,more` has further kinds of problems.

The functions of `more` have other names than those of `train` and the held-out ones. `authoring/code/more_*.py` declares them.
"""

import functools

from verigym.core.records import Task
from verigym.environments import shipped


@functools.cache
def more() -> list[Task]:
    """About 3 tasks per family, in an order that mixes the families."""
    return shipped.tasks("code", "more", ["more"])


training_sets = {"more": more}
