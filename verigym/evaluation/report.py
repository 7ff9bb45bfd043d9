"""Builds a report: one agent version measured on one suite. Other modules run the episodes. `compare` compares two reports.

Repeats of a task are averaged first, then tasks, with intervals clustered by family. An episode that could not be scored is
counted in `errors` and enters no metric.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput, Refused
from verigym.core.records import Estimate, Report, Suite, Task, TaskResult, Trajectory, Turn, Verdict, content_hash
from verigym.evaluation.failures import INFRASTRUCTURE, EnvironmentRule, bucket, is_unsafe, unscored
from verigym.evaluation.stats import clustered_mean, pass_all, pass_at, percentile, ratio_of_totals
from verigym.evaluation.suites import family_of

RECURRED = "recurred"
"""Rate of regressions. They are a guardrail, so a report on them has no success."""
RATES = {
    "valid": "valid output",
    "tool": "correct tool",
    "arguments": "correct arguments",
    "executed": "execution success",
    "unsafe": "unsafe actions",
    RECURRED: "ended as a known failure",
}
"""Rate of a task result to the name of the metric."""
DIFFICULTY = "difficulty:"
"""In a report, the tag of a task's difficulty, such as `difficulty:hard`. A task may have the tag itself."""
UNNAMED = "(none)"
DIVISIONS: dict[str, Callable[[TaskResult], list[str]]] = {
    "family": lambda one: [one.family],
    "tag": lambda one: [tag for tag in one.tags if not tag.startswith(DIFFICULTY)],
    "difficulty": lambda one: [tag.removeprefix(DIFFICULTY) for tag in one.tags if tag.startswith(DIFFICULTY)],
}
"""Each way to divide tasks, with a function that names the slices of a task."""


class _ScoredEpisode(Struct, frozen=True):
    trajectory: Trajectory
    verdict: Verdict
    bucket: str

    @property
    def scored(self) -> bool:
        return self.bucket != INFRASTRUCTURE

    @property
    def turns(self) -> list[Turn]:
        """The agent's own turns, without those of a simulated user."""
        return [turn for turn in self.trajectory.turns if turn.actor not in ("user", "judge")]

    @property
    def latency_s(self) -> float:
        return sum(turn.latency_s for turn in self.turns)


def make_report(
    run: str,
    agent: str,
    suite: Suite,
    tasks: Sequence[Task],
    trajectories: Sequence[Trajectory],
    verdicts: Sequence[Verdict],
    seed: int,
    rule: EnvironmentRule | None = None,
) -> Report:
    """Measures `agent` (a version id) from the episodes of `run`. `tasks` are the suite's tasks. A task without episodes
    counts as one error. `rule` is the environment's rule for buckets."""
    episodes = _by_task(suite, {task.id: task for task in tasks}, trajectories, verdicts, rule)
    results = [_result(task, episodes[task.id]) for task in tasks]
    everything = [episode for of_task in episodes.values() for episode in of_task]
    never_run = sum(not episodes[task.id] for task in tasks)
    report = Report(
        id="",
        run=run,
        agent=agent,
        suite=suite,
        metrics=_metrics(results, episodes),
        results=results,
        buckets=dict(Counter(one.bucket for one in everything if one.scored and one.bucket).most_common()),
        errors=sum(not one.scored for one in everything) + never_run,
        reasons=_reasons(everything, never_run),
        seed=seed,
        repeats=max(map(len, episodes.values()), default=0),
    )
    return msgspec.structs.replace(report, id=content_hash(report)[:12])


def _by_task(
    suite: Suite,
    tasks: dict[str, Task],
    trajectories: Sequence[Trajectory],
    verdicts: Sequence[Verdict],
    rule: EnvironmentRule | None,
) -> dict[str, list[_ScoredEpisode]]:
    if set(tasks) != set(suite.tasks):
        raise BadInput(
            f'The given tasks are not those of suite "{suite.name}" ({len(tasks)} given, {len(suite.tasks)} in the suite). '
            "Pass exactly the suite's tasks"
        )
    verdict_of = {verdict.trajectory: verdict for verdict in verdicts}
    episodes: dict[str, list[_ScoredEpisode]] = defaultdict(list)
    for trajectory in sorted(trajectories, key=lambda one: one.index):
        if trajectory.task not in tasks:
            raise BadInput(
                f'Trajectory {trajectory.id} belongs to task "{trajectory.task}", which is not in suite "{suite.name}"'
            )
        verdict = verdict_of.get(trajectory.id, unscored(trajectory))
        reason = bucket(tasks[trajectory.task], trajectory, verdict, rule)
        episodes[trajectory.task].append(_ScoredEpisode(trajectory, verdict, reason))
    return episodes


def _result(task: Task, episodes: list[_ScoredEpisode]) -> TaskResult:
    scored = [episode for episode in episodes if episode.scored]
    shown = next((episode for episode in scored if episode.bucket), (scored or episodes or [None])[0])
    passing = next((episode.trajectory.id for episode in scored if not episode.bucket), "")

    def mean(value: Callable[[_ScoredEpisode], float]) -> float:
        return fmean(map(value, scored)) if scored else 0.0

    return TaskResult(
        task=task.id,
        family=family_of(task),
        tags=[*task.tags, f"{DIFFICULTY}{task.difficulty}"] if task.difficulty else task.tags,
        repeats=len(scored),
        passed=mean(lambda one: one.verdict.passed),
        reward=mean(lambda one: one.verdict.reward or 0.0),
        rates=_rates(scored),
        bucket=shown.bucket if shown else INFRASTRUCTURE,
        trajectory=shown.trajectory.id if shown else "",
        passing=passing if shown and shown.bucket else "",
        latency_s=mean(lambda one: one.latency_s),
        tokens=mean(lambda one: sum(turn.usage.completion_tokens for turn in one.turns)),
        prompt_tokens=mean(lambda one: sum(turn.usage.prompt_tokens for turn in one.turns)),
        cost=mean(lambda one: one.trajectory.cost),
        error=not scored,
    )


