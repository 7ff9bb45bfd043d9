"""Analyses one production request and all attempts at it: which failed, and the task that proves it.

A request that is already a task of the environment makes no new task. If a person and the verifier disagree, the verifier may be
wrong, and the attempt is proposed as one of its regression cases.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec import Struct

from verigym.audit.cases import make as make_case
from verigym.audit.scripted_episodes import ScriptedEpisode
from verigym.core.errors import BadInput
from verigym.core.protocols import Policy
from verigym.core.records import FunctionCall, Item, Task, Verdict, content_hash
from verigym.evaluation.failures import reason_of
from verigym.harness.environment import EnvironmentSpec
from verigym.mining import expectations as expect
from verigym.mining.attempts import Attempt, replies, request_key, solution, tool_names, with_tool_name
from verigym.mining.expectations import Expectation, MissingEvidence, RuleDefect
from verigym.mining.multi_step import EpisodeMiner, MinedEpisode, Request
from verigym.mining.proposals import Proposal, ProposalSet, name_of
from verigym.mining.signals import AttemptJudgement, FeedbackSummary, judge
from verigym.mining.starts import Replay, filled
from verigym.mining.teacher import Teacher
from verigym.verifiers.ending import is_regression, is_rubric


class FailedAttempt(NamedTuple):
    attempt: Attempt
    signals: list[str]
    bucket: str


class RequestAnalysis(Struct, frozen=True, kw_only=True):
    """The analysis of one request."""

    standings: dict[str, int]
    """Number of attempts by outcome."""
    failed: list[FailedAttempt] = []
    task: Task | None = None
    """The task that proves the failures, with its correct outcome. None if nothing failed or evidence is missing."""
    right: Expectation | None = None
    missing: str = ""
    existing: str = ""
    """Id of the existing task with this request."""
    cases: list[Proposal] = []
    episode: MinedEpisode | None = None
    """Where `task` is from, if the request needed a state."""
    regression: MinedEpisode | None = None
    """The guardrail, if no task can be made."""

    @property
    def traces(self) -> list[str]:
        return list(dict.fromkeys(failed.attempt.trace.id for failed in self.failed))


class Miner:
    """Analyses requests. Attempts with the same text are played once."""

    def __init__(
        self,
        environment: EnvironmentSpec,
        known: ProposalSet,
        feedback: Mapping[str, FeedbackSummary],
        *,
        teacher: Teacher | None = None,
        judge: Policy | None = None,
    ) -> None:
        self.environment, self.known, self.feedback = environment, known, feedback
        self.name, self.names = name_of(environment.name), tool_names(environment)
        splits = dict.fromkeys(["train", *environment.suites.values()])
        self.tasks = [task for split in splits for task in environment.tasks(split)]
        taken = [task for task in known.taken.values() if not is_regression(task)]
        self._by_request = {request_key(task.prompt): task for task in (*self.tasks, *taken)}
        self._episodes = EpisodeMiner(environment, [*self.tasks, *taken], self.name, self.names, teacher, judge)
        self._played: dict[tuple[str, bytes], ScriptedEpisode] = {}

    async def analyse(self, attempts: Sequence[Attempt]) -> RequestAnalysis:
        """Analyses all attempts at one request."""
        judgements = [judge(attempt, self.feedback) for attempt in attempts]
        task = self._by_request.get(attempts[0].key)
        try:
            if task is not None:
                return await self._existing(task, attempts, judgements)
            right = expect.expected_outcome(self.environment, attempts, judgements, self.feedback, self.names)
            return await self._new(right, attempts, judgements)
        except MissingEvidence as missing:
            if task is not None or isinstance(missing, RuleDefect):
                failed = self._failures(attempts, judgements)
                return RequestAnalysis(standings=_standings(judgements), failed=failed, missing=str(missing))
            request = Request(attempts=attempts, judgements=judgements, feedback=self.feedback)
            return await self._in_state(request, str(missing))

    async def _in_state(self, request: Request, missing: str) -> RequestAnalysis:
        """A task in the state of the trace, or else a regression. `missing` says why a task without a state cannot be made."""
        attempts, judgements = request.attempts, request.judgements
        standings, failed = _standings(judgements), self._failures(attempts, judgements)
        nothing = RequestAnalysis(standings=standings, failed=failed, missing=missing)
        compared = standings["unknown"] and standings["succeeded"]
        if not (failed or compared) or attempts[0].has_image or not attempts[0].request.strip():
            return nothing
        # What people said has been tried with the environment's own rule, if it has one.
        in_state = hasattr(self.environment.factory, "end_state") and self.environment.mined is None
        try:
            replays = await self._episodes.replays(request)
        except MissingEvidence as error:
            return msgspec.structs.replace(nothing, missing=str(error)) if in_state else nothing
        people = [self._episodes.from_people] if in_state else []
        for source in (*people, self._episodes.from_teacher, self._episodes.from_rubric):
            try:
                episode = await source(request, replays)
                if episode is not None:
                    return await self._proven(episode, request, replays)
            except RuleDefect as error:
                return msgspec.structs.replace(nothing, missing=str(error))
            except MissingEvidence as error:
                missing = str(error) if in_state else missing
        regression = await self._episodes.regression(request, replays)
        return msgspec.structs.replace(nothing, missing=missing, regression=regression)

    async def _proven(self, episode: MinedEpisode, request: Request, replays: Mapping[int, Replay]) -> RequestAnalysis:
        """Every failure must fail the task. Attempts with an unknown outcome are decided by the verifier."""
        standings, failed, environment = Counter[str](), list[FailedAttempt](), self._episodes.environment
        for index, (attempt, judgement) in enumerate(zip(request.attempts, request.judgements, strict=True)):
            standing = judgement.standing
            if standing in ("failed", "unknown") and index in replays:
                signals = judgement.signals or ["verifier: it does not end like the solution"]
                if episode.source == "rubric":
                    failed.append(FailedAttempt(attempt, signals, self._by_marks(attempt, signals)))
                else:
                    tried = filled(replies(attempt.tried), replays[index].values) or [""]
                    played = await expect.play_and_score(environment, episode.task, tried)
                    if not played.verdict.passed:
                        standing = "failed"
                        failed.append(FailedAttempt(attempt, signals, self._bucket(episode.task, played)))
                    elif standing == "failed":
                        raise MissingEvidence(
                            f"The verifier passes the attempt in {attempt.trace.id}, which was reported as failed"
                        )
                    else:
                        standing = "succeeded"
            standings[standing] += 1
        if not failed:
            return RequestAnalysis(standings=standings)
        return RequestAnalysis(standings=standings, failed=failed, task=episode.task, episode=episode)

    def _failures(self, attempts: Sequence[Attempt], judgements: Sequence[AttemptJudgement]) -> list[FailedAttempt]:
        return [
            FailedAttempt(attempt, judgement.signals, self._by_marks(attempt, judgement.signals))
            for attempt, judgement in zip(attempts, judgements, strict=True)
            if judgement.standing == "failed"
        ]

    async def _new(
        self, right: Expectation, attempts: Sequence[Attempt], judgements: Sequence[AttemptJudgement]
    ) -> RequestAnalysis:
        """A task whose right solution passes and at which every failure fails. If the outcome of an attempt is unknown, the
        verifier decides. For text replies it decides only if a person wrote the right answer, because many wordings can be
        right."""
        first, standings = attempts[0], Counter[str]()
        decides = right.by_correction or any(isinstance(item, FunctionCall) for item in right.items)
        played_standings = ("failed", "unknown") if decides else ("failed",)
        if all(judgement.standing not in played_standings for judgement in judgements):
            return RequestAnalysis(standings=_standings(judgements))
        if first.has_image:
            raise MissingEvidence("The request contains an image, but tasks are text")
        if isinstance(first.prompt, str) and not first.prompt.strip():
            raise MissingEvidence("The request is empty")
        data = expect.data_of(self.environment, first.request, right.items)
        id = f"{self.name}/mined/{content_hash([first.key, expect.meaning(right.items)])[:16]}"
        task = Task(id=id, prompt=first.prompt, data=data)
        await expect.check_solution(self.environment, task, right.replies)
        failed: list[FailedAttempt] = []
        passed: list[FailedAttempt] = []
        cases: list[Proposal] = []
        for attempt, judgement in zip(attempts, judgements, strict=True):
            standing = judgement.standing
            if standing in played_standings:
                played = await self.play(task, attempt)
                signals = judgement.signals or [f"verifier: {played.verdict.evidence}"]
                if not played.verdict.passed:
                    standing = "failed"
                    failed.append(FailedAttempt(attempt, signals, self._bucket(task, played)))
                elif standing == "failed" and not judgement.is_guess:
                    passed.append(FailedAttempt(attempt, signals, self._by_marks(attempt, signals)))
                    cases += self._case(task, attempt, judgement, played)
                else:
                    standing = "succeeded"
            standings[standing] += 1
        if passed and not failed:
            missing = f"The verifier passes the attempt in {passed[0].attempt.trace.id}, which was reported as failed"
            return RequestAnalysis(standings=standings, failed=passed, missing=missing, cases=cases)
        if not failed:
            return RequestAnalysis(standings=standings)
        return RequestAnalysis(standings=standings, failed=failed, task=task, right=right, cases=cases)

    async def _existing(
        self, task: Task, attempts: Sequence[Attempt], judgements: Sequence[AttemptJudgement]
    ) -> RequestAnalysis:
        """A request that is already a task. It makes no new task, but may show that the verifier is wrong."""
        if is_rubric(task):  # only its judge can score it
            failed = self._failures(attempts, judgements)
            return RequestAnalysis(standings=_standings(judgements), failed=failed, existing=task.id)
        self._check_corrections(task, attempts)
        failed: list[FailedAttempt] = []
        cases: list[Proposal] = []
        standings = Counter[str]()
        for attempt, judgement in zip(attempts, judgements, strict=True):
            standing = judgement.standing
            if standing != "infrastructure":
                played = await self.play(task, attempt)
                cases += self._case(task, attempt, judgement, played)
                if standing == "unknown":
                    standing = "succeeded" if played.verdict.passed else "failed"
                if standing == "failed":
                    signals = judgement.signals or [f"verifier: {played.verdict.evidence}"]
                    bucket = self._by_marks(attempt, signals) if played.verdict.passed else self._bucket(task, played)
                    failed.append(FailedAttempt(attempt, signals, bucket))
            standings[standing] += 1
        return RequestAnalysis(standings=standings, failed=failed, existing=task.id, cases=cases)

    def _check_corrections(self, task: Task, attempts: Sequence[Attempt]) -> None:
        """A correction that contradicts the task needs a person's decision, unless the task was made from it and edited."""
        proposal = self.known.proposals.get(task.id)
        sources = proposal.trajectories if proposal is not None else []
        wanted = self.gold(task)
        for attempt in attempts:
            correction = self.feedback.get(attempt.trace.id, FeedbackSummary()).correction
            right = solution(self.environment, [with_tool_name(item, self.names) for item in correction])
            differs = right and wanted and expect.meaning(right) != expect.meaning(wanted)
            if differs and attempt.trace.id not in sources:
                raise MissingEvidence(
                    f"{task.id} has the same request and expects {expect.one_line(wanted)}. The correction on "
                    f"{attempt.trace.id} says {expect.one_line(right)}. Decide which is correct"
                )

    def gold(self, task: Task) -> list[Item]:
        """The gold solution's calls and text. Empty without one."""
        replies = self._episodes.environment.gold_replies(task)
        return [item for reply in replies for item in solution(self.environment, expect.as_items(reply))]

    async def play(self, task: Task, attempt: Attempt) -> ScriptedEpisode:
        """Plays the attempt on the task and scores it. Its stop reason in production still counts."""
        attempted = replies(attempt.tried) or [""]
        key = task.id, msgspec.json.encode(attempted)
        if key not in self._played:
            self._played[key] = await expect.play_and_score(self._episodes.environment, task, attempted)
        played, trace = self._played[key], attempt.trace
        trajectory = msgspec.structs.replace(played.trajectory, id=trace.id, stop=trace.stop, source=trace.source)
        return played._replace(trajectory=trajectory)

    def _bucket(self, task: Task, played: ScriptedEpisode) -> str:
        try:
            return reason_of(task, played.trajectory, played.verdict, self._episodes.environment.explain).bucket
        except BadInput:  # the environment's rule reads data that a mined task does not have
            return reason_of(task, played.trajectory, played.verdict).bucket

    def _by_marks(self, attempt: Attempt, signals: Sequence[str]) -> str:
        """The bucket of an attempt without a task, from its recorded marks."""
        verdict = Verdict(reward=0.0, evidence=signals[0] if signals else "")
        trace, did = attempt.trace, solution(self.environment, attempt.tried)
        if not trace.calls and any(isinstance(item, FunctionCall) for item in did):  # a call that was written as text
            trace = msgspec.structs.replace(trace, items=did, marks=[])
        return reason_of(Task(id="", prompt=attempt.prompt), trace, verdict).bucket

    def _case(
        self, task: Task, attempt: Attempt, judgement: AttemptJudgement, played: ScriptedEpisode
    ) -> list[Proposal]:
        """The case if a person and the verifier disagree. A reported failure needs a written reason, not only a click."""
        feedback, passes = self.feedback.get(attempt.trace.id, FeedbackSummary()), played.verdict.passed
        differ = judgement.standing == ("failed" if passes else "succeeded") and (bool(feedback.note) or not passes)
        if not (attempt.last and judgement.by_person and differ):
            return []
        should = "fail" if passes else "pass"
        note = feedback.note or f"reported as a {feedback.outcome}"
        verifier = next(iter(self.environment.verifiers))
        case = make_case(verifier, task, played.trajectory, should, note, feedback.who, played.context.blob)
        return [
            Proposal(
                id=f"case/{attempt.trace.id}",
                environment=self.name,
                task=task,
                right=f"it should {should}",
                source=judgement.signals[0],
                did=expect.one_line(solution(self.environment, attempt.tried)),
                signals=[f"verifier: it {'passes' if passes else 'fails'}: {played.verdict.evidence}"],
                trajectories=[attempt.trace.id],
                case=case,
            )
        ]


def _standings(judgements: Sequence[AttemptJudgement]) -> Counter[str]:
    return Counter(judgement.standing for judgement in judgements)
