"""The public API is the list `verigym.__all__`: every name can be imported, and type checkers see the same names."""

import ast
import inspect
import re
import resource
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


@pytest.mark.parametrize("name", verigym.__all__)
def test_a_public_name_can_be_imported(name: str) -> None:
    assert getattr(verigym, name) is not None
    assert name in dir(verigym)


def test_a_name_that_is_not_public_is_refused() -> None:
    assert not hasattr(verigym, "Store")


@pytest.mark.parametrize("folder", sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py")))
def test_each_package_states_its_stability(folder: str) -> None:
    text = ast.get_docstring(ast.parse((PACKAGE / folder / "__init__.py").read_text())) or ""
    assert re.search(r"^Stability: (stable|experimental|internal)\. [A-Z].*\.$", text, re.MULTILINE), folder


ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.py")])
SHIPPED = ("verigym.environments",)
"""An environment of the collection may be extended by importing from its module."""


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_documents_and_examples_import_only_public_names(page: Path) -> None:
    imports = re.findall(r"^\s*(?:from (verigym\S*) import (.+)|import (verigym\.\S+))", page.read_text(), re.MULTILINE)
    for module, names, other in imports:
        assert not other, f"{page.name} imports {other}"
        if module == "verigym":
            assert {name.strip() for name in names.strip("()").split(",") if name.strip()} <= set(verigym.__all__)
        else:
            assert module.startswith(SHIPPED), f"{page.name} imports from {module}"


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


@pytest.mark.parametrize(("code", "seconds"), [("import verigym", 0.1), ("from verigym.cli.main import main", 0.4)])
def test_imports_are_quick_and_load_nothing_heavy(code: str, seconds: float) -> None:
    """CPU seconds beyond those of an empty Python, the best of several."""
    heavy = f"{code}; import sys; assert not {{'torch', 'scipy', 'sqlalchemy'}} & set(sys.modules)"
    best = min(_cpu_s(heavy) for _ in range(5)) - min(_cpu_s("pass") for _ in range(3))
    assert best <= seconds


def _cpu_s(code: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
