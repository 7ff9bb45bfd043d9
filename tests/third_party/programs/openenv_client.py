"""Plays episodes with OpenEnv's own client, all at once: `python openenv_client.py URL EPISODES.json`.

An episode is `{"task", "actions"}`. Prints reward, done and metadata of each as one line of JSON.
"""

import asyncio
import json
import sys
from pathlib import Path

from openenv.core import GenericEnvClient


async def play(url, episode, ready):
    async with GenericEnvClient(base_url=url) as env:
        result = await env.reset(task_id=episode["task"])
        assert result.observation["messages"] and not result.done
        await ready.wait()  # all sessions are open now
        for action in episode["actions"]:
            sent = {"text": action} if isinstance(action, str) else {"tool_name": action[0], "arguments": action[1]}
            result = await env.step(sent)
            if result.done:
                break
        state = await env.state()
        return {"reward": result.reward, "done": result.done, "passed": result.metadata["passed"], "state": state}


async def main(url, file):
    episodes = json.loads(Path(file).read_text())
    ready = asyncio.Barrier(len(episodes))
    results = await asyncio.gather(*(play(url, each, ready) for each in episodes))
    print(json.dumps(results))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
