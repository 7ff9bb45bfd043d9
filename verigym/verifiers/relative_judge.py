"""A judge for users who have no reward yet: the goal in words is all it needs.

Episodes of one task are compared with each other in pairs (`PairwiseJudge`), because "which is better" is an easier question
than "how good is it". The share of comparisons won is the reward that training uses. Each episode is also scored alone
(`Judge`), and that score decides if it passes. Otherwise half of every group would pass, and no evaluation could see progress.
"""

import asyncio
import functools
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput
from verigym.core.protocols import Context
from verigym.core.records import Sampling, Task, Trajectory, Verdict
from verigym.verifiers.judge import Judge, PairwiseJudge
from verigym.verifiers.lift import judged, named
from verigym.verifiers.version import version


class RelativeJudge(Struct, frozen=True, dict=True):
    """`verify = RelativeJudge("The customer gets a correct answer, politely, with as few calls as possible.")`

    A group of one has nothing to compare with. Its reward is its own score."""

    goal: str
    """What a good episode achieves, in words."""
    rounds: int = 2
    """Comparisons per episode: with two rounds, each is compared with up to four others of its group."""
    passing: float = 0.7
    """Minimum score, from 0 to 1, to pass."""
    votes: int = 1
    """Number of judgements of each pair and of each score."""
    whole: bool = True
    """Show the whole episodes with their tool calls, not only the last replies."""
    policy: str = "judge"
    """Key in `context.policies`."""
    sampling: Sampling = Sampling(temperature=0.7, max_tokens=1024)
    retries: int = 2
    """Maximum number of retries after a malformed judgement."""

    def __post_init__(self) -> None:
        if not self.goal.strip():
            raise BadInput("RelativeJudge: the goal is empty. Describe in words what a good episode achieves")
        if not 0 <= self.passing <= 1 or self.votes < 1 or self.rounds < 1:
            raise BadInput("RelativeJudge: passing must be 0 to 1, and votes and rounds must be at least 1")

    @functools.cached_property
    def name(self) -> str:
        return f"relative_judge@{version(self)}"

    @functools.cached_property
    def _pairs(self) -> PairwiseJudge:
        return PairwiseJudge(
            f"Goal: {self.goal}\nThe better assistant came closer to the goal.",
            rounds=self.rounds,
            votes=self.votes,
            whole=self.whole,
            policy=self.policy,
            sampling=self.sampling,
            retries=self.retries,
        )

    @functools.cached_property
    def _alone(self) -> Judge:
        return Judge(
            f"Goal: {self.goal}\nScore how far the assistant reached the goal.",
            passing=self.passing,
            votes=self.votes,
            whole=self.whole,
            policy=self.policy,
            sampling=self.sampling,
            retries=self.retries,
        )

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
        scores = await asyncio.gather(*(judged(self._alone, task, one, context) for one in group))
        if sum(one.scorable for one in group) < 2:
            return named(self.name, group, scores)
        unreferenced = msgspec.structs.replace(task, data={})  # pairs are within the group
        compared = await self._pairs.verify(unreferenced, group, context)
        return named(self.name, group, [_both(*pair) for pair in zip(scores, compared, strict=True)])


def _both(score: Verdict, compared: Verdict) -> Verdict:
    """The reward of the comparison, with the score's opinion on passing. A failure of either is a failure."""
    if score.error is not None or compared.error is not None:
        return score if score.error is not None else compared
    assert score.reward is not None
    return msgspec.structs.replace(
        compared, passed=score.passed, parts={**score.parts, **compared.parts, "score": score.reward}
    )
