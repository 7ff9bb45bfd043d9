"""Handles a request from start to end: admits it, reads it, answers it with a policy or forwards it, and counts it.

Every failure ends here, as an error in the form of the client's API. A client that disconnects cancels its generation.
"""

import asyncio
import time
import traceback
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from verigym.core.errors import BadInput, ContextFull, InfrastructureFailure, NotFound, VerigymError
from verigym.core.printable import tell
from verigym.core.protocols import Policy
from verigym.core.records import Message, content_hash
from verigym.rollout.settings import Prices
from verigym.servers import local
from verigym.servers.admission import Admission
from verigym.servers.episodes import EpisodeService
from verigym.servers.proxy import forward, forward_count, forwarded_request
from verigym.servers.record import Recorder
from verigym.servers.routing import Router
from verigym.servers.translation import TranslatedServer
from verigym.servers.types import AdmittedRequest, Headers, HttpError, Responder, conversation_id
from verigym.servers.upstream import Upstream
from verigym.traces.capture import Capture
from verigym.traces.otlp import SpanReceiver
from verigym.wire import chat, messages, responses
from verigym.wire.http import watched
from verigym.wire.types import Api, ApiRequest, InvalidRequest, decode, left_out_header

CLIENT_LEFT = 499
"""Status of a request whose client disconnected."""
_MAX_CONVERSATIONS = 10_000
_LONGEST_KEY = 200
"""Longer texts that identify a conversation are replaced by their hash, because keys stay in memory."""
Handler = Callable[[Headers, bytes, str, Responder], Awaitable[None]]


class ModelName(msgspec.Struct):
    """The field that routing needs before a request is read or forwarded."""

    model: str


_model_decoder = msgspec.json.Decoder(ModelName)


