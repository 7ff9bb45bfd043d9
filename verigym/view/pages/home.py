"""Home: the best version and how good it is, where it came from, what is running, what happened last, what to do next."""

from typing import Any

from msgspec import Struct

from verigym.core.records import Estimate, Version
from verigym.draw.lineage import Node, lineage
from verigym.draw.svg import Drawing
from verigym.registry.versions import kind_of
from verigym.training.alarms import StoredAlarm
from verigym.view import heads
from verigym.view.heads import EntryHead, VersionLink, version_link
from verigym.view.next_steps import next_steps
from verigym.view.page import Page, PageData, Query, Step, url
from verigym.view.pages.gate import DecisionRow, rows_of
from verigym.view.read import Reader, config_of, run_state
from verigym.view.watch import RunCount

_ENTRIES = 10
_RUNNING = 8


class Champion(Struct, frozen=True, kw_only=True, omit_defaults=True):
    version: VersionLink
    base: str = ""
    kind: str = ""
    since: str = ""
    entry: int = 0
    entry_href: str = ""
    by: str = ""
    """How it became champion: gate, override, rollback or first."""
    suite: str = ""
    success: Estimate | None = None
    tasks: int = 0
    run: str = ""
    run_href: str = ""
    failures: str = ""
    previous: str = ""
    """Label of the champion before it."""
    gain: float | None = None
    """Difference to the champion before it on the same suite, in points of success."""


class RunningRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    href: str
    kind: str
    state: str
    environment: str = ""
    agent: str = ""
    done: int = 0
    total: int = 0
    unit: str = "episodes"
    passed: float | None = None
    alarms: int = 0
    created: float = 0.0


