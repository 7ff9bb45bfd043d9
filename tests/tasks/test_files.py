"""JSON, CSV and Parquet as rows: what is read from each, and what is said of one that cannot be."""

import csv
import datetime
import decimal
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigym.core.errors import BadInput, Refused
from verigym.core.records import Message, Task
from verigym.tasks.file_operations import deduplicate_file, split_file
from verigym.tasks.load import BadRow, load_tasks, save_bad, save_tasks


def load(folder: Path, name: str, content: str | bytes) -> list[Task]:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return load_tasks(path)


# -- JSON -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    ['[{"prompt": "x", "answer": 1}]', '{"data": [{"prompt": "x", "answer": 1}], "version": 2}'],
    ids=["list", "data"],
)
def test_a_json_file_is_one_list_of_rows(tmp_path: Path, content: str) -> None:
    (task,) = load(tmp_path, "q.json", "\ufeff" + content)
    assert (task.id, task.prompt, task.lineage) == ("q-1", "x", ["q.json:1"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{}", r'a \.json file must hold one list of rows, or \{"data": \[\.\.\.\]\}\. This is an object'),
        ("3", "This is a number"),
        ('[{"prompt":\n x}]', "not JSON at line 2 column 2: Expecting value$"),
        ('{"prompt": "x", "answer": 1}\n{"prompt": "y"}', r"one object per line: rename it to q\.jsonl"),
        ('[{"prompt": NaN}]', "not JSON: JSON is malformed"),
        ('[{"prompt": "\\ud800"}]', "not JSON: "),
        (b'["\xff"]', "byte 3 is not UTF-8. Save the file as UTF-8"),
        ("[[], 3]", "row 1: a row must be an object, but this is a list"),
    ],
    ids=["object", "number", "broken", "lines", "NaN", "half a letter", "bytes", "rows"],
)
def test_a_json_file_that_is_no_list_is_refused_in_words(tmp_path: Path, content: Any, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        load(tmp_path, "q.json", content)


# -- CSV --------------------------------------------------------------------------------------------------------------


def test_a_table_is_rows_of_text(tmp_path: Path) -> None:
    tasks = load(
        tmp_path, "q.csv", '\ufeffprompt,answer,level\r\n"Say ""4"",\r\nplease",4,\r\n\r\n,,\r\n007?,007,2\r\n'
    )
    assert [(task.id, task.prompt, task.data) for task in tasks] == [
        ("q-2", 'Say "4",\r\nplease', {"answer": "4"}),
        ("q-6", "007?", {"answer": "007", "level": "2"}),
    ]


def test_a_cell_may_hold_json(tmp_path: Path) -> None:
    table = 'prompt,expected_tool,expected_args,state\nBook it.,book,"{""day"": ""Friday""}",[1]\n'
    assert load(tmp_path, "q.csv", table)[0].data == {
        "expected_tool": "book",
        "expected_args": {"day": "Friday"},
        "state": [1],
    }


@pytest.mark.parametrize("prompt", ["[1, 2, 3]", "{x}", '{"a": 1}', "[]", '[{"a": 1}]'])
def test_a_prompt_that_looks_like_json_stays_text(tmp_path: Path, prompt: str) -> None:
    quoted = prompt.replace('"', '""')
    (task,) = load(tmp_path, "q.csv", f'prompt,answer\n"{quoted}","{quoted}"\n')
    assert (task.prompt, task.data["answer"]) == (prompt, prompt)


def test_a_prompt_that_is_a_list_of_messages_is_a_conversation(tmp_path: Path) -> None:
    table = 'prompt,answer\n"[{""role"": ""user"", ""content"": ""Hi""}]",1\n'
    assert load(tmp_path, "q.csv", table)[0].prompt == [Message("user", "Hi")]


def test_a_huge_cell_is_read(tmp_path: Path) -> None:
    assert load(tmp_path, "q.csv", f"prompt,answer\n{'x' * 1_000_000},1\n")[0].prompt == "x" * 1_000_000


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("What?,4\nWho?,5\n", r"line 1: the first line of a CSV must name its columns. One of them must be prompt or"),
        ("\n\nprompt;answer\n", r"line 3: .* Separate columns by commas \(found: prompt;answer\)"),
        ("prompt,,answer\n", r"line 1: column 2 has no name\. In pandas, use to_csv\(index=False\)"),
        ("prompt,answer,answer\n", 'line 1: two columns are named "answer". Give each column its own name'),
        ('"prompt\n', "line 1: not CSV: unexpected end of data"),
        (
            "prompt,answer\nx,1\ny,1,2\n",
            "line 3: the row has 3 cells, but the first line names 2 columns. Quote cells that hold a",
        ),
        ("prompt,answer\nx\n", "line 2: the row has 1 cells, but the first line names 2 columns"),
        ('prompt,answer\n"x"y,1\n', "line 2: not CSV: ',' expected after '\"'"),
        (b"prompt,answer\nx,\xff\n", 'line 2: "answer" is not UTF-8. Save the file as UTF-8'),
        ("prompt,answer\n,1\n", 'line 2: "prompt" is missing. A row has one of these forms'),
        (
            "prompt,expected_tool,expected_args\nx,t,{day}\n",
            r'"expected_args" is text. It must be an object .*as JSON in',
        ),
        ("prompt,answer\n", "contains no tasks"),
    ],
    ids=[
        *("no header", "semicolons", "no name", "name twice", "open quote", "too many", "too few", "quotes", "bytes"),
        *("no prompt", "no JSON", "header only"),
    ],
)
def test_a_table_that_is_wrong_is_refused_in_words(tmp_path: Path, content: Any, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        load(tmp_path, "q.csv", content)


def test_bad_rows_of_a_table_are_set_aside_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_bytes(b'prompt,answer\nx,1\n"a"b,1\ny,\xff\nz,1,2\nw,2\n"open,1\nv,3\n')
    bad: list[BadRow] = []
    assert [task.prompt for task in load_tasks(tmp_path / "q.csv", bad=bad)] == ["x", "w"]
    assert [(row.row, row.raw) for row in bad] == [
        ("line 3", '"a"b,1\n'),
        ("line 4", {"prompt": "y", "answer": "\\xff"}),
        ("line 5", ["z", "1", "2"]),
        ("line 7", '"open,1\nv,3\n'),
    ]
    assert "2 lines were read as one row" in bad[-1].reason


# -- Parquet ----------------------------------------------------------------------------------------------------------


def parquet(folder: Path, rows: list[dict[str, Any]], schema: Any = None) -> Path:
    pq.write_table(pa.Table.from_pylist(rows, schema), folder / "q.parquet")
    return folder / "q.parquet"


def test_a_parquet_row_is_a_row_and_what_is_null_is_not_there(tmp_path: Path) -> None:
    rows = [
        {"prompt": "x", "expected_tool": "a", "expected_args": {"day": "Friday"}, "answer": None},
        {"prompt": "y", "expected_tool": "b", "expected_args": {"who": "Ada"}, "answer": None},
    ]
    tasks = load_tasks(parquet(tmp_path, rows))
    assert [(task.id, task.data) for task in tasks] == [
        ("q-1", {"expected_tool": "a", "expected_args": {"day": "Friday"}}),
        ("q-2", {"expected_tool": "b", "expected_args": {"who": "Ada"}}),
    ]


def test_conversations_of_a_parquet_file_are_read(tmp_path: Path) -> None:
    call = {"function": {"name": "f", "arguments": {"a": 1}}}
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "content": "2"},
    ]
    (task,) = load_tasks(parquet(tmp_path, [{"messages": messages}]))
    assert [item["type"] for item in task.data["completion"]] == ["function_call", "function_call_output"]


