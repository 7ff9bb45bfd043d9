"""The page about agents says what was measured, and its commands are those that were run."""

import json
import shlex
from pathlib import Path

from tests.third_party.agents import CASES, PROGRAMS
from tests.third_party.install import PACKAGES
from verigym.agents.program import EpisodeAddress, arguments, check_program
from verigym.core.records import Task

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "agents.md").read_text()
ROWS = json.loads((ROOT / "docs" / "results" / "agents.json").read_text())


def test_the_table_has_every_agent_as_it_was_measured() -> None:
    assert [row["agent"] for row in ROWS] == list(CASES)
    for row in ROWS:
        case = CASES[row["agent"]]
        assert row["passed"] and row["exact_ids"] and row["version"] == PACKAGES[case.package].label
        assert (row["turns"], row["roots"], row["marks"]) == (len(case.parents), case.roots, case.marks)
        numbers = f"{row['turns']} | {row['roots']} | {row['samples']} | yes"
        assert f"| {row['agent']} | {row['version']} | {row['api']} | {row['tools']} | {numbers} |" in PAGE


def test_the_configuration_of_opencode_is_the_one_that_was_run() -> None:
    shown = PAGE.partition("```json\n")[2].partition("```")[0]
    assert json.loads(shown) == json.loads((PROGRAMS / "opencode.json").read_text())


def test_the_command_of_codex_is_the_one_that_was_run() -> None:
    block = next(block for block in PAGE.split("```") if "codex exec" in block)
    command = shlex.split(block)[-1]
    address = EpisodeAddress(url="http://127.0.0.1:1/e/ID", task=Task(id="t", prompt="buy 'tea'"))
    shown, run = (arguments(each, address, Path("f")) for each in (command, CASES["codex"].command))
    assert shown[0] == "codex" and shown[1:] == run[1:]
    check_program(shlex.join(["sh", *shlex.split(command)[1:]]))
