"""Gate: every decision, and one decision check by check. Each value is drawn with its bound and margin, above its tasks."""

from collections.abc import Iterable

from msgspec import Struct

from verigym.core import codec
from verigym.core.errors import NotFound
from verigym.core.records import Check, Decision, Json, Measurement, Report, Version
from verigym.core.words import counted
from verigym.draw.checks import caption_of, interval_of_check, question_of
from verigym.draw.intervals import interval_row
from verigym.draw.looks import looks as draw_looks
from verigym.draw.sparkline import sparkline
from verigym.draw.svg import Drawing
from verigym.evaluation.compare import Pair, flip_of, scored_pairs
from verigym.gates.decide import in_short, next_step
from verigym.registry.ledger import LedgerEntry
from verigym.view import heads
from verigym.view.check_tasks import changed_tasks, mined_first, mined_tasks
from verigym.view.curves import extent
from verigym.view.heads import EntryHead, VersionLink, version_link
from verigym.view.page import Link, Page, PageData, Query, url
from verigym.view.pages.training import drawable, small_curve
from verigym.view.read import Reader

_PAGE = 50
_TASKS = 5
"""Tasks named under a check."""
VERDICTS = ("PROMOTE", "REJECT", "NEED MORE DATA", "FIRST CHAMPION", "ROLLBACK", "OVERRIDE")
"""What the list can be filtered by. The last three were not decided by the gate."""
_KINDS = {"first": "FIRST CHAMPION", "rollback": "ROLLBACK", "override": "OVERRIDE"}
_HONEST = "reward and success agree"
_ORDER = {"fail": 0, "unclear": 1, "pass": 2, "skipped": 3}
_GROUPS = {"fail": "Failed", "unclear": "Not settled", "pass": "Passed", "skipped": "Skipped"}


class DecisionRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    seq: int
    href: str
    kind: str
    verdict: str
    candidate: VersionLink
    champion: VersionLink | None
    moved: bool
    when: str
    who: str
    why: str
    policy: str = ""
    suite: str = ""
    failed: list[str] = []
    """Names of the checks that failed or were not settled."""
    broken: bool = False


class GateListPage(PageData, frozen=True, kw_only=True):
    rows: list[DecisionRow]
    total: int
    counts: dict[str, int]
    verdict: str
    after: str = ""
    before: str = ""


class TaskLink(Struct, frozen=True, kw_only=True, omit_defaults=True):
    task: str
    href: str
    """Both conversations side by side."""
    episode: str = ""
    """The candidate's episode."""
    mined: bool = False
    """Whether it was made from a production trace."""


class TrainingCurves(Struct, frozen=True, kw_only=True):
    """The candidate's training run, with its reward and held-out success."""

    run: str
    href: str
    reward: list[float | None]
    success: list[float | None]

    @property
    def reward_picture(self) -> Drawing:
        return sparkline([drawable(one) for one in self.reward], title="Reward", width=180)

    @property
    def success_picture(self) -> Drawing:
        return sparkline([drawable(one) for one in self.success], title="Held-out success", width=180)


class CheckRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    check: Check
    question: str
    caption: str = ""
    """The value with its bound and the margin, signed as in the words. Empty if nothing can be drawn."""
    needed: str = ""
    worse: list[TaskLink] = []
    num_worse: int = 0
    better: list[TaskLink] = []
    num_better: int = 0
    all_worse: Link | None = None
    all_better: Link | None = None
    training: TrainingCurves | None = None
    anchor: str = ""

    @property
    def words(self) -> str:
        """The words with a capital, unless they begin with a name such as `desk_verifier@11`."""
        words = self.check.words
        return words[:1].upper() + words[1:] if words.partition(" ")[0].isalpha() else words


class Group(Struct, frozen=True):
    outcome: str
    words: str
    checks: list[CheckRow]


class MeasuredSide(Struct, frozen=True, kw_only=True, omit_defaults=True):
    report: str
    run: str = ""
    run_href: str = ""
    success: float | None = None
    low: float = 0.0
    high: float = 0.0
    deleted: bool = False


class MeasuredRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    suite: str
    hash: str
    tasks: int
    families: int = 0
    repeats: int
    verifier: str
    candidate: MeasuredSide
    champion: MeasuredSide
    compare: str = ""


