"""Measures how much a text shares with references: chrF, chrF++ and ROUGE.

The numbers are those of sacrebleu 2.x (`sentence_chrf`, defaults) and rouge-score 0.1.x (without stemmer), as shares from 0 to
1. With several references, the best one counts, as in both packages. ROUGE knows only the letters a to z and digits, so use chrF
for other languages. Both measure surface overlap, not meaning: combine them with checks of facts and length, or with a judge.
"""

import math
import re
import string
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from verigym.core.errors import BadInput, VerifierFailure
from verigym.core.records import Task, Trajectory, Verdict

Metric = Literal["chrf", "chrf++", "rouge1", "rouge2", "rougeL"]
_CHARACTERS, _WORDS, _BETA = 6, 2, 2
"""Longest sequences of characters and of words, and how much more recall counts than precision in chrF."""
_MOST = 20_000
"""Characters of a reply that are compared. A longer reply is not a text of the length asked for."""


class Overlap(Struct, frozen=True):
    """Compares the reply with the texts in `task.data["references"]` (or the one in `reference`).

    The reward is the score. With `task.data["source"]`, the reward is how far the reply is above a copy of the source:
    `(score - copy) / (1 - copy)`, and 0 if it is not above. So repeating the input earns nothing."""

    metric: Metric = "chrf"
    passing: float = 0.6
    """Minimum score to pass."""

    def __post_init__(self) -> None:
        if not 0 < self.passing <= 1:
            raise BadInput(f"Overlap: passing is {self.passing}, and must be above 0 and at most 1")

    def __call__(self, task: Task, trajectory: Trajectory) -> Verdict:
        references = references_of(task)
        score = overlap(trajectory.reply, references, self.metric)
        copied = overlap(task.data["source"], references, self.metric) if "source" in task.data else 0.0
        return Verdict(
            reward=above(score, copied),
            passed=score >= self.passing,
            parts={self.metric: score},
            evidence=f"{self.metric} {score:.3f}, {self.passing:g} passes",
        )


def references_of(task: Task) -> list[str]:
    """The references of a task."""
    given = task.data.get("references") or task.data.get("reference")
    texts = [given] if isinstance(given, str) else given
    if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
        raise VerifierFailure(f'task {task.id}: data needs "references", a list of texts that are right')
    return texts


def above(score: float, copied: float) -> float:
    """How far a score is above that of a copy of the input, from 0 to 1."""
    return max(0.0, (score - copied) / (1.0 - copied)) if copied < 1.0 else 0.0


def overlap(text: str, references: Sequence[str], metric: Metric) -> float:
    """The score of a text against its best reference."""
    text = text[:_MOST]
    if metric == "chrf":
        return max(chrf(text, reference) for reference in references)
    if metric == "chrf++":
        return max(chrf(text, reference, _WORDS) for reference in references)
    if metric == "rougeL":
        return max(rouge_l(text, reference) for reference in references)
    return max(rouge_n(text, reference, int(metric[-1])) for reference in references)


# -- chrF ---------------------------------------------------------------------------------------------------------------------


def chrf(text: str, reference: str, word_order: int = 0) -> float:
    """F-score with beta 2 of character n-grams up to 6 without white space, and of word n-grams up to `word_order`.

    Precision and recall are averaged over the orders for which both texts have an n-gram."""
    pairs = [
        (_grams("".join(text.split()), order), _grams("".join(reference.split()), order))
        for order in _orders(_CHARACTERS)
    ]
    if word_order:
        words, right = _split(text), _split(reference)
        pairs += [(_grams(words, order), _grams(right, order)) for order in _orders(word_order)]
    precisions, recalls = [], []
    for mine, theirs in pairs:
        if mine and theirs:
            matched = (mine & theirs).total()
            precisions.append(matched / mine.total())
            recalls.append(matched / theirs.total())
    if not precisions:
        return 0.0
    return _f_score(math.fsum(precisions) / len(precisions), math.fsum(recalls) / len(recalls), _BETA)


def _orders(most: int) -> range:
    return range(1, most + 1)


def _grams(parts: Sequence[str], order: int) -> Counter[Sequence[str]]:
    some = parts if isinstance(parts, str) else tuple(parts)
    return Counter(some[start : start + order] for start in range(len(some) - order + 1))


def _split(text: str) -> list[str]:
    """Words. One punctuation mark at the end of a word, or else at its beginning, is a word of its own."""
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in string.punctuation:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in string.punctuation:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


# -- ROUGE --------------------------------------------------------------------------------------------------------------------


def rouge_n(text: str, reference: str, order: int) -> float:
    """F-score of word n-grams."""
    mine, theirs = _grams(_tokens(text), order), _grams(_tokens(reference), order)
    matched = (mine & theirs).total()
    return _f_score(matched / max(1, mine.total()), matched / max(1, theirs.total()))


def rouge_l(text: str, reference: str) -> float:
    """F-score of the longest common subsequence of words."""
    mine, theirs = _tokens(text), _tokens(reference)
    if not mine or not theirs:
        return 0.0
    row = [0] * (len(theirs) + 1)
    for word in mine:
        before = 0
        for place, other in enumerate(theirs, start=1):
            above_left, before = before, row[place]
            row[place] = above_left + 1 if word == other else max(row[place], row[place - 1])
    return _f_score(row[-1] / len(mine), row[-1] / len(theirs))


def _tokens(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def _f_score(precision: float, recall: float, beta: float = 1.0) -> float:
    if not precision + recall:
        return 0.0
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
