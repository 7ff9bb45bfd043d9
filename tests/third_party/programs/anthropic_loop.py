"""The Anthropic SDK in the loop of its documentation, with tools over plain HTTP. `stream` reads the replies as streams."""

import json
import os
import sys
import urllib.request
from typing import Any

from anthropic import Anthropic


def asked(url: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as response:
        return json.load(response)


def main(kind: str, prompt: str) -> None:
    client = Anthropic()  # reads ANTHROPIC_BASE_URL
    url = os.environ["VERIGYM_TOOLS_URL"]
    offered = asked(url)["tools"]
    tools = [{"name": t["name"], "description": t["description"], "input_schema": t["parameters"]} for t in offered]
    messages: list[Any] = [{"role": "user", "content": prompt}]
    while True:
        options: Any = {
            "model": "verigym",
            "max_tokens": 1000,
            "system": os.environ["VERIGYM_SYSTEM"],
            "tools": tools,
            "messages": messages,
        }
        if kind == "stream":
            with client.messages.stream(**options) as stream:
                message = stream.get_final_message()
        else:
            message = client.messages.create(**options)
        messages.append({"role": "assistant", "content": message.content})
        if message.stop_reason != "tool_use":
            print("".join(block.text for block in message.content if block.type == "text"))
            return
        results = []
        for block in message.content:
            if block.type == "tool_use":
                answer = asked(f"{url}/{block.name}", block.input)
                result = {"type": "tool_result", "tool_use_id": block.id, "content": answer["output"]}
                results.append({**result, "is_error": answer["failed"]})
        messages.append({"role": "user", "content": results})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
