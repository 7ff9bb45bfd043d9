"""Settings without effect: each is told with its reason, and a recipe without such a setting gives no note."""

from pathlib import Path
from typing import Any

import pytest

from verigym.core.errors import BadInput
from verigym.training.defaults import Facts
from verigym.training.recipe import ALGORITHMS, make_recipe, read_recipe
from verigym.training.recipe_notes import notes

ROOT = Path(__file__).parents[2]


def noted(algorithm: str = "grpo", turns: int = 1, tasks: int | None = None, **fields: Any) -> list[str]:
    data: dict[str, Any] = {"data": "pairs"} if algorithm in ("dpo", "reward", "kto") else {}
    if algorithm == "distill":
        data = {"distill": {"teacher": "big", **fields.pop("distill", {})}}
    recipe = make_recipe({"model": "m", "algorithm": algorithm, "reward": "r", **data, **fields}, [], "r.yaml")
    return notes(recipe, Facts(max_turns=turns, tasks=tasks))


@pytest.mark.parametrize("turns", [1, 8])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_defaults_of_every_algorithm_have_an_effect(algorithm: str, turns: int) -> None:
    assert noted(algorithm, turns, prompts_per_step=16) == []


def test_a_recipe_that_says_one_update_of_dapo_for_a_large_batch_is_not_told_so() -> None:
    assert noted("dapo", prompts_per_step=32, updates_per_batch=1) == []
    assert noted("dapo", prompts_per_step=8, updates_per_batch=1)
    assert noted("gspo", prompts_per_step=32, updates_per_batch=1), "nothing of gspo is left"


@pytest.mark.parametrize("path", sorted((ROOT / "recipes").glob("*.yaml")), ids=lambda path: path.stem)
def test_a_shipped_recipe_has_no_setting_without_effect(path: Path) -> None:
    assert notes(read_recipe(path), Facts(max_turns=8, tasks=10_000)) == []


