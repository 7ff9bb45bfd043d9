"""The steps after sampling: costly columns, constraints on them, then the validators.

A step takes many rows at once, may add values, and returns a problem (or an empty text) for each. Errors caused by a row's own
values are such problems. A failed server ends the command, which you can repeat to resume.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jsonschema
import msgspec

from verigym.audit.scripted_episodes import play
from verigym.core.errors import BadInput, ContextFull, InfrastructureFailure, VerifierFailure, not_found, words_of
from verigym.core.protocols import Context, Policy, Request, Sandbox, Scorer
from verigym.core.records import Fault, Item, Json, Message, Sampling, Task, Trajectory
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
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout.episode import gathered
from verigym.sandbox.open import LazySandbox
from verigym.tasks.rows import read_task
from verigym.verifiers.answers import find_json
from verigym.verifiers.judge import Judge

AT_ONCE = 64
"""Maximum concurrent requests to a model. A policy may set a lower limit."""
_EPISODES = 8
"""Gold solutions that are played at once. Their verifiers may run code."""
_ASKED = 3
"""Maximum attempts to get a value that fits the schema from a model."""
NO_GOLD = "it has no gold solution"
TASK = "a task"
"""The step that converts a row to a task."""


class DesignRow(msgspec.Struct):
    """A row that passes through the steps."""

    number: int
    """Index among all sampled rows."""
    values: Json
    reason: str = ""
    """The step that rejected it: `column "tests"`, `validator gold`. Empty if none did."""
    problem: str = ""
    """Why it was rejected."""
    task: Task | None = None


class StepResources(msgspec.Struct, frozen=True, kw_only=True):
    """Models, sandbox and environment for the steps."""

    policies: Mapping[str, Policy] = {}
    """By the model's name in the spec. An environment's verifier asks `judge`."""
    scorers: Mapping[str, Scorer] = {}
    sandbox: Sandbox = msgspec.field(default_factory=LazySandbox)
    environment: EnvironmentSpec | None = None
    """The environment of the tasks. None: tasks are scored by their own data."""


RunStep = Callable[[Sequence[DesignRow]], Awaitable[list[str]]]


class DesignStep(NamedTuple):
    name: str
    run: RunStep
    """Returns a problem per row. Empty: no problem."""


def steps_of(design: Design, sampler: RowSampler, kit: StepResources, seed: int) -> list[DesignStep]:
    steps: list[DesignStep] = []
    done = {name for name in sampler.order if name not in sampler.costly}
    waiting = dict(sampler.later)
    for name in [name for name in sampler.order if name in sampler.costly]:
        steps.append(_column(design, name, kit, seed))
        done.add(name)
        for ready in [name for name, constraint in waiting.items() if constraint.names <= done]:
            steps.append(DesignStep(f'constraint "{ready}"', _by_row(_holds, waiting.pop(ready))))
    if design.makes_tasks:
        steps.append(DesignStep(TASK, _by_row(_as_task, (design, seed))))
    order.check_validators(design)
    for index in range(len(design.spec.validators)):
        step = _validator(design, index, kit, seed)
        twice = any(step.name == other.name for other in steps)
        steps.append(step._replace(name=f"{step.name} {index + 1}") if twice else step)
    return steps


def _by_row(check: Callable[[DesignRow, Any], str], given: Any) -> RunStep:
    async def run(rows: Sequence[DesignRow]) -> list[str]:
        return [check(row, given) for row in rows]

    return run


def _gathered(check: Callable[[DesignRow], Awaitable[str]], at_once: int) -> RunStep:
    async def run(rows: Sequence[DesignRow]) -> list[str]:
        problems = [""] * len(rows)
        waiting = iter(enumerate(rows))

        async def work() -> None:
            for index, row in waiting:
                problems[index] = await check(row)

        await gathered([work() for _ in range(min(at_once, len(rows)))])
        return problems

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
    except Exception as error:  # a model may have written the values
        return f"{type(error).__name__}: {words_of(error)}"
    return ""


def _holds(row: DesignRow, constraint: Expression) -> str:
    try:
        return "" if constraint.value(row.values) else "it is false"
    except Exception as error:
        return f"it cannot be evaluated: {type(error).__name__}: {words_of(error)}"


def _called(
    design: Design, column: Code | PythonCheck, function: str, kit: StepResources, seed: int, into: str
) -> RunStep:
    file = design.folder / column.file
    names = order.arguments(file, function)

    async def run(rows: Sequence[DesignRow]) -> list[str]:
        given = [
            {name: row.values[name] if name in row.values else derive(seed, "code", row.number) for name in names}
            for row in rows
        ]
        results = await call(
            file, function, given, sandbox=kit.sandbox, in_process=column.in_process, seconds=column.seconds
        )
        if into:
            for row, result in zip(rows, results, strict=True):
                row.values[into] = result.value
            return [result.problem for result in results]
        return [result.problem or _problem_in(result.value) for result in results]

    return run


def _problem_in(value: Any) -> str:
    """The problem that a checking function returned. True means none."""
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
            return f"its prompt cannot be evaluated: {type(error).__name__}: {words_of(error)}"
        if text:
            prompt += f"\n\nAnswer with one JSON value of this schema and nothing else:\n{text}"
        items: list[Item] = [*([Message("system", system)] if system else []), Message("user", prompt)]
        problem = ""
        for attempt in range(_ASKED if text else 1):
            request = Request(items=items, sampling=sampling, seed=derive(seed, name, row.number, attempt))
            try:
                reply = await policy.respond(request)
            except ContextFull as error:
                return words_of(error)
            answer = "".join(item.text for item in reply.items if isinstance(item, Message)).strip()
            problem = "" if answer else "the model's answer is empty"
            if answer and fits is not None:
                problem, value = _fitting(answer, fits)
                row.values[name] = value
            elif answer:
                row.values[name] = answer
            if not problem:
                return ""
        return problem

    return ask


def _fitting(answer: str, fits: Any) -> tuple[str, Any]:
    try:
        value = find_json(answer)
    except ValueError:
        return f'no JSON in "{answer[:200]}"', None
    wrong = next(iter(fits.iter_errors(value)), None)
    return (f"it does not fit the schema: {wrong.message[:300]}" if wrong is not None else ""), value


def _scored(
    column: JudgeColumn | JudgeCheck, policy: Policy, of: Expression | TextTemplate, name: str, seed: int
) -> Callable[[DesignRow], Awaitable[str]]:
    asks = Judge(column.rubric, scale=column.scale, votes=column.votes)
    low, high = column.scale

    async def ask(row: DesignRow) -> str:
        task, trajectory = _shown(row, of, f"{seed}/{name}/{row.number}")
        try:
            verdict = await asks(task, trajectory, Context(policies={"judge": policy}))
        except VerifierFailure as error:
            return words_of(error)
        assert verdict.reward is not None
        score = low + verdict.reward * (high - low)
        if isinstance(column, JudgeColumn):
            row.values[name] = round(score, 6)
            return ""
        return "" if score >= column.at_least else f"scored {score:g}, below the minimum of {column.at_least:g}"

    return ask


def _shown(row: DesignRow, of: Expression | TextTemplate, id: str) -> tuple[Task, Trajectory]:
    prompt = row.values.get("prompt")
    asked = prompt if isinstance(prompt, str) else "(nothing was asked)"
    items: list[Item] = [Message("user", asked), Message("assistant", of.value(row.values))]
    return Task(id=id, prompt=asked), Trajectory(id=id, task=id, group=id, items=items)


# -- tasks and validators ----------------------------------------------------------------------------------------------------


def _as_task(row: DesignRow, given: tuple[Design, int]) -> str:
    design, seed = given
    name = f"{design.stem}-{row.number:06}"
    plain = {key: row.values[key] for key in design.kept if row.values[key] is not None}
    try:
        task = read_task(plain, name, f"{design.stem} {design.hash[:12]} seed {seed} row {row.number}", "train")
    except BadInput as error:
        return str(error)
    row.task = task if "family" in plain else msgspec.structs.replace(task, family=design.stem)
    return ""


def _validator(design: Design, index: int, kit: StepResources, seed: int) -> DesignStep:
    validator = design.spec.validators[index]
    works = expressions_of(validator)
    match validator:
        case SchemaCheck(json_schema=schema, column=column):
            fits = jsonschema.Draft202012Validator(schema)
            return DesignStep("validator schema", _by_row(_fits, (fits, column, design)))
        case PythonCheck(function=function):
            return DesignStep(f"validator {function}", _called(design, validator, function, kit, seed, ""))
        case JudgeCheck():
            policy = kit.policies[validator.model or design.spec.model]
            score = _scored(validator, policy, works[0], f"v{index}", seed)
            return DesignStep("validator judge", _gathered(score, at_once(policy)))
        case RewardCheck(model=model):
            if model not in kit.scorers:
                raise not_found("reward model", model, kit.scorers)
            return DesignStep("validator reward_model", _rewarded(validator, kit.scorers[model], works[0]))
        case GoldCheck():
            return DesignStep("validator gold", _gathered(_gold(validator, kit, seed), _EPISODES))
        case _:
            raise AssertionError(f"no validator: {validator}")


def _fits(row: DesignRow, given: tuple[Any, str, Design]) -> str:
    validator, column, design = given
    value = row.values[column] if column else {key: row.values[key] for key in design.kept}
    wrong = next(iter(validator.iter_errors(value)), None)
    return f"{wrong.json_path}: {wrong.message[:300]}" if wrong is not None else ""


def _rewarded(check: RewardCheck, scorer: Scorer, of: Expression | TextTemplate) -> RunStep:
    async def run(rows: Sequence[DesignRow]) -> list[str]:
        scores = await scorer.score([_shown(row, of, str(row.number))[1] for row in rows])
        least = check.at_least
        return ["" if score >= least else f"scored {score:.4g}, below the minimum of {least:g}" for score in scores]

    return run


def _gold(check: GoldCheck, kit: StepResources, seed: int) -> Callable[[DesignRow], Awaitable[str]]:
    async def prove(row: DesignRow) -> str:
        assert row.task is not None
        if derive(seed, "gold", row.number) >= check.share * 2**63:
            return ""
        environment = kit.environment or environment_of("rows.jsonl", [row.task])
        return await proven(environment, row.task, kit.policies)

    return prove


async def proven(environment: EnvironmentSpec, task: Task, policies: Mapping[str, Policy] = {}) -> str:
    """What is wrong with a task, or nothing. Its gold solution must pass, and an empty reply must not."""
    try:
        gold = environment.gold_replies(task)
    except Exception as error:  # the environment's code, on a task that it did not create
        return f"its gold solution cannot be written: {type(error).__name__}: {words_of(error)}"
    if not gold:
        return f"{NO_GOLD} (an answer, an expected call, or gold(task) of the environment)"
    for replies, expected in ((gold, True), ([""], False)):
        played = await play(environment, task, replies, policies=policies)
        error = played.trajectory.error or played.verdict.error
        if error is not None and error.fault is Fault.INFRASTRUCTURE:
            raise InfrastructureFailure(f"task {task.id} could not be played: {error.kind}: {error.message}")
        if played.verdict.passed is not expected:
            reason = f"{error.kind}: {error.message}" if error is not None else played.verdict.evidence[:300]
            return f"its gold solution does not pass: {reason}" if expected else "an empty reply passes"
    return ""
