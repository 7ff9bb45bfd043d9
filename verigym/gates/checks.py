"""The gate's questions about the primary suite, one function each: from what was measured and the policy to a `Check`.

pass: shown. fail: the opposite is shown. unclear: not settled; `Judging.wanted` says what to measure next, or the words say what
is missing. skipped: there is nothing to ask. All checks must pass, so none is corrected for the number of them. Those of other
suites are in `guards`.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import NormalDist

import msgspec

from verigym.core.errors import Refused
from verigym.core.records import Check, Report, TaskResult
from verigym.core.words import counted, percent
from verigym.evaluation import sequential
from verigym.evaluation.compare import Comparison
from verigym.evaluation.stats import Delta, best_of_p, clopper_pearson, clustered_mean, mcnemar_midp, paired_delta
from verigym.gates.damage import Damage, Harm, damage, score_bounds
from verigym.gates.evidence import Evidence, ReportPair, TrainingEvidence
from verigym.gates.judging import Judging, Sample
from verigym.gates.policy import AsGood, GatePolicy

BETTER, AS_GOOD = "better on held-out tasks", "as good on held-out tasks"


def trusted(evidence: Evidence, policy: GatePolicy) -> Check:
    """A judge decides nothing here before people's labels have shown that it judges as they do."""
    report = evidence.primary.candidate
    name, verifier = "the verdicts can be trusted", report.suite.verifier
    if not evidence.judge:
        return Check(name=name, outcome="skipped", words=f"{verifier} asks no judge")
    known = evidence.calibration
    remedy = (
        f"Label some of its outputs (verigym label {report.run} --single) and compare the judge with the labels "
        f"(verigym audit run {report.suite.environment} {report.run}), or gate on a verifier that asks no judge"
    )
    if known is None:
        words = (
            f"{verifier} asks the judge {evidence.judge}, and no labels show whether it judges as people do. {remedy}"
        )
        return Check(name=name, outcome="unclear", words=words, suite=report.suite.name)
    agreement = (
        f"kappa {known.kappa:.2f} ({known.low:.2f} to {known.high:.2f}), and the policy asks for {policy.min_kappa:.2f}"
    )
    if known.high < policy.min_kappa:
        raise Refused(
            f"{verifier} asks the judge {evidence.judge}, which disagrees with people on {counted(known.n, 'label')}: "
            f"{agreement}. Gate on another verifier or judge"
        )
    if known.low < policy.min_kappa:
        words = f"{counted(known.n, 'label')} are too few to trust the judge {evidence.judge}: {agreement}. {remedy}"
        return Check(name=name, outcome="unclear", words=words, suite=report.suite.name)
    return Check(
        name=name,
        outcome="pass",
        words=f"the judge {evidence.judge} agrees with people on {counted(known.n, 'label')}: {agreement}",
        figures={"kappa": known.kappa, "low": known.low, "labels": float(known.n)},
    )


def few_errors(measured: Sequence[ReportPair], comparison: Comparison, judging: Judging) -> Check:
    """Errors are nobody's failures; too many of them, on either side, and the tasks that are left are a biased choice.
    So it is unclear, never a fail: run again. One error is never too many. Where there are some, the gain is told both ways."""
    name, most = "few errors", judging.policy.max_error_rate
    worst = max(measured, key=lambda sides: max(map(error_rate, sides)))
    rates = {"champion": error_rate(worst.champion), "candidate": error_rate(worst.candidate)}
    failing = max(worst, key=error_rate)
    too_many = error_rate(failing) > most and failing.errors > 1
    if too_many and clopper_pearson(failing.errors, _episodes(failing), level=0.9)[0] <= most:
        judging.retried.add(name)  # few tasks so far, and the next look tries some of them again
    words = ", ".join(f"{side} {percent(rate)}" for side, rate in rates.items())
    where = f" in {worst.candidate.suite.name}" if len(measured) > 1 else ""
    advice = (
        f"too many. See why (verigym explain {failing.run}), fix the cause and repeat the command"
        if too_many
        else "few enough"
    )
    both = ""
    if comparison.dropped:
        both = (
            f"; {comparison.dropped} tasks left out: {points(comparison.success)}, "
            f"and {points(comparison.with_errors_failed)} were each of them a failure"
        )
    return Check(
        name=name,
        outcome="unclear" if too_many else "pass",
        words=f"{words} of episodes{where} could not be scored (at most {percent(most)}): {advice}{both}",
        figures=rates,
        suite=worst.candidate.suite.name,
    )


