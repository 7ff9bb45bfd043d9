"""Judges an answer by `task.data["rule"]`. The answer is the marked one (`\\boxed{}`, "Answer:", ...), or the last line.

    number      equal within `tolerance`, if the task has one. With a `unit`, units of the same kind are converted
    expression  equal for all values of the unknowns, and in the requested `form`: expanded, factored or fully factored
    equation    equivalent. With `form` "solved NAME", solved for that unknown
    solutions   `{"x": ["3", "-2"]}`: all solutions of one unknown. `{"x": ["3"], "y": ["4"]}`: one value for each
    option      names the answer, and none of the `others`
    clock       the same time of day: 14:30, 2.30 pm

Several answers, or a tool call, count as no answer. The part `valid` says whether the reply had one answer to compare.
"""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from verigym.core.errors import VerifierFailure
from verigym.core.records import Json, Task, Trajectory, Verdict
from verigym.environments.math.algebra import (
    constant_of,
    is_expanded,
    is_factored,
    is_fully_factored,
    is_solved_for,
    read,
    read_equation,
    same,
    same_equation,
)
from verigym.environments.math.quantities import in_unit, quantities
from verigym.policies.dialects import looks_like_call
from verigym.verifiers.answers import find_answer
from verigym.verifiers.numeric import Number, denied_next, first_number, names

_LONGEST = 400
"""Maximum characters of an answer."""
_ROUNDING = Fraction(1, 10**9)


class StatedAnswer(NamedTuple):
    text: str
    marked: bool


class AnswerCheck(NamedTuple):
    """`wrong` is empty if the answer is right."""

    wrong: str
    valid: bool = True


def math_verifier(task: Task, trajectory: Trajectory) -> Verdict:
    """Gives 1 if the answer is right by the task's rule, and otherwise 0."""
    rule: str = task.data.get("rule", "")
    if rule not in RULES or "answer" not in task.data:
        raise VerifierFailure(f'task {task.id}: data needs "answer" and a "rule" of {", ".join(RULES)}, not {rule!r}')
    said = answer_in(trajectory.reply)
    if trajectory.calls or looks_like_call(trajectory.reply):
        found = AnswerCheck("a call, and no answer", valid=False)
    elif not said.text or len(said.text) > _LONGEST:
        found = AnswerCheck("no answer found" if not said.text else "the answer is too long to be one", valid=False)
    else:
        found = RULES[rule](said, task.data)
    passed = not found.wrong
    words = "as expected" if passed else f"expected {written(task.data)}: {found.wrong}"
    return Verdict(
        reward=float(passed),
        passed=passed,
        parts={"valid": float(found.valid)},
        evidence=f'"{said.text[:120]}", {words}',
    )


def answer_in(reply: str) -> StatedAnswer:
    """The last marked answer, or else the last line that is not empty."""
    found = find_answer(reply)
    assert found is not None, "auto always finds something"
    if found.marked and found.text:
        return StatedAnswer(found.text, True)
    lines = [line.strip() for line in reply.splitlines() if line.strip(" \t*`$.")]
    return StatedAnswer(lines[-1] if lines else "", False)


def written(data: Json) -> str:
    """The right answer as text."""
    answer = data["answer"]
    if data["rule"] == "solutions":
        joined = " or " if len(answer) == 1 else ", "
        return joined.join(f"{name} = {value}" for name, values in answer.items() for value in values)
    return f"{answer} {data['unit']}" if data.get("unit") else str(answer)


# -- The rules -----------------------------------------------------------------------------------------------------------


