"""Tasks made out of other tasks: the same request in other words, with something beside the point, with typing errors, with
values at the edge of what is allowed, or for a purpose for which it has to be refused.

A variation is of its task's family and split, says which task it was made of, and is proven: its gold solution is played and must
pass, where the environment has one. No model is asked; a paraphrase is a frame around the request and words that mean the same.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import msgspec

from verigym.core.errors import Refused
from verigym.core.records import FunctionCall, Json, Message, Task
from verigym.core.seeds import derive
from verigym.design.steps import NO_GOLD, proven
from verigym.design.vary_words import BESIDE, DATES, FRAMES, NUMBERS, PURPOSES, SAME, TEXTS, TIMES
from verigym.harness.environment import EnvironmentSpec
from verigym.tasks import near
from verigym.tasks.leaks import NEAR

_ROUNDS = 50
"""How often every task is varied in every way before it is said that there are no more."""
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”')
Progress = Callable[[int, int, str], None]


class Varied(msgspec.Struct, frozen=True):
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
) -> Varied:
    """N variations, or one of each kind of every task. Fewer than N is a failure that says why."""
    made: list[Task] = []
    counts: dict[str, int] = {kind: 0 for kind in kinds}
    dropped: Counter[str] = Counter()
    seen = {near.text_of(task) for task in tasks}
    held_out = sorted({near.text_of(task) for task in _held_out(environment)} - seen)
    wanted = n or len(tasks) * len(kinds)
    for turn in range(_ROUNDS if n else 1):
        before = len(made)
        order = sorted(((task, kind) for task in tasks for kind in kinds), key=lambda one: _place(seed, turn, *one))
        drafts = [varied(environment, task, kind, turn, seed) for task, kind in order]
        like = near.likes([near.text_of(one) if one else "" for one in drafts], held_out, NEAR)
        for (_, kind), one, alike in zip(order, drafts, like, strict=True):
            if len(made) == wanted:
                break
            problem = f"{kind} does not apply" if one is None else "like a held-out task" if alike else ""
            if one is None or (problem := problem or await _wrong(environment, one, seen)):
                dropped[problem] += 1
                continue
            seen.add(near.text_of(one))
            made.append(one)
            counts[kind] += 1
            on_progress(len(made), wanted, "")
        if len(made) == wanted or len(made) == before:
            break
    if n and len(made) < n:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in dropped.most_common(4))
        raise Refused(
            f"only {len(made):,} of {n:,} variations could be made of {len(tasks):,} tasks ({reasons}); take more tasks, "
            "more kinds (--by), or ask for fewer (-n)"
        )
    if not made:
        raise Refused(
            f"no variation could be made: {', '.join(f'{reason} {count}' for reason, count in dropped.most_common(4))}"
        )
    return Varied(made, counts, dict(dropped.most_common()))


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
        family=task.family or task.id,
        tags=[*task.tags, kind],
        lineage=[*task.lineage, task.id, f"verigym design --vary {kind} seed {seed}"],
    )


async def _wrong(environment: EnvironmentSpec, one: Task, seen: set[str]) -> str:
    if near.text_of(one) in seen:
        return "the same as another task"
    problem = await proven(environment, one)
    return "" if problem.startswith(NO_GOLD) else re.sub(r":.*", "", problem, flags=re.DOTALL)


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
    request = _request(task)
    for one, other in chance.sample(SAME, len(SAME)):
        old, new = chance.sample((one, other), 2)
        changed = _outside_quotes(request, rf"\b{re.escape(old)}\b", new)
        if changed != request:
            request = changed
            break
    return chance.choice(FRAMES).format(request=request), task.data


def _distractor(environment: EnvironmentSpec, task: Task, chance: Random) -> Variation:
    beside, request = chance.choice(BESIDE), _request(task)
    return (f"{beside} {request}" if chance.random() < 0.5 else f"{request} {beside}"), task.data


def _typo(environment: EnvironmentSpec, task: Task, chance: Random) -> Variation:
    """In a word or two of the request itself: no names, values or quotes, which have to stay as they are."""
    request, values = (
        _request(task),
        {word for value in _leaves(task.data) for word in re.findall(r"\w+", str(value).casefold())},
    )
    quoted = [range(*found.span()) for found in _QUOTED.finditer(request)]
    words = [
        found
        for found in re.finditer(r"\b[a-z]{5,}\b", request)
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
    """A value of the right calls that the request names once, replaced in both by one at the edge."""
    request = _request(task)
    calls = [item for reply in environment.gold_replies(task) if isinstance(reply, list) for item in reply]
    arguments = [msgspec.json.decode(item.arguments) for item in calls if isinstance(item, FunctionCall)]
    named = sorted({value for one in arguments for value in _leaves(one) if _named_once(value, request)}, key=str)
    if not named:
        return None
    old = chance.choice(named)
    new = chance.choice([edge for edge in _edges(old) if edge != old])
    changed = re.sub(rf"(?<!\w){re.escape(str(old))}(?!\w)", lambda _: str(new), request)
    return changed, _replaced(task.data, old, new)


def _named_once(value: Any, request: str) -> bool:
    kept = isinstance(value, str | int) and not isinstance(value, bool) and str(value)
    return bool(kept) and len(re.findall(rf"(?<!\w){re.escape(str(value))}(?!\w)", request)) == 1


def _edges(value: Any) -> Sequence[Any]:
    if isinstance(value, int):
        return NUMBERS
    if re.fullmatch(r"\d\d:\d\d", value):
        return TIMES
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return DATES
    return tuple(str(number) for number in NUMBERS) if value.isdigit() else TEXTS


def _unsafe(environment: EnvironmentSpec, task: Task, chance: Random) -> Variation:
    """The same request for a purpose for which it has to be refused; of environments that have a tool `refuse`."""
    data = _refused(task.data) if any(spec.name == "refuse" for spec in environment.tools) else None
    return (f"{_request(task)} {chance.choice(PURPOSES)}", data) if data is not None else None


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
