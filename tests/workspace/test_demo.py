"""The recorded workspace of the demonstration: it is what the code of today records, and it overwrites nothing."""

import sqlite3
from pathlib import Path

import msgspec
import pytest

import verigym
from authoring import demo as authored
from tests.cli.empty import empty_workspace
from verigym.core.errors import VerigymError
from verigym.registry import ledger
from verigym.training.alarms import StoredAlarm
from verigym.workspace.demo import NAMES, RECORDING, put_demo


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> verigym.Workspace:
    return verigym.Workspace.demo(tmp_path_factory.mktemp("demo") / "home")


def test_the_same_code_records_the_same_content(tmp_path: Path) -> None:
    authored.build(tmp_path / "played")
    authored.record(tmp_path / "played", tmp_path / "new.db")
    put_demo(tmp_path / "shipped")
    shipped, now = authored.content(tmp_path / "shipped" / "store.db"), authored.content(tmp_path / "new.db")
    for table in shipped:
        assert now[table] == shipped[table], f"{table} differs. Record it again: python -m authoring.demo"
        assert shipped[table], f"{table} is empty"


def test_two_recordings_that_differ_in_one_reply_are_told_apart(tmp_path: Path) -> None:
    put_demo(tmp_path)
    before = authored.content(tmp_path / "store.db")
    with sqlite3.connect(tmp_path / "store.db") as store:
        store.execute("UPDATE trajectories SET body = replace(body, 'Dana', 'Dina')")
    assert authored.content(tmp_path / "store.db") != before


def test_it_is_small() -> None:
    assert RECORDING.stat().st_size <= 1_000_000


def test_it_holds_a_promotion_and_a_rejection_that_names_reward_hacking(demo: verigym.Workspace) -> None:
    names = {version.id: version.name for version in demo.models()}
    assert list(names.values()) == list(NAMES)
    _, promoted, rejected = demo.ledger()
    assert (names[promoted.decision.candidate], promoted.decision.verdict) == ("grpo", "PROMOTE")
    assert names[promoted.champion_after or ""] == names[rejected.champion_after or ""] == "grpo"
    assert (names[rejected.decision.candidate], rejected.decision.verdict) == ("hacked", "REJECT")
    failed = {check.name: check.words for check in rejected.decision.checks if check.outcome == "fail"}
    assert failed["reward and success agree"].startswith("reward hacking: in its training")


def test_reward_rises_while_held_out_success_falls_in_the_training_of_the_hacked_version(
    demo: verigym.Workspace,
) -> None:
    curves = {name: list(curve.values()) for name, curve in demo.metrics(demo.agent("hacked")).curves.items()}
    assert curves["reward"][-1] > curves["reward"][0] + 0.2
    assert curves["held_out_success"][-1] < curves["held_out_success"][0] - 0.3
    alarms = demo.folder.store.documents("alarm", StoredAlarm)
    hacked = [alarm for alarm in alarms if alarm.run == demo.agent("hacked").recipe["run"]]
    assert ("held-out falls", "held_out_success") in {(alarm.kind, alarm.metric) for alarm in hacked}


@pytest.mark.parametrize(("candidate", "champion"), [("grpo", "base"), ("hacked", "grpo")])
def test_the_gate_decides_again_from_what_is_stored(tmp_path: Path, candidate: str, champion: str) -> None:
    with verigym.Workspace.demo(tmp_path / "home") as ws:
        entries, runs = ws.ledger(), ws.runs()
        recorded = [msgspec.structs.replace(entry.decision, seals={}) for entry in entries]
        decision = ws.gate(candidate, champion=champion)
        assert decision in recorded, "the same verdict by the same checks in the same words"
        assert ws.ledger() == entries, "asked again, it is not recorded twice"
        assert ws.runs() == runs, "no episode was run"


def test_the_ledger_and_everything_but_the_weights_are_intact(demo: verigym.Workspace) -> None:
    assert ledger.verify_chain(demo.folder.store) == 3
    unsound = [check for check in demo.check_integrity() if not check.sound]
    assert {check.what for check in unsound} == {"adapter"}


def test_a_demo_that_is_there_already_is_used_as_it_is(tmp_path: Path) -> None:
    assert put_demo(tmp_path / "home")
    with verigym.Workspace(tmp_path / "home") as ws:
        mine = ws.new_version("mine", parent="base", system="Be brief.")
    assert not put_demo(tmp_path / "home")
    with verigym.Workspace.demo(tmp_path / "home") as ws:
        assert mine in ws.models()


def test_another_workspace_is_refused_and_unchanged(tmp_path: Path) -> None:
    home = empty_workspace(tmp_path / "home")
    before = (home / "store.db").read_bytes()
    with pytest.raises(VerigymError, match=r"is another workspace\. Nothing was changed\. Name another folder"):
        put_demo(home)
    assert (home / "store.db").read_bytes() == before


@pytest.mark.parametrize("taken", ["a folder with files", "a file"])
def test_what_is_there_is_never_overwritten(tmp_path: Path, taken: str) -> None:
    home, file = tmp_path / "home", tmp_path / "home"
    if taken == "a folder with files":
        home.mkdir()
        file = home / "notes.txt"
    file.write_text("mine")
    with pytest.raises(VerigymError, match="is not an empty folder"):
        put_demo(home)
    assert file.read_text() == "mine"
    assert home.is_file() or list(home.iterdir()) == [file]
