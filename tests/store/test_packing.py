"""Ids and logprobs as bytes: nothing is lost, whatever the numbers."""

import math

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from verigym.core.records import Trajectory, Turn
from verigym.store.packing import pack, unpack

ids = st.lists(st.integers(0, 2**31) | st.integers(-(2**63), 2**63 - 1), max_size=6)
floats = st.lists(st.floats(width=32, allow_nan=False) | st.floats(allow_nan=False), max_size=6)
turns = st.lists(st.builds(Turn, context_ids=ids, completion_ids=ids, logprobs=floats), max_size=4)


def made(turns: list[Turn]) -> Trajectory:
    return Trajectory(id="r/t/0", task="t", group="r/t", turns=turns)


@given(turns)
def test_what_is_packed_comes_back_as_it_was(turns: list[Turn]) -> None:
    bare, packed = pack(made(turns))
    assert all(not turn.context_ids and not turn.completion_ids and not turn.logprobs for turn in bare.turns)
    assert unpack(bare, packed) == made(turns)


def test_a_trajectory_without_ids_is_left_as_it_is() -> None:
    one = made([Turn(made=[0])])
    assert pack(one) == (one, None)
    assert unpack(one, None) is one


def test_a_models_own_numbers_take_four_bytes_each() -> None:
    logprobs = [struct_float(-0.1 * n) for n in range(100)]
    _, packed = pack(made([Turn(context_ids=list(range(50_000, 50_100)), logprobs=logprobs)]))
    assert packed is not None and len(packed) == 3 * 5 + 4 * 200
    assert len(packed) < len(msgspec.json.encode([list(range(50_000, 50_100)), logprobs])) / 2


def struct_float(value: float) -> float:
    import struct

    return struct.unpack("f", struct.pack("f", value))[0]


def test_a_logprob_of_minus_infinity_and_none_at_all_come_back() -> None:
    one = made([Turn(completion_ids=[1, 2], logprobs=[-math.inf, math.nan])])
    found = unpack(*pack(one)).turns[0].logprobs
    assert found[0] == -math.inf and math.isnan(found[1])
