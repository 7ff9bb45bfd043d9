"""The failures pages as structs: buckets, clusters, examples, search, two runs, advice, and a run that is still being read."""

from pathlib import Path

import pytest

from tests.view.store import add_run, episode, make_store, verdict
from verigym.core.errors import NotFound
from verigym.core.records import Message, Task
from verigym.store.database import Store
from verigym.view import render
from verigym.view.build import Builder
from verigym.view.page import Query
from verigym.view.pages.failures import FailuresPage, failure_runs, failures_page
from verigym.view.read import Reader

AROUND = {"section": "failures", "theme": "", "home": "x", "read_only": False, "as_json": "/x?format=json"}


def show(home: Path, run: str, **params: str) -> FailuresPage:
    reader = Reader(home)
    page = failures_page(reader, Query({"run": run}, params))
    assert "<h1>" in render.html("failures.html", page, **AROUND)
    render.json(page)
    reader.close()
    return page


def test_the_list_shows_runs_with_their_failed_episodes(tmp_path: Path) -> None:
    made = make_store(tmp_path)
    reader = Reader(tmp_path)
    page = failure_runs(reader, Query())
    mine = next(row for row in page.rows if row.id == made.run)
    assert (mine.scored - mine.passed, mine.scored) == (11, 19)
    assert all(row.id != made.traces for row in page.rows)
    render.html("failure_runs.html", page, **AROUND)
    reader.close()


