"""What SFT and GRPO teach SmolLM2-135M on `toolcall`, measured on held-out phrasings and on the hand-written seed set.

Runs base -> SFT on a few demonstrations -> GRPO from there; `--out` keeps every figure and curve as JSON, `--plot` draws such
a file. The full sizes are for a GPU; `--quick` is a smoke test of the same path.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from figures import Figure, figure, finish, parser

asked = parser(__doc__)
asked.add_argument("--sft-tasks", type=int, default=320)
asked.add_argument("--sft-steps", type=int, default=40)
asked.add_argument("--sft-batch", type=int, default=16)
asked.add_argument("--sft-lr", type=float, default=2e-3)
asked.add_argument("--grpo-steps", type=int, default=70)
asked.add_argument("--grpo-tasks", type=int, default=None, help="only so many, spread over families")
asked.add_argument("--grpo-prompts", type=int, default=32)
asked.add_argument("--grpo-k", type=int, default=16)
asked.add_argument("--grpo-lr", type=float, default=3e-4)
asked.add_argument("--r", type=int, default=32)
asked.add_argument("--seed", type=int, default=0)
asked.add_argument("--eval-tasks", type=int, default=None)
asked.add_argument("--eval-interval", type=int, default=10)
asked.add_argument("--out", type=Path, help="keep figures and curves as JSON")
asked.add_argument("--plot", nargs=2, metavar=("JSON", "PNG"), help="draw a file that --out made, and run nothing")
args = asked.parse_args()


def plot(source: Path, picture: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    found = json.loads(source.read_text())
    figure_, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2))
    for name, color in (("sft", "tab:blue"), ("grpo", "tab:orange")):
        curve = found["curves"][name]
        before = len(found["curves"]["sft"]) if name == "grpo" else 0
        held_out = [(row["step"] + before, row["held_out_success"]) for row in curve if "held_out_success" in row]
        held_out.append((len(curve) + before, found["stages"][f"{name}/val"]["metrics"]["success"][0]))
        left.plot(*zip(*held_out, strict=True), "o-", color=color, label=f"{name}: held-out success")
    grpo = found["curves"]["grpo"]
    before = len(found["curves"]["sft"])
    left.plot(
        [row["step"] + before for row in grpo],
        [row["passed"] for row in grpo],
        color="0.7",
        lw=1,
        label="grpo: passed in training",
    )
    left.set(xlabel="step (SFT, then GRPO)", ylabel="share of tasks", ylim=(0, 1))
    left.legend(loc="lower right", fontsize=8)
    names = ["base", "sft", "grpo"]
    for offset, (split, color) in enumerate((("val", "tab:green"), ("seed", "tab:purple"))):
        metrics = [found["stages"][f"{name}/{split}"]["metrics"]["success"] for name in names]
        values = [value for value, _, _ in metrics]
        errors = [[value - low for value, low, _ in metrics], [high - value for value, _, high in metrics]]
        places = [place + 0.35 * offset for place in range(len(names))]
        right.bar(
            places,
            values,
            0.33,
            yerr=errors,
            capsize=4,
            color=color,
            label={"val": "held-out phrasings", "seed": "written by hand"}[split],
        )
        for place, value in zip(places, values, strict=True):
            right.text(
                place,
                0.02 if value > 0.1 else 0.08,
                f"{100 * value:.0f}%",
                ha="center",
                color="white" if value > 0.1 else "black",
            )
    right.set(xticks=[0.175, 1.175, 2.175], xticklabels=names, ylabel="success, 95% interval", ylim=(0, 1))
    right.legend(loc="upper left", fontsize=8)
    figure_.suptitle(f"SmolLM2-135M on toolcall, {found['machine']}")
    figure_.tight_layout()
    figure_.savefig(picture, dpi=110)


if args.plot:
    plot(Path(args.plot[0]), Path(args.plot[1]))
    sys.exit(0)

import torch  # noqa: E402 (drawing needs none of this)

from verigym.environments.load import load_environment  # noqa: E402
from verigym.flywheel import stages  # noqa: E402
from verigym.flywheel.train import train as train_version  # noqa: E402
from verigym.flywheel.workspace import Workspace  # noqa: E402
from verigym.training.recipe import make_recipe  # noqa: E402

if args.quick:
    args.sft_tasks, args.sft_steps, args.sft_batch, args.eval_tasks = 8, 2, 4, 4
    args.grpo_steps, args.grpo_prompts, args.grpo_k = 1, 2, 2
elif not torch.cuda.is_available():
    print("learn.py: the full sizes need a GPU; --quick runs the same path here", file=sys.stderr)
    sys.exit(0)

work = tempfile.TemporaryDirectory(prefix="verigym-learn-")
ws = Workspace(Path(work.name))
environment = load_environment("toolcall")
common: dict[str, Any] = {
    "model": "smollm2-135m",
    "reward": "tool_call_verifier",
    "held_out_eval": "" if args.quick else "tool_call_eval",
    "eval_tasks": args.eval_tasks,
    "eval_interval": args.eval_interval,
    "lora": {"r": args.r, "alpha": 2 * args.r},
    "seed": args.seed,
}
found: dict[str, Any] = {
    "settings": {k: str(v) for k, v in vars(args).items()},
    "stages": {},
    "curves": {},
    "seconds": {},
}
figures: list[Figure] = []


def measure(name: str, version: Any) -> None:
    for split in ("val",) if args.quick else ("val", "seed"):
        report = stages.measure(ws, environment, version, split=split, n=args.eval_tasks).report
        metrics = {metric: [round(x, 4) for x in (m.value, m.low, m.high)] for metric, m in report.metrics.items()}
        found["stages"][f"{name}/{split}"] = {"metrics": metrics, "buckets": report.buckets}
        value, low, high = metrics["success"]
        print(f"{name} {split}: {value:.3f} [{low:.3f}, {high:.3f}] {report.buckets}", file=sys.stderr, flush=True)
        interval = f"success, 95% interval {low:.3f} to {high:.3f}"
        figures.append(figure(f"toolcall {split}: {name}{' (quick sizes)' if args.quick else ''}", value, interval))


def train(name: str, **recipe: Any) -> Any:
    curve: list[dict[str, float]] = []

    def on_step(step: int, metrics: dict[str, float], alarms: list[Any]) -> None:
        curve.append({"step": step, **metrics})
        if step % 10 == 0 or step < 3:
            print(name, step, {k: round(v, 3) for k, v in metrics.items()}, file=sys.stderr, flush=True)

    begun = time.perf_counter()
    version, _ = train_version(
        ws, make_recipe({**common, "name": name, "algorithm": name, **recipe}, [], name), on_step
    )
    found["seconds"][name] = time.perf_counter() - begun
    found["curves"][name] = curve
    return version


base = ws.agent("smollm2-135m")
measure("base", base)
sft = train(
    "sft", steps=args.sft_steps, prompts_per_step=args.sft_batch, num_tasks=args.sft_tasks, learning_rate=args.sft_lr
)
measure("sft", sft)
grpo = train(
    "grpo",
    start=sft.id,
    steps=args.grpo_steps,
    num_tasks=args.grpo_tasks,
    prompts_per_step=args.grpo_prompts,
    num_generations_per_prompt=args.grpo_k,
    learning_rate=args.grpo_lr,
)
measure("grpo", grpo)
found["machine"] = figures[0].machine
if args.out:
    args.out.write_text(json.dumps(found, indent=1))
finish(figures, args)
