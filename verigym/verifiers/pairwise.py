"""Which of two replies is better: each trajectory against the task's reference, or against others of its group.

Every pair is judged in both orders; a judge that changes its mind with the order has not decided, which is a tie. The reward
is the share of comparisons won, a tie counting half.
"""

import asyncio
import functools
import statistics
from collections.abc import Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from verigym.core.errors import BadInput, VerifierFailure
from verigym.core.protocols import Context
from verigym.core.records import Sampling, Task, Trajectory, Verdict
from verigym.core.seeds import derive
from verigym.verifiers.judge import UNTRUSTED, ask, evidence, find_policy, quoted, task_text, transcript
from verigym.verifiers.lift import failed, named, unscorable
from verigym.verifiers.version import version


class PairwiseJudge(Struct, frozen=True, dict=True):
    """`PairwiseJudge("Which reply is clearer?")` over `context.policies["judge"]`; a whole group is verified together."""

    rubric: str
    rounds: int = 2
    """Without `task.data["reference"]`: in each round a trajectory meets the next one of its group, then the one after
    it. Two rounds are up to four others each."""
    passing: float = 0.5
    """It passes with a larger share won than this."""
    votes: int = 1
    """How often each pair is judged (in both orders), each time with another seed."""
    whole: bool = False
    """Shows the whole episodes with their tool calls, not only the last replies."""
    policy: str = "judge"
    """Which of `context.policies`."""
    sampling: Sampling = Sampling(temperature=0.7, max_tokens=1024)
    retries: int = 2
    """How often a malformed judgement is asked for again."""

    def __post_init__(self) -> None:
        if self.votes < 1 or self.rounds < 1:
            raise BadInput("PairwiseJudge: votes and rounds are at least 1")

    @functools.cached_property
    def name(self) -> str:
        return f"pairwise_judge@{version(self)}"

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
        playing = [place for place, trajectory in enumerate(group) if trajectory.scorable]
        reference = task.data.get("reference")
        shown = [transcript(each) if self.whole else each.reply for each in group]
        pairs = [(place, None) for place in playing] if reference is not None else _round_robin(playing, self.rounds)
        games = await asyncio.gather(
            *(
                self._game(task, shown[one], str(reference) if other is None else shown[other], context, group[one].id)
                for one, other in pairs
            ),
            return_exceptions=True,
        )
        verdicts: list[Verdict] = []
        for place, trajectory in enumerate(group):
            played = [
                (game, place == one) for game, (one, other) in zip(games, pairs, strict=True) if place in (one, other)
            ]
            verdicts.append(self._verdict(played) if trajectory.scorable else unscorable(trajectory))
        return named(self.name, group, verdicts)

    def _verdict(self, played: "list[tuple[_Game | BaseException, bool]]") -> Verdict:
        if not played:
            return failed(VerifierFailure("alone in its group, and the task has no reference to compare it with"))
        shares: list[float] = []
        for game, as_first in played:
            if isinstance(game, Exception):
                return failed(game)
            if isinstance(game, BaseException):  # cancelled
                raise game
            shares.append(game.share if as_first else 1 - game.share)
        reward = statistics.fmean(shares)
        first = next(game for game, _ in played if isinstance(game, _Game))
        answers = [raw for game, _ in played if isinstance(game, _Game) for raw in game.answers]
        return Verdict(
            reward=reward,
            passed=reward > self.passing,
            parts={"compared": float(len(played))},
            evidence=evidence(first.prompt, answers),
        )

    async def _game(self, task: Task, one: str, other: str, context: Context, name: str) -> "_Game":
        """The first one's share of the points."""
        prompts = [self._prompt(task, one, other), self._prompt(task, other, one)]
        policy = find_policy(context, self.policy)
        asked = (
            ask(
                policy,
                prompt,
                _PairJudgement,
                lambda _: True,
                derive(0, "pairwise", name, order, vote),
                self.sampling,
                self.retries,
            )
            for vote in range(self.votes)
            for order, prompt in enumerate(prompts)
        )
        said = await asyncio.gather(*asked)
        points: list[float] = []
        for (straight, _), (swapped, _) in zip(said[::2], said[1::2], strict=True):
            points.append({("A", "B"): 1.0, ("B", "A"): 0.0}.get((straight.winner, swapped.winner), 0.5))
        return _Game(statistics.fmean(points), prompts[0], [raw for _, raw in said])

    def _prompt(self, task: Task, first: str, second: str) -> str:
        return "\n\n".join(
            [
                "You compare the work of two assistants, A and B, by this rubric:",
                self.rubric,
                quoted("task", task_text(task)),
                quoted("reply A", first),
                quoted("reply B", second),
                UNTRUSTED,
                'Answer with one JSON object and nothing else: {"reason": "...", "winner": "A", "B" or "tie"}.',
            ]
        )


class _PairJudgement(Struct, frozen=True):
    reason: str
    winner: Literal["A", "B", "tie"]


class _Game(NamedTuple):
    share: float
    prompt: str
    answers: list[str]


def _round_robin(places: list[int], rounds: int) -> list[tuple[int, int | None]]:
    """In round k each meets the one k further on, round a circle; no two meet twice."""
    pairs: dict[frozenset[int], tuple[int, int | None]] = {}
    for step in range(1, rounds + 1):
        for at, one in enumerate(places):
            other = places[(at + step) % len(places)]
            if one != other:
                pairs.setdefault(frozenset((one, other)), (one, other))
    return list(pairs.values())
