"""In which order columns are filled, found from what they refer to, and which of them have to be redrawn together.

Columns that refer to each other, or that one constraint is about, are one group: when a constraint fails, all of its group is
drawn again, so that what is accepted is distributed as if whole rows had been. Groups know nothing of each other.
"""

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path

from verigym.core.errors import BadInput, not_found
from verigym.design.expressions import Expression
from verigym.design.spec import Code, Design, JudgeColumn, Llm, PythonCheck, Subcategory, expressions_of

SEED = "seed"
"""Argument of a function that is the row's own number, where no column has that name."""


def references(design: Design) -> dict[str, set[str]]:
    """Column -> the columns that it is made of."""
    columns = design.spec.columns
    found: dict[str, set[str]] = {}
    for name, column in columns.items():
        where = f"{design.where}: columns.{name}"
        try:
            used = {one for work in expressions_of(column) for one in work.names}
        except BadInput as error:
            raise BadInput(f"{where}: {error}") from error
        if isinstance(column, Subcategory):
            used.add(column.of)
        _check_known(used, columns, where)
        if isinstance(column, Code):
            used |= _columns_of(design, column.file, column.function or name, where)
        found[name] = used
    return found


def constraints(design: Design) -> dict[str, Expression]:
    """The constraints by name, each about columns that there are."""
    found: dict[str, Expression] = {}
    for name, text in design.spec.named_constraints.items():
        try:
            found[name] = Expression(text)
        except BadInput as error:
            raise BadInput(f"{design.where}: constraints: {error}") from error
        _check_known(found[name].names, design.spec.columns, f'{design.where}: constraint "{name}"')
        if not found[name].names:
            raise BadInput(f'{design.where}: constraint "{name}" is about no column')
    return found


def check_validators(design: Design) -> None:
    for place, one in enumerate(design.spec.validators):
        where = f"{design.where}: validators[{place}]"
        _check_known({name for work in expressions_of(one) for name in work.names}, design.spec.columns, where)
        if isinstance(one, PythonCheck):
            _columns_of(design, one.file, one.function, where)


def _columns_of(design: Design, file: str, function: str, where: str) -> set[str]:
    """The columns that are a function's arguments."""
    path, columns = design.folder / file, design.spec.columns
    used = set(arguments(path, function)) - ({SEED} - columns.keys())
    _check_known(used, columns, f"{where}: the arguments of {function} in {path} are columns by name")
    return used


def _check_known(used: Iterable[str], columns: Iterable[str], where: str) -> None:
    for name in sorted(set(used) - set(columns)):
        raise not_found("column", name, columns, f"({where})")


def arguments(path: Path, function: str) -> list[str]:
    """The names of a function's arguments, read without running the file."""
    try:
        tree = ast.parse(path.read_text())
    except (OSError, SyntaxError, ValueError) as error:
        raise BadInput(f"{path}: cannot be read as Python: {error}") from error
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if function not in functions:
        raise not_found("function", function, functions, f"({path})")
    found = functions[function].args
    if found.vararg or found.kwarg or found.posonlyargs:
        raise BadInput(f"{path}: {function} takes *, ** or / arguments; name the columns that it uses instead")
    return [one.arg for one in [*found.args, *found.kwonlyargs]]


def ordered(uses: Mapping[str, set[str]]) -> list[str]:
    """Every column after those that it is made of, else as they are written. A cycle is refused by its columns."""
    done: list[str] = []
    path: list[str] = []

    def visit(name: str) -> None:
        if name in path:
            circle = [*path[path.index(name) :], name]
            raise BadInput(f"columns are made of each other: {' -> '.join(circle)}; one of them has to come first")
        if name not in done:
            path.append(name)
            for other in sorted(uses[name], key=list(uses).index):
                visit(other)
            path.pop()
            done.append(name)

    for name in uses:
        visit(name)
    return done


def dear(design: Design, order: Iterable[str], uses: Mapping[str, set[str]]) -> set[str]:
    """Columns that cost (code, models), and what is made of them: filled once a row's other columns are accepted."""
    found: set[str] = set()
    for name in order:
        if isinstance(design.spec.columns[name], Code | Llm | JudgeColumn) or uses[name] & found:
            found.add(name)
    return found


def groups(names: Iterable[str], ties: Iterable[Iterable[str]]) -> list[list[str]]:
    """Names that ties connect, together; in the order of their first name."""
    group: dict[str, list[str]] = {name: [name] for name in names}
    for tie in ties:
        first, *others = [name for name in tie if name in group] or [""]
        for other in others:
            if group[other] is not group[first]:
                joined = group[first]
                joined += group[other]
                for name in group[other]:
                    group[name] = joined
    unique = {id(one): one for one in group.values()}
    place = {name: at for at, name in enumerate(group)}
    return [sorted(one, key=place.__getitem__) for one in unique.values()]