def test_an_empty_workspace_says_what_to_measure(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    page = failure_runs(reader, Query())
    assert page.rows == [] and page.empty and page.fill
    render.html("failure_runs.html", page, **AROUND)
    reader.close()


def test_a_run_leads_from_buckets_to_clusters_to_examples(tmp_path: Path) -> None:
    make_store(tmp_path)
    page = show(tmp_path, "eval-toolcall-c05f4805")
    assert sum(bucket.count for bucket in page.buckets) == page.scored - page.passed
    assert page.bucket == page.buckets[0].name and page.buckets[0].is_open
    assert sum(cluster.count for cluster in page.clusters) <= page.buckets[0].count
    assert page.examples and all(example.asked and example.href for example in page.examples)
    second = show(tmp_path, "eval-toolcall-c05f4805", bucket=page.buckets[1].name)
    assert second.bucket == page.buckets[1].name
    symptom = second.clusters[0].symptom
    third = show(tmp_path, "eval-toolcall-c05f4805", bucket=second.bucket, cluster=symptom)
    assert third.examples_of == second.clusters[0].count
    assert len(third.examples) == min(20, third.examples_of)


def test_pages_of_examples_cover_a_bucket_once(tmp_path: Path) -> None:
    make_store(tmp_path)
    run = "eval-toolcall-c05f4805"
    page = show(tmp_path, run)
    seen: list[str] = []
    skip = 0
    while True:
        page = show(tmp_path, run, skip=str(skip))
        seen += [example.id for example in page.examples]
        skip += 20
        if not page.next:
            break
    assert len(seen) == len(set(seen)) == page.buckets[0].count


def test_text_search_finds_only_episodes_with_the_text(tmp_path: Path) -> None:
    make_store(tmp_path)
    run = "eval-toolcall-c05f4805"
    first = show(tmp_path, run).examples[0]
    found = show(tmp_path, run, q=first.asked[:60])
    assert first.id in {example.id for example in found.examples}
    nothing = show(tmp_path, run, q='no such text "\u202e')
    assert nothing.examples == [] and nothing.next == ""


def test_advice_from_stored_data_leaves_the_rest_to_the_command(tmp_path: Path) -> None:
    make_store(tmp_path)
    page = show(tmp_path, "eval-toolcall-c05f4805")
    advised = [one.fix for one in page.advice if one.advised]
    assert "measure several tries" in advised
    assert "SFT (a LoRA adapter)" in page.depends and "SFT (a LoRA adapter)" not in advised
    assert page.advise == "verigym advise eval-toolcall-c05f4805"


def test_two_runs_are_compared_bucket_by_bucket(tmp_path: Path) -> None:
    make_store(tmp_path)
    page = show(tmp_path, "eval-toolcall-4390e983", against="eval-toolcall-c05f4805")
    changes = {bucket.name: bucket.change for bucket in page.buckets if bucket.change is not None}
    assert any(change.sure and change.after < change.before for change in changes.values())
    assert "164 common tasks" in page.against_words
    assert page.choices[0].words == "none"
    other = show(tmp_path, "eval-toolcall-4390e983", against="eval-safety-73b049ce")
    assert "no task in common" in other.against_words


def test_inconsistent_tasks_are_listed(tmp_path: Path) -> None:
    made = make_store(tmp_path)
    page = show(tmp_path, made.run)
    assert page.groups == 6
    assert [link.words for link in page.inconsistent] == ["task-2", "task-3", "task-4", "task-5"]


def test_a_run_with_errors_of_every_fault_and_hostile_names_is_explained(tmp_path: Path) -> None:
    made = make_store(tmp_path)
    page = show(tmp_path, made.odd)
    assert {"infrastructure", "unsafe action"} <= {bucket.name for bucket in page.buckets}
    assert page.buckets[-1].name == "infrastructure"
    show(tmp_path, made.odd, bucket="infrastructure")
    assert show(tmp_path, made.traces).run == made.traces


def test_a_run_in_which_everything_passed_says_so(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    store.begin_run("r", "eval", {"environment": "e"}, [Task(id="t", prompt="x", split="val")])
    assert "No episode of this run is finished" in show(tmp_path, "r").empty
    one = episode("r", "t")
    store.add("r", [one])
    assert show(tmp_path, "r").buckets[0].name == "infrastructure"
    store.add("r", (), [verdict(one.id, True)])
    assert show(tmp_path, "r").empty == "Nothing failed: all 1 episode passed, and none was unsafe."


def test_what_does_not_exist_is_not_found_in_words(tmp_path: Path) -> None:
    made = make_store(tmp_path)
    with pytest.raises(NotFound, match="no failures in the bucket"):
        show(tmp_path, made.run, bucket="no such bucket")
    with pytest.raises(NotFound, match="no failures with this symptom"):
        show(tmp_path, made.run, cluster="no such symptom")
    with pytest.raises(NotFound, match="is a training run"):
        show(tmp_path, "grpo-846e9a72")
    with pytest.raises(NotFound):
        show(tmp_path, "no such run")


def test_an_episode_whose_task_is_not_stored_does_not_break_the_page(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    add_run(store, "r", tasks=2, attempts=2)
    stray = episode("r", "a task that is gone", items=[Message("user", "x")])
    store.add("r", [stray], [verdict(stray.id, False)])
    assert show(tmp_path, "r").buckets


def test_a_large_run_comes_from_the_index_and_says_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_store(tmp_path)
    monkeypatch.setattr("verigym.view.explained.SMALL", 10)
    before = show(tmp_path, made.run)
    assert before.read == 0.0 and "0% of this run is read" in before.note and before.buckets == []
    whole = Store(tmp_path / "store.db").run(made.run)
    builder = Builder(tmp_path)
    builder.catch_up()
    after = show(tmp_path, made.run)
    assert after.read == 1.0 and after.note == ""
    assert sum(bucket.count for bucket in after.buckets) == whole.scored - whole.passed
    assert len(after.examples) == 11 and all(one.evidence for one in after.examples)
    assert after.advice == []
    found = show(tmp_path, made.run, q="task-1")
    assert {example.task for example in found.examples} == {"task-1"}
    rest = show(tmp_path, made.run, skip="4")
    assert [one.id for one in rest.examples] == [one.id for one in after.examples][4:]


def test_a_run_of_traces_says_that_it_has_no_verdicts(tmp_path: Path) -> None:
    made = make_store(tmp_path)
    page = show(tmp_path, made.traces)
    text = render.html("failures.html", page, **AROUND)
    assert page.traces_href == "/traces" and 'href="/traces"' in text and "0 of 0" not in text
