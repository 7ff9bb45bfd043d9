"""What every provider of a sandbox implements. A provider is one file: `bubblewrap.py`, `plain.py`, `containers.py`."""

import errno
import subprocess
from collections.abc import Sequence
from typing import Protocol

from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.sandbox.folder import Folder
from verigym.sandbox.limits import KillReason, SandboxLimits
from verigym.sandbox.setup import ProcessSetup
from verigym.sandbox.tree import Process


class RunningCommand(Protocol):
    """A command and all processes that it started."""

    process: "subprocess.Popen[bytes]"
    """The process whose streams and exit code are those of the command."""

    def members(self) -> list[Process]:
        """Its processes, if this machine can see them. Otherwise the provider enforces the limits on them."""
        ...

    def kill(self) -> KillReason | None:
        """Kills all processes, and returns when they have ended. If the provider ended the command for a limit, returns it."""
        ...


class CommandRunner(Protocol):
    """Starts commands in the folder of a box."""

    @property
    def isolated(self) -> bool: ...

    @property
    def can_forward(self) -> bool:
        """Whether a process can reach one address and nothing else (`forward.py`)."""
        ...

    @property
    def programs_of_host(self) -> bool:
        """Whether commands use the programs of this machine."""
        ...

    def start(
        self,
        folder: Folder,
        command: Sequence[str],
        limits: SandboxLimits,
        cpu_seconds: float,
        setup: ProcessSetup = ProcessSetup(),
    ) -> RunningCommand: ...


def start_command(
    runner: CommandRunner,
    folder: Folder,
    command: Sequence[str],
    limits: SandboxLimits,
    cpu_seconds: float,
    setup: ProcessSetup = ProcessSetup(),
) -> RunningCommand:
    """Starts a command. A command that cannot run is a mistake of the caller, and any other error a failure of the machine."""
    try:
        return runner.start(folder, command, limits, cpu_seconds, setup)
    except (ValueError, OSError) as error:
        if isinstance(error, OSError) and error.errno != errno.E2BIG:
            raise InfrastructureFailure(f"The sandbox could not start a command: {error}") from error
        raise BadInput(f"The command cannot run: {error}. Write long or binary text to a file in the sandbox") from None
