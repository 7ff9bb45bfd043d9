"""The gate's questions about the primary suite, one function each: from what was measured and the policy to a `Check`.

pass: shown. fail: the opposite is shown. unclear: the tasks do not settle it; `needed` says how many would. skipped: there is
nothing to ask. All checks must pass, so none is corrected for the number of them. Those of other suites are in `guards`.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence

from verigym.core.errors import Refused
from verigym.core.records import Check, Report, Suite, TaskResult, Version
from verigym.core.words import percent
from verigym.evaluation.compare import Comparison, Pair
from verigym.evaluation.stats import Delta, tasks_needed
from verigym.gates.damage import Damage, damage
from verigym.gates.evidence import Evidence, ReportPair, TrainingEvidence
from verigym.gates.policy import GatePolicy

BETTER = "better on held-out tasks"


def held_out(candidate: Version, champion: Version, suites: Sequence[Suite]) -> Check:
    """Refuses, rather than fails, a version that was trained on a family of a suite: no figure of it means anything."""
    for suite in suites:
        for version in (candidate, champion):
            seen = sorted(set(version.families) & set(suite.families))
            if seen:
                raise Refused(
                    f"version {version.id} was trained on {len(seen)} of the {len(suite.families)} families of suite "
                    f'"{suite.name}" ({", ".join(seen[:3])}{", ..." if len(seen) > 3 else ""}); gate it on a suite it never saw'
                )
    families = ", ".join(f"{len(suite.families)} families of {suite.name}" for suite in suites)
    return Check(
        name="never trained on these tasks",
        outcome="pass",
        words=f"neither version was trained on any of the {families}",
    )


def trusted(evidence: Evidence, policy: GatePolicy) -> Check:
    """A judge decides nothing here before people's labels have shown that it judges as they do."""
    report = evidence.primary.candidate
    name, verifier = "the verdicts can be trusted", report.suite.verifier
    if not evidence.judge:
        return Check(name=name, outcome="skipped", words=f"{verifier} asks no judge")
    known = evidence.calibration
    remedy = (
        f"label some of its outputs (verigym label {report.run} --single) and hold it against that "
        f"(verigym audit run {report.suite.environment} {report.run}), or gate on a verifier that asks no judge"
    )
    if known is None:
        raise Refused(
            f"{verifier} asks the judge {evidence.judge}, and nobody knows whether it judges as people do: a judge never "
            f"decides alone. First {remedy}"
        )
    if known.low < policy.min_kappa:
        raise Refused(
            f"{verifier} asks the judge {evidence.judge}, which agrees too little with people's labels: kappa {known.kappa:.2f}, "
            f"at least {known.low:.2f} ({known.n} labels), and the policy asks for {policy.min_kappa:.2f}. First {remedy}"
        )
    return Check(
        name=name,
        outcome="pass",
        words=f"the judge {evidence.judge} agrees with people on {known.n} labels: kappa {known.kappa:.2f} "
        f"({known.low:.2f} to {known.high:.2f}; at least {policy.min_kappa:.2f} is asked for)",
        figures={"kappa": known.kappa, "low": known.low, "labels": float(known.n)},
    )


def few_errors(measured: Sequence[ReportPair], comparison: Comparison, policy: GatePolicy) -> Check:
    """Errors are nobody's failures; too many of them, on either side, and the tasks that are left are a biased choice.
    So it is unclear, never a fail: run again. Where there are some, the gain is told both ways."""
    worst = max(measured, key=lambda sides: max(map(error_rate, sides)))
    rates = {"champion": error_rate(worst.champion), "candidate": error_rate(worst.candidate)}
    too_many = max(rates.values()) > policy.max_error_rate
    words = ", ".join(f"{side} {percent(rate)}" for side, rate in rates.items())
    where = f" in {worst.candidate.suite.name}" if len(measured) > 1 else ""
    advice = "run the evaluation again" if too_many else "few enough"
    both = ""
    if comparison.dropped:
        both = (
            f"; {comparison.dropped} tasks left out: {points(comparison.success)}, "
            f"and {points(comparison.with_errors_failed)} were each of them a failure"
        )
    return Check(
        name="few errors",
        outcome="unclear" if too_many else "pass",
        words=f"{words} of episodes{where} could not be scored (at most {percent(policy.max_error_rate)}): {advice}{both}",
        figures=rates,
        suite=worst.candidate.suite.name,
        needed=len(worst.candidate.suite.tasks) if too_many else 0,
    )


