"""A reward model as a verifier: its score is the reward. What it calls passed is only what it likes: it can be gamed, so
something else has to judge what was learnt from it."""

from collections.abc import Sequence

from verigym.core.errors import BadInput
from verigym.core.protocols import Context, Scorer
from verigym.core.records import Task, Trajectory, Verdict
from verigym.verifiers.lift import ENDS, failed, named, unscorable


class RewardModel:
    def __init__(self, version: str) -> None:
        self.name = f"reward_model@{version}"

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
        shown = [trajectory for trajectory in group if trajectory.scorable]
        scored = iter(await self._scored(shown, context.scorer) if shown else [])
        return named(self.name, group, [next(scored) if each.scorable else unscorable(each) for each in group])

    async def _scored(self, shown: list[Trajectory], scorer: Scorer | None) -> list[Verdict]:
        try:
            if scorer is None:
                raise BadInput(f"{self.name} needs its reward model; name it in the recipe: reward_model: VERSION")
            scores = await scorer.score(shown)
        except BaseException as error:
            if isinstance(error, ENDS):
                raise
            return [failed(error) for _ in shown]
        return [Verdict(reward=score, passed=score > 0, evidence=f"score {score:+.3f}") for score in scores]
