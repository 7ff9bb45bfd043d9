"""The methods of `verigym.Workspace` for production and whole cycles, without a local model."""

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import verigym
from tests.flywheel.answering import answering
from tests.mining.counter import Counter, book, squeeze
from verigym.flywheel import quickstart
from verigym.registry import ledger


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with answering(lambda model, messages: f"{model} heard {messages[-1]['content']}") as address:
        yield address


def ask(url: str, text: str) -> str:
    body = {"model": "parrot", "messages": [{"role": "user", "content": text}]}
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=1000) as answer:
        return str(json.load(answer)["choices"][0]["message"]["content"])


def test_a_server_runs_beside_the_workspace_and_captures(ws: verigym.Workspace, server: str) -> None:
    ws.add_server("here", f"{server}#parrot")
    with ws.serve(upstream="here", port=0) as running:
        assert ask(running.url, "hello") == "parrot heard hello"
    running.close()
    [run] = ws.runs()
    [trace] = ws.trajectories(run)
    assert run.kind == "traces" and trace.reply == "parrot heard hello"
    with pytest.raises(OSError):
        ask(running.url, "hello")


def test_serving_needs_a_champion_or_a_version(ws: verigym.Workspace) -> None:
    with pytest.raises(verigym.VerigymError, match="champion"):
        ws.serve(port=0)


@pytest.fixture
def counter(tmp_path: Path) -> Counter:
    counter = Counter(tmp_path / "home")
    for name in ("Ana", "Ben"):
        counter.failed(squeeze(name), book(name, "12:00"), book(name, "16:30"))
    return counter


def test_mined_tasks_are_reviewed_one_by_one(ws: verigym.Workspace, counter: Counter) -> None:
    where = counter.environment.name
    assert sorted(ws.mine(where).open) == sorted(one.id for one in ws.mined(where))
    first, *others = ws.mined(where, state="open")
    with pytest.raises(verigym.VerigymError, match="was not accepted"):
        ws.mine_review(where, first, accept=True, right="no")
    edited = book("Ana" if "Ana" in str(first.task.prompt) else "Ben", "16:45")
    story = ws.mine_review(where, first.id, accept=True, right=edited, who="ana")
    assert (story.state, story.right, story.reviews[-1].who) == ("taken", edited, "ana")
    assert ws.mine_show(first.id) == story
    with pytest.raises(verigym.VerigymError, match="already added"):
        ws.mine_review(where, first, accept=False)
    for other in others:
        assert ws.mine_review(where, other, accept=False, note="rare").state == "rejected"
    assert ws.mined(where, state="open") == []
    with pytest.raises(verigym.VerigymError, match="proposal"):
        ws.mine_review(where, "nothing", accept=True)


def test_mined_tasks_are_accepted_together(ws: verigym.Workspace, counter: Counter) -> None:
    where = counter.environment.name
    ws.mine(where)
    accepted = ws.mine_accept(where)
    assert sum(map(len, accepted.added.values())) == len(ws.mined(where, state="taken")) > 0
    assert accepted.open == [] and accepted.environment.endswith("small.jsonl")


def test_a_loop_runs_its_rounds_and_reports_its_status(ws: verigym.Workspace, server: str, tmp_path: Path) -> None:
    recipe: dict[str, Any] = {
        "environment": "toolcall",
        "model": f"{server}#parrot",
        "evaluation": {"tasks": 12, "trial_tasks": 4},
    }
    recipe |= {"fixes": ["prompt"], "budget": {"rounds": 1}}
    assert ws.loop_status(recipe) == ([], "")
    file = tmp_path / "night.yaml"
    file.write_text(json.dumps(recipe))
    rounds, why = ws.loop(file, verbose=False)
    assert len(rounds) == 1 and why
    assert ws.loop_status(file) == (rounds, why)
    assert ws.loop_status(file, budget={"rounds": 2}).rounds == rounds


def test_the_quickstart_is_run_on_the_folder(ws: verigym.Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quickstart, "quickstart", lambda folder, screen: folder)
    assert ws.quickstart() is ws.folder
    assert ledger.champion(ws.folder.store) is None


def test_advice_tries_the_cheap_fixes(ws: verigym.Workspace, server: str) -> None:
    report = ws.evaluate("toolcall", f"{server}#parrot?tools=text", n=4)
    before = len(ws.runs())
    assert ws.advise(report).evidence.run == report.run and len(ws.runs()) == before
    assert ws.advise(report, try_fixes=True, n=2).evidence.run == report.run
    assert len(ws.runs()) > before
