import msgspec
import pytest

from tests.evaluation.builders import tasks
from verigym.core.errors import NotFound
from verigym.core.records import Decision, Estimate, Measurement, Suite
from verigym.evaluation.suites import MANY_VERSIONS, HeldOutSet, SuiteUse, find_set, held_out_sets, make_suite

SUITE = make_suite("calendar", "desk", tasks(6), "match@1")
CHANGED = make_suite("calendar", "desk", tasks(6), "match@2")
ELSEWHERE = make_suite("numbers", "sums", [msgspec.structs.replace(one, family="sum") for one in tasks(2)], "match@1")
SUCCESS = Estimate(0.7, 0.6, 0.8, 100)


def _looks(suite: Suite, *agents: str, start: float = 0.0) -> list[SuiteUse]:
    return [
        SuiteUse(suite, agent, f"{suite.hash[:4]} {agent}" if agent else "", start + i)
        for i, agent in enumerate(agents)
    ]


def test_versions_evaluations_while_training_and_decisions_are_counted():
    (one,) = held_out_sets(
        _looks(SUITE, "a", "", "b", "", "a"),
        [
            Decision(candidate="b", champion="a", verdict="REJECT", reports=[f"{SUITE.hash[:4]} b", "x"]),
            Decision(candidate="b", champion="a", verdict="PROMOTE", measured=[_measured("y", f"{SUITE.hash[:4]} a")]),
            Decision(candidate="c", champion="a", verdict="REJECT", reports=["x"]),
        ],
    )
    assert (one.versions, one.training, one.decisions, one.last_used) == (["a", "b"], 2, 2, 4.0)
    assert one.uses == "2 versions measured, 2 evaluations while training, 2 decisions"


def _measured(candidate: str, champion: str) -> Measurement:
    return Measurement(suite="", hash="", verifier="", tasks=1, repeats=1, candidate=candidate, champion=champion)


def test_a_new_hash_under_the_same_name_is_the_next_version():
    looks = _looks(CHANGED, "a", start=5) + _looks(SUITE, "a", start=1) + _looks(SUITE, "b", start=9)
    found = held_out_sets(looks, [])
    assert [(one.title, one.suite.verifier) for one in found] == [("calendar@1", "match@1"), ("calendar@2", "match@2")]


def test_who_looks_at_a_set_that_shares_families_looks_at_this_one():
    part = make_suite("calendar 1/2", "desk", tasks(6)[:3], "match@1")
    looks = _looks(SUITE, "a", "b") + _looks(part, "c", start=5) + _looks(ELSEWHERE, "d", start=7)
    seen = {one.suite.name: one.seen_by for one in held_out_sets(looks, [])}
    assert seen == {"calendar": 3, "calendar 1/2": 3, "numbers": 1}
    assert held_out_sets(looks, [])[1].uses == "1 version measured (some of its families by 3 versions)"


def _used_by(num: int) -> HeldOutSet:
    return held_out_sets(_looks(SUITE, *(f"v{i}" for i in range(num))), [])[0]


def test_the_overuse_warning_starts_after_many_versions():
    assert _used_by(MANY_VERSIONS).overuse_warning(SUCCESS) == ""
    warning = _used_by(MANY_VERSIONS + 1).overuse_warning(SUCCESS)
    assert "11 versions were measured" in warning and "up to 8 points better" in warning and "--part" in warning


def test_a_set_is_found_by_name_version_and_beginning_of_its_hash():
    sets = held_out_sets(_looks(SUITE, "a") + _looks(CHANGED, "a", start=1) + _looks(ELSEWHERE, "a"), [])
    assert find_set(sets, "calendar").version == 2, "its newest"
    assert find_set(sets, "calendar@1").suite == SUITE
    assert find_set(sets, ELSEWHERE.hash[:8]).suite == ELSEWHERE
    with pytest.raises(NotFound, match=r'There is no suite "calender@1"\. Did you mean "calendar@1"'):
        find_set(sets, "calender@1")
    with pytest.raises(NotFound, match="No suite exists yet"):
        find_set([], "calendar")


def test_one_name_in_two_environments_is_asked_for_by_hash():
    other = make_suite("calendar", "office", [msgspec.structs.replace(one, family="o") for one in tasks(2)], "match@1")
    sets = held_out_sets(_looks(SUITE, "a") + _looks(other, "a"), [])
    assert [one.version for one in sets] == [1, 1]
    with pytest.raises(NotFound, match="Name the suite by its hash"):
        find_set(sets, "calendar")


def test_an_evaluation_during_training_takes_its_name_from_a_report():
    unnamed = msgspec.structs.replace(SUITE, name="desk:val")
    (one,) = held_out_sets(_looks(unnamed, "") + _looks(SUITE, "a", start=3), [])
    assert (one.suite.name, one.training, one.versions) == ("calendar", 1, ["a"])
