"""What a captured conversation's record says: turns, ids, marks, gaps."""

from pathlib import Path

import pytest

from tests.traces.capture.chats import TOOLS, Chat, exchange, output, said, stored, thought, user
from verigym.core.records import Failure, Fault, FunctionCall, Message, Stop, Toolset, Usage
from verigym.traces.capture import Capture
from verigym.traces.redaction import Redaction
from verigym.training.samples import from_trajectory


def ids(context: list[int], completion: list[int]) -> dict:
    return {"context_ids": context, "completion_ids": completion, "logprobs": [-0.5] * len(completion)}


def kinds(trajectory) -> list[tuple[str, int | None]]:
    return [(mark.kind, mark.item) for mark in trajectory.marks]


def test_a_retry_is_a_turn_beside_the_first_and_a_branch_goes_on_from_where_it_left(capture: Capture) -> None:
    chat = Chat()
    id = capture.add(chat.ask("one", "a1"))
    asked = chat.ask("two", "a2")
    capture.add(asked)
    capture.add(exchange(asked.context, "b2"))
    branch = [*asked.context[:-1], user("another two")]
    assert capture.add(exchange(branch, "c2")) == id
    found = stored(capture, id)
    assert [turn.parent for turn in found.turns] == [None, 0, 0, 0]
    assert [turn.saw for turn in found.turns] == [[(0, 2)], [(0, 4)], [(0, 4)], [(0, 3), (6, 7)]]
    assert [turn.made for turn in found.turns] == [[2], [4], [5], [7]]
    assert kinds(found) == [("retry", 5)]


def test_a_past_that_was_edited_is_a_new_root_which_shares_what_was_not(capture: Capture) -> None:
    id = capture.add(exchange([Message("system", "s"), user("one")], "a1"))
    edited = [Message("system", "s"), user("one"), said("not what I said"), user("two")]
    assert capture.add(exchange(edited, "a2")) == id
    found = stored(capture, id)
    assert [(turn.parent, turn.saw, turn.made) for turn in found.turns] == [
        (None, [(0, 2)], [2]),
        (None, [(0, 2), (3, 5)], [5]),
    ]


def test_the_tokens_of_captured_turns_are_what_is_trained(capture: Capture) -> None:
    chat = Chat()
    id = capture.add(chat.ask("one", "a1", **ids([1, 2, 3], [4, 5])))
    capture.add(chat.ask("two", "a2", **ids([1, 2, 3, 4, 5, 6], [7])))
    found = stored(capture, id)
    assert [turn.context_ids for turn in found.turns] == [[1, 2, 3], [6]]
    (sample,) = from_trajectory(found, 1.0)
    assert sample.ids == [1, 2, 3, 4, 5, 6, 7]
    assert sample.mask == [0, 0, 0, 1, 1, 0, 1]
    assert sample.logprobs == [0, 0, 0, -0.5, -0.5, 0, -0.5]


def test_siblings_and_rewritten_contexts_are_samples_of_their_own(capture: Capture) -> None:
    chat = Chat()
    id = capture.add(chat.ask("one", "a1", **ids([1, 2], [3])))
    asked = chat.ask("two", "a2", **ids([1, 2, 3, 4], [5]))
    capture.add(asked)
    capture.add(exchange(asked.context, "b2", **ids([1, 2, 3, 4], [6])))
    capture.add(chat.ask("three", "a3", **ids([1, 9, 9, 7], [8])))  # the template wrote the past differently
    found = stored(capture, id)
    assert [(turn.parent, turn.rewritten) for turn in found.turns] == [
        (None, False),
        (0, False),
        (0, False),
        (None, True),
    ]
    assert [sample.ids for sample in from_trajectory(found, 1.0)] == [
        [1, 2, 3, 4, 5],
        [1, 2, 3, 4, 6],
        [1, 9, 9, 7, 8],
    ]


def test_where_text_was_redacted_no_ids_are_left_of_it_nor_of_what_came_after(tmp_path: Path) -> None:
    capture = Capture(tmp_path, Redaction.load(None))
    chat = Chat("")
    id = capture.add(chat.ask("hello", "hi", **ids([1], [2])))
    capture.add(chat.ask("I am ada@example.com", "hi Ada", **ids([1, 2, 777], [4])))
    capture.add(chat.ask("thanks", "bye", **ids([1, 2, 777, 4, 5], [6])))
    found = stored(capture, id)
    capture.close()
    assert [turn.completion_ids for turn in found.turns] == [[2], [], []]
    assert found.redacted == Redaction.load(None).name
    assert "ada@example.com" not in str(found)
    assert any("token ids" in gap for gap in found.gaps)
    assert b"ada@example.com" not in b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())


def test_the_same_value_has_the_same_placeholder_through_a_conversation(tmp_path: Path) -> None:
    capture = Capture(tmp_path, Redaction.load(None))
    chat = Chat("")
    id = capture.add(chat.ask("I am ada@example.com", "And your friend?"))
    capture.add(chat.ask("bob@example.com; mail us both, ada@example.com first", "Done."))
    found = stored(capture, id)
    capture.close()
    assert isinstance(found.items[2], Message)
    assert found.items[2].text == "[EMAIL 2]; mail us both, [EMAIL 1] first"


