"""Requests that real agents sent (shortened, in `requests/`) are answered by a local model, in the form that they expect.

codex 0.166.0 and opencode 1.18.33 were run against a server of our own, and so were the Python packages.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.servers.running import Running, running
from tests.servers.test_proxy import post
from verigym.core.protocols import Request
from verigym.core.records import FunctionCall, FunctionCallOutput
from verigym.policies.scripted import ScriptedPolicy
from verigym.wire import chat, messages, responses
from verigym.wire.streams import read_events
from verigym.wire.types import Api

RECORDED = {path.stem: path for path in sorted(Path(__file__).with_name("requests").glob("*.json"))}
CALLS = {
    "multi_agent_v1.close_agent": '{"target": "a"}',
    "apply_patch": '{"input": "*** Begin Patch"}',
    "functions.exec": '{"input": "ls()"}',
}


def reply(request: Request) -> Any:
    names = [tool.name for tool in request.tools]
    return next((FunctionCall("c", name, CALLS[name]) for name in names if name in CALLS), "Done.")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("home"), lambda _: ScriptedPolicy(reply), fixed="echo") as found:
        yield found


def api_of(body: Any) -> Api:
    return responses if "input" in body else messages if "max_tokens" in body and "system" in body else chat


def answered(server: Running, name: str) -> tuple[list[Any], Any]:
    """The events of the stream, and the headers."""
    body = json.loads(RECORDED[name].read_text())
    assert body["stream"] is True
    status, answer, headers = post(f"{server.url}/v1/{api_of(body).PATH}", json.dumps(body).encode())
    assert status == 200, answer
    return read_events(answer.decode()), headers


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_request_is_answered_whole_and_streamed(server: Running, name: str) -> None:
    body = json.loads(RECORDED[name].read_text())
    api = api_of(body)
    for stream in (True, False):
        data = json.dumps({**body, "stream": stream}).encode()
        status, answer, _ = post(f"{server.url}/v1/{api.PATH}", data)
        assert status == 200, answer
        whole = msgspec.json.encode(api.read_stream(read_events(answer.decode()))) if stream else answer
        assert api.read_reply(whole).items


def test_codex_finds_its_own_namespace_in_a_call(server: Running) -> None:
    events, headers = answered(server, "codex")
    assert headers["x-verigym-tools-left-out"] == "web_search"
    (call,) = events[-1]["response"]["output"]
    assert (call["type"], call["namespace"], call["name"]) == ("function_call", "multi_agent_v1", "close_agent")
    assert json.loads(call["arguments"]) == {"target": "a"}
    seen = server.recorded.exchanges[-1]
    names = [tool.name for tool in seen.tools]
    assert "exec_command" in names and "multi_agent_v1.spawn_agent" in names and "web_search" not in names
    assert isinstance(seen.context[-1], FunctionCallOutput)


def test_codex_gets_free_text_for_a_custom_tool_and_sends_it_back(server: Running) -> None:
    events, headers = answered(server, "codex_custom")
    assert headers["x-verigym-tools-left-out"] == "tool_search, web_search"
    (call,) = events[-1]["response"]["output"]
    assert (call["type"], call["name"], call["input"]) == ("custom_tool_call", "apply_patch", "*** Begin Patch")
    kinds = [event["type"] for event in events]
    assert "response.custom_tool_call_input.delta" in kinds and "response.custom_tool_call_input.done" in kinds
    offered = next(tool for tool in server.recorded.exchanges[-1].tools if tool.name == "apply_patch")
    assert list(offered.parameters["properties"]) == ["input"] and "grammar" in offered.description
    body = json.loads(RECORDED["codex_custom"].read_text())
    output = {"type": "custom_tool_call_output", "call_id": call["call_id"], "output": "Done!"}
    body = {**body, "input": [*body["input"], call, output]}
    assert post(f"{server.url}/v1/responses", json.dumps(body).encode())[0] == 200
    past = server.recorded.exchanges[-1].context[-2:]
    assert past == [
        FunctionCall(call["call_id"], "apply_patch", '{"input":"*** Begin Patch"}'),
        FunctionCallOutput(call["call_id"], "Done!"),
    ]


def test_tools_inside_the_conversation_are_offered(server: Running) -> None:
    events, _ = answered(server, "codex_additional_tools")
    (call,) = events[-1]["response"]["output"]
    assert (call["type"], call["namespace"], call["name"]) == ("custom_tool_call", "functions", "exec")
    assert call["input"] == "ls()"
    assert "clock.sleep" in [tool.name for tool in server.recorded.exchanges[-1].tools]


def test_arguments_that_are_not_the_asked_object_are_the_free_text(tmp_path: Path) -> None:
    for arguments, text in [("ls -l", "ls -l"), ('{"cmd": 1}', '{"cmd": 1}'), ('{"input": "a"}', "a"), ("", "")]:
        call = FunctionCall("c", "run", arguments)
        with running(tmp_path, lambda _, call=call: ScriptedPolicy([call]), fixed="echo") as server:
            tool: Any = {"type": "custom", "name": "run"}
            (made,) = server.client().responses.create(model="echo", input="x", tools=[tool]).output
            assert made.type == "custom_tool_call" and made.input == text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"tools": [{"type": "wat"}]}, "tools"),
        ({"tools": [{"type": "function"}]}, "must have a name"),
        ({"tools": [{"type": "namespace", "name": "a", "tools": [{"type": "mcp", "name": "b"}]}]}, "tools"),
        (
            {
                "tools": [
                    {"type": "namespace", "name": "a", "tools": [{"type": "function", "name": "b"}]},
                    {"type": "function", "name": "a.b"},
                ]
            },
            'two tools are named "a.b"',
        ),
        ({"tools": [{"type": "web_search"}], "tool_choice": "required"}, "no tool is offered"),
        ({"include": ["message.output_text.logprobs"]}, "include"),
        ({"top_logprobs": 3}, "does not send logprobs"),
        ({"truncation": "auto"}, "does not shorten"),
        ({"conversation": "conv_1"}, "conversation"),
    ],
    ids=range(9),
)
def test_what_changes_the_meaning_is_still_refused(server: Running, fields: Any, words: str) -> None:
    body = {"model": "echo", "input": "Hi", **fields}
    status, answer, _ = post(f"{server.url}/v1/responses", json.dumps(body).encode())
    assert status == 400 and words in json.loads(answer)["error"]["message"]


def ignored_fields(api: Api, kind: type[msgspec.Struct]) -> dict[str, str]:
    properties = msgspec.json.schema_components([kind])[1][kind.__name__]["properties"]
    return {
        name: field["description"]
        for name, field in properties.items()
        if field.get("description", "").startswith("Ignored: ")
    }


@pytest.mark.parametrize(
    ("api", "kind", "least"),
    [
        (chat, chat.ChatRequest, {"messages": [{"role": "user", "content": "Hi"}]}),
        (responses, responses.ResponsesRequest, {"input": "Hi"}),
        (
            messages,
            messages.MessagesRequest,
            {"max_tokens": 5, "messages": [{"role": "user", "content": "Hi"}]},
        ),
    ],
    ids=["chat", "responses", "messages"],
)
def test_ignored_fields_have_a_reason_and_are_in_the_guide(server: Running, api: Any, kind: Any, least: Any) -> None:
    ignored = ignored_fields(api, kind)
    guide = (Path(__file__).parents[2] / "docs/how-to/serve.md").read_text()
    assert len(ignored) > 3
    for name in ignored:
        assert f"`{name}`" in guide, f"docs/how-to/serve.md does not say that {name} is ignored"
        body = json.dumps({"model": "echo", **least, name: {"anything": [1]}}).encode()
        assert post(f"{server.url}/v1/{api.PATH}", body)[0] == 200
