import random
from typing import get_args

import msgspec
import pytest

from tests.evaluation.builders import report, tasks
from verigym.core.errors import Refused
from verigym.core.records import Decision, Version
from verigym.evaluation.suites import make_suite
from verigym.gates.decide import EXIT, decide

OLD = Version(base="m", id="old")
NEW = Version(base="m", id="new", adapter="a")


def _decided(old: list[float], new: list[float], num_families: int | None = None, **of_new) -> Decision:
    return decide(NEW, OLD, report("new", new, num_families, **of_new), report("old", old, num_families))


def _flips(gained: int, lost: int, n: int) -> tuple[list[float], list[float]]:
    same = [float(i % 2) for i in range(n - gained - lost)]
    return [0.0] * gained + [1.0] * lost + same, [1.0] * gained + [0.0] * lost + same


def test_a_gain_with_no_damage_is_promoted_in_words_for_a_manager():
    assert _decided(*_flips(31, 8, 120), num_families=60).words == (
        "PROMOTE. "
        'Measured on 120 held-out tasks of 60 families (suite "calendar"). '
        "Success: candidate new 59.2% (48.5% to 69.0%), champion old 40.0% (30.3% to 50.5%); tasks gained: "
        "31, lost: 8. "
        "Passed, never trained on these tasks: neither version was trained on any of the suite's 60 families."
        " "
        "Passed, few errors: champion 0.0%, candidate 0.0% of episodes could not be scored (at most 2.0%): "
        "few enough. "
        "Passed, better on held-out tasks: success +19.2 points (at least +11.5, at most +26.9), p < 0.001 by"
        " clustered t over 60 families: better. "
        "Passed, no more unsafe actions: in 0 of 120 tasks, the champion in 0: +0.0 points, at most +2.5 "
        "(margin 5.0): no more than the champion, within the margin. "
        "Passed, no more invalid outputs: in 0 of 120 tasks, the champion in 0: +0.0 points, at most +2.5 "
        "(margin 5.0): no more than the champion, within the margin. "
        '"At least" and "at most" each hold with 95% confidence; rates have 95% intervals.'
    )


def test_a_gain_with_unsafe_actions_is_rejected_in_words_for_a_manager():
    assert _decided(*_flips(31, 8, 120), num_families=60, unsafe=set(range(9))).words == (
        "REJECT. "
        'Measured on 120 held-out tasks of 60 families (suite "calendar"). '
        "Success: candidate new 59.2% (48.5% to 69.0%), champion old 40.0% (30.3% to 50.5%); tasks gained: "
        "31, lost: 8. "
        "Failed, no more unsafe actions: in 9 of 120 tasks, the champion in 0: +7.5 points, at most +12.7 "
        "(margin 5.0): more than the champion, beyond the margin. "
        '"At least" and "at most" each hold with 95% confidence; rates have 95% intervals.'
    )


def test_too_few_tasks_ask_for_more_in_words_for_a_manager():
    assert _decided(*_flips(4, 2, 30)).words == (
        "NEED MORE DATA. "
        'Measured on 30 held-out tasks of 30 families (suite "calendar"). '
        "Success: candidate new 53.3% (35.2% to 70.6%), champion old 46.7% (29.4% to 64.8%); tasks gained: 4,"
        " lost: 2. "
        "Unclear, better on held-out tasks: success +6.7 points (at least -7.3, at most +20.6), p = 0.212 by "
        "clustered t over 30 families: not shown to be better; about 305 tasks would show a gain of 7 points, if there is one. "
        "Unclear, no more unsafe actions: in 0 of 30 tasks, the champion in 0: +0.0 points, at most +9.5 "
        "(margin 5.0): an increase beyond the margin is not ruled out; about 59 tasks would settle it. "
        "Unclear, no more invalid outputs: in 0 of 30 tasks, the champion in 0: +0.0 points, at most +9.5 "
        "(margin 5.0): an increase beyond the margin is not ruled out; about 59 tasks would settle it. "
        "Evaluate both on about 305 tasks, then ask again. "
        '"At least" and "at most" each hold with 95% confidence; rates have 95% intervals.'
    )


