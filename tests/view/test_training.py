"""The training pages as structs: curves in columns, alarms at their step, difficulty, the groups of a step, odd runs."""

import hashlib
import math
import random
from pathlib import Path

import pytest

from tests.view.store import episode, make_store, verdict
from verigym.core.errors import BadInput, NotFound
from verigym.core.records import Task
from verigym.model.coverage import Coverage, Part
from verigym.store.database import Store
from verigym.training.alarms import Alarm, stored_alarm
from verigym.view import render
from verigym.view.curves import Panel, read_curves
from verigym.view.page import Query
from verigym.view.pages.training import TrainingPage, training_data, training_page, trainings_page
from verigym.view.read import Reader

RECIPE = {
    "algorithm": "grpo", "name": "mine", "model": "base", "environment": "desk", "steps": 20, "prompts_per_step": 2,
    "num_generations_per_prompt": 3, "held_out_eval": "val", "eval_interval": 5, "loss": {"kl": 0.0},
}  # fmt: skip
AROUND = {"section": "training", "theme": "", "home": "x", "read_only": False, "as_json": "/x?format=json"}


def begin(home: Path, run: str = "grpo-1", **recipe: object) -> Store:
    store = Store(home / "store.db")
    store.begin_run(run, "train", {"recipe": {**RECIPE, **recipe}, "parent": "version-1"})
    return store


def show(home: Path, run: str = "grpo-1", **params: str) -> TrainingPage:
    reader = Reader(home)
    page = training_page(reader, Query({"run": run}, params))
    html = render.html("training.html", page, **AROUND)
    assert "<h1>" in html
    render.json(page)
    reader.close()
    return page


def panel(page: TrainingPage, id: str) -> Panel:
    return next(one for one in page.panels if one.id == id)


def test_the_recorded_runs_are_listed_newest_first_and_the_hacked_one_has_its_alarm(tmp_path: Path) -> None:
    make_store(tmp_path)
    reader = Reader(tmp_path)
    page = trainings_page(reader, Query())
    assert [row.name for row in page.rows] == ["hacked", "grpo"]
    assert [row.alarms for row in page.rows] == [1, 0]
    assert page.rows[1].last_success is not None and page.rows[1].last_success > 0.8
    assert "sparkline" not in render.html("trainings.html", page, **AROUND)
    shown = training_page(reader, Query({"run": page.rows[0].id}))
    assert [alarm.kind for alarm in shown.alarms] == ["held-out falls"]
    [below] = [words for name, _, words in shown.figures if name == "Held-out success"]
    assert below.endswith("On tool_call_eval. The gate measures the version again, on tasks of its own choice")
    assert [mark.step for mark in panel(shown, "reward").marks] == [shown.alarms[0].step]
    assert panel(shown, "reward").title == "Reward and held-out success"
    assert "held-out falls" in panel(shown, "reward").picture
    reader.close()


def test_a_workspace_without_training_says_how_to_train(tmp_path: Path) -> None:
    Store(tmp_path / "store.db").begin_run("r", "eval", {})
    reader = Reader(tmp_path)
    page = trainings_page(reader, Query())
    assert page.rows == [] and "No version was trained" in page.empty and page.fill
    render.html("trainings.html", page, **AROUND)
    reader.close()


def test_a_run_without_metrics_shows_what_was_planned(tmp_path: Path) -> None:
    begin(tmp_path)
    page = show(tmp_path)
    assert page.panels == []
    assert "20 steps of 2 tasks with 3 tries each, 120 episodes" in page.empty
    assert "interrupted" in page.empty and page.state == "interrupted"


def test_a_run_of_one_step_has_its_curves(tmp_path: Path) -> None:
    begin(tmp_path).add_metrics("grpo-1", 1, {"reward": 0.5, "entropy": 1.0, "seen": 100.0, "seconds": 2.0})
    page = show(tmp_path)
    assert panel(page, "reward").left[0].mean == [0.5]
    assert panel(page, "speed").left[0].mean == [50.0]
    assert panel(page, "reward").title == "Reward"


