"""A recipe: the YAML file that says what to train, on which data, how, and how to evaluate it.

An unknown key is an error that names the nearest known key. `a.b=c` on the command line overrides a field.
"""

from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from verigym.core.errors import BadInput
from verigym.core.settings import check_keys, decode, read_yaml, set_field
from verigym.evaluation.suites import split_part
from verigym.harness.varied_tools import ToolVariation
from verigym.training.recipe_checks import check_sense
from verigym.training.recipe_groups import (
    Adapter,
    Advantage,
    Checkpoints,
    Count,
    Critic,
    Difficulty,
    Distill,
    EngineSettings,
    Episodes,
    FullTraining,
    Imitation,
    Limits,
    NotNegative,
    Optimizer,
    PolicyLoss,
    Positive,
    PreferenceLoss,
    Rft,
    Share,
    Thumbs,
    beta_of,
    correction_bounds,
)

G = TypeVar("G", bound=msgspec.Struct)
CHOICE_PART = "1/3"
"""The part of a held-out suite on which checkpoints are chosen."""


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    model: str
    """A Hugging Face model id, a local folder, or smollm2-135m (embedded)."""
    algorithm: Literal[
        "sft", "dpo", "reward", "grpo", "dr_grpo", "dapo", "gspo", "cispo", "rloo", "distill", "kto", "rft", "ppo"
    ]
    reward: str | dict[str, float] = ""
    """Name of a verifier, which also selects the environment. Or several names, each with a weight."""
    environments: dict[str, Positive] = {}
    """A mixture of environments: names or Python files, each with its share of the tasks."""
    environment: str = ""
    """A name or a Python file. Empty for the environment that defines `reward`."""
    reward_model: str = ""
    """A version trained with `algorithm: reward`. Its score is the training reward. `reward` still scores held-out tasks."""
    judge: str = ""
    """The version or model that acts as judge, for verifiers that use one."""
    user: str = ""
    """The version or model that plays the user, for environments with a persona."""
    allow_live_tools: bool = False
    """Whether episodes may call live tools of a tools file: HTTP endpoints and MCP servers with a url that no record answers."""
    agent: str = ""
    """The external agent that drives the episodes: a command, such as `codex exec {prompt}`, or module:function. Training uses
    exactly the tokens that the model sampled for it."""
    data: str = ""
    """A dataset (id, name, latest) or a file: demonstrations for sft, preferences for dpo and reward. For grpo and its
    variants, a stored run whose groups are trained on. Empty for gold solutions or new episodes."""
    rehearse: dict[str, Share] = {}
    """Environments to rehearse, each with its share of the sft data. The start version answers their training tasks, and
    sft trains on its own replies so that it forgets less. `plain` is meant for this. In an environment with tools, only
    the episodes that passed are used."""
    start: str = ""
    """Version to start from (id, name, champion, latest). Empty for the base model."""
    adapter: Literal["lora", "qlora", "full"] = "lora"
    """What is trained: lora for an adapter, qlora for an adapter on a base whose linear layers are stored in 4 bits (nf4), full
    for all parameters."""
    lora: Adapter = Adapter()
    full: FullTraining = FullTraining()
    num_generations_per_prompt: Count = 8
    """Number of episodes per task. Their rewards are compared with each other."""
    prompts_per_step: Count = 8
    """Number of tasks per step. For sft, dpo, kto and reward, number of rows of the data."""
    steps: Count = 40
    num_tasks: Count | None = None
    """Maximum number of training tasks, spread over families. None for all."""
    part: str = ""
    """Part of the training families to use, such as 1/2. You can train sft on one half and grpo on the other."""
    learning_rate: Positive | None = None
    """None for a rate by the method and the size of the model."""
    optimizer: Optimizer = Optimizer()
    limits: Limits = Limits()
    max_tokens: Count | None = None
    """Maximum tokens per reply. None for a limit by the gold replies or by the model."""
    tools: ToolVariation = ToolVariation()
    """How the offered tools differ from task to task in training: order, hidden tools, names."""
    temperature: Positive = 1.0
    updates_per_batch: Count | None = None
    """Number of optimizer updates per batch of episodes. None for the number of the algorithm."""
    loss: PolicyLoss = PolicyLoss()
    advantage: Advantage = Advantage()
    episodes: Episodes = Episodes()
    preference: PreferenceLoss = PreferenceLoss()
    distill: Distill = Distill()
    sft: Imitation = Imitation()
    kto: Thumbs = Thumbs()
    critic: Critic = Critic()
    ahead: Annotated[int, Meta(ge=0)] = 0
    """Number of steps that may be sampled in advance, while earlier ones are learnt. 0 samples every step with the newest
    weights."""
    eval_interval: Annotated[int, Meta(ge=0)] = 10
    """Steps between held-out evaluations. The last step is always evaluated. 0 for the last step only."""
    checkpoints: Checkpoints = Checkpoints()
    engine: EngineSettings = EngineSettings()
    rft: Rft = Rft()
    difficulty: Difficulty = Difficulty()
    held_out_eval: str = ""
    """Name of a held-out suite. In a mixture, `all` selects the first suite of each environment."""
    eval_tasks: Count | None = None
    """Maximum number of tasks of the suite, spread over families. None for all."""
    dollars_per_hour: NotNegative = 0.0
    """Price of the machine, used to report the cost of a step and of a point of held-out success."""
    trackers: list[str] = []
    """Trackers that get the metrics of each step: tensorboard, wandb, mlflow, trackio."""
    seed: int = 0
    name: str = ""
    """Name of the new version. Empty for the name of the algorithm."""

    @property
    def samples(self) -> bool:
        """Whether training samples its own episodes. If not, it trains on written data."""
        return self.algorithm not in ("sft", "dpo", "kto", "reward")

    @property
    def reply_limit(self) -> int:
        """`max_tokens` of a recipe whose defaults are resolved."""
        assert self.max_tokens is not None, "resolve the recipe first"
        return self.max_tokens

    @property
    def compares(self) -> bool:
        """Whether training compares the rewards of a group. A group then needs at least two episodes."""
        alone = self.algorithm in ("rft", "ppo") or (self.algorithm == "distill" and not self.distill.reward)
        return self.samples and not alone

    def has_checkpoint(self, step: int) -> bool:
        """Whether a step is one of those that are evaluated and can be kept."""
        return step == self.steps or (self.eval_interval > 0 and step % self.eval_interval == 0)

    @property
    def evaluated_on(self) -> str:
        """The held-out suite of the evaluations during training. If they choose a checkpoint, it is a third of the suite, unless
        the recipe names a part. The gate uses the rest."""
        return choice_suite(self.held_out_eval, self.checkpoints)


