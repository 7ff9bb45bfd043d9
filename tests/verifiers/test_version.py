"""A version changes with the code and the settings that decide a verdict, and with nothing else."""

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from verigym.core.protocols import Verifier
from verigym.verifiers.choice import Choice
from verigym.verifiers.combine import Combine, Shortest
from verigym.verifiers.judge import PairwiseJudge
from verigym.verifiers.numeric import Numeric
from verigym.verifiers.toolcall import tool_call_verifier
from verigym.verifiers.version import code_text, version

HELPERS = ("helper", "deeper", "parts", "parts.far")
"""Modules of the small project. Another test may have imported its own under the same name."""


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent))
    others = {name: sys.modules.pop(name) for name in HELPERS if name in sys.modules}
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
        for name in HELPERS:
            sys.modules.pop(name, None)
        sys.modules.update(others)
    return module


def project(folder: Path, **changed: str) -> str:
    """The version of `verify` in a small project, after changes to its files."""
    files = {
        "helper.py": "import deeper\nLIMIT = 1\n",
        "deeper.py": "X = 1\n",
        "parts/__init__.py": "from . import far\n",
        "parts/far.py": "Y = 1\n",
        "unrelated.py": "Z = 1\n",
        "desk.py": (
            "import json\nimport msgspec\nfrom helper import LIMIT\nfrom parts import far\nfrom verigym import Task\n"
            "def verify(task, trajectory):\n    return float(LIMIT)\n"
        ),
    } | {name.replace("__", "/") + ".py": text for name, text in changed.items()}
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return version(loaded(folder / "desk.py").verify)


@pytest.mark.parametrize("changed", ["helper", "deeper", "parts__far"])
def test_a_changed_helper_is_a_changed_version(tmp_path: Path, changed: str) -> None:
    assert project(tmp_path / "p", **{changed: "LIMIT = X = Y = 2\n"}) != project(tmp_path / "p")


def test_what_it_does_not_import_does_not_count_and_neither_does_its_place(tmp_path: Path) -> None:
    assert project(tmp_path / "p", unrelated="Z = 2\n") == project(tmp_path / "p") == project(tmp_path / "q")


def test_settings_are_part_of_the_version() -> None:
    versions = [Numeric(), Numeric(tolerance=0.1), Numeric(relative=0.1), Numeric(where="boxed"), Choice()]
    assert len({version(each) for each in versions}) == len(versions)
    assert version(Numeric(tolerance=0.1)) == version(Numeric(tolerance=0.1))


def test_the_version_is_the_same_in_another_process() -> None:
    code = (
        "from verigym.verifiers.numeric import Numeric; from verigym.verifiers.combine import Combine; "
        "from verigym.verifiers.match import exact_match; from verigym.verifiers.version import version; "
        "print(version(Combine({'done': (1.0, Numeric(tolerance=0.1)), 'said': (0.1, exact_match)})))"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True) for _ in range(2)]
    assert runs[0].stdout == runs[1].stdout != ""


def one(task: Any, trajectory: Any) -> float:
    return 1.0


def closing_over(value: object) -> Callable[..., float]:
    def verify(task: Any, trajectory: Any) -> float:
        return 1.0 if value else 0.0

    return verify


class Plain:
    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.itself = self

    def __call__(self, task: Any, trajectory: Any) -> float:
        return self.limit

    def method(self, task: Any, trajectory: Any) -> float:
        return self.limit


@pytest.mark.parametrize(
    ("verify", "other"),
    [
        (Combine({"done": (1.0, one)}), Combine({"done": (2.0, one)})),
        (Combine({"done": (1.0, one)}), Combine({"done": (1.0, Numeric())})),
        (Combine({"done": (1.0, Numeric())}), Combine({"done": (1.0, Numeric(tolerance=1))})),
        (closing_over(1), closing_over(2)),
        (closing_over({1, 2}), closing_over({1, 3})),
        (partial(one, trajectory=1), partial(one, trajectory=2)),
        (Plain(1), Plain(2)),
        (Plain(1).method, Plain(2).method),
        (Plain(1).method, Plain(1)),
        (len, max),
    ],
    ids=[
        "weight",
        "part",
        "part's setting",
        "closure",
        "set",
        "partial",
        "object",
        "method",
        "of one object",
        "builtin",
    ],
)
def test_whatever_it_is_made_of_counts(verify: Any, other: Any) -> None:
    assert version(verify) == version(verify) != version(other)
    assert len(version(verify)) == 8 and int(version(verify), 16) >= 0


