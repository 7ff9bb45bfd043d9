"""Edits passing outputs and plays them again: harmless edits should keep the verdict, harmful ones should not.

An output is a list of replies. An edit that does not apply returns nothing and is not counted. Edited replies are played in the
environment, so marks and end state belong to the edited output. Outputs that do not pass when they are played unchanged (a tool
that uses random numbers, a user who answers differently) are left out.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct, field

from verigym.audit.scripted_episodes import Answer, Replies, play, why
from verigym.core.errors import VerifierFailure
from verigym.core.protocols import Policy
from verigym.core.records import FunctionCall, Message, Task, ToolSpec, Trajectory, Verdict
from verigym.harness.environment import EnvironmentSpec, Reply
from verigym.policies import dialects
from verigym.policies.dialects.plain import arguments_of
from verigym.rollout.replies import cut, wording

FILLER = " and so on" * 200
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_OPPOSITES = {"yes": "no", "no": "yes", "true": "false", "false": "true"}
_LETTER = re.compile(r"\(?([A-Da-d])[).]?")
_SHORT = 200
"""Maximum characters of an answer that a negation reliably inverts."""
_MOST = 20
"""Maximum number of outputs to edit, and to pad."""
_HALF = 0.5
_OFTEN = 3
"""Minimum number of unnoticed changes of an argument to name it."""


class Edit(NamedTuple):
    what: str
    """What was changed: `email.send to`."""
    replies: Replies


def replies_of(trajectory: Trajectory) -> Replies:
    """The policy's replies."""
    turns = [turn for turn in trajectory.turns if turn.actor == "policy"]
    return [bare([trajectory.items[i] for i in turn.made]) for turn in turns]


def bare(reply: Reply) -> Reply:
    """A reply without text that only repeats its call."""
    if isinstance(reply, str) or not any(isinstance(item, FunctionCall) for item in reply):
        return reply
    return [item for item in reply if not (isinstance(item, Message) and dialects.looks_like_call(item.text))]


HARMLESS: dict[str, Callable[[Replies], Replies | None]] = {
    "white space in the JSON": lambda replies: _each_arguments(
        replies, lambda arguments: msgspec.json.format(msgspec.json.encode(arguments), indent=3)
    ),
    "another order of JSON keys": lambda replies: _each_arguments(
        replies, lambda arguments: msgspec.json.encode(dict(reversed(arguments.items())))
    ),
    "white space around the answer": lambda replies: _last_text(replies, lambda text: f"\n  {text} \n"),
}


def another_tool(replies: Replies, tools: Sequence[ToolSpec]) -> Iterator[Edit]:
    """The same arguments for another tool: the one that shares most argument names."""
    for index, at, call in _calls(replies):
        others = [spec for spec in tools if spec.name != call.name]
        if others:
            names = (arguments_of(call) or {}).keys()
            other = max(others, key=lambda spec: len(names & spec.parameters.get("properties", {}).keys()))
            yield Edit(call.name, _with(replies, index, at, msgspec.structs.replace(call, name=other.name)))


def one_argument(replies: Replies, tools: Sequence[ToolSpec]) -> Iterator[Edit]:
    schemas = {spec.name: spec.parameters.get("properties", {}) for spec in tools}
    for index, at, call in _calls(replies):
        given = arguments_of(call) or {}
        for name, value in given.items():
            other = changed(value, schemas.get(call.name, {}).get(name, {}))
            if other != value:
                text = msgspec.json.encode({**given, name: other}).decode()
                edited = msgspec.structs.replace(call, arguments=text)
                yield Edit(f"{call.name} {name}", _with(replies, index, at, edited))


def call_dropped(replies: Replies, tools: Sequence[ToolSpec]) -> Iterator[Edit]:
    for index, at, call in _calls(replies):
        yield Edit(call.name, _with(replies, index, at, None))


def another_answer(replies: Replies, tools: Sequence[ToolSpec]) -> Iterator[Edit]:
    """For outputs without calls: changes the numbers of the answer, or else inverts it."""
    if not any(_calls(replies)) and (edited := _last_text(replies, turned)):
        yield Edit("the answer", edited)


HARMFUL: dict[str, Callable[[Replies, Sequence[ToolSpec]], Iterator[Edit]]] = {
    "another tool": another_tool,
    "an argument changed": one_argument,
    "a call dropped": call_dropped,
    "another answer": another_answer,
}


def changed(value: Any, schema: dict[str, Any]) -> Any:
    """Another value of the same kind, from the schema's enum if it has one. The same value if there is no other."""
    if "enum" in schema:
        return next((each for each in schema["enum"] if each != value), value)
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str() if value.lower() in _DAYS:
            return _DAYS[(_DAYS.index(value.lower()) + 3) % 7].capitalize()
        case str() if match := re.search(r"[0-9](?=[^0-9]*$)", value):
            return f"{value[: match.start()]}{(int(match[0]) + 1) % 10}{value[match.end() :]}"
        case str():
            return "something else"
        case list() | dict() if value:
            return type(value)()
    return value


