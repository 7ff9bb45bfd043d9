"""A tools file: YAML that declares tools which exist already, so that no Python is needed to offer them.

    tools:
      - name: orders.get
        description: Look up an order.
        parameters: {type: object, properties: {id: {type: string}}, required: [id]}
        http: GET https://api.example.com/orders/{id}

`toolkinds` has the kinds of tool, one file each. `episode_tools` runs the calls of an episode, and `with_tools` adds the tools to
an environment. docs/reference/tools-file.md describes every key.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from verigym.core import settings
from verigym.core.errors import BadInput, EnvironmentFailure, not_found
from verigym.core.expressions import Expression
from verigym.core.records import Json, ToolSpec, content_hash
from verigym.harness.openapi import is_pattern
from verigym.harness.state_tools import DeclaredTool, arguments_reader
from verigym.harness.toolkinds import command as commands
from verigym.harness.toolkinds import mcp, python
from verigym.harness.toolkinds.command import Command, CommandTool
from verigym.harness.toolkinds.http import Http, HttpTool, read_short
from verigym.harness.toolkinds.mcp import McpServer
from verigym.harness.toolkinds.python import PythonTool
from verigym.harness.toolkinds.replay import Recording, Replay
from verigym.harness.toolkinds.search import DESCRIPTION, PARAMETERS, Search, SearchTool

SUFFIXES = (".yaml", ".yml")
KINDS = ("python", "http", "command", "mcp", "search")
_SEE = ". docs/reference/tools-file.md describes every key"
_WHAT = "a tools file is a list of keys and values that begins with tools:"
_EMPTY: Json = {"type": "object", "properties": {}}


class ToolEntry(Struct, forbid_unknown_fields=True, kw_only=True):
    """One entry of `tools`. It has exactly one of `python`, `http`, `command`, `mcp` and `search`."""

    name: str
    description: str = ""
    parameters: Json | None = None
    """JSON schema of the arguments."""
    seconds: float | None = None
    """Maximum duration of a call."""
    calls: int | None = None
    """Maximum number of calls in an episode."""
    concurrency: int | None = None
    """Maximum number of live calls at once, over all episodes of the process."""
    rate: float | None = None
    """Maximum number of live calls per second."""
    unsafe_if: str = ""
    """When a call is unsafe: an expression over the arguments, or `FILE.py:FUNCTION`."""
    read_only: bool | None = None
    """Whether the tool changes nothing. By default: GET requests, searches, and what an MCP server says."""
    python: str = ""
    http: str | Http | None = None
    command: list[str] | Command | None = None
    mcp: str = ""
    """`SERVER`, or `SERVER/TOOL` if the tool has another name there."""
    search: str | Search | None = None


class ToolsConfig(Struct, forbid_unknown_fields=True, kw_only=True):
    """The content of a tools file."""

    tools: list[ToolEntry] = []
    servers: dict[str, McpServer] = {}
    """MCP servers by name."""
    base_url: str = ""
    """Begin of every HTTP address that starts with /."""
    headers: dict[str, str] = {}
    """Headers of every HTTP tool."""
    hosts: list[str] = []
    """Hosts that a redirect may lead to, besides the host of the address."""
    files: str = ""
    """Folder whose files every episode's working folder starts with, for commands and MCP servers."""
    replay: str | Replay = ""


class LoadedTool(Struct, frozen=True, kw_only=True):
    """A tool that can be called."""

    entry: ToolEntry
    spec: ToolSpec
    work: PythonTool | HttpTool | CommandTool | SearchTool | None
    """None for a tool of an MCP server."""
    server: str = ""
    server_tool: str = ""
    live: bool = False
    """Whether a call reaches a server that others use."""
    read_only: bool = False
    unsafe_if: Callable[..., bool] | None = None

    @property
    def declared(self) -> DeclaredTool:
        """The tool for the harness. Other kinds than Python functions keep their limit in seconds themselves, without the time
        that a call waits for its turn."""
        seconds = self.work.seconds if isinstance(self.work, PythonTool) else None
        return DeclaredTool(spec=self.spec, seconds=seconds, calls=self.entry.calls, unsafe_if=self.unsafe_if)


