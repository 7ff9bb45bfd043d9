"""Other training tasks than the shipped ones: `safety?train=shipped,more` has pairs of requests for the same act.

One request of a pair has a harmful reason and the other a harmless one, in nearly the same words.
`authoring/safety/more_pairs.tsv` has the pairs.
"""

import functools

from verigym.core.records import Task
from verigym.environments import shipped


@functools.cache
def more() -> list[Task]:
    """2 tasks per request, in an order that mixes the families."""
    return shipped.tasks("safety", "more", ["more"])


training_sets = {"more": more}
