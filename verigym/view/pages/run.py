"""One run: what it measured, and its episodes as a grid of tasks and attempts, as a list, or by their text.

Every choice is in the address: `?view=list&outcome=failed&family=mail&reward=0..0.5&sort=reward`.
"""

from typing import Any

from msgspec import Struct

from verigym.core.words import counted, figure
from verigym.draw.histogram import Bin, bins, histogram
from verigym.draw.svg import Drawing
from verigym.store.database import Run
from verigym.view.buckets import Buckets, buckets_of
from verigym.view.episode_list import EpisodeList, episode_list
from verigym.view.episodes import report_of
from verigym.view.filters import WITHOUT_PLACE, Chosen, choose, parts_to_drop
from verigym.view.heads import ReportHead
from verigym.view.page import Link, Page, PageData, Query, typed, url
from verigym.view.pages.runs import RunRow, row_of
from verigym.view.read import Reader, config_of
from verigym.view.run_search import Hits, hits_in
from verigym.view.task_grid import Grid, grid_of

VIEWS = {"grid": "Grid", "list": "List", "text": "Text"}
_RATES = 6
"""Figures of a report that are shown at the head."""
_COLUMNS_OF_REWARDS = 400


class RunFigure(Struct, frozen=True):
    name: str
    words: str
    interval: str
    value: float
    low: float
    high: float
    rate: bool
    """Whether it lies between 0 and 1, so that it can be drawn on one scale."""


class Scoring(Struct, frozen=True, kw_only=True):
    """What one verifier said about the run."""

    verifier: str
    counts: bool
    """Whether its verdicts count."""
    scored: int
    passed: int
    changed: int | None = None
    """Verdicts that differ from those that count."""
    href: str = ""
    """The episodes whose verdict differs."""


class Share(Struct, frozen=True):
    """A part of the run that can be chosen."""

    words: str
    count: int
    share: float
    href: str
    current: bool = False


class Fact(Struct, frozen=True):
    name: str
    words: str
    href: str = ""


class NextPage(Struct, frozen=True):
    words: str
    href: str
    why: str
    key: str


class RunPage(PageData, frozen=True, kw_only=True):
    run: RunRow
    children: int
    child_links: list[Link]
    figures: list[RunFigure]
    report: str
    outcomes: list[Share]
    buckets: list[Share]
    rewards: list[Bin]
    scorings: list[Scoring]
    settings: list[Fact]
    views: list[Link]
    view: str
    filters: list[Link]
    """Filters that are on, each with the address of the page without it."""
    chosen: dict[str, str]
    """The filters besides the text, by parameter."""
    q: str
    next: list[NextPage]
    grid: Grid | None = None
    list: EpisodeList | None = None
    hits: Hits | None = None
    nothing: str = ""
    """Why no episode is shown although the run exists."""
    note: str = ""
    """What to know about the state of the run."""
    overview: str = ""
    """The address of the overview of a large run."""

    @property
    def histogram(self) -> Drawing:
        return histogram(self.rewards, width=320, height=190)


def run_page(reader: Reader, query: Query) -> RunPage:
    run = reader.store.run(query.path["id"])
    config = config_of(run)
    children = reader.rows("SELECT id FROM runs WHERE parent = ? ORDER BY created DESC, rowid DESC LIMIT 12", run.id)
    num_children = reader.one("SELECT count(*) FROM runs WHERE parent = ?", run.id) if children else 0
    row = row_of(reader, run, num_children)
    report, buckets = report_of(reader, run.id), buckets_of(reader, run)
    bucket = query.get("bucket")
    ids = {id for id, name in buckets.of.items() if name == bucket} if buckets else set[str]()
    chosen = choose(query, run.id, ids)
    view = query.choice("view", "list" if run.kind == "traces" else "grid", *VIEWS)
    grid = grid_of(reader, run, query, chosen) if view == "grid" else None
    listed = episode_list(reader, run, query, chosen, buckets) if view == "list" else None
    hits = hits_in(reader, run, query) if view == "text" else None
    num_shown = grid.tasks if grid else len(listed.rows) if listed else 1
    return RunPage(
        title=run.id,
        command=typed("trajectories", "list", run.id) if chosen else typed("runs", "show", run.id),
        crumbs=_crumbs(run),
        run=row,
        children=num_children,
        child_links=[Link(id, url("/runs/", id)) for (id,) in children],
        figures=_figures(report),
        report=report.id if report else "",
        outcomes=_outcomes(run, query),
        buckets=_buckets(reader, run, query, buckets, report),
        rewards=_rewards(reader, run, query),
        scorings=_scorings(reader, run),
        settings=_settings(reader, run, config),
        views=[Link(words, _here(run, query, view=name, sort=None, **WITHOUT_PLACE)) for name, words in VIEWS.items()],
        view=view,
        filters=parts_to_drop("/runs/", run.id, query),
        chosen={name: value for name, value in chosen.given.items() if name != "q"},
        q=query.get("q"),
        next=_next(run),
        grid=grid,
        list=listed,
        hits=hits,
        nothing=_nothing(run, row.state, chosen) if not num_shown else "",
        overview=url("/run-map/", run.id) if grid and grid.tasks else "",
        note="The run was interrupted. Repeat the command that started it: it continues where it stopped."
        if row.state == "interrupted"
        else "",
        live=f"run:{run.id}" if row.state == "running" else "",
    )


