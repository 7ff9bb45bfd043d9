"""Expressions over named values: arithmetic, comparisons and text, without Python's `eval`.

An expression is parsed as Python. Every node must be one of those listed here, so it cannot do anything else.
`design.expressions` evaluates one for many rows.

    Expression("price * count if count else 0").value({"price": 2.5, "count": 4})      10.0
"""

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import msgspec

from verigym.core.errors import BadInput, words_of

Row = Mapping[str, Any]
Evaluate = Callable[[Row], Any]

_LONGEST = 1_000_000
"""Maximum length of a repeated text or list."""
_CONSTANTS = {"true": True, "false": False, "null": None}


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * abs(exponent) > 10_000:
        raise ValueError(f"{base} ** {exponent} is too large")
    return base**exponent


def _times(left: Any, right: Any) -> Any:
    for part, count in ((left, right), (right, left)):
        size = len(cast(Sequence[Any], part)) if isinstance(part, str | list | tuple) else 0
        if isinstance(count, int) and size * count > _LONGEST:
            raise ValueError(f"{count} times {size} letters or members is too long")
    return left * right


def _modulo(left: Any, right: Any) -> Any:
    if isinstance(left, str):
        raise TypeError("% works only on numbers. Use a template to build text")
    return left % right


def _fixed(number: float, decimals: int) -> str:
    """`fixed(3, 2)` is `3.00`."""
    return f"{number:.{min(max(0, int(decimals)), 15)}f}"


BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _times,
    ast.Div: lambda left, right: left / right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Mod: _modulo,
    ast.Pow: _power,
}
COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
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
    """A parsed expression. `names` are the values that it uses."""

    remedy = "Use arithmetic, comparisons and text"
    """What to do about a node that is not allowed."""

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self.tree = ast.parse(text.strip(), mode="eval").body
            self.names: frozenset[str] = frozenset()
            self._evaluate = self._compiled(self.tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            reason = error.msg if isinstance(error, SyntaxError) else words_of(error)
            raise BadInput(f'"{short(text)}" is not an expression: {reason}') from error

    def value(self, row: Row) -> Any:
        """The value for one row. Raises whatever its operations raise."""
        return self._evaluate(row)

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
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
                first, second, work = self._compiled(left), self._compiled(right), BINARY[type(op)]
                return lambda row: work(first(row), second(row))
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                inner, unary = self._compiled(operand), _UNARY[type(op)]
                return lambda row: unary(inner(row))
            case ast.BoolOp(op=op, values=values):
                return _either_or_both([*map(self._compiled, values)], isinstance(op, ast.And))
            case ast.Compare(left=left, ops=ops, comparators=rest):
                return _chain([*map(self._compiled, (left, *rest))], [COMPARED[type(op)] for op in ops])
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
                raise ValueError(f"{ast.unparse(node)} is not allowed. {self.remedy}")


def written(value: Any) -> str:
    """Text unchanged, everything else as JSON: true as `true`, 3 as `3`."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


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
        raise TypeError(f".{name} needs an object, but this is {short(written(value))}")
    known = cast(dict[str, Any], value)
    if name not in known:
        raise KeyError(f"{name} (it has: {', '.join(map(str, known))})")
    return known[name]


def short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."
