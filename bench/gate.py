"""How often the gate is right, in drawn worlds whose truth is known. Tasks of one family resemble each other in all of them.

`harm`: damage exactly at the margin passes in at most 5% of draws. `null`: a candidate that is no better is shown to be
better in at most 5%. `repeats`: the same when somebody asks again and again. `whole`: the whole gate, all checks together,
promotes versions that deserve it (power) and no others, with the number of tasks that it measures. `coverage`: 95% intervals
cover the truth. "before" is what the earlier gate did, which measured a fixed number of tasks and could be asked again.

    python bench/gate.py                 # 1,000 draws of each cell, 4,000 with --draws 4000 (hours)
    python bench/gate.py --quick         # 60
    python bench/gate.py --only harm
"""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import Pool

import msgspec
import numpy as np
from figures import Figure, figure, finish, parser

from verigym.core.records import Check, Report, Suite, Task, TaskResult, Version
from verigym.evaluation.stats import clustered_mean, paired_delta
from verigym.evaluation.suites import family_of, in_turn
from verigym.gates import checks
from verigym.gates.decide import LookResult, look
from verigym.gates.evidence import Evidence, PassageLosses, ReportPair
from verigym.gates.judging import PRIMARY, Judging, Sample, first_sizes, sample, tasks_to_measure
from verigym.gates.policy import DEFAULT, QUICK, GatePolicy
from verigym.workspace import measure as stages

Draw = np.random.Generator
Results = dict[str, tuple[TaskResult, TaskResult]]
"""Task to the champion's result and the candidate's."""
CHAMPION, CANDIDATE = Version(base="m", id="old"), Version(base="m", id="new", adapter="a")
ALONE = GatePolicy(name="primary suite alone", retention=None, safety=None)


class World(msgspec.Struct, frozen=True, kw_only=True):
    """What is true of the candidate, and how the tasks are divided."""

    families: str = "82x5"
    """`82x5`: 82 families of 5 tasks. `40 pareto`: 40 families of very unequal sizes."""
    gain: float = 0.0
    """Of success on the primary suite. The champion passes half."""
    taste: float = 0.22
    """Standard deviation of a family's own gain around the mean: each version is good at other families."""
    flips: float = 0.07
    """Share of tasks that change either way besides."""
    unsafe: float = 0.0
    """Share of tasks with an unsafe action of the candidate, on the primary and on the safety suite. The champion has none."""
    alike: float = 0.5
    """Correlation of unsafe actions within a family."""
    forgets: float = 0.0
    """Loss of success on the retention suite."""
    disagree: float = 0.08
    """Share of retention tasks on which two versions that forget nothing differ."""
    over_refuses: float = 0.0
    perplexity: float = 1.0
    attempts: int = 1


@functools.cache
def shipped(environment: str) -> list[Task]:
    return in_turn(stages.suite_of(stages_environment(environment), "val")[1])


@functools.cache
def stages_environment(name: str):  # type: ignore[no-untyped-def]
    from verigym.environments.load import load_environment

    return load_environment(name)


def family_sizes(families: str, draw: Draw) -> list[int]:
    if families.endswith("pareto"):
        return [int(min(60, 2 * (one + 1))) for one in draw.pareto(1.2, int(families.split()[0]))]
    number, size = families.split("x")
    return [int(size)] * int(number)


def primary_tasks(world: World, draw: Draw) -> list[Task]:
    sizes = family_sizes(world.families, draw)
    return [
        Task(id=f"f{family}.{turn}", prompt="", family=f"f{family}", split="val", data={})
        for turn in range(max(sizes))
        for family, size in enumerate(sizes)
        if turn < size
    ]


def family_rates(names: Sequence[str], rate: float, alike: float, draw: Draw) -> dict[str, float]:
    """A rate for each family, so that outcomes within a family correlate as much as `alike`."""
    if rate <= 0 or alike <= 0:
        return dict.fromkeys(names, rate)
    strength = (1 - alike) / alike
    return dict(zip(names, draw.beta(rate * strength, (1 - rate) * strength, len(names)), strict=True))


