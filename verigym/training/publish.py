"""Gives engines outside this process the weights that are trained here, one version per step.

A version is an adapter, or a whole model if all parameters are trained, in a folder that is named by the hash of its weights. The
engines load it under the name of its step and keep the versions that running episodes still need. An engine has one copy of the
weights of a model, so a whole model replaces the one before it.
"""

import asyncio
import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

from verigym.core.protocols import Engine
from verigym.model import full, lora_files
from verigym.model.threads import in_thread
from verigym.policies.render import Renderer
from verigym.policies.tokens import TokenPolicy


class Publisher:
    """The versions of one training run on engines: `policy = await publisher.publish("run@3")`.

    `keep` is the number of versions that stay loaded. A policy can be used until `keep` newer versions are published.
    """

    def __init__(
        self, engine: Engine, render: Renderer, model: Any, *, base: str, folder: Path, keep: int = 1
    ) -> None:  # fmt: skip
        self.engine, self._render, self._model = engine, render, model
        self._base, self._folder, self.keep = base, folder, keep
        self.full = full.is_full(model)
        """Whether versions are whole models."""
        self._loaded: list[tuple[str, Path]] = []
        """Name and folder of the loaded versions, oldest first."""
        self._policy: TokenPolicy | None = None
        self._ending: set[asyncio.Task[None]] = set()

    async def publish(self, agent: str) -> TokenPolicy:
        """The policy of the weights as they are now. `agent` is the name of the step, such as `run@3`. The same weights under the
        same name are not loaded again."""
        folder = await in_thread(self._written)
        version = f"{agent}.{folder.name[:12]}"  # the hash tells a step from one that a killed run left on an engine
        if self._policy is None or self._policy.version != version:
            await self.engine.load(version, folder)
            self._policy = TokenPolicy(
                self._render.tokenizer, self.engine, agent=agent, version=version, render=self._render
            )
            self._loaded = [one for one in self._loaded if one[0] != version] + [(version, folder)]
            while len(self._loaded) > self.keep:
                self._forget(*self._loaded.pop(0))
        return self._policy

    async def close(self) -> None:
        """Unloads the versions of the run and deletes their folders."""
        while self._loaded:
            self._forget(*self._loaded.pop())
        if self._ending:
            await asyncio.wait(self._ending, timeout=30.0)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _forget(self, version: str, folder: Path) -> None:
        """Unloads a version after its last request, without waiting for it."""

        async def forget() -> None:
            await self.engine.forget(version)
            if folder not in [one for _, one in self._loaded]:
                shutil.rmtree(folder, ignore_errors=True)

        task = asyncio.get_running_loop().create_task(forget())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def _written(self) -> Path:
        """The version as a folder that is named by the hash of its weights."""
        self._folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._folder, prefix=".new-") as work:
            draft = self.write(Path(work) / "adapter")
            with (draft / (full.WEIGHTS_FILE if self.full else "adapter_model.safetensors")).open("rb") as weights:
                folder = self._folder / hashlib.file_digest(weights, "sha256").hexdigest()
            if not folder.exists():
                draft.rename(folder)
        return folder

    def write(self, folder: Path) -> Path:
        """Writes the adapter of the model, or the whole model, into a folder."""
        if self.full:
            full.save(self._model, self._render.tokenizer, folder)
            for path in folder.iterdir():
                path.chmod(0o644)  # so that a server of another user reads it
        else:
            lora_files.save(self._model, folder, self._base)
        return folder
