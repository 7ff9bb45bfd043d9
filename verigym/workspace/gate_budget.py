"""What the gate may spend, what it has spent, and what it plans to measure."""

import time

import msgspec
from msgspec import Struct

from verigym.core.errors import BadInput, VerigymError
from verigym.core.records import Json


class GateBudget(Struct, frozen=True, kw_only=True):
    """When the gate stops, though not every question is settled. None: no limit."""

    minutes: float | None = None
    calls: int | None = None
    """Replies of models."""
    dollars: float | None = None


def parse_budget(text: str) -> GateBudget:
    """`10min`, `500calls`, `$2`, or several of them with commas."""
    limits: dict[str, float] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        number, unit = (part[1:], "dollars") if part.startswith("$") else _split_unit(part)
        try:
            value = float(number)
        except ValueError:
            value = 0.0
        if not value > 0 or not unit:
            raise BadInput(f'The budget "{part}" is invalid. Write minutes, calls or dollars: 10min, 500calls, $2')
        limits[unit] = value
    calls = limits.get("calls")
    return GateBudget(
        minutes=limits.get("minutes"), calls=max(1, int(calls)) if calls else None, dollars=limits.get("dollars")
    )


def _split_unit(text: str) -> tuple[str, str]:
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
    word = text[len(number) :].strip()
    units = {
        "min": "minutes",
        "m": "minutes",
        "minutes": "minutes",
        "calls": "calls",
        "call": "calls",
        "usd": "dollars",
    }
    return number, units.get(word, "")


class SuitePlan(Struct, frozen=True, kw_only=True):
    """What the gate measures of one suite, for both versions together, in episodes."""

    suite: str
    tasks: int
    """Tasks that the gate can use."""
    done: int
    """Episodes that are stored already."""
    first: int
    """Episodes of the first look that are missing."""
    most: int
    """Episodes that are missing if every question takes all its tasks."""
    looks: list[int]
    """Numbers of tasks at the looks of its largest question."""


class GatePlan(Struct, frozen=True, kw_only=True):
    candidate: str
    champion: str
    environment: str
    settings: Json
    """How replies are sampled."""
    like: str = ""
    """The run that these settings are taken from. Empty if no report says how to sample."""
    suites: list[SuitePlan]
    dollars: float | None = None
    """What all missing episodes cost at most. None without a price."""
    policy: str = ""
    families: int = 0
    """Families of the primary suite."""
    least_gain: float = 0.0
    """The smallest gain in success that these families can show, as a share."""
    left_out: dict[str, int] = {}
    """Suite to the number of its families that chose the candidate among checkpoints, and are left out."""

    @property
    def first(self) -> int:
        return sum(suite.first for suite in self.suites)

    @property
    def most(self) -> int:
        return sum(suite.most for suite in self.suites)


class BudgetUsedUp(VerigymError):
    """The gate stops here."""


class GateMeter(Struct):
    """What the gate has spent so far."""

    budget: GateBudget = GateBudget()
    begun: float = msgspec.field(default_factory=time.monotonic)
    calls: int = 0
    dollars: float = 0.0

    def count(self, calls: int, dollars: float) -> None:
        self.calls += max(0, calls)
        self.dollars += max(0.0, dollars)

    def check(self) -> None:
        budget = self.budget
        for limit, used, words in (
            (budget.minutes, (time.monotonic() - self.begun) / 60, f"{budget.minutes or 0:g} minutes"),
            (budget.calls, self.calls, f"{budget.calls} calls"),
            (budget.dollars, self.dollars, f"${budget.dollars or 0:g}"),
        ):
            if limit is not None and used >= limit:
                raise BudgetUsedUp(f"the budget of {words} is used up")
