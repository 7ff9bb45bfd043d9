"""The connection to another server that speaks one of the APIs, for the proxy.

A request's body is forwarded byte for byte unless the version changes it. A version changes the model's name, the system prompt
(with its skills), the examples after it, tool descriptions, and sampling settings that the client did not set. Not supported:
retries (clients retry themselves), redirects and proxies.
"""

import os
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import aiohttp
import msgspec
from msgspec import Raw
from yarl import URL

from verigym.core.errors import BadInput
from verigym.core.records import FunctionCall, Item, Json, Version
from verigym.policies.answering import wire_descriptions
from verigym.policies.version_texts import whole_skills
from verigym.servers.types import HttpError
from verigym.wire.tools import ToolNames
from verigym.wire.types import Api, unreadable
from verigym.wire.values import as_object, as_objects

KEY_ENV = "OPENAI_API_KEY"
_CONNECT_S = 10.0
_IDLE_S = 4.0
"""Seconds that an idle connection is kept. Uvicorn, and so vLLM, closes it after 5 s."""
_LARGEST = 64 * 2**20
_CONNECTION = r"connection|content-length|keep-alive|trailer|transfer-encoding"
"""Headers that belong to one connection."""
_NOT_FORWARDED = re.compile(
    rf"{_CONNECTION}|accept-encoding|expect|host|proxy-connection|te|upgrade|forwarded|x-forwarded-.*|x-verigym-.*"
    r"|authorization|cookie|proxy-authorization"
)
"""Request headers that are not forwarded: those of one connection, and those with secrets."""
_CREDENTIAL = re.compile(
    r"authorization|(?:.*-)?(?:api-?key|(?:api|auth|access|security)-token|subscription-key)|openai-(?:organization|project)"
)
"""Request headers that say who pays. They are forwarded only together: a client's beside the gateway's key would mix two
accounts."""
_MODEL_FIELD = re.compile(rb'"(?:model|[^"\\]*\\u[^"]*)"\s*:', re.IGNORECASE)
"""Where a body may name the model, also in other case or with escapes."""
_NOT_RETURNED = re.compile(rf"{_CONNECTION}|date|server|set-cookie|x-verigym-.*")
"""Response headers that are not returned: those of one connection, cookies, and those that only the gateway may set."""
_fields = msgspec.json.Decoder(dict[str, Raw])
_list = msgspec.json.Decoder(list[Raw])


class _RoleField(msgspec.Struct):
    role: str = ""


_role = msgspec.json.Decoder(_RoleField)
_SYSTEM = ("system", "developer")


class Upstream:
    """The server that answers as a version: `http://localhost:8000/v1#qwen`."""

    def __init__(self, version: Version, key_env: str = KEY_ENV) -> None:
        base, _, rest = version.base.partition("#")
        self.model, _, options = rest.partition("?")
        url = URL(base)
        if not self.model or url.scheme not in ("http", "https") or not url.host or url.user or url.password:
            raise BadInput(
                f'"{version.base}" is not the address of a server. Write URL#MODEL, such as http://localhost:8000/v1#qwen'
            )
        if version.constraints or "tools=text" in options.split("&"):
            raise BadInput(
                f"{version.label}: constraints and tools=text do not work with --upstream. "
                "Remove them, or configure them on the server"
            )
        self.url = url
        self.token_ids = "token_ids=true" in options.split("&")
        """Whether token ids and logprobs are captured."""
        self._key_env = key_env
        self._version = version
        self._plain = not (
            version.system_prompt is not None
            or version.tool_descriptions
            or version.sampling is not None
            or version.skills
            or version.examples
        )
        self._session: aiohttp.ClientSession | None = None
        self.lacks: set[str] = set()
        """Names of the APIs that the server is known to lack."""
        self.processed_logprobs: bool | None = None
        """Whether the server's logprobs are those of its sampler. None if that is not known."""

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def post(
        self, path: str, body: bytes, headers: Mapping[bytes, bytes], *, hide_client_key: bool
    ) -> aiohttp.ClientResponse:
        """The server's response, which the caller must release. With `hide_client_key` the client's key is not forwarded."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S),
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                skip_auto_headers=("User-Agent", "Accept-Encoding", "Accept"),
            )
        received = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers.items()]
        sent = [(name, value) for name, value in received if not _NOT_FORWARDED.fullmatch(name)]
        credentials = [(name, value) for name, value in received if _CREDENTIAL.fullmatch(name)]
        server_key = os.environ.get(self._key_env, "").strip()
        if hide_client_key or all(name.startswith("openai-") for name, _ in credentials):
            sent = [header for header in sent if header not in credentials]
            credentials = [self._credential(server_key)] if server_key else []
        sent += [header for header in credentials if header not in sent]
        try:
            return await self._session.post(
                self.url.joinpath(*path.split("/")), data=body, headers=sent, allow_redirects=False
            )
        except (aiohttp.ClientError, OSError) as error:
            message = f"{self.url.with_query(None)} cannot be reached ({type(error).__name__})"
            raise HttpError(502, message, code="upstream_unreachable") from None

    def _credential(self, key: str) -> tuple[str, str]:
        """The header that holds the server's key."""
        host = self.url.host or ""
        return ("x-api-key", key) if f".{host}".endswith(".anthropic.com") else ("Authorization", f"Bearer {key}")

    def headers_back(self, response: aiohttp.ClientResponse) -> list[tuple[bytes, bytes]]:
        return [
            (name.lower().encode("latin-1"), value.encode("latin-1", "replace"))
            for name, value in response.headers.items()
            if not _NOT_RETURNED.fullmatch(name.lower())
        ]

    def body(self, body: bytes, asked: str, api: Api, *, is_prompt: bool = False) -> bytes:
        """The request's body as it is forwarded. `asked` is the model that it names. With `is_prompt`, nothing is sampled."""
        try:
            fields: Json = _fields.decode(body)
            variants = [name for name in fields if name != (lower := name.lower()) and lower in fields]
            if self._plain and asked == self.model and not variants and len(_MODEL_FIELD.findall(body)) == 1:
                return body
            for name in variants:  # some servers take Model for model
                del fields[name]
            fields["model"] = self.model
            _apply_version(fields, self._version, api, is_prompt)
            return msgspec.json.encode(fields)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise unreadable(error) from error


