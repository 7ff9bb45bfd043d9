"""Runs submitted code against the task's unit tests in a sandbox.

Tests and submission run in two separate boxes. The tests' calls are answered by the submission as plain values
(`code_inside`), so the submission sees inputs and never what is expected. It can only answer wrongly: exiting, printing
"passed", patching assert or `__eq__`, or searching frames and files for the tests does not help. This holds in an isolated
sandbox only, so without one nothing runs unless you allow it.

Programs that read standard input are run case by case, and their output is compared here. Arguments are passed by value, so
tests that check a change of their own list, or pass a function, are not supported.
"""

import ast
import builtins
import contextlib
import functools
import inspect
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from verigym.core.errors import InfrastructureFailure, VerifierFailure
from verigym.core.protocols import Box, CommandResult, Context
from verigym.core.records import Task, Trajectory, Verdict
from verigym.sandbox.open import why_not_isolated
from verigym.verifiers import code_inside
from verigym.verifiers.answers import find_block

_INSIDE = inspect.getsource(code_inside)
_PYTHON = ["env", "PYTHONHASHSEED=0", "python3", "-s"]
_ROUNDS = 100
"""Maximum number of calls in a test that each depend on the answer before."""
_SHOWN = 5
"""Failed tests that the evidence explains."""
_MOST_TESTS = 10
"""All tests of a submission together may take as long as this many that reach their time limit."""
ALLOW = "VERIGYM_ALLOW_UNSANDBOXED"
"""Environment variable. If it is 1, code runs without isolation."""


class Code(Struct, frozen=True):
    """Runs the reply's code against the task's unit tests. The reward is the share of tests passed.

    `task.data["tests"]` is one of:

    - a list of `{"input": ..., "output": ...}` for a program that reads and prints
    - a list of Python texts with one test each
    - Python text: each top-level assert and each `def test_...()` is a test, and `def check(candidate)` is called with
      `task.data["entry_point"]`

    Names that the tests use and do not define belong to the submission, except modules of the standard library and its
    containers (`math`, `Counter`): these are the tests' own. `from solution import add` works too."""

    seconds: float = 5.0
    """Time limit. Per test: CPU time, and three times as much wall time. All tests together: ten times as much. Per run of a
    program: wall time."""
    file: str = ""
    """The code's key in the end state or the blobs. Empty: the reply's last ```python block, or the whole reply."""
    unsandboxed: bool = False
    """Run the code even if nothing isolates it. As your own user it can read your keys and the tests, and stop this process. The
    environment variable VERIGYM_ALLOW_UNSANDBOXED=1 has the same effect."""

    async def __call__(self, task: Task, trajectory: Trajectory, context: Context) -> Verdict:
        tests: Any = task.data.get("tests")
        if not tests:
            raise VerifierFailure(f'task {task.id}: data has no "tests". Code runs the reply against them')
        if context.sandbox is None:
            raise VerifierFailure("this run has no sandbox. Code needs one to run what the model wrote")
        if not (context.sandbox.isolated or self.unsandboxed or os.environ.get(ALLOW) == "1"):
            raise InfrastructureFailure(
                f"Code runs what a model wrote, and no sandbox isolates it here. {why_not_isolated()} To run it without "
                f"isolation, where it can read your keys and the tests, set {ALLOW}=1 or pass Code(unsandboxed=True) "
                "(docs/how-to/sandbox.md)"
            )
        source = self._source(trajectory, context)
        async with await context.sandbox.open({"main.py": source}) as box:
            if isinstance(tests, list) and isinstance(tests[0], dict):
                results = [await _case(f"case {n}", case, box, self.seconds) for n, case in enumerate(tests, start=1)]
            else:
                async with await context.sandbox.open() as test_box:
                    results = await _Exchange(_read_tests(task, tests), source, box, test_box, self.seconds).results()
        passed = sum(result.passed for result in results)
        return Verdict(
            reward=passed / len(results),
            passed=passed == len(results),
            parts={"tests": passed / len(results)},
            evidence=_evidence(results),
        )

    def _source(self, trajectory: Trajectory, context: Context) -> str:
        if not self.file:
            block = find_block(trajectory.reply, "python", "py", "python3")
            source = trajectory.reply if block is None else block
        elif self.file in trajectory.blobs:
            source = context.blob(trajectory.blobs[self.file]).decode("utf-8", "replace")
        else:
            source = str(trajectory.end_state.get(self.file, ""))
        return source.encode("utf-8", "replace").decode()


