"""Training runs: the list, one run with its curves and alarms, and the numbers behind the curves.

/training                  newest first, with small curves
/training/RUN              panels on one axis of steps, alarms on the curves, difficulty, the groups of a step
/training-data/RUN         the same curves as a table, and as JSON for the script that draws them
"""

import functools
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from verigym.core import codec
from verigym.core.errors import BadInput, NotFound
from verigym.core.records import Version
from verigym.core.words import counted, dollars, duration, percent
from verigym.draw.sparkline import sparkline
from verigym.draw.svg import Drawing
from verigym.model.coverage import Coverage
from verigym.store.database import Run
from verigym.training.alarms import StoredAlarm, new_alarms, stored_alarm
from verigym.view import training_groups
from verigym.view.curves import (
    COLUMNS,
    DRAWN,
    AlarmMark,
    Curve,
    Panel,
    extent,
    overlaid,
    panels_of,
    read_curves,
    width_of,
    with_derived,
    with_intervals,
)
from verigym.view.page import Link, ListPage, Page, PageData, Query, typed, url
from verigym.view.read import Reader, config_of, run_state
from verigym.view.training_groups import Difficulty, StepView

_PAGE = 20
_SMALL = 60
"""Columns of a small curve in the list."""
_OLD_ALARM_STEPS = 400
"""Alarms of a run that stored none are worked out for at most this many steps."""
_OLD_ALARM_S = 1.0
_OVER = 4
"""Maximum number of runs over each other."""
_AROUND = 12
"""Steps on each side of an alarm that a press shows."""


class TrainingRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: str
    href: str
    state: str
    method: str
    name: str = ""
    base: str = ""
    environment: str = ""
    step: int = 0
    steps: int = 0
    reward: list[float | None] = []
    success: list[float | None] = []
    alarms: int | None = None
    """None if nobody looked for alarms: an older run that is long."""
    created: float = 0.0

    @property
    def reward_picture(self) -> Drawing:
        return sparkline([drawable(one) for one in self.reward], title="Reward")

    @property
    def success_picture(self) -> Drawing:
        return sparkline([drawable(one) for one in self.success], title="Held-out success")

    @property
    def last_success(self) -> float | None:
        return next((one for one in reversed(self.success) if one is not None), None)

    @property
    def last_reward(self) -> float | None:
        return next((one for one in reversed(self.reward) if one is not None), None)


class TrainingsPage(ListPage, frozen=True, kw_only=True):
    rows: list[TrainingRow]


class PlanLine(Struct, frozen=True, kw_only=True):
    what: str
    planned: str
    took: str


class TrainingPage(PageData, frozen=True, kw_only=True):
    run: str
    state: str
    method: str
    name: str
    step: int
    """The last step that is finished."""
    steps: int
    figures: list[tuple[str, str, str]]
    """Name, value and what stands below it."""
    panels: list[Panel]
    alarms: list[AlarmMark]
    alarm_words: str
    first: int
    last: int
    start: int
    """The first step that is shown."""
    end: int
    left_out: int
    """Metrics without a panel."""
    overlays: list[Link]
    """The other runs in the panels. A press takes one out."""
    others: list[Link]
    """Runs that can be put over this one."""
    data: str
    """The address of the numbers."""
    all_href: str
    difficulty: Difficulty | None
    opened: StepView | None
    plan: list[PlanLine]
    recipe: list[tuple[str, str]]
    links: list[Link]
    """Start, version made, environment."""
    notes: list[str]


class TrainingData(PageData, frozen=True, kw_only=True):
    run: str
    first: int
    last: int
    start: int
    """The first step that is shown."""
    end: int
    columns: int
    width: int
    """Steps in one column."""
    panels: list[Panel]
    runs: list[str]


# -- the list ---------------------------------------------------------------------------------------------------------


