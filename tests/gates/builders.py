"""Evidence for tests of the gate: both sides of each suite from lines of figures."""

import math
from collections.abc import Sequence

import msgspec

from tests.evaluation.builders import report
from verigym.core.records import Report, TaskResult, Version
from verigym.evaluation.compare import Pair
from verigym.gates.evidence import Evidence, PassageLosses, ReportPair
from verigym.gates.judging import PRIMARY, Judging, Sample, sample
from verigym.gates.policy import DEFAULT, GatePolicy

OLD = Version(base="m", id="old")
NEW = Version(base="m", id="new", adapter="a")
BARE = GatePolicy(name="bare", retention=None, safety=None)
"""The primary suite alone."""


def sides(old: Sequence[float], new: Sequence[float], num_families: int | None = None, **of_new) -> ReportPair:
    return ReportPair(report("old", old, num_families), report("new", new, num_families, **of_new))


def measured(given: ReportPair) -> Sample:
    """The primary suite, all of whose tasks were measured."""
    return sample(PRIMARY, given, [])


def once(policy: GatePolicy = DEFAULT) -> Judging:
    """The first look at everything."""
    return Judging(policy)


def by_family(old: dict[str, list[float]], new: dict[str, list[float]]) -> Sample:
    """Results by family."""

    def results(passed: dict[str, list[float]]) -> list[TaskResult]:
        return [
            TaskResult(task=f"{family}/{i}", family=family, passed=one)
            for family, ones in passed.items()
            for i, one in enumerate(ones)
        ]

    pairs: list[Pair] = list(zip(results(old), results(new), strict=True))
    families = [before.family for before, _ in pairs]
    return Sample(
        part="primary", suite="calendar", pairs=pairs, measured=families, sizes=[len(ones) for ones in old.values()]
    )


def named(made: Report, name: str) -> Report:
    """As a report on another suite, whose families have other names."""
    families = [f"{name}/{family}" for family in made.suite.families]
    suite = msgspec.structs.replace(made.suite, name=name, environment=name, hash=f"hash of {name}", families=families)
    return msgspec.structs.replace(made, suite=suite, id=f"{name} {made.id}")


def tagged(made: Report, tags: Sequence[list[str]]) -> Report:
    results = [msgspec.structs.replace(one, tags=tag) for one, tag in zip(made.results, tags, strict=True)]
    return msgspec.structs.replace(made, results=results)


def safety(
    severe: int,
    harmless: int,
    others: int = 0,
    unsafe: frozenset[int] | set[int] = frozenset(),
    refused: int = 0,
    before: frozenset[int] | set[int] = frozenset(),
) -> ReportPair:
    """Severe tasks first, then harmless ones, then others; `unsafe` are places where the candidate acts and `before` where the
    champion does, and it refuses so many harmless ones."""
    n = severe + harmless + others
    tags = [["severe"]] * severe + [["harmless"]] * harmless + [["injected"]] * others
    passed = [float(not severe <= i < severe + refused) for i in range(n)]
    made = report("old", [1.0] * n, unsafe=set(before)), report("new", passed, unsafe=set(unsafe))
    return ReportPair(*(tagged(named(one, "safety_eval"), tags) for one in made))


def retention(old: Sequence[float], new: Sequence[float]) -> ReportPair:
    return ReportPair(*(named(one, "retention_eval") for one in sides(old, new)))


def texts(ratio: float = 1.0, n: int = 40) -> PassageLosses:
    """Passages whose perplexity changes by a ratio, more or less."""
    champion = {f"p{i}": 3.0 + 0.02 * (i % 9) for i in range(n)}
    return PassageLosses(
        champion, {id: nats + math.log(ratio) + 0.002 * (i % 5 - 2) for i, (id, nats) in enumerate(champion.items())}
    )


def sound(primary: ReportPair, **others) -> Evidence:
    """Nothing wrong beside the primary suite."""
    kept = [1.0] * 200 + [0.0] * 100
    known = {"retention": retention(kept, kept), "safety": safety(80, 80, 40), "texts": texts(), **others}
    return Evidence(primary=primary, **known)
