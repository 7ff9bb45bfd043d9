"""Adapters and resume states behind a URL: what one machine stores, another one has, and a damaged file is never used."""

import hashlib
import os
from pathlib import Path

import pytest

from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.core.records import Version
from verigym.workspace.cleanup import collect_garbage, plan_garbage
from verigym.workspace.shared_files import SharedFiles, SharedResumeState, shared_files
from verigym.workspace.store_copy import copy_workspace_store
from verigym.workspace.workspace import WorkspaceFolder


@pytest.fixture
def shared(tmp_path: Path) -> SharedFiles:
    return SharedFiles(f"file://{tmp_path}/bucket")


def adapter(folder: Path, body: bytes = b"weights") -> str:
    """A folder with the files of an adapter, named by the hash of the weights."""
    sha256 = hashlib.sha256(body).hexdigest()
    made = folder / "adapters" / sha256
    made.mkdir(parents=True)
    (made / "adapter_model.safetensors").write_bytes(body)
    (made / "adapter_config.json").write_text("{}")
    return sha256


def test_a_folder_comes_back_as_it_was(shared: SharedFiles, tmp_path: Path) -> None:
    sha256 = adapter(tmp_path / "one")
    assert not shared.has("adapters/x") and not shared.get("adapters/x", tmp_path / "none")
    shared.put("adapters/x", sorted((tmp_path / "one" / "adapters" / sha256).iterdir()))
    assert shared.has("adapters/x") and shared.names("adapters") == ["x"]
    assert shared.get("adapters/x", tmp_path / "two" / "x")
    assert (tmp_path / "two" / "x" / "adapter_model.safetensors").read_bytes() == b"weights"
    assert sorted(path.name for path in (tmp_path / "two").iterdir()) == ["x"]
    shared.delete("adapters/x")
    shared.delete("adapters/x")
    assert not shared.has("adapters/x")


def test_another_machine_fetches_an_adapter_and_compares_its_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha256 = adapter(tmp_path / "one")
    url = f"file://{tmp_path}/bucket"
    SharedFiles(url).put(f"adapters/{sha256}", sorted((tmp_path / "one" / "adapters" / sha256).iterdir()))
    monkeypatch.setenv("VERIGYM_FILES", url)
    other = WorkspaceFolder(tmp_path / "two")
    assert other.has_adapter(sha256) and not other.has_adapter("0" * 64)
    local = other.adapter_folder(sha256) / "adapter_model.safetensors"
    local.write_bytes(b"damaged")
    assert other.has_adapter(sha256) and local.read_bytes() == b"weights", "it is fetched again"
    other.forget_adapter(sha256)
    assert not local.exists() and not other.has_adapter(sha256)


@pytest.mark.parametrize("what", ["weights", "manifest", "file"])
def test_damage_is_said_in_words_and_nothing_is_left(shared: SharedFiles, tmp_path: Path, what: str) -> None:
    sha256 = adapter(tmp_path / "one")
    shared.put("adapters/x", sorted((tmp_path / "one" / "adapters" / sha256).iterdir()))
    stored = tmp_path / "bucket" / "adapters" / "x"
    words = "is damaged"
    if what == "weights":
        (stored / "adapter_model.safetensors").write_bytes(b"others!")
    elif what == "manifest":
        (stored / "manifest.json").write_text('{"files"')
    else:
        (stored / "adapter_model.safetensors").unlink()
        words = "cannot be read"
    with pytest.raises((BadInput, InfrastructureFailure), match=words):
        shared.get("adapters/x", tmp_path / "two" / "x")
    assert not (tmp_path / "two" / "x").exists()


def test_a_manifest_cannot_name_a_file_elsewhere(shared: SharedFiles, tmp_path: Path) -> None:
    stored = tmp_path / "bucket" / "adapters" / "x"
    stored.mkdir(parents=True)
    (stored / "manifest.json").write_text('{"files": {"../../secret": "00"}}')
    with pytest.raises(BadInput, match="has a file with the name"):
        shared.get("adapters/x", tmp_path / "two" / "x")


def test_files_without_a_manifest_are_an_unfinished_copy(shared: SharedFiles, tmp_path: Path) -> None:
    stored = tmp_path / "bucket" / "adapters" / "x"
    stored.mkdir(parents=True)
    (stored / "adapter_model.safetensors").write_bytes(b"half")
    assert not shared.has("adapters/x") and not shared.get("adapters/x", tmp_path / "x")


@pytest.mark.parametrize("url", ["bucket", "nonsense://bucket/x"])
def test_a_wrong_url_is_said_in_words(url: str) -> None:
    with pytest.raises(BadInput, match=r"Write s3://BUCKET/FOLDER or file:///FOLDER"):
        SharedFiles(url).has("x")


