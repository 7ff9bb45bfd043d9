"""Two scripted agents play Taxi of Gymnasium: one drives at random, and one follows the planner of the bridge.

    verigym bridges install gymnasium
    python examples/gymnasium_taxi.py

Every reply ends with one action. An observation lists the actions that change something. Replace `random_driver` with
`verigym.RemotePolicy` or `verigym.LocalPolicy` to measure a model.
"""

import asyncio
import random
import re

import verigym

AGENT = verigym.Version(base="scripted", id="scripted")
TAXI = verigym.load_environment("gymnasium:Taxi-v4?size=20&val=20")


def random_driver(request) -> str:
    """One of the actions that the last observation lists."""
    [*_, listed] = re.findall(r"Actions that change something: (.*)\.", request.items[-1].text)
    return random.Random(len(request.turns)).choice(listed.split(", "))


async def reward(task, policy) -> float | None:
    episode = await verigym.run_episode(TAXI, task, policy, agent=AGENT, id=task.id, group=task.id)
    [verdict] = await TAXI.verifier.verify(task, [episode], verigym.Context())
    return verdict.reward


async def main() -> None:
    tasks = TAXI.tasks("val")[:10]
    lost = [await reward(task, verigym.ScriptedPolicy(random_driver)) for task in tasks]
    won = [await reward(task, verigym.ScriptedPolicy(TAXI.gold_replies(task))) for task in tasks]
    print(f"random actions: {sum(each == 1.0 for each in lost)} of {len(tasks)} passengers arrived")
    print(f"the planner: {sum(each == 1.0 for each in won)} of {len(tasks)} passengers arrived")


if __name__ == "__main__":
    asyncio.run(main())
