"""Packing: every distinct beginning has one place, every sample finds its tokens again, and the budget is kept."""

import itertools

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from tests.model.batches import batches, episode, sample
from verigym.core.records import Sample
from verigym.model.tree import PackedBatch, common, pack

sharing = pytest.mark.parametrize("share", [True, False], ids=["shared", "separate"])


def beginnings(samples: list[Sample]) -> set[tuple[int, ...]]:
    return {tuple(one.ids[:length]) for one in samples for length in range(1, len(one.ids) + 1)}


def paths(packed: PackedBatch) -> list[list[int]]:
    return [places.tolist() for places in packed.places]


def beginning_at(packed: PackedBatch) -> dict[int, tuple[int, ...]]:
    """What every place stands for: the ids from the root to it."""
    ids = packed.ids_N.tolist()
    return {place: tuple(ids[p] for p in path[: i + 1]) for path in paths(packed) for i, place in enumerate(path)}


def test_the_example_of_the_file() -> None:
    [packed] = pack([sample([5, 6, 9], 1), sample([5, 6, 7, 8], 2), sample([5, 4], 1)], 100)
    assert packed.samples == [2, 1, 0]
    assert packed.ids_N.tolist() == [5, 4, 6, 7, 8, 9]
    assert packed.positions_N.tolist() == [0, 1, 1, 2, 3, 2]
    assert packed.ends_N.tolist() == [6, 2, 6, 5, 5, 6]
    assert paths(packed) == [[0, 1], [0, 2, 3, 4], [0, 2, 5]]
    assert (packed.parents_M.tolist(), packed.targets_M.tolist()) == ([0, 2, 3, 2], [4, 7, 8, 9])
    assert packed.scored_BS.tolist() == [[0, 0], [1, 2], [3, 0]]
    assert packed.mask_BS.tolist() == [[True, False], [True, True], [True, False]]


@given(batches())
@example([sample([3, 4, 5], 2)] * 3)
@example([sample([3, 4], 1), sample([3, 4, 5], 1), sample([3, 4, 5, 6], 1)])
@example([sample([3], 0), sample([4], 0)])
def test_every_distinct_beginning_has_exactly_one_place(samples: list[Sample]) -> None:
    [packed] = pack(samples, 10_000)
    assert len(packed.ids_N) == len(beginnings(samples))
    assert sorted(beginning_at(packed).values()) == sorted(beginnings(samples))


@sharing
@given(samples=batches())
def test_every_sample_finds_its_tokens_at_their_positions(share: bool, samples: list[Sample]) -> None:
    [packed] = pack(samples, 10_000, share=share)
    assert sorted(packed.samples) == list(range(len(samples)))
    for i, path in zip(packed.samples, paths(packed), strict=True):
        assert packed.ids_N[path].tolist() == samples[i].ids
        assert packed.positions_N[path].tolist() == list(range(len(samples[i].ids)))


@sharing
@given(samples=batches())
def test_a_place_may_look_at_itself_and_its_ancestors_and_nothing_else(share: bool, samples: list[Sample]) -> None:
    [packed] = pack(samples, 10_000, share=share)
    ancestors = {place: set(path[: i + 1]) for path in paths(packed) for i, place in enumerate(path)}
    ends = packed.ends_N.tolist()
    for i, j in itertools.product(range(len(ends)), repeat=2):
        assert (j <= i < ends[j]) == (j in ancestors[i])


@sharing
@given(samples=batches())
def test_a_scored_token_is_predicted_once_and_at_its_parent(share: bool, samples: list[Sample]) -> None:
    [packed] = pack(samples, 10_000, share=share)
    parents, targets = packed.parents_M.tolist(), packed.targets_M.tolist()
    used = set()
    for i, path, scored, mask in zip(
        packed.samples, paths(packed), packed.scored_BS.tolist(), packed.mask_BS.tolist(), strict=True
    ):
        wanted = [t for t, one in enumerate(samples[i].mask) if one]
        assert mask == sorted(mask, reverse=True) and sum(mask) == len(wanted)
        for t, m in zip(wanted, scored, strict=False):
            assert (parents[m], targets[m]) == (path[t - 1], samples[i].ids[t])
            used.add(m)
    assert used == set(range(len(parents)))
    assert len(set(zip(parents, targets, strict=True))) == len(parents)


