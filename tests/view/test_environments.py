"""Runs, environments, tasks, data sets, search and blobs: lists that lead to episodes."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.view.crawl import open_client
from tests.view.store import ODD, Made, add_run, make_store
from verigym.core.errors import BadInput, NotFound
from verigym.core.items import Item, Message
from verigym.core.records import Check, Example, Preference
from verigym.store.database import Store
from verigym.view.page import FileData, Query
from verigym.view.pages.blob import blob, picture_type
from verigym.view.pages.data import data_page
from verigym.view.pages.environments import environment_page, environments_page
from verigym.view.pages.runs import RunsPage, runs_page
from verigym.view.pages.search import SearchPage, search_page
from verigym.view.pages.task import task_page
from verigym.view.read import Reader
from verigym.workspace.audit import CheckRecord, CheckResult
from verigym.workspace.datasets import keep
from verigym.workspace.workspace import WorkspaceFolder

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_store(tmp_path_factory.mktemp("lists"))


@pytest.fixture(scope="module")
def reader(made: Made) -> Iterator[Reader]:
    reader = Reader(made.home)
    yield reader
    reader.close()


def runs(reader: Reader, **given: str) -> RunsPage:
    return runs_page(reader, Query({}, given))


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        ({"env": "desk"}, ["eval-desk-1"]),
        ({"state": "interrupted"}, [ODD]),
        ({"state": "running"}, []),
        ({"kind": "traces", "env": "desk"}, []),
        ({"agent": "agent <1>"}, [ODD]),
    ],
    ids=str,
)
def test_runs_are_filtered(reader: Reader, given: dict[str, str], ids: list[str]) -> None:
    shown = runs(reader, **given)
    assert [row.id for row in shown.rows] == ids and shown.total == len(ids) and not shown.empty


def test_runs_have_the_interval_of_their_report(reader: Reader) -> None:
    [row] = [row for row in runs(reader).rows if row.id == "eval-toolcall-c05f4805"]
    assert row.low is not None and row.high is not None and row.low < row.share < row.high


def test_runs_turn_pages_by_their_last_key(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    for number in range(120):
        store.begin_run(f"run-{number:03d}", "eval", {}, created=1000.0 + number // 3)  # three at the same moment
    store.close()
    reader = Reader(tmp_path)
    shown = runs(reader)
    seen = [row.id for row in shown.rows]
    for _ in range(2):
        shown = runs(reader, **dict(parse_qsl(urlsplit(shown.after).query)))
        seen += [row.id for row in shown.rows]
    assert seen == [f"run-{number:03d}" for number in range(119, -1, -1)] and not shown.after and shown.total == 120
    back = runs(reader, **dict(parse_qsl(urlsplit(shown.before).query)))
    assert [row.id for row in back.rows] == seen[50:100]
    with pytest.raises(BadInput):
        runs(reader, after="3")
    reader.close()


def test_an_empty_workspace_says_how_to_fill_it(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    assert runs(reader).fill and environments_page(reader, Query()).fill
    reader.close()


def test_environments_have_their_best_version_and_their_runs(reader: Reader) -> None:
    rows = {row.name: row for row in environments_page(reader, Query()).rows}
    assert rows["toolcall"].versions == 3 and rows["toolcall"].best == "grpo" and rows["toolcall"].success is not None
    assert rows["toolcall"].equal == 1 and (rows["retention"].best, rows["retention"].equal) == ("grpo", 3)
    assert rows["odd env/é"].href == "/environments/odd%20env%2F%C3%A9" and rows["desk"].success is None


def test_an_environment_shows_every_version_task_by_task(reader: Reader) -> None:
    shown = environment_page(reader, Query({"name": "toolcall"}))
    assert [one.label for one in shown.versions] == ["hacked", "grpo", "base"] and len(shown.lines) == 164
    never = environment_page(reader, Query({"name": "toolcall"}, {"show": "never"}))
    assert 0 < len(never.lines) < 164 and {cell.kind for line in never.lines for cell in line.cells} == {"failed"}
    lost = environment_page(reader, Query({"name": "toolcall"}, {"show": "lost"}))
    assert all(line.cells[0].kind == "failed" for line in lost.lines) and lost.lines
    assert shown.tools and shown.splits[0].name == "val" and shown.families == 82


def test_an_environment_with_an_odd_name_and_no_report_still_has_a_page(reader: Reader) -> None:
    shown = environment_page(reader, Query({"name": "odd env/é"}))
    assert shown.tasks == 1 and not shown.versions and shown.runs[0].id == ODD
    with pytest.raises(NotFound, match="toolcall"):
        environment_page(reader, Query({"name": "toolcal"}))


def test_a_task_has_every_attempt_of_every_version(reader: Reader, made: Made) -> None:
    shown = task_page(reader, Query({"id": "task-1"}, {"env": "desk"}))
    assert [(row.run, row.attempt) for row in shown.rows] == [(made.run, 3), (made.run, 2), (made.run, 1)]
    assert shown.versions[0].passed == 0 and shown.versions[0].scored == 3 and shown.prompt[0][0] == "user"
    assert [link.words for link in shown.way.stages[0].links] == [made.trace]
    odd = task_page(reader, Query({"id": 'odd/"task" <b>&amp;%20'}))
    assert len(odd.rows) == 5 and odd.prompt[0][1].startswith("line 1")
    with pytest.raises(NotFound):
        task_page(reader, Query({"id": "no such task"}))


def test_attempts_of_a_task_have_pages(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    for number in range(3):
        add_run(store, f"r{number}", tasks=1, attempts=30)
    store.close()
    reader = Reader(tmp_path)
    first = task_page(reader, Query({"id": "task-0"}))
    second = task_page(reader, Query({"id": "task-0"}, dict(parse_qsl(urlsplit(first.after).query))))
    assert first.total == 90 and len(first.rows) == 50 and len({row.id for row in [*first.rows, *second.rows]}) == 90
    reader.close()


def search(reader: Reader, **given: str) -> SearchPage | FileData:
    return search_page(reader, Query({}, given))


def test_an_id_that_one_thing_has_leads_to_its_page(reader: Reader, made: Made) -> None:
    for text, page in [
        (made.run, "/runs/eval-desk-1"),
        (made.branched, "/t/eval-desk-1%2Ftask-2%2F9"),
        ("gate/2", "/gate/2"),
    ]:
        found = search(reader, q=text)
        assert isinstance(found, FileData) and found.status == 303 and found.headers["location"] == page
    assert isinstance(search(reader, q=made.run, stay="1"), SearchPage)


def test_ids_come_before_names_and_text_is_searched_in_one_run(reader: Reader, made: Made) -> None:
    shown = search(reader, q="toolcall", run=made.run)
    assert isinstance(shown, SearchPage) and {one.kind for one in shown.names} >= {"Runs", "Environments"}
    assert shown.hits is not None and not shown.hits.hits
    text = search(reader, q="Dana", run=made.run)
    assert isinstance(text, SearchPage) and text.hits is not None and len(text.hits.hits) == 19
    nothing = search(reader)
    assert isinstance(nothing, SearchPage) and nothing.empty


def test_a_search_leads_on_over_http_and_never_to_another_site(made: Made) -> None:
    with open_client(made.home) as client:
        answer = client.get("/search", params={"q": made.run}, follow_redirects=False)
        assert answer.status_code == 303 and answer.headers["location"] == "/runs/eval-desk-1"
        assert client.get("/search", params={"q": "//evil.example"}, follow_redirects=False).status_code == 200


def test_only_pictures_are_shown_and_all_else_is_a_download(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    bodies = [PNG, b"<svg xmlns='x'><script>1</script></svg>", b"<html>"]
    names = [hashlib.sha256(body).hexdigest() for body in bodies]
    store.begin_run("r", "eval", {})
    store.add("r", blobs=dict(zip(names, bodies, strict=True)))
    store.close()
    with open_client(tmp_path) as client:
        answers = [client.get(f"/blob/{name}") for name in names]
        assert client.get("/blob/" + "0" * 64).status_code == 404 and client.get("/blob/..%2Fx").status_code == 404
    assert [answer.headers["content-type"] for answer in answers] == ["image/png"] + ["application/octet-stream"] * 2
    assert all("sandbox" in answer.headers["content-security-policy"] for answer in answers)
    assert ["content-disposition" in answer.headers for answer in answers] == [False, True, True]
    assert [answer.content for answer in answers] == bodies
    reader = Reader(tmp_path)
    with pytest.raises(NotFound):
        blob(reader, Query({"sha": "A" * 64}))
    reader.close()


@pytest.mark.parametrize(
    ("body", "kind"),
    [(PNG, "image/png"), (b"\xff\xd8\xff\xe0", "image/jpeg"), (b"GIF89a", "image/gif"), (b"RIFF....WEBPVP8", "image/webp"),
     (b"", ""), (b"<svg", ""), (b"RIFF....WAVE", "")],
)  # fmt: skip
def test_the_first_bytes_say_what_a_picture_is(body: bytes, kind: str) -> None:
    assert picture_type(body) == kind


def test_rows_of_a_data_set_lead_to_their_episodes(made: Made, tmp_path: Path) -> None:
    add_run(Store(tmp_path / "store.db"), "r", tasks=1, attempts=1)
    ws = WorkspaceFolder(tmp_path)
    reply: list[Item] = [Message("user", "x"), Message("assistant", "y")]
    rows = [
        Example(task="task-0", items=reply, made=[(1, 2)], source="r/task-0/0" if n else "file.jsonl:1")
        for n in range(25)
    ]
    demos = keep(ws, rows, {"kept": 25}, environment="desk", source="run r", name="demos")
    pair = Preference(task="task-0", prompt=reply[:1], chosen=reply[1:], rejected=[Message("assistant", "z")])
    pairs = keep(ws, [pair], {"kept": 1}, environment="desk", source="labels", name="pairs")
    reader = Reader(tmp_path)
    first = data_page(reader, Query({"id": demos.id[:8]}))
    assert len(first.rows) == 20 and not first.rows[0].source_href and first.rows[1].source_href == "/t/r%2Ftask-0%2F0"
    assert len(data_page(reader, Query({"id": "demos"}, {"from": "20"})).rows) == 5 and first.after
    assert data_page(reader, Query({"id": "pairs"})).rows[0].rejected == ["assistant: z"]
    (tmp_path / "data" / f"{pairs.id}.jsonl").unlink()
    assert "cannot be read" in data_page(reader, Query({"id": "pairs"})).missing
    with pytest.raises(NotFound, match="demos"):
        data_page(reader, Query({"id": "demo"}))
    reader.close()


def test_the_child_runs_of_a_training_run_are_listed(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    for id in ("t", "t/step-0001", "t/step-0002"):
        store.begin_run(id, "collect", {}, parent="" if id == "t" else "t")
    store.close()
    reader = Reader(tmp_path)
    shown = runs(reader, parent="t")
    assert [row.id for row in shown.rows] == ["t/step-0002", "t/step-0001"] and shown.crumbs[-1].words == "t"
    assert [row.id for row in runs(reader).rows] == ["t"]
    reader.close()


def test_an_environment_shows_the_last_check_of_its_contract_line_by_line(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    add_run(store, "r", tasks=1, attempts=1)
    lines = [
        Check(name="gold passes", outcome="pass", words="3 of 3"),
        Check(name="rewards differ", outcome="fail", words="all 1"),
    ]
    store.put("checked", "v@1", CheckRecord("desk", "v@1", 2))
    reader = Reader(tmp_path)
    before = environment_page(reader, Query({"name": "desk"}))
    assert before.checked == "2 checks held with v@1" and not before.checks
    store.put("check", "c1", CheckResult(environment="desk", verifiers=["v@1"], checks=lines, when=1.0e9))
    store.close()
    reader.close()
    reader = Reader(tmp_path)
    shown = environment_page(reader, Query({"name": "desk"}))
    assert shown.checked == "1 check failed, 2001-09-09 01:46" and [one.name for one in shown.checks] == [
        "gold passes",
        "rewards differ",
    ]
    reader.close()


def test_text_is_searched_at_once_in_the_newest_evaluation_and_the_newest_traces(reader: Reader, made: Made) -> None:
    found = search(reader, q="Mailed 3")
    assert isinstance(found, SearchPage) and [one.kind for one in found.texts] == ["eval", "traces"]
    assert found.command == "" and len(found.texts[1].hits.hits) == 1
    assert found.texts[1].run.href == f"/runs/{made.traces}" and all(
        one.href.startswith("/runs/") for one in found.runs
    )
    with open_client(made.home) as client:
        assert "<mark>Mailed 3</mark>" in client.get("/search", params={"q": "Mailed 3"}).text


def test_the_last_part_of_an_id_finds_tasks_and_episodes(reader: Reader, made: Made) -> None:
    found = search(reader, q="sk-2/9")
    assert isinstance(found, SearchPage)
    assert [(one.kind, [link.words for link in one.links]) for one in found.ends] == [("Episodes", [made.branched])]
    task = search(reader, q="sk-2")
    assert isinstance(task, SearchPage) and task.ends[0].links[0].href == "/task/task-2"


def test_a_training_run_counts_no_episodes_of_its_own(made: Made) -> None:
    with open_client(made.home) as client:
        text = client.get("/runs", params={"kind": "train"}).text
    assert ">0</span>" not in text and "column A" in text


def test_a_failed_attempt_of_a_task_has_its_bucket_and_one_word(reader: Reader, made: Made) -> None:
    shown = task_page(reader, Query({"id": "task-1"}, {"env": "desk"}))
    assert any(row.bucket for row in shown.rows if row.kind in ("failed", "partial"))
    assert not any(row.bucket for row in shown.rows if row.kind == "passed")
    with open_client(made.home) as client:
        assert "partial</span>" not in client.get("/task/task-1").text
