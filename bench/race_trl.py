"""The side of TRL in race.py: GRPOTrainer with vLLM in the same process, on the tasks, prompts and rewards of Verigym.

race.py starts it in a process of its own. It is no benchmark by itself.
"""

import asyncio
import copy
import json
import random
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from race import HERE, Progress, recipe_of

SHARE_OF_VLLM = 0.15
"""Of the memory of the GPU. 256 replies to prompts of 1,700 tokens need a third of it."""


class Scorer:
    """Scores replies of another sampler as an episode of the environment would: it executes the call and asks the verifier."""

    def __init__(self, tokenizer: Any, trained: Any, longest: int) -> None:
        from verigym.core.records import Version
        from verigym.policies.render import Renderer

        self.render, self.trained, self.longest = Renderer(tokenizer), trained, longest
        self.tasks = {task.id: task for task in trained.tasks}
        self.agent = Version(base="peer", id="peer")

    def prompt(self, task: Any) -> str:
        """The prompt as Verigym renders it. Reading the text again must give the same ids."""
        from verigym.rollout.session import first_items

        environment = self.trained.environment
        ids = self.render.prompt(first_items(environment, task, self.agent), environment.toolbox.specs)
        text = self.render.decode(ids)
        assert self.render.tokenizer(text)["input_ids"] == ids, f"the prompt of {task.id} has other ids as a text"
        return text

    def score(self, names: Sequence[str], completions: Sequence[Sequence[int]]) -> list[Any]:
        """The verdict on each completion (ids) of the task beside it."""
        from verigym.core import event_loop

        async def all_of_them() -> list[Any]:
            pairs = zip(names, completions, strict=True)
            return await asyncio.gather(*(self._verdict(i, *pair) for i, pair in enumerate(pairs)))

        return event_loop.run(all_of_them())

    async def _verdict(self, index: int, name: str, ids: Sequence[int]) -> Any:
        from verigym.core.protocols import Context, Reply, Request
        from verigym.core.records import Turn, Usage
        from verigym.rollout.episode import run_episode
        from verigym.rollout.many import judge

        render, longest, task = self.render, self.longest, self.tasks[name]

        class Played:
            async def respond(self, request: Request) -> Reply:
                cut = len(ids) >= longest and ids[-1] not in render.stop_ids
                turn = Turn(completion_ids=[*ids], usage=Usage(0, len(ids)), finish="length" if cut else "stop")
                return Reply(items=render.read([*ids], request.tools, "call_0"), turn=turn)

        environment = self.trained.environment
        played: Any = Played()
        episode = await run_episode(environment, task, played, agent=self.agent, id=f"{name}-{index}", group=name)
        return (await judge(self.trained.verifier, task, [episode], Context()))[0]


