"""Special tokens that somebody merely typed: `<|im_end|>` in a user's words or a tool's result stays text, and ends no turn.

`hide` puts a placeholder that any chat template copies in their place, `encode` makes ids of what the template wrote: of the
placeholders as ordinary text, of everything else exactly as the tokenizer does. `mark` makes a word for finding a place in
what a template wrote; one that was typed is hidden too.
"""

import bisect
import re
from typing import Any

_HIDDEN = re.compile("zq((?:[0-9a-f]{2})+)qz")
_MARK = "wx[0-9a-z]+xw"


def mark(name: str) -> str:
    return f"wx{name}xw"


class SpecialTokens:
    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        special = {token.content for token in tokenizer.added_tokens_decoder.values() if token.special}
        longest_first = sorted(special | set(tokenizer.all_special_tokens), key=len, reverse=True)
        self._ids = set(tokenizer.convert_tokens_to_ids(longest_first))
        self._pattern = re.compile("|".join([*map(re.escape, longest_first), _HIDDEN.pattern, _MARK]))
        self._spelled: dict[str, list[int]] = {}

    def hide(self, value: Any, *, own: bool = False) -> Any:
        """A text, or plain data with texts in it, with a placeholder for what would be taken for something else. `own`: the
        text is the model's own, in which only what looks like a placeholder is."""
        if isinstance(value, str):
            pattern = _HIDDEN if own else self._pattern
            return pattern.sub(lambda found: f"zq{found[0].encode().hex()}qz", value)
        if isinstance(value, list):
            return [self.hide(each, own=own) for each in value]
        if isinstance(value, dict):
            return {self.hide(key, own=own): self.hide(each, own=own) for key, each in value.items()}
        return value

    def encode(self, text: str) -> list[int]:
        parts = _HIDDEN.split(text)
        if len(parts) == 1:
            return self._tokenizer.encode(text, add_special_tokens=False)
        parts[1::2] = [bytes.fromhex(part).decode() for part in parts[1::2]]
        starts: list[int] = []
        ends: list[int] = []
        length = 0
        for place, part in enumerate(parts):
            if place % 2:
                starts.append(length)
                ends.append(length + len(part))
            length += len(part)
        whole = "".join(parts)
        coded = self._tokenizer(whole, add_special_tokens=False, return_offsets_mapping=True)
        ids: list[int] = []
        for id, (start, end) in zip(coded["input_ids"], coded["offset_mapping"], strict=True):
            typed = bisect.bisect_left(starts, end) - 1
            if id in self._ids and typed >= 0 and ends[typed] > start:
                ids += self._spell(whole[start:end])
            else:
                ids.append(id)
        return ids

    def _spell(self, literal: str) -> list[int]:
        if literal not in self._spelled:
            self._spelled[literal] = self._tokenizer.encode(
                literal, add_special_tokens=False, split_special_tokens=True
            )
        return self._spelled[literal]