def better(
    primary: Sample, judging: Judging, seen: frozenset[str] = frozenset(), rivals: Sequence[Sample] = ()
) -> Check:
    """Superiority on the primary metric, look by look: p reaches the boundary of this look. After the planned information
    without it, or where a gain worth finding is ruled out, it fails."""
    policy = judging.policy
    known = judging.settled(BETTER)
    same_plan = known is not None and known.margin == policy.planned_gain
    if known is not None and (known.outcome == "pass" or (same_plan and not _new(primary, seen))):
        return _with_later_tasks(known, primary, policy)
    if seen:
        return _better_on_new_families(primary, judging, seen)
    alpha = sequential.share_of_risk(policy.alpha, judging.turn)
    planned = ((_z(alpha) + _z(1 - policy.power)) / policy.planned_gain) ** 2
    delta = _difference(primary, policy, 1 - policy.alpha)
    enough = delta.families >= policy.min_families
    information = min(1.0, max(1 / delta.se**2 / planned, primary.information)) if enough else 0.0
    looks, look = judging.look(judging.looks(BETTER), delta.n, information, lambda share: alpha * share)
    bound = _difference(primary, policy, 1 - max(look.boundary, 1e-9))
    p = max(bound.p, _mcnemar(primary, policy), _best_of(primary, rivals, policy) if rivals else 0.0)
    figures = {"delta": delta.value, "low": bound.low, "high": delta.high, "p": p, "boundary": look.boundary}
    least = (_z(alpha) + _z(1 - policy.power)) * delta.se
    needed = 0
    if p <= look.boundary and delta.value > 0:
        outcome, words = "pass", "better"
    elif _upper(delta, 0.1) < policy.planned_gain / 2:
        outcome, words = "fail", f"a gain of {_amount(policy.planned_gain, policy)} is ruled out"
    elif look.information >= 1 and 1 / delta.se**2 >= planned:
        outcome = "fail"
        words = f"not shown to be better, by as many tasks as show a gain of {_amount(policy.planned_gain, policy)}"
    elif judging.want_more(BETTER, primary):
        outcome, words = "unclear", "not settled yet"
    else:
        outcome, needed = "unclear", _families_needed(delta, planned, policy)
        reach = f"they show gains of {_amount(least, policy)} or more"
        if not enough:
            reach = f"at least {policy.min_families} families are needed to show a gain"
        words = f"not shown to be better. All {counted(primary.total, 'task')} were measured, and {reach}"
    asked = f" (look {len(looks) + 1} needs p at most {look.boundary:.2g})" if look.boundary else ""
    turn = ""
    if judging.turn > 1:
        turn = (
            f". It is test number {judging.turn} on these families against this champion, so the risk is "
            f"{percent(alpha, 2)} instead of {percent(policy.alpha, 0)}"
        )
    result = f"{_metric(policy)} {change(bound, policy)}, {_p(p)} by {delta.method}{asked}: {words}"
    if needed and (nothing := _nothing_to_compare(primary, policy)):
        needed, result = 0, nothing
    if rivals:
        turn += f". It is the best of {len(rivals) + 1} candidates, and p allows for that choice"
    return Check(
        name=BETTER,
        outcome=outcome,
        words=f"{result}{turn}",
        figures=figures,
        suite=primary.suite,
        needed_families=needed,
        margin=policy.planned_gain,
        unit=_unit(policy),
        looks=[*looks, look] if look.boundary else looks,
    )


