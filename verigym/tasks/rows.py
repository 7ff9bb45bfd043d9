"""Converts rows of common shapes to a `Task`. `files` reads the rows, and the environment gives them meaning.

    {"prompt", "answer"}                          a question; also "choices", "pattern", "schema" or "tests" (of code)
    {"prompt", "expected_tool", "expected_args"}  a request with the right call
    {"prompt", "completion"}, {"messages"}        a demonstration: data["completion"], as items
    {"prompt", "chosen", "rejected"}              a preference: data["chosen"], data["rejected"], as items
    {"prompt", "tools", "ground_truth"}           a request with the right calls, and the tools to offer
    {"responses_create_params": {"input"}, ...}   NeMo Gym: data["tools"], data["responses_create_params"]
    {"id", "prompt", "data", ...}                 a Task

Every other key goes into `Task.data` unchanged.
"""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from verigym.core import codec
from verigym.core.errors import BadInput
from verigym.core.records import Item, Json, Message, Task
from verigym.wire.items import read_items
from verigym.wire.values import kind_of

FORMS = (
    'A row has one of these forms: {"prompt", "answer"}, {"prompt", "expected_tool", "expected_args"}, {"messages"} '
    "or another (docs/how-to/tasks.md)"
)
_OTHER_NAMES = {
    "prompt": ("question", "query", "instruction", "input", "request", "problem", "text", "user"),
    "answer": ("expected", "expected_answer", "solution", "response", "output", "target", "label", "reference", "gold"),
}
"""Names that other formats use."""
_FIELDS = set(Task.__struct_fields__)

_JUDGED_BY = {"answer", "choices", "pattern", "schema", "tests"}
"""Keys that say how a reply is scored."""
Shape = Literal["answer", "call", "demonstration", "preference", "gym", "other"]


def read_task(row: Any, name: str, origin: str, split: str | None) -> Task:
    """`name` is used for a row without an id, `split` for one without a split."""
    if not isinstance(row, dict):
        raise BadInput(f"a row must be an object, but this is {kind_of(row)}. {FORMS}")
    if _is_written(row):
        _check_prompt(row)
        written = codec.decode(msgspec.json.encode(row), Task)
        unnamed = "train" if split is None else split
        return written if written.split else msgspec.structs.replace(written, split=unnamed)
    row = {key: value for key, value in row.items() if value is not None or key not in _BY_KEY}
    read = next((read for key, read in _BY_KEY.items() if key in row), _plain)
    try:
        return msgspec.convert(_full(read(row), name, origin, split), Task)
    except msgspec.ValidationError as error:
        raise BadInput(f"this is not a Task: {error}") from error


def shape_of(task: Task) -> Shape:
    """The kind of row that a task came from, judging by its data."""
    data = task.data
    if "responses_create_params" in data:
        return "gym"
    if "chosen" in data and "rejected" in data:
        return "preference"
    if "completion" in data:
        return "demonstration"
    if "expected_tool" in data:
        return "call"
    return "answer" if not _JUDGED_BY.isdisjoint(data) else "other"


def _full(row: Json, name: str, origin: str, split: str | None) -> Json:
    """The row as a full Task. Keys that a Task does not have go into its data."""
    if row.get("id") == "":
        raise BadInput('"id" is empty. Remove it to get a generated id')
    if type(row.get("id")) is int:
        row = {**row, "id": str(row["id"])}
    name = row.get("id", name)
    full: Json = {"id": name, "family": name, "lineage": [origin], "data": {}}
    if split is not None:
        full["split"] = split
    full |= {key: value for key, value in row.items() if key in _FIELDS}
    rest = {key: value for key, value in row.items() if key not in _FIELDS}
    if isinstance(full["data"], dict):
        full["data"] = {**full["data"], **rest}
    return full


def _is_written(row: Json) -> bool:
    """Whether `save_tasks` wrote the row, by its schema version. A user's row may have its own "schema" key."""
    return "id" in row and type(row.get("schema")) is int and row["schema"] > 0


