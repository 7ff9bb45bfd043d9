"""What a family returns per draw: the question, a worked solution and the right answer (see `verifier`). Also formats numbers."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from random import Random
from typing import NamedTuple

from verigym.core.records import Json


class Question(NamedTuple):
    prompt: str
    work: str
    """The steps of a solution, without its last line."""
    data: Json


Family = Callable[[Random], Question]
Value = int | Fraction


def number(prompt: str, work: str, answer: Value, unit: str = "", tolerance: float = 0) -> Question:
    data: Json = {
        "rule": "number",
        "answer": f"{float(answer):.2f}" if unit == "euros" and answer % 1 else plain(answer),
    }
    if unit:
        data["unit"] = unit
    if tolerance:
        data["tolerance"] = tolerance
    return Question(prompt, work, data)


def rounded(prompt: str, work: str, answer: Fraction, unit: str = "") -> Question:
    """Rounds to two decimals, with a tolerance of 0.01 for intermediate rounding."""
    return number(prompt, work, Fraction(round(answer * 100), 100), unit, 0.01)


def percent(prompt: str, work: str, answer: Value, tolerance: float = 0) -> Question:
    asked = number(prompt, work, answer, tolerance=tolerance)
    return asked._replace(data={**asked.data, "answer": f"{plain(answer)}%"})


def fraction(prompt: str, work: str, answer: Fraction) -> Question:
    return Question(prompt, work, {"rule": "number", "answer": str(answer)})


def expression(prompt: str, work: str, answer: str, form: str = "") -> Question:
    return Question(prompt, work, {"rule": "expression", "answer": answer, **({"form": form} if form else {})})


def equation(prompt: str, work: str, answer: str, form: str = "") -> Question:
    return Question(prompt, work, {"rule": "equation", "answer": answer, **({"form": form} if form else {})})


def solutions(prompt: str, work: str, **answer: Iterable[Value]) -> Question:
    values = {name: [str(Fraction(value)) for value in sorted(set(each))] for name, each in answer.items()}
    return Question(prompt, work, {"rule": "solutions", "answer": values})


def option(prompt: str, work: str, answer: str, others: Iterable[str]) -> Question:
    return Question(
        prompt, work, {"rule": "option", "answer": answer, "others": [each for each in others if each != answer]}
    )


def clock(prompt: str, work: str, minutes: int) -> Question:
    return Question(prompt, work, {"rule": "clock", "answer": at(minutes)})


# -- Words ---------------------------------------------------------------------------------------------------------------


def plain(value: Value) -> str:
    """`12`, `3.25`, or `7/3` if the decimal would not end."""
    value = Fraction(value)
    if value.denominator == 1:
        return str(value.numerator)
    for digits in range(1, 5):
        if not 10**digits % value.denominator:
            return f"{float(value):.{digits}f}"
    return str(value)


def euros(cents: int) -> str:
    """`€12` or `€12.50`."""
    return f"€{cents // 100}" if cents % 100 == 0 else f"€{cents / 100:.2f}"


def at(minutes: int) -> str:
    """A time of day."""
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def terms(**factors: Value) -> str:
    """`terms(x2=1, x=-3, one=2)` is `x^2 - 3x + 2`. Terms of 0 are left out."""
    text = ""
    for name, factor in factors.items():
        if not factor:
            continue
        letters = "" if name == "one" else name.replace("2", "^2")
        size = plain(abs(factor))
        size = f"({size})" if "/" in size and letters else size
        shown = letters if letters and abs(factor) == 1 else size + letters
        sign = " - " if factor < 0 else " + "
        text += (sign if text else sign.strip(" +")) + shown
    return text or "0"
