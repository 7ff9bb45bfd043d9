"""Explains a stored run with the general rules, the rule of its environment and, optionally, a judge.

A run is streamed from the store. The answer of a judge is stored by judge and question, so the same question is never paid for
twice.
"""

import asyncio
from collections.abc import Callable, Iterator

from msgspec import Struct, structs

from verigym.core import event_loop
from verigym.core.errors import VerifierFailure, VerigymError
from verigym.core.protocols import Policy, closing
from verigym.core.records import Sampling, Task, Trajectory, Verdict, Version, content_hash
from verigym.core.seeds import derive
from verigym.environments.load import environment_of
from verigym.evaluation import failures
from verigym.evaluation.failures import BUCKETS, INFRASTRUCTURE, WRONG_ANSWER, ExplainedEpisode, Explanation
from verigym.evaluation.rules import Reason
from verigym.store.database import Run
from verigym.verifiers.judge import UNTRUSTED, ask, quoted, task_text, transcript
from verigym.workspace.decisions import newest_run
from verigym.workspace.workspace import WorkspaceFolder

CHOICES = [name for name in BUCKETS if name not in (INFRASTRUCTURE, "unsafe action", "truncated")]
QUESTION = "An assistant worked on a task and failed. Say which of these is the main reason:"
QUESTION += "".join(f"\n- {name}: {BUCKETS[name]}" for name in CHOICES)
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
    rule: failures.EnvironmentRule | None = None
    """The rule of the environment."""
    note: str = ""
    """Why the rule of the environment could not be used."""
    judged: dict[str, Reason] = {}
    unanswered: int = 0
    """Episodes for which the judge gave no usable answer."""

    def explained(self) -> Explanation:
        return failures.explain(self.tasks, *self._records(), self.rule, self.judged)

    def failed(self) -> Iterator[ExplainedEpisode]:
        episodes = failures.explain_each(self.tasks, *self._records(), self.rule, self.judged)
        return (episode for episode in episodes if episode.reason.bucket)

    def _records(self) -> tuple[Iterator[Trajectory], Iterator[Verdict]]:
        return self.ws.store.each_trajectory(self.run.id), self.ws.store.each_verdict(self.run.id)


def open_run(ws: WorkspaceFolder, run: str) -> ExplainSource:
    """Opens a run by id, prefix of an id, or latest."""
    kinds = ("rollout", "eval", "collect")
    stored = ws.store.run(newest_run(ws, kinds) if run == "latest" else run, kinds=kinds)
    tasks = ws.store.tasks(stored.id)
    name = str(stored.config.get("environment", ""))
    try:
        return ExplainSource(ws, stored, tasks, environment_of(name, tasks).explain if name else None)
    except VerigymError as error:
        note = f"{name} could not be opened, so only the general rules were used: {error}"
        return ExplainSource(ws, stored, tasks, note=note)


def with_judge(
    source: ExplainSource, judge: Version, on_asked: Callable[[int, int], None] = lambda done, total: None
) -> ExplainSource:
    """Adds the explanations of a judge for failures that the rules classify as "wrong answer"."""
    open_cases = [one.trajectory.id for one in source.failed() if one.reason.bucket == WRONG_ANSWER]
    judged, unanswered = event_loop.run(_judged(source, judge, open_cases, on_asked))
    return structs.replace(source, judged=judged, unanswered=unanswered)


async def _judged(
    source: ExplainSource, judge: Version, ids: list[str], on_asked: Callable[[int, int], None]
) -> tuple[dict[str, Reason], int]:
    store, tasks = source.ws.store, {task.id: task for task in source.tasks}
    keys = {id: f"{judge.id}/{_PINNED}/{id}" for id in ids}
    stored = {id: store.get("said", key, JudgeExplanation) for id, key in keys.items()}
    answers = {id: answer for id, answer in stored.items() if answer is not None}
    left = [id for id in ids if id not in answers]
    policy = source.ws.open_beside(judge) if left else None
    async with closing(policy):
        for start in range(0, len(left), _AT_ONCE):
            some = [store.trajectory(id)[1] for id in left[start : start + _AT_ONCE]]
            assert policy is not None
            for answer in await asyncio.gather(*(_ask(policy, judge, tasks[one.task], one) for one in some)):
                if answer is not None:
                    store.put("said", keys[answer.trajectory], answer)
                    answers[answer.trajectory] = answer
            on_asked(len(answers), len(ids))
    by = f"judge {judge.label}"
    return {id: Reason(one.bucket, one.reason, by=by) for id, one in answers.items()}, len(ids) - len(answers)


async def _ask(policy: Policy, judge: Version, task: Task, episode: Trajectory) -> JudgeExplanation | None:
    work = quoted("work", transcript(episode)[-6000:])
    prompt = "\n\n".join([QUESTION, quoted("task", task_text(task)), work, UNTRUSTED, ANSWER])
    seed = derive(0, "explain", episode.id)
    try:
        answer, _ = await ask(policy, prompt, _JudgeAnswer, lambda answer: answer.bucket in CHOICES, seed, _SAMPLING, 2)
    except VerifierFailure:
        return None
    return JudgeExplanation(episode.id, judge.id, answer.bucket, answer.reason)


class _JudgeAnswer(Struct, frozen=True):
    bucket: str
    reason: str = ""
