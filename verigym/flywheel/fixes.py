"""Chooses the fix of a round: the lightest one that is advised, allowed, and not yet tried on this champion.

`evaluation.advise` gives the advice. This module measures the missing evidence on training tasks and turns the advice into a
version to evaluate or a recipe to train.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, cast

import msgspec

from verigym.core.records import Advice, Json, Sampling
from verigym.evaluation.advise import (
    CHECK,
    CONSTRAINT,
    DPO,
    GOOD_ENOUGH,
    GRPO,
    MEND,
    MORE_TASKS,
    PROMPT,
    REPAIR,
    SFT,
    TRIES,
    WORKFLOW,
    AdviceEvidence,
    advise,
)
from verigym.evaluation.suites import pick
from verigym.flywheel.loop_recipe import TRAINED, Fix, Loop
from verigym.flywheel.rounds import GOOD, ChosenFix, Round
from verigym.flywheel.trials import try_out
from verigym.rollout.settings import RunSettings
from verigym.workspace import audit
from verigym.workspace import measure as stages
from verigym.workspace.advise import AdviceSubject, gather, recipe_for, training_tasks

FIXES: dict[str, Fix] = {
    PROMPT: "prompt",
    CONSTRAINT: "constraint",
    SFT: "sft",
    DPO: "dpo",
    GRPO: "grpo",
    WORKFLOW: "grpo",
}
"""Fixes that the loop can make, by the name in the advice. A reward model, new facts or another model need a person."""
TRIES_EACH = 8
"""Episodes per training task, to measure whether reinforcement learning has signal."""


class FixRequest(NamedTuple):
    """The round that needs a fix, and its settings."""

    loop: Loop
    number: int
    earlier: list[Round]
    settings: RunSettings
    """The settings of the champion's evaluation."""
    bars: Callable[[str], AbstractContextManager[stages.OnProgress]]
    say: Callable[[str], None]


def choose(asked: FixRequest, subject: AdviceSubject) -> ChosenFix:
    """Chooses the fix, or gives the reason why there is none. `subject` is the champion in the round's environment."""
    if wrong := _broken_contract(subject):
        chosen = ChosenFix(advice=[CHECK], environment=subject.environment.name, why=wrong)
    else:
        evidence = _evidence(asked, subject)
        advised = [one for one in advise(evidence) if one.advised]
        for one in advised:
            asked.say(f"{one.fix}: {one.reasons[0]}")
        chosen = _lightest(asked, subject, evidence, advised)
    asked.say(f"chosen fix: {chosen.fix}" if chosen.fix else f"no fix is tried: {chosen.why}")
    return chosen


def _broken_contract(subject: AdviceSubject) -> str:
    """The first failed check of the environment's contract. Empty if the contract holds."""
    environment = subject.environment
    if audit.was_checked(subject.ws, environment):
        return ""
    failed = [one for one in audit.check(subject.ws, environment) if one.outcome == "fail"]
    if not failed:
        return ""
    return (
        f"{environment.name} does not keep its contract, and what it rewards wrongly would be learnt: {failed[0].name}: "
        f"{failed[0].words}; see: verigym check {environment.name}"
    )


def _evidence(asked: FixRequest, subject: AdviceSubject) -> AdviceEvidence:
    """The evidence for advice. Measures what is missing: cheap fixes on training tasks, several episodes per task for
    reinforcement learning."""
    recipe, (evidence, _) = asked.loop.recipe, gather(subject)
    advised = {one.fix for one in advise(evidence) if one.advised}
    n = recipe.evaluation.trial_tasks
    cheap = [
        FIXES[fix]
        for fix in (PROMPT, CONSTRAINT)
        if fix in advised and FIXES[fix] in recipe.fixes and evidence.trial(FIXES[fix]) is None
    ]
    if cheap:
        with asked.bars("trials") as bar:
            for words in try_out(subject, n, bar, cheap).notes:
                asked.say(words)
    if TRIES in advised and "grpo" in recipe.fixes:
        tasks = pick(training_tasks(subject.environment), n, seed=0)
        sampling = Sampling(temperature=1.0, max_tokens=recipe.evaluation.max_tokens)
        settings = msgspec.structs.replace(asked.settings, k=TRIES_EACH, sampling=sampling)
        with asked.bars(f"{TRIES_EACH} tries of training tasks") as bar:
            stages.rollout(subject.ws, subject.environment, subject.agent, tasks, settings, on_progress=bar)
    return gather(subject)[0]


def _lightest(asked: FixRequest, subject: AdviceSubject, evidence: AdviceEvidence, advised: list[Advice]) -> ChosenFix:
    recipe, where, names = asked.loop.recipe, subject.environment.name, [one.fix for one in advised]
    for one in advised:
        if one.fix in (REPAIR, MEND, GOOD_ENOUGH):
            first = GOOD if one.fix == GOOD_ENOUGH else f"first {one.fix}"
            return ChosenFix(advice=names, environment=where, why=f"{first}: {one.reasons[0]}")
    for one in advised:
        kind = FIXES.get(one.fix)
        if kind is None or kind not in recipe.fixes or _tried(asked, subject, kind):
            continue
        if kind in TRAINED:
            fields = _training(asked, subject, kind)
            return ChosenFix(advice=names, environment=where, fix=kind, why=one.reasons[0], recipe=fields)
        if (trial := evidence.trial(kind)) is not None:
            return ChosenFix(advice=names, environment=where, fix=kind, why=one.reasons[0], version=trial.version)
    short = next((one.reasons[0] for one in advised if one.fix == MORE_TASKS), "")
    tried = ", ".join(dict.fromkeys(one.chosen.fix for one in _same(asked, subject) if one.chosen and one.chosen.fix))
    others = [one for one in names if FIXES.get(one) not in recipe.fixes and one not in (CHECK, MORE_TASKS, TRIES)]
    words = [
        short or "nothing that is advised and allowed is left to try",
        *([f"tried on this champion: {tried}"] if tried else []),
        *([f"advised, but not the loop's to do: {', '.join(others)}"] if others else []),
    ]
    return ChosenFix(advice=names, environment=where, why="; ".join(words))


def _same(asked: FixRequest, subject: AdviceSubject) -> list[Round]:
    """Earlier rounds that tried a fix on this champion."""
    mine = [one for one in asked.earlier if one.begun is not None and one.begun.champion == subject.agent.id]
    return [one for one in mine if one.decided is not None]


def _tried(asked: FixRequest, subject: AdviceSubject, fix: Fix) -> bool:
    """Whether the fix was tried on this champion. A trained fix counts only if it used the same tasks."""
    known = [one.chosen for one in _same(asked, subject) if one.chosen is not None and one.chosen.fix == fix]
    return any(fix not in TRAINED or one.environment == subject.environment.name for one in known)


def _training(asked: FixRequest, subject: AdviceSubject, algorithm: Fix) -> Json:
    """The advised training recipe with the settings of the loop, without held-out evaluations. The round evaluates afterwards."""
    recipe = asked.loop.recipe
    name = f"{asked.loop.id}-{asked.number}-{algorithm}"
    fields: dict[str, Any] = {**recipe_for(subject, algorithm), "eval_interval": 0, "name": name}
    fields.pop("held_out_eval", None)
    fields |= {role: named for role in ("judge", "user") if (named := getattr(recipe, role))}
    if recipe.beside and algorithm != "dpo":
        if "data" in fields:
            fields["rehearse"] = recipe.beside
        else:
            own = {fields.pop("environment"): 1 - sum(recipe.beside.values())}
            fields["environments"] = own | recipe.beside
    return fields | recipe.training.get(cast(Any, algorithm), {})