class _SubmissionTest(Struct, frozen=True):
    name: str
    code: str
    names: tuple[str, ...]
    """Names that belong to the submission."""


class _TestResult(NamedTuple):
    name: str
    passed: bool
    reason: str = ""


def _evidence(results: Sequence[_TestResult]) -> str:
    wrong = [result for result in results if not result.passed]
    lines = [f"{len(results) - len(wrong)} of {len(results)} tests passed"]
    lines += [f"failed: {result.name}: {result.reason[:300]}" for result in wrong[:_SHOWN]]
    lines += [f"failed: {', '.join(result.name for result in wrong[_SHOWN:])}"[:500]] if wrong[_SHOWN:] else []
    return "\n".join(lines)


async def _case(name: str, case: Any, box: Box, seconds: float) -> _TestResult:
    if not isinstance(case, dict) or not {"input", "output"} <= case.keys():
        raise VerifierFailure(f'{name} of the tests is not {{"input": ..., "output": ...}}')
    ran = await box.run([*_PYTHON, "main.py"], stdin=str(case["input"]), seconds=seconds)
    if ran.stop != "exit" or ran.code != 0:
        return _TestResult(name, False, _ended(ran))
    printed, expected = _lines(ran.stdout), _lines(str(case["output"]))
    reason = f"printed {ran.stdout[:120]!r}, expected {str(case['output'])[:120]!r}"
    return _TestResult(name, printed == expected, reason)


def _lines(text: str) -> list[str]:
    """The lines without trailing white space."""
    return [line.rstrip() for line in text.rstrip().split("\n")]


def _ended(ran: CommandResult) -> str:
    if ran.stop != "exit":
        return f"stopped by the sandbox: {ran.stop}"
    return f"ended with {ran.code}: {ran.stderr.strip()[-200:]}"


