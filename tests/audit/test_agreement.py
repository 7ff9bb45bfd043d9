"""Kappa and its interval: against the textbook, at the edges, and by simulation; which labels count."""

import random

import pytest

from verigym.audit.labels import TAKEN_BACK, agreement, kappa, kappa_interval, single_labels
from verigym.core.records import Label, Verdict


@pytest.mark.parametrize(
    ("cells", "value"),
    [
        ([20, 5, 10, 15], 0.4),  # the example of Cohen's kappa on Wikipedia
        ([10, 0, 0, 10], 1.0),
        ([0, 10, 10, 0], -1.0),
        ([25, 25, 25, 25], 0.0),
        ([10, 0, 5, 0], 0.0),  # the verifier passes everything
        ([10, 0, 0, 0], None),
        ([0, 0, 0, 3], None),
    ],
)
def test_kappa_is_the_textbook_s(cells: list[int], value: float | None) -> None:
    assert kappa(cells) == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize("cells", [[1, 0, 0, 0], [10, 0, 0, 10], [100, 0, 0, 0], [0, 1, 0, 0], [3, 1, 0, 4]])
def test_the_interval_has_width_holds_what_was_seen_and_is_the_same_every_time(cells: list[int]) -> None:
    low, high = kappa_interval(cells)
    assert -1 <= low < high <= 1 and high - low > 0.02 and kappa_interval(cells) == (low, high)
    seen = kappa(cells)
    assert seen is None or low <= seen <= high


def test_more_labels_make_it_narrower() -> None:
    widths = [high - low for low, high in (kappa_interval([4 * n, n, n, 4 * n]) for n in (1, 3, 10))]
    assert widths == sorted(widths, reverse=True) and widths[0] > 2 * widths[2]


@pytest.mark.parametrize(("truth", "share"), [(0.4, 0.5), (0.8, 0.3), (0.9, 0.5)])
def test_at_20_labels_it_holds_the_true_kappa_about_as_often_as_it_says(truth: float, share: float) -> None:
    """Both call a share of outputs good and agree on as many as kappa says. Each table is asked about once."""
    by_chance = share**2 + (1 - share) ** 2
    both = (by_chance + truth * (1 - by_chance) - 1 + 2 * share) / 2
    weights = [both, share - both, share - both, 1 - 2 * share + both]
    draw, known, hits, rounds = random.Random(1), dict[tuple[int, ...], bool](), 0, 800
    for _ in range(rounds):
        drawn = draw.choices(range(4), weights, k=20)
        cells = tuple(drawn.count(cell) for cell in range(4))
        if cells not in known:
            low, high = kappa_interval([*cells], draws=500)
            known[cells] = low <= truth <= high
        hits += known[cells]
    assert 0.90 <= hits / rounds <= 0.98


def label(trajectory: str, judgement: str, who: str = "anna", other: str = "", note: str = "") -> Label:
    return Label(trajectory=trajectory, judgement=judgement, who=who, other=other, note=note)  # type: ignore[arg-type]


def test_the_newest_single_label_counts_and_pairs_skips_and_what_was_taken_back_do_not() -> None:
    made = [
        label("a", "good"),
        label("a", "bad", note="wrong day"),
        label("b", "good"),
        label("b", "skip", note=TAKEN_BACK),
        label("c", "better", other="d"),
        label("e", "skip"),
        label("f", "good"),
        label("f", "bad", who="ben"),
    ]
    assert {id: one.judgement for id, one in single_labels(made).items()} == {"a": "bad", "f": "bad"}
    assert {id: one.judgement for id, one in single_labels(made, "anna").items()} == {"a": "bad", "f": "good"}
    assert single_labels(made)["a"].note == "wrong day"


def test_disagreements_have_both_sides_reasons_and_what_has_no_verdict_is_left_out() -> None:
    labels = single_labels(
        [label("a", "bad", note="wrong day"), label("b", "good"), label("c", "good"), label("d", "good")]
    )
    verdicts = {
        "a": Verdict(
            trajectory="a",
            reward=1.0,
            passed=True,
            evidence='{"prompt":"Is it right?","answers":["{\\"reason\\": \\"as expected\\"}"]}',
        ),
        "b": Verdict(trajectory="b", reward=1.0, passed=True),
        "c": Verdict(trajectory="c", reward=None),
    }
    found = agreement(labels, verdicts)
    assert found is not None and (found.n, found.agreed) == (2, 1)
    [one] = found.disagreements
    assert (one.trajectory, one.label, one.note, one.passed, one.evidence) == (
        "a",
        "bad",
        "wrong day",
        True,
        "as expected",
    )
    assert agreement(labels, {}) is None
