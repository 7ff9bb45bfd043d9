"""Harbor: `harbor:FOLDER?train=0.5`, task folders with an instruction, an environment, tests and a solution.

FOLDER is one task folder or a folder of task folders. The agent has one tool, `bash`. At the end, `tests/test.sh` runs and writes
the reward to /logs/verifier/reward.txt or reward.json. A Dockerfile that only copies files and sets variables runs in bubblewrap
with the programs of this machine. Any other needs Docker or Podman. `box=bubblewrap`, `box=docker` or `box=podman` chooses. The
verdict cannot be computed again from the record.
"""

import base64
import functools
import json
import math
import shlex
from typing import Any

from verigym.core.errors import BadInput, EnvironmentFailure
from verigym.core.protocols import CommandResult
from verigym.core.records import FunctionCall, Json, Task, content_hash
from verigym.environments.bridges.about import Bridge, Package
from verigym.environments.bridges.find import (
    name_and_options,
    no_more_options,
    share_for_training,
    split_by_hash,
    whole_number,
)
from verigym.environments.bridges.harbor_box import (
    ENGINES,
    BubblewrapBox,
    ContainerBox,
    HarborBox,
    engine_here,
    files_of,
)
from verigym.environments.bridges.harbor_task import HarborTask, Plan, plan, read_task, task_folders
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox, ToolResult, tool
from verigym.verifiers.external import KEY, external_verdict
from verigym.verifiers.lift import lift
from verigym.verifiers.version import version

BRIDGE = Bridge(
    example="harbor:examples/harbor",
    what="task folders of Harbor, in bubblewrap or in containers",
    package=Package(
        name="harbor",
        version="task format 1",
        place="none",
        module="",
        why="Verigym reads the task folders itself",
    ),
    licence="Apache-2.0",
    rescorable=False,
    offline=False,
)
_OPTIONS = ("train", "turns", "box")
_TURNS = 30
_BUBBLEWRAP = "bubblewrap"
_SHOWN = 10_000
"""Characters of the output of a command that the agent sees."""
_EVIDENCE = 500


class Episode:
    """One task in a box."""

    where = ""
    box: HarborBox | None = None

    async def open(self, task: Task) -> None:
        self.task = _task_of(task.data["folder"])
        self.box = await opened_box(self.task, self.where)

    @tool
    async def bash(self, command: str) -> ToolResult:
        """Run a command with bash. Its output and its exit code come back. Every command starts in the task's working folder."""
        assert self.box is not None, "open comes first"
        done = await self.box.run(command, self.task.agent_s)
        return ToolResult(output=_shown(done), failed=done.code != 0)

    async def end_state(self) -> Json:
        assert self.box is not None, "open comes first"
        said, file, content = await self.box.verify(self.task.verifier_s)
        reward, parts = reward_in(self.task.name, said, file, content)
        return {KEY: {"reward": reward, "parts": parts, "evidence": f"tests/test.sh: {_shown(said)[-_EVIDENCE:]}"}}

    async def close(self) -> None:
        if self.box is not None:
            await self.box.close()


def _shown(done: CommandResult) -> str:
    """What a command said: the beginning and the end if it is long, and the exit code if it is not 0."""
    text = f"{done.stdout}{done.stderr}"
    if len(text) > _SHOWN:
        half = _SHOWN // 2
        text = f"{text[:half]}\n... ({len(text) - _SHOWN:,} characters more) ...\n{text[-half:]}"
    code = "killed: it took too long" if done.stop == "time" else f"exit code {done.code}"
    return text if done.code == 0 else f"{text}[{code}]"


def reward_in(name: str, said: CommandResult, file: str, content: bytes | None) -> tuple[float, dict[str, float]]:
    """The reward that the tests wrote. Rewards by name must have one called "reward", or be only one."""
    if content is None:
        raise EnvironmentFailure(
            f"{name}: tests/test.sh wrote no reward to /logs/verifier. It said: {_shown(said)[-_EVIDENCE:] or 'nothing'}"
        )
    try:
        value: Any = json.loads(content)
    except ValueError:
        value = None
    named: dict[str, Any] = value if isinstance(value, dict) else {"reward": value}
    wrong = [each for each in named.values() if isinstance(each, bool) or not isinstance(each, int | float)]
    if wrong or not named or not all(math.isfinite(each) for each in named.values()):
        raise EnvironmentFailure(f"{name}: {file} is not a number or numbers by name: {content[:100]!r}")
    if "reward" not in named and len(named) > 1:
        raise EnvironmentFailure(f'{name}: {file} has {", ".join(named)}, and none of them is "reward"')
    parts = {key: float(each) for key, each in named.items()}
    return parts.get("reward", next(iter(parts.values()))), parts if len(parts) > 1 else {}


