"""An environment for other frameworks: sessions are isolated and released, gold scores 1.0 and doing nothing 0.0."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest

from tests.servers.serving import serving
from verigym.core.errors import BadInput
from verigym.core.records import FunctionCall, Json
from verigym.environments.load import load_environment
from verigym.servers.environment_mcp import mcp_app
from verigym.servers.environment_nemogym import nemogym_app, rows
from verigym.servers.environment_sessions import EnvironmentSessions, SessionLimits
from verigym.wire.http import HttpError

WORKPLACE = load_environment("workplace")
ANSWERING = ("sudoku", "support")


def sessions(**limits: Any) -> EnvironmentSessions:
    return EnvironmentSessions(WORKPLACE, "val", SessionLimits(**limits))


def gold_calls(task: Any) -> list[FunctionCall]:
    replies = WORKPLACE.gold_replies(task)
    return [item for reply in replies if isinstance(reply, list) for item in reply if isinstance(item, FunctionCall)]


def answer_of(task: Any) -> str:
    last = WORKPLACE.gold_replies(task)[-1]
    return last if isinstance(last, str) else next(item.text for item in last if not isinstance(item, FunctionCall))  # type: ignore[union-attr]


async def some_rows(count: int) -> list[Json]:
    return [row async for row in rows(WORKPLACE, WORKPLACE.tasks("val")[:count])]


def response(text: str, calls: list[FunctionCall] = []) -> Json:  # noqa: B006
    said = [{"type": "function_call", "call_id": c.call_id, "name": c.name, "arguments": c.arguments} for c in calls]
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"output": [*said, {"type": "message", "role": "assistant", "content": [part]}]}


async def rollout(url: str, row: Json, calls: list[FunctionCall], text: str) -> Json:
    """As NeMo Gym's simple_agent does it: only the cookies of the last answer are kept."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as http:
        async with http.post(f"{url}/seed_session", json=row) as answer:
            assert answer.status == 200, await answer.text()
            cookies: Any = answer.cookies
        for call in calls:
            path = call.name.replace(".", "-")
            async with http.post(f"{url}/{path}", json=json.loads(call.arguments), cookies=cookies) as answer:
                assert answer.status == 200, await answer.text()
                cookies = answer.cookies
        body = {**row, "response": response(text, calls)}
        async with http.post(f"{url}/verify", json=body, cookies=cookies) as answer:
            assert answer.status == 200, await answer.text()
            return await answer.json()


def test_gold_scores_1_and_doing_nothing_0_over_nemo_gyms_protocol() -> None:
    served = sessions()
    tasks = WORKPLACE.tasks("val")[:6]

    async def run(url: str) -> None:
        made = await some_rows(6)
        together = [rollout(url, row, gold_calls(task), answer_of(task)) for row, task in zip(made, tasks, strict=True)]
        nothing = [rollout(url, row, [], "I did nothing.") for row in made]
        assert [each["reward"] for each in await asyncio.gather(*together)] == [1.0] * 6
        answers = await asyncio.gather(*nothing)
        assert [each["reward"] for each in answers] == [0.0] * 6
        assert all(each["responses_create_params"] and each["evidence"] for each in answers)
        assert len(served) == 0  # /verify released all of them

    with serving(nemogym_app(served)) as url:
        asyncio.run(run(url))


def test_a_stored_rollout_is_verified_again_without_a_session() -> None:
    task = WORKPLACE.tasks("val")[0]

    async def run(url: str) -> None:
        [row] = await some_rows(1)
        body = {**row, "response": response(answer_of(task), gold_calls(task))}
        async with aiohttp.ClientSession() as http, http.post(f"{url}/verify", json=body) as answer:
            assert (await answer.json())["reward"] == 1.0

    with serving(nemogym_app(sessions())) as url:
        asyncio.run(run(url))


def test_rows_have_the_tools_with_names_that_apis_allow() -> None:
    [row] = asyncio.run(some_rows(1))
    names = [tool["name"] for tool in row["responses_create_params"]["tools"]]
    assert len(names) == len({*names}) > 20 and not any("." in name for name in names)
    assert row["responses_create_params"]["input"][-1]["role"] == "user" and row["verigym_task"]
    json.dumps(row)


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("seed_session", b'{"verigym_task": "no such"}', 400, 'There is no task \\"no such\\"'),
        ("seed_session", b"{}", 400, "There is no task"),
        ("seed_session", b"[", 400, "not JSON"),
        ("seed_session", b"[]", 400, "must be a JSON object"),
        ("email-send_email", b"{}", 400, "Call /seed_session first"),
        ("verify", b"{}", 400, "There is no task"),
    ],
)
def test_a_wrong_request_is_refused_in_words(path: str, body: bytes, status: int, words: str) -> None:
    async def run(url: str) -> None:
        async with aiohttp.ClientSession() as http, http.post(f"{url}/{path}", data=body) as answer:
            assert answer.status == status and words in await answer.text()

    with serving(nemogym_app(sessions())) as url:
        asyncio.run(run(url))


def test_metrics_are_the_mean_reward() -> None:
    async def run(url: str) -> None:
        body = {"verify_responses": [{"reward": 1.0}, {"reward": 0.0}]}
        async with aiohttp.ClientSession() as http, http.post(f"{url}/aggregate_metrics", json=body) as answer:
            assert (await answer.json())["key_metrics"] == {"mean/reward": 0.5}

    with serving(nemogym_app(sessions())) as url:
        asyncio.run(run(url))


