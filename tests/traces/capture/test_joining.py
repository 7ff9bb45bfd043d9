"""Exchanges in, conversations out, however they are interleaved and sent."""

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.traces.capture.chats import TOOLS, AsItIs, Chat, exchange, is_call, output, said, stored, thought, user
from verigym.core.records import FunctionCall, Item, Message, Reasoning
from verigym.traces.capture import Capture, Exchange
from verigym.traces.capture.conversation_index import ConversationIndex
from verigym.traces.capture.exchange import Fingerprints

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


moves = st.lists(
    st.tuples(st.sampled_from(["ask", "retry", "branch", "edit"]), st.integers(0, 9)), min_size=1, max_size=8
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=moves, as_parts=st.booleans(), named=st.booleans())
def test_every_turn_saw_what_its_request_held_through_retries_branches_and_edits(
    running: Capture, moves: list[tuple[str, int]], as_parts: bool, named: bool
) -> None:
    example = next(_numbers)
    chat = Chat(as_parts=as_parts, conversation=f"moves {example}" if named else "")
    sent = [chat.ask(f"moves {example}", "first reply")]
    for n, (move, which) in enumerate(moves):
        reply = [thought("hm"), said(f"reply {n}")] if which % 3 == 0 else [said(f"reply {n}")]
        if move == "retry":
            sent.append(exchange(sent[-1].context, reply, conversation=sent[-1].conversation))
            continue
        if move == "branch":  # back to one of the replies, and on with something else
            ends = [
                place for place, item in enumerate(chat.items) if item in (said("first reply"), *map(said, _replies))
            ]
            chat.items = chat.items[: ends[which % len(ends)] + 1]
        elif move == "edit":
            chat.items[2 + chat.items[2:].index(next(filter(_is_said, chat.items)))] = said(f"edited {n}")
        sent.append(chat.ask(f"question {n}", reply))
    ids = [running.add(each) for each in sent]
    assert len(set(ids)) == 1
    found = stored(running, ids[0])
    assert len(found.turns) == len(sent)
    for turn, asked in zip(found.turns, sent, strict=True):
        saw = [found.items[i] for start, end in turn.saw for i in range(start, end)]
        assert gist(saw) == gist(asked.context)
        assert [found.items[i] for i in turn.made] == asked.reply
        if turn.parent is not None:
            before = sent[turn.parent]
            assert gist(saw)[: len(gist(before.context + before.reply))] == gist(before.context + before.reply)
    assert sum(mark.kind == "retry" for mark in found.marks) >= sum(move == "retry" for move, _ in moves)


_replies = [f"reply {n}" for n in range(10)]


def _is_said(item: Item) -> bool:
    return isinstance(item, Message) and item.role == "assistant"


def test_conversations_that_are_alike_to_the_letter_stay_two_once_the_first_went_on(running: Capture) -> None:
    first, second = Chat(user="twin"), Chat(user="twin")
    one = running.add(first.ask("Good morning, twin.", "Good morning!"))
    assert running.add(first.ask("Book a room.", "Which?")) == one
    other = running.add(second.ask("Good morning, twin.", "Good morning!"))
    assert other != one
    assert running.add(second.ask("Book a room.", "Which?")) == other
    assert running.add(first.ask("The large one.", "Done.")) != running.add(second.ask("The small one.", "Done."))
    turns = sorted((len(stored(running, id).turns), stored(running, id).marks) for id in (one, other))
    assert turns == [(3, []), (3, [])]


def test_two_people_who_say_the_same_have_two_conversations(running: Capture) -> None:
    said_by = [running.add(Chat(user=who).ask("Hello from somewhere.", "Hello!")) for who in ("ada", "bob")]
    assert len(set(said_by)) == 2


def test_two_agents_with_other_system_messages_or_tools_have_two_conversations(running: Capture) -> None:
    chats = [Chat("Plan."), Chat("Write."), Chat("Plan.", tools=TOOLS)]
    assert len({running.add(chat.ask("Make a thing of three agents.", "Yes.")) for chat in chats}) == 3


