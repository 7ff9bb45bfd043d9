"""A taskset of verifiers 0.4 with the real package."""

import asyncio
import os
import signal
from typing import Any

import pytest

from verigym.agents.run import driven_runner
from verigym.audit.scripted_episodes import play
from verigym.core.errors import BadInput
from verigym.core.protocols import Request
from verigym.core.records import Fault, Version
from verigym.environments.load import load_environment
from verigym.policies.scripted import ScriptedPolicy

BRIDGE = "verifiers"
SUMS = "verifiers:examples/verifiers_sums.py?gold=answer"


def test_gold_passes_and_doing_nothing_fails_at_once() -> None:
    spec = load_environment(f"{SUMS}&num_tasks=8")
    tasks = spec.tasks("val")
    assert len(tasks) == 8 and tasks[0].prompt == "What is 1 + 2?"

    async def run() -> None:
        gold = await asyncio.gather(*(play(spec, task, spec.gold_replies(task)) for task in tasks))
        assert all(each.verdict.passed for each in gold)
        assert [turn.actor for turn in gold[0].trajectory.turns] == ["policy"]
        nothing = await play(spec, tasks[0], ["I do not know."])
        assert nothing.verdict.reward == 0.0 and "right 0" in nothing.verdict.evidence

    asyncio.run(run())


def test_a_killed_child_is_one_failed_record() -> None:
    spec = load_environment(SUMS)
    task, agent = spec.tasks("val")[0], Version(base="scripted", id="scripted")
    child: Any = spec.factory.child  # type: ignore[attr-defined]

    def kill(request: Request) -> str:
        os.kill(child._pool.start().pid, signal.SIGKILL)
        return "3"

    async def run() -> list[Any]:
        async with driven_runner({}) as run_one:
            return [
                await run_one(spec, task, ScriptedPolicy(each), agent=agent, id=f"{n}", group="g")
                for n, each in enumerate((kill, ["3"]))
            ]

    broken, after = asyncio.run(run())
    assert broken.error is not None and broken.error.fault is Fault.INFRASTRUCTURE
    assert after.error is None and after.end_state["external_verdict"]["reward"] == 1.0


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("verifiers:no_such_taskset", "not found"),
        ("verifiers:missing.py", "missing.py does not exist"),
        ("verifiers:examples/verifiers_sums.py?gold=sum", 'no field "sum"'),
        ("verifiers:examples/verifiers_sums.py?num_taskz=3", "num_taskz"),
        ("verifiers:examples/verifiers_sums.py?harness=bash", "runs commands on this machine"),
    ],
)
def test_a_wrong_name_is_refused_in_words(where: str, words: str) -> None:
    with pytest.raises(BadInput) as error:
        load_environment(where)
    assert words in str(error.value)
