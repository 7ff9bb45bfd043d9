"""A GRPO step, whole: sampling, reward, advantages, update; beside TRL at its best settings in one process.

    python bench/train.py --peers                 # CPU: SmolLM2, 8 prompts x 8; GPU: 64 prompts x 8 of SmolLM2's shape
    python bench/train.py --peers --shapes        # GPU: a Llama of 1.5B and one of 8B as well, random weights
    python bench/train.py --peers --vllm PATH     # GPU: TRL with vLLM in its process, six sizes. PATH has folders with both
    python bench/train.py --peers --curves FILE   # both trainers on one learnable reward, their curves as JSON
    python bench/train.py --plot FILE PNG         # draws such a file

Both see the same prompts (155 tokens, the first 130 common to all), the same number of new tokens, LoRA r 16 on all linear
layers, one update a batch, rewards that leave no group without signal. Ours runs the real loop, with episodes stored and
verified. TRL: no reference model, no checkpointing, bfloat16 on a GPU, rows in one pass or four, paged generation tried as well.
Each trainer runs in a process of its own, so that its peak memory is its own. The share of the GPU's peak that an update reaches
counts 4 operations per parameter and token, with each prompt once, and no recomputation.
"""

import asyncio
import contextlib
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from figures import Figure, figure, finish, parser

COMMON, PROMPT, K = 130, 155, 8
CASES = [
    ("smollm2", 64, 64, 6.0),
    ("smollm2", 32, 512, 6.0),
    ("1.5B", 32, 512, 4.0),
    ("8B", 16, 256, 2.6),
    ("8B", 4, 4096, 0.0),
    ("1.5B", 2, 8192, 0.0),
]
"""Shape, prompts, new tokens, and how many times as fast as TRL with vLLM a step must be. 0: no peer."""
PEAK = 989e12
"""Operations a second of an H200 in bfloat16."""
PARTS = {"smollm2": 4, "1.5B": 8, "8B": 16}
"""In how many passes TRL computes its batch beside vLLM."""
SHAPES = {"smollm2": (576, 1536, 30, 9, 3), "1.5B": (2048, 8192, 22, 32, 8), "8B": (4096, 14336, 32, 32, 8)}
"""Hidden size, inner size, layers, heads, heads of keys and values."""
FIELDS = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads")
BARE = "{% for message in messages %}{{ message['content'] }}{% endfor %}"


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--shapes", action="store_true", help="larger models as well (GPU)")
    made.add_argument(
        "--vllm", default="", metavar="PATH", help="folders with TRL and vLLM, for the path of the peer (GPU)"
    )
    made.add_argument("--only", nargs="*", default=[], help="sizes whose names contain one of these texts, with --vllm")
    made.add_argument("--curves", type=Path, help="train on a learnable reward and keep both curves")
    made.add_argument(
        "--plot", nargs=2, metavar=("FILE", "PNG"), help="draw a file that --curves made, and run nothing"
    )
    made.add_argument("--steps", type=int, default=20, help="of --curves")
    made.add_argument("--seeds", type=int, default=3, help="of --curves")
    made.add_argument("--one", help="run one trainer, as JSON settings say")
    args = made.parse_args()
    if args.one:
        settings = json.loads(args.one)
        found = (ours if settings["trainer"] == "ours" else trl)(settings)
        print("FOUND", json.dumps(found))
    elif args.plot:
        plot(Path(args.plot[0]), Path(args.plot[1]))
    elif args.curves:
        curves(args)
    else:
        finish(list(cases(args) if args.vllm else steps(args)), args)


# -- what both train on -------------------------------------------------------------------------------------------


def texts(tokenizer: Any, count: int) -> tuple[str, list[str]]:
    """The common part and the others of prompts that have exactly PROMPT tokens: words that are one token each."""
    draw = random.Random(0)
    words: list[str] = []
    while len(words) < COMMON + count * (PROMPT - COMMON):
        word = tokenizer.decode([draw.randrange(1000, 30000)])
        if word.startswith(" ") and word[1:].isalpha() and word.isascii() and len(tokenizer.encode(word)) == 1:
            words.append(word)
    tail = PROMPT - COMMON
    made = ["".join(words[COMMON + i * tail : COMMON + (i + 1) * tail]) for i in range(count)]
    head = "".join(words[:COMMON])
    assert all(len(tokenizer.encode(head + text)) == PROMPT for text in made)
    return head, made


def reward(text: str, learnable: bool) -> float:
    """Noise that leaves no group without signal; or, to be learnt, the share of the letter e."""
    return text.count("e") / max(1, len(text)) if learnable else zlib.crc32(text.encode()) % 1000 / 1000


