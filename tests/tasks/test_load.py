"""Task files: what each row becomes, what is said about a bad one, and that splits are kept apart."""

import json
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigym.core.errors import BadInput, Refused
from verigym.core.records import Message, Task
from verigym.tasks.load import (
    BadRow,
    check_split,
    load_split,
    load_tasks,
    save_bad,
    save_tasks,
    tasks_hash,
)

TOOL_ROW = {"prompt": "Book it.", "expected_tool": "book", "expected_args": {"day": "Friday"}}


def write(folder: Path, *rows: Any, name: str = "val.jsonl") -> Path:
    """A file with these rows; text and bytes are written as they are."""
    path = folder / name
    lines = [
        row if isinstance(row, bytes) else (row if isinstance(row, str) else json.dumps(row)).encode() for row in rows
    ]
    path.write_bytes(b"\n".join(lines))
    return path


# -- rows -------------------------------------------------------------------------------------------------------------


def test_a_tool_call_row_becomes_a_task_of_its_own_family(tmp_path: Path) -> None:
    assert load_tasks(write(tmp_path, TOOL_ROW)) == [
        Task(
            id="val-1",
            prompt="Book it.",
            data={"expected_tool": "book", "expected_args": {"day": "Friday"}},
            family="val-1",
            lineage=["val.jsonl:1"],
        )
    ]


@pytest.mark.parametrize("answer", ["4", 4, None, ["a", "b"]], ids=str)
def test_an_answer_may_be_any_value(tmp_path: Path, answer: Any) -> None:
    (task,) = load_tasks(write(tmp_path, {"prompt": "2+2?", "answer": answer}))
    assert task.data == {"answer": answer}


def test_a_short_row_may_name_what_a_task_has_and_the_rest_is_data(tmp_path: Path) -> None:
    named = {"id": "a", "family": "f", "tags": ["t"], "split": "test", "lineage": ["seed 3"]}
    (task,) = load_tasks(write(tmp_path, {**TOOL_ROW, **named, "state": {"x": 1}, "schema": {"type": "object"}}))
    assert task == Task(
        prompt="Book it.",
        data={
            "expected_tool": "book",
            "expected_args": {"day": "Friday"},
            "state": {"x": 1},
            "schema": {"type": "object"},
        },
        **named,
    )


@pytest.mark.parametrize(
    ("row", "data"),
    [
        ({"id": "a", "prompt": "x", "data": {"k": 1}}, {"k": 1}),
        ({"id": "a", "prompt": "x"}, {}),
        ({"id": "a", "prompt": "x", "data": {"k": 1}, "more": 2}, {"k": 1, "more": 2}),
    ],
    ids=["data", "id only", "more"],
)
def test_a_full_row_is_a_task_with_its_id_as_family(tmp_path: Path, row: dict[str, Any], data: dict[str, Any]) -> None:
    (task,) = load_tasks(write(tmp_path, row))
    assert (task.id, task.family, task.data) == ("a", "a", data)


@pytest.mark.parametrize("schema", [0, -1, True, "1"], ids=str)
def test_a_schema_that_is_no_version_is_data_like_any_other_key(tmp_path: Path, schema: Any) -> None:
    assert load_tasks(write(tmp_path, {"id": "a", "prompt": "x", "schema": schema}))[0].data == {"schema": schema}


def test_a_full_row_without_an_id_is_named_after_its_line(tmp_path: Path) -> None:
    assert load_tasks(write(tmp_path, {"prompt": "x", "data": {}}))[0].id == "val-1"


def test_a_prompt_may_be_items(tmp_path: Path) -> None:
    items = [{"type": "message", "role": "user", "content": "Hi"}]
    assert load_tasks(write(tmp_path, {"prompt": items, "answer": 1}))[0].prompt == [Message("user", "Hi")]


def test_blank_lines_are_skipped_but_counted(tmp_path: Path) -> None:
    tasks = load_tasks(write(tmp_path, "", TOOL_ROW, "  \r", TOOL_ROW, ""))
    assert [task.id for task in tasks] == ["val-2", "val-4"]


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(tmp_path: Path) -> None:
    line = json.dumps(TOOL_ROW).encode()
    assert len(load_tasks(write(tmp_path, b"\xef\xbb\xbf" + line + b"\r\n" + line + b"\r\n"))) == 2


def test_the_given_split_is_for_rows_that_name_none(tmp_path: Path) -> None:
    path = write(tmp_path, TOOL_ROW, {**TOOL_ROW, "split": "test"})
    assert [task.split for task in load_tasks(path)] == ["train", "test"]
    assert [task.split for task in load_tasks(path, split="val")] == ["val", "test"]


