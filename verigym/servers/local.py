"""A request answered by a policy, whole or while it speaks."""

import asyncio
import time

from verigym.core.errors import BadInput, ContextFull, failure
from verigym.core.protocols import Policy, Reply, Request
from verigym.core.records import Fault
from verigym.servers.answer import Remembered, Streams, answered, request_of
from verigym.servers.ask import Answered, Ask, Stream
from verigym.servers.call import EVENTS, Call, Out
from verigym.servers.record import Recorder
from verigym.traces.capture import Exchange


async def speak(call: Call, ask: Ask, policy: Policy, remembered: Remembered, recorder: Recorder) -> None:
    version, out = call.agent.version, call.out
    before = remembered.before(ask.previous) if ask.previous else []
    request = request_of(ask, version, before)
    head = Answered(id=call.api.new_id(), created=int(time.time()), model=version.id)
    exchange = Exchange(
        items=request.items,
        tools=request.tools,
        sampling=request.sampling,
        conversation=call.conversation,
        response=head.id,
        user=ask.user or call.client,
        agent_system=bool(version.system_prompt),
        agent=version.id,
        metadata=ask.metadata,
        began=time.time(),
    )
    kept = recorder.begin(exchange, out)
    stream = call.api.stream(ask, head) if ask.stream else None
    try:
        if stream is None:
            reply = await policy.respond(request)
        else:
            reply = await _heard(policy, request, stream, out)
        made = answered(reply, head)
    except BadInput:  # the client's
        raise
    except Exception as error:
        finish = "context_full" if isinstance(error, ContextFull) else "error"
        kept.failed(failure(error, Fault.INFRASTRUCTURE), finish)
        raise
    except asyncio.CancelledError:
        kept.given_up()
        raise
    turn = reply.turn
    recorder.count(version.id, turn.usage)
    kept.answered(
        turn.usage,
        reply=made.items,
        latency_s=turn.latency_s,
        finish=made.finish,
        context_ids=turn.context_ids,
        completion_ids=turn.completion_ids,
        logprobs=turn.logprobs,
        restricted=turn.restricted,
    )
    if ask.keep:
        remembered.keep(made.id, [*before, *ask.items, *made.items])
    if stream is None:
        return await out.whole(200, call.api.whole(ask, made))
    first = await _begun(out, stream)
    await out.piece(first + stream.end(made), more=False)


async def _heard(policy: Policy, request: Request, stream: Stream, out: Out) -> Reply:
    """The reply, which is sent on while it is made. Nothing is sent before there is something to say: an error that comes first
    is a status of its own."""
    said: asyncio.Queue[str] = asyncio.Queue()
    answer = policy.stream(request, said.put_nowait) if isinstance(policy, Streams) else policy.respond(request)
    replying = asyncio.ensure_future(answer)
    replying.add_done_callback(lambda _: said.put_nowait(""))
    try:
        while not (replying.done() and said.empty()):
            words = await said.get()
            while not said.empty():
                words += said.get_nowait()
            if words:
                await out.piece(await _begun(out, stream) + stream.text(words))
        return await replying
    finally:
        replying.cancel()


async def _begun(out: Out, stream: Stream) -> bytes:
    """The first events, where the stream has not begun yet."""
    if out.status:
        return b""
    await out.begin(200, [EVENTS, (b"cache-control", b"no-cache")])
    return stream.begin()
