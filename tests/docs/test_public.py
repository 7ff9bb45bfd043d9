"""The public API is the list `verigym.__all__`: every name can be imported, and type checkers see the same names."""

import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import verigym
from tests.docs.reference import PAGES, members

SOURCE = Path(verigym.__file__)
PACKAGE = SOURCE.parent


def test_type_checkers_see_the_public_names() -> None:
    tree = ast.parse(SOURCE.with_suffix(".pyi").read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert [alias.asname for node in imports for alias in node.names] == verigym.__all__
    assert all(alias.name == alias.asname for node in imports for alias in node.names)


def test_every_public_name_can_be_imported() -> None:
    assert [name for name in verigym.__all__ if getattr(verigym, name, None) is None] == []
    assert set(verigym.__all__) <= set(dir(verigym))


def test_a_name_that_is_not_public_is_refused() -> None:
    assert not hasattr(verigym, "Store")


def test_each_package_states_its_stability() -> None:
    for file in PACKAGE.glob("*/__init__.py"):
        text = ast.get_docstring(ast.parse(file.read_text())) or ""
        assert re.search(r"^Stability: (stable|experimental|internal)\. [A-Z].*\.$", text, re.MULTILINE), file


ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.py")])
SHIPPED = ("verigym.environments", "verigym.bridges")
"""An environment of the collection may be extended by importing from its module."""


def test_documents_and_examples_import_only_public_names() -> None:
    line = re.compile(r"^\s*(?:from (verigym\S*) import (.+)|import (verigym\.\S+))", re.MULTILINE)
    found = [(page.name, *groups) for page in DOCUMENTS for groups in line.findall(page.read_text())]
    assert len(found) > 20
    for page, module, names, other in found:
        assert not other, f"{page} imports {other}"
        if module == "verigym":
            public = {name.strip() for name in names.strip("()").split(",") if name.strip()} <= set(verigym.__all__)
            assert public, f"{page} imports {names}"
        else:
            assert module.startswith(SHIPPED), f"{page} imports from {module}"


def test_every_public_method_is_on_the_page_of_the_python_api() -> None:
    page = (ROOT / "docs" / "reference" / "python-api.md").read_text()
    for kind in (verigym.Workspace, verigym.AsyncWorkspace):
        for name, member in members(kind).items():
            if not name.startswith("_"):
                assert f"### {name}\n" in page and inspect.getdoc(member), name
    others = page.partition("\n## Other public names\n")[2]
    assert [name for name in verigym.__all__ if "Workspace" not in name and f"`{name}`" not in others] == []


def test_a_linked_page_describes_the_public_names_it_is_linked_for() -> None:
    folder = ROOT / "docs" / "reference"
    lines = re.findall(r"^- \[.*\]\((.*)\): (.*)$", (folder / "python-api.md").read_text(), re.MULTILINE)
    assert len(lines) == len(PAGES)
    for link, names in lines:
        text = (folder / link).read_text()
        assert [name for name in re.findall(r"`(\w+)`", names) if name not in text] == [], link


@pytest.mark.parametrize(("code", "most"), [("import verigym", 20), ("from verigym.cli.main import main", 350)])
def test_an_import_loads_few_modules_and_nothing_heavy(code: str, most: int) -> None:
    """`most` is the number of modules beyond those that Python loads itself. It tells how quick an import is, on any machine."""
    program = f"import sys; before = set(sys.modules); {code}; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "verigym" in loaded and len(loaded) <= most
    assert not {"torch", "scipy", "sqlalchemy"} & loaded


@pytest.mark.parametrize(
    ("given", "spins"),
    [({}, "1000"), ({"GOMP_SPINCOUNT": "5"}, "5"), ({"OMP_WAIT_POLICY": "active"}, None)],
    ids=["default", "set by the user", "another setting of the user"],
)
def test_threads_of_torch_wait_shortly_unless_the_user_says_otherwise(given: dict[str, str], spins: str | None) -> None:
    code = "import os, verigym; print(os.environ.get('GOMP_SPINCOUNT'))"
    own = {key: value for key, value in os.environ.items() if key not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    done = subprocess.run([sys.executable, "-c", code], env=own | given, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(spins)
