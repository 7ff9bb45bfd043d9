"""Expressions and templates over the columns of a row: arithmetic, comparisons and text, without Python's `eval`.

An expression is parsed as Python. Every node must be one of those listed here, so it cannot do anything else. `value` evaluates
it for one row. `values` evaluates it for many rows with numpy, if numpy is certain to give the same result.

    Expression("price * count if count else 0").value({"price": 2.5, "count": 4})      10.0
    TextTemplate("{{ who.title() }} pays {{ fixed(price, 2) }}.").value({"who": "mei", "price": 3})      Mei pays 3.00.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from verigym.core.errors import BadInput, words_of

Row = Mapping[str, Any]
Evaluate = Callable[[Row], Any]

_EXACT = 2**53
"""Larger whole numbers are not exact as floats, so numpy and Python may differ."""
_LONGEST = 1_000_000
"""Maximum length of a repeated text or list."""
_CONSTANTS = {"true": True, "false": False, "null": None}


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * abs(exponent) > 10_000:
        raise ValueError(f"{base} ** {exponent} is too large")
    return base**exponent


def _times(left: Any, right: Any) -> Any:
    for part, count in ((left, right), (right, left)):
        if isinstance(part, str | list | tuple) and isinstance(count, int) and len(part) * count > _LONGEST:
            raise ValueError(f"{count} times {len(part)} letters or members is too long")
    return left * right


def _modulo(left: Any, right: Any) -> Any:
    if isinstance(left, str):
        raise TypeError("% works only on numbers. Use a template to build text")
    return left % right


def _fixed(number: float, decimals: int) -> str:
    """`fixed(3, 2)` is `3.00`."""
    return f"{number:.{min(max(0, int(decimals)), 15)}f}"


_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _times,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _modulo,
    ast.Pow: _power,
}
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {ast.USub: operator.neg, ast.Not: operator.not_}
_BUILT_INS: list[Callable[..., Any]] = [abs, round, min, max, sum, len, sorted, any, all, int, float, bool, str, repr]
FUNCTIONS = {function.__name__: function for function in _BUILT_INS} | {"fixed": _fixed}
METHODS = (
    "lower", "upper", "title", "capitalize", "strip", "startswith", "endswith", "removeprefix", "removesuffix", "replace",
    "split", "join", "count", "find", "isdigit", "isalpha",
)  # fmt: skip
"""The methods of text."""


class Expression:
    """A parsed expression. `names` are the columns that it uses."""

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self._tree = ast.parse(text.strip(), mode="eval").body
            self.names: frozenset[str] = frozenset()
            self._evaluate = self._compiled(self._tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            reason = error.msg if isinstance(error, SyntaxError) else words_of(error)
            raise BadInput(f'"{_short(text)}" is not an expression: {reason}') from error

    def value(self, row: Row) -> Any:
        """The value for one row. Raises whatever its operations raise."""
        return self._evaluate(row)

    def values(self, columns: Mapping[str, Any], count: int) -> Any:
        """The values for many rows as an array. If numpy might give another result than Python, each row is evaluated."""
        import numpy as np

        try:
            with np.errstate(all="raise"):
                values = _vectorized(self._tree, columns)
            if np.shape(values) == (count,):
                return values
        except (_NotVectorizable, FloatingPointError):
            pass
        return array_of(row_by_row(self, columns, count))

    def _compiled(self, node: ast.expr) -> Evaluate:
        match node:
            case ast.Constant(value=value) if value is None or isinstance(value, bool | int | float | str):
                return lambda row: value
            case ast.Name(id=name) if name in _CONSTANTS:
                constant = _CONSTANTS[name]
                return lambda row: constant
            case ast.Name(id=name):
                self.names |= {name}
                return operator.itemgetter(name)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                first, second, work = self._compiled(left), self._compiled(right), _BINARY[type(op)]
                return lambda row: work(first(row), second(row))
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                inner, unary = self._compiled(operand), _UNARY[type(op)]
                return lambda row: unary(inner(row))
            case ast.BoolOp(op=op, values=values):
                return _either_or_both([*map(self._compiled, values)], isinstance(op, ast.And))
            case ast.Compare(left=left, ops=ops, comparators=rest):
                return _chain([*map(self._compiled, (left, *rest))], [_COMPARED[type(op)] for op in ops])
            case ast.IfExp(test=test, body=body, orelse=other):
                condition, then, otherwise = map(self._compiled, (test, body, other))
                return lambda row: then(row) if condition(row) else otherwise(row)
            case ast.List(elts=elts) | ast.Tuple(elts=elts):
                members = [*map(self._compiled, elts)]
                return lambda row: [member(row) for member in members]
            case ast.Dict(keys=keys, values=values) if all(keys):
                pairs = [
                    (self._compiled(k), self._compiled(v)) for k, v in zip(keys, values, strict=True) if k is not None
                ]
                return lambda row: {key(row): value(row) for key, value in pairs}
            case ast.Subscript(value=value, slice=ast.Slice(lower=low, upper=high, step=None)):
                nothing = ast.Constant(None)
                whole, start, end = map(self._compiled, (value, low or nothing, high or nothing))
                return lambda row: whole(row)[start(row) : end(row)]
            case ast.Subscript(value=value, slice=index):
                whole, at = self._compiled(value), self._compiled(index)
                return lambda row: whole(row)[at(row)]
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
                function, given = FUNCTIONS[name], [*map(self._compiled, args)]
                return lambda row: function(*(argument(row) for argument in given))
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=args, keywords=[]) if name in METHODS:
                text, given = self._compiled(value), [*map(self._compiled, args)]
                return lambda row: getattr(_text(text(row), name), name)(*(argument(row) for argument in given))
            case ast.Attribute(value=value, attr=name):
                whole = self._compiled(value)
                return lambda row: _key(whole(row), name)
            case ast.Call(func=ast.Name(id=name)):
                raise ValueError(f"there is no function {name}. Functions: {', '.join(FUNCTIONS)}")
            case ast.Call(func=ast.Attribute(attr=name)):
                raise ValueError(f"text has no .{name}() here. Methods: {', '.join(METHODS)}")
            case _:
                raise ValueError(f"{ast.unparse(node)} is not allowed. Use a code column instead")


class TextTemplate:
    """A text with `{{ expression }}` in it. Text is inserted unchanged, everything else as JSON."""

    def __init__(self, text: str) -> None:
        self.text = text
        pieces = re.split(r"\{\{(.*?)\}\}", text, flags=re.DOTALL)
        self._pieces = [Expression(piece) if index % 2 else piece for index, piece in enumerate(pieces)]
        if any("{{" in piece for piece in pieces[::2]):
            raise BadInput(f'"{_short(text)}": a {{{{ has no }}}} after it')
        self.names = frozenset(name for piece in self._pieces if isinstance(piece, Expression) for name in piece.names)

    def value(self, row: Row) -> str:
        return "".join(piece if isinstance(piece, str) else written(piece.value(row)) for piece in self._pieces)

    def values(self, columns: Mapping[str, Any], count: int) -> Any:
        return array_of(row_by_row(self, columns, count))


def written(value: Any) -> str:
    """Text unchanged, everything else as JSON: true as `true`, 3 as `3`."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


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
            where = ", ".join(f"{name} = {_short(repr(value))}" for name, value in row.items())
            reason = f"{type(error).__name__}: {words_of(error)} (where {where})"
            raise BadInput(f'"{_short(work.text)}" cannot be evaluated: {reason}') from error
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


