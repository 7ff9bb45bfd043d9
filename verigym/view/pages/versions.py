"""Versions: the list, one version with everything that is known of it, and how two versions differ."""

import functools

import msgspec
from msgspec import Struct

from verigym.core import codec
from verigym.core.errors import BadInput, not_found
from verigym.core.records import Dataset, Estimate, Json, Version
from verigym.core.words import counted
from verigym.draw.sparkline import sparkline
from verigym.draw.svg import Drawing
from verigym.mining.proposals import AcceptedBatch
from verigym.registry.cards import CardData, card
from verigym.registry.diff import VersionDiff, diff, examples_text
from verigym.registry.versions import harness_text, kind_of, weights_label
from verigym.view import heads, pairing
from verigym.view.check_tasks import represented, traces_of
from verigym.view.heads import ReportHead, VersionLink, version_link
from verigym.view.page import Link, ListPage, Page, PageData, Query, typed, url
from verigym.view.pages.gate import DecisionRow, rows_of
from verigym.view.read import Reader
from verigym.view.text import moment
from verigym.workspace.datasets import path_of

_PAGE = 50
_DECISIONS = 20
_REPORTS = 40
_FAMILIES = 200
_ROWS = 20
"""Rows of a data set and mined tasks that are listed."""
_ROWS_BYTES = 2_000_000


class VersionRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    label: str
    href: str
    kind: str
    base: str
    parent: VersionLink | None = None
    made: str = ""
    success: Estimate | None = None
    suite: str = ""
    champion: bool = False
    was_champion: bool = False
    verdict: str = ""
    decision: str = ""
    compare: str = ""


class VersionsPage(ListPage, frozen=True, kw_only=True):
    rows: list[VersionRow]


class ReportRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    suite: str
    environment: str
    tasks: int
    repeats: int
    created: float
    success: Estimate | None = None
    errors: int = 0
    run: str = ""
    run_href: str = ""
    compare: str = ""


class Text(Struct, frozen=True):
    title: str
    text: str


