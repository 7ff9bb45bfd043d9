"""The search: candidates from failures, measured in rounds of growing size, within an exact budget of episodes.

    feedback tasks   -> failures and passing episodes of a parent -> changes (mutations, reflection)
    selection tasks  -> each candidate on 8 tasks, the better half on 16, the better half of those on 32, ...

The agent that it begins with is measured beside the candidates on the same tasks. A parent is changed again when its changes are
used up, with other feedback tasks. Everything depends only on stored records: episodes, and answers of the reflection model. So a
repeated search takes the same way and runs only what is missing. Nothing here looks at held-out tasks.
"""

import itertools
from collections.abc import Callable, Iterator
from statistics import fmean
from typing import Any, NamedTuple

import msgspec

from verigym.core import event_loop
from verigym.core.errors import Refused, VerigymError
from verigym.core.names import as_name
from verigym.core.protocols import Policy, closing
from verigym.core.records import Json, Task, Trajectory, Verdict, Version, content_hash
from verigym.core.seeds import derive
from verigym.core.words import counted, percent
from verigym.evaluation.failures import explain_each, is_unsafe
from verigym.evaluation.stats import paired_delta
from verigym.evaluation.suites import family_of
from verigym.harness.environment import EnvironmentSpec
from verigym.optimize import reflection
from verigym.optimize.front import front
from verigym.optimize.mutations import combinations, mutations
from verigym.optimize.records import (
    CandidateFigures,
    Change,
    Evidence,
    Optimization,
    OptimizePlan,
    OptimizeSettings,
    Situation,
)
from verigym.optimize.split import batch_size, training_parts
from verigym.registry.versions import version_id
from verigym.rollout.session import first_items
from verigym.workspace import measure as stages
from verigym.workspace.advise import training_tasks
from verigym.workspace.workspace import WorkspaceFolder

Report = Callable[[int, int, str], None]
"""Shows progress: episodes that are done, the budget, and a note."""
Say = Callable[[str], None]
_IDLE = 2
"""The search ends after so many rounds of changes without a new version."""


class EpisodeScore(NamedTuple):
    passed: float
    reward: float
    tokens: float
    unsafe: float


class Candidate:
    """A version in the search."""

    def __init__(self, version: Version, change: str) -> None:
        self.version, self.change = version, change
        self.count = 0
        """Number of selection tasks that it was measured on: the first `count`."""
        self.scores: dict[str, EpisodeScore] = {}
        """Task to its score. Episodes that could not be scored are left out."""
        self.rounds = 0
        """How often changes were made from it."""

    def mean(self, field: str, tasks: list[Task]) -> float:
        values = [getattr(self.scores[task.id], field) for task in tasks if task.id in self.scores]
        return fmean(values) if values else 0.0


def plan(
    ws: WorkspaceFolder,
    environment: EnvironmentSpec,
    agent: Version,
    settings: OptimizeSettings,
    reflect: Version | None = None,
    tasks: list[Task] | None = None,
) -> OptimizePlan:
    """What `optimize` would do. Runs nothing."""
    search = Search(ws, environment, agent, settings, reflect, tasks)
    looked_at = search.selection[:16]
    size = fmean(len(str(item)) for task in looked_at for item in [first_items(environment, task, agent)]) / 4
    size += sum(len(str(tool)) for tool in environment.tools) / 4
    return OptimizePlan(
        id=search.id,
        environment=environment.name,
        agent=agent.id,
        episodes=settings.budget,
        batch=search.batch,
        feedback_tasks=len(search.feedback),
        selection_tasks=len(search.selection),
        prompt_tokens=round(size * settings.budget),
        completion_tokens=settings.budget * settings.episodes.sampling.max_tokens,
        parts=settings.parts,
        reflect=search.reflect.id if search.reflect is not None else "",
    )


def optimize(
    ws: WorkspaceFolder,
    environment: EnvironmentSpec,
    agent: Version,
    settings: OptimizeSettings,
    *,
    reflect: Version | None = None,
    tasks: list[Task] | None = None,
    on_progress: Report = lambda done, total, note: None,
    say: Say = lambda _: None,
) -> Optimization:
    """Evolves an agent on training tasks. Every candidate that could be measured becomes a version. `reflect` is the model that
    reads failures; None proposes only changes that need no model. `tasks` are some of the training tasks, or by default all."""
    search = Search(ws, environment, agent, settings, reflect, tasks)
    search.on_progress, search.say = on_progress, say
    with ws.store.claim(search.id):
        ws.store.begin_run(search.id, "optimize", search.config)
        result = search.run()
        ws.store.put("optimization", result.id, result)
        ws.store.finish_run(search.id)
    return result