def _either_or_both(parts: Sequence[Evaluate], both: bool) -> Evaluate:
    def work(row: Row) -> Any:
        value: Any = both
        for part in parts:
            value = part(row)
            if bool(value) is not both:
                return value
        return value

    return work


def _chain(parts: Sequence[Evaluate], compared: Sequence[Callable[[Any, Any], Any]]) -> Evaluate:
    def work(row: Row) -> bool:
        left = parts[0](row)
        for part, compare in zip(parts[1:], compared, strict=True):
            right = part(row)
            if not compare(left, right):
                return False
            left = right
        return True

    return work


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f".{name}() works only on text, not on {written(value)}")
    return value


def _key(value: Any, name: str) -> Any:
    if not isinstance(value, dict):
        raise TypeError(f".{name} needs an object, but this is {_short(written(value))}")
    if name not in value:
        raise KeyError(f"{name} (it has: {', '.join(map(str, value))})")
    return value[name]


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


class _NotVectorizable(Exception):
    """Numpy might give another result than Python."""


def _vectorized(node: ast.expr, columns: Mapping[str, Any]) -> Any:
    import numpy as np

    match node:
        case ast.Constant(value=value) if isinstance(value, bool | int | float | str):
            return _exact(value)
        case ast.Name(id=name) if name in columns:
            return _exact(columns[name])
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY and not isinstance(op, ast.Pow):
            first, second = _vectorized(left, columns), _vectorized(right, columns)
            _require({_kind(first), _kind(second)} <= {"i", "f"})
            if _kind(first) == _kind(second) == "i":
                largest = (operator.mul if isinstance(op, ast.Mult) else operator.add)(
                    _largest(first), _largest(second)
                )
                _require(largest <= _EXACT)
            work = {ast.Mult: operator.mul, ast.Mod: operator.mod}.get(type(op), _BINARY[type(op)])
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
        return _COMPARED[type(op)](_array(first), _array(second)).astype(bool)

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
