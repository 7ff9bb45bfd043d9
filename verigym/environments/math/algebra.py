"""Reads and compares expressions and equations with rational numbers and unknowns. It executes nothing.

    3(x - 2)^2 / 4    2x + 3y = 7    \\frac{1}{2}x    x²

An unknown is one letter. `xy` is x times y, and `1/2x` is half of x. Two expressions are the same if they are equal as
quotients of polynomials. Two equations are the same if one is the other times a number. Roots, functions and inequalities are
not supported. Limits (`_LONGEST`, `_DEEPEST`, `_HIGHEST`, `_MOST_TERMS`) keep every reply fast.
"""

import re
from fractions import Fraction
from math import gcd
from typing import Literal, NamedTuple

_LONGEST = 200
"""Maximum characters."""
_DEEPEST = 12
"""Maximum depth of nested brackets."""
_HIGHEST = 12
"""Maximum power."""
_MOST_TERMS = 100
_MOST_DIGITS = 40

Monomial = tuple[tuple[str, int], ...]
"""`(("x", 2), ("y", 1))` is x²y, and `()` is 1."""
Polynomial = dict[Monomial, Fraction]
"""Without terms that are 0."""


class Node(NamedTuple):
    """A part of an expression as it was written. It decides the form, and `Quotient` decides the value."""

    kind: Literal["number", "name", "sum", "product", "quotient", "power", "minus"]
    parts: tuple["Node", ...] = ()
    value: Fraction = Fraction(0)
    """Value of a number, or exponent of a power."""
    name: str = ""


class Quotient(NamedTuple):
    top: Polynomial
    bottom: Polynomial


class Equation(NamedTuple):
    left: Node
    right: Node


# -- Reading -----------------------------------------------------------------------------------------------------------

_SAME = {
    "−": "-", "–": "-", "·": "*", "×": "*", "⋅": "*", "÷": "/", "**": "^", "²": "^2", "³": "^3", "\\cdot": "*",
    "\\times": "*", "\\div": "/", "\\left": "", "\\right": "", "\\dfrac": "\\frac", "\\tfrac": "\\frac", "\\,": "",
    "\\(": "", "\\)": "", "$": "",
}  # fmt: skip
_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?|\.\d+)|([A-Za-z])|(\\frac|[-+*/^(){}]))")


def read(text: str) -> Node:
    """Reads an expression. `ValueError` says what cannot be read."""
    return _Reader(text).whole()


def read_equation(text: str) -> Equation:
    left, equals, right = text.partition("=")
    if not equals or "=" in right:
        raise ValueError(f'"{text[:80]}" is not one equation')
    return Equation(read(left), read(right))


class _Reader:
    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST:
            raise ValueError("too long for an expression")
        for other, one in _SAME.items():
            text = text.replace(other, one)
        self.tokens = _tokens(text.strip())
        self.place = 0
        self.depth = 0

    @property
    def next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        """Takes the next token if it is one of these."""
        if self.next in wanted:
            self.place += 1
            return self.tokens[self.place - 1]
        return ""

    def whole(self) -> Node:
        found = self.sum()
        if self.next:
            raise ValueError(f'cannot read "{self.next}"')
        return found

    def sum(self) -> Node:
        parts = [self.product()]
        while sign := self.take("+", "-"):
            part = self.product()
            parts.append(part if sign == "+" else Node("minus", (part,)))
        return parts[0] if len(parts) == 1 else Node("sum", tuple(parts))

    def product(self) -> Node:
        found = self.factor()
        while True:
            if self.take("/"):
                found = Node("quotient", (found, self.factor()))
            elif self.take("*") or self.next in ("(", "{", "\\frac") or self.next.isalpha():
                found = Node("product", (found, self.factor()))
            else:
                return found

    def factor(self) -> Node:
        if sign := self.take("+", "-"):
            self.deeper()
            found = self.factor()
            self.depth -= 1
            return found if sign == "+" else Node("minus", (found,))
        found = self.base()
        if not self.take("^"):
            return found
        exponent = constant_of(self.factor())
        if exponent is None or exponent.denominator > 1 or abs(exponent) > _HIGHEST:
            raise ValueError(f"a power is a whole number, at most {_HIGHEST}")
        return Node("power", (found,), exponent)

    def base(self) -> Node:
        token, self.place = self.next, self.place + 1
        if token in ("(", "{"):
            self.deeper()
            found = self.sum()
            self.depth -= 1
            if not self.take(")" if token == "(" else "}"):
                raise ValueError("a bracket is not closed")
            return found
        if token == "\\frac":
            if self.next != "{":
                raise ValueError("\\frac needs two pairs of braces")
            top = self.base()
            return Node("quotient", (top, self.base()))
        if token.isalpha():
            return Node("name", name=token)
        if token[:1].isdigit() or token[:1] == ".":
            return Node("number", value=Fraction(token))
        raise ValueError(f'cannot read "{token}"' if token else "it ends too soon")

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ValueError("brackets within too many brackets")


