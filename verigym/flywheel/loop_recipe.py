"""The recipe of a loop: its environment, the fixes it may try, the gate policy and the budget. A YAML file.

    environment: toolcall
    model: smollm2-135m

is a complete recipe. An unknown key is an error that names the nearest known key. `a.b=c` on the command line overrides a field.
`training.recipe` has the settings of training, `gates.policy` those of the gate.
"""

from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta, Struct

from verigym.core.errors import BadInput
from verigym.core.records import Json, content_hash
from verigym.core.settings import check_keys, decode, read_yaml, set_field
from verigym.environments.load import load_environment
from verigym.gates.policy import GatePolicy, find_policy, hash_of
from verigym.mining.mine import HELD_OUT_SHARE
from verigym.rollout.settings import Prices
from verigym.training.recipe import Recipe, Share, make_recipe
from verigym.workspace.training_environments import rehearsed_of

Count = Annotated[int, Meta(ge=1)]
Positive = Annotated[float, Meta(gt=0)]
NotNegative = Annotated[float, Meta(ge=0)]
Fix = Literal["prompt", "constraint", "sft", "dpo", "grpo"]
TRAINED = ("sft", "dpo", "grpo")
"""Fixes that change weights."""
USUAL_TOKENS = 64
"""Maximum tokens per reply of a model that does not reason first."""


class Mining(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which production traces become tasks. Key `mining`."""

    traces: list[str] = []
    """Names of runs of traces. Empty for all."""
    held_out: Annotated[float, Meta(gt=0, lt=1)] = HELD_OUT_SHARE
    """Share of the families of failures that is held out."""
    review: bool = False
    """Whether to pause until a person has reviewed the mined tasks. If not, tasks that the verifier can check are accepted."""


class Evaluation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The tasks that champion and candidate are compared on. Key `evaluation`."""

    suite: str = ""
    """A held-out suite or split, or a part of one (`tool_call_eval 1/3`). `mined` for the held-out mined tasks. Empty for the
    first suite of the environment."""
    tasks: Count | None = None
    """Number of tasks, spread over families. Null for all. The loop uses more if the gate needs more data."""
    repeats: Count = 1
    temperature: NotNegative = 0.0
    max_tokens: Count | None = None
    """Maximum tokens per reply. Null for 64, or 4096 for a local model that reasons."""
    trial_tasks: Annotated[int, Meta(ge=2)] = 40
    """Number of training tasks for the trial of a cheap fix, before it is evaluated on held-out tasks."""


class Budget(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When the loop ends, counted over all its rounds and restarts. Key `budget`."""

    rounds: Count = 3
    hours: Positive | None = None
    """Maximum hours of work."""
    dollars: Positive | None = None
    """Maximum cost of tokens and machine, computed from the prices below."""
    dollars_per_hour: NotNegative = 0.0
    """Price of the machine."""
    prices: Prices = Prices()
    """Prices of a model behind a server, in dollars per million tokens: `{prompt: 0.15, completion: 0.6}`."""


class LoopRecipe(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    environment: str
    """A name, a Python file or a file of tasks."""
    model: str = ""
    """The model that becomes the first champion if there is none yet."""
    mining: Mining = Mining()
    evaluation: Evaluation = Evaluation()
    fixes: tuple[Fix, ...] = get_args(Fix)
    """Fixes that the loop may try. The advice decides their order."""
    tools: tuple[str, ...] = ()
    """Tools files that the fix `prompt` may add, such as a search over documents."""
    training: dict[Literal["sft", "dpo", "grpo"], dict[str, Any]] = {}
    """Fields of the training recipe that override the advised ones, by algorithm: `{sft: {steps: 40}}`."""
    beside: dict[str, Share] = {}
    """Environments to train on as well, each with its share of the data, so that the model does not forget them. An untrained
    model trains on their gold solutions. A trained model rehearses its own correct replies."""
    gate: str = "default"
    """The gate policy: default, quick, or a YAML file."""
    judge: str = ""
    """The version or model that acts as judge, for verifiers that use one."""
    user: str = ""
    """The version or model that plays the user, for environments with a persona."""
    budget: Budget = Budget()


class Loop(Struct, frozen=True):
    """A recipe with a name. The same recipe and policy are the same loop, whatever its budget."""

    id: str
    recipe: LoopRecipe
    policy: GatePolicy


def read_loop(path: Path, overrides: list[str] = []) -> Loop:  # noqa: B006 (never changed)
    data = read_yaml(path, "a loop's recipe is a list of keys and values, such as environment: toolcall")
    return make_loop(data, overrides, str(path))


def make_loop(data: Json, overrides: list[str], where: str) -> Loop:
    """Decodes and checks a recipe. The loop is named after the stem of the file `where`."""
    for override in overrides:
        set_field(data, override)
    check_keys(data, LoopRecipe, where)
    recipe = decode(data, LoopRecipe, where, strict=False, see="; what each field may be: docs/how-to/loop.md")
    if not recipe.fixes:
        raise BadInput(f"{where}: fixes is empty. Name at least one of: {', '.join(get_args(Fix))}")
    for algorithm, fields in recipe.training.items():
        _check_training(algorithm, fields, where)
    if recipe.budget.dollars is not None and not recipe.budget.dollars_per_hour and recipe.budget.prices == Prices():
        raise BadInput(
            f"{where}: budget.dollars needs a price. Set budget.dollars_per_hour for the machine or "
            "budget.prices for tokens"
        )
    if sum(recipe.beside.values()) >= 1:
        raise BadInput(f"{where}: beside: the sum of the shares must be below 1. The rest is for {recipe.environment}")
    for name in recipe.beside:
        environment = load_environment(name)
        if not environment.tasks("train"):
            raise BadInput(f"{where}: beside: {name} has no training tasks. Remove it")
        if environment.needs_user:
            raise BadInput(f"{where}: beside: {name} simulates a user with a model and cannot be rehearsed. Remove it")
    policy = find_policy(recipe.gate)
    content = msgspec.to_builtins(msgspec.structs.replace(recipe, budget=Budget(), gate=hash_of(policy)))
    if not recipe.tools:  # as the loops of older versions are named
        del content["tools"]
    content["evaluation"]["max_tokens"] = recipe.evaluation.max_tokens or USUAL_TOKENS
    return Loop(f"{Path(where).stem}-{content_hash(content)[:8]}", recipe, policy)


def _check_training(algorithm: str, fields: Json, where: str) -> None:
    """Checks the fields of a training recipe at the start, so that an error does not appear after hours."""
    above = f"training.{algorithm}."
    check_keys(fields, Recipe, where, above)
    taken = [name for name in ("model", "algorithm", "environment", "environments", "start", "name") if name in fields]
    if taken:
        raise BadInput(f"{where}: {above}{taken[0]} is set by the loop. Remove it")
    filled = {"model": "x", "algorithm": algorithm, "environment": "x", **({"data": "x"} if algorithm == "dpo" else {})}
    rehearsed_of(make_recipe({**filled, **fields}, [], f"{where}: {above[:-1]}"))