def trainings_page(reader: Reader, query: Query) -> TrainingsPage:
    where = "kind = 'train' AND parent = ''"
    total = reader.one(f"SELECT count(*) FROM runs WHERE {where}") or 0
    skip, part = query.part(total, _PAGE, functools.partial(url, "/training"))
    rows = [_row(reader, run) for run in reader.newest_runs(where, _PAGE, skip)]
    return TrainingsPage(
        title="Training",
        command="verigym runs list",
        rows=rows,
        **part,
        live="runs",
        empty="" if rows else "No version was trained in this workspace yet.",
        fill=[] if rows else ["verigym advise latest", "verigym train RECIPE.yaml"],
    )


def _row(reader: Reader, run: Run) -> TrainingRow:
    recipe = _recipe(run)
    steps = extent(reader, run.id)
    stored = _stored_alarms(reader, run.id)
    return TrainingRow(
        id=run.id,
        href=url("/training/", run.id),
        state=run_state(reader.home, run.id, run.finished),
        method=str(recipe.get("algorithm", "")),
        name=str(recipe.get("name", "") or ""),
        base=str(recipe.get("model", "") or ""),
        environment=_environment(recipe),
        step=steps[1] if steps else 0,
        steps=_count(recipe.get("steps")),
        reward=small_curve(reader, run.id, "reward", steps),
        success=small_curve(reader, run.id, "held_out_success", steps),
        alarms=len(stored) if stored or run.finished is None else _number_of_old_alarms(reader, run.id, steps),
        created=run.created,
    )


def small_curve(reader: Reader, run: str, name: str, steps: tuple[int, int] | None) -> list[float | None]:
    """A few values of a metric. A long run is not read whole: steps are picked from the index."""
    if steps is None:
        return []
    first, last = steps
    if last - first < 10 * _SMALL:
        sql = "SELECT value FROM metrics WHERE run = ? AND name = ? ORDER BY step"
        values = [value for (value,) in reader.rows(sql, run, name)]
    else:
        picked = sorted({first + round(place * (last - first) / (_SMALL - 1)) for place in range(_SMALL)})
        if name.startswith("held_out"):  # measured at some steps only: the first at or after each picked one
            sql = "SELECT step, value FROM metrics WHERE run = ? AND name = ? AND step >= ? AND step < ? LIMIT 1"
            ends = [*picked[1:], last + 1]
            rows = [reader.rows(sql, run, name, start, end) for start, end in zip(picked, ends, strict=True)]
            values = [one[0][1] for one in rows if one]
        else:
            marks = ", ".join("?" for _ in picked)
            sql = f"SELECT value FROM metrics WHERE run = ? AND name = ? AND step IN ({marks}) ORDER BY step"
            values = [value for (value,) in reader.rows(sql, run, name, *picked)]
    stride = max(1, math.ceil(len(values) / _SMALL))
    return [one if one is not None and math.isfinite(one) else None for one in [*values[:-1:stride], *values[-1:]]]


# -- one run ----------------------------------------------------------------------------------------------------------


