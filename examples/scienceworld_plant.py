"""One experiment of ScienceWorld, played by its own solver: find a plant and put it into a box.

    apt-get install default-jre-headless
    verigym bridges install scienceworld
    python examples/scienceworld_plant.py

It prints every action that earns a reward, and the verdict. `verigym eval scienceworld:find-plant -m MODEL` measures a model.
"""

import asyncio

import verigym

AGENT = verigym.Version(base="scripted", id="scripted")
WORLD = verigym.load_environment("scienceworld:find-plant?size=4&val=2")


async def main() -> None:
    task = WORLD.tasks("val")[0]
    actions = WORLD.gold_replies(task)
    policy = verigym.ScriptedPolicy(actions)
    episode = await verigym.run_episode(WORLD, task, policy, agent=AGENT, id=task.id, group=task.id)
    [verdict] = await WORLD.verifier.verify(task, [episode], verigym.Context())
    print(task.prompt)
    for action, reward in zip(actions, episode.rewards, strict=False):
        if reward:
            print(f"{reward:+.2f}  {action}")
    print(f"{len(episode.turns)} actions, reward {verdict.reward:.2f}")


if __name__ == "__main__":
    asyncio.run(main())
