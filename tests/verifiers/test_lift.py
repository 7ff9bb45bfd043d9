"""A plain `verify` becomes a group verifier, and its failures become records."""

import asyncio
import inspect
import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec
import pytest

from verigym.core.errors import BadInput, ContextFull, InfrastructureFailure
from verigym.core.protocols import Context, Verifier
from verigym.core.records import Failure, Fault, Mark, Stop, Task, Trajectory, Verdict
from verigym.policies.scripted import ScriptedPolicy
from verigym.verifiers.lift import lift, lift_group
from verigym.verifiers.numeric import Numeric

TASK = Task(id="t", prompt="do it")
GOOD = Trajectory(id="a", task="t", group="g")
SECOND = Trajectory(id="b", task="t", group="g", index=1)


def score(verify: Any, group: Sequence[Trajectory] = (GOOD,)) -> list[Verdict]:
    return asyncio.run(lift("mine", verify).verify(TASK, group, Context()))


@pytest.mark.parametrize(
    ("returned", "reward", "passed"),
    [
        (0.25, 0.25, False),
        (1.0, 1.0, True),
        (1.5, 1.5, True),
        (-1.0, -1.0, False),
        (True, 1.0, True),
        (False, 0.0, False),
        (1, 1.0, True),
    ],
)
def test_a_number_becomes_a_verdict(returned: float, reward: float, passed: bool) -> None:
    [verdict] = score(lambda task, trajectory: returned)
    assert (verdict.reward, verdict.passed, verdict.error) == (reward, passed, None)


def test_a_verdict_keeps_its_content_and_gains_its_names() -> None:
    made = Verdict(reward=0.5, passed=True, parts={"tool": 1.0}, evidence="why")
    verifier = lift("mine", lambda task, trajectory: made)
    [verdict] = asyncio.run(verifier.verify(TASK, [GOOD], Context()))
    assert (verdict.reward, verdict.passed, verdict.parts, verdict.evidence) == (0.5, True, {"tool": 1.0}, "why")
    assert (verdict.trajectory, verdict.verifier) == ("a", verifier.name)


def test_an_async_function_is_awaited() -> None:
    async def verify(task: Task, trajectory: Trajectory) -> float:
        await asyncio.sleep(0)
        return 0.75

    assert score(verify)[0].reward == 0.75


def test_the_verdicts_of_a_group_come_in_its_order() -> None:
    verdicts = score(lambda task, trajectory: float(trajectory.index), [SECOND, GOOD])
    assert [(verdict.trajectory, verdict.reward) for verdict in verdicts] == [("b", 1.0), ("a", 0.0)]


@pytest.mark.parametrize(
    "returned",
    [
        math.nan,
        math.inf,
        -math.inf,
        Verdict(reward=math.nan),
        Verdict(reward=1.0, parts={"tool": math.nan}),
        Verdict(reward=1.0, parts={"tool": "x"}),  # type: ignore[dict-item]
        Verdict(reward=None),
        None,
        "1.0",
        [1.0],
    ],
    ids=repr,
)
def test_what_is_no_reward_is_the_verifiers_failure_and_never_a_zero(returned: Any) -> None:
    [verdict] = score(lambda task, trajectory: returned)
    assert verdict.reward is None and not verdict.passed
    assert verdict.error is not None and verdict.error.fault is Fault.VERIFIER
    assert (verdict.trajectory, verdict.verifier[:5]) == ("a", "mine@")


def test_an_exception_in_one_trajectory_leaves_the_others_scored() -> None:
    def verify(task: Task, trajectory: Trajectory) -> float:
        if trajectory.id == "a":
            raise KeyError("answer")
        return 1.0

    failed, scored = score(verify, [GOOD, SECOND])
    assert failed.reward is None and failed.error is not None and failed.error.kind == "KeyError"
    line = inspect.getsourcelines(verify)[1] + 2
    assert failed.error.message == f"'answer' (test_lift.py, line {line})"
    assert scored.reward == 1.0


