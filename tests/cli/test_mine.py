"""`verigym mine` as a user types it: run, review key by key, accept, list, and the history of a task."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.mining.counter import Counter, book, call, squeeze
from verigym.cli.main import app
from verigym.core.errors import VerigymError
from verigym.mining import proposals


class Shell(Counter):
    """A counter of production with a terminal."""

    def __call__(self, *words: str, keys: str = "") -> str:
        result = CliRunner().invoke(app, [*words], input=keys, env={"VERIGYM_HOME": str(self.ws.home)})
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.output

    @property
    def name(self) -> str:
        return self.environment.name

    def json(self, *words: str) -> Any:
        return json.loads(self(*words, "--json"))


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(tmp_path / "home")
    made.failed(squeeze("Ana"), book("Ana", "12:00"), book("Ana", "16:30"))
    made.failed("Mail Bob about Invoice 77", "ok", call("email.send", to="Bob", subject="Invoice 77"))
    made.trace("Tell the landlord", "ok", outcome="failure")
    made.trace("What a day", "indeed")
    return made


def test_it_says_what_it_saw_what_it_made_and_what_to_type(shell: Shell) -> None:
    said = shell("mine", "run", shell.name, "--held-out-share", "0")
    assert "4 traces\n" in said and "4 requests, attempts: 3 failed, 1 unknown" in said
    assert "failures: format error 1, wrong answer 1, wrong arguments 1" in said
    assert "3 failed requests: 1 not verifiable, 2 new" in said
    assert (
        "1  The correct outcome is unknown. The request has no correction, and no trace with the same request succeeded"
        in said
    )
    assert "2 new tasks in 2 families: 2 to train on, 0 held out" in said and "waiting for review: 2 tasks" in said
    assert f"next: verigym mine review {shell.name}   ·   verigym mine accept {shell.name}" in said
    assert f"next: verigym mine review {shell.name}" in shell("mine", "run", shell.name, "--run", "traces-counter")
    again = shell("mine", "run", shell.name)
    assert "3 failed requests: 2 proposed before, 1 not verifiable" in again and "new task" not in again


def test_accept_adds_all_tasks_and_leads_to_an_evaluation(shell: Shell) -> None:
    shell("mine", "run", shell.name, "--held-out-share", "1")
    said = shell("mine", "accept", shell.name)
    assert "added to mined_v1: 2 tasks" in said
    assert f"next: verigym eval {shell.name}+{shell.file} -m champion --split mined_v1" in said
    shell.failed("My Friday 16:30 is for Chen", book("Chen", "12:00"), book("Chen", "16:30"))
    shell("mine", "run", shell.name, "--held-out-share", "0")
    assert "added to train: 1 task\n" in shell("mine", "accept", shell.name)
    assert "no proposal was open" in shell("mine", "accept", shell.name)


def test_where_no_family_is_held_out_it_says_so(shell: Shell) -> None:
    shell("mine", "run", shell.name, "--held-out-share", "0")
    said = shell("mine", "accept", shell.name)
    assert "no mined task is held out yet" in said and f"next: verigym mine list {shell.name}" in said


def test_a_look_accepts_edits_rejects_and_takes_back(shell: Shell) -> None:
    edit = book("Ana", "16:45")
    keys = f"a\nu\ne {book('Ana', '12:00')}\ne {edit}\nx\nr bob is gone\nq\n"
    shell("mine", "run", shell.name, "--held-out-share", "0")
    said = shell("mine", "review", shell.name, keys=keys)
    assert "1 of 2, small/mined/" in said and "2 of 2, small/mined/" in said
    assert 'agent did:\n  calendar.create_event {"attendee":"Ana","day":"Friday","time":"12:00"}' in said
    assert (
        "correct outcome:\n  " + book("Ana", "16:30") in said
        and "  source: correction by ana on traces-counter/0001" in said
    )
    assert "not accepted: With this edit, the failed attempt in traces-counter/0001 would pass" in said
    assert "1 accepted, 1 rejected, 0 still open" in said and "added to train: 1 task" in said
    states = {row["state"]: row for row in shell.json("mine", "list", shell.name)["proposals"]}
    assert set(states) == {"rejected", "taken"}
    assert states["taken"]["task"]["data"]["expected_args"]["time"] == "16:45"
    shown = shell("mine", "show", states["taken"]["proposal"]["id"])
    assert "accepted by " in shown and ": edited" in shown and f"correct outcome: {edit}" in shown
    assert "no proposal waits for review" in shell("mine", "review", shell.name)


def test_a_look_that_is_left_early_keeps_what_was_said(shell: Shell) -> None:
    shell("mine", "run", shell.name)
    said = shell("mine", "review", shell.name, keys="r\n")
    assert "0 accepted, 1 rejected, 1 still open" in said
    assert "1 of 1, small/mined/" in shell("mine", "review", shell.name, keys="")


def test_a_case_of_the_verifier_is_looked_at_and_kept_for_check(shell: Shell) -> None:
    own = shell.environment.tasks("train")[0]
    id = shell.trace(str(own.prompt), "By phone.")
    shell.feedback(id, outcome="success", who="ana", note="by phone is fine")
    said = shell("mine", "run", shell.name)
    assert "1 case in which a person and the verifier disagree" in said and "2 tasks and 1 case" in said
    shell("mine", "accept", shell.name)
    said = shell("mine", "review", shell.name, keys="e never mind\na\n")
    assert "it should pass" in said and 'source: feedback: success, by ana: "by phone is fine"' in said
    assert f"to replay accepted cases of the verifier: verigym check {shell.name}" in said
    assert Path(shell.name).with_name("small.cases.jsonl").is_file()


def test_the_list_shows_every_state_and_what_is_missing(shell: Shell) -> None:
    assert "nothing was mined yet" in shell("mine", "list", shell.name)
    assert "no tasks were mined yet" in shell("mine")
    shell("mine", "run", shell.name)
    shell("mine", "review", shell.name, keys="a\n")
    assert shell.json("mine")["small"]["open"] == 1 and "small" in shell("mine", "list")
    said = shell("mine", "list", shell.name)
    assert "open: 1" in said and "added: 1" in said and "no task can be made from 1 request:" in said
    assert "traces-counter/0003  Tell the landlord  The correct outcome is unknown" in said
    listed = shell.json("mine", "list", shell.name)
    assert [row["state"] for row in listed["proposals"]].count("open") == 1
    assert listed["unverifiable"][0]["trajectories"] == ["traces-counter/0003"]


def test_a_task_and_a_trace_lead_to_each_other(shell: Shell) -> None:
    shell("mine", "run", shell.name)
    found = shell.json("mine", "accept", shell.name)
    made = next(id for ids in found["added"].values() for id in ids)
    shown = shell("mine", "show", made)
    trace = (
        next(line for line in shown.splitlines() if "traces-counter/" in line and "day.jsonl" in line)
        .split(",")[0]
        .strip()
    )
    assert "failure by ana, 2026-03-01 10:00: wrong" in shown and "versions trained on its family: none" in shown
    assert f"next: verigym trajectories show {trace}" in shown
    back = shell("trajectories", "show", trace)
    assert f"task: {made}" in back and "feedback by ana, 2026-03-01 10:00: failure, wrong, correction: " in back
    assert f"next: verigym mine show {made}" in back
    assert shell.json("trajectories", "show", trace)["came"]["tasks"] == [made]
    assert shell.json("mine", "show", made)["proposal"]["id"] == made
    assert trace in shell("trajectories", "list", "traces-counter")


def test_a_trace_without_a_task_says_why(shell: Shell) -> None:
    shell("mine", "run", shell.name)
    back = shell("trajectories", "show", "traces-counter/0003")
    assert (
        "no task was made from it: The correct outcome is unknown" in back
        and "next: verigym mine run ENV --run traces-counter" in back
    )


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["run", "tolcall"], 'Did you mean "toolcall"'),
        (["review", "tolcall"], 'Did you mean "toolcall"'),
        (["accept", "tolcall"], 'Did you mean "toolcall"'),
        (["run", "toolcall", "--run", "nothing"], 'no run "nothing"'),
        (["show", "nothing"], 'no mined task "nothing"'),
    ],
    ids=["unknown", "unknown to review", "unknown to accept", "an unknown run", "an unknown task"],
)
def test_what_cannot_be_meant_is_said_in_words(shell: Shell, words: list[str], error: str) -> None:
    with pytest.raises(VerigymError, match=error):
        shell("mine", *words)


def test_without_traces_it_says_where_they_come_from(tmp_path: Path) -> None:
    with pytest.raises(VerigymError, match=r"No production traces exist yet\. Import some with verigym ingest LOGS"):
        Shell(tmp_path / "home")("mine", "run", "toolcall")


def test_the_page_about_mining_can_be_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/how-to/mine.md, with the file of traces that is shipped for it."""
    root = Path(__file__).parents[2]
    page = (root / "docs" / "how-to" / "mine.md").read_text()
    monkeypatch.chdir(tmp_path)
    shell = Shell(Path(".verigym"), "toolcall")
    shell("ingest", str(root / "examples" / "support.jsonl"), "--name", "support")
    said = shell("mine", "run", "toolcall", "--run", "traces-support").splitlines()
    assert len(said) > 10
    taken = shell("mine", "accept", "toolcall").splitlines()[-4:]
    for line in said + taken:
        assert line in page or "for example traces-support/" in line


def test_review_adds_what_was_accepted_elsewhere(shell: Shell) -> None:
    shell("mine", "run", shell.name, "--held-out-share", "0")
    ids = list(shell.kept().proposals)
    proposals.add_review(shell.ws, proposals.Review(proposals=ids, answer="accepted", who="Ada", when=proposals.now()))
    said = shell("mine", "review", shell.name)
    assert "no proposal waits for review" in said and "added to train: 2 tasks" in said
    assert {shell.kept().state(id) for id in ids} == {"taken"}