@sharing
@given(samples=batches(), budget=st.integers(1, 40))
def test_micro_batches_keep_to_the_budget_and_hold_every_sample_once(
    share: bool, samples: list[Sample], budget: int
) -> None:
    made = pack(samples, budget, share=share)
    assert sorted(i for packed in made for i in packed.samples) == list(range(len(samples)))
    for packed in made:
        assert len(packed.ids_N) <= budget or len(packed.samples) == 1
        assert packed.shared == share
    for one, following in itertools.pairwise(made):
        first = [samples[i] for i in [*one.samples, following.samples[0]]]
        together = len(beginnings(first)) if share else sum(len(each.ids) for each in first)
        assert together > budget, "a micro-batch ends only where the next sample does not fit"


def in_pairs(samples: list[Sample]) -> list[Sample]:
    return samples[: len(samples) // 2 * 2]


paired = batches(most=9).map(in_pairs).filter(bool)


@sharing
@given(samples=paired, budget=st.integers(1, 60))
@example(samples=[sample([3, 4], 1), sample([3, 4, 5], 1), sample([3, 4, 5], 1), sample([3, 9], 1)], budget=5)
def test_pairs_stay_together_and_keep_to_the_budget(share: bool, samples: list[Sample], budget: int) -> None:
    made = pack(samples, budget, share=share, together=2)
    assert sorted(i for packed in made for i in packed.samples) == list(range(len(samples)))
    for packed in made:
        own = set(packed.samples)
        assert all(i ^ 1 in own for i in own), "the other side of i's pair"
        assert len(packed.ids_N) <= budget or len(own) == 2, "only a pair that is longer by itself"


@sharing
@given(samples=paired, budget=st.integers(1, 60))
def test_pairs_are_packed_as_well_as_their_samples_would_be(share: bool, samples: list[Sample], budget: int) -> None:
    """Within a micro-batch nothing is left of them being pairs: it is the tree of its samples."""
    for packed in pack(samples, budget, share=share, together=2):
        own = sorted(packed.samples)
        [plain] = pack([samples[i] for i in own], 10_000, share=share)
        assert len(packed.ids_N) == len(plain.ids_N)
        for i, path in zip(packed.samples, paths(packed), strict=True):
            assert packed.ids_N[path].tolist() == samples[i].ids
            assert packed.positions_N[path].tolist() == list(range(len(samples[i].ids)))
        ancestors = {place: set(path[: i + 1]) for path in paths(packed) for i, place in enumerate(path)}
        ends = packed.ends_N.tolist()
        for i, j in itertools.product(range(len(ends)), repeat=2):
            assert (j <= i < ends[j]) == (j in ancestors[i])


@given(batches())
def test_separate_samples_are_lines_of_their_own_the_equally_long_together(samples: list[Sample]) -> None:
    [packed] = pack(samples, 10_000, share=False)
    assert [place for path in paths(packed) for place in path] == list(range(sum(len(one.ids) for one in samples)))
    lengths = [len(path) for path in paths(packed)]
    assert lengths == sorted(lengths)


def test_what_ten_turns_of_an_episode_share_has_one_place() -> None:
    samples = episode(turns=10, gained=20, said=5, vocabulary=1000)
    [packed] = pack(samples, 10_000)
    assert len(packed.ids_N) == 10 * 25
    assert len(packed.parents_M) == 10 * 5
    assert sum(len(one.ids) for one in samples) == 55 * 25


def test_a_first_token_cannot_be_scored() -> None:
    with pytest.raises(AssertionError, match="nothing predicts the first token"):
        pack([Sample(ids=[3, 4], mask=[1, 1], logprobs=[])], 10)


def test_tensors_are_made_where_they_are_wanted() -> None:
    [packed] = pack([sample([3, 4], 1)], 10, device="meta")
    assert {each.device.type for each in packed if isinstance(each, torch.Tensor)} == {"meta"}


@given(st.lists(st.integers(0, 2), max_size=5), st.lists(st.integers(0, 2), max_size=5))
def test_what_two_begin_with_is_the_longest_such(one: list[int], other: list[int]) -> None:
    length = common(one, other)
    assert one[:length] == other[:length]
    assert length == min(len(one), len(other)) or one[length] != other[length]
