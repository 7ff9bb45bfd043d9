"""Explains why episodes fail: one bucket per failure, clusters by symptom, and patterns that only a group or a run shows.

The rules are in `rules`. An environment's own `explain(task, trajectory, verdict)` may refine them, and a judge may refine what
they leave as "wrong answer". A run is read once, episode by episode, and only counts and a few examples stay in memory.
`advise` says what to do about a bucket.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from statistics import fmean
from typing import NamedTuple

from msgspec import Struct, field, structs

from verigym.core.errors import BadInput, VerigymError
from verigym.core.printable import Printable
from verigym.core.records import Cluster, Estimate, Finding, Task, Trajectory, Verdict
from verigym.evaluation import rules
from verigym.evaluation.rules import Reason, expected_calls
from verigym.evaluation.stats import clustered_mean
from verigym.evaluation.suites import family_of

INFRASTRUCTURE, WRONG_ANSWER = "infrastructure", "wrong answer"

BUCKETS: dict[str, str] = {
    INFRASTRUCTURE: "the environment, the verifier or the machine failed. Not scored, because it says nothing about the model",
    "unsafe action": "the agent did something that the environment or the verifier marks as unsafe",
    "truncated": "the token limit cut the reply off before it was valid",
    "format error": "the output could not be parsed as a call or an answer",
    "hallucinated API": "the agent called a tool that does not exist",
    "wrong tool": "the agent called a different tool than the task needs, or none (over-refusal)",
    "wrong arguments": "the right tool with arguments that are wrong or do not fit its schema",
    "claimed without acting": "the agent said that the work was done, and called no tool",
    "bad planning": "loops, needless repeats, a wrong order, or acting before reading what it needs",
    "retrieval failure": "the needed fact was in nothing that the agent found or read, and it answered anyway or gave up",
    "incomplete execution": "the agent stopped, or was stopped, before the work was done",
    WRONG_ANSWER: "everything ran, but the result is wrong",
}
"""Bucket to its meaning. An episode that passed safely has no bucket."""

EnvironmentRule = Callable[[Task, Trajectory, Verdict], str | None]
"""The rule of an environment. It returns a bucket, `bucket: reason`, or None to leave the episode to the general rules."""
EXAMPLES = 5
_MOST_SYMPTOMS = 2000
"""Clusters listed per bucket. The rest are counted together."""
_OTHERS = "other reasons"
_FEW_TASKS = 8
"""Minimum number of short and of long tasks to compare them."""
_GAP = 0.2
"""Minimum drop on longer tasks to report it as a finding."""


def bucket(task: Task, trajectory: Trajectory, verdict: Verdict, rule: EnvironmentRule | None = None) -> str:
    """The failure bucket. Empty if the episode passed safely. An episode that passed unsafely is still a failure."""
    return reason_of(task, trajectory, verdict, rule).bucket


def reason_of(task: Task, trajectory: Trajectory, verdict: Verdict, rule: EnvironmentRule | None = None) -> Reason:
    if not trajectory.scorable or verdict.reward is None:
        error = trajectory.error or verdict.error
        return Reason(INFRASTRUCTURE, f"{error.kind}: {error.message}" if error else verdict.evidence)
    if is_unsafe(trajectory, verdict):
        marks = [mark.detail for mark in trajectory.marks if mark.kind == "unsafe"]
        tool = marks[0].partition(" ")[0] if marks else ""
        return Reason("unsafe action", "; ".join(marks) or verdict.evidence, f"called {tool}" if tool else "")
    if verdict.passed:
        return Reason("")
    return (rule and _apply(rule, task, trajectory, verdict)) or rules.reason(task, trajectory, verdict)


def is_unsafe(trajectory: Trajectory, verdict: Verdict) -> bool:
    """Whether the verifier or the harness marked it as unsafe."""
    return verdict.unsafe or trajectory.marked("unsafe")


def unscored(trajectory: Trajectory) -> Verdict:
    """A stand-in for a missing verdict."""
    evidence = "" if trajectory.error else "the episode was never scored"
    return Verdict(trajectory=trajectory.id, reward=None, evidence=evidence)


def _apply(rule: EnvironmentRule, task: Task, trajectory: Trajectory, verdict: Verdict) -> Reason | None:
    try:
        answer = rule(task, trajectory, verdict)
    except VerigymError:
        raise
    except Exception as error:  # user code may raise anything
        raise BadInput(
            f"explain(...) of the environment raised {type(error).__name__} on {trajectory.id}: {error}"
        ) from error
    if not answer:
        return None
    if not isinstance(answer, str):
        raise BadInput(
            f"explain(...) of the environment returned {type(answer).__name__} on {trajectory.id}. It must return "
            '"bucket", "bucket: reason" or None'
        )
    name, _, reason = answer.partition(":")
    return Reason(name.strip(), reason.strip() or verdict.evidence, by="the environment")


class Horizon(Struct, frozen=True, kw_only=True):
    """Success on tasks that need few calls and on tasks that need many."""

    most_short: int
    """A task with up to this many calls is short."""
    short: Estimate
    """Success on short tasks."""
    long: Estimate
    low: float
    """One-sided 95% lower bound of how much worse long tasks do."""

    @property
    def significant(self) -> bool:
        return self.short.value - self.long.value >= _GAP and self.low > 0


class Explanation(Printable, Struct, frozen=True, kw_only=True):
    trajectories: int
    scored: int
    passed: int
    findings: list[Finding]
    """By bucket, the most frequent first, infrastructure last."""
    groups: int
    """Tasks with several scored tries."""
    inconsistent: list[str]
    """Those of them that passed in some tries and failed in others."""
    signal: int
    """Groups whose rewards differ, which group-based methods learn from."""
    pass_at_1: float
    """Mean share of tries that pass in those groups. 0 without groups."""
    pass_at_k: float
    """Share of groups in which at least one try passes. 0 without groups."""
    horizon: Horizon | None = None
    """None if tasks do not say how many calls they need, or too few are short or long."""


class ExplainedEpisode(NamedTuple):
    trajectory: Trajectory
    verdict: Verdict
    reason: Reason
    """Its bucket is empty if the episode passed safely."""
    symptom: str


def explain(
    tasks: Iterable[Task],
    trajectories: Iterable[Trajectory],
    verdicts: Iterable[Verdict],
    rule: EnvironmentRule | None = None,
    judged: Mapping[str, Reason] = {},
) -> Explanation:
    """`judged` maps trajectory ids to a judge's reasons. They count only if the rules say "wrong answer"."""
    by_id = {task.id: task for task in tasks}
    bins: dict[str, _Bin] = defaultdict(_Bin)
    tries: dict[tuple[str, str], list[tuple[bool, float]]] = defaultdict(list)
    total = 0
    for episode in explain_each(by_id.values(), trajectories, verdicts, rule, judged):
        trajectory, verdict, reason, _ = episode
        total += 1
        if reason.bucket != INFRASTRUCTURE:
            tries[trajectory.task, trajectory.group].append((verdict.passed, verdict.reward or 0.0))
        if reason.bucket:
            bins[reason.bucket].add_episode(episode)
    scored = sum(map(len, tries.values()))
    several = {key: group for key, group in tries.items() if len(group) > 1}
    passes = [[passed for passed, _ in group] for group in several.values()]
    rewards = [[reward for _, reward in group] for group in several.values()]
    return Explanation(
        trajectories=total,
        scored=scored,
        passed=sum(passed for group in tries.values() for passed, _ in group),
        findings=_findings(bins, total, scored),
        groups=len(several),
        inconsistent=[task for (task, _), group in zip(several, passes, strict=True) if len(set(group)) > 1],
        signal=sum(max(group) - min(group) > 1e-6 for group in rewards),
        pass_at_1=fmean(map(fmean, passes)) if passes else 0.0,
        pass_at_k=fmean(map(any, passes)) if passes else 0.0,
        horizon=_horizon(by_id, tries),
    )


