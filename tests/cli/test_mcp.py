"""`verigym mcp` as a coding agent uses it: the whole ring over MCP, with a scripted client and a scripted model."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.flywheel.answering import answering
from tests.optimize.scripted import WORDS
from verigym.workspace.demo import put_demo

ROOT = Path(__file__).parents[2]


class Client:
    """A client with the standard library: JSON-RPC, one message per line."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "verigym.cli.main", "mcp", "--home", str(folder / "home"), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        self.notes: list[Any] = []
        self._id = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        self.server = self.request("initialize", **hello)
        self.send({"method": "notifications/initialized"})

    def send(self, message: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def read(self) -> Any:
        assert self.process.stdout and self.process.stderr
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read().decode()
        return json.loads(line)

    def begin(self, method: str, **params: Any) -> int:
        self._id += 1
        self.send({"id": self._id, "method": method, "params": params})
        return self._id

    def answer(self, id: int) -> Any:
        while (message := self.read()).get("id") != id:
            self.notes.append(message)
        return message["result"]

    def request(self, method: str, **params: Any) -> Any:
        return self.answer(self.begin(method, **params))

    def call(self, tool: str, **arguments: Any) -> str:
        result = self.request("tools/call", name=tool, arguments=arguments, _meta={"progressToken": tool})
        text = result["content"][0]["text"]
        assert not result["isError"], text
        return text

    def refused(self, tool: str, **arguments: Any) -> str:
        result = self.request("tools/call", name=tool, arguments=arguments)
        assert result["isError"], result
        return result["content"][0]["text"]

    def tools(self) -> dict[str, Any]:
        return {tool["name"]: tool for tool in self.request("tools/list")["tools"]}

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream
            stream.close()
        self.process.wait(60)


@contextlib.contextmanager
def client(folder: Path, *options: str) -> Iterator[Client]:
    one = Client(folder, *options)
    try:
        yield one
    finally:
        one.close()


def answer(model: str, messages: list[dict[str, Any]]) -> str:
    """`good` repeats the word. `weak` does so for one word in eight. Both do in other environments."""
    prompt = str(messages[-1]["content"])
    word = prompt.split()[-1]
    return f"The word is {word}." if model == "weak" and " say " in prompt and not word.endswith("m") else word


def test_a_scripted_client_runs_the_ring(tmp_path: Path) -> None:
    with answering(answer) as url, client(tmp_path, "--allow-run") as agent:
        assert "explain_failures" in agent.server["instructions"]
        saved = agent.call("propose_environment", name="words", source=WORDS)
        assert "Nothing was run" in saved and (tmp_path / "home" / "proposals" / "words.py").read_text() == WORDS
        assert "Proposed: " in agent.call("list_environments") and "def verify" in agent.call(
            "read_environment", environment="words"
        )
        assert "No check failed" in agent.call("check_environment", environment="words")
        measured = agent.call("evaluate", environment="words", model=f"{url}#weak")
        assert "success" in measured and "Next: explain_failures, advise" in measured
        assert agent.notes and all(note["method"] == "notifications/progress" for note in agent.notes)
        assert "1 runs, newest first" in agent.call("list_runs", kind="eval")
        explained = agent.call("explain_failures")
        example = explained.partition("read: ")[2].split(",")[0].split()[0]
        assert "evidence" in explained or "x " in explained
        assert "not passed" in agent.call("show_trajectory", trajectory=example)
        assert "not now" in agent.call("advise") and "success" in agent.call("show_report")
        assert "REJECT" not in agent.call("evaluate", environment="words", model=f"{url}#good")
        versions = agent.call("list_versions")
        good, weak = (next(line for line in versions.splitlines() if name in line)[:12] for name in ("#good", "#weak"))
        assert "Difference +" in agent.call("compare_versions", before=weak, after=good)
        decided = agent.call("gate", candidate=good, champion=weak, policy="quick")
        assert decided.startswith("PROMOTE"), decided
        assert "PROMOTE" in agent.call("gate_status")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    put_demo(folder / "home")
    return folder


@pytest.fixture(scope="module")
def reader(demo: Path) -> Iterator[Client]:
    with client(demo) as one:
        yield one


def test_a_server_that_only_reads_offers_nothing_that_runs(reader: Client, demo: Path) -> None:
    tools = reader.tools()
    assert not {"evaluate", "gate", "optimize", "check_environment"} & set(tools)
    assert all(tool["annotations"]["readOnlyHint"] and tool["description"] for tool in tools.values())
    assert "need verigym mcp --allow-run" in reader.refused("evaluate", environment="toolcall", model="x")
    said = reader.call("propose_environment", name="mine", source=WORDS)
    assert "Nothing was written" in said and "verigym check mine.py" in said
    assert not (demo / "home" / "proposals").exists()


@pytest.mark.parametrize("kind", ["python", "rows"])
def test_the_template_can_be_proposed_as_it_is(reader: Client, kind: str) -> None:
    text = reader.call("environment_template", kind=kind)
    assert "The text is valid" in reader.call("propose_environment", name="mine", source=text, kind=kind)


def test_every_reading_tool_answers_about_the_demo_and_no_answer_is_long(reader: Client) -> None:
    for tool, words in {
        "list_runs": "eval-toolcall", "list_versions": "(champion)", "list_suites": "tool_call_eval",
        "show_report": "95% interval", "explain_failures": "read: eval-", "advise": "fix the reward",
        "gate_status": "REJECT", "list_environments": "toolcall",
    }.items():  # fmt: skip
        said = reader.call(tool)
        assert words in said and len(said) < 25_000, tool
    whole = reader.call("read_environment", environment="toolcall")
    assert "go on with offset" not in whole or len(whole) < 25_000
    found = reader.call("explain_failures", bucket="wrong tool")
    assert "wrong arguments:" not in found


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("read_environment", {"environment": "../../../etc/passwd"}, "outside of"),
        ("read_environment", {"environment": "/etc/passwd"}, "outside of"),
        ("read_environment", {"environment": "tolcall"}, 'Did you mean "toolcall"'),
        ("show_trajectory", {"trajectory": "nobody"}, 'no trajectory "nobody"'),
        ("show_report", {"run": "nobody"}, "nobody"),
        ("explain_failures", {"bucket": "bad luck"}, 'no bucket "bad luck"'),
        ("explain_failures", {"runn": "x"}, "Arguments: run, bucket"),
        ("list_runs", {"limit": "many"}, "wrong arguments of list_runs"),
        ("compare_versions", {"before": "base"}, "after"),
        ("no_such_tool", {}, "There is no tool"),
        ("propose_environment", {"name": "../up", "source": WORDS}, "is not a name"),
        ("propose_environment", {"name": "é", "source": WORDS}, "is not a name"),
        ("propose_environment", {"name": "toolcall", "source": WORDS}, "Choose another name"),
        ("propose_environment", {"name": "x", "source": "def tasks("}, "not valid Python in line 1"),
        ("propose_environment", {"name": "x", "source": "x = 1"}, "does not define tasks and Environment and verify"),
        ("propose_environment", {"name": "x", "source": "x" * 300_000}, "At most 200,000"),
        ("propose_environment", {"name": "x", "source": "[1]", "kind": "rows"}, "Row 1 is not an object"),
        ("propose_environment", {"name": "x", "source": "{", "kind": "rows"}, "Row 1 is not JSON"),
        ("propose_environment", {"name": "x", "source": "", "kind": "rows"}, "There are no rows"),
    ],
)  # fmt: skip
def test_a_wrong_call_is_an_error_of_the_tool_that_says_what_to_do(
    reader: Client, tool: str, arguments: dict[str, Any], words: str
) -> None:
    assert words in reader.refused(tool, **arguments)


