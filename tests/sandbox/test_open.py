"""Which sandbox a machine gets, and the words when it gets none."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from verigym.core.errors import Refused
from verigym.sandbox import open as opening
from verigym.sandbox.limits import SandboxLimits
from verigym.sandbox.open import LazySandbox, open_sandbox, why_not_isolated

ROOT = Path(__file__).parents[2]
MAKE = shutil.which("make") or "make"


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    for asked in (why_not_isolated, opening._warn):
        asked.cache_clear()
    yield
    for asked in (why_not_isolated, opening._warn):
        asked.cache_clear()


def only(folder: Path, monkeypatch: pytest.MonkeyPatch, **programs: str) -> None:
    """A machine that has these programs and the system's shell and Python."""
    folder.chmod(0o755)
    for name, text in programs.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def link(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).symlink_to(f"/usr/bin/{name}")


def test_bubblewrap_is_taken_where_it_works(capsys: pytest.CaptureFixture[str]) -> None:
    if why_not_isolated():
        pytest.skip(why_not_isolated())
    assert open_sandbox(require=True).isolated and open_sandbox(limits=SandboxLimits(seconds=1)).limits.seconds == 1
    assert capsys.readouterr().err == ""


def test_without_bubblewrap_it_says_so_once_and_loudly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only(tmp_path, monkeypatch)
    link(tmp_path, "sh", "setpriv")
    assert not open_sandbox().isolated
    said = capsys.readouterr().err
    assert "WITHOUT A SANDBOX" in said and "bubblewrap is not installed. Run apt-get install bubblewrap" in said
    assert not open_sandbox().isolated and capsys.readouterr().err == ""


def test_it_refuses_where_a_sandbox_is_required(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(tmp_path, monkeypatch)
    with pytest.raises(Refused, match=r"--require-sandbox.*bubblewrap is not installed"):
        open_sandbox(require=True)


def test_bubblewrap_that_does_not_work_counts_as_missing_and_its_words_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(tmp_path, monkeypatch, bwrap="#!/bin/sh\necho No permissions to create new namespace >&2\nexit 1\n")
    link(tmp_path, "sh", "setpriv")
    with pytest.raises(Refused, match=r"does not work here: .*No permissions to create new namespace.*docker run"):
        open_sandbox(require=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="for root only")
def test_root_needs_setpriv_in_either_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(tmp_path, monkeypatch, bwrap="#!/bin/sh\n")
    link(tmp_path, "sh")
    with pytest.raises(Refused, match=r"setpriv is missing.* Install util-linux"):
        open_sandbox(require=True)
    monkeypatch.setattr("verigym.sandbox.bubblewrap.PATH", str(tmp_path))
    with pytest.raises(Refused, match="as a separate user failed too"):
        open_sandbox()


def test_a_processor_without_a_filter_has_no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    if why_not_isolated():
        pytest.skip(why_not_isolated())
    why_not_isolated.cache_clear()
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert "does not support this processor (riscv64)" in why_not_isolated()


def test_other_systems_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(Refused, match="needs Linux"):
        open_sandbox()


def test_every_limit_is_documented_with_its_default() -> None:
    page = (ROOT / "docs" / "how-to" / "sandbox.md").read_text()
    for field in msgspec.structs.fields(SandboxLimits):
        assert f"| `{field.name}` | {field.default:g} |" in page, field.name


def make_sandbox(path: Path) -> subprocess.CompletedProcess[str]:
    words = [MAKE, "--no-print-directory", "sandbox"]
    return subprocess.run(words, cwd=ROOT, env={"PATH": str(path)}, capture_output=True, text=True)


def test_make_installs_bubblewrap_where_it_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(
        tmp_path,
        monkeypatch,
        id="#!/bin/sh\necho 0\n",
        **{"apt-get": f"#!/bin/sh\ncase $1 in update) : > {tmp_path}/list;; *) test -f {tmp_path}/list && "
        f"/usr/bin/install -m 755 /dev/null {tmp_path}/bwrap; echo much to read;; esac\n"},
    )  # fmt: skip
    done = make_sandbox(tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "") and (tmp_path / "bwrap").exists()


def test_make_asks_for_no_password_and_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(
        tmp_path,
        monkeypatch,
        id="#!/bin/sh\necho 1000\n",
        sudo='#!/bin/sh\ntest "$1" = -n && exit 1\nsleep 60\n',
        dnf="#!/bin/sh\nexit 1\n",
    )
    done = make_sandbox(tmp_path)
    assert done.returncode == 0 and "as root: apt-get install bubblewrap" in done.stdout


def test_make_is_quiet_where_bubblewrap_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(tmp_path, monkeypatch, bwrap="#!/bin/sh\n", id="#!/bin/sh\necho 0\n", dnf="#!/bin/sh\necho installs >&2\n")
    done = make_sandbox(tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_process_that_runs_code_plainly_hides_its_memory_and_environment(tmp_path: Path) -> None:
    link(tmp_path, "sh", "setpriv")
    (tmp_path / "python3").symlink_to(sys.executable)
    program = (
        "import ctypes, sys\n"
        "from verigym.sandbox.open import open_sandbox\n"
        "dumpable = lambda: ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)\n"
        "print(dumpable(), open_sandbox().isolated, dumpable())"
    )
    said = subprocess.run(
        [sys.executable, "-c", program],
        env={"PATH": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert said.stdout.split() == ["1", "False", "0"], said.stderr


def test_whether_a_machine_isolates_is_asked_without_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only(tmp_path, monkeypatch)
    assert not LazySandbox().isolated and capsys.readouterr().err == ""
