"""Runs NeMo Gym's own simple_agent with a scripted model against a resources server, in the virtual environment of the bridge.

    python nemo_agent.py URL EPISODES.json     # [{"row": ..., "replies": [[{"name", "arguments"}], "Done."]}, ...]

Prints the reward of each episode and the aggregated metrics as one line of JSON. It checks rows and answers with their types.
"""

import asyncio
import importlib
import json
import os
import socket
import sys
import threading
import time
import types
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

EPISODES: list[dict[str, Any]] = []


def stand_in() -> None:
    """The stand-ins of the bridge, for what nemo_gym imports and does not use here."""
    folder = Path(__file__).parents[2] / "verigym" / "environments" / "bridges"
    source = (folder / "nemogym_server.py").read_text().split("def main")[0]
    server: Any = types.ModuleType("nemogym_server")
    exec(compile(source, "nemogym_server.py", "exec"), vars(server))
    for name in server._STAND_INS:
        try:
            importlib.import_module(name)
        except ImportError:
            sys.modules[name] = server._StandIn(name)


def model_app() -> Any:
    """A model that says what the episode's script says. The metadata of a row name the episode."""
    fastapi: Any = importlib.import_module("fastapi")
    app = fastapi.FastAPI()

    async def responses(request: Any) -> dict[str, Any]:
        body = await request.json()
        replies = EPISODES[int(body["metadata"]["episode"])]["replies"]
        done = sum(1 for item in body["input"] if item.get("type") == "function_call_output")
        reply = replies[min(done, len(replies) - 1)]
        if isinstance(reply, str):
            part = {"type": "output_text", "text": reply, "annotations": []}
            output = [{"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}]
        else:
            head = {"type": "function_call", "call_id": f"c{done}", "id": f"f{done}", "status": "completed"}
            output = [{**head, **each} for each in reply]
        head = {
            "id": "r",
            "created_at": 0.0,
            "model": "scripted",
            "object": "response",
            "tools": [],
            "tool_choice": "auto",
        }
        return {**head, "parallel_tool_calls": False, "output": output}

    responses.__annotations__["request"] = fastapi.Request
    app.post("/v1/responses")(responses)
    return app


def serve(app: Any) -> int:
    uvicorn: Any = importlib.import_module("uvicorn")
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    return listening.getsockname()[1]


async def main(url: str, file: str) -> None:
    stand_in()
    base: Any = importlib.import_module("nemo_gym.base_resources_server")
    config_types: Any = importlib.import_module("nemo_gym.config_types")
    utils: Any = importlib.import_module("nemo_gym.server_utils")
    agents: Any = importlib.import_module("responses_api_agents.simple_agent.app")
    omegaconf: Any = importlib.import_module("omegaconf")
    aiohttp: Any = importlib.import_module("aiohttp")
    EPISODES.extend(json.loads(Path(file).read_text()))
    place = urlsplit(url)
    addresses = {
        "env": {"resources_servers": {"env": {"host": place.hostname, "port": place.port}}},
        "model": {"responses_api_models": {"model": {"host": "127.0.0.1", "port": serve(model_app())}}},
        "agent": {"responses_api_agents": {"agent": {"host": "127.0.0.1", "port": 0}}},
    }
    known = omegaconf.OmegaConf.create(addresses)
    importlib.import_module("nemo_gym.global_config")._GLOBAL_CONFIG_DICT = known  # type: ignore[attr-defined]
    client = utils.ServerClient(
        head_server_config=config_types.BaseServerConfig(host="127.0.0.1", port=0), global_config_dict=known
    )
    refs = {
        "resources_server": {"type": "resources_servers", "name": "env"},
        "model_server": {"type": "responses_api_models", "name": "model"},
    }
    settings = {"host": "127.0.0.1", "port": 0, "entrypoint": "", "name": "agent", **refs}
    agent = agents.SimpleAgent(config=agents.SimpleAgentConfig.model_validate(settings), server_client=client)
    known.agent.responses_api_agents.agent.port = serve(agent.setup_webserver())
    run = f"http://127.0.0.1:{known.agent.responses_api_agents.agent.port}/run"
    answers = []
    async with aiohttp.ClientSession() as http:
        for number, episode in enumerate(EPISODES):
            row = episode["row"]
            row["responses_create_params"]["metadata"] = {"episode": str(number)}
            base.BaseRunRequest.model_validate(row)
            async with http.post(run, json=row) as answer:
                assert answer.status == 200, await answer.text()
                answers.append(await answer.json())
                base.BaseVerifyResponse.model_validate(answers[-1])
        async with http.post(f"{url}/aggregate_metrics", json={"verify_responses": answers}) as answer:
            metrics = config_types.AggregateMetrics.model_validate(await answer.json())
    print(json.dumps({"rewards": [each["reward"] for each in answers], "metrics": metrics.key_metrics}), flush=True)
    os._exit(0)  # their client cannot be closed on another event loop


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
