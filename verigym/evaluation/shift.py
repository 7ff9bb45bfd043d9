"""Kinds of shift: how a held-out task differs from the training tasks, for `verigym eval --by shift`.

A held-out task can have a new wording, new values, or a new sequence of tools. One success rate mixes these, and each calls for
other training data. The gold solutions say what the values are: the arguments of their calls. Tasks whose gold solution has
no calls have no kind of shift. It is only reported. No gate uses it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from verigym.core.errors import Refused
from verigym.core.records import FunctionCall, Json, Task
from verigym.evaluation.suites import family_of
from verigym.harness.environment import EnvironmentSpec
from verigym.tasks.near_duplicates import text_of

SEEN_WORDING, NEW_WORDING = "wording of training", "new wording"
SEEN_VALUES, NEW_VALUES, NO_VALUES = "values of training", "new values", "no values"
SEEN_TOOLS, NEW_TOOLS = "sequence of tools of training", "new sequence of tools"
_VALUE = "□"
_NUMBER = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|"
    r"nineteen|twenty|thirty|forty|fifty|\d[\d:.]*)(?:-(?:one|two|three|four|five|six|seven|eight|nine))?"
)
_PART = r"(?: in the (?:morning|afternoon|evening)| at night)"
_SPOKEN = re.compile(
    r"\b(?:(?:on )?(?:the day (?:after|before) )?(?:(?:next|this|the|coming) )*(?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    rf"(?:the day after )?tomorrow|today|in {_NUMBER} days?|"
    rf"(?:half an|a quarter of an|three quarters of an|an|{_NUMBER}) hours?(?: and a half| (?:and )?{_NUMBER} minutes)?|"
    rf"{_NUMBER} min(?:utes)?|(?:half|(?:a )?quarter|{_NUMBER}) (?:past|to) {_NUMBER}{_PART}?|"
    rf"{_NUMBER}(?: {_NUMBER}| o'clock)?{_PART}|\d[\d:.]* ?[ap]\.?m\b|\d[\d:.]*|noon|midday)"
)
"""Days, times and numbers. Their argument is worked out, so it need not stand in the request."""
_CLAUSE = re.compile(r"[.!?:;,]+(?:\s|$)")
_MIN_WORDS = 3
"""Shorter clauses, such as a greeting, are not a wording."""


class _Seen(Struct):
    """What the training tasks have."""

    families: set[str]
    clauses: set[str]
    values: set[tuple[str, str]]
    sequences: set[tuple[str, ...]]


def shifts(environment: EnvironmentSpec, tasks: Iterable[Task]) -> dict[str, list[str]]:
    """Task id to the kinds of shift: that of wording and values, and that of the sequence of tools if some task has several
    calls. The training tasks are those of the environment, so `toolcall?train=grammar` can give another answer."""
    calls = {task.id: _calls(environment, task) for task in tasks}
    if not any(calls.values()):
        raise Refused(
            f"{environment.name}: the gold solutions of these tasks have no tool calls, so the kind of shift is not known. "
            "Use --by family or --by tag"
        )
    training = environment.tasks("train")
    if not training:
        raise Refused(
            f"{environment.name} has no training tasks to compare with. Name them: TRAIN.jsonl,HELD_OUT.jsonl"
        )
    seen = _Seen(set(), set(), set(), set())
    for task in training:
        own = _calls(environment, task)
        seen.families.add(family_of(task))
        seen.clauses.update(_clauses(task, own))
        seen.values.update(_values(own))
        seen.sequences.add(_sequence(own))
    several = any(len(own) > 1 for own in calls.values())
    return {task.id: _kinds(task, calls[task.id], seen, several) for task in tasks if calls[task.id]}


def copied_arguments(environment: EnvironmentSpec) -> list[str]:
    """Names of the arguments that the gold solutions of all training tasks copy from the request. A name that means something
    else in another tool, or a value that is worked out there, does not count."""
    copied: dict[str, bool] = {}
    for task in environment.tasks("train"):
        text = text_of(task)
        for name, value in _values(_calls(environment, task)):
            copied[name] = copied.get(name, True) and value in text
    texts = {
        name
        for tool in environment.tools
        for name, schema in tool.parameters.get("properties", {}).items()
        if schema.get("type") in ("string", "array") and "enum" not in schema
    }
    found = sorted(name for name, always in copied.items() if always and name in texts)
    if not found:
        raise Refused(
            f"{environment.name}: no argument is copied from the request in every training task. Name arguments: "
            "--constrain copy:name,company"
        )
    return found


def _kinds(task: Task, calls: Sequence[FunctionCall], seen: _Seen, several: bool) -> list[str]:
    clauses = [*_clauses(task, calls)]
    known = family_of(task) in seen.families or (bool(clauses) and all(clause in seen.clauses for clause in clauses))
    values = set(_values(calls))
    kinds = [
        f"{SEEN_WORDING if known else NEW_WORDING}, "
        f"{NO_VALUES if not values else SEEN_VALUES if values <= seen.values else NEW_VALUES}"
    ]
    return [*kinds, SEEN_TOOLS if _sequence(calls) in seen.sequences else NEW_TOOLS] if several else kinds


def _calls(environment: EnvironmentSpec, task: Task) -> list[FunctionCall]:
    replies = environment.gold_replies(task)
    return [item for reply in replies if not isinstance(reply, str) for item in reply if isinstance(item, FunctionCall)]


def _sequence(calls: Iterable[FunctionCall]) -> tuple[str, ...]:
    return tuple(call.name for call in calls)


def _values(calls: Iterable[FunctionCall]) -> Iterator[tuple[str, str]]:
    """Name and value of each argument."""
    for call in calls:
        arguments: Json = msgspec.json.decode(call.arguments or "{}")
        for name, value in arguments.items():
            yield from ((name, text) for text in _leaves(value))


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    elif value is not None:
        yield str(value).casefold()


def _clauses(task: Task, calls: Iterable[FunctionCall]) -> Iterator[str]:
    """The clauses of the request that hold values, with a mark in place of each value. All clauses, if it has no values."""
    text, values = text_of(task), {value for _, value in _values(calls)}
    for value in sorted(values, key=lambda value: (-len(value), value)):
        text = text if _SPOKEN.fullmatch(value) else _marked(text, value)
    clauses = [
        clause.strip(" \"'") for clause in _CLAUSE.split(_SPOKEN.sub(_VALUE, text)) if len(clause.split()) >= _MIN_WORDS
    ]
    yield from [clause for clause in clauses if _VALUE in clause] if values else clauses


def _marked(text: str, value: str) -> str:
    """The text with the mark wherever the value stands as words of its own."""
    start = text.find(value) if value else -1
    while start >= 0:
        end = start + len(value)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            text, end = text[:start] + _VALUE + text[end:], start + len(_VALUE)
        start = text.find(value, end)
    return text
