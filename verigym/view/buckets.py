"""The failure bucket of each episode of a run, as far as the page can know it now.

A small run is explained when it is asked for, by the general rules. The rule of an environment is code, and the view runs none.
"""

from collections import Counter
from typing import NamedTuple

from verigym.evaluation.failures import explain_each
from verigym.store.database import Run
from verigym.view.read import Reader

_MOST = 3_000
"""Episodes that are explained while a page waits."""


class Buckets(NamedTuple):
    of: dict[str, str]
    """Trajectory id to bucket, without episodes that passed safely."""
    symptom: dict[str, str]
    """Trajectory id to what it has in common with other failures."""
    counts: dict[str, int]
    """Bucket to the number of its episodes, the largest first."""


def buckets_of(reader: Reader, run: Run) -> Buckets | None:
    """None if the run is too large to be explained while a page waits."""
    if run.trajectories > _MOST:
        return None
    return reader.kept("buckets", (run.id, run.verifier, run.trajectories, run.scored), lambda: _explain(reader, run))


def _explain(reader: Reader, run: Run) -> Buckets:
    store = reader.store
    tasks = store.tasks(run.id)
    known = {task.id for task in tasks}
    episodes = (one for one in store.each_trajectory(run.id) if one.task in known)
    of: dict[str, str] = {}
    symptom: dict[str, str] = {}
    for episode in explain_each(tasks, episodes, store.each_verdict(run.id)):
        if episode.reason.bucket:
            of[episode.trajectory.id] = episode.reason.bucket
            symptom[episode.trajectory.id] = episode.symptom
    return Buckets(of, symptom, dict(Counter(of.values()).most_common()))
