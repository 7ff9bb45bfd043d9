"""The public API is the list `verigym.__all__`: every name can be imported, and type checkers see the same names."""

import ast
import re
from pathlib import Path

import pytest

import verigym

SOURCE = Path(verigym.__file__)
PACKAGE = SOURCE.parent


def type_checking_imports() -> dict[str, str]:
    """Name to module, as type checkers read them."""
    tree = ast.parse(SOURCE.read_text())
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    return {
        alias.asname or alias.name: str(node.module).removeprefix("verigym.")
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_type_checkers_see_the_public_names() -> None:
    assert type_checking_imports() == verigym._MODULE_OF  # pyright: ignore[reportPrivateUsage]


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
