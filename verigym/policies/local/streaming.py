"""Streams the text of a reply while it is sampled, in pieces that later tokens cannot change.

It holds back incomplete characters, a possible beginning of a stop text, the end token, and thinking.
"""

from collections.abc import Callable, Sequence

from verigym.policies.dialects import thinking

_BROKEN = "\ufffd"
"""The character that an incomplete character is decoded to."""


class TextStream:
    def __init__(
        self,
        decode: Callable[[list[int]], str],
        stop_ids: set[int],
        stops: Sequence[str],
        on_text: Callable[[str], None],
    ) -> None:
        self._decode, self._stop_ids, self._stops, self._on_text = decode, stop_ids, stops, on_text
        self._ids: list[int] = []
        self._start, self._read = 0, 0
        """Tokens from `start` to `read` are already in the text. They are decoded again with the next tokens, because the text of
        a token can depend on the token before it."""
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
            self._on_text(self._text[self._told : sure])
            self._told = sure

    def _sure(self) -> int:
        """Length of the text that can no longer change."""
        begun = self._text.lstrip()
        if begun.startswith(thinking.OPENING) or thinking.OPENING.startswith(begun):
            return 0
        return min([len(self._text), *(_before(stop, self._text) for stop in self._stops)])


def _before(stop: str, text: str) -> int:
    """Index at which the stop text begins, or could begin at the end of the text."""
    index = text.find(stop)
    if index >= 0:
        return index
    tails = range(min(len(stop) - 1, len(text)), 0, -1)
    return len(text) - next((n for n in tails if stop.startswith(text[-n:])), 0)
