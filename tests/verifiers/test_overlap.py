"""chrF and ROUGE have the numbers of the packages that people know, and a copy of the input earns nothing."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifiers.builders import verdict
from verigym.core.errors import BadInput
from verigym.core.records import Fault
from verigym.verifiers.overlap import Metric, Overlap, chrf, overlap, rouge_l, rouge_n

METRICS: tuple[Metric, ...] = ("chrf", "chrf++", "rouge1", "rouge2", "rougeL")
RECORDED: list[tuple[str, list[str], tuple[float, ...]]] = [
    ("The cat sat on the mat.", ["The cat sat on the mat."], (1.0, 1.0, 1.0, 1.0, 1.0)),
    ("A cat sat on a mat", ["The cat sat on the mat."], (0.431983, 0.441142, 0.666667, 0.4, 0.666667)),
    (
        "Das Mädchen hat eine Gitarre repariert.",
        [
            "Das Mädchen hat am Donnerstag eine Gitarre repariert.",
            "Am Donnerstag hat das Mädchen eine Gitarre repariert.",
        ],
        (0.703375, 0.711574, 0.875, 0.714286, 0.875),
    ),
    (
        "¿Espera Clara en la playa?",
        ["¿Clara espera en la playa?", "¿Está esperando Clara en la playa?"],
        (0.738372, 0.712112, 1.0, 0.666667, 0.8),
    ),
    ("", ["something"], (0.0, 0.0, 0.0, 0.0, 0)),
    ("x", ["y"], (0.0, 0.0, 0.0, 0.0, 0.0)),
    ("no", ["no"], (1.0, 1.0, 1.0, 0.0, 1.0)),
    ("ab", ["abcdefgh"], (0.234043, 0.156028, 0.0, 0.0, 0.0)),
    (
        'Wait -- what?! (Yes, "this" one.) 10:30, 1,200 euros…',
        ["Wait, what? Yes, this one. At 10:30 for 1200 euros."],
        (0.425039, 0.352138, 0.761905, 0.526316, 0.761905),
    ),
    ("the the the the", ["the cat the dog"], (0.191162, 0.205871, 0.5, 0.0, 0.5)),
    (
        "Lars will book the speakers by Thursday for 380 euros",
        [
            "The team decided that Lars will book the speakers by Thursday for 380 euros.",
            "Lars will book the speakers by Thursday, and the budget is 380 euros.",
        ],
        (0.731694, 0.724637, 0.833333, 0.818182, 0.833333),
    ),
    ("日本語 の テスト です。", ["これは日本語のテストです。"], (0.750433, 0.643228, 0.0, 0.0, 0)),
    ("one\n two\t three ", ["one two three four"], (0.720851, 0.728734, 0.857143, 0.8, 0.857143)),
    (
        "don't stop re-reading U.S. reports",
        ["do not stop rereading US reports"],
        (0.609586, 0.49894, 0.285714, 0.0, 0.285714),
    ),
]
"""Text, references, and the scores of sacrebleu 2.6.0 (`sentence_chrf`, and with word_order=2) and rouge-score 0.1.2."""


@pytest.mark.parametrize(("text", "references", "scores"), RECORDED, ids=range(len(RECORDED)))
def test_scores_are_those_of_sacrebleu_and_rouge_score(
    text: str, references: list[str], scores: tuple[float, ...]
) -> None:
    for metric, score in zip(METRICS, scores, strict=True):
        assert overlap(text, references, metric) == pytest.approx(score, abs=1e-6), metric


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=20), st.text(max_size=20))
def test_scores_are_shares_and_a_text_equals_itself(text: str, other: str) -> None:
    for metric in METRICS:
        assert 0.0 <= overlap(text, [other], metric) <= 1.0 + 1e-12
    if text.split():
        assert math.isclose(chrf(text, text), 1.0) and chrf(text, "") == 0.0


def _longest_common(one: list[str], two: list[str]) -> int:
    if not one or not two:
        return 0
    if one[-1] == two[-1]:
        return 1 + _longest_common(one[:-1], two[:-1])
    return max(_longest_common(one[:-1], two), _longest_common(one, two[:-1]))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from("abc"), max_size=7), st.lists(st.sampled_from("abc"), max_size=7))
def test_rouge_l_counts_the_longest_common_subsequence(one: list[str], two: list[str]) -> None:
    common = _longest_common(one, two)
    expected = 2 * common / (len(one) + len(two)) if common else 0.0
    assert rouge_l(" ".join(one), " ".join(two)) == pytest.approx(expected)
    assert rouge_n(" ".join(one), " ".join(two), 1) >= rouge_l(" ".join(one), " ".join(two)) - 1e-12


def test_the_best_reference_counts_and_the_threshold_decides() -> None:
    found = verdict(Overlap(passing=0.9), "the green door", references=["a red car", "the green door"])
    assert found.passed and found.reward == pytest.approx(1.0) and found.parts == {"chrf": pytest.approx(1.0)}
    missed = verdict(Overlap(passing=0.9), "the green floor", references=["a red car", "the green door"])
    assert not missed.passed and 0.4 < (missed.reward or 0) < 0.9 and "0.9 passes" in missed.evidence


def test_a_copy_of_the_source_earns_nothing_and_a_right_text_everything() -> None:
    data: dict[str, Any] = {"source": "die Tür ist grün", "reference": "the door is green"}
    assert verdict(Overlap(), "die Tür ist grün", **data).reward == 0.0
    assert verdict(Overlap(), "the door is green", **data).reward == pytest.approx(1.0)
    assert verdict(Overlap(), "same", source="same", reference="same").reward == 0.0


@pytest.mark.parametrize("data", [{}, {"references": []}, {"references": [" "]}, {"references": [7]}])
def test_a_task_without_references_is_the_verifiers_failure(data: dict[str, Any]) -> None:
    found = verdict(Overlap("rougeL"), "text", **data)
    assert found.reward is None and found.error is not None and found.error.fault is Fault.VERIFIER
    assert 'needs "references"' in found.error.message


@pytest.mark.parametrize(
    "text", ["", "x" * 300_000, "\x00\ud7ff" * 99, "a " * 100_000], ids=["none", "x", "odd", "many"]
)
def test_odd_and_huge_replies_are_scored(text: str) -> None:
    for metric in METRICS:
        assert verdict(Overlap(metric), text, references=["the green door"]).reward is not None


def test_a_threshold_that_is_no_share_is_refused() -> None:
    with pytest.raises(BadInput, match="must be above 0 and at most 1"):
        Overlap(passing=60)
