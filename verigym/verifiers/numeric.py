"""Compares numbers: `1,234.5`, `$12`, `50%`, `1e-3`, `3/4`, `1 1/2`, `\\frac{3}{4}`, `3 × 10^5`, `2^3`, `5 million`, `5 km`.

Numbers are compared exactly, as fractions. A comma groups thousands, so `1.234,5` is not read. Words ("twelve"), NaN, infinity
and expressions with `\\pi` or a root are not numbers and never pass. Neither does a denied number ("not 42") or one of several
("42 or 43").
"""

import re
from collections import deque
from fractions import Fraction
from typing import NamedTuple

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
    """Where the reply has its answer (see `answers`). In a marked answer the first number after the last `=` counts, unless it is
    one of several ("42 or 43", "42, 43"). In any other reply, and with `auto` if the marked answer has no number, the last number
    counts. A number that is denied ("not 42") is passed over."""

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
        if answer.marked:
            text = _tidy(answer.text)
            start = len(text) - len(text.rpartition("=")[2])
            if places := _places(text, start):
                return _only(places, next((at for at, each in enumerate(places) if each.start >= start), None), _LINK)
        if answer.marked and (self.where != "auto" or _SYMBOL.search(answer.text)):
            return None
        places = _places(_tidy(reply if answer.marked else answer.text))
        return _only(places, len(places) - 1 if places else None, _OR if self.where == "auto" else None)

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


class _Place(NamedTuple):
    """A number of a text that is not denied."""

    number: Number | None
    """None if it is too long to be read."""
    start: int
    between: str
    """The text since the number before it, also a denied one. Empty for the first number."""


_DENIAL = re.compile(
    r"(?:\b(?:not|never|neither|nor|except|than|instead of|anything but|everything but)|n['’]t)"
    r"(?:[\s*_$(]+(?!but\b)[a-z'’]+){0,2}[\s*_$(\\]*$",
    re.IGNORECASE,
)
"""Before a number: "not 42", "isn't equal to 42", "other than 42"."""
_MINUS = re.compile(r"\b(?:minus|negative)[\s*_$(]*$", re.IGNORECASE)
_OPERATOR = re.compile(
    r"[\s$_)\\]*(?:\+|(?<!\*)\*(?!\*)|[×÷·]|\\times|\\cdot|\b(?:plus|minus|times|divided by|x)\b)[\s$_(\\]*",
    re.IGNORECASE,
)
"""Between two numbers of an expression: "5 + 7". Neither of them is its value."""
_LINKED = r"(?:\s*[a-z°%µ²³]+\.?){0,2}?[\s*_$)\\]*(?:,|;|/|&|\||–|-|\bor\b|\band\b|\bto\b)"
_MORE = r"(?:[\s,;*_$(\\]|\bor\b|\band\b|\bmaybe\b|\bperhaps\b|\bpossibly\b|\beven\b|\balso\b|\belse\b|\b[a-z]\s*=)*"
_LINK = re.compile(_LINKED + _MORE, re.IGNORECASE)
"""Between two numbers of a list: "42 or 43", "42, 43", "x = 3 or x = -3". In "72 (in 2 months)" there is no list."""
_OR = re.compile(r"[\s*_$)\\,]*\bor\b" + _MORE, re.IGNORECASE)
"""The same outside a marked answer. In "4 tickets, or 20 dollars" there is no list."""
_SYMBOL = re.compile(r"\\(?:pi|sqrt|log|ln|infty)\b|[π√∞]")
_IN_SYMBOL = re.compile(
    r"\\(?:[dt]?frac(?:\{[^{}]*\})?|sqrt(?:\[[^\]]*\])?)\{[^{}]*$|(?:\\pi|π|\\sqrt|√|\bpi)\s*[/*^]?\s*\{?$"
    r"|\b(?:sqrt|ln|log|exp|sin|cos|tan|root of)[\s({]*$"
)
_TIMES_SYMBOL = re.compile(r"\s*(?:\\cdot|\\times|\*)?\s*(?:\\(?:pi|sqrt|log|ln)\b|[π√]|pi\b)")
_NEAR = 60
"""Characters around a number that are looked at."""
_MOST = 40
"""Numbers that are looked at. A reply may have any number of them."""


