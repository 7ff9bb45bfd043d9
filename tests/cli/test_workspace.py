"""Which folder a command works in: reading creates nothing, a wrong folder is named, a read-only or damaged one is readable."""

import contextlib
import io
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_data import RUN, Shell
from tests.nobody import as_nobody
from tests.store.test_connection import damage, full
from verigym.cli import main
from verigym.core.errors import NotFound, VerigymError
from verigym.core.records import Version
from verigym.store.database import Store
from verigym.workspace.demo import put_demo

READING = [
    ["runs"],
    ["runs", "list"],
    ["runs", "show"],
    ["runs", "export"],
    ["trajectories"],
    ["trajectories", "list"],
    ["trajectories", "show", RUN],
    ["models"],
    ["models", "show"],
    ["models", "card"],
    ["models", "diff", "a", "b"],
    ["models", "ledger"],
    ["models", "check-integrity"],
    ["compare", "a", "b"],
    ["report"],
    ["explain"],
    ["advise"],
    ["suites"],
    ["suites", "show", "x"],
    ["data"],
    ["data", "show"],
    ["data", "demos"],
    ["servers"],
    ["audit"],
    ["mine"],
    ["mine", "list", "toolcall"],
    ["rescore"],
    ["gate", "a"],
    ["promote", "a"],
    ["rollback"],
    ["label"],
    ["runs", "rm", "x"],
    ["gc"],
]


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_reading_without_a_workspace_is_an_error_that_names_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VERIGYM_HOME", raising=False)
    shell = Shell.__new__(Shell)
    shell.home = tmp_path / "mistyped"
    with pytest.raises(NotFound, match=r"There is no workspace in .*mistyped\. .*verigym eval ENV -m MODEL"):
        shell(*words)
    assert list(tmp_path.iterdir()) == []


def test_a_workspace_with_a_similar_name_is_suggested(tmp_path: Path) -> None:
    Shell(tmp_path / "project")
    shell = Shell.__new__(Shell)
    shell.home = tmp_path / "projcet"
    with pytest.raises(NotFound, match=r"Did you mean --home .*/project\?"):
        shell("runs")


def test_a_failed_eval_creates_no_workspace(tmp_path: Path) -> None:
    shell = Shell.__new__(Shell)
    shell.home = tmp_path / "home"
    with pytest.raises(VerigymError):
        shell("eval", "toolcall", "-m", "champion")
    assert not shell.home.exists()


@pytest.fixture
def anywhere(tmp_path: Path) -> Iterator[Shell]:
    """A workspace that every user can reach."""
    folder = Path("/var/tmp") / f"verigym-{os.getpid()}-{tmp_path.name}"
    shell = Shell(folder)
    yield shell
    for each in [folder, *folder.rglob("*")]:
        each.chmod(0o755)
    shutil.rmtree(folder)


def test_a_read_only_workspace_can_be_read(anywhere: Shell, tmp_path: Path) -> None:
    shown = (["runs"], ["runs", "show"], ["models"], ["trajectories"], ["suites"], ["models", "check-integrity"])
    other = Shell(tmp_path / "home")
    for words in shown:
        other(*words)  # imports what the commands need
    anywhere.home.chmod(0o555)
    for file in anywhere.home.iterdir():
        file.chmod(0o555 if file.is_dir() else 0o444)
    before = {file: file.read_bytes() for file in anywhere.home.iterdir() if file.is_file()}

    def read() -> list[str]:
        said = [anywhere(*words) for words in shown]
        with pytest.raises(VerigymError) as refused:
            anywhere("data", "demos")
        return [*said, str(refused.value)]

    said = as_nobody(read)
    assert RUN in said[0] and RUN in said[1] and "no versions yet" in said[2] and RUN in said[3]
    assert "cannot be written" in said[-1] or "read-only" in said[-1]
    assert {file: file.read_bytes() for file in anywhere.home.iterdir() if file.is_file()} == before


WRITING = [
    ["init", "abc"],
    ["init", "abc.jsonl"],
    ["tasks", "split", "faq.jsonl", "--val", "0.5"],
    ["tasks", "dedup", "faq.jsonl", "--out", "new.jsonl"],
    ["design", "vary", "train.jsonl", "-n", "2", "--by", "distractor"],
    ["models", "card", "grpo", "--out", "card.md", "--home", "home"],
    ["models", "export", "base", "--out", "exported", "--home", "home"],
    ["runs", "export", "EVALUATION", "--out", "run.jsonl", "--home", "home"],
    ["report", "grpo", "--out", "page.html", "--home", "home"],
]