def test_a_function_made_at_runtime_has_a_version() -> None:
    made: dict[str, Any] = {}
    exec("def verify(task, trajectory): return 1.0", made)
    assert len(version(made["verify"])) == 8


def test_a_function_that_needs_nothing_of_its_project_is_hashed_with_its_module() -> None:
    import hashlib
    import inspect

    import verigym.verifiers.toolcall as module

    text = code_text(inspect.getsource(tool_call_verifier)) + code_text(inspect.getsource(module))
    assert version(tool_call_verifier) == hashlib.sha256(text.encode()).hexdigest()[:8]


def test_installed_packages_do_not_count(tmp_path: Path) -> None:
    folder = tmp_path / "site-packages"
    before = project(folder)
    assert project(folder, helper="LIMIT = 2\n") == before


def test_a_verifier_of_ours_in_a_users_file_counts(tmp_path: Path) -> None:
    text = "from verigym.verifiers.{} import {}\nverify = lambda task, trajectory: 1.0\n"
    numeric = project(tmp_path / "p", desk=text.format("numeric", "Numeric"))
    assert numeric != project(tmp_path / "p", desk=text.format("choice", "Choice"))


@pytest.mark.parametrize(
    "verifier", [PairwiseJudge("Which is better?"), Shortest(Numeric())], ids=["pairs", "shortest"]
)
def test_a_group_verifier_reads_its_sources_once_and_not_for_every_verdict(verifier: Verifier) -> None:
    assert verifier.name is verifier.name and verifier.name.endswith(version(verifier))


CODE = """\
def verify(task, trajectory):
    limit = 0.5
    return float(task.data["score"] > limit)
"""


@pytest.mark.parametrize(
    "same",
    [
        "# a comment\n" + CODE,
        '"""A module docstring."""\n' + CODE,
        CODE.replace("    limit", '    """What it does."""\n    limit'),
        CODE.replace("limit = 0.5", 'limit = 0.5\n    """The threshold."""'),
        CODE.replace("limit = 0.5", "limit=.5  # the threshold\n\n"),
        CODE.replace("limit)", "limit\n    )"),
        CODE.replace('"', "'"),
    ],
    ids=["comment", "module docstring", "docstring", "field docstring", "spacing", "line break", "quotes"],
)
def test_comments_docstrings_and_formatting_do_not_change_the_version(tmp_path: Path, same: str) -> None:
    assert same != CODE
    assert project(tmp_path / "p", desk=same) == project(tmp_path / "p", desk=CODE)


@pytest.mark.parametrize(
    "other",
    [
        CODE.replace("0.5", "0.6"),
        CODE.replace(">", ">="),
        CODE.replace('"score"', '"points"'),
        CODE.replace("limit = 0.5", "limit = None"),
        CODE.replace("limit = 0.5", 'limit = "0.5"'),
        CODE + "\nother = 1\n",
    ],
    ids=["number", "operator", "key", "none", "type", "statement"],
)
def test_a_change_of_code_changes_the_version(tmp_path: Path, other: str) -> None:
    assert project(tmp_path / "p", desk=other) != project(tmp_path / "p", desk=CODE)


def test_a_docstring_of_a_helper_does_not_change_the_version(tmp_path: Path) -> None:
    documented = 'import deeper\nLIMIT = 1\n"""The threshold."""\n'
    assert project(tmp_path / "p", helper=documented) == project(tmp_path / "p")


def test_other_python_versions_give_the_same_version() -> None:
    """The syntax tree as text is compared with one recorded in Python 3.11, which 3.12 and 3.13 reproduce."""
    source = """
@a
async def f(x: int = 1, *y, **z) -> str | None:
    match x:
        case {'k': [None, *r]}:
            return f'{x!r:>{y}} {{'
class A(B, c=1):
    d: int = ...
"""
    import hashlib

    assert hashlib.sha256(code_text(source).encode()).hexdigest()[:16] == "c6a97142be2dd012"


def test_a_module_in_a_closure_counts_by_name_and_version() -> None:
    import json

    import msgspec as installed

    def made(module: Any) -> Any:
        def verify(task: Any, trajectory: Any) -> float:
            return float(bool(module))

        return verify

    assert version(made(json)) == version(made(json)) != version(made(installed))
    assert version(made({"of": installed})) != version(made({"of": json}))
