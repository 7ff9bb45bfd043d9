"""What to try first: rules over what was measured, the lightest fix first. Pure: `AdviceEvidence` in, `Advice` out.

Where the figures come from, trials and estimates are `flywheel.advise`'s. Each fix is a function that speaks for itself, or
says why not; `FIXES` is their order, from what costs nothing to what costs most. RECIPE in a command is filled in there.
"""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from verigym.core.records import Advice, Estimate
from verigym.evaluation.failures import Horizon

SATURATED = 0.9
"""Success whose lower bound reaches this has little left to learn."""
GOOD = 0.8
"""Success after a cheap trial from which training can wait."""
SHARE = 0.1
"""Of episodes that fail in one way, from which that is worth a fix of its own."""
GAP = 0.1
"""Between pass@1 and pass@k: what trying again already reaches, and training could make the rule."""
SIGNAL = 0.15
"""Of groups whose rewards differ."""
NEVER = 0.05
"""Success even of the best of k tries, under which there is nothing to reinforce."""
MIN_TASKS, MIN_FAMILIES = 50, 5
"""To train on; with fewer, a model learns the tasks by heart."""
MIN_EXAMPLES, MIN_PAIRS, MIN_LABELS = 50, 50, 200
MIN_FRESH = 20
"""Solutions that are new to a trained agent, to train it once more."""
MAX_ERRORS = 0.05

BY_FORM = ("format error", "hallucinated API")
"""Buckets that a stricter form alone could mend."""
REPAIR, MEND, CHECK = "put the infrastructure right", "fix the verifier", "check the verifier"
GOOD_ENOUGH, MORE_TASKS = "do not train: it is good enough", "do not train yet: more tasks"
PROMPT, CONSTRAINT, TRIES = "a prompt variant", "constrained decoding", "measure several tries"
SFT, DPO, REWARD_MODEL, GRPO, WORKFLOW = (
    "SFT (a LoRA adapter)",
    "DPO",
    "a reward model, then RL against it (RLHF)",
    "RLVR with GRPO",
    "RL in the environment, with rewards for whole trajectories",
)


class Trial(Struct, frozen=True, kw_only=True):
    """A cheap change that was tried: the same tasks, before and after."""

    kind: Literal["prompt", "constraint"]
    version: str
    run: str
    tasks: int
    before: float
    """Success."""
    after: float
    low: float
    """Of the paired difference, one-sided at 95%; as is `high`."""
    high: float
    unread_before: float = 0.0
    """Share of episodes that failed by their form."""
    unread_after: float = 0.0

    @property
    def helped(self) -> bool:
        return self.low > 0

    @property
    def words(self) -> str:
        return (
            f"tried on {self.tasks} training tasks: success {_percent(self.before)} to {_percent(self.after)} "
            f"({_points(self.after - self.before)} points, {_points(self.low)} to {_points(self.high)}), "
            f"failing by form {_percent(self.unread_before)} to {_percent(self.unread_after)}"
        )


