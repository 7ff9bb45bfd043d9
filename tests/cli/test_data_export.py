"""`verigym data export` and `verigym runs export --as` as a user types them. The files are read as the trainers read them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_data import RUN, Shell
from verigym.core.errors import BadInput, NotFound, Refused

FORMATS = {"trl": ".jsonl", "verl": ".parquet", "openrlhf": ".jsonl", "nemo-rl": ".jsonl", "openai": ".jsonl"}
FORMATS |= {"parquet": ".parquet", "hf": ""}


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    made = Shell(tmp_path_factory.mktemp("export"))
    made("data", "demos", RUN, "--name", "right")
    made("data", "pairs", RUN, "--name", "pairs")
    made("data", "thumbs", RUN, "--verdicts", "--name", "thumbs")
    return made


def read(path: Path) -> list[Any]:
    if path.is_dir():
        path = path / "data" / "train.jsonl"
    if path.suffix == ".parquet":
        import pyarrow.parquet

        return pyarrow.parquet.read_table(path).to_pylist()
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("plain", [False, True], ids=["tools", "plain"])
def test_demonstrations_and_prompts_in_every_format(shell: Shell, tmp_path: Path, form: str, plain: bool) -> None:
    style = ["--plain"] if plain else []
    for what in (["right"], ["-e", "toolcall", "-n", "5"]):
        out = tmp_path / f"{form}-{len(what)}{FORMATS[form]}"
        words = ["data", "export", *what, "--as", form, "-o", str(out), *style]
        if not plain and (form == "openrlhf" or (form == "verl" and what == ["right"])):
            with pytest.raises(Refused, match="Pass --plain"):
                shell(*words)
            assert not out.exists()
            continue
        exported = shell.json(*words)
        assert exported["rows"] == len(read(out)) == (3 if what == ["right"] else 5)
        assert "calendar.create_event(attendee" in json.dumps(read(out)[0]) or not plain or form == "nemo-rl"


def test_datasets_reads_what_was_written_for_trl_without_adding_arguments(shell: Shell, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    words = {"right": "completion", "pairs": "chosen", "thumbs": "completion"}
    for name, column in words.items():
        out = tmp_path / f"{name}.jsonl"
        assert "to read it: " in shell("data", "export", name, "--as", "trl", "-o", str(out))
        loaded = datasets.load_dataset("json", data_files=str(out), split="train", cache_dir=str(tmp_path / "cache"))
        assert [row[column] for row in loaded] == [row[column] for row in read(out)]
        assert all(isinstance(json.loads(tools), list) for tools in loaded["tools"])


def test_datasets_reads_a_folder_of_hugging_face(shell: Shell, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    out = tmp_path / "folder"
    shell("runs", "export", RUN, "--as", "hf", "-o", str(out))
    loaded = datasets.load_dataset(str(out), split="train", cache_dir=str(tmp_path / "cache"))
    assert len(loaded) == 24 and {type(reward) for reward in loaded["reward"]} == {float}
    assert f"episodes of run {RUN}" in (out / "README.md").read_text()


def test_what_was_exported_can_be_imported_again(shell: Shell, tmp_path: Path) -> None:
    for form in ("trl", "openai"):
        out = tmp_path / f"again-{form}.jsonl"
        shell("data", "export", "right", "--as", form, "-o", str(out), "--plain")
        assert shell.json("data", "import", str(out), "--name", f"again-{form}")["rows"] == 3


def test_a_run_is_exported_with_its_rewards_or_as_what_can_be_made_of_it(shell: Shell, tmp_path: Path) -> None:
    rollouts = tmp_path / "rollouts.parquet"
    exported = shell.json("runs", "export", RUN, "--as", "parquet", "-o", str(rollouts))
    assert (exported["kind"], exported["rows"], exported["held_out"]) == ("rollouts", 24, 0)
    assert len({row["reward"] for row in read(rollouts)}) > 1
    for kind in ("demonstrations", "preferences", "thumbs"):
        out = tmp_path / f"{kind}.jsonl"
        assert shell.json("runs", "export", RUN, "--as", "trl", "--rows", kind, "-o", str(out))["kind"] == kind
    with pytest.raises(Refused, match=r"verl has no format for rollouts with rewards\. Pass --rows demonstrations"):
        shell("runs", "export", RUN, "--as", "verl")
    with pytest.raises(NotFound, match='no kind of rows "prompts"'):
        shell("runs", "export", RUN, "--as", "trl", "--rows", "prompts")
    with pytest.raises(BadInput, match="need --as FORMAT"):
        shell("runs", "export", RUN, "--rows", "thumbs")


def test_held_out_tasks_are_exported_only_on_demand_and_with_a_warning(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "val.jsonl"
    words = ["data", "export", "-e", "toolcall", "--split", "val", "-n", "5", "--as", "trl", "-o", str(out)]
    with pytest.raises(Refused, match='Split "val" of toolcall is held out'):
        shell(*words)
    assert not out.exists()
    said = shell(*words, "--allow-held-out")
    assert "warning: 5 records of held-out tasks were exported" in said


def test_a_dataset_with_the_prompt_of_a_held_out_task_is_refused(shell: Shell, tmp_path: Path) -> None:
    from verigym.environments.load import load_environment

    task = load_environment("safety").tasks("val")[0]
    file = tmp_path / "leak.jsonl"
    prompt = task.prompt if isinstance(task.prompt, str) else task.prompt[-1].text  # type: ignore[union-attr]
    file.write_text(json.dumps({"prompt": prompt, "completion": "ok"}) + "\n")
    with pytest.raises(Refused, match="has the prompt of the held-out task"):
        shell("data", "export", str(file), "--as", "trl", "-o", str(tmp_path / "out.jsonl"))
    assert list(tmp_path.iterdir()) == [file]


def test_wrong_words_are_errors_that_say_what_to_do(shell: Shell, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match='no format "tlr"'):
        shell("data", "export", "right", "--as", "tlr")
    with pytest.raises(NotFound, match='no split "trian"'):
        shell("data", "export", "-e", "toolcall", "--split", "trian", "--as", "trl")
    with pytest.raises(BadInput, match="DATASET and --env cannot be combined"):
        shell("data", "export", "right", "-e", "toolcall", "--as", "trl")
    with pytest.raises(Refused, match=r"OpenRLHF 0\.11 has no dataset of rated replies"):
        shell("data", "export", "thumbs", "--as", "openrlhf", "--plain")
    taken = tmp_path / "taken.jsonl"
    taken.write_text("mine")
    with pytest.raises(Refused, match="exists and is not overwritten"):
        shell("data", "export", "right", "--as", "trl", "-o", str(taken))
    assert taken.read_text() == "mine"


def test_an_export_without_any_record_is_an_error_and_no_file(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "none.jsonl"
    long = {"prompt": "a", "chosen": [{"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]}
    long["chosen"].append({"role": "assistant", "content": "d"})  # type: ignore[attr-defined]
    file = tmp_path / "long.jsonl"
    file.write_text(json.dumps({**long, "rejected": "e"}) + "\n")
    with pytest.raises(Refused, match=r"nothing to export: no preference is left \(several messages in a reply 1\)"):
        shell("data", "export", str(file), "--as", "openai", "-o", str(out))
    assert not out.exists()