class _Exchange:
    """Runs tests and submission in rounds. In each round a test's calls so far are made again in a fresh process, so that a test
    sees one submission from its first call to its last."""

    def __init__(self, units: list[_SubmissionTest], source: str, box: Box, test_box: Box, seconds: float) -> None:
        self._units, self._source, self._seconds = units, source, seconds
        self._box, self._test_box = box, test_box
        self._limit_s = 3 * seconds
        """Wall time of one test, and of loading the submission."""
        most_s = self._limit_s * min(len(units) + 1, _MOST_TESTS)
        self._left_s, self._tests_left_s = most_s, most_s
        """Time left for the submission and for the tests, over all rounds."""
        self._calls: list[list[str]] = [[] for _ in units]
        self._answers: list[list[str]] = [[] for _ in units]
        self._broke = ""
        """Why the submission gave no answers."""

    async def results(self) -> list[_TestResult]:
        done: dict[int, _TestResult] = {}
        first = tuple(self._units)
        for round in range(_ROUNDS):
            waiting = [index for index in range(len(self._units)) if index not in done]
            if not waiting:
                break
            if round == 0 and first in _first_calls:
                outcomes = _first_calls[first]
            else:
                outcomes = await self._try(waiting)
            if round == 0:
                _keep_first(first, outcomes)
            for index, outcome in outcomes.items():
                if "need" in outcome:
                    at, calls = outcome["need"]
                    self._calls[index][at:] = calls
                else:
                    done[index] = self._result(self._units[index], outcome)
            await self._answer([index for index in waiting if index not in done])
        unfinished = f"it makes more than {_ROUNDS} calls that depend on each other"
        return [done.get(index, _TestResult(unit.name, False, unfinished)) for index, unit in enumerate(self._units)]

    def _result(self, unit: _SubmissionTest, outcome: dict[str, Any]) -> _TestResult:
        if "broken" in outcome:
            raise VerifierFailure(f"the test {unit.name} cannot be run: {outcome['broken']}")
        reason = outcome.get("failed", "")
        if reason == "the submission gave no answer" and self._broke:
            reason += f" ({self._broke})"
        return _TestResult(unit.name, "passed" in outcome, reason)

    async def _try(self, waiting: list[int]) -> dict[int, dict[str, Any]]:
        """Index to outcome. A test whose outcome was cut off by the output limit waits for the next round."""
        units: list[dict[str, Any]] = []
        for index in waiting:
            answers = self._answers[index]
            log = [[call, answers[at] if at < len(answers) else ""] for at, call in enumerate(self._calls[index])]
            units.append({"code": self._units[index].code, "names": self._units[index].names, "log": log})
        order = {"units": units, "seconds": self._seconds}
        ran = await _inside(self._test_box, "tests", order, max(self._tests_left_s, self._seconds))
        self._tests_left_s -= ran.seconds
        outcomes = _outcomes(ran.stdout)
        silent = [at for at in range(len(units)) if at not in outcomes]
        if silent and not (ran.stop == "output" and outcomes):
            if not any(units[at]["log"] for at in silent):  # no answer of the submission can be the cause
                raise VerifierFailure(f"the tests gave no result: {_ended(ran)}")
            outcomes |= {at: {"failed": _ended(ran)} for at in silent}
        return {waiting[at]: outcome for at, outcome in outcomes.items()}

    async def _answer(self, waiting: list[int]) -> None:
        """Gets the answers of the submission. A run of it has the time to load and to take one test to its limit, whatever became
        of its own timers. If the sandbox stops it at a later test, it gets another run from there. If it stops it at the first
        one, its timers are off, and it gets no other run."""
        while waiting and self._left_s > 0:
            for index in waiting:
                self._answers[index] = []
            sessions = [self._calls[index] for index in waiting]
            order = {"source": self._source, "sessions": sessions, "seconds": self._seconds}
            ran = await _inside(self._box, "submission", order, min(self._left_s, 2 * self._limit_s + 1))
            self._left_s -= ran.seconds
            self._read(ran.stdout, waiting)
            if ran.stop == "exit":
                return
            self._broke = _ended(ran)
            short = [at for at, index in enumerate(waiting) if len(self._answers[index]) < len(self._calls[index])]
            if ran.stop == "time" and short and short[0] == 0:
                self._left_s = 0
            waiting = waiting[short[0] if ran.stop == "time" else max(short[0], 1) :] if short else []

    def _read(self, output: str, waiting: list[int]) -> None:
        """Reads lines of `session answer`. The submission may print anything, and the last line may be cut off."""
        for line in output.split("\n")[:-1]:
            session, _, answer = line.partition(" ")
            if session.isascii() and session.isdigit() and len(session) < 6 and int(session) < len(waiting):
                self._answers[waiting[int(session)]].append(answer)
            elif session == "broke":
                self._broke = answer[:300]


def _outcomes(output: str) -> dict[int, dict[str, Any]]:
    """Index to outcome. A line that cannot be read, such as one of a test that was stopped while it wrote, is left out."""
    outcomes: dict[int, dict[str, Any]] = {}
    for line in output.split("\n")[:-1]:
        with contextlib.suppress(msgspec.DecodeError):
            index, outcome = msgspec.json.decode(line, type=tuple[int, dict[str, Any]])
            outcomes[index] = outcome
    return outcomes


_first_calls: dict[tuple[_SubmissionTest, ...], dict[int, dict[str, Any]]] = {}
"""What tests ask for before they have any answer. It is the same for all submissions."""
_MOST_KEPT, _LONGEST_KEPT = 256, 100_000


def _keep_first(tests: tuple[_SubmissionTest, ...], outcomes: dict[int, dict[str, Any]]) -> None:
    asking = all("need" in outcome for outcome in outcomes.values()) and len(outcomes) == len(tests)
    if tests in _first_calls or not asking or len(str(outcomes)) > _LONGEST_KEPT:
        return
    if len(_first_calls) == _MOST_KEPT:
        del _first_calls[next(iter(_first_calls))]
    _first_calls[tests] = outcomes


async def _inside(box: Box, role: str, order: Any, seconds: float) -> CommandResult:
    command = [*_PYTHON, "-c", _INSIDE, role]
    return await box.run(command, stdin=msgspec.json.encode(order).decode(), seconds=seconds)


_BUILTINS = frozenset(dir(builtins))


def _read_tests(task: Task, tests: Any) -> list[_SubmissionTest]:
    entry = task.data.get("entry_point", "")
    try:
        units = _from_text(tests, entry, task) if isinstance(tests, str) else [_alone(text, entry) for text in tests]
    except (SyntaxError, AttributeError, TypeError) as error:
        raise VerifierFailure(f'task {task.id}: "tests" must be Python text or a list of it: {error}') from error
    if not units:
        raise VerifierFailure(f'task {task.id}: "tests" has no assert, no def test_...() and no def check(candidate)')
    return units


