"""Runs resources servers of the nemo-gym wheel in processes of their own, in the virtual environment of the bridge.

The servers of the wheel never release a session, so a new process takes over after `_SESSIONS` sessions, and the old one stops
after its last.
"""

import ast
import json
from pathlib import Path
from typing import Any

import aiohttp

from verigym.core.errors import BadInput, InfrastructureFailure, not_found
from verigym.environments.bridges import processes
from verigym.environments.bridges.install import folder_of, python_of, require
from verigym.environments.bridges.processes import ChildProcess, ProcessPool

_SESSIONS = 1000


def wheel_folder() -> Path:
    """The folder of the resources servers in the wheel."""
    require("nemogym")
    return next((folder_of("nemogym") / "lib").glob("python*")) / "site-packages" / "resources_servers"


def names() -> list[str]:
    """The servers of the wheel that have example rows."""
    return sorted(path.parents[1].name for path in wheel_folder().glob("*/data/example.jsonl"))


def example_rows(name: str) -> Path:
    path = wheel_folder() / name / "data" / "example.jsonl"
    if not path.is_file():
        raise not_found("resources server of nemo-gym with example rows", name, names())
    return path


def verdict_needs_only_record(name: str) -> bool:
    """Whether `verify` of a server takes only the body. One that takes the request reads its session."""
    tree = ast.parse((wheel_folder() / name / "app.py").read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef) and node.name == "verify"]
    return bool(functions) and all("request" not in {arg.arg for arg in each.args.args} for each in functions)


def servers(name: str, options: dict[str, Any]) -> ProcessPool:
    """The processes of one server."""

    def start() -> ChildProcess:
        script = Path(__file__).with_name("nemogym_server.py")
        command = [str(python_of("nemogym")), "-P", str(script), name, json.dumps(options)]
        try:
            return ChildProcess(f'The nemo-gym server "{name}"', command)
        except BadInput as error:
            raise BadInput(f"{error}. It may need keys or packages") from error

    return ProcessPool(start, lifetime=_SESSIONS)


async def post(http: aiohttp.ClientSession, url: str, body: Any) -> tuple[int, str]:
    """Status and text of an answer. A server that cannot be reached, or fails, is a failure of the infrastructure."""
    status, text = await processes.post(http, url, body, "Check that the resources server is running")
    if status >= 500:
        raise InfrastructureFailure(f"{url}: status {status}: {text[:300]}")
    return status, text