def train_with_trl(asked: dict[str, Any]) -> None:
    """Trains with TRL's GRPOTrainer on the same tasks, in the same order."""
    sys.path[:] = [each for each in sys.path if Path(each or ".").resolve() != HERE]  # vllm.py here is not vLLM
    import torch
    from datasets import Dataset, fingerprint
    from peft import LoraConfig
    from transformers import AutoTokenizer
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer

    fingerprint.Hasher.hash = classmethod(lambda *_: f"{random.getrandbits(64):016x}")  # type: ignore[assignment]
    # (names of cache files, made by pickling what cannot always be pickled)
    from verigym.training.groups import Source, pick
    from verigym.workspace.training_environments import training_environments, with_tasks

    recipe, gpu, progress = recipe_of(asked), torch.cuda.is_available(), Progress(asked)
    [trained] = with_tasks(training_environments(recipe), recipe)
    tokenizer = AutoTokenizer.from_pretrained(asked["model"])
    scorer = Scorer(tokenizer, trained, recipe.max_tokens)
    source = Source(trained.name, 1.0, trained.tasks)
    tasks = [task for step in range(1, recipe.steps + 1) for task in pick([source], recipe, step)[trained.name]]
    texts = {task.id: scorer.prompt(task) for task in tasks}
    longest = max(len(tokenizer(text)["input_ids"]) for text in texts.values()) + recipe.max_tokens
    seen: dict[str, float] = {}

    def reward(completion_ids: Sequence[Sequence[int]], task: Sequence[str], **_: Any) -> list[float | None]:
        verdicts = scorer.score(task, completion_ids)
        known = [one for one in verdicts if one.reward is not None]
        seen["reward"] = statistics.fmean(one.reward for one in known)
        seen["passed"] = statistics.fmean(one.passed for one in known)
        seen["length"] = statistics.fmean(map(len, completion_ids))
        return [one.reward for one in verdicts]

    replies = recipe.prompts_per_step * recipe.num_generations_per_prompt
    lora = LoraConfig(r=recipe.lora.r, lora_alpha=recipe.lora.alpha, target_modules="all-linear", task_type="CAUSAL_LM")
    folder = bfloat16_folder(asked) if gpu else asked["model"]
    rows, liger = trial(folder, lora, longest, recipe.max_tokens, replies) if gpu else (replies, False)
    progress.told = {"replies_at_once": rows, "liger": liger}
    args = GRPOConfig(
        output_dir=f"{asked['folder']}/output", max_steps=recipe.steps, seed=recipe.seed, report_to=[], save_strategy="no",
        per_device_train_batch_size=rows, gradient_accumulation_steps=replies // rows, gradient_checkpointing=False,
        num_generations=recipe.num_generations_per_prompt, max_completion_length=recipe.max_tokens, shuffle_dataset=False,
        temperature=recipe.temperature, bf16=gpu, fp16=False, use_cpu=not gpu, dataloader_pin_memory=gpu,
        model_init_kwargs={"dtype": "bfloat16" if gpu else "float32"},
        learning_rate=recipe.learning_rate, lr_scheduler_type="constant",
        adam_beta1=recipe.optimizer.betas[0], adam_beta2=recipe.optimizer.betas[1],
        weight_decay=recipe.optimizer.weight_decay, max_grad_norm=recipe.optimizer.max_grad_norm,
        loss_type="dapo", scale_rewards="group", beta=0.0, epsilon=recipe.loss.clip_low, epsilon_high=recipe.loss.clip_high,
        use_vllm=gpu, vllm_mode="colocate", vllm_enable_sleep_mode=False, vllm_gpu_memory_utilization=SHARE_OF_VLLM,
        vllm_max_model_length=longest + 8, vllm_importance_sampling_mode="token_truncate",
        vllm_importance_sampling_clip_max=recipe.loss.correction_high, logging_steps=1, disable_tqdm=True,
        use_liger_kernel=liger, ddp_find_unused_parameters=False,
        **dict(map(setting, asked["trl"])),
    )  # fmt: skip
    trainer = GRPOTrainer(
        model=folder,
        processing_class=tokenizer,
        reward_funcs=reward,
        train_dataset=Dataset.from_dict(
            {"prompt": [texts[task.id] for task in tasks], "task": [task.id for task in tasks]}
        ),
        peft_config=lora,
        args=args,
        callbacks=[watcher(asked, recipe, progress, seen)],
    )
    trainer.train()
    progress.write()


def watcher(asked: dict[str, Any], recipe: Any, progress: Progress, seen: dict[str, float]) -> Any:
    """Writes down each step of TRL's trainer and saves adapters. The clock stands still while it saves. It also sets the learning
    rate of Verigym's warm-up, because that of transformers is 0 in the first step."""
    import torch
    from transformers import TrainerCallback

    from verigym.training.loop import rate

    class Watcher(TrainerCallback):
        began = 0.0

        def on_train_begin(self, *_: Any, **__: Any) -> None:
            self.began = time.perf_counter()
            progress.ready_s = time.time() - asked["spawned"]

        def on_step_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            for group in more["optimizer"].param_groups:
                group["lr"] = rate(recipe, state.global_step + 1)

        def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            stopped = time.perf_counter()
            seconds, step = stopped - self.began, state.global_step
            progress.watch_memory()
            progress.rows.append({"step": step, "seconds": seconds, **seen})
            if progress.saves(step, seconds):
                place = f"{asked['folder']}/step-{step}"
                more["model"].save_pretrained(place, save_embedding_layers=False)
                progress.adapters[step] = place
                progress.write()
            if seconds > asked["limit_s"]:
                control.should_training_stop = True
            self.began += time.perf_counter() - stopped

    return Watcher()


