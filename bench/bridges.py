"""Environments of other projects: what `verigym check` finds in them, and how many episodes run per second.

    python bench/bridges.py [BRIDGE:NAME ...]      # without a name: all generators of reasoning-gym, all categories of BFCL
    python bench/bridges.py --overhead             # only what a bridge adds per call

Every fault is one line: environment, check, outcome, words. The policy plays gold solutions from a script, so what is measured is
Verigym and the other project's own code. Gold solutions of BFCL are played for every task, those of reasoning-gym for 20.

What a bridge adds per call is CPU time of both processes, with an adapter that computes nothing. In process, it is the time of an
episode with many calls of a state's tool, less that of an episode with one call.
"""

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from figures import Figure, figure, finish, parser

from verigym.audit.check import check_environment
from verigym.audit.scripted_episodes import play, why
from verigym.core.errors import VerigymError
from verigym.core.records import FunctionCall, Json, Task
from verigym.environments.bridges import bfcl_rows
from verigym.environments.bridges.child import Child
from verigym.environments.bridges.install import require
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox
from verigym.verifiers.external import external_verdict
from verigym.verifiers.lift import lift

SIZES = "size=30&val=20"
MEASURED = ("reasoning-gym:leg_counting", "reasoning-gym:countdown", "bfcl:simple_python", "bfcl:multi_turn_base")
QUICK = ("reasoning-gym:leg_counting", "reasoning-gym:spell_backward", "bfcl:simple_python")
IGNORED = {"episodes are quick"}
ADAPTER = """
class Session:
    def open(self, task):
        return {"tools": []}
    async def call(self, name, arguments):
        return {"output": "1"}
    def step(self, reply):
        return {"observation": "1", "reward": 0.0, "done": False}
"""
ADD = {"name": "add", "description": "Adds", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}


def generators() -> list[str]:
    require("reasoning-gym")
    from reasoning_gym.factory import DATASETS

    return sorted(DATASETS)


def every_name() -> list[str]:
    return [
        *(f"reasoning-gym:{name}?{SIZES}" for name in generators()),
        *(f"bfcl:{category}" for category in (*bfcl_rows.SINGLE, *bfcl_rows.MULTI)),
    ]


def faults(where: str) -> list[str]:
    """What a check does not pass, one line each."""
    try:
        spec = load_environment(where)
    except VerigymError as error:
        return [f"{where} | loads | fail | {error}"]
    lines = [
        f"{where} | {check.name} | {check.outcome} | {check.words}"
        for check in check_environment(spec, num_tasks=20)
        if check.outcome != "pass" and check.name not in IGNORED
    ]
    return lines + (all_of_bfcl(spec) if where.startswith("bfcl:") else [])


def all_of_bfcl(spec: EnvironmentSpec) -> list[str]:
    """Gold solutions that fail and cheats that pass, over all tasks."""
    tasks = [*spec.tasks("train"), *spec.tasks("val")]
    failing, passing = asyncio.run(counts(spec, tasks))
    lines = [f"{spec.name} | gold solutions pass | {len(failing)} of {len(tasks)} fail | {each}" for each in failing]
    return lines + [
        f"{spec.name} | cheats do not pass | {len(passing)} of {len(tasks)} pass | {each}" for each in passing
    ]


async def counts(spec: EnvironmentSpec, tasks: list[Task]) -> tuple[list[str], list[str]]:
    failing, passing = [], []
    for task in tasks:
        gold = await play(spec, task, spec.gold_replies(task))
        if not gold.verdict.passed:
            failing.append(f"{task.id}: {why(gold)[:200]}")
        for cheat in spec.cheat_replies(task):
            if (await play(spec, task, cheat)).verdict.passed:
                passing.append(f"{task.id}: {str(cheat)[:120]}")
    return failing, passing


