"""GRPO in one file, from the building blocks that `verigym train` uses. Run it with `python examples/grpo_loop.py`.

One step: sample a group of episodes for each task, let the verifier reward them, compare each episode with the others of its
group, and update the adapter. Left out: checkpoints, held-out evaluation, the KL penalty, dynamic sampling and the store.
"""

import asyncio
import os
import random

import verigym

MODEL = os.environ.get("VERIGYM_MODEL", "smollm2-135m")
STEPS, TASKS_PER_STEP, GROUP = int(os.environ.get("STEPS", "20")), 8, 8
SAMPLING = verigym.Sampling(temperature=1.0, max_tokens=64)


async def rollout(environment, policy, agent, task, step):
    """The episodes of one task, and their rewards. A reward is None if the episode could not be scored."""
    episodes = await asyncio.gather(
        *(
            verigym.run_episode(
                environment,
                task,
                policy,
                verigym.RunSettings(sampling=SAMPLING, seed=1000 * step + index),
                agent=agent,
                id=f"{step}/{task.id}/{index}",
                group=f"{step}/{task.id}",
                index=index,
            )
            for index in range(GROUP)
        )
    )
    verdicts = await environment.verifier.verify(task, episodes, verigym.Context())
    return episodes, [verdict.reward for verdict in verdicts]


async def main():
    environment = verigym.load_environment("toolcall")
    tasks, agent = environment.tasks("train"), verigym.Version(base=MODEL)
    policy = verigym.LocalPolicy.open(MODEL)
    policy.add_adapter(r=16, alpha=32, seed=0)
    optimizer = verigym.make_optimizer(policy.model, learning_rate=1e-4)
    dice = random.Random(0)
    for step in range(1, STEPS + 1):
        chosen = dice.sample(tasks, TASKS_PER_STEP)
        groups = await asyncio.gather(*(rollout(environment, policy, agent, task, step) for task in chosen))
        rewards = [rewards for _, rewards in groups]
        samples = [
            sample
            for (episodes, _), advantages in zip(groups, verigym.advantages(rewards), strict=True)
            for episode, advantage in zip(episodes, advantages, strict=True)
            for sample in verigym.from_trajectory(episode, advantage)
            if advantage
        ]
        scored = [reward for group in rewards for reward in group if reward is not None]
        print(f"step {step}: reward {sum(scored) / max(1, len(scored)):.3f}, {len(samples)} samples with a signal")
        if samples:
            loss = verigym.PolicyLoss()
            verigym.policy_update(policy.model, optimizer, samples, loss, longest=SAMPLING.max_tokens)
            policy.weights_changed(f"step {step}")


if __name__ == "__main__":
    asyncio.run(main())