class AdviceEvidence(Struct, frozen=True, kw_only=True):
    """What decides. Shares are of scored episodes."""

    run: str = "latest"
    agent: str = "latest"
    """As a command names it."""
    environment: str = "ENV"
    success: Estimate
    buckets: dict[str, float] = {}
    errors: float = 0.0
    """Share of episodes that could not be scored."""
    k: int = 1
    """Tries of a task."""
    pass_at_1: float | None = None
    """Of the same tries as `pass_at_k`; none where each task was tried once."""
    pass_at_k: float | None = None
    signal: float | None = None
    """Share of groups whose rewards differ."""
    horizon: Horizon | None = None
    local: bool = True
    """Whether the weights are here: a model behind a server cannot be trained or constrained."""
    parameters: float = 0.0
    """Of the model; 0 where that is not known."""
    has_tools: bool = False
    has_prompt: bool = False
    """Of its own, in place of the environment's."""
    constrained: bool = False
    trained: str = ""
    """The algorithm that made its adapter; empty for none."""
    train_tasks: int = 0
    train_families: int = 0
    gold: int = 0
    """Training tasks with a written solution."""
    fresh: int = 0
    """Of a trained agent: those of `gold` that are new to it, such as failures that were mined since."""
    demonstrations: int = 0
    """Episodes on training tasks that passed, and rows of data sets."""
    pairs: int = 0
    """Preferences in data sets."""
    labels: int = 0
    """Of people, one output against another."""
    verified_by: Literal["program", "judge"] = "program"
    checked: bool = True
    """Whether the environment's contract was tried, and held."""
    audited: bool = False
    faults: list[str] = []
    """What the last audit of the verifier found."""
    trials: list[Trial] = []

    @property
    def gap(self) -> float:
        """What trying again gains."""
        return (self.pass_at_k or 0.0) - (self.pass_at_1 or 0.0)

    def share(self, *buckets: str) -> float:
        return sum(self.buckets.get(name, 0.0) for name in buckets)

    @property
    def unread(self) -> float:
        """Share of episodes that fail by their form."""
        return self.share(*BY_FORM)

    @property
    def best(self) -> float:
        """The best that the agent is known to reach: of k tries, or of one."""
        return self.success.high if self.pass_at_k is None else self.pass_at_k

    @property
    def examples(self) -> int:
        return self.gold + self.demonstrations

    def trial(self, kind: str) -> Trial | None:
        """The newest of its kind."""
        return next((one for one in reversed(self.trials) if one.kind == kind), None)


def advise(evidence: AdviceEvidence) -> list[Advice]:
    """What to try, the lightest first; then what was thought of and is not advised, with why not."""
    found = [advice for fix in FIXES if (advice := fix(evidence)) is not None]
    return [one for one in found if one.advised] + [one for one in found if not one.advised]


# -- before anything is changed ---------------------------------------------------------------------------------------------


def _infrastructure(e: AdviceEvidence) -> Advice | None:
    if e.errors < MAX_ERRORS:
        return None
    reason = f"{_percent(e.errors)} of episodes could not be scored; every other figure is of what is left"
    return _advise(REPAIR, [reason], f'verigym explain {e.run} --bucket "infrastructure"', errors=e.errors)


def _verifier(e: AdviceEvidence) -> Advice | None:
    if e.faults:
        return _advise(MEND, e.faults, f"verigym audit {e.environment} {e.run}")
    if not e.checked:
        reason = "nobody has tried whether gold passes and cheats do not; what it rewards wrongly would be learnt"
        return _advise(CHECK, [reason], f"verigym check {e.environment}")
    return None


def _good_enough(e: AdviceEvidence) -> Advice | None:
    if not _saturated(e):
        return None
    reason = (
        f"success is {_interval(e.success)}: there is little left to learn on these tasks; harder ones would show more"
    )
    return _advise(GOOD_ENOUGH, [reason], f"verigym gate {e.agent}", success=e.success.value)


def _more_tasks(e: AdviceEvidence) -> Advice | None:
    if _saturated(e) or (e.train_tasks >= MIN_TASKS and e.train_families >= MIN_FAMILIES):
        return None
    reason = (
        f"{e.train_tasks} training tasks of {e.train_families} families are too few: a model learns them by heart. "
        f"{MIN_TASKS} tasks of {MIN_FAMILIES} families are the least"
    )
    figures = {"train_tasks": float(e.train_tasks), "train_families": float(e.train_families)}
    return _advise(MORE_TASKS, [reason], f"verigym tasks stats {e.environment}", **figures)


# -- what changes no weights ------------------------------------------------------------------------------------------------


