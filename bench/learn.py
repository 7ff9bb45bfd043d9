"""What SFT and GRPO teach SmolLM2-135M on `toolcall`, measured on held-out phrasings.

Runs base -> SFT -> GRPO with the settings below (or other ones), evaluates each on the whole held-out split and on the
hand-written seed set, and writes curves and figures as JSON. On a GPU: python bench/learn.py; `--quick` is a smoke test.
The convention of every script here: bench/harness.py.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from verigym.environments.load import load_environment
from verigym.flywheel import stages
from verigym.flywheel.workspace import Workspace
from verigym.training.recipe import make_recipe

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--sft-tasks", type=int, default=200)
parser.add_argument("--sft-steps", type=int, default=40)
parser.add_argument("--sft-batch", type=int, default=16)
parser.add_argument("--sft-lr", type=float, default=5e-4)
parser.add_argument("--grpo-steps", type=int, default=80)
parser.add_argument("--grpo-prompts", type=int, default=32)
parser.add_argument("--grpo-k", type=int, default=16)
parser.add_argument("--grpo-lr", type=float, default=2e-4)
parser.add_argument("--top-layers", type=int, default=None)
parser.add_argument("--r", type=int, default=16)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--eval-tasks", type=int, default=None)
parser.add_argument("--eval-interval", type=int, default=20)
parser.add_argument("--out", type=Path, default=None)
args = parser.parse_args()

home = Path(tempfile.mkdtemp(prefix="verigym-learn-"))
ws = Workspace(home)
environment = load_environment("toolcall")
base = ws.agent("smollm2-135m")
common: dict[str, Any] = {
    "model": "smollm2-135m",
    "reward": "tool_call_verifier",
    "held_out_eval": "tool_call_eval",
    "eval_tasks": args.eval_tasks,
    "eval_interval": args.eval_interval,
    "lora": {"r": args.r, "alpha": 2 * args.r, "top_layers": args.top_layers},
    "seed": args.seed,
}
found: dict[str, Any] = {"settings": {k: str(v) for k, v in vars(args).items()}, "stages": {}, "curves": {}}
started = time.time()


def measure(name: str, version: Any) -> None:
    begun = time.time()
    for split in ("val", "seed"):
        report = stages.measure(ws, environment, version, split=split, n=args.eval_tasks).report
        figures = {k: [round(x, 4) for x in (m.value, m.low, m.high)] for k, m in report.metrics.items()}
        found["stages"][f"{name}/{split}"] = {"metrics": figures, "buckets": report.buckets}
        success = figures["success"]
        print(
            f"{name:5} {split:5} success {success[0]:.3f} [{success[1]:.3f}, {success[2]:.3f}] {report.buckets}",
            flush=True,
        )
    found["stages"][name] = {"eval_s": time.time() - begun}


def train(name: str, **recipe: Any) -> Any:
    begun = time.time()
    curve: list[dict[str, float]] = []

    def on_step(step: int, metrics: dict[str, float]) -> None:
        curve.append({"step": step, **metrics})
        if step % 10 == 0 or step < 3:
            print(name, step, {k: round(v, 3) for k, v in metrics.items()}, flush=True)

    version, _ = stages.train(ws, make_recipe({**common, "name": name, **recipe}, [], name), on_step)
    found["curves"][name] = curve
    print(f"{name}: {time.time() - begun:.0f} s", flush=True)
    return version


measure("base", base)
sft = train(
    "sft",
    algorithm="sft",
    steps=args.sft_steps,
    prompts_per_step=args.sft_batch,
    num_tasks=args.sft_tasks,
    learning_rate=args.sft_lr,
)
measure("sft", sft)
if args.grpo_steps:
    grpo = train(
        "grpo",
        algorithm="grpo",
        start=sft.id,
        steps=args.grpo_steps,
        prompts_per_step=args.grpo_prompts,
        num_generations_per_prompt=args.grpo_k,
        learning_rate=args.grpo_lr,
    )
    measure("grpo", grpo)
print(f"total {time.time() - started:.0f} s")
if args.out:
    args.out.write_text(json.dumps(found))
