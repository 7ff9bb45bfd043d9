"""The quickstart with many seeds: how often it ends in PROMOTE, and what GRPO itself gains on all 400 held-out tasks.

Each seed is a whole quickstart in a workspace of its own, with the settings of `verigym quickstart` in float32, as on a CPU. The
gain is paired by task between the model before and after GRPO, with its two-sided 95% interval, clustered by family.

    python bench/quickstart.py --out FILE                  # 20 seeds; a GPU, about a minute each. FILE keeps what is done
    python bench/quickstart.py --out FILE --processes 4    # four at once
    python bench/quickstart.py --quick                     # one seed of two steps, the same path
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec
from figures import figure, finish, parser


class Silent:
    """A screen that shows nothing."""

    def __getattr__(self, name: str) -> Any:
        import contextlib

        if name in ("step", "episodes", "training"):
            return lambda *_: contextlib.nullcontext(lambda *_: None)
        return lambda *_: None


def run_seed(seed: int, changes: dict[str, Any]) -> dict[str, Any]:
    import torch

    from verigym.environments.load import load_environment
    from verigym.evaluation.compare import compare
    from verigym.flywheel.quickstart import QUICKSTART, SAMPLING, quickstart
    from verigym.model import load
    from verigym.rollout.settings import RunSettings
    from verigym.workspace import measure as stages
    from verigym.workspace.workspace import WorkspaceFolder

    load.default_dtype = lambda *_, **__: torch.float32  # type: ignore[assignment]
    settings = msgspec.structs.replace(QUICKSTART, seed=seed, **changes)
    with tempfile.TemporaryDirectory(prefix="verigym-quickstart-") as folder:
        ws = WorkspaceFolder(Path(folder))
        began = time.perf_counter()
        decision = quickstart(ws, Silent(), settings)  # type: ignore[arg-type]
        minutes = (time.perf_counter() - began) / 60
        notes, greedy = load_environment("notes"), RunSettings(sampling=SAMPLING)
        n = 8 if "steps" in changes and changes["steps"] <= 2 else None
        before, after = (
            stages.measure(ws, notes, ws.find(version), greedy, n=n)
            for version in (decision.champion, decision.candidate)
        )
        gain = compare(before, after, level=0.975).success
        return {
            "seed": seed,
            "verdict": decision.verdict,
            "minutes": minutes,
            "before": before.metrics["success"].value,
            "after": after.metrics["success"].value,
            "gain": gain.value,
            "low": gain.low,
            "high": gain.high,
            "tasks": {sides.suite: sides.tasks for sides in decision.measured},
            "checks": {
                check.name: [check.outcome, check.figures.get("increase", check.figures.get("delta", 0.0))]
                for check in decision.checks
            },
            "open": [
                f"{check.name}: {check.words}" for check in decision.checks if check.outcome in ("fail", "unclear")
            ],
        }


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--seeds", type=int, default=20)
    asked.add_argument("--seed", type=int, default=None, help="only this one, printed as JSON")
    asked.add_argument("--processes", type=int, default=1)
    asked.add_argument("--out", type=Path, default=None)
    asked.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="other settings, such as steps=12")
    args = asked.parse_args()
    changes = {name: json.loads(value) for name, _, value in (one.partition("=") for one in args.set)}
    if args.quick:
        args.seeds, changes = 1, {**changes, "steps": 2, "prompts": 2, "generations": 2, "eval_tasks": 6, "examples": 1}
    if args.seed is not None:
        print(json.dumps(run_seed(args.seed, changes)), flush=True)
        return
    rows = many(args, changes)
    promoted = sum(row["verdict"] == "PROMOTE" for row in rows)
    clear = sum(row["low"] > 0 for row in rows)
    for row in sorted(rows, key=lambda row: row["seed"]):
        print(
            f"seed {row['seed']:>2}  {row['verdict']:<15} {100 * row['before']:.1f}% to {100 * row['after']:.1f}%, "
            f"gain {100 * row['gain']:+.1f} points ({100 * row['low']:+.1f} to {100 * row['high']:+.1f}), "
            f"{row['minutes']:.1f} min {'; '.join(row['open'])[:300]}"
        )
    share = promoted / len(rows)
    found = [
        figure(
            f"quickstarts that end in PROMOTE, of {len(rows)} seeds", share, "share", "" if args.quick else ">= 0.95"
        ),
        figure(
            "GRPO's own gain is clear of zero, paired 95% interval",
            clear / len(rows),
            "share",
            "" if args.quick else ">= 0.8",
        ),
        figure("least gain of GRPO over all seeds", min(row["gain"] for row in rows), "success"),
        figure("minutes of a quickstart, mean", sum(row["minutes"] for row in rows) / len(rows), "min"),
    ]
    finish(found, args)


def many(args: Any, changes: dict[str, Any]) -> list[dict[str, Any]]:
    """All seeds, some at once, each in a process of its own."""
    known: list[dict[str, Any]] = []
    out: Path | None = args.out
    if out is not None and out.exists():
        known = [json.loads(line) for line in out.read_text().splitlines()]
    left = [seed for seed in range(args.seeds) if seed not in {row["seed"] for row in known}]
    options = [f"{name}={json.dumps(value)}" for name, value in changes.items()]
    running: dict[int, subprocess.Popen[str]] = {}
    while left or running:
        while left and len(running) < args.processes:
            seed = left.pop(0)
            command = [sys.executable, __file__, "--seed", str(seed), "--set", *options]
            running[seed] = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        seed, process = next(iter(running.items()))
        said, _ = process.communicate()
        del running[seed]
        if process.returncode:
            raise SystemExit(f"seed {seed} failed")
        row = json.loads(said.splitlines()[-1])
        known.append(row)
        if out is not None:
            with out.open("a") as file:
                file.write(json.dumps(row) + "\n")
    return known


if __name__ == "__main__":
    main()
