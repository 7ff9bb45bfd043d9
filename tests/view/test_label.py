"""Labelling in pages: blind, the same outputs and records as the command, one label per press."""

import re
import shutil
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.view.store import add_run, episode, make_store, verdict
from tests.view.visitor import ORIGIN, Visitor
from verigym.audit import labels
from verigym.cli import label as command
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Label, Message, Task
from verigym.registry.ledger import current_user
from verigym.store.database import Store
from verigym.view.conversation import compared, lines_of
from verigym.view.page import Query
from verigym.view.pages.label import LabelPage, label_page
from verigym.view.read import Reader
from verigym.workspace.workspace import WorkspaceFolder

RUN = "rollout-desk/é 1"
SECRETS = ("0.875", "0.125", "agent-of-the-left", "evidence-of-the-verifier", "desk_verifier", "task-0/")


def add_outputs(home: Path, *, swapped: bool = False, tasks: int = 4, run: str = RUN) -> Path:
    """Tasks with four different outputs each. `swapped` exchanges passed and failed."""
    store = Store(home / "store.db")
    rows = [Task(id=f"task-{n}", prompt=f"Mail {n}.", family=f"family-{n}") for n in range(tasks)]
    store.begin_run(run, "rollout", {"environment": "desk", "agent": "agent-of-the-left"}, rows)
    made = []
    for row in rows:
        for index in range(4):
            said: list[Item] = [
                Message("user", f"Mail {row.id}."),
                FunctionCall("c1", "mail.send", f'{{"to": "person {index}"}}'),
                FunctionCallOutput("c1", "sent"),
                Message("assistant", f"I mailed person {index} of {row.id} <b>now</b>."),
            ]
            made.append(episode(run, row.id, index, items=said, seed=index))
    verdicts = [
        verdict(one.id, (one.index % 2 == 0) != swapped, 0.875 if (one.index % 2 == 0) != swapped else 0.125)
        for one in made
    ]
    store.add(run, made, verdicts)
    store.finish_run(run, 1_700_000_000)
    store.close()
    return home


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return add_outputs(tmp_path)


def stored(home: Path) -> list[Label]:
    store = Store(home / "store.db")
    records = store.documents("label", Label)
    store.close()
    return records


def page(home: Path, who: str = "Ada", **given: str) -> LabelPage:
    reader = Reader(home)
    try:
        return label_page(reader, Query({"run": RUN}, given, who))
    finally:
        reader.close()


def fields_of(text: str) -> dict[str, str]:
    """The hidden fields of the first form of a page."""
    form = text.partition('action="/label/save"')[2]
    return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form.partition("</form>")[0]))


def press(visitor: Visitor, address: str, key: str, **more: str) -> str:
    return visitor.sent("/label/save", **{**fields_of(visitor.page(address)), **more, "key": key})


ADDRESS = "/label/rollout-desk%2F%C3%A9%201"


def test_the_pairs_and_their_sides_are_those_of_the_command(home: Path) -> None:
    ws = WorkspaceFolder(home)
    run = ws.store.run(RUN)
    for n, seed in ((3, 0), (50, 0), (6, 7)):
        _, asked = command._pairs(ws, run, n, seed)
        tasks = {one.task for one in ws.store.each_trajectory(RUN)}
        assert labels.make_pairs_of_tasks(tasks, lambda task: ws.store.each_trajectory(RUN, task), n, seed) == asked
        shown = page(home, n=str(n), seed=str(seed))
        assert shown.total == len(asked)
        left = ws.store.trajectory_in(RUN, asked[0].left)
        assert left is not None and shown.outputs[0][-1].text == left.reply
    ws.store.close()


def test_the_single_outputs_are_those_of_the_command(home: Path) -> None:
    ws = WorkspaceFolder(home)
    _, asked = command._singles(ws, ws.store.run(RUN), 5, 3)
    ws.store.close()
    reader = Reader(home)
    given = {"kind": "single", "n": "5", "seed": "3"}
    shown = [label_page(reader, Query({"run": RUN}, {**given, "at": str(n)}, "Ada")) for n in range(5)]
    replies = [reader.store.trajectory_in(RUN, pair.left).reply for pair in asked]  # type: ignore[union-attr]
    reader.close()
    assert [one.outputs[0][-1].text for one in shown] == replies


