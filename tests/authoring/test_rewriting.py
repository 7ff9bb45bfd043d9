"""The grammar says the same in three languages, and held-out patterns, reports, words and wordings are others."""

from random import Random

import pytest

from authoring.rewriting import make
from authoring.rewriting.reports import FILLERS, REPORTS, VALUES, Report, told
from authoring.rewriting.sentences import LANGUAGES, PATTERNS, PHRASES, Pattern, filled
from verigym.environments.rewriting.verifier import words

ALL_PATTERNS = [(split, pattern) for split, patterns in PATTERNS.items() for pattern in patterns]
ALL_REPORTS = [(split, report) for split, reports in REPORTS.items() for report in reports]


@pytest.mark.parametrize(("split", "pattern"), ALL_PATTERNS, ids=[pattern.name for _, pattern in ALL_PATTERNS])
def test_a_pattern_has_the_same_slots_in_every_language(split: str, pattern: Pattern) -> None:
    slots = {frozenset(slot for slot in "poqltsdbcn" if f"{{{slot}}}" in text) for each in pattern[1:] for text in each}
    assert len(slots) == 1
    sentence = filled(pattern, split, Random(1))
    assert list(sentence) == list(LANGUAGES) and all("{" not in text for texts in sentence.values() for text in texts)


@pytest.mark.parametrize(("split", "report"), ALL_REPORTS, ids=[report.name for _, report in ALL_REPORTS])
def test_every_summary_names_its_facts_is_short_and_names_nothing_rejected(split: str, report: Report) -> None:
    for seed in range(10):
        notes, summaries, facts, avoid = told(report, split, Random(seed))
        assert all(fact in notes for fact in [*facts, *avoid])
        for text in summaries:
            assert len(words(text)) <= make.SUMMARY_WORDS and all(fact in text for fact in facts), text
            assert not any(fact in text for fact in avoid), text


def test_held_out_content_is_other_content() -> None:
    assert not {pattern.name for pattern in PATTERNS["train"]} & {pattern.name for pattern in PATTERNS["val"]}
    assert not {report.name for report in REPORTS["train"]} & {report.name for report in REPORTS["val"]}
    assert not set(FILLERS["train"]) & set(FILLERS["val"])
    for texts in (make.TRANSLATE, make.SUMMARISE):
        assert not set(texts["train"]) & set(texts["val"])
    for slot in PHRASES["train"].keys() & PHRASES["val"].keys():
        assert not set(PHRASES["train"][slot]) & set(PHRASES["val"][slot]), slot
    for slot in VALUES["train"].keys() & VALUES["val"].keys():
        assert not set(VALUES["train"][slot]) & set(VALUES["val"][slot]), slot
