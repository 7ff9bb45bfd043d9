"""Finds chat templates that write each message by itself, so that the middle of a long conversation need not be rendered again.

In a local template, the text of a message depends on that message, its two neighbours, the first message, the tools, and on
whether it is the first or the last. It depends on no id of a call. So messages that are no neighbours can be left out:

    a b c d e f | g h      what is written for f, g and h is the same as for
    a b     e f | g h

The template is a program. It is local if it consists only of parts that cannot carry anything from one message to another.
Every part that is not known makes it not local: the template is then rendered on the whole conversation.
"""

from typing import Any

_PARTS = {
    "Template", "Output", "TemplateData", "If", "Not", "Getitem", "Compare", "Operand", "CondExpr", "Concat", "Add",
    "Sub", "Neg", "List", "Tuple", "Dict", "Pair", "Keyword", "Slice",
}  # fmt: skip
"""Parts that only compute and write."""
_FILTERS = {"tojson", "trim", "upper", "lower", "string", "default", "replace", "length", "items", "safe"}
_TESTS = {
    "defined", "undefined", "none", "string", "mapping", "iterable", "sequence", "true", "false", "boolean", "number",
    "equalto", "eq", "ne", "in",
}  # fmt: skip
_METHODS = {
    "startswith",
    "endswith",
    "strip",
    "lstrip",
    "rstrip",
    "split",
    "rsplit",
    "replace",
    "get",
    "items",
    "upper",
    "lower",
}
_IDS = {"id", "tool_call_id", "call_id"}
_FIRST = (("loop.first",), ("loop.index0", "eq", 0))
_LATER = (("not", "loop.first"), ("loop.index0", "ne", 0), ("loop.index0", "gt", 0))
"""Conditions on the place of a message, as `_condition` writes them."""


def is_local(source: Any) -> bool:
    """Whether a template is local. False if that is not sure."""
    from jinja2 import Environment, TemplateError

    if not isinstance(source, str):  # several templates
        return False
    try:
        parsed = Environment(extensions=["jinja2.ext.loopcontrols"]).parse(source)
    except TemplateError:  # it needs an extension of transformers
        return False
    check = _Check()
    return check.fits(parsed, 0) and check.loops == 1


class _Check:
    def __init__(self) -> None:
        self.loops = 0
        """Loops over the messages."""

    def fits(self, node: Any, depth: int, later: bool = False) -> bool:
        """Whether a part is allowed, in so many loops. `later`: it is not computed for the first message."""
        kind, children = type(node).__name__, node.iter_child_nodes()
        if _condition(node) in _FIRST + _LATER or _path(node) in ("loop.first", "loop.last"):
            return True
        if kind in ("And", "Or"):
            return self.fits(node.left, depth, later) and self.fits(
                node.right, depth, later or _guards(node.left, kind)
            )
        if kind == "Getitem" and _path(node.node) == "messages":
            return _is_neighbour(node.arg, depth, later)
        if kind == "For":
            return self._loop(node, depth, later)
        allowed = {
            "Name": lambda: node.name not in ("messages", "loop"),
            "Getattr": lambda: node.attr not in _IDS,
            "Const": lambda: node.value not in _IDS,
            "Assign": lambda: type(node.target).__name__ == "Name",
            "Filter": lambda: node.name in _FILTERS and node.node is not None,
            "Test": lambda: node.name in _TESTS,
            "Call": lambda: type(node.node).__name__ == "Getattr" and node.node.attr in _METHODS,
        }
        known = allowed[kind]() if kind in allowed else kind in _PARTS
        return known and all(self.fits(child, depth, later) for child in children)

    def _loop(self, node: Any, depth: int, later: bool) -> bool:
        if node.test is not None or node.else_ or node.recursive:
            return False
        parts = [node.target, *node.body]
        if _path(node.iter) == "messages":
            self.loops += 1
            return depth == 0 and all(self.fits(part, 1) for part in parts)
        return all(self.fits(part, depth + 2, later) for part in [node.iter, *parts])


def _path(node: Any) -> str:
    """`loop.first` for the attribute `first` of `loop`. Empty for anything that is not a name with attributes."""
    kind = type(node).__name__
    if kind == "Getattr":
        inner = _path(node.node)
        return inner and f"{inner}.{node.attr}"
    return node.name if kind == "Name" else ""


def _condition(node: Any) -> tuple[Any, ...]:
    """A condition on the place of a message in words. Empty for other parts."""
    kind = type(node).__name__
    if kind == "Not":
        return ("not", _path(node.node))
    if kind == "Compare" and len(node.ops) == 1 and type(node.ops[0].expr).__name__ == "Const":
        return (_path(node.expr), node.ops[0].op, node.ops[0].expr.value)
    return (_path(node),)


def _guards(node: Any, kind: str) -> bool:
    """Whether what follows this part after `and` or `or` is never computed for the first message."""
    if type(node).__name__ == kind:
        return _guards(node.left, kind) or _guards(node.right, kind)
    return _condition(node) in (_LATER if kind == "And" else _FIRST)


def _is_neighbour(index: Any, depth: int, later: bool) -> bool:
    """`0`, or `loop.index0 + 1` directly in the loop over the messages, or `loop.index0 - 1` if that is not the last one."""
    kind = type(index).__name__
    if kind == "Const":
        return index.value == 0
    near = kind == "Add" or (kind == "Sub" and later)
    return near and depth == 1 and _path(index.left) == "loop.index0" and getattr(index.right, "value", None) == 1