def _tokens(text: str) -> list[str]:
    found: list[str] = []
    place = 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None or len(token[0]) > _MOST_DIGITS:
            raise ValueError(f'cannot read "{text[place : place + 20]}"')
        found.append(token[0].strip())
        place = token.end()
    return found


# -- What it is worth ------------------------------------------------------------------------------------------------------

_ONE: Polynomial = {(): Fraction(1)}


def quotient(node: Node) -> Quotient:
    """Raises `ValueError` for a division by 0, or if the result grows too large."""
    match node.kind:
        case "number":
            return Quotient({(): node.value} if node.value else {}, _ONE)
        case "name":
            return Quotient({((node.name, 1),): Fraction(1)}, _ONE)
        case "power":
            base, whole = quotient(node.parts[0]), int(node.value)
            top, bottom = base if whole >= 0 else _flipped(base)
            return Quotient(_power(top, abs(whole)), _power(bottom, abs(whole)))
        case "minus":
            inner = quotient(node.parts[0])
            return Quotient(_times(inner.top, {(): Fraction(-1)}), inner.bottom)
        case "quotient":
            top, bottom = quotient(node.parts[0]), _flipped(quotient(node.parts[1]))
            return Quotient(_times(top.top, bottom.top), _times(top.bottom, bottom.bottom))
        case "product":
            one, two = map(quotient, node.parts)
            return Quotient(_times(one.top, two.top), _times(one.bottom, two.bottom))
    total = quotient(node.parts[0])
    for part in node.parts[1:]:
        more = quotient(part)
        top = _plus(_times(total.top, more.bottom), _times(more.top, total.bottom))
        total = Quotient(top, _times(total.bottom, more.bottom))
    return total


def constant_of(node: Node) -> Fraction | None:
    """Its value, if it has no unknown."""
    top, bottom = quotient(node)
    if top.keys() - {()} or bottom.keys() - {()}:
        return None
    return top.get((), Fraction(0)) / bottom[()]


def same(one: Node, two: Node) -> bool:
    left, right = quotient(one), quotient(two)
    return _times(left.top, right.bottom) == _times(right.top, left.bottom)


def same_equation(one: Equation, two: Equation) -> bool:
    """Whether the difference of the sides of one equation is that of the other times a number other than 0, with or without
    its denominator."""
    left, right = [quotient(Node("sum", (each.left, Node("minus", (each.right,))))) for each in (one, two)]
    crossed = _times(left.top, right.bottom), _times(right.top, left.bottom)
    return _proportional(left.top, right.top) or _proportional(*crossed)


def _proportional(one: Polynomial, two: Polynomial) -> bool:
    return bool(one) and one.keys() == two.keys() and len({two[term] / one[term] for term in one}) == 1


def _flipped(value: Quotient) -> Quotient:
    if not value.top:
        raise ValueError("it divides by 0")
    return Quotient(value.bottom, value.top)