def open_model(settings: dict[str, Any]) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = settings["folder"]
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = BARE
    torch.manual_seed(0)
    kind = {"dtype": torch.bfloat16 if torch.cuda.is_available() else torch.float32}
    if settings["weights"]:
        model: Any = AutoModelForCausalLM.from_pretrained(folder, **kind)
    else:
        model = random_model(settings["shape"], 8192)
    return model.cuda() if torch.cuda.is_available() else model, tokenizer


def random_model(shape: str, positions: int) -> Any:
    import torch
    from transformers import AutoModelForCausalLM, LlamaConfig

    fields: dict[str, Any] = dict(zip(FIELDS, SHAPES[shape], strict=True))
    fields |= {"vocab_size": 49152, "max_position_embeddings": positions, "tie_word_embeddings": True}
    gpu = torch.cuda.is_available()
    with torch.device("cuda" if gpu else "cpu"):
        return AutoModelForCausalLM.from_config(LlamaConfig(**fields), dtype=torch.bfloat16 if gpu else torch.float32)


def peak() -> float:
    import torch

    return torch.cuda.max_memory_allocated() / 1e9 if torch.cuda.is_available() else 0.0


# -- the trainers -------------------------------------------------------------------------------------------------


def ours(settings: dict[str, Any]) -> dict[str, Any]:
    from verigym.core.records import Task, Trajectory, Version
    from verigym.harness.environment import EnvironmentSpec
    from verigym.harness.tools import ToolBox
    from verigym.model import lora
    from verigym.model.load import LoadedModel
    from verigym.policies.local.policy import LocalPolicy
    from verigym.store.database import Store
    from verigym.training import loop
    from verigym.training.environments import TrainingEnvironment
    from verigym.training.grpo import train_grpo
    from verigym.training.recipe import Recipe
    from verigym.training.rollouts import TrainingRollouts
    from verigym.verifiers.lift import lift

    loop.WARMUP = 1  # a constant rate, as the peer's
    model, tokenizer = open_model(settings)
    model.eval().requires_grad_(False)
    head, prompts = texts(tokenizer, settings["prompts"])
    tasks = [Task(id=str(i), prompt=text) for i, text in enumerate(prompts)]
    lora.attach(model, lora.LoraConfig(), settings["seed"])
    policy = LocalPolicy(LoadedModel(model, tokenizer, "bench"))
    policy.engine.stop_ids = {-1}  # every completion has all its tokens, as it has in the peer

    def verify(task: Task, trajectory: Trajectory) -> float:
        return reward(trajectory.reply, settings["learnable"])

    class Nothing:
        def open(self, task: Task) -> None:
            pass

    environment = EnvironmentSpec(
        name="bench",
        tasks=lambda split: tasks,
        factory=Nothing,
        toolbox=ToolBox(Nothing),
        verifiers={"verify": lift("verify", verify)},
        suites={},
        system=head,
    )
    rows: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(Store(Path(folder) / "runs.db")) as store:
        recipe = Recipe(
            model="bench", algorithm="grpo", reward="verify", steps=settings["steps"], prompts_per_step=len(tasks),
            num_generations_per_prompt=K, learning_rate=settings["rate"], max_tokens=settings["new"], eval_interval=0,
        )  # fmt: skip

        rollouts = TrainingRollouts(
            store, policy, recipe, "bench", Version(base="bench", id="bench"),
            [TrainingEnvironment(environment=environment, verifier=environment.verifier, tasks=tasks)],
        )  # fmt: skip
        store.begin_run("bench", "train", {})
        checkpoints = Path(folder) / "checkpoints"
        asyncio.run(train_grpo(model, recipe, rollouts, checkpoints, report=lambda step, metrics: rows.append(metrics)))
    return {"seconds": [row["seconds"] for row in rows], "peak_gb": peak(), "rows": rows}


