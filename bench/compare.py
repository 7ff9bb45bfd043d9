"""Compares this tree with an older one: the same benchmarks in both, one after the other, and the same small training run.

    git worktree add /tmp/before COMMIT
    python bench/compare.py --before /tmp/before                       # startup, rollouts, tools, capture and gate, twice
    python bench/compare.py --before /tmp/before --scripts ingest      # others

Only figures that other programs on the machine hardly change are compared: CPU time, memory and counts. The lower of the rounds
counts. A trained run must give the same tokens, the same verdicts and the same adapter in both trees.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
from figures import Figure, figure, finish, parser

HERE = Path(__file__).parents[1]
SCRIPTS = ["startup", "rollouts", "tools", "capture", "gate"]
STEADY = ("CPU", "KB", "MB", "modules")
"""What the units of figures that are compared begin with. A figure without a unit is a count."""
RUN = """
import hashlib, json, sys, tempfile
from pathlib import Path
from tests.workspace.desk import Bench, save_tiny
folder = Path("/tmp/verigym-compare")  # the path of the model is part of a version
folder.mkdir(exist_ok=True)
model = save_tiny(folder / "model")
with tempfile.TemporaryDirectory() as home:
    bench = Bench(Path(home), model)
    version, run = bench.train("grpo", steps=3)
    hashed = hashlib.sha256()
    for step in (1, 2, 3):
        for each in sorted(bench.ws.store.each_trajectory(f"{run}/step-000{step}"), key=lambda one: one.id):
            hashed.update(json.dumps([turn.completion_ids for turn in each.turns]).encode())
    print(json.dumps({"adapter": version.adapter, "tokens": hashed.hexdigest()}))
"""


def ran(tree: Path, *command: str) -> list[str]:
    """The lines of JSON that a command prints in a tree."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        stdout=subprocess.PIPE,
        text=True,
    )
    return [line for line in done.stdout.splitlines() if line.startswith("{")]


def measured(tree: Path, script: str) -> dict[str, tuple[float, str]]:
    """The steady figures of a benchmark, by name."""
    lines = ran(tree, str(tree / "bench" / f"{script}.py"), "--json", "--quick")
    found = [msgspec.json.decode(line, type=Figure) for line in lines]
    return {one.figure: (one.value, one.unit) for one in found if not one.unit or one.unit.startswith(STEADY)}


def compared(before: Path, scripts: list[str], rounds: int) -> Iterator[Figure]:
    old, new = (json.loads(ran(tree, "-c", RUN)[-1]) for tree in (before, HERE))
    for name in ("tokens", "adapter"):
        yield figure(f"training of 3 steps: the same {name} as before", float(old[name] == new[name]), "", ">= 1")
    for script in scripts:
        best: list[dict[str, tuple[float, str]]] = [{}, {}]
        for _ in range(rounds):
            for place, tree in enumerate((before, HERE)):
                for name, (value, unit) in measured(tree, script).items():
                    known = best[place].get(name, (value, unit))[0]
                    best[place][name] = min(value, known), unit
        for name, (value, unit) in best[1].items():
            if name in best[0]:
                yield figure(f"{script}: {name}, before", best[0][name][0], unit)
                yield figure(f"{script}: {name}, now", value, unit)


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--before", type=Path, required=True, help="folder with the older tree")
    asked.add_argument("--scripts", nargs="+", default=SCRIPTS, help="names of benchmarks")
    asked.add_argument("--rounds", type=int, default=2, help="how often each is run in each tree")
    args = asked.parse_args()
    finish(list(compared(args.before, args.scripts, 1 if args.quick else args.rounds)), args)


if __name__ == "__main__":
    main()
