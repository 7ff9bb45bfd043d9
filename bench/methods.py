"""What each method teaches SmolLM2-135M on `toolcall`, measured on held-out phrasings: base, SFT on 200 demonstrations, from
there GRPO with three seeds, DAPO, GSPO and DPO on graded pairs, SFT on all gold answers as the honest rival, and GRPO from there.

    python bench/methods.py --out FILE               # a GPU; what FILE holds already is not run again
    python bench/methods.py --only "dapo;gspo" --out FILE
    python bench/methods.py --plot FILE PNG

`--home` keeps the workspace, so that a run that was cut off goes on. `--quick` is a smoke test of the same path.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from figures import figure, finish, parser

SFT = {"algorithm": "sft", "prompts_per_step": 16, "learning_rate": 2e-3}
RL = {"start": "sft", "prompts_per_step": 32, "num_generations_per_prompt": 16, "steps": 150, "learning_rate": 2e-4}
METHODS: dict[str, dict[str, Any]] = {
    "sft": {**SFT, "num_tasks": 200, "steps": 40},
    **{f"grpo, seed {seed}": {**RL, "algorithm": "grpo", "seed": seed} for seed in range(3)},
    "dapo": {**RL, "algorithm": "dapo"},
    "gspo": {**RL, "algorithm": "gspo", "updates_per_batch": 2, "loss": {"clip_low": 0.02, "clip_high": 0.03}},
    "dpo": {"start": "sft", "algorithm": "dpo", "prompts_per_step": 32, "steps": 60, "learning_rate": 2e-5},
    "sft on all": {**SFT, "steps": 250, "learning_rate": 1e-3},
    "grpo after all": {**RL, "start": "sft on all", "algorithm": "grpo"},
}
QUICK = {"steps": 1, "prompts_per_step": 2, "num_generations_per_prompt": 2, "num_tasks": 4}


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--only", default=";".join(METHODS), help="some of: " + "; ".join(METHODS))
    asked.add_argument("--out", type=Path, help="keep figures and curves as JSON, and read what is there")
    asked.add_argument("--home", type=Path, help="keep the workspace here")
    asked.add_argument("--set", nargs="*", default=[], help="fields of every recipe, such as steps=20")
    asked.add_argument("--plot", nargs=2, metavar=("FILE", "PNG"), help="draw a file that --out made, and run nothing")
    args = asked.parse_args()
    if args.plot:
        plot(Path(args.plot[0]), Path(args.plot[1]))
        return
    import torch

    if not torch.cuda.is_available() and not args.quick:
        print("methods.py: the full sizes need a GPU; --quick runs the same path here", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory(prefix="verigym-methods-") as folder:
        run(args, args.home or Path(folder))


def run(args: Any, home: Path) -> None:
    from verigym.environments.load import load_environment
    from verigym.evaluation.compare import compare
    from verigym.rollout.settings import RunSettings
    from verigym.training.recipe import make_recipe
    from verigym.workspace import datasets as data
    from verigym.workspace import measure as stages
    from verigym.workspace.train import train
    from verigym.workspace.workspace import WorkspaceFolder

    ws, environment = WorkspaceFolder(home), load_environment("toolcall")
    few = 4 if args.quick else None
    found: dict[str, Any] = json.loads(args.out.read_text()) if args.out and args.out.exists() else {}
    reports: dict[str, Any] = {}
    versions: dict[str, Any] = {"base": ws.agent("smollm2-135m")}
    common: dict[str, Any] = {"model": "smollm2-135m", "reward": "tool_call_verifier", "lora": {"r": 32, "alpha": 64}}
    common |= {} if args.quick else {"held_out_eval": "tool_call_eval", "eval_interval": 25, "eval_tasks": 200}

    def measure(name: str) -> None:
        reports[name] = stages.measure(ws, environment, versions[name], n=few)
        seed = stages.measure(ws, environment, versions[name], split="seed", n=few)
        success = {
            split: [round(x, 4) for x in (one.value, one.low, one.high)]
            for split, one in (("val", reports[name].metrics["success"]), ("seed", seed.metrics["success"]))
        }
        unsafe = reports[name].metrics["unsafe actions"].value
        found.setdefault(name, {}).update(success=success, unsafe=unsafe, buckets=reports[name].buckets)
        if start := METHODS.get(name, {}).get("start"):
            gain = compare(reports[start], reports[name]).success
            found[name]["over its start"] = [round(x, 4) for x in (gain.value, gain.low, gain.high)]
        print(name, {key: value for key, value in found[name].items() if key != "curve"}, file=sys.stderr, flush=True)
        if args.out:
            args.out.write_text(json.dumps(found))

    def learn(name: str) -> None:
        recipe: dict[str, Any] = {**common, **METHODS[name], **(QUICK if args.quick else {}), "name": name}
        if start := recipe.get("start"):
            recipe |= {"start": versions[start].id}
        if name == "dpo":
            sampling = stages.Sampling(temperature=1.0, max_tokens=64)
            tasks = stages.tasks_of(environment, "train", 4 if args.quick else 600)
            rolled = stages.rollout(ws, environment, versions["sft"], tasks, RunSettings(k=8, sampling=sampling))
            recipe |= {"data": data.from_rewards(ws, rolled, gap=0.2).id}
        curve: list[dict[str, float]] = []
        begun = time.perf_counter()

        def on_step(step: int, metrics: dict[str, float], alarms: list[Any]) -> None:
            curve.append({"step": step, **{key: round(value, 4) for key, value in metrics.items()}})
            for alarm in alarms:
                print(f"{name}, step {step}: {alarm.observation}", file=sys.stderr, flush=True)

        versions[name], _ = train(ws, make_recipe(recipe, args.set, name), on_step)
        found[name] = {"seconds": time.perf_counter() - begun, "curve": curve}

    measure("base")
    wanted = {name for name in args.only.split(";") if not (args.quick and name == "dpo")}
    wanted |= {METHODS[name].get("start", name) for name in wanted}
    for name in [name for name in METHODS if name in wanted]:
        learn(name)
        measure(name)
    finish(list(figures(found, args.quick)), args)


def figures(found: dict[str, Any], quick: bool) -> Any:
    best = max(one["success"]["val"][0] for one in found.values())
    for name, one in found.items():
        value, low, high = one["success"]["val"]
        goal = ">= 0.85" if value == best and not quick else ""
        yield figure(f"toolcall held out: {name}", value, f"success, 95% interval {low:.3f} to {high:.3f}", goal)
        if "over its start" in one:
            value, low, high = one["over its start"]
            goal = ">= 0.1" if name.startswith("grpo, seed") and not quick else ""
            yield figure(f"toolcall held out: {name} over its SFT start", value, f"{low:+.3f} to {high:+.3f}", goal)


def plot(source: Path, picture: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    found = json.loads(source.read_text())
    canvas, (left, right) = plt.subplots(1, 2, figsize=(13, 4.6))
    colors = dict(zip(found, plt.colormaps["tab10"].colors, strict=False))  # type: ignore[attr-defined]
    for name, one in found.items():
        points = [(row["step"], row["held_out_success"]) for row in one.get("curve", []) if "held_out_success" in row]
        if start := METHODS.get(name, {}).get("start"):
            points = [(0, found[start]["curve"][-1]["held_out_success"]), *points]
            left.plot(*zip(*points, strict=True), "o-", color=colors[name], label=name, ms=3)
    left.set(xlabel="step after its SFT start", ylabel="held-out success (200 tasks)", ylim=(0.4, 1))
    left.legend(fontsize=8, loc="lower right")
    for split, offset in (("val", 0.0), ("seed", 0.4)):
        values = [one["success"][split] for one in found.values()]
        errors = [[value - low for value, low, _ in values], [high - value for value, _, high in values]]
        places = [place + offset for place in range(len(values))]
        words = {"val": "held-out phrasings", "seed": "written by hand"}[split]
        right.bar(places, [value for value, _, _ in values], 0.38, yerr=errors, capsize=2, label=words)
    right.set(ylim=(0, 1), ylabel="success, 95% interval")
    right.set_xticks([place + 0.2 for place in range(len(found))], list(found), rotation=30, ha="right")
    right.legend(fontsize=8, loc="upper left")
    canvas.tight_layout()
    canvas.savefig(picture, dpi=110)


if __name__ == "__main__":
    main()
