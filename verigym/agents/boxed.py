"""Runs the program of an agent in the sandbox. It reaches the address of its episode, changes its own folders, and reads its own
program, the files that its command names, and what the user names.
"""

import os
import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from typing import BinaryIO

import msgspec

import verigym
from verigym.rollout.settings import ProgramOptions
from verigym.sandbox.open import open_sandbox
from verigym.sandbox.process import AGENT_LIMITS

_SIGNALS = 128
"""Exit codes above it stand for signals."""


class BoxedProgram(msgspec.Struct, frozen=True, kw_only=True):
    """A program to run in the sandbox."""

    command: str
    """The command as the user wrote it."""
    words: Sequence[str]
    """The arguments of the process."""
    environment: Mapping[str, str]
    folder: Path
    """The folder that it starts in and may change."""
    home: Path
    """Its home folder, which it may change too."""
    reach: str
    """The address of its episode."""
    stdin: str
    seconds: float
    options: ProgramOptions


async def run_in_box(program: BoxedProgram, output: BinaryIO, errors: BinaryIO) -> int | None:
    """Runs a program to its end. Returns its exit code, negative for a signal that ended it, or None if it was stopped at the
    time limit."""
    limits = msgspec.structs.replace(AGENT_LIMITS, seconds=program.seconds, cpu_seconds=4 * program.seconds)
    named = [Path(path) for path in program.options.readable]
    certificates = Path(program.environment.get("SSL_CERT_FILE", ""))
    if certificates.is_file():  # clients of HTTP read it even if they need no certificate
        named.append(certificates)
    async with await open_sandbox(require=True, limits=limits).open() as box:
        process = await box.start(
            program.words,
            output.fileno(),
            errors.fileno(),
            env=program.environment,
            stdin=program.stdin,
            network=program.options.network,
            reach=[program.reach],
            readable=[*named_files(program.command), *named],
            writable=[program.home, program.folder],
            cwd=program.folder,
        )
        ended = await process.wait()
    if ended.code is not None:
        return _SIGNALS - ended.code if _SIGNALS < ended.code <= _SIGNALS + signal.NSIG else ended.code
    if ended.stop == "time":
        return None
    errors.seek(0, os.SEEK_END)
    errors.write(ended.stderr.encode())
    errors.flush()
    return -signal.SIGKILL


def named_files(command: str) -> list[Path]:
    """The files that a command names by their full path, or the module of a function and Verigym itself. What a placeholder
    stands for does not count, because it comes from a task."""
    module, colon, _ = command.strip().partition(":")
    if colon and " " not in command.strip() and "/" not in module:
        here = os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")]).split(os.pathsep)
        spec = PathFinder.find_spec(module.partition(".")[0], [*filter(None, here), *sys.path])
        found = [*(spec.submodule_search_locations or [spec.origin])] if spec else []
        return [Path(verigym.__file__).parent, *(Path(path) for path in found if path and Path(path).exists())]
    words = [word for word in shlex.split(command)[1:] if "{" not in word]
    return [Path(word) for word in words if os.path.isabs(word) and os.path.isfile(word)]
