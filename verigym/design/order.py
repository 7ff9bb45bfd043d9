"""Finds the order in which columns are filled, and which columns must be redrawn together.

Columns that refer to each other, or that share a constraint, form a group. When a constraint fails, its whole group is redrawn,
so accepted rows are distributed as if whole rows had been redrawn. Groups are independent.
"""

import ast
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path

from verigym.core.errors import BadInput, not_found
from verigym.design.expressions import Expression
from verigym.design.spec import Code, Design, JudgeColumn, Llm, PythonCheck, Subcategory, expressions_of
from verigym.tasks.near_duplicates import TextGroups

SEED = "seed"
"""A function argument of this name gets the row's seed, unless a column has the name."""


def references(design: Design) -> dict[str, set[str]]:
    """Column to the columns that it depends on."""
    columns = design.spec.columns
    references: dict[str, set[str]] = {}
    for name, column in columns.items():
        where = f"{design.where}: columns.{name}"
        try:
            used = {name for expression in expressions_of(column) for name in expression.names}
        except BadInput as error:
            raise BadInput(f"{where}: {error}") from error
        if isinstance(column, Subcategory):
            used.add(column.of)
        _check_known(used, columns, where)
        if isinstance(column, Code):
            used |= _columns_of(design, column.file, column.function or name, where)
        references[name] = used
    return references


def constraints(design: Design) -> dict[str, Expression]:
    """The parsed constraints by name."""
    parsed: dict[str, Expression] = {}
    for name, text in design.spec.named_constraints.items():
        try:
            parsed[name] = Expression(text)
        except BadInput as error:
            raise BadInput(f"{design.where}: constraints: {error}") from error
        _check_known(parsed[name].names, design.spec.columns, f'{design.where}: constraint "{name}"')
        if not parsed[name].names:
            raise BadInput(f'{design.where}: constraint "{name}" uses no column. Use at least one, or remove it')
    return parsed


def check_validators(design: Design) -> None:
    for index, validator in enumerate(design.spec.validators):
        where = f"{design.where}: validators[{index}]"
        _check_known({name for it in expressions_of(validator) for name in it.names}, design.spec.columns, where)
        if isinstance(validator, PythonCheck):
            _columns_of(design, validator.file, validator.function, where)


def _columns_of(design: Design, file: str, function: str, where: str) -> set[str]:
    """The columns that a function takes as arguments."""
    path, columns = design.folder / file, design.spec.columns
    used = set(arguments(path, function)) - ({SEED} - columns.keys())
    _check_known(used, columns, f"{where}: the arguments of {function} in {path} are columns by name")
    return used


def _check_known(used: Iterable[str], columns: Iterable[str], where: str) -> None:
    for name in sorted(set(used) - set(columns)):
        raise not_found("column", name, columns, f"({where})")


def arguments(path: Path, function: str) -> list[str]:
    """The argument names of a function, read without running the file."""
    try:
        tree = ast.parse(path.read_text())
    except (OSError, SyntaxError, ValueError) as error:
        raise BadInput(f"{path} cannot be read as Python: {error}") from error
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if function not in functions:
        raise not_found("function", function, functions, f"({path})")
    args = functions[function].args
    if args.vararg or args.kwarg or args.posonlyargs:
        raise BadInput(f"{path}: {function} has *, ** or / in its arguments. Name the columns that it uses")
    return [arg.arg for arg in [*args.args, *args.kwonlyargs]]


def ordered(uses: Mapping[str, set[str]]) -> list[str]:
    """Columns after those that they depend on, otherwise in the order of the spec. Refuses cycles."""
    done: list[str] = []
    path: list[str] = []

    def visit(name: str) -> None:
        if name in path:
            cycle = " -> ".join([*path[path.index(name) :], name])
            raise BadInput(f"The columns depend on each other in a cycle: {cycle}. Remove one reference")
        if name not in done:
            path.append(name)
            for other in sorted(uses[name], key=list(uses).index):
                visit(other)
            path.pop()
            done.append(name)

    for name in uses:
        visit(name)
    return done


def costly(design: Design, order: Iterable[str], uses: Mapping[str, set[str]]) -> set[str]:
    """Code and model columns, and those that depend on them. They are filled after a row's other columns are accepted."""
    names: set[str] = set()
    for name in order:
        if isinstance(design.spec.columns[name], Code | Llm | JudgeColumn) or uses[name] & names:
            names.add(name)
    return names


def groups(names: Iterable[str], ties: Iterable[Iterable[str]]) -> list[list[str]]:
    """Groups of names that ties connect, in the order of their first names."""
    joined = TextGroups()
    names = list(names)
    for tie in ties:
        for left, right in pairwise(name for name in tie if name in names):
            joined.join(left, right)
    grouped: dict[str, list[str]] = {}
    for name in names:
        grouped.setdefault(joined.root(name), []).append(name)
    return list(grouped.values())
