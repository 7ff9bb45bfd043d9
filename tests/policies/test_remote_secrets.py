"""The key, and whatever else of a server nobody may see: sent where it belongs, shown nowhere."""

import asyncio
import json
import urllib.parse

import pytest

from tests.policies.remote_server import HELLO, HI, KEY, ask, ask_raw, failing
from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.policies.remote import RemotePolicy

ODD_KEY = 'sk/a+b"c\\d'


def test_a_401_says_which_variable_holds_the_key() -> None:
    with pytest.raises(InfrastructureFailure, match=r"401\. Check the key in OPENAI_API_KEY"):
        ask(failing(401))
    with pytest.raises(InfrastructureFailure, match=r"401\. Set OTHER_KEY to the key"):
        ask(failing(401), key_env="OTHER_KEY")


def test_the_key_is_sent_in_the_header_and_nowhere_shown() -> None:
    _, server = ask(HI)
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in json.dumps(server.bodies)
    policy = RemotePolicy("http://localhost/v1?token=abc", "small")
    assert repr(policy) == "RemotePolicy('http://localhost/v1/chat/completions', 'small')"
    assert KEY not in str(vars(policy))
    with pytest.raises(InfrastructureFailure) as caught:
        ask(failing(401, f"Incorrect API key provided: {KEY}."))
    assert KEY not in str(caught.value)
    assert "***" in str(caught.value)


def test_without_a_key_no_authorization_is_sent() -> None:
    assert "Authorization" not in ask(HI, key_env="NOT_SET")[1].headers[0]


def test_the_addresss_query_is_sent_but_not_shown_when_the_server_speaks_no_http() -> None:
    async def run() -> None:
        async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"\x00\x01 not HTTP\r\n\r\n")
            writer.close()

        server = await asyncio.start_server(babble, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, RemotePolicy(f"http://127.0.0.1:{port}/v1?token=abc", "small", retries=0) as policy:
            await policy.respond(HELLO)

    with pytest.raises(InfrastructureFailure) as caught:
        asyncio.run(run())
    assert "connection failed" in str(caught.value)
    assert "abc" not in str(caught.value)
    assert ask(HI, query="?token=abc")[1].paths == ["/v1/chat/completions?token=abc"]


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(BadInput, match="OPENAI_API_KEY") as caught:
        RemotePolicy(f"http://me:{KEY}@host/v1", "small")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "echo",
    [
        ODD_KEY,
        ODD_KEY.upper(),
        json.dumps(ODD_KEY),
        json.dumps(ODD_KEY).replace("/", "\\/"),
        "".join(f"\\u{ord(letter):04X}" for letter in ODD_KEY),
        urllib.parse.quote(ODD_KEY, safe=""),
        urllib.parse.quote(ODD_KEY, safe="").lower(),
        urllib.parse.quote(ODD_KEY),
        json.dumps({"message": f"Bearer {ODD_KEY}"}),
        "x" * 290 + ODD_KEY,
    ],
    ids=["plain", "upper", "JSON", "JSON with slash", "escapes", "URL", "url", "part of a URL", "inside", "at the cut"],
)
@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_a_key_that_the_server_echoes_is_hidden_in_every_form(echo: str, status: int) -> None:
    with pytest.raises(InfrastructureFailure) as caught:
        ask(failing(status, f"wrong key: {echo}"), key=ODD_KEY, retries=0)
    words = str(caught.value).lower()
    assert "***" in words or "x" * 280 in words
    for form in (ODD_KEY, json.dumps(ODD_KEY)[1:-1], urllib.parse.quote(ODD_KEY, safe="")):
        assert form.lower() not in words
    assert not any(piece in words for piece in ("sk/", "sk%2f", 'b"c', "b%22c", "\\u0073"))


def test_nothing_that_knows_the_key_hangs_on_a_failure() -> None:
    with pytest.raises(InfrastructureFailure) as caught:
        ask_raw(b"\x00 no HTTP\r\n\r\n")
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_a_secret_in_the_addresss_query_is_hidden_when_the_server_echoes_it() -> None:
    with pytest.raises(InfrastructureFailure) as caught:
        ask(failing(403, "token abc%2Fdef-123 is unknown"), query="?token=abc/def-123")
    assert "abc" not in str(caught.value)


def test_a_403_says_which_variable_holds_the_key() -> None:
    with pytest.raises(InfrastructureFailure, match=r"403\. Check the key in OPENAI_API_KEY"):
        ask(failing(403))


@pytest.mark.parametrize(
    "key", ["sk-a\nX-Evil: 1", "sk-\u00e9", "sk-\udcff"], ids=["line break", "accent", "not UTF-8"]
)
def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(
        BadInput, match="The key in OPENAI_API_KEY has a character that an HTTP header cannot contain"
    ) as caught:
        ask(HI, key=key)
    assert "sk-" not in str(caught.value)
