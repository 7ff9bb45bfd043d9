"""Advice on what to try first: rules over the measurements, the cheapest fix first. Pure: `AdviceEvidence` in, `Advice` out.

`workspace.advise` collects the evidence, runs trials and estimates costs. `FIXES` lists the fixes from the cheapest to the most
expensive, each with a function that proposes it or says why not. The caller fills in RECIPE in a command.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from msgspec import Struct

from verigym.core.records import Advice, Estimate
from verigym.core.words import counted, percent, points
from verigym.evaluation.failures import Horizon
from verigym.tasks.files import is_task_file

SATURATED = 0.9
"""If the lower bound of success reaches this, there is little left to learn."""
GOOD = 0.8
"""If a cheap trial reaches this success, training can wait."""
SHARE = 0.1
"""Share of episodes that fail in one way, from which that failure deserves its own fix."""
GAP = 0.1
"""Minimum gap between pass@1 and pass@k: what retries already reach and training could make reliable."""
SIGNAL = 0.15
"""Minimum share of groups whose rewards differ."""
NEVER = 0.05
"""If even the best of k tries succeeds less often than this, there is nothing to reinforce."""
MIN_TASKS, MIN_FAMILIES = 50, 5
"""Minimum training set. With fewer tasks, a model memorises them."""
MIN_EXAMPLES, MIN_PAIRS, MIN_LABELS = 50, 50, 200
MIN_FRESH = 20
"""Minimum number of solutions that are new to a trained agent, to train it again."""
MAX_ERRORS = 0.05

_TRAIN = "verigym train RECIPE"
BY_FORM = ("format error", "hallucinated API")
"""Buckets that a stricter output format alone could fix."""
REPAIR, MEND, CHECK = "fix the infrastructure", "fix the verifier", "check the verifier"
MEND_REWARD = "fix the reward"
GOOD_ENOUGH, MORE_TASKS = "do not train: it is good enough", "do not train yet: more tasks"
PROMPT, CONSTRAINT, TRIES = "a prompt variant", "constrained decoding", "measure several tries"
FACTS, OTHER_MODEL = "RAG, or the facts put into the prompt", "a more capable model"
SFT, DPO, REWARD_MODEL, GRPO, WORKFLOW = (
    "SFT (a LoRA adapter)",
    "DPO",
    "a reward model, then RL against it (RLHF)",
    "RLVR with GRPO",
    "RL in the environment, with rewards for whole trajectories",
)


class Trial(Struct, frozen=True, kw_only=True):
    """A cheap change that was tried on the same tasks, before and after."""

    kind: Literal["prompt", "constraint"]
    version: str
    run: str
    tasks: int
    before: float
    """Success rate."""
    after: float
    low: float
    """One-sided 95% bound of the paired difference, like `high`."""
    high: float
    unread_before: float = 0.0
    """Share of episodes that failed because of their format."""
    unread_after: float = 0.0

    @property
    def helped(self) -> bool:
        return self.low > 0

    @property
    def summary(self) -> str:
        return (
            f"tried on {self.tasks} training tasks: success {_percent(self.before)} to {_percent(self.after)} "
            f"({points(self.after - self.before, 0)} points, {points(self.low, 0)} to {points(self.high, 0)}), "
            f"format failures {_percent(self.unread_before)} to {_percent(self.unread_after)}"
        )


class AdviceEvidence(Struct, frozen=True, kw_only=True):
    """The evidence for the advice. Shares are shares of scored episodes."""

    run: str = "latest"
    agent: str = "latest"
    """The agent's name as a command takes it."""
    environment: str = "ENV"
    success: Estimate
    buckets: dict[str, float] = {}
    errors: float = 0.0
    """Share of episodes that could not be scored."""
    k: int = 1
    """Tries per task."""
    pass_at_1: float | None = None
    """Over the same tries as `pass_at_k`. None if each task was tried once."""
    pass_at_k: float | None = None
    signal: float | None = None
    """Share of groups whose rewards differ."""
    horizon: Horizon | None = None
    local: bool = True
    """Whether the weights are local. A model behind a server cannot be trained or constrained."""
    parameters: float = 0.0
    """Parameters of the model. 0 if unknown."""
    has_tools: bool = False
    has_prompt: bool = False
    """Whether the agent has its own prompt instead of the environment's."""
    constrained: bool = False
    trained: str = ""
    """The algorithm that trained its adapter. Empty without one."""
    train_tasks: int = 0
    train_families: int = 0
    gold: int = 0
    """Training tasks with a written solution."""
    fresh: int = 0
    """For a trained agent: how many of `gold` are new to it, such as failures mined since."""
    demonstrations: int = 0
    """Passing episodes on training tasks, and rows of datasets."""
    pairs: int = 0
    """Preferences in datasets."""
    labels: int = 0
    """People's comparisons of one output with another."""
    verified_by: Literal["program", "judge"] = "program"
    checked: bool = True
    """Whether the environment's contract was checked and held."""
    audited: bool = False
    faults: list[str] = []
    """What the last audit of the verifier found."""
    hacking: str = ""
    """What the gate said if its last decision about the agent found reward hacking."""
    trials: list[Trial] = []

    @property
    def gap(self) -> float:
        """The gain from retries."""
        return (self.pass_at_k or 0.0) - (self.pass_at_1 or 0.0)

    def share(self, *buckets: str) -> float:
        return sum(self.buckets.get(name, 0.0) for name in buckets)

    @property
    def unread(self) -> float:
        """Share of episodes that fail because of their format."""
        return self.share(*BY_FORM)

    @property
    def best(self) -> float:
        """The best success the agent is known to reach, with k tries or one."""
        return self.success.high if self.pass_at_k is None else self.pass_at_k

    @property
    def examples(self) -> int:
        return self.gold + self.demonstrations

    def trial(self, kind: str) -> Trial | None:
        """The newest trial of a kind."""
        return next((trial for trial in reversed(self.trials) if trial.kind == kind), None)

    @property
    def saturated(self) -> bool:
        return self.success.low >= SATURATED

    @property
    def long(self) -> bool:
        """Whether success falls with the number of calls that a task needs."""
        return self.horizon is not None and self.horizon.significant


