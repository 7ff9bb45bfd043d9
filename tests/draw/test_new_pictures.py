"""What each picture shows, also at the edges: no rows, many rows, one point, values that cannot be drawn."""

import math
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.core.look import Look
from verigym.core.records import Check
from verigym.draw.checks import interval_of_check
from verigym.draw.columns import Change
from verigym.draw.dumbbells import Dumbbell, dumbbells
from verigym.draw.histogram import Bin, bins, histogram
from verigym.draw.intervals import Interval, in_words, interval_row, intervals
from verigym.draw.lineage import Node, lineage
from verigym.draw.lines import Mark, lines
from verigym.draw.looks import looks
from verigym.draw.sparkline import sparkline
from verigym.draw.strip import Dot, strip
from verigym.draw.svg import Drawing
from verigym.draw.timeline import Step, timeline

SVG = "{http://www.w3.org/2000/svg}"
any_float = st.floats(-1e9, 1e9) | st.sampled_from([math.nan, math.inf, -math.inf])


def title_of(picture: Drawing) -> str:
    return ET.fromstring(picture).findtext(f"{SVG}title") or ""


def drawn(picture: Drawing) -> Drawing:
    """The picture, after a check that all its coordinates are numbers inside a frame of finite size."""
    for one in ET.fromstring(picture).iter():
        for name, value in one.attrib.items():
            if name in ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height", "d", "points"):
                assert "nan" not in value and "inf" not in value, (one.tag, name, value)
    return picture


@given(
    st.lists(
        st.tuples(any_float, any_float, any_float, st.sampled_from(["points", "share", "times", "tasks", ""])),
        max_size=4,
    )
)
def test_any_intervals_are_a_picture(rows: list[tuple[float, float, float, str]]) -> None:
    given_rows = [Interval("x", value, low, high, low, high, "pass", unit) for value, low, high, unit in rows]  # pyright: ignore[reportArgumentType]
    assert title_of(drawn(intervals(given_rows)))
    for row in given_rows:
        assert title_of(drawn(interval_row(row, among=given_rows)))


@pytest.mark.parametrize("count", [0, 1, 200])
def test_any_number_of_rows_is_drawn(count: int) -> None:
    names = [f"family {index}" for index in range(count)]
    for picture in (
        intervals([Interval(name, 0.1, 0.0, 0.2) for name in names]),
        dumbbells([Dumbbell(name, 0.1, 0.4) for name in names]),
        histogram([Bin(index, index + 1, 3, 1) for index in range(count)]),
        strip([Dot(name, index % 3) for index, name in enumerate(names)]),
        timeline([Step(name, 3, 1) for name in names]),
        sparkline([0.5] * count),
        lineage([Node(name, name) for name in names]),
        looks([Look(index + 1, (index + 1) / 200, 0.01, 0.01) for index in range(count)]),
    ):
        assert title_of(drawn(picture))


def test_an_interval_says_its_figures_in_words() -> None:
    assert in_words(Interval("a", 0.05, 0.01, 0.09)) == "+5.0 points (+1.0 to +9.0)"
    assert in_words(Interval("a", 0.05, 0.01)) == "+5.0 points (at least +1.0)"
    assert in_words(Interval("a", 1.2, 1.1, 1.31, unit="times")) == "1.20 times (1.10 to 1.31)"
    assert in_words(Interval("a", 2, 2, 6.1, unit="tasks", of=180)) == "2 of 180 tasks (at most 6.1)"
    assert in_words(Interval("a", 0.4, 0.3, 0.5, unit="share")) == "40.0% (30.0% to 50.0%)"
    assert in_words(Interval("a", math.nan)) == "not measured"


def test_the_part_beyond_the_margin_is_shaded_on_the_worse_side() -> None:
    def shade(picture: Drawing) -> tuple[float, float]:
        one = next(one for one in ET.fromstring(picture).iter(f"{SVG}rect") if "soft" in one.attrib["class"])
        return float(one.attrib["x"]), float(one.attrib["x"]) + float(one.attrib["width"])

    left, right = shade(intervals([Interval("a", 0.05, -0.01, 0.09, margin=-0.02)], width=400))
    assert left == 14 and right < 200
    left, right = shade(intervals([Interval("a", 1.1, 0.9, 1.4, margin=1.25, unit="times", worse="above")], width=400))
    assert left > 200 and right == 386


def test_equal_ratios_up_and_down_are_equally_far_from_one() -> None:
    picture = intervals([Interval("a", 1.0, 0.25, 4.0, unit="times")])
    ends = [
        float(one.attrib["x1"])
        for one in ET.fromstring(picture).iter(f"{SVG}line")
        if one.attrib["class"] == "interval"
    ]
    middle = next(float(one.attrib["cx"]) for one in ET.fromstring(picture).iter(f"{SVG}circle"))
    assert middle - min(ends) == pytest.approx(max(ends) - middle, abs=0.2)


