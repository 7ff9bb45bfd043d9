"""Answers a client's request with a policy: the policy's request from the client's, and the reply as the client sees it.

A version answers as it was evaluated: its system prompt replaces the client's, and its tool descriptions replace the
client's. Its examples follow the system prompt, and its skills are part of it. The client's sampling settings take precedence
over the version's. Settings of the harness are those of our own loop and do not apply here.
"""

import asyncio
import random
import uuid
from collections.abc import Sequence

from msgspec.structs import replace

from verigym.core.errors import ContextFull
from verigym.core.protocols import Policy, Reply, Request
from verigym.core.records import FunctionCall, Item, Message, Sampling, ToolSpec, Version
from verigym.policies.dialects.plain import is_text_of
from verigym.policies.version_texts import is_system, whole_skills, with_examples
from verigym.wire.http import EVENTS, Responder
from verigym.wire.tools import ToolNames
from verigym.wire.types import ApiRequest, ReplyStream, ReplyToSend

DEFAULT_SAMPLING = Sampling(max_tokens=1024)
"""Used if neither the client nor the version sets anything."""


async def stream_reply(policy: Policy, request: Request, stream: ReplyStream, out: Responder) -> Reply:
    """Sends the reply while the policy generates it. The response begins with the first text, so that an earlier error can
    still set the HTTP status."""
    texts: asyncio.Queue[str] = asyncio.Queue()
    stream_text = getattr(policy, "stream", None)  # only some policies report their text while they generate it
    replying = asyncio.ensure_future(
        policy.respond(request) if stream_text is None else stream_text(request, texts.put_nowait)
    )
    replying.add_done_callback(lambda _: texts.put_nowait(""))
    try:
        while not (replying.done() and texts.empty()):
            text = await texts.get()
            while not texts.empty():
                text += texts.get_nowait()
            if text:
                await out.piece(await begin_stream(out, stream) + stream.text(text))
        return await replying
    finally:
        replying.cancel()


async def begin_stream(out: Responder, stream: ReplyStream) -> bytes:
    """The first events of a stream. Empty if it has begun already."""
    if out.status:
        return b""
    await out.begin(200, [EVENTS, (b"cache-control", b"no-cache")])
    return stream.begin()


def policy_request(asked: ApiRequest, version: Version, before: Sequence[Item] = ()) -> Request:
    """The policy's request. `before` is the conversation that the client continues."""
    sampling = replace(version.sampling or DEFAULT_SAMPLING, **asked.sampling)
    constrain = asked.constrain or version.constraints
    instructions: list[Item] = [] if asked.instructions is None else [Message("system", asked.instructions)]
    return Request(
        items=as_version([*instructions, *before, *asked.items], version),
        tools=with_descriptions(asked.tools, version.tool_descriptions),
        sampling=replace(sampling, constrain=constrain) if constrain else sampling,
        seed=random.getrandbits(63) if asked.seed is None else asked.seed,
    )


def as_version(items: list[Item], version: Version) -> list[Item]:
    """The items with the version's system prompt, skills and examples. The client runs the tools, so it could not answer
    `read_skill`: skills stand in the system prompt as a whole. An external program gets its skills as files."""
    items = with_system(items, version.system_prompt)
    if version.skills and not version.program:
        system = "\n".join(item.text for item in items if isinstance(item, Message) and is_system(item))
        items = with_system(items, whole_skills(system, version.skills))
    return with_examples(items, [], version.examples)[0]


def with_system(items: list[Item], prompt: str | None) -> list[Item]:
    """The items with the version's system prompt in place of the client's. An empty prompt removes the client's."""
    if prompt is None:
        return items
    rest = [item for item in items if not (isinstance(item, Message) and item.role in ("system", "developer"))]
    return [Message("system", prompt), *rest] if prompt else rest


def with_descriptions(tools: list[ToolSpec], descriptions: dict[str, str]) -> list[ToolSpec]:
    """The tools with the version's descriptions. A tool may have its own name or the name that the APIs allow."""
    if not descriptions:
        return tools
    texts = wire_descriptions(descriptions)
    return [replace(tool, description=texts[tool.name], own=True) if tool.name in texts else tool for tool in tools]


def reply_to_send(reply: Reply, head: ReplyToSend, one_call: bool = False) -> ReplyToSend:
    """The policy's reply as the client sees it, with the id in `head`. With `one_call`, calls after the first are left out."""
    finish = reply.turn.finish
    if finish == "context_full":
        raise ContextFull("The conversation does not fit into the model's context window")
    items = _sent_items(reply.items)
    first = next((index for index, item in enumerate(items) if isinstance(item, FunctionCall)), len(items))
    if one_call:
        items = items[: first + 1]
    called = any(isinstance(item, FunctionCall) for item in items)
    reason = "length" if finish == "length" else "tool_calls" if called else "stop"
    return replace(head, items=items, usage=reply.turn.usage, finish=reason)


def _sent_items(items: Sequence[Item]) -> list[Item]:
    """The reply without the text that only spells its call. Calls get unique ids."""
    sent: list[Item] = []
    for item, following in zip(items, [*items[1:], None], strict=False):
        if isinstance(item, FunctionCall):
            sent.append(replace(item, call_id=f"call_{uuid.uuid4().hex[:24]}"))
        elif not (isinstance(following, FunctionCall) and is_text_of(item, following)):
            sent.append(item)
    return sent


def wire_descriptions(descriptions: dict[str, str]) -> dict[str, str]:
    """Tool descriptions by the tool's own name and by the name that the APIs allow."""
    names = ToolNames(descriptions)
    return {names.wire(name): text for name, text in descriptions.items()} | descriptions
