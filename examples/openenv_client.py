"""A client of OpenEnv plays a task: `verigym serve-env workplace --as openenv`, then `python examples/openenv_client.py`.

It needs `pip install openenv==0.10.0`, and not Verigym. The agent here looks at its tools and says that it is done.
"""

# pyright: reportMissingImports=false
import asyncio
import sys

from openenv.core import GenericEnvClient


async def main(url: str) -> None:
    async with GenericEnvClient(base_url=url) as env:
        result = await env.reset(seed=0)  # or task_id="..."
        print(result.observation["messages"][-1]["content"])
        print("tools:", ", ".join(tool["function"]["name"] for tool in result.observation["tools"]))
        # A call is {"tool_name": "email-send", "arguments": {...}}. The reward comes with the last step.
        result = await env.step({"text": "Done."})
        print("reward:", result.reward, result.metadata["evidence"])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8500"))
