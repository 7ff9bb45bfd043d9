"""How often the whole gate promotes: versions that deserve it (power) and versions that do not (at most 5% of experiments).

Each experiment draws a champion and a candidate on a primary suite, on the shipped retention and safety suites in the policy's
sizes (their families and tags; the outcomes are drawn) and on 60 passages, and asks the gate, all checks together. Where nothing
is said, two equal versions disagree on 20% of primary tasks (of families of 3) and on 3% of the others.

    python bench/gate.py            # 2,000 experiments of each that must not pass, 500 of others: half an hour
    python bench/gate.py --quick    # 60
"""

import functools
import math
import random
from collections.abc import Iterator, Sequence

import msgspec
from figures import Figure, figure, finish, parser

from verigym.core.records import Report, Suite, Task, TaskResult, Version
from verigym.environments.load import load_environment
from verigym.gates.decide import decide
from verigym.gates.evidence import Evidence, PassageLosses, ReportPair
from verigym.gates.policy import DEFAULT, QUICK, GatePolicy
from verigym.workspace import measure as stages

Row = tuple[TaskResult, TaskResult]
"""Champion's and candidate's."""
CHAMPION, CANDIDATE = Version(base="m", id="old"), Version(base="m", id="new", adapter="a")


class World(msgspec.Struct, frozen=True, kw_only=True):
    """What is true of the candidate, and how it is looked at."""

    tasks: int = 240
    family: int = 3
    """Tasks of one family."""
    gain: float = 0.0
    """Of success on the primary suite; the champion passes half."""
    disagree: float = 0.2
    """Share of tasks on which two equal versions come out differently."""
    taste: float = 0.0
    """By which each version is better or worse at a family, at random: a clustered difference that is none on average."""
    unsafe: float = 0.0
    """Share of tasks with an unsafe action, of the candidate; the champion has none."""
    forgets: float = 0.0
    """Loss of success on the retention suite; the champion passes 80%."""
    over_refuses: float = 0.0
    slower: float = 1.0
    """Times as many seconds."""
    perplexity: float = 1.0


def experiment(world: World, policy: GatePolicy, draw: random.Random) -> Evidence:
    retention, safety = policy.retention, policy.safety
    return Evidence(
        primary=_primary(world, draw),
        retention=_sides(
            "retention_eval",
            [_equal(task, 0.8, world.forgets, draw) for task in shipped("retention", retention.tasks)],
        )
        if retention
        else None,
        safety=_sides("safety_eval", [_safety(task, world, draw) for task in shipped("safety", safety.tasks)])
        if safety
        else None,
        texts=_texts(world, draw),
    )


@functools.cache
def shipped(environment: str, n: int | None) -> list[Task]:
    return stages.suite_of(load_environment(environment), "val", n)[1]


def promoted(world: World, policy: GatePolicy, times: int, seed: int = 0) -> float:
    """Share of experiments that end in PROMOTE."""
    draw = random.Random(seed)
    return (
        sum(
            decide(CANDIDATE, CHAMPION, experiment(world, policy, draw), policy).verdict == "PROMOTE"
            for _ in range(times)
        )
        / times
    )


def _primary(world: World, draw: random.Random) -> ReportPair:
    rows: list[Row] = []
    rate, tastes = 0.5, [0.0, 0.0]
    apart = min(1.0, world.disagree / 0.4)  # the mean of 2 p (1 - p) over these rates is 0.4
    for place in range(world.tasks):
        if place % world.family == 0:
            rate = draw.betavariate(2, 2)
            tastes = [draw.choice((-world.taste, world.taste)) for _ in range(2)]
        first = draw.random() < rate + tastes[0]
        second = first if world.taste == 0 and draw.random() > apart else draw.random() < rate + tastes[1]
        if draw.random() < 2 * abs(world.gain):
            second = world.gain > 0
        id, of, seconds = f"t{place}", f"f{place // world.family}", draw.lognormvariate(0, 0.5)
        later = seconds * world.slower * draw.lognormvariate(0, 0.2)
        acts = draw.random() < world.unsafe
        rows.append((_result(id, of, first, seconds), _result(id, of, second, later, unsafe=acts)))
    return _sides("primary", rows)


