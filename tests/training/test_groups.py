"""Groups of episodes: which tasks are tried, which samples come of them, and the figures of a step."""

import random
from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    Item,
    Mark,
    Message,
    Sample,
    Stop,
    Task,
    Trajectory,
    Turn,
    Usage,
    Verdict,
)
from verigym.core.seeds import derive
from verigym.training.advantages import advantages, advantages_of_each
from verigym.training.groups import Group, Source, has_signal, pick, samples_of, states_of, summary, with_rewards
from verigym.training.recipe import Recipe, make_recipe


def recipe(**fields: Any) -> Recipe:
    return make_recipe({"model": "tiny", "algorithm": "grpo", "reward": "r", "max_tokens": 10, **fields}, [], "r.yaml")


def source(count: int, name: str = "shop", weight: float = 1.0) -> Source:
    return Source(name, weight, [Task(id=f"{name}{i}", prompt="") for i in range(count)])


def ids(picked: dict[str, list[Task]]) -> dict[str, list[str]]:
    return {name: [task.id for task in tasks] for name, tasks in picked.items()}


# -- which tasks ----------------------------------------------------------------------------------------------------

counts, sizes, numbers = st.integers(1, 20), st.integers(1, 25), st.integers(0, 3)


@given(counts, sizes, st.integers(1, 50), numbers)
def test_tasks_are_no_two_alike_and_follow_from_seed_step_and_round(
    count: int, size: int, step: int, number: int
) -> None:
    own, settings = source(count), recipe(prompts_per_step=size)
    picked = pick([own], settings, step, number)
    assert len({task.id for task in picked["shop"]}) == len(picked["shop"]) == min(size, count)
    assert pick([own], settings, step, number) == picked


@given(counts, sizes, st.integers(1, 50))
def test_the_first_round_of_one_environment_is_what_it_always_was(count: int, size: int, step: int) -> None:
    """Older runs go on with the tasks that they would have had."""
    own, settings = source(count), recipe(prompts_per_step=size, seed=7)
    chosen = random.Random(derive(7, "tasks", step)).sample(range(count), min(size, count))
    assert ids(pick([own], settings, step)) == {"shop": [f"shop{i}" for i in chosen]}
    assert pick([own], settings, step, number=0) == pick([own], settings, step)


def test_another_step_round_or_seed_picks_others() -> None:
    own = source(50)
    made = [
        tuple(ids(pick([own], recipe(seed=seed), step, number))["shop"])
        for seed, step, number in [(0, 1, 0), (1, 1, 0), (0, 2, 0), (0, 1, 1), (0, 1, 2)]
    ]
    assert len(set(made)) == len(made)


@given(counts, sizes, st.sets(st.integers(0, 19)), st.booleans(), numbers)
def test_none_that_was_tried_is_picked_again(count: int, size: int, done: set[int], mixed: bool, number: int) -> None:
    sources = [source(count), source(count, "chat")] if mixed else [source(count)]
    tried = {(name, f"{name}{i}") for name in ("shop", "chat") for i in done}
    picked = pick(sources, recipe(prompts_per_step=size), 3, number, tried=tried)
    found = [task.id for tasks in picked.values() for task in tasks]
    assert not {task for _, task in tried} & set(found) and len(set(found)) == len(found)
    if not mixed:
        assert len(found) == min(size, len({f"shop{i}" for i in range(count)} - {task for _, task in tried}))


def test_a_round_may_want_fewer_and_there_may_be_none_left() -> None:
    assert len(pick([source(9)], recipe(prompts_per_step=8), 1, 1, 3)["shop"]) == 3
    assert pick([source(2)], recipe(), 1, tried={("shop", "shop0"), ("shop", "shop1")}) == {}
    assert len(pick([source(2)], recipe(), 1, tried={("chat", "shop0")})["shop"]) == 2, "another's of the same name"


def test_a_mixture_has_its_shares() -> None:
    sources = [source(40, "shop", 3.0), source(40, "chat", 1.0)]
    seen: Counter[str] = Counter()
    for step in range(1, 251):
        picked = pick(sources, recipe(prompts_per_step=8), step)
        assert sum(map(len, picked.values())) == 8
        seen.update({name: len(tasks) for name, tasks in picked.items()})
        assert all(task.id.startswith(name) for name, tasks in picked.items() for task in tasks)
    assert seen["shop"] / seen.total() == pytest.approx(0.75, abs=0.04)


