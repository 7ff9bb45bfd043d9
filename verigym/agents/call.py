"""Runs a Python function as an agent, in a process of its own: `python -m verigym.agents.call my_agent:solve`.

The function takes one argument, an `Episode`, and may be async. If it returns text, that is the agent's final answer.
"""

import asyncio
import importlib
import inspect
import json
import os
import sys
import urllib.request
from typing import Any

from msgspec import Struct

from verigym.core.errors import NotFound, not_found

_CALL_S = 600.0


class Episode(Struct, frozen=True, kw_only=True):
    """What an agent needs to know about its episode."""

    prompt: str
    system: str
    """System prompt of the environment. Empty if it has none."""
    task: str
    """Id of the task."""
    base_url: str
    """Base URL for clients of Chat Completions and Responses."""
    anthropic_base_url: str
    """Base URL for clients of Anthropic's Messages."""
    mcp_url: str
    """The environment's tools over MCP (streamable HTTP)."""
    tools_url: str
    say_url: str
    seed: int = 0
    api_key: str = "verigym-episode"
    model: str = "verigym"

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The environment's tools: name, description and parameters (a JSON schema)."""
        return _asked(self.tools_url)["tools"]

    def call(self, tool: str, **arguments: Any) -> str:
        """Calls a tool of the environment and returns its result."""
        return _asked(f"{self.tools_url}/{tool}", arguments)["output"]

    def say(self, text: str) -> str:
        """Sends words to a reset/step environment or a scripted user and returns what comes back."""
        return _asked(self.say_url, {"text": text})["observation"]

    @classmethod
    def current(cls) -> "Episode":
        """The episode of this process, from its environment variables."""
        value = os.environ
        return cls(
            prompt=value["VERIGYM_PROMPT"],
            system=value["VERIGYM_SYSTEM"],
            task=value["VERIGYM_TASK"],
            base_url=value["VERIGYM_BASE_URL"],
            anthropic_base_url=value["ANTHROPIC_BASE_URL"],
            mcp_url=value["VERIGYM_MCP_URL"],
            tools_url=value["VERIGYM_TOOLS_URL"],
            say_url=value["VERIGYM_SAY_URL"],
            seed=int(value["VERIGYM_SEED"]),
        )


def _asked(url: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=_CALL_S) as response:
        return json.load(response)


def load(name: str) -> Any:
    """The function that `module:function` names. Refuses what does not exist. Other errors of the module pass."""
    module, _, function = name.partition(":")
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise NotFound(
            f'There is no module "{error.name}" in {_folder()} or among the installed packages. Change to the '
            "folder of the module, or install its package"
        ) from error
    found = getattr(loaded, function, None)
    if not callable(found):
        names = [each for each, value in vars(loaded).items() if inspect.isfunction(value) and not each.startswith("_")]
        raise not_found("function", function, names, f"Name a function of {loaded.__file__ or module}.")
    return found


def _folder() -> str:
    """Where modules are looked for first: the folder in which the run was started."""
    return os.environ.get("PYTHONPATH", "").split(os.pathsep)[0] or os.getcwd()


def solve_episode(solve: Any) -> None:
    """Calls the function with the episode of this process, and leaves its answer in a file."""
    answer = solve(Episode.current())
    if inspect.isawaitable(answer):
        answer = asyncio.run(_awaited(answer))
    if isinstance(answer, str) and "VERIGYM_REPLY_FILE" in os.environ:
        with open(os.environ["VERIGYM_REPLY_FILE"], "w", encoding="utf-8", errors="replace") as file:
            file.write(answer)


async def _awaited(answer: Any) -> Any:
    return await answer


if __name__ == "__main__":
    solve_episode(load(sys.argv[1]))
