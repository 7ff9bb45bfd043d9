"""Pictures are SVG that any viewer can read, whatever the values are."""

import math
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.draw.bars import bars
from verigym.draw.lines import lines
from verigym.draw.svg import number, ticks

values = st.floats(-1e9, 1e9)


@given(
    st.dictionaries(
        st.text(max_size=9).filter(str.isprintable), st.dictionaries(values, values, max_size=5), max_size=3
    )
)
def test_any_series_is_a_picture(series: dict[str, dict[float, float]]) -> None:
    picture = lines(series, title='<reward> & "loss"', x="step", y="value")
    assert ET.fromstring(picture).tag.endswith("svg")
    assert "nan" not in picture and "inf" not in picture


@given(st.dictionaries(st.sampled_from("abcd"), st.tuples(values, values, values).map(sorted), max_size=4))
def test_any_bars_are_a_picture(rows: dict[str, list[float]]) -> None:
    picture = bars({name: (value, low, high) for name, (low, value, high) in rows.items()}, title="success")
    assert ET.fromstring(picture).tag.endswith("svg")
    assert "nan" not in picture


def test_a_value_that_is_not_finite_leaves_a_gap() -> None:
    picture = lines({"loss": {1: 1.0, 2: math.nan, 3: 2.0, 4: math.inf, 5: 3.0}})
    assert picture.count("M") == 3 and "nan" not in picture


@given(values, values)
def test_ticks_are_round_numbers_around_the_values(one: float, other: float) -> None:
    low, high = sorted((one, other))
    marks = ticks(low, high)
    slack = 1e-6 * max(1e-9, abs(low), abs(high))
    assert marks[0] <= low + slack and marks[-1] >= high - slack
    assert 2 <= len(marks) <= 12 and marks == sorted(marks)


@pytest.mark.parametrize(
    ("value", "words"), [(0.25, "0.25"), (1500, "1,500"), (2e-5, "2e-05"), (0, "0"), (-0.5, "-0.5")]
)
def test_numbers_are_short(value: float, words: str) -> None:
    assert number(value) == words


def test_steps_that_are_almost_equal_are_a_picture() -> None:
    assert ET.fromstring(lines({"loss": {1.3: 1.0, 1.3 + 1e-12: 2.0}})).tag.endswith("svg")
