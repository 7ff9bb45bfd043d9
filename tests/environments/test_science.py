"""The science tasks are right, apart and reproducible; only a law that was measured, honestly and within the budget, passes."""

import asyncio
import math
import re
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigym.audit.check import check_environment
from verigym.audit.scripted_episodes import play
from verigym.core.errors import NotFound, VerifierFailure
from verigym.core.records import FunctionCall, Json, Task, Trajectory, Verdict
from verigym.environments import science
from verigym.environments.load import find_by_verifier, load_environment
from verigym.environments.science import Environment, Lab
from verigym.environments.science.laws import LAWS, fit, span
from verigym.environments.science.verifier import science_verifier
from verigym.evaluation.failures import bucket

TRAIN, VAL = science.tasks("train"), science.tasks("val")
SPEC = load_environment("science")
LAB: Json = {
    "law": "exponential_decay", "laws": ["exponential_decay", "hyperbolic_decay"], "a": 10.0, "b": 0.05,
    "names": ["start", "rate"], "low": 0, "high": 60, "noise": 0.05, "factor": 1.1, "old_factor": 0.9,
    "outdated": [14.0, 0.03], "budget": 8, "tolerance": 0.04, "seed": 5,
}  # fmt: skip
PAPERS = [
    {"id": "P11", "year": 2004, "title": "Photometer: a calibration", "text": "It reads 0.9 times the true value."},
    {"id": "P40", "year": 2024, "title": "Photometer: calibration", "text": "It reads 1.1 times the true value."},
    {"id": "P77", "year": 2010, "title": "Dyes", "text": "They fade."},
]
TASK = Task(id="t", prompt="?", data={"lab": LAB, "papers": PAPERS, "instrument": "photometer", "calibration": "P40"})
REPORT: Json = {
    "law": "exponential_decay",
    "values": {"start": 10.1, "rate": 0.0495},
    "plus_minus": {"start": 0.2, "rate": 0.001},
}
RUNS = [[x, 1.0] for x in (0.0, 20.0, 40.0, 60.0)]


def judged(report: Json | None = REPORT, runs: list[Any] = RUNS) -> Verdict:
    state = {"runs": runs, "report": report}
    return science_verifier(TASK, Trajectory(id="a", task="t", group="g", items=[], end_state=state))


def with_values(**values: Any) -> Json:
    return {**REPORT, "values": {**REPORT["values"], **values}}


def with_errors(**errors: Any) -> Json:
    return {**REPORT, "plus_minus": {**REPORT["plus_minus"], **errors}}


def opened(task: Task = TASK) -> Environment:
    environment = Environment()
    environment.open(task)
    return environment


# -- tasks ----------------------------------------------------------------------------------------------------------------


def test_there_are_as_many_tasks_and_families_as_the_card_says() -> None:
    assert (len(TRAIN), len({task.family for task in TRAIN})) == (680, 68)
    assert (len(VAL), len({task.family for task in VAL})) == (165, 33)
    assert len({str(task.prompt) for task in [*TRAIN, *VAL]}) == 845


def test_the_literature_does_not_give_the_law_away() -> None:
    """Whichever kind of paper one believes about the law, one is right as often as by chance."""
    right: dict[str, list[bool]] = {"outdated": [], "claim": [], "doubt": []}
    for task in [*TRAIN, *VAL]:
        lab = task.data["lab"]
        named = [_laws_in(paper, lab) for paper in sorted(task.data["papers"], key=lambda paper: paper["year"])]
        old, claimed, doubted = (found for found in named if found)
        assert len(old) == len(claimed) == 1 and len(doubted) == 2
        for kind, laws in (("outdated", old), ("claim", claimed), ("doubt", doubted - claimed)):
            right[kind].append(laws == {lab["law"]})
    chance = sum(1 / len(task.data["lab"]["laws"]) for task in [*TRAIN, *VAL])
    for kind, found in right.items():
        assert len(found) == 845 and 0.9 < sum(found) / chance < 1.1, kind
    first = sum(task.data["lab"]["laws"][0] == task.data["lab"]["law"] for task in [*TRAIN, *VAL])
    assert 0.9 < first / chance < 1.1


