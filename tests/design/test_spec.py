"""A spec is read strictly: what is wrong is said by its key, with the nearest known one; the shipped ones work."""

import asyncio
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from verigym.core.errors import BadInput, NotFound
from verigym.design.make import make
from verigym.design.spec import COLUMNS, VALIDATORS, Spec, make_design, read_design
from verigym.design.steps import StepResources
from verigym.environments.load import load_environment
from verigym.tasks.leaks import find_leaks

ROOT = Path(__file__).parents[2]
INT = {"kind": "int", "low": 1, "high": 3}
CATEGORY = {"kind": "category", "values": ["x", "y"]}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({}, "columns is missing"),
        ({"columns": {}}, "columns is missing"),
        ({"columns": {"a": INT}, "constrains": []}, "unknown key constrains. Did you mean constraints?"),
        ({"columns": {"a": {"kind": "integer"}}}, 'no kind of column "integer". Did you mean "int"'),
        ({"columns": {"a": {"low": 1}}}, "columns.a needs a kind, one of: category"),
        ({"columns": {"a": {**INT, "hihg": 3}}}, "unknown key columns.a.hihg. Did you mean columns.a.high?"),
        ({"columns": {"a": {"kind": "int", "low": "x", "high": 2}}}, "columns.a: low must be a whole number, not text"),
        ({"columns": {"a": {"kind": "int", "low": 5, "high": 2}}}, "low must not be above high"),
        ({"columns": {"a b": INT}}, '"a b" is not a valid column name'),
        ({"columns": {"a": {"kind": "category", "values": []}}}, "values must be a list, not an empty one"),
        ({"columns": {"a": {"kind": "category", "values": [1, 2], "weights": [1]}}}, "one weight per value"),
        ({"columns": {"a": {"kind": "category", "values": [1], "weights": [0]}}}, "not all 0"),
        (
            {"columns": {"a": CATEGORY, "b": {"kind": "subcategory", "of": "a", "values": {"x": [1]}}}},
            'no values for a "y"',
        ),
        ({"columns": {"a": {"kind": "date", "first": "2026-05-02", "last": "2026-05-01"}}}, "is after last"),
        ({"columns": {"a": {"kind": "date", "first": "soon", "last": "2026-05-01"}}}, "must be a date, such as 2026-05-31"),
        ({"columns": {"a": {"kind": "date", "first": "2026-13-01", "last": "2026-05-01"}}}, "first must be a date"),
        ({"columns": {"a": {"kind": "int", "low": 1}}}, "columns.a: high is missing (docs/how-to/design.md, kind int)"),
        ({"columns": {"a": {"kind": "bernoulli", "p": 2}}}, "p must be a number, at most 1"),
        ({"colums": {"a": INT}}, "unknown key colums. Did you mean columns?"),
        ({"columns": {"a": {"kind": "llm", "prompt": "x"}}}, "pass -m MODEL"),
        ({"columns": {"a": {"kind": "normal", "mean": float("inf")}}}, "must be finite"),
        ({"columns": {"a": {"kind": "llm", "prompt": "x", "model": "m", "json_schema": {"type": 5}}}}, "not a JSON schema"),
        ({"columns": {"a": INT}, "validators": [{"kind": "schema", "json_schema": {"type": 5}}]}, "not a JSON schema"),
        ({"columns": {"a": INT}, "keep": ["b"]}, 'no column "b"'),
        ({"columns": {"a": INT, "prompt": "x"}, "keep": ["a"]}, "keep leaves out prompt"),
        ({"columns": {"a": INT}, "validators": [{"kind": "gold"}]}, "the spec has no column prompt"),
        ({"columns": {"a": INT}, "validators": [{"kind": "golden"}]}, 'no validator "golden". Did you mean "gold"'),
        ({"columns": {"a": INT}, "validators": {"kind": "gold"}}, "validators must be a list"),
        ({"columns": {"a": {"kind": "file", "path": "nope.csv"}}}, "nope.csv cannot be read"),
        ({"columns": {"a": INT}, "n": 0}, "n must be a whole number, at least 1"),
        ({"columns": {"a": INT}, "repeats": "never"}, 'repeats cannot be "never"'),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_by_its_key(spec: dict[str, Any], words: str) -> None:
    with pytest.raises((BadInput, NotFound), match=re.escape(words)):
        make_design(spec, Path())


def test_a_spec_is_yaml_and_a_text_is_a_template(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("n: 7\ncolumns:\n  a: {kind: date, first: 2026-05-01, last: 2026-05-03}\n  t: 'on {{ a }}'\n")
    read = read_design(path, "model-of-the-command")
    assert (read.stem, read.spec.n, read.spec.model, read.makes_tasks) == ("s", 7, "model-of-the-command", False)
    assert asyncio.run(make(read, 7)).rows[0]["t"].startswith("on 2026-05-0")
    path.write_text("columns: [")
    with pytest.raises(BadInput, match="not valid YAML"):
        read_design(path)
    with pytest.raises(BadInput, match="does not exist"):
        read_design(tmp_path / "none.yaml")


def test_every_field_of_a_spec_is_documented() -> None:
    page = (ROOT / "docs" / "how-to" / "design.md").read_text()
    assert [name for name in Spec.__struct_fields__ if f"`{name}`" not in page] == []
    for kinds, title in ((COLUMNS, "## Columns"), (VALIDATORS, "## Validators")):
        lines = page.partition(title)[2].partition("\n## ")[0].splitlines()
        for kind, struct in kinds.items():
            row = next((line for line in lines if line.startswith(f"| `{kind}` |")), "")
            assert [field.name for field in msgspec.structs.fields(struct) if f"`{field.name}`" not in row] == [], kind
            assert row, kind


def test_the_spec_on_the_page_makes_what_it_says() -> None:
    text = re.findall(
        r"^```yaml\n(.*?)^```$", (ROOT / "docs" / "how-to" / "design.md").read_text(), re.MULTILINE | re.DOTALL
    )[0]
    made = asyncio.run(make(make_design(msgspec.yaml.decode(text) | {"held_out": []}, Path()), 30))
    for task in made.tasks:
        low, high = [float(found) for found in re.findall(r"\d+\.\d", str(task.prompt))]
        assert int(task.data["answer"]) - 1 <= low < int(task.data["answer"]) < high


def test_the_shipped_spec_of_workplace_makes_tasks_that_are_proven_and_near_no_held_out_one() -> None:
    environment = load_environment("workplace")
    made = asyncio.run(
        make(read_design(ROOT / "authoring/workplace/workplace.yaml"), 60, 1, StepResources(environment=environment))
    )
    assert len(made.tasks) == 60
    assert {task.family for task in made.tasks} <= {task.family for task in environment.tasks("train")}
    leaks = find_leaks({"made": made.tasks, "val": environment.tasks("val")})
    assert not leaks.families and not leaks.near and not leaks.prompts
    assert {str(task.prompt) for task in made.tasks} - {str(task.prompt) for task in environment.tasks("train")}


def test_the_shipped_spec_of_python_problems_writes_tests_that_its_solutions_pass() -> None:
    read = read_design(ROOT / "recipes/design/python_problems.yaml")
    made = asyncio.run(make(read, 12, 1))
    assert len(made.tasks) == 12
    for task in made.tasks:
        scope: dict[str, Any] = {}
        exec(task.data["completion"][0]["content"].removeprefix("```python\n").removesuffix("```"), scope)
        exec(task.data["tests"], scope)
        assert task.data["tests"].count("assert ") == 8
