"""The figures of a comparison of two reports. They are worked out in a process of their own, which ends afterwards.

They need numpy and scipy, which take 45 MB of memory and are used only once for each comparison, because the derived index
keeps the figures. `python -m verigym.view.comparison` reads two reports from standard input and writes one answer.
"""

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from verigym.core.errors import InfrastructureFailure, Refused
from verigym.core.records import Report
from verigym.evaluation.compare import CLAIM, Changes, Comparison, Pair, RateChange, changes, compare, scored_pairs
from verigym.evaluation.stats import Delta, paired_delta, sign_flip_p, two_sided_p
from verigym.view.worker import import_path

_LIMIT_S = 300.0
_FLIPPED = 200
"""Families up to which a loss is also tested by sign flips."""


class ComparisonFigures(Struct, frozen=True, kw_only=True):
    """What is stored of a comparison."""

    comparison: Comparison
    changes: Changes
    two_sided: Delta
    """The difference in success with its 95% interval."""
    loss: Delta | None = None
    """With both sides swapped, if success fell."""
    loss_sign_flip: float | None = None
    """p of the loss by sign flips. None if there are too many families."""
    families_tell: bool = False
    """Whether a family is large enough that a change of all its tasks would be beyond chance."""


class _Reports(Struct, frozen=True):
    champion: Report
    candidate: Report


class _Answer(Struct, frozen=True, kw_only=True):
    figures: ComparisonFigures | None = None
    refused: str = ""


def figures_of(champion: Report, candidate: Report) -> ComparisonFigures:
    """The figures, from a new process unless this one has loaded scipy already. Raises `Refused` if the reports cannot be
    compared."""
    if "scipy.special" in sys.modules:
        return work_out(champion, candidate)
    done = _answer_of(msgspec.msgpack.encode(_Reports(champion, candidate)))
    if done.figures is None:
        raise Refused(done.refused)
    return done.figures


def _answer_of(request: bytes) -> _Answer:
    # threads of the linear algebra take longer to start than they save
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(import_path()), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-P", "-m", "verigym.view.comparison"]
    try:
        done = subprocess.run(command, input=request, capture_output=True, timeout=_LIMIT_S, env=environment)
    except subprocess.TimeoutExpired:
        raise InfrastructureFailure(
            f"The comparison took longer than {_LIMIT_S:g} s, and its process was ended. "
            "Compare in a terminal: verigym compare BEFORE AFTER"
        ) from None
    try:
        return msgspec.msgpack.decode(done.stdout, type=_Answer)
    except msgspec.MsgspecError:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
        raise InfrastructureFailure(
            f"The process of the comparison ended with code {done.returncode}: {last[0][:300]}. Load the page again"
        ) from None


def work_out(champion: Report, candidate: Report) -> ComparisonFigures:
    """The figures, worked out here."""
    try:
        comparison, moved = compare(champion, candidate), changes(champion, candidate, level=0.975)
    except KeyError as error:
        raise Refused(f"Task {error} is in only one of the two reports. Evaluate both again") from error
    pairs = scored_pairs(champion, candidate)
    loss, flips = _as_loss(pairs) if comparison.success.value < 0 else (None, None)
    return ComparisonFigures(
        comparison=comparison,
        changes=moved,
        two_sided=paired_delta(*_rates(pairs), level=0.975, rate=True),
        loss=loss,
        loss_sign_flip=flips,
        families_tell=_can_tell(moved.families),
    )


def _rates(pairs: Sequence[Pair]) -> tuple[list[float], list[float], list[str]]:
    """Success before and after, and the family, of each task."""
    before, after = [one.passed for one, _ in pairs], [one.passed for _, one in pairs]
    return before, after, [one.family for one, _ in pairs]


def _as_loss(pairs: Sequence[Pair]) -> tuple[Delta, float | None]:
    """The difference with both sides swapped, and its p by sign flips if there are few enough families."""
    sums: dict[str, float] = defaultdict(float)
    for before, after in pairs:
        sums[before.family] += before.passed - after.passed
    old, new, families = _rates(pairs)
    change = paired_delta(new, old, families, rate=True)
    return change, sign_flip_p(list(sums.values())) if len(sums) <= _FLIPPED else None


def _can_tell(families: Sequence[RateChange]) -> bool:
    largest = max((one.tasks for one in families), default=0)
    return largest > 0 and two_sided_p([0.0] * largest, [1.0] * largest, range(largest)) <= CLAIM


def main() -> None:
    """Reads two reports and writes the figures, or why they cannot be compared."""
    given = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=_Reports)
    try:
        answer = _Answer(figures=work_out(given.champion, given.candidate))
    except Refused as error:
        answer = _Answer(refused=str(error))
    sys.stdout.buffer.write(msgspec.msgpack.encode(answer))


if __name__ == "__main__":
    main()
