"""Turns a problem, which is a function, into what a task needs: source code, tests and mutants.

The function is the reference solution. Its docstring is the request. Its keyword-only parameters are what the tasks of the
family differ in. A test is an input with the result of the reference. Mutants, which are small changes to the reference,
decide which tests to keep: the tests have to tell each mutant from the reference. A mutant that no input exposes is either the
same function or a sign of weak tests. `make.survivors` lists such mutants.
"""

import ast
import copy
import inspect
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from authoring.code.edge_cases import EDGES
from authoring.code.random_values import value

Inputs = tuple[Any, ...]
_STEPS = 1_000
"""Maximum rounds of while loops in a call. A mutant may loop forever."""
_POOL = 200
"""Number of inputs drawn for a task."""
_FEWEST = 12
"""Minimum number of tests of a task, unless fewer different inputs exist."""
_LONG = 50
"""Maximum characters in the inputs of an example, unless all inputs are longer."""
_TIMES = 2
"""Number of tests that each mutant has to fail. A function that is wrong in another way then probably fails one as well."""


class Problem(NamedTuple):
    name: str
    asked: str
    """The docstring with the parameters filled in."""
    signature: str
    source: str
    """Source code of the reference."""


def variants(function: Callable[..., Any]) -> list[dict[str, Any]]:
    """Return every combination of the keyword-only parameters."""
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
    """Evaluates conditions that have become constant, so that no dead branch is left."""

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


# -- running functions ----------------------------------------------------------------------------------------------


class _Ticked(ast.NodeTransformer):
    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        node.body.insert(0, ast.parse("_tick()").body[0])
        return node


def runnable(source: str) -> Callable[[Inputs], tuple[str, Any]]:
    """Return a function from inputs to `value` and the result, or to `raised` and the exception's name."""
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
    """Examples in the request. No test uses their inputs."""
    tests: list[str]
    wrong: list[str]
    """Mutants that fail the tests."""


def written(
    made: Problem, function: Callable[..., Any], draw_inputs: Callable[[Random], Inputs] | None, draw: Random
) -> Written:
    reference = runnable(made.source)
    edges = EDGES.get(made.name, [])
    pool = list({repr(inputs): inputs for inputs in [*edges, *_drawn(function, draw_inputs, draw)]}.values())
    results = [reference(inputs) for inputs in pool]
    for inputs, (kind, what) in zip(pool, results, strict=True):
        assert kind == "value" or what == "ValueError", f"{made.name}{inputs!r}: {what}"
    mutants = {text: runnable(text) for text in mutated(made.source)}
    told = [
        {text for text, run in mutants.items() if not alike(run(inputs), result)}
        for inputs, result in zip(pool, results, strict=True)
    ]
    shown = _shown(pool, results, told, len(edges))
    kept = _kept({at: texts for at, texts in enumerate(told) if at not in shown}, len(edges))
    dead = sorted(set().union(*(told[at] for at in kept)))
    return Written(
        [(pool[at], results[at][1]) for at in shown],
        [_test(made.name, pool[at], results[at]) for at in sorted(kept)],
        draw.sample(dead, min(1, len(dead))),
    )


def _drawn(function: Callable[..., Any], draw_inputs: Callable[[Random], Inputs] | None, draw: Random) -> list[Inputs]:
    kinds = [
        parameter.annotation
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is not parameter.KEYWORD_ONLY
    ]
    return [draw_inputs(draw) if draw_inputs else tuple(value(draw, kind) for kind in kinds) for _ in range(_POOL)]


def _shown(
    pool: Sequence[Inputs], results: Sequence[tuple[str, Any]], told: Sequence[set[str]], num_edges: int
) -> list[int]:
    """Choose two examples with different results, not empty and not long, that show much of what the function does. Mutants
    that few inputs expose are left to the tests."""
    often = Counter(text for texts in told for text in texts)
    values = [at for at, (kind, _) in enumerate(results) if kind == "value" and at >= num_edges]
    rare = {at for at in values if any(often[text] < _TIMES + 2 for text in told[at])}
    first, *others = sorted(
        values, key=lambda at: (at in rare, not results[at][1], max(_LONG, len(repr(pool[at]))), -len(told[at]))
    )
    return [first, *[at for at in others if not alike(results[at], results[first])][:1]]


