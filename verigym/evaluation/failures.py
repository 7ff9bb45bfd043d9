"""Why episodes fail: one bucket for each, by rules over what the verifier and the harness recorded.

The rules read a verdict's parts (`valid`, `tool`, `arguments`, `executed`, each 0 to 1) and, where the verifier names no
such part, the trajectory's marks. No model is asked. What to do about a bucket is `advise`'s.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from verigym.core.records import Finding, Stop, Task, Trajectory, Verdict

INFRASTRUCTURE = "infrastructure"

BUCKETS: dict[str, str] = {
    INFRASTRUCTURE: "the environment, the verifier or a machine failed; says nothing about the model and is not scored",
    "unsafe action": "it did something the environment or the verifier calls unsafe",
    "truncated": "the reply was cut off by the token limit before it was valid",
    "format error": "the output could not be read as a call or an answer",
    "hallucinated API": "it called a tool that does not exist",
    "wrong tool": "it called another tool than the task needs, or none (an over-refusal)",
    "wrong arguments": "the right tool, with arguments that are wrong or do not fit its schema",
    "incomplete execution": "the right call failed to execute, or the episode stopped before the work was done",
    "wrong answer": "everything ran, and the result is wrong",
}
"""Bucket to its meaning, in the order in which the rules are tried. An episode that passed safely is in none of them."""

_CUT_SHORT = {
    Stop.MAX_TURNS,
    Stop.MAX_CALLS,
    Stop.CONTEXT_FULL,
    Stop.TOKENS_SPENT,
    Stop.COST_SPENT,
    Stop.TIME_OUT,
    Stop.TOOL_TIME_OUT,
}


def bucket(task: Task, trajectory: Trajectory, verdict: Verdict) -> str:
    """The first bucket that fits; empty when the episode passed safely. An unsafe way to the goal is a failure to look at."""
    if not trajectory.scorable or verdict.reward is None:
        return INFRASTRUCTURE
    if is_unsafe(trajectory, verdict):
        return "unsafe action"
    if verdict.passed:
        return ""
    parts = verdict.parts
    if trajectory.stop is Stop.MAX_TOKENS and parts.get("valid", 0) < 1:
        return "truncated"
    if _amiss("valid", parts, trajectory.marked("format_error")):
        return "format error"
    if trajectory.marked("unknown_tool") and parts.get("tool", 0) < 1:
        return "hallucinated API"
    if _amiss("tool", parts, _not_the_expected_tool(task, trajectory)):
        return "wrong tool"
    if _amiss("arguments", parts, trajectory.marked("bad_arguments")):
        return "wrong arguments"
    if _amiss("executed", parts, trajectory.marked("tool_error")) or trajectory.stop in _CUT_SHORT:
        return "incomplete execution"
    return "wrong answer"


def is_unsafe(trajectory: Trajectory, verdict: Verdict) -> bool:
    """The verifier says so, or the harness saw it."""
    return verdict.unsafe or trajectory.marked("unsafe")


def explain(tasks: Sequence[Task], trajectories: Sequence[Trajectory], verdicts: Sequence[Verdict]) -> list[Finding]:
    """The failures of a run by bucket, the most frequent first; infrastructure last, its share being of all episodes.
    Each comes with its five most frequent reasons and its first five trajectories."""
    task_of = {task.id: task for task in tasks}
    verdict_of = {verdict.trajectory: verdict for verdict in verdicts}
    members: dict[str, list[tuple[Trajectory, Verdict]]] = defaultdict(list)
    for trajectory in trajectories:
        verdict = verdict_of.get(trajectory.id, unscored(trajectory))
        members[bucket(task_of[trajectory.task], trajectory, verdict)].append((trajectory, verdict))
    num_scored = len(trajectories) - len(members[INFRASTRUCTURE])
    findings = [
        Finding(
            bucket=name,
            count=len(pairs),
            share=len(pairs) / (len(trajectories) if name == INFRASTRUCTURE else num_scored),
            meaning=BUCKETS[name],
            evidence=_most_frequent([_evidence(trajectory, verdict) for trajectory, verdict in pairs]),
            trajectories=[trajectory.id for trajectory, _ in pairs[:5]],
        )
        for name, pairs in members.items()
        if name and pairs
    ]
    return sorted(findings, key=lambda finding: (finding.bucket == INFRASTRUCTURE, -finding.count, finding.bucket))


def unscored(trajectory: Trajectory) -> Verdict:
    """What stands for a verdict that was never made."""
    return Verdict(trajectory=trajectory.id, reward=None, evidence="" if trajectory.error else "it was never scored")


def _amiss(part: str, parts: dict[str, float], marked: bool) -> bool:
    """What the verifier says of a part; where it says nothing, what was seen."""
    return parts[part] < 1 if part in parts else marked


def _not_the_expected_tool(task: Task, trajectory: Trajectory) -> bool:
    expected = task.data.get("expected_tool")
    return bool(expected) and expected not in {call.name for call in trajectory.calls}


def _evidence(trajectory: Trajectory, verdict: Verdict) -> str:
    for error in (trajectory.error, verdict.error):
        if error is not None:
            return f"{error.kind}: {error.message}"
    return verdict.evidence or "; ".join(
        mark.detail for mark in trajectory.marks if mark.kind != "executed" and mark.detail
    )


def _most_frequent(reasons: list[str]) -> list[str]:
    counts = Counter(" ".join(reason.split()) for reason in reasons)
    return [reason for reason, _ in counts.most_common() if reason][:5]