@pytest.mark.parametrize("kind", ["pair", "single"])
def test_a_page_is_the_same_bytes_if_the_two_verdicts_are_swapped(tmp_path: Path, kind: str) -> None:
    """One task, so that the order of single outputs cannot depend on the verdicts of others."""
    answers: list[set[tuple[bytes, str]]] = []
    for swapped in (False, True):
        visitor = Visitor(add_outputs(tmp_path / "home", swapped=swapped, tasks=1))
        pages = [
            visitor.get(f"{ADDRESS}?kind={kind}&n=1&at=0"),
            visitor.get(f"{ADDRESS}?kind={kind}&n=1&at=0&format=json"),
        ]
        answers.append({(one.content, str(sorted(one.headers.items()))) for one in pages})
        assert all(one.status_code == 200 for one in pages)
        shutil.rmtree(tmp_path / "home")
    assert answers[0] == answers[1]


@pytest.mark.parametrize("kind", ["pair", "single"])
def test_nothing_of_verdict_reward_agent_index_or_id_is_on_any_page(home: Path, kind: str) -> None:
    visitor = Visitor(home)
    for at in range(page(home, kind=kind).total):
        for more in ("", "&format=json", "&marks=1"):
            answer = visitor.get(f"{ADDRESS}?kind={kind}&at={at}{more}")
            text = answer.text + str(answer.headers) + str(answer.url)
            for secret in SECRETS:
                assert secret not in text, (at, secret)
            assert not re.search(r"passed|failed|reward|verdict\b", answer.text.partition("<main")[2])


def test_twenty_presses_store_the_labels_that_the_command_stores(tmp_path: Path) -> None:
    home = add_outputs(tmp_path, tasks=12)
    visitor, address = Visitor(home), f"{ADDRESS}?n=20&seed=5"
    ws = WorkspaceFolder(home)
    _, asked = command._pairs(ws, ws.store.run(RUN), 20, 5)
    ws.store.close()
    for number in range(20):
        assert len(stored(home)) == number, "an answer is stored before the next output is shown"
        address = press(visitor, address, "12=s"[number % 4])
    judgements = ["better", "worse", "same", "skip"]
    assert stored(home) == [
        Label(trajectory=pair.left, other=pair.right, judgement=judgements[n % 4], who="Ada")  # type: ignore[arg-type]
        for n, pair in enumerate(asked)
    ]
    last = visitor.page(address)
    assert "You answered everything" in last and "verigym data pairs" in last and 'href="/audit/desk"' in last
    assert labels.remaining(asked, stored(home), "Ada") == []


def test_a_double_press_is_one_label(home: Path) -> None:
    visitor = Visitor(home)
    fields = fields_of(visitor.page(ADDRESS))
    first = visitor.sent("/label/save", **fields, key="1")
    again = visitor.sent("/label/save", **fields, key="2")
    assert [one.judgement for one in stored(home)] == ["better"]
    assert again == first + "&said=already" and "nothing was stored" in visitor.page(again)


