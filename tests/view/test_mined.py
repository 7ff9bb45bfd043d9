"""Mined tasks on their pages: lists, one proposal, the review by keys, and the process that plays and proves."""

import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.mining.counter import Counter, book, squeeze
from tests.view.store import add_mining, add_traces
from tests.view.visitor import ORIGIN, Visitor
from verigym.core.errors import InfrastructureFailure, NotFound, Refused
from verigym.core.records import Case, Task
from verigym.mining.proposals import Proposal, Review, add_review, now, read_proposals
from verigym.store.database import Store
from verigym.store.transfer import ImportedRun
from verigym.view.page import Query
from verigym.view.pages.mined import environment_page, mined_page, review_page
from verigym.view.read import Reader
from verigym.view.worker import WorkAnswer, Workers, WorkRequest
from verigym.workspace.workspace import WorkspaceFolder


@pytest.fixture(scope="module")
def mined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks that mining proposed for an environment in a file, and a run that names the file."""
    folder = tmp_path_factory.mktemp("mined")
    counter = Counter(folder / "home")
    counter.failed(squeeze("Ana"), book("Ana", "12:00"), book("Ana", "16:30"))
    counter.failed(squeeze("Bob"), book("Bob", "12:00"), book("Bob", "16:30"))
    counter.trace("Tell the landlord", "ok", outcome="failure")
    counter.mine(held_out_share=0)
    counter.ws.store.begin_run("eval-small", "eval", {"environment": counter.environment.name})
    counter.ws.store.close()
    return folder


@pytest.fixture
def home(mined: Path, tmp_path: Path) -> Path:
    shutil.copytree(mined / "home", tmp_path / "home")
    return tmp_path / "home"


def built(home: Path, page: Any, name: str = "small", who: str = "Ada", **given: str) -> Any:
    reader = Reader(home)
    try:
        return page(reader, Query({"environment": name}, given, who))
    finally:
        reader.close()


def reviews(home: Path) -> list[Review]:
    store = Store(home / "store.db")
    records = store.documents("review", Review)
    store.close()
    return records


def states(home: Path) -> dict[str, str]:
    ws = WorkspaceFolder(home)
    known = read_proposals(ws, "small")
    ws.store.close()
    return {id: known.state(id) for id in known.proposals}


def fields_of(text: str) -> dict[str, str]:
    form = text.partition('action="/mined-review/save"')[2]
    return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form.partition("</form>")[0]))


def press(visitor: Visitor, address: str, key: str, **more: str) -> str:
    return visitor.sent("/mined-review/save", **{**fields_of(visitor.page(address)), **more, "key": key})


# -- lists ----------------------------------------------------------------------------------------------------------


def test_environments_and_their_proposals_are_listed_by_state(home: Path) -> None:
    [row] = built(home, mined_page).rows
    assert (row.environment, row.counts) == ("small", {"open": 2})
    data = built(home, environment_page)
    assert [one.kind for one in data.rows] == ["task", "task"] and data.rows[0].side == "to train on"
    assert "squeeze Ana" in data.rows[0].request and "16:30" in data.rows[0].right
    assert data.rows[0].source == "a person's correction" and "3 traces" in data.summary
    [missing] = built(home, environment_page, state="missing").missing
    assert missing.count == 1 and missing.requests[0].words == "Tell the landlord"
    assert "is rejected" in built(home, environment_page, state="rejected").empty


def test_one_proposal_shows_where_it_comes_from(home: Path) -> None:
    id = next(iter(states(home)))
    one = built(home, environment_page, proposal=id).proposal
    assert one.request[0].text == squeeze("Ana") and '"12:00"' in one.did and '"16:30"' in one.right
    assert "correction by ana" in one.source and one.traces[0].href.startswith("/t/") and one.family
    assert any("12:00" in line.text for line in one.did_lines) and one.right_played is None
    text = Visitor(home).page(f"/mined/small?proposal={id}")
    assert "What is right" in text and "Review it" in text
    with pytest.raises(NotFound):
        built(home, environment_page, proposal="none")


@pytest.mark.parametrize("path", ["/mined/none", "/mined/..%2F..%2Fetc%2Fpasswd", "/mined-review/none"])
def test_an_environment_that_was_not_mined_is_not_found(home: Path, path: str) -> None:
    answer = Visitor(home).get(path)
    assert answer.status_code == 404 and "small" in answer.text


def test_pages_of_an_empty_workspace_say_what_to_type(tmp_path: Path) -> None:
    assert "verigym mine run ENV" in Visitor(tmp_path).page("/mined")


def test_every_state_of_the_shared_store_has_a_page(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    ids = add_traces(store)
    add_mining(store, ids[0])
    trajectory = store.trajectory(ids[1])[1]
    case = Case(should="fail", note="n", task=Task(id="t", prompt="x"), trajectory=trajectory)
    store.put("proposal", "case/1", Proposal(
        id="case/1", environment="toolcall", task=Task(id="t", prompt="x"), right="it should fail", source="Ada", did="passed",
        case=case, trajectories=[ids[1]],
    ))  # fmt: skip
    store.close()
    visitor = Visitor(tmp_path)
    for state in ("open", "accepted", "taken", "rejected", "missing"):
        assert visitor.json(f"/mined/toolcall?state={state}")["state"] == state
    one = visitor.json("/mined/toolcall?proposal=case%2F1")["proposal"]
    assert (one["kind"], one["side"]) == ("case", "tests the verifier") and "editable" not in one
    text = visitor.page("/mined-review/toolcall?proposal=case%2F1")
    assert "Edit the right outcome" not in text and "Play both" not in text
    assert visitor.post("/mined-review/edit", environment="toolcall", proposal="case/1", text="x").status_code == 409


# -- answers --------------------------------------------------------------------------------------------------------


def test_answers_are_stored_as_those_of_the_command(home: Path) -> None:
    visitor = Visitor(home)
    first, second = states(home)
    address = press(visitor, "/mined-review/small", "a", note="good one")
    assert f"proposal={second.replace('/', '%2F')}" in address
    address = press(visitor, address, "r")
    assert states(home) == {first: "accepted", second: "rejected"} and "end=1" in address
    one, two = reviews(home)
    assert (one.proposals, one.answer, one.who, one.note) == ([first], "accepted", "Ada", "good one") and one.when
    assert (two.proposals, two.answer) == ([second], "rejected")
    text = visitor.page(address)
    assert "1 accepted, 1 rejected" in text and "verigym mine review" in text
    assert not (home / "mined").exists(), "tasks are added by a command"


def test_a_skipped_proposal_gets_no_answer_and_is_asked_again(home: Path) -> None:
    visitor = Visitor(home)
    address = press(visitor, press(visitor, "/mined-review/small", "s"), "s")
    assert reviews(home) == [] and "2 proposals still open" in visitor.page(address)
    assert built(home, review_page).place == 1


def test_a_double_press_is_one_review_and_the_first_answer_stands(home: Path) -> None:
    visitor = Visitor(home)
    fields = fields_of(visitor.page("/mined-review/small"))
    first = visitor.sent("/mined-review/save", **fields, key="a")
    again = visitor.sent("/mined-review/save", **fields, key="r")
    assert [one.answer for one in reviews(home)] == ["accepted"]
    assert again.startswith(f"{first}&said=already") and "Already answered by Ada" in visitor.page(again)


def test_undo_takes_the_last_answer_back_once(home: Path) -> None:
    visitor = Visitor(home)
    address = press(visitor, "/mined-review/small", "r")
    fields = fields_of(visitor.page(address))
    back = [visitor.sent("/mined-review/save", **fields, key="u") for _ in range(2)]
    assert back[0] == back[1] and "taken back" in visitor.page(back[0])
    assert [(one.answer, one.note) for one in reviews(home)] == [("rejected", ""), ("open", "taken back")]
    assert set(states(home).values()) == {"open"}
    nothing = visitor.sent("/mined-review/save", **{**fields, "last": ""}, key="u")
    assert "said=nothing" in nothing
    other = Visitor(home, who="Bob").post("/mined-review/save", **fields, key="u")
    assert other.status_code == 409 and "somebody else" in other.text


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"environment": "none"}, 404, "small"),
        ({"proposal": "none"}, 404, "No proposal"),
        ({"key": "x"}, 400, "Use one of"),
        ({"key": "a", "note": "x" * 3000}, 400, "longer than"),
    ],
    ids=str,
)
def test_a_wrong_answer_is_refused_in_words(home: Path, fields: dict[str, str], status: int, words: str) -> None:
    visitor = Visitor(home)
    given = {**fields_of(visitor.page("/mined-review/small")), "key": "a", **fields}
    answer = visitor.post("/mined-review/save", **given)
    assert answer.status_code == status and words in answer.text and reviews(home) == []


def test_nobody_without_a_name_from_another_site_or_in_a_read_only_view_answers(home: Path) -> None:
    fields = {**fields_of(Visitor(home).page("/mined-review/small")), "key": "a"}
    nameless = Visitor(home, who="")
    assert "Your name" in nameless.page("/mined-review/small")
    assert nameless.post("/mined-review/save", **fields).status_code == 400
    for path in ("save", "play", "edit"):
        address = f"/mined-review/{path}"
        assert Visitor(home).post_from("http://evil.example", address, fields).status_code == 403
        assert Visitor(home).post_from(ORIGIN, address, fields, **{"sec-fetch-site": "cross-site"}).status_code == 403
        assert Visitor(home, read_only=True).post(address, **fields).status_code == 403
    assert 'action="/mined-review/' not in Visitor(home, read_only=True).page("/mined-review/small")
    assert reviews(home) == []


# -- the process ----------------------------------------------------------------------------------------------------


def test_both_are_played_and_an_edit_is_proven_in_another_process(home: Path) -> None:
    visitor = Visitor(home)
    fields = fields_of(visitor.page("/mined-review/small"))
    address = visitor.sent("/mined-review/play", **fields)
    played = visitor.json(address.partition("#")[0])["proposal"]
    assert played["right_played"]["passed"] and not played["did_played"]["passed"]
    assert any("16:30" in line["text"] for line in played["right_played"]["lines"])
    assert "Played: what is right" in visitor.page(address.partition("#")[0])
    wrong = visitor.sent("/mined-review/edit", **fields, text=book("Ana", "12:00"))
    shown = visitor.json(wrong.partition("#")[0])["proposal"]
    assert shown["missing"].startswith("Not accepted.") and "12:00" in shown["text"] and reviews(home) == []
    visitor.sent("/mined-review/edit", **fields, text=book("Ana", "17:30"))
    [review] = reviews(home)
    assert (review.answer, review.note, review.who) == ("accepted", "edited", "Ada")
    assert review.task is not None and review.task.data["expected_args"]["time"] == "17:30"
    assert visitor.post("/mined-review/edit", **fields, text=" ").status_code == 400
    assert not {name for name in sys.modules if name.startswith("small")}


def test_the_page_shows_the_code_that_runs_and_the_form_must_name_it(home: Path, mined: Path) -> None:
    visitor = Visitor(home)
    text = visitor.page("/mined-review/small")
    fields = fields_of(text)
    assert fields["code"] == str(mined / "small.py") and text.count(str(mined / "small.py")) >= 3
    for path in ("play", "edit"):
        refused = visitor.post(f"/mined-review/{path}", **{**fields, "code": "", "text": book("Ana", "17:30")})
        assert (
            refused.status_code == 409 and "Nothing was run" in refused.text and str(mined / "small.py") in refused.text
        )


@pytest.mark.parametrize("name", ["toolcall", "small"])
def test_a_file_that_an_imported_run_names_is_never_run(home: Path, tmp_path: Path, name: str) -> None:
    marker, file = tmp_path / "was-run", tmp_path / f"{name}.py"
    file.write_text(f"open({str(marker)!r}, 'w')\n")
    store = Store(home / "store.db")
    store.put("proposal", f"{name}/1", Proposal(
        id=f"{name}/1", environment=name, task=Task(id="t", prompt="x"), right="y", source="Ada", did="z",
    ))  # fmt: skip
    store.begin_run("eval-theirs", "eval", {"environment": str(file)})
    store.put("imported", "eval-theirs", ImportedRun("theirs.jsonl"))
    store.close()
    visitor = Visitor(home)
    address = f"/mined-review/{name}?proposal={name}%2F1"
    text = visitor.page(address)
    assert str(file) not in text
    for code in (str(file), fields_of(text)["code"]):
        visitor.post("/mined-review/play", environment=name, proposal=f"{name}/1", code=code)
    assert not marker.exists()


def test_an_environment_that_only_others_name_is_refused_with_the_command(home: Path, tmp_path: Path) -> None:
    marker, file = tmp_path / "was-run", tmp_path / "theirs.py"
    file.write_text(f"open({str(marker)!r}, 'w')\n")
    store = Store(home / "store.db")
    for name in ("theirs", str(file)):
        store.put("proposal", name, Proposal(
            id=name, environment=name, task=Task(id="t", prompt="x"), right="y", source="Ada", did="z",
        ))  # fmt: skip
    store.begin_run("eval-theirs", "eval", {"environment": str(file)})
    store.put("imported", "eval-theirs", ImportedRun("theirs.jsonl"))
    store.close()
    visitor = Visitor(home)
    text = visitor.page("/mined-review/theirs?proposal=theirs")
    assert "verigym mine review ENV" in text and 'action="/mined-review/play"' not in text
    refused = visitor.post("/mined-review/play", environment="theirs", proposal="theirs", code=str(file))
    assert refused.status_code == 409 and "verigym mine review ENV" in refused.text
    path = visitor.post("/mined-review/play", environment=str(file), proposal=str(file), code=str(file))
    assert path.status_code in (404, 409) and not marker.exists()


def test_the_newest_run_of_this_workspace_names_the_code(home: Path, tmp_path: Path) -> None:
    store = Store(home / "store.db")
    store.begin_run("a-newer", "eval", {"environment": str(tmp_path / "small.py")})
    store.begin_run("odd", "eval", {"environment": ["small.py"]})
    store.close()
    assert built(home, review_page).code == str(tmp_path / "small.py")


@pytest.mark.parametrize("by", ["page", "command"])
def test_an_edit_of_a_task_that_somebody_answered_meanwhile_is_not_accepted(
    home: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    visitor = Visitor(home)
    fields = fields_of(visitor.page("/mined-review/small"))
    ask = Workers.ask

    def answered_meanwhile(workers: Workers, request: WorkRequest) -> WorkAnswer:
        answer = ask(workers, request)
        if by == "page":
            Visitor(home, who="Bob").sent("/mined-review/save", **fields, key="r")
        else:
            ws = WorkspaceFolder(home)
            add_review(ws, Review(proposals=[request.proposal], answer="rejected", who="Bob", when=now()))
            ws.store.close()
        return answer

    monkeypatch.setattr(Workers, "ask", answered_meanwhile)
    address = visitor.sent("/mined-review/edit", **fields, text=book("Ana", "17:30"))
    assert [(one.answer, one.who) for one in reviews(home)] == [("rejected", "Bob")]
    text = visitor.page(address)
    assert (
        "Already answered by Bob" in text and "accepted" not in text.partition("<footer")[0].partition("</h1>")[2][:400]
    )


def test_a_process_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    file = tmp_path / "hangs.py"
    file.write_text(
        "import subprocess, time\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    store = Store(tmp_path / "store.db")
    store.put(
        "proposal",
        "p",
        Proposal(id="p", environment="hangs", task=Task(id="p", prompt="x"), right="", source="", did=""),
    )
    store.close()
    request = WorkRequest(home=str(tmp_path), environment=str(file), proposal="p", action="play")
    workers = Workers(limit_s=120)
    raised: list[BaseException] = []

    def ask() -> None:
        try:
            workers.ask(request)
        except InfrastructureFailure as error:
            raised.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    deadline = time.monotonic() + 60
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    workers.stop()
    thread.join(60)
    assert "ended with code" in str(raised[0]) and "Nothing was written" in str(raised[0])
    child = int((tmp_path / "pid").read_text())
    command = ["ps", "-o", "stat=", "-p", str(child)]
    deadline = time.monotonic() + 60
    while subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()[:1] not in ("", "Z"):
        assert time.monotonic() < deadline, "the child of the environment is ended, too"
        time.sleep(0.05)
    with pytest.raises(Refused, match="being run already"):
        workers.ask(request)


def test_the_time_limit_ends_the_process(tmp_path: Path) -> None:
    file = tmp_path / "slow.py"
    file.write_text("import time\ntime.sleep(600)\n")
    store = Store(tmp_path / "store.db")
    store.put(
        "proposal",
        "p",
        Proposal(id="p", environment="slow", task=Task(id="p", prompt="x"), right="", source="", did=""),
    )
    store.close()
    with pytest.raises(InfrastructureFailure, match=r"did not answer within 0\.2 s"):
        Workers(limit_s=0.2).ask(WorkRequest(home=str(tmp_path), environment=str(file), proposal="p", action="play"))


def test_the_memory_of_answers_is_bounded() -> None:
    workers = Workers()
    for number in range(60):
        workers.remember(str(number), WorkAnswer(missing=str(number)))
    assert workers.remembered("0") is None and workers.remembered("59") == WorkAnswer(missing="59")
    workers.remember("59", None)
    assert workers.remembered("59") is None