def test_sessions_have_a_maximum_and_idle_ones_are_released() -> None:
    now = [0.0]

    async def run() -> None:
        served = EnvironmentSessions(WORKPLACE, "val", SessionLimits(most=2, idle_s=60), clock=lambda: now[0])
        task = next(iter(served.tasks.values()))
        first, second = [await served.open(task) for _ in range(2)]
        first.last_active = second.last_active = 0.0
        with pytest.raises(HttpError, match="2 sessions are open"):
            await served.open(task)
        now[0] = 61.0
        third = await served.open(task)
        assert served.find(first.id) is None and served.find(third.id) is third and len(served) == 1
        assert first.live.stop is not None  # closed
        await served.close()
        assert len(served) == 0

    asyncio.run(run())


@pytest.mark.parametrize("name", ANSWERING)
def test_an_environment_that_answers_messages_is_refused(name: str) -> None:
    spec = load_environment(name)
    with pytest.raises(BadInput, match="answers the agent's messages"):
        EnvironmentSessions(spec, "val", SessionLimits())


# -- MCP ------------------------------------------------------------------------------------------------------------------


def message(method: str, id: int | None = 1, **params: Any) -> Json:
    return {"jsonrpc": "2.0", "method": method, "params": params, **({} if id is None else {"id": id})}


START = message("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "t", "version": "0"})


def test_an_mcp_client_over_http_has_a_session_of_its_own() -> None:
    told: list[Json] = []
    served = sessions()
    task, other = WORKPLACE.tasks("val")[:2]

    async def session(http: aiohttp.ClientSession, url: str) -> str:
        async with http.post(url, json=START) as answer:
            result = (await answer.json())["result"]
            assert "tools" in result["capabilities"] and result["instructions"]
            return answer.headers["Mcp-Session-Id"]

    async def ask(http: aiohttp.ClientSession, url: str, key: str, body: Json) -> Json:
        async with http.post(url, json=body, headers={"Mcp-Session-Id": key}) as answer:
            return await answer.json()

    async def run(url: str) -> None:
        async with aiohttp.ClientSession() as http:
            gold, idle = await session(http, f"{url}/mcp"), await session(http, f"{url}/mcp?task={other.id}")
            tools = (await ask(http, f"{url}/mcp", gold, message("tools/list")))["result"]["tools"]
            assert not any("." in tool["name"] for tool in tools)
            for call in gold_calls(task):
                name, arguments = call.name.replace(".", "-"), json.loads(call.arguments)
                result = await ask(http, f"{url}/mcp", gold, message("tools/call", name=name, arguments=arguments))
                assert not result["result"]["isError"]
            wrong = await ask(http, f"{url}/mcp", gold, message("tools/call", name="nope", arguments={}))
            assert wrong["result"]["isError"]
            async with http.post(f"{url}/sessions/{gold}/end", json={"reply": answer_of(task)}) as answer:
                assert (await answer.json())["passed"] is True
            async with http.delete(f"{url}/mcp", headers={"Mcp-Session-Id": idle}) as answer:
                assert answer.status == 200
            assert [(each["task"], each["reward"]) for each in told] == [(task.id, 1.0), (other.id, 0.0)]
            async with http.post(f"{url}/mcp", json=message("tools/list"), headers={"Mcp-Session-Id": gold}) as answer:
                assert answer.status == 404
            async with http.post(f"{url}/mcp", json=message("tools/list")) as answer:
                assert answer.status == 400 and "Begin with initialize" in await answer.text()
        assert len(served) == 0

    with serving(mcp_app(served, task, told.append)) as url:
        asyncio.run(run(url))


def test_the_command_serves_mcp_over_standard_input_and_writes_the_verdict(tmp_path: Path) -> None:
    task = WORKPLACE.tasks("val")[0]
    calls = [
        message("tools/call", number + 2, name=call.name.replace(".", "-"), arguments=json.loads(call.arguments))
        for number, call in enumerate(gold_calls(task))
    ]
    out = tmp_path / "verdicts.jsonl"
    command = [
        sys.executable,
        "-m",
        "verigym.cli.main",
        "serve-env",
        "workplace",
        "--as",
        "mcp",
        "--stdio",
        "--out",
        str(out),
    ]
    process = subprocess.Popen(
        [*command, "--task", task.id], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None and process.stdout is not None
    for each in (START, *calls):
        process.stdin.write(json.dumps(each).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == each["id"]
    process.stdin.close()
    assert process.wait(120) == 0
    [line] = out.read_text().splitlines()
    assert json.loads(line)["task"] == task.id and json.loads(line)["calls"] == len(calls)


def test_the_command_writes_rows_and_refuses_what_does_not_fit(tmp_path: Path) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "verigym.cli.main", "serve-env", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout + done.stderr

    rows = tmp_path / "rows.jsonl"
    for _ in range(2):  # the same rows may be written again
        code, words = run("workplace", "--as", "nemogym", "--rows", str(rows))
        assert code == 0 and "rows into" in words
    assert len(rows.read_text().splitlines()) == len(WORKPLACE.tasks("val"))
    rows.write_text("mine\n")
    code, words = run("workplace", "--as", "nemogym", "--rows", str(rows))
    assert code == 2 and "rows.jsonl exists and has other content" in words and rows.read_text() == "mine\n"
    code, words = run("workplace", "--as", "nemogym", "--stdio")
    assert code == 2 and "--stdio needs --as mcp" in words
    code, words = run("workplace", "--as", "openenv", "--out", str(tmp_path / "verdicts.jsonl"))
    assert code == 2 and "--out needs --as mcp" in words


def test_an_environment_that_runs_the_loop_of_another_project_cannot_be_served() -> None:
    class Driven:
        async def drive(self, gateway: object) -> None: ...

    driven = msgspec.structs.replace(WORKPLACE, factory=Driven)
    with pytest.raises(BadInput, match="asks for the replies itself"):
        EnvironmentSessions(driven, "val", SessionLimits(), messages=True)
