"""Training, composed: a recipe, its environments and a parent version become a new version.

The loops themselves are in `training`; here they are handed their data, their `collect` and their `evaluate`. They are
imported when something is trained, because they need torch.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from verigym.core import event_loop
from verigym.core.errors import Refused
from verigym.core.protocols import Context
from verigym.core.records import (
    Dataset,
    Json,
    Preference,
    Report,
    Sampling,
    Task,
    Version,
    content_hash,
)
from verigym.core.seeds import derive
from verigym.evaluation.report import make_report
from verigym.evaluation.suites import family_of, pick
from verigym.rollout.episode import gathered
from verigym.rollout.many import RunPlan, RunResults, results, run_many
from verigym.rollout.settings import RunSettings
from verigym.tasks.load import tasks_hash
from verigym.training.alarms import Alarm, new_alarms
from verigym.training.cost import step_dollars
from verigym.training.recipe import Adapter, Recipe
from verigym.workspace import datasets as data
from verigym.workspace.audit import last_audit, was_checked
from verigym.workspace.gold import gold_examples
from verigym.workspace.measure import context_of, suite_of
from verigym.workspace.training_environments import Arena, arenas_of, check_rows, rehearsed_of, with_tasks
from verigym.workspace.workspace import WorkspaceFolder

OnStep = Callable[[int, dict[str, float], list[Alarm]], None]


def nothing(step: int, metrics: dict[str, float], alarms: list[Alarm]) -> None:
    pass


def train(ws: WorkspaceFolder, recipe: Recipe, on_step: OnStep = nothing) -> tuple[Version, str]:
    """Trains as the recipe says; returns the new version and the run. Killed, the same call goes on."""
    job = Job(ws, recipe)
    run = job.run
    with ws.store.claim(run):
        version = ws.store.get("trained", run, Version)
        if version is None or not ws.has_adapter(version.adapter):
            model = event_loop.run(job.train(on_step))
            version = ws.register(
                msgspec.structs.replace(
                    job.parent,
                    id="",
                    adapter=ws.keep_adapter(model, job.parent.base),
                    name=recipe.name or recipe.algorithm,
                    parent=job.parent.id,
                    recipe={**msgspec.to_builtins(recipe), "run": run},
                    data_hash=job.data_hash,
                    families=sorted({*job.families, *job.parent.families}),
                ),
            )
            ws.store.put("trained", run, version)
        ws.store.finish_run(run)
        ws.forget_checkpoints(run)
    return version, run


def warnings_of(ws: WorkspaceFolder, recipe: Recipe) -> list[str]:
    """What an owner should have looked at before training."""
    if recipe.algorithm == "reward":
        return []
    parent = _parent(ws, recipe)
    reports = [report for report in ws.store.documents("report", Report) if report.agent == parent.id]
    words: list[str] = []
    for arena in arenas_of(recipe):
        name = arena.name
        if not any(report.suite.environment == name for report in reports):
            words.append(
                f"{parent.label} was never measured in {name}, so nobody will know what training changed; "
                f"first: verigym eval {name} -m {recipe.start or recipe.model}"
            )
        words += _unaudited(ws, arena) if recipe.samples else []
    return words


def _unaudited(ws: WorkspaceFolder, arena: Arena) -> list[str]:
    """Whether what it rewards was looked at: the contract by `check`, real outputs by `audit`."""
    verifier, audit = arena.environment.verifier.name, last_audit(ws, arena.environment)
    missing = [] if was_checked(ws, arena.environment) else ["check"]
    missing += ["audit"] if audit is None else []
    words = (
        [f"{verifier} FAILED its audit, and what it rewards wrongly will be learnt: {audit.fix[0]}"]
        if audit and audit.fix
        else []
    )
    if missing:
        done = " or ".join(f"{each}ed" for each in missing)
        todo = ", then ".join(f"verigym {each} {arena.name}" for each in missing)
        words.append(f"{verifier} was never {done} here, and what it rewards wrongly will be learnt; first: {todo}")
    return words


class Job:
    """One run: what it trains in, from what, on what."""

    def __init__(self, ws: WorkspaceFolder, recipe: Recipe) -> None:
        self.ws, self.recipe = ws, recipe
        self.parent = _parent(ws, recipe)
        self.scorer = _reward_model(ws, recipe)
        self.arenas = arenas_of(recipe, self.scorer.id if self.scorer else "")
        self.dataset: Dataset | None = data.find(ws, recipe.data) if recipe.data else None
        if self.dataset is None:
            self.arenas = with_tasks(self.arenas, recipe)
            tasks = [task for arena in self.arenas for task in arena.tasks]
            self.data_hash, self.families = tasks_hash(tasks), {family_of(task) for task in tasks}
        else:
            self._check_data(self.dataset)
            self.data_hash, self.families = self.dataset.id, set(self.dataset.families)
        self.rehearsed = rehearsed_of(recipe)
        self.families |= {family_of(task) for arena in self.rehearsed for task in arena.tasks}
        self.roles = {role: ws.agent(name) for role in ("judge", "user") if (name := getattr(recipe, role))}
        for teacher in (self.scorer, self.roles.get("judge")):
            self.families |= set(teacher.families if teacher else [])  # what it was taught is learnt from it
        self.config: Json = {
            "recipe": msgspec.to_builtins(recipe),
            "parent": self.parent.id,
            **({"data": self.dataset.id} if self.dataset else {}),
            **{role: version.id for role, version in self.roles.items()},
            **({"rehearsed": tasks_hash([t for one in self.rehearsed for t in one.tasks])} if self.rehearsed else {}),
            **(
                self.arenas[0].identity
                if len(self.arenas) == 1
                else {arena.name: arena.identity for arena in self.arenas}
            ),
        }
        self.run = f"{recipe.algorithm}-{content_hash(self.config)[:8]}"

    def _check_data(self, dataset: Dataset) -> None:
        recipe = self.recipe
        wanted = "demonstrations" if recipe.algorithm == "sft" else "preferences"
        if dataset.kind != wanted:
            raise Refused(f"data: {dataset.name} holds {dataset.kind}; {recipe.algorithm} learns from {wanted}")
        for arena in self.arenas:
            check_rows(arena.environment, dataset, data.rows(self.ws, dataset))

    @property
    def sides(self) -> int:
        """Of a row of written data: a pair has two."""
        return 2 if self.recipe.algorithm in ("dpo", "reward") else 1

    async def train(self, on_step: OnStep) -> Any:
        """The model with the trained adapter on it."""
        from verigym.model import lora

        ws, recipe = self.ws, self.recipe
        self.policy: Any = ws.policy(self.parent)
        model = self.policy.model
        _prepare(model, recipe)
        rows = await self._rows()
        ws.register(self.parent)
        ws.store.begin_run(self.run, "train", self.config)  # whatever could be refused has been
        settings = recipe.loss if recipe.samples else recipe.preference
        reference = lora.weights(model) if self.parent.adapter and settings.reference == "start" else None
        history = ws.store.metrics(self.run)

        def report(step: int, metrics: dict[str, float]) -> None:
            seconds = metrics["seconds"] + metrics.get("eval_s", 0.0)
            metrics["cost"] = step_dollars(seconds, recipe.dollars_per_hour)
            ws.store.add_metrics(self.run, step, metrics)
            for later in [known for known in history if known >= step]:
                del history[later]
            history[step] = metrics
            on_step(step, metrics, new_alarms(history))

        given: Any = {"evaluate": self._evaluate, "report": report}
        place = ws.checkpoints(self.run)
        async with context_of(
            ws, RunSettings(user=self.roles.get("user"), judge=self.roles.get("judge"))
        ) as self.context:
            rows += await self._rehearsal(len(rows))
            if recipe.samples:
                from verigym.training.grpo import train_grpo

                given |= {"collect": self._collect, "changed": self._signed, "reference": reference}
                await train_grpo(model, recipe, rows, place, **given)
            elif recipe.algorithm == "sft":
                from verigym.training.sft import train_sft

                await train_sft(model, recipe, rows, place, **given)
            elif recipe.algorithm == "dpo":
                from verigym.training.preferences import train_dpo

                await train_dpo(model, recipe, rows, place, reference=reference, **given)
            else:
                await self._train_reward(model, rows, place, report)
        return model

    # -- what the loops are handed ----------------------------------------------------------------------------------

    async def _rows(self) -> list[Any]:
        """What is learnt from: sources of tasks, samples, pairs of samples, or preferences."""
        from verigym.training.groups import Source
        from verigym.training.samples import preferred

        if self.recipe.samples:
            return [Source(arena.name, arena.weight, arena.tasks) for arena in self.arenas]
        if self.recipe.algorithm == "sft":
            return await self._demonstrations()
        assert self.dataset is not None
        rows: list[Any] = list(data.rows(self.ws, self.dataset))
        return [preferred(self.policy.render, row) for row in rows] if self.recipe.algorithm == "dpo" else rows

    def _signed(self, step: int) -> None:
        self.policy.changed(f"{self.run}@{step}")

    async def _episodes(self, kind: str, plans: Sequence[RunPlan]) -> list[tuple[list[Any], list[Any]]]:
        """Trajectories and verdicts of each plan. They run side by side: the longest episode of all is waited for, not the
        longest of each. What the engine takes at once is shared by how many each has."""
        store, made = self.ws.store, [RunResults() for _ in plans]
        total = max(1, sum(plan.episodes for plan in plans))
        for plan in plans:
            config: Json = {"parent": self.run, "environment": plan.environment.name, "verifier": plan.verifier.name}
            store.begin_run(plan.run, kind, config, plan.tasks, parent=self.run)

        async def run(plan: RunPlan, own: RunResults) -> None:
            share = math.ceil(self.policy.max_concurrency * plan.episodes / total)
            settings = msgspec.structs.replace(plan.settings, concurrency=share)
            await run_many(store, msgspec.structs.replace(plan, settings=settings), self.policy, cache=own)

        await gathered([run(plan, own) for plan, own in zip(plans, made, strict=True)])
        self.policy.engine.wait()  # an episode that timed out may have left a request running
        return [results(store, plan, own) for plan, own in zip(plans, made, strict=True)]

    @property
    def _agent(self) -> Version:
        return msgspec.structs.replace(self.parent, sampling=None)  # the recipe's own settings are sampled with

    async def _evaluate(self, step: int) -> dict[str, float]:
        """Each environment's held-out suite; where there are several, the mean of them beside each."""
        self._signed(step)
        recipe, found = self.recipe, {}
        measured = [arena for arena in self.arenas if arena.split]
        suites = [suite_of(arena.environment, arena.split, recipe.eval_tasks) for arena in measured]
        plans = [
            RunPlan(
                run=f"{self.run}/eval-{step:04d}" + self._suffix(arena),
                environment=arena.environment,
                tasks=held_out,
                agent=self._agent,
                verifier=arena.environment.verifier,
                settings=RunSettings(sampling=Sampling(temperature=0.0, max_tokens=recipe.max_tokens)),
                context=self.context,
            )
            for arena, (_, held_out) in zip(measured, suites, strict=True)
        ]
        made = await self._episodes("eval", plans)
        for arena, plan, (suite, held_out), episodes in zip(measured, plans, suites, made, strict=True):
            report = make_report(plan.run, f"{self.run}@{step}", suite, held_out, *episodes, recipe.seed)
            found[arena.name] = {
                f"held_out_{short}": report.metrics[name].value
                for name, short in _HELD_OUT.items()
                if name in report.metrics
            }
        names = {name for figures in found.values() for name in figures}
        means = {
            name: sum(figures[name] for figures in found.values() if name in figures)
            / sum(name in figures for figures in found.values())
            for name in sorted(names)
        }
        if len(found) < 2:
            return means
        return means | {f"{place}/{name}": value for place, figures in found.items() for name, value in figures.items()}

    async def _collect(self, step: int, number: int, picked: Mapping[str, list[Task]]) -> list[Any]:
        from verigym.training.groups import Group

        recipe = self.recipe
        k = recipe.num_generations_per_prompt
        own = [arena for arena in self.arenas if arena.name in picked]
        plans = [
            RunPlan(
                run=f"{self.run}/step-{step:04d}" + (f".{number}" if number else "") + self._suffix(arena),
                environment=arena.environment,
                tasks=picked[arena.name],
                agent=self._agent,
                verifier=arena.verifier,
                settings=RunSettings(
                    k=k,
                    sampling=Sampling(temperature=recipe.temperature, max_tokens=recipe.max_tokens),
                    seed=derive(recipe.seed, "collect", step, *([number] if number else [])),
                ),
                context=self._judging(arena),
            )
            for arena in own
        ]
        made = await self._episodes("collect", plans)
        return [
            Group(arena.name, trajectories[i : i + k], verdicts[i : i + k])
            for arena, (trajectories, verdicts) in zip(own, made, strict=True)
            for i in range(0, len(trajectories), k)
        ]

    def _suffix(self, arena: Arena) -> str:
        """Of a run's name, where there are several environments."""
        return f"-{arena.name}" if len(self.arenas) > 1 else ""

    def _judging(self, arena: Arena) -> Context:
        if self.scorer is None:
            return self.context
        if not hasattr(self, "_local_scorer"):
            self._local_scorer = self.ws.open_scorer(self.scorer)
        tools = arena.environment.toolbox.offer(self.parent.tool_descriptions).tools
        return msgspec.structs.replace(self.context, scorer=self._local_scorer.offered(tools))

    async def _demonstrations(self) -> list[Any]:
        from verigym.training.samples import imitated

        if self.dataset is not None:
            examples: list[Any] = list(data.rows(self.ws, self.dataset))
        else:
            examples = []
            most = max(len(arena.tasks) / arena.weight for arena in self.arenas)  # nothing is left out, some come again
            for arena in self.arenas:
                own = await gold_examples(arena.environment, arena.tasks, self.parent)
                examples += [own[place % len(own)] for place in range(round(most * arena.weight))]
        return [sample for example in examples for sample in imitated(self.policy.render, example)]

    async def _rehearsal(self, num_rows: int) -> list[Any]:
        """What the start says by itself, token by token, often enough to be its share beside so many rows. Where it acts with
        tools, only what it does rightly is worth keeping."""
        from verigym.training.samples import from_trajectory

        left = 1 - sum(arena.weight for arena in self.rehearsed)
        rows: list[Any] = []
        for arena in self.rehearsed:
            wanted = max(1, round(num_rows * arena.weight / left))
            plan = RunPlan(
                run=f"{self.run}/rehearsal-{arena.name}",
                environment=arena.environment,
                tasks=pick(list(arena.tasks), wanted, self.recipe.seed),
                agent=self._agent,
                verifier=arena.verifier,
                settings=RunSettings(
                    sampling=Sampling(temperature=self.recipe.temperature, max_tokens=_REHEARSED_TOKENS),
                    seed=derive(self.recipe.seed, "rehearsal", arena.name),
                ),
                context=self.context,
            )
            [found] = await self._episodes("collect", [plan])
            anyway = not arena.environment.tools
            kept = [one for one, verdict in zip(*found, strict=True) if one.scorable and (verdict.passed or anyway)]
            own = [sample for one in kept for sample in from_trajectory(one, 1.0)]
            if not own:
                raise Refused(
                    f"rehearse: {arena.name}: the start gave no reply that is worth keeping; leave it out "
                    "(in a loop it is named in beside)"
                )
            rows += [own[place % len(own)] for place in range(wanted)]
        return rows

    async def _train_reward(self, model: Any, rows: list[Preference], place: Any, report: Any) -> None:
        """A tenth of the families is held out, to see how many of their pairs it tells apart."""
        from verigym.model.threads import apart
        from verigym.training import preferences, samples
        from verigym.training.update import told_apart

        learnt, held_out = preferences.hold_out(rows, self.recipe.seed)
        pairs = [(samples.compared(self.policy.render, row), row.margin) for row in learnt]
        unseen = [samples.compared(self.policy.render, row) for row in held_out]

        async def evaluate(step: int) -> dict[str, float]:
            return {"held_out_told_apart": await apart(told_apart, model, unseen)} if unseen else {}

        await preferences.train_reward(model, self.recipe, pairs, place, evaluate=evaluate, report=report)