class FixProposal(NamedTuple):
    """A fix that should help."""

    reasons: list[str]
    command: str
    figures: dict[str, float] = {}


FixRule = Callable[[AdviceEvidence], FixProposal | str | None]
"""Returns a proposal, the reason why not, or None if the fix does not apply."""


def advise(evidence: AdviceEvidence) -> list[Advice]:
    """What to try, the cheapest first, followed by what was considered and rejected, with the reason."""
    advised: list[Advice] = []
    rejected: list[Advice] = []
    for name, fix in FIXES.items():
        result = fix(evidence)
        if isinstance(result, FixProposal):
            advised.append(Advice(fix=name, reasons=result.reasons, figures=result.figures, command=result.command))
        elif result is not None:
            rejected.append(Advice(fix=name, reasons=[result], figures={}, command="", advised=False))
    return advised + rejected


def _infrastructure(e: AdviceEvidence) -> FixProposal | str | None:
    if e.errors < MAX_ERRORS:
        return None
    reason = f"{_percent(e.errors)} of episodes could not be scored. All other figures cover only the rest"
    return FixProposal([reason], f'verigym explain {e.run} --bucket "infrastructure"', {"errors": e.errors})


def _hacked_reward(e: AdviceEvidence) -> FixProposal | str | None:
    if not e.hacking:
        return None
    return FixProposal([f"The gate found {e.hacking}"], f"verigym report {e.agent}")


def _broken_verifier(e: AdviceEvidence) -> FixProposal | str | None:
    return FixProposal(e.faults, f"verigym audit run {e.environment} {e.run}") if e.faults else None


def _unchecked_verifier(e: AdviceEvidence) -> FixProposal | str | None:
    if e.faults or e.checked:
        return None
    reason = "It was never checked that gold solutions pass and cheats fail. Training would learn every wrong reward"
    return FixProposal([reason], f"verigym check {e.environment}")


def _good_enough(e: AdviceEvidence) -> FixProposal | str | None:
    if not e.saturated:
        return None
    reason = f"Success is {_interval(e.success)}. Little is left to learn on these tasks. Harder tasks would show more"
    return FixProposal([reason], f"verigym gate {e.agent}", {"success": e.success.value})


