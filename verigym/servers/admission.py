"""Admission of requests: API keys, rate limits, size limits and the number of concurrent requests.

Keys are compared in constant time and are kept in memory only. Rates are per key, or per address if no key is required.
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
from verigym.wire.http import HttpError

_BODY_TIMEOUT_S = 60.0
_SILENT_BODY_S = 15.0
_DISCARDED = 16 << 20
"""Bytes over the limit that are read and discarded. A client reads the refusal only after it has sent its body."""
"""Maximum time between two pieces of a body."""
_MAX_CLIENTS = 10_000
"""Clients whose rate is remembered."""
_MIN_KEY_LENGTH = 16


class AdmissionLimits(Struct, frozen=True, kw_only=True):
    body: int = 10 * 2**20
    """Maximum bytes per request body."""
    seconds: float = 600.0
    """Timeout per request."""
    queue: int = 1000
    """Maximum concurrent requests, including those that wait for the model."""
    rate: float = 0.0
    """Maximum requests per minute and key (or address). 0 for no limit."""


class Admission:
    def __init__(self, limits: AdmissionLimits, keys: Sequence[str] = ()) -> None:
        self.limits = limits
        self.keys = [key.encode() for key in keys]
        self.inside = 0
        """Requests in progress."""
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """Client to its remaining requests, and the time of that count."""

    def check(self, headers: Mapping[bytes, bytes], address: str, needs_key: bool = True) -> str:
        """Admits a request, or raises. Returns the client's name, which does not reveal its key."""
        self._check_source(headers)
        if not needs_key:
            return address
        client = self._client(headers) if self.keys else address
        if self.limits.rate:
            self._spend(client)
        self.check_queue()
        return client

    def _check_source(self, headers: Mapping[bytes, bytes]) -> None:
        """Refuses requests that a browser sends for a page of another site. Such a page has no key, so keys also keep it out."""
        if self.keys:
            return
        if _is_foreign(headers.get(b"origin", b"")):
            raise HttpError(
                403, "A web page from another site sent this request. Require an API key to allow it: see --key-env"
            )
        if _is_foreign(headers.get(b"host", b"")):
            raise HttpError(
                403,
                "The Host header does not name this machine. Use http://127.0.0.1 or http://localhost, "
                "or require an API key: see --key-env",
            )

    def check_queue(self) -> None:
        if self.inside >= self.limits.queue:
            message = f"{self.inside} requests are already in progress. Send the request again later"
            raise HttpError(503, message, code="queue_full", retry_after_s=1)

    def _client(self, headers: Mapping[bytes, bytes]) -> str:
        scheme, _, bearer = headers.get(b"authorization", b"").partition(b" ")
        given = [bearer.strip() if scheme.lower() == b"bearer" else b"", headers.get(b"x-api-key", b"").strip()]
        matches = [any([hmac.compare_digest(one, key) for one in given]) for key in self.keys]
        if not any(matches):
            wrong = "The API key is wrong" if bearer or given[1] else "An API key is required"
            raise HttpError(401, f"{wrong}. Send Authorization: Bearer KEY, or x-api-key: KEY", code="invalid_api_key")
        return f"key {hashlib.sha256(self.keys[matches.index(True)]).hexdigest()[:8]}"

    def _spend(self, client: str) -> None:
        """A token bucket that allows bursts of at most ten requests."""
        rate, now = self.limits.rate / 60, time.monotonic()
        most = max(1.0, min(10.0, self.limits.rate))
        left, then = self._buckets.pop(client, (most, now))
        left = min(most, left + (now - then) * rate)
        self._buckets[client] = (left - 1 if left >= 1 else left), now
        if len(self._buckets) > _MAX_CLIENTS:
            self._buckets.popitem(last=False)
        if left < 1:
            message = f"You may send {self.limits.rate:g} requests per minute. Send the request again later"
            raise HttpError(429, message, code="rate_limit_exceeded", retry_after_s=(1 - left) / rate)

    async def body(self, headers: Mapping[bytes, bytes], receive: Any) -> bytes:
        """The request's body. Raises `ConnectionError` if the client disconnects first."""
        try:
            declared = int(headers.get(b"content-length", b"0"))
        except ValueError:
            declared = 0
        body, size, more = bytearray(), 0, True
        try:
            async with asyncio.timeout(_BODY_TIMEOUT_S):
                while more and max(declared, size) <= self.limits.body + _DISCARDED:
                    async with asyncio.timeout(_SILENT_BODY_S):
                        message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ConnectionError
                    part, more = message.get("body", b""), message.get("more_body", False)
                    size += len(part)
                    if max(declared, size) <= self.limits.body:
                        body += part
                    else:
                        body.clear()
        except TimeoutError:
            if max(declared, size) <= self.limits.body:
                message = (
                    f"The body did not arrive within {_BODY_TIMEOUT_S:g} s, or nothing came for {_SILENT_BODY_S:g} s"
                )
                raise HttpError(408, message, code="body_time_out") from None
        if max(declared, size) <= self.limits.body:
            return bytes(body)
        message = f"The body is larger than {self.limits.body / 2**20:.3g} MiB. --max-body changes this limit"
        raise HttpError(413, message, code="body_too_large")


def _is_foreign(header: bytes) -> bool:
    """Whether the header `origin` or `host` names another machine. Any site can make a browser post to loopback, and a site
    whose name resolves to loopback can also read the answer."""
    text = header.decode("latin-1")
    try:
        host = urllib.parse.urlsplit(text if "://" in text else f"//{text}").hostname
    except ValueError:
        host = None
    return bool(header) and not is_loopback(host or "")


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def keys_from(variable: str, host: str) -> list[str]:
    """The keys in an environment variable, separated by commas or spaces. Only loopback needs none."""
    if not variable:
        if not is_loopback(host):
            raise Refused(
                f"Other machines can reach {host}, so the server needs an API key. Put a key into an environment variable: "
                f"export VERIGYM_KEY=$(openssl rand -hex 24). Then pass --host {host} --key-env VERIGYM_KEY"
            )
        return []
    keys = os.environ.get(variable, "").replace(",", " ").split()
    if not keys:
        raise BadInput(f"--key-env {variable}: the variable is empty or not set. Put the key that clients send into it")
    if any(len(key) < _MIN_KEY_LENGTH or not key.isascii() for key in keys):
        raise BadInput(
            f"--key-env {variable}: a key is too short or not ASCII. Use at least {_MIN_KEY_LENGTH} ASCII characters"
        )
    return keys
