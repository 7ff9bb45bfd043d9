"""Recipes: what is accepted, and the words in which everything else is refused."""

from pathlib import Path
from typing import Any

import pytest

from verigym.core.errors import BadInput
from verigym.training.loop import due, rate
from verigym.training.recipe import (
    ALGORITHMS,
    Adapter,
    PolicyLoss,
    Recipe,
    filled,
    make_recipe,
    read_recipe,
    recipe_json,
)

DESIGN = """
model: nvidia/NVIDIA-Nemotron-Nano-9B-v2     # a Hugging Face model id, a local path, or smollm2-135m (embedded)
algorithm: grpo
adapter: lora
num_generations_per_prompt: 8
reward: tool_call_verifier
eval_interval: 10
held_out_eval: tool_call_eval
"""
SMALL: dict[str, Any] = {"model": "tiny", "algorithm": "grpo", "reward": "passed"}


def make(*overrides: str, **fields: Any) -> Recipe:
    return make_recipe({**SMALL, **fields}, list(overrides), "r.yaml")


def test_the_example_of_the_design_is_complete_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "recipe.yaml"
    path.write_text(DESIGN)
    recipe = read_recipe(path)
    assert recipe == filled(
        Recipe(
            model="nvidia/NVIDIA-Nemotron-Nano-9B-v2",
            algorithm="grpo",
            reward="tool_call_verifier",
            held_out_eval="tool_call_eval",
        )
    )
    assert (recipe.num_generations_per_prompt, recipe.eval_interval, recipe.lora.r) == (8, 10, 16)


def test_an_override_sets_a_field_at_any_depth() -> None:
    recipe = make("steps=20", "lora.r=8", "lora.top_layers=4", "name=a=b", "learning_rate=2e-4")
    assert (recipe.steps, recipe.lora, recipe.name) == (20, Adapter(r=8, top_layers=4), "a=b")
    assert recipe.learning_rate == 2e-4, "YAML reads 2e-4 as text"


def test_an_override_without_a_value_removes_the_field() -> None:
    whole = {**SMALL, "lora": {"r": 4}, "held_out_eval": "x", "updates_per_batch": 3}
    recipe = make_recipe(whole, ["lora=", "held_out_eval=", "updates_per_batch=", "start="], "r.yaml")
    assert (recipe.lora, recipe.held_out_eval, recipe.updates_per_batch, recipe.start) == (Adapter(), "", 1, "")
    assert make_recipe(whole, ["lora.r="], "r.yaml").lora == Adapter()


