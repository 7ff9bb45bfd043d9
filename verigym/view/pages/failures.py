"""Failures: from the rate of a run to its reasons. Buckets, clusters by symptom, examples, and what to do about them.

/failures                                   runs with failed episodes, newest first
/failures/RUN?bucket=&cluster=&q=&against=  one run, or two side by side
"""

import functools
import time
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from verigym.core.errors import NotFound
from verigym.core.records import FunctionCall, Message, Trajectory
from verigym.core.words import counted, percent
from verigym.evaluation.failures import BUCKETS, INFRASTRUCTURE, Explanation
from verigym.store.database import Run
from verigym.view import episodes
from verigym.view.explained import (
    BucketChange,
    ExplainedRun,
    FailedEpisode,
    StoredAdvice,
    advice_of,
    bucket_changes,
    explained,
)
from verigym.view.filters import as_stored
from verigym.view.page import Link, ListPage, Page, PageData, Query, typed, url
from verigym.view.pages.runs import RunRow, row_of
from verigym.view.read import Reader, config_of, decoded

_RUNS = 30
_EXAMPLES = 20
_CLUSTERS = 40
_SEARCH_S = 0.5
_LINE = 220
_KINDS = "('eval', 'rollout', 'collect', 'traces', 'agent')"


class FailureRunsPage(ListPage, frozen=True, kw_only=True):
    rows: list[RunRow]


class BucketRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str
    count: int
    share: float
    """Of the scored episodes. Of all episodes for those that could not be scored."""
    meaning: str
    href: str
    is_open: bool = False
    change: BucketChange | None = None


class ClusterRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    symptom: str
    count: int
    by: str
    href: str
    is_open: bool = False


class Example(Struct, frozen=True, kw_only=True):
    id: str
    href: str
    task: str
    attempt: int
    asked: str
    """The request, its first line."""
    did: str
    """The last reply or call."""
    evidence: str


class AdviceRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    fix: str
    reasons: list[str]
    command: str = ""
    advised: bool = True


class FailuresPage(PageData, frozen=True, kw_only=True):
    run: str
    run_href: str
    traces_href: str
    """The list of traces, for a run of traces."""
    trajectories: int
    scored: int
    passed: int
    buckets: list[BucketRow]
    bucket: str
    clusters: list[ClusterRow]
    more_clusters: int
    cluster: str
    examples: list[Example]
    examples_of: int
    """Episodes of the bucket or cluster."""
    shown_from: int
    q: str
    next: str
    previous: str
    read: float
    """Share of the run that was read. 1 for all of it."""
    inconsistent: list[Link]
    groups: int
    """Tasks with several tries."""
    horizon: str
    advice: list[AdviceRow]
    depends: list[str]
    advise: str
    """The command that gives all advice."""
    against: str
    against_words: str
    choices: list[Link]
    """Runs to put beside this one."""
    note: str
    again: str
    """The address of this page."""


# -- the list ---------------------------------------------------------------------------------------------------------


def failure_runs(reader: Reader, query: Query) -> FailureRunsPage:
    where = f"parent = '' AND kind IN {_KINDS} AND kind != 'traces'"
    total = reader.one(f"SELECT count(*) FROM runs WHERE {where}") or 0
    skip, part = query.part(total, _RUNS, functools.partial(url, "/failures"))
    rows = [row_of(reader, run) for run in reader.newest_runs(where, _RUNS, skip)]
    return FailureRunsPage(
        title="Failures",
        command=typed("explain", "latest"),
        rows=rows,
        **part,
        live="runs",
        empty="" if rows else "Nothing was measured in this workspace yet, so nothing failed.",
        fill=[] if rows else ["verigym eval notes -m smollm2-135m", "verigym demo"],
    )


# -- one run ----------------------------------------------------------------------------------------------------------


