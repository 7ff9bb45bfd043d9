"""Groups mined failures: duplicates, families of similar requests, and the split of each family.

Duplicates ask nearly the same and have the same correct outcome, so one task is enough. Requests that are similar apart from
their values and need the same tool form a family. A whole family is trained on or held out. The hash of its name decides, unless
it resembles an existing family. The reason of a failure does not divide families, because the next version may fail differently.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec import Struct

from verigym.core.records import FunctionCall, Item, Task, content_hash
from verigym.policies.dialects.plain import arguments_of
from verigym.tasks import leaks
from verigym.tasks import near_duplicates as near
from verigym.tasks.dedup import DuplicateTask, deduplicate
from verigym.tasks.split import split_of

ALIKE = 0.5
"""Minimum similarity of requests in one family, without their values. For the 2,460 requests of `toolcall`, this groups at most
36, and 93% of them are grouped with their own phrasing."""


class MinedRequest(Struct, frozen=True, kw_only=True):
    """A request with its correct outcome, as used for grouping."""

    id: str
    prompt: str | list[Item]
    meaning: str
    """Meaning of the correct outcome. Equal if two mean the same."""
    tool: str = ""
    pattern: str = ""
    """The request without its values."""
    family: str = ""
    held_out: bool = False
    start: bool | None = None
    """Whether only held-out tasks have its start state. Then it cannot be trained on. A start that training tasks have decides
    nothing."""


class FamilyAssignment(Struct, frozen=True):
    family: str
    held_out: bool


def request_of(task: Task, meaning: str, right: Sequence[Item], start: bool | None = None) -> MinedRequest:
    """The task as used for grouping, with its family and split if it has them."""
    calls = [item for item in right if isinstance(item, FunctionCall)]
    values = [str(value) for call in calls for value in (arguments_of(call) or {}).values()]
    return MinedRequest(
        id=task.id,
        prompt=task.prompt,
        meaning=meaning,
        tool=" ".join(call.name for call in calls),
        pattern=_pattern(near.text_of(task), values),
        family=task.family,
        held_out=task.split != "train",
        start=start,
    )


def find_duplicates(known: Iterable[MinedRequest], new: Iterable[MinedRequest]) -> dict[str, DuplicateTask]:
    """The new requests that repeat a known one or an earlier new one."""
    new_requests = [*new]
    meanings, ids = {request.meaning for request in new_requests}, {request.id for request in new_requests}
    candidates = [*(request for request in known if request.meaning in meanings), *new_requests]
    tasks = [Task(id=request.id, prompt=request.prompt, data={"right": request.meaning}) for request in candidates]
    return {repeat.task: repeat for repeat in deduplicate(tasks).repeats if repeat.task in ids}


def assign_families(
    new: Sequence[MinedRequest],
    earlier: Sequence[MinedRequest],
    existing: Sequence[MinedRequest],
    held_out_share: float,
) -> dict[str, FamilyAssignment | str]:
    """The family and split of each new request, by id, or a text that says why it has none (it resembles both splits).
    `earlier` requests were mined before and keep their family. `existing` are the environment's tasks."""
    joined = _families(new, earlier)
    sides = {side: _near(new, [one for one in (*earlier, *existing) if one.held_out is side]) for side in (False, True)}
    assignments: dict[str, FamilyAssignment | str] = {}
    for members in _groups(new):
        families = {request.family: request for member in members for request in joined[member.id]}
        similar = {
            side: [id for member in members for id in sides[side][member.id]]
            + [request.id for request in families.values() if request.held_out is side]
            + [f"the start state of {member.id}" for member in members if side and member.start]
            for side in (False, True)
        }
        trained, held_out = similar[False], similar[True]
        assignment: FamilyAssignment | str
        if trained and held_out:
            assignment = f"The request resembles both {trained[0]} (training) and {held_out[0]} (held out)"
        else:
            name = min(families, default="") or _name(members)
            by_chance = split_of(name, {"held out": held_out_share}) == "held out"
            assignment = FamilyAssignment(name, bool(held_out) or (by_chance and not trained))
        assignments |= dict.fromkeys([member.id for member in members], assignment)
    return assignments


def _groups(new: Sequence[MinedRequest]) -> list[list[MinedRequest]]:
    """Similar without values if they need the same tool, or nearly identical with values."""
    groups = near.TextGroups()
    for tool in sorted({request.tool for request in new}):
        patterns = {request.pattern for request in new if request.tool == tool}
        for left, right, _ in near.links(patterns, ALIKE):
            groups.join(f"{tool}\n{left}", f"{tool}\n{right}")
    by_text: dict[str, str] = {}
    for request in new:
        text, member = _text(request), f"{request.tool}\n{request.pattern}"
        groups.join(by_text.setdefault(text, member), member)
    for left, right, _ in near.links(by_text, leaks.NEAR):
        groups.join(by_text[left], by_text[right])
    by_root: dict[str, list[MinedRequest]] = defaultdict(list)
    for request in new:
        by_root[groups.root(f"{request.tool}\n{request.pattern}")].append(request)
    return list(by_root.values())


def _families(new: Sequence[MinedRequest], earlier: Sequence[MinedRequest]) -> dict[str, list[MinedRequest]]:
    """The earlier requests whose family each new request joins."""
    joined: dict[str, list[MinedRequest]] = {request.id: [] for request in new}
    for tool in sorted({request.tool for request in new}):
        ours, theirs = ([request for request in side if request.tool == tool] for side in (new, earlier))
        alike = near.likes([one.pattern for one in ours], [one.pattern for one in theirs], ALIKE) if theirs else []
        for request, others in zip(ours, alike, strict=False):
            joined[request.id] = [theirs[index] for index, _ in others]
    return joined


def _near(new: Sequence[MinedRequest], others: Sequence[MinedRequest]) -> dict[str, list[str]]:
    """The ids of requests that are practically the same as each new one."""
    if not new or not others:
        return {request.id: [] for request in new}
    alike = near.likes([*map(_text, new)], [*map(_text, others)], leaks.NEAR)
    return {request.id: [others[index].id for index, _ in like] for request, like in zip(new, alike, strict=True)}


def _name(members: Sequence[MinedRequest]) -> str:
    first = min(members, key=lambda member: (member.pattern, member.tool))
    return f"mined/{first.tool or 'answer'}/{content_hash([first.tool, first.pattern])[:12]}"


def _pattern(text: str, values: Iterable[str]) -> str:
    longest_first = sorted({near.plain(value) for value in values}, key=lambda value: (-len(value), value))
    if some := "|".join(re.escape(value) for value in longest_first if len(value) > 1):
        text = re.sub(rf"(?<!\w)(?:{some})(?!\w)", "_", text)
    return re.sub(r"\d+", "#", text)


def _text(request: MinedRequest) -> str:
    return near.text_of(Task(id=request.id, prompt=request.prompt))