def test_over_the_steps_every_task_has_its_turn() -> None:
    seen = Counter(
        task.id for step in range(1, 201) for task in pick([source(8)], recipe(prompts_per_step=2), step)["shop"]
    )
    assert len(seen) == 8 and min(seen.values()) > 25


# -- what they earned -----------------------------------------------------------------------------------------------


def episode(
    place: str,
    reward: float | None,
    *lengths: int,
    stop: Stop = Stop.DONE,
    steps: list[float] | None = None,
    parts: dict[str, float] | None = None,
    **verdict: Any,
) -> tuple[Trajectory, Verdict]:
    """Turns of so many tokens; the last one's ids are the episode's own."""
    turns: list[Turn] = []
    for number, length in enumerate(lengths):
        made = [100 * number + 7 + i for i in range(length)]
        turns.append(
            Turn(
                parent=number - 1 if number else None,
                context_ids=[1, 2] if number == 0 else [3],
                completion_ids=made,
                logprobs=[-1.0] * length,
                usage=Usage(completion_tokens=length),
            )
        )
    trajectory = Trajectory(id=place, task="t", group="t", turns=turns, stop=stop, rewards=steps or [])
    return trajectory, Verdict(trajectory=place, verifier="v", reward=reward, parts=parts or {}, **verdict)


def group(*episodes: tuple[Trajectory, Verdict], source: str = "shop") -> Group:
    return Group(source, [one for one, _ in episodes], [verdict for _, verdict in episodes])


def made_of(groups: list[Group], settings: Recipe) -> list[tuple[Sample, bool]]:
    return samples_of([with_rewards(one, settings) for one in groups], settings)


def test_every_scored_episode_of_a_group_with_signal_gives_its_samples() -> None:
    groups = [
        group(episode("a", 1.0, 3), episode("b", None, 3), episode("c", 0.0, 2, 2)),
        group(episode("d", 0.5, 3), episode("e", 0.5, 3)),
    ]
    made = made_of(groups, recipe())
    assert [(sample.trajectory, masked) for sample, masked in made] == [("a", False), ("c", False)]
    assert [sample.advantage for sample, _ in made] == pytest.approx(advantages([[1.0, 0.0]])[0])
    assert made[1][0].mask == [0, 0, 1, 1, 0, 1, 1]
    assert all(not sample.advantages for sample, _ in made)


def test_cut_off_episodes_are_in_the_mean_and_counted_as_masked() -> None:
    groups = [group(episode("a", 1.0, 3), episode("b", 0.0, 9, stop=Stop.MAX_TOKENS), episode("c", 0.5, 2))]
    made = made_of(groups, recipe(episodes={"mask_truncated": True}))
    assert [(sample.trajectory, masked) for sample, masked in made] == [("a", False), ("b", True), ("c", False)]
    assert [sample.advantage for sample, _ in made] == pytest.approx(advantages([[1.0, 0.0, 0.5]])[0])
    assert not any(masked for _, masked in made_of(groups, recipe()))


def test_groups_without_signal_do_not_count_in_the_scale_of_the_batch() -> None:
    groups = [
        group(*(episode(f"a{i}", reward, 3) for i, reward in enumerate([1.0, 0.0, 0.0, 0.0]))),
        group(*(episode(f"b{i}", 1.0, 3) for i in range(4))),
    ]
    made = made_of(groups, recipe(advantage={"scale": "batch"}))
    assert [sample.advantage for sample, _ in made] == pytest.approx([1.5, -0.5, -0.5, -0.5], abs=1e-3)


def test_a_scale_from_rewards_is_that_of_all_groups() -> None:
    """Those without signal too, which give no sample: as TRL has it."""
    groups = [
        group(episode("a", 1.0, 3), episode("b", 0.0, 3)),
        group(episode("c", 7.0, 3), episode("d", 7.0, 3)),
    ]
    settings = recipe(advantage={"scale": "batch", "scale_from": "rewards"})
    made = made_of(groups, settings)
    whole = advantages([[1.0, 0.0], [7.0, 7.0]], settings.advantage)
    assert [sample.advantage for sample, _ in made] == pytest.approx(whole[0])


