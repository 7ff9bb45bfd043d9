"""A recipe for prime-rl: a TOML for its `rl` command. The environment is the taskset of `verifiers_taskset`. Start it with
`uv run rl @ FILE`, with Verigym installed beside prime-rl."""

from typing import Any

from verigym.bridges.translate import Fields, Plan, lora_of, model_of, nested, reward_of, turns_of
from verigym.core.errors import BadInput
from verigym.core.records import Json


def text(fields: Fields, plan: Plan) -> str:
    return toml(_settings(fields, plan))


def _settings(fields: Fields, plan: Plan) -> Json:
    if fields("algorithm") == "ppo":
        raise BadInput(
            "algorithm: ppo cannot be translated to prime-rl, which has no critic. Use --to verl or openrlhf"
        )
    reward_of(fields)
    tasks, group = fields("prompts_per_step"), fields("num_generations_per_prompt")
    lora, steps = lora_of(fields), fields("steps")
    betas = fields("optimizer.betas")
    turns_of(fields, plan, "prime-rl")
    flat: Json = {
        "max_steps": steps,
        "seq_len": plan.context,
        "model.name": model_of(fields),
        "trainer.optim.lr": fields.number("learning_rate", "1e-6"),
        "trainer.optim.betas1": betas[0],
        "trainer.optim.betas2": betas[1],
        "trainer.optim.weight_decay": fields("optimizer.weight_decay"),
        "trainer.optim.max_norm": fields("optimizer.max_grad_norm"),
        "trainer.scheduler": _schedule(fields, steps),
        "orchestrator.renderer.name": "default",
        "orchestrator.batch_size": tasks * group,
        "orchestrator.group_size": group,
        "orchestrator.max_off_policy_steps": fields("ahead"),
        "orchestrator.train.sampling.temperature": fields("temperature"),
        "orchestrator.train.sampling.max_completion_tokens": fields.number("max_tokens", "no limit per reply"),
        "orchestrator.train.source": [_source(name, "train", share) for name, share in plan.environments.items()],
        "orchestrator.eval.source": [_source(name, "val") for name in plan.environments],
        "orchestrator.eval.interval": max(1, fields("eval_interval")),
        "inference": {},
    }
    if lora is not None:
        flat |= {"trainer.model.lora.rank": lora["rank"], "trainer.model.lora.alpha": float(lora["alpha"])}
        flat |= {"trainer.model.lora.dropout": lora["dropout"], "trainer.model.lora.target_modules": lora["targets"]}
        flat |= {
            "orchestrator.model.lora.name": fields("name") or "verigym",
            "inference": {"vllm": {"enable_lora": True}},
        }
    if fields("adapter") == "qlora":
        fields.note("adapter", "prime-rl has no base in 4 bits. lora is written")
    if (fields("updates_per_batch") or 1) > 1:
        fields.note("updates_per_batch", "prime-rl makes one update per batch")
    if plan.has_tools:
        fields.notes.append(
            "orchestrator.renderer: the model's chat template is written (default). Name the parser of its tool calls in "
            "orchestrator.renderer.tool_parser, or name the renderer of its family"
        )
    _differences(fields)
    return nested(flat)


def _source(environment: str, split: str, share: float | None = None) -> Json:
    name = "".join(letter if letter.isalnum() else "-" for letter in environment).strip("-")
    source: Json = {"name": name}
    if share is not None:
        source["ratio"] = float(share)
    taskset = {"id": "verigym-taskset", "environment": environment, "split": split}
    return {**source, "env": {"taskset": taskset, "agent": {"runtime": {"type": "subprocess"}}}}


def _schedule(fields: Fields, steps: int) -> Json | None:
    kind, warmup = fields("optimizer.schedule"), fields("optimizer.warmup") or 0
    if kind == "cosine":
        return {"type": "cosine", "warmup_steps": warmup}
    if kind == "linear":
        return {"type": "linear", "warmup_steps": warmup, "decay_steps": steps - warmup}
    return {"type": "linear", "warmup_steps": warmup, "decay_steps": 0} if warmup else None


def _differences(fields: Fields) -> None:
    """prime-rl's loss is its own: a policy gradient with a mask around the probabilities of the sampler."""
    fields.note("algorithm", "prime-rl's grpo is written. Its loss masks tokens whose probability changed (dppo_mask)")
    for name in ("loss.ratio", "loss.objective", "loss.clip_low", "loss.clip_high", "loss.correction", "loss.average"):
        fields(name)
    for name in (
        "loss.correction_low",
        "loss.correction_high",
        "advantage.baseline",
        "loss.kl_in",
        "loss.kl_estimator",
    ):
        fields(name)
    if fields("advantage.scale") != "none":
        fields.note("advantage.scale", "prime-rl subtracts the mean of the group and does not divide")
    if fields("loss.kl"):
        fields.note("loss.kl", "prime-rl has no reference model. Its kl_tau pulls towards the sampler")
    if fields("episodes.dynamic_rounds"):
        fields.note("episodes.dynamic_rounds", "prime-rl leaves out groups without signal, and samples others")


def toml(settings: Json) -> str:
    """TOML with plain values first, as its tables demand."""
    return "\n".join(_table(settings, "")).strip() + "\n"


def _table(table: Json, path: str) -> list[str]:
    lines = [f"{key} = {_value(value)}" for key, value in table.items() if not _is_table(value)]
    for key, value in table.items():
        full = f"{path}.{key}" if path else key
        if isinstance(value, dict):
            inner = _table(value, full)
            only_tables = value and all(_is_table(each) for each in value.values())
            lines += inner if only_tables else ["", f"[{full}]", *inner]
        elif _is_table(value):
            for each in value:
                lines += ["", f"[[{full}]]", *_table(each, full)]
    return lines


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and isinstance(value[0], dict))


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return f"[{', '.join(map(_value, value))}]" if isinstance(value, list | tuple) else repr(value)
