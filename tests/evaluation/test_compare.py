import msgspec
import pytest

from tests.evaluation.builders import report, tasks
from verigym.core.errors import Refused
from verigym.core.records import Report
from verigym.evaluation.compare import Comparison, Flip, compare
from verigym.evaluation.stats import mcnemar_midp, paired_delta
from verigym.evaluation.suites import make_suite


def _with_error(of: Report, place: int) -> Report:
    results = list(of.results)
    results[place] = msgspec.structs.replace(results[place], error=True, passed=0.0, reward=0.0, repeats=0, rates={})
    return msgspec.structs.replace(of, results=results, errors=1)


def test_tasks_are_paired_and_flips_listed_with_what_to_look_at():
    comparison = compare(report("old", [1, 0, 0, 1]), report("new", [1, 1, 1, 0]))
    assert comparison.gained == [Flip("t1", "of t1", "of t1"), Flip("t2", "of t2", "of t2")]
    assert comparison.lost == [Flip("t3", "of t3", "of t3")]
    assert comparison.mcnemar == mcnemar_midp(2, 1)
    assert comparison.success == paired_delta([1, 0, 0, 1], [1, 1, 1, 0], range(4), rate=True)
    assert (comparison.champion_success.value, comparison.candidate_success.value) == (0.5, 0.75)
    assert comparison.buckets == {"wrong tool": (2, 1)}


def test_pairing_goes_by_task_and_not_by_place():
    candidate = report("new", [1, 0, 0, 1])
    shuffled = msgspec.structs.replace(candidate, results=candidate.results[::-1])
    assert compare(report("old", [1, 0, 0, 1]), shuffled).success.value == 0
    assert compare(report("old", [1, 0, 0, 1]), shuffled).gained == []


def test_families_make_the_bounds_wider_than_as_many_single_tasks_would():
    old, new = [0.0] * 40, [float(i % 10 < 3) for i in range(40)]
    alone = compare(report("old", old), report("new", new))
    clustered = compare(report("old", old, num_families=10), report("new", new, num_families=10))
    assert clustered.success.low < alone.success.low
    assert clustered.families == 10


def test_a_task_unscored_on_one_side_is_dropped_on_both_and_counted():
    comparison = compare(report("old", [1, 0, 1, 0]), _with_error(report("new", [1, 1, 1, 0]), place=0))
    assert (comparison.tasks, comparison.dropped) == (3, 1)
    assert comparison.success.value == pytest.approx(1 / 3)
    assert comparison.with_errors_failed.value == 0
    assert comparison.lost == []


def test_repeats_have_no_mcnemar_and_flip_with_the_majority():
    comparison = compare(report("old", [0.25, 0.75, 0.5], repeats=4), report("new", [0.5, 0.25, 1.0], repeats=4))
    assert comparison.mcnemar is None
    assert [flip.task for flip in comparison.gained] == ["t0"]
    assert [flip.task for flip in comparison.lost] == ["t1"]


def test_with_repeats_the_shown_trajectories_match_the_majority():
    old, new = report("old", [0.25], repeats=4), report("new", [0.75], repeats=4)
    mostly = msgspec.structs.replace(new.results[0], trajectory="failed", passing="passed")
    (flip,) = compare(old, msgspec.structs.replace(new, results=[mostly])).gained
    assert flip == Flip("t0", "of t0", "passed")


def test_harms_are_counted_by_task():
    comparison = compare(report("old", [1] * 4, unsafe={0}), report("new", [1] * 4, unsafe={1, 2}, invalid={3}))
    assert (comparison.unsafe.champion, comparison.unsafe.candidate) == (1, 2)
    assert comparison.unsafe.increase.value == 0.25
    assert comparison.invalid is not None
    assert (comparison.invalid.champion, comparison.invalid.candidate, comparison.invalid.increase.value) == (
        0,
        1,
        0.25,
    )


def test_a_verifier_that_does_not_judge_validity_gives_no_figure_for_it():
    old = report("old", [1, 0])
    silent = [msgspec.structs.replace(result, rates={}) for result in old.results]
    assert compare(msgspec.structs.replace(old, results=silent), report("new", [1, 0])).invalid is None


def test_reports_on_different_suites_are_refused():
    old = report("old", [1, 0])
    other = msgspec.structs.replace(old, suite=make_suite("calendar", "desk", tasks(2), "match@2"))
    with pytest.raises(Refused, match="tasks or verifiers differ"):
        compare(old, other)


def test_reports_that_share_no_scored_task_are_refused():
    with pytest.raises(Refused, match="share no task"):
        compare(report("old", [1]), _with_error(report("new", [1]), place=0))


def test_a_comparison_survives_json():
    comparison = compare(report("old", [1, 0, 0, 1]), report("new", [1, 1, 1, 0]))
    assert msgspec.json.decode(msgspec.json.encode(comparison), type=Comparison) == comparison
