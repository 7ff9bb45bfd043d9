"""The math tasks are right, apart and reproducible; an answer is right in every form that is the same, and in no other."""

import re
import time
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.audit.check import check_environment
from verigym.core.errors import NotFound, VerifierFailure
from verigym.core.records import FunctionCall, Json, Message, Task, Trajectory, Verdict
from verigym.environments import math
from verigym.environments.load import find_by_verifier, load_environment
from verigym.environments.math.algebra import constant_of, quotient, read, read_equation, same
from verigym.environments.math.quantities import in_unit, quantities
from verigym.environments.math.verifier import RULES, math_verifier
from verigym.evaluation.failures import bucket

TRAIN, VAL = math.tasks("train"), math.tasks("val")


def judged(data: Json, reply: str) -> Verdict:
    task = Task(id="t", prompt="?", data=data)
    return math_verifier(task, Trajectory(id="a", task="t", group="g", items=[Message("assistant", reply)]))


# -- tasks ----------------------------------------------------------------------------------------------------------------


def test_there_are_enough_tasks_families_and_difficulties_in_both_splits() -> None:
    assert len(TRAIN) >= 2400 and len(VAL) >= 420
    assert len({task.family for task in TRAIN}) >= 150 and len({task.family for task in VAL}) >= 60
    for tasks in (TRAIN, VAL):
        levels = Counter(task.tags[0] for task in tasks)
        assert set(levels) == {"easy", "medium", "hard"} and min(levels.values()) > 0.3 * len(tasks)
        assert {(task.tags[0], task.tags[1]) for task in tasks} == {(level, rule) for level in levels for rule in RULES}
        assert min(Counter(task.tags[1] for task in tasks).values()) > len(tasks) / 15
        assert len({str(task.prompt) for task in tasks}) == len(tasks)


def test_no_answer_is_a_number_of_its_question() -> None:
    for task in [*TRAIN, *VAL]:
        if task.data["rule"] == "number":
            given = {one.number.value for one in quantities(str(task.prompt))}
            assert Fraction(task.data["answer"].removesuffix("%")) not in given, task.id


def test_every_family_to_learn_from_is_told_in_several_ways() -> None:
    told: dict[str, set[str]] = {}
    for task in TRAIN:
        words = re.findall(r"\b[a-z]{2,}", str(task.prompt))
        told.setdefault(task.family, set()).add(" ".join([*words[:4], *words[-4:]]))
    assert {family for family, ways in told.items() if len(ways) < 3} == set()


def five_in_a_row(tasks: list[Task]) -> dict[tuple[str, ...], str]:
    """Each five words in a row of a question or its solution, numbers and letters aside, and a family that says them."""
    found: dict[tuple[str, ...], str] = {}
    for task in tasks:
        for text in (str(task.prompt), task.data["work"]):
            words = re.findall(r"[a-z]{2,}", text.casefold())
            found |= dict.fromkeys(zip(*(words[start:] for start in range(5)), strict=False), task.family)
    return found


def test_no_five_words_in_a_row_are_those_of_a_held_out_family() -> None:
    train, val = five_in_a_row(TRAIN), five_in_a_row(VAL)
    assert {" ".join(words): (train[words], val[words]) for words in train.keys() & val.keys()} == {}


def test_the_contract_of_the_environment_holds_and_it_is_found_by_its_names() -> None:
    assert [one.name for one in check_environment(load_environment("math")) if one.outcome == "fail"] == []
    assert find_by_verifier("math_eval").name == find_by_verifier("math_verifier").name == "math"
    with pytest.raises(NotFound, match=r'no split of math "test".*Available: train, val'):
        math.tasks("test")


# -- answers ----------------------------------------------------------------------------------------------------------------