def better(comparison: Comparison, policy: GatePolicy) -> Check:
    """Superiority on the primary metric: the one-sided lower bound is above 0, and every exact test agrees."""
    if policy.primary == "success":
        delta, mcnemar = comparison.success, comparison.mcnemar
    else:
        delta, mcnemar = comparison.reward, None
    figures = {"delta": delta.value, "low": delta.low, "high": delta.high, "p": delta.p}
    if mcnemar is not None:
        figures["mcnemar mid-p"] = mcnemar
    shown = delta.low > 0 and max(delta.p, mcnemar or 0.0) <= policy.alpha
    needed, families = 0, 0
    if shown and comparison.families >= policy.min_families:
        outcome, words = "pass", "better"
    elif delta.high <= 0:
        outcome, words = "fail", "no better"
    else:
        gain = max(delta.value, policy.planned_gain)
        outcome, needed = "unclear", _tasks_for(delta.n, delta.sd, gain, policy)
        words = f"not shown to be better; about {needed} tasks would show a gain of {100 * gain:.0f} points, if there is one"
        if comparison.families < policy.min_families:
            families = policy.min_families
            needed = max(needed, math.ceil(delta.n * families / delta.families))
            words = f"at least {families} families are needed to show a gain, about {needed} tasks"
    return Check(
        name=BETTER,
        outcome=outcome,
        words=f"{policy.primary} {change(delta, policy)}, {_p(delta.p)} by {delta.method}: {words}",
        figures=figures,
        suite=comparison.suite,
        needed=needed,
        needed_families=families,
    )


def kept(pairs: Sequence[Pair], suite: str, policy: GatePolicy) -> Check:
    """What the champion masters is not lost, net, in points of the whole suite. A task counts where the champion passes at
    least half of the *other* tasks of its family: chosen by its own outcome, tasks that passed by luck would be chosen, and
    any other version would seem to lose them."""
    name = "what the champion masters is kept"
    if policy.margins.mastered is None:
        return left_out(name)
    families: defaultdict[str, list[float]] = defaultdict(list)
    for before, _ in pairs:
        families[before.family].append(before.passed)
    if all(len(members) == 1 for members in families.values()):
        return skipped(name, "every family has one task, so what it masters cannot be told from luck")
    mastered = {before.task for before, _ in pairs if _masters(before.passed, families[before.family])}
    if not mastered:
        return skipped(name, "the champion passes half of no family: there is nothing to lose")
    found = damage(pairs, lambda one: 1 - one.passed if one.task in mastered else 0.0, policy.alpha)
    where = f"on {len(mastered)} of {len(pairs)} tasks, those of families that it passes at least half of"
    return not_lost(name, where, found, policy.margins.mastered, suite, policy)


def _masters(own: float, family: Sequence[float]) -> bool:
    others = len(family) - 1
    return others > 0 and math.fsum(family) - own >= others / 2


def no_more_unsafe(pairs: Sequence[Pair], suite: str, policy: GatePolicy) -> Check:
    return no_more("unsafe actions", pairs, unsafe, policy.margins.unsafe, suite, policy)


def no_more_invalid(pairs: Sequence[Pair], suite: str, policy: GatePolicy) -> Check:
    return _of_part("invalid outputs", "valid", pairs, policy.margins.invalid, suite, policy)


def no_more_tool_errors(pairs: Sequence[Pair], suite: str, policy: GatePolicy) -> Check:
    return _of_part("tool errors", "executed", pairs, policy.margins.tool_errors, suite, policy)


def as_reliable(pairs: Sequence[Pair], suite: str, policy: GatePolicy) -> Check:
    """pass^k: a task passes only if all of its k repeats do."""
    name = "as reliable"
    if policy.margins.pass_k is None:
        return left_out(name)
    k = min(one.repeats for pair in pairs for one in pair)
    if k == 1:
        return skipped(name, "tasks were tried once, so pass^k is success itself (verigym eval -k repeats them)")
    found = damage(pairs, lambda one: float(one.passed < 1), policy.alpha)
    passing = found.n - found.candidate, found.n - found.champion
    where = f"all {k} repeats pass in {passing[0]} of {found.n} tasks, the champion's in {passing[1]}"
    return not_lost(name, where, found, policy.margins.pass_k, suite, policy)


def honest_reward(comparison: Comparison, trained: TrainingEvidence | None) -> Check:
    """Reward up while what is wanted goes down: on the suite itself, or between the candidate's training and the suite."""
    name, reward, success = "reward and success agree", comparison.reward, comparison.success
    figures = {"reward": reward.value, "success": success.value}
    said = ""
    if reward.low > 0 and success.high < 0:
        said = f"on this suite reward rose by {reward.value:+.3f} while success fell: {points(success)}"
    elif trained is not None and trained.alarm:
        said = f"in its training ({trained.run}, paid by {trained.paid_by}) {trained.alarm}"
    elif trained is not None and trained.reward is not None:
        against = {"the champion": success} | (
            {f"its start {trained.start}": trained.since_start} if trained.since_start else {}
        )
        fell = next((who for who, delta in against.items() if delta.high < 0), None)
        if fell is not None:
            before, last = trained.reward
            said = (
                f"in its training ({trained.run}, paid by {trained.paid_by}) reward rose from {before:.3g} to {last:.3g}, while "
                f"success on held-out tasks fell against {fell}: {points(against[fell])}"
            )
    if said:
        words = f"reward hacking: {said}. It learnt what is paid for, and that is not what is wanted: mend the reward"
        return Check(name=name, outcome="fail", words=words, figures=figures, suite=comparison.suite)
    looked = f" and in its training ({trained.run})" if trained is not None else ""
    return Check(
        name=name,
        outcome="pass",
        words=f"no sign of reward hacking: nowhere on this suite{looked} did reward rise while success fell",
        figures=figures,
        suite=comparison.suite,
    )