def draw_primary(world: World, tasks: Sequence[Task], draw: Draw) -> Results:
    names = list(dict.fromkeys(task.family for task in tasks))
    effects = dict(zip(names, np.clip(world.gain + world.taste * draw.normal(size=len(names)), -0.9, 0.9), strict=True))
    unsafe = family_rates(names, world.unsafe, world.alike, draw)
    level = dict(zip(names, draw.beta(2, 2, len(names)), strict=True))
    results: Results = {}
    for task in tasks:
        up = world.flips / 2 + max(effects[task.family], 0)
        down = world.flips / 2 + max(-effects[task.family], 0)
        scale = max(1.0, up + down)
        outcomes = []
        for _ in range(world.attempts):
            place = draw.random()
            both = draw.random() < level[task.family]
            outcomes.append(
                (False, True) if place < up / scale else (True, False) if place > 1 - down / scale else (both, both)
            )
        before, after = (float(sum(one)) / world.attempts for one in zip(*outcomes, strict=True))
        seconds = draw.lognormal(0, 0.5)
        acts = draw.random() < unsafe[task.family]
        results[task.id] = (
            _result(task, before, seconds, repeats=world.attempts),
            _result(task, after, seconds * draw.lognormal(0, 0.2), unsafe=acts, repeats=world.attempts),
        )
    return results


def draw_guard(world: World, tasks: Sequence[Task], rate: float, loss: float, disagree: float, draw: Draw) -> Results:
    """Two versions that differ on `disagree` of the tasks, half of them each way, and on `loss` more to the candidate's harm."""
    results: Results = {}
    for task in tasks:
        before = draw.random() < rate
        after = draw.random() >= (disagree / 2 + loss) / rate if before else draw.random() < disagree / 2 / (1 - rate)
        results[task.id] = _result(task, float(before)), _result(task, float(after))
    return results


def draw_safety(world: World, tasks: Sequence[Task], draw: Draw) -> Results:
    harmless = [task for task in tasks if "harmless" in task.tags]
    results = draw_guard(world, harmless, 0.9, world.over_refuses, world.disagree, draw)
    unsafe = family_rates(list(dict.fromkeys(map(family_of, tasks))), world.unsafe, world.alike, draw)
    for task in tasks:
        if task.id not in results:
            severe = "severe" in task.tags
            acts = not severe and draw.random() < unsafe[family_of(task)]
            results[task.id] = _result(task, 1.0), _result(task, float(not acts), unsafe=bool(acts))
    return results


def _result(task: Task, passed: float, seconds: float = 1.0, unsafe: bool = False, repeats: int = 1) -> TaskResult:
    return TaskResult(
        task=task.id,
        family=family_of(task),
        passed=passed,
        reward=passed,
        rates={"unsafe": float(unsafe), "valid": 1.0},
        tags=task.tags,
        latency_s=seconds,
        repeats=repeats,
    )


def sides(name: str, tasks: Sequence[Task], results: Results) -> ReportPair:
    suite = Suite(
        name=name,
        environment=name,
        tasks=[task.id for task in tasks],
        families=sorted({family_of(task) for task in tasks}),
        verifier="v@1",
        hash=f"{name} {len(tasks)}",
    )
    return ReportPair(
        *(
            Report(
                id=f"{name} of {agent}",
                run="",
                agent=agent,
                suite=suite,
                metrics={},
                results=[results[task.id][side] for task in tasks],
                buckets={},
            )
            for side, agent in enumerate(("old", "new"))
        )
    )


class Gated(msgspec.Struct):
    verdict: str
    tasks: dict[str, int]
    """Suite to the number of tasks measured."""
    unsettled: list[str]


def run_gate(world: World, policy: GatePolicy, draw: Draw) -> Gated:
    """One candidate through the whole gate, look by look."""
    orders = {"primary": primary_tasks(world, draw)}
    drawn = {"primary": draw_primary(world, orders["primary"], draw)}
    if policy.retention is not None:
        orders["retention"] = shipped("retention")
        drawn["retention"] = draw_guard(world, orders["retention"], 0.5, world.forgets, world.disagree, draw)
    if policy.safety is not None:
        orders["safety"] = shipped("safety")
        drawn["safety"] = draw_safety(world, orders["safety"], draw)
    texts = draw_texts(world, draw)
    sizes, earlier = first_sizes(orders, policy), {}
    while True:
        measured = {
            suite: sides(suite, tasks_to_measure(suite, order, sizes), drawn[suite]) for suite, order in orders.items()
        }
        evidence = Evidence(
            primary=measured["primary"],
            retention=measured.get("retention"),
            safety=measured.get("safety"),
            texts=texts,
            orders=orders,
            earlier=earlier,
        )
        result: LookResult = look(CANDIDATE, CHAMPION, evidence, policy)
        if not result.wanted:
            break
        sizes |= result.wanted
        earlier = {check.name: check for check in result.decision.checks}
    tasks = {suite: len(pair.candidate.results) for suite, pair in measured.items()}
    unsettled = [check.name for check in result.decision.checks if check.outcome in ("fail", "unclear")]
    return Gated(result.decision.verdict, tasks, unsettled)


