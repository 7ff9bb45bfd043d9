"""The advantage of an episode, computed again from the stored rewards of its group.

For a step of a training run it is what training used. For any other run it is what GRPO would use: the reward less the
mean of the group, divided by its standard deviation.
"""

import re

from msgspec import Struct

from verigym.store.database import Run
from verigym.training.advantages import advantages
from verigym.view.episodes import Cell
from verigym.view.read import Reader
from verigym.workspace.advantages import StepAdvantages, advantages_of, recipe_of

_STEP = re.compile(r"/step-(\d+)(?:[.-]|$)")


class GroupAdvantages(Struct, frozen=True, kw_only=True):
    of: dict[str, float]
    """Trajectory to its advantage."""
    by_turn: dict[str, list[float]] = {}
    """Trajectory to the advantage of each turn of the policy, if the recipe credits turns."""
    words: str
    """How it was computed."""


def group_advantages(reader: Reader, run: Run, group: list[Cell]) -> GroupAdvantages | None:
    """None if the group has fewer than two rewards."""
    match = _STEP.search(run.id) if run.parent else None
    if match is not None:
        step = int(match[1])
        trained = reader.kept(
            "advantages", (run.parent, step, run.verifier), lambda: advantages_of(reader.store, run.parent, step)
        )
        if trained is not None:
            return GroupAdvantages(of=trained.of, by_turn=trained.by_turn, words=_trained(reader, run, trained))
    rewards = [cell.reward if cell.kind != "error" else None for cell in group]
    if sum(reward is not None for reward in rewards) < 2:
        return None
    [values] = advantages([rewards])
    return GroupAdvantages(
        of={cell.id: value for cell, value, reward in zip(group, values, rewards, strict=True) if reward is not None},
        words="The reward less the mean of the group, divided by its standard deviation, as GRPO computes it. "
        "This run was not trained on.",
    )


def _trained(reader: Reader, run: Run, trained: StepAdvantages) -> str:
    recipe = recipe_of(reader.store.run(run.parent).config)
    assert recipe is not None, "advantages exist"
    settings = recipe.advantage
    mean = "the mean of the other attempts" if settings.baseline == "others" else "the mean of the group"
    scale = {
        "group": ", divided by the standard deviation of the group",
        "batch": ", divided by the standard deviation of the step",
        "none": "",
    }[settings.scale or "group"]
    reward = "1 for a passed episode or 0" if settings.rewards == "passed" else "the reward"
    said = [f"Computed from the stored rewards of step {trained.step}: {reward} less {mean}{scale}."]
    if recipe.episodes.overlong_buffer:
        said.append("Replies near the token limit lost reward first.")
    if recipe.episodes.length_penalty:
        said.append("Passing episodes lost reward for their length first.")
    if recipe.episodes.turn_penalty:
        said.append("Passing episodes lost reward for every further turn first.")
    if settings.credit == "step":
        said.append("Each turn has an advantage of its own, from its discounted return.")
    if settings.credit == "state":
        said.append(
            "Each turn adds the advantage of its discounted return among the turns that began in the same state."
        )
    if not trained.exact:
        said.append("The share of the KL divergence in the reward is missing, because it was not stored.")
    return " ".join(said)
