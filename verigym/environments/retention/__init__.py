"""retention: plain instructions, sums, reading and formats, to measure what a tuned agent has forgotten.

One turn, no tools. All tasks are held out, so there is no `train` split. The passages are for held-out perplexity.
"""

import json

import msgspec

from verigym.core.records import Json, Message, Task
from verigym.environments import shipped
from verigym.environments.retention.rules import asked_of, retention_verifier
from verigym.policies.dialects import write_call

verifiers = {"retention_verifier": retention_verifier}
suites = {"retention_eval": "val"}


def tasks(split: str) -> list[Task]:
    """The shipped tasks of `val`, all held out."""
    return [] if split == "train" else shipped.tasks("retention", split, ["val"])


class Passage(msgspec.Struct, frozen=True):
    id: str
    kind: str
    text: str


def passages() -> list[Passage]:
    """Passages of plain English for perplexity."""
    return msgspec.json.Decoder(Passage).decode_lines(shipped.rows("retention", "passages"))


class Environment:
    system = "You are a helpful assistant. Do exactly what is asked, and answer as briefly as you can."
    max_turns = 1

    def open(self, task: Task) -> None: ...


def gold(task: Task) -> list[Message]:
    return [Message("assistant", right(task.data))]


def cheats(task: Task) -> list[str]:
    """The answer among all other options or hidden in a tool call, the question, and repeated earlier answers."""
    answer = right(task.data)
    others = task.data.get("others") or [str(number) for number in range(200)]
    said = [item.text for item in task.prompt if isinstance(item, Message)] if isinstance(task.prompt, list) else []
    hidden = write_call("email.send", {"to": answer, "subject": answer})
    return [", ".join([answer, *others]), hidden, asked_of(task), "\n".join(said)]


def right(data: Json) -> str:
    """The right reply to a task with this data."""
    answer = data["answer"]
    match data["rule"]:
        case "commas":
            return ", ".join(answer)
        case "lines":
            marks = {"": "", "-": "- ", "1.": "{}. "}[data["begin"]]
            return "\n".join(marks.format(place) + each for place, each in enumerate(answer, start=1))
        case "json":
            return json.dumps(answer)
        case "sentence":
            return f"My uncle talks about {answer.capitalize()} every single day."
    return str(answer)