def training_page(reader: Reader, query: Query) -> TrainingPage:
    run = _training_run(reader, query.path["run"])
    recipe = _recipe(run)
    state = run_state(reader.home, run.id, run.finished)
    span = extent(reader, run.id)
    first, last = span or (0, 0)
    start, end = _range(query, first, last)
    overlays = _overlays(reader, query, run.id)
    alarms, alarm_words = _alarms(reader, run, span, query)
    panels, left_out = _panels(reader, run.id, start, end, DRAWN, alarms) if span else ([], 0)
    if overlays:
        others = [(one.id, _panels(reader, one.id, start, end, DRAWN, [])[0]) for one in overlays]
        panels = overlaid(panels, others, run.id)
    whole = with_derived(read_curves(reader, run.id, first, last), width_of(first, last, COLUMNS)) if span else {}
    steps = training_groups.children(reader, run.id, "step", start, end)
    chosen = query.number("step", 0)
    if chosen and chosen not in steps:
        steps_all = training_groups.children(reader, run.id, "step", 0, 10**9)
        if chosen not in steps_all and not first <= chosen <= last:
            raise NotFound(f"Run {run.id} has no step {chosen}. Its steps are {first} to {last}")
    version = reader.store.get("trained", run.id, Version)
    return TrainingPage(
        title=str(recipe.get("name") or run.id),
        command=typed("runs", "show", run.id),
        crumbs=[Link("Training", url("/training"))],
        run=run.id,
        state=state,
        method=str(recipe.get("algorithm", "")),
        name=str(recipe.get("name", "") or ""),
        step=last,
        steps=_count(recipe.get("steps")),
        figures=_figures(run, recipe, whole, alarms, last, state),
        panels=panels,
        alarms=alarms,
        alarm_words=alarm_words,
        first=first,
        last=last,
        start=start,
        end=end,
        left_out=left_out,
        overlays=[Link(one.id, _without(query, run.id, one.id)) for one in overlays],
        others=_others(reader, run, overlays, query),
        data=url("/training-data/", run.id, **_kept_parameters(query)),
        all_href=url("/training/", run.id, **query.with_(**{"from": None, "to": None})),
        difficulty=_difficulty(reader, run, recipe, steps, panels),
        opened=training_groups.step_view(reader, run.id, chosen, steps) if chosen else None,
        plan=_plan(reader, run, recipe, whole, last),
        recipe=_recipe_lines(recipe),
        links=_links(reader, run, recipe, version),
        notes=_notes(run, state, version, panels, reader.store.get("coverage", f"{run.id}/adapter", Coverage)),
        live=f"training:{run.id}",
        empty="" if span else _planned_words(recipe, state),
        fill=[],
    )


def training_data(reader: Reader, query: Query) -> TrainingData:
    run = _training_run(reader, query.path["run"])
    span = extent(reader, run.id) or (0, 0)
    start, end = _range(query, *span)
    columns = query.number("columns", COLUMNS, least=1, most=COLUMNS)
    names = [name for name in query.get("names").split(",") if name][:200]
    overlays = _overlays(reader, query, run.id)
    marks, _ = _alarms(reader, run, span, query)
    panels, _ = _panels(reader, run.id, start, end, columns, marks, names)
    if overlays:
        others = [(one.id, _panels(reader, one.id, start, end, columns, [], names)[0]) for one in overlays]
        panels = overlaid(panels, others, run.id)
    return TrainingData(
        title=f"Numbers of {run.id}",
        command=typed("runs", "show", run.id, "--json"),
        crumbs=[Link("Training", url("/training")), Link(run.id, url("/training/", run.id))],
        run=run.id,
        first=span[0],
        last=span[1],
        start=start,
        end=end,
        columns=columns,
        width=width_of(start, end, columns),
        panels=panels,
        runs=[run.id, *(one.id for one in overlays)],
        empty="" if panels else "This run has no metrics yet.",
    )


def _panels(
    reader: Reader, run: str, first: int, last: int, columns: int, marks: Sequence[AlarmMark], names: Sequence[str] = ()
) -> tuple[list[Panel], int]:
    curves = read_curves(reader, run, first, last, columns, names)
    if "held_out_success" in curves:
        intervals = training_groups.held_out_intervals(reader, run, first, last)
        curves["held_out_success"] = with_intervals(curves["held_out_success"], intervals)
    curves = with_derived(curves, width_of(first, last, columns))
    return panels_of(curves, marks)


def _range(query: Query, first: int, last: int) -> tuple[int, int]:
    start, end = query.number("from", first), query.number("to", last)
    if start > end:
        raise BadInput(f'"from" ({start}) is after "to" ({end}). Swap them')
    return max(first, min(start, last)), min(last, max(end, first))


def _overlays(reader: Reader, query: Query, run: str) -> list[Run]:
    """The runs of the parameters `with`, `with2` and `with3`."""
    names = [query.get(name) for name in ("with", "with2", "with3")]
    return [_training_run(reader, name) for name in dict.fromkeys(names) if name and name != run][: _OVER - 1]


