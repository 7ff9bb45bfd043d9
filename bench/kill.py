"""kill -9 at random moments of a run: what was counted is there, what is there is not run again, and in the end nothing lacks.

    python bench/kill.py            # 100 kills in a run of 2,000 rollouts
    python bench/kill.py --quick    # 10 kills in 200

A child runs the rollouts (groups of 4, stored and verified) and says on its output which episodes it begins and what its
progress has counted; the parent kills it, reads the store as anybody would, and starts it again with the same settings.
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from figures import figure, finish, parser
from rollouts import Script, plan

from verigym.core.protocols import Reply, Request
from verigym.rollout.many import RunPlan, run_many
from verigym.store.database import Store

K = 4


class Slow(Script):
    """Takes its time, so that a kill finds episodes in every state; says which it begins."""

    async def respond(self, request: Request) -> Reply:
        if not request.turns:
            print(f"began {request.seed}", flush=True)
        await asyncio.sleep(random.uniform(0.0, 0.02))
        return await super().respond(request)


def child(folder: Path, rollouts: int) -> None:
    store = Store(folder / "store.db")
    what = plan_of(rollouts)
    store.begin_run(what.run, "rollout", {}, what.tasks)
    asyncio.run(run_many(store, what, Slow(), lambda progress: print(f"counted {progress.done}", flush=True)))
    print("finished", flush=True)


def plan_of(rollouts: int) -> RunPlan:
    return plan("killed", rollouts, 8, k=K)


def life(folder: Path, rollouts: int, seconds: float | None) -> list[str]:
    """What a child says until it is killed so many seconds after its first word; none lets it live."""
    command = [sys.executable, __file__, "--child", str(folder), str(rollouts)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline()]
        if seconds is not None:
            time.sleep(seconds)
            os.kill(process.pid, signal.SIGKILL)
        said += process.stdout.readlines()
    return [line.strip() for line in said if line.endswith("\n")]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--child", nargs=2, metavar=("FOLDER", "ROLLOUTS"), help="run as the child")
    args = options.parse_args()
    if args.child:
        return child(Path(args.child[0]), int(args.child[1]))
    kills, rollouts = (10, 200) if args.quick else (100, 2000)
    lost = twice = begun = 0
    draw = random.Random(7)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        committed: set[int] = set()
        killed = 0
        while True:
            said = life(folder, rollouts, draw.uniform(0.0, 0.3) if killed < kills else None)
            seeds = [int(line.split()[1]) for line in said if line.startswith("began")]
            counted = max((int(line.split()[1]) for line in said if line.startswith("counted")), default=0)
            begun += len(seeds)
            twice += len(committed.intersection(seeds))
            if not (folder / "store.db").exists():
                continue
            store = Store(folder / "store.db")
            found = store.trajectories("killed")
            store.close()
            now = {one.seed for one in found}
            lost += len(committed - now) + max(0, counted - len(found))
            committed = now
            if "finished" in said:
                break
            killed += 1
        store = Store(folder / "store.db")
        groups = Counter(one.task for one in store.each_trajectory("killed"))
        run = store.run("killed")
        store.close()
    wrong = sum(count != K for count in groups.values()) + abs(len(groups) - rollouts // K)
    finish(
        [
            figure("kill -9 in one run", killed, "kills", f">= {kills}"),
            figure("committed or counted, then lost", lost, "rollouts", "<= 0"),
            figure("committed, then run again", twice, "rollouts", "<= 0"),
            figure("tasks without exactly their 4 trajectories", wrong, "tasks", "<= 0"),
            figure("rollouts without a verdict", rollouts - run.scored, "rollouts", "<= 0"),
            figure("begun in vain", begun / rollouts - 1, "share of all rollouts"),
        ],
        args,
    )


if __name__ == "__main__":
    main()