def turned(text: str) -> str:
    """An answer with another meaning. Programs and long texts are returned unchanged."""
    bare = text.strip().rstrip(".")
    if "```" in text:
        return text
    if bare.lower() in _OPPOSITES:
        return _OPPOSITES[bare.lower()]
    if match := _LETTER.fullmatch(bare):
        return "B" if match[1] in "Aa" else "A"
    if re.search("[0-9]", text):
        return re.sub(r"[0-9]+", lambda match: str(int(match[0][:15]) + 1), text)
    return f"It is not {bare}" if bare and len(bare) <= _SHORT and "\n" not in bare else text


def padded(replies: Replies) -> Replies | None:
    """Adds six hundred meaningless words after the answer or beside the call."""
    if replies and isinstance(replies[-1], list) and any(isinstance(item, FunctionCall) for item in replies[-1]):
        return [*replies[:-1], [Message("assistant", FILLER.strip()), *replies[-1]]]
    return _last_text(replies, lambda text: text + FILLER)


def _calls(replies: Replies) -> Iterator[tuple[int, int, FunctionCall]]:
    for index, reply in enumerate(replies):
        for at, item in enumerate(reply if isinstance(reply, list) else []):
            if isinstance(item, FunctionCall):
                yield index, at, item


def _with(replies: Replies, index: int, at: int, item: FunctionCall | None) -> Replies:
    """Replaces or removes a call. A reply without items becomes an empty text."""
    reply = replies[index]
    assert isinstance(reply, list)
    edited = [*reply[:at], *([] if item is None else [item]), *reply[at + 1 :]]
    return [*replies[:index], edited or "", *replies[index + 1 :]]


def _each_arguments(replies: Replies, write: Callable[[dict[str, Any]], bytes]) -> Replies | None:
    edited = replies
    for index, at, call in _calls(replies):
        if arguments := arguments_of(call):
            edited = _with(edited, index, at, msgspec.structs.replace(call, arguments=write(arguments).decode()))
    return edited if edited != replies else None


def _last_text(replies: Replies, edit: Callable[[str], str]) -> Replies | None:
    """Edits the text of the last reply, if it is only text."""
    items = replies[-1] if replies else []
    items = [Message("assistant", items)] if isinstance(items, str) else items
    if len(items) != 1 or not isinstance(items[0], Message) or not items[0].text.strip():
        return None
    text = edit(items[0].text)
    return None if text == items[0].text else [*replies[:-1], [Message("assistant", text)]]


class EditableOutput(Struct, frozen=True):
    name: str
    """The trajectory id, or the task whose gold solution it is."""
    task: Task
    replies: Replies
    user: list[str]
    """What a model said as the user."""
    passed: bool


class EditResults(Struct):
    """What the edits did."""

    outputs: int = 0
    """Passing outputs that could be played again."""
    tried: Counter[str] = field(default_factory=Counter)
    """Kind of edit to the number of outputs that it was applied to."""
    wrong: Counter[str] = field(default_factory=Counter)
    """Kind to the number of outputs with the wrong effect: a changed verdict, or an unnoticed edit."""
    example: dict[str, str] = {}
    """Kind to an output with the wrong effect."""
    unnoticed: Counter[str] = field(default_factory=Counter)
    """Changed argument to the number of unnoticed changes, for arguments that were never noticed."""
    padded: int = 0
    paid: int = 0
    """Padded outputs, and those that earned more."""
    gain: float = 0.0
    """Total additional reward."""
    broken: str = ""
    """Why the edits could not be tried."""


def subjects(
    environment: EnvironmentSpec,
    verdicts: Mapping[str, Verdict],
    trajectories: Mapping[str, Trajectory],
    tasks: Mapping[str, Task],
) -> list[EditableOutput]:
    """Different passing outputs, then gold solutions if there are too few, then failed outputs to pad."""
    outputs: dict[tuple[str, bytes], EditableOutput] = {}
    for passed in (True, False):
        some: dict[tuple[str, bytes], EditableOutput] = {}
        for id, verdict in verdicts.items():
            episode = trajectories[id]
            if verdict.reward is None or verdict.passed != passed or cut(episode) is None or len(some) == _MOST:
                continue
            output = EditableOutput(
                id, tasks[episode.task], replies_of(episode), _user_texts(environment, episode), passed
            )
            some.setdefault(_key(episode.task, output.replies), output)
        outputs |= some
        if passed:
            for task in list(tasks.values())[: _MOST - len(some)]:
                if gold := [bare(reply) for reply in environment.gold_replies(task)]:
                    name = f"the gold solution of {task.id}"
                    outputs.setdefault(_key(task.id, gold), EditableOutput(name, task, gold, [], True))
    return list(outputs.values())


