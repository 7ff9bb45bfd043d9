"""Runs episodes with external agents: opens the environment, starts the agent's program at the episode's address, and ends both.

`program_runner` gives `rollout.many.run_many` what it calls for each episode in place of `run_episode`.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

from verigym.agents.forks import ForkedPrograms
from verigym.agents.host import EpisodeHost
from verigym.agents.hosted import HostedEpisode
from verigym.agents.program import EpisodeAddress, ProgramResult, ProgramSettings, check_program, forked, run_program
from verigym.core.errors import BadInput, VerigymError, failure
from verigym.core.protocols import Context, Policy
from verigym.core.records import Failure, Fault, Mark, Stop, Task, Toolset, Trajectory, Version
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout.episode import run_episode
from verigym.rollout.live import Live
from verigym.rollout.many import RunEpisode
from verigym.rollout.session import hash_only, method
from verigym.rollout.settings import RunSettings

_SHOWN = 500
_PROCESSES = 32
"""Programs that run at the same time, if the run names no number. A program may need hundreds of megabytes."""


@contextlib.asynccontextmanager
async def runner_of(
    environment: EnvironmentSpec, agent: Version, settings: RunSettings, context: Context
) -> AsyncIterator[RunEpisode]:
    """The function that runs the episodes of an agent: our own loop, the program of the version or the environment, or the
    environment itself."""
    command = _command(environment, agent)
    if environment.drives_itself:
        async with driven_runner(context.policies) as run:
            yield run
        return
    if not command:
        yield run_episode
        return
    options = settings.program
    program = ProgramSettings(command=command, options=options)
    default = settings.concurrency == RunSettings().concurrency
    room = asyncio.Semaphore(_PROCESSES if default else settings.concurrency)

    async def run_in_turn(*args: Any, **options: Any) -> Trajectory:
        async with room:
            return await run(*args, **options)

    async with program_runner(program, context.policies) as run:
        yield run_in_turn


def _command(environment: EnvironmentSpec, agent: Version) -> str:
    """The external agent that drives the episodes. Empty if there is none."""
    if environment.drives_itself:
        if agent.program:
            raise BadInput(f"{environment.name} runs the loop of another project. Remove --agent")
        return ""
    return agent.program or environment.agent


async def check_agent(environment: EnvironmentSpec, agent: Version) -> None:
    """Refuses an external agent that cannot be started. The module of a function is imported, in a process of its own."""
    if command := _command(environment, agent):
        check_program(command)
        async with forked(ProgramSettings(command=command)):
            pass


@contextlib.asynccontextmanager
async def scripted_runner(environment: EnvironmentSpec, others: Mapping[str, Policy] = {}) -> AsyncIterator[RunEpisode]:
    """The function that plays written replies: our own loop, or that of an environment that drives itself. An external agent
    would not say them."""
    if not environment.drives_itself:
        yield run_episode
        return
    async with driven_runner(others) as run:
        yield run


@contextlib.asynccontextmanager
async def program_runner(settings: ProgramSettings, others: Mapping[str, Policy] = {}) -> AsyncIterator[RunEpisode]:
    """Serves the addresses of episodes and yields a function that runs one with the program. `others` answer the actors of
    these names."""
    check_program(settings.command)
    host = EpisodeHost()

    async def run_agent(episode: HostedEpisode, *given: Any) -> Trajectory:
        task, agent, run_settings, keep_blob = given
        return await _run(settings, host, episode, task, agent, run_settings, keep_blob, forks)

    async with host.serving(), forked(settings) as forks:
        yield _hosted(host, others, run_agent)


@contextlib.asynccontextmanager
async def driven_runner(others: Mapping[str, Policy] = {}) -> AsyncIterator[RunEpisode]:
    """As `program_runner`, for environments that ask for the replies themselves (`drive`)."""
    host = EpisodeHost()

    async def drive(episode: HostedEpisode, *given: Any) -> Trajectory:
        return await _drive(host, episode)

    async with host.serving():
        yield _hosted(host, others, drive, only_roles=True)


def _hosted(host: EpisodeHost, others: Mapping[str, Policy], act: Any, only_roles: bool = False) -> RunEpisode:
    """The function that opens an episode at an address, lets `act` run it, and removes it."""

    async def run(
        environment: EnvironmentSpec,
        task: Task,
        policy: Policy,
        run_settings: RunSettings = RunSettings(),
        *,
        agent: Version,
        id: str,
        group: str,
        index: int = 0,
        user: Policy | None = None,
        keep_blob: Callable[[bytes], str] = hash_only,
        keep_tools: Callable[[Toolset], None] = lambda toolset: None,
    ) -> Trajectory:
        live = await Live.open(
            environment, task, run_settings,
            agent=agent, id=id, group=group, index=index, keep_blob=keep_blob, keep_tools=keep_tools,
        )  # fmt: skip
        played = {**others, **({"user": user} if user is not None else {})}
        episode = HostedEpisode(live, policy, run_settings, agent, played, keep_tools, only_roles)
        keep_tools(live.offer)
        host.add(episode)
        try:
            if live.stop is not None:  # the environment did not open
                return await episode.end()
            return await act(episode, task, agent, run_settings, keep_blob)
        finally:
            host.remove(episode)

    return run


class _Addresses:
    """The gateway of one episode."""

    def __init__(self, host: EpisodeHost, episode: HostedEpisode) -> None:
        self._host, self._episode = host, episode

    def url(self, actor: str = "policy") -> str:
        return f"{self._host.base_url(self._episode, '' if actor == 'policy' else actor)}/v1"


async def _drive(host: EpisodeHost, episode: HostedEpisode) -> Trajectory:
    """Runs the environment's own loop. What it raises is its fault, unless the episode was over or the model did not answer."""
    live, error = episode.live, None
    reply = ""
    clock = asyncio.timeout(max(0.0, live.deadline - time.monotonic()))
    try:
        async with clock:
            reply = await live.session.state.drive(_Addresses(host, episode)) or ""
    except Exception as raised:
        if isinstance(raised, TimeoutError) and clock.expired():
            live.stop = live.stop or Stop.TIME_OUT
        elif live.stop is None:
            error = episode.error or failure(raised, Fault.ENVIRONMENT)
    except BaseException:
        await episode.end(error=Failure(Fault.INFRASTRUCTURE, "Interrupted", "The run was interrupted"))
        raise
    return await episode.end(error=error, reply=reply)


