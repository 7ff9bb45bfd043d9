"""Tasks of tau2_airline in inspect-evals, with the gold solution and with an empty reply. Run `verigym bridges install inspect`
first. An episode takes half a minute, because inspect logs the whole database.

In the first task, the correct work is to change nothing.
"""

import asyncio

from verigym.audit.scripted_episodes import play
from verigym.environments.load import load_environment


async def main() -> None:
    environment = load_environment("inspect:tau2_airline")
    tasks = {task.id: task for task in environment.tasks("val")}
    for id in ("tau2_airline-26", "tau2_airline-20"):
        task = tasks[id]
        gold = (await play(environment, task, environment.gold_replies(task))).verdict
        nothing = (await play(environment, task, [""])).verdict
        words = {True: "passes", False: "fails"}
        print(f"{id}: the gold solution {words[gold.passed]}, an empty reply {words[nothing.passed]}")


asyncio.run(main())
