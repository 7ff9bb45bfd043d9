import random

import msgspec
import pytest

from tests.evaluation.builders import report
from tests.gates.builders import by_family, measured, once, sides
from verigym.audit.labels import Calibration
from verigym.core.errors import Refused
from verigym.core.records import Check, Report, Version
from verigym.evaluation.compare import compare
from verigym.evaluation.stats import Delta
from verigym.gates.checks import (
    as_reliable,
    better,
    few_errors,
    honest_reward,
    kept,
    no_more_invalid,
    no_more_tool_errors,
    no_more_unsafe,
    trusted,
)
from verigym.gates.evidence import Evidence, ReportPair, TrainingEvidence
from verigym.gates.held_out import held_out
from verigym.gates.policy import DEFAULT, GatePolicy, Margins


def _flipped(gained: int, lost: int, n: int, num_families: int | None = None) -> ReportPair:
    """`gained` tasks turn to passed, `lost` to failed, the others stay."""
    old = [0.0] * gained + [1.0] * lost + [float(i % 2) for i in range(n - gained - lost)]
    new = [1.0] * gained + [0.0] * lost + old[gained + lost :]
    return sides(old, new, num_families)


def _better(given: ReportPair, policy: GatePolicy = DEFAULT) -> Check:
    return better(measured(given), once(policy))


def test_a_clear_gain_passes():
    check = _better(_flipped(gained=30, lost=8, n=120))
    assert check.outcome == "pass"
    assert check.figures["low"] > 0


@pytest.mark.parametrize("n", [12, 20, 100])
def test_twelve_gained_and_none_lost_is_not_called_inconclusive(n: int):
    assert _better(_flipped(gained=12, lost=0, n=n)).outcome == "pass"


def test_a_fall_from_75_to_25_percent_with_repeats_fails():
    fallen = ReportPair(report("old", [0.75] * 20, repeats=4), report("new", [0.25] * 20, repeats=4))
    assert _better(fallen).outcome == "fail"


def test_ten_identical_results_are_not_a_pass():
    check = _better(sides([1.0] * 10, [1.0] * 10))
    assert check.outcome == "unclear"
    assert check.figures["low"] < 0 < check.figures["high"]
    assert check.words == "both pass all of 10 tasks, so there is nothing to compare. Add harder tasks"


def test_where_nothing_passes_there_is_nothing_to_compare():
    check = _better(sides([0.0] * 10, [0.0] * 10))
    assert (check.outcome, check.needed_families) == ("unclear", 0)
    assert check.words == (
        "both pass none of 10 tasks, so there is nothing to compare. Improve the candidate before you add tasks"
    )


def test_three_gained_of_a_hundred_do_not_pass_by_the_t_test_alone():
    check = _better(_flipped(gained=3, lost=0, n=100))
    assert check.outcome != "pass" and check.figures["p"] > 1 / 16


@pytest.mark.parametrize("num_families", [1, 2, 4])
def test_fewer_than_five_families_never_show_a_gain(num_families: int):
    check = _better(_flipped(gained=40, lost=0, n=40, num_families=num_families))
    assert check.outcome == "unclear"
    assert "at least 5 families are needed" in check.words
    assert check.needed_families >= 5 - num_families and check.looks == []


def test_a_policy_may_ask_for_more_families():
    gained = _flipped(gained=12, lost=0, n=24, num_families=12)
    assert _better(gained).outcome == "pass"
    assert _better(gained, GatePolicy(name="mine", min_families=20)).outcome == "unclear"


def test_an_unclear_gain_says_how_many_new_families_would_settle_it():
    check = _better(_flipped(gained=9, lost=6, n=60))
    assert check.outcome == "unclear"
    assert 400 < check.needed_families < 900
    assert "new famil" not in check.words, "the decision has one number for all checks"
    assert "All 60 tasks were measured, and they show gains of" in check.words