def test_ten_presses_at_once_are_one_label(home: Path) -> None:
    visitors = [Visitor(home) for _ in range(10)]
    fields = fields_of(visitors[0].page(ADDRESS))
    threads = [
        threading.Thread(target=one.sent, args=("/label/save",), kwargs={**fields, "key": "1"}) for one in visitors
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(stored(home)) == 1


def test_undo_takes_the_last_answer_back_once_and_leads_back_to_it(home: Path) -> None:
    visitor = Visitor(home)
    second = press(visitor, ADDRESS, "1")
    third = press(visitor, second, "2")
    fields = fields_of(visitor.page(third))
    back = visitor.sent("/label/save", **fields, key="u")
    assert visitor.sent("/label/save", **fields, key="u") == back and "at=1" in back
    assert [(one.judgement, one.note) for one in stored(home)] == [
        ("better", ""), ("worse", ""), ("skip", labels.TAKEN_BACK),
    ]  # fmt: skip
    assert "taken back" in visitor.page(back)
    press(visitor, back, "=")
    assert page(home).answered == 2 and stored(home)[-1].judgement == "same"
    nothing = Visitor(home, who="Bob").sent("/label/save", **{**fields, "last": "-1"}, key="u")
    assert "said=nothing" in nothing


def test_a_reason_is_stored_with_the_last_answer(home: Path) -> None:
    visitor = Visitor(home)
    address = press(visitor, f"{ADDRESS}?kind=single", "b")
    fields = fields_of(visitor.page(address))
    visitor.sent("/label/save", **fields, key="n", reason="wrong person")
    reason = visitor.sent("/label/save", **fields, key="n", reason=" wrong person ")
    assert [(one.judgement, one.note) for one in stored(home)] == [("bad", ""), ("bad", "wrong person")]
    assert "at=1" in reason and page(home, kind="single").answered == 1
    assert visitor.post("/label/save", **fields, key="n", reason=" ").status_code == 400


def test_labels_of_the_command_count_and_those_of_others_do_not(home: Path) -> None:
    ws = WorkspaceFolder(home)
    _, asked = command._pairs(ws, ws.store.run(RUN), 50, 0)
    ws.store.put("label", "x", Label(trajectory=asked[0].left, other=asked[0].right, judgement="better", who="Ada"))
    ws.store.put("label", "y", Label(trajectory=asked[1].left, other=asked[1].right, judgement="better", who="Bob"))
    ws.store.close()
    shown = page(home)
    assert (shown.answered, shown.at, shown.last) == (1, 1, "left is better")


def test_the_name_is_asked_once_and_kept(home: Path) -> None:
    visitor = Visitor(home, who="")
    text = visitor.page(ADDRESS)
    assert "Your name" in text and current_user() in text and "I mailed" not in text
    answer = visitor.post("/label/name", who=" Eva  É ", next=f"{ADDRESS}?kind=single")
    assert answer.headers["location"] == f"{ADDRESS}?kind=single"
    press(visitor, f"{ADDRESS}?kind=single", "g")
    assert stored(home)[0].who == "Eva É"
    assert Visitor(home, who="").post("/label/save", key="1", run=RUN).status_code == 400
    assert visitor.post("/label/name", who="  ").status_code == 400
    for next in ("//evil.example/", "https://evil.example", "/label/x\r\ny: z", "/label/..//evil?a=<b>"):
        assert visitor.post("/label/name", who="Eva", next=next).headers["location"] == "/label"


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"run": "no-such-run"}, 404, "no-such-run"),
        ({"at": "99"}, 409, "is not one of them"),
        ({"at": "-3"}, 409, "is not one of them"),
        ({"at": "x"}, 400, "must be a whole number"),
        ({"key": "g"}, 400, "is not an answer here"),
        ({"key": ""}, 400, "is not an answer here"),
        ({"kind": "triple"}, 400, "Use one of"),
        ({"seed": "x"}, 400, "must be a whole number"),
    ],
    ids=str,
)
def test_a_wrong_press_is_refused_in_words(home: Path, fields: dict[str, str], status: int, words: str) -> None:
    visitor = Visitor(home)
    answer = visitor.post("/label/save", **{**fields_of(visitor.page(ADDRESS)), "key": "1", **fields})
    assert answer.status_code == status and words in answer.text
    assert stored(home) == []


