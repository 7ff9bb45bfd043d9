"""Episodes of an environment inside the process of another framework, which drives them.

    peer = PeerEnvironment("workplace", "train")
    session = peer.run(peer.sessions.open(peer.task("office-12")))
    verdict = peer.run(peer.sessions.score(session, "Done."))

All episodes live on one event loop in a thread of its own. The framework may call from any thread and any loop, with `run` from
plain code and with `wait` from async code. Requests never share a state, because each session has its own.
"""

import asyncio
import functools
import os
import threading
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from verigym.core.errors import BadInput
from verigym.core.event_loop import LoopThread
from verigym.core.records import Item, Json, Message, Task, ToolSpec
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.policies.template import tool_json
from verigym.rollout.session import first_items, task_tools
from verigym.servers.environment_sessions import EXTERNAL, EnvironmentSession, EnvironmentSessions, SessionLimits
from verigym.wire import chat
from verigym.wire.tools import ToolNames
from verigym.workspace.audit import asks_judge

T = TypeVar("T")
LIMITS = SessionLimits(most=100_000)
"""Trainers have thousands of episodes at once. Sessions that nobody ends are released after ten minutes without a call."""
TASK = "verigym_task"
"""Name of the column that holds the id of a row's task."""


class PeerEnvironment:
    """An environment whose episodes another framework drives."""

    def __init__(
        self, environment: str | EnvironmentSpec, split: str | Sequence[str] = "train", limits: SessionLimits = LIMITS
    ) -> None:
        spec = load_environment(environment) if isinstance(environment, str) else environment
        if spec.tasks("val") and _asks_judge(spec):
            raise BadInput(f"{spec.name} asks a judge for its verdict. Other frameworks have no judge for it")
        self.spec = spec
        self.sessions = EnvironmentSessions(spec, split, limits, messages=True)
        self._starting = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pid = 0

    @property
    def tasks(self) -> list[Task]:
        return list(self.sessions.tasks.values())

    def task(self, id: object) -> Task:
        return self.sessions.task(id)

    def items(self, task: Task) -> list[Item]:
        """System prompt and prompt of a task."""
        return first_items(self.spec, task, EXTERNAL)

    def messages(self, task: Task) -> list[Json]:
        """System prompt and prompt of a task, as messages of Chat Completions."""
        items = self.items(task)
        return chat.context(items, ToolNames([], items))

    def tools(self, task: Task) -> list[ToolSpec]:
        """The tools of a task, by their own names."""
        return self.run(task_tools(self.spec, task)).tools

    def all_tools(self) -> list[ToolSpec]:
        """The tools of all tasks. Two tools with one name must be equal, because trainers offer one set of tools."""
        if not self.spec.needs_task_tools:
            return self.spec.tools
        known: dict[str, ToolSpec] = {}
        for task in self.tasks:
            for tool in self.tools(task):
                if known.setdefault(tool.name, tool) != tool:
                    raise BadInput(
                        f"{self.spec.name}: the tool {tool.name} of task {task.id} differs from that of other tasks. This "
                        "trainer needs one set of tools for all tasks. Use a trainer that takes tools per task"
                    )
        return list(known.values())

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine on the loop of the episodes and waits for its result."""
        return asyncio.run_coroutine_threadsafe(work, self._running_loop()).result()

    async def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Like `run`, for callers on an event loop of their own."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._running_loop()))

    async def open(self, task: object) -> EnvironmentSession:
        return await self.sessions.open(self.task(task))

    def close(self) -> None:
        """Ends all sessions and the thread."""
        loop, self._loop = self._loop, None
        if loop is not None and self._pid == os.getpid():
            asyncio.run_coroutine_threadsafe(self.sessions.close(), loop).result()
            loop.call_soon_threadsafe(loop.stop)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None or self._pid != os.getpid():  # a forked child has no threads
                loop = asyncio.new_event_loop()
                threading.Thread(target=loop.run_forever, daemon=True, name=f"episodes of {self.spec.name}").start()
                self._loop, self._pid = loop, os.getpid()
            return self._loop


def _asks_judge(spec: EnvironmentSpec) -> bool:
    """`asks_judge` on a thread of its own, because the framework may be on an event loop."""
    thread = LoopThread("judge")
    try:
        return thread.call(lambda: asks_judge(spec))
    finally:
        thread.close()


@functools.cache
def shared(environment: str, split: str = "train,val") -> PeerEnvironment:
    """The environment of this process with this name. Splits are separated by commas."""
    return PeerEnvironment(environment, split.split(","))


def described(parameters: Json) -> Json:
    """A JSON schema of arguments in which every property has a description, as some frameworks demand."""
    properties = {
        name: {**schema, "description": schema.get("description") or name}
        for name, schema in parameters.get("properties", {}).items()
    }
    return {"type": "object", "required": [], **parameters, "properties": properties}


def functions(tools: Sequence[ToolSpec]) -> list[Json]:
    """Tools as Chat Completions and chat templates take them."""
    names = ToolNames(tool.name for tool in tools)
    return [tool_json(tool, names.wire(tool.name)) for tool in tools]


def last_text(messages: Sequence[Json]) -> str:
    """The text of the last message, if it is a reply without calls."""
    last = messages[-1] if messages else {}
    if last.get("role") != "assistant" or last.get("tool_calls"):
        return ""
    content = last.get("content")
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if isinstance(part, dict))
    return content or ""


def text_of(items: Sequence[Item]) -> str:
    return "\n\n".join(item.text for item in items if isinstance(item, Message))
