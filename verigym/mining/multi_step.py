"""Makes tasks from failures that need a state: several calls, a conversation, an end state. The first source that works counts:

    a correction, a twin that succeeded, or a known end state -> k episodes of a teacher that agree -> a rubric

`starts` finds the state in which the request began. The environment's rule `mined_episode(data, episode)` turns the start and the
right episode into task data. Without the rule, the end state of the right episode is what the task expects. A failure of which
only the bad ending is known becomes a regression: a guardrail, not a task.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from verigym.audit.scripted_episodes import ScriptedEpisode, play
from verigym.audit.verifier import ObservedJudge
from verigym.core.errors import words_of
from verigym.core.protocols import Policy
from verigym.core.records import FunctionCall, Item, Json, Message, Task, Trajectory, content_hash
from verigym.environments.mined import with_mined
from verigym.harness.environment import EnvironmentSpec, Reply
from verigym.mining import expectations as expect
from verigym.mining.attempts import Attempt, replies, solution, with_tool_name
from verigym.mining.expectations import MissingEvidence, RuleDefect
from verigym.mining.signals import AttemptJudgement, FeedbackSummary
from verigym.mining.starts import (
    AGREEING,
    PLACEHOLDER,
    SEVERAL,
    Replay,
    Start,
    StartFinder,
    filled,
    tried_replies,
    unreadable,
)
from verigym.mining.teacher import Teacher
from verigym.verifiers.ending import MINED, REGRESSIONS, same_state

Source = Literal["correction", "twin", "end state", "teacher", "rubric", "regression"]
_END_STATE = "end_state"
"""Key of a correction that says how the episode should have ended: `{"end_state": {...}}`."""
AGREEMENT = 2 / 3
"""Share of the teacher's episodes that must end alike to be gold without a person."""
_CRITERION = 600
"""Maximum characters of a criterion."""
_SAID = ("feedback", "intervention", "escalation", "exception")
"""Signals that say what went wrong. `outcome: failure` and a retry do not."""


class MinedEpisode(Struct, frozen=True, kw_only=True):
    """A task made from a request in a state."""

    task: Task
    source: Source
    told_by: str
    """Where the right outcome is from, in plain text."""
    right: list[Reply] = []
    """The right replies. Empty if only the end is known."""
    meaning: str
    """Equal for the same end from the same start."""
    held_out: bool | None = None
    """The side that the start belongs to. None if it decides nothing."""
    needs_person: bool = False
    """Whether only a person can accept it: the teacher's episodes disagree, or no judge was asked about the rubric."""


class _Solution(Struct, frozen=True, kw_only=True):
    options: list[list[Reply]]
    """Ways to play it. The first that works counts."""
    told_by: str
    source: Source
    end_state: Json | None = None
    guessed: str = ""
    """The placeholder for which each option has another value. Empty if redaction changed nothing."""


class Request(Struct, frozen=True, kw_only=True):
    """All attempts at one request, with what is known about each."""

    attempts: Sequence[Attempt]
    judgements: Sequence[AttemptJudgement]
    feedback: Mapping[str, FeedbackSummary]

    def feedback_on(self, attempt: Attempt) -> FeedbackSummary:
        return self.feedback.get(attempt.trace.id, FeedbackSummary())

    @property
    def failed(self) -> list[tuple[Attempt, AttemptJudgement]]:
        pairs = zip(self.attempts, self.judgements, strict=True)
        return [(attempt, judgement) for attempt, judgement in pairs if judgement.standing == "failed"]


