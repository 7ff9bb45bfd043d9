"""The reply's number against the task's: `1,234.5`, `$12`, `50%`, `1e-3`, `3/4`, `1 1/2`, `\\frac{3}{4}`, `3 × 10^5`, `5 km`.

Numbers are compared exactly, as fractions, so that whole numbers of any size are told apart. A comma groups thousands;
`1.234,5` is not read. Words ("twelve"), NaN and infinity are no numbers, so they never pass.
"""

import re
from fractions import Fraction

from msgspec import Struct

from verigym.core.errors import VerifierFailure
from verigym.core.records import Task, Trajectory, Verdict
from verigym.verifiers.answers import Where, find_answer

_ROUNDING = Fraction(1, 10**9)
"""What two numbers may differ by, relative to the expected one, where one of them is not whole and no tolerance is set."""


class Numeric(Struct, frozen=True):
    """`Numeric()` for equal numbers, `Numeric(tolerance=0.01)` for near ones; `task.data["answer"]` is a number or text."""

    tolerance: float = 0.0
    """Absolute: 0.01 passes 3.15 for 3.14."""
    relative: float = 0.0
    """To the expected number: 0.01 passes 101 for 100. The wider of the two counts."""
    where: Where = "auto"
    """Where the answer stands in the reply (see `answers`). Of a marked answer the first number counts, after the last
    `=` where there is one; of any other reply, and with `auto` where the mark holds no number, the last."""

    def __call__(self, task: Task, trajectory: Trajectory) -> Verdict:
        expected = _expected(task)
        given = self._given(trajectory.reply)
        if given is None:
            return Verdict(
                reward=0.0, evidence=f'expected {task.data["answer"]}, no number in "{trajectory.reply[-120:]}"'
            )
        passed = any(self._near(value, expected.value) for value in expected.readings(given))
        words = "as expected" if passed else f"expected {task.data['answer']}"
        return Verdict(reward=float(passed), passed=passed, evidence=f"{given.text}, {words}")

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
        raise VerifierFailure(f'task {task.id}: data has no "answer"; Numeric compares the reply with it')
    answer = task.data["answer"]
    found = find_answer(answer) if isinstance(answer, str) else None
    text = found.text if found else repr(answer)
    number = None if isinstance(answer, bool) else first_number(text)
    if number is None:
        raise VerifierFailure(f"task {task.id}: the answer {answer!r} is not a number that Numeric can read")
    return number


# -- Numbers in text ---------------------------------------------------------------------------------------------------


class Number(Struct, frozen=True):
    value: Fraction
    text: str
    """As it was written."""
    percent: bool = False

    def readings(self, other: "Number") -> list[Fraction]:
        """What `other` may mean beside this one: with a % on one side only, 50% is read as 50 and as 0.5."""
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
"""Digits of a number, and size of its exponent, past which it is not read."""


def first_number(text: str) -> Number | None:
    found = _NUMBER.search(_tidy(text))
    return found and _number(found)


def last_number(text: str) -> Number | None:
    found = None
    for each in _NUMBER.finditer(_tidy(text)):
        found = each
    return found and _number(found)


def _tidy(text: str) -> str:
    return text.translate(_LIKE_ASCII).replace("{,}", ",").replace("\\!", "").replace("\\,", "")


def _number(found: re.Match[str]) -> Number | None:
    if len(found[0]) > _LONGEST or abs(int(found["e"] or found["ten"] or 0)) > _LONGEST:
        return None
    if found["top"]:
        top, bottom = Fraction(found["top"]), Fraction(found["bottom"])
    elif found["over"]:
        top, bottom = Fraction(found["over"]), Fraction(found["under"])
    else:
        top, bottom = Fraction(found["plain"].replace(",", "")), Fraction(1)
    if not bottom:
        return None
    value = (top / bottom + int(found["whole"] or 0)) * Fraction(10) ** int(found["e"] or found["ten"] or 0)
    negative = (found["sign"] == "-") != bool(found["inner"])
    return Number(-value if negative else value, found[0].strip(), bool(found["percent"]))