class RowSource(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A row of a data set, and where it came from."""

    task: str
    family: str = ""
    source: str = ""
    href: str = ""
    traces: list[Link] = []


class DataSource(Struct, frozen=True, kw_only=True, omit_defaults=True):
    hash: str
    href: str = ""
    name: str = ""
    kind: str = ""
    source: str = ""
    num_rows: int = 0
    rows: list[RowSource] = []
    missing: str = ""


class VersionPage(PageData, frozen=True, kw_only=True):
    id: str
    label: str
    kind: str
    champion: bool
    last: DecisionRow | None
    """The newest decision about it as a candidate."""
    facts: list[Text]
    parent: VersionLink | None
    children: list[VersionLink]
    num_children: int
    texts: list[Text]
    recipe: Json
    reports: list[ReportRow]
    num_reports: int
    decisions: list[DecisionRow]
    families: list[str]
    num_families: int
    leaked: list[str]
    """Families that it learnt from and was measured on. There must be none."""
    held_out_words: str
    data: DataSource | None
    mined: list[RowSource]
    """Mined tasks of the families that it learnt from, with their traces."""
    training: str
    """The training run that made it."""
    compare: str = ""
    diff: str = ""
    card: str = ""
    card_href: str = ""
    card_command: str = ""
    trend: list[float] = []
    """Success of its reports on the suite of the first row, oldest first."""
    steps: list[Link] = []
    """What to do next, as pages."""
    commands: list[Link] = []

    def over_time(self) -> Drawing:
        return sparkline(self.trend, title=f"success over {counted(len(self.trend), 'report')} on one suite")


class DiffPage(PageData, frozen=True, kw_only=True):
    before: VersionLink
    after: VersionLink
    differs: VersionDiff
    compare: str = ""
    swap: str = ""
    suites: list[Text] = []


# -- the list -------------------------------------------------------------------------------------------------------


def versions_page(reader: Reader, query: Query) -> VersionsPage:
    versions = reader.versions()
    known = list(versions.values())[::-1]
    skip, part = query.part(len(known), _PAGE, functools.partial(url, "/versions"))
    newest = _newest(reader)
    verdicts, champion = heads.last_verdicts(reader), heads.champion(reader)
    former = {entry.champion_after for entry in heads.entries(reader) if entry.moved}
    shown = known[skip : skip + _PAGE]
    return VersionsPage(
        title="Versions",
        command="verigym models list",
        rows=[_version_row(reader, one, versions, newest, verdicts, champion, former) for one in shown],
        **part,
        empty=""
        if known
        else "No version is registered yet. A version is an agent: a model, its prompt, tools and settings.",
        fill=[] if known else ["verigym eval ENV -m MODEL", "verigym quickstart"],
    )


def _newest(reader: Reader) -> dict[str, ReportHead]:
    """Version to its newest report with a success. Guardrail suites count only if there is no other."""
    found: dict[str, ReportHead] = {}
    for one in heads.reports(reader).values():
        if one.success is not None and (not one.is_guard or found.get(one.agent) is None or found[one.agent].is_guard):
            found[one.agent] = one
    return found


def _version_row(
    reader: Reader,
    version: Version,
    versions: dict[str, Version],
    newest: dict[str, ReportHead],
    verdicts: dict[str, heads.EntryHead],
    champion: str,
    former: set[str | None],
) -> VersionRow:
    report, entry = newest.get(version.id), verdicts.get(version.id)
    gate = entry is not None and entry.decision.kind == "gate"
    base = newest.get(champion)
    shared = report is not None and base is not None and report.suite.hash == base.suite.hash
    return VersionRow(
        id=version.id,
        label=version.label,
        href=url("/versions/", version.id),
        kind=kind_of(version),
        base=version.base,
        parent=version_link(reader, version.parent, versions) if version.parent else None,
        made=version.made,
        success=report.success if report is not None else None,
        suite=report.suite.name if report is not None else "",
        champion=version.id == champion,
        was_champion=version.id in former,
        verdict=entry.decision.verdict if entry is not None and gate else "",
        decision=url("/gate/", str(entry.seq)) if entry is not None and gate else "",
        compare=url("/compare", a=champion, b=version.id) if shared and version.id != champion else "",
    )


# -- one version ----------------------------------------------------------------------------------------------------


def version_page(reader: Reader, query: Query) -> VersionPage:
    version = _find(reader, query.path["id"])
    versions, champion = reader.versions(), heads.champion(reader)
    reports = [one for one in heads.reports(reader).values() if one.agent == version.id][::-1]
    reports.sort(key=lambda one: one.is_guard)
    children = [one.id for one in versions.values() if one.parent == version.id]
    learnt = set(version.families)
    leaked = sorted(learnt & set().union(*(one.suite.families for one in reports)) if reports else set())
    own = reports[0] if reports else None
    return VersionPage(
        title=version.label,
        command=typed("models", "show", version.id),
        crumbs=[Link("Versions", "/versions")],
        id=version.id,
        label=version.label,
        kind=kind_of(version),
        champion=version.id == champion,
        last=_last(reader, version.id),
        facts=_facts(version),
        parent=version_link(reader, version.parent) if version.parent else None,
        children=[version_link(reader, id) for id in children[:20]],
        num_children=len(children),
        texts=_texts(version),
        recipe=version.recipe,
        reports=[_report_row(reader, one, champion) for one in reports[:_REPORTS]],
        num_reports=len(reports),
        decisions=rows_of(reader, heads.decisions_about(reader, version.id)[:_DECISIONS]),
        families=version.families[:_FAMILIES],
        num_families=len(version.families),
        leaked=leaked,
        held_out_words=_held_out_words(version, reports, leaked),
        data=_data(reader, version),
        mined=_mined(reader, learnt),
        training=str(version.recipe.get("run") or ""),
        compare=url("/compare", a=champion, b=version.id) if own and champion and champion != version.id else "",
        diff=url("/versions/diff", a=version.parent, b=version.id) if version.parent in versions else "",
        card=_card(reader, version, reports) if query.flag("card") else "",
        card_href=url("/versions/", version.id, card=1, fragment="card"),
        card_command=typed("models", "card", version.id, "--out", "card.md"),
        trend=_trend(reports),
        steps=_steps(reader, version, champion),
        commands=_commands(reader, version, bool(reports), champion),
    )


def _find(reader: Reader, text: str) -> Version:
    versions = reader.versions()
    if text in versions:
        return versions[text]
    if text == "champion" and heads.champion(reader) in versions:
        return versions[heads.champion(reader)]
    named = [one for one in versions.values() if text in (one.name, "latest")]
    near = [one for one in versions.values() if len(text) >= 4 and one.id.startswith(text)]
    if named or len(near) == 1:
        return (named or near)[-1]
    known = [*versions, *(one.name for one in versions.values() if one.name)]
    raise not_found("version", text[:80], known, "List them: verigym models list")


def _facts(version: Version) -> list[Text]:
    recipe = version.recipe
    search = recipe.get("optimize")
    search = search if isinstance(search, dict) else {}
    trained = "algorithm" in recipe
    rows = {
        "Version": version.id,
        "Name": version.name,
        "Kind": kind_of(version),
        "Base model": f"{version.base} (in 4 bits, nf4)" if version.quantized else version.base,
        weights_label(version).capitalize(): version.adapter,
        "Constraints": version.constraints,
        "Sampling": _sampling(version) or "set by the command",
        "Tools file": version.tools[:12],
        "Harness": harness_text(version.harness) if version.harness is not None else "",
        "Program": version.program,
        "Trained by": f"{recipe.get('algorithm')}, seed {recipe.get('seed', '?')}" if trained else "",
        "Optimised by": f"{search.get('change', '?')}, run {search.get('run', '?')}" if search else "",
        "Made": f"{moment(version.made)} UTC" if version.made else "",
        "Software": ", ".join(f"{name} {number}" for name, number in version.software.items()),
        "Seal": f"{version.seal[:12]}, a hash of this record that shows later changes" if version.seal else "",
    }
    return [Text(name, value) for name, value in rows.items() if value]


def _sampling(version: Version) -> str:
    if version.sampling is None:
        return ""
    values = msgspec.structs.asdict(version.sampling)
    return ", ".join(f"{name} {value}" for name, value in values.items() if value not in ([], ""))


def _texts(version: Version) -> list[Text]:
    """The texts that determine its behaviour."""
    found = [] if version.system_prompt is None else [Text("System prompt", version.system_prompt or "(empty)")]
    found += [Text(f"Description of {tool}", text) for tool, text in version.tool_descriptions.items()]
    if version.examples:
        found.append(Text(f"{counted(len(version.examples), 'example')} before the task", examples_text(version)))
    return found + [Text(f"Skill {name}", text) for name, text in version.skills.items()]


def _report_row(reader: Reader, one: ReportHead, champion: str) -> ReportRow:
    return ReportRow(
        id=one.id,
        suite=one.suite.name,
        environment=one.suite.environment,
        tasks=one.suite.tasks,
        repeats=one.repeats,
        created=one.created,
        success=one.success,
        errors=one.errors,
        run=one.run,
        run_href=url("/runs/", one.run) if heads.run_exists(reader, one.run) else "",
        compare=_against(reader, one, champion),
    )


def _trend(reports: list[ReportHead]) -> list[float]:
    same = [one for one in reports if one.suite.hash == reports[0].suite.hash]
    return [one.success.value for one in same[::-1] if one.success is not None]


def _against(reader: Reader, one: ReportHead, champion: str) -> str:
    """The comparison with the champion's newest report on the same suite."""
    if not champion or one.agent == champion:
        return ""
    theirs = [other for other in heads.of_version(reader, champion, guards=True) if other.suite.hash == one.suite.hash]
    return url("/compare", a=theirs[0].id, b=one.id) if theirs else ""


def _held_out_words(version: Version, reports: list[ReportHead], leaked: list[str]) -> str:
    if not version.families:
        return "It learnt from no task, so every suite is new to it."
    families = counted(len(version.families), "family")
    if leaked:
        return (
            f"It learnt from {len(leaked)} of the families that it was measured on. Those figures do not measure it: "
            f"{', '.join(leaked[:5])}{', ...' if len(leaked) > 5 else ''}."
        )
    if not reports:
        return f"It learnt from {families}, and was not measured yet."
    return f"None of the {families} that it learnt from is in a suite that it was measured on."


def _data(reader: Reader, version: Version) -> DataSource | None:
    """The data set that it learnt from, with its first rows and where they came from."""
    if not version.data_hash:
        return None
    stored = reader.store.get("dataset", version.data_hash, Dataset)
    if stored is None:
        return DataSource(
            hash=version.data_hash, missing="It learnt from tasks of the environment, not from a data set."
        )
    rows, missing = _rows(reader, stored)
    return DataSource(
        hash=stored.id,
        href=url("/data/", stored.id),
        name=stored.name,
        kind=stored.kind,
        source=stored.source,
        num_rows=stored.rows,
        rows=rows,
        missing=missing,
    )


class _Row(Struct):
    task: str
    family: str = ""
    source: str = ""


def _rows(reader: Reader, dataset: Dataset) -> tuple[list[RowSource], str]:
    """The first rows. The file is not compared with its hash here: `verigym models check-integrity` does that."""
    try:
        with path_of(reader.folder, dataset.id).open("rb") as file:
            lines = file.read(_ROWS_BYTES).splitlines()[:_ROWS]
    except OSError:
        return [], "The file of this data set is missing."
    traces = represented(reader)
    found: list[RowSource] = []
    for line in lines:
        try:
            row = codec.decode(line, _Row)
        except BadInput:
            break  # the last line may be cut
        is_stored = (
            reader.one("SELECT 1 FROM trajectories WHERE id = ?", row.source) is not None if row.source else False
        )
        found.append(
            RowSource(
                task=row.task,
                family=row.family,
                source=row.source,
                href=url("/t/", row.source) if is_stored else "",
                traces=[Link(id, url("/t/", id)) for id in traces.get(row.task, [])[:3]],
            )
        )
    return found, ""


def _mined(reader: Reader, families: set[str]) -> list[RowSource]:
    """Accepted mined tasks of these families, with the traces that they were made from."""
    if not families:
        return []
    traces = represented(reader)
    found: list[RowSource] = []
    for batch in reader.documents("taken", AcceptedBatch):
        for task in batch.tasks:
            if task.family in families:
                ids = list(dict.fromkeys([*traces_of(task), *traces.get(task.id, [])]))
                links = [Link(id, url("/t/", id)) for id in ids[:3]]
                found.append(RowSource(task=task.id, family=task.family, source=batch.environment, traces=links))
    return found[:_ROWS]


def _card(reader: Reader, version: Version, reports: list[ReportHead]) -> str:
    """The model card. Only what is about this version is decoded: the newest report on each suite, and its entries."""
    whole = [heads.report(reader, one.id) for one in heads.newest_by_suite(reports)[::-1]]
    about = [one.seq for one in heads.decisions_about(reader, version.id)[:_DECISIONS]][::-1]
    last = heads.entries(reader)[-1].seq if heads.entries(reader) else 0
    entries = [reader.entry(seq) for seq in [*about, *([last] if last and last not in about else [])]]
    return card(
        CardData(
            version=version,
            parent=reader.versions().get(version.parent),
            reports=[one for one in whole if one is not None],
            entries=entries,
            data=reader.store.get("dataset", version.data_hash, Dataset) if version.data_hash else None,
        )
    )


def _last(reader: Reader, version: str) -> DecisionRow | None:
    entry = heads.last_verdicts(reader).get(version)
    return rows_of(reader, [entry])[0] if entry is not None else None


def _rejected(reader: Reader, version: str, champion: str) -> heads.EntryHead | None:
    """The newest decision about it, if that rejected it against the champion of now."""
    entry = heads.last_verdicts(reader).get(version)
    if entry is None or entry.decision.kind != "gate" or entry.decision.verdict != "REJECT":
        return None
    return entry if entry.decision.champion == champion and version != champion else None


def _steps(reader: Reader, version: Version, champion: str) -> list[Link]:
    entry = _rejected(reader, version.id, champion)
    if entry is None:
        return []
    steps = [Link("See why the gate rejected it", url("/gate/", str(entry.seq)))]
    if (measured := heads.of_version(reader, version.id)) and heads.run_exists(reader, measured[0].run):
        steps.append(Link("Read its failures", url("/failures/", measured[0].run)))
    return steps


def _commands(reader: Reader, version: Version, measured: bool, champion: str) -> list[Link]:
    """What fits its state: a champion is served, a measured version gated, another one measured first."""
    name = heads.typed(reader, version.id)
    export = Link("Write its weights, prompt and card to a folder", f"verigym models export {name} --out FOLDER")
    if version.id == champion:
        return [Link("Serve it", "verigym serve champion"), export]
    if not measured:
        return [Link("Measure it", f"verigym eval {_environment(reader)} -m {name}"), export]
    if not champion or _rejected(reader, version.id, champion) is not None:
        return [export]
    return [Link("Ask the gate whether it may replace the champion", f"verigym gate {name}"), export]


def _environment(reader: Reader) -> str:
    """The environment that versions were measured on last."""
    used = [one.suite.environment for one in heads.reports(reader).values() if not one.is_guard]
    return heads.quote(used[-1]) if used else "ENV"


# -- two versions ---------------------------------------------------------------------------------------------------


def diff_page(reader: Reader, query: Query) -> DiffPage:
    a, b = query.get("a"), query.get("b")
    if not (a and b):
        raise BadInput("Name two versions. Open a version and choose its parent, or use /compare")
    before, after = _find(reader, a), _find(reader, b)
    sides = pairing.side(reader, before.id), pairing.side(reader, after.id)
    pairs = pairing.shared(reader, *sides) if before.id != after.id else []
    links = version_link(reader, before.id), version_link(reader, after.id)
    return DiffPage(
        title=f"{before.label} and {after.label}: what differs",
        command=typed("models", "diff", before.id, after.id),
        crumbs=[Link("Versions", "/versions"), Link(after.label, links[1].href)],
        before=links[0],
        after=links[1],
        differs=diff(before, after),
        compare=url("/compare", a=before.id, b=after.id) if pairs else "",
        swap=url("/versions/diff", a=after.id, b=before.id),
        suites=[Text(one.suite.name, _change(one.success, other.success)) for one, other in pairs],
    )


def _change(before: Estimate | None, after: Estimate | None) -> str:
    if before is None or after is None:
        return "no success rate"
    return f"{100 * before.value:.1f}% to {100 * after.value:.1f}%"


PAGES = [
    Page("/versions", versions_page, "versions.html", "versions"),
    Page("/versions/diff", diff_page, "version_diff.html", "versions"),
    Page("/versions/{id:path}", version_page, "version.html", "versions"),
]