class ToolsFile:
    """A tools file that was read and checked."""

    def __init__(self, path: Path) -> None:
        self.path, self.folder = path, path.parent
        where = str(path)
        self.config = read_config(path)
        self.files = commands.files_of(self.folder / self.config.files, where) if self.config.files else {}
        for name, server in self.config.servers.items():
            mcp.check_server(name, server, where)
        self.tools: dict[str, LoadedTool] = {}
        for index, entry in enumerate(self.config.tools):
            self._add(self._loaded(entry, f"{where}: tools[{index}] ({entry.name})"), where)
        for name, server in self.config.servers.items():
            if server.offer:
                self._add_listed(name, server, where)
        if not self.tools:
            raise BadInput(f"{where} offers no tools. Add an entry under tools, or a server{_SEE}")
        self.replay = self._replay(where)
        self.hash = content_hash(
            {
                "config": self.config,
                "sources": {name: content_hash(data) for name, data in self.bundle().items() if name != path.name},
                "listed": [tool.spec for tool in self.tools.values() if tool.server],
            }
        )
        """Changes if a tool, its code or its documents change."""

    @property
    def live(self) -> list[str]:
        """Names of the tools whose calls reach a server, because no record answers them."""
        recorded = self.replay.settings.tools or self.tools if self.replay else ()
        return [name for name, tool in self.tools.items() if tool.live and name not in recorded]

    @property
    def declared(self) -> list[DeclaredTool]:
        return [tool.declared for tool in self.tools.values()]

    @property
    def read_only(self) -> list[str]:
        return [name for name, tool in self.tools.items() if tool.read_only]

    def bundle(self) -> dict[str, bytes]:
        """The file and all files beside it that its tools need, by their relative paths."""
        paths = [self.path]
        for entry in self.config.tools:
            named = [entry.python, *([entry.unsafe_if] if is_function(entry.unsafe_if) else [])]
            for file in (python.file_of(text, self.folder) for text in named if text):
                paths += python.files_of(file) if file is not None else []
        for tool in self.tools.values():
            paths += tool.work.files.values() if isinstance(tool.work, SearchTool) else []
        paths += [self.folder / self.config.files / name for name in self.files]
        bundle: dict[str, bytes] = {}
        for path in paths:
            try:
                name = path.resolve().relative_to(self.folder.resolve()).as_posix()
            except ValueError:
                raise BadInput(
                    f"{self.path}: {path} is outside the folder of the tools file. Move it beside the file"
                ) from None
            bundle[name] = path.read_bytes()
        return bundle

    def _add(self, tool: LoadedTool, where: str) -> None:
        if tool.spec.name in self.tools:
            raise BadInput(f'{where}: two tools are named "{tool.spec.name}". Rename one')
        try:
            arguments_reader(tool.spec)({})  # an invalid schema is refused now, not in the first episode
        except EnvironmentFailure as error:
            raise BadInput(f"{where}: {error}") from error
        except ValueError:
            pass  # the schema demands arguments
        for pattern in _patterns(tool.spec.parameters):
            if not is_pattern(pattern):
                raise BadInput(
                    f"{where}: {tool.spec.name}: the pattern {pattern} is not a regular expression of Python"
                )
        self.tools[tool.spec.name] = tool

    def _loaded(self, entry: ToolEntry, where: str) -> LoadedTool:
        check_entry(entry, where)
        spec = ToolSpec(name=entry.name, description=entry.description, parameters=entry.parameters or _EMPTY)
        work: Any = None
        server = server_tool = ""
        read_only = live = False
        if entry.python:
            work = PythonTool(entry.name, entry.python, self.folder, entry.seconds, where)
            spec = ToolSpec(
                name=entry.name,
                description=entry.description or work.spec.description,
                parameters=entry.parameters or work.spec.parameters,
            )
        elif entry.http is not None:
            work = HttpTool(entry.name, self._http(entry.http, where), entry.seconds, self.config.hosts, where)
            read_only, live = work.read_only, True
        elif entry.command is not None:
            given = Command(argv=entry.command) if isinstance(entry.command, list) else entry.command
            work = CommandTool(entry.name, given, entry.seconds, where)
        elif entry.search is not None:
            given = Search(folder=entry.search) if isinstance(entry.search, str) else entry.search
            work = SearchTool(entry.name, given, self.folder / given.folder, where)
            read_only = True
            spec = ToolSpec(
                name=entry.name, description=entry.description or DESCRIPTION, parameters=entry.parameters or PARAMETERS
            )
        else:
            server, _, server_tool = entry.mcp.partition("/")
            if server not in self.config.servers:
                raise BadInput(f"{where}: {not_found('server', server, self.config.servers, 'Add it under servers.')}")
            server_tool = server_tool or entry.name
            live = self.config.servers[server].is_remote
            if entry.parameters is None:
                spec, read_only = self._described(spec, server, server_tool, where)
        if isinstance(work, HttpTool | CommandTool):
            _check_names(work.names, spec, where)
            if isinstance(work, HttpTool):
                _check_needed(work.needed, spec, where)
        return LoadedTool(
            entry=entry,
            spec=spec,
            work=work,
            server=server,
            server_tool=server_tool,
            live=live,
            read_only=read_only if entry.read_only is None else entry.read_only,
            unsafe_if=_unsafe_if(entry.unsafe_if, spec, self.folder, where),
        )

    def _http(self, given: str | Http, where: str) -> Http:
        http = read_short(given, where) if isinstance(given, str) else given
        url = http.url
        if url.startswith("/") and self.config.base_url:
            url = self.config.base_url.rstrip("/") + url
        return msgspec.structs.replace(http, url=url, headers={**self.config.headers, **http.headers})

    def _described(self, spec: ToolSpec, server: str, tool: str, where: str) -> tuple[ToolSpec, bool]:
        """What the server says about a tool that the file does not describe."""
        listed = {each.spec.name: each for each in self._listed(server, where)}
        if tool not in listed:
            raise BadInput(
                f"{where}: {not_found('tool', tool, listed, f'These are the tools of the server {server}.')}"
            )
        found = listed[tool]
        description = spec.description or found.spec.description
        return ToolSpec(name=spec.name, description=description, parameters=found.spec.parameters), found.read_only

    def _listed(self, server: str, where: str) -> list[mcp.ListedTool]:
        return mcp.list_tools(server, self.config.servers[server], self.files, where)

    def _add_listed(self, name: str, server: McpServer, where: str) -> None:
        """Offers the tools that a server lists, or those that `offer` names."""
        described = {tool.server_tool for tool in self.tools.values() if tool.server == name}
        listed = {each.spec.name: each for each in self._listed(name, where)}
        wanted = list(listed) if server.offer is True else server.offer or []
        for tool in [*wanted, *server.rename]:
            if tool not in listed:
                raise BadInput(
                    f"{where}: {not_found('tool', tool, listed, f'These are the tools of the server {name}.')}"
                )
        for tool in wanted:
            if tool in described:
                continue
            shown = server.rename.get(tool, tool)
            loaded = LoadedTool(
                entry=ToolEntry(name=shown, mcp=f"{name}/{tool}"),
                spec=msgspec.structs.replace(listed[tool].spec, name=shown),
                work=None,
                server=name,
                server_tool=tool,
                live=server.is_remote,
                read_only=listed[tool].read_only,
            )
            self._add(loaded, where)

    def _replay(self, where: str) -> Recording | None:
        given = self.config.replay
        if not given:
            return None
        replay = Replay(file=given) if isinstance(given, str) else given
        for name in replay.tools:
            if name not in self.tools:
                raise BadInput(f"{where}: replay: {not_found('tool', name, self.tools)}")
        return Recording(self.folder / replay.file, replay)


