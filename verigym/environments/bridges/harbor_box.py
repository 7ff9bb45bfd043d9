"""The two places where a task of Harbor runs: bubblewrap with the programs of this machine, or a container of its image.

Both run commands as the agent, then the tests. The tests and the folder of the reward are put there fresh after the agent's last
command, so that nothing that an agent left in them counts.
"""

import asyncio
import secrets
import subprocess
from pathlib import Path
from typing import Literal, Protocol

from verigym.core.errors import BadInput, InfrastructureFailure, Refused
from verigym.core.protocols import CommandResult
from verigym.environments.bridges.harbor_task import HarborTask, Plan
from verigym.sandbox.box import ProcessBox
from verigym.sandbox.containers import ask, remove_left
from verigym.sandbox.limits import SandboxLimits
from verigym.sandbox.open import open_sandbox, why_not_isolated
from verigym.sandbox.setup import ProcessSetup

Engine = Literal["docker", "podman"]
ENGINES: tuple[Engine, ...] = ("docker", "podman")
_REWARDS = ("reward.json", "reward.txt")
_BUILD_S = 1800
_LARGEST = 1 << 20
_CLEAN = (
    "chmod -R u+rwX {0}tests {0}logs; rm -rf {0}tests/* {0}tests/.[!.]* {0}logs/verifier; mkdir -p {0}logs/verifier"
)


class HarborBox(Protocol):
    async def run(self, command: str, seconds: float) -> CommandResult: ...
    async def verify(self, seconds: float) -> tuple[CommandResult, str, bytes | None]:
        """The output of the tests, and the name and content of the reward file."""
        ...

    async def close(self) -> None: ...


def engine_here() -> Engine | None:
    """A container engine whose daemon answers."""
    for engine in ENGINES:
        asked = "{{.Client.Version}}" if engine == "podman" else "{{.Server.Version}}"
        if ask(engine, "version", "--format", asked).returncode == 0:
            return engine
    return None


def files_of(folder: Path) -> dict[str, Path]:
    """The plain files of a folder by relative path."""
    return {str(each.relative_to(folder)): each for each in sorted(folder.rglob("*")) if each.is_file()}


class BubblewrapBox:
    """The machine's own programs, read-only, and private folders for the task. There is no network."""

    def __init__(self, task: HarborTask, plan: Plan, box: ProcessBox) -> None:
        self._task, self._plan, self._box = task, plan, box
        self._places = {name: f"/{name}" for name in plan.places}

    @classmethod
    async def opened(cls, task: HarborTask, plan: Plan) -> "BubblewrapBox":
        if reason := why_not_isolated():
            raise Refused(f"A task of Harbor needs a sandbox. {reason}")
        limits = SandboxLimits(
            seconds=60.0, cpu_seconds=60.0, memory_mb=task.memory_mb, processes=256, disk_mb=1024, open_files=1024
        )
        content = {place: Path(file).read_bytes() for place, file in plan.files.items()}
        made = cls(task, plan, await open_sandbox(require=True, limits=limits).open(content))
        modes = [f"chmod +x {place!r}" for place, file in plan.files.items() if Path(file).stat().st_mode & 0o100]
        folders = [*plan.places, "logs/verifier", "logs/agent", "logs/artifacts", plan.workdir.lstrip("/")]
        await made._plain(" && ".join([f"mkdir -p {' '.join(map(repr, folders))}", *modes]))
        return made

    async def _plain(self, command: str) -> None:
        """A command of ours. It must succeed."""
        done = await self._box.run(["sh", "-c", command])
        if done.code != 0:
            raise InfrastructureFailure(f"{self._task.name}: the sandbox cannot be prepared: {done.stderr.strip()}")

    def _setup(self, more: dict[str, str]) -> ProcessSetup:
        return ProcessSetup(env={**self._plan.env, **more}, cwd=self._plan.workdir, places=self._places)

    async def run(self, command: str, seconds: float) -> CommandResult:
        setup = self._setup({"HOME": "/tmp", **self._task.solution_env})
        return await self._box.run(["bash", "-c", command], seconds=seconds, setup=setup)

    async def verify(self, seconds: float) -> tuple[CommandResult, str, bytes | None]:
        await self._plain(_CLEAN.format(""))
        for name, file in files_of(self._task.path / "tests").items():
            await self._box.write(f"tests/{name}", file.read_bytes())
        home = {"HOME": "/logs/verifier", **self._task.tests_env}
        said = await self._box.run(["bash", "/tests/test.sh"], seconds=seconds, setup=self._setup(home))
        file, content = await self._reward()
        await self._plain(_CLEAN.format(""))  # an agent that goes on must not see the tests
        return said, file, content

    async def _reward(self) -> tuple[str, bytes | None]:
        for name in _REWARDS:
            try:
                return name, await self._box.read(f"logs/verifier/{name}")
            except BadInput:  # it is not there, or not a plain file
                continue
        return "", None

    async def close(self) -> None:
        await self._box.close()


