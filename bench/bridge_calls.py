"""CPU time that the bridges in this process add to one step or call of the other project's own code.

    python bench/bridge_calls.py [--json] [--quick]

Both sides do the same: Taxi drives north and south, Aviary's dummy casts a number, AgentDojo reads a balance. The bridge's side
is the state of an episode as the harness calls it. What the harness adds is measured by `bridges.py --overhead`.
"""

import asyncio
import importlib
import time
from collections.abc import Awaitable, Callable
from typing import Any

from figures import Figure, figure, finish, parser

from verigym.environments.bridges import agentdojo_package
from verigym.environments.load import load_environment


def ms_per_call(call: Callable[[int], Any], calls: int) -> float:
    call(0)
    began = time.process_time()
    for number in range(calls):
        call(number)
    return (time.process_time() - began) / calls * 1000


async def ms_per_await(call: Callable[[int], Awaitable[Any]], calls: int) -> float:
    await call(0)
    began = time.process_time()
    for number in range(calls):
        await call(number)
    return (time.process_time() - began) / calls * 1000


def opened(where: str) -> tuple[Any, Any]:
    spec = load_environment(where)
    task = [*spec.tasks("val"), *spec.tasks("train")][0]
    return spec.factory(), task


def of_gymnasium(calls: int) -> float:
    state, task = opened("gymnasium:Taxi-v4")
    state.open(task)
    with_bridge = ms_per_call(lambda number: state.step(("north", "south")[number % 2]), calls)
    state.env.reset(seed=0)
    return with_bridge - ms_per_call(lambda number: state.env.step((1, 0)[number % 2]), calls)


def of_aviary(calls: int) -> float:
    state, task = opened("aviary:dummy?size=1")

    async def run() -> float:
        await state.open(task)
        with_bridge = await ms_per_await(lambda _: state.call("cast_int", {"x": 1.5}), calls)
        core = importlib.import_module("aviary.core")

        def plain(_: int) -> Awaitable[Any]:
            call = core.ToolCall.from_name("cast_int", x=1.5)
            return state.env.step(core.ToolRequestMessage(tool_calls=[call]))

        return with_bridge - await ms_per_await(plain, calls)

    return asyncio.run(run())


def of_agentdojo(calls: int) -> float:
    state, task = opened("agentdojo:banking?attack=none")
    state.open(task)
    with_bridge = ms_per_call(lambda _: state.call("get_balance", {}), calls)
    runtime = agentdojo_package._runtime("banking")
    shown = importlib.import_module("agentdojo.agent_pipeline.tool_execution").tool_result_to_str
    return with_bridge - ms_per_call(lambda _: shown(runtime.run_function(state.state, "get_balance", {})[0]), calls)


def main() -> None:
    made = parser(__doc__)
    options = made.parse_args()
    calls = 200 if options.quick else 2000
    figures: list[Figure] = [
        figure(f"CPU time that the bridge to {name} adds to one call", max(0.0, of(calls)), "ms", "<= 0.3")
        for name, of in (("Gymnasium", of_gymnasium), ("Aviary", of_aviary), ("AgentDojo", of_agentdojo))
    ]
    finish(figures, options)


if __name__ == "__main__":
    main()
