"""Kept checkpoints of training runs. A checkpoint is a version: `eval`, `gate`, `compare`, `serve` and `start` accept its name.

    grpo-1234abcd@40      step 40 of that run
    grpo-1234abcd@best    the kept step with the best held-out success

`workspace/checkpoints.py` decides which steps are kept.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput, NotFound, not_found
from verigym.core.records import Version
from verigym.store.database import Store

KIND = "checkpoint"
SCORES = ("held_out_success", "held_out_reward", "held_out_told_apart")
"""Metrics that say how good a step is, the most important first."""


class KeptCheckpoint(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The weights of a training run after one of its steps, as a version that is registered when it is first used."""

    run: str
    step: int
    version: Version
    score: tuple[float, ...] = ()
    """Held-out success, then held-out reward. Empty if the step was not evaluated."""
    bytes: int = 0
    """Size of its files."""
    families: list[str] = []
    """Families of the held-out tasks that gave the score."""

    @property
    def name(self) -> str:
        return f"{self.run}@{self.step}"


def kept_checkpoints(store: Store, run: str = "") -> list[KeptCheckpoint]:
    """The kept checkpoints of a run, or of all runs, in order of their steps."""
    every = store.documents(KIND, KeptCheckpoint)
    return sorted((one for one in every if not run or one.run == run), key=lambda one: (one.run, one.step))


def best_of(checkpoints: Sequence[KeptCheckpoint]) -> KeptCheckpoint | None:
    """The checkpoint with the highest score. Of equal ones, the earliest. None if none was evaluated."""
    evaluated = [one for one in checkpoints if one.score]
    return max(evaluated, key=lambda one: (one.score, -one.step), default=None)


def with_choices(store: Store, version: Version) -> Version:
    """The version with every family that chose its weights. Two runs can end in the same weights, and a version is stored as the
    first of them registered it."""
    alike = [one.version for one in kept_checkpoints(store)] + store.documents("trained", Version)
    families = {family for one in (version, *alike) if one.id == version.id for family in one.chosen_on}
    return msgspec.structs.replace(version, chosen_on=sorted(families))


def find_checkpoint(store: Store, text: str) -> Version | None:
    """The checkpoint named RUN@STEP, RUN@best, NAME@STEP or by the id of its version. None if the text names none of a known
    run."""
    every = kept_checkpoints(store)
    exact = [one for one in every if text in (one.name, one.version.id, one.version.name)]
    if len({one.version.id for one in exact}) == 1:
        return exact[-1].version
    if exact:
        raise BadInput(
            f'"{text}" names {len(exact)} checkpoints: {", ".join(one.name for one in exact)}. Name one of them'
        )
    run, _, step = text.rpartition("@")
    of_run = [one for one in every if run and one.run == run]
    if not of_run:
        return None
    if step == "best" and (best := best_of(of_run)):
        compared = sum(any(name in row for name in SCORES) for row in store.metrics(run).values()) > 1
        chosen_on = {*best.version.chosen_on, *(best.families if compared else ())}  # also if the last step is the best
        return msgspec.structs.replace(best.version, chosen_on=sorted(chosen_on))
    if step == "best":
        raise NotFound(
            f'There is no checkpoint "{text}", because no held-out evaluation measured the kept steps of the run. '
            f"Name a step, such as {of_run[-1].name}"
        )
    raise not_found("checkpoint", text, [one.name for one in of_run], "checkpoints.keep says how many a run keeps.")
