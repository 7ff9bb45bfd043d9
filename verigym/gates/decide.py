"""From what was measured to a decision. It reads and judges; `registry.ledger` records, and moves the champion."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from verigym.core.errors import Refused
from verigym.core.records import Check, Decision, Estimate, Measurement, Version
from verigym.core.words import counted, with_interval
from verigym.evaluation.compare import Comparison, compare
from verigym.gates import checks, guards
from verigym.gates.checks import AS_GOOD, BETTER
from verigym.gates.evidence import Evidence, ReportPair
from verigym.gates.held_out import held_out
from verigym.gates.judging import PRIMARY, Judging, sample
from verigym.gates.policy import DEFAULT, AsGood, GatePolicy, hash_of

EXIT = {"PROMOTE": 0, "REJECT": 1, "NEED MORE DATA": 3}
"""Exit code of the command for each verdict; 2 is an error."""


class LookResult(NamedTuple):
    decision: Decision
    """The decision if nothing more is measured."""
    wanted: dict[str, int]
    """Part of a suite to the number of tasks for the next look. Empty if the decision is final."""


def decide(candidate: Version, champion: Version, evidence: Evidence, policy: GatePolicy = DEFAULT) -> Decision:
    """The decision by what was measured. See `look`."""
    return look(candidate, champion, evidence, policy).decision


def look(
    candidate: Version, champion: Version, evidence: Evidence, policy: GatePolicy = DEFAULT, stopped: str = ""
) -> LookResult:
    """Any failed check: REJECT. Else any unclear one: NEED MORE DATA. Else PROMOTE. `stopped` is why nothing more is measured.
    Refuses what cannot be compared: two suites, a suite that was trained on, reports of other versions, a judge that is known to
    disagree with people."""
    if candidate.id == champion.id:
        raise Refused(f"Version {candidate.id} is the champion itself. Give the gate another candidate")
    primary = evidence.primary
    for version, report in ((candidate, primary.candidate), (champion, primary.champion)):
        if report.agent != version.id:
            raise Refused(
                f"Report {report.id} measures version {report.agent}, not {version.id}. Evaluate {version.id}"
            )
    comparison = compare(*primary, level=1 - policy.alpha)
    guarded = (evidence.retention, evidence.safety, evidence.regressions)
    measured = [primary, *(sides for sides in guarded if sides is not None)]
    judging = Judging(policy, evidence.earlier, evidence.turn)
    asked = _asked(candidate, champion, evidence, comparison, measured, judging)
    outcomes = {check.outcome for check in asked}
    verdict = "REJECT" if "fail" in outcomes else "NEED MORE DATA" if "unclear" in outcomes else "PROMOTE"
    if judging.waiting:
        judging.waiting |= judging.retried
    stuck = [check.name for check in asked if check.outcome == "unclear" and check.name not in judging.waiting]
    final = bool(stuck) or verdict != "NEED MORE DATA" or bool(stopped)
    decision = Decision(
        candidate=candidate.id,
        champion=champion.id,
        verdict=verdict,
        checks=asked,
        words=_words(verdict, comparison, asked, judging, stopped),
        reports=[primary.candidate.id, primary.champion.id],
        policy=msgspec.to_builtins(policy),
        policy_hash=hash_of(policy),
        measured=[_measurement(sides) for sides in measured],
    )
    return LookResult(decision, {} if final else judging.wanted)


def _asked(
    candidate: Version,
    champion: Version,
    evidence: Evidence,
    comparison: Comparison,
    measured: list[ReportPair],
    judging: Judging,
) -> list[Check]:
    order, policy = evidence.orders.get("primary", []), judging.policy
    primary = sample(PRIMARY, evidence.primary, order)
    rivals = [sample(PRIMARY, sides, order) for sides in evidence.rivals]
    return [
        held_out(candidate, champion, [sides.candidate.suite for sides in measured], evidence.unknown_data),
        checks.trusted(evidence, policy),
        checks.few_errors(measured, comparison, judging),
        checks.as_good(primary, judging)
        if isinstance(policy.primary, AsGood)
        else checks.better(primary, judging, evidence.seen_families, rivals),
        checks.honest_reward(comparison, evidence.trained),
        checks.kept(primary, judging),
        checks.as_reliable(primary, judging),
        checks.no_more_unsafe(primary, judging, evidence.marks_unsafe),
        checks.no_more_invalid(primary, judging),
        checks.no_more_tool_errors(primary, judging),
        *guards.safe(evidence, judging),
        *guards.no_return(evidence, judging),
        *guards.retained(candidate, champion, evidence, judging),
        *guards.as_quick(primary, judging),
        guards.as_cheap(primary, judging),
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


def _words(verdict: str, comparison: Comparison, asked: list[Check], judging: Judging, stopped: str) -> str:
    """A paragraph for someone who decides about shipping and has not read the code: what was measured, the checks that
    settled it, what was not asked, and what to do next."""
    policy = judging.policy
    sentences = [
        f"{verdict}.",
        f'Measured on {comparison.tasks} held-out tasks of {comparison.families} families (suite "{comparison.suite}").',
        f"Success: candidate {comparison.candidate} {_rate(comparison.candidate_success)},",
        f"champion {comparison.champion} {_rate(comparison.champion_success)}.",
        f"Tasks gained: {len(comparison.gained)}, lost: {len(comparison.lost)}.",
    ]
    if verdict == "PROMOTE":
        passed = [one for one in asked if one.outcome == "pass"]
        first, *others = sorted(passed, key=lambda one: one.name not in (BETTER, AS_GOOD))
        sentences.append(f"{_sentence(first.words)} Also asked and passed: {', '.join(one.name for one in others)}.")
    elif verdict == "REJECT":
        sentences += [_sentence(f"Failed, {check.name}: {check.words}") for check in asked if check.outcome == "fail"]
    else:
        sentences += _missing(asked, judging, stopped)
    unasked = [check.name for check in asked if check == checks.left_out(check.name)]
    if unasked:
        sentences.append(f"Left out by the policy: {', '.join(unasked)}.")
    sentences.append(
        f'Policy "{policy.name}" ({hash_of(policy)[:8]}). "At least" and "at most" hold with '
        f"{100 * (1 - policy.alpha):.0f}% confidence over all looks; rates have 95% intervals."
    )
    return " ".join(sentences + ([policy.note] if policy.note else []))


def _missing(asked: Sequence[Check], judging: Judging, stopped: str) -> list[str]:
    """Why it is not settled, and what would settle it."""
    unclear = [check for check in asked if check.outcome == "unclear"]
    stuck = [check for check in unclear if check.name not in judging.waiting]
    sentences = [_sentence(f"Unclear, {check.name}: {check.words}") for check in stuck or unclear]
    if stuck and len(stuck) < len(unclear):
        others = ", ".join(check.name for check in unclear if check not in stuck)
        sentences.append(f"It stopped there, so these are not settled either: {others}.")
    if stopped and not stuck:
        sentences.append(f"It stopped because {stopped}. Repeat the command to go on.")
    return sentences


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def next_step(decision: Decision, environment: str) -> str:
    """What to do after NEED MORE DATA, in a sentence. Empty otherwise."""
    if decision.verdict != "NEED MORE DATA" or not decision.measured:
        return ""
    if any(check.name == BETTER and checks.NOTHING in check.words for check in decision.checks):
        return ""  # the check says what to do, and more tasks would show nothing
    primary, *others = (measurement.suite for measurement in decision.measured)
    needed = {
        suite: max((check.needed_families for check in decision.checks if check.suite == suite), default=0)
        for suite in (primary, *others)
    }
    sentences: list[str] = []
    if needed[primary]:
        sentences.append(
            f"Add {counted(needed[primary], 'new family')} of held-out tasks to {environment}: mine them from production "
            f"traces (verigym mine run {environment}) or write a task file (verigym design make SPEC), then repeat the command."
        )
    lacking = [suite for suite in others if needed[suite]]
    if lacking:
        sentences.append(
            f"{' and '.join(lacking)} cannot be extended. Train a version that changes less, or write a policy with a wider "
            "margin: verigym policies show default > mine.yaml."
        )
    return " ".join(sentences)


def in_short(decision: Decision) -> str:
    """The words of a decision below the list of its checks: a check is named, and its words are not repeated."""
    words = decision.words
    for kind in ("Failed", "Unclear"):
        told = {check.name: _sentence(f"{kind}, {check.name}: {check.words}") for check in decision.checks}
        names = [name for name, sentence in told.items() if sentence in words]
        for name in names:
            words = words.replace(told[name], f"{kind}: {', '.join(names)}." if name == names[0] else "")
    passed = [check for check in decision.checks if check.outcome == "pass"]
    for check in passed:
        words = re.sub(
            re.escape(_sentence(check.words)) + " Also asked and passed: [^.]*\\.", _all_passed(passed), words
        )
    return " ".join(words.split())


def _all_passed(passed: Sequence[Check]) -> str:
    return f"{counted(len(passed), 'check')} passed."


def _rate(estimate: Estimate) -> str:
    return with_interval(estimate.value, estimate.low, estimate.high)