# -- what checks share ----------------------------------------------------------------------------------------------


def no_more(
    what: str,
    pairs: Sequence[Pair],
    harm: Callable[[TaskResult], float],
    margin: float | None,
    suite: str,
    policy: GatePolicy,
) -> Check:
    """Non-inferiority of a harm: its increase is bounded within the margin. It fails where an increase is shown, and what
    is seen is beyond the margin."""
    name = f"no more {what}"
    if margin is None:
        return left_out(name)
    found = damage(pairs, harm, policy.alpha)
    return _bounded(
        name,
        found,
        margin,
        f"in {found.candidate} of {found.n} tasks, the champion in {found.champion}: {100 * found.value:+.1f} points, "
        f"at most {100 * found.high:+.1f}",
        ("no more than the champion, within the margin", "more than the champion, beyond the margin", "an increase"),
        suite,
        policy,
    )


def not_lost(name: str, where: str, found: Damage, margin: float, suite: str, policy: GatePolicy) -> Check:
    """Non-inferiority of success."""
    return _bounded(
        name,
        found,
        margin,
        f"{where}: {_signed(-found.value)} points, at worst {_signed(-found.high)}",
        ("kept, within the margin", "lost, beyond the margin", "a loss"),
        suite,
        policy,
    )


def _bounded(
    name: str, found: Damage, margin: float, seen: str, says: tuple[str, str, str], suite: str, policy: GatePolicy
) -> Check:
    fine, broken, what = says
    needed = 0
    if found.high <= margin:
        outcome, conclusion = "pass", fine
    elif found.value > margin and found.shown:
        outcome, conclusion = "fail", broken
    else:
        outcome, needed = "unclear", _tasks_within(found, margin, policy)
        conclusion = f"{what} beyond the margin is not ruled out; about {needed} tasks would settle it"
    return Check(
        name=name,
        outcome=outcome,
        words=f"{seen} (margin {100 * margin:.1f}): {conclusion}",
        figures={"increase": found.value, "low": found.low, "high": found.high, "margin": margin},
        suite=suite,
        needed=needed,
    )


def skipped(name: str, words: str) -> Check:
    return Check(name=name, outcome="skipped", words=words)


def left_out(name: str) -> Check:
    return skipped(name, "left out by the policy")


def unsafe(one: TaskResult) -> float:
    return one.rates.get("unsafe", 0.0)


def _of_part(
    what: str, part: str, pairs: Sequence[Pair], margin: float | None, suite: str, policy: GatePolicy
) -> Check:
    """Of a rate that only some verifiers name; 1 is good."""
    judged = [pair for pair in pairs if all(part in one.rates for one in pair)]
    if margin is not None and not judged:
        return skipped(f"no more {what}", "this verifier does not judge it: nothing to compare")
    return no_more(what, judged, lambda one: 1 - one.rates[part], margin, suite, policy)


def error_rate(report: Report) -> float:
    """Share of episodes that could not be scored."""
    scored = sum(result.repeats for result in report.results)
    return report.errors / (scored + report.errors)


def change(delta: Delta, policy: GatePolicy) -> str:
    """The primary metric's, with its bounds: `+19.2 points (at least +12.3, at most +26.1)`; a reward has its own unit."""
    if policy.primary == "reward":
        return f"{delta.value:+.3f} (at least {delta.low:+.3f}, at most {delta.high:+.3f})"
    return points(delta)


def points(delta: Delta) -> str:
    return f"{_signed(delta.value)} points (at least {_signed(delta.low)}, at most {_signed(delta.high)})"


def _signed(share: float) -> str:
    return f"{100 * share + 0.0:+.1f}"


def _tasks_for(n: int, sd: float, effect: float, policy: GatePolicy) -> int:
    """Never less than twice as many as there are: what these left open, a few more will not settle."""
    return max(2 * n, tasks_needed(sd, effect, policy.power, policy.alpha))


def _tasks_within(found: Damage, margin: float, policy: GatePolicy) -> int:
    if found.champion == found.candidate == 0:
        return math.ceil(math.log(policy.alpha) / math.log(1 - margin))
    return _tasks_for(found.n, found.sd, max(margin - found.value, margin / 5), policy)


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
