"""The commands as a user types them, around models behind a server: measure two, gate, promote, roll back. No torch."""

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from typer.testing import CliRunner, Result

from tests.cli.empty import empty_workspace
from verigym.cli.main import app
from verigym.core.errors import Refused
from verigym.environments.load import load_environment
from verigym.policies.dialects import write_call

TASKS = [task for split in ("train", "val", "seed") for task in load_environment("toolcall").tasks(split)]
GOLD = {task.prompt: write_call(task.data["expected_tool"], task.data["expected_args"]) for task in TASKS}


def answer(model: str, prompt: str) -> str:
    if model == "good":
        return GOLD[prompt]
    return "I would rather talk about it." if model == "bad" else '{"tool": "refuse", "args": {}}'


async def _complete(request: web.Request) -> web.Response:
    body = await request.json()
    text = answer(body["model"], body["messages"][-1]["content"])
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return web.json_response({"choices": [choice], "usage": {"prompt_tokens": 300, "completion_tokens": 20}})


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A Chat Completions server on a port of its own; `down` is a port where nobody answers."""
    loop = asyncio.new_event_loop()
    started: list[int] = []
    ready = threading.Event()

    async def run() -> None:
        application = web.Application()
        application.router.add_post("/v1/chat/completions", _complete)
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        started.append(site._server.sockets[0].getsockname()[1])  # type: ignore[union-attr]
        ready.set()

    starting = loop.create_task(run())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    assert ready.wait(600), starting
    yield f"http://127.0.0.1:{started[0]}/v1"
    loop.call_soon_threadsafe(loop.stop)
    thread.join(600)


class Shell:
    """`shell("eval", "toolcall", ...)` in a workspace of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *words: str, code: int = 0) -> str:
        result: Result = CliRunner().invoke(app, [*words], env={"VERIGYM_HOME": str(self.home)})
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result.output

    def json(self, *words: str) -> Any:
        return json.loads(self(*words, "--json"))


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(empty_workspace(tmp_path / "home"))


def version(shell: Shell, model: str) -> str:
    return next(one["id"] for one in shell.json("models", "list") if f"#{model}?" in one["base"])


def test_the_ring_from_measuring_to_promotion_and_back(shell: Shell, server: str, tmp_path: Path) -> None:
    (tmp_path / "toolcall_alone.yaml").write_text("retention: null\nsafety: null\nmargins: {latency: null}\n")
    policy = str(tmp_path / "toolcall_alone.yaml")
    for model in ("bad", "good"):
        said = shell("eval", "toolcall", "-m", f"{server}#{model}?tools=text", "-n", "70")
        assert "next: verigym explain eval-toolcall-" in said and "70 tasks of 70 families" in said
    bad, good = version(shell, "bad"), version(shell, "good")
    assert "100.0%" in said

    assert f"({bad}) is the first champion" in shell("promote", bad), "the first champion is the base agent"
    assert "PROMOTE" in shell("gate", good, "--policy", policy)
    assert f"({good}) is now champion" in shell("promote", good), "by the policy that it was gated with"
    assert "REJECT" in shell("gate", bad, "--policy", policy, code=1)
    assert "stays champion" in shell("promote", bad, code=1)
    assert f"({bad}) is champion again" in shell("rollback", "--why", "a test")
    entries = shell.json("models", "ledger")
    assert [(one["decision"].get("kind", "gate"), one["champion_after"]) for one in entries] == [
        ("first", bad),
        ("gate", bad),
        ("gate", good),
        ("gate", good),
        ("rollback", bad),
    ]
    assert f"({good}) is now champion" in shell("promote", good, "--override", "we know better")

    compared = shell("compare", bad, good)
    assert "call 1: " in compared, "a flip shows the call that differs"
    assert (
        re.search(r"tasks gained \d+, lost 0", compared) and "verigym compare bad good --show toolcall/val/" in compared
    )


def test_the_same_command_runs_nothing_twice_and_another_seed_does(shell: Shell, server: str) -> None:
    words = ["rollout", "toolcall", "-m", f"{server}#good?tools=text", "-n", "5", "-k", "2"]
    first = shell(*words)
    assert "10 trajectories of 5 tasks, 0 not scored, 100.0% passed" in first
    assert "already complete" not in first and "already complete, reused" in shell(*words)
    assert len(shell.json("runs")) == 1
    shell(*words, "--seed", "1")
    assert len(shell.json("runs", "list")) == 2


def test_failures_are_explained_down_to_a_conversation(shell: Shell, server: str) -> None:
    shell("rollout", "toolcall", "-m", f"{server}#refuser?tools=text", "-n", "30", "--split", "val")
    explained = shell("explain")
    assert "wrong tool: " in explained and "got refuse" in explained
    shown = shell("trajectories", "show", explained.rsplit(" ", 1)[1].strip())
    assert "[user]" in shown and "[call refuse]" in shown and "verdict by tool_call_verifier@" in shown
    listed = shell("trajectories", "list", "--failed")
    assert "reward" in listed and "0.20" in listed
    assert (
        listed.splitlines()[0].split() == ["trajectory", "outcome", "reward", "request", "reply"] and "failed" in listed
    )
    assert "30 trajectories" in shell("runs", "show")


