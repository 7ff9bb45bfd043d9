"""Answers a request in one API with a server that lacks it: Responses and Messages through Chat Completions, and back.

`proxy` forwards a request first. If the server has no such path, the request is read, asked in another API, and the reply is
written in the client's. The server sees only what the client or the version set, so its own defaults stay.
"""

from collections.abc import Callable

import msgspec

from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.core.protocols import Reply, Request
from verigym.core.records import FunctionCall, Json, Turn
from verigym.servers.exact_tokens import kept_logprobs
from verigym.servers.proxy import NO_SUCH_PATH
from verigym.servers.types import AdmittedRequest, HttpError
from verigym.servers.upstream import Upstream, pieces, whole
from verigym.wire import chat, messages, responses, token_ids
from verigym.wire.streams import read_events
from verigym.wire.tools import ToolNames
from verigym.wire.types import Api, ApiReply, ApiRequest, ServerError
from verigym.wire.values import as_object, as_objects

APIS: tuple[Api, ...] = (chat, responses, messages)
"""In the order in which a server is asked."""
_SHOWN = 300


class TranslatedServer:
    """A policy for one request: asks the server in an API that it has."""

    def __init__(self, call: AdmittedRequest, asked: ApiRequest, server: Upstream, hide_client_key: bool) -> None:
        self._call, self._asked, self._server, self._hide = call, asked, server, hide_client_key

    async def respond(self, request: Request) -> Reply:
        return await self.stream(request, lambda text: None)

    async def stream(self, request: Request, put: Callable[[str], None]) -> Reply:
        names = ToolNames(tool.name for tool in request.tools).with_calls(request.items)
        apis = APIS[:1] if self._call.via_chat else APIS
        others = [api for api in apis if api is not self._call.api]
        candidates = [api for api in others if api.NAME not in self._server.lacks] or others
        reply = await self._ask(candidates, request, names, put)
        items = [
            msgspec.structs.replace(item, name=names.name(item.name)) if isinstance(item, FunctionCall) else item
            for item in reply.items
        ]
        turn = Turn(
            usage=reply.usage,
            finish=reply.finish,
            context_ids=reply.prompt_ids,
            completion_ids=reply.completion_ids,
            logprobs=await kept_logprobs(self._call, self._server, reply, request.sampling, self._hide),
        )
        return Reply(items=items, turn=turn)

    async def _ask(
        self, candidates: list[Api], request: Request, names: ToolNames, put: Callable[[str], None]
    ) -> ApiReply:
        """The reply in the first API that the server has."""
        headers = {**self._call.headers, b"content-type": b"application/json"}
        refused = [] if self._call.via_chat else [self._call.api.NAME]
        for api in candidates:
            body = msgspec.json.encode(self._body(api, request, names))
            async with await self._server.post(api.PATH, body, headers, hide_client_key=self._hide) as response:
                if response.status in NO_SUCH_PATH and api is not candidates[-1]:
                    refused.append(api.NAME)
                    continue
                if response.status != 200:
                    words = (await whole(response))[:_SHOWN].decode(errors="replace")
                    raise HttpError(response.status, f"The upstream server answered: {words}", code="upstream_refused")
                if response.content_type == "text/event-stream":
                    data = bytearray()
                    async for piece in pieces(response):
                        done = data.rfind(b"\n") + 1
                        data += piece
                        put(_text(bytes(data[done : data.rfind(b"\n") + 1])))
                    reply = _read(api, bytes(data), is_stream=True)
                else:
                    reply = _read(api, await whole(response), is_stream=False)
            self._server.lacks |= set(refused)
            return reply
        raise AssertionError("the last candidate returns or raises")

    def _body(self, api: Api, request: Request, names: ToolNames) -> Json:
        asked, version = self._asked, self._call.agent.version
        body: Json = {"model": self._server.model, **api.conversation(request.items, names)}
        if request.tools:
            body["tools"] = [api.tool(tool, names.wire(tool.name)) for tool in request.tools]
        settings: Json = msgspec.to_builtins(version.sampling) if version.sampling is not None else {}
        settings |= asked.sampling
        settings.pop("constrain", None)
        if asked.seed is not None and api is not messages:
            settings["seed"] = asked.seed
        names_here = {"max_tokens": api.MAX_TOKENS, "stop": api.STOP}
        body |= api.options(asked) | {names_here.get(name, name): value for name, value in settings.items()}
        return body | token_ids.ask(body) if self._call.capture_ids and api is chat else body


def _read(api: Api, body: bytes, is_stream: bool) -> ApiReply:
    try:
        if is_stream:
            body = msgspec.json.encode(api.read_stream(read_events(body.decode(errors="replace"))))
        return api.read_reply(body)
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
