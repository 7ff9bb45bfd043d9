"""Agents for the tests, written with the standard library only. `python -m tests.agents.programs NAME` runs one."""

import json
import os
import socket
import sys
import time
import urllib.request
from typing import Any


def post(url: str, body: Any) -> Any:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as response:
        return json.load(response)


def tools() -> list[Any]:
    with urllib.request.urlopen(os.environ["VERIGYM_TOOLS_URL"], timeout=300) as response:
        return [{"type": "function", "function": tool} for tool in json.load(response)["tools"]]


def solve(prompt: str) -> str:
    """Asks the model and runs the environment's tools until it is done."""
    messages: list[Any] = [{"role": "user", "content": prompt}]
    offered = tools()
    while True:
        body = {"model": "verigym", "messages": messages, **({"tools": offered} if offered else {})}
        url = f"{os.environ['OPENAI_BASE_URL']}/chat/completions"
        message = post(url, body)["choices"][0]["message"]
        messages.append(message)
        if not message.get("tool_calls"):
            return message["content"]
        for call in message["tool_calls"]:
            name, arguments = call["function"]["name"], json.loads(call["function"]["arguments"])
            result = post(f"{os.environ['VERIGYM_TOOLS_URL']}/{name}", arguments)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result["output"]})


def twice(prompt: str) -> None:
    """Asks the model, asks again in the same conversation, and asks once more in a new one."""
    url = f"{os.environ['OPENAI_BASE_URL']}/chat/completions"
    messages: list[Any] = [{"role": "user", "content": prompt}]
    message = post(url, {"model": "verigym", "messages": messages})["choices"][0]["message"]
    messages += [message, {"role": "user", "content": "Again."}]
    post(url, {"model": "verigym", "messages": messages})
    post(url, {"model": "verigym", "messages": [{"role": "user", "content": "Another conversation."}]})


def function_agent(episode: Any) -> str:
    """An agent as a function: its answer is not the model's."""
    return f"answer: {solve(episode.prompt)}"


async def async_agent(episode: Any) -> None:
    assert [tool["name"] for tool in episode.tools] == ["add", "burn"]
    episode.call("add", item="tea", count=2)
    solve(episode.prompt)


def failing_agent(episode: Any) -> None:
    raise ValueError("no key")


def killed_agent(episode: Any) -> None:
    os.kill(os.getpid(), 9)


def late_agent(episode: Any) -> None:
    time.sleep(3600)


def main(name: str, *rest: str) -> None:
    match name:
        case "solve":
            print(solve(rest[0] if rest else sys.stdin.read()))
        case "twice":
            twice(rest[0])
        case "crash":
            print("no key", file=sys.stderr)
            sys.exit(3)
        case "crash_later":
            solve(rest[0])
            sys.exit(4)
        case "killed":
            os.kill(os.getpid(), 9)
        case "hang":
            if os.fork() == 0:  # a child that would outlive it
                time.sleep(3600)
            solve(rest[0])
            time.sleep(3600)
        case "sandboxed":
            solve(rest[0])
            os.mkdir("folder")
            try:
                other: Any = socket.create_connection(("127.0.0.1", 22), 5)
            except OSError:
                other = "refused"
            home = os.path.expanduser("~")
            repository = os.path.exists(os.path.join(os.path.dirname(__file__), "test_programs.py"))
            seen = {
                "repository": repository,
                "home": os.listdir(home),
                "other port": other,
                "written": os.path.exists("folder"),
            }
            print(json.dumps(seen))
        case "environment":
            post(
                f"{os.environ['OPENAI_BASE_URL']}/chat/completions",
                {"model": "m", "messages": [{"role": "user", "content": "x"}]},
            )
            print(json.dumps({"env": dict(os.environ), "cwd": os.getcwd(), "files": sorted(os.listdir("."))}))


if __name__ == "__main__":
    main(*sys.argv[1:])
