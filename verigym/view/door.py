"""Who may enter, and with which headers pages leave: Host, key, cookie, the origin of a write, and the browser's own defences.

Text of models is on these pages, so the policy lets nothing on them run or load that this server did not send as a file. On
loopback no key is asked for. On any other host each visitor needs the key, once, and a cookie remembers it.
"""

import hashlib
import hmac
import http.cookies
import urllib.parse
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from verigym.servers.admission import is_loopback

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),  # with no-referrer, browsers send forms with the origin "null"
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (
        b"permissions-policy",
        b"camera=(), microphone=(), geolocation=(), payment=(), usb=(), clipboard-read=(), display-capture=()",
    ),
)
_LONGEST_BODY = 64 * 1024
_SESSION_S = 30 * 24 * 3600


class DoorSettings(Struct, frozen=True, kw_only=True):
    host: str = "127.0.0.1"
    port: int = 8401
    keys: Sequence[str] = ()
    """Keys that open the door. Empty: no key is needed."""
    names: Sequence[str] = ()
    """More host names under which a proxy offers the view."""
    secure: bool = False
    """Whether a proxy adds TLS, so that cookies are for HTTPS only."""
    read_only: bool = False


class Refusal(Exception):
    """A request that is not let in."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status, self.words = status, words


class Door:
    """ASGI middleware around the whole application."""

    def __init__(self, app: Any, settings: DoorSettings, refuse: Any) -> None:
        self._app, self._settings, self._refuse = app, settings, refuse
        self._cookie = f"verigym_{settings.port}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        headers = dict(scope["headers"])

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                more = [pair for pair in HEADERS if pair[0] not in given]
                if b"cache-control" not in given:
                    more.append((b"cache-control", b"no-store"))
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        try:
            self._check_host(headers)
            self._check_write(scope, headers)
            if self._settings.keys and not _is_open(scope) and not self._is_known(scope, headers):
                if await self._enter_by_address(scope, send_with_headers):
                    return
                raise Refusal(401, "This view needs a key")
        except Refusal as refusal:
            return await self._refuse(scope, refusal, receive, send_with_headers)
        await self._app(scope, receive, send_with_headers)

    # -- the checks -------------------------------------------------------------------------------------------------

    def _check_host(self, headers: dict[bytes, bytes]) -> None:
        """A foreign name that resolves to this machine could otherwise read the pages through a visitor's browser."""
        host = _host(headers.get(b"host", b"").decode("latin-1"))
        allowed = {name.lower() for name in (self._settings.host, *self._settings.names)}
        every = (
            self._settings.host in ("0.0.0.0", "::") and self._settings.keys
        )  # the key protects, and names are unknown
        if not host or not (is_loopback(host) or host in allowed or (every and _is_address(host))):
            raise Refusal(421, "This server does not answer under this host name. Name it with --url")

    def _check_write(self, scope: Any, headers: dict[bytes, bytes]) -> None:
        if scope["method"] in ("GET", "HEAD"):
            foreign = headers.get(b"sec-fetch-site", b"none") in (b"cross-site", b"same-site")
            if foreign and headers.get(b"sec-fetch-mode") != b"navigate":
                raise Refusal(403, "A page of another site asked for this")  # a link from elsewhere is a navigation
            return
        if scope["method"] != "POST":
            raise Refusal(405, "This server answers GET and POST only")
        if self._settings.read_only and scope["path"] != "/enter":
            raise Refusal(403, "This view was started with --read-only, so nothing can be written")
        if headers.get(b"sec-fetch-site", b"same-origin") != b"same-origin":
            raise Refusal(403, "A page of another site sent this form. Nothing was written")
        origin = urllib.parse.urlsplit(headers.get(b"origin", b"").decode("latin-1"))
        if origin.scheme not in ("http", "https") or origin.netloc != headers.get(b"host", b"").decode("latin-1"):
            raise Refusal(403, "The form was not sent by a page of this view, so nothing was written")
        try:
            length = int(headers.get(b"content-length", b""))
        except ValueError:
            raise Refusal(411, "The request must state its length") from None
        if length > _LONGEST_BODY:
            raise Refusal(413, f"The form is larger than {_LONGEST_BODY // 1024} kB")

    def _is_known(self, scope: Any, headers: dict[bytes, bytes]) -> bool:
        bearer = headers.get(b"authorization", b"").removeprefix(b"Bearer ").decode("latin-1")
        if bearer and self.opens(bearer):
            return True
        jar = http.cookies.SimpleCookie()
        try:
            jar.load(headers.get(b"cookie", b"").decode("latin-1"))
        except http.cookies.CookieError:
            return False
        given = jar[self._cookie].value if self._cookie in jar else ""
        return any([hmac.compare_digest(given.encode(), _session(key).encode()) for key in self._settings.keys])

    def opens(self, key: str) -> bool:
        """Whether it is one of the keys. Takes the same time for every wrong one."""
        given = key.encode(errors="replace")
        return any([hmac.compare_digest(given, one.encode()) for one in self._settings.keys])

    def cookie_for(self, key: str) -> str:
        secure = "; Secure" if self._settings.secure else ""
        return f"{self._cookie}={_session(key)}; Path=/; HttpOnly; SameSite=Lax; Max-Age={_SESSION_S}{secure}"

    async def _enter_by_address(self, scope: Any, send: Any) -> bool:
        """The printed address has the token. It becomes a cookie, and the browser goes on to the address without it."""
        query = urllib.parse.parse_qs(scope["query_string"].decode("latin-1"))
        token = query.pop("token", [""])[0]
        if scope["method"] != "GET" or not token or not self.opens(token):
            return False
        rest = urllib.parse.urlencode(query, doseq=True)
        path = "/" + scope.get("raw_path", scope["path"].encode()).decode("latin-1").lstrip("/\\")
        headers = [(b"location", (path + (f"?{rest}" if rest else "")).encode("latin-1"))]
        headers.append((b"set-cookie", self.cookie_for(token).encode()))
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
        return True


def _is_open(scope: Any) -> bool:
    """Whether a request needs no key, because the answer holds nothing of the workspace."""
    return (scope["path"], scope["method"]) == ("/enter", "POST") or scope["path"].startswith("/static/")


def _session(key: str) -> str:
    """What the cookie holds: it proves the key and does not contain it."""
    return hmac.new(key.encode(), b"verigym view", hashlib.sha256).hexdigest()


def _host(text: str) -> str:
    try:
        return urllib.parse.urlsplit(f"//{text}").hostname or ""
    except ValueError:
        return ""


def _is_address(host: str) -> bool:
    return host.replace(".", "").isdigit() or ":" in host
