"""LangGraph, with langchain's agent and the tools of an MCP server."""

import asyncio
import os
import sys

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI


async def main(prompt: str) -> None:
    client = MultiServerMCPClient({"shop": {"transport": "streamable_http", "url": os.environ["VERIGYM_MCP_URL"]}})
    model = ChatOpenAI(model="verigym")  # reads OPENAI_BASE_URL
    agent = create_agent(model, await client.get_tools(), system_prompt=os.environ["VERIGYM_SYSTEM"])
    state = await agent.ainvoke({"messages": [("user", prompt)]})
    print(state["messages"][-1].content)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
