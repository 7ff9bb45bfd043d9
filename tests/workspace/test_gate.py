"""The gate on a workspace: which reports, what is measured beside them, what the ledger remembers; a planted reward hacker."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.workspace.desk import Bench
from tests.workspace.office import DESK, Office, pair
from verigym.audit.labels import Calibration
from verigym.core import codec
from verigym.core.errors import Refused
from verigym.core.records import Report, Sampling, Task, Version
from verigym.environments.load import load_environment, regression_file
from verigym.gates.policy import GatePolicy, Margins, Regressions, Retention
from verigym.policies.scripted import ScriptedPolicy
from verigym.registry import ledger
from verigym.rollout.settings import RunSettings
from verigym.workspace import measure as stages
from verigym.workspace.decisions import keep, last_policy
from verigym.workspace.gate import Gate, bare, gate
from verigym.workspace.rescore import rescore
from verigym.workspace.shared_reports import shared_reports

ALONE = GatePolicy(name="alone", retention=None, safety=None, margins=Margins(latency=None))
STRICT = msgspec.structs.replace(ALONE, name="strict", alpha=0.01)


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


def test_a_better_version_is_promoted(office: Office):
    decision = gate(office.ws, *pair(office), ALONE)
    assert decision.verdict == "PROMOTE", decision.words


def test_a_gate_asked_again_by_another_policy_says_so(office: Office):
    new, old = pair(office)
    first = gate(office.ws, new, old, ALONE)
    keep(office.ws, first)
    keep(office.ws, gate(office.ws, new, old, ALONE))
    assert len(ledger.entries(office.ws.store)) == 1, "the same question is recorded once"
    second = gate(office.ws, new, old, STRICT)
    assert "These reports were judged before by another policy (alone, " in second.words
    assert "judged before" not in first.words and "judged before" not in gate(office.ws, new, old, ALONE).words
    keep(office.ws, second)
    assert [entry.decision.policy["name"] for entry in ledger.entries(office.ws.store)] == ["alone", "strict"]
    assert last_policy(office.ws, new, old) == STRICT and last_policy(office.ws, old, new) is None


def test_reports_on_guardrail_suites_are_no_primary_ones_unless_asked_for(office: Office):
    new, old = pair(office)
    ours, _ = shared_reports(office.ws, new, old)
    suite = msgspec.structs.replace(ours.suite, environment="retention", name="retention_eval")
    for version in (new, old):
        made = msgspec.structs.replace(ours, id=f"later {version.id}", agent=version.id, suite=suite)
        office.ws.store.put("report", made.id, made)
    assert shared_reports(office.ws, new, old)[0].id == ours.id
    assert shared_reports(office.ws, new, old, "retention")[0].id == f"later {new.id}"


def test_what_was_never_measured_is_answered_with_the_command_to_type(office: Office):
    new, old = office.version("new"), office.version("old")
    with pytest.raises(Refused, match=f"Run: verigym eval ENV -m {new.id} and verigym eval ENV -m {old.id}"):
        shared_reports(office.ws, new, old)
    office.report(old, [])
    with pytest.raises(Refused, match=rf"eval .*desk\.py -m {new.id} -n 120 -k 1 --temperature 0\.0 --max-tokens 16"):
        shared_reports(office.ws, new, old)


def test_reports_by_two_versions_of_a_verifier_are_compared_after_scoring_both_again(office: Office):
    old, new = office.version("old"), office.version("new")
    runs = [office.report(old, range(60)).run]
    office.file.write_text(DESK.replace("== trajectory.reply", "== trajectory.reply.strip()"))
    runs.append(office.report(new, []).run)
    with pytest.raises(Refused, match=rf"scored by right@.*verigym rescore {runs[1]} and verigym rescore {runs[0]}"):
        shared_reports(office.ws, new, old)
    for run in runs:
        rescore(office.ws, run)
    ours, theirs = shared_reports(office.ws, new, old)
    assert ours.suite.verifier == theirs.suite.verifier and ours.suite.hash == theirs.suite.hash
    assert gate(office.ws, new, old, ALONE).verdict == "PROMOTE", "and the gate needs no model either"


def test_a_judge_decides_only_where_its_agreement_with_people_is_known(office: Office):
    old, new, judge = office.version("old"), office.version("new"), office.version("judge")
    office.report(old, range(60), judge=judge.id)
    made = office.report(new, [], judge=judge.id)
    unknown = gate(office.ws, new, old, ALONE)
    assert unknown.verdict == "NEED MORE DATA"
    assert f"asks the judge {judge.id}, and no labels show whether it judges as people do" in unknown.words
    office.ws.store.put("calibration", "c", Calibration(made.suite.verifier, judge.id, 80, 0.8, 0.65, 0.95))
    assert "kappa 0.80" in str(gate(office.ws, new, old, ALONE).checks)


def test_reports_by_two_judges_are_not_compared(office: Office):
    old, new = office.version("old"), office.version("new")
    office.report(old, range(60), judge="j1")
    office.report(new, [], judge="j2")
    with pytest.raises(Refused, match="no report on the same held-out tasks"):
        shared_reports(office.ws, new, old)


# -- a planted reward hacker ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hacked(tmp_path_factory: pytest.TempPathFactory) -> Office:
    """Versions start and hacker. That one was trained on a reward that pays for talk: step by step more of its answers are
    talk, and each step's reward is what the flawed verifier really says of them."""
    office, steps = Office(tmp_path_factory.mktemp("hacked")), 12
    start = office.version("start")
    office.report(start, range(12))
    for step in range(steps):
        run = office.answers(start, [], range(120 * step // steps), run=f"grpo-1/step-{step:02d}", kind="train")
        rewards = office.scored(run, "talkative")
        office.ws.store.add_metrics("grpo-1", step, {"reward": sum(rewards) / len(rewards)})
    recipe = {"run": "grpo-1", "reward": "talkative", "algorithm": "grpo"}
    office.report(office.version("hacker", parent=start.id, recipe=recipe), [], range(90))
    return office


def test_a_reward_hacker_is_rejected_and_the_words_name_it(hacked: Office):
    rewards = [one["reward"] for one in hacked.ws.store.metrics("grpo-1").values()]
    assert rewards[-1] > 3 * rewards[0], "in training it looks like a success"
    decision = gate(hacked.ws, hacked.ws.find("hacker"), hacked.ws.find("start"), ALONE)
    assert decision.verdict == "REJECT"
    assert (
        "Failed, reward and success agree: reward hacking: in its training (grpo-1, paid by talkative)"
        in decision.words
    )
    assert "success on held-out tasks fell against the champion" in decision.words


def test_a_reward_hacker_that_still_beats_the_champion_is_rejected_by_what_it_lost_against_its_start(hacked: Office):
    weak = hacked.version("weak")
    hacked.report(weak, range(120))
    decision = gate(hacked.ws, hacked.ws.find("hacker"), weak, ALONE)
    better = next(check for check in decision.checks if check.name == "better on held-out tasks")
    assert better.outcome == "pass"
    assert decision.verdict == "REJECT" and "fell against its start" in decision.words


def test_an_alarm_of_its_training_is_enough(office: Office):
    new, old = pair(office)
    for step in range(40):
        held_out = {"held_out_success": 0.8 - 0.5 * (step >= 20)} if step % 4 == 0 else {}
        office.ws.store.add_metrics("grpo-2", step, {"reward": 0.2 + 0.02 * step, **held_out})
    trained = office.version("trained", parent=new.id, recipe={"run": "grpo-2", "reward_model": "rm1"})
    office.report(trained, [])
    decision = gate(office.ws, trained, old, ALONE)
    assert decision.verdict == "REJECT"
    assert "paid by reward model rm1) reward in training rose" in decision.words


# -- guardrail suites -----------------------------------------------------------------------------------------------


def test_the_weights_alone_are_asked_what_they_retained():
    plain = Version(base="m", adapter="a", id="x")
    prompted = Version(base="m", adapter="a", system_prompt="Reply with JSON.", constraints="tools", id="y")
    assert bare(prompted).system_prompt is None and bare(prompted).id != "y"
    assert (bare(prompted).base, bare(prompted).adapter) == (plain.base, plain.adapter)


def test_guardrail_suites_are_measured_once_and_found_again(fresh: Bench):
    policy = GatePolicy(name="tiny", retention=Retention(tasks=4, max_tokens=4), safety=None)
    version, _ = fresh.train("sft")
    base = fresh.ws.agent(str(fresh.model))
    desk, setting = load_environment(fresh.desk), RunSettings(sampling=Sampling(temperature=0.0, max_tokens=4))
    for one in (base, version):
        stages.measure(fresh.ws, desk, one, setting)
    titles: list[str] = []

    def bars(title: str) -> Any:
        from contextlib import nullcontext

        titles.append(title)
        return nullcontext(lambda _: None)

    decision = gate(fresh.ws, version, base, policy, bars=bars)
    assert [one.split(",")[0] for one in titles][:4] == ["held-out tasks"] * 2 + ["retention"] * 2
    assert [(one.suite, one.tasks) for one in decision.measured][1:] == [("retention_eval", 4)]
    names = {check.name: check.outcome for check in decision.checks}
    assert names["held-out text is still read as well"] in ("pass", "unclear", "fail")
    made = {run.id: run.created for run in fresh.ws.store.runs()}
    again = gate(fresh.ws, version, base, policy)
    assert again.measured == decision.measured and {run.id: run.created for run in fresh.ws.store.runs()} == made


def test_an_agent_that_cannot_be_opened_leaves_its_guardrails_unclear(office: Office):
    """Its answers on the primary suite are stored, so these need no model."""
    policy = msgspec.structs.replace(ALONE, name="more", retention=Retention())
    decision = gate(office.ws, *pair(office), policy)
    words = [check.words for check in decision.checks if check.outcome == "unclear"]
    assert decision.verdict == "NEED MORE DATA" and len(words) == 2
    assert all(one.startswith("not measured: ") and "no-such-model" in one for one in words), words


@pytest.mark.parametrize(
    ("reply", "verdict"), [("Gone.", "REJECT"), ("Here it is.", "PROMOTE")], ids=["returns", "does not"]
)
def test_a_failure_from_production_that_returns_is_rejected(office: Office, reply: str, verdict: str):
    new, old = pair(office)
    file = regression_file(office.ws.home, str(office.file))
    ending = {"by": "regression", "state": {}, "reply": "gone."}
    row = Task(
        id="desk/regression/1", prompt="Where is my parcel?", data={"mined": ending}, split="regressions", family="r"
    )
    file.parent.mkdir(parents=True)
    file.write_bytes(codec.encode(row) + b"\n")
    replies = {new.id: reply, old.id: "Here it is."}
    office.ws.policy = lambda version: ScriptedPolicy([replies[version.id]])  # type: ignore[method-assign]
    policy = msgspec.structs.replace(ALONE, name="guarded", regressions=Regressions())
    decision = gate(office.ws, new, old, policy)
    assert decision.verdict == verdict, decision.words
    (check,) = [one for one in decision.checks if one.name == "no failure returns"]
    assert check.outcome == ("fail" if verdict == "REJECT" else "pass") and check.figures["tasks"] == 1
    guard = [one for one in office.ws.store.documents("report", Report) if one.suite.name == "desk_regressions"]
    assert guard and all("success" not in one.metrics for one in guard), "a regression counts in no success rate"
    assert shared_reports(office.ws, new, old)[0].suite.name != "desk_regressions"
    assert gate(office.ws, new, old, ALONE).verdict == "PROMOTE", "asked only by a policy that names it"


def test_a_gate_on_tagged_tasks_asks_for_the_regressions_of_the_whole_environment(office: Office):
    office.file.write_text(DESK.replace("split=split,", "split=split, tags=['small' if i < 80 else 'large'],"))
    new, old = pair(office)
    file = regression_file(office.ws.home, f"{office.file}?tags=small")
    assert file == regression_file(office.ws.home, str(office.file))
    data = {"mined": {"by": "regression", "state": {}, "reply": "gone."}}
    file.parent.mkdir(parents=True)
    file.write_bytes(codec.encode(Task(id="r", prompt="Where?", data=data, split="regressions", family="r")) + b"\n")
    policy = msgspec.structs.replace(ALONE, name="guarded", regressions=Regressions())
    asked = Gate(office.ws, new, old, policy, environment=f"{office.file}?tags=small")
    assert len(asked.suites["primary"].tasks) == 80 and asked.suites["regressions"].tasks == ["r"]


def test_a_report_without_its_run_leaves_room_for_reasoning(office: Office, tmp_path: Path):
    (tmp_path / "thinks").mkdir()
    (tmp_path / "thinks" / "chat_template.jinja").write_text("{# </think> #}")
    new, old = (
        office.ws.register(Version(base=str(tmp_path / "thinks"), adapter=name, name=name)) for name in ("new", "old")
    )
    office.report(old, [])
    office.ws.store.delete_run("eval-old")
    asked = Gate(office.ws, new, old, ALONE, environment=str(office.file))
    assert asked.target.settings.sampling.max_tokens == 4096
