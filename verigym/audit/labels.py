"""People's judgements of an output, or of one output against another: which ones are asked, and what a key does.

A session is a value and `press` a function: the screen and the store are the caller's. Every answer is one more `Label`, never
a change of an older one: the newest of a person on a pair counts, and one that was taken back is followed by a `skip` with
the note `taken back`. Which side an output is shown on follows from the seed, so that its place in the run says nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
from msgspec import Struct, field

from verigym.core.records import Fault, Label, Trajectory
from verigym.core.seeds import derive
from verigym.rollout.replies import cut, unfit, wording
from verigym.store.database import EpisodeStatus

Judgement = Literal["good", "bad", "better", "worse", "same", "skip"]
KEYS: dict[str, Judgement] = {"1": "better", "2": "worse", "=": "same", "s": "skip"}
"""What the left output is, beside the right one. `u` takes the last answer back, `q` ends."""
SINGLE_KEYS: dict[str, Judgement] = {"g": "good", "b": "bad", "s": "skip"}
"""What one output is by itself."""
TAKEN_BACK = "taken back"


class LabelPair(Struct, frozen=True):
    task: str
    left: str
    """Trajectory ids."""
    right: str = ""
    """Empty where one output is judged by itself."""


class LabelSession(Struct, frozen=True, kw_only=True):
    who: str
    pairs: list[LabelPair]
    """Those to be asked, in order."""
    keys: dict[str, Judgement] = field(default_factory=lambda: KEYS)
    answers: list[Judgement] = []
    """To the first of them."""
    over: bool = False

    @property
    def pair(self) -> LabelPair | None:
        """The one that is asked now; none after the last."""
        return self.pairs[len(self.answers)] if len(self.answers) < len(self.pairs) else None


def make_pairs(trajectories: Iterable[Trajectory], n: int, seed: int) -> list[LabelPair]:
    """n pairs of outputs that differ, one of each task before a second of any; an output is in one pair at most. Outputs that
    cannot be learnt from (broken, unsafe, cut off) are not worth a person's time."""
    groups: dict[str, dict[bytes, str]] = defaultdict(dict)
    for one in trajectories:
        found = cut(one)
        if found is not None and not unfit(one):
            groups[one.task].setdefault(wording(found.rest), one.id)
    ordered: list[tuple[int, int, LabelPair]] = []
    for task, outputs in groups.items():
        ids = sorted(outputs.values(), key=lambda id: derive(seed, "side", id))
        for turn, (left, right) in enumerate(zip(ids[::2], ids[1::2], strict=False)):
            ordered.append((turn, derive(seed, "task", task), LabelPair(task, left, right)))
    return [pair for _, _, pair in sorted(ordered, key=lambda one: one[:2])[:n]]


def pick(found: Iterable[EpisodeStatus], n: int, seed: int) -> list[tuple[str, int]]:
    """n outputs of a run as task and index, one of each task before a second of any, in an order of the seed in which passed and
    failed ones are spread evenly (at no regular distance: a place should not give a verdict away), so that whoever stops early
    has seen the run's own mixture. Outputs that say nothing about the model are left out."""
    turns: Counter[str] = Counter()
    ordered: list[tuple[int, int, EpisodeStatus]] = []
    scorable = [one for one in found if one.fault in ("", Fault.MODEL)]
    for one in sorted(scorable, key=lambda one: derive(seed, "output", one.task, one.place)):
        ordered.append((turns[one.task], derive(seed, "task", one.task), one))
        turns[one.task] += 1
    chosen = [one for _, _, one in sorted(ordered, key=lambda each: each[:2])[:n]]
    spread: list[tuple[float, str, int]] = []
    for passed in (True, False):
        some = [one for one in chosen if one.passed == passed]
        for place, one in enumerate(some):
            chance = derive(seed, "place", one.task, one.place) / 2**63
            spread.append(((place + chance) / len(some), one.task, one.place))
    return [(task, place) for _, task, place in sorted(spread)]


def remaining(pairs: Sequence[LabelPair], labels: Iterable[Label], who: str) -> list[LabelPair]:
    """The pairs that this person has not answered; labels are in the order in which they were made."""
    newest = {frozenset((one.trajectory, one.other)): one for one in labels if one.who == who}
    answered = {pair for pair, label in newest.items() if label.note != TAKEN_BACK}
    return [pair for pair in pairs if frozenset((pair.left, pair.right)) not in answered]


def press(session: LabelSession, key: str) -> tuple[LabelSession, Label | None]:
    """The session after a key, and the label to be stored before anything else is shown. A key without a meaning here changes
    nothing."""
    if key == "q":
        return msgspec.structs.replace(session, over=True), None
    if key == "u" and session.answers:
        before = msgspec.structs.replace(session, answers=session.answers[:-1])
        return before, _label(before, "skip", TAKEN_BACK)
    if key in session.keys and session.pair is not None:
        said = session.keys[key]
        return msgspec.structs.replace(session, answers=[*session.answers, said]), _label(session, said)
    return session, None


def explain(session: LabelSession, reason: str) -> Label | None:
    """The last answer once more, with its reason; none where there is no answer or no reason."""
    if not session.answers or not reason.strip():
        return None
    before = msgspec.structs.replace(session, answers=session.answers[:-1])
    return _label(before, session.answers[-1], reason.strip())


def _label(session: LabelSession, judgement: Judgement, note: str = "") -> Label:
    pair = session.pair
    assert pair is not None
    return Label(trajectory=pair.left, other=pair.right, judgement=judgement, who=session.who, note=note)
