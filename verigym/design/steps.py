"""What a drawn row still has to go through, step by step: columns that cost, constraints on those, then the validators.

A step takes the rows that are left, many at once, may add to them, and says of each what is wrong with it: nothing, or a text.
Whatever a row's own values bring about is such a text. A server that is gone ends the command, which can be given again.
"""

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jsonschema
import msgspec

from verigym.core.errors import BadInput, ContextFull, InfrastructureFailure, VerifierFailure, not_found, words_of
from verigym.core.protocols import Context, Policy, Request, Sandbox, Scorer
from verigym.core.records import Fault, Item, Json, Message, Sampling, Task, Trajectory, Version
from verigym.core.seeds import derive
from verigym.design import order
from verigym.design.code import call
from verigym.design.draw import RowSampler
from verigym.design.expressions import Expression, TextTemplate
from verigym.design.spec import (
    Code,
    Design,
    GoldCheck,
    JudgeCheck,
    JudgeColumn,
    Llm,
    PythonCheck,
    RewardCheck,
    SchemaCheck,
    expressions_of,
)
from verigym.environments.load import environment_of
from verigym.harness.environment import EnvironmentSpec, Reply
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import gathered, run_episode
from verigym.rollout.many import judge
from verigym.sandbox.open import LazySandbox
from verigym.tasks.rows import read_task
from verigym.verifiers.answers import find_json
from verigym.verifiers.judge import Judge

AT_ONCE = 64
"""Requests to a model; a policy may say that it takes fewer."""
_EPISODES = 8
"""Gold solutions that are played at once: their verifiers may run code."""
_ASKED = 3
"""How often a model is asked for a value that fits its schema."""
_AGENT = Version(base="gold", id="gold")
NO_GOLD = "it has no gold solution"
TASK = "a task"
"""The step that makes a row a task."""


class DesignRow(msgspec.Struct):
    """A row on its way."""

    place: int
    """Which of all rows that were drawn."""
    values: Json
    reason: str = ""
    """What rejected it: `column "tests"`, `validator gold`; empty while nothing has."""
    problem: str = ""
    """Why, in words."""
    task: Task | None = None
    """Once it is one."""


class StepResources(msgspec.Struct, frozen=True, kw_only=True):
    """What steps may use beside the rows."""

    policies: Mapping[str, Policy] = {}
    """By the name that the spec gives a model; `judge` is asked by an environment's verifier."""
    scorers: Mapping[str, Scorer] = {}
    sandbox: Sandbox = msgspec.field(default_factory=LazySandbox)
    environment: EnvironmentSpec | None = None
    """Where tasks are played; none for a file of questions."""


class DesignStep(NamedTuple):
    name: str
    run: Callable[[Sequence[DesignRow]], Awaitable[list[str]]]
    """What is wrong with each row; empty for nothing."""


def steps_of(design: Design, drawn: RowSampler, kit: StepResources, seed: int) -> list[DesignStep]:
    steps: list[DesignStep] = []
    done = {name for name in drawn.order if name not in drawn.dear}
    waiting = dict(drawn.later)
    for name in [name for name in drawn.order if name in drawn.dear]:
        steps.append(_column(design, name, kit, seed))
        done.add(name)
        for held in [held for held, one in waiting.items() if one.names <= done]:
            steps.append(DesignStep(f'constraint "{held}"', _by_row(_holds, waiting.pop(held))))
    if design.makes_tasks:
        steps.append(DesignStep(TASK, _by_row(_as_task, (design, seed))))
    order.check_validators(design)
    for place in range(len(design.spec.validators)):
        step = _validator(design, place, kit, seed)
        twice = any(step.name == other.name for other in steps)
        steps.append(step._replace(name=f"{step.name} {place + 1}") if twice else step)
    return steps


def _by_row(
    check: Callable[[DesignRow, Any], str], given: Any
) -> Callable[[Sequence[DesignRow]], Awaitable[list[str]]]:
    async def run(rows: Sequence[DesignRow]) -> list[str]:
        return [check(row, given) for row in rows]

    return run


def _gathered(
    check: Callable[[DesignRow], Awaitable[str]], at_once: int
) -> Callable[[Sequence[DesignRow]], Awaitable[list[str]]]:
    async def run(rows: Sequence[DesignRow]) -> list[str]:
        found = [""] * len(rows)
        waiting = iter(enumerate(rows))

        async def work() -> None:
            for place, row in waiting:
                found[place] = await check(row)

        await gathered([work() for _ in range(min(at_once, len(rows)))])
        return found

    return run


# -- columns ---------------------------------------------------------------------------------------------------------------


def _column(design: Design, name: str, kit: StepResources, seed: int) -> DesignStep:
    column = design.spec.columns[name]
    title = f'column "{name}"'
    works = expressions_of(column)
    match column:
        case Code():
            return DesignStep(title, _called(design, column, column.function or name, kit, seed, name))
        case Llm():
            policy = kit.policies[column.model or design.spec.model]
            return DesignStep(title, _gathered(_asked(column, policy, works, name, seed), at_once(policy)))
        case JudgeColumn():
            policy = kit.policies[column.model or design.spec.model]
            return DesignStep(title, _gathered(_scored(column, policy, works[0], name, seed), at_once(policy)))
        case _:
            return DesignStep(title, _by_row(_worked, (name, works[0])))


