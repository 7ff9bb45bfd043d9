"""Analyses one production request and all attempts at it: which failed, and the task that proves it.

A request that is already a task of the environment makes no new task. If a person and the verifier disagree, the verifier may be
wrong, and the attempt is proposed as one of its regression cases.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec import Struct

from verigym.audit import cases
from verigym.audit.scripted_episodes import ScriptedEpisode
from verigym.core.records import FunctionCall, Item, Task, Trajectory, Verdict, content_hash
from verigym.evaluation.failures import reason_of
from verigym.harness.environment import EnvironmentSpec
from verigym.mining import expectations as expect
from verigym.mining.attempts import Attempt, named, replies, solution, tool_names
from verigym.mining.expectations import Expectation, MissingEvidence
from verigym.mining.proposals import Proposal, ProposalSet, name_of
from verigym.mining.signals import AttemptJudgement, FeedbackSummary, judged


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
    """The task that proves the failures, with its right outcome. None if nothing failed or evidence is missing."""
    right: Expectation | None = None
    missing: str = ""
    own: str = ""
    """The existing task with this request."""
    cases: list[Proposal] = []

    @property
    def traces(self) -> list[str]:
        return list(dict.fromkeys(one.attempt.trace.id for one in self.failed))


class Miner:
    """Analyses requests. Attempts with the same text are played once."""

    def __init__(self, environment: EnvironmentSpec, known: ProposalSet, heard: Mapping[str, FeedbackSummary]) -> None:
        self.environment, self.known, self.heard = environment, known, heard
        self.name, self.names = name_of(environment.name), tool_names(environment)
        splits = dict.fromkeys(["train", *environment.suites.values()])
        self.own = [task for split in splits for task in environment.tasks(split)]
        self._by_request = {_key(task): task for task in (*self.own, *known.taken.values())}
        self._played: dict[tuple[str, bytes], ScriptedEpisode] = {}

    async def look(self, attempts: Sequence[Attempt]) -> RequestAnalysis:
        """Analyses all attempts at one request."""
        said = [judged(one, self.heard) for one in attempts]
        own = self._by_request.get(attempts[0].key)
        try:
            if own is not None:
                return await self._known(own, attempts, said)
            right = expect.expectation(self.environment, attempts, said, self.heard, self.names)
            return await self._new(right, attempts, said)
        except MissingEvidence as missing:
            failed = [
                FailedAttempt(one, judgement.signals, self._by_marks(one, judgement.signals))
                for one, judgement in zip(attempts, said, strict=True)
                if judgement.standing == "failed"
            ]
            return RequestAnalysis(standings=Counter(one.standing for one in said), failed=failed, missing=str(missing))

    async def _new(
        self, right: Expectation, attempts: Sequence[Attempt], said: Sequence[AttemptJudgement]
    ) -> RequestAnalysis:
        """A task whose right solution passes and at which every failure fails. If the outcome of an attempt is unknown, the
        verifier decides. For text replies it decides only if a person wrote the right answer, because many wordings can be
        right."""
        first, standings = attempts[0], Counter[str]()
        asks = right.by_correction or any(isinstance(item, FunctionCall) for item in right.items)
        if all(one.standing != "failed" and not (asks and one.standing == "unknown") for one in said):
            return RequestAnalysis(standings=Counter(one.standing for one in said))
        if first.has_image:
            raise MissingEvidence("The request contains an image, but tasks are text")
        data = expect.data_of(self.environment, first.request, right.items)
        id = f"{self.name}/mined/{content_hash([first.key, expect.meaning(right.items)])[:16]}"
        task = Task(id=id, prompt=first.prompt, data=data)
        await expect.proven(self.environment, task, right.replies)
        failed: list[FailedAttempt] = []
        passed: list[FailedAttempt] = []
        found: list[Proposal] = []
        for one, judgement in zip(attempts, said, strict=True):
            standing = judgement.standing
            if standing == "failed" or (asks and standing == "unknown"):
                played = await self.play(task, one)
                signals = judgement.signals or [f"verifier: {played.verdict.evidence}"]
                if not played.verdict.passed:
                    standing = "failed"
                    failed.append(FailedAttempt(one, signals, self._bucket(task, played)))
                elif standing == "failed" and not judgement.is_guess:
                    passed.append(FailedAttempt(one, signals, self._by_marks(one, signals)))
                    found += self._case(task, one, judgement, played)
                else:
                    standing = "succeeded"
            standings[standing] += 1
        if passed and not failed:
            missing = f"The verifier passes the attempt in {passed[0].attempt.trace.id}, which was reported as failed"
            return RequestAnalysis(standings=standings, failed=passed, missing=missing, cases=found)
        if not failed:
            return RequestAnalysis(standings=standings)
        return RequestAnalysis(standings=standings, failed=failed, task=task, right=right, cases=found)

    async def _known(
        self, task: Task, attempts: Sequence[Attempt], said: Sequence[AttemptJudgement]
    ) -> RequestAnalysis:
        """A request that is already a task. It makes no new task, but may show that the verifier is wrong."""
        self._check_corrections(task, attempts)
        failed: list[FailedAttempt] = []
        found: list[Proposal] = []
        standings = Counter[str]()
        for one, judgement in zip(attempts, said, strict=True):
            standing = judgement.standing
            if standing != "infrastructure":
                played = await self.play(task, one)
                found += self._case(task, one, judgement, played)
                if standing == "unknown":
                    standing = "succeeded" if played.verdict.passed else "failed"
                if standing == "failed":
                    signals = judgement.signals or [f"verifier: {played.verdict.evidence}"]
                    bucket = self._by_marks(one, signals) if played.verdict.passed else self._bucket(task, played)
                    failed.append(FailedAttempt(one, signals, bucket))
            standings[standing] += 1
        return RequestAnalysis(standings=standings, failed=failed, own=task.id, cases=found)

    def _check_corrections(self, task: Task, attempts: Sequence[Attempt]) -> None:
        """A correction that contradicts the task needs a person's decision, unless the task was made from it and edited."""
        proposal = self.known.proposals.get(task.id)
        made_of = proposal.trajectories if proposal is not None else []
        wanted = self.gold(task)
        for one in attempts:
            said = self.heard.get(one.trace.id, FeedbackSummary()).correction
            right = solution(self.environment, [named(item, self.names) for item in said])
            if right and wanted and one.trace.id not in made_of and expect.meaning(right) != expect.meaning(wanted):
                raise MissingEvidence(
                    f"{task.id} has the same request and expects {expect.short(wanted)}. The correction on {one.trace.id} says "
                    f"{expect.short(right)}. Decide which is right"
                )

    def gold(self, task: Task) -> list[Item]:
        """The gold solution's calls and text. Empty without one."""
        found: list[Item] = []
        for reply in self.environment.gold_replies(task):
            found += solution(self.environment, expect.as_items(reply))
        return found

    async def play(self, task: Task, attempt: Attempt) -> ScriptedEpisode:
        """Plays the attempt on the task and scores it. Its stop reason in production still counts."""
        said = replies(attempt.tried) or [""]
        key = task.id, msgspec.json.encode(said)
        if key not in self._played:
            self._played[key] = await expect.played_in(self.environment, task, said)
        played, trace = self._played[key], attempt.trace
        trajectory = msgspec.structs.replace(played.trajectory, id=trace.id, stop=trace.stop, source=trace.source)
        return played._replace(trajectory=trajectory)

    def _bucket(self, task: Task, played: ScriptedEpisode) -> str:
        return reason_of(task, played.trajectory, played.verdict, self.environment.explain).bucket

    def _by_marks(self, attempt: Attempt, signals: Sequence[str]) -> str:
        """The bucket of an attempt without a task, from its recorded marks."""
        told = Verdict(reward=0.0, evidence=signals[0] if signals else "")
        trace, did = attempt.trace, solution(self.environment, attempt.tried)
        if not trace.calls and any(isinstance(item, FunctionCall) for item in did):  # a call that was written as text
            trace = msgspec.structs.replace(trace, items=did, marks=[])
        return reason_of(Task(id="", prompt=attempt.prompt), trace, told).bucket

    def _case(self, task: Task, attempt: Attempt, said: AttemptJudgement, played: ScriptedEpisode) -> list[Proposal]:
        """A person and the verifier disagree. A reported failure needs a written reason, not only a click."""
        told, passes = self.heard.get(attempt.trace.id, FeedbackSummary()), played.verdict.passed
        differ = said.standing == ("failed" if passes else "succeeded") and (bool(told.note) or not passes)
        if not (attempt.last and said.by_person and differ):
            return []
        should = "fail" if passes else "pass"
        note = told.note or f"reported as a {told.outcome}"
        verifier = next(iter(self.environment.verifiers))
        case = cases.make(verifier, task, played.trajectory, should, note, told.who, played.context.blob)
        return [
            Proposal(
                id=f"case/{attempt.trace.id}",
                environment=self.name,
                task=task,
                right=f"it should {should}",
                source=said.signals[0],
                did=expect.short(solution(self.environment, attempt.tried)),
                signals=[f"verifier: it {'passes' if passes else 'fails'}: {played.verdict.evidence}"],
                trajectories=[attempt.trace.id],
                case=case,
            )
        ]


def _key(task: Task) -> str:
    return Attempt(trace=Trajectory(id="", task="", group=""), prompt=task.prompt, tried=[]).key
