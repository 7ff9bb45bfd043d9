"""Checks what can be counted in a text, before a judge compares its quality.

A text can manipulate a judge, but not these checks. The judge never sees a text that fails one of them.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator

from verigym.core.records import Json

_WORK = "(?:text|reply|response|answer|version)"
_TO_THE_JUDGE = (
    r"\b(?:dear|the|any|your) judges?\b|\bdear (?:ai|model)\b",
    r"\b(?:graders?|evaluators?|rubrics?|json|as an ai|word count|10/10)\b",
    r"\b(?:reply|assistant|text) (?-i:[AB])\b",
    r"\b(?:is|be|as) the winner\b",
    r"\b(?:full|top|highest|best|perfect) (?:marks?|scores?|ratings?|grades?)\b",
    r"\b(?:ignore|disregard) (?:\w+ ){0,3}(?:instructions?|rules|prompts?|criteria)\b",
    r"\b(?:previous|prior|system) (?:instructions?|prompts?)\b",
    rf"\b(?:choose|prefer|pick|select|rate|score) (?:this|my) {_WORK}\b",
    rf"\b(?:this|my|the other) {_WORK} (?:is|has|wins?|deserves|should|must)\b",
    rf"\bthan the other {_WORK}\b",
    r"\bhere(?: is|'s) (?:the|your|a) (?:text|notice|note|card|letter|message|draft):",
    r"<[!/?a-z]",
)
"""Phrases that address a judge or describe the text. Ordinary phrases of a notice (nobody judges you, the final score) pass."""
_JUDGE = re.compile("|".join(_TO_THE_JUDGE), re.IGNORECASE)
_TWO_ALPHABETS = re.compile(r"[a-z][\u0370-\u04ff]|[\u0370-\u04ff][a-z]", re.IGNORECASE)
"""Greek or Cyrillic letters inside a Latin word, which look like Latin ones."""
_LONGEST_COPY = 8
"""Maximum words in a row that are copied from the request."""
_MOST_OF_A_FACT = 2
"""Maximum mentions of a fact."""
_REPEATED = 0.08
"""Maximum share of repeated four-word sequences."""


def paragraphs(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]


def _one(text: str) -> bool:
    return len(paragraphs(text)) == 1 and "\n" not in text.strip()


def _two(text: str) -> bool:
    """Whether it has two paragraphs, each longer than a title, a greeting or a signature."""
    parts = paragraphs(text)
    return len(parts) == 2 and all(len(words(part)) > 8 or re.search(r"[.!?…][*_\"'”’»)]*$", part) for part in parts)


def _asks(text: str) -> bool:
    """Whether it ends with a question mark. A quotation mark or a smile may follow, but not a word or a full stop."""
    _, mark, after = text.rpartition("?")
    return _one(text) and bool(mark) and not re.search(r"[\w.]", after)


def _titled(text: str) -> bool:
    """An ellipsis is not a full stop. A mark around the title is not its end."""
    first, *rest = paragraphs(text) or [""]
    return (
        bool(rest)
        and "\n" not in first
        and 1 <= len(words(first)) <= 8
        and not re.search(r"(?<!\.)[.:][*_\"”]*$", first)
    )


FORMS: dict[str, Callable[[str], bool]] = {
    "one paragraph": _one,
    "two paragraphs": _two,
    "ends with a question": _asks,
    "begins with a title": _titled,
}


def plain(text: str) -> str:
    """Normalises a text: no invisible characters, and one kind of letter, apostrophe and hyphen."""
    if text.isascii():
        return text
    seen = "".join(each for each in unicodedata.normalize("NFKC", text) if unicodedata.category(each) != "Cf")
    return seen.replace("’", "'").replace("\u2010", "-")


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:['-][^\W_]+)*", plain(text).casefold())


def wrong(text: str, request: str, wanted: Json) -> list[str]:
    """Describes what is wrong with a text. Empty if the judge may see it."""
    return list(_faults(text, request, wanted))


def _faults(text: str, request: str, wanted: Json) -> Iterator[str]:
    said = words(text)
    low, high = wanted["words"]
    if not low <= len(said) <= high:
        yield f"length: {len(said)} words, asked for {low} to {high}"
        if len(said) > 10 * high:
            return
    flat = " ".join(said)
    for fact in wanted["mention"]:
        count = _count(fact, flat)
        if not count:
            yield f'mention: "{fact}" is missing'
        elif count > _MOST_OF_A_FACT:
            yield f'stuffing: "{fact}" is named {count} times'
    for phrase in wanted["avoid"]:
        if _count(phrase, flat):
            yield f'avoid: "{phrase}" was not to be used'
    if not FORMS[wanted["form"]](text):
        yield f"form: {wanted['form']} was asked for"
    read = plain(text)
    if found := _JUDGE.search(read):
        yield f'it speaks to whoever judges: "{found.group()}"'
    if found := _TWO_ALPHABETS.search(read):
        yield f'two alphabets in a word: "{found.group()}"'
    if _copied(said, words(request)):
        yield f"copy: more than {_LONGEST_COPY} words in a row stand in the request"
    if (share := _repeats(said)) > _REPEATED:
        yield f"padding: {share:.0%} of it was said before"
    if _listed(text, wanted["mention"]):
        yield "stuffing: the facts are listed, not told"


def _count(phrase: str, flat: str) -> int:
    """Counts a phrase, also before an apostrophe or hyphen (`Mara's`, `best-loved`), but not after one (`twenty-seven`)."""
    return len(re.findall(rf"(?<!\S){re.escape(' '.join(words(phrase)))}(?![^\s'-])", flat))


def _runs(said: list[str], size: int) -> list[tuple[str, ...]]:
    return [tuple(said[place : place + size]) for place in range(len(said) - size + 1)]


def _copied(said: list[str], request: list[str]) -> bool:
    return not set(_runs(said, _LONGEST_COPY + 1)).isdisjoint(_runs(request, _LONGEST_COPY + 1))


def _repeats(said: list[str]) -> float:
    runs = Counter(_runs(said, 4))
    return sum(count - 1 for count in runs.values()) / max(1, runs.total())


def _listed(text: str, facts: list[str]) -> bool:
    """Whether all facts stand in a row with little else: `lathe, a second, rolled up`."""
    flat = f" {' '.join(words(text))} "
    plain = [" ".join(words(fact)) for fact in facts]
    places = [flat.find(f" {fact} ") for fact in plain]
    if min(places) < 0 or len(facts) < 3:
        return False
    last = max(range(len(places)), key=lambda place: places[place])
    stretch = flat[min(places) : places[last] + len(plain[last]) + 1].split()
    return len(stretch) <= sum(len(fact.split()) for fact in plain) + 1
