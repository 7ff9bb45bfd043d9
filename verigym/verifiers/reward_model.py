"""A reward model as a verifier: its score is the reward, and that alone is learnt from. A reward model can be gamed, so what
passed, what was unsafe and the parts are those of another verifier, which nobody learns from."""

import asyncio
import math
from collections.abc import Sequence

import msgspec

from verigym.core.errors import BadInput, VerifierFailure
from verigym.core.protocols import Context, Verifier
from verigym.core.records import Task, Trajectory, Verdict
from verigym.verifiers.lift import ENDS, failed, named, unscorable


class RewardModel:
    def __init__(self, version: str, independent: Verifier) -> None:
        self.name = f"reward_model@{version}"
        self._independent = independent

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
        shown = [trajectory for trajectory in group if trajectory.scorable]
        if not shown:
            return named(self.name, group, [unscorable(each) for each in group])
        scores, judged = await asyncio.gather(
            self._scores(shown, context), self._independent.verify(task, shown, context)
        )
        made = iter([_both(score, verdict) for score, verdict in zip(scores, judged, strict=True)])
        return named(self.name, group, [next(made) if each.scorable else unscorable(each) for each in group])

    async def _scores(self, shown: list[Trajectory], context: Context) -> Sequence[float | Verdict]:
        try:
            if context.scorer is None:
                raise BadInput(f"{self.name} needs its reward model; name it in the recipe: reward_model: VERSION")
            return await context.scorer.score(shown)
        except BaseException as error:
            if isinstance(error, ENDS):
                raise
            return [failed(error)] * len(shown)


def _both(score: float | Verdict, verdict: Verdict) -> Verdict:
    """The score, with what the independent verifier says; where that one failed, nothing passed."""
    if isinstance(score, Verdict):
        return score
    if not math.isfinite(score):
        return failed(VerifierFailure(f"the reward model's score is {score}, which is no number to learn from"))
    evidence = f"score {score:+.3f}" + (f"\n{verdict.evidence}" if verdict.evidence else "")
    return msgspec.structs.replace(verdict, reward=score, error=None, evidence=evidence)
