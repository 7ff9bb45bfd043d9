"""Who may come in, how often, with how much, and for how long.

The key is compared in constant time and is kept nowhere but in memory. Rates are per key, or per address where none is
asked for.
"""

import asyncio
import hashlib
import hmac
import ipaddress
import os
import time
import urllib.parse
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from verigym.core.errors import BadInput, Refused
from verigym.servers.errors import HttpError

_BODY_S = 60.0
"""In which a body has to arrive."""
_CLIENTS = 10_000
"""Whose rate is remembered."""
_SHORTEST_KEY = 16


class Limits(Struct, frozen=True, kw_only=True):
    body: int = 10 * 2**20
    """Bytes of a request."""
    seconds: float = 600.0
    """For one answer."""
    queue: int = 1000
    """Requests in work at once, those that wait for the model included."""
    rate: float = 0.0
    """Requests a minute of one key, or of one address; 0 for any number."""


class Door:
    def __init__(self, limits: Limits, keys: Sequence[str] = ()) -> None:
        self.limits = limits
        self.keys = [key.encode() for key in keys]
        self.inside = 0
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """Client to the requests that it has left, and when that was."""

    def check(self, headers: Mapping[bytes, bytes], address: str) -> str:
        """Lets a request in, or raises; who it is from, as a name that tells nothing of the key."""
        client = self._known(headers) if self.keys else address
        if not self.keys and _is_foreign(headers.get(b"origin", b"")):
            raise HttpError(403, "a web page of another site asks, and only a key would let it in: see --key-env")
        if self.limits.rate:
            self._spend(client)
        if self.inside >= self.limits.queue:
            raise HttpError(503, f"{self.inside} requests are in work already", code="queue_full", retry_after_s=1)
        return client

    def _known(self, headers: Mapping[bytes, bytes]) -> str:
        scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
        fitting = [hmac.compare_digest(given.strip(), key) for key in self.keys]
        if scheme.lower() != b"bearer" or not any(fitting):
            words = "this is not a key of this server" if given else "an API key is needed: Authorization: Bearer KEY"
            raise HttpError(401, words, code="invalid_api_key")
        return f"key {hashlib.sha256(self.keys[fitting.index(True)]).hexdigest()[:8]}"

    def _spend(self, client: str) -> None:
        """A bucket of a minute's requests, at most ten at once over the steady rate."""
        rate, now = self.limits.rate / 60, time.monotonic()
        most = max(1.0, min(10.0, self.limits.rate))
        left, then = self._buckets.pop(client, (most, now))
        left = min(most, left + (now - then) * rate)
        self._buckets[client] = (left - 1 if left >= 1 else left), now
        if len(self._buckets) > _CLIENTS:
            self._buckets.popitem(last=False)
        if left < 1:
            words = f"more than {self.limits.rate:g} requests a minute"
            raise HttpError(429, words, code="rate_limit_exceeded", retry_after_s=(1 - left) / rate)

    async def body(self, headers: Mapping[bytes, bytes], receive: Any) -> bytes:
        """The request's body; raises `ConnectionError` when the client leaves first."""
        try:
            declared = int(headers.get(b"content-length", b"0"))
        except ValueError:
            declared = 0
        parts: list[bytes] = []
        size, arrived = declared, 0
        try:
            async with asyncio.timeout(_BODY_S):
                while size <= self.limits.body:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ConnectionError
                    parts.append(message.get("body", b""))
                    size = arrived = arrived + len(parts[-1])
                    if size <= self.limits.body and not message.get("more_body", False):
                        return parts[0] if len(parts) == 1 else b"".join(parts)
        except TimeoutError:
            raise HttpError(408, f"the body did not arrive within {_BODY_S:g} s", code="body_time_out") from None
        most = f"{self.limits.body / 2**20:.3g} MiB"
        raise HttpError(413, f"the body is larger than {most}; --max-body changes that", code="body_too_large")


def _is_foreign(origin: bytes) -> bool:
    """Whether a browser says that the page which asks is not of this machine: any site can make a browser post to loopback."""
    host = urllib.parse.urlsplit(origin.decode("latin-1")).hostname if origin else "localhost"
    return not is_loopback(host or "")


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def keys_from(variable: str, host: str) -> list[str]:
    """The keys in an environment variable, with commas or spaces between them. Only loopback needs none."""
    if not variable:
        if not is_loopback(host):
            raise Refused(
                f"{host} can be reached from other machines: give an API key, in a variable that --key-env names, such as "
                "VERIGYM_KEY=$(openssl rand -hex 24) verigym serve --key-env VERIGYM_KEY"
            )
        return []
    keys = os.environ.get(variable, "").replace(",", " ").split()
    if not keys:
        raise BadInput(f"--key-env {variable}: the variable is empty or not set; put the key that clients send into it")
    if any(len(key) < _SHORTEST_KEY or not key.isascii() for key in keys):
        raise BadInput(
            f"--key-env {variable}: a key has at least {_SHORTEST_KEY} characters, of ASCII, to be hard to guess"
        )
    return keys
