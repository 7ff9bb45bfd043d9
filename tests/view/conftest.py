"""Pages of tests see what was stored a moment before."""

import pytest

from verigym.view import read


@pytest.fixture(autouse=True)
def no_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader asks for the state of documents every time, not only after a moment."""
    monkeypatch.setattr(read, "_MOMENT_S", 0.0)