def _plain(row: Json) -> Json:
    """A question, a call, or a full Task."""
    row = _with_prompt(row)
    if "data" not in row and not ("id" in row and ({"expected_tool", "expected_args"} | _JUDGED_BY).isdisjoint(row)):
        _check_short(row)
    return row


def _demonstration(row: Json) -> Json:
    row = _with_prompt(row)
    return {**row, "completion": _json(read_items(row["completion"], "completion", _items(row["prompt"])))}


def _conversation(row: Json) -> Json:
    """`messages`: what follows the last message to the assistant is the completion. If the row has a `prompt` that the messages
    do not contain, they stay an ordinary key."""
    items = read_items(row["messages"], "messages")
    if "prompt" in row and not _holds(items, _items(_with_prompt(row)["prompt"])):
        return _plain(row)
    cut = max((index for index, item in enumerate(items) if _opens_turn(item)), default=-1) + 1
    if not cut:
        raise BadInput('"messages" starts with an assistant message. It must start with a system or user message')
    row = {**_without(row, "messages"), "prompt": _json(items[:cut])}
    return {**row, "completion": _json(items[cut:])} if items[cut:] else _plain(row)


def _preference(row: Json) -> Json:
    """`chosen` and `rejected`. If both start with the same request, that is the prompt, or the rest of it."""
    for key in ("chosen", "rejected"):
        if key not in row:
            raise BadInput(f'"{key}" is missing. A preference has "chosen" and "rejected"')
    if row["chosen"] == row["rejected"]:
        raise BadInput('"chosen" and "rejected" are identical. A preference needs two different replies')
    if "prompt" not in row and isinstance(row["chosen"], str) and isinstance(row["rejected"], str):
        row = _cut_text(row)
    prompt = _with_prompt(row)["prompt"] if "prompt" in row else []
    asked = _items(prompt)
    sides = {key: _reply(row[key], key, asked) for key in ("chosen", "rejected")}
    shared: list[Item] = []
    if all(_opens_turn(side[0]) for side in sides.values()):
        shared = sides["chosen"][: _alike(sides["chosen"], sides["rejected"])]
    if shared:
        prompt = shared if _holds(shared, asked) else [*asked, *shared]
        sides = {key: side[len(shared) :] for key, side in sides.items()}
    if not prompt:
        raise BadInput(
            '"prompt" is missing. "chosen" and "rejected" have no common beginning to use as the prompt. Add "prompt"'
        )
    for key, side in sides.items():
        if not side:
            raise BadInput(f'"{key}" has no reply after the prompt')
    prompt = prompt if isinstance(prompt, str) else _json(prompt)
    return {**row, "prompt": prompt, **{key: _json(side) for key, side in sides.items()}}


def _gym(row: Json) -> Json:
    """A NeMo Gym row: the request's `input` is the prompt, and its `instructions` become a system message before it."""
    params = row["responses_create_params"]
    if not isinstance(params, dict):
        raise BadInput(f'"responses_create_params" is {kind_of(params)}. It must be an object with "input"')
    if "prompt" in row or ("tools" in row and "tools" in params):
        key = "prompt" if "prompt" in row else "tools"
        raise BadInput(f'"{key}" is both inside and outside "responses_create_params". Keep one of them')
    if "input" not in params:
        raise BadInput('"responses_create_params" has no "input". Set "input" to the prompt')
    prompt = _with_prompt({"prompt": params["input"]}, '"input" of "responses_create_params"')["prompt"]
    if isinstance(instructions := params.get("instructions"), str):
        prompt = _json([Message("system", instructions), *_items(prompt)])
    tools = {"tools": params["tools"]} if params.get("tools") is not None else {}
    rest = _without(params, "input", "tools", "instructions" if isinstance(instructions, str) else "")
    return {**row, "prompt": prompt, **tools, "responses_create_params": rest}


_BY_KEY = {
    "responses_create_params": _gym,
    "chosen": _preference,
    "rejected": _preference,
    "completion": _demonstration,
    "messages": _conversation,
}
"""The shapes by their identifying key. The first key that a row has decides."""


