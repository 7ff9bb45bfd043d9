"""Scale: many fake engines behind HTTP, and all of their slots filled by the episodes of one client.

    python bench/scale.py                  # 64 engines of 256 slots, 16,384 episodes in flight, 200,000 in all: 22 minutes
    python bench/scale.py --quick          # 8 engines of 32 slots
    python bench/scale.py --latency 80     # for a busy machine: calls take longer, so fewer are made per second
    python bench/scale.py --minutes 20     # stops after 20 minutes, and measures what ran until then

The engines compute nothing and run in processes of their own. Everything else is what a cluster runs: `run_many` with a store
on disk, `TokenPolicy`, `Fleet`, `VllmEngine` and HTTP. An episode has four turns. CPU and memory are those of the client. The
number of calls per second is that of the slots divided by the latency. A machine of two cores must keep up with it.

Everything is measured in the steady state. It begins when as many episodes have ended as are in flight, and ends when no episode
is left to begin: from then on, slots are empty because there is no work. Halfway, a version is loaded on all engines.
"""

import argparse
import asyncio
import contextlib
import gc
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import msgspec
from figures import Figure, figure, finish, parser

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from verigym.cluster.engine_server import EngineService, serve  # noqa: E402
from verigym.core.records import Message, Sampling, Task, Version  # noqa: E402
from verigym.harness.environment import EnvironmentSpec  # noqa: E402
from verigym.harness.tools import ToolBox  # noqa: E402
from verigym.policies.engines.fake import FakeEngine  # noqa: E402
from verigym.policies.engines.fleet import Fleet  # noqa: E402
from verigym.policies.engines.vllm import VllmEngine  # noqa: E402
from verigym.policies.tokens import TokenPolicy  # noqa: E402
from verigym.rollout.many import Progress, RunPlan, run_many, standing  # noqa: E402
from verigym.rollout.settings import EpisodeLimits, RunSettings  # noqa: E402
from verigym.store.database import Store  # noqa: E402
from verigym.verifiers.lift import lift  # noqa: E402

TURNS, PER_TASK = 4, 8
PROMPT = "Sort the letters of the words and name the first of them. " * 3
SAMPLE_S = 0.5


class Sizes(msgspec.Struct, frozen=True):
    """What is simulated."""

    engines: int
    slots: int
    episodes: int
    latency_s: float
    processes: int = 4
    tokens: int = 32
    """Tokens of a reply."""
    minutes: float = 0.0
    """The run is stopped after this time. 0 for no limit."""

    @property
    def all_slots(self) -> int:
        return self.engines * self.slots


FULL = Sizes(engines=64, slots=256, episodes=200_000, latency_s=24.0)
QUICK = Sizes(engines=8, slots=32, episodes=1536, latency_s=1.5, processes=1)


# -- the engines, in other processes ----------------------------------------------------------------------------------


async def host(sizes: Sizes, count: int) -> None:
    """Serves `count` engines. Prints their ports, and after each line of its input the number of busy slots at each moment."""
    least = sizes.latency_s / 2
    engines = [
        FakeEngine(
            slots=sizes.slots,
            latency_s=lambda draw: least + sizes.latency_s * draw.random(),
            tokens=sizes.tokens,
            vocabulary=95,
        )
        for _ in range(count)
    ]
    runners = [
        await serve(EngineService(engine, "fake", window=1 << 20, versions=4), "127.0.0.1", 0) for engine in engines
    ]
    print(json.dumps([runner.addresses[0][1] for runner in runners]), flush=True)
    busy: list[tuple[float, int]] = []

    async def watch() -> None:
        while True:
            busy.append((time.monotonic(), sum([(await engine.usage()).running for engine in engines])))
            await asyncio.sleep(SAMPLE_S)

    watching = asyncio.ensure_future(watch())
    while await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(busy), flush=True)
    watching.cancel()


