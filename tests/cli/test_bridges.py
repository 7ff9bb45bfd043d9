"""verigym bridges: the table of environments of other projects, and their installation."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from verigym.cli.main import app
from verigym.environments.bridges.find import BRIDGES


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIGYM_BRIDGES", str(tmp_path))


def test_the_list_has_a_line_for_every_bridge_with_what_it_can_do() -> None:
    rows = {row["bridge"]: row for row in json.loads(CliRunner().invoke(app, ["bridges", "--json"]).stdout)}
    assert rows.keys() == BRIDGES.keys()
    inspect, bfcl = rows["inspect"], rows["bfcl"]
    assert (inspect["driven_by"], inspect["rescorable"], inspect["licence"]) == ("them", False, "MIT")
    assert (bfcl["driven_by"], bfcl["rescorable"], bfcl["installed"]) == ("us", True, "")
    assert inspect["install"] == "verigym bridges install inspect"
    shown = CliRunner().invoke(app, ["bridges"]).stdout
    assert all(name in shown for name in BRIDGES) and "next: verigym bridges install" in shown
    columns = ("driven by", "re-scorable", "offline", "gold", "safety")
    assert all(f"\n{name}: " in shown for name in columns), "each column is explained on a line of its own"


def test_a_wrong_interpreter_is_refused_before_anything_is_installed(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["bridges", "install", "nemogym", "--python", "/bin/false"])
    assert done.exit_code != 0 and not [*tmp_path.glob("nemogym-*")]
    assert "/bin/false is not a Python 3.12" in f"{done.output}{done.exception}"
