"""Checks of a recipe: combinations of fields that are each valid alone but make no sense together."""

import math
import re
from typing import TYPE_CHECKING

from verigym.core.errors import BadInput, not_found
from verigym.core.names import check_given_name
from verigym.evaluation.suites import parse_part
from verigym.training.recipe_groups import correction_bounds
from verigym.training.recipe_loop_checks import check_loops
from verigym.training.trackers import PACKAGES

if TYPE_CHECKING:
    from verigym.training.recipe import Recipe


def check_sense(recipe: "Recipe", where: str) -> None:
    """Checks combinations of fields that are each valid alone."""
    check_given_name(recipe.name, f"{where}: ")
    if recipe.compares and recipe.num_generations_per_prompt < 2:
        raise BadInput(
            f"{where}: num_generations_per_prompt must be at least 2. {recipe.algorithm} compares several episodes of a task"
        )
    if not recipe.reward and not recipe.environments and not recipe.environment:
        _check_data_alone(recipe, where)
    if recipe.environments and recipe.environment:
        raise BadInput(f"{where}: `environment` and `environments` cannot be combined. List all under `environments`")
    if recipe.algorithm in ("dpo", "reward") and not recipe.data:
        raise BadInput(
            f"{where}: data is missing. {recipe.algorithm} trains on preferences. Create them with: verigym data pairs RUN"
        )
    _check_thumbs(recipe, where)
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
    unknown = [name for name in recipe.trackers if name not in PACKAGES]
    if unknown:
        raise not_found("tracker", unknown[0], PACKAGES, f"See trackers in {where}.")
    if recipe.advantage.rewards == "each":
        _check_each(recipe, where)
    if recipe.advantage.rewards == "passed":
        _check_passed(recipe, where)
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
    if recipe.sft.replies != "last" and (recipe.algorithm != "sft" or not recipe.data):
        raise BadInput(
            f"{where}: sft.replies works only with sft on `data`. Gold solutions already train every reply. Remove it"
        )
    if recipe.max_tokens is not None and (recipe.limits.reasoning_tokens or 0) >= recipe.max_tokens:
        raise BadInput(
            f"{where}: limits.reasoning_tokens must be smaller than max_tokens ({recipe.max_tokens}). The answer needs the rest"
        )
    if recipe.limits != type(recipe.limits)() and not (recipe.samples or recipe.held_out_eval or recipe.rehearse):
        raise BadInput(
            f"{where}: `limits` are for episodes, and this recipe runs none. Remove it, or set held_out_eval"
        )
    if sum(recipe.rehearse.values()) >= 1:
        raise BadInput(f"{where}: rehearse: the sum of the shares must be below 1")
    if recipe.max_tokens is not None and recipe.episodes.overlong_buffer >= recipe.max_tokens:
        raise BadInput(f"{where}: episodes.overlong_buffer must be smaller than max_tokens ({recipe.max_tokens})")
    if recipe.tools.active and recipe.data:
        raise BadInput(
            f"{where}: `tools` and `data` cannot be combined. The rows of a dataset have their own tools. Remove one"
        )
    if recipe.tools.rename and recipe.agent:
        raise BadInput(
            f"{where}: tools.rename and `agent` cannot be combined. Use tools.shuffle or tools.hide with an agent"
        )
    _check_distill(recipe, where)
    _check_critic(recipe, where)
    _check_lora(recipe, where)
    _check_full(recipe, where)
    check_loops(recipe, where)
    low, high = correction_bounds(recipe.loss)
    if low > high:
        raise BadInput(f"{where}: loss.correction_low ({low:g}) is above loss.correction_high ({high:g}). Swap them")
    if recipe.loss.ratio == "product" and recipe.advantage.credit != "trajectory":
        raise BadInput(
            f"{where}: `loss.ratio: product` and `advantage.credit: {recipe.advantage.credit}` cannot be combined, because the "
            "product of a reply has one gradient for all its turns. Set loss.ratio to token or sequence"
        )


def _check_full(recipe: "Recipe", where: str) -> None:
    """Checks what `adapter: full` leaves without effect or cannot do."""
    if recipe.adapter != "full":
        if recipe.full != type(recipe.full)():
            raise BadInput(
                f"{where}: full has no effect with adapter: {recipe.adapter}. Remove it, or set adapter: full"
            )
        return
    if recipe.lora != type(recipe.lora)():
        raise BadInput(
            f"{where}: lora has no effect with adapter: full. Remove it (on the command line: lora=), or set adapter: lora"
        )
    if recipe.algorithm == "reward":
        raise BadInput(
            f"{where}: adapter: full cannot be used with algorithm: reward, whose head belongs to an adapter. "
            "Set adapter: lora or qlora"
        )


def _check_lora(recipe: "Recipe", where: str) -> None:
    """Checks `lora`. Whether the model has the named layers is known only when it is opened."""
    names = recipe.lora.names
    if not names or not all(name.strip() for name in names):
        raise BadInput(f"{where}: lora.targets is empty. Write all, or a list of names such as [q_proj, v_proj]")
    for pattern in recipe.lora.rank_pattern:
        try:
            re.compile(pattern)
        except re.error as error:
            raise BadInput(
                f'{where}: lora.rank_pattern: "{pattern}" is not a regular expression ({error}). Write the name of a layer'
            ) from None


def _check_data_alone(recipe: "Recipe", where: str) -> None:
    """Checks a recipe without an environment, which can only train on written data and evaluates nothing."""
    if recipe.samples or not recipe.data:
        raise BadInput(f"{where}: reward is missing. Set it to the name of a verifier, such as tool_call_verifier")
    if recipe.held_out_eval:
        raise BadInput(
            f"{where}: held_out_eval needs an environment. Add `environment` or `reward`, or remove held_out_eval to train on "
            "the data alone"
        )


