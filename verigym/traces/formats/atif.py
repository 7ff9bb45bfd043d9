"""ATIF 1.0 to 1.8, the Agent Trajectory Interchange Format: one document per trajectory, step by step.

Steps copied from an earlier trajectory stay in the conversation and are marked. They are not trained on, and two
trajectories that differ only there are the same. Token ids and logprobs are kept. A step without a model call is no turn. Audio
and the trajectories of sub-agents are gaps.
"""

from collections.abc import Iterator
from typing import Any

from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Json, Turn, Usage
from verigym.traces.formats.opinions import opinions_in, reported_outcome
from verigym.traces.formats.trace import ParsedTrace, TracePart, ids_until, interventions_of, require
from verigym.wire.items import chat_items, output_text, thought
from verigym.wire.tools import read_tools
from verigym.wire.values import as_count, as_list, as_number, as_numbers, as_object, as_objects, as_text, as_token_ids

NAME = "atif"
TITLE = "ATIF"
_SOURCES = {"system": "system", "user": "user", "agent": "assistant"}


def fits(value: Any) -> bool:
    row = as_object(value)
    if as_text(row.get("schema_version")).upper().startswith("ATIF"):
        return True
    steps = as_objects(row.get("steps"))
    return isinstance(row.get("agent"), dict) and bool(steps) and all("source" in step for step in steps)


def read(value: Any) -> Iterator[ParsedTrace | TracePart]:
    row = as_object(value)
    steps = as_list(row.get("steps"))
    require(steps, '"steps" is missing or empty')
    agent = as_object(row.get("agent"))
    items: list[Item] = []
    turns: list[Turn] = []
    copied: set[int] = set()
    for number, step in enumerate(map(as_object, steps), start=1):
        source = as_text(step.get("source"))
        require(source in _SOURCES, f"step {number}: the source is {source[:40]!r}. It must be system, user or agent")
        first = len(items)
        items += _message_items(step, _SOURCES[source])
        reply_end = len(items)
        for result in as_objects(as_object(step.get("observation")).get("results")):
            items.append(FunctionCallOutput(as_text(result.get("source_call_id")), output_text(result.get("content"))))
        if step.get("is_copied_context") is True:
            copied |= set(range(first, len(items)))
        elif source == "agent" and step.get("llm_call_count") != 0:
            turns.append(_turn(step, agent, turns, first, reply_end))
    extra, final = as_object(row.get("extra")), as_object(row.get("final_metrics"))
    costs = [as_number(as_object(step.get("metrics")).get("cost_usd")) for step in map(as_object, steps)]
    yield ParsedTrace(
        items=items,
        turns=turns,
        tools=read_tools(agent.get("tool_definitions")),
        copied=copied,
        outcome=reported_outcome(row) or reported_outcome(extra),
        opinions=[*opinions_in(row), *opinions_in(extra)],
        interventions=interventions_of(row),
        end_state={"final_metrics": final} if final else {},
        cost=max(sum(costs) or as_number(final.get("total_cost_usd")), 0.0),
        gaps=_gaps(row, steps),
    )


def _gaps(row: Json, steps: list[Any]) -> list[str]:
    inner = len(as_list(row.get("subagent_trajectories")))
    contents = [as_object(step).get("message") for step in steps]
    contents += [
        result.get("content")
        for step in steps
        for result in as_objects(as_object(as_object(step).get("observation")).get("results"))
    ]
    audio = sum(part.get("type") == "audio" for content in contents for part in as_objects(content))
    return [
        *(["the trajectory that it continues"] if row.get("continued_trajectory_ref") else []),
        *([f"the trajectories of sub-agents: {inner}"] if inner else []),
        *([f"audio: {audio}"] if audio else []),
    ]


def _message_items(step: Json, role: str) -> list[Item]:
    items: list[Item] = []
    if step.get("reasoning_content"):
        items.append(thought(as_text(step["reasoning_content"])))
    calls = as_list(step.get("tool_calls"))
    message = step.get("message")
    if message or not calls:
        items += chat_items(
            [{"role": role, "content": message if isinstance(message, str | list) else as_text(message)}]
        )
    for call in map(as_object, calls):
        name = as_text(call.get("function_name") or call.get("name"))
        items.append(FunctionCall(as_text(call.get("tool_call_id")), name, as_text(call.get("arguments"))))
    return items


def _turn(step: Json, agent: Json, turns: list[Turn], first: int, reply_end: int) -> Turn:
    """A step has all ids of its context. A turn has only those that its context gained since the turn before."""
    metrics = as_object(step.get("metrics"))
    completion, logprobs = as_token_ids(metrics.get("completion_token_ids")), as_numbers(metrics.get("logprobs"))
    context = as_token_ids(metrics.get("prompt_token_ids"))
    before = ids_until(turns, len(turns) - 1 if turns else None)
    continues = bool(before) and context[: len(before)] == before
    return Turn(
        parent=len(turns) - 1 if turns and (continues or not completion) else None,
        saw=[(0, first)] if first else [],
        made=list(range(first, reply_end)),
        context_ids=(context[len(before) :] if continues else context) if completion else [],
        completion_ids=completion,
        logprobs=logprobs if len(logprobs) == len(completion) else [],
        rewritten=bool(before and completion and not continues),
        agent=as_text(step.get("model_name") or agent.get("model_name") or agent.get("version")),
        usage=Usage(as_count(metrics.get("prompt_tokens")), as_count(metrics.get("completion_tokens"))),
    )
