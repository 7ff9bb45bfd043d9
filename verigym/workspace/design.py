"""Designing tasks in a workspace: rows from a spec, variations of existing tasks, and a teacher's solutions of either.

The work is resumable and never overwrites a file that another command wrote.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal

import msgspec

from verigym.core import event_loop
from verigym.core.errors import BadInput, Refused, not_found
from verigym.core.protocols import closing
from verigym.core.records import Dataset, Sampling, Task
from verigym.core.words import counted
from verigym.design.draw import DesignExhausted
from verigym.design.files import check_out, write, write_rejected
from verigym.design.make import DesignResult, PartialResults, Progress, make, partial_of
from verigym.design.profile import Profile, picture, profile
from verigym.design.spec import Design, read_design
from verigym.design.steps import StepResources
from verigym.design.vary import KINDS, vary
from verigym.environments.load import environment_of, load_environment
from verigym.rollout.settings import RunSettings
from verigym.tasks.files import check_ours, is_task_file, mark_ours, write_whole
from verigym.tasks.load import load_tasks, save_tasks
from verigym.workspace.datasets import from_demonstrations, from_rewards
from verigym.workspace.measure import OnProgress, rollout
from verigym.workspace.workspace import WorkspaceFolder

TeacherOutput = Literal["demos", "pairs"]
Bars = Callable[[str], AbstractContextManager[OnProgress]]


_MAX_TOKENS = 512
"""Maximum tokens per reply of a teacher."""


class Teacher(msgspec.Struct, frozen=True, kw_only=True):
    """A model that solves the designed tasks, and what is kept of its solutions."""

    model: str
    k: int = 4
    """Episodes per task."""
    output: TeacherOutput = "demos"


class TeachingResult(msgspec.Struct, frozen=True):
    """The episodes of a teacher, and the dataset made from them."""

    run: str
    passed: int
    scored: int
    data: Dataset


class DesignJob(msgspec.Struct, frozen=True, kw_only=True):
    """A spec that was read and checked."""

    design: Design
    spec: Path
    out: Path
    seed: int
    resumed: int
    """Rows that an interrupted command already generated."""


class DesignFiles(msgspec.Struct, frozen=True, kw_only=True):
    """The files that a design was written to."""

    out: Path
    rejected: Path
    picture: Path
    made: DesignResult
    profile: Profile
    taught: TeachingResult | None


class VariationFiles(msgspec.Struct, frozen=True, kw_only=True):
    """Variations of tasks, written to a file."""

    out: Path
    environment: str
    """The environment to name in later commands. Empty if the task file needs none."""
    tasks: list[Task]
    counts: dict[str, int]
    dropped: dict[str, int]
    taught: TeachingResult | None


def open_design(
    spec: Path, *, out: Path | None = None, seed: int | None = None, model: str = "", teacher: Teacher | None = None
) -> DesignJob:
    """Reads and checks a spec, its output file and what an interrupted command left."""
    design = read_design(spec, model)
    seed = design.spec.seed if seed is None else seed
    out = out or Path(f"{design.stem}.jsonl")
    if out.resolve() == spec.resolve():
        raise BadInput(f"{out} is the spec. Name another file with --out")
    check_out(design, out)
    if teacher is not None and not design.makes_tasks:
        raise BadInput(f"{spec}: a teacher needs tasks, and this spec has no prompt column")
    resumed = len(PartialResults(partial_of(design, seed, out), set()).rows)
    return DesignJob(design=design, spec=spec, out=out, seed=seed, resumed=resumed)


def preview_design(
    open_workspace: Callable[[], WorkspaceFolder], job: DesignJob, rows: int, on_progress: Progress
) -> DesignResult:
    """The first rows of a design. Writes nothing."""
    return event_loop.run(_generate(open_workspace, job, rows, None, on_progress))


def make_design(
    open_workspace: Callable[[], WorkspaceFolder],
    job: DesignJob,
    n: int | None,
    on_progress: Progress,
    *,
    teacher: Teacher | None = None,
    bars: Bars,
) -> DesignFiles:
    """Generates exactly n rows and writes them with the rejected rows and a profile image. If a constraint cannot be met, only
    the rejected rows and the image are written, and `Refused` names the constraint."""
    design, out, seed = job.design, job.out, job.seed
    made_by_command = f"design {_relative(out, job.spec)}"
    check_ours(out, made_by_command)
    partial, title = partial_of(design, seed, out), f"{design.stem}, seed {seed}"
    try:
        made = event_loop.run(_generate(open_workspace, job, n or design.spec.n, partial, on_progress))
    except DesignExhausted as error:
        if error.result is None:
            raise
        rejected, image = write_rejected(error.result, out), _draw(profile(error.result), title, out)
        raise Refused(f"{error} Rejected rows: {rejected}. Profile: {image}.") from error
    summary = profile(made)
    rejected = write(made, design, out)[1]
    mark_ours(out, made_by_command)
    image = _draw(summary, title, out)
    partial.unlink(missing_ok=True)
    taught = _teach(open_workspace(), out, design.spec.environment, made.tasks, teacher, bars) if teacher else None
    return DesignFiles(out=out, rejected=rejected, picture=image, made=made, profile=summary, taught=taught)


async def _generate(
    open_workspace: Callable[[], WorkspaceFolder], job: DesignJob, n: int, partial: Path | None, on_progress: Progress
) -> DesignResult:
    """Generates rows with the models that the design names. A design without models does not open the workspace."""
    design = job.design
    environment = load_environment(design.spec.environment) if design.spec.environment else None
    policies: dict[str, Any] = {}
    scorers: dict[str, Any] = {}
    if design.models or design.reward_models:
        ws = open_workspace()
        policies = {name: ws.open_beside(ws.agent(name)) for name in design.models}
        scorers = {name: ws.open_scorer(ws.find(name)) for name in design.reward_models}
    resources = StepResources(policies=policies, scorers=scorers, environment=environment)
    async with closing(*policies.values()):
        return await make(design, n, job.seed, resources, partial=partial, on_progress=on_progress)


def _relative(out: Path, source: Path) -> str:
    """The path of the source relative to the output file, so that you can move both together."""
    return os.path.relpath(source.resolve(), out.resolve().parent)


def _draw(summary: Profile, title: str, out: Path) -> Path:
    image = out.with_name(f"{out.name}.profile.svg")
    svg = picture(summary, f"{title}: {counted(summary.rows, 'row')}").encode()
    write_whole(image, lambda file: file.writelines([svg]))
    return image


def vary_tasks(
    open_workspace: Callable[[], WorkspaceFolder],
    where: str,
    n: int | None,
    seed: int,
    on_progress: Progress,
    *,
    kinds: Sequence[str] = (),
    split: str = "train",
    environment: str = "",
    out: Path | None = None,
    preview: bool = False,
    teacher: Teacher | None = None,
    bars: Bars,
) -> VariationFiles:
    """Generates up to n variations of the tasks of an environment or a task file, each verified by the environment. A preview
    writes nothing."""
    for name in kinds:
        if name not in KINDS:
            raise not_found("kind of variation", name, KINDS)
    if teacher is not None and split != "train":
        raise Refused(
            f'--teacher makes training data, and the tasks of split "{split}" are held out. Remove one of them'
        )
    if is_task_file(where) and "+" not in where:
        tasks = [task for task in load_tasks(where, split="val") if task.split == split]  # as eval reads the file
        spec = load_environment(environment) if environment else environment_of(where, tasks) if tasks else None
    else:
        spec = load_environment(where)
        tasks = spec.tasks(split)
    if not tasks or spec is None:
        held_out = "Its rows without a split are held out. Put some of them into a training part: verigym tasks split"
        more = f"{held_out} {where}" if is_task_file(where) and split == "train" else "Name another with --split"
        raise Refused(f'{where} has no tasks in split "{split}". {more}')
    out = out or Path(f"{Path(where).stem}.varied.jsonl")
    kinds, environment = list(kinds) or list(KINDS), environment or ("" if is_task_file(where) else where)
    source = _relative(out, Path(where)) if Path(where).is_file() else where
    made_by_command = f"design --vary {source} --split {split} --by {','.join(sorted(kinds))}"
    if not preview:
        check_ours(out, made_by_command)
    varied = event_loop.run(vary(spec, tasks, kinds, n, seed, on_progress=on_progress))
    taught = None
    if not preview:
        save_tasks(out, varied.tasks)
        mark_ours(out, made_by_command)
        taught = _teach(open_workspace(), out, environment, varied.tasks, teacher, bars) if teacher else None
    counts = {"counts": varied.counts, "dropped": varied.dropped}
    return VariationFiles(out=out, environment=environment, tasks=varied.tasks, **counts, taught=taught)


def _teach(
    ws: WorkspaceFolder, out: Path, environment: str, tasks: Sequence[Task], teacher: Teacher, bars: Bars
) -> TeachingResult:
    """Runs and scores the episodes of a teacher on each task. Stores the passed ones as demonstrations, or pairs by reward."""
    spec = load_environment(environment) if environment else environment_of(str(out), list(tasks))
    settings = RunSettings(k=teacher.k, sampling=Sampling(max_tokens=_MAX_TOKENS))
    with bars("teacher") as bar:
        run = ws.store.run(rollout(ws, spec, ws.agent(teacher.model), tasks, settings, on_progress=bar))
    data = from_demonstrations(ws, run.id) if teacher.output == "demos" else from_rewards(ws, run.id)
    return TeachingResult(run.id, run.passed, run.scored, data)