@pytest.mark.parametrize(
    ("check", "row"),
    [
        (
            Check(
                name="better",
                outcome="pass",
                words="",
                figures={"delta": 0.08, "low": 0.03, "high": 0.1, "p": 0.01},
                unit="points",
            ),
            Interval("better", 0.08, 0.03, math.nan, 0.03, 0.0, "pass", caption="+8.0 points, at least +3.0"),
        ),
        (
            Check(
                name="kept",
                outcome="fail",
                words="at worst -7.0",
                figures={"increase": 0.04, "low": 0.01, "high": 0.07},
                margin=0.02,
            ),
            Interval("kept", -0.04, -0.07, math.nan, -0.07, -0.02, "fail", caption="-4.0 points, at worst -7.0"),
        ),
        (
            Check(
                name="harm",
                outcome="pass",
                words="at most +2.4",
                figures={"increase": -0.012, "low": -0.04, "high": 0.024},
                margin=0.05,
            ),
            Interval(
                "harm",
                -0.012,
                math.nan,
                0.024,
                0.024,
                0.05,
                "pass",
                worse="above",
                caption="-1.2 points, at most +2.4",
            ),
        ),
        (
            Check(
                name="latency",
                outcome="pass",
                words="",
                figures={"ratio": 1.1, "low": 1.0, "high": 1.2, "margin": 1.25},
            ),
            Interval(
                "latency",
                1.1,
                math.nan,
                1.2,
                1.2,
                1.25,
                "pass",
                "times",
                0,
                "above",
                "1.10 times, at most 1.2",
            ),
        ),
        (
            Check(
                name="severe",
                outcome="unclear",
                words="",
                figures={"new": 1.0, "tasks": 100.0, "high": 0.04},
                unit="tasks",
            ),
            Interval(
                "severe", 1.0, 1.0, 4.0, 4.0, None, "unclear", "tasks", 100, caption="1 of 100 tasks, at most 4.0%"
            ),
        ),
        (
            Check(name="judge", outcome="pass", words="", figures={"kappa": 0.8, "low": 0.7, "labels": 50.0}),
            Interval("judge", 0.8, 0.7, math.nan, outcome="pass", unit="", caption="+0.8, at least +0.7"),
        ),
        (Check(name="trained", outcome="pass", words="never trained on them"), None),
        (Check(name="odd", outcome="pass", words="", figures={"something": 1.0}), None),
    ],
    ids=lambda one: one.name if isinstance(one, Check) else "",
)
def test_a_check_of_the_gate_becomes_a_row(check: Check, row: Interval | None) -> None:
    assert repr(interval_of_check(check)) == repr(row)  # a missing end is not a number


def test_a_change_beyond_chance_is_filled() -> None:
    real, chance = (dumbbells([Dumbbell("a", 0.2, 0.7, beyond)]) for beyond in (True, False))
    assert 'class="passed fill"' in real and 'class="passed hollow"' not in real
    assert 'class="passed hollow"' in chance and 'class="passed fill"' not in chance
    assert "beyond chance" in title_of(real) and "may be chance" in title_of(chance)
    assert 'class="failed' in dumbbells([Dumbbell("a", 0.7, 0.2)]) and 'class="passed' in dumbbells(
        [Dumbbell("timeout", 0.7, 0.2, better=True)]
    )


@given(st.lists(st.tuples(any_float, st.integers(0, 9), st.integers(0, 9)), max_size=30))
def test_no_episode_is_lost_in_bins(counts: list[tuple[float, int, int]]) -> None:
    rows = bins(counts)
    known = [one for one in counts if math.isfinite(one[0])]
    assert sum(row.passed for row in rows) == sum(one for _, one, _ in known)
    assert sum(row.failed for row in rows) == sum(one for _, _, one in known)
    assert len(rows) <= 45
    drawn(histogram(rows))


def test_a_bar_is_a_link_if_the_caller_gives_one() -> None:
    rows = [Bin(0, 0.5, 1, 2, "/runs/a%2Fb?reward=0..0.5"), Bin(0.5, 1, 3, 0)]
    links = [one.attrib for one in ET.fromstring(histogram(rows)).iter(f"{SVG}a")]
    assert [one["href"] for one in links] == ["/runs/a%2Fb?reward=0..0.5"]
    assert links[0]["aria-label"] == "reward 0 to 0.5: 1 passed, 2 failed"