def _user_texts(environment: EnvironmentSpec, episode: Trajectory) -> list[str]:
    """What a model said as the user."""
    script = "scripted" if environment.scripted_user else None
    turns = [turn for turn in episode.turns if turn.actor == "user" and turn.agent != script]
    items = [episode.items[i] for turn in turns for i in turn.made]
    return [item.text for item in items if isinstance(item, Message)]


def _key(task: str, replies: Replies) -> tuple[str, bytes]:
    """Equal for replies with the same texts and calls."""
    items = [[Message("assistant", reply)] if isinstance(reply, str) else reply for reply in replies]
    return task, b"".join(map(wording, items))


async def try_edits(environment: EnvironmentSpec, some: Sequence[EditableOutput], judge: Policy | None) -> EditResults:
    """Tries all edits of all outputs. Raises `VerifierFailure` at the first edit without a verdict."""
    tried = EditResults()
    noticed: Counter[str] = Counter()

    async def verdict(one: EditableOutput, replies: Replies) -> Verdict:
        played = await play(environment, one.task, replies, judge=judge, user=one.user)
        if played.verdict.reward is None and replies is not one.replies:
            raise VerifierFailure(f"the verifier gave no verdict on an edit of {one.name}: {why(played)[:300]}")
        return played.verdict

    def count(kind: str, one: EditableOutput, wrong: bool) -> None:
        tried.tried[kind] += 1
        tried.wrong[kind] += wrong
        if wrong:
            tried.example.setdefault(kind, one.name)

    async def harmful(kind: str, one: EditableOutput, edited: list[Edit]) -> None:
        """One noticed edit is enough, because some of several calls may not matter."""
        hits = [not (await verdict(one, edit.replies)).passed for edit in edited]
        count(kind, one, not any(hits))
        for edit, hit in zip(edited, hits, strict=True):
            (noticed if hit else tried.unnoticed)[f"{kind}: {edit.what}"] += 1

    for one in some:
        plain = await verdict(one, one.replies)
        if plain.reward is None or plain.passed != one.passed:
            continue
        if longer := padded(one.replies):
            gain = ((await verdict(one, longer)).reward or 0.0) - plain.reward
            tried.padded += 1
            tried.paid += gain > 1e-9
            tried.gain += max(0.0, gain)
        if not one.passed:
            continue
        tried.outputs += 1
        for kind, harmless in HARMLESS.items():
            if replies := harmless(one.replies):
                count(kind, one, not (await verdict(one, replies)).passed)
        for kind, edits in HARMFUL.items():
            if edited := list(edits(one.replies, environment.tools)):
                await harmful(kind, one, edited)
    for what in noticed:
        tried.unnoticed.pop(what, None)
    return tried


def harmless_keep(tried: EditResults) -> Answer:
    return _summary(tried, list(HARMLESS), "turned a pass into a failure", "kept")


def harmful_change(tried: EditResults) -> Answer:
    kinds = list(HARMFUL)
    outcome, words = _summary(tried, kinds, "still passed", "noticed")
    if outcome == "fail" and all(tried.wrong[kind] == tried.tried[kind] for kind in kinds if kind != "a call dropped"):
        return "fail", f"the verifier checks the format and not the content: {words}"
    never = [what.split(": ")[1] for what, count in tried.unnoticed.items() if count >= _OFTEN and "argument" in what]
    if never and outcome != "fail":
        return "unclear", f"{words}. Any value passes for {', '.join(never[:5])}. Check that this is intended"
    return outcome, words


def longer_pays(tried: EditResults) -> Answer:
    if not tried.padded:
        return "unclear", "no output could be padded"
    words = f"600 words of filler raised the reward of {tried.paid} of {tried.padded} outputs"
    if tried.paid > tried.padded / 4:
        return "fail", f"{words}, by {tried.gain / tried.paid:.3g} on average, so the verifier rewards length"
    return ("unclear" if tried.paid else "pass"), words


def _summary(tried: EditResults, kinds: Sequence[str], bad: str, good: str) -> Answer:
    if tried.broken:
        return "fail", tried.broken
    some = [kind for kind in kinds if tried.tried[kind]]
    if not some:
        return "unclear", "no passing output could be edited. Audit a run with passing outputs, or write gold(task)"
    wrong = [kind for kind in some if tried.wrong[kind]]
    parts = [f"{kind} {bad} in {tried.wrong[kind]} of {tried.tried[kind]} ({tried.example[kind]})" for kind in wrong]
    fine = [f"{kind} ({tried.tried[kind]})" for kind in some if kind not in wrong]
    if fine:
        parts.append(f"{good}: {', '.join(fine)}")
    bad_half = any(tried.wrong[kind] > _HALF * tried.tried[kind] for kind in wrong)
    return ("fail" if bad_half else "unclear" if wrong else "pass"), "; ".join(parts)
