"""A tiny model's folder and a place to train it in, on one thread."""

from pathlib import Path

import pytest

from tests.one_thread import one_thread as one_thread
from tests.workspace.desk import Bench, save_tiny


@pytest.fixture(scope="package")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, tiny_folder: Path) -> Bench:
    """Of the whole file: runs are named by their content, so that tests do not meet."""
    return Bench(tmp_path_factory.mktemp("bench"), tiny_folder)


@pytest.fixture
def fresh(tmp_path: Path, tiny_folder: Path) -> Bench:
    """Of one test alone, with nothing in it."""
    return Bench(tmp_path, tiny_folder)