async def _run(
    settings: ProgramSettings,
    host: EpisodeHost,
    episode: HostedEpisode,
    task: Task,
    agent: Version,
    run_settings: RunSettings,
    keep_blob: Callable[[bytes], str],
    forks: ForkedPrograms | None,
) -> Trajectory:
    live = episode.live
    environment = live.session.environment
    system = environment.system if agent.system_prompt is None else agent.system_prompt
    address = EpisodeAddress(url=host.base_url(episode), task=task, system=system, seed=run_settings.seed)
    try:
        workdir = await _workdir(live)
        files = {f".agents/skills/{name}/SKILL.md": text for name, text in agent.skills.items()}
        result = await run_program(settings, address, run_settings.limits.seconds, workdir, files, forks)
    except (OSError, VerigymError) as error:
        words = f"The agent could not be started: {error}"
        return await episode.end(error=Failure(Fault.INFRASTRUCTURE, "AgentFailed", words))
    except BaseException:
        await episode.end(error=Failure(Fault.INFRASTRUCTURE, "Interrupted", "The run was interrupted"))
        raise
    if result.code is None and live.stop is None:
        live.stop = Stop.TIME_OUT
    blobs = {
        name: keep_blob(data)
        for name, data in {"agent_stdout": result.output, "agent_stderr": result.errors}.items()
        if data
    }
    return await episode.end(
        error=_failure(result, episode), marks=_marks(result, episode), reply=result.reply, blobs=blobs
    )


async def _workdir(live: Live) -> Path | None:
    """The folder that the environment wants the agent to work in, if it has `workdir()`."""
    wanted = method(live.session.state, "workdir")
    if wanted is None or live.session.executor is None:
        return None
    folder: Any = await live.session.executor.call(wanted)
    return None if folder is None else Path(folder)


def _failure(result: ProgramResult, episode: HostedEpisode) -> Failure | None:
    """Whose fault the end of a program was. An agent that was killed, or failed before it asked the model, says nothing about the
    model. One that failed later is scored with what it left."""
    words = result.errors.decode("utf-8", "replace").strip()[-_SHOWN:]
    said = f": {words}" if words else ""
    if result.code is not None and result.code < 0:
        return Failure(Fault.INFRASTRUCTURE, "AgentKilled", f"The agent was killed by signal {-result.code}{said}")
    if episode.model_calls or episode.error is not None or result.code == 0:
        return None
    if result.code is None:
        return Failure(Fault.INFRASTRUCTURE, "AgentSilent", f"The agent asked no model within its time{said}")
    message = f"The agent ended with exit code {result.code} before it asked the model{said}"
    return Failure(Fault.INFRASTRUCTURE, "AgentFailed", message)


def _marks(result: ProgramResult, episode: HostedEpisode) -> list[Mark]:
    marks: list[Mark] = []
    if result.code is None:
        marks.append(Mark("agent_stopped", detail=f"still running after {result.seconds:.0f} s"))
    elif result.code:
        marks.append(Mark("agent_exit", detail=f"exit code {result.code}"))
    if not episode.model_calls:
        marks.append(Mark("agent_silent", detail="the agent asked no model"))
    return marks
