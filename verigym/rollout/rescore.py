"""Stored runs scored again, with no model and no environment: the verdict of another verifier, or of a changed one."""

from collections import Counter
from collections.abc import Callable

import msgspec

from verigym.core import watchdog as alarm
from verigym.core.errors import VerifierFailure
from verigym.core.printable import Printable
from verigym.core.protocols import Context, Verifier
from verigym.core.records import Task
from verigym.rollout.episode import gathered
from verigym.rollout.many import Progress, judge
from verigym.store.database import Store
from verigym.store.writer import Batch, Writer


class Rescored(Printable, msgspec.Struct):
    """What came of it, beside what the run's verifier so far had said."""

    verifier: str
    before: str
    """name@version of the verifier that counted so far"""
    trajectories: int = 0
    scored: int = 0
    passed: int = 0
    gained: list[str] = []
    """Trajectories that pass now and did not."""
    lost: list[str] = []
    moved: int = 0
    """Trajectories whose reward is another one now."""


async def rescore(
    store: Store,
    run: str,
    verifier: Verifier,
    context: Context,
    *,
    concurrency: int = 64,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Rescored:
    """Judges every group of the run; when all of it is committed, this verifier's verdicts are the run's."""
    known = store.run(run)
    run = known.id
    found = Rescored(verifier=verifier.name, before=known.verifier)
    progress = Progress(total=known.trajectories)
    context = msgspec.structs.replace(context, blob=store.blob)
    tasks = iter(store.tasks(run))
    reasons: Counter[str] = Counter()

    def committed(batch: Batch) -> None:
        progress.done += len(batch.verdicts)
        progress.judged += len(batch.verdicts)
        progress.passed += sum(verdict.passed for verdict in batch.verdicts)
        progress.errors += sum(verdict.reward is None for verdict in batch.verdicts)
        on_progress(progress)

    async def group_of(task: Task, writer: Writer) -> None:
        group = store.trajectories(run, task.id)
        before = {
            one.id: verdict
            for one in group
            for verdict in store.verdicts_on(run, one.id)
            if verdict.verifier == found.before
        }
        verdicts = await judge(verifier, task, group, context)
        for one, verdict in zip(group, verdicts, strict=True):
            old = before.get(verdict.trajectory)
            found.trajectories += 1
            found.scored += verdict.reward is not None
            found.passed += verdict.passed
            if old is not None and old.passed != verdict.passed:
                (found.gained if verdict.passed else found.lost).append(verdict.trajectory)
            found.moved += old is not None and old.reward != verdict.reward
            if verdict.error is not None and one.scorable:
                reasons[f"{verdict.error.kind}: {verdict.error.message}"] += 1
        await writer.add(verdicts=verdicts)

    async def work(writer: Writer) -> None:
        for task in tasks:
            await group_of(task, writer)

    async with Writer(store, run, committed) as writer:
        with store.claim(run), alarm.watching():
            await gathered([work(writer) for _ in range(concurrency)])
    if reasons and not found.scored:
        raise VerifierFailure(
            f"{verifier.name} scored none of {found.trajectories} trajectories; most often: {reasons.most_common(1)[0][0]}. "
            f"What {found.before or 'nobody'} said still counts"
        )
    store.scored_by(run, verifier.name)
    return found
