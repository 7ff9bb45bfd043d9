"""A tiny model's folder and an environment file, and a workspace on them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import verigym
from tests.one_thread import one_thread as one_thread
from tests.workspace.desk import DESK, save_tiny


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(save_tiny(tmp_path_factory.mktemp("model")))


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("environment") / "desk.py"
    path.write_text(DESK)
    return str(path)


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[verigym.Workspace]:
    with verigym.Workspace(tmp_path / "home") as workspace:
        yield workspace
