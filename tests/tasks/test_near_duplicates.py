"""Texts that are nearly the same: never a pair that is not, the same whatever the order, and quick on many."""

import random
import time
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verigym.core.records import FunctionCall, Message, Task
from verigym.tasks import near_duplicates as near

BASE = "Please book a table for four people at the Italian place on Friday evening at eight o'clock."


def jaccard(left: str, right: str) -> float:
    """The similarity by definition."""
    ours, theirs = ({text[i : i + 5] for i in range(max(1, len(text) - 4))} for text in (left, right))
    return len(ours & theirs) / len(ours | theirs)


def edited(text: str, seed: int, edits: int) -> str:
    """The text with some letters replaced."""
    draw = random.Random(seed)
    letters = list(text)
    for place in draw.sample(range(len(letters)), edits):
        letters[place] = draw.choice("qxz")
    return "".join(letters)


TEXTS = st.lists(
    st.text("ab ", max_size=12)
    | st.builds(edited, st.sampled_from([BASE, BASE[::-1]]), st.integers(0, 20), st.integers(0, 8)),
    max_size=12,
)


def groups(links: list[tuple[str, str, float]]) -> set[frozenset[str]]:
    joined = near.TextGroups()
    for left, right, _ in links:
        joined.join(left, right)
    roots: dict[str, set[str]] = {}
    for text in {text for link in links for text in link[:2]}:
        roots.setdefault(joined.root(text), set()).add(text)
    return {frozenset(texts) for texts in roots.values()}


@settings(deadline=None)
@given(TEXTS, st.sampled_from([0.3, 0.5, 0.8, 1.0]))
def test_every_link_is_as_alike_as_it_says_and_as_asked(texts: list[str], at_least: float) -> None:
    for left, right, likeness in near.links(texts, at_least):
        assert likeness == pytest.approx(jaccard(left, right)) and likeness >= at_least and left != right


@settings(deadline=None)
@given(TEXTS)
def test_what_is_much_more_alike_than_asked_is_always_connected(texts: list[str]) -> None:
    found = groups(near.links(texts, 0.3))
    for left, right in combinations(sorted(set(texts)), 2):
        if jaccard(left, right) >= 0.6:
            assert any({left, right} <= group for group in found)


@settings(deadline=None)
@given(TEXTS, st.randoms())
def test_links_depend_on_the_texts_and_not_on_their_order(texts: list[str], draw: random.Random) -> None:
    shuffled = [*texts, *texts[:2]]
    draw.shuffle(shuffled)
    assert near.links(shuffled, 0.5) == near.links(texts, 0.5)


@settings(deadline=None)
@given(TEXTS)
def test_links_are_a_forest(texts: list[str]) -> None:
    joined = near.TextGroups()
    for left, right, _ in near.links(texts, 0.3):
        assert joined.root(left) != joined.root(right)
        joined.join(left, right)


@settings(deadline=None)
@given(TEXTS)
def test_a_repeat_is_of_an_earlier_text_that_is_none_itself(texts: list[str]) -> None:
    found = near.repeats(texts, 0.8)
    for later, (earlier, likeness) in found.items():
        assert earlier < later and earlier not in found
        assert likeness == pytest.approx(jaccard(texts[earlier], texts[later])) and likeness >= 0.8
    kept = [texts[place] for place in range(len(texts)) if place not in found]
    assert len(set(kept)) == len(kept)


@pytest.mark.parametrize(("at_least", "rows"), [(0.3, 2), (0.5, 4), (0.7, 6), (0.8, 9), (1.0, 128)])
def test_bands_are_as_long_as_they_can_be_and_still_meet(at_least: float, rows: int) -> None:
    assert near.rows_per_band(at_least) == rows


def test_a_paraphrase_of_a_few_words_is_near_and_another_request_is_not() -> None:
    near_one = BASE.replace("Please book", "Could you book")
    assert jaccard(BASE, near_one) > 0.8 > 0.2 > jaccard(BASE, "What is the weather like in Rome?")
    assert [link[:2] for link in near.links([BASE, near_one, "What is the weather?"], 0.7)] == [(near_one, BASE)]


def test_the_text_of_a_task_leaves_out_instructions_case_and_spacing() -> None:
    items = [
        Message("system", "Long rules."),
        Message("user", "  Hello\n THERE "),
        FunctionCall("c", "Find", '{"a": 1}'),
    ]
    assert near.text_of(Task(id="a", prompt=list(items))) == 'hello there find {"a": 1}'
    assert near.text_of(Task(id="a", prompt="Ｈello  there")) == "hello there"


def test_a_very_long_text_is_compared_in_pieces() -> None:
    draw = random.Random(0)
    long = "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=40_000))
    assert len(near.links([long, long + " and more", long[::-1]], 0.9)) == 1


def test_progress_is_told() -> None:
    seen: list[tuple[int, int]] = []
    near.links([f"text {number}" for number in range(1500)], 0.9, lambda done, total: seen.append((done, total)))
    assert seen == [(0, 1500), (1000, 1500)]


def test_many_texts_of_one_template_do_not_take_the_square_of_their_number() -> None:
    started = time.process_time()
    found = near.links(
        [f"What is {number * 7919 % 99991} times {number * 104729 % 99991}?" for number in range(3000)], 0.5
    )
    assert found and time.process_time() - started < 20


def test_every_known_text_that_is_alike_is_named_the_likeliest_first() -> None:
    room = "book a room on the second floor for the whole marketing team"
    known = [f"{room} and tea", "send the invoice", room, f"{room}s"]
    found, nothing = near.likes([room, "water the plants"], known, 0.7)
    assert [place for place, _ in found] == [2, 3, 0]
    assert [likeness for _, likeness in found] == [jaccard(known[place], room) for place in (2, 3, 0)]
    assert nothing == [] and near.likes([], known, 0.7) == [] and near.likes(["x"], [], 0.7) == [[]]
