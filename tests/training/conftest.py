"""Tests of training run tiny models, on one thread."""

import pytest

from tests.one_thread import one_thread as one_thread
from verigym.training import loop


@pytest.fixture
def checkpoint_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """A setting, made small: in life a checkpoint is written every ten seconds."""
    monkeypatch.setattr(loop, "CHECKPOINT_S", -1.0)