def _rates(scored: list[_ScoredEpisode]) -> dict[str, float]:
    seen: dict[str, list[float]] = defaultdict(list)
    for episode in scored:
        unsafe = is_unsafe(episode.trajectory, episode.verdict)
        for part, value in {**episode.verdict.parts, "unsafe": float(unsafe)}.items():
            seen[part].append(value)
    return {part: fmean(values) for part, values in seen.items()}


def _reasons(everything: list[_ScoredEpisode], never_run: int) -> dict[str, int]:
    errors = [one.trajectory.error or one.verdict.error for one in everything if not one.scored]
    counts = Counter(f"{one.fault}: {one.kind}: {one.message}" if one else "never scored" for one in errors)
    counts.update({"never run": never_run} if never_run else {})
    return dict(counts.most_common(5))


def _metrics(results: list[TaskResult], episodes: dict[str, list[_ScoredEpisode]]) -> dict[str, Estimate]:
    scored = [result for result in results if not result.error]
    if not scored:
        return {}
    families = [one.family for one in scored]

    passed, rewards = [one.passed for one in scored], [one.reward for one in scored]
    guardrail = all(RECURRED in one.rates for one in scored)
    metrics: dict[str, Estimate] = {}
    if not guardrail:
        metrics["success"] = clustered_mean(passed, families, rate=True)
        metrics |= _of_repeats(scored)
        metrics["reward"] = clustered_mean(rewards, families, rate=all(0 <= reward <= 1 for reward in rewards))
    for part, name in RATES.items():
        among = [one for one in scored if part in one.rates]
        if among:
            rates = [one.rates[part] for one in among]
            metrics[name] = clustered_mean(rates, [one.family for one in among], rate=True)
    latencies = [episode.latency_s for of_task in episodes.values() for episode in of_task if episode.scored]
    metrics["latency p50 s"] = percentile(latencies, 0.50)
    metrics["latency p95 s"] = percentile(latencies, 0.95)
    tokens, costs = [one.tokens for one in scored], [one.cost for one in scored]
    metrics["tokens"] = clustered_mean(tokens, families, least=0.0)
    metrics["prompt tokens"] = clustered_mean([one.prompt_tokens for one in scored], families, least=0.0)
    spent = {"tokens per success": tokens}
    if any(costs):
        metrics["cost"] = clustered_mean(costs, families, least=0.0)
        spent["cost per success"] = costs
    for name, amounts in spent.items() if not guardrail else ():
        ratio = ratio_of_totals(amounts, passed, families)
        if ratio is not None:
            metrics[name] = ratio
    return metrics


def _of_repeats(scored: list[TaskResult]) -> dict[str, Estimate]:
    """pass@k (one of k tries passes) and pass^k (all pass) for k = 2, 4, 8, ... and for all repeats, over tasks with k scored."""
    most = max(one.repeats for one in scored)
    metrics: dict[str, Estimate] = {}
    for sign, chance in (("@", pass_at), ("^", pass_all)):
        for k in sorted({*(2**i for i in range(1, most.bit_length())), most} - {1}):
            among = [one for one in scored if one.repeats >= k]
            values = [chance(k, one.repeats, round(one.passed * one.repeats)) for one in among]
            metrics[f"pass{sign}{k}"] = clustered_mean(values, [one.family for one in among], rate=True)
    return metrics


class Slice(Struct, frozen=True, kw_only=True):
    name: str
    tasks: int
    families: int
    success: Estimate
    """Clustered by family. For a single family, its tasks count as independent."""
    reward: float


def breakdown(report: Report, by: str, names: Mapping[str, list[str]] | None = None) -> list[Slice]:
    """The results by one of `DIVISIONS`, or by `names`: the slices of each task id (see `shift.shifts`). A task with several tags
    is in several slices, a task without any in `(none)`, and a task that could not be scored in none."""
    members: dict[str, list[TaskResult]] = defaultdict(list)
    for result in report.results:
        if not result.error:
            slices_of = DIVISIONS[by](result) if names is None else names.get(result.task)
            for name in slices_of or [UNNAMED]:
                members[name].append(result)
    if set(members) == {UNNAMED}:
        tag = "has a tag" if by == "tag" else 'has a difficulty. Set it: Task(..., difficulty="hard")'
        raise Refused(f'No task of suite "{report.suite.name}" {tag}')
    slices: list[Slice] = []
    for name, results in members.items():
        families = len({one.family for one in results})
        clusters = [one.family if families > 1 else one.task for one in results]
        success = clustered_mean([one.passed for one in results], clusters, rate=True)
        reward = fmean(one.reward for one in results)
        slices.append(Slice(name=name, tasks=len(results), families=families, success=success, reward=reward))
    return sorted(slices, key=lambda one: (one.success.value, one.reward, one.name))