def failures_page(reader: Reader, query: Query) -> FailuresPage:
    run = _run(reader, query.path["run"])
    source = _source(reader, run)
    bucket, cluster = query.get("bucket"), query.get("cluster")
    if bucket and bucket not in source.counts:
        if source.counts:
            raise NotFound(f'Run {run.id} has no failures in the bucket "{bucket}". It has: {", ".join(source.counts)}')
        bucket = ""
    bucket = bucket or next(iter(source.counts), "")
    against = _run(reader, query.get("against")) if query.get("against") else None
    changes, against_words = _against(reader, run, source, against)
    clusters = [one for one in source.clusters if one[0] == bucket]
    if cluster and not any(symptom == cluster for _, symptom, _, _ in clusters):
        raise NotFound(
            f'Run {run.id} has no failures with this symptom in the bucket "{bucket}". Open the bucket again'
        )
    examples, after = _examples(reader, run, source, bucket, cluster, query)
    advice = advice_of(reader, run, source.whole) if source.whole is not None else None
    explanation = source.whole.explanation if source.whole is not None else None
    listed = sum(count for _, symptom, _, count in clusters if cluster in ("", symptom))
    skip = query.number("skip", 0)
    nothing = not source.counts and source.read >= 1
    return FailuresPage(
        title=f"Failures of {run.id}",
        command=typed("explain", run.id, *(["--bucket", bucket] if bucket else [])),
        crumbs=[Link("Failures", url("/failures"))],
        run=run.id,
        run_href=url("/runs/", run.id),
        traces_href=url("/traces") if run.kind == "traces" else "",
        trajectories=run.trajectories,
        scored=run.scored,
        passed=run.passed,
        buckets=_bucket_rows(run, source, bucket, changes, query),
        bucket=bucket,
        clusters=[
            ClusterRow(
                symptom=symptom,
                count=count,
                by=by,
                is_open=symptom == cluster,
                href=_here(run, query, bucket=bucket, cluster=None if symptom == cluster else symptom, skip=None),
            )
            for _, symptom, by, count in clusters[:_CLUSTERS]
        ],
        more_clusters=max(0, len(clusters) - _CLUSTERS),
        cluster=cluster,
        examples=examples,
        examples_of=listed,
        shown_from=skip + 1,
        q=query.get("q"),
        next=_here(run, query, skip=after) if after else "",
        previous=_here(run, query, skip=max(0, skip - _EXAMPLES) or None) if skip else "",
        read=source.read,
        inconsistent=_inconsistent(run, explanation),
        groups=explanation.groups if explanation else 0,
        horizon=_horizon(explanation),
        advice=_advice_rows(advice),
        depends=advice.depends if advice else [],
        advise=typed("advise", run.id) if run.kind in ("eval", "rollout") else "",
        against=against.id if against else "",
        against_words=against_words,
        choices=_choices(reader, run, against, query),
        note=_note(source),
        again=_here(run, query),
        live=f"run:{run.id}" if run.finished is None else "",
        empty=_nothing_words(run) if nothing else "",
        fill=[],
    )


class _Source(Struct, kw_only=True):
    """What is known about the failures of a run, from whichever place knows it."""

    counts: dict[str, int]
    """Bucket to count, the most frequent first and not scored last."""
    clusters: list[tuple[str, str, str, int]]
    """Bucket, symptom, by whom, count."""
    read: float
    whole: ExplainedRun | None = None


def _source(reader: Reader, run: Run, place: str = "") -> _Source:
    whole = explained(reader, run, place)
    if whole is not None:
        findings = whole.explanation.findings
        return _Source(
            counts={one.bucket: one.count for one in findings},
            clusters=[(one.bucket, part.symptom, part.by, part.count) for one in findings for part in one.clusters],
            read=1.0,
            whole=whole,
        )
    found = reader.derived.reasons(run.id, run.verifier)
    if found is None or found.read < run.trajectories:
        reader.derived.want("reasons", run.id)
    if found is None:
        return _Source(counts={}, clusters=[], read=0.0)
    counts = dict(sorted(found.buckets.items(), key=lambda pair: (pair[0] == INFRASTRUCTURE, -pair[1])))
    return _Source(
        counts=counts,
        clusters=[(one.bucket, one.symptom, one.by, one.count) for one in found.symptoms],
        read=min(1.0, found.read / max(1, run.trajectories)),
    )


