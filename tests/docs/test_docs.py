"""The documents are true: every command and every field is in them, what they tell to type exists, and no path is private."""

import re
import subprocess
from pathlib import Path

import msgspec
import pytest
import typer

from tests.docs import reference
from verigym.cli.main import app
from verigym.training.recipe import Recipe, read_recipe

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def commands() -> dict[str, object]:
    return typer.main.get_command(app).commands  # type: ignore[attr-defined]


def test_the_reference_of_commands_is_what_the_commands_say() -> None:
    assert reference.PAGE.read_text() == reference.made(), "run: python -m tests.docs.reference"


def test_every_field_of_a_recipe_is_documented() -> None:
    page = (ROOT / "docs" / "recipes.md").read_text()
    fields: list[str] = []
    for field in msgspec.structs.fields(Recipe):
        below = isinstance(field.type, type) and issubclass(field.type, msgspec.Struct)
        fields += [f"{field.name}.{one.name}" for one in msgspec.structs.fields(field.type)] if below else [field.name]
    assert len(fields) > 40
    assert [name for name in fields if f"`{name}`" not in page] == []


@pytest.mark.parametrize("path", sorted((ROOT / "recipes").glob("*.yaml")), ids=lambda path: path.name)
def test_every_shipped_recipe_can_be_read(path: Path) -> None:
    assert read_recipe(path).steps > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_in_the_documents_exists(page: Path) -> None:
    words = re.findall(r"^\s*(?:\$ )?verigym ([a-z]+)", page.read_text(), re.MULTILINE)
    words += re.findall(r"`verigym ([a-z]+)", page.read_text())
    assert [word for word in words if word not in commands()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_in_the_documents_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_readme_names_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "make quickstart" in readme and "make test" in readme


def test_every_make_target_in_the_documents_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        assert set(re.findall(r"`make ([a-z-]+)`", page.read_text())) <= targets, page.name


def test_no_path_of_anybodys_machine_is_written_down() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    private = re.compile(r"(?<![\w.])/(work|root|home)/[a-z]")
    found = []
    for name in listed.stdout.split():
        path = ROOT / name
        if path.suffix in {".py", ".md", ".toml", ".yaml", ".txt", ""} and path.is_file() and path != Path(__file__):
            found += [name for line in path.read_text(errors="replace").splitlines() if private.search(line)]
    assert found == []
