"""A tool that searches the user's documents: `search: FOLDER`. It ranks passages by BM25.

Documents are text files. A document is cut into passages of about a page at blank lines. Words are compared without case and
accents. Languages without spaces are compared by pairs of letters. The index is built once per process, in memory.
Not supported: PDF and office files, stemming and embeddings.
"""

import asyncio
import html
import math
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from verigym.core.errors import BadInput, EnvironmentFailure
from verigym.core.records import Json, content_hash
from verigym.harness.state_tools import ToolResult

SUFFIXES = (
    ".txt", ".md", ".markdown", ".rst", ".adoc", ".org", ".html", ".htm", ".csv", ".tsv", ".json", ".jsonl", ".yaml", ".yml",
    ".toml", ".ini", ".log", ".tex", ".py", ".js", ".ts", ".java", ".go", ".rs", ".c", ".h", ".cpp", ".sql", ".sh",
)  # fmt: skip
_MOST_FILES, _MOST_BYTES = 50_000, 256 << 20
_K1, _B = 1.2, 0.75
_WORD = re.compile(r"[^\W_]+")
_NO_SPACES = re.compile(
    r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ffff]+"
)
_TAG = re.compile(r"(?is)<(script|style)\b.*?</\1\s*>|<!--.*?-->|<[^>]*>")
PARAMETERS: Json = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "Words to search for"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 20, "description": "Maximum number of passages"},
    },
    "required": ["query"],
    "additionalProperties": False,
}
DESCRIPTION = "Search the documents. Returns the best passages with their file and line."


class Search(Struct, forbid_unknown_fields=True, kw_only=True):
    """The settings of a search."""

    folder: str
    limit: int = 5
    """Passages per search, unless the model asks for another number."""
    passage: int = 1200
    """Characters of a passage, at most. A longer paragraph is cut at a line or word."""


class Passage(NamedTuple):
    file: str
    line: int
    text: str


class SearchTool:
    """Searches one folder."""

    def __init__(self, name: str, settings: Search, folder: Path, where: str) -> None:
        self.name, self._settings = name, settings
        self._folder = folder
        if not folder.is_dir():
            raise BadInput(f"{where}: search: the folder {folder} does not exist")
        if not 1 <= settings.limit <= 20 or not 100 <= settings.passage <= 20_000:
            raise BadInput(f"{where}: search: limit must be 1 to 20, and passage must be 100 to 20,000 characters")
        self.files = documents(folder, where)
        if not self.files:
            raise BadInput(f"{where}: search: {folder} contains no text file ({', '.join(SUFFIXES[:6])}, ...)")
        self._building: asyncio.Task[Index] | None = None
        self._index: Index | None = None

    def digest(self) -> str:
        """Hash of the names and contents of all documents."""
        return content_hash({name: content_hash(path.read_bytes()) for name, path in self.files.items()})

    async def call(self, arguments: Json) -> ToolResult:
        if self._index is None:
            self._index = await asyncio.to_thread(_index_of, self.files, self._settings.passage)
        hits = self._index.search(str(arguments["query"]), arguments.get("limit") or self._settings.limit)
        if not hits:
            return ToolResult(output="no passage contains these words")
        return ToolResult(output="\n\n".join(f"[{hit.file}, line {hit.line}]\n{hit.text}" for hit in hits))


def documents(folder: Path, where: str) -> dict[str, Path]:
    """The text files of a folder by their relative names. Hidden files are left out."""
    files: dict[str, Path] = {}
    size = 0
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if (
            any(part.startswith(".") for part in name.parts)
            or path.suffix.lower() not in SUFFIXES
            or not path.is_file()
        ):
            continue
        files[name.as_posix()] = path
        size += path.stat().st_size
        if len(files) > _MOST_FILES or size > _MOST_BYTES:
            raise BadInput(
                f"{where}: search: {folder} has more than {_MOST_FILES:,} files or {_MOST_BYTES >> 20} MB. Name a smaller folder"
            )
    return files


