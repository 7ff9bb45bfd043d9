"""The process that runs an environment: what it imports, how much it may say, and that it never outlives its server."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import verigym
from verigym.core.errors import InfrastructureFailure
from verigym.core.records import Task
from verigym.mining.proposals import Proposal
from verigym.store.database import Store
from verigym.view import worker
from verigym.view.worker import Workers, WorkRequest

LIMIT_S = 120.0
PACKAGE = str(Path(verigym.__file__).parent.parent)


def request_for(folder: Path, code: str) -> WorkRequest:
    """A proposal of an environment with this code."""
    (folder / "own.py").write_text(code)
    store = Store(folder / "store.db")
    task = Task(id="p", prompt="x")
    store.put("proposal", "p", Proposal(id="p", environment="own", task=task, right="", source="", did=""))
    store.close()
    return WorkRequest(home=str(folder), environment=str(folder / "own.py"), proposal="p", action="play")


def is_alive(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return state.strip() not in ("", "Z", "Z+", "Zs")


def wait_for(is_so: object, what: str) -> None:
    assert callable(is_so)
    deadline = time.monotonic() + LIMIT_S
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def test_modules_in_the_current_folder_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    here.mkdir()
    for name in ("msgspec", "verigym", "sqlalchemy", "tempfile"):
        (here / f"{name}.py").write_text(f"open({str(tmp_path / 'was-run')!r}, 'w')\n")
    request = request_for(tmp_path, "raise ValueError('this file was loaded')\n")
    monkeypatch.setenv("PYTHONPATH", PACKAGE)
    monkeypatch.chdir(here)
    monkeypatch.setattr(sys, "path", ["", str(here), *sys.path])
    assert "this file was loaded" in Workers(LIMIT_S).ask(request).missing
    assert not (tmp_path / "was-run").exists()


def test_the_package_is_found_when_only_the_python_path_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(PACKAGE)
    monkeypatch.setenv("PYTHONPATH", PACKAGE)
    assert PACKAGE in worker.import_path()
    monkeypatch.delenv("PYTHONPATH")
    monkeypatch.setattr(sys, "path", [one for one in sys.path if os.path.realpath(one or ".") != PACKAGE])
    assert worker.import_path()[-1] == PACKAGE
    request = request_for(tmp_path, "import verigym\nraise ValueError(verigym.__file__)\n")
    assert PACKAGE in Workers(LIMIT_S).ask(request).missing


def test_what_an_environment_prints_is_read_and_not_kept(tmp_path: Path) -> None:
    code = "import os\nfor _ in range(400):\n    os.write(1, b'x' * 65536 + b'\\n')\nraise ValueError('the end')\n"
    request = request_for(tmp_path, code)
    process = worker._start(request, LIMIT_S)
    out, errors = worker._read(process, LIMIT_S)
    process.wait(LIMIT_S)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    process.stderr.close()
    assert b"the end" in out and len(errors) <= 20_000


def test_an_answer_without_an_end_is_refused(tmp_path: Path) -> None:
    code = """
import os
for number in range(3, 20):
    try:
        while True:
            os.write(number, b"x" * 65536)
    except OSError:
        pass
"""
    with pytest.raises(InfrastructureFailure, match="is longer than 2,000,000 bytes"):
        Workers(LIMIT_S).ask(request_for(tmp_path, code))


def test_a_process_that_dies_says_its_last_words(tmp_path: Path) -> None:
    code = "import os, sys\nprint('no memory left', file=sys.stderr, flush=True)\nos._exit(7)\n"
    with pytest.raises(InfrastructureFailure, match="ended with code 7: no memory left"):
        Workers(LIMIT_S).ask(request_for(tmp_path, code))


def test_a_child_that_goes_on_does_not_hold_the_answer_back(tmp_path: Path) -> None:
    code = (
        "import subprocess\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\n"
    )
    assert "needs a class Environment" in Workers(LIMIT_S).ask(request_for(tmp_path, code)).missing
    wait_for(lambda: not is_alive(int((tmp_path / "pid").read_text())), "the child is still there")


_HANGS = """
import os, subprocess, time
child = subprocess.Popen(["sleep", "600"])
with open({file!r} + ".part", "w") as file:
    file.write(f"{{os.getpid()}} {{os.getppid()}} {{child.pid}}")
os.rename({file!r} + ".part", {file!r})
time.sleep(600)
"""


def test_a_server_that_is_killed_leaves_no_process(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    request = request_for(tmp_path, _HANGS.format(file=str(pids)))
    server = subprocess.Popen(
        [
            sys.executable, "-c",
            "import sys; from verigym.view.worker import Workers, WorkRequest\n"
            f"Workers(600).ask(WorkRequest(home=sys.argv[1], environment={request.environment!r}, proposal='p', action='play'))",
            str(tmp_path),
        ],
        env={**os.environ, "PYTHONPATH": PACKAGE},
    )  # fmt: skip
    try:
        wait_for(pids.exists, "the environment was not loaded")
        started = [int(one) for one in pids.read_text().split()]
        assert all(map(is_alive, started))
    finally:
        server.send_signal(signal.SIGKILL)
        server.wait()
    wait_for(lambda: not any(map(is_alive, started)), "a process outlived the server")


def test_a_process_ends_itself_at_its_limit(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    process = worker._start(request_for(tmp_path, _HANGS.format(file=str(pids))), 0.0)
    try:
        assert process.wait(LIMIT_S) == -signal.SIGKILL
    finally:
        worker._kill(process)
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()
    started = [int(one) for one in pids.read_text().split()] if pids.exists() else []
    wait_for(lambda: not any(map(is_alive, started)), "a process outlived its limit")
