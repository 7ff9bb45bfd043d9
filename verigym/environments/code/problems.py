"""From a problem (a function of ours) to what a task has: its source for one choice of parameters, tests, and mutants of it.

Tests are inputs and what the reference gives for them. Which ones are kept is decided by mutants, small changes to the reference:
each input that tells another mutant from the reference is worth a test. What no input tells apart is either the same function or
shows that the tests are weak; `survivors` names it.
"""

import ast
import copy
import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from verigym.environments.code.forms import value

Inputs = tuple[Any, ...]
_STEPS = 5_000
"""Rounds of while loops that a call may take; a mutant may never end."""
_POOL = 150
"""Inputs that are drawn for a task."""
_FEWEST = 9
"""Tests of a task; fewer only where there are not as many different inputs."""
_RICH = 6
"""Of them, those that tell most mutants apart: what goes wrong with them in other ways than a mutant does shows as well."""


class Problem(NamedTuple):
    name: str
    asked: str
    """The docstring with its parameters filled in."""
    signature: str
    source: str
    """The reference."""


def variants(function: Callable[..., Any]) -> list[dict[str, Any]]:
    """Every choice of the keyword-only parameters."""
    found: list[dict[str, Any]] = [{}]
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY:
            found = [{**one, name: each} for one in found for each in parameter.default]
    return found


def problem(function: Callable[..., Any], values: dict[str, Any]) -> Problem:
    """The function with `values` in place of its keyword-only parameters."""
    [tree] = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(tree, ast.FunctionDef)
    tree.args.kwonlyargs, tree.args.kw_defaults = [], []
    tree.body = tree.body[1:]
    tree = ast.fix_missing_locations(_Folded().visit(_Filled(values).visit(tree)))
    source = ast.unparse(tree)
    asked = " ".join(inspect.getdoc(function).format(**values).split())  # type: ignore[union-attr]
    return Problem(
        function.__name__, asked, next(line for line in source.splitlines() if line.startswith("def ")), source
    )


class _Filled(ast.NodeTransformer):
    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(repr(self._values[node.id]), mode="eval").body if node.id in self._values else node


class _Folded(ast.NodeTransformer):
    """Decides what no longer depends on anything, so that no branch is left that is never taken."""

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Compare(ast.Constant(one), [ast.Eq()], [ast.Constant(two)]):
                return ast.Constant(one == two)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.UnaryOp(ast.Not(), ast.Constant(value)):
                return ast.Constant(not value)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        decides = isinstance(node.op, ast.Or)
        if any(isinstance(each, ast.Constant) and each.value is decides for each in node.values):
            return ast.Constant(decides)
        rest = [each for each in node.values if not (isinstance(each, ast.Constant) and each.value is (not decides))]
        return ast.BoolOp(node.op, rest) if len(rest) > 1 else rest[0]

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.ifs = [each for each in node.ifs if not (isinstance(each, ast.Constant) and each.value is True)]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return node

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return node


# -- running our own functions ----------------------------------------------------------------------------------------------


class _Ticked(ast.NodeTransformer):
    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        node.body.insert(0, ast.parse("_tick()").body[0])
        return node


def runnable(source: str) -> Callable[[Inputs], tuple[str, Any]]:
    """Inputs to `value` and what it returns, or `raised` and the name of the exception."""
    tree = ast.fix_missing_locations(_Ticked().visit(ast.parse(source)))
    left = 0

    def tick() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise TimeoutError

    space: dict[str, Any] = {"_tick": tick, "Any": Any}
    exec(compile(tree, "problem", "exec"), space)
    name = next(node.name for node in tree.body if isinstance(node, ast.FunctionDef))

    def run(inputs: Inputs) -> tuple[str, Any]:
        nonlocal left
        left = _STEPS
        try:
            return "value", space[name](*copy.deepcopy(inputs))
        except Exception as error:
            return "raised", type(error).__name__

    return run


def alike(one: tuple[str, Any], two: tuple[str, Any]) -> bool:
    try:
        return one[0] == two[0] and bool(one[1] == two[1])
    except RecursionError:
        return False


# -- tests ------------------------------------------------------------------------------------------------------------------


class Written(NamedTuple):
    examples: list[tuple[Inputs, Any]]
    """Shown; no test has their inputs."""
    tests: list[str]
    wrong: list[str]
    """A few mutants, which the tests fail."""
    survivors: list[str]
    """Mutants that no input of the pool tells from the reference."""


