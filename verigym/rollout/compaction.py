"""Compaction of long episodes: the policy summarizes what happened, and continues from the summary instead of the conversation.

The summary is a reply of the policy in the old context, so it is trained on like any other. The next reply starts a new root,
because its context no longer extends the earlier one: system prompt, task, summary.

    s u | a1 r1 a2 r2 | "Summarize ..." | summary     one path of turns
    s u | "Your summary ..." | a3 r3 ...              the next one
"""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from verigym.core.protocols import Request
from verigym.core.records import Item, Mark, Message, Turn
from verigym.rollout.session import Log, Session, first_items

ASK = (
    "The conversation is becoming too long. Summarize it, so that you can continue the task from the summary alone. State "
    "what the task is, what you have done, what you have found out (exact names, ids and values), and what is left to do."
)
_BEFORE = "You have worked on this task before. This is your own summary of the work so far:\n\n"


def is_due(log: Log, compact_at: int) -> bool:
    """Whether the next prompt has more tokens than allowed. It has at least the tokens of the last prompt and reply."""
    if not compact_at or not log.own:
        return False
    usage = log.turns[log.own[-1]].usage
    return usage.prompt_tokens + usage.completion_tokens > compact_at


async def compact(session: Session, reply: Callable[[Request], Awaitable[Turn]], request: Request) -> None:
    """Asks the policy for a summary, without tools, and lets it continue from there."""
    log = session.log
    log.append(Message("user", ASK))
    turn = await reply(msgspec.structs.replace(request, tools=[]))
    made = [log.items[i] for i in turn.made]
    summary = "".join(item.text for item in made if isinstance(item, Message))
    log.marks.append(Mark("compacted", turn.made[0] if turn.made else None))
    begin = len(first_items(session.environment, session.task, session.agent))
    log.view, log.own = [*range(begin), len(log.items)], []
    log.items.append(Message("user", _BEFORE + summary))


def own_view(log: Log) -> tuple[list[Item], list[Turn]]:
    """The items that the policy sees, and its turns with indices of these items. Without compaction these are all items."""
    if log.view is None:
        return log.items[:], [log.turns[index] for index in log.own]
    return [log.items[index] for index in log.view], viewed(log.turns, log.own, log.view)


def viewed(turns: list[Turn], path: list[int], view: list[int]) -> list[Turn]:
    """The turns of a path as a policy needs them: what they made, and their parents, count in the policy's own view."""
    place = {index: position for position, index in enumerate(view)}
    order = {turn: position for position, turn in enumerate(path)}

    def moved(turn: Turn) -> Turn:
        parent: Any = None if turn.parent is None else order.get(turn.parent)
        made = [place[index] for index in turn.made if index in place]
        return msgspec.structs.replace(turn, made=made, parent=parent)

    return [moved(turns[index]) for index in path]
