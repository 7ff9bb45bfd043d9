"""Episodes for agents that somebody else starts: `POST /v1/episodes` opens one, `POST /v1/episodes/ID/end` ends and stores it.

Between the two, the agent acts at `/e/ID/...` (`agents.host`). Opening and ending need the server's key. The address itself needs
none. Only environments that the server was started with, and those that Verigym ships, can be opened: an environment file
is code that runs as the server. An episode that nobody ends is ended after its time limit, so nothing stays open.
"""

import asyncio
import contextlib
import hashlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from verigym.agents.host import EpisodeHost
from verigym.agents.hosted import HostedEpisode
from verigym.core.errors import BadInput, VerigymError, not_found
from verigym.core.printable import tell
from verigym.core.protocols import Context, Policy
from verigym.core.records import Json, Sampling, Stop, Task, Toolset, Trajectory, Verdict, Version, content_hash
from verigym.core.seeds import derive
from verigym.environments.load import load_environment, names
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout.live import Live
from verigym.rollout.many import judge
from verigym.rollout.settings import EpisodeLimits, RunSettings
from verigym.sandbox.open import LazySandbox
from verigym.servers.routing import Router
from verigym.servers.types import HttpError, Responder
from verigym.servers.upstream import Upstream
from verigym.wire.types import decode
from verigym.workspace.agent_tools import with_agent_tools
from verigym.workspace.workspace import WorkspaceFolder

_LOOK_S = 1.0
_MOST = 1000
"""Episodes that are open at the same time."""
_SAMPLING = Sampling(max_tokens=1024)


class EpisodeBody(msgspec.Struct, forbid_unknown_fields=True):
    """The body of `POST /v1/episodes`."""

    environment: str
    task: str | Task
    """The id of a task of the environment, or a task."""
    seed: int = 0
    limits: EpisodeLimits = EpisodeLimits()
    model: str = ""
    """Name of the model, as in the other APIs. Empty for the one that the server was started for."""
    sampling: Sampling = _SAMPLING
    """How replies are sampled, whatever the agent asks for."""


class EndBody(msgspec.Struct, forbid_unknown_fields=True):
    """The body of `POST /v1/episodes/ID/end`."""

    reply: str = ""
    """The agent's final answer, if it differs from the model's last words."""
    outcome: str = ""
    reward: float | None = None
    """The verdict of the agent's side, for environments whose verifier is `external_verdict`."""


_create_decoder, _end_decoder = msgspec.json.Decoder(EpisodeBody), msgspec.json.Decoder(EndBody)


class _OpenEpisode(msgspec.Struct):
    episode: HostedEpisode
    environment: EnvironmentSpec
    task: Task
    version: Version
    run: str
    owner: str
    release: contextlib.ExitStack
    blobs: dict[str, bytes]
    toolsets: dict[str, Toolset]


