"""A recipe: the YAML file that says what to train, on which data, how, and how to evaluate it.

An unknown key is an error that names the nearest known key. `a.b=c` on the command line overrides a field.
"""

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from verigym.core.errors import BadInput
from verigym.core.names import check_name
from verigym.core.settings import check_keys, decode, read_yaml, set_field
from verigym.evaluation.suites import parse_part

Count = Annotated[int, Meta(ge=1)]
Positive = Annotated[float, Meta(gt=0)]
NotNegative = Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(gt=0, lt=1)]


class Adapter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of `adapter: lora`, under the key `lora`."""

    r: Count = 16
    alpha: Count = 32
    top_layers: Count | None = None
    """Number of layers to train, counted from the last. None trains all layers."""


class Advantage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How rewards become advantages. Key `advantage`."""

    baseline: Literal["group", "others"] = "group"
    """What a reward is compared with: the mean of its group, or the mean of the other episodes in it (rloo)."""
    scale: Literal["group", "batch", "none"] = "group"
    """What the difference is divided by: the standard deviation of the group, of the batch, or nothing."""
    rewards: Literal["sum", "each"] = "sum"
    """With several rewards: compare their weighted sum, or compare each reward separately and then sum (gdpo)."""
    credit: Literal["trajectory", "step"] = "trajectory"
    """`trajectory`: all turns share the reward of the episode. `step`: each turn gets the rewards that follow it, for
    environments that reward steps."""
    discount: Annotated[float, Meta(gt=0, le=1)] = 1.0
    """Discount factor per step (credit: step)."""


class Episodes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which episodes are trained on. Key `episodes`."""

    dynamic_rounds: Annotated[int, Meta(ge=0)] = 0
    """Maximum number of times per step that tasks whose group has no signal are replaced with other tasks."""
    overlong_buffer: Annotated[int, Meta(ge=0)] = 0
    """Number of tokens before max_tokens in which each further token lowers the reward (dapo)."""
    overlong_penalty: NotNegative = 1.0
    """Reward subtracted from a reply that uses the whole buffer."""
    mask_truncated: bool = False
    """Whether to leave truncated replies out of the loss. They still count in the mean of their group."""


class PolicyLoss(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The loss of the GRPO family. Key `loss` of a recipe. Each algorithm has its own defaults."""

    ratio: Literal["token", "sequence", "product"] = "token"
    """Importance ratio, the current probability over the probability at sampling time: per token, or per reply as the
    geometric mean over its tokens (gspo) or their product (rloo)."""
    objective: Literal["clip", "cispo"] = "clip"
    """`clip`: moving the ratio out of its range gains nothing. `cispo`: the ratio, capped at clip_high, weights the logprob."""
    clip_low: NotNegative = 0.2
    clip_high: Positive = 0.2
    """The ratio is clipped to 1 - clip_low and 1 + clip_high. For cispo, clip_high is the cap itself."""
    clip_most: NotNegative = 0.0
    """Upper bound of the ratio for every advantage, also a negative one. 0 for no bound."""
    average: Literal["tokens", "sequences", "constant"] = "tokens"
    """How token losses are averaged. `tokens`: over all tokens of the batch. `sequences`: over replies, each the mean of its
    tokens. `constant`: over replies, each the sum of its tokens divided by max_tokens."""
    kl: NotNegative = 0.0
    """Weight of the KL divergence from the reference."""
    kl_in: Literal["loss", "reward"] = "loss"
    reference: Literal["start", "base"] = "start"
    """Reference of the KL divergence: the version that training starts from, or the base model."""
    correction: Literal["none", "tis", "icepop", "sequence_tis", "sequence_mask"] = "tis"
    """Correction for differences between the logprobs of sampler and trainer. `tis` and `sequence_tis` weight by their
    bounded ratio, per token or per reply. `icepop` and `sequence_mask` drop what is out of bounds."""
    correction_low: NotNegative = 0.0
    correction_high: Positive = 3.0
    entropy_bonus: NotNegative = 0.0
    """Weight of the mean entropy in the objective."""