def written(
    made: Problem, function: Callable[..., Any], draw_inputs: Callable[[Random], Inputs] | None, draw: Random
) -> Written:
    reference = runnable(made.source)
    pool = _pool(function, draw_inputs, draw)
    results = [reference(inputs) for inputs in pool]
    for inputs, (kind, what) in zip(pool, results, strict=True):
        assert kind == "value" or what == "ValueError", f"{made.name}{inputs!r}: {what}"
    shown = _shown(pool, results)
    rest = [at for at in range(len(pool)) if at not in shown]
    mutants = {text: runnable(text) for text in mutated(made.source)}
    dead: dict[str, int] = {}
    kept: list[int] = []
    told = {at: [text for text, run in mutants.items() if not alike(run(pool[at]), results[at])] for at in rest}
    for at in rest:
        if any(text not in dead for text in told[at]):
            dead |= dict.fromkeys(told[at], at)
            kept.append(at)
    richest = sorted(rest, key=lambda at: -len(told[at]))[:_RICH]
    kept += [at for at in dict.fromkeys([*richest, *rest]) if at not in kept][: max(0, _FEWEST - len(kept))]
    return Written(
        [(pool[at], results[at][1]) for at in shown],
        [_test(made.name, pool[at], results[at]) for at in sorted(kept)],
        draw.sample(sorted(dead), min(2, len(dead))),
        [text for text in mutants if text not in dead],
    )


def _pool(function: Callable[..., Any], draw_inputs: Callable[[Random], Inputs] | None, draw: Random) -> list[Inputs]:
    """Different inputs."""
    kinds = [
        parameter.annotation
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is not parameter.KEYWORD_ONLY
    ]
    drawn = [draw_inputs(draw) if draw_inputs else tuple(value(draw, kind) for kind in kinds) for _ in range(_POOL)]
    return list({repr(inputs): inputs for inputs in drawn}.values())


def _shown(pool: Sequence[Inputs], results: Sequence[tuple[str, Any]]) -> list[int]:
    """Two places whose results differ, neither empty nor long."""
    values = [at for at, (kind, _) in enumerate(results) if kind == "value"]
    first, *others = sorted(values, key=lambda at: (not results[at][1], abs(len(repr(pool[at])) - 35)))
    return [first, *[at for at in others if not alike(results[at], results[first])][:1]]


def _test(name: str, inputs: Inputs, result: tuple[str, Any]) -> str:
    call = f"{name}({', '.join(map(repr, inputs))})"
    if result[0] == "raised":
        return f"import pytest\nwith pytest.raises({result[1]}):\n    {call}"
    return f"assert {call} == {result[1]!r}"


# -- mutants ----------------------------------------------------------------------------------------------------------------

_OTHER: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Add, ast.FloorDiv: ast.Mod, ast.Mod: ast.FloorDiv, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
_NAMES = {"max": "min", "min": "max", "sum": "max", "sorted": "list", "all": "any", "any": "all"}
_TEXT = ("lower", "upper", "strip", "capitalize", "title")


_MUTABLE = (
    *(ast.Compare, ast.BinOp, ast.BoolOp, ast.AugAssign, ast.Constant, ast.If, ast.IfExp, ast.comprehension),
    *(ast.Call, ast.Attribute, ast.Return),
)


def mutated(source: str) -> list[str]:
    """The source with one small change, for each that there is."""
    return list(dict.fromkeys(text for text in _changes(source) if text != source))


def _changes(source: str) -> Iterator[str]:
    for at, found in enumerate(ast.walk(ast.parse(source))):
        for which in range(2 * isinstance(found, _MUTABLE)):
            tree = ast.parse(source)
            node = list(ast.walk(tree))[at]
            if _change(node, which):
                yield ast.unparse(ast.fix_missing_locations(tree))


def _change(node: ast.AST, which: int) -> bool:
    """Changes it in place, in one of two ways."""
    match node:
        case ast.Compare(ops=ops) if which < len(ops) and type(ops[which]) in _OTHER:
            ops[which] = _OTHER[type(ops[which])]()
        case ast.BinOp(op=op) | ast.BoolOp(op=op) | ast.AugAssign(op=op) if which == 0 and type(op) in _OTHER:
            node.op = _OTHER[type(op)]()
        case ast.BoolOp(values=values) if which == 1:
            values.pop()
        case ast.Constant(value=bool(given)):
            node.value = not given
        case ast.Constant(value=int(given)):
            node.value = given + 1 if which == 0 else given - 1
        case ast.Constant(value=str(given)) if which == 0:
            node.value = given[1:] if given else "x"
        case ast.If(test=test) | ast.IfExp(test=test) | ast.comprehension(ifs=[test]) if which == 0:
            negated = ast.UnaryOp(ast.Not(), test)
            if isinstance(node, ast.comprehension):
                node.ifs = [negated]
            else:
                node.test = negated
        case ast.Call(func=ast.Name(id=name)) if which == 0 and name in _NAMES:
            node.func = ast.Name(_NAMES[name], ast.Load())
        case ast.Attribute(attr=name) if which == 0 and name in _TEXT:
            node.attr = "rstrip" if name == "strip" else "swapcase"
        case ast.Return(value=ast.expr()) if which == 0:
            node.value = ast.Constant(None)
        case _:
            return False
    return True
