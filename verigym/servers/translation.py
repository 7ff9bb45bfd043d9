"""Answers a request in one of OpenAI's APIs with a server that only has the other: Responses through Chat Completions.

`proxy` forwards a request first. If the server has no such path, the request is read, asked in the other API, and the reply is
written in the client's. The server sees only what the client or the version set, so its own defaults stay.
"""

from collections.abc import Callable

import msgspec

from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.core.protocols import Reply, Request
from verigym.core.records import FunctionCall, Json, Turn
from verigym.servers.types import AdmittedRequest, HttpError
from verigym.servers.upstream import Upstream, pieces, whole
from verigym.wire import chat, responses
from verigym.wire.streams import read_events
from verigym.wire.tools import ToolNames
from verigym.wire.types import MUST_CALL, Api, ApiReply, ApiRequest, ServerError
from verigym.wire.values import as_object, as_objects

_SHOWN = 300


def other_api(api: Api) -> Api:
    return responses if api is chat else chat


class TranslatedServer:
    """A policy for one request: asks the server in the API that it has."""

    def __init__(self, call: AdmittedRequest, asked: ApiRequest, server: Upstream, hide_client_key: bool) -> None:
        self._call, self._asked, self._server, self._hide = call, asked, server, hide_client_key
        self._api = other_api(call.api)

    async def respond(self, request: Request) -> Reply:
        return await self.stream(request, lambda text: None)

    async def stream(self, request: Request, put: Callable[[str], None]) -> Reply:
        names = ToolNames(tool.name for tool in request.tools).with_calls(request.items)
        body = msgspec.json.encode(self._body(request, names))
        headers = {**self._call.headers, b"content-type": b"application/json"}
        async with await self._server.post(self._api.PATH, body, headers, hide_client_key=self._hide) as response:
            if response.status != 200:
                words = (await whole(response))[:_SHOWN].decode(errors="replace")
                raise HttpError(response.status, f"The upstream server answered: {words}", code="upstream_refused")
            if response.content_type == "text/event-stream":
                data = bytearray()
                async for piece in pieces(response):
                    done = data.rfind(b"\n") + 1
                    data += piece
                    put(_text(bytes(data[done : data.rfind(b"\n") + 1])))
                reply = self._read(bytes(data), is_stream=True)
            else:
                reply = self._read(await whole(response), is_stream=False)
        self._server.speaks_only = self._api
        items = [
            msgspec.structs.replace(item, name=names.name(item.name)) if isinstance(item, FunctionCall) else item
            for item in reply.items
        ]
        return Reply(items=items, turn=Turn(usage=reply.usage, finish=reply.finish))

    def _body(self, request: Request, names: ToolNames) -> Json:
        asked, version, api = self._asked, self._call.agent.version, self._api
        body: Json = {"model": self._server.model, api.CONTEXT: api.context(request.items, names)}
        if request.tools:
            body["tools"] = [api.tool(tool, names.wire(tool.name)) for tool in request.tools]
        settings: Json = msgspec.to_builtins(version.sampling) if version.sampling is not None else {}
        body |= settings | asked.sampling
        body.pop("constrain", None)
        if api is responses and "max_tokens" in body:
            body["max_output_tokens"] = body.pop("max_tokens")
        if asked.seed is not None:
            body["seed"] = asked.seed
        if asked.constrain == MUST_CALL:
            body["tool_choice"] = "required"
        elif asked.constrain:
            schema = {"name": "reply", "schema": msgspec.json.decode(asked.constrain)}
            if api is chat:
                body["response_format"] = {"type": "json_schema", "json_schema": schema}
            else:
                body["text"] = {"format": {"type": "json_schema", **schema}}
        if asked.stream and api is chat:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return body

    def _read(self, body: bytes, is_stream: bool) -> ApiReply:
        try:
            if is_stream:
                body = msgspec.json.encode(self._api.read_stream(read_events(body.decode(errors="replace"))))
            return self._api.read_reply(body)
        except (BadInput, ServerError, ValueError, RecursionError) as error:
            raise InfrastructureFailure(f"The upstream server's reply cannot be read: {error}") from error


def _text(events: bytes) -> str:
    """The text in whole lines of a chat stream."""
    deltas = [
        as_object(choice.get("delta"))
        for event in read_events(events.decode(errors="replace"))
        for choice in as_objects(event.get("choices"))
    ]
    return "".join(delta["content"] for delta in deltas if isinstance(delta.get("content"), str))