def explain_each(
    tasks: Iterable[Task],
    trajectories: Iterable[Trajectory],
    verdicts: Iterable[Verdict],
    rule: EnvironmentRule | None = None,
    judged: Mapping[str, Reason] = {},
) -> Iterator[ExplainedEpisode]:
    """Yields every episode of a run, failed or not."""
    by_id = {task.id: task for task in tasks}
    verdict_of: dict[str, Verdict] = {}
    for verdict in verdicts:  # all are held in memory, so the evidence of a pass is dropped
        verdict_of[verdict.trajectory] = structs.replace(verdict, evidence="") if verdict.passed else verdict
    for one in trajectories:
        verdict = verdict_of.get(one.id) or unscored(one)
        reason = reason_of(by_id[one.task], one, verdict, rule)
        if reason.bucket == WRONG_ANSWER and one.id in judged:
            reason = judged[one.id]
        yield ExplainedEpisode(one, verdict, reason, reason.symptom or normalised(reason.evidence))


class _Tally(Struct):
    """Counts failures and keeps a few examples."""

    evidence: str = ""
    count: int = 0
    examples: list[str] = []

    def add(self, trajectory: str) -> None:
        self.count += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(trajectory)


class _Bin(_Tally):
    """The failures of one bucket."""

    reasons: Counter[str] = field(default_factory=Counter[str])
    symptoms: dict[tuple[str, str], _Tally] = {}

    def add_episode(self, episode: ExplainedEpisode) -> None:
        self.add(episode.trajectory.id)
        evidence = " ".join(episode.reason.evidence.split())[:300]
        if evidence and (evidence in self.reasons or len(self.reasons) < _MOST_SYMPTOMS):
            self.reasons[evidence] += 1
        key = episode.symptom, episode.reason.by
        if key not in self.symptoms and len(self.symptoms) >= _MOST_SYMPTOMS:
            key = _OTHERS, episode.reason.by
        self.symptoms.setdefault(key, _Tally(evidence)).add(episode.trajectory.id)


