"""A note is answered by the asked words and nothing else; nearer replies earn more, and no trick earns a pass."""

import re

import pytest

from verigym.audit.check import check_environment
from verigym.core.errors import NotFound, VerifierFailure
from verigym.core.records import FunctionCall, Item, Message, Task, Trajectory, Verdict
from verigym.environments import notes
from verigym.environments.load import find_by_verifier, load_environment
from verigym.environments.notes.verifier import notes_verifier, words
from verigym.evaluation.failures import bucket
from verigym.tasks.leaks import find_leaks

TRAIN, VAL, BY_HAND = (notes.tasks(split) for split in ("train", "val", "seed"))
DETAILS = ["Friday", "9:30", "12"]


def task(answer: str) -> Task:
    return Task(id="t", prompt="Note: N\nQuestion: Q", data={"answer": answer, "others": DETAILS})


def said(*items: str | Item) -> Trajectory:
    messages = [Message("assistant", item) if isinstance(item, str) else item for item in items]
    return Trajectory(id="a", task="t", group="g", items=messages)


def judged(answer: str, reply: str) -> Verdict:
    return notes_verifier(task(answer), said(reply))


# -- tasks ----------------------------------------------------------------------------------------------------------------


def test_there_are_as_many_tasks_and_families_as_the_card_says() -> None:
    counts = [(len(tasks), len({task.family for task in tasks})) for tasks in (TRAIN, VAL, BY_HAND)]
    assert counts == [(840, 84), (400, 100), (30, 30)]
    assert len({str(task.prompt) for task in [*TRAIN, *VAL, *BY_HAND]}) == 1270


def test_a_reply_and_a_prompt_are_short() -> None:
    for each in (*TRAIN, *VAL, *BY_HAND):
        note = str(each.prompt).partition("\n")[0]
        assert len(words(note)) <= 29 and len(str(each.prompt)) <= 200 and len(each.data["answer"]) <= 20


def test_an_answer_stands_in_its_note_and_both_answers_to_yes_or_no_are_held_out() -> None:
    for each in (*TRAIN, *VAL, *BY_HAND):
        note = str(each.prompt).partition("\n")[0]
        parts = [] if each.tags == ["yes_no"] else each.data["answer"].split(", ")
        assert all(part in note for part in parts), each.id
    answers = [each.data["answer"] for each in VAL if each.tags == ["yes_no"]]
    assert answers.count("yes") == answers.count("no") == 10


def test_held_out_tasks_share_no_answer_word_and_no_five_words_in_a_row_with_the_others() -> None:
    def runs(tasks: list[Task]) -> set[tuple[str, ...]]:
        texts = (text for each in tasks for text in re.split(r"^Note: |\nQuestion: ", str(each.prompt)))
        return {tuple(one[i : i + 5]) for one in map(words, texts) for i in range(len(one) - 4)}

    def open_answers(tasks: list[Task]) -> set[str]:
        return {
            word for each in tasks if each.tags[0] in ("who", "where", "what") for word in words(each.data["answer"])
        }

    for left, right in ((TRAIN, VAL), (TRAIN, BY_HAND), (VAL, BY_HAND)):
        assert not runs(left) & runs(right) and not open_answers(left) & open_answers(right)
    assert not find_leaks({"train": TRAIN, "val": VAL, "seed": BY_HAND}, 0.5)


def test_the_contract_of_the_environment_holds_and_it_is_found_by_its_names() -> None:
    checks = check_environment(load_environment("notes"), num_tasks=12)
    assert [one.name for one in checks if one.outcome == "fail"] == []
    assert {find_by_verifier(name).name for name in ("notes_eval", "notes_seed", "notes_verifier")} == {"notes"}
    with pytest.raises(NotFound, match=r'no split of notes "test".*Available: seed, train, val'):
        notes.tasks("test")


def test_the_better_prompt_shows_right_replies_and_no_word_of_a_task() -> None:
    _, *blocks = notes.BETTER_SYSTEM.split("Note: ")
    [note, *asked] = blocks[0].split("\nQuestion: ")
    for one in asked:
        assert all(part in note for part in one.splitlines()[1].split(", "))
    texts = " ".join(str(each.prompt) for each in (*TRAIN, *VAL, *BY_HAND))
    assert len(asked) == 3 and not {"selma", "ukulele", "150"} & set(words(texts))


# -- verifier -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("Omar", "omar"),
        ("Omar", " Omar.\n"),
        ("rice cooker", "The rice cooker"),
        ("rice cooker", "a Rice Cooker ."),
        ("Omar, Friday", "omar, friday"),
        ("9:30", "9:30."),
        ("doll's house", "Doll's house"),
        ("no", "No."),
    ],
)
def test_case_space_a_full_stop_and_an_article_do_not_count(answer: str, reply: str) -> None:
    verdict = judged(answer, reply)
    assert verdict.passed and verdict.reward == 1.0


@pytest.mark.parametrize(
    ("answer", "reply", "reward"),
    [
        ("Omar", "", 0.0),
        ("Omar", "Leila", 0.0),
        ("Omar", "Omar..", 0.9),
        ("Omar", '"Omar"', 0.9),
        ("Omar", "Omar\nOmar", 0.6),
        ("Omar", "Omar or Leila", 0.45),
        ("Omar", "Omar will pick up the printer on Friday evening.", 0.18),
        ("Omar, Friday", "Omar and Friday", 0.72),
        ("Omar, Friday", "Friday, Omar", 0.9),
        ("Omar, Friday", "Omar", 0.6),
        ("rice cooker", "cooker", 0.6),
        ("9:30", "09:30", 0.0),
        ("9:30", "9.30", 0.0),
        ("12", "twelve", 0.0),
        ("12", "12.0", 0.6),
        ("yes", "yes no", 0.6),
        ("the Hague", "the the Hague", 0.72),
    ],
)
def test_any_other_reply_fails_and_earns_more_the_nearer_it_is(answer: str, reply: str, reward: float) -> None:
    verdict = judged(answer, reply)
    assert not verdict.passed and verdict.reward == pytest.approx(reward)
    assert f'expected "{answer}"' in verdict.evidence


def test_every_detail_of_a_note_but_the_answer_fails() -> None:
    for each in VAL:
        assert notes_verifier(each, said(each.data["answer"])).passed
        assert not [one for one in each.data["others"] if notes_verifier(each, said(one)).passed], each.id


@pytest.mark.parametrize("reply", [" \n", "\x00", "🙂" * 50, "x " * 100_000, "." * 100_000, "the " * 50_000])
def test_no_odd_reply_breaks_the_verifier(reply: str) -> None:
    assert not judged("Omar", reply).passed


def test_a_call_is_no_answer_and_a_task_without_an_answer_is_the_tasks_fault() -> None:
    call = FunctionCall("c", "answer", "{}")
    assert notes_verifier(task("Omar"), said(call, "Omar")).reward == 0.0
    with pytest.raises(VerifierFailure, match='"answer" is missing'):
        notes_verifier(Task(id="t", prompt="?"), said("Omar"))


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("It is Omar, on Friday.", "too many words"),
        ('"Omar"', "too many words"),
        ("Friday.", "wrong detail"),
        ("Olaf", "wrong answer"),
        ("Omar", ""),
    ],
)
def test_a_failure_is_named(reply: str, expected: str) -> None:
    assert bucket(task("Omar"), said(reply), judged("Omar", reply), notes.explain) == expected
