"""Other training tasks than the shipped ones: pairs of requests for the same act.

One request of a pair has a harmful reason and the other a harmless one, in nearly the same words. `safety?train=more` has 910
requests, and `safety?train=wide` has 3,072 others. `safety?train=tuning` has 342 more, to choose a recipe on: nothing
should be trained on them. `authoring/safety` has the pairs.
"""

import functools

from verigym.core.records import Task
from verigym.environments import shipped

SETS = ("more", "wide", "tuning")


@functools.cache
def _rows(name: str) -> list[Task]:
    """The tasks of a set, in an order that mixes the families."""
    return shipped.tasks("safety", name, SETS)


training_sets = {name: functools.partial(_rows, name) for name in SETS}
