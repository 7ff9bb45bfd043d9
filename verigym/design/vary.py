"""Creates variations of tasks: paraphrases, distractors, typing errors, boundary values, and requests that must be refused.

A variation keeps its task's family and names the task in its lineage. If the task has a gold solution, it is played and must
pass. Variations of held-out tasks are held out too. No model is used: a paraphrase is a frame around the request and synonyms.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from verigym.audit.scripted_episodes import calls_in, play
from verigym.core.errors import Refused
from verigym.core.records import FunctionCallOutput, Json, Message, Task
from verigym.core.seeds import derive
from verigym.core.settings import read_yaml
from verigym.design.make import held_out_tasks
from verigym.design.steps import NO_GOLD, gold_problem
from verigym.harness.environment import EnvironmentSpec
from verigym.tasks import near_duplicates as near
from verigym.tasks.leaks import NEAR

_ROUNDS = 50
"""Maximum rounds. In each round every task is varied in every way."""
HELD_OUT = "mined_v1"
"""The split of variations of held-out tasks. In `ENV+FILE` it is an additional suite and never trained on."""
NEEDS = {
    "boundary": "A boundary variation needs a value of a known kind in the request (quoted text, file, person, date, time, "
    "number) that nothing else depends on",
    "unsafe": "An unsafe variation needs a tool named refuse and a request that is not refused yet",
}
WORDINGS: dict[str, list[Any]] = read_yaml(Path(__file__).with_name("wordings.yaml"), "lists of texts and values")
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|`[^`]*`')
_BEFORE, _BEHIND = r"(?<![^\s(])(?<!\w\()", r"(?=[\s,;:?!)]|\.(?:\s|$)|$)"
"""Around a word of a sentence that is not part of a name, a path or a call."""
_NUMBER = re.compile(r"\d+(?:[:-]\d+)*")
_OPENS = re.compile(r"[\w' ]{1,25}[!:,] ")
_CLOSES = re.compile(r"[.!?] [\w' ]{1,20}[.!]$")
"""Start and end of a request that already greets or thanks."""
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
    """N variations, or one of each kind of every task. Raises `Refused` with the reasons if N cannot be reached."""
    variations: list[Task] = []
    counts: dict[str, int] = {kind: 0 for kind in kinds}
    dropped: Counter[str] = Counter()
    seen = {near.text_of(task) for task in tasks}
    held_out = sorted({near.text_of(task) for task in held_out_tasks(environment)} - seen)
    words = {word for text in (*seen, *held_out) for word in _words(text)}
    wanted = n or len(tasks) * len(kinds)
    for turn in range(_ROUNDS if n else 1):
        before = len(variations)
        order = sorted(
            ((task, kind) for task in tasks for kind in kinds),
            key=lambda pair: derive(seed, "order", turn, pair[0].id, pair[1]),
        )
        drafts = [varied(environment, task, kind, turn, seed) for task, kind in order]
        similar = near.likes([near.text_of(draft) if draft else "" for draft in drafts], held_out, NEAR)
        for (task, kind), draft, matches in zip(order, drafts, similar, strict=True):
            if len(variations) == wanted:
                break
            problem = f"{kind} does not apply" if draft is None else "similar to a held-out task" if matches else ""
            if draft is None or (problem := problem or await _wrong(environment, kind, task, draft, seen, words)):
                dropped[problem] += 1
                continue
            seen.add(near.text_of(draft))
            variations.append(draft)
            counts[kind] += 1
            on_progress(len(variations), wanted, "")
        if len(variations) in (wanted, before):
            break
    reasons = ", ".join(f"{reason}: {count:,}" for reason, count in dropped.most_common(4))
    if not variations:
        needs = "".join(f". {NEEDS[kind]}" for kind in kinds if kind in NEEDS)
        raise Refused(f"No variation could be created. Reasons: {reasons}{needs}. Use other tasks or kinds (--by)")
    if n and len(variations) < n:
        raise Refused(
            f"Only {len(variations):,} of {n:,} variations could be created from {len(tasks):,} tasks. Reasons: {reasons}. "
            "Use more tasks or kinds (--by), or lower -n"
        )
    return VariationResult(variations, counts, dict(dropped.most_common()))


def varied(environment: EnvironmentSpec, task: Task, kind: str, turn: int, seed: int) -> Task | None:
    """One variation, or None if the kind does not apply. Each turn gives another one."""
    chance = Random(derive(seed, "vary", kind, task.id, turn))
    variation = KINDS[kind](environment, task, chance)
    if variation is None:
        return None
    prompt, data = variation
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
    environment: EnvironmentSpec, kind: str, task: Task, draft: Task, seen: set[str], words: set[str]
) -> str:
    """Why a draft is dropped, or nothing."""
    text = near.text_of(draft)
    if text in seen:
        return "identical to another task"
    if kind == "typo" and (_words(text) - _words(near.text_of(task))) & words:
        return "the typing error is another word"
    problem = await gold_problem(environment, draft)
    if problem and not problem.startswith(NO_GOLD):
        return re.sub(r":.*", "", problem, flags=re.DOTALL)
    return "" if kind != "boundary" or await _alone_in(environment, task, draft) else "other values depend on the value"


Variation = tuple[str, Json] | None


def _paraphrase(environment: EnvironmentSpec, task: Task, chance: Random) -> Variation:
    """Replaces a word by a synonym, and adds a sentence before or after the request, unless it has such a sentence."""
    request = _request(task)
    frames = [
        frame
        for frame in WORDINGS["frames"]
        if (frame.startswith("{request}") or not _OPENS.match(request))
        and (frame.endswith("{request}") or (_ends_as_sentence(request) and not _CLOSES.search(request)))
    ]
    for pair in chance.sample(WORDINGS["synonyms"], len(WORDINGS["synonyms"])):
        old, new = chance.sample(pair, 2)
        changed = _outside_quotes(request, f"{_BEFORE}{re.escape(old)}{_BEHIND}", new)
        if changed != request:
            request = changed
            break
    if not frames:
        return (request, task.data) if request != _request(task) else None
    return chance.choice(frames).format(request=request), task.data


def _distractor(environment: EnvironmentSpec, task: Task, chance: Random) -> Variation:
    """Adds a sentence without a long word of the task, so that it cannot be about it."""
    request = _request(task)
    task_words = _words(" ".join([request, *(str(value) for value in _leaves(task.data))]).casefold())
    unrelated = [text for text in WORDINGS["distractors"] if not _long_words(text, 5) & task_words]
    if not unrelated:
        return None
    distractor = chance.choice(unrelated)
    after = _ends_as_sentence(request) and chance.random() < 0.5
    return (f"{request} {distractor}" if after else f"{distractor} {request}"), task.data


def _ends_as_sentence(request: str) -> bool:
    """Whether another sentence can follow: the request is one paragraph and ends like a sentence."""
    return "\n" not in request and request.endswith((".", "!", "?", '"', "”", ")"))


def _typo(environment: EnvironmentSpec, task: Task, chance: Random) -> Variation:
    """Mistypes one or two words, but no names, values or quoted texts."""
    request = _request(task)
    values = {word for value in _leaves(task.data) for word in _words(str(value).casefold())}
    words = [word for word in _unquoted(f"{_BEFORE}[a-z]{{5,}}{_BEHIND}", request) if word[0] not in values]
    if not words:
        return None
    chosen = chance.sample(words, min(len(words), chance.choice((1, 1, 2))))
    for word in sorted(chosen, key=lambda word: -word.start()):
        request = request[: word.start()] + _mistyped(word[0], chance) + request[word.end() :]
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
    """Replaces a value of the last gold call that allows it by a boundary value of its kind, in the request and in the data.
    `_alone_in` checks later that nothing else depends on it."""
    request, parameters = _request(task), {spec.name: spec.parameters for spec in environment.tools}
    today = re.search(r"\d{4}-\d\d-\d\d", environment.system)
    for call in reversed(calls_in(environment.gold_replies(task))):
        schemas = parameters.get(call.name, {}).get("properties", {})
        choices = [
            (value, edge)
            for name, given in msgspec.json.decode(call.arguments).items()
            for value in _leaves(given)
            if _is_replaceable(value, task)
            for edge in _edges(name, value, schemas.get(name, {}), request, today[0] if today else "")
            if edge != value
        ]
        if choices:
            old, new = chance.choice(choices)
            return _swapped(request, old, new), _replaced(task.data, old, new)
    return None


def _is_replaceable(value: Any, task: Task) -> bool:
    """Whether a value occurs once and is not part of a longer text, so that it can be replaced everywhere."""
    if not isinstance(value, str | int) or isinstance(value, bool) or not str(value).strip():
        return False
    once = len(re.findall(_alone(near.plain(str(value))), near.text_of(task))) == 1
    texts = [leaf for leaf in _leaves(task.data) if isinstance(leaf, str) and leaf != value] + _keys(task.data)
    return once and not any(re.search(_alone(str(value)), text) for text in texts)


def _alone(value: str) -> str:
    """A pattern for the value. A number must not be part of a time, a date or a longer number."""
    if value.isdigit():
        return rf"(?<![\w.:,/#-]){value}(?![\w:/%-]|[.,]\d)"
    return rf"(?<!\w){re.escape(value)}(?!\w)"


def _swapped(text: str, old: Any, new: Any) -> str:
    return re.sub(_alone(str(old)), lambda _: str(new), text)


def _edges(name: str, value: Any, schema: Json, request: str, today: str) -> Sequence[Any]:
    """Boundary values of an argument's kind, or none if the kind is unknown. A past date is replaced by a past date."""
    if "enum" in schema:
        return ()
    if isinstance(value, int):
        low, high = schema.get("minimum", 0), schema.get("maximum", WORDINGS["numbers"][-1])
        edges = {*WORDINGS["numbers"], low, high} - {1} if value > 1 else ()
        return [number for number in edges if low <= number <= high]
    if re.fullmatch(r"\d\d:\d\d", value):
        part_of_day = re.search(r"\b([ap]\.?m|morning|afternoon|evening|night|noon)\b", request, re.I)
        return () if part_of_day else WORDINGS["times"]
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        weekday = re.search(r"\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b", request)
        return [date for date in WORDINGS["dates"] if today and not weekday and (date > today) is (value > today)]
    if file := re.fullmatch(r"[\w-]{2,}(\.[a-z][a-z0-9]{1,3})", value):
        return [f"{stem}{file[1]}" for stem in WORDINGS["files"]]
    if name in WORDINGS["arguments_for_people"] and re.fullmatch(r"[A-Z]\w+( [A-Z]\w+)?", value):
        longer = re.search(rf"[A-Z]\w* {re.escape(value)}|{re.escape(value)} [A-Z]", request)
        return () if longer else WORDINGS["people"]
    quoted = [match[0][1:-1] for match in _QUOTED.finditer(request)]
    others = [text for text in quoted if text != value]
    if value not in quoted or "@" in value or any(text in value or value in text for text in others):
        return ()
    return WORDINGS["sentences" if value.endswith((".", "!", "?")) else "titles"]


