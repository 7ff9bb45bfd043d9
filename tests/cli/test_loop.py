"""verigym loop as a user types it, around models behind a server: what it says, the rounds so far, the exit code."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.cli.empty import empty_workspace
from tests.cli.test_ring import Shell
from tests.flywheel.answering import answering
from tests.flywheel.test_loop import answer
from verigym.flywheel.loop_recipe import LoopRecipe, read_loop

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with answering(answer) as address:
        yield address


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(empty_workspace(tmp_path / "home"))


def recipe(place: Path, server: str, model: str) -> str:
    (place / "alone.yaml").write_text("retention: null\nsafety: null\nmargins: {latency: null, unsafe: null}\n")
    path = place / "ring.yaml"
    path.write_text(
        f"environment: toolcall\nmodel: {server}#{model}?tools=text\nevaluation: {{tasks: 40, trial_tasks: 12}}\n"
        f"gate: {place / 'alone.yaml'}\n"
    )
    return str(path)


def test_a_loop_says_what_it_does_and_what_came_of_it(shell: Shell, server: str, tmp_path: Path) -> None:
    path = recipe(tmp_path, server, "good")
    assert "no round yet" in shell("loop", "status", path)
    said = shell("loop", "run", path)
    for words in (
        "Round 1, from good (",
        "1. Mine: ",
        "no production traces. New: 0 tasks to train on, 0 held out",
        "2. Evaluate the champion: ",
        "success 0.0% (0.0% to",
        "3. Advise: ",
        "chosen fix: prompt",
        "4. Evaluate the candidate: ",
        "5. Gate: ",
        "   PROMOTE: ",
        "success   0.0% (0.0% to 8.8%) -> 100.0% (91.2% to 100.0%) on 40 held-out tasks",
        "failures  format error 40",
        "decision  PROMOTE, champion ",
        "no further round: the champion is good enough",
        "next: verigym ",
    ):
        assert words in said, words
    again = shell("loop", "run", path)
    assert "Round" not in again and "no further round: the champion is good enough" in again
    status = shell("loop", "status", path)
    assert "round 1\n" in status and "round 2\n" in status and "PROMOTE. Measured on " in status
    rounds = json.loads(shell("loop", "run", path, "--json"))
    assert [one["number"] for one in rounds] == [1, 2] and rounds[0]["decided"]["verdict"] == "PROMOTE"
    assert json.loads(shell("loop", "status", path, "--json")) == rounds


def test_the_exit_code_is_the_gates(shell: Shell, server: str, tmp_path: Path) -> None:
    path = recipe(tmp_path, server, "crammer")
    said = shell("loop", "run", path, "budget.rounds=1", code=3)
    assert "   NEED MORE DATA: " in said and "Raise budget.rounds and repeat the command to resume" in said
    assert "mended" not in shell("loop", "status", path, "budget.rounds=1"), "what is looked at costs no code"


def test_what_is_wrong_is_said(shell: Shell, tmp_path: Path) -> None:
    for words, said in (
        ([str(tmp_path / "none.yaml")], "does not exist"),
        ([str(ROOT / "examples" / "loop.yaml"), "budgets.rounds=1"], "unknown key budgets. Did you mean budget?"),
        ([str(ROOT / "examples" / "loop.yaml"), "budget"], "is not an override. Write key=value"),
    ):
        with pytest.raises(Exception, match=re.escape(said)):
            shell("loop", "run", *words)


def test_the_shipped_recipe_can_be_read() -> None:
    assert read_loop(ROOT / "examples" / "loop.yaml").recipe.environment


def test_every_field_of_a_loops_recipe_is_documented() -> None:
    page = (ROOT / "docs" / "how-to" / "loop.md").read_text()
    fields: list[str] = []
    for field in msgspec.structs.fields(LoopRecipe):
        below = isinstance(field.type, type) and issubclass(field.type, msgspec.Struct)
        fields += [f"{field.name}.{one.name}" for one in msgspec.structs.fields(field.type)] if below else [field.name]
    assert 15 < len(fields) < 25, "one dial before twenty"
    assert [name for name in fields if f"`{name}`" not in page] == []
