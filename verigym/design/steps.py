"""The steps after sampling: costly columns, constraints on them, then the validators.

A step takes many rows at once, may add values, and returns a problem (or an empty text) for each. Errors caused by a row's own
values are such problems. A failed server ends the command, which you can repeat to resume.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import jsonschema
import msgspec

from verigym.audit.scripted_episodes import play
from verigym.core.errors import BadInput, ContextFull, InfrastructureFailure, VerifierFailure, not_found, words_of
from verigym.core.protocols import Context, Policy, Request, Sandbox, Scorer
from verigym.core.records import Fault, Item, Json, Message, Sampling, Task, Trajectory
from verigym.core.seeds import derive
from verigym.design import order, spec
from verigym.design.code import call
from verigym.design.draw import RowSampler
from verigym.design.expressions import Expression, TextTemplate
from verigym.design.spec import Design, expressions_of
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


class DesignRow(msgspec.Struct, omit_defaults=True):
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
"""Returns a problem per row. Empty: no problem."""


class DesignStep(NamedTuple):
    name: str
    run: RunStep


def steps_of(design: Design, sampler: RowSampler, kit: StepResources, seed: int) -> list[DesignStep]:
    build = _StepBuilder(design, kit, seed)
    steps: list[DesignStep] = []
    done = {name for name in sampler.order if name not in sampler.costly}
    waiting = dict(sampler.later)
    for name in [name for name in sampler.order if name in sampler.costly]:
        steps.append(DesignStep(f'column "{name}"', build.column(name)))
        done.add(name)
        for ready in [name for name, constraint in waiting.items() if constraint.names <= done]:
            steps.append(DesignStep(f'constraint "{ready}"', _by_row(partial(_check_constraint, waiting.pop(ready)))))
    if design.makes_tasks:
        steps.append(DesignStep(TASK, _by_row(build.make_task)))
    order.check_validators(design)
    for index, validator in enumerate(design.spec.validators):
        kind = next(kind for kind, struct in spec.VALIDATORS.items() if isinstance(validator, struct))
        name = f"validator {validator.function if isinstance(validator, spec.PythonCheck) else kind}"
        twice = any(name == step.name for step in steps)
        steps.append(DesignStep(f"{name} {index + 1}" if twice else name, build.validator(index)))
    return steps


def _by_row(check: Callable[[DesignRow], str]) -> RunStep:
    async def run(rows: Sequence[DesignRow]) -> list[str]:
        return [check(row) for row in rows]

    return run


def _at_once(check: Callable[[DesignRow], Awaitable[str]], num_rows: int) -> RunStep:
    """Checks this many rows at once."""

    async def run(rows: Sequence[DesignRow]) -> list[str]:
        problems = [""] * len(rows)
        waiting = iter(enumerate(rows))

        async def work() -> None:
            for index, row in waiting:
                problems[index] = await check(row)

        await gathered([work() for _ in range(min(num_rows, len(rows)))])
        return problems

    return run


def _set_value(name: str, work: Expression | TextTemplate, row: DesignRow) -> str:
    try:
        row.values[name] = work.value(row.values)
    except Exception as error:  # a model may have written the values
        return f"{type(error).__name__}: {words_of(error)}"
    return ""


def _check_constraint(constraint: Expression, row: DesignRow) -> str:
    try:
        return "" if constraint.value(row.values) else "it is false"
    except Exception as error:
        return f"it cannot be evaluated: {type(error).__name__}: {words_of(error)}"


def max_requests(policy: Policy) -> int:
    """How many requests a model gets at once."""
    return min(AT_ONCE, getattr(policy, "max_concurrency", AT_ONCE))


class _StepBuilder(NamedTuple):
    """Builds the steps of a design's columns and validators."""

    design: Design
    kit: StepResources
    seed: int

    def column(self, name: str) -> RunStep:
        column = self.design.spec.columns[name]
        works = expressions_of(column)
        match column:
            case spec.Code():
                return self._call(column, column.function or name, name)
            case spec.Llm():
                return self._ask(column, works, name)
            case spec.JudgeColumn():
                return self._judge(column, works[0], name)
            case _:
                return _by_row(partial(_set_value, name, works[0]))

    def make_task(self, row: DesignRow) -> str:
        design = self.design
        plain = {key: row.values[key] for key in design.kept if row.values[key] is not None}
        origin = f"{design.stem} {design.hash[:12]} seed {self.seed} row {row.number}"
        try:
            task = read_task(plain, f"{design.stem}-{row.number:06}", origin, "train")
        except BadInput as error:
            return str(error)
        row.task = task if "family" in plain else msgspec.structs.replace(task, family=design.stem)
        return ""

    def validator(self, index: int) -> RunStep:
        validator = self.design.spec.validators[index]
        works = expressions_of(validator)
        match validator:
            case spec.SchemaCheck():
                return self._fit_schema(validator)
            case spec.PythonCheck():
                return self._call(validator, validator.function)
            case spec.JudgeCheck():
                return self._judge(validator, works[0], f"v{index}")
            case spec.RewardCheck():
                return self._reward(validator, works[0])
            case spec.GoldCheck():
                return self._gold(validator)
            case _:
                raise AssertionError(f"no validator: {validator}")

    def _call(self, part: spec.Code | spec.PythonCheck, function: str, column: str = "") -> RunStep:
        """Calls a function of the user. Its result is the column's value, or without a column the outcome of a check."""
        file = self.design.folder / part.file
        names = order.arguments(file, function)

        async def run(rows: Sequence[DesignRow]) -> list[str]:
            given = [
                {n: row.values[n] if n in row.values else derive(self.seed, "code", row.number) for n in names}
                for row in rows
            ]
            results = await call(
                file, function, given, sandbox=self.kit.sandbox, in_process=part.in_process, seconds=part.seconds
            )
            if not column:
                return [result.problem or _problem_in(result.value) for result in results]
            for row, result in zip(rows, results, strict=True):
                row.values[column] = result.value
            return [result.problem for result in results]

        return run

    def _policy(self, part: spec.Llm | spec.JudgeColumn | spec.JudgeCheck) -> Policy:
        return self.kit.policies[part.model or self.design.spec.model]

    def _ask(self, column: spec.Llm, works: Sequence[Expression | TextTemplate], name: str) -> RunStep:
        policy, schema = self._policy(column), column.json_schema
        validator = jsonschema.Draft202012Validator(schema) if schema is not None else None
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
                request = Request(items=items, sampling=sampling, seed=derive(self.seed, name, row.number, attempt))
                try:
                    reply = await policy.respond(request)
                except ContextFull as error:
                    return words_of(error)
                answer = "".join(item.text for item in reply.items if isinstance(item, Message)).strip()
                row.values[name], problem = _read_answer(answer, validator)
                if not problem:
                    break
            return problem

        return _at_once(ask, max_requests(policy))

    def _judge(self, part: spec.JudgeColumn | spec.JudgeCheck, of: Expression | TextTemplate, name: str) -> RunStep:
        policy = self._policy(part)
        judge = Judge(part.rubric, scale=part.scale, votes=part.votes)
        low, high = part.scale

        async def ask(row: DesignRow) -> str:
            task, trajectory = _as_reply(row, of, f"{self.seed}/{name}/{row.number}")
            try:
                verdict = await judge(task, trajectory, Context(policies={"judge": policy}))
            except VerifierFailure as error:
                return words_of(error)
            assert verdict.reward is not None
            score = low + verdict.reward * (high - low)
            if isinstance(part, spec.JudgeColumn):
                row.values[name] = round(score, 6)
                return ""
            return "" if score >= part.at_least else f"scored {score:g}, below the minimum of {part.at_least:g}"

        return _at_once(ask, max_requests(policy))

    def _fit_schema(self, check: spec.SchemaCheck) -> RunStep:
        validator = jsonschema.Draft202012Validator(check.json_schema)

        def fit(row: DesignRow) -> str:
            kept = {key: row.values[key] for key in self.design.kept}
            error = next(validator.iter_errors(row.values[check.column] if check.column else kept), None)
            return f"{error.json_path}: {error.message[:300]}" if error is not None else ""

        return _by_row(fit)

    def _reward(self, check: spec.RewardCheck, of: Expression | TextTemplate) -> RunStep:
        if check.model not in self.kit.scorers:
            raise not_found("reward model", check.model, self.kit.scorers)
        least = check.at_least

        async def run(rows: Sequence[DesignRow]) -> list[str]:
            replies = [_as_reply(row, of, str(row.number))[1] for row in rows]
            scores = await self.kit.scorers[check.model].score(replies)
            return ["" if score >= least else f"scored {score:.4g}, below the minimum of {least:g}" for score in scores]

        return run

    def _gold(self, check: spec.GoldCheck) -> RunStep:
        async def prove(row: DesignRow) -> str:
            assert row.task is not None
            if derive(self.seed, "gold", row.number) >= check.share * 2**63:
                return ""
            environment = self.kit.environment or environment_of("rows.jsonl", [row.task])
            return await gold_problem(environment, row.task, self.kit.policies)

        return _at_once(prove, _EPISODES)


