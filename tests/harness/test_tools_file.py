import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.harness.local_api import LocalApi, local_api
from verigym.core.errors import BadInput, EnvironmentFailure
from verigym.harness.episode_tools import NOT_CALLED, EpisodeTools
from verigym.harness.tools_file import ToolsFile

FUNCTIONS = '''
import helper

def shout(text: str, times: int = 1) -> str:
    """Say it loudly.

    Args:
        text: What to say.
    """
    return helper.loud(text) * times

async def later(text: str) -> dict:
    return {"later": text}

def is_bad(text: str = "", **others) -> bool:
    return "bomb" in text

def broken() -> str:
    raise ValueError("no luck")

def args(*given): ...
'''
PARAMETERS = "{type: object, properties: {id: {type: string}, note: {type: string}}, required: [id]}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    (tmp_path / "helper.py").write_text("def loud(text): return text.upper() + '!'\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "refunds.md").write_text("A refund takes five days.\n")
    (tmp_path / "start").mkdir()
    (tmp_path / "start" / "notes.txt").write_text("milk\nbread\n")
    return tmp_path


def read(folder: Path, text: str) -> ToolsFile:
    (folder / "tools.yaml").write_text(text)
    return ToolsFile(folder / "tools.yaml")


async def calls(file: ToolsFile, *given: tuple[str, dict[str, Any]], live: bool = True) -> list[Any]:
    episode = EpisodeTools(file, live)
    try:
        return [await episode.call(name, arguments) for name, arguments in given]
    finally:
        await episode.close()


def outputs(file: ToolsFile, *given: tuple[str, dict[str, Any]]) -> list[Any]:
    return [getattr(result, "output", result) for result in asyncio.run(calls(file, *given))]


def test_a_python_function_gives_its_schema_and_description(folder: Path) -> None:
    file = read(
        folder, "tools: [{name: shout, python: 'functions.py:shout'}, {name: later, python: 'functions:later'}]"
    )
    spec = file.tools["shout"].spec
    assert spec.description == "Say it loudly." and spec.parameters["required"] == ["text"]
    assert spec.parameters["properties"]["text"]["description"] == "What to say."
    assert outputs(file, ("shout", {"text": "hé", "times": 2}), ("later", {"text": "x"})) == ["HÉ!HÉ!", {"later": "x"}]


def test_a_command_gets_each_argument_as_one_argument(folder: Path) -> None:
    file = read(
        folder,
        """
files: start
tools:
  - name: say
    description: Print the arguments.
    parameters: {type: object, properties: {text: {type: string}, more: {type: array}, flag: {type: string}}}
    command: [python3, -c, "import sys; print(sys.argv[1:])", "{text}", "{more}", "--flag={flag}"]
  - name: grep
    parameters: {type: object, properties: {text: {type: string}}}
    command: {argv: [grep, "-n", "{text}", "-"], stdin: "one\\n{text}\\n"}
  - name: write
    command: [sh, -c, "cat notes.txt >> copy.txt; wc -l < copy.txt"]
""",
    )
    text = "a b; rm -rf / $(x)"
    said, found, none, one, two = outputs(
        file,
        ("say", {"text": text, "more": ["x", 1]}),
        ("grep", {"text": "two"}),
        ("grep", {}),
        ("write", {}),
        ("write", {}),
    )
    assert said == str([text, "x", "1"]) and found == "2:two"
    assert "exit code" in none and [one.strip(), two.strip()] == ["2", "4"]  # files persist in an episode
    assert outputs(file, ("write", {}))[0].strip() == "2"  # and not in the next


