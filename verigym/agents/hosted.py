"""One episode behind an address: an agent asks the model there and calls the environment's tools there.

    /e/ID/v1/chat/completions, /responses, /messages    the model, in three APIs
    /e/ID~ACTOR/v1/...                                  the same for another actor, which is never trained on
    /e/ID/mcp, /e/ID/tools, /e/ID/tools/NAME            the tools on the live state
    /e/ID/say                                           words for a reset/step environment or a scripted user

The id is a random capability of 128 bits, so nobody else can act in the episode. `host` routes requests to it.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

import verigym
from verigym.agents.dialogue import Dialogue
from verigym.core.errors import BadInput, ContextFull, InfrastructureFailure, failure
from verigym.core.protocols import Policy, Reply, Request
from verigym.core.records import Failure, Fault, Json, Mark, Message, Stop, Toolset, ToolSpec, Trajectory, Turn, Version
from verigym.policies.answering import begin_stream, policy_request, reply_to_send, stream_reply
from verigym.rollout.live import Live, merged
from verigym.rollout.settings import RunSettings
from verigym.wire import messages
from verigym.wire.http import HttpError, Responder
from verigym.wire.mcp import McpServer, ToolAnswer
from verigym.wire.tools import ToolNames
from verigym.wire.types import Api, ApiRequest, ReplyToSend, left_out_header

_MOST_REPLIES = 200
"""Replies of the policy in an episode without a limit of its own."""
_MOST_RESPONSES = 1000


class HostedEpisode:
    """An episode that an agent drives over HTTP."""

    def __init__(
        self,
        live: Live,
        policy: Policy,
        settings: RunSettings,
        version: Version,
        others: Mapping[str, Policy],
        keep_tools: Callable[[Toolset], None] = lambda toolset: None,
        only_roles: bool = False,
    ) -> None:
        """`others` answer the actors of these names. With `only_roles`, no other actor than `policy` gets an answer besides
        them. Otherwise the policy plays it."""
        self.id = secrets.token_hex(16)
        self.live, self.dialogue = live, Dialogue(live.session.id)
        self.last_active = time.monotonic()
        self.model_calls = 0
        """Calls of the model that were answered."""
        self.error: Failure | None = None
        """What kept the model from answering the last call, if that was not the client's own mistake."""
        self._policy, self._others, self._only_roles = policy, others, only_roles
        self._settings, self._version = settings, version
        self._keep_tools = keep_tools
        self._spent_tokens, self._cost = 0, 0.0
        names = ToolNames(tool.name for tool in live.offer.tools)
        self._names = {names.wire(tool.name): tool.name for tool in live.offer.tools}
        self.mcp = McpServer("verigym", verigym.__version__, self._list_tools, self._call_for_client)
        self._answering: set[asyncio.Task[Any]] = set()
        self.ended = False

    # -- the model ----------------------------------------------------------------------------------------------------

    async def answer(self, api: Api, actor: str, body: bytes, out: Responder) -> None:
        """Answers a request to the model."""
        self._check_open()
        asked = api.read_request(body)
        out.extra |= left_out_header(asked)
        before = self._before(asked)
        request = self._request(asked, actor, before)
        call = self.dialogue.ask(request, actor)
        head = ReplyToSend(id=api.new_id(), created=int(time.time()), model=asked.model)
        stream = api.stream(asked, head) if asked.stream else None
        policy = self._played_by(actor)
        task = asyncio.current_task()
        assert task is not None
        self._answering.add(task)
        try:
            if stream is None:
                reply = await policy.respond(call.request)
            else:
                reply = await stream_reply(policy, call.request, stream, out)
            sent = reply_to_send(reply, head, asked.one_call)
        except ContextFull:
            self.live.session.log.marks.append(Mark("context_full"))
            self.live.stop = self.live.stop or Stop.CONTEXT_FULL
            raise
        except Exception as error:
            if not isinstance(error, BadInput):
                self.error = failure(error, Fault.INFRASTRUCTURE)
            raise
        finally:
            self._answering.discard(task)
            self.last_active = time.monotonic()
        self._record(self.dialogue.answer(call, _cut(reply, sent), sent.items, head.id), asked.tools)
        if asked.keep:
            self._remember(sent.id, [*before, *asked.items, *sent.items])
        if stream is None:
            return await out.whole(200, api.write_reply(asked, sent))
        first = await begin_stream(out, stream)
        await out.piece(first + stream.end(sent), more=False)

    def _played_by(self, actor: str) -> Policy:
        if self._only_roles and actor != "policy" and actor not in self._others:
            remedy = f"Pass --{actor} MODEL" if actor in ("user", "judge") else "It can have only a user and a judge"
            words = f'The environment asked for a reply of the role "{actor}", which no model plays. {remedy}'
            self.error = Failure(Fault.INFRASTRUCTURE, "NoModel", words)
            raise HttpError(400, words, code="role_without_model")
        return self._others.get(actor, self._policy)

    async def count(self, actor: str, body: bytes, out: Responder) -> None:
        """Answers with the number of tokens of a prompt in Anthropic's form."""
        asked = messages.read_count_request(body)
        counter = getattr(self._others.get(actor, self._policy), "count_tokens", None)
        if counter is None:
            raise HttpError(404, f"{self._version.label} cannot count tokens", code="not_supported")
        request = self._request(asked, actor, [])
        await out.whole(200, msgspec.json.encode({"input_tokens": counter(request)}))

    def _before(self, asked: ApiRequest) -> list[Any]:
        if not asked.previous:
            return []
        if asked.previous not in self.dialogue.responses:
            message = f'This episode has no response with the id "{asked.previous}". Send the whole conversation'
            raise HttpError(404, message, code="previous_response_not_found", param="previous_response_id")
        return self.dialogue.responses[asked.previous]

    def _remember(self, response: str, items: list[Any]) -> None:
        responses = self.dialogue.responses
        responses[response] = items
        if len(responses) > _MOST_RESPONSES:
            del responses[next(iter(responses))]

    def _request(self, asked: ApiRequest, actor: str, before: list[Any]) -> Request:
        """The policy's request. The run decides how replies are sampled, so that the episodes of a group can be compared. The
        client may ask for shorter replies, a format, or text to stop at. Users and judges have the weights of their models."""
        version = self._version if actor == "policy" else Version(base=self._version.base)
        request = policy_request(asked, version, before)
        run = self._settings.sampling_of(version)
        if actor != "policy":
            run = msgspec.structs.replace(run, weights="")
        most = min(asked.sampling.get("max_tokens", run.max_tokens), run.max_tokens)
        if self._settings.limits.tokens is not None:
            most = max(1, min(most, self._settings.limits.tokens - self._spent_tokens))
        stop = asked.sampling.get("stop") or run.stop
        constrain = request.sampling.constrain
        sampling = msgspec.structs.replace(run, max_tokens=most, stop=stop, constrain=constrain or run.constrain)
        return msgspec.structs.replace(request, sampling=sampling, seed=self._settings.seed)

    def _record(self, turn: Turn, tools: list[ToolSpec]) -> None:
        self.model_calls += 1
        self.error = None
        if turn.actor == "policy":
            self._spent_tokens += turn.usage.completion_tokens
            self._cost += self._settings.prices.cost(turn)
        for hash, offered in self.dialogue.tools.items():
            self._keep_tools(Toolset(offered, hash))

    def _check_open(self) -> None:
        """Refuses a request to an episode that is over or has reached a limit."""
        live, limits = self.live, self._settings.limits
        replies = sum(turn.actor == "policy" for turn in self.dialogue.turns)
        if live.stop is None and time.monotonic() > live.deadline:
            live.stop = Stop.TIME_OUT
        elif live.stop is None and replies >= (limits.turns or _MOST_REPLIES):
            live.stop = Stop.MAX_TURNS
        elif live.stop is None and limits.tokens is not None and self._spent_tokens >= limits.tokens:
            live.stop = Stop.TOKENS_SPENT
        elif live.stop is None and limits.cost is not None and self._cost >= limits.cost:
            live.stop = Stop.COST_SPENT
        if self.ended:
            raise HttpError(403, "The episode is over", code="episode_over")
        if live.stop is not None:
            raise HttpError(403, f"The episode is over ({live.stop.value})", code="episode_over")

    # -- the environment ----------------------------------------------------------------------------------------------

    async def _list_tools(self) -> list[ToolSpec]:
        own = {name: wire for wire, name in self._names.items()}
        return [msgspec.structs.replace(tool, name=own[tool.name]) for tool in self.live.offer.tools]

    async def tools(self) -> list[Json]:
        """The tools for plain HTTP clients, with names that every API allows."""
        return [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in await self._list_tools()
        ]

    async def _call_for_client(self, name: str, arguments: Json) -> ToolAnswer:
        return await self.call(name, msgspec.json.encode(arguments).decode())

    async def call(self, name: str, arguments: str) -> ToolAnswer:
        """Runs a tool on the live state. The name may be the tool's own or the one that APIs allow."""
        self.last_active = time.monotonic()
        outcome = await self.live.call(self._names.get(name, name), arguments, log=False)
        self.last_active = time.monotonic()
        return ToolAnswer(outcome.output, not any(mark.kind == "executed" for mark in outcome.marks))

    async def say(self, text: str) -> tuple[str, bool]:
        self.last_active = time.monotonic()
        return await self.live.say(text, log=False)

    # -- the end ------------------------------------------------------------------------------------------------------

    async def end(
        self,
        *,
        error: Failure | None = None,
        marks: list[Mark] | None = None,
        reply: str = "",
        outcome: str = "",
        reward: float | None = None,
        blobs: Mapping[str, str] = {},
    ) -> Trajectory:
        """Closes the environment and returns the one trajectory of the episode. `reply` is the agent's own final answer, if it
        differs from the model's last words. `reward` is the verdict of the agent's side, which cannot be computed again."""
        self.ended = True
        for task in [*self._answering]:
            task.cancel()
        live = self.live
        captured = self.dialogue.trajectory()
        if live.session.environment.steps and live.stop is None and not live.session.log.rewards and captured.reply:
            await live.say(reply or captured.reply, log=False)
        if error is None and self.error is not None and live.stop is None:
            error = self.error  # the model could not answer, and the agent gave up
        made = merged(await live.end(error=error), captured, live.executed, self._names.values())
        if not captured.turns:
            made = msgspec.structs.replace(made, items=live.items, tools=live.offer.hash)
        items = (
            [*made.items, Message("assistant", reply)] if reply and reply.strip() != made.reply.strip() else made.items
        )
        end_state, more = dict(made.end_state), list(marks or [])
        if reward is not None:
            end_state["external_verdict"] = {"reward": reward, "evidence": "the agent's side gave this reward"}
            more.append(Mark("not_rescorable", detail="the verdict of an external system"))
        return msgspec.structs.replace(
            made,
            items=items,
            marks=[*made.marks, *more],
            end_state=end_state,
            outcome=outcome,
            cost=self._cost,
            blobs={**made.blobs, **blobs},
        )


def _cut(reply: Reply, sent: ReplyToSend) -> Reply:
    """The reply with the reason for its end that the client was told."""
    return msgspec.structs.replace(reply, turn=msgspec.structs.replace(reply.turn, finish=sent.finish))


def unanswered(error: Exception) -> HttpError:
    """The error that an agent gets for an exception."""
    match error:
        case HttpError():
            return error
        case ContextFull():
            return HttpError(400, str(error), code="context_length_exceeded")
        case InfrastructureFailure():
            return HttpError(502, str(error), code="model_failed")
        case _:
            return HttpError(400, str(error), param=getattr(error, "param", None))