def choice_suite(held_out_eval: str, checkpoints: Checkpoints) -> str:
    whole = held_out_eval and split_part(held_out_eval)[1] is None
    return f"{held_out_eval} {CHOICE_PART}" if whole and checkpoints.chooses else held_out_eval


_WRITTEN: dict[str, dict[str, Any]] = {
    "loss": {"average": "tokens", "clip_high": 0.2},
    "advantage": {"scale": "group"},
    "episodes": {"dynamic_rounds": 0},
}
"""Of methods that train on written data and use none of these fields. They are stored with every recipe."""
ALGORITHMS: dict[str, dict[str, dict[str, Any]]] = {
    "sft": _WRITTEN,
    "dpo": _WRITTEN,
    "kto": _WRITTEN,
    "reward": _WRITTEN,
    "grpo": {},
    "dr_grpo": {"loss": {"average": "constant"}, "advantage": {"scale": "none"}},
    "dapo": {"loss": {"average": "tokens"}, "episodes": {"dynamic_rounds": 3}},
    "gspo": {"loss": {"ratio": "sequence", "average": "sequences", "clip_low": None, "clip_high": None}},
    "cispo": {"loss": {"objective": "cispo", "clip_high": 5.0, "average": "tokens"}},
    "rloo": {
        "loss": {"ratio": "product", "average": "sequences", "kl": 0.05, "kl_in": "reward"},
        "advantage": {"baseline": "others", "scale": "none"},
    },
    "distill": {"loss": {"average": "tokens"}, "advantage": {"scale": "group"}, "episodes": {"dynamic_rounds": 0}},
    "rft": {"loss": {"average": "tokens"}, "advantage": {"scale": "group"}},
    "ppo": {"loss": {"average": "tokens", "clip_high": 0.2, "kl_in": "reward"}, "advantage": {"scale": "group"}},
}
"""Defaults of each algorithm, over `USUAL`. A recipe can override them. What is None depends on the model or the data."""
USUAL: dict[str, dict[str, Any]] = {
    "loss": {"ratio": "token", "objective": "clip", "clip_low": 0.2, "clip_high": 0.28, "kl": 0.0, "kl_in": "loss"},
    "advantage": {"baseline": "group"},
    "episodes": {"dynamic_rounds": 0},
}
OTHER_NAMES = {
    "gigpo": "`algorithm: grpo` and `advantage: {credit: state}`",
    "gspo_token": "`algorithm: gspo`, and `advantage: {credit: step}` or `{credit: state}`",
    "gdpo": "`algorithm: grpo` and `advantage: {rewards: each}`",
    "ipo": "`algorithm: dpo` and `preference: {objective: ipo}`",
    **dict.fromkeys(("opd", "gkd", "distillation"), "`algorithm: distill`"),
    **dict.fromkeys(("raft", "star", "expert_iteration", "rejection_sampling"), "`algorithm: rft`"),
    **dict.fromkeys(("rm", "reward_model"), "`algorithm: reward`"),
}
"""What a recipe writes for methods that are known under other names."""
SEVERAL_UPDATES = {"dapo": 4, "gspo": 4, "cispo": 4, "ppo": 4}
"""Updates per batch of algorithms whose clips matter only from the second update on, in batches of `LARGE_BATCH` tasks and
more."""
LARGE_BATCH = 16


