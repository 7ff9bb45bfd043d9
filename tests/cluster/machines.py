"""A Ray cluster of several machines on this one, a training run on it, and kills at random moments. A benchmark uses it too."""

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.cluster.serving import served
from tests.workspace.desk import Bench, save_tiny
from verigym.cluster.launch import RayPlace
from verigym.cluster.place import ClusterPlace
from verigym.cluster.ray_cluster import import_ray
from verigym.cluster.settings import ClusterSettings, Engines, Workers
from verigym.core.records import Version

FAKE = {"vocabulary": 100, "tokens": 6, "latency_s": 0.4}
"""A fake engine for the tiny model: its tokens depend on the prompt, the seed and the version only."""
LIMIT_S = 600.0
"""Seconds for what must happen at some time, however busy the computer is."""
_WITHIN_S = 2.0
"""A command is killed within this time after its first episode."""


class Machines:
    """Machines of a Ray cluster, all on this one. The first is the head, where the command runs."""

    def __init__(self, count: int) -> None:
        self._ray = import_ray()
        head = {"num_cpus": 8, "include_dashboard": False, "object_store_memory": 100 << 20}
        cluster = import_ray("ray.cluster_utils").Cluster
        self._cluster = _started(lambda: cluster(initialize_head=True, head_node_args=head))
        self.others = [self._add() for _ in range(count - 1)]
        self.address: str = self._cluster.address

    def _add(self) -> Any:
        return _started(lambda: self._cluster.add_node(num_cpus=8, object_store_memory=100 << 20))

    def kill(self, draw: random.Random) -> None:
        """Kills a machine that is not the head."""
        victim = self.others.pop(draw.randrange(len(self.others)))
        self._cluster.remove_node(victim, allow_graceful=False)

    def add(self) -> None:
        """Adds a machine. Ray does that only on the main thread."""
        self.others.append(self._add())

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self._ray.shutdown()
        self._cluster.shutdown()


def _started(start: Callable[[], Any]) -> Any:
    """Starts a machine of Ray. On a busy computer its process may abort, because another one did not answer it within 30 s."""
    deadline = time.monotonic() + LIMIT_S
    while True:
        try:
            with _patient_start():
                return start()
        except Exception:
            if time.monotonic() > deadline:
                raise