class EngineProcesses:
    """The processes of the engines."""

    def __init__(self, sizes: Sizes) -> None:
        each = -(-sizes.engines // sizes.processes)
        counts = [min(each, sizes.engines - start) for start in range(0, sizes.engines, each)]
        self._started = [
            subprocess.Popen(
                [sys.executable, __file__, "--host", str(count), "--sizes", msgspec.json.encode(sizes).decode()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for count in counts
        ]
        self.addresses = [f"http://127.0.0.1:{port}" for process in self._started for port in self._line(process)]

    def _line(self, process: "subprocess.Popen[str]") -> Any:
        assert process.stdout is not None
        return json.loads(process.stdout.readline())

    def busy(self, start: float, end: float) -> float:
        """Mean number of busy slots between two times."""
        total = 0.0
        for process in self._started:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
            seen = [running for when, running in self._line(process) if start <= when <= end]
            total += sum(seen) / max(1, len(seen))
        return total

    def close(self) -> None:
        for process in self._started:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(60)


# -- the client -------------------------------------------------------------------------------------------------------


class Words:
    """Four replies, whatever they are."""

    system = "You answer briefly."

    begun = 0
    """Episodes that were begun."""

    def open(self, task: Task) -> None:
        Words.begun += 1
        self.replies = 0

    def step(self, reply: str) -> tuple[str, float, bool]:
        self.replies += 1
        return "And the next one?", 0.0, self.replies == TURNS


def verify(task: Task, trajectory: Any) -> float:
    return float(len(trajectory.turns) == TURNS)


WORDS = EnvironmentSpec(
    name="words",
    tasks=lambda split: [],
    factory=Words,
    toolbox=ToolBox(Words),
    verifiers={"verify": lift("verify", verify)},
    suites={},
    system=Words.system,
    max_turns=TURNS,
)


def rss() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


class Moment(msgspec.Struct, frozen=True):
    """The client at one time."""

    when: float
    done: int
    """Episodes in the store."""
    begun: int
    """Episodes that were begun."""
    served: int
    """Completed calls."""
    cpu_s: float
    memory: int


class Measured(msgspec.Struct, kw_only=True):
    moments: list[Moment]
    memory_before: int
    load_s: float
    busy: float


async def measured(sizes: Sizes, folder: Path) -> Measured:
    from tests.policies.templates import tokenizer

    processes = EngineProcesses(sizes)
    try:
        engines = [
            await VllmEngine.connect(address, model="fake", slots=4, max_batch=sizes.slots)
            for address in processes.addresses
        ]
        fleet = Fleet(engines)
        policy = TokenPolicy(tokenizer("qwen2"), fleet, agent="fake")
        policy.render.prompt([Message("user", PROMPT)], [])  # what is loaded once
        tasks = [
            Task(id=f"t{index:06}", prompt=f"{PROMPT} {index}", split="train")
            for index in range(sizes.episodes // PER_TASK)
        ]
        plan = RunPlan(
            run="scale",
            environment=WORDS,
            tasks=tasks,
            agent=Version(base="fake", id="fake"),
            verifier=WORDS.verifier,
            settings=RunSettings(
                k=PER_TASK,
                concurrency=sizes.all_slots,
                sampling=Sampling(max_tokens=4 * sizes.tokens),
                limits=EpisodeLimits(seconds=100 * sizes.latency_s + 600),
            ),
        )
        moments: list[Moment] = []
        load_s = 0.0

        def on_progress(progress: Progress) -> None:
            nonlocal done
            done = progress.done

        async def watch() -> None:
            nonlocal load_s
            while True:
                served = sum(state.served for state in fleet.states)
                moments.append(Moment(time.monotonic(), done, Words.begun, served, time.process_time(), rss()))
                if not load_s and done > halfway:
                    load_s = await loaded(fleet, folder)
                await asyncio.sleep(SAMPLE_S)

        done, halfway = 0, plan.episodes / 2
        with contextlib.closing(Store(folder / "store.db")) as store:
            store.begin_run(plan.run, "rollout", {"verifier": plan.verifier.name}, tasks)
            await warm_up(store, plan, policy)
            Words.begun = 0
            gc.collect()
            before = rss()
            watching = asyncio.ensure_future(watch())
            await run_for(sizes.minutes, run_many(store, plan, policy, on_progress), watching)
            made = standing(store, plan)
        assert made.errors == 0 and made.passed == made.judged > 0, made
        assert sizes.minutes or made.passed == plan.episodes, made
        assert all(state.lost == 0 for state in fleet.states), "an engine was lost"
        kept = steady(moments, sizes, plan.episodes)
        busy = processes.busy(kept[0].when, kept[-1].when)
        await fleet.close()
    finally:
        processes.close()
    return Measured(moments=kept, memory_before=before, load_s=load_s, busy=busy)


async def run_for(minutes: float, work: Coroutine[Any, Any, Any], watching: "asyncio.Future[None]") -> None:
    """Runs the work, and stops it after this time. 0 for no limit. The watch ends first: stopping thousands of episodes at once
    takes memory that no run takes."""
    running = asyncio.ensure_future(work)
    await asyncio.wait([running], timeout=60 * minutes or None)
    watching.cancel()
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running


def steady(moments: list[Moment], sizes: Sizes, episodes: int) -> list[Moment]:
    """The moments from when as many episodes have ended as are in flight, until no episode is left to begin."""
    kept = [one for one in moments if one.done >= sizes.all_slots and one.begun < episodes]
    if len(kept) < 10:
        sys.exit("The run was too short for a steady state. Raise --episodes or --minutes")
    return kept


async def warm_up(store: Store, plan: RunPlan, policy: TokenPolicy) -> None:
    """A few episodes without waiting. They load what is loaded once, and show that the environment's methods are quick. Until
    that is known, at most 1,024 episodes run."""
    few = msgspec.structs.replace(plan, run="warm-up", tasks=plan.tasks[:PER_TASK])
    instant = TokenPolicy(policy.render.tokenizer, FakeEngine(tokens=8, vocabulary=95), agent="fake")
    store.begin_run(few.run, "rollout", {"verifier": few.verifier.name}, few.tasks)
    await run_many(store, few, instant)


async def loaded(fleet: Fleet, folder: Path) -> float:
    """Seconds that a version takes to be on every engine."""
    adapter = folder / "adapter"
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text("{}")
    began = time.monotonic()
    await fleet.load("run@1", adapter)
    return time.monotonic() - began


def figures_of(sizes: Sizes) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(prefix="verigym-scale-") as folder:
        found = asyncio.run(measured(sizes, Path(folder)))
    first, last = found.moments[0], found.moments[-1]
    calls, seconds = last.served - first.served, last.when - first.when
    tenth = max(1, len(found.moments) // 10)
    early, late = (
        statistics.fmean(one.memory for one in some) for some in (found.moments[:tenth], found.moments[-tenth:])
    )
    size = f"{sizes.engines} engines, {sizes.all_slots:,} episodes in flight"
    yield figure(f"slots busy, {size}", 100 * found.busy / sizes.all_slots, "%", ">= 95")
    yield figure(f"CPU of a call, {size}", 1e3 * (last.cpu_s - first.cpu_s) / calls, "CPU-ms", "<= 2.5")
    most = max(moment.memory for moment in found.moments)
    each = (most - found.memory_before) / sizes.all_slots / 1024
    large = sizes.all_slots > 10_000  # otherwise most of it is what the client needs in any case
    yield figure(f"memory of an episode in flight, {size}", each, "KB", "<= 30" if large else "")
    flat = "<= 1.1" if large else ""
    ran = f"{first.done:,} to {last.done:,} episodes"
    yield figure(f"memory of the last tenth against the first, {ran}", late / early, "times", flat)
    if found.load_s:
        yield figure(f"a version on {sizes.engines} engines", found.load_s, "s", "<= 2")
    yield figure(f"calls, {size}", calls / seconds, "1/s")


def main() -> None:
    asked: argparse.ArgumentParser = parser(__doc__)
    for name, kind, words in (
        ("engines", int, "number of engines"),
        ("slots", int, "slots of each engine"),
        ("episodes", int, "number of episodes"),
        ("processes", int, "processes of the engines"),
        ("latency", float, "seconds of a call"),
        ("minutes", float, "time after which the run is stopped"),
    ):
        asked.add_argument(f"--{name}", type=kind, help=words)
    asked.add_argument("--host", type=int, help=argparse.SUPPRESS)
    asked.add_argument("--sizes", help=argparse.SUPPRESS)
    args = asked.parse_args()
    if args.host:
        return asyncio.run(host(msgspec.json.decode(args.sizes, type=Sizes), args.host))
    given = {
        "engines": args.engines,
        "slots": args.slots,
        "episodes": args.episodes,
        "processes": args.processes,
        "latency_s": args.latency,
        "minutes": args.minutes,
    }
    given = {name: value for name, value in given.items() if value is not None}
    finish(list(figures_of(msgspec.structs.replace(QUICK if args.quick else FULL, **given))), args)


if __name__ == "__main__":
    main()
