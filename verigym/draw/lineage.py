"""Versions as a tree: columns are generations, and a version stands beside its parent.

The shape says what a version changes (weights, prompt or tools, constraint or harness). The fill says the last verdict of the
gate. The path of the champion is thick. A large tree folds rejected versions without children into a count.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from verigym.core.words import counted
from verigym.draw.svg import Drawing, circle, empty, fitted, group, path, rect, some, svg, text, width_of

_COLUMN, _ROW, _TOP = 176, 46, 64
_MOST = 60
"""A tree with more versions than this is folded."""
_VERDICTS = {
    "PROMOTE": ("passed fill", "promoted by the gate"),
    "REJECT": ("failed soft edge", "rejected"),
    "NEED MORE DATA": ("unsafe fill outline", "needs more data"),
    "": ("grey hollow", "not decided"),
}


_KINDS = {"base": "base", "weights": "weights", "prompt": "prompt or tools", "constraint": "harness"}
Kind = Literal["weights", "prompt", "constraint", "base"]


class Node(NamedTuple):
    id: str
    name: str
    parent: str = ""
    kind: Kind = "base"
    """What it changes: `prompt` also stands for tools, examples and skills, `constraint` for the harness."""
    verdict: str = ""
    """PROMOTE, REJECT, NEED MORE DATA or empty."""
    since: str = ""
    """Date on which it became champion, or empty."""
    champion: bool = False
    """Whether it is the champion now."""
    href: str = ""


class _Placed(NamedTuple):
    node: Node
    column: int
    row: float
    folded: int = 0
    """Above 0, this stands for so many rejected versions that are not drawn."""


def lineage(nodes: Sequence[Node], *, title: str = "", most: int = _MOST) -> Drawing:
    """The tree in natural size. A page puts it into a box that scrolls."""
    if not nodes:
        return empty(title, "no version yet")
    placed = _layout(nodes, most)
    path_ids = _champion_path(nodes)
    at = {one.node.id: one for one in placed}
    legend, legend_width = _legend([one.node for one in placed if not one.folded])
    width = max(legend_width, 24 + _COLUMN * (1 + max(one.column for one in placed)))
    height = _TOP + _ROW * max(one.row for one in placed) + 38
    body = [text(0, 16, fitted(title, width), kind="title"), *legend]
    for one in placed:
        above = at.get(one.node.parent)
        if above is not None and above is not one:
            thick = one.node.id in path_ids and above.node.id in path_ids
            body.append(_edge(above, one, thick))
    body += [_node(one, one.node.id in path_ids) for one in placed]
    hidden = sum(one.folded for one in placed)
    champion = next((f". The champion is {one.name}" for one in nodes if one.champion), "")
    words = (
        f"{title or 'Versions'}: {counted(len(nodes), 'version')}, {some((node.name for node in nodes), 8)}{champion}"
    )
    words += f". {counted(hidden, 'rejected version')} not drawn" if hidden else ""
    return svg(width, height, words, body, kind="wide", linked=any(node.href for node in nodes), top=0 if title else 20)


def _champion_path(nodes: Sequence[Node]) -> set[str]:
    """The champion and its ancestors."""
    by_id, found = {node.id: node for node in nodes}, set[str]()
    node = next((node for node in nodes if node.champion), None)
    while node is not None and node.id not in found:
        found.add(node.id)
        node = by_id.get(node.parent)
    return found


def _layout(nodes: Sequence[Node], most: int) -> list[_Placed]:
    by_id = {node.id: node for node in nodes}
    nodes = list(by_id.values())
    parents = {node.id: node.parent if node.parent in by_id and not _loops(node, by_id) else "" for node in nodes}
    children: dict[str, list[Node]] = {}
    for node in nodes:
        children.setdefault(parents[node.id], []).append(node)
    folded = _folded(nodes, parents, children) if len(nodes) > most else {}
    hidden = {id for ids in folded.values() for id in ids}
    placed: list[_Placed] = []
    next_row = 0
    rows: dict[str, float] = {}
    counts: dict[str, int] = {}
    stack = [(root, 0, False) for root in reversed(children.get("", []))]
    while stack:  # depth first without recursion, because a chain of versions can be long
        node, column, done = stack.pop()
        below = [child for child in children.get(node.id, []) if child.id not in hidden]
        count = _count(node.id, folded)
        if count:
            below.append(Node(f"{node.id} folded", "", node.id))
            counts[below[-1].id] = count
        if below and not done:
            stack.append((node, column, True))
            stack += [(child, column + 1, False) for child in reversed(below)]
            continue
        if below:
            rows[node.id] = rows[below[0].id]
        else:
            rows[node.id], next_row = float(next_row), next_row + 1
        placed.append(_Placed(node, column, rows[node.id], counts.get(node.id, 0)))
    return placed


def _count(id: str, folded: dict[str, list[str]]) -> int:
    """Hidden descendants of a version that is shown."""
    total, open_ids = 0, list(folded.get(id, []))
    while open_ids:
        one = open_ids.pop()
        total += 1
        open_ids += folded.get(one, [])
    return total


def _loops(node: Node, by_id: dict[str, Node]) -> bool:
    """Whether its line of parents never ends. No store has such a line, but a picture must not hang on one."""
    seen, at = {node.id}, by_id.get(node.parent)
    while at is not None:
        if at.id in seen:
            return True
        seen.add(at.id)
        at = by_id.get(at.parent)
    return False


def _folded(nodes: Sequence[Node], parents: dict[str, str], children: dict[str, list[Node]]) -> dict[str, list[str]]:
    """Parent to the rejected versions made from it that have no other children, from the leaves up."""
    left = {node.id: len(children.get(node.id, [])) for node in nodes}
    by_id = {node.id: node for node in nodes}
    folded: dict[str, list[str]] = {}
    open_ids = [id for id, count in left.items() if not count]
    while open_ids:
        node = by_id[open_ids.pop()]
        parent = parents[node.id]
        if node.verdict != "REJECT" or node.champion or node.since or not parent:
            continue
        folded.setdefault(parent, []).append(node.id)
        left[parent] -= 1
        if not left[parent]:
            open_ids.append(parent)
    return folded


def _xy(one: _Placed) -> tuple[float, float]:
    return 16 + _COLUMN * one.column, _TOP + _ROW * one.row + 10


def _edge(above: _Placed, one: _Placed, thick: bool) -> str:
    (x1, y1), (x2, y2) = _xy(above), _xy(one)
    bend = x2 - 22
    steps = f"M{x1:.1f} {y1:.1f}H{bend:.1f}V{y2:.1f}H{x2:.1f}" if y1 != y2 else f"M{x1:.1f} {y1:.1f}H{x2:.1f}"
    return path(steps, "passed stroke thick" if thick else "axis stroke dashed" if one.folded else "axis stroke")


def _shape(x: float, y: float, kind: str, look: str) -> str:
    if kind == "weights":
        return circle(x, y, 8, look)
    if kind == "prompt":
        return rect(x - 7.5, y - 7.5, 15, 15, look)
    if kind == "constraint":
        return path(f"M{x:.1f} {y - 9:.1f}l9 9l-9 9l-9 -9z", look)
    return path(f"M{x:.1f} {y - 9:.1f}l8.5 4.5v9l-8.5 4.5l-8.5 -4.5v-9z", look)


def _node(one: _Placed, on_path: bool) -> str:
    node, (x, y) = one.node, _xy(one)
    if one.folded:
        words = f"{one.folded:,} rejected"
        return group(f"{counted(one.folded, 'rejected version')} not drawn", [text(x + 3, y + 4, words, kind="failed")])
    look, verdict = _VERDICTS.get(node.verdict, _VERDICTS[""])
    under = _shape(x, y, node.kind, "grey hollow")  # so that no edge shows through a soft fill
    parts = [under, _shape(x, y, node.kind, look)]
    if node.champion:
        parts.append(circle(x, y, 12.5, "passed stroke"))
    parts.append(text(x + 16, y - 4, fitted(node.name, _COLUMN - 40), kind="strong" if on_path else ""))
    said = f"{node.name}: {node.kind}, {verdict}"
    if node.since:
        parts.append(text(x + 16, y + 20, fitted(f"champion {node.since}", _COLUMN - 40)))
        said += f", champion since {node.since}" if node.champion else f", became champion on {node.since}"
    elif node.champion:
        said += ", champion"
    return group(said, parts, href=node.href)


def _legend(nodes: Sequence[Node]) -> tuple[list[str], float]:
    """The shapes and fills that the tree has, in one line, and its width."""
    body, x = list[str](), 10.0
    for kind, words in _KINDS.items():
        if any(node.kind == kind for node in nodes):
            body += [_shape(x, 36, kind, "grey hollow"), text(x + 15, 40, words)]
            x += 44 + width_of(words)
    for verdict, (look, words) in _VERDICTS.items():
        if any(node.verdict == verdict for node in nodes):
            body += [rect(x - 6, 30, 12, 12, look), text(x + 15, 40, words)]
            x += 40 + width_of(words)
    return body, x
