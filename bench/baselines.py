"""What SmolLM2-135M passes of each environment's held-out tasks: greedy, replies of at most 256 tokens. With --sft it first
imitates the gold solutions of that environment's training tasks for so many steps.

    python bench/baselines.py [NAME ...] [--tasks 50] [--sft 200]

A GPU takes a minute for all of them, and half a minute more for each that is learnt; two CPU cores take some hours: name a few,
or fewer tasks. Environments that run code need a sandbox (docs/how-to/sandbox.md) and are skipped if there is none. In `writing`
the untrained model is the judge, who sees only what keeps to every demand.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from figures import Figure, figure, finish, parser

NAMES = ["toolcall", "notes", "workplace", "math", "structured", "sudoku", "data_analysis", "science"]
NAMES += ["triage", "search", "support", "writing", "code", "code_repair", "shell", "faster_code", "rewriting"]
MAX_TOKENS = 256


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("names", nargs="*", default=NAMES, metavar="NAME")
    asked.add_argument("--tasks", type=int, help="of each, spread over families; all of them without it")
    asked.add_argument("--sft", type=int, default=0, metavar="STEPS", help="of 16 gold solutions each, before")
    args = asked.parse_args()
    import torch

    if args.quick:
        args.names, args.tasks = ["toolcall"], 4
    elif not torch.cuda.is_available() and args.names == NAMES:
        print("baselines.py: all environments need a GPU; name one, or --quick", file=sys.stderr)
        return
    finish(list(measured(args)), args)


def measured(args: Any) -> Iterator[Figure]:
    from verigym.core.errors import VerigymError
    from verigym.core.records import Sampling
    from verigym.environments.load import load_environment
    from verigym.rollout.settings import RunSettings
    from verigym.workspace import measure as stages
    from verigym.workspace.workspace import WorkspaceFolder

    setting = RunSettings(sampling=Sampling(temperature=0.0, max_tokens=MAX_TOKENS))
    with tempfile.TemporaryDirectory(prefix="verigym-baselines-") as folder:
        ws = WorkspaceFolder(Path(folder))
        model = ws.agent("smollm2-135m")
        setting = msgspec.structs.replace(setting, judge=model)
        for name in args.names:
            begun = time.perf_counter()
            try:
                version = learnt(ws, name, args.sft) if args.sft else model
                report = stages.measure(ws, load_environment(name), version, setting, n=args.tasks)
            except VerigymError as error:
                print(f"{name}: {error}", file=sys.stderr)
                continue
            it = report.metrics["success"]
            words = f"success, {it.low:.3f} to {it.high:.3f}, {it.n} tasks"
            spent = f"{time.perf_counter() - begun:.0f} s"
            print(f"{name}: {it.value:.3f} {words}; {spent}, {report.buckets}", file=sys.stderr, flush=True)
            how = f"after {args.sft} steps of SFT" if args.sft else "untrained"
            yield figure(f"SmolLM2-135M, {how}: {name}", it.value, words)


def learnt(ws: Any, name: str, steps: int) -> Any:
    from verigym.training.recipe import make_recipe
    from verigym.workspace.train import nothing, train

    sft = {"algorithm": "sft", "prompts_per_step": 16, "steps": steps, "learning_rate": 1e-3, "eval_interval": 0}
    where = {"model": "smollm2-135m", "environment": name, "lora": {"r": 32, "alpha": 64}}
    return train(ws, make_recipe({**where, **sft}, [], name), nothing)[0]


if __name__ == "__main__":
    main()
