"""The derived index: what it answers, that it follows the store, and that nothing is lost without it."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

import verigym
from tests.nobody import as_nobody
from tests.view.store import VERIFIER, Made, add_run, episode, make_store, verdict
from verigym.core.records import Report, Verdict
from verigym.evaluation.failures import explain
from verigym.mining.proposals import Proposal
from verigym.registry import ledger
from verigym.store.database import Store
from verigym.view import build as building
from verigym.view import task_grid
from verigym.view.build import Builder, Stopped
from verigym.view.derived import Derived
from verigym.view.derived_tables import CLASSES, StoreUnreadable
from verigym.view.episodes import cells as cells_of_run
from verigym.view.page import Query
from verigym.view.pages.run import run_page
from verigym.view.pages.run_map import run_cells, run_map_page
from verigym.view.read import Reader
from verigym.view.way import feedback_on, way_of

WAIT_S = 90.0


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    made = make_store(tmp_path_factory.mktemp("view") / "home")
    build(made.home)
    return made


@pytest.fixture
def derived(made: Made) -> Iterator[Derived]:
    derived = Derived(made.home)
    yield derived
    derived.stop()


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A workspace with one run of 4 tasks x 2."""
    store = Store(tmp_path / "store.db")
    add_run(store, "eval-1", tasks=4, attempts=2)
    store.close()
    return tmp_path


def build(home: Path) -> None:
    builder = Builder(home)
    builder.catch_up()
    builder.close()


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + WAIT_S
    while not true():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.05)


def test_cells_hold_the_outcome_of_every_episode(made: Made, derived: Derived) -> None:
    reader = Reader(made.home)
    for run in [run for run in reader.store.runs(None) if run.kind in ("eval", "rollout") and run.trajectories]:
        cells = derived.cells(run.id, run.verifier)
        assert cells is not None and len(cells.cells) == cells.tasks * cells.attempts
        assert (cells.rows, cells.total) == (run.trajectories, run.trajectories)
        tasks = derived.cell_tasks(run.id, run.verifier, n=10**6)
        at = {task: place * cells.attempts for place, task in enumerate(tasks)}
        for cell in cells_of_run(reader, run):
            outcome, reward = outcome_and_reward(cells.cells[at[cell.task] + cell.place])
            assert outcome == cell.kind
            assert reward == pytest.approx(min(1.0, max(0.0, cell.reward or 0.0)), abs=1 / 60)
        families = [family for family in cells.families for _ in range(family.tasks)]
        assert len(families) == cells.tasks and sum(one.passed for one in cells.families) == run.passed - sum(
            cell.kind == "unsafe" and cell.reward == 1.0 for cell in cells_of_run(reader, run)
        )
    reader.close()


def test_reasons_are_those_of_explain_with_the_general_rules(made: Made, derived: Derived) -> None:
    store = Store(made.home / "store.db")
    for run in store.runs():
        if run.kind != "eval" or not run.trajectories:
            continue
        known = {task.id for task in store.tasks(run.id)}
        episodes = [one for one in store.trajectories(run.id) if one.task in known]
        whole = explain(store.tasks(run.id), episodes, store.verdicts(run.id))
        reasons = derived.reasons(run.id, run.verifier)
        assert reasons is not None and reasons.read == reasons.total == run.trajectories
        assert reasons.buckets == {finding.bucket: finding.count for finding in whole.findings}
        symptoms = {(one.bucket, one.symptom): one.count for one in reasons.symptoms}
        for finding in whole.findings:
            assert {c.symptom: c.count for c in finding.clusters} == {
                symptom: count for (bucket, symptom), count in symptoms.items() if bucket == finding.bucket
            }
    store.close()


def test_failed_episodes_of_a_bucket_come_page_by_page(made: Made, derived: Derived) -> None:
    run = Store(made.home / "store.db").run(made.run)
    reasons = derived.reasons(run.id, run.verifier)
    assert reasons is not None
    bucket, count = next(iter(reasons.buckets.items()))
    pages, after = list[str](), 0
    while page := derived.reasons_page(run.id, run.verifier, bucket, after=after, n=2):
        pages += [one.trajectory for one in page]
        after = page[-1].row
    assert len(pages) == len(set(pages)) == count
    one = derived.reason(run.id, run.verifier, pages[0])
    assert one is not None and one.bucket == bucket
    assert derived.reason(run.id, run.verifier, "nobody") is None