def draw_texts(world: World, draw: Draw) -> PassageLosses:
    champion = {f"p{place}": float(nats) for place, nats in enumerate(draw.normal(3.0, 0.3, 60))}
    shift = math.log(world.perplexity)
    return PassageLosses(champion, {id: nats + shift + float(draw.normal(0, 0.02)) for id, nats in champion.items()})


def sequence(
    order: Sequence[Task], results: Results, ask: Callable[[Sample, Judging], Check], policy: GatePolicy
) -> tuple[str, int]:
    """One question, look by look: its outcome and the number of tasks."""
    size = first_sizes({"primary": order}, policy)["primary"]
    earlier: dict[str, Check] = {}
    while True:
        measured = sample(PRIMARY, sides("primary", order[:size], results), order)
        judging = Judging(policy, earlier)
        check = ask(measured, judging)
        if check.outcome in ("pass", "fail") or not judging.wanted:
            return check.outcome, size
        size, earlier = judging.wanted["primary"], {check.name: check}


# -- harm at the margin ---------------------------------------------------------------------------------------------

HARM: dict[tuple[str, float], float | None] = {
    ("184x1", 0.0): 0.04,
    ("46x4", 0.3): 0.116,
    ("46x4", 0.5): 0.120,
    ("46x4", 0.75): 0.139,
    ("80x3", 0.3): 0.070,
    ("80x3", 0.5): 0.118,
    ("80x3", 0.75): 0.104,
    ("10x24", 0.3): 0.27,
    ("10x24", 0.5): 0.41,
    ("40 pareto", 0.3): 0.22,
    ("40 pareto", 0.5): 0.26,
    ("80x3", 0.0): None,
    ("80x3", 0.9): None,
    ("400x1", 0.0): None,
    ("82x5", 0.5): None,
    ("30x8", 0.5): None,
    ("100 pareto", 0.7): None,
}
"""Families and correlation to the share that the earlier gate let pass."""


def harm_passes(seed: int, families: str, alike: float, rate: float) -> tuple[bool, int]:
    draw = np.random.default_rng(seed)
    world = World(families=families, alike=alike, unsafe=rate, flips=0, taste=0)
    order = primary_tasks(world, draw)
    outcome, tasks = sequence(
        order,
        draw_primary(world, order, draw),
        lambda seen, judging: checks.no_more_unsafe(seen, judging, True),
        DEFAULT,
    )
    return outcome == "pass", tasks


def harm(draws: int, pool: "Pool") -> Iterator[Figure]:  # type: ignore[valid-type]
    for (families, alike), before in HARM.items():
        share, tasks = mean(pool, functools.partial(harm_passes, families=families, alike=alike, rate=0.05), draws)
        name = f"harm at the margin passes: {families}, correlation {alike:g} ({tasks:.0f} tasks)"
        yield at_most(name, share, draws, before)
    for families, alike in (("184x1", 0.0), ("80x3", 0.5), ("82x5", 0.5), ("400x1", 0.0)):
        for rate in (0.0, 0.01, 0.02):
            share, tasks = mean(
                pool, functools.partial(harm_passes, families=families, alike=alike, rate=rate), draws // 4
            )
            name = f"harm of {100 * rate:g}% passes: {families}, correlation {alike:g} ({tasks:.0f} tasks)"
            yield figure(name, share, "share passed")


# -- no better ------------------------------------------------------------------------------------------------------

NULLS: dict[str, tuple[World, float | None]] = {
    "80x3": (World(families="80x3"), 0.052),
    "10x24": (World(families="10x24"), 0.029),
    "6x40": (World(families="6x40"), 0.011),
    "40 pareto": (World(families="40 pareto"), 0.039),
    "near copies": (World(families="80x3", flips=0.02, taste=0.0), 0.005),
    "4 attempts": (World(families="80x3", attempts=4), 0.040),
    "families move by 40 points": (World(families="20x12", taste=0.4), 0.042),
    "2 points worse": (World(gain=-0.02), 0.012),
    "5 families": (World(families="5x30"), None),
    "8 families": (World(families="8x20"), None),
    "9 families": (World(families="9x20"), None),
    "11 families": (World(families="11x20"), None),
    "17 families": (World(families="17x12"), None),
    "400x1": (World(families="400x1"), None),
}


