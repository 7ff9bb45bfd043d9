"""Audit: can the rewards of a verifier be trusted? The last stored result of `verigym audit`, and what people's labels say.

Nothing is scored here. The page shows what is stored, says if labels came later, and gives the commands for what to do next.
"""

from collections import Counter
from typing import NamedTuple

from msgspec import Struct

from verigym.audit import cases
from verigym.audit.labels import TAKEN_BACK, Agreement
from verigym.audit.rewards import RewardPart, parts_that_say_little
from verigym.core.errors import BadInput, Refused, not_found
from verigym.core.records import Check, Label, content_hash
from verigym.draw.histogram import bins, histogram
from verigym.draw.intervals import Interval, intervals
from verigym.draw.svg import Drawing
from verigym.gates.policy import GatePolicy
from verigym.view.forms import Form, FormData
from verigym.view.judgements import (
    Judged,
    PeopleAgreement,
    agreement_now,
    environments_of_runs,
    judged_by_environment,
    people,
)
from verigym.view.page import Link, Page, PageData, Query, typed, url
from verigym.view.pages.mined import proposed_environments
from verigym.view.read import Reader
from verigym.workspace.audit import AuditRecord, AuditResult

_SHOWN = 20
"""Disagreements on one page."""
_HISTORY = 20
MIN_LABELS = 10
"""Fewer labels give no kappa."""


class AuditRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    environment: str
    href: str
    verifier: str = ""
    run: str = ""
    outputs: int = 0
    when: float = 0.0
    audited: bool = False
    trusted: bool = False
    fix: str = ""
    """The first thing to fix."""
    labels: int = 0
    kappa: float | None = None
    """None below `MIN_LABELS`."""
    low: float = 0.0
    high: float = 0.0
    few: bool = False
    """Whether there are labels, but too few for a kappa."""
    command: str = ""
    """Runs the first audit."""


class AuditsPage(PageData, frozen=True, kw_only=True):
    rows: list[AuditRow]
    min_kappa: float


class AgreementTable(Struct, frozen=True, kw_only=True):
    n: int
    agreed: int
    kappa: float | None
    low: float
    high: float
    cells: list[int] = []
    """Good and passed, good and failed, bad and passed, bad and failed. Empty in older results."""
    outcome: str = ""
    """pass, fail or unclear against the minimum of the gate."""
    from_audit: bool = False
    """Whether the audit counted it. Otherwise it is counted from stored verdicts."""


class DisagreementRow(Struct, frozen=True, kw_only=True):
    trajectory: str
    href: str
    label: str
    who: str
    note: str
    passed: bool
    reward: float | None
    evidence: str
    command: str
    """Makes a case of it."""
    own: bool
    """Whether the reader gave the label."""


class CaseRow(Struct, frozen=True, kw_only=True):
    trajectory: str
    href: str
    should: str
    note: str
    who: str


class PastAudit(Struct, frozen=True, kw_only=True):
    when: float
    verifier: str
    run: str
    outputs: int
    fixes: int


class AuditPage(PageData, frozen=True, kw_only=True):
    environment: str
    min_kappa: float
    min_labels: int = MIN_LABELS
    audited: bool = False
    trusted: bool = False
    verifier: str = ""
    run: Link = Link("")
    outputs: int = 0
    when: float = 0.0
    judge: str = ""
    fix: list[str] = []
    checks: list[Check] = []
    rewards: list[tuple[float, int, int]] = []
    """Reward, outputs with it that passed, and that failed."""
    parts: list[RewardPart] = []
    remarks: list[str] = []
    """What the parts show."""
    agreement: AgreementTable | None = None
    note: str = ""
    """Whether something changed after the audit."""
    disagreements: list[DisagreementRow] = []
    more: int = 0
    """Disagreements that are not listed."""
    people: list[PeopleAgreement] = []
    cases: list[CaseRow] = []
    cases_state: str = ""
    """held, broken, or empty if the last audit did not test them."""
    cases_file: str = ""
    history: list[PastAudit] = []
    label_href: str = ""
    label_words: str = ""
    said: str = ""

    @property
    def kappa_picture(self) -> Drawing:
        assert self.agreement is not None and self.agreement.kappa is not None
        value, low, high = (round(one, 2) for one in (self.agreement.kappa, self.agreement.low, self.agreement.high))
        row = Interval("kappa", value, low, high, margin=self.min_kappa, outcome=self.agreement.outcome, unit="")
        return intervals([row], title=f"Kappa with its 95% interval. The gate asks for {self.min_kappa:g}")

    @property
    def rewards_picture(self) -> Drawing:
        return histogram(bins(self.rewards), title="Rewards of the audited outputs")