@pytest.mark.parametrize(
    ("algorithm", "fields", "words"),
    [
        ("gspo", {}, "the ratio of every reply is 1, so gspo has the gradient of grpo"),
        ("cispo", {}, "so cispo has the gradient of dapo"),
        ("dapo", {}, "so the higher clip of dapo has no effect"),
        ("ppo", {}, "so the clips of ppo and of its critic have no effect"),
        ("grpo", {"loss": {"ratio": "sequence"}}, "so `loss.ratio: sequence` has no effect"),
        ("rft", {"loss": {"entropy_bonus": 0.1}}, "loss.entropy_bonus has no effect with rft, which imitates the episodes"),
        ("rft", {"loss": {"correction": "none"}}, "loss.correction has no effect with rft"),
        ("rft", {"advantage": {"scale": "none"}}, "advantage.scale has no effect with rft"),
        ("rft", {"advantage": {"credit": "step"}}, "advantage.credit has no effect with rft"),
        ("ppo", {"advantage": {"discount": 0.9}}, "advantage.discount has no effect with ppo, whose critic gives the advantages"),
        ("ppo", {"advantage": {"baseline": "others"}}, "advantage.baseline has no effect with ppo"),
        ("ppo", {"advantage": {"credit": "step"}}, "Episodes have one turn, so `advantage.credit: step` is `trajectory`"),
        ("ppo", {"loss": {"kl": 0.1, "kl_estimator": "k3"}}, "so `loss.kl_estimator: k3` has no effect"),
        ("ppo", {"loss": {"reference": "base"}}, "loss.reference has no effect, because loss.kl is 0"),
        ("distill", {"advantage": {"credit": "step"}}, "advantage.credit has no effect with distill, because distill.reward"),
        ("distill", {"advantage": {"scale": "none"}}, "advantage.scale has no effect with distill"),
        ("distill", {"loss": {"clip_high": 0.4}}, "clip_low, clip_high and clip_most have no effect"),
        ("distill", {"distill": {"reward": 1}, "advantage": {"discount": 0.9}}, "no effect with `credit: trajectory`"),
        ("grpo", {"loss": {"clip_high": 0.4}}, "clip_low, clip_high and clip_most have no effect"),
        ("grpo", {"loss": {"kl": 0.1, "kl_estimator": "k1"}}, "The gradient of k1 in the loss is 0 on average"),
        ("grpo", {"loss": {"kl_estimator": "k3"}}, "loss.kl_estimator has no effect, because loss.kl is 0"),
        ("grpo", {"loss": {"reference": "base"}}, "loss.reference has no effect, because loss.kl is 0"),
        ("grpo", {"loss": {"kl_in": "reward"}}, "loss.kl_in has no effect, because loss.kl is 0"),
        ("grpo", {"loss": {"correction": "none", "correction_high": 9}}, "have no effect without a correction"),
        ("grpo", {"advantage": {"discount": 0.9}}, "advantage.discount has no effect with `credit: trajectory`"),
        ("grpo", {"advantage": {"credit": "step"}}, "Episodes have one turn, so `advantage.credit: step` is `trajectory`"),
        ("grpo", {"advantage": {"state_weight": 2}}, "advantage.state_weight has no effect"),
        ("grpo", {"advantage": {"scale_from": "rewards"}}, "advantage.scale_from has no effect without `scale: batch`"),
        ("grpo", {"episodes": {"overlong_penalty": 2}}, "overlong_penalty has no effect, because"),
        ("grpo", {"episodes": {"overlong_buffer": 8, "overlong_penalty": 0}}, "overlong_buffer has no effect, because"),
        ("grpo", {"episodes": {"turn_penalty": 0.1}}, "Episodes have one turn, so episodes.turn_penalty has no effect"),
        ("grpo", {"episodes": {"length_penalty": 1.5}}, "take 1.5 off the reward of an episode that passed"),
        ("grpo", {"preference": {"beta": 0.5}}, "preference.beta has no effect with grpo"),
        ("grpo", {"steps": 5, "optimizer": {"warmup": 5}}, "optimizer.warmup is 5"),
        ("sft", {"loss": {"entropy_bonus": 0.1}}, "loss.entropy_bonus has no effect with sft, which samples no episodes"),
        ("sft", {"advantage": {"scale": "batch"}}, "advantage.scale has no effect with sft"),
        ("sft", {"updates_per_batch": 2}, "updates_per_batch has no effect with sft"),
        ("sft", {"num_generations_per_prompt": 4}, "num_generations_per_prompt has no effect with sft"),
        ("dpo", {"temperature": 0.5}, "temperature has no effect with dpo, which samples no episodes"),
        ("dpo", {"num_tasks": 5}, "num_tasks has no effect on the rows of `data`"),
        ("grpo", {"eval_tasks": 5}, "eval_tasks has no effect without held_out_eval"),
        ("dpo", {"preference": {"margin": True}}, "preference.margin has no effect with dpo"),
        ("dpo", {"preference": {"objective": "ipo", "smoothing": 0.1}}, "preference.smoothing has no effect with `objective"),
        ("reward", {"preference": {"smoothing": 0.1}}, "preference.smoothing has no effect with reward"),
    ],
    ids=str,
)  # fmt: skip
def test_a_setting_without_effect_is_told(algorithm: str, fields: dict[str, Any], words: str) -> None:
    found = noted(algorithm, **fields)
    assert any(words in note for note in found), found
    assert len(found) <= 2


def test_dynamic_rounds_need_tasks_to_replace_others_with() -> None:
    several: dict[str, Any] = {"episodes": {"dynamic_rounds": 5}}
    assert any("none is left to replace" in note for note in noted(tasks=8, prompts_per_step=8, **several))
    assert noted(tasks=9, prompts_per_step=8, **several) == []
    assert noted(tasks=8, prompts_per_step=8) == [], "a default is not the user's mistake"


def test_penalties_of_several_turns_can_make_failing_worth_more() -> None:
    assert noted(turns=5, episodes={"turn_penalty": 0.1}) == []
    assert any("failing can be worth more" in note for note in noted(turns=11, episodes={"turn_penalty": 0.1}))


@pytest.mark.parametrize(
    ("algorithm", "fields", "words"),
    [
        ("rft", {"episodes": {"length_penalty": 0.1}}, "episodes.length_penalty has no effect with rft"),
        ("rft", {"episodes": {"turn_penalty": 0.1}}, "episodes.turn_penalty has no effect with rft"),
        ("distill", {"episodes": {"length_penalty": 0.1}}, "episodes.length_penalty has no effect, because distill.reward is 0"),
        ("distill", {"episodes": {"turn_penalty": 0.1}}, "episodes.turn_penalty has no effect, because distill.reward is 0"),
        ("distill", {"distill": {"reward": 1}, "loss": {"kl": 0.1, "kl_in": "reward"}}, "`loss.kl_in: reward` has no effect"),
    ],
    ids=str,
)  # fmt: skip
def test_penalties_that_nothing_reads_are_refused(algorithm: str, fields: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        noted(algorithm, **fields)


def test_credit_by_steps_has_an_effect_on_ppo() -> None:
    assert noted("ppo", turns=8, prompts_per_step=16, advantage={"credit": "step"}) == []
