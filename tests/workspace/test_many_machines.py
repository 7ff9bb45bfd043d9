"""A training run that is killed and resumed on another machine: a workspace folder of its own, the same database and files."""

import contextlib
import os
import signal
from pathlib import Path

import pytest

from tests.store.conftest import new_schema
from tests.store.conftest import server as server  # the fixture
from tests.store.server import PostgresServer
from tests.workspace.desk import Bench
from tests.workspace.test_train_resume import GRPO, ended, run_whole, start
from verigym.store.database import Store
from verigym.workspace.shared_files import SharedFiles
from verigym.workspace.workspace import WorkspaceFolder

pytestmark = pytest.mark.cluster


def machine(place: Path, url: str, files: str) -> Path:
    """The folder of a machine that has nothing yet."""
    place.mkdir()
    (place / "store.url").write_text(url)
    (place / "files.url").write_text(files)
    return place


@pytest.mark.timeout(1000)
def test_a_run_that_is_killed_on_three_machines_ends_in_the_same_weights(fresh: Bench, server: PostgresServer) -> None:
    recipe = fresh.recipe_file("grpo", **{**GRPO, "steps": 12})
    run_whole(fresh.place / "whole", recipe)
    url, files = new_schema(server, "moved"), f"file://{fresh.place}/bucket"
    for number in range(3):
        process = start(machine(fresh.place / f"machine-{number}", url, files), recipe, 0.0)
        assert process.stdout is not None
        lines, left = [], 3
        while left and (line := process.stdout.readline()):
            left -= line.startswith("step ")
            lines.append(line)
        assert not left, "".join(lines)
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    [state] = SharedFiles(files).names("checkpoints/" + Store(url).run("latest").id)
    assert int(state.removeprefix("step-")) >= 4, "each machine went on from the one before"
    last = machine(fresh.place / "last", url, files)
    run_whole(last, recipe)
    assert ended(last) == ended(fresh.place / "whole")
    reader = WorkspaceFolder(machine(fresh.place / "reader", url, files))
    [version] = [one for one in reader.store.documents("version", type(reader.find("latest"))) if one.adapter]
    assert reader.adapter_of(version) == reader.home / "adapters" / version.adapter
