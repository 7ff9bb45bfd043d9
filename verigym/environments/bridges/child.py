"""The client of a child environment: an adapter that runs in the virtual environment of a bridge, in a process of its own.

    child = Child("inspect", "inspect_child.py", {"task": "humaneval"}, at_once=8)
    rows = child.tasks()                                # asks `tasks()` of the adapter once, then reads a file
    session = await child.open({"id": "1"})             # session.opened is what `Session.open` of the adapter returned
    answer = await session.ask("call", name="look", arguments={})
    await session.close()

`child_host` is the other side, and describes what an adapter is. `ToolEpisode` and `StepEpisode` are states of episodes for
adapters that answer calls or replies, `DrivenEpisode` for one that runs the other project's own loop. A bridge makes a class of
one: `type("Environment", (ToolEpisode,), {"child": child})`.

A child that is killed fails the episodes that are in it, as a fault of the infrastructure. The next episode starts a new child.
"""

import functools
import hashlib
import http.client
import json
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from verigym.core.errors import BadInput, EnvironmentFailure, InfrastructureFailure
from verigym.core.protocols import Gateway
from verigym.core.records import FunctionCall, Json, Task
from verigym.environments.bridges.install import folder_of_bridges, python_of, require
from verigym.environments.bridges.processes import ChildProcess, ProcessPool, post
from verigym.harness.state_tools import ToolResult

HOST = Path(__file__).with_name("child_host.py")
_REMEDY = "The next episode starts a new process"
_SECONDS = 300.0
_SHOWN = 1000


class Child:
    """The child environment of one bridge with one set of options."""

    def __init__(
        self,
        bridge: str,
        adapter: str | Path,
        options: Mapping[str, Any] = {},
        *,
        at_once: int = 8,
        most: int = 16,
        lifetime: int = 1000,
        seconds: float = _SECONDS,
        variables: Mapping[str, str] = {},
        pass_on: Sequence[str] = (),
        python: str = "",
    ) -> None:
        """`adapter` is a file beside this one, or a path. `at_once` is the maximum number of sessions in one process, `most` the
        maximum number of processes, and `lifetime` the number of sessions after which a new process takes over. `seconds`
        limits one request. `pass_on` names variables of this process that the child gets too. Without `python`, the bridge must
        be installed, and its virtual environment is used."""
        self.bridge, self.options, self.seconds = bridge, dict(options), seconds
        self._adapter = HOST.with_name(adapter) if isinstance(adapter, str) else adapter.absolute()
        self._python, self._pass_on, self._variables = python, pass_on, dict(variables)
        self._pool = ProcessPool(self._process, at_once, lifetime, most)

    def _process(self) -> ChildProcess:
        if not self._python:
            require(self.bridge)
        python = self._python or str(python_of(self.bridge))
        command = [python, "-P", str(HOST), str(self._adapter), json.dumps(self.options)]
        passed_on = {name: os.environ[name] for name in self._pass_on if name in os.environ}
        return ChildProcess(f'The bridge "{self.bridge}"', command, {**passed_on, **self._variables})

    async def open(self, task: Json) -> "ChildSession":
        """Starts a session with a task. The first one starts the process."""
        for again in (True, False):
            child = await self._pool.session()
            try:
                return await ChildSession.opened_in(self, child, task)
            except BaseException as error:
                self._pool.leave(child)
                if not again or not isinstance(error.__cause__, aiohttp.ClientConnectorError):
                    raise
                child.kill()  # it died while it was idle, and nobody noticed yet
        raise AssertionError("the second attempt returns or raises")

    def leave(self, child: ChildProcess) -> None:
        self._pool.leave(child)

    async def ask(self, function: str, **body: Any) -> Any:
        """Asks a function of the adapter that needs no session, such as `verify`."""
        child = await self._pool.session()
        try:
            async with _http(child, self.seconds) as session:
                return await _asked(session, child, function, body)
        finally:
            self._pool.leave(child)

    def ask_now(self, function: str, **body: Any) -> Any:
        """As `ask`, without an event loop. A mistake in the name or the options is BadInput."""
        for again in (True, False):
            child = self._pool.start()
            connection = http.client.HTTPConnection("127.0.0.1", child.port, timeout=self.seconds)
            try:
                headers = {"authorization": f"Bearer {child.secret}"}
                connection.request("POST", f"/{function}", json.dumps(body).encode(), headers)
                answer = connection.getresponse()
                value = json.loads(answer.read())
            except (OSError, http.client.HTTPException) as error:
                child.kill()
                if again and isinstance(error, ConnectionError):
                    continue  # it may have died while it was idle. What is asked changes nothing
                message = f'The bridge "{self.bridge}" did not answer: {child.last_words()}'
                raise InfrastructureFailure(message) from error
            finally:
                connection.close()
            if answer.status != 200:
                raise BadInput(f"The bridge {self.bridge}: {value['error'][:_SHOWN]}")
            return value["result"]
        raise AssertionError("the second attempt returns or raises")

    def tasks(self, function: str = "tasks") -> list[Json]:
        """The tasks that the adapter lists. They are kept in a file, so that the next load needs no process. The adapter, its
        options and the version of the package are part of the file's name."""
        return [dict(row) for row in _tasks(self, function, str(folder_of_bridges()))]

    def stop(self) -> None:
        """Ends all processes. They start again when they are needed."""
        self._pool.stop()

    def key(self) -> str:
        """What the child is: package, adapter and options. Part of the environment's version."""
        package = require(self.bridge) if not self._python else self._python
        parts = [
            self.bridge,
            package,
            self._adapter.read_text(encoding="utf-8"),
            json.dumps(self.options, sort_keys=True),
        ]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


