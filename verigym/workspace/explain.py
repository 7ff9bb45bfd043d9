"""Explains a stored run with the general rules, the rule of its environment and, optionally, a judge.

A run is streamed from the store. The answer of a judge is stored by judge and question, so the same question is never paid for
twice.
"""

import asyncio
from collections.abc import Callable, Iterator

from msgspec import Struct

from verigym.core import event_loop
from verigym.core.errors import VerifierFailure, VerigymError
from verigym.core.protocols import Policy, closing
from verigym.core.records import Sampling, Task, Trajectory, Verdict, Version, content_hash
from verigym.core.seeds import derive
from verigym.environments.load import environment_of
from verigym.evaluation import failures
from verigym.evaluation.failures import (
    BUCKETS,
    INFRASTRUCTURE,
    WRONG_ANSWER,
    EnvironmentRule,
    ExplainedEpisode,
    Explanation,
)
from verigym.evaluation.rules import Reason
from verigym.store.database import Run
from verigym.verifiers.judge import UNTRUSTED, ask, quoted, task_text, transcript
from verigym.workspace.workspace import WorkspaceFolder

CHOICES = [name for name in BUCKETS if name not in (INFRASTRUCTURE, "unsafe action", "truncated")]
QUESTION = "\n".join(
    [
        "An assistant worked on a task and failed. Say which of these is the main reason:",
        *(f"- {name}: {BUCKETS[name]}" for name in CHOICES),
    ]
)
ANSWER = (
    'Answer with one JSON object and nothing else: {"reason": "one short sentence", "bucket": "one of the names above"}'
)
_PINNED = content_hash([QUESTION, ANSWER])[:8]
_SAMPLING = Sampling(temperature=0.0, max_tokens=256)
_AT_ONCE = 32


class JudgeExplanation(Struct, frozen=True):
    """The explanation of a judge for one failure."""

    trajectory: str
    judge: str
    bucket: str
    reason: str


class ExplainSource(Struct, frozen=True):
    """A run to explain: its records, its environment and its judge."""

    ws: WorkspaceFolder
    run: Run
    tasks: list[Task]
    own: EnvironmentRule | None = None
    note: str = ""
    """Why the rule of the environment could not be used."""
    judged: dict[str, Reason] = {}
    unanswered: int = 0
    """Episodes for which the judge gave no usable answer."""

    def explained(self) -> Explanation:
        return failures.explain(self.tasks, self._episodes(), self._verdicts(), self.own, self.judged)

    def failed(self) -> Iterator[ExplainedEpisode]:
        episodes = failures.explain_each(self.tasks, self._episodes(), self._verdicts(), self.own, self.judged)
        return (episode for episode in episodes if episode.reason.bucket)

    def _episodes(self) -> Iterator[Trajectory]:
        return self.ws.store.each_trajectory(self.run.id)

    def _verdicts(self) -> Iterator[Verdict]:
        return self.ws.store.each_verdict(self.run.id)


def open_run(ws: WorkspaceFolder, run: str) -> ExplainSource:
    """Opens a run by id, prefix of an id, or latest."""
    found = ws.store.run(run, kinds=("rollout", "eval", "collect"))
    tasks = ws.store.tasks(found.id)
    where = str(found.config.get("environment", ""))
    try:
        own = environment_of(where, tasks).explain if where else None
        return ExplainSource(ws, found, tasks, own)
    except VerigymError as error:
        return ExplainSource(
            ws, found, tasks, note=f"{where} could not be opened, so only the general rules were used: {error}"
        )


def with_judge(
    source: ExplainSource, judge: Version, on_asked: Callable[[int, int], None] = lambda done, total: None
) -> ExplainSource:
    """Adds the explanations of a judge for failures that the rules classify as "wrong answer"."""
    open_cases = [one.trajectory.id for one in source.failed() if one.reason.bucket == WRONG_ANSWER]
    judged, unanswered = event_loop.run(_judged(source, judge, open_cases, on_asked))
    return ExplainSource(source.ws, source.run, source.tasks, source.own, source.note, judged, unanswered)


async def _judged(
    source: ExplainSource, judge: Version, ids: list[str], on_asked: Callable[[int, int], None]
) -> tuple[dict[str, Reason], int]:
    store, tasks = source.ws.store, {task.id: task for task in source.tasks}
    keys = {id: f"{judge.id}/{_PINNED}/{id}" for id in ids}
    said = {id: found for id in ids if (found := store.get("said", keys[id], JudgeExplanation)) is not None}
    left = [id for id in ids if id not in said]
    policy = source.ws.open_beside(judge) if left else None
    async with closing(policy):
        for start in range(0, len(left), _AT_ONCE):
            some = [store.trajectory(id)[1] for id in left[start : start + _AT_ONCE]]
            assert policy is not None
            answers = await asyncio.gather(*(_asked(policy, judge, tasks[one.task], one) for one in some))
            for answer in answers:
                if answer is not None:
                    store.put("said", keys[answer.trajectory], answer)
                    said[answer.trajectory] = answer
            on_asked(len(said), len(ids))
    by = f"judge {judge.label}"
    return {id: Reason(one.bucket, one.reason, by=by) for id, one in said.items()}, len(ids) - len(said)


async def _asked(policy: Policy, judge: Version, task: Task, one: Trajectory) -> JudgeExplanation | None:
    prompt = "\n\n".join(
        [QUESTION, quoted("task", task_text(task)), quoted("work", transcript(one)[-6000:]), UNTRUSTED, ANSWER]
    )
    try:
        found, _ = await ask(
            policy, prompt, _JudgeAnswer, lambda it: it.bucket in CHOICES, derive(0, "explain", one.id), _SAMPLING, 2
        )
    except VerifierFailure:
        return None
    return JudgeExplanation(one.id, judge.id, found.bucket, found.reason)


class _JudgeAnswer(Struct, frozen=True):
    bucket: str
    reason: str = ""
