"""How far a verifier and a person agree on single outputs, beyond what chance would give.

Cohen's kappa is 1 for full agreement and 0 for that of two who guess. Its interval is by Jeffreys' rule: half an output is added
to each cell of the two-by-two table, and the interval holds the middle 95% of the kappas that such a table allows (10,000 draws,
always the same ones). With 20 labels it holds the true kappa in 92 to 95 of 100 cases; the textbook's delta interval does in as
few as 34, and has no width at all where everything agrees. Outputs are taken as independent.
"""

import random
from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from verigym.audit.labels import TAKEN_BACK
from verigym.core.records import Label, Verdict
from verigym.verifiers.judge import reason


class Calibration(Struct, frozen=True):
    """That a judge was held against a person's labels, and what came of it."""

    verifier: str
    """name@version"""
    judge: str
    """Version id of the judge."""
    n: int
    """Outputs that both judged."""
    kappa: float
    low: float
    high: float


class Disagreement(Struct, frozen=True, kw_only=True):
    trajectory: str
    label: Literal["good", "bad"]
    who: str
    note: str
    """The person's reason, where one was given."""
    passed: bool
    reward: float | None
    evidence: str
    """The verifier's reason."""


class Agreement(Struct, frozen=True, kw_only=True):
    n: int
    agreed: int
    kappa: float | None
    """None where person and verifier gave one and the same answer throughout: then it says nothing."""
    low: float
    high: float
    disagreements: list[Disagreement]


def single_labels(labels: Iterable[Label], who: str = "") -> dict[str, Label]:
    """The newest good or bad on each output, of one person where one is named; labels in the order in which they were made."""
    newest = {one.trajectory: one for one in labels if not one.other and who in ("", one.who)}
    return {id: one for id, one in newest.items() if one.judgement in ("good", "bad") and one.note != TAKEN_BACK}


def agreement(labels: Mapping[str, Label], verdicts: Mapping[str, Verdict]) -> Agreement | None:
    """Over the outputs that have both; none where there is no such output."""
    both = [(label, verdicts[id]) for id, label in labels.items() if id in verdicts]
    both = [(label, verdict) for label, verdict in both if verdict.reward is not None]
    if not both:
        return None
    cells = [0, 0, 0, 0]
    for label, verdict in both:
        cells[2 * (label.judgement == "bad") + (not verdict.passed)] += 1
    low, high = kappa_interval(cells)
    return Agreement(
        n=len(both),
        agreed=cells[0] + cells[3],
        kappa=kappa(cells),
        low=low,
        high=high,
        disagreements=[
            Disagreement(
                trajectory=label.trajectory,
                label="good" if label.judgement == "good" else "bad",
                who=label.who,
                note=label.note,
                passed=verdict.passed,
                reward=verdict.reward,
                evidence=reason(verdict.evidence),
            )
            for label, verdict in both
            if (label.judgement == "good") != verdict.passed
        ],
    )


def kappa(cells: list[int] | list[float]) -> float | None:
    """Of the table good and passed, good and failed, bad and passed, bad and failed; none where both always say the same one."""
    n = sum(cells)
    both_good, good, bad, _ = (cell / n for cell in cells)
    person, verifier = both_good + good, both_good + bad
    by_chance = person * verifier + (1 - person) * (1 - verifier)
    if by_chance == 1:
        return None
    return (1 - good - bad - by_chance) / (1 - by_chance)


def kappa_interval(cells: list[int], level: float = 0.95, draws: int = 10_000) -> tuple[float, float]:
    """See the top of this file. What was seen lies in it: where all agree it ends at 1."""
    draw = random.Random(0)
    drawn = [kappa([draw.gammavariate(cell + 0.5, 1.0) for cell in cells]) for _ in range(draws)]
    found = sorted(value for value in drawn if value is not None)
    tail = (1 - level) / 2
    low, high = found[int(tail * len(found))], found[int((1 - tail) * len(found))]
    seen = kappa(cells)
    return (low, high) if seen is None else (min(low, seen), max(high, seen))
