"""A tool that is an HTTP endpoint: `http: GET https://api.example.com/orders/{id}`.

Headers and query values may name environment variables (`${API_TOKEN}`), whose values never reach a record. A redirect is
followed only to an allowed host. Not supported: cookies, proxies and files.
"""

import asyncio
import contextlib
import urllib.parse
from collections.abc import AsyncIterator, Mapping
from typing import Any, Literal

import aiohttp
from msgspec import Struct
from yarl import URL

from verigym.core.errors import BadInput, EnvironmentFailure, InfrastructureFailure, NoServer
from verigym.core.records import Json
from verigym.harness.state_tools import ToolResult
from verigym.harness.toolkinds.templates import Structure, Template, as_text, without_secrets

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
DEFAULT_S = 30.0
_MOST_REDIRECTS = 5
_RETRIED = {429, 503}
"""Answers that say that the request was not processed."""
_MOST_RETRIES = 3
_IDLE_S = 4.0
_SHOWN = 300
_TEXT = ("text/", "json", "xml", "javascript", "yaml", "x-www-form-urlencoded", "graphql")


class Http(Struct, forbid_unknown_fields=True, kw_only=True):
    """The settings of an endpoint."""

    url: str
    """`https://api.example.com/orders/{id}`, or `/orders/{id}` after the file's `base_url`."""
    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] = "GET"
    query: dict[str, str] = {}
    headers: dict[str, str] = {}
    body: Any = None
    """Data with `{argument}` in it. Without it, the arguments that nothing else uses are sent."""
    encoding: Literal["json", "form"] = "json"
    max_kb: int = 256
    """Larger answers are cut."""


class HttpTool:
    """Calls one endpoint."""

    read_only: bool

    def __init__(self, name: str, settings: Http, seconds: float | None, hosts: list[str], where: str) -> None:
        self.name, self._settings = name, settings
        self._seconds = seconds or DEFAULT_S
        self._where = where
        self.read_only = settings.method in ("GET", "HEAD", "OPTIONS")
        self._url = Template(settings.url, where)
        self._origin = _origin(settings.url, where)
        self._allowed = {self._origin.host, *hosts}
        self._query = {key: Template(text, where) for key, text in settings.query.items()}
        self._headers = {key: Template(text, where) for key, text in settings.headers.items()}
        self._body = None if settings.body is None else Structure(settings.body, where)
        templates = [self._url, *self._query.values(), *self._headers.values(), *([self._body] if self._body else [])]
        self._used = {name for template in templates for name in template.names}
        self.secrets = list(dict.fromkeys(name for template in templates for name in template.secrets))
        if self._url.secrets or (self._body is not None and self._body.secrets):
            raise BadInput(f"{where}: ${{...}} is allowed in headers and query only. Move the secret there")
        if settings.max_kb < 1:
            raise BadInput(f"{where}: max_kb must be at least 1")

    @property
    def names(self) -> set[str]:
        """The arguments that the templates use."""
        return self._used

    @property
    def needed(self) -> list[str]:
        """The arguments that the URL cannot do without."""
        return self._url.names

    async def call(self, session: aiohttp.ClientSession, arguments: Json) -> ToolResult:
        url, headers, data = self._request(arguments)
        try:
            async with asyncio.timeout(self._seconds):
                return await self._answer(session, url, headers, data)
        except TimeoutError:
            raise InfrastructureFailure(
                f"{self.name}: {self._origin} did not answer within {self._seconds:g} s. Check the server, or raise seconds"
            ) from None
        except aiohttp.ClientConnectorError as error:
            if isinstance(error.os_error, ConnectionRefusedError):
                raise NoServer(
                    f"{self.name}: no server answers at {self._origin}. Start it, or correct the url in {self._where}"
                ) from None
            raise self._broken(error) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise self._broken(error) from None  # an exception of aiohttp may contain a header

    def _broken(self, error: Exception) -> InfrastructureFailure:
        words = self._hidden(str(error))[:_SHOWN]
        return InfrastructureFailure(
            f"{self.name}: the connection to {self._origin} failed ({type(error).__name__}: {words})"
        )

    def _request(self, arguments: Json) -> tuple[URL, dict[str, str], Any]:
        """The address, the headers and the body of a call."""
        settings = self._settings
        path = self._url.fill(arguments, _segment)
        if path is None:
            missing = [name for name in self._url.names if arguments.get(name) is None]
            raise ValueError(f"the argument {missing[0]} is missing")
        url = URL(path, encoded=True)
        query: list[tuple[str, str]] = []
        for key, template in self._query.items():
            value = arguments.get(template.whole) if template.whole is not None else template.fill(arguments)
            query += _pairs(key, value)
        left = {name: value for name, value in arguments.items() if name not in self._used and value is not None}
        has_body = settings.method in ("POST", "PUT", "PATCH") or self._body is not None
        if not has_body:
            for key, value in left.items():
                query += _pairs(key, value)
        if query:
            url = url.extend_query(query)
        headers: dict[str, str] = {}
        for key, template in self._headers.items():
            value = template.fill(arguments)
            if value is not None:
                if "\r" in value or "\n" in value or "\0" in value:
                    raise ValueError(f"the header {key} cannot contain a line break")
                headers[key] = value
        if not has_body:
            return url, headers, {}
        body = left if self._body is None else self._body.fill(arguments)
        if settings.encoding == "form":
            pairs = [pair for key, value in (body or {}).items() for pair in _pairs(key, value)]
            return url, headers, {"data": aiohttp.FormData(pairs)}
        return url, headers, {"json": body}

    async def _answer(
        self, session: aiohttp.ClientSession, url: URL, headers: dict[str, str], data: Json
    ) -> ToolResult:
        method, retries = self._settings.method, 0
        for _ in range(_MOST_REDIRECTS + _MOST_RETRIES + 1):
            async with session.request(method, url, headers=headers, allow_redirects=False, **data) as response:
                target = response.headers.get("Location")
                if response.status in (301, 302, 303, 307, 308) and target:
                    url, headers = self._redirect(url.join(URL(target)), url, headers)
                    if response.status == 303 or (response.status in (301, 302) and method == "POST"):
                        method, data = "GET", {}
                    continue
                wait_s = _wait_s(response.headers) if response.status in _RETRIED else None
                if wait_s is None or retries == _MOST_RETRIES:
                    return self._result(response, *await _read(response, self._settings.max_kb << 10))
            retries += 1
            await asyncio.sleep(wait_s)
        raise EnvironmentFailure(f"{self.name}: {self._origin} redirected more than {_MOST_REDIRECTS} times")

    def _redirect(self, target: URL, url: URL, headers: dict[str, str]) -> tuple[URL, dict[str, str]]:
        if target.host not in self._allowed or target.scheme not in ("http", "https"):
            raise EnvironmentFailure(
                f"{self.name}: {self._origin} redirects to {target.host}, which is not allowed. "
                f"Add it to hosts in {self._where}, or use the final address"
            )
        if target.origin() == url.origin():
            return target, headers
        return target, {key: value for key, value in headers.items() if not self._headers[key].secrets}

    def _result(self, response: aiohttp.ClientResponse, body: bytes, cut: bool) -> ToolResult:
        status, kind = response.status, response.content_type
        text = self._hidden(_as_text(body, kind, response.charset))
        if status in _RETRIED or status >= 500:
            raise InfrastructureFailure(
                f"{self.name}: {self._origin} answered with HTTP status {status}: {text[:_SHOWN]}. Check the server"
            )
        if status == 401 and self.secrets:
            raise EnvironmentFailure(
                f"{self.name}: {self._origin} refused the credentials (HTTP status 401). Check {', '.join(self.secrets)}"
            )
        if cut:
            text += f"\n... (cut at {self._settings.max_kb} kB)"
        failed = not 200 <= status < 300
        return ToolResult(output=f"HTTP status {status}: {text}" if failed else text, failed=failed)

    def _hidden(self, text: str) -> str:
        return without_secrets(text, self.secrets)


