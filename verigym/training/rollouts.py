"""The episodes of a training run: groups to train on, held-out evaluations, and replies to rehearse.

Every episode is sampled with the weights of its step and stored as a run that belongs to the training run.
"""

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from verigym.agents.run import runner_of
from verigym.core.errors import Refused
from verigym.core.protocols import Context
from verigym.core.records import Json, Sample, Sampling, Suite, Task, Trajectory, Verdict, Version
from verigym.core.seeds import derive
from verigym.evaluation.report import make_report
from verigym.evaluation.suites import pick
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.varied_tools import with_varied_tools
from verigym.policies.local.scorer import LocalScorer
from verigym.policies.tokens import TokenPolicy
from verigym.rollout.episode import gathered
from verigym.rollout.many import RunPlan, RunResults, results, run_many
from verigym.rollout.settings import RunSettings
from verigym.rollout.skills import offered
from verigym.store.database import Store
from verigym.training.advantages import KlShare
from verigym.training.ahead import Versions, version_of
from verigym.training.difficulty import DifficultyMemory
from verigym.training.environments import TrainingEnvironment
from verigym.training.gold import GoldOf, gold_samples
from verigym.training.groups import Group, Source
from verigym.training.loop import Metrics
from verigym.training.publish import Publisher
from verigym.training.recipe import Recipe
from verigym.training.samples import from_trajectory

_REHEARSED_TOKENS = 96
"""Maximum tokens of a rehearsed reply. A longer reply is truncated."""
_HELD_OUT = {
    "success": "success",
    "reward": "reward",
    "unsafe actions": "unsafe",
    "valid output": "valid",
    "latency p50 s": "latency_s",
    "latency p95 s": "latency_p95_s",
    "tokens": "tokens",
}
"""Maps names in a report to names of metrics."""


class HeldOutSuite(NamedTuple):
    environment: EnvironmentSpec
    suite: Suite
    tasks: list[Task]


