"""Rows sampled under constraints: the distribution, the same rows for the same seed, and an impossible constraint is named."""

import time
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from verigym.core.errors import BadInput, Refused
from verigym.design.draw import RowSampler
from verigym.design.spec import make_design

LOW_HIGH = {"low": {"kind": "uniform", "low": 0, "high": 50}, "high": {"kind": "uniform", "low": 0, "high": 100}}


def drawn(columns: dict[str, Any], *constraints: str, seed: int = 0, **more: Any) -> RowSampler:
    return RowSampler(make_design({"columns": columns, "constraints": list(constraints), **more}, Path()), seed)


@settings(max_examples=12)
@given(
    weights=st.lists(st.integers(1, 5), min_size=4, max_size=4),
    limit=st.integers(4, 9),
    seed=st.integers(0, 10_000),
)
def test_what_is_accepted_is_distributed_as_whole_rows_would_be(weights: list[int], limit: int, seed: int) -> None:
    """Against the exact conditional distribution, over all columns of a group and one that no constraint is about."""
    columns = {
        "a": {"kind": "category", "values": [0, 1, 2, 3], "weights": weights},
        "b": {"kind": "int", "low": 0, "high": 4},
        "c": {"kind": "expression", "value": "a + b"},
        "d": {
            "kind": "subcategory",
            "of": "a",
            "values": {"0": ["x"], "1": ["x", "y"], "2": ["y", "z"], "3": ["z", "x", "y"]},
        },
        "free": {"kind": "bernoulli", "p": 0.25},
    }
    rows = drawn(columns, f"c * 2 < {limit}", "d != 'y' or b > 0", seed=seed).rows(6000)
    expected: dict[tuple[Any, ...], float] = {}
    for a, b, free in product(range(4), range(5), (True, False)):
        kinds: list[str] = columns["d"]["values"][str(a)]  # type: ignore[index]
        for d in kinds:
            if (a + b) * 2 < limit and (d != "y" or b > 0):
                expected[a, b, d, free] = weights[a] / len(kinds) * (0.25 if free else 0.75)
    total = sum(expected.values())
    counts = Counter((row["a"], row["b"], row["d"], row["free"]) for row in rows)
    assert counts.keys() <= expected.keys()
    found = stats.chisquare([counts[key] for key in expected], [6000 * share / total for share in expected.values()])
    assert found.pvalue > 1e-6


def test_low_below_high_as_a_rejection_by_hand_would_have_it() -> None:
    rows = drawn(LOW_HIGH, "low < high").rows(20_000)
    assert all(row["low"] < row["high"] for row in rows)
    assert stats.kstest([row["low"] for row in rows], lambda x: (x - x * x / 200) / 37.5).pvalue > 1e-4


def test_one_row_of_a_hundred_is_found_quickly_and_exactly() -> None:
    began = time.process_time()
    found = drawn(LOW_HIGH, "low + high > 140")
    assert len(found.rows(2000)) == 2000
    assert found.tallies["low + high > 140"].share == pytest.approx(0.01, rel=0.1)
    assert time.process_time() - began < 5


def test_rows_do_not_depend_on_how_many_are_asked_for_or_on_other_groups() -> None:
    one, two = drawn(LOW_HIGH, "low < high"), drawn(LOW_HIGH, "low < high")
    assert one.rows(9000) == [*two.rows(10), *two.rows(8990)]
    more = drawn({**LOW_HIGH, "who": {"kind": "person"}}, "low < high", "who != 'Ada Abara'").rows(50)
    assert [row["low"] for row in more] == [row["low"] for row in drawn(LOW_HIGH, "low < high").rows(50)]
    assert drawn(LOW_HIGH, seed=1).rows(5) != drawn(LOW_HIGH).rows(5)


def test_an_impossible_constraint_fails_by_name_within_seconds() -> None:
    began = time.process_time()
    with pytest.raises(
        Refused, match=r'constraint "low \+ high > 151" cannot be met\. 0 rows.*high from 0.* to 99.*low from'
    ):
        drawn(LOW_HIGH, "low < high", "low + high > 151").rows(1)
    assert time.process_time() - began < 5


def test_a_named_constraint_is_shown_with_its_text() -> None:
    design = make_design({"columns": LOW_HIGH, "constraints": {"too much": "low > 50"}}, Path())
    with pytest.raises(Refused, match=r'"too much" \(low > 50\) cannot be met'):
        RowSampler(design, 0).rows(1)


