"""models as a user types it: a prompt is made a version, measured, promoted, compared, exported, verified and rolled back."""

import asyncio
import json
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from typer.testing import CliRunner

from tests.cli.empty import empty_workspace
from tests.registry.decided import decision
from verigym.cli.main import app
from verigym.core.records import Version
from verigym.environments.load import load_environment
from verigym.policies.dialects import write_call
from verigym.registry.integrity import ADAPTER_FILE
from verigym.store.database import Store

GOLD = {
    task.prompt: write_call(task.data["expected_tool"], task.data["expected_args"])
    for task in load_environment("toolcall").tasks("val")
}
PROMPT = "You are an office assistant. Today is Monday.\nPlease answer with one JSON object."


class Served:
    """A Chat Completions server whose model knows everything, and says it only if the system prompt says please."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.url = ""

    async def complete(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.asked.append(body)
        system, prompt = body["messages"][0]["content"], body["messages"][-1]["content"]
        text = GOLD.get(prompt, "yes") if "Please" in system else "I would rather talk about it."
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return web.json_response({"choices": [choice], "usage": {"prompt_tokens": 300, "completion_tokens": 20}})


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    served, loop, ready = Served(), asyncio.new_event_loop(), threading.Event()

    async def run() -> None:
        application = web.Application()
        application.router.add_post("/v1/chat/completions", served.complete)
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        served.url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/v1#m?tools=text"  # type: ignore[union-attr]
        ready.set()

    starting = loop.create_task(run())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    assert ready.wait(600), starting
    yield served
    loop.call_soon_threadsafe(loop.stop)
    thread.join(600)


class Shell:
    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *words: str, code: int | None = 0) -> str:
        result = CliRunner().invoke(app, [*words, "--home", str(self.home)])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert code is None or result.exit_code == code, result.output
        return result.output

    def json(self, *words: str, code: int = 0) -> Any:
        return json.loads(self(*words, "--json", code=code))


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(empty_workspace(tmp_path / "home"))


def test_a_prompt_is_gated_promoted_and_rolled_back(shell: Shell, server: Served, tmp_path: Path) -> None:
    shell("eval", "toolcall", "-m", server.url, "-n", "60")
    base = shell.json("models", "list")[0]["id"]
    shell("promote", base)
    said = shell("models", "new", "polite", "--system", PROMPT, "--describe", "refuse=Say no.", "--env", "toolcall")
    polite = shell.json("models", "show", "polite")["id"]
    assert f"version {polite} (polite): prompt + tools, from {base}" in said
    assert f"next: verigym eval toolcall -m {polite}" in said

    server.asked.clear()
    assert "100.0%" in shell("eval", "toolcall", "-m", polite, "-n", "60")
    system = {body["messages"][0]["content"] for body in server.asked}
    assert len(system) == 1 and PROMPT in min(system) and "Say no." in min(system), "its own prompt and descriptions"

    (tmp_path / "policy.yaml").write_text("safety: null\nretention: null\nmargins: {latency: null}\n")
    assert "PROMOTE" in shell("gate", polite, "--policy", str(tmp_path / "policy.yaml"))
    assert f"({polite}) is now champion" in shell("promote", polite)
    assert f"({base}) is champion again" in shell("rollback", "--why", "complaints")
    assert f"({polite}) is champion again" in shell("rollback", "polite")
    moves = [
        (one["decision"].get("kind", "gate"), one["champion_after"])
        for one in shell.json("models", "ledger")
        if one["champion_before"] != one["champion_after"]
    ]
    assert moves == [("first", base), ("gate", polite), ("rollback", base), ("rollback", polite)]

    listed = shell("models", "list")
    assert "prompt + tools" in listed and base in listed and "champion" in listed
    shown = shell("models", "show", "polite")
    assert "  Please answer with one JSON object." in shown and "gate, PROMOTE" in shown and "python 3." in shown
    told = shell("models", "diff", base, "polite")
    assert "  +Please answer with one JSON object." in told and "-Decline a request" in told
    assert "success on tool_call_eval, 60 tasks: 0.0% (" in told and f"next: verigym compare {base} {polite}" in told
    differs = shell.json("models", "diff", base, "polite")
    assert differs["versions"] == [base, polite] and differs["measured"][0]["success"][1]["value"] == 1.0
    assert "checks passed" in shell("models", "check-integrity")
    assert "On tool_call_eval" in shell("models", "card", "polite") and "Why: complaints." in shell(
        "models", "card", base
    )
    shell("models", "export", "polite", "--out", str(tmp_path / "out"))
    assert json.loads((tmp_path / "out" / "version.json").read_text())["system_prompt"] == PROMPT


def test_a_versions_own_sampling_is_sampled_with(shell: Shell, server: Served) -> None:
    said = shell(
        "models", "new", "warm", "--parent", server.url, "--temperature", "0.7", "--max-tokens", "33", "--stop", "END"
    )
    assert "it has its own sampling settings, which override the options of a command: temperature 0.7" in said
    server.asked.clear()
    said = shell("rollout", "toolcall", "-m", "warm", "-n", "3", "--temperature", "0.1", "--max-tokens", "99")
    assert "warm has its own sampling settings, so --temperature and --max-tokens are ignored" in said
    assert len(server.asked) == 3
    assert {
        (body["temperature"], body.get("max_tokens") or body["max_completion_tokens"]) for body in server.asked
    } == {(0.7, 33)}
    assert all(body["stop"] == ["END"] for body in server.asked)


def test_the_environment_suggested_next_is_the_agents_own_not_a_guardrail(shell: Shell, server: Served) -> None:
    shell("eval", "toolcall", "-m", server.url, "-n", "3")
    shell("eval", "retention", "-m", server.url, "-n", "3")
    said = shell("models", "new", "warm", "--parent", server.url, "--system", "Hello there.")
    assert "next: verigym eval toolcall -m " in said
    assert "Today is Monday" in shell("models", "diff", server.url, "warm"), "toolcall's own prompt, not retention's"


def test_the_same_change_twice_makes_one_version(shell: Shell) -> None:
    shell("models", "new", "one", "--parent", "tiny", "--system", "x")
    assert "already exists as version" in shell("models", "new", "two", "--parent", "tiny", "--system", "x")
    assert len(shell.json("models", "list")) == 2


def test_an_empty_workspace_is_answered(shell: Shell) -> None:
    assert "no versions yet" in shell("models", "list")
    assert "1 checks passed" in shell("models", "check-integrity")


def test_a_card_is_written_once(shell: Shell, tmp_path: Path) -> None:
    shell("models", "new", "one", "--parent", "tiny", "--system", "x")
    page = tmp_path / "card.md"
    assert f"to {page}" in shell("models", "card", "one", "--out", str(page))
    assert page.read_text().startswith("# one\n")
    with pytest.raises(Exception, match=r"exists\. Name another file"):
        shell("models", "card", "one", "--out", str(page))


@pytest.fixture
def damaged(shell: Shell) -> Shell:
    shell("models", "new", "one", "--parent", "tiny", "--system", "x")
    shell("promote", "tiny")
    with sqlite3.connect(shell.home / "store.db") as connection:
        connection.execute("UPDATE documents SET body = replace(body, '\"x\"', '\"y\"') WHERE kind = 'version'")
    return shell


def test_tampering_is_named_with_exit_code_1(damaged: Shell) -> None:
    said = damaged("models", "check-integrity", code=1)
    assert "DAMAGED  version" in said and "its behaviour fields were changed" in said and "1 of 3 checks failed" in said
    found = damaged.json("models", "check-integrity", code=1)
    assert [one["what"] for one in found if not one["sound"]] == ["version"]


def test_a_hash_that_was_noted_is_looked_for(shell: Shell) -> None:
    shell("models", "new", "one", "--parent", "tiny", "--system", "x")
    shell("promote", "tiny")
    noted = shell.json("models", "ledger")[-1]["hash"]
    assert f"next: verigym models check-integrity --expect {noted}" in shell("models", "check-integrity")
    assert "is that of entry 1 of 1" in shell("models", "check-integrity", "--expect", noted)
    assert "Entries were removed or replaced" in shell("models", "check-integrity", "--expect", "0" * 64, code=1)


def test_nobody_rolls_back_to_weights_that_are_gone(shell: Shell) -> None:
    from verigym.registry.ledger import promote, set_first_champion
    from verigym.registry.versions import register

    store = Store(shell.home / "store.db")
    first, second = (register(store, Version(base="tiny", adapter=name * 64, name=name)) for name in "ab")
    set_first_champion(store, first.id)
    promote(store, decision(store, second.id, first.id))
    with pytest.raises(Exception, match="the adapter of this version is missing"):
        shell("rollback")
    assert shell.json("models", "ledger")[-1]["champion_after"] == second.id
    folder = shell.home / "adapters" / first.adapter
    folder.mkdir(parents=True)
    (folder / ADAPTER_FILE).write_bytes(b"something else")
    with pytest.raises(Exception, match="the adapter of this version is damaged"):
        shell("rollback", "a")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["new", "x", "--parent", "tiny"], "The new version would equal tiny"),
        (["new", "x", "--system", "y"], "No champion version exists yet"),
        (["new", "champion", "--parent", "tiny", "--system", "y"], 'cannot be named "champion"'),
        (["new", "x", "--parent", "tiny", "--system", "prompt.txt"], "the file prompt.txt does not exist"),
        (["new", "x", "--parent", "tiny", "--describe", "refuse"], "Write TOOL=TEXT"),
        (["new", "x", "--parent", "tiny", "--descriptions", "none.json"], "none.json"),
        (["new", "x", "--parent", "tiny", "--describe", "a=b", "--env", "toolcall"], 'no tool "a"'),
        (["new", "x", "--parent", "tiny", "--constrain", "nothing"], "Write tools, copy or the path of a JSON schema"),
        (["new", "x", "--parent", "tiny", "--constrain", "copy"], "needs names of arguments here"),
        (
            ["new", "x", "--parent", "tiny", "--constrain", "copy:"],
            'It must be "tools", "copy:" and names of arguments',
        ),
        (["new", "x", "--parent", "http://h/v1#m", "--constrain", "tools"], "Constraints work only with local models"),
        (["show", "nosuch"], 'no version "nosuch"'),
        (["diff", "a", "b"], 'no version "a"'),
        (["card"], "No champion exists yet"),
        (["export", "a", "--out", "x"], 'no version "a"'),
        (["check-integrity", "a"], 'no version "a"'),
        (["check-integrity", "--expect", "xyz"], "at least 8 digits"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_is_answered_in_words(shell: Shell, words: list[str], said: str) -> None:
    with pytest.raises(Exception) as raised:
        shell("models", *words)
    assert type(raised.value).__module__.startswith("verigym.") and said in str(raised.value)


def test_a_schema_that_is_none_is_refused_before_it_is_a_version(shell: Shell, tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "strnig"}')
    with pytest.raises(Exception, match="not a JSON schema"):
        shell("models", "new", "x", "--parent", "tiny", "--constrain", str(schema))
    schema.write_text('{"type": "object"}')
    assert "(x): constrained, from " in shell("models", "new", "x", "--parent", "tiny", "--constrain", str(schema))
