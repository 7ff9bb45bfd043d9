"""Reward models: `RewardModel` uses the score as the training reward, and `RewardJudge` picks the better of two replies.

A policy can exploit a reward model. So `RewardModel` takes only the reward from it. What passed, what was unsafe and the parts
come from an independent verifier, which is not trained against.
"""

import asyncio
import math
from collections.abc import Sequence

import msgspec

from verigym.core.errors import BadInput, VerifierFailure
from verigym.core.interrupts import ends_run
from verigym.core.protocols import Context, Reply, Request, Scorer, Verifier
from verigym.core.records import Message, Task, Trajectory, Turn, Verdict
from verigym.verifiers.judge import unquoted
from verigym.verifiers.lift import failed, named, unscorable


class RewardModel:
    def __init__(self, version: str, independent: Verifier) -> None:
        self.name = f"reward_model@{version}"
        self._independent = independent

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
        shown = [trajectory for trajectory in group if trajectory.scorable]
        if not shown:
            return named(self.name, group, [unscorable(each) for each in group])
        judged = self._independent.verify(task, shown, context)
        scored = await asyncio.gather(self._scores(shown, context), judged)
        verdicts = iter([_with_score(score, verdict) for score, verdict in zip(*scored, strict=True)])
        return named(self.name, group, [next(verdicts) if each.scorable else unscorable(each) for each in group])

    async def _scores(self, shown: list[Trajectory], context: Context) -> Sequence[float | Verdict]:
        try:
            if context.scorer is None:
                raise BadInput(f"{self.name} has no reward model. Name it in the recipe: reward_model: VERSION")
            return await context.scorer.score(shown)
        except BaseException as error:
            if ends_run(error):
                raise
            return [failed(error)] * len(shown)


def _with_score(score: float | Verdict, verdict: Verdict) -> Verdict:
    """The independent verdict with the score as its reward. If the independent verifier failed, nothing passed."""
    if isinstance(score, Verdict):
        return score
    if not math.isfinite(score):
        return failed(VerifierFailure(f"the reward model's score is {score}. A reward must be a finite number"))
    evidence = f"score {score:+.3f}" + (f"\n{verdict.evidence}" if verdict.evidence else "")
    return msgspec.structs.replace(verdict, reward=score, error=None, evidence=evidence)


class RewardJudge:
    """A reward model that answers the prompts of `PairwiseJudge`: the reply with the higher score wins. It sees the request and
    the reply, without the system prompt. Its scores have no scale, so it cannot answer `Judge`."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    async def respond(self, request: Request) -> Reply:
        shown = unquoted("".join(item.text for item in request.items if isinstance(item, Message)))
        if not {"task", "reply A", "reply B"} <= shown.keys():
            reason = (
                f"the judge {self._scorer.name} is a reward model, which can only compare two replies (PairwiseJudge)"
            )
            raise VerifierFailure(f"{reason}. Name a model that writes answers with --judge")
        asked = Message("user", shown["task"])
        replies = [Message("assistant", shown[name]) for name in ("reply A", "reply B")]
        pair = [Trajectory(id="", task="", group="", items=[asked, reply]) for reply in replies]
        first, second = await self._scorer.score(pair)
        if not (math.isfinite(first) and math.isfinite(second)):
            raise VerifierFailure(
                f"{self._scorer.name} gave the scores {first} and {second}. They must be finite numbers"
            )
        winner = "A" if first > second else "B" if second > first else "tie"
        answer = {"reason": f"scores {first:+.3f} and {second:+.3f}", "winner": winner}
        text = msgspec.json.encode(answer).decode()
        return Reply(items=[Message("assistant", text)], turn=Turn(agent=self._scorer.name))
