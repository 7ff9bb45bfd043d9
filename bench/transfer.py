"""What training on our environments does for an exam of another project, and what the gate says about it.

    python bench/transfer.py recipes/qwen_mixture.yaml --model FOLDER --home HOME --out FILE.jsonl
    python bench/transfer.py recipes/qwen_mixture.yaml --first recipes/qwen_mixture_sft.yaml ...      # trains both stages
    python bench/transfer.py recipes/qwen_toolcall.yaml --version latest --home HOME      # examines a trained version

The exam is BFCL (`verigym bridges install bfcl`). Nothing of it is trained on. Base and trained version answer the same tasks,
greedily. The gain of a category has an interval over its families. The pooled gain is the mean over all tasks of the exam, with
an interval by bootstrap over tasks. The development categories, which may be looked at while recipes are made, are examined too
and are not pooled. The pairs of requests of `safety?train=tuning` are answered as well. With `--choose SHARE`, every kept
checkpoint of the run answers them. Of those that obey at most this share of harmful requests, the one that serves the most
harmless requests is examined.
The gate compares base and version on all questions of the exam as one suite, with the guards for retention and safety of its
policy. The goal is a GPU. `--quick` is a smoke test of the same path without the gate.
"""

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from figures import figure, finish, machine, one_row, parser

EXAM = ["multiple", "simple_python", "live_simple", "multi_turn_base"]
DEVELOPMENT = ["live_multiple"]
TUNING = "safety?train=tuning"
RESAMPLES = 4000
QUICK = ["steps=1", "prompts_per_step=2", "num_generations_per_prompt=2", "num_tasks=4", "eval_tasks=4"]


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("recipe", nargs="?", type=Path, default=Path("recipes/quick_sft.yaml"))
    asked.add_argument("--model", default="", help="a folder, in place of the recipe's model")
    asked.add_argument("--first", type=Path, help="recipe of a first stage, whose version the recipe starts from")
    asked.add_argument("--set-first", nargs="*", default=[], help="fields of the recipe of the first stage")
    asked.add_argument("--version", default="", help="examine this version instead of training one")
    asked.add_argument("--set", nargs="*", default=[], help="fields of the recipe, such as steps=20")
    asked.add_argument(
        "--choose",
        type=float,
        metavar="SHARE",
        help="examine the checkpoint that serves the most harmless requests, if it obeys at most this share of harmful ones",
    )
    asked.add_argument(
        "--exam", nargs="*", default=EXAM, help="categories of BFCL. The gate judges those without conversations"
    )
    asked.add_argument("--development", nargs="*", default=DEVELOPMENT, help="categories that are not pooled")
    asked.add_argument("--most", type=int, help="maximum number of tasks of each category")
    asked.add_argument("--no-gate", action="store_true", help="examine only")
    args, row = one_row(asked, "transfer", examined)
    pooled = row["pooled"]
    finish(
        [
            figure(f"{row['recipe']}: bfcl:{name}", after[0], f"success, {before[0]:.3f} before, gain {gain}")
            for name, (before, after, gain) in row["exam"].items()
        ]
        + [figure(f"{row['recipe']}: pooled gain", pooled["gain"], f"{pooled['interval']}, {pooled['tasks']} tasks")],
        args,
    )


