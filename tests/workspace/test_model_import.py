"""Weights that were trained elsewhere: they become versions with their origin, or are refused with what to do."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM
from typer.testing import CliRunner

from tests.workspace.desk import Bench
from verigym.cli.main import app
from verigym.core.errors import BadInput, Refused, VerigymError
from verigym.core.records import Version
from verigym.gates.held_out import held_out
from verigym.registry.cards import card
from verigym.registry.imports import imported_weights, with_unknown_data
from verigym.registry.integrity import check_integrity
from verigym.workspace.agents import about
from verigym.workspace.export import export
from verigym.workspace.model_import import ImportResult, import_model

IDS = torch.arange(7, 40)[None]


def peft_adapter(base: Path, out: Path, seed: int = 0, **settings: Any) -> Path:
    """An adapter that PEFT made and saved, and that changes something."""
    model: Any = AutoModelForCausalLM.from_pretrained(base)
    worn = get_peft_model(
        model, LoraConfig(r=4, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM", **settings)
    )
    torch.manual_seed(seed)
    for name, parameter in worn.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.2)
    worn.save_pretrained(str(out))
    return out


@pytest.fixture(scope="module")
def adapter(tiny_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return peft_adapter(tiny_folder, tmp_path_factory.mktemp("peft") / "out")


def bring(bench: Bench, folder: Path, **options: Any) -> ImportResult:
    return import_model(bench.ws, folder, **{"trained_by": "verl", **options})


def test_an_adapter_of_peft_becomes_a_version_that_replies_as_peft_does(fresh: Bench, adapter: Path) -> None:
    version, warnings = bring(fresh, adapter, name="theirs", note="step 100")
    assert warnings == [] and (version.name, version.base) == ("theirs", str(fresh.model))
    origin = imported_weights(version)
    assert origin is not None and (origin.trained_by, origin.note, origin.data) == ("verl", "step 100", "")
    assert set(origin.files) == {"adapter_config.json", "adapter_model.safetensors"}
    parent = fresh.ws.find(version.parent)
    assert (parent.base, parent.adapter) == (str(fresh.model), "")
    from peft import PeftModel

    theirs = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(fresh.model), adapter).eval()
    ours: Any = fresh.ws.policy(version)
    with torch.no_grad():
        difference = (theirs(IDS).logits - ours.model(IDS).logits).abs().max()
    assert difference < 1e-4
    assert all(one.sound for one in check_integrity(fresh.ws.store, fresh.ws.home))


def test_the_same_weights_are_one_version(fresh: Bench, adapter: Path) -> None:
    first, again = (bring(fresh, adapter, trained_by=by).version for by in ("verl", "trl"))
    assert first == again


def test_a_whole_checkpoint_becomes_a_version(fresh: Bench, tmp_path: Path) -> None:
    model: Any = AutoModelForCausalLM.from_pretrained(fresh.model)
    with torch.no_grad():
        model.lm_head.weight.mul_(1.5)
    model.save_pretrained(tmp_path / "whole")
    model.save_pretrained(tmp_path / "shards", max_shard_size="20KB")
    assert len(list((tmp_path / "shards").glob("model-*"))) > 1
    versions = [bring(fresh, tmp_path / name, base=str(fresh.model)).version for name in ("whole", "shards")]
    for version in versions:
        assert version.full and version.base == str(fresh.model)
        ours: Any = fresh.ws.policy(version)
        with torch.no_grad():
            assert torch.allclose(ours.model(IDS).logits, model(IDS).logits, atol=1e-4)
        assert (fresh.ws.adapter_folder(version.adapter) / "tokenizer.json").exists(), (
            "it has the tokenizer of its base"
        )


def test_it_is_exported_and_imported_again_as_the_same_weights(fresh: Bench, adapter: Path, tmp_path: Path) -> None:
    version = bring(fresh, adapter).version
    export(fresh.ws, version, tmp_path / "out")
    assert bring(fresh, tmp_path / "out").version == version
    export(fresh.ws, version, tmp_path / "merged", merged=True)
    whole = bring(fresh, tmp_path / "merged", base=str(fresh.model)).version
    assert whole.full and whole.id != version.id


def test_the_card_and_the_gate_say_that_the_data_is_unknown(fresh: Bench, adapter: Path) -> None:
    version = bring(fresh, adapter).version
    text = card(about(fresh.ws, version))
    assert "- Elsewhere, by verl" in text and "training data unknown" in text and "are too good" in text
    child = fresh.ws.register(
        Version(base=version.base, adapter=version.adapter, system_prompt="New", parent=version.id)
    )
    unknown = with_unknown_data(fresh.ws.store, child)
    assert len(unknown) == 1 and "was trained by verl on data that Verigym did not see" in unknown[0]
    check = held_out(child, version, [], unknown)
    assert check.outcome == "skipped" and check.words.startswith("training data unknown: ")


def test_data_of_this_workspace_makes_its_families_known(fresh: Bench, adapter: Path) -> None:
    dataset = fresh.demos()
    version = bring(fresh, adapter, data=dataset.name).version
    assert (version.data_hash, version.families) == (dataset.id, dataset.families)
    assert with_unknown_data(fresh.ws.store, version) == []
    assert "as the importer says: dataset" in card(about(fresh.ws, version))


def test_the_gate_decides_about_it_and_the_champion_can_be_rolled_back(fresh: Bench, adapter: Path) -> None:
    said = fresh.shell("models", "import", str(adapter), "--trained-by", "verl", "--name", "theirs")
    assert "adapter on " in said and "training data unknown" in said and "next: verigym eval ENV" in said
    fresh.shell("eval", fresh.desk, "-m", str(fresh.model), "--max-tokens", "4")
    fresh.shell("promote", fresh.ws.agent(str(fresh.model)).id, "--override", "the first")
    fresh.shell("eval", fresh.desk, "-m", "theirs", "--max-tokens", "4")
    policy = fresh.file("policy.yaml", "retention: null\nsafety: null\n")
    words = ["gate", "theirs", "-e", fresh.desk, "--policy", policy, "--home", str(fresh.ws.home)]
    assert "training data unknown" in CliRunner().invoke(app, words).output
    fresh.shell("promote", "theirs", "--override", "trained by people we trust")
    assert "trained by verl" in fresh.shell("models", "show", "champion")
    fresh.shell("rollback", "--why", "a test")
    assert "trained by verl" not in fresh.shell("models", "show", "champion")


# -- what is refused ----------------------------------------------------------------------------------------------------------


def changed(adapter: Path, out: Path, weights: Any = None, **settings: Any) -> Path:
    shutil.copytree(adapter, out)
    config = json.loads((out / "adapter_config.json").read_text())
    (out / "adapter_config.json").write_text(json.dumps({**config, **settings}))
    if weights is not None:
        save_file(weights(load_file(out / "adapter_model.safetensors")), out / "adapter_model.safetensors")
    return out


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("of another shape", {"weights": lambda all: {name: one[:, :-1].contiguous() for name, one in all.items()}}),
        ("contains NaN", {"weights": lambda all: {name: one * float("nan") for name, one in all.items()}}),
        ("No linear layer matches", {"target_modules": ["no_such_layer"]}),
        ("uses DoRA", {"use_dora": True}),
        ("adapter of kind IA3", {"peft_type": "IA3"}),
        ("is not on this machine", {"base_model_name_or_path": "/nowhere/model"}),
        ("The files do not name it", {"base_model_name_or_path": None}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_adapter_that_cannot_be_used_is_refused(
    bench: Bench, adapter: Path, tmp_path: Path, words: str, options: Any
) -> None:
    before = {one.id for one in bench.ws.store.documents("version", Version)}
    with pytest.raises(VerigymError, match=words):
        bring(bench, changed(adapter, tmp_path / "odd", **options))
    assert {one.id for one in bench.ws.store.documents("version", Version)} == before


def test_an_untrained_adapter_is_a_warning(fresh: Bench, adapter: Path, tmp_path: Path) -> None:
    zero = changed(
        adapter, tmp_path / "zero", lambda all: {name: one * ("lora_A" in name) for name, one in all.items()}
    )
    assert "changes nothing" in bring(fresh, zero).warnings[0]


def test_a_checkpoint_of_another_model_is_refused(fresh: Bench, tmp_path: Path) -> None:
    from tests.tiny import tiny

    tiny(layers=3).model.save_pretrained(tmp_path / "other")
    with pytest.raises(Refused, match="num_hidden_layers is 3, and 2 in the base"):
        bring(fresh, tmp_path / "other", base=str(fresh.model))
    with pytest.raises(BadInput, match="base model is not known"):
        bring(fresh, tmp_path / "other")


def test_a_checkpoint_with_missing_weights_is_refused(fresh: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "part"
    shutil.copytree(fresh.model, folder)
    weights = load_file(folder / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(BadInput, match=r"1 weights are missing, such as model\.layers\.1\.mlp\.up_proj"):
        bring(fresh, folder, base=str(fresh.model))
    (folder / "model.safetensors").write_bytes(b"no")
    with pytest.raises(BadInput, match="cannot be loaded"):
        bring(fresh, folder, base=str(fresh.model))


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (["model_world_size_2_rank_0.pt", "config.json"], r"python -m verl\.model_merger merge --backend fsdp"),
        (["dist_ckpt"], "--backend megatron"),
        (["zero_to_fp32.py", "latest"], "a checkpoint of DeepSpeed"),
        (["config.json", "pytorch_model.bin"], "its weights are pickled"),
        (["adapter_config.json", "adapter_model.bin"], "can run code when it is read"),
        (["adapter_config.json"], r"adapter_model\.safetensors is missing"),
        (["checkpoint-20", "checkpoint-100"], "such as .*checkpoint-100"),
        (["notes.txt"], "It needs adapter_config.json and"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_folder_of_another_format_is_refused_with_what_to_do(
    bench: Bench, tmp_path: Path, files: list[str], words: str
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    for file in files:
        (folder / file).write_text("{}")
    with pytest.raises(BadInput, match=words):
        bring(bench, folder)
    with pytest.raises(BadInput, match="does not exist"):
        bring(bench, tmp_path / "none")
    with pytest.raises(BadInput, match="is a file"):
        bring(bench, folder / files[0])


def test_a_broken_config_is_refused(bench: Bench, adapter: Path, tmp_path: Path) -> None:
    odd = changed(adapter, tmp_path / "odd")
    (odd / "adapter_config.json").write_text("{")
    with pytest.raises(BadInput, match=r"adapter_config\.json cannot be read"):
        bring(bench, odd)
    with pytest.raises(BadInput, match="--base and --parent cannot be combined"):
        bring(bench, adapter, base="a", parent="b")
    with pytest.raises(BadInput, match="--trained-by is empty"):
        bring(bench, adapter, trained_by=" ")
