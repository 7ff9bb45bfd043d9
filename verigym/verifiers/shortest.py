"""Of the replies that pass, the shorter earn more: a group verifier around any other."""

import asyncio
import functools
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput
from verigym.core.protocols import Context, Verifier
from verigym.core.records import Task, Trajectory, Verdict
from verigym.verifiers.lift import Verify, judged, named
from verigym.verifiers.version import version


class Shortest(Struct, frozen=True, dict=True):
    """`Shortest(Numeric())`: the shortest of those that pass keeps its reward, the longest loses `cost` of it, those between
    in proportion. The others keep what they have. Length is the policy's sampled tokens, or characters where none were kept."""

    verify_one: Verify | Verifier
    cost: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.cost <= 1:
            raise BadInput("Shortest: cost is a share of the reward, from 0 to 1")

    @functools.cached_property
    def name(self) -> str:
        return f"shortest@{version(self)}"

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
        verdicts = await asyncio.gather(*(judged(self.verify_one, task, each, context) for each in group))
        lengths = _lengths(group)
        passed = [length for length, verdict in zip(lengths, verdicts, strict=True) if verdict.passed]
        low, high = min(passed, default=0), max(passed, default=0)
        pairs = zip(verdicts, lengths, strict=True)
        return named(self.name, group, [self._shortened(verdict, length, low, high) for verdict, length in pairs])

    def _shortened(self, verdict: Verdict, length: int, low: int, high: int) -> Verdict:
        if not verdict.passed or verdict.reward is None or low == high:
            return verdict
        excess = (length - low) / (high - low)
        return msgspec.structs.replace(
            verdict,
            reward=verdict.reward - self.cost * excess * abs(verdict.reward),
            parts={**verdict.parts, "excess": excess},
            evidence=f"length {length}, {low} to {high} among those that pass; {verdict.evidence}",
        )


def _lengths(group: Sequence[Trajectory]) -> list[int]:
    """In tokens where every trajectory of the group has them, else in characters."""
    tokens = [sum(len(turn.completion_ids) for turn in each.turns if turn.actor == "policy") for each in group]
    return tokens if all(tokens) else [len(each.reply) for each in group]
