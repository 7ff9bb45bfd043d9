"""What a process in a box gets besides its files: variables, output, network, and folders of the host that it may read."""

import configparser
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from verigym.core.errors import BadInput
from verigym.sandbox.folder import PARTS, Folder


class ProcessSetup(Struct, frozen=True, kw_only=True):
    """The default is for code that is tested: no variables, no network, no folders, output in pipes."""

    env: Mapping[str, str] = {}
    """Variables besides those that every command gets. They may replace `PATH`."""
    output: int = subprocess.PIPE
    """The open file that gets standard output."""
    errors: int = subprocess.PIPE
    """The open file that gets standard error."""
    cwd: str = ""
    """The folder that it starts in, if it is not the folder of the box."""
    network: bool = False
    """Whether it shares the network of the host."""
    readable: tuple[Path, ...] = ()
    """Files and folders of the host that it can read, at their own paths."""
    writable: tuple[Path, ...] = ()
    """Folders of the host that it can change, at their own paths."""
    places: Mapping[str, str] = {}
    """Folders of the box, and their paths inside: `{"app": "/app"}`. The folder of the box itself is then not there, because the
    command could replace the others in it. Only an isolated sandbox has them."""
    handed: tuple[int, ...] = ()
    """Open files of this process that it inherits."""

    def mounts(self, folder: Folder) -> dict[Path, str]:
        """The folders of the box that the command can change, and their paths inside."""
        parts = {folder.top / part: place for part, place in PARTS.items() if part != "work" or not self.places}
        return parts | {folder.work / name: place for name, place in self.places.items()}


def find_program(
    command: Sequence[str], env: Mapping[str, str], inside: str
) -> tuple[list[str], dict[str, str], tuple[Path, ...]]:
    """The command with the full path of its program, the variables with the program's folder in `PATH`, and what the program
    needs to read. `inside` is the `PATH` of every command: what it finds needs nothing else. A relative path with a slash is a
    file in the box."""
    name = command[0]
    if not Path(name).is_absolute() and ("/" in name or shutil.which(name, path=inside)):
        return list(command), dict(env), ()
    found = shutil.which(name)
    if found is None:
        raise BadInput(f'The program "{name}" is not installed. Install it, or give its full path')
    path = Path(os.path.abspath(found))
    if str(path.parent) in inside.split(os.pathsep):
        return list(command), dict(env), ()
    folders = os.pathsep.join([str(path.parent), *filter(None, [env.get("PATH")])])
    return [str(path), *command[1:]], {**env, "PATH": folders}, tuple(program_paths(path))


def program_paths(program: Path) -> list[Path]:
    """The files that a program outside of /usr needs: its virtual environment with the Python behind it, its Node.js folder, or
    only itself. Never a home folder."""
    prefix = program.parent.parent
    if (prefix / "pyvenv.cfg").is_file():
        python = _base_of(prefix)
        return [prefix] if python.is_relative_to("/usr") else [prefix, python]
    if (prefix / "lib" / "node_modules").is_dir() and prefix != Path("/"):
        return [prefix]
    return list(dict.fromkeys([program, program.resolve()]))


def _base_of(environment: Path) -> Path:
    """The prefix of the Python that a virtual environment was made with."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string("[all]\n" + (environment / "pyvenv.cfg").read_text(errors="replace"))
    return Path(parser["all"].get("home", "/usr/bin")).resolve().parent
