"""A counter of production for each test."""

from pathlib import Path

import pytest

from tests.mining.counter import Counter


@pytest.fixture
def counter(tmp_path: Path) -> Counter:
    return Counter(tmp_path / "home")
