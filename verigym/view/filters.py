"""Filters of the episodes of one run, as SQL conditions and as the parts of an address.

    ?outcome=failed&family=mail&reward=0..0.5&stop=max_turns&q=refund

Each filter is one condition on `trajectories t` and `verdicts v`. Nothing that a visitor typed is put into the SQL itself.
"""

import re
from collections.abc import Collection
from typing import NamedTuple

import msgspec

from verigym.core.errors import BadInput
from verigym.core.records import Fault, Stop
from verigym.view.page import Link, Query, url

_UNSAFE = (
    "(coalesce(instr(v.body, CAST('\"unsafe\":true' AS BLOB)), 0) > 0 "
    'OR instr(t.body, CAST(\'"kind":"unsafe"\' AS BLOB)) > 0)'
)
_SCORED = "t.fault IN ('', 'model') AND v.reward IS NOT NULL"
_OUTCOMES = {
    "passed": f"{_SCORED} AND v.passed = 1 AND NOT {_UNSAFE}",
    "failed": f"{_SCORED} AND v.passed = 0",
    "partial": f"{_SCORED} AND v.passed = 0 AND v.reward > 0",
    "unsafe": f"{_SCORED} AND {_UNSAFE}",
    "error": f"NOT ({_SCORED})",
}
_RANGE = re.compile(r"\s*(-?[\d.]+(?:e-?\d+)?)?\s*\.\.\s*(<?)\s*(-?[\d.]+(?:e-?\d+)?)?\s*", re.IGNORECASE)
NAMES = ("outcome", "bucket", "fault", "family", "tag", "task", "reward", "stop", "changed", "q")
"""Parameters that choose episodes, in the order in which they are shown."""
_SAID = {
    "changed": "verdict differs from",
    "q": "text",
}


class Chosen(NamedTuple):
    """The filters of a request."""

    given: dict[str, str]
    """Parameter to value, without empty ones."""
    where: str
    """Conditions that begin with AND, or nothing."""
    params: list[object]

    def __bool__(self) -> bool:
        return bool(self.given)


def choose(query: Query, run: str, ids_of_bucket: Collection[str] | None = None) -> Chosen:
    """The conditions of a request on a run. `ids_of_bucket` are the episodes of the bucket that it names."""
    given = {name: query.get(name) for name in NAMES if query.get(name)}
    where: list[str] = []
    params: list[object] = []

    def add(condition: str, *values: object) -> None:
        where.append(condition)
        params.extend(values)

    if "outcome" in given:
        add(_OUTCOMES[query.choice("outcome", "", *_OUTCOMES)])
    if "bucket" in given:
        add("t.id IN (SELECT value FROM json_each(?))", msgspec.json.encode(sorted(ids_of_bucket or ())).decode())
    if "fault" in given:
        fault = query.choice("fault", "", *(one.value for one in Fault))
        add("(t.fault = ? OR v.fault = ?)", fault, fault)
    if "family" in given:
        family = given["family"]
        named = "json_extract(CAST(body AS TEXT), '$.family')"
        add(
            f"t.task IN (SELECT id FROM tasks WHERE run = ? AND instr(body, ?) > 0 AND {named} = ? "
            f"UNION SELECT id FROM tasks WHERE run = ? AND id = ? AND coalesce({named}, '') = '')",
            run, msgspec.json.encode(family), family, run, family,
        )  # fmt: skip
    if "tag" in given:
        add(
            "t.task IN (SELECT tasks.id FROM tasks, json_each(CAST(tasks.body AS TEXT), '$.tags') "
            "WHERE tasks.run = ? AND json_each.value = ?)",
            run,
            given["tag"],
        )
    if "task" in given:
        add("t.task = ?", given["task"])
    if "reward" in given:
        low, high, below = reward_range(given["reward"])
        if low is not None:
            add("v.reward >= ?", low)
        if high is not None:
            add("v.reward < ?" if below else "v.reward <= ?", high)
    if "stop" in given:
        stop = query.choice("stop", "", *(one.value for one in Stop))
        written = "coalesce(json_extract(CAST(t.body AS TEXT), '$.stop'), 'done') = ?"
        if stop == Stop.DONE.value:
            add(written, stop)
        else:  # most bodies are dismissed without being parsed
            add(f"instr(t.body, ?) > 0 AND {written}", f'"stop":"{stop}"'.encode(), stop)
    if "changed" in given:
        add(
            "EXISTS (SELECT 1 FROM verdicts o WHERE o.trajectory = t.id AND o.verifier = ? AND o.run = t.run "
            "AND (o.passed != v.passed OR o.reward IS NOT v.reward))",
            given["changed"],
        )
    if "q" in given:
        add("instr(t.body, ?) > 0", as_stored(given["q"]))
    return Chosen(given, "".join(f" AND ({condition})" for condition in where), params)


def as_stored(text: str) -> bytes:
    """A text as it is written inside the stored JSON."""
    try:
        return msgspec.json.encode(text)[1:-1]
    except UnicodeEncodeError:  # half a surrogate pair, which no stored text contains
        raise BadInput("The text to search for has a character that no stored text can have") from None


def reward_range(text: str) -> tuple[float | None, float | None, bool]:
    """`0.2..0.5` includes both ends, `0.2..<0.5` not the upper one. An end may be left out."""
    match = _RANGE.fullmatch(text)
    try:
        if match is None:
            raise ValueError
        low, high = (float(end) if end else None for end in (match[1], match[3]))
    except ValueError:
        raise BadInput(f'"reward" must be a range such as 0..0.5, and is "{text[:40]}"') from None
    return low, high, match[2] == "<"


def parts_to_drop(path: str, id: str, query: Query) -> list[Link]:
    """Each filter of the request with the address of the page without it."""
    return [
        Link(
            f"{_SAID.get(name, name)}: {query.get(name)}", url(path, id, **query.with_(**{name: None}, **WITHOUT_PLACE))
        )
        for name in NAMES
        if query.get(name)
    ]


WITHOUT_PLACE: dict[str, None] = {"after": None, "before": None, "page": None, "found": None}
"""Changes of an address that go back to the first page of a list."""
