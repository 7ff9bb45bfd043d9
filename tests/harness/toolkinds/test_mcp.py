import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from tests.harness import mcp_server
from verigym.core.errors import BadInput, EnvironmentFailure, InfrastructureFailure, NoServer
from verigym.harness.toolkinds import mcp
from verigym.harness.toolkinds.mcp import McpPool, McpServer, McpSession

COMMAND = [sys.executable, mcp_server.__file__]


def server(*more: str, **settings: Any) -> McpServer:
    return McpServer(command=[*COMMAND, *more], **settings)


def run(work: Callable[[McpSession], Awaitable[Any]], given: McpServer | None = None) -> Any:
    async def main() -> Any:
        session = await McpSession("test", given or server(), {"notes.txt": b"hi"}, "tools.yaml").start()
        try:
            return await work(session)
        finally:
            await session.stop()

    return asyncio.run(main())


def called(tool: str, arguments: dict[str, Any], seconds: float | None = 60, given: McpServer | None = None) -> Any:
    return run(lambda session: session.call(tool, arguments, seconds), given)


def test_a_server_lists_and_runs_its_tools() -> None:
    async def work(session: McpSession) -> Any:
        return session.listed, await session.call("add", {"a": 2, "b": 3}, None)

    listed, result = run(work)
    assert [each.spec.name for each in listed] == ["add", "count", "look", "fail", "die", "hang"]
    assert listed[0].read_only and not listed[1].read_only and listed[0].spec.parameters["required"] == ["a", "b"]
    assert result.output == "5" and not result.failed


def test_an_error_of_a_tool_is_a_failed_result() -> None:
    result = called("fail", {})
    assert result.failed and result.output == "it did not work"
    unknown = called("no_such_tool", {})
    assert unknown.failed and "no_such_tool" in unknown.output


def test_a_killed_server_is_a_failure_of_the_infrastructure_with_its_last_words() -> None:
    with pytest.raises(InfrastructureFailure, match=r"it ended while die ran.*Its last words: the disk is full"):
        called("die", {})


def test_a_server_that_hangs_ends_at_the_limit() -> None:
    started = time.monotonic()
    with pytest.raises(InfrastructureFailure, match=r"hang did not answer within 0.3 s"):
        called("hang", {}, 0.3)
    assert time.monotonic() - started < 60


def test_the_process_gets_its_own_folder_and_no_secret_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_HOST", "s3cret-value")
    monkeypatch.setenv("TOKEN_OF_TEST", "t0ken-value")
    seen = json.loads(called("look", {}, given=server(env={"TOKEN": "x${TOKEN_OF_TEST}"})).output)
    assert seen["files"] == ["notes.txt"] and "SECRET_OF_HOST" not in seen["env"]
    assert seen["env"]["TOKEN"] == "x***"  # it reached the process, and not the record


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (McpServer(command=["no-such-program-of-mine"]), EnvironmentFailure, "the program does not exist"),
        (server("old"), EnvironmentFailure, r"protocol version.*The installed package mcp"),
        (server("noisy"), InfrastructureFailure, "Its last words: no module named things"),
        (server("silent", start_seconds=0.5), InfrastructureFailure, "was not ready after 0.5 s"),
        (McpServer(url="http://127.0.0.1:9/mcp"), NoServer, "no server answers"),
    ],
    ids=["missing", "old", "noisy", "silent", "unreachable"],
)
def test_a_server_that_cannot_start_says_why(given: McpServer, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        called("add", {}, given=given)


def test_a_session_over_http_sends_its_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_OF_TEST", "t0ken-value")

    async def main() -> Any:
        async with mcp_server.serve() as (url, headers):
            given = McpServer(url=url, headers={"Authorization": "Bearer ${TOKEN_OF_TEST}"})
            one = await McpSession("web", given, {}, "tools.yaml").start()
            other = await McpSession("web", given, {}, "tools.yaml").start()
            counts = [(await session.call("count", {}, 60)).output for session in (one, one, other)]
            await asyncio.gather(one.stop(), other.stop())
            return counts, headers

    counts, headers = asyncio.run(main())
    assert counts == ["1", "2", "1"]  # sessions share nothing
    assert all(each["Authorization"] == "Bearer t0ken-value" for each in headers)


def test_each_episode_gets_a_new_process_and_a_few_are_started_ahead() -> None:
    async def main() -> Any:
        pool = McpPool("test", server(spare=2, processes=3), {}, "tools.yaml")
        sessions = [await pool.take(), await pool.take()]
        waiting = asyncio.create_task(pool.take())
        sessions.append(await waiting)
        fourth = asyncio.create_task(pool.take())
        await asyncio.sleep(0.05)
        assert not fourth.done()  # three at once
        counts = [(await session.call("count", {}, 60)).output for session in sessions]
        pool.give_back(sessions[0])
        counts.append((await (await fourth).call("count", {}, 60)).output)
        for session in (*sessions[1:], fourth.result()):
            pool.give_back(session)
        await pool.close()
        return counts

    assert asyncio.run(main()) == ["1", "1", "1", "1"]


def test_no_process_outlives_its_loop(tmp_path: Path) -> None:
    mark = f"mark-{tmp_path.name}-{time.time_ns()}"

    async def main() -> None:
        pool = McpPool("test", server(mark, spare=1), {}, "tools.yaml")
        session = await pool.take()
        assert (await session.call("count", {}, 60)).output == "1"  # and the loop ends with everything open

    asyncio.run(main())
    for _ in range(600):
        if not _running(mark):
            return
        time.sleep(0.1)
    raise AssertionError("a server is still running")


def _running(mark: str) -> bool:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in path.read_bytes():
                return True
        except OSError:
            continue
    return False


def test_tools_are_listed_once_also_inside_a_loop() -> None:
    async def main() -> Any:
        return mcp.list_tools("listed", server(), {}, "tools.yaml")

    assert asyncio.run(main()) is mcp.list_tools("listed", server(), {}, "tools.yaml")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (McpServer(), "needs a command or a url"),
        (McpServer(command=["x"], url="http://x"), "and not both"),
        (McpServer(url="x"), "must begin with http"),
        (McpServer(command=["x", "{name}"]), "Only {folder} can be used"),
        (McpServer(command=["x"], headers={"a": "b"}), "which belong to a url"),
        (McpServer(command=["x"], processes=0), "processes at least 1"),
    ],
)
def test_wrong_settings_are_refused(given: McpServer, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        mcp.check_server("s", given, "tools.yaml")
