"""A recipe: what to train, on what, how, and how to tell whether it helped. YAML, decoded straight into this struct.

An unknown key is refused with the nearest known one. `a.b=c` on the command line overrides a field.
"""

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from verigym.core.errors import BadInput
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
    """Only the last n layers; none for all."""


class Advantage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How rewards become advantages. Key `advantage`."""

    baseline: Literal["group", "others"] = "group"
    """A reward is compared with the mean of its group, or of the others in it (rloo)."""
    scale: Literal["group", "batch", "none"] = "group"
    """Divided by the standard deviation of its group, of the batch, or not at all."""
    rewards: Literal["sum", "each"] = "sum"
    """Several rewards: their weighted sum is compared, or each is compared by itself, and then they are summed (gdpo)."""
    credit: Literal["trajectory", "step"] = "trajectory"
    """All turns share what came of the episode, or each gets what came after it (environments that reward steps)."""
    discount: Annotated[float, Meta(gt=0, le=1)] = 1.0
    """What a reward is worth a step earlier (credit: step)."""


class Episodes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which episodes are learnt from. Key `episodes`."""

    dynamic_rounds: Annotated[int, Meta(ge=0)] = 0
    """Sample other tasks in place of groups without signal, at most so many times a step."""
    overlong_buffer: Annotated[int, Meta(ge=0)] = 0
    """The last so many of max_tokens cost reward, more with each token (dapo)."""
    overlong_penalty: NotNegative = 1.0
    """What a reply that uses all of them costs."""
    mask_truncated: bool = False
    """Cut-off replies count in their group's mean, but are not learnt from."""


