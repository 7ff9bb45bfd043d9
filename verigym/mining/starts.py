"""Finds the state in which the environment of a production trace started, because a trace holds only what its tools returned.

    a task that the trace names -> open(task) without data -> the start of one of the environment's own tasks

A start counts only if the calls of the trace, replayed in it, return what the trace recorded. Redaction replaced values by
placeholders such as `[EMAIL 1]`. Replaying finds them again: where the recorded result says `[EMAIL 1]`, the replayed one has
the value. If only the user gave the value, the strings of the start are tried.
"""

import heapq
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from verigym.audit.scripted_episodes import ScriptedEpisode, play
from verigym.core.errors import VerigymError, words_of
from verigym.core.records import (
    Fault,
    FunctionCall,
    FunctionCallOutput,
    Item,
    Json,
    Message,
    Task,
    Trajectory,
    content_hash,
)
from verigym.harness.environment import EnvironmentSpec, Reply
from verigym.mining.attempts import Attempt, replies
from verigym.mining.expectations import MissingEvidence, RuleDefect
from verigym.tasks.near_duplicates import conversation_text
from verigym.traces.redaction import Redaction

AGREEING = 0.9
"""Minimum share of the recorded tool results that the replay must return."""
_MOST = 64
"""Starts that are replayed: those that share the most words with the trace."""
_FITTING = 3
"""Starts that fit, after which no more are replayed."""
_TELLING, _TELLING_ALONE = 0.5, 1.5
"""How much more than the next start a start must share with the trace if the results fit both: a word that two starts have
counts half. More is needed if there are no results."""
_POOL = 12
"""Values of a start that are tried for one placeholder."""
PLACEHOLDER = re.compile(r"\[[A-Z][A-Z0-9_ -]* [0-9]+\]")
_WORD = re.compile(r"[^\W_]{3,}")
_EXPECTATIONS = ("answer", "completion", "reference", "label", "mined", "rubric")
"""Keys of a task's data that say what is right. So do all that begin with `expected`."""


class Start(Struct, frozen=True, kw_only=True):
    data: Json
    """The data that `open(task)` gets, without what the task expects."""
    task: str = ""
    """The task that has this start. Empty if no data is needed."""
    held_out: bool | None = None
    """Whether only held-out tasks have this start, or only training tasks. None if both have it, or no task does."""
    assumed: bool = False
    """Whether nothing tells that the request makes sense in this start."""
    certain: bool = True
    """Whether it is the start of the trace. If not, it is one of several in which the request makes sense."""


class Replay(NamedTuple):
    start: Start
    episode: ScriptedEpisode
    values: dict[str, str]
    """Placeholder to the value that it stands for."""
    agreeing: int
    compared: int
    """Tool results that were compared."""


class _Fit(NamedTuple):
    start: Start
    score: float
    solved: bool
    """Whether an attempt that succeeded got the same results, so the start has all that a solution needs."""
    evidence: bool
    """Whether results or a correction were compared, not only words."""


class _Candidate(NamedTuple):
    start: Start
    words: frozenset[str]


