"""A hosted episode behind a real server, for the tests: `async with hosting(policy) as here`."""

import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import aiohttp

from tests.rollout.shop import AGENT, Shop, spec
from verigym.agents.host import EpisodeHost
from verigym.agents.hosted import HostedEpisode
from verigym.core.protocols import Policy
from verigym.core.records import Task, Version
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.live import Live
from verigym.rollout.settings import RunSettings

TASK = Task(id="t", prompt="buy tea")


class Hosting:
    """One episode, its address, and a client."""

    def __init__(self, episode: HostedEpisode, url: str, client: aiohttp.ClientSession) -> None:
        self.episode, self.url, self.client = episode, url, client

    async def post(self, path: str, body: Any, actor: str = "") -> tuple[int, Any]:
        url = f"{self.url}{f'~{actor}' if actor else ''}/{path}"
        async with self.client.post(url, json=body) as response:
            text = await response.text()
            return response.status, await response.json() if "json" in response.content_type and text else text

    async def chat(self, messages: list[Any], tools: list[Any] | None = None, actor: str = "", **more: Any) -> Any:
        """The assistant's message in Chat Completions."""
        body = {"model": "any", "messages": messages, **({"tools": tools} if tools else {}), **more}
        status, answer = await self.post("v1/chat/completions", body, actor)
        assert status == 200, answer
        return answer["choices"][0]["message"]


@contextlib.asynccontextmanager
async def hosting(
    policy: Policy | list[Any] | Callable[..., Any],
    environment: Any = Shop,
    settings: RunSettings = RunSettings(),
    agent: Version = AGENT,
    task: Task = TASK,
    others: dict[str, Policy] | None = None,
) -> AsyncIterator[Hosting]:
    model: Any = policy if hasattr(policy, "respond") else ScriptedPolicy(policy)  # type: ignore[arg-type]
    host = EpisodeHost()
    async with host.serving(), aiohttp.ClientSession() as client:
        live = await Live.open(spec(environment), task, settings, agent=agent, id="r/t/0", group="r/t")
        episode = HostedEpisode(live, model, settings, agent, others or {})
        host.add(episode)
        yield Hosting(episode, host.base_url(episode), client)


def chat_tool(name: str, **properties: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {key: {"type": kind} for key, kind in properties.items()}}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": schema}}
