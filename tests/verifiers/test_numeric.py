"""Numbers are read as people write them, and compared exactly unless told otherwise."""

import math
import time
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifiers.builders import verdict
from verigym.core.records import Fault
from verigym.verifiers.numeric import Numeric, first_number, last_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.5", "1234.5"),
        ("1,000,000", "1000000"),
        (r"1{,}234", "1234"),
        (r"1\,234", "1234"),
        ("$12.50", "12.5"),
        (r"\$5", "5"),
        ("-$5", "-5"),
        ("$-5", "-5"),
        ("€ 7", "7"),
        ("1e-3", "1/1000"),
        ("2.5E3", "2500"),
        ("3e8m/s", "300000000"),
        ("3 × 10^5", "300000"),
        (r"3 \times 10^{-2}", "3/100"),
        ("2*10**3", "2000"),
        ("3/4", "3/4"),
        ("1 1/2", "3/2"),
        ("5½", "11/2"),
        ("¾", "3/4"),
        (r"\frac{3}{4}", "3/4"),
        (r"-\dfrac{1}{2}", "-1/2"),
        ("−7", "-7"),
        ("+7", "7"),
        (".5", "1/2"),
        ("5.", "5"),
        ("5 km", "5"),
        ("5km", "5"),
        ("50 %", "50"),
        ("007", "7"),
    ],
)
def test_a_number_is_read_as_it_is_written(text: str, value: str) -> None:
    found = first_number(text)
    assert found is not None and found.value == Fraction(value)
    assert last_number(f"first 1, then {text}") == found


@pytest.mark.parametrize(
    "text", ["", "nan", "inf", "-Infinity", "twelve", "x1", "v2", "3/0", "1e999", "9" * 500, "1e" + "9" * 5000, "٣"]
)
def test_what_is_no_number_is_not_read_as_one(text: str) -> None:
    assert first_number(text) is None


@pytest.mark.parametrize(
    ("settings", "answer", "reply"),
    [
        ({}, 42, "42"),
        ({}, 42, "It is 6 times 7, so 42."),
        ({}, "42", r"\boxed{42}"),
        ({}, 72, "48 + 24 = 72\n#### 72"),
        ({}, "She sold 72 clips.\n#### 72", "#### 72"),
        ({}, 72, "Answer: 72 (in 2 months)"),
        ({}, 5, "The answer is 2 + 3 = 5"),
        ({}, 5, "My answer is as follows. First add. So 5"),
        ({}, 0.75, "3/4"),
        ({}, "3/4", "0.75"),
        ({}, 1 / 3, "1/3"),
        ({}, 50, "50%"),
        ({}, 0.5, "50%"),
        ({}, "50%", "0.5"),
        ({}, "50%", "50"),
        ({}, "50%", "50 %"),
        ({}, -7, "−7"),
        ({}, 1234.5, "$1,234.50"),
        ({}, 10**30 + 1, f"{10**30 + 1:,}"),
        ({}, 1e-9, "1e-9"),
        ({"tolerance": 0.01}, 3.14, "3.15"),
        ({"relative": 0.01}, 100, "101"),
        ({"relative": 0.01}, -100, "-99"),
        ({"relative": 0.01}, 1e-8, "1.005e-8"),
        ({"where": "whole"}, 2, "Answer: 1 or 2"),
        ({"where": "boxed"}, 1, r"\boxed{1}, not 2"),
        ({}, 42, "42 apples"),
        ({}, 42, "Answer: **42**"),
        ({}, 42, "Answer: 42 apples, because there are 6 rows of 7"),
        ({}, 42, "Answer: 42. I checked it 2 times."),
        ({}, 42, "Answer: 42 (not 43)"),
        ({}, 42, "Answer: 42, 42.0"),
        ({}, 42, "The answer is not 41 but 42"),
        ({}, 42, "I am not sure, but 42"),
        ({}, 42, "I first thought 43 or 44. The answer is 42"),
        ({}, 42, "There are 3, 4 and 5 rows. In total 42"),
        ({}, 20, "She pays 5 dollars each for 4 tickets, or 20 dollars."),
        ({}, 8, "2^3"),
        ({}, 8, "Answer: 2**3"),
        ({}, 5_000_000, "5 million"),
        ({}, 5000, "$5k"),
    ],
)
def test_a_right_number_passes(settings: dict[str, Any], answer: Any, reply: str) -> None:
    found = verdict(Numeric(**settings), reply, answer=answer)
    assert (found.reward, found.passed, found.error) == (1.0, True, None)