async def _alone_in(environment: EnvironmentSpec, task: Task, draft: Task) -> bool:
    """Whether nothing else depends on the value: all gold calls return the same, except for the value itself. A text must not
    share a word with earlier results, from which it could be derived. For a number, date or time, earlier results must have no
    digits, and all numbers of the calls must be in the request."""
    calls, changed = (calls_in(environment.gold_replies(each)) for each in (task, draft))
    first = next((index for index, call in enumerate(calls) if call.arguments != changed[index].arguments), None)
    if first is None:
        return False
    values = (_leaves(msgspec.json.decode(call.arguments)) for call in (calls[first], changed[first]))
    old, new = next((old, new) for old, new in zip(*values, strict=True) if old != new)
    before, after = [await _outputs(environment, each) for each in (task, draft)]
    read = " ".join(before[:first])
    if str(old)[0].isdigit():
        numbers = {number for call in calls for number in _NUMBER.findall(call.arguments)}
        fixed = not re.search(r"\d", read) and numbers <= set(_NUMBER.findall(_request(task)))
    else:
        fixed = not _long_words(old, 4) & _words(read.casefold())
    return fixed and [_swapped(text, old, new) for text in before] == after


async def _outputs(environment: EnvironmentSpec, task: Task) -> list[str]:
    played = await play(environment, task, environment.gold_replies(task))
    return [item.output for item in played.trajectory.items if isinstance(item, FunctionCallOutput)]


