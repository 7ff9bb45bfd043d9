"""Tools of an MCP server: a command that speaks MCP on its standard input and output, or an address (streamable HTTP).

Each episode has its own process, or its own session at an address, so episodes share nothing. A few processes are started
ahead. Works with versions 1 and 2 of the `mcp` package. A server is a program of yours: it runs outside the sandbox, in a
private folder, with the environment variables that the file names and a few harmless ones (PATH, HOME).
Not supported: prompts, resources, sampling, and questions to the user.
"""

import asyncio
import contextlib
import functools
import importlib.metadata
import shutil
import tempfile
import threading
from collections import deque
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from verigym.core.errors import BadInput, EnvironmentFailure, InfrastructureFailure, NoServer, VerigymError, words_of
from verigym.core.install import install_command
from verigym.core.records import Json, ToolSpec, content_hash
from verigym.harness.state_tools import ToolResult
from verigym.harness.toolkinds.templates import Template, without_secrets

DEFAULT_S = 60.0
_STOP_S = 10.0
_MOST_TOOLS = 2000
_SHOWN = 500
_CLOSED = (-32000, -32001)
"""Codes of the SDK for a closed connection, not of the server."""


class McpServer(Struct, forbid_unknown_fields=True, kw_only=True):
    """The settings of a server: `command` or `url`."""

    command: list[str] = []
    """Program and arguments. `{folder}` is the private folder of the episode."""
    url: str = ""
    headers: dict[str, str] = {}
    env: dict[str, str] = {}
    """Environment variables of the process: `{"TOKEN": "${TOKEN}"}`."""
    offer: bool | list[str] = True
    """Whether all tools of the server are offered, or which. Tools that `tools` declares are offered in any case."""
    rename: dict[str, str] = {}
    """Name of a tool at the server to the name that the agent sees."""
    start_seconds: float = 30.0
    spare: int = 2
    """Processes that are started ahead."""
    processes: int = 64
    """Maximum number of processes at once. Further episodes wait."""

    @property
    def is_remote(self) -> bool:
        return bool(self.url)


class ListedTool(Struct, frozen=True):
    """A tool as the server lists it."""

    spec: ToolSpec
    read_only: bool


def check_server(name: str, server: McpServer, where: str) -> None:
    if bool(server.command) == bool(server.url):
        raise BadInput(f"{where}: the server {name} needs a command or a url, and not both")
    if server.url and not server.url.startswith(("http://", "https://")):
        raise BadInput(f'{where}: the url of the server {name} must begin with http:// or https://, not "{server.url}"')
    if server.command and server.headers:
        raise BadInput(f"{where}: the server {name} has headers, which belong to a url. Use env for a command")
    if server.spare < 0 or server.processes < 1 or not server.start_seconds > 0:
        raise BadInput(f"{where}: server {name}: spare must be at least 0, processes at least 1, start_seconds above 0")
    for text in [*server.command, *server.headers.values(), *server.env.values()]:
        wrong = [each for each in Template(text, where).names if each != "folder"]
        if wrong:
            raise BadInput(f"{where}: server {name}: {{{wrong[0]}}} is unknown. Only {{folder}} can be used")