class _Stored(NamedTuple):
    """The newest results of one environment. Older releases stored only a line."""

    results: list[AuditResult]
    lines: list[AuditRecord]


def _stored(reader: Reader) -> dict[str, _Stored]:
    found: dict[str, _Stored] = {}
    for result in reader.documents("audit", AuditResult):
        found.setdefault(result.audit.environment, _Stored([], [])).results.append(result)
    for line in reader.documents("audited", AuditRecord):
        found.setdefault(line.environment, _Stored([], [])).lines.append(line)
    return found


def audits_page(reader: Reader, query: Query) -> AuditsPage:
    stored, judged = _stored(reader), judged_by_environment(reader)
    rows = [_summary(name, stored.get(name), judged.get(name)) for name in sorted({*stored, *judged} - {""})]
    return AuditsPage(
        title="Audits of verifiers",
        command="verigym audit list",
        rows=sorted(rows, key=lambda row: (-row.when, row.environment)),
        min_kappa=GatePolicy().min_kappa,
        empty="" if rows else "No verifier was audited yet, and no output was judged by a person.",
        fill=[] if rows else ["verigym audit run ENV", "verigym label RUN --single"],
    )


def _summary(name: str, stored: _Stored | None, judged: Judged | None) -> AuditRow:
    result = stored.results[-1] if stored and stored.results else None
    line = stored.lines[-1] if stored and stored.lines else None
    agreed = result.audit.agreement if result else None
    if judged is not None and (agreed is None or result is None or judged.newest > result.when):
        agreed = agreement_now(judged) or agreed
    fix = (line.fix if line else []) if result is None else result.audit.fix
    audited = result.audit if result else line
    enough = agreed is not None and agreed.n >= MIN_LABELS
    return AuditRow(
        environment=name,
        href=url("/audit/", name),
        verifier=audited.verifier if audited else "",
        run=audited.run if audited else "",
        outputs=audited.n if audited else 0,
        when=result.when if result else 0.0,
        audited=audited is not None,
        trusted=audited is not None and not fix,
        fix=fix[0] if fix else "",
        labels=agreed.n if agreed else 0,
        kappa=agreed.kappa if agreed and enough else None,
        low=agreed.low if agreed and enough else 0.0,
        high=agreed.high if agreed and enough else 0.0,
        few=agreed is not None and not enough,
        command="" if audited else typed("audit", "run", name),
    )


def audit_page(reader: Reader, query: Query) -> AuditPage:
    name = query.path["environment"]
    stored, judged = _stored(reader).get(name), judged_by_environment(reader).get(name)
    _check_known(reader, name, stored)
    result = stored.results[-1] if stored and stored.results else None
    line = stored.lines[-1] if stored and stored.lines else None
    audited = result.audit if result else line
    agreed, note = _agreement(result, judged)
    disagreements = agreed.disagreements if agreed else []
    min_kappa = GatePolicy().min_kappa
    run = audited.run if audited else _run_to_judge(reader, name)
    file = cases.path_of(name, reader.home)
    return AuditPage(
        title=f"Audit of {name}",
        command=typed("audit", "run", name, *([run] if run else [])),
        crumbs=[Link("Audits", url("/audit"))],
        environment=name,
        min_kappa=min_kappa,
        audited=audited is not None,
        trusted=audited is not None and not audited.fix,
        verifier=audited.verifier if audited else "",
        run=Link(run, url("/runs/", run)) if run else Link(""),
        outputs=audited.n if audited else 0,
        when=result.when if result else 0.0,
        judge=reader.label(result.judge) if result and result.judge else "",
        fix=audited.fix if audited else [],
        checks=result.audit.checks if result else [],
        rewards=_rewards(result) if result else [],
        parts=result.audit.parts if result else [],
        remarks=parts_that_say_little(result.audit.parts) if result else [],
        agreement=_table(agreed, min_kappa, from_audit=not note) if agreed else None,
        note=note or ("" if result or line is None else _OLD),
        disagreements=[
            DisagreementRow(
                trajectory=one.trajectory,
                href=url("/t/", one.trajectory),
                label=one.label,
                who=one.who,
                note=one.note,
                passed=one.passed,
                reward=one.reward,
                evidence=one.evidence,
                command=typed(
                    "audit", "case", name, one.trajectory, "--should", "pass" if one.label == "good" else "fail",
                    *(["--note", one.note] if one.note else []),
                ),
                own=bool(query.who) and one.who == query.who,
            )
            for one in disagreements[:_SHOWN]
        ],
        more=max(0, len(disagreements) - _SHOWN),
        people=people(judged) if judged else [],
        cases=[
            CaseRow(
                trajectory=case.trajectory.id,
                href=url("/t/", case.trajectory.id),
                should=case.should,
                note=case.note,
                who=case.who,
            )
            for case in cases.read(file)
        ],
        cases_state=_cases_state(result),
        cases_file=str(file),
        history=_history(stored.results if stored else []),
        label_href=url("/label/", run, kind="single") if run else url("/label"),
        label_words=f"Judge outputs of {run}" if run else "Choose a run to judge",
        said="Your label is taken back. The output is asked again." if query.choice("said", "", "again") else "",
        empty="" if audited or judged else f"The verifier of {name} was not audited yet.",
        fill=[] if audited or judged else [typed("audit", "run", name), typed("label", run or "RUN", "--single")],
    )  # fmt: skip


