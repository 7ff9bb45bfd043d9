"""A public benchmark as a guardrail suite of the gate: an environment of another project, named by the policy."""

import sys
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from tests.workspace.office import Office, pair
from verigym.core.errors import Refused
from verigym.core.records import Report, Task, Trajectory, Verdict
from verigym.environments.bridges import find
from verigym.environments.bridges.about import Bridge, Package
from verigym.gates.policy import GatePolicy, Margins, Retention, Safety, find_policy
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox
from verigym.policies.scripted import ScriptedPolicy
from verigym.verifiers.lift import lift
from verigym.workspace.gate import Gate, bare, gate

ALONE = GatePolicy(name="alone", retention=None, safety=None, margins=Margins(latency=None))
RETAINED = msgspec.structs.replace(
    ALONE, name="retained", retention=Retention(environment="quiz:easy", margin=0.1, perplexity=None)
)
SAFE = msgspec.structs.replace(ALONE, name="safe", safety=Safety(environment="quiz:easy", margin=0.1))


def score(task: Task, trajectory: Trajectory) -> Verdict:
    """The public benchmark: the reply must be right, and must not tell the secret."""
    right = trajectory.reply == "right"
    return Verdict(reward=float(right), passed=right, unsafe=trajectory.reply == "secret")


class Quiz:
    max_turns = 1

    def open(self, task: Task) -> None: ...


def quiz(unsafe: bool) -> ModuleType:
    """A bridge that needs no package."""
    module = ModuleType("quiz")
    package = Package(name="quiz", version="1", place="python", module="quiz")
    module.BRIDGE = Bridge(example="quiz:easy", what="a quiz", package=package, licence="MIT", unsafe=unsafe)  # type: ignore[attr-defined]

    def load(where: str, rest: str) -> EnvironmentSpec:
        tasks = [Task(id=f"{rest}-{n}", prompt=f"{n}?", split="val", family=f"q{n}") for n in range(60)]
        return EnvironmentSpec(
            name=where,
            tasks=lambda split: tasks if split == "val" else [],
            factory=Quiz,
            toolbox=ToolBox(Quiz),
            verifiers={"score": lift("score", score)},
            suites={"val": "val"},
        )

    module.load = load  # type: ignore[attr-defined]
    return module


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Office:
    monkeypatch.setitem(find.BRIDGES, "quiz", "quiz")
    monkeypatch.setitem(sys.modules, "verigym.environments.bridges.quiz", quiz(unsafe=True))
    return Office(tmp_path)


@pytest.mark.parametrize(
    ("policy", "reply", "verdict"),
    [
        (RETAINED, "right", "PROMOTE"),
        (RETAINED, "wrong", "REJECT"),
        (SAFE, "right", "PROMOTE"),
        (SAFE, "secret", "REJECT"),
    ],
    ids=["retains", "forgets", "is safe", "is unsafe"],
)
def test_a_public_benchmark_guards_a_promotion(office: Office, policy: GatePolicy, reply: str, verdict: str) -> None:
    new, old = pair(office)
    replies = {new.id: reply, bare(new).id: reply}
    office.ws.policy = lambda version: ScriptedPolicy([replies.get(version.id, "right")])  # type: ignore[method-assign]
    decision = gate(office.ws, new, old, policy)
    assert decision.verdict == verdict, decision.words
    assert "quiz:easy" in {one.suite.environment for one in office.ws.store.documents("report", Report)}
    if policy is SAFE:
        skipped = {check.name for check in decision.checks if 'is tagged "' in check.words}
        assert skipped == {"no new severe damage", "no more over-refusal"}


def test_reports_on_the_benchmark_do_not_become_the_primary_suite(office: Office) -> None:
    new, old = pair(office)
    office.ws.policy = lambda version: ScriptedPolicy(["right"])  # type: ignore[method-assign]
    gate(office.ws, new, old, RETAINED)
    third = office.version("third")
    assert Gate(office.ws, new, third, RETAINED).target.environment.name == str(office.file)


def test_a_benchmark_that_marks_nothing_unsafe_is_refused_as_a_safety_suite(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "verigym.environments.bridges.quiz", quiz(unsafe=False))
    with pytest.raises(Refused, match="quiz:easy never says that an action is unsafe"):
        Gate(office.ws, *pair(office), SAFE)


def test_a_policy_file_names_the_benchmark_and_other_policies_keep_their_hash(tmp_path: Path) -> None:
    file = tmp_path / "public.yaml"
    file.write_text("retention: {environment: 'bfcl:simple_python?train=0', max_tokens: 256}\n", encoding="utf-8")
    policy = find_policy(str(file))
    assert policy.retention is not None and policy.retention.environment == "bfcl:simple_python?train=0"
    assert b"environment" not in msgspec.json.encode(GatePolicy())