def test_another_site_and_a_read_only_view_store_nothing(home: Path) -> None:
    visitor = Visitor(home)
    fields = {**fields_of(visitor.page(ADDRESS)), "key": "1"}
    assert visitor.post_from("http://evil.example", "/label/save", fields).status_code == 403
    assert visitor.post_from(ORIGIN, "/label/save", fields, **{"sec-fetch-site": "cross-site"}).status_code == 403
    locked = Visitor(home, read_only=True)
    assert locked.post("/label/save", **fields).status_code == 403
    text = locked.page(ADDRESS)
    assert "--read-only" in text and 'action="/label/save"' not in text
    assert stored(home) == []


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/label/no-such-run", 404, "no-such-run"),
        ("/label/eval-alike", 200, "no task with two different outputs"),
        ("/label/eval-alike?kind=single", 200, "Is this output good?"),
        ("/label/eval-desk-1?kind=x", 400, "Use one of"),
        ("/label/traces-gateway", 404, "kind"),
        ("/label/eval-desk", 404, "Did you mean eval-desk-1?"),
    ],
)
def test_a_run_that_cannot_be_labelled_says_why(tmp_path: Path, path: str, status: int, words: str) -> None:
    made = make_store(tmp_path / "home")
    store = Store(made.home / "store.db")
    add_run(store, "eval-alike", tasks=2, attempts=3)
    store.close()
    answer = Visitor(made.home).get(path)
    assert answer.status_code == status and words in answer.text


def test_the_choice_of_a_run_counts_labels_and_shows_no_rates(tmp_path: Path) -> None:
    made = make_store(tmp_path / "home")
    rows = {row["id"]: row for row in Visitor(made.home).json("/label")["rows"]}
    assert (rows["eval-desk-1"]["labels"], rows["eval-desk-1"]["yours"]) == (5, 4)
    assert "%" not in Visitor(made.home).page("/label").partition("<main")[2].partition("odd/")[0]
    assert "verigym rollout" in Visitor(tmp_path / "none").page("/label")


def test_the_pace_is_that_of_the_last_answers_without_breaks(home: Path) -> None:
    ws = WorkspaceFolder(home)
    _, asked = command._pairs(ws, ws.store.run(RUN), 50, 0)
    for number, pair in enumerate(asked[:6]):
        ws.store.put("label", f"{number}", Label(trajectory=pair.left, other=pair.right, judgement="same", who="Ada"))
    ws.store.close()
    with sqlite3.connect(home / "store.db") as database:
        for number, when in enumerate([1000, 1006, 1010, 2000, 2006, 2012]):
            database.execute("UPDATE documents SET created = ? WHERE kind = 'label' AND id = ?", (when, str(number)))
    shown = page(home)
    assert shown.pace_s == 6.0 and shown.left_s == 6.0 * (len(asked) - 6)


def test_words_that_differ_are_marked() -> None:
    one = lines_of([Message("assistant", "I mailed Dana now."), FunctionCall("c", "send", "{}")])
    two = lines_of([Message("assistant", "I mailed Dina now.")])
    left, right = compared(one, two)
    assert [(part.words, part.differs) for part in left[0].parts] == [
        ("I mailed ", False), ("Dana", True), (" now.", False),
    ]  # fmt: skip
    assert "".join(part.words for part in right[0].parts) == "I mailed Dina now."
    assert left[1].parts[0].differs and len(right) == 1
    same: Any = compared(two, two)
    assert not same[0][0].parts[0].differs
    long = lines_of([Message("assistant", "word " * 5000)])
    assert compared(long, two)[0][0].parts[0].differs


def test_a_run_with_one_attempt_per_task_offers_no_pairs(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    add_run(store, "eval-once", tasks=2, attempts=1)
    add_run(store, "eval-often", tasks=2, attempts=2)
    store.close()
    rows = {row["id"]: row for row in Visitor(tmp_path).json("/label")["rows"]}
    assert rows["eval-once"]["pairs_href"] == "" and rows["eval-often"]["pairs_href"] == "/label/eval-often"
    assert "pairs need several attempts" in Visitor(tmp_path).page("/label")


def test_the_page_without_a_place_says_that_the_last_answer_was_stored(home: Path) -> None:
    visitor = Visitor(home)
    assert "Your last answer was stored" not in visitor.page(ADDRESS)
    following = press(visitor, ADDRESS, "1")
    assert "Your last answer was stored" not in visitor.page(following)
    assert "Your last answer was stored. u takes it back." in visitor.page(ADDRESS)
    press(visitor, ADDRESS, "u")
    assert "Your last answer was stored" not in visitor.page(ADDRESS)
