"""Trials of cheap changes: a prompt with worked examples, and decoding constrained to tool calls.

Trials use only training tasks, so that held-out tasks stay unused, and never the families of the examples in a prompt. Each trial
is a normal version and run. The same call reuses finished ones.
"""

from collections.abc import Callable, Collection
from typing import Literal, NamedTuple, get_args

import msgspec

from verigym.core.errors import Refused, VerigymError
from verigym.core.records import FunctionCall, Item, Sampling, Task, Version, content_hash
from verigym.evaluation.advise import BY_FORM, Trial
from verigym.evaluation.stats import paired_delta
from verigym.evaluation.suites import family_of, pick
from verigym.harness.environment import EnvironmentSpec, Reply
from verigym.policies import dialects
from verigym.policies.dialects import Dialect
from verigym.registry.versions import version_id
from verigym.rollout.settings import Prices, RunSettings
from verigym.wire.tools import ToolNames
from verigym.workspace import measure as stages
from verigym.workspace.advise import LOOKED_AT, AdviceSubject, StoredTrial, training_tasks
from verigym.workspace.explain import open_run

EXAMPLES = 2
"""Number of worked examples in a prompt."""
_LONGEST = 1500
"""Maximum characters of a worked example."""
_PLAIN = dialects.ALL[-1]

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
) -> FixTrial:
    """Runs the applicable cheap trials on n training tasks. Each trial is a version."""
    environment, agent, ws = subject.environment, subject.agent, subject.ws
    train = training_tasks(environment)
    shown = _shown(environment, train)
    tasks = pick([task for task in train if family_of(task) not in {family_of(one) for one in shown}], n, 0)
    if not tasks:
        raise Refused(
            f"{environment.name} has too few training tasks for a trial. All of them would be shown as examples in the prompt. "
            "Add training tasks. Held-out tasks are not used for trials"
        )
    variants = [one for one in _variants(subject, shown) if one[0] in kinds]
    if not variants:
        raise Refused(
            f"No cheap trial applies to {agent.label}. A prompt variant needs gold solutions and a version without an adapter. "
            "Constrained decoding needs tools and a local model"
        )
    settings = _settings(subject)
    before = stages.rollout(ws, environment, agent, tasks, settings, on_progress=on_progress)
    trials, notes = list[Trial](), list[str]()
    for kind, version in variants:
        try:
            run = stages.rollout(ws, environment, version, tasks, settings, on_progress=on_progress)
        except VerigymError as error:  # for example an unsupported tokenizer. The other trial still runs
            notes.append(f"{version.name} could not be tried: {error}")
            continue
        trial = _compared(subject, kind, version, before, run, tasks)
        ws.store.put("trial", content_hash([agent.id, trial])[:16], StoredTrial(agent.id, environment.name, trial))
        trials.append(trial)
        if lost := len(tasks) - trial.tasks:
            notes.append(
                f"{version.name}: {lost} of {len(tasks)} tasks were not scored in both runs. Repeat --try to run them again"
            )
    return FixTrial(trials, notes)


def _variants(subject: AdviceSubject, shown: list[Task]) -> list[tuple[Kind, Version]]:
    environment, agent = subject.environment, subject.agent
    variants: list[tuple[Kind, Version]] = []
    dialect, shown_name = _dialect(agent, environment)
    if shown and not agent.adapter:
        text = _prompt(environment, agent, shown, lambda reply: _written(reply, dialect, shown_name))
        families = sorted({*agent.families, *map(family_of, shown)})
        variants.append(("prompt", _child(agent, "with examples", system_prompt=text, families=families)))
    if environment.tools and not agent.is_remote and not agent.constraints:
        only_calls = dialect is _PLAIN and _only_calls(environment, shown)
        constraints = call_schema(environment) if only_calls else "tools"
        variants.append(("constraint", _child(agent, "constrained", constraints=constraints)))
    return variants


def _child(agent: Version, what: str, **changes: object) -> Version:
    child = msgspec.structs.replace(agent, name=f"{agent.name}, {what}", parent=agent.id, **changes)
    return msgspec.structs.replace(child, id=version_id(child))


