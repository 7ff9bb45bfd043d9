"""Training in a workspace: turns a recipe, its environments and a parent version into a new version.

The training loops are in `training`. This module passes them their data and their rollouts. It imports them late, because they
need torch.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from verigym.agents.run import check_agent
from verigym.core import event_loop
from verigym.core.errors import BadInput, RankLost, Refused
from verigym.core.printable import warn
from verigym.core.protocols import Context
from verigym.core.records import Dataset, Example, Json, Preference, Suite, Task, Version, content_hash
from verigym.core.words import counted
from verigym.evaluation.suites import family_of
from verigym.harness.varied_tools import with_varied_tools
from verigym.model.coverage import Coverage, all_parameters
from verigym.registry.checkpoints import KeptCheckpoint
from verigym.registry.versions import version_id
from verigym.rollout.settings import RunSettings
from verigym.tasks.load import tasks_hash
from verigym.training.alarms import Alarm, StoredAlarm, new_alarms, stored_alarm
from verigym.training.defaults import resolved
from verigym.training.environments import TrainingEnvironment
from verigym.training.imitation import imitated, with_every_reply
from verigym.training.recipe import Adapter, Recipe, filled, recipe_json
from verigym.training.recipe_checks import check_sense
from verigym.training.recipe_groups import LEAST_FAMILIES
from verigym.training.trackers import Tracker, TrainingRun, check_trackers
from verigym.training.trackers.watchers import Watchers, openers
from verigym.workspace import datasets as data
from verigym.workspace.agent_tools import with_agent_tools
from verigym.workspace.agents import with_program
from verigym.workspace.checkpoints import CheckpointKeeper, forget_kept
from verigym.workspace.full_disk import check_disk
from verigym.workspace.gold import check_gold, gold_examples, gold_source
from verigym.workspace.leak_check import check_rows
from verigym.workspace.measure import context_of, suite_of
from verigym.workspace.nothing_learnt import check_scored, why_nothing_learnt
from verigym.workspace.recipe_facts import facts_of
from verigym.workspace.stored_groups import check_tokens, stored_groups, with_stored_tasks
from verigym.workspace.teachers import find_teacher, named_model, open_teacher
from verigym.workspace.trained_policy import check_engine, trained_policy
from verigym.workspace.training_environments import (
    rehearsed_of,
    training_environments,
    with_tasks,
    without_live_tools,
)
from verigym.workspace.workspace import WorkspaceFolder

if TYPE_CHECKING:
    from verigym.model.lora import LoraConfig
    from verigym.policies.local.policy import LocalPolicy
    from verigym.training.loop import OnMetrics
    from verigym.training.publish import Publisher
    from verigym.training.rollouts import TrainingRollouts

MAX_RESTARTS = 5
"""How often the ranks are started again without a new step in between."""
OnStep = Callable[[int, dict[str, float], list[Alarm]], None]


def nothing(step: int, metrics: dict[str, float], alarms: list[Alarm]) -> None:
    pass


def train(
    ws: WorkspaceFolder, recipe: Recipe, on_step: OnStep = nothing, trackers: Sequence[Tracker] = ()
) -> tuple[Version, str]:
    """Trains as the recipe says. Returns the new version and the run. If it is killed, the same call resumes. If no step had
    anything to learn from, the start itself is returned (`why_nothing_learnt`). `trackers` watch besides those of the recipe."""
    check_trackers(recipe.trackers)
    job = TrainingJob(ws, recipe)
    known = TrainingRun(
        id=job.run, name=recipe.name or recipe.algorithm, recipe=recipe_json(job.recipe), folder=ws.home / "trackers"
    )
    watchers = Watchers(known, openers(recipe.trackers, trackers))

    def watched(step: int, metrics: dict[str, float], alarms: list[Alarm]) -> None:
        on_step(step, metrics, alarms)
        watchers.step(step, metrics, [str(alarm) for alarm in alarms])

    made = ""
    try:
        version, run = _train(ws, job, watched)
        made = "" if version.id == job.parent.id else version.id
        return version, run
    finally:
        watchers.end(made)


def _train(ws: WorkspaceFolder, job: "TrainingJob", on_step: OnStep) -> tuple[Version, str]:
    recipe, run = job.recipe, job.run
    with ws.store.claim(run):
        version = ws.store.get("trained", run, Version)
        if version is None and run in ws.store.finished_runs() and why_nothing_learnt(ws, run):
            return ws.register(job.parent), run
        if version is None or not ws.has_adapter(version.adapter):
            chosen = job.stopped_early()
            if chosen is None:
                event_loop.run(job.check_agents())
                with ws.place.learning(recipe):
                    model = _trained(ws, job, on_step)
                if why_nothing_learnt(ws, run):
                    ws.store.finish_run(run)
                    ws.forget_checkpoints(run)
                    forget_kept(ws, run)
                    return ws.register(job.parent), run
                chosen = job.keeper.chosen(ws.store.metrics(run))
                made = job.version_of(ws.keep_adapter(model, job.parent.base)) if chosen is None else chosen.version
            else:
                made = chosen.version
            version = ws.register(msgspec.structs.replace(made, id="", name=recipe.name or recipe.algorithm))
            chosen_on = sorted({*version.chosen_on, *made.chosen_on})  # other runs may have had the same weights
            version = msgspec.structs.replace(version, chosen_on=chosen_on)
            ws.store.put("trained", run, version)
            job.keeper.finish()
        ws.store.finish_run(run)
        ws.forget_checkpoints(run)
    return version, run


def _trained(ws: WorkspaceFolder, job: "TrainingJob", on_step: OnStep) -> Any:
    """Trains, and returns the model. If a rank is lost, all ranks start again and resume from the checkpoint."""
    failures, reached = 0, max(ws.store.metrics(job.run), default=0)
    while True:
        try:
            return event_loop.run(job.train(on_step))
        except RankLost as error:
            from verigym.training.rank_processes import restart_ranks

            step = max(ws.store.metrics(job.run), default=0)
            failures, reached = (1, step) if step > reached else (failures + 1, reached)
            if failures > MAX_RESTARTS or not restart_ranks():
                raise
            warn(f"{str(error).partition('. ')[0]}. All ranks were started again and resume from the checkpoint")


class TrainingJob:
    """One training run: its recipe, environments, parent version and data."""

    def __init__(self, ws: WorkspaceFolder, recipe: Recipe) -> None:
        self.ws, self.recipe = ws, recipe
        self.written = recipe
        """The recipe before its defaults were resolved."""
        self._publisher: Publisher | None = None
        """What gives engines elsewhere the trained weights."""
        self.covered: Coverage | None = None
        """What the adapter adapts and leaves out, once it is on the model."""
        self.parent = parent_of(ws, recipe)
        self.scorer = _reward_model(ws, recipe)
        self.teacher = find_teacher(ws, recipe, self.parent)
        trained = training_environments(recipe, self.scorer.id if self.scorer else "")
        self.environments = without_live_tools(
            recipe,
            [
                msgspec.structs.replace(each, environment=with_agent_tools(ws, each.environment, self.parent))
                for each in trained
            ],
        )
        if recipe.tools.active and not any(each.environment.has_tools for each in self.environments):
            raise BadInput(f"tools: {self.environments[0].name} has no tools to vary. Remove `tools` from the recipe")
        self.dataset: Dataset | None = (
            data.find(ws, recipe.data, thumbs=recipe.algorithm == "kto") if recipe.data and not recipe.samples else None
        )
        self.stored = stored_groups(ws, recipe, self.environments) if recipe.data and recipe.samples else None
        if self.stored is not None:
            self.environments = with_stored_tasks(self.environments, self.stored)
            check_gold(recipe, self.environments)
            self.data_hash, self.families = self.stored.hash, self.stored.families
        elif self.dataset is None:
            self.environments = with_tasks(self.environments, recipe)
            check_gold(recipe, self.environments)
            tasks = [task for each in self.environments for task in each.tasks]
            self.data_hash, self.families = tasks_hash(tasks), {family_of(task) for task in tasks}
        else:
            self._check_data(self.dataset)
            self.data_hash, self.families = self.dataset.id, set(self.dataset.families)
        self.facts = facts_of(ws, filled(recipe), self.parent, self.environments, self.dataset)
        recipe = resolved(recipe, self.facts)
        check_sense(recipe, "recipe")
        self.recipe = recipe
        self.rehearsed = rehearsed_of(recipe)
        rehearsed = [task for each in self.rehearsed for task in each.tasks]
        self.families |= set(map(family_of, rehearsed))
        self.roles = {
            role: named_model(ws, role, name) for role in ("judge", "user") if (name := getattr(recipe, role))
        }
        for other in (self.scorer, self.roles.get("judge"), self.teacher):
            self.families |= set(other.families if other else [])  # its training families count as trained on
        identities = {each.name: each.identity for each in self.environments}
        self.config: Json = {
            "recipe": recipe_json(recipe),
            "parent": self.parent.id,
            **({"data": self.dataset.id} if self.dataset else {}),
            **({"data": self.stored.run, "episodes": self.stored.hash} if self.stored else {}),
            **{role: version.id for role, version in self.roles.items()},
            **({"teacher": self.teacher.id} if self.teacher else {}),
            **({"rehearsed": tasks_hash(rehearsed)} if rehearsed else {}),
            **(next(iter(identities.values())) if len(self.environments) == 1 else identities),
        }
        self.run = f"{recipe.algorithm}-{content_hash(self.config)[:8]}"
        self.suites = [_suite_of(each, recipe) if each.split else None for each in self.environments]
        """The held-out suite of each environment and its tasks, on which training evaluates."""
        self.evaluated = {family for suite in self.suites if suite for family in suite[0].families}
        self.keeper = CheckpointKeeper(ws, recipe, self.run, self.parent.base, self.version_of, self.evaluated)

    async def check_agents(self) -> None:
        """Refuses an external agent that cannot be started. Otherwise the first episode would, after the model is loaded."""
        samples = self.recipe.samples and self.stored is None
        trained = self.environments if samples or any(self.suites) else []
        checked: set[str] = set()
        for each in (*trained, *self.rehearsed):
            command = self.parent.program or each.environment.agent
            if command in checked:
                continue
            checked.add(command)
            field = "agent" if self.recipe.agent else f"start {self.recipe.start}"
            try:
                await check_agent(each.environment, self.parent)
            except BadInput as error:
                raise BadInput(f"{field if self.parent.program else each.name}: {error}") from error

    def version_of(self, adapter: str, step: int = 0) -> Version:
        """The version with these weights: the result of the run, or with a step one of its checkpoints. Whoever names an earlier
        checkpoint than the last has looked at held-out figures, so their families chose it."""
        recipe, parent = self.recipe, self.parent
        others = (parent, self.scorer, self.roles.get("judge"), self.teacher)
        chosen_on = {family for one in others if one for family in one.chosen_on}
        if recipe.checkpoints.chooses or 0 < step < recipe.steps:  # patience chose it, too, if it never ran out
            chosen_on |= self.evaluated
        return msgspec.structs.replace(
            parent,
            id="",
            adapter=adapter,
            full=recipe.adapter == "full",
            adapter_config="",
            name=f"{recipe.name or recipe.algorithm}@{step}" if step else "",
            parent=parent.id,
            recipe={**recipe_json(recipe), "run": self.run, **({"step": step} if step else {})},
            data_hash=self.data_hash,
            families=sorted({*self.families, *parent.families}),
            chosen_on=sorted(chosen_on),
        )

    def stopped_early(self) -> KeptCheckpoint | None:
        """The chosen checkpoint of a run that stopped early and was killed before its version was registered."""
        history = self.ws.store.metrics(self.run)
        chosen = self.keeper.chosen(history) if self.keeper.stops_at(history) else None
        return chosen if chosen is not None and self.ws.has_adapter(chosen.version.adapter) else None

    def _check_data(self, dataset: Dataset) -> None:
        recipe = self.recipe
        wanted = {"sft": "demonstrations", "kto": "thumbs"}.get(recipe.algorithm, "preferences")
        if dataset.kind != wanted:
            raise Refused(
                f"data: {dataset.name} contains {dataset.kind}, but {recipe.algorithm} needs {wanted}. Name another dataset"
            )
        if recipe.algorithm == "kto":
            self._thumbs()  # refuses thumbs of one kind
        for each in self.environments:
            check_rows(each.environment, dataset, data.rows(self.ws, dataset))
        if recipe.algorithm == "reward" and recipe.checkpoints.chooses and len(dataset.families) < LEAST_FAMILIES:
            raise Refused(
                f"checkpoints: {dataset.name} has {counted(len(dataset.families), 'family')}, and a reward model holds out a "
                f"tenth of them. With fewer than {LEAST_FAMILIES} there is nothing to choose on. Remove checkpoints.choose and "
                "checkpoints.patience, or add families"
            )

    async def train(self, on_step: OnStep) -> Any:
        """Trains, and returns the model with the trained adapter on it."""
        from verigym.model.threads import in_thread
        from verigym.training import offline, samples
        from verigym.training.distill import train_distill
        from verigym.training.grpo import train_grpo
        from verigym.training.ppo import train_ppo
        from verigym.training.ranked_learner import open_learner
        from verigym.training.rft import train_rft
        from verigym.training.update import pair_accuracy

        ws, recipe = self.ws, self.recipe
        policy = trained_policy(ws, recipe, self.parent, self.teacher)
        model, render = policy.model, policy.render
        report = self._reporter(on_step, model)
        check_engine(ws, recipe, self.parent, policy)
        _prepare(model, recipe)
        self.covered = self._coverage(model)
        reference = self._reference(model)
        folder = ws.checkpoints(self.run)
        if shared := ws.shared_state(self.run):
            shared.fetch()
        roles = RunSettings(user=self.roles.get("user"), judge=self.roles.get("judge"))
        async with context_of(ws, roles) as context, ws.place.publishing(ws, policy, recipe, self.run) as publisher:
            self._publisher = publisher
            base, quantized = self.parent.base, self.parent.quantized
            learner = open_learner(model, recipe, reference, base=base, quantized=quantized)
            given: Any = {"learner": learner, "report": report}
            if recipe.algorithm == "distill":
                asked = ws, recipe, self.teacher, self.parent, policy, self.environments
                async with open_teacher(*asked) as teacher:
                    self._begin()
                    rollouts = self._rollouts(policy, context)
                    await train_distill(model, recipe, rollouts, folder, teacher, **given)
            elif recipe.algorithm == "rft":
                self._begin()
                await train_rft(model, recipe, self._rollouts(policy, context), folder, **given)
            elif recipe.algorithm == "ppo":
                self._begin()
                rollouts = self._rollouts(policy, context)
                await train_ppo(model, recipe, rollouts, folder, **given)
            elif recipe.samples:
                if self.stored is not None:
                    check_tokens(self.stored, render.tokenizer, self.parent.base)
                self._begin()
                rollouts = self._rollouts(policy, context)
                stored = self.stored.groups if self.stored else ()
                await train_grpo(model, recipe, rollouts, folder, stored=stored, **given)
            elif recipe.algorithm == "sft":
                examples = await self.demonstrations()
                distinct = {id(example): example for example in examples}  # a mixture repeats rows
                tokenised = {key: samples.example_samples(render, example) for key, example in distinct.items()}
                learnt = [sample for example in examples for sample in tokenised[id(example)]]
                self._begin()
                counts, tokens = self.dataset.counts if self.dataset else {}, sum(sum(one.mask) for one in learnt)
                ws.store.put("imitated", self.run, imitated(examples, counts, tokens))
                rollouts = self._rollouts(policy, context)
                learnt += await rollouts.rehearse(self.rehearsed, len(learnt))
                await offline.train_sft(model, recipe, learnt, folder, evaluate=rollouts.evaluate, **given)
            elif recipe.algorithm == "kto":
                rated = [samples.rated_sample(render, row) for row in self._thumbs()]
                self._begin()
                evaluate = self._rollouts(policy, context).evaluate
                await offline.train_kto(model, recipe, rated, folder, reference=reference, evaluate=evaluate, **given)
            elif recipe.algorithm == "dpo":
                pairs = [samples.preference_pair(render, row) for row in self._preferences()]
                self._begin()
                evaluate = self._rollouts(policy, context).evaluate
                await offline.train_dpo(model, recipe, pairs, folder, reference=reference, evaluate=evaluate, **given)
            else:  # a tenth of the families is held out, to measure how many of their pairs the reward model tells apart
                rows, held_out = offline.hold_out(self._preferences(), recipe.seed)
                graded = [(samples.reward_pair(render, row), row.margin) for row in rows]
                unseen = [samples.reward_pair(render, row) for row in held_out]
                self._begin()

                async def told_apart(step: int) -> dict[str, float]:
                    return {"held_out_told_apart": await in_thread(pair_accuracy, model, unseen)} if unseen else {}

                await offline.train_reward(model, recipe, graded, folder, evaluate=told_apart, **given)
        return model

    def _reference(self, model: Any) -> dict[str, Any] | None:
        """The weights of the reference for KL and preferences, on the CPU. None for the base model under an adapter, or if
        nothing refers to them."""
        from verigym.model import full, lora
        from verigym.model.load import load

        recipe, parent = self.recipe, self.parent
        origin = recipe.loss.reference if recipe.samples else recipe.preference.reference
        if recipe.adapter != "full":
            return lora.weights(model) if parent.adapter and origin == "start" else None
        if not (recipe.loss.kl if recipe.samples else recipe.algorithm in ("dpo", "kto")):
            return None
        if origin == "start" or not parent.full:
            return lora.weights(model)
        return full.named_weights(load(parent.base, device="cpu", dtype=model.dtype).model)

    def _coverage(self, model: Any) -> Coverage:
        """What the adapter adapts and leaves out."""
        from verigym.model import lora
        from verigym.model.lora_targets import coverage

        if self.recipe.adapter == "full":
            return all_parameters(sum(parameter.numel() for parameter in model.parameters()))
        config = lora.config_of(model)
        assert config is not None, "no adapter on this model"
        return coverage(model, config)

    def _begin(self) -> None:
        """Stores the run, and says and stores what the adapter leaves out. Everything that can be refused is refused before."""
        if self.recipe.adapter == "full":
            assert self.covered is not None, "the model is prepared before a run begins"
            check_disk(self.ws.home, self.recipe, self.covered.total, self.ws.place.samples_elsewhere(self.recipe))
        self.ws.register(self.parent)
        self.ws.store.begin_run(self.run, "train", self.config)
        assert self.covered is not None, "the adapter is put on the model before a run begins"
        self.ws.store.put("coverage", f"{self.run}/adapter", self.covered)
        warn(self.covered.summary)

    def _reporter(self, on_step: OnStep, model: Any) -> "OnMetrics":
        """Stores the metrics of each step, the alarms that they raise, and checkpoints. A resumed run overwrites the steps that
        it repeats."""
        store, history = self.ws.store, self.ws.store.metrics(self.run)
        shared = self.ws.shared_state(self.run)
        raised = {one.id: one.step for one in store.documents("alarm", StoredAlarm) if one.run == self.run}

        def report(step: int, metrics: dict[str, float]) -> bool:
            seconds = metrics["seconds"] + metrics.get("eval_s", 0.0)
            metrics["cost"] = seconds / 3600 * self.recipe.dollars_per_hour + metrics.get("teacher_cost", 0.0)
            store.add_metrics(self.run, step, metrics)
            for later in [number for number in history if number >= step]:
                del history[later]
            history[step] = metrics
            new = new_alarms(history)
            repeated = [id for id, earlier in raised.items() if earlier >= step]
            if new or repeated:
                alarms = {one.id: one for one in (stored_alarm(self.run, alarm) for alarm in new)}
                store.put_all("alarm", {**dict.fromkeys(repeated), **alarms})
                for id in repeated:
                    del raised[id]
                raised.update({id: step for id in alarms})
            self.keeper.keep(model, step, metrics)
            if shared is not None:
                shared.store()  # that of an earlier step, because the state of this one is written after the report
            on_step(step, metrics, new)
            check_scored(self.ws, self.run, history)
            return self.keeper.stops_at(history) is not None

        return report

    def _rollouts(self, policy: "LocalPolicy", context: Context) -> "TrainingRollouts":
        from verigym.training.rollouts import HeldOutSuite, TrainingRollouts

        held_out = [
            HeldOutSuite(each.environment, *suite)
            for each, suite in zip(self.environments, self.suites, strict=True)
            if suite
        ]
        scorer = self.ws.open_scorer(self.scorer) if self.scorer else None
        whose = self.ws.store, policy, self.recipe, self.run, self.parent
        return TrainingRollouts(
            *whose,
            self.environments,
            held_out=held_out,
            context=context,
            scorer=scorer,
            gold_of=gold_source(self.environments, self.recipe, self.parent, policy.render),
            publisher=self._publisher,
            run_episodes=self.ws.place.run_episodes,
        )

    def _thumbs(self) -> list[Example]:
        """The rated rows. Refuses data with thumbs of one kind only, from which nothing is told apart."""
        assert self.dataset is not None
        rows = [row for row in data.rows(self.ws, self.dataset) if isinstance(row, Example)]
        for good, word in ((True, "up"), (False, "down")):
            if not any(row.good is good for row in rows):
                raise Refused(
                    f"data: {self.dataset.name} has no thumb {word}. kto needs both kinds. Rate more episodes, or use sft"
                )
        return rows

    def _preferences(self) -> list[Preference]:
        assert self.dataset is not None
        return [row for row in data.rows(self.ws, self.dataset) if isinstance(row, Preference)]

    async def demonstrations(self) -> list[Example]:
        """The rows of the dataset, or gold solutions. In a mixture, gold solutions repeat until each has its share."""
        if self.dataset is not None:
            rows = [row for row in data.rows(self.ws, self.dataset) if isinstance(row, Example)]
            return list(map(with_every_reply, rows)) if self.recipe.sft.replies == "every" else rows
        examples: list[Example] = []
        most = max(len(each.tasks) / each.weight for each in self.environments)
        for each in self.environments:
            varied = with_varied_tools(each.environment, self.recipe.tools, self.recipe.seed)
            gold = await gold_examples(varied, each.tasks, self.parent)
            examples += [gold[i % len(gold)] for i in range(round(most * each.weight))]
        return examples


def _suite_of(trained: TrainingEnvironment, recipe: Recipe) -> tuple[Suite, list[Task]]:
    """The held-out suite of an environment. If the recipe chooses checkpoints, a third of it, which may be empty."""
    try:
        return suite_of(trained.environment, trained.split, recipe.eval_tasks)
    except Refused as error:
        if recipe.evaluated_on == recipe.held_out_eval:
            raise
        raise Refused(
            f"checkpoints: choose and patience evaluate on {recipe.evaluated_on}, and the gate on the rest. {error}. You can "
            f"also name the part yourself, such as held_out_eval: {recipe.held_out_eval} 1/2"
        ) from error


def parent_of(ws: WorkspaceFolder, recipe: Recipe) -> Version:
    parent = ws.find(recipe.start) if recipe.start else ws.agent(recipe.model)
    if parent.base != recipe.model and not recipe.start:
        raise Refused(f"model: {recipe.model} is a version. Write model: {parent.base} and start: {recipe.model}")
    if parent.base != recipe.model:
        raise Refused(
            f"start: {recipe.start} has base model {parent.base}, but the recipe says model: {recipe.model}. Change one"
        )
    if parent.is_remote:
        raise Refused(f"{parent.base}: a model on a server cannot be trained. Name a Hugging Face model id or a folder")
    parent = _with_base(parent, recipe)
    return with_program(parent, recipe.agent) if recipe.agent else parent


def _with_base(parent: Version, recipe: Recipe) -> Version:
    """The parent on the base that the recipe asks for: in 4 bits for qlora. An adapter is never moved to another base."""
    quantized: Literal["", "nf4"] = "nf4" if recipe.adapter == "qlora" else ""
    if parent.full and recipe.adapter != "full":
        raise Refused(
            f"start: {recipe.start} is a whole model, all of whose parameters were trained. Set adapter: full. To train an "
            f"adapter on it, export it (verigym models export {parent.id} --out FOLDER) and write model: FOLDER without start"
        )
    if parent.adapter and not parent.full and recipe.adapter == "full":
        raise Refused(
            f"start: {recipe.start} has an adapter, so adapter: full cannot continue it. Set adapter: "
            f"{'qlora' if parent.quantized else 'lora'}. To train all parameters, export it (verigym models export {parent.id} "
            "--merged --out FOLDER) and write model: FOLDER without start"
        )
    if parent.quantized == quantized:
        return parent
    if parent.adapter:
        there = "on a 4-bit base" if parent.quantized else "on a base that is not quantised"
        needed = "qlora" if parent.quantized else "lora"
        raise Refused(
            f"start: {recipe.start} was trained {there}, so adapter: {recipe.adapter} cannot continue it. "
            f"Set adapter: {needed}, or remove start"
        )
    other = msgspec.structs.replace(
        parent, quantized=quantized, name=f"{parent.name}-nf4" if quantized else parent.name
    )
    return msgspec.structs.replace(other, id=version_id(other))


def _reward_model(ws: WorkspaceFolder, recipe: Recipe) -> Version | None:
    if not recipe.reward_model:
        return None
    version = ws.find(recipe.reward_model)
    if version.recipe.get("algorithm") != "reward":
        raise Refused(
            f"reward_model: {recipe.reward_model} is not a reward model. Name a version trained with algorithm: reward"
        )
    ws.adapter_of(version)  # reports a missing adapter now instead of in the first step
    return version


def _prepare(model: Any, recipe: Recipe) -> None:
    """Adds a new adapter if the parent has none. Otherwise training continues with the adapter of the parent."""
    from verigym.model import full, lora
    from verigym.model.lora_targets import check_config

    if recipe.adapter == "full":
        full.begin(model, full.FullSettings(checkpointing=recipe.full.checkpointing, offload=recipe.full.offload))
        return
    current, wanted = lora.config_of(model), adapter_config(recipe)
    if current is None:
        check_config(model, wanted)
        lora.attach(model, wanted, recipe.seed)
        return
    check_continued(model, current, recipe)
    if recipe.algorithm == "reward":
        lora.add_head(model, recipe.seed)
    lora.set_dropout(model, recipe.lora.dropout, recipe.seed)


def check_continued(model: Any, current: "LoraConfig", recipe: Recipe) -> None:
    """Refuses settings of `lora` that differ from the adapter of the start. Of `model`, only the layers matter."""
    from verigym.model import lora
    from verigym.model.lora_targets import check_config, find_targets

    if recipe.algorithm == "reward" or msgspec.structs.replace(recipe.lora, dropout=0.0) == Adapter():
        return
    wanted = adapter_config(recipe)
    check_config(model, wanted)
    named = lora.named(model, wanted, find_targets(model, wanted))
    same = ("r", "alpha", "top_layers", "rank_pattern")
    different = any(getattr(current, name) != getattr(wanted, name) for name in same)
    if different or (recipe.lora.targets != Adapter().targets and _layers(named) != _layers(current)):
        raise Refused(
            f"start: {recipe.start} has an adapter with r {current.r}, alpha {current.alpha}, "
            f"top_layers {current.top_layers or 'all'} on {', '.join(sorted(_layers(current)))}. "
            "Training continues with this adapter. Remove `lora` from the recipe (on the command line: lora=), or write the "
            "same values"
        )


def _layers(config: "LoraConfig") -> set[str]:
    return {name.rsplit(".", 1)[-1] for name in (*config.targets, *(config.parameters or ()))}


def adapter_config(recipe: Recipe) -> "LoraConfig":
    """The configuration of a new adapter."""
    from verigym.model.lora import LoraConfig

    return LoraConfig(
        r=recipe.lora.r,
        alpha=recipe.lora.alpha,
        targets=recipe.lora.names,
        dropout=recipe.lora.dropout,
        rank_pattern=recipe.lora.rank_pattern,
        top_layers=recipe.lora.top_layers,
        head=recipe.algorithm == "reward",
    )