KM: Json = {"rule": "number", "answer": "3.5", "unit": "km"}
HOURS: Json = {"rule": "number", "answer": "2.5", "unit": "hours"}
MONEY: Json = {"rule": "number", "answer": "1234.50", "unit": "euros"}
AREA: Json = {"rule": "number", "answer": "12", "unit": "m²"}
THIRD: Json = {"rule": "number", "answer": "1/3"}
ROUNDED: Json = {"rule": "number", "answer": "24.83", "tolerance": 0.01}
SHARE: Json = {"rule": "number", "answer": "65%"}
SHORT: Json = {"rule": "number", "answer": "0.7", "unit": "km"}
LITRES: Json = {"rule": "number", "answer": "216", "unit": "litres"}
SPEED: Json = {"rule": "number", "answer": "4", "unit": "km/h"}
COUNT: Json = {"rule": "number", "answer": "12"}
LINE: Json = {"rule": "equation", "answer": "y = 2x + 3"}
SUBJECT: Json = {"rule": "equation", "answer": "t = (v - u)/a", "form": "solved t"}
EXPANDED: Json = {"rule": "expression", "answer": "2x^2 - 7x - 15", "form": "expanded"}
FACTORED: Json = {"rule": "expression", "answer": "(x - 9)(x - 11)", "form": "factored"}
FULLY: Json = {"rule": "expression", "answer": "6x(x - 3)", "form": "fully factored"}
POWER: Json = {"rule": "expression", "answer": "35x^6", "form": "expanded"}
ROOTS: Json = {"rule": "solutions", "answer": {"x": ["-6", "1/2"]}}
PLUS_MINUS: Json = {"rule": "solutions", "answer": {"x": ["-6", "6"]}}
PAIR: Json = {"rule": "solutions", "answer": {"x": ["5"], "y": ["-1"]}}
DAY: Json = {"rule": "option", "answer": "Friday", "others": ["Monday", "Thursday"]}
AT: Json = {"rule": "clock", "answer": "14:05"}

