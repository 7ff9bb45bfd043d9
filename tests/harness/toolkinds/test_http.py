import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from tests.harness.local_api import LocalApi, local_api
from verigym.core.errors import BadInput, EnvironmentFailure, InfrastructureFailure, NoServer
from verigym.harness.state_tools import ToolResult
from verigym.harness.toolkinds.http import Http, HttpTool, open_session, read_short


def tool(url: str, seconds: float | None = None, hosts: list[str] | None = None, **settings: Any) -> HttpTool:
    return HttpTool("orders.get", Http(url=url, **settings), seconds, hosts or [], "tools.yaml")


def run(work: Callable[[LocalApi, Any], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        async with local_api() as api, open_session() as session:
            return await work(api, session)

    return asyncio.run(main())


def answer(path: str, arguments: dict[str, Any], **settings: Any) -> tuple[ToolResult, list[Any]]:
    async def work(api: LocalApi, session: Any) -> Any:
        return await tool(api.url + path, **settings).call(session, arguments), api.requests

    return run(work)


def test_arguments_go_into_the_address_and_the_rest_into_the_query() -> None:
    result, requests = answer("/orders/{id}", {"id": "a/b c", "limit": 3, "tag": ["x", "y"], "none": None})
    assert requests[0][0] == "GET" and requests[0][1] == "/orders/a%2Fb%20c?limit=3&tag=x&tag=y"
    assert not result.failed


def test_a_post_sends_the_other_arguments_as_json() -> None:
    _, requests = answer("/orders/{id}", {"id": "7", "amount": 2.5, "note": "ünï"}, method="POST")
    assert requests[0][0] == "POST" and json.loads(requests[0][3]) == {"amount": 2.5, "note": "ünï"}


def test_a_body_query_and_form_follow_their_templates() -> None:
    body = {"order": {"id": "{id}", "by": "agent-{who}"}}
    _, requests = answer("/orders/x", {"id": 7, "who": "me"}, method="PUT", body=body, query={"dry": "{dry}"})
    assert json.loads(requests[0][3]) == {"order": {"id": 7, "by": "agent-me"}} and requests[0][1] == "/orders/x"
    _, requests = answer("/orders/x", {"a": "1 2", "b": [1, 2]}, method="POST", encoding="form")
    assert requests[0][3] == "a=1+2&b=1&b=2"


def test_an_error_of_the_request_is_a_failed_result_for_the_model() -> None:
    result, _ = answer("/orders/{id}", {"id": "404"})
    assert result.failed and "404" in result.output and "no such order" in result.output


@pytest.mark.parametrize("value", ["..", ".", ""])
def test_an_argument_cannot_change_the_path(value: str) -> None:
    with pytest.raises(ValueError, match="cannot be part of an address"):
        answer("/orders/{id}", {"id": value})


def test_a_crash_of_the_server_is_not_the_fault_of_the_model() -> None:
    with pytest.raises(InfrastructureFailure, match="HTTP status 500: a stack trace"):
        answer("/crash", {})


def test_a_server_that_is_not_there_is_named() -> None:
    async def work(api: LocalApi, session: Any) -> None:
        await tool("http://127.0.0.1:9/x").call(session, {})

    with pytest.raises(NoServer, match=r"no server answers at http://127.0.0.1:9"):
        run(work)


def test_a_server_that_hangs_ends_at_the_limit() -> None:
    with pytest.raises(InfrastructureFailure, match=r"did not answer within 0.2 s"):
        answer("/hang", {}, seconds=0.2)


def test_redirects_stay_on_the_host() -> None:
    result, requests = answer("/here", {})
    assert "moved" in result.output and len(requests) == 2
    with pytest.raises(EnvironmentFailure, match=r"redirects to example.invalid, which is not allowed"):
        answer("/away", {})
    with pytest.raises(EnvironmentFailure, match="redirected more than"):
        answer("/loop", {})


def test_a_redirect_to_an_allowed_host_gets_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_OF_TEST", "s3cret-value")

    async def work(api: LocalApi, session: Any) -> Any:
        async with local_api() as other:
            moved = web.Response(
                status=307, headers={"Location": other.url.replace("127.0.0.1", "localhost") + "/echo"}
            )
            api.answers = [moved]
            headers = {"Authorization": "Bearer ${TOKEN_OF_TEST}", "X-Plain": "kept"}
            await tool(api.url + "/a", hosts=["localhost"], headers=headers).call(session, {})
            return api.requests[0][2], other.requests[0][2]

    first, second = run(work)
    assert first["Authorization"] == "Bearer s3cret-value"
    assert "Authorization" not in second and second["X-Plain"] == "kept"


def test_a_secret_that_the_server_repeats_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_OF_TEST", "s3cret-value")
    result, _ = answer("/echo", {}, headers={"Authorization": "Bearer ${TOKEN_OF_TEST}"})
    assert "s3cret-value" not in result.output and "Bearer ***" in result.output


def test_refused_credentials_are_the_fault_of_the_setup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_OF_TEST", "s3cret-value")
    with pytest.raises(EnvironmentFailure, match="Check TOKEN_OF_TEST"):
        answer("/secret", {}, headers={"Authorization": "Bearer ${TOKEN_OF_TEST}"})


def test_an_argument_cannot_add_a_header() -> None:
    with pytest.raises(ValueError, match="line break"):
        answer("/echo", {"who": "a\r\nX-Other: b"}, headers={"X-Who": "{who}"})


def test_large_and_binary_answers_are_cut_and_named() -> None:
    result, _ = answer("/big", {}, max_kb=10)
    assert len(result.output) < 11_000 and "cut at 10 kB" in result.output
    result, _ = answer("/binary", {})
    assert result.output == "[7 bytes of image/png]"


def test_a_busy_server_is_asked_again() -> None:
    async def work(api: LocalApi, session: Any) -> Any:
        api.answers = [web.Response(status=429, headers={"Retry-After": "0"}) for _ in range(2)]
        return await tool(api.url + "/orders/1").call(session, {}), len(api.requests)

    result, count = run(work)
    assert not result.failed and count == 3


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://x/y", "is not an address"),
        ("/orders", "is not an address"),
        ("http://{host}/x", "cannot choose the host"),
        ("http://api.${HOST}/x", "cannot choose the host"),
        ("http://me:pass@host/x", "contains a password"),
        ("http://host/${TOKEN}", "headers and query only"),
    ],
)
def test_addresses_that_cannot_be_trusted_are_refused(url: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        tool(url)


def test_the_short_form_names_the_method() -> None:
    assert read_short("DELETE http://h/x", "here") == Http(method="DELETE", url="http://h/x")
    assert read_short("http://h/x", "here").method == "GET"
    with pytest.raises(BadInput, match="not an HTTP method"):
        read_short("FETCH http://h/x", "here")