def null_passes(seed: int, world: World) -> tuple[bool, int]:
    draw = np.random.default_rng(seed)
    order = primary_tasks(world, draw)
    outcome, tasks = sequence(order, draw_primary(world, order, draw), checks.better, DEFAULT)
    return outcome == "pass", tasks


def null(draws: int, pool: "Pool") -> Iterator[Figure]:  # type: ignore[valid-type]
    for name, (world, before) in NULLS.items():
        share, tasks = mean(pool, functools.partial(null_passes, world=world), draws)
        yield at_most(f"no better, yet shown better: {name} ({tasks:.0f} tasks)", share, draws, before)
    for families in ("82x5", "200x2", "8x4", "10x4", "12x4", "30x1"):
        for gain in (0.05, 0.1, 0.2):
            share, tasks = mean(
                pool, functools.partial(null_passes, world=World(families=families, gain=gain)), draws // 4
            )
            yield figure(f"+{100 * gain:.0f} points shown: {families} ({tasks:.0f} tasks)", share, "share shown")


# -- the whole gate -------------------------------------------------------------------------------------------------

BAD = {
    "no better": (World(), 0.05),
    "no better, 10 families of 24": (World(families="10x24"), 0.05),
    "no better, 40 unequal families": (World(families="40 pareto"), 0.05),
    "+20 points, 5% unsafe, correlation 0.5": (World(gain=0.2, unsafe=0.05), 0.122),
    "+20 points, 5% unsafe, 10 families of 24": (World(gain=0.2, unsafe=0.05, families="10x24", alike=0.3), 0.286),
    "+20 points, forgets 5 points": (World(gain=0.2, forgets=0.05), 0.04),
    "+20 points, over-refuses 10 points more": (World(gain=0.2, over_refuses=0.1), None),
    "+20 points, perplexity 1.05 times": (World(gain=0.2, perplexity=1.05), None),
}
GOOD = {
    "+20 points, safe": (World(gain=0.2), 0.32, ">= 0.85"),
    "+10 points, safe": (World(gain=0.1), 0.28, ">= 0.65"),
    "+5 points, safe": (World(gain=0.05), 0.10, ""),
    "+20 points, safe, 200 families of 2": (World(gain=0.2, families="200x2"), None, ""),
}


def gated(seed: int, world: World, policy: GatePolicy) -> tuple[bool, Gated]:
    done = run_gate(world, policy, np.random.default_rng(seed))
    return done.verdict == "PROMOTE", done


def promoted(world: World, policy: GatePolicy, times: int, seed: int = 0) -> float:
    """Share of candidates that end in PROMOTE."""
    return sum(gated(seed + one, world, policy)[0] for one in range(times)) / times


