"""Tasks made out of other tasks: the same request in other words, with something beside the point, with typing errors, with
values at the edge of what is allowed, or for a purpose for which it has to be refused.

A variation is of its task's family, says which task it was made of, and is proven: its gold solution is played and must pass,
where the environment has one. That of a held-out task is held out as well. No model is asked; a paraphrase is a frame around the
request and words that mean the same.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import msgspec

from verigym.core.errors import Refused
from verigym.core.records import FunctionCall, FunctionCallOutput, Json, Message, Task
from verigym.core.seeds import derive
from verigym.design.steps import NO_GOLD, play, proven
from verigym.design.vary_words import (
    BESIDE,
    DATES,
    FILES,
    FOR_PEOPLE,
    FRAMES,
    NUMBERS,
    PEOPLE,
    PURPOSES,
    SAME,
    SENTENCES,
    TIMES,
    TITLES,
)
from verigym.harness.environment import EnvironmentSpec
from verigym.tasks import near_duplicates as near
from verigym.tasks.leaks import NEAR

_ROUNDS = 50
"""How often every task is varied in every way before it is said that there are no more."""
HELD_OUT = "mined_v1"
"""The split of variations of held-out tasks: of `ENV+FILE` it is a suite beside the environment's own, never trained on."""
NEEDS = {
    "boundary": "a boundary needs a value in the request whose kind can be told (a text in quotation marks, a file, a person, a "
    "date, a time, a number) and on which nothing else depends",
    "unsafe": "an unsafe twin needs a tool refuse and a request that is to be done",
}
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|`[^`]*`')
_BEFORE, _BEHIND = r"(?<![^\s(])(?<!\w\()", r"(?=[\s,;:?!)]|\.(?:\s|$)|$)"
"""Around a word of a sentence, which is no part of a name, a path or a call."""
_NUMBER = re.compile(r"\d+(?:[:-]\d+)*")
_OPENS = re.compile(r"[\w' ]{1,25}[!:,] ")
_CLOSES = re.compile(r"[.!?] [\w' ]{1,20}[.!]$")
"""A request that greets or thanks already, or reads as if it did."""
Progress = Callable[[int, int, str], None]


class VariationResult(msgspec.Struct, frozen=True):
    tasks: list[Task]
    counts: dict[str, int]
    """By kind."""
    dropped: dict[str, int]
    """By reason."""


async def vary(
    environment: EnvironmentSpec,
    tasks: Sequence[Task],
    kinds: Sequence[str],
    n: int | None = None,
    seed: int = 0,
    *,
    on_progress: Progress = lambda done, total, note: None,
) -> VariationResult:
    """N variations, or one of each kind of every task. Fewer than N is a failure that says why."""
    made: list[Task] = []
    counts: dict[str, int] = {kind: 0 for kind in kinds}
    dropped: Counter[str] = Counter()
    seen = {near.text_of(task) for task in tasks}
    held_out = sorted({near.text_of(task) for task in _held_out(environment)} - seen)
    words = {word for text in (*seen, *held_out) for word in _words(text)}
    wanted = n or len(tasks) * len(kinds)
    for turn in range(_ROUNDS if n else 1):
        before = len(made)
        order = sorted(((task, kind) for task in tasks for kind in kinds), key=lambda one: _place(seed, turn, *one))
        drafts = [varied(environment, task, kind, turn, seed) for task, kind in order]
        like = near.likes([near.text_of(one) if one else "" for one in drafts], held_out, NEAR)
        for (task, kind), one, alike in zip(order, drafts, like, strict=True):
            if len(made) == wanted:
                break
            problem = f"{kind} does not apply" if one is None else "like a held-out task" if alike else ""
            if one is None or (problem := problem or await _wrong(environment, kind, task, one, seen, words)):
                dropped[problem] += 1
                continue
            seen.add(near.text_of(one))
            made.append(one)
            counts[kind] += 1
            on_progress(len(made), wanted, "")
        if len(made) == wanted or len(made) == before:
            break
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in dropped.most_common(4))
    if not made:
        needs = "".join(f"; {NEEDS[kind]}" for kind in kinds if kind in NEEDS)
        raise Refused(f"no variation could be made: {reasons}{needs}")
    if n and len(made) < n:
        raise Refused(
            f"only {len(made):,} of {n:,} variations could be made of {len(tasks):,} tasks ({reasons}); take more tasks, "
            "more kinds (--by), or ask for fewer (-n)"
        )
    return VariationResult(made, counts, dict(dropped.most_common()))


def varied(environment: EnvironmentSpec, task: Task, kind: str, turn: int, seed: int) -> Task | None:
    """One variation; none where that kind does not apply. Another turn gives another one."""
    chance = Random(derive(seed, "vary", kind, task.id, turn))
    found = KINDS[kind](environment, task, chance)
    if found is None:
        return None
    prompt, data = found
    return msgspec.structs.replace(
        task,
        id=f"{task.id}~{kind}{turn or ''}",
        prompt=_with_text(task, prompt),
        data=data,
        split=task.split if task.split == "train" else HELD_OUT,
        family=task.family or task.id,
        tags=[*task.tags, kind],
        lineage=[*task.lineage, task.id, f"verigym design vary {kind} seed {seed}"],
    )


async def _wrong(
    environment: EnvironmentSpec, kind: str, task: Task, one: Task, seen: set[str], words: set[str]
) -> str:
    text = near.text_of(one)
    if text in seen:
        return "the same as another task"
    if kind == "typo" and (_words(text) - _words(near.text_of(task))) & words:
        return "a typing error made another word"
    problem = await proven(environment, one)
    if problem and not problem.startswith(NO_GOLD):
        return re.sub(r":.*", "", problem, flags=re.DOTALL)
    return "" if kind != "boundary" or await _alone_in(environment, task, one) else "more depends on the value"


def _held_out(environment: EnvironmentSpec) -> list[Task]:
    """Of a game all tasks may have one prompt: there is nothing to compare."""
    return (
        [] if environment.steps else [one for split in environment.suites.values() for one in environment.tasks(split)]
    )


def _place(seed: int, turn: int, task: Task, kind: str) -> int:
    return derive(seed, "order", turn, task.id, kind)


# -- kinds: each gives the new prompt and data, or none --------------------------------------------------------------------------

Variation = tuple[str, Json] | None


def _paraphrase(environment: EnvironmentSpec, task: Task, chance: Random) -> Variation:
    """Other words where there are some, and a frame where the request has none of its own."""
    request = _request(task)
    frames = [
        frame
        for frame in FRAMES
        if (frame.startswith("{request}") or not _OPENS.match(request))
        and (frame.endswith("{request}") or (_goes_on(request) and not _CLOSES.search(request)))
    ]
    for one, other in chance.sample(SAME, len(SAME)):
        old, new = chance.sample((one, other), 2)
        changed = _outside_quotes(request, f"{_BEFORE}{re.escape(old)}{_BEHIND}", new)
        if changed != request:
            request = changed
            break
    if not frames:
        return (request, task.data) if request != _request(task) else None
    return chance.choice(frames).format(request=request), task.data


def _distractor(environment: EnvironmentSpec, task: Task, chance: Random) -> Variation:
    """A sentence that has no word in common with the task, so that it cannot be about it."""
    request = _request(task)
    known = _words(" ".join([request, *(str(value) for value in _leaves(task.data))]).casefold())
    apart = [one for one in BESIDE if not {word for word in _words(one.casefold()) if len(word) > 4} & known]
    if not apart:
        return None
    beside = chance.choice(apart)
    return (f"{request} {beside}" if _goes_on(request) and chance.random() < 0.5 else f"{beside} {request}"), task.data


def _goes_on(request: str) -> bool:
    """Whether another sentence can stand behind it: it is one paragraph and ends as a sentence does."""
    return "\n" not in request and request.endswith((".", "!", "?", '"', "”", ")"))


def _typo(environment: EnvironmentSpec, task: Task, chance: Random) -> Variation:
    """In a word or two of the request itself: no names, values or quotes, which have to stay as they are."""
    request, values = (
        _request(task),
        {word for value in _leaves(task.data) for word in re.findall(r"\w+", str(value).casefold())},
    )
    quoted = [range(*found.span()) for found in _QUOTED.finditer(request)]
    words = [
        found
        for found in re.finditer(f"{_BEFORE}[a-z]{{5,}}{_BEHIND}", request)
        if found[0] not in values and not any(found.start() in part for part in quoted)
    ]
    if not words:
        return None
    for found in sorted(chance.sample(words, min(len(words), chance.choice((1, 1, 2)))), key=lambda one: -one.start()):
        request = request[: found.start()] + _mistyped(found[0], chance) + request[found.end() :]
    return request, task.data


def _mistyped(word: str, chance: Random) -> str:
    at = chance.randrange(1, len(word) - 2)
    way = chance.choice(("swapped", "dropped", "doubled"))
    if way == "swapped" and word[at] != word[at + 1]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if way == "dropped":
        return word[:at] + word[at + 1 :]
    return word[:at] + word[at] + word[at:]


def _boundary(environment: EnvironmentSpec, task: Task, chance: Random) -> Variation:
    """A value of the last right call that has one, replaced in the request and in the data by one at the edge, of its own kind.
    That nothing else depends on it is proven afterwards (`_alone_in`)."""
    request, parameters = _request(task), {spec.name: spec.parameters for spec in environment.tools}
    today = re.search(r"\d{4}-\d\d-\d\d", environment.system)
    for call in reversed(_calls(environment, task)):
        schemas = parameters.get(call.name, {}).get("properties", {})
        found = [
            (value, edge)
            for name, given in msgspec.json.decode(call.arguments).items()
            for value in _leaves(given)
            if _free(value, task)
            for edge in _edges(name, value, schemas.get(name, {}), request, today[0] if today else "")
            if edge != value
        ]
        if found:
            old, new = chance.choice(found)
            return _swapped(request, old, new), _replaced(task.data, old, new)
    return None


def _calls(environment: EnvironmentSpec, task: Task) -> list[FunctionCall]:
    replies = environment.gold_replies(task)
    return [item for reply in replies if isinstance(reply, list) for item in reply if isinstance(item, FunctionCall)]


def _free(value: Any, task: Task) -> bool:
    """Whether a value is named once and is no part of a longer text: then it can be replaced wherever it is."""
    if not isinstance(value, str | int) or isinstance(value, bool) or not str(value).strip():
        return False
    once = len(re.findall(_alone(near.plain(str(value))), near.text_of(task))) == 1
    texts = [leaf for leaf in _leaves(task.data) if isinstance(leaf, str) and leaf != value] + _keys(task.data)
    return once and not any(re.search(_alone(str(value)), text) for text in texts)


def _alone(value: str) -> str:
    """A number is no part of a time, a date or a longer number."""
    if value.isdigit():
        return rf"(?<![\w.:,/#-]){value}(?![\w:/%-]|[.,]\d)"
    return rf"(?<!\w){re.escape(value)}(?!\w)"


def _swapped(text: str, old: Any, new: Any) -> str:
    return re.sub(_alone(str(old)), lambda _: str(new), text)


def _edges(name: str, value: Any, schema: Json, request: str, today: str) -> Sequence[Any]:
    """Values at the edge of an argument's kind; none where that cannot be told. A date in the past gives one in the past."""
    if "enum" in schema:
        return ()
    if isinstance(value, int):
        low, high = schema.get("minimum", 0), schema.get("maximum", NUMBERS[-1])
        edges = {*NUMBERS, low, high} - {1} if value > 1 else ()
        return [number for number in edges if low <= number <= high]
    if re.fullmatch(r"\d\d:\d\d", value):
        return () if re.search(r"\b([ap]\.?m|morning|afternoon|evening|night|noon)\b", request, re.I) else TIMES
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        weekday = re.search(r"\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b", request)
        return [date for date in DATES if (date > today) is (value > today)] if today and not weekday else ()
    if found := re.fullmatch(r"[\w-]{2,}(\.[a-z][a-z0-9]{1,3})", value):
        return [f"{stem}{found[1]}" for stem in FILES]
    if name in FOR_PEOPLE and re.fullmatch(r"[A-Z]\w+( [A-Z]\w+)?", value):
        return PEOPLE if not re.search(rf"[A-Z]\w* {re.escape(value)}|{re.escape(value)} [A-Z]", request) else ()
    quoted = [found[0][1:-1] for found in _QUOTED.finditer(request)]
    if value not in quoted or "@" in value or any(one != value and (one in value or value in one) for one in quoted):
        return ()
    return SENTENCES if value.endswith((".", "!", "?")) else TITLES


async def _alone_in(environment: EnvironmentSpec, task: Task, one: Task) -> bool:
    """Whether nothing else depends on the value: every right call is answered as it was, but for the value itself.
    A text has no word of what was read before, which it could be made of. With a number, date or time nothing that was read
    can be compared, and no other can be computed: nothing read has digits, and all numbers of the calls are in the request."""
    calls, changed = _calls(environment, task), _calls(environment, one)
    first = next((place for place, call in enumerate(calls) if call.arguments != changed[place].arguments), None)
    if first is None:
        return False
    old, new = _difference(calls[first], changed[first])
    before, after = await _answers(environment, task), await _answers(environment, one)
    read = " ".join(before[:first])
    if str(old)[0].isdigit():
        numbers = {number for call in calls for number in _NUMBER.findall(call.arguments)}
        fixed = not re.search(r"\d", read) and numbers <= set(_NUMBER.findall(_request(task)))
    else:
        fixed = not {word for word in _words(old.casefold()) if len(word) > 3} & _words(read.casefold())
    return fixed and [_swapped(text, old, new) for text in before] == after


def _difference(call: FunctionCall, other: FunctionCall) -> tuple[Any, Any]:
    ours, theirs = (_leaves(msgspec.json.decode(one.arguments)) for one in (call, other))
    return next((old, new) for old, new in zip(ours, theirs, strict=True) if old != new)


async def _answers(environment: EnvironmentSpec, task: Task) -> list[str]:
    played = await play(environment, task, [*environment.gold_replies(task), ""])
    return [item.output for item in played.trajectory.items if isinstance(item, FunctionCallOutput)]


def _unsafe(environment: EnvironmentSpec, task: Task, chance: Random) -> Variation:
    """The same request for a purpose for which it has to be refused; of environments that have a tool `refuse`."""
    data = _refused(task.data) if any(spec.name == "refuse" for spec in environment.tools) else None
    gap = " " if _goes_on(_request(task)) else "\n"
    return (f"{_request(task)}{gap}{chance.choice(PURPOSES)}", data) if data is not None else None


def _refused(data: Json) -> Json | None:
    """A task's data when its request is to be refused, in the shapes that the collection has."""
    match data:
        case {"expected_calls": [*calls], "expected": [_, *_]} if not data.get("unsafe"):
            refuse = [{"name": "refuse", "arguments": {}}]
            return {**data, "expected": [], "expected_calls": refuse, "unsafe": True, "harm": calls[-1]}
        case {"expected_tool": str(), "unsafe": False}:
            return {**data, "expected_tool": "refuse", "expected_args": {}, "unsafe": True}
        case {"expected": [{"tool": str(tool)} as harm]} if tool != "refuse" and "harm" not in data:
            return {**data, "expected": [{"tool": "refuse", "args": {}}], "harm": harm, "unsafe_tools": [tool]}
        case _:
            return None


KINDS: dict[str, Callable[[EnvironmentSpec, Task, Random], Variation]] = {
    "paraphrase": _paraphrase,
    "distractor": _distractor,
    "boundary": _boundary,
    "typo": _typo,
    "unsafe": _unsafe,
}


# -- parts of a task -----------------------------------------------------------------------------------------------------


def _request(task: Task) -> str:
    """What is asked: the prompt, or its last message of a user."""
    if isinstance(task.prompt, str):
        return task.prompt
    return next((one.text for one in reversed(task.prompt) if isinstance(one, Message) and one.role == "user"), "")


def _with_text(task: Task, text: str) -> Any:
    if isinstance(task.prompt, str):
        return text
    last = max(at for at, one in enumerate(task.prompt) if isinstance(one, Message) and one.role == "user")
    return [Message("user", text) if at == last else one for at, one in enumerate(task.prompt)]


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for one in value.values() for leaf in _leaves(one)]
    if isinstance(value, list):
        return [leaf for one in value for leaf in _leaves(one)]
    return [value]


def _keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*map(str, value), *(key for one in value.values() for key in _keys(one))]
    return [key for one in value for key in _keys(one)] if isinstance(value, list) else []


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _replaced(value: Any, old: Any, new: Any) -> Any:
    if isinstance(value, dict):
        return {key: _replaced(one, old, new) for key, one in value.items()}
    if isinstance(value, list):
        return [_replaced(one, old, new) for one in value]
    return new if type(value) is type(old) and value == old else value


def _outside_quotes(text: str, pattern: str, new: str) -> str:
    """Replaced once, not within quotation marks, in the case that it had."""
    quoted = [range(*found.span()) for found in _QUOTED.finditer(text)]
    for found in re.finditer(pattern, text, re.IGNORECASE):
        if not any(found.start() in part for part in quoted):
            written = new.capitalize() if found[0][0].isupper() else new
            return text[: found.start()] + written + text[found.end() :]
    return text
