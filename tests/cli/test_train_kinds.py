"""What a version is used for, as it is typed, if it was trained on a 4-bit base or as a whole model."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.view.visitor import Visitor
from tests.workspace.desk import Bench, save_tiny
from verigym.cli.main import app
from verigym.gates.decide import EXIT
from verigym.registry import ledger

POLICY = "{name: alone, retention: null, safety: null, margins: {latency: null}}"


@pytest.fixture(scope="module", params=["qlora", "full"])
def kind(request: pytest.FixtureRequest) -> str:
    if request.param == "qlora":
        pytest.importorskip("bitsandbytes")
    return request.param


@pytest.fixture(scope="module")
def bench(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A workspace with a version of this kind and nothing else, named after the kind."""
    place = tmp_path_factory.mktemp(kind)
    made = Bench(place / "bench", save_tiny(place / "model"))
    made.file("policy.yaml", POLICY)
    made.train("grpo", adapter=kind, name=kind, lora=None if kind == "full" else {"r": 2})
    return made


WORDS = {
    "qlora": ("adapter + 4-bit base", "in 4 bits, nf4", "The adapter covers"),
    "full": ("all parameters", "all parameters", "All 25.1 thousand parameters"),
}


def test_the_version_says_what_it_is(bench: Bench, kind: str) -> None:
    shown, card = bench.shell("models", "show", kind), bench.shell("models", "card", kind)
    what, base, _ = WORDS[kind]
    assert what in shown and base in shown
    assert ("4 bits (nf4)" if kind == "qlora" else "all parameters") in card.lower()
    assert what in bench.shell("models", "list")


def test_the_gate_compares_it_with_the_base_as_it_is(kind: str, bench: Bench) -> None:
    bench.shell("eval", bench.desk, "-m", kind, "--split", "val", "-n", "3")
    policy = str(bench.place / "policy.yaml")
    assert "look by look" in bench.shell("gate", kind, "--policy", policy, "--dry-run")
    done = CliRunner().invoke(app, ["gate", kind, "--policy", policy], env={"VERIGYM_HOME": str(bench.ws.home)})
    decision = ledger.entries(bench.ws.store)[-1].decision
    assert done.exit_code == EXIT[decision.verdict], done.output
    champion = bench.ws.find(decision.champion)
    assert decision.candidate == bench.ws.find(kind).id and decision.checks
    assert champion.base == str(bench.model) and not (champion.quantized or champion.full or champion.adapter)


@pytest.mark.parametrize("merged", [False, True], ids=["as it is", "merged"])
def test_its_export_is_a_model_that_answers_the_same(bench: Bench, kind: str, merged: bool, tmp_path: Path) -> None:
    out = tmp_path / "out"
    said = bench.shell("models", "export", kind, "--out", str(out), *(["--merged"] if merged else []))
    assert str(out) in said and (out / "README.md").exists()
    if not merged and kind == "qlora":
        assert (out / "adapter_model.safetensors").exists() and "quantization_config=nf4" in said
        return
    bench.shell("eval", bench.desk, "-m", str(out), "--split", "val", "-n", "3", "--name", f"exported-{kind}-{merged}")
    bench.shell("eval", bench.desk, "-m", kind, "--split", "val", "-n", "3", "--name", f"own-{kind}-{merged}")
    exported, own = (
        [each.reply for each in bench.ws.store.trajectories(f"{whose}-{kind}-{merged}")]
        for whose in ("exported", "own")
    )
    assert exported == own and any(own)


def test_its_pages_show_what_was_trained(bench: Bench, kind: str) -> None:
    version = bench.ws.find(kind)
    visitor = Visitor(bench.ws.home)
    what, base, _ = WORDS[kind]
    page = visitor.page(f"/versions/{version.id}")
    assert what in page and base in page
    assert kind in visitor.page(f"/training/{version.recipe['run']}")


def test_training_says_what_is_trained(bench: Bench, kind: str) -> None:
    fields = {"adapter": kind, "seed": 7, "lora": None if kind == "full" else {"r": 2}}
    assert WORDS[kind][2] in bench.shell("train", bench.recipe_file("grpo", **fields))