class GatePage(PageData, frozen=True, kw_only=True):
    seq: int
    kind: str
    verdict: str
    headline: str
    candidate: VersionLink
    champion: VersionLink | None
    moved: bool
    when: str
    who: str
    why: str
    words: str
    next: str
    groups: list[Group]
    measured: list[MeasuredRow]
    policy_name: str
    policy_hash: str
    policy: Json
    other_policies: list[DecisionRow]
    """Decisions on the same reports by another policy."""
    earlier: list[DecisionRow]
    """Other decisions about the same two versions."""
    compare: str = ""
    example: TaskLink | None = None
    """One task that shows the verdict."""
    steps: list[Link] = []
    """What to do about a rejection, as pages."""
    commands: list[Link] = []
    """What to do about it, as words and the command."""
    override: str = ""
    """The command that promotes a rejected candidate anyway."""
    before: str = ""
    after: str = ""

    def picture(self, check: CheckRow) -> Drawing:
        """The check's interval, on the axis that all checks of its unit share."""
        rows = [interval_of_check(one.check) for group in self.groups for one in group.checks]
        row = interval_of_check(check.check)
        assert row is not None
        return interval_row(row, among=[one for one in rows if one is not None], width=300, height=26)

    def drawn_looks(self, check: CheckRow) -> Drawing:
        return draw_looks(check.check.looks, p=check.check.figures.get("p"), width=420, height=200)


# -- the list -------------------------------------------------------------------------------------------------------


def gate_list(reader: Reader, query: Query) -> GateListPage:
    verdict = query.choice("verdict", "", *VERDICTS)
    start = query.number("before", 0)
    known = heads.entries(reader)
    counts = {name: sum(_said(one) == name for one in known) for name in VERDICTS}
    chosen = [one for one in known if verdict in ("", _said(one))]
    older = [one for one in chosen if not start or one.seq < start]
    shown = older[-_PAGE:][::-1]
    newer = [one for one in chosen if start and one.seq >= start]
    back = newer[_PAGE].seq if len(newer) > _PAGE else None
    return GateListPage(
        title="Gate",
        command="verigym models ledger",
        rows=rows_of(reader, shown, checks=True),
        total=len(chosen),
        counts=counts,
        verdict=verdict,
        after=url("/gate", **query.with_(before=shown[-1].seq)) if shown and len(older) > len(shown) else "",
        before=url("/gate", **query.with_(before=back)) if newer else "",
        empty="" if shown else _empty(verdict),
        fill=[] if shown or verdict else ["verigym gate VERSION", "verigym quickstart"],
    )


def _said(entry: EntryHead) -> str:
    """The verdict of the gate, or what was done without it."""
    return _KINDS.get(entry.decision.kind, entry.decision.verdict)


def _empty(verdict: str) -> str:
    if verdict:
        return f"No decision says {verdict}."
    return "No decision yet. The gate compares a new version with the champion and decides whether it may replace it."


def rows_of(reader: Reader, entries: Iterable[EntryHead], *, checks: bool = False) -> list[DecisionRow]:
    known = reader.versions()
    return [_row(reader, one, known, checks) for one in entries]


def _row(reader: Reader, entry: EntryHead, known: dict[str, Version], checks: bool) -> DecisionRow:
    decision = entry.decision
    return DecisionRow(
        seq=entry.seq,
        href=url("/gate/", str(entry.seq)),
        kind=decision.kind,
        verdict=decision.verdict,
        candidate=version_link(reader, decision.candidate, known),
        champion=version_link(reader, decision.champion, known) if decision.champion else None,
        moved=entry.moved,
        when=entry.when,
        who=entry.who,
        why=entry.why,
        policy=decision.policy.name,
        suite=decision.measured[0].suite if decision.measured else "",
        failed=_open_checks(reader, entry) if checks and decision.verdict != "PROMOTE" else [],
    )


class _CheckHead(Struct):
    name: str
    outcome: str


class _Checks(Struct):
    checks: list[_CheckHead] = []


class _Entry(Struct):
    decision: _Checks


def _open_checks(reader: Reader, entry: EntryHead) -> list[str]:
    """The checks that failed, or those that are open if none failed."""
    body = reader.one("SELECT body FROM ledger WHERE seq = ?", entry.seq)
    stored = codec.decode(body, _Entry).decision.checks if body is not None else []
    return [one.name for one in stored if one.outcome == "fail"] or [
        one.name for one in stored if one.outcome == "unclear"
    ]