def examined(args: Any, home: Path) -> dict[str, Any]:
    from verigym.core.records import Sampling
    from verigym.environments.load import load_environment
    from verigym.evaluation.compare import compare, scored_pairs
    from verigym.registry.checkpoints import kept_checkpoints
    from verigym.rollout.settings import RunSettings
    from verigym.training.recipe import read_recipe
    from verigym.workspace import measure as stages
    from verigym.workspace.gate import gate
    from verigym.workspace.train import train
    from verigym.workspace.workspace import WorkspaceFolder

    given = [f"model={args.model}"] if args.model else []
    given += QUICK if args.quick else []
    ws = WorkspaceFolder(home)
    recipe = read_recipe(args.recipe, [*given, *args.set])
    first = ""
    if args.first and not args.version:
        first = train(ws, read_recipe(args.first, [*given, *args.set_first]))[0].id
        recipe = read_recipe(args.recipe, [*given, *args.set, f"start={first}"])
    version, run = (ws.agent(args.version), "") if args.version else train(ws, recipe)
    base, setting = ws.agent(recipe.model), RunSettings(sampling=Sampling(temperature=0.0, max_tokens=256))
    row: dict[str, Any] = {
        "recipe": args.recipe.stem,
        "set": args.set,
        "first": {"recipe": args.first.stem, "set": args.set_first, "version": first} if first else {},
        "version": version.id,
        "machine": machine(),
        "note": args.note,
        "exam": {},
        "gate": {},
    }
    if not args.quick:
        candidates = [version]
        if args.choose is not None and run:
            candidates = [ws.agent(one.name) for one in kept_checkpoints(ws.store, run)] or candidates
        answers = {one.id: on_tuning_pairs(ws, one) for one in candidates}
        version = min(candidates, key=lambda one: order_of(answers[one.id], args.choose or 0.0))
        row["version"] = version.id
        row["tuning"] = {"base": on_tuning_pairs(ws, base), "trained": answers[version.id], "all": [*answers.values()]}
        print(f"{args.recipe.stem} {TUNING}: {row['tuning']}", file=sys.stderr, flush=True)
    differences: list[float] = []
    for category in args.exam[:2] if args.quick else [*args.exam, *args.development]:
        environment = load_environment(f"bfcl:{category}?train=0")
        most = 4 if args.quick else args.most
        before, after = (stages.measure(ws, environment, agent, setting, n=most) for agent in (base, version))
        gain = compare(before, after).success
        if category in args.exam:
            differences += [float(new.passed) - float(old.passed) for old, new in scored_pairs(before, after)]
        values = [before.metrics["success"], after.metrics["success"], gain]
        row["exam"][category] = [[round(x, 4) for x in (each.value, each.low, each.high)] for each in values]
        print(f"{args.recipe.stem} bfcl:{category}: {row['exam'][category]}", file=sys.stderr, flush=True)
    row["pooled"] = pooled_gain(differences)
    print(f"{args.recipe.stem} pooled: {row['pooled']}", file=sys.stderr, flush=True)
    if not args.quick and not args.no_gate:
        questions = ",".join(category for category in args.exam if not category.startswith("multi_turn"))
        decision = gate(ws, version, base, environment=f"bfcl:{questions}?train=0", settings=setting)
        checks = {check.name: f"{check.outcome}: {check.words}" for check in decision.checks}
        row["gate"] = {"verdict": decision.verdict, "words": decision.words, "checks": checks}
    return row


def on_tuning_pairs(ws: Any, agent: Any) -> dict[str, list[int]]:
    """How many harmful requests an agent obeys and how many harmless ones it serves, each with their number."""
    from verigym.core.records import Sampling
    from verigym.environments.load import load_environment
    from verigym.rollout.settings import RunSettings
    from verigym.workspace import measure as stages

    environment = load_environment(TUNING)
    tasks = environment.tasks("train")
    setting = RunSettings(sampling=Sampling(temperature=0.0, max_tokens=64))  # as the gate's safety suite
    run = stages.rollout(ws, environment, agent, tasks, setting)
    verdicts = {verdict.trajectory: verdict for verdict in ws.store.verdicts(run, environment.verifier.name)}
    of_task = {one.task: verdicts[one.id] for one in ws.store.trajectories(run) if one.id in verdicts}
    harmful = [of_task[task.id] for task in tasks if "unsafe" in task.tags and task.id in of_task]
    harmless = [of_task[task.id] for task in tasks if "harmless" in task.tags and task.id in of_task]
    return {
        "obeyed": [sum(verdict.unsafe for verdict in harmful), len(harmful)],
        "served": [sum(bool(verdict.passed) for verdict in harmless), len(harmless)],
    }


def order_of(answers: dict[str, list[int]], most: float) -> tuple[bool, int, int]:
    """Sorts versions: first those that obey at most this share of harmful requests, by how many harmless ones they serve."""
    (obeyed, harmful), (served, _) = answers["obeyed"], answers["served"]
    few = obeyed <= most * harmful
    return (False, -served, obeyed) if few else (True, obeyed, -served)


def pooled_gain(differences: Sequence[float], resamples: int = RESAMPLES) -> dict[str, Any]:
    """The mean difference over all tasks, each base against version, with its 95% interval by bootstrap over tasks."""
    draw, count = random.Random(0), len(differences)
    means = sorted(sum(draw.choices(differences, k=count)) / count for _ in range(resamples))
    low, high = means[round(0.025 * resamples)], means[round(0.975 * resamples) - 1]
    return {"gain": round(sum(differences) / count, 4), "interval": [round(low, 4), round(high, 4)], "tasks": count}


if __name__ == "__main__":
    main()
