"""The calls of one episode to the tools of a tools file: the right kind of tool, with records and limits.

A process, a sandbox or a connection is opened with the first call that needs it. Calls that change something run in the order
in which the model wrote them. Calls of read-only tools run at the same time.
"""

import asyncio
import contextlib
import weakref
from typing import Any, TypeAlias

from verigym.core.protocols import Box
from verigym.core.records import Json, content_hash
from verigym.harness.state_tools import ToolResult
from verigym.harness.toolkinds.command import CommandTool
from verigym.harness.toolkinds.http import HttpTool
from verigym.harness.toolkinds.mcp import McpPool, McpSession
from verigym.harness.toolkinds.python import PythonTool
from verigym.harness.toolkinds.search import SearchTool
from verigym.harness.toolkinds.shared import SharedResources, Throttle
from verigym.harness.tools_file import LoadedTool, ToolsFile
from verigym.sandbox.open import LazySandbox

_OfLoop: TypeAlias = "weakref.WeakKeyDictionary[ToolsFile, SharedResources]"
_SHARED: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _OfLoop]" = weakref.WeakKeyDictionary()
NOT_CALLED = "(a live tool: it was not called)"


class EpisodeTools:
    """One episode. `close` ends what it opened."""

    def __init__(self, file: ToolsFile, live: bool = True) -> None:
        self._file, self._live = file, live
        """Without `live`, a call of a live tool is answered from the record, or with a placeholder."""
        self._shared: SharedResources | None = None
        self._box: Box | None = None
        self._sessions: dict[str, McpSession] = {}
        self._turn, self._opening = asyncio.Lock(), asyncio.Lock()
        self._history = ""

    def __contains__(self, name: str) -> bool:
        return name in self._file.tools

    async def call(self, name: str, arguments: Json) -> Any:
        tool = self._file.tools[name]
        if tool.read_only:
            return await self._recorded(tool, arguments)
        async with self._turn:
            return await self._recorded(tool, arguments)

    async def _recorded(self, tool: LoadedTool, arguments: Json) -> Any:
        replay, name = self._file.replay, tool.spec.name
        chosen = replay is not None and (name in replay.settings.tools or (tool.live and not replay.settings.tools))
        if replay is None or not chosen:
            return await self._called(tool, arguments)
        after = self._history
        if replay.settings.by == "history":
            self._history = content_hash([after, name, arguments])
        if not self._live:
            return replay.known(name, arguments, after) or ToolResult(output=NOT_CALLED)
        return await replay.answer(name, arguments, after, lambda: self._called(tool, arguments))

    async def _called(self, tool: LoadedTool, arguments: Json) -> Any:
        """Calls the tool itself, within its limits."""
        if tool.live and not self._live:
            return ToolResult(output=NOT_CALLED)
        entry = tool.entry
        if entry.concurrency is None and entry.rate is None:
            return await self._run(tool, arguments)
        throttles = self._resources().throttles
        throttle = throttles.setdefault(tool.spec.name, Throttle(entry.concurrency, entry.rate))
        async with throttle:
            return await self._run(tool, arguments)

    async def _run(self, tool: LoadedTool, arguments: Json) -> Any:
        match tool.work:
            case HttpTool() as work:
                return await work.call(await self._resources().session(), arguments)
            case PythonTool() | SearchTool() as work:
                return await work.call(arguments)
            case CommandTool() as work:
                async with self._opening:
                    if self._box is None:
                        self._box = await LazySandbox().open(self._file.files)
                return await work.call(self._box, arguments)
            case None:
                session = await self._session(tool.server)
                return await session.call(tool.server_tool, arguments, tool.entry.seconds)

    async def _session(self, server: str) -> McpSession:
        async with self._opening:
            if server not in self._sessions:
                self._sessions[server] = await self._pool(server).take()
        return self._sessions[server]

    def _pool(self, server: str) -> McpPool:
        pools, file = self._resources().pools, self._file
        if server not in pools:
            pools[server] = McpPool(server, file.config.servers[server], file.files, str(file.path))
        return pools[server]

    def _resources(self) -> SharedResources:
        """The resources of this file on the running event loop."""
        if self._shared is None:
            fresh: _OfLoop = weakref.WeakKeyDictionary()
            of_loop = _SHARED.setdefault(asyncio.get_running_loop(), fresh)
            known = of_loop.get(self._file)
            if known is None or known.closed:
                known = of_loop[self._file] = SharedResources()
            self._shared = known
            known.join()
        return self._shared

    async def close(self) -> None:
        for server, session in self._sessions.items():
            self._pool(server).give_back(session)
        self._sessions = {}
        if self._box is not None:
            box, self._box = self._box, None
            with contextlib.suppress(OSError):
                await box.close()
        if self._shared is not None:
            self._shared.leave()
            self._shared = None