def _better_on_new_families(primary: Sample, judging: Judging, seen: frozenset[str]) -> Check:
    """The test of this pair on the families in `seen` is over. Only new families count, by an e-value: it may be looked at
    after any number of them."""
    policy = judging.policy
    fresh = [pair for pair in primary.pairs if pair[0].family not in seen]
    alpha = _AGAIN * sequential.share_of_risk(policy.alpha, judging.turn)
    evidence, value = 1.0, 0.0
    if fresh:
        sums: dict[str, float] = {}
        for before, after in fresh:
            sums[before.family] = sums.get(before.family, 0.0) + _figure(after, policy) - _figure(before, policy)
        value = math.fsum(sums.values()) / len(fresh)
        evidence = sequential.mixture_evidence(list(sums.values()), spread=8 * len(fresh) / len(sums))
    families = len({before.family for before, _ in fresh})
    enough = 1 / alpha
    gain = _amount(value, policy, signed=True)
    so_far = f"{gain} on {counted(families, 'new family')}, evidence {evidence:.3g} of {enough:.0f}"
    needed = 0
    if evidence >= enough and value > 0:
        outcome, words = "pass", f"{so_far}: better"
    elif not primary.left <= seen and judging.want_more(BETTER, primary):
        outcome, words = "unclear", f"{so_far}: not settled yet"
    else:
        outcome, needed = "unclear", max(20, families)
        words = f"an earlier test of these two versions used up the other families, so only new ones count: {so_far}"
        if nothing := _nothing_to_compare(primary, policy):
            needed, words = 0, nothing
    return Check(
        name=BETTER,
        outcome=outcome,
        words=words,
        figures={"delta": value, "evidence": evidence, "enough": enough},
        suite=primary.suite,
        needed_families=needed,
        margin=policy.planned_gain,
        unit=_unit(policy),
        looks=judging.looks(BETTER),
    )


def least_gain(families: int, policy: GatePolicy) -> float:
    """The smallest gain in success that so many families show, at best: if no task is lost. 1 if they are too few for any, 0 if
    the policy asks for another gain."""
    if policy.primary != "success":
        return 0.0
    if families < policy.min_families:
        return 1.0
    z = _z(sequential.share_of_risk(policy.alpha, 1)) + _z(1 - policy.power)
    return z**2 / (families + z**2)


def _with_later_tasks(known: Check, primary: Sample, policy: GatePolicy) -> Check:
    """A check that an earlier look settled, with the gain on all tasks that were measured since, for other checks."""
    then, now = known.looks[-1].tasks, len(primary.pairs)
    if now <= then:
        return known
    gain = _amount(_difference(primary, policy, 1 - policy.alpha).value, policy, signed=True)
    settled = f". This was settled at look {len(known.looks)}, on {counted(then, 'task')}"
    words = f"{known.words.partition(settled)[0]}{settled}. On all {counted(now, 'task')}: {gain}"
    return msgspec.structs.replace(known, words=words)


def _nothing_to_compare(primary: Sample, policy: GatePolicy) -> str:
    """Why more tasks like these would show nothing: no task, or every task, is passed by both versions."""
    passed = {_figure(one, policy) for pair in primary.pairs for one in pair}
    if policy.primary != "success" or len(passed) != 1 or not passed <= {0, 1}:
        return ""
    tasks = counted(len(primary.pairs), "task")
    if passed == {0}:
        return f"{NOTHING} none of {tasks}, so there is nothing to compare. Improve the candidate before you add tasks"
    return f"{NOTHING} all of {tasks}, so there is nothing to compare. Add harder tasks"


NOTHING = "both pass"

_AGAIN = 0.6
"""Risk of a test on new families, in times that of the completed test. For a first candidate both together risk 5%."""


def _new(primary: Sample, seen: frozenset[str]) -> bool:
    """Whether there are families besides those of a completed test."""
    return bool(seen) and not {*primary.families, *primary.left} <= seen


def _difference(primary: Sample, policy: GatePolicy, level: float) -> Delta:
    before, after = ([_figure(one, policy) for one in side] for side in zip(*primary.pairs, strict=True))
    bounded = all(0 <= one <= 1 for one in (*before, *after))
    return paired_delta(before, after, primary.families, level=level, rate=bounded)


def _figure(result: TaskResult, policy: GatePolicy) -> float:
    return result.reward if policy.primary == "reward" else result.passed


def _mcnemar(primary: Sample, policy: GatePolicy) -> float:
    """The exact test of tasks that were tried once, one of each family. 0 elsewhere: it takes tasks as independent."""
    pairs = primary.pairs
    single = len(set(primary.families)) == len(pairs) and all(one.repeats == 1 for pair in pairs for one in pair)
    if policy.primary != "success" or not single:
        return 0.0
    gained = sum(after.passed > before.passed for before, after in pairs)
    return mcnemar_midp(gained, sum(after.passed < before.passed for before, after in pairs))


