"""Versions made without training, their adapters' files, and versions as files for others."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import peft
import pytest
import torch
from transformers import AutoModelForCausalLM

from tests.tiny import tiny
from tests.workspace.desk import Bench
from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.records import Sampling, Version
from verigym.environments.load import load_environment
from verigym.model import lora, lora_files
from verigym.registry.integrity import ADAPTER_FILE, check_integrity
from verigym.wire import chat
from verigym.workspace import agents as versions
from verigym.workspace.agents import derive
from verigym.workspace.export import export, loading_code
from verigym.workspace.workspace import WorkspaceFolder

BASE = Version(base="tiny", name="base")


@pytest.fixture
def ws(tmp_path: Path) -> WorkspaceFolder:
    return WorkspaceFolder(tmp_path / "home")


@pytest.fixture(scope="module")
def trained(bench: Bench) -> Version:
    return bench.train("sft", data=bench.demos().id)[0]


# -- made without training ----------------------------------------------------------------------------------------------


def test_a_prompt_makes_another_version_and_keeps_its_parent(ws: WorkspaceFolder):
    made = derive(ws, ws.agent("tiny"), name="kind", system="Be kind.")
    assert (made.system_prompt, made.parent, made.name) == ("Be kind.", ws.find("tiny").id, "kind")
    assert ws.find("kind") == made and len(ws.store.documents("version", Version)) == 2


def test_what_weights_have_learnt_from_goes_with_them(ws: WorkspaceFolder):
    parent = Version(base="tiny", adapter="a", families=["f"], data_hash="d", recipe={"algorithm": "sft", "run": "r"})
    made = derive(ws, ws.register(parent), system="x")
    assert (made.families, made.data_hash, made.recipe) == (parent.families, parent.data_hash, parent.recipe)


def test_changes_add_up(ws: WorkspaceFolder):
    first = derive(ws, BASE, describe={"b": "B", "a": "A"}, sampling={"temperature": 0.5, "max_tokens": 9})
    second = derive(ws, first, describe={"a": "AA"}, sampling={"top_p": 0.5}, constraints="tools", system="")
    assert second.tool_descriptions == {"a": "AA", "b": "B"} and second.constraints == "tools"
    assert second.sampling == Sampling(temperature=0.5, max_tokens=9, top_p=0.5) and second.system_prompt == ""
    assert derive(ws, BASE, describe={"a": "AA", "b": "B"}) == derive(ws, BASE, describe={"b": "B", "a": "AA"})


def test_the_same_change_again_is_the_same_version_under_its_first_name(ws: WorkspaceFolder):
    first = derive(ws, BASE, name="one", system="x")
    assert derive(ws, BASE, name="two", system="x") == first


def test_no_change_is_refused(ws: WorkspaceFolder):
    with pytest.raises(BadInput, match="The new version would equal base"):
        derive(ws, BASE)
    assert ws.store.documents("version", Version) == []


@pytest.mark.parametrize(("name", "words"), [("champion", "reserved"), ("latest", "reserved"), (" x ", "is not valid")])
def test_a_name_that_means_something_else_is_refused(ws: WorkspaceFolder, name: str, words: str):
    with pytest.raises(BadInput, match=words):
        derive(ws, BASE, name=name, system="x")


def test_a_name_is_given_once(ws: WorkspaceFolder):
    first = derive(ws, BASE, name="one", system="x")
    for taken in ("one", first.id):
        with pytest.raises(Refused, match=f"is taken by version {first.id}"):
            derive(ws, BASE, name=taken, system="y")


def test_a_described_tool_must_be_one_of_the_environments(ws: WorkspaceFolder):
    toolcall = load_environment("toolcall")
    with pytest.raises(NotFound, match=r'no tool "refus"\. Did you mean "refuse"'):
        derive(ws, BASE, describe={"refus": "x"}, environment=toolcall)
    assert derive(ws, BASE, describe={"refuse": "x"}, environment=toolcall).tool_descriptions == {"refuse": "x"}


def test_only_a_description_of_its_own_makes_another_offer(ws: WorkspaceFolder):
    box = load_environment("toolcall").toolbox
    made = derive(ws, BASE, describe={"refuse": "Say no."})
    own = {tool.name: tool.description for tool in box.offer(made.tool_descriptions).tools if tool.own}
    assert own == {"refuse": "Say no."} and not any(tool.own for tool in box.offer({}).tools)
    assert chat.tool(box.offer(made.tool_descriptions).tools[-1], "refuse")["function"].keys() == {
        "name",
        "description",
        "parameters",
    }


def test_a_reward_model_has_no_prompt(ws: WorkspaceFolder):
    with pytest.raises(Refused, match="is a reward model"):
        derive(ws, Version(base="tiny", adapter="a", recipe={"algorithm": "reward"}), system="x")


@pytest.mark.parametrize("text", ["Be kind.", "", "a/b c", "x" * 10_000, "多言語\x00"])
def test_a_prompt_that_is_no_file_is_the_text(text: str):
    assert versions.system_text(text) == text


def test_a_prompt_can_be_a_file(tmp_path: Path):
    (tmp_path / "p.md").write_text("Be kind.\nÄ\n")
    assert versions.system_text(str(tmp_path / "p.md")) == "Be kind.\nÄ"
    with pytest.raises(BadInput, match=r"q\.md does not exist"):
        versions.system_text(str(tmp_path / "q.md"))
    (tmp_path / "b.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match="cannot be read as text"):
        versions.system_text(str(tmp_path / "b.txt"))


def test_descriptions_come_from_the_command_and_from_a_file(tmp_path: Path):
    file = tmp_path / "d.json"
    file.write_text('{"a": "A", "b": "B"}')
    assert versions.descriptions(["a=x=y"], file) == {"a": "x=y", "b": "B"}
    with pytest.raises(BadInput, match="Write TOOL=TEXT"):
        versions.descriptions(["a"], None)
    for body in ('["a"]', '{"a": 1}', "{"):
        file.write_text(body)
        with pytest.raises(BadInput, match="must map tool names"):
            versions.descriptions([], file)


# -- adapters -----------------------------------------------------------------------------------------------------------


def test_a_trained_version_says_what_it_was_made_with(bench: Bench, trained: Version):
    assert trained.software.keys() == {"verigym", "python", "torch", "transformers"}
    config = bench.ws.adapter_folder(trained.adapter) / "adapter_config.json"
    assert trained.adapter_config == hashlib.sha256(config.read_bytes()).hexdigest()
    assert [one.words for one in check_integrity(bench.ws.store, bench.ws.home) if not one.sound] == []
    assert {one.what for one in check_integrity(bench.ws.store, bench.ws.home)} >= {
        "version",
        "adapter",
        "recipe",
        "data",
    }


def test_a_damaged_adapter_is_not_worn_and_training_again_mends_it(fresh: Bench):
    version, _ = fresh.train()
    weights = fresh.ws.adapter_folder(version.adapter) / ADAPTER_FILE
    body = bytearray(weights.read_bytes())
    body[-1] ^= 1
    weights.write_bytes(body)
    with pytest.raises(BadInput, match="the adapter of this version is damaged"):
        fresh.ws.policy(version)
    again, _ = Bench(fresh.place, fresh.model).train()
    assert again == version and fresh.ws.has_adapter(version.adapter)
    assert not list((fresh.ws.home / "adapters").glob(".new-*"))


def test_an_adapter_with_other_settings_is_not_opened(fresh: Bench):
    version, _ = fresh.train()
    settings = fresh.ws.adapter_folder(version.adapter) / "adapter_config.json"
    whole = settings.read_bytes()
    config = json.loads(whole)
    settings.write_text(json.dumps({**config, "lora_alpha": 50 * config["lora_alpha"]}))
    for opens in (fresh.ws.policy, fresh.ws.open_policy, fresh.ws.open_beside):
        with pytest.raises(BadInput, match=r"adapter_config\.json was changed\. It holds the adapter's rank and scale"):
            opens(version)
    settings.unlink()
    with pytest.raises(BadInput, match=r"adapter_config\.json is missing"):
        fresh.ws.policy(version)
    settings.write_bytes(whole)
    fresh.ws.policy(version)


# -- as files for others ------------------------------------------------------------------------------------------------


def test_a_peft_folder_is_one_that_peft_reads(bench: Bench, trained: Version, tmp_path: Path):
    assert export(bench.ws, trained, tmp_path / "out") == [
        "README.md",
        "adapter_config.json",
        "adapter_model.safetensors",
        "version.json",
    ]
    ids = torch.arange(7, 40)[None]
    ours = AutoModelForCausalLM.from_pretrained(bench.model).eval()
    lora_files.load(ours, bench.ws.adapter_folder(trained.adapter))
    theirs = peft.PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(bench.model), tmp_path / "out").eval()
    with torch.no_grad():
        torch.testing.assert_close(ours(ids).logits, theirs(ids).logits, atol=1e-4, rtol=1e-4)
    assert msgspec.json.decode((tmp_path / "out" / "version.json").read_bytes(), type=Version) == trained
    assert "## Limits" in (tmp_path / "out" / "README.md").read_text()


@pytest.mark.parametrize("merged", [False, True], ids=["adapter", "merged"])
def test_the_printed_lines_load_what_was_exported(
    bench: Bench, trained: Version, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, merged: bool
):
    monkeypatch.chdir(tmp_path)
    export(bench.ws, trained, Path("out"), merged)
    loaded: dict[str, Any] = {}
    exec("\n".join(loading_code(trained, Path("out"), merged)), loaded)
    ids = torch.arange(7, 40)[None]
    ours = AutoModelForCausalLM.from_pretrained(bench.model).eval()
    lora_files.load(ours, bench.ws.adapter_folder(trained.adapter))
    with torch.no_grad():
        torch.testing.assert_close(ours(ids).logits, loaded["model"].eval()(ids).logits, atol=1e-3, rtol=1e-3)
    assert loaded["tokenizer"]("a")["input_ids"]
    assert all(
        line in (tmp_path / "out" / "README.md").read_text() for line in loading_code(trained, Path("out"), merged)
    )


def test_an_adapter_of_the_embedded_model_names_a_folder_that_exists(
    ws: WorkspaceFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("VERIGYM_CACHE", str(tmp_path / "cache"))
    model = tiny().model
    lora.attach(model, lora.LoraConfig(r=2), 0)
    version = ws.register(Version(base="smollm2-135m", adapter=ws.keep_adapter(model, "smollm2-135m"), name="tuned"))
    export(ws, version, tmp_path / "out")
    base = json.loads((tmp_path / "out" / "adapter_config.json").read_text())["base_model_name_or_path"]
    assert base == str(tmp_path / "cache" / "models" / "smollm2-135m")
    assert check_integrity(ws.store, ws.home, version)[-1].sound, "the stored adapter is unchanged"


def test_merged_weights_load_by_themselves(bench: Bench, trained: Version, tmp_path: Path):
    files = export(bench.ws, trained, tmp_path / "out", merged=True)
    assert {"config.json", "model.safetensors", "tokenizer.json", "version.json", "README.md"} <= set(files)
    assert not any(name.startswith("adapter") for name in files)
    assert bench.ws.agent(str(tmp_path / "out")).base == str(tmp_path / "out")


def test_a_prompt_alone_is_exported_as_json(ws: WorkspaceFolder, tmp_path: Path):
    made = derive(ws, BASE, name="kind", system="Be kind.", describe={"a": "A"}, sampling={"temperature": 0.2})
    assert export(ws, made, tmp_path / "a" / "out") == ["README.md", "version.json"]
    found = json.loads((tmp_path / "a" / "out" / "version.json").read_text())
    assert (found["system_prompt"], found["tool_descriptions"]) == ("Be kind.", {"a": "A"})
    assert found["sampling"] == {"temperature": 0.2} and found["id"] == made.id


def test_weights_behind_a_server_are_not_merged(ws: WorkspaceFolder, tmp_path: Path):
    remote = ws.register(Version(base="http://host/v1#m"))
    with pytest.raises(Refused, match="the weights of a model behind a server"):
        export(ws, remote, tmp_path / "out", merged=True)
    assert export(ws, remote, tmp_path / "out") == ["README.md", "version.json"]


def test_nothing_is_overwritten(ws: WorkspaceFolder, tmp_path: Path):
    made = derive(ws, BASE, system="x")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("file", "folder", "link"):
        with pytest.raises(Refused, match="already exists"):
            export(ws, made, tmp_path / name)
    assert (tmp_path / "file").read_text() == "mine" and not list((tmp_path / "folder").iterdir())
    assert not (tmp_path / "nowhere").exists()


def test_the_base_model_is_never_written_to(
    bench: Bench, trained: Version, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("VERIGYM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    (tmp_path / "link").symlink_to(bench.model)
    inside = [
        bench.model / "new",
        tmp_path / "link" / "new",
        bench.ws.home / "new",
        bench.model / ".." / bench.model.name / "x",
    ]
    for folder in ("cache", "hub"):
        (tmp_path / folder).mkdir()
        inside.append(tmp_path / folder / "deep" / "new")
    before = sorted(bench.model.iterdir())
    for place in inside:
        for merged in (False, True):
            with pytest.raises(Refused, match="Pass another folder with --out"):
                export(bench.ws, trained, place, merged)
        assert not place.exists()
    with pytest.raises(Refused, match="already exists"):
        export(bench.ws, trained, bench.model, merged=True)
    assert sorted(bench.model.iterdir()) == before


def test_a_killed_export_leaves_nothing_under_the_name(bench: Bench, trained: Version, tmp_path: Path):
    """Killed while it writes the weights, which is made to take long."""
    script = tmp_path / "slow.py"
    script.write_text(
        "import shutil, sys, time\n"
        "from pathlib import Path\n"
        "from verigym.workspace import export\n"
        "from verigym.workspace.workspace import WorkspaceFolder\n"
        "real = shutil.copyfile\n"
        "def slow(source, target, **more):\n"
        "    Path(target).write_bytes(b'half')\n"
        "    print('writing', flush=True)\n"
        "    time.sleep(60)\n"
        "shutil.copyfile = slow\n"
        "ws = WorkspaceFolder(Path(sys.argv[1]))\n"
        "export.export(ws, ws.find(sys.argv[2]), Path(sys.argv[3]))\n"
    )
    to = tmp_path / "out"
    command = [sys.executable, str(script), str(bench.ws.home), trained.id, str(to)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": os.getcwd()}
    )
    assert process.stdout is not None and process.stdout.readline() == "writing\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not to.exists() and list(tmp_path.glob(".out.new-*")), "what is left is under another name"
    assert export(bench.ws, trained, to)


def test_a_disk_that_refuses_is_said_in_words(ws: WorkspaceFolder, tmp_path: Path):
    made = derive(ws, BASE, system="x")
    (tmp_path / "file").write_text("")
    with pytest.raises(Exception, match="cannot be written"):
        export(ws, made, tmp_path / "file" / "out")
    assert (tmp_path / "file").read_text() == ""


def test_a_judge_is_kept_for_rescoring_and_is_never_the_latest_version(ws: WorkspaceFolder):
    agent = ws.register(Version(base="smollm2-135m"))
    judge = ws.agent("http://localhost:1/v1#judge")
    ws.keep_roles(None, judge)
    assert ws.find_role(judge.id) == judge and ws.find_role(agent.id) == agent
    assert ws.find("latest") == agent
    with pytest.raises(NotFound):
        ws.find(judge.id)


def test_checkpoints_of_a_run_never_lie_outside_the_workspace(ws: WorkspaceFolder, tmp_path: Path):
    (tmp_path / "kept").mkdir()
    ws.forget_checkpoints(str(tmp_path / "kept"))
    ws.forget_checkpoints("../../kept")
    assert (tmp_path / "kept").is_dir()
    with pytest.raises(BadInput):
        ws.checkpoints("../x")
