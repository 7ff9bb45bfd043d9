"""Runs episodes with verifiers' own environment and interception server: `python verifiers_play.py ENVIRONMENT REPLIES.json`.

The file holds plays. A play has the replies of each task, in order of the tasks. A local server answers with them. Prints the
rewards of each play as one line of JSON.
"""

import asyncio
import json
import sys
from pathlib import Path

import verifiers.v1 as vf
from aiohttp import web
from verifiers.v1.clients import ModelContext
from verifiers.v1.configs.client import EvalClientConfig
from verifiers.v1.envs.single_agent import SingleAgentEnvConfig
from verifiers.v1.utils.loaders import load_environment

SCRIPT = {}


async def complete(request):
    """Answers with the next reply of the task that the prompt names."""
    body = await request.json()
    prompt = next(message["content"] for message in body["messages"] if message["role"] == "user")
    if isinstance(prompt, list):
        prompt = "".join(part["text"] for part in prompt)
    turn = sum(message["role"] == "assistant" for message in body["messages"])
    replies = SCRIPT[prompt]
    reply = replies[min(turn, len(replies) - 1)]
    message = {"role": "assistant", "content": reply[0] if isinstance(reply[0], str) else None}
    if not isinstance(reply[0], str):
        message["tool_calls"] = [
            {"id": f"c{turn}_{i}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for i, (name, arguments) in enumerate(reply)
        ]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if message.get("tool_calls") else "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return web.json_response(
        {"id": "r", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}
    )


async def main(environment, file):
    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/v1"
    taskset = {"id": "verigym-taskset", "environment": environment, "split": "val"}
    here = {"runtime": {"type": "subprocess"}}  # by default, verifiers asks a service for a sandbox
    env = load_environment(SingleAgentEnvConfig.model_validate({"taskset": taskset, "agent": here}))
    client = EvalClientConfig(base_url=url)
    ctx = ModelContext(model="m", client=client, sampling=vf.SamplingConfig())
    async with env.serving():
        for play in json.loads(Path(file).read_text()):
            tasks = [task for task, _ in zip(env.taskset, play, strict=False)]
            SCRIPT.update({task.data.prompt: replies for task, replies in zip(tasks, play, strict=True)})
            episodes = await asyncio.gather(*(env.run_episode(task, ctx) for task in tasks))
            for episode in episodes:
                assert episode.ok, [*episode.errors, *(error for trace in episode.traces for error in trace.errors)]
            traces = [episode.traces[0] for episode in episodes]
            print(
                json.dumps([{"reward": trace.reward, **trace.metrics, "turns": trace.num_turns} for trace in traces]),
                flush=True,
            )
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
