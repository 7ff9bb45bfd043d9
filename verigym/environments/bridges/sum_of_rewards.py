"""Foreign environments that reward their steps: an episode counts the rewards, and the verdict is their sum in the end state.

A stored run needs only its end state, so it can be scored again.
"""

import msgspec

from verigym.core.records import Json, Task, Trajectory, Verdict


class RewardedSteps:
    """The rewards of an episode so far. An episode's class inherits from it and calls `add_reward` after each step."""

    total, since, finished = 0.0, 0.0, False
    """Sum of all rewards, sum since the last reply, and whether the environment ended the episode."""

    def add_reward(self, reward: float, finished: bool) -> None:
        self.total, self.since, self.finished = self.total + reward, self.since + reward, finished

    def done(self) -> bool:
        return self.finished

    def step_reward(self) -> float:
        reward, self.since = self.since, 0.0
        return reward

    def end_state(self) -> Json:
        return {"return": self.total, "done": self.finished}


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