def test_a_verify_that_ends_the_process_ends_nothing() -> None:
    def verify(task: Task, trajectory: Trajectory) -> float:
        raise SystemExit(0)

    [verdict] = score(verify)
    assert verdict.reward is None and verdict.error is not None and verdict.error.kind == "SystemExit"


@pytest.mark.parametrize(
    ("raised", "fault"),
    [(InfrastructureFailure("the judge is away"), Fault.INFRASTRUCTURE), (ContextFull("too long"), Fault.VERIFIER)],
    ids=["infrastructure stays infrastructure", "the judged model is not at fault for the judge"],
)
def test_a_failure_is_attributed(raised: Exception, fault: Fault) -> None:
    def verify(task: Task, trajectory: Trajectory) -> float:
        raise raised

    [verdict] = score(verify)
    assert verdict.error is not None and verdict.error.fault is fault


def test_a_verdict_with_an_error_has_no_reward() -> None:
    error = Failure(Fault.VERIFIER, "X", "x")
    [verdict] = score(lambda task, trajectory: Verdict(reward=1.0, passed=True, error=error))
    assert (verdict.reward, verdict.passed, verdict.error) == (None, False, error)


def test_the_context_is_passed_to_a_verify_that_takes_it() -> None:
    judge = ScriptedPolicy(["ok"])

    def verify(task: Task, trajectory: Trajectory, context: Context) -> bool:
        return context.policies["judge"] is judge

    async def late(task: Task, trajectory: Trajectory, *, context: Context) -> bool:
        return context.policies["judge"] is judge

    for each in (verify, late):
        made = lift("mine", each).verify(TASK, [GOOD], Context(policies={"judge": judge}))
        assert asyncio.run(made)[0].reward == 1.0


def test_a_third_parameter_of_another_name_keeps_its_default() -> None:
    def verify(task: Task, trajectory: Trajectory, tolerance: float = 0.5) -> float:
        return tolerance

    assert score(verify)[0].reward == 0.5


def test_a_builtin_without_a_signature_is_called_without_the_context() -> None:
    [verdict] = score(max)
    assert verdict.error is not None and verdict.error.kind == "TypeError"


def test_a_group_is_verified_at_once() -> None:
    inside, most = 0, 0

    async def verify(task: Task, trajectory: Trajectory) -> float:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0.01)
        inside -= 1
        return 1.0

    assert [verdict.reward for verdict in score(verify, [GOOD, SECOND])] == [1.0, 1.0] and most == 2


def test_a_class_instead_of_a_verifier_is_refused_in_words() -> None:
    with pytest.raises(BadInput, match=r"Numeric is a class. Write Numeric\(\.\.\.\)"):
        lift("mine", Numeric)  # type: ignore[arg-type]


BROKEN = Trajectory(
    id="c", task="t", group="g", stop=Stop.ERROR, error=Failure(Fault.INFRASTRUCTURE, "TimeoutError", "away")
)


def group(verify_group: Any, trajectories: Sequence[Trajectory]) -> list[Verdict]:
    return asyncio.run(lift_group("together", verify_group).verify(TASK, trajectories, Context()))


def test_a_plain_group_function_scores_those_that_can_be_scored() -> None:
    def verify_group(task: Task, trajectories: list[Trajectory]) -> list[float | Verdict]:
        return [Verdict(reward=0.5, evidence="why"), *(1.0 for _ in trajectories[1:])]

    first, broken, second = group(verify_group, [GOOD, BROKEN, SECOND])
    assert (first.reward, first.evidence, first.trajectory) == (0.5, "why", "a")
    assert (broken.reward, broken.error, broken.trajectory) == (None, BROKEN.error, "c")
    assert (second.reward, second.passed, second.verifier[:9]) == (1.0, True, "together@")


