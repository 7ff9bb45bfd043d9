"""A recipe for OpenRLHF 0.11.2: the arguments of its `train_ppo_ray`, one per line. Start it with
`python -m openrlhf.cli.train_ppo_ray $(grep -v '^#' FILE)`."""

from verigym.bridges.translate import Fields, Plan, lora_of, model_of, reward_of, turns_of, updates_of
from verigym.core.records import Json

_AVERAGES = {"tokens": "token-mean", "sequences": "seq-mean-token-mean"}


def text(fields: Fields, plan: Plan) -> str:
    lines: list[str] = []
    for name, value in _settings(fields, plan).items():
        if value is True:
            lines.append(f"--{name}")
        elif value is not None and value is not False:
            values = value if isinstance(value, list) else [value]
            lines.append(f"--{name} {' '.join(map(str, values))}")
    return "\n".join(lines) + "\n"


def _settings(fields: Fields, plan: Plan) -> Json:
    reward_of(fields)
    tasks, group, steps = fields("prompts_per_step"), fields("num_generations_per_prompt"), fields("steps")
    reply, lora = fields.number("max_tokens", "the rest of the context"), lora_of(fields)
    warmup = fields.number("optimizer.warmup", "3% of the steps")
    turns_of(fields, plan, "OpenRLHF")
    if reply is not None and plan.max_turns > 1:
        fields.note(
            "max_tokens",
            "OpenRLHF does not limit single replies of an episode. A reply may use the rest of the context",
        )
    flat: Json = {
        "actor.model_name_or_path": model_of(fields),
        "train.agent_func_path": f"{plan.rows}/agent.py",
        "data.prompt_dataset": f"{plan.rows}/train.jsonl",
        "eval.dataset": f"{plan.rows}/val.jsonl",
        "data.input_key": "prompt",
        "data.label_key": "label",
        "data.max_len": plan.context,
        "rollout.max_new_tokens": reply,
        "rollout.batch_size": tasks,
        "rollout.n_samples_per_prompt": group,
        "rollout.temperature": fields("temperature"),
        "train.batch_size": updates_of(fields, tasks * group),
        "train.num_episodes": 1,
        "data.max_samples": tasks * steps,
        "eval.steps": fields("eval_interval") or -1,
        "train.seed": fields("seed"),
        "actor.adam.lr": fields.number("learning_rate", "1e-6"),
        "actor.adam.betas": list(fields("optimizer.betas")),
        "actor.adam.weight_decay": fields("optimizer.weight_decay"),
        "actor.max_norm": fields("optimizer.max_grad_norm"),
        "actor.lr_scheduler": fields("optimizer.schedule") or "constant",
        "actor.lr_warmup_ratio": None if warmup is None else round(warmup / steps, 4),
        "actor.entropy_coef": fields("loss.entropy_bonus") or None,
        "logger.wandb.project": "verigym",
    }
    if flat["actor.lr_scheduler"] == "constant":
        flat["actor.lr_scheduler"] = "constant_with_warmup"
    if lora is not None:
        flat |= {
            "ds.lora.rank": lora["rank"],
            "ds.lora.alpha": lora["alpha"],
            "ds.lora.dropout": lora["dropout"],
            "ds.lora.target_modules": lora["targets"] or "all-linear",
        }
        flat["ds.load_in_4bit"] = fields("adapter") == "qlora"
    if buffer := fields("episodes.overlong_buffer"):
        flat |= {
            "reward.overlong_buffer_len": buffer,
            "reward.overlong_penalty_factor": fields("episodes.overlong_penalty"),
        }
    flat["algo.dynamic_filtering_enable"] = bool(fields("episodes.dynamic_rounds"))
    return {**flat, **_loss(fields), **_advantage(fields)}


def _loss(fields: Fields) -> Json:
    ratio, low, high = fields("loss.ratio"), fields("loss.clip_low"), fields("loss.clip_high")
    flat: Json = {"actor.policy_loss_type": "gspo" if ratio == "sequence" else "ppo"}
    if low is None or high is None:
        fields.unset("loss.clip_high", "a clip of 0.2")
    elif fields("loss.objective") != "cispo":
        flat["actor.eps_clip_low_high"] = [low, high]
    if fields("loss.objective") == "cispo":
        fields.note("loss.objective", "OpenRLHF has no CISPO. The clipped loss is written, with its own clips")
    if ratio == "product":
        fields.note("loss.ratio", "OpenRLHF has no product of the ratios of a reply. The ratio of tokens is written")
    average = fields("loss.average")
    if average not in _AVERAGES:
        fields.note("loss.average", "OpenRLHF averages over tokens or replies. Over tokens is written")
    flat["actor.loss_agg_mode"] = _AVERAGES.get(average, "token-mean")
    if most := fields("loss.clip_most"):
        flat["actor.dual_clip"] = most
    kl, estimator = fields("loss.kl"), fields("loss.kl_estimator")
    flat["algo.kl.init_coef"] = kl or 0
    if kl:
        flat["algo.kl.use_loss"] = fields("loss.kl_in") == "loss"
        flat["algo.kl.estimator"] = "k3" if estimator == "unbiased" else estimator
        flat["algo.kl.unbiased_gradient"] = estimator == "unbiased"
        if fields("loss.reference") == "base":
            fields.note("loss.reference", "OpenRLHF compares with the model that training starts from")
    correction = fields("loss.correction")
    levels = {"tis": ("token", "clip"), "icepop": ("token", "mask"), "geometric_mask": ("seq", "mask")}
    bounds = [fields("loss.correction_low"), fields("loss.correction_high")]
    if correction in levels:
        level, mode = levels[correction]
        flat |= {
            "algo.advantage.is_correction_level": level,
            "algo.advantage.is_correction_mode": mode,
            "algo.advantage.is_correction_threshold": bounds,
        }
    elif correction != "none":
        fields.note("loss.correction", "OpenRLHF corrects tokens by their ratio, or masks. No correction is written")
    return flat


def _advantage(fields: Fields) -> Json:
    baseline, scale = fields("advantage.baseline"), fields("advantage.scale")
    if fields("algorithm") == "ppo":
        return {"algo.advantage.estimator": "gae"}
    if scale == "batch":
        fields.note("advantage.scale", "reinforce_baseline is written, which divides by the deviation of the batch")
        return {"algo.advantage.estimator": "reinforce_baseline"}
    if baseline == "others":
        return {"algo.advantage.estimator": "rloo"}
    return {"algo.advantage.estimator": "group_norm" if scale == "group" else "dr_grpo"}
