"""Rows of `faster_code`: a family is a kind of slow code. Held-out kinds, names and wordings are others.

Only our own functions run here, to compute the results of the hidden cases.
"""

from collections.abc import Iterator
from random import Random
from string import Template
from typing import Any

from authoring.engine import Builder, Draft, Family, Trial, Turn
from authoring.faster_code import train_lists, train_texts, val_kinds
from authoring.faster_code.kinds import Kind
from verigym.core.records import Task
from verigym.verifiers.speed_inside import encode

NUM_DRAWN = 9
"""Hidden cases that are drawn, besides the edge cases of the kind."""
KINDS = {"train": [*train_lists.KINDS, *train_texts.KINDS], "val": val_kinds.KINDS}
ASKED = {
    "train": [
        "This function is correct but slow. Write a faster one that does the same.\n\n{code}",
        "{code}\n\nMake `{name}` much faster. Its results must stay the same.",
        "`{name}` returns {does}. It takes too long for large inputs:\n\n{code}\n\nRewrite it so that it is fast.",
        "Speed this up without changing what it returns:\n\n{code}",
        "{code}\n\nThe code above is slow when the input is large. Find a better algorithm and write `{name}` again.",
    ],
    "val": [
        "Our profiler blames `{name}` for most of the running time.\n\n{code}\n\nPlease give us an efficient replacement.",
        "Here is working Python that wastes time. It computes {does}.\n\n{code}\n\nOptimise it.",
        "With big data this never ends:\n\n{code}\n\nWe need an equivalent `{name}` of lower complexity.",
    ],
}


def families(split: str) -> list[Family]:
    return [Family(split, f"faster_code/{split}/{kind.name}", kind, topic=kind.topic) for kind in KINDS[split]]


def draw(family: Family, turn: Turn) -> Draft:
    kind: Kind = family.source
    random = turn.random
    name = random.choice(kind.functions)
    words = dict(zip("abc", random.choice(kind.arguments), strict=False), f=name, k=str(random.choice(kind.constants)))
    slow = Template(kind.slow).substitute(words)
    asked = ASKED[family.split][turn.number % len(ASKED[family.split])]
    does = kind.does.replace("the constant", words["k"])
    return Draft(
        prompt=asked.format(name=name, does=does, code=f"```python\n{slow}```"),
        data={
            "entry_point": name,
            "slow": slow,
            "cases": cases(kind, slow, name, random),
            "make": kind.make,
            "sizes": list(kind.sizes),
            "gold": Template(kind.gold).substitute(words),
            "wrong": [Template(text).substitute(words) for text in kind.wrong],
        },
        tags=["optimisation", family.topic],
    )


def loaded(source: str, name: str) -> Any:
    names: dict[str, Any] = {}
    exec(source, names)
    return names[name]


def cases(kind: Kind, slow: str, name: str, random: Random) -> list[Any]:
    """Arguments and results: the edge cases, then drawn ones that grow."""
    function, make = loaded(slow, name), loaded(kind.make, "make")
    sizes = [max(1, size) for size in range(3, 3 + 2 * NUM_DRAWN, 2)]
    inputs = [*map(eval, kind.edges), *(make(random, min(size, max(kind.sizes) // 2)) for size in sizes)]
    return [[arguments, encode(function(*arguments))] for arguments in inputs]


def check(task: Task, trial: Trial) -> Iterator[str]:
    """The gold solution returns what the slow function returns. A wrong function fails a hidden case."""
    name, cases = task.data["entry_point"], task.data["cases"]
    gold = loaded(task.data["gold"], name)
    if any(encode(gold(*arguments)) != result for arguments, result in cases):
        yield "the gold solution fails a hidden case"
    for text in task.data["wrong"]:
        wrong = loaded(text, name)
        if all(encode(wrong(*arguments)) == result for arguments, result in cases):
            yield f"a wrong function passes the hidden cases:\n{text}"


BUILDER = Builder(
    name="faster_code", seed=23, sizes={"train": 12, "val": 8}, families=families, draw=draw, cheats_every=12, check=check
)  # fmt: skip
