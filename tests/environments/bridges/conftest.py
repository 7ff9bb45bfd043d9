"""Packages of bridges are installed once, into `.bridges` of the repository. It takes seconds."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / ".bridges"


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VERIGYM_BRIDGES", str(FOLDER))
    return FOLDER
