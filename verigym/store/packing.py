"""Token ids and logprobs as bytes beside a trajectory's JSON: a third of the size, and no loss.

    packed = for each turn: context_ids, completion_ids, logprobs
    each   = one byte of kind, four bytes of count, the numbers

Ids are unsigned 32-bit (64-bit where one does not fit); logprobs are 32-bit floats where that is exact, which those of a
model are, and 64-bit floats otherwise. Little-endian on every machine.
"""

import sys
from array import array
from collections.abc import Sequence

import msgspec

from verigym.core.records import Trajectory, Turn


def pack(trajectory: Trajectory) -> tuple[Trajectory, bytes | None]:
    """The trajectory without its ids and logprobs, and these; none when there are none."""
    if not any(turn.context_ids or turn.completion_ids or turn.logprobs for turn in trajectory.turns):
        return trajectory, None
    parts: list[bytes] = []
    bare: list[Turn] = []
    for turn in trajectory.turns:
        parts += [_ids(turn.context_ids), _ids(turn.completion_ids), _floats(turn.logprobs)]
        bare.append(msgspec.structs.replace(turn, context_ids=[], completion_ids=[], logprobs=[]))
    return msgspec.structs.replace(trajectory, turns=bare), b"".join(parts)


def unpack(trajectory: Trajectory, packed: bytes | None) -> Trajectory:
    """The trajectory with its ids and logprobs in place again."""
    if packed is None:
        return trajectory
    place = 0
    turns: list[Turn] = []
    for turn in trajectory.turns:
        context_ids, place = _numbers(packed, place)
        completion_ids, place = _numbers(packed, place)
        logprobs, place = _numbers(packed, place)
        turns.append(
            msgspec.structs.replace(turn, context_ids=context_ids, completion_ids=completion_ids, logprobs=logprobs)
        )
    return msgspec.structs.replace(trajectory, turns=turns)


def _ids(ids: Sequence[int]) -> bytes:
    try:
        return _bytes("I", array("I", ids))
    except OverflowError:  # negative, or past 32 bits
        return _bytes("q", array("q", ids))


def _floats(values: Sequence[float]) -> bytes:
    try:
        short = array("f", values)
    except OverflowError:
        return _bytes("d", array("d", values))
    exact = short.tolist() == values or all(a == b or a != a for a, b in zip(short, values, strict=True))
    return _bytes("f", short) if exact else _bytes("d", array("d", values))


def _bytes(kind: str, numbers: "array[int] | array[float]") -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return kind.encode() + len(numbers).to_bytes(4, "little") + numbers.tobytes()


def _numbers(packed: bytes, place: int) -> tuple[list, int]:
    numbers = array(chr(packed[place]))
    first = place + 5
    last = first + numbers.itemsize * int.from_bytes(packed[place + 1 : first], "little")
    numbers.frombytes(packed[first:last])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist(), last