def test_replies_near_the_limit_cost_reward() -> None:
    settings = recipe(episodes={"overlong_buffer": 4, "overlong_penalty": 2.0})
    one = group(episode("a", 1.0, 6), episode("b", 1.0, 2, 8, 3), episode("c", 1.0, 10), episode("d", None, 10))
    assert with_rewards(one, settings).rewards == [1.0, 0.0, -1.0, None], "the longest reply of the episode counts"
    assert with_rewards(one, recipe()).rewards == [1.0, 1.0, 1.0, None]


def test_length_costs_passing_episodes_a_share_of_the_penalty() -> None:
    settings = recipe(episodes={"length_penalty": 0.4})
    one = group(
        episode("a", 1.0, 2, passed=True),
        episode("b", 1.0, 3, 3, passed=True),
        episode("c", 1.0, 4, passed=True),
        episode("d", 0.1, 9),
        episode("e", None, 9, passed=True),
    )
    assert with_rewards(one, settings).rewards == pytest.approx([1.0, 0.6, 0.8, 0.1, None])
    alone = group(episode("a", 1.0, 9, passed=True), episode("b", 0.0, 2))
    assert with_rewards(alone, settings).rewards == [1.0, 0.0], "nobody passed with less"


def test_every_further_turn_of_a_passing_episode_has_a_cost() -> None:
    settings = recipe(episodes={"turn_penalty": 0.1})
    one = group(episode("a", 1.0, 2, passed=True), episode("b", 1.0, 1, 1, 1, passed=True), episode("c", 0.0, 1, 1, 1))
    assert with_rewards(one, settings).rewards == pytest.approx([1.0, 0.8, 0.0])
    assert has_signal(
        with_rewards(group(*zip(one.trajectories[:2], one.verdicts[:2], strict=True)), settings), settings
    )


def test_partial_rewards_can_pay_nothing() -> None:
    failed = [episode("b", 0.2, 3), episode("c", -1.0, 3)]
    settings = recipe(advantage={"rewards": "passed"})
    one = with_rewards(group(episode("a", 1.0, 3, passed=True), *failed, episode("d", None, 3)), settings)
    assert one.rewards == [1.0, 0.0, 0.0, None] and has_signal(one, settings)
    assert not has_signal(with_rewards(group(*failed), settings), settings), "both failed"
    assert has_signal(with_rewards(group(*failed), recipe()), recipe()), "their own rewards differ"


def test_several_rewards_can_be_compared_separately() -> None:
    parts = [{"right": 1.0, "short": 0.2}, {"right": 0.0, "short": 0.9}, {"right": 0.0, "short": 0.1}]
    groups = [group(*(episode(str(i), 2 * one["right"] + one["short"], 3, parts=one) for i, one in enumerate(parts)))]
    settings = recipe(reward={"right": 2.0, "short": 1.0}, advantage={"rewards": "each"})
    [slow] = advantages_of_each([[[one["right"], one["short"]] for one in parts]], [2.0, 1.0])
    assert [sample.advantage for sample, _ in made_of(groups, settings)] == pytest.approx(slow)
    summed = recipe(reward={"right": 2.0, "short": 1.0})
    assert [sample.advantage for sample, _ in made_of(groups, summed)] == pytest.approx(
        advantages([[2.2, 0.9, 0.1]])[0]
    )


def test_credit_by_step_is_spread_over_the_tokens_of_each_turn() -> None:
    settings = recipe(advantage={"credit": "step", "scale": "none"})
    groups = [
        group(
            episode("a", 3.0, 2, 1, 3, steps=[1.0, 2.0, 0.0]),
            episode("b", 1.0, 1, 2, steps=[1.0, 0.0]),
            episode("c", None, 2, steps=[5.0]),
        )
    ]
    (a, _), (b, _) = made_of(groups, settings)
    assert a.advantages == [2.0, 2.0, 2.0, 0.0, 0.0, 0.0], "the third turn has nobody to be compared with"
    assert b.advantages == [-2.0, -2.0, -2.0]
    assert len(a.advantages) == sum(a.mask) and len(b.advantages) == sum(b.mask)


