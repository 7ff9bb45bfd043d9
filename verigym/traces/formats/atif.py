"""ATIF 1.0 to 1.7, the Agent Trajectory Interchange Format: one document a trajectory, step by step.

Steps that were copied from an earlier trajectory stay in the conversation and are marked: nothing is learned from them, and two
trajectories that differ only there are the same. Token ids and logprobs are kept.
"""

from collections.abc import Iterator
from typing import Any

from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    Item,
    Json,
    Reasoning,
    ReasoningText,
    Turn,
    Usage,
)
from verigym.traces.formats.messages import items_of, output_of
from verigym.traces.formats.trace import (
    Part,
    Trace,
    ids,
    interventions_of,
    listed,
    need,
    number,
    numbers,
    record,
    text,
    told,
    tools_of,
    whole,
)

NAME = "atif"
TITLE = "ATIF"
_SOURCES = {"system": "system", "user": "user", "agent": "assistant"}


def fits(value: Any) -> bool:
    row = record(value)
    return text(row.get("schema_version")).upper().startswith("ATIF") or (
        "agent" in row and bool(listed(row.get("steps")))
    )


def read(value: Any) -> Iterator[Trace | Part]:
    row = record(value)
    steps = listed(row.get("steps"))
    need(steps, '"steps" is missing or empty')
    agent = record(row.get("agent"))
    items: list[Item] = []
    turns: list[Turn] = []
    copied: set[int] = set()
    for place, step in enumerate(map(record, steps), start=1):
        source = text(step.get("source"))
        need(source in _SOURCES, f"step {place}: the source is {source[:40]!r}; it is system, user or agent")
        first = len(items)
        items += _said(step, _SOURCES[source])
        made = len(items)
        items += _results(step)
        if step.get("is_copied_context") is True:
            copied |= set(range(first, len(items)))
        elif source == "agent":
            turns.append(_turn(step, agent, turns, first, made))
    extra, final = record(row.get("extra")), record(row.get("final_metrics"))
    costs = [number(record(step.get("metrics")).get("cost_usd")) for step in map(record, steps)]
    yield Trace(
        items=items,
        turns=turns,
        tools=tools_of(agent.get("tool_definitions")),
        copied=copied,
        outcome=told(row) or told(extra),
        interventions=interventions_of(row),
        end_state={"final_metrics": final} if final else {},
        cost=max(sum(costs) or number(final.get("total_cost_usd")), 0.0),
        gaps=["the trajectory that it continues"] if row.get("continued_trajectory_ref") else [],
    )


def _said(step: Json, role: str) -> list[Item]:
    items: list[Item] = []
    if step.get("reasoning_content"):
        items.append(Reasoning(content=[ReasoningText(text(step["reasoning_content"]))]))
    calls = listed(step.get("tool_calls"))
    message = step.get("message")
    if message or not calls:
        items += items_of([{"role": role, "content": message if isinstance(message, str | list) else text(message)}])
    for call in map(record, calls):
        name = text(call.get("function_name") or call.get("name"))
        items.append(FunctionCall(text(call.get("tool_call_id")), name, text(call.get("arguments"))))
    return items


def _results(step: Json) -> list[Item]:
    results = map(record, listed(record(step.get("observation")).get("results")))
    return [FunctionCallOutput(text(each.get("source_call_id")), output_of(each.get("content"))) for each in results]


def _turn(step: Json, agent: Json, turns: list[Turn], first: int, made: int) -> Turn:
    """A step has all ids of its context; a turn has those that its context gained since the turn before."""
    metrics = record(step.get("metrics"))
    completion, logprobs = ids(metrics.get("completion_token_ids")), numbers(metrics.get("logprobs"))
    context = ids(metrics.get("prompt_token_ids"))
    before = _ids(turns)
    goes_on = bool(before) and context[: len(before)] == before
    return Turn(
        parent=len(turns) - 1 if turns and (goes_on or not completion) else None,
        saw=[(0, first)] if first else [],
        made=list(range(first, made)),
        context_ids=(context[len(before) :] if goes_on else context) if completion else [],
        completion_ids=completion,
        logprobs=logprobs if len(logprobs) == len(completion) else [],
        rewritten=bool(before and completion and not goes_on),
        agent=text(step.get("model_name") or agent.get("model_name") or agent.get("version")),
        usage=Usage(whole(metrics.get("prompt_tokens")), whole(metrics.get("completion_tokens"))),
    )


def _ids(turns: list[Turn]) -> list[int]:
    """All ids up to and with the last turn's completion; none where a turn on the way has none."""
    path: list[Turn] = []
    place: int | None = len(turns) - 1 if turns else None
    while place is not None:
        path.append(turns[place])
        place = turns[place].parent
    if not all(turn.completion_ids for turn in path):
        return []
    return [id for turn in reversed(path) for id in [*turn.context_ids, *turn.completion_ids]]