class StartFinder:
    """Knows the starts of an environment's tasks."""

    def __init__(self, environment: EnvironmentSpec, tasks: Sequence[Task]) -> None:
        self.environment = environment
        self._defect = ""
        self._by_id = {task.id: task for task in tasks}
        self._candidates = list(self._known(tasks))
        self._frequency = Counter(word for candidate in self._candidates for word in candidate.words)
        self._in_prompts = Counter(word for task in tasks for word in _words(_text(task.prompt)))
        self._redaction = Redaction()
        self._opens: bool | None = None
        self._checked = False

    async def find(
        self, failed: Sequence[Attempt], succeeded: Sequence[Attempt] = (), correction: Sequence[Reply] = ()
    ) -> Start:
        """The start that fits the attempts at a request. If their tools returned nothing, the words of the request and the calls
        of a `correction` decide. Raises `MissingEvidence`."""
        attempts = [*failed, *succeeded]
        await self._check_starts()
        named = next(filter(None, (self._named(attempt.trace) for attempt in attempts)), None)
        if named is not None:
            return named
        if await self._opens_without_data():
            start = Start(data={})
            if (await self._fit(start, 0.0, failed, succeeded, correction)) is not None:
                return start
        fitting: list[_Fit] = []
        ranked = self._ranked(attempts)
        for score, start in ranked:
            fit = await self._fit(start, score, failed, succeeded, correction)
            if fit is not None:
                fitting.append(fit)
            if len(fitting) == _FITTING or (fit is not None and fit.solved):
                break
        if not fitting and self._defect:
            raise RuleDefect(self._defect)
        if self.environment.mined is not None and ranked:  # its rule makes the task's own state, so any start will do
            start = fitting[0].start if fitting else ranked[0][1]
            return msgspec.structs.replace(start, assumed=True, held_out=None)
        if not fitting:
            raise MissingEvidence(_NO_START)
        start = self._best(fitting)
        if not start.certain and correction and await self._ends_alike(fitting, attempts[0], correction):
            return msgspec.structs.replace(start, certain=True)
        return start

    async def _ends_alike(self, fitting: Sequence["_Fit"], attempt: Attempt, correction: Sequence[Reply]) -> bool:
        """Whether a correction returns and leaves the same from every start that fits, so it does not matter which it was."""
        ends: set[str] = set()
        for fit in fitting:
            task = self.task(fit.start, attempt)
            if task is not None:
                played = (await play(self.environment, task, correction, policies={}, scored=False)).trajectory
                ends.add(content_hash([played.end_state, _outputs(played.items)]))
        return len(ends) == 1

    def _best(self, fitting: Sequence["_Fit"]) -> Start:
        """The best start, if words, results or a correction tell it from the next. Raises `MissingEvidence`."""
        solved = [fit for fit in fitting if fit.solved]
        if solved or len(self._candidates) == 1 or (len(fitting) == 1 and fitting[0].evidence):
            return (solved or fitting)[0].start
        first, *others = sorted(fitting, key=lambda fit: -fit.score)
        least = _TELLING if first.evidence else _TELLING_ALONE
        if first.score >= least and (not others or first.score >= others[0].score + least):
            return first.start
        if first.score >= _TELLING_ALONE:
            tied = [fit for fit in fitting if fit.score == first.score]
            first = next((fit for fit in tied if not fit.start.held_out), first)
            return msgspec.structs.replace(first.start, certain=False)
        raise MissingEvidence(SEVERAL if first.evidence else _NO_RESULT)

    async def _check_starts(self) -> None:
        """Restores what the tasks expect to the starts if the environment cannot open a task without it."""
        if self._checked or self.environment.mined_episode is not None or not self._candidates:
            return
        self._checked = True
        first = self._candidates[0].start
        episode = await play(
            self.environment, Task(id="mined", prompt="", data=first.data), [""], policies={}, scored=False
        )
        error = episode.trajectory.error
        if error is not None and error.fault is not Fault.MODEL:
            self._candidates = [
                candidate._replace(
                    start=msgspec.structs.replace(candidate.start, data=self._by_id[candidate.start.task].data)
                )
                for candidate in self._candidates
            ]

    async def _fit(
        self,
        start: Start,
        score: float,
        failed: Sequence[Attempt],
        succeeded: Sequence[Attempt],
        correction: Sequence[Reply],
    ) -> "_Fit | None":
        """How well a start fits. None if it does not."""
        telling = [attempt for attempt in failed if _outputs(attempt.tried)]
        solved = False
        for attempt in telling:
            replay = await self.replay(start, attempt)
            if replay is None or replay.agreeing < AGREEING * replay.compared:
                return None
        for attempt in succeeded:
            replay = await self.replay(start, attempt) if _outputs(attempt.tried) else None
            if replay is not None and replay.compared == replay.agreeing:
                solved = True
        if telling or solved:
            return _Fit(start, score, solved, True)
        if any(_outputs(attempt.tried) for attempt in succeeded):
            return None
        attempt = [*failed, *succeeded][0]
        if not correction:
            replay = await self.replay(start, attempt)
            return _Fit(start, score, False, False) if replay is not None else None
        echo = await self._echo(start, attempt, correction)
        return _Fit(start, score + echo, False, True) if echo is not None else None

    async def _echo(self, start: Start, attempt: Attempt, correction: Sequence[Reply]) -> float | None:
        """How many words of the request the results of a correction's calls show. None if a call cannot be executed."""
        task = self.task(start, attempt)
        if task is None:
            return None
        episode = await play(self.environment, task, correction, policies={}, scored=False)
        marks = Counter(mark.kind for mark in episode.trajectory.marks)
        if not marks["executed"] or marks["executed"] < len(episode.trajectory.calls) or marks["tool_error"]:
            return None
        return float(len(_words(attempt.request) & _words("\n".join(_outputs(episode.trajectory.items)))))

    async def replay(self, start: Start, attempt: Attempt) -> Replay | None:
        """The attempt played from this start. None if the environment cannot open it."""
        values: dict[str, str] = {}
        best = await self._played(start, attempt, values)
        for _ in range(4):  # each pass can reveal the values that the next needs
            if best is None or not (values.keys() < best.values.keys()):
                break
            values = best.values
            best = await self._played(start, attempt, values)
        if best is not None:
            best = await self._guessed(best, attempt)
        return best

    async def _guessed(self, best: Replay, attempt: Attempt) -> Replay:
        """Tries the start's own values for placeholders that no result revealed."""
        spoken = [attempt.prompt, *(item for item in attempt.tried if not isinstance(item, FunctionCallOutput))]
        text = msgspec.json.encode(spoken).decode()
        unknown = [each for each in dict.fromkeys(PLACEHOLDER.findall(text)) if each not in best.values]
        said = _words(
            "\n".join(item.text for item in attempt.tried if isinstance(item, Message)) + _text(attempt.prompt)
        )
        for placeholder in unknown:
            pool = self._pool(best.start.data, placeholder)
            for value in pool:
                replay = await self._played(best.start, attempt, {**best.values, placeholder: value})
                if replay is not None and replay.agreeing > best.agreeing:
                    best = replay
                    break
            if placeholder not in best.values and (value := _of_whom(pool, best.start.data, said)):
                best = await self._played(best.start, attempt, {**best.values, placeholder: value}) or best
        return best

    async def _played(self, start: Start, attempt: Attempt, values: Mapping[str, str]) -> Replay | None:
        task = self.task(start, attempt, values)
        if task is None:
            return None
        try:
            replies = filled(tried_replies(attempt), values) or [""]
            episode = await play(self.environment, task, replies, policies={}, scored=False)
        except VerigymError:
            return None
        error = episode.trajectory.error
        if error is not None and error.fault is not Fault.MODEL:
            return None
        learned, agreeing = dict(values), 0
        recorded = _outputs(attempt.tried)
        returned = _outputs(episode.trajectory.items)
        for one, other in zip(recorded, returned, strict=False):
            revealed = _revealed(one, other, learned)
            if revealed is not None:
                agreeing += 1
                learned |= revealed
        return Replay(start, episode, learned, agreeing, len(recorded))

    def task(
        self, start: Start, attempt: Attempt, values: Mapping[str, str] = {}, end_state: Json | None = None
    ) -> Task | None:
        """A task that opens the start with the attempt's request and expects nothing yet, or only the end state. None if there
        is no such task."""
        data = start.data
        if self.environment.mined_episode is not None:
            first = Message("user", attempt.prompt) if isinstance(attempt.prompt, str) else None
            said = [first, *attempt.tried] if first is not None else [*attempt.prompt, *attempt.tried]
            items = [filled(item, values) for item in said if not isinstance(item, str)]
            try:
                recorded = Trajectory(id="", task="", group="", items=items, end_state=end_state or {})
                data = self.environment.mined_episode(start.data, recorded)
            except Exception as error:  # user code may raise anything
                self._defect = (
                    f"mined_episode(...) of {self.environment.name} raised {type(error).__name__}: {words_of(error)}"
                )
                return None
            if data is None:
                return None
        return Task(id="mined", prompt=filled(attempt.prompt, values), data=data)

    async def values_in(
        self, correction: Sequence[Item], steps: Sequence[Reply], replay: Replay, task: Task
    ) -> list[dict[str, str]]:
        """What a correction's placeholder may stand for. Corrections are redacted on their own, so `[EMAIL 1]` there is not
        `[EMAIL 1]` of the trace. It is what the correction's own lookups return, if that is one value, or else one of the values
        of the trace and its start. Raises `MissingEvidence`."""
        unknown = list(dict.fromkeys(PLACEHOLDER.findall(msgspec.json.encode(correction).decode())))
        if not unknown:
            return [{}]
        episode = await play(self.environment, task, steps or [""], policies={}, scored=False)
        shown = "\n".join(_outputs(episode.trajectory.items))
        kind = unknown[0].rpartition(" ")[0]
        rules = [rule for rule in self._redaction.rules if rule.name.upper() == kind[1:]]
        values = {found[0] for rule in rules for found in rule.pattern.finditer(shown)}
        if len(values) != 1:
            values |= {value for name, value in replay.values.items() if name.rpartition(" ")[0] == kind}
            values |= set(self._pool(replay.start.data, unknown[0]))
        if len(unknown) != 1 or not 0 < len(values) <= _POOL:
            raise MissingEvidence(unreadable(unknown[0]))
        return [{unknown[0]: value} for value in sorted(values)]

    def _named(self, trace: Trajectory) -> Start | None:
        metadata = trace.end_state.get("metadata")
        names = [trace.task, metadata.get("task") if isinstance(metadata, dict) else None]
        task = next((self._by_id[name] for name in names if isinstance(name, str) and name in self._by_id), None)
        if task is None:
            return None
        return Start(data=self._start_of(task.data), task=task.id, held_out=task.split != "train")

    async def _opens_without_data(self) -> bool:
        if self._opens is None:
            self._opens = False
            if self.environment.mined_episode is None:
                episode = await play(
                    self.environment, Task(id="mined", prompt="", data={}), [""], policies={}, scored=False
                )
                error = episode.trajectory.error
                self._opens = error is None or error.fault is Fault.MODEL
        return self._opens

    def _ranked(self, attempts: Sequence[Attempt]) -> list[tuple[float, Start]]:
        """The known starts that share most words with the traces, each with its score: 1 for a word that no other start has, and
        less the more starts have it."""
        texts = [_text(attempt.prompt) for attempt in attempts]
        texts += [msgspec.json.encode(attempt.tried).decode() for attempt in attempts]
        weights = {word: self._weight(word) for word in _words("\n".join(texts)) if word in self._frequency}
        scored = [
            (sum(weights.get(word, 0.0) for word in candidate.words & weights.keys()), -index)
            for index, candidate in enumerate(self._candidates)
        ]
        return [(score, self._candidates[-index].start) for score, index in heapq.nlargest(_MOST, scored)]

    def _weight(self, word: str) -> float:
        """1 for a name: a word that no other start and no other request has. Less for ordinary words."""
        starts, prompts = len(self._candidates), len(self._by_id)
        if starts < 2 or prompts < 2:
            return 0.0
        in_starts = math.log(starts / self._frequency[word]) / math.log(starts)
        return in_starts * math.log(prompts / max(1, self._in_prompts[word])) / math.log(prompts)

    def _known(self, tasks: Sequence[Task]) -> Iterator[_Candidate]:
        """The distinct starts of the tasks, each with the sides that have it."""
        starts: dict[str, tuple[Task, set[bool]]] = {}
        for task in tasks:
            start = self._start_of(task.data)
            if start:
                starts.setdefault(content_hash(start), (task, set()))[1].add(task.split != "train")
        for task, sides in starts.values():
            data = self._start_of(task.data)
            side = next(iter(sides)) if len(sides) == 1 else None
            full = task.data if self.environment.mined_episode is not None else data
            words = frozenset(_words(msgspec.json.encode(data).decode()))
            yield _Candidate(Start(data=full, task=task.id, held_out=side), words)

    def _start_of(self, data: Json) -> Json:
        """The data without what the task expects. The environment's rule decides, or the names of the keys."""
        if self.environment.mined_episode is not None:
            try:
                return self.environment.mined_episode(data, Trajectory(id="", task="", group="")) or {}
            except Exception as error:  # user code may raise anything
                self._defect = (
                    f"mined_episode(...) of {self.environment.name} raised {type(error).__name__}: {words_of(error)}"
                )
                return {}
        return {key: value for key, value in data.items() if not _expects(key)}

    def _pool(self, data: Json, placeholder: str) -> list[str]:
        """Strings of the start that redaction would replace by a placeholder of the same kind."""
        kind = placeholder.rpartition(" ")[0]
        found = [text for text in dict.fromkeys(_strings(data)) if len(text) < 200]
        return [text for text in found if self._redaction.text(text) == f"{kind} 1]"][:_POOL]


