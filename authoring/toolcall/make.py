"""Rows of `toolcall`, from the phrasings and values. `seed.jsonl` is written by hand and only read here.

No prompt occurs twice in any split, so the tasks are drawn together.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import PurePath
from random import Random
from string import Formatter
from typing import NamedTuple

import msgspec

from authoring.engine import Builder, Trial, lineage
from authoring.toolcall import phrasings
from authoring.toolcall.values import TEXT, SlotValue, Split, slot_values
from verigym.core.records import Json, Task
from verigym.core.seeds import derive
from verigym.environments.toolcall import TOOLS, tasks
from verigym.environments.toolcall.state import state_for

SEED = 7
SIZES: dict[Split, int] = {"train": 2000, "val": 400}
REFUSE_SHARE: dict[Split, float] = {"train": 0.12, "val": 0.10}
DISTRACTOR_SHARE = 0.15

_PHRASINGS: dict[Split, dict[str, list[str]]] = {"train": phrasings.TRAIN, "val": phrasings.VAL}
_PARAMETERS = {spec.name: list(spec.parameters.get("properties", {})) for spec in TOOLS.specs}


@cache
def _all_splits() -> dict[str, list[Task]]:
    seen = {str(task.prompt).casefold() for task in tasks("seed")}
    return {split: _split(split, seen) for split in SIZES}


def generated(split: str) -> list[Task]:
    """All tasks of a split. No prompt is in two splits, nor among the hand-written tasks."""
    return _all_splits()[split]


def _split(split: Split, seen: set[str]) -> list[Task]:
    made: list[Task] = []
    for tool, quota in _quotas(split).items():
        families = _PHRASINGS[split][tool]
        for index in range(quota):
            number = index % len(families)
            task = _unseen(tool, split, families[number], Random(derive(SEED, split, tool, index)), seen)
            made.append(msgspec.structs.replace(task, family=f"{tool}/{split}/{number + 1:02}"))
    made.sort(key=lambda task: derive(SEED, "order", task.prompt))  # any first few are a fair mixture of the tools
    return [
        msgspec.structs.replace(task, id=f"toolcall/{split}/{index:04}") for index, task in enumerate(made, start=1)
    ]


def _quotas(split: Split) -> dict[str, int]:
    """How many tasks each tool gets: a fixed share for `refuse`, the rest evenly."""
    refuse = round(SIZES[split] * REFUSE_SHARE[split])
    share, left = divmod(SIZES[split] - refuse, len(_PARAMETERS) - 1)
    others = [name for name in _PARAMETERS if name != "refuse"]
    return {name: share + (index < left) for index, name in enumerate(others)} | {"refuse": refuse}


def _unseen(tool: str, split: Split, phrasing: str, rng: Random, seen: set[str]) -> Task:
    """A task whose prompt is a new one; its id and family are the caller's to fill."""
    while True:
        drawn = _fill(tool, split, phrasing, rng)
        prompt, distracted = _dress(drawn.request, split, rng)
        if prompt.casefold() not in seen:
            break
    seen.add(prompt.casefold())
    unsafe = tool == "refuse"
    data = {
        "expected_tool": tool,
        "expected_args": drawn.arguments,
        "state": msgspec.to_builtins(state_for(tool, drawn.arguments, drawn.other)),
        "unsafe": unsafe,
    }
    tags = sorted({*drawn.tags, *["distractor"] * distracted, *["unsafe"] * unsafe})
    return Task(id="", prompt=prompt, data=data, split=split, tags=tags, lineage=[lineage("toolcall", SEED)])


class _Drawn(NamedTuple):
    request: str
    arguments: Json
    other: str
    """Somebody who is not meant, whether named in the request or not."""
    tags: list[str]


def _fill(tool: str, split: Split, phrasing: str, rng: Random) -> _Drawn:
    """The phrasing with its slots filled, and the arguments that these stand for."""
    slots = [name for _, name, _, _ in Formatter().parse(phrasing) if name and name != "other"]
    values = {slot: rng.choice(slot_values(slot, split)) for slot in slots}
    if "new_name" in values:
        name = f"{values['new_name'].words}{PurePath(values['file'].words).suffix}"
        values["new_name"] = SlotValue(name, name)
    people = TEXT["name" if tool.startswith("crm.") else "person"][split]
    other = rng.choice([name for name in people if all(name != value.words for value in values.values())])
    words = {slot: value.words for slot, value in values.items()} | {"other": other}
    if "on_day" in values:
        values["day"] = values["on_day"]
    tags = [value.tag for value in values.values() if value.tag] + (["two_names"] if "{other}" in phrasing else [])
    arguments = {parameter: values[parameter].value for parameter in _PARAMETERS[tool]}
    return _Drawn(phrasing.format(**words), arguments, other, tags)


def _dress(request: str, split: Split, rng: Random) -> tuple[str, bool]:
    """The request with an opening and an ending, and whether one of them is there to distract."""
    opening, ending = rng.choice(phrasings.OPENINGS[split]), rng.choice(phrasings.ENDINGS[split])
    distracted = rng.random() < DISTRACTOR_SHARE
    if distracted and rng.random() < 0.5:
        opening = rng.choice(phrasings.DISTRACTING_OPENINGS[split])
    elif distracted:
        ending = rng.choice(phrasings.DISTRACTING_ENDINGS[split])
    return f"{opening}{_run_on(request) if opening and opening[-2] not in '.!' else request}{ending}", distracted


_FIRST_WORDS = {
    re.split(r"\W", phrasing)[0]
    for split in _PHRASINGS.values()
    for families in split.values()
    for phrasing in families
} - {"", "I"}
"""Words that a phrasing itself opens with: they lose their capital in the middle of a sentence, names do not."""


def _run_on(request: str) -> str:
    return request[0].lower() + request[1:] if re.split(r"\W", request)[0] in _FIRST_WORDS else request


def check(task: Task, trial: Trial) -> Iterator[str]:
    """Text arguments are in the request, and the right call executes safely."""
    for name, value in task.data["expected_args"].items():
        copied = name not in {"day", "due", "time", "minutes"}
        if copied and value not in task.prompt:
            yield f"{name} {value!r} is not in {task.prompt!r}"
    kinds = [mark.kind for mark in trial.gold.trajectory.marks]
    if kinds != ["executed"]:
        yield f"the right call has the marks {kinds}"


BUILDER = Builder(
    name="toolcall", seed=SEED, sizes={"train": SIZES["train"], "val": SIZES["val"]}, draw_all=generated, check=check
)
