"""Models in and out: an adapter that TRL trained becomes a version, and llama.cpp continues a text as the version does."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer

from tests.model.test_gguf_write import FAMILIES, WORDS, saved
from tests.third_party.install import installed, python_of
from verigym import Workspace

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / "tests" / "third_party" / "programs" / "llama_replies.py"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("base") / "model", "llama")


@pytest.fixture(scope="module")
def trained(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An adapter that TRL trained for a few steps and saved."""
    out = tmp_path_factory.mktemp("trl")
    rows = Dataset.from_list([{"prompt": "Say it: ", "completion": "the end of the path"}] * 8)
    settings = SFTConfig(
        output_dir=str(out),
        max_steps=4,
        learning_rate=0.05,
        per_device_train_batch_size=4,
        report_to="none",
        use_cpu=True,
        bf16=False,
        loss_type="nll",
    )
    adapter = LoraConfig(r=4, target_modules="all-linear", task_type="CAUSAL_LM")
    trainer = SFTTrainer(str(base), args=settings, train_dataset=rows, peft_config=adapter)
    trainer.train()
    trainer.save_model(str(out / "final"))
    return out / "final"


def test_an_adapter_that_trl_trained_is_a_version_with_its_origin(base: Path, trained: Path, tmp_path: Path) -> None:
    with Workspace(tmp_path / "home") as ws:
        version = ws.import_model(trained, trained_by="trl", note="4 steps of SFT")
        assert version.recipe["imported"]["trained_by"] == "trl" and version.base == str(base)
        from peft import PeftModel

        theirs: Any = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(base), trained).eval()
        ours: Any = ws.folder.policy(version)
        ids = torch.tensor([AutoTokenizer.from_pretrained(base)(WORDS).input_ids])
        with torch.no_grad():
            expected, plain = theirs(ids).logits, AutoModelForCausalLM.from_pretrained(base).eval()(ids).logits
            assert (expected - plain).abs().max() > 0.1, "training changed something"
            assert torch.allclose(ours.model(ids).logits, expected, atol=1e-3)


@pytest.mark.parametrize("kind", ["f32", "f16", "q8_0"])
def test_llama_cpp_continues_as_the_exported_version_does(base: Path, trained: Path, tmp_path: Path, kind: str) -> None:
    with Workspace(tmp_path / "home") as ws:
        version = ws.import_model(trained, trained_by="trl", name="theirs")
        assert "theirs-" + kind + ".gguf" in ws.export(version, tmp_path / "gguf", gguf=kind)
        ws.export(version, tmp_path / "merged", merged=True)
    compare(tmp_path / "merged", tmp_path / "gguf" / f"theirs-{kind}.gguf", exact=kind != "q8_0")


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "llama"])
def test_llama_cpp_reads_every_family(family: str, tmp_path: Path) -> None:
    from verigym.model import gguf_write

    source = saved(tmp_path / "model", family)
    gguf_write.write(source, tmp_path / "model.gguf", "f32", "tiny")
    compare(source, tmp_path / "model.gguf")


def compare(folder: Path, gguf: Path, exact: bool = True) -> None:
    """llama.cpp cuts the text into the same ids, and continues it with the same tokens. Eight bits may change a token."""
    assert installed("llama-cpp"), "Install it first: python -m tests.third_party.install llama-cpp"
    command = [str(python_of("llama-cpp")), str(PROGRAM), str(gguf), WORDS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    tokenizer = AutoTokenizer.from_pretrained(folder)
    ids = tokenizer(WORDS).input_ids
    assert found["ids"] == ids
    model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    greedy: Any = {"max_new_tokens": 12, "do_sample": False, "eos_token_id": -1, "pad_token_id": 0}
    expected = model.generate(torch.tensor([ids]), **greedy)[0, len(ids) :].tolist()
    assert found["made"][: 12 if exact else 1] == expected[: 12 if exact else 1]
