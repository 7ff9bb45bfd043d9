"""Cheap changes, tried out: a prompt with worked examples, and decoding that is held to the tools.

Trials run on training tasks alone, so that held-out ones stay fresh, and never on the families of the examples that a prompt
shows. Each is a version and a run like any other; the same call finds what is finished.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from verigym.core.errors import Refused
from verigym.core.records import FunctionCall, Item, Sampling, Task, Version
from verigym.evaluation.advise import Trial
from verigym.evaluation.stats import paired_delta
from verigym.evaluation.suites import family_of, pick
from verigym.flywheel import stages
from verigym.flywheel.advise import LOOKED_AT, Kept, Subject, is_local, training_tasks
from verigym.harness.environment import EnvironmentSpec, Reply
from verigym.registry.versions import version_id

EXAMPLES = 2
"""Worked ones, in a prompt."""
_LONGEST = 1500
"""Characters of a worked example: a longer one costs more than it shows."""


def try_out(subject: Subject, n: int = 40, on_progress: stages.OnProgress = lambda _: None) -> list[Trial]:
    """The cheap trials that make sense here, on training tasks; each is a version."""
    environment, agent, ws = subject.environment, subject.agent, subject.ws
    train = training_tasks(environment)
    shown = _shown(environment, train)
    tasks = pick([task for task in train if family_of(task) not in {family_of(one) for one in shown}], n, 0)
    if not tasks:
        raise Refused(
            f"{environment.name} has no training tasks to try on (beside those that a prompt would show as examples); "
            "held-out ones are kept fresh"
        )
    variants: list[tuple[str, Version]] = []
    if shown and not agent.adapter:
        variants.append(("prompt", _prompted(subject, shown)))
    if environment.tools and is_local(agent) and not agent.constraints:
        held = msgspec.structs.replace(agent, constraints="tools", name=f"{agent.name}, constrained")
        variants.append(("constraint", _child(held, agent, {"trial": "constraint"})))
    if not variants:
        raise Refused(
            f"there is nothing cheap to try for {agent.name or agent.id}: a prompt variant needs gold solutions and no adapter, "
            "constrained decoding needs tools and a local model"
        )
    setting = _setting(subject)
    before = stages.rollout(ws, environment, agent, tasks, setting, on_progress=on_progress)
    made: list[Trial] = []
    for kind, version in variants:
        run = stages.rollout(ws, environment, ws.keep(version), tasks, setting, on_progress=on_progress)
        trial = _compared(subject, kind, version, before, run, tasks)
        ws.store.put("trial", f"{agent.id}/{version.id}/{run}", Kept(agent.id, environment.name, trial))
        made.append(trial)
    return made


def _setting(subject: Subject) -> stages.Setting:
    """As the run was made, but greedy and once: two versions are compared on as little noise as can be."""
    config, ws = subject.run.config, subject.ws
    sampling = msgspec.convert(config.get("sampling", {}), Sampling)
    user, judge = (ws.known(config[role]) if role in config else None for role in ("user", "judge"))
    return stages.Setting(sampling=msgspec.structs.replace(sampling, temperature=0.0), user=user, judge=judge)


def _shown(environment: EnvironmentSpec, train: list[Task]) -> list[Task]:
    """Tasks with a short gold solution, of different families and, where they can be, of different solutions."""
    solved: dict[str, Task] = {}
    for task in pick(train, LOOKED_AT, 0):
        replies = environment.gold_replies(task) if isinstance(task.prompt, str) else []
        size = len(str(task.prompt)) + sum(len(str(reply)) for reply in replies)
        if replies and size <= _LONGEST and family_of(task) not in map(family_of, solved.values()):
            solved.setdefault(_kind(replies[0]), task)
    return list(solved.values())[:EXAMPLES]


def _kind(reply: Reply) -> str:
    """What tells solutions apart: the tool that is called first; the words of an answer."""
    return reply if isinstance(reply, str) else " ".join(item.name for item in reply if isinstance(item, FunctionCall))


def _prompted(subject: Subject, shown: list[Task]) -> Version:
    environment, agent = subject.environment, subject.agent
    system = environment.system if agent.system_prompt is None else agent.system_prompt
    write = _writer(agent, environment)
    examples = [
        "\n".join([f"Request: {task.prompt}", *(f"Reply: {write(reply)}" for reply in environment.gold_replies(task))])
        for task in shown
    ]
    text = "\n\n".join(filter(None, [system, _rule(environment, shown), *examples]))
    version = msgspec.structs.replace(
        agent,
        system_prompt=text,
        name=f"{agent.name}, with examples",
        families=sorted({*agent.families, *map(family_of, shown)}),
    )
    return _child(version, agent, {"trial": "prompt", "examples": [task.id for task in shown]})


def _rule(environment: EnvironmentSpec, shown: list[Task]) -> str:
    """What the form is, in words, as the gold solutions have it."""
    replies = [reply for task in shown for reply in environment.gold_replies(task)]
    calls = [
        reply
        for reply in replies
        if not isinstance(reply, str) and any(isinstance(item, FunctionCall) for item in reply)
    ]
    if len(calls) == len(replies):
        return "Every reply is one tool call in the form of the examples and nothing else: no greeting, no explanation, no code."
    if calls:
        return "Write tool calls in the form of the examples, one in a reply, nothing around it; use words when all is done."
    return "Reply with the answer alone, in the form of the examples: no greeting and no explanation."


def _writer(agent: Version, environment: EnvironmentSpec) -> Callable[[Reply], str]:
    """How this agent writes a reply: a local model in the dialect of its template, others in the plain one."""
    from verigym.policies import dialects
    from verigym.policies.openai.names import ToolNames

    dialect, named = dialects.ALL[-1], lambda name: name
    if is_local(agent):
        from verigym.model.load import load_tokenizer
        from verigym.policies.render import Renderer

        render, names = Renderer(load_tokenizer(agent.base)), ToolNames(spec.name for spec in environment.tools)
        dialect, named = render.dialect, lambda name: render.shown_name(name, names)

    def write(reply: Reply) -> str:
        if isinstance(reply, str):
            return reply
        items: list[Item] = [
            msgspec.structs.replace(item, name=named(item.name)) if isinstance(item, FunctionCall) else item
            for item in reply
        ]
        return dialect.write(items)

    return write


def _child(version: Version, parent: Version, recipe: dict[str, Any]) -> Version:
    made = msgspec.structs.replace(version, parent=parent.id, recipe=recipe)
    return msgspec.structs.replace(made, id=version_id(made))


def _compared(subject: Subject, kind: Any, version: Version, before: str, after: str, tasks: list[Task]) -> Trial:
    passed = [
        {
            one.task: one.passed
            for one in subject.ws.store.standing(run, subject.environment.verifier.name)
            if one.reward is not None
        }
        for run in (before, after)
    ]
    both = [task for task in tasks if task.id in passed[0] and task.id in passed[1]]
    if not both:
        raise Refused(f"runs {before} and {after} share no task that was scored in both; see: verigym explain {after}")
    sides = [[float(side[task.id]) for task in both] for side in passed]
    delta = paired_delta(sides[0], sides[1], [family_of(task) for task in both], rate=True)
    means = [sum(side) / len(side) for side in sides]
    return Trial(
        kind=kind,
        version=version.id,
        run=after,
        tasks=len(both),
        before=means[0],
        after=means[1],
        low=delta.low,
        high=delta.high,
    )
