"""Pages of the cache: nobody holds what another writes, what was computed is found again, nothing leaks."""

import random

import pytest

from verigym.policies.local.pages import Pages, SequencePages


def prompt(length: int, seed: int = 0) -> list[int]:
    draw = random.Random(seed)
    return [draw.randrange(100) for _ in range(length)]


def test_a_row_gets_pages_for_all_it_may_grow_to_and_page_0_is_nobodys() -> None:
    pages = Pages(10, 4)
    held = pages.take(prompt(6), 11)
    assert held is not None and held.cached == 0
    assert len(held.pages) == 3 and 0 not in held.pages and pages.room == 6


def test_siblings_share_full_pages_of_their_prompt_and_keep_the_last_to_themselves() -> None:
    pages = Pages(20, 4)
    one, other = (pages.take(prompt(10), 14) for _ in range(2))
    assert one is not None and other is not None
    assert other.cached == 8 and one.pages[:2] == other.pages[:2]
    assert not set(one.pages[2:]) & set(other.pages[2:])


def test_a_prompt_that_fills_its_pages_still_computes_its_last_page_itself() -> None:
    pages = Pages(20, 4)
    pages.take(prompt(8), 12)
    again = pages.take(prompt(8), 12)
    assert again is not None and again.cached == 4


def test_another_prompt_shares_only_as_far_as_it_is_the_same() -> None:
    pages = Pages(20, 4)
    first = pages.take([1, 2, 3, 4, 5, 6, 7, 8, 9], 12)
    second = pages.take([1, 2, 3, 4, 5, 6, 0, 8, 9], 12)
    assert first is not None and second is not None
    assert second.cached == 4 and first.pages[0] == second.pages[0] and first.pages[1] != second.pages[1]


def test_equal_ids_after_another_beginning_are_not_the_same_page() -> None:
    pages = Pages(20, 4)
    pages.take([1, 1, 1, 1, 7, 7, 7, 7, 5], 12)
    other = pages.take([2, 2, 2, 2, 7, 7, 7, 7, 5], 12)
    assert other is not None and other.cached == 0


def test_the_next_turn_of_a_conversation_finds_what_the_last_one_computed() -> None:
    pages = Pages(20, 4)
    first = pages.take(prompt(6), 12)
    assert first is not None
    said = [*prompt(6), 50, 51, 52, 53]
    pages.release(first, said[:-1])
    again = pages.take([*said, 60, 61], 20)
    assert again is not None and again.cached == 8 and again.pages[:2] == first.pages[:2]


def test_without_room_nothing_is_taken_and_nothing_lost() -> None:
    pages = Pages(5, 4)
    held = pages.take(prompt(8), 12)
    assert held is not None and pages.take(prompt(8, 1), 12) is None and pages.room == 1
    pages.release(held, prompt(8))
    assert pages.room == 4 and pages.take(prompt(8, 1), 12) is not None


def test_spare_pages_are_left() -> None:
    pages = Pages(5, 4)
    assert pages.take(prompt(8), 16, spare=1) is None and pages.room == 4
    assert pages.take(prompt(8), 12, spare=1) is not None and pages.room == 1


def test_what_is_shared_counts_once_against_the_room() -> None:
    pages = Pages(6, 4)
    assert pages.take(prompt(9), 12) is not None
    assert pages.take(prompt(9), 12) is not None
    assert pages.take(prompt(9), 12) is not None
    assert pages.room == 0 and pages.take(prompt(9), 12) is None


def test_unheld_pages_are_given_away_the_longest_unused_first() -> None:
    pages = Pages(5, 4)
    for seed in (1, 2):
        held = pages.take(prompt(5, seed), 8)
        assert held is not None
        pages.release(held, prompt(5, seed))
    big = pages.take(prompt(9, 3), 12)
    assert big is not None
    newer, older = pages.take(prompt(5, 2), 5), pages.take(prompt(5, 1), 5)
    assert older is None or older.cached == 0
    assert newer is None or newer.cached == 4


def test_after_forgetting_nothing_is_found() -> None:
    pages = Pages(10, 4)
    held = pages.take(prompt(9), 9)
    assert held is not None
    pages.release(held, prompt(9))
    pages.forget()
    again = pages.take(prompt(9), 9)
    assert again is not None and again.cached == 0 and pages.room == 6


def test_more_pages_are_added_without_touching_those_in_use() -> None:
    pages = Pages(3, 4)
    held = pages.take(prompt(5), 8)
    assert held is not None and pages.take(prompt(5, 1), 8) is None
    pages.grow(6)
    other = pages.take(prompt(5, 1), 8)
    assert other is not None and not set(held.pages) & set(other.pages) and pages.room == 1


@pytest.mark.parametrize("seed", range(20))
def test_over_any_history_every_page_has_one_place(seed: int) -> None:
    """Held pages that are written (a row's own) are nobody else's, shared ones hold the same ids, and in the end all are free."""
    draw = random.Random(seed)
    pages = Pages(40, 4)
    rows: list[tuple[list[int], SequencePages]] = []
    for _ in range(300):
        if rows and draw.random() < 0.45:
            ids, held = rows.pop(draw.randrange(len(rows)))
            pages.release(held, ids + [draw.randrange(3) for _ in range(draw.randrange(0, 5))])
            continue
        ids = [draw.randrange(2) for _ in range(draw.randrange(1, 30))]
        held = pages.take(ids, len(ids) + draw.randrange(1, 6))
        if held is None:
            continue
        assert held.cached < len(ids)
        for other_ids, other in rows:
            for place, page in enumerate(held.pages):
                if page in other.pages:
                    assert place * 4 < held.cached and other.pages.index(page) == place
                    assert ids[: (place + 1) * 4] == other_ids[: (place + 1) * 4]
        rows.append((ids, held))
        in_use = {page for _, one in rows for page in one.pages}
        assert pages.room == 39 - len(in_use)
    for ids, held in rows:
        pages.release(held, ids)
    assert pages.room == 39
