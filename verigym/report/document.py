"""What a report says, without any format: sections of blocks, and one case for each check or task.

Every text may come from a model, a task or a person. Writers escape all of it.
"""

import shlex
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from verigym.core.records import Check, FunctionCall, FunctionCallOutput, Item, Message, Reasoning, Trajectory
from verigym.draw.svg import Drawing

LONGEST = 1500
"""Characters of a text of a model that a report shows."""
Outcome = Literal["pass", "fail", "unclear", "skipped", ""]


class Words(Struct, frozen=True):
    """A paragraph."""

    text: str
    dim: bool = False


class Table(Struct, frozen=True):
    header: list[str]
    rows: list[list[str]]


class Picture(Struct, frozen=True):
    """A picture with its caption. Markdown leaves both out, so other blocks say what it shows."""

    drawing: Drawing
    caption: str = ""


class Checks(Struct, frozen=True):
    """Checks of the gate."""

    rows: list[Check]


class Step(Struct, frozen=True):
    """What to do, and the command."""

    words: str
    command: str


class Side(Struct, frozen=True):
    """What one version did with a task."""

    name: str
    text: str


class Example(Struct, frozen=True):
    """One task with what each side did."""

    outcome: Literal["gained", "lost", "passed", "failed", "not scored", "no feedback"]
    task: str
    asked: str
    expected: str
    sides: list[Side]


Block = Words | Table | Picture | Checks | Step | Example


class Section(Struct, frozen=True):
    title: str
    blocks: list[Block]
    folded: bool = False
    """Whether a reader opens it, because it is long or a detail."""
    markdown: bool = True
    """Whether a pull request comment has it, too."""


class Case(Struct, frozen=True, kw_only=True):
    """One line of a CI system: a check of the gate, or a task."""

    name: str
    group: str
    outcome: Literal["pass", "fail", "unclear", "skipped", "error"]
    words: str = ""
    seconds: float = 0.0


class Document(Struct, frozen=True, kw_only=True):
    title: str
    name: str
    """File name without its ending."""
    kind: Literal["decision", "version", "comparison", "run"]
    verdict: str = ""
    """PROMOTE, REJECT, NEED MORE DATA, NOT DECIDED, or a figure of a run."""
    tone: Outcome = ""
    lead: str = ""
    """The result in one or two sentences."""
    sections: list[Section] = []
    cases: list[Case] = []
    left_out: list[str] = []
    """What the report does not show, in words."""
    production: str = ""
    """Why the report needs care: it contains conversations of production. Empty if it contains none."""
    store: str = ""
    """The workspace that it was made from."""
    file: str = ""
    """The file of the environment, if there is one: annotations point to it."""


def typed(*words: str) -> str:
    """A command as somebody types it. Words are quoted where a shell needs it, so that no id is run as a command."""
    return shlex.join(["verigym", *words])


def clipped(text: str, most: int = LONGEST) -> str:
    """A text of a model, cut with a note of what is missing."""
    return text if len(text) <= most else f"{text[:most]} … ({len(text) - most:,} more characters)"


def asked(trajectory: Trajectory) -> str:
    """The last message of the user."""
    said = [item.text for item in trajectory.items if isinstance(item, Message) and item.role == "user"]
    return clipped(said[-1]) if said else ""


def done(trajectory: Trajectory) -> str:
    """What the agent did after the last message of the user: its calls, their results and its replies, one line each."""
    last = max(
        (i for i, item in enumerate(trajectory.items) if isinstance(item, Message) and item.role == "user"), default=-1
    )
    text = in_lines(trajectory.items[last + 1 :])
    if trajectory.error is not None:
        text += f"\n[{trajectory.error.fault} error] {trajectory.error.kind}: {trajectory.error.message}"
    return clipped(text.strip()) or "(empty)"


def in_lines(items: Sequence[Item]) -> str:
    """Messages, calls and results, one line each. Reasoning is left out."""
    return "\n".join(line for line in map(_line, items) if line)


def _line(item: Item) -> str:
    match item:
        case Message():
            return item.text
        case FunctionCall():
            return f"[call] {item.name} {item.arguments}"
        case FunctionCallOutput():
            return f"[result] {item.output}"
        case Reasoning():
            return ""