def test_the_way_from_a_trace_to_a_decision_and_back(made: Made, derived: Derived) -> None:
    around = derived.links_to("trajectory", made.trace)
    assert {"feedback", "proposal"} <= {one.kind for one in around}
    proposal = next(one.id for one in around if one.kind == "proposal")
    proposals = [one.id for one in Store(made.home / "store.db").documents("proposal", Proposal)]
    assert proposal in proposals
    assert [one for other in proposals for one in derived.links_to("proposal", other, by="review")]
    store = Store(made.home / "store.db")
    reports = {report.id: report for report in store.documents("report", Report)}
    decisions = derived.links_to("report", store_decision(store), by="decision")
    assert decisions and decisions[0].kind == "decision"
    for report in reports.values():
        assert report.id in {one.id for one in derived.links_to("task", report.results[0].task, by="report")}
    store.close()


def store_decision(store: Store) -> str:
    return next(entry.decision.reports[0] for entry in ledger.entries(store) if entry.decision.reports)


def test_new_episodes_and_new_verdicts_are_followed(small: Path) -> None:
    build(small)
    derived, store = Derived(small), Store(small / "store.db")
    before = derived.reasons("eval-1", VERIFIER)
    assert before is not None
    extra = [episode("eval-1", "task-0", 2), episode("eval-1", "task-1", 2)]
    store.add("eval-1", extra, [verdict(extra[0].id, True), verdict(extra[1].id, False)])
    store.finish_run("eval-1")
    build(small)
    after, cells = derived.reasons("eval-1", VERIFIER), derived.cells("eval-1", VERIFIER)
    assert after is not None and cells is not None
    assert (after.read, sum(after.buckets.values())) == (before.read + 2, sum(before.buckets.values()) + 1)
    assert cells.attempts == 3 and cells.rows == before.read + 2

    all_pass = [
        Verdict(trajectory=one.id, verifier="new@2", reward=1.0, passed=True) for one in store.trajectories("eval-1")
    ]
    store.add("eval-1", (), all_pass)
    store.scored_by("eval-1", "new@2")
    build(small)
    rescored = derived.reasons("eval-1", "new@2")
    assert rescored is not None and rescored.buckets == {} and derived.reasons("eval-1", VERIFIER) == after

    store.delete_run("eval-1")
    build(small)
    assert derived.cells("eval-1", "new@2") is None and derived.reasons("eval-1", VERIFIER) is None
    derived.stop()
    store.close()


def test_a_new_run_is_read_without_waiting_for_another_change(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "_LOOK_S", 0.0)
    builder, derived, store = Builder(small), Derived(small), Store(small / "store.db")
    while builder.step():
        pass
    add_run(store, "eval-2", tasks=2, attempts=1)
    while builder.step():
        pass
    assert derived.cells("eval-2", VERIFIER) is not None and derived.reasons("eval-2", VERIFIER) is not None
    builder.close()
    derived.stop()
    store.close()


def outcome_and_reward(cell: int) -> tuple[str, float]:
    return CLASSES[cell >> 5], (cell & 31) / 31


def outcome(derived: Derived, task: str, attempt: int) -> str:
    cells = derived.cells("eval-1", VERIFIER)
    assert cells is not None
    return outcome_and_reward(
        cells.cells[derived.cell_tasks("eval-1", VERIFIER).index(task) * cells.attempts + attempt]
    )[0]


def test_a_verdict_that_comes_late_or_is_replaced_changes_its_episode(small: Path) -> None:
    derived, store = Derived(small), Store(small / "store.db")
    late, new = episode("eval-1", "task-0", 2), episode("eval-1", "task-0", 3)
    store.add("eval-1", [late])
    build(small)
    assert outcome(derived, "task-0", 2) == "error"
    before = derived.reason("eval-1", VERIFIER, late.id)
    assert before is not None
    store.add("eval-1", [new], [verdict(late.id, True)])
    build(small)
    assert (outcome(derived, "task-0", 2), outcome(derived, "task-0", 3)) == ("passed", "error")
    assert derived.reason("eval-1", VERIFIER, late.id) is None
    assert derived.reason("eval-1", VERIFIER, new.id) is not None
    reasons = derived.reasons("eval-1", VERIFIER)
    assert reasons is not None and reasons.read == reasons.total == 10
    store.add("eval-1", (), [verdict(late.id, False)])
    build(small)
    assert outcome(derived, "task-0", 2) == "failed" and derived.reason("eval-1", VERIFIER, late.id) is not None
    derived.stop()
    store.close()