def _crumbs(run: Run) -> list[Link]:
    crumbs = [Link("Runs", "/runs")]
    if run.parent:
        crumbs.append(Link(run.parent, url("/training/", run.parent)))
    return crumbs


def _here(run: Run, query: Query, **changes: object) -> str:
    return url("/runs/", run.id, **query.with_(**changes))


def _figures(report: ReportHead | None) -> list[RunFigure]:
    if report is None:
        return []
    made = []
    for name, estimate in report.metrics.items():
        words, interval = figure(name, estimate)
        rate = words.endswith("%") and 0 <= estimate.low <= estimate.high <= 1
        made.append(RunFigure(name, words, interval, estimate.value, estimate.low, estimate.high, rate))
    return made[:_RATES]


def _outcomes(run: Run, query: Query) -> list[Share]:
    failed, errors = run.scored - run.passed, run.trajectories - run.scored
    counts = [("passed", "passed", run.passed), ("failed", "failed", failed), ("error", "not scored", errors)]
    return [
        Share(
            words,
            count,
            count / max(run.trajectories, 1),
            _toggle(run, query, "outcome", name),
            query.get("outcome") == name,
        )
        for name, words, count in counts
    ]


def _toggle(run: Run, query: Query, name: str, value: str) -> str:
    """The address with this filter, or without it if it is on."""
    return _here(run, query, **{name: None if query.get(name) == value else value}, **WITHOUT_PLACE)


def _buckets(reader: Reader, run: Run, query: Query, buckets: Buckets | None, report: ReportHead | None) -> list[Share]:
    """Failed episodes by reason. A large run has no filter by bucket: the page of its failures lists them."""
    if buckets is not None:
        total = max(run.trajectories, 1)
        return [
            Share(name, count, count / total, _toggle(run, query, "bucket", name), query.get("bucket") == name)
            for name, count in buckets.counts.items()
        ]
    reasons = reader.derived.reasons(run.id, run.verifier, most=0)
    counts = reasons.buckets if reasons else report.buckets if report else {}
    total = max(run.trajectories if reasons else sum(counts.values()), 1)
    return [
        Share(name, count, count / total, url("/failures/", run.id, bucket=name))
        for name, count in sorted(counts.items(), key=lambda one: -one[1])
    ]


def _rewards(reader: Reader, run: Run, query: Query) -> list[Bin]:
    state = (run.id, run.verifier, run.scored, run.passed)
    made = reader.kept("rewards", state, lambda: _count_rewards(reader, run))
    last = len(made) - 1
    return [
        one._replace(
            href=_here(
                run,
                query,
                reward=f"{one.low:g}..{'' if at == last else '<'}{one.high:g}",
                view=query.get("view"),
                **WITHOUT_PLACE,
            )
        )
        for at, one in enumerate(made)
    ]


def _count_rewards(reader: Reader, run: Run) -> list[Bin]:
    """Counted by the index alone, in columns, because every episode may have a reward of its own."""
    where = "run = ? AND verifier = ? AND reward IS NOT NULL"
    [(low, high)] = reader.rows(f"SELECT min(reward), max(reward) FROM verdicts WHERE {where}", run.id, run.verifier)
    if low is None:
        return []
    width = (high - low) / _COLUMNS_OF_REWARDS or 1.0
    rows = reader.rows(
        f"SELECT CAST(round((reward - ?) / ?) AS INTEGER) AS at, sum(passed), count(*) FROM verdicts WHERE {where} GROUP BY at",
        low, width, run.id, run.verifier,
    )  # fmt: skip
    return bins([(low + at * width, passed, count - passed) for at, passed, count in rows])


