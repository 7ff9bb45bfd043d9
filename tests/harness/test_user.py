"""A user played by a policy: the conversation seen from the other side."""

import asyncio

import pytest

from verigym.core.protocols import Request
from verigym.core.records import FunctionCall, FunctionCallOutput, Image, InputText, Item, Message, Sampling
from verigym.harness.user import DONE, ask_policy
from verigym.policies.scripted import ScriptedPolicy

CONVERSATION: list[Item] = [
    Message("system", "You keep a shop."),
    Message("user", "Tea?"),
    Message("assistant", '{"tool": "add", "args": {}}'),
    FunctionCall("c", "add", "{}"),
    FunctionCallOutput("c", "1 tea"),
    Message("assistant", ""),
    Message("assistant", "Black or green?"),
]


def ask(answer: object, items: list[Item] = CONVERSATION) -> tuple[list[Item], Request]:
    asked: list[Request] = []

    def respond(request: Request) -> object:
        asked.append(request)
        return answer

    policy = ScriptedPolicy(respond)  # type: ignore[arg-type]
    reply = asyncio.run(ask_policy(policy, "Ada, who wants tea", items, Sampling(max_tokens=7), 5))
    return reply.items, asked[0]


def test_the_policy_is_told_its_part_and_sees_the_conversation_from_the_other_side() -> None:
    _, request = ask("Green.")
    part, *rest = request.items
    assert isinstance(part, Message) and part.role == "system"
    assert part.text.endswith("Your part: Ada, who wants tea") and DONE in part.text
    assert rest == [
        Message("assistant", "Tea?"),
        Message("user", '{"tool": "add", "args": {}}'),
        Message("user", "Black or green?"),
    ], "no system prompt of the assistant's, no results, no empty messages"
    assert (request.tools, request.turns, request.sampling.max_tokens, request.seed) == ([], [], 7, 5)


def test_what_it_says_is_the_users_message() -> None:
    assert ask("  Green.\n")[0] == [Message("user", "Green.")]


@pytest.mark.parametrize(
    "answer", [DONE, f"Thanks! {DONE}", "", "  \n", [FunctionCall("c", "add", "{}")], []],
    ids=["done", "done after words", "nothing", "blanks", "a call", "no items"],
)  # fmt: skip
def test_done_or_nothing_is_the_end(answer: object) -> None:
    assert ask(answer)[0] == []


def test_messages_of_several_parts_are_seen_as_their_text() -> None:
    items: list[Item] = [Message("user", [InputText("Look: "), Image("abc"), InputText("tea")])]
    assert ask("x", items)[1].items[1:] == [Message("assistant", "Look: tea")]
