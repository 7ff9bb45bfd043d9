import asyncio
import itertools
import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.core.errors import BadInput
from verigym.harness.toolkinds.search import Index, Passage, Search, SearchTool, passages, words


def slow_scores(documents: list[str], query: str) -> list[float]:
    """BM25 by its definition."""
    split = [words(f"f {text}") for text in documents]
    mean = sum(map(len, split)) / len(split)
    scores: list[float] = []
    for own in split:
        counts, score = Counter(own), 0.0
        for word in set(words(query)):
            holding = sum(word in other for other in split)
            idf = math.log(1 + (len(split) - holding + 0.5) / (holding + 0.5))
            score += idf * counts[word] * 2.2 / (counts[word] + 1.2 * (0.25 + 0.75 * len(own) / mean))
        scores.append(score)
    return scores


@given(st.lists(st.text("ab cd", min_size=1, max_size=20), min_size=1, max_size=8), st.text("abcd ", max_size=8))
def test_the_index_ranks_as_the_definition_does(documents: list[str], query: str) -> None:
    hits = Index([Passage("f", number, text) for number, text in enumerate(documents)]).search(query, 10)
    scores = slow_scores(documents, query)
    assert sorted(hit.line for hit in hits) == [at for at, score in enumerate(scores) if score > 0]
    ranked = [scores[hit.line] for hit in hits]
    assert all(first >= second - 1e-4 for first, second in itertools.pairwise(ranked))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Straße, CAFÉ!", ["strasse", "cafe"]),
        ("order_id 12-b", ["order", "id", "12", "b"]),
        ("東京都の天気", ["東京", "京都", "都の", "の天", "天気"]),
        ("中", ["中"]),
        ("iPhone15を買う", ["iphone15", "を買", "買う"]),
        ("Привет МИР", ["привет", "мир"]),
        ("", []),
    ],
)
def test_words_have_no_case_and_no_accents(text: str, found: list[str]) -> None:
    assert words(text) == found


@given(st.text(max_size=3000), st.integers(100, 500))
def test_passages_hold_every_word_once_and_are_short(text: str, most: int) -> None:
    cut = passages("f", text, most)
    assert all(len(passage.text) <= most for passage in cut)
    assert "".join("".join(passage.text.split()) for passage in cut) == "".join(text.split())


def searched(folder: Path, query: str, **arguments: object) -> str:
    tool = SearchTool("docs.search", Search(folder="docs"), folder, "tools.yaml")
    return str(asyncio.run(tool.call({"query": query, **arguments})).output)


def test_a_search_names_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "refunds.md").write_text("# Refunds\n\nA refund takes five days.\n\n" + "filler\n" * 300)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "page.html").write_text("<p>Shipping is <b>free</b> &amp; fast</p><script>refund</script>")
    (tmp_path / ".hidden.md").write_text("refund refund refund")
    (tmp_path / "image.md").write_bytes(b"\0\1refund")
    assert searched(tmp_path, "how long does a REFUND take?", limit=1).startswith("[refunds.md, line 1]\n# Refunds")
    assert searched(tmp_path, "free shipping") == "[deep/page.html, line 1]\nShipping is  free  & fast"
    assert searched(tmp_path, "zebra") == "no passage contains these words"


def test_a_changed_document_changes_the_digest(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    before = SearchTool("s", Search(folder="x"), tmp_path, "f").digest()
    (tmp_path / "a.txt").write_text("two")
    assert SearchTool("s", Search(folder="x"), tmp_path, "f").digest() != before


def test_a_folder_without_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="contains no text file"):
        SearchTool("s", Search(folder="x"), tmp_path, "tools.yaml")
    with pytest.raises(BadInput, match="does not exist"):
        SearchTool("s", Search(folder="x"), tmp_path / "no", "tools.yaml")
