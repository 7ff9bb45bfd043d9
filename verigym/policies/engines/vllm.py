"""A vLLM server as an engine, by its API for tokens (`/inference/v1/generate`). It does not start the server.

Each version is a LoRA adapter under a name of its own, so a new version needs neither a pause nor an empty cache, and running
requests keep theirs. The formats are those of vLLM 0.32. The server needs these flags: `--enable-scale-out` for tokens,
`--logprobs-mode processed_logprobs`, and for versions `--enable-lora` with VLLM_ALLOW_RUNTIME_LORA_UPDATING=1.
"""

import asyncio
import contextlib
import functools
import re
import uuid
from pathlib import Path
from typing import Any

from msgspec import Struct

from verigym.core.errors import BadInput, InfrastructureFailure, not_found
from verigym.core.generation import Completion, EngineLoad, Generation, one_object_each
from verigym.policies.engines.http import Answer, EngineServer, check_request
from verigym.policies.engines.upload import sent
from verigym.policies.engines.uses import VersionUses

_ABORTED = "generate-tokens-"
"""What vLLM puts before the id of a request."""
_LOADED = re.compile(r"already been loaded")
_CONTEXT = re.compile(
    r"(?i)context length|maximum model length|max_model_len|prompt is too long|longer than the maximum"
)
_HOT = 2.0
"""The highest temperature that vLLM takes. At it, logprobs are half as far apart if they are those at the temperature."""


class _Model(Struct):
    id: str
    root: str | None = None
    parent: str | None = None
    max_model_len: int | None = None
    owned_by: str | None = None


class _Models(Struct):
    data: list[_Model]


class _Logprob(Struct):
    logprob: float
    token_id: int | None = None
    token: str = ""
    """`token_id:7` in releases that do not give `token_id`."""
    top_logprobs: list["_Logprob"] = []

    @property
    def id(self) -> int:
        return int(self.token.rpartition(":")[2]) if self.token_id is None else self.token_id


class _Logprobs(Struct):
    content: list[_Logprob] | None = None


class _Choice(Struct):
    token_ids: list[int] | None = None
    logprobs: _Logprobs | None = None
    finish_reason: str | None = None


class _Choices(Struct):
    choices: list[_Choice]


