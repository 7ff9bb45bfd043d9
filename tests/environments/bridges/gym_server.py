"""A small resources server that speaks NeMo Gym's protocol: a counter for each session, and a verdict on its value."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web

TOOL = {
    "type": "function",
    "name": "add",
    "description": "Add a number.",
    "parameters": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
    "strict": False,
}


def row(target: int, **more: Any) -> dict[str, Any]:
    params = {"input": [{"role": "user", "content": f"Count to {target}."}], "tools": [TOOL]}
    truth = [{"name": "add", "arguments": json.dumps({"number": target})}]
    return {"responses_create_params": params, "ground_truth": truth, "target": target, **more}


def write_rows(path: Path, *rows: Any) -> str:
    path.write_text("".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in rows))
    return str(path)


class GymServer:
    """`stateful`: the verdict reads the session. Otherwise it adds up the calls of the record."""

    def __init__(self, *, stateful: bool) -> None:
        self.stateful = stateful
        self.sessions: dict[str, int] = {}
        self.bodies: list[dict[str, Any]] = []
        self.broken = ""
        """Path that answers 500, or hangs with `hang`."""
        self.hangs = False

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        path, key = request.path, request.cookies.get("session", "")
        if path == self.broken:
            if self.hangs:
                await asyncio.sleep(3600)
            return web.Response(status=500, text="broken")
        if path == "/seed_session":
            key = secrets.token_hex(8)
            self.sessions[key] = 0
            answer = web.json_response({})
            answer.set_cookie("session", key)
            return answer
        if path == "/verify":
            self.bodies.append(body)
            return web.json_response({**body, "reward": self.reward(body, key)})
        if key not in self.sessions:
            return web.Response(status=400, text='{"detail": "no session"}')
        if body["number"] < 0:
            return web.Response(status=422, text='{"detail": "negative"}')
        self.sessions[key] += body["number"]
        return web.json_response({"output": self.sessions[key]})

    def reward(self, body: dict[str, Any], key: str) -> float:
        if self.stateful:
            return float(self.sessions.get(key, -1) == body["target"])
        calls = [item for item in body["response"]["output"] if item["type"] == "function_call"]
        return float(sum(json.loads(call["arguments"])["number"] for call in calls) == body["target"])

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        app = web.Application()
        app.router.add_post("/{name}", self.answer)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}"
        finally:
            await runner.cleanup()