def _equal(task: Task, rate: float, loss: float, draw: random.Random) -> Row:
    """Two that disagree on 3% of tasks, half of them each way, and on `loss` more to the candidate's harm."""
    first = draw.random() < rate
    second = draw.random() >= (0.015 + loss) / rate if first else draw.random() < 0.015 / (1 - rate)
    return _result(task.id, task.family, first, tags=task.tags), _result(task.id, task.family, second, tags=task.tags)


def _safety(task: Task, world: World, draw: random.Random) -> Row:
    if "harmless" in task.tags:
        return _equal(task, 0.9, world.over_refuses, draw)
    acts = draw.random() < world.unsafe
    return (
        _result(task.id, task.family, True, tags=task.tags),
        _result(task.id, task.family, not acts, unsafe=acts, tags=task.tags),
    )


def _texts(world: World, draw: random.Random) -> PassageLosses:
    champion = {f"p{place}": draw.gauss(3.0, 0.3) for place in range(60)}
    return PassageLosses(
        champion, {id: nats + math.log(world.perplexity) + draw.gauss(0, 0.02) for id, nats in champion.items()}
    )


def _result(
    task: str, family: str, passed: bool, seconds: float = 1.0, unsafe: bool = False, tags: Sequence[str] = ()
) -> TaskResult:
    return TaskResult(
        task=task,
        family=family,
        passed=float(passed),
        reward=float(passed),
        rates={"unsafe": float(unsafe), "valid": 1.0},
        tags=list(tags),
        latency_s=seconds,
    )


def _sides(name: str, rows: list[Row]) -> ReportPair:
    suite = Suite(
        name=name,
        environment=name,
        tasks=[one.task for one, _ in rows],
        families=sorted({one.family for one, _ in rows}),
        verifier="v@1",
        hash=name,
    )
    return ReportPair(
        *(
            Report(
                id=f"{name} of {agent}", run="", agent=agent, suite=suite, metrics={}, results=list(results), buckets={}
            )
            for agent, results in zip(("old", "new"), zip(*rows, strict=True), strict=True)
        )
    )


BAD = {
    "no difference": World(),
    "no difference, 10 families of 24": World(family=24),
    "no difference, each version good at other families (20 of 12)": World(family=12, taste=0.2),
    "no difference but 3% unsafe": World(unsafe=0.03),
    "5 points worse": World(gain=-0.05),
    "+15 points, unsafe at the margin": World(gain=0.15, unsafe=0.05),
    "+15 points, forgets 3 points of retention": World(gain=0.15, forgets=0.03),
    "+15 points, over-refuses 10 points more": World(gain=0.15, over_refuses=0.10),
    "+15 points, 1.5 times as slow": World(gain=0.15, slower=1.5),
    "+15 points, perplexity 1.05 times": World(gain=0.15, perplexity=1.05),
}
"""None of these may be promoted in more than 5% of experiments: no better, or damage at a margin."""


def figures(quick: bool) -> Iterator[Figure]:
    bad, good = (60, 60) if quick else (2000, 500)
    for name, world in BAD.items():
        goal = "" if quick else "<= 0.05"  # too few say nothing about 5%
        yield figure(f"gate, no cause: {name}", promoted(world, DEFAULT, bad), "share promoted", goal)
    policies = [DEFAULT, QUICK, GatePolicy(name="primary suite alone", retention=None, safety=None)]
    for policy in policies:
        for tasks in (240,) if quick else (120, 240, 500, 1000):
            for gain in (0.10,) if quick else (0.05, 0.10, 0.20):
                share = promoted(World(tasks=tasks, gain=gain), policy, good)
                name = f"gate, {policy.name}: +{100 * gain:.0f} points, {tasks} tasks"
                yield figure(name, share, "share promoted")


def main() -> None:
    args = parser(__doc__).parse_args()
    finish(list(figures(args.quick)), args)


if __name__ == "__main__":
    main()
