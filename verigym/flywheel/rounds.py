"""The stored state of a loop: each step of a round as a document that is written once, and the time and money spent.

A stored step is not repeated, so a killed loop resumes with the next step. `loop` performs the steps.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from verigym.core import codec
from verigym.core.errors import VerigymError
from verigym.core.records import Estimate, Json
from verigym.flywheel.loop_recipe import Fix, Loop
from verigym.gates.decide import EXIT
from verigym.workspace.measure import OnProgress
from verigym.workspace.workspace import WorkspaceFolder

T = TypeVar("T", bound=Struct)
Bars = Callable[[str], AbstractContextManager[OnProgress]]
"""A progress bar for each measurement, by its title."""
_SAVED_S = 2.0
"""Seconds between saves of the budget counters. A kill loses at most this much from the count."""


class RoundStart(Struct, frozen=True, kw_only=True):
    champion: str
    """The version that the round starts from."""
    traces: dict[str, int]
    """Runs of production traces, each with its number of traces at the start."""
    feedback: int
    """Number of feedback records at the start."""
    when: str
    """UTC, ISO 8601."""


class MiningResult(Struct, frozen=True, kw_only=True):
    """The result of mining."""

    environment: str
    """The environment with the mined tasks in a file of this round: `toolcall+FILE.jsonl`."""
    train: int = 0
    """New tasks."""
    held_out: int = 0
    words: str = ""


class RoundEvaluation(Struct, frozen=True, kw_only=True):
    version: str
    report: str
    run: str
    success: Estimate
    buckets: dict[str, int]


class ChosenFix(Struct, frozen=True, kw_only=True):
    advice: list[str]
    """The advised fixes, lightest first."""
    environment: str
    """The environment whose training tasks were used."""
    fix: Fix | None = None
    """The fix to try. None if nothing is tried."""
    why: str = ""
    version: str = ""
    """For a prompt or a constraint, the version that was tried on training tasks."""
    recipe: Json = {}
    """The training recipe, if the fix is trained."""


class Candidate(Struct, frozen=True, kw_only=True):
    version: str
    run: str = ""
    """The training run."""


class Outcome(Struct, frozen=True, kw_only=True):
    verdict: Literal["PROMOTE", "REJECT", "NEED MORE DATA", ""]
    """The verdict of the gate. Empty if the gate was not asked."""
    words: str
    reports: list[str] = []
    """The reports of candidate and champion that the gate used."""
    before: Estimate | None = None
    after: Estimate | None = None
    champion: str
    """The champion after the decision."""


class RoundEnd(Struct, frozen=True, kw_only=True):
    why: str = ""
    """Why no round follows until something changes. Empty if one can follow."""
    champion: str
    data: int
    """Number of labels and datasets at the end."""
    seconds: float
    dollars: float
    when: str


class Round(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A round with the steps that are stored so far. Each field after `number` is stored as a document of that name."""

    loop: str
    number: int
    begun: RoundStart | None = None
    dug: MiningResult | None = None
    before: RoundEvaluation | None = None
    chosen: ChosenFix | None = None
    made: Candidate | None = None
    after: RoundEvaluation | None = None
    decided: Outcome | None = None
    over: RoundEnd | None = None

    @property
    def verdict(self) -> str:
        return self.decided.verdict if self.decided else ""


def rounds_of(ws: WorkspaceFolder, loop: str) -> list[Round]:
    """The rounds of a loop, oldest first."""
    steps: dict[int, dict[str, Any]] = {}
    for one in ws.store.bodies("round"):
        owner, number, step = one.id.rsplit("/", 2)
        if owner == loop:
            steps.setdefault(int(number), {})[step] = codec.decode(one.body, dict)
    rounds = [{"loop": loop, "number": number, **stored} for number, stored in sorted(steps.items())]
    return msgspec.convert(rounds, list[Round])


