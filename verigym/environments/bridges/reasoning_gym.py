"""reasoning-gym: `reasoning-gym:NAME?size=200&val=100&seed=3&OPTION=VALUE`, one question and one answer per episode.

`size` and `val` are the numbers of training and held-out tasks. Other options are those of the generator. A task names its
generator, configuration, seed and index. The verifier makes the entry again and scores it with reasoning-gym's own function, so
tuples in an entry survive storage. reasoning-gym makes entry `i` from the random seed `seed + i`, so neighbouring seeds share
entries. Here every seed has a range of its own, and `reasoning_gym_entries` decides the split by the problem.
"""

import functools
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from verigym.core.errors import BadInput, InfrastructureFailure, VerifierFailure, not_found
from verigym.core.records import Task, Trajectory, Verdict, content_hash
from verigym.environments.bridges.about import Bridge, Package
from verigym.environments.bridges.find import name_and_options, stable, whole_number
from verigym.environments.bridges.install import folder_of_bridges, require
from verigym.environments.bridges.safe_parsing import guard
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox
from verigym.verifiers.lift import lift
from verigym.verifiers.version import version

BRIDGE = Bridge(
    example="reasoning-gym:leg_counting?size=200",
    what="puzzles and questions from 105 generators",
    package=Package(
        name="reasoning-gym",
        version="0.1.25",
        place="python",
        module="reasoning_gym",
        requirements=("reasoning-gym==0.1.25",),
        why="its requirements fit those of Verigym",
    ),
    licence="Apache-2.0",
    names=("reasoning-gym:leg_counting?size=30&val=20", "reasoning-gym:countdown?size=30&val=20"),
)
_SPLITS = ("val", "train")
_RANGE = 1_000_000
"""Entries that one seed may use."""
_MOST = 50_000
_LONGEST_S = 1800.0
_SCRIPT = Path(__file__).with_name("reasoning_gym_entries.py")
_ANSWER = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
_SHOWN = 200


class Environment:
    system = (
        "Solve the problem step by step. Then write the final answer, and nothing else, between <answer> and </answer>."
    )
    max_turns = 1

    def open(self, task: Task) -> None: ...


class ReasoningGymScore(msgspec.Struct, frozen=True):
    """Scores the text between the last answer tags, or the whole reply without them."""

    package: str

    def __call__(self, task: Task, trajectory: Trajectory) -> Verdict:
        data = task.data
        config = stable(data["config"])
        entry = _by_index(_Source(data["generator"], config, data["seed"], data["size"], data["val"]))[data["index"]]
        if entry["question"] != task.prompt:
            raise VerifierFailure(
                f"reasoning-gym {self.package} makes another question for task {task.id}. "
                "Install the version that made the task"
            )
        answer = answer_in(trajectory.reply)
        reward = float(_dataset(data["generator"], config).score_answer(answer, entry))
        expected = entry["answer"]
        right = "" if expected is None else f", expected {str(expected)[:_SHOWN]!r}"
        return Verdict(reward=reward, passed=reward >= 1.0, evidence=f"answer {answer[:_SHOWN]!r}{right}")


def load(where: str, rest: str) -> EnvironmentSpec:
    package = require("reasoning-gym")
    name, options = name_and_options(where, rest)
    source = _Source(
        size=whole_number(where, options, "size", 200, 1, _MOST),
        val=whole_number(where, options, "val", 100, 1, _MOST),
        seed=whole_number(where, options, "seed", 0, 0, 1000) * _RANGE,
        generator=name,
        config=stable(options),
    )
    _entries(source)  # what is wrong with a name or an option shows now
    _dataset(source.generator, source.config)  # the import takes longer than a busy machine gives the first verdict

    def tasks(split: str) -> list[Task]:
        return list(_tasks(source, split)) if split in _SPLITS else []

    return EnvironmentSpec(
        name=where,
        tasks=tasks,
        factory=Environment,
        toolbox=ToolBox(Environment),
        verifiers={"reasoning_gym": lift("reasoning_gym", ReasoningGymScore(package))},
        suites={"val": "val"},
        system=Environment.system,
        max_turns=Environment.max_turns,
        gold=gold,
        cheats=cheats,
        version=f"{version(Environment)}-reasoning-gym-{package}",
    )