def _kept_parameters(query: Query) -> dict[str, str]:
    return {name: value for name, value in query.with_().items() if name in ("with", "with2", "with3")}


def _without(query: Query, run: str, other: str) -> str:
    left = [query.get(name) for name in ("with", "with2", "with3") if query.get(name) not in ("", other)]
    changes: dict[str, object] = {"with": None, "with2": None, "with3": None}
    changes |= dict(zip(("with", "with2", "with3"), left, strict=False))
    return url("/training/", run, **query.with_(**changes))


def _others(reader: Reader, run: Run, overlays: Sequence[Run], query: Query) -> list[Link]:
    if len(overlays) >= _OVER - 1:
        return []
    slot = next(name for name in ("with", "with2", "with3") if not query.get(name))
    taken = {run.id, *(one.id for one in overlays)}
    sql = "SELECT id FROM runs WHERE kind = 'train' AND parent = '' ORDER BY created DESC, rowid DESC LIMIT 12"
    ids = [id for (id,) in reader.rows(sql) if id not in taken][:8]
    return [Link(id, url("/training/", run.id, **query.with_(**{slot: id, "step": None}))) for id in ids]


# -- alarms -----------------------------------------------------------------------------------------------------------


def _alarms(reader: Reader, run: Run, span: tuple[int, int] | None, query: Query) -> tuple[list[AlarmMark], str]:
    """The alarms of a run, and where they come from."""
    stored, words = _stored_alarms(reader, run.id), ""
    if not stored and span is not None and run.finished is not None:
        stored, words = _old_alarms(reader, run.id, span)
    marks = []
    for alarm in sorted(stored, key=lambda alarm: (alarm.step, alarm.kind)):
        around = {"from": max(1, alarm.step - _AROUND), "to": alarm.step + _AROUND, "step": None}
        marks.append(
            AlarmMark(
                step=alarm.step,
                kind=alarm.kind,
                observation=alarm.words,
                remedy=alarm.remedy,
                metric=alarm.metric,
                href=url("/training/", run.id, **query.with_(**around), fragment="curves"),
            )
        )
    return marks, words


def _stored_alarms(reader: Reader, run: str) -> list[StoredAlarm]:
    low, high = f"{run}/", f"{run}0"  # a zero follows the slash in the order of ids
    sql = "SELECT body FROM documents WHERE kind = 'alarm' AND id > ? AND id < ? LIMIT 500"
    return [codec.decode(body, StoredAlarm) for (body,) in reader.rows(sql, low, high)]


def _old_alarms(reader: Reader, run: str, span: tuple[int, int]) -> tuple[list[StoredAlarm], str]:
    """Alarms worked out from the metrics, for a run that is older than stored alarms."""
    if span[1] - span[0] >= _OLD_ALARM_STEPS:
        return [], (
            "No alarm is stored. A run of an older Verigym stored none, and this run is too long to work them out again."
        )

    def work_out() -> tuple[list[StoredAlarm], str]:
        metrics = reader.store.metrics(run)
        found: list[StoredAlarm] = []
        deadline = time.monotonic() + _OLD_ALARM_S
        history: dict[int, dict[str, float]] = {}
        for step, values in metrics.items():
            history[step] = {name: value for name, value in values.items() if value is not None}
            found += [stored_alarm(run, alarm) for alarm in new_alarms(history)]
            if time.monotonic() > deadline:
                return found, f"Alarms are worked out up to step {step}."
        return found, ""

    return reader.kept(f"alarms {run}", span, work_out)


def _number_of_old_alarms(reader: Reader, run: str, span: tuple[int, int] | None) -> int | None:
    if span is None:
        return 0
    return None if span[1] - span[0] >= _OLD_ALARM_STEPS else len(_old_alarms(reader, run, span)[0])


# -- around the curves ------------------------------------------------------------------------------------------------


