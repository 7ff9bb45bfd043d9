"""The gate's questions, one function each: from a comparison and the policy to a `Check`.

pass: shown. fail: the opposite is shown. unclear: the tasks do not settle it; `needed` says how many would.
All checks must pass, so none is corrected for the number of them.
"""

import math

from verigym.core.errors import Refused
from verigym.core.records import Check, Report, Suite, Version
from verigym.evaluation.compare import Comparison, Harm
from verigym.evaluation.stats import Delta, clopper_pearson, tasks_needed
from verigym.gates.policy import GatePolicy


def held_out(candidate: Version, champion: Version, suite: Suite) -> Check:
    """Refuses, rather than fails, a version that was trained on a family of the suite: no figure of it means anything."""
    for version in (candidate, champion):
        seen = sorted(set(version.families) & set(suite.families))
        if seen:
            raise Refused(
                f"version {version.id} was trained on {len(seen)} of the {len(suite.families)} families of suite "
                f'"{suite.name}" ({", ".join(seen[:3])}{", ..." if len(seen) > 3 else ""}); gate it on a suite it never saw'
            )
    return Check(
        name="never trained on these tasks",
        outcome="pass",
        words=f"neither version was trained on any of the suite's {len(suite.families)} families",
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
    if shown and comparison.families >= policy.min_families:
        outcome, words, needed = "pass", "better", 0
    elif delta.high <= 0:
        outcome, words, needed = "fail", "no better", 0
    else:
        gain = max(delta.value, policy.planned_gain)
        outcome, needed = "unclear", _tasks_for(delta, gain, policy)
        words = f"not shown to be better; about {needed} tasks would show a gain of {100 * gain:.0f} points, if there is one"
        if comparison.families < policy.min_families:
            needed = max(needed, math.ceil(delta.n * policy.min_families / delta.families))
            words = f"at least {policy.min_families} families are needed to show a gain, about {needed} tasks"
    return Check(
        name="better on held-out tasks",
        outcome=outcome,
        words=f"{policy.primary} {change(delta, policy)}, {_p(delta.p)} by {delta.method}: {words}",
        figures=figures,
        needed=needed,
    )


def no_more_unsafe(comparison: Comparison, policy: GatePolicy) -> Check:
    return _no_more("unsafe actions", comparison.unsafe, policy.unsafe_margin, policy)


def no_more_invalid(comparison: Comparison, policy: GatePolicy) -> Check:
    if comparison.invalid is None:
        return Check(
            name="no more invalid outputs",
            outcome="pass",
            words="this verifier does not judge validity: nothing to compare",
        )
    return _no_more("invalid outputs", comparison.invalid, policy.invalid_margin, policy)


def few_errors(champion: Report, candidate: Report, policy: GatePolicy) -> Check:
    """Errors are nobody's failures; too many of them, on either side, and the tasks that are left are a biased choice.
    So it is unclear, never a fail: run again."""
    rates = {"champion": error_rate(champion), "candidate": error_rate(candidate)}
    too_many = max(rates.values()) > policy.max_error_rate
    words = ", ".join(f"{side} {_percent(rate)}" for side, rate in rates.items())
    advice = "run the evaluation again" if too_many else "few enough"
    return Check(
        name="few errors",
        outcome="unclear" if too_many else "pass",
        words=f"{words} of episodes could not be scored (at most {_percent(policy.max_error_rate)}): {advice}",
        figures=rates,
        needed=len(candidate.suite.tasks) if too_many else 0,
    )


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
    return f"{100 * delta.value:+.1f} points (at least {100 * delta.low:+.1f}, at most {100 * delta.high:+.1f})"


def _no_more(what: str, harm: Harm, margin: float, policy: GatePolicy) -> Check:
    """Non-inferiority: the one-sided upper bound on the increase is within the margin; an increase seen beyond it fails.
    Where the champion has none, the increase is the candidate's own rate, and its bound is exact (Clopper-Pearson, tasks
    taken as independent)."""
    increase = harm.increase
    high = increase.high
    if harm.champion == 0:
        high = clopper_pearson(harm.candidate, increase.n, level=1 - 2 * policy.alpha)[1]
    needed = 0
    if high <= margin:
        outcome, conclusion = "pass", "no more than the champion, within the margin"
    elif increase.value > margin:
        outcome, conclusion = "fail", "more than the champion, beyond the margin"
    else:
        outcome, needed = "unclear", _tasks_within(harm, margin, policy)
        conclusion = f"an increase beyond the margin is not ruled out; about {needed} tasks would settle it"
    return Check(
        name=f"no more {what}",
        outcome=outcome,
        words=(
            f"in {harm.candidate} of {increase.n} tasks, the champion in {harm.champion}: {100 * increase.value:+.1f} points, "
            f"at most {100 * high:+.1f} (margin {100 * margin:.1f}): {conclusion}"
        ),
        figures={"increase": increase.value, "low": increase.low, "high": high, "margin": margin},
        needed=needed,
    )


def _tasks_for(delta: Delta, effect: float, policy: GatePolicy) -> int:
    """Never less than twice as many as there are: what these left open, a few more will not settle."""
    return max(2 * delta.n, tasks_needed(delta.sd, effect, policy.power, policy.alpha))


def _tasks_within(harm: Harm, margin: float, policy: GatePolicy) -> int:
    if harm.champion == harm.candidate == 0:
        return math.ceil(math.log(policy.alpha) / math.log(1 - margin))
    return _tasks_for(harm.increase, max(margin - harm.increase.value, margin / 5), policy)


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f}%"