class TreeNode(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A version in the lineage."""

    id: str
    label: str
    parent: str = ""
    kind: str = "base"
    verdict: str = ""
    since: str = ""
    champion: bool = False


class HomePage(PageData, frozen=True, kw_only=True):
    champion: Champion | None = None
    nodes: list[TreeNode] = []
    running: list[RunningRow] = []
    more_running: int = 0
    steps: list[Step] = []
    entries: list[DecisionRow] = []
    num_entries: int = 0
    num_versions: int = 0
    ways: list[Step] = []
    """Ways into an empty workspace."""

    def tree(self) -> Drawing:
        return lineage(
            [
                Node(
                    one.id, one.label, one.parent, one.kind, one.verdict, one.since, one.champion,  # type: ignore[arg-type]
                    url("/versions/", one.id),
                )
                for one in self.nodes
            ]
        )  # fmt: skip


def home_page(reader: Reader, query: Query) -> HomePage:
    versions, known = reader.versions(), heads.entries(reader)
    runs = reader.one("SELECT count(*) FROM runs WHERE parent = ''") or 0
    if not versions and not known and not runs:
        return HomePage(
            title="Home",
            command="verigym models list",
            empty=_WHAT,
            ways=_WAYS,
            live="home",
        )
    running, more = running_rows(reader)
    return HomePage(
        title="Home",
        command="verigym models list",
        champion=_champion(reader, known),
        nodes=tree_nodes(reader),
        running=running,
        more_running=more,
        steps=next_steps(reader),
        entries=rows_of(reader, known[: -_ENTRIES - 1 : -1]),
        num_entries=len(known),
        num_versions=len(versions),
        live="home",
    )


_WHAT = "Verigym turns an agent's failures into a better version, and proves that it is better before you ship it."
_WAYS = [
    Step(
        words="Look at a finished example",
        why="A recorded workspace with traces, training and decisions. It needs no model.",
        command="verigym demo",
    ),
    Step(
        words="Run the whole cycle here",
        why="A small model is measured, trained and judged on this machine.",
        command="verigym quickstart",
    ),
    Step(
        words="Begin with your own prompts",
        why="A folder with your tasks becomes an environment that you can evaluate any model on.",
        command="verigym init my-agent",
    ),
]


def _champion(reader: Reader, known: list[EntryHead]) -> Champion | None:
    id = heads.champion(reader)
    if not id:
        return None
    since = next((one for one in reversed(known) if one.moved), None)
    version = reader.versions().get(id)
    found = heads.of_version(reader, id)
    report = found[0] if found else None
    before = since.champion_before if since is not None else None
    gain = None
    if report is not None and report.success is not None and before:
        same = [one for one in heads.of_version(reader, before) if one.suite.hash == report.suite.hash]
        if same and same[0].success is not None:
            gain = report.success.value - same[0].success.value
    has_run = report is not None and heads.run_exists(reader, report.run)
    return Champion(
        version=version_link(reader, id),
        base=version.base if version is not None else "",
        kind=kind_of(version) if version is not None else "",
        since=since.when if since is not None else "",
        entry=since.seq if since is not None else 0,
        entry_href=url("/gate/", str(since.seq)) if since is not None else "",
        by=since.decision.kind if since is not None else "",
        suite=report.suite.name if report is not None else "",
        success=report.success if report is not None else None,
        tasks=report.suite.tasks if report is not None else 0,
        run=report.run if report is not None else "",
        run_href=url("/runs/", report.run) if report is not None and has_run else "",
        failures=url("/failures/", report.run) if report is not None and has_run else "",
        previous=reader.label(before) if before else "",
        gain=gain,
    )


def tree_nodes(reader: Reader) -> list[TreeNode]:
    """Every version with its parent, the last verdict about it, and when it became champion."""
    verdicts = heads.last_verdicts(reader)
    since = {one.champion_after: one.when[:10] for one in heads.entries(reader) if one.moved and one.champion_after}
    now = heads.champion(reader)
    return [
        TreeNode(
            id=id,
            label=version.label,
            parent=version.parent,
            kind=shape_of(version),
            verdict=_shown_verdict(verdicts.get(id)),
            since=since.get(id, ""),
            champion=id == now,
        )
        for id, version in reader.versions().items()
    ]


def _shown_verdict(entry: EntryHead | None) -> str:
    """What the gate said last. A first champion and a rollback are no verdict of the gate."""
    return entry.decision.verdict if entry is not None and entry.decision.kind == "gate" else ""


def shape_of(version: Version) -> str:
    """What a version changes, as the picture tells it."""
    if version.adapter:
        return "weights"
    if (
        version.system_prompt is not None
        or version.tool_descriptions
        or version.examples
        or version.skills
        or version.tools
    ):
        return "prompt"
    return "constraint" if version.constraints or version.harness or version.sampling or version.program else "base"


def running_rows(reader: Reader) -> tuple[list[RunningRow], int]:
    """Runs that are being made now, newest first, and how many more there are. Interrupted ones are a thing to do."""
    columns = "id, kind, config, verifier, created"
    sql = f"SELECT {columns} FROM runs WHERE finished IS NULL AND parent = '' ORDER BY created DESC LIMIT 50"
    live = [row for row in reader.rows(sql) if run_state(reader.home, row[0], None) == "running"]
    alarms: dict[str, int] = {}
    if live:
        for one in reader.documents("alarm", StoredAlarm):
            alarms[one.run] = alarms.get(one.run, 0) + 1
    return [_running_row(reader, row, alarms) for row in live[:_RUNNING]], max(0, len(live) - _RUNNING)


def _running_row(reader: Reader, row: Any, alarms: dict[str, int]) -> RunningRow:
    id, kind, _, verifier, created = row
    count = RunCount(reader, id)
    config = config_of(row[2])
    training = kind == "train"
    if training:
        done = reader.one("SELECT max(step) FROM metrics WHERE run = ?", id) or 0
    else:
        count.look(reader, verifier)
        done = count.episodes
    agent = str(config.get("agent") or "")
    return RunningRow(
        id=id,
        href=url("/training/" if training else "/runs/", id),
        kind=kind,
        state="running",
        environment=str(config.get("environment") or ""),
        agent=reader.label(agent) if agent else "",
        done=int(done),
        total=count.steps if training else count.total,
        unit="steps" if training else "episodes",
        passed=count.passed / count.scored if count.scored else None,
        alarms=alarms.get(id, 0),
        created=created,
    )


PAGES = [Page("/", home_page, "home.html", "home")]
