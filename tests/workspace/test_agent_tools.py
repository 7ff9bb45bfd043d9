"""Tools that a version brings: stored under their hash, offered besides those of the environment, and compared like a prompt."""

import json
import shutil
from pathlib import Path

import pytest

import verigym
from tests.harness import mcp_server
from verigym.core.errors import BadInput, NotFound, Refused
from verigym.core.protocols import Request
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, Version
from verigym.registry.versions import version_id
from verigym.training.recipe import make_recipe, recipe_json
from verigym.workspace.agent_tools import keep_tools, tools_of
from verigym.workspace.train import TrainingJob


def project(folder: Path) -> Path:
    """Questions whose answers are in documents."""
    (folder / "docs").mkdir(parents=True)
    for number in range(8):
        (folder / "docs" / f"{number}.md").write_text(f"The code of door {number} is {number}7{number}.")
    rows = [{"prompt": f"What is the code of door {n}?", "answer": f"{n}7{n}", "split": "val"} for n in range(8)]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "tools.yaml").write_text("tools: [{name: docs.search, description: Find., search: docs}]")
    return folder


def answer(request: Request) -> list[Item]:
    """An agent that searches if it can, and repeats what it found."""
    last = request.items[-1]
    if isinstance(last, FunctionCallOutput):
        return [Message("assistant", last.output.rsplit(" ", 1)[-1].strip("."))]
    if request.tools:
        assert isinstance(last, Message)
        return [FunctionCall("c", "docs.search", json.dumps({"query": last.text, "limit": 1}))]
    return [Message("assistant", "I do not know")]


@pytest.fixture
def ws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    monkeypatch.chdir(project(tmp_path / "project"))
    with verigym.Workspace(tmp_path / "home") as workspace:
        workspace.folder.policy = lambda version: verigym.ScriptedPolicy(answer)  # type: ignore[method-assign]
        yield workspace


def test_an_added_tool_is_a_version_that_can_be_measured_and_compared(ws: verigym.Workspace) -> None:
    plain = Version(base="http://localhost:9/v1#m", name="plain")
    plain = verigym.Version(**{**{f: getattr(plain, f) for f in plain.__struct_fields__}, "id": version_id(plain)})
    before = ws.evaluate("rows.jsonl", plain)
    searching = ws.new_version("searching", parent=plain, tools="tools.yaml")
    after = ws.evaluate("rows.jsonl", searching)
    assert before.metrics["success"].value == 0.0 and after.metrics["success"].value == 1.0
    assert before.suite.hash == after.suite.hash  # so the gate can compare them
    assert searching.tools and searching.parent == plain.id and searching.id != plain.id
    assert len(verigym.compare(before, after).gained) == 8
    assert (
        ws.new_version("reworded", parent=searching, descriptions={"docs.search": "Look it up."}).tools
        == searching.tools
    )


def test_the_version_stays_as_it_was_when_the_files_change(ws: verigym.Workspace) -> None:
    first = keep_tools(ws.folder, Path("tools.yaml"))
    Path("docs/0.md").write_text("The code of door 0 was changed.")
    second = keep_tools(ws.folder, Path("tools.yaml"))
    assert first != second
    shutil.rmtree("docs")
    Path("tools.yaml").unlink()
    file = tools_of(ws.folder, Version(base="m", tools=first))
    assert file is not None and "070" in (file.folder / "docs" / "0.md").read_text()
    (file.folder / "docs" / "0.md").write_text("edited in the workspace")
    again = tools_of(ws.folder, Version(base="m", tools=first))
    assert again is not None and "070" in (again.folder / "docs" / "0.md").read_text()


def test_a_version_without_its_tools_says_what_to_do(ws: verigym.Workspace) -> None:
    with pytest.raises(NotFound, match="Register it again"):
        tools_of(ws.folder, Version(base="m", tools="0" * 64))
    assert tools_of(ws.folder, Version(base="m")) is None


def test_a_tool_of_the_environment_cannot_be_replaced(ws: verigym.Workspace) -> None:
    version = ws.new_version("again", parent=Version(base="m", name="m"), tools="tools.yaml")
    with pytest.raises(BadInput, match=r'already has a tool "docs.search"'):
        ws.evaluate("rows.jsonl+tools.yaml", version)


def test_a_server_that_chooses_its_tools_cannot_be_part_of_a_version(ws: verigym.Workspace) -> None:
    pytest.importorskip("mcp")
    import sys

    command = json.dumps([sys.executable, mcp_server.__file__])
    Path("mcp.yaml").write_text(f"servers: {{s: {{command: {command}}}}}")
    with pytest.raises(BadInput, match="set offer: false"):
        keep_tools(ws.folder, Path("mcp.yaml"))


def test_ids_of_versions_without_tools_do_not_change() -> None:
    assert version_id(Version(base="m")) == "b39b14c40e1e"
    assert version_id(Version(base="m", tools="a" * 64)) != version_id(Version(base="m"))


def test_another_tools_file_makes_another_run(ws: verigym.Workspace) -> None:
    agent = Version(base="m", id="m", name="m")
    first = ws.evaluate("rows.jsonl+tools.yaml", agent)
    assert ws.evaluate("rows.jsonl+tools.yaml", agent).run == first.run
    Path("tools.yaml").write_text("tools: [{name: docs.search, description: Look., search: docs}]")
    assert ws.evaluate("rows.jsonl+tools.yaml", agent).run != first.run


def recipe(**fields: object) -> verigym.Recipe:
    given: dict[str, object] = {"model": "m", "algorithm": "grpo", "environment": "calls.jsonl+live.yaml", **fields}
    given |= {"learning_rate": 1e-4, "max_tokens": 64}  # their defaults would ask the model
    return make_recipe(given, [], "recipe.yaml")


def test_training_refuses_live_tools_unless_told_otherwise(ws: verigym.Workspace) -> None:
    rows = [
        {"prompt": f"{n}", "expected_tool": "t", "expected_args": {}, "split": s}
        for n, s in enumerate(["train", "val"])
    ]
    Path("calls.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    live = "tools: [{name: t, http: 'GET http://127.0.0.1:9/x'}]\n"
    Path("live.yaml").write_text(live)
    with pytest.raises(Refused, match=r"would call live tools \(t\).*replay: calls.jsonl.*allow_live_tools: true"):
        TrainingJob(ws.folder, recipe())
    TrainingJob(ws.folder, recipe(allow_live_tools=True))
    Path("live.yaml").write_text(live + "replay: recorded.jsonl\n")
    TrainingJob(ws.folder, recipe())


def test_a_recipe_without_live_tools_is_stored_as_before() -> None:
    assert (
        "allow_live_tools" not in recipe_json(recipe())
        and recipe_json(recipe(allow_live_tools=True))["allow_live_tools"]
    )