_LISTING = threading.Lock()


@functools.lru_cache(maxsize=64)
def _tasks(child: Child, function: str, folder: str) -> list[Json]:
    file = Path(folder) / "tasks" / f"{child.bridge}-{function}-{child.key()}.json"
    with _LISTING:
        if file.is_file():
            try:
                return msgspec.json.decode(file.read_bytes(), type=list[dict[str, Any]])
            except msgspec.DecodeError:  # a file that somebody cut off
                file.unlink()
        rows = child.ask_now(function)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise EnvironmentFailure(f'The bridge "{child.bridge}" listed something else than tasks')
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_suffix(".new")
        new.write_bytes(msgspec.json.encode(rows))
        new.replace(file)
        return rows


class ChildSession:
    """One episode in a child."""

    def __init__(self, owner: Child, child: ChildProcess, http_session: aiohttp.ClientSession, id: str, opened: Any):
        self._owner, self._child, self._http, self._id = owner, child, http_session, id
        self.opened = opened
        """What the adapter's `open` returned."""

    @classmethod
    async def opened_in(cls, owner: Child, child: ChildProcess, task: Json) -> "ChildSession":
        session = _http(child, owner.seconds)
        try:
            answer = await _answer(session, child, "open", {"task": task})
        except BaseException:
            await session.close()
            raise
        return cls(owner, child, session, answer["session"], answer["result"])

    @property
    def pid(self) -> int:
        return self._child.pid

    async def ask(self, method: str, **body: Any) -> Any:
        """Calls a method of the adapter's session."""
        return await _asked(self._http, self._child, method, {"session": self._id, **body})

    async def close(self) -> None:
        """Ends the session. A child that is gone has ended it already."""
        try:
            if self._child.running:
                await self.ask("close")
        except InfrastructureFailure:
            pass
        finally:
            await self._http.close()
            self._owner.leave(self._child)


def _http(child: ChildProcess, seconds: float) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        headers={"authorization": f"Bearer {child.secret}"}, timeout=aiohttp.ClientTimeout(total=seconds)
    )


async def _asked(session: aiohttp.ClientSession, child: ChildProcess, name: str, body: Json) -> Any:
    return (await _answer(session, child, name, body))["result"]