def _scorings(reader: Reader, run: Run) -> list[Scoring]:
    state = run.id, run.verifier, run.trajectories, run.scored, run.passed
    verifiers = _verifiers(reader, run.id)
    return reader.kept("scorings", (*state, *verifiers), lambda: _scored_by(reader, run, verifiers))


def _verifiers(reader: Reader, run: str) -> list[str]:
    """The verifiers of a run, one step in the index for each."""
    found: list[str] = []
    name = reader.one("SELECT min(verifier) FROM verdicts WHERE run = ?", run)
    while name is not None:
        found.append(name)
        name = reader.one("SELECT min(verifier) FROM verdicts WHERE run = ? AND verifier > ?", run, name)
    return found


def _scored_by(reader: Reader, run: Run, verifiers: list[str]) -> list[Scoring]:
    sql = "SELECT count(reward), sum(passed) FROM verdicts WHERE run = ? AND verifier = ?"
    rows = [
        (one, run.scored, run.passed) if one == run.verifier else (one, *reader.rows(sql, run.id, one)[0])
        for one in verifiers
    ]
    made: list[Scoring] = []
    for verifier, scored, passed in sorted(rows, key=lambda row: (row[0] != run.verifier, row[0])):
        changed = None
        if verifier != run.verifier:
            [(changed,)] = reader.rows(
                "SELECT count(*) FROM verdicts v JOIN verdicts o ON o.trajectory = v.trajectory AND o.verifier = ? "
                "AND o.run = v.run WHERE v.run = ? AND v.verifier = ? AND (o.passed != v.passed OR o.reward IS NOT v.reward)",
                verifier, run.id, run.verifier,
            )  # fmt: skip
        made.append(
            Scoring(
                verifier=verifier, counts=verifier == run.verifier, scored=scored, passed=passed or 0, changed=changed,
                href=url("/runs/", run.id, view="list", changed=verifier) if changed else "",
            )
        )  # fmt: skip
    return made


_NAMES = {
    "k": "attempts",
    "num_tasks": "tasks",
    "environment_version": "environment version",
    "tasks": "tasks hash",
    "max_turns": "turns",
}
_HIDDEN = {"agent", "environment", "verifier", "recipe"}


def _settings(reader: Reader, run: Run, config: dict[str, Any]) -> list[Fact]:
    facts = [
        Fact(_NAMES.get(name, name.replace("_", " ")), _said(value))
        for name, value in config.items()
        if name not in _HIDDEN and value not in (None, "", {}, [])
    ]
    version = reader.versions().get(str(config.get("agent", "")))
    if version is not None and version.software:
        facts.append(Fact("software", ", ".join(f"{name} {number}" for name, number in version.software.items())))
    return facts


def _said(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_said(each)}" for name, each in value.items())
    text = str(value)
    return f"{text[:12]}…" if len(text) == 64 and text.isalnum() else text


def _next(run: Run) -> list[NextPage]:
    pages = []
    if run.scored > run.passed:
        why = f"{counted(run.scored - run.passed, 'episode')} did not pass"
        pages.append(NextPage("Why it failed", url("/failures/", run.id), why, "w"))
    if run.kind in ("eval", "rollout"):
        pages.append(
            NextPage("Compare", url("/compare", a=run.id), "Choose a run or a version to compare it with", "c")
        )
    if run.trajectories:
        pages.append(NextPage("Label", _label(run), "Label its outputs, blind and by keyboard", "l"))
    return pages


def _label(run: Run) -> str:
    """Pairs need several attempts at a task."""
    repeats = config_of(run).get("k")
    several = isinstance(repeats, int) and repeats > 1
    return url("/label/", run.id, kind=None if several else "single")


def _nothing(run: Run, state: str, chosen: Chosen) -> str:
    if chosen:
        return "No episode of this run fits the filters. Remove one of them."
    if state == "running":
        return "The run has begun, and no episode is finished yet."
    if run.kind == "train":
        return "A training run has no episodes of its own. Its steps are child runs."
    return "This run has no episodes."


PAGES = [Page("/runs/{id:path}", run_page, "run.html", "runs")]
