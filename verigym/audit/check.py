"""The contract of an environment, tried out with no model: scripted policies play its gold solutions, cheats and nonsense.

Each question is one function that returns a `Check` in words. Nothing is stored. How replies are played, and who judges where
a judge is asked, is in `play`. Whether the verifier's rewards can be trusted on real outputs is another question: `verifier`.
"""

import asyncio
import functools
import inspect
import re
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import jsonschema
import msgspec

from verigym.audit.scripted_episodes import (
    Answer,
    Replies,
    ScriptedEpisode,
    busy_replies,
    fitting,
    judged,
    play,
    short,
    some_replies,
    watching,
    why,
)
from verigym.core import codec, event_loop
from verigym.core.errors import InfrastructureFailure, VerifierFailure, VerigymError, failure
from verigym.core.interrupts import ends_run
from verigym.core.protocols import Policy
from verigym.core.records import Check, Fault, FunctionCall, FunctionCallOutput, Item, Task, ToolSpec, Trajectory
from verigym.core.words import counted
from verigym.harness.environment import EnvironmentSpec, live_tools
from verigym.rollout.session import task_tools
from verigym.tasks.files import is_task_file
from verigym.tasks.leaks import check_split
from verigym.verifiers.code import undefined_names

_NONSENSE = ["", "{", '{"tool": 7, "args": []}', '{"tool": "no.such.tool", "args": {}}', "\x00\ud7ff" * 3, "{" * 2000]
_WRONG: list[Any] = [None, True, 0, -1, 10**30, 1e300, "", "x" * 10_000, "\u202e", [], [[]], {}, {"a": {"b": []}}]
"""Values of every kind, tried for every argument of every tool while the others are as they should be."""
Pick = Callable[[list[Task], int], list[Task]]
"""Chooses n of the given tasks."""
Play = Callable[..., Awaitable[ScriptedEpisode]]
_SAMPLE, _BOXED_SAMPLE = 40, 8
"""Tasks that are checked by default, over all splits."""
_AT_ONCE = 8
_LOOKED_AT = 20
"""Tasks whose tools are looked at, if only the state of an episode knows them."""
"""Episodes that run at the same time."""
_EARNS = 0.12
"""Share of the gold solution's reward that a reply may earn although it says nothing."""
_NAMED = 5
"""Undefined names that a warning lists."""
_WIRE_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")


def sample_size(environment: EnvironmentSpec) -> int:
    """Tasks to check by default: fewer if the environment runs code in a sandbox, where an episode takes seconds."""
    module = sys.modules.get(environment.factory.__module__)
    try:
        boxed = module is not None and "sandbox" in inspect.getsource(module)
    except (OSError, TypeError):
        boxed = False
    return _BOXED_SAMPLE if boxed else _SAMPLE


def check_environment(
    environment: EnvironmentSpec,
    splits: Sequence[str] = ("train", "val"),
    num_tasks: int | None = None,
    on_check: Callable[[Check], None] = lambda _: None,
    pick: Pick | None = None,
    on_play: Callable[[str, int], None] = lambda _, __: None,
) -> list[Check]:
    """All questions. Those about episodes are asked on `num_tasks` tasks spread over the splits, by default on `sample_size`.
    `on_check` gets each answer as it is found, and `on_play` the current question and the number of its episodes so far. `pick`
    chooses n tasks of a split, by default at even distances."""
    num_tasks = sample_size(environment) if num_tasks is None else num_tasks
    live = live_tools(environment)
    checks: list[Check] = []
    loaded: list[list[Task]] = []

    def found(check: Check) -> None:
        checks.append(check)
        on_check(check)

    for split in splits:
        check, some = _tasks_load(environment, split)
        found(check)
        loaded.append(some)
    sizes = _sizes([len(some) for some in loaded], num_tasks)
    tasks = [task for some, n in zip(loaded, sizes, strict=True) for task in (pick or _spaced)(some, n)]
    found(_schemas_valid(environment, tasks))
    if not tasks:
        return checks
    if live:
        words = f"{', '.join(live[:5])}: live tools are not called here. Their answers are placeholders"
        found(Check(name="live tools", outcome="unclear", words=words))
    found(_splits_disjoint(environment, splits))
    if (names := _names_defined(tasks)) is not None:
        found(names)
    with watching():
        event_loop.run(_episodes(environment, tasks, found, on_play))
    return checks


