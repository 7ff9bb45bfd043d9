"""Export of training data: rows per CPU second, and the memory that a ten times larger run adds.

    python bench/exchange.py

A run of made episodes with tool calls and token ids is stored, and its rollouts are written as Parquet with ids, and as JSON
Lines for TRL. Memory is the peak of a process of its own, which opens the store and exports.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from figures import figure, finish, parser

from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    Item,
    Message,
    Task,
    Trajectory,
    Turn,
    Verdict,
)
from verigym.store.database import Store

RUN = "rollout-made-1"
TOKENS = 1000
CHILD = """
import json, resource, sys, time
from pathlib import Path
from verigym.workspace.data_export import export_episodes
from verigym.workspace.workspace import WorkspaceFolder
home, form, out = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
ws = WorkspaceFolder(home)
started = time.process_time()
rows = export_episodes(ws, ws.store.run(sys.argv[4]), form, out).rows
seconds = time.process_time() - started
print(json.dumps({"rows": rows, "seconds": seconds, "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def episode(number: int) -> Trajectory:
    items: list[Item] = [Message("system", "Help."), Message("user", f"Request {number}")]
    turns: list[Turn] = []
    for step in range(4):
        items += [FunctionCall(f"c{step}", "mail.search", json.dumps({"q": f"{number} {step}"}))]
        turns.append(
            Turn(
                parent=step - 1 if step else None,
                made=[len(items) - 1],
                context_ids=list(range(TOKENS // 4)),
                completion_ids=list(range(20)),
                logprobs=[-0.5] * 20,
            )
        )
        items.append(FunctionCallOutput(f"c{step}", "found " * 20))
    items.append(Message("assistant", "Done."))
    turns.append(Turn(parent=3, made=[len(items) - 1], context_ids=[1] * 20, completion_ids=[2], logprobs=[-0.1]))
    return Trajectory(id=f"{RUN}/t{number}/0", task=f"t{number}", group=f"t{number}", items=items, turns=turns)


def store(home: Path, size: int) -> None:
    kept = Store(home / "store.db")
    kept.begin_run(
        RUN, "rollout", {"environment": "made"}, [Task(id=f"t{n}", prompt=f"Request {n}") for n in range(size)]
    )
    for first in range(0, size, 1000):
        episodes = [episode(number) for number in range(first, min(first + 1000, size))]
        verdicts = [Verdict(trajectory=one.id, verifier="v@1", reward=1.0, passed=True) for one in episodes]
        kept.add(RUN, episodes, verdicts, {})
    kept.finish_run(RUN)
    kept.close()


def measure(home: Path, form: str, out: Path) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(home), form, str(out), RUN], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def main() -> None:
    args = parser(__doc__).parse_args()
    small, large = (400, 4000) if args.quick else (2000, 20000)
    with tempfile.TemporaryDirectory() as folder:
        found: dict[tuple[str, int], dict[str, float]] = {}
        for size in (small, large):
            home = Path(folder) / str(size)
            home.mkdir()
            store(home, size)
            for form, ending in (("parquet", ".parquet"), ("trl", ".jsonl")):
                found[form, size] = measure(home, form, Path(folder) / f"{form}-{size}{ending}")
                assert found[form, size]["rows"] == size
    figures = []
    for form in ("parquet", "trl"):
        speed = found[form, large]["rows"] / found[form, large]["seconds"]
        added = found[form, large]["mib"] - found[form, small]["mib"]
        figures.append(figure(f"rollouts exported per CPU second, {form}", speed, "1/s"))
        figures.append(figure(f"memory that {large - small} more rollouts add, {form}", added, "MiB", "<= 100"))
    finish(figures, args)


if __name__ == "__main__":
    main()
