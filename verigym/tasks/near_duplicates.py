"""Finds nearly identical texts with MinHash and checks their exact similarity.

Similarity is the Jaccard index of two texts' sets of 5-letter runs: 1 is identical, 0 is nothing in common. MinHash only
proposes pairs: texts whose signatures agree in a whole band are compared, at most `_BUCKET` per band, so that a hundred thousand
texts of one template take minutes instead of days. Every reported pair is really that similar. A pair exactly at the threshold
is found in 17 of 20 cases, a closer one nearly always. It compares letters, not meaning: a paraphrase is another text.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, Task

Progress = Callable[[int, int], None]

_LETTERS = 5
_PERMUTATIONS = 128
_BUCKET = 50
_MULTIPLIER = 0x9E3779B97F4A7C15
_SLACK = 0.15
"""How far a signature's estimate may be off before the exact similarity is computed: more than three deviations."""


def conversation_text(items: Sequence[Item]) -> str:
    """The text of messages, calls and results, without instructions (system, developer) and reasoning."""
    texts: list[str] = []
    for item in items:
        match item:
            case Message() if item.role in ("user", "assistant"):
                texts.append(item.text)
            case FunctionCall():
                texts.append(f"{item.name} {item.arguments}")
            case FunctionCallOutput():
                texts.append(item.output)
            case _:
                pass
    return "\n".join(texts)


def text_of(task: Task) -> str:
    """What the task asks, for comparing: lower case, single spaces, and without instructions that many tasks share."""
    return plain(task.prompt if isinstance(task.prompt, str) else conversation_text(task.prompt))


def plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def links(
    texts: Iterable[str], at_least: float, on_progress: Progress = lambda done, total: None
) -> list[tuple[str, str, float]]:
    """Pairs of different texts that are similar, with their similarity. They are enough to connect all similar texts (a forest).
    The result does not depend on the order of the texts."""
    pairs: list[tuple[str, str, float]] = []
    groups = TextGroups()
    distinct = sorted(set(texts))
    index = _Index(distinct, at_least)

    def apart(left: int, right: int) -> bool:
        return groups.root(distinct[left]) != groups.root(distinct[right])

    for number, text in enumerate(distinct):
        for other, likeness in index.like(number, apart):
            groups.join(text, distinct[other])
            pairs.append((distinct[other], text, likeness))
        index.add(number)
        if number % 1000 == 0:
            on_progress(number, len(distinct))
    return pairs


def repeats(
    texts: Sequence[str], at_least: float, on_progress: Progress = lambda done, total: None
) -> dict[int, tuple[int, float]]:
    """For each text that is similar to an earlier one: its index and the similarity. Earlier duplicates do not count."""
    index = _Index(texts, at_least)
    similar: dict[int, tuple[int, float]] = {}
    for number in range(len(texts)):
        if first := next(index.like(number), None):
            similar[number] = first
        else:
            index.add(number)
        if number % 1000 == 0:
            on_progress(number, len(texts))
    return similar


def likes(texts: Sequence[str], others: Sequence[str], at_least: float) -> list[list[tuple[int, float]]]:
    """For each text, the `others` that are similar, the most similar first: index and similarity."""
    index = _Index([*others, *texts], at_least)
    for number in range(len(others)):
        index.read(number)
        index.add(number)
    return [list(index.like(len(others) + number)) for number in range(len(texts))]


class TextGroups:
    """Texts joined into groups (union-find). A group's root is its smallest text."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def root(self, text: str) -> str:
        top = text
        while (above := self._above.get(top, top)) != top:
            top = above
        while text != top:  # path compression
            self._above[text], text = top, self._above[text]
        return top

    def join(self, left: str, right: str) -> None:
        low, high = sorted((self.root(left), self.root(right)))
        self._above[high] = low


def rows_per_band(at_least: float) -> int:
    """The most rows per band (fewer comparisons) with which a pair at the threshold is still found in 17 of 20 cases."""
    rows = 1
    while 1 - (1 - at_least ** (rows + 1)) ** (_PERMUTATIONS // (rows + 1)) >= 0.85:
        rows += 1
    return rows


class _Index:
    """Texts by the bands of their signatures. A text is compared with the texts added before."""

    def __init__(self, texts: Sequence[str], at_least: float) -> None:
        import numpy as np
        from datasketch import MinHash  # takes a second to import

        self._texts, self._at_least = texts, at_least
        self._minhash = MinHash(num_perm=_PERMUTATIONS, hashfunc=int)
        self._rows = rows_per_band(at_least)
        self._first: dict[int, int] = {}
        """Hash of a band -> the first text that has it. `_more` holds the others."""
        self._more: dict[int, list[int]] = {}
        self._runs: dict[int, Any] = {}
        self._signatures = np.zeros((len(texts), _PERMUTATIONS), dtype=np.uint32)
        self._keys: list[int] = []
        """Belongs to the text that was read last."""

    def like(
        self, number: int, wanted: Callable[[int, int], bool] = lambda left, right: True
    ) -> Iterator[tuple[int, float]]:
        """The added texts that are similar, the most similar first. `wanted` decides which pairs are compared."""
        import numpy as np

        self.read(number)
        runs, signature = self._runs[number], self._signatures[number]
        known = [key for key in self._keys if key in self._first]
        others = {self._first[key] for key in known}.union(*(self._more.get(key, ()) for key in known))
        if not others:
            return
        others = sorted(others)
        estimates = (self._signatures[others] == signature).mean(axis=1)
        for rank in np.argsort(-estimates, kind="stable").tolist():
            if estimates[rank] < self._at_least - _SLACK:
                return
            if wanted(number, others[rank]):
                likeness = _jaccard(runs, self._runs[others[rank]])
                if likeness >= self._at_least:
                    yield others[rank], likeness

    def add(self, number: int) -> None:
        """Adds the text that was read last."""
        for key in self._keys:
            if self._first.setdefault(key, number) != number:
                more = self._more.setdefault(key, [])
                if len(more) < _BUCKET:
                    more.append(number)

    def read(self, number: int) -> None:
        runs = _runs(self._texts[number])
        self._minhash.clear()
        for start in range(0, len(runs), 10_000):  # a long text in pieces: its product with the permutations is large
            self._minhash.update_batch(runs[start : start + 10_000].tolist())
        signature = self._minhash.hashvalues
        self._runs[number] = runs
        self._signatures[number] = signature
        starts = range(0, _PERMUTATIONS - self._rows + 1, self._rows)
        self._keys = [hash((start, signature[start : start + self._rows].tobytes())) for start in starts]


def _runs(text: str) -> Any:
    """Sorted hashes of all distinct runs of letters. A shorter text is one run."""
    import numpy as np

    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    count = max(1, len(codes) - _LETTERS + 1)
    hashes = np.zeros(count, dtype=np.uint64)
    for offset in range(min(_LETTERS, len(codes))):
        hashes = (hashes + codes[offset : offset + count] + np.uint64(1)) * np.uint64(_MULTIPLIER)
    return np.unique((hashes >> np.uint64(32)).astype(np.uint32))


def _jaccard(left: Any, right: Any) -> float:
    import numpy as np

    shared = len(np.intersect1d(left, right, assume_unique=True))
    return shared / (len(left) + len(right) - shared)