def _laws_in(paper: Json, lab: Json) -> set[str]:
    return set(lab["laws"]) & set(re.findall(r"\w+", f"{paper['title']} {paper['text']}"))


def test_figures_in_a_paper_are_possible_ones_of_the_law_that_it_names() -> None:
    for task in [*TRAIN, *VAL]:
        lab = task.data["lab"]
        for paper in task.data["papers"]:
            value = re.search(rf"{lab['names'][1]}(?: is| being| =)? ([\d.e+-]*\d)", paper["text"])
            laws = _laws_in(paper, lab)
            assert bool(value) == bool(laws)
            if value and len(laws) == 1:
                low, high = span(LAWS[laws.pop()], lab["high"])
                assert low * 0.99 <= float(value[1]) <= high * 1.01, (task.id, paper)


def test_the_factor_that_holds_is_in_the_newest_calibration_of_the_instrument_and_is_found_by_a_search() -> None:
    for task in [*TRAIN, *VAL]:
        papers = {paper["id"]: paper for paper in task.data["papers"]}
        right = papers[task.data["calibration"]]
        named = [paper for paper in papers.values() if task.data["instrument"] in paper["title"]]
        assert right == max(named, key=lambda paper: paper["year"]) and len(named) == 2
        percent = round(task.data["lab"]["factor"] * 100 - 100)
        said = (
            f" {task.data['lab']['factor']:g}",
            f"too {'high' if percent > 0 else 'low'} by {abs(percent)}%",
            f" {percent:+d}%",
        )
        assert sum(words in right["text"] for words in said) == 1
        assert task.data["calibration"] in opened(task).search(f"{task.data['instrument']} calibration factor")


def test_no_factor_of_the_literature_will_do_for_another_nor_for_none() -> None:
    for task in [*TRAIN, *VAL]:
        lab = task.data["lab"]
        [elsewhere] = [
            float(found[1])
            for paper in task.data["papers"]
            if paper["id"] != task.data["calibration"] and not _laws_in(paper, lab)
            if (found := re.search(r"\b([01]\.\d+)", paper["text"])) and task.data["instrument"] not in paper["title"]
        ]
        for wrong in (1.0, lab["old_factor"], elsewhere):
            assert abs(lab["factor"] / wrong - 1) > max(0.08, lab["tolerance"])


def _passes(task: Task, report: Json) -> bool:
    runs = [[x, 1.0] for x in science.plan(msgspec.convert(task.data["lab"], Lab), 3)]
    state = {"runs": runs, "report": report}
    return science_verifier(task, Trajectory(id="a", task="t", group="g", items=[], end_state=state)).passed


def test_a_guess_of_the_factor_is_right_in_less_than_one_task_of_twenty_on_average() -> None:
    """Runs and fits as they should be, error bars as wide as allowed, and nothing read."""
    raw = [(task, science.best(msgspec.convert(task.data["lab"], Lab), 1.0)) for task in VAL]
    shares: list[float] = []
    for guess in [0.25 * 1.02**step for step in range(105)]:
        passed = 0
        for task, fitted in raw:
            scale, second = task.data["lab"]["names"]
            values = {scale: fitted["values"][scale] / guess, second: fitted["values"][second]}
            widest = {name: value * task.data["lab"]["tolerance"] for name, value in values.items()}
            passed += _passes(task, {"law": fitted["law"], "values": values, "plus_minus": widest})
        shares.append(passed / len(VAL))
    assert 0.01 < sum(shares) / len(shares) < 0.05 and max(shares) < 0.1


