"""What a run made, handed on from memory."""

import asyncio
from pathlib import Path

from tests.rollout.test_many import plan
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.many import RunResults, results, run_many
from verigym.store.database import Store


def test_results_go_on_from_memory_where_all_was_made_just_now_and_are_read_where_not(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.db")
    what = plan(count=3, k=2)
    store.begin_run(what.run, "rollout", {}, what.tasks)
    first = RunResults()
    asyncio.run(run_many(store, what, ScriptedPolicy(["Done."]), cache=first))
    assert len(first.trajectories) == len(first.verdicts) == 6
    trajectories, verdicts = results(store, what, first)
    assert [id(one) for one in trajectories] == [id(first.trajectories[one.id]) for one in trajectories]
    assert (trajectories, verdicts) == results(store, what)
    more = plan(count=3, k=3)
    second = RunResults()
    asyncio.run(run_many(store, more, ScriptedPolicy(["Done."]), cache=second))
    assert len(second.trajectories) == 3
    assert results(store, more, second) == results(store, more)
    assert len(results(store, more, second)[0]) == 9
    store.close()