def _sizes(available: list[int], n: int) -> list[int]:
    """How many tasks each split contributes to n: equal shares, and what a small split lacks comes from the others."""
    sizes = [0] * len(available)
    smallest_first = sorted(range(len(available)), key=available.__getitem__)
    for place, split in enumerate(smallest_first):
        sizes[split] = min(available[split], (n - sum(sizes)) // (len(available) - place))
    return sizes


def _spaced(tasks: list[Task], n: int) -> list[Task]:
    return [tasks[place * len(tasks) // n] for place in range(n)]


class _Play:
    """Plays episodes, some at the same time, and reports their number."""

    def __init__(self, on_play: Callable[[int], None]) -> None:
        self._on_play = on_play
        self._room = asyncio.Semaphore(_AT_ONCE)
        self._count = 0

    async def __call__(
        self, environment: EnvironmentSpec, task: Task, replies: Replies, **options: Any
    ) -> ScriptedEpisode:
        async with self._room:
            played = await play(environment, task, replies, **options)
        self._count += 1
        self._on_play(self._count)
        return played


async def _episodes(
    environment: EnvironmentSpec,
    tasks: list[Task],
    found: Callable[[Check], None],
    on_play: Callable[[str, int], None],
) -> None:
    questions = {
        "episodes share no state": _isolated,  # first, before others have filled what might be shared
        "gold solutions pass": gold_passes,
        "cheats do not pass": _cheats_fail,
        "the same replies end the same": _repeatable,
        "a stored trajectory scores the same": _rescorable,
        "nonsense never crashes it": _survives_nonsense,
        "close runs whatever happens": _closes,
        "episodes are quick": _quick,
    }
    for name, question in questions.items():
        try:
            outcome, words = await question(environment, tasks, _Play(functools.partial(on_play, name)))
        except BaseException as error:  # gold, cheats and verifiers are the user's own code
            if ends_run(error):
                raise
            made = failure(error, Fault.ENVIRONMENT)
            outcome, words = "fail", f"{made.kind}: {made.message}"
        found(Check(name=name, outcome=outcome, words=words))


# -- about tasks and tools ----------------------------------------------------------------------------------------------


def _tasks_load(environment: EnvironmentSpec, split: str) -> tuple[Check, list[Task]]:
    name = f"tasks of {split}"
    try:
        tasks = environment.tasks(split)
    except VerigymError as error:
        return Check(name=name, outcome="fail", words=str(error)), []
    if not tasks and split == "train":
        words = "no train tasks. The environment can be used for evaluation, but not for training"
        if is_task_file(environment.name) and not {",", "+"} & {*environment.name}:
            words += f". To make a training part: verigym tasks split {environment.name}"
        return Check(name=name, outcome="unclear", words=words), []
    if not tasks:
        return Check(
            name=name, outcome="fail", words=f"no {split} tasks, so nothing can be evaluated on held-out tasks"
        ), []
    for task in tasks:
        try:
            msgspec.convert(msgspec.to_builtins(task), Task)
        except msgspec.ValidationError as error:
            return Check(name=name, outcome="fail", words=f"task {task.id!r} is not valid: {error}"), []
    wrong = [task.id for task in tasks if task.split != split]
    if wrong:
        words = f'{wrong[0]} and {len(wrong) - 1} more have another split. Set Task(split="{split}")'
        return Check(name=name, outcome="fail", words=words), tasks
    families = len({task.family or task.id for task in tasks})
    return Check(
        name=name, outcome="pass", words=f"{counted(len(tasks), 'task')} in {counted(families, 'family')}"
    ), tasks


def _splits_disjoint(environment: EnvironmentSpec, splits: Sequence[str]) -> Check:
    name = "nothing leaks between splits"
    train, *held_out = splits
    try:
        for split in held_out:
            check_split(environment.tasks(train), environment.tasks(split), prompts=not environment.steps)
    except VerigymError as error:
        return Check(name=name, outcome="fail", words=str(error))
    return Check(name=name, outcome="pass", words="no family and no prompt is in both training and held-out tasks")


def _names_defined(tasks: list[Task]) -> Check | None:
    """Whether tests of code use names that only a submission could define. None if no task has such tests."""
    name = "tests define what they use"
    tested = [task for task in tasks if task.data.get("tests")]
    if not tested:
        return None
    for task in tested:
        try:
            names = sorted(undefined_names(task))
        except VerifierFailure:  # the gold solution shows it
            continue
        if names:
            words = (
                f"{task.id}: the tests use {', '.join(names[:_NAMED])}, which they do not define and the task does not "
                "mention. A submission that defines it decides what the tests see. Define or import it in the tests"
            )
            return Check(name=name, outcome="unclear", words=words)
    return Check(name=name, outcome="pass", words=f"the tests of {counted(len(tested), 'task')} use only what they may")


def _tools_of(environment: EnvironmentSpec, tasks: list[Task]) -> list[ToolSpec]:
    """The tools of the environment. If only the state of an episode knows them, those of a few tasks."""
    if not environment.needs_task_tools:
        return environment.tools
    looked_at = [
        event_loop.run(task_tools(environment, task)).tools for task in _spaced(tasks, min(len(tasks), _LOOKED_AT))
    ]
    return list({tool.name: tool for tools in looked_at for tool in tools}.values())


def _schemas_valid(environment: EnvironmentSpec, tasks: list[Task]) -> Check:
    name = "tools have valid schemas"
    try:
        tools = _tools_of(environment, tasks)
    except BaseException as error:  # the state's own code lists them
        if ends_run(error):
            raise
        made = failure(error, Fault.ENVIRONMENT)
        return Check(name=name, outcome="fail", words=f"{made.kind}: {made.message}")
    if not tools:
        return Check(name=name, outcome="pass", words="the environment has no tools")
    for spec in tools:
        if not _WIRE_NAME.fullmatch(spec.name):
            words = f'providers reject the name "{spec.name}". Use at most 64 letters, digits, _, . and -'
            return Check(name=name, outcome="fail", words=words)
        try:
            jsonschema.Draft202012Validator.check_schema(spec.parameters)
        except jsonschema.SchemaError as error:
            return Check(name=name, outcome="fail", words=f"{spec.name}: {error.message}")
    silent = [spec.name for spec in tools if not spec.description]
    if silent:
        words = f"{', '.join(silent[:5])}: no description, so the model sees only the name"
        return Check(name=name, outcome="unclear", words=words)
    return Check(name=name, outcome="pass", words=f"{counted(len(tools), 'tool')}, each with a description")


# -- about episodes -----------------------------------------------------------------------------------------------------


async def gold_passes(
    environment: EnvironmentSpec, tasks: list[Task], play: Play = play, judge: Policy | None = None
) -> Answer:
    solved = [(task, replies) for task in tasks if (replies := environment.gold_replies(task))]
    for start in range(0, len(solved), _AT_ONCE):
        some = solved[start : start + _AT_ONCE]
        for (task, _), played in zip(
            some, await asyncio.gather(*(play(environment, *each, judge=judge) for each in some)), strict=True
        ):
            if not played.verdict.passed:
                return "fail", f"the gold solution of {task.id} scores {played.verdict.reward}: {why(played)}"
    if not solved:
        return "unclear", "no task has an answer, an expected call or a gold solution. Write gold(task)"
    return "pass", f"{len(solved)} of {len(solved)}"


async def _cheats_fail(environment: EnvironmentSpec, tasks: list[Task], play: Play) -> Answer:
    tried, paid = 0, ""
    for task in tasks:
        prompt = task.prompt if isinstance(task.prompt, str) else ""
        replies: Replies = ["", prompt, "x" * 20_000]
        gold = environment.gold_replies(task)
        best = (await play(environment, task, gold)).verdict.reward if gold else None
        cheats = [*([reply] for reply in replies), *environment.cheat_replies(task)]
        plays = await asyncio.gather(*(play(environment, task, cheat) for cheat in cheats))
        tried += len(cheats)
        for place, (cheat, played) in enumerate(zip(cheats, plays, strict=True)):
            reply = cheat[0] if len(cheat) == 1 else cheat
            reward = played.verdict.reward
            if reward is None:
                return "fail", f"{task.id}: the verifier gave no verdict on {short(reply)}: {why(played)}"
            if played.verdict.passed:
                return "fail", f"{task.id}: a reply that should fail passed: {short(reply)}"
            if best is not None and reward >= best:
                return "fail", f"{task.id}: {short(reply)} earns {reward}, as much as the gold solution ({best})"
            if place < len(replies) and best is not None and reward > _EARNS * best > 0 and not paid:
                paid = f"{task.id}: {short(reply)} earns {reward:.3g} of {best:g}"
    if paid:
        return (
            "unclear",
            f"{tried} tried, and none passed. But {paid}. A reply that says nothing should earn almost nothing",
        )
    return "pass", f"{tried} tried"


async def _repeatable(environment: EnvironmentSpec, tasks: list[Task], play: Play) -> Answer:
    for task in tasks[:10]:
        first, again = [await play(environment, task, await busy_replies(environment, task)) for _ in range(2)]
        if first.trajectory.error is not None:
            return "fail", f"{task.id}: the episode failed: {why(first)}"
        if _numbered(first.trajectory.items) != _numbered(again.trajectory.items):
            return (
                "fail",
                f"{task.id}: the tools returned different results for the same replies. Seed random numbers from task.id",
            )
        if first.trajectory.end_state != again.trajectory.end_state:
            return "fail", f"{task.id}: the same replies gave a different end state"
        if first.verdict != again.verdict:
            return "fail", f"{task.id}: the same replies scored {first.verdict.reward}, then {again.verdict.reward}"
    return "pass", "tool results, end state and verdict depend only on the task and the replies"


def _numbered(items: list[Item]) -> list[Item]:
    """The items with numbers as call ids. Where another project's loop asks for replies, the gateway draws the ids at random."""
    ids: dict[str, str] = {}
    return [
        msgspec.structs.replace(item, call_id=ids.setdefault(item.call_id, str(len(ids))))
        if isinstance(item, FunctionCall | FunctionCallOutput)
        else item
        for item in items
    ]


async def _rescorable(environment: EnvironmentSpec, tasks: list[Task], play: Play) -> Answer:
    external = False
    for task in tasks[:10]:
        played = await play(environment, task, some_replies(environment, task))
        stored = codec.decode(codec.encode(played.trajectory), Trajectory)
        await play(environment, task, [""])  # what a verifier might remember of the live episode is gone
        again = await judged(environment, task, stored, played.context)
        if again != played.verdict:
            return (
                "fail",
                f"{task.id}: the live episode scored {played.verdict.reward}, the stored trajectory {again.reward}",
            )
        if again.reward is None:
            return "fail", f"{task.id}: the verifier gave no verdict: {why(played)}"
        external = external or played.trajectory.marked("not_rescorable")
    if external:
        return "pass", "the verdict of an external system is read from the record. It cannot be computed again"
    return "pass", "the stored trajectory gets the verdict of the live episode"


async def _isolated(environment: EnvironmentSpec, tasks: list[Task], play: Play) -> Answer:
    """Alone, and with others between its turns, an episode ends the same; so does one in which nothing is done."""
    some = tasks[:10]
    play = functools.partial(play, scored=False)
    for task, other in zip(some, some[1:] + some[:1], strict=True):
        alone = [
            (await play(environment, each, await busy_replies(environment, each))).trajectory for each in (task, other)
        ]
        if alone[0].error is not None:
            return "fail", f"{task.id}: the episode failed: {alone[0].error.kind}: {alone[0].error.message}"
        idle = (await play(environment, task, [""])).trajectory
        plays = [
            play(environment, each, await busy_replies(environment, each), pause_s=0.001)
            for each in (task, other, task)
        ]
        together = [played.trajectory for played in await asyncio.gather(*plays)]
        for each, one in zip(together, (task, other, task), strict=True):
            if each.error is not None and alone[one is other].error is None:
                words = f"{one.id}: the episode failed only while others ran: {each.error.kind}: {each.error.message}"
                return "fail", words
        idle_again = (await play(environment, task, [""])).trajectory
        pairs = zip([*alone, alone[0], idle], [*together, idle_again], strict=True)
        if any(one.end_state != two.end_state or _numbered(one.items) != _numbered(two.items) for one, two in pairs):
            return (
                "fail",
                f"{task.id}: the episode depends on other episodes. Create its state in open(), not in the class or the module",
            )
    return "pass", "episodes that run at the same time do not affect each other"


async def _survives_nonsense(environment: EnvironmentSpec, tasks: list[Task], play: Play) -> Answer:
    tried = 0
    for place, task in enumerate(tasks[:5]):
        tools = (await task_tools(environment, task)).tools
        replies: Replies = [*_NONSENSE, *([call] for call in _bad_calls(tools))]
        some = replies[:: 1 if place == 0 else 7]  # all of it once, then a sample
        tried += len(some)
        plays = await asyncio.gather(*(play(environment, task, [reply]) for reply in some))
        for reply, played in zip(some, plays, strict=True):
            if played.trajectory.error is not None or played.verdict.reward is None:
                return "fail", f"{task.id}: the reply {short(reply)} caused: {why(played)}"
    return "pass", f"{tried} malformed replies and arguments became marks, not exceptions"


def _bad_calls(tools: list[ToolSpec]) -> list[FunctionCall]:
    calls: list[FunctionCall] = []
    for spec in tools:
        texts = ["{", "[]", "null", '{"x": null}', '"' * 3, "{" * 500]
        good = fitting(spec.parameters, spec.parameters)
        names = list(spec.parameters.get("properties", {}))
        texts += [msgspec.json.encode({**good, name: value}).decode() for name in names for value in _WRONG]
        calls += [FunctionCall("c", spec.name, text) for text in texts]
    return calls


async def _closes(environment: EnvironmentSpec, tasks: list[Task], play: Play) -> Answer:
    if not callable(getattr(environment.factory, "close", None)):
        return "pass", "the environment has no close()"
    kind: Any = environment.factory
    made: list[Any] = []
    closed: list[Any] = []

    class InstrumentedEnvironment(kind):
        def open(self, task: Task) -> Any:
            made.append(self)
            return super().open(task)

        def close(self) -> Any:
            closed.append(self)
            return super().close()

    watched = msgspec.structs.replace(environment, factory=InstrumentedEnvironment)
    for replies in ([""], some_replies(environment, tasks[0]), [InfrastructureFailure("the model is gone")]):
        played = await play(watched, tasks[0], replies)  # type: ignore[arg-type]
        broken = next((mark for mark in played.trajectory.marks if mark.kind == "close_error"), None)
        if broken is not None:
            return "fail", f"{tasks[0].id}: close() raised {broken.detail}"
    if [id(state) for state in made] != [id(state) for state in closed]:
        return "fail", f"{counted(len(made), 'episode')} opened, but {len(closed)} closed"
    return "pass", f"after {len(made)} of {counted(len(made), 'episode')}"


async def _quick(environment: EnvironmentSpec, tasks: list[Task], play: Play) -> Answer:
    began = time.process_time(), time.perf_counter()
    count = 0
    for task in tasks[:20]:
        await play(environment, task, some_replies(environment, task))
        count += 1
    cpu_ms, wall_ms = [
        1e3 * (now - then) / count for now, then in zip((time.process_time(), time.perf_counter()), began, strict=True)
    ]
    words = f"{_number(cpu_ms)} CPU-ms and {_number(wall_ms)} ms wall time per episode, including the verdict"
    return ("pass", words) if cpu_ms <= 100 else ("unclear", f"{words}. This is slow for thousands of episodes")


def _number(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"
