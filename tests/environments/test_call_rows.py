import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.harness.local_api import local_api
from verigym.audit.check import check_environment
from verigym.core.errors import BadInput
from verigym.core.protocols import Context
from verigym.core.records import FunctionCall, Item, Trajectory, Verdict, Version
from verigym.environments.load import base_and_added, base_and_tools, environment_of, load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode
from verigym.tasks.load import BadRow

SERVICE = {"type": "object", "properties": {"service": {"type": "string"}}, "required": ["service"]}
RESTART = {"name": "deploy.restart", "description": "Restart a service.", "parameters": SERVICE}
ROW = {"prompt": "Restart billing", "expected_tool": "deploy.restart", "expected_args": {"service": "billing"}}
EMAIL = {
    "type": "function",
    "name": "email_send_email",
    "description": "Send an email.",
    "parameters": {
        "type": "object",
        "properties": {"to": {"type": "string"}, "cc": {"type": "string", "default": "none"}, "n": {"type": "number"}},
        "required": ["to"],
    },
}
LOOK = {"name": "directory.find", "parameters": {"type": "object"}, "annotations": {"readOnlyHint": True}}
GYM = {
    "responses_create_params": {
        "input": [{"role": "system", "content": "Today is Monday."}, {"role": "user", "content": "Write to both"}],
        "tools": [EMAIL, LOOK],
        "parallel_tool_calls": False,
    },
    "ground_truth": [
        {"name": "email_send_email", "arguments": '{"to": "a@x", "n": 2}'},
        {"name": "email_send_email", "arguments": {"to": "b@x"}},
    ],
}


def write(path: Path, *rows: Any) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def call(name: str, arguments: Any, number: int = 0) -> Item:
    return FunctionCall(f"c{number}", name, arguments if isinstance(arguments, str) else json.dumps(arguments))


def played(spec: EnvironmentSpec, *replies: Any) -> tuple[Trajectory, Verdict]:
    async def main() -> tuple[Trajectory, Verdict]:
        task = spec.tasks("val")[0]
        agent = Version(base="scripted", id="v")
        one = await run_episode(spec, task, ScriptedPolicy([*replies, "Done."]), agent=agent, id="e", group="g")
        [verdict] = await spec.verifier.verify(task, [one], Context())
        return one, verdict

    return asyncio.run(main())


def test_a_row_with_its_own_tools_runs_and_is_scored(tmp_path: Path) -> None:
    spec = load_environment(write(tmp_path / "rows.jsonl", {**ROW, "tools": [RESTART]}))
    trajectory, verdict = played(spec, [call("deploy.restart", {"service": "billing"})])
    assert verdict.passed and verdict.reward == 1.0 and trajectory.marked("executed")
    assert not played(spec, [call("deploy.restart", {"service": "search"})])[1].passed
    assert not played(spec, "I restarted it.")[1].passed


def test_a_row_of_nemo_gym_offers_its_tools_and_scores_its_ground_truth(tmp_path: Path) -> None:
    spec = load_environment(write(tmp_path / "gym.jsonl", GYM))
    first, second = call("email_send_email", {"to": "a@x", "n": 2.0}), call("email_send_email", {"to": "b@x"}, 1)
    trajectory, verdict = played(spec, [second], [first])
    assert verdict.passed and verdict.reward == 1.0 and spec.system == ""
    assert "The call was recorded" in str(trajectory.items)
    assert played(spec)[1].reward == 0.0 and not played(spec)[1].passed


@pytest.mark.parametrize(
    ("replies", "reward", "words"),
    [
        ([[("email_send_email", {"to": "a@x", "n": 2})]], 0.5, 'missing: email_send_email {"to":"b@x"}'),
        ([[("email_send_email", {"to": "a@x", "n": "2"})]], 0.0, "missing"),
        ([[("email_send_email", {"to": "a@x", "n": 2}), ("email_send_email", {"to": "b@x", "cc": "none"})]], 1.0, "as expected"),
        ([[("email_send_email", {"to": "a@x", "n": 2}), ("email_send_email", {"to": "b@x", "cc": "c@x"})]], 0.5, "not expected"),
        ([[("directory.find", {}), ("email_send_email", {"to": "b@x"}), ("email_send_email", {"to": "a@x", "n": 2})]], 1.0, "as"),
        ([[("email_send_email", {"to": "b@x"})] * 3 + [("email_send_email", {"to": "a@x", "n": 2})]], 0.5, "not expected"),
        ([[("email_send_email", "{not json")]], 0.0, "missing"),
        ([[("no_such_tool", {})]], 0.0, "not expected: no_such_tool"),
    ],
    ids=["one of two", "another type", "a default", "another value", "a look-up", "too often", "not JSON", "unknown"],
)  # fmt: skip
def test_calls_are_compared_by_content(tmp_path: Path, replies: Any, reward: float, words: str) -> None:
    spec = load_environment(write(tmp_path / "gym.jsonl", GYM))
    made = [[call(name, arguments, at) for at, (name, arguments) in enumerate(reply)] for reply in replies]
    _, verdict = played(spec, *made)
    assert verdict.reward == reward and verdict.passed is (reward == 1.0) and words in verdict.evidence