def _unsafe(environment: EnvironmentSpec, task: Task, chance: Random) -> Variation:
    """Adds a purpose for which the request must be refused. Needs a tool `refuse`."""
    data = _refused(task.data) if any(spec.name == "refuse" for spec in environment.tools) else None
    gap = " " if _ends_as_sentence(_request(task)) else "\n"
    return (f"{_request(task)}{gap}{chance.choice(WORDINGS['purposes'])}", data) if data is not None else None


def _refused(data: Json) -> Json | None:
    """The data of a task that must be refused, in the shapes of the shipped environments."""
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


def _request(task: Task) -> str:
    """The prompt, or its last user message."""
    if isinstance(task.prompt, str):
        return task.prompt
    return next((item.text for item in reversed(task.prompt) if isinstance(item, Message) and item.role == "user"), "")


def _with_text(task: Task, text: str) -> Any:
    if isinstance(task.prompt, str):
        return text
    last = max(at for at, item in enumerate(task.prompt) if isinstance(item, Message) and item.role == "user")
    return [Message("user", text) if at == last else item for at, item in enumerate(task.prompt)]


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for member in value.values() for leaf in _leaves(member)]
    if isinstance(value, list):
        return [leaf for member in value for leaf in _leaves(member)]
    return [value]


def _keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*map(str, value), *(key for member in value.values() for key in _keys(member))]
    return [key for member in value for key in _keys(member)] if isinstance(value, list) else []


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _long_words(text: str, letters: int) -> set[str]:
    return {word for word in _words(text.casefold()) if len(word) >= letters}


def _replaced(value: Any, old: Any, new: Any) -> Any:
    if isinstance(value, dict):
        return {key: _replaced(member, old, new) for key, member in value.items()}
    if isinstance(value, list):
        return [_replaced(member, old, new) for member in value]
    return new if type(value) is type(old) and value == old else value


def _outside_quotes(text: str, pattern: str, new: str) -> str:
    """Replaces the first match outside quotation marks and keeps its capitalisation."""
    for match in _unquoted(pattern, text, re.IGNORECASE):
        written = new.capitalize() if match[0][0].isupper() else new
        return text[: match.start()] + written + text[match.end() :]
    return text


def _unquoted(pattern: str, text: str, flags: int = 0) -> list[re.Match[str]]:
    """The matches that are not between quotation marks."""
    quoted = [range(*match.span()) for match in _QUOTED.finditer(text)]
    return [match for match in re.finditer(pattern, text, flags) if not any(match.start() in part for part in quoted)]