def _settings(subject: AdviceSubject) -> RunSettings:
    """The settings of the run, but greedy and with one episode per task, to compare two versions with little noise."""
    config, ws = subject.run.config, subject.ws
    sampling = msgspec.convert(config.get("sampling", {}), Sampling)
    user, judge = (ws.find(config[role]) if role in config else None for role in ("user", "judge"))
    prices = msgspec.convert(config.get("prices", {}), Prices)
    greedy = msgspec.structs.replace(sampling, temperature=0.0)
    return RunSettings(sampling=greedy, user=user, judge=judge, prices=prices)


def _shown(environment: EnvironmentSpec, train: list[Task]) -> list[Task]:
    """Tasks with a short gold solution, of different families and different solutions."""
    solved: dict[str, Task] = {}
    for task in pick(train, LOOKED_AT, 0):
        replies = environment.gold_replies(task) if isinstance(task.prompt, str) else []
        size = len(str(task.prompt)) + sum(len(str(reply)) for reply in replies)
        if replies and size <= _LONGEST and family_of(task) not in map(family_of, solved.values()):
            solved.setdefault(_kind(replies[0]), task)
    return list(solved.values())[:EXAMPLES]


def _kind(reply: Reply) -> str:
    """The kind of a solution: the tools that it calls first, or the text of its answer."""
    if isinstance(reply, str):
        return reply
    return " ".join(item.name for item in reply if isinstance(item, FunctionCall)) or "words"


def _prompt(environment: EnvironmentSpec, agent: Version, shown: list[Task], write: Callable[[Reply], str]) -> str:
    """The system prompt of the agent, followed by a description of the format and worked examples."""
    system = environment.system if agent.system_prompt is None else agent.system_prompt
    examples: list[str] = []
    for task in shown:
        replies = [f"Reply: {write(reply)}" for reply in environment.gold_replies(task)]
        examples.append("\n".join([f"Request: {task.prompt}", *replies]))
    return "\n\n".join(filter(None, [system, _rule(environment, shown), *examples]))


def _rule(environment: EnvironmentSpec, shown: list[Task]) -> str:
    if _only_calls(environment, shown):
        return "Every reply is one tool call in the form of the examples and nothing else: no greeting, no explanation, no code."
    if environment.tools:
        return "Write tool calls in the form of the examples, one in a reply, nothing around it; use words when all is done."
    return "Reply with the answer alone, in the form of the examples: no greeting and no explanation."


def _only_calls(environment: EnvironmentSpec, shown: list[Task]) -> bool:
    """Whether the gold solutions consist only of tool calls."""
    replies = [reply for task in shown for reply in environment.gold_replies(task)]
    return bool(replies) and all(
        not isinstance(reply, str) and any(isinstance(item, FunctionCall) for item in reply) for reply in replies
    )


def _dialect(agent: Version, environment: EnvironmentSpec) -> tuple[Dialect, Callable[[str], str]]:
    """How an agent writes tool calls, with a function from a tool's name to the name that is shown: a local model in the
    dialect of its template, others in the plain dialect."""
    if agent.is_remote:
        return _PLAIN, str
    from verigym.model.load import load_tokenizer
    from verigym.policies.render import Renderer

    render, names = Renderer(load_tokenizer(agent.base)), ToolNames(spec.name for spec in environment.tools)
    return render.dialect, lambda name: render.shown_name(name, names)


def _written(reply: Reply, dialect: Dialect, shown_name: Callable[[str], str]) -> str:
    if isinstance(reply, str):
        return reply
    items: list[Item] = [
        msgspec.structs.replace(item, name=shown_name(item.name)) if isinstance(item, FunctionCall) else item
        for item in reply
    ]
    return dialect.write(items)


def call_schema(environment: EnvironmentSpec) -> str:
    """The JSON schema of a reply that is one tool call. The constraint `tools` would also allow text."""
    calls = [
        {
            "type": "object",
            "properties": {"tool": {"const": spec.name}, "args": spec.parameters},
            "required": ["tool", "args"],
            "additionalProperties": False,
        }
        for spec in environment.tools
    ]
    return msgspec.json.encode({"anyOf": calls}).decode()


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