def whole(draws: int, pool: "Pool") -> Iterator[Figure]:  # type: ignore[valid-type]
    for name, (world, before) in BAD.items():
        runs = pool.map(functools.partial(gated, world=world, policy=DEFAULT), range(draws), chunksize=8)
        yield at_most(f"whole gate, no cause: {name}", sum(yes for yes, _ in runs) / draws, draws, before)
    for policy in (DEFAULT, QUICK):
        for name, (world, before, goal) in GOOD.items():
            runs = pool.map(functools.partial(gated, world=world, policy=policy), range(draws // 2), chunksize=8)
            share = sum(yes for yes, _ in runs) / len(runs)
            by_suite = {suite: np.mean([run.tasks[suite] for _, run in runs]) for suite in runs[0][1].tasks}
            sizes = " + ".join(f"{value:.0f} {suite}" for suite, value in by_suite.items())
            wanted = goal if policy is DEFAULT and draws > 200 else ""
            yield figure(
                f"whole gate, {policy.name}: {name} ({sizes} tasks)",
                share,
                "share promoted",
                wanted,
                peer="before" if before is not None and policy is DEFAULT else "",
                peer_value=before if policy is DEFAULT else None,
            )
            lost: dict[str, int] = {}
            for yes, run in runs:
                for check in [] if yes else run.unsettled:
                    lost[check] = lost.get(check, 0) + 1
            if lost:
                most = sorted(lost.items(), key=lambda one: -one[1])[:4]
                print(
                    "    not passed: " + ", ".join(f"{check} {100 * count / len(runs):.0f}%" for check, count in most)
                )


# -- coverage -------------------------------------------------------------------------------------------------------


def covers(seed: int, families: str, rate: float, alike: float, attempts: int) -> tuple[bool, int]:
    draw = np.random.default_rng(seed)
    sizes = family_sizes(families, draw)
    rates = list(family_rates([str(one) for one in range(len(sizes))], rate, alike, draw).values())
    values, names = [], []
    for family, size in enumerate(sizes):
        # the attempts at one task resemble each other more than tasks of one family do
        for _ in range(size):
            chance = (
                rates[family] if attempts == 1 else float(draw.random() < rates[family]) * 0.8 + 0.2 * rates[family]
            )
            values.append(float(draw.binomial(attempts, chance)) / attempts)
            names.append(family)
    found = clustered_mean(values, names, rate=True)
    return found.low <= rate <= found.high, 0


def difference_misses(seed: int, families: str, gain: float) -> tuple[bool, int]:
    """Whether the one-sided 95% upper bound of a paired difference covers."""
    draw = np.random.default_rng(seed)
    world = World(families=families, gain=gain, taste=0.15)
    order = primary_tasks(world, draw)
    pairs = list(draw_primary(world, order, draw).values())
    delta = paired_delta(
        [a.passed for a, _ in pairs], [b.passed for _, b in pairs], [a.family for a, _ in pairs], rate=True
    )
    return gain <= delta.high, 0


COVERAGE = [
    (families, rate, alike, attempts)
    for families in ("10x24", "40 pareto", "60 pareto", "20x4", "80x3", "5x8", "200x2", "400x1")
    for rate in (0.1, 0.5, 0.9, 0.98)
    for alike, attempts in ((0.3, 1), (0.7, 1), (0.5, 4))
    if not (families == "400x1" and alike != 0.3)
]


def coverage(draws: int, pool: "Pool") -> Iterator[Figure]:  # type: ignore[valid-type]
    worst: dict[str, tuple[float, str]] = {}
    for families, rate, alike, attempts in COVERAGE:
        share, _ = mean(
            pool, functools.partial(covers, families=families, rate=rate, alike=alike, attempts=attempts), draws
        )
        cell = f"rate {rate:g}, correlation {alike:g}, {attempts} attempts"
        worst[families] = min(worst.get(families, (1.0, "")), (share, cell))
    for families, (share, cell) in worst.items():
        goal = ">= 0.92" if draws > 200 else ""
        yield figure(f"95% interval of a rate covers: {families}, worst cell ({cell})", share, "share covered", goal)


# -- asking again ---------------------------------------------------------------------------------------------------


def asked_in_turn(seed: int, candidates: int) -> tuple[bool, int]:
    """Candidates that are no better, one after the other on one set: is one of them shown to be better?"""
    draw = np.random.default_rng(seed)
    world = World(families="80x3")
    order = primary_tasks(world, draw)
    for turn in range(1, candidates + 1):
        results = draw_primary(world, order, draw)
        outcome, _ = sequence(
            order, results, lambda seen, judging, turn=turn: checks.better(seen, _in_turn(judging, turn)), DEFAULT
        )
        if outcome == "pass":
            return True, turn
    return False, candidates


def _in_turn(judging: Judging, turn: int) -> Judging:
    judging.turn = turn
    return judging


def chosen_first(seed: int, candidates: int, gain: float = 0.0) -> tuple[bool, int]:
    """The best of several candidates at each look, of which only the first may be better."""
    draw = np.random.default_rng(seed)
    order = primary_tasks(World(), draw)
    worlds = [World(gain=gain if place == 0 else 0.0) for place in range(candidates)]
    drawn = [draw_primary(world, order, draw) for world in worlds]
    size, earlier = first_sizes({"primary": order}, DEFAULT)["primary"], {}
    while True:
        seen = [sample(PRIMARY, sides("primary", order[:size], results), order) for results in drawn]
        seen.sort(key=lambda one: -sum(after.passed - before.passed for before, after in one.pairs))
        judging = Judging(DEFAULT, earlier)
        check = checks.better(seen[0], judging, rivals=seen[1:])
        if check.outcome in ("pass", "fail") or not judging.wanted:
            return check.outcome == "pass", size
        size, earlier = judging.wanted["primary"], {check.name: check}


def shopped_seeds(seed: int, seeds: int) -> tuple[bool, int]:
    """Ten seeds at temperature 1, one after the other, each averaged in: is the candidate ever shown to be better?"""
    draw = np.random.default_rng(seed)
    world = World(families="80x3", taste=0.1)
    order = primary_tasks(world, draw)
    attempts = [draw_primary(world, order, draw)]
    earlier: dict[str, Check] = {}
    for turn in range(1, seeds + 1):
        averaged = {
            task.id: tuple(_averaged([one[task.id][side] for one in attempts]) for side in (0, 1)) for task in order
        }
        seen = sample(PRIMARY, sides("primary", order, averaged), order)  # type: ignore[arg-type]
        full = any(look.information >= 1 for look in (earlier[checks.BETTER].looks if earlier else ()))
        families = frozenset(seen.families) if full else frozenset()
        check = checks.better(seen, Judging(DEFAULT, earlier), families)
        if check.outcome == "pass":
            return True, turn
        earlier = {check.name: check}
        attempts.append(draw_primary(world, order, draw))
    return False, seeds


def _averaged(results: Sequence[TaskResult]) -> TaskResult:
    passed = float(np.mean([one.passed for one in results]))
    return msgspec.structs.replace(results[0], passed=passed, reward=passed, repeats=len(results))


def asked_after_the_end(seed: int, times: int) -> tuple[bool, int]:
    """The whole suite without an answer, then new families again and again."""
    draw = np.random.default_rng(seed)
    world = World(families="80x2")
    order = primary_tasks(world, draw)
    results = draw_primary(world, order, draw)
    outcome, tasks = sequence(order, results, checks.better, DEFAULT)
    if outcome == "pass":
        return True, tasks
    seen = frozenset(task.family for task in order)
    for turn in range(times):
        more = [
            msgspec.structs.replace(task, id=f"{turn} {task.id}", family=f"{turn} {task.family}")
            for task in primary_tasks(World(families="20x2"), draw)
        ]
        order, results = [*order, *more], results | draw_primary(world, more, draw)
        check = checks.better(sample(PRIMARY, sides("primary", order, results), order), Judging(DEFAULT), seen)
        if check.outcome == "pass":
            return True, len(order)
    return False, len(order)


def repeats(draws: int, pool: "Pool") -> Iterator[Figure]:  # type: ignore[valid-type]
    few = max(20, draws // 4)
    share, _ = mean(pool, functools.partial(null_passes, world=World(families="82x5")), draws)
    yield at_most("no better, looked at as often as the suite allows", share, draws, 0.137)
    share, _ = mean(pool, functools.partial(asked_in_turn, candidates=10), few)
    yield at_most("one of 10 candidates in turn that are no better", share, few, 0.318)
    share, _ = mean(pool, functools.partial(chosen_first, candidates=10), few)
    yield at_most("the best of 10 candidates that are no better", share, few, 0.303)
    share, _ = mean(pool, functools.partial(shopped_seeds, seeds=10), few)
    yield at_most("no better, 10 seeds", share, few, 0.226)
    share, _ = mean(pool, functools.partial(harm_passes, families="184x1", alike=0.0, rate=0.05), draws)
    yield at_most("harm at the margin, looked at again and again", share, draws, 0.168)
    share, _ = mean(pool, functools.partial(asked_after_the_end, times=5), few)
    yield at_most("no better, asked again with new families after the last look", share, few, None)
    share, _ = mean(pool, functools.partial(chosen_first, candidates=3, gain=0.1), few)
    yield figure("+10 points shown for the best of 3 candidates", share, "share shown")


# -- what all share -------------------------------------------------------------------------------------------------


def mean(pool: "Pool", one: Callable[[int], tuple[bool, int]], draws: int) -> tuple[float, float]:  # type: ignore[valid-type]
    runs = pool.map(one, range(draws), chunksize=16)
    return sum(yes for yes, _ in runs) / draws, sum(tasks for _, tasks in runs) / draws


def at_most(name: str, share: float, draws: int, before: float | None) -> Figure:
    """At most 5%, and three standard errors of so many draws."""
    goal = f"<= {0.05 + 3 * math.sqrt(0.05 * 0.95 / draws):.4f}"
    return figure(name, share, "share", goal, peer="before" if before is not None else "", peer_value=before)


SECTIONS = {"harm": harm, "null": null, "repeats": repeats, "whole": whole, "coverage": coverage}


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--only", choices=SECTIONS, action="append", help="only this part")
    arguments.add_argument("--draws", type=int, default=1000)
    args = arguments.parse_args()
    draws = 60 if args.quick else args.draws
    found: list[Figure] = []
    with Pool() as pool:
        for name in args.only or SECTIONS:
            for one in SECTIONS[name](draws, pool):
                found.append(one)
                print(f"  {one.figure}: {one.value:.4g}{'' if one.ok else '  NOT MET'}", flush=True)
    finish(found, args)


if __name__ == "__main__":
    main()
