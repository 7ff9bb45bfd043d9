"""The data_analysis tasks are right, apart and reproducible; tables cannot be written; answers and charts are judged by value."""

import asyncio
import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from verigym.audit.check import check_environment
from verigym.audit.scripted_episodes import ScriptedEpisode, play
from verigym.core.errors import NotFound, VerifierFailure
from verigym.core.records import FunctionCall, FunctionCallOutput, Json, Message, Task, Trajectory
from verigym.environments import data_analysis
from verigym.environments.data_analysis.engines import _made, data_sets, database
from verigym.environments.data_analysis.verifier import data_analysis_verifier, same
from verigym.environments.load import find_by_verifier, load_environment
from verigym.evaluation.failures import bucket

SPEC = load_environment("data_analysis")
TRAIN, VAL = SPEC.tasks("train"), SPEC.tasks("val")
TOPICS = {"aggregates", "filters", "dates", "joins", "top", "trends", "outliers", "missing", "duplicates", "charts"}
ENGINES = ("csv", "sqlite", "duckdb")
BAKERY = [f"bakery-{engine}-1" for engine in ENGINES]


def played(task: Task, *calls: tuple[str, Json]) -> ScriptedEpisode:
    """These calls, one a turn, then a word."""
    items = [
        FunctionCall(f"call_{at}", name, msgspec.json.encode(given).decode()) for at, (name, given) in enumerate(calls)
    ]
    return asyncio.run(play(SPEC, task, [*([item] for item in items), "Done."]))


def asked(**data: Any) -> Task:
    return Task(id="t", prompt="?", data={"dataset": "bakery-sqlite-1", "sql": "SELECT 1", **data})


def said(name: str, **given: Any) -> str:
    """What one tool answers, on the bakery's SQLite database."""
    items = played(asked(answer=1), (name, given)).trajectory.items
    return next(item.output for item in items if isinstance(item, FunctionCallOutput))


# -- tasks ----------------------------------------------------------------------------------------------------------------


def test_there_are_enough_tasks_families_topics_and_engines_in_both_splits() -> None:
    assert len(TRAIN) == 1390 and len(VAL) == 264
    assert len({task.family for task in TRAIN}) == 139 and len({task.family for task in VAL}) == 44
    for tasks in (TRAIN, VAL):
        topics = Counter(task.tags[0] for task in tasks)
        assert set(topics) == TOPICS and min(topics.values()) > len(tasks) / 15
        engines = Counter(task.tags[1] for task in tasks)
        assert set(engines) == set(ENGINES) and min(engines.values()) > len(tasks) / 3.3
        kinds = Counter(task.data["chart"]["kind"] for task in tasks if "chart" in task.data)
        assert min(kinds["bar"], kinds["line"], kinds["scatter"]) > len(tasks) / 50
        assert sum("look" in task.data for task in tasks) > len(tasks) / 15
        assert len({str(task.prompt) for task in tasks}) == len(tasks)


def test_no_five_words_in_a_row_stand_in_a_question_to_learn_from_and_in_a_held_out_one() -> None:
    def runs(tasks: list[Task]) -> set[tuple[str, ...]]:
        words = [re.findall(r"[a-z0-9'-]+", str(task.prompt).lower()) for task in tasks]
        return {tuple(each[at : at + 5]) for each in words for at in range(len(each) - 4)}

    assert runs(TRAIN) & runs(VAL) == set()


def test_no_answer_lies_at_a_half_that_some_round_up_and_some_to_the_even_digit() -> None:
    for task in [*TRAIN, *VAL]:
        if places := task.data.get("places"):
            cells = [cell for row in database(task.data["dataset"]).query(task.data["sql"]).rows for cell in row]
            found = [float(cell) * 10**places % 1 for cell in cells if isinstance(cell, int | float)]
            assert all(abs(each - 0.5) > 1e-6 for each in found), task.id


def test_no_answer_is_right_for_one_held_out_task_in_twenty() -> None:
    (_, most), *_ = Counter(str(task.data["answer"]) for task in VAL).most_common(1)
    assert most < len(VAL) / 20


def test_a_and_an_stand_where_they_belong() -> None:
    for task in [*TRAIN, *VAL]:
        assert not re.search(r"\b(a [aeio]|an (?!SQLite)[^aeiouh])", str(task.prompt), re.IGNORECASE), task.prompt


