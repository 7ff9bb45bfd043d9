"""Bridges with their real packages, which `make test-bridges` installs into `.bridges` of the repository."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from verigym.environments.bridges.install import install

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True, scope="module")
def installed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Installs the bridge that a test file names in `BRIDGE`, if it is missing. It comes before every fixture of the file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VERIGYM_BRIDGES", str(ROOT / ".bridges"))
        patch.chdir(ROOT)
        if name := getattr(request.module, "BRIDGE", ""):
            install(name)
        yield