@contextlib.asynccontextmanager
async def open_session() -> AsyncIterator[aiohttp.ClientSession]:
    """A session for all endpoints of a file. Episodes share no cookies."""
    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_S),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None),
        headers={"User-Agent": "verigym", "Accept": "application/json, text/*;q=0.9, */*;q=0.5"},
    )
    try:
        yield session
    finally:
        await session.close()


def read_short(text: str, where: str) -> Http:
    """`GET https://...`, or only the address."""
    method, space, url = text.strip().partition(" ")
    if not space:
        return Http(url=method)
    if method.upper() not in METHODS:
        raise BadInput(f'{where}: "{method}" is not an HTTP method. Use one of {", ".join(METHODS)}')
    return Http(method=method.upper(), url=url.strip())  # type: ignore[arg-type]


def _origin(url: str, where: str) -> URL:
    """The scheme, host and port, which no argument can change."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(f'{where}: "{url}" is not an address. Begin it with http:// or https://, or set base_url')
    if "{" in parts.netloc or "$" in parts.netloc:
        raise BadInput(f'{where}: "{url}": an argument cannot choose the host. Write the host out')
    if parts.username or parts.password:
        raise BadInput(
            f"{where}: the address contains a password. Use a header with an environment variable: ${{NAME}}"
        )
    try:
        return URL(url.partition("{")[0]).origin()
    except ValueError as error:
        raise BadInput(f'{where}: "{url}" is not an address ({error})') from error


def _segment(text: str) -> str:
    """A value as part of a path. `.` and `..` would lead to another path."""
    if text in (".", "..") or not text:
        raise ValueError(f'"{text}" cannot be part of an address')
    return urllib.parse.quote(text, safe="")


def _pairs(key: str, value: Any) -> list[tuple[str, str]]:
    """A query parameter. A list becomes several."""
    if value is None:
        return []
    return [(key, as_text(each)) for each in value] if isinstance(value, list) else [(key, as_text(value))]


def _wait_s(headers: Mapping[str, str]) -> float | None:
    """The seconds of Retry-After. One second without it, None if it is too long to wait."""
    try:
        seconds = float(headers.get("Retry-After", "1"))
    except ValueError:  # a date
        return 1.0
    return seconds if 0 <= seconds <= DEFAULT_S else None


async def _read(response: aiohttp.ClientResponse, most: int) -> tuple[bytes, bool]:
    """The body up to a limit, and whether it was cut."""
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > most:
            response.close()
            return bytes(body[:most]), True
    return bytes(body), False


def _as_text(body: bytes, kind: str, charset: str | None) -> str:
    if body and not any(word in kind for word in _TEXT) and b"\0" in body[:4096]:
        return f"[{len(body):,} bytes of {kind}]"
    try:
        return body.decode(charset or "utf-8", errors="replace")
    except LookupError:
        return body.decode(errors="replace")