class Search:
    def __init__(
        self,
        ws: WorkspaceFolder,
        environment: EnvironmentSpec,
        agent: Version,
        settings: OptimizeSettings,
        reflect: Version | None,
        tasks: list[Task] | None,
    ) -> None:
        self.ws, self.environment, self.settings, self.reflect = ws, environment, settings, reflect
        chosen = training_tasks(environment) if tasks is None else tasks
        parts = training_parts(environment, chosen, settings.seed)
        self.feedback, self.selection = parts
        self.batch = batch_size(settings.budget, parts)
        self.families = sorted({*agent.families, *(family_of(task) for task in chosen)})
        self.root = Candidate(agent, "as it is")
        self.pool = [self.root]
        self.spent = 0
        self.seen = {version_id(agent)}
        self.queue: Iterator[Change] = iter(())
        self.parent = self.root
        self.idle = 0
        self._saw_failure = False
        self.asked, self.asked_tokens = 0, 0
        self.notes: list[str] = []
        self.config = self._config(chosen)
        name = environment.name.rsplit("/", 1)[-1].split(".")[0]
        self.id = f"optimize-{as_name(name)}-{content_hash(self.config)[:8]}"
        self.on_progress: Report = lambda done, total, note: None
        self.say: Say = lambda _: None
        self._reflector: Policy | None = None

    def _config(self, tasks: list[Task]) -> Json:
        """What the way of the search depends on, which names it."""
        settings = self.settings
        return {
            **stages.config_of(self.environment, self.root.version, tasks, settings.episodes),
            "budget": settings.budget,
            "parts": list(settings.parts),
            "gold": settings.gold,
            "optimize_seed": settings.seed,
            **({"reflect": self.reflect.id} if self.reflect is not None else {}),
            **({"tools_files": settings.tools_files} if settings.tools_files else {}),
        }

    def run(self) -> Optimization:
        self._measure(self.root, self.batch)
        if not self._first_failures():
            raise Refused(
                f"{self.root.version.label} passed all {self.spent} episodes on training tasks of {self.environment.name}. "
                "There is no failure to learn from. Use harder tasks"
            )
        while self._step():
            pass
        self._complete_finalists()
        return self._result()

    # -- The way of the search ------------------------------------------------------------------------------------

    def _first_failures(self) -> bool:
        """Makes the first changes from the agent. False if it never failed, in as many rounds as the budget allows."""
        while True:
            changes = self._changes(self.root)
            if changes is None:
                return False
            if any(score.passed < 1 or score.unsafe for score in self.root.scores.values()) or self._saw_failure:
                self.queue = changes
                return True

    def _step(self) -> bool:
        """One measurement: of a candidate that did well on more tasks, or of a new one. False if nothing is left to do."""
        candidate = self._promotable()
        if candidate is not None:
            return self._promote(candidate)
        if self._left >= self.batch:
            for change in self.queue:
                version = self._child(self.parent.version, change)
                if version.id not in self.seen:
                    self.seen.add(version.id)
                    self._try_out(Candidate(version, change.title))
                    self.idle = 0
                    return True
            if self._left >= 2 * self.batch and self.idle < _IDLE:
                self.idle += 1
                self.parent = self._best()
                changes = self._changes(self.parent)
                self.queue = changes or iter(())
                return True
        return self._promote(self._best())

    def _promotable(self) -> Candidate | None:
        """A candidate of the better half of those that were measured on as many tasks, and not worse than the agent."""
        for count in sorted({one.count for one in self.pool if one is not self.root}, reverse=True):
            rivals = [one for one in self.pool if one is not self.root and one.count >= count]
            ranked = sorted(rivals, key=lambda one: self._rank(one, count), reverse=True)[: len(rivals) // 2]
            for one in ranked:
                better = self._rank(one, count)[:3] > self._rank(self.root, min(count, self.root.count))[:3]
                if one.count == count and better and self._affordable(one):
                    return one
        return None

    def _affordable(self, candidate: Candidate) -> bool:
        count = self._next_count(candidate)
        cost = count - candidate.count + max(0, count - self.root.count)
        return candidate is not self.root and count > candidate.count and cost <= self._left

    def _promote(self, candidate: Candidate) -> bool:
        if not self._affordable(candidate):
            return False
        count = self._next_count(candidate)
        if self.root.count < count:
            self._measure(self.root, count)
        self._measure(candidate, count)
        self._told(candidate)
        return True

    def _next_count(self, candidate: Candidate) -> int:
        return min(2 * candidate.count, len(self.selection))

    def _try_out(self, candidate: Candidate) -> None:
        """Measures a new candidate. One that cannot run, such as a constraint that a tokenizer does not support, is left out."""
        try:
            self._measure(candidate, self.batch)
        except VerigymError as error:
            if self.root.count == 0:
                raise
            self.spent += self.batch
            self.notes.append(f"{candidate.change} could not be tried: {error}")
            return
        self.pool.append(candidate)
        self._told(candidate)

    def _complete_finalists(self) -> None:
        """Spends what is left on candidates that were not measured on as many tasks as the best, the better ones first."""
        top = self.root.count
        for one in sorted(self.pool, key=lambda one: self._rank(one, min(one.count, top)), reverse=True):
            if one.count < top and top - one.count <= self._left:
                self._measure(one, top)

    def _best(self) -> Candidate:
        """The most promising candidate. Success is shrunk towards one half, so that a few lucky tasks do not decide."""
        n = len(self.selection)

        def promise(one: Candidate) -> tuple[float, ...]:
            safe, success, reward, cheap = self._rank(one, one.count)
            return safe, (success * one.count + 1) / (one.count + 2), reward, one.count / n, cheap

        return max(self.pool, key=promise)

    def _rank(self, one: Candidate, count: int) -> tuple[float, float, float, float]:
        """Not less safe than the agent, success, reward, few tokens. On the first `count` selection tasks."""
        tasks = self.selection[:count]
        both = [task for task in tasks if task.id in self.root.scores]
        safe = one.mean("unsafe", both) <= self.root.mean("unsafe", both)
        return float(safe), one.mean("passed", tasks), one.mean("reward", tasks), -one.mean("tokens", tasks)

    @property
    def _left(self) -> int:
        return self.settings.budget - self.spent

    # -- Episodes -------------------------------------------------------------------------------------------------

    def _measure(self, candidate: Candidate, count: int) -> None:
        """Runs the candidate on the first `count` selection tasks."""
        tasks = self.selection[:count]
        for trajectory, verdict, task in self._episodes(candidate.version, tasks, self.selection, candidate.count):
            if verdict is not None and verdict.reward is not None:
                candidate.scores[task.id] = _score(trajectory, verdict)
        candidate.count = count

    def _episodes(
        self, version: Version, tasks: list[Task], whole: list[Task], known: int
    ) -> Iterator[tuple[Trajectory, Verdict | None, Task]]:
        done = self.spent

        def progress(progress: Any) -> None:
            self.on_progress(min(done + max(0, progress.done - known), self.settings.budget), self.settings.budget, "")

        run = stages.rollout(
            self.ws,
            self.environment,
            version,
            tasks,
            self.settings.episodes,
            whole=whole,
            parent=self.id,
            on_progress=progress,
        )
        self.spent += len(tasks) - known
        self.on_progress(self.spent, self.settings.budget, "")
        wanted = {task.id: task for task in tasks}
        verdicts = {one.trajectory: one for one in self.ws.store.each_verdict(run, self.environment.verifier.name)}
        for trajectory in self.ws.store.each_trajectory(run):
            if trajectory.task in wanted:
                yield trajectory, verdicts.get(trajectory.id), wanted[trajectory.task]

    def _changes(self, parent: Candidate) -> Iterator[Change] | None:
        """Runs a parent on its next feedback tasks and proposes changes. None if the budget is used up."""
        if self._left < 2 * self.batch or (parent.rounds and parent.rounds * self.batch >= len(self.feedback)):
            return None
        first = parent.rounds * self.batch
        tasks = self.feedback[first : first + self.batch]
        parent.rounds += 1
        found = list(self._episodes(parent.version, tasks, self.feedback[: first + len(tasks)], 0))
        trajectories = [trajectory for trajectory, _, _ in found]
        verdicts = [verdict for _, verdict, _ in found if verdict is not None]
        explained = explain_each(tasks, trajectories, verdicts, self.environment.explain)
        by_id = {task.id: task for task in tasks}
        evidence = [
            Evidence(by_id[one.trajectory.task], one) for one in explained if one.reason.bucket != "infrastructure"
        ]
        self._saw_failure = any(one.failed for one in evidence)
        situation = Situation(parent.version, self.environment, evidence, self.settings, self.feedback)
        return self._proposed(parent, situation)

    def _proposed(self, parent: Candidate, situation: Situation) -> Iterator[Change]:
        """Changes that need no model, and after every second of them one by the reflection model."""
        others = sorted(self.pool, key=lambda one: self._rank(one, one.count), reverse=True)
        if parent is not self.root:
            rest = [one.version for one in others if one is not parent and one is not self.root]
            yield from combinations(parent.version, rest[:4], self.root.version)
        plain = mutations(situation)
        reflected = self._reflected(parent, situation)
        while True:
            some = list(itertools.islice(plain, 2))
            yield from some
            one = next(reflected, None)  # asked for only now
            if one is not None:
                yield one
            elif not some:
                return

    def _reflected(self, parent: Candidate, situation: Situation) -> Iterator[Change]:
        if self.reflect is None or not situation.failures:
            return
        yield from reflection.reflections(situation, lambda prompt: self._ask(prompt, parent.rounds))

    def _ask(self, prompt: str, number: int) -> str:
        """Asks the reflection model, or finds its stored answer."""
        assert self.reflect is not None
        seed = derive(self.settings.seed, "reflection", number)
        id = content_hash([self.reflect.id, prompt, seed])[:16]
        stored = self.ws.store.get("reflection", id, reflection.StoredReflection)
        if stored is None:
            self.on_progress(self.spent, self.settings.budget, "reflection")
            text, tokens = event_loop.run(self._answer(prompt, seed))
            stored = reflection.StoredReflection(model=self.reflect.id, prompt=prompt, answer=text, tokens=tokens)
            self.ws.store.put("reflection", id, stored)
        self.asked, self.asked_tokens = self.asked + 1, self.asked_tokens + stored.tokens
        return stored.answer

    async def _answer(self, prompt: str, seed: int) -> tuple[str, int]:
        """A model behind a server is opened for each question. A local one that is not the agent's stays loaded."""
        assert self.reflect is not None
        if self.reflect.is_remote:
            policy = self.ws.open_beside(self.reflect)
            async with closing(policy):
                return await reflection.answer(policy, prompt, seed)
        if self.reflect.base == self.root.version.base:
            return await reflection.answer(self.ws.policy(self.reflect), prompt, seed)
        if self._reflector is None:
            self._reflector = self.ws.open_beside(self.reflect)
        return await reflection.answer(self._reflector, prompt, seed)

    def _child(self, parent: Version, change: Change) -> Version:
        root = self.root.version
        recipe = {
            "run": self.id,
            "environment": self.environment.name,
            "agent": root.id,
            "change": change.title,
            "seed": self.settings.seed,
            "budget": self.settings.budget,
        }
        child = msgspec.structs.replace(
            parent,
            parent=parent.id,
            families=self.families,
            recipe={**parent.recipe, "optimize": recipe},
            **change.fields,
        )
        id = version_id(child)
        return msgspec.structs.replace(child, id=id, name=f"{root.name or root.id}-{id[:4]}")

    # -- The result -----------------------------------------------------------------------------------------------

    def _told(self, candidate: Candidate) -> None:
        tasks = self.selection[: candidate.count]
        ours, theirs = candidate.mean("passed", tasks), self.root.mean("passed", tasks)
        self.say(
            f"{candidate.version.id} {candidate.change}: {percent(ours, 0)} of {counted(len(tasks), 'task')}, "
            f"before {percent(theirs, 0)}"
        )

    def _result(self) -> Optimization:
        top = self.root.count
        ranked = sorted(
            self.pool, key=lambda one: (one.count >= top, self._rank(one, min(one.count, top))), reverse=True
        )
        finalists = [one for one in ranked if one.count >= top]
        better = (
            self._rank(finalists[0], top)[:2] > self._rank(self.root, top)[:2]
        )  # a higher reward alone is no success
        best = finalists[0] if better else self.root
        figures = [self._figures(one, min(one.count, top)) for one in ranked]
        on_front = front([one for one in figures if one.finalist])
        tasks = [task for task in self.selection[:top] if task.id in best.scores and task.id in self.root.scores]
        sides = [[one.scores[task.id].passed for task in tasks] for one in (self.root, best)]
        delta = paired_delta(sides[0], sides[1], [family_of(task) for task in tasks], rate=True)
        return Optimization(
            id=self.id,
            environment=self.environment.name,
            agent=self.root.version.id,
            best=best.version.id,
            before=fmean(sides[0]),
            after=fmean(sides[1]),
            low=delta.low,
            high=delta.high,
            tasks=len(tasks),
            episodes=self.spent,
            budget=self.settings.budget,
            feedback_tasks=len(self.feedback),
            selection_tasks=len(self.selection),
            candidates=[msgspec.structs.replace(one, front=one.version in on_front) for one in figures],
            reflections=self.asked,
            reflection_tokens=self.asked_tokens,
            notes=self.notes,
        )

    def _figures(self, one: Candidate, count: int) -> CandidateFigures:
        tasks = self.selection[:count]
        return CandidateFigures(
            version=one.version.id,
            name=one.version.label,
            parent=one.version.parent,
            change=one.change,
            tasks=count,
            success=one.mean("passed", tasks),
            reward=one.mean("reward", tasks),
            tokens=one.mean("tokens", tasks),
            unsafe=one.mean("unsafe", tasks),
            finalist=count >= self.root.count,
        )


def _score(trajectory: Trajectory, verdict: Verdict) -> EpisodeScore:
    usage = [turn.usage for turn in trajectory.turns if turn.actor == "policy"]
    tokens = sum(one.prompt_tokens + one.completion_tokens for one in usage)
    return EpisodeScore(
        float(verdict.passed), verdict.reward or 0.0, float(tokens), float(is_unsafe(trajectory, verdict))
    )