def test_a_run_that_was_read_in_part_is_read_to_its_end(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "_BATCH", 3)
    monkeypatch.setattr(building, "_FLUSH_S", -1.0)
    for looks in range(2, 12):
        left = iter(range(looks))
        builder = Builder(small, alive=lambda left=left: next(left, None) is not None)
        with contextlib.suppress(Stopped):
            builder.catch_up()
        builder.close()
    derived, whole = Derived(small), derived_from_scratch(small)
    build(small)
    assert (derived.cells("eval-1", VERIFIER), derived.reasons("eval-1", VERIFIER)) == whole
    derived.stop()


def derived_from_scratch(home: Path) -> tuple[object, object]:
    copy = home / "copy"
    copy.mkdir()
    (copy / "store.db").write_bytes((home / "store.db").read_bytes())
    build(copy)
    derived = Derived(copy)
    known = derived.cells("eval-1", VERIFIER), derived.reasons("eval-1", VERIFIER)
    derived.stop()
    return known


def test_every_attempt_counts_and_the_picture_shows_the_first_64(tmp_path: Path) -> None:
    store, derived = Store(tmp_path / "store.db"), Derived(tmp_path)
    add_run(store, "eval-1", tasks=2, attempts=70)
    build(tmp_path)
    cells = derived.cells("eval-1", VERIFIER)
    assert cells is not None and cells.attempts == 64 and cells.rows == cells.total == 140
    [family] = cells.families
    assert (family.episodes, family.passed, family.scored) == (140, 70, 140)
    far = episode("eval-1", "task-1", 10**9)
    store.add("eval-1", [far], [verdict(far.id, True)])
    build(tmp_path)
    cells = derived.cells("eval-1", VERIFIER)
    assert cells is not None and cells.attempts == 64 and len(cells.cells) == 128
    [family] = cells.families
    assert (family.episodes, family.passed, family.mixed) == (141, 71, 1)
    assert outcome(derived, "task-1", 63) == "failed", "later attempts do not overwrite it"
    derived.stop()
    store.close()


