"""Where the store of a workspace is: a file, or a URL without a password."""

from pathlib import Path

import pytest

from verigym.core.errors import BadInput
from verigym.store.address import has_store, page_file, store_of
from verigym.store.database import Store

URL = "postgresql+psycopg://ann@db.example.org/verigym"


def test_a_folder_without_settings_has_a_file(tmp_path: Path) -> None:
    assert store_of(tmp_path) == tmp_path / "store.db" == page_file(tmp_path)
    assert store_of(tmp_path / "absent") == tmp_path / "absent" / "store.db"
    assert not has_store(tmp_path)
    Store(tmp_path / "store.db").begin_run("r", "eval", {})
    assert has_store(tmp_path)


def test_the_file_names_a_database_and_the_environment_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "store.url").write_text(f"  {URL}\n")
    assert store_of(tmp_path) == URL and has_store(tmp_path) and page_file(tmp_path) == tmp_path / "view.db"
    monkeypatch.setenv("VERIGYM_STORE", f"{URL}2")
    assert store_of(tmp_path) == f"{URL}2"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\n", "is empty"),
        (b"postgresql://ann:secret@host/db", "has a password.*PGPASSWORD"),
        (b"postgresql://host/db?user=ann&password=secret", "has a password.*PGPASSWORD"),
        (b"\xff\xfe", "cannot be read"),
    ],
    ids=["empty", "password", "password-option", "bytes"],
)
def test_a_wrong_file_is_refused_in_words_without_the_secret(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "store.url").write_bytes(content)
    with pytest.raises(BadInput, match=words) as error:
        store_of(tmp_path)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("url", ["mysql://host/db", "http://host", "db.example.org", "postgresql", "://", "x" * 1000])
def test_an_address_of_something_else_is_refused_in_words(url: str) -> None:
    with pytest.raises(BadInput, match=r"Write postgresql\+psycopg://USER@HOST/DATABASE") as error:
        Store(url)
    assert len(str(error.value)) < 300


def test_a_missing_driver_names_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(BadInput, match=r"needs psycopg\. Run: .* -m pip install .*\[postgres\]"):
        Store(URL)