def test_a_server_that_is_down_ends_in_words_at_once_and_is_tried_again(
    shell: Shell, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verigym.policies.connection._FIRST_WAIT_S", 600.0)  # a retry would not end in time
    monkeypatch.setattr("verigym.rollout.many._RETRY_S", 600.0)
    words = r"None of 2 episodes could be scored. Most frequent reason: No server answers at http://127.0.0.1:9/v1\. Start it"
    with pytest.raises(Exception, match=words):
        shell("eval", "toolcall", "-m", "http://127.0.0.1:9/v1#good?tools=text", "-n", "2")
    assert shell.json("models", "list") == [], "no episode was scored, so there is no version"
    failed = shell.json("runs", "list")[0]["id"]
    explained = shell("explain", failed)
    assert "127.0.0.1:9" in explained, "the run itself stays and says why"
    assert "verigym advise" not in explained, "nothing was scored"
    with pytest.raises(Refused, match="has no scored episode"):
        shell("advise", failed)


def test_a_missing_model_is_answered_with_examples(shell: Shell) -> None:
    for command in ("eval", "rollout"):
        said = " ".join(shell(command, "toolcall", code=2).split())
        assert "Name a model, such as -m smollm2-135m" in said and "-m https://HOST/v1#gpt-4o" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["eval", "tolcall", "-m", "x"], 'no environment "tolcall". Did you mean "toolcall"'),
        (["eval", "toolcall", "-m", "http://localhost:1"], "Write URL#MODEL"),
        (["eval", "toolcall", "-m", "x", "--split", "nosuch"], 'no split of toolcall "nosuch"'),
        (["eval", "toolcall", "-m", "champion"], "No champion version exists yet"),
        (["explain"], 'no run "latest"'),
        (["gate", "nosuch"], 'no version "nosuch"'),
        (["compare", "a", "b"], 'no version "a"'),
        (["rollback"], "There is no earlier champion to roll back to. No champion exists yet"),
        (["train", "nosuch.yaml"], "nosuch.yaml does not exist"),
        (["trajectories", "show", "x"], 'no trajectory "x"'),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else "",
)
def test_a_mistake_is_answered_in_words(shell: Shell, words: list[str], said: str) -> None:
    with pytest.raises(Exception) as raised:
        shell(*words)
    assert type(raised.value).__module__.startswith("verigym.") and said in str(raised.value)


@pytest.mark.parametrize(
    "option", [["-n", "0"], ["-k", "0"], ["--concurrency", "0"], ["--temperature", "-1"]], ids=" ".join
)
def test_a_number_out_of_range_is_refused(shell: Shell, option: list[str]) -> None:
    assert "should be greater than or equal to" in shell("eval", "toolcall", "-m", "x", *option, code=2)


def test_a_file_of_questions_is_measured(shell: Shell, server: str, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    rows = [{"prompt": task.prompt, "answer": GOLD[str(task.prompt)]} for task in TASKS[:3]]
    questions.write_text("\n".join(json.dumps(row) for row in rows))
    report = shell.json("eval", str(questions), "-m", f"{server}#good")
    assert report["metrics"]["success"]["value"] == 1.0 and report["metrics"]["success"]["n"] == 3


def test_reports_decoded_differently_are_not_compared(shell: Shell, server: str) -> None:
    shell("eval", "toolcall", "-m", f"{server}#bad?tools=text", "-n", "60", "--max-tokens", "16")
    shell("eval", "toolcall", "-m", f"{server}#good?tools=text", "-n", "60")
    with pytest.raises(Exception, match="have no report on the same held-out tasks"):
        shell("compare", version(shell, "bad"), version(shell, "good"))


def test_what_infrastructure_broke_is_run_again_by_the_same_command(
    shell: Shell, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verigym.rollout.many._RETRY_S", 0.0)
    words = ["eval", "toolcall", "-m", f"{server}#good?tools=text", "-n", "6"]
    with monkeypatch.context() as broken:
        broken.setattr("verigym.policies.connection._RETRIED", set())
        broken.setattr("tests.cli.test_ring.answer", lambda model, prompt: 1 / 0)
        with pytest.raises(Exception, match="None of 6 episodes could be scored"):
            shell(*words)
    said = shell(*words)
    assert "100.0%" in said and "nothing was run again" not in said


def test_a_rollout_in_which_nothing_could_be_scored_says_why(server: str, tmp_path: Path) -> None:
    (tmp_path / "desk.py").write_text(
        "from verigym import Task\n"
        "def tasks(split): return [Task(id='a', prompt='Hello', split=split)]\n"
        "class Environment:\n    def open(self, task): ...\n"
        "def verify(task, trajectory): return None\n"
    )
    done = CliRunner().invoke(
        app, ["rollout", str(tmp_path / "desk.py"), "-m", f"{server}#bad", "--home", str(tmp_path / "home")]
    )
    assert done.exit_code != 0 and "None of 1 episodes could be scored" in str(done.exception)
    assert "verify returned NoneType" in str(done.exception)


def test_the_verifier_of_a_bare_file_can_be_chosen(server: str, tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(json.dumps({"prompt": "x", "answer": 1}))
    done = CliRunner().invoke(
        app,
        ["rollout", str(tmp_path / "q.jsonl"), "--split", "val", "-m", f"{server}#bad", "--verifier", "nope"],
    )
    assert 'no verifier "nope"' in str(done.exception) and "numeric" in str(done.exception)
