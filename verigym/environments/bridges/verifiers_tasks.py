"""verifiers: `verifiers:TASKSET?OPTIONS`, a taskset of verifiers 0.4 (its v1 API) with its own environment, tools and rewards.

TASKSET is the id of a taskset that is installed in the child environment, a Python file, or the folder of a package. verifiers
runs the episode and asks for replies at the episode's address. The sum of its weighted rewards becomes the verdict, which is
stored and cannot be computed again.

Options: `train=0.5` is the share of tasks for training, `size=100` the number of tasks of an endless taskset, `gold=FIELD` the
field of a task that is the gold reply, `pass=1.0` the reward that passes, `turns=10` the maximum number of replies. `harness=ID`
and `runtime=docker` choose how verifiers runs the agent. All others are settings of the taskset.
"""

import functools
import json

from verigym.core.records import Item, Json, Message, Task
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
    example="verifiers:examples/verifiers_sums.py?gold=answer",
    what="tasksets of verifiers 0.4 with their own tools and rewards",
    package=Package(
        name="verifiers",
        version="0.4.0",
        place="venv",
        module="verifiers",
        requirements=("verifiers==0.4.0",),
        why="it pins mcp 2.0.0, and its two APIs cannot share a Python",
    ),
    licence="MIT",
    driven_by="them",
    rescorable=False,
    offline=False,
    gold=False,
)
_MINUTES = 20.0


@functools.lru_cache(maxsize=16)
def _child(options: str) -> Child:
    return Child("verifiers", "verifiers_child.py", json.loads(options), at_once=16, most=4, seconds=_MINUTES * 60)


def load(where: str, rest: str) -> EnvironmentSpec:
    name, options = name_and_options(where, rest)
    installed = require("verifiers")
    train = share_for_training(where, options, 0.0)
    taskset, source = source_of(where, name)
    given: Json = {
        "taskset": taskset,
        "source": source,
        "size": whole_number(where, options, "size", 100, 1, 100_000),
        "turns": whole_number(where, options, "turns", 0, 0, 10_000),
        **{key: str(options.pop(key, "")) for key in ("gold", "harness", "runtime")},
    }
    passing = number(where, options, "pass", 1.0)
    child = _child(json.dumps({**given, "pass": passing, "arguments": options}, sort_keys=True))
    kind = type("Environment", (DrivenEpisode,), {"child": child, "__module__": __name__})
    tasks = [_task(row, train) for row in child.tasks()]
    return EnvironmentSpec(
        name=where,
        tasks=lambda split: [task for task in tasks if task.split == split],
        factory=kind,
        toolbox=ToolBox(kind),
        verifiers={"external_verdict": lift("external_verdict", external_verdict)},
        suites={"val": "val"},
        gold=gold_in_row,
        version=f"{version(DrivenEpisode)}-verifiers-{installed}-{child.key()}",
    )


def _task(row: Json, train: float) -> Task:
    items: list[Item] = [Message("system", row["system"]), Message("user", row["prompt"])]
    prompt = items if row["system"] else row["prompt"]
    id = str(row["id"])
    return Task(id=id, prompt=prompt, data={"row": row}, split=split_of(id, {"val": 1 - train}), family=id)
