"""The profile: distributions as figures, as letters and as a picture that can be parsed."""

import asyncio
from pathlib import Path
from xml.etree import ElementTree

from verigym.design.make import make
from verigym.design.profile import picture, profile, profile_column, sparkline
from verigym.design.spec import make_design


def test_columns_are_counted_by_what_they_hold() -> None:
    numbers = profile_column("n", [float(n) for n in range(120)])
    assert (numbers.kind, numbers.distinct, numbers.low, numbers.high) == ("numbers", 120, 0, 119)
    assert [count for _, count in numbers.bars] == [10] * 12 and sparkline(numbers) == "█" * 12
    values = profile_column("v", ["a"] * 6 + ["b"] * 3 + [None])
    assert (values.kind, values.bars, values.missing) == ("values", [("a", 6), ("b", 3)], 1)
    many = profile_column("m", [n % 20 for n in range(40)] + ["x"])
    assert many.bars[-1] == ("13 others", 25)
    texts = profile_column("t", ["x" * n for n in range(1, 61)])
    assert (texts.kind, texts.low, texts.high) == ("texts", 1, 60)
    assert profile_column("same", [5.0] * 3).bars == [("5.0", 3)]
    assert profile_column("none", [None, None]).bars == []


def test_the_picture_is_svg_whatever_the_columns_are_called_or_hold() -> None:
    columns = {"a": {"kind": "category", "values": ["<&>\"'", "\x00\u202e", "ok" * 50]}, "b": {"kind": "normal"}}
    design = make_design({"columns": columns, "constraints": ["b > -1"]}, Path())
    found = profile(asyncio.run(make(design, 200)))
    assert found.rows == 200 and 0.8 < found.acceptance["b > -1"] < 0.9 and found.repeated == 0
    drawn = ElementTree.fromstring(picture(found, "a <title>"))
    texts = [one.text for one in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a <title>", "a", "b", "rows that passed", "b > -1"} <= set(texts)
