"""Live updates, with a real server, a real store that another connection writes, and a client that reads the stream."""

import contextlib
import json
import socket
import threading
import time
import urllib.parse
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import uvicorn

from tests.view.store import episode, verdict
from verigym.core.records import Task
from verigym.store.database import Store
from verigym.view.app import View
from verigym.view.door import DoorSettings
from verigym.view.read import Reader
from verigym.view.watch import RunCount, RunWatch, TrainingWatch, cell_kind, watch_of

LIMIT_S = 60.0


class Server:
    """The view on a port."""

    def __init__(self, home: Path) -> None:
        self.view = View(home, DoorSettings())
        listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        config = uvicorn.Config(self.view.app(), log_level="error", lifespan="off", timeout_graceful_shutdown=30)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listening]}, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.should_exit = True
        self.view.stop()
        self._thread.join(LIMIT_S)
        assert not self._thread.is_alive()
        self.view.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    store = Store(tmp_path / "store.db")
    store.begin_run("r 1", "eval", {"k": 2}, [Task(id=f"t{n}", prompt="Do it.", split="val") for n in range(3)])
    store.begin_run("grpo-1", "train", {"recipe": {"steps": 40}})
    store.close()
    made = Server(tmp_path)
    yield made
    made.stop()


class Stream:
    """One listening page."""

    def __init__(self, server: Server, channel: str, after: str = "") -> None:
        headers = {"last-event-id": after, "accept-encoding": "gzip"}
        self.response = urlopen(Request(address(server, channel), headers=headers), timeout=LIMIT_S)
        self.id = ""

    def messages(self) -> Iterator[dict[str, Any]]:
        while line := self.response.readline().decode():
            yield from self._message(line.rstrip("\n"))

    def _message(self, line: str) -> Iterator[dict[str, Any]]:
        if line.startswith("id: "):
            self.id = line.removeprefix("id: ")
        if line.startswith("data: "):
            assert len(line.encode()) <= 1010
            yield json.loads(line.removeprefix("data: "))

    def until(self, name: str) -> dict[str, Any]:
        return next(message for message in self.messages() if name in message)

    def close(self) -> None:
        self.response.close()


def address(server: Server, channel: str) -> str:
    return f"{server.address}/events?{urllib.parse.urlencode({'of': channel})}"


def refusal(server: Server, channel: str) -> HTTPError:
    with pytest.raises(HTTPError) as refused:
        urlopen(address(server, channel), timeout=LIMIT_S)
    return refused.value


def add_episode(home: Path, task: str = "t0", index: int = 0, passed: bool = True) -> None:
    store = Store(home / "store.db")
    one = episode("r 1", task, index)
    store.add("r 1", [one], [verdict(one.id, passed)])
    store.close()


def test_a_page_is_told_of_an_episode_that_another_process_stores(server: Server, tmp_path: Path) -> None:
    stream = Stream(server, "run:r 1")
    assert stream.response.headers["content-type"].startswith("text/event-stream")
    assert "content-encoding" not in stream.response.headers
    assert stream.until("set")["set"]["count-r 1"] == "0"
    add_episode(tmp_path)
    assert stream.until("set")["set"]["count-r 1"] == "1"
    assert stream.until("cells")["cells"] == {"cell-t0/0": "passed"}
    stream.close()


def test_a_verdict_that_comes_later_changes_the_cell(server: Server, tmp_path: Path) -> None:
    stream = Stream(server, "run:r 1")
    store = Store(tmp_path / "store.db")
    one = episode("r 1", "t1", 1)
    store.add("r 1", [one])
    assert stream.until("cells")["cells"] == {"cell-t1/1": "missing"}
    store.add("r 1", (), [verdict(one.id, False)])
    assert stream.until("cells")["cells"] == {"cell-t1/1": "failed"}
    store.close()
    stream.close()


