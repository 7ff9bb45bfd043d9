"""workplace: what an episode costs: opening, state, a whole gold solution with lookups, verdict and commit, 10,000 at once.

    python bench/workplace.py

The policy is a script that plays each task's gold solution, so that all that is measured is Verigym. A random policy and the
planted cheats are counted as well: how many of them pass.
"""

import asyncio
import gc
import random
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from figures import Figure, figure, finish, parser
from rollouts import AGENT, rss

from verigym.audit.play import fitting, play
from verigym.core.protocols import Policy, Reply, Request
from verigym.core.records import FunctionCall, Item, Message, Task, Turn, Usage
from verigym.environments import workplace
from verigym.environments.load import load_environment
from verigym.rollout.many import Plan, run_many
from verigym.store.database import Store

SPEC = load_environment("workplace")


class Gold:
    """The gold solution of whichever task it is asked; `wait` is awaited before the last reply."""

    def __init__(self, tasks: list[Task], wait: Callable[[], Any] = lambda: asyncio.sleep(0)) -> None:
        self.wait = wait
        self.replies = {task.prompt: workplace.gold(task) for task in tasks}

    async def respond(self, request: Request) -> Reply:
        asked = request.items[1]
        assert isinstance(asked, Message)
        replies, done = self.replies[asked.text], len(request.turns)
        await (self.wait() if done == len(replies) - 1 else asyncio.sleep(0))
        turn = Turn(parent=done - 1 if done else None, agent="script", usage=Usage(100, 10))
        return Reply(items=replies[done], turn=turn)


def run(folder: Path, name: str, tasks: list[Task], k: int, concurrency: int, policy: Policy) -> None:
    store = Store(folder / f"{name}.db")
    plan = Plan(
        run=name, environment=SPEC, tasks=tasks, agent=AGENT, verifier=SPEC.verifier, k=k, concurrency=concurrency
    )
    store.begin_run(name, "rollout", {"verifier": SPEC.verifier.name}, tasks)
    made = asyncio.run(run_many(store, plan, policy))
    store.close()
    assert (made.done, made.passed, made.errors) == (made.total, made.total, 0), made


def opened(tasks: list[Task], count: int = 20_000) -> tuple[float, float]:
    """Milliseconds to open an episode, and the bytes that its state holds before anything is changed."""
    began = time.perf_counter()
    for place in range(count):
        workplace.Environment().open(tasks[place % len(tasks)])
    taken = 1e3 * (time.perf_counter() - began) / count
    tracemalloc.start()
    held = []
    for place in range(1000):
        environment = workplace.Environment()
        environment.open(tasks[place % len(tasks)])
        held.append(environment)
    size = tracemalloc.get_traced_memory()[0] / len(held)
    tracemalloc.stop()
    return taken, size


def live(folder: Path, tasks: list[Task], k: int) -> tuple[float, float]:
    """Megabytes of this process while all episodes wait for their last reply, and kilobytes that each of them takes."""
    count, waiting, everyone, after = len(tasks) * k, 0, asyncio.Event(), 0

    async def wait() -> None:
        nonlocal waiting, after
        waiting += 1
        if waiting == count:
            after = rss()
            everyone.set()
        await everyone.wait()

    gc.collect()
    before = rss()
    run(folder, "live", tasks, k, count, Gold(tasks, wait))
    return after / 2**20, (after - before) / count / 1024


def random_replies(task: Task) -> list[list[Item]]:
    """Eight calls of tools drawn by chance, with arguments that fit."""
    draw = random.Random(task.id)
    specs = [draw.choice(SPEC.tools) for _ in range(8)]
    return [
        [FunctionCall("c", spec.name, msgspec.json.encode(fitting(spec.parameters, spec.parameters)).decode())]
        for spec in specs
    ]


async def passing(solutions: Callable[[Task], list[Any]], tasks: list[Task]) -> tuple[int, int]:
    """How many of these solutions there are, and how many of them pass."""
    verdicts = [(await play(SPEC, task, one)).verdict for task in tasks for one in solutions(task)]
    return len(verdicts), sum(verdict.passed for verdict in verdicts)


def main() -> None:
    args = parser(__doc__).parse_args()
    train, val = workplace.tasks("train"), workplace.tasks("val")
    found: list[Figure] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        memory, each = live(folder, train[:1250], 8)  # first, while no memory is left over from anything
        found.append(figure("workplace, 10,000 episodes at once", memory, "MB in all", "<= 1000"))
        found.append(figure("workplace, a live episode of 10,000", each, "KB"))
        taken, size = opened(train)
        found.append(figure("workplace, opening an episode", taken, "ms", "<= 0.1"))
        found.append(figure("workplace, a state", size / 1024, "KB", "<= 20"))
        k = 2 if args.quick else 8
        for concurrency in (64, 512):
            gc.collect()
            cpu, wall = time.process_time(), time.perf_counter()
            run(folder, f"at-{concurrency}", train, k, concurrency, Gold(train))
            cpu_s, wall_s = time.process_time() - cpu, time.perf_counter() - wall
            name = f"workplace gold solution, verified and stored, {concurrency} at once"
            found.append(figure(name, 1e3 * cpu_s / (k * len(train)), "CPU-ms", "<= 2"))
            found.append(figure(f"workplace episodes/s, {concurrency} at once", k * len(train) / wall_s, "1/s"))
    some = val[::10] if args.quick else val
    num_random, random_passed = asyncio.run(passing(lambda task: [random_replies(task)], val))
    num_cheats, cheats_passed = asyncio.run(passing(workplace.cheats, some))
    num_gold, gold_passed = asyncio.run(passing(lambda task: [workplace.gold(task)], [*train, *val]))
    found.append(figure("workplace, gold solutions that pass", 100 * gold_passed / num_gold, "%", ">= 100"))
    found.append(figure(f"workplace, {num_cheats:,} cheats: passed", cheats_passed, "", "<= 0"))
    found.append(figure(f"workplace, {num_random:,} random episodes: passed", random_passed, "", "<= 0"))
    finish(found, args)


if __name__ == "__main__":
    main()
