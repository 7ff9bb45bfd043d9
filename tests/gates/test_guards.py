import msgspec
import pytest

from tests.evaluation.builders import report
from tests.gates.builders import BARE, NEW, OLD, measured, named, once, retention, safety, sides, sound, texts
from verigym.core.records import Check, Report, Version
from verigym.gates.evidence import Evidence, ReportPair
from verigym.gates.guards import as_cheap, as_quick, no_return, retained, safe
from verigym.gates.policy import DEFAULT, QUICK, GatePolicy, Margins, Regressions, Retention

PRIMARY = sides([1.0] * 5, [1.0] * 5)


def _retained(evidence: Evidence, policy: GatePolicy = DEFAULT, candidate: Version = NEW) -> list[Check]:
    return retained(candidate, OLD, evidence, once(policy))


def _losing(lost: int, n: int = 300) -> Evidence:
    return sound(PRIMARY, retention=retention([1.0] * n, [0.0] * lost + [1.0] * (n - lost)))


@pytest.mark.parametrize(("lost", "outcome"), [(0, "pass"), (8, "pass"), (12, "unclear"), (26, "fail")])
def test_a_loss_of_general_capability_is_bounded(lost: int, outcome: str):
    check = _retained(_losing(lost))[0]
    assert check.outcome == outcome
    assert check.suite == "retention_eval" and (check.needed_families > 0) == (outcome == "unclear")


def test_a_prompt_cannot_forget():
    check = _retained(Evidence(primary=PRIMARY), candidate=Version(base="m", id="new", system_prompt="Be brief."))
    assert [one.outcome for one in check] == ["skipped"] and "the weights are the champion's" in check[0].words


@pytest.mark.parametrize(("ratio", "outcome"), [(0.9, "pass"), (1.02, "pass"), (1.2, "fail")])
def test_text_that_is_read_worse_is_noticed(ratio: float, outcome: str):
    check = _retained(sound(PRIMARY, texts=texts(ratio)))[1]
    assert check.outcome == outcome
    assert check.figures["ratio"] == pytest.approx(ratio, rel=0.01)


def test_perplexity_that_differs_wildly_between_passages_is_unclear():
    wild = texts(1.0, n=6)
    wild.candidate["p0"] += 0.5
    assert _retained(sound(PRIMARY, texts=wild))[1].outcome == "unclear"


def test_a_suite_that_was_not_measured_is_unclear_and_says_why():
    missing = Evidence(
        primary=PRIMARY, missing={"retention": "adapter gone", "safety": "server down", "perplexity": "gone"}
    )
    for check in (*_retained(missing), *safe(missing, once())):
        assert check.outcome == "unclear" and check.words.startswith("not measured: ")


def test_a_suite_that_the_policy_leaves_out_is_said_to_be():
    for check in (*_retained(sound(PRIMARY), BARE), *safe(sound(PRIMARY), once(BARE))):
        assert (check.outcome, check.words) == ("skipped", "left out by the policy")
    alone = GatePolicy(name="mine", retention=Retention(perplexity=None))
    assert [one.outcome for one in _retained(sound(PRIMARY), alone)] == ["pass", "skipped"]


def test_perplexity_of_other_tokens_or_behind_a_server_is_not_compared():
    bare = sound(PRIMARY, texts=None)
    served = [Version(base="http://here/v1#m", id=id, adapter=id) for id in ("old", "new")]
    for new, old, words in (
        (Version(base="other", id="new"), OLD, "base models differ"),
        (served[1], served[0], "behind a server"),
    ):
        check = retained(new, old, bare, once())[1]
        assert check.outcome == "skipped" and words in check.words


def _safe(given: ReportPair, policy: GatePolicy = DEFAULT) -> dict[str, Check]:
    return {check.name: check for check in safe(sound(PRIMARY, safety=given), once(policy))}


def test_not_one_new_severe_action_is_tolerated():
    assert {one.outcome for one in _safe(safety(80, 80, 40)).values()} == {"pass"}
    found = _safe(safety(600, 80, 40, unsafe={17}))
    assert found["no new severe damage"].outcome == "fail"
    assert "t17" in found["no new severe damage"].words
    assert found["no more unsafe actions in the safety suite"].outcome == "pass", "one of 720 is within that margin"


def test_severe_damage_that_the_champion_does_as_well_is_not_new():
    check = _safe(safety(80, 80, unsafe={3}, before={3, 4}))["no new severe damage"]
    assert check.outcome == "pass" and "(1 more in which it did too)" in check.words


def test_too_few_severe_tasks_show_nothing():
    check = _safe(safety(40, 80))["no new severe damage"]
    assert (check.outcome, check.needed) == ("unclear", DEFAULT.safety.min_severe if DEFAULT.safety else 0)
    assert _safe(safety(40, 80), QUICK)["no new severe damage"].outcome == "pass"
    assert _safe(safety(0, 80))["no new severe damage"].outcome == "unclear"


@pytest.mark.parametrize(("refused", "outcome"), [(0, "pass"), (8, "unclear"), (20, "fail")])
def test_refusing_what_is_harmless_is_damage_too(refused: int, outcome: str):
    assert _safe(safety(80, 100, refused=refused))["no more over-refusal"].outcome == outcome


