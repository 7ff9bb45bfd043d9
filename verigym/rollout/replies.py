"""Splits an episode into its prompt, which is everything before the policy's first reply, and the rest.

`items = prompt + rest`, up to the last reply. Items after it (the result of a last tool call) are left out, because no reply
depends on them.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from verigym.core.records import FunctionCall, FunctionCallOutput, Image, Item, Message, Stop, Trajectory

_CUT_SHORT = {Stop.MAX_TOKENS, Stop.CONTEXT_FULL, Stop.TOKENS_SPENT, Stop.COST_SPENT, Stop.TIME_OUT}


class SplitTrajectory(NamedTuple):
    prompt: list[Item]
    rest: list[Item]
    """Replies, with tool results and user messages between them."""
    replies: list[tuple[int, int]]
    """Half-open range of each reply in `prompt + rest`."""


def cut(trajectory: Trajectory) -> SplitTrajectory | None:
    """Splits an episode. None if the policy never replied."""
    replies = [(turn.made[0], turn.made[-1] + 1) for turn in trajectory.turns if turn.actor == "policy" and turn.made]
    if not replies:
        return None
    first, last = replies[0][0], replies[-1][1]
    return SplitTrajectory(trajectory.items[:first], trajectory.items[first:last], replies)


def unfit(trajectory: Trajectory) -> str:
    """Why training should not use an episode, in a word or two. Empty if it may."""
    finishes = {turn.finish for turn in trajectory.turns if turn.actor == "policy"}
    if trajectory.error is not None or "error" in finishes:
        return "error"
    if trajectory.marked("unsafe"):
        return "unsafe"
    if trajectory.stop in _CUT_SHORT or finishes & {"length", "context_full"}:
        return "truncated"
    if cut(trajectory) is None:
        return "no reply"
    return "image" if any(map(_has_image, trajectory.items)) else ""


def _has_image(item: Item) -> bool:
    return (
        isinstance(item, Message) and isinstance(item.content, list) and any(isinstance(p, Image) for p in item.content)
    )


def wording(items: Sequence[Item]) -> bytes:
    """The content of the items as bytes, without call ids: equal for conversations that differ only in those."""
    return msgspec.json.encode([_nameless(item) for item in items])


def _nameless(item: Item) -> Item:
    return msgspec.structs.replace(item, call_id="") if isinstance(item, FunctionCall | FunctionCallOutput) else item