async def opened_box(task: HarborTask, where: str) -> HarborBox:
    """The box that `where` names, or the one that fits: bubblewrap, otherwise a container."""
    made = plan(task)
    if where in ("", _BUBBLEWRAP) and isinstance(made, Plan):
        return await BubblewrapBox.opened(task, made)
    engine = _engine(task, where, made)
    return await ContainerBox.opened(task, engine)


def _engine(task: HarborTask, where: str, made: Plan | str) -> Any:
    if where == _BUBBLEWRAP:
        raise BadInput(f"{task.name} cannot run in bubblewrap: {made}. Remove box=bubblewrap to use Docker or Podman")
    engine = where or engine_here()
    if not engine:
        raise BadInput(
            f"{task.name} needs a container, and neither Docker nor Podman answers here: {made}. "
            "bubblewrap can only copy files and set variables (FROM, WORKDIR, COPY, ENV)"
        )
    return engine


def load(where: str, rest: str) -> EnvironmentSpec:
    folder, options = name_and_options(where, rest)
    share = share_for_training(where, options, 0.0)
    turns = whole_number(where, options, "turns", _TURNS, 1, 10_000)
    box = options.pop("box", "")
    if box not in ("", _BUBBLEWRAP, *ENGINES):
        raise BadInput(f'"{where}": box must be {_BUBBLEWRAP}, {" or ".join(ENGINES)}, not {box!r}')
    no_more_options(where, options, _OPTIONS)
    tasks = [_task(read_task(path), share) for path in task_folders(where, folder)]
    for task in tasks:  # what cannot run shows now
        read = _task_of(task.data["folder"])
        if not isinstance(made := plan(read), Plan):
            _engine(read, box, made)
    kind = type("Environment", (Episode,), {"where": box, "__module__": __name__})
    return EnvironmentSpec(
        name=where,
        tasks=lambda split: [task for task in tasks if task.split == split],
        factory=kind,
        toolbox=ToolBox(kind),
        verifiers={"external_verdict": lift("external_verdict", external_verdict)},
        suites={"val": "val"},
        max_turns=turns,
        gold=gold,
        cheats=cheats,
        version=version(Episode),
    )


@functools.lru_cache(maxsize=4096)
def _task_of(folder: str) -> HarborTask:
    [path] = task_folders(folder, folder)
    return read_task(path)


def _task(read: HarborTask, share: float) -> Task:
    files = {name: content_hash(file.read_bytes().hex()) for name, file in files_of(read.path).items()}
    return Task(
        id=read.name,
        prompt=read.instruction,
        data={"folder": read.folder, "content": content_hash(files)[:16]},
        split=split_by_hash(content_hash(read.name), share),
        family=f"harbor-{read.name}",
        lineage=[f"harbor:{read.name}"],
    )


def gold(task: Task) -> list[Any] | None:
    """One command that writes the solution to /solution and runs it."""
    folder = _task_of(task.data["folder"]).path / "solution"
    if not (folder / "solve.sh").is_file():
        return None
    commands: list[str] = []
    for name, file in files_of(folder).items():
        place = shlex.quote(f"/solution/{name}")
        data = base64.b64encode(file.read_bytes()).decode()
        commands.append(f'mkdir -p "$(dirname {place})" && echo {data} | base64 -d > {place}')
    return [[_bash(" && ".join([*commands, "bash /solution/solve.sh"]))], "Done."]


def cheats(task: Task) -> list[Any]:
    """Words, and an agent that writes the reward or replaces the tests."""
    wrote = "cd /logs/verifier; echo 1 > reward.txt; echo '{\"reward\": 1}' > reward.json"
    replaced = "echo 'echo 1 > /logs/verifier/reward.txt' > /tests/test.sh; chmod -w /tests/test.sh /tests"
    return ["Done.", [[_bash(wrote)], "Done."], [[_bash(replaced)], "Done."]]


def _bash(command: str) -> FunctionCall:
    return FunctionCall("call_0", "bash", json.dumps({"command": command}))
