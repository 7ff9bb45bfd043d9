"""Small changes of an output: harmless ones, after which a verdict should stand, and harmful ones, after which a pass should not.

An output is its replies, in order. An edit that cannot be applied gives nothing, and is not counted.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from verigym.audit.scripted_episodes import Replies
from verigym.core.records import FunctionCall, Message, ToolSpec, Trajectory
from verigym.harness.environment import Reply
from verigym.policies import dialects

FILLER = " and so on" * 200
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_OPPOSITES = {"yes": "no", "no": "yes", "true": "false", "false": "true"}
_LETTER = re.compile(r"\(?([A-Da-d])[).]?")
_SHORT = 200
"""Characters of an answer that a negation before it surely turns around."""


class Edit(NamedTuple):
    what: str
    """What was changed, for the words: `email.send to`."""
    replies: Replies


def replies_of(trajectory: Trajectory) -> Replies:
    """What the policy said, reply by reply."""
    made = [[trajectory.items[i] for i in turn.made] for turn in trajectory.turns if turn.actor == "policy"]
    return [bare(items) for items in made]


def bare(reply: Reply) -> Reply:
    """A reply without text that is only the written form of a call beside it."""
    if isinstance(reply, str) or not any(isinstance(item, FunctionCall) for item in reply):
        return reply
    return [item for item in reply if not (isinstance(item, Message) and dialects.looks_like_call(item.text))]


# -- harmless -----------------------------------------------------------------------------------------------------------


def json_white_space(replies: Replies) -> Replies | None:
    return _each_arguments(replies, lambda found: msgspec.json.format(msgspec.json.encode(found), indent=3).decode())


def json_key_order(replies: Replies) -> Replies | None:
    return _each_arguments(replies, lambda found: msgspec.json.encode(dict(reversed(found.items()))).decode())


def white_space_around(replies: Replies) -> Replies | None:
    return _last_text(replies, lambda text: f"\n  {text} \n")


HARMLESS: dict[str, Callable[[Replies], Replies | None]] = {
    "white space in the JSON": json_white_space,
    "another order of JSON keys": json_key_order,
    "white space around the answer": white_space_around,
}


# -- harmful ------------------------------------------------------------------------------------------------------------


def another_tool(replies: Replies, tools: Sequence[ToolSpec]) -> Iterator[Edit]:
    """The arguments as they were, for another of the offered tools: the one that takes most arguments of these names."""
    for place, at, call in _calls(replies):
        others = [spec for spec in tools if spec.name != call.name]
        if others:
            names = _arguments(call).keys()
            taken = max(others, key=lambda spec: len(names & spec.parameters.get("properties", {}).keys()))
            yield Edit(call.name, _with(replies, place, at, msgspec.structs.replace(call, name=taken.name)))


def one_argument(replies: Replies, tools: Sequence[ToolSpec]) -> Iterator[Edit]:
    schemas = {spec.name: spec.parameters.get("properties", {}) for spec in tools}
    for place, at, call in _calls(replies):
        given = _arguments(call)
        for name, value in given.items():
            other = changed(value, schemas.get(call.name, {}).get(name, {}))
            if other != value:
                text = msgspec.json.encode({**given, name: other}).decode()
                edited = msgspec.structs.replace(call, arguments=text)
                yield Edit(f"{call.name} {name}", _with(replies, place, at, edited))


def call_dropped(replies: Replies, tools: Sequence[ToolSpec]) -> Iterator[Edit]:
    for place, at, call in _calls(replies):
        yield Edit(call.name, _with(replies, place, at, None))


def another_answer(replies: Replies, tools: Sequence[ToolSpec]) -> Iterator[Edit]:
    """Where the answer is all there is: its numbers changed, else turned into its opposite."""
    if not any(_calls(replies)) and (edited := _last_text(replies, turned)):
        yield Edit("the answer", edited)


HARMFUL: dict[str, Callable[[Replies, Sequence[ToolSpec]], Iterator[Edit]]] = {
    "another tool": another_tool,
    "an argument changed": one_argument,
    "a call dropped": call_dropped,
    "another answer": another_answer,
}


def changed(value: Any, schema: dict[str, Any]) -> Any:
    """Another value of the same kind, one that the schema allows where it names them; the same where there is none."""
    if "enum" in schema:
        return next((each for each in schema["enum"] if each != value), value)
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str() if value.lower() in _DAYS:
            return _DAYS[(_DAYS.index(value.lower()) + 3) % 7].capitalize()
        case str() if found := re.search(r"[0-9](?=[^0-9]*$)", value):
            return f"{value[: found.start()]}{(int(found[0]) + 1) % 10}{value[found.end() :]}"
        case str():
            return "something else"
        case list() | dict() if value:
            return type(value)()
    return value


def turned(text: str) -> str:
    """An answer that says something else; the text itself where that cannot be made sure (a program, a long text)."""
    bare = text.strip().rstrip(".")
    if "```" in text:
        return text
    if bare.lower() in _OPPOSITES:
        return _OPPOSITES[bare.lower()]
    if found := _LETTER.fullmatch(bare):
        return "B" if found[1] in "Aa" else "A"
    if re.search("[0-9]", text):
        return re.sub(r"[0-9]+", lambda found: str(int(found[0][:15]) + 1), text)
    return f"It is not {bare}" if bare and len(bare) <= _SHORT and "\n" not in bare else text


def padded(replies: Replies) -> Replies | None:
    """The same with six hundred words more that say nothing: after the answer, or beside the call."""
    if replies and isinstance(replies[-1], list) and any(isinstance(item, FunctionCall) for item in replies[-1]):
        return [*replies[:-1], [Message("assistant", FILLER.strip()), *replies[-1]]]
    return _last_text(replies, lambda text: text + FILLER)


# -- where the edits go -------------------------------------------------------------------------------------------------


def _calls(replies: Replies) -> Iterator[tuple[int, int, FunctionCall]]:
    for place, reply in enumerate(replies):
        for at, item in enumerate(reply if isinstance(reply, list) else []):
            if isinstance(item, FunctionCall):
                yield place, at, item


def _arguments(call: FunctionCall) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(call.arguments or "{}")
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _with(replies: Replies, place: int, at: int, item: FunctionCall | None) -> Replies:
    """The replies with another call at a place, or none; a reply of which nothing is left is an empty one."""
    reply = replies[place]
    assert isinstance(reply, list)
    edited = [*reply[:at], *([] if item is None else [item]), *reply[at + 1 :]]
    return [*replies[:place], edited or "", *replies[place + 1 :]]


def _each_arguments(replies: Replies, write: Callable[[dict[str, Any]], str]) -> Replies | None:
    edited = replies
    for place, at, call in _calls(replies):
        if found := _arguments(call):
            edited = _with(edited, place, at, msgspec.structs.replace(call, arguments=write(found)))
    return edited if edited != replies else None


def _last_text(replies: Replies, edit: Callable[[str], str]) -> Replies | None:
    """The last reply with its text edited, where it is text alone."""
    items = replies[-1] if replies else []
    items = [Message("assistant", items)] if isinstance(items, str) else items
    if len(items) != 1 or not isinstance(items[0], Message) or not items[0].text.strip():
        return None
    text = edit(items[0].text)
    return None if text == items[0].text else [*replies[:-1], [Message("assistant", text)]]