def test_an_id_that_the_client_gives_is_taken_at_its_word(running: Capture) -> None:
    one = running.add(exchange([user("a question with an id")], "Yes.", conversation="word 1"))
    assert running.add(exchange([user("something else altogether")], "No.", conversation="word 1")) == one
    assert running.add(exchange([user("a question with an id")], "Yes.", conversation="word 2")) != one
    found = stored(running, one)
    assert [turn.parent for turn in found.turns] == [None, None]
    assert [turn.saw for turn in found.turns] == [[(0, 1)], [(2, 3)]]
    assert "word 1" not in one


def test_a_chain_of_responses_is_one_conversation_though_only_what_is_new_is_sent(running: Capture) -> None:
    system = Message("system", "You help with chains.")
    one = running.add(exchange([system, user("first of a chain")], "One.", response="resp_1"))
    again = [system, user("second")]
    assert running.add(exchange(again, "Two.", response="resp_2", previous="resp_1")) == one
    assert running.add(exchange([user("third")], "Three.", response="resp_3", previous="resp_2")) == one
    found = stored(running, one)
    assert [item.text for item in found.items if isinstance(item, Message)] == [
        "You help with chains.", "first of a chain", "One.", "second", "Two.", "third", "Three.",
    ]  # fmt: skip
    assert [turn.parent for turn in found.turns] == [None, 0, 1]
    assert found.turns[2].saw == [(0, 6)]


def test_a_response_that_goes_on_from_nowhere_says_what_is_missing(running: Capture) -> None:
    found = stored(running, running.add(exchange([user("and then?")], "Then this.", previous="resp_gone")))
    assert found.gaps == ["what was said before response resp_gone"]


def test_a_place_that_is_known_before_the_reply_is_where_the_exchange_goes(running: Capture) -> None:
    chat = Chat()
    asked = chat.ask("placed before it is answered", "Yes.")
    placed = running.place(Exchange(context=asked.context))
    assert running.add(asked, placed) == placed.trajectory
    more = chat.ask("and again", "Yes, again.")
    assert running.place(more).trajectory == placed.trajectory


def test_a_request_that_comes_again_before_the_first_was_answered_is_a_retry(running: Capture) -> None:
    asked = exchange([user("a slow one")], "Late.")
    first, second = running.place(asked), running.place(asked)
    running.add(asked, second)
    running.add(asked, first)
    found = stored(running, first.trajectory)
    assert first.trajectory == second.trajectory
    assert [mark.kind for mark in found.marks] == ["retry"]
    assert len(found.turns) == 2


@pytest.mark.parametrize(
    ("reply", "later_s", "same"), [("hi", 5, True), ("hi", 100, False), ("", 100, True), ("", 1000, False)]
)
def test_the_same_first_request_is_a_retry_soon_and_somebody_else_later(reply: str, later_s: float, same: bool) -> None:
    prints, joined = Fingerprints(b"key"), ConversationIndex()
    asked = exchange([user("hello")], reply)
    chain = prints.request(asked)
    joined.end(chain[-1], prints.chain(asked.reply, chain[-1])[-1], "traces-served-2026-01-01/a", 0.0)
    found = joined.find(asked.context, chain, later_s)
    assert found == ("traces-served-2026-01-01/a" if same else None)


def test_only_the_latest_fingerprints_are_held() -> None:
    joined = ConversationIndex(most=100)
    for n in range(1000):
        joined.end(b"request %d" % n, b"whole %d" % n, f"traces-served-2026-01-01/{n}", 0.0)
        joined.name(b"name %d" % n, f"traces-served-2026-01-01/{n}")
    assert len(joined) == 100
    assert joined.named(b"name 999") == "traces-served-2026-01-01/999"
    assert joined.named(b"name 1") is None
