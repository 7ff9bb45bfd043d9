"""Writes a tools file from an OpenAPI description or from the tools that an MCP server lists."""

import shlex
from typing import Any

from verigym.core.errors import BadInput
from verigym.core.records import Json
from verigym.harness.openapi import ImportedTools
from verigym.harness.toolkinds.mcp import ListedTool, McpServer

_HEAD = """\
# Tools for Verigym, written by verigym init from {source}.
# docs/reference/tools-file.md describes every key. Delete the tools that your agent does not need.
"""
_REPLAY = """\
# Answer repeated calls from a record, so that your server gets each call once:
# replay: calls.jsonl
"""
_DELETES = """\
    # This tool deletes something. Say when a call is unsafe, for example: unsafe_if: "true"
"""


def from_openapi(imported: ImportedTools, source: str) -> str:
    """The text of a tools file for the operations of an API."""
    parts = [_HEAD.format(source=source)]
    parts += [f"# {note}\n" for note in imported.notes]
    parts.append(_dump({"base_url": imported.base_url}))
    if imported.headers:
        parts.append(_dump({"headers": imported.headers}))
    parts.append(_REPLAY)
    parts.append("tools:\n")
    for entry in imported.tools:
        parts.append(_entry(entry))
        parts += [_DELETES] if entry["name"] in imported.dangerous else []
    return "".join(parts)


def from_mcp(server: McpServer, listed: list[ListedTool], source: str) -> str:
    """The text of a tools file for the tools of an MCP server. They are written out, so they cannot change unnoticed."""
    settings: Json = {"command": server.command} if server.command else {"url": server.url}
    parts = [_HEAD.format(source=source), _dump({"servers": {"server": {**settings, "offer": False}}})]
    parts += [_REPLAY] if server.is_remote else []
    parts.append("tools:\n")
    for tool in listed:
        spec = tool.spec
        entry = {"name": spec.name, "description": spec.description, "parameters": spec.parameters, "mcp": "server"}
        entry |= {"read_only": True} if tool.read_only else {}
        parts.append(_entry(entry))
    return "".join(parts)


def server_of(text: str) -> McpServer:
    """`--mcp`: an address, or a command line."""
    if text.startswith(("http://", "https://")):
        return McpServer(url=text)
    try:
        command = shlex.split(text)
    except ValueError as error:
        raise BadInput(f"--mcp: the command line cannot be read: {error}. Check the quotes") from error
    if not command:
        raise BadInput("--mcp: the command is empty. Write a command line or an address")
    return McpServer(command=command)


def _entry(entry: Json) -> str:
    """One member of the list `tools`."""
    lines = _dump({key: value for key, value in entry.items() if value != ""}).splitlines()
    return "".join(f"{'  - ' if at == 0 else '    '}{line}\n" for at, line in enumerate(lines))


def _dump(value: Any) -> str:
    import yaml

    return yaml.dump(value, Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=120, default_flow_style=False)


def _dumper() -> Any:
    import yaml

    class Dumper(yaml.SafeDumper):
        """Without anchors, which are hard to read."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    return Dumper
