"""The contract of an environment, tried out with no model: scripted policies play its gold replies, cheats and nonsense.

Each question is one function that returns a `Check` in words. Nothing is stored.
"""

import asyncio
from collections.abc import Sequence
from typing import Literal

from verigym.core.errors import VerigymError
from verigym.core.protocols import Context
from verigym.core.records import Check, FunctionCall, Item, Message, Task, Trajectory, Verdict, Version
from verigym.harness.environment import EnvironmentSpec
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode
from verigym.tasks.load import check_split

Answer = tuple[Literal["pass", "fail", "unclear"], str]
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
    questions = {
        "episodes share no state": _isolated,
        "gold replies pass": _gold_passes,
        "cheats do not pass": _cheats_fail,
        "the verdict is deterministic": _deterministic,
        "nonsense never crashes it": _survives_nonsense,
    }
    checks: list[Check] = []
    for name, question in questions.items():
        try:
            outcome, words = await question(environment, tasks)
        except Exception as error:  # gold, cheats and verifiers are the user's own code
            outcome, words = "fail", f"{type(error).__name__}: {error}"
        checks.append(Check(name=name, outcome=outcome, words=words))
    return checks


def _tasks_load(environment: EnvironmentSpec, split: str) -> tuple[Check, list[Task]]:
    name = f"tasks of {split}"
    try:
        tasks = environment.tasks(split)
    except VerigymError as error:
        return Check(name=name, outcome="fail", words=str(error)), []
    if not tasks and split == "train":
        words = "there are none: it can be measured on, not trained in"
        return Check(name=name, outcome="unclear", words=words), []
    if not tasks:
        return Check(
            name=name, outcome="fail", words="there are none, so nothing can be measured on held-out tasks"
        ), []
    wrong = [task.id for task in tasks if task.split != split]
    if wrong:
        words = f'{wrong[0]} and {len(wrong) - 1} more do not say so; set Task(split="{split}")'
        return Check(name=name, outcome="fail", words=words), tasks
    families = len({task.family or task.id for task in tasks})
    return Check(name=name, outcome="pass", words=f"{len(tasks)} tasks in {families} families"), tasks


def _splits_disjoint(environment: EnvironmentSpec, splits: Sequence[str]) -> Check:
    name = "nothing leaks between splits"
    train, *held_out = splits
    try:
        for split in held_out:
            check_split(environment.tasks(train), environment.tasks(split))
    except VerigymError as error:
        return Check(name=name, outcome="fail", words=str(error))
    return Check(name=name, outcome="pass", words="no family and no prompt is both trained on and held out")


async def _gold_passes(environment: EnvironmentSpec, tasks: list[Task]) -> Answer:
    if environment.gold is None:
        return "unclear", "there is no gold(task), and the tasks name no answer or expected call: nothing to try"
    tried = 0
    for task in tasks:
        reply = environment.gold(task)
        if reply is None:
            continue
        tried += 1
        _, verdict = await _play(environment, task, reply)
        if not verdict.passed:
            return "fail", f"the gold reply of {task.id} scores {verdict.reward}: {_why(verdict)}"
    if not tried:
        return "unclear", "no task has an answer, an expected call or a gold reply to try; write gold(task)"
    return "pass", f"{tried} of {tried}"


async def _cheats_fail(environment: EnvironmentSpec, tasks: list[Task]) -> Answer:
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
            if verdict.reward is None:
                return "fail", f"{task.id}: no verdict for {_short(reply)}: {_why(verdict)}"
            if verdict.passed:
                return "fail", f"{task.id}: a reply that earned nothing passed: {_short(reply)}"
    return "pass", f"{tried} tried"


async def _deterministic(environment: EnvironmentSpec, tasks: list[Task]) -> Answer:
    for task in tasks[:10]:
        trajectory, first = await _play(environment, task, _some_reply(environment, task))
        [again] = await environment.verifier.verify(task, [trajectory], Context())
        if again != first:
            return "fail", f"{task.id}: the same trajectory scored {first.reward}, then {again.reward}"
        if first.reward is None:
            return "fail", f"{task.id}: the verifier gave no verdict: {_why(first)}"
    return "pass", "the same trajectory scores the same, from the record alone"


async def _isolated(environment: EnvironmentSpec, tasks: list[Task]) -> Answer:
    """An episode in which nothing is done ends the same before and after others have changed their own state."""
    idle: list[Item] = [Message("assistant", "")]
    for task in tasks[:10]:
        before, _ = await _play(environment, task, idle)
        together = await asyncio.gather(*[_play(environment, task, _some_reply(environment, task)) for _ in range(3)])
        after, _ = await _play(environment, task, idle)
        if before.end_state != after.end_state or len({repr(one.end_state) for one, _ in together}) > 1:
            return (
                "fail",
                f"{task.id}: the end state depends on other episodes; make the state in open(), not in the class",
            )
    return "pass", "interleaved episodes leave no trace in each other"


async def _survives_nonsense(environment: EnvironmentSpec, tasks: list[Task]) -> Answer:
    calls = [FunctionCall("c", spec.name, text) for spec in environment.tools for text in ("{", "[]", '{"x": null}')]
    for task in tasks[:5]:
        for reply in [*_NONSENSE, *([call] for call in calls)]:
            trajectory, verdict = await _play(environment, task, reply)
            if trajectory.error is not None or verdict.reward is None:
                return "fail", f"{task.id}: {_short(reply)} led to: {_why(verdict)}"
    return "pass", "malformed replies and arguments become marks, not exceptions"


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
    error = verdict.error
    return verdict.evidence or (f"{error.kind}: {error.message}" if error else "no evidence given")


def _short(reply: str | list[Item]) -> str:
    return repr(reply)[:120]
