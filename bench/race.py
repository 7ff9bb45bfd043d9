"""The same training by Verigym and by TRL on one GPU: reward and held-out success against the seconds of training.

    python bench/race.py --peers --model FOLDER --out docs/results/race_h200.json      # about four minutes on an H200
    python bench/race.py --plot docs/results/race_h200.json docs/images/race_h200.png

Both train `toolcall` with the sizes of recipes/qwen_toolcall.yaml. The model, the tasks of each step, the prompts (their ids are
compared), the verifier, the number of replies, the loss, the learning rate and the shape of the adapter are the same. TRL
samples with vLLM in its own process, in bfloat16, without gradient checkpointing, in the batch size and with the kernels that a
trial finds fastest. Dynamic sampling, which TRL does not have, and the entropy bonus of the recipe are left out for both.

Each trainer has a process of its own and the GPU to itself. The clock starts with the first step. The seconds before it
(loading, and what vLLM compiles) are a figure of their own. Afterwards the held-out tasks are evaluated greedily with the
adapters that both trainers saved, by Verigym's engine. The clock leaves out evaluation and the saving of TRL's adapters. It
counts the saving of ours.

Without `--model` it is a smoke test with a tiny model. `--peers` takes the interpreter that has TRL. `--peer-path` names folders
that come first on its path, such as unpacked wheels. A trainer that fails is reported and left out.
"""

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from figures import Figure, figure, finish, machine, parser

HERE = Path(__file__).resolve().parent
NAMES = {"verigym": "Verigym", "trl": "TRL 1.16 with vLLM 0.24"}
COLORS = {"verigym": "tab:blue", "trl": "tab:gray"}
VLLM = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_USE_FLASHINFER_SAMPLER": "0",
    "VLLM_USE_DEEP_GEMM": "0",
    "HF_HUB_OFFLINE": "1",
    "TRL_EXPERIMENTAL_SILENCE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "RANK": "0",
    "LOCAL_RANK": "0",
    "WORLD_SIZE": "1",
    "MASTER_ADDR": "127.0.0.1",
    "MASTER_PORT": "29517",
}
"""What vLLM needs to run in the process of a trainer, on a machine without a network."""


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--model", default="", help="a folder. Without it, a tiny one with random weights")
    asked.add_argument("--trainers", nargs="*", default=["verigym", "trl"], choices=[*NAMES])
    asked.add_argument("--peer-path", default="", help="folders that come first on the path of the peers")
    asked.add_argument("--steps", type=int, default=24)
    asked.add_argument("--every", type=int, default=4, help="save the adapter every so many steps")
    asked.add_argument("--limit", type=float, default=170.0, help="a trainer stops after so many seconds of training")
    asked.add_argument("--seeds", nargs="*", type=int, default=[0])
    asked.add_argument("--trl", nargs="*", default=[], help="settings of GRPOConfig, such as use_liger_kernel=true")
    asked.add_argument("--note", default="", help="kept with the figures, such as where the weights come from")
    asked.add_argument("--out", type=Path, help="write the curves as JSON, and continue a file that exists")
    asked.add_argument("--logs", type=Path, help="keep what each process prints in this folder")
    asked.add_argument("--plot", nargs=2, type=Path, metavar=("JSON", "PNG"), help="draw and do nothing else")
    asked.add_argument("--one", help="internal: what a process of its own does")
    args = asked.parse_args()
    if args.one:
        one = json.loads(args.one)
        if one["does"] == "trl":
            from race_trl import train_with_trl as what
        else:
            what = {"verigym": ours, "evaluation": evaluation}[one["does"]]
        what(one)
    elif args.plot:
        plot(*args.plot)
    else:
        finish(race(args), args)


