"""Suites: the held-out sets, how often each was used, and the versions that were measured on it."""

from typing import Any

from msgspec import Struct

from verigym.core.records import Estimate, Suite
from verigym.environments.load import held_out_name
from verigym.evaluation.suites import MANY_VERSIONS, HeldOutSet, make_suite
from verigym.view import heads
from verigym.view.heads import ReportHead, SuiteHead, VersionLink, version_link
from verigym.view.page import Page, PageData, Query, url
from verigym.view.read import Reader, decoded

_VERSIONS = 20
"""Versions listed for one suite, the newest ones."""


class MeasuredVersion(Struct, frozen=True, kw_only=True, omit_defaults=True):
    version: VersionLink
    success: Estimate | None = None
    run: str = ""
    run_href: str = ""
    compare: str = ""
    """Against the champion, if that was measured on the suite too."""
    champion: bool = False


class SuiteRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str
    version: int
    """1 for the first set with this name, 2 for the next with other tasks or another verifier."""
    newest: bool
    environment: str
    verifier: str
    hash: str
    tasks: int
    families: int
    measured: int
    training: int
    decisions: int
    seen_by: int
    worn: bool
    last_used: float
    uses: str
    warning: str = ""
    versions: list[MeasuredVersion] = []
    anchor: str = ""


class SuitesPage(PageData, frozen=True, kw_only=True):
    rows: list[SuiteRow]
    many: int = MANY_VERSIONS


class _TrainingUse(Struct, frozen=True):
    suite: SuiteHead
    count: int
    last: float


def suites_page(reader: Reader, query: Query) -> SuitesPage:
    known = heads.reports(reader)
    training = reader.kept("training uses", reader.runs_state(), lambda: _training_uses(reader))
    rows = _rows(reader, list(known.values()), training)
    return SuitesPage(
        title="Suites",
        command="verigym suites list",
        rows=rows,
        empty=""
        if rows
        else "No version was evaluated yet. A suite is a fixed set of held-out tasks with its verifier.",
        fill=[] if rows else ["verigym eval ENV -m MODEL"],
    )


def _rows(reader: Reader, known: list[ReportHead], training: list[_TrainingUse]) -> list[SuiteRow]:
    by_hash: dict[str, list[ReportHead]] = {}
    for one in known:
        by_hash.setdefault(one.suite.hash, []).append(one)
    used = {one.suite.hash: one for one in training}
    suites = {**{one.suite.hash: one.suite for one in training}, **{hash: of[0].suite for hash, of in by_hash.items()}}
    first = {hash: _first_use(by_hash.get(hash, []), used.get(hash)) for hash in suites}
    state = reader.state_of("report"), len(heads.entries(reader))
    decided = reader.kept("decided suites", state, lambda: _decided(reader, by_hash))
    seen, numbers = heads.seen_by(reader), _numbers(suites, first)
    newest = {(suites[hash].environment, suites[hash].name): number for hash, number in numbers.items()}
    rows = []
    for hash, suite in suites.items():
        reports, use = by_hash.get(hash, []), used.get(hash)
        agents = list(dict.fromkeys(one.agent for one in reports))
        held_out = HeldOutSet(
            suite=_suite(suite),
            version=numbers[hash],
            versions=agents,
            training=use.count if use is not None else 0,
            decisions=decided.get(hash, 0),
            seen_by=seen.get(hash, 0),
            last_used=max([*(one.created for one in reports), *([use.last] if use is not None else [])]),
        )  # fmt: skip
        best = max((one.success for one in reports if one.success is not None), key=lambda one: one.value, default=None)
        rows.append(
            SuiteRow(
                name=suite.name,
                version=held_out.version,
                newest=numbers[hash] == newest[suite.environment, suite.name],
                environment=suite.environment,
                verifier=suite.verifier,
                hash=hash,
                tasks=suite.tasks,
                families=len(suite.families),
                measured=len(agents),
                training=held_out.training,
                decisions=held_out.decisions,
                seen_by=held_out.seen_by,
                worn=held_out.seen_by > MANY_VERSIONS,
                last_used=held_out.last_used,
                uses=held_out.uses,
                warning=held_out.overuse_warning(best) if best is not None else "",
                versions=_measured(reader, reports),
                anchor=f"suite-{hash[:12]}",
            )
        )
    return sorted(rows, key=lambda one: (one.environment, one.name, -one.version))


