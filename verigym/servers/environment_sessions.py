"""Sessions of an environment that other frameworks drive: each is one live episode with an id that is a secret.

A session ends with its verdict, after a time without a call, or with the server. What is left of it is closed in each case.
"""

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Sequence

import msgspec

from verigym.core.errors import BadInput, VerigymError, not_found
from verigym.core.protocols import Context
from verigym.core.records import Item, Stop, Task, Trajectory, Turn, Verdict, Version
from verigym.core.words import counted
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout.live import Live
from verigym.rollout.many import judge
from verigym.rollout.settings import EpisodeLimits, RunSettings
from verigym.sandbox.open import LazySandbox
from verigym.wire.http import HttpError
from verigym.wire.tools import ToolNames

EXTERNAL = Version(base="external", id="external")
_SWEEP_S = 30.0


class NoVerdict(VerigymError):
    """An episode that nobody could score. It has no reward, because the model is not to blame."""


class SessionLimits(msgspec.Struct, frozen=True, kw_only=True):
    most: int = 1000
    """Sessions at once."""
    idle_s: float = 600.0
    """Seconds without a call after which a session is released."""
    seconds: float = 3600.0
    """Seconds of a whole session."""


class EnvironmentSession:
    """One live episode."""

    def __init__(self, id: str, live: Live, task: Task, now: float) -> None:
        self.id, self.live, self.task, self.last_active = id, live, task, now
        self.names = ToolNames(tool.name for tool in live.offer.tools)
        self.replies = 0
        """Replies of the agent so far, if the framework says where each begins."""

    async def call(self, name: str, arguments: str, call_id: str = "") -> tuple[str, bool]:
        """Runs a tool, by its own name or by the one that APIs allow. Returns the text for the model, and whether it ran."""
        self.last_active = time.monotonic()
        outcome = await self.live.call(self.names.name(name), arguments, call_id)
        self.last_active = time.monotonic()
        return outcome.output, any(mark.kind == "executed" for mark in outcome.marks)

    async def say(self, text: str) -> tuple[str, bool]:
        """Passes on what the agent says. Returns what comes back, and whether the episode is over."""
        self.last_active = time.monotonic()
        answer = await self.live.say(text)
        self.last_active = time.monotonic()
        return answer

    async def reply(self, turn: Turn, items: list[Item]) -> bool:
        """Logs a whole reply and acts on it. Returns whether the episode is over. See `Live.reply`."""
        self.last_active = time.monotonic()
        over = await self.live.reply(turn, items)
        self.last_active = time.monotonic()
        return over

    def count_reply(self) -> None:
        """Counts a reply. The last one that the environment allows ends the episode."""
        self.replies += 1
        most = self.live.session.environment.max_turns
        if self.replies >= most and self.live.stop is None:
            self.live.stop = Stop.DONE if most == 1 else Stop.MAX_TURNS