def race(args: Any) -> list[Figure]:
    """Runs every trainer with every seed, then evaluates what they saved."""
    found: dict[str, Any] = {"machine": "", "note": args.note, "settings": {}, "runs": []}
    if args.out and args.out.exists():
        found = json.loads(args.out.read_text())
    quick = args.quick or not args.model
    settings = {
        "quick": quick,
        "steps": 2 if quick else args.steps,
        "every": 1 if quick else args.every,
        "limit_s": args.limit,
        "trl": args.trl,
        "logs": str(args.logs or ""),
    }
    found["settings"] |= {key: settings[key] for key in ("steps", "every", "limit_s", "trl")}
    with tempfile.TemporaryDirectory(prefix="verigym-race-") as folder:
        settings["model"] = str(Path(args.model).resolve()) if args.model else tiny_model(Path(folder) / "tiny")
        for seed in args.seeds:
            for name in args.trainers if args.peers else ["verigym"]:
                place = Path(folder) / f"{name}-{seed}"
                one = {**settings, "does": name, "seed": seed, "folder": str(place)}
                result = run(one) if name == "verigym" else run(one, args.peers, args.peer_path)
                if result is None:
                    continue
                found["machine"] = result.pop("machine")
                found["runs"] = [each for each in found["runs"] if (each["trainer"], each["seed"]) != (name, seed)]
                found["runs"].append({"trainer": name, "seed": seed, **result})
                keep(args.out, found)
                last = result["rows"][-1]
                print(
                    f"{name} {seed}: step {last['step']}, {last['seconds']:.1f} s, reward {last['reward']:.3f}, ready after "
                    f"{result['ready_s']:.0f} s, {result['memory_gb']:.0f} GB",
                    file=sys.stderr,
                )
        fresh = [each for each in found["runs"] if each.get("adapters")]
        asked = {**settings, "does": "evaluation", "folder": f"{folder}/evaluation"}
        asked["adapters"] = [adapter for each in fresh for adapter in each["adapters"].values()]
        scores = (run(asked) or {}).get("scores", {}) if fresh else {}
        for each in fresh:
            times = {row["step"]: row["seconds"] for row in each["rows"]}
            saved = {0: "", **{int(step): adapter for step, adapter in each.pop("adapters").items()}}
            each["held_out"] = [
                {"step": step, "seconds": times.get(step, 0.0), **scores[adapter]}
                for step, adapter in sorted(saved.items())
                if adapter in scores
            ]
        keep(args.out, found)
    return figures(found)


def run(asked: dict[str, Any], python: str = sys.executable, path: str = "") -> dict[str, Any] | None:
    """What a process of its own wrote. None if it wrote nothing."""
    place = Path(asked["folder"])
    place.mkdir(parents=True, exist_ok=True)
    peer = asked["does"] == "trl"
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = [*(path.split(os.pathsep) if path else []), str(HERE.parent), *(each for each in given if each)]
    env = {**os.environ, **(VLLM if peer else {}), "PYTHONPATH": os.pathsep.join(paths)}
    command = [python, str(Path(__file__).resolve()), "--one", json.dumps({**asked, "spawned": time.time()})]
    log = Path(asked["logs"] or place) / f"{asked['does']}-{asked.get('seed', '')}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as file:
        done = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, env=env)
    result = place / "result.json"
    if done.returncode:
        print(f"{asked['does']} failed:\n{log.read_text(errors='replace')[-4000:]}", file=sys.stderr)
    return json.loads(result.read_text()) if result.exists() else None


def tiny_model(place: Path) -> str:
    """A folder with random weights, which every trainer handles within seconds."""
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    from verigym.model import embedded

    tokenizer = AutoTokenizer.from_pretrained(embedded.pull())
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    ids = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id, "bos_token_id": None}
    LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), **sizes, **ids)).save_pretrained(place)
    tokenizer.save_pretrained(place)
    return str(place)


def keep(path: Path | None, found: dict[str, Any]) -> None:
    """Writes what is known so far, without the folders of this run."""
    if path is None:
        return
    runs = [{key: value for key, value in each.items() if key != "adapters"} for each in found["runs"]]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**found, "runs": runs}, indent=1) + "\n")


