"""Advantages computed again from the store are those that training used."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.workspace.desk import WALK, Bench
from verigym.core.records import Sample
from verigym.training.advantages import KlShare
from verigym.training.learner import UPDATES
from verigym.workspace.advantages import advantages_of


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, list[float]]]:
    """The advantages of each step that the update saw, by trajectory."""
    steps: list[dict[str, list[float]]] = []
    update = UPDATES["policy"]

    def watched(model: Any, optimizer: Any, samples: Sequence[Sample], *given: Any, **named: Any) -> Any:
        seen: dict[str, list[float]] = {}
        for sample in samples:
            seen.setdefault(sample.trajectory, []).append(sample.advantage)
        steps.append(seen)
        return update(model, optimizer, samples, *given, **named)

    monkeypatch.setitem(UPDATES, "policy", watched)
    return steps


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"algorithm": "rloo", "loss": {"kl": 0.3}, "learning_rate": 0.2},
        {"algorithm": "dapo", "episodes": {"overlong_buffer": 6, "overlong_penalty": 0.5, "dynamic_rounds": 1}},
    ],
    ids=["grpo", "kl in the reward", "overlong and dynamic"],
)
def test_advantages_of_a_stored_step_are_those_that_training_used(
    fresh: Bench, used: list[dict[str, list[float]]], fields: dict[str, Any]
) -> None:
    _, run = fresh.train(**{"algorithm": "grpo", **fields})
    assert len(used) == 2
    for step, seen in enumerate(used, start=1):
        worth = advantages_of(fresh.ws.store, run, step)
        assert worth is not None and worth.exact
        assert set(seen) == set(worth.of) - worth.unused
        for trajectory, values in seen.items():
            assert set(values) == {worth.of[trajectory]}


def test_a_step_that_credits_turns_has_an_advantage_for_each(fresh: Bench) -> None:
    walk = fresh.file("walk.py", WALK)
    _, run = fresh.train("grpo", environment=walk, held_out_eval=None, advantage={"credit": "step"}, max_tokens=4)
    worth = advantages_of(fresh.ws.store, run, 1)
    assert worth is not None and worth.of and {len(turns) for turns in worth.by_turn.values()} == {3}


def test_the_share_of_the_divergence_is_stored_once_a_step_and_goes_with_the_run(fresh: Bench) -> None:
    _, run = fresh.train("rloo", loss={"kl": 0.3}, learning_rate=0.2)
    shares = fresh.ws.store.documents("kl_share", KlShare)
    assert [share.step for share in shares] == [1, 2] and any(shares[1].taken.values())
    fresh.ws.store.delete("kl_share", f"{run}/step-0002")
    worth = advantages_of(fresh.ws.store, run, 2)
    assert worth is not None and not worth.exact, "an older run did not store it"
    fresh.ws.store.delete_run(run)
    assert fresh.ws.store.bodies("kl_share") == []


def test_a_run_without_steps_has_no_advantages(fresh: Bench) -> None:
    assert advantages_of(fresh.ws.store, fresh.rollout(), 1) is None
    _, run = fresh.train("grpo")
    assert advantages_of(fresh.ws.store, run, 9) is None
