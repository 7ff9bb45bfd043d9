"""`adapter: qlora`: training on a base in 4 bits makes a version that is measured, continued and exported on the same numbers."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.workspace.desk import Bench, assert_a_killed_run_ends_in_the_same_weights
from verigym.core.errors import Refused
from verigym.registry.versions import kind_of, version_id
from verigym.workspace.dry_run import dry_run
from verigym.workspace.export import export, loading_code

pytest.importorskip("bitsandbytes")


@pytest.mark.parametrize("optimizer", ["adamw", "adamw8bit"])
def test_the_version_says_that_its_base_is_in_4_bits(fresh: Bench, optimizer: str) -> None:
    from verigym.model.nf4 import Nf4Linear

    version, run = fresh.train("grpo", adapter="qlora", optimizer={"name": optimizer})
    assert version.quantized == "nf4" and kind_of(version) == "adapter + 4-bit base"
    parent = fresh.ws.find(version.parent)
    assert parent.quantized == "nf4" and not parent.adapter
    rows = fresh.metrics(run)
    assert all("held_out_success" in row and row["loss"] == row["loss"] for row in rows.values())
    policy: Any = fresh.ws.policy(version)
    assert any(isinstance(module, Nf4Linear) for module in policy.model.modules())
    plain: Any = fresh.ws.policy(fresh.ws.agent(str(fresh.model)))
    assert not any(isinstance(module, Nf4Linear) for module in plain.model.modules()), "another model in memory"


def test_quantisation_is_part_of_the_id_only_if_there_is_one(fresh: Bench) -> None:
    plain = fresh.ws.agent(str(fresh.model))
    assert version_id(plain) != version_id(msgspec.structs.replace(plain, quantized="nf4"))
    assert b"quantized" not in msgspec.json.encode(plain)


def test_an_adapter_is_not_moved_to_another_base(fresh: Bench) -> None:
    quantized, _ = fresh.train("grpo", adapter="qlora", name="small")
    with pytest.raises(Refused, match="start: small was trained on a 4-bit base, so adapter: lora cannot continue it"):
        fresh.train("grpo", start="small")
    again, _ = fresh.train("grpo", adapter="qlora", start="small", name="smaller")
    assert again.parent == quantized.id and again.quantized == "nf4"
    fresh.train("grpo", name="wide")
    with pytest.raises(Refused, match="start: wide was trained on a base that is not quantised"):
        fresh.train("grpo", adapter="qlora", start="wide")


def test_merged_weights_are_those_that_were_trained_and_sampled(fresh: Bench, tmp_path: Path) -> None:
    import torch

    version, _ = fresh.train("sft", adapter="qlora", data=str(chat(fresh)), environment=None, held_out_eval=None)
    export(fresh.ws, version, tmp_path / "merged", merged=True)
    merged: Any = fresh.ws.load(str(tmp_path / "merged"))
    ours: Any = fresh.ws.policy(version)
    ids = torch.tensor([[3, 5, 7, 9]])
    with torch.no_grad():
        assert torch.allclose(ours.model(ids).logits, merged.model(ids).logits, atol=1e-4)
    export(fresh.ws, version, tmp_path / "adapter")
    code = "\n".join(loading_code(version, tmp_path / "adapter", False))
    assert 'bnb_4bit_quant_type="nf4"' in code and "quantization_config=nf4" in code
    compile(code, "code", "exec")


def chat(bench: Bench) -> Path:
    row = '{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "abc"}]}\n'
    path = bench.place / "chat.jsonl"
    path.write_text(row.replace("hi", "one") + row.replace("hi", "two"))
    return path


def test_the_dry_run_counts_4_bits(fresh: Bench) -> None:
    plain, quantized = (dry_run(fresh.ws, fresh.recipe("grpo", adapter=kind)).plan.memory for kind in ("lora", "qlora"))
    assert quantized.weights < plain.weights
    small = dry_run(fresh.ws, fresh.recipe("grpo", optimizer={"name": "adamw8bit"})).plan.memory
    assert small.adapter == plain.adapter * 10 / 16


def test_a_killed_run_ends_in_the_same_weights(fresh: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    fields = {"adapter": "qlora", "optimizer": {"name": "adamw8bit"}, "lora": {"r": 64}}
    assert_a_killed_run_ends_in_the_same_weights(fresh, monkeypatch, **fields)
