"""Runs episodes with external agents: opens the environment, starts the agent's program at the episode's address, and ends both.

`program_runner` gives `rollout.many.run_many` what it calls for each episode in place of `run_episode`.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

from verigym.agents.forks import ForkedPrograms
from verigym.agents.host import EpisodeHost
from verigym.agents.hosted import HostedEpisode
from verigym.agents.program import EpisodeAddress, ProgramResult, ProgramSettings, check_program, forked, run_program
from verigym.core.errors import VerigymError
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
    """The function that runs the episodes of an agent: our own loop, or the program of the version or the environment."""
    command = agent.program or environment.agent
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


@contextlib.asynccontextmanager
async def program_runner(settings: ProgramSettings, others: Mapping[str, Policy] = {}) -> AsyncIterator[RunEpisode]:
    """Serves the addresses of episodes and yields a function that runs one with the program. `others` answer the actors of
    these names."""
    check_program(settings.command)
    host = EpisodeHost()

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
        episode = HostedEpisode(live, policy, run_settings, agent, played, keep_tools)
        keep_tools(live.offer)
        host.add(episode)
        try:
            if live.stop is not None:  # the environment did not open
                return await episode.end()
            return await _run(settings, host, episode, task, agent, run_settings, keep_blob, forks)
        finally:
            host.remove(episode)

    async with host.serving(), forked(settings) as forks:
        yield run


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
        failure = Failure(Fault.INFRASTRUCTURE, "AgentFailed", f"The agent could not be started: {error}")
        return await episode.end(error=failure)
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