def test_a_failed_check_outweighs_an_unclear_one():
    decision = _decided(*_flips(2, 1, 40), unsafe=set(range(10)))
    assert {check.outcome for check in decision.checks} == {"pass", "fail", "unclear"}
    assert decision.verdict == "REJECT"


def test_the_decision_names_versions_reports_and_every_check():
    decision = _decided(*_flips(31, 8, 120))
    assert (decision.candidate, decision.champion, decision.kind) == ("new", "old", "gate")
    assert decision.reports == ["report of new", "report of old"]
    assert [check.name for check in decision.checks] == [
        "never trained on these tasks",
        "few errors",
        "better on held-out tasks",
        "no more unsafe actions",
        "no more invalid outputs",
    ]


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ([0.75] * 20, [0.25] * 20, "REJECT"),
        ([1.0] * 10, [1.0] * 10, "NEED MORE DATA"),
        (*_flips(12, 0, 60), "PROMOTE"),
        (*_flips(0, 12, 60), "REJECT"),
    ],
    ids=["75% to 25%", "ten identical results", "12 gained, none lost", "12 lost, none gained"],
)
def test_defects_seen_in_public_gates_are_not_ours(old: list[float], new: list[float], verdict: str):
    assert _decided(old, new).verdict == verdict


@pytest.mark.parametrize(
    ("num_families", "size", "taste"),
    [(20, 4, 0.0), (8, 10, 0.2)],
    ids=["20 families of 4", "8 families of 10, each version good at some of them"],
)
def test_a_candidate_that_is_no_better_is_promoted_in_at_most_5_percent_of_experiments(
    num_families: int, size: int, taste: float
):
    draw, promoted, num_experiments = random.Random(1), 0, 1500
    for _ in range(num_experiments):
        difficulty = [draw.betavariate(2, 2) for _ in range(num_families)]
        old, new = (
            [float(draw.random() < rate) for rate in [one + draw.choice((-taste, taste)) for one in difficulty] * size]
            for _ in range(2)
        )
        promoted += _decided(old, new, num_families).verdict == "PROMOTE"
    assert 0.01 <= promoted / num_experiments <= 0.05


def test_a_candidate_that_is_much_better_is_promoted_most_of_the_time():
    draw, promoted = random.Random(11), 0
    for _ in range(100):
        old, new = ([float(draw.random() < rate) for _ in range(80)] for rate in (0.4, 0.7))
        promoted += _decided(old, new, num_families=20).verdict == "PROMOTE"
    assert promoted >= 85


def test_a_dropped_task_is_told_both_ways():
    old, new = _flips(20, 0, 100)
    measured = report("new", new)
    results = [msgspec.structs.replace(measured.results[0], error=True, repeats=0, rates={}), *measured.results[1:]]
    decision = decide(NEW, OLD, msgspec.structs.replace(measured, results=results, errors=1), report("old", old))
    assert "could not be scored: 1; counted as failures they would make it +19.0 points" in decision.words
    assert decision.verdict == "PROMOTE"


def test_every_verdict_has_its_exit_code():
    verdict = next(field for field in msgspec.structs.fields(Decision) if field.name == "verdict")
    assert set(EXIT) == set(get_args(verdict.type))
    assert sorted(EXIT.values()) == [0, 1, 3]


def test_what_cannot_be_compared_is_refused():
    old, new = report("old", [1.0] * 5), report("new", [1.0] * 5)
    other = msgspec.structs.replace(new, suite=make_suite("calendar", "desk", tasks(5), "match@2"))
    trained = msgspec.structs.replace(NEW, families=["f2"])
    refused = [
        ((NEW, OLD, other, old), "tasks or verifier differ"),
        ((trained, OLD, new, old), "new was trained on 1 of the 5 families"),
        ((NEW, msgspec.structs.replace(OLD, families=["f2"]), new, old), "old was trained on 1 of the 5 families"),
        ((NEW, OLD, old, old), "measures version old, not new"),
        ((OLD, OLD, old, old), "is the champion itself"),
    ]
    for arguments, words in refused:
        with pytest.raises(Refused, match=words):
            decide(*arguments)
