"""Groups mined failures: duplicates, families of similar requests, and the split of each family.

Duplicates ask nearly the same and have the same right outcome, so one task is enough. Requests that are similar apart from their
values and need the same tool form a family. A whole family is trained on or held out. The hash of its name decides, unless it
resembles an existing family. The reason of a failure does not divide families, because the next version may fail differently.
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
    """A request with its right outcome, as used for grouping."""

    id: str
    prompt: str | list[Item]
    meaning: str
    """Meaning of the right outcome. Equal if two mean the same."""
    tool: str = ""
    pattern: str = ""
    """The request without its values."""
    family: str = ""
    held_out: bool = False


class FamilyAssignment(Struct, frozen=True):
    family: str
    held_out: bool


def asked(task: Task, meaning: str, right: Sequence[Item]) -> MinedRequest:
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
    )


def repeats(known: Iterable[MinedRequest], new: Iterable[MinedRequest]) -> dict[str, DuplicateTask]:
    """The new requests that repeat a known one or an earlier new one."""
    fresh = [*new]
    wanted, ids = {one.meaning for one in fresh}, {one.id for one in fresh}
    near_by = [one for one in known if one.meaning in wanted]
    tasks = [Task(id=one.id, prompt=one.prompt, data={"right": one.meaning}) for one in (*near_by, *fresh)]
    return {repeat.task: repeat for repeat in deduplicate(tasks).repeats if repeat.task in ids}


def places(
    new: Sequence[MinedRequest], known: Sequence[MinedRequest], own: Sequence[MinedRequest], held_out_share: float
) -> dict[str, FamilyAssignment | str]:
    """The family and split of each new request, by id, or a text that says why it has none (it resembles both splits).
    `known` were mined before and stay where they are. `own` are the environment's tasks."""
    groups = _groups(new)
    touched = _families(new, known)
    sides = {side: _near(new, [one for one in (*known, *own) if one.held_out is side]) for side in (False, True)}
    found: dict[str, FamilyAssignment | str] = {}
    for members in groups:
        families = {one.family: one for member in members for one in touched[member.id]}
        trained = [other for member in members for other in sides[False][member.id]]
        held = [other for member in members for other in sides[True][member.id]]
        trained += [one.id for one in families.values() if not one.held_out]
        held += [one.id for one in families.values() if one.held_out]
        place: FamilyAssignment | str
        if trained and held:
            place = f"The request resembles both {trained[0]} (training) and {held[0]} (held out)"
        else:
            named = min(families, default="") or _name(members)
            by_chance = split_of(named, {"held out": held_out_share}) == "held out"
            place = FamilyAssignment(named, bool(held) or (by_chance and not trained))
        found |= dict.fromkeys([one.id for one in members], place)
    return found


def _groups(new: Sequence[MinedRequest]) -> list[list[MinedRequest]]:
    """Similar without values if they need the same tool, or nearly identical with values."""
    groups = near.TextGroups()
    for tool in sorted({one.tool for one in new}):
        patterns = {one.pattern for one in new if one.tool == tool}
        for left, right, _ in near.links(patterns, ALIKE):
            groups.join(f"{tool}\n{left}", f"{tool}\n{right}")
    by_text: dict[str, str] = {}
    for one in new:
        text, member = _text(one), f"{one.tool}\n{one.pattern}"
        groups.join(by_text.setdefault(text, member), member)
    for left, right, _ in near.links(by_text, leaks.NEAR):
        groups.join(by_text[left], by_text[right])
    found: dict[str, list[MinedRequest]] = defaultdict(list)
    for one in new:
        found[groups.root(f"{one.tool}\n{one.pattern}")].append(one)
    return list(found.values())


def _families(new: Sequence[MinedRequest], known: Sequence[MinedRequest]) -> dict[str, list[MinedRequest]]:
    """The known requests whose family each new request joins."""
    found: dict[str, list[MinedRequest]] = {one.id: [] for one in new}
    for tool in sorted({one.tool for one in new}):
        ours, theirs = ([one for one in each if one.tool == tool] for each in (new, known))
        alike = near.likes([one.pattern for one in ours], [one.pattern for one in theirs], ALIKE) if theirs else []
        for one, others in zip(ours, alike, strict=False):
            found[one.id] = [theirs[place] for place, _ in others]
    return found


def _near(new: Sequence[MinedRequest], others: Sequence[MinedRequest]) -> dict[str, list[str]]:
    """The ids of requests that are practically the same as each new one."""
    if not new or not others:
        return {one.id: [] for one in new}
    alike = near.likes([_text(one) for one in new], [_text(one) for one in others], leaks.NEAR)
    return {one.id: [others[place].id for place, _ in found] for one, found in zip(new, alike, strict=True)}


def _name(members: Sequence[MinedRequest]) -> str:
    first = min(members, key=lambda one: (one.pattern, one.tool))
    return f"mined/{first.tool or 'answer'}/{content_hash([first.tool, first.pattern])[:12]}"


def _pattern(text: str, values: Iterable[str]) -> str:
    longest_first = sorted({near.plain(each) for each in values}, key=lambda each: (-len(each), each))
    if some := "|".join(re.escape(value) for value in longest_first if len(value) > 1):
        text = re.sub(rf"(?<!\w)(?:{some})(?!\w)", "_", text)
    return re.sub(r"\d+", "#", text)


def _text(one: MinedRequest) -> str:
    return near.text_of(Task(id=one.id, prompt=one.prompt))
