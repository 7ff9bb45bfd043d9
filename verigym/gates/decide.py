"""From two reports to a decision. It reads and judges; `registry.ledger` records, and moves the champion."""

from verigym.core.errors import Refused
from verigym.core.records import Check, Decision, Estimate, Report, Version
from verigym.evaluation.compare import Comparison, compare
from verigym.gates import checks
from verigym.gates.policy import DEFAULT, GatePolicy

EXIT = {"PROMOTE": 0, "REJECT": 1, "NEED MORE DATA": 3}
"""Exit code of the command for each verdict; 2 is an error."""

_OUTCOMES = {"pass": "Passed", "fail": "Failed", "unclear": "Unclear"}


def decide(
    candidate: Version,
    champion: Version,
    candidate_report: Report,
    champion_report: Report,
    policy: GatePolicy = DEFAULT,
) -> Decision:
    """Any failed check: REJECT. Else any unclear one: NEED MORE DATA. Else PROMOTE.
    Refuses what cannot be compared: two suites, a suite that was trained on, reports of other versions."""
    if candidate.id == champion.id:
        raise Refused(f"version {candidate.id} is the champion itself: give the gate another candidate")
    for version, report in ((candidate, candidate_report), (champion, champion_report)):
        if report.agent != version.id:
            raise Refused(
                f"report {report.id} measures version {report.agent}, not {version.id}: evaluate {version.id}"
            )
    comparison = compare(champion_report, candidate_report, level=1 - policy.alpha)
    asked = [
        checks.held_out(candidate, champion, candidate_report.suite),
        checks.few_errors(champion_report, candidate_report, policy),
        checks.better(comparison, policy),
        checks.no_more_unsafe(comparison, policy),
        checks.no_more_invalid(comparison, policy),
    ]
    outcomes = {check.outcome for check in asked}
    verdict = "REJECT" if "fail" in outcomes else "NEED MORE DATA" if "unclear" in outcomes else "PROMOTE"
    return Decision(
        candidate=candidate.id,
        champion=champion.id,
        verdict=verdict,
        checks=asked,
        words=_words(verdict, comparison, asked, policy),
        reports=[candidate_report.id, champion_report.id],
    )


def _words(verdict: str, comparison: Comparison, asked: list[Check], policy: GatePolicy) -> str:
    """A paragraph for someone who decides about shipping and has not read the code: what was measured, the checks that
    settled it, and what to do next."""
    sentences = [
        f"{verdict}.",
        f'Measured on {comparison.tasks} held-out tasks of {comparison.families} families (suite "{comparison.suite}").',
        f"Success: candidate {comparison.candidate} {_rate(comparison.candidate_success)},",
        f"champion {comparison.champion} {_rate(comparison.champion_success)};",
        f"tasks gained: {len(comparison.gained)}, lost: {len(comparison.lost)}.",
    ]
    if comparison.dropped:
        sentences.append(
            f"Left out because they could not be scored: {comparison.dropped}; "
            f"counted as failures they would make it {checks.points(comparison.with_errors_failed)}."
        )
    settled_by = {"REJECT": "fail", "NEED MORE DATA": "unclear", "PROMOTE": "pass"}[verdict]
    sentences += [
        f"{_OUTCOMES[check.outcome]}, {check.name}: {check.words}." for check in asked if check.outcome == settled_by
    ]
    if verdict == "NEED MORE DATA":
        sentences.append(f"Evaluate both on about {max(check.needed for check in asked)} tasks, then ask again.")
    confidence = f"{100 * (1 - policy.alpha):.0f}%"
    sentences.append(f'"At least" and "at most" each hold with {confidence} confidence; rates have 95% intervals.')
    return " ".join(sentences)


def _rate(estimate: Estimate) -> str:
    return f"{100 * estimate.value:.1f}% ({100 * estimate.low:.1f}% to {100 * estimate.high:.1f}%)"