def test_a_large_tree_folds_rejected_leaves() -> None:
    nodes = [Node("base", "base", since="2026-11-01", champion=True)]
    nodes += [Node(f"v{index}", f"v{index}", "base", "weights", "REJECT") for index in range(99)]
    nodes += [Node("good", "good", "v3", "weights", "PROMOTE")]
    picture = drawn(lineage(nodes))
    shown = [one.text for one in ET.fromstring(picture).iter(f"{SVG}text")]
    assert "v3" in shown and "good" in shown and "v4" not in shown
    assert any("98 rejected" in (one or "") for one in shown)
    assert "98 rejected versions not drawn" in title_of(picture)
    assert "rejected version" not in title_of(lineage(nodes[:60]))


def test_rejected_branches_are_folded_whole() -> None:
    nodes = [Node("base", "base")] + [
        Node(f"v{i}", f"v{i}", f"v{i - 1}" if i else "base", "weights", "REJECT") for i in range(80)
    ]
    shown = [one.text or "" for one in ET.fromstring(lineage(nodes)).iter(f"{SVG}text")]
    assert any("80 rejected" in one for one in shown) and not any(one.startswith("v7") for one in shown)


def test_odd_parents_do_not_break_the_tree() -> None:
    loop = [Node("a", "a", "b"), Node("b", "b", "a"), Node("c", "c", "gone"), Node("d", "d", "d"), Node("a", "twice")]
    assert "4 versions" in title_of(drawn(lineage(loop))) or "5 versions" in title_of(lineage(loop))
    chain = [Node(f"v{i}", f"v{i}", f"v{i - 1}") for i in range(3000)]
    drawn(lineage(chain, most=9999))


def test_the_path_of_the_champion_is_thick() -> None:
    nodes = [Node("a", "a"), Node("b", "b", "a"), Node("c", "c", "b", champion=True), Node("d", "d", "b")]
    assert lineage(nodes).__html__().count("passed stroke thick") == 2
    assert "The champion is c" in title_of(lineage(nodes))


def test_looks_show_the_boundary_and_the_p_that_was_reached() -> None:
    taken = [Look(41, 0.1, 0.003, 0.003), Look(82, 0.2, 0.006, 0.004)]
    assert "look 2 after 82 tasks needed p at most 0.004" in title_of(looks(taken, p=0.02))
    assert 'class="failed fill"' in looks(taken, p=0.02) and 'class="passed fill"' in looks(taken, p=0.001)
    for p in (0.0, 1.0, math.nan, None, 1e-30):
        drawn(looks(taken, p=p))
    assert "no look was taken" in title_of(looks([Look(41, 0.1, 0.0, 0.0)]))


def test_marks_are_drawn_on_their_curve() -> None:
    picture = lines(
        {"reward": {1.0: 0.1, 2.0: 0.3}}, x="step", marks=[Mark(2.0, "alarm", "reward"), Mark(99.0, "outside")]
    )
    assert picture.__html__().count("unsafe fill outline") == 1 and "hollow outline" in picture
    assert "alarm at step 2" in title_of(picture) and "outside" not in picture


def test_a_band_has_an_axis_of_its_own() -> None:
    bands = {"success": {1.0: (0.5, 0.4, 0.6), 2.0: (0.6, 0.5, 0.7), 3.0: (math.nan, 0.0, 1.0)}}
    both = drawn(lines({"reward": {1.0: 100.0, 2.0: 900.0}}, bands=bands, bands_y="success"))
    shown = [one.text for one in ET.fromstring(both).iter(f"{SVG}text")]
    assert "1,000" in shown and "0.7" in shown
    assert "success from 0.5 to 0.6" in title_of(both)
    drawn(lines({}, bands=bands))
    drawn(lines({}, bands={"success": {1.0: (0.5, 0.5, 0.5)}}))


def test_siblings_say_reward_and_advantage() -> None:
    picture = strip(
        [Dot("attempt 1", 1.0, True, 0.7, True), Dot("attempt 2", 0.0, False, -0.7), Dot("attempt 3", None)]
    )
    assert "attempt 1: reward 1, passed, advantage +0.70" in picture
    assert title_of(picture) == "Attempts by reward: 1 of 2 passed, reward 0 to 1, 1 not scored"
    assert "no attempt was scored" in title_of(strip([Dot("a", None), Dot("b", math.nan)]))


def test_a_timeline_has_failures_and_changes() -> None:
    picture = timeline(
        [Step("09:00", 100, 5), Step("10:00", 0), Step("11:00", 100, 20)],
        [Change(1.5, "v2 answers"), Change(9, "late")],
    )
    assert title_of(picture) == "Conversations over time: 200 conversations, 25 failed (12.5%). Changes: v2 answers"
    assert "09:00: 100 conversations, 5 failed (5.0%)" in picture


@given(st.lists(any_float, max_size=20))
def test_any_values_are_a_sparkline(values: list[float]) -> None:
    assert drawn(sparkline(values)).startswith("<svg")
