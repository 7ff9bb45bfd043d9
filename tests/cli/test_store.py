"""`verigym store copy` as a user types it: a backup into a file, the words, and wrong addresses."""

from pathlib import Path

import pytest

from tests.cli.test_data import RUN, Shell
from tests.store.conftest import new_schema
from tests.store.conftest import server as server  # the fixture
from tests.store.server import PostgresServer
from verigym.core.errors import BadInput, NotFound, Refused, VerigymError
from verigym.store.database import Store
from verigym.workspace.workspace import WorkspaceFolder


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


def test_a_copy_says_what_it_copied_and_a_second_one_copies_nothing(shell: Shell, tmp_path: Path) -> None:
    target = str(tmp_path / "backup.db")
    said = shell("store", "copy", str(shell.home), target)
    assert f"from {shell.home / 'store.db'} to {target}" in said
    assert "24 trajectories, 24 verdicts" in said and "The ledger's chain of hashes is intact (0 entries)" in said
    assert shell("store", "copy", str(shell.home), target).startswith("Copied 0 rows")
    found = shell.json("store", "copy", str(shell.home / "store.db"), target)
    assert found["rows"]["trajectories"] == 24 and found["copied"] == 0 and found["settings"] == ""
    assert Store(Path(target)).run(RUN).trajectories == 24


@pytest.mark.parametrize(
    ("words", "kind", "says"),
    [
        (["absent", "new.db"], NotFound, "There is no store at absent/store.db"),
        (["", "new.db"], BadInput, "The source is empty"),
        (["HOME", "folder"], BadInput, 'The target "folder" is not a store'),
        (["HOME", "mysql://host/db"], BadInput, r"Write postgresql\+psycopg://USER@HOST/DATABASE"),
        (["HOME", "HOME/store.db"], BadInput, "Source and target are the same store"),
        (["HOME", "new.db", "--use"], BadInput, "--use needs a workspace folder as the source and a URL as the target"),
        (["HOME", "used.db"], Refused, r"used\.db is not empty"),
        (["HOME", "new.db", "--files", "nope://a"], BadInput, r"nope://a cannot be opened .* Write s3://BUCKET/FOLDER"),
    ],
    ids=["absent", "empty", "folder", "scheme", "same", "use", "used", "files"],
)
def test_a_wrong_address_is_refused_in_words(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], kind: type[VerigymError], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    other = Store(tmp_path / "used.db")
    other.begin_run("mine", "eval", {})
    other.close()
    with pytest.raises(kind, match=says):
        shell("store", "copy", *(word.replace("HOME", str(shell.home)) for word in words))
    assert not (tmp_path / "new.db").exists() and not (shell.home / "store.url").exists()


@pytest.mark.cluster
def test_a_workspace_moves_to_a_database_and_goes_on_there(shell: Shell, server: PostgresServer) -> None:
    url = new_schema(server, "moved_by_command")
    before = shell.json("runs")
    said = shell("store", "copy", str(shell.home), url, "--use")
    assert "store.url names the new store" in said
    (shell.home / "store.db").unlink()
    assert shell.json("runs") == before
    assert isinstance(WorkspaceFolder(shell.home).store.path, str)
    assert "ok" in shell("models", "check-integrity")
    backup = shell.home / "backup.db"
    shell("store", "copy", str(shell.home), str(backup))
    assert Store(backup).run(RUN).trajectories == 24, "the folder stands for the store that it uses"
    with pytest.raises(BadInput, match="--use would write the password"):
        shell("store", "copy", str(shell.home / "x.db"), url.replace("postgres@", "postgres:secret@"), "--use")
