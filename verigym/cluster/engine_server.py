"""Verigym's own engine, or a fake one, as a server: `python -m verigym.cluster.engine_server --model smollm2-135m --port 8000`.

It speaks the part of vLLM's token API that `VllmEngine` uses, so a cluster treats it like vLLM. It is for machines without vLLM,
for models that vLLM does not load, and for tests. With a key in the environment (VERIGYM_ENGINE_KEY), every path except /health
needs it. `--with-parent` ends the server when its standard input closes, which happens whenever the process that started it ends.
"""

import argparse
import asyncio
import hmac
import os
import sys
import threading
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from aiohttp import web
from msgspec import Meta, Struct

from verigym.cluster.received import ReceivedFolders
from verigym.core.errors import NotFound, VerigymError
from verigym.core.generation import Generation
from verigym.core.printable import warn
from verigym.core.records import Sampling
from verigym.policies.engines.one_version import ReplaceableEngine

OWNER = "verigym"
"""What `/v1/models` says, so that a client knows that logprobs are those at the sampling temperature."""
_LARGEST = 64 << 20
"""Maximum bytes of a request."""


class _SamplingParams(Struct, frozen=True):
    max_tokens: Annotated[int, Meta(ge=1)] = 16
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    seed: int = 0
    stop: list[str] = []
    stop_token_ids: list[int] = []


class _Generate(Struct, frozen=True):
    model: str
    token_ids: list[int]
    sampling_params: _SamplingParams = _SamplingParams()
    request_id: str = ""


class _Load(Struct, frozen=True):
    lora_name: str
    lora_path: str


class _Unload(Struct, frozen=True):
    lora_name: str


class _Weights(Struct, frozen=True):
    weights_path: str


class _Call(Struct, frozen=True):
    method: Literal["reload_weights"]
    kwargs: _Weights


class _Abort(Struct, frozen=True):
    request_ids: list[str]


class EngineService:
    """One engine behind HTTP. `name` is the model that it serves."""

    def __init__(self, engine: ReplaceableEngine, name: str, *, window: int, versions: int, key: str = "") -> None:
        self.engine, self.name, self.window, self.most, self._key = engine, name, window, versions, key
        self.versions: dict[str, Path] = {}
        self.served = 0
        """Completed requests."""
        self._running: dict[str, asyncio.Task[Any]] = {}
        self._received = ReceivedFolders()

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard], client_max_size=_LARGEST)
        app.add_routes(
            [
                web.get("/health", self._health),
                web.get("/v1/models", self._models),
                web.get("/metrics", self._metrics),
                web.post("/inference/v1/generate", self._generate),
                web.post("/inference/v1/abort_requests", self._abort),
                web.post("/v1/load_lora_adapter", self._load),
                web.post("/v1/unload_lora_adapter", self._unload),
                web.post("/pause", self._pause),
                web.post("/collective_rpc", self._replace),
                web.post("/reset_prefix_cache", self._nothing),
                web.post("/resume", self._resume),
                *self._received.routes(),
            ]
        )
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Any) -> web.StreamResponse:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if self._key and request.path != "/health" and not hmac.compare_digest(given.encode(), self._key.encode()):
            return _error(401, "The key is missing or wrong")
        try:
            return await handler(request)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            return _error(400, f"The request cannot be read ({error})")
        except NotFound as error:
            return _error(404, str(error))
        except VerigymError as error:
            return _error(400, str(error))

    async def _health(self, request: web.Request) -> web.Response:
        return web.Response(status=200 if await self.engine.alive() else 503)

    async def _models(self, request: web.Request) -> web.Response:
        base = {
            "id": self.name,
            "root": self.name,
            "parent": None,
            "max_model_len": self.window,
            "owned_by": OWNER,
        }
        loaded = [
            {"id": name, "root": str(path), "parent": self.name, "owned_by": OWNER}
            for name, path in self.versions.items()
        ]
        return web.json_response({"object": "list", "data": [base, *loaded]})

    async def _metrics(self, request: web.Request) -> web.Response:
        load = await self.engine.usage()
        lines = [
            f"vllm:num_requests_running {float(load.running)}",
            f"vllm:num_requests_waiting {float(load.waiting)}",
            f"vllm:kv_cache_usage_perc {load.cache_used}",
            f"vllm:request_success_total {float(self.served)}",
            f'vllm:lora_requests_info{{max_lora="{self.most}"}} 1.0',
        ]
        return web.Response(text="\n".join(lines) + "\n")

    async def _generate(self, request: web.Request) -> web.Response:
        asked = msgspec.json.decode(await request.read(), type=_Generate)
        version = "" if asked.model == self.name else asked.model
        if version and version not in self.versions:
            return _error(404, f"The model `{version}` does not exist.")
        if len(asked.token_ids) >= self.window:
            return _error(400, f"The prompt is longer than the maximum model length of {self.window} tokens")
        given = asked.sampling_params
        sampling = Sampling(
            temperature=given.temperature,
            max_tokens=given.max_tokens,
            top_p=given.top_p,
            top_k=given.top_k,
            min_p=given.min_p,
            stop=given.stop,
        )
        work = Generation(
            ids=asked.token_ids,
            sampling=sampling,
            seed=given.seed,
            version=version,
            stop_ids=frozenset(given.stop_token_ids),
        )
        task = asyncio.ensure_future(self.engine.generate(work))
        self._running[asked.request_id] = task
        try:
            done = await task
        except asyncio.CancelledError:
            if task.cancelled():
                return _error(499, "The request was aborted")
            raise
        finally:
            task.cancel()
            self._running.pop(asked.request_id, None)
        if done.finish == "context_full":
            return _error(400, f"The prompt is longer than the maximum model length of {self.window} tokens")
        self.served += 1
        logprobs = done.restricted or done.logprobs
        content = [{"token_id": id, "logprob": logprob} for id, logprob in zip(done.ids, logprobs, strict=True)]
        choice = {"token_ids": done.ids, "finish_reason": done.finish, "logprobs": {"content": content}}
        return web.Response(body=msgspec.json.encode({"choices": [choice]}), content_type="application/json")

    async def _abort(self, request: web.Request) -> web.Response:
        for id in msgspec.json.decode(await request.read(), type=_Abort).request_ids:
            task = self._running.get(id.removeprefix("generate-tokens-"))
            if task is not None:
                task.cancel()
        return web.Response()

    async def _load(self, request: web.Request) -> web.Response:
        asked = msgspec.json.decode(await request.read(), type=_Load)
        name, folder = asked.lora_name, Path(asked.lora_path)
        if name in self.versions:
            return _error(400, f"The lora adapter '{name}' has already been loaded.")
        if len(self.versions) >= self.most:
            return _error(400, f"All {self.most} slots for versions are taken ({', '.join(sorted(self.versions))})")
        if not (folder / "adapter_config.json").is_file():
            return _error(404, f"Loading lora {name} failed: No adapter found for {folder}")
        try:
            await self.engine.load(name, folder)
        finally:
            self._received.drop(folder)
        self.versions[name] = folder
        return web.Response(text="loaded")

    async def _unload(self, request: web.Request) -> web.Response:
        name = msgspec.json.decode(await request.read(), type=_Unload).lora_name
        if self.versions.pop(name, None) is None:
            return _error(404, f"The lora adapter '{name}' cannot be found.")
        await self.engine.forget(name)
        return web.Response(text="unloaded")

    async def _pause(self, request: web.Request) -> web.Response:
        """Holds new requests back and waits until those that run have ended."""
        await self.engine.pause()
        return web.Response()

    async def _replace(self, request: web.Request) -> web.Response:
        """Replaces all weights by those of a model in a folder. vLLM calls a method of its workers for it."""
        asked = msgspec.json.decode(await request.read(), type=_Call)
        folder = Path(asked.kwargs.weights_path)
        if not (folder / "config.json").is_file():
            return _error(400, f"No model found in {folder}")
        try:
            await self.engine.replace(folder)
        finally:
            self._received.drop(folder)
        return web.Response()

    async def _resume(self, request: web.Request) -> web.Response:
        await self.engine.resume()
        return web.Response()

    async def _nothing(self, request: web.Request) -> web.Response:
        """The cache of old weights ends when they are replaced."""
        return web.Response()


