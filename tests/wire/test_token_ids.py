"""Ids and logprobs are asked for and taken out again, so that the client gets what the server would have sent otherwise."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.wire import chat, token_ids
from verigym.wire.streams import read_events

WORDS = ["Hel", 'lo "token_ids": [1, 2]', "\\", "é中", ""]


def written(value: Any, spaced: bool) -> bytes:
    """JSON as vLLM writes it, or as Python's own module does."""
    return json.dumps(value, ensure_ascii=False, separators=None if spaced else (",", ":")).encode()


def logprobs_of(ids: list[int]) -> Any:
    return {"content": [{"token": "x", "logprob": -0.5 * id, "bytes": [1], "top_logprobs": []} for id in ids]}


def reply(with_ids: bool, with_logprobs: bool, text: str, ids: list[int]) -> Any:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text, "tool_calls": []},
        "logprobs": logprobs_of(ids) if with_logprobs else None,
        "finish_reason": "stop",
        "token_ids": ids if with_ids else None,
    }
    usage = {"prompt_tokens": 2, "completion_tokens": len(ids)}
    head = {"id": "chatcmpl-1", "created": 1, "choices": [choice], "usage": usage, "time": 1e-07}
    return {**head, "prompt_token_ids": [7, 8] if with_ids else None, "kv_transfer_params": None}


ids_strategy = st.lists(st.integers(0, 9), max_size=5)


@given(text=st.text(), ids=ids_strategy, spaced=st.booleans(), had=st.sampled_from([{}, {"logprobs": True}]))
def test_a_whole_reply_is_as_if_nobody_had_asked(text: str, ids: list[int], spaced: bool, had: Any) -> None:
    added = token_ids.ask(had)
    asked_logprobs = "logprobs" in had
    sent = written(reply(True, True, text, ids), spaced)
    assert token_ids.strip_reply(sent, added) == written(reply(False, asked_logprobs, text, ids), spaced)
    read = chat.read_reply(sent)
    assert (read.prompt_ids, read.completion_ids, read.logprobs) == ([7, 8], ids, [-0.5 * id for id in ids])


def chunks(with_ids: bool, texts: list[str | None], spaced: bool) -> bytes:
    """A stream as vLLM 0.32 writes it: ids of the prompt in the first chunk, and chunks of ids alone where a parser waits."""
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk"}
    first = {"index": 0, "delta": {"role": "assistant", "content": ""}, "logprobs": None, "finish_reason": None}
    events: list[Any] = [{**head, "choices": [first], "prompt_token_ids": [7, 8] if with_ids else None}]
    for number, text in enumerate(texts):
        if text is None and not with_ids:
            continue
        choice = {
            "index": 0,
            "delta": {} if text is None else {"content": text},
            "logprobs": logprobs_of([number]) if with_ids else None,
            "finish_reason": None,
            "token_ids": [number] if with_ids else None,
        }
        events.append({**head, "choices": [choice]})
    last = {"index": 0, "delta": {}, "finish_reason": "stop", "token_ids": [99] if with_ids else None}
    if with_ids:
        last["logprobs"] = logprobs_of([2])
    else:
        last["logprobs"] = None
    events += [{**head, "choices": [last]}, {**head, "choices": [], "usage": {"prompt_tokens": 2}}]
    return b"".join(b"data: " + written(one, spaced) + b"\n\n" for one in events) + b"data: [DONE]\n\n"


@given(
    texts=st.lists(st.none() | st.sampled_from(WORDS), max_size=5),
    spaced=st.booleans(),
    cuts=st.lists(st.integers(0, 2000), max_size=8),
)
def test_a_stream_is_as_if_nobody_had_asked_however_it_is_cut(
    texts: list[str | None], spaced: bool, cuts: list[int]
) -> None:
    sent = chunks(True, texts, spaced)
    stripper = token_ids.StreamStripper(token_ids.ask({}))
    places = sorted(min(cut, len(sent)) for cut in cuts)
    pieces = [sent[start:end] for start, end in zip([0, *places], [*places, len(sent)], strict=True)]
    seen = b"".join(map(stripper.add, pieces)) + stripper.end()
    assert seen == chunks(False, texts, spaced)
    read = chat.read_reply(json.dumps(chat.read_stream(read_events(sent.decode()))).encode())
    assert read.prompt_ids == [7, 8] and read.completion_ids == [*range(len(texts)), 99]
    assert read.logprobs == [*(-0.5 * id for id in range(len(texts))), -1.0]


def test_only_what_the_client_did_not_ask_for_is_added() -> None:
    body = b'{"model":"m", "messages": [ 1.0 ], "logprobs": true, "top_logprobs": 5}'
    asked, added = token_ids.ask_in(body)
    assert json.loads(asked) == {**json.loads(body), "return_token_ids": True} and b"[ 1.0 ]" in asked
    assert added == {"return_token_ids": True}
    assert token_ids.ask_in(b'{"return_token_ids":true,"logprobs":true}')[1] == {}
    assert token_ids.ask_in(b'{"return_token_ids":null,"logprobs":false}')[1] == token_ids.ask({})


@pytest.mark.parametrize(
    "body",
    [b"", b"not JSON", b"[1]", b'{"error": {"message": "no"}}', b'{"choices": 5}', b"\xff", b"[" * 100_000],
    ids=range(7),
)
def test_what_is_not_a_reply_stays_as_it_is(body: bytes) -> None:
    added = token_ids.ask({})
    assert token_ids.strip_reply(body, added) == body
    stripper = token_ids.StreamStripper(added)
    stream = b": comment\r\ndata: " + body + b"\r\n\r\nevent: x\ndata: [DONE]"
    assert stripper.add(stream) + stripper.end() == stream