def test_messages_that_are_none_do_not_end_the_server(reader: Client) -> None:
    assert reader.process.stdin
    for line in (
        b"nonsense\n",
        b"\n",
        b"[]\n",
        b'{"jsonrpc": "2.0", "id": 900, "method": "resources/list"}\n',
        b"17\n",
    ):
        reader.process.stdin.write(line)
    reader.process.stdin.flush()
    assert reader.request("ping") == {}
    codes = [note["error"]["code"] for note in reader.notes if "error" in note]
    assert {-32700, -32601, -32600} <= set(codes)


def test_without_a_workspace_the_server_starts_and_says_how_to_make_one(tmp_path: Path) -> None:
    with client(tmp_path) as agent:
        assert "There is no workspace" in agent.refused("list_runs")
        assert "toolcall" in agent.call("list_environments")
    assert not (tmp_path / "home").exists()


SLOW = (
    WORDS
    + """
print("printed by the environment")
import os, time
os.system("echo printed by a child")
"""
)


def test_a_call_can_be_cancelled_and_prints_of_an_environment_stay_out_of_the_protocol(tmp_path: Path) -> None:
    began, go = threading.Event(), threading.Event()

    def slow(model: str, messages: list[dict[str, Any]]) -> str:
        began.set()
        go.wait(60)
        return answer(model, messages)

    with answering(slow) as url, client(tmp_path, "--allow-run") as agent:
        agent.call("propose_environment", name="words", source=SLOW)
        running = agent.begin("tools/call", name="evaluate", arguments={"environment": "words", "model": f"{url}#good"})
        assert began.wait(60)
        assert "toolcall" in agent.call("list_environments"), "other calls are answered meanwhile"
        agent.send({"method": "notifications/cancelled", "params": {"requestId": running}})
        go.set()
        assert "success" in agent.call("evaluate", environment="words", model=f"{url}#good", n=4)
        assert all(note.get("id") != running for note in agent.notes), "a cancelled call has no answer"


