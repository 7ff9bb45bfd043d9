"""Tools from plain methods: `@tool` marks a method, its signature gives the schema and its docstring the description.
`state_tools` adds tools that only the state of an episode knows.

A call raises only errors that end the episode. An unknown tool, wrong arguments or a failing tool become a result that the
model reads and a mark that failure analysis reads. A tool raises `EnvironmentFailure` or `InfrastructureFailure` to say that
the model is not at fault. msgspec validates and coerces arguments against the types in the signature.
"""

import asyncio
import copy
import inspect
import typing
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from verigym.core import codec
from verigym.core.errors import EnvironmentFailure, InfrastructureFailure, words_of
from verigym.core.records import FunctionCall, Item, Mark, Stop, Task, Toolset, ToolSpec, content_hash
from verigym.core.watchdog import Overdue
from verigym.harness.executor import AdaptiveExecutor, EpisodeExecutor, OutOfTime, in_new_thread
from verigym.harness.schema import tool_spec
from verigym.harness.state_tools import DeclaredTool, ToolResult, arguments_reader, read_tools

_LONGEST = 1_000_000
"""Maximum characters of a result that are kept."""
_SHOWN = 300
FILE_CALL = "call_file_tool"
"""The method of a state that gets the calls of tools from a tools file."""
_CACHED = 4096
"""Sets of tools of states that are kept. Tasks often share them."""
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


_NOT_OFFERED = " (not offered)"
Vary = Callable[[Task, Sequence[str]], dict[str, str]]
"""(task, names of the tools) -> the tools that an episode is shown, in order: own name to shown name."""


class CallOutcome(msgspec.Struct, frozen=True):
    """The result of a call: the text for the model, and the marks of the harness. The caller fills in `item`."""

    output: str
    marks: list[Mark]
    stop: Stop | None = None
    """The limit of the tool that ends the episode."""


class _Tool(msgspec.Struct, frozen=True):
    spec: ToolSpec
    read: Callable[[Any], dict[str, Any]]
    """Checks the arguments. Raises if they do not fit."""
    declared: _ToolOptions | DeclaredTool
    is_async: bool
    method: str = ""
    """Name of the method. Empty for a tool of the state, which goes through `call`."""
    through: str = "call"
    """The method that gets the calls of a tool without a method of its own."""