def filled(recipe: Recipe) -> Recipe:
    """The recipe with the defaults of its algorithm in place of every None that needs neither the model nor the data."""
    own = ALGORITHMS[recipe.algorithm]
    groups = {
        name: with_defaults(getattr(recipe, name), {**usual, **own.get(name, {})}) for name, usual in USUAL.items()
    }
    recipe = msgspec.structs.replace(recipe, **groups)
    low, high = correction_bounds(recipe.loss)
    advantage, credit = recipe.advantage, recipe.advantage.credit
    return msgspec.structs.replace(
        recipe,
        loss=with_defaults(recipe.loss, {"correction_low": low, "correction_high": high}),
        advantage=with_defaults(
            advantage,
            {
                "discount": 0.95 if credit == "state" else 1.0,
                **({"scale_from": "advantages"} if advantage.scale == "batch" else {}),
                **({"min_scaled": 4} if credit != "trajectory" else {}),
            },
        ),
        preference=with_defaults(recipe.preference, {"beta": beta_of(recipe.preference)}),
        updates_per_batch=recipe.updates_per_batch or _updates(recipe),
    )


def _updates(recipe: Recipe) -> int:
    return SEVERAL_UPDATES.get(recipe.algorithm, 1) if recipe.prompts_per_step >= LARGE_BATCH else 1


def with_defaults(group: G, defaults: dict[str, Any]) -> G:
    """The group with these values where it has None."""
    return msgspec.structs.replace(
        group, **{name: value for name, value in defaults.items() if getattr(group, name) is None}
    )


_FIRST = {
    "": "model algorithm reward environments environment reward_model judge user data rehearse start adapter lora "
    "num_generations_per_prompt prompts_per_step steps num_tasks part learning_rate max_tokens temperature updates_per_batch "
    "loss advantage episodes preference eval_interval held_out_eval eval_tasks dollars_per_hour seed name",
    "lora": "r alpha top_layers",
    "advantage": "baseline scale rewards credit discount",
    "episodes": "dynamic_rounds overlong_buffer overlong_penalty mask_truncated",
    "loss": "ratio objective clip_low clip_high clip_most average kl kl_in reference correction correction_low correction_high "
    "entropy_bonus",
    "preference": "objective beta smoothing reference margin centre",
}
"""Fields that are always stored, by group. Every other field is stored only if it is not at its default, so that runs of older
recipes keep their ids."""
_EARLIER = {("optimizer", "warmup"): 3}
"""What training did before it had the field. It is not stored either."""


def recipe_json(recipe: Recipe) -> dict[str, Any]:
    """The recipe as it is stored and as it names a run."""
    written = _stored(recipe, "")
    written.pop("trackers", None)  # they only watch, so a run with them is the same run
    return written


def _stored(group: msgspec.Struct, name: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(group):
        value = getattr(group, field.name)
        default = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
        if field.name in _FIRST.get(name, "").split():
            values[field.name] = _inner(value, name, field.name)
        elif (
            value not in (default, _EARLIER.get((name, field.name), default))
            and (inner := _inner(value, name, field.name)) != {}
        ):
            values[field.name] = inner
    return values


def _inner(value: Any, group: str, name: str) -> Any:
    """The value of a field. A group of fields is stored field by field."""
    return _stored(value, name) if not group and isinstance(value, msgspec.Struct) else msgspec.to_builtins(value)


def read_recipe(path: Path, overrides: list[str] = []) -> Recipe:  # noqa: B006 (never changed)
    data = read_yaml(path, "a recipe is a list of keys and values, such as model: smollm2-135m")
    return make_recipe(data, overrides, str(path))


def make_recipe(data: dict[str, Any], overrides: list[str], where: str) -> Recipe:
    for override in overrides:
        set_field(data, override)
    algorithm = str(data.get("algorithm"))
    if (meant := OTHER_NAMES.get(algorithm.lower().replace("-", "_"))) is not None:
        raise BadInput(f'{where}: There is no algorithm "{algorithm}". Write {meant}')
    check_keys(data, Recipe, where)
    recipe = filled(decode(data, Recipe, where, strict=False))
    check_sense(recipe, where)
    return recipe


def overlong_penalty(recipe: dict[str, Any]) -> float:
    """What training took off the reward of a long reply, by the stored recipe of a version. 0 for nothing."""
    episodes = recipe.get("episodes") or {}
    return float(episodes.get("overlong_penalty", 1.0)) if episodes.get("overlong_buffer") else 0.0