# -- what is said about a bad row ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ('{"prompt": "x", }', "line 2: not JSON at column 17: "),
        ("nonsense", "line 2: not JSON at column 1: Expecting value. Write one JSON object per line"),
        ('{"prompt": "x", "answer": NaN}', "line 2: not JSON: JSON is malformed"),
        ("[" * 100_000, "line 2: not JSON: maximum recursion depth"),
        ('{"prompt": "x', "line 2: not JSON at column 12: the text that starts here has no closing quotation mark. "),
        (
            '{"prompt": "x\n"}',
            "line 2: not JSON at column 14: the line ends inside a text. Close the text with a quotation",
        ),
        ('{"prompt": "x\ty"}', "line 2: not JSON at column 14: a control character, such as a tab, inside a text"),
        (
            {"question": "x", "answer": 1},
            'line 2: "prompt" is missing. Found question, answer. Rename question to prompt (docs/how-to/tasks.md)',
        ),
        ({"Prompt": "x", "answer": 1}, 'line 2: "prompt" is missing. Found Prompt, answer. Rename Prompt to prompt'),
        (
            {"prompt": "x", "response": "y"},
            "line 2: the row has no answer, call, completion or preference to score a reply by. "
            "Found prompt, response. Rename response to answer (docs/how-to/tasks.md)",
        ),
        ("3", "line 2: a row must be an object, but this is a number. A row has one of these forms: {"),
        ("[]", "line 2: a row must be an object, but this is a list"),
        ({"answer": 1}, 'line 2: "prompt" is missing. A row has one of these forms: {'),
        ({"prompt": " ", "answer": 1}, 'line 2: "prompt" is empty. Write a prompt'),
        ({"prompt": [], "answer": 1}, 'line 2: "prompt" is empty'),
        ({"prompt": 3, "answer": 1}, 'line 2: "prompt" is a number. It must be text or a list of messages'),
        ({"prompt": None, "answer": 1}, 'line 2: "prompt" is null. It must be text'),
        (
            {"prompt": [{"type": "wizard"}], "answer": 1},
            "line 2: \"prompt\", message 1: not a Responses item: Invalid value 'wizard'",
        ),
        (
            {"prompt": "x"},
            "line 2: the row has no answer, call, completion or preference to score a reply by. A row has one of these forms",
        ),
        ({"prompt": "x", "expected_args": {}}, 'line 2: "expected_tool" is missing. A tool-call task needs it'),
        ({"id": "a", "prompt": "x", "expected_args": {}}, 'line 2: "expected_tool" is missing'),
        ({**TOOL_ROW, "expected_tool": 3}, 'line 2: "expected_tool" is a number. It must be the name of a tool'),
        ({**TOOL_ROW, "expected_tool": ""}, 'line 2: "expected_tool" is empty. It must be the name of a tool'),
        (
            {"prompt": "x", "expected_tool": "t"},
            'line 2: "expected_args" is missing. A tool-call task needs it ({} for',
        ),
        ({**TOOL_ROW, "expected_args": "{}"}, 'line 2: "expected_args" is text. It must be an object of names and'),
        ({**TOOL_ROW, "id": 3.5}, "line 2: this is not a Task: Expected `str`, got `float` - at `$.id`"),
        ({**TOOL_ROW, "id": ""}, 'line 2: "id" is empty. Remove it to get a generated id'),
        ({**TOOL_ROW, "tags": "t"}, "line 2: this is not a Task: Expected `array`, got `str` - at `$.tags`"),
        ({"prompt": "x", "data": []}, "line 2: this is not a Task: Expected `object`, got `array` - at `$.data`"),
        ({**TOOL_ROW, "id": "val-1"}, 'line 2: the id "val-1" is already used by line 1. Give each row its own id'),
        (b'{"prompt": "\xff"}', "line 2: byte 13 is not UTF-8. Save the file as UTF-8"),
        ({"schema": 99, "id": "a", "prompt": "x"}, "line 2: This Task has schema version 99"),
    ],
)
def test_a_bad_row_is_named_with_file_line_field_and_remedy(tmp_path: Path, row: Any, words: str) -> None:
    path = write(tmp_path, TOOL_ROW, row)
    with pytest.raises(BadInput) as caught:
        load_tasks(path)
    assert str(caught.value).startswith(f"{path} {words}")


