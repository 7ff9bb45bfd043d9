"""Foreign text reaches a terminal only with its control characters written out."""

import ast
from pathlib import Path

import pytest

from verigym.cli import main as command_line
from verigym.core.printable import tell, visible, warn
from verigym.servers.gateway import Gateway

FOREIGN = "\x1b]0;title\x07 \x9b2J \u202e\u2066 \r \x7f"
PACKAGE = Path(__file__).parents[2] / "verigym"
OWN = {"core/printable.py", "cli/show.py", "cli/main.py", "sandbox/open.py"}
"""Files that may call `print`: they make the text visible, or print only their own words."""


def test_every_line_is_printed_visibly(capsys: pytest.CaptureFixture[str]) -> None:
    tell(FOREIGN)
    warn(FOREIGN)
    out, err = capsys.readouterr()
    assert out == err == f"{visible(FOREIGN)}\n" and visible(FOREIGN).isprintable()


def test_nothing_else_prints() -> None:
    """Programs that run inside a sandbox print to a pipe."""
    paths = {str(path.relative_to(PACKAGE)): path for path in PACKAGE.rglob("*.py")}
    own = {name for name in paths if name in OWN or name.startswith("environments/") or name.endswith("_inside.py")}
    nodes = [(name, node) for name in paths.keys() - own for node in ast.walk(ast.parse(paths[name].read_text()))]
    called = [(name, node.func) for name, node in nodes if isinstance(node, ast.Call)]
    defaults = [(name, each) for name, node in nodes if isinstance(node, ast.arguments) for each in _defaults(node)]
    assert [name for name, node in called + defaults if isinstance(node, ast.Name) and node.id == "print"] == []


def _defaults(node: ast.arguments) -> list[ast.expr]:
    return [each for each in [*node.defaults, *node.kw_defaults] if each is not None]


def test_the_message_of_a_bug_is_printed_visibly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> None:
        raise RuntimeError(FOREIGN)

    monkeypatch.setattr(command_line, "app", fails)
    with pytest.raises(SystemExit) as ended:
        command_line.main()
    told = capsys.readouterr().err
    assert ended.value.code == 2 and "RuntimeError" in told and visible(told) == told


def test_the_gateway_says_the_error_of_a_server_visibly(capsys: pytest.CaptureFixture[str]) -> None:
    gateway = Gateway(None, None)  # type: ignore[arg-type]
    gateway._http_error(RuntimeError(FOREIGN))
    told = capsys.readouterr().out
    assert "RuntimeError" in told and visible(told) == told
