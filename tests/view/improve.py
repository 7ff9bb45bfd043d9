"""Loops and optimisations for the tests of their pages, as the product stores them."""

import itertools

from tests.view.store import episode, verdict
from verigym.core.records import Estimate, Task
from verigym.flywheel.rounds import (
    Candidate,
    ChosenFix,
    MiningResult,
    Outcome,
    RoundEnd,
    RoundEvaluation,
    RoundStart,
)
from verigym.optimize.records import CandidateFigures, Optimization
from verigym.store.database import Store


def estimate(value: float) -> Estimate:
    return Estimate(value, value - 0.05, value + 0.05, 100)


def add_loop(store: Store, loop: str, versions: list[str], run: str, *, last_is_over: bool = True) -> None:
    """A loop with one round for each version after the first. Each promotes its candidate."""
    for number, (champion, candidate) in enumerate(itertools.pairwise(versions), start=1):
        before, after = 0.3 + 0.1 * number, 0.4 + 0.1 * number
        steps = {
            "begun": RoundStart(
                champion=champion, traces={"traces-gateway": 12}, feedback=3, when="2026-01-05T09:00:00"
            ),
            "dug": MiningResult(environment="desk", train=4, held_out=2, words="6 requests failed in 12 traces"),
            "before": RoundEvaluation(
                version=champion, report="r", run=run, success=estimate(before), buckets={"wrong tool": 9}
            ),
            "chosen": ChosenFix(
                advice=["a prompt variant"], environment="desk", fix="prompt", why="it is the cheapest"
            ),
            "made": Candidate(version=candidate),
            "after": RoundEvaluation(version=candidate, report="r2", run=run, success=estimate(after), buckets={}),
        }
        if last_is_over or number < len(versions) - 1:
            steps["decided"] = Outcome(
                verdict="PROMOTE",
                words="It is better",
                before=estimate(before),
                after=estimate(after),
                champion=candidate,
            )
            steps["over"] = RoundEnd(
                champion=candidate, data=0, seconds=600.0, dollars=1.5, when="2026-01-05T10:00:00",
                why="the champion is good enough" if number == len(versions) - 1 else "",
            )  # fmt: skip
        for name, step in steps.items():
            store.put("round", f"{loop}/{number:03}/{name}", step)
        store.add_metrics(f"loop/{loop}", number, {"seconds": 600.0, "dollars": 1.5})


def add_optimization(store: Store, id: str, versions: list[str], *, finished: bool = True) -> None:
    """A search over versions. The last one is the best."""
    config = {"environment": "toolcall", "agent": versions[0], "budget": 100, "parts": ["prompt", "examples"]}
    store.begin_run(id, "optimize", config)
    for number, version in enumerate(versions):
        run = f"rollout-{id}-{number}"
        tasks = [Task(id=f"t{n}", prompt="Do it.", split="train") for n in range(4)]
        store.begin_run(run, "rollout", {"environment": "toolcall", "agent": version}, tasks, parent=id)
        made = [episode(run, task.id) for task in tasks]
        store.add(run, made, [verdict(one.id, place <= number) for place, one in enumerate(made)])
    if not finished:
        return
    figures = [
        CandidateFigures(
            version=version, name=f"candidate {number}", parent=versions[0], change="" if not number else f"{number} examples",
            tasks=40, success=0.3 + 0.1 * number, reward=0.3, tokens=120.0 + number, unsafe=0.0, finalist=True, front=True,
        )
        for number, version in enumerate(versions)
    ]  # fmt: skip
    best = versions[-1]
    result = Optimization(
        id=id, environment="toolcall", agent=versions[0], best=best, before=0.3, after=figures[-1].success, low=0.02, high=0.3,
        tasks=40, episodes=96, budget=100, feedback_tasks=30, selection_tasks=40, candidates=figures[::-1],
        reflections=2, reflection_tokens=900, notes=["the tools were <b>not</b> changed"],
    )  # fmt: skip
    store.put("optimization", id, result)
    store.finish_run(id)
