"""Reads a task folder of Harbor: `task.toml`, `instruction.md`, `environment/`, `tests/test.sh` and `solution/solve.sh`.

`plan` turns a Dockerfile into files, variables and a working folder, if nothing has to be executed to build the image. Any other
Dockerfile needs a container engine. Nothing is run here.
"""

import re
import shlex
import tomllib
from pathlib import Path, PurePosixPath

import msgspec

from verigym.core.errors import BadInput

_IGNORED = ("LABEL", "CMD", "ENTRYPOINT", "EXPOSE", "MAINTAINER", "STOPSIGNAL", "HEALTHCHECK", "USER", "VOLUME")
_TAKEN = (
    "usr",
    "bin",
    "sbin",
    "lib",
    "lib32",
    "lib64",
    "etc",
    "proc",
    "dev",
    "sys",
    "box",
    "tmp",
    "run",
    "var",
    "boot",
)
"""Folders that a file of a task cannot be copied to, because they are the machine's own."""
_LOGS, _TESTS, _SOLUTION = "logs", "tests", "solution"
_OWN = ("app", _LOGS, _TESTS, _SOLUTION)
_VARIABLE = re.compile(r"\$\{?(\w+)\}?")


class HarborTask(msgspec.Struct, frozen=True, kw_only=True):
    """One task folder."""

    folder: str
    instruction: str
    agent_s: float
    """Time of the agent. It becomes the time limit of one command."""
    verifier_s: float
    memory_mb: int
    image: str = ""
    """An image that exists already."""
    tests_env: dict[str, str] = {}
    solution_env: dict[str, str] = {}
    internet: bool = False

    @property
    def path(self) -> Path:
        return Path(self.folder)

    @property
    def name(self) -> str:
        return self.path.name


class Plan(msgspec.Struct, frozen=True):
    """What a Dockerfile puts into the box."""

    workdir: str = "/app"
    env: dict[str, str] = {}
    files: dict[str, str] = {}
    """Path in the box, such as `app/numbers.txt`, to the file on this machine."""
    places: tuple[str, ...] = _OWN
    """Folders at the root that the task may change."""


def task_folders(where: str, folder: str) -> list[Path]:
    """A task folder, or the task folders in a folder."""
    path = Path(folder)
    if not path.is_dir():
        raise BadInput(
            f'"{where}": the folder {folder} does not exist. Name a task folder of Harbor, or a folder of them'
        )
    if (path / "task.toml").is_file():
        return [path.absolute()]
    found = sorted(each.parent.absolute() for each in path.glob("*/task.toml"))
    if not found:
        raise BadInput(f'"{where}": there is no task.toml in {folder} or in its folders. Name a task folder of Harbor')
    return found


def read_task(path: Path) -> HarborTask:
    """The settings of a task folder. A folder that lacks something is BadInput."""
    for needed in ("instruction.md", "tests/test.sh"):
        if not (path / needed).is_file():
            raise BadInput(f"{path}: {needed} is missing. A task of Harbor has it")
    try:
        config = tomllib.loads((path / "task.toml").read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path / 'task.toml'}: {error}") from error
    if config.get("steps"):
        raise BadInput(f"{path}: a task with several steps cannot run here. Use one task folder per step")
    environment, verifier, agent = (config.get(key) or {} for key in ("environment", "verifier", "agent"))
    if verifier.get("environment_mode") == "separate" or verifier.get("environment"):
        raise BadInput(f"{path}: a verifier in a container of its own cannot run here. Use environment_mode shared")
    try:
        return HarborTask(
            folder=str(path),
            instruction=(path / "instruction.md").read_text(encoding="utf-8").strip(),
            agent_s=float(agent.get("timeout_sec") or 600.0),
            verifier_s=float(verifier.get("timeout_sec") or 600.0),
            memory_mb=int(environment.get("memory_mb") or 2048),
            image=str(environment.get("docker_image") or ""),
            tests_env={key: str(value) for key, value in (verifier.get("env") or {}).items()},
            solution_env={key: str(value) for key, value in ((config.get("solution") or {}).get("env") or {}).items()},
            internet=bool(environment.get("allow_internet", False)),
        )
    except (TypeError, ValueError) as error:
        raise BadInput(f"{path / 'task.toml'}: a time or a size is not a number: {error}") from error


