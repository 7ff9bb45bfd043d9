"""Tasks of `functions` from the library: a request, the functions that are offered, and the calls that are right.

Every function of the library has the same share. A task offers one to eight functions, mostly of the same area, all in one style
(`library.STYLES`). A request states the required values in its own words and some optional ones. In a few tasks no function fits,
and in a few the request asks for two calls. All of it depends only on `SEED`. The held-out tasks are shipped as rows.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import yaml

from verigym.core.records import Json, Task
from verigym.core.seeds import derive
from verigym.environments.functions.kinds import Value
from verigym.environments.functions.library import (
    HELD_OUT,
    NUM_STYLES,
    STYLES,
    Function,
    Parameter,
    areas,
    function_name,
    parameter_name,
    tool,
)

SEED = 23
SIZES = {"train": 13_000, "val": 280}
_NO_CALL, _TWO_CALLS = 0.06, 0.06
"""Shares of the tasks where no function fits, and of those that ask for two calls."""
_OPTIONAL, _LISTED, _OPENING, _ENDING = 0.3, 0.25, 0.2, 0.12
"""How often an optional value is given, the values are listed by name, and text surrounds the request."""
_OFFERED = (1,) * 30 + (2,) * 25 + (3,) * 20 + (4,) * 15 + (5, 5, 6, 6, 7, 7, 8, 8, 6, 8)
"""Numbers of offered functions, as often as they are drawn."""
_SAME_AREA = 0.75
_FILE = Path(__file__).with_name("wordings.yaml")
_SLOT = re.compile(r"\{([\w.]+)\}")
_FOR_ME = ("help me", "I want to", "I need to", "let's")
"""What does not go together with "find me a hotel"."""
_LOWER_START = re.compile(r"[a-z][a-z']* |[a-z]+,")


class Request(NamedTuple):
    function: Function
    words: str
    """Without what surrounds it."""
    is_order: bool
    values: dict[str, Any]
    """Parameter to value."""


@cache
def tasks(split: str) -> list[Task]:
    """All tasks of a split. No prompt occurs twice."""
    functions = [each for area, of in areas().items() if (area in HELD_OUT) == (split == "val") for each in of]
    made: dict[str, Task] = {}
    order: list[Function] = []
    for index in count():
        if len(made) == SIZES[split]:
            return list(made.values())
        # Every round visits the functions in another order, so that any part of the tasks has all areas.
        turn, at = divmod(index, len(functions))
        if at == 0:
            order = functions[:]
            Random(derive(SEED, split, "order", turn)).shuffle(order)
        task = _task(split, order[at], functions, Random(derive(SEED, split, index)), len(made) + 1)
        made.setdefault(str(task.prompt).casefold(), task)
    raise AssertionError("unreachable")


def _task(split: str, function: Function, functions: list[Function], random: Random, number: int) -> Task:
    style, kind = random.randrange(NUM_STYLES), random.random()
    asked = [_request(function, random)]
    fits = kind >= _NO_CALL
    others = _others(function, functions, random, fits)
    if kind >= 1 - _TWO_CALLS:
        second = random.choice([function, *others])
        asked.append(_request(second, random))
    offered = ([function] if fits else []) + others
    random.shuffle(offered)
    calls = [_call(request, style) for request in asked] if fits else []
    tags = [function.area, "no_call" if not calls else "several" if len(calls) > 1 else "one_call"]
    if fits and any(each.area == function.area for each in others):
        tags.append("near_miss")
    if any(not parameter.required and parameter.name in asked[0].values for parameter in function.parameters):
        tags.append("optional")
    return Task(
        id=f"functions/{split}/{number:05}",
        prompt=_prompt(asked, _wordings()[split], random),
        data={"tools": [tool(each, style) for each in offered], "calls": calls},
        split=split,
        family=f"functions/{function.area}/{function.name}",
        tags=tags,
        lineage=[f"verigym.environments.functions.requests seed {SEED}"],
    )


def _others(function: Function, functions: list[Function], random: Random, fits: bool) -> list[Function]:
    """Other functions to offer. If none may fit, those of the same area must have another purpose in every word."""
    wanted = random.choice(_OFFERED) - 1 if fits else max(1, random.choice(_OFFERED) - 1)
    near = [each for each in areas()[function.area] if each is not function and (fits or _far(each, function))]
    random.shuffle(near)
    chosen: list[Function] = []
    names = {function.name}
    while len(chosen) < wanted:
        other = near.pop() if near and random.random() < _SAME_AREA else random.choice(functions)
        if other.name not in names and (fits or _far(other, function)):
            names.add(other.name)
            chosen.append(other)
    return chosen


def _far(one: Function, other: Function) -> bool:
    return _nouns(one.purpose).isdisjoint(_nouns(other.purpose))


@cache
def _nouns(purpose: str) -> frozenset[str]:
    return frozenset(word.rstrip("s") for word in purpose.split()[1:] if len(word) > 3)


# -- the words of a request -----------------------------------------------------------------------------------------------


def _request(function: Function, random: Random) -> Request:
    given = {parameter.name: parameter for parameter in function.parameters if parameter.required}
    values = _in_order(_drawn(list(given.values()), random), given)
    words = random.choice(function.requests)
    is_order = words[-1] not in "?."
    if random.random() < _LISTED and all(value.words for value in values.values()):
        words, is_order = function.purpose + _listed(values, given, random), True
    else:
        words = _SLOT.sub(lambda slot: values[slot[1]].words, words)
    clauses = ""
    for parameter in function.parameters:
        if parameter.clause and random.random() < _OPTIONAL:
            value = _drawn([parameter], random)[parameter.name]
            values[parameter.name] = value
            clauses += f"{',' if clauses else ''} {parameter.clause.replace('{}', value.words)}"
    if clauses:
        words = words + clauses if is_order else f"{words[:-1]}{clauses}{words[-1]}"
    return Request(function, words, is_order, {name: value.value for name, value in values.items()})


def _drawn(parameters: list[Parameter], random: Random) -> dict[str, Value]:
    """Values of parameters. Texts differ from each other, and no value is the default."""
    values: dict[str, Value] = {}
    for parameter in parameters:
        value = parameter.kind.draw(random)
        for _ in range(8):
            if value.value != parameter.default and (not isinstance(value.value, str) or value not in values.values()):
                break
            value = parameter.kind.draw(random)
        values[parameter.name] = value
    return values


def _in_order(values: dict[str, Value], given: dict[str, Parameter]) -> dict[str, Value]:
    """The earlier of two dates comes first."""
    dates = [
        name
        for name in values
        if given[name].kind.hint.startswith("in the format ") and "YYYY" in given[name].kind.hint
    ]
    if len(dates) == 2 and given[dates[0]].kind.hint == given[dates[1]].kind.hint:
        first, last = sorted((values[name] for name in dates), key=_day)
        values[dates[0]], values[dates[1]] = first, last
    return values


def _day(value: Value) -> tuple[str, ...]:
    """Year, month and day of a date in one of the formats."""
    text = value.value
    if text[4] == "-":
        return tuple(text.split("-"))
    return (text[6:], text[:2], text[3:5]) if text[2] == "/" else (text[6:], text[3:5], text[:2])


def _listed(values: dict[str, Value], given: dict[str, Parameter], random: Random) -> str:
    """` with amount $500 and years 12`."""
    frame, sign = random.choice(_wordings()["listed"]), random.choice((" ", " = ", ": "))
    if "where" in frame:
        sign = " is "
    said = {
        name: ("no", "yes")[value.value] if isinstance(value.value, bool) else value.words
        for name, value in values.items()
    }
    pairs = [f"{given[name].words}{sign}{words}" for name, words in said.items()]
    joined = pairs[0] if len(pairs) == 1 else f"{', '.join(pairs[:-1])} and {pairs[-1]}"
    return frame.replace("%", joined)


def _prompt(asked: list[Request], wordings: dict[str, list[str]], random: Random) -> str:
    opening = random.choice(wordings["openings"]) if random.random() < _OPENING else ""
    ending = random.choice(wordings["endings"]) if random.random() < _ENDING else ""
    sentences = [_sentence(request, wordings, random) for request in asked]
    if len(sentences) > 1:
        sentences.insert(1, random.choice(wordings["ties"]))
    parts = [part for part in (opening, *sentences, ending) if part]
    for at, part in enumerate(parts):
        if at == 0 or parts[at - 1][-1] in ".!?\"'":
            parts[at] = _capital(part)
    return " ".join(parts)


def _sentence(request: Request, wordings: dict[str, list[str]], random: Random) -> str:
    if not request.is_order:
        return request.words
    order = random.choice(wordings["orders"])
    if order.startswith(_FOR_ME) and " me " in f"{request.words} ":
        order = "%."
    return order.replace("%", request.words).replace("..", ".")


def _capital(text: str) -> str:
    """With a capital letter, unless it starts with a code or a name in lower case."""
    return text[0].upper() + text[1:] if _LOWER_START.match(text) else text


# -- the calls ------------------------------------------------------------------------------------------------------------


def _call(request: Request, number: int) -> Json:
    style = STYLES[number]
    arguments: Json = {}
    for parameter in request.function.parameters:
        if parameter.name in request.values:
            *outer, name = (parameter_name(part, style) for part in parameter.name.split("."))
            inside = arguments
            for part in outer:
                inside = inside.setdefault(part, {})
            inside[name] = request.values[parameter.name]
    return {"name": function_name(request.function, style), "arguments": arguments}


def declines() -> list[str]:
    """Replies to requests that no function fits."""
    return _wordings()["declines"]


@cache
def _wordings() -> dict[str, Any]:
    return yaml.safe_load(_FILE.read_text(encoding="utf-8"))


def library_calls(split: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Each function of a split in each style: its name and the names of its parameters."""
    for area, functions in areas().items():
        if (area in HELD_OUT) == (split == "val"):
            for function in functions:
                for number in range(NUM_STYLES):
                    made = tool(function, number)
                    yield made["name"], frozenset(made["parameters"]["properties"])