def gold(task: Task) -> str | None:
    """The generator's own answer. Some generators have none."""
    return f"<answer>{task.data['answer']}</answer>" if "answer" in task.data else None


def cheats(task: Task) -> list[str]:
    """Replies that answer nothing."""
    return ["I do not know", "<answer>I do not know</answer>", "<answer></answer>", f"<answer>{task.prompt}</answer>"]


def answer_in(reply: str) -> str:
    found = _ANSWER.findall(reply)
    return (found[-1] if found else reply).strip()


class _Source(msgspec.Struct, frozen=True):
    """What the entries of an environment are made from."""

    generator: str
    config: str
    """JSON with sorted keys."""
    seed: int
    """Seed of the first entry."""
    size: int
    val: int


@functools.lru_cache(maxsize=64)
def _tasks(source: _Source, split: str) -> tuple[Task, ...]:
    tasks: list[Task] = []
    for index, family, entry in _entries(source)[split]:
        data = {**msgspec.structs.asdict(source), "config": json.loads(source.config), "index": index}
        if entry["answer"] is not None:
            data["answer"] = str(entry["answer"])
        tasks.append(
            Task(
                id=f"{source.generator}-{source.seed + index}-{content_hash(source.config)[:4]}",
                prompt=entry["question"],
                data=data,
                split=split,
                family=f"{source.generator}-{family}",
                lineage=[f"reasoning-gym:{source.generator} seed {source.seed} index {index}"],
            )
        )
    return tuple(tasks)


# -- entries and scores of reasoning-gym ----------------------------------------------------------------------------------


@functools.lru_cache(maxsize=128)
def _dataset(name: str, config: str) -> Any:
    require("reasoning-gym")
    import reasoning_gym

    guard()
    return reasoning_gym.create_dataset(name, seed=0, size=1, **json.loads(config))


@functools.lru_cache(maxsize=64)
def _by_index(source: _Source) -> dict[int, dict[str, Any]]:
    return {index: entry for entries in _entries(source).values() for index, _, entry in entries}


@functools.lru_cache(maxsize=64)
def _entries(source: _Source) -> dict[str, list[tuple[int, str, dict[str, Any]]]]:
    """For each split: index, family and entry. They are made once and kept in a file."""
    file = folder_of_bridges() / "reasoning-gym-entries" / f"{_key(source)}.pickle"
    if file.is_file():
        with file.open("rb") as kept:
            return pickle.load(kept)["entries"]
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=".entries-") as work:
        made = Path(work) / "made.pickle"
        _run_script(source, made)
        with made.open("rb") as fresh:
            answer = pickle.load(fresh)
        if "entries" in answer:
            made.replace(file)
            return answer["entries"]
    if "names" in answer:
        raise not_found("generator of reasoning-gym", source.generator, answer["names"])
    known = f"Its options are {', '.join(answer['options'])}" if answer["options"] else "It has no options of its own"
    raise BadInput(f"reasoning-gym:{source.generator} refuses these options: {answer['error']}. {known}")


def _key(source: _Source) -> str:
    """Name of the file. Another package, Python or script makes other entries."""
    python = f"py{sys.version_info.major}.{sys.version_info.minor}"
    parts = [require("reasoning-gym"), python, _SCRIPT.read_text(encoding="utf-8"), msgspec.structs.astuple(source)]
    return f"{re.sub(r'[^a-z0-9_]+', '-', source.generator)[:40]}-{content_hash(parts)[:16]}"


def _run_script(source: _Source, file: Path) -> None:
    config = json.loads(source.config)
    order = {"name": source.generator, "config": config, "seed": source.seed, "size": source.size, "val": source.val}
    try:
        done = subprocess.run(
            [sys.executable, "-P", str(_SCRIPT)],
            input=json.dumps({**order, "file": str(file)}),
            capture_output=True,
            text=True,
            timeout=_LONGEST_S,
            env={**os.environ, "PYTHONHASHSEED": "0"},
        )
    except subprocess.TimeoutExpired as error:
        raise InfrastructureFailure(
            f"reasoning-gym took more than {_LONGEST_S / 60:g} minutes to make entries of {source.generator}. "
            "Ask for fewer (?size=50&val=50)"
        ) from error
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise InfrastructureFailure(f"reasoning-gym could not make entries of {source.generator}: {reason}")
