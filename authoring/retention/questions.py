"""Ways to write a family in a few lines: a question with slots, the values of the slots, and the answer.

    number(lambda a, b: (f"What is {a} + {b}?", a + b), a=range(2, 10), b=range(2, 10))
    facts("What is the plural of {}?", "mouse: mice, foot: feet")
    lookup("{a} is at {x}. {b} is at {y}.", "Where is {k}?", NAMES, PLACES)

Slots that have the same list get different values.
"""

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from authoring.retention.families import Family, Question

Slots = Sequence[Any]
Asked = Callable[..., tuple[Any, ...]]
"""From the values of the slots to the question and its answer."""


def _drawn(draw: Random, slots: dict[str, Slots]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for values in {id(values): values for values in slots.values()}.values():
        names = [slot for slot in slots if slots[slot] is values]
        found |= zip(names, draw.sample(values, len(names)), strict=True)
    return found


def number(asked: Asked, **slots: Slots) -> Family:
    """The answer is a number that the question does not contain."""

    def ask(draw: Random) -> Question:
        while True:
            prompt, answer = asked(**_drawn(draw, slots))
            if str(answer) not in re.findall(r"[0-9]+", prompt):
                return prompt, {"rule": "number", "answer": answer}

    return ask


def options(asked: Asked, **slots: Slots) -> Family:
    """The answer is followed by the wrong options."""

    def ask(draw: Random) -> Question:
        prompt, answer, *others = asked(**_drawn(draw, slots))
        return prompt, {"rule": "options", "answer": answer, "others": others}

    return ask


def yes_no(asked: Asked, **slots: Slots) -> Family:
    def ask(draw: Random) -> Question:
        prompt, yes = asked(**_drawn(draw, slots))
        answer, other = ("yes", "no") if yes else ("no", "yes")
        return f"{prompt} Answer yes or no.", {"rule": "options", "answer": answer, "others": [other]}

    return ask


def facts(question: str, table: str) -> Family:
    """`table` is `key: answer, key: answer`. The other answers are the wrong options, unless they are in the key."""
    pairs = [tuple(part.strip() for part in pair.split(":")) for pair in table.split(",")]

    def ask(draw: Random) -> Question:
        key, answer = draw.choice(pairs)
        said = set(re.findall(r"\w+", key.casefold()))
        others = {other for _, other in pairs if other != answer and not said.issuperset(other.casefold().split())}
        return question.format(key), {"rule": "options", "answer": answer, "others": sorted(others)}

    return ask


def amounts(question: str, table: str) -> Family:
    """`facts` whose answers are numbers."""
    pairs = [tuple(part.strip() for part in pair.split(":")) for pair in table.split(",")]

    def ask(draw: Random) -> Question:
        key, answer = draw.choice(pairs)
        return question.format(key), {"rule": "number", "answer": int(answer)}

    return ask


def lookup(story: str, question: str, keys: Slots, values: Slots) -> Family:
    """`story` says something of {a} and {b}: {x} and {y}. `question` asks for that of {k}, one of the two."""

    def ask(draw: Random) -> Question:
        (a, b), (x, y) = draw.sample(keys, 2), draw.sample(values, 2)
        k, answer, other = draw.choice([(a, x, y), (b, y, x)])
        prompt = f"{story.format(a=a, b=b, x=x, y=y)} {question.format(k=k)}"
        return prompt, {"rule": "options", "answer": str(answer), "others": [str(other)]}

    return ask


def text(asked: Asked, rule: str = "words", **slots: Slots) -> Family:
    """The answer is a text: `words` ignores case, `exact` does not, `sentence` must contain it."""

    def ask(draw: Random) -> Question:
        prompt, answer = asked(**_drawn(draw, slots))
        return prompt, {"rule": rule, "answer": answer}

    return ask


def commas(asked: Asked, **slots: Slots) -> Family:
    return text(asked, "commas", **slots)


def as_json(asked: Asked, **slots: Slots) -> Family:
    return text(asked, "json", **slots)


def lines(begin: str, asked: Asked, **slots: Slots) -> Family:
    """`begin` is the beginning of each line: nothing, `-` or `1.`."""

    def ask(draw: Random) -> Question:
        prompt, answer = asked(**_drawn(draw, slots))
        return prompt, {"rule": "lines", "answer": answer, "begin": begin}

    return ask