def test_a_report_that_is_written_again_is_read_again(made: Made, tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    source = Store(made.home / "store.db")
    report = source.documents("report", Report)[-1]
    store.put("report", report.id, report)
    build(tmp_path)
    store.put_all("report", {report.id: msgspec.structs.replace(report, agent="another")})
    build(tmp_path)
    derived = Derived(tmp_path)
    assert [one.id for one in derived.links_to("version", "another", by="report")] == [report.id]
    assert derived.links_to("version", report.agent, by="report") == []
    derived.stop()


def test_words_are_found_in_any_case_and_nothing_typed_is_syntax(made: Made) -> None:
    derived, builder = Derived(made.home), Builder(made.home)
    assert derived.search_text(made.run, "dana") is None, "not indexed yet"
    derived.want("text", made.run)
    builder.catch_up()
    store = Store(made.home / "store.db")
    total = store.run(made.run).trajectories
    hits = derived.search_text(made.run, "DANA plan", n=2)
    assert hits is not None and len(hits.rows) == 2 and hits.after == hits.rows[-1] and hits.total == total
    more = derived.search_text(made.run, "DANA plan", after=hits.after, n=10**4)
    assert more is not None and more.after == 0 and not set(more.rows) & set(hits.rows)
    for words in ('"', "dana OR NOT nobody*", "a:b {x} ^y", "'; DROP TABLE texts; --", "NEAR(dana plan)", "dana\0plan"):
        found = derived.search_text(made.run, words)
        assert found is None or isinstance(found.rows, list)
    assert derived.search_text(made.run, "§ !") is None and derived.search_text(made.run, "zebra") is not None
    builder.close()
    derived.stop()


def test_a_comparison_is_made_once(made: Made, derived: Derived) -> None:
    calls: list[int] = []

    def make() -> dict[str, int]:
        calls.append(1)
        return {"gained": 3}

    for _ in range(2):
        assert derived.compared("a", "b", make, dict[str, int]) == {"gained": 3}
    assert derived.compared("a", "b", make, dict[str, int], state="0.9") == {"gained": 3}
    assert len(calls) == 2


def test_without_the_file_every_question_is_answered_with_nothing(tmp_path: Path) -> None:
    derived = Derived(tmp_path / "nowhere")
    assert derived.cells("r", "v") is None and derived.reasons("r", "v") is None and derived.progress() == []
    assert derived.links_to("task", "t") == []
    assert derived.reasons_page("r", "v", "b") == [] and derived.search_text("r", "word") is None
    assert derived.compared("a", "b", lambda: 1, int) == 1
    assert not (tmp_path / "nowhere").exists()
    derived.stop()


@pytest.mark.parametrize("damage", ["deleted", "garbage", "another version", "a table is missing"])
def test_a_lost_or_damaged_file_is_answered_with_nothing_and_made_again(small: Path, damage: str) -> None:
    build(small)
    derived = Derived(small)
    assert derived.cells("eval-1", VERIFIER) is not None
    file = small / "derived.db"
    if damage == "deleted":
        for each in small.glob("derived.db*"):
            each.unlink()
    elif damage == "garbage":
        for each in small.glob("derived.db-*"):
            each.unlink()
        file.unlink()
        file.write_bytes(b"this is not a database" * 1000)
    else:
        with sqlite3.connect(file) as connection:
            connection.execute("PRAGMA user_version = 99" if damage == "another version" else "DROP TABLE cells")
        connection.close()
    assert derived.cells("eval-1", VERIFIER) is None or damage == "another version"
    derived.start()
    until(lambda: derived.reasons("eval-1", VERIFIER) and derived.cells("eval-1", VERIFIER))
    derived.stop()


def open_files(home: Path) -> int:
    """How often this process has the index open."""
    links: list[str] = []
    for each in Path("/proc/self/fd").iterdir():
        try:
            links.append(os.readlink(each))
        except OSError:
            continue
    return sum(link.removesuffix(" (deleted)") == str(home / "derived.db") for link in links)


def test_connections_that_are_not_used_again_are_closed(small: Path) -> None:
    build(small)
    derived = Derived(small)

    def ask() -> None:
        assert derived.cells("eval-1", VERIFIER) is not None

    for _ in range(4):
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert open_files(small) == 1, "the threads before have ended"
    for _ in range(4):
        for each in small.glob("derived.db*"):
            each.unlink()
        build(small)
        ask()
    assert open_files(small) == 1, "the files before were replaced"
    with sqlite3.connect(small / "derived.db") as connection:
        connection.execute("DROP TABLE cells")
    connection.close()
    for _ in range(4):
        assert derived.cells("eval-1", VERIFIER) is None
    assert open_files(small) == 0, "it failed"
    derived.stop()


@pytest.mark.parametrize("damage", ["garbage", "a table is missing"])
def test_a_damaged_store_does_not_cost_the_index(small: Path, damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "_IDLE_S", 0.0)
    build(small)
    file = small / "store.db"
    if damage == "garbage":
        file.write_bytes(b"this is not a database" * 1000)
    else:
        with sqlite3.connect(file) as connection:
            connection.execute("DROP TABLE documents")
        connection.close()
    with pytest.raises(StoreUnreadable) as caught:
        build(small)
    building._recover(small, caught.value)
    derived = Derived(small)
    assert derived.cells("eval-1", VERIFIER) is not None
    derived.stop()


def test_another_store_in_its_place_gets_an_index_of_its_own(small: Path) -> None:
    other = small / "other"
    other.mkdir()
    store = Store(other / "store.db")
    add_run(store, "eval-2", tasks=2, attempts=1)
    store.close()
    builder, derived = Builder(small), Derived(small)
    builder.catch_up()
    assert derived.cells("eval-1", VERIFIER) is not None
    os.replace(other / "store.db", small / "store.db")
    with pytest.raises(Stopped):
        builder.step()
    builder.close()
    build(small)
    assert derived.cells("eval-1", VERIFIER) is None and derived.cells("eval-2", VERIFIER) is not None
    derived.stop()


def test_the_builder_imports_nothing_from_the_current_folder(
    small: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path_factory.mktemp("here")
    (here / "msgspec.py").write_text("open('imported', 'w').close()\n")
    monkeypatch.chdir(here)
    monkeypatch.setenv("PYTHONPATH", str(Path(verigym.__file__).parents[1]))
    derived = Derived(small)
    derived.start()
    until(lambda: derived.reasons("eval-1", VERIFIER) or not derived.building)
    assert derived.reasons("eval-1", VERIFIER) is not None and not (here / "imported").exists()
    derived.stop()


def test_a_folder_that_cannot_be_written_has_no_index_and_no_error(small: Path) -> None:
    folder = Path("/var/tmp") / f"verigym-derived-{os.getpid()}"
    folder.mkdir()
    try:
        (folder / "store.db").write_bytes((small / "store.db").read_bytes())
        (folder / "store.db").chmod(0o444)
        folder.chmod(0o555)

        def ask() -> tuple[object, ...]:
            derived = Derived(folder)
            derived.want("cells", "eval-1")
            return derived.cells("eval-1", VERIFIER), derived.progress(), derived.compared("a", "b", lambda: 5, int)

        assert as_nobody(ask) == (None, [], 5)
    finally:
        folder.chmod(0o755)
        for each in folder.iterdir():
            each.unlink()
        folder.rmdir()


def test_the_builder_dies_with_its_parent(small: Path) -> None:
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom verigym.view.derived import Derived\n"
        "derived = Derived(Path(sys.argv[1]))\nderived.start()\nprint(derived._builder.pid, flush=True)\ntime.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(small)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    builder = int(parent.stdout.readline())
    until((small / "derived.db").exists)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()

    def gone() -> bool:
        try:
            return Path(f"/proc/{builder}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except OSError:
            return True

    until(gone)


def test_a_second_builder_waits_and_takes_over(small: Path) -> None:
    first, second = Derived(small), Derived(small)
    first.start()
    until(lambda: first.reasons("eval-1", VERIFIER))
    second.start()
    time.sleep(0.2)
    assert second.building, "it waits"
    first.stop()
    store = Store(small / "store.db")
    add_run(store, "eval-2", tasks=2, attempts=1)
    store.close()
    until(lambda: second.reasons("eval-2", VERIFIER))
    second.stop()
    assert not second.building and not first.building


def test_a_run_that_is_being_made_is_left_alone_until_somebody_looks(small: Path) -> None:
    store = Store(small / "store.db")
    with store.claim("eval-1"):
        builder, derived = Builder(small), Derived(small)
        while builder.step():
            pass
        assert derived.cells("eval-1", VERIFIER) is None
        derived.want("cells", "eval-1")
        assert builder.step() and derived.cells("eval-1", VERIFIER) is not None
        assert derived.reasons("eval-1", VERIFIER) is None
        builder.close()
    build(small)
    assert derived.reasons("eval-1", VERIFIER) is not None
    derived.stop()
    store.close()


def test_the_store_is_not_changed(made: Made, small: Path) -> None:
    before = (small / "store.db").read_bytes()
    build(small)
    assert (small / "store.db").read_bytes() == before


def test_what_is_current_is_not_made_again(small: Path) -> None:
    build(small)
    with sqlite3.connect(small / "derived.db") as connection:
        connection.execute("UPDATE cells SET tasks = '[]'")
    connection.close()
    derived = Derived(small)
    derived.want("cells", "eval-1")
    build(small)
    assert derived.cell_tasks("eval-1", VERIFIER) == [], "it was left as it is"
    with sqlite3.connect(small / "derived.db") as connection:
        assert connection.execute("SELECT count(*) FROM wanted").fetchone() == (0,)
    connection.close()
    derived.stop()


def test_a_large_run_has_the_same_grid_and_picture_from_the_index(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(made.home)
    query = Query(
        {"id": max((run for run in reader.store.runs() if run.kind == "eval"), key=lambda run: run.passed).id}
    )
    small = run_map_page(reader, query), run_cells(reader, query).body, run_page(reader, query)
    monkeypatch.setattr(task_grid, "MOST", 5)
    large = run_map_page(reader, query), run_cells(reader, query).body, run_page(reader, query)
    assert large[:2] == small[:2]
    assert small[2].grid is not None and large[2].grid is not None
    assert [band.family for band in large[2].grid.bands] == [band.family for band in small[2].grid.bands]
    assert large[2].grid.bands == small[2].grid.bands
    reader.close()


def test_the_way_is_the_same_with_and_without_the_index(made: Made, tmp_path: Path) -> None:
    (tmp_path / "store.db").write_bytes((made.home / "store.db").read_bytes())
    with_index, without = Reader(made.home), Reader(tmp_path)
    assert with_index.links_are_current() and not without.links_are_current()
    runs = [run.id for run in with_index.store.runs() if run.kind in ("eval", "traces")]
    ids = [made.trace, *(one.id for run in runs for one in with_index.store.trajectories(run)[:3])]
    for id in ids:
        run, episode = with_index.store.trajectory(id)
        task = next((one for one in with_index.store.tasks(run) if one.id == episode.task), None)
        ways = [way_of(reader, id, task, episode.task, "toolcall") for reader in (with_index, without)]
        for a, b in zip(ways[0].stages, ways[1].stages, strict=True):
            assert (a.name, sorted(map(str, a.links)), a.more) == (b.name, sorted(map(str, b.links)), b.more), id
        assert ways[0].missing == ways[1].missing
        assert feedback_on(with_index, id) == feedback_on(without, id)
    with_index.close()
    without.close()