def plan(task: HarborTask) -> Plan | str:
    """The plan of a task that needs no image, or why it needs one."""
    folder = task.path / "environment"
    if any(folder.glob("docker-compose*.y*ml")):
        return "environment/docker-compose.yaml starts several containers"
    file = folder / "Dockerfile"
    if not file.is_file():
        return f"it names the image {task.image}" if task.image else "environment/Dockerfile is missing"
    return _Reader(folder).read(file.read_text(encoding="utf-8"))


class _Reader:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._workdir, self._stages = PurePosixPath("/"), 0
        self._env: dict[str, str] = {}
        self._files: dict[str, str] = {}
        self._places: set[str] = set(_OWN)

    def read(self, text: str) -> Plan | str:
        for line in re.sub(r"\\\s*\n", " ", text).splitlines():
            if line.strip() and not line.strip().startswith("#"):
                problem = self._line(line.strip())
                if problem:
                    return f'environment/Dockerfile: "{line.strip()[:80]}" {problem}'
        workdir = str(self._workdir) if self._workdir != PurePosixPath("/") else "/app"
        return Plan(workdir, self._env, self._files, tuple(sorted(self._places)))

    def _line(self, line: str) -> str:
        word, _, rest = line.partition(" ")
        rest = self._expanded(rest.strip())
        match word.upper():
            case "FROM":
                self._stages += 1
                return "" if self._stages == 1 else "begins a second stage"
            case "WORKDIR":
                self._workdir = self._workdir / rest
                return self._opened(self._workdir)
            case "ENV":
                return self._variables(rest)
            case "COPY" | "ADD":
                return self._copied(rest)
            case other if other in _IGNORED:
                return ""
            case _:
                return "executes something in the image" if word.upper() == "RUN" else "cannot be done without an image"

    def _expanded(self, text: str) -> str:
        return _VARIABLE.sub(lambda found: self._env.get(found[1], found[0]), text)

    def _variables(self, rest: str) -> str:
        words = shlex.split(rest)
        if words and "=" not in words[0]:  # the old form: ENV NAME value
            words = [f"{words[0]}={' '.join(words[1:])}"]
        self._env.update(each.split("=", 1) for each in words)  # type: ignore[arg-type]
        return ""

    def _opened(self, path: PurePosixPath) -> str:
        """Adds the folder at the root that holds a path."""
        top = path.parts[1] if len(path.parts) > 1 else ""
        if top in _TAKEN or ".." in path.parts:
            return f"changes /{top}, which is the machine's own here"
        if top:
            self._places.add(top)
        return ""

    def _copied(self, rest: str) -> str:
        words = shlex.split(rest)
        if any(each.startswith("--from") for each in words):
            return "copies from another image"
        *sources, target = [each for each in words if not each.startswith("--")]
        into = target.endswith("/") or target in (".", "./") or len(sources) > 1
        place = self._workdir / target
        for source in sources:
            if "://" in source:
                return "downloads a file"
            matches = (
                sorted(self._folder.glob(source.lstrip("./") or "*")) if source not in (".", "./") else [self._folder]
            )
            if not matches:
                return f"copies {source}, which does not exist"
            for match in matches:
                if match.is_file():
                    place_of = place / match.name if into or len(matches) > 1 else place
                    problem = self._add(place_of, match)
                else:  # the content of a folder is copied, not the folder
                    every = [each for each in sorted(match.rglob("*")) if each.is_file() and not each.is_symlink()]
                    own = [each for each in every if match != self._folder or each.name != "Dockerfile"]
                    problem = next(filter(None, (self._add(place / each.relative_to(match), each) for each in own)), "")
                if problem:
                    return problem
        return ""

    def _add(self, place: PurePosixPath, file: Path) -> str:
        if len(place.parts) < 3:
            return "copies to the root of the machine"
        self._files[str(place).lstrip("/")] = str(file)
        return self._opened(place)
