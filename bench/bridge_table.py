"""The table of docs/bridges.md: gold solutions, doing nothing and cheats on environments of every bridge.

    python bench/bridge_table.py [BRIDGE ...] [--tasks 10] [--seconds 240] [--out docs/bridges.md]

Each cell is how many episodes passed, of how many. Gold solutions should all pass. Doing nothing (an empty reply) and cheats (the
prompt as the reply, a long reply, and those that the environment knows) should not. `verigym check` plays the same. A bridge's
file names the environments (`names`, or else its example). Rows of the page that were not played stay. The exit code is 1 if a
bridge is not installed or cannot be loaded, if a gold solution does not pass, or if an episode has no verdict.
"""

import argparse
import asyncio
import sys
import time
from pathlib import Path

import msgspec

from verigym.audit.scripted_episodes import Replies, play
from verigym.core.errors import VerigymError
from verigym.core.records import Task
from verigym.environments.bridges.find import BRIDGES, bridge
from verigym.environments.bridges.install import installed_version
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec

HEAD = ("environment", "version", "episodes", "gold", "nothing", "cheats")
BEGIN, END = "<!-- table of bench/bridge_table.py -->", "<!-- end of the table -->"
AT_ONCE = 4


class Count(msgspec.Struct):
    passed: int = 0
    played: int = 0
    failed: int = 0
    """Episodes without a verdict, because the environment or its verifier failed."""

    def __str__(self) -> str:
        if not self.played:
            return "none known"
        return f"{self.passed} of {self.played}" + (f" ({self.failed} failed)" if self.failed else "")


class Counts(msgspec.Struct):
    gold: Count = msgspec.field(default_factory=Count)
    nothing: Count = msgspec.field(default_factory=Count)
    cheats: Count = msgspec.field(default_factory=Count)

    @property
    def episodes(self) -> int:
        return self.gold.played + self.nothing.played + self.cheats.played


async def counted(spec: EnvironmentSpec, tasks: list[Task], seconds: float) -> Counts:
    counts, room, until = Counts(), asyncio.Semaphore(AT_ONCE), time.monotonic() + seconds

    async def one(count: Count, task: Task, replies: Replies) -> None:
        async with room:
            verdict = (await play(spec, task, replies)).verdict
        count.played += 1
        count.passed += verdict.passed
        count.failed += verdict.reward is None

    async def all_of(task: Task) -> None:
        if time.monotonic() > until:
            return
        if gold := spec.gold_replies(task):
            await one(counts.gold, task, gold)
        await one(counts.nothing, task, [""])
        prompt = task.prompt if isinstance(task.prompt, str) else ""
        for cheat in ([prompt or "x"], ["x" * 20_000], *spec.cheat_replies(task)):
            await one(counts.cheats, task, list(cheat))

    await asyncio.gather(*(all_of(task) for task in tasks))
    return counts


def row(name: str, where: str, num_tasks: int, seconds: float) -> tuple[str, ...]:
    package = bridge(name).package
    version = f"{package.name} {package.version}"
    if installed_version(name) is None:
        return f"`{where}`", version, "not installed", "", "", ""
    try:
        spec = load_environment(where)
        tasks = [*spec.tasks("val"), *spec.tasks("train")][:num_tasks]
        counts = asyncio.run(counted(spec, tasks, seconds))
    except VerigymError as error:
        print(f"{where}: {error}", file=sys.stderr)
        return f"`{where}`", version, "cannot be loaded", "", "", ""
    return f"`{where}`", version, str(counts.episodes), str(counts.gold), str(counts.nothing), str(counts.cheats)


def lines(rows: list[tuple[str, ...]]) -> list[str]:
    return ["| " + " | ".join(each) + " |" for each in (HEAD, tuple("---" for _ in HEAD), *rows)]


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("bridges", nargs="*", help="bridges to play, all if none is named")
    asked.add_argument("--tasks", type=int, default=10, help="maximum number of tasks of an environment")
    asked.add_argument("--seconds", type=float, default=240.0, help="no new task of an environment after this time")
    asked.add_argument("--out", type=Path, help="page whose table is replaced")
    options = asked.parse_args()
    rows: list[tuple[str, ...]] = []
    for name in options.bridges or BRIDGES:
        for where in bridge(name).names or (bridge(name).example,):
            rows.append(row(name, where, options.tasks, options.seconds))
            print("\n".join(lines(rows)[:3] if len(rows) == 1 else lines(rows)[-1:]), flush=True)
    if options.out is not None:
        page = options.out.read_text(encoding="utf-8")
        before, _, rest = page.partition(BEGIN)
        old, _, after = rest.partition(END)
        table = "\n".join(lines(with_old_rows(rows, old)))
        options.out.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}", encoding="utf-8")
    sys.exit(int(any(not each[3] or not all_passed(each[3]) or "failed" in "".join(each) for each in rows)))


def all_passed(gold: str) -> bool:
    """Whether `10 of 10` gold solutions passed, or none is known."""
    passed, _, played = gold.partition(" of ")
    return not played or passed == played


def with_old_rows(rows: list[tuple[str, ...]], table: str) -> list[tuple[str, ...]]:
    """The rows of the page in their order, with new ones in place of old ones of the same environment, then the others."""
    cells = [tuple(cell.strip() for cell in line.strip("| ").split(" | ")) for line in table.strip().splitlines()[2:]]
    new = {each[0]: each for each in rows}
    kept = [new.pop(each[0], each) for each in cells]
    return [*kept, *new.values()]


if __name__ == "__main__":
    main()
