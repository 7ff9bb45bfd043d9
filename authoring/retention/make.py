"""Rows of `retention`. `passages.jsonl` is written by hand."""

from collections.abc import Hashable, Iterator
from random import Random

from authoring.engine import Builder, Draft, Trial, Turn
from authoring.engine import Family as Rows
from authoring.retention.arithmetic import ARITHMETIC
from authoring.retention.families import FAMILIES, Family, Question
from authoring.retention.formats import FORMATS
from authoring.retention.instructions import INSTRUCTIONS
from authoring.retention.reading import READING
from verigym.core.records import Item, Message, Task
from verigym.core.seeds import derive
from verigym.environments.retention import right
from verigym.environments.retention.rules import asked_of

SEED = 7
SHOWN = {"instruction": 0, "arithmetic": 2, "reading": 2, "format": 2}
"""Number of answered questions before the one that counts. Small models need to see the form."""
SECOND = {"instruction": INSTRUCTIONS, "arithmetic": ARITHMETIC, "reading": READING, "format": FORMATS}
"""Families of the second edition. Those that ask about a table of words have one task, the others have two."""
SIZES = {"instruction": 1, "arithmetic": 2, "reading": 2, "format": 2}


def families(split: str) -> list[Rows]:
    first = [
        Rows(split, f"retention/{family.__name__}", family, topic=kind)
        for kind, families in FAMILIES.items()
        for family in families
    ]
    second = [
        Rows(split, f"retention/{name}", family, topic=kind, size=SIZES[kind], edition=2)
        for kind, families in SECOND.items()
        for name, family in families.items()
    ]
    return first + second


def draw(family: Rows, turn: Turn) -> Draft:
    random = Random(derive(SEED, family.topic, family.name.removeprefix("retention/"), turn.number))
    shown = [family.source(random) for _ in range(SHOWN[family.topic])]
    prompt, data = _unseen(family.source, random, {*turn.seen, *(asked for asked, _ in shown)})
    return Draft([*_examples(shown), Message("user", prompt)] if shown else prompt, data, [family.topic], key=prompt)


def _unseen(family: Family, draw: Random, seen: set[Hashable]) -> Question:
    asked = family(draw)
    while asked[0] in seen:
        asked = family(draw)
    return asked


def _examples(shown: list[Question]) -> list[Item]:
    """Earlier questions with their right answers."""
    pairs = [(Message("user", prompt), Message("assistant", right(data))) for prompt, data in shown]
    return [message for pair in pairs for message in pair]


def check(task: Task, trial: Trial) -> Iterator[str]:
    """An empty reply and the question itself do not pass."""
    for reply in ("", asked_of(task)):
        if trial.play([reply]).verdict.passed:
            yield f"{reply[:80]!r} passes"


BUILDER = Builder(name="retention", seed=SEED, sizes={"val": 5}, families=families, draw=draw, check=check)
