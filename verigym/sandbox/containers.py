"""Runs a command in a container of Docker or Podman: no network, a read-only root, the limits of its cgroup.

A container costs about half a second per command, and the image decides which programs exist. Memory, processes and processor
time are limited by the engine. Time, output and disk are watched here. Containers are labelled with the process that started
them, so what a killed process left is removed the next time a sandbox is opened.
"""

import contextlib
import csv
import functools
import io
import os
import secrets
import shutil
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from verigym.core.errors import InfrastructureFailure
from verigym.sandbox.bubblewrap import ENVIRONMENT
from verigym.sandbox.folder import Folder
from verigym.sandbox.limits import KillReason, SandboxLimits
from verigym.sandbox.setup import ProcessSetup
from verigym.sandbox.tree import Process, process

Engine = Literal["docker", "podman"]
IMAGE = "python:3.12-slim"
"""The image if VERIGYM_SANDBOX_IMAGE is not set. Commands need `sh` and `python3`."""
_LABEL = "verigym.owner"
_ASK_S = 60.0
"""Seconds that the engine may take to answer."""
_OPTIONS = """
    --interactive --init --pull never --read-only --cap-drop ALL --security-opt no-new-privileges --hostname sandbox
    --ulimit core=0:0"""
_OF_CLIENT = ("PATH", "HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "TMPDIR")
"""Variables of the host that the engine's client needs, besides those that begin with its name."""
_NOT_STARTED, _KILLED = 125, 137


class ContainerCommand:
    """One command in a container, and the client that is attached to it."""

    def __init__(self, client: "subprocess.Popen[bytes]", engine: str, name: str) -> None:
        self.process = client
        self._engine = engine
        self._name = name

    def members(self) -> list[Process]:
        """None: the processes may be in a virtual machine."""
        return []

    def kill(self) -> KillReason | None:
        """Removes the container with everything in it. Says if the engine ended it because of its memory."""
        code = self.process.poll()
        if code is None:
            self.process.kill()  # first, so that it cannot create the container afterwards
            self.process.wait()
        state = ask(self._engine, "inspect", "--format", "{{.State.OOMKilled}}", self._name) if code else None
        removed = ask(self._engine, "rm", "--force", "--volumes", self._name)
        missing = "no such container" in removed.stderr.lower() or "no container with name" in removed.stderr.lower()
        if removed.returncode and not missing:
            raise InfrastructureFailure(
                f"{self._engine} did not remove the container {self._name}: {_last_line(removed)}. Remove it: {self._engine} rm "
                f"--force {self._name}"
            )
        if code == _NOT_STARTED and state is not None and state.returncode:
            raise InfrastructureFailure(
                f"{self._engine} could not start a container. Try it: {self._engine} run --rm {image()} true"
            )
        if code == _KILLED and state is not None and state.stdout.strip() == "true":
            return KillReason("memory", "its processes together took more memory than allowed")
        return None


class ContainerRunner:
    isolated = True
    can_forward = programs_of_host = False

    def __init__(self, engine: Engine) -> None:
        self._engine: str = engine
        self._program = shutil.which(engine) or engine

    @functools.cached_property
    def _rootless(self) -> bool:
        asked = "{{.Host.Security.Rootless}}" if self._engine == "podman" else "{{json .SecurityOptions}}"
        said = ask(self._engine, "info", "--format", asked).stdout
        return "rootless" in said or said.strip() == "true"

    def start(
        self,
        folder: Folder,
        command: Sequence[str],
        limits: SandboxLimits,
        cpu_seconds: float,
        setup: ProcessSetup = ProcessSetup(),
    ) -> ContainerCommand:
        name = f"verigym-{secrets.token_hex(8)}"
        client = {key: value for key, value in os.environ.items() if _is_of_client(key, self._engine)}
        words = [self._program, "run", "--name", name, "--label", f"{_LABEL}={_owner()}", *_OPTIONS.split()]
        words += ["--network", "host" if setup.network else "none", "--workdir", setup.cwd or "/box"]
        words += [*self._user(folder), *_limits(limits, cpu_seconds), *_mounts(folder, setup)]
        for key, value in {**ENVIRONMENT, "HOME": "/box", "TMPDIR": "/tmp"}.items():
            words += [] if key in setup.env else ["--env", f"{key}={value}"]
        # A value would be visible in the list of processes, so the client takes it from its own environment.
        for key, value in setup.env.items():
            if key == "PATH":
                continue  # it is that of the image
            words += ["--env", f"{key}={value}" if key in client else key]
        started = subprocess.Popen(
            [*words, image(), *command],
            stdin=subprocess.PIPE,
            stdout=setup.output,
            stderr=setup.errors,
            bufsize=0,
            env={**setup.env, **client},
            start_new_session=True,
        )
        return ContainerCommand(started, self._engine, name)

    def _user(self, folder: Folder) -> list[str]:
        """The user in the container that owns the folder of the box on the host."""
        if self._engine == "podman":
            keep = ["--userns", "keep-id"] if self._rootless else []
            return [*keep, "--security-opt", "label=disable", "--user", _user_of(folder)]
        return ["--user", "0:0" if self._rootless else _user_of(folder)]


def image() -> str:
    return os.environ.get("VERIGYM_SANDBOX_IMAGE") or IMAGE


def ask(engine: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """Runs a command of the engine. A missing or silent engine is an answer with code 127 or 124."""
    try:
        return subprocess.run(
            [engine, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=_ASK_S
        )
    except OSError as error:
        return subprocess.CompletedProcess(words, 127, "", str(error))
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 124, "", f"{engine} did not answer within {_ASK_S:g} s")


def why_no_engine(engine: Engine) -> str:
    """Why containers cannot be used and what to do, in sentences. Empty if the engine answers and has the image."""
    if shutil.which(engine) is None:
        return f"{engine} is not installed. Install it, or unset VERIGYM_SANDBOX."
    answered = ask(
        engine, "version", "--format", "{{.Client.Version}}" if engine == "podman" else "{{.Server.Version}}"
    )
    if answered.returncode:
        return f"{engine} does not answer: {_last_line(answered)}. Start its daemon, or unset VERIGYM_SANDBOX."
    if ask(engine, "image", "inspect", image()).returncode:
        return (
            f"The image {image()} is missing. Run {engine} pull {image()}, or set VERIGYM_SANDBOX_IMAGE to another one."
        )
    return ""


def remove_left(engine: Engine) -> None:
    """Removes containers of processes on this machine that have ended."""
    listed = ask(
        engine, "ps", "--all", "--filter", f"label={_LABEL}", "--format", f'{{{{.Names}}}} {{{{.Label "{_LABEL}"}}}}'
    )
    for line in listed.stdout.splitlines():
        name, _, owner = line.partition(" ")
        host, _, rest = owner.rpartition("/")
        pid, _, started = rest.partition("-")
        if host == socket.gethostname() and pid.isdigit():
            now = process(int(pid))
            if now is None or str(now.started) != started:
                ask(engine, "rm", "--force", "--volumes", name)


def _owner() -> str:
    """This process: machine, number, and when it began. Together they are unique."""
    own = process(os.getpid())
    return f"{socket.gethostname()}/{os.getpid()}-{own.started if own else 0}"


def _user_of(folder: Folder) -> str:
    return f"{os.getuid()}:{os.getgid()}" if folder.uid is None else f"{folder.uid}:{folder.uid}"


def _limits(limits: SandboxLimits, cpu_seconds: float) -> list[str]:
    memory = f"{limits.memory_mb}m"
    most_cpu = min(max(0.01, cpu_seconds / max(limits.seconds, 0.001)), os.cpu_count() or 1)
    words = ["--memory", memory, "--memory-swap", memory, "--pids-limit", str(limits.processes + 1)]
    words += ["--cpus", f"{most_cpu:.2f}", "--ulimit", f"nofile={limits.open_files}:{limits.open_files}"]
    return [*words, "--ulimit", f"fsize={limits.file_mb << 20}:{limits.file_mb << 20}"]


def _mounts(folder: Folder, setup: ProcessSetup) -> list[str]:
    mounts: list[tuple[Path, str, bool]] = [(path, place, False) for path, place in setup.mounts(folder).items()]
    mounts += [(path, str(path), True) for path in setup.readable]
    mounts += [(path, str(path), False) for path in setup.writable]
    words: list[str] = []
    for source, target, read_only in mounts:
        fields = ["type=bind", f"source={source}", f"target={target}", *(["readonly"] if read_only else [])]
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow(fields)
        words += ["--mount", line.getvalue()]
    return words


def _is_of_client(name: str, engine: str) -> bool:
    return name in _OF_CLIENT or name.startswith(("DOCKER_", "CONTAINER_", "CONTAINERS_", f"{engine.upper()}_"))


def _last_line(said: "subprocess.CompletedProcess[str]") -> str:
    with contextlib.suppress(IndexError):
        return said.stderr.strip().splitlines()[-1].rstrip(".")
    return f"exit code {said.returncode}"
