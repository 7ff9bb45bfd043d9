"""External agents: 200 processes at once, what an episode's address adds to a model call, and a table of real agents.

    python bench/agents.py                         # processes and latency
    python bench/agents.py --processes 50
    python bench/agents.py --table                 # real agents, into docs/results/agents.json (`make test-agents` installs them)

The agents of the first figure use the standard library alone. Each asks a scripted model twice and calls one tool. The model
answers nobody before all have asked, so all processes live at the same time.

The second figure compares `/e/ID/v1/chat/completions` with `/v1/chat/completions` of `verigym serve` with capture. Both answer
with the same scripted policy, on servers in threads of this process. Conversations have five calls. Rounds alternate, and the
figure is the median of the differences of their medians.
"""

import asyncio
import contextlib
import http.client
import os
import resource
import shlex
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from figures import Figure, figure, finish, parser

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.rollout.shop import ADD, AGENT, spec, tasks  # noqa: E402
from tests.servers.running import running, serving  # noqa: E402
from verigym.agents.host import EpisodeHost  # noqa: E402
from verigym.agents.hosted import HostedEpisode  # noqa: E402
from verigym.agents.run import runner_of  # noqa: E402
from verigym.core.protocols import Context, Request  # noqa: E402
from verigym.core.records import Task  # noqa: E402
from verigym.policies.scripted import ScriptedPolicy  # noqa: E402
from verigym.rollout.live import Live  # noqa: E402
from verigym.rollout.many import RunPlan, run_many  # noqa: E402
from verigym.rollout.settings import EpisodeLimits, RunSettings  # noqa: E402
from verigym.store.database import Store  # noqa: E402
from verigym.traces.capture import Capture  # noqa: E402
from verigym.traces.redaction import Redaction  # noqa: E402

TABLE = ROOT / "docs" / "results" / "agents.json"
CALLS = 5
"""Calls of a conversation."""
SYSTEM = "You are an office assistant. " * 20
TOOL = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Put something into the basket.",
        "parameters": {"type": "object", "properties": {"item": {"type": "string"}, "count": {"type": "integer"}}},
    },
}


# -- many processes -------------------------------------------------------------------------------------------------------


async def processes(count: int) -> list[Figure]:
    """Runs `count` agents at once."""
    command = shlex.join([sys.executable, str(ROOT / "tests" / "agents" / "programs.py"), "solve"]) + " {prompt}"
    agent = msgspec.structs.replace(AGENT, program=command)
    all_here = asyncio.Event()
    waiting = 0

    async def reply(request: Request) -> str:
        nonlocal waiting
        if request.turns:
            return "Done."
        waiting += 1
        if waiting == count:
            all_here.set()
        await all_here.wait()
        return ADD

    settings = RunSettings(concurrency=count, limits=EpisodeLimits(seconds=600.0))
    environment = spec()
    plan = RunPlan(
        run="r", environment=environment, tasks=tasks(count), agent=agent, verifier=environment.verifier, settings=settings
    )  # fmt: skip
    began, cpu = time.perf_counter(), cpu_s()
    with tempfile.TemporaryDirectory() as home:
        store = Store(Path(home) / "store.db")
        store.begin_run("r", "rollout", {}, plan.tasks)
        peak = MemoryPeak()
        watching = asyncio.create_task(peak.watch())
        async with runner_of(environment, agent, settings, Context()) as run:
            await run_many(store, plan, ScriptedPolicy(reply), run=run)
        passed = sum(verdict.passed for verdict in store.verdicts("r"))
        watching.cancel()
    seconds, used = time.perf_counter() - began, [now - then for now, then in zip(cpu_s(), cpu, strict=True)]
    ours = 1000 * used[0] / count
    name = f"{count} agents in processes of their own, all at once"
    return [
        figure(f"{name}: episodes that passed", passed, "episodes", f">= {count}"),
        figure(f"{name}: from the first start to the last verdict", seconds, "s"),
        figure(f"{name}: CPU of Verigym", ours, "CPU-ms an episode"),
        figure(f"{name}: CPU of the agents", 1000 * used[1] / count, "CPU-ms an episode"),
        figure(f"{name}: memory of Verigym, at most", _maxrss_mb(), "MB"),
        figure(f"{name}: memory of the agents, at most", peak.megabytes, "MB, shared pages not counted"),
    ]


class MemoryPeak:
    """The largest sum of the own memory of this process's children."""

    def __init__(self) -> None:
        self.megabytes = 0.0

    async def watch(self) -> None:
        while True:
            pages = 0
            for task in Path("/proc/self/task").iterdir():
                for child in (task / "children").read_text().split():
                    with contextlib.suppress(OSError):
                        fields = Path(f"/proc/{child}/statm").read_text().split()
                        pages += int(fields[1]) - int(fields[2])  # without pages that are shared
            self.megabytes = max(self.megabytes, pages * resource.getpagesize() / 1e6)
            await asyncio.sleep(0.5)


