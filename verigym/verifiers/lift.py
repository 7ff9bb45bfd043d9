"""A plain `verify(task, trajectory)`, or one of this folder's, as a `core.protocols.Verifier`.

This is the one boundary where a verifier's own failure becomes a record: whatever goes wrong in `verify` is a verdict
with no reward and an error, never a silent 0. An episode that says nothing about the model is never shown to it.
"""

import asyncio
import functools
import inspect
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from verigym.core import watchdog as alarm
from verigym.core.errors import BadInput, VerifierFailure, failure
from verigym.core.protocols import Context, Verifier
from verigym.core.records import Failure, Fault, Task, Trajectory, Verdict
from verigym.verifiers.version import version

_LONGEST_S = 10.0
"""Of a plain verify: it runs on the loop's thread, where everybody else waits for it."""
ENDS = (KeyboardInterrupt, asyncio.CancelledError, GeneratorExit)
"""What ends the run; whatever else a verifier raises ends its verdict."""
Score = float | bool | Verdict
Verify = Callable[..., Score | Awaitable[Score]]
"""`verify(task, trajectory)`, or `verify(task, trajectory, context)` for one that needs a judge or a sandbox."""
VerifyGroup = Callable[..., Sequence[Score] | Awaitable[Sequence[Score]]]
"""`verify_group(task, trajectories)`, with `context` likewise: one score for each trajectory, in their order."""


def lift(name: str, verify: Verify | Verifier) -> Verifier:
    """`verify` as a group verifier named `name@version`; one that already is a `Verifier` is returned as it is."""
    if isinstance(verify, type):
        kind: type = verify
        raise BadInput(f"verifier {name}: {kind.__name__} is a class; write {kind.__name__}(...)")
    return verify if isinstance(verify, Verifier) else _LiftedVerifier(f"{name}@{version(verify)}", verify)


def lift_group(name: str, verify_group: VerifyGroup) -> Verifier:
    """A plain `verify_group(task, trajectories)` as a group verifier; it sees the trajectories that can be scored."""
    return _LiftedGroup(f"{name}@{version(verify_group)}", verify_group)


class _LiftedVerifier:
    def __init__(self, name: str, verify: Verify) -> None:
        self.name = name
        self._verify = verify

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
        if len(group) == 1 or not _waits(self._verify):
            verdicts = [await judged(self._verify, task, each, context) for each in group]
        else:
            verdicts = await asyncio.gather(*(judged(self._verify, task, each, context) for each in group))
        return named(self.name, group, verdicts)


class _LiftedGroup:
    def __init__(self, name: str, verify_group: VerifyGroup) -> None:
        self.name = name
        self._verify_group = verify_group

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
        shown = [trajectory for trajectory in group if trajectory.scorable]
        scored = iter(await self._scored(task, shown, context) if shown else [])
        return named(self.name, group, [next(scored) if each.scorable else unscorable(each) for each in group])

    async def _scored(self, task: Task, shown: list[Trajectory], context: Context) -> list[Verdict]:
        try:
            scores = list(await _called(self._verify_group, task, shown, context))
            if len(scores) != len(shown):
                raise VerifierFailure(f"verify_group returned {len(scores)} scores for {len(shown)} trajectories")
            return [_verdict(score) for score in scores]
        except BaseException as error:
            if isinstance(error, ENDS):
                raise
            return [failed(error) for _ in shown]


async def judged(verify: Verify | Verifier, task: Task, trajectory: Trajectory, context: Context) -> Verdict:
    """The verdict on one trajectory; it raises nothing but a cancellation."""
    if not trajectory.scorable:
        return unscorable(trajectory)
    try:
        if not inspect.isfunction(verify) and isinstance(verify, Verifier):
            [verdict] = await verify.verify(task, [trajectory], context)
            return _verdict(verdict)
        return _verdict(await _called(verify, task, trajectory, context))
    except BaseException as error:
        if isinstance(error, ENDS):
            raise
        return failed(error)


def unscorable(trajectory: Trajectory) -> Verdict:
    return Verdict(reward=None, error=trajectory.error)


def failed(error: BaseException) -> Verdict:
    """A judge whose window is too small is not the fault of the model that is being judged."""
    made = failure(error, Fault.VERIFIER)
    fault = Fault.VERIFIER if made.fault is Fault.MODEL else made.fault
    return Verdict(reward=None, error=msgspec.structs.replace(made, fault=fault))


def named(verifier: str, group: Sequence[Trajectory], verdicts: Sequence[Verdict]) -> list[Verdict]:
    return [
        msgspec.structs.replace(verdict, trajectory=trajectory.id, verifier=verifier)
        for verdict, trajectory in zip(verdicts, group, strict=True)
    ]


async def _called(verify: Callable[..., Any], task: Task, shown: object, context: Context) -> Any:
    more = {"context": context} if _takes_context(verify) else {}
    try:
        made = alarm.guarded(verify, _LONGEST_S, task, shown, **more)
    except alarm.Overdue:
        raise VerifierFailure(f"verify took more than {_LONGEST_S:g} s; one that waits should be async") from None
    return await made if inspect.isawaitable(made) else made


def _takes_context(verify: Callable[..., Any]) -> bool:
    routine = inspect.isroutine(verify) or isinstance(verify, functools.partial)
    return _has_context(verify if routine else type(verify).__call__)


@functools.lru_cache(maxsize=1024)
def _has_context(routine: Callable[..., Any]) -> bool:
    try:
        return "context" in inspect.signature(routine).parameters
    except ValueError:  # a builtin without a signature
        return False


def _waits(verify: Callable[..., Any]) -> bool:
    """Whether a group's verdicts are worth asking for at the same time."""
    return not inspect.isfunction(verify) or inspect.iscoroutinefunction(verify)


def _verdict(score: object) -> Verdict:
    match score:
        case Verdict(error=None, reward=None):
            raise VerifierFailure("verify returned a Verdict with neither a reward nor an error")
        case Verdict(error=None):
            return _checked(
                msgspec.structs.replace(
                    score,
                    reward=_finite("reward", score.reward),
                    passed=bool(score.passed),
                    unsafe=bool(score.unsafe),
                    parts={str(name): _finite(name, value) for name, value in score.parts.items()},
                )
            )
        case Verdict():
            return _checked(msgspec.structs.replace(score, reward=None, passed=False))
        case bool() | int() | float():
            reward = _finite("reward", score)
            return Verdict(reward=reward, passed=reward >= 1.0)
    raise VerifierFailure(f"verify returned {type(score).__name__}; it should return a float, a bool or a Verdict")


def _checked(verdict: Verdict) -> Verdict:
    """One whose fields are what they should be, whatever was put into them."""
    if not isinstance(verdict.evidence, str) or not isinstance(verdict.error, Failure | None):
        raise VerifierFailure("verify returned a Verdict whose evidence is not text, or whose error is no Failure")
    return verdict


def _finite(name: str, value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise VerifierFailure(f"verify returned {value!r} as {name}; it should be a finite number")
    return float(value)
