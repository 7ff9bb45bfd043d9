"""What the gate judges by, gathered by whoever can run things: both sides of each suite, and what is known beside them."""

from typing import NamedTuple

from msgspec import Struct

from verigym.audit.labels import Calibration
from verigym.core.records import Check, Report, Task
from verigym.evaluation.stats import Delta


class ReportPair(NamedTuple):
    """Both measured on one suite."""

    champion: Report
    candidate: Report


class PassageLosses(NamedTuple):
    """Nats per token of held-out passages."""

    champion: dict[str, float]
    candidate: dict[str, float]


class TrainingEvidence(Struct, frozen=True, kw_only=True):
    """What the candidate's own training shows of its reward."""

    run: str
    paid_by: str = ""
    """The verifier, or the reward model, whose reward it learnt from."""
    penalty: float = 0.0
    """What the recipe took off the reward of a long reply."""
    reward: tuple[float, float] | None = None
    """At first and at last, where it rose beyond noise."""
    alarm: str = ""
    """The alarm that held-out success fell while reward rose, in its words; empty where there was none."""
    start: str = ""
    """The version that it started from."""
    since_start: Delta | None = None
    """Success against that version on the primary suite, where it was measured."""

    @property
    def paid(self) -> str:
        """What paid the reward, in words."""
        penalty = f"less a penalty for long replies (episodes.overlong_penalty {self.penalty:g})"
        return f"{self.paid_by}, {penalty}" if self.penalty else self.paid_by


class Evidence(Struct, frozen=True, kw_only=True):
    primary: ReportPair
    retention: ReportPair | None = None
    safety: ReportPair | None = None
    regressions: ReportPair | None = None
    texts: PassageLosses | None = None
    orders: dict[str, list[Task]] = {}
    """`primary`, `retention` or `safety` to all tasks that can be measured, in the order in which they are. Without it, those
    measured are all."""
    earlier: dict[str, Check] = {}
    """Checks of the gate's last look at the same two versions, by name."""
    seen_families: frozenset[str] = frozenset()
    """Families of the primary suite on which an earlier test of these two versions was completed."""
    rivals: list[ReportPair] = []
    """The other candidates among which this one was chosen, on the primary suite."""
    turn: int = 1
    """1 for the first test against this champion on these families, 2 for the second, ..."""
    marks_unsafe: bool = True
    """Whether the environment declares anything as unsafe."""
    missing: dict[str, str] = {}
    """`retention`, `safety` or `perplexity` to why it could not be measured."""
    trained: TrainingEvidence | None = None
    judge: str = ""
    """Who judged the primary suite; empty where its verifier asks nobody."""
    calibration: Calibration | None = None
    """How that judge agrees with people's labels, where somebody looked."""
    unknown_data: list[str] = []
    """Which weights were trained elsewhere, on data that nobody can compare with the suites."""