def figures(found: dict[str, Any]) -> list[Figure]:
    """The median step of each trainer, and where the same number of steps led."""
    paces = {name: [pace(each) for each in found["runs"] if each["trainer"] == name] for name in NAMES}
    made: list[Figure] = []
    quick = any(each["quick"] for each in found["runs"])
    size = "a few replies" if quick else "32 x 8 replies"
    peer = statistics.median(paces["trl"]) if paces["trl"] and not quick else None
    if paces["verigym"]:
        goal = f"<= {peer:.4g}" if peer else ""
        mine = statistics.median(paces["verigym"])
        made.append(
            figure(f"GRPO step of toolcall, {size}", mine, "s, median", goal, NAMES["trl"] if peer else "", peer)
        )
    for each in found["runs"]:
        for row in each.get("held_out", [])[-1:]:
            label = f"{NAMES[each['trainer']]}, seed {each['seed']}: held-out toolcall after {row['step']} steps"
            made.append(figure(label, row["success"], f"success, {row['low']:.3f} to {row['high']:.3f}"))
    return made


def pace(each: dict[str, Any]) -> float:
    """Seconds of the median step. The first one, in which kernels are compiled, is left out."""
    seconds = [row["seconds"] for row in each["rows"]]
    return statistics.median([b - a for a, b in itertools.pairwise(seconds)] or seconds)


# -- what both trainers share -------------------------------------------------------------------------------------


class Progress:
    """The rows and adapters of one trainer, written whenever an adapter is saved."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self.asked, self.rows, self.adapters = asked, list[dict[str, float]](), dict[int, str]()
        self.ready_s = self.memory_gb = 0.0
        self.told: dict[str, Any] = {}
        """Settings that the trainer found out by itself."""

    def saves(self, step: int, seconds: float) -> bool:
        """Whether the adapter of this step is saved."""
        asked = self.asked
        return step % asked["every"] == 0 or step == asked["steps"] or seconds > asked["limit_s"]

    def watch_memory(self) -> None:
        import torch

        if torch.cuda.is_available():
            free, total = torch.cuda.mem_get_info()
            self.memory_gb = max(self.memory_gb, (total - free) / 1e9)

    def write(self) -> None:
        told = {"rows": self.rows, "adapters": self.adapters, "ready_s": self.ready_s, "memory_gb": self.memory_gb}
        told |= {**self.told, "quick": self.asked["quick"], "machine": machine()}
        Path(self.asked["folder"], "result.json").write_text(json.dumps(told))


def recipe_of(asked: dict[str, Any]) -> Any:
    """The recipe of the race: DAPO's loss with one update per batch, without what TRL does not have and without evaluations."""
    from verigym.training.recipe import make_recipe

    sizes = {"prompts_per_step": 32, "num_generations_per_prompt": 8, "max_tokens": 128}
    if asked["quick"]:
        sizes = {"prompts_per_step": 2, "num_generations_per_prompt": 2, "max_tokens": 48}
    written = {
        "model": asked["model"],
        "algorithm": "dapo",
        "reward": "tool_call_verifier",
        **sizes,
        "learning_rate": 1e-4,
        "lora": {"r": 32, "alpha": 64},
        "updates_per_batch": 1,
        "episodes": {"dynamic_rounds": 0},
        "optimizer": {"warmup": 3},
        "steps": asked["steps"],
        "eval_interval": asked["every"],
        "checkpoints": {"keep": 1000},
        "seed": asked.get("seed", 0),
    }
    return make_recipe(written, [], "the recipe of the race")


# -- Verigym ------------------------------------------------------------------------------------------------------


def ours(asked: dict[str, Any]) -> None:
    """Trains with Verigym. Its clock runs on while it saves adapters."""
    from verigym.registry.checkpoints import kept_checkpoints
    from verigym.workspace.train import train
    from verigym.workspace.workspace import WorkspaceFolder

    recipe, ws, progress = recipe_of(asked), WorkspaceFolder(Path(asked["folder"]) / "home"), Progress(asked)
    began = 0.0

    def on_step(step: int, metrics: dict[str, float], alarms: list[Any]) -> None:
        nonlocal began
        now = time.perf_counter()
        if step == 1:
            began = now - metrics["seconds"]
            progress.ready_s = time.time() - metrics["seconds"] - asked["spawned"]
        progress.watch_memory()
        kept = ("reward", "passed", "length", "sampling_s", "update_s")
        row = {"step": step, "seconds": now - began, **{key: metrics[key] for key in kept if key in metrics}}
        progress.rows.append(row)

    _, run_id = train(ws, recipe, on_step)
    for one in kept_checkpoints(ws.store, run_id):
        progress.adapters[one.step] = str(ws.adapter_folder(one.version.adapter))
    progress.write()