_NO_START = (
    "The start state is unknown. The tools return something else from every known start than they did in the trace. Name the "
    "task in the trace's metadata, or add a task with this start"
)
SEVERAL = "The start state is unknown. The trace fits several known starts. Name the task in the trace's metadata"
_NO_RESULT = (
    "The start state is unknown. The trace has no tool result that tells which of the known starts it had. Name the task in "
    "the trace's metadata"
)


def unreadable(placeholder: str) -> str:
    return (
        f"Redaction replaced a value in the correction by {placeholder}, and nothing tells which value it was. Switch this "
        "redaction rule off (verigym ingest --rules) and send the correction again"
    )


def tried_replies(attempt: Attempt) -> list[Reply]:
    return replies(attempt.tried)


def filled(value: Any, values: Mapping[str, str]) -> Any:
    """The value with its placeholders replaced. Works on text, items, and lists of them."""
    if not values:
        return value
    if isinstance(value, str):
        return PLACEHOLDER.sub(lambda found: values.get(found[0], found[0]), value)
    if isinstance(value, list):
        return [filled(each, values) for each in value]
    if isinstance(value, FunctionCall):
        escaped = {key: msgspec.json.encode(each).decode()[1:-1] for key, each in values.items()}
        return msgspec.structs.replace(value, arguments=filled(value.arguments, escaped))
    if isinstance(value, Message) and isinstance(value.content, str):
        return msgspec.structs.replace(value, content=filled(value.content, values))
    if isinstance(value, FunctionCallOutput):
        return msgspec.structs.replace(value, output=filled(value.output, values))
    return value


