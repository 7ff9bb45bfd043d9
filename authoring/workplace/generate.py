"""Makes the tasks of `train` and `val` from the stories, the same ones every time, and checks them.

    python -m authoring.workplace.generate

rewrites `data/*.jsonl`. Each task is drawn from a seed of its own, so that a new story leaves the others as they are. `make`
gives any number of tasks of a wording, also more than are shipped.
"""

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from random import Random
from typing import NamedTuple

import msgspec

from authoring.workplace import (
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
from authoring.workplace.scene import Call, Scene, Tell
from verigym.core.records import Json, Task
from verigym.core.seeds import derive
from verigym.environments.workplace import CHANGING, DATA, TOOLS, Environment
from verigym.environments.workplace.office import OFFICES, SEED, office
from verigym.environments.workplace.state import Change
from verigym.environments.workplace.verifier import compare
from verigym.environments.workplace.words import TRAIN, VAL
from verigym.tasks.load import ship

STORIES: dict[str, dict[str, list[Tell]]] = {
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
EACH = {"train": 3, "val": 7}
"""Tasks of a wording."""


class Wording(NamedTuple):
    """One way to ask for what a story tells; a family is a story."""

    split: str
    category: str
    tell: Tell
    place: int

    @property
    def family(self) -> str:
        return f"workplace/{self.split}/{self.tell.__name__}"

    @property
    def name(self) -> str:
        return f"{self.family}-{self.place + 1}"


def wordings(split: str) -> list[Wording]:
    found: list[Wording] = []
    for category, stories in STORIES[split].items():
        for tell in stories:
            number = len(tell(_scene(split, 0)).wordings)
            found += [Wording(split, category, tell, place) for place in range(number)]
    return found


def generate(split: str) -> list[Task]:
    """All tasks, no prompt twice, in an order in which any first few are a fair mixture."""
    made = [task for wording in wordings(split) for task in islice(make(wording), EACH[split])]
    return sorted(made, key=lambda task: derive(SEED, "order", task.id))


def make(wording: Wording) -> Iterator[Task]:
    """Tasks of a wording, no prompt twice, until its story has no new one to tell."""
    seen: set[str] = set()
    misses = 0
    for place in count():
        name = OFFICES[wording.split][place % len(OFFICES[wording.split])]
        story = wording.tell(_scene(wording.split, derive(SEED, wording.name, place), name))
        prompt = story.wordings[wording.place]
        if prompt in seen:
            misses += 1
            if misses > 100:
                return
            continue
        seen.add(prompt)
        misses = 0
        yield _task(wording, f"{wording.name}/{len(seen)}", name, prompt, story.calls, story.harm)


def _scene(split: str, seed: int, name: str = "") -> Scene:
    return Scene(office(name or OFFICES[split][0]), TRAIN if split == "train" else VAL, Random(seed))


def _task(wording: Wording, id: str, name: str, prompt: str, calls: Sequence[Call], harm: Call | None) -> Task:
    expected_calls = [call._asdict() for call in calls]
    data: Json = {"office": name, "expected": changes_of(name, expected_calls), "expected_calls": expected_calls}
    if harm is not None:
        data |= {"unsafe": True, "harm": harm._asdict()}
    return Task(
        id=id,
        prompt=prompt,
        data=data,
        split=wording.split,
        family=wording.family,
        tags=[wording.category, *(["unsafe"] if harm is not None else [])],
        lineage=[f"verigym.environments.workplace.generate seed {SEED}"],
    )


def changes_of(name: str, calls: Sequence[Json]) -> list[Json]:
    """What calls change in an office: the `expected` of a task, from its `expected_calls`."""
    return asyncio.run(_play(Task(id="", prompt="", data={"office": name}), calls)).end_state["changes"]


class _Played(NamedTuple):
    end_state: Json
    outputs: list[str]
    kinds: list[list[str]]
    """Of the marks of each call."""


async def _play(task: Task, calls: Sequence[Json]) -> _Played:
    environment = Environment()
    environment.open(task)
    results = [
        await TOOLS.call(environment, one["name"], msgspec.json.encode(one["arguments"]).decode()) for one in calls
    ]
    kinds = [[mark.kind for mark in result.marks] for result in results]
    return _Played(environment.end_state(), [result.output for result in results], kinds)


# -- Checking ---------------------------------------------------------------------------------------------------------------


def check(made: Iterable[Task]) -> None:
    """Stops at the first task whose right calls do not execute, change nothing, or use what they have not looked up."""
    for task in made:
        calls: list[Json] = task.data["expected_calls"]
        played = asyncio.run(_play(task, calls))
        assert all(kinds == ["executed"] for kinds in played.kinds), f"{task.id}: {played.outputs}"
        expected, did = (
            msgspec.convert(each, list[Change]) for each in (task.data["expected"], played.end_state["changes"])
        )
        assert compare(expected, did).lines == [], f"{task.id}: {compare(expected, did).lines}"
        if task.data.get("unsafe"):
            assert not expected and played.end_state["refused"], task.id
            assert asyncio.run(_play(task, [task.data["harm"]])).kinds == [["unsafe", "executed"]], task.id
            continue
        assert compare(expected, []).lines, f"{task.id}: doing nothing is enough"
        _check_looked_up(task, calls, played.outputs)
        if "cross" in task.tags:
            areas = {call["name"].partition(".")[0] for call in calls}
            assert 2 <= len(calls) <= 6 and len(areas) >= 2, f"{task.id}: {len(calls)} calls over {areas}"


def _check_looked_up(task: Task, calls: Sequence[Json], outputs: Sequence[str]) -> None:
    """Every id and address that is used was in the request, or in what an earlier call showed."""
    seen = str(task.prompt)
    for call, output in zip(calls, outputs, strict=True):
        if call["name"] in CHANGING:
            used = [str(value) for name, value in call["arguments"].items() if name == "id" or "@" in str(value)]
            for word in re.findall(r"[\w.-]+@[\w.-]+|^\d+$", "\n".join(used), re.MULTILINE):
                assert word in seen, f"{task.id}: {call} uses {word}, which nothing has shown"
        seen += f"\n{output}"


def main() -> None:
    for split in ("train", "val"):
        made = generate(split)
        check(made)
        ship(DATA, split, made)


if __name__ == "__main__":
    main()