class ToolBox:
    """The tools of one environment class, or of one episode (`of_state`)."""

    def __init__(self, environment: type) -> None:
        self.is_async = any(
            inspect.iscoroutinefunction(function)
            for name, function in inspect.getmembers(environment, inspect.isfunction)
            if name != "close"
        )
        """Whether any method except `close` is a coroutine."""
        self.by_state = takes_calls(environment)
        """Whether the state of an episode provides tools, so that they are known only after `open`."""
        self._tools: dict[str, _Tool] = {}
        self._offers: dict[tuple[tuple[str, str], ...], Toolset] = {}
        self._of_states: OrderedDict[Any, ToolBox] = OrderedDict()
        self._varied: tuple[ToolBox, Vary] | None = None
        self._own_names: dict[str, str] = {}
        """Shown name to own name, if some tools are shown with another name."""
        for method, function in inspect.getmembers(environment, inspect.isfunction):
            declared = getattr(function, "__verigym_tool__", None)
            if declared is not None:
                spec, arguments = tool_spec(declared.name or method, function)
                is_async = inspect.iscoroutinefunction(function)
                self._tools[spec.name] = _Tool(spec, _struct_reader(arguments), declared, is_async, method)
        order = {method: place for place, method in enumerate(vars(environment))}
        self._tools = dict(sorted(self._tools.items(), key=lambda pair: order.get(pair[1].method, -1)))

    async def of_state(self, state: Any, task: Task, executor: EpisodeExecutor) -> "ToolBox":
        """The tools of one episode: those of the class, and those that the state provides after `open`. A state that only has
        `call` offers the tools in `task.data["tools"]`."""
        if self._varied is not None:
            plain, vary = self._varied
            box = await plain.of_state(state, task, executor)
            return box._shown_as(vary(task, list(box._tools)))
        if not self.by_state:
            return self
        tools: Any = getattr(state, "tools", None)
        declared = read_tools(await executor.call(tools) if callable(tools) else task.data.get("tools", []))
        key = tuple(each.key for each in declared)
        box = self._of_states.get(key)
        if box is None:
            box = copy.copy(self)
            is_async = inspect.iscoroutinefunction(state.call)
            box._tools, box._offers = dict(self._tools), {}
            for each in declared:
                if each.spec.name in box._tools:
                    raise EnvironmentFailure(f'The state offers two tools named "{each.spec.name}". Rename one')
                box._tools[each.spec.name] = _Tool(each.spec, arguments_reader(each.spec), each, is_async)
            self._of_states[key] = box
            if len(self._of_states) > _CACHED:
                self._of_states.popitem(last=False)
        return box

    def with_declared(self, tools: "list[DeclaredTool]") -> "ToolBox":
        """These tools and those of a tools file. Calls of the latter go to the state's method `FILE_CALL`."""
        box = copy.copy(self)
        added = {
            each.spec.name: _Tool(each.spec, arguments_reader(each.spec), each, is_async=True, through=FILE_CALL)
            for each in tools
        }
        box._tools, box._offers, box._of_states = {**self._tools, **added}, {}, OrderedDict()
        return box

    @property
    def plain(self) -> "ToolBox":
        """These tools as they are without `varied`."""
        return self if self._varied is None else self._varied[0]

    def varied(self, vary: "Vary") -> "ToolBox":
        """These tools, of which each episode is shown what `vary` says (`varied_tools`)."""
        box = copy.copy(self)
        box._varied, box.by_state = (self, vary), True
        return box

    def _shown_as(self, names: dict[str, str]) -> "ToolBox":
        """Only these tools, in this order, each with the name that it is shown with."""
        box = copy.copy(self)
        box._tools, box._offers = {name: self._tools[name] for name in names}, {}
        box._own_names = {shown: name for name, shown in names.items() if shown != name}
        return box

    def recorded(self, items: list[Item]) -> list[Item]:
        """The items of a reply with the tools' own names. The own name of a tool that is shown with another one was not
        offered, and becomes that of no tool."""
        if not self._own_names:
            return items
        hidden = {name: name + _NOT_OFFERED for name in self._own_names.values()}
        return _renamed(items, hidden | self._own_names)

    def shown(self, items: list[Item]) -> list[Item]:
        """Items with the names that the tools are shown with."""
        return _renamed(items, {name: shown for shown, name in self._own_names.items()})

    @property
    def marks_unsafe(self) -> bool:
        """Whether a tool declares when a call is unsafe."""
        return any(tool.declared.unsafe_if is not None for tool in self._tools.values())

    @property
    def specs(self) -> list[ToolSpec]:
        """The tools in the order of their definition in the class. One that is shown with another name counts as described by
        the agent, so that its description is shown wherever tools are listed."""
        specs = [tool.spec for tool in self._tools.values()]
        shown = {name: shown for shown, name in self._own_names.items()}
        return [
            msgspec.structs.replace(spec, name=shown[spec.name], own=True, recorded_as=spec.name)
            if spec.name in shown
            else spec
            for spec in specs
        ]

    def offer(self, descriptions: Mapping[str, str]) -> Toolset:
        """The tools with the agent's own descriptions, if it has any."""
        key = tuple(descriptions.items())
        if key not in self._offers:
            tools = [
                msgspec.structs.replace(tool, description=descriptions[name], own=True)
                if name in descriptions
                else tool
                for name, tool in zip(self._tools, self.specs, strict=True)
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
                f'error: no tool "{name}"; tools: {", ".join(spec.name for spec in self.specs)}',
                [Mark("unknown_tool", detail=name)],
            )
        limits = tool.declared
        if limits.calls is not None and before >= limits.calls:
            words = f"{name} may be called {limits.calls} times in an episode"
            return CallOutcome(f"error: {words}", [Mark("tool_limit", detail=words)], Stop.MAX_CALLS)
        try:
            checked = tool.read(codec.read_json(arguments or "{}"))
        except EnvironmentFailure:
            raise
        except Exception as error:  # not JSON, wrong arguments, or refused by the tool's own type
            return CallOutcome(f"error: {name}: {error}", [Mark("bad_arguments", detail=str(error))])
        marks: list[Mark] = []
        where = executor or EpisodeExecutor(AdaptiveExecutor(), own_thread=False)
        try:
            if limits.unsafe_if is not None and await _unsafe(where, limits, environment, name, checked):
                marks.append(Mark("unsafe", detail=f"{name} {arguments}"))
            output = await _run(tool, environment, checked, where)
            text = _text(output.output if isinstance(output, ToolResult) else output)
        except (asyncio.CancelledError, EnvironmentFailure, InfrastructureFailure, OutOfTime):
            raise
        except Overdue:
            words = f"{name} took more than {limits.seconds or 0:g} s"
            return CallOutcome(f"error: {words}", [*marks, Mark("tool_time_out", detail=words)], Stop.TOOL_TIME_OUT)
        except (Exception, SystemExit) as error:  # tool code may raise anything. The model reads the message
            marks.append(Mark("tool_error", detail=f"{type(error).__name__}: {words_of(error)}"))
            return CallOutcome(f"error: {words_of(error)}", marks)
        if isinstance(output, ToolResult) and output.unsafe and not marks:
            marks.append(Mark("unsafe", detail=f"{name} {arguments}"))
        failed = isinstance(output, ToolResult) and output.failed
        marks.append(Mark("tool_error", detail=text[:_SHOWN]) if failed else Mark("executed", detail=name))
        if len(text) > _LONGEST:
            marks.append(Mark("output_cut", detail=f"{len(text):,} characters"))
            text = f"{text[:_LONGEST]}\n... ({len(text) - _LONGEST:,} characters more)"
        return CallOutcome(text, marks)


