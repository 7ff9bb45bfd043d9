"""Checks that scoring is repeatable: same output, same verdict, in any order and process, on any date.

`python -m verigym.audit.repeatability JOB RESULT` is the other process. It has another hash seed and scores everything a second
time with the clock a year ahead. This finds verifiers that depend on the order of a set, on hash() or on today's date.
"""

import asyncio
import datetime
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from verigym.audit.scripted_episodes import Answer, watching
from verigym.core.errors import VerifierFailure
from verigym.core.protocols import Context
from verigym.core.records import Task, Trajectory, Verdict
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout.many import judge
from verigym.sandbox.open import LazySandbox

_AHEAD_S = (401 * 24 + 5) * 3600.0
"""A shift to another year, month, weekday and hour."""
_LIMIT_S = 120.0
"""Time limit of another process."""
_NOISY = 0.1
"""Maximum share of verdicts that a judge may change."""


class ScoringGroup(Struct, frozen=True):
    """Episodes of one task that are scored together."""

    task: Task
    trajectories: list[Trajectory]


class ScoringJob(Struct, frozen=True):
    environment: str
    """Name or path."""
    verifier: str
    groups: list[ScoringGroup]
    blobs: dict[str, bytes]


async def score(verifier: Any, groups: Sequence[ScoringGroup], context: Context) -> dict[str, Verdict]:
    """The verdicts on all groups, by trajectory."""
    verdicts = [await judge(verifier, group.task, group.trajectories, context) for group in groups]
    return {verdict.trajectory: verdict for group in verdicts for verdict in group}


def same(one: Verdict, other: Verdict) -> bool:
    """Whether two verdicts are equal, apart from their evidence."""
    if one.reward is None or other.reward is None:
        return one.reward is other.reward
    if (one.passed, one.unsafe, one.parts.keys()) != (other.passed, other.unsafe, other.parts.keys()):
        return False
    pairs = [(one.reward, other.reward), *((one.parts[name], value) for name, value in other.parts.items())]
    return all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) for a, b in pairs)


async def repeats(
    environment: EnvironmentSpec,
    groups: Sequence[ScoringGroup],
    context: Context,
    first: Mapping[str, Verdict],
    stored: Mapping[str, Verdict],
    processes: int,
) -> Answer:
    """Compares `first` with new verdicts and with `stored` ones of the same verifier version. It uses several processes, because
    a set of two has the same order in half of them."""
    verifier = environment.verifier
    if words := _differing(first, await score(verifier, groups, context), "scored twice in a row"):
        return "fail", f"{words}. The verifier uses random numbers or the clock, or keeps state between calls"
    if words := _differing(first, await score(verifier, _reversed(groups), context), "scored in another order"):
        return "fail", f"{words}. The verifier depends on the order of outputs, or keeps state between calls"
    versions = {verdict.verifier for verdict in first.values()}
    before = {id: one for id, one in stored.items() if one.verifier in versions and one.reward is not None}
    if words := _differing(before, first, "scored again after the run"):
        return "fail", f"{words}. The verifier has the same version, so it depends on something outside the trajectory"
    hashes = {sha256 for group in groups for one in group.trajectories for sha256 in one.blobs.values()}
    blobs = {sha256: context.blob(sha256) for sha256 in hashes}
    job = ScoringJob(environment.name, next(iter(environment.verifiers)), list(groups), blobs)
    for seed in range(1, processes + 1):
        try:
            elsewhere, a_year_later = _in_new_process(job, seed)
        except VerifierFailure as error:
            return "fail", str(error)
        if words := _differing(first, elsewhere, "scored in another process"):
            return "fail", f"{words}. The verifier depends on the order of a set or on hash()"
        if words := _differing(elsewhere, a_year_later, "scored with the clock a year ahead"):
            return "fail", f"{words}. The verifier depends on today's date. Take the date from the task"
    ways = f"in another order, in {processes} other processes and with the clock a year ahead"
    return "pass", f"{len(first)} outputs scored again, {ways}"


async def judge_repeats(
    environment: EnvironmentSpec, groups: Sequence[ScoringGroup], context: Context, first: Mapping[str, Verdict]
) -> Answer:
    """Measures how often a judge changes its verdict, in the same and in another order."""
    changes: set[str] = set()
    for order in (groups, _reversed(groups)):
        again = await score(environment.verifier, order, context)
        changes |= {id for id, verdict in again.items() if id in first and verdict.passed != first[id].passed}
    if not any(one.reward is not None for one in first.values()):
        return "unclear", "the judge gave no verdict to compare with"
    share = len(changes) / len(first)
    words = f"asked three times, the judge changed its verdict on {len(changes)} of {len(first)} outputs ({100 * share:.0f}%)"
    if share > _NOISY:
        return "fail", f"{words}. Use more votes (Judge(votes=5)), a lower temperature or a better judge"
    return ("unclear" if changes else "pass"), words


