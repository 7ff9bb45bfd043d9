"""The OpenAPI page is true: schemathesis asks by it, rightly and wrongly, and the server answers as it says."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import CHECKS, load_all_checks

from tests.servers.running import Running, running

load_all_checks()
UNHURRIED: Any = list(HealthCheck)
ROUTES = [
    ("POST", "/v1/chat/completions"),
    ("POST", "/v1/responses"),
    ("POST", "/v1/feedback"),
    ("GET", "/v1/models"),
    ("GET", "/metrics"),
    ("GET", "/health"),
    ("GET", "/ready"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("home"), fixed="echo") as found:
        yield found


def test_the_page_names_every_route(server: Running) -> None:
    page: Any = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    found = [(one.ok().method.upper(), one.ok().path) for one in page.get_all_operations()]
    assert sorted(found) == sorted(ROUTES)


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=[path for _, path in ROUTES])
def test_the_server_answers_as_its_page_says(server: Running, method: str, path: str) -> None:
    page = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    operation = page[path][method]
    strategy = operation.as_strategy() | operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE)

    @settings(max_examples=25, suppress_health_check=UNHURRIED, database=None, derandomize=True)
    @given(case=strategy)
    def ask(case: Any) -> None:
        case.call_and_validate(checks=CHECKS.get_all())

    ask()


@pytest.mark.slow
def test_schemathesis_itself_finds_nothing(server: Running) -> None:
    command = [str(Path(sys.executable).with_name("st")), "run", f"{server.url}/openapi.json", "--max-examples", "100"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