def test_a_growing_run_is_read_from_where_it_was_and_repeated_steps_are_read_again(tmp_path: Path) -> None:
    store, reader, rng = begin(tmp_path), Reader(tmp_path), random.Random(0)
    last = 0
    for _ in range(12):
        back = rng.choice([0, 0, 3])
        for step in range(max(1, last + 1 - back), last + 200):
            store.add_metrics(
                "grpo-1", step, {"reward": rng.random(), **({"held_out_success": 0.5} if step % 50 == 0 else {})}
            )
        last += 199
        kept = read_curves(reader, "grpo-1", 1, last)
        whole = Reader(tmp_path)
        assert kept == read_curves(whole, "grpo-1", 1, last)
        assert sum(len(curve.steps) for curve in kept.values()) <= 2 * 800
        whole.close()
    reader.close()


def test_values_that_are_not_finite_are_left_out_and_counted(tmp_path: Path) -> None:
    store = begin(tmp_path)
    for step, loss in enumerate((1.0, math.nan, math.inf, -math.inf, 1e308, 0.5), start=1):
        store.add_metrics("grpo-1", step, {"loss": loss})
    page = show(tmp_path)
    assert panel(page, "loss").left[0].mean == [1.0, None, None, None, None, 0.5]
    assert any("4 values not finite" in note for note in page.notes)


def test_a_run_shows_what_its_adapter_leaves_out(tmp_path: Path) -> None:
    store = begin(tmp_path)
    covered = Coverage(
        total=100, trained=4, adapted=[Part("q_proj", 60)], left=[Part("head", 40, "not in lora.targets")]
    )
    store.put("coverage", "grpo-1/adapter", covered)
    assert show(tmp_path).notes[0] == covered.summary
    assert "Not adapted: head (40%)." in covered.summary


def test_metrics_with_unknown_and_hostile_names_get_panels_of_their_own(tmp_path: Path) -> None:
    names = {
        "my/own": 1.0,
        '"><script>alert(1)</script>': 2.0,
        "part/": 0.1,
        "part/tool": 0.2,
        "": 3.0,
        "x" * 3000: 1.0,
    }
    begin(tmp_path).add_metrics("grpo-1", 1, names)
    page = show(tmp_path)
    titles = {one.title for one in page.panels}
    assert {"my/own", '"><script>alert(1)</script>', "Parts of the reward"} <= titles
    reader = Reader(tmp_path)
    html = render.html("training.html", page, **AROUND)
    assert "<script>alert" not in html and "&lt;script&gt;alert" in html
    reader.close()


def test_many_unknown_metrics_are_counted_instead_of_shown(tmp_path: Path) -> None:
    begin(tmp_path).add_metrics("grpo-1", 1, {f"metric-{n:03}": 1.0 for n in range(60)})
    page = show(tmp_path)
    assert len(page.panels) == 24 and page.left_out == 36


def test_ten_thousand_steps_are_sent_in_at_most_800_columns_that_keep_their_spikes(tmp_path: Path) -> None:
    store = begin(tmp_path, steps=10_000)
    rows = [("grpo-1", step, "reward", 9.0 if step == 7777 else 0.1) for step in range(1, 10_001)]
    rows += [("grpo-1", step, "held_out_success", 0.5) for step in range(500, 10_001, 500)]
    with store._writing() as connection:  # pyright: ignore[reportPrivateUsage]
        connection.exec_driver_sql("INSERT INTO metrics (run, step, name, value) VALUES (?, ?, ?, ?)", rows)
    store.finish_run("grpo-1")
    reader = Reader(tmp_path)
    data = training_data(reader, Query({"run": "grpo-1"}))
    [reward] = data.panels[0].left
    assert len(reward.steps) <= 800 and max(one for one in reward.high if one is not None) == 9.0
    assert reward.steps[-1] == 10_000 and data.width == 16
    zoomed = training_data(reader, Query({"run": "grpo-1"}, {"from": "7700", "to": "7800", "names": "reward"}))
    assert [len(one.steps) for one in zoomed.panels[0].left] == [101] and zoomed.panels[0].right == []
    assert len(trainings_page(reader, Query()).rows[0].reward) == 60
    render.html("training_data.html", data, **AROUND)
    reader.close()
    assert "too long to work them out" in show(tmp_path).alarm_words


def put_alarm(store: Store, run: str, alarm: Alarm) -> None:
    made = stored_alarm(run, alarm)
    store.put("alarm", made.id, made)


