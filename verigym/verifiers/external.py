"""The verdict of an external system, read from the end state.

Some verdicts can only come from the other side: a remote server with a database of its own, a benchmark's live checker. The
environment asks for it before it closes and returns it in `end_state()`. A stored run can be shown again with it, but not
scored again: the record does not hold what the other side saw. The harness marks such an episode `not_rescorable`.
"""

from typing import Any

from verigym.core.errors import VerifierFailure
from verigym.core.records import Task, Trajectory, Verdict

KEY = "external_verdict"


def external_verdict(task: Task, trajectory: Trajectory) -> Verdict:
    """`end_state["external_verdict"]`: a number, or an object with `reward` and optionally `passed`, `parts`, `unsafe` and
    `evidence`."""
    if KEY not in trajectory.end_state:
        raise VerifierFailure(
            f'task {task.id}: the end state has no "{KEY}". The environment must return it in end_state(), because only the '
            "external system can score this episode"
        )
    given: Any = trajectory.end_state[KEY]
    fields: dict[str, Any] = given if isinstance(given, dict) else {"reward": given}
    reward = fields.get("reward")
    if not isinstance(reward, int | float):
        raise VerifierFailure(f"task {task.id}: the external system gave the reward {reward!r}. It must be a number")
    return Verdict(
        reward=float(reward),
        passed=bool(fields.get("passed", reward >= 1.0)),
        parts=dict(fields.get("parts") or {}),
        unsafe=bool(fields.get("unsafe", False)),
        evidence=str(fields.get("evidence") or "the external system gave this verdict"),
    )
