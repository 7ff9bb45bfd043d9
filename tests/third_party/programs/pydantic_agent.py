"""pydantic-ai, with the tools of an MCP server."""

import os
import sys

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset


def main(prompt: str) -> None:
    shop = MCPToolset(os.environ["VERIGYM_MCP_URL"])
    agent = Agent("openai-chat:verigym", instructions=os.environ["VERIGYM_SYSTEM"], toolsets=[shop])
    print(agent.run_sync(prompt).output)


if __name__ == "__main__":
    main(sys.argv[1])
