"""Compare: two versions, reports or runs, paired by task. Both rates and the difference with intervals, what changed, flips."""

import math
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from verigym.core import codec
from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.records import Estimate, Message, Task, TaskResult
from verigym.core.words import counted, dollars
from verigym.draw.dumbbells import Dumbbell, dumbbells
from verigym.draw.intervals import Interval, intervals
from verigym.draw.svg import Drawing
from verigym.evaluation.compare import CLAIM, Pair, RateChange, scored_pairs
from verigym.evaluation.stats import Ratio, mcnemar_midp
from verigym.registry.diff import VersionDiff, diff
from verigym.view import heads, pairing
from verigym.view.check_tasks import mined_tasks
from verigym.view.heads import ReportHead, VersionLink, version_link
from verigym.view.page import Link, Page, PageData, Query, typed, url
from verigym.view.pages.gate import DecisionRow, rows_of
from verigym.view.pairing import Compared, Side
from verigym.view.read import Reader

_PAGE = 25
_CHOICES = 300
"""Versions that the chooser lists."""
_KNOWN = 12
"""Versions that are named if one is not known."""
_FAMILIES = 20
"""Families that are drawn."""
_LISTED = 200
"""Families that are listed below the picture."""
SHOWN = ("changed", "lost", "gained", "both", "neither")


class Choice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    label: str
    suite: str = ""
    success: float | None = None


class ComparedSide(Struct, frozen=True, kw_only=True, omit_defaults=True):
    version: VersionLink
    report: str
    run: str
    run_href: str = ""
    success: Estimate | None = None


class Test(Struct, frozen=True):
    name: str
    p: str


class RatioRow(Struct, frozen=True, kw_only=True):
    name: str
    before: str
    after: str
    ratio: float
    low: float
    high: float


class ChangeRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str
    tasks: int
    before: float
    after: float
    q: float
    beyond: bool = False
    href: str = ""


class FlipRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    task: str
    family: str
    how: str
    """lost, gained, both or neither."""
    before: float
    after: float
    repeats: int = 1
    bucket_before: str = ""
    bucket_after: str = ""
    request: str = ""
    href: str = ""
    mined: bool = False


class ComparePage(PageData, frozen=True, kw_only=True):
    a: str = ""
    b: str = ""
    choices: list[Choice] = []
    left_out: int = 0
    """Older versions that the chooser does not list."""
    known: list[Link] = []
    """Versions to take in place of one that is not known."""
    working: str = ""
    """What is being worked out. The page loads again by itself."""
    refused: str = ""
    commands: list[str] = []
    """What makes the two comparable."""
    before: ComparedSide | None = None
    after: ComparedSide | None = None
    suite: str = ""
    suites: list[Link] = []
    """Other suites that both were measured on."""
    sentence: str = ""
    tasks: int = 0
    families: int = 0
    dropped: int = 0
    dropped_points: float = 0.0
    delta: float = 0.0
    low: float = 0.0
    high: float = 0.0
    bound: float = 0.0
    """One-sided lower bound at 95%. The gate's bound depends on its look."""
    direction: str = "gain"
    """gain or loss: what p is about."""
    tests: list[Test] = []
    counts: dict[str, int] = {}
    """lost, gained, both, neither: numbers of tasks."""
    unsafe_before: int = 0
    unsafe_after: int = 0
    ratios: list[RatioRow] = []
    family_rows: list[ChangeRow] = []
    bucket_rows: list[ChangeRow] = []
    num_families: int = 0
    sure_families: int = 0
    families_tell: bool = True
    """Whether a family is large enough that a change of all its tasks would be beyond chance."""
    show: str = "changed"
    family: str = ""
    flips: list[FlipRow] = []
    num_flips: int = 0
    first: int = 0
    before_page: str = ""
    after_page: str = ""
    filters: list[tuple[str, str, bool]] = []
    decisions: list[DecisionRow] = []
    differs: VersionDiff | None = None
    swap: str = ""
    report: str = ""
    """The command that writes the comparison to a file."""

    def picture(self) -> Drawing:
        """Both rates, and the difference with its one-sided bound."""
        assert self.before is not None and self.after is not None
        rates = [
            Interval(
                f"{one.version.label} ({when})", one.success.value, one.success.low, one.success.high, unit="share"
            )
            for one, when in ((self.before, "before"), (self.after, "after"))
            if one.success is not None
        ]
        outcome = "pass" if self.bound > 0 else "fail" if self.high < 0 else "unclear"
        change = Interval("difference", self.delta, self.low, self.high, self.bound, 0.0, outcome, "points")
        return intervals([*rates, change], width=620)

    def ratio_picture(self) -> Drawing:
        rows = [Interval(one.name, one.ratio, one.low, one.high, unit="times", worse="above") for one in self.ratios]
        return intervals(rows, width=620)

    @property
    def any_family_changed(self) -> bool:
        return any(one.before != one.after for one in self.family_rows)

    def family_picture(self) -> Drawing:
        return _dumbbells(self.family_rows[:_FAMILIES], better_is_more=True)

    def bucket_picture(self) -> Drawing:
        return _dumbbells(self.bucket_rows[:_FAMILIES], better_is_more=False)


