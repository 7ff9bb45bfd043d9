"""Trajectories per second that processes write to one PostgreSQL store, and how soon a claim is free after kill -9.

    python bench/store_postgres.py [--url postgresql+psycopg://USER@HOST/DATABASE] [--writers 8] [--each 4096]

Without --url it starts a server of its own in a temporary folder (apt-get install postgresql). A trajectory has about 3 KB with
its packed tokens, and one verdict. Writers commit batches of 256 with `Store.add`, as a rollout does. The same writers then
write to one SQLite file, for comparison. On a busy machine, look at the CPU time per trajectory.
"""

import contextlib
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from figures import figure, finish, parser

sys.path.insert(0, str(Path(__file__).parents[1]))

from verigym.core.errors import Refused
from verigym.core.records import FunctionCall, FunctionCallOutput, Message, Trajectory, Turn, Usage, Verdict
from verigym.store.database import Store

BATCH = 256


def trajectory(run: str, index: int) -> Trajectory:
    words = random.Random(index % 64)
    ids = [words.randrange(49_152) for _ in range(150)]
    turn = Turn(made=[0], context_ids=ids, completion_ids=ids[:75], logprobs=[-0.5] * 75, usage=Usage(150, 75))
    text = " ".join(str(words.randrange(10**6)) for _ in range(120))
    items = [Message("assistant", text), FunctionCall("c", "search", "{}"), FunctionCallOutput("c", text)]
    task = f"task-{index // 8}"
    return Trajectory(
        id=f"{run}/{task}/{index % 8}", task=task, group=f"{run}/{task}", index=index % 8, items=items, turns=[turn]
    )


def write(where: Path | str, writer: int, each: int, ready: Any, go: Any, done: Any) -> None:
    store = Store(where)
    run = f"run-{writer}"
    store.begin_run(run, "rollout", {})
    rows = [trajectory(run, index) for index in range(each)]
    verdicts = [Verdict(trajectory=one.id, verifier="exact@1", reward=1.0, passed=True) for one in rows]
    ready.put(writer)
    go.wait()
    before = time.process_time()
    for start in range(0, each, BATCH):
        store.add(run, rows[start : start + BATCH], verdicts[start : start + BATCH])
    done.put((time.perf_counter(), time.process_time() - before))
    store.close()


def rate(where: Path | str, writers: int, each: int) -> tuple[float, float]:
    """Trajectories per second from the common start to the last commit, and CPU seconds of all writers."""
    context = multiprocessing.get_context("spawn")
    ready, done, go = context.Queue(), context.Queue(), context.Event()
    Store(where).begin_run("first", "rollout", {})
    processes = [
        context.Process(target=write, args=(where, each_writer, each, ready, go, done))
        for each_writer in range(writers)
    ]
    for process in processes:
        process.start()
    for _ in processes:
        ready.get(timeout=300)
    started = time.perf_counter()  # one clock for all processes of a machine
    go.set()
    ends = [done.get(timeout=600) for _ in processes]
    for process in processes:
        process.join()
    store = Store(where)
    assert all(store.run(f"run-{writer}").passed == each for writer in range(writers)), "every row is there"
    store.close()
    return writers * each / (max(end for end, _ in ends) - started), sum(cpu for _, cpu in ends)


def hold(where: Path | str, held: Any) -> None:
    with Store(where).claim("claimed"):
        held.put(os.getpid())
        time.sleep(600)


def seconds_until_free(where: str) -> float:
    """Seconds from kill -9 of the process that claims a run until another process claims it."""
    context = multiprocessing.get_context("spawn")
    held = context.Queue()
    process = context.Process(target=hold, args=(where, held))
    process.start()
    pid = held.get(timeout=120)
    store = Store(where)
    with contextlib.suppress(Refused), store.claim("claimed"):
        raise AssertionError("two processes claimed one run")
    os.kill(pid, signal.SIGKILL)
    killed = time.perf_counter()
    while True:
        with contextlib.suppress(Refused), store.claim("claimed"):
            break
    seconds = time.perf_counter() - killed
    process.join()
    store.close()
    return seconds


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--url", default="", help="an empty PostgreSQL database (default: a server of its own)")
    options.add_argument("--writers", type=int, default=8)
    options.add_argument("--each", type=int, default=4096, help="trajectories of each writer (512 with --quick)")
    args = options.parse_args()
    each = 512 if args.quick else args.each
    with contextlib.ExitStack() as stack:
        url, server = args.url, None
        if not url:
            from tests.store.server import PostgresServer, programs

            if programs() is None:
                print("skipped: PostgreSQL is not installed. Install it: apt-get install postgresql", file=sys.stderr)
                finish([], args)
            server = stack.enter_context(PostgresServer(["shared_buffers=256MB", "max_wal_size=4GB"]))
            url = server.url()
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        Store(url).close()
        before = server.cpu_s() if server else 0.0
        postgres, client_s = rate(url, args.writers, each)
        rows, server_s = args.writers * each, server.cpu_s() - before if server else 0.0
        sqlite, _ = rate(folder / "store.db", args.writers, each)
        free_s = max(seconds_until_free(url) for _ in range(5))
    name = f"PostgreSQL, {args.writers} writers"
    print(f"load of the machine: {os.getloadavg()[0]:.1f}", file=sys.stderr)
    finish(
        [
            figure(f"{name}: trajectories with verdicts", postgres, "1/s", ">= 5000", "SQLite", sqlite),
            figure(f"{name}: CPU of a writer per trajectory", client_s / rows * 1e6, "us"),
            figure(f"{name}: CPU of the server per trajectory", server_s / rows * 1e6, "us"),
            figure("PostgreSQL: a claim is free after kill -9 (slowest of 5)", free_s, "s", "<= 1"),
        ],
        args,
    )


if __name__ == "__main__":
    main()
