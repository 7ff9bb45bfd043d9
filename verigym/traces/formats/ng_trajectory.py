"""NeMo Gym's trajectory record 1.0: agents' conversations, model calls with their requests and responses, tool calls, gaps.

It is a row of its own or the field `ng_trajectory` of a rollout with its reward. The conversation is that of the first agent
that has one, else it is assembled from the model calls, else from the turns' questions and answers. The conversations of
sub-agents are gaps.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Json, Mark, Usage
from verigym.traces.formats import chat, responses
from verigym.traces.formats.trace import (
    ModelCall,
    ParsedTrace,
    TracePart,
    agreed_outcome,
    interventions_of,
    join_calls,
    outcome_in,
    outcome_of,
    require,
    turns_of,
)
from verigym.wire.items import chat_items, output_text, response_items
from verigym.wire.values import as_count, as_list, as_number, as_object, as_text

NAME = "ng_trajectory"
TITLE = "NeMo Gym trajectories"
_EVIDENCE = ("invocations", "turns", "model_calls")


def fits(value: Any) -> bool:
    row = as_object(value)
    return "ng_trajectory" in row or ("rollout_id" in row and any(key in row for key in _EVIDENCE))


def read(value: Any) -> Iterator[ParsedTrace | TracePart]:
    row = as_object(value)
    inner = as_object(row.get("ng_trajectory")) or row
    left_out: Counter[str] = Counter()
    spoken = [each for each in map(as_object, as_list(inner.get("invocations"))) if as_list(each.get("conversation"))]
    calls = [as_object(each) for each in as_list(inner.get("model_calls"))]
    made = _conversation(spoken, left_out) or _from_calls(calls, left_out) or _from_turns(as_list(inner.get("turns")))
    require(made is not None, "it has no conversation, model call or turn")
    assert made is not None
    items, marks = _with_tools(made.items, [as_object(each) for each in as_list(inner.get("tool_calls"))])
    took = [as_number(as_object(each).get("duration_ms")) / 1000 for each in as_list(inner.get("invocations"))]
    resolved = agreed_outcome([outcome_of(as_object(turn).get("resolved")) for turn in as_list(inner.get("turns"))])
    gaps = [*(_gap(as_object(each)) for each in as_list(inner.get("gaps"))), *made.gaps]
    gaps += [f"the conversation of another agent: {as_text(each.get('invocation_id'))}" for each in spoken[1:]]
    reward = row.get("reward")
    yield msgspec.structs.replace(
        made,
        items=items,
        marks=marks,
        rewards=[as_number(reward)] if isinstance(reward, int | float) else [],
        outcome=outcome_in(row) or resolved or outcome_of(reward),
        interventions=interventions_of(row),
        seconds=max(took, default=0.0),
        gaps=[*gaps, *(f"items of kind {kind[:40]}: {count}" for kind, count in sorted(left_out.items()))],
    )


def _conversation(spoken: list[Json], left_out: Counter[str]) -> ParsedTrace | None:
    if not spoken:
        return None
    said = as_list(spoken[0]["conversation"])
    is_chat = all(isinstance(as_object(each).get("role"), str) and "type" not in as_object(each) for each in said)
    items = chat_items(said) if is_chat else response_items(said, left_out)
    return ParsedTrace(items=items, turns=turns_of(items, set()))


def _from_calls(calls: list[Json], left_out: Counter[str]) -> ParsedTrace | None:
    made = [call for each in calls if (call := _call(each, left_out)) is not None]
    return join_calls(made) if made else None


def _call(call: Json, left_out: Counter[str]) -> ModelCall | None:
    asked, answer = as_object(call.get("request")), as_object(call.get("response"))
    if not asked and not answer:
        return None
    if as_list(asked.get("messages")) or as_list(answer.get("choices")):
        context = chat_items(as_list(asked.get("messages")))
        choice = as_object(next(iter(as_list(answer.get("choices"))), None))
        message = as_object(choice.get("message"))
        found = ModelCall(
            context=context, reply=chat_items([{"role": "assistant", **message}], context) if message else []
        )
    else:
        found = responses.model_call(asked, answer, {}, left_out)
    stats = as_object(call.get("token_stats"))
    return msgspec.structs.replace(
        found,
        agent=as_text(call.get("model") or answer.get("model") or asked.get("model")),
        usage=Usage(as_count(stats.get("prompt_tokens")), as_count(stats.get("completion_tokens")))
        if stats
        else found.usage,
        latency_s=chat.latency(call),
    )


def _from_turns(turns: list[Any]) -> ParsedTrace | None:
    messages: list[Json] = []
    for turn in map(as_object, turns):
        if turn.get("question") is not None:
            messages.append({"role": "user", "content": _words(turn["question"])})
        if turn.get("answer") is not None or turn.get("reasoning_content"):
            thought = turn.get("reasoning_content")
            messages.append({"role": "assistant", "content": _words(turn.get("answer")), "reasoning_content": thought})
    items = chat_items(messages)
    gaps = ["tool calls and their results: only questions and answers were recorded"]
    return ParsedTrace(items=items, turns=turns_of(items, set()), gaps=gaps) if items else None


def _words(value: Any) -> str:
    return output_text(value)


def _with_tools(items: list[Item], observed: list[Json]) -> tuple[list[Item], list[Mark]]:
    """Adds results that the conversation does not contain, and marks failed calls."""
    items, marks = list(items), list[Mark]()
    calls = {item.call_id: place for place, item in enumerate(items) if isinstance(item, FunctionCall)}
    answered = {item.call_id for item in items if isinstance(item, FunctionCallOutput)}
    for each in observed:
        call_id = as_text(each.get("tool_call_id"))
        if call_id not in answered and each.get("output") is not None:
            answered.add(call_id)
            items.append(FunctionCallOutput(call_id, output_text(each["output"])))
        if each.get("status") in ("failed", "timeout") and call_id in calls:
            marks.append(Mark("tool_error", calls[call_id], as_text(each.get("error_type") or each["status"])))
    return items, marks


def _gap(gap: Json) -> str:
    detail = as_text(gap.get("detail"))
    return as_text(gap.get("code")) + (f": {detail}" if detail else "")
