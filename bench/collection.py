"""Environments of the collection: what passes (gold, cheats, chance), and what an episode costs: CPU, clock, memory.

    python bench/collection.py [NAME ...]

The policy is a script, so that all that is measured is Verigym. Chance is the solution of another task, drawn; where there are
tools, eight calls with arguments that fit.
"""

import asyncio
import gc
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from figures import Figure, figure, finish, parser
from rollouts import AGENT, rss

from verigym.audit.play import Replies, fitting, play
from verigym.core.protocols import Reply, Request
from verigym.core.records import FunctionCall, Message, Task, Turn, Usage
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.rollout.many import Plan, run_many
from verigym.store.database import Store

LIVE = 1000
"""Episodes that wait at once."""


class Gold:
    """The solution of whichever task it is asked; `wait` is awaited before the first reply."""

    def __init__(self, spec: EnvironmentSpec, tasks: list[Task], wait: Callable[[], Any]) -> None:
        self.wait = wait
        self.replies = {str(task.prompt): spec.gold_replies(task) for task in tasks}

    async def respond(self, request: Request) -> Reply:
        asked = next(item for item in request.items if isinstance(item, Message) and item.role == "user")
        replies, done = self.replies[asked.text], len(request.turns)
        await (asyncio.sleep(0) if done else self.wait())
        said = replies[done] if done < len(replies) else ""
        turn = Turn(parent=done - 1 if done else None, agent="script", usage=Usage(100, 10))
        return Reply(items=[Message("assistant", said)] if isinstance(said, str) else said, turn=turn)


def run(spec: EnvironmentSpec, tasks: list[Task], k: int, concurrency: int, wait: Callable[[], Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "runs.db")
        verifier = spec.verifier
        plan = Plan(
            run="gold", environment=spec, tasks=tasks, agent=AGENT, verifier=verifier, k=k, concurrency=concurrency
        )
        store.begin_run("gold", "rollout", {"verifier": verifier.name}, tasks)
        made = asyncio.run(run_many(store, plan, Gold(spec, tasks, wait)))
        store.close()
    assert (made.done, made.passed, made.errors) == (made.total, made.total, 0), made


def live_kb(spec: EnvironmentSpec, tasks: list[Task]) -> float:
    """Kilobytes that an episode takes while all of them wait for their first reply."""
    waiting, everyone, after = 0, asyncio.Event(), 0

    async def wait() -> None:
        nonlocal waiting, after
        waiting += 1
        if waiting == LIVE:
            after = rss()
            everyone.set()
        await everyone.wait()

    some = tasks[: LIVE // 8]
    run(spec, some, 1, 8, lambda: asyncio.sleep(0))  # Verigym learns that it is quick, and needs no threads
    gc.collect()
    before = rss()
    run(spec, some, LIVE // len(some), LIVE, wait)
    return (after - before) / LIVE / 1024


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
    return len(verdicts), sum(verdict.passed for verdict in verdicts)


def measured(name: str, quick: bool) -> list[Figure]:
    spec = load_environment(name)
    train, val = spec.tasks("train"), spec.tasks("val")
    memory = live_kb(spec, train)  # first, while no memory is left over from anything

    k = 1 if quick else 4
    cpu, wall = time.process_time(), time.perf_counter()
    run(spec, train, k, 64, lambda: asyncio.sleep(0))
    cpu_s, wall_s = time.process_time() - cpu, time.perf_counter() - wall
    some = val[::5] if quick else val
    num_gold, gold = asyncio.run(passing(spec, lambda task: [spec.gold_replies(task)], [*train, *val]))
    num_cheats, cheats = asyncio.run(passing(spec, spec.cheat_replies, some))
    num_chance, chance = asyncio.run(passing(spec, lambda task: [by_chance(spec, task, val)], val))
    return [
        figure(f"{name}, {num_gold:,} gold solutions: passed", gold, "", f">= {num_gold}"),
        figure(f"{name}, {num_cheats:,} cheats: passed", cheats, "", "<= 0"),
        figure(f"{name}, {num_chance:,} held-out tasks by chance: passed", chance, ""),
        figure(f"{name} gold solution, verified and stored", 1e3 * cpu_s / (k * len(train)), "CPU-ms", "<= 5"),
        figure(f"{name} episodes/s, 64 at once", k * len(train) / wall_s, "1/s"),
        figure(f"{name}, a live episode of {LIVE:,}", memory, "KB"),
    ]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("names", nargs="*", default=["math", "structured", "sudoku"], metavar="NAME")
    args = options.parse_args()
    finish([one for name in args.names for one in measured(name, args.quick)], args)


if __name__ == "__main__":
    main()