def test_the_contract_of_the_environment_holds_and_it_is_found_by_its_names() -> None:
    assert [one.name for one in check_environment(SPEC, num_tasks=20) if one.outcome == "fail"] == []
    assert find_by_verifier("data_analysis_eval").name == find_by_verifier("data_analysis_verifier").name
    with pytest.raises(NotFound, match=r'no split of data_analysis "test".*Available: train, val'):
        data_analysis.tasks("test")


def test_gold_passes_everywhere_and_no_cheat_does() -> None:
    for task in [*TRAIN[::8], *VAL[::3]]:
        assert asyncio.run(play(SPEC, task, SPEC.gold_replies(task))).verdict.passed, task.id
    for task in [*TRAIN[::40], *VAL[::12]]:
        for replies in SPEC.cheat_replies(task):
            assert not asyncio.run(play(SPEC, task, replies)).verdict.passed, f"{task.id}: {replies}"


def test_tasks_on_duckdb_are_left_out_with_a_word_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_analysis, "has_duckdb", lambda: False)
    with pytest.warns(UserWarning, match=r"val tasks on DuckDB are left out; pip install verigym\[duckdb\]"):
        left = data_analysis.tasks("val")
    assert 0 < len(left) < len(VAL) and {task.tags[1] for task in left} == {"csv", "sqlite"}


# -- tables ---------------------------------------------------------------------------------------------------------------


def test_an_unknown_data_set_is_named_with_the_nearest() -> None:
    assert len(data_sets()) == 144
    with pytest.raises(NotFound, match="bakery-csv-1"):
        database("bakery-csv-9")


@pytest.mark.parametrize("name", BAKERY)
@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM sales",
        "UPDATE sales SET pieces = 0",
        "INSERT INTO sales SELECT * FROM sales",
        "DROP TABLE sales",
        "CREATE TABLE t (x INTEGER)",
        "CREATE TEMP TABLE t (x INTEGER)",
        "ATTACH 'other.db' AS other",
        "PRAGMA query_only = 0",
        "SELECT 1; DELETE FROM sales",
        "COPY sales TO 'out.csv'",
        "SET enable_external_access = true",
        "SELECT * FROM read_csv('/etc/hostname')",
        "SELECT * FROM '/etc/hostname'",
        "SELECT load_extension('x')",
        "SELECT printf('%.*c', 100000000, 'x')",
        "SELECT zeroblob(1000000000)",
        "",
        "-- nothing",
        "SELECT \ud800",
        "SELECT no_such_column FROM sales",
        f"SELECT {'1 + ' * 5000} 1",
    ],
)
def test_what_is_not_one_select_of_the_tables_is_refused_and_changes_nothing(name: str, sql: str) -> None:
    before = database(name).query(
        "SELECT count(*), sum(pieces) FROM sales" if "csv" not in name else "SELECT * FROM sales"
    )
    with pytest.raises(ValueError):
        database(name).query(sql)
    after = database(name).query(
        "SELECT count(*), sum(pieces) FROM sales" if "csv" not in name else "SELECT * FROM sales"
    )
    assert after == before


@pytest.mark.parametrize("name", BAKERY)
def test_a_query_without_end_ends_and_the_next_one_works(name: str) -> None:
    endless = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT {} FROM t"
    begin = time.monotonic()
    with pytest.raises(ValueError, match="takes too long"):
        database(name).query(endless.format("count(*)"))
    assert time.monotonic() - begin < 300
    rows = database(name).query(endless.format("x"))
    assert rows.more and len(rows.rows) == 500
    assert database(name).query("SELECT 7").rows == [(7,)]


def test_threads_that_want_a_data_set_at_once_share_one_database() -> None:
    _made.cache_clear()
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(database, ["cider-duckdb-2"] * 8))
    assert all(one is found[0] for one in found)


def test_csv_is_text_and_what_is_missing_is_empty_while_a_database_has_numbers_and_null() -> None:
    text, numbers = database("bakery-csv-1"), database("bakery-sqlite-1")
    assert text.query("SELECT DISTINCT typeof(amount) FROM sales").rows == [("text",)]
    assert text.query("SELECT count(*) FROM sales WHERE rating IS NULL").rows == [(0,)]
    assert numbers.query("SELECT DISTINCT typeof(amount) FROM sales").rows == [("real",)]
    assert numbers.query("SELECT count(*) > 0 FROM sales WHERE rating IS NULL").rows == [(1,)]