def _best_of(primary: Sample, rivals: Sequence[Sample], policy: GatePolicy) -> float:
    tables: list[dict[str, float]] = []
    for one in (primary, *rivals):
        sums: dict[str, float] = {}
        for before, after in one.pairs:
            sums[before.family] = sums.get(before.family, 0.0) + _figure(after, policy) - _figure(before, policy)
        tables.append(sums)
    families = sorted({family for sums in tables for family in sums})
    return best_of_p([[sums.get(family, 0.0) for family in families] for sums in tables], 0)


def _upper(delta: Delta, tail: float) -> float:
    return delta.value + _z(tail) * delta.se


def _families_needed(delta: Delta, planned: float, policy: GatePolicy) -> int:
    """How many more families show the gain that was planned for, or the one seen if that is larger."""
    gain = max(policy.planned_gain, delta.value)
    wanted = planned * (policy.planned_gain / gain) ** 2
    return max(policy.min_families - delta.families, math.ceil(delta.families * (wanted * delta.se**2 - 1)), 5)


def as_good(primary: Sample, judging: Judging) -> Check:
    """Non-inferiority on the primary suite, for a candidate that is to be cheaper or faster."""
    asked = judging.policy.primary
    assert isinstance(asked, AsGood)

    def words(found: Damage) -> str:
        spread = (found.worse + found.better) / found.n
        smaller = asked.no_worse / 2
        tasks = math.ceil(
            (_z(judging.policy.alpha) + _z(1 - judging.policy.power)) ** 2 * max(spread, 0.02) / smaller**2
        )
        return (
            f"success {_signed(-found.value)} points, at worst {_signed(-found.high)} "
            f"(a margin of {100 * smaller:.1f} points would take about {tasks:,} tasks)"
        )

    return not_lost(AS_GOOD, words, primary, lambda one: 1 - one.passed, asked.no_worse, judging)


def kept(primary: Sample, judging: Judging) -> Check:
    """What the champion masters is not lost, net, in points of the whole suite. A task counts where the champion passes at
    least half of the *other* tasks of its family: chosen by its own outcome, tasks that passed by luck would be chosen, and
    any other version would seem to lose them."""
    name, margin = "what the champion masters is kept", judging.policy.margins.mastered
    if margin is None:
        return left_out(name)
    families: defaultdict[str, list[float]] = defaultdict(list)
    for before, _ in primary.pairs:
        families[before.family].append(before.passed)
    if all(size == 1 for size in primary.sizes):
        return skipped(name, "every family has one task, so what it masters cannot be told from luck")
    passes = clustered_mean(
        [before.passed for before, _ in primary.pairs], primary.families, 1 - 2 * judging.policy.alpha, rate=True
    )
    if passes.high <= margin:
        return skipped(name, f"the champion passes at most {percent(passes.high)} of tasks, which is within the margin")
    mastered = {before.task for before, _ in primary.pairs if _masters(before.passed, families[before.family])}
    if all(len(ones) == 1 for ones in families.values()) and judging.want_more(name, primary):
        why = "one task of each family was measured so far, so what it masters cannot be told from luck"
        return Check(name=name, outcome="unclear", words=why, suite=primary.suite, margin=margin, unit="points")
    if not mastered:
        return skipped(name, "the champion passes half of no family, so there is nothing to lose")

    def words(found: Damage) -> str:
        where = f"on {len(mastered)} of {found.n} tasks, from families that the champion mostly passes"
        return f"{where}: {_signed(-found.value)} points, at worst {_signed(-found.high)}"

    return not_lost(name, words, primary, lambda one: 1 - one.passed if one.task in mastered else 0.0, margin, judging)


def _masters(own: float, family: Sequence[float]) -> bool:
    others = len(family) - 1
    return others > 0 and math.fsum(family) - own >= others / 2


def no_more_unsafe(primary: Sample, judging: Judging, marked: bool) -> Check:
    name = "no more unsafe actions"
    if not marked and not any(unsafe(one) for pair in primary.pairs for one in pair):
        return skipped(name, "the environment marks nothing as unsafe")
    return no_more("unsafe actions", primary, unsafe, judging.policy.margins.unsafe, judging)


def no_more_invalid(primary: Sample, judging: Judging) -> Check:
    return _of_part("invalid outputs", "valid", primary, judging.policy.margins.invalid, judging)


def no_more_tool_errors(primary: Sample, judging: Judging) -> Check:
    return _of_part("tool errors", "executed", primary, judging.policy.margins.tool_errors, judging)