def test_all_pages_of_a_channel_are_told_and_a_reconnecting_one_gets_what_it_missed(
    server: Server, tmp_path: Path
) -> None:
    first, second = Stream(server, "run:r 1"), Stream(server, "run:r 1")
    add_episode(tmp_path)
    for stream in (first, second):
        assert stream.until("cells")["cells"] == {"cell-t0/0": "passed"}
    second.close()
    add_episode(tmp_path, "t2", passed=False)
    first.until("cells")
    again = Stream(server, "run:r 1", after=second.id)
    assert again.until("set")["set"]["count-r 1"] == "2"
    assert again.until("cells")["cells"] == {"cell-t2/0": "failed"}
    first.close()
    again.close()


def test_the_list_of_runs_counts_unfinished_ones_and_says_when_one_finishes(server: Server, tmp_path: Path) -> None:
    stream = Stream(server, "runs")
    assert stream.until("states")["states"]["state-r 1"] == "interrupted"
    add_episode(tmp_path)
    assert stream.until("set")["set"]["count-r 1"] == "1"
    store = Store(tmp_path / "store.db")
    store.finish_run("r 1")
    assert stream.until("states")["states"] == {"state-r 1": "finished"}
    store.begin_run("r 2", "eval", {})
    assert stream.until("stale")["stale"] == "1 new run"
    store.close()
    stream.close()


def test_new_metrics_are_sent_in_small_messages_and_repeated_steps_again(server: Server, tmp_path: Path) -> None:
    stream = Stream(server, "training:grpo-1")
    assert stream.until("last")["last"] == 0
    store = Store(tmp_path / "store.db")
    values = {f"part/{n:03}": float(n) for n in range(100)} | {"reward": float("nan")}
    store.add_metrics("grpo-1", 1, values)
    read: dict[str, Any] = {}
    while len(read) < 101:
        message = stream.until("metrics")
        assert message["step"] == 1
        read |= message["metrics"]
    assert read["part/099"] == 99.0 and read["reward"] is None
    store.add_metrics("grpo-1", 1, {"reward": 0.5})
    assert stream.until("metrics")["metrics"] == {"reward": 0.5}
    store.close()
    stream.close()


@pytest.mark.parametrize("channel", ["", "nothing", "run:", "home:x", "x" * 5000])
def test_a_channel_that_does_not_exist_is_refused_in_words(server: Server, channel: str) -> None:
    refused = refusal(server, channel)
    assert refused.status == 400
    assert "cannot be listened to" in refused.read().decode()


def test_a_run_that_does_not_exist_is_an_open_stream_without_news(server: Server, tmp_path: Path) -> None:
    stream = Stream(server, "run:no such run")
    other = Stream(server, "run:r 1")
    add_episode(tmp_path)
    assert other.until("cells")["cells"]
    server.view.stop()  # ends the streams, so that all that was sent is known
    assert not [message for message in stream.messages() if message.get("cells") or message.get("set")]
    stream.close()
    other.close()