def test_what_a_verdict_adds_to_the_steps_is_earned_at_the_end() -> None:
    """The environment gave 1 on the way, the verifier says 4 in all: 3 are the last turn's."""
    settings = recipe(advantage={"credit": "step", "scale": "none"})
    made = made_of([group(episode("a", 4.0, 1, 1, steps=[1.0]), episode("b", 0.0, 1, 1))], settings)
    assert [sample.advantages for sample, _ in made] == [[4.0, 3.0], [-4.0, -3.0]]


# -- credit among equal states --------------------------------------------------------------------------------------


def conversation(place: str, reward: float | None, *turns: tuple[str, str], states: list[str] | None = None) -> Any:
    """Turns as (what the tool said before, what the policy called); and the verdict."""
    items: list[Item] = [Message("user", "do it")]
    made: list[Turn] = []
    for number, (told, call) in enumerate(turns):
        items += [FunctionCallOutput(f"{place}-{number - 1}", told)] if number else []
        saw, first = [(0, len(items))], len(items)
        items.append(FunctionCall(f"{place}-{number}", call, "{}"))
        made.append(
            Turn(
                parent=number - 1 if number else None, saw=saw, made=[first], context_ids=[1],
                completion_ids=[5 + number], logprobs=[-1.0], usage=Usage(completion_tokens=1),
            )
        )  # fmt: skip
    trajectory = Trajectory(id=place, task="t", group="t", items=items, turns=made, states=states or [])
    return trajectory, Verdict(trajectory=place, verifier="v", reward=reward)


def test_a_state_is_that_of_the_environment_and_what_the_policy_was_told_since() -> None:
    one, _ = conversation("a", 1.0, ("", "look"), ("a cup", "take"), ("taken", "go"), states=["s", "s", "t"])
    two, _ = conversation("b", 0.0, ("", "wait"), ("", "look"), ("a cup", "take"), states=["s", "s", "s"])
    (first, looked, taken), (other, waited, seen) = states_of(one), states_of(two)
    assert first == other and looked == seen, "another way to the same state, and other ids of calls"
    assert len({first, looked, taken, waited}) == 4, "the same state of the environment, but something else was seen"


def test_without_a_state_of_the_environment_the_conversation_is_the_state() -> None:
    one, _ = conversation("a", 1.0, ("", "look"), ("a cup", "take"))
    two, _ = conversation("b", 0.0, ("", "look"), ("a cup", "drop"))
    three, _ = conversation("c", 0.0, ("", "wait"), ("a cup", "take"))
    assert states_of(one) == states_of(two)
    assert states_of(one)[0] == states_of(three)[0] and states_of(one)[1] != states_of(three)[1]
    short = msgspec.structs.replace(one, states=["s"])
    assert states_of(short) == states_of(one), "states of some turns only cannot be trusted"


def test_credit_by_state_adds_what_a_turn_did_better_than_others_in_its_state() -> None:
    """Two take the cup and one of them wins; the third drops it. All began alike."""
    settings = recipe(advantage={"credit": "state", "scale": "none", "discount": 1.0, "min_scaled": 0})
    won = conversation("a", 1.0, ("", "look"), ("a cup", "take"), states=["s", "s"])
    lost = conversation("b", 0.0, ("", "look"), ("a cup", "drop"), states=["s", "s"])
    lost_early = conversation("c", 0.0, ("", "wait"), ("nothing", "wait"), states=["s", "s"])
    samples = [sample for sample, _ in made_of([group(won, lost, lost_early)], settings)]
    whole = [2 / 3, -1 / 3, -1 / 3]
    assert [sample.advantage for sample in samples] == pytest.approx(whole)
    assert samples[0].advantages == pytest.approx([whole[0] + 2 / 3, whole[0] + 1 / 2])
    assert samples[1].advantages == pytest.approx([whole[1] - 1 / 3, whole[1] - 1 / 2])
    assert samples[2].advantages == pytest.approx([whole[2] - 1 / 3, whole[2]]), "nobody else saw nothing"
    half = recipe(advantage={"credit": "state", "scale": "none", "discount": 1.0, "state_weight": 0.5})
    first = made_of([group(won, lost, lost_early)], half)[0][0]
    assert first.advantages == pytest.approx([2 / 3 + 0.5 * 1.0, 2 / 3 + 0.5 * 1.0]), "few are compared with the others"


