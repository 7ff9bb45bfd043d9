"""Makes the tasks of `train` and `val` from the stories, the same ones every time, and checks them.

    python -m authoring.support.generate

rewrites `data/*.jsonl`. Each task is drawn from a seed of its own, so that a new story leaves the others as they are. `make`
gives any number of tasks of a family, also more than are shipped.
"""

import asyncio
from collections.abc import Iterable, Iterator
from itertools import count, islice
from random import Random
from typing import NamedTuple

from authoring.support import (
    shops,
    train_escalations,
    train_identity,
    train_orders,
    train_refunds,
    val_escalations,
    val_identity,
    val_orders,
    val_refunds,
)
from authoring.support.world import Story, build
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Mark, Message, Task, Trajectory
from verigym.core.seeds import derive
from verigym.environments.support import DATA, TOOLS, Environment, Solution, cheats, gold
from verigym.environments.support.verifier import support_verifier
from verigym.tasks.load import ship

SEED = 13
EACH = {"train": 9, "val": 6}
"""Tasks of a family."""
SHOPS = {"train": shops.TRAIN, "val": shops.VAL}
STORIES = {
    "train": [
        *train_refunds.STORIES,
        *train_orders.STORIES,
        *train_identity.STORIES,
        *train_escalations.STORIES,
    ],
    "val": [
        *val_refunds.STORIES,
        *val_orders.STORIES,
        *val_identity.STORIES,
        *val_escalations.STORIES,
    ],
}


class Family(NamedTuple):
    split: str
    story: Story

    @property
    def name(self) -> str:
        return f"support/{self.split}/{self.story.name}"


def families(split: str) -> list[Family]:
    return [Family(split, story) for story in STORIES[split]]


def generate(split: str) -> list[Task]:
    """All tasks, in an order in which any first few are a fair mixture."""
    made = [task for family in families(split) for task in islice(make(family), EACH[split])]
    return sorted(made, key=lambda task: derive(SEED, "order", task.id))


def make(family: Family) -> Iterator[Task]:
    """Tasks of a family; its situations take turns, so that what the customer says does not decide, and so do the tellings."""
    situations, tellings = family.story.situations, family.story.tellings
    seen: set[str] = set()
    misses = 0
    for place in count():
        draw = Random(derive(SEED, family.name, place))
        turn, now = divmod(place, len(situations))
        telling = tellings[turn % len(tellings)]
        made = build(family.story, situations[now], telling, SHOPS[family.split], draw)
        if made.prompt in seen:
            misses += 1
            assert misses < 100, f"{family.name}: its prompts have too few slots for another task"
            continue
        seen.add(made.prompt)
        yield Task(
            id=f"{family.name}/{len(seen)}",
            prompt=made.prompt,
            data=made.data,
            split=family.split,
            family=family.name,
            tags=sorted({act for act, _, _ in made.data["expected"]}),
            lineage=[f"verigym.environments.support.generate seed {SEED}"],
        )


def check(made: Iterable[Task]) -> None:
    """Stops at the first task whose solution does not pass, or where a cheat does."""
    asyncio.run(_check(made))


async def _check(made: Iterable[Task]) -> None:
    for task in made:
        verdict = support_verifier(task, await _play(task, gold(task)))
        assert verdict.passed, f"{task.id}: the gold solution does not pass: {verdict.evidence}"
        for cheat in cheats(task):
            assert not support_verifier(task, await _play(task, cheat)).passed, f"{task.id}: {cheat!r} passes"


async def _play(task: Task, solution: Solution) -> Trajectory:
    """As the harness would: calls get their results, words the customer's next ones, until there are none."""
    environment = Environment()
    environment.open(task)
    items: list[Item] = []
    marks: list[Mark] = []
    for reply in solution:
        first = len(items)
        items += reply
        calls = [(first + place, item) for place, item in enumerate(reply) if isinstance(item, FunctionCall)]
        for place, call in calls:
            result = await TOOLS.call(environment, call.name, call.arguments)
            items.append(FunctionCallOutput(call.call_id, result.output))
            marks += [Mark(mark.kind, place, mark.detail) for mark in result.marks]
        if not calls:
            said = environment.user("".join(item.text for item in reply if isinstance(item, Message)))
            if said is None:
                break
            items.append(Message("user", said))
    return Trajectory(id="a", task=task.id, group="g", items=items, marks=marks, end_state=environment.end_state())


def main() -> None:
    for split in ("train", "val"):
        made = generate(split)
        check(made)
        ship(DATA, split, made)


if __name__ == "__main__":
    main()