def _plus(one: Polynomial, two: Polynomial) -> Polynomial:
    total = dict(one)
    for term, factor in two.items():
        total[term] = total.get(term, Fraction(0)) + factor
    return _bounded(total)


def _times(one: Polynomial, two: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for left, factor in one.items():
        for right, other in two.items():
            powers = dict(left)
            for name, power in right:
                powers[name] = powers.get(name, 0) + power
            term = tuple(sorted(powers.items()))
            total[term] = total.get(term, Fraction(0)) + factor * other
    return _bounded(total)


def _power(base: Polynomial, exponent: int) -> Polynomial:
    total = _ONE
    for _ in range(exponent):
        total = _times(total, base)
    return total


def _bounded(total: Polynomial) -> Polynomial:
    kept = {term: factor for term, factor in total.items() if factor}
    if len(kept) > _MOST_TERMS or any(factor.numerator.bit_length() > 999 for factor in kept.values()):
        raise ValueError("too many terms, or too large numbers")
    return kept


def _degree(value: Polynomial) -> int:
    return max((sum(power for _, power in term) for term in value), default=0)


# -- Its form ----------------------------------------------------------------------------------------------------------------


def is_expanded(node: Node) -> bool:
    """Whether it is a sum of terms without brackets, with no two like terms, and with each number and unknown once per term."""
    terms = node.parts if node.kind == "sum" else (node,)
    return all(map(_is_term, terms)) and len(terms) == max(1, len(quotient(node).top))


def is_factored(node: Node) -> bool:
    """Whether it is a product of factors in which no unknown has a power above 1: x(x + 2), 3(x - 1)^2."""
    degrees = [_degree(quotient(factor).top) for factor in _factors(node)]
    return sum(degrees) > 1 and max(degrees) == 1


def is_fully_factored(node: Node) -> bool:
    """Whether it is factored and no number can be taken out of a bracket: not x(2x + 4)."""
    sums = [list(top.values()) for factor in _factors(node) if len(top := quotient(factor).top) > 1]
    whole = [[each.numerator for each in values] for values in sums if all(each.denominator == 1 for each in values)]
    return is_factored(node) and all(gcd(*values) == 1 for values in whole)


def is_solved_for(equation: Equation, name: str) -> bool:
    """Whether it is `r = ...` without r on the other side."""
    return any(
        one == Node("name", name=name) and name not in _names(other)
        for one, other in (equation, (equation.right, equation.left))
    )


def _is_term(node: Node) -> bool:
    """`3x^2y/4`, and not `3 * 4x`, `x * x`, `x^3/x` or `(2x)^2`."""
    top, bottom = _leaves(node)
    numbers = [len([leaf for leaf in leaves if leaf.kind == "number"]) for leaves in (top, bottom)]
    names = [leaf.name for leaf in top + bottom if leaf.kind == "name"]
    known = all(leaf.kind in ("number", "name") for leaf in top + bottom)
    return known and max(numbers) <= 1 and len(names) == len(set(names))


def _leaves(node: Node) -> tuple[list[Node], list[Node]]:
    """The factors and the divisors. A power of an unknown counts as the unknown."""
    match node.kind:
        case "minus":
            return _leaves(node.parts[0])
        case "power" if node.parts[0].kind == "name":
            return [node.parts[0]], []
        case "product" | "quotient":
            (top, bottom), (more, less) = map(_leaves, node.parts)
            return (top + more, bottom + less) if node.kind == "product" else (top + less, bottom + more)
    return [node], []


def _names(node: Node) -> set[str]:
    return {node.name, *(name for part in node.parts for name in _names(part))}


def _factors(node: Node) -> list[Node]:
    match node.kind:
        case "product":
            return [factor for part in node.parts for factor in _factors(part)]
        case "minus":
            return _factors(node.parts[0])
        case "power" if node.value > 0:
            return _factors(node.parts[0]) * int(node.value)
        case "quotient" if constant_of(node.parts[1]) is not None:
            return _factors(node.parts[0])
    return [node]
