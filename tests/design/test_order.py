"""The order of columns follows from what they refer to; columns that belong together are one group."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.core.errors import BadInput, NotFound
from verigym.design import order
from verigym.design.spec import make_design


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, set[str]]:
    """Columns that refer to earlier ones of a hidden order, written in another order."""
    names = draw(st.permutations("abcdefgh"))
    uses = {
        name: set(draw(st.lists(st.sampled_from(names[:at]), max_size=3))) if at else set()
        for at, name in enumerate(names)
    }
    return {name: uses[name] for name in draw(st.permutations(names))}


@given(graphs())
def test_every_column_comes_after_those_that_it_is_made_of(uses: dict[str, set[str]]) -> None:
    found = order.ordered(uses)
    assert sorted(found) == sorted(uses)
    assert all(found.index(other) < found.index(name) for name, others in uses.items() for other in others)


@given(graphs(), st.data())
def test_a_circle_is_named_by_its_columns(uses: dict[str, set[str]], data: st.DataObject) -> None:
    first, *others = data.draw(st.lists(st.sampled_from(sorted(uses)), min_size=1, unique=True))
    for one, other in zip([first, *others], [*others, first], strict=True):
        uses[one].add(other)
    with pytest.raises(BadInput, match="depend on each other") as error:
        order.ordered(uses)
    circle = str(error.value).partition(": ")[2].partition(".")[0].split(" -> ")
    assert circle[0] == circle[-1]
    assert all(other in uses[one] for one, other in pairwise(circle))


@given(st.lists(st.sets(st.sampled_from("abcdefgh"), max_size=4), max_size=6))
def test_groups_are_what_ties_connect(ties: list[set[str]]) -> None:
    found = order.groups("abcdefgh", ties)
    assert sorted(name for group in found for name in group) == list("abcdefgh")
    reach = {name: {name} for name in "abcdefgh"}
    for _ in range(8):
        for tie in ties:
            for name in reach:
                if reach[name] & tie:
                    reach[name] |= tie
    assert {frozenset(group) for group in found} == {frozenset(one) for one in reach.values()}


def test_unknown_columns_are_named_with_the_nearest() -> None:
    design = make_design({"columns": {"price": {"kind": "int", "low": 1, "high": 2}, "t": "{{ prise }}"}}, Path())
    with pytest.raises(NotFound, match=r'no column "prise". Did you mean "price".*columns.t'):
        order.references(design)
    design = make_design(
        {"columns": {"price": {"kind": "int", "low": 1, "high": 2}}, "constraints": ["prce > 1"]}, Path()
    )
    with pytest.raises(NotFound, match='Did you mean "price"'):
        order.constraints(design)


def test_a_function_that_takes_no_column_is_named_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text("def check(row): return True\n")
    columns = {"price": {"kind": "int", "low": 1, "high": 2}}
    validators = [{"kind": "python", "file": "f.py", "function": "check"}]
    design = make_design({"columns": columns, "validators": validators}, tmp_path, where="s.yaml")
    with pytest.raises(NotFound) as error:
        order.check_validators(design)
    assert 'no column "row"' in str(error.value)
    assert f"(s.yaml: validators[0]: the arguments of check in {tmp_path / 'f.py'} are columns by name)" in str(
        error.value
    )


def test_a_functions_arguments_are_the_columns_that_it_uses_and_seed_is_the_rows_own(tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text("def total(price, count, seed): return price * count\ndef wild(*all): return 1\n")
    columns = {
        "total": {"kind": "code", "file": "f.py"},
        "price": {"kind": "int", "low": 1, "high": 9},
        "count": {"kind": "int", "low": 1, "high": 9},
        "said": "{{ total }}",
    }
    design = make_design({"columns": columns}, tmp_path)
    uses = order.references(design)
    assert uses["total"] == {"price", "count"}
    assert order.costly(design, order.ordered(uses), uses) == {"total", "said"}
    with pytest.raises(NotFound, match=r'no function "totl"\. Did you mean "total"'):
        order.arguments(tmp_path / "f.py", "totl")
    with pytest.raises(BadInput, match="Name the columns"):
        order.arguments(tmp_path / "f.py", "wild")
