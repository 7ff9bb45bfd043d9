"""A recipe for verl 0.9.1: a configuration of Hydra over its `ppo_trainer`. Start it with
`python -m verl.trainer.main_ppo --config-path FOLDER --config-name FILE`."""

import yaml

from verigym.bridges.translate import Fields, Plan, lora_of, model_of, nested, reward_of, updates_of
from verigym.core.records import Json

_AVERAGES = {"tokens": "token-mean", "sequences": "seq-mean-token-mean", "constant": "seq-mean-token-sum-norm"}
_KL = {"k1": "k1", "k2": "k2", "k3": "k3", "unbiased": "k3+"}
_SEARCH = {"hydra": {"searchpath": ["pkg://verl.trainer.config"]}, "defaults": ["ppo_trainer", "_self_"]}


def text(fields: Fields, plan: Plan) -> str:
    return yaml.safe_dump({**_SEARCH, **nested(_settings(fields, plan))}, sort_keys=False)


def _settings(fields: Fields, plan: Plan) -> Json:
    reward_of(fields)
    actor, rollout = "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
    tasks, lora = fields("prompts_per_step"), lora_of(fields)
    reply = fields.number("max_tokens", "all of the context for replies")
    fields("limits.turns")
    if reply is not None and plan.max_turns > 1:
        fields.note("max_tokens", "verl limits all replies of an episode together, by data.max_response_length")
    flat: Json = {
        "actor_rollout_ref.model.path": model_of(fields),
        "data.train_files": f"{plan.rows}/train.parquet",
        "data.val_files": f"{plan.rows}/val.parquet",
        "data.train_batch_size": tasks,
        "data.max_prompt_length": plan.context // 2,
        "data.max_response_length": reply if reply and plan.max_turns == 1 else plan.context // 2,
        "data.seed": fields("seed"),
        f"{rollout}.name": "vllm",
        f"{rollout}.n": fields("num_generations_per_prompt"),
        f"{rollout}.temperature": fields("temperature"),
        f"{actor}.ppo_mini_batch_size": updates_of(fields, tasks),
        f"{actor}.ppo_micro_batch_size_per_gpu": 1,
        f"{rollout}.log_prob_micro_batch_size_per_gpu": 1,
        "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu": 1,
        f"{actor}.optim.lr": fields.number("learning_rate", "1e-6"),
        f"{actor}.optim.betas": list(fields("optimizer.betas")),
        f"{actor}.optim.weight_decay": fields("optimizer.weight_decay"),
        f"{actor}.optim.clip_grad": fields("optimizer.max_grad_norm"),
        f"{actor}.grad_clip": fields("optimizer.max_grad_norm"),
        f"{actor}.optim.lr_scheduler_type": "cosine" if fields("optimizer.schedule") == "cosine" else "constant",
        f"{actor}.optim.lr_warmup_steps": fields.number("optimizer.warmup", "no warmup"),
        f"{actor}.entropy_coeff": fields("loss.entropy_bonus"),
        "reward.custom_reward_function.path": "pkg://verigym.bridges.verl",
        "reward.custom_reward_function.name": "compute_score",
        "trainer.total_training_steps": fields("steps"),
        "trainer.test_freq": fields("eval_interval") or -1,
        "trainer.project_name": "verigym",
        "trainer.experiment_name": fields("name") or fields("algorithm"),
    }
    if fields("optimizer.schedule") == "linear":
        fields.note("optimizer.schedule", "verl has constant and cosine. constant is written")
    if plan.has_tools:
        turns = fields("limits.turns") or plan.max_turns
        flat |= {
            f"{rollout}.multi_turn.enable": True,
            f"{rollout}.multi_turn.tool_config_path": f"{plan.rows}/tools.yaml",
            f"{rollout}.multi_turn.max_assistant_turns": turns,
            f"{rollout}.multi_turn.max_parallel_calls": 16,
            f"{rollout}.multi_turn.max_tool_response_length": 16384,
            f"{rollout}.agent.default_agent_loop": "tool_agent",
        }
    if lora is not None:
        flat |= {
            "actor_rollout_ref.model.lora_rank": lora["rank"],
            "actor_rollout_ref.model.lora_alpha": lora["alpha"],
            "actor_rollout_ref.model.target_modules": lora["targets"] or "all-linear",
        }
        if lora["dropout"]:
            fields.note("lora.dropout", "verl has no dropout for adapters")
    if fields("adapter") == "qlora":
        fields.note("adapter", "verl has no base in 4 bits. lora is written")
    return {**flat, **_loss(fields, actor), **_advantage(fields)}


def _loss(fields: Fields, actor: str) -> Json:
    ratio, objective, low, high = (fields(f"loss.{name}") for name in ("ratio", "objective", "clip_low", "clip_high"))
    mode = "cispo" if objective == "cispo" else {"sequence": "gspo"}.get(ratio, "vanilla")
    if ratio == "product":
        fields.note("loss.ratio", "verl has no ratio of whole replies as a product. The ratio of tokens is written")
    if mode == "cispo" and high is not None:
        high = high - 1.0  # here the cap itself, there what is added to 1
    average = fields("loss.average")
    flat: Json = {
        f"{actor}.policy_loss.loss_mode": mode,
        f"{actor}.clip_ratio_low": low,
        f"{actor}.clip_ratio_high": high,
        f"{actor}.loss_agg_mode": _AVERAGES[average],
        f"{actor}.loss_scale_factor": fields("max_tokens") if average == "constant" else None,
    }
    if low is None or high is None:
        fields.unset("loss.clip_high", "its own clips")
    fields("loss.clip_low")
    if most := fields("loss.clip_most"):
        flat[f"{actor}.clip_ratio_c"] = most
    kl, place, estimator = fields("loss.kl"), fields("loss.kl_in"), fields("loss.kl_estimator")
    if kl and place == "loss":
        flat |= {f"{actor}.use_kl_loss": True, f"{actor}.kl_loss_coef": kl, f"{actor}.kl_loss_type": _KL[estimator]}
    elif kl:
        flat |= {"algorithm.use_kl_in_reward": True, "algorithm.kl_ctrl.kl_coef": kl}
    if kl and fields("loss.reference") == "base":
        fields.note("loss.reference", "verl compares with the model that training starts from")
    correction, high_bound = fields("loss.correction"), fields("loss.correction_high")
    fields("loss.correction_low")
    level = {"tis": "token", "sequence_tis": "sequence"}.get(correction)
    if level:
        flat |= {
            "algorithm.rollout_correction.rollout_is": level,
            "algorithm.rollout_correction.rollout_is_threshold": high_bound,
            "actor_rollout_ref.rollout.calculate_log_probs": True,
        }
    elif correction != "none":
        fields.note("loss.correction", "Set algorithm.rollout_correction.rollout_rs yourself: verl's rejection differs")
    return flat


def _advantage(fields: Fields) -> Json:
    baseline, scale = fields("advantage.baseline"), fields("advantage.scale")
    estimator = "gae" if fields("algorithm") == "ppo" else "rloo" if baseline == "others" else "grpo"
    if scale == "batch":
        fields.note(
            "advantage.scale", "verl divides by the deviation of the group or not at all. Not at all is written"
        )
    flat: Json = {"algorithm.adv_estimator": estimator, "algorithm.norm_adv_by_std_in_grpo": scale == "group"}
    if rounds := fields("episodes.dynamic_rounds"):
        flat |= {
            "algorithm.filter_groups.enable": True,
            "algorithm.filter_groups.metric": "acc",
            "algorithm.filter_groups.max_num_gen_batches": rounds,
        }
    return flat