async def _answer(session: aiohttp.ClientSession, child: ChildProcess, name: str, body: Json) -> Any:
    status, text = await post(session, f"{child.url}/{name}", body, _REMEDY, child)
    value = msgspec.json.decode(text)
    if status == 200:
        return value
    words = str(value.get("error", text))[:_SHOWN]
    if status in (401, 410):
        raise InfrastructureFailure(f"{child.what}: {words}")
    raise EnvironmentFailure(f'{child.what} failed in "{name}": {words}')


class Episode:
    """The state of an episode whose session is in a child. The task's `data["row"]` is what the adapter gets."""

    child: Child
    session: ChildSession | None = None

    async def open(self, task: Task) -> None:
        self.session = await self.child.open(task.data["row"])

    @property
    def live(self) -> ChildSession:
        assert self.session is not None, "open comes first"
        return self.session

    async def end_state(self) -> Json:
        """What the adapter's `end_state` returns. A key `external_verdict` holds the verdict of the other project."""
        return await self.live.ask("end_state")

    async def close(self) -> None:
        if self.session is not None:
            session, self.session = self.session, None
            await session.close()


class DrivenEpisode(Episode):
    """An adapter that runs the loop of the other project: `run(urls)` asks models at these addresses of actors, and returns the
    end state with `external_verdict`, or {"over": words} if an address said `episode_over` before there was a score."""

    result: Json | None = None

    async def drive(self, gateway: Gateway) -> None:
        actors = ("policy", "user", "judge")
        self.result = await self.live.ask("run", urls={actor: gateway.url(actor) for actor in actors})

    async def end_state(self) -> Json:
        result = self.result or {"over": "its time was over"}
        if "over" not in result:
            return result
        words = f"The episode ended before it was scored: {result['over']}"
        return {"external_verdict": {"reward": 0.0, "evidence": words}}


class ToolEpisode(Episode):
    """An adapter whose `open` returns {"tools": [...]}, and whose `call(name, arguments)` returns text or {"output", "failed",
    "unsafe", "done", "reward"}. Everything but the output may be left out."""

    def __init__(self) -> None:
        self._over, self._reward = False, 0.0

    def tools(self) -> list[Json]:
        return self.live.opened["tools"]

    async def call(self, name: str, arguments: Json) -> ToolResult:
        answer = await self.live.ask("call", name=name, arguments=arguments)
        if not isinstance(answer, dict) or "output" not in answer:
            return ToolResult(output=answer)
        self._over = bool(answer.get("done"))
        self._reward += float(answer.get("reward") or 0.0)
        return ToolResult(output=answer["output"], failed=bool(answer.get("failed")), unsafe=bool(answer.get("unsafe")))

    def done(self) -> bool:
        return self._over

    def step_reward(self) -> float:
        reward, self._reward = self._reward, 0.0
        return reward


class StepEpisode(Episode):
    """An adapter whose `step(reply)` returns {"observation", "reward", "done"}."""

    async def step(self, reply: str) -> tuple[str, float, bool]:
        answer = await self.live.ask("step", reply=reply)
        return str(answer["observation"]), float(answer["reward"]), bool(answer["done"])


def gold_in_row(task: Task) -> list[Any] | None:
    """The gold replies that an adapter listed in the row: texts, and lists of calls ({"name", "arguments"})."""
    replies = task.data["row"].get("gold")
    if not replies:
        return None
    return [
        each if isinstance(each, str) else [FunctionCall(f"call_{n}", call["name"], call["arguments"]) for call in each]
        for n, each in enumerate(replies)
    ]


def source_of(where: str, name: str) -> tuple[str, str]:
    """The absolute path of a file or folder with code, and the hash of its text. The child runs in another folder, and other
    code is another environment. A name that is no path stays as it is, with an empty hash. `FILE.py@TASK` is a file."""
    file, at, inner = name.partition("@")
    path = Path(file)
    if not file.endswith(".py") and not path.is_dir():
        return name, ""
    if not path.exists():
        raise BadInput(f'"{where}": {file} does not exist. Name a file, a folder or something that is installed')
    texts = [path] if path.is_file() else sorted(path.rglob("*.py"))
    hashed = hashlib.sha256(b"\0".join(each.read_bytes() for each in texts)).hexdigest()[:16]
    return f"{path.absolute()}{at}{inner}", hashed
