"""`verigym init --openapi` and `--mcp` write a tools file that can be used at once."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.harness import mcp_server
from verigym.cli.main import app
from verigym.core.errors import BadInput, VerigymError
from verigym.harness.tools_file import ToolsFile

SPEC = {
    "openapi": "3.0.0",
    "servers": [{"url": "http://127.0.0.1:9"}],
    "security": [{"shop": []}],
    "components": {"securitySchemes": {"shop": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
    "paths": {"/orders/{id}": {"get": {"operationId": "orders.get", "summary": "Look up"}}},
}


def run(*words: str) -> str:
    done = CliRunner().invoke(app, [*words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spec.json").write_text(json.dumps(SPEC))
    return tmp_path


def test_an_api_becomes_a_tools_file_and_the_next_command_is_printed(folder: Path) -> None:
    said = run("init", "--openapi", "spec.json")
    assert "wrote tools.yaml: 1 tool" in said and "set the environment variable SHOP" in said
    assert '"expected_tool":"orders.get","expected_args":{"id":"a"}' in said
    assert "next: verigym check rows.jsonl+tools.yaml" in said
    assert list(ToolsFile(folder / "tools.yaml").tools) == ["orders.get"]


def test_the_file_can_be_named_and_is_never_overwritten(folder: Path) -> None:
    printed = json.loads(run("init", "shop", "--openapi", "spec.json", "--json"))
    assert printed == {"file": "shop.yaml", "tools": ["orders.get"], "notes": [], "environment": ["SHOP"]}
    with pytest.raises(BadInput, match=r"shop.yaml exists"):
        run("init", "shop.yaml", "--openapi", "spec.json")


def test_the_tools_of_a_server_are_written_out(folder: Path) -> None:
    pytest.importorskip("mcp")
    run("init", "calc.yaml", "--mcp", f"{sys.executable} {mcp_server.__file__}")
    file = ToolsFile(folder / "calc.yaml")
    assert list(file.tools) == ["add", "count", "look", "fail", "die", "hang"] and file.read_only == ["add"]
    assert file.config.servers["server"].offer is False


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--openapi", "none.json"], "does not exist"),
        (["--openapi", "spec.json", "--mcp", "x"], "Use only one of"),
        (["--mcp", "no-such-program-here"], "the program does not exist"),
        (["--mcp", "'unclosed"], "Check the quotes"),
        ([], "Name the file to write"),
        (["nowhere/x.yaml", "--openapi", "spec.json"], "Create it first"),
    ],
)
def test_wrong_words_are_refused(words: list[str], said: str) -> None:
    with pytest.raises(VerigymError, match=said):
        run("init", *words)
