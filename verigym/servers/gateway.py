"""The life of a request: let in, read, answered by a policy or handed on to a server, counted.

Whatever goes wrong ends here, as an error in OpenAI's shape. A client that leaves cancels its generation.
"""

import asyncio
import contextlib
import time
import traceback
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from verigym.core.errors import BadInput, ContextFull, InfrastructureFailure, NotFound, VerigymError
from verigym.rollout.settings import Prices
from verigym.servers import chat, responses
from verigym.servers import proxied as seen
from verigym.servers.admission import Door
from verigym.servers.answer import Remembered, first_words
from verigym.servers.ask import Api
from verigym.servers.call import Call, Headers, Out, conversation_in
from verigym.servers.errors import HttpError, decode
from verigym.servers.local import speak
from verigym.servers.proxy import hand_on
from verigym.servers.record import Captures, Recorder
from verigym.servers.routing import Lineup
from verigym.servers.upstream import Upstream

LEFT = 499
"""Status of a request whose client left."""
_FOLLOWED = 10_000
Answer = Callable[[Headers, bytes, str, Out], Awaitable[None]]


class Gateway:
    def __init__(
        self,
        lineup: Lineup,
        door: Door,
        *,
        capture: Captures | None = None,
        prices: Prices = Prices(),
        say: Callable[[str], None] = print,
    ) -> None:
        self.lineup, self.door, self._say = lineup, door, say
        self.recorder = Recorder(capture, prices)
        self._remembered = Remembered()
        self._conversations: OrderedDict[str, str] = OrderedDict()
        """Response to what its conversation is known by, so that all of it stays with one version."""

    async def serve_chat(self, scope: Any, receive: Any, send: Any) -> None:
        await self._serve(chat, scope, receive, send)

    async def serve_responses(self, scope: Any, receive: Any, send: Any) -> None:
        await self._serve(responses, scope, receive, send)

    async def _serve(self, api: Api, scope: Any, receive: Any, send: Any) -> None:
        async def answer(headers: Headers, body: bytes, client: str, out: Out) -> None:
            model = decode(body, seen.peek).model
            with self.lineup.agent(model, lambda: self._conversation(headers, body, api)) as agent:
                out.extra[b"x-verigym-version"] = agent.version.id.encode()
                call = Call(api, agent, headers, body, client, out)
                if isinstance(agent.answers, Upstream):
                    response = await hand_on(call, model, agent.answers, self.recorder, bool(self.door.keys))
                    self._follow(response, headers, body)
                else:
                    await speak(call, api.read(body), agent.answers, self._remembered, self.recorder)

        await self.handle(answer, scope, receive, send, api)

    async def handle(self, answer: Answer, scope: Any, receive: Any, send: Any, api: Api = chat) -> None:
        """Lets a request in, waits for its answer, and says what went wrong."""
        started = time.perf_counter()
        out, left = Out(send), asyncio.Event()
        headers: Headers = dict(scope["headers"])
        address = scope["client"][0] if scope.get("client") else ""
        try:
            client = self.door.check(headers, address)
            self.door.inside += 1
            try:
                body = await self.door.body(headers, receive)
                async with _watched(receive, out, left), asyncio.timeout(self.door.limits.seconds):
                    await answer(headers, body, client, out)
            finally:
                self.door.inside -= 1
        except asyncio.CancelledError:
            if not left.is_set():
                raise
        except ConnectionError:
            left.set()
        except Exception as error:
            await out.error(self._said(error), api)
        finally:
            status = LEFT if left.is_set() and not out.is_over else out.status
            self.recorder.metrics.took(scope["path"], status, time.perf_counter() - started)

    def _said(self, error: Exception) -> HttpError:
        """An exception as the client is told it."""
        match error:
            case HttpError():
                return error
            case TimeoutError():
                return HttpError(504, f"no answer within {self.door.limits.seconds:g} s", code="time_out")
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
                return HttpError(500, f"the server failed ({type(error).__name__}); its log says where")

    # -- what a conversation is known by --------------------------------------------------------------------------------

    def _conversation(self, headers: Headers, body: bytes, api: Api) -> str:
        """Its id, else what the user said first."""
        named = conversation_in(headers)
        if named:
            return named
        try:
            asked = seen.request(body, api is chat)
        except BadInput:
            return ""
        before = self._remembered.known(asked.previous)
        return asked.conversation or self._conversations.get(asked.previous) or first_words([*before, *asked.items])

    def _follow(self, response: str, headers: Headers, body: bytes) -> None:
        """A later request may name nothing but the response."""
        if self.lineup.canary is not None and response:
            self._conversations[response] = self._conversation(headers, body, responses)
            if len(self._conversations) > _FOLLOWED:
                self._conversations.popitem(last=False)


@contextlib.asynccontextmanager
async def _watched(receive: Any, out: Out, left: asyncio.Event) -> AsyncIterator[None]:
    """Cancels what is done inside when the client leaves."""
    inside = asyncio.current_task()
    assert inside is not None

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        if not out.is_over:
            left.set()
            inside.cancel()

    watching = asyncio.ensure_future(watch())
    try:
        yield
    finally:
        watching.cancel()
