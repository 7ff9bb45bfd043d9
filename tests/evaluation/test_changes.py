import msgspec
import pytest

from tests.evaluation.builders import report
from verigym.core.records import Report
from verigym.evaluation.compare import Changes, changes
from verigym.evaluation.stats import sign_flip_p


def _spending(of: Report, **amounts: float) -> Report:
    results = [
        msgspec.structs.replace(one, **{name: value * (1 + i % 3) for name, value in amounts.items()})
        for i, one in enumerate(of.results)
    ]
    return msgspec.structs.replace(of, results=results)


def _bucketed(of: Report, buckets: dict[int, str]) -> Report:
    results = [msgspec.structs.replace(one, bucket=buckets.get(i, "")) for i, one in enumerate(of.results)]
    return msgspec.structs.replace(of, results=results)


def test_families_that_moved_most_come_first_and_three_tasks_make_no_claim():
    old, new = report("old", [0, 0, 1] * 3, num_families=3), report("new", [1, 0, 1, 1, 1, 0, 1, 0, 1], num_families=3)
    found = changes(old, new).families
    assert [(one.name, one.champion, one.candidate) for one in found] == [
        ("f0", 0, 1),
        ("f1", 0, pytest.approx(1 / 3)),
        ("f2", 1, pytest.approx(2 / 3)),
    ]
    assert found[0].p == 0.25 and found[0].q >= 0.5


def test_a_large_family_can_change_beyond_chance_alone():
    old = report("old", [0] * 60, num_families=3)
    new = report("new", [float(i % 3 == 0) for i in range(60)], num_families=3)
    changed = [one.name for one in changes(old, new).families if one.q <= 0.05]
    assert changed == ["f0"]


def test_bucket_changes_are_corrected_for_multiple_comparisons():
    old, new = report("old", [0] * 40), report("new", [0] * 40)
    before = _bucketed(old, {i: "format error" if i < 30 else "wrong tool" for i in range(40)})
    after = _bucketed(new, {i: "format error" if i < 2 else "wrong tool" if i < 39 else "truncated" for i in range(40)})
    found = {one.name: one for one in changes(before, after).buckets}
    assert (found["format error"].champion, found["format error"].candidate) == (0.75, 0.05)
    assert found["format error"].q <= 0.05 < found["truncated"].q


def test_ratios_are_of_what_both_reports_hold():
    old = _spending(report("old", [1, 0, 1, 1, 0, 1]), latency_s=1.0, tokens=10, cost=0.1)
    new = _spending(report("new", [1, 1, 1, 1, 1, 1]), latency_s=2.0, tokens=5)
    ratios = changes(old, new).ratios
    assert list(ratios) == ["latency p50 s", "latency p95 s", "tokens", "tokens per success"]
    assert ratios["latency p50 s"].value == 2
    assert ratios["tokens"].value == pytest.approx(0.5)
    assert ratios["tokens per success"].value == pytest.approx(0.5 * 4 / 6)
    assert all(one.low < one.value < one.high for name, one in ratios.items() if name.startswith("tokens"))


def test_reports_of_an_older_verigym_have_no_ratios():
    assert changes(report("old", [1, 0]), report("new", [1, 1])).ratios == {}


def test_no_success_on_one_side_gives_no_ratio_of_what_a_success_takes():
    old, new = (_spending(report(name, [0, 0]), cost=0.1) for name in ("old", "new"))
    assert list(changes(old, new).ratios) == ["cost"]


def test_the_permutation_is_over_families():
    old, new = report("old", [0] * 6, num_families=3), report("new", [1, 1, 0, 1, 0, 0], num_families=3)
    assert changes(old, new).sign_flip == sign_flip_p([2, 1, 0])


def test_changes_survive_json():
    found = changes(_spending(report("old", [1, 0]), tokens=3), _spending(report("new", [0, 1]), tokens=4))
    assert msgspec.json.decode(msgspec.json.encode(found), type=Changes) == found
