"""Cheap changes, tried out: a prompt with worked examples, and decoding that is held to the form of a call.

Trials run on training tasks alone, so that held-out ones stay fresh, and never on the families of the examples that a prompt
shows. Each is a version and a run like any other; the same call finds what is finished.
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
from verigym.workspace.advise import LOOKED_AT, AdviceSubject, StoredTrial, is_local, training_tasks
from verigym.workspace.explain import open_run

EXAMPLES = 2
"""Worked ones, in a prompt."""
_LONGEST = 1500
"""Characters of a worked example: a longer one costs more than it shows."""
_PLAIN = dialects.ALL[-1]

Kind = Literal["prompt", "constraint"]


class FixTrial(NamedTuple):
    trials: list[Trial]
    notes: list[str]
    """What could not be tried, and why."""


def try_out(
    subject: AdviceSubject,
    n: int = 40,
    on_progress: stages.OnProgress = lambda _: None,
    kinds: Collection[str] = get_args(Kind),
) -> FixTrial:
    """The cheap trials that make sense here, on n training tasks; each is a version."""
    environment, agent, ws = subject.environment, subject.agent, subject.ws
    train = training_tasks(environment)
    shown = _shown(environment, train)
    tasks = pick([task for task in train if family_of(task) not in {family_of(one) for one in shown}], n, 0)
    if not tasks:
        raise Refused(
            f"{environment.name} has no training tasks to try on (beside those that a prompt would show as examples); "
            "held-out ones are kept fresh"
        )
    variants = [one for one in _variants(subject, shown) if one[0] in kinds]
    if not variants:
        raise Refused(
            f"there is nothing cheap to try for {agent.label}: a prompt variant needs gold solutions and no adapter, "
            "constrained decoding needs tools and a local model"
        )
    settings = _settings(subject)
    before = stages.rollout(ws, environment, agent, tasks, settings, on_progress=on_progress)
    made, notes = list[Trial](), list[str]()
    for kind, version in variants:
        try:
            run = stages.rollout(ws, environment, version, tasks, settings, on_progress=on_progress)
        except VerigymError as error:  # a tokenizer that grammars cannot read, say: the other trial goes on
            notes.append(f"{version.name} could not be tried: {error}")
            continue
        trial = _compared(subject, kind, version, before, run, tasks)
        ws.store.put("trial", content_hash([agent.id, trial])[:16], StoredTrial(agent.id, environment.name, trial))
        made.append(trial)
        if trial.tasks < len(tasks):
            lost = len(tasks) - trial.tasks
            notes.append(
                f"{version.name}: {lost} of {len(tasks)} tasks were not scored on both sides; --try again runs them"
            )
    return FixTrial(made, notes)


def _variants(subject: AdviceSubject, shown: list[Task]) -> list[tuple[Kind, Version]]:
    environment, agent = subject.environment, subject.agent
    found: list[tuple[Kind, Version]] = []
    speech = _speech(agent, environment)
    if shown and not agent.adapter:
        text = _prompt(environment, agent, shown, speech)
        families = sorted({*agent.families, *map(family_of, shown)})
        found.append(("prompt", _child(agent, "with examples", system_prompt=text, families=families)))
    if environment.tools and is_local(agent) and not agent.constraints:
        calls = speech.dialect is _PLAIN and _only_calls(environment, shown)
        held = call_schema(environment) if calls else "tools"
        found.append(("constraint", _child(agent, "constrained", constraints=held)))
    return found


def _child(agent: Version, what: str, **changes: object) -> Version:
    made = msgspec.structs.replace(agent, name=f"{agent.name}, {what}", parent=agent.id, **changes)
    return msgspec.structs.replace(made, id=version_id(made))


def _settings(subject: AdviceSubject) -> RunSettings:
    """As the run was made, but greedy and once: two versions are compared on as little noise as can be."""
    config, ws = subject.run.config, subject.ws
    sampling = msgspec.convert(config.get("sampling", {}), Sampling)
    user, judge = (ws.find(config[role]) if role in config else None for role in ("user", "judge"))
    prices = msgspec.convert(config.get("prices", {}), Prices)
    greedy = msgspec.structs.replace(sampling, temperature=0.0)
    return RunSettings(sampling=greedy, user=user, judge=judge, prices=prices)


# -- a prompt ---------------------------------------------------------------------------------------------------------------


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
    """What tells solutions apart: the tools that are called first, the words of an answer."""
    if isinstance(reply, str):
        return reply
    return " ".join(item.name for item in reply if isinstance(item, FunctionCall)) or "words"


def _prompt(environment: EnvironmentSpec, agent: Version, shown: list[Task], speech: "_Speech") -> str:
    """The system prompt as it is, the form in words, and worked examples."""
    system = environment.system if agent.system_prompt is None else agent.system_prompt
    examples = [
        "\n".join(
            [f"Request: {task.prompt}", *(f"Reply: {speech.write(one)}" for one in environment.gold_replies(task))]
        )
        for task in shown
    ]
    return "\n\n".join(filter(None, [system, _rule(environment, shown), *examples]))


def _rule(environment: EnvironmentSpec, shown: list[Task]) -> str:
    if _only_calls(environment, shown):
        return "Every reply is one tool call in the form of the examples and nothing else: no greeting, no explanation, no code."
    if environment.tools:
        return "Write tool calls in the form of the examples, one in a reply, nothing around it; use words when all is done."
    return "Reply with the answer alone, in the form of the examples: no greeting and no explanation."


def _only_calls(environment: EnvironmentSpec, shown: list[Task]) -> bool:
    """Whether the gold solutions consist of calls, with no words at the end."""
    replies = [reply for task in shown for reply in environment.gold_replies(task)]
    return bool(replies) and all(
        not isinstance(reply, str) and any(isinstance(item, FunctionCall) for item in reply) for reply in replies
    )


class _Speech(NamedTuple):
    """How an agent writes: a local model in the dialect of its template, others in the plain one."""

    dialect: Dialect
    named: Callable[[str], str]
    """A tool's name as it is shown."""

    def write(self, reply: Reply) -> str:
        if isinstance(reply, str):
            return reply
        items: list[Item] = [
            msgspec.structs.replace(item, name=self.named(item.name)) if isinstance(item, FunctionCall) else item
            for item in reply
        ]
        return self.dialect.write(items)