def _number(said: StatedAnswer, data: Json) -> AnswerCheck:
    expected = first_number(data["answer"])
    assert expected is not None, f"{data['answer']} is no number"
    text = _exact(said.text.rpartition("=")[2] or said.text, "tolerance" in data)
    listed = quantities(text)
    if not listed or _NOT_ALONE.search(text):
        return AnswerCheck(f'no plain number in "{text[:80]}"', valid=False)
    given = in_unit(listed, data.get("unit", ""))
    if not given:
        return AnswerCheck("a quantity of another kind")
    if not said.marked:
        given = given[-1:]
    place = text.rfind(given[-1].text.split()[0])
    if place > 0 and denied_next(text[:place]):
        return AnswerCheck("the number is denied", valid=False)
    if len({one.value for one in given}) > 1:
        return AnswerCheck("more than one number is given as the answer", valid=False)
    near = any(_near(value, expected.value, data.get("tolerance", 0)) for value in _readings(given[0], expected))
    return AnswerCheck("" if near else _unlike(given[0]))


_NOT_ALONE = re.compile(
    r"[√≥≤<>±]|\+/-|\\(?:sqrt|geq?|leq?|pm)\b|\bat (?:least|most)\b"
    r"|\d\s?(?:k|hundred|thousand|million|dozen)\b",
    re.IGNORECASE,
)
"""Signs that change a number or make it a range."""
_NEARLY = re.compile(r"≈|\\approx|\((?:about|approximately|roughly)\b")


def _exact(text: str, rounded: bool) -> str:
    """The exact side of `27/55 ≈ 0.49`, or the rounded side if the question asks to round."""
    parts = [part for part in _NEARLY.split(text) if part.strip()] or [text]
    return parts[0] if not rounded and len(quantities(parts[0])) == 1 else parts[-1]


def _readings(given: Number, expected: Number) -> list[Fraction]:
    """If the question asks for percent, 65 and 0.65 both mean 65%. Otherwise 65% is 0.65."""
    return expected.readings(given) if expected.percent else [given.value / 100 if given.percent else given.value]


def _near(given: Fraction, expected: Fraction, tolerance: float) -> bool:
    """Whole numbers must be equal. Other numbers may differ beyond the ninth digit."""
    whole = given.denominator == expected.denominator == 1
    return abs(given - expected) <= max(Fraction(str(tolerance)), 0 if whole else _ROUNDING * abs(expected))


def _unlike(given: Number) -> str:
    return f"got {given.text}"


_SAID_BESIDE = re.compile(r"[$€]|\\[;,!]|\\q?quad\b|\s+(?:euros?|met(?:re|er)s?|cm)\b")
_EXCEPT = re.compile(r"[\s,;(]*(?:where|with|for|if)?\s*[a-z]\s*(?:≠|\\neq?\b|!=).*")
_LEADING = re.compile(r"^[A-Za-z ]*\b(?:is|are)\b:?")


def _formula(text: str) -> str:
    """Removes LaTeX marks, units beside it, "The line is", "(y ≠ 3)" and the full stop. `C(n) = ...` becomes `C = ...`."""
    bare = _EXCEPT.sub("", _LEADING.sub("", _SAID_BESIDE.sub("", text))).strip().rstrip(".")
    return re.sub(r"^([A-Za-z])\([a-z]\)\s*=", r"\1 =", bare)


FORMS = {"expanded": is_expanded, "factored": is_factored, "fully factored": is_fully_factored}


def _expression(said: StatedAnswer, data: Json) -> AnswerCheck:
    try:
        given = read(_formula(said.text).rpartition("=")[2])
        if not same(given, read(data["answer"])):
            return AnswerCheck("not the same expression")
        form: str = data.get("form", "")
        return AnswerCheck("" if not form or FORMS[form](given) else f"it is not {form}")
    except ValueError as error:
        return AnswerCheck(f"it cannot be read: {error}", valid=False)


def _equation(said: StatedAnswer, data: Json) -> AnswerCheck:
    try:
        given = read_equation(_formula(said.text))
        if not same_equation(given, read_equation(data["answer"])):
            return AnswerCheck("not an equivalent equation")
        solved, _, name = data.get("form", "").partition(" ")
        return AnswerCheck("" if not solved or is_solved_for(given, name) else f"it is not solved for {name}")
    except ValueError as error:
        return AnswerCheck(f"it cannot be read: {error}", valid=False)


_BETWEEN = re.compile(r"[,;]|\bor\b|\band\b|∨|\\text\{\s*(?:or|and)\s*\}")


