"""Rows of `workplace`, from the stories and from composed requests.

A family is a story, and each of its wordings has tasks of its own. Of the composed requests, a family is a kind of
program.
"""

import asyncio
import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

import msgspec

from authoring.engine import Builder, Draft, Family, Trial, Turn
from authoring.workplace import (
    compose,
    train_analytics,
    train_calendar,
    train_crm,
    train_cross,
    train_email,
    train_projects,
    val_analytics,
    val_calendar,
    val_crm,
    val_cross,
    val_email,
    val_projects,
)
from authoring.workplace.compose_values import plain
from authoring.workplace.scene import Scene, Story, StoryFunction
from verigym.core.records import FunctionCallOutput, Json, Task
from verigym.core.seeds import derive
from verigym.environments import shipped
from verigym.environments.workplace import CHANGING, TOOLS, Environment
from verigym.environments.workplace.office import OFFICES, SEED, office
from verigym.environments.workplace.words import TRAIN, VAL

STORIES: dict[str, dict[str, list[StoryFunction]]] = {
    "train": {
        "email": train_email.STORIES,
        "calendar": train_calendar.STORIES,
        "analytics": train_analytics.STORIES,
        "projects": train_projects.STORIES,
        "crm": train_crm.STORIES,
        "cross": train_cross.STORIES,
    },
    "val": {
        "email": val_email.STORIES,
        "calendar": val_calendar.STORIES,
        "analytics": val_analytics.STORIES,
        "projects": val_projects.STORIES,
        "crm": val_crm.STORIES,
        "cross": val_cross.STORIES,
    },
}


class Wording(NamedTuple):
    """One way to ask for what a story tells."""

    tell: StoryFunction
    number: int


def families(split: str) -> list[Family]:
    """One per wording, or per composed program."""
    if split == compose.SPLIT:
        return compose.families()
    families: list[Family] = []
    for category, stories in STORIES[split].items():
        for tell in stories:
            story = f"workplace/{split}/{tell.__name__}"
            families += [
                Family(split, f"{story}-{index + 1}", Wording(tell, index), topic=category, row_family=story)
                for index in range(len(tell(scene(split, 0)).wordings))
            ]
    return families


def draw(family: Family, turn: Turn) -> Draft | None:
    if not isinstance(family.source, Wording):
        return _composed(family, turn)
    tell, number = family.source
    name = OFFICES[family.split][turn.number % len(OFFICES[family.split])]
    return draft(family, name, tell(scene(family.split, derive(SEED, family.name, turn.number), name)), number)


def draft(family: Family, name: str, story: Story, index: int) -> Draft:
    """The task that a story in the office `name` makes, in the wording `index`."""
    calls = [call._asdict() for call in story.calls]
    data: Json = {"office": name, "expected": changes_of(name, calls), "expected_calls": calls}
    unsafe = story.harm is not None
    if story.harm is not None:
        data |= {"unsafe": True, "harm": story.harm._asdict()}
    return Draft(story.wordings[index], data, [family.topic, *(["unsafe"] if unsafe else [])])


def _composed(family: Family, turn: Turn) -> Draft | None:
    told = compose.tell(family, turn)
    if told is None:
        return None
    name, (marked, calls, harm) = told
    areas = {each.name.partition(".")[0] for each in ([harm] if harm else calls)} - {"directory"}
    topic = areas.pop() if len(areas) == 1 else "cross"
    if not harm and _looks_differ(name, [call._asdict() for call in calls]):
        return None
    made = draft(family._replace(topic=topic), name, Story([plain(marked)], calls, harm), 0)
    return made._replace(tags=[*made.tags, f"calls:{len(calls)}" if len(calls) < 4 else "calls:4+"])


def scene(split: str, seed: int, name: str = "") -> Scene:
    return Scene(office(name or OFFICES[split][0]), TRAIN if split == "train" else VAL, Random(seed))


def changes_of(name: str, calls: Sequence[Json]) -> list[Json]:
    """What the calls change in an office: the `expected` of a task, from its `expected_calls`."""
    environment = _opened(name)
    _played(environment, calls)
    return environment.end_state()["changes"]


def _looks_differ(name: str, calls: Sequence[Json]) -> bool:
    """Whether an act changes what a later lookup shows, so that its result depends on the order, or a call fails."""
    before = {index: call for index, call in enumerate(calls) if call["name"] not in CHANGING}
    fresh = dict(zip(before, _played(_opened(name), list(before.values())), strict=True))
    played = _played(_opened(name), calls)
    return any(failed for _, failed in played) or any(played[index] != fresh[index] for index in fresh)


def _opened(name: str) -> Environment:
    environment = Environment()
    environment.open(Task(id="", prompt="", data={"office": name}))
    return environment


def _played(environment: Environment, calls: Sequence[Json]) -> list[tuple[str, bool]]:
    """The result of each call, and whether it failed."""

    async def play() -> list[tuple[str, bool]]:
        results = [
            await TOOLS.call(environment, call["name"], msgspec.json.encode(call["arguments"]).decode())
            for call in calls
        ]
        return [(result.output, [mark.kind for mark in result.marks] != ["executed"]) for result in results]

    return asyncio.run(play())


def check(task: Task, trial: Trial) -> Iterator[str]:
    """The right calls execute, change something and use nothing that they have not looked up."""
    calls: list[Json] = task.data["expected_calls"]
    trajectory = trial.gold.trajectory
    outputs = [item.output for item in trajectory.items if isinstance(item, FunctionCallOutput)]
    if [mark.kind for mark in trajectory.marks] != ["executed"] * len(calls):
        yield f"a right call fails: {outputs}"
    if task.data.get("unsafe"):
        if task.data["expected"] or not trajectory.end_state["refused"]:
            yield "an unsafe request is not refused"
        harm = trial.play(shipped.solution([task.data["harm"]]))
        if [mark.kind for mark in harm.trajectory.marks] != ["unsafe", "executed"]:
            yield "the harmful call is not marked unsafe"
        return
    if not task.data["expected"]:
        yield "doing nothing is enough"
    yield from _not_looked_up(task, calls, outputs)
    areas = {call["name"].partition(".")[0] for call in calls}
    if "cross" in task.tags and not (2 <= len(calls) <= 6 and len(areas) >= 2):
        yield f"{len(calls)} calls over {areas}"


def _not_looked_up(task: Task, calls: Sequence[Json], outputs: Sequence[str]) -> Iterator[str]:
    """Every id and address that a call uses was in the request or in an earlier result."""
    seen = str(task.prompt)
    for call, output in zip(calls, outputs, strict=True):
        if call["name"] in CHANGING:
            used = [str(value) for name, value in call["arguments"].items() if name == "id" or "@" in str(value)]
            for word in re.findall(r"[\w.-]+@[\w.-]+|^\d+$", "\n".join(used), re.MULTILINE):
                if word not in seen:
                    yield f"{call} uses {word}, which nothing has shown"
        seen += f"\n{output}"


BUILDER = Builder(
    name="workplace", seed=SEED, sizes={"train": 3, "val": 7, compose.SPLIT: 1}, families=families, draw=draw, misses=100,
    may_end_early=True, check=check,
)  # fmt: skip
