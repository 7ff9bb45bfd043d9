"""The verbs of `verigym.Workspace`, on a tiny model."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

import verigym
from verigym.core.protocols import Request


def recipe(model: str, desk: str, **fields: Any) -> verigym.Recipe:
    plain: dict[str, Any] = {"environment": desk, "reward": "letters", "held_out_eval": "desk_eval", "max_tokens": 8}
    return verigym.Recipe(**{"model": model, "algorithm": "grpo", "steps": 2, **plain, **fields})


def test_the_ring_from_evaluation_to_rollback(ws: verigym.Workspace, model: str, desk: str) -> None:
    base = ws.agent(model)
    before = ws.evaluate(desk, base, max_tokens=8)
    tuned = ws.train(recipe(model, desk))
    after = ws.evaluate(desk, tuned, max_tokens=8)
    assert verigym.compare(before, after) == ws.compare(base, tuned)
    decision = ws.gate(tuned, policy="quick")
    assert decision.promote == (decision.verdict == "PROMOTE")
    entry = ws.promote(tuned, override="a test")
    assert (entry.champion_before, entry.champion_after) == (base.id, tuned.id)
    assert ws.agent("champion") == tuned
    ws.gate(base, champion=tuned, policy="quick")
    assert ws.promote(tuned) == entry, "it is champion already"
    assert ws.rollback(why="a test").champion_after == base.id
    assert [one.decision.kind for one in ws.ledger()] == ["gate", "first", "override", "gate", "rollback"]
    assert list(ws.metrics(tuned)) == [1, 2]


def test_a_repeated_call_runs_nothing_again(ws: verigym.Workspace, model: str, desk: str) -> None:
    assert ws.evaluate(desk, model, max_tokens=8) == ws.evaluate(desk, model, max_tokens=8)
    assert len(ws.runs()) == 1


def test_every_verb_takes_a_run_a_report_or_an_id(ws: verigym.Workspace, model: str, desk: str) -> None:
    report = ws.evaluate(desk, model, max_tokens=8)
    run = ws.run(report)
    assert ws.explain(report) == ws.explain(run) == ws.explain(run.id) == ws.explain()
    assert len(ws.trajectories(report)) == 12
    assert ws.rescore(report).scores.moved == 0
    assert ws.audit(desk, report).run == run.id
    assert ws.advise(report).evidence.run == run.id


def test_a_recipe_file_takes_other_fields(ws: verigym.Workspace, model: str, desk: str, tmp_path: Path) -> None:
    file = tmp_path / "recipe.yaml"
    file.write_text(f"model: {model}\nalgorithm: grpo\nenvironment: {desk}\nreward: letters\nsteps: 9\nmax_tokens: 8\n")
    tuned = ws.train(file, steps=1, held_out_eval="desk_eval")
    assert (tuned.recipe["steps"], list(ws.metrics(tuned))) == (1, [1])


def test_every_method_works_inside_a_running_event_loop(ws: verigym.Workspace, model: str, desk: str) -> None:
    async def cell() -> verigym.Report:
        return ws.evaluate(desk, model, max_tokens=8)

    assert asyncio.run(cell()).metrics["success"].n == 12


def test_async_workspace_runs_beside_other_coroutines(tmp_path: Path, model: str, desk: str) -> None:
    async def both() -> tuple[Any, ...]:
        async with verigym.AsyncWorkspace(tmp_path) as ws:
            return await asyncio.gather(
                ws.evaluate(desk, model, max_tokens=8),
                ws.rollout(desk, model, n=2, max_tokens=8),
                asyncio.sleep(0, "free"),
            )

    report, run, free = asyncio.run(both())
    assert (len(report.results), run.trajectories, free) == (12, 2, "free")


def test_policies_are_independent(ws: verigym.Workspace, model: str, desk: str) -> None:
    base, tuned = ws.agent(model), ws.train(recipe(model, desk))
    first: Any = ws.policy(base)
    greedy = verigym.Sampling(temperature=0, max_tokens=8)
    request = Request(items=[verigym.Message("user", "hello")], tools=[], sampling=greedy, seed=0)

    def reply(policy: Any) -> list[verigym.Item]:
        return asyncio.run(policy.respond(request)).items

    alone = reply(first)
    second: Any = ws.policy(tuned)
    assert (first.agent, second.agent) == (base.id, tuned.id)
    assert first.model is second.model
    ws.evaluate(desk, tuned, max_tokens=8)
    assert (first.agent, second.agent) == (base.id, tuned.id)
    assert reply(first) == alone


def test_a_closed_workspace_refuses_every_call(tmp_path: Path) -> None:
    with verigym.Workspace(tmp_path) as ws:
        assert ws.runs() == []
    ws.close()
    with pytest.raises(verigym.VerigymError, match="is closed"):
        ws.runs()
