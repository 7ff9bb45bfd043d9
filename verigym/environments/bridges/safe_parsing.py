"""Keeps the scorers of reasoning-gym from running what a model wrote.

Four of its scorers pass the answer to `eval`, and five to `parse_expr` of sympy, which evaluates it too. `guard` replaces both
names in their modules: `eval` by `ast.literal_eval`, and `parse_expr` by one that first checks that the text is plain arithmetic
of a bearable size. What is refused raises ValueError, which the scorers treat as a wrong answer.
"""

import ast
import importlib
from typing import Any

_EVALS = ("algorithmic.string_insertion", "algorithmic.spiral_matrix", "algorithmic.binary_matrix", "games.n_queens")
_PARSERS = {
    "games.puzzle24": "parse_expr",
    "games.countdown": "parse_expr",
    "algebra.simple_integration": "sympy",
    "algebra.intermediate_integration": "sympy",
    "algebra.polynomial_multiplication": "sp",
}
"""Modules that parse an answer, and the name that they use: the function, or the package that holds it."""
_FUNCTIONS = {
    "sin", "cos", "tan", "cot", "sec", "csc", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "exp", "log", "ln", "sqrt", "Abs", "Rational", "Integer", "Float",
}  # fmt: skip
_LONGEST = 2000
_MOST_BITS = 20_000
_MOST_TERMS = 12
"""The largest power of a sum. sympy expands it."""


def guard() -> None:
    for module in _EVALS:
        vars(importlib.import_module(f"reasoning_gym.{module}"))["eval"] = ast.literal_eval
    for module, name in _PARSERS.items():
        names = vars(importlib.import_module(f"reasoning_gym.{module}"))
        if not isinstance(names[name], CheckedSympy) and names[name] is not checked_parse:
            names[name] = checked_parse if name == "parse_expr" else CheckedSympy(names[name])


class CheckedSympy:
    """sympy with a checked `parse_expr`."""

    def __init__(self, sympy: Any) -> None:
        self._sympy = sympy

    def __getattr__(self, name: str) -> Any:
        return checked_parse if name == "parse_expr" else getattr(self._sympy, name)


def checked_parse(text: str, *args: Any, **kwargs: Any) -> Any:
    from sympy.parsing.sympy_parser import parse_expr

    check_arithmetic(text)
    return parse_expr(text, *args, **kwargs)


def check_arithmetic(text: str) -> None:
    """Raises ValueError unless the text is numbers, names, operators and calls of well-known functions, of a bearable size."""
    if len(text) > _LONGEST:
        raise ValueError("the expression is too long")
    try:
        tree = ast.parse(text.strip(), mode="eval")
        bits = _bits(tree.body)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError("not an expression") from error
    if bits > _MOST_BITS:
        raise ValueError("the expression is too large")


def _bits(node: ast.expr) -> float:
    """An upper bound of the size of the value in bits. Names count as small numbers."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return max(1, int(abs(value)).bit_length()) if abs(value) < 1e300 else float("inf")
        case ast.Name(id=name) if not name.startswith("_"):
            return 1
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            return _bits(operand)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return max(_bits(left), _bits(right)) + 1
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div(), right=right):
            return _bits(left) + _bits(right)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _bits(left) * _exponent(right, _has_sum(left))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS and args:
            return 64 + sum(_bits(each) for each in args)
    raise ValueError(f"{type(node).__name__} is not arithmetic")


def _exponent(node: ast.expr, of_sum: bool) -> float:
    """The largest factor by which a power makes its base longer."""
    _bits(node)  # only arithmetic
    if any(isinstance(each, ast.BinOp) and isinstance(each.op, ast.Pow) for each in ast.walk(node)):
        raise ValueError("a power in an exponent is too large")
    numbers = [abs(each.value) for each in ast.walk(node) if isinstance(each, ast.Constant)]  # type: ignore[arg-type]
    product = 1.0
    for number in numbers:
        product *= max(1.0, float(number))
    if of_sum and product > _MOST_TERMS:
        raise ValueError("a power of a sum is too large")
    return product


def _has_sum(node: ast.expr) -> bool:
    return any(isinstance(each, ast.BinOp) and isinstance(each.op, ast.Add | ast.Sub) for each in ast.walk(node))
