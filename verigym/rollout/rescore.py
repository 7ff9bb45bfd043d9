"""Scores a stored run again by another or a changed verifier, without a model or an environment."""

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


class RescoreResult(Printable, msgspec.Struct):
    """Counts of a rescored run, compared with its verdicts before."""

    verifier: str
    before: str
    """name@version of the verifier whose verdicts counted before"""
    trajectories: int = 0
    scored: int = 0
    passed: int = 0
    gained: list[str] = []
    """Trajectories that pass now and failed before."""
    lost: list[str] = []
    """Trajectories that fail now and passed before."""
    moved: int = 0
    """Trajectories whose reward changed."""
    not_rescorable: int = 0
    """Trajectories whose verdict came from an external system. It is read from the record and cannot be computed again."""


async def rescore(
    store: Store,
    run: str,
    verifier: Verifier,
    context: Context,
    *,
    concurrency: int = 64,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> RescoreResult:
    """Scores every group of the run. When all verdicts are committed, they become the verdicts of the run."""
    stored = store.run(run)
    run = stored.id
    result = RescoreResult(verifier=verifier.name, before=stored.verifier)
    progress = Progress(total=stored.trajectories)
    context = msgspec.structs.replace(context, blob=store.blob)
    tasks = iter(store.tasks(run))
    reasons: Counter[str] = Counter()

    def committed(batch: Batch) -> None:
        progress.done += len(batch.verdicts)
        progress.count_verdicts(batch.verdicts)
        on_progress(progress)

    async def group_of(task: Task, writer: Writer) -> None:
        group = store.trajectories(run, task.id)
        before = {
            one.id: verdict
            for one in group
            for verdict in store.verdicts_on(run, one.id)
            if verdict.verifier == result.before
        }
        verdicts = await judge(verifier, task, group, context)
        for one, verdict in zip(group, verdicts, strict=True):
            old = before.get(verdict.trajectory)
            result.trajectories += 1
            result.scored += verdict.reward is not None
            result.not_rescorable += one.marked("not_rescorable")
            result.passed += verdict.passed
            if old is not None and old.passed != verdict.passed:
                (result.gained if verdict.passed else result.lost).append(verdict.trajectory)
            result.moved += old is not None and old.reward != verdict.reward
            if verdict.error is not None and one.scorable:
                reasons[f"{verdict.error.kind}: {verdict.error.message}"] += 1
        await writer.add(verdicts=verdicts)

    async def work(writer: Writer) -> None:
        for task in tasks:
            await group_of(task, writer)

    async with Writer(store, run, committed) as writer:
        with store.claim(run), alarm.watching():
            await gathered([work(writer) for _ in range(concurrency)])
    if reasons and not result.scored:
        raise VerifierFailure(
            f"{verifier.name} scored none of {result.trajectories} trajectories. Most often: {reasons.most_common(1)[0][0]}. "
            f"The run keeps the verdicts of {result.before or 'no verifier'}."
        )
    store.scored_by(run, verifier.name)
    return result