def exit_code(rounds: list[Round]) -> int:
    """The exit code of the last verdict of the gate. If the gate was never asked: 0 if the champion is good enough, otherwise
    3 (need more data)."""
    verdicts = [one.verdict for one in rounds if one.verdict]
    if verdicts:
        return EXIT[verdicts[-1]]
    last = rounds[-1].over if rounds else None
    return 0 if last is not None and last.why.startswith(GOOD) else EXIT["NEED MORE DATA"]


GOOD = "the champion is good enough"
"""Prefix of the reason if there is nothing to do."""


class Paused(VerigymError):
    """The round is paused: the budget is spent, or mined tasks need a review."""


class RoundLog:
    """The current round: runs each step once and counts its cost."""

    def __init__(self, ws: WorkspaceFolder, loop: Loop, number: int) -> None:
        self.ws, self.loop, self.number = ws, loop, number
        stored = ws.store.metrics(_clock(loop)).get(number, {})
        self.seconds, self.dollars = stored.get("seconds", 0.0), stored.get("dollars", 0.0)
        self._others = spent(ws, loop, besides=number)
        self._last = self._saved = time.monotonic()

    def once(self, step: str, kind: type[T], make: Callable[[], T], *, free: bool = False) -> T:
        """The result of a step. Runs the step if it is not stored yet and the budget allows it (`free` needs no budget)."""
        id = f"{self.loop.id}/{self.number:03}/{step}"
        stored = self.ws.store.get("round", id, kind)
        if stored is not None:
            return stored
        if not free:
            self.check()
        result = make()
        self.tick(save=True)
        self.ws.store.put("round", id, result)
        return result

    def check(self) -> None:
        """Raises `Paused` if the budget is spent."""
        self.tick()
        used = BudgetUse(self._others.seconds + self.seconds, self._others.dollars + self.dollars)
        if why := over_budget(self.loop, used):
            raise Paused(why)

    def tick(self, dollars: float = 0.0, save: bool = False) -> None:
        """Counts the time since the last call, and `dollars` for episodes."""
        now = time.monotonic()
        seconds, self._last = now - self._last, now
        self.seconds += seconds
        self.dollars += dollars + seconds * self.loop.recipe.budget.dollars_per_hour / 3600
        if save or now - self._saved > _SAVED_S:
            used = {"seconds": self.seconds, "dollars": self.dollars}
            self.ws.store.add_metrics(_clock(self.loop), self.number, used)
            self._saved = now

    def watched(self, bars: Bars) -> Bars:
        """The same progress bars, which also count time and the cost of episodes."""

        @contextmanager
        def counted(what: str) -> Any:
            with bars(what) as bar:
                paid = 0.0

                def on_progress(progress: Any) -> None:
                    nonlocal paid
                    paid = min(paid, progress.cost)  # a new run begins at 0
                    self.tick(progress.cost - paid)
                    paid = progress.cost
                    bar(progress)

                yield on_progress

        return counted


class BudgetUse(NamedTuple):
    seconds: float
    dollars: float


def spent(ws: WorkspaceFolder, loop: Loop, besides: int = 0) -> BudgetUse:
    """Time and money spent over all rounds, or all but the round `besides`."""
    uses = [used for number, used in ws.store.metrics(_clock(loop)).items() if number != besides]
    return BudgetUse(sum(used["seconds"] for used in uses), sum(used["dollars"] for used in uses))


def over_budget(loop: Loop, used: BudgetUse) -> str:
    """A message if the budget is spent. Empty if some is left."""
    budget, hours = loop.recipe.budget, used.seconds / 3600
    if budget.hours is not None and hours >= budget.hours:
        return f"the budget of {budget.hours:g} hours is spent ({hours:.2f}). Raise budget.hours and repeat the command to resume"
    if budget.dollars is not None and used.dollars >= budget.dollars:
        return (
            f"the budget of ${budget.dollars:g} is spent (${used.dollars:.2f}). "
            "Raise budget.dollars and repeat the command to resume"
        )
    return ""


def _clock(loop: Loop) -> str:
    return f"loop/{loop.id}"
