"""The conversation of an episode: its items in order, joined with their calls, marks and turns.

Only items that are shown are decoded, so a trajectory of 50 MB opens as fast as a small one. A long text is cut, and the rest has
a page of its own.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from verigym.core import codec
from verigym.core.errors import NotFound, not_found
from verigym.core.items import FunctionCall, FunctionCallOutput, Image, Item, Message, Reasoning, Refusal
from verigym.core.records import Failure, Mark, Sampling, Stop, Turn, Version
from verigym.core.words import counted
from verigym.view.page import url
from verigym.view.read import Reader
from verigym.view.text import LONGEST, left_out

PAGE = 200
"""Items on one page."""
_BUDGET = 300_000
"""Characters of a page of items. What comes after is cut shorter."""
_SHORT = 1_000
KINDS = ("system", "user", "assistant", "reasoning", "call", "result")
_BAD_MARKS = {"format_error", "unknown_tool", "bad_arguments", "tool_error", "tool_limit", "tool_time_out", "unsafe"}


class EpisodeRecord(Struct, frozen=True, kw_only=True):
    """A stored trajectory whose items and end state are not decoded yet."""

    id: str
    task: str
    group: str = ""
    index: int = 0
    items: list[msgspec.Raw] = []
    tools: str = ""
    turns: list[Turn] = []
    marks: list[Mark] = []
    rewards: list[float] = []
    states: list[str] = []
    end_state: msgspec.Raw = msgspec.Raw(b"{}")
    blobs: dict[str, str] = {}
    outcome: str = ""
    interventions: list[str] = []
    stop: Stop = Stop.DONE
    error: Failure | None = None
    seed: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    gaps: list[str] = []
    source: str = ""
    redacted: str = ""


class ShownMark(Struct, frozen=True):
    kind: str
    detail: str
    bad: bool


class ShownItem(Struct, frozen=True, kw_only=True, omit_defaults=True):
    index: int
    kind: str
    """system, user, assistant, reasoning, call or result."""
    text: str = ""
    rest: str = ""
    """How much of the text is not here: `4.1 MB more`."""
    more: str = ""
    """The address of the whole text."""
    name: str = ""
    """The tool of a call."""
    malformed: str = ""
    """Why the arguments of a call cannot be read. They are then shown exactly as the model wrote them."""
    joined: int | None = None
    """The call of a result, or the result of a call."""
    images: list[str] = []
    refused: bool = False
    hidden: bool = False
    """Whether a reasoning item has only encrypted content."""
    marks: list[ShownMark] = []
    turn: int | None = None
    """The turn that made it."""


class ShownTurn(Struct, frozen=True, kw_only=True, omit_defaults=True):
    number: int
    actor: str
    agent: str = ""
    agent_label: str = ""
    agent_href: str = ""
    first: int = 0
    """The first item that it made."""
    saw: str = ""
    goes_on: str = ""
    """Which turn it continues, or that it begins a new context."""
    branch: bool = False
    """Whether it does not simply continue the turn before it."""
    latency_s: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    finish: str = ""
    reward: float | None = None
    sampling: str = ""
    ids: bool = False
    """Whether the ids that it sampled are stored."""


class Conversation(Struct, frozen=True, kw_only=True):
    items: list[ShownItem]
    turns: dict[int, ShownTurn]
    """By number, those of the items on this page."""
    total: int
    first: int
    before: int | None = None
    """The first item of the page before. None on the first page."""
    after: int | None = None
    kinds: dict[str, int] = {}
    """Number of items of each kind, before any is hidden. Empty for an episode with more than one page."""


def find(reader: Reader, id: str, run: str = "") -> tuple[str, EpisodeRecord, list[str]]:
    """The run of an episode, the episode, and other runs that have the same id. A unique prefix of an id is enough."""
    rows = reader.rows("SELECT run FROM trajectories WHERE id = ? ORDER BY rowid DESC LIMIT 20", id)
    if not rows and id:
        last = id[:-1] + chr(min(ord(id[-1]) + 1, 0x10FFFF))
        near = reader.rows("SELECT DISTINCT id FROM trajectories WHERE id >= ? AND id < ? LIMIT 6", id, last)
        if len(near) > 1:
            some = ", ".join(one for (one,) in near[:5])
            raise NotFound(f'"{id}" matches several episodes: {some}. Write more of the id')
        if near:
            return find(reader, near[0][0], run)
    runs = [one for (one,) in rows]
    if not runs or (run and run not in runs):
        some = [one for (one,) in reader.rows("SELECT id FROM trajectories LIMIT 5")]
        raise not_found("trajectory", id, some, "List the episodes of a run on its page")
    chosen = run or runs[0]
    body = reader.one("SELECT body FROM trajectories WHERE id = ? AND run = ?", id, chosen)
    return chosen, codec.decode(body, EpisodeRecord), [one for one in runs if one != chosen]


def decode_item(raw: msgspec.Raw) -> Item:
    return msgspec.json.decode(raw, type=Item)


def conversation(
    reader: Reader, run: str, record: EpisodeRecord, first: int = 0, hide: Sequence[str] = (), limit: int = PAGE
) -> Conversation:
    """The items from `first` on, without the kinds that the visitor hid."""
    first = max(0, min(first, len(record.items) - 1)) if record.items else 0
    end = min(first + limit, len(record.items))
    decoded = {index: decode_item(record.items[index]) for index in range(first, end)}
    calls = {item.call_id: index for index, item in decoded.items() if isinstance(item, FunctionCall)}
    results = {item.call_id: index for index, item in decoded.items() if isinstance(item, FunctionCallOutput)}
    maker = {index: number for number, turn in enumerate(record.turns) for index in turn.made}
    marks: dict[int, list[ShownMark]] = {}
    for mark in record.marks:
        if mark.item is not None:
            marks.setdefault(mark.item, []).append(ShownMark(mark.kind, mark.detail[:500], mark.kind in _BAD_MARKS))
    items: list[ShownItem] = []
    kinds: dict[str, int] = {}
    left = _BUDGET
    for index, item in decoded.items():
        more = url("/t-item/", record.id, run=run, item=index)
        limit_of_text = LONGEST if left > 0 else _SHORT
        shown = _shown(item, index, calls, results, marks.get(index, []), maker.get(index), more, limit_of_text)
        left -= len(shown.text)
        kinds[shown.kind] = kinds.get(shown.kind, 0) + 1
        if shown.kind not in hide:
            items.append(shown)
    versions = reader.versions()
    wanted = {item.turn for item in items if item.turn is not None}
    return Conversation(
        items=items,
        turns={number: _turn(versions, record, number) for number in sorted(wanted)},
        total=len(record.items),
        first=first,
        before=max(0, first - limit) if first else None,
        after=end if end < len(record.items) else None,
        kinds=kinds,
    )


def _shown(
    item: Item,
    index: int,
    calls: Mapping[str, int],
    results: Mapping[str, int],
    marks: list[ShownMark],
    turn: int | None,
    more: str,
    limit: int,
) -> ShownItem:
    joined, malformed, name, images, refused, hidden = None, "", "", list[str](), False, False
    match item:
        case Message():
            kind: str = {"developer": "system"}.get(item.role, item.role)
            text = item.text
            if not isinstance(item.content, str):
                images = [part.sha256 for part in item.content if isinstance(part, Image)]
                refusals = [part.refusal for part in item.content if isinstance(part, Refusal)]
                refused, text = bool(refusals), "\n".join([text, *refusals]).strip("\n") if refusals else text
        case Reasoning():
            kind = "reasoning"
            parts = [part.text for part in item.summary] + [part.text for part in item.content or []]
            text, hidden = "\n\n".join(parts), not parts and bool(item.encrypted_content)
        case FunctionCall():
            kind, name, joined = "call", item.name, results.get(item.call_id)
            text, malformed = _arguments(item.arguments)
        case FunctionCallOutput():
            kind, text, joined = "result", item.output, calls.get(item.call_id)
    return ShownItem(
        index=index,
        kind=kind,
        text=text[:limit],
        rest=left_out(text, limit),
        more=more if len(text) > limit else "",
        name=name,
        malformed=malformed,
        joined=joined,
        images=images,
        refused=refused,
        hidden=hidden,
        marks=marks,
        turn=turn,
    )


def _arguments(text: str) -> tuple[str, str]:
    """The arguments over several lines, or as they are with what is wrong with them."""
    if len(text) > LONGEST:
        return text, ""
    try:
        value = codec.read_json(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        return text, f"The arguments are not JSON: {error}"
    if not isinstance(value, dict):
        return text, "The arguments are JSON, but not an object"
    if len(text) <= 70 and "\n" not in text:
        return text, ""
    return msgspec.json.format(text, indent=2), ""


def _turn(versions: Mapping[str, Version], record: EpisodeRecord, number: int) -> ShownTurn:
    turn = record.turns[number]
    goes_on, branch = _parent(record.turns, number)
    policy = [one for one, each in enumerate(record.turns) if each.actor == "policy"]
    place = policy.index(number) if number in policy else -1
    return ShownTurn(
        number=number,
        actor=turn.actor,
        agent=turn.agent,
        agent_label=versions[turn.agent].label if turn.agent in versions else turn.agent,
        agent_href=url("/versions/", turn.agent) if turn.agent in versions else "",
        first=min(turn.made, default=0),
        saw=_saw(turn.saw),
        goes_on=goes_on,
        branch=branch,
        latency_s=turn.latency_s,
        prompt_tokens=turn.usage.prompt_tokens,
        completion_tokens=turn.usage.completion_tokens,
        finish=turn.finish,
        reward=record.rewards[place] if 0 <= place < len(record.rewards) else None,
        sampling=_sampling(turn.sampling),
    )


def _parent(turns: Sequence[Turn], number: int) -> tuple[str, bool]:
    """Where the context of a turn comes from, and whether that is not simply the turn before."""
    turn = turns[number]
    if turn.rewritten:
        return "new root: the template renders earlier turns differently now", True
    if turn.parent is None:
        earlier = any(other.actor == turn.actor for other in turns[:number])
        return ("new root", True) if earlier else ("", False)
    others = [place for place, other in enumerate(turns[:number]) if other.parent == turn.parent]
    if others:
        return f"branches from turn {turn.parent + 1}", True
    return f"continues turn {turn.parent + 1}", False


def _saw(ranges: Sequence[tuple[int, int]]) -> str:
    """`items 0 to 2 and 5`"""
    said = [f"{start}" if end - start == 1 else f"{start} to {end - 1}" for start, end in ranges if end > start]
    if not said:
        return ""
    shown = ", ".join(said[:6]) + (f" and {counted(len(said) - 6, 'more range')}" if len(said) > 6 else "")
    return f"saw {'item' if shown.isdigit() else 'items'} {shown}"


def _sampling(sampling: Sampling) -> str:
    values: dict[str, Any] = msgspec.to_builtins(sampling)
    values.pop("constrain", None)
    said = [f"{name.replace('_', ' ')} {value}" for name, value in values.items() if value not in (None, [], "")]
    return ", ".join(said + (["constrained"] if sampling.constrain else []))


Outcome = Literal["passed", "failed", "partial", "unsafe", "error", "missing"]