RIGHT: list[tuple[Json, str]] = [
    (KM, "Answer: 3.5 km"), (KM, "Answer: 3500 m"), (KM, "Answer: 3,500 metres"), (KM, "It is 3.5"), (KM, "Answer: 7/2 km."),
    (KM, "Answer: 3 km 500 m"), (KM, "Answer: 3 1/2 kilometers"), (KM, "so \\boxed{3.5\\text{ km}}"), (KM, "Answer: 3½ km"),
    (KM, "Answer:\n3.5 km"), (KM, "Answer: 3.5 km (3,500 m)"), (KM, "**Answer:** 3.5 km"), (KM, "1 km + 2.5 km = 3.5 km"),
    (HOURS, "Answer: 2 h 30 min"), (HOURS, "Answer: 150 minutes"), (HOURS, "Answer: 2.5"),
    (MONEY, "Answer: €1,234.50"), (MONEY, "Answer: 1234.5 euros"), (MONEY, "Answer: 123450 cents"), (MONEY, "#### 1234.50"),
    (AREA, "Answer: 12 m^2"), (AREA, "Answer: 12 square metres"), (AREA, "Answer: 120,000 cm²"), (AREA, "Answer: 12 m2"),
    (THIRD, "Answer: 1/3"), (THIRD, "Answer: 2/6"), (THIRD, "Answer: \\frac{1}{3}"), (THIRD, "Answer: 0.333333333333"),
    (ROUNDED, "Answer: 24.83"), (ROUNDED, "Answer: 24.8275"), (ROUNDED, "Answer: ≈ 24.82"),
    (SHARE, "Answer: 65%"), (SHARE, "Answer: 65"), (SHARE, "Answer: 0.65"), (SHARE, "Answer: 65 %"),
    (COUNT, "Answer: x = 12"), (COUNT, "Answer: 12 apples"), (COUNT, "4 boxes of 3 make 12."), (COUNT, "<answer>12</answer>"),
    (LINE, "Answer: y = 2x + 3"), (LINE, "Answer: 2x - y + 3 = 0"), (LINE, "Answer: y - 5 = 2(x - 1)"),
    (LINE, "Answer: 2y = 4x + 6"),
    (LINE, "Answer: $y = 2x+3$"), (LINE, "Answer: (y - 3)/2 = x"), (LINE, "Answer: 3 + 2 \\cdot x = y"),
    (SUBJECT, "Answer: t = (v - u)/a"), (SUBJECT, "Answer: t = v/a - u/a"), (SUBJECT, "Answer: t = \\frac{v-u}{a}"),
    (SUBJECT, "Answer: (u - v)/(-a) = t"),
    (EXPANDED, "Answer: 2x^2 - 7x - 15"), (EXPANDED, "Answer: -15 - 7x + 2x²"), (EXPANDED, "Answer: 2x**2 − 7·x − 15"),
    (EXPANDED, "Answer: (2x+3)(x-5) = 2x^2 - 7x - 15"), (EXPANDED, "Answer: 2x^2 - 7x - 15 euros"),
    (EXPANDED, "Answer: €2x^2 - €7x - €15"), (LINE, "Answer: y(x) = 2x + 3"), (LINE, "Answer: y = 2x + 3 metres."),
    (FACTORED, "Answer: (x - 9)(x - 11)"), (FACTORED, "Answer: (11 - x)(9 - x)"), (FACTORED, "Answer: (x-11) * (x-9)"),
    (ROOTS, "Answer: x = -6 or x = 1/2"), (ROOTS, "Answer: x = 0.5, x = -6"), (ROOTS, "Answer: {-6, 1/2}"),
    (ROOTS, "Answer: x_1 = -6 and x_2 = 0.5"), (ROOTS, "Answer: -6; 1/2"),
    (ROOTS, "Answer: x₁ = -6, x₂ = 1/2"), (PLUS_MINUS, "Answer: x = +/- 6"), (PLUS_MINUS, "Answer: $x = \\pm 6$"),
    (PAIR, "Answer: x = 5, y = -1"), (PAIR, "Answer: y = -1 and x = 5"), (PAIR, "Answer: (5, -1)"),
    (PAIR, "Answer: (x, y) = (5, -1)"), (PAIR, "Answer: $x = 5$, $y = -1$"), (PAIR, "Answer: x = 5 euros, y = -1 euros"),
    (DAY, "Answer: Friday"), (DAY, "It was a friday."), (AT, "Answer: 14:05"), (AT, "Answer: 2:05 pm"),
    (AT, "It lands at 14.05."), (AT, "Answer: 14:05 (2:05 p.m.)"), (AT, "Answer: 14:05:00"),
    (AT, "Answer: 14:05, after 5 people"),
    (KM, "Answer: $3.5$ km"), (KM, "\\boxed{3.5\\ \\mathrm{km}}"), (MONEY, "Answer: $1234.50$ euros"),
    (AREA, "Answer: $12\\,\\text{m}^2$"), (AREA, "Answer: 12 metres squared"), (LITRES, "Answer: 216,000 cm³"),
    (LITRES, "Answer: 0.216 cubic metres"), (SPEED, "Answer: 4 km an hour"), (SPEED, "Answer: 4 kilometres per hour"),
    (SHORT, "Answer: 0.7 km (700 m)"), (HOURS, "Answer: 150 minutes (2 h 30 min)"), (HOURS, "Answer: 2 h 30 min (150 minutes)"),
    (MONEY, "Answer: 1 234.50 €"), (MONEY, "Answer: 1,234 euros and 50 cents"), (SHARE, "Answer: 65 percent"),
    (THIRD, "Answer: 1/3 ≈ 0.33"), (THIRD, "Answer: $\\frac{1}{3} \\approx 0.33$"), (THIRD, "Answer: 1/3 (about 0.33)"),
    (ROUNDED, "Answer: 1291/52 ≈ 24.83"),
    (ROOTS, "\\boxed{x = -6 \\text{ or } x = \\frac{1}{2}}"), (ROOTS, "Answer: $x \\in \\{-6, \\frac{1}{2}\\}$"),
    (ROOTS, "Answer: The solutions are x = -6 and x = 1/2"), (PAIR, "\\boxed{x = 5,\\quad y = -1}"),
    (LINE, "Answer: The equation is y = 2x + 3"), (FULLY, "Answer: 6x(x - 3)"), (FULLY, "Answer: -6x(3 - x)"),
    (POWER, "Answer: 35x^6"),
    (SUBJECT, "Answer: t = (v - u)/a (a ≠ 0)"), (SUBJECT, "Answer: $t = \\frac{v - u}{a}$, where $a \\neq 0$"),
    (LINE, "Answer: y = 2x + 3 cm"),
]  # fmt: skip
WRONG: list[tuple[Json, str, bool]] = [
    (KM, "Answer: 3.5 m", True), (KM, "Answer: 3.5 kg", True), (KM, "Answer: 35 km", True), (KM, "Answer: -3.5 km", True),
    (KM, "Answer: 3.5 km or 4 km", False), (KM, "Answer: 3 km or 0.5 km", False), (KM, "Answer: －3.5 km", True),
    (KM, "Answer: three and a half", False), (KM, "", False),
    (KM, "3.5 km\nor 4 km", True),
    (KM, "3.5 km, I think. Answer: 4 km", True), (KM, "Answer: 3 km, 3.5 km", False), (KM, "\\boxed{3.5} \\boxed{4}", True),
    (KM, '{"tool": "answer", "args": {"text": "3.5"}}', False), (KM, "Answer: " + "3.5 " * 200, False),
    (HOURS, "Answer: 2 h 5 min", True), (HOURS, "Answer: 2.5 minutes", True), (HOURS, "Answer: 30 min 2 h 30 min", False),
    (MONEY, "Answer: 1.234,50", False), (MONEY, "Answer: $1234.50", True), (MONEY, "Answer: €1,234", True),
    (AREA, "Answer: 12 m", True), (AREA, "Answer: 144 m^2", True),
    (THIRD, "Answer: 0.33", True), (THIRD, "Answer: 1/0", False), (ROUNDED, "Answer: 24.8", True),
    (ROUNDED, "Answer: 25", True),
    (SHARE, "Answer: 0.65%", True), (SHARE, "Answer: 6.5", True), (COUNT, "Answer: 12 = 11", True),
    (COUNT, "Answer: NaN", False),
    (LINE, "Answer: 2x + 3", False), (LINE, "Answer: y = 2x - 3", True), (LINE, "Answer: 0 = 0", True),
    (LINE, "Answer: x = x", True),
    (LINE, "Answer: y = 2x + 3 = 5", False), (LINE, "Answer: y^2 = (2x + 3)^2", True), (LINE, "Answer: 0y = 0", True),
    (SUBJECT, "Answer: v = u + at", True), (SUBJECT, "Answer: t = t", True), (SUBJECT, "Answer: t = v - u/a", True),
    (SUBJECT, "Answer: t = (v - u)/a + t - t", True),
    (EXPANDED, "Answer: (2x + 3)(x - 5)", True), (EXPANDED, "Answer: 2x^2 - 10x + 3x - 15", True),
    (EXPANDED, "Answer: x(2x - 7) - 15", True),
    (EXPANDED, "Answer: 2x^2 - 7x + 15", True), (EXPANDED, "Answer: 2x^3/x - 7x - 15 + 0", True),
    (EXPANDED, "Answer: quadratic!", False),
    (EXPANDED, "Answer: 2x^2 - 7x - 15 cents", True), (LINE, "Answer: y(x + 1) = 2x + 3", True), (PLUS_MINUS, "Answer: 6", True),
    (FACTORED, "Answer: x^2 - 20x + 99", True), (FACTORED, "Answer: 1(x^2 - 20x + 99)", True),
    (FACTORED, "Answer: (x + 9)(x + 11)", True),
    (FACTORED, "Answer: (x - 9)(x - 11) + 0", True),
    (ROOTS, "Answer: x = -6", True), (ROOTS, "Answer: x = -6 or x = 1/2 or x = 3", True),
    (ROOTS, "Answer: 2x^2 + 11x - 6 = 0", False),
    (ROOTS, "Answer: x = ±6", True), (ROOTS, "Answer: x = x", False),
    (PAIR, "Answer: x = -1, y = 5", True), (PAIR, "Answer: x = 5", True), (PAIR, "Answer: (-1, 5)", True),
    (PAIR, "Answer: x = 5, x = 4, y = -1", True),
    (DAY, "Answer: Friday or Monday", False), (DAY, "Answer: Monday", True), (DAY, "Answer: some day", False),
    (AT, "Answer: 2:05", True), (AT, "Answer: 14:05 or 15:05", False), (AT, "Answer: 25:05", False),
    (AT, "Answer: noon", False), (AT, "Answer: 5 apples", False),
    (SHARE, "Answer: 0.65 percent", True), (COUNT, "Answer: 12%", True), (COUNT, "Answer: ±12", False),
    (COUNT, "Answer: at least 12", False), (COUNT, "Answer: 12 thousand", False), (COUNT, "Answer: √12", False),
    (LITRES, "Answer: 216 cubic metres", True), (AREA, "Answer: 12 square kilometres", True),
    (MONEY, "Answer: $1234.50 or $1234.50", True), (THIRD, "Answer: 1/4 ≈ 1/3", True),
    (PAIR, "Answer: (1, 2), (5, -1)", False), (PAIR, "Answer: x = 4, y = 2, so (5, -1)", False),
    (FULLY, "Answer: x(6x - 18)", True), (FULLY, "Answer: 2x(3x - 9)", True),
    (POWER, "Answer: 7x^4 · 5x^3 / x", True), (POWER, "Answer: 35x^7/x", True), (POWER, "Answer: 7 · 5x^6", True),
]  # fmt: skip