def test_dates_and_decimals_become_text_and_maps_objects(tmp_path: Path) -> None:
    row = {
        "prompt": "x",
        "answer": decimal.Decimal("1.50"),
        "when": datetime.date(2026, 1, 2),
        "map": [("a", 1)],
        "score": 0.5,
    }
    kinds = {"prompt": pa.string(), "answer": pa.decimal128(5, 2), "when": pa.date32(), "score": pa.float64()}
    schema = pa.schema([*kinds.items(), ("map", pa.map_(pa.string(), pa.int64()))])
    assert load_tasks(parquet(tmp_path, [row], schema))[0].data == {
        "answer": "1.50",
        "when": "2026-01-02",
        "map": {"a": 1},
        "score": 0.5,
    }


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (float("nan"), 'row 2: "answer" is nan, which JSON cannot represent. Use null'),
        (float("inf"), 'row 2: "answer" is inf'),
        ({"deep": [float("nan")]}, 'row 2: "deep" is nan'),
        (b"\x00", 'row 2: "answer" is bytes. A task can contain only text, numbers, true or false, lists and objects'),
        (datetime.timedelta(1), 'row 2: "answer" is timedelta'),
    ],
    ids=["nan", "inf", "deep", "bytes", "timedelta"],
)
def test_what_json_does_not_have_is_named(tmp_path: Path, value: Any, words: str) -> None:
    path = parquet(tmp_path, [{"id": "a", "prompt": "x", "answer": None}, {"id": "b", "prompt": "y", "answer": value}])
    with pytest.raises(BadInput, match=words):
        load_tasks(path)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"prompt,answer\n"], ids=["empty", "cut", "text"])
