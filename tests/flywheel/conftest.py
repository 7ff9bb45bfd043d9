"""One thread for the tiny models (on a busy machine several would only wait for each other), and the model's folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from tests.flywheel.desk import Bench, save_tiny


@pytest.fixture(autouse=True, scope="package")
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


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
