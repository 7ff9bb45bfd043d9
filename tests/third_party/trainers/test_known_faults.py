"""docs/faults.md stays true: every command in it is run, and every line below a command is in its output."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n\$ (.*?)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
NEEDED = {
    "bfcl:": "bfcl",
    "workplace.py": "nemogym",
    "inspect:": "inspect",
    "tau2": "inspect",
    "agentdojo:": "agentdojo",
}
"""Part of a command to the bridge that it needs."""


def run(words: list[str], folder: Path) -> str:
    command = [sys.executable, "-m", "verigym.cli.main"] if words[0] == "verigym" else [sys.executable]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "VERIGYM_HOME": str(folder), "COLUMNS": "10000"}
    done = subprocess.run(
        [*command, *words[1:]], cwd=ROOT, env=variables, capture_output=True, text=True, timeout=1800, check=False
    )
    return done.stdout + done.stderr


def test_the_page_has_a_command_for_every_fault() -> None:
    sections = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)[:-1]
    rows = re.findall(r"^\| \[`", PAGE, re.MULTILINE)
    assert len(sections) == len(rows) and len(BLOCKS) >= len(sections)


@pytest.mark.parametrize(("command", "lines"), BLOCKS, ids=[command for command, _ in BLOCKS])
def test_a_fault_is_still_there(command: str, lines: str, tmp_path: Path) -> None:
    for part, bridge in NEEDED.items():
        if part in command:
            if bridge not in run(["verigym", "bridges"], tmp_path):
                pytest.skip(f"this version of Verigym has no bridge {bridge}")
            run(["verigym", "bridges", "install", bridge], tmp_path)
    said = " ".join(run(shlex.split(command), tmp_path).split())
    for line in lines.splitlines():
        assert " ".join(line.split()) in said, f"{line!r} is not in the output of {command}: {said[-3000:]}"