def test_calls_and_what_came_of_them_are_marked(capture: Capture) -> None:
    chat = Chat("", tools=TOOLS)
    calls = [
        FunctionCall("c1", "look_up", '{"what": "tea"}'),
        FunctionCall("c2", "fly", "{}"),
        FunctionCall("c3", "look_up", "{}"),
        FunctionCall("c4", "send", "not json"),
    ]
    id = capture.add(chat.ask("do much", calls))
    assert [kind for kind, _ in kinds(stored(capture, id))].count("unanswered_call") == 4
    results = [output("c1", "found"), output("c2", "error: no such tool"), output("c9", "whose is this?")]
    capture.add(chat.ask(results, [said('{"tool": "send"')]))
    found = stored(capture, id)
    assert sorted(kinds(found)) == sorted(
        [
            ("executed", 1),
            ("unknown_tool", 2),
            ("tool_error", 2),
            ("bad_arguments", 3),
            ("bad_arguments", 4),
            ("orphan_output", 7),
            ("unanswered_call", 3),
            ("unanswered_call", 4),
            ("format_error", 8),
        ]
    )
    tools = capture.store.get("tools", found.tools, Toolset)
    assert tools is not None
    assert [tool.name for tool in tools.tools] == ["look_up", "send"]


def test_an_error_is_the_conversations_until_a_retry_succeeds(capture: Capture) -> None:
    asked = exchange(
        [user("will it work?")], [], finish="error", error=Failure(Fault.INFRASTRUCTURE, "Overloaded", "busy")
    )
    id = capture.add(asked)
    found = stored(capture, id)
    assert (found.stop, found.error and found.error.kind, found.scorable) == (Stop.ERROR, "Overloaded", False)
    assert capture.add(exchange(asked.context, "Yes.")) == id
    found = stored(capture, id)
    assert (found.stop, found.error) == (Stop.DONE, None)
    assert [(turn.finish, turn.parent) for turn in found.turns] == [("error", None), ("stop", None)]
    assert kinds(found) == [("retry", 1)]


def test_a_conversation_that_began_before_it_was_captured_has_all_of_its_past_once(capture: Capture) -> None:
    past = [Message("system", "s"), user("one"), thought("hm"), said("a1"), user("two")]
    id = capture.add(exchange(past, "a2"))
    assert capture.add(exchange(past, "b2")) == id
    found = stored(capture, id)
    assert found.items == [*past, said("a2"), said("b2")]
    assert [turn.made for turn in found.turns] == [[5], [6]]


def test_time_cost_usage_agent_and_metadata_are_kept(capture: Capture) -> None:
    chat = Chat("", agent="510b8c59953a", cost=0.25)
    id = capture.add(chat.ask("one", "a1", began=1000.0, latency_s=2.0, usage=Usage(10, 2), metadata={"shop": "north"}))
    capture.add(chat.ask("two", "a2", began=1060.0, latency_s=3.0, finish="length"))
    found = stored(capture, id)
    assert (found.seconds, found.cost, found.stop) == (63.0, 0.5, Stop.MAX_TOKENS)
    assert [(turn.agent, turn.latency_s) for turn in found.turns] == [("510b8c59953a", 2.0), ("510b8c59953a", 3.0)]
    assert found.turns[0].usage == Usage(10, 2)
    assert found.end_state == {"metadata": {"shop": "north"}}
    assert (found.source, found.outcome) == ("gateway", "")


def test_a_promotion_amid_a_conversation_changes_the_agents_own_system_prompt_and_not_whose_conversation_it_is(
    capture: Capture,
) -> None:
    old, new = Message("system", "Be short."), Message("system", "Be kind.")
    turns: list = [user("one"), said("a1"), user("two"), said("a2"), user("three")]
    id = capture.add(exchange([old, *turns[:1]], "a1", agent_system=True, agent="v1"))
    assert capture.add(exchange([new, *turns[:3]], "a2", agent_system=True, agent="v2")) == id
    assert capture.add(exchange([new, *turns[:5]], "a3", agent_system=True, agent="v2")) == id
    found = stored(capture, id)
    assert [turn.parent for turn in found.turns] == [None, None, 1]
    shown = [[found.items[i].text for start, end in turn.saw for i in range(start, end)] for turn in found.turns]  # type: ignore
    assert shown == [
        ["Be short.", "one"],
        ["Be kind.", "one", "a1", "two"],
        ["Be kind.", "one", "a1", "two", "a2", "three"],
    ]
    assert len(found.items) == 8


def test_a_turn_that_was_offered_other_tools_says_which(capture: Capture) -> None:
    chat = Chat("", conversation="changes tools")
    id = capture.add(chat.ask("one", "a1", tools=TOOLS[:1]))
    capture.add(chat.ask("two", "a2", tools=TOOLS))
    capture.add(chat.ask("three", "a3", tools=TOOLS[:1]))
    found = stored(capture, id)
    offered = {hash: capture.store.get("tools", hash, Toolset) for hash in (found.tools, found.turns[1].tools)}
    assert [len(each.tools) for each in offered.values() if each is not None] == [1, len(TOOLS)]
    assert [bool(turn.tools) for turn in found.turns] == [False, True, False] and not found.gaps


@pytest.mark.parametrize("agent_system", [False, True])
@pytest.mark.parametrize("items", [[], [said("I begin.")], [user("\ud800 half a letter")], [user("x" * 2_000_000)]])
def test_odd_requests_are_kept_too(capture: Capture, items: list, agent_system: bool) -> None:
    id = capture.add(exchange(items, "Well.", agent_system=agent_system))
    assert stored(capture, id).reply == "Well."
    assert not capture.counts.lost
