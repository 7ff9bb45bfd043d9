"""Expressions and templates over the columns of many rows. `core.expressions` evaluates an expression for one row.

`values` evaluates an expression for many rows with numpy, if numpy is certain to give the same result.

    TextTemplate("{{ who.title() }} pays {{ fixed(price, 2) }}.").value({"who": "mei", "price": 3})      Mei pays 3.00.
"""

import ast
import operator
import re
from collections.abc import Mapping, Sequence
from typing import Any

from verigym.core import expressions
from verigym.core.errors import BadInput, words_of
from verigym.core.expressions import BINARY, COMPARED, Row, short, written

_EXACT = 2**53
"""Larger whole numbers are not exact as floats, so numpy and Python may differ."""


class Expression(expressions.Expression):
    """An expression that can be evaluated for many rows."""

    remedy = "Use a code column instead"

    def values(self, columns: Mapping[str, Any], count: int) -> Any:
        """The values for many rows as an array. If numpy might give another result than Python, each row is evaluated."""
        import numpy as np

        try:
            with np.errstate(all="raise"):
                values = _vectorized(self.tree, columns)
            if np.shape(values) == (count,):
                return values
        except (_NotVectorizable, FloatingPointError):
            pass
        return array_of(row_by_row(self, columns, count))


class TextTemplate:
    """A text with `{{ expression }}` in it. Text is inserted unchanged, everything else as JSON."""

    def __init__(self, text: str) -> None:
        self.text = text
        pieces = re.split(r"\{\{(.*?)\}\}", text, flags=re.DOTALL)
        self._pieces = [Expression(piece) if index % 2 else piece for index, piece in enumerate(pieces)]
        if any("{{" in piece for piece in pieces[::2]):
            raise BadInput(f'"{short(text)}": a {{{{ has no }}}} after it')
        self.names = frozenset(name for piece in self._pieces if isinstance(piece, Expression) for name in piece.names)

    def value(self, row: Row) -> str:
        return "".join(piece if isinstance(piece, str) else written(piece.value(row)) for piece in self._pieces)

    def values(self, columns: Mapping[str, Any], count: int) -> Any:
        return array_of(row_by_row(self, columns, count))


def row_by_row(work: Expression | TextTemplate, columns: Mapping[str, Any], count: int) -> list[Any]:
    """The value of each row. `BadInput` names the row that cannot be evaluated."""
    names = sorted(work.names)
    rows = zip(*(columns[name].tolist() for name in names), strict=True) if names else [()] * count
    results: list[Any] = []
    for values in rows:
        row = dict(zip(names, values, strict=True))
        try:
            results.append(work.value(row))
        except Exception as error:  # the values may be anything
            where = ", ".join(f"{name} = {short(repr(value))}" for name, value in row.items())
            reason = f"{type(error).__name__}: {words_of(error)} (where {where})"
            raise BadInput(f'"{short(work.text)}" cannot be evaluated: {reason}') from error
    return results


def array_of(values: Sequence[Any]) -> Any:
    """An array of numbers if all are numbers of one kind, otherwise an array of objects."""
    import numpy as np

    kinds = {type(value) for value in values}
    if kinds <= {bool} or kinds <= {float}:
        return np.array(values, dtype=bool if kinds == {bool} else float)
    if kinds == {int} and all(-_EXACT <= value <= _EXACT for value in values):
        return np.array(values, dtype=np.int64)
    objects = np.empty(len(values), dtype=object)
    for index, value in enumerate(values):  # numpy would turn equally long lists into a table
        objects[index] = value
    return objects


class _NotVectorizable(Exception):
    """Numpy might give another result than Python."""


def _vectorized(node: ast.expr, columns: Mapping[str, Any]) -> Any:
    import numpy as np

    match node:
        case ast.Constant(value=value) if isinstance(value, bool | int | float | str):
            return _exact(value)
        case ast.Name(id=name) if name in columns:
            return _exact(columns[name])
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY and not isinstance(op, ast.Pow):
            first, second = _vectorized(left, columns), _vectorized(right, columns)
            _require({_kind(first), _kind(second)} <= {"i", "f"})
            if _kind(first) == _kind(second) == "i":
                largest = (operator.mul if isinstance(op, ast.Mult) else operator.add)(
                    _largest(first), _largest(second)
                )
                _require(largest <= _EXACT)
            work = {ast.Mult: operator.mul, ast.Mod: operator.mod}.get(type(op), BINARY[type(op)])
            return _array(work(_array(first), _array(second)))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _vectorized(operand, columns)
            _require(_kind(inner) in "if")
            return -inner
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ~_truth(_vectorized(operand, columns))
        case ast.BoolOp(op=op, values=values):
            parts = [_truth(_vectorized(value, columns)) for value in values]
            return (np.logical_and if isinstance(op, ast.And) else np.logical_or).reduce(np.broadcast_arrays(*parts))
        case ast.Compare(left=left, ops=ops, comparators=rest):
            return _compare(left, ops, rest, columns)
        case _:
            raise _NotVectorizable


def _require(condition: bool) -> None:
    if not condition:
        raise _NotVectorizable


def _compare(left: ast.expr, ops: list[ast.cmpop], rest: list[ast.expr], columns: Mapping[str, Any]) -> Any:
    import numpy as np

    def compared(op: ast.cmpop, first: Any, second: Any) -> Any:
        _require((_kind(first) == "O") is (_kind(second) == "O"))
        return COMPARED[type(op)](_array(first), _array(second)).astype(bool)

    first = _vectorized(left, columns)
    match ops, rest:
        case [ast.In() | ast.NotIn()], [ast.List(elts=[_, *_] as members) | ast.Tuple(elts=[_, *_] as members)]:
            parts = [compared(ast.Eq(), first, _vectorized(member, columns)) for member in members]
            contained = np.logical_or.reduce(np.broadcast_arrays(*parts))
            return contained if isinstance(ops[0], ast.In) else ~contained
    results: list[Any] = []
    for op, node in zip(ops, rest, strict=True):
        _require(not isinstance(op, ast.In | ast.NotIn | ast.Is | ast.IsNot))
        second = _vectorized(node, columns)
        results.append(compared(op, first, second))
        first = second
    return np.logical_and.reduce(np.broadcast_arrays(*results))


def _truth(value: Any) -> Any:
    _require(_kind(value) == "b")
    return _array(value)


def _exact(value: Any) -> Any:
    """A value or an array that numpy and Python treat alike: exact numbers or texts."""
    kind = _kind(value)
    _require(kind in "bifO" and (kind != "i" or _largest(value) <= _EXACT))
    _require(kind != "O" or isinstance(value, str) or all(type(member) is str for member in value))
    return value


def _kind(value: Any) -> str:
    """b, i, f or O, as numpy names them. A text is an object."""
    if isinstance(value, str):
        return "O"
    return {bool: "b", int: "i", float: "f"}.get(type(value)) or value.dtype.kind


def _largest(value: Any) -> int:
    import numpy as np

    return abs(value) if isinstance(value, int) else int(np.abs(value).max(initial=0))


def _array(value: Any) -> Any:
    import numpy as np

    return np.asarray(value, dtype=object) if isinstance(value, str) else np.asarray(value)