def test_stored_alarms_are_marks_on_the_curve_that_they_are_about(tmp_path: Path) -> None:
    store = begin(tmp_path)
    for step in range(1, 21):
        store.add_metrics("grpo-1", step, {"reward": 0.1 * step, "entropy": 1 / step, "part/tool": 1.0})
    put_alarm(store, "grpo-1", Alarm("entropy collapse", "entropy fell", "do <b>this</b>", 9, "entropy"))
    put_alarm(store, "grpo-1", Alarm("part maxed", "at its top", "look", 11, "part/tool"))
    put_alarm(store, "grpo-10", Alarm("no signal", "of another run", "-", 3, "live_groups"))
    page = show(tmp_path)
    assert [(alarm.step, alarm.kind) for alarm in page.alarms] == [(9, "entropy collapse"), (11, "part maxed")]
    assert [mark.kind for mark in panel(page, "entropy").marks] == ["entropy collapse"]
    assert [mark.kind for mark in panel(page, "parts").marks] == ["part maxed"]
    assert page.alarms[0].href == "/training/grpo-1?from=1&to=21#curves"
    zoomed = show(tmp_path, **{"from": "5", "to": "12"})
    assert (zoomed.start, zoomed.end) == (5, 12) and panel(zoomed, "reward").left[0].steps == list(range(5, 13))


def test_a_resumed_run_shows_the_steps_that_it_repeated_once(tmp_path: Path) -> None:
    store = begin(tmp_path)
    for step in (1, 2, 3, 2, 3, 4):
        store.add_metrics("grpo-1", step, {"reward": float(step)})
    assert panel(show(tmp_path), "reward").left[0].steps == [1, 2, 3, 4]


def add_step(store: Store, step: int, passes: list[list[bool]], kind: str = "step", suffix: str = "") -> str:
    run = f"grpo-1/{kind}-{step:04d}{suffix}"
    tasks = [Task(id=f"task {n}", prompt="Do it.", split="train", family=f"f{n}") for n in range(len(passes))]
    store.begin_run(run, "collect", {"parent": "grpo-1"}, tasks, parent="grpo-1")
    for task, tries in zip(tasks, passes, strict=True):
        made = [episode(run, task.id, place) for place in range(len(tries))]
        store.add(run, made, [verdict(one.id, passed) for one, passed in zip(made, tries, strict=True)])
    return run


def test_difficulty_counts_groups_and_a_step_shows_them_with_advantages(tmp_path: Path) -> None:
    store = begin(tmp_path)
    for step in (1, 2, 3):
        store.add_metrics("grpo-1", step, {"reward": 0.1})
    add_step(store, 1, [[True, True], [True, False]])
    add_step(store, 2, [[False, False], [False, False]])
    add_step(store, 2, [[True, True]], suffix=".1")
    page = show(tmp_path, step="1")
    assert page.difficulty is not None
    counted = [(one.step, one.all_passed, one.mixed, one.all_failed) for one in page.difficulty.steps]
    assert counted == [(1, 1, 1, 0), (2, 1, 0, 2)]
    assert page.opened is not None and page.opened.next == 2 and page.opened.previous is None
    mixed = page.opened.groups[0]
    assert mixed.has_signal and (mixed.passed, mixed.scored) == (1, 2)
    assert [round(dot.advantage or 0.0, 1) for dot in mixed.dots] == [0.7, -0.7]
    assert "Point at a dot" in page.opened.words
    other = show(tmp_path, step="3").opened
    assert other is not None and other.groups == []


@pytest.mark.parametrize("rewards", ["sum", "passed"])
def test_partial_rewards_are_no_signal_if_only_passes_count(tmp_path: Path, rewards: str) -> None:
    store = begin(tmp_path, advantage={"rewards": rewards})
    store.add_metrics("grpo-1", 1, {"reward": 0.1})
    run = add_step(store, 1, [[]])
    made = [episode(run, "task 0", place) for place in range(2)]
    store.add(run, made, [verdict(one.id, False, reward) for one, reward in zip(made, (0.2, 0.6), strict=True)])
    opened = show(tmp_path, step="1").opened
    assert opened is not None
    assert [group.has_signal for group in opened.groups] == [rewards == "sum"]


