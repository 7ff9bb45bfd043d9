"""Server-sent events: reading and writing them, and assembling the whole reply from a stream's pieces."""

from collections.abc import Sequence
from typing import Any

from verigym.core.records import Json
from verigym.wire.values import as_list, as_object, as_objects, as_text, parsed, write_json

LAST_EVENTS = ("response.completed", "response.incomplete", "response.failed")
"""Events that end a stream of the Responses API, with the whole response in them."""
_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")


def event(data: Json, name: str = "") -> bytes:
    return (b"event: %b\n" % name.encode() if name else b"") + b"data: %b\n\n" % write_json(data)


def read_events(stream: str) -> list[Json]:
    """The data of each server-sent event, without the end marker."""
    data = [line[5:].strip() for line in stream.split("\n") if line.startswith("data:")]
    return [as_object(parsed(text)) for text in data if text and text != "[DONE]"]


def pieces_of(value: Any) -> list[Json]:
    """The pieces of a stream, from a list or from server-sent events. Empty if the value is not a stream."""
    is_stream = isinstance(value, str) and value.lstrip().startswith(("data:", "event:"))
    pieces = read_events(value) if is_stream else as_objects(value)
    return pieces if pieces and all({"choices", "type", "usage", "error"} & piece.keys() for piece in pieces) else []


def assemble_chat(chunks: Sequence[Json]) -> Json:
    """The completion that the chunks add up to (the first choice). Empty if they hold no part of a reply.

    The finish reason is None if the stream ended before the reply did.
    """
    message: Json = {"role": "assistant"}
    calls: dict[int, Json] = {}
    completion: Json = {}
    finish: Any = None
    tokens: Json = {}
    for chunk in chunks:
        keys = ("model", "usage", "id", "created", "error", "prompt_token_ids")
        completion |= {key: chunk[key] for key in keys if chunk.get(key)}
        for choice in as_objects(chunk.get("choices")):
            if choice.get("index", 0) != 0:
                continue
            finish = choice.get("finish_reason") or finish
            delta = as_object(choice.get("delta"))
            for key in _TEXTS:
                if isinstance(delta.get(key), str):
                    message[key] = message.get(key, "") + delta[key]
            _add_calls(as_list(delta.get("tool_calls")), calls)
            _add_tokens(choice, tokens)
    if len(message) == 1 and not calls and finish is None and "error" not in completion:
        return {}
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    return {**completion, "choices": [{"message": message, "finish_reason": finish, **tokens}]}


def _add_tokens(choice: Json, tokens: Json) -> None:
    """Adds the ids and logprobs of a chunk."""
    if ids := as_list(choice.get("token_ids")):
        tokens.setdefault("token_ids", []).extend(ids)
    if logprobs := as_list(as_object(choice.get("logprobs")).get("content")):
        tokens.setdefault("logprobs", {"content": []})["content"].extend(logprobs)


def _add_calls(deltas: list[Any], calls: dict[int, Json]) -> None:
    for position, delta in enumerate(map(as_object, deltas)):
        index = delta.get("index", position)
        key = index if isinstance(index, int) else position
        call = calls.setdefault(key, {"function": {"name": "", "arguments": ""}})
        if delta.get("id"):
            call["id"] = delta["id"]
        function, written = as_object(delta.get("function")), call["function"]
        if isinstance(function.get("name"), str) and function["name"] != written["name"]:  # some servers repeat it
            written["name"] += function["name"]
        if isinstance(function.get("arguments"), str):
            written["arguments"] += function["arguments"]


def assemble_response(events: Sequence[Json]) -> Json:
    """The response that a stream ended with. If the stream was cut off, an incomplete one of the items that were done."""
    responses = [as_object(event.get("response")) for event in events]
    responses = [response for response in responses if "output" in response]
    done = [event.get("item") for event in events if event.get("type") == "response.output_item.done"]
    last = responses[-1] if responses else {}
    if last.get("output") or not done:
        return last
    status = last.get("status")
    return {**last, "output": done, "status": status if status in ("completed", "failed") else "incomplete"}


def assemble_message(events: Sequence[Json]) -> Json:
    """The message that a stream of the Messages API adds up to. The stop reason is None if the stream was cut off."""
    message: Json = {}
    blocks: dict[Any, Json] = {}
    for event in events:
        kind, delta, index = event.get("type"), as_object(event.get("delta")), event.get("index")
        if kind == "message_start":
            message = as_object(event.get("message"))
        elif kind == "content_block_start":
            blocks[index] = {**as_object(event.get("content_block"))}
        elif kind == "content_block_delta" and index in blocks:
            _add_delta(delta, blocks[index])
        elif kind == "message_delta":
            usage = {**as_object(message.get("usage")), **_given(as_object(event.get("usage")))}
            message = {**message, **_given(delta), "usage": usage}
        elif kind == "error":
            return {**message, "error": event.get("error")}
    return {**message, "content": [_finished(block) for block in blocks.values()]}


def _given(fields: Json) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def _add_delta(delta: Json, block: Json) -> None:
    for key in ("text", "thinking", "signature", "partial_json"):
        if isinstance(delta.get(key), str):
            block[key] = as_text(block.get(key)) + delta[key]


def _finished(block: Json) -> Json:
    """A block with its input as the model wrote it, as text."""
    written = block.pop("partial_json", "")
    return {**block, "input": written} if written else block
