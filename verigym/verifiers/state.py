"""Compares the end state with the expected one. The evidence is a diff: missing rows, wrong values, side effects.

    + events: Alex, Tuesday, 14:00 (missing)
    ~ tasks[3].status: open, expected done
    - side effect: emails[7] deleted

`task.data["expected_state"]` is the whole expected state, or `task.data["expected_changes"]` is a JSON patch (add, replace,
remove) of `task.data["state"]`. If the starting `state` is given, any other change is a side effect, and only the expected
changes count as matched.

Settings name paths by glob, with dots and `*` for a list index: `events`, `events.*.id`, `*.updated_at`. Lists are compared by
content and order. Rows that moved, were added or were removed do not affect the comparison of other rows.
"""

import copy
import fnmatch
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from verigym.core.codec import nested_too_deeply
from verigym.core.errors import VerifierFailure
from verigym.core.records import Json, Task, Trajectory, Verdict
from verigym.verifiers.toolcall import canonical

_LINES = 20
_CUT = 160
_PAIRED = 200
"""Maximum number of unmatched rows of a table for which similar rows are shown as one changed row."""


class StateDiff(Struct, frozen=True):
    """`StateDiff(ignore=["*.updated_at", "events.*.id"], unordered=["events"])` passes when nothing differs."""

    ignore: Sequence[str] = ()
    """Paths that are not compared."""
    unordered: Sequence[str] = ()
    """Lists whose order does not count, and tables by id (objects) whose ids do not count."""
    loose: Sequence[str] = ()
    """Values compared by meaning: `"30"` and 30, `2023-11-30T09:00` and `2023-11-30 09:00:00`, `2 PM` and `14:00`."""
    penalty: float = 0.5
    """Subtracted for each side effect: `reward = matched share - penalty x side effects`, at least -1."""

    def __call__(self, task: Task, trajectory: Trajectory) -> Verdict:
        before, expected = task.data.get("state", _NOTHING), _expected(task)
        rules = _Rules(_globs(self.ignore), _globs(self.unordered), _globs(self.loose))
        if nested_too_deeply(trajectory.end_state):
            parts = {"matched": 0.0, "side_effects": 1.0}
            return Verdict(reward=-1.0, parts=parts, evidence="the end state is nested too deeply to be compared")
        differences = list(_compare(_StatePath("", ""), before, expected, trajectory.end_state, rules))
        wrong = [each for each in differences if each.text]
        asked = [each for each in differences if not each.side_effect]
        effects = len(differences) - len(asked)
        right = sum(each.num_values for each in asked if not each.text)
        total = sum(each.num_values for each in asked)
        matched = right / total if total else 1.0
        return Verdict(
            reward=max(-1.0, matched - self.penalty * effects),
            passed=not wrong,
            parts={"matched": matched, "side_effects": float(effects)},
            evidence=_evidence(wrong) if trajectory.end_state or not wrong else f"{_EMPTY}\n{_evidence(wrong)}",
        )


_EMPTY = (
    "the end state is empty. If the environment did not clear it, its end_state(self) is missing or returns nothing"
)


def _expected(task: Task) -> Json:
    if "expected_state" in task.data:
        return task.data["expected_state"]
    if "expected_changes" in task.data and "state" in task.data:
        return _patched(task)
    raise VerifierFailure(f'task {task.id}: data needs "expected_state", or "state" and "expected_changes"')


def _patched(task: Task) -> Json:
    """Applies the expected changes to the starting state: `{"op": "add", "path": "/events/-", "value": {...}}`."""
    state = copy.deepcopy(task.data["state"])
    for change in task.data["expected_changes"]:
        try:
            *folders, last = [part.replace("~1", "/").replace("~0", "~") for part in change["path"].split("/")[1:]]
            holder = state
            for part in folders:
                holder = holder[int(part)] if isinstance(holder, list) else holder[part]
            _change(holder, last, change)
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise VerifierFailure(f"task {task.id}: the change {change} does not fit the state: {error!r}") from error
    return state


def _change(holder: Any, last: str, change: Json) -> None:
    rows = isinstance(holder, list)
    key: Any = (len(holder) if last == "-" else int(last)) if rows else last
    match change["op"]:
        case "add" if rows:
            holder.insert(key, change["value"])
        case "add":
            holder[key] = change["value"]
        case "replace":
            holder[key]  # raises if it is missing
            holder[key] = change["value"]
        case "remove":
            del holder[key]
        case other:
            raise ValueError(f'op "{other}" is not add, replace or remove')


class _Nothing:
    """The value of a key that is missing."""


_NOTHING: Any = _Nothing()


class _Rules(NamedTuple):
    ignore: re.Pattern[str]
    unordered: re.Pattern[str]
    loose: re.Pattern[str]


