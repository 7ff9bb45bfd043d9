"""Names of models that nobody knows: told at once, with the nearest that is known. The hub is a port at which nobody listens."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from verigym.core.errors import NotFound
from verigym.workspace.workspace import WorkspaceFolder

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


@pytest.mark.parametrize("typed", ["./nowhere", "../a/b", "/no/such/folder", "~/models/x"])
def test_a_path_that_is_no_folder_is_not_looked_for_on_the_hub(tmp_path: Path, typed: str):
    with pytest.raises(NotFound, match=f'There is no folder "{typed}"'):
        WorkspaceFolder(tmp_path / "home").check_base(typed)


SILENT = """
import socket, sys, time
listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize(
    ("typed", "environment", "words"),
    [
        ("smolm2-135m", {}, 'Did you mean "smollm2-135m"?'),
        ("nobody/nosuch", {}, "The Hugging Face hub cannot be reached"),
        ("gpt-4o", {}, "or a model of a server, such as -m https://HOST/v1#gpt-4o"),
        ("smolm2-135m", {"HF_HUB_OFFLINE": "1"}, 'Did you mean "smollm2-135m"?'),
    ],
    ids=["near", "far", "of a server", "near, offline"],
)
def test_a_hub_that_never_answers_is_not_waited_for(
    tmp_path: Path, typed: str, environment: dict[str, str], words: str
):
    with subprocess.Popen([sys.executable, "-c", SILENT], stdout=subprocess.PIPE, text=True) as hub:
        assert hub.stdout is not None
        port = hub.stdout.readline().strip()
        nobody = {
            "HF_ENDPOINT": f"http://127.0.0.1:{port}",
            "HF_HOME": str(tmp_path),
            "HF_HUB_OFFLINE": "",
            **environment,
        }
        timed = ASK.replace("try:", "import time\nbegan = time.monotonic()\ntry:").replace(
            '"torch" in sys.modules', 'f"{time.monotonic() - began:.1f}"'
        )
        command = [sys.executable, "-c", timed, str(tmp_path / "home"), typed]
        done = subprocess.run(command, env={**os.environ, **nobody}, capture_output=True, text=True, timeout=1000)
        hub.kill()
    assert words in done.stdout, done.stderr
    seconds = float(done.stdout.split()[-1])
    assert seconds < 60, "the hub's client alone retries for minutes"
