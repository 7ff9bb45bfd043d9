"""Installs what a bridge needs, and says where it is: `verigym bridges install NAME`.

A package whose requirements fit those of Verigym goes into the Python that is running. Any other package gets a folder of its own
in `VERIGYM_BRIDGES`, or else in the cache folder. A folder is made beside its final place and renamed when it is complete, so a
killed or a second installation does no harm. This file decides nothing about environments.
"""

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from verigym.core.errors import BadInput, InfrastructureFailure
from verigym.core.printable import tell
from verigym.environments.bridges.about import Package
from verigym.environments.bridges.find import bridge as bridge_named

Say = Callable[[str], None]
_COMPLETE = "complete.json"
"""File that marks a folder as complete. It is written last."""
_LONGEST_S = 1800.0


def folder_of_bridges() -> Path:
    """The folder in `VERIGYM_BRIDGES`, otherwise `verigym/bridges` in the XDG cache folder."""
    if given := os.environ.get("VERIGYM_BRIDGES"):
        return Path(given).absolute()
    if given := os.environ.get("VERIGYM_CACHE"):
        return Path(given).absolute() / "bridges"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "verigym" / "bridges"


def folder_of(bridge: str) -> Path:
    """Where the bridge's packages are, if it has a folder. Another version, or another Python, is another folder."""
    package = bridge_named(bridge).package
    python = package.python or running_python()
    return folder_of_bridges() / f"{bridge}-{package.version}-py{python}"


def running_python() -> str:
    """The version of the Python that is running, such as 3.11."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def python_of(bridge: str) -> Path:
    """The interpreter of a bridge with a virtual environment."""
    return folder_of(bridge) / "bin" / "python"


def installed_version(bridge: str) -> str | None:
    """The version that is installed, or None."""
    package = bridge_named(bridge).package
    if package.place == "none":
        return package.version
    if package.place != "python":
        return package.version if (folder_of(bridge) / _COMPLETE).is_file() else None
    try:
        return importlib.metadata.version(package.name)
    except importlib.metadata.PackageNotFoundError:
        return None


def require(bridge: str) -> str:
    """Makes the bridge's package importable and returns its version. Raises BadInput with the command if it is missing."""
    version = installed_version(bridge)
    package = bridge_named(bridge).package
    if version is None:
        raise BadInput(f"{package.name} is not installed. Run: verigym bridges install {bridge}")
    if package.place == "folder" and str(folder_of(bridge)) not in sys.path:
        sys.path.append(str(folder_of(bridge)))  # last, so that it replaces nothing
    return version


def install(bridge: str, python: str = "", say: Say = tell) -> Path | None:
    """Installs the packages of a bridge, if they are missing. Returns their folder, if they have one. `python` is the interpreter
    of a virtual environment."""
    package = bridge_named(bridge).package
    if python and package.place != "venv":
        raise BadInput(f"{bridge} does not use a Python of its own. Remove --python")
    if package.place == "none":
        return None
    if package.place == "python":
        if installed_version(bridge) is None:
            _pip([sys.executable], [*package.requirements], say)
        return None
    target = folder_of(bridge)
    if python and installed_version(bridge) is not None:
        say(f"{bridge} was installed before, so --python is not used. To install it again, delete {target}")
    if installed_version(bridge) is None:
        target.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{bridge}-"))
        try:
            _fill(package, work, python, say)
            _publish(work, target)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return target


def _fill(package: Package, work: Path, python: str, say: Say) -> None:
    if package.place == "folder":
        _pip([sys.executable], ["--target", str(work), "--no-deps", *package.without_requirements], say)
    else:
        base = find_python(package.python or running_python(), python)
        say(f"making a virtual environment with {base}")
        _run([base, "-m", "venv", str(work)], f"{base} cannot make a virtual environment")
        own = [str(work / "bin" / "python")]
        if package.without_requirements:
            _pip(own, ["--no-deps", *package.without_requirements], say)
        if package.requirements:
            _pip(own, [*package.requirements], say)
    (work / _COMPLETE).write_bytes(msgspec.json.encode(package))


def find_python(wanted: str, given: str = "") -> str:
    """An interpreter of the wanted version: the given one, or one on the PATH, or one of pyenv."""
    name = f"python{wanted}"
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    found = sorted(pyenv.glob(f"{wanted}.*/bin/{name}"), reverse=True)
    running = sys.executable if sys.version_info[:2] == tuple(map(int, wanted.split("."))) else None
    candidates = [given] if given else [running, shutil.which(name), *map(str, found)]
    for candidate in filter(None, candidates):
        try:
            code = "import sys; print('%d.%d' % sys.version_info[:2])"
            done = subprocess.run([candidate, "-c", code], capture_output=True, text=True, timeout=60)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0 and done.stdout.strip() == wanted:
            return candidate
    if given:
        raise BadInput(f"{given} is not a Python {wanted}. Pass an interpreter of that version with --python")
    raise BadInput(
        f"No Python {wanted} was found on the PATH or in pyenv. Install one (pyenv install {wanted}, or your system's package), "
        "or pass it with --python"
    )


def _publish(work: Path, target: Path) -> None:
    if not (target / _COMPLETE).exists():
        shutil.rmtree(target, ignore_errors=True)  # what somebody deleted in part
    try:
        work.rename(target)
    except OSError:  # another process was faster, and its folder is equal
        if not (target / _COMPLETE).exists():
            raise


def _pip(python: list[str], arguments: list[str], say: Say) -> None:
    wanted = " ".join(each for each in arguments if "==" in each or "<" in each or ">" in each)
    say(f"installing {wanted}")
    command = [*python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
    _run(command, f"pip could not install {wanted}")


def _run(command: list[str], problem: str) -> None:
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_LONGEST_S)
    except subprocess.TimeoutExpired as error:
        raise InfrastructureFailure(f"{problem}: it took more than {_LONGEST_S / 60:g} minutes") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("WARNING")]
        raise InfrastructureFailure(f"{problem}: {(lines or ['no reason given'])[-1]}")
