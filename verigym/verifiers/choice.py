"""Multiple choice: the reply names one option as `B`, `(B)`, `B. Paris`, `**B**`, `The answer is B`, or by its text.

`task.data["answer"]` is the option's letter, text or index (0 is A). `task.data["choices"]` lists the texts, in order or by
letter. Without it, only letters are read. A reply that names two options, or denies the right one ("not B"), does not pass.
"""

import re
from string import ascii_uppercase
from typing import Any

from msgspec import Struct

from verigym.core.errors import VerifierFailure
from verigym.core.records import Task, Trajectory, Verdict
from verigym.verifiers.answers import Where, find_answer


class Choice(Struct, frozen=True):
    where: Where = "auto"
    """Where the reply has its answer (see `answers`). A marked answer may continue after its letter ("B, because ..."). Any other
    reply must name exactly one option."""

    def __call__(self, task: Task, trajectory: Trajectory) -> Verdict:
        options = _options(task)
        expected = _expected(task, options)
        answer = find_answer(trajectory.reply, self.where)
        chosen = _chosen(answer.text, answer.marked, options) if answer else set()
        passed = chosen == {expected}
        got = " and ".join(sorted(chosen)) or "no option"
        wrong = f'expected {expected}, got {got}: "{trajectory.reply[-120:]}"'
        evidence = f"{expected}, as expected" if passed else wrong
        return Verdict(reward=float(passed), passed=passed, evidence=evidence)


def _options(task: Task) -> dict[str, str]:
    """Letter to text. The text is empty if the task has no texts."""
    choices = task.data.get("choices")
    if choices is None:
        return dict.fromkeys(ascii_uppercase, "")
    pairs = choices.items() if isinstance(choices, dict) else zip(ascii_uppercase, choices, strict=False)
    return {str(letter).strip().upper(): _plain(str(text)) for letter, text in pairs}


def _expected(task: Task, options: dict[str, str]) -> str:
    if "answer" not in task.data:
        raise VerifierFailure(f'task {task.id}: data has no "answer". Choice compares the reply with it')
    answer: Any = task.data["answer"]
    if isinstance(answer, int) and 0 <= answer < len(options):
        return list(options)[answer]
    if (letter := str(answer).strip("() .").upper()) in options:
        return letter
    if (text := _plain(str(answer))) and list(options.values()).count(text) == 1:
        return next(letter for letter, option in options.items() if option == text)
    raise VerifierFailure(f"task {task.id}: the answer {answer!r} is not an option. Options: {', '.join(options)}")


_AROUND = "()[]{}<>*_`\"'“”‘’.,:;!?$ \t\n"
_FIRST = re.compile(r"[\W_]*(?:(?:option|choice|letter)[\W_]+)?([a-z])(?![\w'’])[)\]*_`\"'.:]*", re.IGNORECASE)
_AND_MORE = re.compile(r"[\W_]*?(?:[,;/&+|]|\bor\b|\band\b)[\W_]*(?:option\s+)?([a-z])(?![\w'’])", re.IGNORECASE)
_LISTED = re.compile(r"\s+([A-Z])(?![\w'’])(?=[\s).,;]*(?:$|[A-Z](?![\w'’])))")
"""Another letter in a list without commas: "B C D"."""
_REASON = re.compile(r"[\W_]*[A-Z][)\]*_.:,]*\s+(?:because|since)\b")
"""A reply that begins with an option and its reason: "B) because ..."."""
_DENIED = re.compile(
    r"(?:\b(?:not|never|neither|nor|except|cannot|(?:any|every)thing but)\b|n['’]t\b)"
    r"(?:[\s\"(*_]+(?!but\b)[\w'’]+){0,2}[\s\"(*_]*$"
    r"|\b(?:rul(?:e|es|ed|ing) out|eliminat(?:e|es|ed|ing)|exclud(?:e|es|ed|ing)|reject(?:s|ed|ing)?)[\s\"(*_]*$",
    re.IGNORECASE,
)
"""Before an option: "not B", "isn't option B"."""
_WRONG = re.compile(
    r"[)\]*_`\"'.:]*\s+(?:(?:is|was)\s+(?:not|never|wrong|incorrect|false|out\b)|(?:isn|wasn|can|won)['’]t\b|cannot\b)"
    r"|[)\]*_`\"'.:]*\s*\?\s*(?:no|nope|never|wrong|incorrect|false)\b",
    re.IGNORECASE,
)
"""After an option: "B is wrong", "B? No."."""
_NEAR = 60
"""Characters before an option that are looked at."""
_ALONE = re.compile(r"(?<![\w'’])([A-Z])(?![\w'’])|\(([a-z])\)")
_WORD = re.compile(r" (?!or |and |is |was |because |since |as |but |nor )[a-z]")
"""After "A" or "I": then it is an article or a pronoun, not an option."""


def _chosen(text: str, marked: bool, options: dict[str, str]) -> set[str]:
    """The options that the text names."""
    bare = text.strip(_AROUND)
    if bare.upper() in options:
        return {bare.upper()}
    if same := {letter for letter, option in options.items() if option and option == _plain(text)}:
        return same
    marked = marked or _REASON.match(text) is not None
    if marked and (first := _FIRST.match(text)) and first[1].upper() in options and not _WORD.match(text, first.end(1)):
        if _WRONG.match(text, first.end(1)):
            return set()
        more = _AND_MORE.match(text, first.end()) or _LISTED.match(text, first.end())
        also = {more[1].upper()} & options.keys() if more and not _WORD.match(text, more.end()) else set()
        return {first[1].upper()} | also | _starting(text[first.end() :], options)
    letters = {
        (match[1] or match[2]).upper()
        for match in _ALONE.finditer(text)
        if not (match[0] in ("A", "I") and _WORD.match(text, match.end()))
        and not _DENIED.search(text[max(0, match.start() - _NEAR) : match.start()])
        and not _WRONG.match(text, match.end())
    }
    words = f" {_plain(text)} "
    texts = {letter for letter, option in options.items() if option and _names(words, option)}
    return (letters & options.keys()) | texts


def _names(words: str, option: str) -> bool:
    """Whether the words contain an option's text that they do not deny."""
    places = re.finditer(re.escape(f" {option} "), words)
    return any(not _DENIED.search(words[max(0, place.start() + 1 - _NEAR) : place.start() + 1]) for place in places)


def _starting(text: str, options: dict[str, str]) -> set[str]:
    """The option whose text follows the letter. If London is C, "(B) London" is a contradiction."""
    words = f"{_plain(text)} "
    starting = [letter for letter, option in options.items() if option and words.startswith(f"{option} ")]
    return {max(starting, key=lambda letter: len(options[letter]))} if starting else set()


def _plain(text: str) -> str:
    """Lower case, single spaces, no punctuation around words. "-5" and "3.5" are not changed."""
    return " ".join(filter(None, (word.strip(_AROUND) for word in text.casefold().split())))
