"""A small server that speaks the JSON of vLLM 0.32, with a fake engine behind it. Formats were read from its source."""

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from aiohttp import web

from verigym.core.generation import Generation
from verigym.core.records import Sampling
from verigym.policies.engines.fake import FakeEngine

KEY = "engine-key-4711"


class VllmServer:
    """Answers as vLLM does. Its attributes make it wrong in one way each."""

    def __init__(
        self, *, max_loras: int = 3, scale_out: bool = True, processed: bool = True, lora: bool = True
    ) -> None:
        self.engine = FakeEngine(slots=16, versions=max_loras)
        self.max_loras, self.scale_out, self.processed, self.lora = max_loras, scale_out, processed, lora
        self.bodies: list[dict[str, Any]] = []
        self.aborted: list[str] = []
        self.keys: list[str | None] = []
        self.named_ids = False
        """Write ids as `token_id:7`, as vLLM 0.24 does, instead of numbers."""
        self.resets = 0
        """How often the prefix cache was emptied."""
        self.dev_mode = True
        self.hang = asyncio.Event()
        self.hangs: set[str] = set()
        """Paths that never answer."""
        self.canned: web.Response | None = None
        """The answer of every generation, if set."""

    @web.middleware
    async def before(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.keys.append(request.headers.get("Authorization"))
        if request.path in self.hangs:
            await self.hang.wait()
        return await handler(request)

    async def models(self, request: web.Request) -> web.Response:
        base = {"id": "base", "object": "model", "root": "/models/qwen-0.5b", "parent": None, "max_model_len": 1024}
        adapters = [{"id": name, "root": str(path), "parent": "base"} for name, path in self.engine.versions.items()]
        return web.json_response({"object": "list", "data": [base, *adapters]})

    async def generate(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.bodies.append(body)
        if not self.scale_out:
            return _error(403, "Scale-out endpoints are disabled")
        if self.canned is not None:
            return web.Response(status=self.canned.status, body=self.canned.body, content_type="application/json")
        version = "" if body["model"] == "base" else body["model"]
        if version and version not in self.engine.versions:
            return _error(404, f"The model `{version}` does not exist.")
        asked = body["sampling_params"]
        done = await self.engine.generate(
            Generation(
                ids=body["token_ids"],
                seed=asked["seed"],
                version=version,
                sampling=Sampling(max_tokens=asked["max_tokens"]),
                stop_ids=frozenset(asked.get("stop_token_ids", ())),
            )
        )
        if not 0 <= asked["temperature"] <= 2:
            return _error(400, f"temperature must be in [0, 2], got {asked['temperature']}.")
        heat = asked["temperature"] if self.processed and asked["temperature"] else 1.0
        logits = [4.0 / heat, 3.0 / heat, 1.5 / heat, 0.5 / heat, -1.0 / heat]
        best = [logit - math.log(sum(map(math.exp, logits))) for logit in logits]
        top = [{"token_id": n, "logprob": value, "rank": n + 1} for n, value in enumerate(best[: asked["logprobs"]])]
        content = [
            {"token_id": id, "logprob": logprob, "rank": 1, "top_logprobs": top}
            for id, logprob in zip(done.ids, done.logprobs, strict=True)
        ]
        if self.named_ids:
            content = [_named(place) for place in content]
        choice = {
            "index": 0,
            "finish_reason": done.finish,
            "stop_reason": None,
            "token_ids": done.ids,
            "logprobs": {"content": content},
            "weight_versions": [{"version": "default", "start": 0, "end": len(done.ids)}],
        }
        return web.json_response({"request_id": f"generate-tokens-{body.get('request_id')}", "choices": [choice]})

    async def load(self, request: web.Request) -> web.Response:
        body = await request.json()
        name, folder = body["lora_name"], Path(body["lora_path"])
        if not self.lora:
            return web.json_response({"detail": "Not Found"}, status=404)
        if name in self.engine.versions:
            return _error(
                400, f"The lora adapter '{name}' has already been loaded. If you want to load the adapter in place"
            )
        if not (folder / "adapter_config.json").exists():
            return _error(404, f"Loading lora {name} failed: No adapter found for {folder}")
        await self.engine.load(name, folder)
        return web.Response(text=f"Success: LoRA adapter '{name}' added successfully.")

    async def unload(self, request: web.Request) -> web.Response:
        name = (await request.json())["lora_name"]
        if self.engine.versions.pop(name, None) is None:
            return _error(404, f"The lora adapter '{name}' cannot be found.")
        return web.Response(text=f"Success: LoRA adapter '{name}' removed successfully.")

    async def abort(self, request: web.Request) -> web.Response:
        self.aborted += (await request.json())["request_ids"]
        return web.Response()

    async def metrics(self, request: web.Request) -> web.Response:
        lines = [
            "# HELP vllm:num_requests_running Number of requests in model execution batches.",
            'vllm:num_requests_running{engine="0",model_name="base"} 3.0',
            'vllm:num_requests_waiting{engine="0",model_name="base"} 2.0',
            'vllm:num_requests_waiting_by_reason{engine="0",model_name="base",reason="capacity"} 2.0',
            'vllm:kv_cache_usage_perc{engine="0",model_name="base"} 0.25',
        ]
        if self.lora:
            lines.append(
                f'vllm:lora_requests_info{{max_lora="{self.max_loras}",running_lora_adapters="",'
                'waiting_lora_adapters=""} 1.7e+09'
            )
        return web.Response(text="\n".join(lines) + "\n")

    async def pause(self, request: web.Request) -> web.Response:
        assert request.query["mode"] == "wait"
        await self.engine.pause()
        return web.json_response({"status": "paused"})

    async def resume(self, request: web.Request) -> web.Response:
        await self.engine.resume()
        return web.json_response({"status": "resumed"})

    async def rpc(self, request: web.Request) -> web.Response:
        body = await request.json()
        folder = Path(body["kwargs"]["weights_path"])
        if body["method"] != "reload_weights" or not folder.exists():
            return _error(500, f"Cannot find any model weights with `{folder}`")
        await self.engine.replace(folder)
        return web.json_response({"results": [None]})

    async def reset(self, request: web.Request) -> web.Response:
        self.resets += 1
        return web.json_response({"success": True})

    async def health(self, request: web.Request) -> web.Response:
        return web.Response()


def _named(place: dict[str, Any]) -> dict[str, Any]:
    top = [_named(one) for one in place.get("top_logprobs", [])]
    return {"token": f"token_id:{place['token_id']}", "logprob": place["logprob"], "bytes": None, "top_logprobs": top}


def _error(status: int, message: str) -> web.Response:
    return web.json_response({"error": {"message": message, "type": "BadRequestError", "code": status}}, status=status)


def routes(server: VllmServer) -> list[web.RouteDef]:
    dev = [
        web.post("/pause", server.pause),
        web.post("/resume", server.resume),
        web.post("/collective_rpc", server.rpc),
        web.post("/reset_prefix_cache", server.reset),
    ]
    return [
        *(dev if server.dev_mode else []),
        web.get("/v1/models", server.models),
        web.get("/health", server.health),
        web.get("/metrics", server.metrics),
        web.post("/inference/v1/generate", server.generate),
        web.post("/inference/v1/abort_requests", server.abort),
        web.post("/v1/load_lora_adapter", server.load),
        web.post("/v1/unload_lora_adapter", server.unload),
    ]


@contextlib.asynccontextmanager
async def serving(server: VllmServer) -> AsyncIterator[str]:
    """The server's address."""
    app = web.Application(middlewares=[server.before])
    app.add_routes(routes(server))
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