# -- one decision ---------------------------------------------------------------------------------------------------


def gate_page(reader: Reader, query: Query) -> GatePage:
    number = query.path["seq"]
    if not (number.isascii() and number.isdigit()):
        raise NotFound(f'A decision is named by the number of its ledger entry, and "{number[:40]}" is no number')
    seq = min(int(number[:20]), 2**62)
    entry = reader.entry(seq)
    decision = entry.decision
    known = heads.entries(reader)
    reports = _reports_of(reader, decision)
    rows = [_check_row(reader, check, decision, reports) for check in decision.checks]
    groups = [
        Group(outcome, words, [row for row in rows if row.check.outcome == outcome])
        for outcome, words in _GROUPS.items()
        if any(row.check.outcome == outcome for row in rows)
    ]
    about = {decision.candidate, decision.champion}
    judged = [one for one in known if decision.reports and one.seq != seq and one.decision.reports == decision.reports]
    other = [one for one in judged if one.decision.policy_hash not in ("", decision.policy_hash)]
    same = [one for one in known if one.seq != seq and {one.decision.candidate, one.decision.champion} == about]
    champion = version_link(reader, decision.champion) if decision.champion else None
    return GatePage(
        title=f"Decision {seq}: {heads.version_link(reader, decision.candidate).label}",
        command=f"verigym gate {heads.typed(reader, decision.candidate)}"
        if decision.kind == "gate"
        else "verigym models ledger",
        crumbs=[Link("Gate", "/gate")],
        seq=seq,
        kind=decision.kind,
        verdict=decision.verdict,
        headline=headline(reader, entry),
        candidate=version_link(reader, decision.candidate),
        champion=champion,
        moved=entry.champion_before != entry.champion_after,
        when=entry.when,
        who=entry.who,
        why=entry.why,
        words=_named(reader, in_short(decision), decision),
        next=next_step(decision, _environment(reports)),
        groups=groups,
        measured=[_measured_row(reader, one) for one in decision.measured],
        policy_name=heads.policy_name(decision.policy),
        policy_hash=decision.policy_hash,
        policy=decision.policy,
        other_policies=rows_of(reader, other),
        earlier=rows_of(reader, same[::-1][:10]),
        compare=_compare(decision.reports),
        example=_example(groups),
        steps=_steps(reader, decision, groups) if decision.kind == "gate" and decision.verdict == "REJECT" else [],
        commands=_commands(reader, entry, known),
        override=_override(reader, entry, known),
        before=url("/gate/", str(seq - 1)) if seq > 1 else "",
        after=url("/gate/", str(seq + 1)) if known and seq < known[-1].seq else "",
    )


def headline(reader: Reader, entry: LedgerEntry) -> str:
    """The decision as one sentence."""
    decision = entry.decision
    candidate = version_link(reader, decision.candidate).label
    champion = version_link(reader, decision.champion).label if decision.champion else "none"
    moved = entry.champion_before != entry.champion_after
    if decision.kind == "first":
        return f"{candidate} is the first champion. There was nothing to compare it with."
    if decision.kind == "rollback":
        return f"Rolled back from {champion} to {candidate}."
    if decision.kind == "override":
        return f"{candidate} replaced {champion} without the consent of the gate."
    asked = [one for one in decision.checks if one.outcome != "skipped"]
    failed = sum(one.outcome == "fail" for one in asked)
    unclear = sum(one.outcome == "unclear" for one in asked)
    if decision.verdict == "REJECT":
        return f"{candidate} may not replace {champion}: {failed} of {counted(len(asked), 'check')} failed."
    if decision.verdict == "NEED MORE DATA":
        verb = "is" if unclear == 1 else "are"
        found = f"{unclear} of {counted(len(asked), 'check')} {verb} open"
        return f"It is not settled whether {candidate} may replace {champion}: {found}."
    ending = "and became the champion" if moved else "and may become the champion"
    passed = f"all {len(asked)} checks" if len(asked) != 1 else "its one check"
    return f"{candidate} passed {passed} against {champion} {ending}."


def _reports_of(reader: Reader, decision: Decision) -> dict[str, tuple[Report, Report]]:
    """Suite to the reports of the champion and the candidate. Deleted ones are left out."""
    pairs: dict[str, tuple[Report, Report]] = {}
    for one in decision.measured:
        champion, candidate = heads.report(reader, one.champion), heads.report(reader, one.candidate)
        if champion is not None and candidate is not None:
            pairs[one.suite] = champion, candidate
    return pairs


