"""Settings of all tests. A property's single example has no deadline, because a busy machine is not a failure."""

import gc
import os
import re
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

# Tiny models compute on one thread, also in the processes that tests start. Several threads only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
gc.disable()  # until all tests are collected: what collection makes is needed to the end

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

ROOT = Path(__file__).parents[1]
TORCH = {"torch", "transformers", "peft", "trl", "safetensors"}
SLOW_TO_IMPORT = {"schemathesis", "openai", "duckdb", "pyarrow", "matplotlib", "nbclient", "mkdocs"}
LEFT_OUT = (
    # content and builds
    "tests/environments",
    "tests/authoring",
    "tests/third_party",
    "tests/browser",
    "tests/release",
    "tests/docs",
    # commands and methods, most of which run a tiny model
    "tests/api",
    "tests/cli",
    # sandboxes, simulations, fuzzing and killed processes
    "tests/sandbox",
    "tests/verifiers/test_code",
    "tests/training/test_alarms",
    "tests/gates/test_whole_gate",
    "tests/audit/test_fuzz",
    "tests/audit/test_verifier",
    "tests/rollout/test_kill",
    "tests/registry/test_kills",
    "tests/traces/test_ingest",
    "tests/traces/capture/test_joining",
    "tests/mining/test_mine",
    "tests/design/test_vary",
    "tests/tasks/test_load",
)
"""Tests that `--fast` leaves out, besides those that import torch or a library that is slow to import."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fast",
        action="store_true",
        help="Leave out tests that load torch, run commands, play content, build or simulate",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if not config.getoption("--fast") or collection_path.suffix != ".py":
        return None
    path = collection_path.relative_to(ROOT).as_posix()
    heavy = path.startswith(LEFT_OUT) or imports(collection_path) & (TORCH | SLOW_TO_IMPORT)
    return True if heavy else None


@cache
def imports(path: Path) -> frozenset[str]:
    """Top-level packages that a test file imports, wherever in it, and through the helpers that it imports from `tests`."""
    names: set[str] = set()
    for module in re.findall(r"^\s*(?:from|import) ([\w.]+)", path.read_text(), re.MULTILINE):
        helper = ROOT.joinpath(*module.split(".")).with_suffix(".py")
        names |= imports(helper) if module.startswith("tests.") and helper.is_file() else {module.split(".")[0]}
        if module.startswith(("verigym.model", "verigym.policies.local", "verigym.training")):
            names |= module_imports(module)
    return frozenset(names)


def module_imports(module: str) -> frozenset[str]:
    """What a module of the package that may use torch imports itself."""
    path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    return (
        frozenset(re.findall(r"^(?:from|import) (\w+)", path.read_text(), re.MULTILINE))
        if path.is_file()
        else frozenset()
    )


LONG = (
    "tests/docs/test_tutorials",
    "tests/workspace/test_train_re",
    "tests/verifiers/test_code",
    "tests/flywheel",
    "tests/environments/bridges/test_reasoning_gym",
    "tests/policies/test_engine",
    "tests/cli/test_audit",
    "tests/workspace/test_gate_looks",
    "tests/api/test_examples",
    "tests/gates/test_whole_gate",
    "tests/workspace/test_train",
    "tests/training/test_learning",
    "tests/training/test_alarms",
    "tests/cli/test_demo",
    "tests/model/test_attention",
    "tests/traces/test_ingest",
)
"""Files that take longest, the longest first. They start first, so that no process waits for them at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    first = {name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: min((first[name] for name in LONG if item.nodeid.startswith(name)), default=len(LONG)))


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Names a failure when it happens, so that a run that is stopped has named it too."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        lines = str(report.longrepr).strip().splitlines()
        print(f"\n{report.when} of {report.nodeid} failed: {lines[-1] if lines else ''}", file=sys.stderr, flush=True)