def _prompt(e: AdviceEvidence) -> Advice | None:
    fix, tried = PROMPT, e.trial("prompt")
    if tried:
        return _of_trial(e, fix, tried)
    if _saturated(e):
        return None
    wrong = e.share("wrong tool", "wrong arguments")
    if e.trained:
        return _not(fix, f"its adapter was trained under the prompt that it has ({e.trained})")
    if e.unread < SHARE and (e.has_prompt or wrong < 3 * SHARE):
        return _not(fix, f"only {_percent(e.unread)} of episodes fail by their form")
    if not e.gold:
        return _not(
            fix,
            "training tasks have no gold solutions to show as worked examples; write one by hand: verigym models new",
        )
    reason = (
        f"{_percent(e.unread)} of episodes fail by their form (format error, hallucinated API)"
        if e.unread >= SHARE
        else f"{_percent(wrong)} of episodes call the wrong tool or with wrong arguments, under the environment's own prompt"
    )
    reasons = [reason, "a rule and two worked examples cost nothing but tokens, and are a version like any other"]
    return _advise(fix, reasons, f"verigym advise {e.run} --try", unread=e.unread, wrong=wrong)


def _constraint(e: AdviceEvidence) -> Advice | None:
    fix, tried = CONSTRAINT, e.trial("constraint")
    if tried:
        return _of_trial(e, fix, tried)
    if _saturated(e):
        return None
    if e.constrained:
        return _not(fix, "its replies are held to a form already")
    if e.unread < SHARE:
        return _not(fix, f"only {_percent(e.unread)} of episodes fail by their form")
    if not e.local:
        return _not(fix, "the model is behind a server, which has options of its own for it")
    if not e.has_tools:
        return _not(
            fix, "there are no tools to hold it to; where the reply is JSON: verigym eval --constrain SCHEMA.json"
        )
    reason = f"{_percent(e.unread)} of episodes fail by their form, to which decoding can be held: the tools' schemas are at hand"
    return _advise(fix, [reason], f"verigym advise {e.run} --try", unread=e.unread)


def _facts(e: AdviceEvidence) -> Advice | None:
    fix, lost, wrong = "RAG, or the facts put into the prompt", e.share("retrieval failure"), e.share("wrong answer")
    if lost >= SHARE:
        reason = f"in {_percent(lost)} of episodes what it needed was in nothing that it found or read; no training puts it there"
        return _advise(fix, [reason], f'verigym explain {e.run} --bucket "retrieval failure"', retrieval=lost)
    if e.has_tools or wrong < 3 * SHARE:
        return _not(fix, f"{_percent(lost)} of episodes fail for want of a fact")
    if e.pass_at_k is None:
        return _not(
            fix,
            f"{_percent(wrong)} are wrong answers; rollout -k 8 would tell whether it knows (some of 8 are right) or not",
        )
    if e.gap >= GAP:
        return _not(fix, f"it knows: {_percent(e.pass_at_k)} are right in at least one of {e.k} tries")
    reason = (
        f"{_percent(wrong)} of episodes end in a wrong answer, and trying {e.k} times hardly helps "
        f"({_percent(e.pass_at_1 or 0)} to {_percent(e.pass_at_k)}): it does not know"
    )
    return _advise(
        fix, [reason], f'verigym explain {e.run} --bucket "wrong answer"', wrong=wrong, pass_at_k=e.pass_at_k
    )


def _tries(e: AdviceEvidence) -> Advice | None:
    """Not a fix: what has to be known before the next ones can be advised."""
    if (
        e.pass_at_k is not None
        or _saturated(e)
        or e.verified_by != "program"
        or (e.success.value < NEVER and e.examples)
    ):
        return None
    reason = (
        f"each task was tried once: whether it could pass ({_percent(e.success.value)} do) is not known. "
        "Where some of 8 tries pass, reinforcement has something to work with"
    )
    return _advise(
        TRIES,
        [reason],
        f"verigym rollout {e.environment} -m {e.agent} -n 48 -k 8",
        success=e.success.value,
    )


# -- what trains ------------------------------------------------------------------------------------------------------------


