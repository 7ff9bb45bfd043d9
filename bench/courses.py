"""What SFT and then GRPO teach SmolLM2-135M in environments of several turns: `workplace` alone, and a mixture of three. An
episode's reward is its trajectory's: all turns share it. SFT imitates gold solutions of one half of the training families, GRPO
is rewarded on the other half, of which it was shown nothing: `recipes/workplace_sft.yaml` and `recipes/workplace_grpo.yaml`.
Measured on held-out tasks before, between and after.

    python bench/courses.py --out FILE [--only workplace]       # a GPU
    python bench/courses.py --plot FILE PNG

`--home` keeps the workspace: what is finished there is not run again. `--quick` is a smoke test of the same path.
"""

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from figures import Figure, figure, finish, parser

COURSES: dict[str, dict[str, float]] = {
    "workplace": {"workplace": 1},
    "mixture": {"workplace": 2, "triage": 1, "toolcall": 1},
}
RECIPES = Path(__file__).parent.parent / "recipes"
MAX_TOKENS = 96
"""Of a reply, as in the recipes."""
QUICK = {"steps": 1, "prompts_per_step": 2, "num_generations_per_prompt": 2, "num_tasks": 4, "eval_tasks": 4}
KEPT = ("step", "reward", "passed", "unsafe", "entropy", "loss", "tokens", "seconds")
"""Of a step; and each environment's reward and held-out success."""


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--only", default="", choices=["", *COURSES])
    asked.add_argument("--out", type=Path, help="keep figures and curves as JSON, and read what is there")
    asked.add_argument("--home", type=Path, help="keep the workspace here")
    asked.add_argument("--sft", nargs="*", default=[], help="fields of the recipe, such as steps=20")
    asked.add_argument("--grpo", nargs="*", default=[], help="fields of the recipe")
    asked.add_argument("--plot", nargs=2, metavar=("FILE", "PNG"), help="draw a file that --out made, and run nothing")
    args = asked.parse_args()
    if args.plot:
        plot(Path(args.plot[0]), Path(args.plot[1]))
        return
    import torch

    if not torch.cuda.is_available() and not args.quick:
        print("courses.py: the full sizes need a GPU; --quick runs the same path here", file=sys.stderr)
        return
    found: dict[str, Any] = json.loads(args.out.read_text()) if args.out and args.out.exists() else {}
    with tempfile.TemporaryDirectory(prefix="verigym-courses-") as folder:
        wanted = [args.only] if args.only else ["workplace"] if args.quick else list(COURSES)
        for name in wanted:
            found[name] = {}
            for stage, one in course(name, args, args.home or Path(folder)):
                found[name][stage] = one
                if args.out:
                    args.out.write_text(json.dumps(found))
    finish(list(figures(found)), args)