def test_a_missing_file_is_answered_with_those_beside_it(tmp_path: Path) -> None:
    write(tmp_path, TOOL_ROW, name="train.jsonl")
    write(tmp_path, TOOL_ROW, name="notes.txt")
    with pytest.raises(BadInput, match=r"vla\.jsonl does not exist\. .* contains train\.jsonl$"):
        load_tasks(tmp_path / "vla.jsonl")


def test_a_missing_folder_is_answered_too(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nowhere contains no task file"):
        load_tasks(tmp_path / "nowhere" / "val.jsonl")


def test_a_folder_is_answered_with_its_files(tmp_path: Path) -> None:
    write(tmp_path, TOOL_ROW, name="train.jsonl")
    with pytest.raises(BadInput, match=r"is a folder\. .* contains train\.jsonl$"):
        load_tasks(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf"], ids=["nothing", "blank", "mark"])
@pytest.mark.parametrize("name", ["val.jsonl", "val.json", "val.csv"])
def test_an_empty_file_is_refused(tmp_path: Path, content: bytes, name: str) -> None:
    with pytest.raises(BadInput, match=r"contains no tasks\. A row has one of these forms"):
        load_tasks(write(tmp_path, content, name=name))


def test_a_file_of_another_kind_is_answered_with_the_kinds_that_are_read(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"notes\.txt: tasks are read from \.jsonl, \.json, \.csv, \.parquet files"):
        load_tasks(write(tmp_path, TOOL_ROW, name="notes.txt"))


def test_an_id_that_is_a_whole_number_is_its_text(tmp_path: Path) -> None:
    assert load_tasks(write(tmp_path, {**TOOL_ROW, "id": 7}))[0].id == "7"


# -- bad rows set aside -------------------------------------------------------------------------------------------------


def test_bad_rows_are_set_aside_with_their_place_reason_and_what_they_were(tmp_path: Path) -> None:
    same_id = {"id": "val-1", "prompt": "again", "answer": 1}
    path = write(tmp_path, TOOL_ROW, "nonsense", {"prompt": 3}, b'{"prompt": "\xff"}', same_id, TOOL_ROW)
    bad: list[BadRow] = []
    tasks = load_tasks(path, bad=bad)
    assert [task.id for task in tasks] == ["val-1", "val-6"]
    assert [(row.file, row.row, row.raw) for row in bad] == [
        (str(path), "line 2", "nonsense\n"),
        (str(path), "line 3", {"prompt": 3}),
        (str(path), "line 4", '{"prompt": "\\xff"}\n'),
        (str(path), "line 5", same_id),
    ]
    reasons = [
        "not JSON at column 1",
        '"prompt" is a number',
        "byte 13 is not UTF-8",
        'the id "val-1" is already used by line 1',
    ]
    assert [row.reason.startswith(reason) for row, reason in zip(bad, reasons, strict=True)] == [True] * 4


def test_rows_set_aside_are_written_beside_their_files_or_into_a_folder(tmp_path: Path) -> None:
    bad = [BadRow("a/q.csv", "line 2", "why", ["x"]), BadRow("b/q.csv", "row 3", "why not", b"\x00")]
    bad = [msgspec.structs.replace(row, file=str(tmp_path / row.file)) for row in bad]
    written = save_bad(bad)
    assert written == [tmp_path / "a" / "q.csv.bad.jsonl", tmp_path / "b" / "q.csv.bad.jsonl"]
    assert json.loads(written[0].read_text()) == msgspec.to_builtins(bad[0])
    assert save_bad(bad[:1], tmp_path / "out") == [tmp_path / "out" / "q.csv.bad.jsonl"]
    assert save_bad([]) == []


def test_a_file_with_bad_rows_only_is_refused_with_the_first(tmp_path: Path) -> None:
    bad: list[BadRow] = [BadRow("other", "line 1", "of another file", None)]
    with pytest.raises(BadInput, match=r'all 2 rows are invalid\. The first, line 1: "prompt" is missing'):
        load_tasks(write(tmp_path, {}, 3), bad=bad)


# -- splits -----------------------------------------------------------------------------------------------------------


def test_a_split_with_nothing_in_common_is_accepted() -> None:
    check_split([Task(id="a", prompt="x", family="f")], [Task(id="b", prompt="y", family="g")])


def test_families_that_cross_a_split_are_listed() -> None:
    train = [Task(id=f"a{i}", prompt=f"x{i}", family=f"f{i}") for i in range(3)]
    held_out = [Task(id=f"b{i}", prompt=f"y{i}", family=f"f{i}") for i in (1, 2, 3)]
    with pytest.raises(Refused, match=r'share 2 families: "f1", "f2"\. Keep each in one split only'):
        check_split(train, held_out)


def test_a_task_without_a_family_is_its_own() -> None:
    with pytest.raises(Refused, match='share 1 family: "a"'):
        check_split([Task(id="a", prompt="x")], [Task(id="a", prompt="y")])
    check_split([Task(id="a", prompt="x")], [Task(id="b", prompt="y")])


def test_a_prompt_that_crosses_a_split_is_refused_though_the_families_differ() -> None:
    items = [Message("user", "Hi")]
    with pytest.raises(Refused, match=r'share 2 prompts: .*"Hi".*, "x"\.'):
        check_split(
            [Task(id="a", prompt="x"), Task(id="c", prompt=list(items))],
            [Task(id="b", prompt="x"), Task(id="d", prompt=list(items))],
        )


def test_a_long_list_of_crossings_is_cut() -> None:
    tasks = [Task(id=f"a{i}", prompt="x" * 500 + str(i)) for i in range(50)]
    with pytest.raises(Refused) as caught:
        check_split(tasks, tasks)
    assert "50 families" in str(caught.value)
    assert len(str(caught.value)) < 1000


@settings(deadline=None)
@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_a_split_is_refused_exactly_when_families_meet(left: set[int], right: set[int]) -> None:
    train = [Task(id=f"l{i}", prompt=f"l{i}", family=f"f{i}") for i in left]
    held_out = [Task(id=f"r{i}", prompt=f"r{i}", family=f"f{i}") for i in right]
    if left & right:
        with pytest.raises(Refused):
            check_split(train, held_out)
    else:
        check_split(train, held_out)


def test_load_split_gives_both_sides_their_splits(tmp_path: Path) -> None:
    train, held_out = load_split(
        write(tmp_path, {"prompt": "x", "answer": 1}, name="train.jsonl"),
        write(tmp_path, {"prompt": "y", "answer": 1}, {"prompt": "z", "answer": 1, "split": "test"}),
    )
    assert [task.split for task in [*train, *held_out]] == ["train", "val", "test"]


def test_load_split_refuses_what_crosses(tmp_path: Path) -> None:
    path = write(tmp_path, TOOL_ROW)
    with pytest.raises(Refused, match=r'share 1 family: "val-1"; 1 prompt: "Book it."'):
        load_split(path, path)


@pytest.mark.parametrize(
    ("train", "held_out", "words"),
    [
        (
            "val",
            "val",
            r'train\.jsonl: task "train-1" is in split "val", but this file may only contain training tasks',
        ),
        (
            "train",
            "train",
            r'val\.jsonl: task "val-1" is in split "train", but this file may only contain held-out tasks',
        ),
    ],
)
def test_load_split_refuses_a_row_on_the_wrong_side(tmp_path: Path, train: str, held_out: str, words: str) -> None:
    left = write(tmp_path, {"prompt": "x", "answer": 1, "split": train}, name="train.jsonl")
    right = write(tmp_path, {"prompt": "y", "answer": 1, "split": held_out})
    with pytest.raises(Refused, match=words):
        load_split(left, right)


# -- saving, hashing, fuzz ----------------------------------------------------------------------------------------------

TEXT = st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
TASKS = st.lists(
    st.builds(
        Task,
        id=TEXT,
        prompt=TEXT.filter(str.strip) | st.just([Message("user", "Hi")]),
        data=st.dictionaries(TEXT, JSON, max_size=3),
        split=st.sampled_from(["train", "val"]),
        family=TEXT,
        tags=st.lists(TEXT, max_size=2),
        lineage=st.lists(TEXT, max_size=2),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda task: task.id,
)


@pytest.mark.parametrize("kind", ["jsonl", "json", "parquet"])
@settings(deadline=None)  # pyarrow takes its time to import
@given(tasks=TASKS)
def test_saved_tasks_load_as_they_were(kind: str, tasks: list[Task]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "deep" / f"tasks.{kind}"
        save_tasks(path, tasks)
        assert load_tasks(path, split="other") == tasks
        assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_tasks_of_more_than_one_batch_are_saved_whole(tmp_path: Path) -> None:
    tasks = [Task(id=str(number), prompt=f"{number}?") for number in range(10_001)]
    save_tasks(tmp_path / "t.parquet", tasks)
    assert load_tasks(tmp_path / "t.parquet") == tasks


@pytest.mark.parametrize(
    ("name", "words"), [("t.csv", "CSV cannot hold every task"), ("t.txt", "tasks can be written only as .jsonl")]
)
def test_tasks_are_written_only_where_they_come_back(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        save_tasks(tmp_path / name, [Task(id="a", prompt="x")])
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match=r"file/t\.jsonl cannot be written: "):
        save_tasks(tmp_path / "file" / "t.jsonl", [Task(id="a", prompt="x")])


def test_a_reader_of_the_old_file_is_not_disturbed_by_a_save(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    save_tasks(path, [Task(id="a", prompt="x")])
    before = path.read_bytes()
    with path.open("rb") as reader:
        save_tasks(path, [Task(id="b", prompt="y" * 100)])
        assert reader.read() == before


def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    save_tasks(path, [Task(id="a", prompt="x")])
    before = path.read_bytes()
    with pytest.raises(TypeError):
        save_tasks(path, [Task(id="b", prompt="x"), Task(id="c", prompt="x", data={"no": object()})])
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@settings(deadline=None)
@given(TASKS, st.randoms())
def test_the_hash_does_not_depend_on_order(tasks: list[Task], random: Any) -> None:
    shuffled = list(tasks)
    random.shuffle(shuffled)
    assert tasks_hash(shuffled) == tasks_hash(tasks)


def test_the_hash_is_of_content_and_not_of_origin() -> None:
    task = Task(id="a", prompt="x", data={"k": 1, "l": 2})
    assert tasks_hash([task]) == tasks_hash([Task(id="a", prompt="x", data={"l": 2, "k": 1}, lineage=["elsewhere"])])
    assert tasks_hash([task]) != tasks_hash([Task(id="a", prompt="x", data={"k": 1, "l": 3})])
    assert tasks_hash([task]) != tasks_hash([task, task])


KEYS = (
    st.sampled_from([*Task.__struct_fields__, "answer", "expected_tool", "expected_args", "schema"])
    | st.sampled_from(["completion", "messages", "chosen", "rejected", "responses_create_params"])
    | TEXT
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "role": st.sampled_from(["user", "assistant", "tool", "system", "wizard"]),
            "content": JSON,
            "type": st.sampled_from(["message", "function_call", "function_call_output", "reasoning"]),
            "tool_calls": JSON | st.lists(st.fixed_dictionaries({"function": st.just({"name": "f"}) | JSON})),
            "name": JSON,
            "tool_call_id": JSON,
            "thinking": JSON,
        },
    ),
    max_size=4,
)
PARAMS = st.fixed_dictionaries({}, optional={"input": MESSAGES | JSON, "tools": JSON, "instructions": JSON})
ROWS = (
    JSON
    | st.dictionaries(KEYS, JSON | MESSAGES | PARAMS, max_size=6)
    | st.dictionaries(KEYS, JSON | MESSAGES | PARAMS).map(lambda row: {"prompt": "x", "answer": 1, **row})
)


@settings(deadline=None)
@given(
    st.binary(max_size=60) | st.lists(ROWS.map(lambda row: json.dumps(row).encode()), max_size=3).map(b"\n".join),
    st.sampled_from(["jsonl", "json", "csv", "parquet"]),
)
def test_any_bytes_load_or_are_refused_in_words(content: bytes, kind: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"fuzz.{kind}"
        path.write_bytes(content)
        try:
            tasks = load_tasks(path)
        except BadInput as error:
            assert str(error).startswith(str(path))
            return
        assert len({task.id for task in tasks}) == len(tasks) > 0
        assert tasks_hash(tasks)
        save_tasks(Path(folder) / "again.jsonl", tasks)
        assert load_tasks(Path(folder) / "again.jsonl") == tasks


@settings(deadline=None)
@given(st.lists(ROWS, max_size=5))
def test_every_row_is_either_loaded_or_set_aside(rows: list[Any]) -> None:
    good = [{"id": f"good {place}", "prompt": "x", "answer": place} for place in range(len(rows) + 1)]
    mixed = [row for pair in zip(good, rows, strict=False) for row in pair] + good[-1:]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.json"
        path.write_text(json.dumps(mixed))
        bad: list[BadRow] = []
        tasks = load_tasks(path, bad=bad)
        assert len(tasks) + len(bad) == len(mixed)
        assert {task["id"] for task in good} <= {task.id for task in tasks}
        assert [row.raw for row in bad] == [mixed[int(row.row.removeprefix("row ")) - 1] for row in bad]
        if bad:
            (written,) = save_bad(bad)
            assert [json.loads(line)["raw"] for line in written.read_bytes().splitlines()] == [row.raw for row in bad]
