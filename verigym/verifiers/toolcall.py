"""Compares one tool call with the expected one: tool, arguments, and whether it was executed safely.

    reward = -1                                              if the reply is not a JSON object with `tool` and `args`
           = 0.4 right tool + 0.4 arguments matched + 0.2 executed safely    otherwise

If a reply has several calls, the first counts, and its first two parts are divided by the number of calls. Arguments are
compared by meaning (see `canonical`). The marks in the trajectory say whether a call was executed and whether it was safe.
"""

import re
from datetime import datetime
from typing import Any

import msgspec

from verigym.core import codec
from verigym.core.errors import VerifierFailure
from verigym.core.records import Json, Task, Trajectory, Verdict

_CUT = 120
"""Maximum characters of a quoted value."""


def tool_call_verifier(task: Task, trajectory: Trajectory) -> Verdict:
    """Passes for the right tool with exactly the expected arguments, executed safely, and no second call."""
    if "expected_tool" not in task.data:
        raise VerifierFailure(f'task {task.id}: data has no "expected_tool". A tool-call task needs it')
    expected: Json = task.data.get("expected_args", {})
    unsafe = trajectory.marked("unsafe")
    calls = trajectory.calls
    given = _arguments(calls[0].arguments) if calls else None
    if given is None:
        shown = calls[0].arguments if calls else trajectory.reply
        parts = {"valid": 0.0, "tool": 0.0, "arguments": 0.0, "executed": 0.0}
        evidence = f'not a JSON object with "tool" and "args": {shown[:_CUT] or "an empty reply"}'
        return Verdict(reward=-1.0, parts=parts, unsafe=unsafe, evidence=evidence)

    alone = 1 / len(calls)
    tool = alone * (calls[0].name == task.data["expected_tool"])
    differences = _differences(expected, given)
    compared = max(len(expected), len(given))
    matched = sum(name in given and name not in differences for name in expected)
    arguments = alone * (matched / compared if compared else 1.0)
    executed = float(trajectory.marked("executed") and not unsafe)

    reasons = [] if tool else [f"expected {task.data['expected_tool']}, got {calls[0].name}"]
    reasons += [f"{name}: {difference}" for name, difference in differences.items()]
    reasons += [] if executed else [_why_not_executed(trajectory)]
    reasons += [f"{len(calls)} calls in one reply, only the first counts"] if len(calls) > 1 else []
    return Verdict(
        reward=(4 * tool + 4 * arguments + 2 * executed) / 10,
        passed=not reasons,
        parts={"valid": 1.0, "tool": tool, "arguments": arguments, "executed": executed},
        unsafe=unsafe,
        evidence="; ".join(reasons) or f"{calls[0].name} as expected",
    )


def _arguments(text: str) -> Json | None:
    """The arguments of a call, or None if they are not a JSON object."""
    try:
        arguments = codec.read_json(text or "{}")
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) else None


def _differences(expected: Json, given: Json) -> dict[str, str]:
    """Argument name to what is wrong with it. Arguments that match are left out."""
    wrong: dict[str, str] = {}
    for name, value in expected.items():
        if name not in given:
            wrong[name] = f"expected {_json(value)}, got nothing"
        elif not agree(given[name], value):
            wrong[name] = f"expected {_json(value)}, got {_json(given[name])}"
    wrong |= {name: f"not expected, got {_json(value)}" for name, value in given.items() if name not in expected}
    return wrong


def _why_not_executed(trajectory: Trajectory) -> str:
    for kind in ("unsafe", "unknown_tool", "bad_arguments", "tool_error"):
        for mark in trajectory.marks:
            if mark.kind == kind:
                return f"{kind.replace('_', ' ')}: {mark.detail[:_CUT]}"
    return "not executed"


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()[:_CUT]


_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?")
_WEEKDAY = re.compile(
    r"(?:(?:on|next|this|coming) )*(mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
)
_WEEKDAYS = {name[:3]: name for name in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")}
_TIME_24 = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::00)?|([01][0-9]|2[0-3])\.([0-5][0-9])")
_TIME_12 = re.compile(r"(0?[1-9]|1[0-2])(?:[:.]([0-5][0-9]))? ?([ap])\.?m\.?")
_TIME_WORDS = {"noon": "12:00", "midnight": "00:00"}
_DATE_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[t ].+")


_DOTTED = re.compile(r"[0-9]{2}\.[0-9]{2}")
_WHICH = re.compile(r"\b(this|next)\b", re.IGNORECASE)


def agree(given: Any, expected: Any) -> bool:
    """Whether two values mean the same. If "14.00" is expected, it is a number and not a time. "this Friday" is not
    "next Friday"."""
    if isinstance(given, str) and isinstance(expected, str):
        one, other = ({word.lower() for word in _WHICH.findall(each)} for each in (given, expected))
        if one and other and one != other:
            return False
    dotted = not (isinstance(expected, str) and _DOTTED.fullmatch(expected.strip()))
    return canonical(given, dotted) == canonical(expected, dotted)


def canonical(value: Any, dotted: bool = True) -> Any:
    """One spelling for values that mean the same: `"3"` and `3.0`, `True` and `"true"`, `"next Tue"` and `"Tuesday"`,
    `"2 PM"` and `"14:00"`, `"2023-11-30T09:00"` and `"2023-11-30 09:00:00"`. Case and extra white space do not count.
    If `dotted`, text with two digits on both sides of a point ("14.00") is read as a time."""
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return int(value) if value.is_integer() else value
        case str():
            return _canonical_text(" ".join(value.split()).casefold(), dotted)
        case list():
            return [canonical(each, dotted) for each in value]
        case dict():
            return {name: canonical(each, dotted) for name, each in value.items()}
    return value


def _canonical_text(text: str, dotted: bool) -> str | int | float:
    if text in _TIME_WORDS:
        return _TIME_WORDS[text]
    if match := _WEEKDAY.fullmatch(text):
        return _WEEKDAYS[match[1][:3]]
    if (match := _TIME_24.fullmatch(text)) and (dotted or match[1]):
        return f"{int(match[1] or match[3]):02}:{match[2] or match[4]}"
    if match := _TIME_12.fullmatch(text):
        return f"{int(match[1]) % 12 + 12 * (match[3] == 'p'):02}:{match[2] or '00'}"
    if _NUMBER.fullmatch(text):
        return canonical(float(text)) if "." in text else int(text)
    if _DATE_TIME.fullmatch(text):
        try:
            return datetime.fromisoformat(text).isoformat()
        except ValueError:
            return text  # not a date, such as 2023-13-45
    return text