def _more_tasks(e: AdviceEvidence) -> FixProposal | str | None:
    if e.saturated or (e.train_tasks >= MIN_TASKS and e.train_families >= MIN_FAMILIES):
        return None
    figures = {"train_tasks": float(e.train_tasks), "train_families": float(e.train_families)}
    if not e.train_tasks and is_task_file(e.environment):
        reason = f"All tasks of {e.environment} are held out. Put some of them into a training part"
        return FixProposal([reason], f"verigym tasks split {e.environment}", figures)
    size = f"{counted(e.train_tasks, 'training task')} in {counted(e.train_families, 'family')}"
    reason = f"{size} are too few: a model memorises them. Use at least {MIN_TASKS} tasks in {MIN_FAMILIES} families"
    if (lacking := MIN_FAMILIES - e.train_families) <= 0:
        return FixProposal([reason], f"verigym design vary {e.environment}", figures)
    more = (
        f"Write tasks of {counted(lacking, 'more family')} in {e.environment}. `design vary` adds tasks, not families"
    )
    return FixProposal([reason, more], f"verigym check {e.environment}", figures)


def _prompt(e: AdviceEvidence) -> FixProposal | str | None:
    if (trial := e.trial("prompt")) or e.saturated:
        return _after_trial(e, trial) if trial else None
    wrong = e.share("wrong tool", "wrong arguments")
    if e.trained:
        return f"its adapter was trained with its current prompt ({e.trained})"
    if e.unread < SHARE and (e.has_prompt or wrong < 3 * SHARE):
        return f"only {_percent(e.unread)} of episodes fail because of their format"
    reason = (
        f"{_percent(e.unread)} of episodes fail because of their format (format error, hallucinated API)"
        if e.unread >= SHARE
        else f"{_percent(wrong)} of episodes call the wrong tool or pass wrong arguments with the environment's prompt"
    )
    figures = {"unread": e.unread, "wrong": wrong}
    if not e.train_tasks:  # nothing to search on
        by_hand = 'Write the form that you want into prompt.txt, such as "Reply with the answer only"'
        return FixProposal(
            [reason, by_hand], f"verigym models new by-prompt --parent {e.agent} --system prompt.txt", figures
        )
    search = f"A search of any size: verigym optimize {e.environment} -m {e.agent} --budget 200"
    reasons = [
        reason,
        "A small search over prompts, examples and tool descriptions changes no weights. The result is a version like any other",
        search,
    ]
    return FixProposal(reasons, f"verigym advise {e.run} --try", figures)


def _constraint(e: AdviceEvidence) -> FixProposal | str | None:
    if (trial := e.trial("constraint")) or e.saturated:
        return _after_trial(e, trial) if trial else None
    if e.constrained:
        return "its replies are already constrained"
    if e.unread < SHARE:
        return f"only {_percent(e.unread)} of episodes fail because of their format"
    if not e.local:
        return "the model runs behind a server. Use the server's own options"
    if not e.has_tools:
        return "the environment has no tools to constrain to. If replies are JSON: verigym eval --constrain SCHEMA.json"
    reason = f"{_percent(e.unread)} of episodes fail because of their format. Decoding can enforce the tools' schemas"
    return FixProposal([reason], f"verigym advise {e.run} --try", {"unread": e.unread})


def _facts(e: AdviceEvidence) -> FixProposal | str | None:
    lost, wrong = e.share("retrieval failure"), e.share("wrong answer")
    if lost >= SHARE:
        reason = (
            f"In {_percent(lost)} of episodes, the agent never found or read the needed fact. Training cannot add it"
        )
        search = f"Try a search over your documents: verigym optimize {e.environment} -m {e.agent} --tools TOOLS.yaml"
        return FixProposal(
            [reason, search], f'verigym explain {e.run} --bucket "retrieval failure"', {"retrieval": lost}
        )
    if e.has_tools or wrong < 3 * SHARE:
        return f"{_percent(lost)} of episodes fail because a fact is missing"
    if e.pass_at_k is None:
        return f"{_percent(wrong)} are wrong answers. Run rollout -k 8 to see whether some of 8 are correct"
    if e.gap >= GAP:
        return f"the agent knows the facts: {_percent(e.pass_at_k)} are correct in at least one of {e.k} tries"
    reason = (
        f"{_percent(wrong)} of episodes end in a wrong answer, and {e.k} tries hardly help "
        f"({_percent(e.pass_at_1 or 0)} to {_percent(e.pass_at_k)}). The agent does not know the facts"
    )
    figures = {"wrong": wrong, "pass_at_k": e.pass_at_k}
    return FixProposal([reason], f'verigym explain {e.run} --bucket "wrong answer"', figures)