def test_a_file_that_is_no_parquet_is_refused_in_words(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(BadInput, match=r"q\.parquet: cannot be read as Parquet: "):
        load(tmp_path, "q.parquet", content)


def test_a_parquet_file_without_rows_has_no_tasks(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="contains no tasks"):
        load_tasks(parquet(tmp_path, [], pa.schema([("prompt", pa.string())])))


def test_saved_data_that_was_damaged_is_one_bad_row(tmp_path: Path) -> None:
    save_tasks(tmp_path / "q.parquet", [Task(id="a", prompt="x", data={"k": 1}), Task(id="b", prompt="y")])
    table = pq.read_table(tmp_path / "q.parquet")
    pq.write_table(table.set_column(4, "data", pa.array(["{", None])), tmp_path / "q.parquet")
    bad: list[BadRow] = []
    assert [task.id for task in load_tasks(tmp_path / "q.parquet", bad=bad)] == ["b"]
    assert [row.row for row in bad] == ["row 1"]


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = parquet(tmp_path, [{"prompt": "x", "answer": 1}])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for act in (lambda: load_tasks(path), lambda: save_tasks(path, [])):
        with pytest.raises(BadInput, match=r"Parquet files need pyarrow\. Run: .* -m pip install .*\[parquet\]"):
            act()


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(min_size=1).filter(str.strip), st.text()), min_size=1))
def test_any_text_survives_a_table(pairs: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "q.csv"
        with path.open("w", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows(
                [("prompt", "answer", "note"), *((*p, "-") for p in pairs)]
            )
        bad: list[BadRow] = []
        answered = [(prompt, answer) for prompt, answer in pairs if answer.strip()]
        try:
            tasks = load_tasks(path, bad=bad)
        except BadInput:
            assert not answered
            return
        assert [(task.prompt, task.data["answer"]) for task in tasks] == answered
        assert len(bad) == len(pairs) - len(answered)


def test_a_column_whose_name_is_not_utf8_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r'q\.csv line 1: the column "gr.xe9.*" is not UTF-8. Save the file as UTF-8'):
        load(tmp_path, "q.csv", "prompt,gr\xe9at\na,b\n".encode("latin-1"))


@pytest.mark.parametrize("name", ["q.jsonl", "q.json", "q.csv"])
def test_a_value_that_is_nested_too_deeply_is_said(tmp_path: Path, name: str) -> None:
    deep = "[" * 500 + "]" * 500
    rows = {
        "q.jsonl": f'{{"prompt": "x", "answer": {deep}}}',
        "q.json": f'[{{"prompt": "x", "answer": {deep}}}]',
        "q.csv": f"prompt,data\nx,{deep}",
    }
    with pytest.raises(BadInput, match=r"nested more than 200 levels deep|Expected `object`, got `str`"):
        load(tmp_path, name, rows[name])


def rows(path: Path, count: int) -> Path:
    path.write_text("".join(f'{{"id": "t{n}", "prompt": "question {n}?", "family": "f{n}"}}\n' for n in range(count)))
    return path


def test_a_split_and_a_dedup_replace_only_what_the_same_command_wrote(tmp_path: Path) -> None:
    file, out = rows(tmp_path / "all.jsonl", 60), tmp_path / "out"
    split_file(file, {"val": 0.3, "test": 0.2}, out=out)
    deduplicate_file(file, out=out / "clean.jsonl")
    rows(file, 120)
    split_file(file, {"val": 0.3, "test": 0.0}, out=out)  # the same command on a longer file
    assert len((out / "train.jsonl").read_text().splitlines()) > 60 and not (out / "test.jsonl").exists()
    deduplicate_file(file, out=out / "clean.jsonl")
    for name in ("val.jsonl", "clean.jsonl"):
        (out / name).write_text("my notes")
    with pytest.raises(Refused, match=r"val\.jsonl was changed after it was written\. It is not overwritten"):
        split_file(file, {"val": 0.3}, out=out)
    with pytest.raises(Refused, match=r"clean\.jsonl was changed after it was written\. It is not overwritten"):
        deduplicate_file(file, out=out / "clean.jsonl")
    assert (out / "val.jsonl").read_text() == (out / "clean.jsonl").read_text() == "my notes"


def test_a_split_keeps_the_files_of_others(tmp_path: Path) -> None:
    file, out = rows(tmp_path / "all.jsonl", 60), tmp_path / "out"
    out.mkdir()
    (out / "test.jsonl").write_text("my own test set")
    split_file(file, {"val": 0.3, "test": 0.0}, out=out)
    assert (out / "test.jsonl").read_text() == "my own test set"
    with pytest.raises(Refused, match=r"test\.jsonl exists and was not written by this command"):
        split_file(file, {"val": 0.3, "test": 0.2}, out=out)
    assert (out / "test.jsonl").read_text() == "my own test set"


def test_invalid_rows_that_a_person_mended_are_not_overwritten(tmp_path: Path) -> None:
    bad = [BadRow(file=str(tmp_path / "q.jsonl"), row="line 1", reason="no prompt", raw={})]
    (first,) = save_bad(bad)
    assert save_bad(bad) == [first]
    first.write_text("mended by hand")
    (second,) = save_bad(bad)
    assert second.name == "q.jsonl.bad-2.jsonl" and first.read_text() == "mended by hand"
