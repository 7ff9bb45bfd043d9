"""`verigym serve` as a process: what it says, what it refuses, and that Ctrl-C and SIGTERM end it with all that was captured."""

import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.servers.behind import behind
from tests.workspace.desk import save_tiny
from verigym.cli.main import app
from verigym.core.records import Feedback
from verigym.servers.connections import listen
from verigym.workspace.workspace import WorkspaceFolder


def refused(tmp_path: Path, *arguments: str, env: dict[str, str] | None = None) -> str:
    done = CliRunner().invoke(app, ["serve", "--home", str(tmp_path), "--port", "0", *arguments], env=env)
    assert done.exception is not None
    return str(done.exception)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "No champion exists yet"),
        (["--host", "0.0.0.0"], "--key-env"),
        (["--key-env", "NO_SUCH_KEY"], "empty or not set"),
        (["--upstream", "localhost:8000#qwen"], "URL#MODEL"),
        (["--upstream", "http://localhost:8000/v1"], "URL#MODEL"),
        (["somebody", "--upstream", "http://localhost:8000/v1#qwen"], "A version and --upstream cannot be combined"),
        (["--rules", "nothing.yaml"], "does not exist"),
        (["--upstream", "http://localhost:8000/v1#qwen", "--price", "much"], "--price"),
    ],
    ids=["no champion", "no key", "no such key", "no scheme", "no model", "two", "no rules", "no price"],
)
def test_what_cannot_be_served_is_refused_in_words(tmp_path: Path, arguments: list[str], words: str) -> None:
    assert words in refused(tmp_path, *arguments)


def test_a_port_that_is_taken_is_said_to_be(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        words = refused(tmp_path, "--upstream", "http://localhost:8000/v1#qwen", "--port", port)
    assert "another --port" in words


def test_answers_are_not_held_back_for_more_to_come() -> None:
    """asyncio switches Nagle's algorithm off only for sockets that name TCP; with it an answer takes 40 ms longer."""
    with listen("127.0.0.1", 0) as found:
        assert found.proto == socket.IPPROTO_TCP


def curl(url: str, body: Any) -> Any:
    done = subprocess.run(
        ["curl", "-sS", "-i", url, "-d", json.dumps(body)], capture_output=True, text=True, check=True
    )
    head, _, answer = done.stdout.partition("\n\n")
    return head, json.loads(answer)


class Served:
    """The command in a process, from its first words to its last."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "verigym.cli.main", "serve", *arguments, "--port", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.said = ""
        while "next:" not in self.said:
            line = self.process.stdout.readline()
            assert line, self.process.communicate()[1]
            self.said += line
        found = re.search(r"at (http://127\.0\.0\.1:\d+)/v1: this version", self.said)
        assert found is not None
        self.url = found[1]

    def end(self, by: signal.Signals) -> str:
        self.process.send_signal(by)
        out, errors = self.process.communicate(timeout=1000)
        assert (self.process.returncode, errors) == (0, "")
        return out


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_a_gateway_is_ended_cleanly_with_all_that_it_captured(tmp_path: Path, by: signal.Signals) -> None:
    with behind() as (_, address):
        served = Served("--upstream", f"{address}#qwen", "--home", str(tmp_path))
        body = {"model": "qwen", "messages": [{"role": "user", "content": "Mail ann@example.com"}]}
        head, answer = curl(f"{served.url}/v1/chat/completions", body)
        assert answer["choices"][0]["message"]["content"] == "Hello."
        trajectory = re.search(r"x-verigym-trajectory: (\S+)", head)
        assert trajectory is not None
        told = {"trajectory": trajectory[1], "outcome": "failure", "correction": "No."}
        assert curl(f"{served.url}/v1/feedback", told)[1]["outcome"] == "failure"
        assert "stopped after 1 answer. Exchanges: 1 captured" in served.end(by)
    ws = WorkspaceFolder(tmp_path)
    _, kept = ws.store.trajectory(trajectory[1])
    assert kept.turns[0].agent == ws.agent(f"{address}#qwen").id and "ann@example.com" not in str(kept)
    assert [one.trajectory for one in ws.store.documents("feedback", Feedback)] == [trajectory[1]]


@pytest.mark.slow
def test_a_model_is_served_with_the_ids_of_its_tokens(tmp_path: Path) -> None:
    served = Served(str(save_tiny(tmp_path / "tiny")), "--home", str(tmp_path / "home"))
    body = {"model": "tiny", "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 8}
    head, answer = curl(f"{served.url}/v1/chat/completions", body)
    assert answer["usage"]["completion_tokens"] > 0
    served.end(signal.SIGINT)
    trajectory = re.search(r"x-verigym-trajectory: (\S+)", head)
    assert trajectory is not None
    turn = WorkspaceFolder(tmp_path / "home").store.trajectory(trajectory[1])[1].turns[0]
    assert len(turn.completion_ids) == len(turn.logprobs) == answer["usage"]["completion_tokens"]
