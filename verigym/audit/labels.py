"""People's judgements of one output against another: which pairs are asked, and what a key does.

A session is a value and `press` a function: the screen and the store are the caller's. Every answer is one more `Label`, never
a change of an older one: the newest of a person on a pair counts, and one that was taken back is followed by a `skip` with
the note `taken back`. Which side an output is shown on follows from the seed, so that its place in the run says nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from verigym.core.records import Label, Trajectory
from verigym.core.seeds import derive
from verigym.rollout.replies import cut, unfit, wording

Judgement = Literal["better", "worse", "same", "skip"]
KEYS: dict[str, Judgement] = {"1": "better", "2": "worse", "=": "same", "s": "skip"}
"""What the left output is, beside the right one. `u` takes the last answer back, `q` ends."""
TAKEN_BACK = "taken back"


class Pair(Struct, frozen=True):
    task: str
    left: str
    """Trajectory ids."""
    right: str


class Session(Struct, frozen=True, kw_only=True):
    who: str
    pairs: list[Pair]
    """Those to be asked, in order."""
    answers: list[Judgement] = []
    """To the first of them."""
    over: bool = False

    @property
    def pair(self) -> Pair | None:
        """The one that is asked now; none after the last."""
        return self.pairs[len(self.answers)] if len(self.answers) < len(self.pairs) else None


def make_pairs(trajectories: Iterable[Trajectory], n: int, seed: int) -> list[Pair]:
    """n pairs of outputs that differ, one of each task before a second of any; an output is in one pair at most. Outputs that
    cannot be learnt from (broken, unsafe, cut off) are not worth a person's time."""
    groups: dict[str, dict[bytes, str]] = defaultdict(dict)
    for one in trajectories:
        found = cut(one)
        if found is not None and not unfit(one):
            groups[one.task].setdefault(wording(found.rest), one.id)
    ordered: list[tuple[int, int, Pair]] = []
    for task, outputs in groups.items():
        ids = sorted(outputs.values(), key=lambda id: derive(seed, "side", id))
        for turn, (left, right) in enumerate(zip(ids[::2], ids[1::2], strict=False)):
            ordered.append((turn, derive(seed, "task", task), Pair(task, left, right)))
    return [pair for _, _, pair in sorted(ordered, key=lambda one: one[:2])[:n]]


def remaining(pairs: Sequence[Pair], labels: Iterable[Label], who: str) -> list[Pair]:
    """The pairs that this person has not answered; labels are in the order in which they were made."""
    newest = {frozenset((one.trajectory, one.other)): one for one in labels if one.who == who and one.other}
    answered = {pair for pair, label in newest.items() if label.note != TAKEN_BACK}
    return [pair for pair in pairs if frozenset((pair.left, pair.right)) not in answered]


def press(session: Session, key: str) -> tuple[Session, Label | None]:
    """The session after a key, and the label to be stored before anything else is shown. A key without a meaning here changes
    nothing."""
    if key == "q":
        return msgspec.structs.replace(session, over=True), None
    if key == "u" and session.answers:
        before = msgspec.structs.replace(session, answers=session.answers[:-1])
        return before, _label(before, "skip", TAKEN_BACK)
    if key in KEYS and session.pair is not None:
        return msgspec.structs.replace(session, answers=[*session.answers, KEYS[key]]), _label(session, KEYS[key])
    return session, None


def _label(session: Session, judgement: Judgement, note: str = "") -> Label:
    pair = session.pair
    assert pair is not None
    return Label(trajectory=pair.left, other=pair.right, judgement=judgement, who=session.who, note=note)
