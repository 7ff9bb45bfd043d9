"""Scores calls of functions that a task offers: the right functions with exactly the values of the request, or no call.

Values are compared by type: an integer is not text, and 3.0 is not an integer. Case and extra white space of texts do not
count. An optional argument with its stated default counts as left out. The order of several calls does not count.
"""

import re
from typing import Any

import msgspec

from verigym.core import codec
from verigym.core.records import FunctionCall, Json, Task, Trajectory, Verdict

_CUT = 120
"""Maximum characters of a quoted value."""
_DECLINES = re.compile(r"\b(no|not|none|nothing|cannot|unable|sorry|neither|lack|beyond|outside)\b|n['’]t\b")
"""A word by which a reply says that it cannot be done."""


def functions_verifier(task: Task, trajectory: Trajectory) -> Verdict:
    """Passes if the calls of the reply are the expected ones. If none is expected, it passes for
    words that say so."""
    expected: list[Json] = task.data["calls"]
    given = trajectory.calls
    if not expected:
        return _no_call(task, trajectory)
    if not given:
        parts = {"called": 0.0, "function": 0.0, "arguments": 0.0}
        return Verdict(reward=0.0, parts=parts, evidence=f"no call: {trajectory.reply[:_CUT] or 'an empty reply'}")
    schemas = {tool["name"]: tool["parameters"] for tool in task.data["tools"]}
    scores, reasons = _matched(expected, given, schemas)
    # A call that nothing asks for counts like one that is missing.
    num_calls = max(len(expected), len(given))
    function, arguments = (sum(score[part] for score in scores) / num_calls for part in (0, 1))
    if len(given) != len(expected):
        reasons.append(f"{len(given)} calls, expected {len(expected)}")
    refused = [mark for mark in trajectory.marks if mark.kind in ("unknown_tool", "bad_arguments")]
    reasons += [f"{mark.kind.replace('_', ' ')}: {mark.detail[:_CUT]}" for mark in refused[:1]]
    reward = 1.0 if not reasons else 0.1 + 0.3 * function + 0.4 * arguments
    return Verdict(
        reward=reward,
        passed=not reasons,
        parts={"called": 1.0, "function": function, "arguments": arguments},
        evidence="; ".join(reasons) or "the calls are right",
    )


def _no_call(task: Task, trajectory: Trajectory) -> Verdict:
    reply = " ".join(trajectory.reply.split()).casefold()
    called = bool(trajectory.calls)
    words = ""
    if called:
        words = f"{trajectory.calls[0].name} was called, but no function fits"
    elif not reply:
        words = "the reply is empty"
    elif " ".join(str(task.prompt).split()).casefold() in reply:
        words = "the reply repeats the request"
    elif not _DECLINES.search(reply):
        words = f"no function fits, but the reply does not say so: {trajectory.reply[:_CUT]}"
    passed = not words
    evidence = words or "no function fits, and the reply says so"
    return Verdict(reward=float(passed), passed=passed, parts={"called": float(called)}, evidence=evidence)


def _matched(
    expected: list[Json], given: list[FunctionCall], schemas: dict[str, Json]
) -> tuple[list[tuple[float, float]], list[str]]:
    """For each expected call its best unused call: whether the function is right, the share of right arguments, and what is
    wrong."""
    unused = list(given)
    scores: list[tuple[float, float]] = []
    reasons: list[str] = []
    for call in expected:
        if not unused:
            scores.append((0.0, 0.0))
            continue
        rated = [(*_scored(call, each, schemas), each) for each in unused]
        function, share, wrong, best = max(rated, key=lambda rate: rate[:2])
        unused.remove(best)
        scores.append((function, share))
        reasons += wrong
    return scores, reasons


def _scored(call: Json, given: FunctionCall, schemas: dict[str, Json]) -> tuple[float, float, list[str]]:
    if given.name != call["name"]:
        return 0.0, 0.0, [f"expected {call['name']}, got {given.name}"]
    arguments = _arguments(given.arguments)
    if arguments is None:
        return 1.0, 0.0, [f"the arguments of {given.name} are not a JSON object"]
    wrong = list(_differences(call["arguments"], arguments, schemas.get(given.name, {}), ""))
    wanted = len(call["arguments"])
    share = max(0.0, 1 - len(wrong) / wanted) if wanted else float(not wrong)
    return 1.0, share, wrong


def _arguments(text: str) -> Json | None:
    """The arguments of a call, or None if they are not a JSON object."""
    try:
        arguments = codec.read_json(text or "{}")
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) else None


def _differences(expected: Json, given: Json, schema: Json, where: str) -> list[str]:
    """What is wrong, one line for each argument."""
    properties: Json = schema.get("properties", {})
    wrong: list[str] = []
    for name, value in expected.items():
        if name not in given:
            wrong.append(f"{where}{name}: expected {_json(value)}, got nothing")
        elif isinstance(value, dict) and isinstance(given[name], dict):
            wrong += _differences(value, given[name], properties.get(name, {}), f"{where}{name}.")
        elif not _same(value, given[name], properties.get(name, {})):
            wrong.append(f"{where}{name}: expected {_json(value)}, got {_json(given[name])}")
    for name, value in given.items():
        if name not in expected and not _is_default(value, properties.get(name, {})):
            wrong.append(f"{where}{name}: not asked for, got {_json(value)}")
    return wrong


def _same(expected: Any, given: Any, schema: Json) -> bool:
    if isinstance(expected, bool) or isinstance(given, bool):
        return expected is given
    if isinstance(expected, int | float) and isinstance(given, int | float):
        return expected == given and not (schema.get("type") == "integer" and isinstance(given, float))
    if isinstance(expected, str) and isinstance(given, str):
        return " ".join(expected.split()).casefold() == " ".join(given.split()).casefold()
    if isinstance(expected, list) and isinstance(given, list):
        items: Json = schema.get("items", {})
        return len(expected) == len(given) and all(
            _same(one, other, items) for one, other in zip(expected, given, strict=True)
        )
    if isinstance(expected, dict) and isinstance(given, dict):
        return not _differences(expected, given, schema, "")
    return False


def _is_default(value: Any, schema: Json) -> bool:
    """Whether an optional argument has the default that its schema or its description states."""
    if "default" in schema:
        return _same(schema["default"], value, schema)
    shown = value if isinstance(value, str) else _json(value)
    return schema.get("description", "").endswith(f" Default is {shown}.")


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()[:_CUT]