class PreferenceLoss(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The loss on preference pairs, for dpo and reward models. Key `preference` of a recipe."""

    objective: Literal["sigmoid", "ipo"] = "sigmoid"
    """The objective of dpo."""
    beta: Positive = 0.1
    """How strongly dpo stays near the reference. A smaller value allows a larger change."""
    smoothing: Annotated[float, Meta(ge=0, lt=0.5)] = 0.0
    """Assumed share of pairs with swapped labels (dpo)."""
    reference: Literal["start", "base"] = "start"
    margin: bool = False
    """Whether a reward model must separate the scores of a pair by the difference of their rewards."""
    centre: NotNegative = 0.0
    """Weight of the term that keeps the scores of a reward model near 0. A usual value is 0.01."""


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    model: str
    """A Hugging Face model id, a local folder, or smollm2-135m (embedded)."""
    algorithm: Literal["sft", "dpo", "reward", "grpo", "dr_grpo", "dapo", "gspo", "cispo", "rloo"]
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
    """A dataset (id, name, latest) or a file: demonstrations for sft, preferences for dpo and reward. Empty for gold
    solutions."""
    rehearse: dict[str, Share] = {}
    """Environments to rehearse, each with its share of the sft data. The start version answers their training tasks, and
    sft trains on its own replies so that it forgets less. `plain` is meant for this. In an environment with tools, only
    the episodes that passed are used."""
    start: str = ""
    """Version to start from (id, name, champion, latest). Empty for the base model."""
    adapter: Literal["lora"] = "lora"
    lora: Adapter = Adapter()
    num_generations_per_prompt: Count = 8
    """Number of episodes per task. Their rewards are compared with each other."""
    prompts_per_step: Count = 8
    """Number of tasks per step. For sft, dpo and reward, number of rows of the data."""
    steps: Count = 40
    num_tasks: Count | None = None
    """Maximum number of training tasks, spread over families. None for all."""
    part: str = ""
    """Part of the training families to use, such as 1/2. You can train sft on one half and grpo on the other."""
    learning_rate: Positive = 2e-4
    max_tokens: Count = 64
    """Maximum tokens per reply."""
    temperature: Positive = 1.0
    updates_per_batch: Count = 1
    """Number of optimizer updates per batch of episodes."""
    loss: PolicyLoss = PolicyLoss()
    advantage: Advantage = Advantage()
    episodes: Episodes = Episodes()
    preference: PreferenceLoss = PreferenceLoss()
    eval_interval: Annotated[int, Meta(ge=0)] = 10
    """Steps between held-out evaluations. The last step is always evaluated. 0 for the last step only."""
    held_out_eval: str = ""
    """Name of a held-out suite. In a mixture, `all` selects the first suite of each environment."""
    eval_tasks: Count | None = None
    """Maximum number of tasks of the suite, spread over families. None for all."""
    dollars_per_hour: NotNegative = 0.0
    """Price of the machine, used to report the cost of a step and of a point of held-out success."""
    seed: int = 0
    name: str = ""
    """Name of the new version. Empty for the name of the algorithm."""

    @property
    def samples(self) -> bool:
        """Whether training samples its own episodes. If not, it trains on written data."""
        return self.algorithm not in ("sft", "dpo", "reward")


ALGORITHMS: dict[str, dict[str, dict[str, Any]]] = {
    "sft": {},
    "dpo": {},
    "reward": {},
    "grpo": {"loss": {"average": "sequences"}},
    "dr_grpo": {"loss": {"average": "constant"}, "advantage": {"scale": "none"}},
    "dapo": {"loss": {"clip_high": 0.28}, "episodes": {"dynamic_rounds": 3}},
    "gspo": {"loss": {"ratio": "sequence", "average": "sequences", "clip_low": 3e-4, "clip_high": 4e-4}},
    "cispo": {"loss": {"objective": "cispo", "clip_high": 5.0}},
    "rloo": {
        "loss": {"ratio": "product", "average": "sequences", "kl_in": "reward"},
        "advantage": {"baseline": "others", "scale": "none"},
    },
}
"""Defaults of each algorithm. A recipe can override them."""


_NEWER = ("allow_live_tools", "agent")
"""Fields that are stored only if they are set, so that runs of older recipes keep their ids."""


def recipe_json(recipe: Recipe) -> dict[str, Any]:
    """The recipe as it is stored and as it names a run."""
    written = msgspec.to_builtins(recipe)
    return {name: value for name, value in written.items() if name not in _NEWER or value}


def read_recipe(path: Path, overrides: list[str] = []) -> Recipe:  # noqa: B006 (never changed)
    data = read_yaml(path, "a recipe is a list of keys and values, such as model: smollm2-135m")
    return make_recipe(data, overrides, str(path))


def make_recipe(data: dict[str, Any], overrides: list[str], where: str) -> Recipe:
    for override in overrides:
        set_field(data, override)
    check_keys(data, Recipe, where)
    for key, own in ALGORITHMS.get(str(data.get("algorithm")), {}).items():
        if isinstance(given := data.get(key, {}), dict):
            data = {**data, key: {**own, **given}}
    recipe = decode(data, Recipe, where, strict=False)
    _check_sense(recipe, where)
    return recipe


def _check_sense(recipe: Recipe, where: str) -> None:
    """Checks combinations of fields that are each valid alone."""
    check_name(recipe.name, f"{where}: ")
    if recipe.samples and recipe.num_generations_per_prompt < 2:
        raise BadInput(
            f"{where}: num_generations_per_prompt must be at least 2. {recipe.algorithm} compares several episodes of a task"
        )
    if not recipe.reward and not recipe.environments and not recipe.environment:
        raise BadInput(f"{where}: reward is missing. Set it to the name of a verifier, such as tool_call_verifier")
    if recipe.environments and recipe.environment:
        raise BadInput(f"{where}: `environment` and `environments` cannot be combined. List all under `environments`")
    if recipe.algorithm in ("dpo", "reward") and not recipe.data:
        raise BadInput(
            f"{where}: data is missing. {recipe.algorithm} trains on preferences. Create them with: verigym data pairs RUN"
        )
    if recipe.algorithm == "reward" and recipe.held_out_eval:
        raise BadInput(
            f"{where}: held_out_eval cannot be used with algorithm: reward, because a reward model does not answer tasks. "
            "Remove it. Pairs of the data are held out instead"
        )
    if isinstance(recipe.reward, dict) and not all(map(math.isfinite, recipe.reward.values())):
        raise BadInput(f"{where}: reward: every weight must be a finite number")
    if recipe.reward_model and not recipe.samples:
        raise BadInput(
            f"{where}: reward_model cannot be used with {recipe.algorithm}, which trains on a dataset. "
            "Remove it, or use grpo or one of its variants"
        )
    if recipe.advantage.rewards == "each":
        _check_each(recipe, where)
    if recipe.data and recipe.samples:
        raise BadInput(
            f"{where}: data cannot be used with {recipe.algorithm}, which samples its own episodes. Remove it"
        )
    if recipe.part:
        try:
            parse_part(recipe.part)
        except BadInput as error:
            raise BadInput(f"{where}: {error}") from None
    if recipe.data and recipe.part:
        raise BadInput(f"{where}: `part` and `data` cannot be combined. Remove one")
    if recipe.rehearse and recipe.algorithm != "sft":
        raise BadInput(
            f"{where}: rehearse works only with sft. To keep {recipe.algorithm} near its start, "
            f"use {'loss.kl' if recipe.samples else 'preference.beta'}"
        )
    if sum(recipe.rehearse.values()) >= 1:
        raise BadInput(f"{where}: rehearse: the sum of the shares must be below 1")
    if recipe.episodes.overlong_buffer >= recipe.max_tokens:
        raise BadInput(f"{where}: episodes.overlong_buffer must be smaller than max_tokens ({recipe.max_tokens})")
    if recipe.loss.correction_low > recipe.loss.correction_high:
        raise BadInput(f"{where}: loss.correction_low is above loss.correction_high. Swap them")


def _check_each(recipe: Recipe, where: str) -> None:
    """Checks `advantage.rewards: each`, which compares each reward separately and ignores changes of their sum."""
    if not isinstance(recipe.reward, dict):
        raise BadInput(
            f"{where}: `advantage.rewards: each` needs several rewards, such as reward: {{correct: 1, short: 0.5}}"
        )
    for other, given in (
        ("reward_model", bool(recipe.reward_model)),
        ("advantage.credit: step", recipe.advantage.credit == "step"),
        ("episodes.overlong_buffer", recipe.episodes.overlong_buffer > 0),
        ("loss.kl_in: reward", recipe.loss.kl > 0 and recipe.loss.kl_in == "reward"),
    ):
        if given:
            raise BadInput(
                f"{where}: `advantage.rewards: each` and {other} cannot be combined. Use `rewards: sum` with {other}"
            )


def overlong_penalty(recipe: dict[str, Any]) -> float:
    """What training took off the reward of a long reply, by the stored recipe of a version. 0 for nothing."""
    episodes = recipe.get("episodes") or {}
    return float(episodes.get("overlong_penalty", 1.0)) if episodes.get("overlong_buffer") else 0.0
