"""functions: read a request and call the right one of the functions that the task offers, with the values of the request.

Every task offers other functions: hundreds of them in dozens of areas, with typed parameters. In some tasks none fits, and the
right reply has no call. One turn per episode. The functions do not exist, so a call is only written down.
"""

from random import Random
from typing import Any

import msgspec

from verigym.core.errors import not_found
from verigym.core.records import FunctionCall, Item, Json, Message, Task
from verigym.core.seeds import derive
from verigym.environments import shipped
from verigym.environments.functions import requests
from verigym.environments.functions.verifier import functions_verifier

verifiers = {"functions_verifier": functions_verifier}
suites = {"functions_eval": "val"}


def tasks(split: str) -> list[Task]:
    """The training tasks, which are generated, or the shipped held-out tasks (`val`), whose functions are of other areas."""
    if split not in shipped.SPLITS:
        raise not_found("split of functions", split, shipped.SPLITS)
    return requests.tasks("train") if split == "train" else shipped.tasks("functions", split)


class Environment:
    max_turns = 1

    def open(self, task: Task) -> None:
        self.offered: list[Json] = task.data["tools"]

    def tools(self) -> list[Json]:
        return self.offered

    def call(self, name: str, arguments: Json) -> str:
        return "noted"


# -- Solutions, right and wrong -------------------------------------------------------------------------------------------


def gold(task: Task) -> list[Item]:
    """The right calls, or words if no function fits."""
    if not task.data["calls"]:
        return [Message("assistant", Random(derive(0, task.id)).choice(requests.declines()))]
    return _calls(task.data["calls"])


def cheats(task: Task) -> list[Any]:
    """Replies that must not pass: words, every function, the right calls without arguments, twice, or with text as values."""
    calls, tools = task.data["calls"], task.data["tools"]
    every = [{"name": tool["name"], "arguments": calls[0]["arguments"] if calls else {}} for tool in tools]
    if not calls:
        return ["", "Done.", str(task.prompt), _calls(every[:1]), _calls(every)]
    cheats: list[Any] = ["", "Done.", str(task.prompt), _calls([*calls, *calls])]
    cheats.append(_calls([{**call, "arguments": {}} for call in calls]))
    if len(every) > len(calls):
        cheats.append(_calls(every))
    numbers = [
        {**call, "arguments": {name: _text(value) for name, value in call["arguments"].items()}} for call in calls
    ]
    return cheats if numbers == calls else [*cheats, _calls(numbers)]


def _text(value: Any) -> Any:
    return value if isinstance(value, str | list | dict) else msgspec.json.encode(value).decode()


def _calls(calls: list[Json]) -> list[Item]:
    return [
        FunctionCall(f"call_{at}", call["name"], msgspec.json.encode(call["arguments"]).decode())
        for at, call in enumerate(calls)
    ]