def test_equal_rewards_have_signal_if_a_state_was_left_sooner() -> None:
    quick = conversation("a", 1.0, ("", "take"), states=["s"])
    slow = conversation("b", 1.0, ("", "look"), ("a cup", "take"), states=["s", "s"])
    one = with_rewards(group(quick, slow), recipe())
    assert has_signal(one, recipe(advantage={"credit": "state", "discount": 0.9}))
    assert not has_signal(one, recipe(advantage={"credit": "state", "discount": 1.0}))
    assert not has_signal(one, recipe())


# -- figures --------------------------------------------------------------------------------------------------------


def num_context(groups: list[Group]) -> int:
    return sum(len(turn.context_ids) for one in groups for episode in one.trajectories for turn in episode.turns)


def test_figures_are_means_over_what_was_scored() -> None:
    first, verdict = episode("a", 1.0, 4, passed=True, parts={"tool": 1.0})
    marked = Trajectory(id="a", task="t", group="t", turns=first.turns, marks=[Mark("format_error")])
    groups = [
        group((marked, verdict), episode("b", 0.0, 2, 6, parts={"tool": 0.0}, unsafe=True, stop=Stop.MAX_TOKENS)),
        group(episode("c", None, 50), episode("d", 0.5, 8, parts={"only": 0.3}), source="chat"),
    ]
    groups = [with_rewards(one, recipe()) for one in groups]
    assert summary(groups, recipe(), by_source=False) == pytest.approx(
        {
            "unscored": 1, "seen": 70 + num_context(groups),
            "reward": 0.5, "passed": 1 / 3, "unsafe": 1 / 3, "valid": 2 / 3, "truncated": 1 / 3,
            "part/tool": 0.5, "part/only": 0.3, "length": 5.0, "live_groups": 0.5,
        }
    )  # fmt: skip
    by_source = summary(groups, recipe(), by_source=True)
    assert (by_source["chat/reward"], by_source["shop/reward"]) == (0.5, 0.5)
    assert (by_source["chat/passed"], by_source["shop/passed"]) == (0.0, 0.5)


def test_the_length_is_that_of_the_policys_own_replies() -> None:
    one, verdict = episode("a", 1.0, 4)
    spoken_to = [*one.turns, Turn(actor="user", parent=0, usage=Usage(completion_tokens=90))]
    groups = [group((Trajectory(id="a", task="t", group="t", turns=spoken_to), verdict))]
    assert summary([with_rewards(one, recipe()) for one in groups], recipe(), by_source=False)["length"] == 4


def test_a_step_of_which_nothing_could_be_scored_says_so_and_no_more() -> None:
    groups = [group(episode("a", None, 2), episode("b", None, 3))]
    seen = 2 + 3 + num_context(groups)
    assert summary([with_rewards(one, recipe()) for one in groups], recipe(), by_source=True) == {
        "unscored": 2,
        "seen": seen,
        "live_groups": 0.0,
    }
    assert summary([], recipe(), by_source=False) == {"unscored": 0, "seen": 0, "live_groups": 0.0}


def test_a_group_with_equal_totals_has_signal_if_parts_or_steps_differ() -> None:
    two = {"a": 1.0, "b": 1.0}
    by_part = group(episode("e", 1.0, 3, parts={"a": 1.0, "b": 0.0}), episode("f", 1.0, 3, parts={"a": 0.0, "b": 1.0}))
    assert not has_signal(by_part._replace(rewards=[1.0, 1.0]), recipe(reward=two))
    assert has_signal(by_part._replace(rewards=[1.0, 1.0]), recipe(reward=two, advantage={"rewards": "each"}))
    by_step = group(episode("e", 1.0, 2, 2, steps=[1.0, 0.0]), episode("f", 1.0, 2, 2, steps=[0.0, 1.0]))
    assert not has_signal(by_step._replace(rewards=[1.0, 1.0]), recipe())
    assert has_signal(by_step._replace(rewards=[1.0, 1.0]), recipe(advantage={"credit": "step"}))
    assert len(made_of([by_step], recipe(advantage={"credit": "step"}))) == 2