def _figures(
    run: Run,
    recipe: dict[str, Any],
    curves: Mapping[str, Curve],
    alarms: Sequence[AlarmMark],
    last: int,
    state: str,
) -> list[tuple[str, str, str]]:
    """The most important numbers: name, value, and what stands below it. Always of the whole run."""
    steps = _count(recipe.get("steps"))
    figures = [("Steps", f"{last:,} of {steps:,}" if steps else f"{last:,}", state)]
    success = _known(curves.get("held_out_success"))
    if success:
        best = max(success, key=lambda pair: pair[1])
        words = f"{percent(success[0][1])} at step {success[0][0]:,}"
        if best[0] not in (success[0][0], success[-1][0]):
            words += f", best {percent(best[1])} at step {best[0]:,}"
        suite = str(recipe.get("held_out_eval") or "")
        words += (
            f". On {suite}" if suite else ""
        ) + ". The gate measures the version again, on tasks of its own choice"
        figures.append(("Held-out success", percent(success[-1][1]), words))
    reward = _known(curves.get("reward"))
    if reward:
        figures.append(("Reward", f"{reward[-1][1]:.3g}", f"{reward[0][1]:.3g} at step {reward[0][0]:,}"))
    elif loss := _known(curves.get("loss")):
        figures.append(("Loss", f"{loss[-1][1]:.3g}", f"{loss[0][1]:.3g} at step {loss[0][0]:,}"))
    kinds = sorted({alarm.kind for alarm in alarms})
    figures.append(("Alarms", f"{len(alarms)}", ", ".join(kinds[:3]) if kinds else "none"))
    if run.finished is not None:
        figures.append(("Time", duration(run.finished - run.created), "from start to end"))
    spent = _known(curves.get("dollars"))
    if spent:
        figures.append(("Cost", dollars(spent[-1][1]), "of machine time"))
    return figures


def _known(curve: Curve | None) -> list[tuple[int, float]]:
    if curve is None:
        return []
    return [(step, value) for step, value in zip(curve.steps, curve.mean, strict=True) if value is not None]


def _difficulty(
    reader: Reader, run: Run, recipe: dict[str, Any], steps: dict[int, list[str]], panels: Sequence[Panel]
) -> Difficulty | None:
    if steps:
        counted_steps = training_groups.difficulty(reader, run.id, steps)
        return counted_steps if counted_steps.steps else None
    curves = [curve for panel in panels for curve in panel.left if curve.name == "live_groups" and curve.run == 0]
    groups = _count(recipe.get("prompts_per_step"))
    return training_groups.difficulty_from_metrics(curves[0].points, groups) if curves and groups else None


def _plan(reader: Reader, run: Run, recipe: dict[str, Any], curves: Mapping[str, Curve], last: int) -> list[PlanLine]:
    """What the recipe asked for beside what was done."""
    evaluations = curves["held_out_success"].count if "held_out_success" in curves else 0
    steps = _count(recipe.get("steps"))
    lines = [PlanLine(what="Steps", planned=f"{steps:,}", took=f"{last:,}")] if steps else []
    prompts, tries = _count(recipe.get("prompts_per_step")), _count(recipe.get("num_generations_per_prompt"))
    samples = recipe.get("algorithm") not in ("sft", "dpo", "kto", "reward")
    children = reader.one("SELECT count(*) FROM runs WHERE parent = ? AND kind = 'collect'", run.id) or 0
    if samples and steps and prompts and tries:
        sql = (
            "SELECT count(*) FROM trajectories WHERE run IN (SELECT id FROM runs WHERE parent = ? AND kind = 'collect')"
        )
        made = f"{reader.one(sql, run.id):,}" if 0 < children <= 2000 else "not stored" if not children else "many"
        lines.append(PlanLine(what="Episodes", planned=f"{steps * prompts * tries:,}", took=made))
    elif steps and prompts:
        lines.append(PlanLine(what="Rows", planned=f"{steps * prompts:,}", took=f"{last * prompts:,}"))
    every = recipe.get("eval_interval")
    if recipe.get("held_out_eval") and steps and isinstance(every, int):
        planned = math.ceil(steps / every) if every else 1
        lines.append(PlanLine(what="Held-out evaluations", planned=f"{planned:,}", took=f"{evaluations:,}"))
    if run.finished is not None:
        lines.append(PlanLine(what="Time", planned="", took=duration(run.finished - run.created)))
    return lines