def _outputs(items: Sequence[Item]) -> list[str]:
    return [item.output for item in items if isinstance(item, FunctionCallOutput)]


def _revealed(recorded: str, returned: str, values: Mapping[str, str]) -> dict[str, str] | None:
    """The values of the placeholders in a recorded result, or None if the replay returned something else."""
    recorded, returned = " ".join(filled(recorded, values).split()), " ".join(returned.split())
    if recorded == returned:
        return {}
    names = list(dict.fromkeys(PLACEHOLDER.findall(recorded)))
    if not names:
        return None
    seen: set[str] = set()
    pattern = ""
    for part in re.split(f"({PLACEHOLDER.pattern})", recorded):
        if part not in names:
            pattern += re.escape(part)
        elif part in seen:
            pattern += f"(?P=p{names.index(part)})"
        else:
            pattern += f"(?P<p{names.index(part)}>.+?)"
            seen.add(part)
    found = re.fullmatch(pattern, returned)
    return {name: found[f"p{index}"] for index, name in enumerate(names)} if found else None


def _text(prompt: str | list[Item]) -> str:
    return prompt if isinstance(prompt, str) else conversation_text(prompt)


def _of_whom(values: Sequence[str], data: Json, said: set[str]) -> str:
    """The value whose record shares most words with what was said, such as a name or a postcode. Empty if two share as many."""
    scores = sorted(((len(said & _words(" ".join(_record(data, value)))), value) for value in values), reverse=True)
    if not scores or not scores[0][0] or (len(scores) > 1 and scores[0][0] == scores[1][0]):
        return ""
    return scores[0][1]


def _record(data: Any, value: str) -> list[str]:
    """The strings of the smallest object that holds the value, or that the value is the key of."""
    if isinstance(data, list):
        return next(filter(None, (_record(each, value) for each in data)), [])
    if not isinstance(data, dict):
        return []
    inner = next(filter(None, (_record(each, value) for each in data.values())), [])
    if inner:
        return inner
    if isinstance(data.get(value), dict):
        return list(_strings(data[value]))
    return list(_strings(data)) if value in data.values() else []


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def _expects(key: str) -> bool:
    return key.startswith("expected") or key in _EXPECTATIONS
