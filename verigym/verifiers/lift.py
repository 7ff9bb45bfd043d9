"""A plain `verify(task, trajectory)` as a `core.protocols.Verifier`.

This is the one boundary where a verifier's own failure becomes a record: whatever goes wrong in `verify` is a verdict
with no reward and an error, never a silent 0. Verifiers that look at a whole group are written to the protocol itself.
"""

import hashlib
import inspect
import math
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from verigym.core.errors import VerifierFailure, failure
from verigym.core.protocols import Context, Verifier
from verigym.core.records import Fault, Task, Trajectory, Verdict

Score = float | bool | Verdict
Verify = Callable[[Task, Trajectory], Score | Awaitable[Score]]


def lift(name: str, verify: Verify | Verifier) -> Verifier:
    """`verify` as a group verifier named `name@version`; one that already is a `Verifier` is returned as it is."""
    return verify if isinstance(verify, Verifier) else _Lifted(f"{name}@{_version(verify)}", verify)


class _Lifted:
    def __init__(self, name: str, verify: Verify) -> None:
        self.name = name
        self._verify = verify

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
        verdicts = [await self._one(task, trajectory) for trajectory in group]
        return [
            msgspec.structs.replace(verdict, trajectory=trajectory.id, verifier=self.name)
            for verdict, trajectory in zip(verdicts, group, strict=True)
        ]

    async def _one(self, task: Task, trajectory: Trajectory) -> Verdict:
        if not trajectory.scorable:
            return Verdict(reward=None, error=trajectory.error)
        try:
            score = self._verify(task, trajectory)
            return _verdict(await score if inspect.isawaitable(score) else score)
        except Exception as error:
            return Verdict(reward=None, error=failure(error, Fault.VERIFIER))


def _verdict(score: object) -> Verdict:
    match score:
        case Verdict():
            if score.reward is not None:
                _finite(score.reward)
            return score
        case bool() | int() | float():
            reward = _finite(float(score))
            return Verdict(reward=reward, passed=reward >= 1.0)
    raise VerifierFailure(f"verify returned {type(score).__name__}; it should return a float, a bool or a Verdict")


def _finite(reward: float) -> float:
    if not math.isfinite(reward):
        raise VerifierFailure(f"verify returned the reward {reward}; a reward is a finite number")
    return reward


def _version(verify: Verify) -> str:
    """Of the source of the function's module, so that a changed verifier, or a helper of it, has a changed name."""
    try:
        source = inspect.getsource(verify) + inspect.getsource(inspect.getmodule(verify) or verify)
    except (OSError, TypeError):  # made at runtime, or a callable object
        source = getattr(verify, "__qualname__", type(verify).__qualname__)
    return hashlib.sha256(source.encode()).hexdigest()[:8]