def trl(settings: dict[str, Any]) -> dict[str, Any]:
    sys.path.remove(str(Path(__file__).resolve().parent))  # TRL would take vllm.py beside this file for vLLM
    import torch
    from datasets import Dataset, fingerprint
    from peft import LoraConfig
    from transformers import TrainerCallback
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer

    fingerprint.Hasher.hash = classmethod(lambda *_: f"{random.getrandbits(64):016x}")  # type: ignore[assignment]
    # (names of cache files, made by pickling what cannot always be pickled)
    model, tokenizer = open_model(settings)
    gpu = torch.cuda.is_available()
    count = settings["prompts"] * K
    head, prompts = texts(tokenizer, settings["prompts"])
    rows: list[dict[str, float]] = []

    class Clock(TrainerCallback):
        def on_step_begin(self, *_: Any, **__: Any) -> None:
            self.began = time.perf_counter()

        def on_step_end(self, *_: Any, **__: Any) -> None:
            if gpu:
                torch.cuda.synchronize()
            rows.append({"seconds": time.perf_counter() - self.began})

    with tempfile.TemporaryDirectory() as folder:
        sampler: dict[str, Any] = {"generation_kwargs": {"min_new_tokens": settings["new"]}}
        if settings["vllm"]:  # vLLM reads the model from a folder
            model.save_pretrained(f"{folder}/model")
            tokenizer.save_pretrained(f"{folder}/model")
            model = f"{folder}/model"
            sampler = {
                "generation_kwargs": {"min_tokens": settings["new"], "ignore_eos": True},
                "model_init_kwargs": {"dtype": "bfloat16"},
                "use_vllm": True,
                "vllm_mode": "colocate",
                "vllm_enable_sleep_mode": False,
                "vllm_gpu_memory_utilization": settings["vllm"],
                "vllm_max_model_length": PROMPT + settings["new"] + 8,
            }
        trainer = GRPOTrainer(
            model=model,
            processing_class=tokenizer,
            reward_funcs=lambda completions, **_: [reward(text, settings["learnable"]) for text in completions],
            train_dataset=Dataset.from_dict({"prompt": [head + text for text in prompts]}),
            peft_config=LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM"),
            args=GRPOConfig(
                output_dir=folder, max_steps=settings["steps"], per_device_train_batch_size=count // settings["parts"],
                gradient_accumulation_steps=settings["parts"], num_generations=K, max_completion_length=settings["new"],
                **sampler, temperature=1.0, beta=0.0, bf16=gpu, fp16=False,
                use_cpu=not gpu, gradient_checkpointing=False, learning_rate=settings["rate"], adam_beta2=0.99,
                lr_scheduler_type="constant",
                loss_type="dapo", scale_rewards="group", logging_steps=1, save_strategy="no", report_to=[], disable_tqdm=True,
                use_transformers_paged=settings["paged"], dataloader_pin_memory=gpu, seed=settings["seed"],
            ),
            callbacks=[Clock()],
        )  # fmt: skip
        trainer.train()
    logged = [entry for entry in trainer.state.log_history if "reward" in entry]
    for row, entry in zip(rows, logged, strict=False):
        row |= {"loss": entry.get("loss", 0.0), "reward": entry["reward"]}
    return {"seconds": [row["seconds"] for row in rows], "peak_gb": peak(), "rows": rows}


# -- measuring ----------------------------------------------------------------------------------------------------