class EpisodeService:
    """The episodes of one server."""

    def __init__(
        self,
        ws: WorkspaceFolder,
        router: Router,
        environments: Sequence[str] = (),
        say: Callable[[str], None] = tell,
    ) -> None:
        self.host = EpisodeHost()
        self._ws, self._router, self._say = ws, router, say
        self._allowed = [*environments, *names()]
        self._environments: dict[str, EnvironmentSpec] = {}
        self._open: dict[str, _OpenEpisode] = {}
        self._remote: dict[str, Policy] = {}
        self._count: Counter[tuple[str, str]] = Counter()

    # -- requests -----------------------------------------------------------------------------------------------------

    async def create(self, url: str, owner: str, body: bytes, out: Responder) -> None:
        asked = decode(body, _create_decoder)
        if len(self._open) >= _MOST:
            message = f"{len(self._open)} episodes are open. End some of them, or try again later"
            raise HttpError(503, message, code="too_many_episodes", retry_after_s=5)
        environment = await asyncio.to_thread(self._environment, asked.environment)
        task = await asyncio.to_thread(_task, environment, asked.task)
        release = contextlib.ExitStack()
        model = asked.model or self._router.champion.version.id
        agent = release.enter_context(self._router.agent(model, lambda: ""))
        try:
            opened = await self._start(asked, environment, task, agent.version, self._policy(agent), release, owner)
        except BaseException:
            release.close()
            raise
        episode, live = opened.episode, opened.episode.live
        if live.error is not None:
            await self._finish(opened, EndBody())
            raise HttpError(
                502, f"The environment could not be opened: {live.error.message}", code="environment_failed"
            )
        system = environment.system if agent.version.system_prompt is None else agent.version.system_prompt
        base = f"{url}/e/{episode.id}"
        answer: Json = {
            "id": episode.id,
            "base_url": f"{base}/v1",
            "anthropic_base_url": base,
            "mcp_url": f"{base}/mcp",
            "tools_url": f"{base}/tools",
            "prompt": task.prompt,
            "system": system,
            "tools": await episode.tools(),
            "trajectory": live.session.id,
        }
        await out.whole(200, msgspec.json.encode(answer))

    async def end(self, id: str, owner: str, body: bytes, out: Responder) -> None:
        opened = self._open.get(id)
        if opened is None or opened.owner != owner:
            raise HttpError(404, "No open episode has this id. It may have ended already", code="episode_not_found")
        trajectory, verdict = await self._finish(opened, decode(body or b"{}", _end_decoder))
        error = trajectory.error or verdict.error
        answer: Json = {
            "trajectory": trajectory.id,
            "run": opened.run,
            "stop": trajectory.stop.value,
            "reward": verdict.reward,
            "passed": verdict.passed,
            "unsafe": verdict.unsafe,
            "evidence": verdict.evidence,
            "error": msgspec.to_builtins(error) if error is not None else None,
            "turns": len(trajectory.turns),
        }
        await out.whole(200, msgspec.json.encode(answer))

    # -- the life of an episode ---------------------------------------------------------------------------------------

    async def _start(
        self,
        asked: EpisodeBody,
        environment: EnvironmentSpec,
        task: Task,
        version: Version,
        policy: Policy,
        release: contextlib.ExitStack,
        owner: str,
    ) -> _OpenEpisode:
        blobs: dict[str, bytes] = {}
        toolsets: dict[str, Toolset] = {}

        def keep_blob(data: bytes) -> str:
            sha256 = hashlib.sha256(data).hexdigest()
            blobs[sha256] = data
            return sha256

        def keep_tools(toolset: Toolset) -> None:
            toolsets[toolset.hash] = toolset

        run = await asyncio.to_thread(self._begin, environment, task, version)
        number = self._count[run, task.id]
        self._count[run, task.id] += 1
        seed = derive(asked.seed, "episode", task.id, number)
        settings = RunSettings(seed=seed, limits=asked.limits, sampling=asked.sampling)
        offered = await asyncio.to_thread(with_agent_tools, self._ws, environment, version)
        live = await Live.open(
            offered, task, settings,
            agent=version, id=f"{run}/{task.id}/{number}", group=f"{run}/{task.id}", index=number,
            keep_blob=keep_blob, keep_tools=keep_tools,
        )  # fmt: skip
        keep_tools(live.offer)
        episode = HostedEpisode(live, policy, settings, version, {}, keep_tools)
        self.host.add(episode)
        opened = _OpenEpisode(episode, environment, task, version, run, owner, release, blobs, toolsets)
        self._open[episode.id] = opened
        return opened

    def _begin(self, environment: EnvironmentSpec, task: Task, version: Version) -> str:
        """The run that holds all episodes of a version in an environment, as far as this server opens them."""
        store = self._ws.store
        config: Json = {
            "environment": environment.name,
            "agent": version.id,
            "verifier": environment.verifier.name,
            "served": True,
            **({"environment_version": environment.version} if environment.version else {}),
        }
        stem = environment.name.rsplit("/", 1)[-1].split(".")[0].replace(":", "-")
        run = f"episodes-{stem}-{content_hash(config)[:8]}"
        store.begin_run(run, "rollout", config, [task])
        self._ws.register(version)
        if not self._count[run, task.id]:
            stored = [one.repeat for one in store.statuses(run, environment.verifier.name) if one.task == task.id]
            self._count[run, task.id] = max(stored, default=-1) + 1
        return run

    async def _finish(self, opened: _OpenEpisode, body: EndBody) -> tuple[Trajectory, Verdict]:
        """Ends an episode, verifies it and stores it. It is removed first, so that it ends once."""
        self._open.pop(opened.episode.id, None)
        self.host.remove(opened.episode)
        try:
            trajectory = await opened.episode.end(reply=body.reply, outcome=body.outcome, reward=body.reward)
            context = Context(sandbox=LazySandbox(False), blob=opened.blobs.__getitem__)
            verifier = opened.environment.verifier
            [verdict] = await judge(verifier, opened.task, [trajectory], context)
            rows = [trajectory], [verdict], opened.blobs, [*opened.toolsets.values()]
            await asyncio.to_thread(self._ws.store.add, opened.run, *rows)
            return trajectory, verdict
        finally:
            opened.release.close()

    async def reap(self) -> None:
        """Ends episodes whose time is over, until it is cancelled. Then it ends all that are open."""
        try:
            while True:
                await asyncio.sleep(_LOOK_S)
                for opened in [*self._open.values()]:
                    live = opened.episode.live
                    if time.monotonic() > live.deadline:
                        live.stop = live.stop or Stop.TIME_OUT
                        await self._abandon(opened)
        finally:
            for opened in [*self._open.values()]:
                await self._abandon(opened)
            for policy in self._remote.values():
                if hasattr(policy, "close"):
                    await policy.close()  # type: ignore[attr-defined]

    async def _abandon(self, opened: _OpenEpisode) -> None:
        try:
            await self._finish(opened, EndBody())
        except Exception as error:
            self._say(f"warning: episode {opened.episode.live.session.id} could not be stored: {error}")

    # -- what an episode needs ----------------------------------------------------------------------------------------

    def _environment(self, name: str) -> EnvironmentSpec:
        if name not in self._allowed:
            remedy = "To offer an environment of your own, start the server with --env ENV."
            raise not_found("environment here", name, self._allowed, remedy)
        if name not in self._environments:
            self._environments[name] = load_environment(name)
        return self._environments[name]

    def _policy(self, agent: Any) -> Policy:
        """The policy of a version. One on another server is asked through a policy too, because that knows token ids."""
        if not isinstance(agent.backend, Upstream):
            return agent.backend
        if agent.version.id not in self._remote:
            self._remote[agent.version.id] = self._ws.open_policy(agent.version)
        return self._remote[agent.version.id]


def _task(environment: EnvironmentSpec, task: str | Task) -> Task:
    if isinstance(task, Task):
        return task
    splits = ("train", *environment.suites.values())
    known: dict[str, Task] = {}
    for split in dict.fromkeys(splits):
        with contextlib.suppress(VerigymError):
            known |= {each.id: each for each in environment.tasks(split)}
    if task not in known:
        raise not_found(f"task in {environment.name}", task, known)
    return known[task]


def check_environments(environments: Sequence[str]) -> None:
    """Loads the environments that a server offers, so that a wrong one is refused before it starts."""
    for name in environments:
        try:
            load_environment(name)
        except VerigymError as error:
            raise BadInput(f"--env {name}: {error}") from error
