"""Training tasks from a grammar: `toolcall?train=grammar`. Requests for every tool in thousands of wordings, with open values.

A frame of `grammar.yaml` is a family. Its alternatives, the politeness around it, and sentences that do not matter make the
wordings, and `values.py` fills the slots. Half of the requests to refuse are pairs: the same request with a harmful reason,
and with a harmless one. All of it depends only on `_SEED`. Held-out rows are not made here.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import count
from pathlib import Path, PurePath
from random import Random
from typing import Any, NamedTuple

import msgspec
import yaml

from verigym.core.records import Json, Task
from verigym.core.seeds import derive
from verigym.environments.toolcall import TOOLS
from verigym.environments.toolcall.state import state_for
from verigym.environments.toolcall.values import Value, draw_value

SIZE = 12_000
REFUSED = 0.12
"""Share of the requests to refuse, as in the shipped training tasks."""
_SEED = 11
_PAIRED = 0.5
"""Share of the requests to refuse that have a harmless twin."""
_REASON, _OPENING, _ENDING, _DISTRACTOR = 0.15, 0.3, 0.3, 0.2
"""How often a request has a harmless reason, and text around it."""
_FILE = Path(__file__).with_name("grammar.yaml")
_PARAMETERS = {spec.name: list(spec.parameters.get("properties", {})) for spec in TOOLS.specs}
_TOOLS = [name for name in _PARAMETERS if name != "refuse"]
_CHOICE = re.compile(r"\(([^()|]*(?:\|[^()|]*)+)\)")
_WORD = re.compile(r"<(\w+)>")
_SLOT = re.compile(r"\{(\w+)\}")
_NO_CAPITAL = ("{file", "{new_name", "{to")
"""What a sentence may begin with in lower case: names of files and addresses."""


class Frame(NamedTuple):
    """One line of the grammar."""

    text: str
    family: str
    is_order: bool = False


class Draft(NamedTuple):
    """A request before its values: `Please book a call with {attendee} {on_day} at {time}.`"""

    tool: str
    """The tool that the request names. It is to be refused if `harmful`."""
    family: str
    wording: str
    around: tuple[str, str] = ("", "")
    """Sentences before and after it that do not matter."""
    harmful: bool = False

    @property
    def expected(self) -> str:
        return "refuse" if self.harmful else self.tool


@cache
def tasks() -> list[Task]:
    """All tasks. No prompt occurs twice."""
    made: dict[str, Task] = {}
    for number, draft in enumerate(drafts()):
        if len(made) == SIZE:
            break
        for attempt in range(50):
            task = _filled(draft, Random(derive(_SEED, "values", number, attempt)))
            if made.setdefault(str(task.prompt).casefold(), task) is task:
                break
    ordered = sorted(made.values(), key=lambda task: derive(_SEED, "order", task.prompt))
    return [
        msgspec.structs.replace(task, id=f"toolcall/grammar/{index:05}") for index, task in enumerate(ordered, start=1)
    ]


def drafts() -> Iterator[Draft]:
    """Requests without their values, without an end. The tools have equal shares, and so have the frames of a tool."""
    refused = round(SIZE * REFUSED)
    paired = round(refused * _PAIRED)
    frames = {tool: _frames(tool) for tool in _TOOLS}
    for index in range(paired):
        tool = _TOOLS[index % len(_TOOLS)]
        orders = [frame for frame in frames[tool] if frame.is_order]
        frame = orders[index // len(_TOOLS) % len(orders)]
        yield _draft(tool, frame, Random(derive(_SEED, "pair", index)), "harmful")
        yield _draft(tool, frame, Random(derive(_SEED, "pair", index)), "harmless")
    alone = [Frame(text, f"refuse/grammar/{number:02}") for number, text in enumerate(_lines("refused"), start=1)]
    for index in range(refused - paired):
        yield _draft("refuse", alone[index % len(alone)], Random(derive(_SEED, "refused", index)))
    for index in count():
        tool = _TOOLS[index % len(_TOOLS)]
        frame = frames[tool][index // len(_TOOLS) % len(frames[tool])]
        random = Random(derive(_SEED, "request", index))
        yield _draft(tool, frame, random, "harmless" if frame.is_order and random.random() < _REASON else "")


def _draft(tool: str, frame: Frame, random: Random, reason: str = "") -> Draft:
    """A request with a wording of the frame. The twins of a pair differ only in the reason, because it is drawn last."""
    request = _expanded(frame.text, random)
    if frame.is_order:
        request = _joined(random.choice(_lines("wrappers")), request)
    opening = random.choice(_lines("openings")) if random.random() < _OPENING else ""
    ending = random.choice(_lines("endings")) if random.random() < _ENDING else ""
    if random.random() < _DISTRACTOR:
        distractor = random.choice(_lines("distractors"))
        opening, ending = (distractor, ending) if random.random() < 0.5 else (opening, distractor)
    goes_on = opening and opening[-1] not in ".!"
    wording = request if goes_on else _with_capital(request)
    if reason:
        reasons = _grammar()["reasons"][tool][reason].splitlines()
        wording += f" {_expanded(random.choice(reasons), random)}"
    harmful = reason == "harmful" or tool == "refuse"
    family = f"refuse/grammar/{tool}" if reason == "harmful" else frame.family
    return Draft(tool, family, wording, (opening, ending), harmful)


def _filled(draft: Draft, random: Random) -> Task:
    before, after = draft.around
    text = " ".join(part for part in (before, draft.wording, after) if part)
    values: dict[str, Value] = {}
    for slot in dict.fromkeys([*_SLOT.findall(text), "other"]):
        values[slot] = draw_value(slot, draft.tool, random)
        while any(values[slot].words == value.words for name, value in values.items() if name != slot):
            values[slot] = draw_value(slot, draft.tool, random)
    if "new_name" in values:
        name = f"{values['new_name'].words}{PurePath(values['file'].words).suffix}"
        values["new_name"] = Value(name, name)
    prompt = _SLOT.sub(lambda slot: values[slot[1]].words, text)
    prompt = prompt.replace("..", ".").replace(".?", "?") if "m.." in prompt or "m.?" in prompt else prompt
    if text.startswith(("{on_day}", "{minutes}")):
        prompt = prompt[0].upper() + prompt[1:]
    if "on_day" in values:
        values["day"] = values["on_day"]
    arguments: Json = {name: values[name].value for name in _PARAMETERS[draft.expected]}
    tags = {value.tag for slot, value in values.items() if value.tag and slot in text}
    tags |= {"two_names"} if "{other}" in text else set()
    tags |= {"distractor"} if before in _lines("distractors") or after in _lines("distractors") else set()
    tags |= {"unsafe"} if draft.harmful else set()
    data = {
        "expected_tool": draft.expected,
        "expected_args": arguments,
        "state": msgspec.to_builtins(state_for(draft.expected, arguments, str(values["other"].value))),
        "unsafe": draft.harmful,
    }
    lineage = [f"verigym.environments.toolcall.grammar seed {_SEED}"]
    return Task(id="", prompt=prompt, data=data, split="train", family=draft.family, tags=sorted(tags), lineage=lineage)


# -- reading the grammar -------------------------------------------------------------------------------------------------


@cache
def _grammar() -> Mapping[str, Any]:
    return yaml.safe_load(_FILE.read_text(encoding="utf-8"))


@cache
def _lines(name: str) -> list[str]:
    return _grammar()[name].splitlines()


def _frames(tool: str) -> list[Frame]:
    """The frames of a tool: orders, then statements."""
    orders, statements = (_grammar()[kind][tool].splitlines() for kind in ("orders", "statements"))
    return [
        Frame(text, f"{tool}/grammar/{number:02}", number <= len(orders))
        for number, text in enumerate([*orders, *statements], start=1)
    ]


def _expanded(text: str, random: Random) -> str:
    """The text with one of the alternatives at each place."""
    text = _WORD.sub(lambda word: random.choice(_grammar()["words"][word[1]]), text)
    while (chosen := _CHOICE.sub(lambda choice: random.choice(choice[1].split("|")), text)) != text:
        text = chosen
    text = re.sub(r" +", " ", text).strip().replace(" ,", ",").replace(" .", ".").replace(" ?", "?")
    return re.sub(r"\ba (?=[aeio])(?!one)", "an ", text)


def _joined(wrapper: str, order: str) -> str:
    return wrapper.replace("%", order)


def _with_capital(request: str) -> str:
    return request if request.startswith(_NO_CAPITAL) else request[0].upper() + request[1:]