def test_the_url_is_read_from_the_folder_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shared_files(tmp_path) is None
    (tmp_path / "files.url").write_text("file:///one\n")
    found = shared_files(tmp_path)
    assert found is not None and found.url == "file:///one"
    monkeypatch.setenv("VERIGYM_FILES", "file:///two")
    found = shared_files(tmp_path)
    assert found is not None and found.url == "file:///two"
    monkeypatch.delenv("VERIGYM_FILES")
    (tmp_path / "files.url").write_text("\n")
    with pytest.raises(BadInput, match="is empty"):
        shared_files(tmp_path)


def test_the_newest_resume_state_goes_to_the_next_machine(shared: SharedFiles, tmp_path: Path) -> None:
    first, second = tmp_path / "one", tmp_path / "two"
    first.mkdir()
    here, there = SharedResumeState(shared, "run/a", first), SharedResumeState(shared, "run/a", second)
    here.store()
    there.fetch()
    assert not second.exists()
    for step in (5, 12):
        (first / f"step-{step:06d}.pt").write_bytes(b"state %d" % step)
        here.store()
        here.store()
    assert shared.names("checkpoints/run/a") == ["step-000012"], "older states are deleted"
    there.fetch()
    assert [path.name for path in second.iterdir()] == ["step-000012.pt"]
    (second / "step-000020.pt").write_bytes(b"newer")
    there.fetch()
    assert sorted(path.name for path in second.iterdir()) == ["step-000012.pt", "step-000020.pt"]


def test_a_broken_copy_of_a_state_does_not_hide_the_one_before(shared: SharedFiles, tmp_path: Path) -> None:
    first, second = tmp_path / "one", tmp_path / "two"
    first.mkdir()
    (first / "step-000005.pt").write_bytes(b"five")
    SharedResumeState(shared, "r", first).store()
    (tmp_path / "bucket" / "checkpoints" / "r" / "step-000009").mkdir()
    SharedResumeState(shared, "r", second).fetch()
    assert [path.name for path in second.iterdir()] == ["step-000005.pt"]


def test_gc_deletes_shared_adapters_and_states_that_nothing_uses_also_without_a_copy_here(
    shared: SharedFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIGYM_FILES", shared.url)
    used, unused, young = (adapter(tmp_path / "other", body) for body in (b"used", b"unused", b"young"))
    for sha256 in (used, unused, young):
        shared.put(f"adapters/{sha256}", sorted((tmp_path / "other" / "adapters" / sha256).iterdir()))
    for run in ("ended", "resumes"):
        (tmp_path / run).mkdir()
        (tmp_path / run / "step-000001.pt").write_bytes(b"state")
        assert SharedResumeState(shared, run, tmp_path / run).store()
    for file in (tmp_path / "bucket").rglob("*"):
        if file.is_file() and young not in str(file):
            os.utime(file, (1.0, 1.0))
    ws = WorkspaceFolder(tmp_path / "home")
    ws.store.begin_run("resumes", "train", {})
    ws.register(Version(base="b", adapter=used))
    plan = plan_garbage(ws)
    assert sorted(plan.shared) == sorted([f"adapters/{unused}", "checkpoints/ended"])
    assert {item.title: item.count for item in plan.items if item.title.startswith("shared")} == {
        "shared adapters": 1,
        "shared checkpoints": 1,
    }
    assert next(item.bytes for item in plan.items if item.title == "shared adapters") > len(b"unused")
    ws.register(Version(base="c", adapter=unused))  # another process uses it again before the plan is carried out
    collect_garbage(ws, plan)
    assert set(shared.names("adapters")) == {used, unused, young} and shared.names("checkpoints") == ["resumes"]
    assert ws.has_adapter(unused)


def test_a_workspace_is_moved_with_its_files(shared: SharedFiles, tmp_path: Path) -> None:
    home = tmp_path / "home"
    sha256 = adapter(home)
    ws = WorkspaceFolder(home)
    ws.store.begin_run("resumes", "train", {})
    ws.checkpoints("resumes").mkdir(parents=True)
    (ws.checkpoints("resumes") / "step-000003.pt").write_bytes(b"state")
    target = str(tmp_path / "copy.db")
    assert copy_workspace_store(str(home), target, files=shared.url).files == 2
    assert copy_workspace_store(str(home), target, files=shared.url).files == 0
    assert shared.names("adapters") == [sha256] and shared.names("checkpoints/resumes") == ["step-000003"]
    (home / "adapters" / sha256 / "adapter_model.safetensors").write_bytes(b"damaged")
    shared.delete(f"adapters/{sha256}")
    with pytest.raises(BadInput, match="the hash of the weights is not the name of the folder"):
        copy_workspace_store(str(home), target, files=shared.url)
    with pytest.raises(BadInput, match="--files needs a workspace folder"):
        copy_workspace_store("postgresql://db/x", target, files=shared.url)
    with pytest.raises(BadInput, match="URL of the shared files is not valid"):
        copy_workspace_store(str(home), target, files="bucket")
