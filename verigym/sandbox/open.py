"""Opens the sandbox of this machine: bubblewrap if it works, otherwise plain processes, with a warning or an error. The variable
VERIGYM_SANDBOX chooses another provider.
"""

import ctypes
import functools
import os
import platform
import shutil
import sys
import threading
from collections.abc import Mapping
from typing import Literal, get_args

from verigym.core.errors import BadInput, Refused, VerigymError
from verigym.core.protocols import Box, Sandbox
from verigym.sandbox.box import ProcessSandbox, execute, own_uid
from verigym.sandbox.bubblewrap import BubblewrapRunner
from verigym.sandbox.containers import ContainerRunner, Engine, remove_left, why_no_engine
from verigym.sandbox.folder import Folder
from verigym.sandbox.limits import SandboxLimits
from verigym.sandbox.plain import PlainRunner
from verigym.sandbox.runner import CommandRunner
from verigym.sandbox.seccomp import seccomp_filter

Provider = Literal["", "bubblewrap", "docker", "podman", "plain"]
_PR_SET_DUMPABLE = 4
INSTALL = "apt-get install bubblewrap (the package has the same name in dnf, pacman and apk)"


def open_sandbox(require: bool = False, limits: SandboxLimits = SandboxLimits()) -> ProcessSandbox:
    """Opens the sandbox. The first call tests it. With `require` or VERIGYM_REQUIRE_SANDBOX=1, plain processes are refused.
    VERIGYM_SANDBOX chooses the provider: bubblewrap, docker, podman or plain."""
    provider = _provider()
    reason = why_not_isolated()
    if sys.platform != "linux":
        raise Refused(reason)
    if not reason:
        runner = ContainerRunner(provider) if provider in ("docker", "podman") else BubblewrapRunner()
        return ProcessSandbox(runner, limits)
    if provider not in ("", "plain"):
        raise Refused(f"VERIGYM_SANDBOX is {provider}, which does not work here. {reason}")
    if require or os.environ.get("VERIGYM_REQUIRE_SANDBOX") == "1":
        raise Refused(f"--require-sandbox is set, and no sandbox is available: {reason}")
    if os.geteuid() == 0 and (plain := why_it_fails(PlainRunner())):
        raise Refused(f"{reason} Running code as a separate user failed too: {plain}")
    _warn(reason)
    _hide_memory()
    return ProcessSandbox(PlainRunner(), limits)


class LazySandbox:
    """The sandbox of this machine, opened when code is first run. A run without code prints no warning about it."""

    def __init__(self, require: bool = False) -> None:
        self._require = require

    @functools.cached_property
    def _sandbox(self) -> Sandbox:
        return open_sandbox(self._require)

    @property
    def isolated(self) -> bool:
        return not why_not_isolated()

    async def open(self, files: Mapping[str, str | bytes] = {}) -> Box:
        return await self._sandbox.open(files)


@functools.cache
def why_not_isolated() -> str:
    """Why code cannot be isolated here and what to do, in sentences. Empty if it can."""
    provider = _provider()
    if sys.platform != "linux":
        return "The sandbox needs Linux. Run verigym in a Linux virtual machine or container."
    if provider == "plain":
        return "VERIGYM_SANDBOX is plain. Unset it to use bubblewrap."
    if provider in ("docker", "podman"):
        return _why_no_containers(provider)
    if not shutil.which("bwrap"):
        return f"bubblewrap is not installed. Run {INSTALL}."
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        return "setpriv is missing. As root, the sandbox needs it. Install util-linux (on Alpine: apk add setpriv)."
    if seccomp_filter() is None:
        return f"The system call filter of the sandbox does not support this processor ({platform.machine()})."
    reason = why_it_fails(BubblewrapRunner())
    return reason and (
        f"bubblewrap is installed but does not work here: {reason}. Containers often forbid namespaces. Allow them (docker run"
        " --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined),"
        " or run outside the container. On Ubuntu, see kernel.apparmor_restrict_unprivileged_userns."
    )


def _provider() -> Provider:
    """What VERIGYM_SANDBOX asks for. Empty: bubblewrap, or plain processes without it."""
    name = os.environ.get("VERIGYM_SANDBOX", "").strip().lower()
    for provider in get_args(Provider):
        if name == provider:
            return provider
    known = ", ".join(provider for provider in get_args(Provider) if provider)
    raise BadInput(f'VERIGYM_SANDBOX is "{name}". It must be one of: {known}. Unset it for the default')


def _why_no_containers(engine: Engine) -> str:
    """Why containers do not work here. Empty if a test run works, with a file in and a file out."""
    if reason := why_no_engine(engine):
        return reason
    remove_left(engine)
    try:
        folder = Folder(own_uid())
        try:
            folder.write("in", "1\n")
            words = ["sh", "-c", "cat in && python3 -c 'print(2)' > out"]
            result = execute(
                ContainerRunner(engine), folder, words, "", SandboxLimits(seconds=60), None, threading.Event()
            )
            out = folder.read("out") if result.code == 0 else b""
        finally:
            folder.delete()
    except VerigymError as error:
        return f"A test run with {engine} failed: {error}. The engine must run on this machine, because folders are mounted."
    if (result.stdout, out) == ("1\n", b"2\n"):
        return ""
    said = result.stderr.strip() or f"it ended with code {result.code}"
    return f"A test run with {engine} failed: {said}. The image needs sh and python3, and the engine must run on this machine."


def why_it_fails(runner: CommandRunner) -> str:
    """Why a test run fails. Empty if it works."""
    try:
        folder = Folder(own_uid())
        try:
            result = execute(
                runner, folder, ["python3", "-c", "print(1)"], "", SandboxLimits(), None, threading.Event()
            )
        finally:
            folder.delete()
    except VerigymError as error:
        return str(error)
    return "" if result.stdout == "1\n" else result.stderr.strip() or f"a test run ended with code {result.code}"


def _hide_memory() -> None:
    """Keeps other processes of this user from reading the memory and the environment of this process, where keys and tests are.
    It also turns off core dumps and debuggers that attach."""
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


@functools.cache
def _warn(reason: str) -> None:
    """Prints the warning once per process."""
    print(
        f"WARNING: code runs WITHOUT A SANDBOX: {reason}\n"
        "WARNING: the code can use the network and every file of its user, and stop this process. Only time, memory and disk "
        "limits apply (docs/how-to/sandbox.md).\n"
        "WARNING: pass --require-sandbox to stop instead.",
        file=sys.stderr,
        flush=True,
    )