@functools.lru_cache(maxsize=4096)
def _alone(text: str, entry: str) -> _SubmissionTest:
    """A text that is one test. Cached, because every episode of a task reads it."""
    return _unit(text, text, ast.parse(text), entry)


def _from_text(text: str, entry: str, task: Task) -> list[_SubmissionTest]:
    tree = ast.parse(text)
    setup = [statement for statement in tree.body if not _asserts(statement)]
    units: list[_SubmissionTest] = []
    for statement in tree.body:
        match statement:
            case ast.FunctionDef(name=name) if name.startswith("test"):
                units.append(_assembled(name, [*setup, *ast.parse(f"{name}()").body], entry))
            case ast.FunctionDef(name="check", args=ast.arguments(args=[_])):
                if not entry:
                    raise VerifierFailure(f'task {task.id}: check(candidate) needs data["entry_point"]')
                units.append(_assembled("check", [*setup, *ast.parse(f"check({entry})").body], entry))
            case _ if _asserts(statement):
                before = [each for each in setup if each.lineno < statement.lineno]
                units.append(_assembled(ast.unparse(statement), [*before, statement], entry))
    return units


def _asserts(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    return any(isinstance(node, ast.Assert) for node in ast.walk(statement))


def _assembled(name: str, body: list[ast.stmt], entry: str) -> _SubmissionTest:
    module = ast.Module(body, [])
    return _unit(name, ast.unparse(module), module, entry)


def _unit(name: str, code: str, tree: ast.Module, entry: str) -> _SubmissionTest:
    used, bound = _names(tree)
    theirs = (used - _BUILTINS | ({entry} if entry else set())) - bound
    imports = [line for each in sorted(theirs - {entry}) if (line := _import_of(each, tree))]
    if imports:
        own = {line.split()[-1] for line in imports}
        at = sum(isinstance(each, ast.ImportFrom) and each.module == "__future__" for each in tree.body)
        added = ast.parse("\n".join(imports)).body
        code, theirs = ast.unparse(ast.Module([*tree.body[:at], *added, *tree.body[at:]], [])), theirs - own
    return _SubmissionTest(" ".join(name.split())[:100], code, tuple(sorted(theirs)))


_STANDARD = {
    **dict.fromkeys(("ChainMap", "Counter", "OrderedDict", "defaultdict", "deque", "namedtuple"), "collections"),
    "Decimal": "decimal",
    "Fraction": "fractions",
}
"""Names that tests use without importing them, and their modules."""


def _import_of(name: str, tree: ast.Module) -> str:
    """The statement that imports an undefined name of the standard library for a test, or an empty text. A module counts if the
    test only takes attributes of it: `copy(x)` is a function of the submission, and `copy.copy(x)` is not."""
    if name in _STANDARD:
        return f"from {_STANDARD[name]} import {name}"
    module = {"np": "numpy"}.get(name, name)
    if module not in sys.stdlib_module_names and module not in ("numpy", "pytest"):
        return ""
    taken = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]
    return f"import {module} as {name}" if all(id(use) in taken for use in uses) else ""


def undefined_names(task: Task) -> set[str]:
    """Names that the tests of a task use, that neither they nor the standard library define, and that the rest of the task does
    not mention. A submission that defines one decides what the tests see."""
    tests: Any = task.data.get("tests")
    if not tests or (isinstance(tests, list) and isinstance(tests[0], dict)):
        return set()
    names = {name for unit in _read_tests(task, tests) for name in unit.names}
    rest = {key: value for key, value in task.data.items() if key != "tests"}
    return names - set(_WORD.findall(f"{task.prompt} {rest}"))


_WORD = re.compile(r"\w+")


def _names(tree: ast.Module) -> tuple[set[str], set[str]]:
    """The names that are read and the names that are bound."""
    used: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                used.add(name)
            case ast.Name(id=name) | ast.arg(arg=name) | ast.ExceptHandler(name=str(name)):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
            case ast.alias(name=name, asname=asname):
                bound.add(asname or name.split(".")[0])
    return used, bound