def _tries(e: AdviceEvidence) -> FixProposal | str | None:
    """Not a fix, but a measurement that the next fixes need."""
    hopeless = e.success.value < NEVER and e.examples
    if e.pass_at_k is not None or e.saturated or e.verified_by != "program" or hopeless or e.hacking:
        return None
    reason = (
        f"Each task was tried once, and {_percent(e.success.value)} pass. Whether the others can pass is unknown. "
        "If some of 8 tries pass, reinforcement learning can work"
    )
    command = f"verigym rollout {e.environment} -m {e.agent} -n 48 -k 8"
    return FixProposal([reason], command, {"success": e.success.value})


def _imitation(e: AdviceEvidence) -> FixProposal | str | None:
    if why := _no_training(e):
        return why
    if e.trained:
        return _once_more(e)
    if e.examples < MIN_EXAMPLES:
        return f"only {e.examples} solutions to imitate. About {MIN_EXAMPLES} are needed. Collect some: verigym data demos RUN"
    if e.best >= 0.5 and e.unread < SHARE:
        return f"{_percent(e.best)} already pass{_of_k(e)}, in the right format. Reinforcement learning keeps that"
    passed = f", {e.demonstrations:,} episodes passed" if e.demonstrations else ""
    reasons = [f"{_interval(e.success)} pass, and {e.gold:,} training tasks have a gold solution{passed}"]
    if e.unread >= SHARE:
        reasons.append(
            f"{_percent(e.unread)} of episodes fail because of their format, which is quick to learn by imitation"
        )
    return FixProposal(reasons, _TRAIN, {"success": e.success.value, "examples": float(e.examples)})


def _once_more(e: AdviceEvidence) -> FixProposal | str:
    """Solutions that a trained agent has not seen yet."""
    if e.fresh < MIN_FRESH:
        new = f". Only {e.fresh} solutions are new to it, and {MIN_FRESH} are needed" if e.fresh else ""
        return f"it was trained with {e.trained}{new}"
    reason = f"{e.fresh:,} training tasks with a gold solution are new since the agent was trained ({e.trained})"
    return FixProposal([reason], _TRAIN, {"success": e.success.value, "fresh": float(e.fresh)})


def _pairs(e: AdviceEvidence) -> FixProposal | str | None:
    if e.pairs < MIN_PAIRS:
        return f"only {e.pairs} preference pairs. {MIN_PAIRS} are needed. Collect them: verigym data pairs RUN"
    if why := _no_training(e):
        return why
    reason = f"{e.pairs:,} preference pairs are available. Training on them needs no sampling"
    return FixProposal([reason], _TRAIN, {"pairs": float(e.pairs)})


def _preference(e: AdviceEvidence) -> FixProposal | str | None:
    if e.verified_by == "program":
        return "a program verifies success, which is more reliable than a reward model"
    if why := _no_training(e):
        return why
    compared = max(e.pairs, e.labels)
    if compared < MIN_LABELS:
        return f"a judge scores it. People have compared only {e.labels} pairs. {MIN_LABELS} are needed: verigym label {e.run}"
    reason = f"Quality is a matter of preference (a judge scores it), and {compared:,} comparisons are available"
    return FixProposal([reason], _TRAIN, {"labels": float(e.labels), "pairs": float(e.pairs)})


def _reinforce(e: AdviceEvidence) -> FixProposal | str:
    if e.verified_by != "program":
        return "no program verifies success. Training would learn what the judge likes"
    if why := _no_training(e):
        return why
    if e.pass_at_k is None and e.success.value < NEVER:
        return "no try passed, so all tries of a task would get the same reward"
    if e.pass_at_k is None:
        return "measure several tries per task first"
    if e.pass_at_k < NEVER:
        return f"{_percent(e.pass_at_k)} pass even in the best of {e.k} tries, so there is nothing to reinforce"
    signal, once = e.signal or 0.0, e.pass_at_1 or 0.0
    if signal < SIGNAL or e.gap < GAP:
        return f"pass@{e.k} is only {points(e.gap, 0)} points above pass@1, and rewards differ in {_percent(signal)} of groups"
    reasons = [
        f"A program verifies success. pass@1 is {_percent(once)} and pass@{e.k} is {_percent(e.pass_at_k)}",
        f"Rewards differ in {_percent(signal)} of groups, and training learns from those",
    ]
    if e.horizon is not None and e.long:
        short, long = e.horizon.short.value, e.horizon.long.value
        reasons.append(
            f"Tasks of up to {e.horizon.most_short} calls pass in {_percent(short)}, longer ones in {_percent(long)}"
        )
    if not e.audited:
        reasons.append(f"First audit what the verifier rewards: verigym audit run {e.environment}")
    return FixProposal(reasons, _TRAIN, {"pass_at_1": once, "pass_at_k": e.pass_at_k, "signal": signal})