def _problem_in(value: Any) -> str:
    """The problem that a checking function returned. True means none."""
    if isinstance(value, str):
        return value
    return "" if value is True else f"it returned {msgspec.json.encode(value).decode()}"


def _read_answer(answer: str, schema: Any) -> tuple[Any, str]:
    """The value of a model's answer, and what is wrong with it."""
    if not answer:
        return None, "the model's answer is empty"
    if schema is None:
        return answer, ""
    try:
        value = find_json(answer)
    except ValueError:
        return None, f'no JSON in "{answer[:200]}"'
    error = next(schema.iter_errors(value), None)
    return value, f"it does not fit the schema: {error.message[:300]}" if error is not None else ""


def _as_reply(row: DesignRow, of: Expression | TextTemplate, id: str) -> tuple[Task, Trajectory]:
    """A text of the row as the reply to its prompt."""
    prompt = row.values.get("prompt")
    asked = prompt if isinstance(prompt, str) else "(nothing was asked)"
    items: list[Item] = [Message("user", asked), Message("assistant", of.value(row.values))]
    return Task(id=id, prompt=asked), Trajectory(id=id, task=id, group=id, items=items)


async def gold_problem(environment: EnvironmentSpec, task: Task, policies: Mapping[str, Policy] = {}) -> str:
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
            raise InfrastructureFailure(
                f"Task {task.id} could not be run in its environment: {error.kind}: {error.message}. "
                "Fix the cause and repeat the command"
            )
        if played.verdict.passed is not expected:
            reason = f"{error.kind}: {error.message}" if error is not None else played.verdict.evidence[:300]
            return f"its gold solution does not pass: {reason}" if expected else "an empty reply passes"
    return ""
