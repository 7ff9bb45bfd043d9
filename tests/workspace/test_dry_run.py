"""The dry run: what training would check is checked and its run is named; nothing is begun, and no weights are loaded."""

import sys
from typing import Any

import pytest

from tests.tiny import tiny
from tests.workspace.desk import Bench, keep, preference
from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.records import Message
from verigym.model.coverage import Coverage
from verigym.policies.render import Renderer
from verigym.workspace.dry_run import dry_run


def of(bench: Bench, algorithm: str, **fields: Any) -> Any:
    return dry_run(bench.ws, bench.recipe(algorithm, **fields))


@pytest.mark.parametrize("algorithm", ["grpo", "dapo", "sft", "dpo", "reward"])
def test_it_names_the_run_that_training_then_makes_and_begins_nothing(fresh: Bench, algorithm: str) -> None:
    more: dict[str, Any] = {"data": keep(fresh.ws, preference("train-a")).id} if algorithm in ("dpo", "reward") else {}
    found = of(fresh, algorithm, **more)
    assert fresh.nothing_was_begun() and fresh.ws._local is None
    assert found.plan.hours > 0 and found.plan.memory.fits and found.device
    assert fresh.train(algorithm, **more)[1] == found.run


def test_it_says_what_is_trained_on_what(fresh: Bench) -> None:
    first, where, step, *_ = of(fresh, "grpo").lines
    prompt = len(Renderer(tiny().tokenizer).prompt([Message("user", "train a")], []))
    assert first == f"grpo of {fresh.model.name}, 2 steps"
    assert "desk.py: 12 tasks, rewards of letters@" in where and where.endswith("val held out")
    assert step == f"a step is 2 prompts of {prompt} tokens x 4 episodes with at most 8 tokens per reply"


def test_sampled_tokens_are_counted_and_more_rounds_are_said(fresh: Bench) -> None:
    plan = of(fresh, "grpo", steps=5).plan
    assert (plan.sampled_per_step, plan.sampled) == (2 * 4 * 8, 5 * 2 * 4 * 8)
    assert any("up to 4 times as long as estimated" in line for line in of(fresh, "dapo").lines)
    assert of(fresh, "grpo", prompts_per_step=50).plan.sampled_per_step == 12 * 4 * 8, "there are no more tasks than 12"


def test_written_data_is_counted_as_it_is_written(fresh: Bench) -> None:
    pairs = keep(fresh.ws, *(preference(f"train-{letter}") for letter in "abc"), name="three")
    _, where, rows, step, *_ = of(fresh, "dpo", data="three").lines
    assert rows == "data three: 3 rows, a test" and "a step is 2 rows of" in step and "letters@" in where
    found = of(fresh, "dpo", data=pairs.id)
    assert found.plan.sampled == 0 and found.plan.sampling_s == 0 and found.plan.trained > 0


def test_a_price_makes_dollars(fresh: Bench) -> None:
    assert of(fresh, "grpo").plan.dollars == 0
    plan = of(fresh, "grpo", dollars_per_hour=2.0).plan
    assert plan.dollars == pytest.approx(2 * plan.hours)


def test_evaluations_are_of_every_environment_and_cost_time(fresh: Bench) -> None:
    never, often = (of(fresh, "grpo", held_out_eval=suite).plan for suite in (None, "desk_eval"))
    assert never.evaluation_s == 0 < often.evaluation_s
    assert never.hours * 3600 == pytest.approx(2 * (never.sampling_s + never.update_s))
    assert often.hours * 3600 >= 2 * (often.sampling_s + often.update_s) + often.evaluation_s * 0.999


def test_what_training_refuses_it_refuses(fresh: Bench) -> None:
    with pytest.raises(Refused, match="contains family val-a"):
        of(fresh, "dpo", data=keep(fresh.ws, preference("val-a")).id)
    assert fresh.nothing_was_begun()


