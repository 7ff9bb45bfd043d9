"""The way of a failure, both ways: trace, feedback, proposal, decision, task, version, report, and back."""

import pytest

from tests.mining.counter import Counter, book, squeeze
from verigym.core.errors import NotFound
from verigym.core.records import Decision, Estimate, Report, TaskResult, Version
from verigym.environments.load import load_environment
from verigym.evaluation.suites import make_suite
from verigym.mining.provenance import task_provenance, trace_provenance
from verigym.registry import ledger


def mined(counter: Counter) -> tuple[str, str]:
    """A trace and the task that was made of it, taken."""
    trace = counter.failed(squeeze("Ana"), book("Ana", "12:00"), book("Ana", "16:30"))
    (made,) = counter.mine(accept=True, who="eva", held_out_share=1.0).proposed
    return trace, made


def test_a_task_leads_to_its_trace_feedback_decision_versions_and_reports(counter: Counter) -> None:
    trace, made = mined(counter)
    environment = load_environment(f"{counter.environment.name}+{counter.file}")
    (task,) = environment.tasks("mined_v1")
    trained = counter.ws.register(Version(base="m", name="trained", families=[task.family]))
    counter.ws.register(Version(base="other", name="other", families=["another"]))
    suite = make_suite("small_v1", environment.name, [task], environment.verifier.name)
    result = TaskResult(task=made, family=task.family, passed=1.0)
    success = {"success": Estimate(1.0, 0.2, 1.0, 1)}
    report = Report(
        id="rep", run="eval-1", agent=trained.id, suite=suite, metrics=success, results=[result], buckets={}
    )
    counter.ws.store.put("report", "rep", report)
    ledger.set_first_champion(counter.ws.store, trained.id)
    decision = Decision(candidate=trained.id, champion=trained.id, verdict="REJECT", reports=["rep"])
    ledger.record(counter.ws.store, decision, moves=False, why="a test")
    found = task_provenance(counter.ws, made)
    (came,) = found.traces
    assert (came.id, came.source) == (trace, "day.jsonl:0001") and [one.who for one in came.feedback] == ["ana"]
    assert [(one.answer, one.who) for one in found.reviews] == [("accepted", "eva")] and found.taken
    assert (found.state, found.task.split, found.versions) == ("taken", "mined_v1", [trained.id])
    assert [(one.report, one.version, one.decisions) for one in found.reports] == [("rep", trained.id, ["2: REJECT"])]


def test_a_trace_leads_to_its_task(counter: Counter) -> None:
    trace, made = mined(counter)
    again = counter.trace(squeeze("Ana"), book("Ana", "11:00"), outcome="failure")
    counter.mine()
    assert trace_provenance(counter.ws, trace).tasks == trace_provenance(counter.ws, again).tasks == [made]
    assert task_provenance(counter.ws, trace).proposal.id == made
    with pytest.raises(NotFound, match=f"No task was made from trace {again}: Task {made}"):
        task_provenance(counter.ws, again)


def test_a_trace_of_which_no_task_was_made_says_why(counter: Counter) -> None:
    mined(counter)
    lost = counter.trace("Tell nobody", "ok", outcome="failure")
    counter.mine()
    assert trace_provenance(counter.ws, lost).missing == [
        "The correct outcome is unknown. The request has no correction, and no trace with the same request succeeded"
    ]
    with pytest.raises(NotFound, match="no correction, and no trace"):
        task_provenance(counter.ws, lost)


def test_a_part_of_an_id_is_enough_and_what_is_unknown_is_said(counter: Counter) -> None:
    _, made = mined(counter)
    assert task_provenance(counter.ws, made[-8:]).proposal.id == made
    with pytest.raises(NotFound, match='no mined task "nothing"'):
        task_provenance(counter.ws, "nothing")
    counter.failed("Send Bob the figures", "no", '{"tool": "email.send", "args": {"to": "Bob", "subject": "figures"}}')
    counter.mine()
    with pytest.raises(NotFound, match='"small/mined/" matches 2 proposals'):
        task_provenance(counter.ws, "small/mined/")


def test_the_way_back_outlives_the_trace(counter: Counter) -> None:
    trace, made = mined(counter)
    counter.ws.store.delete_run("traces-counter")
    (came,) = task_provenance(counter.ws, made).traces
    assert (came.id, came.source) == (trace, "") and came.feedback
