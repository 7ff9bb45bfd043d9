"""Prompt optimisation, SFT, GRPO, and optimisation then GRPO, with the same budget of episodes, on a real small model.

    python bench/optimize.py --device cuda --out docs/results/optimize_h200.json    # what FILE holds already is not run again
    python bench/optimize.py --quick                                               # the same path in a tiny setting
    python bench/optimize.py --plot docs/results/optimize_h200.json docs/images/optimize_h200.svg

Every method may run `budget` episodes on training tasks and is then measured on all held-out tasks, greedily:

    optimize       verigym optimize, without a reflection model and without gold solutions
    + gold         the same, with gold solutions of training tasks as examples
    + reflection   the same without gold, with the base model as its own reflection model
    gepa           gepa.optimize on the system prompt, with the base model as reflection model (--peers, if it is installed)
    sft            the budget is sampled at temperature 1, and the passing episodes are imitated
    sft on gold    as many gold solutions as the budget has episodes are imitated
    grpo           GRPO as in the quickstart
    optimize+grpo  a quarter of the budget for `+ gold`, the rest for GRPO from there

`--home` keeps the workspace, so that a run that was cut off goes on. `--env toolcall` is another environment.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from figures import figure, finish, parser

BUDGETS = (216, 648, 1728)
METHODS = ("optimize", "+ gold", "+ reflection", "gepa", "sft", "sft on gold", "grpo", "optimize+grpo")
TOKENS = {"notes": 16, "toolcall": 64, "structured": 160}
PROMPTS, GENERATIONS = 12, 6
"""Of a GRPO step, as in the quickstart."""
RATES = {"grpo": 2e-4, "sft": 1e-3}


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--device", default="", help="cuda: refuse to run the full sizes without a GPU")
    asked.add_argument("--model", default="smollm2-135m")
    asked.add_argument("--env", default="notes")
    asked.add_argument("--only", default=";".join(METHODS), help="some of: " + "; ".join(METHODS))
    asked.add_argument("--budgets", type=int, nargs="*", default=list(BUDGETS))
    asked.add_argument("--seeds", type=int, default=2)
    asked.add_argument("--tasks", type=int, help="held-out tasks (default: all)")
    asked.add_argument("--minutes", type=float, default=8.0, help="start nothing new after so many minutes")
    asked.add_argument("--out", type=Path, help="keep results as JSON, and read what is there")
    asked.add_argument("--home", type=Path, help="keep the workspace here")
    asked.add_argument("--plot", nargs=2, metavar=("FILE", "SVG"), help="draw a file that --out made, and run nothing")
    args = asked.parse_args()
    if args.plot:
        plot(Path(args.plot[0]), Path(args.plot[1]))
        return
    import torch

    if not torch.cuda.is_available() and not args.quick:
        print("optimize.py: the full sizes need a GPU; --quick runs the same path here", file=sys.stderr)
        sys.exit(0 if args.device != "cuda" else 1)
    if args.quick:
        args.budgets, args.seeds, args.tasks = [24], 1, 8
        args.only = args.only if args.only != ";".join(METHODS) else "optimize;sft on gold;grpo;optimize+grpo"
    with tempfile.TemporaryDirectory(prefix="verigym-optimize-") as folder:
        Bench(args, args.home or Path(folder)).run()


class Bench:
    """The methods on one model and one environment. Each returns the version that it made, or None if it made none."""

    def __init__(self, args: Any, home: Path) -> None:
        from verigym.core.records import Sampling
        from verigym.environments.load import load_environment
        from verigym.rollout.settings import RunSettings
        from verigym.workspace.workspace import WorkspaceFolder

        self.args, self.ws, self.environment = args, WorkspaceFolder(home), load_environment(args.env)
        self.tokens = TOKENS.get(args.env, 64)
        self.greedy = RunSettings(sampling=Sampling(temperature=0.0, max_tokens=self.tokens))
        self.base = self.ws.agent(args.model)
        self.results: list[dict[str, Any]] = []
        if args.out and args.out.exists():
            self.results = json.loads(args.out.read_text())["results"]

    def run(self) -> None:
        began, methods = time.perf_counter(), self.args.only.split(";")
        self._measured("base", 0, 0, lambda *_: (self.base, 0, ""))
        for budget in self.args.budgets:
            for seed in range(self.args.seeds):
                for name in (name for name in METHODS if name in methods):
                    if time.perf_counter() - began > 60 * self.args.minutes:
                        print("out of time: repeat the command to go on", file=sys.stderr)
                        return self._finish()
                    if name != "gepa" or (self.args.peers and _has_gepa()):
                        self._measured(name, budget, seed, self._method(name))
        self._finish()

    def _method(self, name: str) -> Callable[[int, int], tuple[Any, int, str]]:
        return {
            "optimize": lambda budget, seed: self._optimize(budget, seed, gold=False),
            "+ gold": lambda budget, seed: self._optimize(budget, seed, gold=True),
            "+ reflection": lambda budget, seed: self._optimize(budget, seed, gold=False, reflect=True),
            "gepa": self._gepa,
            "sft": self._sft,
            "sft on gold": self._sft_on_gold,
            "grpo": lambda budget, seed: self._grpo(self.base, budget, seed),
            "optimize+grpo": self._both,
        }[name]

    def _measured(self, name: str, budget: int, seed: int, method: Callable[[int, int], tuple[Any, int, str]]) -> None:
        """Runs a method and measures its version on held-out tasks, if the file does not hold it already."""
        from verigym.workspace import measure as stages

        key = {"method": name, "budget": budget, "seed": seed, "environment": self.environment.name}
        if any(all(row[field] == value for field, value in key.items()) for row in self.results):
            return
        began = time.perf_counter()
        version, episodes, note = method(budget, seed)
        seconds = time.perf_counter() - began
        split = next(iter(self.environment.suites.values()))
        report = stages.measure(
            self.ws, self.environment, version or self.base, self.greedy, split=split, n=self.args.tasks
        )
        success, tokens = report.metrics["success"], report.metrics.get("prompt tokens")
        row = {
            **key,
            "episodes": episodes,
            "success": [round(one, 4) for one in (success.value, success.low, success.high)],
            "prompt_tokens": round(tokens.value, 1) if tokens else None,
            "seconds": round(seconds, 1),
            "note": note,
            "tasks": len(report.results),
        }
        self.results.append(row)
        print(json.dumps(row), file=sys.stderr, flush=True)
        if self.args.out:
            content = {"model": self.args.model, "device": _device(), "results": self.results}
            self.args.out.write_text(json.dumps(content, indent=1))

    # -- Methods --------------------------------------------------------------------------------------------------

    def _optimize(self, budget: int, seed: int, *, gold: bool, reflect: bool = False) -> tuple[Any, int, str]:
        from verigym.optimize.records import OptimizeSettings
        from verigym.optimize.search import optimize

        settings = OptimizeSettings(budget=budget, seed=seed, gold=gold, episodes=self.greedy)
        found = optimize(self.ws, self.environment, self.base, settings, reflect=self.base if reflect else None)
        best = next(one for one in found.candidates if one.version == found.best)
        words = f"{best.change}: {found.before:.2f} to {found.after:.2f} on {found.tasks} training tasks"
        return self.ws.find(found.best), found.episodes, words

    def _gepa(self, budget: int, seed: int) -> tuple[Any, int, str]:
        import gepa  # type: ignore[import-not-found]

        from verigym.core import event_loop
        from verigym.core.seeds import derive
        from verigym.optimize import reflection
        from verigym.optimize.split import training_parts

        parts = training_parts(self.environment, self.environment.tasks("train"), seed)
        adapter, asked = GepaAdapter(self), [0]

        def reflect(prompt: Any) -> str:
            asked[0] += 1
            text = prompt if isinstance(prompt, str) else "\n".join(str(one.get("content", "")) for one in prompt)
            policy = self.ws.policy(self.base)
            return event_loop.run(reflection.answer(policy, text, derive(seed, "gepa", asked[0])))[0]

        found = gepa.optimize(
            seed_candidate={"system_prompt": self.environment.system},
            trainset=parts.feedback,
            valset=parts.selection[: max(8, min(32, budget // 8))],
            adapter=adapter,
            reflection_lm=reflect,
            reflection_minibatch_size=max(3, min(24, budget // 24)),
            max_metric_calls=budget,
            seed=seed,
            display_progress_bar=False,
        )
        best = adapter.version(found.best_candidate)
        return best, adapter.episodes, f"{len(found.candidates)} candidates, {asked[0]} reflections"

    def _sft(self, budget: int, seed: int) -> tuple[Any, int, str]:
        """Imitates the passing episodes among the budget, sampled four to a task."""
        import msgspec

        from verigym.core.errors import Refused
        from verigym.core.records import Sampling
        from verigym.workspace import datasets, train
        from verigym.workspace import measure as stages

        sampling = Sampling(temperature=1.0, max_tokens=self.tokens)
        settings = msgspec.structs.replace(self.greedy, sampling=sampling, k=4, seed=seed)
        tasks = stages.tasks_of(self.environment, "train", budget // 4, seed)
        run = stages.rollout(self.ws, self.environment, self.base, tasks, settings)
        try:
            dataset = datasets.from_demonstrations(self.ws, run)
        except Refused as error:
            return None, budget, f"nothing to imitate: {error}"
        recipe = self._recipe("sft", seed, data=dataset.id, steps=min(60, max(8, dataset.rows // 4)))
        return train.train(self.ws, recipe)[0], budget, f"{dataset.rows} passing episodes"

    def _sft_on_gold(self, budget: int, seed: int) -> tuple[Any, int, str]:
        from verigym.workspace import train

        tasks = min(budget, len(self.environment.tasks("train")))
        steps = 2 if self.args.quick else max(8, min(120, budget // 12))
        return train.train(self.ws, self._recipe("sft", seed, num_tasks=tasks, steps=steps))[0], tasks, "gold"

    def _grpo(self, start: Any, budget: int, seed: int, name: str = "") -> tuple[Any, int, str]:
        from verigym.workspace import train

        prompts, generations = (2, 6) if self.args.quick else (PROMPTS, GENERATIONS)
        steps = max(1, budget // (prompts * generations))
        recipe = self._recipe(
            "grpo",
            seed,
            start=start,
            name=name,
            steps=steps,
            prompts_per_step=prompts,
            num_generations_per_prompt=generations,
        )
        rewards: list[float] = []
        version, _ = train.train(self.ws, recipe, lambda _, metrics, __: rewards.append(metrics.get("reward", 0.0)))
        return (
            version,
            steps * prompts * generations,
            f"reward {rewards[0]:.2f} to {rewards[-1]:.2f}" if rewards else "",
        )

    def _both(self, budget: int, seed: int) -> tuple[Any, int, str]:
        prompted, used, words = self._optimize(max(12, budget // 4), seed, gold=True)
        version, more, grpo = self._grpo(prompted, budget - used, seed, "optimize+grpo")
        return version, used + more, f"{words}; {grpo}"

    def _recipe(self, algorithm: str, seed: int, *, start: Any = None, name: str = "", **fields: Any) -> Any:
        from verigym.training.recipe import make_recipe

        trained = {
            "model": self.args.model,
            "algorithm": algorithm,
            "environment": self.environment.name,
            "lora": {"r": 32, "alpha": 64},
            "learning_rate": RATES[algorithm],
            "max_tokens": self.tokens,
            "seed": seed,
            "name": f"{name or algorithm}-{seed}",
            "prompts_per_step": 16,
            **fields,
        }
        if start is not None and start.id != self.base.id:
            trained["start"] = self.ws.register(start).id
        return make_recipe(trained, [], "bench/optimize.py")

    def _finish(self) -> None:
        finish(list(figures(self.results, self.args.quick)), self.args)


class GepaAdapter:
    """gepa's view of our episodes: a candidate is a system prompt, and feedback is our failure evidence."""

    propose_new_texts = None

    def __init__(self, bench: Bench) -> None:
        self.bench, self.episodes = bench, 0

    def version(self, candidate: dict[str, str]) -> Any:
        import msgspec

        from verigym.registry.versions import version_id

        made = msgspec.structs.replace(self.bench.base, system_prompt=candidate["system_prompt"], name="gepa")
        return msgspec.structs.replace(made, id=version_id(made))

    def evaluate(self, batch: list[Any], candidate: dict[str, str], capture_traces: bool = False) -> Any:
        from gepa.core.adapter import EvaluationBatch  # type: ignore[import-not-found]

        from verigym.evaluation.failures import explain_each
        from verigym.workspace import measure as stages

        bench = self.bench
        tasks = list({task.id: task for task in batch}.values())
        self.episodes += len(batch)
        run = stages.rollout(bench.ws, bench.environment, self.version(candidate), tasks, bench.greedy, parent="gepa")
        verdicts = bench.ws.store.verdicts(run, bench.environment.verifier.name)
        episodes = explain_each(tasks, bench.ws.store.trajectories(run), verdicts, bench.environment.explain)
        by_task = {one.trajectory.task: one for one in episodes}
        told = [by_task[task.id] for task in batch]
        scores = [one.verdict.reward or 0.0 for one in told]
        outputs = [one.trajectory.reply for one in told]
        return EvaluationBatch(outputs=outputs, scores=scores, trajectories=list(zip(batch, told, strict=True)))

    def make_reflective_dataset(self, candidate: dict[str, str], batch: Any, components: list[str]) -> Any:
        rows = [
            {
                "Inputs": str(task.prompt),
                "Generated Outputs": one.trajectory.reply,
                "Feedback": f"failed ({one.reason.bucket}): {one.reason.evidence}" if one.reason.bucket else "passed",
            }
            for task, one in batch.trajectories
        ]
        return dict.fromkeys(components, rows)


