from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.traces.capture.chats import AsItIs
from verigym.traces.capture import Capture


@pytest.fixture
def capture(tmp_path: Path) -> Iterator[Capture]:
    made = Capture(tmp_path, AsItIs())
    yield made
    made.close()
