"""Names of models that nobody knows: told at once, with the nearest that is known. The hub is a port at which nobody listens."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ASK = """
import sys, pathlib
from verigym.core.errors import NotFound
from verigym.core.records import Version
from verigym.workspace.workspace import WorkspaceFolder
ws = WorkspaceFolder(pathlib.Path(sys.argv[1]))
ws.register(Version(base="smollm2-135m", adapter="a" * 64, name="careful"))
try:
    ws.policy(ws.agent(sys.argv[2]))
except NotFound as error:
    print(error, "torch" in sys.modules)
"""


@pytest.mark.parametrize(
    ("typed", "meant"), [("smollm", "smollm2-135m"), ("SmolLM2-135M", "smollm2-135m"), ("carefull", "careful")]
)
def test_a_mistyped_name_is_answered_with_the_nearest_before_torch_is_loaded(tmp_path: Path, typed: str, meant: str):
    nobody = {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": ""}
    command = [sys.executable, "-c", ASK, str(tmp_path / "home"), typed]
    done = subprocess.run(command, env={**os.environ, **nobody}, capture_output=True, text=True, timeout=1000)
    assert f'Model "{typed}" cannot be found' in done.stdout and f'Did you mean "{meant}"?' in done.stdout, done.stderr
    assert done.stdout.endswith(" False\n")