def episodes_per_second(where: str, seconds: float) -> Figure:
    spec = load_environment(where)
    tasks = [*spec.tasks("train"), *spec.tasks("val")]

    async def run() -> float:
        await play(spec, tasks[0], spec.gold_replies(tasks[0]))  # imports
        began, count = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            task = tasks[count % len(tasks)]
            await play(spec, task, spec.gold_replies(task))
            count += 1
        return count / (time.perf_counter() - began)

    return figure(
        f"Episodes per second, {where}, gold solutions, with verdicts, one at a time", asyncio.run(run()), "1/s"
    )


class InProcess:
    """A state whose tools are called in this process, as those of a bridge."""

    max_turns = 10_000

    def open(self, task: Task) -> None:
        self.count = 0

    def tools(self) -> list[Json]:
        return [ADD]

    def call(self, name: str, arguments: Json) -> str:
        self.count += 1
        return f"{self.count}"

    def end_state(self) -> Json:
        return {"external_verdict": 1.0}


def in_process_ms(calls: int) -> float:
    """CPU milliseconds per call of a state's tool in an episode, less those of an episode with one call."""
    spec = EnvironmentSpec(
        name="in-process",
        tasks=lambda split: [],
        factory=InProcess,
        toolbox=ToolBox(InProcess),
        verifiers={"external_verdict": lift("external_verdict", external_verdict)},
        suites={"val": "val"},
        max_turns=InProcess.max_turns,
    )
    task = Task(id="1", prompt="Count.", split="val")

    async def cpu_s(replies: list[Any]) -> float:
        await play(spec, task, replies)
        began = time.process_time()
        await play(spec, task, replies)
        return time.process_time() - began

    def reply(size: int) -> list[Any]:  # one reply with many calls: the calls are measured, not the replies
        return [[FunctionCall(f"c{n}", "add", '{"n": 1}') for n in range(size)], "Done."]

    return 1000 * (asyncio.run(cpu_s(reply(calls))) - asyncio.run(cpu_s(reply(1)))) / (calls - 1)


def child_ms(method: str, calls: int, **body: Any) -> float:
    """CPU milliseconds of both processes per call over the child protocol."""

    def cpu_s(pid: int) -> float:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return time.process_time() + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    async def measured(child: Child) -> float:
        session = await child.open({})
        for _ in range(100):
            await session.ask(method, **body)
        began = cpu_s(session.pid)
        for _ in range(calls):
            await session.ask(method, **body)
        spent = cpu_s(session.pid) - began
        await session.close()
        return 1000 * spent / calls

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "adapter.py"
        file.write_text(ADAPTER, encoding="utf-8")
        child = Child("bench", file, python=sys.executable)
        try:
            return asyncio.run(measured(child))
        finally:
            child.stop()


def overheads(quick: bool) -> list[Figure]:
    calls = 1000 if quick else 5000
    call: Json = {"name": "add", "arguments": {"n": 1}}
    return [
        figure("CPU per call of a bridge in process", in_process_ms(calls), "ms", "<= 0.3"),
        figure("CPU per call over the child protocol, async adapter", child_ms("call", calls, **call), "ms", "<= 1.5"),
        figure(
            "CPU per call over the child protocol, plain adapter", child_ms("step", calls, reply="x"), "ms", "<= 1.5"
        ),
    ]


def main() -> None:
    made = parser(__doc__)
    made.add_argument("names", nargs="*", help="environments to check")
    made.add_argument("--overhead", action="store_true", help="only what a bridge adds per call")
    options = made.parse_args()
    if options.overhead:
        return finish(overheads(options.quick), options)
    shown = sys.stderr if options.json else sys.stdout
    for where in options.names or (QUICK if options.quick else every_name()):
        for line in faults(where):
            print(line, file=shown, flush=True)
    measured = () if options.names else MEASURED[::3] if options.quick else MEASURED
    rates = [episodes_per_second(where, 1 if options.quick else 5) for where in measured]
    finish([*([] if options.names else overheads(options.quick)), *rates], options)


if __name__ == "__main__":
    main()
