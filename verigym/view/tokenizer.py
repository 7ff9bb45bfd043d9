"""Token ids as text, from the `tokenizer.json` of a base model that lies on this machine. Nothing is downloaded or executed.

Only the vocabulary is read, which is enough to go from ids to bytes. It knows byte-level tokenizers (GPT-2, Llama 3, Qwen,
SmolLM) and those with spaces as `▁` and bytes as `<0x0A>` (Llama 2, Gemma, Mistral).
"""

import bisect
import functools
import itertools
import os
import re
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from verigym.model import embedded

_LARGEST = 200_000_000
_LARGEST_ID = 2**62
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


class _Added(Struct):
    id: int
    content: str


class _Model(Struct):
    vocab: dict[str, int] | list[tuple[str, float]] = {}


class _File(Struct):
    model: _Model
    added_tokens: list[_Added] = []
    decoder: Any = None
    pre_tokenizer: Any = None


class Vocabulary:
    """Id to bytes. All bytes are in one text, because an object for each token would take ten times as much memory."""

    def __init__(self, tokens: Mapping[int, bytes], special: frozenset[int]) -> None:
        ids = sorted(tokens)
        self._ids, self._text = array("q", ids), b"".join(tokens[id] for id in ids)
        self._ends = array("q", itertools.accumulate(len(tokens[id]) for id in ids))
        self.special = special

    def bytes_of(self, id: int) -> bytes | None:
        """The bytes of a token. None if the tokenizer does not have it."""
        at = bisect.bisect_left(self._ids, id)
        if at == len(self._ids) or self._ids[at] != id:
            return None
        return self._text[self._ends[at - 1] if at else 0 : self._ends[at]]


def file_of(base: str) -> Path | None:
    """The `tokenizer.json` of a base model on this machine: a folder, the embedded model, or the cache of the hub."""
    if not base or base.startswith(("http://", "https://")):
        return None
    folders = [embedded.folder()] if base == embedded.NAME else [Path(base)]
    if base.count("/") == 1 and re.fullmatch(r"[\w.-]+/[\w.-]+", base) and ".." not in base:
        hub = Path(
            os.environ.get("HF_HUB_CACHE")
            or Path(os.environ.get("HF_HOME") or Path.home() / ".cache/huggingface") / "hub"
        )
        folders += sorted((hub / f"models--{base.replace('/', '--')}" / "snapshots").glob("*"), reverse=True)
    files = [folder / "tokenizer.json" for folder in folders]
    return next((file for file in files if file.is_file()), None)


def vocabulary(base: str) -> Vocabulary | None:
    """None if the tokenizer of this base is not on this machine or cannot be read."""
    file = file_of(base)
    if file is None:
        return None
    state = file.stat()
    return _read(file, state.st_mtime_ns, state.st_size)


@functools.lru_cache(maxsize=2)
def _read(file: Path, changed: int, size: int) -> Vocabulary | None:
    if size > _LARGEST:
        return None
    try:
        stored = msgspec.json.decode(file.read_bytes(), type=_File)
    except (msgspec.MsgspecError, OSError, UnicodeError):
        return None
    vocab = stored.model.vocab
    pairs = vocab.items() if isinstance(vocab, dict) else ((piece, id) for id, (piece, _) in enumerate(vocab))
    is_bytes = "ByteLevel" in str(stored.decoder) or "ByteLevel" in str(stored.pre_tokenizer)
    read = _byte_level if is_bytes else _spaced
    tokens = {id: read(piece) for piece, id in pairs}
    tokens |= {one.id: one.content.encode(errors="replace") for one in stored.added_tokens}
    if not all(-_LARGEST_ID < id < _LARGEST_ID for id in tokens):
        return None
    return Vocabulary(tokens, frozenset(one.id for one in stored.added_tokens))


@functools.cache
def _letters() -> dict[str, int]:
    """How byte-level tokenizers write bytes as letters: printable ones as themselves, others from U+0100 on."""
    kept = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = {chr(byte): byte for byte in kept}
    for place, byte in enumerate(byte for byte in range(256) if byte not in kept):
        letters[chr(256 + place)] = byte
    return letters


def _byte_level(piece: str) -> bytes:
    letters = _letters()
    try:
        return bytes([letters[letter] for letter in piece])
    except KeyError:
        return piece.encode(errors="replace")


def _spaced(piece: str) -> bytes:
    match = _BYTE.fullmatch(piece)
    return bytes([int(match[1], 16)]) if match else piece.replace("▁", " ").encode(errors="replace")