def _index_of(files: dict[str, Path], most: int) -> "Index":
    found: list[Passage] = []
    for name, path in files.items():
        try:
            text = path.read_bytes().decode("utf-8", errors="replace")
        except OSError as error:
            raise EnvironmentFailure(f"The document {path} cannot be read: {error}") from error
        if "\0" not in text[:4096]:
            found += passages(name, _plain(text) if path.suffix.lower() in (".html", ".htm") else text, most)
    return Index(found)


def _plain(text: str) -> str:
    """HTML without its tags. Lines stay where they are."""
    return html.unescape(_TAG.sub(lambda tag: "\n" * tag.group().count("\n") or " ", text))


def passages(name: str, text: str, most: int) -> list[Passage]:
    """Cuts a document at blank lines, so that no passage is longer than `most`. Headings stay with what follows them."""
    found: list[Passage] = []
    held: list[str] = []
    start, size = 1, 0

    def end() -> None:
        nonlocal held, size
        joined = "\n".join(held).strip()
        if joined:
            found.append(Passage(name, start, joined))
        held, size = [], 0

    for number, line in enumerate(text.splitlines(), 1):
        for piece in _pieces(line, most):
            blank = not piece.strip()
            heading = piece.startswith("#")
            if size + len(piece) > most or (heading and size > most // 4) or (blank and size > most // 2):
                end()
            if not held:
                start = number
                if blank:
                    continue
            held.append(piece)
            size += len(piece) + 1
    end()
    return found


def _pieces(line: str, most: int) -> list[str]:
    """A line, or its parts if it is longer than a passage, cut at spaces where possible."""
    parts: list[str] = []
    while len(line) > most:
        cut = line.rfind(" ", most // 2, most)
        cut = most if cut < 0 else cut
        parts.append(line[:cut])
        line = line[cut:].lstrip()
    return [*parts, line]


def words(text: str) -> list[str]:
    """The words of a text, without case and accents. Text without spaces between words becomes pairs of letters."""
    text = unicodedata.normalize("NFKD", text.casefold())
    if not text.isascii():
        text = unicodedata.normalize("NFC", "".join(letter for letter in text if unicodedata.category(letter) != "Mn"))
    found: list[str] = []
    for word in _WORD.findall(text):
        if word.isascii() or not _NO_SPACES.search(word):
            found.append(word)
            continue
        end = 0
        for run in _NO_SPACES.finditer(word):
            found += [part for part in (word[end : run.start()],) if part]
            letters = run.group()
            found += [letters[at : at + 2] for at in range(len(letters) - 1)] or [letters]
            end = run.end()
        found += [part for part in (word[end:],) if part]
    return found


class Index:
    """BM25 over passages: `idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean length))`, summed over the words."""

    def __init__(self, passages: list[Passage]) -> None:
        import numpy as np

        self.passages = passages
        postings: dict[str, tuple[list[int], list[int]]] = {}
        lengths: list[int] = []
        for number, passage in enumerate(passages):
            counts = Counter(words(f"{passage.file} {passage.text}"))
            lengths.append(sum(counts.values()))
            for word, count in counts.items():
                numbers, frequencies = postings.setdefault(word, ([], []))
                numbers.append(number)
                frequencies.append(count)
        mean = sum(lengths) / len(lengths) if lengths else 1.0
        norm = _K1 * (1 - _B + _B * np.array(lengths, dtype=np.float32) / max(mean, 1e-9))
        self._postings: dict[str, tuple[Any, Any]] = {}
        for word, (numbers, frequencies) in postings.items():
            at, tf = np.array(numbers, dtype=np.int32), np.array(frequencies, dtype=np.float32)
            idf = math.log(1 + (len(passages) - len(numbers) + 0.5) / (len(numbers) + 0.5))
            self._postings[word] = at, idf * tf * (_K1 + 1) / (tf + norm[at])

    def search(self, query: str, limit: int) -> list[Passage]:
        """The best passages, best first. Equal ones are in the order of the documents."""
        import numpy as np

        scores: Any = np.zeros(len(self.passages), dtype=np.float32)
        for word in dict.fromkeys(words(query)):
            if word in self._postings:
                numbers, gains = self._postings[word]
                scores[numbers] += gains
        order = np.argsort(-scores, kind="stable")[:limit]
        return [self.passages[int(number)] for number in order if scores[number] > 0]