def _suite(head: SuiteHead) -> Suite:
    """Without its tasks and families, which no words about it need."""
    return Suite(
        name=head.name, environment=head.environment, tasks=[], families=[], verifier=head.verifier, hash=head.hash
    )


def _first_use(reports: list[ReportHead], use: _TrainingUse | None) -> float:
    times = [one.created for one in reports]
    if use is not None:
        times.append(use.last)
    return min(times)


def _numbers(suites: dict[str, SuiteHead], first: dict[str, float]) -> dict[str, int]:
    """The version of each suite: sets with one name are numbered by their first use."""
    numbers: dict[str, int] = {}
    counts: dict[tuple[str, str], int] = {}
    for hash in sorted(suites, key=lambda hash: first[hash]):
        key = suites[hash].environment, suites[hash].name
        counts[key] = numbers[hash] = counts.get(key, 0) + 1
    return numbers


def _decided(reader: Reader, by_hash: dict[str, list[ReportHead]]) -> dict[str, int]:
    """Hash of each suite to the number of decisions that rest on a report on it."""
    suite_of = {one.id: hash for hash, reports in by_hash.items() for one in reports}
    counts: dict[str, int] = {}
    for entry in heads.entries(reader):
        named = [
            *entry.decision.reports,
            *(id for one in entry.decision.measured for id in (one.candidate, one.champion)),
        ]
        for hash in {suite_of[id] for id in named if id in suite_of}:
            counts[hash] = counts.get(hash, 0) + 1
    return counts


def _measured(reader: Reader, reports: list[ReportHead]) -> list[MeasuredVersion]:
    """The newest report of each version, the best success first."""
    champion, known = heads.champion(reader), reader.versions()
    newest = {one.agent: one for one in reports}
    base = newest.get(champion)
    ranked = sorted(newest.values(), key=lambda one: -(one.success.value if one.success is not None else -1))
    return [
        MeasuredVersion(
            version=version_link(reader, one.agent, known),
            success=one.success,
            run=one.run,
            run_href=url("/runs/", one.run) if heads.run_exists(reader, one.run) else "",
            compare=url("/compare", a=base.id, b=one.id) if base is not None and base.id != one.id else "",
            champion=one.agent == champion,
        )
        for one in ranked[:_VERSIONS]
    ]


def _training_uses(reader: Reader) -> list[_TrainingUse]:
    """Evaluations during training, by suite. A training run evaluates on the same tasks each time."""
    sql = (
        "SELECT c.parent, c.verifier, min(c.id), count(*), max(c.created), p.config, c.config FROM runs c JOIN runs p "
        "ON p.id = c.parent WHERE c.kind = 'eval' AND c.parent != '' "
        "GROUP BY c.parent, c.verifier, json_extract(c.config, '$.environment')"
    )
    found: dict[str, _TrainingUse] = {}
    for _, verifier, run, count, last, parent_config, config in reader.rows(sql, seconds=10.0):
        settings, recipe = _dict(decoded(config)), _dict(_dict(decoded(parent_config)).get("recipe"))
        environment = held_out_name(str(settings.get("environment") or ""))
        named = str(recipe.get("held_out_eval") or "")
        tasks = [task for task in reader.store.tasks(run) if task.split != "train"]
        if not tasks:
            continue
        name = named if named and named.split()[0] != "all" else f"{environment}:{tasks[0].split}"
        made = make_suite(name, environment, tasks, verifier)
        suite = SuiteHead(name, environment, verifier, made.hash, len(made.tasks), frozenset(made.families))
        before = found.get(made.hash)
        found[made.hash] = _TrainingUse(
            suite, count + (before.count if before else 0), max(last, before.last if before else 0.0)
        )
    return list(found.values())


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


PAGES = [Page("/suites", suites_page, "suites.html", "suites")]
