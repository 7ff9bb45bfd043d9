"""Exports training data for other trainers: the rows of a dataset, the tasks of an environment, or the episodes of a run.

Held-out tasks are refused. A caller that allows them gets a warning. Rows are read and written one by one. Only demonstrations
and pairs that are made of a run compare its episodes with each other, and are held in memory.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import cast

import msgspec
from msgspec import Struct

from verigym.core import event_loop
from verigym.core.errors import Refused, not_found
from verigym.core.printable import Printable
from verigym.core.records import Dataset, Example, Json, Message, Preference, Sample, Task, Trajectory, Verdict, Version
from verigym.environments.load import untagged
from verigym.evaluation.suites import family_of
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import as_shown
from verigym.rollout.replies import cut, unfit
from verigym.rollout.session import first_items, task_toolbox
from verigym.rollout.skills import offered
from verigym.store.database import Run
from verigym.training.data import demonstrations, graded_pairs, rated
from verigym.training.formats import format_named
from verigym.training.formats.files import ENDINGS, check_free, write_new
from verigym.training.formats.format import KINDS, ROW_OF, Format, Kind, Prompt, Record, Rollout, has_tools
from verigym.training.samples import from_trajectory
from verigym.workspace import datasets
from verigym.workspace.leak_check import HeldOutPrompts
from verigym.workspace.measure import tasks_of
from verigym.workspace.workspace import WorkspaceFolder

RUN_KINDS = [kind for kind in KINDS if kind != "prompts"]
"""What can be made of the episodes of a run."""
_PLAIN = "Pass --plain to write the tools into the system prompt and calls as text"


class DataExport(Printable, Struct, frozen=True, kw_only=True):
    """A file or folder of training data for another trainer."""

    file: str
    format: str
    kind: str
    """demonstrations, thumbs, preferences, prompts or rollouts."""
    records: int
    """Records that were written."""
    rows: int
    """Rows in the file. A demonstration of several replies can be several rows."""
    left_out: dict[str, int]
    """Why records were left out, with their number."""
    held_out: int
    """Records of held-out tasks. 0 unless you allowed them."""
    load: str
    """How the trainer reads the file."""


class ExportOptions(Struct, frozen=True, kw_only=True):
    plain: bool = False
    """Whether tools are in the system prompt and calls are text."""
    allow_held_out: bool = False


def export_dataset(
    ws: WorkspaceFolder, name: str, form: str, to: Path | None, options: ExportOptions = ExportOptions()
) -> DataExport:
    """Writes the rows of a stored dataset or of a file."""
    chosen = format_named(form)
    dataset, rows = datasets.read(ws, name)
    to = to or _default(dataset.name, chosen)
    leaks = HeldOutPrompts(ws, dataset.environment)

    def held_out(row: Record) -> str:
        return leaks.found_in(cast("Example | Preference", row))

    return _write(chosen, dataset.kind, rows, to, options, _card(dataset, chosen), held_out)


def export_tasks(
    environment: EnvironmentSpec,
    form: str,
    to: Path | None,
    *,
    split: str = "train",
    n: int | None = None,
    seed: int = 0,
    options: ExportOptions = ExportOptions(),
) -> DataExport:
    """Writes the tasks of a split as prompts with their ground truth."""
    chosen = format_named(form)
    splits = dict.fromkeys(("train", *untagged(environment).suites.values()))
    if split not in splits:
        raise not_found("split", split, list(splits), f"They are those of {environment.name}.")
    if split != "train":
        _check_allowed(options, f'Split "{split}" of {environment.name} is held out')
    tasks = tasks_of(environment, split, n, seed)
    if not tasks:
        raise Refused(f'{environment.name} has no tasks in split "{split}". Name another split with --split')
    name = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in environment.name).strip("-")
    to = to or _default(f"{name}-{split}", chosen)
    source = f'tasks of split "{split}" of {environment.name}'

    def held_out(record: Record) -> str:
        task = cast(Prompt, record).task
        return f'task {task.id} is in split "{task.split}"' if task.split != "train" else ""

    return _write(chosen, "prompts", _prompts(environment, tasks), to, options, _card(source, chosen), held_out)


def export_episodes(
    ws: WorkspaceFolder,
    run: Run,
    form: str,
    to: Path | None,
    *,
    rows: str = "rollouts",
    options: ExportOptions = ExportOptions(),
) -> DataExport:
    """Writes the scored episodes of a run with their rewards, or what can be made of them: demonstrations, preferences, or
    thumbs by the verifier."""
    chosen = format_named(form)
    if rows not in RUN_KINDS:
        raise not_found("kind of rows", rows, list(RUN_KINDS), "Name one with --rows.")
    kind = cast(Kind, rows)
    to = to or _default(f"{run.id.replace('/', '-')}-{rows}", chosen)
    check_free(to, chosen)
    _check_kind(chosen, kind)
    if not run.trajectories:
        raise Refused(f"Run {run.id} has no episodes. Name another run: verigym runs list")
    tasks = {task.id: task for task in ws.store.tasks(run.id)}
    held = [task for task in tasks.values() if task.split != "train"]
    if held:
        _check_allowed(
            options, f'{len(held)} of {len(tasks)} tasks of run {run.id} are held out (split "{held[0].split}")'
        )
    records = datasets.records_of(ws, run)
    card = _card(f"episodes of run {run.id}", chosen)
    if held and kind != "rollouts":
        tasks = {id: msgspec.structs.replace(task, split="train") for id, task in tasks.items()}
        records = records._replace(tasks=list(tasks.values()))
    ids = {task.id for task in held}

    def held_out(record: Record) -> str:
        task = record.episode.task if isinstance(record, Rollout) else cast(Example, record).task
        return f"task {task} is held out" if task in ids else ""

    counts: dict[str, int] = {}
    match kind:
        case "rollouts":
            made: Iterable[Record] = _rollouts(ws, run, tasks, counts)
        case "demonstrations":
            made, counts = demonstrations(records)
        case "preferences":
            made, counts = graded_pairs(records)
        case _:
            made, counts = rated(records, [], [], verdicts=True)
    dropped = {name: count for name, count in counts.items() if name not in ("looked at", "kept")}
    return _write(chosen, kind, made, to, options, card, held_out, counts if kind == "rollouts" else dropped)


def _write(
    form: Format,
    kind: Kind,
    records: Iterable[Record],
    to: Path,
    options: ExportOptions,
    card: Callable[[], str],
    held_out: Callable[[Record], str],
    counts: dict[str, int] | None = None,
) -> DataExport:
    check_free(to, form)
    _check_kind(form, kind)
    left_out = Counter[str]()
    totals = Counter[str]()
    write = form.writers[kind]

    def rows() -> Iterator[Json]:
        for record in records:
            if leak := held_out(record):
                _check_allowed(options, f"Record {totals['records'] + 1}: {leak}")
                totals["held out"] += 1
            if kind in form.only_plain and not options.plain and has_tools(record):
                raise Refused(f"{form.label} takes no tools with {kind}, and these records have tools. {_PLAIN}")
            made = write(record, options.plain)
            if isinstance(made, str):
                left_out[made] += 1
                continue
            totals["records"] += 1
            totals["rows"] += len(made)
            yield from made
        if not totals["rows"]:
            reasons = ", ".join(f"{name} {count}" for name, count in {**(counts or {}), **left_out}.items())
            raise Refused(
                f"There is nothing to export: no {ROW_OF[kind]} is left{f' ({reasons})' if reasons else ''}. "
                f"No file was written"
            )

    write_new(to, form, kind, rows(), card())
    return DataExport(
        file=str(to),
        format=form.name,
        kind=kind,
        records=totals["records"],
        rows=totals["rows"],
        left_out={**(counts or {}), **left_out},
        held_out=totals["held out"],
        load=form.load[kind].replace("{file}", str(to)),
    )


def _default(stem: str, form: Format) -> Path:
    return Path(f"{stem}.parquet" if form.name == "parquet" else f"{stem}-{form.name}{ENDINGS[form.file]}")


def _check_kind(form: Format, kind: Kind) -> None:
    if kind not in form.writers:
        raise Refused(f"{form.without[kind]}. --as {form.name} writes {', '.join(form.writers)}")


def _check_allowed(options: ExportOptions, what: str) -> None:
    if not options.allow_held_out:
        raise Refused(
            f"{what}. Held-out tasks are not exported for training, because a model that was trained on them cannot be measured "
            "on them. Export training tasks, or pass --allow-held-out if you know why"
        )


def _prompts(environment: EnvironmentSpec, tasks: list[Task]) -> Iterator[Prompt]:
    nobody = Version(base="")
    for number, task in enumerate(tasks):
        toolbox = environment.toolbox
        if environment.needs_task_tools:
            toolbox = event_loop.run(task_toolbox(environment, task))
        items = first_items(environment, task, nobody)
        yield Prompt(
            task=task,
            environment=environment.name,
            number=number,
            items=[Message(item.role, item.text) if isinstance(item, Message) else item for item in items],
            tools=offered(toolbox, environment, nobody).tools,
            gold=environment.gold_replies(task),
        )


def _rollouts(ws: WorkspaceFolder, run: Run, tasks: dict[str, Task], counts: dict[str, int]) -> Iterator[Rollout]:
    """The scored episodes, one after another. Failures of environment, verifier or infrastructure have no reward."""
    records = datasets.records_of(ws, run)
    judged = {one.trajectory: _scored(one) for one in records.verdicts}
    environment = str(run.config.get("environment", ""))
    for trajectory in records.trajectories:
        verdict, reason = judged.get(trajectory.id), unfit(trajectory)
        if verdict is None or verdict.reward is None or not trajectory.scorable:
            counts["not scored"] = counts.get("not scored", 0) + 1
            continue
        parts = cut(trajectory)
        if parts is None or reason == "image":
            counts[reason or "no reply"] = counts.get(reason or "no reply", 0) + 1
            continue
        task = tasks.get(trajectory.task) or Task(id=trajectory.task, prompt="")
        tools = records.tools_of(trajectory.tools)
        shown = as_shown(trajectory.items, tools)[: len(parts.prompt) + len(parts.rest)]
        yield Rollout(
            episode=Example(
                task=task.id,
                family=family_of(task),
                items=shown,
                made=parts.replies,
                tools=[msgspec.structs.replace(tool, recorded_as="") for tool in tools],
                source=trajectory.id,
            ),
            environment=environment,
            split=task.split,
            reward=verdict.reward,
            passed=verdict.passed,
            parts=verdict.parts,
            agent=next((turn.agent for turn in trajectory.turns if turn.actor == "policy"), ""),
            samples=_samples(trajectory),
        )


def _scored(verdict: Verdict) -> Verdict:
    """The verdict without its evidence, which may be long."""
    return msgspec.structs.replace(verdict, evidence="")


def _samples(trajectory: Trajectory) -> list[Sample]:
    return from_trajectory(trajectory, 0.0) if any(turn.completion_ids for turn in trajectory.turns) else []


def _card(source: Dataset | str, form: Format) -> Callable[[], str]:
    """The card of a dataset folder, which says where its rows are and where they come from."""
    words = source if isinstance(source, str) else f"dataset {source.name}: {source.source}"

    def written() -> str:
        head = "configs:\n- config_name: default\n  data_files:\n  - split: train\n    path: data/train.jsonl"
        return f"---\n{head}\n---\n\n# Training data from Verigym\n\nSource: {words}.\n"

    return written
