"""An external agent as a program: what is started for an episode, with which arguments and environment, and how it ended.

`codex exec {prompt}` is a command, split like in a shell and started without one. `my_agent:solve` is a Python function. It
runs in a process of its own too (`forks`, or `call` in a sandbox). The program has its own environment: the addresses of its
episode, PATH and a few settings of the machine. Nothing else of the host's environment reaches it, unless it is named.
"""

import asyncio
import contextlib
import os
import re
import shlex
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

import msgspec

from verigym.agents.boxed import BoxedProgram, run_in_box
from verigym.agents.forks import ForkedPrograms
from verigym.core.errors import BadInput
from verigym.core.records import Item, Message, Task
from verigym.rollout.settings import ProgramOptions

_FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_INHERITED = ("PATH", "LANG", "LC_ALL", "TZ", "SYSTEMROOT", "NODE_PATH", "SSL_CERT_FILE")
"""Variables of the host that every agent gets. None of them holds a secret."""
_KEY = "verigym-episode"
"""Clients insist on a key. The address is the secret."""
_KEPT = 64 * 1024
"""Bytes of output that are kept, from its end."""
_GRACE_S = 3.0
"""Seconds between asking a program to end and killing it."""


class ProgramSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the program of an agent is started."""

    command: str
    """A command, or `module:function`."""
    options: ProgramOptions = ProgramOptions()


class EpisodeAddress(msgspec.Struct, frozen=True, kw_only=True):
    """What a program needs to know about its episode."""

    url: str
    """`http://127.0.0.1:8000/e/ID`"""
    task: Task
    system: str = ""
    seed: int = 0

    @property
    def prompt(self) -> str:
        """The task's prompt as text."""
        return prompt_text(self.task.prompt)

    def placeholders(self, folder: Path) -> dict[str, str]:
        return {
            "prompt": self.prompt,
            "system": self.system,
            "url": self.url,
            "base_url": f"{self.url}/v1",
            "anthropic_base_url": self.url,
            "mcp_url": f"{self.url}/mcp",
            "tools_url": f"{self.url}/tools",
            "folder": str(folder),
            "task": self.task.id,
            "model": "verigym",
            "seed": str(self.seed),
        }


class ProgramResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a program ended."""

    code: int | None
    """Exit code. Negative for a signal that ended it. None if it was stopped at the time limit."""
    output: bytes = b""
    errors: bytes = b""
    """The end of what it wrote to standard output and to standard error."""
    reply: str = ""
    """The final answer of a Python function."""
    seconds: float = 0.0


def prompt_text(prompt: str | list[Item]) -> str:
    """A prompt as text. Of a conversation, the messages of its user."""
    if isinstance(prompt, str):
        return prompt
    said = [item for item in prompt if isinstance(item, Message) and item.text]
    asked = [item.text for item in said if item.role == "user"]
    return "\n\n".join(asked or [item.text for item in said])


def is_function(command: str) -> bool:
    return _FUNCTION.fullmatch(command.strip()) is not None


def check_program(command: str) -> None:
    """Raises `BadInput` if a program cannot be started."""
    if not command.strip():
        raise BadInput(
            "The agent (--agent) is empty. Write a command, such as 'codex exec {prompt}', or module:function"
        )
    if is_function(command):
        return
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadInput(f"The agent (--agent) cannot be read as a command: {error}. Check its quotes") from error
    known = EpisodeAddress(url="", task=Task(id="", prompt="")).placeholders(Path())
    for name in _PLACEHOLDER.findall(command):
        if name not in known:
            raise BadInput(
                f"The agent (--agent) has the placeholder {{{name}}}, which does not exist. Placeholders: {', '.join(known)}"
            )
    if shutil.which(words[0]) is None:
        raise BadInput(f'The program "{words[0]}" of the agent cannot be found. Install it, or write its path')


def arguments(command: str, address: EpisodeAddress, folder: Path) -> list[str]:
    """The arguments of the process. A placeholder never becomes more than one argument."""
    if is_function(command):
        return [sys.executable, "-m", "verigym.agents.call", command.strip()]
    values = address.placeholders(folder)
    return [_PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), word) for word in shlex.split(command)]


def variables(address: EpisodeAddress, home: Path, more: Sequence[str] = ()) -> dict[str, str]:
    """The environment of the process."""
    inherited = {name: os.environ[name] for name in (*_INHERITED, *more) if name in os.environ}
    values = address.placeholders(home)
    return {
        **inherited,
        "HOME": str(home),
        "TMPDIR": str(home),
        "OPENAI_BASE_URL": values["base_url"],
        "OPENAI_API_BASE": values["base_url"],
        "OPENAI_API_KEY": _KEY,
        "ANTHROPIC_BASE_URL": address.url,
        "ANTHROPIC_API_KEY": _KEY,
        "VERIGYM_URL": address.url,
        "VERIGYM_BASE_URL": values["base_url"],
        "VERIGYM_MCP_URL": values["mcp_url"],
        "VERIGYM_TOOLS_URL": values["tools_url"],
        "VERIGYM_SAY_URL": f"{address.url}/say",
        "VERIGYM_PROMPT": values["prompt"][:100_000],
        "VERIGYM_SYSTEM": address.system[:100_000],
        "VERIGYM_TASK": address.task.id,
        "VERIGYM_SEED": values["seed"],
        "NO_PROXY": "127.0.0.1,localhost",
    }


async def run_program(
    settings: ProgramSettings,
    address: EpisodeAddress,
    seconds: float,
    workdir: Path | None = None,
    files: Mapping[str, str] = {},
    forks: ForkedPrograms | None = None,
) -> ProgramResult:
    """Runs the program of one episode until it ends, or until its time is over. Its whole process group ends with it. `files`
    are written into the working folder first: the agent's skills, where coding agents look for them."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="verigym-agent-", ignore_cleanup_errors=True) as work:
        home = Path(work) / "home"
        home.mkdir()
        folder = workdir or Path(work) / "folder"
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        words = arguments(settings.command, address, folder)
        environment = variables(address, home, settings.options.variables)
        reply = home / "reply.txt"
        if is_function(settings.command):
            environment |= {"VERIGYM_REPLY_FILE": str(reply), "PYTHONPATH": _python_path()}
        feeds = "{prompt}" not in settings.command and not is_function(settings.command)
        with open(Path(work) / "stdout", "w+b") as output, open(Path(work) / "stderr", "w+b") as errors:
            program = BoxedProgram(
                command=settings.command, words=words, environment=environment, folder=folder, home=home,
                reach=urlsplit(address.url).netloc, stdin=address.prompt if feeds else "", seconds=seconds,
                options=settings.options,
            )  # fmt: skip
            if forks is not None:
                code = await forks.run(environment, str(folder), output.name, errors.name, seconds)
            else:
                run = run_in_box if settings.options.sandbox else _run_as_process
                code = await run(program, output, errors)
            return ProgramResult(
                code=code,
                output=_end(output),
                errors=_end(errors),
                reply=_text_of(reply),
                seconds=time.monotonic() - began,
            )