@pytest.mark.parametrize(
    ("settings", "answer", "reply"),
    [
        ({}, 42, "43"),
        ({}, 42, ""),
        ({}, 42, "forty-two"),
        ({}, 42, "nan"),
        ({}, 42, "inf"),
        ({"tolerance": 1e300}, 42, "nan"),
        ({"tolerance": 1e300}, 42, "infinity"),
        ({}, 42, "It is 42, or maybe 43"),
        ({}, 42, "Answer: 41 or 42"),
        ({}, 3, "-3"),
        ({}, 10**30, str(10**30 + 1)),
        ({}, 1e-9, "0"),
        ({}, 1 / 3, "0.33"),
        ({"tolerance": 0.01}, 3.14, "3.16"),
        ({"relative": 0.01}, 100, "102"),
        ({"relative": 0.5}, 1e-8, "0"),
        ({}, 0.5, "5%"),
        ({"where": "boxed"}, 42, "42"),
        ({}, 42, "The answer is not 42"),
        ({}, 42, "The answer isn't 42"),
        ({}, 42, "It is not 42."),
        ({}, 42, "Answer: anything other than 42"),
        ({}, 42, "Answer: 42 or 43 or 44"),
        ({}, 42, r"\boxed{42, 43}"),
        ({}, 42, "Answer: 42; 43"),
        ({}, 42, "Answer: 42 and 43"),
        ({}, 42, "Answer: 42 / 43 / 44"),
        ({}, 43, "42 or 43"),
        ({}, 10, "Answer: 10 to 12"),
        ({}, -3, "Answer: x = 3 or x = -3"),
        ({}, 5, "5 million"),
        ({}, 3, "2^3"),
        ({}, 2, "Answer: 2^3"),
        ({}, 3, "Answer: x^3"),
        ({}, 4, r"\frac{\pi}{4}"),
        ({}, 4, r"\boxed{\frac{\pi}{4}}"),
        ({}, 4, r"\boxed{\pi/4}"),
        ({}, 4, "Answer: 4π"),
        ({}, 3, r"Answer: 2\sqrt{3}"),
        ({}, 2, r"Answer: 2\sqrt{3}"),
    ],
)
def test_a_wrong_number_does_not(settings: dict[str, Any], answer: Any, reply: str) -> None:
    found = verdict(Numeric(**settings), reply, answer=answer)
    assert (found.reward, found.passed, found.error) == (0.0, False, None)


def test_the_evidence_says_what_was_read() -> None:
    assert verdict(Numeric(), "So $1,200", answer=1300).evidence == "$1,200, expected 1300"
    assert verdict(Numeric(), "no idea", answer=1).evidence == 'expected 1, no number in "no idea"'


@pytest.mark.parametrize(
    "data", [{}, {"answer": "many"}, {"answer": math.nan}, {"answer": True}, {"answer": None}], ids=str
)
def test_a_task_without_a_number_is_the_verifiers_failure(data: dict[str, Any]) -> None:
    found = verdict(Numeric(), "1", **data)
    assert found.reward is None and found.error is not None and found.error.fault is Fault.VERIFIER
    assert found.error.message.startswith("task t: ")


@settings(deadline=None)  # the first one reads the verifier's source for its version
@given(st.text())
def test_no_text_is_too_odd_to_read(text: str) -> None:
    first_number(text)
    last_number(text)
    assert verdict(Numeric(), text, answer=10**40 + 1).error is None


@settings(deadline=None)
@given(st.text(alphabet="0123456789.,/-+eE$% ×^{}\\frac\n"))
def test_nothing_that_looks_like_a_number_breaks_it(text: str) -> None:
    for found in (first_number(text), last_number(text)):
        assert found is None or isinstance(found.value, Fraction)  # exact, and finite by nature


def test_a_number_that_no_float_can_hold_is_still_compared() -> None:
    assert verdict(Numeric(relative=0.1), "1E310", answer="1.01E310").passed
    assert not verdict(Numeric(relative=0.1), "1E311", answer="1E310").passed


@settings(deadline=None)
@given(
    st.integers(),
    st.sampled_from(["{:d}", "{:,}", " {:d} ", "the answer is {:d}.", "\\boxed{{{:,}}}", "{:d}.0", "#### {:,}"]),
)
def test_every_whole_number_is_itself_and_not_its_neighbour(number: int, form: str) -> None:
    reply = form.format(number)
    assert verdict(Numeric(), reply, answer=number).passed
    assert not verdict(Numeric(), reply, answer=number + 1).passed


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300))
def test_every_float_is_itself(number: float) -> None:
    assert verdict(Numeric(), repr(number), answer=number).passed


@settings(deadline=None)
@given(st.integers(-(10**6), 10**6), st.integers(1, 1000), st.integers(0, 2000))
def test_the_tolerance_is_exact_at_its_edge(expected: int, tolerance: int, off: int) -> None:
    assert verdict(Numeric(tolerance=tolerance), str(expected + off), answer=expected).passed == (off <= tolerance)


@pytest.mark.parametrize("piece", ["1", "1 ", "1,111", "1/", "-", "1.", "1e", "$", "\\frac{1}", "1 × 10^"])
def test_a_long_reply_takes_no_longer_than_its_length(piece: str) -> None:
    start = time.process_time()
    last_number(piece * (100_000 // len(piece)))
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    "reply", ["1 " * 250_000, "Answer: " + "1 " * 250_000, "Answer: x = " + "1, " * 170_000], ids=len
)
def test_a_reply_of_very_many_numbers_is_read_quickly(reply: str) -> None:
    start = time.process_time()
    found = verdict(Numeric(), reply, answer=3)
    assert (found.reward, found.error) == (0.0, None) and time.process_time() - start < 5
    assert verdict(Numeric(where="whole"), reply + " so it is 3", answer=3).passed


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("minus 42", -42),
        ("negative 42", -42),
        ("42 bn", 42 * 10**9),
        ("42 Million", 42 * 10**6),
        ("35 (5 * 7)", 35),
        ("5 * 7 = 35", 35),
    ],
)
def test_signs_and_scales_in_words_count(said: str, value: int) -> None:
    assert verdict(Numeric(), f"Answer: {said}", answer=value).passed
    assert value in (35, 42) or not verdict(Numeric(), f"Answer: {said}", answer=42).passed


@pytest.mark.parametrize(
    "said", ["5 + 7", "5*7", "5 plus 5", "ln 5", "sqrt(5)", "the square root of 5", "anything but 5"]
)
def test_a_part_of_an_expression_is_not_the_answer(said: str) -> None:
    assert not verdict(Numeric(), f"Answer: {said}", answer=5).passed
