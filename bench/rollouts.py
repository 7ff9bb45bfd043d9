"""Rollouts: CPU and memory of one episode, all included: a scripted policy, four tool calls, a verdict, the commit.

    python bench/rollouts.py                                  # 64, 512 and 10,000 episodes at once, in process
    python bench/rollouts.py --million                        # 1,000,000 trajectories: flat rate, flat memory, `runs show`
    python bench/rollouts.py --peers /path/to/python          # verifiers in that interpreter, the same episode

CPU is this process's own (user and system), so a model behind HTTP counts on the client's side alone.
"""

import asyncio
import gc
import itertools
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from figures import Figure, figure, finish, parser
from instant_server import running

from verigym.core.protocols import Policy, Reply, Request
from verigym.core.records import FunctionCall, Item, Message, Task, Trajectory, Turn, Usage, Version
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox, tool
from verigym.policies.remote import RemotePolicy
from verigym.rollout.many import RunPlan, run_many
from verigym.rollout.settings import RunSettings
from verigym.store.database import Store
from verigym.verifiers.lift import lift

HERE = Path(__file__).parent
AGENT = Version(base="scripted", id="scripted")
CALLS = 4


class Shop:
    system = "You keep a shop."

    def open(self, task: Task) -> None:
        self.basket: dict[str, int] = {}

    @tool
    def add(self, item: str, count: int = 1) -> str:
        """Put something into the basket."""
        self.basket[item] = self.basket.get(item, 0) + count
        return f"{count} {item}"

    def end_state(self) -> dict[str, Any]:
        return {"basket": self.basket}


def verify(task: Task, trajectory: Trajectory) -> float:
    return float(trajectory.end_state.get("basket") == {"tea": CALLS})


SHOP = EnvironmentSpec(
    name="shop",
    tasks=lambda split: [],
    factory=Shop,
    toolbox=ToolBox(Shop),
    verifiers={"verify": lift("verify", verify)},
    suites={},
    system=Shop.system,
    max_turns=CALLS + 1,
)


class Script:
    """Four calls and a final message, at no cost of its own; `wait` is awaited before the last one."""

    def __init__(self, wait: Callable[[], Any] = lambda: asyncio.sleep(0)) -> None:
        self.wait = wait
        self.calls: list[list[Item]] = [[FunctionCall(f"c{i}", "add", '{"item": "tea"}')] for i in range(CALLS)]
        self.last: list[Item] = [Message("assistant", "Done.")]

    async def respond(self, request: Request) -> Reply:
        done = len(request.turns)
        await (self.wait() if done == CALLS else asyncio.sleep(0))
        turn = Turn(parent=done - 1 if done else None, agent="script", usage=Usage(100, 10))
        return Reply(items=self.calls[done] if done < CALLS else self.last, turn=turn)


def tasks(count: int) -> list[Task]:
    return [Task(id=f"t{i:07d}", prompt=f"Put {CALLS} teas into the basket, please ({i}).") for i in range(count)]


