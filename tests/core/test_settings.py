"""YAML that people write: what cannot be read is said by file, line and key, whatever the file is for."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.core.errors import BadInput
from verigym.core.settings import read_yaml, set_field

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(st.characters(codec="ascii"), max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abcdef", min_size=1), inner, max_size=3),
    max_leaves=12,
)


def read(text: str | bytes, folder: Path) -> Any:
    path = folder / "s.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_yaml(path, "a spec is keys and values")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "s.yaml: a spec is keys and values. The file is empty"),
        ("# nothing yet\n", "The file is empty"),
        ("- a\n", "s.yaml: a spec is keys and values"),
        (
            "a: 1\nb: [\n",
            "s.yaml: this is not valid YAML: line 3: while parsing a flow node, did not find expected node content",
        ),
        (b"a: \xff\xfe\x00", "s.yaml: this is not valid YAML: "),
        ("a: \x07", "s.yaml: this is not valid YAML: "),
        ("a: " + "[" * 3000 + "]" * 3000, "s.yaml: this is not valid YAML: it is nested too deeply"),
        ("a: 1\nb: 2\na: 3\n", "s.yaml: a is written twice, on line 1 and on line 3"),
        ("a: {b: {c: 1, c: 1}}", "s.yaml: a.b.c is written twice, on line 1 and on line 1"),
        ("a: [{b: 1}, {b: 1, b: 2}]", "s.yaml: a[1].b is written twice"),
        ("a:\n  first: 2026-13-01\n", 's.yaml: a.first (line 2) cannot be "2026-13-01": month must be in 1..12'),
        ("a: 2026-02-30", 's.yaml: a (line 1) cannot be "2026-02-30": day'),
        ("a: !!int x", 's.yaml: a (line 1) cannot be "x"'),
        ("a: !!bool x", 's.yaml: a (line 1) cannot be "x"'),
        ("a: !!timestamp x", 's.yaml: a (line 1) cannot be "x"'),
        ("2026-13-01: x", 's.yaml: 2026-13-01 (line 1) cannot be "2026-13-01"'),
    ],
)
def test_what_cannot_be_read_is_said_by_file_line_and_key(text: str | bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as error:
        read(text, tmp_path)
    assert words in str(error.value) and "byte string" not in str(error.value)


def test_aliases_merged_keys_and_circles_are_no_repeats(tmp_path: Path) -> None:
    assert read("a: &x {b: 1, c: 2}\nd: {<<: *x, b: 3}\ne: *x\n", tmp_path)["d"] == {"b": 3, "c": 2}
    circle = read("a: &x [1, *x]\n", tmp_path)["a"]
    assert circle[1] is circle


@given(st.dictionaries(st.text("abcdef", min_size=1), VALUES, min_size=1, max_size=4))
def test_what_is_right_is_read_as_it_was_written(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    assert read(msgspec.yaml.encode(value), tmp_path_factory.mktemp("yaml")) == value


def test_a_value_of_the_command_line_is_yaml_too() -> None:
    data: dict[str, Any] = {"old": 1}
    set_field(data, "lora.r=8")
    set_field(data, "note=null")
    set_field(data, "old=")
    assert data == {"lora": {"r": 8}, "note": None}
    for text, words in (
        ("steps=[1", '"steps=[1": the value is not valid YAML: line 1: '),
        ("day=2026-02-30", '"day=2026-02-30": it cannot be "2026-02-30": day'),
        ("a={b: 1, b: 2}", '"a={b: 1, b: 2}": b is written twice'),
    ):
        with pytest.raises(BadInput) as error:
            set_field(data, text)
        assert words in str(error.value)
