"""An SGLang server as an engine, by its own API (`/generate`). It does not start the server.

The formats are those of SGLang 0.5.23, read from its source. No server of SGLang has run with this file: its tests use a local
server that speaks the same JSON. As in `vllm.py`, each version is a LoRA adapter under a name of its own.
"""

import asyncio
import functools
import re
import uuid
from pathlib import Path
from typing import Any

from msgspec import Struct

from verigym.core.errors import BadInput, not_found
from verigym.core.generation import Completion, EngineLoad, Generation, one_object_each
from verigym.policies.engines.http import Answer, EngineServer, check_request
from verigym.policies.engines.uses import VersionUses

_LOADED = re.compile(r"already (loaded|exists)")
_NEVER = re.compile(r"never been loaded")
_CONTEXT = re.compile(r"(?i)longer than the model's context length|context length|maximum allowed length")


class _Info(Struct):
    model_path: str
    served_model_name: str | None = None


class _Finish(Struct):
    type: str
    message: str | None = None


class _Meta(Struct):
    finish_reason: _Finish | None = None
    output_token_logprobs: list[tuple[float, int, str | None]] = []


class _Generated(Struct):
    output_ids: list[int]
    meta_info: _Meta


class _RankLoad(Struct):
    num_running_reqs: int = 0
    num_waiting_reqs: int = 0
    token_usage: float = 0.0


class _Loads(Struct):
    loads: list[_RankLoad]