_REHEARSED_TOKENS = 96
"""Of a reply that is rehearsed; of a longer one, as much."""
_HELD_OUT = {"success": "success", "reward": "reward", "unsafe actions": "unsafe", "valid output": "valid"}
"""Names in a report to names of metrics."""


def _parent(ws: WorkspaceFolder, recipe: Recipe) -> Version:
    parent = ws.find(recipe.start) if recipe.start else ws.agent(recipe.model)
    if parent.base != recipe.model and not recipe.start:
        raise Refused(f"model: {recipe.model} is a version; write model: {parent.base} and start: {recipe.model}")
    if parent.base != recipe.model:
        raise Refused(f"start: {recipe.start} is built on {parent.base}, but the recipe says model: {recipe.model}")
    if parent.is_remote:
        raise Refused(f"{parent.base}: a model behind a server cannot be trained here; name a hub id or a folder")
    return parent


def _reward_model(ws: WorkspaceFolder, recipe: Recipe) -> Version | None:
    if not recipe.reward_model:
        return None
    found = ws.find(recipe.reward_model)
    if found.recipe.get("algorithm") != "reward":
        raise Refused(
            f"reward_model: {recipe.reward_model} was not trained by algorithm: reward; it answers, it does not score"
        )
    ws.adapter_folder(found.adapter)  # said now where it is missing, not in the first step
    return found


def _prepare(model: Any, recipe: Recipe) -> None:
    """A fresh adapter where the parent has none; else training goes on with the parent's, whose shape is given."""
    from verigym.model import lora

    worn = lora.config_of(model)
    wanted = recipe.lora
    if worn is None:
        shape = lora.LoraConfig(
            r=wanted.r, alpha=wanted.alpha, top_layers=wanted.top_layers, head=recipe.algorithm == "reward"
        )
        lora.attach(model, shape, recipe.seed)
    elif recipe.algorithm == "reward":
        lora.add_head(model, recipe.seed)
    elif wanted != Adapter() and (wanted.r, wanted.alpha, wanted.top_layers) != (worn.r, worn.alpha, worn.top_layers):
        raise Refused(
            f"start: {recipe.start} has an adapter with r {worn.r}, alpha {worn.alpha}, top_layers {worn.top_layers}; "
            "training goes on with it, so leave lora out of the recipe or give the same"
        )