def test_neither_its_size_nor_its_place_in_a_search_betrays_the_factor_that_holds() -> None:
    for side in (TRAIN, VAL):
        labs = [task.data["lab"] for task in side]
        assert 0.4 < sum(lab["factor"] > lab["old_factor"] for lab in labs) / len(labs) < 0.6
        assert 0.9 < sum(lab["factor"] < 1 for lab in labs) / sum(lab["old_factor"] < 1 for lab in labs) < 1.1
        first = [opened(task).search(task.data["instrument"])[:3] == task.data["calibration"] for task in side]
        assert 0.4 < sum(first) / len(first) < 0.6


def test_the_contract_of_the_environment_holds_and_it_is_found_by_its_names() -> None:
    assert [one.name for one in check_environment(SPEC, num_tasks=12) if one.outcome != "pass"] == []
    assert find_by_verifier("science_eval").name == find_by_verifier("science_verifier").name == "science"
    with pytest.raises(NotFound, match=r'no split of science "test".*Available: train, val'):
        science.tasks("test")


# -- verdicts -------------------------------------------------------------------------------------------------------------

RIGHT: dict[str, Json] = {
    "as it is": REPORT,
    "the truth itself": with_values(start=10.0, rate=0.05),
    "just covering from above": with_values(start=10.2),
    "just covering from below": with_values(start=9.8),
    "as wide as allowed": with_errors(start=0.404, rate=0.00198),
    "narrow and right": {**with_values(start=10.001, rate=0.05), "plus_minus": {"start": 0.002, "rate": 1e-6}},
    "whole numbers": {**with_values(start=10, rate=0.05), "plus_minus": {"start": 0.2, "rate": 0.001}},
    "more digits": with_values(start=10.0123456789),
    "parameters in the other order": {**REPORT, "values": dict(reversed(REPORT["values"].items()))},
    "an error bar for something else as well": with_errors(noise=0.1),
    "the law in words": {**REPORT, "law": " Exponential decay "},
    "the law with a hyphen": {**REPORT, "law": "exponential-decay"},
}
WRONG: dict[str, tuple[Json | None, str]] = {
    "no report": (None, "nothing was reported"),
    "the other law": ({**REPORT, "law": "hyperbolic_decay"}, "law: hyperbolic_decay, expected exponential_decay"),
    "a law that there is not": ({**REPORT, "law": "decay"}, "law: decay"),
    "both laws": ({**REPORT, "law": "exponential_decay or hyperbolic_decay"}, "law: exponential_decay or"),
    "the law and its formula": (
        {**REPORT, "law": "exponential_decay: start * exp(-rate * x)"},
        "law: exponential_decay:",
    ),
    "every name in two ways": (with_values(START=14, RATE=0.03), "START: no parameter"),
    "no law": ({**REPORT, "law": ""}, "law: "),
    "a value too high": (with_values(start=10.7), "start: 10.7, expected 10"),
    "a value too low": (with_values(rate=0.04), "rate: 0.04, expected 0.05"),
    "a value with the wrong sign": (with_values(rate=-0.05), "rate: -0.05"),
    "a value of 400 digits": (with_values(start=10**400), "start: not reported"),
    "a width of 400 digits": (with_errors(start=10**400), "start: no uncertainty"),
    "a value missing": ({**REPORT, "values": {"start": 10.0}}, "rate: not reported"),
    "a parameter too many": (with_values(half_life=14), "half_life: no parameter"),
    "an uncertainty missing": ({**REPORT, "plus_minus": {"start": 0.2}}, "rate: no uncertainty"),
    "too narrow": (with_errors(start=0.05), "start: 10.1 plus or minus 0.05 does not cover"),
    "too wide": (with_errors(start=0.5), "start: plus_minus 0.5 is wider than 4%"),
    "as wide as the value": (with_errors(start=10.1, rate=0.05), "wider than"),
    "no width": (with_errors(start=0.0), "start: no uncertainty"),
    "negative width": (with_errors(start=-0.2), "start: no uncertainty"),
    "parameters exchanged": ({**REPORT, "values": {"start": 0.05, "rate": 10.0}}, "start: 0.05"),
    "what the old paper says": (with_values(start=14.0, rate=0.03), "start: 14, expected 10"),
    "the old factor": (with_values(start=10.1 * 1.1 / 0.9), "start: 12.3"),
}


