"""explain and advise as a user types them, around models behind a server. No torch."""

import asyncio
import contextlib
import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.cli import test_ring
from tests.cli.test_ring import GOLD, TASKS, Shell
from tests.policies.remote_server import Server, serving
from verigym.core.errors import BadInput, NotFound
from verigym.workspace.workspace import WorkspaceFolder

shell = test_ring.shell
REFUSE = '{"tool": "refuse", "args": {}}'
JUDGED = {"reason": "it never looked it up", "bucket": "retrieval failure"}
asked: Counter[str] = Counter()
"""Questions by model."""


def _answer(model: str, messages: list[dict[str, str]]) -> str:
    said, shown = messages[-1]["content"], any(message["role"] == "assistant" for message in messages)
    asked[model] += 1
    match model:
        case "learner":
            return GOLD[said] if shown else "Let me tell you about that."
        case "sometimes":
            asked[said] += 1
            return GOLD[said] if asked[said] % 2 else "I would rather not."
        case "judge":
            return json.dumps(JUDGED)
    return {"prose": "I would rather talk about it.", "refuser": REFUSE, "mute": "no JSON"}[model]


async def _complete(request: web.Request) -> web.Response:
    body = await request.json()
    message = {"role": "assistant", "content": _answer(body["model"], body["messages"])}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return web.json_response({"choices": [choice], "usage": {"prompt_tokens": 300, "completion_tokens": 20}})


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    loop, stack = asyncio.new_event_loop(), contextlib.AsyncExitStack()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield asyncio.run_coroutine_threadsafe(stack.enter_async_context(serving(Server((_complete,)))), loop).result(600)
    asyncio.run_coroutine_threadsafe(stack.aclose(), loop).result(600)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(600)


@pytest.fixture
def quiz(tmp_path: Path) -> str:
    path = tmp_path / "quiz.jsonl"
    path.write_text("".join(json.dumps({"prompt": f"Who is {n}?", "answer": f"person {n}"}) + "\n" for n in "abcd"))
    return str(path)


def _run(said: str) -> str:
    """The run that a command named last."""
    return next(word for word in said.split()[::-1] if word.startswith(("eval-", "rollout-")))


# -- explain ------------------------------------------------------------------------------------------------------------------


def test_explain_goes_from_buckets_to_clusters_to_episodes_to_a_conversation(shell: Shell, server: str) -> None:
    run = _run(shell("eval", "toolcall", "-m", f"{server}#refuser?tools=text", "-n", "40"))
    said = shell("explain", run)
    assert "wrong tool: " in said and "1. " in said and "expected " in said and ", got refuse" in said
    assert f"next: verigym explain {run} --cluster 1" in said and f"verigym advise {run}" in said
    more = shell("explain", run, "--bucket", "wrong tool")
    assert more.count("got refuse\n") > said.count("got refuse\n") and "smaller clusters" in said
    listed = shell("explain", run, "--cluster", "1")
    id = listed.split("verigym trajectories show ")[1].strip()
    assert "expected:" in shell("trajectories", "show", id)
    found = shell.json("explain", run)
    first = found["findings"][0]
    assert sum(one["count"] for one in first["clusters"]) == first["count"]
    members = shell.json("explain", run, "--cluster", "1")
    assert len(members) == first["clusters"][0]["count"] and members[0]["trajectory"] == id


def test_every_command_that_explain_advise_and_compare_print_has_the_given_home(shell: Shell, server: str) -> None:
    home = ["--home", str(shell.home)]
    for model in ("refuser", "prose"):
        run = _run(shell("eval", "toolcall", "-m", f"{server}#{model}?tools=text", "-n", "20", *home))
    first, second = (one["id"] for one in shell.json("models", "list", *home))
    for words in (["explain", run], ["advise", run], ["compare", first, second]):
        said = " ".join(shell(*words, *home).split())
        commands = re.findall(r"verigym (?!check |tasks )[a-z].*?(?=verigym|$)", said)
        assert commands and all(f"--home {shell.home}" in command for command in commands), said


def test_explain_names_the_buckets_and_clusters_that_there_are(shell: Shell, server: str) -> None:
    run = _run(shell("rollout", "toolcall", "-m", f"{server}#prose?tools=text", "-n", "3"))
    with pytest.raises(NotFound, match='Did you mean "format error"'):
        shell("explain", run, "--bucket", "format")
    with pytest.raises(BadInput, match=r"has no cluster 9\. Clusters are numbered from 1 to 1"):
        shell("explain", run, "--cluster", "9")


def test_a_judge_is_asked_about_wrong_answers_alone_and_never_twice(shell: Shell, server: str, quiz: str) -> None:
    said = shell("eval", quiz, "-m", f"{server}#prose")
    assert "scored by exact_match: the whole reply must be the answer" in said
    run = _run(said)
    assert "wrong answer: 4" in shell("explain", run)
    asked.clear()
    said = shell("explain", run, "--judge", f"{server}#judge")
    assert "retrieval failure: 4" in said and "it never looked it up (by judge " in said
    assert shell.json("explain", run, "--cluster", "1", "--judge", f"{server}#judge")
    assert asked["judge"] == 4
    assert "wrong answer: 4" in shell("explain", run), "without the judge the rules speak"


