"""Failures that need a state: where it started, what was right, and what is only known to be wrong."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.mining.counter import RUN
from verigym.audit.scripted_episodes import play
from verigym.core import event_loop
from verigym.core.errors import InfrastructureFailure, Refused
from verigym.core.protocols import Policy, Request
from verigym.core.records import Feedback, FunctionCall, Item, Message, Task, Trajectory, Version, content_hash
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec, Reply
from verigym.mining import proposals
from verigym.mining.mine import MiningReport, mine
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.settings import RunSettings
from verigym.tasks.load import load_tasks
from verigym.traces.redaction import Redaction
from verigym.verifiers.judge import ScriptedJudge
from verigym.workspace.datasets import from_demonstrations
from verigym.workspace.measure import rollout
from verigym.workspace.workspace import WorkspaceFolder

CELLAR = '''
from verigym import Task, tool
def tasks(split):
    goods = {"train": {"jam": 4, "wine": 9}, "val": {"beets": 3, "rum": 6}}[split]
    return [Task(id=f"cellar/{split}", prompt=f"Count everything ({split})", data={"goods": goods, "expected_goods": goods},
                 split=split, family=split)]
class Environment:
    system = "You keep a cellar."
    def open(self, task): self.goods = dict(task.data["goods"])
    def end_state(self): return {"goods": self.goods}
    @tool
    def count(self, goods: str) -> str:
        """How many there are."""
        return f"{self.goods[goods]} {goods}"
    @tool
    def take(self, goods: str, number: int) -> str:
        """Take some out."""
        self.goods[goods] -= number
        return f"took {number}"
def verify(task, trajectory): return float(trajectory.end_state["goods"] == task.data["expected_goods"])
'''
TEACHER = Version(base="http://127.0.0.1:1/v1#wise", id="wise")


def call(name: str, **arguments: Any) -> FunctionCall:
    return FunctionCall("c", name, msgspec.json.encode(arguments).decode())


COUNT: list[Item]
THREE: list[Item]
TWO: list[Item]
COUNT, THREE, TWO = (
    [call("count", goods="wine")],
    [call("take", goods="wine", number=3)],
    [call("take", goods="wine", number=2)],
)
ASKED = "Guests come tonight, bring up three bottles of wine"


class Scripted(WorkspaceFolder):
    """A workspace whose teacher and judge are scripted."""

    teacher: Policy
    judge: Policy

    def open_policy(self, version: Version) -> Policy:
        return self.teacher

    def open_judge(self, version: Version) -> Policy:
        return self.judge


class Floor:
    """Production of an environment: episodes that were really played, as traces."""

    def __init__(self, folder: Path, environment: str) -> None:
        self.ws = Scripted(folder / "home")
        self.environment = load_environment(environment)
        self.number = 0

    def trace(self, task: Task, replies: list[Reply], *, redact: bool = False, **fields: Any) -> str:
        self.number += 1
        id = f"{RUN}/{self.number:04}"
        played = event_loop.run(play(self.environment, task, replies, policies={}, scored=False)).trajectory
        trace = Trajectory(id=id, task=id, group=id, items=played.items, source=f"day.jsonl:{self.number}", **fields)
        self.ws.store.begin_run(RUN, "traces", {})
        self.ws.store.add(RUN, [Redaction().trajectory(trace) if redact else trace])
        return id

    def say(self, trace: str, correction: str | Sequence[Item] = "", **fields: Any) -> None:
        items = [Message("assistant", correction)] if isinstance(correction, str) and correction else list(correction)
        said = Feedback(trajectory=trace, correction=items, who="ana", when="2026-03-01", **fields)  # type: ignore[arg-type]
        self.ws.store.put("feedback", content_hash(said)[:16], said)

    def mine(self, **options: Any) -> MiningReport:
        return mine(self.ws, self.environment, [RUN], **options)

    def proposal(self, id: str) -> proposals.Proposal:
        return proposals.read_proposals(self.ws, self.environment.name).proposals[id]


@pytest.fixture
def cellar(tmp_path: Path) -> Floor:
    (tmp_path / "cellar.py").write_text(CELLAR)
    return Floor(tmp_path, str(tmp_path / "cellar.py"))


def wine(floor: Floor, prompt: str = ASKED) -> Task:
    [own] = floor.environment.tasks("train")
    return msgspec.structs.replace(own, prompt=prompt)


def passes(environment: EnvironmentSpec, task: Task, replies: list[Reply]) -> bool:
    return event_loop.run(play(environment, task, replies)).verdict.passed


def test_a_twin_that_succeeded_makes_a_task_by_its_end_state(cellar: Floor) -> None:
    failed = cellar.trace(wine(cellar), [COUNT, TWO, "Done."], outcome="failure")
    cellar.trace(wine(cellar), [COUNT, THREE, "There you are."], outcome="success")
    found = cellar.mine(accept=True)
    (task,) = load_tasks(proposals.file_of(cellar.ws, cellar.environment.name))
    assert found.summary.sources == {"twin": 1} and task.lineage == [f"trace {failed}"]
    environment = load_environment(found.environment)
    assert passes(environment, task, environment.gold_replies(task)) and passes(environment, task, [THREE, "Ok"])
    assert not passes(environment, task, [COUNT, TWO, "Done."])
    assert "expected_goods" not in task.data and task.data["goods"] == {"jam": 4, "wine": 9}


def test_a_correction_may_replace_only_the_step_that_was_wrong(cellar: Floor) -> None:
    trace = cellar.trace(wine(cellar), [COUNT, TWO, "Done."])
    cellar.say(trace, THREE)
    (id,) = cellar.mine().proposed
    assert cellar.proposal(id).by == "correction" and cellar.proposal(id).source == f"correction by ana on {trace}"


def test_a_known_end_state_is_a_correction_too(cellar: Floor) -> None:
    cellar.say(cellar.trace(wine(cellar), [COUNT, TWO, "Done."]), '{"end_state": {"goods": {"jam": 4, "wine": 6}}}')
    found = cellar.mine(accept=True)
    (id,) = found.proposed
    environment = load_environment(found.environment)
    task = next(task for task in load_tasks(proposals.file_of(cellar.ws, cellar.environment.name)) if task.id == id)
    assert cellar.proposal(id).by == "end state" and passes(environment, task, [THREE, "Done."])


def test_two_ways_to_the_same_end_agree_and_two_ends_do_not(cellar: Floor) -> None:
    one: list[Item] = [call("take", goods="wine", number=1)]
    cellar.trace(wine(cellar), [COUNT, TWO, "Done."], outcome="failure")
    cellar.trace(wine(cellar), [COUNT, THREE, "Done."], outcome="success")
    cellar.trace(wine(cellar), [COUNT, TWO, one, "Done."], outcome="success")
    assert len(cellar.mine().proposed) == 1
    other = "The cook needs one jar of jam"
    for number, outcome in ((1, "success"), (2, "success"), (3, "failure")):
        replies: list[Reply] = [[call("count", goods="jam")], [call("take", goods="jam", number=number)], "Done."]
        cellar.trace(wine(cellar, other), replies, outcome=outcome)
    again = cellar.mine()
    assert again.proposed == [] and "end differently" in again.summary.unverifiable[0].missing


def wise(*answers: Reply) -> Callable[[Request], Any]:
    return lambda request: answers[min(len(request.turns), len(answers) - 1)]


def test_a_teacher_that_agrees_with_itself_is_gold_and_is_not_asked_again(cellar: Floor) -> None:
    asked: list[Request] = []

    def answer(request: Request) -> Any:
        asked.append(request)
        return wise(COUNT, THREE, "Done.")(request)

    cellar.trace(wine(cellar), [COUNT, TWO, "Done."], outcome="failure")
    cellar.ws.teacher = ScriptedPolicy(answer)
    found = cellar.mine(teacher=TEACHER, accept=True)
    (id,) = found.proposed
    assert cellar.proposal(id).by == "teacher" and "3 of 3 episodes agree" in cellar.proposal(id).source
    assert sum(map(len, found.added.values())) == 1 and len(asked) == 9
    assert cellar.mine(teacher=TEACHER, accept=True).proposed == [] and len(asked) == 9


def test_a_teacher_that_is_unsure_needs_one_keypress(cellar: Floor) -> None:
    def answer(request: Request) -> Any:
        rarely: list[Item] = [call("take", goods="wine", number=1 + request.seed % 997)]
        return wise(COUNT, THREE if request.seed % 2 else rarely, "Done.")(request)

    cellar.trace(wine(cellar), [COUNT, TWO, "Done."], outcome="failure")
    cellar.ws.teacher = ScriptedPolicy(answer)
    found = cellar.mine(teacher=TEACHER, k=9, accept=True)
    (id,) = found.proposed
    assert cellar.proposal(id).needs_person and found.added == {} and found.open == [id]
    proposals.add_review(
        cellar.ws, proposals.Review(proposals=[id], answer="accepted", who="ana", when=proposals.now())
    )
    assert [task.id for task in proposals.write_accepted(cellar.ws, cellar.environment.name)] == [id]


def test_a_teacher_that_gives_up_proves_nothing(cellar: Floor) -> None:
    cellar.trace(wine(cellar), [COUNT, TWO, "Done."], outcome="failure")
    cellar.ws.teacher = ScriptedPolicy(wise("I cannot do that."))
    found = cellar.mine(teacher=TEACHER)
    assert found.proposed == [] and len(found.regressions) == 1


def test_a_complaint_makes_a_rubric_task_that_waits_for_a_person_or_a_judge(cellar: Floor) -> None:
    cellar.say(cellar.trace(wine(cellar), [COUNT, TWO, "Done."]), outcome="failure", note="One bottle too few")
    (id,) = cellar.mine().proposed
    rubric = cellar.proposal(id)
    assert rubric.by == "rubric" and rubric.needs_person
    assert any("One bottle too few" in line for line in rubric.task.data["mined"]["criteria"])
    assert cellar.mine(accept=True).added == {}


def test_a_judge_proves_a_rubric_only_if_it_fails_the_failure(cellar: Floor) -> None:
    cellar.say(cellar.trace(wine(cellar), [COUNT, TWO, "Done."]), outcome="failure", note="One bottle too few")
    cellar.ws.judge = ScriptedJudge(lambda shown: True)
    kind = cellar.mine(judge=TEACHER)
    assert kind.proposed == [] and "the judge passes the attempt" in kind.summary.unverifiable[0].missing
    cellar.ws.judge = ScriptedJudge(lambda shown: '"number":3' in shown)
    found = cellar.mine(judge=TEACHER, accept=True)
    file = proposals.rubric_file(cellar.ws, cellar.environment.name)
    (task,) = load_tasks(file)
    environment = load_environment(found.rubric)
    judge = ScriptedJudge(lambda shown: '"number":3' in shown)
    assert event_loop.run(play(environment, task, [COUNT, THREE, "Done."], judge=judge)).verdict.passed
    assert not event_loop.run(play(environment, task, [COUNT, TWO, "Done."], judge=judge)).verdict.passed


def test_a_failure_of_which_only_the_end_is_known_is_a_regression_and_no_task(cellar: Floor) -> None:
    trace = cellar.trace(wine(cellar), [COUNT, TWO, "Done."], outcome="failure")
    found = cellar.mine(accept=True)
    assert found.proposed == [] and len(found.regressions) == 1 and found.summary.sources == {}
    assert found.summary.regressions == {trace: found.regressions[0]} and found.environment == cellar.environment.name
    environment = load_environment(found.guardrail)
    (task,) = environment.tasks("regressions")
    assert task not in environment.tasks("train") and task.lineage == [f"trace {trace}"]
    assert not passes(environment, task, [TWO, "Fine."]) and passes(environment, task, [THREE, "Done."])
    assert passes(environment, task, ["No."]) and cellar.mine(accept=True).regressions == []


def test_what_was_accepted_is_known_when_traces_are_mined_again(cellar: Floor) -> None:
    cellar.trace(wine(cellar), [COUNT, TWO, "Done."], outcome="failure")
    cellar.trace(wine(cellar), [COUNT, THREE, "Done."], outcome="success")
    jam: list[Reply] = [[call("count", goods="jam")], [call("take", goods="jam", number=4)], "Done."]
    complaint = cellar.trace(wine(cellar, "The cook wants some jam"), jam)
    cellar.say(complaint, outcome="failure", note="Not all of it")
    ended = cellar.trace(wine(cellar, "Jam, please"), jam, outcome="failure")
    cellar.ws.judge = ScriptedJudge(lambda shown: False)
    first = cellar.mine(accept=True, judge=TEACHER)
    assert first.summary.sources == {"twin": 1, "rubric": 1} and len(first.regressions) == 1
    again = cellar.mine(accept=True, judge=TEACHER)
    assert (again.proposed, again.regressions, again.added, again.open) == ([], [], {}, [])
    assert again.summary.counts["already tasks"] == 2
    assert [one.trajectories for one in again.summary.unverifiable] == [[ended]]
    cellar.say(ended, [call("take", goods="jam", number=1)])
    assert len(cellar.mine().proposed) == 1  # a correction makes a task of what was only a regression


def test_a_teacher_that_cannot_be_reached_ends_the_command(cellar: Floor) -> None:
    cellar.trace(wine(cellar), [COUNT, TWO, "Done."], outcome="failure")
    cellar.ws.teacher = ScriptedPolicy([InfrastructureFailure("connection refused")])
    with pytest.raises(InfrastructureFailure, match="did not answer: connection refused"):
        cellar.mine(teacher=TEACHER)


def test_nobody_learns_from_regressions(cellar: Floor) -> None:
    cellar.trace(wine(cellar), [COUNT, TWO, "Done."], outcome="failure")
    environment = load_environment(cellar.mine(accept=True).guardrail)
    cellar.ws.policy = lambda version: ScriptedPolicy([COUNT, THREE, "Done."])  # type: ignore[method-assign]
    run = rollout(cellar.ws, environment, TEACHER, environment.tasks("regressions"), RunSettings())
    with pytest.raises(Refused, match="is on regressions"):
        from_demonstrations(cellar.ws, run)


def test_a_trace_whose_state_nobody_knows_is_listed(cellar: Floor) -> None:
    strange = msgspec.structs.replace(wine(cellar), data={"goods": {"wine": 55, "jam": 1}})
    cellar.say(cellar.trace(strange, [COUNT, TWO, "Done."]), THREE, outcome="failure")
    found = cellar.mine()
    assert found.proposed == [] and found.regressions == []
    assert found.summary.unverifiable[0].missing.startswith("The start state is unknown")


def test_the_held_out_state_is_never_trained_on(cellar: Floor) -> None:
    [own] = cellar.environment.tasks("val")
    task = msgspec.structs.replace(own, prompt="Six sailors want one rum each")
    rum: list[Item] = [call("count", goods="rum")]
    cellar.say(cellar.trace(task, [rum, "None left."]), [*rum, call("take", goods="rum", number=6)], outcome="failure")
    found = cellar.mine(accept=True, held_out_share=0.0)
    assert list(found.added) == ["mined_v1"]


def test_a_rule_that_raises_is_shown(tmp_path: Path) -> None:
    (tmp_path / "cellar.py").write_text(CELLAR + "\ndef mined_episode(data, episode): return 1 / 0\n")
    floor = Floor(tmp_path, str(tmp_path / "cellar.py"))
    floor.say(floor.trace(wine(floor), [COUNT, TWO, "Done."]), THREE, outcome="failure")
    missing = floor.mine().summary.unverifiable[0].missing
    assert missing.startswith("mined_episode(...) of") and "ZeroDivisionError" in missing


def shipped(name: str, index: int) -> tuple[Task, list[Reply]]:
    environment = load_environment(name)
    tasks = [task for task in environment.tasks("val") if "duckdb" not in task.tags]
    own = tasks[index]
    task = msgspec.structs.replace(own, prompt=f"Somebody left this for you on a note. {own.prompt}")
    return task, [*environment.gold_replies(own)]


@pytest.mark.parametrize(
    ("name", "index"),
    [("workplace", 2), ("support", 0), ("triage", 3), ("search", 2), ("data_analysis", 1), ("safety", 1)],
)
def test_redacted_traces_of_shipped_environments_become_tasks_of_their_own_verifier(
    tmp_path: Path, name: str, index: int
) -> None:
    """A twin succeeded. Redaction took addresses out of both traces, and replaying them finds the values again."""
    floor = Floor(tmp_path, name)
    task, gold = shipped(name, index)
    failed: list[Reply] = [*gold[:-2], "I could not do it."] if len(gold) > 2 else ["No."]
    floor.trace(task, failed, outcome="failure", redact=True)
    floor.trace(task, gold, outcome="success", redact=True)
    found = floor.mine(accept=True, held_out_share=1.0)
    assert found.summary.sources == {"twin": 1}, found.summary
    (made,) = load_tasks(proposals.file_of(floor.ws, name))
    environment = load_environment(found.environment)
    assert made.prompt == task.prompt and environment.verifier.name == floor.environment.verifier.name
    assert passes(environment, made, environment.gold_replies(made)) and not passes(environment, made, failed)
