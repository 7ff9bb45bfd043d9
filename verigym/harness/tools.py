"""Tools from plain methods: `@tool` marks one, its signature is its schema, its docstring its description.

A call never raises. An unknown tool, wrong arguments or a tool that fails become a result that the model reads and a
mark that failure analysis reads. Arguments are validated and coerced by msgspec against the signature's own types.
"""

import asyncio
import inspect
import typing
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from verigym.core.records import Json, Mark, ToolSpec

F = TypeVar("F", bound=Callable[..., Any])


class _Declared(msgspec.Struct):
    name: str | None
    unsafe_if: Callable[..., bool] | None


@typing.overload
def tool(function: F, /) -> F: ...
@typing.overload
def tool(name: str | None = None, /, *, unsafe_if: Callable[..., bool] | None = None) -> Callable[[F], F]: ...
def tool(name: Any = None, /, *, unsafe_if: Callable[..., bool] | None = None) -> Any:
    """Marks a method of an environment as a tool: `@tool`, `@tool("calendar.create_event")`,
    `@tool(unsafe_if=lambda self, **arguments: ...)`. An unsafe call is recorded, then executed like any other."""
    if callable(name):
        name.__verigym_tool__ = _Declared(None, None)  # type: ignore[attr-defined]
        return name

    def mark(function: F) -> F:
        function.__verigym_tool__ = _Declared(name, unsafe_if)  # type: ignore[attr-defined]
        return function

    return mark


class Result(msgspec.Struct, frozen=True):
    """What came of a call: the text that the model sees, and what the harness noticed (`item` is the caller's to fill)."""

    output: str
    marks: list[Mark]


class _Tool(msgspec.Struct, frozen=True):
    spec: ToolSpec
    method: str
    arguments: type[msgspec.Struct]
    unsafe_if: Callable[..., bool] | None


class ToolBox:
    """The tools of one environment class."""

    def __init__(self, environment: type) -> None:
        self._tools: dict[str, _Tool] = {}
        for method, function in inspect.getmembers(environment, inspect.isfunction):
            declared = getattr(function, "__verigym_tool__", None)
            if declared is not None:
                made = _make(declared.name or method, method, function, declared.unsafe_if)
                self._tools[made.spec.name] = made
        order = {method: place for place, method in enumerate(vars(environment))}
        self._tools = dict(sorted(self._tools.items(), key=lambda pair: order.get(pair[1].method, -1)))

    @property
    def specs(self) -> list[ToolSpec]:
        """In the order in which they are written in the class."""
        return [made.spec for made in self._tools.values()]

    async def call(self, environment: Any, name: str, arguments: str) -> Result:
        """Runs tool `name` on the environment's state with the JSON string `arguments`."""
        made = self._tools.get(name)
        if made is None:
            return Result(
                f'error: no tool "{name}"; tools: {", ".join(self._tools)}', [Mark("unknown_tool", detail=name)]
            )
        try:
            given = msgspec.json.decode(arguments or "{}")
            checked = msgspec.structs.asdict(msgspec.convert(given, made.arguments, strict=False))
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeEncodeError, RecursionError) as error:
            return Result(f"error: {name}: {error}", [Mark("bad_arguments", detail=str(error))])
        marks: list[Mark] = []
        try:
            if made.unsafe_if is not None and made.unsafe_if(environment, **checked):
                marks.append(Mark("unsafe", detail=f"{name} {arguments}"))
            function = getattr(environment, made.method)
            if inspect.iscoroutinefunction(function):
                output = await function(**checked)
            else:
                output = function(**checked)
            text = output if isinstance(output, str) else msgspec.json.encode(output).decode()
            text = text.encode(errors="replace").decode()  # a lone surrogate cannot be stored
        except asyncio.CancelledError:
            raise
        except (
            Exception,
            SystemExit,
        ) as error:  # the tool's own code may raise anything; the model is told, the mark remembers
            marks.append(Mark("tool_error", detail=f"{type(error).__name__}: {error}"))
            return Result(f"error: {error}", marks)
        marks.append(Mark("executed", detail=name))
        return Result(text, marks)


def _make(name: str, method: str, function: Callable[..., Any], unsafe_if: Callable[..., bool] | None) -> _Tool:
    hints = typing.get_type_hints(function)
    fields: list[Any] = []
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        kind = hints.get(parameter.name, str)
        if parameter.default is parameter.empty:
            fields.append((parameter.name, kind))
        elif isinstance(parameter.default, list | dict | set):
            fields.append(
                (parameter.name, kind, msgspec.field(default_factory=lambda made=parameter.default: type(made)(made)))
            )
        else:
            fields.append((parameter.name, kind, parameter.default))
    arguments = msgspec.defstruct(f"{method}_arguments", fields, forbid_unknown_fields=True, kw_only=True)
    description = inspect.getdoc(function) or ""
    return _Tool(
        ToolSpec(name=name, description=description, parameters=_schema(arguments)), method, arguments, unsafe_if
    )


def _schema(arguments: type[msgspec.Struct]) -> Json:
    """The JSON schema of the arguments object, its own definition inlined."""
    schema = msgspec.json.schema(arguments)
    definitions = schema.pop("$defs", {})
    own = definitions.pop(schema["$ref"].rsplit("/", 1)[-1])
    own.pop("title", None)
    return {**own, **({"$defs": definitions} if definitions else {})}
