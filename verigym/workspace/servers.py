"""Named model servers of a workspace: `-m NAME` instead of `-m URL#MODEL?options`. Stored in HOME/servers.json."""

import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from verigym.core.errors import BadInput, NotFound, Refused, not_found
from verigym.model import embedded

if TYPE_CHECKING:
    from verigym.workspace.workspace import WorkspaceFolder

FILE = "servers.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_RESERVED = {"champion", "latest", embedded.NAME}


def read_servers(home: Path) -> dict[str, str]:
    """Addresses (URL#MODEL with options) by name."""
    path = home / FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        return {}
    except (msgspec.DecodeError, OSError) as error:
        raise BadInput(f"{path}: {error}. It must be a JSON object of names and addresses") from error


def add_server(ws: "WorkspaceFolder", name: str, address: str, *, replace: bool = False) -> None:
    """Names the server at `address`. A name that already means something else is refused."""
    if not _NAME.fullmatch(name) or name in _RESERVED:
        raise BadInput(
            f'"{name}" cannot name a server. Use letters, digits, ".", "_" and "-". '
            f"These names are reserved: {', '.join(sorted(_RESERVED))}"
        )
    ws.check_address(address)
    servers = read_servers(ws.home)
    if name in servers and servers[name] != address and not replace:
        raise Refused(f"Server {name} exists with another address: {servers[name]}. Pass --replace to change it")
    if name not in servers and _is_version(ws, name):
        raise Refused(f'"{name}" is the name of a version. Choose another name for the server')
    _write(ws.home, {**servers, name: address})


def find_server(home: Path, name: str) -> str:
    """The address of a named server."""
    servers = read_servers(home)
    if name not in servers:
        raise not_found("server", name, servers, "Add one: verigym servers add NAME URL#MODEL")
    return servers[name]


def remove_server(home: Path, name: str) -> str:
    """Removes a server and returns its address. Versions that used it stay."""
    address = find_server(home, name)
    _write(home, {other: url for other, url in read_servers(home).items() if other != name})
    return address


def _is_version(ws: "WorkspaceFolder", name: str) -> bool:
    from verigym.registry import versions

    try:
        versions.resolve(ws.store, name)
    except NotFound:
        return False
    return True


def _write(home: Path, servers: dict[str, str]) -> None:
    home.mkdir(parents=True, exist_ok=True)
    body = msgspec.json.format(msgspec.json.encode(dict(sorted(servers.items()))), indent=2)
    with tempfile.NamedTemporaryFile(dir=home, prefix=".servers-", delete=False) as file:
        file.write(body + b"\n")
    os.replace(file.name, home / FILE)
