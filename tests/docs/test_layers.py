"""The layers of ARCHITECTURE.md: a folder imports only from lines above its own, and torch stays where it belongs."""

import ast
import importlib.util
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "verigym"
LINES = [
    ["core"],
    ["store", "sandbox", "model", "wire", "draw"],
    ["tasks", "policies", "verifiers", "harness"],
    ["environments", "rollout", "traces"],
    ["evaluation", "agents"],
    ["audit"],
    ["design", "training", "gates", "registry"],
    ["workspace"],
    ["mining", "optimize"],
    ["flywheel"],
    ["servers", "report", "cluster"],
    ["view", "bridges"],
    ["cli"],
]
LINE_OF = {folder: place for place, line in enumerate(LINES) for folder in line}
TORCH = {"torch", "transformers", "peft", "safetensors", "tokenizers"}
WITH_TORCH = ("model", "policies/local", "training")
FILES = sorted(PACKAGE.rglob("*.py"))


@cache
def imported(path: Path) -> frozenset[str]:
    """Full names of the modules that a file imports, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(names)


def folder_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0]


def violations(path: Path, own: str) -> list[str]:
    wrong: list[str] = []
    for name in imported(path):
        parts = name.split(".")
        ours = parts[0] == "verigym" and len(parts) > 1 and parts[1] in LINE_OF and parts[1] != own
        if ours and LINE_OF[parts[1]] >= LINE_OF[own]:
            wrong.append(f"{own}/{path.name} imports {name}")
    return wrong


def test_every_folder_is_a_layer() -> None:
    """ARCHITECTURE.md says where each belongs."""
    assert {folder_of(path) for path in FILES if path.parent != PACKAGE} == set(LINE_OF)


def test_a_folder_imports_only_from_lines_above_its_own() -> None:
    assert [wrong for path in FILES if path.parent != PACKAGE for wrong in violations(path, folder_of(path))] == []


def test_the_rule_would_notice_a_wrong_import(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("def late():\n    from verigym.rollout.many import run_many\n    from verigym.core import codec\n")
    assert violations(wrong, "core") and violations(wrong, "environments") and not violations(wrong, "training")


def test_torch_appears_only_where_tensors_are() -> None:
    elsewhere = [path for path in FILES if not str(path.relative_to(PACKAGE)).startswith(WITH_TORCH)]
    assert [str(path) for path in elsewhere if {name.split(".")[0] for name in imported(path)} & TORCH] == []


def test_import_verigym_and_every_command_load_no_torch() -> None:
    modules = "verigym, verigym.cli.main, verigym.flywheel.quickstart"
    code = f"import sys, {modules}; print(sorted({{'torch', 'scipy'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_file_is_longer_than_600_lines() -> None:
    assert [str(path) for path in FILES if len(path.read_text().splitlines()) > 600] == []


def test_every_file_opens_by_saying_what_it_is_for() -> None:
    assert [str(path) for path in FILES if not ast.get_docstring(ast.parse(path.read_text()))] == []


def test_core_needs_nothing_but_the_standard_library_msgspec_and_what_it_reads_yaml_with() -> None:
    for path in (PACKAGE / "core").glob("*.py"):
        for name in {name.split(".")[0] for name in imported(path)} - {"verigym", "msgspec", "yaml"}:
            spec = importlib.util.find_spec(name)
            assert spec is None or name in sys.stdlib_module_names, f"{path.name} imports {name}"