def course(name: str, args: Any, home: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Base, SFT, GRPO: what each passes of each environment's held-out tasks, and the curve of its training."""
    from verigym.core.records import Sampling
    from verigym.core.settings import read_yaml
    from verigym.environments.load import load_environment
    from verigym.evaluation.compare import compare
    from verigym.rollout.settings import RunSettings
    from verigym.training.recipe import make_recipe
    from verigym.workspace import measure as stages
    from verigym.workspace.train import train
    from verigym.workspace.workspace import WorkspaceFolder

    ws, shares = WorkspaceFolder(home), COURSES[name]
    setting = RunSettings(sampling=Sampling(temperature=0.0, max_tokens=MAX_TOKENS))
    version, before = ws.agent("smollm2-135m"), {}
    for stage, own in (("base", None), ("sft", args.sft), ("grpo", args.grpo)):
        one: dict[str, Any] = {"success": {}, "gain": {}, "unsafe": {}, "buckets": {}, "curve": []}
        begun = time.perf_counter()
        if own is not None:
            recipe = RECIPES / f"workplace_{stage}.yaml"
            data = read_yaml(recipe, "a recipe") | {
                "environment": "",
                "environments": shares,
                "name": f"{name} {stage}",
            }
            data |= ({} if stage == "sft" else {"start": version.id}) | (QUICK if args.quick else {})

            def on_step(step: int, metrics: dict[str, float], alarms: list[Any], one: Any = one) -> None:
                row = {"step": step, **metrics}
                kept = [key for key in row if key in KEPT or key.endswith(("/reward", "held_out_success"))]
                one["curve"].append({key: round(row[key], 4) for key in kept})
                for alarm in alarms:
                    print(f"{name}, step {step}: {alarm.observation}", file=sys.stderr, flush=True)

            version, _ = train(ws, make_recipe(data, own, str(recipe)), on_step)
        one["seconds"] = round(time.perf_counter() - begun, 1)
        for each in shares:
            few = 4 if args.quick else None
            report = stages.measure(ws, load_environment(each), version, setting, n=few)
            it = report.metrics["success"]
            one["success"][each] = [round(it.value, 4), round(it.low, 4), round(it.high, 4), it.n]
            one["unsafe"][each] = round(report.metrics["unsafe actions"].value, 4)
            one["buckets"][each] = report.buckets
            if each in before:
                gain = compare(before[each], report).success
                one["gain"][each] = [round(x, 4) for x in (gain.value, gain.low, gain.high)]
            before[each] = report
        shown = {key: value for key, value in one.items() if key != "curve"}
        print(f"{name} {stage}: {json.dumps(shown)}", file=sys.stderr, flush=True)
        yield stage, one


def figures(found: dict[str, Any]) -> Iterator[Figure]:
    for course, stages in found.items():
        for stage, one in stages.items():
            for each, (value, low, high, n) in one["success"].items():
                words = f"success, {low:.3f} to {high:.3f}, {n} tasks"
                yield figure(f"course {course}, {stage}: {each} held out", value, words)
        for each, (value, low, high) in stages["grpo"]["gain"].items():
            yield figure(f"course {course}: {each}, GRPO over SFT", value, f"{low:+.3f} to {high:+.3f}")


def plot(source: Path, picture: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    found = json.loads(source.read_text())
    canvas, axes = plt.subplots(2, len(found), figsize=(6.5 * len(found), 8), squeeze=False)
    for (course, stages), (above, below) in zip(found.items(), axes.T, strict=True):
        names = list(stages["base"]["success"])
        sft, grpo = stages["sft"]["curve"], stages["grpo"]["curve"]
        turn = sft[-1]["step"]
        for number, each in enumerate(names):
            own = "" if len(names) == 1 else f"{each}/"
            rows = [*sft, *({**row, "step": row["step"] + turn} for row in grpo)]
            points = [(row["step"], row[key]) for row in rows if (key := f"{own}held_out_success") in row]
            above.plot(*zip((0, 0.0), *points, strict=True), "o-", ms=3, color=f"C{number}", label=each)
            rewards = [row.get(f"{own}reward", float("nan")) for row in grpo]
            smooth = [
                sum(rewards[max(0, at - 9) : at + 1]) / len(rewards[max(0, at - 9) : at + 1]) for at in range(len(grpo))
            ]
            above.plot([turn + row["step"] for row in grpo], smooth, ":", color=f"C{number}")
        above.axvline(turn, color="grey", lw=0.8)
        above.text(turn, 0.99, " GRPO", color="grey", fontsize=8, va="top")
        words = "held-out success (120 tasks each)\ndotted: reward in training, mean of 10 steps"
        above.set(title=course, xlabel="step of SFT, then of GRPO", ylabel=words, ylim=(-0.1, 1))
        above.legend(fontsize=8)
        places = range(len(stages))
        width = 0.8 / len(names)
        for number, each in enumerate(names):
            values = [stages[stage]["success"][each] for stage in stages]
            errors = [[one[0] - one[1] for one in values], [one[2] - one[0] for one in values]]
            at = [place + (number + 0.5) * width - 0.4 for place in places]
            label = f"{each} ({values[0][3]} tasks)"
            below.bar(at, [one[0] for one in values], width * 0.95, yerr=errors, capsize=2, label=label)
        below.set(ylim=(0, 1), ylabel="success, 95% interval")
        below.set_xticks(list(places), list(stages))
        below.legend(fontsize=8)
    canvas.tight_layout()
    canvas.savefig(picture, dpi=110)


if __name__ == "__main__":
    main()
