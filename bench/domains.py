"""What a recipe teaches a model: the base and the trained version on all held-out tasks, once per seed.

    python bench/domains.py recipes/qwen_toolcall.yaml --model FOLDER --seeds 0 1 2 --out FILE.jsonl --home HOME
    python bench/domains.py RECIPE --model FOLDER --set steps=60 learning_rate=1e-4      # with other fields
    python bench/domains.py RECIPE --model FOLDER --set start=latest --home HOME         # goes on from an earlier run

The goal is a GPU. A line of FILE.jsonl is one training run: its recipe, the success of the base model, of the start version if
there is one, and of the trained version with intervals, the paired gain over the base model, the mean rewards, the success by
tag, the curve and the seconds. `--home` keeps the workspace, so a repeated command does only what is missing.
`--quick` is a smoke test of the same path.
"""

import contextlib
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import fmean
from typing import Any

from figures import figure, finish, machine, parser

QUICK = ["steps=1", "prompts_per_step=2", "num_generations_per_prompt=2", "num_tasks=4", "eval_tasks=4"]
KEPT = (
    "step",
    "reward",
    "passed",
    "truncated",
    "entropy",
    "kl",
    "length",
    "live_groups",
    "seconds",
    "held_out_success",
)


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("recipe", nargs="?", type=Path, default=Path("recipes/quick_sft.yaml"))
    asked.add_argument("--model", default="", help="a folder, in place of the recipe's model")
    asked.add_argument("--seeds", nargs="*", type=int, default=[0])
    asked.add_argument("--set", nargs="*", default=[], help="fields of the recipe, such as steps=20")
    asked.add_argument("--note", default="", help="kept with the figures, such as where the weights come from")
    asked.add_argument("--out", type=Path, help="add a line of JSON per run")
    asked.add_argument("--home", type=Path, help="keep the workspace here")
    args = asked.parse_args()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="verigym-domains-") as folder:
        for seed in args.seeds:
            rows.append(one(args, seed, args.home or Path(folder)))
            if args.out:
                with args.out.open("a") as file:
                    file.write(json.dumps(rows[-1]) + "\n")
    name = args.recipe.stem
    for row in rows:
        for suite, (value, low, high, n) in row["trained"].items():
            before = row["base"][suite][0]
            print(
                f"{name} seed {row['seed']} {suite}: {before:.3f} -> {value:.3f} [{low:.3f}, {high:.3f}] of {n}, "
                f"gain {row['gain'][suite]}, {row['seconds']:.0f} s",
                file=sys.stderr,
                flush=True,
            )
    finish(
        [
            figure(f"{name}, seed {row['seed']}: {suite}", values[0], f"success, {values[1]:.3f} to {values[2]:.3f}")
            for row in rows
            for suite, values in row["trained"].items()
        ],
        args,
    )


def one(args: Any, seed: int, home: Path) -> dict[str, Any]:
    """Trains with one seed and measures before and after, greedily, on every held-out task of each environment."""
    from verigym.core.errors import Refused
    from verigym.core.records import Sampling
    from verigym.evaluation.compare import compare
    from verigym.evaluation.report import breakdown
    from verigym.evaluation.shift import shifts
    from verigym.rollout.settings import RunSettings
    from verigym.training.recipe import read_recipe, recipe_json
    from verigym.workspace import measure as stages
    from verigym.workspace.train import train
    from verigym.workspace.training_environments import training_environments
    from verigym.workspace.workspace import WorkspaceFolder

    given = [f"model={args.model}"] if args.model else []
    recipe = read_recipe(args.recipe, [*given, f"seed={seed}", *args.set, *(QUICK if args.quick else [])])
    ws, curve = WorkspaceFolder(home), []

    def on_step(step: int, metrics: dict[str, float], alarms: list[Any]) -> None:
        row = {"step": step, **metrics}
        curve.append({key: round(row[key], 5) for key in row if key in KEPT or key.endswith("/held_out_success")})
        seen = row.get("held_out_success")
        if seen is not None or step % 10 == 1:
            shown = "" if seen is None else f" held out {seen:.3f}"
            shown += "".join(
                f" {key} {row[key]:.3g}" for key in ("reward", "entropy", "length", "live_groups") if key in row
            )
            print(f"{args.recipe.stem} {seed} step {step}:{shown} {row['seconds']:.2f} s", file=sys.stderr, flush=True)
        for alarm in alarms:
            print(f"{args.recipe.stem} {seed} step {step}: {alarm.observation}", file=sys.stderr, flush=True)

    begun_from = ws.agent(recipe.start) if recipe.start else None  # before training: `latest` changes with it
    begun = time.perf_counter()
    version, run = train(ws, recipe, on_step)
    seconds = time.perf_counter() - begun
    stored = version.recipe or {}
    most = int(stored.get("max_tokens") or recipe.max_tokens or 0) or None
    setting = RunSettings(sampling=Sampling(temperature=0.0, max_tokens=most or 512))
    row: dict[str, Any] = {
        "recipe": args.recipe.stem,
        "set": args.set,
        "seed": seed,
        "run": run,
        "model": Path(args.model).name or recipe.model,
        "fields": {key: value for key, value in recipe_json(recipe).items() if key not in ("model", "seed", "name")},
        "seconds": round(seconds, 1),
        "machine": machine(),
        "note": args.note,
        "base": {},
        "trained": {},
        "gain": {},
        "reward": {},
        "by_tag": {},
        "by_shift": {},
        "curve": curve,
    }
    agents = {"base": ws.agent(recipe.model), **({"start": begun_from} if begun_from else {}), "trained": version}
    for each in training_environments(recipe):
        few = 4 if args.quick else None
        reports = {name: stages.measure(ws, each.environment, agent, setting, n=few) for name, agent in agents.items()}
        for name, report in reports.items():
            it = report.metrics["success"]
            row.setdefault(name, {})[each.name] = [round(it.value, 4), round(it.low, 4), round(it.high, 4), it.n]
        row["reward"][each.name] = {
            name: round(fmean([one.reward for one in report.results if not one.error] or [0.0]), 4)
            for name, report in reports.items()
        }
        if any(one.tags for one in reports["trained"].results):
            row["by_tag"][each.name] = {
                part.name: [round(part.success.value, 4), part.tasks] for part in breakdown(reports["trained"], "tag")
            }
        with contextlib.suppress(Refused):  # there are no calls, so the kind of shift is not known
            kinds = shifts(each.environment, ws.store.tasks(reports["trained"].run))
            before, after = (breakdown(reports[name], "shift", kinds) for name in ("base", "trained"))
            first = {part.name: round(part.success.value, 4) for part in before}
            row["by_shift"][each.name] = {
                part.name: [round(part.success.value, 4), part.tasks, first.get(part.name, 0.0)] for part in after
            }
        if version.chosen_on:  # held-out tasks that chose the checkpoint say too much good about it
            others = [one for one in reports["trained"].results if one.family not in version.chosen_on]
            row["not_chosen_on"] = [round(fmean(float(one.passed) for one in others), 4), len(others)]
        gain = compare(reports["base"], reports["trained"]).success
        row["gain"][each.name] = [round(x, 4) for x in (gain.value, gain.low, gain.high)]
    return row


if __name__ == "__main__":
    main()