def run(python: str, path: str = "", **settings: Any) -> dict[str, Any] | None:
    """One trainer in a process of its own; none when it failed. `path` comes first on its path."""
    from verigym.model import embedded

    given = os.environ.get("VERIGYM_BENCH_MODEL")
    defaults = {
        "folder": given or str(embedded.pull()),
        "learnable": False,
        "seed": 0,
        "paged": False,
        "parts": 1,
        "vllm": 0.0,
    }
    settings = defaults | settings
    command = [python, str(Path(__file__).resolve()), "--one", json.dumps(settings)]
    told = dict(os.environ)
    if path:
        from race import VLLM

        told |= VLLM | {"PYTHONPATH": os.pathsep.join(filter(None, [path, os.environ.get("PYTHONPATH", "")]))}
    done = subprocess.run(command, capture_output=True, text=True, env=told)
    found = [line for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    if not found:
        print(f"{settings['trainer']} failed: {done.stderr[-1500:]}", file=sys.stderr)
        return None
    return json.loads(found[0].removeprefix("FOUND "))


def steps(args: Any) -> Iterator[Figure]:
    import torch

    gpu = torch.cuda.is_available()
    size = {"prompts": 64, "new": 64, "steps": 5} if gpu else {"prompts": 8, "new": 40, "steps": 3}
    if args.quick:
        size |= {"prompts": 2, "new": 8, "steps": 2}
    for shape in SHAPES if args.shapes and gpu else ["smollm2"]:
        settings = {**size, "shape": shape, "weights": not gpu, "rate": 1e-6}
        if shape != "smollm2":
            settings["steps"] = 3
        name = f"GRPO step, {shape}, {size['prompts']} x {K} x {size['new']} tokens"
        mine = run(sys.executable, trainer="ours", **settings)
        if mine is None:
            yield figure(name, float("inf"), "s", "<= 0")
            continue
        seconds = statistics.median(mine["seconds"][1:])
        parts = {key: statistics.median(row[key] for row in mine["rows"][1:]) for key in ("sampling_s", "update_s")}
        print(f"{name}: {parts}", file=sys.stderr)
        if not (args.peers and not args.quick):
            yield figure(name, seconds, "s, median")
            continue
        tries = [{"paged": False, "parts": 1}, {"paged": False, "parts": 4}]
        if gpu and shape == "smollm2":
            tries.append({"paged": True, "parts": 1})
        elif gpu:
            tries = [{"paged": False, "parts": 4 if shape == "1.5B" else 8}]
        peers = [(one, found) for one in tries if (found := run(args.peers, trainer="trl", **settings, **one))]
        best = min(peers, key=lambda pair: statistics.median(pair[1]["seconds"][1:]), default=None)
        for one, found in peers:
            print(
                f"TRL, {one}: {statistics.median(found['seconds'][1:]):.2f} s, {found['peak_gb']:.1f} GB",
                file=sys.stderr,
            )
        peer = statistics.median(best[1]["seconds"][1:]) if best else None
        times = 10 if gpu else 3.5
        goal = f"<= {peer / (times if shape == 'smollm2' else 1):.4g}" if peer else ""
        yield figure(name, seconds, "s, median", goal, "TRL 1.16", peer)
        if gpu and best:
            most = f"<= {best[1]['peak_gb'] / (2 if shape == 'smollm2' else 1):.4g}"
            yield figure(f"{name}: peak memory", mine["peak_gb"], "GB", most, "TRL 1.16", best[1]["peak_gb"])


def cases(args: Any) -> Iterator[Figure]:
    """A step of several sizes on a GPU, beside TRL with vLLM in its process."""
    for shape, prompts, new, times in CASES:
        name = f"GRPO step, {shape}, {prompts} x {K} x {new} tokens"
        if args.only and not any(map(name.count, args.only)):
            continue
        settings = {"prompts": prompts, "new": new, "steps": 3, "shape": shape, "weights": False, "rate": 1e-6}
        mine = run(sys.executable, trainer="ours", **settings)
        if mine is None:
            yield figure(name, float("inf"), "s", "<= 0")
            continue
        seconds, update = (statistics.median(row[key] for row in mine["rows"][1:]) for key in ("seconds", "update_s"))
        tokens = COMMON + prompts * (PROMPT - COMMON) + prompts * K * new
        reached = 4 * parameters(shape) * tokens / update / PEAK
        yield figure(f"{name}: share of the peak in the update", reached, f"of 989 TFLOP/s, {update:.2f} s")
        peer = None
        if times and args.peers:
            more = {"vllm": 0.3 if shape == "8B" else 0.2, "parts": PARTS[shape]}
            peer = run(args.peers, args.vllm, trainer="trl", **settings, **more)
        if peer is None:
            yield figure(name, seconds, "s, median")
            yield figure(f"{name}: peak memory", mine["peak_gb"], "GB")
            continue
        theirs = statistics.median(peer["seconds"][1:])
        yield figure(name, seconds, "s, median", f"<= {theirs / times:.4g}", "TRL 1.16 with vLLM 0.24", theirs)
        most = f"<= {peer['peak_gb'] / 2:.4g}"
        yield figure(f"{name}: peak memory", mine["peak_gb"], "GB", most, "TRL 1.16 with vLLM 0.24", peer["peak_gb"])


def parameters(shape: str) -> int:
    """Parameters of the layers and of the head."""
    hidden, inner, layers, heads, kv_heads = SHAPES[shape]
    size = hidden // heads
    return layers * (hidden * size * 2 * (heads + kv_heads) + 3 * hidden * inner) + 49152 * hidden


def curves(args: Any) -> None:
    import torch

    gpu = torch.cuda.is_available()
    size = {"prompts": 16 if gpu else 4, "new": 64 if gpu else 16, "steps": args.steps}
    settings = {**size, "shape": "smollm2", "weights": True, "rate": 3e-4 if gpu else 1e-3, "learnable": True}
    found: dict[str, list[Any]] = {"ours": [], "trl": []}
    for seed in range(args.seeds):
        for who, runs in found.items():
            if one := run(sys.executable, trainer=who, seed=seed, **settings):
                runs.append(one["rows"])
                args.curves.write_text(json.dumps(found))
                print(f"{who}: {statistics.median(one['seconds']):.2f} s a step", file=sys.stderr, flush=True)


def plot(source: Path, picture: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    found = json.loads(source.read_text())
    canvas, (left, middle, right) = plt.subplots(1, 3, figsize=(14, 4))
    for who, color, name in (("trl", "tab:gray", "TRL 1.16"), ("ours", "tab:blue", "Verigym")):
        for number, rows in enumerate(found[who]):
            label = None if number else name
            left.plot([row["reward"] for row in rows], color=color, label=label)
            middle.plot([row.get("loss", 0.0) for row in rows], color=color)
            took = list(itertools.accumulate(row["seconds"] for row in rows[1:]))
            right.plot(took, [row["reward"] for row in rows[1:]], color=color)
    left.set(xlabel="step", ylabel="mean reward")
    middle.set(xlabel="step", ylabel="loss (0 but for rounding: one update a batch)")
    right.set(xlabel="seconds, from the second step on", ylabel="mean reward", xscale="log")
    left.legend()
    canvas.tight_layout()
    canvas.savefig(picture, dpi=110)


if __name__ == "__main__":
    main()
