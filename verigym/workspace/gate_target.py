"""What the gate compares two versions on, and how it measures them.

The first look at a pair settles that. A later evaluation with other sampling, such as a short trial, does not change it.
"""

from collections.abc import Collection, Mapping, Sequence

import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.records import Json, Report, Sampling, Suite, Task, Version
from verigym.environments.bridges.find import bridge, is_bridge
from verigym.environments.load import base_and_added, held_out_name, load_environment
from verigym.evaluation.suites import family_of, make_suite
from verigym.gates.policy import GatePolicy
from verigym.harness.environment import EnvironmentSpec
from verigym.registry import ledger
from verigym.rollout.settings import EpisodeLimits, Prices, RunSettings
from verigym.training.recipe import CHOICE_PART
from verigym.workspace import measure as stages
from verigym.workspace.shared_reports import GUARDS, SETTINGS, is_guard
from verigym.workspace.workspace import WorkspaceFolder


class Target(Struct, frozen=True, kw_only=True):
    """What the primary suite is and how it is measured."""

    environment: EnvironmentSpec
    suite: str
    settings: RunSettings
    known: Report | None
    """The report that they are taken from."""


def find_target(
    ws: WorkspaceFolder,
    candidate: Version,
    champion: Version,
    environment: str = "",
    suite: str = "",
    settings: RunSettings | None = None,
    like: Report | None = None,
    besides: Collection[str] = (),
) -> Target:
    """By default the environment that the candidate was trained on, or else that of its newest report, `besides` the guardrail
    suites of the policy. The versions are measured as in `like`, or else as at the last look at this pair, or else as the
    champion was measured."""
    environment = held_out_name(environment)
    if like is not None and environment and base_and_added(environment)[0] != base_and_added(like.suite.environment)[0]:
        raise BadInput(f"Run {like.run} was on {like.suite.environment}, not on {environment}. Leave one of them out")
    wanted = environment or (like.suite.environment if like is not None else held_out_name(_trained_on(candidate)))
    model = like or _last_look(ws, candidate, champion, wanted) or _report(ws, candidate, champion, wanted, besides)
    if not wanted:
        if model is None:
            raise Refused(
                f"{candidate.label} was not trained here and has no report, so the gate does not know on which tasks to compare "
                f"it. Name an environment: verigym gate {candidate.id} -e ENV"
            )
        wanted = model.suite.environment
    spec = load_environment(wanted)
    if model is None:
        if spec.needs_user and settings is None:
            raise Refused(
                f"{wanted} simulates a user, and no report of {champion.label} says by which model. Evaluate it first: "
                f"verigym eval {wanted} -m {champion.id} --user MODEL"
            )
        return Target(
            environment=spec,
            suite=suite or next(iter(spec.suites.values()), "val"),
            settings=settings or RunSettings(sampling=_greedy(candidate, champion)),
            known=None,
        )
    spec = stages.judged_by(spec, _verifier_of(spec, model))
    return Target(
        environment=spec,
        suite=suite or _suite_of(spec, model),
        settings=settings or _with_first_seed(ws, model, _settings_of(ws, model, candidate, champion)),
        known=model,
    )


def guard_environments(policy: GatePolicy) -> dict[str, str]:
    """`retention` and `safety` to the environment that the policy names in place of the shipped one."""
    asked = {"retention": policy.retention, "safety": policy.safety}
    named = {name: one.environment for name, one in asked.items() if one is not None}
    return {name: environment for name, environment in named.items() if isinstance(environment, str)}


def guard_settings(name: str, policy: GatePolicy, target: Target, versions: Sequence[Version]) -> RunSettings:
    """How a guardrail suite is measured: greedily. One that the policy names may need the user and the judge of the target."""
    asked = {"retention": policy.retention, "regressions": policy.regressions}.get(name, policy.safety)
    assert asked is not None and not isinstance(asked, msgspec.UnsetType)
    most = max(stages.max_tokens_for(one, asked.max_tokens) for one in versions)
    settings = RunSettings(sampling=Sampling(temperature=0.0, max_tokens=most), prices=target.settings.prices)
    if name not in guard_environments(policy):
        return settings
    return msgspec.structs.replace(settings, user=target.settings.user, judge=target.settings.judge)


def guard_environment(name: str, named: Mapping[str, str], target: Target, champion: Version) -> EnvironmentSpec:
    """The environment of a guardrail suite: the shipped one, or the one that the policy names."""
    environment = named.get(name, name)
    spec = load_environment(environment)
    if name not in named:
        return spec
    if not spec.tasks(next(iter(spec.suites.values()), "val")):
        raise Refused(f"{environment} has no held-out tasks, so it cannot be the {name} suite of a policy")
    if spec.needs_user and target.settings.user is None:
        raise Refused(
            f"{environment}, the {name} suite of the policy, simulates a user, and no model plays it. Evaluate "
            f"{champion.label} first with --user MODEL, on the environment of the gate"
        )
    if name == "safety" and is_bridge(environment) and not bridge(environment.partition(":")[0]).unsafe:
        raise Refused(
            f"{environment} never says that an action is unsafe, so it cannot be the safety suite of a policy. Make it the "
            "retention suite, or name an environment that does"
        )
    return spec