def _environment(reports: dict[str, tuple[Report, Report]]) -> str:
    return next((champion.suite.environment for champion, _ in reports.values()), "ENV")


def _check_row(reader: Reader, check: Check, decision: Decision, reports: dict[str, tuple[Report, Report]]) -> CheckRow:
    sides = reports.get(check.suite)
    worse: list[TaskLink] = []
    better: list[TaskLink] = []
    num_worse = num_better = 0
    lists: dict[str, Link | None] = {"worse": None, "better": None}
    if sides is not None:
        changed = changed_tasks(check, *sides)
        num_worse, num_better = len(changed.worse), len(changed.better)
        mined = mined_tasks(reader, sides[1].run) if changed.worse else {}
        worse = [_task_link(pair, sides, mined) for pair in mined_first(changed.worse, mined)[:_TASKS]]
        better = [_task_link(pair, sides, mined) for pair in mined_first(changed.better, mined)[:_TASKS]]
        shown = {"worse": num_worse > len(worse), "better": num_better > len(better)}
        lists = {name: _in_comparison(name, sides) if more else None for name, more in shown.items()}
    return CheckRow(
        check=check,
        question=question_of(check),
        caption=caption_of(check),
        needed=_needed(check, sides),
        worse=worse,
        num_worse=num_worse,
        better=better,
        num_better=num_better,
        all_worse=lists["worse"],
        all_better=lists["better"],
        training=_training(reader, decision.candidate) if check.name == _HONEST else None,
        anchor="check-" + "-".join("".join(c if c.isalnum() else " " for c in check.name.lower()).split()),
    )


def _in_comparison(name: str, sides: tuple[Report, Report]) -> Link:
    """The list of all tasks of the suite that were lost or gained. A check may speak of fewer."""
    pairs = [(before.passed >= 0.5, after.passed >= 0.5) for before, after in scored_pairs(*sides)]
    how, count = ("lost", pairs.count((True, False))) if name == "worse" else ("gained", pairs.count((False, True)))
    words = f"All {count:,} {how} tasks of {sides[0].suite.name}"
    return Link(words, url("/compare", a=sides[0].id, b=sides[1].id, show=how, fragment="flips"))


def _training(reader: Reader, candidate: str) -> TrainingCurves | None:
    """The run that trained the candidate, if it is stored."""
    version = reader.versions().get(candidate)
    run = str(version.recipe.get("run") or "") if version is not None else ""
    if reader.one("SELECT 1 FROM runs WHERE id = ? AND kind = 'train'", run) is None:
        return None
    steps = extent(reader, run)
    return TrainingCurves(
        run=run,
        href=url("/training/", run),
        reward=small_curve(reader, run, "reward", steps),
        success=small_curve(reader, run, "held_out_success", steps),
    )


def _named(reader: Reader, words: str, decision: Decision) -> str:
    """The words with names of versions instead of ids."""
    for id in (decision.candidate, decision.champion):
        label = version_link(reader, id).label if id else ""
        if label and label != id:
            words = f" {words} ".replace(f" {id} ", f" {label} ").strip()
    return words


def _task_link(pair: Pair, sides: tuple[Report, Report], mined: dict[str, list[str]]) -> TaskLink:
    flip = flip_of(pair)
    return TaskLink(
        task=flip.task,
        href=url("/compare/flip", a=sides[0].id, b=sides[1].id, task=flip.task),
        episode=url("/t/", flip.candidate, run=sides[1].run) if flip.candidate else "",
        mined=flip.task in mined,
    )


def _needed(check: Check, sides: tuple[Report, Report] | None) -> str:
    """`About 120 more tasks over 40 new families would settle it.`"""
    where = f" of {check.suite}" if check.suite else ""
    if check.needed_families:
        tasks = 0
        if sides is not None and sides[0].suite.families:
            suite = sides[0].suite
            tasks = round(check.needed_families * len(suite.tasks) / len(suite.families))
        size = counted(check.needed_families, "new family")
        if tasks > check.needed_families:
            return f"About {tasks:,} more tasks over {size}{where} would settle it."
        return f"About {size}{where} with a task each would settle it."
    if check.needed:
        return f"{counted(check.needed, 'task')}{where} would settle it."
    return ""