def _recipe_lines(recipe: dict[str, Any]) -> list[tuple[str, str]]:
    """The fields of a recipe that are set, nested ones with a dot."""
    lines: list[tuple[str, str]] = []
    for name, value in recipe.items():
        if isinstance(value, dict):
            lines += [(f"{name}.{inner}", _shown(one)) for inner, one in value.items() if one not in (None, "", {})]
        elif value not in (None, "", {}):
            lines.append((name, _shown(value)))
    return lines


def _shown(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _links(reader: Reader, run: Run, recipe: dict[str, Any], version: Version | None) -> list[Link]:
    links: list[Link] = []
    start = str(config_of(run).get("parent", "") or "")
    if start:
        links.append(Link(f"Started from {reader.label(start)}", reader.version_link(start).href))
    if version is not None:
        links.append(Link(f"Made the version {version.label}", url("/versions/", version.id)))
    environment = _environment(recipe)
    if environment:
        links.append(Link(f"Environment {environment}", url("/environments/", environment)))
    children = reader.one("SELECT count(*) FROM runs WHERE parent = ?", run.id) or 0
    if children:
        links.append(Link(f"{counted(children, 'run')} of its steps and evaluations", url("/runs", parent=run.id)))
    return links


def _notes(
    run: Run, state: str, version: Version | None, panels: Sequence[Panel], covered: Coverage | None
) -> list[str]:
    notes = [covered.summary] if covered else []
    if state == "interrupted":
        notes.append(
            "This run was interrupted. Repeat the command that started it, and it resumes from its checkpoint."
        )
    if state == "finished" and version is None:
        learnt = any(curve.name == "loss" for panel in panels for curve in panel.left)
        notes.append("This run made no version" + ("." if learnt else ", because no step changed the weights."))
    bad = {
        curve.label: curve.not_finite for panel in panels for curve in [*panel.left, *panel.right] if curve.not_finite
    }
    notes += [f"{name}: {counted(count, 'value')} not finite, left out of the curve." for name, count in bad.items()]
    return notes


def _planned_words(recipe: dict[str, Any], state: str) -> str:
    steps, prompts = _count(recipe.get("steps")), _count(recipe.get("prompts_per_step"))
    tries = _count(recipe.get("num_generations_per_prompt"))
    words = "No step is finished yet."
    if steps and prompts and recipe.get("algorithm") not in ("sft", "dpo", "kto", "reward"):
        episodes = steps * prompts * tries
        words += f" Planned: {steps:,} steps of {prompts:,} tasks with {tries:,} tries each, {episodes:,} episodes."
    elif steps:
        words += f" Planned: {steps:,} steps of {prompts:,} rows each."
    if state == "interrupted":
        words += " The run was interrupted. Repeat the command that started it to resume."
    return words


def _training_run(reader: Reader, text: str) -> Run:
    return reader.store.run(text, kinds=("train",))


def _recipe(run: Run) -> dict[str, Any]:
    recipe = config_of(run).get("recipe")
    return recipe if isinstance(recipe, dict) else {}


def _environment(recipe: dict[str, Any]) -> str:
    mixture = recipe.get("environments")
    return ", ".join(mixture) if isinstance(mixture, dict) and mixture else str(recipe.get("environment", "") or "")


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def drawable(value: float | None) -> float:
    return math.nan if value is None else value


PAGES = [
    Page("/training", trainings_page, "trainings.html", "training"),
    Page("/training/{run:path}", training_page, "training.html", "training"),
    Page("/training-data/{run:path}", training_data, "training_data.html", "training"),
]