def _with_prompt(row: Json, what: str = '"prompt"') -> Json:
    _check_prompt(row, what)
    prompt = row["prompt"]
    return row if isinstance(prompt, str) else {**row, "prompt": _json(read_items(prompt, what.strip('"')))}


def _check_prompt(row: Json, what: str = '"prompt"') -> None:
    if "prompt" not in row:
        raise BadInput(f"{what} is missing. {_renamed(row, 'prompt') or FORMS}")
    prompt = row["prompt"]
    if not isinstance(prompt, str | list):
        raise BadInput(f"{what} is {kind_of(prompt)}. It must be text or a list of messages")
    if not (prompt.strip() if isinstance(prompt, str) else prompt):
        raise BadInput(f"{what} is empty. Write a prompt")


def _renamed(row: Json, wanted: str) -> str:
    """What to rename if the row has the key under another name."""
    by_name = {str(key).strip().lower(): key for key in row}
    near = next((by_name[name] for name in (wanted, *_OTHER_NAMES[wanted]) if name in by_name), None)
    if near is None:
        return ""
    return f"Found {', '.join(map(str, list(row)[:5]))}. Rename {near} to {wanted} (docs/how-to/tasks.md)"


def _check_short(row: Json) -> None:
    for key in _JUDGED_BY & row.keys() - {"answer"}:
        if row[key] in (None, "", [], {}):
            raise BadInput(f'"{key}" is {kind_of(row[key])}, so a reply cannot be scored. Fill it in or remove it')
    if not _JUDGED_BY.isdisjoint(row) or isinstance(row.get("ground_truth"), list):
        return
    if "expected_tool" not in row and "expected_args" not in row:
        wrong = "the row has no answer, call, completion or preference to score a reply by"
        raise BadInput(f"{wrong}. {_renamed(row, 'answer') or FORMS}")
    if "expected_tool" not in row:
        raise BadInput('"expected_tool" is missing. A tool-call task needs it')
    if not isinstance(row["expected_tool"], str) or not row["expected_tool"]:
        raise BadInput(f'"expected_tool" is {kind_of(row["expected_tool"])}. It must be the name of a tool')
    if "expected_args" not in row:
        raise BadInput('"expected_args" is missing. A tool-call task needs it ({} for a tool without arguments)')
    if not isinstance(row["expected_args"], dict):
        kind = kind_of(row["expected_args"])
        raise BadInput(f'"expected_args" is {kind}. It must be an object of names and values (as JSON in a CSV cell)')


def _items(prompt: Any) -> list[Item]:
    """A parsed prompt as items."""
    return [Message("user", prompt)] if isinstance(prompt, str) else msgspec.convert(prompt, list[Item])


def _reply(value: Any, what: str, asked: list[Item]) -> list[Item]:
    """One side of a preference. The request is put before it, unless it already starts with it."""
    first = value[0] if isinstance(value, list) and value else None
    whole = isinstance(first, dict) and first.get("role") in ("system", "developer", "user")
    return read_items(value, what, () if whole else asked)


def _alike(left: Sequence[Any], right: Sequence[Any]) -> int:
    """How many leading members are the same."""
    same = 0
    while same < min(len(left), len(right)) and left[same] == right[same]:
        same += 1
    return same


def _holds(items: list[Item], part: list[Item]) -> bool:
    return any(items[index : index + len(part)] == part for index in range(len(items)))


def _cut_text(row: Json) -> Json:
    """Two texts without a prompt: the prompt is their common start, up to the last whole word."""
    chosen, rejected = row["chosen"], row["rejected"]
    same = _alike(chosen, rejected)
    while same and not chosen[same - 1].isspace():
        same -= 1
    if not chosen[:same].strip():
        return row
    return {**row, "prompt": chosen[:same].rstrip(), "chosen": chosen[same:], "rejected": rejected[same:]}


def _without(row: Json, *keys: str) -> Json:
    return {key: value for key, value in row.items() if key not in keys}


def _json(items: list[Item]) -> list[Any]:
    return msgspec.to_builtins(items)


def _opens_turn(item: Item) -> bool:
    """Whether the item is addressed to the assistant and does not come from a tool."""
    return isinstance(item, Message) and item.role != "assistant"
