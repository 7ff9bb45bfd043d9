"""Feedback in traces: what users, annotators and evaluators say about a conversation, as opinions with an outcome or without.

`{"thumbs_down": true, "comment": "the wrong day"}` is the opinion `failure` of a person with a note. A value whose scale is not
known (`"score": 3`) has no outcome: it is named, and a rule of the user (`score>=4`) gives it a meaning.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput
from verigym.core.records import Item, Json
from verigym.wire.values import as_object, as_text, is_number

Outcome = Literal["success", "failure", ""]


class Opinion(Struct, frozen=True, kw_only=True):
    field: str
    """Where it stands, as a rule names it: `feedback.rating`, `scores.correctness`."""
    value: Any = None
    """Text, a number, a boolean, or None if there are only words."""
    outcome: Outcome = ""
    """Empty if the value has no known meaning."""
    by_person: bool = True
    """False for the score of an evaluator."""
    note: str = ""
    correction: list[Item] = []
    who: str = ""
    when: str = ""


_SUCCESS = re.compile(r"success|succeeded|successful|passed|pass|ok|resolved|solved|correct|true|yes|c", re.IGNORECASE)
_FAILURE = re.compile(r"failure|failed|fail|error|unresolved|incorrect|wrong|false|no|i", re.IGNORECASE)


def outcome_of(value: Any) -> Outcome:
    """The outcome that a field such as `outcome` or `success` reports. Empty if it is unknown."""
    if isinstance(value, bool):
        return "success" if value else "failure"
    if isinstance(value, int | float):
        return "success" if value == 1 else "failure" if value == 0 else ""
    word = value.strip() if isinstance(value, str) else ""
    return "success" if _SUCCESS.fullmatch(word) else "failure" if _FAILURE.fullmatch(word) else ""


def agreed_outcome(outcomes: Iterable[str]) -> Outcome:
    """The outcome that all non-empty outcomes agree on, else empty."""
    distinct = {outcome for outcome in outcomes if outcome}
    return "success" if distinct == {"success"} else "failure" if distinct == {"failure"} else ""


_OUTCOME_KEYS = ("outcome", "success", "passed", "resolved")


def reported_outcome(row: Json) -> Outcome:
    """The outcome that a row states outright, in itself or in its metadata."""
    rows = [row, as_object(row.get("metadata"))]
    for each in rows:
        for key in _OUTCOME_KEYS:
            if outcome := outcome_of(each.get(key)):
                return outcome
    return ""


_FEEDBACK = re.compile(r"(?i)feedback|thumb|rating|vote|liked?$|reaction|sentiment|stars|csat|satisf")
_SCORES = re.compile(r"(?i)(?:user_?|human_?)?scores?$|evaluations?$|annotations?$")
"""Feedback only if the value is plain, or a list or object of plain values: others are data of the application."""
_FEEDBACK_FIELDS = ("score", "value", "type", "label", "key", "kind")
"""Inside an object that is feedback."""
_AGAINST = re.compile(r"(?i)down|dislike|negative")
_YES_OR_NO = re.compile(r"(?i)thumb|vote|like|^score$")
"""Fields in which 1 is good and 0 is bad."""
_COMMENTS = ("comment", "note", "reason", "explanation", "text")
_LIKED = {
    *("thumbs_up", "thumb_up", "up", "upvote", "like", "liked", "positive", "good", "helpful", "+1", "1"),
    "\U0001f44d",
}
_DISLIKED = {
    *("thumbs_down", "thumb_down", "down", "downvote", "dislike", "disliked", "negative", "bad", "unhelpful"),
    *("not_helpful", "-1", "\U0001f44e"),
}


def opinions_in(row: Json) -> list[Opinion]:
    """The feedback fields of a row and of its metadata."""
    return [*_opinions(row), *_opinions(as_object(row.get("metadata")), "metadata.")]


def _opinions(row: Json, path: str = "", inside: bool = False) -> Iterator[Opinion]:
    """The opinions in the fields of an object. `inside`: the object itself is feedback."""
    comment = next((row[key] for key in _COMMENTS if inside and isinstance(row.get(key), str) and row[key].strip()), "")
    found: list[Opinion] = []
    for key, value in row.items():
        field = f"{path}{key}"
        if value is None or value == "" or not _is_feedback(key, value, inside):
            continue
        if isinstance(value, dict):
            yield from _opinions(as_object(value), f"{field}.", inside=True)
        elif isinstance(value, list):
            for each in map(as_object, value):
                yield from _opinions(each, f"{field}.", inside=True)
        elif not (key.endswith((*_COMMENTS, "id", "time", "at")) and isinstance(value, str)):
            found.append(Opinion(field=field, value=value, outcome=_meaning(key, value), note=comment))
    if not found and comment:
        found.append(Opinion(field=path.rstrip("."), note=comment))
    yield from found


def _is_feedback(key: str, value: Any, inside: bool) -> bool:
    if _FEEDBACK.search(key) or (inside and key in _FEEDBACK_FIELDS):
        return True
    return bool(_SCORES.match(key)) and not isinstance(value, dict | list | str)


def _meaning(key: str, value: Any) -> Outcome:
    """What a thumb, a vote or a rating says. Stars say nothing, because their scale is unknown."""
    against = bool(_AGAINST.search(key))
    if isinstance(value, bool):
        return "success" if value != against else "failure"
    if isinstance(value, int | float):
        scale: dict[float, Outcome] = {1: "success", 0: "failure"} if _YES_OR_NO.search(key) else {}
        counted: dict[float, Outcome] = {1: "failure", 0: ""} if against else scale  # thumbs_down: 1 is one thumb down
        meanings: dict[float, Outcome] = {-1: "failure", **counted}
        return meanings.get(value, "")
    word = value.strip().lower().replace("-", "_").replace(" ", "_") if isinstance(value, str) else ""
    return "success" if word in _LIKED else "failure" if word in _DISLIKED else ""


_GOOD_IF_TRUE = re.compile(
    r"(?i)correct(?!ion)|success|succe|pass|resolved|solved|helpful|thumb|vote|like|accept|approv|satisf|feedback|"
    r"(?:user|human).?(?:score|rating)|outcome|goal|complet"
)
"""Names of scores for which 1 or true is good. Of others (`toxicity`, `hallucination`, `quality`) it is not known."""
_BAD_IF_TRUE = re.compile(r"(?i)^(?:un|in|not|no)[ _-]?|incorrect|unhelpful|down|dislike|fail|error")
_CLEAR = re.compile(r"(?i)pass|passed|fail|failed|correct|incorrect|success|failure|resolved|unresolved|helpful")


def named_opinion(
    where: str, name: str, *, value: Any = None, label: Any = None, by_person: bool = False, **rest: Any
) -> Opinion:
    """The opinion of a score that has a name: `named_opinion("scores", "correctness", value=1)`.

    A label such as `pass` or `thumbs_up` is clear under any name. Otherwise 0, 1, false and true count only if the name says that
    true is good.
    """
    outcome: Outcome = ""
    word = label.strip() if isinstance(label, str) else ""
    sure = bool(_GOOD_IF_TRUE.search(name)) and not _BAD_IF_TRUE.search(name)
    if word:
        outcome = _meaning("", word) or (outcome_of(word) if sure or _CLEAR.fullmatch(word) else "")
    elif sure:
        outcome = outcome_of(value) or ("failure" if is_number(value) and value == -1 else "")
    shown = word or value
    return Opinion(field=f"{where}.{name}", value=shown, outcome=outcome, by_person=by_person, **rest)


_RULE = re.compile(r"\s*(?P<field>[^<>=]+?)\s*(?P<sign>>=|<=|>|<|=)\s*(?P<rest>[^<>=]+?)\s*")
_HOW = "Write FIELD>=NUMBER (or >, <, <=), or FIELD=GOOD/BAD with the values that mean success and failure"


class FeedbackRule(Struct, frozen=True, kw_only=True):
    """What the values of one field mean: `rating>=4`, `verdict=solved,ok/escalated`."""

    field: str
    sign: str
    threshold: float = 0.0
    good: frozenset[str] = frozenset()
    bad: frozenset[str] = frozenset()

    @classmethod
    def read(cls, text: str) -> "FeedbackRule":
        match = _RULE.fullmatch(text)
        if match is None:
            raise BadInput(f'--feedback "{text}" is not a rule. {_HOW}')
        field, sign, rest = match.group("field", "sign", "rest")
        if sign != "=":
            try:
                return cls(field=field, sign=sign, threshold=float(rest))
            except ValueError:
                raise BadInput(f'--feedback "{text}": "{rest}" is not a number. {_HOW}') from None
        good, slash, bad = (part.strip() for part in rest.partition("/"))
        if not slash or not (good or bad):
            raise BadInput(f'--feedback "{text}" does not say which values are good and which are bad. {_HOW}')
        sides = [frozenset(_word(each) for each in side.split(",") if each.strip()) for side in (good, bad)]
        if both := sides[0] & sides[1]:
            raise BadInput(f'--feedback "{text}": "{min(both)}" cannot be good and bad. Remove it from one side')
        return cls(field=field, sign=sign, good=sides[0], bad=sides[1])

    def outcome(self, value: Any) -> Outcome:
        if self.sign == "=":
            word = _word(value)
            return "success" if word in self.good else "failure" if word in self.bad else ""
        number = _number(value)
        if number is None:
            return ""
        passed = {
            ">=": number >= self.threshold,
            "<=": number <= self.threshold,
            ">": number > self.threshold,
            "<": number < self.threshold,
        }
        return "success" if passed[self.sign] else "failure"


def _word(value: Any) -> str:
    """`True`, `true` and ` TRUE ` are the same, and so are 1 and 1.0."""
    number = _number(value)
    return f"{number:g}" if number is not None else as_text(value).strip().casefold()


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


class FeedbackRules:
    """The user's rules. If one gives a trace an outcome, the fields without a rule do not count for it."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        rules = [FeedbackRule.read(text) for text in texts]
        self._rules = {rule.field: rule for rule in rules}
        if len(self._rules) < len(rules):
            raise BadInput("--feedback names a field twice. Give each field one rule")
        self.unused = set(self._rules)
        """Fields of rules that no record had."""

    def outcome(self, opinions: Sequence[Opinion], reported: str) -> str:
        """The outcome by the user's rules, else the reported one, else the one that all opinions agree on."""
        ruled = [self._rules[each.field].outcome(each.value) for each in opinions if each.field in self._rules]
        return agreed_outcome(ruled) or (
            "" if any(ruled) else reported or agreed_outcome(each.outcome for each in opinions)
        )

    def applied(self, opinions: Sequence[Opinion]) -> list[Opinion]:
        """The opinions with the outcomes that the rules give them."""
        self.unused -= {each.field for each in opinions}
        return [
            msgspec.structs.replace(each, outcome=rule.outcome(each.value))
            if (rule := self._rules.get(each.field))
            else each
            for each in opinions
        ]

    def unread(self, opinions: Sequence[Opinion], outcome: str) -> dict[str, Any]:
        """Fields with a value whose meaning is unknown, if the trace has no outcome."""
        if outcome:
            return {}
        return {each.field: each.value for each in opinions if each.value is not None and each.field not in self._rules}