def test_a_command_gets_no_secret_of_the_host(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_HOST", "s3cret-value")
    file = read(folder, "tools: [{name: env, command: [env]}]")
    assert "s3cret-value" not in outputs(file, ("env", {}))[0]


def test_a_command_that_runs_too_long_is_a_failed_result(folder: Path) -> None:
    file = read(folder, "tools: [{name: wait, seconds: 0.5, command: [sleep, '60']}]")
    [result] = asyncio.run(calls(file, ("wait", {})))
    assert result.failed and "killed" in result.output


def test_a_search_makes_documents_a_tool(folder: Path) -> None:
    file = read(folder, "tools: [{name: docs.search, search: docs}]")
    assert outputs(file, ("docs.search", {"query": "refund"})) == ["[refunds.md, line 1]\nA refund takes five days."]
    assert file.read_only == ["docs.search"] and file.live == []


HTTP = """
base_url: {url}
headers: {{X-Test: "1"}}
{more}
tools:
  - name: orders.get
    description: Look up an order.
    parameters: {parameters}
    {limits}
    http: GET /orders/{{id}}
"""


def with_api(folder: Path, more: str, limits: str, *given: tuple[str, dict[str, Any]], at_once: bool = False) -> Any:
    async def main() -> tuple[list[Any], LocalApi, ToolsFile]:
        async with local_api() as api:
            file = read(folder, HTTP.format(url=api.url, more=more, parameters=PARAMETERS, limits=limits))
            if at_once:
                results = await asyncio.gather(*(calls(file, one) for one in given))
                return [one[0] for one in results], api, file
            return await calls(file, *given), api, file

    return asyncio.run(main())


def test_a_record_answers_in_place_of_the_server(folder: Path) -> None:
    call = ("orders.get", {"id": "7"})
    first, api, file = with_api(folder, "replay: calls.jsonl", "", call, call, ("orders.get", {"id": "404"}))
    assert len(api.requests) == 2 and first[2].failed and file.live == []
    second, api, _ = with_api(
        folder, "replay: {file: calls.jsonl, miss: fail}", "", call, ("orders.get", {"id": "404"})
    )
    assert not api.requests and [each.output for each in second] == [first[0].output, first[2].output]
    with pytest.raises(EnvironmentFailure, match="not in the record"):
        with_api(folder, "replay: {file: calls.jsonl, miss: fail}", "", ("orders.get", {"id": "8"}))


def test_a_record_by_history_tells_calls_apart_by_what_came_before(folder: Path) -> None:
    call, other = ("orders.get", {"id": "7"}), ("orders.get", {"id": "8"})
    _, api, _ = with_api(folder, "replay: {file: h.jsonl, by: history}", "", call, other, call)
    assert len(api.requests) == 3
    _, api, _ = with_api(folder, "replay: {file: h.jsonl, by: history}", "", call, other, call)
    assert not api.requests


def test_a_tool_without_a_record_is_live_and_can_be_kept_from_its_server(folder: Path) -> None:
    async def main() -> Any:
        async with local_api() as api:
            file = read(folder, HTTP.format(url=api.url, more="", parameters=PARAMETERS, limits=""))
            return await calls(file, ("orders.get", {"id": "7"}), live=False), api.requests, file.live

    [result], requests, live = asyncio.run(main())
    assert result.output == NOT_CALLED and not requests and live == ["orders.get"]


def test_concurrency_and_rate_are_limited_over_episodes(folder: Path) -> None:
    given = [("orders.get", {"id": str(number)}) for number in range(8)]
    _, api, _ = with_api(folder, "", "concurrency: 2", *given, at_once=True)
    assert api.most_busy <= 2 and len(api.requests) == 8
    import time

    began = time.monotonic()
    with_api(folder, "", "rate: 20", *given, at_once=True)
    assert time.monotonic() - began >= 7 / 20


def test_unsafe_calls_are_described_by_an_expression_or_a_function(folder: Path) -> None:
    file = read(
        folder,
        """
tools:
  - {name: a, python: "functions.py:shout", unsafe_if: "times > 3 or text.startswith('rm')"}
  - {name: b, python: "functions.py:shout", unsafe_if: "functions.py:is_bad"}
""",
    )
    a, b = (file.tools[name].unsafe_if for name in "ab")
    assert a is not None and b is not None
    assert a(None, text="rm x", times=1) and not a(None, text="x", times=1) and a(None, text="x", times=4)
    assert b(None, text="a bomb") and not b(None, text="a tree")


def test_the_hash_covers_code_and_documents_and_not_comments(folder: Path) -> None:
    text = "tools: [{name: docs, search: docs}, {name: shout, python: 'functions.py:shout'}]"
    first = read(folder, text).hash
    assert read(folder, f"# a comment\n{text}").hash == first
    assert set(read(folder, text).bundle()) == {"tools.yaml", "functions.py", "helper.py", "docs/refunds.md"}
    (folder / "helper.py").write_text("def loud(text): return text\n")
    second = read(folder, text).hash
    (folder / "docs" / "refunds.md").write_text("A refund takes six days.\n")
    assert len({first, second, read(folder, text).hash}) == 3


TOOL = "tools: [{name: x, command: [ls], "


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "tools file is a list of keys"),
        ("[1]", "tools file is a list of keys"),
        ("tools: [1]", r"tools\[0\] must be keys and values"),
        ("tools: []", "offers no tools"),
        ("tool: []", "Did you mean tools"),
        ("tools: [{nme: x, command: [ls]}]", "unknown key nme. Did you mean name"),
        ("tools: [{command: [ls]}]", "name is missing"),
        ("tools: [{name: x}]", "has no kind. It needs exactly one of python, http"),
        (TOOL + "python: 'a:b'}]", "has python and command"),
        ("tools: [{name: 'a b', command: [ls]}]", "is not valid"),
        (TOOL + "seconds: 0}]", "seconds must be more than 0"),
        (TOOL + "calls: many}]", "must be a whole number"),
        (TOOL + "unsafe_if: 'import os'}]", "is not an expression"),
        (TOOL + "unsafe_if: '__import__(\"os\")'}]", "no function __import__"),
        (TOOL + "unsafe_if: 'y > 1'}]", 'no parameter "y"'),
        (TOOL + "parameters: {type: 7}}]", "not a valid JSON schema"),
        ("tools: [{name: x, command: [ls]}, {name: x, command: [ls]}]", 'two tools are named "x"'),
        ("tools: [{name: x, command: []}]", "has no kind"),
        ("tools: [{name: x, command: [ls, '${HOME}']}]", "No secret reaches the sandbox"),
        ("tools: [{name: x, command: ['{a}']}]", "cannot choose the program"),
        ("tools: [{name: x, command: [ls, '{a}']}]", 'no parameter "a"'),
        ("tools: [{name: x, python: functions.py}]", "does not name a function"),
        ("tools: [{name: x, python: 'functions.py:shot'}]", 'Did you mean "shout"'),
        ("tools: [{name: x, python: 'no_such.py:f'}]", "does not exist"),
        ("tools: [{name: x, python: 'no_such_module:f'}]", "cannot be loaded"),
        ("tools: [{name: x, python: 'functions.py:args'}]", "has no JSON schema"),
        ("tools: [{name: x, search: nowhere}]", "does not exist"),
        ("tools: [{name: x, mcp: files}]", 'no server "files"'),
        ("tools: [{name: x, http: GET /x}]", "is not an address"),
        ("tools: [{name: x, http: {url: 'http://h', metod: GET}}]", "Did you mean http.method"),
        (
            "tools: [{name: x, http: 'GET http://h/{a}', parameters: {properties: {a: {}}}}]",
            "Add a to parameters.required",
        ),
        (TOOL + "}]\nreplay: {file: a, tools: [y]}", 'no tool "y"'),
        (TOOL + "}]\nservers: {a: {comand: [x]}}", "Did you mean command"),
        (TOOL + "}]\nfiles: nowhere", "does not exist"),
        ("tools: {x: 1}", "must be"),
        ("tools: [{name: x, search: docs}\n", "not valid YAML"),
    ],
)
def test_a_wrong_file_is_refused_with_what_to_do(folder: Path, text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        read(folder, text)


def test_a_file_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        ToolsFile(tmp_path / "tools.yaml")


def test_what_a_tool_raises_reaches_the_caller(folder: Path) -> None:
    file = read(folder, "tools: [{name: broken, python: 'functions.py:broken'}]")
    with pytest.raises(ValueError, match="no luck"):
        outputs(file, ("broken", {}))


def test_the_answer_of_an_endpoint_reaches_the_model_as_it_is(folder: Path) -> None:
    [result], api, _ = with_api(folder, "", "", ("orders.get", {"id": "7", "note": "a&b"}))
    assert json.loads(result.output)["query"] == "note=a%26b" and api.requests[0][2]["X-Test"] == "1"