def _bucket_rows(
    run: Run, source: _Source, bucket: str, changes: dict[str, BucketChange], query: Query
) -> list[BucketRow]:
    names = [*source.counts, *(name for name in changes if name not in source.counts)]
    return [
        BucketRow(
            name=name,
            count=source.counts.get(name, 0),
            share=source.counts.get(name, 0) / max(1, run.trajectories if name == INFRASTRUCTURE else run.scored),
            meaning=BUCKETS.get(name, "by the environment's own rule"),
            href=_here(run, query, bucket=name, cluster=None, skip=None) if name in source.counts else "",
            is_open=name == bucket,
            change=changes.get(name),
        )
        for name in names
    ]


def _here(run: Run, query: Query, **changes: object) -> str:
    return url("/failures/", run.id, **query.with_(**changes))


# -- examples ---------------------------------------------------------------------------------------------------------


def _examples(
    reader: Reader, run: Run, source: _Source, bucket: str, cluster: str, query: Query
) -> tuple[list[Example], int]:
    """The examples of this page, and where the next page begins. 0 at the end."""
    q, skip = query.get("q"), query.number("skip", 0)
    shown: list[Example] = []
    place, deadline = skip, time.monotonic() + _SEARCH_S
    for some in _candidates(reader, run, source, bucket, cluster, skip):
        fitting = _with_text(reader, run, [one.id for one in some], q) if q else {one.id for one in some}
        for one in some:
            place += 1
            if one.id in fitting:
                shown.append(_example(reader, run, one))
            if len(shown) == _EXAMPLES:
                return shown, place
        if time.monotonic() > deadline:
            return shown, place
    return shown, 0


def _candidates(
    reader: Reader, run: Run, source: _Source, bucket: str, cluster: str, skip: int
) -> Iterator[list[FailedEpisode]]:
    """Failed episodes of a bucket or cluster in pages, after so many."""
    if source.whole is not None:
        fitting = [one for one in source.whole.failed if one.bucket == bucket and cluster in ("", one.symptom)][skip:]
        for start in range(0, len(fitting), 200):
            yield fitting[start : start + 200]
        return
    after, left = 0, skip
    while page := reader.derived.reasons_page(run.id, run.verifier, bucket, cluster, after, 200):
        after = page[-1].row
        some, left = page[left:], max(0, left - len(page))
        if some:
            yield [FailedEpisode(one.trajectory, "", 0, one.bucket, one.symptom, one.by, "") for one in some]


def _with_text(reader: Reader, run: Run, ids: list[str], q: str) -> set[str]:
    """Which of the episodes have a text, as it is written in the stored JSON."""
    marks = ", ".join("?" for _ in ids)
    sql = f"SELECT id FROM trajectories WHERE run = ? AND id IN ({marks}) AND instr(body, ?) > 0"
    return {id for (id,) in reader.rows(sql, run.id, *ids, as_stored(q))}


def _example(reader: Reader, run: Run, failed: FailedEpisode) -> Example:
    trajectory = reader.store.trajectory_in(run.id, failed.id)
    if trajectory is None:
        return Example(id=failed.id, href="", task=failed.task, attempt=0, asked="", did="", evidence=failed.evidence)
    evidence = failed.evidence
    if not evidence:
        verdicts = [one for one in reader.store.verdicts_on(run.id, failed.id) if one.verifier == run.verifier]
        evidence = verdicts[0].evidence if verdicts else ""
        evidence = evidence or (trajectory.error.message if trajectory.error else failed.symptom)
    return Example(
        id=failed.id,
        href=episodes.href(failed.id, run.id),
        task=trajectory.task,
        attempt=trajectory.index + 1,
        asked=_asked(trajectory)[:_LINE],
        did=_did(trajectory)[:_LINE],
        evidence=evidence[:500],
    )


def _asked(trajectory: Trajectory) -> str:
    requests = [item for item in trajectory.items if isinstance(item, Message) and item.role == "user"]
    return next((line for line in requests[0].text.splitlines() if line.strip()), "") if requests else ""


