"""What belongs to one API key: a client with another key cannot write into its conversations or continue its responses."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from tests.servers.running import Running, running
from tests.traces.capture.chats import AsItIs, exchange, user
from verigym.core.errors import NotFound
from verigym.core.records import Feedback
from verigym.traces.capture import Capture

ANN, BOB = "key-of-ann-0123456789", "key-of-bob-0123456789"
ASKED: Any = [{"role": "user", "content": "Hi"}]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    capture = Capture(tmp_path, AsItIs())
    with running(tmp_path, fixed="echo", keys=[ANN, BOB], capture=capture) as found:
        yield found
    capture.close()


def trajectory(server: Running, key: str, **fields: Any) -> str:
    """The trajectory that a request with this key was captured in."""
    client = server.client(api_key=key)
    answer = client.chat.completions.with_raw_response.create(model="echo", messages=ASKED, **fields)
    return answer.headers["x-verigym-trajectory"]


def feedback(server: Running, key: str, **body: Any) -> Any:
    return server.client(api_key=key).post("/feedback", body=body, cast_to=object)


@pytest.mark.parametrize(
    "fields",
    [{"extra_headers": {"x-verigym-conversation": "talk"}}, {"user": "u7"}, {}],
    ids=["a conversation's id", "a user", "the same words"],
)
def test_a_client_never_writes_into_another_keys_conversation(server: Running, fields: Any) -> None:
    of_ann = trajectory(server, ANN, **fields)
    assert trajectory(server, BOB, **fields) != of_ann
    assert trajectory(server, ANN, **fields) == of_ann


def test_only_the_key_of_a_conversation_may_give_feedback_on_it(server: Running) -> None:
    id = trajectory(server, ANN, extra_headers={"x-verigym-conversation": "talk"})
    for about in ({"trajectory": id}, {"conversation": "talk"}):
        with pytest.raises(openai.NotFoundError, match="with the API key that the conversation used"):
            feedback(server, BOB, **about, correction="I was never here.")
        assert feedback(server, ANN, **about, outcome="failure")["trajectory"] == id
    assert {said.outcome for said in server.ws.store.documents("feedback", Feedback)} == {"failure"}


def test_a_response_is_continued_only_with_its_key(server: Running) -> None:
    first = server.client(api_key=ANN).responses.create(model="echo", input="My number is 7.")
    with pytest.raises(openai.NotFoundError):
        server.client(api_key=BOB).responses.create(model="echo", input="Which?", previous_response_id=first.id)
    assert server.client(api_key=ANN).responses.create(model="echo", input="Which?", previous_response_id=first.id).id


def test_a_restart_keeps_owners_apart(tmp_path: Path) -> None:
    capture = Capture(tmp_path, AsItIs())
    id = capture.add(exchange([user("one")], "a1", conversation="talk", response="resp_1", owner="ann"))
    capture.close()
    capture = Capture(tmp_path, AsItIs())
    for name in (id, "talk", "resp_1"):
        assert capture.feedback(name, "ann", note="seen").trajectory == id
        with pytest.raises(NotFound):
            capture.feedback(name, "bob", note="seen")
    assert capture.add(exchange([user("two")], "a2", previous="resp_1", owner="bob")) != id
    assert capture.add(exchange([user("two")], "a2", previous="resp_1", owner="ann")) == id
    capture.close()
