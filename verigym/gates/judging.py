"""What the checks of the gate share: the tasks measured so far, the looks of each question, and what to measure next.

A question is looked at as tasks come in. Each look spends a part of the question's risk (`evaluation.sequential`), and a question
that is settled takes no more tasks. The looks are stored in the checks of a decision, so a later gate of the same two versions
goes on where this one stopped.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from verigym.core.records import Check, Look, Task
from verigym.evaluation import sequential
from verigym.evaluation.compare import Pair, scored_pairs
from verigym.evaluation.suites import family_of
from verigym.gates.evidence import ReportPair
from verigym.gates.policy import GatePolicy, Regressions

SEVERE, HARMLESS = "severe", "harmless"
"""Tags of the safety suite: an unsafe action there does great damage; there is nothing to refuse."""
FIRST_LOOK = 40
"""Tasks of the first look at the primary suite."""


class Part(Struct, frozen=True, kw_only=True):
    """Tasks of a suite that answer one question."""

    name: str
    suite: str
    """primary, safety, retention or regressions."""
    keep: Callable[[Sequence[str]], bool] = lambda tags: True
    """Whether a task with these tags belongs to it."""
    single: bool = False
    """One task of each family, so that all tasks are independent."""

    def tasks(self, order: Sequence[Task]) -> list[Task]:
        """Its tasks, in the order in which they are measured."""
        kept = [task for task in order if self.keep(task.tags)]
        return list({family_of(task): task for task in reversed(kept)}.values())[::-1] if self.single else kept


PRIMARY = Part(name="primary", suite="primary")
RETENTION = Part(name="retention", suite="retention", single=True)
HARMFUL = Part(name="harmful", suite="safety", keep=lambda tags: HARMLESS not in tags, single=True)
SEVERE_TASKS = Part(name="severe", suite="safety", keep=lambda tags: SEVERE in tags)
HARMLESS_TASKS = Part(name="harmless", suite="safety", keep=lambda tags: HARMLESS in tags, single=True)
REGRESSION_TASKS = Part(name="regressions", suite="regressions")
PARTS = {part.name: part for part in (PRIMARY, RETENTION, HARMFUL, SEVERE_TASKS, HARMLESS_TASKS, REGRESSION_TASKS)}


class Sample(Struct, frozen=True, kw_only=True):
    """What was measured of a part."""

    part: str
    suite: str
    """Name of the suite."""
    pairs: Sequence[Pair]
    """Results of the tasks that the question is about."""
    measured: Sequence[str]
    """Family of each task that was measured, those included that could not be scored."""
    sizes: Sequence[int]
    """Number of tasks of each family that can be measured, those measured included."""
    left: frozenset[str] = frozenset()
    """Families of the tasks that were not measured."""

    @property
    def families(self) -> list[str]:
        return [old.family for old, _ in self.pairs]

    @property
    def total(self) -> int:
        return sum(self.sizes)

    @property
    def used_up(self) -> bool:
        return len(self.measured) >= self.total

    @property
    def information(self) -> float:
        """Share of what all tasks can tell."""
        return 1.0 if self.used_up else sequential.information_share(self.measured, self.sizes)


def sample(part: Part, sides: ReportPair, order: Sequence[Task], most: int | None = None) -> Sample:
    """`order` holds all tasks of the suite in the order in which they are measured; empty if those measured are all. `most` of
    them are asked for."""
    pairs = [pair for pair in scored_pairs(*sides) if part.keep(pair[0].tags)]
    if order:
        wanted = {task.id: family_of(task) for task in part.tasks(order)[:most]}
        pairs = [pair for pair in pairs if pair[0].task in wanted]
        measured = [wanted[one.task] for one in sides.candidate.results if one.task in wanted]
        sizes = Counter(wanted.values())
        done = {one.task for one in sides.candidate.results}
        left = frozenset(family for task, family in wanted.items() if task not in done)
    else:
        if part.single:
            pairs = list({pair[0].family: pair for pair in reversed(pairs)}.values())[::-1]
        measured = [old.family for old, _ in pairs]
        sizes, left = Counter(measured), frozenset()
    return Sample(
        part=part.name,
        suite=sides.candidate.suite.name,
        pairs=pairs,
        measured=measured,
        sizes=list(sizes.values()),
        left=left,
    )


class Judging:
    """One look of the gate: the policy, the checks of earlier looks, and what the questions still want."""

    def __init__(self, policy: GatePolicy, earlier: Mapping[str, Check] = {}, turn: int = 1) -> None:
        self.policy = policy
        self.turn = turn
        """1 for the first test on these families, 2 for the second, ..."""
        self.wanted: dict[str, int] = {}
        """Part to the number of tasks that its questions want for the next look."""
        self.waiting: set[str] = set()
        """Names of the checks that the next look may settle."""
        self.retried: set[str] = set()
        """Names of the checks that the next look may settle if there is one. They ask for none."""
        self._earlier = earlier

    def settled(self, name: str, margin: float | None = None) -> Check | None:
        """The check of an earlier look that settled this question."""
        known = self._known(name, margin)
        return known if known is not None and known.looks and known.outcome in ("pass", "fail") else None

    def looks(self, name: str, margin: float | None = None) -> list[Look]:
        """The earlier looks at a question. With another margin it is another question."""
        known = self._known(name, margin)
        return list(known.looks) if known is not None else []

    def _known(self, name: str, margin: float | None) -> Check | None:
        known = self._earlier.get(name)
        return known if known is not None and margin in (None, known.margin) else None

    def look(
        self, looks: list[Look], tasks: int, information: float, spent: Callable[[float], float]
    ) -> tuple[list[Look], Look]:
        """The earlier looks of a question and the one at `tasks`. The same tasks looked at again are the same look. More tasks
        that tell no more than was told before are none: its boundary is 0."""
        last = looks[-1] if looks else None
        if last is None or information > last.information:
            risk = spent(information)
            return looks, Look(tasks, information, risk, sequential.next_level(looks, information, risk))
        if tasks <= last.tasks:
            return looks[:-1], last
        return looks, Look(tasks, last.information, last.spent, 0.0)

    def guard_look(self, name: str, margin: float, sample: Sample) -> tuple[list[Look], Look]:
        """A look at a guardrail. If families were added after all had been measured, the boundary of the last look is used
        once more."""
        looks = self.looks(name, margin)
        tasks, alpha = len(sample.pairs), self.policy.alpha
        looks, look = self.look(looks, tasks, sample.information, lambda share: sequential.spent_early(alpha, share))
        if looks and not look.boundary and sample.used_up:
            look = Look(tasks, 1.0, looks[-1].spent + looks[-1].boundary, looks[-1].boundary)
        return looks, look

    def want_more(self, name: str, sample: Sample, first: int = FIRST_LOOK) -> bool:
        """Asks for the next look at a question. False if there are no more tasks. The next look has more tasks than this one,
        so the gate comes to an end."""
        if sample.used_up:
            return False
        self.waiting.add(name)
        sizes = sequential.look_sizes(min(first, max(1, len(sample.sizes) // 2)), sample.sizes)
        size = next((n for n in sizes if n > len(sample.measured)), sample.total)
        self.wanted[sample.part] = min(size, self.wanted.get(sample.part, size))
        return True


def first_sizes(orders: Mapping[str, Sequence[Task]], policy: GatePolicy) -> dict[str, int]:
    """Part to its number of tasks at the first look. Suites without tasks are left out."""
    sizes: dict[str, int] = {}
    for part, margin, most in _asked_parts(policy):
        tasks = part.tasks(orders.get(part.suite, ()))[:most]
        if not tasks:
            continue
        if part is REGRESSION_TASKS:
            sizes[part.name] = len(tasks)
            continue
        if part is SEVERE_TASKS:
            assert policy.safety is not None
            sizes[part.name] = min(len(tasks), policy.safety.min_severe)
            continue
        families = list(Counter(family_of(task) for task in tasks).values())
        if margin is None:
            first = min(FIRST_LOOK, max(1, len(families) // 2))
        else:
            first = sequential.first_that_passes(margin, len(tasks), policy.alpha)
        sizes[part.name] = sequential.look_sizes(first, families)[0]
    return sizes


def largest_sizes(orders: Mapping[str, Sequence[Task]], policy: GatePolicy) -> dict[str, int]:
    """Part to the number of tasks that the gate measures at most."""
    return {
        part.name: len(part.tasks(orders.get(part.suite, ()))[:most])
        if part is not SEVERE_TASKS
        else first_sizes(orders, policy).get(part.name, 0)
        for part, _, most in _asked_parts(policy)
        if orders.get(part.suite)
    }


def _asked_parts(policy: GatePolicy) -> list[tuple[Part, float | None, int | None]]:
    """The parts that a policy asks for, each with its margin and its maximum number of tasks."""
    parts: list[tuple[Part, float | None, int | None]] = [(PRIMARY, None, None)]
    if policy.retention is not None:
        parts.append((RETENTION, policy.retention.margin, policy.retention.tasks))
    if policy.safety is not None:
        parts.append((HARMFUL, policy.safety.margin, policy.safety.tasks))
        parts.append((SEVERE_TASKS, None, None))
        parts.append((HARMLESS_TASKS, policy.safety.over_refusal, policy.safety.tasks))
    if isinstance(policy.regressions, Regressions):
        parts.append((REGRESSION_TASKS, None, None))
    return parts


def tasks_to_measure(suite: str, order: Sequence[Task], sizes: Mapping[str, int]) -> list[Task]:
    """The tasks of a suite that its parts want, in the order in which they are measured."""
    ids = {
        task.id
        for name, size in sizes.items()
        if PARTS[name].suite == suite
        for task in PARTS[name].tasks(order)[:size]
    }
    return [task for task in order if task.id in ids]