def test_what_training_would_miss_it_misses(fresh: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("tensorboard", "bitsandbytes"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(BadInput, match="The tracker tensorboard needs the package tensorboard"):
        of(fresh, "grpo", trackers=["tensorboard"])
    for fields in ({"adapter": "qlora"}, {"optimizer": {"name": "adamw8bit"}}):
        with pytest.raises(BadInput, match="need the package bitsandbytes"):
            of(fresh, "grpo", **fields)
    with pytest.raises(NotFound, match=r'^judge: There is no folder "./nowhere"'):
        of(fresh, "grpo", judge="./nowhere")
    with pytest.raises(NotFound, match=r'^distill.teacher: There is no folder "./nowhere"'):
        of(fresh, "distill", distill={"teacher": "./nowhere"})
    assert fresh.nothing_was_begun()


def test_an_adapter_that_the_recipe_cannot_continue_is_refused(bench: Bench) -> None:
    trained = bench.train("sft")[0]
    with pytest.raises(Refused, match=r"has an adapter with r 2, alpha 32, top_layers all on .*Remove `lora`"):
        of(bench, "grpo", start=trained.id, lora={"r": 4})
    lines = of(bench, "grpo", start=trained.id).lines
    assert f"training continues with the adapter of {trained.label}" in lines
    [trains] = [line for line in lines if line.startswith("the adapter trains")]
    own = of(bench, "grpo", lora={"r": 2})
    assert trains in own.lines, "of the adapter, not of the settings that the recipe leaves out"
    assert of(bench, "grpo", start=trained.id).plan.memory.adapter == own.plan.memory.adapter


@pytest.mark.parametrize("also", [{}, {"targets": ["q_proj"]}], ids=["all targets", "some targets"])
def test_more_layers_than_the_model_has_are_refused(fresh: Bench, also: dict[str, Any]) -> None:
    layers = tiny().model.config.num_hidden_layers
    assert of(fresh, "sft", lora={"r": 2, "top_layers": layers, **also}).lines
    for start in (of, Bench.train):
        with pytest.raises(
            BadInput, match=rf"lora\.top_layers: {layers + 1} is more than the model has \({layers} layer"
        ):
            start(fresh, "sft", lora={"r": 2, "top_layers": layers + 1, **also})
    assert fresh.nothing_was_begun()


def test_thumbs_of_one_kind_are_refused(fresh: Bench) -> None:
    row = '{"prompt": "train a", "completion": "yes", "label": true}'
    with pytest.raises(Refused, match=r"has no thumb down\. kto needs both kinds"):
        of(fresh, "kto", data=fresh.file("up.jsonl", row))
    assert fresh.nothing_was_begun()


def test_it_says_what_the_adapter_leaves_out(fresh: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    lines = of(fresh, "sft", lora={"r": 4, "targets": ["q_proj", "head"]}).lines
    [trains] = [line for line in lines if line.startswith("the adapter trains")]
    assert trains.endswith("of the model: q_proj, lm_head")
    [left] = [line for line in lines if line.startswith("not adapted, not in lora.targets: ")]
    assert all(name in left for name in ("embeddings", "k_proj", "down_proj"))
    with pytest.raises(BadInput, match=r'the model has no layer "q_prj"\. Did you mean "q_proj"\?'):
        of(fresh, "sft", lora={"targets": ["q_prj"]})
    assert fresh.nothing_was_begun()
    capsys.readouterr()
    version, run = fresh.train("sft", lora={"r": 4, "targets": ["q_proj", "head"], "dropout": 0.1})
    stored = fresh.ws.store.get("coverage", f"{run}/adapter", Coverage)
    assert stored is not None and [part.name for part in stored.adapted] == ["q_proj", "lm_head"]
    assert stored.summary in capsys.readouterr().err, "training says it at its start"
    assert version.recipe["lora"] == {
        "r": 4, "alpha": 32, "top_layers": None, "targets": ["q_proj", "head"], "dropout": 0.1,
    }  # fmt: skip
    continued = of(fresh, "sft", start=version.id, lora=None).lines
    assert f"training continues with the adapter of {version.label}" in continued
    assert trains in continued and left in continued
    fresh.ws.store.delete_run(run)
    assert fresh.ws.store.get("coverage", f"{run}/adapter", Coverage) is None
