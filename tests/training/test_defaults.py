"""Defaults that depend on the model and the data, and the page that lists them."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from verigym.training import defaults
from verigym.training.defaults import Facts, needs_gold, needs_model, resolved
from verigym.training.recipe import Recipe, make_recipe, recipe_json

SMALL = Facts(parameters=135e6, hidden=576)
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "defaults.md"


def make(algorithm: str = "grpo", **fields: Any) -> Recipe:
    data = {"data": "pairs"} if algorithm in ("dpo", "reward") else {}
    return make_recipe({"model": "m", "algorithm": algorithm, "reward": "r", **data, **fields}, [], "r.yaml")


@pytest.mark.parametrize(
    ("algorithm", "parameters", "hidden", "rate"),
    [
        ("grpo", 135e6, 576, 2e-4),
        ("gspo", 300e6, 1024, 2e-4),
        ("dapo", 1e9, 2048, 4e-5),
        ("rloo", 8e9, 4096, 2e-5),
        ("grpo", 70e9, 8192, 2e-5),
        ("grpo", 494e6, 896, 1e-4),
        ("sft", 135e6, 576, 1.3e-3),
        ("sft", 8e9, 4096, 2.9e-4),
        ("reward", 8e9, 4096, 1.4e-4),
        ("dpo", 135e6, 576, 2e-5),
        ("dpo", 8e9, 4096, 5e-6),
    ],
)
def test_the_rate_follows_from_method_and_size(algorithm: str, parameters: float, hidden: int, rate: float) -> None:
    """2.9e-4 for imitation at 8B is the rate that Tinker recommends for Llama."""
    found = resolved(make(algorithm), Facts(parameters=parameters, hidden=hidden)).learning_rate
    assert found == pytest.approx(rate)


def test_a_larger_model_never_gets_a_higher_rate() -> None:
    rates = [
        resolved(make(), Facts(parameters=10 ** (7 + i / 20), hidden=576)).learning_rate or 0.0 for i in range(100)
    ]
    assert rates == sorted(rates, reverse=True) and rates[0] == 2e-4 and rates[-1] == 2e-5


@pytest.mark.parametrize(
    ("facts", "tokens"),
    [
        ({}, 512),
        ({"reply_tokens": 3}, 64),
        ({"reply_tokens": 42}, 64),
        ({"reply_tokens": 43}, 96),
        ({"reply_tokens": 200}, 320),
        ({"reasoning": True}, 4608),
        ({"reply_tokens": 200, "reasoning": True}, 4416),
    ],
)
def test_a_reply_has_room_for_one_and_a_half_gold_replies_and_for_reasoning(facts: Any, tokens: int) -> None:
    assert resolved(make(learning_rate=1e-4), Facts(**facts)).max_tokens == tokens


def test_a_limit_of_reasoning_is_beside_the_answer() -> None:
    recipe = make(learning_rate=1e-4, limits={"reasoning_tokens": 1000})
    assert resolved(recipe, Facts(reply_tokens=200, reasoning=True)).max_tokens == 1320


def test_the_clips_of_gspo_are_wider_for_short_replies() -> None:
    def clips(**fields: Any) -> tuple[float | None, float | None]:
        own = resolved(make("gspo", learning_rate=1e-4, **fields.pop("recipe", {})), Facts(**fields)).loss
        return own.clip_low, own.clip_high

    assert clips(sample_tokens=4000) == (3e-4, 4e-4), "the paper's"
    assert clips(sample_tokens=40) == (3e-3, 4e-3)
    assert clips(recipe={"max_tokens": 80}) == (3e-3, 4e-3), "half of the limit, if no gold replies are known"
    assert clips(recipe={"loss": {"clip_low": 0.02}}, sample_tokens=40) == (0.02, 4e-3)
    assert clips(sample_tokens=1952, reasoning=True) == (3e-4, 4e-4), "gold replies are without the reasoning"
    limited = {"limits": {"reasoning_tokens": 60}}
    assert clips(sample_tokens=10, reasoning=True, recipe=limited) == clips(sample_tokens=40)


@pytest.mark.parametrize("algorithm", ["grpo", "dapo", "gspo", "cispo"])
def test_several_turns_are_averaged_over_tokens_and_scaled_by_the_batch(algorithm: str) -> None:
    one, several = (resolved(make(algorithm), Facts(parameters=1e9, hidden=2048, max_turns=n)) for n in (1, 8))
    assert one.advantage.scale == "group" and several.advantage.scale == "batch"
    assert several.advantage.scale_from == "advantages"
    if algorithm == "grpo":
        assert (one.loss.average, several.loss.average) == ("sequences", "tokens")
    given = resolved(make(algorithm, advantage={"scale": "group"}, loss={"average": "constant"}), Facts(
        parameters=1e9, hidden=2048, max_turns=8))  # fmt: skip
    assert (given.advantage.scale, given.loss.average) == ("group", "constant")


@pytest.mark.parametrize(
    ("algorithm", "steps", "warmup"),
    [("grpo", 250, 10), ("grpo", 24, 6), ("grpo", 4, 3), ("sft", 60, 3), ("sft", 300, 15)],
)
def test_the_warm_up_follows_from_the_length_of_the_run(algorithm: str, steps: int, warmup: int) -> None:
    assert resolved(make(algorithm, steps=steps), SMALL).optimizer.warmup == warmup
    assert resolved(make(algorithm, steps=steps, optimizer={"warmup": 1}), SMALL).optimizer.warmup == 1


@pytest.mark.parametrize("algorithm", ["sft", "dpo", "reward", "grpo", "dr_grpo", "dapo", "gspo", "cispo", "rloo"])
def test_a_resolved_recipe_has_no_open_field_and_stays_as_it_is(algorithm: str) -> None:
    found = resolved(make(algorithm), SMALL)
    optional = {"num_tasks", "eval_tasks", "top_layers"}

    def unset(values: dict[str, Any]) -> set[str]:
        inner = [unset(value) for value in values.values() if isinstance(value, dict)]
        return {name for name, value in values.items() if value is None} | set().union(*inner)

    assert unset(recipe_json(found)) <= optional
    assert resolved(found, Facts(max_turns=9, reasoning=True)) == found, "nothing that is set is changed"


def test_facts_are_gathered_only_if_something_depends_on_them() -> None:
    full = make(learning_rate=1e-4, max_tokens=64)
    assert not needs_model(full) and not needs_gold(full)
    assert needs_model(make(max_tokens=64)) and not needs_gold(make(max_tokens=64))
    assert needs_gold(make(learning_rate=1e-4))
    assert needs_gold(make("gspo", learning_rate=1e-4, max_tokens=64))


def test_training_all_parameters_takes_a_tenth_of_the_rate() -> None:
    full = msgspec.structs.replace(make(), adapter="full")  # type: ignore[arg-type]
    assert resolved(full, SMALL).learning_rate == pytest.approx(2e-5)


# -- the page -------------------------------------------------------------------------------------------------------


def rows() -> dict[str, list[str]]:
    """The rows of the table of defaults, by field."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return {cell[0].strip("` "): cell[1:] for cell in cells}


@pytest.mark.parametrize(
    ("field", "recipe", "facts", "value"),
    [
        ("learning_rate (grpo)", {}, {"parameters": 135e6}, "0.0002"),
        ("learning_rate (grpo)", {}, {"parameters": 1e9}, "4e-05"),
        ("learning_rate (grpo)", {}, {"parameters": 8e9}, "2e-05"),
        ("learning_rate (dpo)", {"algorithm": "dpo"}, {"parameters": 135e6}, "2e-05"),
        ("learning_rate (dpo)", {"algorithm": "dpo"}, {"parameters": 1e9}, "5e-06"),
        ("learning_rate (sft)", {"algorithm": "sft"}, {"hidden": 576}, "0.0013"),
        ("learning_rate (sft)", {"algorithm": "sft"}, {"hidden": 4096}, "0.00029"),
        ("max_tokens", {}, {}, "512"),
        ("optimizer.warmup", {"steps": 100}, {}, "10"),
        ("updates_per_batch", {"algorithm": "gspo", "prompts_per_step": 16}, {}, "4"),
        ("loss.clip_low, loss.clip_high (gspo)", {"algorithm": "gspo"}, {"sample_tokens": 40}, "0.003 and 0.004"),
        ("loss.clip_low, loss.clip_high", {}, {}, "0.2 and 0.28"),
        ("loss.clip_high (cispo)", {"algorithm": "cispo"}, {}, "5"),
        ("loss.average", {}, {}, "sequences"),
        ("loss.average", {}, {"max_turns": 8}, "tokens"),
        ("advantage.scale", {}, {"max_turns": 8}, "batch"),
        ("loss.kl", {"algorithm": "rloo"}, {}, "0.05"),
        ("episodes.dynamic_rounds", {}, {}, "0"),
        ("episodes.dynamic_rounds", {"algorithm": "dapo"}, {}, "3"),
        ("loss.correction_low, loss.correction_high (icepop)", {"loss": {"correction": "icepop"}}, {}, "0.5 and 5"),
        ("preference.beta (ipo)", {"algorithm": "dpo", "preference": {"objective": "ipo"}}, {}, "1"),
        ("advantage.discount (credit: state)", {"advantage": {"credit": "state"}}, {}, "0.95"),
        ("advantage.min_scaled", {"advantage": {"credit": "step"}}, {}, "4"),
        ("optimizer.betas", {}, {}, "0.9 and 0.99"),
        ("optimizer.weight_decay", {}, {}, "0"),
        ("optimizer.max_grad_norm", {}, {}, "1"),
        ("lora.r, lora.alpha", {}, {}, "16 and 32"),
        ("temperature", {}, {}, "1"),
    ],
    ids=str,
)
def test_the_page_of_defaults_says_what_the_code_does(
    field: str, recipe: dict[str, Any], facts: dict[str, Any], value: str
) -> None:
    given = dict(recipe)
    made = resolved(
        make(given.pop("algorithm", "grpo"), **given), Facts(**{"parameters": 1e9, "hidden": 2048, **facts})
    )
    names = field.partition(" (")[0].split(", ")

    def of(name: str) -> str:
        group, _, inner = name.rpartition(".")
        found = getattr(getattr(made, group) if group else made, inner)
        parts = found if isinstance(found, tuple) else [found]
        return " and ".join(f"{one:g}" if isinstance(one, int | float) else str(one) for one in parts)

    assert " and ".join(map(of, names)) == value, "the code changed: change the page and this table"
    default, source = rows()[field]
    assert value in default.replace("`", ""), f"the page says {default}"
    assert source, "every default has a source"


def test_the_constants_of_the_page_are_those_of_the_code() -> None:
    text = PAGE.read_text()
    for constant in (
        defaults.SFT_HIDDEN,
        defaults.SFT_POWER,
        defaults.TOKENS,
        defaults.REASONING_TOKENS,
        defaults.GSPO_TOKENS,
    ):
        assert f"{constant:g}" in text, constant