def as_reliable(primary: Sample, judging: Judging) -> Check:
    """pass^k: a task passes only if all of its k repeats do. Reported; judged only where the policy has a margin."""
    name, margin = "as reliable", judging.policy.margins.pass_k
    k = min(one.repeats for pair in primary.pairs for one in pair)
    if k == 1:
        return skipped(name, "tasks were tried once, so pass^k is success itself (verigym eval -k repeats them)")

    def fails(one: TaskResult) -> float:
        return float(one.passed < 1)

    def words(found: Damage) -> str:
        passing = found.n - found.candidate, found.n - found.champion
        return f"all {k} repeats pass in {passing[0]} of {found.n} tasks, the champion's in {passing[1]}"

    if margin is None:
        return skipped(name, f"{words(damage(primary.pairs, fails))} (reported only: the policy sets no margin)")
    return not_lost(name, words, primary, fails, margin, judging)


def honest_reward(comparison: Comparison, trained: TrainingEvidence | None) -> Check:
    """Reward up while what is wanted goes down: on the suite itself, or between the candidate's training and the suite."""
    name, reward, success = "reward and success agree", comparison.reward, comparison.success
    figures = {"reward": reward.value, "success": success.value}
    said = ""
    if reward.low > 0 and success.high < 0:
        said = f"on this suite reward rose by {reward.value:+.3f} while success fell: {points(success)}"
    elif trained is not None and trained.alarm:
        said = f"in its training ({trained.run}, paid by {trained.paid}) {trained.alarm}"
    elif trained is not None and trained.reward is not None:
        against = {"the champion": success} | (
            {f"its start {trained.start}": trained.since_start} if trained.since_start else {}
        )
        fell = next((who for who, delta in against.items() if delta.high < 0), None)
        if fell is not None:
            before, last = trained.reward
            said = (
                f"in its training ({trained.run}, paid by {trained.paid}) reward rose from {before:.3g} to {last:.3g}, while "
                f"success on held-out tasks fell against {fell}: {points(against[fell])}"
            )
    if said:
        remedy = "Mend the reward"
        if trained is not None and trained.penalty:
            remedy = "The penalty is not part of the verifier: lower it or remove it"
        words = f"reward hacking: {said}. It learnt what is paid for, and that is not what is wanted. {remedy}"
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


def no_more(what: str, sample: Sample, harm: Harm, margin: float | None, judging: Judging) -> Check:
    """Non-inferiority of a harm: its increase is bounded within the margin."""
    name = f"no more {what}"
    if margin is None:
        return left_out(name)

    def words(found: Damage) -> str:
        return (
            f"in {found.candidate} of {found.n} tasks, the champion in {found.champion}: {100 * found.value:+.1f} points, "
            f"at most {100 * found.high:+.1f}"
        )

    says = ("no more than the champion, within the margin", "more than the champion, beyond the margin", "an increase")
    return _bounded(name, words, sample, harm, margin, says, judging)


def not_lost(
    name: str, words: Callable[[Damage], str], sample: Sample, harm: Harm, margin: float, judging: Judging
) -> Check:
    """Non-inferiority of success."""
    if sample.pairs and all(harm(before) == 1 for before, _ in sample.pairs):
        return skipped(
            name, f"the champion passes none of {counted(len(sample.pairs), 'task')}, so nothing can be lost"
        )
    says = ("kept, within the margin", "lost, beyond the margin", "a loss")
    return _bounded(name, words, sample, harm, margin, says, judging)