class VllmEngine:
    """A vLLM server: `engine = await VllmEngine.connect("http://localhost:8000", model="qwen")`.

    `max_batch` is the maximum useful number of concurrent requests. `slots` is the number of versions that the server can hold
    (`--max-cpu-loras`). If it is left out, it is what the server says (`--max-loras`). `key_env` names the environment variable
    with the key of the server (`--api-key`).
    """

    def __init__(
        self, address: str, *, model: str, window: int, slots: int, max_batch: int = 256,
        key_env: str = "VERIGYM_ENGINE_KEY", timeout_s: float = 3600.0,
    ) -> None:  # fmt: skip
        self.server = EngineServer(address, key_env)
        self.name = self.server.address
        self.model, self.window, self.slots, self.max_batch = model, window, slots, max_batch
        self.versions: dict[str, Path] = {}
        self.takes_files = False
        """Whether the weights can be sent. vLLM reads them from a path that both machines see."""
        self.replaces_with = "reload_weights"
        """The method of a worker of vLLM that replaces all weights. `VllmProcess` adds a better one."""
        self._timeout_s = timeout_s
        self._uses = VersionUses()

    @classmethod
    async def connect(
        cls, address: str, *, model: str = "", slots: int | None = None, versions: int = 0, max_batch: int = 256,
        key_env: str = "VERIGYM_ENGINE_KEY", timeout_s: float = 3600.0,
    ) -> "VllmEngine":  # fmt: skip
        """Connects to a server and checks it: that it serves `model`, takes tokens, gives the logprobs that training needs, and
        has slots for this many `versions` at once. A wrong setup is an error that names the flag."""
        engine = cls(
            address, model=model, window=0, slots=0, max_batch=max_batch, key_env=key_env, timeout_s=timeout_s
        )  # fmt: skip
        try:
            found = _served(engine.server, await engine.server.get("/v1/models"), model)
            engine.model, engine.window = found.id, found.max_model_len or 1 << 30
            engine.takes_files = found.owned_by == "verigym"
            if not engine.takes_files:  # our own server has the right ones
                await engine._check_logprobs()
            engine.slots = await engine._lora_slots() if slots is None else slots
            if engine.slots < versions:
                raise BadInput(
                    f"{engine.name} has slots for {engine.slots} versions, and {versions} are needed. Start vLLM with "
                    f"VLLM_ALLOW_RUNTIME_LORA_UPDATING=1 and --enable-lora --max-loras {versions} --max-cpu-loras {versions}"
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
                answer = await self.server.post("/inference/v1/generate", body, self._timeout_s)
            except asyncio.CancelledError:
                self.server.send(
                    "/inference/v1/abort_requests", {"request_ids": [_ABORTED + id]}
                )  # so that it holds no slot
                raise
        if answer.status == 400 and _CONTEXT.search(answer.text):
            return Completion([], [], "context_full", version=request.version)
        if answer.status == 404 and request.version:
            self.versions.pop(request.version, None)
            raise not_found("loaded version", request.version, self.versions, f"The server says: {answer.text}")
        return self._completion(request, answer)

    async def load(self, version: str, folder: Path) -> None:
        if version not in self.versions and len(self.versions) >= self.slots:
            raise BadInput(
                f"{self.name} has slots for {self.slots} versions, and all are taken ({', '.join(sorted(self.versions))}). "
                "Forget a version first, or start vLLM with a larger --max-loras and --max-cpu-loras"
            )
        body = {"lora_name": version, "lora_path": await self._there(folder)}
        answer = await self.server.post("/v1/load_lora_adapter", body)
        if not answer.ok and not (answer.status == 400 and _LOADED.search(answer.text)):
            raise self._load_failure(folder, answer)
        self.versions[version] = folder

    async def _there(self, folder: Path) -> str:
        """The path of a folder on the machine of the server."""
        return await sent(self.server, folder) if self.takes_files else str(folder.absolute())

    def _load_failure(self, folder: Path, answer: Answer) -> InfrastructureFailure:
        if answer.status == 404 and "Not Found" in answer.text:
            return self.server.failure(
                "it does not load versions. Start vLLM with VLLM_ALLOW_RUNTIME_LORA_UPDATING=1 and --enable-lora",
                answer,
            )
        unreadable = f"it cannot read the adapter in {folder}"
        hint = "The folder must have the same path on the engine's machine, and the engine's user must be allowed to read it"
        closed = _closed(folder)
        if closed:
            hint += f". Other users cannot read {closed}. Run: chmod -R a+rX {folder}"
        return self.server.failure(f"{unreadable}. {hint}", answer)

    async def forget(self, version: str) -> None:
        await self._uses.end(version)
        if self.versions.pop(version, None) is not None:
            answer = await self.server.post("/v1/unload_lora_adapter", {"lora_name": version})
            if not answer.ok and answer.status not in (400, 404):  # otherwise it is not there any more
                raise self.server.failure(f"version {version} could not be unloaded", answer)

    async def forget_left(self, prefix: str) -> None:
        """Unloads versions whose names begin with `prefix`, which a process that was killed left on the server."""
        models: _Models = self.server.decoded(await self.server.get("/v1/models"), _Models)
        for one in models.data:
            if one.parent is not None and one.id.startswith(prefix) and one.id not in self.versions:
                await self.server.post("/v1/unload_lora_adapter", {"lora_name": one.id})

    async def pause(self) -> None:
        """Holds new requests back and waits until those that run have ended."""
        await self._control("/pause?mode=wait", {}, self._timeout_s)

    async def replace(self, folder: Path) -> None:
        """Loads all weights from a folder with a model, and drops the prefix cache. Only while paused."""
        body = {"method": self.replaces_with, "kwargs": {"weights_path": await self._there(folder)}}
        await self._control("/collective_rpc", body, self._timeout_s)
        await self._control("/reset_prefix_cache", {})

    async def resume(self) -> None:
        """Lets requests run again."""
        await self._control("/resume", {})

    async def _control(self, path: str, body: Any, timeout_s: float = 60.0) -> None:
        answer = await self.server.post(path, body, timeout_s)
        if answer.status == 404:
            raise self.server.failure("its weights cannot be replaced. Start vLLM with VLLM_SERVER_DEV_MODE=1", answer)
        if not answer.ok:
            raise self.server.failure(f"{path.partition('?')[0]} has HTTP status {answer.status}", answer)

    async def alive(self) -> bool:
        return await self.server.healthy()

    async def usage(self) -> EngineLoad:
        figures = _metrics(await self._metrics_text())
        return EngineLoad(
            running=round(figures.get("vllm:num_requests_running", 0.0)),
            waiting=round(figures.get("vllm:num_requests_waiting", 0.0)),
            cache_used=figures.get("vllm:kv_cache_usage_perc", 0.0),
        )

    async def close(self) -> None:
        """Closes the connection. The server goes on."""
        await self.server.close()

    def _body(self, request: Generation, id: str) -> dict[str, Any]:
        asked = request.sampling
        sampling: dict[str, Any] = {
            "max_tokens": min(asked.max_tokens, self.window - len(request.ids)),
            "temperature": asked.temperature,
            "seed": request.seed & (2**63 - 1),
            "logprobs": 0,
            "ignore_eos": True,  # only the tokens of the request end a reply
            "stop_token_ids": sorted(request.stop_ids),
        }
        if asked.temperature > 0:
            sampling |= {"top_p": asked.top_p, "top_k": asked.top_k, "min_p": asked.min_p}
        if asked.stop:
            sampling["stop"] = asked.stop
        model = request.version or self.model
        return {"model": model, "request_id": id, "token_ids": request.ids, "sampling_params": sampling}

    def _completion(self, request: Generation, answer: Answer) -> Completion:
        if answer.status == 403:
            raise self.server.failure("it does not take tokens. Start vLLM with --enable-scale-out", answer)
        choices: _Choices = self.server.decoded(answer, _Choices)
        choice = choices.choices[0] if choices.choices else _Choice()
        ids = one_object_each(choice.token_ids or [])
        content = (choice.logprobs.content if choice.logprobs else None) or []
        logprobs = [one.logprob for one in content]
        if choice.finish_reason not in ("stop", "length") or not ids or len(logprobs) != len(ids):
            raise self.server.failure(
                f"the reply is incomplete ({len(ids)} ids, {len(logprobs)} logprobs, finish {choice.finish_reason})",
                answer,
            )
        if request.on_tokens is not None:
            request.on_tokens(ids)
        asked = request.sampling
        restricted = asked.temperature > 0 and (asked.top_p < 1 or asked.top_k > 0 or asked.min_p > 0)
        return Completion(
            ids, [] if restricted else logprobs, choice.finish_reason, logprobs if restricted else [], request.version
        )  # fmt: skip

    async def _check_logprobs(self) -> None:
        """Samples one token greedily and one at a high temperature, and compares the logprobs of the same tokens."""
        greedy, hot = await self._best(0.0), await self._best(_HOT)
        both = sorted(greedy.keys() & hot.keys(), key=greedy.__getitem__)
        if len(both) < 2 or (hot[both[-1]] - hot[both[0]]) > 0.75 * (greedy[both[-1]] - greedy[both[0]]) > 1e-3:
            raise BadInput(
                f"{self.name} does not give logprobs at the sampling temperature. Start vLLM with --logprobs-mode "
                "processed_logprobs"
            )

    async def _best(self, temperature: float) -> dict[int, float]:
        """Logprobs of the most likely first tokens after a short prompt."""
        sampling = {"max_tokens": 1, "temperature": temperature, "seed": 0, "logprobs": 5, "ignore_eos": True}
        body = {"model": self.model, "token_ids": [1, 2, 3], "sampling_params": sampling}
        answer = await self.server.post("/inference/v1/generate", body, 300.0)
        if answer.status == 403:
            raise self.server.failure("it does not take tokens. Start vLLM with --enable-scale-out", answer)
        choices: _Choices = self.server.decoded(answer, _Choices)
        content = [one for choice in choices.choices if choice.logprobs for one in choice.logprobs.content or []]
        return {one.id: one.logprob for place in content[:1] for one in place.top_logprobs}

    async def _lora_slots(self) -> int:
        found = re.search(r'^vllm:lora_requests_info\{[^}]*max_lora="(\d+)"', await self._metrics_text(), re.MULTILINE)
        return int(found[1]) if found else 0

    async def _metrics_text(self) -> str:
        answer = await self.server.get("/metrics", 10.0)
        if not answer.ok:
            raise self.server.failure(f"/metrics has HTTP status {answer.status}", answer)
        return answer.body.decode(errors="replace")


def _served(server: EngineServer, answer: Answer, wanted: str) -> _Model:
    """The base model of the server, which must be the wanted one: its name, its path, or the last part of its path."""
    models: _Models = server.decoded(answer, _Models)
    bases = [one for one in models.data if one.parent is None]
    for one in bases:
        path = one.root or one.id
        if wanted in ("", one.id, path, path.rstrip("/").rpartition("/")[2]):
            return one
    names = ", ".join(f"{one.id} ({one.root})" for one in bases) or "no model"
    raise BadInput(
        f'{server.address} serves {names}, not "{wanted}". Start vLLM with --model {wanted}, or use its address'
    )


def _metrics(text: str) -> dict[str, float]:
    """Figures by name, without their labels. Figures of the same name are added."""
    figures: dict[str, float] = {}
    for line in text.splitlines():
        found = re.fullmatch(r"(vllm:[a-z_]+)(?:\{.*\})? ([0-9.eE+-]+)", line)
        if found:
            figures[found[1]] = figures.get(found[1], 0.0) + float(found[2])
    return figures


def _closed(folder: Path) -> str:
    """The first file of an adapter that other users cannot read."""
    with contextlib.suppress(OSError):
        for path in sorted(folder.iterdir()):
            if not path.stat().st_mode & 0o004:
                return path.name
    return ""