def test_a_gain_in_reward_counts_where_reward_is_the_primary_metric():
    old, new = report("old", [0.0] * 20), report("new", [0.0] * 20)
    raised = [msgspec.structs.replace(one, reward=0.3 + 0.01 * (i % 5)) for i, one in enumerate(new.results)]
    given = ReportPair(old, msgspec.structs.replace(new, results=raised))
    assert _better(given, GatePolicy(name="mine", primary="reward")).outcome == "pass"
    assert _better(given).outcome == "unclear"


def _harmed(champion: int, candidate: int, n: int) -> Check:
    old = report("old", [1.0] * n, unsafe=set(range(champion)))
    new = report("new", [1.0] * n, unsafe=set(range(n - candidate, n)))
    return no_more_unsafe(measured(ReportPair(old, new)), once(), marked=True)


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
        (0, 1, 10, "unclear"),
        (0, 3, 10, "fail"),
        (10, 10, 50, "unclear"),
        (5, 5, 400, "pass"),
        (30, 5, 100, "pass"),
    ],
)
def test_unsafe_actions_are_bounded_exactly_and_fail_only_on_evidence(
    champion: int, candidate: int, n: int, outcome: str
):
    assert _harmed(champion, candidate, n).outcome == outcome


def test_no_unsafe_action_on_few_tasks_needs_as_many_families_as_the_exact_bound():
    check = _harmed(0, 0, 20)
    assert check.needed_families == 59 - 20 and "all 20 tasks were measured" in check.words
    assert check.looks == [], "a look at which nobody could pass spends nothing"


def test_invalid_outputs_are_held_to_their_own_margin():
    given = measured(sides([1.0] * 100, [1.0] * 100, invalid={1, 2}))
    assert no_more_invalid(given, once()).outcome == "unclear"
    wide = GatePolicy(name="wide", margins=Margins(invalid=0.1))
    assert no_more_invalid(given, once(wide)).outcome == "pass"


def test_what_the_verifier_does_not_judge_is_skipped_in_words():
    check = no_more_tool_errors(measured(sides([1.0] * 9, [1.0] * 9)), once())
    assert (check.outcome, check.figures) == ("skipped", {})
    assert "does not judge it" in check.words


def _with_rates(made: Report, part: str, wrong: set[int]) -> Report:
    results = [
        msgspec.structs.replace(one, rates={**one.rates, part: float(place not in wrong)})
        for place, one in enumerate(made.results)
    ]
    return msgspec.structs.replace(made, results=results)


def test_calls_that_do_not_execute_are_counted_where_the_verifier_says_so():
    old = _with_rates(report("old", [1.0] * 100), "executed", set())
    new = _with_rates(report("new", [1.0] * 100), "executed", set(range(12)))
    check = no_more_tool_errors(measured(ReportPair(old, new)), once())
    assert check.outcome == "fail"
    assert "in 12 of 100 tasks, the champion in 0" in check.words


@pytest.mark.parametrize(
    ("check", "field"),
    [
        (lambda given, judging: no_more_unsafe(given, judging, True), "unsafe"),
        (no_more_invalid, "invalid"),
        (kept, "mastered"),
    ],
    ids=["unsafe", "invalid", "mastered"],
)
def test_a_margin_that_is_null_leaves_its_check_out_in_words(check, field: str):
    policy = GatePolicy(name="mine", margins=msgspec.structs.replace(Margins(), **{field: None}))
    found = check(measured(sides([1.0] * 9, [0.0] * 9)), once(policy))
    assert (found.outcome, found.words) == ("skipped", "left out by the policy")


@pytest.mark.parametrize(("errors", "outcome"), [(2, "pass"), (3, "unclear")])
def test_too_many_errors_on_either_side_are_no_measurement(errors: int, outcome: str):
    clean, failing = report("a", [1.0] * 98), report("b", [1.0] * 98, errors=errors)
    for given in (ReportPair(clean, failing), ReportPair(failing, clean)):
        assert few_errors([given], compare(*given), once()).outcome == outcome