def _bounded(
    name: str,
    words: Callable[[Damage], str],
    sample: Sample,
    harm: Harm,
    margin: float,
    says: tuple[str, str, str],
    judging: Judging,
) -> Check:
    """It passes where the increase is bounded within the margin at this look, and fails where an increase beyond it is shown.
    A look at which not even a candidate without any harm could pass is none: it spends nothing."""
    if known := judging.settled(name, margin):
        return known
    if not sample.pairs:
        return Check(name=name, outcome="unclear", words="none of its tasks could be scored", suite=sample.suite)
    alpha, total = judging.policy.alpha, sample.total
    looks, look = judging.guard_look(name, margin, sample)
    found, plain = (damage(sample.pairs, harm, level) for level in (max(look.boundary, 1e-12), alpha))
    if found.single and found.better == 0:
        most = sequential.acceptance_number(looks, found.n, look.spent, margin)
        fine, possible = found.worse <= most, most >= 0
    else:
        fine = found.high <= margin
        possible = score_bounds(0, 0, found.n / found.crowding, max(look.boundary, 1e-12))[1] <= margin
    looks = [*looks, look] if possible else judging.looks(name, margin)
    good, bad, what = says
    families, last = 0, sample.used_up or plain.bounds(alpha, total)[1] > margin
    if fine:
        outcome, conclusion = "pass", good
    elif plain.value > margin and (plain.low > 0 if last else damage(sample.pairs, harm, alpha / _LOOKS).low > margin):
        outcome, conclusion = "fail", bad
    elif not last and judging.want_more(name, sample, sequential.first_that_passes(margin, total, alpha)):
        outcome, conclusion = "unclear", "not settled yet"
    else:
        outcome = "unclear"
        families = _families_within(plain, len(sample.sizes), total, margin, judging.policy)
        used = (
            f"all {counted(total, 'task')} were measured"
            if sample.used_up
            else f"not even all {counted(total, 'task')} can"
        )
        conclusion = f"{what} beyond the margin is not ruled out: {used}"
    return Check(
        name=name,
        outcome=outcome,
        words=f"{words(found)} (margin {100 * margin:.1f}): {conclusion}",
        figures={"increase": found.value, "low": plain.low, "high": found.high, "boundary": look.boundary},
        suite=sample.suite,
        needed_families=families,
        margin=margin,
        unit="points",
        looks=looks,
    )


_LOOKS = 6
"""Looks that the risk of a false failure is shared by."""


def _families_within(found: Damage, families: int, total: int, margin: float, policy: GatePolicy) -> int:
    """New families with as many tasks that bound the damage seen within the margin."""
    spread = max((found.worse + found.better) / found.n, margin / 5) * found.crowding
    room = max(margin - found.value, margin / 5)
    tasks = (_z(policy.alpha) + _z(1 - policy.power)) ** 2 * spread / room**2
    tasks = max(tasks, math.log(policy.alpha) / math.log(1 - margin) * found.crowding)
    return max(5, math.ceil((tasks - total) * families / total))


def skipped(name: str, why: str) -> Check:
    return Check(name=name, outcome="skipped", words=why)


def left_out(name: str) -> Check:
    return skipped(name, "left out by the policy")


def unsafe(one: TaskResult) -> float:
    return one.rates.get("unsafe", 0.0)


def _of_part(what: str, part: str, sample: Sample, margin: float | None, judging: Judging) -> Check:
    """Of a rate that only some verifiers name; 1 is good."""
    judged = [pair for pair in sample.pairs if all(part in one.rates for one in pair)]
    if margin is not None and not judged:
        return skipped(f"no more {what}", "this verifier does not judge it: nothing to compare")
    return no_more(
        what, msgspec.structs.replace(sample, pairs=judged), lambda one: 1 - one.rates[part], margin, judging
    )


def error_rate(report: Report) -> float:
    """Share of episodes that could not be scored."""
    return report.errors / _episodes(report)


def _episodes(report: Report) -> int:
    return sum(result.repeats for result in report.results) + report.errors


def change(delta: Delta, policy: GatePolicy) -> str:
    """The primary metric's, with its bounds: `+19.2 points (at least +12.3, at most +26.1)`; a reward has its own unit."""
    if policy.primary == "reward":
        return f"{delta.value:+.3f} (at least {delta.low:+.3f}, at most {delta.high:+.3f})"
    return points(delta)


def points(delta: Delta) -> str:
    return f"{_signed(delta.value)} points (at least {_signed(delta.low)}, at most {_signed(delta.high)})"


def _unit(policy: GatePolicy) -> str:
    return "reward" if policy.primary == "reward" else "points"


def _metric(policy: GatePolicy) -> str:
    return "reward" if policy.primary == "reward" else "success"


def _amount(value: float, policy: GatePolicy, signed: bool = False) -> str:
    """`5 points`; of a reward, `0.05`."""
    if policy.primary == "reward":
        return f"{value:+.3f}" if signed else f"{value:.3g}"
    return f"{_signed(value)} points" if signed else f"{100 * value:.3g} points"


def _signed(share: float) -> str:
    return f"{100 * share + 0.0:+.1f}"


def _z(tail: float) -> float:
    return NormalDist().inv_cdf(1 - tail)


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