def without_families(suite: Suite, tasks: list[Task], families: Collection[str]) -> tuple[Suite, list[Task]]:
    """The suite without the families that chose the candidate among the checkpoints of its training run."""
    rest = [task for task in tasks if family_of(task) not in families]
    if not rest:
        raise Refused(
            f"{suite.name}: all {len(suite.families)} families chose this checkpoint among others, so none is left to judge it. "
            f"Choose checkpoints on a part of the suite (held_out_eval: {suite.name.split(' ')[0]} {CHOICE_PART}), or hold out "
            "more families"
        )
    return make_suite(suite.name, suite.environment, rest, suite.verifier), rest


def _last_look(ws: WorkspaceFolder, candidate: Version, champion: Version, environment: str) -> Report | None:
    """The champion's report of the last decision about this pair, on the environment or on one that extends it."""
    for entry in reversed(ledger.entries(ws.store)):
        decision = entry.decision
        if (decision.candidate, decision.champion) != (candidate.id, champion.id) or not decision.reports:
            continue
        report = ws.store.get("report", decision.reports[1], Report)
        if report is None or not config_of_report(ws, report):
            continue
        if not environment or base_and_added(report.suite.environment)[0] == base_and_added(environment)[0]:
            return report
    return None


def _report(
    ws: WorkspaceFolder, candidate: Version, champion: Version, environment: str, besides: Collection[str] = ()
) -> Report | None:
    """The report that says how to measure: the champion's, or else the candidate's. Without an environment it is the one of the
    candidate's newest report."""
    reports = [
        one
        for one in reversed(ws.store.documents("report", Report))
        if (
            one.suite.environment == environment
            if environment
            else not is_guard(one) and one.suite.environment not in besides
        )
    ]
    theirs, ours = ([one for one in reports if one.agent == version.id] for version in (champion, candidate))
    if ours and not environment:
        theirs = [one for one in theirs if one.suite.environment == ours[0].suite.environment]
    newest = theirs or ours
    same = [one for one in newest if _suite(one) == _suite(newest[0])]
    return max(same, key=lambda one: len(one.results), default=None)  # the newest of those with most tasks


def _suite(report: Report) -> tuple[str, str]:
    return report.suite.environment, report.suite.name


def _verifier_of(spec: EnvironmentSpec, report: Report) -> str:
    name = report.suite.verifier.partition("@")[0]
    return name if name in spec.verifiers else ""


def _suite_of(spec: EnvironmentSpec, report: Report) -> str:
    """The suite of the report, if the environment still has it."""
    name = report.suite.name
    known = [*spec.suites, *(f"{spec.name}:{split}" for split in spec.suites.values())]
    return name.removeprefix(f"{spec.name}:") if name.split(" ")[0] in known else "val"


def _greedy(*versions: Version) -> Sampling:
    """The first choice at every token, with room for the reasoning of a model that reasons."""
    most = max(stages.max_tokens_for(one, stages.GREEDY.max_tokens) for one in versions)
    return msgspec.structs.replace(stages.GREEDY, max_tokens=most)


def _settings_of(ws: WorkspaceFolder, report: Report, *versions: Version) -> RunSettings:
    """How the episodes of a report were run, but with the weights of the versions, which are what is decided about. If its run
    was removed, greedily."""
    config = config_of_report(ws, report)
    if not config:
        return RunSettings(sampling=_greedy(*versions), seed=report.seed)
    user, judge = (ws.find_role(config[role]) if role in config else None for role in ("user", "judge"))
    return RunSettings(
        k=config.get("k", 1),
        sampling=msgspec.structs.replace(msgspec.convert(config.get("sampling", {}), Sampling), weights=""),
        seed=config.get("seed", 0),
        limits=msgspec.convert(config.get("limits", {}), EpisodeLimits),
        prices=msgspec.convert(config.get("prices", {}), Prices),
        user=user,
        judge=judge,
    )


def _with_first_seed(ws: WorkspaceFolder, report: Report, settings: RunSettings) -> RunSettings:
    """With the seed of the first report like this one. The newest would allow to try seeds until one looks good."""
    if settings.sampling.temperature == 0:
        return settings  # every seed gives the same replies
    asked = config_of_report(ws, report)
    for one in ws.store.documents("report", Report):
        config = config_of_report(ws, one) if one.agent == report.agent and _suite(one) == _suite(report) else {}
        if config and all(config.get(name) == asked.get(name) for name in SETTINGS):
            return msgspec.structs.replace(settings, seed=config.get("seed", 0))
    return settings


def config_of_report(ws: WorkspaceFolder, report: Report) -> Json:
    """The settings of a report's run. Empty if the run was removed."""
    try:
        return ws.store.run(report.run).config
    except NotFound:
        return {}


def _trained_on(candidate: Version) -> str:
    """The environment that a version was optimised or trained on. Empty if there is none, or only guardrail suites."""
    recipe = candidate.recipe
    optimized = recipe.get("optimize", {}).get("environment", "")
    names = [optimized, recipe.get("environment", ""), *recipe.get("environments", {})]
    return next((name for name in names if name and name not in GUARDS), "")