# -- tools ----------------------------------------------------------------------------------------------------------------


def test_inspect_describe_and_query_show_what_there_is_and_say_what_is_wrong() -> None:
    assert said("inspect").startswith("sales (") and "shops (8 rows): shop_id INTEGER, shop_name TEXT" in said(
        "inspect"
    )
    assert said("inspect", table="shops").splitlines()[0] == "shop_id | shop_name | district | opened_on"
    assert said("inspect", table="shops").endswith("(8 rows, the first 5 shown)")
    assert said("inspect", table="cakes") == 'error: there is no table "cakes"; tables: sales, shops'
    assert " missing, " in said("describe", table="sales", column="rating")
    assert said("describe", table="sales", column="x").startswith('error: sales has no column "x"; columns: sale_id')
    assert said("query", sql="SELECT NULL AS a, 2.50 AS b") == "a | b\nNULL | 2.5"
    assert said("query", sql="SELECT 1 AS a WHERE 0") == "a\n(no rows)"
    assert said("query", sql="SELECT sale_id FROM sales").endswith("rows, the first 20 shown)")
    assert said("query", sql="DROP TABLE sales").startswith("error: this database can only be read")


def test_a_chart_keeps_its_points_and_a_picture_and_says_what_it_cannot_draw() -> None:
    sql = "SELECT product, count(*) AS num FROM sales GROUP BY 1 ORDER BY 1"
    drawn = played(asked(answer=1), ("chart", {"kind": "bar", "sql": sql, "x": "product", "y": "num", "title": "<a>"}))
    chart = drawn.trajectory.end_state["chart"]
    assert len(chart["points"]) == chart["svg"].count("<rect") == 6 and "<title>&lt;a&gt;</title>" in chart["svg"]
    assert "no column" in said("chart", kind="bar", sql=sql, x="product", y="total")
    assert "no numbers" in said("chart", kind="bar", sql=sql, x="num", y="product")
    assert "no numbers" in said("chart", kind="scatter", sql=sql, x="product", y="num")
    assert "1 to 200 points" in said("chart", kind="bar", sql="SELECT 1 AS x, 1 AS y WHERE 0", x="x", y="y")
    assert said("chart", kind="line", sql="SELECT 1 AS x, -1 AS y", x="x", y="y") == "drawn: line chart of 1 points"


def test_the_first_answer_counts() -> None:
    task = asked(answer=12)
    assert played(task, ("answer", {"value": 12})).verdict.passed
    twice = played(task, ("answer", {"value": 11}), ("answer", {"value": 12}))
    assert not twice.verdict.passed and twice.verdict.evidence == "answer 11, expected 12"


# -- verdicts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected", "places", "ordered"),
    [
        (12, 12, 0, True),
        ("12", 12, 0, True),
        (12.0, 12, 0, True),
        ("1,234.50", 1234.5, 2, True),
        (41.666, 41.67, 2, True),
        (41.6666667, 41.67, 2, True),
        ("30.6%", 30.6, 1, True),
        ("rye  LOAF ", "rye loaf", 0, True),
        (["rye loaf"], "rye loaf", 0, True),
        ("Mill Lane, Bridge End", ["Mill Lane", "Bridge End"], 0, True),
        ('["Mill Lane", "Bridge End"]', ["Mill Lane", "Bridge End"], 0, True),
        (" [8, 7]", [7, 8], 0, False),
        ('"rye loaf"', "rye loaf", 0, True),
        ("rye\u00a0loaf", "rye loaf", 0, True),
        ("\u22125", -5, 0, True),
        ("1.234e3", 1234, 0, True),
        (["b", "a"], ["a", "b"], 0, False),
        (["7", 8], [8, 7], 0, False),
        (7, [7], 0, True),
    ],
)
def test_an_answer_is_right_however_it_is_written(value: Any, expected: Any, places: int, ordered: bool) -> None:
    assert same(value, expected, places, ordered)