# -- evaluation, the same for all ---------------------------------------------------------------------------------


def evaluation(asked: dict[str, Any]) -> None:
    """Held-out success of the model without an adapter and with each adapter, greedily, by Verigym's engine."""
    from verigym.core import event_loop
    from verigym.core.records import Sampling, Version
    from verigym.evaluation.report import make_report
    from verigym.policies.local.policy import LocalPolicy
    from verigym.rollout.many import RunPlan, results, run_many
    from verigym.rollout.settings import RunSettings
    from verigym.store.database import Store
    from verigym.workspace.measure import suite_of
    from verigym.workspace.training_environments import training_environments

    recipe, place, scores = recipe_of(asked), Path(asked["folder"]), dict[str, Any]()
    [trained] = training_environments(recipe)
    environment = trained.environment
    suite, tasks = suite_of(environment, next(iter(environment.suites)), 4 if asked["quick"] else None)
    policy = LocalPolicy.open(asked["model"])
    settings = RunSettings(
        sampling=Sampling(temperature=0.0, max_tokens=recipe.max_tokens), concurrency=policy.max_concurrency
    )
    store = Store(place / "runs.db")
    for number, adapter in enumerate(["", *asked["adapters"]]):
        agent = Version(base=asked["model"], id=f"agent-{number}")
        policy.load_adapter(Path(adapter) if adapter else None, agent.id)
        plan = RunPlan(
            run=f"eval-{number}", environment=environment, tasks=tasks, agent=agent, verifier=environment.verifier,
            settings=settings,
        )  # fmt: skip
        store.begin_run(plan.run, "eval", {}, tasks)
        event_loop.run(run_many(store, plan, policy))
        it = make_report(plan.run, agent.id, suite, tasks, *results(store, plan), 0).metrics["success"]
        scores[adapter] = {"success": it.value, "low": it.low, "high": it.high, "n": it.n}
        (place / "result.json").write_text(json.dumps({"scores": scores}))
    store.close()


# -- the picture --------------------------------------------------------------------------------------------------


def plot(source: Path, picture: Path) -> None:
    """Reward and held-out success against the seconds of training, both on a logarithmic axis of seconds."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    found = json.loads(source.read_text())
    canvas, (left, right) = plt.subplots(1, 2, figsize=(12, 4.2))
    for name, label in NAMES.items():
        runs = [each for each in found["runs"] if each["trainer"] == name]
        for number, each in enumerate(runs):
            shown = {"color": COLORS[name], "label": None if number else f"{label}, {pace(each):.2f} s a step"}
            left.plot([row["seconds"] for row in each["rows"]], [row["reward"] for row in each["rows"]], **shown)
            held = [row for row in each.get("held_out", []) if row["step"]]
            ends = [
                [100 * (row["success"] - row["low"]) for row in held],
                [100 * (row["high"] - row["success"]) for row in held],
            ]
            right.errorbar(
                [row["seconds"] for row in held],
                [100 * row["success"] for row in held],
                ends,
                marker="o",
                capsize=2,
                **shown,
            )
            for row in each.get("held_out", [])[:1]:
                right.axhline(100 * row["success"], color="black", linewidth=0.6, linestyle="dotted")
                right.annotate(
                    "before training", (0.99, 100 * row["success"] + 1), xycoords=("axes fraction", "data"), ha="right"
                )
    left.set(xlabel="seconds of training", ylabel="mean reward of a step", xscale="log")
    right.set(xlabel="seconds of training", ylabel="held-out success, %", xscale="log", ylim=(0, 100))
    for panel in (left, right):
        panel.set_xticks([10, 20, 30, 50, 100], ["10", "20", "30", "50", "100"])
        panel.set_xticks([], minor=True)
    left.legend()
    note = f" ({found['note']})" if found["note"] else ""
    canvas.suptitle(f"The same toolcall training, {found['machine']}{note}", fontsize=10)
    canvas.tight_layout()
    canvas.savefig(picture, dpi=110)


if __name__ == "__main__":
    main()
