"""Keeps special tokens that were typed as text: `<|im_end|>` in a user's message or a tool's result does not end a turn.

`hide` replaces them with placeholders that any chat template copies. `encode` converts the template's output to ids: the
placeholders as ordinary text, everything else exactly as the tokenizer does. `mark` returns a word that can be found again in
the template's output. Typed marks are hidden too.
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

    def hide(self, value: Any, *, by_model: bool = False) -> Any:
        """A text, or plain data with texts in it, with placeholders for special tokens and marks. With `by_model`, the text
        is the model's, and only text that looks like a placeholder is replaced."""
        if isinstance(value, str):
            pattern = _HIDDEN if by_model else self._pattern
            return pattern.sub(lambda match: f"zq{match[0].encode().hex()}qz", value)
        if isinstance(value, list):
            return [self.hide(each, by_model=by_model) for each in value]
        if isinstance(value, dict):
            return {
                self.hide(key, by_model=by_model): self.hide(each, by_model=by_model) for key, each in value.items()
            }
        return value

    def encode(self, text: str) -> list[int]:
        parts = _HIDDEN.split(text)
        if len(parts) == 1:
            return self._tokenizer.encode(text, add_special_tokens=False)
        parts[1::2] = [bytes.fromhex(part).decode() for part in parts[1::2]]
        starts: list[int] = []
        ends: list[int] = []
        length = 0
        for index, part in enumerate(parts):
            if index % 2:
                starts.append(length)
                ends.append(length + len(part))
            length += len(part)
        whole = "".join(parts)
        coded = self._tokenizer(whole, add_special_tokens=False, return_offsets_mapping=True)
        ids: list[int] = []
        for id, (start, end) in zip(coded["input_ids"], coded["offset_mapping"], strict=True):
            typed = bisect.bisect_left(starts, end) - 1
            if id in self._ids and typed >= 0 and ends[typed] > start:
                ids += self._tokenizer.encode(whole[start:end], add_special_tokens=False, split_special_tokens=True)
            else:
                ids.append(id)
        return ids
