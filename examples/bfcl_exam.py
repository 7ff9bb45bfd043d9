"""Scripted agents in two categories of BFCL: one makes the right calls, one changes the first argument, one calls everything
twice, and one only talks. It prints how many tasks BFCL's checkers pass for each.

    verigym bridges install bfcl
    python examples/bfcl_exam.py

`verigym eval 'bfcl:simple_python?train=0' -m MODEL` measures a model on the whole category.
"""

import asyncio
import json

import msgspec

import verigym

AGENT = verigym.Version(base="scripted", id="scripted")


def changed(call):
    """The call with another value for its first argument."""
    given = json.loads(call.arguments)
    return msgspec.structs.replace(call, arguments=json.dumps({**given, next(iter(given)): "something else"}))


async def passes(exam, task, reply) -> bool:
    policy = verigym.ScriptedPolicy([reply])
    episode = await verigym.run_episode(exam, task, policy, agent=AGENT, id=task.id, group=task.id)
    [verdict] = await exam.verifier.verify(task, [episode], verigym.Context())
    return verdict.passed


async def main() -> None:
    for category in ("simple_python", "parallel"):
        exam = verigym.load_environment(f"bfcl:{category}?train=0")
        tasks = exam.tasks("val")[:10]
        right = [exam.gold_replies(task)[0] for task in tasks]
        agents = {
            "the right calls": right,
            "a changed argument": [[changed(calls[0]), *calls[1:]] for calls in right],
            "every call twice": [[*calls, *calls] for calls in right],
            "only words": ["I have done it."] * len(tasks),
        }
        for name, replies in agents.items():
            passed = [await passes(exam, task, reply) for task, reply in zip(tasks, replies, strict=True)]
            print(f"{category}, {name}: {sum(passed)} of {len(tasks)}")


if __name__ == "__main__":
    asyncio.run(main())
