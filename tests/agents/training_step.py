"""One GRPO step on episodes of an external agent, with a tiny model and the local engine, for the tests."""

import asyncio
import string
from pathlib import Path

import msgspec
import torch
from msgspec import Struct

from tests.rollout.shop import AGENT, Shop, tasks
from tests.tiny import tiny
from verigym.core.records import Sample, Task, Trajectory
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox
from verigym.model import lora
from verigym.policies.local.policy import LocalPolicy
from verigym.store.database import Store
from verigym.training.environments import TrainingEnvironment
from verigym.training.grpo import train_grpo
from verigym.training.loop import Metrics
from verigym.training.recipe import make_recipe
from verigym.training.rollouts import TrainingRollouts
from verigym.training.samples import from_trajectory
from verigym.verifiers.lift import lift


def letters(task: Task, trajectory: Trajectory) -> float:
    """The share of small letters in the last reply."""
    text = trajectory.reply
    return sum(letter in string.ascii_lowercase for letter in text) / max(1, len(text))


class TrainedStep(Struct):
    metrics: Metrics
    trajectories: list[Trajectory]
    samples: list[Sample]
    """What the step was trained on."""
    changed: bool
    """Whether the weights are others than before."""


def train_one_step(command: str, folder: Path, k: int = 4) -> TrainedStep:
    """Trains one step on `k` episodes of the agent."""
    loaded = tiny(window=8192)
    lora.attach(loaded.model, lora.LoraConfig(r=8, alpha=16), seed=1)
    policy = LocalPolicy(loaded)
    environment = EnvironmentSpec(
        name="shop", tasks=lambda split: [], factory=Shop, toolbox=ToolBox(Shop),
        verifiers={"letters": lift("letters", letters)}, suites={}, system=Shop.system,
    )  # fmt: skip
    given = {"model": "tiny", "algorithm": "grpo", "environment": "shop", "reward": "letters", "steps": 1}
    size = {"prompts_per_step": 1, "num_generations_per_prompt": k, "max_tokens": 12, "learning_rate": 1e-2}
    recipe = make_recipe({**given, **size}, [], "r.yaml")
    store = Store(folder / "store.db")
    training = TrainingEnvironment(environment=environment, verifier=environment.verifier, tasks=tasks(1))
    agent = msgspec.structs.replace(AGENT, program=command)
    rollouts = TrainingRollouts(store, policy, recipe, "train-1", agent, [training])
    before = {name: weight.clone() for name, weight in lora.weights(policy.model).items()}
    steps: dict[int, Metrics] = {}
    report = steps.__setitem__
    store.begin_run("train-1", "train", {}, [])
    asyncio.run(train_grpo(policy.model, recipe, rollouts, folder / "checkpoints", report=report))
    after = lora.weights(policy.model)
    made = list(store.trajectories("train-1/step-0001"))
    return TrainedStep(
        metrics=steps[1],
        trajectories=made,
        samples=[sample for each in made for sample in from_trajectory(each, 1.0)],
        changed=any(not torch.equal(before[name], after[name]) for name in before),
    )
