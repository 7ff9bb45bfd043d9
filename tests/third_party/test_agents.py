"""Real agents in our episodes: one trajectory each, with the right tree and exactly the ids that the engine sampled."""

import asyncio
from collections import Counter

import pytest

from tests.third_party.agents import CASES, AgentCase, Played, local_model, play
from tests.third_party.install import installed
from verigym.core.records import Stop
from verigym.training.samples import from_trajectory


@pytest.fixture(scope="module", params=[*CASES], ids=[*CASES])
def case(request: pytest.FixtureRequest) -> AgentCase:
    return CASES[request.param]


@pytest.fixture(scope="module")
def played(case: AgentCase) -> Played:
    """One episode with a local model."""
    assert installed(case.package), f"{case.package} is not installed. Run `make test-agents`"
    return asyncio.run(play(case, local_model()))


def test_an_unmodified_agent_leaves_one_trajectory_that_passes(case: AgentCase, played: Played) -> None:
    made = played.trajectory
    assert made.error is None, made.error
    assert (made.id, made.stop) == ("r/t/0", Stop.DONE)
    assert made.end_state == {"basket": {"tea": 2}}
    assert case.words in played.output("agent_stdout")


def test_its_calls_form_the_right_tree(case: AgentCase, played: Played) -> None:
    made = played.trajectory
    assert [turn.parent for turn in made.turns] == case.parents
    assert [turn.actor for turn in made.turns] == (case.actors or ["policy"] * len(case.parents))
    sets = {turn.tools or made.tools for turn in made.turns}
    assert len(sets) == case.tool_sets and sets - {""} <= {*played.tool_sets}


def test_its_marks_say_what_happened_and_nothing_false(case: AgentCase, played: Played) -> None:
    assert Counter(mark.kind for mark in played.trajectory.marks) == case.marks


def test_its_ids_are_those_that_the_engine_saw_and_sampled(case: AgentCase, played: Played) -> None:
    assert played.ids and sorted(played.ids) == sorted(played.engine_ids)
    assert all(len(turn.logprobs) == len(turn.completion_ids) > 0 for turn in played.trajectory.turns)


def test_each_path_of_its_tree_is_one_sample(case: AgentCase, played: Played) -> None:
    made = played.trajectory
    parents = {turn.parent for turn in made.turns}
    mine = [index for index, turn in enumerate(made.turns) if turn.actor == "policy"]
    samples = from_trajectory(made, 1.0)
    assert [sample.ids for sample in samples] == [played.ids_until(leaf) for leaf in mine if leaf not in parents]
    assert sum(sum(sample.mask) for sample in samples) == sum(len(made.turns[index].completion_ids) for index in mine)
