"""The groups of fields of a recipe (`lora`, `advantage`, `loss`, ...), one struct per group.

None means that the algorithm decides (`recipe.filled`) or the model and the data do (`defaults.resolved`). The pure functions of
losses and advantages take None as the first value that a field names.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from verigym.core.records import Weights
from verigym.rollout.settings import EpisodeLimits

Count = Annotated[int, Meta(ge=1)]
Positive = Annotated[float, Meta(gt=0)]
NotNegative = Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(gt=0, lt=1)]
Decay = Annotated[float, Meta(ge=0, lt=1)]
TOKEN_BOUND = 3.0
"""The bound of the ratio of a token or reply, unless the recipe names another."""
LEAST_FAMILIES = 10
"""A reward model holds out one of this many families. With fewer, it holds out none."""


class Adapter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of `adapter: lora`, under the key `lora`."""

    r: Count = 16
    alpha: Count = 32
    targets: str | list[str] = "all"
    """Layers that get an adapter: `all`, `embeddings`, `head`, or names of layers. A list combines them. `all` is every linear
    layer and every expert of the decoder layers."""
    dropout: Annotated[float, Meta(ge=0, lt=1)] = 0.0
    """Share of the inputs of an adapter that are set to 0 in training."""
    rank_pattern: dict[str, Count] = {}
    """Ranks that differ from r, by name of the layer. A key is a regular expression that matches the end of its full name."""
    top_layers: Count | None = None
    """Number of layers to train, counted from the last. None trains all layers."""

    @property
    def names(self) -> tuple[str, ...]:
        """The targets as a list."""
        return (self.targets,) if isinstance(self.targets, str) else tuple(self.targets)


