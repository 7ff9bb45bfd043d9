"""Wraps a plain `verify(task, trajectory)` as a `core.protocols.Verifier`.

This is the one boundary where a verifier's own failure becomes a record. Whatever `verify` raises becomes a verdict with an
error and no reward, never a silent 0. Episodes that failed for other reasons than the model are never passed to `verify`.
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
from verigym.core.interrupts import ends_run
from verigym.core.protocols import Context, Verifier
from verigym.core.records import Failure, Fault, Task, Trajectory, Verdict
from verigym.verifiers.version import version

_LONGEST_S = 10.0
"""Time limit of a plain `verify`. It runs on the event loop's thread and blocks everything else."""
Score = float | bool | Verdict
Verify = Callable[..., Score | Awaitable[Score]]
"""`verify(task, trajectory)`, or `verify(task, trajectory, context)` if it needs a judge or a sandbox."""
VerifyGroup = Callable[..., Sequence[Score] | Awaitable[Sequence[Score]]]
"""`verify_group(task, trajectories)`, optionally with `context`: one score per trajectory, in order."""


def lift(name: str, verify: Verify | Verifier) -> Verifier:
    """`verify` as a group verifier named `name@version`. A `Verifier` is returned unchanged."""
    if isinstance(verify, type):
        kind: type = verify
        raise BadInput(f"verifier {name}: {kind.__name__} is a class. Write {kind.__name__}(...)")
    return verify if isinstance(verify, Verifier) else _LiftedVerifier(f"{name}@{version(verify)}", verify)


def lift_group(name: str, verify_group: VerifyGroup) -> Verifier:
    """A plain `verify_group(task, trajectories)` as a group verifier. It gets only trajectories that can be scored."""
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
            if ends_run(error):
                raise
            return [failed(error) for _ in shown]


async def judged(verify: Verify | Verifier, task: Task, trajectory: Trajectory, context: Context) -> Verdict:
    """The verdict on one trajectory. Raises only what ends the run."""
    if not trajectory.scorable:
        return unscorable(trajectory)
    try:
        if not inspect.isfunction(verify) and isinstance(verify, Verifier):
            [verdict] = await verify.verify(task, [trajectory], context)
            return _verdict(verdict)
        return _verdict(await _called(verify, task, trajectory, context))
    except BaseException as error:
        if ends_run(error):
            raise
        return failed(error)


def unscorable(trajectory: Trajectory) -> Verdict:
    return Verdict(reward=None, error=trajectory.error)


def failed(error: BaseException) -> Verdict:
    """A verdict without a reward. A model fault counts as the verifier's: a judge with a small window, for example."""
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
        raise VerifierFailure(
            f"verify took more than {_LONGEST_S:g} s. If it waits for something, make it async"
        ) from None
    except (RecursionError, OverflowError) as error:
        if not _is_ours(verify) or not isinstance(shown, Trajectory):
            raise
        unsafe = shown.marked("unsafe")
        evidence = f"the reply is nested too deeply, or a number in it is too large: {error}"
        return Verdict(reward=-1.0 if unsafe else 0.0, unsafe=unsafe, evidence=evidence)
    return await made if inspect.isawaitable(made) else made


def _is_ours(verify: Callable[..., Any]) -> bool:
    """Whether Verigym ships this verifier. Its data is checked, so only a reply can be too deep or too large for it."""
    module = verify.__module__ if inspect.isroutine(verify) else type(verify).__module__
    return module.startswith("verigym.")


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
    """Whether a group's verdicts should be computed concurrently."""
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
    raise VerifierFailure(f"verify returned {type(score).__name__}. It must return a float, a bool or a Verdict")


def _checked(verdict: Verdict) -> Verdict:
    """Checks the types of fields that a user's code may have set."""
    if not isinstance(verdict.evidence, str) or not isinstance(verdict.error, Failure | None):
        raise VerifierFailure("verify returned a Verdict whose evidence is not text or whose error is not a Failure")
    return verdict


def _finite(name: str, value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise VerifierFailure(f"verify returned {value!r} as {name}. It must be a finite number")
    return float(value)