def _imitation(e: AdviceEvidence) -> Advice | None:
    if why := _no_training(e):
        return _not(SFT, why)
    if e.trained:
        return _once_more(e)
    if e.examples < MIN_EXAMPLES:
        return _not(
            SFT,
            f"{e.examples} solutions to imitate; about {MIN_EXAMPLES} are a start: verigym data demos RUN, of a stronger model",
        )
    if e.best >= 0.5 and e.unread < SHARE:
        return _not(
            SFT,
            f"it can do it: {_percent(e.best)} pass{_of_k(e)}, and its form is right; reinforcement keeps what it has",
        )
    reasons = [
        f"{_interval(e.success)} pass, and {e.gold:,} training tasks have a written solution"
        + (f", {e.demonstrations:,} episodes passed" if e.demonstrations else "")
    ]
    if e.unread >= SHARE:
        reasons.append(f"{_percent(e.unread)} of episodes fail by their form, which is quickly imitated")
    return _advise(SFT, reasons, "verigym train RECIPE", success=e.success.value, examples=float(e.examples))


def _once_more(e: AdviceEvidence) -> Advice:
    """What a trained agent was never shown it cannot be expected to do, however well it does the rest."""
    if e.fresh < MIN_FRESH:
        new = f"; {e.fresh} solutions are new to it, {MIN_FRESH} are a start" if e.fresh else ""
        return _not(SFT, f"it has learnt from examples already ({e.trained}){new}")
    reason = f"{e.fresh:,} training tasks with a written solution are new to it since it was trained ({e.trained})"
    return _advise(SFT, [reason], "verigym train RECIPE", success=e.success.value, fresh=float(e.fresh))


def _pairs(e: AdviceEvidence) -> Advice | None:
    if e.pairs < MIN_PAIRS:
        return _not(
            DPO,
            f"{e.pairs} pairs of a preferred and a rejected output; {MIN_PAIRS} are a start: verigym data pairs RUN",
        )
    if why := _no_training(e):
        return _not(DPO, why)
    reasons = [
        f"{e.pairs:,} pairs of a preferred and a rejected output are at hand; they are learnt from without sampling"
    ]
    return _advise(DPO, reasons, "verigym train RECIPE", pairs=float(e.pairs))


def _preference(e: AdviceEvidence) -> Advice | None:
    if e.verified_by == "program":
        return _not(REWARD_MODEL, "success is verified by a program, which is better than a model of it")
    if why := _no_training(e):
        return _not(REWARD_MODEL, why)
    if max(e.pairs, e.labels) < MIN_LABELS:
        return _not(
            REWARD_MODEL,
            f"a judge scores it, and people have compared {e.labels} pairs; {MIN_LABELS} are a start: verigym label {e.run}",
        )
    reasons = [
        f"what is good is a matter of preference (a judge scores it), and {max(e.pairs, e.labels):,} comparisons are at hand"
    ]
    return _advise(REWARD_MODEL, reasons, "verigym train RECIPE", labels=float(e.labels), pairs=float(e.pairs))


def _workflow(e: AdviceEvidence) -> Advice | None:
    return _reinforce(e, WORKFLOW) if _long(e) else None


def _grpo(e: AdviceEvidence) -> Advice | None:
    return None if _long(e) else _reinforce(e, GRPO)


def _reinforce(e: AdviceEvidence, fix: str) -> Advice:
    if e.verified_by != "program":
        return _not(fix, "no program verifies success: what a judge likes would be learnt")
    if why := _no_training(e):
        return _not(fix, why)
    if e.pass_at_k is None:
        wait = (
            "none passed, so all tries of a task would fail alike"
            if e.success.value < NEVER
            else "several tries of a task will tell"
        )
        return _not(fix, wait)
    if e.pass_at_k < NEVER:
        return _not(fix, f"{_percent(e.pass_at_k)} pass even in the best of {e.k} tries: there is nothing to reinforce")
    signal, once = e.signal or 0.0, e.pass_at_1 or 0.0
    if signal < SIGNAL or e.gap < GAP:
        return _not(
            fix,
            f"pass@{e.k} is {_points(e.gap)} points above pass@1, and in {_percent(signal)} of groups rewards differ: too little",
        )
    reasons = [
        f"a program verifies success; pass@1 is {_percent(once)}, pass@{e.k} {_percent(e.pass_at_k)}: it can, not always",
        f"in {_percent(signal)} of groups rewards differ, which is what is learnt from",
    ]
    if fix == WORKFLOW and e.horizon is not None:
        short, long = e.horizon.short.value, e.horizon.long.value
        reasons.append(
            f"tasks of up to {e.horizon.most_short} calls pass in {_percent(short)}, longer ones in {_percent(long)}"
        )
    if not e.audited:
        reasons.append(f"before that, profile what it rewards: verigym audit {e.environment}")
    return _advise(fix, reasons, "verigym train RECIPE", pass_at_1=once, pass_at_k=e.pass_at_k, signal=signal)