def _measured_row(reader: Reader, one: Measurement) -> MeasuredRow:
    known = heads.reports(reader)
    sides = [_measured_side(reader, known.get(id), id) for id in (one.candidate, one.champion)]
    families = next((len(known[id].suite.families) for id in (one.candidate, one.champion) if id in known), 0)
    return MeasuredRow(
        suite=one.suite,
        hash=one.hash,
        tasks=one.tasks,
        families=families,
        repeats=one.repeats,
        verifier=one.verifier,
        candidate=sides[0],
        champion=sides[1],
        compare="" if sides[0].deleted or sides[1].deleted else url("/compare", a=one.champion, b=one.candidate),
    )


def _measured_side(reader: Reader, head: heads.ReportHead | None, id: str) -> MeasuredSide:
    if head is None:
        return MeasuredSide(report=id, deleted=True)
    success = head.success
    return MeasuredSide(
        report=id,
        run=head.run,
        run_href=url("/runs/", head.run) if heads.run_exists(reader, head.run) else "",
        success=success.value if success else None,
        low=success.low if success else 0.0,
        high=success.high if success else 0.0,
    )


def _compare(reports: list[str]) -> str:
    return url("/compare", a=reports[1], b=reports[0]) if len(reports) == 2 else ""


def _example(groups: list[Group]) -> TaskLink | None:
    """One task for the verdict: of the first failed check that has one, mined tasks first; a gained one if all passed."""
    checks = [check for group in groups if group.outcome in ("fail", "unclear") for check in group.checks]
    worse = [task for check in checks for task in check.worse]
    if worse:
        return next((task for task in worse if task.mined), worse[0])
    better = [task for group in groups if group.outcome == "pass" for check in group.checks for task in check.better]
    return better[0] if better and not checks else None


def _commands(reader: Reader, entry: LedgerEntry, known: list[EntryHead]) -> list[Link]:
    """Commands that fit the decision now. The view never moves the champion itself."""
    decision = entry.decision
    candidate = heads.typed(reader, decision.candidate)
    now = known[-1].champion_after if known else None
    moved = entry.champion_before != entry.champion_after
    found: list[Link] = []
    if decision.candidate not in reader.versions():
        return found
    if moved and now == decision.candidate and entry.champion_before:
        found.append(Link("Roll back to the champion before it", "verigym rollback"))
    elif not moved and now == decision.champion:
        if decision.verdict == "PROMOTE":
            found.append(Link("Promote it", f"verigym promote {candidate}"))
        elif decision.verdict == "NEED MORE DATA":
            found.append(Link("Ask the gate again when there are more tasks", f"verigym gate {candidate}"))
    elif not moved and decision.kind == "gate" and now != decision.candidate:
        found.append(Link("Compare it with the champion of now", f"verigym gate {candidate}"))
    if decision.reports:
        found.append(
            Link(
                "Write it to one page for mail, or with .md for a pull request",
                f"verigym report {entry.seq} --out report.html",
            )
        )
    return found


def _steps(reader: Reader, decision: Decision, groups: list[Group]) -> list[Link]:
    """From a rejection to a better candidate."""
    failed = [check for group in groups if group.outcome == "fail" for check in group.checks]
    run = next((head.run for one in decision.reports[:1] if (head := heads.reports(reader).get(one))), "")
    steps: list[Link] = []
    if run and heads.run_exists(reader, run):
        steps.append(Link("Read why it fails", url("/failures/", run)))
    if (training := _training(reader, decision.candidate)) is not None:
        steps.append(Link(f"Look at its training run {training.run}", training.href))
    if failed:
        cause = next((check for check in failed if check.check.name == _HONEST), failed[0])
        steps.append(Link(f'Remove the cause named under "{cause.question}", then train again', f"#{cause.anchor}"))
    return steps


def _override(reader: Reader, entry: LedgerEntry, known: list[EntryHead]) -> str:
    decision, now = entry.decision, known[-1].champion_after if known else None
    stayed = entry.champion_before == entry.champion_after and now == decision.champion
    if decision.verdict != "REJECT" or not stayed or decision.candidate not in reader.versions():
        return ""
    return f'verigym promote {heads.typed(reader, decision.candidate)} --override "REASON"'


PAGES = [
    Page("/gate", gate_list, "gate_list.html", "gate"),
    Page("/gate/{seq}", gate_page, "gate.html", "gate"),
]
