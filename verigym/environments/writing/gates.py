"""What a text has to be before anybody is asked whether it is good: what can be counted, counted.

A judge can be flattered, talked to and worn out; these cannot. A text that fails here is never shown to it.
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
"""Words to whoever compares, or about the text; not what a notice may say (nobody judges you, the final score)."""
_JUDGE = re.compile("|".join(_TO_THE_JUDGE), re.IGNORECASE)
_TWO_ALPHABETS = re.compile(r"[a-z][\u0370-\u04ff]|[\u0370-\u04ff][a-z]", re.IGNORECASE)
"""Greek or Cyrillic letters inside a Latin word, which look like others."""
_LONGEST_COPY = 8
"""Words in a row that may stand in the request as well."""
_MOST_OF_A_FACT = 2
"""How often a fact may be named."""
_REPEATED = 0.08
"""Share of four-word runs that may have occurred before."""


def paragraphs(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]


def _one(text: str) -> bool:
    return len(paragraphs(text)) == 1 and "\n" not in text.strip()


def _two(text: str) -> bool:
    """Each more than a title, a greeting or a signature: a sentence, or many words."""
    parts = paragraphs(text)
    return len(parts) == 2 and all(len(words(part)) > 8 or re.search(r"[.!?…][*_\"'”’»)]*$", part) for part in parts)


def _asks(text: str) -> bool:
    """A quotation mark or a smile may follow, no word and no full stop."""
    _, mark, after = text.rpartition("?")
    return _one(text) and bool(mark) and not re.search(r"[\w.]", after)


def _titled(text: str) -> bool:
    """An ellipsis is no full stop, and a mark around the title is not its end."""
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
    """As it is read: no invisible characters, one kind of letter, apostrophe and hyphen."""
    if text.isascii():
        return text
    seen = "".join(each for each in unicodedata.normalize("NFKC", text) if unicodedata.category(each) != "Cf")
    return seen.replace("’", "'").replace("\u2010", "-")


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:['-][^\W_]+)*", plain(text).casefold())


def wrong(text: str, request: str, wanted: Json) -> list[str]:
    """What is wrong with a text, in words; nothing where it may be judged."""
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
    """Also before an apostrophe or a hyphen: `Mara's`, `best-loved`; not behind one: `twenty-seven` is not `seven`."""
    return len(re.findall(rf"(?<!\S){re.escape(' '.join(words(phrase)))}(?![^\s'-])", flat))


def _runs(said: list[str], size: int) -> list[tuple[str, ...]]:
    return [tuple(said[place : place + size]) for place in range(len(said) - size + 1)]


def _copied(said: list[str], request: list[str]) -> bool:
    return not set(_runs(said, _LONGEST_COPY + 1)).isdisjoint(_runs(request, _LONGEST_COPY + 1))


def _repeats(said: list[str]) -> float:
    runs = Counter(_runs(said, 4))
    return sum(count - 1 for count in runs.values()) / max(1, runs.total())


def _listed(text: str, facts: list[str]) -> bool:
    """Whether all facts stand in one stretch that is little else: `lathe, a second, rolled up`."""
    flat = f" {' '.join(words(text))} "
    plain = [" ".join(words(fact)) for fact in facts]
    places = [flat.find(f" {fact} ") for fact in plain]
    if min(places) < 0 or len(facts) < 3:
        return False
    last = max(range(len(places)), key=lambda place: places[place])
    stretch = flat[min(places) : places[last] + len(plain[last]) + 1].split()
    return len(stretch) <= sum(len(fact.split()) for fact in plain) + 1
