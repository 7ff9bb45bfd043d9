"""An environment with the tools of a tools file besides its own."""

from collections.abc import Callable
from typing import Any

import msgspec

from verigym.core.errors import BadInput
from verigym.core.records import Json
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.episode_tools import EpisodeTools
from verigym.harness.tools import FILE_CALL
from verigym.harness.tools_file import ToolsFile

_TURNS = 8
"""Replies of an episode whose environment had no tools before."""


def with_tools(environment: EnvironmentSpec, file: ToolsFile, *, name: str = "", live: bool = True) -> EnvironmentSpec:
    """The environment with the tools of the file added. Its own tools, tasks and verifiers stay. Without `live`, calls of live
    tools reach no server."""
    if environment.steps:
        raise BadInput(
            f"{environment.name} has step(reply) in place of tools, so the tools of {file.path} cannot be offered there"
        )
    for own in environment.tools:
        if own.name in file.tools:
            raise BadInput(
                f'{file.path}: {environment.name} already has a tool "{own.name}". Rename the tool in the file. '
                "To change only a description: verigym models new --describe TOOL=TEXT"
            )
    replies = environment.only_replies and not environment.toolbox.by_state and environment.max_turns == 1
    return msgspec.structs.replace(
        environment,
        name=name or environment.name,
        factory=_Factory(environment.factory, file, live),
        toolbox=environment.toolbox.with_declared(file.declared),
        max_turns=_TURNS if replies else environment.max_turns,
        tools_files=[*environment.tools_files, file],
    )


def without_live_calls(environment: EnvironmentSpec) -> EnvironmentSpec:
    """The environment with live tools that answer from their record, or with a placeholder."""
    factory = environment.factory
    if not isinstance(factory, _Factory):
        return environment
    return msgspec.structs.replace(environment, factory=factory.offline())


class _Factory:
    """Creates the state of an episode, with `call_file_tool` and `close_tools` for the tools of the file."""

    def __init__(self, base: Callable[[], Any], file: ToolsFile, live: bool) -> None:
        self._base, self._file, self._live = base, file, live

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._base, name)

    def offline(self) -> "_Factory":
        base = self._base.offline() if isinstance(self._base, _Factory) else self._base
        return _Factory(base, self._file, live=False)

    def __call__(self) -> Any:
        state = self._base()
        tools = EpisodeTools(self._file, self._live)
        call, close = getattr(state, FILE_CALL, None), getattr(state, "close_tools", None)

        async def call_file_tool(name: str, arguments: Json) -> Any:
            if name in tools:
                return await tools.call(name, arguments)
            assert call is not None, "another file declares the tool"
            return await call(name, arguments)

        async def close_tools() -> None:
            await tools.close()
            if close is not None:
                await close()

        setattr(state, FILE_CALL, call_file_tool)
        state.close_tools = close_tools
        return state