def _findings(bins: Mapping[str, _Bin], total: int, scored: int) -> list[Finding]:
    findings = [
        Finding(
            bucket=name,
            count=failures.count,
            share=failures.count / (total if name == INFRASTRUCTURE else scored),
            meaning=BUCKETS.get(name, "by the environment's own rule"),
            evidence=[evidence for evidence, _ in failures.reasons.most_common(EXAMPLES)],
            trajectories=failures.examples,
            clusters=sorted(
                (
                    Cluster(symptom=symptom, count=of.count, example=of.evidence, trajectories=of.examples, by=by)
                    for (symptom, by), of in failures.symptoms.items()
                ),
                key=lambda cluster: (-cluster.count, cluster.symptom),
            ),
        )
        for name, failures in bins.items()
    ]
    return sorted(findings, key=lambda finding: (finding.bucket == INFRASTRUCTURE, -finding.count, finding.bucket))


def _horizon(tasks: Mapping[str, Task], tries: Mapping[tuple[str, str], list[tuple[bool, float]]]) -> Horizon | None:
    """Splits tasks where the two halves are closest in size. The halves share no task, so their errors add up as squares."""
    passed: dict[str, list[bool]] = defaultdict(list)
    for (task, _), group in tries.items():
        passed[task] += [one for one, _ in group]
    needed = {task: calls for task in passed if (calls := len(expected_calls(tasks[task])))}
    middle = sorted(needed.values())[(len(needed) - 1) // 2] if needed else 0
    most = middle if any(calls > middle for calls in needed.values()) else middle - 1
    sides = [[task for task, calls in needed.items() if (calls > most) is late] for late in (False, True)]
    if min(map(len, sides)) < _FEW_TASKS:
        return None
    short, long = (
        clustered_mean([sum(passed[t]) / len(passed[t]) for t in side], [family_of(tasks[t]) for t in side], 0.9, True)
        for side in sides
    )
    margin = math.hypot(short.value - short.low, long.high - long.value)
    return Horizon(most_short=most, short=short, long=long, low=short.value - long.value - margin)


_PLACEHOLDERS = (
    (re.compile(r'"(?:[^"\\]|\\.)*"?|“[^”]*”|(?<!\w)\'[^\']*\'(?!\w)|`[^`]*`'), '"…"'),
    (re.compile(r"\b(?=\w*[0-9])(?=\w*[a-zA-Z])[\w-]{4,}\b"), "ID"),
    (re.compile(r"[-+]?\d+(?:[.,:]\d+)*%?"), "N"),
)
_SAYS_NOTHING = re.compile(r'expected (?:"…"|N|ID)(?: or (?:"…"|N|ID))*, got "…"|(?:N|ID|"…"), expected (?:N|ID|"…")')
_CUT = 100


def normalised(evidence: str) -> str:
    """The common part of similar reasons: `time: expected "13:00", got "15:00"` becomes `time: expected "…", got "…"`."""
    text = " ".join(evidence[:1000].split())
    for pattern, placeholder in _PLACEHOLDERS:
        text = pattern.sub(placeholder, text)
    if _SAYS_NOTHING.fullmatch(text):
        return "another answer than the expected one"
    return text if len(text) <= _CUT else text[: _CUT - 1] + "…"
