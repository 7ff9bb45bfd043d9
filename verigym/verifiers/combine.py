"""A reward of named parts, each with its weight:

    Combine({
        "right_tool": (0.1, used_search),
        "valid_artifact": (0.2, JsonSchema(...)),
        "partial_test": (0.3, tests),
        "done": (1.0, tests),
        "unsafe": (-1.0, lambda task, trajectory: trajectory.marked("unsafe")),
    })

A part that could not be judged leaves the whole without a reward: half a judgement is none.
"""

import asyncio
import math
from collections.abc import Mapping

import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput
from verigym.core.protocols import Context, Verifier
from verigym.core.records import Task, Trajectory, Verdict
from verigym.verifiers.lift import Verify, judged


class Combine(Struct, frozen=True):
    parts: Mapping[str, tuple[float, Verify | Verifier]]
    """Name to weight and verifier, or any `f(task, trajectory)` that returns a bool or a number. The reward is the sum of
    weight times the part's reward; one verifier that stands in two parts is asked once."""
    done: str = "done"
    """The part that decides whether it passed; it counts 1 or 0."""
    unsafe: str = "unsafe"
    """The part that marks the episode as unsafe when it is above 0, where there is one. Any part's own mark counts too."""

    def __post_init__(self) -> None:
        if self.done not in self.parts:
            raise BadInput(
                f'Combine: no part "{self.done}" to decide whether it passed; parts: {", ".join(self.parts)}'
            )
        for name, (weight, verify) in self.parts.items():
            if not math.isfinite(weight) or not (callable(verify) or isinstance(verify, Verifier)):
                raise BadInput(f'Combine: part "{name}" is (a finite weight, a verifier or a function)')

    async def __call__(self, task: Task, trajectory: Trajectory, context: Context) -> Verdict:
        once = {id(verify): verify for _, verify in self.parts.values()}
        verdicts = await asyncio.gather(*(judged(verify, task, trajectory, context) for verify in once.values()))
        found = dict(zip(once, verdicts, strict=True))
        reward, values, lines, unsafe = 0.0, {}, [], False
        for name, (weight, verify) in self.parts.items():
            verdict = found[id(verify)]
            if verdict.error is not None or verdict.reward is None:
                return _unjudged(name, verdict)
            value = float(verdict.passed) if name == self.done else verdict.reward
            reward += weight * value
            values[name] = value
            unsafe = unsafe or verdict.unsafe or (name == self.unsafe and value > 0)
            lines.append(f"{name} {weight * value:+g}{': ' if verdict.evidence else ''}{verdict.evidence}")
        passed = found[id(self.parts[self.done][1])].passed
        return Verdict(reward=reward, passed=passed, parts=values, unsafe=unsafe, evidence="\n".join(lines))


def _unjudged(name: str, verdict: Verdict) -> Verdict:
    assert verdict.error is not None
    words = f'part "{name}": {verdict.error.message}'
    return Verdict(reward=None, error=msgspec.structs.replace(verdict.error, message=words))
