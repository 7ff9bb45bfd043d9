"""People's labels of outputs: which outputs to ask about, what a key does, and how far a verifier agrees with the labels.

A label says that an output is good or bad, or compares two outputs. `press` is a pure function of a `LabelSession`: the caller
owns the screen and the store. Every answer is a new `Label`. The newest of a person on a pair counts, and undoing one adds a
`skip` with the note `taken back`. The seed decides on which side an output is shown.

Cohen's kappa is 1 for full agreement and 0 for agreement by chance. Its interval follows Jeffreys: half an output is added to
each cell of the two-by-two table, and the interval holds the middle 95% of the kappas of 10,000 draws with a fixed seed. With 20
labels it covers the true kappa in 92 to 95 of 100 cases. The delta interval covers it in as few as 34, and has no width if all
agree. Outputs are treated as independent.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec import Struct, field

from verigym.core.records import Fault, Label, Trajectory, Verdict
from verigym.core.seeds import derive
from verigym.rollout.replies import cut, unfit, wording
from verigym.store.database import EpisodeStatus
from verigym.verifiers.judge import reason

Judgement = Literal["good", "bad", "better", "worse", "same", "skip"]
KEYS: dict[str, Judgement] = {"1": "better", "2": "worse", "=": "same", "s": "skip"}
"""Key to the judgement of the left output. `u` undoes the last answer, and `q` ends."""
SINGLE_KEYS: dict[str, Judgement] = {"g": "good", "b": "bad", "s": "skip"}
"""Key to the judgement of a single output."""
TAKEN_BACK = "taken back"
_ALL = 2**62


class LabelPair(Struct, frozen=True):
    task: str
    left: str
    """Trajectory ids."""
    right: str = ""
    """Empty if a single output is judged."""


class LabelSession(Struct, frozen=True, kw_only=True):
    who: str
    pairs: list[LabelPair]
    """The pairs to ask about, in order."""
    keys: dict[str, Judgement] = field(default_factory=lambda: KEYS)
    answers: list[Judgement] = []
    """Answers to the first pairs."""
    over: bool = False

    @property
    def pair(self) -> LabelPair | None:
        """The current pair, or None after the last."""
        return self.pairs[len(self.answers)] if len(self.answers) < len(self.pairs) else None


def make_pairs(trajectories: Iterable[Trajectory], n: int, seed: int) -> list[LabelPair]:
    """n pairs of different outputs, one per task before a second of any. An output is in at most one pair. Broken, unsafe and
    truncated outputs are left out."""
    groups: dict[str, dict[bytes, str]] = defaultdict(dict)
    for trajectory in trajectories:
        parts = cut(trajectory)
        if parts is not None and not unfit(trajectory):
            groups[trajectory.task].setdefault(wording(parts.rest), trajectory.id)
    ordered: list[tuple[int, int, LabelPair]] = []
    for task, outputs in groups.items():
        ids = sorted(outputs.values(), key=lambda id: derive(seed, "side", id))
        for turn, (left, right) in enumerate(zip(ids[::2], ids[1::2], strict=False)):
            ordered.append((turn, derive(seed, "task", task), LabelPair(task, left, right)))
    return [pair for _, _, pair in sorted(ordered, key=lambda entry: entry[:2])[:n]]


def make_pairs_of_tasks(
    tasks: Iterable[str], read: Callable[[str], Iterable[Trajectory]], n: int, seed: int
) -> list[LabelPair]:
    """The same pairs as `make_pairs` of all trajectories. Reads the tasks one by one, and only as many as it needs."""
    pairs: list[list[LabelPair]] = []
    for task in sorted(tasks, key=lambda task: derive(seed, "task", task)):
        if several := make_pairs(read(task), _ALL, seed):
            pairs.append(several)
            if len(pairs) == n:
                return [several[0] for several in pairs]
    turns = range(max(map(len, pairs), default=0))
    return [several[turn] for turn in turns for several in pairs if turn < len(several)][:n]


def pick(episodes: Iterable[EpisodeStatus], n: int, seed: int) -> list[tuple[str, int]]:
    """n outputs of a run as task and index, one per task before a second of any, in random order. Passed and failed outputs are
    mixed evenly, for a person who stops early, but irregularly, so that the position does not reveal the verdict."""
    turns: Counter[str] = Counter()
    ordered: list[tuple[int, int, EpisodeStatus]] = []
    scorable = [episode for episode in episodes if episode.fault in ("", Fault.MODEL)]
    for episode in sorted(scorable, key=lambda it: derive(seed, "output", it.task, it.repeat)):
        ordered.append((turns[episode.task], derive(seed, "task", episode.task), episode))
        turns[episode.task] += 1
    chosen = [episode for _, _, episode in sorted(ordered, key=lambda entry: entry[:2])[:n]]
    spread: list[tuple[float, str, int]] = []
    for passed in (True, False):
        some = [episode for episode in chosen if episode.passed == passed]
        for position, episode in enumerate(some):
            chance = derive(seed, "place", episode.task, episode.repeat) / 2**63
            spread.append(((position + chance) / len(some), episode.task, episode.repeat))
    return [(task, index) for _, task, index in sorted(spread)]


def remaining(pairs: Sequence[LabelPair], labels: Iterable[Label], who: str) -> list[LabelPair]:
    """The pairs that this person has not answered. Labels are in the order of creation."""
    newest = {frozenset((label.trajectory, label.other)): label for label in labels if label.who == who}
    answered = {pair for pair, label in newest.items() if label.note != TAKEN_BACK}
    return [pair for pair in pairs if frozenset((pair.left, pair.right)) not in answered]


def press(session: LabelSession, key: str) -> tuple[LabelSession, Label | None]:
    """The session after a key, and the label to store before anything else is shown. Other keys change nothing."""
    if key == "q":
        return msgspec.structs.replace(session, over=True), None
    if key == "u" and session.answers:
        before = msgspec.structs.replace(session, answers=session.answers[:-1])
        return before, _label(before, "skip", TAKEN_BACK)
    if key in session.keys and session.pair is not None:
        answer = session.keys[key]
        return msgspec.structs.replace(session, answers=[*session.answers, answer]), _label(session, answer)
    return session, None


def explain(session: LabelSession, reason: str) -> Label | None:
    """The last answer again with a reason, or None if one of them is missing."""
    if not session.answers or not reason.strip():
        return None
    before = msgspec.structs.replace(session, answers=session.answers[:-1])
    return _label(before, session.answers[-1], reason.strip())


def _label(session: LabelSession, judgement: Judgement, note: str = "") -> Label:
    pair = session.pair
    assert pair is not None
    return Label(trajectory=pair.left, other=pair.right, judgement=judgement, who=session.who, note=note)


class Calibration(Struct, frozen=True):
    """Agreement of a judge with a person's labels."""

    verifier: str
    """name@version"""
    judge: str
    """Version id of the judge."""
    n: int
    """Number of outputs with a label and a verdict."""
    kappa: float
    low: float
    high: float


