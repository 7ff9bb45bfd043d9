"""The `Workspace` methods that make tasks, data and versions, and decide about versions."""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from verigym.api_base import Agent, WorkspaceBase, nothing, on_thread, run_id
from verigym.core.errors import BadInput, Refused
from verigym.core.records import Dataset, Decision, Report, Sampling, Version
from verigym.present import Metrics

if TYPE_CHECKING:
    from verigym.gates.policy import GatePolicy
    from verigym.harness.environment import EnvironmentSpec
    from verigym.optimize.records import Optimization, OptimizePlan, OptimizeSettings
    from verigym.registry.ledger import LedgerEntry
    from verigym.rollout.settings import RunSettings
    from verigym.store.database import Run
    from verigym.training.recipe import Recipe
    from verigym.training.trackers import Tracker
    from verigym.workspace.data_export import DataExport
    from verigym.workspace.design import DesignFiles, Teacher, VariationFiles
    from verigym.workspace.dry_run import DryRun
    from verigym.workspace.gate_budget import GatePlan
    from verigym.workspace.train import OnStep


class NotPromoted(Refused):
    """The gate did not say PROMOTE, so the champion stays."""

    def __init__(self, decision: Decision) -> None:
        self.decision = decision
        super().__init__(
            f"The gate decided {decision.verdict}, so {decision.champion} stays champion. {decision.words} "
            "To promote anyway, give a reason: override=..."
        )


class NothingLearnt(Refused):
    """Training changed no weights, so there is no new version."""

    def __init__(self, run: str, why: str) -> None:
        self.run = run
        super().__init__(f"Nothing was learnt in run {run}, so there is no new version. {why}")


