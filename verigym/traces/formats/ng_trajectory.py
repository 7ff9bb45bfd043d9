"""NeMo Gym's trajectory record 1.0: agents' conversations, model calls with their requests and responses, tool calls, gaps.

It stands alone or as `ng_trajectory` in a row of a rollout with its reward. The conversation is that of the first agent that has
one; else it is put together from the model calls, else from the turns' questions and answers. Sub-agents' own are a gap.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Json, Mark, Usage
from verigym.traces.formats import chat, responses
from verigym.traces.formats.messages import items_of, output_of
from verigym.traces.formats.trace import (
    Call,
    Part,
    Trace,
    agreed,
    interventions_of,
    joined,
    listed,
    need,
    number,
    outcome_of,
    record,
    text,
    told,
    turns_of,
    whole,
)

NAME = "ng_trajectory"
TITLE = "NeMo Gym trajectories"
_EVIDENCE = ("invocations", "turns", "model_calls")


def fits(value: Any) -> bool:
    row = record(value)
    return "ng_trajectory" in row or ("rollout_id" in row and any(key in row for key in _EVIDENCE))


def read(value: Any) -> Iterator[Trace | Part]:
    row = record(value)
    inner = record(row.get("ng_trajectory")) or row
    left_out: Counter[str] = Counter()
    spoken = [each for each in map(record, listed(inner.get("invocations"))) if listed(each.get("conversation"))]
    calls = [record(each) for each in listed(inner.get("model_calls"))]
    made = _conversation(spoken, left_out) or _from_calls(calls, left_out) or _from_turns(listed(inner.get("turns")))
    need(made is not None, "no conversation, model call or turn in it")
    assert made is not None
    items, marks = _with_tools(made.items, [record(each) for each in listed(inner.get("tool_calls"))])
    took = [number(record(each).get("duration_ms")) / 1000 for each in listed(inner.get("invocations"))]
    resolved = agreed([outcome_of(record(turn).get("resolved")) for turn in listed(inner.get("turns"))])
    gaps = [*(_gap(record(each)) for each in listed(inner.get("gaps"))), *made.gaps]
    gaps += [f"the conversation of another agent: {text(each.get('invocation_id'))}" for each in spoken[1:]]
    reward = row.get("reward")
    yield msgspec.structs.replace(
        made,
        items=items,
        marks=marks,
        rewards=[number(reward)] if isinstance(reward, int | float) else [],
        outcome=told(row) or resolved or outcome_of(reward),
        interventions=interventions_of(row),
        seconds=max(took, default=0.0),
        gaps=[*gaps, *(f"items of kind {kind[:40]}: {count}" for kind, count in sorted(left_out.items()))],
    )


def _conversation(spoken: list[Json], left_out: Counter[str]) -> Trace | None:
    if not spoken:
        return None
    said = listed(spoken[0]["conversation"])
    is_chat = all(isinstance(record(each).get("role"), str) and "type" not in record(each) for each in said)
    items = items_of(said) if is_chat else responses.items_of(said, left_out)
    return Trace(items=items, turns=turns_of(items, set()))


def _from_calls(calls: list[Json], left_out: Counter[str]) -> Trace | None:
    made = [call for each in calls if (call := _call(each, left_out)) is not None]
    return joined(made) if made else None


def _call(call: Json, left_out: Counter[str]) -> Call | None:
    asked, answer = record(call.get("request")), record(call.get("response"))
    if not asked and not answer:
        return None
    if listed(asked.get("messages")) or listed(answer.get("choices")):
        context = items_of(listed(asked.get("messages")))
        choice = record(next(iter(listed(answer.get("choices"))), None))
        message = record(choice.get("message"))
        found = Call(context=context, reply=items_of([{"role": "assistant", **message}], context) if message else [])
    else:
        found = responses.call_of(asked, answer, {}, left_out)
    stats = record(call.get("token_stats"))
    return msgspec.structs.replace(
        found,
        agent=text(call.get("model") or answer.get("model") or asked.get("model")),
        usage=Usage(whole(stats.get("prompt_tokens")), whole(stats.get("completion_tokens"))) if stats else found.usage,
        latency_s=chat.latency(call),
    )


def _from_turns(turns: list[Any]) -> Trace | None:
    messages: list[Json] = []
    for turn in map(record, turns):
        if turn.get("question") is not None:
            messages.append({"role": "user", "content": _words(turn["question"])})
        if turn.get("answer") is not None or turn.get("reasoning_content"):
            thought = turn.get("reasoning_content")
            messages.append({"role": "assistant", "content": _words(turn.get("answer")), "reasoning_content": thought})
    items = items_of(messages)
    gaps = ["tool calls and their results: only questions and answers were recorded"]
    return Trace(items=items, turns=turns_of(items, set()), gaps=gaps) if items else None


def _words(value: Any) -> str:
    return output_of(value)


def _with_tools(items: list[Item], observed: list[Json]) -> tuple[list[Item], list[Mark]]:
    """Results that the conversation does not show, and calls that failed."""
    items, marks = list(items), list[Mark]()
    calls = {item.call_id: place for place, item in enumerate(items) if isinstance(item, FunctionCall)}
    answered = {item.call_id for item in items if isinstance(item, FunctionCallOutput)}
    for each in observed:
        call_id = text(each.get("tool_call_id"))
        if call_id not in answered and each.get("output") is not None:
            answered.add(call_id)
            items.append(FunctionCallOutput(call_id, output_of(each["output"])))
        if each.get("status") in ("failed", "timeout") and call_id in calls:
            marks.append(Mark("tool_error", calls[call_id], text(each.get("error_type") or each["status"])))
    return items, marks


def _gap(gap: Json) -> str:
    detail = text(gap.get("detail"))
    return text(gap.get("code")) + (f": {detail}" if detail else "")
