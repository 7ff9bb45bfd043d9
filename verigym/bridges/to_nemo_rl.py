"""A recipe for NeMo RL 0.6: a YAML over its example `grpo_math_1B.yaml`. The environment is a resources server of NeMo Gym, which
`verigym serve-env ENV --as nemogym` serves. Put the file into `examples/nemo_gym` of a checkout and start it with
`uv run examples/nemo_gym/run_grpo_nemo_gym.py --config FILE`."""

import yaml

from verigym.bridges.translate import Fields, Plan, lora_of, model_of, nested, reward_of, updates_of
from verigym.core.errors import BadInput
from verigym.core.records import Json

SERVER, AGENT = "verigym_env", "simple_agent"
"""Names of the servers in the configuration of NeMo Gym. The rows name the agent."""
_CORRECTIONS = {"tis": "tis", "icepop": "icepop", "geometric_mask": "seq-mask-tis"}


def text(fields: Fields, plan: Plan) -> str:
    body = {"defaults": "../configs/grpo_math_1B.yaml", **nested(_settings(fields, plan))}
    body["env"] = _environment()
    return yaml.safe_dump(body, sort_keys=False)


def _environment() -> Json:
    """NeMo Gym starts what has an `entrypoint`. Our server has none: it runs already."""
    return {
        "should_use_nemo_gym": True,
        "nemo_gym": {
            "is_trajectory_collection": False,
            "config_paths": ["responses_api_models/vllm_model/configs/vllm_model_for_training.yaml"],
            SERVER: {"resources_servers": {SERVER: {"host": "127.0.0.1", "port": 8500}}},
            AGENT: {
                "responses_api_agents": {
                    AGENT: {
                        "entrypoint": "app.py",
                        "resources_server": {"type": "resources_servers", "name": SERVER},
                        "model_server": {"type": "responses_api_models", "name": "policy_model"},
                    }
                }
            },
        },
    }


def _settings(fields: Fields, plan: Plan) -> Json:
    if fields("algorithm") == "ppo":
        raise BadInput("algorithm: ppo cannot be translated to NeMo RL. Its example is GRPO. Use --to verl or openrlhf")
    reward_of(fields)
    tasks, group = fields("prompts_per_step"), fields("num_generations_per_prompt")
    warmup = fields.number("optimizer.warmup", "50 steps of warmup")
    reply = fields.number("max_tokens", "the whole context per reply")
    turns = fields("limits.turns") or plan.max_turns
    flat: Json = {
        "grpo.num_prompts_per_step": tasks,
        "grpo.num_generations_per_prompt": group,
        "grpo.max_rollout_turns": turns,
        "grpo.max_num_steps": fields("steps"),
        "grpo.val_period": fields("eval_interval"),
        "grpo.seed": fields("seed"),
        "policy.model_name": model_of(fields),
        "policy.train_global_batch_size": updates_of(fields, tasks * group),
        "policy.max_total_sequence_length": plan.context,
        "policy.max_grad_norm": fields("optimizer.max_grad_norm"),
        "policy.optimizer.kwargs.lr": fields.number("learning_rate", "5e-6"),
        "policy.optimizer.kwargs.betas": list(fields("optimizer.betas")),
        "policy.optimizer.kwargs.weight_decay": fields("optimizer.weight_decay"),
        "policy.generation.temperature": fields("temperature"),
        "policy.generation.max_new_tokens": reply,
        "policy.generation.vllm_cfg.async_engine": True,
        "policy.generation.vllm_cfg.expose_http_server": True,
        "data.max_input_seq_length": plan.context,
        "data.train": {"data_path": f"{plan.rows}/train.jsonl"},
        "data.validation": {"data_path": f"{plan.rows}/val.jsonl"},
        "data.default": {
            "dataset_name": "NemoGymDataset",
            "env_name": "nemo_gym",
            "prompt_file": None,
            "system_prompt_file": None,
            "processor": "nemo_gym_data_processor",
        },
        "checkpointing.checkpoint_dir": f"results/{fields('name') or fields('algorithm')}",
    }
    if warmup is not None:
        flat["policy.scheduler"] = _schedule(max(1, warmup))
    if fields("optimizer.schedule") in ("linear", "cosine"):
        fields.note("optimizer.schedule", "A constant rate after the warmup is written. Change policy.scheduler")
    if fields("optimizer.name") != "adamw":
        fields.note("optimizer.name", "torch.optim.AdamW is written")
    lora = lora_of(fields)
    if lora is not None:
        place = "policy.dtensor_cfg.lora_cfg"
        flat |= {
            f"{place}.enabled": True,
            f"{place}.dim": lora["rank"],
            f"{place}.alpha": lora["alpha"],
            f"{place}.dropout": lora["dropout"],
            f"{place}.target_modules": lora["targets"] or [],
            f"{place}.match_all_linear": lora["targets"] is None,
        }
    if fields("adapter") == "qlora":
        fields.note("adapter", "NeMo RL has no base in 4 bits. lora is written")
    return {**flat, **_loss(fields), **_advantage(fields)}


