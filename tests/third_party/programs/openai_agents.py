"""openai-agents: `responses` (its default) or `chat`, with `-helper` for a second agent that has the first as a tool, or with
`-twice` for a second question in the same conversation."""

import asyncio
import os
import sys

from agents import Agent, Model, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from openai import AsyncOpenAI


async def main(kind: str, prompt: str) -> None:
    set_tracing_disabled(True)
    client = AsyncOpenAI()  # reads OPENAI_BASE_URL
    model: Model = (
        OpenAIChatCompletionsModel("verigym", client)
        if kind.startswith("chat")
        else OpenAIResponsesModel("verigym", client)
    )
    async with MCPServerStreamableHttp({"url": os.environ["VERIGYM_MCP_URL"]}) as shop:
        agent = Agent(name="buyer", instructions=os.environ["VERIGYM_SYSTEM"], model=model, mcp_servers=[shop])
        if kind.endswith("helper"):
            tool = agent.as_tool("ask_buyer", "Ask the buyer to buy something.")
            agent = Agent(name="boss", instructions="You delegate.", model=model, tools=[tool])
        result = await Runner.run(agent, prompt)
        if kind.endswith("twice"):
            again = [*result.to_input_list(), {"role": "user", "content": "Again."}]
            result = await Runner.run(agent, again)
        print(result.final_output)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