def _speech(agent: Version, environment: EnvironmentSpec) -> _Speech:
    if not is_local(agent):
        return _Speech(_PLAIN, lambda name: name)
    from verigym.model.load import load_tokenizer
    from verigym.policies.render import Renderer

    render, names = Renderer(load_tokenizer(agent.base)), ToolNames(spec.name for spec in environment.tools)
    return _Speech(render.dialect, lambda name: render.shown_name(name, names))


# -- a constraint -----------------------------------------------------------------------------------------------------------


def call_schema(environment: EnvironmentSpec) -> str:
    """JSON schema of a reply that is one call: `tools` alone would still let a model talk."""
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


# -- the difference ---------------------------------------------------------------------------------------------------------


def _compared(
    subject: AdviceSubject, kind: Kind, version: Version, before: str, after: str, tasks: list[Task]
) -> Trial:
    store, verifier = subject.ws.store, subject.environment.verifier.name
    passed = [
        {one.task: one.passed for one in store.standing(run, verifier) if one.reward is not None}
        for run in (before, after)
    ]
    both = [task for task in tasks if task.id in passed[0] and task.id in passed[1]]
    if not both:
        raise Refused(f"runs {before} and {after} share no task that was scored in both; see: verigym explain {after}")
    sides = [[float(side[task.id]) for task in both] for side in passed]
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
    """Share of episodes that fail by their form."""
    shares = {one.bucket: one.share for one in open_run(subject.ws, run).explained().findings}
    return sum(shares.get(name, 0.0) for name in BY_FORM)