def _kept(told: dict[int, set[str]], num_edges: int) -> list[int]:
    """Choose the edge cases, the fewest inputs that expose each mutant `_TIMES`, and others up to `_FEWEST`."""
    left = dict.fromkeys(set().union(*told.values()), _TIMES)
    kept: list[int] = []
    rest = list(told)

    def gain(at: int) -> int:
        return sum(left[text] > 0 for text in told[at])

    def keep(at: int) -> None:
        kept.append(at)
        rest.remove(at)
        for text in told[at]:
            left[text] -= 1

    for at in range(num_edges):
        keep(at)
    while rest and gain(best := max(rest, key=gain)):
        keep(best)
    return kept + rest[: max(0, _FEWEST - len(kept))]


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
_NAMES = {"max": "min", "min": "max", "sum": "max", "sorted": "list", "all": "any", "any": "all", "set": "list"}
_TEXT = ("lower", "upper", "strip", "capitalize", "title")


def mutated(source: str) -> list[str]:
    """Return every version of the source with one small change."""
    tree = ast.parse(source)
    return list(dict.fromkeys(text for text in _changes(tree, tree.body[0]) if text != source))


def _changes(tree: ast.Module, parent: ast.AST) -> Iterator[str]:
    for field, child in ast.iter_fields(parent):
        children = child if isinstance(child, list) else [child]
        for at, node in enumerate(children):
            if field in ("annotation", "returns") or not isinstance(node, ast.AST):
                continue
            for other in _others(node):
                children[at] = other
                setattr(parent, field, children if isinstance(child, list) else other)
                yield ast.unparse(ast.fix_missing_locations(tree))
            children[at] = node
            setattr(parent, field, child)
            yield from _changes(tree, node)


def _others(node: ast.AST) -> Iterator[ast.AST]:
    """Return replacements for a node: a similar one, or the node without one part."""
    match node:
        case ast.operator() | ast.cmpop() | ast.boolop() if type(node) in _OTHER:
            yield _OTHER[type(node)]()
        case ast.BoolOp(op, values):
            yield from (rest[0] if len(rest) == 1 else ast.BoolOp(op, rest) for rest in _less(values))
        case ast.Compare(left, [one, two], [middle, right]):
            yield from (ast.Compare(left, [one], [middle]), ast.Compare(middle, [two], [right]))
        case ast.BinOp(left, _, right):
            yield from (left, right)
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value)):
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case ast.Constant(str(value)):
            yield ast.Constant(value[1:] if value else "x")
        case ast.If(_, body, orelse):
            yield from (ast.If(ast.Constant(value), body, orelse) for value in (True, False))
        case ast.IfExp(_, body, orelse):
            yield from (body, orelse)
        case ast.comprehension(target, iterated, [_, *_] as tests, is_async):
            yield from (ast.comprehension(target, iterated, rest, is_async) for rest in _less(tests))
        case ast.SetComp(element, generators):
            yield ast.ListComp(element, generators)
        case ast.Lambda(arguments, ast.Tuple(parts)):
            yield from (ast.Lambda(arguments, ast.Tuple(rest)) for rest in _less(parts))
        case ast.Call(ast.Attribute(text, name), arguments) if name in _TEXT:
            yield text
            if name == "strip":
                yield ast.Call(ast.Attribute(text, "rstrip"), arguments, [])
        case ast.Call(ast.Name(name), arguments, keywords):
            if name in _NAMES:
                yield ast.Call(ast.Name(_NAMES[name]), arguments, keywords if name != "sorted" else [])
            if keywords:
                yield ast.Call(ast.Name(name), arguments, [])
            if name in ("max", "min") and len(arguments) == 2:
                yield from arguments
        case ast.Return(ast.expr()):
            yield ast.Return(ast.Constant(None))
        case ast.Assign() | ast.AugAssign() | ast.Expr() | ast.Raise() | ast.Continue() | ast.Break():
            yield ast.Pass()
        case _:
            pass


def _less(parts: list[Any]) -> list[list[Any]]:
    """Return the items without one of them, for each of them."""
    return [parts[:at] + parts[at + 1 :] for at in range(len(parts))]
