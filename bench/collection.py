"""Environments of the collection: what passes (gold, cheats, chance), and what an episode costs: CPU, clock, memory.

    python bench/collection.py [NAME ...]           # all of them without a name, each in a process of its own

The policy is a script, so that all that is measured is Verigym. Chance is the solution of another task, drawn; where there are
tools, eight calls with arguments that fit. A judge is scripted as in `verigym check`. Environments that run code need a sandbox,
whose work is counted by itself, outside and inside of its boxes, and are measured on fewer episodes.
"""

import asyncio
import contextlib
import ctypes
import multiprocessing
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partialmethod
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch

import msgspec
from figures import Figure, figure, finish, parser
from rollouts import AGENT, rss

from verigym.audit.scripted_episodes import Replies, fitting, play
from verigym.core.protocols import Context, Policy, Reply, Request
from verigym.core.records import FunctionCall, Message, Task, Turn, Usage
from verigym.environments.load import load_environment, names
from verigym.harness.environment import EnvironmentSpec
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.many import Progress, RunPlan, run_many
from verigym.rollout.settings import RunSettings
from verigym.sandbox.box import ProcessSandbox
from verigym.sandbox.open import LazySandbox
from verigym.store.database import Store
from verigym.verifiers.judge import ScriptedJudge

GUARDS = ("plain", "retention", "safety")
"""What training should not cost: not to be trained on, and not measured here."""
BOXED = ("code", "code_repair", "faster_code", "shell")
THREADED = (*BOXED, "data_analysis")
"""Whose episodes get a thread each, because they wait for something: of them no more are live than there may be threads."""
LIVE = 125
"""Tasks whose episodes wait at once."""
_ADOPT_ORPHANS = 36
"""PR_SET_CHILD_SUBREAPER of prctl, on Linux: see `cpu_s`."""


def no_time() -> Any:
    return asyncio.sleep(0)


class Gold:
    """The solution of whichever task it is asked; `wait` is awaited before the last reply, or before the first."""

    def __init__(
        self, spec: EnvironmentSpec, tasks: list[Task], wait: Callable[[], Any] = no_time, first: bool = False
    ) -> None:
        self.wait, self.first = wait, first
        self.replies = {str(task.prompt): spec.gold_replies(task) for task in tasks}

    async def respond(self, request: Request) -> Reply:
        asked = next(item for item in request.items if isinstance(item, Message) and item.role == "user")
        replies, done = self.replies[asked.text], len(request.turns)
        await (self.wait() if done == (0 if self.first else len(replies) - 1) else no_time())
        said = replies[done] if done < len(replies) else ""
        turn = Turn(parent=done - 1 if done else None, agent="script", usage=Usage(100, 10))
        return Reply(items=[Message("assistant", said)] if isinstance(said, str) else said, turn=turn)


def judge(spec: EnvironmentSpec, tasks: list[Task]) -> Policy:
    """The environment's own scripted judge, else one that likes the gold texts."""
    if spec.judge is not None:
        return ScriptedPolicy(spec.judge)
    good = {last for task in tasks if isinstance(last := spec.gold_replies(task)[-1], str)}
    return ScriptedJudge(lambda shown: shown in good)