class _StatePath(NamedTuple):
    path: str
    """`tasks.*.status`, which globs are matched with."""
    shown: str
    """`tasks[3].status`"""

    def field(self, name: str) -> "_StatePath":
        shown = f"{self.shown}[{name}]" if name.isdigit() and self.shown else f"{self.shown}.{name}".lstrip(".")
        return _StatePath(f"{self.path}.{name}" if self.path else name, shown)

    def row(self, label: str) -> "_StatePath":
        return _StatePath(f"{self.path}.*", f"{self.shown}[{label}]")


class _StateDifference(NamedTuple):
    """A path that changed or should have changed."""

    text: str = ""
    """Empty if it changed as expected."""
    side_effect: bool = False
    num_values: int = 1
    """Number of values below the path."""


def _globs(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, patterns)) or "(?!)")


def _compare(at: _StatePath, before: Any, expected: Any, actual: Any, rules: _Rules) -> Iterator[_StateDifference]:
    if rules.ignore.match(at.path) or _raw(before) == _raw(expected) == _raw(actual):
        return
    if isinstance(expected, dict) and isinstance(actual, dict) and not rules.unordered.match(at.path):
        start = before if isinstance(before, dict) else {}
        for name in {**expected, **actual, **start}:
            old, wanted, got = (state.get(name, _NOTHING) for state in (start, expected, actual))
            yield from _compare(at.field(name), old, wanted, got, rules)
    elif isinstance(expected, list | dict) and type(expected) is type(actual):
        start = before if type(before) is type(expected) else type(expected)()
        yield from _compare_rows(at, start, expected, actual, rules)
    elif difference := _difference(at, before, expected, actual, rules):
        yield difference


def _difference(at: _StatePath, before: Any, expected: Any, actual: Any, rules: _Rules) -> _StateDifference | None:
    old, wanted, got = (_key(at.path, value, rules) for value in (before, expected, actual))
    if wanted == got:
        return None if old == wanted else _StateDifference()
    if old == wanted:  # no change was expected
        if actual is _NOTHING:
            change = f"{at.shown} deleted: {_text(expected)}"
        elif before is _NOTHING:
            change = f"{at.shown} added: {_text(actual)}"
        else:
            change = f"{at.shown}: {_text(before)} became {_text(actual)}"
        return _StateDifference(f"- side effect: {change}", side_effect=True)
    if expected is _NOTHING:
        return _StateDifference(f"~ {at.shown}: {_text(actual)} is still there, expected deleted")
    if actual is _NOTHING:
        return _StateDifference(f"+ {at.shown}: {_text(expected)} (missing)", num_values=_leaves(expected))
    return _StateDifference(f"~ {at.shown}: {_text(actual)}, expected {_text(expected)}", num_values=_leaves(expected))


def _raw(value: Any) -> bytes:
    if value is _NOTHING:
        return b""
    try:
        return msgspec.json.encode(value, order="sorted")
    except UnicodeEncodeError:  # a lone surrogate, which UTF-8 cannot encode
        return json.dumps(value, sort_keys=True).encode()


def _key(path: str, value: Any, rules: _Rules) -> bytes:
    """The content of a value. Values that count as equal have the same key."""
    return _raw(value if value is _NOTHING else _content(path, value, rules))