@pytest.mark.parametrize(("data", "reply"), RIGHT, ids=[reply for _, reply in RIGHT])
def test_a_right_answer_passes_in_whatever_form_it_comes(data: Json, reply: str) -> None:
    verdict = judged(data, reply)
    assert verdict.passed and verdict.parts == {"valid": 1.0}, verdict.evidence


@pytest.mark.parametrize(("data", "reply", "valid"), WRONG, ids=[reply[:60] for _, reply, _ in WRONG])
def test_a_wrong_answer_one_in_another_form_and_one_that_hedges_do_not_pass(
    data: Json, reply: str, valid: bool
) -> None:
    verdict = judged(data, reply)
    assert not verdict.passed and verdict.reward == 0.0 and verdict.parts == {"valid": float(valid)}, verdict.evidence


def test_the_evidence_says_what_was_read_and_what_is_wrong_with_it() -> None:
    assert judged(KM, "Answer: 3.5 kg").evidence == '"3.5 kg", expected 3.5 km: a quantity of another kind'
    assert judged(EXPANDED, "Answer: (2x + 3)(x - 5)").evidence.endswith("expected 2x^2 - 7x - 15: it is not expanded")
    assert judged(SUBJECT, "Answer: v = u + at").evidence.endswith("it is not solved for t")


