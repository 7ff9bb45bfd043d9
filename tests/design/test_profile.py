"""The profile: distributions as figures, as letters and as a picture that can be parsed."""

import asyncio
from pathlib import Path
from xml.etree import ElementTree

from verigym.design.make import make
from verigym.design.profile import percent, picture, profile, profile_column, short, sparkline, spread
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
    assert (texts.kind, texts.low, texts.median, texts.high, texts.example) == ("texts", 1, 30.5, 60, "x")
    assert spread(texts) == "1 to 60 letters, median 30.5" and spread(numbers) == "0 to 119, mean 59.5"
    few = profile_column("f", [{"office": name} for name in ("birch", "oak", "elm", "ash")])
    assert (few.kind, few.distinct, few.example) == ("texts", 4, '{"office":"birch"}')
    assert profile_column("same", [5.0] * 3).bars == [("5.0", 3)]
    assert profile_column("none", [None, None]).bars == []


def test_a_share_is_all_only_where_it_is_and_names_are_told_apart_by_their_ends() -> None:
    assert [percent(share) for share in (1.0, 0.99996, 0.75, 0.0001, 0.0)] == ["100%", ">99.9%", "75%", "0.01%", "0%"]
    names = ["workplace/records/contact_today", "workplace/records/contact_tomorrow"]
    assert [short(name, 22) for name in names] == ["workplace/…ntact_today", "workplace/…ct_tomorrow"]
    assert short("as it is", 22) == "as it is"


def test_the_picture_is_svg_whatever_the_columns_are_called_or_hold() -> None:
    columns = {"a": {"kind": "category", "values": ["<&>\"'", "\x00\u202e", "ok" * 50]}, "b": {"kind": "normal"}}
    design = make_design({"columns": columns, "constraints": ["b > -1"]}, Path())
    found = profile(asyncio.run(make(design, 200)))
    assert found.rows == 200 and 0.8 < found.acceptance["b > -1"] < 0.9 and found.repeated == 0
    drawn = ElementTree.fromstring(picture(found, "a <title>"))
    texts = [one.text for one in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a <title>", "a", "b", "rows that passed", "b > -1"} <= set(texts)


def test_the_picture_shows_one_of_different_texts_instead_of_bars_that_say_nothing() -> None:
    columns = {
        "who": {"kind": "uuid"},
        "prompt": "Which office has {{ who }}? Answer with one word and nothing else, please.",
        "answer": "oak",
    }
    found = profile(asyncio.run(make(make_design({"columns": columns, "held_out": []}, Path()), 12)))
    drawn = ElementTree.fromstring(picture(found, "uuids"))
    texts = [one.text or "" for one in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert "12 different · 36 to 36 letters, median 36" in texts
    assert any(text.startswith("Which office has") for text in texts)
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}rect"))) == 1 + len(found.acceptance)