@pytest.mark.parametrize("report", RIGHT.values(), ids=RIGHT.keys())
def test_a_right_report_passes_however_it_is_put(report: Json) -> None:
    verdict = judged(report)
    assert verdict.passed and verdict.reward == 1.0, verdict.evidence
    assert set(verdict.parts.values()) == {1.0}


@pytest.mark.parametrize(("report", "words"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_report_fails_and_the_evidence_says_why(report: Json | None, words: str) -> None:
    verdict = judged(report)
    assert not verdict.passed and verdict.reward == 0.0
    assert words in verdict.evidence


def test_the_truth_is_not_believed_without_runs_nor_with_more_than_the_budget() -> None:
    assert "runs were made at 0 settings" in judged(runs=[]).evidence
    assert "runs were made at 2 settings" in judged(runs=[[0.0, 1.0]] * 3 + [[5.0, 1.0]] * 3).evidence
    assert judged(runs=[[float(x), 1.0] for x in range(8)]).passed
    dear = judged(runs=[[float(x), 1.0] for x in range(9)])
    assert not dear.passed and dear.evidence == "9 runs were made, the budget was 8" and dear.parts["budget"] == 0.0


def test_parts_say_how_far_it_came() -> None:
    parts = judged(with_values(start=13.0)).parts
    assert parts == {"runs": 1.0, "budget": 1.0, "reported": 1.0, "law": 1.0, "values": 0.5, "uncertainty": 0.5}
    assert judged(None).parts == {**parts, "reported": 0.0, "law": 0.0, "values": 0.0, "uncertainty": 0.0}


def test_a_task_without_a_laboratory_is_the_verifiers_failure() -> None:
    with pytest.raises(VerifierFailure, match='task t: data has no "lab"'):
        science_verifier(Task(id="t", prompt="?"), Trajectory(id="a", task="t", group="g", items=[]))


# -- the laboratory ---------------------------------------------------------------------------------------------------------


def test_readings_depend_on_the_task_and_the_number_of_the_run_alone() -> None:
    one, two = opened(), opened()
    one.run([0, 30])
    one.run([30])
    two.run([0, 30, 30])
    assert one.runs == two.runs and one.runs[1][1] != one.runs[2][1]


def test_the_laboratory_says_what_was_spent_and_goes_on_over_the_budget_until_it_closes() -> None:
    lab = opened()
    assert lab.run([1.0] * 8).endswith("8 of 8 runs spent")
    assert lab.run([1.0]).endswith("9 of 8 runs spent")
    with pytest.raises(ValueError, match="closed after 60 runs"):
        lab.run([1.0] * 60)


@pytest.mark.parametrize("at", [[-1.0], [61.0], [math.nan], [math.inf], []], ids=str)
def test_a_setting_outside_the_range_costs_nothing_and_is_told(at: list[float]) -> None:
    lab = opened()
    with pytest.raises(ValueError, match="settings lie from 0 to 60"):
        lab.run([*at])
    assert lab.runs == []


def test_a_fit_needs_runs_a_law_of_the_task_and_a_factor_that_makes_sense() -> None:
    lab = opened()
    with pytest.raises(ValueError, match="needs runs at 3 settings or more; there are 0"):
        lab.fit_law("exponential_decay")
    lab.run([0, 20, 40, 60])
    with pytest.raises(ValueError, match='no law "gaussian"; there are: exponential_decay, hyperbolic_decay'):
        lab.fit_law("gaussian")
    with pytest.raises(ValueError, match="a factor lies between"):
        lab.fit_law("exponential_decay", 0.0)
    said = lab.fit_law("exponential_decay", 1.1)
    assert (
        said
        == "exponential_decay: start 9.994 (standard error 0.045), rate 0.05011 (standard error 0.00051), misfit 1.26"
    )


def test_the_first_report_is_final_and_has_to_be_of_numbers() -> None:
    lab = opened()
    with pytest.raises(ValueError, match="finite"):
        lab.report("x", {"start": math.nan}, {})
    lab.report("x", {}, {})
    with pytest.raises(ValueError, match="already"):
        lab.report("exponential_decay", {}, {})
    assert lab.end_state()["report"] == {"law": "x", "values": {}, "plus_minus": {}}


def test_a_report_closes_the_laboratory_so_that_none_is_measured_afterwards() -> None:
    lab = opened()
    lab.report("exponential_decay", {}, {})
    with pytest.raises(ValueError, match="the laboratory is closed"):
        lab.run([0, 30, 60])
    assert lab.end_state()["runs"] == []


def test_a_search_finds_by_words_the_most_alike_first_and_reading_names_what_there_is() -> None:
    lab = opened()
    assert (
        lab.search("photometer calibration")
        == "P11 | 2004 | Photometer: a calibration\nP40 | 2024 | Photometer: calibration"
    )
    assert lab.search("dyes that fade").startswith("P77")
    assert lab.search("ü ?!") == "nothing found"
    assert lab.read(" p40 ").startswith("Photometer: calibration (2024).")
    with pytest.raises(ValueError, match='no paper "P1"; there are: P11, P40, P77'):
        lab.read("P1")


# -- fits -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LAWS)
def test_a_fit_finds_the_parameters_of_every_law_from_readings_without_noise(name: str) -> None:
    law, largest = LAWS[name], 40.0
    low, high = span(law, largest)
    at = [0.5 + 39.5 * step / 9 for step in range(10)]
    for share in (0.0, 0.3, 0.7, 1.0):
        b = low + share * (high - low)
        found = fit(law, largest, at, [7.0 * law.shape(x, b) for x in at], 0.01)
        assert found.a == pytest.approx(7.0, rel=2e-3) and found.b == pytest.approx(b, rel=1e-3)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_three_standard_errors_nearly_always_cover_the_truth(seed: int) -> None:
    law, draw = LAWS["saturation"], Random(seed)
    at = [0.5 + 39.5 * step / 9 for step in range(10)]
    missed = 0
    for _ in range(20):
        values = [7.0 * law.shape(x, 10.0) + draw.gauss(0, 0.05) for x in at]
        found = fit(law, 40.0, at, values, 0.05)
        missed += abs(found.a - 7.0) > 3 * found.a_error or abs(found.b - 10.0) > 3 * found.b_error
    assert missed <= 3


def test_runs_at_one_place_say_nothing_about_the_second_parameter() -> None:
    found = fit(LAWS["exponential_decay"], 60, [30.0, 30.0, 30.0], [5.0, 5.1, 4.9], 0.1)
    assert found.a_error == found.b_error == math.inf


# -- why it fails -----------------------------------------------------------------------------------------------------------


def call(name: str, **arguments: Any) -> list[Any]:
    return [FunctionCall("c", name, msgspec.json.encode(arguments).decode())]


def bucket_of(*replies: Any) -> str:
    task = VAL[0]
    played = asyncio.run(play(SPEC, task, list(replies)))
    return bucket(task, played.trajectory, played.verdict, science.explain)


def test_a_failure_is_named_by_what_was_left_out() -> None:
    lab = msgspec.convert(VAL[0].data["lab"], Lab)
    runs = call("lab.run", at=science.plan(lab, lab.budget))
    old = call("report", **science.best(lab, lab.old_factor))
    right = call("report", **science.best(lab, lab.factor))
    assert bucket_of(right) == "bad planning"
    assert bucket_of(runs) == "incomplete execution"
    assert bucket_of(runs, old) == "retrieval failure"
    assert bucket_of(call("literature.read", id=VAL[0].data["calibration"]), runs, old) == "wrong answer"
    assert bucket_of(runs, right) == ""
