"""A tool that is a command in the sandbox: `command: [grep, -n, "{pattern}", notes.txt]`.

Each element is one argument of the command, whatever the model wrote into it. No shell reads it. An element whose argument is
missing is left out. Commands of one episode share a working folder, which starts with the files of the tools file. The
command gets no environment variable of this process.
"""

from pathlib import Path
from typing import Any

from msgspec import Struct

from verigym.core.errors import BadInput
from verigym.core.protocols import Box, CommandResult
from verigym.core.records import Json
from verigym.harness.state_tools import ToolResult
from verigym.harness.toolkinds.templates import Template, as_text

DEFAULT_S = 10.0
_SHOWN = 20_000
"""Maximum characters of each stream that the model sees."""
_MOST_FILES, _MOST_BYTES = 2000, 32 << 20


class Command(Struct, forbid_unknown_fields=True, kw_only=True):
    """The settings of a command."""

    argv: list[str]
    stdin: str = ""


class CommandTool:
    """Runs one command."""

    def __init__(self, name: str, settings: Command, seconds: float | None, where: str) -> None:
        if not settings.argv:
            raise BadInput(f"{where}: the command is empty. Write a list: a program and its arguments")
        self.name = name
        self._seconds = seconds or DEFAULT_S
        self._argv = [Template(text, where) for text in settings.argv]
        self._stdin = Template(settings.stdin, where)
        templates = [*self._argv, self._stdin]
        self.names = {name for template in templates for name in template.names}
        if any(template.secrets for template in templates):
            raise BadInput(f"{where}: a command cannot use ${{...}}. No secret reaches the sandbox")
        if self._argv[0].names:
            raise BadInput(f"{where}: an argument cannot choose the program. Write the program out")

    async def call(self, box: Box, arguments: Json) -> ToolResult:
        argv: list[str] = []
        for template in self._argv:
            value: Any = arguments.get(template.whole) if template.whole is not None else template.fill(arguments)
            if isinstance(value, list):
                argv += [as_text(each) for each in value]
            elif value is not None:
                argv.append(as_text(value))
        if any("\0" in text for text in argv):
            raise ValueError("an argument of a command cannot contain a NUL character")
        return _result(await box.run(argv, stdin=self._stdin.fill(arguments) or "", seconds=self._seconds))


def files_of(folder: Path, where: str) -> dict[str, bytes]:
    """The files that an episode's working folder starts with."""
    if not folder.is_dir():
        raise BadInput(f"{where}: files: the folder {folder} does not exist")
    files: dict[str, bytes] = {}
    size = 0
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            files[path.relative_to(folder).as_posix()] = data = path.read_bytes()
            size += len(data)
        if len(files) > _MOST_FILES or size > _MOST_BYTES:
            raise BadInput(
                f"{where}: files: {folder} has more than {_MOST_FILES:,} files or {_MOST_BYTES >> 20} MB. Name a smaller folder"
            )
    return files


def _result(ran: CommandResult) -> ToolResult:
    parts = [_cut(ran.stdout), *([f"[stderr]\n{_cut(ran.stderr)}"] if ran.stderr.strip() else [])]
    if ran.code:
        parts.append(f"[exit code {ran.code}]")
    return ToolResult(output="\n".join(part.rstrip("\n") for part in parts if part), failed=ran.code != 0)


def _cut(text: str) -> str:
    if len(text) <= _SHOWN:
        return text
    return f"{text[: _SHOWN // 2]}\n... ({len(text) - _SHOWN:,} characters left out)\n{text[-_SHOWN // 2 :]}"