class TrainingVerbs(WorkspaceBase):
    """Methods that make and promote versions."""

    @on_thread
    def design_make(
        self,
        spec: str | Path,
        *,
        n: int | None = None,
        out: str | Path | None = None,
        seed: int | None = None,
        model: Agent = "",
        teacher: Agent = "",
        k: int = 4,
        teacher_output: Literal["demos", "pairs"] = "demos",
    ) -> "DesignFiles":
        """Generate exactly `n` rows from a spec, or fail and name the constraint that cannot be met.

        Writes NAME.jsonl or `out`, and the rejected rows with reasons beside it. A repeated call resumes. `model` fills
        columns that name no model. A `teacher` tries each task `k` times, and its tries become a dataset.
        """
        from verigym.workspace.design import make_design, open_design

        chosen = self._teacher(teacher, k, teacher_output)
        path = Path(out) if out else None
        job = open_design(Path(spec), out=path, seed=seed, model=self._agent_name(model), teacher=chosen)
        bar = self._bar
        bar.start("rows")
        return make_design(lambda: self.folder, job, n, bar.report, teacher=chosen, bars=bar.measurement)

    @on_thread
    def design_vary(
        self,
        environment: str,
        *,
        kinds: Sequence[str] = (),
        split: str = "train",
        played_in: str = "",
        n: int | None = None,
        out: str | Path | None = None,
        seed: int = 0,
        preview: bool = False,
        teacher: Agent = "",
        k: int = 4,
        teacher_output: Literal["demos", "pairs"] = "demos",
    ) -> "VariationFiles":
        """Vary the tasks of an environment or a task file and write them to NAME.varied.jsonl or `out`.

        `kinds` are paraphrase, distractor, boundary, typo and unsafe. The default is all. Each variation is verified.
        `played_in` names the environment that plays the tasks of a file. `preview` writes nothing.
        """
        from verigym.workspace.design import vary_tasks

        self._bar.start("variations")
        return vary_tasks(
            lambda: self.folder,
            environment,
            n,
            seed,
            self._bar.report,
            kinds=kinds,
            split=split,
            environment=played_in,
            out=Path(out) if out else None,
            preview=preview,
            teacher=self._teacher(teacher, k, teacher_output),
            bars=self._bar.measurement,
        )

    def _teacher(self, agent: Agent, k: int, output: Literal["demos", "pairs"]) -> "Teacher | None":
        from verigym.workspace.design import Teacher

        return Teacher(model=self._agent_name(agent), k=k, output=output) if agent else None

    @on_thread
    def demos(
        self,
        run: "str | Report | Run" = "latest",
        *,
        per_task: int = 4,
        min_reward: float | None = None,
        name: str = "",
    ) -> Dataset:
        """Make demonstrations from the episodes of a run that passed."""
        from verigym.workspace.datasets import from_demonstrations

        return from_demonstrations(self.folder, run_id(run), per_task=per_task, min_reward=min_reward, name=name)

    @on_thread
    def pairs(
        self,
        run: "str | Report | Run" = "latest",
        *,
        gap: float = 0.1,
        per_task: int = 4,
        labels: bool = False,
        name: str = "",
    ) -> Dataset:
        """Make preference pairs from episodes of one task whose rewards differ by `gap`, or from labels of people."""
        from verigym.workspace.datasets import from_labels, from_rewards

        if labels:
            return from_labels(self.folder, run_id(run), name=name)
        return from_rewards(self.folder, run_id(run), gap=gap, per_task=per_task, name=name)

    @on_thread
    def thumbs(self, run: "str | Report | Run | Path" = "latest", *, verdicts: bool = False, name: str = "") -> Dataset:
        """Make thumbs up and down from labels and feedback on a run, from its verdicts, or from a file with labels."""
        from verigym.tasks.files import is_task_file
        from verigym.workspace.datasets import from_file, from_thumbs

        if isinstance(run, Path) or (isinstance(run, str) and is_task_file(run)):
            if verdicts:
                raise BadInput(
                    f"{run}: --verdicts works only with a run. The labels of a file are its thumbs. Remove it"
                )
            return from_file(self.folder, Path(run), thumbs=True, name=name)
        return from_thumbs(self.folder, run_id(run), verdicts=verdicts, name=name)

    @on_thread
    def import_data(self, file: str | Path, *, name: str = "") -> Dataset:
        """Import the demonstrations or preferences of a file (.jsonl, .json, .csv or .parquet)."""
        from verigym.workspace.datasets import from_file

        return from_file(self.folder, Path(file), name=name)

    @on_thread
    def export_data(
        self,
        dataset: "str | Dataset" = "latest",
        *,
        format: str,
        file: str | Path | None = None,
        environment: "str | EnvironmentSpec" = "",
        split: str = "train",
        n: int | None = None,
        seed: int = 0,
        plain: bool = False,
        allow_held_out: bool = False,
    ) -> "DataExport":
        """Write a dataset for another trainer, or the tasks of an `environment` as prompts with their ground truth.

        `format` is trl, verl, openrlhf, nemo-rl, openai, parquet or hf. The file must not exist. `plain` writes tools into the
        system prompt and calls as text, for trainers that pass no tools to the chat template. Held-out tasks are refused
        unless `allow_held_out` is set.
        """
        from verigym.workspace.data_export import ExportOptions, export_dataset, export_tasks

        options, path = ExportOptions(plain=plain, allow_held_out=allow_held_out), Path(file) if file else None
        if environment:
            spec = self._environment(environment)
            return export_tasks(spec, format, path, split=split, n=n, seed=seed, options=options)
        name = dataset if isinstance(dataset, str) else dataset.id
        return export_dataset(self.folder, name, format, path, options)

    @on_thread
    def dry_run(self, recipe: "str | Path | Recipe", **fields: Any) -> "DryRun":
        """Check a recipe and estimate its time, memory and cost, without training."""
        from verigym.workspace.dry_run import dry_run

        return dry_run(self.folder, open_recipe(recipe, fields))

    @on_thread
    def train(
        self,
        recipe: "str | Path | Recipe",
        *,
        on_step: "OnStep | None" = None,
        trackers: "Sequence[str | Tracker] | None" = None,
        **fields: Any,
    ) -> Version:
        """Train by a recipe and return the new version. A repeated call resumes from the last checkpoint.

        `trackers` replaces the trackers of the recipe. It takes names (tensorboard, wandb, mlflow, trackio) and objects with
        the methods on_begin, on_step and on_end. A tracker never breaks a run.

        Further arguments change fields of the recipe: `steps=60`, `lora={"r": 8}`. If no step had anything to learn from,
        there is no new version, and it raises `Refused`.
        """
        from verigym.training.recipe_notes import RecipeWarning
        from verigym.workspace.nothing_learnt import why_nothing_learnt
        from verigym.workspace.train import train
        from verigym.workspace.train_warnings import recipe_warnings

        own: list[Tracker] = [each for each in trackers or () if not isinstance(each, str)]
        if trackers is not None:
            fields["trackers"] = [each for each in trackers if isinstance(each, str)]
        chosen = open_recipe(recipe, fields)
        for note in recipe_warnings(self.folder, chosen):
            warnings.warn(note, RecipeWarning, stacklevel=2)
        self._bar.start("train")

        def show(step: int, metrics: dict[str, float], alarms: Sequence[object]) -> None:
            name = next((name for name in ("reward", "loss") if name in metrics), "")
            self._bar.report(step, chosen.steps, f"{name} {metrics[name]:.3f}" if name else "")

        version, run = train(self.folder, chosen, on_step or show, own)
        if why := why_nothing_learnt(self.folder, run):
            raise NothingLearnt(run, why)
        return version

    @on_thread
    def optimize(
        self,
        environment: "str | EnvironmentSpec",
        agent: Agent,
        *,
        budget: int = 200,
        reflect: Agent = "",
        parts: Sequence[str] = (),
        gold: bool = True,
        tools: Sequence[str | Path] = (),
        temperature: float = 0.0,
        max_tokens: int | None = None,
        seed: int = 0,
        verifier: str = "",
        user: Agent | None = None,
        judge: Agent | None = None,
        settings: "RunSettings | None" = None,
        on_message: Callable[[str], None] | None = None,
    ) -> "Optimization":
        """Improve an agent without training weights, on training tasks, within `budget` episodes.

        It changes the prompt, examples, tool descriptions, skills and harness settings, or only the given `parts`. Every
        candidate is a version. `best` in the result is the one to pass to `gate`. `reflect` is the model that reads failures:
        by default the agent's base model, and none with `"none"`. `tools` are tools files that a candidate may bring, such as
        a search over documents. A repeated call resumes. `max_tokens` is 64 by default, or 4096 for a model that reasons.
        `settings` replaces `temperature`, `max_tokens`, `seed` of sampling, `user` and `judge`.
        """
        from verigym.optimize.search import optimize

        spec, version = self._environment(environment, verifier), self._agent(agent)
        how = settings or self._episode_settings(version, temperature, max_tokens, seed, user, judge)
        self._bar.start("optimize")
        return optimize(
            self.folder,
            spec,
            version,
            self._optimize_settings(budget, parts, gold, tools, seed, how),
            reflect=self._reflector(version, reflect),
            on_progress=self._bar.report,
            say=on_message or nothing,
        )

    @on_thread
    def plan_optimize(
        self,
        environment: "str | EnvironmentSpec",
        agent: Agent,
        *,
        budget: int = 200,
        reflect: Agent = "",
        parts: Sequence[str] = (),
        gold: bool = True,
        tools: Sequence[str | Path] = (),
        temperature: float = 0.0,
        max_tokens: int | None = None,
        seed: int = 0,
        verifier: str = "",
        user: Agent | None = None,
        judge: Agent | None = None,
        settings: "RunSettings | None" = None,
    ) -> "OptimizePlan":
        """What `optimize` would use at most: tasks, episodes and tokens. Nothing is run."""
        from verigym.optimize.search import plan

        spec, version = self._environment(environment, verifier), self._agent(agent)
        how = settings or self._episode_settings(version, temperature, max_tokens, seed, user, judge)
        asked = self._optimize_settings(budget, parts, gold, tools, seed, how)
        return plan(self.folder, spec, version, asked, self._reflector(version, reflect))

    def _episode_settings(
        self,
        version: Version,
        temperature: float,
        max_tokens: int | None,
        seed: int,
        user: Agent | None,
        judge: Agent | None,
    ) -> "RunSettings":
        from verigym.rollout.settings import RunSettings
        from verigym.workspace.measure import max_tokens_for

        sampling = Sampling(temperature=temperature, max_tokens=max_tokens or max_tokens_for(version, 64))
        played, judged = self._agent_or_none(user), self._agent_or_none(judge)
        return RunSettings(sampling=sampling, seed=seed, user=played, judge=judged)

    def _optimize_settings(
        self,
        budget: int,
        parts: Sequence[str],
        gold: bool,
        tools: Sequence[str | Path],
        seed: int,
        episodes: "RunSettings",
    ) -> "OptimizeSettings":
        from verigym.core.errors import not_found
        from verigym.optimize.records import PARTS, OptimizeSettings, Part
        from verigym.workspace.agent_tools import keep_tools

        for part in parts:
            if part not in PARTS:
                raise not_found("part of an agent", part, PARTS, "Name some of these, separated by commas.")
        chosen: tuple[Part, ...] = tuple(part for part in PARTS if part in parts or not parts)
        files = {Path(file).name: keep_tools(self.folder, Path(file)) for file in tools}
        return OptimizeSettings(budget=budget, parts=chosen, gold=gold, tools_files=files, seed=seed, episodes=episodes)

    def _reflector(self, agent: Version, reflect: Agent) -> Version | None:
        """The reflection model: the named one, or the agent's base model. None for `none`."""
        return None if reflect == "none" else self._agent(reflect or agent.base)

    @on_thread
    def metrics(self, run: "str | Version" = "latest") -> Metrics:
        """Read the metrics of a training run by step. A trained version names its run."""
        if isinstance(run, Version):
            if not run.recipe.get("run"):
                raise BadInput(f"{run.label} was not trained, so it has no metrics. Name a trained version or a run")
            run = str(run.recipe["run"])
        from verigym.training.alarms import StoredAlarm

        id = self.folder.store.run(run, kinds=("train",)).id
        metrics = Metrics(self.folder.store.metrics(id))
        alarms = [one for one in self.folder.store.documents("alarm", StoredAlarm) if one.run == id]
        metrics.alarms = [(one.step, one.kind, one.metric) for one in alarms]
        return metrics

    @on_thread
    def gate(
        self,
        candidate: Agent,
        *,
        champion: Agent = "champion",
        policy: "str | GatePolicy" = "default",
        environment: str = "",
        budget: str = "",
        like: "str | Report | Run" = "",
        seed: int | None = None,
        best_of: Sequence[Agent] = (),
        on_plan: "Callable[[GatePlan], None] | None" = None,
    ) -> Decision:
        """Measure both versions look by look until every question is settled, decide, and record the decision in the ledger.

        A repeated call goes on where the last one stopped, with the same sampling. `like` is an evaluation whose sampling is
        used instead. `budget` is a limit such as `10min`, `500calls` or `$2`. With
        `best_of`, the best of the candidate and these is judged, and that it was chosen is allowed for.
        """
        from verigym.workspace import decisions, gate
        from verigym.workspace.gate_budget import parse_budget

        chosen, limit = _gate_policy(policy), parse_budget(budget)
        version, current = self._candidate_and_champion(candidate, champion)
        decision = gate.gate(
            self.folder,
            version,
            current,
            chosen,
            environment=environment,
            budget=limit,
            like=self._evaluation(like),
            seed=seed,
            rivals=[self._version(one) for one in best_of],
            bars=self._bar.measurement,
            on_plan=on_plan or nothing,
        )
        decisions.keep(self.folder, decision)
        return decision

    @on_thread
    def plan_gate(
        self,
        candidate: Agent,
        *,
        champion: Agent = "champion",
        policy: "str | GatePolicy" = "default",
        environment: str = "",
        like: "str | Report | Run" = "",
        seed: int | None = None,
        best_of: Sequence[Agent] = (),
    ) -> "GatePlan":
        """What `gate` would measure at most: looks, episodes and cost. Nothing is run."""
        from verigym.workspace.gate import Gate

        version, current = self._candidate_and_champion(candidate, champion)
        asked = Gate(
            self.folder,
            version,
            current,
            _gate_policy(policy),
            environment=environment,
            like=self._evaluation(like),
            seed=seed,
            chosen_on=[family for one in best_of for family in self._version(one).chosen_on],
        )
        return asked.plan([asked.against(self._version(one)) for one in best_of])

    def _evaluation(self, run: "str | Report | Run") -> Report | None:
        """The newest report of a run. None if no run is named."""
        if not run:
            return None
        id = self.folder.store.run(run_id(run), kinds=("eval",)).id
        reports = [one for one in self.folder.store.documents("report", Report) if one.run == id]
        if not reports:
            raise BadInput(f"Run {id} has no report, so its sampling cannot be used. Name a finished evaluation")
        return reports[-1]

    @on_thread
    def promote(
        self,
        candidate: Decision | Agent,
        *,
        override: str = "",
        policy: "str | GatePolicy" = "",
        on_plan: "Callable[[GatePlan], None] | None" = None,
    ) -> "LedgerEntry":
        """Make a version the champion if the gate decides PROMOTE. `override` is the recorded reason to promote anyway.

        `candidate` is a decision of `gate`, or a version, which is gated first. An override measures nothing.
        """
        from verigym.gates.policy import DEFAULT
        from verigym.registry import ledger
        from verigym.workspace import decisions, gate

        chosen = _gate_policy(policy) if policy else None
        named = candidate.candidate if isinstance(candidate, Decision) else candidate
        version, current = self._candidate_and_champion(named, "champion", crown=True)
        if version.id == current.id:  # the entry that made it champion, now or before
            entries = reversed(ledger.entries(self.folder.store))
            return next(entry for entry in entries if entry.champion_after != entry.champion_before)
        if isinstance(candidate, Decision):
            decision = candidate
        elif override:
            decision = decisions.last_decision(self.folder, version, current) or decisions.not_asked(version, current)
        else:
            chosen = chosen or decisions.last_policy(self.folder, version, current) or DEFAULT
            decision = gate.gate(
                self.folder, version, current, chosen, bars=self._bar.measurement, on_plan=on_plan or nothing
            )
        if override:
            decision = msgspec.structs.replace(decision, kind="override", why=override)
        entry = decisions.settle(self.folder, decision, override)
        if entry is None:
            raise NotPromoted(decision)
        return entry

    @on_thread
    def rollback(self, version: Agent = "", *, why: str = "") -> "LedgerEntry":
        """Make an earlier champion the champion again. The default is the one before."""
        from verigym.registry import ledger

        target = self._version(version).id if version else None
        earlier = self.folder.find(ledger.rollback_target(ledger.entries(self.folder.store), target))
        self.folder.adapter_of(earlier)  # raises if the adapter is missing or changed
        return ledger.rollback(self.folder.store, earlier.id, why=why)

    def _candidate_and_champion(
        self, candidate: Agent, champion: Agent, crown: bool = False
    ) -> tuple[Version, Version]:
        """The candidate and the version to beat. Without a champion that is the base model; `crown` makes it the first."""
        from verigym.registry import ledger

        version = self._version(candidate)
        version = self.folder.register(version) if crown else version  # a checkpoint is registered when it is used
        if champion != "champion" or ledger.champion(self.folder.store) is not None:
            return version, self._version(champion)
        base = self.folder.agent(version.base)
        if base.id == version.id and not crown:
            raise Refused(
                "There is no champion to compare with yet. "
                f"Make this base agent the first champion: verigym promote {version.id}"
            )
        return version, self.folder.champion(base) if crown else self.folder.register(base)


def _gate_policy(policy: "str | GatePolicy") -> "GatePolicy":
    from verigym.gates.policy import find_policy

    return find_policy(policy) if isinstance(policy, str) else policy


def open_recipe(recipe: "str | Path | Recipe", fields: dict[str, Any]) -> "Recipe":
    """A recipe with some fields changed."""
    from verigym.core.settings import read_yaml
    from verigym.training.recipe import Recipe, make_recipe, read_recipe

    if isinstance(recipe, Recipe):
        return make_recipe({**msgspec.to_builtins(recipe), **fields}, [], "recipe") if fields else recipe
    path = Path(recipe)
    if not fields:
        return read_recipe(path)
    read_recipe(path)  # its errors name the file
    data = read_yaml(path, "A recipe is a list of keys and values, such as model: smollm2-135m")
    return make_recipe({**data, **fields}, [], str(path))
