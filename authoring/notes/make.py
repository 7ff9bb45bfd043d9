"""Rows of `notes`, from the frames in `train.txt` and `val.txt` and the tasks in `seed.txt`, all written by hand.

A frame is one story: its name, a note with slots, values of slots that only it has (`x = a | b`, `n = 2..9`), and four questions.
The start of a question says what answers it:

    p: Who called?                          the value of slot p
    p, d: Who called, and on which day?     two values, with a comma
    which: Who called, {p|q}?               the first of the two, which are shown in any order
    yes_no: Did {p?} call?                  yes if {p?} shows the value of p, and no if it shows another value

A task of `seed.txt` has its kind, the note, the question, the answer, and the other details of the note.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from authoring.engine import Builder, Draft, Family, Trial, Turn
from authoring.notes.vocabulary import NAMES, SPOTS, THINGS, TOWNS
from authoring.vocabulary import WEEKDAYS
from verigym.core.records import Task
from verigym.core.seeds import derive
from verigym.environments.notes.verifier import words

SEED = 7
NUMBERS = [str(number) for number in range(3, 99)]
TIMES = [f"{hour}:{minute}" for hour in range(7, 21) for minute in ("00", "15", "20", "30", "45", "50")]
SLOTS = {"p": "pq", "d": "de", "h": "h", "c": "cb", "s": "sr", "n": "nm", "t": "t", "x": "x"}
"""Slots of a note that have values of the same kind, by the first of them."""
KINDS = {"p": "who", "d": "day", "h": "time", "c": "where", "s": "where", "n": "number", "t": "what", "x": "what"}
"""The tag of a question, by the slot that answers it."""


class Question(NamedTuple):
    kind: str
    slots: tuple[str, ...]
    """The slots that answer it, or the slot that is asked about."""
    text: str


class Frame(NamedTuple):
    name: str
    note: str
    values: dict[str, list[str]]
    """Values of slots that only this frame has."""
    questions: list[Question]


def blocks(name: str) -> list[list[str]]:
    text = (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8")
    return [block.splitlines() for block in text.strip().split("\n\n")]


@cache
def frames(split: str) -> list[Frame]:
    return [_frame(*block) for block in blocks(split)]


def _frame(name: str, note: str, *lines: str) -> Frame:
    values = {line[0]: _options(line[4:]) for line in lines if line[1:4] == " = "}
    return Frame(name, note, values, [_question(*line.split(": ", 1)) for line in lines[len(values) :]])


def _options(text: str) -> list[str]:
    low, dots, high = text.partition("..")
    return [str(number) for number in range(int(low), int(high) + 1)] if dots else text.split(" | ")


def _question(start: str, text: str) -> Question:
    if start in ("which", "yes_no"):
        return Question(start, (re.findall(r"\{(.)[|?]", text)[0],), text)
    slots = tuple(start.split(", "))
    return Question("two" if len(slots) == 2 else KINDS[_first(slots[0])], slots, text)


def _first(slot: str) -> str:
    return next(first for first, same in SLOTS.items() if slot in same)


def families(split: str) -> list[Family]:
    if split == "seed":
        return [Family(split, f"notes/seed/{index}", block) for index, block in enumerate(blocks("seed"), start=1)]
    return [Family(split, f"notes/{split}/{frame.name}", frame) for frame in frames(split)]


def draw(family: Family, turn: Turn) -> Draft:
    """The questions of a frame take turns."""
    if family.split == "seed":
        kind, note, question, answer, others = family.source
        return _draft(note, question, answer, others.split(" | "), kind)
    frame: Frame = family.source
    pools = _pools(family.split, frame)
    values = _values(frame.note, pools, turn.random)
    start = derive(SEED, family.name, "question") + turn.number
    kind, slots, text = frame.questions[start % len(frame.questions)]
    answer = ", ".join(values[slot] for slot in slots)
    if kind == "which":
        pair = [values[slot] for slot in re.findall(r"\{(.)\|(.)\}", text)[0]]
        turn.random.shuffle(pair)
        text = re.sub(r"\{.\|.\}", " or ".join(pair), text)
    if kind == "yes_no":
        answer = ("yes", "no")[(_asking(family.split).index(frame.name) + turn.number // len(frame.questions)) % 2]
        shown = values[slots[0]] if answer == "yes" else _other(slots[0], values, pools, turn.random)
        text, slots = text.replace(f"{{{slots[0]}?}}", shown), ()
    others = [value for slot, value in values.items() if slot not in slots]
    return _draft(frame.note.format(**values), text.format(**values), answer, others, kind)


@cache
def _asking(split: str) -> list[str]:
    """Names of the frames with a yes or no question. Both answers come equally often."""
    return [frame.name for frame in frames(split) if any(question.kind == "yes_no" for question in frame.questions)]


def _draft(note: str, question: str, answer: str, others: list[str], kind: str) -> Draft:
    return Draft(f"Note: {note}\nQuestion: {question}", {"answer": answer, "others": others}, [kind])


def _pools(split: str, frame: Frame) -> dict[str, list[str]]:
    return {
        "p": NAMES[split], "d": WEEKDAYS, "h": TIMES, "c": TOWNS[split], "s": SPOTS[split], "n": NUMBERS, "t": THINGS[split],
        "x": [], **frame.values,
    }  # fmt: skip


def _values(note: str, pools: dict[str, list[str]], random: Random) -> dict[str, str]:
    """A value for each slot of the note. No two are equal."""
    found: dict[str, str] = {}
    for first, pool in pools.items():
        slots = [slot for slot in SLOTS[first] if f"{{{slot}}}" in note]
        found |= zip(slots, random.sample(pool, len(slots)), strict=True)
    return found


def _other(slot: str, values: dict[str, str], pools: dict[str, list[str]], random: Random) -> str:
    """Another value of the same kind: from the note if it has one."""
    first = _first(slot)
    inside = [values[same] for same in SLOTS[first] if same != slot and same in values]
    return (inside or random.sample([value for value in pools[first] if value != values[slot]], 1))[0]


def check(task: Task, trial: Trial) -> Iterator[str]:
    """Each part of the answer stands in the note once, and no other detail contains it."""
    note, _, _ = str(task.prompt).partition("\nQuestion: ")
    answer = task.data["answer"]
    if task.tags != ["yes_no"]:
        for part in answer.split(", "):
            if (times := _count(part, note)) != 1:
                yield f"{part!r} stands {times} times in {note!r}"
    for other in task.data["others"]:
        if not _count(other, note):
            yield f"{other!r} is not a detail of {note!r}"
        if _count(answer, other):
            yield f"{answer!r} is in another detail: {other!r}"


def _count(part: str, text: str) -> int:
    wanted, said = words(part), words(text)
    return sum(said[i : i + len(wanted)] == wanted for i in range(len(said)))


BUILDER = Builder(
    name="notes",
    seed=SEED,
    sizes={"train": 10, "val": 4, "seed": 1},
    families=families,
    draw=draw,
    check=check,
)
