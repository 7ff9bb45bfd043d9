"""The fake judge: it likes some replies and not others, so that a judged environment can be tried with no model.

It reads the prompts of `Judge` and `PairwiseJudge`, and answers as they ask. An environment that asks its judge in words of
its own scripts one itself.
"""

import re
from collections.abc import Callable

from verigym.core.protocols import Reply, Request
from verigym.core.records import Message, Turn
from verigym.verifiers.judge import unquoted

_SCALE = re.compile(r"N from (\S+) \(worst\) to (\S+) \(best\)")


class ScriptedJudge:
    """`ScriptedJudge(lambda reply: "42" in reply)`: the best score for what it likes, the worst for the rest."""

    def __init__(self, likes: Callable[[str], bool]) -> None:
        self._likes = likes

    async def respond(self, request: Request) -> Reply:
        prompt = "".join(item.text for item in request.items if isinstance(item, Message))
        liked = [self._likes(text) for name, text in unquoted(prompt).items() if name.startswith("reply")]
        scale = _SCALE.search(prompt)
        if scale and len(liked) == 1:
            answer = f'{{"reason": "scripted", "score": {scale.group(2 if liked[0] else 1)}}}'
        else:
            winner = "A" if liked == [True, False] else "B" if liked == [False, True] else "tie"
            answer = f'{{"reason": "scripted", "winner": "{winner}"}}'
        return Reply(items=[Message("assistant", answer)], turn=Turn(agent="scripted"))