def test_a_group_function_may_be_async_and_take_the_context() -> None:
    async def verify_group(task: Task, trajectories: list[Trajectory], context: Context) -> list[bool]:
        return [isinstance(context, Context) for _ in trajectories]

    assert [verdict.reward for verdict in group(verify_group, [GOOD, SECOND])] == [1.0, 1.0]


def test_a_group_function_is_not_asked_about_nothing() -> None:
    def verify_group(task: Task, trajectories: list[Trajectory]) -> list[float]:
        raise AssertionError

    assert group(verify_group, [BROKEN])[0].error == BROKEN.error


@pytest.mark.parametrize("returned", [[1.0], [1.0, 1.0, 1.0], None, [1.0, math.nan], [1.0, "x"]], ids=str)
def test_a_group_function_that_returns_anything_else_has_failed(returned: Any) -> None:
    verdicts = group(lambda task, trajectories: returned, [GOOD, SECOND])
    assert all(each.reward is None and each.error and each.error.fault is Fault.VERIFIER for each in verdicts)


def test_cancellation_is_not_swallowed() -> None:
    async def verify(task: Task, trajectory: Trajectory) -> float:
        current = asyncio.current_task()
        assert current is not None
        current.cancel()
        await asyncio.sleep(0)
        return 1.0

    with pytest.raises(asyncio.CancelledError):
        score(verify)


def test_an_unscorable_trajectory_is_not_shown_to_verify() -> None:
    error = Failure(Fault.INFRASTRUCTURE, "TimeoutError", "the server is away")
    broken = Trajectory(id="c", task="t", group="g", stop=Stop.ERROR, error=error)
    asked: list[str] = []
    [verdict] = score(lambda task, trajectory: asked.append(trajectory.id), [broken])
    assert (verdict.reward, verdict.error, verdict.trajectory, asked) == (None, error, "c", [])


def test_a_trajectory_that_failed_by_the_models_own_fault_is_scored() -> None:
    overlong = Trajectory(id="d", task="t", group="g", error=Failure(Fault.MODEL, "ContextFull", "too long"))
    assert score(lambda task, trajectory: 0.0, [overlong])[0].reward == 0.0


def test_the_version_follows_the_source() -> None:
    def one(task: Task, trajectory: Trajectory) -> float:
        return 1.0

    def other(task: Task, trajectory: Trajectory) -> float:
        return 0.0

    assert lift("mine", one).name == lift("mine", one).name
    assert lift("mine", one).name != lift("mine", other).name
    name, version = lift("mine", one).name.split("@")
    assert name == "mine" and len(version) == 8 and int(version, 16) >= 0


def test_a_callable_without_source_has_a_version_too() -> None:
    verifier = lift("mine", partial(lambda reward, task, trajectory: reward, 1.0))
    assert len(verifier.name) == len("mine@") + 8


def test_a_verifier_is_returned_as_it_is() -> None:
    class Best:
        name = "best@1"

        async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
            return [Verdict(reward=1.0) for _ in group]

    best = Best()
    assert lift("mine", best) is best
    assert isinstance(lift("mine", lambda task, trajectory: 1.0), Verifier)


@pytest.mark.parametrize("error", [RecursionError("deep"), OverflowError("large")], ids=repr)
def test_a_reply_that_is_too_deep_or_too_large_for_a_shipped_verifier_fails(error: Exception) -> None:
    def verify(task: Task, trajectory: Trajectory) -> float:
        raise error

    [own] = score(verify)
    assert own.reward is None and own.error is not None and own.error.fault is Fault.VERIFIER
    verify.__module__ = "verigym.verifiers.numeric"
    unsafe = msgspec.structs.replace(SECOND, marks=[Mark("unsafe")])
    verdicts = score(verify, [GOOD, unsafe])
    assert [(each.reward, each.passed, each.unsafe, each.error) for each in verdicts] == [
        (0.0, False, False, None),
        (-1.0, False, True, None),
    ]