def said_by_main(words: list[str]) -> str:
    """What the command prints on standard error, and its exit code."""
    with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()):
        sys.argv = ["verigym", *words]
        try:
            main.main()
        except SystemExit as done:
            said.write(f"exit code {done.code or 0}\n")
    return said.getvalue()


def test_a_folder_that_cannot_be_written_is_an_error_of_one_line(
    anywhere: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", sys.argv)
    writing: list[list[str]] = []
    for name in ("first", "folder"):
        folder = anywhere.home / name
        put_demo(folder / "home")
        rows = [f'{{"prompt": "Who is {name}?", "answer": "{name}"}}\n' for name in ("Ada", "Alan", "Grace", "Edsger")]
        (folder / "faq.jsonl").write_text("".join(rows))
        (folder / "train.jsonl").write_text("".join(row.replace("}", ', "split": "train"}') for row in rows))
        monkeypatch.chdir(folder)
        if name == "first":
            with contextlib.closing(sqlite3.connect(folder / "home" / "store.db")) as store:
                [run] = store.execute("SELECT id FROM runs WHERE id LIKE 'eval-safety-%' LIMIT 1").fetchone()
            writing = [[run if word == "EVALUATION" else word for word in words] for words in WRITING]
            for words in writing:
                said_by_main(words)  # imports what the commands need
    for each in [folder, *folder.rglob("*")]:
        each.chmod(0o555 if each.is_dir() else 0o444)
    anywhere.home.chmod(0o755)  # a workspace is for its owner alone, and this one is entered by somebody else
    before = sorted(folder.rglob("*"))
    all_said = as_nobody(lambda: [said_by_main(words) for words in writing])
    for words, said in zip(writing, all_said, strict=True):
        assert "Permission denied" in said, (words, said)
        assert "a folder that you may write" in said or "Nothing was changed" in said, (words, said)
        assert said.startswith("error: ") and said.endswith("exit code 2\n") and said.count("\n") == 2, (words, said)
    assert sorted(folder.rglob("*")) == before


def test_a_file_as_home_is_refused(tmp_path: Path) -> None:
    (tmp_path / "faq.jsonl").write_text('{"prompt": "a", "answer": "b"}\n')
    shell, file = Shell(tmp_path / "home"), str(tmp_path / "faq.jsonl")
    for words in (["eval", file, "-m", "x"], ["runs"], ["check", file]):
        with pytest.raises(VerigymError, match=r"--home .*faq\.jsonl is a file\. Name a folder"):
            shell(*words, "--home", file)


def overwritten(shell: Shell, table: str) -> None:
    """Damages the root page of a table."""
    with sqlite3.connect(shell.home / "store.db") as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", [table]).fetchone()
    connection.close()
    damage(shell.home / "store.db", page - 1)


def test_a_damaged_store_is_said_and_what_can_be_saved_is_listed(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home")
    store = Store(shell.home / "store.db")
    store.put("version", "v", Version(id="v", base="tiny"))
    store.close()
    overwritten(shell, "documents")
    with pytest.raises(VerigymError, match=r"store\.db is damaged .*check-integrity.*verigym runs export RUN"):
        shell("models", "list")
    assert "store.db is damaged" in shell("runs"), "a list that looks sound says so too"
    said = shell("models", "check-integrity", code=1)
    assert f"run {RUN}: can still be read. Save it: verigym runs export {RUN} --out {RUN}.jsonl" in said
    shell("runs", "export", RUN, "--out", str(tmp_path / "saved.jsonl"))
    other = Shell.__new__(Shell)
    other.home = tmp_path / "other"
    assert "trajector" in other("runs", "import", str(tmp_path / "saved.jsonl"))


def test_a_run_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home")
    overwritten(shell, "trajectories")
    assert f"DAMAGED  run {RUN}: cannot be read whole" in shell("models", "check-integrity", code=1)


def test_a_full_disk_is_said_without_a_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = full(Shell(tmp_path / "home").home / "store.db", 1)
    with pytest.raises(VerigymError, match="the disk is full"):
        for number in range(1000):
            store.put("version", f"v{number}", Version(id=f"v{number}", base="x" * 10_000))


@pytest.mark.parametrize("name", ["ENOSPC", "EROFS", "EDQUOT", "EIO", "EFBIG"])
def test_an_error_of_the_disk_ends_every_command_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    import errno

    def app() -> None:
        raise OSError(getattr(errno, name), "no", "/some/file")

    monkeypatch.setattr(main, "app", app)
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("error: /some/file: ")