def test_a_judge_without_a_usable_answer_leaves_things_where_they_were(shell: Shell, server: str, quiz: str) -> None:
    run = _run(shell("eval", quiz, "-m", f"{server}#prose"))
    said = shell("explain", run, "--judge", f"{server}#mute")
    assert "wrong answer: 4" in said and "no usable answer on 4 episodes" in said


ENVIRONMENT = """
from verigym import Task
def tasks(split):
    return [Task(id=f"{split}/{n}", prompt=f"say {n}", data={"answer": str(n)}, split=split, family=split + n) for n in "1234"]
class Environment:
    max_turns = 1
    def open(self, task): ...
def verify(task, trajectory):
    return float(trajectory.reply == task.data["answer"])
def explain(task, trajectory, verdict):
    return "small talk: it wanted to talk" if "talk" in trajectory.reply else None
"""


def test_an_environment_may_name_buckets_of_its_own(shell: Shell, server: str, tmp_path: Path) -> None:
    path = tmp_path / "talk.py"
    path.write_text(ENVIRONMENT)
    run = _run(shell("eval", str(path), "-m", f"{server}#prose"))
    assert "small talk: 4 (100%) - by the environment's own rule" in shell("explain", run)
    path.unlink()
    said = " ".join(shell("explain", run).split())
    assert "small talk" not in said and "wrong answer: 4" in said and "only the general rules were used" in said


def test_an_explain_that_is_no_function_is_refused(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "talk.py"
    path.write_text(ENVIRONMENT.partition("def explain")[0] + "explain = 'by hand'\n")
    with pytest.raises(BadInput, match="explain is not a function"):
        shell("check", str(path))


def test_tries_that_differ_are_said_to_be_inconsistent(shell: Shell, server: str) -> None:
    run = _run(shell("rollout", "toolcall", "-m", f"{server}#sometimes?tools=text", "-n", "3", "-k", "4"))
    assert "inconsistent: 3 of 3 tasks pass in some tries and fail in others" in shell("explain", run)


# -- advise -------------------------------------------------------------------------------------------------------------------


def _fixes(found: Any) -> list[str]:
    return [one["fix"] for one in found["advice"] if one.get("advised", True)]


def test_a_prompt_variant_is_tried_on_training_tasks_and_becomes_a_version(shell: Shell, server: str) -> None:
    run = _run(shell("eval", "toolcall", "-m", f"{server}#learner?tools=text", "-n", "20"))
    before = shell("advise", run)
    assert "1. check the verifier" in before and "2. a prompt variant" in before
    assert "next: verigym check toolcall" in before and "behind a server" in before
    shell("check", "toolcall")
    found = shell.json("advise", run, "--try", "-n", "12")
    trial = found["evidence"]["trials"][0]
    assert (trial["kind"], trial["before"], trial["after"], trial["tasks"]) == ("prompt", 0.0, 1.0, 12)
    assert _fixes(found)[0] == "a prompt variant"
    made = shell.json("models", "show", trial["version"])
    kept = made.get("version", made)
    assert kept["examples"] and kept["parent"] == found["evidence"]["agent"]
    tried = shell.json("runs", "list")
    assert [one["kind"] for one in tried] == ["eval", "rollout", "optimize", "rollout"]
    assert [tried[index]["config"]["num_tasks"] for index in (0, 1, 3)] == [20, 12, 12]
    episodes = {one.task for one in WorkspaceFolder(shell.home).store.trajectories(tried[-1]["id"])}
    families = {task.id: task.family for task in TASKS}
    assert all("/train/" in task for task in episodes)
    assert not {families[task] for task in episodes} & set(kept["families"]), "it was chosen on other families"
    assert (trial["unread_before"], trial["unread_after"]) == (1.0, 0.0)
    assert f"verigym eval toolcall -m {trial['version']}" in shell("advise", run)
    asked.clear()
    shell("advise", run, "--try", "-n", "12")
    assert not asked, "the same trial is found again"


def test_a_version_is_advised_on_by_its_newest_run_with_the_tries_of_another(shell: Shell, server: str) -> None:
    model = f"{server}#sometimes?tools=text"
    several = _run(shell("rollout", "toolcall", "-m", model, "-n", "12", "-k", "4"))
    _run(shell("eval", "toolcall", "-m", model, "-n", "10"))
    found = shell.json("advise", shell.json("models", "list")[0]["id"])
    evidence = found["evidence"]
    assert (evidence["success"]["n"], evidence["k"], evidence["pass_at_k"]) == (10, 4, 1.0)
    assert 0.4 < evidence["pass_at_1"] < 0.6 and evidence["signal"] == 1.0
    assert any(several in note for note in found["notes"])


def test_what_cannot_be_advised_on_is_said(shell: Shell, server: str, quiz: str) -> None:
    run = _run(shell("eval", quiz, "-m", f"{server}#prose"))
    with pytest.raises(NotFound, match="no run"):
        shell("advise", "evla")
    with pytest.raises(Exception, match="too few training tasks for a trial"):
        shell("advise", run, "--try")
    assert "more tasks" in shell("advise", run)