def _reversed(groups: Sequence[ScoringGroup]) -> list[ScoringGroup]:
    return [ScoringGroup(group.task, group.trajectories[::-1]) for group in reversed(groups)]


def _differing(one: Mapping[str, Verdict], other: Mapping[str, Verdict], how: str) -> str:
    """`scored twice in a row, 3 of 80 differ (run/task/0: 0.4, then 1)`. Empty if none do."""
    ids = [id for id in one if id in other and not same(one[id], other[id])]
    if not ids:
        return ""
    first, second = (_shown(verdicts[ids[0]]) for verdicts in (one, other))
    return f"{how}, {len(ids)} of {len(one)} differ ({ids[0]}: {first}, then {second})"


def _shown(verdict: Verdict) -> str:
    if verdict.reward is None:
        return f"no verdict ({verdict.error.message[:100] if verdict.error else ''})"
    return f"{verdict.reward:g}{' passed' if verdict.passed else ''}"


def _in_new_process(job: ScoringJob, hash_seed: int) -> list[dict[str, Verdict]]:
    """The verdicts by trajectory, with today's clock and with the clock a year ahead."""
    with tempfile.TemporaryDirectory(prefix="verigym-") as folder:
        job_file, result_file = Path(folder, "job.json"), Path(folder, "result.json")
        job_file.write_bytes(msgspec.json.encode(job))
        env = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
        command = [sys.executable, "-m", "verigym.audit.repeatability", str(job_file), str(result_file)]
        try:
            done = subprocess.run(command, env=env, capture_output=True, timeout=_LIMIT_S, check=False)
        except subprocess.TimeoutExpired as error:
            raise VerifierFailure(f"scoring the outputs in another process took more than {_LIMIT_S:.0f} s") from error
        if done.returncode or not result_file.exists():
            last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
            raise VerifierFailure(f"scoring the outputs in another process failed: {last[0]}")
        return msgspec.json.decode(result_file.read_bytes(), type=list[dict[str, Verdict]])


def main(job_file: str, result_file: str) -> None:
    clock = _Clock()
    clock.install()
    from verigym.environments.load import environment_of

    job = msgspec.json.decode(Path(job_file).read_bytes(), type=ScoringJob)
    environment = environment_of(job.environment, [group.task for group in job.groups])
    verifier = environment.verifiers[job.verifier]
    context = Context(sandbox=LazySandbox(), blob=job.blobs.__getitem__)
    with watching():
        elsewhere = asyncio.run(score(verifier, job.groups, context))
        clock.ahead_s = _AHEAD_S
        a_year_later = asyncio.run(score(verifier, job.groups, context))
    Path(result_file).write_bytes(msgspec.json.encode([elsewhere, a_year_later]))


class _Clock:
    """Shifts Python's clocks and dates by `ahead_s`. Install it before the environment is loaded."""

    ahead_s = 0.0

    def install(self) -> None:
        now, local, utc, clock = time.time, time.localtime, time.gmtime, self
        time.time = lambda: now() + clock.ahead_s
        time.time_ns = lambda: int(time.time() * 1e9)
        time.localtime = lambda seconds=None: local(time.time() if seconds is None else seconds)
        time.gmtime = lambda seconds=None: utc(time.time() if seconds is None else seconds)

        class AnyDate(type):
            """An instance of the original class counts too."""

            def __instancecheck__(cls, instance: Any) -> bool:
                return isinstance(instance, cls.__mro__[1])

        class ShiftedDatetime(datetime.datetime, metaclass=AnyDate):
            @classmethod
            def now(cls, tz: Any = None) -> Any:
                return cls.fromtimestamp(time.time(), tz)

            @classmethod
            def today(cls) -> Any:
                return cls.fromtimestamp(time.time())

            @classmethod
            def utcnow(cls) -> Any:
                return cls.fromtimestamp(time.time(), datetime.UTC).replace(tzinfo=None)

        class ShiftedDate(datetime.date, metaclass=AnyDate):
            @classmethod
            def today(cls) -> Any:
                return cls.fromtimestamp(time.time())

        datetime.datetime, datetime.date = ShiftedDatetime, ShiftedDate  # type: ignore[misc]


if __name__ == "__main__":
    main(*sys.argv[1:])
