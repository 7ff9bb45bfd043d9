"""A client of the MCP SDK, version 1 or 2: lists the tools of a server and calls some. Prints one line of JSON.

python mcp_client.py URL CALLS.json            # streamable HTTP
python mcp_client.py stdio CALLS.json COMMAND...
"""

import asyncio
import contextlib
import importlib
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any


@contextlib.asynccontextmanager
async def streams(where: str, command: list[str]) -> AsyncIterator[tuple[Any, Any]]:
    if where == "stdio":
        stdio: Any = importlib.import_module("mcp.client.stdio")
        options = stdio.StdioServerParameters(command=command[0], args=command[1:])
        async with stdio.stdio_client(options) as (read, write):
            yield read, write
        return
    http: Any = importlib.import_module("mcp.client.streamable_http")
    connect = getattr(http, "streamable_http_client", None) or http.streamablehttp_client
    async with connect(where) as found:
        yield found[0], found[1]


async def main(where: str, calls: str, *command: str) -> None:
    mcp: Any = importlib.import_module("mcp")
    async with streams(where, list(command)) as (read, write), mcp.ClientSession(read, write) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        failed = []
        for call in json.loads(Path(calls).read_text()):
            result = await session.call_tool(call["name"], call["arguments"])
            failed.append(getattr(result, "is_error", None) or getattr(result, "isError", False))
    print(json.dumps({"tools": tools, "failed": failed}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