def _runs(node_id: str) -> bool:
    """Whether a process with the id of a machine in its command line runs."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if node_id.encode() in path.read_bytes():
                return True
    return False


@contextlib.contextmanager
def _patient_start() -> Iterator[None]:
    """Gives a machine of Ray `LIMIT_S` to register while its process runs. Ray itself gives it 30 s, which a busy computer may
    not manage, and has no setting for it."""
    services = import_ray("ray._private.services")
    quick = services.get_node, services.wait_for_node

    def get_node(address: str, node_id: str) -> Any:
        deadline = time.monotonic() + LIMIT_S
        while True:
            try:
                return quick[0](address, node_id)
            except RuntimeError:  # it has not registered yet
                if time.monotonic() > deadline or not _runs(node_id):
                    raise
            time.sleep(0.2)

    services.get_node = get_node
    services.wait_for_node = lambda address, socket, *limit: quick[1](address, socket, LIMIT_S)
    try:
        yield
    finally:
        services.get_node, services.wait_for_node = quick


@contextlib.contextmanager
def machines(count: int) -> Iterator[Machines]:
    found = Machines(count)
    try:
        yield found
    finally:
        found.close()


def settings(address: str, engines: int = 2, workers: int = 2) -> ClusterSettings:
    return ClusterSettings(
        ray=address,
        engines=Engines(
            kind="fake", count=engines, cpus=0.5, max_batch=16, flags=["--fake", json.dumps(FAKE)], versions=4
        ),
        workers=Workers(count=workers, cpus=0.5),
    )


def expected(folder: Path, model: Path, steps: int) -> tuple[Bench, Version, str]:
    """The same run without Ray and without kills."""
    bench = Bench(folder / "expected", model)
    with served("fake", model, fake=json.dumps({**FAKE, "latency_s": 0.0}), name=str(model)) as one:
        bench.ws.place = ClusterPlace(ClusterSettings(engines=Engines(kind="fake", at=[one.address])))
        version, run = bench.train("grpo", steps=steps)
    return bench, version, run


class Killer:
    """Kills once during every step but the first, at a random moment. The next step begins when the victim is back. `restore`
    brings it back, on the main thread."""

    def __init__(
        self, kill: Callable[[], None], seed: int, restore: Callable[[], None] = lambda: None, within_s: float = 1.0
    ) -> None:
        self._kill, self._restore, self._draw, self._within_s = kill, restore, random.Random(seed), within_s
        self.kills = 0
        self.paused = False
        """Whether the run waits for the killer."""
        self.error: BaseException | None = None
        self._begun, self._ready, self._ended = threading.Event(), threading.Event(), False
        self._ready.set()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            while True:
                self._begun.wait()
                self._begun.clear()
                if self._ended:
                    return
                time.sleep(self._draw.uniform(0.0, self._within_s))
                self._kill()
                self.kills += 1
                self._ready.set()
        except BaseException as error:  # the test raises it
            self.error = error
            self._ready.set()

    def on_step(self, step: int, metrics: dict[str, float], alarms: Any) -> None:
        """A step has ended: the next one begins when the killer is ready."""
        self.paused = True
        try:
            self._next(step)
        finally:
            self.paused = False

    def _next(self, step: int) -> None:
        assert self._ready.wait(LIMIT_S), "a victim did not come back"
        if self.error is not None:
            raise self.error
        if step > 1:
            self._restore()
        self._ready.clear()
        self._begun.set()

    def close(self) -> None:
        self._ended = True
        self._begun.set()
        self._thread.join(LIMIT_S)


class ProgressWatch:
    """Measures the longest time in which a run stored no episode, from its first one. Times in which it waits for the killer do
    not count."""

    def __init__(self, home: Path, killer: Killer) -> None:
        self.longest_s = 0.0
        self._home, self._killer, self._ended = home, killer, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        known, since = 0, time.monotonic()
        while not self._ended.wait(0.2):
            count, now = _stored(self._home), time.monotonic()
            if count != known or not count or self._killer.paused:
                known, since = count, now
            self.longest_s = max(self.longest_s, now - since)

    def close(self) -> float:
        self._ended.set()
        self._thread.join(LIMIT_S)
        return self.longest_s


def _stored(home: Path, *more: str) -> int:
    """Number of episodes and verdicts in the store of a workspace, and of the rows of more tables."""
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(f"file:{home / 'store.db'}?mode=ro", uri=True)) as store,
    ):
        tables = ("trajectories", "verdicts", *more)
        return sum(store.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] for table in tables)
    return 0


def kill_engine(place: RayPlace, draw: random.Random) -> None:
    """Kills the process of an engine, and waits until it is another one."""
    ray = import_ray()

    def pid(actor: Any) -> int:
        state = ray.get(actor.state.remote(), timeout=60)
        return state.pid if state.address else 0

    actor = draw.choice(place._hosts)  # pyright: ignore[reportPrivateUsage]
    before = until(lambda: pid(actor))
    os.kill(before, signal.SIGKILL)
    until(lambda: pid(actor) not in (0, before))


def kill_worker(place: RayPlace, draw: random.Random) -> None:
    """Kills a worker, and waits until Ray has started it again."""
    ray = import_ray()

    def pid(actor: Any) -> int:
        with contextlib.suppress(ray.exceptions.RayError):
            return ray.get(actor.pid.remote(), timeout=60)
        return 0

    actor = draw.choice(place._workers)  # pyright: ignore[reportPrivateUsage]
    before = until(lambda: pid(actor))
    os.kill(before, signal.SIGKILL)
    until(lambda: pid(actor) not in (0, before))


def until(found: Callable[[], Any]) -> Any:
    """Waits for a value that counts as true."""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        if value := found():
            return value
        time.sleep(0.1)
    raise TimeoutError("nothing happened in time")


def same(first: tuple[Bench, Version, str], second: tuple[Bench, Version, str]) -> None:
    """Asserts that two runs have the same weights and episodes: nothing is lost, nothing is double, nothing failed."""
    (one, version, run), (other, found, again) = first, second
    assert run == again and version.adapter == found.adapter
    assert one.children(run) == other.children(again)
    for child in one.children(run):
        mine = {each.id: each for each in one.ws.store.each_trajectory(child)}
        theirs = list(other.ws.store.each_trajectory(child))
        assert sorted(each.id for each in theirs) == sorted(mine), child
        for each in theirs:
            assert each.error is None, each.error
            assert [turn.completion_ids for turn in each.turns] == [turn.completion_ids for turn in mine[each.id].turns]
        verdicts = [each.trajectory for each in other.ws.store.each_verdict(child)]
        assert sorted(verdicts) == sorted(mine), child


def made_model(folder: Path) -> Path:
    return save_tiny(folder / "model")


def kill_command(bench: Bench, address: str, run: str, kills: int, draw: random.Random) -> Version:
    """Trains by the command line, kills the command at random moments so many times, and then lets it end.

    A reply takes as long as the longest wait for a kill. So a command ends at most one step before it is killed, and does not
    run out of steps, however fast the computer is."""
    fake = json.dumps({**FAKE, "latency_s": _WITHIN_S})
    engines = {"kind": "fake", "count": 2, "cpus": 0.5, "max_batch": 16, "flags": ["--fake", fake]}
    file = bench.file("cluster.yaml", json.dumps({"ray": address, "engines": engines}))
    recipe = bench.recipe_file("grpo", steps=kills + 1)
    code = "import sys; from verigym.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "train", recipe, "--cluster", file, "--home", str(bench.ws.home)]
    printed = bench.place / "printed"

    def stored() -> int:
        return _stored(bench.ws.home, "metrics")

    for _ in range(kills):
        before = stored()
        with printed.open("w") as out:
            process = subprocess.Popen(command, stdout=out, stderr=out)
        until(lambda process=process, before=before: process.poll() is not None or stored() > before)
        time.sleep(draw.uniform(0.0, _WITHIN_S))
        assert process.poll() is None, f"the command ended by itself: {printed.read_text()}"
        process.kill()
        process.wait(60)
    done = subprocess.run(command, capture_output=True, text=True, timeout=2 * LIMIT_S)
    assert done.returncode == 0, done.stdout + done.stderr
    version = bench.ws.store.get("trained", run, Version)
    assert version is not None
    return version
