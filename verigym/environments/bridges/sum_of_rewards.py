"""The verdict of a foreign environment that rewards its steps: the sum, as the end state holds it. It asks nobody again."""

import msgspec

from verigym.core.records import Task, Trajectory, Verdict


class SumOfRewards(msgspec.Struct, frozen=True):
    """Reads `return` and `done` of the end state."""

    least: float
    """Return that passes."""

    def __call__(self, task: Task, trajectory: Trajectory) -> Verdict:
        end = trajectory.end_state
        total = float(end["return"])
        ended = "ended the episode" if end["done"] else "did not end the episode"
        words = f"the rewards add up to {total:g}, and {self.least:g} passes. The environment {ended}"
        return Verdict(reward=total, passed=total >= self.least, evidence=words)
