"""The contract of an environment, tried out with no model: scripted policies play its gold replies, cheats and nonsense.

Each question is one function that returns a `Check` in words. Nothing is stored.
"""

import asyncio
from collections.abc import Sequence

from verigym.core.errors import VerigymError
from verigym.core.protocols import Context
from verigym.core.records import Check, FunctionCall, Item, Message, Task, Trajectory, Verdict, Version
from verigym.harness.environment import EnvironmentSpec
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode
from verigym.tasks.load import check_split

_AGENT = Version(base="scripted", id="scripted")
_NONSENSE = ["", "{", '{"tool": 7, "args": []}', '{"tool": "no.such.tool", "args": {}}', "\x00\ud7ff" * 3, "{" * 2000]


def check_environment(
    environment: EnvironmentSpec, splits: Sequence[str] = ("train", "val"), num_tasks: int = 40
) -> list[Check]:
    """All questions; those about episodes are asked on up to `num_tasks` tasks spread over the splits."""
    checks, tasks = [], []
    for split in splits:
        found, some = _tasks_load(environment, split)
        checks.append(found)
        tasks += some[:: max(1, len(some) * len(splits) // num_tasks)]
    if not tasks:
        return checks
    checks.append(_splits_disjoint(environment, splits))
    checks += asyncio.run(_episodes(environment, tasks))
    return checks


async def _episodes(environment: EnvironmentSpec, tasks: list[Task]) -> list[Check]:
    return [
        await _gold_passes(environment, tasks),
        await _cheats_fail(environment, tasks),
        await _deterministic(environment, tasks),
        await _isolated(environment, tasks),
        await _survives_nonsense(environment, tasks[:5]),
    ]


def _tasks_load(environment: EnvironmentSpec, split: str) -> tuple[Check, list[Task]]:
    name = f"tasks of {split}"
    try:
        tasks = environment.tasks(split)
    except Exception as error:  # the user's own code may raise anything
        return _fail(name, f"tasks({split!r}) raised {type(error).__name__}: {error}"), []
    if not tasks:
        return _fail(name, f"tasks({split!r}) is empty; an environment needs tasks to train on and others held out"), []
    twice = len(tasks) - len({task.id for task in tasks})
    if twice:
        return _fail(name, f"{twice} tasks have an id that another has too"), tasks
    wrong = [task.id for task in tasks if task.split != split]
    if wrong:
        return _fail(
            name, f'{wrong[0]} and {len(wrong) - 1} more say split "{tasks[0].split}"; set Task(split={split!r})'
        ), tasks
    families = len({task.family or task.id for task in tasks})
    return _pass(name, f"{len(tasks)} tasks in {families} families"), tasks


def _splits_disjoint(environment: EnvironmentSpec, splits: Sequence[str]) -> Check:
    name = "nothing leaks between splits"
    train, *held_out = splits
    try:
        for split in held_out:
            check_split(environment.tasks(train), environment.tasks(split))
    except VerigymError as error:
        return _fail(name, str(error))
    return _pass(name, "no family and no prompt is both trained on and held out")


async def _gold_passes(environment: EnvironmentSpec, tasks: list[Task]) -> Check:
    name = "gold replies pass"
    if environment.gold is None:
        return _unclear(name, "there is no gold(task), and the tasks name no answer or expected call: nothing to try")
    tried = 0
    for task in tasks:
        reply = environment.gold(task)
        if reply is None:
            continue
        tried += 1
        _, verdict = await _play(environment, task, reply)
        if not verdict.passed:
            return _fail(name, f"the gold reply of {task.id} scores {verdict.reward}: {_why(verdict)}")
    if not tried:
        return _unclear(name, "no task has an answer, an expected call or a gold reply to try; write gold(task)")
    return _pass(name, f"{tried} of {tried}")


async def _cheats_fail(environment: EnvironmentSpec, tasks: list[Task]) -> Check:
    name = "cheats do not pass"
    tried = 0
    for task in tasks:
        prompt = task.prompt if isinstance(task.prompt, str) else ""
        replies: list[list[Item]] = [
            [Message("assistant", "")],
            [Message("assistant", prompt)],
            [Message("assistant", "x" * 20_000)],
        ]
        for reply in replies + (environment.cheats(task) if environment.cheats else []):
            tried += 1
            _, verdict = await _play(environment, task, reply)
            if verdict.passed:
                return _fail(name, f"{task.id}: a reply that earned nothing passed: {_short(reply)}")
    return _pass(name, f"{tried} tried")


async def _deterministic(environment: EnvironmentSpec, tasks: list[Task]) -> Check:
    name = "the verdict is deterministic"
    for task in tasks[:10]:
        trajectory, first = await _play(environment, task, _some_reply(environment, task))
        [again] = await environment.verifier.verify(task, [trajectory], Context())
        if again != first:
            return _fail(name, f"{task.id}: the same trajectory scored {first.reward}, then {again.reward}")
        if first.reward is None:
            return _fail(name, f"{task.id}: the verifier gave no verdict: {_why(first)}")
    return _pass(name, "the same trajectory scores the same, from the record alone")


async def _isolated(environment: EnvironmentSpec, tasks: list[Task]) -> Check:
    name = "episodes share no state"
    for task in tasks[:10]:
        reply = _some_reply(environment, task)
        alone, _ = await _play(environment, task, reply)
        together = await asyncio.gather(*[_play(environment, task, reply) for _ in range(3)])
        if any(other.end_state != alone.end_state for other, _ in together):
            return _fail(
                name, f"{task.id}: the end state depends on other episodes; make the state in open(), not in the class"
            )
    return _pass(name, "interleaved episodes end as one alone does")


async def _survives_nonsense(environment: EnvironmentSpec, tasks: list[Task]) -> Check:
    name = "nonsense never crashes it"
    calls = [FunctionCall("c", spec.name, text) for spec in environment.tools for text in ("{", "[]", '{"x": null}')]
    for task in tasks:
        for reply in [*_NONSENSE, *([call] for call in calls)]:
            trajectory, verdict = await _play(environment, task, reply)
            if trajectory.error is not None or verdict.reward is None:
                return _fail(name, f"{task.id}: {_short(reply)} led to: {trajectory.error or _why(verdict)}")
    return _pass(name, "malformed replies and arguments become marks, not exceptions")


async def _play(environment: EnvironmentSpec, task: Task, reply: str | list[Item]) -> tuple[Trajectory, Verdict]:
    """One episode with this reply, then an empty message if the environment goes on."""
    policy = ScriptedPolicy([reply, ""])
    trajectory = await run_episode(environment, task, policy, agent=_AGENT, id=f"check/{task.id}", group="check")
    [verdict] = await environment.verifier.verify(task, [trajectory], Context())
    return trajectory, verdict


def _some_reply(environment: EnvironmentSpec, task: Task) -> list[Item]:
    gold = environment.gold(task) if environment.gold else None
    return gold or [Message("assistant", "done")]


def _why(verdict: Verdict) -> str:
    return verdict.evidence or (verdict.error.message if verdict.error else "no evidence given")


def _short(reply: str | list[Item]) -> str:
    return repr(reply)[:120]


def _pass(name: str, words: str) -> Check:
    return Check(name=name, outcome="pass", words=words)


def _fail(name: str, words: str) -> Check:
    return Check(name=name, outcome="fail", words=words)


def _unclear(name: str, words: str) -> Check:
    return Check(name=name, outcome="unclear", words=words)