def _other_model(e: AdviceEvidence) -> FixProposal | str | None:
    if e.saturated:
        return None
    size = f" ({e.parameters / 1e9:.2g} billion parameters)" if e.parameters else ""
    if e.best >= NEVER and e.success.value >= NEVER:
        return f"this one{size} succeeds in {_percent(e.success.value)}"
    if e.examples >= MIN_EXAMPLES and not e.trained and e.local:
        return f"this one{size} has not been trained on the {e.examples:,} solutions yet"
    most = f"{_percent(e.best)} pass{_of_k(e)}" if e.pass_at_k is not None else f"at most {_percent(e.best)} pass"
    few = f", and only {e.examples} solutions exist to imitate" if e.examples < MIN_EXAMPLES else ""
    trained = f" after {e.trained}" if e.trained else few
    return FixProposal([f"{most}{trained}{size}"], f"verigym eval {e.environment} -m MODEL", {"best": e.best})


FIXES: dict[str, FixRule] = {
    REPAIR: _infrastructure,
    MEND_REWARD: _hacked_reward,
    MEND: _broken_verifier,
    CHECK: _unchecked_verifier,
    GOOD_ENOUGH: _good_enough,
    PROMPT: _prompt,
    CONSTRAINT: _constraint,
    FACTS: _facts,
    MORE_TASKS: _more_tasks,
    TRIES: _tries,
    SFT: _imitation,
    DPO: _pairs,
    REWARD_MODEL: _preference,
    GRPO: lambda e: None if e.long else _reinforce(e),
    WORKFLOW: lambda e: _reinforce(e) if e.long else None,
    OTHER_MODEL: _other_model,
}


def _no_training(e: AdviceEvidence) -> str:
    """Why nothing should be trained now. Empty if training is fine."""
    if e.hacking:
        return "the gate found reward hacking. Fix the reward first"
    if e.faults:
        return "training would learn wrong rewards. Fix the verifier first"
    if e.saturated:
        return "the agent is already good enough"
    if e.errors > 4 * MAX_ERRORS:
        return "too many episodes could not be scored"
    if e.train_tasks < MIN_TASKS or e.train_families < MIN_FAMILIES:
        return "too few training tasks"
    if not e.local:
        return "its weights are on a server. To train it, evaluate the same model from a folder or by its Hugging Face model id"
    if e.share("retrieval failure") >= 0.5:
        return "most failures are missing facts"
    cheap = next((trial for trial in e.trials if trial.helped and trial.after >= GOOD), None)
    if cheap:
        return f"{cheap.version} already reaches {_percent(cheap.after)} without training. Evaluate that version first"
    return ""


def _after_trial(e: AdviceEvidence, trial: Trial) -> FixProposal | str:
    if not trial.helped:
        return f"{trial.summary}: no clear gain (version {trial.version})"
    figures = {"before": trial.before, "after": trial.after, "low": trial.low, "high": trial.high}
    reasons = [trial.summary, f"Version {trial.version} is saved. Evaluate it on held-out tasks next"]
    return FixProposal(reasons, f"verigym eval {e.environment} -m {trial.version}", figures)


def _of_k(e: AdviceEvidence) -> str:
    return f" in at least one of {e.k} tries" if e.pass_at_k is not None else ""


def _interval(estimate: Estimate) -> str:
    return f"{_percent(estimate.value)} ({_percent(estimate.low)} to {_percent(estimate.high)})"


def _percent(share: float) -> str:
    return percent(share, 0 if share in (0, 1) or 0.01 <= share < 0.995 else 1)
