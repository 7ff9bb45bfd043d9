"""Bridges with their real packages, which `make test-bridges` installs into `.bridges` of the repository."""

from pathlib import Path

import pytest

from verigym.environments.bridges.install import install

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Installs the bridge that a test file names in `BRIDGE`, if it is missing."""
    monkeypatch.setenv("VERIGYM_BRIDGES", str(ROOT / ".bridges"))
    monkeypatch.chdir(ROOT)
    if name := getattr(request.module, "BRIDGE", ""):
        install(name)