def _dumbbells(rows: Sequence[ChangeRow], *, better_is_more: bool) -> Drawing:
    return dumbbells(
        [
            Dumbbell(
                one.name, one.before, one.after, one.beyond, one.tasks,
                None if better_is_more else one.after < one.before, one.href,
            )
            for one in rows
        ],
        width=560,
    )  # fmt: skip


def compare_page(reader: Reader, query: Query) -> ComparePage:
    a, b = query.get("a"), query.get("b")
    if not (a and b):
        return _chooser(reader, a, b)
    sides, unknown = dict[str, Side](), ""
    for name in (a, b):
        try:
            sides[name] = pairing.side(reader, name)
        except NotFound as error:
            unknown = unknown or str(error)
    if unknown:
        return _chooser(reader, a, b, refused=unknown, known=_known(reader, a, b, sides))
    before, after = sides[a], sides[b]
    if before.agent == after.agent and not (before.exact and after.exact):
        return _chooser(reader, a, b, refused="Both sides are the same version. Choose another one.")
    pairs = pairing.shared(reader, before, after, query.get("suite"))
    if not pairs:
        why = pairing.refusal(reader, before, after)
        return _chooser(reader, a, b, refused=why.words, commands=why.commands)
    try:
        found = pairing.compared_soon(reader, *pairs[0])
    except (Refused, NotFound) as error:
        return _chooser(reader, a, b, refused=str(error))
    if found is None:
        return ComparePage(
            title="Compare",
            command=f"verigym compare {heads.quote(a)} {heads.quote(b)}",
            a=a,
            b=b,
            working=f"Comparing {counted(pairs[0][0].suite.tasks, 'task')}. This page loads again by itself.",
        )
    return _compared_page(reader, query, (before, after), pairs, found)


def _known(reader: Reader, a: str, b: str, sides: dict[str, Side]) -> list[Link]:
    """Versions that can take the place of a side that is not known, the newest first."""
    given = {"a": a if a in sides else "", "b": b if b in sides else ""}
    place = "b" if given["a"] else "a"
    used = {side.agent for side in sides.values()}
    ids = [id for id in reversed(reader.versions()) if id not in used]
    return [Link(reader.label(id), url("/compare", **{**given, place: id})) for id in ids[:_KNOWN]]


def _chooser(
    reader: Reader, a: str, b: str, refused: str = "", commands: Sequence[str] = (), known: Sequence[Link] = ()
) -> ComparePage:
    versions = reader.versions()
    newest: dict[str, ReportHead] = {}
    for one in heads.reports(reader).values():
        if one.success is not None and not one.is_guard:
            newest[one.agent] = one
    ids = list(versions)[::-1]
    choices = [_choice(id, versions[id].label, newest.get(id)) for id in ids[:_CHOICES]]
    return ComparePage(
        title="Compare",
        command="verigym compare BEFORE AFTER",
        a=a or reader.champion() or (ids[-1] if ids else ""),
        b=b or (ids[0] if ids else ""),
        choices=choices,
        left_out=max(0, len(ids) - _CHOICES),
        refused=refused,
        commands=list(commands),
        known=list(known),
        empty="" if len(ids) > 1 else "Two versions are needed, each with an evaluation on the same held-out tasks.",
        fill=[] if len(ids) > 1 else ["verigym eval ENV -m MODEL", "verigym models new NAME --system prompt.txt"],
    )


