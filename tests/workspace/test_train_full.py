"""`adapter: full`: all parameters are trained, and the version is a model that is measured, continued, served and exported."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from tests.workspace.desk import Bench, assert_a_killed_run_ends_in_the_same_weights
from verigym.core.errors import BadInput, Refused
from verigym.registry.integrity import check_integrity
from verigym.registry.versions import kind_of
from verigym.servers.routing import ModelPool
from verigym.workspace import full_disk
from verigym.workspace.dry_run import dry_run
from verigym.workspace.export import export, loading_code

IDS = torch.tensor([[3, 5, 7, 9]])


def full(bench: Bench, algorithm: str = "grpo", **fields: Any) -> Any:
    return bench.train(algorithm, **{"adapter": "full", "lora": None, **fields})


@torch.no_grad()
def logits(policy: Any) -> torch.Tensor:
    return policy.model(IDS).logits


@pytest.mark.parametrize("settings", [None, {"checkpointing": True}, {"offload": True}], ids=str)
def test_the_version_is_a_whole_model(fresh: Bench, settings: dict[str, bool] | None) -> None:
    base = fresh.ws.agent(str(fresh.model))
    before = logits(fresh.ws.policy(base))
    version, run = full(fresh, full=settings, loss={"kl": 0.05})
    assert version.full and version.base == str(fresh.model) and kind_of(version) == "all parameters"
    folder = Path(fresh.ws.source_of(version))
    assert folder.name == version.adapter and fresh.ws.adapter_of(version) is None
    assert all("held_out_success" in row for row in fresh.metrics(run).values())
    after = logits(fresh.ws.policy(version))
    assert not torch.allclose(before, after)
    assert torch.equal(logits(fresh.ws.policy(base)), before), "the base is not changed, in memory or on disk"
    stored = transformers.AutoModelForCausalLM.from_pretrained(folder)
    changed = [
        name
        for name, parameter in stored.named_parameters()
        if not torch.equal(parameter, fresh.ws.policy(base).model.get_parameter(name))  # type: ignore[attr-defined]
    ]
    assert len(changed) == len(list(stored.named_parameters()))


def test_it_is_trained_further_and_only_as_a_whole(fresh: Bench) -> None:
    first, _ = full(fresh, name="one")
    second, _ = full(fresh, start="one", name="two", loss={"kl": 0.05, "reference": "base"})
    assert second.parent == first.id and second.full and second.adapter != first.adapter
    with pytest.raises(
        Refused, match=r"start: one is a whole model, all of whose parameters were trained\. Set adapter: full"
    ):
        fresh.train("grpo", start="one")
    fresh.train("grpo", name="narrow")
    with pytest.raises(Refused, match="start: narrow has an adapter, so adapter: full cannot continue it"):
        full(fresh, start="narrow")


@pytest.mark.parametrize("algorithm", ["sft", "dpo", "kto", "rft", "distill"])
def test_every_method_trains_it(fresh: Bench, algorithm: str) -> None:
    more: dict[str, Any] = {
        "sft": {"data": fresh.place / "chat.jsonl", "environment": None, "held_out_eval": None},
        "dpo": {"data": fresh.pairs().id} if algorithm == "dpo" else {},
        "rft": {"num_generations_per_prompt": 24},
        "kto": {"data": fresh.thumbs().id} if algorithm == "kto" else {},
        "distill": {"distill": {"teacher": "teacher"}},
    }[algorithm]
    if algorithm == "sft":
        row = '{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "abc"}]}\n'
        more["data"].write_text(row.replace("hi", "one") + row.replace("hi", "two"))
        more["data"] = str(more["data"])
    if algorithm == "distill":
        fresh.train("grpo", name="teacher")
    version, run = full(fresh, algorithm, **more)
    assert version.full and all(row["loss"] == row["loss"] for row in fresh.metrics(run).values() if "loss" in row)


def test_it_is_served_exported_and_checked(fresh: Bench, tmp_path: Path) -> None:
    version, _ = full(fresh)
    base = fresh.ws.register(fresh.ws.agent(str(fresh.model)))
    pool = ModelPool(fresh.ws)
    served: Any = pool.open(version)
    wanted = logits(fresh.ws.policy(version))
    assert torch.equal(logits(served), wanted)
    assert not torch.equal(logits(pool.open(base)), wanted)
    files = export(fresh.ws, version, tmp_path / "out")
    assert {"config.json", "model.safetensors", "version.json", "README.md"} <= set(files)
    found: dict[str, Any] = {}
    exec("\n".join(loading_code(version, tmp_path / "out", False)), found)
    with torch.no_grad():
        assert torch.allclose(found["model"](IDS).logits, wanted, atol=1e-5)
    checks = check_integrity(fresh.ws.store, fresh.ws.home)
    assert all(check.sound for check in checks), [check.words for check in checks]
    weights = Path(fresh.ws.source_of(version)) / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    assert not all(check.sound for check in check_integrity(fresh.ws.store, fresh.ws.home))
    with pytest.raises(BadInput, match="the adapter of this version is damaged"):
        fresh.ws.source_of(version)


@pytest.mark.parametrize("optimizer", ["adamw", "adamw8bit"])
def test_a_killed_run_ends_in_the_same_weights(fresh: Bench, monkeypatch: pytest.MonkeyPatch, optimizer: str) -> None:
    if optimizer == "adamw8bit":
        pytest.importorskip("bitsandbytes")
    fields = {"adapter": "full", "lora": None, "optimizer": {"name": optimizer}}
    assert_a_killed_run_ends_in_the_same_weights(fresh, monkeypatch, **fields)


def test_checkpoints_are_whole_models_too(fresh: Bench) -> None:
    version, run = full(fresh, steps=3, checkpoints={"keep": 2})
    kept = fresh.ws.find(f"{run}@2")
    assert kept.full and kept.adapter != version.adapter
    assert not torch.equal(logits(fresh.ws.policy(kept)), logits(fresh.ws.policy(version)))
    assert len(list((fresh.ws.home / "adapters").iterdir())) == 2


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"full": {"offload": True}, "adapter": "lora"}, "full has no effect with adapter: lora. Remove it"),
        ({"lora": {"r": 4}}, "lora has no effect with adapter: full. Remove it"),
        ({"full": {"ofload": True}}, r"unknown key full\.ofload. Did you mean full\.offload\?"),
        ({"adapter": "ful"}, "adapter"),
        ({"algorithm": "ppo", "steps": 10}, "adapter: full cannot be used with ppo"),
    ],
    ids=str,
)
def test_a_setting_that_makes_no_sense_is_refused(fresh: Bench, fields: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        fresh.recipe(**{"adapter": "full", "lora": None, **fields})


def test_a_full_disk_is_noticed_before_the_run_begins(fresh: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(full_disk, "_WEIGHT", 10**15)
    with pytest.raises(Refused, match=r"adapter: full needs up to .* of disk space"):
        full(fresh)
    assert fresh.nothing_was_begun()


def test_the_dry_run_shows_memory_and_disk(fresh: Bench) -> None:
    def memory(**fields: Any) -> Any:
        return dry_run(fresh.ws, fresh.recipe("grpo", **{"adapter": "full", "lora": None, **fields})).plan.memory

    plain, narrow, offloaded = memory(), memory(optimizer={"name": "adamw8bit"}), memory(full={"offload": True})
    assert plain.merged == 0 and offloaded.adapter < narrow.adapter < plain.adapter == 3 * plain.weights
    assert memory(full={"checkpointing": True}).activations < plain.activations
    lines = dry_run(fresh.ws, fresh.recipe("grpo", adapter="full", lora=None)).lines
    assert any(line.startswith("training changes all") for line in lines)
    assert any("of disk space at most" in line for line in lines)
