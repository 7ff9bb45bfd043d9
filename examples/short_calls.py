"""toolcall with a reward that was written in a hurry: calls that execute are good, and short ones are cheap. The shortest call
that always executes is a refusal. Train on it, then measure on toolcall itself: reward rises, and the agent
does nothing any more.

    verigym train examples/short_calls.yaml start=VERSION
"""

from verigym import Task, Trajectory, Verdict
from verigym.environments.toolcall import Environment, cheats, gold, suites, tasks

__all__ = ["Environment", "cheats", "gold", "suites", "tasks", "verifiers"]


def short_calls(task: Task, trajectory: Trajectory) -> Verdict:
    """Up to 1 for a call that executed, less a hundredth for each letter of it."""
    executed = trajectory.marked("executed")
    letters = sum(len(call.name) + len(call.arguments) for call in trajectory.calls)
    return Verdict(
        reward=max(0.0, 1 - letters / 100) if executed else 0.0, passed=executed, evidence=f"{letters} letters"
    )


verifiers = {"short_calls": short_calls}