def _choice(id: str, label: str, report: ReportHead | None) -> Choice:
    if report is None or report.success is None:
        return Choice(id=id, label=label)
    return Choice(id=id, label=label, suite=report.suite.name, success=report.success.value)


def _compared_page(
    reader: Reader,
    query: Query,
    sides: tuple[Side, Side],
    pairs: Sequence[tuple[ReportHead, ReportHead]],
    found: Compared,
) -> ComparePage:
    result, moved = found.comparison, found.figures.changes
    rates = result.champion_success, result.candidate_success
    before, after = (_compared_side(reader, head, rate) for head, rate in zip(pairs[0], rates, strict=True))
    show, family, skip = query.choice("show", *SHOWN), query.get("family"), query.number("skip", 0)
    flips = [_flip(pair) for pair in scored_pairs(found.champion, found.candidate)]
    counts = {name: sum(one.how == name for one in flips) for name in ("lost", "gained", "both", "neither")}
    chosen = [one for one in flips if _wanted(one, show, family)]
    chosen.sort(key=lambda one: ("lost", "gained", "both", "neither").index(one.how))
    versions = reader.versions()
    known = [versions.get(one.version.id) for one in (before, after)]

    def link(**changes: Any) -> str:
        here = {**query.with_(skip=None), "a": sides[0].text, "b": sides[1].text}
        return url("/compare", **{**here, **changes})

    return ComparePage(
        title=f"{before.version.label} and {after.version.label}",
        command=f"verigym compare {heads.typed(reader, result.champion)} {heads.typed(reader, result.candidate)}",
        crumbs=[Link("Compare", "/compare")],
        a=sides[0].text,
        b=sides[1].text,
        before=before,
        after=after,
        suite=pairs[0][0].suite.name,
        suites=[Link(one.suite.name, link(suite=one.suite.hash, show="", family="")) for one, _ in pairs[1:]],
        sentence=_sentence(found, before.version.label, after.version.label),
        tasks=result.tasks,
        families=result.families,
        dropped=result.dropped,
        dropped_points=result.with_errors_failed.value,
        delta=result.success.value,
        low=found.figures.two_sided.low,
        high=found.figures.two_sided.high,
        bound=result.success.low,
        direction="loss" if result.success.value < 0 else "gain",
        tests=_tests(found),
        counts=counts,
        unsafe_before=result.unsafe.champion,
        unsafe_after=result.unsafe.candidate,
        ratios=[_ratio(name, one) for name, one in moved.ratios.items()],
        family_rows=[
            _change(one, link(family=one.name, show="changed", fragment="flips")) for one in moved.families[:_LISTED]
        ],
        num_families=len(moved.families),
        bucket_rows=[_change(one) for one in moved.buckets],
        families_tell=found.figures.families_tell,
        sure_families=sum(one.q <= CLAIM for one in moved.families),
        show=show,
        family=family,
        flips=_with_requests(reader, found, chosen[skip : skip + _PAGE]),
        num_flips=len(chosen),
        first=skip + 1 if chosen else 0,
        before_page=link(skip=max(0, skip - _PAGE) or None, fragment="flips") if skip else "",
        after_page=link(skip=skip + _PAGE, fragment="flips") if skip + _PAGE < len(chosen) else "",
        filters=[
            (f"{name} {_count(counts, name)}", link(show=name, fragment="flips"), name == show)
            for name in SHOWN
        ],
        decisions=rows_of(
            reader,
            [
                one
                for one in heads.decisions_about(reader, result.candidate)
                if {one.decision.candidate, one.decision.champion} == {result.champion, result.candidate}
            ][:5],
        ),
        differs=diff(known[0], known[1]) if known[0] is not None and known[1] is not None else None,
        report=typed("report", sides[0].text, sides[1].text, "--out", "report.html"),
        swap=link(a=sides[1].text, b=sides[0].text),
    )  # fmt: skip


def _compared_side(reader: Reader, head: ReportHead, success: Estimate) -> ComparedSide:
    return ComparedSide(
        version=version_link(reader, head.agent),
        report=head.id,
        run=head.run,
        run_href=url("/runs/", head.run) if heads.run_exists(reader, head.run) else "",
        success=success,
    )


