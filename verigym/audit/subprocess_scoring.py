"""Stored outputs scored in another process: with another hash seed, and then once more with the clock a year ahead.

`python -m verigym.audit.subprocess_scoring WORK RESULT` is that process; `in_fresh_process` starts it. A verifier that
walks through a set, asks for hash(), or looks at today's date gives itself away.
"""

import asyncio
import datetime
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from verigym.core.errors import VerifierFailure
from verigym.core.protocols import Context
from verigym.core.records import Task, Trajectory, Verdict
from verigym.rollout.many import judge
from verigym.sandbox.open import LazySandbox

_AHEAD_S = (401 * 24 + 5) * 3600.0
"""Another year, month, weekday and hour."""


class ScoringGroup(Struct, frozen=True):
    """Episodes of one task, which a verifier sees together."""

    task: Task
    trajectories: list[Trajectory]


class ScoringJob(Struct, frozen=True):
    environment: str
    """Name or path, to be loaded there again."""
    verifier: str
    groups: list[ScoringGroup]
    blobs: dict[str, bytes]


class SubprocessVerdicts(Struct, frozen=True):
    """Verdicts by trajectory."""

    elsewhere: dict[str, Verdict]
    a_year_later: dict[str, Verdict]


async def score(verifier: Any, groups: Sequence[ScoringGroup], context: Context) -> dict[str, Verdict]:
    """The verdicts on all groups, one after another."""
    found: dict[str, Verdict] = {}
    for group in groups:
        for verdict in await judge(verifier, group.task, group.trajectories, context):
            found[verdict.trajectory] = verdict
    return found


def in_fresh_process(work: ScoringJob, hash_seed: int, seconds: float) -> SubprocessVerdicts:
    with tempfile.TemporaryDirectory(prefix="verigym-") as folder:
        given, made = Path(folder, "work.json"), Path(folder, "scored.json")
        given.write_bytes(msgspec.json.encode(work))
        env = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
        command = [sys.executable, "-m", "verigym.audit.subprocess_scoring", str(given), str(made)]
        try:
            done = subprocess.run(command, env=env, capture_output=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired as error:
            raise VerifierFailure(f"scoring the outputs in another process took more than {seconds:.0f} s") from error
        if done.returncode or not made.exists():
            last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
            raise VerifierFailure(f"scoring the outputs in another process failed: {last[0]}")
        return msgspec.json.decode(made.read_bytes(), type=SubprocessVerdicts)


def main(given: str, made: str) -> None:
    clock = _Clock()
    clock.install()
    from verigym.audit.scripted_episodes import watching
    from verigym.environments.load import environment_of

    work = msgspec.json.decode(Path(given).read_bytes(), type=ScoringJob)
    environment = environment_of(work.environment, [group.task for group in work.groups])
    verifier = environment.verifiers[work.verifier]
    context = Context(sandbox=LazySandbox(), blob=work.blobs.__getitem__)
    with watching():
        elsewhere = asyncio.run(score(verifier, work.groups, context))
        clock.ahead_s = _AHEAD_S
        a_year_later = asyncio.run(score(verifier, work.groups, context))
    Path(made).write_bytes(msgspec.json.encode(SubprocessVerdicts(elsewhere, a_year_later)))


class _Clock:
    """Every way of asking Python for the date, turned ahead by `ahead_s`. Installed before the environment is loaded."""

    ahead_s = 0.0

    def install(self) -> None:
        now, local, utc, clock = time.time, time.localtime, time.gmtime, self
        time.time = lambda: now() + clock.ahead_s
        time.time_ns = lambda: int(time.time() * 1e9)
        time.localtime = lambda seconds=None: local(time.time() if seconds is None else seconds)
        time.gmtime = lambda seconds=None: utc(time.time() if seconds is None else seconds)

        class AnyDate(type):
            """A date that somebody else made is one as well."""

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