def test_two_constraints_that_contradict_each_other_are_both_in_the_words() -> None:
    with pytest.raises(Refused, match=r"in none of the draws in which the other.*Each other constraint alone") as error:
        drawn(LOW_HIGH, "low < high", "low > high").rows(1)
    assert '"low < high"' in str(error.value) and '"low > high"' in str(error.value)


def test_a_rare_row_is_found_where_more_draws_are_allowed() -> None:
    rare = {"a": {"kind": "int", "low": 1, "high": 200_000}}
    with pytest.raises(Refused, match="a == 7"):
        drawn(rare, "a == 7", draws_per_row=5000).rows(1)
    assert drawn(rare, "a == 7", draws_per_row=10_000_000).rows(1) == [{"a": 7}]


def test_a_constraint_that_cannot_be_evaluated_is_an_error_and_no_rejection() -> None:
    with pytest.raises(BadInput, match="ZeroDivisionError"):
        drawn({"a": {"kind": "int", "low": 0, "high": 3}}, "6 / a > 1").rows(1)
    for more, words in (
        ({"columns": {"a": {"kind": "int", "low": 0, "high": 3}, "b": {"kind": "expression", "value": "10 / a"}}}, "columns.b"),
        ({"columns": {"a": {"kind": "int", "low": 0, "high": 3}}, "constraints": {"half": "10 / a > 5"}}, 'constraint "half"'),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=rf's\.yaml: {words}: "10 / a.*" cannot be evaluated'):
            RowSampler(make_design(more, Path(), where="s.yaml"), 0).rows(1)
    guarded = drawn({"a": {"kind": "int", "low": 0, "high": 3}}, "a != 0 and 6 / a > 2").rows(50)
    assert {row["a"] for row in guarded} == {1, 2}


def test_every_sampler_gives_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("name,city\nAda,Bern\nBo,Oslo\n")
    (tmp_path / "lines.txt").write_text("one\n\ntwo\n")
    columns = {
        "category": {"kind": "category", "values": ["x", {"y": 1}, 3], "weights": [1, 1, 2]},
        "sub": {"kind": "subcategory", "of": "flag", "values": {"true": [1], "false": ["no"]}},
        "uniform": {"kind": "uniform", "low": -1, "high": 1, "decimals": 2},
        "normal": {"kind": "normal", "mean": 10, "std": 2},
        "int": {"kind": "int", "low": 1, "high": 6},
        "date": {"kind": "date", "first": "2026-02-27", "last": "2026-03-01", "form": "%d.%m.%Y"},
        "flag": {"kind": "bernoulli", "p": 0.5},
        "uuid": {"kind": "uuid"},
        "number": {"kind": "sequence", "start": 100, "step": 5},
        "who": {"kind": "person"},
        "firm": {"kind": "company"},
        "row": {"kind": "file", "path": "people.csv"},
        "line": {"kind": "file", "path": "lines.txt"},
        "city": {"kind": "file", "path": "people.csv", "key": "city"},
    }
    rows = RowSampler(make_design({"columns": columns}, tmp_path), 0).rows(500)
    assert {type(row["category"]) for row in rows} == {str, dict, int}
    assert all(row["sub"] == (1 if row["flag"] else "no") for row in rows)
    assert all(-1 <= row["uniform"] <= 1 and round(row["uniform"], 2) == row["uniform"] for row in rows)
    assert 9.5 < sum(row["normal"] for row in rows) / 500 < 10.5
    assert {row["int"] for row in rows} == {1, 2, 3, 4, 5, 6}
    assert {row["date"] for row in rows} == {"27.02.2026", "28.02.2026", "01.03.2026"}
    assert len({row["uuid"] for row in rows}) == 500
    assert [row["number"] for row in rows[:3]] == [100, 105, 110]
    assert all(len(row["who"].split()) == 2 and row["firm"] for row in rows)
    assert {row["row"]["name"] for row in rows} == {"Ada", "Bo"}
    assert {row["line"] for row in rows} == {"one", "two"} and {row["city"] for row in rows} == {"Bern", "Oslo"}


def test_weights_are_kept_to() -> None:
    rows = drawn({"a": {"kind": "category", "values": list("xyz"), "weights": [1, 0, 3]}}).rows(4000)
    counts = Counter(row["a"] for row in rows)
    assert counts["y"] == 0 and stats.binomtest(counts["z"], 4000, 0.75).pvalue > 1e-4