def test_listeners_are_bounded_and_leave_room_when_they_go(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verigym.view.events._LISTENERS", 2)
    streams = [Stream(server, "runs"), Stream(server, "home")]
    assert refusal(server, "runs").status == 503
    streams[0].close()
    deadline = time.monotonic() + LIMIT_S
    while len(streams) < 3:
        try:
            streams.append(Stream(server, "runs"))
        except HTTPError:
            assert time.monotonic() < deadline
            time.sleep(0.1)
    for stream in streams:
        stream.close()


def test_a_page_that_never_reads_does_not_keep_news_from_others(server: Server, tmp_path: Path) -> None:
    slow, other = Stream(server, "run:r 1"), Stream(server, "run:r 1")
    store = Store(tmp_path / "store.db")
    for number in range(30):
        some = [episode("r 1", f"t{number}-{n}", n) for n in range(40)]
        store.add("r 1", some, [verdict(one.id, True) for one in some])
    store.close()
    wanted = "1,200"
    assert any(message.get("set", {}).get("count-r 1") == wanted for message in other.messages())
    slow.close()
    other.close()


def test_stopping_the_server_ends_the_streams(tmp_path: Path) -> None:
    Store(tmp_path / "store.db").begin_run("r", "eval", {})
    server = Server(tmp_path)
    stream = Stream(server, "runs")
    stream.until("states")
    server.stop()  # fails if the server still waits for the stream
    with contextlib.suppress(OSError, HTTPException):
        assert list(stream.messages()) == []
    stream.close()


def test_a_store_that_does_not_exist_yet_is_watched(tmp_path: Path) -> None:
    server = Server(tmp_path)
    stream = Stream(server, "runs")
    store = Store(tmp_path / "store.db")
    store.begin_run("first", "eval", {})
    assert stream.until("states")["states"]["state-first"] == "interrupted"
    store.close()
    stream.close()
    server.stop()


def test_a_position_of_another_server_is_ignored(tmp_path: Path) -> None:
    Store(tmp_path / "store.db").begin_run("r", "eval", {}, [Task(id="t", prompt="x", split="val")])
    reader = Reader(tmp_path)
    for after in ("", "x.y", "1.2.3", "9999999.9999999", "-1.5", "'; DROP TABLE runs", "²", "².²", f"{'9' * 40}.1"):
        assert RunWatch("r").snapshot(reader, after)
        assert TrainingWatch("r").snapshot(reader, after)
        assert watch_of("loop:r").snapshot(reader, after) == []
    reader.close()


@pytest.mark.parametrize(
    "recipe", [{"steps": "many"}, {"steps": [1]}, {"steps": 1e400}, {"steps": -1}, "x", None], ids=str
)
def test_settings_of_a_training_run_may_be_anything(tmp_path: Path, recipe: Any) -> None:
    store = Store(tmp_path / "store.db")
    store.begin_run("odd", "train", {"recipe": recipe, "k": "many"})
    store.close()
    reader = Reader(tmp_path)
    for channel in ("runs", "run:odd", "training:odd"):
        assert watch_of(channel).snapshot(reader, "")
    assert RunCount(reader, "odd").steps == 0
    reader.close()


def test_a_watch_that_fails_is_dropped_and_the_other_pages_go_on(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    training, run = Stream(server, "training:grpo-1"), Stream(server, "run:r 1")
    assert training.until("last") and run.until("states")

    def fail(watch: TrainingWatch, reader: Reader) -> None:
        raise ZeroDivisionError("an odd record")

    monkeypatch.setattr(TrainingWatch, "look", fail)
    add_episode(tmp_path)
    assert run.until("cells")["cells"] == {"cell-t0/0": "passed"}
    assert list(training.messages()) == [], "its page is disconnected"
    refused = refusal(server, "training:grpo-1")
    assert refused.code == 500 and "cannot be watched" in refused.read().decode()
    add_episode(tmp_path, "t1")
    assert run.until("cells")["cells"] == {"cell-t1/0": "passed"}
    assert capfd.readouterr().err.count("training:grpo-1 cannot be watched: ZeroDivisionError: an odd record") == 1
    run.close()
    training.close()


@pytest.mark.parametrize("channel", ["traces:²", "traces:", "traces:-1", f"traces:{'9' * 5000}", "traces:٣"], ids=ascii)
def test_a_channel_with_a_wrong_row_is_refused(server: Server, channel: str) -> None:
    assert refusal(server, channel).code == 400


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        (("", 1.0, 1, "", 0), "passed"),
        (("", 1.0, 1, "", 7), "unsafe"),
        (("", 0.4, 0, "", 0), "partial"),
        (("", 0.0, 0, "", 0), "failed"),
        (("model", 0.0, 0, "", 0), "failed"),
        (("environment", None, None, None, None), "error"),
        (("", None, 0, "verifier", 0), "error"),
        (("", None, None, None, None), "missing"),
    ],
)
def test_the_kind_of_a_cell(row: tuple[Any, ...], kind: str) -> None:
    assert cell_kind(*row) == kind
