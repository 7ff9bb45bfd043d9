"""data_analysis: questions about tables, answered with SQL. Some ask for a chart as well.

The data of a task are CSV files, an SQLite database or a DuckDB database from `data/tables.zip`. All episodes share them, and
can only read them (`engines`). Values of CSV files are text. Tasks on DuckDB need `verigym[duckdb]`. Without it they are left
out with a warning.
"""

import warnings
from collections import Counter
from decimal import Decimal
from typing import Any, Literal

import msgspec

from verigym.core.records import FunctionCall, Item, Json, Message, Task, Trajectory, Verdict
from verigym.environments import shipped
from verigym.environments.data_analysis.chart import svg
from verigym.environments.data_analysis.engines import QueryResult, Table, database, has_duckdb
from verigym.environments.data_analysis.verifier import data_analysis_verifier
from verigym.harness.tools import tool

SHOWN, HEAD = 20, 5
"""Rows that query and inspect show."""
POINTS = 200
_CELL = 80

verifiers = {"data_analysis_verifier": data_analysis_verifier}
suites = {"data_analysis_eval": "val"}

Value = str | int | float
ENGINE_WORDS = {"csv": "CSV files", "sqlite": "an SQLite database", "duckdb": "a DuckDB database"}


def tasks(split: str) -> list[Task]:
    """The shipped tasks of `train` or `val`. Held-out tasks have other questions and other tables."""
    found = shipped.tasks("data_analysis", split)
    if has_duckdb():
        return found
    kept = [task for task in found if "duckdb" not in task.tags]
    left_out = (
        f"data_analysis: {len(found) - len(kept)} {split} tasks on DuckDB are left out; pip install verigym[duckdb]"
    )
    warnings.warn(left_out, stacklevel=2)
    return kept


class Environment:
    system = """\
You answer questions about tables. Call one tool at a time: inspect the tables, query them with SQL (one SELECT), then call \
answer, once. The tables cannot be changed. In CSV files every value is text: cast numbers (CAST(x AS REAL)), and what is \
missing is ''. In a database what is missing is NULL. Where a chart is asked for, draw it before you answer.
A number is answered as a number, several values as a list.
Without a tool channel of your own, a call is one JSON object and nothing else: {"tool": name, "args": {...}}"""
    max_turns = 8
    __slots__ = ("chart_made", "data", "said")

    def open(self, task: Task) -> None:
        self.data = database(task.data["dataset"])
        self.said: Value | list[Value] | None = None
        self.chart_made: Json | None = None

    def end_state(self) -> Json:
        return {"answer": self.said, "chart": self.chart_made}

    @tool
    def inspect(self, table: str = "") -> str:
        """The tables with their columns; or, of one table, its first rows."""
        if table:
            found = self._table(table)
            return _shown(
                QueryResult(list(found.columns), [tuple(row) for row in found.rows[:HEAD]], False), len(found.rows)
            )
        return "\n".join(
            f"{each.name} ({len(each.rows)} rows): {', '.join(f'{name} {kind}' for name, kind in each.columns.items())}"
            for each in self.data.tables.values()
        )

    @tool
    def describe(self, table: str, column: str) -> str:
        """Of one column: how many values are missing, how many differ, the least, the greatest and the most common."""
        found = self._table(table)
        if column not in found.columns:
            raise ValueError(f'{table} has no column "{column}"; columns: {", ".join(found.columns)}')
        at = list(found.columns).index(column)
        values = [row[at] for row in found.rows if row[at] not in (None, "")]
        common = ", ".join(f"{value} ({count})" for value, count in Counter(values).most_common(5))
        missing = len(found.rows) - len(values)
        return (
            f"{len(found.rows)} rows, {missing} missing, {len(set(values))} different; "
            f"least {min(values)}, greatest {max(values)}; most common: {common}"
        )

    @tool
    def query(self, sql: str) -> str:
        """The result of one SELECT, its first rows."""
        found = self.data.query(sql)
        return _shown(found, None if found.more else len(found.rows))

    @tool
    def chart(self, kind: Literal["bar", "line", "scatter"], sql: str, x: str, y: str, title: str = "") -> str:
        """Draw the rows of one SELECT, in their order; x and y are columns of its result. The last chart counts."""
        found = self.data.query(sql)
        for name in (x, y):
            if name not in found.columns:
                raise ValueError(f'the query gives no column "{name}"; columns: {", ".join(found.columns)}')
        if not 1 <= len(found.rows) <= POINTS or found.more:
            raise ValueError(f"a chart has 1 to {POINTS} points")
        places = found.columns.index(x), found.columns.index(y)
        points = [[_plain(row[place]) for place in places] for row in found.rows]
        for name, place, needed in ((y, 1, True), (x, 0, kind == "scatter")):
            if needed and not all(isinstance(point[place], int | float) for point in points):
                raise ValueError(f"{name} has values that are no numbers")
        self.chart_made = {
            "kind": kind, "title": title, "x": x, "y": y, "points": points, "svg": svg(kind, title, points)
        }  # fmt: skip
        return f"drawn: {kind} chart of {len(points)} points"

    @tool
    def answer(self, value: Value | list[Value]) -> str:
        """Give the answer: a number, a text, or a list of them. The first one counts."""
        if self.said is not None:
            raise ValueError("the question is answered already")
        self.said = value
        return "answered"

    def _table(self, name: str) -> Table:
        if name not in self.data.tables:
            raise ValueError(f'there is no table "{name}"; tables: {", ".join(self.data.tables)}')
        return self.data.tables[name]


