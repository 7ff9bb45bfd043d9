"""Tools that the state of an episode provides: a row's own tools, those of a server, or those of a file.

A class `Environment` with `call(self, name, arguments)` gets every call of such a tool. `tools(self)` lists them after `open`.
Without it, they are those in `task.data["tools"]`. `tools` runs the calls. Arguments are checked against the JSON schema and
not converted, because the other side has types of its own.
"""

import functools
from collections.abc import Callable
from typing import Any

import msgspec

from verigym.core import watchdog as alarm
from verigym.core.errors import EnvironmentFailure
from verigym.core.records import Json, ToolSpec

_CHECK_S = 1.0
"""Maximum time to check the arguments of one call, with the regular expressions of the schema."""
_SHOWN = 5
"""Reasons that are shown to the model."""


class ToolResult(msgspec.Struct, frozen=True, kw_only=True):
    """What `call` may return instead of plain data, to say more about a call."""

    output: Any
    """Text, or plain data that is shown to the model as JSON."""
    failed: bool = False
    """Whether the tool reported an error. The model sees the output in both cases."""
    unsafe: bool = False
    """Whether the call was unsafe."""


class DeclaredTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool of a state with its limits. `@tool` has the same settings."""

    spec: ToolSpec
    seconds: float | None = None
    """A call that takes longer ends the episode."""
    calls: int | None = None
    """More calls than this in an episode end it."""
    parallel: bool = False
    """Whether calls of one reply may run at the same time."""
    unsafe_if: Callable[..., bool] | None = None
    """`unsafe_if(state, **arguments)`. An unsafe call is recorded, then executed like any other."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells one tool from another. The rule is named by its identity."""
        return (msgspec.msgpack.encode(self.spec), self.seconds, self.calls, self.parallel, self.unsafe_if)


def read_tools(tools: Any) -> list[DeclaredTool]:
    """Tools as a state or a row gives them: `ToolSpec`, `DeclaredTool`, or the JSON of a function."""
    if not isinstance(tools, list | tuple):
        raise EnvironmentFailure(f"The tools are {type(tools).__name__}. They must be a list of tools")
    return [_declared(each, index) for index, each in enumerate(tools)]


def _declared(tool: Any, index: int) -> DeclaredTool:
    if isinstance(tool, DeclaredTool):
        return tool
    return DeclaredTool(spec=tool if isinstance(tool, ToolSpec) else read_spec(tool, index))


def read_spec(tool: Any, index: int = 0) -> ToolSpec:
    """A tool from JSON: `{"name", "description", "parameters"}`, alone or in the form of Chat Completions (`function`), of
    MCP (`inputSchema`) or of Anthropic (`input_schema`)."""
    inner = tool.get("function", tool) if isinstance(tool, dict) else tool
    if not isinstance(inner, dict) or not isinstance(inner.get("name"), str) or not inner["name"]:
        raise EnvironmentFailure(
            f'Tool {index + 1} is not a tool. It needs a "name", a "description" and "parameters" (a JSON schema)'
        )
    names = ("parameters", "inputSchema", "input_schema")
    parameters = next((inner[name] for name in names if inner.get(name) is not None), {})
    description = inner.get("description") or ""
    if not isinstance(parameters, dict) or not isinstance(description, str):
        raise EnvironmentFailure(
            f'Tool "{inner["name"]}": "parameters" must be a JSON schema (an object) and "description" must be text'
        )
    return ToolSpec(name=inner["name"], description=description, parameters=parameters)


def arguments_reader(spec: ToolSpec) -> Callable[[Any], dict[str, Any]]:
    """A function that checks the arguments of a call against the tool's schema and returns them."""
    validator = functools.cache(lambda: _validator(spec))

    def read(given: Any) -> Json:
        if not isinstance(given, dict):
            raise ValueError("the arguments must be a JSON object")
        reasons = _reasons(validator(), given, spec.name)
        if reasons:
            raise ValueError("; ".join(reasons))
        return given

    return read


def _validator(spec: ToolSpec) -> Any:
    import jsonschema  # loaded with the first tool of a state
    from referencing import Registry

    try:
        jsonschema.Draft202012Validator.check_schema(spec.parameters)
    except jsonschema.SchemaError as error:
        raise EnvironmentFailure(
            f'The parameters of the tool "{spec.name}" are not a valid JSON schema: {error.message[:200]}'
        ) from error
    return jsonschema.Draft202012Validator(spec.parameters, registry=Registry())


def _reasons(validator: Any, given: Json, name: str) -> list[str]:
    """`at: 'x' is not of type 'number'`, in the order of the paths."""
    from referencing.exceptions import Unresolvable

    def check() -> list[str]:
        errors = sorted(validator.iter_errors(given), key=lambda error: error.json_path)
        return [f"{error.json_path.removeprefix('$.')}: {error.message[:200]}" for error in errors[:_SHOWN]]

    try:
        return alarm.guarded(check, _CHECK_S)
    except alarm.Overdue:
        return ["the arguments take too long to check"]
    except RecursionError:
        return ["the arguments are nested too deeply"]
    except Unresolvable as error:
        raise EnvironmentFailure(
            f'The parameters of the tool "{name}" refer to a schema that they do not contain: {error}'
        ) from error
