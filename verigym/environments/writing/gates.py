"""What a text has to be before anybody is asked whether it is good: what can be counted, counted.

A judge can be flattered, talked to and worn out; these cannot. A text that fails here is never shown to it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator

from verigym.core.records import Json

_JUDGE = re.compile(
    r"\b(judges?|graders?|evaluators?|rubric|reviewers?|reply [ab]|assistant [ab]|winner|score[sd]?|rat(?:ed?|ing) (?:this|it|me)"
    r"|(?:ignore|disregard) (?:all|any|the|previous|prior)|full marks|top marks|10/10|as an ai|json|word count|instructions?)\b",
    re.IGNORECASE,
)
_LONGEST_COPY = 8
"""Words in a row that may stand in the request as well."""
_MOST_OF_A_FACT = 2
"""How often a fact may be named."""
_REPEATED = 0.08
"""Share of four-word runs that may have occurred before."""
_CLOSING = " \n\"'”’)*_"
"""What may stand behind the last question mark."""


def paragraphs(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]


def _titled(text: str) -> bool:
    first, *rest = paragraphs(text) or [""]
    return bool(rest) and "\n" not in first and len(words(first)) <= 8 and first[-1] not in ".:"


FORMS: dict[str, Callable[[str], bool]] = {
    "one paragraph": lambda text: len(paragraphs(text)) == 1 and "\n" not in text.strip(),
    "two paragraphs": lambda text: len(paragraphs(text)) == 2,
    "ends with a question": lambda text: text.rstrip(_CLOSING).endswith("?") and len(paragraphs(text)) == 1,
    "begins with a title": _titled,
}


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:['-][^\W_]+)*", text.casefold().replace("’", "'"))


def wrong(text: str, request: str, wanted: Json) -> list[str]:
    """What is wrong with a text, in words; nothing where it may be judged."""
    return list(_faults(text, request, wanted))


def _faults(text: str, request: str, wanted: Json) -> Iterator[str]:
    said = words(text)
    low, high = wanted["words"]
    if not low <= len(said) <= high:
        yield f"length: {len(said)} words, asked for {low} to {high}"
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
    if found := _JUDGE.search(text):
        yield f'it speaks to whoever judges: "{found.group()}"'
    if _copied(said, words(request)):
        yield f"copy: more than {_LONGEST_COPY} words in a row stand in the request"
    if (share := _repeats(said)) > _REPEATED:
        yield f"padding: {share:.0%} of it was said before"
    if _listed(text, wanted["mention"]):
        yield "stuffing: the facts are listed, not told"


def _count(phrase: str, flat: str) -> int:
    return len(re.findall(rf"(?<!\S){re.escape(' '.join(words(phrase)))}(?!\S)", flat))


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
