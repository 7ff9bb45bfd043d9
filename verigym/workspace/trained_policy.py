"""The policy whose weights a training run trains: a local one, or what is left of it if engines elsewhere sample.

In the second case, ranks may divide the model among them. Then no process holds a whole one.
"""

from typing import Any, Literal, NamedTuple

from verigym.core.errors import BadInput
from verigym.core.records import Version
from verigym.training.recipe import Recipe
from verigym.workspace.workspace import WorkspaceFolder


class DividedPolicy(NamedTuple):
    """A policy that cannot sample: its model is divided among ranks. Its adapter can be written and published."""

    model: Any
    render: Any
    base: str
    quantized: Literal["", "nf4"] = ""


def trained_policy(ws: WorkspaceFolder, recipe: Recipe, parent: Version, teacher: Version | None) -> Any:
    """The policy of the parent, whose weights are trained. A model that is trained as a whole belongs to this run only, because
    its weights are then those of no other version."""
    if recipe.adapter == "full":
        ws.forget_loaded()
        policy = ws.load(ws.source_of(parent))
        policy.agent = parent.id
        return policy
    taught_here = recipe.algorithm == "distill" and (teacher is None or not teacher.is_remote)
    if ws.place.samples_elsewhere(recipe) and not taught_here:  # such a teacher computes with the whole model
        return _divided(ws, recipe, parent) or ws.policy(parent)
    return ws.policy(parent)


def check_engine(ws: WorkspaceFolder, recipe: Recipe, parent: Version, policy: Any = None) -> None:
    """Refuses `engine.weights` if the engine in this process does not sample, or cannot sample with them. Without a loaded
    policy, the configuration of the model is checked."""
    from verigym.model.devices import default_device
    from verigym.model.packed import why_no_integers_for
    from verigym.model.shape import config_of

    if not recipe.engine.weights:
        return
    setting = f"`engine.weights: {recipe.engine.weights}`"
    if ws.place.samples_elsewhere(recipe):
        raise BadInput(
            f"{setting} is for the engine in this process, and the engines of the cluster sample this run. Remove it from the "
            "recipe"
        )
    if policy is not None:
        policy.engine.check_weights(recipe.engine.weights)
    elif why := why_no_integers_for(config_of(parent.base), default_device()):
        raise BadInput(f"{setting} cannot be used here: {why}. Remove it from the recipe")


def _divided(ws: WorkspaceFolder, recipe: Recipe, parent: Version) -> DividedPolicy | None:
    """The policy on a model that ranks divide. None if they do not."""
    from verigym.model import lora_files
    from verigym.policies.local.rendering import renderer_of
    from verigym.training.rank_processes import current
    from verigym.training.ranked_learner import load_apart

    if current() is None:
        return None
    ws.check_base(parent.base)
    ws.forget_loaded()
    model = load_apart(recipe, parent.base)
    if model is None:
        return None
    if (adapter := ws.adapter_of(parent)) is not None:
        lora_files.load(model, adapter)
    return DividedPolicy(model, renderer_of(parent.base), parent.base)
