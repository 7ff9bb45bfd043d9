"""The report of a run: its figures with intervals, rewards, failures, the hardest tasks and some failed episodes."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from verigym.core.records import Estimate, Report, Task, TaskResult, Trajectory, Verdict
from verigym.core.words import counted, figure, percent, with_interval
from verigym.draw.histogram import bins, histogram
from verigym.draw.intervals import Interval, intervals
from verigym.report.comparison import WIDTH, environment_file, expected, label
from verigym.report.decision import training_blocks
from verigym.report.document import (
    Block,
    Case,
    Document,
    Example,
    Picture,
    Section,
    Side,
    Step,
    Table,
    asked,
    clipped,
    done,
    typed,
)
from verigym.report.production import of_tasks
from verigym.report.subjects import RunSubject
from verigym.report.traces import traces_document
from verigym.store.rows import EpisodeStatus, Run
from verigym.workspace.workspace import WorkspaceFolder

_NUM_EXAMPLES = 3
_NUM_FOLDED = 7
_NUM_TASKS = 200


class _TaskCount:
    """The attempts of one task."""

    __slots__ = ("attempts", "passed", "reward", "scored")

    def __init__(self) -> None:
        self.attempts = self.scored = self.passed = 0
        self.reward = 0.0


class _Counted(NamedTuple):
    """A run, counted without reading its episodes. A run of a million episodes keeps only its counts."""

    ws: WorkspaceFolder
    run: Run
    report: Report | None
    tasks: dict[str, Task]
    of_task: dict[str, _TaskCount]
    rewards: dict[float, tuple[int, int]]
    """Reward to the number of episodes that passed and that failed."""
    faults: dict[str, int]
    failed: int
    examples: list[EpisodeStatus]
    """Failed episodes to show, at most one of a family unless there are few families."""


def _count(ws: WorkspaceFolder, run: Run, report: Report | None) -> _Counted:
    tasks = {task.id: task for task in ws.store.tasks(run.id)}
    of_task: dict[str, _TaskCount] = {}
    rewards: dict[float, tuple[int, int]] = {}
    faults: dict[str, int] = {}
    first: dict[str, EpisodeStatus] = {}
    others: list[EpisodeStatus] = []
    num_failed = 0
    most = _NUM_EXAMPLES + _NUM_FOLDED
    for one in ws.store.statuses(run.id, run.verifier):
        count = of_task.setdefault(one.task, _TaskCount())
        count.attempts += 1
        fault = one.fault or one.verdict_fault
        if fault and fault != "model":
            faults[fault] = faults.get(fault, 0) + 1
        if one.judged and one.reward is not None:
            count.scored += 1
            count.passed += one.passed
            count.reward += one.reward
            passed, failed = rewards.get(round(one.reward, 4), (0, 0))
            rewards[round(one.reward, 4)] = (passed + one.passed, failed + (not one.passed))
        if one.judged and not one.passed:
            num_failed += 1
            family = tasks[one.task].family if one.task in tasks else one.task
            if len(first) < most:
                others += [one] if family in first and len(others) < most else []
                first.setdefault(family, one)
    examples = [*first.values(), *others][:most]
    return _Counted(ws, run, report, tasks, of_task, rewards, faults, num_failed, examples)


def run_document(ws: WorkspaceFolder, subject: RunSubject) -> Document:
    run, report = subject
    if run.kind == "traces":
        return traces_document(ws, run)
    it = _count(ws, run, report)
    examples, failed = _examples(it), it.failed
    success = report.metrics.get("success") if report else None
    sections = [
        Section("What was run", [_what(it)]),
        Section("Figures", list(_figures(it))),
        Section("Rewards", list(_rewards(it)), markdown=False),
        Section("Training", list(training_blocks(ws, run.id)), markdown=False),
        Section("Failures", list(_failures(it))),
        Section("Episodes that could not be scored", list(_errors(it))),
        Section("Failed episodes", [*examples[:_NUM_EXAMPLES]]),
        Section("More failed episodes", [*examples[_NUM_EXAMPLES:]], folded=True),
        Section("Hardest tasks", list(_hardest(it)), folded=True, markdown=False),
        Section("What to do next", [Step("See why episodes failed.", typed("explain", run.id))] if failed else []),
    ]
    left = (
        [f"{counted(failed - len(examples), 'failed episode')} ({len(examples)} are shown)"]
        if failed > len(examples)
        else []
    )
    if len(it.tasks) > _NUM_TASKS:
        left.append(f"{counted(len(it.tasks) - _NUM_TASKS, 'task')} in the table of the hardest tasks")
    return Document(
        title=run.id,
        name=run.id,
        kind="run",
        verdict=_verdict(it, success),
        lead=_lead(it, success),
        sections=[section for section in sections if section.blocks],
        cases=list(_cases(it)),
        left_out=left,
        production=of_tasks(it.tasks.values()),
        store=str(ws.home),
        file=environment_file(ws, run.id),
    )


def _verdict(it: _Counted, success: Estimate | None) -> str:
    if success is not None:
        return f"{percent(success.value)} success"
    if it.run.scored:
        return f"{percent(it.run.passed / it.run.scored)} passed"
    return "not scored" if it.run.trajectories else ""


def _lead(it: _Counted, success: Estimate | None) -> str:
    run, state = it.run, "" if it.run.finished is not None else " The run is not finished."
    if success is not None and it.report is not None:
        suite = it.report.suite
        return (
            f"{label(it.ws, it.report.agent)} on {suite.name}: success {with_interval(success.value, success.low, success.high)} "
            f"on {counted(len(suite.tasks), 'task')} of {counted(len(suite.families), 'family')}.{state}"
        )
    if run.scored:
        return f"{run.passed:,} of {counted(run.scored, 'scored episode')} passed.{state}"
    return f"{counted(run.trajectories, 'episode')}, none scored.{state}" if run.trajectories else f"No episode.{state}"


def _what(it: _Counted) -> Table:
    run, config = it.run, it.run.config
    started = datetime.fromtimestamp(run.created, UTC).isoformat(timespec="seconds")
    sampling = config.get("sampling") or {}
    rows = {
        "run": run.id,
        "kind": run.kind,
        "environment": str(config.get("environment") or ""),
        "agent": label(it.ws, it.report.agent) if it.report else str(config.get("agent") or ""),
        "verifier": run.verifier,
        "started": started,
        "tasks": f"{len(it.tasks):,}" if it.tasks else "",
        "episodes": f"{run.trajectories:,}" if run.trajectories else "",
        "sampling": ", ".join(f"{name} {value}" for name, value in sampling.items())
        if isinstance(sampling, dict)
        else "",
    }
    return Table(["", ""], [[name, clipped(value, 300)] for name, value in rows.items() if value])


def _figures(it: _Counted) -> Iterator[Block]:
    if it.report is None:
        return
    metrics = it.report.metrics
    shares = {name: one for name, one in metrics.items() if figure(name, one)[0].endswith("%")}
    if shares:
        rows = [Interval(name, one.value, one.low, one.high, unit="share") for name, one in shares.items()]
        yield Picture(intervals(rows, width=WIDTH))
    yield Table(["figure", "value", "95% interval"], [[name, *figure(name, one)] for name, one in metrics.items()])


def _rewards(it: _Counted) -> Iterator[Block]:
    if it.rewards:
        rows = [(reward, passed, failed) for reward, (passed, failed) in it.rewards.items()]
        yield Picture(histogram(bins(rows), width=WIDTH))


def _failures(it: _Counted) -> Iterator[Block]:
    if it.report is not None and it.report.buckets:
        total = sum(it.report.buckets.values())
        rows = [[name, f"{count:,}", percent(count / total, 0)] for name, count in it.report.buckets.items()]
        yield Table(["failure", "episodes", "share of failures"], rows)


def _errors(it: _Counted) -> Iterator[Block]:
    if it.faults:
        yield Table(["whose fault", "episodes"], [[fault, f"{count:,}"] for fault, count in sorted(it.faults.items())])
    if it.report is not None and it.report.reasons:
        yield Table(["reason", "episodes"], [[clipped(why, 300), f"{n:,}"] for why, n in it.report.reasons.items()])


def _examples(it: _Counted) -> list[Example]:
    """Failed episodes."""
    examples: list[Example] = []
    for one in it.examples:
        trajectory = _episode(it, one)
        if trajectory is None:
            continue
        verdicts = [v for v in it.ws.store.verdicts_on(it.run.id, trajectory.id) if v.verifier == it.run.verifier]
        sides = [Side("what it did", done(trajectory)), *_evidence(verdicts)]
        examples.append(
            Example("failed", clipped(one.task, 200), asked(trajectory), expected(it.tasks.get(one.task)), sides)
        )
    return examples


def _episode(it: _Counted, status: EpisodeStatus) -> Trajectory | None:
    for one in it.ws.store.each_trajectory(it.run.id, status.task):
        if one.index == status.repeat:
            return one
    return None


def _evidence(verdicts: Sequence[Verdict]) -> list[Side]:
    return [Side("what the verifier says", clipped(one.evidence)) for one in verdicts if one.evidence]


def _hardest(it: _Counted) -> Iterator[Block]:
    results = _results(it)
    rows = [
        [
            clipped(one.task, 120),
            clipped(one.family, 80),
            percent(one.passed, 0),
            f"{one.reward:.2f}",
            clipped(one.bucket, 60),
        ]
        for one in sorted(results, key=lambda one: (one.passed, one.reward, one.task))[:_NUM_TASKS]
        if not one.error
    ]
    if rows:
        yield Table(["task", "family", "passed", "reward", "failure"], rows)


def _results(it: _Counted) -> list[TaskResult]:
    """By task: those of the report, or else counted from the episodes."""
    if it.report is not None:
        return it.report.results
    results = []
    for task, count in it.of_task.items():
        scored = max(1, count.scored)
        family = it.tasks[task].family if task in it.tasks else ""
        results.append(
            TaskResult(
                task=task,
                family=family,
                passed=count.passed / scored,
                reward=count.reward / scored,
                repeats=count.attempts,
                error=not count.scored,
            )
        )
    return results


def _cases(it: _Counted) -> Iterator[Case]:
    """One for each task. It passes if at least half of its attempts pass."""
    scored = bool(it.run.verifier)
    for one in _results(it):
        group, words = one.family or "tasks", f"{percent(one.passed, 0)} of {counted(one.repeats, 'attempt')} passed"
        if one.bucket:
            words += f", {one.bucket}"
        if not scored:
            yield Case(name=one.task, group=group, outcome="skipped", words="this run was not scored")
        elif one.error:
            yield Case(name=one.task, group=group, outcome="error", words="could not be scored: not the agent's fault")
        else:
            outcome = "pass" if one.passed >= 0.5 else "fail"
            yield Case(name=one.task, group=group, outcome=outcome, words=words, seconds=one.latency_s)
