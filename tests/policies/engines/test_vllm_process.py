"""Starting and ending a vLLM server. The package `vllm` here is a stand-in that speaks the same JSON."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.core.generation import Generation
from verigym.policies.engines.vllm_process import VllmProcess

ROOT = Path(__file__).parents[3]
SERVER = """
import argparse, asyncio, json, os, pathlib, sys
sys.path.insert(0, {root!r})
from aiohttp import web
from tests.policies.engines.vllm_server import VllmServer, routes

parser = argparse.ArgumentParser()
for flag in ("--model", "--host", "--port", "--max-loras", "--max-lora-rank"):
    parser.add_argument(flag)
given, rest = parser.parse_known_args()
if given.model == "broken":
    print("ValueError: no such model")
    sys.exit(3)
key = os.environ.get("VLLM_API_KEY", "")
pathlib.Path({folder!r}, "started.json").write_text(json.dumps([os.getpid(), sys.argv[1:], key]))
server = VllmServer(max_loras=int(given.max_loras))
app = web.Application(middlewares=[server.before])
app.add_routes(routes(server))
if given.model == "silent":
    import time
    time.sleep(3600)
web.run_app(app, host=given.host, port=int(given.port), print=None)
"""


@pytest.fixture
def stand_in(tmp_path: Path) -> dict[str, str]:
    """The environment of a Python that has such a `vllm`."""
    package = tmp_path / "site" / "vllm" / "entrypoints" / "openai"
    package.mkdir(parents=True)
    (package / "api_server.py").write_text(SERVER.format(root=str(ROOT), folder=str(tmp_path)))
    return {"PYTHONPATH": str(tmp_path / "site")}


def started(tmp_path: Path) -> Any:
    import json

    return json.loads((tmp_path / "started.json").read_text())


def test_a_server_is_started_used_and_ended(
    tmp_path: Path, stand_in: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIGYM_ENGINE_KEY", "secret-4711")

    async def run() -> None:
        process = await VllmProcess.start(sys.executable, "base", versions=2, rank=12, environment=stand_in)
        assert process.running and process.engine.slots == 2
        assert len((await process.engine.generate(Generation(ids=[1, 2]))).ids) == 16
        pid, arguments, key = started(tmp_path)
        assert arguments[arguments.index("--max-lora-rank") + 1] == "16" and "--enable-scale-out" in arguments
        assert key == "secret-4711" and "secret" not in " ".join(arguments)
        await process.close()
        assert not process.running and not alive(pid)

    asyncio.run(asyncio.wait_for(run(), 120))


def children_of(pid: int) -> set[int]:
    """The processes that a process started itself."""
    stats = [path.read_text() for path in Path("/proc").glob("[0-9]*/stat") if path.exists()]
    parents = {int(text.split()[0]): int(text.rpartition(")")[2].split()[1]) for text in stats}
    return {child for child, parent in parents.items() if parent == pid}


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "zombie" not in Path(f"/proc/{pid}/status").read_text()


@pytest.mark.parametrize(
    ("model", "start_s", "words"),
    [
        ("broken", 120, "(?s)ended with code 3 before it answered.*no such model"),
        ("silent", 1.0, "did not answer within 1 s"),
    ],
)
def test_a_server_that_does_not_start_is_an_error_with_its_log(
    model: str, start_s: float, words: str, stand_in: dict[str, str]
) -> None:
    with pytest.raises(InfrastructureFailure, match=words):
        asyncio.run(VllmProcess.start(sys.executable, model, environment=stand_in, start_s=start_s))


def test_the_server_ends_when_its_owner_is_killed(tmp_path: Path, stand_in: dict[str, str]) -> None:
    code = f"""
        import asyncio, sys
        from verigym.policies.engines.vllm_process import VllmProcess
        async def main():
            process = await VllmProcess.start(sys.executable, "base", environment={stand_in!r})
            print("up", flush=True)
            await asyncio.sleep(3600)
        asyncio.run(main())
    """
    owner = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert owner.stdout is not None and owner.stdout.readline() == b"up\n"
    pid = started(tmp_path)[0]
    assert alive(pid)
    for child in children_of(owner.pid) - {pid}:  # as Ray does with the children of a process that it kills
        os.kill(child, signal.SIGKILL)
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    deadline = time.monotonic() + 60
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(pid)


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is not a Python interpreter"):
        asyncio.run(VllmProcess.start(tmp_path / "none", "base"))
    with pytest.raises(BadInput, match="rank from 1 to 512"):
        asyncio.run(VllmProcess.start(sys.executable, "base", rank=600))
    with pytest.raises(BadInput, match=r"cannot listen at 192\.0\.2\.1.*Name an address of this machine"):
        asyncio.run(VllmProcess.start(sys.executable, "base", host="192.0.2.1"))
