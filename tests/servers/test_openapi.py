"""The OpenAPI page is true: schemathesis asks by it, rightly and wrongly, and the server answers as it says."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import CHECKS, load_all_checks

from tests.servers.running import Running, running
from verigym.traces.otlp import SpanReceiver
from verigym.traces.redaction import Redaction

load_all_checks()
UNHURRIED: Any = list(HealthCheck)
BEYOND = ("tools", "tool_choice", "messages")
"""No schema can say that a chosen tool is one of those offered, that no two have one name, or that the user speaks last."""
ROUTES = [
    ("POST", "/v1/chat/completions"),
    ("POST", "/v1/responses"),
    ("POST", "/v1/messages"),
    ("POST", "/v1/messages/count_tokens"),
    ("POST", "/v1/feedback"),
    ("POST", "/v1/traces"),
    ("GET", "/v1/models"),
    ("GET", "/metrics"),
    ("GET", "/health"),
    ("GET", "/ready"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    home = tmp_path_factory.mktemp("home")
    with running(home, fixed="echo") as found:
        found.gateway.spans = SpanReceiver(home, Redaction())
        yield found
        found.gateway.spans.close()


def test_the_page_names_every_route(server: Running) -> None:
    page: Any = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    found = [(one.ok().method.upper(), one.ok().path) for one in page.get_all_operations()]
    assert sorted(found) == sorted(ROUTES)


def _wrong_field(error: Any) -> str:
    """The field that an error names. Anthropic's form has it only in the message."""
    return (error["param"] or "") if "param" in error else error["message"].partition(":")[0].partition("[")[0]


def ask_by_page(server: Running, method: str, path: str, examples: int) -> None:
    page = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    operation = page[path][method]
    strategy = operation.as_strategy() | operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE)

    @settings(max_examples=examples, suppress_health_check=UNHURRIED, database=None, derandomize=True)
    @given(case=strategy)
    def ask(case: Any) -> None:
        if case.media_type == "application/x-protobuf":  # no schema says which bytes are a message
            return
        response = case.call()
        told = response.json() if response.status_code == 400 else {}
        wrong = _wrong_field(told["error"]) if "error" in told else ""
        beyond = [CHECKS.get_one("positive_data_acceptance")] if wrong in BEYOND else []
        case.validate_response(response, checks=CHECKS.get_all(), excluded_checks=beyond)

    ask()


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=[path for _, path in ROUTES])
def test_the_server_answers_as_its_page_says(server: Running, method: str, path: str) -> None:
    ask_by_page(server, method, path, 25)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), ROUTES[:5], ids=[path for _, path in ROUTES[:5]])
def test_however_long_it_is_asked(server: Running, method: str, path: str) -> None:
    ask_by_page(server, method, path, 500)