def _sentence(found: Compared, before: str, after: str) -> str:
    """What the figures mean, for someone who reads one line."""
    change, points = found.comparison.success, 100 * found.comparison.success.value
    size = f"{abs(points):.1f} points"
    if change.value == 0:
        return f"{after} passes as many of the tasks as {before}."
    better = "more" if change.value > 0 else "fewer"
    said = f"{after} passes {size} {better} of the tasks than {before}"
    if found.figures.two_sided.low > 0 or found.figures.two_sided.high < 0:
        return f"{said}. The difference is beyond chance."
    return f"{said}. This may be chance: the interval contains zero."


def _tests(found: Compared) -> list[Test]:
    """p of the difference that was seen: of a gain, or of a loss."""
    result = found.comparison
    change, flips, mcnemar = result.success, found.figures.changes.sign_flip, result.mcnemar
    if (loss := found.figures.loss) is not None:
        change, flips = loss, found.figures.loss_sign_flip
        mcnemar = mcnemar_midp(len(result.lost), len(result.gained)) if mcnemar is not None else None
    tests = [Test(change.method, _p(change.p))]
    if not change.method.startswith("sign-flip") and flips is not None:
        tests.append(Test("sign-flip permutation over families", _p(flips)))
    if mcnemar is not None:
        tests.append(Test("McNemar's exact test, mid-p (takes tasks as independent)", _p(mcnemar)))
    return tests


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _ratio(name: str, one: Ratio) -> RatioRow:
    sides = [dollars(value) if name.startswith("cost") else f"{value:.4g}" for value in (one.champion, one.candidate)]
    low, high = (
        bound if one.value / 100 <= bound <= 100 * one.value else edge
        for bound, edge in ((one.low, 0.0), (one.high, math.inf))
    )
    return RatioRow(name=name, before=sides[0], after=sides[1], ratio=one.value, low=low, high=high)


def _change(one: RateChange, href: str = "") -> ChangeRow:
    return ChangeRow(
        name=one.name, tasks=one.tasks, before=one.champion, after=one.candidate, q=one.q, beyond=one.q <= CLAIM,
        href=href,
    )  # fmt: skip


def _flip(pair: Pair) -> FlipRow:
    before, after = pair
    was, is_now = before.passed >= 0.5, after.passed >= 0.5
    how = {(True, False): "lost", (False, True): "gained", (True, True): "both"}.get((was, is_now), "neither")
    return FlipRow(
        task=before.task, family=before.family, how=how, before=before.passed, after=after.passed,
        repeats=max(before.repeats, after.repeats), bucket_before=before.bucket, bucket_after=after.bucket,
    )  # fmt: skip


def _wanted(one: FlipRow, show: str, family: str) -> bool:
    if family and one.family != family:
        return False
    return one.how in ("lost", "gained") if show == "changed" else one.how == show


def _count(counts: dict[str, int], name: str) -> int:
    return counts["lost"] + counts["gained"] if name == "changed" else counts[name]


def _with_requests(reader: Reader, found: Compared, rows: Sequence[FlipRow]) -> list[FlipRow]:
    """The rows with the first words of each request, read for these tasks only."""
    run, marks = found.candidate.run, ", ".join("?" * len(rows))
    bodies = dict(
        reader.rows(f"SELECT id, body FROM tasks WHERE run = ? AND id IN ({marks})", run, *(one.task for one in rows))
        if rows
        else []
    )
    mined = mined_tasks(reader, run) if rows else {}
    sides = {"a": found.champion.id, "b": found.candidate.id}
    return [
        msgspec.structs.replace(
            one,
            request=request_of(bodies[one.task]) if one.task in bodies else "",
            href=url("/compare/flip", **sides, task=one.task),
            mined=one.task in mined,
        )
        for one in rows
    ]


def request_of(body: bytes) -> str:
    """The first words of what a task asks."""
    try:
        task = codec.decode(body, Task)
    except BadInput:
        return ""
    if isinstance(task.prompt, str):
        return task.prompt[:300]
    said = [item.text for item in task.prompt if isinstance(item, Message) and item.role == "user"]
    return said[-1][:300] if said else ""


def result_words(result: TaskResult | None) -> str:
    """`2 of 3 passed`"""
    if result is None:
        return "not measured"
    if result.error:
        return "could not be scored"
    if result.repeats == 1:
        return "passed" if result.passed >= 0.5 else "failed"
    return f"{round(result.passed * result.repeats)} of {counted(result.repeats, 'try')} passed"


PAGES = [Page("/compare", compare_page, "compare.html", "compare")]