def _has_gepa() -> bool:
    import importlib.util

    if importlib.util.find_spec("gepa") is None:
        print("gepa is not installed, so it is left out (pip install gepa==0.1.4)", file=sys.stderr)
        return False
    return True


def _device() -> str:
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"


def figures(results: list[dict[str, Any]], quick: bool) -> Any:
    for name, by_budget in means(results).items():
        for budget, value in by_budget.items():
            yield figure(f"{name}, {budget:g} episodes", value, "held-out success, mean over seeds")
    spent = [
        row["episodes"] / row["budget"] for row in results if row["method"] in ("optimize", "+ gold", "+ reflection")
    ]
    if spent:
        peers = [row["episodes"] / row["budget"] for row in results if row["method"] == "gepa"]
        yield figure(
            "optimize: episodes used", max(spent), "times the budget", "<= 1", "gepa", max(peers) if peers else None
        )


def means(results: list[dict[str, Any]]) -> dict[str, dict[float, float]]:
    """Method to budget to the mean success over seeds."""
    found: dict[str, dict[float, list[float]]] = {}
    for row in results:
        found.setdefault(row["method"], {}).setdefault(row["budget"], []).append(row["success"][0])
    return {name: {at: sum(all) / len(all) for at, all in sorted(by.items())} for name, by in found.items()}


def plot(source: Path, picture: Path) -> None:
    """Held-out success by budget, one line for each method. All lines begin at the base model."""
    from verigym.draw.lines import lines

    content = json.loads(source.read_text())
    names = sorted({row["environment"] for row in content["results"]})
    for name in names:
        found = means([row for row in content["results"] if row["environment"] == name])
        start = found.pop("base", {0: 0.0})
        ordered = {
            method: {float(at): value for at, value in {**start, **found[method]}.items()}
            for method in METHODS
            if method in found
        }
        words = f"Held-out success in {name} by episodes used, {content['model']} on {content['device']}"
        drawn = lines(ordered, title=words, x="episodes", y="success", width=860, height=360)
        path = picture if len(names) == 1 else picture.with_name(f"{picture.stem}_{name}{picture.suffix}")
        path.write_text(drawn)


if __name__ == "__main__":
    main()
