"""Decisions of the gate in the ledger: record them, carry them out, find them again."""

from collections.abc import Iterator, Sequence

import msgspec

from verigym.core.records import Decision, Report, Version
from verigym.gates.policy import GatePolicy
from verigym.registry import ledger
from verigym.workspace.workspace import WorkspaceFolder


def keep(ws: WorkspaceFolder, decision: Decision, why: str = "asked") -> None:
    """Records the decision, whatever it is, so that the policy it was made by cannot be chosen afterwards. Asked again, the
    same question is not recorded twice. A gate that stopped before its first look decided nothing."""
    if decision.reports and not any(known.decision.verdict == decision.verdict for known in _answers(ws, decision)):
        ledger.record(ws.store, decision, moves=False, why=why)


def settle(ws: WorkspaceFolder, decision: Decision, why: str = "", *, once: bool = False) -> ledger.LedgerEntry | None:
    """Records the decision. If it says PROMOTE, or overrides the gate, its candidate becomes champion: the entry is returned.

    With `once`, a resumed loop may call this again. A decision that was carried out is not carried out a second time, and a
    version that became champion meanwhile stays champion."""
    promotes = decision.verdict == "PROMOTE" or decision.kind == "override"
    if once:
        if any(known.champion_before != known.champion_after for known in _answers(ws, decision)):
            return None
        promotes = promotes and ledger.champion(ws.store) == decision.champion
    if promotes:
        return ledger.promote(ws.store, decision, why=why)
    keep(ws, decision, why or "asked")
    return None


def _answers(ws: WorkspaceFolder, decision: Decision) -> list[ledger.LedgerEntry]:
    """What the ledger holds of the same question."""
    asked = _question(decision)
    return [one for one in ledger.entries(ws.store) if one.decision.kind == "gate" and _question(one.decision) == asked]


def newest_run(ws: WorkspaceFolder, kinds: Sequence[str]) -> str:
    """The newest run that a person asked for: the gate's own runs of guardrail suites are left out. `latest` if there is none."""
    measured = [one for entry in ledger.entries(ws.store) for one in entry.decision.measured[1:]]
    reports = [ws.store.get("report", id, Report) for one in measured for id in (one.candidate, one.champion)]
    guards = {report.run for report in reports if report is not None}
    return next((run.id for run in reversed(ws.store.runs()) if run.kind in kinds and run.id not in guards), "latest")


def last_decision(ws: WorkspaceFolder, candidate: Version, champion: Version) -> Decision | None:
    """The last decision of the gate about this pair."""
    for entry in reversed(ledger.entries(ws.store)):
        known = entry.decision
        if known.policy and (known.candidate, known.champion) == (candidate.id, champion.id):
            return known
    return None


def last_policy(ws: WorkspaceFolder, candidate: Version, champion: Version) -> GatePolicy | None:
    """By which this pair was judged last."""
    known = last_decision(ws, candidate, champion)
    return msgspec.convert(known.policy, GatePolicy) if known is not None else None


def not_asked(candidate: Version, champion: Version) -> Decision:
    words = "NEED MORE DATA. The gate was not asked about these two versions."
    return Decision(candidate=candidate.id, champion=champion.id, verdict="NEED MORE DATA", words=words)


def _question(decision: Decision) -> tuple[object, ...]:
    return decision.candidate, decision.champion, decision.policy_hash, decision.measured


def asked_before(ws: WorkspaceFolder, decision: Decision) -> Iterator[str]:
    """One sentence for each other policy that was tried on the same reports."""
    told = {decision.policy_hash, ""}
    for entry in ledger.entries(ws.store):
        known = entry.decision
        if known.reports == decision.reports and known.policy_hash not in told:
            told.add(known.policy_hash)
            yield (
                f"These reports were judged before by another policy ({known.policy.get('name')}, {known.policy_hash[:8]}, "
                f"ledger entry {entry.seq}: {known.verdict}): a policy chosen after looking proves less."
            )