def test_a_killed_client_leaves_nothing_running_and_a_second_client_goes_on(tmp_path: Path) -> None:
    began, go = threading.Event(), threading.Event()

    def slow(model: str, messages: list[dict[str, Any]]) -> str:
        began.set()
        go.wait(60)
        return answer(model, messages)

    with answering(slow) as slow_url, answering(answer) as url, client(tmp_path, "--allow-run") as second:
        first = Client(tmp_path, "--allow-run")
        first.call("propose_environment", name="words", source=WORDS)
        first.begin("tools/call", name="evaluate", arguments={"environment": "words", "model": f"{slow_url}#slow"})
        assert began.wait(60)
        assert "success" in second.call("evaluate", environment="words", model=f"{url}#good", n=4)
        first.close()  # its pipes close, as those of a killed client do
        go.set()
        assert first.process.returncode == 0
        assert "#good" in second.call("list_versions")


def test_a_saved_proposal_is_not_replaced_unasked_and_stays_in_the_workspace(tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    with client(tmp_path, "--allow-run") as agent:
        agent.call("propose_environment", name="words", source=WORDS)
        assert "exists" in agent.refused("propose_environment", name="words", source=WORDS)
        assert "Saved" in agent.call("propose_environment", name="words", source=WORDS + "\n", replace=True)
        assert "outside of" in agent.refused("check_environment", environment=str(outside / "x.py"))
        assert "outside of" in agent.refused("evaluate", environment=f"words+{outside}/x.jsonl", model="x")
        (tmp_path / "home" / "proposals" / "words.py").unlink()
        (tmp_path / "home" / "proposals").rmdir()
        (tmp_path / "home" / "proposals").symlink_to(outside)
        assert "outside of" in agent.refused("propose_environment", name="words", source=WORDS)
    assert not list(outside.iterdir())


def test_the_official_client_lists_and_calls_tools(demo: Path) -> None:
    mcp = pytest.importorskip("mcp")
    from mcp.client.stdio import stdio_client

    async def ask() -> tuple[set[str], str, list[Any]]:
        options = mcp.StdioServerParameters(
            command=sys.executable,
            args=["-m", "verigym.cli.main", "mcp", "--home", str(demo / "home")],
            env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
        )
        progress: list[Any] = []
        async with stdio_client(options) as streams, mcp.ClientSession(*streams) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            result: Any = await session.call_tool("explain_failures", {})
            return {tool.name for tool in tools}, result.content[0].text, progress

    tools, text, _ = asyncio.run(asyncio.wait_for(ask(), 120))
    assert {"explain_failures", "propose_environment"} <= tools and "wrong tool" in text
