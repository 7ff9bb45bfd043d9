from typing import Any

import pytest

from verigym.core.records import Failure, Fault, FunctionCall, Mark, Stop, Task, Trajectory, Verdict
from verigym.evaluation.failures import BUCKETS, bucket, explain

TASK = Task(id="t", prompt="", split="val")
OUTAGE = Failure(fault=Fault.INFRASTRUCTURE, kind="TimeoutError", message="no answer")
GOOD = {"valid": 1.0, "tool": 1.0, "arguments": 1.0, "executed": 1.0}


def _trajectory(id: str = "x", marks: str = "", **fields: Any) -> Trajectory:
    return Trajectory(id=id, task="t", group="g", marks=[Mark(kind) for kind in marks.split()], **fields)


def _verdict(reward: float | None = 0.0, trajectory: str = "x", **fields: Any) -> Verdict:
    return Verdict(trajectory=trajectory, verifier="match@1", reward=reward, **fields)


CASES: dict[str, tuple[Trajectory, Verdict, str]] = {
    "an outage, whatever else": (_trajectory(error=OUTAGE), _verdict(passed=True), "infrastructure"),
    "a verifier that failed": (_trajectory(), _verdict(None, unsafe=True), "infrastructure"),
    "the model's own error": (
        _trajectory(error=Failure(fault=Fault.MODEL, kind="ContextFull", message=""), stop=Stop.CONTEXT_FULL),
        _verdict(),
        "incomplete execution",
    ),
    "passed, but unsafe": (_trajectory(marks="unsafe"), _verdict(1.0, passed=True), "unsafe action"),
    "passed after a slip": (_trajectory(marks="unknown_tool"), _verdict(1.0, passed=True), ""),
    "unsafe by the verifier": (_trajectory(stop=Stop.MAX_TOKENS), _verdict(unsafe=True), "unsafe action"),
    "unsafe by the harness": (_trajectory(marks="unsafe"), _verdict(parts={"valid": 0.0}), "unsafe action"),
    "cut off, no valid part": (_trajectory(stop=Stop.MAX_TOKENS), _verdict(), "truncated"),
    "cut off before valid": (_trajectory(stop=Stop.MAX_TOKENS), _verdict(parts={"valid": 0.0}), "truncated"),
    "cut off once valid": (_trajectory(stop=Stop.MAX_TOKENS), _verdict(parts={**GOOD, "tool": 0.0}), "wrong tool"),
    "invalid before unknown tool": (_trajectory(marks="unknown_tool"), _verdict(parts={"valid": 0.5}), "format error"),
    "invalid by the harness": (_trajectory(marks="format_error"), _verdict(), "format error"),
    "a format slip put right": (_trajectory(marks="format_error"), _verdict(parts=GOOD), "wrong answer"),
    "unknown tool before wrong tool": (
        _trajectory(marks="unknown_tool"),
        _verdict(parts={"tool": 0.0}),
        "hallucinated API",
    ),
    "unknown tool, then the right one": (
        _trajectory(marks="unknown_tool"),
        _verdict(parts={**GOOD, "arguments": 0.0}),
        "wrong arguments",
    ),
    "an over-refusal": (_trajectory(), _verdict(parts={"valid": 1.0, "tool": 0.0, "arguments": 0.0}), "wrong tool"),
    "arguments by the verifier": (_trajectory(), _verdict(parts={**GOOD, "arguments": 0.5}), "wrong arguments"),
    "arguments by the harness": (_trajectory(marks="bad_arguments tool_error"), _verdict(), "wrong arguments"),
    "not executed": (_trajectory(), _verdict(parts={**GOOD, "executed": 0.0}), "incomplete execution"),
    "a tool that failed": (_trajectory(marks="tool_error"), _verdict(), "incomplete execution"),
    "out of turns": (_trajectory(stop=Stop.MAX_TURNS), _verdict(parts=GOOD), "incomplete execution"),
    "nothing else": (_trajectory(), _verdict(), "wrong answer"),
}


@pytest.mark.parametrize(("trajectory", "verdict", "expected"), CASES.values(), ids=CASES)
def test_an_episode_is_put_in_the_first_bucket_that_fits(trajectory: Trajectory, verdict: Verdict, expected: str):
    assert bucket(TASK, trajectory, verdict) == expected


def test_every_bucket_with_a_meaning_can_be_reached():
    assert {expected for *_, expected in CASES.values()} == {*BUCKETS, ""}


@pytest.mark.parametrize(("name", "expected"), [("send", "wrong tool"), ("book", "wrong answer")])
def test_without_parts_the_task_says_which_tool_was_expected(name: str, expected: str):
    task = Task(id="t", prompt="", data={"expected_tool": "book"})
    call = FunctionCall(call_id="1", name=name, arguments="{}")
    assert bucket(task, _trajectory(items=[call]), _verdict()) == expected


def test_explain_groups_failures_by_bucket_the_most_frequent_first_and_infrastructure_last():
    trajectories = [_trajectory(f"x{i}") for i in range(8)] + [_trajectory(f"e{i}", error=OUTAGE) for i in range(12)]
    verdicts = [_verdict(1.0, "x0", passed=True)]
    verdicts += [_verdict(0.0, f"x{i}", parts={"tool": 0.0}, evidence=f"called  {i % 2}") for i in range(1, 7)]
    verdicts += [_verdict(0.0, "x7", parts={"arguments": 0.0}, evidence="day is missing")]
    first, second, last = explain([TASK], trajectories, verdicts)
    assert (first.bucket, first.count, first.share) == ("wrong tool", 6, 6 / 8)
    assert first.evidence == ["called 1", "called 0"]
    assert first.trajectories == ["x1", "x2", "x3", "x4", "x5"]
    assert (second.bucket, second.evidence) == ("wrong arguments", ["day is missing"])
    assert (last.bucket, last.share) == ("infrastructure", 12 / 20)
    assert last.evidence == ["TimeoutError: no answer"]


def test_a_trajectory_that_was_never_scored_is_shown_and_not_called_a_failure_of_the_model():
    (finding,) = explain([TASK], [_trajectory()], [])
    assert (finding.bucket, finding.evidence) == ("infrastructure", ["it was never scored"])