class McpSession:
    """One session. The SDK demands that the task that entered it also leaves it, so a task of its own holds it."""

    def __init__(self, name: str, server: McpServer, files: dict[str, bytes], where: str) -> None:
        self._name, self._server, self._files, self._where = name, server, files, where
        self._secrets = [
            secret
            for text in [*server.command, *server.headers.values(), *server.env.values()]
            for secret in Template(text, where).secrets
        ]
        self._end = asyncio.Event()
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._holder: asyncio.Task[None] | None = None
        self._session: Any = None
        self._folder = ""
        self._log: Any = None
        self.listed: list[ListedTool] = []

    async def start(self) -> "McpSession":
        _sdk()  # a missing package is reported before anything starts
        self._holder = asyncio.create_task(self._hold())
        try:
            async with asyncio.timeout(self._server.start_seconds):
                await asyncio.shield(self._ready)
        except TimeoutError:
            await self.stop()
            raise InfrastructureFailure(
                f"{self._shown}: it was not ready after {self._server.start_seconds:g} s. Check that it speaks MCP, "
                f"or raise start_seconds.{self._last_words()}"
            ) from None
        except BaseException:
            await self.stop()
            raise
        return self

    @property
    def _shown(self) -> str:
        what = self._server.url or " ".join(self._server.command)
        return f'MCP server {self._name} ("{what[:100]}")'

    async def _hold(self) -> None:
        with contextlib.ExitStack() as stack:
            if self._server.command:
                self._folder = stack.enter_context(_private_folder(self._files))
                self._log = stack.enter_context(tempfile.TemporaryFile("w+", errors="replace"))
            try:
                async with _connected(self._server, self._folder, self._log) as self._session:
                    await self._session.initialize()
                    self.listed = await _list(self._session)
                    if not self._ready.done():
                        self._ready.set_result(None)
                    await self._end.wait()
            except BaseException as error:
                if not self._ready.done():
                    self._ready.set_exception(self._start_failure(_first(error)))
                    self._ready.exception()  # it is never lost: `start` raises it, or nobody waits any more
                if isinstance(error, asyncio.CancelledError):
                    raise

    def _start_failure(self, error: BaseException) -> BaseException:
        if isinstance(error, VerigymError | asyncio.CancelledError):
            return error
        words = without_secrets(words_of(error), self._secrets)[:_SHOWN]
        if isinstance(error, FileNotFoundError):
            return EnvironmentFailure(
                f"{self._shown}: the program does not exist. Install it, or correct command in {self._where}"
            )
        if "protocol version" in words:
            return EnvironmentFailure(
                f"{self._shown}: {words}. The installed package mcp {_version()} does not support it. "
                "Install another version of mcp or of the server"
            )
        if self._server.is_remote and type(error).__name__ == "ConnectError":
            return NoServer(f"{self._shown}: no server answers. Start it, or correct url in {self._where}")
        return InfrastructureFailure(
            f"{self._shown}: it could not be started ({type(error).__name__}: {words}).{self._last_words()}"
        )

    def _last_words(self) -> str:
        """The end of what the server wrote to standard error."""
        if self._log is None or self._log.closed:
            return ""
        self._log.seek(0)
        text = without_secrets(self._log.read()[-4 * _SHOWN :].strip(), self._secrets)[-_SHOWN:]
        return f" Its last words: {text}" if text else ""

    async def call(self, tool: str, arguments: Json, seconds: float | None) -> ToolResult:
        limit = seconds or DEFAULT_S
        try:
            async with asyncio.timeout(limit):
                result = await self._session.call_tool(tool, arguments)
        except TimeoutError:
            raise InfrastructureFailure(
                f"{self._shown}: {tool} did not answer within {limit:g} s. Check the server, or raise seconds"
            ) from None
        except Exception as error:
            code = getattr(getattr(error, "error", None), "code", None)
            words = without_secrets(words_of(error), self._secrets)[:_SHOWN]
            if isinstance(code, int) and code not in _CLOSED:  # the server answered with an error
                return ToolResult(output=words, failed=True)
            raise InfrastructureFailure(
                f"{self._shown}: it ended while {tool} ran ({type(error).__name__}: {words}).{self._last_words()}"
            ) from None
        failed = bool(getattr(result, "isError", False) or getattr(result, "is_error", False))
        return ToolResult(output=without_secrets(_text(result), self._secrets), failed=failed)

    async def stop(self) -> None:
        """Ends the session and its process."""
        self._end.set()
        holder = self._holder
        if holder is None:
            return
        if not self._ready.done():
            holder.cancel()
        done, _ = await asyncio.wait({holder}, timeout=_STOP_S)
        if not done:
            holder.cancel()
            await asyncio.wait({holder}, timeout=_STOP_S)


class McpPool:
    """Sessions of one server on one event loop: one per episode, and a few spare ones that are started ahead."""

    def __init__(self, name: str, server: McpServer, files: dict[str, bytes], where: str) -> None:
        self._name, self._server, self._files, self._where = name, server, files, where
        self._slots = asyncio.Semaphore(server.processes)
        self._spare: deque[asyncio.Task[McpSession]] = deque()
        self._stopping: set[asyncio.Task[None]] = set()
        self._taken = 0

    def _begin(self) -> "asyncio.Task[McpSession]":
        task = asyncio.create_task(McpSession(self._name, self._server, self._files, self._where).start())
        task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # told to whoever takes it
        return task

    async def take(self) -> McpSession:
        """A started session. Give it back with `give_back`."""
        await self._slots.acquire()
        self._taken += 1
        starting = self._spare.popleft() if self._spare else self._begin()
        ahead = 0 if self._server.is_remote else min(self._server.spare, self._server.processes - self._taken)
        while len(self._spare) < ahead:
            self._spare.append(self._begin())
        try:
            return await asyncio.shield(starting)
        except BaseException:
            if not starting.done():
                self._spare.append(starting)
            self._release()
            raise

    def _release(self) -> None:
        self._taken -= 1
        self._slots.release()

    def give_back(self, session: McpSession) -> None:
        """Ends a session in the background. No other episode gets it."""
        task = asyncio.create_task(session.stop())
        self._stopping.add(task)

        def stopped(_: object) -> None:
            self._stopping.discard(task)
            self._release()

        task.add_done_callback(stopped)

    async def close(self) -> None:
        spare, self._spare = [*self._spare], deque()

        async def end(starting: "asyncio.Task[McpSession]") -> None:
            with contextlib.suppress(Exception):
                await (await starting).stop()

        await asyncio.gather(*map(end, spare), *self._stopping, return_exceptions=True)


