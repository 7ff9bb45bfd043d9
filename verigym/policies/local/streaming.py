"""The words of a reply while it is sampled: text that later tokens cannot change, each piece once.

Held back: letters that are not whole yet, what may be the beginning of a stop text, the end token, and all of a reply that
thinks.
"""

from collections.abc import Callable, Sequence

from verigym.policies.dialects import thinking

_BROKEN = "\ufffd"
"""What half a letter is decoded to."""


class ReplyStream:
    def __init__(
        self, decode: Callable[[list[int]], str], stop_ids: set[int], stops: Sequence[str], said: Callable[[str], None]
    ) -> None:
        self._decode, self._stop_ids, self._stops, self._said = decode, stop_ids, stops, said
        self._ids: list[int] = []
        self._start, self._read = 0, 0
        """Tokens from `start` to `read` are in the text already, and decoded again with the next ones: what a token says may
        depend on the one before it."""
        self._text = ""
        self._told = 0

    def add(self, ids: list[int]) -> None:
        self._ids += [id for id in ids if id not in self._stop_ids]
        known, now = self._decode(self._ids[self._start : self._read]), self._decode(self._ids[self._start :])
        if now.endswith(_BROKEN):
            return
        self._text += now[len(known) :]
        self._start, self._read = self._read, len(self._ids)
        sure = self._sure()
        if sure > self._told:
            self._said(self._text[self._told : sure])
            self._told = sure

    def _sure(self) -> int:
        """How much of the text is sure to be words of the reply."""
        begun = self._text.lstrip()
        if begun.startswith(thinking.OPENING) or thinking.OPENING.startswith(begun):
            return 0
        return min([len(self._text), *(_before(stop, self._text) for stop in self._stops)])


def _before(stop: str, text: str) -> int:
    """Where the stop text begins, or may begin at the end of the text."""
    found = text.find(stop)
    if found >= 0:
        return found
    tails = range(min(len(stop) - 1, len(text)), 0, -1)
    return len(text) - next((n for n in tails if stop.startswith(text[-n:])), 0)