def test_a_step_that_does_not_exist_is_not_found(tmp_path: Path) -> None:
    begin(tmp_path).add_metrics("grpo-1", 1, {"reward": 0.1})
    with pytest.raises(NotFound, match="has no step 99"):
        show(tmp_path, step="99")


def test_step_1000_does_not_show_episodes_of_step_10000(tmp_path: Path) -> None:
    store = begin(tmp_path)
    store.add_metrics("grpo-1", 10_000, {"reward": 0.1})
    store.add_metrics("grpo-1", 1000, {"reward": 0.1})
    add_step(store, 10_000, [[True, False]])
    opened = show(tmp_path, step="1000").opened
    assert opened is not None and opened.runs == []


def test_advantages_of_a_recipe_that_cannot_be_read_are_left_out_in_words(tmp_path: Path) -> None:
    store = begin(tmp_path, advantage={"from a newer version": 1})
    store.add_metrics("grpo-1", 1, {"reward": 0.1})
    add_step(store, 1, [[True, False]])
    opened = show(tmp_path, step="1").opened
    assert opened is not None and opened.groups[0].dots[0].advantage is None
    assert "cannot be read" in opened.words


def test_held_out_success_has_its_interval_where_the_evaluation_is_stored(tmp_path: Path) -> None:
    store = begin(tmp_path)
    for step in (5, 10):
        store.add_metrics("grpo-1", step, {"reward": 0.1, "held_out_success": 0.5})
    add_step(store, 10, [[True], [False], [True], [False]], kind="eval")
    [success] = panel(show(tmp_path), "reward").right
    assert success.low[0] == success.high[0] == 0.5
    low, high = success.low[1], success.high[1]
    assert low is not None and high is not None and low < 0.5 < high


def test_runs_lie_over_each_other_and_can_be_taken_out(tmp_path: Path) -> None:
    for run in ("grpo-1", "grpo-2", "sft-3", "sft-4", "sft-5"):
        begin(tmp_path, run).add_metrics(run, 1, {"reward": 0.1, run: 1.0})
    page = show(tmp_path, **{"with": "grpo-2", "with2": "sft-3", "with3": "sft-4"})
    assert [curve.run for curve in panel(page, "reward").left] == [0, 1, 2, 3]
    assert [link.words for link in page.overlays] == ["grpo-2", "sft-3", "sft-4"] and page.others == []
    assert page.overlays[0].href == "/training/grpo-1?with=sft-3&with2=sft-4"
    own = next(one for one in page.panels if one.title == "grpo-1")
    assert [curve.run for curve in own.left] == [0]


def test_a_run_that_is_not_a_training_run_is_refused_in_words(tmp_path: Path) -> None:
    made = make_store(tmp_path)
    with pytest.raises(NotFound, match="is a run of kind eval"):
        show(tmp_path, made.run)
    with pytest.raises(BadInput, match='"from"'):
        show(tmp_path, "grpo-", **{"from": "x"}) if False else show(
            tmp_path, "grpo-846e9a72", **{"from": "9", "to": "3"}
        )


def test_a_recipe_of_any_shape_is_shown(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    for number, config in enumerate(
        ({}, {"recipe": None}, {"recipe": {"steps": "many", "environments": []}}, {"recipe": [1]})
    ):
        store.begin_run(f"odd-{number}", "train", config)
        store.add_metrics(f"odd-{number}", 1, {"loss": 1.0})
        assert show(tmp_path, f"odd-{number}").panels


def test_curves_of_a_run_without_metrics_are_empty(tmp_path: Path) -> None:
    begin(tmp_path)
    reader = Reader(tmp_path)
    assert read_curves(reader, "grpo-1", 0, 0) == {}
    data = training_data(reader, Query({"run": "grpo-1"}))
    assert data.empty and render.html("training_data.html", data, **AROUND)
    reader.close()


def test_the_library_that_draws_curves_is_the_released_one() -> None:
    """uPlot 1.6.32 from the npm registry, unchanged."""
    folder = Path(render.__file__).parent / "static" / "vendor"
    hashes = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("uPlot*")}
    assert hashes == {
        "uPlot.LICENSE.txt": "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
        "uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
        "uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
    }
