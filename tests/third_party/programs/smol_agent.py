"""smolagents: `tools` for an agent that calls tools, `code` for one that writes Python."""

import os
import sys

from smolagents import CodeAgent, MCPClient, OpenAIModel, ToolCallingAgent


def main(kind: str, prompt: str) -> None:
    model = OpenAIModel("verigym", api_base=os.environ["OPENAI_BASE_URL"], api_key=os.environ["OPENAI_API_KEY"])
    server = {"url": os.environ["VERIGYM_MCP_URL"], "transport": "streamable-http"}
    with MCPClient(server, structured_output=False) as tools:
        agent = (CodeAgent if kind == "code" else ToolCallingAgent)(tools=tools, model=model, verbosity_level=0)
        print(agent.run(prompt, max_steps=4))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