def _apply_version(fields: Json, version: Version, api: Api, is_prompt: bool) -> None:
    """Puts the version's system prompt, tool descriptions and sampling settings into a request."""
    if version.system_prompt is not None or version.skills or version.examples:
        _apply_texts(fields, version, api)
    if version.tool_descriptions and "tools" in fields:
        fields["tools"] = msgspec.json.decode(fields["tools"])
        descriptions = wire_descriptions(version.tool_descriptions)
        for tool in as_objects(fields["tools"]):
            function = as_object(tool.get("function")) or tool
            if function.get("name") in descriptions:
                function["description"] = descriptions[function["name"]]
    if version.sampling is not None and not is_prompt:
        settings: Json = msgspec.to_builtins(version.sampling)  # without those that have the default value
        settings.pop("constrain", None)
        renamed = {"max_tokens": api.MAX_TOKENS, "stop": api.STOP}
        for name, value in settings.items():
            fields.setdefault(renamed.get(name, name), value)
        if "max_completion_tokens" in fields:
            fields.pop("max_tokens", None)


def _apply_texts(fields: Json, version: Version, api: Api) -> None:
    """Puts the version's system prompt with its skills in place of the client's, and its examples before the conversation."""
    given = bytes(fields.get(api.CONTEXT, b"")).lstrip()
    messages: list[Any] = _list.decode(given) if given.startswith(b"[") else []
    if given and not messages and version.examples:  # Responses: the input is one text
        messages = [{"role": "user", "content": Raw(given)}]
    system = [message for message in messages if isinstance(message, Raw) and _role.decode(message).role in _SYSTEM]
    rest = [message for message in messages if message not in system]
    prompt = version.system_prompt
    if version.skills:
        theirs = [_text(fields[api.SYSTEM])] if api.SYSTEM and fields.get(api.SYSTEM) else []
        texts = [*theirs, *map(_text_of, system)] if prompt is None else [prompt]
        prompt = whole_skills("\n".join(filter(None, texts)), version.skills)
    if prompt is not None:
        system = [{"role": "system", "content": prompt}] if prompt and not api.SYSTEM else []
        if api.SYSTEM:
            fields.pop(api.SYSTEM, None)
            fields |= {api.SYSTEM: prompt} if prompt else {}
    if messages:
        fields[api.CONTEXT] = [*system, *_written(version.examples, api), *rest]


def _written(examples: Sequence[Sequence[Item]], api: Api) -> list[Any]:
    """The examples as messages of an API."""
    items = [item for example in examples for item in example]
    names = ToolNames(item.name for item in items if isinstance(item, FunctionCall))
    return api.context(items, names) if items else []


def _text(content: bytes) -> str:
    """The text of a message's content: a text, or a list of parts."""
    value = msgspec.json.decode(content)
    parts = value if isinstance(value, list) else [{"text": value}]
    return "".join(str(part.get("text") or "") for part in as_objects(parts))


def _text_of(message: Raw) -> str:
    content = _fields.decode(message).get("content")
    return _text(content) if content is not None else ""


async def pieces(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """The pieces of a response as they arrive."""
    try:
        while piece := await response.content.readany():
            yield piece
    except (aiohttp.ClientError, OSError) as error:
        message = f"The upstream server broke off its reply ({type(error).__name__})"
        raise HttpError(502, message, code="upstream_broke_off") from None


async def whole(response: aiohttp.ClientResponse) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in pieces(response):
        parts.append(part)
        size += len(part)
        if size > _LARGEST:
            message = f"The upstream server's reply is larger than {_LARGEST // 2**20} MiB"
            raise HttpError(502, message, code="upstream_too_large")
    return parts[0] if len(parts) == 1 else b"".join(parts)
