"""The first page as a struct: champion, lineage, what is running, and every rule of what to do next."""

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from tests.view.store import make_store
from tests.view.versions_store import AROUND, HOSTILE, add_decision, add_measured, add_version, check
from verigym.core.records import Decision, Feedback, FunctionCall, Item, Label, Task, Version
from verigym.mining.proposals import MiningSummary, Proposal, Review
from verigym.registry import ledger
from verigym.store.database import Store
from verigym.training.alarms import StoredAlarm
from verigym.view import next_steps, render
from verigym.view.page import Query
from verigym.view.pages.home import HomePage, home_page
from verigym.view.read import Reader
from verigym.workspace.demo import put_demo


class Desk:
    """A champion with a report of 8 tasks, 6 of them passed."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.store = Store(home / "store.db")
        self.champion = add_version(self.store, "champion")
        ledger.set_first_champion(self.store, self.champion.id, who="Ada", why="the base agent")
        self.before = add_measured(self.store, "eval-1", self.champion.id, lambda n, k: n < 6)
        self.reader = Reader(home)

    def candidate(self, name: str, verdict: str, **fields: Any) -> Version:
        version = add_version(self.store, name, parent=self.champion.id)
        report = add_measured(self.store, f"eval-{name}", version.id, lambda n, k: n < 2)
        outcome = {"REJECT": "fail", "PROMOTE": "pass"}.get(verdict, "unclear")
        add_decision(self.store, self.before, report, verdict, [check(outcome=outcome, **fields)])
        return version

    def page(self) -> HomePage:
        return home_page(self.reader, Query())

    def steps(self) -> list[str]:
        return [step.words for step in self.page().steps]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_an_empty_workspace_says_what_verigym_is_and_three_ways_in(tmp_path: Path):
    page = home_page(Reader(tmp_path), Query())
    assert "failures into a better version" in page.empty
    assert [way.command for way in page.ways] == ["verigym demo", "verigym quickstart", "verigym init my-agent"]
    assert render.html("home.html", page, **AROUND)


def test_the_demo_shows_its_champion_its_tree_and_why_the_last_candidate_was_rejected(tmp_path: Path):
    put_demo(tmp_path)
    page = home_page(Reader(tmp_path), Query())
    assert page.champion is not None and page.champion.success is not None
    assert (page.champion.version.label, page.champion.base, page.champion.entry) == ("grpo", "demo-model", 2)
    assert page.champion.success.value == pytest.approx(0.823, abs=0.001)
    assert page.champion.gain == pytest.approx(0.341, abs=0.001)
    assert [(node.label, node.verdict, node.champion) for node in page.nodes] == [
        ("base", "", False), ("grpo", "PROMOTE", True), ("hacked", "REJECT", False),
    ]  # fmt: skip
    assert page.steps[0].words == "See why hacked was rejected" and page.steps[0].href == "/gate/3"
    assert [row.seq for row in page.entries] == [3, 2, 1]
    html = render.html("home.html", page, **AROUND)
    assert "82%" in html and "became champion" in html and html.count('href="/gate/3"') >= 2


def test_runs_without_a_champion_say_how_to_name_one(tmp_path: Path):
    store = Store(tmp_path / "store.db")
    add_measured(store, "eval-1", "unregistered", lambda n, k: True)
    page = home_page(Reader(tmp_path), Query())
    assert page.champion is None and page.empty == ""
    assert "verigym promote VERSION" in render.html("home.html", page, **AROUND)


def test_a_champion_that_was_deleted_or_never_measured_is_still_shown(tmp_path: Path):
    store = Store(tmp_path / "store.db")
    version = add_version(store, "gone")
    ledger.set_first_champion(store, version.id)
    reader = Reader(tmp_path)
    page = home_page(reader, Query())
    assert [step.words for step in page.steps] == ["Measure the champion"]
    store.delete("version", version.id)
    page = home_page(reader, Query())
    assert page.champion is not None and not page.champion.version.known and page.steps == []
    assert "deleted" in render.html("home.html", page, **AROUND)


def test_a_rollback_and_an_override_are_named_as_what_made_the_champion(desk: Desk):
    other = add_version(desk.store, "other", parent=desk.champion.id)
    decision = Decision(candidate=other.id, champion=desk.champion.id, verdict="REJECT", kind="override")
    ledger.promote(desk.store, decision, why="today")
    assert (champion := desk.page().champion) is not None and champion.by == "override"
    ledger.rollback(desk.store, why="wrong")
    page = desk.page()
    assert page.champion is not None and (page.champion.by, page.champion.previous) == ("rollback", "other")
    assert "a rollback" in render.html("home.html", page, **AROUND)


def test_a_champion_that_fails_tasks_asks_for_advice_until_a_version_is_made_from_it(desk: Desk):
    assert desk.steps() == ["See why champion fails"]
    [step] = desk.page().steps
    assert (step.command, step.href) == ("verigym advise eval-1", "/failures/eval-1")
    add_version(desk.store, "next", parent=desk.champion.id)
    assert desk.steps() == []


def test_an_interrupted_run_comes_first_with_the_command_that_goes_on(desk: Desk):
    config = {"environment": "desk", "agent": desk.champion.id, "num_tasks": 40, "k": 2, "sampling": {"temperature": 0}}
    desk.store.begin_run("eval-2", "eval", config, [Task(id="t", prompt="p", split="val")])
    [step, _] = desk.page().steps
    assert step.words == "Resume the interrupted run eval-2"
    assert step.command == "verigym eval desk -m champion -n 40 -k 2 --temperature 0"


def test_a_run_that_is_alive_is_shown_with_its_progress_and_is_nothing_to_do(desk: Desk):
    tasks = [Task(id=f"t{n}", prompt="p", split="val") for n in range(4)]
    desk.store.begin_run("eval-2", "eval", {"environment": "desk", "agent": desk.champion.id, "k": 2}, tasks)
    _mark_alive(desk.home, "eval-2")
    desk.store.begin_run("train-1", "train", {"recipe": {"steps": 40}})
    _mark_alive(desk.home, "train-1")
    desk.store.add_metrics("train-1", 12, {"reward": 0.5})
    alarm = StoredAlarm(run="train-1", step=12, kind="entropy falls", words="it fell", remedy="lower it")
    desk.store.put("alarm", alarm.id, alarm)
    page = desk.page()
    rows = {row.id: row for row in page.running}
    assert (rows["eval-2"].done, rows["eval-2"].total, rows["eval-2"].agent) == (0, 8, "champion")
    assert (rows["train-1"].done, rows["train-1"].total, rows["train-1"].alarms) == (12, 40, 1)
    assert page.live == "home"
    html = render.html("home.html", page, **AROUND)
    assert 'id="bar-eval-2" max="8" value="0"' in html and 'id="step-train-1">12 of 40' in html
    assert page.steps[0].words == "Look at an alarm in training run train-1: entropy falls"


def test_an_alarm_is_settled_once_the_gate_has_decided(desk: Desk):
    desk.store.begin_run("train-1", "train", {"recipe": {"steps": 40}})
    desk.store.finish_run("train-1")
    alarm = StoredAlarm(run="train-1", step=3, kind="held-out falls", words="it fell", remedy="stop")
    desk.store.put("alarm", alarm.id, alarm)
    assert desk.steps()[0].startswith("Look at an alarm")
    version = add_version(desk.store, "trained", recipe={"run": "train-1", "algorithm": "grpo"})
    report = add_measured(desk.store, "eval-t", version.id, lambda n, k: True)
    add_decision(desk.store, desk.before, report, "PROMOTE", [check()])
    assert not any(step.startswith("Look at an alarm") for step in desk.steps())


def test_an_open_decision_names_the_tasks_that_are_needed(desk: Desk):
    desk.candidate("unsure", "NEED MORE DATA", needed_families=40)
    step = next(step for step in desk.page().steps if step.words.startswith("Give the gate"))
    assert step.words == "Give the gate more data about unsure"
    assert step.why == "The gate could not decide. About 40 new families of tasks would settle it."


def test_a_promotion_that_nobody_carried_out_waits(desk: Desk):
    desk.candidate("good", "PROMOTE")
    assert "Promote good" in desk.steps()
    assert "verigym promote good" in [step.command for step in desk.page().steps]


def test_only_the_newest_decision_is_a_rejection_to_look_at(desk: Desk):
    desk.candidate("bad", "REJECT")
    assert desk.steps()[0] == "See why bad was rejected"
    desk.candidate("good", "PROMOTE")
    assert "See why bad was rejected" not in desk.steps()


def test_open_proposals_wait_for_a_person(desk: Desk):
    for number in range(3):
        task = Task(id=f"mined/{number}", prompt="p", family="f")
        proposal = Proposal(
            id=task.id, environment="desk", task=task, right="x", source="s", did="d", bucket="b", signals=[], trajectories=[],
        )  # fmt: skip
        desk.store.put("proposal", task.id, proposal)
    assert "Review 3 tasks mined from production" in desk.steps()
    desk.store.put("review", "r1", Review(proposals=["mined/0", "mined/1"], answer="rejected"))
    assert "Review 1 task mined from production" in desk.steps()
    desk.store.put("review", "r2", Review(proposals=["mined/0"], answer="open"))
    assert "Review 2 tasks mined from production" in desk.steps()


def test_people_who_disagree_with_the_verifier_are_something_to_look_at(desk: Desk):
    desk.store.put("label", "l1", Label(trajectory="eval-1/task-0/0", judgement="good", who="Ada"))
    assert not any("disagreement" in step for step in desk.steps())
    desk.store.put("label", "l2", Label(trajectory="eval-1/task-1/0", judgement="bad", who="Ada"))
    step = next(step for step in desk.page().steps if "disagreement" in step.words)
    assert step.words == "Look at 1 disagreement between people and the verifier"
    assert (step.command, step.href) == ("verigym audit run desk eval-1", "/audit/desk")


def test_a_suite_that_many_versions_were_measured_on_is_worn(desk: Desk):
    for number in range(10):
        add_measured(desk.store, f"more-{number}", f"version-{number}", lambda n, k: True)
    step = next(step for step in desk.page().steps if step.words.startswith("Reserve"))
    assert step.why.startswith("11 versions were measured on desk:val")


def test_a_new_version_of_the_suite_asks_for_the_champion(desk: Desk):
    add_version(desk.store, "next", parent=desk.champion.id)
    add_measured(desk.store, "eval-2", "other", lambda n, k: True, tasks=9)
    assert desk.steps() == ["Measure the champion on the newest version of desk:val"]
    add_measured(desk.store, "eval-3", desk.champion.id, lambda n, k: True, tasks=9)
    assert desk.steps() == []


def test_corrections_that_were_not_mined_are_something_to_do(desk: Desk):
    correction: list[Item] = [FunctionCall("c", "mail.send", "{}")]
    for number in range(2):
        feedback = Feedback(trajectory=f"traces/{number}", outcome="failure", correction=correction)
        desk.store.put("feedback", f"f{number}", feedback)
    assert "Mine 2 conversations that people corrected" in desk.steps()
    summary = MiningSummary(environment="desk", counts={}, buckets={}, unverifiable=[], tasks={"traces/0": "task-1"})
    desk.store.put("mining", "m1", summary)
    assert "Mine 1 conversation that people corrected" in desk.steps()


def test_there_are_at_most_five_steps(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    step = next_steps.Step(words="do it")
    monkeypatch.setattr(next_steps, "RULES", (lambda reader: step,) * 9)
    assert len(desk.page().steps) == 5


def test_every_kind_of_record_together_makes_a_page(tmp_path: Path):
    made = make_store(tmp_path / "home")
    page = home_page(Reader(made.home), Query())
    assert page.steps[0].words.startswith("Resume the interrupted run odd/")
    assert render.html("home.html", page, **AROUND) and render.json(page)


def test_hostile_names_stay_text(tmp_path: Path):
    store = Store(tmp_path / "store.db")
    version = Version(base=HOSTILE, id="v<1>", name=HOSTILE)
    store.put("version", version.id, version)
    ledger.set_first_champion(store, version.id, who=HOSTILE, why=HOSTILE)
    store.begin_run("run <b>", "eval", {"environment": HOSTILE, "agent": "v<1>"})
    _mark_alive(tmp_path, "run <b>")
    html = render.html("home.html", home_page(Reader(tmp_path), Query()), **AROUND)
    assert "<b onmouseover" not in html and "<b>" not in html


def test_a_long_ledger_is_read_once(tmp_path: Path):
    desk = Desk(tmp_path)
    desk.candidate("bad", "REJECT")
    body = desk.store.ledger()[-1]
    with desk.store._writing() as connection:  # the chain is not checked here
        connection.exec_driver_sql(
            "INSERT INTO ledger (seq, body) VALUES (?, ?)",
            [(seq, body.replace(b'"seq":2', b'"seq":%d' % seq)) for seq in range(3, 2003)],
        )
    page = desk.page()
    assert page.num_entries == 2002 and page.entries[0].seq == 2002
    with desk.store._writing() as connection:
        connection.exec_driver_sql("DROP TRIGGER ledger_no_update")
        connection.exec_driver_sql("UPDATE ledger SET body = 'not JSON' WHERE seq < 1000")
    assert desk.page().num_entries == 2002
    assert home_page(Reader(tmp_path), Query()).num_entries == 1003, "who reads it now cannot read the old entries"


def _mark_alive(home: Path, run: str) -> None:
    folder = home / "running"
    folder.mkdir(exist_ok=True)
    (folder / hashlib.sha256(run.encode()).hexdigest()[:16]).write_text(f"pid {os.getpid()}")
