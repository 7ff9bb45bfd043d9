"""Tools from plain methods: `@tool` marks a method, its signature gives the schema and its docstring the description.

A call raises only errors that end the episode. An unknown tool, wrong arguments or a failing tool become a result that the
model reads and a mark that failure analysis reads. A tool raises `EnvironmentFailure` or `InfrastructureFailure` to say that
the model is not at fault. msgspec validates and coerces arguments against the types in the signature.
"""

import asyncio
import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from verigym.core import codec
from verigym.core.errors import EnvironmentFailure, InfrastructureFailure, words_of
from verigym.core.records import Mark, Stop, Toolset, ToolSpec, content_hash
from verigym.core.watchdog import Overdue
from verigym.harness.executor import AdaptiveExecutor, EpisodeExecutor, OutOfTime, in_new_thread
from verigym.harness.schema import tool_spec

_LONGEST = 1_000_000
"""Maximum characters of a result that are kept."""
F = TypeVar("F", bound=Callable[..., Any])


class _ToolOptions(msgspec.Struct, frozen=True):
    name: str | None = None
    unsafe_if: Callable[..., bool] | None = None
    seconds: float | None = None
    calls: int | None = None
    parallel: bool = False


@typing.overload
def tool(function: F, /) -> F: ...
@typing.overload
def tool(
    name: str | None = None,
    /,
    *,
    unsafe_if: Callable[..., bool] | None = None,
    seconds: float | None = None,
    calls: int | None = None,
    parallel: bool = False,
) -> Callable[[F], F]: ...
def tool(name: Any = None, /, **settings: Any) -> Any:
    """Marks a method of an environment as a tool: `@tool`, `@tool("calendar.create_event")`,
    `@tool(unsafe_if=lambda self, **arguments: ...)`. An unsafe call is recorded, then executed like any other.

    A call that takes more than `seconds`, or more than `calls` calls in an episode, ends the episode. Async calls of one
    reply run at the same time. Plain calls run one after another, unless `parallel` is set.
    """
    if callable(name):
        name.__verigym_tool__ = _ToolOptions()  # type: ignore[attr-defined]
        return name

    def mark(function: F) -> F:
        function.__verigym_tool__ = _ToolOptions(name, **settings)  # type: ignore[attr-defined]
        return function

    return mark


class CallOutcome(msgspec.Struct, frozen=True):
    """The result of a call: the text for the model, and the marks of the harness. The caller fills in `item`."""

    output: str
    marks: list[Mark]
    stop: Stop | None = None
    """The limit of the tool that ends the episode."""


class _Tool(msgspec.Struct, frozen=True):
    spec: ToolSpec
    method: str
    arguments: type[msgspec.Struct]
    declared: _ToolOptions
    is_async: bool