async def played(spec: EnvironmentSpec, tasks: list[Task], k: int, concurrency: int, policy: Policy) -> Progress:
    """k episodes of each task by this policy, verified and stored."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "runs.db")
        plan = RunPlan(
            run="gold",
            environment=spec,
            tasks=tasks,
            agent=AGENT,
            verifier=spec.verifier,
            settings=RunSettings(k=k, concurrency=concurrency),
            context=Context(policies={"judge": judge(spec, tasks)}, sandbox=LazySandbox()),
        )
        store.begin_run("gold", "rollout", {"verifier": spec.verifier.name}, tasks)
        try:
            return await run_many(store, plan, policy)
        finally:
            store.close()


def run(spec: EnvironmentSpec, tasks: list[Task], k: int, concurrency: int) -> None:
    """All gold solutions, at so many at once; they pass."""
    made = asyncio.run(played(spec, tasks, k, concurrency, Gold(spec, tasks)))
    assert (made.done, made.passed, made.errors) == (made.total, made.total, 0), made


def live(spec: EnvironmentSpec, tasks: list[Task], k: int, first: bool = False) -> int:
    """Bytes of this process while k episodes of each task wait for their last reply, or their first."""
    count, waiting = k * len(tasks), 0

    async def wait() -> None:
        nonlocal waiting
        waiting += 1
        if waiting == count:
            everyone.set()
        await forever.wait()

    async def until_all_wait() -> int:
        episodes = asyncio.create_task(played(spec, tasks, k, count, policy))
        await asyncio.wait({episodes, asyncio.create_task(everyone.wait())}, return_when=asyncio.FIRST_COMPLETED)
        found = rss()
        assert not episodes.done(), f"{waiting} of {count} waited"
        episodes.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await episodes
        return found

    everyone, forever = asyncio.Event(), asyncio.Event()
    policy = Gold(spec, tasks, wait, first)
    return asyncio.run(until_all_wait())


def warm_and_live(name: str, k: int) -> int:
    """`live` after a run that leaves what all episodes share. Where calls run in boxes, before there are any."""
    spec, boxed = load_environment(name), name in BOXED
    tasks = spread(spec.tasks("train"), LIVE)
    run(spec, tasks[:2] if boxed else tasks, 1, 8)
    return live(spec, tasks, k, first=boxed)


def episode_kb(name: str) -> float:
    """What many live episodes of each of some tasks take more than few do, each in a fresh process, median of three: neither
    what all share nor what happened to be free counts as an episode's."""
    few, many = (4, 8) if name in THREADED else (8, 40)
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=fresh, max_tasks_per_child=1) as pool:
        found = [[pool.submit(warm_and_live, name, k).result() for k in (few, many)] for _ in range(3)]
    count = (many - few) * len(spread(load_environment(name).tasks("train"), LIVE))
    return statistics.median(more - less for less, more in found) / count / 1024


def by_chance(spec: EnvironmentSpec, task: Task, tasks: list[Task]) -> Replies:
    draw = random.Random(task.id)
    if not spec.tools:
        return spec.gold_replies(draw.choice([other for other in tasks if other.id != task.id]))
    drawn = [draw.choice(spec.tools) for _ in range(8)]
    written = [msgspec.json.encode(fitting(one.parameters, one.parameters)).decode() for one in drawn]
    return [[FunctionCall("c", one.name, arguments)] for one, arguments in zip(drawn, written, strict=True)]


async def passing(
    spec: EnvironmentSpec, solutions: Callable[[Task], list[Replies]], tasks: list[Task]
) -> tuple[int, int]:
    """How many of these solutions there are, and how many of them pass."""
    verdicts = [(await play(spec, task, one)).verdict for task in tasks for one in solutions(task)]
    assert all(verdict.reward is not None for verdict in verdicts), [one.error for one in verdicts if one.error][:1]
    return len(verdicts), sum(verdict.passed for verdict in verdicts)