def _solutions(said: StatedAnswer, data: Json) -> AnswerCheck:
    expected = {name: {Fraction(value) for value in values} for name, values in data["answer"].items()}
    text = _formula(said.text).replace("\\{", "{").replace("\\}", "}").replace("+/-", "±")
    try:
        given = _of_one(text, *expected) if len(expected) == 1 else _of_two(text, list(expected))
    except ValueError as error:
        return AnswerCheck(f"it cannot be read: {error}", valid=False)
    return AnswerCheck("" if given == expected else "not these solutions")


def _of_one(text: str, name: str) -> dict[str, set[Fraction]]:
    """`x = 3 or x = -2`, `x_1 = 3, x_2 = -2`, `3 and -2`, `x = ±3`."""
    values: set[Fraction] = set()
    members = re.fullmatch(rf"(?:\s*{name}\s*(?:=|\\in|∈))?\s*\{{([^{{}}]*(?:\{{[^{{}}]*\}}[^{{}}]*)*)\}}\s*", text)
    text = members[1] if members else text
    for part in _BETWEEN.split(text):
        bare = re.sub(rf"^\s*{name}\s*(?:_?\{{?[\d₁₂₃₄]\}}?)?\s*=", "", part).strip()
        for sign in ("", "-") if bare.startswith(("±", "\\pm")) else ("",):
            values.add(_constant(sign + bare.removeprefix("±").removeprefix("\\pm")))
    return {name: values}


def _of_two(text: str, names: list[str]) -> dict[str, set[Fraction]]:
    """`x = 3, y = 4`, in any order, or `(3, 4)`, in the order of the alphabet."""
    pair = re.search(r"\(([^()]+)[,;]([^()]+)\)\s*$", text)
    if pair is not None and re.search(r"\d", text[: pair.start()]):
        raise ValueError("more than one pair")
    if pair is not None:
        return {name: {_constant(value)} for name, value in zip(sorted(names), pair.groups(), strict=True)}
    values: dict[str, set[Fraction]] = {}
    for part in _BETWEEN.split(text):
        name, _, value = part.partition("=")
        values.setdefault(name.strip(), set()).add(_constant(value))
    return values


def _constant(text: str) -> Fraction:
    value = constant_of(read(re.sub(r"(\d+) (\d+/\d+)", r"(\1 + \2)", text)))
    if value is None:
        raise ValueError(f'"{text.strip()[:40]}" is no number')
    return value


def _option(said: StatedAnswer, data: Json) -> AnswerCheck:
    named = [each for each in (data["answer"], *data["others"]) if names(said.text, each)]
    if len(named) != 1:
        return AnswerCheck("it names none of them" if not named else "it names more than one", valid=False)
    return AnswerCheck("" if named[0] == data["answer"] else f"got {named[0]}")


_CLOCK = re.compile(r"(?<![\d.:])(\d{1,2})(?:[:.h](\d{2})(?::00)?)?(?:\s*([ap])\.?\s?m\b)?(?![\d:])", re.IGNORECASE)


def _clock(said: StatedAnswer, data: Json) -> AnswerCheck:
    given = {_minutes(found) for found in _CLOCK.finditer(said.text) if found[2] or found[3]} - {None}
    if len(given) != 1:
        return AnswerCheck("no time of day in it" if not given else "more than one time of day", valid=False)
    expected = _CLOCK.fullmatch(data["answer"])
    assert expected is not None, data["answer"]
    return AnswerCheck("" if given == {_minutes(expected)} else "another time")


def _minutes(found: re.Match[str]) -> int | None:
    hours, minutes, half = int(found[1]), int(found[2] or 0), (found[3] or "").lower()
    if half:
        hours = hours % 12 + (12 if half == "p" else 0)
    return hours * 60 + minutes if hours < 24 and minutes < 60 else None


RULES: dict[str, Callable[[StatedAnswer, Json], AnswerCheck]] = {
    "number": _number,
    "expression": _expression,
    "equation": _equation,
    "solutions": _solutions,
    "option": _option,
    "clock": _clock,
}
