"""Sampling ahead of the learner with a long tail of episodes: steps an hour at `ahead` 0, 1, 2 and 4.

    python bench/ahead.py             # 1,000 steps each, simulated in a minute or two

A `FakeEngine` on a virtual clock takes the time of each episode from a lognormal distribution whose 99th percentile is 8 times
its median. The update takes as long as the median sampling of a step. Everything else is the code of training: `AheadSampler`,
`Versions` and `EpisodeSlots`. The bound is the slower of both, sampling and update, if they never waited for each other.
"""

import asyncio
import statistics
from pathlib import Path
from typing import Any

from figures import Figure, figure, finish, parser

from verigym.core.generation import Generation
from verigym.core.records import Sampling
from verigym.policies.engines.fake import FakeEngine
from verigym.policies.engines.virtual_clock import VirtualClock
from verigym.training.ahead import AheadSampler, Versions

TASKS, K = 16, 8
MEDIAN_S, P99_S = 10.0, 80.0


class Loaded:
    """The publisher of a fake engine."""

    def __init__(self, engine: FakeEngine, keep: int) -> None:
        self.engine, self.keep = engine, keep
        self.names: list[str] = []

    async def publish(self, agent: str) -> Any:
        await self.engine.load(agent, Path("adapters") / agent)
        self.names.append(agent)
        while len(self.names) > self.keep:
            await self.engine.forget(self.names.pop(0))
        return agent

    async def close(self) -> None: ...


async def trained(ahead: int, steps: int, update_s: float) -> tuple[float, list[float], list[int]]:
    """The seconds of a run, the seconds that each step was sampled, and the staleness of each episode."""
    slots = TASKS * K  # the same engine for every `ahead`
    engine = FakeEngine(slots=slots, latency_s=(MEDIAN_S, P99_S), versions=ahead + 2)
    versions = Versions("run", Loaded(engine, ahead + 1), ahead, slots)
    sampling_s: list[float] = []
    ages: list[int] = []
    clock = asyncio.get_running_loop()

    async def run(environment: Any, task: int, version: Any, *, group: str, seed: int) -> Any:
        request = Generation(ids=[task], seed=seed, version=version, sampling=Sampling(max_tokens=16))
        return (await engine.generate(request)).version

    async def sample(step: int) -> None:
        began = clock.time()
        runner = versions.runner(step, run)
        asked = [(task, step * TASKS * K + task * K + index) for task in range(TASKS) for index in range(K)]
        sampled: list[Any] = await asyncio.gather(
            *(runner(None, task, None, group=f"{step}/{task}", seed=seed) for task, seed in asked)
        )
        ages.extend(step - 1 - int(version.partition("@")[2]) for version in sampled)
        sampling_s.append(clock.time() - began)

    sampler = AheadSampler(sample, ahead, steps)
    await versions.publish(0)
    sampler.learnt(0)
    for step in range(1, steps + 1):
        await sampler.take(step)
        await asyncio.sleep(update_s)
        await versions.publish(step)
        sampler.learnt(step)
    return clock.time(), sampling_s, ages


def simulated(ahead: int, steps: int, update_s: float) -> tuple[float, list[float], list[int]]:
    with asyncio.Runner(loop_factory=VirtualClock) as runner:
        return runner.run(trained(ahead, steps, update_s))


def measured(steps: int) -> list[Figure]:
    _, sampling_s, _ = simulated(0, steps, 0.0)
    update_s = statistics.median(sampling_s)
    bound_s = max(update_s, MEDIAN_S)
    figures = [
        figure("median seconds of sampling a step, and of its update", update_s, "s"),
        figure("seconds of the longest of 100 steps in sampling", statistics.quantiles(sampling_s, n=100)[-1], "s"),
    ]
    goals = {1: ">= 1.6", 2: ">= 1.8"}
    alone = 0.0
    for ahead in (0, 1, 2, 4):
        seconds, _, ages = simulated(ahead, steps, update_s)
        alone = alone or seconds
        assert max(ages) <= ahead and len(ages) == steps * TASKS * K
        figures += [
            figure(f"steps an hour, ahead {ahead}", 3600 * steps / seconds, "steps"),
            figure(f"times the steps of ahead 0, ahead {ahead}", alone / seconds, "times", goals.get(ahead, "")),
            figure(f"share of the bound, ahead {ahead}", bound_s * steps / seconds, ""),
            figure(f"mean staleness, ahead {ahead}", statistics.fmean(ages), "updates"),
        ]
    return figures


def main() -> None:
    args = parser(__doc__).parse_args()
    finish(measured(200 if args.quick else 1000), args)


if __name__ == "__main__":
    main()
