"""Exchanges in, conversations out, however they are interleaved and sent."""

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.flywheel.capture.chats import TOOLS, AsItIs, Chat, is_call, output, said, stored, thought, user
from verigym.core.records import FunctionCall, Item, Message, Reasoning
from verigym.flywheel.capture import Capture

_numbers = itertools.count()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Capture]:
    made = Capture(tmp_path_factory.mktemp("capture"), AsItIs())
    yield made
    made.close()


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
replies = st.lists(st.sampled_from(["words", "call", "thought", "empty", "two calls"]), min_size=1, max_size=2)


@st.composite
def plans(draw: st.DrawFn) -> list[dict]:
    """A few conversations: how each is sent and what kinds of replies it gets."""
    one = st.fixed_dictionaries(
        {
            "as_parts": st.booleans(),
            "drops_thoughts": st.booleans(),
            "named": st.booleans(),
            "tools": st.booleans(),
            "user": st.sampled_from(["", "ada"]),
            "same": st.booleans(),
            "system": st.sampled_from(["", "You help."]),
            "rounds": st.lists(st.tuples(texts, replies), min_size=1, max_size=5),
        }
    )
    return draw(st.lists(one, min_size=1, max_size=5))


def reply_of(kinds: list[str], number: int) -> list[Item]:
    made: list[Item] = []
    for kind in kinds:
        match kind:
            case "words":
                made.append(said(f"reply {number}"))
            case "empty":
                made.append(said(""))
            case "thought":
                made.append(thought("hm"))
            case _:
                for more in range(1 + (kind == "two calls")):
                    made.append(FunctionCall(f"call_{number}_{more}_{len(made)}", "look_up", '{"what":  "tea", "a":1}'))
    return made


def gist(items: list[Item]) -> list[Item]:
    """Items as they were said, whatever way they were sent."""
    return [
        Message(item.role, item.text) if isinstance(item, Message) else item
        for item in items
        if not isinstance(item, Reasoning) and not (isinstance(item, Message) and not item.text.strip())
    ]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plans=plans(), data=st.data())
def test_any_interleaving_of_conversations_gives_back_exactly_these(
    running: Capture, plans: list[dict], data: st.DataObject
) -> None:
    example = next(_numbers)
    chats: list[Chat] = []
    for n, plan in enumerate(plans):
        named = {"conversation": f"{example}-{n}"} if plan["named"] else {}
        more = {**named, "user": plan["user"], "tools": TOOLS if plan["tools"] else []}
        chats.append(Chat(plan["system"], plan["as_parts"], plan["drops_thoughts"], **more))
    left = [list(plan["rounds"]) for plan in plans]
    ids: list[set[str]] = [set() for _ in plans]
    while any(left):
        n = data.draw(st.sampled_from([n for n, rounds in enumerate(left) if rounds]))
        text, kinds = left[n].pop(0)
        chat = chats[n]
        new: list[Item] = [
            output(item.call_id, f"found {text}")
            for item in chat.items
            if isinstance(item, FunctionCall)
            and not any(getattr(each, "call_id", "") == item.call_id and not is_call(each) for each in chat.items)
        ]
        opening = f" of {example}-{n}" if not chat.turns else ""  # no two conversations open alike
        new = new or [user(f"{text} asked{opening}")]
        reply = reply_of(kinds, chat.turns)
        ids[n].add(running.add(chat.ask(new, reply)))
    running.flush()
    assert all(len(each) == 1 for each in ids), "one trajectory each"
    assert len(set.union(*ids)) == len(chats), "and none shared"
    for chat, (id,) in zip(chats, map(tuple, ids), strict=True):
        found = stored(running, id)
        assert gist(found.items) == gist(chat.items)
        assert len(found.turns) == chat.turns
        answered = [turn for turn in found.turns if gist([found.items[i] for i in turn.made])]
        assert sum(turn.parent is None for turn in found.turns) <= 1 + len(found.turns) - len(answered)
        for turn in found.turns:
            seen = [found.items[i] for start, end in turn.saw for i in range(start, end)]
            assert gist(seen) == gist(found.items[: turn.made[0]] if turn.made else found.items)
    assert not running.counts.lost
