"""Models behind servers: addresses such as `URL#MODEL?options`, and their names in HOME/servers.json (`-m NAME`)."""

import contextlib
import re
import urllib.parse
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from verigym.core.errors import BadInput, NotFound, Refused, not_found
from verigym.core.protocols import Policy
from verigym.model import embedded
from verigym.tasks.files import write_whole

if TYPE_CHECKING:
    from verigym.policies.remote_scores import RemoteScores
    from verigym.workspace.workspace import WorkspaceFolder

FILE = "servers.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_RESERVED = {"champion", "latest", embedded.NAME}
_CONNECTION = ("timeout_s", "retries", "concurrency", "key_env")
"""Options of an address that do not change which agent answers."""


class _Options(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Options after the model's name in an address. `RemotePolicy` has the defaults."""

    api: Literal["chat", "responses"] | None = None
    tools: Literal["native", "text"] | None = None
    token_ids: bool | None = None
    reasoning_field: Annotated[str, msgspec.Meta(min_length=1)] | None = None
    timeout_s: float | None = None
    retries: int | None = None
    concurrency: int | None = None
    key_env: Annotated[str, msgspec.Meta(min_length=1)] | None = None


def without_connection_options(text: str) -> str:
    """A server's address without connection options. A longer timeout does not make another agent."""
    url, _, rest = text.partition("#")
    model, mark, query = rest.partition("?")
    if not mark or not text.startswith(("http://", "https://")):
        return text
    kept = "&".join(part for part in query.split("&") if part.partition("=")[0] not in _CONNECTION)
    return f"{url}#{model}?{kept}" if kept else f"{url}#{model}"


def open_server(address: str) -> Policy:
    """Opens `http://localhost:8000/v1#model`, with options such as `?api=responses&tools=text` after the model's name."""
    from verigym.policies.remote import RemotePolicy

    url, model, options = _parse(address)
    return RemotePolicy(url, model, **msgspec.to_builtins(options))


def open_scores(address: str, retries: int | None = None) -> "RemoteScores":
    """Opens the server at an address to score given tokens. Only its connection options apply. `retries` replaces that one."""
    from verigym.policies.remote_scores import RemoteScores

    url, model, options = _parse(address)
    given = {name: value for name, value in msgspec.to_builtins(options).items() if name in _CONNECTION}
    given |= {"retries": retries} if retries is not None else {}
    return RemoteScores(url, model, **given)


def _parse(address: str) -> tuple[str, str, _Options]:
    url, _, rest = address.partition("#")
    model, _, query = rest.partition("?")
    if re.search(r"(?i)[?&][^=&]*(key|token|secret|password|sig)[^=&]*=", url):
        raise BadInput(
            f"The address of {url.partition('?')[0]} contains a key, and addresses are stored. "
            "Put the key into an environment variable and name the variable with key_env"
        )
    try:
        given = dict(urllib.parse.parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)))
        options = msgspec.convert(given, _Options, strict=False)
        if not model:
            raise ValueError("the model's name is missing")
    except ValueError as error:
        raise BadInput(
            f'"{address}" is not a valid server address: {error}. Write URL#MODEL, such as http://localhost:8000/v1#qwen. '
            "Options: ?api=chat|responses&tools=native|text&token_ids=true&reasoning_field=NAME&timeout_s=600&retries=4"
            "&concurrency=256&key_env=NAME"
        ) from error
    return url, model, options


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
            f'"{name}" is not a valid server name. Use letters, digits, ".", "_" and "-". Begin with a letter or digit. '
            f"These names are reserved: {', '.join(sorted(_RESERVED))}"
        )
    if not address.startswith(("http://", "https://")):
        raise BadInput(f'"{address}" is not a server. Write URL#MODEL, such as http://localhost:8000/v1#qwen')
    open_server(address)  # refuses a wrong address
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
    try:
        ws.find(name)
    except NotFound:
        return False
    return True


def _write(home: Path, servers: dict[str, str]) -> None:
    body = msgspec.json.format(msgspec.json.encode(dict(sorted(servers.items()))), indent=2)
    with contextlib.suppress(OSError):  # write_whole explains it
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(home / FILE, lambda file: file.write(body + b"\n"))
