"""Data sets: kept whole or not at all, found by name, refused where they are not what was written."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.records import (
    Dataset,
    Example,
    Message,
    Preference,
    Task,
    Toolset,
    ToolSpec,
    Trajectory,
    Turn,
    Verdict,
)
from verigym.workspace import datasets as data
from verigym.workspace.workspace import WorkspaceFolder

TOOLS = Toolset([ToolSpec(name="add")], "t1")
COUNTS = {"looked at": 2, "kept": 1, "not passed": 1}


@pytest.fixture
def ws(tmp_path: Path) -> WorkspaceFolder:
    return WorkspaceFolder(tmp_path / "home")


def example(text: str = "Hello ü 🎉", task: str = "a") -> Example:
    return Example(task=task, items=[Message("user", "Hi"), Message("assistant", text)], made=[(1, 2)])


def keep(ws: WorkspaceFolder, *rows: Example, name: str = "") -> Dataset:
    return data.keep(ws, list(rows), COUNTS, environment="desk", source="a test", name=name)


def run(ws: WorkspaceFolder, rewards: list[float], split: str = "train", tools: str = "t1") -> str:
    """A stored run of one task, an episode a reward, each with words of its own."""
    ws.store.begin_run("rollout-1", "rollout", {"environment": "desk"}, [Task(id="a", prompt="Hi", split=split)])
    ws.store.put("tools", TOOLS.hash, TOOLS)
    made = [
        Trajectory(
            id=f"rollout-1/a/{place}",
            task="a",
            group="a",
            index=place,
            items=[Message("user", "Hi"), Message("assistant", f"reply {place}")],
            turns=[Turn(saw=[(0, 1)], made=[1])],
            tools=tools,
        )
        for place in range(len(rewards))
    ]
    verdicts = [
        Verdict(trajectory=one.id, verifier="v@1", reward=reward, passed=reward >= 1)
        for one, reward in zip(made, rewards, strict=True)
    ]
    ws.store.add("rollout-1", made, verdicts)
    return "rollout-1"


# -- out of runs --------------------------------------------------------------------------------------------------------


def test_a_run_becomes_demonstrations_and_pairs(ws: WorkspaceFolder) -> None:
    run(ws, [1.0, 0.0, 0.5])
    shown = data.from_demonstrations(ws, "latest")
    assert (shown.kind, shown.environment, shown.rows, shown.tasks, shown.families) == (
        "demonstrations",
        "desk",
        1,
        1,
        ["a"],
    )
    assert shown.counts == {"looked at": 3, "kept": 1, "not passed": 2}
    row = next(data.rows(ws, shown))
    assert isinstance(row, Example) and row.tools == TOOLS.tools and row.items[1] == Message("assistant", "reply 0")
    pairs = data.from_rewards(ws, "rollout", gap=0.5)
    row = next(data.rows(ws, pairs))
    assert isinstance(row, Preference) and row.margin == 1.0 and row.rejected == [Message("assistant", "reply 1")]
    assert data.known(ws) == [shown, pairs] and data.find(ws, "latest") == pairs


def test_a_run_that_gives_nothing_says_what_there_was_and_what_to_do(ws: WorkspaceFolder) -> None:
    with pytest.raises(NotFound, match='no run "nosuch"'):
        data.from_demonstrations(ws, "nosuch")
    ws.store.begin_run("rollout-0", "rollout", {}, [Task(id="a", prompt="Hi")])
    with pytest.raises(Refused, match="Run rollout-0 has no episodes yet"):
        data.from_rewards(ws, "rollout-0")
    run(ws, [0.5, 0.5])
    with pytest.raises(
        Refused, match=r"no episode to imitate \(looked at 2, not passed 2\). Find out why.*explain rollout-1"
    ):
        data.from_demonstrations(ws, "rollout-1")
    with pytest.raises(Refused, match=r"differ by --gap \(looked at 2, too close 2\). Lower --gap"):
        data.from_rewards(ws, "rollout-1")
    with pytest.raises(
        Refused, match=r"no label with a preference \(looked at 0\). Add labels: verigym label rollout-1"
    ):
        data.from_labels(ws, "rollout-1")
    assert data.known(ws) == [] and not (ws.home / "data").exists()


def test_a_held_out_run_is_refused(ws: WorkspaceFolder) -> None:
    with pytest.raises(Refused, match='in split "val"'):
        data.from_demonstrations(ws, run(ws, [1.0], split="val"))


def test_tools_that_nobody_knows_are_refused_in_words(ws: WorkspaceFolder) -> None:
    with pytest.raises(BadInput, match=r"its tool descriptions \(gone\) are missing from"):
        data.from_demonstrations(ws, run(ws, [1.0], tools="gone"))


# -- keeping and finding ------------------------------------------------------------------------------------------------


def test_the_same_rows_are_one_data_set(ws: WorkspaceFolder) -> None:
    first = keep(ws, example(), name="mine")
    assert keep(ws, example()) == first == keep(ws, example(), name="other")
    again = data.keep(ws, [example()], {"looked at": 9, "kept": 1, "twice": 8}, environment="", source="elsewhere")
    assert (again.id, again.name, again.counts["twice"]) == (first.id, "mine", 8)
    assert data.known(ws) == [first] and len(list((ws.home / "data").iterdir())) == 1


def test_a_data_set_is_found_by_name_id_beginning_latest_and_path(ws: WorkspaceFolder, tmp_path: Path) -> None:
    one, two = keep(ws, example(), name="one"), keep(ws, example("Bye"))
    assert data.find(ws, "one") == data.find(ws, one.id) == data.find(ws, one.id[:10]) == one
    assert data.find(ws, "latest") == two == data.find(ws, two.name)
    assert data.find(ws, str(data.path_of(ws, one.id))).name == "one"
    (tmp_path / "own.jsonl").write_text('{"prompt": "Hi", "completion": "Hello"}\n')
    found = data.find(ws, str(tmp_path / "own.jsonl"))
    assert found.name.startswith("own-") and data.find(ws, found.id) == found


def test_a_name_that_does_not_exist_is_answered_with_those_that_do(ws: WorkspaceFolder) -> None:
    with pytest.raises(NotFound, match=r'no dataset "latest"\. No dataset exists yet'):
        data.find(ws, "latest")
    keep(ws, example(), name="polite")
    with pytest.raises(NotFound, match=r'no dataset "polit"\. Did you mean "polite"'):
        data.find(ws, "polit")
    with pytest.raises(NotFound, match=r"Available: polite\. List them: verigym data list"):
        data.find(ws, "")
    with pytest.raises(BadInput, match=r"nosuch.jsonl does not exist"):
        data.find(ws, "nosuch.jsonl")


def test_a_beginning_that_fits_two_is_refused(ws: WorkspaceFolder) -> None:
    made = [keep(ws, example(str(place))) for place in range(20)]
    twice = next(one.id[0] for one in made if sum(other.id[0] == one.id[0] for other in made) > 1)
    with pytest.raises(BadInput, match=r"datasets: .*Write a longer prefix"):
        data.find(ws, twice)


def test_a_name_belongs_to_its_rows(ws: WorkspaceFolder) -> None:
    keep(ws, example(), name="mine")
    with pytest.raises(Refused, match='The name "mine" is taken by another dataset'):
        keep(ws, example("Bye"), name="mine")
    with pytest.raises(BadInput, match="cannot be named latest"):
        keep(ws, example(), name="latest")


# -- what may go wrong --------------------------------------------------------------------------------------------------


def test_a_file_that_was_changed_or_lost_is_refused_and_made_again_by_the_same_call(ws: WorkspaceFolder) -> None:
    made = keep(ws, example(), example("Bye"))
    path = data.path_of(ws, made.id)
    path.write_bytes(path.read_bytes().replace(b"Bye", b"bye"))
    with pytest.raises(Refused, match=r"have changed.*Restore the file, or create the dataset again \(a test\)"):
        list(data.rows(ws, made))
    path.unlink()
    with pytest.raises(NotFound, match="cannot be read"):
        list(data.rows(ws, made))
    keep(ws, example(), example("Bye"))
    assert list(data.rows(ws, made)) == [example(), example("Bye")]


def test_killed_between_the_file_and_the_store_the_same_call_goes_on(ws: WorkspaceFolder, tmp_path: Path) -> None:
    made = keep(ws, example())
    killed = WorkspaceFolder(tmp_path / "killed")
    shutil.copytree(ws.home / "data", killed.home / "data")
    assert data.known(killed) == []
    assert keep(killed, example()) == made
    assert list(data.rows(killed, made)) == [example()] and len(list((killed.home / "data").iterdir())) == 1


def test_a_full_disk_leaves_nothing_half(ws: WorkspaceFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        with pytest.raises(BadInput, match="cannot be written: No space left on device"):
            keep(ws, example())
    assert data.known(ws) == [] and list((ws.home / "data").iterdir()) == []
    assert keep(ws, example()).rows == 1
