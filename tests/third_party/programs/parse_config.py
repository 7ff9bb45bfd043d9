"""Reads translated recipes with the trainer's own parser: `python parse_config.py TRAINER CHECKOUT FILE...`.

Prints a few settings of each as JSON, as the trainer sees them. An unknown setting is an error. NeMo RL and
prime-rl are not on PyPI, so they need a checkout. For the others, CHECKOUT is not used.
"""

import ast
import importlib.util
import json
import sys
from pathlib import Path


def verl(file, checkout):
    import verl
    from hydra import compose, initialize_config_dir
    from omegaconf import OmegaConf
    from verl.utils.config import omega_conf_to_dataclass

    folder = str(Path(verl.__file__).parent / "trainer" / "config")
    with initialize_config_dir(folder, version_base=None):
        known = compose("ppo_trainer")
    with initialize_config_dir(str(file.parent), version_base=None):
        config = compose(file.stem)
    ours = OmegaConf.load(file)
    for key in ("hydra", "defaults"):
        ours.pop(key)
    OmegaConf.set_struct(known, True)
    OmegaConf.merge(known, ours)  # refuses unknown settings
    actor = omega_conf_to_dataclass(config.actor_rollout_ref.actor)
    rollout = config.actor_rollout_ref.rollout
    return {
        "model": config.actor_rollout_ref.model.path,
        "group": rollout.n,
        "tasks": config.data.train_batch_size,
        "lr": actor.optim.lr,
        "clip": [actor.clip_ratio_low, actor.clip_ratio_high],
        "steps": config.trainer.total_training_steps,
        "rank": config.actor_rollout_ref.model.lora_rank,
    }


def openrlhf(file, checkout):
    import argparse
    from datetime import datetime

    import openrlhf

    # The parser is built in the main block of the script, and its module imports DeepSpeed and vLLM.
    source = Path(openrlhf.__file__).parent / "cli" / "train_ppo_ray.py"
    tree = ast.parse(source.read_text())
    [block] = [node for node in tree.body if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test)]
    lines = [ast.unparse(node) for node in block.body]
    end = next(i for i, line in enumerate(lines) if "parse_args" in line)
    names = {"argparse": argparse, "datetime": datetime}
    exec("\n".join(line for line in lines[:end]), names)
    arguments = " ".join(line for line in file.read_text().splitlines() if not line.startswith("#")).split()
    args = vars(names["parser"].parse_args(arguments))
    return {
        "model": args["actor.model_name_or_path"],
        "group": args["rollout.n_samples_per_prompt"],
        "tasks": args["rollout.batch_size"],
        "lr": args["actor.adam.lr"],
        "clip": args["actor.eps_clip_low_high"],
        "steps": args["data.max_samples"] // args["rollout.batch_size"],
        "rank": args["ds.lora.rank"],
    }


def nemo_rl(file, checkout):
    from omegaconf import OmegaConf

    OmegaConf.register_new_resolver("mul", lambda a, b: a * b, replace=True)
    spec = importlib.util.spec_from_file_location("nemo_rl_config", checkout / "nemo_rl" / "utils" / "config.py")
    loader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loader)
    placed = checkout / "examples" / "nemo_gym" / f"verigym_{file.name}"
    placed.write_text(file.read_text())
    try:
        config = loader.load_config(str(placed))
    finally:
        placed.unlink()
    folder = checkout / "examples"
    known = OmegaConf.merge(
        loader.load_config(str(folder / "configs" / "grpo_math_1B.yaml")),
        loader.load_config(str(folder / "nemo_gym" / "grpo_workplace_assistant_nemotron_nano_v2_9b.yaml")),
    )
    ours = OmegaConf.load(file)
    ours.pop("defaults")
    own = [ours.env.nemo_gym.pop(name) for name in ("verigym_env", "simple_agent")]  # names of servers are free
    assert all(len(each) == 1 for each in own)
    OmegaConf.set_struct(known, True)
    OmegaConf.merge(known, ours)
    config = OmegaConf.to_container(config, resolve=True)
    return {
        "model": config["policy"]["model_name"],
        "group": config["grpo"]["num_generations_per_prompt"],
        "tasks": config["grpo"]["num_prompts_per_step"],
        "lr": config["policy"]["optimizer"]["kwargs"]["lr"],
        "clip": [config["loss_fn"]["ratio_clip_min"], config["loss_fn"]["ratio_clip_max"]],
        "steps": config["grpo"]["max_num_steps"],
        "rank": config["policy"]["dtensor_cfg"]["lora_cfg"]["dim"],
    }


def prime_rl(file, checkout):
    sys.path.insert(0, str(checkout / "packages" / "prime-rl-configs" / "src"))
    from prime_rl.configs.rl import RLConfig
    from prime_rl.utils.config import cli

    config = cli(RLConfig, args=["@", str(file)])
    orchestrator = config.orchestrator
    return {
        "model": config.model.name,
        "group": orchestrator.group_size,
        "tasks": orchestrator.batch_size // orchestrator.group_size,
        "lr": config.trainer.optim.lr,
        "clip": None,
        "steps": config.max_steps,
        "rank": config.trainer.model.lora and config.trainer.model.lora.rank,
        "environment": orchestrator.train.source[0].env.taskset.environment,
    }


if __name__ == "__main__":
    trainers = {"verl": verl, "openrlhf": openrlhf, "nemo-rl": nemo_rl, "prime-rl": prime_rl}
    for name in sys.argv[3:]:
        print(json.dumps(trainers[sys.argv[1]](Path(name).resolve(), Path(sys.argv[2]))))
