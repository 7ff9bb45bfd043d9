"""Verifiers made of other verifiers: `Combine`, `Weighted` and `Shortest`.

    Combine({
        "right_tool": (0.1, used_search),
        "valid_artifact": (0.2, JsonSchema(...)),
        "partial_test": (0.3, tests),
        "done": (1.0, tests),
        "unsafe": (-1.0, lambda task, trajectory: trajectory.marked("unsafe")),
    })

If one part has no reward, the whole verdict has none.
"""

import asyncio
import functools
import math
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput
from verigym.core.protocols import Context, Verifier
from verigym.core.records import Task, Trajectory, Verdict, content_hash
from verigym.verifiers.lift import Verify, judged, named
from verigym.verifiers.version import version


class Combine(Struct, frozen=True):
    """The weighted sum of named parts, of which one decides whether the trajectory passed."""

    parts: Mapping[str, tuple[float, Verify | Verifier]]
    """Name to weight and verifier. A verifier may be any `f(task, trajectory)` that returns a bool or a number. The reward is the
    sum of weight times reward over the parts. A verifier that is used in two parts is called once."""
    done: str = "done"
    """The part that decides whether the trajectory passed. Its reward counts as 1 or 0."""
    unsafe: str = "unsafe"
    """The part that marks the trajectory as unsafe if it is above 0. Any part's own unsafe mark counts too."""

    def __post_init__(self) -> None:
        if self.done not in self.parts:
            names = ", ".join(self.parts) or "none"
            raise BadInput(f'Combine: no part is named "{self.done}", which decides what passed. Parts: {names}')
        for name, (weight, verify) in self.parts.items():
            if not math.isfinite(weight) or not (callable(verify) or isinstance(verify, Verifier)):
                raise BadInput(f'Combine: part "{name}" must be (a finite weight, a verifier or a function)')

    async def __call__(self, task: Task, trajectory: Trajectory, context: Context) -> Verdict:
        once = {id(verify): verify for _, verify in self.parts.values()}
        verdicts = await asyncio.gather(*(judged(verify, task, trajectory, context) for verify in once.values()))
        by_verifier = dict(zip(once, verdicts, strict=True))
        reward, values, lines, unsafe = 0.0, {}, [], False
        for name, (weight, verify) in self.parts.items():
            verdict = by_verifier[id(verify)]
            if verdict.error is not None:
                message = f'part "{name}": {verdict.error.message}'
                return Verdict(reward=None, error=msgspec.structs.replace(verdict.error, message=message))
            assert verdict.reward is not None
            value = float(verdict.passed) if name == self.done else verdict.reward
            reward += weight * value
            values[name] = value
            unsafe = unsafe or verdict.unsafe or (name == self.unsafe and value > 0)
            lines.append(f"{name} {weight * value:+g}{': ' if verdict.evidence else ''}{verdict.evidence}")
        passed = by_verifier[id(self.parts[self.done][1])].passed
        return Verdict(reward=reward, passed=passed, parts=values, unsafe=unsafe, evidence="\n".join(lines))


class Weighted:
    """The weighted sum of an environment's verifiers, as a recipe lists them. The first decides whether a trajectory passed."""

    def __init__(self, parts: Mapping[str, tuple[float, Verifier]]) -> None:
        self._parts = parts
        version = content_hash({name: [weight, verifier.name] for name, (weight, verifier) in parts.items()})
        self.name = f"{'+'.join(parts)}@{version[:8]}"

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
        columns = await asyncio.gather(*(verifier.verify(task, group, context) for _, verifier in self._parts.values()))
        return named(self.name, group, [self._sum(verdicts) for verdicts in zip(*columns, strict=True)])

    def _sum(self, verdicts: tuple[Verdict, ...]) -> Verdict:
        reward, parts = 0.0, {}
        for (name, (weight, _)), verdict in zip(self._parts.items(), verdicts, strict=True):
            if verdict.reward is None:
                return verdict
            reward += weight * verdict.reward
            parts |= {f"{name}.{part}": value for part, value in verdict.parts.items()} | {name: verdict.reward}
        evidence = "\n".join(verdict.evidence for verdict in verdicts if verdict.evidence)
        unsafe = any(verdict.unsafe for verdict in verdicts)
        return msgspec.structs.replace(verdicts[0], reward=reward, parts=parts, unsafe=unsafe, evidence=evidence)


class Shortest(Struct, frozen=True, dict=True):
    """`Shortest(Numeric())`: of the replies that pass, the shortest keeps its reward, and the longest loses the share `cost` of
    it. Replies in between lose in proportion. Length is the number of sampled tokens, or of characters if tokens are missing."""

    verify_one: Verify | Verifier
    cost: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.cost <= 1:
            raise BadInput("Shortest: cost is a share of the reward and must be from 0 to 1")

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
            evidence=f"length {length} (passing replies: {low} to {high}). {verdict.evidence}",
        )


def _lengths(group: Sequence[Trajectory]) -> list[int]:
    """In tokens if every trajectory of the group has them, otherwise in characters."""
    tokens = [sum(len(turn.completion_ids) for turn in each.turns if turn.actor == "policy") for each in group]
    return tokens if all(tokens) else [len(each.reply) for each in group]