def _check_each(recipe: "Recipe", where: str) -> None:
    """Checks `advantage.rewards: each`, which compares each reward separately and ignores changes of their sum."""
    if not isinstance(recipe.reward, dict):
        raise BadInput(
            f"{where}: `advantage.rewards: each` needs several rewards, such as reward: {{correct: 1, short: 0.5}}"
        )
    for other, given in (
        ("reward_model", bool(recipe.reward_model)),
        (f"advantage.credit: {recipe.advantage.credit}", recipe.advantage.credit != "trajectory"),
        ("episodes.overlong_buffer", recipe.episodes.overlong_buffer > 0),
        ("episodes.length_penalty", recipe.episodes.length_penalty > 0),
        ("episodes.turn_penalty", recipe.episodes.turn_penalty > 0),
        ("loss.kl_in: reward", bool(recipe.loss.kl) and recipe.loss.kl_in == "reward"),
    ):
        if given:
            raise BadInput(
                f"{where}: `advantage.rewards: each` and {other} cannot be combined. Use `rewards: sum` with {other}"
            )


def _check_passed(recipe: "Recipe", where: str) -> None:
    """Checks `advantage.rewards: passed`, with which only the verdict of the first verifier counts."""
    for other, given in (
        ("reward_model", bool(recipe.reward_model)),
        ("several rewards", isinstance(recipe.reward, dict) and len(recipe.reward) > 1),
        (f"algorithm: {recipe.algorithm}", recipe.algorithm == "rft"),
    ):
        if given:
            raise BadInput(
                f"{where}: `advantage.rewards: passed` and {other} cannot be combined, because only passing would count. "
                "Remove one"
            )


def _check_thumbs(recipe: "Recipe", where: str) -> None:
    """Checks the group `kto` and the fields that its loss needs or does not use."""
    if recipe.algorithm != "kto":
        if recipe.kto != type(recipe.kto)():
            raise BadInput(f"{where}: kto cannot be used with {recipe.algorithm}. Remove it, or set algorithm: kto")
        return
    if not recipe.data:
        raise BadInput(f"{where}: data is missing. kto trains on thumbs. Create them with: verigym data thumbs RUN")
    if recipe.prompts_per_step < 2:
        raise BadInput(
            f"{where}: prompts_per_step must be at least 2. kto estimates the divergence from replies to other prompts"
        )
    for name, given in (
        ("objective", recipe.preference.objective != "sigmoid"),
        ("smoothing", recipe.preference.smoothing > 0),
        ("margin", recipe.preference.margin),
        ("centre", recipe.preference.centre > 0),
    ):
        if given:
            raise BadInput(f"{where}: preference.{name} has no effect on kto. Remove it")


def _check_critic(recipe: "Recipe", where: str) -> None:
    """Checks the group `critic`, and what a critic leaves without effect."""
    if recipe.algorithm != "ppo":
        if recipe.critic != type(recipe.critic)():
            raise BadInput(f"{where}: critic cannot be used with {recipe.algorithm}. Remove it, or set algorithm: ppo")
        return
    if recipe.critic.warmup >= recipe.steps:
        raise BadInput(
            f"{where}: critic.warmup ({recipe.critic.warmup}) must be smaller than steps ({recipe.steps}), or the policy never "
            "learns"
        )
    for name, given in (
        ("advantage.credit: state", recipe.advantage.credit == "state"),
        ("advantage.rewards: each", recipe.advantage.rewards == "each"),
        ("episodes.dynamic_rounds", bool(recipe.episodes.dynamic_rounds)),
        ("adapter: full", recipe.adapter == "full"),
    ):
        if given:
            raise BadInput(f"{where}: {name} cannot be used with ppo, whose critic gives the advantages. Remove it")


def _check_distill(recipe: "Recipe", where: str) -> None:
    """Checks the group `distill`, and what learning from a teacher alone leaves without effect."""
    settings = recipe.distill
    if recipe.algorithm != "distill":
        if settings != type(settings)():
            raise BadInput(
                f"{where}: distill cannot be used with {recipe.algorithm}. Remove it, or set algorithm: distill"
            )
        return
    if not settings.teacher:
        raise BadInput(
            f"{where}: distill.teacher is missing. Name a version, a model, a server (URL#MODEL) or self, which is the model "
            "with the gold solution in its prompt"
        )
    if settings.weights != "start" and settings.teacher != "self":
        raise BadInput(f"{where}: distill.weights works only with `teacher: self`. Remove it")
    if settings.teacher == "self" and recipe.tools.active:
        raise BadInput(
            f"{where}: `tools` and `distill.teacher: self` cannot be combined, because gold solutions name the tools as they "
            "are. Remove `tools`, or name another teacher"
        )
    if recipe.loss.kl and recipe.loss.kl_in == "reward":
        raise BadInput(
            f"{where}: `loss.kl_in: reward` has no effect with distill, whose teacher scores tokens. Set loss.kl_in to loss"
        )
    if settings.reward:
        return
    for name, given in (
        ("episodes.dynamic_rounds", bool(recipe.episodes.dynamic_rounds)),
        ("episodes.overlong_buffer", recipe.episodes.overlong_buffer > 0),
        ("episodes.length_penalty", recipe.episodes.length_penalty > 0),
        ("episodes.turn_penalty", recipe.episodes.turn_penalty > 0),
        ("reward_model", bool(recipe.reward_model)),
    ):
        if given:
            raise BadInput(
                f"{where}: {name} has no effect, because distill.reward is 0 and only the teacher counts. "
                "Remove it, or set distill.reward"
            )
