"""Trials of cheap changes: a small search for a better prompt, examples and tools, and decoding constrained to tool calls.

Trials use only training tasks, so that held-out tasks stay unused. The search gets half of the training families. Its result
is compared with the agent on the other half, because figures of the tasks that chose it look too good. Each trial is a normal
version and run. The same call reuses finished ones.
"""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import msgspec

from verigym.core.errors import Refused, VerigymError
from verigym.core.records import Sampling, Task, Version, content_hash
from verigym.core.seeds import derive
from verigym.evaluation.advise import BY_FORM, Trial
from verigym.evaluation.stats import paired_delta
from verigym.evaluation.suites import family_of, pick
from verigym.optimize.mutations import constraint_for
from verigym.optimize.records import PARTS, OptimizeSettings, Part
from verigym.optimize.search import optimize
from verigym.optimize.split import BATCH_MIN
from verigym.registry.versions import version_id
from verigym.rollout.many import Progress
from verigym.rollout.settings import Prices, RunSettings
from verigym.workspace import measure as stages
from verigym.workspace.advise import AdviceSubject, StoredTrial, training_tasks
from verigym.workspace.agent_tools import keep_tools
from verigym.workspace.explain import open_run

EPISODES_PER_TASK = 3
"""Episodes of the search for each task of the trial."""
_MIN_FAMILIES = 3
"""Two for the search, which divides them again, and one for the comparison."""

Kind = Literal["prompt", "constraint"]


class FixTrial(NamedTuple):
    trials: list[Trial]
    notes: list[str]
    """Trials that failed, with the reason."""


def try_out(
    subject: AdviceSubject,
    n: int = 40,
    on_progress: stages.OnProgress = lambda _: None,
    kinds: Collection[str] = get_args(Kind),
    tools: Sequence[str | Path] = (),
) -> FixTrial:
    """Runs the applicable cheap trials on n training tasks. Each trial is a version. `tools` are tools files that the search may
    add, such as a search over documents."""
    environment, agent, ws = subject.environment, subject.agent, subject.ws
    learning, rest = _halves(training_tasks(environment))
    tasks = pick(rest, n, 0)
    if not tasks or not learning:
        raise Refused(
            f"{environment.name} has too few training tasks for a trial. It needs {_MIN_FAMILIES} families: some to search on "
            "and others to compare on. Add training tasks. Held-out tasks are not used for trials"
        )
    wanted: list[Kind] = [kind for kind in _applicable(subject) if kind in kinds]
    if not wanted:
        raise Refused(
            f"No cheap trial applies to {agent.label}. A prompt variant needs a version without an adapter. "
            "Constrained decoding needs tools and a local model"
        )
    settings = _settings(subject)
    before = stages.rollout(ws, environment, agent, tasks, settings, on_progress=on_progress)
    trials, notes = list[Trial](), list[str]()
    for kind in wanted:
        try:
            version = (
                _searched(subject, learning, n, settings, tools, on_progress)
                if kind == "prompt"
                else _child(agent, "constrained", constraints=constraint_for(agent, environment))
            )
            run = stages.rollout(ws, environment, version, tasks, settings, on_progress=on_progress)
        except VerigymError as error:  # for example an unsupported tokenizer. The other trial still runs
            notes.append(f"{agent.label}, {_TITLES[kind]} could not be tried: {error}")
            continue
        trial = _compared(subject, kind, version, before, run, tasks)
        ws.store.put("trial", content_hash([agent.id, trial])[:16], StoredTrial(agent.id, environment.name, trial))
        trials.append(trial)
        if lost := len(tasks) - trial.tasks:
            notes.append(
                f"{version.label}: {lost} of {len(tasks)} tasks were not scored in both runs. Repeat --try to run them again"
            )
    return FixTrial(trials, notes)


_TITLES: dict[Kind, str] = {"prompt": "optimised", "constraint": "constrained"}