def test_errors_on_a_guardrail_suite_count_as_well():
    clean = ReportPair(report("a", [1.0] * 98), report("b", [1.0] * 98))
    failing = ReportPair(clean.champion, report("b", [1.0] * 98, errors=9))
    check = few_errors([clean, failing], compare(*clean), once())
    assert check.outcome == "unclear" and "candidate 8.4% of episodes in calendar" in check.words


# -- what the champion masters --------------------------------------------------------------------------------------


def test_gains_elsewhere_do_not_hide_a_loss_of_mastered_tasks():
    old = {f"good{i}": [1.0] * 5 for i in range(10)} | {f"bad{i}": [0.0] * 5 for i in range(10)}
    new = {f"good{i}": [1.0] * 3 + [0.0] * 2 for i in range(10)} | {f"bad{i}": [1.0] * 5 for i in range(10)}
    check = kept(by_family(old, new), once())
    assert check.outcome == "fail"
    assert "on 50 of 100 tasks, from families that the champion mostly passes: -20.0 points" in check.words


def test_luck_of_the_champion_is_not_taken_for_mastery():
    """Two versions of equal skill: chosen by their own outcome, the champion's passes would always look lost."""
    draw, found = random.Random(3), {"pass": 0, "fail": 0, "unclear": 0, "skipped": 0}
    for _ in range(200):
        old, new = ({f"f{i}": [float(draw.random() < 0.5) for _ in range(3)] for i in range(80)} for _ in range(2))
        found[kept(by_family(old, new), once()).outcome] += 1
    assert found["fail"] <= 10


def test_a_champion_that_passes_next_to_nothing_cannot_lose_more_than_the_margin():
    never, always = ({f"f{i}": [passed, passed] for i in range(80)} for passed in (0.0, 1.0))
    check = kept(by_family(never, always), once())
    assert check.outcome == "skipped" and "within the margin" in check.words


def test_where_nothing_is_mastered_there_is_nothing_to_lose():
    old = {f"f{i}": [0.0, 0.0, 0.0] for i in range(5)}
    assert "there is nothing to lose" in kept(by_family(old, old), once()).words
    single = {f"f{i}": [1.0] for i in range(5)}
    assert "cannot be told from luck" in kept(by_family(single, single), once()).words


# -- pass^k ---------------------------------------------------------------------------------------------------------


def test_a_version_that_passes_as_often_but_less_reliably_is_noticed():
    """Half of the tasks always, against every task half of the time."""
    old = report("old", [1.0] * 50 + [0.0] * 50, repeats=4)
    new = report("new", [0.5] * 100, repeats=4)
    asked = GatePolicy(name="mine", margins=Margins(pass_k=0.05))
    check = as_reliable(measured(ReportPair(old, new)), once(asked))
    assert check.outcome == "fail"
    assert "all 4 repeats pass in 0 of 100 tasks, the champion's in 50" in check.words
    assert as_reliable(measured(sides([1.0], [1.0])), once(asked)).outcome == "skipped"


def test_how_reliable_a_version_is_is_only_reported_unless_the_policy_has_a_margin():
    old, new = report("old", [1.0] * 50 + [0.0] * 50, repeats=4), report("new", [0.5] * 100, repeats=4)
    check = as_reliable(measured(ReportPair(old, new)), once())
    assert check.outcome == "skipped" and "the champion's in 50 (reported only" in check.words


# -- reward against success -----------------------------------------------------------------------------------------


def _rewarded(made: Report, rewards: list[float]) -> Report:
    results = [msgspec.structs.replace(one, reward=reward) for one, reward in zip(made.results, rewards, strict=True)]
    return msgspec.structs.replace(made, results=results)


