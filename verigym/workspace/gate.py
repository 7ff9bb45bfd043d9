"""The gate on a workspace: finds the reports that can be compared, measures what its policy asks for beside them, and decides.

Judging is `gates`, recording and moving the champion `registry.ledger`. Every measurement is named by its content: asked
again, the gate finds what is finished.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext

import msgspec

from verigym.audit.labels import Calibration
from verigym.core.errors import Refused, VerigymError
from verigym.core.records import Decision, Json, Report, Sampling, Version
from verigym.environments.load import load_environment
from verigym.evaluation.compare import compare
from verigym.evaluation.stats import Delta
from verigym.gates.decide import decide
from verigym.gates.evidence import Evidence, PassageLosses, ReportPair, TrainingEvidence
from verigym.gates.guards import no_perplexity
from verigym.gates.policy import DEFAULT, GatePolicy
from verigym.registry import ledger
from verigym.registry.versions import version_id
from verigym.rollout.settings import RunSettings
from verigym.training.alarms import held_out_falls, since_first, values
from verigym.workspace import measure as stages
from verigym.workspace.perplexity import perplexity
from verigym.workspace.rescore import rescore
from verigym.workspace.workspace import WorkspaceFolder

Bars = Callable[[str], AbstractContextManager[stages.OnProgress]]
"""A bar for each measurement, by its title."""
GUARDS = ("retention", "safety")
"""Environments of guardrail suites: reports on them are no primary ones, unless that is asked for."""

_SETTINGS = ("sampling", "k", "judge", "user")


def silent(title: str) -> AbstractContextManager[stages.OnProgress]:
    return nullcontext(lambda _: None)


def gate(
    ws: WorkspaceFolder,
    candidate: Version,
    champion: Version,
    policy: GatePolicy = DEFAULT,
    *,
    environment: str = "",
    bars: Bars = silent,
) -> Decision:
    """The decision by the newest reports that both have, which nobody recorded yet."""
    ours, theirs = shared_reports(ws, candidate, champion, environment)
    return judge(ws, candidate, champion, ReportPair(theirs, ours), policy, bars)


def judge(
    ws: WorkspaceFolder,
    candidate: Version,
    champion: Version,
    primary: ReportPair,
    policy: GatePolicy,
    bars: Bars = silent,
) -> Decision:
    """The decision by these reports."""
    decision = decide(candidate, champion, gather(ws, candidate, champion, primary, policy, bars), policy)
    return msgspec.structs.replace(decision, words=" ".join([decision.words, *_asked_before(ws, decision)]))


def keep(ws: WorkspaceFolder, decision: Decision, why: str = "asked") -> None:
    """Records the decision, whatever it is, so that the policy it was made by cannot be chosen afterwards. Asked again, the
    same question is not recorded twice."""
    if not any(known.decision.verdict == decision.verdict for known in _answers(ws, decision)):
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


def last_policy(ws: WorkspaceFolder, candidate: Version, champion: Version) -> GatePolicy | None:
    """By which this pair was judged last."""
    for entry in reversed(ledger.entries(ws.store)):
        known = entry.decision
        if known.policy and (known.candidate, known.champion) == (candidate.id, champion.id):
            return msgspec.convert(known.policy, GatePolicy)
    return None


def _question(decision: Decision) -> tuple[object, ...]:
    return decision.candidate, decision.champion, decision.policy_hash, decision.measured


def _asked_before(ws: WorkspaceFolder, decision: Decision) -> Iterator[str]:
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


def shared_reports(
    ws: WorkspaceFolder, candidate: Version, champion: Version, environment: str = ""
) -> tuple[Report, Report]:
    """The newest reports of both that can be compared: candidate, champion."""
    for ours, theirs in _pairs(ws, candidate, champion, environment):
        if ours.suite.hash == theirs.suite.hash and _alike(ws, ours, theirs):
            return ours, theirs
    changed = _verifier_changed(ws, candidate, champion, environment)
    if changed is not None:
        ours, theirs = changed
        raise Refused(
            f"{candidate.label} was scored by {ours.suite.verifier} and {champion.label} by {theirs.suite.verifier}, on the "
            f"same tasks; score both again by the present verifier, which takes no model: verigym gate {candidate.id} --rescore"
        )
    raise Refused(
        f"{candidate.label} and {champion.label} have no report on the same held-out tasks; run: "
        + " and ".join(_missing_evals(ws, candidate, champion, environment))
    )


def rescored(
    ws: WorkspaceFolder, candidate: Version, champion: Version, environment: str = "", bars: Bars = silent
) -> None:
    """Where the two were measured on the same tasks by two verifiers: both runs scored again by the present one."""
    changed = _verifier_changed(ws, candidate, champion, environment)
    if changed is None:
        raise Refused(
            f"{candidate.label} and {champion.label} have no reports that differ in the verifier alone: leave --rescore out"
        )
    for report in changed:
        with bars(f"scoring {report.run} again") as bar:
            rescore(ws, report.run, on_progress=bar)


def _pairs(
    ws: WorkspaceFolder, candidate: Version, champion: Version, environment: str
) -> Iterator[tuple[Report, Report]]:
    """Newest first."""
    reports = [
        report
        for report in reversed(ws.store.documents("report", Report))
        if (report.suite.environment == environment if environment else report.suite.environment not in GUARDS)
    ]
    theirs = [report for report in reports if report.agent == champion.id]
    for ours in reports:
        if ours.agent == candidate.id:
            yield from ((ours, one) for one in theirs)


def _alike(ws: WorkspaceFolder, one: Report, other: Report, fields: tuple[str, ...] = _SETTINGS) -> bool:
    """Decoded, repeated and judged alike."""
    settings = [ws.store.run(report.run).config for report in (one, other)]
    return all(settings[0].get(field) == settings[1].get(field) for field in fields)


def _verifier_changed(
    ws: WorkspaceFolder, candidate: Version, champion: Version, environment: str
) -> tuple[Report, Report] | None:
    for ours, theirs in _pairs(ws, candidate, champion, environment):
        if ours.suite.verifier != theirs.suite.verifier and _alike(ws, ours, theirs, (*_SETTINGS, "tasks")):
            return ours, theirs
    return None


def _missing_evals(ws: WorkspaceFolder, candidate: Version, champion: Version, environment: str) -> Iterator[str]:
    """What to type: as the other was measured, where it was."""
    reports = [one for one in ws.store.documents("report", Report) if one.suite.environment not in GUARDS]
    known = {
        version.id: [one for one in reports if one.agent == version.id and environment in ("", one.suite.environment)]
        for version in (candidate, champion)
    }
    model = (known[champion.id] or known[candidate.id])[-1:]
    if not model:
        yield from (f"verigym eval {environment or 'ENV'} -m {one.id}" for one in (candidate, champion))
        return
    missing = candidate if known[champion.id] else champion
    config: Json = ws.store.run(model[0].run).config
    sampling = config.get("sampling", {})
    options = f"-n {config.get('num_tasks')} -k {config.get('k', 1)} --temperature {sampling.get('temperature', 1.0)}"
    yield f"verigym eval {config.get('environment')} -m {missing.id} {options} --max-tokens {sampling.get('max_tokens', 256)}"


def gather(
    ws: WorkspaceFolder,
    candidate: Version,
    champion: Version,
    primary: ReportPair,
    policy: GatePolicy,
    bars: Bars = silent,
) -> Evidence:
    """What the policy asks for beside the primary reports. What cannot be measured, because an agent cannot be opened, is
    missing with the reason."""
    missing: dict[str, str] = {}
    forgets = (candidate.base, candidate.adapter) != (champion.base, champion.adapter)
    retention = safety = texts = None
    if policy.retention is not None and forgets:
        size, most = policy.retention.tasks, policy.retention.max_tokens
        retention = _guard(ws, "retention", bare(champion), bare(candidate), size, most, missing, bars)
        if policy.retention.perplexity is not None:
            texts = _texts(ws, bare(champion), bare(candidate), missing)
    if policy.safety is not None:
        size, most = policy.safety.tasks, policy.safety.max_tokens
        safety = _guard(ws, "safety", champion, candidate, size, most, missing, bars)
    judge = ws.store.run(primary.candidate.run).config.get("judge", "")
    return Evidence(
        primary=primary,
        retention=retention,
        safety=safety,
        texts=texts,
        missing=missing,
        trained=_trained(ws, candidate, primary.candidate),
        judge=judge,
        calibration=_calibration(ws, primary.candidate.suite.verifier, judge) if judge else None,
    )


def bare(version: Version) -> Version:
    """The weights alone: a prompt for one job, or replies held to its format, say nothing of what was forgotten."""
    plain = Version(base=version.base, adapter=version.adapter, name=version.name, families=version.families)
    return version if version_id(plain) == version.id else msgspec.structs.replace(plain, id=version_id(plain))


def _guard(
    ws: WorkspaceFolder,
    name: str,
    champion: Version,
    candidate: Version,
    tasks: int | None,
    max_tokens: int,
    missing: dict[str, str],
    bars: Bars,
) -> ReportPair | None:
    settings = RunSettings(sampling=Sampling(temperature=0.0, max_tokens=max_tokens))
    try:
        environment = load_environment(name)
        reports: list[Report] = []
        for version in (champion, candidate):
            with bars(f"{name}, {version.label}") as bar:
                reports.append(stages.measure(ws, environment, version, settings, n=tasks, on_progress=bar))
    except VerigymError as error:
        missing[name] = str(error)
        return None
    return ReportPair(*reports)


def _texts(ws: WorkspaceFolder, champion: Version, candidate: Version, missing: dict[str, str]) -> PassageLosses | None:
    if no_perplexity(candidate, champion):
        return None
    try:
        return PassageLosses(*(perplexity(ws, version).nats for version in (champion, candidate)))
    except VerigymError as error:
        missing["perplexity"] = str(error)
        return None


def _trained(ws: WorkspaceFolder, candidate: Version, report: Report) -> TrainingEvidence | None:
    """What the metrics of the run that made it say."""
    run = candidate.recipe.get("run", "")
    if not run:
        return None
    history = ws.store.metrics(run)
    rise = since_first(values(history, "reward"))
    model, reward = candidate.recipe.get("reward_model", ""), candidate.recipe.get("reward", "")
    return TrainingEvidence(
        run=run,
        paid_by=f"reward model {model}" if model else ", ".join(reward) if isinstance(reward, dict) else str(reward),
        reward=(rise.before, rise.last) if rise.up() else None,
        alarm=held_out_falls(history) or "",
        start=candidate.parent,
        since_start=_since_start(ws, candidate.parent, report),
    )


def _since_start(ws: WorkspaceFolder, start: str, report: Report) -> Delta | None:
    for other in reversed(ws.store.documents("report", Report)):
        if other.agent == start and other.suite.hash == report.suite.hash and _alike(ws, other, report):
            return compare(other, report).success
    return None


def _calibration(ws: WorkspaceFolder, verifier: str, judge: str) -> Calibration | None:
    known = [
        one for one in ws.store.documents("calibration", Calibration) if (one.verifier, one.judge) == (verifier, judge)
    ]
    return known[-1] if known else None
