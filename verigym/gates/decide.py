"""From what was measured to a decision. It reads and judges; `registry.ledger` records, and moves the champion."""

import msgspec

from verigym.core.errors import Refused
from verigym.core.records import Check, Decision, Estimate, Measurement, Version
from verigym.core.words import with_interval
from verigym.evaluation.compare import Comparison, compare, scored_pairs
from verigym.gates import checks, guards
from verigym.gates.checks import BETTER
from verigym.gates.evidence import Evidence, ReportPair
from verigym.gates.policy import DEFAULT, GatePolicy, hash_of

EXIT = {"PROMOTE": 0, "REJECT": 1, "NEED MORE DATA": 3}
"""Exit code of the command for each verdict; 2 is an error."""

_OUTCOMES = {"fail": "Failed", "unclear": "Unclear"}


def decide(candidate: Version, champion: Version, evidence: Evidence, policy: GatePolicy = DEFAULT) -> Decision:
    """Any failed check: REJECT. Else any unclear one: NEED MORE DATA. Else PROMOTE.
    Refuses what cannot be compared: two suites, a suite that was trained on, reports of other versions, a judge that nobody
    compared with people."""
    if candidate.id == champion.id:
        raise Refused(f"version {candidate.id} is the champion itself: give the gate another candidate")
    primary = evidence.primary
    for version, report in ((candidate, primary.candidate), (champion, primary.champion)):
        if report.agent != version.id:
            raise Refused(
                f"report {report.id} measures version {report.agent}, not {version.id}: evaluate {version.id}"
            )
    comparison = compare(*primary, level=1 - policy.alpha)
    measured = [sides for sides in (primary, evidence.retention, evidence.safety) if sides is not None]
    asked = _asked(candidate, champion, evidence, comparison, measured, policy)
    outcomes = {check.outcome for check in asked}
    verdict = "REJECT" if "fail" in outcomes else "NEED MORE DATA" if "unclear" in outcomes else "PROMOTE"
    return Decision(
        candidate=candidate.id,
        champion=champion.id,
        verdict=verdict,
        checks=asked,
        words=_words(verdict, comparison, asked, policy),
        reports=[primary.candidate.id, primary.champion.id],
        policy=msgspec.to_builtins(policy),
        policy_hash=hash_of(policy),
        measured=[_measurement(sides) for sides in measured],
    )


def _asked(
    candidate: Version,
    champion: Version,
    evidence: Evidence,
    comparison: Comparison,
    measured: list[ReportPair],
    policy: GatePolicy,
) -> list[Check]:
    pairs, suite = scored_pairs(*evidence.primary), comparison.suite
    return [
        checks.held_out(candidate, champion, [sides.candidate.suite for sides in measured]),
        checks.trusted(evidence, policy),
        checks.few_errors(measured, comparison, policy),
        checks.better(comparison, policy),
        checks.honest_reward(comparison, evidence.trained),
        checks.kept(pairs, suite, policy),
        checks.as_reliable(pairs, suite, policy),
        checks.no_more_unsafe(pairs, suite, policy),
        checks.no_more_invalid(pairs, suite, policy),
        checks.no_more_tool_errors(pairs, suite, policy),
        *guards.safe(evidence, policy),
        *guards.retained(candidate, champion, evidence, policy),
        *guards.as_quick(pairs, suite, policy),
        guards.as_cheap(pairs, suite, policy),
    ]


def _measurement(sides: ReportPair) -> Measurement:
    suite = sides.candidate.suite
    return Measurement(
        suite=suite.name,
        hash=suite.hash,
        verifier=suite.verifier,
        tasks=len(suite.tasks),
        repeats=sides.candidate.repeats,
        candidate=sides.candidate.id,
        champion=sides.champion.id,
    )


def _words(verdict: str, comparison: Comparison, asked: list[Check], policy: GatePolicy) -> str:
    """A paragraph for someone who decides about shipping and has not read the code: what was measured, the checks that
    settled it, what was not asked, and what to do next."""
    sentences = [
        f"{verdict}.",
        f'Measured on {comparison.tasks} held-out tasks of {comparison.families} families (suite "{comparison.suite}").',
        f"Success: candidate {comparison.candidate} {_rate(comparison.candidate_success)},",
        f"champion {comparison.champion} {_rate(comparison.champion_success)};",
        f"tasks gained: {len(comparison.gained)}, lost: {len(comparison.lost)}.",
    ]
    if verdict == "PROMOTE":
        better, *others = sorted((one for one in asked if one.outcome == "pass"), key=lambda one: one.name != BETTER)
        sentences.append(
            f"{better.words.capitalize()}. Also asked and passed: {', '.join(one.name for one in others)}."
        )
    settled_by = {"REJECT": "fail", "NEED MORE DATA": "unclear"}.get(verdict)
    sentences += [
        f"{_OUTCOMES[check.outcome]}, {check.name}: {check.words}." for check in asked if check.outcome == settled_by
    ]
    unasked = [check.name for check in asked if check == checks.left_out(check.name)]
    if unasked:
        sentences.append(f"Left out by the policy: {', '.join(unasked)}.")
    if verdict == "NEED MORE DATA":
        sentences.append(_next(asked))
    sentences.append(
        f'Policy "{policy.name}" ({hash_of(policy)[:8]}). "At least" and "at most" each hold with '
        f"{100 * (1 - policy.alpha):.0f}% confidence; rates have 95% intervals."
    )
    return " ".join(sentences + ([policy.note] if policy.note else []))


def _next(asked: list[Check]) -> str:
    """What to measure: of each suite, as much as the check that needs most."""
    wanted: dict[str, int] = {}
    for check in asked:
        if check.outcome == "unclear" and check.needed:
            wanted[check.suite] = max(check.needed, wanted.get(check.suite, 0))
    if not wanted:
        return "Measure what is missing, then ask again."
    sizes = " and ".join(f"about {needed} tasks{f' of {suite}' if suite else ''}" for suite, needed in wanted.items())
    families = max(check.needed_families for check in asked)
    spread = f", spread over at least {families} families" if families else ""
    return f"Evaluate both on {sizes}{spread}, then ask again."


def _rate(estimate: Estimate) -> str:
    return with_interval(estimate.value, estimate.low, estimate.high)