def spread(tasks: list[Task], most: int) -> list[Task]:
    """At most so many, of all over the list."""
    return tasks[:: -(-len(tasks) // most)]


def cpu_s() -> tuple[float, float]:
    """Of this process so far, and of all that were started and have ended. What a box leaves behind becomes a child of this
    process, and counts once it is waited for."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime, others.ru_utime + others.ru_stime


class Replayed:
    """A box that answers as a real one did, to the same files and the same calls before, at no cost."""

    def __init__(self, files: Mapping[str, str | bytes], known: dict[Any, Any], real: Any) -> None:
        self.past: tuple[Any, ...] = tuple(sorted(files.items()))
        self.known, self.real = known, real

    async def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        self.past += ((name, str(args), str(kwargs)),)
        if self.real is not None:
            self.known[self.past] = await getattr(self.real, name)(*args, **kwargs)
        return self.known[self.past]

    run, read = partialmethod(call, "run"), partialmethod(call, "read")
    write, list = partialmethod(call, "write"), partialmethod(call, "list")

    async def close(self) -> None:
        if self.real is not None:
            await self.real.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()


def own_cpu_s(spec: EnvironmentSpec, tasks: list[Task], k: int, concurrency: int) -> float:
    """CPU seconds of this process if boxes cost nothing."""
    known: dict[Any, Any] = {}
    real, replaying = ProcessSandbox.open, False

    async def open_box(sandbox: ProcessSandbox, files: Mapping[str, str | bytes] = {}) -> Replayed:
        return Replayed(files, known, None if replaying else await real(sandbox, files))

    with patch.object(ProcessSandbox, "open", open_box):
        run(spec, tasks, 1, concurrency)
        replaying, before = True, cpu_s()
        run(spec, tasks, k, concurrency)
        return cpu_s()[0] - before[0]


def costs(
    name: str, spec: EnvironmentSpec, tasks: list[Task], k: int, concurrency: int, goal: str = "<= 5"
) -> list[Figure]:
    """CPU and clock of a gold solution, verified and stored; what boxes cost by itself."""
    began, before = time.perf_counter(), cpu_s()
    run(spec, tasks, k, concurrency)
    count, wall = k * len(tasks), time.perf_counter() - began
    own, boxes = (1e3 * (now - then) / count for now, then in zip(cpu_s(), before, strict=True))
    what, found = f"{name} gold solution, verified and stored, {concurrency} at once", []
    if boxes:
        without = 1e3 * own_cpu_s(spec, tasks, k, concurrency) / count
        found.append(figure(f"{what}: starting and watching its boxes", own - without, "CPU-ms"))
        found.append(figure(f"{what}: in its boxes", boxes, "CPU-ms"))
        own = without
    found.insert(0, figure(what, own, "CPU-ms", goal))
    return [*found, figure(f"{name} episodes/s, {concurrency} at once", count / wall, "1/s")]


def measured(name: str, quick: bool) -> list[Figure]:
    ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1)
    spec, boxed = load_environment(name), name in BOXED
    train, val = spec.tasks("train"), spec.tasks("val")
    asked = list({str(task.prompt): task for task in train}.values())  # `Gold` knows a task by its prompt
    some = spread(asked, (5 if quick else 20) if boxed else 60) if boxed or quick else asked
    found = costs(name, spec, some, 1 if quick else 2 if boxed else 4, 8 if boxed else 64)
    if not quick:
        found.append(figure(f"{name}, a live episode", episode_kb(name), "KB"))
    most = (1 if boxed else 40) if quick else 10**6
    golden, tempted = spread([*train, *val], most), spread(val, min(most, 12) if boxed else most)
    num_gold, gold = asyncio.run(passing(spec, lambda task: [spec.gold_replies(task)], golden))
    num_cheats, cheats = asyncio.run(passing(spec, spec.cheat_replies, tempted))
    num_chance, chance = asyncio.run(passing(spec, lambda task: [by_chance(spec, task, val)], spread(val, most)))
    return [
        figure(f"{name}, {num_gold:,} gold solutions: passed", gold, "", f">= {num_gold}"),
        figure(f"{name}, {num_cheats:,} cheats: passed", cheats, "", "<= 0"),
        figure(f"{name}, {num_chance:,} held-out tasks by chance: passed", chance, ""),
        *found,
    ]


def apart(name: str, quick: bool) -> list[Figure]:
    """Measured in a process of its own, which holds no memory of the others."""
    print(f"{name} ...", file=sys.stderr, flush=True)
    command = [sys.executable, __file__, name, "--json", *(["--quick"] if quick else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:  # it broke; one that misses a goal has its figures
        return [figure(f"{name} could not be measured", 1, "", "<= 0")]
    return [msgspec.json.decode(line, type=Figure) for line in lines]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("names", nargs="*", metavar="NAME")
    args = options.parse_args()
    asked = args.names or [name for name in names() if name not in GUARDS]
    if len(asked) == 1:
        finish(measured(asked[0], args.quick), args)
    finish([one for name in asked for one in apart(name, args.quick)], args)


if __name__ == "__main__":
    main()