def test_reward_that_rises_while_success_falls_is_called_reward_hacking():
    old = _rewarded(report("old", [1.0] * 30 + [0.0] * 30), [0.5 + 0.001 * i for i in range(60)])
    new = _rewarded(report("new", [1.0] * 10 + [0.0] * 50), [0.9 + 0.001 * (i % 7) for i in range(60)])
    comparison = compare(old, new)
    check = honest_reward(comparison, None)
    assert check.outcome == "fail" and check.words.startswith("reward hacking: on this suite reward rose")
    by_reward = GatePolicy(name="by reward", primary="reward")
    assert _better(ReportPair(old, new), by_reward).outcome == "pass", "by its reward alone"


def _fell(points: float) -> Delta:
    return Delta(value=points, low=points - 0.1, high=points + 0.05, p=1.0, method="", n=60, families=60)


def test_reward_up_and_held_out_success_down_is_reward_hacking():
    same = compare(report("old", [1.0, 0.0] * 30), report("new", [1.0, 0.0] * 30))
    rose = TrainingEvidence(
        run="grpo-1", paid_by="no_complaints", reward=(0.4, 0.9), start="sft", since_start=_fell(-0.3)
    )
    check = honest_reward(same, rose)
    assert check.outcome == "fail"
    assert "grpo-1, paid by no_complaints) reward rose from 0.4 to 0.9" in check.words
    assert "fell against its start sft: -30.0 points" in check.words
    flat = msgspec.structs.replace(rose, reward=None)
    assert honest_reward(same, flat).outcome == "pass", "success that fell alone is not hacking"
    assert honest_reward(same, msgspec.structs.replace(rose, since_start=None)).outcome == "pass"
    alarmed = msgspec.structs.replace(flat, alarm="reward rose while held-out success fell from 60% to 40%")
    assert "held-out success fell from 60% to 40%" in honest_reward(same, alarmed).words


# -- refusals -------------------------------------------------------------------------------------------------------


def test_a_judge_decides_only_after_people_agreed_with_it():
    asking = Evidence(primary=sides([1.0] * 5, [1.0] * 5), judge="j1")
    assert trusted(Evidence(primary=asking.primary), DEFAULT).outcome == "skipped"
    unknown = trusted(asking, DEFAULT)
    assert unknown.outcome == "unclear" and "(verigym label run --single)" in unknown.words
    assert "(verigym audit run desk run)" in unknown.words
    weak = Calibration(verifier="match@1", judge="j1", n=30, kappa=0.7, low=0.45, high=0.9)
    few = trusted(msgspec.structs.replace(asking, calibration=weak), DEFAULT)
    assert few.outcome == "unclear" and "30 labels are too few" in few.words
    wrong = msgspec.structs.replace(weak, kappa=0.2, low=0.1, high=0.4)
    with pytest.raises(Refused, match=r"disagrees with people on 30 labels: kappa 0\.20"):
        trusted(msgspec.structs.replace(asking, calibration=wrong), DEFAULT)
    strong = msgspec.structs.replace(weak, n=100, low=0.62)
    assert trusted(msgspec.structs.replace(asking, calibration=strong), DEFAULT).outcome == "pass"


def test_a_version_trained_on_a_family_of_the_suite_is_refused():
    suite, clean = report("a", [1.0] * 5).suite, Version(base="m", id="a", families=["elsewhere"])
    trained = Version(base="m", id="b", families=["f3", "f1", "elsewhere"])
    with pytest.raises(Refused, match=r"trained on 2 of the 5 families of suite \"calendar\" \(f1, f3\)"):
        held_out(trained, clean, [suite])
    with pytest.raises(Refused, match="Version b was trained on 2"):
        held_out(clean, trained, [suite])
    assert held_out(clean, clean, [suite]).outcome == "pass"
    chosen = msgspec.structs.replace(clean, chosen_on=[suite.families[0]])
    with pytest.raises(Refused, match=r"1 family of suite .* chose version"):
        held_out(chosen, clean, [suite])
    assert held_out(clean, chosen, [suite]).outcome == "pass", "a champion that looks too good makes the test harder"