class ContainerBox:
    """One container of the task's image, for the whole episode."""

    def __init__(self, task: HarborTask, engine: Engine, name: str) -> None:
        self._task, self._engine, self._name = task, engine, name

    @classmethod
    async def opened(cls, task: HarborTask, engine: Engine) -> "ContainerBox":
        image = await asyncio.to_thread(_image, task, engine)
        made = cls(task, engine, f"verigym-harbor-{secrets.token_hex(8)}")
        words = ["run", "--detach", "--name", made._name, "--memory", f"{task.memory_mb}m", "--pids-limit", "512"]
        words += [] if task.internet else ["--network", "none"]
        await made._ask(*words, "--entrypoint", "sleep", image, "infinity")
        try:
            await made._ask(
                "exec", made._name, "mkdir", "-p", "/logs/verifier", "/logs/agent", "/logs/artifacts", "/tests"
            )
        except BaseException:
            await made.close()
            raise
        return made

    async def _ask(self, *words: str) -> str:
        done = await asyncio.to_thread(ask, self._engine, *words)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise InfrastructureFailure(f"{self._task.name}: {self._engine} {words[0]} failed: {reason}")
        return done.stdout

    async def run(self, command: str, seconds: float) -> CommandResult:
        return await self._exec(["bash", "-c", command], self._task.solution_env, seconds)

    async def _exec(self, command: list[str], env: dict[str, str], seconds: float) -> CommandResult:
        given = [word for key, value in env.items() for word in ("--env", f"{key}={value}")]
        limited = ["timeout", "--kill-after", "5", f"{seconds:g}", *command]
        process = await asyncio.create_subprocess_exec(
            self._engine, "exec", *given, self._name, *limited,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            async with asyncio.timeout(seconds + 30):
                out, err = await process.communicate()
        except TimeoutError as error:
            process.kill()
            raise InfrastructureFailure(f"{self._task.name}: {self._engine} did not end a command in time") from error
        late = process.returncode in (124, 137)
        texts = [each[-_LARGEST:].decode(errors="replace") for each in (out, err)]
        return CommandResult(
            code=None if late else process.returncode, stdout=texts[0], stderr=texts[1], stop="time" if late else "exit"
        )

    async def verify(self, seconds: float) -> tuple[CommandResult, str, bytes | None]:
        await self._ask("exec", "--user", "0", self._name, "sh", "-c", _CLEAN.format("/"))
        await self._ask("cp", f"{self._task.path / 'tests'}/.", f"{self._name}:/tests")
        said = await self._exec(["bash", "/tests/test.sh"], self._task.tests_env, seconds)
        file, content = await self._reward()
        await self._ask("exec", "--user", "0", self._name, "sh", "-c", _CLEAN.format("/"))
        return said, file, content

    async def _reward(self) -> tuple[str, bytes | None]:
        for name in _REWARDS:
            read = await asyncio.to_thread(ask, self._engine, "exec", self._name, "cat", f"/logs/verifier/{name}")
            if read.returncode == 0:
                return name, read.stdout.encode()
        return "", None

    async def close(self) -> None:
        await asyncio.to_thread(ask, self._engine, "rm", "--force", "--volumes", self._name)


def _image(task: HarborTask, engine: Engine) -> str:
    """The image of a task. It is built if the engine does not have it."""
    remove_left(engine)
    if task.image and not (task.path / "environment" / "Dockerfile").is_file():
        return task.image
    name = f"verigym-harbor-{task.name.lower()}"
    command = [engine, "build", "--quiet", "--tag", name, str(task.path / "environment")]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_BUILD_S)
    except subprocess.TimeoutExpired as error:
        raise InfrastructureFailure(
            f"{task.name}: the image took more than {_BUILD_S / 60:g} minutes to build"
        ) from error
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise InfrastructureFailure(f"{task.name}: the image cannot be built: {reason}")
    return name
