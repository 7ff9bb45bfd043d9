"""Makes an environment score and solve mined tasks of every kind, besides its own tasks.

Mining stores the right replies of a task in `data["mined"]["replies"]` if the environment's own `gold` cannot read them from
the data. `verifiers.ending` scores what the environment's verifier cannot.
"""

from typing import Any

import msgspec

from verigym.core.records import Task, Trajectory, Verdict
from verigym.harness.environment import EnvironmentSpec
from verigym.verifiers.ending import MINED, MinedVerifier


def with_mined(environment: EnvironmentSpec) -> EnvironmentSpec:
    """The environment with a verifier and a `gold` that also know mined tasks. Applying it twice changes nothing."""
    if isinstance(environment.verifier, MinedVerifier):
        return environment
    own = environment.gold

    def gold(task: Task) -> Any:
        mined = task.data.get(MINED)
        if isinstance(mined, dict):
            return mined.get("replies")
        return own(task) if own is not None else None

    first = next(iter(environment.verifiers))
    verifiers = {**environment.verifiers, first: MinedVerifier(environment.verifier)}
    return msgspec.structs.replace(
        environment, verifiers=verifiers, gold=gold, cheats=_cheats(environment), explain=_explain(environment)
    )


def _explain(environment: EnvironmentSpec) -> Any:
    """The environment's rule reads its own verifier's verdicts."""
    own = environment.explain

    def explain(task: Task, trajectory: Trajectory, verdict: Verdict) -> str | None:
        mined = task.data.get(MINED)
        return own(task, trajectory, verdict) if own is not None and not (mined and mined.get("by")) else None

    return explain if own is not None else None


def _cheats(environment: EnvironmentSpec) -> Any:
    """The environment's cheats know only its own data."""
    own = environment.cheats
    return (lambda task: [] if MINED in task.data else own(task)) if own is not None else None