def _worked(row: DesignRow, given: tuple[str, Expression | TextTemplate]) -> str:
    name, work = given
    try:
        row.values[name] = work.value(row.values)
    except Exception as error:  # of the values, which a model may have written
        return f"{type(error).__name__}: {words_of(error)}"
    return ""


def _holds(row: DesignRow, constraint: Expression) -> str:
    try:
        return "" if constraint.value(row.values) else "it does not hold"
    except Exception as error:
        return f"it cannot be worked out: {type(error).__name__}: {words_of(error)}"


def _called(
    design: Design, column: Code | PythonCheck, function: str, kit: StepResources, seed: int, into: str
) -> Callable[[Sequence[DesignRow]], Awaitable[list[str]]]:
    file = design.folder / column.file
    names = order.arguments(file, function)

    async def run(rows: Sequence[DesignRow]) -> list[str]:
        given = [
            {one: row.values[one] if one in row.values else derive(seed, "code", row.place) for one in names}
            for row in rows
        ]
        found = await call(
            file, function, given, sandbox=kit.sandbox, in_process=column.in_process, seconds=column.seconds
        )
        if into:
            for row, one in zip(rows, found, strict=True):
                row.values[into] = one.value
            return [one.problem for one in found]
        return [one.problem or _said(one.value) for one in found]

    return run


def _said(value: Any) -> str:
    """What a checking function's answer means: true is fine, a text is what is wrong."""
    if isinstance(value, str):
        return value
    return "" if value is True else f"it returned {msgspec.json.encode(value).decode()}"


def at_once(policy: Policy) -> int:
    return min(AT_ONCE, getattr(policy, "max_concurrency", AT_ONCE))


def _asked(
    column: Llm, policy: Policy, works: Sequence[Expression | TextTemplate], name: str, seed: int
) -> Callable[[DesignRow], Awaitable[str]]:
    schema = column.json_schema
    fits = jsonschema.Draft202012Validator(schema) if schema is not None else None
    text = msgspec.json.encode(schema).decode() if schema is not None else ""
    sampling = Sampling(temperature=column.temperature, max_tokens=column.max_tokens, constrain=text)

    async def ask(row: DesignRow) -> str:
        try:
            prompt, system = (work.value(row.values) for work in works)
        except Exception as error:
            return f"its prompt cannot be worked out: {type(error).__name__}: {words_of(error)}"
        if text:
            prompt += f"\n\nAnswer with one JSON value of this schema and nothing else:\n{text}"
        items: list[Item] = [*([Message("system", system)] if system else []), Message("user", prompt)]
        problem = ""
        for attempt in range(_ASKED if text else 1):
            request = Request(items=items, sampling=sampling, seed=derive(seed, name, row.place, attempt))
            try:
                reply = await policy.respond(request)
            except ContextFull as error:
                return words_of(error)
            said = "".join(item.text for item in reply.items if isinstance(item, Message)).strip()
            problem = "" if said else "the model said nothing"
            if said and fits is not None:
                problem, value = _fitting(said, fits)
                row.values[name] = value
            elif said:
                row.values[name] = said
            if not problem:
                return ""
        return problem

    return ask


def _fitting(said: str, fits: Any) -> tuple[str, Any]:
    try:
        value = find_json(said)
    except ValueError:
        return f'no JSON in "{said[:200]}"', None
    wrong = next(iter(fits.iter_errors(value)), None)
    return (f"not of the schema: {wrong.message[:300]}" if wrong is not None else ""), value


def _scored(
    column: JudgeColumn | JudgeCheck, policy: Policy, of: Expression | TextTemplate, name: str, seed: int
) -> Callable[[DesignRow], Awaitable[str]]:
    asks = Judge(column.rubric, scale=column.scale, votes=column.votes)
    low, high = column.scale

    async def ask(row: DesignRow) -> str:
        task, trajectory = _shown(row, of, f"{seed}/{name}/{row.place}")
        try:
            verdict = await asks(task, trajectory, Context(policies={"judge": policy}))
        except VerifierFailure as error:
            return words_of(error)
        assert verdict.reward is not None
        score = low + verdict.reward * (high - low)
        if isinstance(column, JudgeColumn):
            row.values[name] = round(score, 6)
            return ""
        return "" if score >= column.at_least else f"scored {score:g}, at least {column.at_least:g} is asked for"

    return ask


def _shown(row: DesignRow, of: Expression | TextTemplate, id: str) -> tuple[Task, Trajectory]:
    prompt = row.values.get("prompt")
    asked = prompt if isinstance(prompt, str) else "(nothing was asked)"
    items: list[Item] = [Message("user", asked), Message("assistant", of.value(row.values))]
    return Task(id=id, prompt=asked), Trajectory(id=id, task=id, group=id, items=items)