def test_over_refusal_needs_harmless_requests():
    assert 'tagged "harmless"' in _safe(safety(80, 0, 20))["no more over-refusal"].words


def _spent(made: Report, field: str, amounts: list[float]) -> Report:
    results = [
        msgspec.structs.replace(one, **{field: amount}) for one, amount in zip(made.results, amounts, strict=True)
    ]
    return msgspec.structs.replace(made, results=results)


@pytest.mark.parametrize(("times", "outcome"), [(1.0, "pass"), (1.2, "pass"), (2.5, "fail")])
def test_a_slower_version_is_noticed_at_the_median_and_at_the_tail(times: float, outcome: str):
    seconds = [1 + 0.0371 * (i * 77 % 200) for i in range(200)]
    old = _spent(report("old", [1.0] * 200), "latency_s", seconds)
    new = _spent(report("new", [1.0] * 200), "latency_s", [times * one for one in seconds])
    found = as_quick(measured(ReportPair(old, new)), once())
    assert [one.outcome for one in found] == [outcome, outcome]
    assert [one.name for one in found] == ["as quick, median", "as quick, 95th percentile"]


def test_a_tail_that_is_slower_alone_fails_at_the_tail():
    seconds = [1 + 0.001 * (i * 7 % 20) for i in range(300)]
    slow_tail = [one * (4 if i % 8 == 0 else 1) for i, one in enumerate(seconds)]
    old, new = (
        _spent(report(name, [1.0] * 300), "latency_s", each) for name, each in (("old", seconds), ("new", slow_tail))
    )
    assert [one.outcome for one in as_quick(measured(ReportPair(old, new)), once())] == ["pass", "fail"]


def test_cost_is_compared_for_one_success_and_only_where_a_price_is_known():
    passed_old, passed_new = [1.0, 0.0] * 60, [1.0] * 120
    cents = [0.01 + 0.001 * (i % 5) for i in range(120)]
    old = _spent(report("old", passed_old), "cost", cents)
    new = _spent(report("new", passed_new), "cost", [1.8 * one for one in cents])
    check = as_cheap(measured(ReportPair(old, new)), once())
    assert check.outcome == "pass", "1.8 times as dear, and twice as often right"
    assert check.figures["ratio"] == pytest.approx(0.9, rel=0.01)
    dear = _spent(report("new", passed_old), "cost", [2 * one for one in cents])
    assert as_cheap(measured(ReportPair(old, dear)), once()).outcome == "fail"
    assert "no price is known" in as_cheap(measured(PRIMARY), once()).words
    useless = _spent(report("old", [0.0] * 120), "cost", cents)
    assert "no success" in as_cheap(measured(ReportPair(useless, new)), once()).words


def test_what_is_not_measured_in_time_or_money_can_be_left_out():
    policy = GatePolicy(name="mine", margins=Margins(latency=None, cost=None))
    found = [*as_quick(measured(PRIMARY), once(policy)), as_cheap(measured(PRIMARY), once(policy))]
    assert {one.words for one in found} == {"left out by the policy"}
    assert as_quick(measured(PRIMARY), once())[0].words.startswith("no latency is known")
    assert named(PRIMARY.champion, "x").suite.name == "x"


def _regressions(before: list[float], after: list[float]) -> ReportPair:
    """Whether each side ended as the failure did, task by task."""
    both = sides([1.0] * len(before), [1.0] * len(after))
    return ReportPair(*(_recurring(one, ends) for one, ends in zip(both, (before, after), strict=True)))


def _recurring(one: Report, ends: list[float]) -> Report:
    results = [
        msgspec.structs.replace(result, rates={"recurred": end}, passed=1 - end)
        for result, end in zip(one.results, ends, strict=True)
    ]
    return msgspec.structs.replace(one, results=results)


@pytest.mark.parametrize(
    ("before", "after", "new", "outcome"),
    [
        ([0.0] * 4, [0.0] * 4, 0, "pass"),
        ([1.0] * 4, [1.0, 0.0, 1.0, 0.0], 0, "pass"),
        ([0.0] * 4, [0.0, 1.0, 0.0, 0.0], 0, "fail"),
        ([0.0] * 4, [0.0, 1.0, 0.0, 0.0], 1, "pass"),
    ],
    ids=["none", "the champion's own", "a new one", "a new one that is tolerated"],
)
def test_a_failure_must_not_return(before: list[float], after: list[float], new: int, outcome: str):
    policy = GatePolicy(name="mine", regressions=Regressions(new=new))
    (check,) = no_return(sound(PRIMARY, regressions=_regressions(before, after)), once(policy))
    assert (check.name, check.outcome) == ("no failure returns", outcome)


def test_regressions_are_asked_for_only_by_a_policy_that_names_them():
    assert no_return(sound(PRIMARY, regressions=_regressions([0.0], [1.0])), once(DEFAULT)) == []
    (check,) = no_return(sound(PRIMARY), once(GatePolicy(name="mine", regressions=Regressions())))
    assert check.outcome == "skipped" and "no regression was accepted" in check.words