def _content(path: str, value: Any, rules: _Rules) -> Any:
    if isinstance(value, dict) and not rules.unordered.match(path):
        paths = {name: f"{path}.{name}" if path else name for name in value}
        return {
            name: _content(paths[name], value[name], rules) for name in value if not rules.ignore.match(paths[name])
        }
    if isinstance(value, list | dict):
        inner = value.values() if isinstance(value, dict) else value
        rows = [] if rules.ignore.match(f"{path}.*") else [_content(f"{path}.*", row, rules) for row in inner]
        return sorted(rows, key=_raw) if rules.unordered.match(path) else rows
    if rules.loose.match(path):
        return canonical(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


class _TableRow(NamedTuple):
    label: str
    value: Any
    key: bytes


def _compare_rows(at: _StatePath, before: Any, expected: Any, actual: Any, rules: _Rules) -> Iterator[_StateDifference]:
    """Matches equal rows first, at any position, then the most similar of the others, which are shown as changed. The remaining
    rows were added, deleted or are missing."""
    keys: dict[bytes, bytes] = {}
    old, wanted, got = (_rows(at, table, rules, keys) for table in (before, expected, actual))
    if isinstance(expected, list) and not rules.unordered.match(at.path):
        yield from _compare_order(at, old, wanted, got)
    both, wanted, got = _cancel(wanted, got)
    _, both, old = _cancel(both, old)
    kept, wanted_new, old_left = _cancel(wanted, old)
    unchanged, got_new, old_left = _cancel(got, old_left)

    def pairs(ones: list[_TableRow], others: list[_TableRow]) -> list[tuple[_TableRow, _TableRow]]:
        similar = _alike(ones, others)
        for one, other in similar:
            ones.remove(one)
            others.remove(other)
        return similar

    def compare(row: _TableRow, start: Any, expected: Any, actual: Any) -> Iterator[_StateDifference]:
        return _compare(at.row(row.label), start, expected, actual, rules)

    for one, row in pairs(both, old_left):  # changed as expected
        yield from compare(row, row.value, one.value, one.value)
    for row in both:  # added as expected
        yield from compare(row, _NOTHING, row.value, row.value)
    for one, other in pairs(kept, got_new):  # changed, which is a side effect
        yield from compare(other, one.value, one.value, other.value)
    for one, other in pairs(wanted_new, unchanged):  # not changed
        yield from compare(other, other.value, one.value, other.value)
    for one, other in pairs(wanted_new, got_new):  # changed, or added, in another way
        start = next((row.value for _, row in pairs([one], old_left)), _NOTHING)
        yield from compare(other, start, one.value, other.value)
    for row in kept:
        yield from compare(row, row.value, row.value, _NOTHING)
    for row in wanted_new:  # missing, so it has no index in the actual table
        yield _StateDifference(f"+ {at.shown}: {_text(row.value)} (missing)", num_values=_leaves(row.value))
    for row in unchanged:
        yield from compare(row, row.value, _NOTHING, row.value)
    for row in got_new:
        yield from compare(row, _NOTHING, _NOTHING, row.value)
    for _ in old_left:  # deleted as expected
        yield _StateDifference()


def _rows(at: _StatePath, table: Any, rules: _Rules, keys: dict[bytes, bytes]) -> list[_TableRow]:
    """`keys` is a cache: most rows are the same in all three states."""
    inside = at.row("").path
    if rules.ignore.match(inside):
        return []
    rows: list[_TableRow] = []
    for label, value in table.items() if isinstance(table, dict) else enumerate(table):
        raw = _raw(value)
        if raw not in keys:
            keys[raw] = _key(inside, value, rules)
        rows.append(_TableRow(str(label), value, keys[raw]))
    return rows


def _cancel(ones: list[_TableRow], others: list[_TableRow]) -> tuple[list[_TableRow], list[_TableRow], list[_TableRow]]:
    """Rows of `others` that have an equal row in `ones`, and the remaining rows of both."""
    waiting: dict[bytes, list[_TableRow]] = {}
    for row in reversed(others):
        waiting.setdefault(row.key, []).append(row)
    equal: list[_TableRow] = []
    left: list[_TableRow] = []
    for row in ones:
        if waiting.get(row.key):
            equal.append(waiting[row.key].pop())
        else:
            left.append(row)
    taken = {id(row) for row in equal}
    return equal, left, [row for row in others if id(row) not in taken]


def _compare_order(
    at: _StatePath, old: list[_TableRow], wanted: list[_TableRow], got: list[_TableRow]
) -> Iterator[_StateDifference]:
    index = {id(row): number for number, row in enumerate(got)}
    indexes = [index[id(row)] for row in _cancel(wanted, got)[0]]
    if indexes != sorted(indexes):
        effect = [row.key for row in old] == [row.key for row in wanted]
        sign = "- side effect:" if effect else "~"
        yield _StateDifference(f"{sign} {at.shown}: in another order", side_effect=effect)


def _alike(ones: list[_TableRow], others: list[_TableRow]) -> list[tuple[_TableRow, _TableRow]]:
    """Pairs of objects in which at least half the fields are equal, the most similar first."""
    if not ones or not others or len(ones) > _PAIRED or len(others) > _PAIRED:
        return []
    left, right = ([json.loads(row.key) for row in rows] for rows in (ones, others))
    scores = [
        (-score, i, j)
        for i, one in enumerate(left)
        for j, other in enumerate(right)
        if (score := _likeness(one, other)) >= 0.5
    ]
    pairs: dict[int, int] = {}
    for _, i, j in sorted(scores):
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return [(ones[i], others[j]) for i, j in pairs.items()]


def _likeness(one: Any, other: Any) -> float:
    if not isinstance(one, dict) or not isinstance(other, dict):
        return 0.0
    return sum(name in other and other[name] == value for name, value in one.items()) / max(len(one), len(other), 1)


def _text(value: Any) -> str:
    inner = list(value.values()) if isinstance(value, dict) else value
    if isinstance(inner, list):
        text = ", ".join(_text(each) for each in inner[:20]) or "nothing"
    else:
        text = value if isinstance(value, str) else _raw(value).decode()
    return text if len(text) <= _CUT else f"{text[:_CUT]}…"


def _leaves(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(_leaves, inner)) or 1


def _evidence(wrong: list[_StateDifference]) -> str:
    lines = [each.text[: 3 * _CUT] for each in wrong[:_LINES]]
    lines += [f"… and {len(wrong) - _LINES} more differences"] if len(wrong) > _LINES else []
    return "\n".join(lines) or "the end state is as expected"