def _schedule(warmup: int) -> list[Json]:
    ramp = {"start_factor": 0.1, "end_factor": 1.0, "total_iters": warmup}
    return [
        {"name": "torch.optim.lr_scheduler.LinearLR", "kwargs": ramp},
        {"name": "torch.optim.lr_scheduler.ConstantLR", "kwargs": {"factor": 1.0, "total_iters": 10000000000}},
        {"milestones": [warmup]},
    ]


def _loss(fields: Fields) -> Json:
    ratio, low, high = fields("loss.ratio"), fields("loss.clip_low"), fields("loss.clip_high")
    cispo, average, kl = fields("loss.objective") == "cispo", fields("loss.average"), fields("loss.kl")
    estimator, correction = fields("loss.kl_estimator"), fields("loss.correction")
    if ratio == "product":
        fields.note("loss.ratio", "disable_ppo_ratio is written, as NeMo RL does for RLOO")
    if average == "constant":
        fields.note("loss.average", "NeMo RL averages over tokens or replies. Over tokens is written")
    if low is None or high is None:
        fields.unset("loss.clip_high", "a clip of 0.2")
    if kl and estimator == "unbiased":
        fields.note("loss.kl_estimator", "k3 is written")
    if kl and fields("loss.reference") == "base":
        fields.note("loss.reference", "NeMo RL compares with the model that training starts from")
    flat: Json = {
        "loss_fn.reference_policy_kl_penalty": kl or 0.0,
        "loss_fn.reference_policy_kl_type": "k3" if estimator == "unbiased" else estimator,
        "loss_fn.use_kl_in_reward": bool(kl) and fields("loss.kl_in") == "reward",
        "loss_fn.ratio_clip_min": low,
        "loss_fn.ratio_clip_max": high - 1.0 if cispo and high is not None else high,
        "loss_fn.ratio_clip_c": fields("loss.clip_most") or None,
        "loss_fn.use_cispo": cispo,
        "loss_fn.sequence_level_importance_ratios": ratio == "sequence",
        "loss_fn.disable_ppo_ratio": ratio == "product",
        "loss_fn.token_level_loss": average != "sequences",
        "loss_fn.use_importance_sampling_correction": correction in _CORRECTIONS,
    }
    low_bound, high_bound = fields("loss.correction_low"), fields("loss.correction_high")
    if correction in _CORRECTIONS:
        flat |= {
            "loss_fn.truncated_importance_sampling_type": _CORRECTIONS[correction],
            "loss_fn.truncated_importance_sampling_ratio": high_bound,
            "loss_fn.truncated_importance_sampling_ratio_min": low_bound,
        }
    elif correction != "none":
        fields.note("loss.correction", "NeMo RL corrects per token (tis, icepop). No correction is written")
    return flat


def _advantage(fields: Fields) -> Json:
    scale, rounds, buffer = (
        fields(n) for n in ("advantage.scale", "episodes.dynamic_rounds", "episodes.overlong_buffer")
    )
    if scale == "batch":
        fields.note(
            "advantage.scale", "NeMo RL divides by the deviation of the group or not at all. Not at all is written"
        )
    flat: Json = {
        "grpo.normalize_rewards": scale == "group",
        "grpo.use_leave_one_out_baseline": fields("advantage.baseline") == "others",
        "grpo.use_dynamic_sampling": bool(rounds),
        "grpo.dynamic_sampling_max_gen_batches": rounds or None,
        "grpo.overlong_filtering": fields("episodes.mask_truncated"),
    }
    if buffer:
        flat |= {
            "grpo.reward_shaping.enabled": True,
            "grpo.reward_shaping.overlong_buffer_length": buffer,
            "grpo.reward_shaping.overlong_buffer_penalty": fields("episodes.overlong_penalty"),
        }
    if ahead := fields("ahead"):
        flat |= {"grpo.async_grpo.enabled": True, "grpo.async_grpo.max_trajectory_age_steps": ahead}
    return flat
