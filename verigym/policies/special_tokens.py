"""Keeps special tokens that were typed as text: `<|im_end|>` in a user's message or a tool's result does not end a turn.

`hide` replaces them with placeholders that any chat template copies. `encode` converts the template's output to ids: the
placeholders as ordinary text, everything else exactly as the tokenizer does. Conversations repeat their beginning, which has the
tools, so parts between special tokens are encoded once. `mark` returns a word that can be found again in
the template's output. Typed marks are hidden too.
"""

import bisect
import functools
import re
from typing import Any

from verigym.core.generation import one_object_each

_HIDDEN = re.compile("zq((?:[0-9a-f]{2})+)qz")
_MARK = "wx[0-9a-z]+xw"
_LONG, _CACHED = 400, 256
"""Only parts with at least this many letters are cached, and how many of them."""

_KNOWN = ("transformers.tokenization_utils_tokenizers", "transformers.tokenization_utils_fast")
"""Where the `_encode_plus` of a fast tokenizer is, if its model has no other one."""


def mark(name: str) -> str:
    return f"wx{name}xw"


class SpecialTokens:
    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        special = {token.content for token in tokenizer.added_tokens_decoder.values() if token.special}
        longest_first = sorted(special | set(tokenizer.all_special_tokens), key=len, reverse=True)
        self._ids = set(tokenizer.convert_tokens_to_ids(longest_first))
        self._pattern = re.compile("|".join([*map(re.escape, longest_first), _HIDDEN.pattern, _MARK]))
        self._starts = _part_starts(tokenizer)
        self._backend = _backend(tokenizer)
        self._encode_long = functools.lru_cache(_CACHED)(self._encode_plain)

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
            return one_object_each(self._encode_parts(text))
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
        return one_object_each(ids)

    def _encode_parts(self, text: str) -> list[int]:
        """The ids of a text. A part that begins with a special token has the same ids by itself, so long parts are cached."""
        starts = [found.start() for found in self._starts.finditer(text)] if self._starts and len(text) >= _LONG else []
        ids: list[int] = []
        done = 0
        for start, end in zip([0, *starts], [*starts, len(text)], strict=True):
            if end - start >= _LONG:
                ids += self._encode_plain(text[done:start]) if start > done else ()
                ids += self._encode_long(text[start:end])
                done = end
        return [*ids, *self._encode_plain(text[done:])] if done < len(text) else ids

    def _encode_plain(self, text: str) -> tuple[int, ...]:
        backend = self._backend
        if backend is None or backend.encode_special_tokens or backend.truncation or backend.padding:
            return tuple(self._tokenizer.encode(text, add_special_tokens=False))
        return tuple(backend.encode_batch_fast([text], add_special_tokens=False)[0].ids)


def _backend(tokenizer: Any) -> Any:
    """The tokenizer below that of transformers. It is faster without the positions of the tokens. None if it could give other ids
    than the tokenizer."""
    own = getattr(type(tokenizer), "_encode_plus", None)
    if getattr(own, "__module__", "") not in _KNOWN or tokenizer.split_special_tokens:
        return None
    backend = getattr(tokenizer, "backend_tokenizer", None)
    return backend if hasattr(backend, "encode_batch_fast") else None


def _part_starts(tokenizer: Any) -> re.Pattern[str] | None:
    """Finds special tokens at which a text can be cut without changing its ids. None if there is no such token.

    The tokenizer takes these tokens out first and encodes what is between them independently. A token that is matched after
    normalisation, takes the space before it, or must be a whole word depends on the text around it. So does an added token that
    could begin before a cut.
    """
    added = [*tokenizer.added_tokens_decoder.values()]
    if not getattr(tokenizer, "is_fast", False) or any(token.lstrip or token.single_word for token in added):
        return None
    cuts = [token.content for token in added if token.special and not token.normalized]
    cuts = [cut for cut in cuts if not any(_overlaps(other.content, cut) for other in added)]
    return re.compile("|".join(map(re.escape, sorted(cuts, key=len, reverse=True)))) if cuts else None


def _overlaps(other: str, cut: str) -> bool:
    """Whether `other` could cover the beginning of `cut` in a text, without being `cut` itself."""
    if other == cut:
        return False
    return cut in other or any(other.endswith(cut[:length]) for length in range(1, min(len(cut), len(other)) + 1))