_OLD = "An older release stored only this line. Run the audit again to see every check with its evidence."
_LATER = (
    "People judged outputs after this audit, or it had no labels. The agreement below uses all labels and the stored verdicts. "
    "Run the audit again to score the outputs anew."
)
_ALONE = "The verifier was not audited yet. The agreement below uses all labels and the stored verdicts."


def _check_known(reader: Reader, name: str, stored: _Stored | None) -> None:
    known = {
        *environments_of_runs(reader).values(),
        *proposed_environments(reader),
    }
    if stored is None and name not in known:
        raise not_found(
            "environment", name, sorted(known - {""}), "The view knows environments that a run or audit names"
        )


def _agreement(result: AuditResult | None, judged: Judged | None) -> tuple[Agreement | None, str]:
    """The agreement to show, and why it is not that of the audit."""
    if result is not None and result.audit.agreement is not None and (judged is None or judged.newest <= result.when):
        return result.audit.agreement, ""
    now = agreement_now(judged) if judged is not None else None
    if now is None:
        return (result.audit.agreement, "") if result is not None else (None, "")
    return now, _LATER if result is not None else _ALONE


def _table(agreed: Agreement, min_kappa: float, from_audit: bool) -> AgreementTable:
    outcome = "unclear"
    if agreed.kappa is not None:
        outcome = "fail" if agreed.high < min_kappa else "pass" if agreed.low >= min_kappa else "unclear"
    return AgreementTable(
        n=agreed.n, agreed=agreed.agreed, kappa=agreed.kappa, low=agreed.low, high=agreed.high, cells=agreed.cells,
        outcome=outcome, from_audit=from_audit,
    )  # fmt: skip


def _rewards(result: AuditResult) -> list[tuple[float, int, int]]:
    every, passed = Counter(result.audit.rewards), Counter(result.audit.passing)
    return [(reward, passed[reward], count - passed[reward]) for reward, count in sorted(every.items())]


def _cases_state(result: AuditResult | None) -> str:
    check = next((one for one in result.audit.checks if one.name == "corrected cases hold"), None) if result else None
    return {"pass": "held", "fail": "broken"}.get(check.outcome, "") if check else ""


def _history(results: list[AuditResult]) -> list[PastAudit]:
    """The audits before the last one, newest first."""
    return [
        PastAudit(
            when=one.when, verifier=one.audit.verifier, run=one.audit.run, outputs=one.audit.n, fixes=len(one.audit.fix)
        )
        for one in reversed(results[-_HISTORY - 1 : -1])
    ]


def _run_to_judge(reader: Reader, environment: str) -> str:
    """The newest run of the environment, to label."""
    runs = [run for run, name in environments_of_runs(reader).items() if name == environment]
    if not runs:
        return ""
    marks = ", ".join("?" for _ in runs[-500:])
    sql = f"SELECT id FROM runs WHERE id IN ({marks}) AND parent = '' ORDER BY created DESC LIMIT 1"
    return reader.one(sql, *runs[-500:]) or ""


def again(reader: Reader, form: FormData) -> str:
    """Takes the reader's own label of one output back, so that it is asked again."""
    name, id, who = form.get("environment"), form.get("trajectory"), form.query.who
    judged = judged_by_environment(reader).get(name)
    own = [label for label in judged.labels if label.trajectory == id and label.who == who] if judged and who else []
    if not own:
        raise Refused("Only the person who gave a label can take it back. Nothing was written")
    if not id:
        raise BadInput("The form names no output. Nothing was written")
    if own[-1].note != TAKEN_BACK:
        key = content_hash([id, "", who, len(own)])[:32]
        reader.writable.store.put("label", key, Label(trajectory=id, judgement="skip", who=who, note=TAKEN_BACK))
    return url("/audit/", name, said="again")


PAGES = [
    Page("/audit", audits_page, "audits.html", "audit"),
    Page("/audit/{environment:path}", audit_page, "audit.html", "audit"),
]
FORMS = [Form("/audit/again", again)]
