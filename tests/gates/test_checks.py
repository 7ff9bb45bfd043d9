import msgspec
import pytest

from tests.evaluation.builders import report
from verigym.core.errors import Refused
from verigym.core.records import Check, Version
from verigym.evaluation.compare import Comparison, compare
from verigym.gates.checks import better, few_errors, held_out, no_more_invalid, no_more_unsafe
from verigym.gates.policy import DEFAULT, GatePolicy


def _flipped(gained: int, lost: int, n: int, num_families: int | None = None) -> Comparison:
    """`gained` tasks turn to passed, `lost` to failed, the others stay."""
    old = [0.0] * gained + [1.0] * lost + [float(i % 2) for i in range(n - gained - lost)]
    new = [1.0] * gained + [0.0] * lost + old[gained + lost :]
    return compare(report("old", old, num_families), report("new", new, num_families))


def test_a_clear_gain_passes():
    check = better(_flipped(gained=30, lost=8, n=120), DEFAULT)
    assert check.outcome == "pass"
    assert check.figures["low"] > 0


@pytest.mark.parametrize("n", [12, 20, 100])
def test_twelve_gained_and_none_lost_is_not_called_inconclusive(n: int):
    assert better(_flipped(gained=12, lost=0, n=n), DEFAULT).outcome == "pass"


def test_a_fall_from_75_to_25_percent_with_repeats_fails():
    comparison = compare(report("old", [0.75] * 20, repeats=4), report("new", [0.25] * 20, repeats=4))
    assert better(comparison, DEFAULT).outcome == "fail"


def test_ten_identical_results_are_not_a_pass():
    check = better(compare(report("old", [1.0] * 10), report("new", [1.0] * 10)), DEFAULT)
    assert check.outcome == "unclear"
    assert check.figures["low"] < 0 < check.figures["high"]
    assert check.needed > 10


def test_three_gained_of_a_hundred_do_not_pass_by_the_t_test_alone():
    check = better(_flipped(gained=3, lost=0, n=100), DEFAULT)
    assert check.figures["low"] > 0
    assert check.outcome == "unclear"


@pytest.mark.parametrize("num_families", [1, 2, 4])
def test_a_gain_in_fewer_than_five_families_is_not_shown_however_many_tasks_they_hold(num_families: int):
    check = better(_flipped(gained=40, lost=0, n=40, num_families=num_families), DEFAULT)
    assert check.outcome == "unclear"
    assert "at least 5 families" in check.words
    assert check.needed >= 40 * 5 / num_families


def test_a_policy_may_ask_for_more_families():
    comparison = _flipped(gained=12, lost=0, n=24, num_families=12)
    assert better(comparison, DEFAULT).outcome == "pass"
    assert better(comparison, GatePolicy(min_families=20)).outcome == "unclear"


def test_an_unclear_gain_says_how_many_tasks_would_settle_it():
    check = better(_flipped(gained=9, lost=6, n=60), DEFAULT)
    assert check.outcome == "unclear"
    assert 400 < check.needed < 700
    assert f"about {check.needed} tasks" in check.words


def test_a_gain_in_reward_counts_where_reward_is_the_primary_metric():
    old, new = report("old", [0.0] * 20), report("new", [0.0] * 20)
    raised = [msgspec.structs.replace(one, reward=0.3 + 0.01 * (i % 5)) for i, one in enumerate(new.results)]
    comparison = compare(old, msgspec.structs.replace(new, results=raised))
    assert better(comparison, GatePolicy(primary="reward")).outcome == "pass"
    assert better(comparison, DEFAULT).outcome == "unclear"


def _harmed(champion: int, candidate: int, n: int) -> Check:
    old = report("old", [1.0] * n, unsafe=set(range(champion)))
    new = report("new", [1.0] * n, unsafe=set(range(n - candidate, n)))
    return no_more_unsafe(compare(old, new), DEFAULT)


@pytest.mark.parametrize(
    ("champion", "candidate", "n", "outcome"),
    [
        (0, 0, 58, "unclear"),
        (0, 0, 59, "pass"),
        (0, 1, 100, "pass"),
        (0, 2, 100, "unclear"),
        (0, 5, 100, "unclear"),
        (0, 6, 100, "fail"),
        (0, 12, 600, "pass"),
        (0, 1, 10, "fail"),
        (10, 10, 50, "unclear"),
        (5, 5, 400, "pass"),
        (30, 5, 100, "pass"),
    ],
)
def test_unsafe_actions_are_bounded_exactly_and_fail_only_on_evidence(
    champion: int, candidate: int, n: int, outcome: str
):
    assert _harmed(champion, candidate, n).outcome == outcome


def test_no_unsafe_action_on_few_tasks_needs_as_many_as_the_exact_bound():
    assert _harmed(0, 0, 20).needed == 59


def test_invalid_outputs_are_held_to_their_own_margin():
    comparison = compare(report("old", [1.0] * 100), report("new", [1.0] * 100, invalid={1, 2}))
    assert no_more_invalid(comparison, DEFAULT).outcome == "unclear"
    assert no_more_invalid(comparison, GatePolicy(invalid_margin=0.1)).outcome == "pass"


def test_validity_that_nobody_judged_is_passed_in_words():
    comparison = msgspec.structs.replace(compare(report("old", [1.0]), report("new", [1.0])), invalid=None)
    check = no_more_invalid(comparison, DEFAULT)
    assert (check.outcome, check.figures) == ("pass", {})
    assert "does not judge validity" in check.words


@pytest.mark.parametrize(("errors", "outcome"), [(2, "pass"), (3, "unclear")])
def test_too_many_errors_on_either_side_are_no_measurement(errors: int, outcome: str):
    clean, failing = report("a", [1.0] * 98), report("b", [1.0] * 98, errors=errors)
    assert few_errors(clean, failing, DEFAULT).outcome == outcome
    assert few_errors(failing, clean, DEFAULT).outcome == outcome


def test_a_version_trained_on_a_family_of_the_suite_is_refused():
    suite, clean = report("a", [1.0] * 5).suite, Version(base="m", id="a", families=["elsewhere"])
    trained = Version(base="m", id="b", families=["f3", "f1", "elsewhere"])
    with pytest.raises(Refused, match=r"trained on 2 of the 5 families of suite \"calendar\" \(f1, f3\)"):
        held_out(trained, clean, suite)
    with pytest.raises(Refused, match="version b was trained on 2"):
        held_out(clean, trained, suite)
    assert held_out(clean, clean, suite).outcome == "pass"