def _applicable(subject: AdviceSubject) -> list[Kind]:
    environment, agent = subject.environment, subject.agent
    kinds: list[Kind] = [] if agent.adapter else ["prompt"]
    local = not agent.is_remote and not agent.program
    if environment.tools and local and not agent.constraints:
        kinds.append("constraint")
    return kinds


def _halves(train: list[Task]) -> tuple[list[Task], list[Task]]:
    """Tasks for the search, and tasks of other families for the comparison."""
    families = sorted({family_of(task) for task in train}, key=lambda family: derive(0, "trial", family))
    if len(families) < _MIN_FAMILIES:
        return [], []
    mine = {*families[: (len(families) + 1) // 2]}
    first, second = ([task for task in train if (family_of(task) in mine) is side] for side in (True, False))
    return first, second


def _searched(
    subject: AdviceSubject,
    tasks: list[Task],
    n: int,
    settings: RunSettings,
    tools: Sequence[str | Path],
    on_progress: stages.OnProgress,
) -> Version:
    """The best version of a small search, or the agent itself if none is better. Constrained decoding is a trial of its own. A
    local model does not reflect: small models reflect poorly, and it takes longer than all episodes."""
    agent, ws = subject.agent, subject.ws
    constrains = "constraint" in _applicable(subject)
    parts: tuple[Part, ...] = tuple(part for part in PARTS if part != "harness" or not constrains)
    files = {Path(file).name: keep_tools(ws, Path(file)) for file in tools}
    budget = max(EPISODES_PER_TASK * n, 3 * BATCH_MIN)
    asked = OptimizeSettings(budget=budget, parts=parts, tools_files=files, episodes=settings)
    reflect = ws.agent(agent.base) if agent.is_remote else None
    found = optimize(
        ws,
        subject.environment,
        agent,
        asked,
        reflect=reflect,
        tasks=tasks,
        on_progress=lambda done, total, note: on_progress(Progress(total=total, done=done)),
    )
    return ws.find(found.best)


def _child(agent: Version, what: str, **changes: object) -> Version:
    child = msgspec.structs.replace(agent, name=f"{agent.name}, {what}", parent=agent.id, **changes)
    return msgspec.structs.replace(child, id=version_id(child))


def _settings(subject: AdviceSubject) -> RunSettings:
    """The settings of the run, but greedy, with the weights of the model and with one episode per task, to compare two versions
    with little noise."""
    config, ws = subject.run.config, subject.ws
    sampling = msgspec.convert(config.get("sampling", {}), Sampling)
    user, judge = (ws.find(config[role]) if role in config else None for role in ("user", "judge"))
    prices = msgspec.convert(config.get("prices", {}), Prices)
    greedy = msgspec.structs.replace(sampling, temperature=0.0, weights="")
    return RunSettings(sampling=greedy, user=user, judge=judge, prices=prices)


def _compared(
    subject: AdviceSubject, kind: Kind, version: Version, before: str, after: str, tasks: list[Task]
) -> Trial:
    def passed(run: str) -> dict[str, float]:
        statuses = subject.ws.store.statuses(run, subject.environment.verifier.name)
        return {one.task: float(one.passed) for one in statuses if one.reward is not None}

    old, new = passed(before), passed(after)
    both = [task for task in tasks if task.id in old and task.id in new]
    if not both:
        raise Refused(
            f"Runs {before} and {after} have no task that was scored in both. Find out why: verigym explain {after}"
        )
    sides = [[side[task.id] for task in both] for side in (old, new)]
    delta = paired_delta(sides[0], sides[1], [family_of(task) for task in both], rate=True)
    return Trial(
        kind=kind,
        version=version.id,
        run=after,
        tasks=len(both),
        before=sum(sides[0]) / len(both),
        after=sum(sides[1]) / len(both),
        low=delta.low,
        high=delta.high,
        unread_before=_unread(subject, before),
        unread_after=_unread(subject, after),
    )


def _unread(subject: AdviceSubject, run: str) -> float:
    """Share of episodes that fail because of their format."""
    shares = {one.bucket: one.share for one in open_run(subject.ws, run).explained().findings}
    return sum(shares.get(name, 0.0) for name in BY_FORM)