def test_the_last_override_wins_and_the_rest_stays() -> None:
    recipe = make("lora.r=8", "lora.r=2", lora={"alpha": 5})
    assert recipe.lora == Adapter(r=2, alpha=5)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"num_generation_per_prompt": 8},
            r"r\.yaml: unknown key num_generation_per_prompt. Did you mean num_generations_per_prompt\?",
        ),
        ({"lora": {"top_layer": 4}}, r"r\.yaml: unknown key lora\.top_layer. Did you mean lora\.top_layers\?"),
        ({"zzz": 1}, r"r\.yaml: unknown key zzz. Valid keys: model, algorithm, reward"),
        ({1: 2}, r"r\.yaml: unknown key 1. Valid keys:"),
    ],
    ids=["near", "near, below", "far", "not text"],
)
def test_an_unknown_key_is_refused_with_the_nearest(fields: dict[Any, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        make_recipe({**SMALL, **fields}, [], "r.yaml")


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["steps=many"], r"r\.yaml: steps must be a whole number, not text"),
        (["lora.r=[1]"], r"lora\.r must be a whole number, not a list"),
        (["lora=3"], "lora must be keys and values, not a whole number"),
        (["algorithm=a2c"], r'algorithm cannot be "a2c". Use one of: sft, dpo, reward, grpo'),
        (
            ["algorithm=gigpo"],
            r"There is no algorithm \"gigpo\". Write `algorithm: grpo` and `advantage: {credit: state}`",
        ),
        (["name=champion"], r'r\.yaml: A version cannot be named "champion"'),
        (["model=null"], "model must be text, not null"),
        (["steps=0"], r"r\.yaml: steps must be a whole number, at least 1"),
        (["prompts_per_step=-1"], "prompts_per_step must be a whole number, at least 1"),
        (["lora.r=0"], r"lora\.r must be a whole number, at least 1"),
        (
            ["num_generations_per_prompt=1"],
            "num_generations_per_prompt must be at least 2. grpo compares several",
        ),
        (["steps"], '"steps" is not an override. Write key=value, such as steps=20 or lora.r=8'),
        (["model.size=3"], '"model.size=3": model is a single value, not a section'),
        (["steps=[1"], r'"steps=\[1": the value is not valid YAML'),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_bad_value_is_refused_in_words(overrides: list[str], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        make(*overrides)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(BadInput, match="model is missing"):
        make_recipe({"algorithm": "sft", "reward": "passed"}, [], "r.yaml")
    with pytest.raises(
        BadInput, match=r"r\.yaml: reward is missing. Set it to the name of a verifier, such as tool_call_verifier"
    ):
        make_recipe({"model": "tiny", "algorithm": "sft"}, [], "r.yaml")


def test_sft_needs_no_group() -> None:
    assert make("algorithm=sft", "num_generations_per_prompt=1").algorithm == "sft"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("model: [", "this is not valid YAML"),
        ("- a\n- b", "a recipe is a list of keys and values"),
        ("", "a recipe is a list of keys"),
    ],
    ids=["broken", "a list", "empty"],
)
def test_a_file_that_is_no_recipe_is_refused_in_words(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "recipe.yaml"
    path.write_text(text)
    with pytest.raises(BadInput, match=rf"recipe\.yaml: {words}"):
        read_recipe(path)


def test_a_file_that_is_not_text_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "recipe.yaml"
    path.write_bytes(b"model: \xff\xfe\x00")
    with pytest.raises(BadInput, match=r"recipe\.yaml: this is not valid YAML"):
        read_recipe(path)


def test_a_recipe_that_is_not_there_is_told_with_those_beside_it(tmp_path: Path) -> None:
    (tmp_path / "sft.yaml").write_text("")
    with pytest.raises(BadInput, match=r"grpo\.yaml does not exist. The folder contains: sft\.yaml"):
        read_recipe(tmp_path / "grpo.yaml")
    (tmp_path / "sft.yaml").rename(tmp_path / ".hidden.yaml")
    with pytest.raises(BadInput, match=r"grpo\.yaml does not exist. Its folder has no YAML file. Check the path"):
        read_recipe(tmp_path / "grpo.yaml")


# -- algorithms -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("grpo", {"loss.average": None, "loss.clip_high": 0.28, "advantage.scale": None, "episodes.dynamic_rounds": 0}),
        ("dr_grpo", {"loss.average": "constant", "advantage.scale": "none"}),
        ("dapo", {"loss.average": "tokens", "loss.clip_high": 0.28, "episodes.dynamic_rounds": 3}),
        ("gspo", {"loss.ratio": "sequence", "loss.average": "sequences", "loss.clip_low": None, "loss.clip_high": None}),
        ("cispo", {"loss.objective": "cispo", "loss.clip_high": 5.0, "loss.average": "tokens"}),
        (
            "rloo",
            {
                "loss.ratio": "product", "loss.average": "sequences", "loss.kl": 0.05, "loss.kl_in": "reward",
                "advantage.baseline": "others", "advantage.scale": "none",
            },
        ),
        ("sft", {"loss.average": "tokens", "loss.clip_high": 0.2, "episodes.dynamic_rounds": 0}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_an_algorithm_is_a_set_of_settings(algorithm: str, settings: dict[str, Any]) -> None:
    """None is what depends on the model or the data."""
    made = make(f"algorithm={algorithm}")
    usual = {"loss.ratio": "token", "loss.objective": "clip", "loss.kl": 0.0, "advantage.baseline": "group"}
    for name, value in {**usual, **settings}.items():
        group, _, field = name.partition(".")
        assert getattr(getattr(made, group), field) == value, name


def test_algorithms_whose_clips_need_several_updates_make_several_in_large_batches() -> None:
    for algorithm in ("dapo", "gspo", "cispo"):
        assert make(f"algorithm={algorithm}", "prompts_per_step=16").updates_per_batch == 4
        assert make(f"algorithm={algorithm}", "prompts_per_step=15").updates_per_batch == 1
        assert make(f"algorithm={algorithm}", "prompts_per_step=16", "updates_per_batch=1").updates_per_batch == 1
    for algorithm in ("grpo", "dr_grpo", "rloo", "sft"):
        assert make(f"algorithm={algorithm}", "prompts_per_step=64").updates_per_batch == 1


NEEDED: dict[str, Any] = {
    "dpo": {"data": "pairs"},
    "reward": {"data": "pairs"},
    "kto": {"data": "thumbs"},
    "distill": {"distill": {"teacher": "self"}},
}
"""What an algorithm cannot do without."""


def test_a_recipe_can_override_every_default_of_an_algorithm() -> None:
    for algorithm, parts in ALGORITHMS.items():
        made = make(f"algorithm={algorithm}", **NEEDED.get(algorithm, {}))
        for key, own in parts.items():
            assert {name: getattr(getattr(made, key), name) for name in own} == own
    assert make("algorithm=dapo", "loss.clip_high=0.5").loss.clip_high == 0.5
    own = make("algorithm=gspo", loss={"kl": 0.1}).loss
    assert (own.kl, own.ratio, own.average) == (0.1, "sequence", "sequences"), "the rest stays the algorithm's"


@pytest.mark.parametrize(
    ("correction", "bounds"),
    [
        ("tis", (0, 3)),
        ("sequence_tis", (0, 3)),
        ("icepop", (0.5, 5)),
        ("geometric_mask", (0.99, 1.01)),
        ("sequence_mask", (0, 3)),
    ],
)
def test_each_correction_has_bounds_of_its_own(correction: str, bounds: tuple[float, float]) -> None:
    own = make(f"loss.correction={correction}").loss
    assert (own.correction_low, own.correction_high) == bounds
    given = make(f"loss.correction={correction}", "loss.correction_low=0.1", "loss.correction_high=9").loss
    assert (given.correction_low, given.correction_high) == (0.1, 9)


def test_ipo_which_divides_by_length_asks_for_half_a_nat_per_token() -> None:
    pairs = {"algorithm": "dpo", "data": "pairs"}
    assert make(**pairs).preference.beta == 0.1
    assert make("preference.objective=ipo", **pairs).preference.beta == 1.0
    assert make("preference.objective=ipo", "preference.beta=0.1", **pairs).preference.beta == 0.1


def test_turns_and_batches_are_compared_by_the_newer_rules_unless_the_recipe_says_otherwise() -> None:
    assert make("advantage.scale=batch").advantage.scale_from == "advantages"
    assert make("advantage.scale=batch", "advantage.scale_from=rewards").advantage.scale_from == "rewards"
    by_step, by_state = make("advantage.credit=step").advantage, make("advantage.credit=state").advantage
    assert (by_step.min_scaled, by_step.discount) == (4, 1.0)
    assert (by_state.min_scaled, by_state.discount, by_state.state_weight) == (4, 0.95, 1.0)
    assert make("advantage.credit=state", "advantage.discount=1").advantage.discount == 1.0


def test_a_recipe_made_in_python_has_the_defaults_of_its_algorithm() -> None:
    own = filled(Recipe(model="tiny", algorithm="gspo", reward="passed", loss=PolicyLoss(kl=0.1)))
    assert own == make("algorithm=gspo", "loss.kl=0.1")


def test_newer_fields_are_stored_only_if_they_are_set() -> None:
    """So a recipe of an older release still names the same run."""
    stored = recipe_json(make(loss={"average": "sequences"}))
    assert not {"agent", "allow_live_tools"} & set(stored)
    assert set(stored["advantage"]) == {"baseline", "scale", "rewards", "credit", "discount"}
    assert "kl_estimator" not in stored["loss"]
    newer = recipe_json(make("loss.kl_estimator=k3", "advantage.credit=state", "agent=codex exec {prompt}"))
    assert (newer["loss"]["kl_estimator"], newer["agent"]) == ("k3", "codex exec {prompt}")
    assert (newer["advantage"]["credit"], newer["advantage"]["min_scaled"]) == ("state", 4)
    assert "state_weight" not in newer["advantage"]


@pytest.mark.parametrize("algorithm", ["rloo", "grpo"])
@pytest.mark.parametrize("credit", ["step", "state"])
def test_the_product_of_a_reply_cannot_credit_its_turns(algorithm: str, credit: str) -> None:
    overrides = [f"algorithm={algorithm}", f"advantage.credit={credit}"]
    overrides += ["loss.ratio=product"] if algorithm == "grpo" else []
    with pytest.raises(BadInput, match=f"`loss.ratio: product` and `advantage.credit: {credit}` cannot be combined"):
        make(*overrides)
    assert make(*overrides, "loss.ratio=sequence").loss.ratio == "sequence"


def test_settings_of_an_algorithm_do_not_leak_into_the_next_recipe() -> None:
    given = {**SMALL, "loss": {"kl": 0.1}}
    make_recipe(given, [], "r.yaml")
    assert given == {**SMALL, "loss": {"kl": 0.1}}
    assert make("algorithm=rloo").loss.ratio == "product" and make().loss.ratio == "token"


def test_which_algorithms_sample_episodes() -> None:
    sampling = {name for name in ALGORITHMS if make(f"algorithm={name}", **NEEDED.get(name, {})).samples}
    assert sampling == {"grpo", "dr_grpo", "dapo", "gspo", "cispo", "rloo", "distill", "rft", "ppo"}


def test_several_rewards_are_given_with_their_weights() -> None:
    assert make(reward={"right": 1.0, "short": 0.2}).reward == {"right": 1.0, "short": 0.2}


@pytest.mark.parametrize(
    ("overrides", "fields", "words"),
    [
        (["loss.clip_hihg=1"], {}, r"r\.yaml: unknown key loss\.clip_hihg. Did you mean loss\.clip_high\?"),
        (["advantage.scale=all"], {}, r'advantage\.scale cannot be "all". Use one of: group, batch, none'),
        (["preference.smoothing=0.5"], {}, r"preference\.smoothing must be a number, less than 0\.5"),
        (["loss=3"], {}, "loss must be keys and values, not a whole number"),
        (
            ["max_tokens=64", "episodes.overlong_buffer=64"],
            {},
            r"episodes\.overlong_buffer must be smaller than max_tokens \(64\)",
        ),
        (["loss.correction_low=4"], {}, r"loss.correction_low \(4\) is above loss.correction_high \(3\)"),
        (
            ["data=pairs", "algorithm=rft"],
            {},
            "data cannot be used with rft, which samples its own episodes. Remove it",
        ),
        (
            ["data=pairs", "algorithm=ppo"],
            {},
            "data cannot be used with ppo, which samples its own episodes. Remove it",
        ),
        (
            ["episodes.gold_when_all_fail=0.1"],
            {"agent": "codex exec {prompt}"},
            "gold_when_all_fail and `agent` cannot be combined",
        ),
        (["part=half"], {}, r'r\.yaml: Part "half" is invalid. Write I/N, such as 1/3'),
        (["algorithm=sft", "data=d", "part=1/2"], {}, "`part` and `data` cannot be combined. Remove one"),
        (["algorithm=dpo"], {}, "data is missing. dpo trains on preferences. Create them with: verigym data pairs RUN"),
        (["algorithm=reward"], {}, "data is missing. reward trains on preferences"),
        ([], {"environment": "a", "environments": {"b": 1.0}}, "`environment` and `environments` cannot be combined"),
        ([], {"reward": {"right": float("inf")}}, "reward: every weight must be a finite number"),
        (["algorithm=sft", "reward_model=m"], {}, "reward_model cannot be used with sft, which trains on a dataset"),
        (["advantage.rewards=each"], {}, "`advantage.rewards: each` needs several rewards, such as reward:"),
        (
            ["advantage.rewards=passed"],
            {"reward": {"right": 1.0, "short": 0.2}},
            "`advantage.rewards: passed` and several rewards cannot be combined",
        ),
        (["advantage.rewards=passed", "reward_model=m"], {}, "passed` and reward_model cannot be combined"),
        (["advantage.rewards=passed", "algorithm=rft"], {}, "passed` and algorithm: rft cannot be combined"),
        (
            ["algorithm=rloo", "num_generations_per_prompt=1"],
            {},
            "must be at least 2. rloo compares several episodes of a task",
        ),
    ],
    ids=[
        "near",
        "no such scale",
        "smoothing",
        "no object",
        "buffer",
        "bounds",
        "data",
        "data of ppo",
        "gold of an agent",
        "no part",
        "part",
        "dpo",
        "reward",
        "both",
        "weights",
        "reward model",
        "one reward",
        "passed of several",
        "passed and a reward model",
        "passed and rft",
        "alone",
    ],
)
def test_what_makes_no_sense_together_is_refused_in_words(
    overrides: list[str], fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        make(*overrides, **fields)


@pytest.mark.parametrize(
    ("override", "other"),
    [
        ("reward_model=m", "reward_model"),
        ("advantage.credit=step", "advantage.credit: step"),
        ("episodes.overlong_buffer=4", "episodes.overlong_buffer"),
        ("loss={kl: 0.1, kl_in: reward}", "loss.kl_in: reward"),
    ],
    ids=lambda value: value,
)
def test_settings_that_separate_rewards_would_ignore_are_refused(override: str, other: str) -> None:
    several = {"reward": {"right": 1.0, "short": 0.2}}
    assert make("advantage.rewards=each", **several).advantage.rewards == "each"
    with pytest.raises(BadInput, match=f"`advantage.rewards: each` and {other} cannot be combined"):
        make("advantage.rewards=each", override, **several)


# -- when a loop does what --------------------------------------------------------------------------------------------


def rates(*overrides: str, steps: int = 10) -> list[float]:
    recipe = make("learning_rate=3.0", f"steps={steps}", *overrides)
    return [rate(recipe, step) for step in range(1, steps + 1)]


def test_the_rate_warms_up_and_then_stays_or_falls_to_a_tenth() -> None:
    assert rates() == pytest.approx([1.0, 2.0] + [3.0] * 8), "a stored recipe without a warm-up had one of three steps"
    falling = rates("algorithm=sft")
    assert falling[-1] == pytest.approx(0.3)
    assert falling[2:] == sorted(falling[2:], reverse=True)
    assert rates("algorithm=sft", steps=1) == [pytest.approx(1.0)]


def test_a_recipe_can_choose_schedule_and_warm_up() -> None:
    assert rates("algorithm=sft", "optimizer.schedule=constant", "optimizer.warmup=0") == [3.0] * 10
    assert rates("optimizer.schedule=linear", "optimizer.warmup=1") == pytest.approx([3.0 - 0.3 * i for i in range(10)])
    cosine = rates("optimizer.schedule=cosine", "optimizer.warmup=2", steps=101)
    assert (cosine[0], cosine[50], cosine[-1]) == pytest.approx((1.5, 3.0 * 0.55, 0.3))
    assert cosine[1:] == sorted(cosine[1:], reverse=True)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("optimizer.schedule=step", 'optimizer.schedule cannot be "step". Use one of: constant, linear, cosine'),
        ("optimizer.betas=[0.9]", "optimizer.betas"),
        ("optimizer.betas=[0.9, 1.0]", "optimizer.betas"),
        ("optimizer.max_grad_norm=0", "optimizer.max_grad_norm must be a number, more than 0"),
        ("optimizer.warmup=-1", "optimizer.warmup"),
        ("optimizer.weigth_decay=0.1", "Did you mean optimizer.weight_decay"),
    ],
)
def test_a_wrong_optimizer_is_refused_in_words(override: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        make(override)


def test_a_warm_up_of_three_steps_is_not_stored_because_runs_always_had_it() -> None:
    assert "optimizer" not in recipe_json(make("optimizer.warmup=3"))
    assert recipe_json(make("optimizer.warmup=4", "optimizer.weight_decay=0.1"))["optimizer"] == {
        "warmup": 4,
        "weight_decay": 0.1,
    }


def test_the_held_out_suite_is_measured_on_the_way_and_after_the_last_step() -> None:
    recipe = make("steps=20", "eval_interval=5", "held_out_eval=val")
    assert [step for step in range(1, 21) if due(step, recipe)] == [5, 10, 15, 20]
    only_last = make("held_out_eval=val", "eval_interval=0", "steps=7")
    assert [step for step in range(1, 8) if due(step, only_last)] == [7]
    assert not any(due(step, make("eval_interval=5")) for step in range(1, 40))


@pytest.mark.parametrize(
    ("lora", "words"),
    [
        ({"targets": []}, r"lora\.targets is empty"),
        ({"targets": ["q_proj", " "]}, r"lora\.targets is empty"),
        ({"targets": 3}, r"lora\.targets"),
        ({"dropout": 1.0}, r"lora\.dropout"),
        ({"dropout": -0.1}, r"lora\.dropout"),
        ({"rank_pattern": {"(": 4}}, r'lora\.rank_pattern: "\(" is not a regular expression'),
        ({"rank_pattern": {"q_proj": 0}}, r"lora\.rank_pattern"),
        ({"target": "all"}, r"unknown key lora\.target. Did you mean lora\.targets"),
    ],
    ids=str,
)
def test_an_adapter_that_makes_no_sense_is_refused(lora: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        make_recipe({"model": "m", "algorithm": "sft", "reward": "v", "lora": lora}, [], "r.yaml")


def test_new_settings_of_an_adapter_are_stored_only_if_they_are_set() -> None:
    base: dict[str, Any] = {"model": "m", "algorithm": "sft", "reward": "v"}
    usual = {"r": 16, "alpha": 32, "top_layers": None}
    same: dict[str, Any] = {"targets": "all", "dropout": 0.0, "rank_pattern": {}}
    assert recipe_json(make_recipe({**base, "lora": same}, [], "r.yaml"))["lora"] == usual
    overridden = make_recipe(base, ["lora.targets=[all, head]", "lora.rank_pattern={q_proj: 4}"], "r.yaml")
    assert recipe_json(overridden)["lora"] == {**usual, "targets": ["all", "head"], "rank_pattern": {"q_proj": 4}}
    assert overridden.lora.names == ("all", "head")


def test_integer_weights_are_stored_only_if_they_are_set() -> None:
    assert "engine" not in recipe_json(make_recipe(SMALL, [], "r.yaml"))
    assert recipe_json(make_recipe({**SMALL, "engine": {"weights": "int16"}}, [], "r.yaml"))["engine"] == {
        "weights": "int16"
    }


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"adapter": "qlora"}, "`engine.weights: int16` and `adapter: qlora` cannot be combined"),
        ({"loss": {"correction": "none"}}, "`loss.correction: none` with `engine.weights: int16` would ignore"),
        ({"algorithm": "ppo"}, "cannot be used with ppo, which has no correction"),
        ({"data": "a-run"}, "cannot be used with data: RUN, which samples no episodes"),
        ({"algorithm": "sft"}, "cannot be used with sft, which samples no episodes"),
    ],
    ids=["qlora", "no correction", "ppo", "stored", "sft"],
)
def test_integer_weights_are_refused_where_they_do_not_apply(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        make_recipe({**SMALL, "engine": {"weights": "int16"}, **fields}, [], "r.yaml")
