"""An environment is code that runs as the user: the pages and the help say so where a path can be given."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from verigym.cli.main import app

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "page", ["README.md", "docs/reference/environments.md", "docs/how-to/tasks.md", "docs/reference/commands.md"]
)
def test_a_page_says_that_an_environment_file_runs_as_the_user(page: str) -> None:
    assert "code that runs as you" in " ".join((ROOT / page).read_text().split())


@pytest.mark.parametrize("command", ["eval", "rescore", "gate"])
def test_the_help_says_it_too(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).output
    assert "code that runs as you" in " ".join(shown.replace("│", " ").split())
