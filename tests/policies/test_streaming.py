"""Words of a reply while it is sampled: nothing that is said is taken back, and together it is the reply."""

import asyncio

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.one_thread import one_thread as one_thread
from tests.tiny import tiny
from verigym.core.protocols import Reply, Request
from verigym.core.records import Message, Sampling, ToolSpec
from verigym.policies.local.policy import LocalPolicy
from verigym.policies.tokens import _THINKING, TextStream

END = 256


def letters(ids: list[int]) -> str:
    """A tokenizer whose tokens are bytes."""
    return bytes(ids).decode(errors="replace")


def heard(text: str, stops: list[str] | None = None, size: int = 1) -> list[str]:
    said: list[str] = []
    spoken = TextStream(letters, {END}, stops or [], said.append)
    ids = [*text.encode(), END]
    for place in range(0, len(ids), size):
        spoken.add(ids[place : place + size])
    return said


@given(st.text(), st.integers(1, 5))
@example("[", 1)
@example("<s", 1)
def test_what_was_said_is_the_beginning_of_the_reply_and_never_half_a_letter(text: str, size: int) -> None:
    together = "".join(heard(text, size=size))
    assert text.startswith(together)
    begun = text.lstrip()
    thinks = any(begun.startswith(tag) or tag.startswith(begun) for tag in _THINKING)
    assert together == text or "\ufffd" in text or thinks


def test_letters_of_several_tokens_are_said_whole() -> None:
    assert heard("aé€") == ["a", "é", "€"]


@pytest.mark.parametrize(
    ("text", "stops", "said"),
    [
        ("one END two", ["END"], "one "),
        ("one EN", ["END"], "one "),
        ("one ENormous", ["END"], "one ENormous"),
        ("a stop b END", ["END", " stop"], "a"),
    ],
    ids=["before the stop text", "held back where it may begin", "let go when it does not", "the earliest of several"],
)
def test_a_stop_text_is_never_said(text: str, stops: list[str], said: str) -> None:
    assert "".join(heard(text, stops)) == said


def test_thinking_is_not_said() -> None:
    assert heard("<think>hm</think>yes") == []


@pytest.fixture(scope="module")
def policy() -> LocalPolicy:
    return LocalPolicy(tiny())


def streamed(policy: LocalPolicy, request: Request) -> tuple[list[str], Reply]:
    said: list[str] = []
    return said, asyncio.run(policy.stream(request, said.append))


def test_a_model_is_heard_while_it_speaks_and_says_the_same_as_without(policy: LocalPolicy) -> None:
    request = Request(items=[Message("user", "hello")], sampling=Sampling(max_tokens=24), seed=3)
    said, reply = streamed(policy, request)
    assert len(said) > 1
    assert reply.items == asyncio.run(policy.respond(request)).items
    message = reply.items[0]
    assert isinstance(message, Message) and "".join(said) == message.text


def test_nothing_is_said_early_where_it_may_be_a_call(policy: LocalPolicy) -> None:
    request = Request(items=[Message("user", "hello")], tools=[ToolSpec(name="add")], sampling=Sampling(max_tokens=8))
    said, reply = streamed(policy, request)
    assert said == [] and reply.turn.completion_ids