def cpu_s() -> list[float]:
    """User and system time of this process and of its children that ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return [each.ru_utime + each.ru_stime for each in used]


def _maxrss_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


# -- the latency of an address --------------------------------------------------------------------------------------------


def bodies(number: int) -> list[bytes]:
    """The requests of a conversation, each with all that was said before."""
    messages: list[Any] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": f"Book a room, {number}."},
    ]
    result = []
    for turn in range(CALLS):
        result.append(msgspec.json.encode({"model": "agent", "messages": messages, "tools": [TOOL]}))
        said = {"role": "assistant", "content": "Done."}
        messages = [*messages, said, {"role": "user", "content": f"And another one, {turn}."}]
    return result


def p50_ms(port: int, conversations: list[tuple[str, list[bytes]]]) -> float:
    """Median of the milliseconds of a call over a connection that stays open."""
    client = http.client.HTTPConnection("127.0.0.1", port)
    taken: list[float] = []
    for path, requests in conversations:
        for body in requests:
            began = time.perf_counter()
            client.request("POST", path, body, {"content-type": "application/json"})
            response = client.getresponse()
            answer = response.read()
            taken.append(time.perf_counter() - began)
            assert response.status == 200, answer
    client.close()
    return 1000 * statistics.median(taken[CALLS:])


@contextlib.contextmanager
def gateway(home: Path) -> Iterator[int]:
    """The port of `verigym serve` with capture."""
    capture = Capture(home, Redaction())
    with running(home, lambda version: ScriptedPolicy(["Done."]), fixed="agent", capture=capture) as here:
        yield here.port
    capture.close()


def episodes(host: EpisodeHost, count: int) -> list[str]:
    """Paths of new episodes."""

    async def opened(number: int) -> str:
        settings = RunSettings(seed=number)
        live = await Live.open(
            spec(), Task(id=f"t{number}", prompt="x"), settings, agent=AGENT, id=f"r/{number}/0", group="r"
        )
        episode = HostedEpisode(live, ScriptedPolicy(["Done."]), settings, AGENT, {})
        host.add(episode)
        return f"/e/{episode.id}/v1/chat/completions"

    async def all_opened() -> list[str]:
        return [await opened(number) for number in range(count)]

    return asyncio.run(all_opened())


def latency(rounds: int, conversations: int) -> list[Figure]:
    host = EpisodeHost()
    pairs: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as home, gateway(Path(home)) as before, serving(host) as port:
        for number in range(rounds + 1):  # the first round warms up
            several = [bodies(number * conversations + each) for each in range(conversations)]
            paths = episodes(host, conversations)
            today = p50_ms(before, [("/v1/chat/completions", each) for each in several])
            own = p50_ms(port, [*zip(paths, several, strict=True)])
            pairs.append((today, own))
    added = statistics.median(own - today for today, own in pairs[1:])
    unit = f"ms at p50, {rounds} rounds of {conversations * CALLS} calls"
    return [
        figure("an episode's address adds to a call of the gateway", added, unit, "<= 1"),
        figure("a call at an episode's address", statistics.median(own for _, own in pairs[1:]), unit),
        figure("a call of the gateway with capture", statistics.median(today for today, _ in pairs[1:]), unit),
    ]


# -- real agents ----------------------------------------------------------------------------------------------------------


def table() -> list[dict[str, Any]]:
    """One row for each real agent, from an episode with a local model."""
    from tests.third_party.agents import CASES, local_model, play
    from tests.third_party.install import PACKAGES, install
    from verigym.training.samples import from_trajectory

    rows = []
    for case in CASES.values():
        install(case.package)
        played = asyncio.run(play(case, local_model()))
        made = played.trajectory
        exact = sorted(played.ids) == sorted(played.engine_ids) and bool(made.turns)
        row = {
            "agent": case.name,
            "version": PACKAGES[case.package].label,
            "api": case.api,
            "tools": case.tools,
            "turns": len(made.turns),
            "roots": sum(turn.parent is None for turn in made.turns),
            "samples": len(from_trajectory(made, 1.0)),
            "exact_ids": exact,
            "marks": dict(Counter(mark.kind for mark in made.marks)),
            "passed": made.end_state == {"basket": {"tea": 2}} and made.error is None,
        }
        print(f"{case.name} ...", file=sys.stderr, flush=True)
        rows.append(row)
    return rows


def markdown(rows: list[dict[str, Any]]) -> str:
    """The table of the page docs/reference/agents.md."""
    head = ["agent", "version", "API", "tools", "turns", "roots", "samples", "exact ids", "marks"]
    lines = [head, ["---"] * len(head)]
    for row in rows:
        marks = ", ".join(f"{count} {kind}" for kind, count in sorted(row["marks"].items()))
        numbers = [str(row[name]) for name in ("turns", "roots", "samples")]
        exact = "yes" if row["exact_ids"] else "no"
        lines.append([row["agent"], row["version"], row["api"], row["tools"], *numbers, exact, marks])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--processes", type=int, default=200, metavar="N", help="agents at once (200)")
    arguments.add_argument("--table", action="store_true", help="run the real agents and store their table")
    args = arguments.parse_args()
    os.environ["PYTHONPATH"] = str(ROOT)
    if args.table:
        rows = table()
        TABLE.write_text(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode() + "\n")
        print(markdown(rows), end="")
        sys.exit(0 if all(row["passed"] and row["exact_ids"] for row in rows) else 1)
    figures = latency(*((3, 20) if args.quick else (7, 60)))
    figures += asyncio.run(processes(20 if args.quick else args.processes))
    finish(figures, args)


if __name__ == "__main__":
    main()
