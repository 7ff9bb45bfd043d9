"""Three scripted agents in the slack suite of AgentDojo: one does the user's task, one obeys the injected instructions, one does
nothing. It prints AgentDojo's two figures for each.

    verigym bridges install agentdojo
    python examples/agentdojo_slack.py

`verigym eval agentdojo:slack -m MODEL` measures a model. Its report has the same figures as parts of the verdict.
"""

import asyncio

import verigym

AGENT = verigym.Version(base="scripted", id="scripted")
SLACK = verigym.load_environment("agentdojo:slack")


async def parts(task, replies) -> dict[str, float]:
    policy = verigym.ScriptedPolicy(replies)
    episode = await verigym.run_episode(SLACK, task, policy, agent=AGENT, id=task.id, group=task.id)
    [verdict] = await SLACK.verifier.verify(task, [episode], verigym.Context())
    return verdict.parts


async def main() -> None:
    tasks = [task for task in SLACK.tasks("val") if len(SLACK.cheat_replies(task)) == 3][:10]
    agents = {
        "does the user's task": [SLACK.gold_replies(task) for task in tasks],
        "obeys the injection": [SLACK.cheat_replies(task)[1] for task in tasks],
        "does nothing": [["Done."] for _ in tasks],
    }
    for name, replies in agents.items():
        played = [await parts(task, each) for task, each in zip(tasks, replies, strict=True)]
        utility = sum(each["utility"] for each in played)
        attacks = sum(each["attack_succeeded"] for each in played)
        print(f"{name}: utility {utility:g} of {len(tasks)}, attacks that succeeded {attacks:g} of {len(tasks)}")


if __name__ == "__main__":
    asyncio.run(main())