def test_failures_are_told_apart() -> None:
    task = Task(id="t", prompt="?", data=KM)
    said = [
        Trajectory(id="a", task="t", group="g", items=[Message("assistant", text)])
        for text in ("Answer: 4", "No idea.")
    ]
    assert [bucket(task, one, math_verifier(task, one)) for one in said] == ["wrong answer", "format error"]


def test_a_native_call_is_no_answer_and_an_unknown_rule_is_the_verifiers_failure() -> None:
    items = [Message("assistant", "Answer: 3.5 km"), FunctionCall("c", "answer", "{}")]
    assert not math_verifier(
        Task(id="t", prompt="?", data=KM), Trajectory(id="a", task="t", group="g", items=[*items])
    ).passed
    with pytest.raises(VerifierFailure, match=r"of number, expression.*not 'guess'"):
        judged({"rule": "guess", "answer": 1}, "1")


# -- algebra ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("2(x + 3)", "2x + 6"), ("x/2", "0.5x"), ("1/2x", "x/2"), ("-x^2", "-(x^2)"), ("(x - 1)(x + 1)", "x^2 - 1"),
        ("(x^2 - 1)/(x - 1)", "x + 1"), ("2^-1 x", "x/2"), ("xy", "y*x"), ("x^2 x", "x^3"), ("--x", "x"), ("\\frac{x}{3}", "x/3"),
        ("{2}(x)", "2x"), ("3x ÷ 6", "x/2"), ("(2x)^3", "8x³"), ("1/(1/x)", "x"), ("x - -2", "x + 2"),
    ],
)  # fmt: skip
def test_expressions_that_are_the_same_are_found_to_be(one: str, two: str) -> None:
    assert same(read(one), read(two))


