"""What disturbs a workspace: Ctrl-C, a killed process, two processes, two threads, a cancelled coroutine."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import verigym

ROOT = Path(__file__).parents[2]
SLOW = """
import asyncio, signal
import verigym

signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background of a shell ignores it

class Slow:
    stall_after = 1_000_000
    calls = 0
    async def respond(self, request):
        Slow.calls += 1
        await asyncio.sleep(0.02 if Slow.calls <= Slow.stall_after else 3600)
        return await verigym.ScriptedPolicy(["abcdefgh"]).respond(request)

def workspace(home):
    ws = verigym.Workspace(home)
    ws.folder.policy = lambda version: Slow()
    return ws

def rollout(ws, desk):
    settings = verigym.RunSettings(k=40, concurrency=2)
    return ws.rollout(desk, verigym.Version(base="slow", id="slow"), settings=settings)
"""


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    (tmp_path / "slow.py").write_text(SLOW)
    return tmp_path


def python(slow: Path, code: str) -> "subprocess.Popen[str]":
    paths = os.pathsep.join([str(ROOT), str(slow)])
    return subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": paths}, stdout=subprocess.PIPE, text=True
    )


def stored(home: Path) -> int:
    with verigym.Workspace(home) as ws:
        runs = ws.runs()
        return runs[0].trajectories if runs else 0


def wait_for_episodes(home: Path, process: "subprocess.Popen[str]") -> None:
    while stored(home) < 5:
        assert process.poll() is None
        time.sleep(0.1)


@pytest.mark.timeout(1000)
@pytest.mark.parametrize("signal_sent", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill"])
def test_what_finished_is_kept_and_the_same_call_resumes(slow: Path, desk: str, signal_sent: signal.Signals) -> None:
    home = slow / "home"
    code = (
        "import slow\n"
        "slow.Slow.stall_after = 30\n"  # the run cannot end before the signal arrives
        f"ws = slow.workspace({str(home)!r})\n"
        "try:\n"
        f"    slow.rollout(ws, {desk!r})\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', len(ws.runs()), flush=True)\n"
    )
    process = python(slow, code)
    wait_for_episodes(home, process)
    process.send_signal(signal_sent)
    out, _ = process.communicate()
    assert out == ("interrupted 1\n" if signal_sent == signal.SIGINT else "")
    assert 5 <= stored(home) <= 30
    again = python(slow, f"import slow\nprint(slow.rollout(slow.workspace({str(home)!r}), {desk!r}).trajectories)")
    assert again.communicate()[0] == "480\n"


@pytest.mark.timeout(1000)
def test_two_processes_use_one_workspace(slow: Path, desk: str) -> None:
    code = (
        "import slow, sys, verigym\n"
        f"ws = slow.workspace({str(slow / 'home')!r})\n"
        f"settings = verigym.RunSettings(k=4, seed=int(SEED))\n"
        f"print(ws.rollout({desk!r}, verigym.Version(base='slow', id='slow'), settings=settings).trajectories)"
    )
    both = [python(slow, code.replace("SEED", f"'{seed}'")) for seed in (1, 2)]
    assert [process.communicate(timeout=1000)[0] for process in both] == ["48\n", "48\n"]
    with verigym.Workspace(slow / "home") as ws:
        assert len(ws.runs()) == 2


def test_calls_from_two_threads_run_one_after_the_other(ws: verigym.Workspace, model: str, desk: str) -> None:
    reports: list[verigym.Report] = []
    calls = [
        threading.Thread(target=lambda seed=seed: reports.append(ws.evaluate(desk, model, max_tokens=8, seed=seed)))
        for seed in (1, 2)
    ]
    for call in calls:
        call.start()
    for call in calls:
        call.join()
    assert len({report.run for report in reports}) == 2


def test_a_cancelled_coroutine_stops_its_work(slow: Path, desk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(slow))
    import slow as module  # type: ignore[import-not-found]

    async def cancelled() -> int:
        async with verigym.AsyncWorkspace(slow / "home") as ws:
            ws.workspace.folder.policy = lambda version: module.Slow()  # type: ignore[method-assign]
            settings = verigym.RunSettings(k=40, concurrency=2)
            agent = verigym.Version(base="slow", id="slow")
            call = asyncio.create_task(ws.rollout(desk, agent, settings=settings))
            await asyncio.sleep(1.5)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            return ws.workspace.runs()[0].trajectories

    assert 0 < asyncio.run(cancelled()) < 480


def test_a_callback_may_not_run_episodes(ws: verigym.Workspace, model: str, desk: str) -> None:
    errors: list[str] = []

    def on_progress(progress: object) -> None:
        try:
            ws.evaluate(desk, model, max_tokens=4)
        except RuntimeError as error:
            errors.append(str(error))

    ws.evaluate(desk, model, max_tokens=8, on_progress=on_progress)
    assert errors and "callback" in errors[0]
