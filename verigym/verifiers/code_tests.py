"""The tests of a task as single ones that can be run one by one.

A text of tests is Python: every statement at the top that asserts is a test, every `def test_...()` is one, and
`def check(candidate)` is called with `task.data["entry_point"]`. A list of texts is one test each. The names that the tests
use and do not define are the submission's; `from solution import add` works too.
"""

import ast
import builtins
import functools
from typing import Any

from msgspec import Struct

from verigym.core.errors import VerifierFailure
from verigym.core.records import Task

_BUILTINS = frozenset(dir(builtins))


class SubmissionTest(Struct, frozen=True):
    name: str
    code: str
    names: list[str]
    """What is the submission's."""


def read_units(task: Task, tests: Any) -> list[SubmissionTest]:
    entry = task.data.get("entry_point", "")
    try:
        units = _from_text(tests, entry, task) if isinstance(tests, str) else [_alone(text, entry) for text in tests]
    except (SyntaxError, AttributeError, TypeError) as error:
        raise VerifierFailure(f'task {task.id}: "tests" is neither Python text nor a list of it: {error}') from error
    if not units:
        raise VerifierFailure(f"task {task.id}: no test in it: an assert, a def test_...() or a def check(candidate)")
    return units


@functools.lru_cache(maxsize=4096)
def _alone(text: str, entry: str) -> SubmissionTest:
    """A test that is a text of its own: read once for all episodes of its task."""
    return _unit(text, text, ast.parse(text), entry)


def _from_text(text: str, entry: str, task: Task) -> list[SubmissionTest]:
    tree = ast.parse(text)
    setup = [statement for statement in tree.body if not _asserts(statement)]
    units: list[SubmissionTest] = []
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


def _assembled(name: str, body: list[ast.stmt], entry: str) -> SubmissionTest:
    module = ast.Module(body, [])
    return _unit(name, ast.unparse(module), module, entry)


def _unit(name: str, code: str, tree: ast.Module, entry: str) -> SubmissionTest:
    used, bound = _names(tree)
    theirs = (used - _BUILTINS | ({entry} if entry else set())) - bound
    return SubmissionTest(" ".join(name.split())[:100], code, sorted(theirs))


def _names(tree: ast.Module) -> tuple[set[str], set[str]]:
    """Names that are read, and names that are bound, anywhere in it."""
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
