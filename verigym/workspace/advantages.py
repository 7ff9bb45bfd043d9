"""The advantages of a stored training step, computed again exactly as training computed them. It needs no torch.

    advantages_of(store, "grpo-1234abcd", 7).of["grpo-1234abcd/step-0007/t1/0"]    # 1.22

The rewards are those of the verifier that scored the step, so a later rescoring changes nothing.
"""

import itertools

import msgspec
from msgspec import Struct

from verigym.core.errors import VerigymError
from verigym.core.records import Json, Verdict
from verigym.store.database import Run, Store
from verigym.training.advantages import KlShare
from verigym.training.groups import Group, advantages_in, has_signal, less, with_rewards
from verigym.training.recipe import Recipe


class StepAdvantages(Struct, frozen=True, kw_only=True):
    run: str
    """The training run."""
    step: int
    of: dict[str, float]
    """Trajectory id to its advantage. Episodes without a reward are left out."""
    by_turn: dict[str, list[float]]
    """Trajectory id to the advantage of each turn of the policy. Empty unless the recipe credits turns."""
    unused: set[str]
    """Trajectories of groups without signal, which training left out."""
    exact: bool
    """False if the recipe subtracts the divergence from the reward and an older Verigym did not store it."""


def recipe_of(config: Json) -> Recipe | None:
    """The recipe of a training run by its stored settings. None if the run is not a training run or its recipe is too old."""
    try:
        return msgspec.convert(config.get("recipe"), Recipe)
    except (msgspec.ValidationError, VerigymError):
        return None


def advantages_of(store: Store, run: str, step: int) -> StepAdvantages | None:
    """The advantages of a step. None if the run did not sample at this step, or its recipe cannot be read."""
    recipe = recipe_of(store.run(run).config)
    name = f"{run}/step-{step:04d}"
    children = [child for child in store.runs_from(name) if child.id[len(name) : len(name) + 1] in ("", ".", "-")]
    if recipe is None or not recipe.compares or not children:
        return None
    groups = [with_rewards(group, recipe) for child in children for group in _groups_of(store, child)]
    exact = True
    if recipe.loss.kl and recipe.loss.kl_in == "reward":
        share = store.get("kl_share", name, KlShare)
        exact = share is not None
        groups = [less(group, share.taken) for group in groups] if share else groups
    worth, by_turn = advantages_in(groups, recipe)
    of: dict[str, float] = {}
    turns: dict[str, list[float]] = {}
    for group, values, rows in zip(groups, worth, by_turn, strict=True):
        for trajectory, reward, value, row in zip(group.trajectories, group.rewards, values, rows, strict=True):
            if reward is not None:
                of[trajectory.id] = value
                if row:
                    turns[trajectory.id] = row
    unused = {one.id for group in groups if not has_signal(group, recipe) for one in group.trajectories}
    return StepAdvantages(run=run, step=step, of=of, by_turn=turns, unused=unused, exact=exact)


def _groups_of(store: Store, child: Run) -> list[Group]:
    """The groups of one run of the step. An episode without a verdict counts as not scored."""
    verifier = str(child.config.get("verifier", "")) or child.verifier
    verdicts = {verdict.trajectory: verdict for verdict in store.each_verdict(child.id, verifier)}
    groups: list[Group] = []
    for _, episodes in itertools.groupby(store.each_trajectory(child.id), key=lambda one: one.task):
        trajectories = list(episodes)
        missing = [Verdict(trajectory=one.id, verifier=verifier, reward=None) for one in trajectories]
        given = [verdicts.get(one.id, none) for one, none in zip(trajectories, missing, strict=True)]
        groups.append(Group(str(child.config.get("environment", "")), trajectories, given))
    return groups
