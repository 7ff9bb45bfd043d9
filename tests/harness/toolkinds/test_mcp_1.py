"""The tests of MCP tools once more, with version 1 of the SDK in a virtual environment of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PACKAGES = ["mcp==1.30.0", "aiohttp", "jsonschema", "msgspec", "numpy", "pytest", "pyyaml"]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_mcp_tools_work_with_version_1_of_the_sdk(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
    tests = "tests/harness/toolkinds/test_mcp.py"
    command = [
        python,
        "-m",
        "pytest",
        "-q",
        "-o",
        "addopts=",
        "-p",
        "no:cacheprovider",
        "--confcutdir=tests/harness",
        tests,
    ]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert done.returncode == 0 and "skipped" not in done.stdout, done.stdout + done.stderr