def denied_next(text: str) -> bool:
    """Whether a text denies what follows it: "It is not "."""
    return _DENIAL.search(text[-_NEAR:]) is not None


def names(text: str, option: str) -> bool:
    """Whether a text contains the words of an option, and does not deny them: "Anna", not "not Anna"."""
    words = r"[\W_]+".join(map(re.escape, _WORD.findall(option.casefold())))
    text = text.casefold()
    places = re.finditer(rf"(?<![^\W_]){words}(?![^\W_])", text) if words else ()
    return any(not denied_next(text[: place.start()]) for place in places)


_WORD = re.compile(r"[^\W_]+")


def _places(text: str, start: int | None = None) -> list[_Place]:
    """The numbers of a tidy text around an index, or else the last ones."""
    matches: deque[re.Match[str]] = deque(maxlen=_MOST)
    after = 0
    for match in _NUMBER.finditer(text):
        matches.append(match)
        after += start is not None and match.start() >= start
        if after == _MOST // 2:
            break
    places: list[_Place] = []
    end = 0
    for match in matches:
        before = text[max(0, match.start() - _NEAR) : match.start()]
        symbolic = _IN_SYMBOL.search(before) or _TIMES_SYMBOL.match(text, match.end())
        if symbolic:
            places.append(_Place(None, match.start(), ""))
        elif not _DENIAL.search(before):
            number = _number(match)
            if number is not None and _MINUS.search(before):
                number = Number(-number.value, f"minus {number.text}", number.percent)
            places.append(_Place(number, match.start(), text[end : match.start()] if end else ""))
        end = match.end()
    return places


def _only(places: list[_Place], at: int | None, link: "re.Pattern[str] | None") -> Number | None:
    """The number at an index, or None if a list links it to a different one or it is part of an expression."""
    number = None if at is None else places[at].number
    if number is None or at is None or link is None:
        return number
    for one, two in ((at - 1, at), (at, at + 1)):
        if one < 0 or two >= len(places) or len(places[two].between) > _NEAR:
            continue
        if _OPERATOR.fullmatch(places[two].between):
            return None
        if link.fullmatch(places[two].between):
            other = places[one if two == at else two].number
            if other is None or number.value not in number.readings(other):
                return None
    return number


_LIKE_ASCII = str.maketrans(
    {"−": "-", "﹣": "-", "－": "-", "⁄": "/", "\u00a0": " ", "\u202f": " ", "½": " 1/2", "¼": " 1/4", "¾": " 3/4"}
)
_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12, "mn": 6, "bn": 9, "tn": 12, "k": 3}
_DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)"
_NUMBER = re.compile(
    rf"""(?P<sign>(?<![\w)\]])[-+])?                              # in "10-3" the 3 is not negative
    (?:\\?[$€£¥]\ ?(?P<inner>-)?)?
    (?<![\w.^])(?<!\^\{{)
    (?:
        \\[dt]?frac\{{\ *(?P<top>-?[0-9]+)\ *\}}\{{\ *(?P<bottom>-?[0-9]+)\ *\}}
      | (?:(?P<whole>[0-9]+)\ (?=[0-9]+/))?(?P<over>[0-9]+)\ ?/\ ?(?P<under>[0-9]+)(?![.\w/])
      | (?P<plain>{_DIGITS}(?:\.[0-9]+)?|\.[0-9]+)
        (?: [eE](?P<e>[-+]?[0-9]+) | \ ?(?:×|\\times|\\cdot|x|\*)\ ?10(?:\^|\*\*)\{{?(?P<ten>[-+]?[0-9]+)\}}?
          | (?:\^|(?<=[0-9])\*\*(?=[-+]?[0-9]))\{{?(?P<power>[-+]?[0-9]+)\}}? )?
    )
    (?P<percent>\ ?\\?%)?
    (?P<scale>\ (?i:{"|".join(_SCALES)[:-2]})\b|(?i:bn|mn|tn)\b|\ ?k\b)?""",
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
    if match["power"]:
        power = int(match["power"])
        if abs(power) > 64 or (power < 0 and not value):
            return None
        value = value**power
    value *= 10 ** _SCALES.get((match["scale"] or "").strip().lower(), 0)
    negative = (match["sign"] == "-") != bool(match["inner"])
    return Number(-value if negative else value, match[0].strip(), bool(match["percent"]))