def _error(status: int, message: str) -> web.Response:
    return web.json_response({"error": {"message": message, "code": status}}, status=status)


def make_service(
    kind: str, model: str, *, max_batch: int, versions: int, key: str, quantized: str, fake: str
) -> EngineService:
    """The service of an engine of this kind. `fake` has the settings of a fake one as JSON."""
    if kind == "fake":
        from verigym.policies.engines.fake import FakeEngine

        given: dict[str, Any] = {"slots": max_batch, "versions": versions + 1}
        for name, value in msgspec.json.decode(fake or "{}", type=dict[str, Any]).items():
            given[name] = tuple(value) if isinstance(value, list) else value
        engine = FakeEngine(**given)
        return EngineService(engine, model, window=given.get("window", 1 << 20), versions=versions, key=key)
    from verigym.policies.local.policy import LocalPolicy

    policy = LocalPolicy.open(model, quantized="nf4" if quantized else "")
    policy.engine.max_batch = max_batch
    return EngineService(policy.engine, model, window=policy.engine.window, versions=versions, key=key)


async def serve(service: EngineService, host: str, port: int) -> web.AppRunner:
    runner = web.AppRunner(service.app(), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    await web.TCPSite(runner, host, port, backlog=1024).start()
    return runner


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)  # a thread of torch may still run, and nothing of this process is worth keeping


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve Verigym's engine, or a fake one, over HTTP")
    parser.add_argument("--kind", choices=("local", "fake"), default="local")
    parser.add_argument("--model", required=True)
    parser.add_argument("--name", default="", help="Name of the model in requests, if it is not --model")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--max-batch", type=int, default=256)
    parser.add_argument("--versions", type=int, default=4)
    parser.add_argument("--quantized", default="")
    parser.add_argument("--fake", default="", help="Settings of the fake engine as JSON")
    parser.add_argument("--with-parent", action="store_true", help="End when standard input closes")
    given = parser.parse_args()
    if given.with_parent:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    service = make_service(
        given.kind,
        given.model,
        max_batch=given.max_batch,
        versions=given.versions,
        key=os.environ.get("VERIGYM_ENGINE_KEY", "").strip(),
        quantized=given.quantized,
        fake=given.fake,
    )
    service.name = given.name or given.model

    async def run() -> None:
        runner = await serve(service, given.host, given.port)
        warn(f"{service.name} at http://{given.host}:{given.port}")
        try:
            await asyncio.Event().wait()
        finally:
            await runner.cleanup()

    try:
        asyncio.run(run())
    except KeyboardInterrupt:
        pass
    except VerigymError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
