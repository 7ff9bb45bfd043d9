"""What is brought together again: model calls, streamed pieces, parts that wait, values over lines."""

import io
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, Reasoning, ReasoningText
from verigym.traces import input_files
from verigym.traces.formats.trace import ModelCall, join_calls, ranges, turns_of
from verigym.traces.ingest import LocatedPart, PartAssembler
from verigym.wire.items import chat_items
from verigym.wire.streams import assemble_chat, pieces_of

SAID = st.text("ab ", min_size=1, max_size=3)


# -- model calls ----------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(SAID, SAID, st.booleans()), min_size=1, max_size=6))
def test_calls_of_one_conversation_become_it_again(turns: list[tuple[str, str, bool]]) -> None:
    """Each call is shown all that was said before, without its reasoning."""
    calls: list[ModelCall] = []
    shown: list[Item] = [Message("system", "s")]
    whole: list[Item] = list(shown)
    for n, (asked, answered, thinks) in enumerate(turns):
        user = Message("user", f"{n}{asked}")
        thought: list[Item] = [Reasoning(content=[ReasoningText("hm")])] if thinks else []
        reply: list[Item] = [*thought, Message("assistant", f"{n}{answered}")]
        shown, whole = [*shown, user], [*whole, user]
        calls.append(ModelCall(context=shown, reply=reply))
        shown, whole = [*shown, reply[-1]], [*whole, *reply]
    made = join_calls(calls)
    assert made.items == whole
    assert [turn.parent for turn in made.turns] == [None, *range(len(turns) - 1)]
    for call, turn in zip(calls, made.turns, strict=True):
        saw = [place for start, end in turn.saw for place in range(start, end)]
        assert [made.items[place] for place in saw] == call.context
        assert [made.items[place] for place in turn.made] == call.reply


def test_an_answer_that_was_tried_again_is_kept_beside_the_first() -> None:
    asked: list[Item] = [Message("user", "q")]
    again = join_calls([ModelCall(context=asked, reply=[Message("assistant", each)]) for each in ("a", "a", "b")])
    assert [item.text for item in again.items if isinstance(item, Message)] == ["q", "a", "a", "b"]
    assert [(turn.parent, turn.made) for turn in again.turns] == [(None, [1]), (None, [2]), (None, [3])]


def test_a_context_that_was_rewritten_is_a_new_root() -> None:
    one = ModelCall(context=[Message("user", "long story")], reply=[Message("assistant", "a")])
    two = ModelCall(context=[Message("user", "summary"), Message("user", "next")], reply=[Message("assistant", "b")])
    assert [(turn.parent, turn.saw) for turn in join_calls([one, two]).turns] == [(None, [(0, 1)]), (None, [(2, 4)])]


@given(st.lists(st.integers(0, 30), unique=True).map(sorted))
def test_ranges_cover_what_they_were_made_of(places: list[int]) -> None:
    made = ranges(places)
    assert [place for start, end in made for place in range(start, end)] == places
    assert all(made[n][1] < made[n + 1][0] for n in range(len(made) - 1))


def test_stretches_of_the_assistant_are_turns() -> None:
    items: list[Item] = [
        *[Message("user", "u"), Message("assistant", "a"), FunctionCall("c", "f", "{}"), FunctionCallOutput("c", "r")],
        *[Message("assistant", "b"), Message("user", "v")],
    ]
    made = turns_of(items)
    assert [(turn.parent, turn.saw, turn.made) for turn in made] == [(None, [(0, 1)], [1, 2]), (0, [(0, 4)], [4])]


# -- streamed pieces --------------------------------------------------------------------------------------------------------


@given(SAID, st.lists(st.tuples(SAID, SAID), max_size=3), st.randoms(use_true_random=False))
def test_a_streamed_reply_is_the_one_that_was_cut_up(content: str, calls: list[tuple[str, str]], draw: Any) -> None:
    deltas: list[dict[str, Any]] = [{"content": letter} for letter in content]
    for n, (name, arguments) in enumerate(calls):
        deltas.append({"tool_calls": [{"index": n, "id": f"c{n}", "function": {"name": name, "arguments": ""}}]})
        deltas += [{"tool_calls": [{"index": n, "function": {"arguments": letter}}]} for letter in arguments]
    pieces = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    noise = {"choices": [{"index": 1, "delta": {"content": "another choice"}}]}
    pieces.insert(draw.randrange(len(pieces) + 1), noise)
    made = assemble_chat([*pieces, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}])
    items = chat_items([made["choices"][0]["message"]])
    assert items == [
        Message("assistant", content),
        *(FunctionCall(f"c{n}", name, arguments) for n, (name, arguments) in enumerate(calls)),
    ]
    events = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n"
    assert pieces_of(events) == pieces


# -- parts that wait ----------------------------------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.sampled_from(["chat", "otel"]), st.text(max_size=3), st.integers()), max_size=40),
    st.booleans(),
)
def test_parts_of_one_key_are_together_and_in_order_in_memory_or_on_disk(
    parts: list[tuple[str, str, int]], on_disk: bool
) -> None:
    assembler = PartAssembler(limit=1024 if on_disk else 1 << 30)
    padding = "x" * 10_000 if on_disk else ""
    expected: dict[tuple[str, str], list[Any]] = {}
    for number, (format, key, value) in enumerate(parts):
        assembler.add(format, key, LocatedPart("f", str(number), [value, padding]))
        expected.setdefault((format, key), []).append([value, padding])
    assert bool(assembler) == bool(parts)
    groups = {(format, key): [part.value for part in group] for format, key, group in assembler.groups()}
    assert groups == expected
    assert list(groups) == list(expected)


# -- values and their places ------------------------------------------------------------------------------------------------

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
ROWS = st.dictionaries(st.text(max_size=3), VALUES, max_size=3)


@given(st.lists(st.tuples(ROWS, st.sampled_from([None, 1, 2]), st.booleans()), max_size=6))
def test_values_are_found_at_their_lines_however_they_are_indented(
    rows: list[tuple[dict[str, Any], int | None, bool]],
) -> None:
    body, expected, number = b"", list[tuple[str, Any]](), 1
    for row, indent, blank in rows:
        text = json.dumps(row, indent=indent)
        expected.append((str(number), row))
        body += text.encode() + (b"\n\n" if blank else b"\n")
        number += text.count("\n") + (2 if blank else 1)
    found = list(input_files._values(io.BytesIO(body)))
    assert [(each.position, getattr(each, "value", "bad")) for each in found] == expected


@given(
    st.binary(max_size=60)
    | st.lists(st.sampled_from([b"{", b"[1", b"}", b"\n", b" ", b'"', b"data: ", b"\\"])).map(b"".join)
)
def test_any_bytes_are_values_or_bad_ones_and_only_blank_lines_are_nothing(body: bytes) -> None:
    found = list(input_files._values(io.BytesIO(body)))
    rows = body.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    said = [row for row in rows if row.strip() and row.strip() != b"data: [DONE]"]
    assert bool(found) == bool(said)
    places = [int(each.position.partition("[")[0]) for each in found]
    assert places == sorted(places) and all(rows[place - 1].strip() for place in places)