class FullTraining(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Settings of `adapter: full`, which trains all parameters. Key `full`."""

    checkpointing: bool = False
    """Whether the backward pass computes each layer again instead of keeping its activations. It takes a third more time and
    much less memory."""
    offload: bool = False
    """Whether the optimizer's states, and the copy of the weights in float32, are in the memory of the CPU."""


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Limits of each episode, in training and on held-out tasks. Key `limits`."""

    turns: Count | None = None
    """Maximum replies of the model. None for the `max_turns` of the environment."""
    seconds: Positive | None = None
    """Maximum seconds. None for 300."""
    tokens: Count | None = None
    """Maximum sampled tokens over all replies of an episode. `max_tokens` limits each reply."""
    reasoning_tokens: Count | None = None
    """Maximum tokens of reasoning in a reply. The reasoning is ended there, and the answer follows."""

    def episode(self) -> EpisodeLimits:
        return EpisodeLimits(
            **{name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}
        )


class Imitation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What sft imitates in a written conversation. Key `sft`."""

    replies: Literal["last", "every"] = "last"
    """`last`: the reply at the end of a chat row, with earlier replies as context. `every`: each reply of the assistant."""


class Optimizer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The optimizer and the course of its learning rate. Key `optimizer`."""

    name: Literal["adamw", "adamw8bit"] = "adamw"
    """adamw8bit stores the two moments of large parameters in 8 bits, with bitsandbytes."""
    betas: tuple[Decay, Decay] = (0.9, 0.99)
    """How much of the mean of gradients, and of their squares, each update keeps."""
    weight_decay: NotNegative = 0.0
    """Share of a weight, times the learning rate, that each update takes off. It pulls an adapter back to the base model."""
    max_grad_norm: Positive = 1.0
    """A longer gradient is shortened to this length."""
    schedule: Literal["constant", "linear", "cosine"] | None = None
    """The learning rate after the warm-up: constant, or falling to a tenth until the last step. None: constant if training
    samples episodes, otherwise linear."""
    warmup: Annotated[int, Meta(ge=0)] | None = None
    """Steps in which the learning rate rises to its value. None in a stored recipe is 3."""


class Advantage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How rewards become advantages. Key `advantage`."""

    baseline: Literal["group", "others"] | None = None
    """What a reward is compared with: the mean of its group, or the mean of the other episodes in it (rloo)."""
    scale: Literal["group", "batch", "none"] | None = None
    """What the difference is divided by: the standard deviation of the group, of the batch, or nothing."""
    scale_from: Literal["rewards", "advantages"] | None = None
    """The deviation of the batch: of the `rewards` of all groups, or of the centred `advantages` of the groups with signal."""
    rewards: Literal["sum", "each", "passed"] = "sum"
    """With several rewards: compare their weighted sum, or compare each reward separately and then sum (gdpo). `passed`: an
    episode is worth 1 if it passed and 0 if not, so that parts of the reward pay nothing."""
    credit: Literal["trajectory", "step", "state"] = "trajectory"
    """`trajectory`: all turns share the reward of the episode. `step`: each turn gets the rewards that follow it, compared with
    the same turn of other episodes. `state`: the advantage of the episode, plus that of the turn among all turns of the group
    that began in the same state (gigpo)."""
    discount: Annotated[float, Meta(gt=0, le=1)] | None = None
    """Discount factor per turn (credit: step, state)."""
    state_weight: NotNegative = 1.0
    """Weight of the advantage among equal states (credit: state)."""
    min_scaled: Annotated[int, Meta(ge=0)] | None = None
    """Turns that are compared with fewer than this many, themselves included, are compared with the mean of the others and not
    divided by the deviation (credit: step, state)."""


class Checkpoints(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which weights of a run are kept, and which of them become the version. Key `checkpoints`."""

    keep: Annotated[int, Meta(ge=0)] = 1
    """Number of last checkpoints to keep, besides the best one. There is a checkpoint every `eval_interval` steps and after
    the last step. 0 keeps none, unless `choose` is best."""
    choose: Literal["last", "best"] = "last"
    """Which checkpoint becomes the version: the last, or the one with the best held-out success."""
    patience: Annotated[int, Meta(ge=0)] = 0
    """Number of held-out evaluations without a new best after which training stops. 0 never stops early."""

    @property
    def chooses(self) -> bool:
        """Whether held-out tasks influence which weights become the version."""
        return self.choose == "best" or self.patience > 0


class EngineSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How the engine in this process samples the episodes to train on. Key `engine`."""

    weights: Weights = ""
    """`int16` or `int8`: weights rounded to integers, on a CPU. Training and held-out evaluations use the model's own."""


class Rft(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Settings of `algorithm: rft`. A step is a round: sample, keep what passes, imitate it. Key `rft`."""

    keep: Count = 2
    """Maximum number of episodes of a task to imitate in a round."""
    prefer: Literal["shortest", "different"] = "shortest"
    """Which of the episodes that passed are kept: the shortest, or the shortest and those that differ most from it."""
    epochs: Count = 1
    """Number of passes over the kept episodes in a round."""
    batch: Count = 16
    """Number of samples per optimizer update."""


class Difficulty(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """How tasks are drawn, by how often they passed in earlier steps of the run. Key `difficulty`."""

    draw: Literal["uniform", "signal"] = "uniform"
    """`signal`: draw tasks in proportion to p(1 - p) + floor, where p is the running pass rate. `uniform`: all tasks alike."""
    decay: Annotated[float, Meta(gt=0, le=1)] = 0.9
    """Factor by which earlier attempts at a task lose weight each time it is tried again."""
    floor: Positive = 0.02
    """Added to the weight of every task, so that none is forgotten."""
    solved: Annotated[float, Meta(gt=0, le=1)] = 0.9
    """Pass rate from which a task pauses."""
    pause: Annotated[int, Meta(ge=0)] = 10
    """Number of steps that a solved task pauses before it can be drawn again. 0 never pauses."""


class Episodes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which episodes are trained on. Key `episodes`."""

    dynamic_rounds: Annotated[int, Meta(ge=0)] | None = None
    """Maximum number of times per step that tasks whose group has no signal are replaced with other tasks."""
    overlong_buffer: Annotated[int, Meta(ge=0)] = 0
    """Number of tokens before max_tokens in which each further token lowers the reward (dapo)."""
    overlong_penalty: NotNegative = 1.0
    """Reward subtracted from a reply that uses the whole buffer."""
    gold_when_all_fail: NotNegative = 0.0
    """Weight of the gold solution in a group in which every attempt fails. It is imitated beside the attempts. 0 for none."""
    length_penalty: NotNegative = 0.0
    """Reward subtracted from the longest passing episode of a group. The shortest passing one loses nothing, those between a
    share by their tokens, and failed ones nothing (in the manner of Kimi k1.5)."""
    turn_penalty: NotNegative = 0.0
    """Reward subtracted from a passing episode for each reply after the first."""
    mask_truncated: bool = False
    """Whether to leave truncated replies out of the loss. They still count in the mean of their group."""


class PolicyLoss(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The loss of the GRPO family. Key `loss` of a recipe. Each algorithm has its own defaults."""

    ratio: Literal["token", "sequence", "product"] | None = None
    """Importance ratio, the current probability over the probability at sampling time: per token, or per reply as the
    geometric mean over its tokens (gspo) or their product (rloo). If turns have advantages of their own, the
    gradient under `sequence` is that of each token (GSPO-token)."""
    objective: Literal["clip", "cispo"] | None = None
    """`clip`: moving the ratio out of its range gains nothing. `cispo`: the ratio, capped at clip_high, weights the logprob."""
    clip_low: NotNegative | None = None
    clip_high: Positive | None = None
    """The ratio is clipped to 1 - clip_low and 1 + clip_high. For cispo, clip_high is the cap itself."""
    clip_most: NotNegative = 0.0
    """Upper bound of the ratio for every advantage, also a negative one. 0 for no bound."""
    average: Literal["tokens", "sequences", "constant"] | None = None
    """How token losses are averaged. `tokens`: over all tokens of the batch. `sequences`: over replies, each the mean of its
    tokens. `constant`: over replies, each the sum of its tokens divided by max_tokens."""
    kl: NotNegative | None = None
    """Weight of the KL divergence from the reference."""
    kl_in: Literal["loss", "reward"] | None = None
    kl_estimator: Literal["unbiased", "k1", "k2", "k3"] = "unbiased"
    """How the divergence of a token is estimated, with d the logprob less that of the reference. `k1`: d. `k2`: d squared / 2.
    `k3`: exp(-d) + d - 1. `unbiased`: k3 times the ratio of the token, whose gradient is that of the divergence. In the
    reward, `unbiased` is k1."""
    reference: Literal["start", "base"] = "start"
    """Reference of the KL divergence: the version that training starts from, or the base model."""
    correction: Literal["none", "tis", "icepop", "geometric_mask", "sequence_tis", "sequence_mask"] = "tis"
    """Correction for differences between the logprobs of sampler and trainer. `tis` and `sequence_tis` weight by their
    bounded ratio, per token or per reply. `icepop` and `sequence_mask` drop what is out of bounds. `geometric_mask` drops a
    reply if the geometric mean of the ratios of its tokens is out of bounds, and weights the tokens of others as `tis` does."""
    correction_low: NotNegative | None = None
    correction_high: Positive | None = None
    entropy_bonus: NotNegative = 0.0
    """Weight of the mean entropy in the objective."""


class PreferenceLoss(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The loss on preference pairs, for dpo and reward models. Key `preference` of a recipe."""

    objective: Literal["sigmoid", "ipo"] = "sigmoid"
    """The objective of dpo."""
    beta: Positive | None = None
    """How strongly dpo stays near the reference. A smaller value allows a larger change."""
    smoothing: Annotated[float, Meta(ge=0, lt=0.5)] = 0.0
    """Assumed share of pairs with swapped labels (dpo)."""
    reference: Literal["start", "base"] = "start"
    margin: bool = False
    """Whether a reward model must separate the scores of a pair by the difference of their rewards."""
    centre: NotNegative = 0.0
    """Weight of the term that keeps the scores of a reward model near 0. A usual value is 0.01."""


class Thumbs(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The loss on thumbs up and down. Key `kto` of a recipe. `preference` has its beta and its reference."""

    desirable_weight: Positive = 1.0
    """Weight of a row with a thumb up. With few of them, a higher weight balances the data."""
    undesirable_weight: Positive = 1.0
    """Weight of a row with a thumb down."""


class Critic(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The critic of ppo: a second adapter with a head on the same base model. Key `critic` of a recipe."""

    learning_rate: Positive = 1e-4
    warmup: Annotated[int, Meta(ge=0)] = 5
    """Steps at the beginning in which only the critic learns."""
    discount: Annotated[float, Meta(gt=0, le=1)] = 1.0
    """Discount factor per token (gamma)."""
    smoothing: Annotated[float, Meta(ge=0, le=1)] = 1.0
    """The lambda of GAE: 1 compares whole returns with values, smaller values trust the critic more."""
    clip: NotNegative = 0.5
    """How far the value of a token may move per batch. 0 for no bound."""
    whiten: bool = True
    """Whether advantages are shifted and scaled to mean 0 and deviation 1 over the tokens of a batch."""


class Distill(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """On-policy distillation. Key `distill` of a recipe."""

    teacher: str = ""
    """The teacher: a version, a model folder or id, a server (URL#MODEL), or `self` for the model itself with the gold
    solution in its prompt."""
    weights: Literal["start", "current"] = "start"
    """The weights of the teacher `self`: those that training starts from, or those of the current step."""
    kl: Positive = 1.0
    """Weight of the teacher: how much a token gains per nat that the teacher finds it likelier than the student does."""
    reward: NotNegative = 0.0
    """Weight of the advantage that rewards give, beside the teacher. 0 learns from the teacher alone."""
    clip: NotNegative = 10.0
    """Largest difference of the two logprobs of a token that counts, in nats. 0 for no bound."""
    dollars_per_million_tokens: NotNegative = 0.0
    """Price of the tokens that a teacher on a server reads. It is added to the cost of a step."""


def clips_of(settings: PolicyLoss) -> tuple[float, float]:
    """`clip_low` and `clip_high`, or those of DAPO if they are not set."""
    low, high = settings.clip_low, settings.clip_high
    return 0.2 if low is None else low, 0.28 if high is None else high


def correction_bounds(settings: PolicyLoss) -> tuple[float, float]:
    """`correction_low` and `correction_high`, or those of the correction: IcePop drops ratios outside 0.5 and 5, and a geometric
    mask replies outside 0.99 and 1.01. The others bound the ratio at 3."""
    low, high = {"icepop": (0.5, 5.0), "geometric_mask": (0.99, 1.01)}.get(settings.correction, (0.0, TOKEN_BOUND))
    own_low, own_high = settings.correction_low, settings.correction_high
    return low if own_low is None else own_low, high if own_high is None else own_high


def beta_of(settings: PreferenceLoss) -> float:
    """`beta`, or that of the objective: 0.1, and 1 for ipo. Here, ipo divides by the length of a reply, so 1 asks for half a nat
    per token, where 0.1 would ask for 5."""
    if settings.beta is not None:
        return settings.beta
    return 1.0 if settings.objective == "ipo" else 0.1