def as_shown(items: list[Item], tools: Sequence[ToolSpec]) -> list[Item]:
    """Recorded items with the names that these tools were shown with."""
    names = {tool.recorded_as: tool.name for tool in tools if tool.recorded_as}
    return _renamed(items, names | {name + _NOT_OFFERED: name for name in names}) if names else items


def _renamed(items: list[Item], names: Mapping[str, str]) -> list[Item]:
    return [
        msgspec.structs.replace(item, name=names[item.name])
        if isinstance(item, FunctionCall) and item.name in names
        else item
        for item in items
    ]


def takes_calls(environment: Any) -> bool:
    """Whether an environment has the method `call(name, arguments)` for tools of its state, and not a tool of that name."""
    call = getattr(environment, "call", None)
    return callable(call) and not hasattr(call, "__verigym_tool__")


def _struct_reader(arguments: type[msgspec.Struct]) -> Callable[[Any], dict[str, Any]]:
    return lambda given: msgspec.structs.asdict(msgspec.convert(given, arguments, strict=False))


async def _run(tool: _Tool, environment: Any, arguments: dict[str, Any], where: EpisodeExecutor) -> Any:
    """Calls the method of a class tool with the arguments by name, or `call(name, arguments)` for a tool of the state."""
    limits = tool.declared
    function = getattr(environment, tool.method or tool.through)
    args = () if tool.method else (tool.spec.name, arguments)
    kwargs = arguments if tool.method else {}
    if limits.parallel and not tool.is_async:
        return await in_new_thread(function, kwargs, limits.seconds, args)
    return await where.call(function, args, kwargs, seconds=limits.seconds, informative=True)


def _text(output: Any) -> str:
    """A tool's return value as text that can be stored. Lone surrogates cannot be."""
    text = str(output) if isinstance(output, str) else msgspec.json.encode(output).decode()
    return text if text.isascii() else text.encode(errors="replace").decode()


async def _unsafe(
    where: EpisodeExecutor, limits: _ToolOptions | DeclaredTool, environment: Any, name: str, arguments: dict[str, Any]
) -> bool:
    """A safety rule that raises is the environment's failure, never a safe call."""
    assert limits.unsafe_if is not None
    try:
        return bool(await where.call(limits.unsafe_if, (environment,), arguments, seconds=limits.seconds))
    except (InfrastructureFailure, OutOfTime):
        raise
    except Exception as error:
        raise EnvironmentFailure(f"unsafe_if of {name} raised {type(error).__name__}: {words_of(error)}") from error