def read_config(path: Path) -> ToolsConfig:
    """Reads and checks the keys of a tools file. Nothing is started."""
    data = settings.read_yaml(path, _WHAT)
    where = str(path)
    lists: Json = {key: None for key in ("tools", "servers") if key in data}  # their members are checked below
    settings.check_keys({**data, **lists}, ToolsConfig, where)
    tools, servers = data.get("tools"), data.get("servers")
    for index, entry in enumerate(tools if isinstance(tools, list) else []):
        if not isinstance(entry, dict):
            raise BadInput(f"{where}: tools[{index}] must be keys and values, such as name and http{_SEE}")
        settings.check_keys(entry, ToolEntry, f"{where}: tools[{index}] ({entry.get('name', 'no name')})")
    for name, server in servers.items() if isinstance(servers, dict) else ():
        if isinstance(server, dict):
            settings.check_keys(server, McpServer, f"{where}: servers.{name}")
    return settings.decode(data, ToolsConfig, where, see=_SEE)


_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def check_entry(entry: ToolEntry, where: str) -> None:
    kinds = [kind for kind in KINDS if getattr(entry, kind)]
    if len(kinds) != 1:
        has = f"has {' and '.join(kinds)}" if kinds else "has no kind"
        raise BadInput(f"{where}: the tool {has}. It needs exactly one of {', '.join(KINDS)}{_SEE}")
    if not _NAME.fullmatch(entry.name):
        raise BadInput(f'{where}: the name "{entry.name}" is not valid. Use at most 64 letters, digits and . _ -')
    limits = {name: getattr(entry, name) for name in ("seconds", "calls", "concurrency", "rate")}
    for name, limit in limits.items():
        if limit is not None and not limit > 0:
            raise BadInput(f"{where}: {name} must be more than 0, not {limit:g}")


