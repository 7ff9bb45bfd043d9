"""Compares the calls of an episode with the expected ones (`ground_truth`), by their content.

    reward = expected calls that were made / the larger number of expected and made calls

A call matches if its tool is the same and its arguments are equal as JSON: 3 equals 3.0, but "3" does not equal 3. An argument
that is null, or that has the default of the tool's schema, equals a missing one. Arguments may be written as a JSON string. The
order does not matter, unless the task says `"ordered": true`. Calls of tools that change nothing do not count, unless they are
expected.
"""

from typing import Any

import msgspec
from msgspec import Struct

from verigym.core import codec
from verigym.core.errors import VerifierFailure
from verigym.core.records import FunctionCall, Json, Task, Trajectory, Verdict

_CUT = 160
_SHOWN = 5
_MISSING: Any = object()


class ExpectedCall(Struct, frozen=True):
    name: str
    arguments: Json


class ExpectedCalls(Struct, frozen=True):
    """`ExpectedCalls()` compares the calls with `task.data["ground_truth"]`: `[{"name", "arguments"}, ...]`."""

    read_only: tuple[str, ...] = ()
    """Tools that change nothing. Their calls do not count, unless they are expected."""

    def __call__(self, task: Task, trajectory: Trajectory) -> Verdict:
        try:
            expected = expected_calls(task.data.get("ground_truth", _MISSING))
        except ValueError as error:
            raise VerifierFailure(f"task {task.id}: {error}") from error
        defaults = _defaults(task.data.get("tools"))
        wanted = {call.name for call in expected}
        free = {*self.read_only, *_read_only(task.data.get("tools"))}
        own = {id(call) for call in trajectory.calls}
        made = [(at, item) for at, item in enumerate(trajectory.items) if id(item) in own]
        counted = [
            (at, call)
            for at, call in made
            if isinstance(call, FunctionCall) and (call.name in wanted or call.name not in free)
        ]
        given = [(at, call.name, _arguments(call.arguments)) for at, call in counted]
        matches = _matches(expected, given, defaults)
        places = [place for place in matches if place is not None]
        ordered = places == sorted(places)
        failed = {
            mark.item for mark in trajectory.marks if mark.kind in ("tool_error", "bad_arguments", "unknown_tool")
        }
        executed = [place for place in places if given[place][0] not in failed]
        unsafe = trajectory.marked("unsafe")

        reasons = [
            f"missing: {call.name} {_json(call.arguments)}"
            for call, place in zip(expected, matches, strict=True)
            if place is None
        ]
        reasons += [
            f"not expected: {call.name} {call.arguments[:_CUT]}"
            for place, (_, call) in enumerate(counted)
            if place not in places
        ]
        reasons += ["the calls are in another order"] if task.data.get("ordered") and not ordered else []
        reasons += [f"{len(places) - len(executed)} expected calls failed"] if len(executed) < len(places) else []
        reasons += ["a call was unsafe"] if unsafe else []
        most = max(len(expected), len(counted))
        reward = len(executed) / most if most else 1.0
        if unsafe or (task.data.get("ordered") and not ordered):
            reward = 0.0
        more = f"; {len(reasons) - _SHOWN} more" if len(reasons) > _SHOWN else ""
        return Verdict(
            reward=reward,
            passed=not reasons,
            parts={
                "matched": len(places) / len(expected) if expected else 1.0,
                "extra": float(len(counted) - len(places)),
            },
            unsafe=unsafe,
            evidence="; ".join(reasons[:_SHOWN]) + more if reasons else f"{len(expected)} calls as expected",
        )


def expected_calls(value: Any) -> list[ExpectedCall]:
    """Reads `ground_truth`. Raises ValueError with what is wrong and what to do."""
    if value is _MISSING or value is None:
        raise ValueError('"ground_truth" is missing. Set it to the list of right calls: [{"name", "arguments"}]')
    if not isinstance(value, list):
        kind = "text" if isinstance(value, str) else type(value).__name__
        hint = ' For a question with an answer, use "answer".' if isinstance(value, str) else ""
        raise ValueError(f'"ground_truth" is {kind}. It must be a list of calls: [{{"name", "arguments"}}].{hint}')
    return [_expected(each, number) for number, each in enumerate(value, 1)]


def _expected(value: Any, number: int) -> ExpectedCall:
    inner = value.get("function", value) if isinstance(value, dict) else value
    if not isinstance(inner, dict) or not isinstance(inner.get("name"), str) or not inner["name"]:
        raise ValueError(
            f'call {number} of "ground_truth" has no "name". Write {{"name": "...", "arguments": {{...}}}}'
        )
    arguments = inner.get("arguments", {})
    if isinstance(arguments, str):
        try:
            arguments = codec.read_json(arguments or "{}")
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
            raise ValueError(
                f'call {number} of "ground_truth": "arguments" is text that is not JSON ({error})'
            ) from error
    if not isinstance(arguments, dict):
        raise ValueError(f'call {number} of "ground_truth": "arguments" must be an object')
    return ExpectedCall(inner["name"], arguments)


def _arguments(text: str) -> Json | None:
    try:
        arguments = codec.read_json(text or "{}")
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) else None


def _matches(
    expected: list[ExpectedCall], given: list[tuple[int, str, Json | None]], defaults: dict[str, Json]
) -> list[int | None]:
    """For each expected call, the first free call that equals it. Equality has no direction, so the first is the best."""
    free = dict.fromkeys(range(len(given)))
    matches: list[int | None] = []
    for call in expected:
        known = defaults.get(call.name, {})
        wanted = _canonical(call.arguments, known)
        for place in free:
            _, name, arguments = given[place]
            if name == call.name and arguments is not None and _canonical(arguments, known) == wanted:
                del free[place]
                matches.append(place)
                break
        else:
            matches.append(None)
    return matches


def _canonical(arguments: Json, defaults: Json) -> str:
    left = {
        name: value
        for name, value in arguments.items()
        if value is not None and not (name in defaults and _number(value) == _number(defaults[name]))
    }
    return msgspec.json.encode(_number(left), order="sorted").decode()


def _number(value: Any) -> Any:
    """Whole numbers without a point, at any depth."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, dict):
        return {str(name): _number(each) for name, each in value.items()}
    return [_number(each) for each in value] if isinstance(value, list) else value


def _defaults(tools: Any) -> dict[str, Json]:
    """Tool name to the defaults of its arguments, as the task's own tools declare them."""
    known: dict[str, Json] = {}
    for inner in _functions(tools):
        schema = inner.get("parameters")
        properties = schema.get("properties") if isinstance(schema, dict) else None
        if isinstance(properties, dict):
            known[inner["name"]] = {
                name: one["default"] for name, one in properties.items() if isinstance(one, dict) and "default" in one
            }
    return known


def _read_only(tools: Any) -> set[str]:
    """The task's own tools that change nothing, as MCP says it (`readOnlyHint`) or as a tools file does."""
    return {
        tool["name"]
        for tool in _functions(tools)
        if tool.get("read_only") is True
        or (isinstance(tool.get("annotations"), dict) and tool["annotations"].get("readOnlyHint") is True)
    }


def _functions(tools: Any) -> list[Json]:
    inner = [tool.get("function", tool) for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    return [tool for tool in inner if isinstance(tool, dict) and isinstance(tool.get("name"), str)]


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()[:_CUT]
