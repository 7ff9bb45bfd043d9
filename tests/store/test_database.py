"""The store: what was committed is there, what would change the past is refused."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from verigym.core.errors import BadInput, InfrastructureFailure, NotFound, Refused
from verigym.core.records import Message, Task, Trajectory, Verdict, Version
from verigym.registry.versions import resolve
from verigym.store.database import Store

TASKS = [Task(id=name, prompt=f"do {name}") for name in ("b", "a", "c")]


@pytest.fixture
def file_store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "deep" / "store.db")
    yield made
    made.close()


def episode(run: str, task: str, index: int = 0, text: str = "hello") -> Trajectory:
    items: list[Message] = [Message("assistant", text)]
    return Trajectory(id=f"{run}/{task}/{index}", task=task, group=f"{run}/{task}", index=index, items=[*items])


def verdict(trajectory: Trajectory, reward: float | None = 1.0, verifier: str = "v@1") -> Verdict:
    return Verdict(trajectory=trajectory.id, verifier=verifier, reward=reward, passed=reward == 1.0)


# -- runs -------------------------------------------------------------------------------------------------------------


def test_a_run_keeps_its_tasks_in_order(store: Store) -> None:
    store.begin_run("r", "eval", {"k": 1}, TASKS)
    assert store.tasks("r") == TASKS
    assert store.tasks("other") == []


def test_a_run_that_is_begun_again_with_the_same_settings_goes_on(store: Store) -> None:
    store.begin_run("r", "eval", {"k": 1, "seed": 2}, TASKS)
    store.add("r", [episode("r", "a")])
    store.begin_run("r", "eval", {"seed": 2, "k": 1}, TASKS)
    assert store.trajectories("r") == [episode("r", "a")]
    assert store.tasks("r") == TASKS
    assert len(store.runs()) == 1


def test_a_run_with_other_settings_is_refused(store: Store) -> None:
    store.begin_run("r", "eval", {"k": 1}, TASKS)
    with pytest.raises(
        BadInput, match=r'Run "r" exists with other settings\. Choose another --name, or another --home'
    ):
        store.begin_run("r", "eval", {"k": 2}, TASKS)
    assert store.run("r").config == {"k": 1}


def test_runs_are_listed_newest_last_with_their_counts(store: Store) -> None:
    store.begin_run("first", "rollout", {}, TASKS)
    store.begin_run("second", "eval", {"seed": 3})
    store.begin_run("first/step-1", "collect", {}, parent="first")
    made = [episode("first", "a", i) for i in range(3)]
    store.add("first", made, [verdict(made[0]), verdict(made[1], 0.0), verdict(made[2], None)])
    assert [run.id for run in store.runs()] == ["first", "second"]
    assert [run.id for run in store.runs(parent="first")] == ["first/step-1"]
    assert [run.id for run in store.runs(parent=None)] == ["first", "second", "first/step-1"]
    first = store.runs()[0]
    assert (first.trajectories, first.scored, first.passed, first.kind, first.finished) == (3, 2, 1, "rollout", None)


def test_a_run_is_finished_once(store: Store) -> None:
    store.begin_run("r", "eval", {})
    store.finish_run("r")
    when = store.run("r").finished
    store.finish_run("r")
    assert when is not None and store.run("r").finished == when


def test_a_run_is_found_by_id_by_beginning_and_as_latest(store: Store) -> None:
    for id, kind, parent in [
        ("eval-a1", "eval", ""),
        ("grpo-b2", "train", ""),
        ("grpo-b2/step-1", "collect", "grpo-b2"),
    ]:
        store.begin_run(id, kind, {}, parent=parent)
    assert store.run("eval-a1").id == store.run("ev").id == "eval-a1"
    assert store.run("latest").id == "grpo-b2"
    assert store.run("latest", kinds=["eval"]).id == "eval-a1"
    assert store.run("grpo-b2/").id == "grpo-b2/step-1"
    with pytest.raises(NotFound, match=r"grpo-b2 is a training run .* one of its steps, such as grpo-b2/step-1$"):
        store.run("grpo-b2", kinds=["eval", "collect"])


def test_the_children_of_a_run_do_not_make_its_beginning_ambiguous(store: Store) -> None:
    store.begin_run("grpo-b2", "train", {})
    for step in range(3):
        store.begin_run(f"grpo-b2/step-{step}", "collect", {}, parent="grpo-b2")
    assert store.run("grpo").id == "grpo-b2"


def test_a_run_that_is_unknown_or_ambiguous_lists_what_there_is(store: Store) -> None:
    with pytest.raises(NotFound, match="No run exists yet"):
        store.run("latest")
    for id in ("eval-a1", "eval-a2", "sft-c"):
        store.begin_run(id, "eval", {})
    with pytest.raises(
        NotFound, match=r'Did you mean "sft-c"\? Available: eval-a1, eval-a2, sft-c. List them: verigym runs list'
    ):
        store.run("sftc")
    with pytest.raises(NotFound, match=r'"eval" matches 2 runs: eval-a1, eval-a2\. Write more'):
        store.run("eval")


# -- trajectories and verdicts ----------------------------------------------------------------------------------------


def test_trajectories_are_sorted_by_task_and_index(store: Store) -> None:
    made = [episode("r", task, index) for task in ("b", "a") for index in (10, 2, 0)]
    store.add("r", made)
    assert [(one.task, one.index) for one in store.trajectories("r")] == [
        ("a", 0), ("a", 2), ("a", 10), ("b", 0), ("b", 2), ("b", 10)
    ]  # fmt: skip


def test_an_episode_that_is_run_again_replaces_the_one_before(store: Store) -> None:
    store.begin_run("r", "eval", {})
    store.add("r", [episode("r", "a")], [verdict(episode("r", "a"), 0.0)])
    store.add("r", [episode("r", "a", text="other")], [verdict(episode("r", "a"), 1.0)])
    assert store.trajectories("r") == [episode("r", "a", text="other")]
    assert [one.reward for one in store.verdicts("r")] == [1.0]


def test_the_first_verifier_counts_until_scored_by_names_another(
    store: Store,
) -> None:
    one = episode("r", "a")
    store.begin_run("r", "eval", {})
    store.add("r", [one], [verdict(one, 0.0, "v@1")])
    store.add("r", [], [verdict(one, 1.0, "v@2")])
    assert [found.reward for found in store.verdicts("r", "v@2")] == [1.0]
    assert [found.reward for found in store.verdicts("r")] == [0.0]
    assert len(store.verdicts("r", "*")) == len(store.verdicts_on("r", one.id)) == 2
    assert (store.run("r").passed, store.run("r").scored) == (0, 1)
    store.scored_by("r", "v@2")
    assert [found.reward for found in store.verdicts("r")] == [1.0]
    assert (store.run("r").passed, store.run("r").scored) == (1, 1)


def test_a_trajectory_is_found_by_id_or_by_a_beginning_that_only_it_has(store: Store) -> None:
    store.add("r", [episode("r", "a"), episode("r", "a", 1), episode("r", "b_%")])
    assert store.trajectory("r/a/1") == ("r", episode("r", "a", 1))
    assert store.trajectory("r/b_")[1].task == "b_%"
    with pytest.raises(NotFound, match='"r/a" matches several trajectories'):
        store.trajectory("r/a")
    with pytest.raises(NotFound, match='no trajectory "r/_"'):
        store.trajectory("r/_")


# -- metrics, documents, ledger ---------------------------------------------------------------------------------------


def test_metrics_come_back_by_step_and_a_step_done_again_replaces_its_own(store: Store) -> None:
    store.add_metrics("r", 10, {"loss": 0.5})
    store.add_metrics("r", 2, {"loss": 1.0, "entropy": 2.0})
    store.add_metrics("r", 10, {"loss": 0.25})
    store.add_metrics("other", 1, {"loss": 9.0})
    assert store.metrics("r") == {2: {"entropy": 2.0, "loss": 1.0}, 10: {"loss": 0.25}}
    assert list(store.metrics("r")) == [2, 10]


def test_a_document_that_is_there_stays_as_it_is(store: Store) -> None:
    store.put("version", "1", Version(base="x", name="first"))
    store.put("version", "1", Version(base="x", name="second"))
    store.put("version", "0", Version(base="y"))
    store.put("other", "1", Version(base="z"))
    assert store.get("version", "1", Version) == Version(base="x", name="first")
    assert store.get("version", "2", Version) is None
    assert [one.base for one in store.documents("version", Version)] == ["x", "y"]


def append(store: Store, text: str) -> int:
    return store.append_ledger(lambda last: (last or b"") + text.encode())


def test_the_ledger_grows_and_each_entry_is_made_from_the_last(store: Store) -> None:
    assert [append(store, text) for text in "abc"] == [1, 2, 3]
    assert store.ledger() == [b"a", b"ab", b"abc"]
    assert store.last_of_ledger() == b"abc"


def test_an_entry_that_cannot_be_made_leaves_the_ledger_as_it_was(store: Store) -> None:
    append(store, "a")
    with pytest.raises(ZeroDivisionError):
        store.append_ledger(lambda last: b"%d" % (1 // 0))
    append(store, "b")
    assert store.ledger() == [b"a", b"ab"]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ledger SET body = 'x' WHERE seq = 1",
        "DELETE FROM ledger",
        "INSERT OR REPLACE INTO ledger (seq, body) VALUES (1, 'x')",
        "INSERT INTO ledger (seq, body) VALUES (1, 'x') ON CONFLICT (seq) DO UPDATE SET body = 'x'",
    ],
    ids=["update", "delete", "replace", "upsert"],
)
def test_the_database_itself_refuses_to_change_the_ledger(file_store: Store, statement: str) -> None:
    append(file_store, "a")
    connection = sqlite3.connect(file_store.path)
    with pytest.raises(sqlite3.IntegrityError, match="the ledger is append-only"):
        connection.execute(statement)
    connection.close()
    assert file_store.ledger() == [b"a"]


def test_two_writers_at_once_lose_no_entry(store: Store) -> None:
    def write() -> None:
        other = Store(store.path)
        for _ in range(15):
            append(other, "x")
        other.close()

    writers = [threading.Thread(target=write) for _ in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [len(entry) for entry in store.ledger()] == list(range(1, 46))


# -- the file ---------------------------------------------------------------------------------------------------------

WRITER = """
import os, signal, sys
from pathlib import Path
from typing import Any
from verigym.core.records import Task, Trajectory, Verdict, Version
from verigym.registry.versions import resolve
from verigym.store.database import Store
where = sys.argv[1]
store = Store(where if "://" in where else Path(where))
store.begin_run("r", "eval", {"k": 1}, [Task(id="a", prompt="p")])
store.add("r", [Trajectory(id="r/a/0", task="a", group="r/a")], [Verdict(trajectory="r/a/0", verifier="v", reward=1.0)])
store.add_metrics("r", 1, {"loss": 0.5})
store.put("version", "1", Version(base="x"))
store.append_ledger(lambda last: b"entry")
print("committed", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_committed_survives_kill_9(store: Store) -> None:
    path = store.path
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": root}
    done = subprocess.run([sys.executable, "-c", WRITER, str(path)], capture_output=True, text=True, env=environment)
    assert (done.stdout, done.returncode) == ("committed\n", -signal.SIGKILL), done.stderr
    assert [task.id for task in store.tasks("r")] == ["a"]
    assert [one.id for one in store.trajectories("r")] == ["r/a/0"]
    assert [one.reward for one in store.verdicts("r")] == [1.0]
    assert store.metrics("r") == {1: {"loss": 0.5}}
    assert store.get("version", "1", Version) == Version(base="x")
    assert store.ledger() == [b"entry"]


def test_a_reader_sees_what_a_writer_committed(store: Store) -> None:
    other = Store(store.path)
    store.begin_run("r", "eval", {})
    assert other.run("r").id == "r"
    other.close()


@pytest.mark.parametrize("kind", ["garbage", "folder"])
def test_a_file_that_is_no_store_is_refused_in_words(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "store.db"
    if kind == "garbage":
        path.write_bytes(b"these are somebody's holiday notes " * 200)
    else:
        path.mkdir()
    with pytest.raises(InfrastructureFailure, match=r"store\.db (is not a Verigym store|cannot be opened) "):
        Store(path)
    if kind == "garbage":
        assert path.read_bytes().startswith(b"these are"), "the file was left as it is"


def test_a_home_inside_a_file_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("")
    with pytest.raises(InfrastructureFailure, match=r"notes cannot be created .*Choose another --home"):
        Store(tmp_path / "notes" / "store.db").begin_run("r", "eval", {})


def test_the_files_journal_is_a_write_ahead_log(file_store: Store) -> None:
    file_store.begin_run("r", "eval", {})
    with sa.create_engine(f"sqlite:///{file_store.path}").connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_the_counts_of_a_finished_run_follow_later_additions(store: Store) -> None:
    made = [episode("r", "a", i) for i in range(3)]
    store.begin_run("r", "eval", {})
    store.add("r", made[:2], [verdict(made[0]), verdict(made[1], 0.0)])
    store.finish_run("r")
    assert (store.run("r").trajectories, store.run("r").passed, store.run("r").scored) == (2, 1, 2)
    store.add("r", made[2:], [verdict(made[2])])
    assert (store.run("r").trajectories, store.run("r").passed, store.run("r").scored) == (3, 2, 3)
    store.finish_run("r")
    store.add("r", [], [verdict(one, 0.0, "v@2") for one in made])
    store.scored_by("r", "v@2")
    assert (store.run("r").trajectories, store.run("r").passed, store.run("r").scored) == (3, 0, 3)


def test_two_runs_may_have_a_trajectory_of_one_id(store: Store) -> None:
    one, two = [
        Trajectory(id="exp/a/1/0", task=task, group=f"{run}/{task}") for run, task in (("exp", "a/1"), ("exp/a", "1"))
    ]
    for run, made in (("exp", one), ("exp/a", two)):
        store.begin_run(run, "eval", {})
        store.add(run, [made], [verdict(made, float(run == "exp"))])
    assert store.trajectories("exp") == [one] and store.trajectories("exp/a") == [two]
    assert [found.reward for found in store.verdicts("exp")] == [1.0]
    assert [found.reward for found in store.verdicts_on("exp/a", "exp/a/1/0")] == [0.0]


@pytest.mark.parametrize(
    "broken",
    [{"evidence": object()}, {"evidence": {"why": 1}}, {"unsafe": "yes"}, {"reward": 10**400}, {"parts": {"a": "b"}}],
    ids=["no JSON", "an object", "text for a bool", "too large", "text for a number"],
)
def test_a_verdict_that_cannot_be_kept_costs_itself_and_nothing_else(store: Store, broken: dict[str, Any]) -> None:
    made = [episode("r", "a", i) for i in range(3)]
    store.begin_run("r", "eval", {})
    wrong = Verdict(**{"trajectory": made[1].id, "verifier": "v@1", "reward": 1.0, **broken})
    store.add("r", made, [verdict(made[0]), wrong, verdict(made[2])])
    found = {one.trajectory: one for one in store.verdicts("r")}
    assert [found[one.id].reward for one in made] == [1.0, None, 1.0]
    error = found[made[1].id].error
    assert error is not None and error.fault == "verifier" and "could not be written" in error.message


@pytest.mark.parametrize(
    "items",
    [[Message("assistant", None)], [object()]],  # type: ignore[arg-type]
    ids=["of a wrong type", "no record"],
)
def test_a_trajectory_that_cannot_be_kept_is_one_failed_record(store: Store, items: list[Any]) -> None:
    made = [episode("r", "a", 0), msgspec.structs.replace(episode("r", "a", 1), items=items)]
    store.begin_run("r", "eval", {})
    store.add("r", made)
    good, bad = store.trajectories("r")
    assert good == made[0] and bad.id == "r/a/1"
    assert bad.error is not None and bad.error.fault == "environment"


def test_a_judge_that_is_down_takes_no_judgement_back(store: Store) -> None:
    one = episode("r", "a")
    store.begin_run("r", "eval", {})
    store.add("r", [one], [verdict(one, 1.0)])
    store.add("r", [], [verdict(one, None)])
    assert [found.reward for found in store.verdicts("r")] == [1.0]
    store.add("r", [], [verdict(one, 0.5)])
    assert [found.reward for found in store.verdicts("r")] == [0.5]


def test_a_run_is_made_by_one_process_at_a_time(store: Store) -> None:
    other = Store(store.path)
    with store.claim("r"):
        with (
            pytest.raises(Refused, match=rf"Another process \((\S+ )?pid {os.getpid()}\) is using run r"),
            other.claim("r"),
        ):
            pass
        with other.claim("another"):
            pass
    with other.claim("r"):
        pass
    other.close()


# -- production traces ------------------------------------------------------------------------------------------------


def test_a_run_is_deleted_whole_and_others_stay(store: Store) -> None:
    for run in ("old", "new"):
        store.begin_run(run, "traces", {}, TASKS)
        made = episode(run, "a")
        store.add(run, [made], [verdict(made)], {f"{run}-blob": b"x"})
        store.add_metrics(run, 1, {"loss": 1.0})
    store.delete_run("old")
    assert [run.id for run in store.runs()] == ["new"]
    assert not store.trajectories("old") and not store.verdicts("old", "*") and not store.tasks("old")
    assert store.metrics("old") == {}
    assert store.trajectories("new") and store.verdicts("new") and store.tasks("new") and store.metrics("new")
    assert store.blob("old-blob") == b"x"
    store.delete_run("old")  # what is gone may go again
    store.begin_run("old", "traces", {})
    assert store.run("old").trajectories == 0


def test_which_trajectories_are_known(store: Store) -> None:
    store.begin_run("r", "traces", {})
    made = [episode("r", f"t{number}") for number in range(2500)]
    store.add("r", made[::2])
    assert store.known_trajectories(one.id for one in made) == {one.id for one in made[::2]}
    assert store.known_trajectories([]) == set()


def test_the_newest_is_the_last_that_was_added_whatever_the_clock_says(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.begin_run("first", "eval", {})
    store.put("version", "v1", Version(id="v1", base="one"))
    monkeypatch.setattr("verigym.store.database.time.time", lambda: 1000.0)
    store.begin_run("second", "eval", {})
    store.begin_run("imported", "eval", {}, created=10.0)
    store.put("version", "v2", Version(id="v2", base="two"))
    assert store.run("latest").id == "imported"
    assert [run.id for run in store.runs()] == ["first", "second", "imported"]
    assert [version.id for version in store.documents("version", Version)] == ["v1", "v2"]
    assert resolve(store, "latest").id == "v2"


def test_runs_are_found_by_the_beginning_of_their_id(store: Store) -> None:
    for id in ("t", "t/step-0001", "t/step-0001-shop", "t/step-0002", "tt"):
        store.begin_run(id, "collect", {}, parent="" if id in ("t", "tt") else "t")
    assert [run.id for run in store.runs_from("t/step-0001")] == ["t/step-0001", "t/step-0001-shop"]
    assert store.runs_from("x") == [] and len(store.runs_from("t")) == 5


def test_a_file_that_replaces_an_open_one_is_used_after_reopen(tmp_path: Path) -> None:
    store, other = Store(tmp_path / "store.db"), Store(tmp_path / "other.db")
    store.begin_run("old", "eval", {})
    other.begin_run("new", "eval", {})
    other.close()
    store.close()
    assert store.has_run("old")
    (tmp_path / "other.db").replace(tmp_path / "store.db")
    store.reopen()
    assert [run.id for run in store.runs()] == ["new"]
    store.begin_run("later", "eval", {})
    store.close()
    assert Store(tmp_path / "store.db").has_run("later")