def plan(run: str, count: int, concurrency: int, k: int = 4) -> RunPlan:
    return RunPlan(
        run=run,
        environment=SHOP,
        tasks=tasks(count // k),
        agent=AGENT,
        verifier=SHOP.verifier,
        settings=RunSettings(k=k, concurrency=concurrency),
    )


def run(store: Store, what: RunPlan, policy: Policy, on_progress: Callable[[Any], None] = lambda _: None) -> None:
    store.begin_run(what.run, "rollout", {"verifier": what.verifier.name}, what.tasks)
    made = asyncio.run(run_many(store, what, policy, on_progress))
    assert (made.done, made.passed, made.errors) == (made.total, made.total, 0), made


def cpu_ms_each(folder: Path, count: int, concurrency: int, policy: Policy) -> tuple[float, float]:
    """CPU-ms and wall-ms of one rollout."""
    store = Store(folder / f"{concurrency}-{type(policy).__name__}.db")
    what = plan("bench", count, concurrency)
    gc.collect()
    began, cpu = time.perf_counter(), time.process_time()
    run(store, what, policy)
    taken = time.process_time() - cpu, time.perf_counter() - began
    store.close()
    return 1e3 * taken[0] / count, 1e3 * taken[1] / count


def rss() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def kb_each(folder: Path, live: int) -> float:
    """Memory that an episode takes while it waits for its last reply, all of them live at once."""
    waiting, everyone = 0, asyncio.Event()
    before = after = 0

    async def wait() -> None:
        nonlocal waiting, after
        waiting += 1
        if waiting == live:
            after = rss()
            everyone.set()
        await everyone.wait()

    store = Store(folder / "live.db")
    what = plan("live", live, live, k=1)
    gc.collect()
    before = rss()
    run(store, what, Script(wait))
    store.close()
    return (after - before) / live / 1024


def http_cpu_ms_each(folder: Path, count: int, concurrency: int) -> float:
    """A model behind HTTP in another process on this machine, which answers at once."""
    with running("add", '{"item": "tea"}') as port:
        store = Store(folder / f"http-{concurrency}.db")
        what = plan("http", count, concurrency)

        async def both() -> float:
            cpu = time.process_time()
            async with RemotePolicy(f"http://127.0.0.1:{port}/v1", "instant", concurrency=concurrency) as policy:
                made = await run_many(store, what, policy)
            assert made.passed == made.total, made
            return time.process_time() - cpu

        store.begin_run(what.run, "rollout", {}, what.tasks)
        return 1e3 * asyncio.run(both()) / count


def million(folder: Path, count: int) -> list[Figure]:
    """Write rate and memory over a long run, and how soon `runs show` answers."""
    store = Store(folder / "store.db")
    what = plan("million", count, 512)
    marks: list[tuple[int, float, int]] = []

    def on_progress(progress: Any) -> None:
        if progress.done >= (len(marks)) * count // 10:
            marks.append((progress.done, time.perf_counter(), rss()))

    run(store, what, Script(), on_progress)
    store.close()
    rates = [(b[0] - a[0]) / (b[1] - a[1]) for a, b in itertools.pairwise(marks)]
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "verigym.cli.main", "runs", "show", "million", "--home", str(folder)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    shown = time.perf_counter() - began
    return [
        figure(f"rollouts/s, first tenth of {count:,}", rates[0], "1/s"),
        figure(f"rollouts/s, last tenth of {count:,}", rates[-1], "1/s"),
        figure("last tenth against the first", rates[-1] / rates[0], "times", ">= 0.8"),
        figure("memory at the end against a tenth", marks[-1][2] / marks[1][2], "times", "<= 1.2"),
        figure(f"runs show with {count:,} trajectories", shown, "s, with starting Python", "<= 1"),
        figure("store on disk", sum(p.stat().st_size for p in folder.iterdir()) / count, "bytes a trajectory"),
    ]


def peer_ms(python: str, count: int, concurrency: int) -> dict[str, Any]:
    """What a figure says of the peer in that interpreter: its name with its version, and its CPU-ms; empty where it fails."""
    command = [python, str(HERE / "peer_verifiers.py"), str(count), str(concurrency)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr[-2000:], file=sys.stderr)
        return {}
    lines = done.stdout.splitlines()
    print(*lines[:-1], sep="; ", file=sys.stderr)
    return {"peer": lines[0], "peer_value": float(lines[-1])}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--million", action="store_true", help="also 1,000,000 trajectories, about ten minutes")
    args = options.parse_args()
    rollouts = 5_000 if args.quick else 20_000
    found: list[Figure] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        live = kb_each(folder, 10_000)  # first, while no memory is left over from anything
        found.append(figure("memory of a live episode, 10,000 at once", live, "KB", "<= 30"))
        cpu_ms_each(folder, 2000, 32, Script())  # what is loaded and compiled once
        for concurrency in (64, 512, 10_000):
            count = max(rollouts, 4 * concurrency)
            each, wall = cpu_ms_each(folder, count, concurrency, Script())
            name = f"rollout with 4 tool calls, verified and stored, {concurrency:,} at once"
            peer = peer_ms(args.peers, max(2000, concurrency), concurrency) if args.peers and not args.quick else {}
            found.append(figure(name, each, "CPU-ms", "<= 0.5", **peer))
            found.append(figure(f"rollouts/s, {concurrency:,} at once", 1e3 / wall, "1/s"))
        for concurrency in (64, 512):
            each = http_cpu_ms_each(folder, rollouts // 4, concurrency)
            name = f"rollout over HTTP, 5 model calls, {concurrency} at once"
            found.append(figure(name, each, "CPU-ms on the client's side", "<= 2"))
        if args.million:
            (folder / "million").mkdir()
            found += million(folder / "million", 1_000_000)
    finish(found, args)


if __name__ == "__main__":
    main()
