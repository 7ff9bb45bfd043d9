"""What a loop remembers: each step of a round as a document that is written once, and the time and money spent.

A step that is known is not done again, so a loop that was killed goes on with the next one, and a round that is over stays as
it was. What the steps do is `loop`'s.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal, NamedTuple, TypeVar

from msgspec import Struct

from verigym.core import codec
from verigym.core.errors import VerigymError
from verigym.core.records import Estimate, Json
from verigym.flywheel.loop_recipe import Fix, Loop
from verigym.gates.decide import EXIT
from verigym.workspace.measure import OnProgress
from verigym.workspace.workspace import WorkspaceFolder

T = TypeVar("T", bound=Struct)
_SAVED_S = 2.0
"""Seconds of work that a kill can lose from the count."""


class RoundStart(Struct, frozen=True, kw_only=True):
    champion: str
    """Version that the round starts from."""
    traces: dict[str, int]
    """Runs of production traces, and how many each held then."""
    feedback: int
    """How much there was on them."""
    when: str
    """UTC, ISO 8601."""


class MiningResult(Struct, frozen=True, kw_only=True):
    """What mining came to."""

    environment: str
    """With what was mined so far, by a file that is the round's own: `toolcall+FILE.jsonl`."""
    train: int = 0
    """Tasks that are new."""
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
    """What was advised, the lightest first."""
    environment: str
    """Whose training tasks were looked at."""
    fix: Fix | None = None
    """What is tried; none where nothing is."""
    why: str = ""
    version: str = ""
    """Of a prompt or a constraint, the version that was tried on training tasks."""
    recipe: Json = {}
    """Of training."""


class Candidate(Struct, frozen=True, kw_only=True):
    version: str
    run: str = ""
    """That trained it."""


class Outcome(Struct, frozen=True, kw_only=True):
    verdict: Literal["PROMOTE", "REJECT", "NEED MORE DATA", ""]
    """Empty where there was nothing to ask the gate."""
    words: str
    reports: list[str] = []
    """Candidate's and champion's that decided it."""
    before: Estimate | None = None
    after: Estimate | None = None
    champion: str
    """After it."""


class RoundEnd(Struct, frozen=True, kw_only=True):
    why: str = ""
    """Why no round follows this one, until there is something new; empty where one may."""
    champion: str
    data: int
    """Labels and data sets that there were."""
    seconds: float
    dollars: float
    when: str


_STEPS: dict[str, type[Struct]] = {
    "begun": RoundStart,
    "dug": MiningResult,
    "before": RoundEvaluation,
    "chosen": ChosenFix,
    "made": Candidate,
    "after": RoundEvaluation,
    "decided": Outcome,
    "over": RoundEnd,
}


class Round(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A round as far as it went."""

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
    """Oldest first."""
    steps: dict[int, dict[str, Any]] = {}
    for one in ws.store.bodies("round"):
        owner, number, step = one.id.rsplit("/", 2)
        if owner == loop:
            steps.setdefault(int(number), {})[step] = codec.decode(one.body, _STEPS[step])
    return [Round(loop=loop, number=number, **done) for number, done in sorted(steps.items())]


def exit_code(rounds: list[Round]) -> int:
    """That of the last answer of the gate. Where it was never asked: 0 when nothing had to be done, else 3, as something is
    missing."""
    verdicts = [one.verdict for one in rounds if one.verdict]
    if verdicts:
        return EXIT[verdicts[-1]]
    last = rounds[-1].over if rounds else None
    return 0 if last is not None and last.why.startswith(GOOD) else EXIT["NEED MORE DATA"]


GOOD = "the champion is good enough"
"""How the reason begins where there is nothing to do."""


class Paused(VerigymError):
    """The round waits where it is: the budget is used up, or somebody has to look at something."""


class RoundLog:
    """The round that is going on: its steps, each done once, and what it costs."""

    def __init__(self, ws: WorkspaceFolder, loop: Loop, number: int) -> None:
        self.ws, self.loop, self.number = ws, loop, number
        known = ws.store.metrics(_clock(loop)).get(number, {})
        self.seconds, self.dollars = known.get("seconds", 0.0), known.get("dollars", 0.0)
        self._others = spent(ws, loop, besides=number)
        self._last = self._saved = time.monotonic()

    def once(self, step: str, kind: type[T], make: Callable[[], T], *, free: bool = False) -> T:
        """What this step came to; it is taken only where that is not known yet, and there is budget for it or it is free."""
        id = f"{self.loop.id}/{self.number:03}/{step}"
        known = self.ws.store.get("round", id, kind)
        if known is not None:
            return known
        if not free:
            self.check()
        made = make()
        self.tick(save=True)
        self.ws.store.put("round", id, made)
        return made

    # -- what it costs ------------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Raises `Paused` where the budget is used up."""
        self.tick()
        used = BudgetUse(self._others.seconds + self.seconds, self._others.dollars + self.dollars)
        if words := over_budget(self.loop, used):
            raise Paused(words)

    def tick(self, dollars: float = 0.0, save: bool = False) -> None:
        now = time.monotonic()
        price = self.loop.recipe.budget.dollars_per_hour / 3600
        self.dollars += dollars + (now - self._last) * price
        self.seconds += now - self._last
        self._last = now
        if save or now - self._saved > _SAVED_S:
            self.ws.store.add_metrics(
                _clock(self.loop), self.number, {"seconds": self.seconds, "dollars": self.dollars}
            )
            self._saved = now

    def watched(
        self, bars: Callable[[str], AbstractContextManager[OnProgress]]
    ) -> Callable[[str], AbstractContextManager[OnProgress]]:
        """The same bars, counted: time, and what the episodes cost."""

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
    """Over all rounds, or all but one."""
    kept = [one for number, one in ws.store.metrics(_clock(loop)).items() if number != besides]
    return BudgetUse(sum(one["seconds"] for one in kept), sum(one["dollars"] for one in kept))


def over_budget(loop: Loop, used: BudgetUse) -> str:
    """What is used up, in words; empty where there is some left."""
    budget, hours = loop.recipe.budget, used.seconds / 3600
    if budget.hours is not None and hours >= budget.hours:
        return f"the budget of {budget.hours:g} hours is spent ({hours:.2f}); raise budget.hours, and the same command goes on"
    if budget.dollars is not None and used.dollars >= budget.dollars:
        return (
            f"the budget of ${budget.dollars:g} is spent (${used.dollars:.2f}); raise budget.dollars, and the same command "
            "goes on"
        )
    return ""


def _clock(loop: Loop) -> str:
    return f"loop/{loop.id}"
