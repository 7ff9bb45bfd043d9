"""A loop's recipe: where it runs, what it may change, who judges, and when it ends. YAML, decoded straight into this struct.

    environment: toolcall
    model: smollm2-135m

is one. An unknown key is refused with the nearest known one; `a.b=c` on the command line overrides a field. What a training
step does is a training recipe's (`training.recipe`), what the gate demands a policy's (`gates.policy`).
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


class Mining(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which production traces become tasks. Key `mining`."""

    traces: list[str] = []
    """Names of runs of traces; empty for all there are."""
    held_out: Annotated[float, Meta(gt=0, lt=1)] = HELD_OUT_SHARE
    """Share of the families of failures that is never trained on."""
    review: bool = False
    """Stop until somebody has looked at what was mined; else what the verifier could check is taken as it is."""


class Evaluation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What champion and candidate are compared on. Key `evaluation`."""

    suite: str = ""
    """A held-out suite or split, or a part of one (`tool_call_eval 1/3`); `mined` for the failures held out; empty for the
    environment's first."""
    tasks: Count | None = None
    """How many of its tasks, spread over families; null for all. Where that settles nothing, more are taken."""
    repeats: Count = 1
    temperature: NotNegative = 0.0
    max_tokens: Count = 64
    """Of one reply."""
    trial_tasks: Annotated[int, Meta(ge=2)] = 40
    """Training tasks that a cheap fix is tried on before it is measured on held-out ones."""


class Budget(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When the loop ends, counted over all its rounds and restarts. Key `budget`."""

    rounds: Count = 3
    hours: Positive | None = None
    """Of work."""
    dollars: Positive | None = None
    """Of tokens and of the machine, where the prices below say what they cost."""
    dollars_per_hour: NotNegative = 0.0
    """What the machine costs."""
    prices: Prices = Prices()
    """Of a model behind a server: dollars for a million tokens, `{prompt: 0.15, completion: 0.6}`."""


class LoopRecipe(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    environment: str
    """A name, a Python file or a file of tasks."""
    model: str = ""
    """What becomes the first champion, where there is none; after that the champion is asked."""
    mining: Mining = Mining()
    evaluation: Evaluation = Evaluation()
    fixes: tuple[Fix, ...] = get_args(Fix)
    """What may be tried; in which order is advice's to say."""
    training: dict[Literal["sft", "dpo", "grpo"], dict[str, Any]] = {}
    """By algorithm, fields of a training recipe that are to be otherwise than advised: `{sft: {steps: 40}}`."""
    beside: dict[str, Share] = {}
    """Environments that sft and grpo keep in mind, each with its share of what is learnt from: an untrained model learns their
    gold solutions, a trained one rehearses what it does rightly there."""
    gate: str = "default"
    """The policy that decides: default, quick, or a YAML file."""
    judge: str = ""
    """A version or model that judges, for verifiers that ask one."""
    user: str = ""
    """A version or model that plays the user, in environments with a persona."""
    budget: Budget = Budget()


class Loop(Struct, frozen=True):
    """A recipe with a name: the same recipe and policy are the same loop, however large its budget."""

    id: str
    recipe: LoopRecipe
    policy: GatePolicy


def read_loop(path: Path, overrides: list[str] = []) -> Loop:  # noqa: B006 (never changed)
    if not path.is_file():
        beside = sorted(each.name for each in path.parent.glob("*.yaml")) if path.parent.is_dir() else []
        raise BadInput(f"{path}: no such recipe" + (f"; beside it: {', '.join(beside)}" if beside else ""))
    data = read_yaml(path, "a loop's recipe is a list of keys and values, such as environment: toolcall")
    return make_loop(data, overrides, str(path))


def make_loop(data: Json, overrides: list[str], where: str) -> Loop:
    """`where` names the file, whose stem names the loop."""
    for override in overrides:
        set_field(data, override)
    check_keys(data, LoopRecipe, where)
    recipe = decode(data, LoopRecipe, where, strict=False, see="; what each field may be: docs/how-to/loop.md")
    if not recipe.fixes:
        raise BadInput(f"{where}: fixes is empty, so there is nothing to try; name some of: {', '.join(get_args(Fix))}")
    for algorithm, fields in recipe.training.items():
        _check_training(algorithm, fields, where)
    if recipe.budget.dollars is not None and not recipe.budget.dollars_per_hour and recipe.budget.prices == Prices():
        raise BadInput(
            f"{where}: budget.dollars cannot be counted: say what the machine costs (budget.dollars_per_hour) or what tokens "
            "cost (budget.prices)"
        )
    if sum(recipe.beside.values()) >= 1:
        raise BadInput(
            f"{where}: beside: the shares leave nothing for {recipe.environment}; together they must be below 1"
        )
    for name in recipe.beside:
        environment = load_environment(name)
        if not environment.tasks("train"):
            raise BadInput(f"{where}: beside: {name} has no training tasks to keep in mind; leave it out")
        if environment.needs_user:
            raise BadInput(
                f"{where}: beside: {name} is a conversation with a user whom a model plays, and cannot be rehearsed; leave it out"
            )
    policy = find_policy(recipe.gate)
    content = msgspec.to_builtins(msgspec.structs.replace(recipe, budget=Budget(), gate=hash_of(policy)))
    return Loop(f"{Path(where).stem}-{content_hash(content)[:8]}", recipe, policy)


def _check_training(algorithm: str, fields: Json, where: str) -> None:
    """Now, not after an hour: the fields are known, and fit a recipe of this algorithm."""
    above = f"training.{algorithm}."
    check_keys(fields, Recipe, where, above)
    taken = [name for name in ("model", "algorithm", "environment", "environments", "start", "name") if name in fields]
    if taken:
        raise BadInput(f"{where}: {above}{taken[0]} is the loop's to say; leave it out")
    given = {"data": "x"} if algorithm == "dpo" else {}
    recipe = make_recipe(
        {"model": "x", "algorithm": algorithm, "environment": "x", **given, **fields}, [], f"{where}: {above[:-1]}"
    )
    rehearsed_of(recipe)