def _python_path() -> str:
    """Where a function's module is looked for: here first, as a script's would be."""
    return os.pathsep.join([os.getcwd(), *([os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else [])])


@contextlib.asynccontextmanager
async def forked(settings: ProgramSettings) -> AsyncIterator[ForkedPrograms | None]:
    """The process that forks for a function, until the end of the block. None for a command, and in a sandbox."""
    if not is_function(settings.command) or settings.options.sandbox:
        yield None
        return
    forks = ForkedPrograms(settings.command.strip())
    inherited = {name: os.environ[name] for name in (*_INHERITED, *settings.options.variables) if name in os.environ}
    try:
        await forks.start({**inherited, "PYTHONPATH": _python_path()})
        yield forks
    finally:
        await forks.close()


async def _run_as_process(program: BoxedProgram, output: BinaryIO, errors: BinaryIO) -> int | None:
    """Runs a program without a sandbox. None if it was stopped at the time limit."""
    process = await asyncio.create_subprocess_exec(
        *program.words,
        stdin=asyncio.subprocess.PIPE if program.stdin else asyncio.subprocess.DEVNULL,
        stdout=output,
        stderr=errors,
        cwd=program.folder,
        env=program.environment,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(program.seconds):
            if process.stdin is not None:
                await _feed(process.stdin, program.stdin)
            return await process.wait()
    except TimeoutError:
        return None
    finally:
        await _stop(process)


def _text_of(file: Path) -> str:
    """The text of a file that the program may have written. A link could lead to a file that is none of its business."""
    if file.is_symlink() or not file.is_file():
        return ""
    return file.read_text(encoding="utf-8", errors="replace")


async def _feed(pipe: asyncio.StreamWriter, text: str) -> None:
    with contextlib.suppress(ConnectionError):
        pipe.write(text.encode("utf-8", "replace"))
        await pipe.drain()
        pipe.close()


async def _stop(process: asyncio.subprocess.Process) -> None:
    """Ends a program with everything that it started."""
    _signal(process, signal.SIGTERM if process.returncode is None else signal.SIGKILL)
    if process.returncode is None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _GRACE_S)
    _signal(process, signal.SIGKILL)
    await process.wait()


def _signal(process: asyncio.subprocess.Process, which: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, which)


def _end(file: BinaryIO) -> bytes:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _KEPT))
    return file.read(_KEPT)