def test_an_order_can_be_demanded(tmp_path: Path) -> None:
    spec = load_environment(write(tmp_path / "gym.jsonl", {**GYM, "ordered": True}))
    calls = [call("email_send_email", {"to": "b@x"}), call("email_send_email", {"to": "a@x", "n": 2}, 1)]
    assert "another order" in played(spec, calls)[1].evidence
    assert played(spec, calls[::-1])[1].passed


def test_an_empty_ground_truth_means_that_nothing_is_called(tmp_path: Path) -> None:
    spec = load_environment(write(tmp_path / "gym.jsonl", {**GYM, "ground_truth": []}))
    assert played(spec)[1].passed
    assert not played(spec, [call("email_send_email", {"to": "a"})])[1].passed


@pytest.mark.parametrize("row", [{**ROW, "tools": [RESTART]}, GYM], ids=["expected_tool", "ground_truth"])
def test_the_contract_holds(tmp_path: Path, row: Any) -> None:
    spec = load_environment(write(tmp_path / "rows.jsonl", row, {**row, "split": "train"}))
    checks = {check.name: check for check in check_environment(spec)}
    assert checks["gold solutions pass"].words == "2 of 2"
    failed = [check.words for check in checks.values() if check.outcome == "fail" and "leak" not in check.name]
    assert not failed


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (ROW, 'expects a call of the tool "deploy.restart", but nothing offers it. Add "tools"'),
        ({**ROW, "tools": [{**RESTART, "name": "deploy.restrt"}]}, 'Did you mean "deploy.restrt"'),
        ({**ROW, "tools": [RESTART], "expected_args": {"service": 7}}, "do not fit its schema, so no call can pass"),
        ({**ROW, "tools": [RESTART], "expected_args": {}}, "'service' is a required property"),
        ({**ROW, "tools": [{"name": "x", "parameters": 3}]}, "must be a JSON schema"),
        ({**ROW, "tools": "all"}, "must be a list of tools"),
        ({**GYM, "ground_truth": "42"}, 'For a question with an answer, use "answer"'),
        ({**GYM, "ground_truth": [{"tool": "x"}]}, 'has no "name"'),
        ({**GYM, "ground_truth": [{"name": "x", "arguments": "{"}]}, "not JSON"),
        ({**GYM, "ground_truth": [{"name": "email_send_mail", "arguments": {}}]}, 'Did you mean "email_send_email"'),
        ({key: value for key, value in GYM.items() if key != "ground_truth"}, "nothing to score a reply by"),
        ({"responses_create_params": {"input": "x"}, "expected_answer": "4"}, "Other keys: expected_answer"),
    ],
)
def test_what_cannot_be_scored_is_refused_with_what_is_missing(tmp_path: Path, row: Any, words: str) -> None:
    where = write(tmp_path / "rows.jsonl", row)
    with pytest.raises(BadInput) as raised:
        load_environment(where)
    assert words in str(raised.value) and "rows.jsonl:1" in str(raised.value)


def test_bad_rows_can_be_set_aside(tmp_path: Path) -> None:
    bad: list[BadRow] = []
    spec = load_environment(
        write(tmp_path / "rows.jsonl", {**ROW, "tools": [RESTART]}, {**ROW, "expected_tool": "x"}), bad
    )
    assert len(spec.tasks("val")) == 1 and "x" in bad[0].reason


def test_rows_of_both_kinds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="Put them into two files"):
        load_environment(write(tmp_path / "rows.jsonl", {**ROW, "tools": [RESTART]}, GYM))


def test_rows_of_the_shipped_tools_still_run_on_them(tmp_path: Path) -> None:
    row = {"prompt": "x", "expected_tool": "email.send", "expected_args": {"to": "a", "subject": "b"}}
    assert "email.send" in [tool.name for tool in load_environment(write(tmp_path / "r.jsonl", row)).tools]