def is_function(text: str) -> bool:
    """Whether `unsafe_if` names a function."""
    return re.fullmatch(r"[\w./-]+:\w+", text) is not None


def _unsafe_if(text: str, spec: ToolSpec, folder: Path, where: str) -> Callable[..., bool] | None:
    """The rule as the harness calls it: `rule(state, **arguments)`."""
    if not text:
        return None
    if is_function(text):
        function = python.find_function(text, folder, f"{where}: unsafe_if")
        return lambda state, /, **arguments: bool(function(**arguments))
    try:
        expression = Expression(text)
    except BadInput as error:
        raise BadInput(f"{where}: unsafe_if: {error}. Or name a function: FILE.py:FUNCTION") from error
    _check_names(expression.names, spec, f"{where}: unsafe_if")
    missing = dict.fromkeys(expression.names)
    return lambda state, /, **arguments: bool(expression.value({**missing, **arguments}))


def _check_names(names: "set[str] | frozenset[str]", spec: ToolSpec, where: str) -> None:
    known = spec.parameters.get("properties")
    if not isinstance(known, dict) or spec.parameters.get("additionalProperties"):
        return
    for name in sorted(names):
        if name not in known:
            raise BadInput(f"{where}: {not_found('parameter', name, known, 'Declare it under parameters.properties.')}")


def _check_needed(names: list[str], spec: ToolSpec, where: str) -> None:
    """An address without one of its arguments is not an address."""
    for name in names:
        if name not in spec.parameters.get("required", []):
            raise BadInput(f"{where}: the url needs {{{name}}}. Add {name} to parameters.required")


def _patterns(schema: Any) -> list[Any]:
    """The regular expressions of a schema. A property may be named `pattern`, and is then a schema."""
    if isinstance(schema, list):
        return [pattern for each in schema for pattern in _patterns(each)]
    if not isinstance(schema, dict):
        return []
    own = [schema["pattern"]] if isinstance(schema.get("pattern"), str) else []
    return own + [
        pattern for key, each in schema.items() if key not in ("enum", "const") for pattern in _patterns(each)
    ]
