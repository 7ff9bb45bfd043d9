"""Runs out of a store and into another: nothing is lost, nothing is doubled, a broken file changes nothing."""

import hashlib
import json
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store.test_database import TASKS, episode, verdict
from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.records import (
    Failure,
    Fault,
    FunctionCall,
    FunctionCallOutput,
    Mark,
    Message,
    Stop,
    Task,
    Trajectory,
    Turn,
    Usage,
    Verdict,
)
from verigym.store.connection import StoreDamaged
from verigym.store.database import Store
from verigym.store.transfer import export_run, import_runs

FORMATS = pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])


@pytest.fixture
def store(open_store: Callable[[str], Store]) -> Store:
    return open_store("source")


@pytest.fixture
def other(open_store: Callable[[str], Store]) -> Store:
    return open_store("target")


def contents(store: Store) -> Any:
    """Everything that a store knows of its runs."""
    runs = store.runs(parent=None)
    return [
        (
            run,
            store.tasks(run.id),
            store.trajectories(run.id),
            sorted(store.verdicts(run.id, "*"), key=lambda one: (one.trajectory, one.verifier)),
            store.metrics(run.id),
        )
        for run in runs
    ]


def name(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def fill(store: Store) -> None:
    """A training run with two children, ids, blobs, two verifiers, errors, and a metric that diverged."""
    store.begin_run("grpo", "train", {"k": 2, "nested": {"a": [1, None]}}, [Task(id="b", prompt="p")], created=0.0)
    store.add_metrics("grpo", 1, {"loss": 0.5, "kl": float("nan"), "grad": float("inf"), "low": -float("inf")})
    store.add_metrics("grpo", 2, {"loss": 0.25})
    store.finish_run("grpo", 0.0)
    for step in (1, 2):
        run = f"grpo/step-{step}"
        store.begin_run(run, "collect", {"step": step}, [Task(id="b", prompt="p"), Task(id="a", prompt="é")], "grpo")
        turn = Turn(made=[0], context_ids=[1, 2**40], completion_ids=[3], logprobs=[-0.1], usage=Usage(2, 1))
        whole = Trajectory(
            id=f"{run}/a/0",
            task="a",
            group=f"{run}/a",
            items=[Message("assistant", "héllo\n\x00"), FunctionCall("c", "f", "{"), FunctionCallOutput("c", "x")],
            turns=[turn],
            marks=[Mark("bad_arguments", 1, "no")],
            blobs={"page.png": name(b"\x00\xff"), "again.png": name(b"\x00\xff"), "step": name(b"%d" % step)},
            stop=Stop.MAX_CALLS,
        )
        broken = Trajectory(
            id=f"{run}/b/0",
            task="b",
            group=f"{run}/b",
            stop=Stop.ERROR,
            error=Failure(Fault.INFRASTRUCTURE, "ConnectionError", "gone"),
        )
        blobs = {name(b"\x00\xff"): b"\x00\xff", name(b"%d" % step): b"%d" % step}
        store.add(run, [whole, broken], [verdict(whole), verdict(whole, 0.0, "v@2"), verdict(broken, None)], blobs)
        store.scored_by(run, "v@2")


@FORMATS
def test_what_is_exported_and_imported_is_what_was_there(
    store: Store, other: Store, tmp_path: Path, suffix: str
) -> None:
    fill(store)
    path = tmp_path / f"run{suffix}"
    counts = export_run(store, store.run("grpo"), path)
    assert counts == {"run": 3, "task": 5, "metrics": 2, "trajectory": 4, "verdict": 6, "blob": 4}
    assert import_runs(other, path) == (["grpo", "grpo/step-1", "grpo/step-2"], counts)
    assert contents(other) == contents(store)
    for data in (b"\x00\xff", b"1", b"2"):
        assert other.blob(name(data)) == data
    standing = sorted(other.statuses("grpo/step-1", "v@1"))
    assert standing == sorted(store.statuses("grpo/step-1", "v@1")), "what resumption needs came along"
    assert not list(tmp_path.glob(".*")), "no draft is left"


@FORMATS
def test_a_file_that_is_read_twice_is_there_once(store: Store, other: Store, tmp_path: Path, suffix: str) -> None:
    fill(store)
    path = tmp_path / f"run{suffix}"
    export_run(store, store.run("grpo"), path)
    first = import_runs(other, path)
    before = contents(other)
    assert import_runs(other, path) == first
    assert import_runs(store, path) == first, "into the store that it came from"
    assert contents(other) == before == contents(store)


@FORMATS
def test_a_child_is_exported_without_its_parent_and_the_others(
    store: Store, other: Store, tmp_path: Path, suffix: str
) -> None:
    fill(store)
    path = tmp_path / f"child{suffix}"
    export_run(store, store.run("grpo/step-2"), path)
    assert import_runs(other, path)[0] == ["grpo/step-2"]
    assert [run.id for run in other.runs(parent=None)] == ["grpo/step-2"]
    assert [run.id for run in other.runs(parent="grpo")] == ["grpo/step-2"]


@FORMATS
def test_more_rows_than_a_batch_come_through(store: Store, other: Store, tmp_path: Path, suffix: str) -> None:
    made = [episode("r", f"t{place:04d}") for place in range(1201)]
    store.begin_run("r", "rollout", {}, [Task(id=one.task, prompt="p") for one in made])
    store.add("r", made, [verdict(one) for one in made])
    path = tmp_path / f"run{suffix}"
    export_run(store, store.run("r"), path)
    import_runs(other, path)
    assert contents(other) == contents(store)


def test_a_parquet_file_has_the_columns_that_people_ask_for(store: Store, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    fill(store)
    export_run(store, store.run("grpo/step-1"), tmp_path / "run.parquet")
    rows = parquet.read_table(tmp_path / "run.parquet").to_pylist()
    [made] = [row for row in rows if row["record"] == "trajectory" and row["task"] == "a"]
    assert (made["run"], made["id"], made["stop"], made["index"]) == ("grpo/step-1", "grpo/step-1/a/0", "max_calls", 0)
    assert made["reply"] == "héllo\n\x00"
    judged = [row for row in rows if row["record"] == "verdict"]
    assert {(row["reward"], row["passed"]) for row in judged} == {(1.0, True), (0.0, False), (None, False)}


def test_an_import_goes_on_with_a_run_that_is_there_in_part(store: Store, other: Store, tmp_path: Path) -> None:
    fill(store)
    path = tmp_path / "run.jsonl"
    export_run(store, store.run("grpo"), path)
    other.begin_run("grpo", "train", {"nested": {"a": [1, None]}, "k": 2}, [Task(id="b", prompt="p")], created=0.0)
    import_runs(other, path)
    assert contents(other) == contents(store)


# -- files that are no exported run -----------------------------------------------------------------------------------


def lines(store: Store, tmp_path: Path) -> list[dict[str, Any]]:
    fill(store)
    path = tmp_path / "whole.jsonl"
    export_run(store, store.run("grpo"), path)
    return [json.loads(line) for line in path.read_text().splitlines()]


def cut_a_line(rows: list[dict[str, Any]]) -> str:
    return "\n".join(map(json.dumps, rows))[:-20]


def without_a_run(rows: list[dict[str, Any]]) -> str:
    return "\n".join(json.dumps(row) for row in rows if row["record"] != "run")


def changed(record: str, field: str, value: Any) -> Any:
    def change(rows: list[dict[str, Any]]) -> str:
        [*_, last] = [row for row in rows if row["record"] == record]
        last[field] = value
        return "\n".join(map(json.dumps, rows))

    return change


BROKEN = {
    "nothing": (lambda rows: "", "contains no run"),
    "words": (lambda rows: "once upon a time", "line 1: JSON is malformed"),
    "a number": (lambda rows: "7", "line 1: Expected `object`, got `int`"),
    "a line cut short": (cut_a_line, "line 24: Input data was truncated"),
    "no run at all": (without_a_run, "line 1: a task record comes before the first run record"),
    "an unknown record": (lambda rows: '{"record": "dream"}', 'line 1: unknown record "dream". It must be one of task'),
    "no record": (changed("verdict", "record", None), "Expected `str`, got `null`"),
    "a task without a prompt": (changed("task", "prompt", None), r"line \d+: This is not a Task: .*prompt"),
    "a task twice": (changed("task", "id", "b"), 'line 17: task "b" is a duplicate'),
    "a trajectory of another schema": (changed("trajectory", "schema", 99), "schema version 99, .*Upgrade verigym"),
    "a stop nobody knows": (changed("trajectory", "stop", "bored"), "not a Trajectory: Invalid enum value 'bored'"),
    "a verdict in words": (changed("verdict", "reward", "good"), r"not a Verdict: .*reward"),
    "a blob that is no base64": (changed("blob", "base64", "%%%"), "line .*"),
    "a blob with other bytes": (changed("blob", "base64", "AAAA"), "the blob's bytes do not match its hash"),
    "a metric in words": (changed("metrics", "values", {"loss": "high"}), "line .*values"),
    "a run without a config": (changed("run", "config", None), r"line 15: Expected `object`, got `null` .*config"),
    "deep": (lambda rows: '{"record": "run", "config": ' + "[" * 100_000, "line 1: .*recursion"),
    "half a letter": (lambda rows: '{"record": "run\\ud800"}', "line 1: "),
}


@pytest.mark.parametrize(("breaking", "words"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_file_is_refused_in_words_and_nothing_of_it_is_imported(
    store: Store, other: Store, tmp_path: Path, breaking: Any, words: str
) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(breaking(lines(store, tmp_path)))
    with pytest.raises(BadInput, match=words) as caught:
        import_runs(other, path)
    assert str(caught.value).startswith(str(path))
    assert contents(other) == []


def test_bytes_that_are_no_text_are_refused_in_words(other: Store, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b'{"record": "run", "id": "\xff\xfe"}\n')
    with pytest.raises(BadInput, match=r"line 1: .*Nothing was imported"):
        import_runs(other, path)
    assert contents(other) == []


def test_a_run_with_other_settings_is_refused_before_the_import(store: Store, other: Store, tmp_path: Path) -> None:
    fill(store)
    path = tmp_path / "run.jsonl"
    export_run(store, store.run("grpo"), path)
    other.begin_run("grpo/step-2", "collect", {"step": "another"})
    before = contents(other)
    with pytest.raises(BadInput, match=r'Run "grpo/step-2" exists with other settings.*Nothing was imported'):
        import_runs(other, path)
    assert contents(other) == before


@pytest.mark.parametrize("content", [b"", b"PAR1", b"not parquet at all" * 100], ids=["empty", "a head", "words"])
def test_a_file_that_is_no_parquet_is_refused_in_words(other: Store, tmp_path: Path, content: bytes) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "run.parquet"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=r"run\.parquet is not a Parquet file"):
        import_runs(other, path)


def test_a_parquet_file_of_something_else_is_refused_in_words(other: Store, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"prompt": ["a"]}), tmp_path / "tasks.parquet")
    with pytest.raises(BadInput, match=r"has no column .body., so it is not an exported run"):
        import_runs(other, tmp_path / "tasks.parquet")
    parquet.write_table(arrow.table({"body": [1, None]}), tmp_path / "numbers.parquet")
    with pytest.raises(BadInput, match=r"row 1: .*Nothing was imported"):
        import_runs(other, tmp_path / "numbers.parquet")


def test_a_damaged_parquet_file_is_imported_whole_or_refused(store: Store, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    fill(store)
    path = tmp_path / "run.parquet"
    export_run(store, store.run("grpo"), path)
    whole = path.read_bytes()
    refused = 0
    for place in range(0, len(whole), max(1, len(whole) // 60)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        into = Store(tmp_path / f"{place}.db")
        try:
            import_runs(into, path)
            assert len(contents(into)) == 3
        except BadInput:
            refused += 1
            assert contents(into) == []
        into.close()
    assert refused > 5


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("run.csv", r"run\.csv: the file name must end in \.jsonl or \.parquet"),
        ("missing.jsonl", r"missing\.jsonl cannot be read: No such file"),
        ("missing.parquet", r"missing\.parquet cannot be read: "),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_words(other: Store, tmp_path: Path, file: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        import_runs(other, tmp_path / file)


@pytest.mark.parametrize("where", ["no/folder/run.jsonl", "from.db/run.jsonl"])
def test_a_place_that_cannot_be_written_is_said_and_nothing_is_left(store: Store, tmp_path: Path, where: str) -> None:
    fill(store)
    with pytest.raises(BadInput, match=r"\.jsonl cannot be written: .*\. Nothing was changed"):
        export_run(store, store.run("grpo"), tmp_path / where)
    assert not list(tmp_path.glob(".*"))


def test_an_export_that_fails_leaves_nothing(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    store.begin_run("r", "rollout", {})
    store.add("r", [Trajectory(id="r/a/0", task="a", group="r/a", blobs={"page": "lost"})])
    with pytest.raises(NotFound, match="has no blob lost"):
        export_run(store, store.run("r"), path)
    assert not path.exists() and not list(tmp_path.glob(".*"))


def test_parquet_without_pyarrow_says_what_to_install(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    store.begin_run("r", "rollout", {})
    with pytest.raises(BadInput, match=r"Parquet files need pyarrow\. Run: .* -m pip install .*\[parquet\]"):
        export_run(store, store.run("r"), tmp_path / "run.parquet")


# -- any run ----------------------------------------------------------------------------------------------------------

text = st.text(st.characters(codec="utf-8"), max_size=8)
number = st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | number | text,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(text, inner, max_size=2),
    max_leaves=4,
)
items = st.one_of(
    st.builds(Message, st.sampled_from(["user", "assistant"]), text),
    st.builds(FunctionCall, text, text, text),
    st.builds(FunctionCallOutput, text, text),
)
turns = st.builds(
    Turn,
    actor=st.sampled_from(["policy", "user"]),
    parent=st.none() | st.integers(0, 3),
    context_ids=st.lists(st.integers(0, 2**40), max_size=3),
    completion_ids=st.lists(st.integers(0, 2**31), max_size=3),
    logprobs=st.lists(number, max_size=3),
    latency_s=number,
)


@st.composite
def runs(draw: st.DrawFn) -> tuple[dict[str, Any], list[Task], list[Trajectory], list[Verdict], dict[str, bytes]]:
    names = draw(st.lists(text, min_size=1, max_size=3, unique=True))
    tasks = [Task(id=each, prompt=draw(text), data=draw(st.dictionaries(text, values, max_size=2))) for each in names]
    blobs = {name(data): data for data in draw(st.lists(st.binary(max_size=6), max_size=2))}
    made = [
        Trajectory(
            id=f"r/{task.id}/{index}",
            task=task.id,
            group=f"r/{task.id}",
            index=index,
            items=draw(st.lists(items, max_size=3)),
            turns=draw(st.lists(turns, max_size=2)),
            end_state=draw(st.dictionaries(text, values, max_size=2)),
            blobs={str(place): sha256 for place, sha256 in enumerate(blobs)},
            stop=draw(st.sampled_from(Stop)),
            seed=draw(st.integers(0, 2**63 - 1)),
            seconds=draw(number),
        )
        for task in tasks
        for index in range(draw(st.integers(0, 2)))
    ]
    verdicts = [
        Verdict(trajectory=one.id, verifier=verifier, reward=draw(st.none() | number), evidence=draw(text))
        for one in made
        for verifier in draw(st.sampled_from([[], ["v@1"], ["v@1", "v@2"]]))
    ]
    config = draw(st.dictionaries(text, values, max_size=3))
    return config, tasks, made, verdicts, blobs


@settings(max_examples=40, deadline=None)
@given(runs(), st.sampled_from([".jsonl", ".parquet"]), number, st.none() | number)
def test_any_run_comes_through_as_it_was(
    run: tuple[Any, ...], suffix: str, created: float, finished: float | None
) -> None:
    config, tasks, made, verdicts, blobs = run
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        store, other = Store(folder / "from.db"), Store(folder / "to.db")
        store.begin_run("r", "rollout", config, tasks, created=created)
        store.add("r", made, verdicts, blobs)
        if finished is not None:
            store.finish_run("r", finished)
        export_run(store, store.run("r"), folder / f"run{suffix}")
        import_runs(other, folder / f"run{suffix}")
        assert contents(other) == contents(store)
        for sha256 in blobs if made else ():
            assert other.blob(sha256) == blobs[sha256]
        store.close()
        other.close()


@FORMATS
def test_logprobs_that_json_cannot_say_come_through(store: Store, other: Store, tmp_path: Path, suffix: str) -> None:
    turn = Turn(context_ids=[1], completion_ids=[2, 3], logprobs=[float("-inf"), -0.5])
    made = Trajectory(id="r/a/0", task="a", group="r/a", turns=[turn])
    store.begin_run("r", "rollout", {}, [Task(id="a", prompt="p")])
    store.add("r", [made])
    export_run(store, store.run("r"), tmp_path / f"r{suffix}")
    import_runs(other, tmp_path / f"r{suffix}")
    assert other.trajectories("r") == [made]


def test_a_run_of_the_same_name_that_was_made_here_is_not_replaced(store: Store, other: Store, tmp_path: Path) -> None:
    for each, text in ((store, "theirs"), (other, "ours")):
        each.begin_run("r", "rollout", {}, [Task(id="a", prompt="p")])
        each.add("r", [episode("r", "a", text=text)])
    export_run(store, store.run("r"), tmp_path / "r.jsonl")
    with pytest.raises(BadInput, match=r'A different run "r" exists here\. .*Nothing was imported'):
        import_runs(other, tmp_path / "r.jsonl")
    assert [one.reply for one in other.trajectories("r")] == ["ours"]


@FORMATS
def test_an_export_never_overwrites_a_file(store: Store, tmp_path: Path, suffix: str) -> None:
    fill(store)
    path = tmp_path / f"mine{suffix}"
    path.write_text("my own notes")
    with pytest.raises(Refused, match=r"mine\..* exists and was not overwritten\. Name another file with --out"):
        export_run(store, store.run("grpo"), path)
    assert path.read_text() == "my own notes" and [each.name for each in tmp_path.glob("*mine*")] == [path.name]


def edited(text: str, kind: str, change: Any) -> str:
    """The exported lines with the first record of a kind changed."""
    lines = [json.loads(line) for line in text.splitlines()]
    change(next(line for line in lines if line["record"] == kind))
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.mark.parametrize(
    ("kind", "change", "words"),
    [
        (
            "verdict",
            {"reward": 0.25},
            r"the verdict of v@1 on grpo/step-1/b/0 differs: reward is null in the store and 0.25 in the file",
        ),
        (
            "trajectory",
            {"reply": "x", "stop": "done"},
            r"trajectory grpo/step-1/a/0 differs: .*stop is \"max_calls\" in",
        ),
        ("task", {"prompt": "do something else"}, r'task "b" differs: prompt is "p" in the store and "do something'),
        ("run", {"kind": "eval"}, r'run "grpo" differs: kind is "train" in the store and "eval" in the file'),
        ("metrics", {"values": {"loss": 9.0}}, r'step 1 of run "grpo" differs: loss is .* and 9.0 in the file'),
    ],
    ids=["verdict", "trajectory", "task", "run", "metrics"],
)
def test_content_that_differs_from_the_stored_is_refused_with_what_differs(
    store: Store, tmp_path: Path, kind: str, change: dict[str, Any], words: str
) -> None:
    fill(store)
    path = tmp_path / "run.jsonl"
    export_run(store, store.run("grpo"), path)
    before = contents(store)
    path.write_text(edited(path.read_text(), kind, lambda line: line.update(change)))
    with pytest.raises(BadInput, match=words) as said:
        import_runs(store, path)
    assert "Nothing was imported" in str(said.value)
    assert contents(store) == before


def test_an_import_may_add_what_the_stored_run_lacks(store: Store, other: Store, tmp_path: Path) -> None:
    store.begin_run("r", "eval", {}, TASKS)
    store.add("r", [episode("r", "a")])
    export_run(store, store.run("r"), tmp_path / "early.jsonl")
    import_runs(other, tmp_path / "early.jsonl")
    store.add("r", [episode("r", "b")], [verdict(episode("r", "a"))])
    store.finish_run("r")
    export_run(store, store.run("r"), tmp_path / "late.jsonl")
    import_runs(other, tmp_path / "late.jsonl")
    assert contents(other) == contents(store)


@pytest.mark.parametrize("id", ["/tmp/elsewhere", "../elsewhere", "a/../../b", "a//b", "", "a\nb", "x" * 301])
def test_a_run_whose_id_could_name_another_folder_is_refused(
    store: Store, other: Store, tmp_path: Path, id: str
) -> None:
    with pytest.raises(BadInput, match="A run cannot be named"):
        store.begin_run(id, "rollout", {})
    rows = lines(store, tmp_path)
    file = tmp_path / "changed.jsonl"
    file.write_text(changed("run", "id", id)(rows))
    with pytest.raises(BadInput, match="A run cannot be named"):
        import_runs(other, file)
    assert other.runs(parent=None) == []


def test_a_run_that_is_its_own_parent_is_refused(store: Store, other: Store, tmp_path: Path) -> None:
    rows = lines(store, tmp_path)
    file = tmp_path / "changed.jsonl"
    file.write_text(
        "\n".join(json.dumps({**row, "parent": row["id"]} if row["record"] == "run" else row) for row in rows)
    )
    with pytest.raises(BadInput, match="is its own parent"):
        import_runs(other, file)
    first = next(row for row in rows if row["record"] == "run")
    circle = [{**first, "id": "a", "parent": "b"}, {**first, "id": "b", "parent": "a"}]
    file.write_text("\n".join(map(json.dumps, circle)))
    with pytest.raises(BadInput, match="is its own parent"):
        import_runs(other, file)
    assert other.runs(parent=None) == []


def test_settings_of_a_run_that_cannot_be_read_are_damage(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    store.begin_run("r", "rollout", {"k": 1})
    with sqlite3.connect(store.path) as connection:
        connection.execute("UPDATE runs SET config = CAST('{\"k' AS BLOB)")
    with pytest.raises(StoreDamaged, match="The settings of run r cannot be read"):
        store.runs()