class EpisodeMiner:
    """Makes tasks from requests of one environment."""

    def __init__(
        self,
        environment: EnvironmentSpec,
        tasks: Sequence[Task],
        name: str,
        names: Mapping[str, str],
        teacher: Teacher | None = None,
        judge: Policy | None = None,
    ) -> None:
        self.environment = with_mined(environment)
        self._finder = StartFinder(environment, tasks)
        self._name, self._names, self._teacher, self._judge = name, names, teacher, judge

    async def replays(self, request: Request) -> dict[int, Replay]:
        """The attempts, replayed from the start that fits the failures. By index. Raises `MissingEvidence`."""
        attempts = request.attempts
        by_standing = {
            standing: [
                attempts[index] for index, judged in enumerate(request.judgements) if judged.standing == standing
            ]
            for standing in ("failed", "unknown", "succeeded")
        }
        failed = by_standing["failed"] or by_standing["unknown"]
        corrections = [steps for attempt in failed if (steps := self._corrected(request, attempt))]
        start = await self._finder.find(failed, by_standing["succeeded"], corrections[0] if corrections else ())
        replays: dict[int, Replay] = {}
        for index, attempt in enumerate(request.attempts):
            replay = await self._finder.replay(start, attempt)
            if replay is not None and (start.assumed or replay.agreeing >= AGREEING * replay.compared):
                replays[index] = replay
        if not self._failed(request, replays) and not by_standing["unknown"]:
            raise MissingEvidence("The failed attempts cannot be run from the start that fits the others")
        return replays

    def _corrected(self, request: Request, attempt: Attempt) -> list[Reply]:
        """The calls of a correction that redaction did not change. Empty without one."""
        items = [with_tool_name(item, self._names) for item in request.feedback_on(attempt).correction]
        steps = one_by_one(solution(self.environment, items))
        return [step for step in steps if isinstance(step, list) and not PLACEHOLDER.search(str(step))]

    # -- a correction, a twin, a known end state -------------------------------------------------------------------------

    async def from_people(self, request: Request, replays: Mapping[int, Replay]) -> MinedEpisode | None:
        """The task that a correction, a successful attempt or a known end state defines. None without any. Raises
        `MissingEvidence` if two of them disagree, or none can be proven."""
        solutions, problem = await self._solutions(request, replays)
        if solutions and not all(replay.start.certain for replay in replays.values()):
            raise MissingEvidence(SEVERAL)
        if not solutions:
            if str(problem):
                raise problem
            return None
        made: MinedEpisode | None = None
        for one in solutions:
            if made is None:
                try:
                    made = await self._first(request, replays, one)
                except MissingEvidence as error:
                    problem = error if not str(problem) else problem
            elif one.end_state is None and not any([await self._passes(made.task, option) for option in one.options]):
                raise MissingEvidence(f"{made.told_by} and {one.told_by} end differently. Decide which is correct")
        if made is None:
            raise problem
        return made

    async def _first(self, request: Request, replays: Mapping[int, Replay], one: _Solution) -> MinedEpisode:
        """The task of the first way to play a solution that can be proven. If redaction changed the solution, only one of the
        values that it may have had can be proven. Raises `MissingEvidence`."""
        found: dict[str, MinedEpisode] = {}
        problem = MissingEvidence("")
        for option in one.options or [[]]:
            try:
                made = await self._made(request, replays, one, option)
            except MissingEvidence as error:
                problem = error if not str(problem) else problem
                continue
            if not one.guessed:
                return made
            found[made.meaning] = made
        if len(found) == 1:
            return found.popitem()[1]
        raise MissingEvidence(unreadable(one.guessed)) if found else problem

    async def _solutions(
        self, request: Request, replays: Mapping[int, Replay]
    ) -> tuple[list[_Solution], MissingEvidence]:
        """What people and successful attempts say, corrections first, and why a correction cannot be read."""
        solutions: list[_Solution] = []
        problem = MissingEvidence("")
        for index, attempt in enumerate(request.attempts):
            told = request.feedback_on(attempt)
            if not told.correction or not attempt.last:
                continue
            by = f"correction{f' by {told.who}' if told.who else ''} on {attempt.trace.id}"
            values = replays[index].values if index in replays else {}
            try:
                given = await self._given(request, replays, index) if index in replays else [{}]
            except MissingEvidence as error:
                problem = error
                continue
            if known_end_state(told.correction) is not None:
                if given != [{}]:
                    problem = MissingEvidence(unreadable(next(iter(given[0]))))
                    continue
                known = known_end_state(told.correction)
                solutions.append(_Solution(options=[], told_by=by, source="end state", end_state=known))
                continue
            items = [with_tool_name(item, self._names) for item in told.correction]
            options: list[list[Reply]] = []
            for chosen in given:
                steps = one_by_one(solution(self.environment, filled(items, chosen)))
                if self.environment.has_tools and not any(isinstance(step, list) for step in steps):
                    continue  # words about a state are a reference, not a solution
                before = filled(_before(attempt, items), values)
                options += [_ended(option) for option in (steps, *([[*before, *steps]] if before else []))]
            if options:
                guessed = next(iter(given[0]), "") if len(given) > 1 else ""
                solutions.append(_Solution(options=options, told_by=by, source="correction", guessed=guessed))
        for index, (attempt, judgement) in enumerate(zip(request.attempts, request.judgements, strict=True)):
            if judgement.standing == "succeeded" and index in replays and attempt.tried:
                option = filled(tried_replies(attempt), replays[index].values)
                solutions.append(
                    _Solution(options=[option], told_by=f"{attempt.trace.id}, which succeeded", source="twin")
                )
        return solutions, problem

    async def _given(self, request: Request, replays: Mapping[int, Replay], index: int) -> list[dict[str, str]]:
        """What the placeholder in a correction may stand for. Raises `MissingEvidence`."""
        told = request.feedback_on(request.attempts[index])
        items = [with_tool_name(item, self._names) for item in told.correction]
        opened, _ = self._opened(request, replays)
        return await self._finder.values_in(
            items, one_by_one(solution(self.environment, items)), replays[index], opened
        )

    async def _made(
        self, request: Request, replays: Mapping[int, Replay], one: _Solution, right: list[Reply]
    ) -> MinedEpisode:
        opened, start = self._opened(request, replays)
        if one.end_state is not None:
            idle = await play(self.environment, opened, [""], policies={}, scored=False)
            expected = {"by": "end_state", "expected": one.end_state, "before": idle.trajectory.end_state}
            ended, _ = self._opened(request, replays, one.end_state)
            task = msgspec.structs.replace(ended, data={**ended.data, MINED: expected})
            meaning = content_hash([start.data, one.end_state])
            return self._episode(request, task, one.source, one.told_by, [], meaning, start)
        task, meaning = await self.task(opened, start, right)
        return self._episode(request, task, one.source, one.told_by, right, meaning, start)

    def _opened(
        self, request: Request, replays: Mapping[int, Replay], end_state: Json | None = None
    ) -> tuple[Task, Start]:
        """The task that opens the start, with the request of the attempt that tells most about its user. Raises
        `MissingEvidence` if redaction took out what the request says."""
        index = max(replays, key=lambda each: (request.judgements[each].standing == "succeeded", -each))
        replay, attempt = replays[index], request.attempts[index]
        task = self._finder.task(replay.start, attempt, replay.values, end_state)
        assert task is not None, "a replay opened it"
        left = (
            PLACEHOLDER.search(msgspec.json.encode([task.prompt, task.data]).decode())
            if attempt.trace.redacted
            else None
        )
        if left is not None:
            raise MissingEvidence(
                f"Redaction replaced something that the user said by {left[0]}, and no tool result shows it. Switch this "
                "redaction rule off (verigym ingest --rules)"
            )
        return task, replay.start

    def _episode(
        self,
        request: Request,
        task: Task,
        source: Source,
        told_by: str,
        right: list[Reply],
        meaning: str,
        start: Start,
        needs_person: bool = False,
    ) -> MinedEpisode:
        kind = "regression" if source == "regression" else "mined"
        id = f"{self._name}/{kind}/{content_hash([request.attempts[0].key, meaning])[:16]}"
        return MinedEpisode(
            task=msgspec.structs.replace(task, id=id),
            source=source,
            told_by=told_by,
            right=right,
            meaning=meaning,
            held_out=start.held_out,
            needs_person=needs_person,
        )

    async def task(self, opened: Task, start: Start, right: Sequence[Reply]) -> tuple[Task, str]:
        """The task whose right end is that of these replies, proven by the verifier, and its meaning. Raises
        `MissingEvidence`."""
        episode = await self._play(opened, right)
        end = episode.trajectory.end_state
        for data in await self._data(opened, start, right, episode.trajectory):
            task = msgspec.structs.replace(opened, id="mined", data=data)
            await expect.check_solution(self.environment, task, right)
            changed = end if end else [expect.as_items(reply) for reply in right]
            return task, content_hash([start.data, changed])
        raise AssertionError("_data raises or returns data")

    async def _data(self, opened: Task, start: Start, right: Sequence[Reply], episode: Trajectory) -> list[Json]:
        environment = self.environment
        if environment.mined_episode is not None:
            try:
                data = environment.mined_episode(start.data, episode)
            except Exception as error:  # user code may raise anything
                raise RuleDefect(
                    f"mined_episode(...) of {environment.name} raised {type(error).__name__}: {words_of(error)}"
                ) from error
            if data is None:
                raise MissingEvidence(
                    f"mined_episode(data, episode) of {environment.name} returned None for this episode"
                )
            return [data]
        items = [item for reply in right for item in solution(environment, expect.as_items(reply))]
        if environment.mined is not None or not hasattr(environment.factory, "end_state"):
            text = opened.prompt if isinstance(opened.prompt, str) else ""
            return [expect.data_of(environment, text, items)]
        idle = await self._play(opened, [""])
        before = idle.trajectory.end_state
        written = [msgspec.to_builtins(expect.as_items(reply)) for reply in right]
        if same_state(before, episode.end_state):
            raise MissingEvidence("The right episode changes nothing, so its end state does not say what is right")
        if "expected_state" in self._keys:
            return [{**opened.data, "expected_state": episode.end_state, MINED: {"replies": written}}]
        expected = {"by": "end_state", "expected": episode.end_state, "before": before, "replies": written}
        return [{**opened.data, MINED: expected}]

    @property
    def _keys(self) -> set[str]:
        """Keys of the data of the environment's own tasks."""
        return {
            key
            for split in ("train", *self.environment.suites.values())
            for task in self.environment.tasks(split)[:3]
            for key in task.data
        }

    async def _play(self, task: Task, right: Sequence[Reply]) -> ScriptedEpisode:
        played = await play(self.environment, task, right or [""], policies={}, scored=False)
        if played.trajectory.error is not None:
            error = played.trajectory.error
            raise MissingEvidence(f"The right replies cannot be run: {error.kind}: {error.message[:160]}")
        return played

    async def _passes(self, task: Task, right: Sequence[Reply]) -> bool:
        return (await expect.play_and_score(self.environment, task, right or [""])).verdict.passed

    # -- a teacher -------------------------------------------------------------------------------------------------------

    async def from_teacher(self, request: Request, replays: Mapping[int, Replay]) -> MinedEpisode | None:
        """The task whose end most of the teacher's episodes share. None without a teacher, or if no two of them agree."""
        if self._teacher is None or self.environment.needs_user:  # nobody recorded what another user would say
            return None
        opened, start = self._opened(request, replays)
        episodes = await self._teacher.solve(opened)
        idle = await play(self.environment, opened, [""], policies={}, scored=False)
        solutions = [
            replies(_after_prompt(episode)) for episode in episodes if _did_something(self.environment, episode)
        ]
        unchanged = {
            content_hash(replies(_after_prompt(episode)))
            for episode in episodes
            if self.environment.has_tools and same_state(episode.end_state, idle.trajectory.end_state)
        }
        best: tuple[int, Task, str, list[Reply]] | None = None
        for right in solutions:
            try:
                task, meaning = await self.task(opened, start, right)
                failed = [self._tried(request, replays, index) for index in self._failed(request, replays)]
                if any([await self._passes(task, tried) for tried in failed]):
                    continue  # the teacher ended as the failure did
                agreeing = sum([await self._passes(task, other) for other in solutions])
            except MissingEvidence:
                continue
            if best is None or agreeing > best[0]:
                best = agreeing, task, meaning, right
        if best is None or (best[0] < 2 and self._teacher.k > 1):
            return None
        agreeing, task, meaning, right = best
        agree = agreeing >= max(2, AGREEMENT * self._teacher.k) and content_hash(right) not in unchanged
        told = f"teacher {self._teacher.label}: {agreeing} of {self._teacher.k} episodes agree"
        return self._episode(request, task, "teacher", told, right, meaning, start, needs_person=not agree)

    def _failed(self, request: Request, replays: Mapping[int, Replay]) -> list[int]:
        return [index for index in replays if request.judgements[index].standing == "failed"]

    def _tried(self, request: Request, replays: Mapping[int, Replay], index: int) -> list[Reply]:
        return filled(tried_replies(request.attempts[index]), replays[index].values) or [""]

    # -- a rubric --------------------------------------------------------------------------------------------------------

    async def from_rubric(self, request: Request, replays: Mapping[int, Replay]) -> MinedEpisode | None:
        """A task that a judge scores. None if nothing says what went wrong. If a judge was given, it must fail the attempts."""
        criteria, reference = self._criteria(request, replays)
        if not criteria or _is_assumed(replays):
            return None
        opened, start = self._opened(request, replays)
        data = {**opened.data, MINED: {"by": "rubric", "criteria": criteria}}
        if reference:
            data["reference"] = reference
        task = msgspec.structs.replace(opened, data=data)
        if self._judge is not None:
            for index in self._failed(request, replays):
                judge = ObservedJudge(self._judge)
                played = await play(self.environment, task, self._tried(request, replays, index), judge=judge)
                if played.verdict.reward is None:
                    raise MissingEvidence(f"The judge gave no verdict on the rubric: {played.verdict.error}")
                if played.verdict.passed:
                    raise MissingEvidence(
                        f"By its rubric, the judge passes the attempt in {request.attempts[index].trace.id}, which failed"
                    )
        told = "a rubric from the request and what was said about the failure"
        meaning = content_hash([start.data, criteria, reference])
        return self._episode(request, task, "rubric", told, [], meaning, start, needs_person=self._judge is None)

    def _criteria(self, request: Request, replays: Mapping[int, Replay]) -> tuple[list[str], str]:
        """What a good episode must do, and a reference if someone wrote one. Empty if nothing says what went wrong."""
        said: list[str] = []
        reference = ""
        for index in self._failed(request, replays):
            attempt, judgement, values = request.attempts[index], request.judgements[index], replays[index].values
            told = request.feedback_on(attempt)
            if told.correction and known_end_state(told.correction) is None and replays[index].start.certain:
                written = expect.one_line(told.correction)  # redacted on its own, so the trace's values do not fit
                reference = reference or ("" if PLACEHOLDER.search(written) else written)
            said += [filled(text, values) for text in (told.note, told.intervention) if text]
            if not told.note and not told.intervention:
                said += [filled(each, values) for each in judgement.signals if each.startswith(_SAID[2:])]
        if not said and not reference:
            return [], ""
        asked = filled(request.attempts[0].request, replays[self._failed(request, replays)[0]].values)
        complaints = [
            f'This complaint about an earlier attempt does not apply: "{text}"' for text in dict.fromkeys(said)
        ]
        criteria = [
            f'The assistant does what the user asks, completely and without doing anything else: "{asked}"',
            *complaints[:5],
            "The assistant claims nothing that the results of its tools do not show",
        ]
        if reference:
            criteria.append("The outcome is that of the reference, in whatever words")
        return [text[:_CRITERION] for text in criteria], reference

    # -- a regression ----------------------------------------------------------------------------------------------------

    async def regression(self, request: Request, replays: Mapping[int, Replay]) -> MinedEpisode | None:
        """The guardrail that an episode does not end as a failure did. None if the failure is a guess, or nothing was done."""
        for index in self._failed(request, replays):
            attempt, judgement = request.attempts[index], request.judgements[index]
            if _is_assumed(replays) or not replays[index].start.certain or judgement.is_guess:
                continue
            replay = replays[index]
            try:
                opened, _ = self._opened(request, {index: replay})
            except MissingEvidence:
                continue
            idle = await play(self.environment, opened, [""], policies={}, scored=False)
            end, reply = replay.episode.trajectory.end_state, replay.episode.trajectory.reply
            ending: Json = {"by": "regression", "state": end}
            if same_state(end, idle.trajectory.end_state):
                if not reply.strip():
                    continue
                ending["reply"] = reply
            task = msgspec.structs.replace(opened, data={**opened.data, MINED: ending}, split=REGRESSIONS)
            return self._episode(
                request,
                task,
                "regression",
                f"how {attempt.trace.id} ended",
                [],
                content_hash([replay.start.data, ending]),
                replay.start,
            )
        return None


