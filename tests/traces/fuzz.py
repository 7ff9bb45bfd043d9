"""Trace lines gone wrong: those of the golden files with keys lost, values of other types, bytes flipped, ends cut off."""

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent / "golden"
ODD: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2**70,
    -(2**63),
    1e308,
    float("nan"),
    float("inf"),
    "",
    "x",
    "\ud800",
    "\x00",
]
ODD += ["attachment://", "{", "[", '{"a": 1}', "data: {}", "é" * 50, [], {}, [[]], [{}], {"": None}, [None], ["a", 1]]
ODD += [{"role": "user"}, {"type": "message"}, {"role": 5, "content": []}, [{"role": "tool"}], {"stringValue": {}}]
ODD += [{"arrayValue": {"values": [{"kvlistValue": {"values": [{}]}}]}}, "9" * 400, "2020-13-99T99:99:99Z", "call_0"]


def lines(count: int, seed: int = 0) -> Iterator[bytes]:
    """So many lines; the same for the same seed."""
    draw = random.Random(seed)
    sound = [line for path in sorted(GOLDEN.glob("*.jsonl")) for line in path.read_bytes().splitlines()]
    parsed = [json.loads(line) for line in sound]
    for _ in range(count):
        way = draw.random()
        if way < 0.7:
            yield _written(draw, _bent(draw, copy.deepcopy(draw.choice(parsed))))
        elif way < 0.95:
            yield _torn(draw, draw.choice(sound))
        else:
            yield draw.choice(
                [b"null", b"[]", b"{}", b"1", b'"a"', b"not json", b"\xff\xfe\x00", b"{" * 5000, b"[" * 9, b"PK", b"}"]
            )


def _bent(draw: random.Random, value: Any) -> Any:
    for _ in range(draw.randint(1, 4)):
        places = list(_places(value))
        if not places:
            return draw.choice(ODD)
        owner, key = draw.choice(places)
        what = draw.random()
        if what < 0.3:
            del owner[key]
        elif what < 0.8:
            owner[key] = copy.deepcopy(draw.choice(ODD))
        elif isinstance(owner, list):
            owner.insert(key, copy.deepcopy(draw.choice([*owner, *ODD])))
        else:
            owner[draw.choice(["id", "role", "type", "content", "error", "messages", "choices", "output"])] = owner[key]
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def _written(draw: random.Random, value: Any) -> bytes:
    if draw.random() < 0.05:
        for _ in range(draw.choice([3, 150, 400, 3000])):
            value = [value] if draw.random() < 0.5 else {"messages": value}
    try:
        return json.dumps(value, ensure_ascii=draw.random() < 0.5).encode(errors="surrogatepass").replace(b"\n", b" ")
    except RecursionError:
        return b"[" * 3000 + b"]" * 3000


def _torn(draw: random.Random, line: bytes) -> bytes:
    torn = bytearray(line)
    for _ in range(draw.randint(1, 5)):
        place = draw.randrange(len(torn)) if torn else 0
        match draw.randrange(4):
            case 0:
                torn = torn[:place]
            case 1:
                torn[place : place + 1] = bytes([draw.randrange(256)])
            case 2:
                del torn[place : place + draw.randint(1, 20)]
            case _:
                torn[place:place] = torn[: draw.randint(1, 40)]
    return bytes(torn).replace(b"\n", b" ").replace(b"\r", b" ")