def list_tools(name: str, server: McpServer, files: dict[str, bytes], where: str) -> list[ListedTool]:
    """The tools of a server. Starts it once per process and settings."""
    return _listed(content_hash([name, server, sorted(files)]), name, _Hidden((server, files)), where)


class _Hidden:
    """An argument that a cache does not compare."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hidden)

    def __hash__(self) -> int:
        return 0


@functools.lru_cache(maxsize=64)
def _listed(key: str, name: str, settings: _Hidden, where: str) -> list[ListedTool]:
    server, files = settings.value

    async def ask() -> list[ListedTool]:
        session = await McpSession(name, server, files, where).start()
        await session.stop()
        return session.listed

    result: list[Any] = []

    def work() -> None:
        try:
            result.append(asyncio.run(ask()))
        except BaseException as error:
            result.append(error)

    thread = threading.Thread(target=work, daemon=True)  # the caller may be inside an event loop
    thread.start()
    thread.join()
    if isinstance(result[0], BaseException):
        raise result[0]
    return result[0]


@contextlib.contextmanager
def _private_folder(files: dict[str, bytes]) -> Any:
    folder = tempfile.mkdtemp(prefix="verigym-mcp-")
    try:
        for name, data in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.asynccontextmanager
async def _connected(server: McpServer, folder: str, log: Any) -> AsyncIterator[Any]:
    mcp = _sdk()

    def fill(text: str) -> str:
        return Template(text, "").fill({"folder": folder}) or ""

    async with contextlib.AsyncExitStack() as stack:
        if server.command:
            from mcp.client.stdio import stdio_client

            command = [fill(text) for text in server.command]
            env = {key: fill(text) for key, text in server.env.items()}
            given = mcp.StdioServerParameters(command=command[0], args=command[1:], env=env, cwd=folder)
            streams: Any = await stack.enter_async_context(stdio_client(given, errlog=log))
        else:
            from mcp.client import streamable_http

            headers = {key: fill(text) for key, text in server.headers.items()}
            client = streamable_http.create_mcp_http_client(headers=headers)  # type: ignore[attr-defined]
            await stack.enter_async_context(client)
            opened = streamable_http.streamable_http_client(server.url, http_client=client)
            streams = await stack.enter_async_context(opened)
        yield await stack.enter_async_context(mcp.ClientSession(*streams[:2]))


async def _list(session: Any) -> list[ListedTool]:
    from mcp.types import PaginatedRequestParams

    tools: list[ListedTool] = []
    cursor: Any = None
    while True:
        page = (
            await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
            if cursor
            else await session.list_tools()
        )
        for tool in page.tools:
            schema = getattr(tool, "inputSchema", None) or getattr(tool, "input_schema", None) or {}
            notes = getattr(tool, "annotations", None)
            read_only = getattr(notes, "readOnlyHint", None) or getattr(notes, "read_only_hint", None)
            spec = ToolSpec(name=tool.name, description=tool.description or "", parameters=schema)
            tools.append(ListedTool(spec, bool(read_only)))
        cursor = getattr(page, "nextCursor", None) or getattr(page, "next_cursor", None)
        if not cursor or len(tools) > _MOST_TOOLS:
            return tools


def _text(result: Any) -> str:
    """The content of a result as text. Other parts are named."""
    parts: list[str] = []
    for part in result.content:
        resource = getattr(part, "resource", None)
        text = getattr(part, "text", None) or getattr(resource, "text", None)
        kind = getattr(part, "mimeType", None) or getattr(part, "mime_type", None) or part.type
        parts.append(text if isinstance(text, str) else "" if part.type == "text" else f"[{kind}]")
    return "\n".join(parts)


def _first(error: BaseException) -> BaseException:
    """The first exception of a group that says something."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return error


def _sdk() -> Any:
    try:
        import mcp
    except ImportError as error:
        raise BadInput(f"MCP tools need the package mcp. Install it: {install_command('mcp')}") from error
    return mcp


def _version() -> str:
    return importlib.metadata.version("mcp")
