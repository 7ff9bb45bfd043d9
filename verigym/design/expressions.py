"""Expressions and templates over the columns of a row: arithmetic, comparisons, text; never Python's own `eval`.

An expression is parsed as Python and every node of it is one of those listed here; nothing else exists, so there is no way out.
It is worked out for one row (`value`), or for many at once by numpy where that is certain to give the same (`values`).

    Expression("price * count if count else 0").value({"price": 2.5, "count": 4})      10.0
    Template("{{ who.title() }} pays {{ fixed(price, 2) }}.").value({"who": "mei", "price": 3})      Mei pays 3.00.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from verigym.core.errors import BadInput, words_of

Row = Mapping[str, Any]
Worked = Callable[[Row], Any]

_EXACT = 2**53
"""Whole numbers up to here are the same as floats; beyond, numpy and Python may differ."""
_LONGEST = 1_000_000
"""Letters or members that a repetition may make."""
_CONSTANTS = {"true": True, "false": False, "null": None}


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * abs(exponent) > 10_000:
        raise ValueError(f"{base} ** {exponent} is too large")
    return base**exponent


def _times(left: Any, right: Any) -> Any:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, str | list | tuple) and isinstance(other, int) and len(one) * other > _LONGEST:
            raise ValueError(f"{other} times {len(one)} letters or members is too long")
    return left * right


def _modulo(left: Any, right: Any) -> Any:
    if isinstance(left, str):
        raise TypeError("% is for numbers; text is put together by a template")
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
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "round": round,
    "min": min,
    "max": max,
    "sum": sum,
    "len": len,
    "sorted": sorted,
    "any": any,
    "all": all,
    "int": int,
    "float": float,
    "bool": bool,
    "str": str,
    "repr": repr,
    "fixed": _fixed,
}
METHODS = (
    "lower", "upper", "title", "capitalize", "strip", "startswith", "endswith", "removeprefix", "removesuffix", "replace",
    "split", "join", "count", "find", "isdigit", "isalpha",
)  # fmt: skip
"""Of text."""


class Expression:
    """Parsed once; `names` are the columns that it uses."""

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self._tree = ast.parse(text.strip(), mode="eval").body
            self.names: frozenset[str] = frozenset()
            self._work = self._worked(self._tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            said = error.msg if isinstance(error, SyntaxError) else words_of(error)
            raise BadInput(f'"{_short(text)}" is no expression: {said}') from error

    def value(self, row: Row) -> Any:
        """For one row; raises whatever its operations raise."""
        return self._work(row)

    def values(self, columns: Mapping[str, Any], count: int) -> Any:
        """For many rows, as an array. What numpy could work out otherwise than Python is worked out row by row."""
        import numpy as np

        try:
            with np.errstate(all="raise"):
                found = _at_once(self._tree, columns)
            if np.shape(found) == (count,):
                return found
        except (_Slow, FloatingPointError):
            pass
        return array_of(self.by_row(columns, count))

    def by_row(self, columns: Mapping[str, Any], count: int) -> list[Any]:
        """The same, one row after the other: what `values` must agree with. `BadInput` names the row that it fails on."""
        return each_row(self, f'"{_short(self.text)}"', columns, count)

    # -- one row: each node becomes a function of the row

    def _worked(self, node: ast.expr) -> Worked:
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
                one, two, work = self._worked(left), self._worked(right), _BINARY[type(op)]
                return lambda row: work(one(row), two(row))
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                inner, unary = self._worked(operand), _UNARY[type(op)]
                return lambda row: unary(inner(row))
            case ast.BoolOp(op=op, values=values):
                return _either_or_both([self._worked(one) for one in values], isinstance(op, ast.And))
            case ast.Compare(left=left, ops=ops, comparators=rest):
                parts = [self._worked(one) for one in (left, *rest)]
                return _chain(parts, [_COMPARED[type(op)] for op in ops])
            case ast.IfExp(test=test, body=body, orelse=other):
                asked, then, otherwise = self._worked(test), self._worked(body), self._worked(other)
                return lambda row: then(row) if asked(row) else otherwise(row)
            case ast.List(elts=elts) | ast.Tuple(elts=elts):
                members = [self._worked(one) for one in elts]
                return lambda row: [member(row) for member in members]
            case ast.Dict(keys=keys, values=values) if all(keys):
                pairs = [(self._worked(k), self._worked(v)) for k, v in zip(keys, values, strict=True) if k is not None]
                return lambda row: {key(row): value(row) for key, value in pairs}
            case ast.Subscript(value=value, slice=ast.Slice(lower=low, upper=high, step=None)):
                whole, start, end = self._worked(value), self._optional(low), self._optional(high)
                return lambda row: whole(row)[start(row) : end(row)]
            case ast.Subscript(value=value, slice=place):
                whole, at = self._worked(value), self._worked(place)
                return lambda row: whole(row)[at(row)]
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
                function, given = FUNCTIONS[name], [self._worked(one) for one in args]
                return lambda row: function(*(one(row) for one in given))
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=args, keywords=[]) if name in METHODS:
                text, given = self._worked(value), [self._worked(one) for one in args]
                return lambda row: getattr(_text(text(row), name), name)(*(one(row) for one in given))
            case ast.Attribute(value=value, attr=name):
                whole = self._worked(value)
                return lambda row: _key(whole(row), name)
            case ast.Call(func=ast.Name(id=name)):
                raise ValueError(f"there is no function {name}; known: {', '.join(FUNCTIONS)}")
            case ast.Call(func=ast.Attribute(attr=name)):
                raise ValueError(f"text has no .{name}() here; known: {', '.join(METHODS)}")
            case _:
                raise ValueError(f"{ast.unparse(node)} is not allowed; a code column can do what expressions cannot")

    def _optional(self, node: ast.expr | None) -> Worked:
        return self._worked(node) if node is not None else lambda row: None


class TextTemplate:
    """A text with `{{ expression }}` in it. Text goes in as it is, everything else as JSON."""

    def __init__(self, text: str) -> None:
        self.text = text
        pieces = re.split(r"\{\{(.*?)\}\}", text, flags=re.DOTALL)
        self._pieces = [Expression(piece) if place % 2 else piece for place, piece in enumerate(pieces)]
        open_ones = [piece for piece in pieces[::2] if "{{" in piece]
        if open_ones:
            raise BadInput(f'"{_short(text)}": a {{{{ has no }}}} after it')
        self.names = frozenset(name for one in self._pieces if isinstance(one, Expression) for name in one.names)

    def value(self, row: Row) -> str:
        return "".join(one if isinstance(one, str) else written(one.value(row)) for one in self._pieces)

    def values(self, columns: Mapping[str, Any], count: int) -> Any:
        return array_of(each_row(self, f'the template "{_short(self.text)}"', columns, count))


def written(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def each_row(work: Expression | TextTemplate, what: str, columns: Mapping[str, Any], count: int) -> list[Any]:
    names = sorted(work.names)
    lists = [columns[name].tolist() for name in names]
    found: list[Any] = []
    for place in range(count):
        row = {name: values[place] for name, values in zip(names, lists, strict=True)}
        try:
            found.append(work.value(row))
        except Exception as error:  # of the values, which may be anything
            at = ", ".join(f"{name} = {_short(repr(value))}" for name, value in row.items())
            raise BadInput(
                f"{what} cannot be worked out: {type(error).__name__}: {words_of(error)} (where {at})"
            ) from error
    return found


def array_of(values: Sequence[Any]) -> Any:
    """Numbers of one kind as numbers, everything else as objects."""
    import numpy as np

    kinds = {type(value) for value in values}
    if kinds <= {bool} or kinds <= {float}:
        return np.array(values, dtype=bool if kinds == {bool} else float)
    if kinds == {int} and all(-_EXACT <= value <= _EXACT for value in values):
        return np.array(values, dtype=np.int64)
    made = np.empty(len(values), dtype=object)
    made[:] = values if not kinds & {list, tuple, dict} else None
    for place, value in enumerate(values if kinds & {list, tuple, dict} else ()):
        made[place] = value
    return made


def _either_or_both(parts: Sequence[Worked], both: bool) -> Worked:
    def work(row: Row) -> Any:
        value: Any = both
        for part in parts:
            value = part(row)
            if bool(value) is not both:
                return value
        return value

    return work


def _chain(parts: Sequence[Worked], compared: Sequence[Callable[[Any, Any], Any]]) -> Worked:
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
        raise TypeError(f".{name}() is for text, not for {written(value)}")
    return value


def _key(value: Any, name: str) -> Any:
    if not isinstance(value, dict):
        raise TypeError(f".{name} is for an object, and this is {_short(written(value))}")
    if name not in value:
        raise KeyError(f"{name} (it has: {', '.join(map(str, value))})")
    return value[name]


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


# -- many rows at once ------------------------------------------------------------------------------------------------------


class _Slow(Exception):
    """Numpy might not give what Python does."""


def _at_once(node: ast.expr, columns: Mapping[str, Any]) -> Any:
    import numpy as np

    match node:
        case ast.Constant(value=value) if isinstance(value, bool | int | float | str):
            return _sure(value)
        case ast.Name(id=name) if name in columns:
            return _sure(columns[name])
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY and not isinstance(op, ast.Pow):
            one, two = _at_once(left, columns), _at_once(right, columns)
            if {_kind(one), _kind(two)} - {"i", "f"}:
                raise _Slow
            if _kind(one) == _kind(two) == "i":
                most = _most(one) * _most(two) if isinstance(op, ast.Mult) else _most(one) + _most(two)
                if most > _EXACT:
                    raise _Slow
            work = operator.mul if isinstance(op, ast.Mult) else operator.mod if isinstance(op, ast.Mod) else None
            return _array((work or _BINARY[type(op)])(_array(one), _array(two)))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _at_once(operand, columns)
            if _kind(inner) not in "if":
                raise _Slow
            return -inner
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ~_truth(_at_once(operand, columns))
        case ast.BoolOp(op=op, values=values):
            parts = [_truth(_at_once(one, columns)) for one in values]
            return (np.logical_and if isinstance(op, ast.And) else np.logical_or).reduce(np.broadcast_arrays(*parts))
        case ast.Compare(left=left, ops=ops, comparators=rest):
            return _compare(left, ops, rest, columns)
        case _:
            raise _Slow


def _compare(left: ast.expr, ops: list[ast.cmpop], rest: list[ast.expr], columns: Mapping[str, Any]) -> Any:
    import numpy as np

    found: list[Any] = []
    one = _at_once(left, columns)
    for op, node in zip(ops, rest, strict=True):
        if isinstance(op, ast.In | ast.NotIn) and isinstance(node, ast.List | ast.Tuple) and len(ops) == 1:
            parts = [_same(one, _at_once(member, columns)) for member in node.elts]
            if not parts:
                raise _Slow
            held = np.logical_or.reduce(np.broadcast_arrays(*parts))
            return held if isinstance(op, ast.In) else ~held
        if isinstance(op, ast.In | ast.NotIn | ast.Is | ast.IsNot):
            raise _Slow
        two = _at_once(node, columns)
        _comparable(one, two)
        found.append(_COMPARED[type(op)](_array(one), _array(two)).astype(bool))
        one = two
    return np.logical_and.reduce(np.broadcast_arrays(*found))


def _same(one: Any, two: Any) -> Any:
    _comparable(one, two)
    return (_array(one) == _array(two)).astype(bool)


def _comparable(one: Any, two: Any) -> None:
    if (_kind(one) == "O") is not (_kind(two) == "O"):
        raise _Slow


def _truth(value: Any) -> Any:
    if _kind(value) != "b":
        raise _Slow
    return _array(value)


def _sure(value: Any) -> Any:
    """A number or a text, alone or many, of which numpy and Python think alike."""
    kind = _kind(value)
    many = kind == "O" and not isinstance(value, str) and not all(type(one) is str for one in value)
    if kind not in "bifO" or many or (kind == "i" and _most(value) > _EXACT):
        raise _Slow
    return value


def _kind(value: Any) -> str:
    """b, i, f or O, as numpy calls them; a text is an object."""
    if isinstance(value, str):
        return "O"
    return {bool: "b", int: "i", float: "f"}.get(type(value)) or value.dtype.kind


def _most(value: Any) -> int:
    import numpy as np

    return abs(value) if isinstance(value, int) else int(np.abs(value).max(initial=0))


def _array(value: Any) -> Any:
    import numpy as np

    return np.asarray(value, dtype=object) if isinstance(value, str) else np.asarray(value)