def setting(text: str) -> tuple[str, Any]:
    """`use_liger_kernel=true` as a name and a value."""
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def bfloat16_folder(asked: dict[str, Any]) -> str:
    """The model's folder with bfloat16 in its configuration, because vLLM takes the type of the weights from there."""
    place = Path(asked["folder"]) / "model"
    place.mkdir(exist_ok=True)
    for file in Path(asked["model"]).iterdir():
        if file.name == "config.json":
            config = json.loads(file.read_text())
            config.pop("torch_dtype", None)
            (place / file.name).write_text(json.dumps({**config, "dtype": "bfloat16"}))
        else:
            (place / file.name).symlink_to(file.resolve())
    return str(place)


def trial(folder: str, lora: Any, longest: int, new: int, replies: int) -> tuple[int, bool]:
    """How many replies TRL's model takes in one forward and backward pass beside vLLM, and whether Liger's kernels make it
    faster. Tried before the clock starts. Liger is optional."""
    import torch

    total = torch.cuda.get_device_properties(0).total_memory
    tried: list[tuple[float, int, bool]] = []
    for liger in (False, True):
        try:
            model = trial_model(folder, lora, liger)
            for rows in (rows for rows in (64, 32, 16, 8, 4, 2, 1) if replies % rows == 0):
                seconds = pass_seconds(model, rows, longest, new)
                if seconds and torch.cuda.max_memory_allocated() < (1 - SHARE_OF_VLLM - 0.08) * total:
                    tried.append((seconds / rows, rows, liger))
                    break
        except Exception as error:
            if not liger:
                raise
            print(f"trial of TRL: Liger failed ({error})", file=sys.stderr, flush=True)
        model = None
        torch.cuda.empty_cache()
    for seconds, rows, liger in tried:
        told = f"{rows} of {replies} replies at a time, {1000 * seconds:.1f} ms each, Liger {'on' if liger else 'off'}"
        print(f"trial of TRL: {told}", file=sys.stderr, flush=True)
    return min(tried)[1:]


def trial_model(folder: str, lora: Any, liger: bool) -> Any:
    import torch
    from peft import get_peft_model
    from transformers import AutoModelForCausalLM

    model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16)
    model = model.cuda().train()
    if liger:
        from liger_kernel.transformers import _apply_liger_kernel_to_instance  # type: ignore[import-not-found]

        _apply_liger_kernel_to_instance(model=model, fused_linear_cross_entropy=False)
    return get_peft_model(model, copy.deepcopy(lora))  # PEFT writes the names of the layers into it


def pass_seconds(model: Any, rows: int, longest: int, new: int) -> float:
    """Seconds of a forward and backward pass. 0 if it does not fit into the memory."""
    import torch

    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    ids = torch.randint(10, 1000, (rows, longest), device="cuda")
    began = 0.0
    try:
        for _ in range(2):  # the first one compiles kernels
            torch.cuda.synchronize()
            began = time.perf_counter()
            with torch.autocast("cuda", torch.bfloat16):
                given = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "use_cache": False}
                logits = model(**given, logits_to_keep=new + 1).logits
            torch.log_softmax(logits.float(), -1)[..., 0].sum().backward()
            del logits
            model.zero_grad(set_to_none=True)
            torch.cuda.synchronize()
    except torch.cuda.OutOfMemoryError:
        model.zero_grad()
        return 0.0
    return time.perf_counter() - began