class TrainingRollouts:
    """Runs the episodes of one training run with the policy that is trained.

    With a `publisher`, engines elsewhere sample, and the policy is the one of the newest version on them. `run_many` runs the
    missing episodes of a plan."""

    def __init__(
        self,
        store: Store,
        policy: TokenPolicy,
        recipe: Recipe,
        run: str,
        agent: Version,
        environments: Sequence[TrainingEnvironment],
        *,
        held_out: Sequence[HeldOutSuite] = (),
        context: Context = Context(),
        scorer: LocalScorer | None = None,
        gold_of: GoldOf | None = None,
        publisher: Publisher | None = None,
        run_episodes: Any = run_many,
    ) -> None:
        self.store, self.policy, self.recipe, self.run = store, policy, recipe, run
        self._local: Any = policy
        self.publisher, self._run_episodes = publisher, run_episodes
        self.environments, self.held_out = environments, held_out
        self.agent = msgspec.structs.replace(agent, sampling=None)  # the recipe decides how to sample
        self.context, self.scorer = context, scorer
        self.gold_of = gold_of
        self._agent = f"{run}@0"
        """What samples the next episodes."""
        self.versions: Versions | None = None
        """The versions to sample from while the weights are trained (`ahead.py`). None to sample with the weights as they are."""
        self._memory = DifficultyMemory(recipe.difficulty)
        self._tasks = {(each.name, task.id): task for each in environments for task in each.tasks}
        self.sources = [Source(each.name, each.weight, each.tasks) for each in environments]

    def weights_changed(self, step: int) -> None:
        """Marks the next episodes with this step and drops the cache that the policy computed with the old weights."""
        self._agent = f"{self.run}@{step}"
        if self.publisher is None:
            self._local.weights_changed(self._agent)

    async def collect(self, step: int, number: int, tasks: Mapping[str, list[Task]]) -> list[Group]:
        """A scored group of k episodes for each task. `number` counts the rounds of dynamic sampling within the step."""
        recipe = self.recipe
        k = recipe.num_generations_per_prompt
        asked = [each for each in self.environments if each.name in tasks]
        plans = [
            RunPlan(
                run=f"{self.run}/step-{step:04d}" + (f".{number}" if number else "") + self._suffix(each.name),
                environment=with_varied_tools(each.environment, recipe.tools, recipe.seed, step),
                tasks=tasks[each.name],
                agent=self.agent,
                verifier=each.verifier,
                settings=RunSettings(
                    k=k,
                    sampling=Sampling(
                        temperature=recipe.temperature, max_tokens=recipe.reply_limit, weights=recipe.engine.weights
                    ),
                    seed=derive(recipe.seed, "collect", step, *([number] if number else [])),
                    record_states=recipe.advantage.credit == "state",
                    limits=recipe.limits.episode(),
                ),
                context=self._scoring_context(each.environment),
            )
            for each in asked
        ]
        return [
            Group(each.name, trajectories[i : i + k], verdicts[i : i + k])
            for each, (trajectories, verdicts) in zip(asked, await self._run("collect", plans, step), strict=True)
            for i in range(0, len(trajectories), k)
        ]

    async def evaluate(self, step: int) -> Metrics:
        """Metrics on the held-out suite. With several environments: the mean over them, and each of them."""
        if self.versions is None:
            self.weights_changed(step)
        plans = [
            RunPlan(
                run=f"{self.run}/eval-{step:04d}" + self._suffix(environment.name),
                environment=environment,
                tasks=tasks,
                agent=self.agent,
                verifier=environment.verifier,
                settings=RunSettings(
                    sampling=Sampling(temperature=0.0, max_tokens=self.recipe.reply_limit),
                    limits=self.recipe.limits.episode(),
                ),
                context=self.context,
            )
            for environment, _, tasks in self.held_out
        ]
        by_environment: dict[str, Metrics] = {}
        started = time.perf_counter()
        for (environment, suite, tasks), plan, episodes in zip(
            self.held_out, plans, await self._run("eval", plans), strict=True
        ):
            report = make_report(plan.run, f"{self.run}@{step}", suite, tasks, *episodes, self.recipe.seed)
            by_environment[environment.name] = {
                f"held_out_{short}": report.metrics[name].value
                for name, short in _HELD_OUT.items()
                if name in report.metrics
            }
        metrics = _with_means(by_environment)
        if self.recipe.dollars_per_hour and plans:
            hours = (time.perf_counter() - started) / 3600
            metrics["held_out_cost"] = hours * self.recipe.dollars_per_hour / sum(plan.episodes for plan in plans)
        return metrics

    def difficulty(self, step: int) -> DifficultyMemory:
        """What the stored episodes of earlier steps say about the difficulty of tasks: of those that are learnt when this step
        may begin."""
        before = step - self.recipe.ahead
        if self._memory.step > max(before - 1, 0):  # a step is repeated
            self._memory = DifficultyMemory(self.recipe.difficulty)
        self._memory.read(self.store, self.run, before)
        return self._memory

    async def gold(self, groups: Sequence[Group], step: int) -> tuple[list[Sample], Metrics]:
        """The samples of the gold solutions of groups in which every attempt fails, and their counts."""
        assert self.gold_of is not None
        weight = self.recipe.episodes.gold_when_all_fail
        return await gold_samples(groups, self._tasks, self.gold_of, weight, step)

    def keep_kl_share(self, step: int, taken: Mapping[str, float]) -> None:
        """Stores what the divergence took off the rewards of a step. A resumed run overwrites the step that it repeats."""
        share = KlShare(run=self.run, step=step, taken=dict(taken))
        self.store.put_all("kl_share", {f"{self.run}/step-{step:04d}": share})

    async def rehearse(self, environments: Sequence[TrainingEnvironment], num_rows: int) -> list[Sample]:
        """Samples from replies of the start version, repeated until they reach their share beside `num_rows` rows. In an
        environment with tools, only replies that pass are used."""
        rest = 1 - sum(each.weight for each in environments)
        rows: list[Sample] = []
        for each in environments:
            wanted = max(1, round(num_rows * each.weight / rest))
            plan = RunPlan(
                run=f"{self.run}/rehearsal-{each.name}",
                environment=each.environment,
                tasks=pick(list(each.tasks), wanted, self.recipe.seed),
                agent=self.agent,
                verifier=each.verifier,
                settings=RunSettings(
                    sampling=Sampling(temperature=self.recipe.temperature, max_tokens=_REHEARSED_TOKENS),
                    seed=derive(self.recipe.seed, "rehearsal", each.name),
                    limits=self.recipe.limits.episode(),
                ),
                context=self.context,
            )
            [episodes] = await self._run("collect", [plan])
            samples = [
                sample
                for trajectory, verdict in zip(*episodes, strict=True)
                if trajectory.scorable and (verdict.passed or not each.environment.has_tools)
                for sample in from_trajectory(trajectory, 1.0)
            ]
            if not samples:
                raise Refused(
                    f"rehearse: no reply of the start version in {each.name} can be used for training. Remove {each.name} from "
                    "rehearse. In a loop recipe, remove it from beside."
                )
            rows += [samples[i % len(samples)] for i in range(wanted)]
        return rows

    async def _run(
        self, kind: str, plans: Sequence[RunPlan], step: int | None = None
    ) -> list[tuple[list[Trajectory], list[Verdict]]]:
        """Trajectories and verdicts of each plan. The plans run concurrently and share the engine's slots in proportion to
        their number of episodes. With `step`, the episodes are those of a step, and each group has its version."""
        caches = [RunResults() for _ in plans]
        total = max(1, sum(plan.episodes for plan in plans))
        for plan in plans:
            config: Json = {"parent": self.run, "environment": plan.environment.name, "verifier": plan.verifier.name}
            self.store.begin_run(plan.run, kind, config, plan.tasks, parent=self.run)
        if self.versions is None and self.publisher is not None:
            self.policy = await self.publisher.publish(self._agent)
        policy: Any = self.policy if self.versions is None else self.versions.policy

        async def run(plan: RunPlan, cache: RunResults) -> None:
            share = math.ceil(policy.max_concurrency / total * plan.episodes)
            settings = msgspec.structs.replace(plan.settings, concurrency=share)
            plan = msgspec.structs.replace(plan, settings=settings)
            async with runner_of(plan.environment, plan.agent, settings, plan.context) as run_one:
                versions = None if step is None else self.versions
                runs = run_one if versions is None else versions.runner(step or 0, run_one, self._begun(plan))
                await self._run_episodes(self.store, plan, policy, cache=cache, run=runs)

        await gathered([run(plan, cache) for plan, cache in zip(plans, caches, strict=True)])
        if self.versions is None and self.publisher is None:
            self._local.engine.wait()  # an episode that timed out may have left a request running
        return [results(self.store, plan, cache) for plan, cache in zip(plans, caches, strict=True)]

    def _begun(self, plan: RunPlan) -> dict[str, int]:
        """The version of each group of the plan of which some episodes are stored."""
        stored = Counter(one.task for one in self.store.statuses(plan.run, plan.verifier.name))
        begun = {
            f"{plan.run}/{task}": [version_of(one, self.run) for one in self.store.trajectories(plan.run, task)]
            for task, count in stored.items()
            if count < plan.k
        }
        known = {group: [one for one in versions if one is not None] for group, versions in begun.items()}
        return {group: max(versions) for group, versions in known.items() if versions}

    def _suffix(self, environment: str) -> str:
        """Suffix of a run's name if there are several environments."""
        return f"-{environment}" if len(self.environments) > 1 else ""

    def _scoring_context(self, environment: EnvironmentSpec) -> Context:
        if self.scorer is None:
            return self.context
        tools = offered(environment.toolbox, environment, self.agent).tools
        return msgspec.structs.replace(self.context, scorer=self.scorer.offered(tools))


def _with_means(by_environment: dict[str, Metrics]) -> Metrics:
    names = sorted({name for metrics in by_environment.values() for name in metrics})
    means = {
        name: sum(metrics[name] for metrics in by_environment.values() if name in metrics)
        / sum(name in metrics for metrics in by_environment.values())
        for name in names
    }
    if len(by_environment) < 2:
        return means
    return means | {
        f"{environment}/{name}": value
        for environment, metrics in by_environment.items()
        for name, value in metrics.items()
    }
