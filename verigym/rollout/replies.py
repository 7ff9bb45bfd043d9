"""What can be learnt from an episode: it is cut into what the policy was shown before it first spoke, and what followed.

`items = prompt + rest`, up to its last reply; what came after that (a tool's last result) is left out: no reply follows from it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from verigym.core.records import FunctionCall, FunctionCallOutput, Image, Item, Message, Stop, Trajectory

_CUT_SHORT = {Stop.MAX_TOKENS, Stop.CONTEXT_FULL, Stop.TOKENS_SPENT, Stop.COST_SPENT, Stop.TIME_OUT}


class Cut(NamedTuple):
    prompt: list[Item]
    rest: list[Item]
    """Its replies, with tool results and a user's words between them."""
    made: list[tuple[int, int]]
    """Each reply, as a half-open range of `prompt + rest`."""


def cut(trajectory: Trajectory) -> Cut | None:
    """None where the policy never said anything."""
    made = [(turn.made[0], turn.made[-1] + 1) for turn in trajectory.turns if turn.actor == "policy" and turn.made]
    if not made:
        return None
    first, last = made[0][0], made[-1][1]
    return Cut(trajectory.items[:first], trajectory.items[first:last], made)


def unfit(trajectory: Trajectory) -> str:
    """Why nothing should be learnt from an episode, in a word or two; empty where it may be."""
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
    """What is said, called, answered and thought: the same for two that differ in the ids of their calls alone."""
    return msgspec.json.encode([_nameless(item) for item in items])


def _nameless(item: Item) -> Item:
    return msgspec.structs.replace(item, call_id="") if isinstance(item, FunctionCall | FunctionCallOutput) else item