class Disagreement(Struct, frozen=True, kw_only=True):
    trajectory: str
    label: Literal["good", "bad"]
    who: str
    note: str
    """The person's reason."""
    passed: bool
    reward: float | None
    evidence: str
    """The verifier's reason."""


class Agreement(Struct, frozen=True, kw_only=True):
    n: int
    agreed: int
    kappa: float | None
    """None if person and verifier gave the same single answer to everything."""
    low: float
    high: float
    disagreements: list[Disagreement]
    cells: list[int] = []
    """The two-by-two table: good and passed, good and failed, bad and passed, bad and failed. Empty in older records."""


def single_labels(labels: Iterable[Label], who: str = "") -> dict[str, Label]:
    """The newest good or bad per output, of one person if `who` is given. Labels are in the order of creation."""
    newest = {label.trajectory: label for label in labels if not label.other and who in ("", label.who)}
    return {id: it for id, it in newest.items() if it.judgement in ("good", "bad") and it.note != TAKEN_BACK}


def agreement(labels: Mapping[str, Label], verdicts: Mapping[str, Verdict]) -> Agreement | None:
    """Agreement on the outputs that have a label and a verdict. None if there are no such outputs."""
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
        cells=cells,
    )


def kappa(cells: list[int] | list[float]) -> float | None:
    """Kappa of the counts (good, passed), (good, failed), (bad, passed), (bad, failed). None if all answers are equal."""
    n = sum(cells)
    both_good, good, bad, _ = (cell / n for cell in cells)
    person, verifier = both_good + good, both_good + bad
    by_chance = person * verifier + (1 - person) * (1 - verifier)
    if by_chance == 1:
        return None
    return (1 - good - bad - by_chance) / (1 - by_chance)


def kappa_interval(cells: list[int], draws: int = 10_000) -> tuple[float, float]:
    """The interval of kappa (see the top of this file). It always contains the observed kappa."""
    draw = random.Random(0)
    drawn = [kappa([draw.gammavariate(cell + 0.5, 1.0) for cell in cells]) for _ in range(draws)]
    values = sorted(value for value in drawn if value is not None)
    low, high = values[int(0.025 * len(values))], values[int(0.975 * len(values))]
    observed = kappa(cells)
    return (low, high) if observed is None else (min(low, observed), max(high, observed))
