"""Environments of other projects: what `verigym check` finds in them, and how many episodes run per second.

    python bench/bridges.py [BRIDGE:NAME ...]      # without a name: all generators of reasoning-gym, all categories of BFCL

Every fault is one line: environment, check, outcome, words. The policy plays gold solutions from a script, so what is measured is
Verigym and the other project's own code. Gold solutions of BFCL are played for every task, those of reasoning-gym for 20.
"""

import asyncio
import sys
import time

from figures import Figure, figure, finish, parser

from verigym.audit.check import check_environment
from verigym.audit.scripted_episodes import play, why
from verigym.core.errors import VerigymError
from verigym.core.records import Task
from verigym.environments.bridges import bfcl_rows
from verigym.environments.bridges.install import require
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec

SIZES = "size=30&val=20"
MEASURED = ("reasoning-gym:leg_counting", "reasoning-gym:countdown", "bfcl:simple_python", "bfcl:multi_turn_base")
QUICK = ("reasoning-gym:leg_counting", "reasoning-gym:spell_backward", "bfcl:simple_python")
IGNORED = {"episodes are quick"}


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


def main() -> None:
    made = parser(__doc__)
    made.add_argument("names", nargs="*", help="environments to check")
    options = made.parse_args()
    shown = sys.stderr if options.json else sys.stdout
    for where in options.names or (QUICK if options.quick else every_name()):
        for line in faults(where):
            print(line, file=shown, flush=True)
    measured = () if options.names else MEASURED[::3] if options.quick else MEASURED
    finish([episodes_per_second(where, 1 if options.quick else 5) for where in measured], options)


if __name__ == "__main__":
    main()
