"""Chooses the fix of a round: the lightest one that is advised, allowed, and not yet tried on this champion.

`evaluation.advise` gives the advice. This module measures the missing evidence on training tasks and turns the advice into a
version to evaluate or a recipe to train.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import msgspec

from verigym.core.records import Advice, Json, Sampling
from verigym.evaluation import advise as fixes
from verigym.evaluation.advise import AdviceEvidence, advise
from verigym.evaluation.suites import pick
from verigym.flywheel.loop_recipe import TRAINED, Fix, Loop
from verigym.flywheel.rounds import GOOD, Bars, ChosenFix, Round
from verigym.flywheel.trials import try_out
from verigym.rollout.settings import RunSettings
from verigym.workspace import audit
from verigym.workspace import measure as stages
from verigym.workspace.advise import AdviceSubject, gather, recipe_for, training_tasks

FIXES: dict[str, Fix] = {
    fixes.PROMPT: "prompt",
    fixes.CONSTRAINT: "constraint",
    fixes.SFT: "sft",
    fixes.DPO: "dpo",
    fixes.GRPO: "grpo",
    fixes.WORKFLOW: "grpo",
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
    bars: Bars
    say: Callable[[str], None]


def choose(request: FixRequest, subject: AdviceSubject) -> ChosenFix:
    """Chooses the fix, or gives the reason why there is none. `subject` is the champion in the round's environment."""
    if wrong := _failed_check(subject):
        chosen = ChosenFix(advice=[fixes.CHECK], environment=subject.environment.name, why=wrong)
    else:
        evidence = _evidence(request, subject)
        advised = [advice for advice in advise(evidence) if advice.advised]
        for advice in advised:
            request.say(f"{advice.fix}: {advice.reasons[0]}")
        chosen = _lightest(request, subject, evidence, advised)
    request.say(f"chosen fix: {chosen.fix}" if chosen.fix else f"no fix is tried: {chosen.why}")
    return chosen


def _failed_check(subject: AdviceSubject) -> str:
    """The first failed check of the environment. Empty if all pass."""
    environment = subject.environment
    if audit.was_checked(subject.ws, environment):
        return ""
    failed = [check for check in audit.check(subject.ws, environment) if check.outcome == "fail"]
    if not failed:
        return ""
    return (
        f'{environment.name} fails the check "{failed[0].name}": {failed[0].words}. Training would learn wrong rewards. '
        f"See: verigym check {environment.name}"
    )


def _evidence(request: FixRequest, subject: AdviceSubject) -> AdviceEvidence:
    """The evidence for advice. Measures what is missing: cheap fixes on training tasks, several episodes per task for
    reinforcement learning."""
    recipe, (evidence, _) = request.loop.recipe, gather(subject)
    advised = {advice.fix for advice in advise(evidence) if advice.advised}
    n = recipe.evaluation.trial_tasks
    cheap = [FIXES[fix] for fix in (fixes.PROMPT, fixes.CONSTRAINT) if fix in advised]
    cheap = [kind for kind in cheap if kind in recipe.fixes and evidence.trial(kind) is None]
    if cheap:
        with request.bars("trials") as bar:
            for note in try_out(subject, n, bar, cheap, recipe.tools).notes:
                request.say(note)
    if fixes.TRIES in advised and "grpo" in recipe.fixes:
        tasks = pick(training_tasks(subject.environment), n, seed=0)
        sampling = Sampling(temperature=1.0, max_tokens=request.settings.sampling.max_tokens)
        settings = msgspec.structs.replace(request.settings, k=TRIES_EACH, sampling=sampling)
        with request.bars(f"{TRIES_EACH} tries of training tasks") as bar:
            stages.rollout(subject.ws, subject.environment, subject.agent, tasks, settings, on_progress=bar)
    return gather(subject)[0]


def _lightest(
    request: FixRequest, subject: AdviceSubject, evidence: AdviceEvidence, advised: list[Advice]
) -> ChosenFix:
    recipe = request.loop.recipe
    chosen = ChosenFix(advice=[advice.fix for advice in advised], environment=subject.environment.name)
    for advice in advised:
        if advice.fix in (fixes.REPAIR, fixes.MEND, fixes.GOOD_ENOUGH):
            first = GOOD if advice.fix == fixes.GOOD_ENOUGH else f"first {advice.fix}"
            return msgspec.structs.replace(chosen, why=f"{first}: {advice.reasons[0]}")
    tried = [one.chosen for one in _decided_rounds(request, subject) if one.chosen is not None and one.chosen.fix]
    for advice in advised:
        kind = FIXES.get(advice.fix)
        if kind is None or kind not in recipe.fixes:
            continue
        # A trained fix counts as tried only if it used the same tasks.
        if any(one.fix == kind and (kind not in TRAINED or one.environment == chosen.environment) for one in tried):
            continue
        trial, why = evidence.trial(kind), advice.reasons[0]
        if kind in TRAINED:
            return msgspec.structs.replace(chosen, fix=kind, why=why, recipe=_training(request, subject, kind))
        if trial is not None:
            return msgspec.structs.replace(chosen, fix=kind, why=why, version=trial.version)
    short = next((advice.reasons[0] for advice in advised if advice.fix == fixes.MORE_TASKS), "")
    words = [short or "nothing that is advised and allowed is left to try"]
    if tried:
        words.append(f"tried on this champion: {', '.join(dict.fromkeys(str(one.fix) for one in tried))}")
    measurements = (fixes.CHECK, fixes.MORE_TASKS, fixes.TRIES)
    others = [fix for fix in chosen.advice if FIXES.get(fix) not in recipe.fixes and fix not in measurements]
    if others:
        words.append(f"advised, but not the loop's to do: {', '.join(others)}")
    return msgspec.structs.replace(chosen, why="; ".join(words))


def _decided_rounds(request: FixRequest, subject: AdviceSubject) -> list[Round]:
    """Earlier rounds that tried a fix on this champion."""
    rounds = [one for one in request.earlier if one.begun is not None and one.begun.champion == subject.agent.id]
    return [one for one in rounds if one.decided is not None]


def _training(request: FixRequest, subject: AdviceSubject, algorithm: Fix) -> Json:
    """The advised training recipe with the settings of the loop, without held-out evaluations. The round evaluates afterwards."""
    recipe = request.loop.recipe
    name = f"{request.loop.id}-{request.number}-{algorithm}"
    fields: dict[str, Any] = {**recipe_for(subject, algorithm), "eval_interval": 0, "name": name}
    fields.pop("held_out_eval", None)
    fields |= {role: named for role in ("judge", "user") if (named := getattr(recipe, role))}
    if recipe.beside and algorithm != "dpo":
        if "data" in fields:
            fields["rehearse"] = recipe.beside
        else:
            rest = 1 - sum(recipe.beside.values())
            fields["environments"] = {fields.pop("environment"): rest, **recipe.beside}
    return fields | recipe.training.get(cast(Any, algorithm), {})
