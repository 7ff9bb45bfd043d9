"""What sampling ahead costs in learning: GRPO on `toolcall` at `ahead` 0, 1, 2 and 4, three seeds each, on held-out tasks.

    python bench/ahead_learning.py --out FILE.jsonl --home HOME           # a GPU; what FILE holds already is not run again
    python bench/ahead_learning.py --ahead 0 1 --seeds 0 --out FILE.jsonl --home HOME
    python bench/ahead_learning.py --report --out FILE.jsonl              # print what FILE holds, run nothing

SmolLM2 first imitates 200 gold solutions, and every run starts from there. The recipe is recipes/toolcall_grpo.yaml. A line of
FILE.jsonl is one run: its success on all held-out tasks with the interval, staleness, mismatch and waits. The intervals of the
report are over seeds: the mean with a t interval. `--set loss.correction=icepop` compares corrections. `--quick` is a smoke test.
"""

import json
import math
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import domains
from figures import Figure, figure, finish, parser

HERE = Path(__file__).parents[1]
RECIPE = HERE / "recipes" / "toolcall_grpo.yaml"
SFT = ["num_tasks=200", "steps=40", "name=ahead-start"]
QUICK = ["steps=3", "prompts_per_step=2", "num_generations_per_prompt=2", "num_tasks=4", "eval_tasks=4"]
T_975 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57}
"""Quantiles of the t distribution by degrees of freedom."""
WATCHED = (
    "staleness",
    "staleness_max",
    "mismatch_ratio",
    "mismatch_ratio/age_0",
    "mismatch_ratio/age_1",
    "mismatch_ratio/age_2",
    "mismatch_ratio/age_4",
    "waited_for_episodes_s",
    "waited_for_learner_s",
    "seconds",
)


def known(out: Path | None) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.read_text().splitlines()] if out is not None and out.exists() else []


def key_of(row: dict[str, Any]) -> tuple[int, int, tuple[str, ...]]:
    return row["ahead"], row["seed"], tuple(row["own"])


def start_of(home: Path, args: Any) -> str:
    """The version that every run starts from. It is trained once in a workspace."""
    from verigym.training.recipe import read_recipe
    from verigym.workspace.train import train
    from verigym.workspace.workspace import WorkspaceFolder

    given = [f"model={args.model}"] if args.model else []
    quick = ["steps=1", "num_tasks=4", "eval_tasks=4"] if args.quick else []
    recipe = read_recipe(HERE / "recipes" / "quick_sft.yaml", [*given, *SFT, *quick])
    return train(WorkspaceFolder(home), recipe)[0].id


def measured(args: Any, ahead: int, seed: int, home: Path, start: str) -> dict[str, Any]:
    from verigym.workspace.workspace import WorkspaceFolder

    fields = [f"start={start}", *args.set, *([f"ahead={ahead}"] if ahead else [])]
    domains.QUICK = QUICK
    asked = parser(None).parse_args(["--quick"] if args.quick else [])
    asked.recipe, asked.model, asked.set, asked.note = RECIPE, args.model, fields, ""
    row = domains.one(asked, seed, home)
    history = list(WorkspaceFolder(home).store.metrics(row["run"]).values())
    row["watched"] = {
        name: round(statistics.fmean(values), 5)
        for name in WATCHED
        if (values := [metrics[name] for metrics in history if name in metrics])
    }
    return {"ahead": ahead, "own": list(args.set), **row}


def interval(values: list[float]) -> tuple[float, float, float]:
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, math.nan, math.nan
    half = T_975.get(len(values) - 1, 2.0) * statistics.stdev(values) / math.sqrt(len(values))
    return mean, mean - half, mean + half


def report(rows: list[dict[str, Any]]) -> list[Figure]:
    figures: list[Figure] = []
    groups = sorted({(row["ahead"], tuple(row["own"])) for row in rows})
    for ahead, own in groups:
        runs = [row for row in rows if (row["ahead"], tuple(row["own"])) == (ahead, own)]
        what = f"ahead {ahead}" + "".join(f" {field}" for field in own)
        for suite in runs[0]["trained"]:
            for row in runs:
                value, low, high, n = row["trained"][suite]
                print(
                    f"{what}, seed {row['seed']}, {suite}: {value:.3f} [{low:.3f}, {high:.3f}] of {n}, {row['watched']}"
                )
            mean, low, high = interval([row["trained"][suite][0] for row in runs])
            figures.append(
                figure(f"held-out success on {suite}, {what}, {len(runs)} seeds", mean, f"({low:.3f} to {high:.3f})")
            )
        figures.append(figure(f"seconds of training, {what}", statistics.fmean(row["seconds"] for row in runs), "s"))
    return figures


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--ahead", nargs="*", type=int, default=[0, 1, 2, 4])
    asked.add_argument("--seeds", nargs="*", type=int, default=[0, 1, 2])
    asked.add_argument("--model", default="", help="a folder, in place of smollm2-135m")
    asked.add_argument("--set", nargs="*", default=[], help="fields of the recipe, such as steps=40")
    asked.add_argument("--out", type=Path, help="one line of JSON per run")
    asked.add_argument("--home", type=Path, help="keep the workspace here, so that a run that was cut off goes on")
    asked.add_argument("--report", action="store_true", help="print what --out holds, and run nothing")
    args = asked.parse_args()
    rows = known(args.out)
    done = {key_of(row) for row in rows}
    with tempfile.TemporaryDirectory(prefix="verigym-ahead-") as folder:
        home = args.home or Path(folder)
        wanted = [(ahead, seed) for seed in args.seeds for ahead in args.ahead]
        todo = [] if args.report else [one for one in wanted if (*one, tuple(args.set)) not in done]
        start = start_of(home, args) if todo else ""
        for ahead, seed in todo:
            rows.append(measured(args, ahead, seed, home, start))
            if args.out:
                with args.out.open("a") as file:
                    file.write(json.dumps(rows[-1]) + "\n")
            print(f"ahead {ahead} seed {seed}: {rows[-1]['trained']}", file=sys.stderr, flush=True)
    finish(report([row for row in rows if row["own"] == args.set]), args)


if __name__ == "__main__":
    main()
