"""The rows of the store as tuples, for bulk inserts. A record that cannot be written becomes a record that says why."""

from typing import Any, TypeVar

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput
from verigym.core.records import Failure, Fault, Stop, Trajectory, Verdict
from verigym.store.packing import pack
from verigym.store.schema import fault_of

T = TypeVar("T", bound=msgspec.Struct)

_LONGEST = 500_000_000
"""Maximum bytes of a record. The limit of the database is slightly higher."""


def trajectory_row(run: str, trajectory: Trajectory) -> tuple[Any, ...]:
    try:
        bare, packed = pack(trajectory)
        body = _sound(bare, Trajectory)
    except (BadInput, TypeError, ValueError, OverflowError, RecursionError) as error:
        broken = Failure(Fault.ENVIRONMENT, type(error).__name__, f"the episode could not be written: {error}")
        bare = Trajectory(
            id=trajectory.id,
            task=trajectory.task,
            group=trajectory.group,
            index=trajectory.index,
            seed=trajectory.seed,
            stop=Stop.ERROR,
            error=broken,
        )
        body, packed = codec.encode(bare), None
    return trajectory.id, run, trajectory.task, trajectory.index, fault_of(bare), body, packed


def verdict_row(run: str, verdict: Verdict) -> tuple[Any, ...]:
    try:
        body = _sound(verdict, Verdict)
    except (BadInput, TypeError, ValueError, OverflowError, RecursionError) as error:
        broken = Failure(Fault.VERIFIER, type(error).__name__, f"the verdict could not be written: {error}")
        verdict = Verdict(trajectory=verdict.trajectory, verifier=verdict.verifier, reward=None, error=broken)
        body = codec.encode(verdict)
    return verdict.trajectory, verdict.verifier, run, verdict.reward, verdict.passed, fault_of(verdict), body


def _sound(record: T, kind: type[T]) -> bytes:
    """The encoded record, after a test that it decodes. User code may have put values of any type into it."""
    body = codec.encode(record)
    codec.decode(body, kind)
    if len(body) > _LONGEST:
        raise BadInput(f"the record has {len(body):,} bytes, and the store takes at most {_LONGEST:,}")
    return body
