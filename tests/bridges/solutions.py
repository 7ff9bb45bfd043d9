"""Gold solutions as other frameworks play them: one action at a time, with the names of tools that APIs allow."""

import json
from typing import Any

from verigym.core.records import FunctionCall, Message, Task
from verigym.harness.environment import EnvironmentSpec
from verigym.wire.tools import ToolNames

Action = tuple[str, dict[str, Any]] | str
"""A call, as name and arguments, or a text."""


def gold(spec: EnvironmentSpec, task: Task) -> list[list[Action]]:
    """The replies of the gold solution. A reply has calls or is one text. The last is a text."""
    replies: list[list[Action]] = []
    for reply in spec.gold_replies(task):
        items = [Message("assistant", reply)] if isinstance(reply, str) else reply
        names = ToolNames((tool.name for tool in spec.tools), items)
        calls: list[Action] = [
            (names.wire(item.name), json.loads(item.arguments)) for item in items if isinstance(item, FunctionCall)
        ]
        text = "".join(item.text for item in items if isinstance(item, Message))
        replies.append(calls or [text])
    if not isinstance(replies[-1][0], str) and spec.max_turns > 1:
        replies.append(["Done."])
    return replies


def actions(spec: EnvironmentSpec, task: Task) -> list[Action]:
    return [action for reply in gold(spec, task) for action in reply]
