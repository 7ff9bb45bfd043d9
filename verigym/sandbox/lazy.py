"""The machine's sandbox, opened when code is first run: who runs none need not hear what it lacks."""

from collections.abc import Mapping

from verigym.core.protocols import Box, Sandbox
from verigym.sandbox.open import open_sandbox


class WhenNeeded:
    def __init__(self) -> None:
        self._sandbox: Sandbox | None = None

    def _opened(self) -> Sandbox:
        if self._sandbox is None:
            self._sandbox = open_sandbox()
        return self._sandbox

    @property
    def isolated(self) -> bool:
        return self._opened().isolated

    async def open(self, files: Mapping[str, str | bytes] = {}) -> Box:
        return await self._opened().open(files)