# -- tasks and validators ----------------------------------------------------------------------------------------------------


def _as_task(row: DesignRow, given: tuple[Design, int]) -> str:
    design, seed = given
    name = f"{design.stem}-{row.place:06}"
    plain = {key: row.values[key] for key in design.kept if row.values[key] is not None}
    try:
        task = read_task(plain, name, f"{design.stem} {design.hash[:12]} seed {seed} row {row.place}", "train")
    except BadInput as error:
        return str(error)
    row.task = task if "family" in plain else msgspec.structs.replace(task, family=design.stem)
    return ""


def _validator(design: Design, place: int, kit: StepResources, seed: int) -> DesignStep:
    one = design.spec.validators[place]
    works = expressions_of(one)
    match one:
        case SchemaCheck(json_schema=schema, column=column):
            return DesignStep(
                "validator schema", _by_row(_fits, (jsonschema.Draft202012Validator(schema), column, design))
            )
        case PythonCheck(function=function):
            return DesignStep(f"validator {function}", _called(design, one, function, kit, seed, ""))
        case JudgeCheck():
            policy = kit.policies[one.model or design.spec.model]
            return DesignStep(
                "validator judge", _gathered(_scored(one, policy, works[0], f"v{place}", seed), at_once(policy))
            )
        case RewardCheck():
            if one.model not in kit.scorers:
                raise not_found("reward model", one.model, kit.scorers)
            return DesignStep("validator reward_model", _rewarded(one, kit.scorers[one.model], works[0]))
        case GoldCheck():
            return DesignStep("validator gold", _gathered(_gold(one, kit, seed), _EPISODES))
        case _:
            raise AssertionError(f"no validator: {one}")


def _fits(row: DesignRow, given: tuple[Any, str, Design]) -> str:
    validator, column, design = given
    value = row.values[column] if column else {key: row.values[key] for key in design.kept}
    wrong = next(iter(validator.iter_errors(value)), None)
    return f"{wrong.json_path}: {wrong.message[:300]}" if wrong is not None else ""


def _rewarded(
    one: RewardCheck, scorer: Scorer, of: Expression | TextTemplate
) -> Callable[[Sequence[DesignRow]], Awaitable[list[str]]]:
    async def run(rows: Sequence[DesignRow]) -> list[str]:
        scores = await scorer.score([_shown(row, of, str(row.place))[1] for row in rows])
        return ["" if s >= one.at_least else f"scored {s:.4g}, at least {one.at_least:g} is asked for" for s in scores]

    return run


def _gold(one: GoldCheck, kit: StepResources, seed: int) -> Callable[[DesignRow], Awaitable[str]]:
    async def play(row: DesignRow) -> str:
        assert row.task is not None
        if derive(seed, "gold", row.place) >= one.share * 2**63:
            return ""
        environment = kit.environment or environment_of("rows.jsonl", [row.task])
        return await proven(environment, row.task, kit.policies)

    return play


async def proven(environment: EnvironmentSpec, task: Task, policies: Mapping[str, Policy] = {}) -> str:
    """What is wrong with a task, found by playing its gold solution, which must pass, and an empty reply, which must not."""
    try:
        gold = environment.gold_replies(task)
    except Exception as error:  # the environment's own code, on a task that it did not make
        return f"its gold solution cannot be written: {type(error).__name__}: {words_of(error)}"
    if not gold:
        return f"{NO_GOLD} (an answer, an expected call, or gold(task) of the environment)"
    for replies, wanted in (([*gold, ""], True), ([""], False)):
        played = await play(environment, task, replies, policies)
        if played.passed is not wanted:
            return f"its gold solution does not pass: {played.words}" if wanted else "an empty reply passes"
    return ""


class PlayResult(NamedTuple):
    passed: bool
    words: str
    """Why, or why not."""
    trajectory: Trajectory


async def play(
    environment: EnvironmentSpec, task: Task, replies: Sequence[Reply], policies: Mapping[str, Policy] = {}
) -> PlayResult:
    """An episode in which these replies are given, judged. A user whose part is written says it."""
    blobs: dict[str, bytes] = {}

    def keep_blob(data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        blobs[sha256] = data
        return sha256

    trajectory = await run_episode(
        environment,
        task,
        ScriptedPolicy(list(replies)),
        agent=_AGENT,
        id=f"gold/{task.id}",
        group="gold",
        user=ScriptedPolicy(["[done]"]) if environment.needs_user else None,
        keep_blob=keep_blob,
    )
    context = Context(policies=dict(policies), sandbox=LazySandbox(), blob=blobs.__getitem__)
    [verdict] = await judge(environment.verifier, task, [trajectory], context)
    error = trajectory.error or verdict.error
    if error is not None and error.fault is Fault.INFRASTRUCTURE:
        raise InfrastructureFailure(f"task {task.id} could not be played: {error.kind}: {error.message}")
    words = f"{error.kind}: {error.message}" if error is not None else verdict.evidence[:300]
    return PlayResult(verdict.passed, words, trajectory)
