"""structured: extract nested JSON from messy text.

Each task has a JSON schema and a text: an invoice, email, note, advertisement or log. The text also contains old values,
corrections and other people's numbers. One turn.
"""

import copy
from typing import Any

import msgspec

from verigym.core.records import Json, Task
from verigym.environments import shipped
from verigym.environments.structured.verifier import structured_verifier

verifiers = {"structured_verifier": structured_verifier}
suites = {"structured_eval": "val"}


def tasks(split: str) -> list[Task]:
    """The shipped tasks of `train` or `val`. Held-out tasks have other kinds of text, other schemas, other names."""
    return shipped.tasks("structured", split)


class Environment:
    system = """\
You turn messy text into JSON. Reply with one JSON object that fits the schema, and nothing else.
Dates are YYYY-MM-DD, times 24-hour HH:MM, amounts plain numbers. What the text does not say is null. Where the text corrects \
itself, the correction counts."""
    max_turns = 1

    def open(self, task: Task) -> None: ...


def gold(task: Task) -> str:
    return _json(task.data["gold"])


def cheats(task: Task) -> list[str]:
    """Claims of success, the text, the schema, values in prose, an empty object, wrong keys, wrong types and decoys."""
    assert isinstance(task.prompt, str), "structured's prompts are text"
    right: Json = task.data["gold"]
    values = ", ".join(str(value) for value in _leaves(right))
    first = next(iter(right))
    return [
        "Done: the JSON object holds all fields of the schema.",
        task.prompt,
        f"The text says: {values}.",
        _json(task.data["schema"]),
        "{}",
        _json(dict.fromkeys(right)),
        _json([right]),
        _json(right)[:-1],
        _json({**right, "note": "complete"}),
        _json({name: value for name, value in right.items() if name != first}),
        *([_json(texts)] if (texts := _as_text(right)) != right else []),
        *(_json(_with(right, path.split("."), value)) for path, value in task.data["decoys"].items()),
    ]


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _leaves(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return [value] if inner is None else [leaf for each in inner for leaf in _leaves(each)]


def _as_text(value: Any) -> Any:
    """Numbers, booleans and nulls as text."""
    if isinstance(value, dict):
        return {name: _as_text(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_as_text(each) for each in value]
    return value if isinstance(value, str) else str(value)


def _with(right: Json, path: list[str], value: Any) -> Json:
    """A copy of the object with another value at a path such as `customer.name` or `lines.0.price`."""
    changed = copy.deepcopy(right)
    place: Any = changed
    for name in path[:-1]:
        place = place[int(name) if isinstance(place, list) else name]
    place[int(path[-1]) if isinstance(place, list) else path[-1]] = value
    return changed
