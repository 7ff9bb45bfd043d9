"""Compares numbers: `1,234.5`, `$12`, `50%`, `1e-3`, `3/4`, `1 1/2`, `\\frac{3}{4}`, `3 × 10^5`, `5 km`.

Numbers are compared exactly, as fractions. A comma groups thousands, so `1.234,5` is not read. Words ("twelve"), NaN and
infinity are not numbers and never pass.
"""

import re
from fractions import Fraction

from msgspec import Struct

from verigym.core.errors import VerifierFailure
from verigym.core.records import Task, Trajectory, Verdict
from verigym.verifiers.answers import Where, find_answer

_ROUNDING = Fraction(1, 10**9)
"""Default relative tolerance if one of the two numbers is not whole."""


class Numeric(Struct, frozen=True):
    """`Numeric()` for equal numbers, `Numeric(tolerance=0.01)` for near ones. `task.data["answer"]` is a number or text."""

    tolerance: float = 0.0
    """Absolute tolerance: 0.01 passes 3.15 for 3.14."""
    relative: float = 0.0
    """Relative tolerance: 0.01 passes 101 for 100. The wider of the two counts."""
    where: Where = "auto"
    """Where the reply has its answer (see `answers`). In a marked answer the first number after the last `=` counts. In any other
    reply, and with `auto` if the marked answer has no number, the last number counts."""

    def __call__(self, task: Task, trajectory: Trajectory) -> Verdict:
        expected = _expected(task)
        given = self._given(trajectory.reply)
        if given is None:
            evidence = f'expected {task.data["answer"]}, no number in "{trajectory.reply[-120:]}"'
            return Verdict(reward=0.0, evidence=evidence)
        passed = any(self._near(value, expected.value) for value in expected.readings(given))
        comment = "as expected" if passed else f"expected {task.data['answer']}"
        return Verdict(reward=float(passed), passed=passed, evidence=f"{given.text}, {comment}")

    def _given(self, reply: str) -> "Number | None":
        answer = find_answer(reply, self.where)
        if answer is None:
            return None
        if not answer.marked:
            return last_number(answer.text)
        return first_number(answer.text.rpartition("=")[2]) or (last_number(reply) if self.where == "auto" else None)

    def _near(self, given: Fraction, expected: Fraction) -> bool:
        allowed = max(Fraction(self.tolerance), Fraction(self.relative) * abs(expected))
        if not allowed and (given.denominator > 1 or expected.denominator > 1):
            allowed = _ROUNDING * abs(expected)
        return abs(given - expected) <= allowed


def _expected(task: Task) -> "Number":
    if "answer" not in task.data:
        raise VerifierFailure(f'task {task.id}: data has no "answer". Numeric compares the reply with it')
    answer = task.data["answer"]
    extracted = find_answer(answer) if isinstance(answer, str) else None
    text = extracted.text if extracted else repr(answer)
    number = None if isinstance(answer, bool) else first_number(text)
    if number is None:
        raise VerifierFailure(f"task {task.id}: the answer {answer!r} is not a number that Numeric can read")
    return number


class Number(Struct, frozen=True):
    value: Fraction
    text: str
    """As written."""
    percent: bool = False

    def readings(self, other: "Number") -> list[Fraction]:
        """Possible values of `other`. If only one of the two has a %, 50% is read as 50 and as 0.5."""
        if self.percent == other.percent:
            return [other.value]
        return [other.value, other.value / 100 if other.percent else other.value * 100]


_LIKE_ASCII = str.maketrans(
    {"−": "-", "﹣": "-", "－": "-", "⁄": "/", "\u00a0": " ", "\u202f": " ", "½": " 1/2", "¼": " 1/4", "¾": " 3/4"}
)
_DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)"
_NUMBER = re.compile(
    rf"""(?P<sign>(?<![\w)\]])[-+])?                              # in "10-3" the 3 is not negative
    (?:\\?[$€£¥]\ ?(?P<inner>-)?)?
    (?<![\w.])
    (?:
        \\[dt]?frac\{{\ *(?P<top>-?[0-9]+)\ *\}}\{{\ *(?P<bottom>-?[0-9]+)\ *\}}
      | (?:(?P<whole>[0-9]+)\ (?=[0-9]+/))?(?P<over>[0-9]+)\ ?/\ ?(?P<under>[0-9]+)(?![.\w/])
      | (?P<plain>{_DIGITS}(?:\.[0-9]+)?|\.[0-9]+)
        (?: [eE](?P<e>[-+]?[0-9]+) | \ ?(?:×|\\times|\\cdot|x|\*)\ ?10(?:\^|\*\*)\{{?(?P<ten>[-+]?[0-9]+)\}}? )?
    )
    (?P<percent>\ ?\\?%)?""",
    re.VERBOSE,
)
_LONGEST = 400
"""Maximum characters of a number, and maximum size of its exponent."""


def first_number(text: str) -> Number | None:
    match = _NUMBER.search(_tidy(text))
    return match and _number(match)


def last_number(text: str) -> Number | None:
    last = None
    for match in _NUMBER.finditer(_tidy(text)):
        last = match
    return last and _number(last)


def _tidy(text: str) -> str:
    return text.translate(_LIKE_ASCII).replace("{,}", ",").replace("\\!", "").replace("\\,", "")


def _number(match: re.Match[str]) -> Number | None:
    if len(match[0]) > _LONGEST or abs(int(match["e"] or match["ten"] or 0)) > _LONGEST:
        return None
    if match["top"]:
        top, bottom = Fraction(match["top"]), Fraction(match["bottom"])
    elif match["over"]:
        top, bottom = Fraction(match["over"]), Fraction(match["under"])
    else:
        top, bottom = Fraction(match["plain"].replace(",", "")), Fraction(1)
    if not bottom:
        return None
    value = (top / bottom + int(match["whole"] or 0)) * Fraction(10) ** int(match["e"] or match["ten"] or 0)
    negative = (match["sign"] == "-") != bool(match["inner"])
    return Number(-value if negative else value, match[0].strip(), bool(match["percent"]))
