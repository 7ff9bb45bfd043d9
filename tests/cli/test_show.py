"""What reaches the terminal: no control character of a model's text, and tables that fit."""

import json
from pathlib import Path

import pytest

from verigym.cli import show

ATTACKS = {
    "clear screen": "\x1b[2J",
    "window title": "\x1b]0;owned\x07",
    "hyperlink": "\x1b]8;;http://evil\x1b\\click",
    "bell": "\a",
    "backspace": "ok\b\b",
    "carriage return": "FAIL\rok  ",
    "delete": "\x7f",
    "C1 control sequence": "\x9b2J",
    "C1 operating system command": "\x9d0;owned\x9c",
    "bidi override": "abc\u202egnp.exe",
    "bidi isolate": "\u2066abc\u2069",
    "bidi mark": "\u200f\u061c",
    "zero width": "pass\u200bword",
    "line separator": "a\u2028next: rm",
    "lone surrogate": "\ud800",
}


def is_harmless(text: str) -> bool:
    return all(letter.isprintable() or letter in "\n\t" for letter in text)


@pytest.mark.parametrize("text", ATTACKS.values(), ids=ATTACKS)
def test_control_characters_are_made_visible(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    show.say(text)
    show.note(text)
    show.paragraph(text)
    show.next_command(text)
    show.table([(text, text)], ("a", "b"))
    show.say(show.clip(text))
    done = capsys.readouterr()
    assert is_harmless(done.out) and is_harmless(done.err)


@pytest.mark.parametrize("text", [text for text in ATTACKS.values() if text != "\ud800"])
def test_json_is_escaped_and_keeps_its_value(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    show.as_json({"reply": text})
    out = capsys.readouterr().out
    assert is_harmless(out) and json.loads(out) == {"reply": text}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("verigym serve", "verigym serve --home my/demo"),
        (
            "verigym models list   ·   verigym gate a",
            "verigym models list --home my/demo   ·   verigym gate a --home my/demo",
        ),
        (
            "See why (verigym explain run-1), then repeat.",
            "See why (verigym explain run-1 --home my/demo), then repeat.",
        ),
        ("Run verigym label r --single. Then go on", "Run verigym label r --single --home my/demo. Then go on"),
        ("verigym check 'a (b).jsonl'", "verigym check 'a (b).jsonl' --home my/demo"),
        ("verigym tasks split a.jsonl", "verigym tasks split a.jsonl"),
        ("verigym policies show default > mine.yaml.", "verigym policies show default > mine.yaml."),
    ],
)
def test_a_printed_command_gets_the_home_that_was_given(text: str, wanted: str) -> None:
    show.set_home(None)  # an earlier test may have given one
    assert show.command(text) == text
    show.set_home(Path("my/demo"))
    try:
        assert show.command(text) == wanted
    finally:
        show.set_home(None)


def test_ordinary_text_stays() -> None:
    text = "Grüße, 你好, 👩‍💻, مرحبا\n\tindented"
    assert show.visible(text) == text


def test_a_table_fits_the_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("run-1", "x" * 200, "y" * 30), ("run-2", "你好" * 60, "z")]
    show.table(rows, ("run", "long", "short"))
    assert max(map(len, capsys.readouterr().out.splitlines())) > 200, "a pipe gets everything"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    show.table(rows, ("run", "long", "short"))
    lines = capsys.readouterr().out.splitlines()
    assert all(show._cells(line) <= 80 for line in lines) and lines[1].startswith("run-1")
    show.paragraph("word " * 50)
    assert all(len(line) <= 80 for line in capsys.readouterr().out.splitlines())


def test_an_age_is_never_negative() -> None:
    assert show.age(created=86_400.0, now=0.0) == "0 s"