class ToolBox:
    """The tools of one environment class."""

    def __init__(self, environment: type) -> None:
        self.is_async = any(
            inspect.iscoroutinefunction(function)
            for name, function in inspect.getmembers(environment, inspect.isfunction)
            if name != "close"
        )
        """Whether any method except `close` is a coroutine."""
        self._tools: dict[str, _Tool] = {}
        self._offers: dict[tuple[tuple[str, str], ...], Toolset] = {}
        for method, function in inspect.getmembers(environment, inspect.isfunction):
            declared = getattr(function, "__verigym_tool__", None)
            if declared is not None:
                spec, arguments = tool_spec(declared.name or method, function)
                is_async = inspect.iscoroutinefunction(function)
                self._tools[spec.name] = _Tool(spec, method, arguments, declared, is_async)
        order = {method: place for place, method in enumerate(vars(environment))}
        self._tools = dict(sorted(self._tools.items(), key=lambda pair: order.get(pair[1].method, -1)))

    @property
    def marks_unsafe(self) -> bool:
        """Whether a tool declares when a call is unsafe."""
        return any(tool.declared.unsafe_if is not None for tool in self._tools.values())

    @property
    def specs(self) -> list[ToolSpec]:
        """The tools in the order of their definition in the class."""
        return [tool.spec for tool in self._tools.values()]

    def offer(self, descriptions: Mapping[str, str]) -> Toolset:
        """The tools with the agent's own descriptions, if it has any."""
        key = tuple(descriptions.items())
        if key not in self._offers:
            tools = [
                msgspec.structs.replace(tool, description=descriptions[tool.name], own=True)
                if tool.name in descriptions
                else tool
                for tool in self.specs
            ]
            self._offers[key] = Toolset(tools, content_hash(tools)[:16])
        return self._offers[key]

    def parallel(self, name: str) -> bool:
        """Whether calls of this tool may run at the same time as others."""
        tool = self._tools.get(name)
        return tool is not None and (tool.is_async or tool.declared.parallel)

    async def call(
        self, environment: Any, name: str, arguments: str, executor: EpisodeExecutor | None = None, before: int = 0
    ) -> CallOutcome:
        """Runs tool `name` on the environment's state with the JSON string `arguments`. `before` counts its earlier calls."""
        tool = self._tools.get(name)
        if tool is None:
            return CallOutcome(
                f'error: no tool "{name}"; tools: {", ".join(self._tools)}', [Mark("unknown_tool", detail=name)]
            )
        limits = tool.declared
        if limits.calls is not None and before >= limits.calls:
            words = f"{name} may be called {limits.calls} times in an episode"
            return CallOutcome(f"error: {words}", [Mark("tool_limit", detail=words)], Stop.MAX_CALLS)
        try:
            given = codec.read_json(arguments or "{}")
            checked = msgspec.structs.asdict(msgspec.convert(given, tool.arguments, strict=False))
        except Exception as error:  # not JSON, wrong arguments, or refused by the tool's own type
            return CallOutcome(f"error: {name}: {error}", [Mark("bad_arguments", detail=str(error))])
        marks: list[Mark] = []
        where = executor or EpisodeExecutor(AdaptiveExecutor(), own_thread=False)
        try:
            if limits.unsafe_if is not None and await _unsafe(where, limits, environment, name, checked):
                marks.append(Mark("unsafe", detail=f"{name} {arguments}"))
            function = getattr(environment, tool.method)
            if limits.parallel and not tool.is_async:
                output = await in_new_thread(function, checked, limits.seconds)
            else:
                output = await where.call(function, kwargs=checked, seconds=limits.seconds, informative=True)
            text = _text(output)
        except (asyncio.CancelledError, EnvironmentFailure, InfrastructureFailure, OutOfTime):
            raise
        except Overdue:
            words = f"{name} took more than {limits.seconds or 0:g} s"
            return CallOutcome(f"error: {words}", [*marks, Mark("tool_time_out", detail=words)], Stop.TOOL_TIME_OUT)
        except (Exception, SystemExit) as error:  # tool code may raise anything. The model reads the message
            marks.append(Mark("tool_error", detail=f"{type(error).__name__}: {words_of(error)}"))
            return CallOutcome(f"error: {words_of(error)}", marks)
        marks.append(Mark("executed", detail=name))
        if len(text) > _LONGEST:
            marks.append(Mark("output_cut", detail=f"{len(text):,} characters"))
            text = f"{text[:_LONGEST]}\n... ({len(text) - _LONGEST:,} characters more)"
        return CallOutcome(text, marks)


def _text(output: Any) -> str:
    """A tool's return value as text that can be stored. Lone surrogates cannot be."""
    text = str(output) if isinstance(output, str) else msgspec.json.encode(output).decode()
    return text if text.isascii() else text.encode(errors="replace").decode()


async def _unsafe(
    where: EpisodeExecutor, limits: _ToolOptions, environment: Any, name: str, arguments: dict[str, Any]
) -> bool:
    """A safety rule that raises is the environment's failure, never a safe call."""
    assert limits.unsafe_if is not None
    try:
        return bool(await where.call(limits.unsafe_if, (environment,), arguments, seconds=limits.seconds))
    except (InfrastructureFailure, OutOfTime):
        raise
    except Exception as error:
        raise EnvironmentFailure(f"unsafe_if of {name} raised {type(error).__name__}: {words_of(error)}") from error
