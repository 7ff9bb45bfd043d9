"""`verigym view`: time and bytes of every page, start, memory, the cost beside a rollout, and how soon a commit is on the screen.

    python bench/view.py                                            # makes a store of 100,000 trajectories and measures it
    python bench/view.py --make FOLDER --trajectories 1000000       # makes a store and keeps it
    python bench/view.py FOLDER                                     # measures on it

The server is a process of its own. A time is that of a request from its first byte to the last byte of its answer, over
loopback, with gzip. Results are appended to docs/results/view.jsonl.
"""

import contextlib
import datetime
import http.client
import os
import random
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import view_store
from figures import Figure, figure, finish, parser
from view_store import HUB, HUGE, RUN, TOKENS, TRAINING, VERIFIER

from verigym.core.errors import VerigymError
from verigym.store.database import Store
from verigym.view.derived import Derived

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "view.jsonl"
_TURNS = 6
"""Times that rollouts are measured without and with an open page."""
ROLLOUTS = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import rollouts
from verigym.store.database import Store
store, count = Store(Path(sys.argv[2]) / "store.db"), int(sys.argv[3])
rollouts.run(store, rollouts.plan(f"warm-{time.time()}", 2000, 64), rollouts.Script())
began = time.perf_counter()
rollouts.run(store, rollouts.plan(sys.argv[4], count, 64), rollouts.Script())
print(count / (time.perf_counter() - began))
"""


class PageGoal(NamedTuple):
    name: str
    addresses: list[str]
    p95_ms: float
    kb: float
    first_ms: float = 0
    """Goal for the first time, if there is one: the server has only just started, and nothing is worked out yet."""


def pages(count: int) -> list[PageGoal]:
    """The rows of the specification."""
    tasks = [f"t{number:07d}" for number in random.Random(0).sample(range(count // 8), 50)]
    run = urllib.parse.quote(RUN)
    cursors = [f"/runs/{run}?task={task}" for task in tasks[:5]]
    return [
        PageGoal("home", ["/"], 100, 30),
        PageGoal("runs", ["/runs", "/runs?kind=eval"], 100, 30),
        PageGoal("versions", ["/versions", "/versions/version-0007"], 100, 30),
        PageGoal("ledger of 10,000 entries", ["/ledger"], 100, 30),
        PageGoal("gate", ["/gate", "/gate/9000"], 100, 30),
        PageGoal(f"run of {count:,}, grid of 200 tasks x 8", [f"/runs/{run}", *cursors], 150, 60),
        PageGoal(f"overview of {count:,}, bytes", [f"/run-cells/{run}"], 80, 300),
        PageGoal("trajectory", [f"/t/{run}/{task}/{at % 8}" for at, task in enumerate(tasks)], 120, 90),
        PageGoal("trajectory, 4,000 tokens coloured", [f"/t/{TOKENS}/t0000000/0?tokens=logprob"], 120, 90),
        PageGoal("trajectory of 50 MB, first screen", [f"/t/{HUGE}/t0000000/0"], 400, 100),
        PageGoal(f"failures of {count:,}", [f"/failures/{run}"], 100, 30),
        PageGoal("compare 400 tasks", ["/compare?a=report0002&b=report0003"], 100, 80, 500),
        PageGoal("compare 5,000 tasks", ["/compare?a=report0000&b=report0001"], 500, 80, 4000),
        PageGoal("training, 10,000 steps x 40 metrics", [f"/training/{TRAINING}"], 250, 150),
        PageGoal("next pair while labelling", [f"/label/{run}"], 80, 40),
        PageGoal("search in the text of a run", [f"/runs/{run}?view=text&q=basket+holds"], 400, 20),
        PageGoal("traces", ["/traces"], 100, 30),
        PageGoal(
            "audit, mined tasks, environments, suites", ["/audit", "/mined/shop", "/environments", "/suites"], 100, 30
        ),
    ]


class Server:
    """`verigym view` on a workspace."""

    def __init__(self, home: Path) -> None:
        began = time.perf_counter()
        command = [sys.executable, "-m", "verigym.cli.main", "view", "--home", str(home), "--port", "0", "--no-open"]
        environment = {**os.environ, "HF_HUB_CACHE": str(home / HUB)}  # where the store has its tokenizer
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
        )
        assert self.process.stdout is not None
        self.port = 0
        for line in self.process.stdout:
            if "http://" in line:
                self.port = urllib.parse.urlsplit(next(word for word in line.split() if "http://" in word)).port or 0
                break
        assert self.port, "verigym view did not say where it listens"
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        self.listening_s, self.start_cpu_s = time.perf_counter() - began, self.cpu_s
        self.get("/runs")
        self.first_page_s = time.perf_counter() - began
        self.page_cpu_s = self.cpu_s

    @property
    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def rss(self) -> int:
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * resource.getpagesize()

    def get(self, address: str, connection: http.client.HTTPConnection | None = None) -> tuple[int, bytes, float]:
        """Status, body as it was sent, and milliseconds."""
        own = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        began = time.perf_counter()
        own.request("GET", address, headers={"accept-encoding": "gzip", "cookie": "who=bench"})
        answer = own.getresponse()
        body = answer.read()
        taken = 1e3 * (time.perf_counter() - began)
        if connection is None:
            own.close()
        return answer.status, body, taken

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


@contextlib.contextmanager
def served(home: Path) -> Iterator[Server]:
    server = Server(home)
    try:
        yield server
    finally:
        server.stop()


def ready(home: Path, count: int) -> tuple[float, float]:
    """Waits until the index knows the large run. Returns the seconds until its cells are there, and until all is."""
    derived, began, cells_s = Derived(home), time.monotonic(), 0.0
    derived.want("cells", RUN)
    while time.monotonic() - began < 1800:
        if not cells_s and derived.cells(RUN, VERIFIER) is not None:
            cells_s = time.monotonic() - began
        reasons = derived.reasons(RUN, VERIFIER, most=1, examples=1)
        if cells_s and reasons is not None and reasons.read >= count:
            break
        time.sleep(0.5)
    derived.stop()
    return cells_s, time.monotonic() - began


def times_of(server: Server, goal: PageGoal, requests: int, first: float) -> list[Figure]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    taken, sizes, wrong = list[float](), list[int](), set[int]()
    for number in range(requests):
        status, body, ms = server.get(goal.addresses[number % len(goal.addresses)], connection)
        if status != 200:
            wrong.add(status)
            break
        if number >= min(len(goal.addresses), 10):  # the page cache is warm
            taken.append(ms)
        sizes.append(len(body))
    connection.close()
    if wrong:
        print(f"{goal.name}: {goal.addresses[0]} answered {wrong}", file=sys.stderr)
        return []
    p50, p95 = (statistics.quantiles(taken, n=100)[at - 1] for at in (50, 95))
    return [
        figure(f"view: {goal.name}, p95", p95, "ms", f"<= {goal.p95_ms:g}"),
        figure(f"view: {goal.name}, median", p50, "ms"),
        figure(f"view: {goal.name}, first time", first, "ms", f"<= {goal.first_ms:g}" if goal.first_ms else ""),
        figure(f"view: {goal.name}, gzipped", max(sizes) / 1000, "kB", f"<= {goal.kb:g}"),
    ]


def memory(server: Server, goals: list[PageGoal], requests: int) -> list[Figure]:
    """Memory over many mixed pages: it must not grow."""
    draw, marks = random.Random(1), list[int]()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    for number in range(requests):
        server.get(draw.choice(draw.choice(goals).addresses), connection)
        if number % max(1, requests // 20) == 0:
            marks.append(server.rss)
    connection.close()
    middle, last = statistics.fmean(marks[9:11]), statistics.fmean(marks[-2:])
    return [
        figure(f"view: memory after {requests:,} mixed pages", last / 1e6, "MB", "<= 150"),
        figure("view: memory at the end, divided by the middle", last / middle, "times", "<= 1.05"),
    ]


def rollouts_per_s(home: Path, count: int) -> float:
    command = [sys.executable, "-c", ROLLOUTS, str(Path(__file__).parent), str(home), str(count), f"r{time.time()}"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def beside(home: Path, server: Server, goals: list[PageGoal], count: int) -> list[Figure]:
    """The rate of a rollout alone, with an open live page, and with eight clients that ask without pause. The first two take
    turns, because the speed of a machine drifts by more than the goal."""
    alone, watched = list[float](), list[float]()
    for _ in range(_TURNS):
        alone.append(rollouts_per_s(home, count // 2))
        with listening(server, "runs"):
            watched.append(rollouts_per_s(home, count // 2))
    share = statistics.median(after / before for before, after in zip(alone, watched, strict=True))
    stop, taken, wrong = threading.Event(), list[float](), list[int]()

    def ask(seed: int) -> None:
        draw, connection = random.Random(seed), http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        while not stop.is_set():
            status, _, ms = server.get(draw.choice(draw.choice(goals).addresses), connection)
            taken.append(ms)
            if status >= 500:
                wrong.append(status)

    clients = [threading.Thread(target=ask, args=(seed,)) for seed in range(8)]
    for client in clients:
        client.start()
    busy = rollouts_per_s(home, count)
    stop.set()
    for client in clients:
        client.join()
    return [
        figure("view: rollouts beside an open live page, against none", share, "times", ">= 0.98"),
        figure("view: rollouts beside 8 clients without pause", busy / statistics.median(alone), "times"),
        figure("view: 8 clients beside a rollout, p95", statistics.quantiles(taken, n=100)[94], "ms"),
        figure("view: 8 clients beside a rollout, errors", len(wrong), "of " + f"{len(taken):,}", "<= 0"),
    ]


@contextlib.contextmanager
def listening(server: Server, channel: str) -> Iterator[list[tuple[float, bytes]]]:
    """A page that listens. Its messages arrive in the list, with their times."""
    messages: list[tuple[float, bytes]] = []
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
    connection.request("GET", f"/events?of={urllib.parse.quote(channel, safe=':')}")
    answer = connection.getresponse()

    def read() -> None:
        with contextlib.suppress(OSError, ValueError, AttributeError, http.client.HTTPException):
            while line := answer.fp.readline():
                if line.startswith(b"data:"):
                    messages.append((time.perf_counter(), line))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        yield messages
    finally:
        connection.close()


def latency(home: Path, server: Server, times: int) -> Figure:
    """Milliseconds from a commit to the message on an open page."""
    store, run = Store(home / "store.db"), f"live-{time.time():.0f}"
    store.begin_run(run, "train", {"recipe": {"steps": 1000}})
    taken: list[float] = []
    with store.claim(run), listening(server, f"training:{run}") as messages:
        time.sleep(2.0)
        for step in range(1, times + 1):
            before = len(messages)
            store.add_metrics(run, step, {"reward": 0.5, "seconds": 1.0})
            committed = time.perf_counter()
            while len(messages) == before and time.perf_counter() - committed < 10:
                time.sleep(0.002)
            taken.append(1e3 * ((messages[before][0] if len(messages) > before else time.perf_counter()) - committed))
    store.delete_run(run)
    store.close()
    return figure("view: commit to message on an open page, slowest of 20", max(taken), "ms", "<= 1000")


def episodes_of(home: Path) -> int:
    """Episodes of the large run."""
    with sqlite3.connect(home / "store.db") as store:
        [(counts,)] = store.execute("SELECT counts FROM runs WHERE id = ?", (RUN,)).fetchall()
    return msgspec.json.decode(counts)[0]


def measure(home: Path, *, requests: int, mixed: int, rollouts: int) -> list[Figure]:
    count, figures = episodes_of(home), list[Figure]()
    for end in ("", "-wal", "-shm"):
        (home / f"derived.db{end}").unlink(missing_ok=True)
    with served(home) as server:
        figures += [
            figure("view: listening after", server.listening_s, "s", "<= 1.0"),
            figure("view: CPU until it listens", server.start_cpu_s, "s", "<= 0.5"),
            figure("view: CPU until the first page", server.page_cpu_s, "s"),
        ]
        cells_s, all_s = ready(home, count)
        figures += [
            figure(f"view: index of {count:,} episodes, cells", cells_s, "s in the background", "<= 30"),
            figure(f"view: index of {count:,} episodes, cells and reasons", all_s, "s in the background"),
        ]
        firsts = {goal.name: server.get(goal.addresses[0]) for goal in pages(count)}
        goals = [goal for goal in pages(count) if firsts[goal.name][0] == 200]
        missing = [goal.name for goal in pages(count) if goal not in goals]
        if missing:
            print(f"not measured, because the page does not answer 200: {', '.join(missing)}", file=sys.stderr)
        for goal in goals:
            figures += times_of(server, goal, requests, firsts[goal.name][2])
        idle, began = server.cpu_s, time.monotonic()
        with contextlib.ExitStack() as tabs:
            for _ in range(5):
                tabs.enter_context(listening(server, "home"))
            time.sleep(10)
        share = (server.cpu_s - idle) / (time.monotonic() - began)
        figures.append(figure("view: CPU with 5 open pages and nothing to do", 100 * share, "% of a core", "<= 1"))
        figures.append(latency(home, server, 20))
        small = [goal for goal in goals if "50 MB" not in goal.name and "5,000 tasks" not in goal.name]
        figures += memory(server, small, mixed)
        if rollouts:
            figures += beside(home, server, small, rollouts)
    return figures


def main() -> None:
    options = parser(__doc__)
    options.add_argument("home", nargs="?", type=Path, help="a folder that --make made")
    options.add_argument("--make", type=Path, metavar="FOLDER", help="make a store in this folder and keep it")
    options.add_argument("--trajectories", type=int, default=100_000)
    args = options.parse_args()
    if args.make:
        if (args.make / "store.db").exists():
            raise VerigymError(f"{args.make} has a store already. Name another folder")
        view_store.make(args.make, args.trajectories)
        return
    sizes = {"requests": 30, "mixed": 300, "rollouts": 0} if args.quick else {}
    sizes = sizes or {"requests": 200, "mixed": 10_000, "rollouts": 60_000}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        if args.home:
            if shutil.disk_usage(args.home).free < 2 * (args.home / "store.db").stat().st_size:
                raise VerigymError("The measurement writes to a copy of the store, and the disk has no space for it")
            shutil.copytree(args.home, home, ignore=shutil.ignore_patterns("derived.db*"))
        else:
            view_store.make(home, 20_000 if args.quick else args.trajectories)
        figures, episodes = measure(home, **sizes), episodes_of(home)
    if not args.quick:
        RESULTS.parent.mkdir(exist_ok=True)
        date = datetime.date.today().isoformat()
        with RESULTS.open("a") as file:
            for one in figures:
                file.write(
                    msgspec.json.encode({**msgspec.to_builtins(one), "episodes": episodes, "date": date}).decode()
                    + "\n"
                )
    finish(figures, args)


if __name__ == "__main__":
    main()
