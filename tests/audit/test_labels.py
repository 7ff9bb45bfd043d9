"""A labelling session: which pairs are asked, what each key does, and that nothing answered is lost or asked twice."""

import itertools
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from verigym.audit.labels import (
    SINGLE_KEYS,
    TAKEN_BACK,
    LabelPair,
    LabelSession,
    explain,
    make_pairs,
    pick,
    press,
    remaining,
)
from verigym.core.records import Label, Mark, Message, Stop, Trajectory, Turn
from verigym.store.database import EpisodeStatus


def episode(task: str, index: int, text: str, stop: Stop = Stop.DONE, marks: Sequence[Mark] = ()) -> Trajectory:
    return Trajectory(
        id=f"r/{task}/{index}",
        task=task,
        group=task,
        index=index,
        items=[Message("user", "Hi"), Message("assistant", text)],
        turns=[Turn(made=[1])],
        stop=stop,
        marks=[*marks],
    )


EPISODES = [episode(task, index, f"{task}{index}") for task in ("a", "b", "c") for index in range(4)]
PAIRS = make_pairs(EPISODES, 99, seed=0)


def typed(session: LabelSession, keys: str) -> tuple[LabelSession, list[Label]]:
    made: list[Label] = []
    for key in keys:
        session, label = press(session, key)
        made += [label] if label is not None else []
    return session, made


# -- which pairs --------------------------------------------------------------------------------------------------------


def test_every_task_is_asked_once_before_any_is_asked_twice() -> None:
    assert {pair.task for pair in PAIRS[:3]} == {"a", "b", "c"} == {pair.task for pair in PAIRS[3:]}
    assert len({id for pair in PAIRS for id in (pair.left, pair.right)}) == 12
    assert make_pairs(EPISODES, 2, seed=0) == PAIRS[:2]


def test_which_is_left_depends_on_the_seed_and_not_on_the_place_in_the_run() -> None:
    first_is_left = [make_pairs(EPISODES[:2], 1, seed)[0].left == "r/a/0" for seed in range(200)]
    assert 60 < sum(first_is_left) < 140
    assert make_pairs(EPISODES[::-1], 99, seed=0) == PAIRS


def test_only_outputs_that_differ_and_can_be_learnt_from_are_asked() -> None:
    same = [episode("a", 0, "x"), episode("a", 1, "x")]
    cut_off = [episode("b", 0, "x"), episode("b", 1, "y", stop=Stop.MAX_TOKENS)]
    unsafe = [episode("c", 0, "x"), episode("c", 1, "y", marks=[Mark("unsafe", 1)])]
    silent = [episode("d", 0, "x"), Trajectory(id="r/d/1", task="d", group="d")]
    assert make_pairs([*same, *cut_off, *unsafe, *silent], 99, seed=0) == []


# -- keys ---------------------------------------------------------------------------------------------------------------


def test_each_key_says_something_about_the_left_output() -> None:
    session, made = typed(LabelSession(who="anna", pairs=PAIRS), "12=s")
    assert [label.judgement for label in made] == ["better", "worse", "same", "skip"] == session.answers
    assert [
        LabelPair(pair.task, label.trajectory, label.other) for label, pair in zip(made, PAIRS, strict=False)
    ] == PAIRS[:4]
    assert {label.who for label in made} == {"anna"} and session.pair == PAIRS[4] and not session.over


def test_a_key_without_a_meaning_changes_nothing() -> None:
    session = LabelSession(who="anna", pairs=PAIRS)
    for key in ["x", "", "12", "\x1b[A", "u"]:
        assert press(session, key) == (session, None)
    done = LabelSession(who="anna", pairs=[])
    assert press(done, "1") == (done, None)


def test_undo_takes_back_the_last_answer_by_one_more_label() -> None:
    session, made = typed(LabelSession(who="anna", pairs=PAIRS), "1u")
    assert session == LabelSession(who="anna", pairs=PAIRS)
    assert made[1] == Label(
        trajectory=PAIRS[0].left, other=PAIRS[0].right, judgement="skip", who="anna", note=TAKEN_BACK
    )
    assert remaining(PAIRS, made, "anna") == PAIRS


def test_the_last_answer_can_be_taken_back_too_and_quit_ends() -> None:
    session, _ = typed(LabelSession(who="anna", pairs=PAIRS[:1]), "1")
    assert session.pair is None and not session.over
    assert typed(session, "u")[0].pair == PAIRS[0]
    assert typed(session, "q")[0].over


# -- resuming -----------------------------------------------------------------------------------------------------------


@given(st.text("12=suqx", max_size=40))
def test_what_is_left_is_what_has_no_answer_wherever_the_session_was_killed(keys: str) -> None:
    session, made = typed(LabelSession(who="anna", pairs=PAIRS), keys)
    assert remaining(PAIRS, made, "anna") == PAIRS[len(session.answers) :]
    assert remaining(PAIRS, made, "bo") == PAIRS


def test_a_pair_answered_with_its_sides_swapped_is_not_asked_again() -> None:
    label = Label(trajectory=PAIRS[0].right, other=PAIRS[0].left, judgement="better", who="anna")
    assert remaining(PAIRS, [label], "anna") == PAIRS[1:]


# -- one output at a time -----------------------------------------------------------------------------------------------


def standing(task: str, place: int, passed: bool, fault: str = "") -> EpisodeStatus:
    return EpisodeStatus(task, place, fault, True, float(passed), passed, "")


MIXED = [standing(f"t{i}", place, i % 4 == 0) for i in range(40) for place in range(3)]


def test_outputs_are_picked_over_all_tasks_first_and_a_larger_number_keeps_the_smaller() -> None:
    few, more = pick(MIXED, 40, seed=0), pick(MIXED, 100, seed=0)
    assert len({task for task, _ in few}) == 40 and set(few) < set(more) and len(set(more)) == 100
    assert pick(MIXED[::-1], 40, seed=0) == few != pick(MIXED, 40, seed=1)
    assert pick([standing("a", 0, True, fault="infrastructure"), standing("a", 1, False, fault="model")], 9, 0) == [
        ("a", 1)
    ]
    assert pick([], 9, seed=0) == []


@given(st.integers(0, 1000))
def test_whoever_stops_early_has_seen_the_run_s_mixture_and_cannot_count_it_out(seed: int) -> None:
    order = [int(task[1:]) % 4 == 0 for task, _ in pick(MIXED, 40, seed)]
    assert all(abs(sum(order[:n]) - n / 4) <= 2 for n in range(41))
    gaps = {b - a for a, b in itertools.pairwise(place for place, passed in enumerate(order) if passed)}
    assert len(gaps) > 1


def test_single_outputs_have_keys_of_their_own_and_a_reason_follows_as_one_more_label() -> None:
    outputs = [LabelPair("a", "r/a/0"), LabelPair("b", "r/b/0")]
    session = LabelSession(who="anna", pairs=outputs, keys=SINGLE_KEYS)
    assert explain(session, "why") is None
    session, made = typed(session, "1gb")
    assert [(one.trajectory, one.other, one.judgement) for one in made] == [("r/a/0", "", "good"), ("r/b/0", "", "bad")]
    reason = explain(session, "  wrong day ")
    assert reason is not None and (reason.trajectory, reason.judgement, reason.note) == ("r/b/0", "bad", "wrong day")
    assert explain(session, "  ") is None
    assert remaining(outputs, [*made, reason], "anna") == [] and remaining(outputs, made, "ben") == outputs
    paired = [Label(trajectory="r/a/0", other="r/a/1", judgement="better", who="anna")]
    assert remaining(outputs, paired, "anna") == outputs, "a pair says nothing about one output alone"
