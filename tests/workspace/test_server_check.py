"""The dry run asks the servers of a recipe: what it warns of, what it refuses, and what it takes."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.tiny import tiny
from tests.workspace.desk import Bench
from verigym.core.errors import Refused
from verigym.workspace import server_check
from verigym.workspace.dry_run import DryRun, dry_run

Answer = Callable[[dict[str, Any]], tuple[int, dict[str, Any]]]
NOWHERE = "http://127.0.0.1:9/v1#big"


def scores(decode: Callable[[int], str]) -> Answer:
    """As vLLM answers, with a tokenizer that decodes like this."""

    def answer(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        told = [{str(id): {"logprob": -1.0, "decoded_token": decode(id)}} for id in body["prompt"][0]]
        return 200, {"choices": [{"index": 0, "text": "a", "prompt_logprobs": [None, *told[1:]]}]}

    return answer


def same(id: int) -> str:
    return tiny().tokenizer.decode([id])


def failing(status: int) -> Answer:
    return lambda _: (status, {"error": "out of order"})


@contextlib.contextmanager
def serving(answer: Answer, wait_s: float = 0.0) -> Iterator[tuple[str, list[str]]]:
    """The address of a model, and the paths that were asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            paths.append(self.path)
            time.sleep(wait_s)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, told = answer(json.loads(body or b"{}"))
            self.send_response(status)
            self.end_headers()
            with contextlib.suppress(ConnectionError):
                self.wfile.write(json.dumps(told).encode())

        do_GET = do_POST

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1#big", paths
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def taught_by(bench: Bench, address: str) -> DryRun:
    return dry_run(bench.ws, bench.recipe("distill", distill={"teacher": address}))


def test_a_teacher_that_answers_is_not_warned_of(fresh: Bench) -> None:
    with serving(scores(same)) as (address, paths):
        assert taught_by(fresh, address).warnings == []
    assert paths == ["/v1/completions"] * 2, "one call finds how to ask for logprobs"


def test_a_teacher_that_does_not_answer_is_a_warning(fresh: Bench) -> None:
    [warning] = taught_by(fresh, NOWHERE).warnings
    assert warning == (
        "distill.teacher: No server answers at http://127.0.0.1:9/v1. Start it, or correct its address. "
        "Training would fail if it started now"
    )
    with serving(failing(404)) as (address, _):
        [warning] = taught_by(fresh, address).warnings
    assert "HTTP status 404" in warning and "out of order" in warning
    assert fresh.nothing_was_begun()


@pytest.mark.parametrize("status", [500, 503])
def test_a_failing_teacher_is_not_asked_again_and_again(fresh: Bench, status: int) -> None:
    with serving(failing(status)) as (address, paths):
        [warning] = taught_by(fresh, address).warnings
    assert f"HTTP status {status}" in warning and len(paths) == 2, "one call for each way to ask for logprobs"


def test_a_server_that_keeps_silent_does_not_hold_up_the_dry_run(fresh: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_check, "LIMIT_S", 0.2)
    with serving(failing(200), wait_s=1.0) as (address, _):
        [warning] = taught_by(fresh, address).warnings
    assert "does not answer within 0.2 s. Start the server" in warning


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (scores(lambda id: f"<{id}>"), "has another vocabulary"),
        (lambda _: (200, {"choices": [{"index": 0, "text": "a"}]}), "gives no logprobs of given tokens"),
    ],
    ids=["another vocabulary", "no logprobs"],
)
def test_a_teacher_that_cannot_teach_is_refused(fresh: Bench, answer: Answer, words: str) -> None:
    with serving(answer) as (address, _), pytest.raises(Refused, match=words):
        taught_by(fresh, address)


@pytest.mark.parametrize("role", ["judge", "user"])
def test_a_judge_and_a_user_on_a_server_are_asked_without_a_reply(fresh: Bench, role: str) -> None:
    [warning] = dry_run(fresh.ws, fresh.recipe("grpo", **{role: NOWHERE})).warnings
    assert warning.startswith(f"{role}: No server answers at http://127.0.0.1:9/v1")
    for status, warned in ((200, 0), (404, 0), (401, 1)):
        with serving(failing(status)) as (address, paths):
            warnings = dry_run(fresh.ws, fresh.recipe("grpo", **{role: address})).warnings
        assert len(warnings) == warned and paths == ["/v1/models"], warnings
    assert "Set OPENAI_API_KEY to the key" in warnings[0] or "Check the key in OPENAI_API_KEY" in warnings[0]
