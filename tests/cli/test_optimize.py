"""`verigym optimize` as its user sees it: the table, the next command, the gate, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.flywheel.answering import answering
from tests.optimize.scripted import RULE, WORDS
from verigym.cli.main import app


def answer(model: str, messages: list[dict[str, Any]]) -> str:
    text = str(messages[-1]["content"])
    if "You improve" in text:
        return f"```\n{RULE}\n```"
    word = text.split()[-1]
    return word if RULE in str(messages[0]["content"]) or word[0] < "d" else f"The word is {word}."


def run(folder: Path, *arguments: str) -> Result:
    (folder / "words.py").write_text(WORDS)
    where = str(folder / "words.py")
    return CliRunner().invoke(app, ["optimize", where, *arguments, "--home", str(folder / "home")])


def test_it_prints_the_front_and_the_command_for_the_gate_and_the_gate_accepts_the_result(tmp_path: Path) -> None:
    with answering(answer) as url:
        shared = ["-m", f"{url}#agent", "--budget", "80", "--only", "prompt"]
        planned = run(tmp_path, *shared, "--dry-run")
        assert "at most 80 episodes" in planned.output and "No held-out task" in planned.output
        first = run(tmp_path, *shared)
        assert first.exit_code == 0, first.output
        assert "Pareto front of success, tokens and safety" in first.output
        assert "next: verigym gate " in first.output and "reflection on the prompt" in first.output
        found = json.loads(run(tmp_path, *shared, "--json").stdout)
        assert found["best"] != found["agent"] and found["episodes"] <= 80
        decided = run(tmp_path, *shared, "--gate", "--policy", "quick", "--json")
        asked = json.loads(decided.stdout)
        assert asked["decision"]["candidate"] == found["best"] and asked["decision"]["champion"] == found["agent"]
        shown = CliRunner().invoke(app, ["models", "show", found["best"], "--home", str(tmp_path / "home")])
        assert "optimised by" in shown.output and RULE in shown.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--budget", "3"], "The least that works is 12"),
        (["--only", "prompts"], 'Did you mean "prompt"'),
        (["--verifier", "nobody"], "nobody"),
    ],
    ids=["budget", "part", "verifier"],
)
def test_wrong_input_is_refused_with_what_to_do(tmp_path: Path, arguments: list[str], words: str) -> None:
    result = run(tmp_path, "-m", "http://127.0.0.1:9/v1#agent", *arguments)
    assert result.exit_code != 0 and words in str(result.exception)


def test_new_versions_have_examples_skills_and_harness_settings(tmp_path: Path) -> None:
    (tmp_path / "examples.jsonl").write_text(
        '[{"role": "user", "content": "say x"}, {"role": "assistant", "content": "x"}]\n'
    )
    (tmp_path / "refunds.md").write_text("How to refund.\nAsk first.")
    home = ["--home", str(tmp_path / "home"), "--parent", "http://127.0.0.1:9/v1#agent"]
    parts = [
        "--examples",
        str(tmp_path / "examples.jsonl"),
        "--skill",
        str(tmp_path / "refunds.md"),
        "--harness",
        "turns=9",
    ]
    made = CliRunner().invoke(app, ["models", "new", "rich", *home, *parts, "--json"])
    version = json.loads(made.stdout)
    assert version["skills"] == {"refunds": "How to refund.\nAsk first."} and version["harness"] == {"turns": 9}
    assert version["examples"][0][1]["content"] == "x"
    shown = CliRunner().invoke(app, ["models", "show", version["id"], *home[:2]]).output
    assert "examples + skills + harness" in shown and "9 turns" in shown and "Ask first." in shown
    card = CliRunner().invoke(app, ["models", "card", version["id"], *home[:2]]).output
    assert "1 example before the task" in card and "Skill `refunds`" in card and "Harness: 9 turns" in card
    differs = CliRunner().invoke(app, ["models", "diff", version["parent"], version["id"], *home[:2]]).output
    assert "+user: say x" in differs and "+Ask first." in differs and "harness.turns" in differs


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--harness", "turn=9"], 'Did you mean "turns"'),
        (["--harness", "turns=many"], "whole number"),
        (["--skill", "nowhere.md"], "cannot be read"),
        (["--examples", "nowhere.jsonl"], "cannot be read"),
    ],
    ids=["setting", "number", "skill", "examples"],
)
def test_wrong_parts_of_a_version_are_refused(tmp_path: Path, arguments: list[str], words: str) -> None:
    home = ["--home", str(tmp_path / "home"), "--parent", "http://127.0.0.1:9/v1#agent"]
    result = CliRunner().invoke(app, ["models", "new", *home, *arguments])
    assert result.exit_code != 0 and words in str(result.exception)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 1 is not JSON"),
        ('[{"role": "user", "content": "x"}]', "no reply of the assistant"),
        ("", "no conversation"),
    ],
    ids=["json", "no reply", "empty"],
)
def test_a_file_of_examples_that_cannot_be_used_names_the_line(tmp_path: Path, line: str, words: str) -> None:
    (tmp_path / "e.jsonl").write_text(line)
    home = ["--home", str(tmp_path / "home"), "--parent", "http://127.0.0.1:9/v1#agent"]
    result = CliRunner().invoke(app, ["models", "new", *home, "--examples", str(tmp_path / "e.jsonl")])
    assert result.exit_code != 0 and words in str(result.exception)
