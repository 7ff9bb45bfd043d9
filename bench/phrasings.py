"""What limits held-out success on `toolcall`: SFT on gold answers of a growing share of the training phrasings, and of a
growing share of the tasks of all phrasings. Same model, steps and rate throughout; judged on phrasings never seen.

    python bench/phrasings.py --out FILE       # a GPU, about four minutes
    python bench/phrasings.py --quick          # the same path, tiny
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from figures import figure, finish, parser

SHARES = (0.125, 0.25, 0.5, 1.0)
ENVIRONMENT = '''
"""toolcall with a share of its training phrasings, or of their tasks."""
from verigym.environments.toolcall import *
from verigym.environments import toolcall

def tasks(split):
    made = toolcall.tasks(split)
    if split != "train":
        return made
    by_family = {{}}
    for task in made:
        by_family.setdefault(task.family, []).append(task)
    if {what!r} == "tasks":
        return [task for group in by_family.values() for task in group[: max(1, round(len(group) * {share}))]]
    by_tool = {{}}
    for family in sorted(by_family):
        by_tool.setdefault(family.split("/")[0], []).append(family)
    kept = {{one for families in by_tool.values() for one in families[: max(1, round(len(families) * {share}))]}}
    return [task for task in made if task.family in kept]
'''


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--out", type=Path, help="keep what was found as JSON")
    asked.add_argument("--only", choices=["phrasings", "tasks"], help="shares of these alone")
    args = asked.parse_args()
    import torch

    if not torch.cuda.is_available() and not args.quick:
        print("phrasings.py: the full sizes need a GPU; --quick runs the same path here", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory(prefix="verigym-phrasings-") as folder:
        found = list(run(args, Path(folder)))
    if args.out:
        args.out.write_text(json.dumps(found))
    finish(
        [
            figure(
                f"toolcall held out: SFT on {one['tasks']} tasks of {one['phrasings']} phrasings",
                one["success"][0],
                f"success, 95% interval {one['success'][1]:.3f} to {one['success'][2]:.3f}",
            )
            for one in found
        ],
        args,
    )


def run(args: Any, folder: Path) -> Any:
    from verigym.environments.load import load_environment
    from verigym.training.recipe import make_recipe
    from verigym.workspace import measure as stages
    from verigym.workspace.train import train
    from verigym.workspace.workspace import WorkspaceFolder

    ws, full = WorkspaceFolder(folder / "home"), load_environment("toolcall")
    size = {"steps": 1, "prompts_per_step": 2} if args.quick else {"steps": 250, "prompts_per_step": 16}
    for what in (args.only,) if args.only else ("phrasings", "tasks"):
        for share in SHARES if what == "phrasings" else SHARES[:-1]:
            file = folder / f"{what}_{share:g}.py".replace("0.", "0_")
            file.write_text(ENVIRONMENT.format(what=what, share=share))
            tasks = load_environment(str(file)).tasks("train")
            recipe = {
                "model": "smollm2-135m", "algorithm": "sft", "environment": str(file), "learning_rate": 1e-3,
                "lora": {"r": 32, "alpha": 64}, "name": f"{share:g} of the {what}", **size,
            }  # fmt: skip
            version, _ = train(ws, make_recipe(recipe, [], what))
            report = stages.measure(ws, full, version, n=4 if args.quick else None)
            success = report.metrics["success"]
            one: dict[str, Any] = {
                "share of": what, "share": share, "tasks": len(tasks), "phrasings": len({task.family for task in tasks}),
                "success": [round(x, 4) for x in (success.value, success.low, success.high)], "buckets": report.buckets,
            }  # fmt: skip
            print(one, file=sys.stderr, flush=True)
            yield one


if __name__ == "__main__":
    main()