def _did(trajectory: Trajectory) -> str:
    for item in reversed(trajectory.items):
        if isinstance(item, FunctionCall):
            return f"{item.name} {item.arguments}"
        if isinstance(item, Message) and item.role == "assistant" and item.text.strip():
            return " ".join(item.text.split())
    return ""


# -- beside the buckets -----------------------------------------------------------------------------------------------


def _against(reader: Reader, run: Run, source: _Source, against: Run | None) -> tuple[dict[str, BucketChange], str]:
    """The change of each bucket from the other run to this one."""
    if against is None:
        return {}, ""
    other = explained(reader, against, "against")
    if other is None or source.whole is None:
        return {}, "Runs of this size can be compared by their reports: open Compare."
    changes, tasks = bucket_changes(other, source.whole)
    if not tasks:
        return {}, f"{against.id} has no task in common with this run, so they cannot be compared."
    sure = sum(change.sure for change in changes.values())
    words = f"On {counted(tasks, 'common task')}, {sure} of {counted(len(changes), 'bucket')} changed beyond chance."
    return changes, words


def _choices(reader: Reader, run: Run, against: Run | None, query: Query) -> list[Link]:
    """Runs in the same environment, newest first."""
    environment = config_of(run).get("environment")
    links = [Link("none", _here(run, query, against=None))] if against else []
    sql = (
        f"SELECT id, config FROM runs WHERE parent = '' AND kind IN {_KINDS} ORDER BY created DESC, rowid DESC LIMIT 60"
    )
    for id, body in reader.rows(sql):
        if id == run.id or len(links) > 6:
            continue
        other: Any = decoded(body)
        if isinstance(other, dict) and other.get("environment") == environment and environment:
            label = reader.label(str(other.get("agent", "") or "")) or id
            links.append(Link(f"{label} ({id})", _here(run, query, against=id, skip=None)))
    return links


def _inconsistent(run: Run, explanation: Explanation | None) -> list[Link]:
    tasks = explanation.inconsistent[:30] if explanation else []
    return [Link(task, url("/runs/", run.id, view="list", q=task)) for task in tasks]


def _horizon(explanation: Explanation | None) -> str:
    horizon = explanation.horizon if explanation else None
    if horizon is None or not horizon.significant:
        return ""
    return (
        f"Tasks of up to {counted(horizon.most_short, 'call')} pass in {percent(horizon.short.value, 0)} "
        f"({counted(horizon.short.n, 'task')}). Longer ones pass in {percent(horizon.long.value, 0)} "
        f"({counted(horizon.long.n, 'task')}): at least {100 * horizon.low:.0f} points worse."
    )


def _advice_rows(advice: StoredAdvice | None) -> list[AdviceRow]:
    return [
        AdviceRow(
            fix=one.fix, reasons=one.reasons, command=one.command if "RECIPE" not in one.command else "",
            advised=one.advised,
        )
        for one in (advice.advice if advice else [])
    ]  # fmt: skip


def _note(source: _Source) -> str:
    if source.read < 1:
        return f"{percent(source.read, 0)} of this run is read so far. The rest is read in the background."
    return ""


def _nothing_words(run: Run) -> str:
    if run.kind == "traces":
        return "Traces have no verdicts, so no failure is counted here."
    if not run.trajectories:
        return "No episode of this run is finished yet."
    if not run.scored:
        return "No episode of this run was scored."
    if run.passed == run.scored == run.trajectories:
        return f"Nothing failed: all {counted(run.passed, 'episode')} passed, and none was unsafe."
    return "No failure of this run is stored."


def _run(reader: Reader, text: str) -> Run:
    run = reader.store.run(text)
    if run.kind == "train":
        raise NotFound(
            f"{run.id} is a training run and has no episodes of its own. Open one of its steps: /training/{run.id}"
        )
    return run


PAGES = [
    Page("/failures", failure_runs, "failure_runs.html", "failures"),
    Page("/failures/{run:path}", failures_page, "failures.html", "failures"),
]