def test_a_ground_truth_beside_an_answer_is_an_ordinary_key(tmp_path: Path) -> None:
    spec = load_environment(write(tmp_path / "r.jsonl", {"prompt": "x", "answer": "4", "ground_truth": "four"}))
    assert "exact_match" in spec.verifiers


def tools_yaml(folder: Path, url: str, more: str = "") -> str:
    path = folder / "tools.yaml"
    parameters = json.dumps({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]})
    path.write_text(f"{more}\ntools: [{{name: orders.get, parameters: {parameters}, http: 'GET {url}/orders/{{id}}'}}]")
    return str(path)


def test_rows_and_a_tools_file_need_no_python(tmp_path: Path) -> None:
    rows = write(tmp_path / "rows.jsonl", {"prompt": "x", "expected_tool": "orders.get", "expected_args": {"id": "7"}})

    async def main() -> Any:
        async with local_api() as api:
            spec = load_environment(f"{rows}+{tools_yaml(tmp_path, api.url)}")
            task, agent = spec.tasks("val")[0], Version(base="scripted", id="v")
            policy = ScriptedPolicy([[call("orders.get", {"id": "7"})]])
            one = await run_episode(spec, task, policy, agent=agent, id="e", group="g")
            [verdict] = await spec.verifier.verify(task, [one], Context())
            checks = await asyncio.to_thread(check_environment, spec)
            return spec, one, verdict, api.requests, checks

    spec, one, verdict, requests, checks = asyncio.run(main())
    assert verdict.passed and '"id": "7"' in one.items[-1].output and len(requests) == 1  # check called nothing
    assert [check.name for check in checks if check.outcome == "fail"] == []
    assert spec.name.endswith("rows.jsonl+" + str(tmp_path / "tools.yaml")) and spec.tools_hash


def test_questions_can_have_tools_and_then_take_several_turns(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("The code is 4711.")
    (tmp_path / "tools.yaml").write_text("tools: [{name: docs.search, search: docs}]")
    rows = write(tmp_path / "q.jsonl", {"prompt": "What is the code?", "answer": "4711"})
    spec = load_environment(f"{rows}+{tmp_path / 'tools.yaml'}")
    one, verdict = played(spec, [call("docs.search", {"query": "code"})], "4711")
    assert verdict.passed and "[a.md, line 1]" in one.items[2].output  # type: ignore[union-attr]
    assert environment_of(spec.name, spec.tasks("val")).verifier.name == spec.verifier.name


def test_a_shipped_environment_can_have_more_tools(tmp_path: Path) -> None:
    (tmp_path / "tools.yaml").write_text("tools: [{name: clock, command: [date]}]")
    spec = load_environment(f"toolcall+{tmp_path / 'tools.yaml'}")
    assert [tool.name for tool in spec.tools][-1] == "clock" and len(spec.tools) > 10
    (tmp_path / "tools.yaml").write_text("tools: [{name: email.send, command: [date]}]")
    with pytest.raises(BadInput, match=r'already has a tool "email.send"'):
        load_environment(f"toolcall+{tmp_path / 'tools.yaml'}")
    with pytest.raises(BadInput, match="cannot be offered there"):
        load_environment(f"sudoku+{tmp_path / 'tools.yaml'}")


@pytest.mark.parametrize(
    ("where", "added", "tools"),
    [
        ("rows.jsonl+tools.yaml", ("rows.jsonl+tools.yaml", ""), ("rows.jsonl", "tools.yaml")),
        ("rows.jsonl+t.yaml+more.jsonl", ("rows.jsonl+t.yaml", "more.jsonl"), ("rows.jsonl+t.yaml+more.jsonl", "")),
        ("toolcall+more.jsonl+t.yml", ("toolcall+more.jsonl+t.yml", ""), ("toolcall+more.jsonl", "t.yml")),
        ("toolcall+more.jsonl", ("toolcall", "more.jsonl"), ("toolcall+more.jsonl", "")),
        ("a.csv,b.csv+t.yaml", ("a.csv,b.csv+t.yaml", ""), ("a.csv,b.csv", "t.yaml")),
        ("desk.py+x/t.yaml", ("desk.py+x/t.yaml", ""), ("desk.py", "x/t.yaml")),
        ("nothing+t.yaml", ("nothing+t.yaml", ""), ("nothing+t.yaml", "")),
    ],
)
def test_names_with_plus_are_split(where: str, added: tuple[str, str], tools: tuple[str, str]) -> None:
    assert base_and_added(where) == added and base_and_tools(where) == tools