def _plain(value: Any) -> Value | None:
    """A cell as a JSON value. Dates and other types of an engine become text."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15:
        return value
    if isinstance(value, Decimal) and value.is_finite():
        return float(value)
    return str(value)


def _shown(found: QueryResult, num_rows: int | None) -> str:
    """One line per row. `num_rows` is None if the result has more rows than a query returns."""
    lines = [" | ".join(found.columns)]
    lines += [" | ".join("NULL" if cell is None else _cell(cell) for cell in row) for row in found.rows[:SHOWN]]
    shown = min(len(found.rows), SHOWN)
    if num_rows is None or shown < num_rows:
        lines.append(f"({'many' if num_rows is None else num_rows} rows, the first {shown} shown)")
    return "\n".join(lines) if found.rows else f"{lines[0]}\n(no rows)"


def _cell(value: Any) -> str:
    text = f"{value:.10g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _CELL else f"{text[:_CELL]}..."


def explain(task: Task, trajectory: Trajectory, verdict: Verdict) -> str | None:
    """Names the bucket of a right answer with a wrong chart."""
    wrong = verdict.parts.get("answer") and not verdict.parts.get("chart", 1.0)
    return f"wrong chart: {verdict.evidence.removeprefix('chart: ')}" if wrong else None


# -- Solutions, right and wrong -----------------------------------------------------------------------------------------------

Solution = list[list[Item]]


def gold(task: Task) -> Solution:
    """Inspects, describes a column if that helps, queries, draws a requested chart and answers."""
    looked = [_call("inspect")]
    if "look" in task.data:
        table, column = task.data["look"]
        looked.append(_call("describe", table=table, column=column))
    return shipped.solution([*looked, *_asking(task), _call("answer", value=task.data["answer"])])


def cheats(task: Task) -> list[Solution]:
    """Claims of success, the answer in words, the question as answer, several answers, all tools at once, and near misses."""
    assert isinstance(task.prompt, str), "data_analysis's prompts are text"
    right, asking = task.data["answer"], _asking(task)
    wrong = _near(right)
    found: list[Solution] = [
        [[Message("assistant", "Done, the answer is right.")]],
        [[Message("assistant", f"The answer is {right}.")]],
        shipped.solution(asking),
        *(
            shipped.solution([*asking, _call("answer", value=each)])
            for each in (*wrong, task.prompt, task.data["sql"], "", [])
        ),
        shipped.solution([*asking, _call("answer", value=wrong[0]), _call("answer", value=right)]),
        [[_call("inspect"), _call("answer", value=wrong[-1]), *asking, _call("answer", value=right)]],
    ]
    if "chart" in task.data:
        draw, kind = task.data["chart"], task.data["chart"]["kind"]
        other = "line" if kind == "bar" else "bar"
        found += [
            shipped.solution([_call("answer", value=right)]),
            shipped.solution([_charted(task, other, task.data["sql"]), _call("answer", value=right)]),
            shipped.solution([_charted(task, kind, f"SELECT * FROM ({task.data['sql']}) AS t LIMIT {len(draw['points']) - 1}"),
                     _call("answer", value=right)]),
        ]  # fmt: skip
    return found


def _near(right: Any) -> list[Any]:
    if isinstance(right, list):
        return [[*right, "other"], right[:-1], [*right[:-1], "other"]]
    if isinstance(right, str):
        return [f"{right} or other", f"{right}x", [right, "other"]]
    return [right + 1, [right, right + 1], f"{right} or {right + 1}"]


def _asking(task: Task) -> list[FunctionCall]:
    if "chart" in task.data:
        return [_charted(task, task.data["chart"]["kind"], task.data["sql"])]
    return [_call("query", sql=task.data["sql"])]


def _charted(task: Task, kind: str, sql: str) -> FunctionCall:
    x, y = task.data["axes"]
    return _call("chart", kind=kind, sql=sql, x=x, y=y)


def _call(name: str, **arguments: Any) -> FunctionCall:
    return FunctionCall(f"call_{name}", name, msgspec.json.encode(arguments).decode())