class EnvironmentSessions:
    """The sessions that are open now."""

    def __init__(
        self,
        environment: EnvironmentSpec,
        split: str | Sequence[str],
        limits: SessionLimits,
        clock: Callable[[], float] = time.monotonic,
        *,
        messages: bool = False,
    ) -> None:
        """`messages`: the framework passes on what the agent says during the episode, and not only at its end."""
        if environment.needs_user:
            raise BadInput(f"{environment.name} needs a model that plays the user (persona). It cannot be served")
        if environment.drives_itself:
            raise BadInput(
                f"{environment.name} runs the loop of another project, which asks for the replies itself. It cannot be served. "
                "Use that project's own tools, or verigym eval"
            )
        if not messages and (environment.steps or environment.scripted_user):
            raise BadInput(
                f"{environment.name} answers the agent's messages (step or user). This protocol only has tool calls and one last "
                "message, so it cannot be served. OpenEnv has messages (--as openenv)"
            )
        self.environment, self.limits, self._clock = environment, limits, clock
        splits = [split] if isinstance(split, str) else list(split)
        self.tasks = {task.id: task for each in splits for task in environment.tasks(each)}
        if not self.tasks:
            raise BadInput(f'{environment.name} has no tasks of the split "{", ".join(splits)}". Name another split')
        self._open: dict[str, EnvironmentSession] = {}
        self._janitor: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._open)

    def task(self, id: object) -> Task:
        if not isinstance(id, str) or id not in self.tasks:
            raise not_found("task", str(id), self.tasks)
        return self.tasks[id]

    async def open(self, task: Task) -> EnvironmentSession:
        self._janitor = self._janitor or asyncio.create_task(self._sweep_often())
        if len(self._open) >= self.limits.most:
            await self.sweep()
        if len(self._open) >= self.limits.most:
            raise HttpError(503, f"{counted(self.limits.most, 'session')} are open, the most allowed", retry_after_s=5)
        id = secrets.token_hex(16)
        session = EnvironmentSession(id, await self._live(task, id), task, self._clock())
        self._open[id] = session
        return session

    async def _live(self, task: Task, id: str) -> Live:
        settings = RunSettings(limits=EpisodeLimits(seconds=self.limits.seconds))
        live = await Live.open(self.environment, task, settings, agent=EXTERNAL, id=id, group=id)
        if live.error is not None:
            await live.end()
            raise HttpError(500, f"The environment could not be opened: {live.error.message}")
        return live

    def find(self, id: str) -> EnvironmentSession | None:
        return self._open.get(id)

    def take(self, id: str) -> EnvironmentSession | None:
        """Takes a session out, so that nobody else can use it. The caller ends it."""
        return self._open.pop(id, None)

    async def release(self, session: EnvironmentSession) -> None:
        """Ends a session that nobody will score."""
        self.take(session.id)
        await session.live.end()

    async def alone(self, task: Task) -> EnvironmentSession:
        """A session that nobody can find, to repeat calls."""
        id = secrets.token_hex(16)
        return EnvironmentSession(id, await self._live(task, id), task, self._clock())

    async def verdict(self, session: EnvironmentSession, reply: str = "") -> tuple[Trajectory, Verdict]:
        """Ends a session and scores it. `reply` is the last message of the agent. If an episode has one reply, and that was a
        call, words after it do not count."""
        self.take(session.id)
        replied = self.environment.max_turns == 1 and bool(session.live.executed)
        if reply and session.live.stop is None and not replied:
            await session.live.say(reply)
        trajectory = await session.live.end()
        [verdict] = await judge(
            self.environment.verifier, session.task, [trajectory], Context(sandbox=LazySandbox(), blob=_no_blobs)
        )
        return trajectory, verdict

    async def score(self, session: EnvironmentSession, reply: str = "") -> Verdict:
        """Ends a session and returns a verdict that has a reward. Otherwise raises `NoVerdict`."""
        return scored(*await self.verdict(session, reply))

    async def judge(self, task: Task, trajectory: Trajectory) -> Verdict:
        """The verdict of a record. Raises `NoVerdict` if it has no reward."""
        [verdict] = await judge(
            self.environment.verifier, task, [trajectory], Context(sandbox=LazySandbox(), blob=_no_blobs)
        )
        return scored(trajectory, verdict)

    async def sweep(self) -> int:
        """Releases sessions that were idle for too long. Returns how many."""
        now = self._clock()
        idle = [each for each in self._open.values() if now - each.last_active > self.limits.idle_s]
        for session in idle:
            await self.release(session)
        return len(idle)

    async def _sweep_often(self) -> None:
        while True:
            await asyncio.sleep(min(_SWEEP_S, self.limits.idle_s / 2))
            await self.sweep()

    async def close(self) -> None:
        if self._janitor is not None:
            self._janitor.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._janitor
            self._janitor = None
        while self._open:
            _, session = self._open.popitem()
            await session.live.end()


def scored(trajectory: Trajectory, verdict: Verdict) -> Verdict:
    """The verdict, if it has a reward. A reward of nobody's making would train the model on a fault of others."""
    if verdict.reward is not None:
        return verdict
    error = verdict.error or trajectory.error
    reason = f"{error.message} (the {error.fault}'s fault)" if error is not None else "no verdict"
    raise NoVerdict(f"Task {trajectory.task} has no verdict: {reason}")


def _no_blobs(sha256: str) -> bytes:
    raise KeyError(f"blob {sha256} is not stored by a served environment")