class SglangEngine:
    """An SGLang server: `engine = await SglangEngine.connect("http://localhost:30000", window=32768, slots=4)`.

    `window` is the server's `--context-length`, and `slots` its `--max-loaded-loras`: the server does not say them.
    `max_batch` is the maximum useful number of concurrent requests. `key_env` names the environment variable with the key.
    """

    def __init__(
        self, address: str, *, window: int, slots: int, max_batch: int = 256,
        key_env: str = "VERIGYM_ENGINE_KEY", timeout_s: float = 3600.0,
    ) -> None:  # fmt: skip
        self.server = EngineServer(address, key_env)
        self.name = self.server.address
        self.window, self.slots, self.max_batch = window, slots, max_batch
        self.versions: dict[str, Path] = {}
        self._timeout_s = timeout_s
        self._uses = VersionUses()

    @classmethod
    async def connect(
        cls, address: str, *, window: int, slots: int, model: str = "", versions: int = 0, max_batch: int = 256,
        key_env: str = "VERIGYM_ENGINE_KEY", timeout_s: float = 3600.0,
    ) -> "SglangEngine":  # fmt: skip
        """Connects to a server and checks that it serves `model` and has slots for this many `versions` at once."""
        engine = cls(
            address, window=window, slots=slots, max_batch=max_batch, key_env=key_env, timeout_s=timeout_s
        )  # fmt: skip
        try:
            info: _Info = engine.server.decoded(await engine.server.get("/model_info"), _Info)
            path = info.model_path.rstrip("/")
            if model not in ("", info.served_model_name, path, path.rpartition("/")[2]):
                raise BadInput(
                    f'{engine.name} serves {path}, not "{model}". Start SGLang with --model-path {model}, or use its address'
                )
            if slots < versions:
                raise BadInput(
                    f"{engine.name} has slots for {slots} versions, and {versions} are needed. Start SGLang with "
                    f"--enable-lora --max-loaded-loras {versions}, and pass slots={versions}"
                )
        except BaseException:
            await engine.close()
            raise
        return engine

    async def generate(self, request: Generation) -> Completion:
        check_request(request, self.name, self.versions)
        if len(request.ids) >= self.window:
            return Completion([], [], "context_full", version=request.version)
        id = uuid.uuid4().hex
        with self._uses.of(request.version):
            try:
                body = functools.partial(self._body, request, id)
                answer = await self.server.post("/generate", body, self._timeout_s)
            except asyncio.CancelledError:
                self.server.send("/abort_request", {"rid": id})  # so that it holds no slot
                raise
        if answer.status == 400 and _CONTEXT.search(answer.text):
            return Completion([], [], "context_full", version=request.version)
        if answer.status == 400 and request.version and _NEVER.search(answer.text):
            self.versions.pop(request.version, None)
            raise not_found("loaded version", request.version, self.versions, f"The server says: {answer.text}")
        return self._completion(request, answer)

    async def load(self, version: str, folder: Path) -> None:
        if version not in self.versions and len(self.versions) >= self.slots:
            raise BadInput(
                f"{self.name} has slots for {self.slots} versions, and all are taken ({', '.join(sorted(self.versions))}). "
                "Forget a version first, or start SGLang with a larger --max-loaded-loras"
            )
        body = {"lora_name": version, "lora_path": str(folder.absolute())}
        answer = await self.server.post("/load_lora_adapter", body)
        if not answer.ok and not _LOADED.search(answer.text):
            raise self.server.failure(
                f"it cannot load the adapter in {folder}. The folder must have the same path on the engine's machine, the "
                "engine's user must be allowed to read it, and SGLang needs --enable-lora",
                answer,
            )
        self.versions[version] = folder

    async def forget(self, version: str) -> None:
        await self._uses.end(version)
        if self.versions.pop(version, None) is not None:
            answer = await self.server.post("/unload_lora_adapter", {"lora_name": version})
            if not answer.ok and answer.status != 400:  # otherwise it is not there any more
                raise self.server.failure(f"version {version} could not be unloaded", answer)

    async def alive(self) -> bool:
        return await self.server.healthy()

    async def usage(self) -> EngineLoad:
        loads: _Loads = self.server.decoded(await self.server.get("/v1/loads", 10.0), _Loads)
        return EngineLoad(
            running=sum(load.num_running_reqs for load in loads.loads),
            waiting=sum(load.num_waiting_reqs for load in loads.loads),
            cache_used=sum(load.token_usage for load in loads.loads) / max(1, len(loads.loads)),
        )

    async def close(self) -> None:
        """Closes the connection. The server goes on."""
        await self.server.close()

    def _body(self, request: Generation, id: str) -> dict[str, Any]:
        asked = request.sampling
        sampling: dict[str, Any] = {
            "max_new_tokens": min(asked.max_tokens, self.window - len(request.ids)),
            "temperature": asked.temperature,
            "sampling_seed": request.seed & (2**63 - 1),
            "ignore_eos": True,  # only the tokens of the request end a reply
            "stop_token_ids": sorted(request.stop_ids),
        }
        if asked.temperature > 0:
            sampling |= {"top_p": asked.top_p, "top_k": asked.top_k or -1, "min_p": asked.min_p}
        if asked.stop:
            sampling["stop"] = asked.stop
        body: dict[str, Any] = {
            "rid": id,
            "input_ids": request.ids,
            "sampling_params": sampling,
            "return_logprob": True,
        }
        return {**body, "lora_path": request.version} if request.version else body

    def _completion(self, request: Generation, answer: Answer) -> Completion:
        """SGLang gives logprobs at the sampling temperature and before truncation, which are those of a turn."""
        done: _Generated = self.server.decoded(answer, _Generated)
        ids = one_object_each(done.output_ids)
        logprobs = [logprob for logprob, _, _ in done.meta_info.output_token_logprobs]
        finish = done.meta_info.finish_reason.type if done.meta_info.finish_reason else None
        if finish not in ("stop", "length") or not ids or len(logprobs) != len(ids):
            raise self.server.failure(
                f"the reply is incomplete ({len(ids)} ids, {len(logprobs)} logprobs, finish {finish})",
                answer,
            )
        if request.on_tokens is not None:
            request.on_tokens(ids)
        return Completion(ids, logprobs, "stop" if finish == "stop" else "length", version=request.version)