class Gateway:
    def __init__(
        self,
        router: Router,
        admission: Admission,
        *,
        capture: Capture | None = None,
        spans: SpanReceiver | None = None,
        prices: Prices = Prices(),
        say: Callable[[str], None] = tell,
    ) -> None:
        self.router, self.admission, self._say = router, admission, say
        self.episodes: EpisodeService | None = None
        """The service for episodes of external agents, if it is on."""
        self.recorder = Recorder(capture, prices)
        self.spans = spans
        self._memory = local.ResponseMemory()
        self._conversations: OrderedDict[tuple[str, str], str] = OrderedDict()
        """Owner and response id to the key of its conversation, so that a whole conversation stays with one version."""
        self._left_out: set[str] = set()
        """Types of tools that the log has named."""

    async def serve(self, api: Api, scope: Any, receive: Any, send: Any) -> None:
        """Answers a request to one of the model APIs."""

        async def answer(headers: Headers, body: bytes, client: str, out: Responder) -> None:
            model = decode(body, _model_decoder).model
            owner = client if self.admission.keys else ""
            with self.router.agent(model, lambda: self._conversation_key(headers, body, api, owner)) as agent:
                out.extra[b"x-verigym-version"] = agent.version.id.encode()
                ids = isinstance(agent.backend, Upstream) and agent.backend.token_ids
                call = AdmittedRequest(api, agent, headers, body, client, owner, out, capture_ids=ids, via_chat=ids)
                if isinstance(agent.backend, Upstream):
                    await self._forward(call, model, agent.backend)
                else:
                    await self._answer(call, api.read_request(body), agent.backend)

        await self.handle(answer, scope, receive, send, api)

    async def count_tokens(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers `POST /v1/messages/count_tokens`."""

        async def answer(headers: Headers, body: bytes, client: str, out: Responder) -> None:
            model = decode(body, _model_decoder).model
            with self.router.agent(model, lambda: conversation_id(headers)) as agent:
                out.extra[b"x-verigym-version"] = agent.version.id.encode()
                call = AdmittedRequest(messages, agent, headers, body, client, "", out)
                if isinstance(agent.backend, Upstream):
                    await forward_count(call, model, agent.backend, bool(self.admission.keys))
                else:
                    await local.answer_count(call, messages.read_count_request(body), agent.backend)

        await self.handle(answer, scope, receive, send, messages)

    async def _answer(self, call: AdmittedRequest, request: ApiRequest, policy: Policy) -> None:
        """Answers with a policy. Tools that only another company can run are named in a header, and once in the log."""
        if request.left_out:
            call.out.extra |= left_out_header(request)
            for kind in set(request.left_out) - self._left_out:
                self._left_out.add(kind)
                self._say(f'Tools of type "{kind}" are not offered to the model, because this server cannot run them')
        await local.answer(call, request, policy, self._memory, self.recorder)

    async def _forward(self, call: AdmittedRequest, model: str, server: Upstream) -> None:
        """Forwards a request as it is, or translated if the server lacks the client's API."""
        hides_key, refusal = bool(self.admission.keys), None
        if call.api.NAME not in server.lacks and (call.api is chat or not call.via_chat):
            refusal = await forward(call, model, server, self.recorder, hides_key)
            if isinstance(refusal, str):
                return self._follow(refusal, call)
        try:
            request = call.api.read_request(call.body)
            await self._answer(call, request, TranslatedServer(call, request, server, hides_key))
        except (HttpError, BadInput):
            if refusal is None or call.out.status:
                raise
            await call.out.whole(refusal.status, refusal.body, refusal.headers)

    async def handle(
        self, answer: Handler, scope: Any, receive: Any, send: Any, api: Api = chat, needs_key: bool = True
    ) -> None:
        """Admits a request, runs `answer`, and sends an error if that fails."""
        started = time.perf_counter()
        out, left = Responder(send), asyncio.Event()
        headers: Headers = dict(scope["headers"])
        address = scope["client"][0] if scope.get("client") else ""
        try:
            client = self.admission.check(headers, address, needs_key)
            body = await self.admission.body(headers, receive) if scope["method"] == "POST" else b""
            if needs_key:
                self.admission.check_queue()  # a slow body does not take a place in the queue
            self.admission.inside += 1
            try:
                async with watched(receive, out, left), asyncio.timeout(self.admission.limits.seconds):
                    await answer(headers, body, client, out)
            finally:
                self.admission.inside -= 1
        except asyncio.CancelledError:
            if not left.is_set():
                raise
        except ConnectionError:
            left.set()
        except Exception as error:
            await out.error(self._http_error(error), api)
        finally:
            status = CLIENT_LEFT if left.is_set() and not out.is_over else out.status
            self.recorder.metrics.observe(scope["path"], status, time.perf_counter() - started)

    def _http_error(self, error: Exception) -> HttpError:
        """The error that the client gets for an exception."""
        match error:
            case HttpError():
                return error
            case InvalidRequest():
                return HttpError(400, str(error), param=error.param)
            case TimeoutError():
                message = f"The reply took longer than {self.admission.limits.seconds:g} s"
                return HttpError(504, message, code="time_out")
            case ContextFull():
                return HttpError(400, str(error), code="context_length_exceeded")
            case InfrastructureFailure():
                return HttpError(502, str(error), code="upstream_failed")
            case NotFound():
                return HttpError(404, str(error), code="not_found")
            case VerigymError():
                return HttpError(400, str(error))
            case _:
                self._say("".join(traceback.format_exception(error)).rstrip())
                return HttpError(500, f"The server failed ({type(error).__name__}). See its log")

    def _conversation_key(self, headers: Headers, body: bytes, api: Api, owner: str) -> str:
        """What identifies a conversation for routing: its id, else the user's first message."""
        if id := conversation_id(headers):
            return id
        try:
            request = forwarded_request(body, api)
        except BadInput:
            return ""
        items = [*self._memory.find(owner, request.previous), *request.context]
        asked = (item.text for item in items if isinstance(item, Message) and item.role == "user")
        key = request.conversation or self._conversations.get((owner, request.previous)) or next(asked, "")
        return key if len(key) <= _LONGEST_KEY else content_hash(key)

    def _follow(self, response: str, call: AdmittedRequest) -> None:
        """Remembers a response's conversation, because a later request may name only the response."""
        if self.router.canary is not None and response and call.api is responses:
            key = self._conversation_key(call.headers, call.body, responses, call.owner)
            self._conversations[call.owner, response] = key
            if len(self._conversations) > _MAX_CONVERSATIONS:
                self._conversations.popitem(last=False)
