import asyncio

import pytest

from verigym import RelativeJudge
from verigym.core.errors import BadInput
from verigym.core.protocols import Context, Policy, Verifier
from verigym.core.records import Failure, Fault, FunctionCall, Message, Task, Trajectory, Verdict
from verigym.policies.scripted import ScriptedPolicy
from verigym.verifiers.judge import ScriptedJudge

JUDGE = RelativeJudge("The customer gets a refund.")
TASK = Task(id="t", prompt="refund me", data={"reference": "ignored"})


def episode(text: str, index: int = 0, error: Failure | None = None) -> Trajectory:
    items = [Message("user", "refund me"), FunctionCall("c", "refund", "{}"), Message("assistant", text)]
    return Trajectory(id=f"t/{index}", task="t", group="g", index=index, items=items, error=error)


def verdicts(texts: list[str], policy: Policy | None = None, broken: int = -1) -> list[Verdict]:
    failure = Failure(Fault.INFRASTRUCTURE, "Gone", "gone")
    group = [episode(text, at, failure if at == broken else None) for at, text in enumerate(texts)]
    judge = policy or ScriptedJudge(lambda shown: "good" in shown)
    return asyncio.run(JUDGE.verify(TASK, group, Context(policies={"judge": judge})))


def test_it_is_a_verifier_with_a_version() -> None:
    assert isinstance(JUDGE, Verifier) and JUDGE.name.startswith("relative_judge@")
    assert JUDGE.name == RelativeJudge("The customer gets a refund.").name != RelativeJudge("Another goal.").name


def test_the_reward_is_relative_and_passing_is_not() -> None:
    found = verdicts(["good", "bad", "good", "bad"])
    assert [one.passed for one in found] == [True, False, True, False]
    assert found[0].reward == found[2].reward and found[1].reward == found[3].reward
    assert (found[0].reward or 0) > 0.5 > (found[1].reward or 0)
    assert found[0].parts["score"] == 1.0 and found[1].parts["score"] == 0.0
    assert [one.passed for one in verdicts(["good", "good"])] == [True, True]  # both won half


def test_one_episode_alone_gets_its_score() -> None:
    [found] = verdicts(["good"])
    assert found.passed and found.reward == 1.0 and found.verifier == JUDGE.name


def test_an_episode_that_failed_for_other_reasons_is_not_judged() -> None:
    found = verdicts(["good", "good", "bad"], broken=1)
    assert found[1].reward is None and found[1].error is not None and found[0].passed and not found[2].passed


def test_the_judge_sees_the_calls_and_the_goal() -> None:
    seen: list[str] = []

    def answer(request: object) -> str:
        seen.append(str(request))
        return '{"reason": "r", "score": 3}'

    verdicts(["good"], ScriptedPolicy(answer))
    assert "The customer gets a refund." in seen[0] and "assistant calls refund {}" in seen[0]


def test_a_judge_that_talks_nonsense_is_the_fault_of_the_verifier() -> None:
    for found in verdicts(["good", "bad"], ScriptedPolicy(lambda _: "hm")):
        assert found.reward is None and found.error is not None and found.error.fault is Fault.VERIFIER


@pytest.mark.parametrize("settings", [{"goal": " "}, {"goal": "x", "passing": 2.0}, {"goal": "x", "votes": 0}])
def test_wrong_settings_are_refused(settings: dict) -> None:
    with pytest.raises(BadInput):
        RelativeJudge(**settings)
