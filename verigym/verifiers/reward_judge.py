"""A reward model in the place of a judge: of the two replies that `PairwiseJudge` shows it, the one with the higher score wins.

It answers as a judge does, so whatever asks, audits or gates a judge of pairs takes it. It reads what a judge reads, request and
reply, without the system prompt of the episode. There is no scale to its scores: `Judge` cannot use it.
"""

import math

import msgspec

from verigym.core.errors import VerifierFailure
from verigym.core.protocols import Reply, Request, Scorer
from verigym.core.records import Message, Trajectory, Turn
from verigym.verifiers.judge import unquoted


class RewardJudge:
    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    async def respond(self, request: Request) -> Reply:
        shown = unquoted("".join(item.text for item in request.items if isinstance(item, Message)))
        if not {"task", "reply A", "reply B"} <= shown.keys():
            raise VerifierFailure(
                f"the judge {self._scorer.name} is a reward model: it can say which of two replies is better, and nothing else; "
                "name a model that answers by --judge, or compare replies (PairwiseJudge)"
            )
        first, second = await self._scorer.score([_said(shown["task"], shown[name]) for name in ("reply A", "reply B")])
        if not (math.isfinite(first) and math.isfinite(second)):
            raise VerifierFailure(
                f"the reward model {self._scorer.name} scored {first} and {second}, which are no numbers"
            )
        winner = "A" if first > second else "B" if second > first else "tie"
        answer = {"reason": f"scores {first:+.3f} and {second:+.3f}", "winner": winner}
        text = msgspec.json.encode(answer).decode()
        return Reply(items=[Message("assistant", text)], turn=Turn(agent=self._scorer.name))


def _said(task: str, reply: str) -> Trajectory:
    return Trajectory(id="", task="", group="", items=[Message("user", task), Message("assistant", reply)])