def _other_model(e: AdviceEvidence) -> Advice | None:
    fix = "a more capable model"
    if _saturated(e):
        return None
    size = f" ({e.parameters / 1e9:.2g} billion parameters)" if e.parameters else ""
    if e.best >= NEVER and e.success.value >= NEVER:
        return _not(fix, f"this one{size} succeeds in {_percent(e.success.value)}")
    if e.examples >= MIN_EXAMPLES and not e.trained and e.local:
        return _not(fix, f"this one{size} has not been shown the {e.examples:,} solutions yet")
    known = (
        f"{_percent(e.best)} pass{_of_k(e)}" if e.pass_at_k is not None else f"at most {_percent(e.success.high)} pass"
    )
    tried = f" after {e.trained}" if e.trained else f", and there are {e.examples} solutions to imitate"
    return _advise(fix, [f"{known}{tried}{size}"], f"verigym eval {e.environment} -m MODEL", best=e.best)


FIXES: tuple[Callable[[AdviceEvidence], Advice | None], ...] = (
    _infrastructure,
    _verifier,
    _good_enough,
    _more_tasks,
    _prompt,
    _constraint,
    _facts,
    _tries,
    _imitation,
    _pairs,
    _preference,
    _grpo,
    _workflow,
    _other_model,
)


# -- what several rules ask -------------------------------------------------------------------------------------------------


def _saturated(e: AdviceEvidence) -> bool:
    return e.success.low >= SATURATED


def _long(e: AdviceEvidence) -> bool:
    return e.horizon is not None and e.horizon.found


def _no_training(e: AdviceEvidence) -> str:
    """Why nothing should be trained now; empty where it may be."""
    if e.faults:
        return "what the verifier rewards wrongly would be learnt; fix it first"
    if _saturated(e):
        return "it is good enough as it is"
    if e.errors > 4 * MAX_ERRORS:
        return "too many episodes could not be scored"
    if e.train_tasks < MIN_TASKS or e.train_families < MIN_FAMILIES:
        return "too few training tasks"
    if not e.local:
        return "its weights are behind a server; measure the same model from a folder or a hub id to train it"
    if e.share("retrieval failure") >= 0.5:
        return "most failures are for want of a fact"
    cheap = next((one for one in e.trials if one.helped and one.after >= GOOD), None)
    if cheap:
        return f"{cheap.version} already reaches {_percent(cheap.after)} without it; measure that first"
    return ""


def _of_trial(e: AdviceEvidence, fix: str, tried: Trial) -> Advice:
    if not tried.helped:
        return _not(fix, f"{tried.words}: no clear gain (version {tried.version})")
    figures = {"before": tried.before, "after": tried.after, "low": tried.low, "high": tried.high}
    reasons = [tried.words, f"version {tried.version} is kept; on held-out tasks it has still to be measured"]
    return _advise(fix, reasons, f"verigym eval {e.environment} -m {tried.version}", **figures)


def _advise(fix: str, reasons: list[str], command: str, **figures: float) -> Advice:
    return Advice(fix=fix, reasons=reasons, figures=figures, command=command)


def _not(fix: str, why: str) -> Advice:
    return Advice(fix=fix, reasons=[why], figures={}, command="", advised=False)


def _of_k(e: AdviceEvidence) -> str:
    return f" in at least one of {e.k} tries" if e.pass_at_k is not None else ""


def _interval(one: Estimate) -> str:
    return f"{_percent(one.value)} ({_percent(one.low)} to {_percent(one.high)})"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%" if share in (0, 1) or 0.01 <= share < 0.995 else f"{100 * share:.1f}%"


def _points(share: float) -> str:
    return f"{100 * share:+.0f}"