@pytest.mark.parametrize(
    ("value", "expected", "places", "ordered"),
    [
        (13, 12, 0, True),
        (12.4, 12, 0, True),
        (41.66, 41.67, 2, True),
        ("about 12", 12, 0, True),
        ("12 or 13", 12, 0, True),
        ("1,2", 12, 0, True),
        ("12,34", 1234, 0, True),
        ("1_2", 12, 0, True),
        ("41,67", 41.67, 2, True),
        ("[12, 13]", 12, 0, True),
        ('["rye loaf", "oat bun"]', "rye loaf", 0, True),
        ("[true]", 1, 0, True),
        ("[" * 100_000, 1, 0, True),
        ('"\ud800"', "rye loaf", 0, True),
        (True, 1, 0, True),
        ("nan", 1, 0, True),
        ("inf", 1, 0, True),
        (10**400, 1, 0, True),
        ("", "rye loaf", 0, True),
        (None, "rye loaf", 0, True),
        ("rye", "rye loaf", 0, True),
        (["b", "a"], ["a", "b"], 0, True),
        (["a", "a"], ["a", "b"], 0, False),
        (["a", "b", "c"], ["a", "b"], 0, False),
        ([12, 13], 12, 0, True),
        ([], 12, 0, True),
        (2024, "2024-05", 0, True),
    ],
)
def test_an_answer_is_wrong_when_it_says_something_else(value: Any, expected: Any, places: int, ordered: bool) -> None:
    assert not same(value, expected, places, ordered)


POINTS = [["a", 2], ["b", 1.5]]


@pytest.mark.parametrize(
    ("chart", "words"),
    [
        (None, "chart: there is none, a bar chart was asked for"),
        ({"kind": "line", "points": POINTS}, "chart: a line chart, a bar chart was asked for"),
        ({"kind": "bar", "points": POINTS[:1]}, "chart: 1 points, expected 2"),
        ({"kind": "bar", "points": POINTS[::-1]}, "chart: point 1 is b, 1.5; expected a, 2"),
        ({"kind": "bar", "points": [["a", 2], ["b", 1.6]]}, "chart: point 2 is b, 1.6; expected b, 1.5"),
        ({"kind": "bar", "points": [["a", 2], ["b", None]]}, "chart: point 2 is b, None; expected b, 1.5"),
    ],
)
def test_a_chart_that_shows_something_else_fails_though_the_answer_is_right(chart: Json | None, words: str) -> None:
    task = asked(answer="a", places=2, chart={"kind": "bar", "points": POINTS})
    ended = Trajectory(id="a", task="t", group="g", end_state={"answer": "a", "chart": chart})
    verdict = data_analysis_verifier(task, ended)
    assert not verdict.passed and verdict.evidence == words
    assert verdict.parts == {"valid": 1.0, "answer": 1.0, "chart": 0.0}
    assert bucket(task, ended, verdict, SPEC.explain).startswith("wrong chart")


def test_a_scatter_chart_may_have_its_points_in_any_order_and_another_query_may_draw_a_chart() -> None:
    points = {"kind": "scatter", "points": [[3, 1.25], [1, 2]]}
    ended = {"answer": 1, "chart": {"kind": "scatter", "points": [[1, 2.0], [3, 1.25]]}}
    assert data_analysis_verifier(
        asked(answer=1, chart=points), Trajectory(id="a", task="t", group="g", end_state=ended)
    ).passed
    task = next(
        task for task in TRAIN if task.family == "data_analysis/train/chart_count_by_month" and "sqlite" in task.tags
    )
    values = ", ".join(f"('{x}', {y})" for x, y in task.data["chart"]["points"])
    sql = f"WITH t(a, b) AS (VALUES {values}) SELECT b AS y, a AS x FROM t ORDER BY a"
    drawn = ("chart", {"kind": "line", "sql": sql, "x": "x", "y": "y"})
    assert played(task, drawn, ("answer", {"value": task.data["answer"]})).verdict.passed


def test_nothing_answered_is_told_and_a_task_without_an_answer_is_the_verifiers_failure() -> None:
    silent = Trajectory(
        id="a", task="t", group="g", items=[Message("assistant", "It is 12.")], end_state={"answer": None}
    )
    assert data_analysis_verifier(asked(answer=12), silent).evidence == "nothing was answered: call answer"
    with pytest.raises(VerifierFailure, match='task t: data has no "answer"'):
        data_analysis_verifier(Task(id="t", prompt="?"), silent)
