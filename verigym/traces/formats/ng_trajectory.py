"""NeMo Gym's trajectory record 1.0: agents' conversations, model calls with their requests and responses, tool calls, gaps.

It is a row of its own or the field `ng_trajectory` of a rollout with its reward. The conversation is that of the first agent
that has one, else it is assembled from the model calls, else from the turns' questions and answers. The conversations of
sub-agents are gaps.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Json, Mark
from verigym.traces.formats import chat, responses
from verigym.traces.formats.opinions import agreed_outcome, opinions_in, outcome_of, reported_outcome
from verigym.traces.formats.trace import (
    ModelCall,
    ParsedTrace,
    TracePart,
    interventions_of,
    join_calls,
    require,
    turns_of,
)
from verigym.wire.items import chat_items, output_text, response_items, usage_of
from verigym.wire.values import as_list, as_number, as_object, as_objects, as_text

NAME = "ng_trajectory"
TITLE = "NeMo Gym trajectories"
_EVIDENCE = ("invocations", "turns", "model_calls")


def fits(value: Any) -> bool:
    row = as_object(value)
    return "ng_trajectory" in row or ("rollout_id" in row and any(key in row for key in _EVIDENCE))


def read(value: Any) -> Iterator[ParsedTrace | TracePart]:
    row = as_object(value)
    inner = as_object(row.get("ng_trajectory")) or row
    invocations, turns = as_objects(inner.get("invocations")), as_objects(inner.get("turns"))
    left_out: Counter[str] = Counter()
    agents = [invocation for invocation in invocations if as_list(invocation.get("conversation"))]
    if agents:
        trace = _conversation(as_list(agents[0]["conversation"]), left_out)
    elif calls := [parsed for row in as_objects(inner.get("model_calls")) if (parsed := _call(row, left_out))]:
        trace = join_calls(calls)
    else:
        trace = _from_turns(turns)
    items, marks = _with_tools(trace.items, as_objects(inner.get("tool_calls")))
    durations = [as_number(invocation.get("duration_ms")) / 1000 for invocation in invocations]
    resolved = agreed_outcome([outcome_of(turn.get("resolved")) for turn in turns])
    gaps = [*map(_gap, as_objects(inner.get("gaps"))), *trace.gaps]
    gaps += [f"the conversation of another agent: {as_text(agent.get('invocation_id'))}" for agent in agents[1:]]
    reward = row.get("reward")
    yield msgspec.structs.replace(
        trace,
        items=items,
        marks=marks,
        rewards=[as_number(reward)] if isinstance(reward, int | float) else [],
        outcome=reported_outcome(row) or resolved or outcome_of(reward),
        opinions=opinions_in(row),
        interventions=interventions_of(row),
        seconds=max(durations, default=0.0),
        gaps=gaps + responses.left_out_gaps(left_out),
    )


def _conversation(messages: list[Any], left_out: Counter[str]) -> ParsedTrace:
    rows = as_objects(messages)
    is_chat = all(isinstance(row.get("role"), str) and "type" not in row for row in rows)
    items = chat_items(messages) if is_chat else response_items(messages, left_out)
    return ParsedTrace(items=items, turns=turns_of(items))


def _call(call: Json, left_out: Counter[str]) -> ModelCall | None:
    asked, answer = as_object(call.get("request")), as_object(call.get("response"))
    if not asked and not answer:
        return None
    if as_list(asked.get("messages")) or as_list(answer.get("choices")):
        result = chat.model_call(asked, answer, {})
    else:
        result = responses.model_call(asked, answer, {}, left_out)
    stats = call.get("token_stats")
    turn = msgspec.structs.replace(
        result.turn,
        agent=as_text(call.get("model") or answer.get("model") or asked.get("model")),
        usage=usage_of(stats) if as_object(stats) else result.turn.usage,
        latency_s=chat.latency(call),
    )
    return msgspec.structs.replace(result, turn=turn)


def _from_turns(turns: list[Json]) -> ParsedTrace:
    messages: list[Json] = []
    for turn in turns:
        if turn.get("question") is not None:
            messages.append({"role": "user", "content": output_text(turn["question"])})
        if turn.get("answer") is not None or turn.get("reasoning_content"):
            answer, reasoning = output_text(turn.get("answer")), turn.get("reasoning_content")
            messages.append({"role": "assistant", "content": answer, "reasoning_content": reasoning})
    items = chat_items(messages)
    require(items, "it has no conversation, model call or turn")
    gaps = ["tool calls and their results: only questions and answers were recorded"]
    return ParsedTrace(items=items, turns=turns_of(items), gaps=gaps)


def _with_tools(items: list[Item], results: list[Json]) -> tuple[list[Item], list[Mark]]:
    """Adds results that the conversation does not contain, and marks failed calls."""
    items, marks = list(items), list[Mark]()
    calls = {item.call_id: index for index, item in enumerate(items) if isinstance(item, FunctionCall)}
    answered = {item.call_id for item in items if isinstance(item, FunctionCallOutput)}
    for row in results:
        call_id = as_text(row.get("tool_call_id"))
        if call_id not in answered and row.get("output") is not None:
            answered.add(call_id)
            items.append(FunctionCallOutput(call_id, output_text(row["output"])))
        if row.get("status") in ("failed", "timeout") and call_id in calls:
            marks.append(Mark("tool_error", calls[call_id], as_text(row.get("error_type") or row["status"])))
    return items, marks


def _gap(gap: Json) -> str:
    detail = as_text(gap.get("detail"))
    return as_text(gap.get("code")) + (f": {detail}" if detail else "")