def _did_something(environment: EnvironmentSpec, episode: Trajectory) -> bool:
    """A teacher that gives up always ends alike. Where there are tools, it must have used one."""
    return not environment.has_tools or episode.marked("executed")


def known_end_state(correction: Sequence[Item]) -> Json | None:
    """The end state that a correction gives as `{"end_state": {...}}`. None if it is a reply."""
    if len(correction) != 1 or not isinstance(correction[0], Message) or _END_STATE not in correction[0].text:
        return None
    try:
        value = msgspec.json.decode(correction[0].text)
    except msgspec.DecodeError:
        return None
    found = value.get(_END_STATE) if isinstance(value, dict) and len(value) == 1 else None
    return found if isinstance(found, dict) else None


def _is_assumed(replays: Mapping[int, Replay]) -> bool:
    return any(replay.start.assumed for replay in replays.values())


def one_by_one(items: Sequence[Item]) -> list[Reply]:
    """One reply per call or text, because a correction does not say which calls were made together."""
    return [
        item.text if isinstance(item, Message) else [item] for item in items if isinstance(item, Message | FunctionCall)
    ]


def _ended(steps: list[Reply]) -> list[Reply]:
    """With a last message, which ends an episode."""
    return steps if steps and isinstance(steps[-1], str) else [*steps, "Done."]


def _before(attempt: Attempt, correction: Sequence[Item]) -> list[Reply]:
    """What the attempt did before the first call that the correction replaces."""
    replaced = {item.name for item in correction if isinstance(item, FunctionCall)}
    kept: list[Reply] = []
    for reply in tried_replies(attempt):
        if isinstance(reply, list) and any(isinstance(item, FunctionCall) and item.name in replaced for item in reply):
            break
        kept.append(reply)
    while kept and isinstance(kept[-1], str):
        kept.pop()
    return kept


def _after_prompt(episode: Trajectory) -> list[Item]:
    made = {index for turn in episode.turns if turn.actor == "policy" for index in turn.made}
    first = min(made, default=len(episode.items))
    return episode.items[first:]