@pytest.mark.parametrize(
    "text",
    [
     "", "x +", "(x", "x)", "2 3", "x^x", "x^99", "x^0.5", "sqrt(x", "1/0", "x = 3", "3,000", "\\frac{1}", "\\frac12",
     "__import__", "x;y", "(" * 50 + "x" + ")" * 50, "-" * 90 + "x", "x" * 300, "9" * 60,
        "(x+y+z+a+b+c)^12", "((((9^12)^12)^12)^12)^12"],
)  # fmt: skip
def test_what_is_no_expression_or_too_large_is_refused_at_once(text: str) -> None:
    began = time.process_time()
    with pytest.raises(ValueError, match=r"."):
        quotient(read(text))
    assert time.process_time() - began < 2


def test_an_equation_has_two_sides() -> None:
    assert read_equation("x = 2").right.value == 2
    with pytest.raises(ValueError, match="not one equation"):
        read_equation("x == 2")


whole = st.integers(-9, 9)


@given(whole, whole, whole, whole, st.fractions(-5, 5, max_denominator=7))
def test_an_expression_and_its_expansion_are_worth_the_same_everywhere(
    a: int, b: int, c: int, d: int, x: Fraction
) -> None:
    product = f"(({a})x + ({b}))(({c})x + ({d}))"
    expansion = f"({a * c})x^2 + ({a * d + b * c})x + ({b * d})"
    assert same(read(product), read(expansion)) and not same(read(product), read(f"{expansion} + 1"))
    assert constant_of(read(product.replace("x", f"({x})"))) == (a * x + b) * (c * x + d)


def test_units_are_converted_within_their_kind_only() -> None:
    assert [one.value for one in in_unit(quantities("90 km/h"), "m/s")] == [25]
    assert [one.value for one in in_unit(quantities("2 weeks"), "days")] == [14]
    assert in_unit(quantities("90 km"), "km/h") == []
    assert [one.value for one in in_unit(quantities("12 apples and 3 pears"), "")] == [12, 3]


@pytest.mark.parametrize(
    "reply", ["Answer: " + "(" * 390, "=" * 100_000, "1/" * 50_000, "\\boxed{" * 9_000, "🙂\x00" * 500]
)
def test_no_rule_is_slow_or_breaks_over_an_odd_reply(reply: str) -> None:
    began = time.process_time()
    for data in (KM, LINE, SUBJECT, EXPANDED, ROOTS, PAIR, DAY, AT):
        assert not judged(data, reply).passed
    assert time.process_time() - began < 5


def test_a_denied_answer_is_not_the_answer() -> None:
    assert not judged({"rule": "number", "answer": "12"}, "Answer: not 12").passed
    option = {"rule": "option", "answer": "Anna", "others": ["Ben"]}
    assert not judged(option, "Answer: not Anna").passed and not judged(option, "It isn't Anna.").passed
    assert judged(option, "It is not close: Anna").passed and judged(option, "Anna, not Ben").passed