class PolicyLoss(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the GRPO family weighs a token. Key `loss` of a recipe; each algorithm has its own defaults."""

    ratio: Literal["token", "sequence", "product"] = "token"
    """Probability now over probability then: of each token, or of the whole reply, as the geometric mean over its tokens
    (gspo) or as their product (rloo)."""
    objective: Literal["clip", "cispo"] = "clip"
    """`clip`: no gain from moving a ratio out of its range. `cispo`: the ratio, capped at clip_high, weighs the logprob."""
    clip_low: NotNegative = 0.2
    clip_high: Positive = 0.2
    """The range of the ratio is 1 - clip_low to 1 + clip_high; for cispo clip_high is the cap itself."""
    clip_most: NotNegative = 0.0
    """A ratio is never taken to be above this, whatever its advantage; 0 for no such bound."""
    average: Literal["tokens", "sequences", "constant"] = "tokens"
    """Over all tokens of the batch alike; over replies, each the mean of its tokens; or over replies, each the sum of its
    tokens divided by max_tokens."""
    kl: NotNegative = 0.0
    """Weight of the divergence from the reference."""
    kl_in: Literal["loss", "reward"] = "loss"
    reference: Literal["start", "base"] = "start"
    """What the divergence is measured from: the version that training started from, or the bare model."""
    correction: Literal["none", "tis", "icepop", "sequence_tis", "sequence_mask"] = "tis"
    """Where sampler and trainer compute different logprobs: weigh by their ratio, of tokens or of replies, bounded (tis), or
    drop what is out of bounds (icepop, sequence_mask)."""
    correction_low: NotNegative = 0.0
    correction_high: Positive = 3.0
    entropy_bonus: NotNegative = 0.0
    """Weight of the mean entropy, which is added to what is to be made large."""


class PreferenceLoss(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How pairs are weighed, by dpo and by reward models. Key `preference` of a recipe."""

    objective: Literal["sigmoid", "ipo"] = "sigmoid"
    """Of dpo."""
    beta: Positive = 0.1
    """How far dpo may move from the reference: the smaller, the farther."""
    smoothing: Annotated[float, Meta(ge=0, lt=0.5)] = 0.0
    """The share of pairs that are taken to be labelled the wrong way round (dpo)."""
    reference: Literal["start", "base"] = "start"
    margin: bool = False
    """A reward model has to tell a pair apart by as much as its rewards did."""
    centre: NotNegative = 0.0
    """Weight that keeps a reward model's scores around 0; 0.01 is usual."""


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    model: str
    """A hub id, a local folder, or smollm2-135m (embedded)."""
    algorithm: Literal["sft", "dpo", "reward", "grpo", "dr_grpo", "dapo", "gspo", "cispo", "rloo"]
    reward: str | dict[str, float] = ""
    """Name of a verifier, whose environment is trained in; or several, each with its weight."""
    environments: dict[str, Positive] = {}
    """A mixture: names or Python files, each with its share of the tasks."""
    environment: str = ""
    """A name or a Python file; empty for the one that defines `reward`."""
    reward_model: str = ""
    """A version made by `algorithm: reward`: its score is what is learnt from, and `reward` is left to judge what is held out."""
    judge: str = ""
    """A version or model that judges, for verifiers that ask one."""
    user: str = ""
    """A version or model that plays the user, in environments with a persona."""
    data: str = ""
    """A data set (id, name, latest) or a file: demonstrations for sft, preferences for dpo and reward. Empty for gold replies."""
    rehearse: dict[str, Share] = {}
    """Environments whose training tasks the start answers itself, each with its share of what sft learns from: it goes on
    saying what it said, and forgets less. `plain` is there for it. Where there are tools, what it did rightly counts."""
    start: str = ""
    """Agent version to start from (id, name, champion, latest); empty for the bare model."""
    adapter: Literal["lora"] = "lora"
    lora: Adapter = Adapter()
    num_generations_per_prompt: Count = 8
    """Episodes of one task whose rewards are compared with each other."""
    prompts_per_step: Count = 8
    """Tasks of a step; for sft, dpo and reward, rows of the data."""
    steps: Count = 40
    num_tasks: Count | None = None
    """Use only so many training tasks, spread over families; none for all."""
    part: str = ""
    """Use only this part of the training families, such as 1/2: sft can imitate one half, and grpo be rewarded on the other."""
    learning_rate: Positive = 2e-4
    max_tokens: Count = 64
    """Of one reply."""
    temperature: Positive = 1.0
    updates_per_batch: Count = 1
    """Optimizer updates made from one batch of episodes."""
    loss: PolicyLoss = PolicyLoss()
    advantage: Advantage = Advantage()
    episodes: Episodes = Episodes()
    preference: PreferenceLoss = PreferenceLoss()
    eval_interval: Annotated[int, Meta(ge=0)] = 10
    """Steps between held-out evaluations; the last step is always measured. 0 for the last alone."""
    held_out_eval: str = ""
    """Name of a held-out suite. In a mixture: `all`, each environment's first."""
    eval_tasks: Count | None = None
    """Use only so many tasks of the suite, spread over families; none for all."""
    dollars_per_hour: NotNegative = 0.0
    """What the machine costs, to say what a step and a point of held-out success cost."""
    seed: int = 0
    name: str = ""
    """Of the version that comes out; empty for the algorithm's."""

    @property
    def samples(self) -> bool:
        """Whether it learns from episodes that it samples; else from written data."""
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
"""What each algorithm sets; a recipe may set it otherwise."""


def read_recipe(path: Path, overrides: list[str] = []) -> Recipe:  # noqa: B006 (never changed)
    if not path.is_file():
        beside = sorted(each.name for each in path.parent.glob("*.yaml")) if path.parent.is_dir() else []
        raise BadInput(f"{path}: no such recipe" + (f"; beside it: {', '.join(beside)}" if beside else ""))
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
    """What each field allows by itself may still make no sense together."""
    if recipe.samples and recipe.num_generations_per_prompt < 2:
        raise BadInput(
            f"{where}: {recipe.algorithm} compares episodes of one task: num_generations_per_prompt must be at least 2"
        )
    if not recipe.reward and not recipe.environments and not recipe.environment:
        raise BadInput(f"{where}: reward is missing: the name of a verifier, such as tool_call_verifier")
    if recipe.environments and recipe.environment:
        raise BadInput(f"{where}: environment and environments are both given; a mixture lists all of its environments")
    if recipe.algorithm in ("dpo", "reward") and not recipe.data:
        raise BadInput(
            f"{where}: {recipe.algorithm} learns from preferences: data is missing. Make them with: verigym data pairs RUN"
        )
    if recipe.algorithm == "reward" and recipe.held_out_eval:
        raise BadInput(
            f"{where}: a reward model answers nothing, so held_out_eval has no use; pairs of its data are held out instead"
        )
    if isinstance(recipe.reward, dict) and not all(map(math.isfinite, recipe.reward.values())):
        raise BadInput(f"{where}: reward: a weight is a finite number")
    if recipe.reward_model and not recipe.samples:
        raise BadInput(
            f"{where}: {recipe.algorithm} learns from written data, so reward_model has no use; the GRPO family learns from it"
        )
    if recipe.advantage.rewards == "each":
        _check_each(recipe, where)
    if recipe.data and recipe.samples:
        raise BadInput(f"{where}: {recipe.algorithm} learns from its own episodes, so data has no use; leave it out")
    if recipe.part:
        try:
            parse_part(recipe.part)
        except BadInput as error:
            raise BadInput(f"{where}: {error}") from None
    if recipe.data and recipe.part:
        raise BadInput(f"{where}: part is of an environment's tasks, and data brings its own; leave one of them out")
    if recipe.rehearse and recipe.algorithm != "sft":
        raise BadInput(
            f"{where}: rehearse is for sft; {recipe.algorithm} stays near its start by a divergence from it "
            f"({'loss.kl' if recipe.samples else 'preference.beta'})"
        )
    if sum(recipe.rehearse.values()) >= 1:
        raise BadInput(f"{where}: rehearse: the shares leave nothing to learn; together they must be below 1")
    if recipe.episodes.overlong_buffer >= recipe.max_tokens:
        raise BadInput(f"{where}: episodes.overlong_buffer must be smaller than max_tokens ({recipe.max_tokens})")
    if recipe.loss.correction_low > recipe.loss.correction_high:
        raise BadInput(f"{where}: loss.correction_low is above loss.correction_high")


def _check_each(recipe: Recipe, where: str) -> None:
    """Each reward is compared as its verifier gave it: what changes their sum would be lost."""
    if not isinstance(recipe.reward, dict):
        raise BadInput(
            f"{where}: advantage.rewards: each needs several rewards, such as reward: {{correct: 1, short: 0.5}}"
        )
    for other, given in (
        ("reward_model", bool(recipe.reward_model)),
        ("advantage.credit: step", recipe.advantage.credit == "step"),
        ("episodes.overlong_buffer", recipe.episodes.overlong_buffer > 0),
        ("loss.kl_in: reward", recipe.loss.kl > 0 and recipe.loss.kl_in == "reward"),
    ):
        if given:
            raise BadInput(
                f"{where}: advantage.rewards: each and {other} cannot both be; with {other}, take rewards: sum"
            )
