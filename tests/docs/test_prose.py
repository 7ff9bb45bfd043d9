"""The rules for prose in the documents: no semicolons, and lines of at most 120 characters."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST = 120
EXEMPT = {
    "CHANGELOG.md",
    # printed by commands, or generated from code
    "docs/reference/benchmarks.md",
    "docs/reference/commands.md",
    "docs/reference/python-api.md",
    "docs/reference/records.md",
    "docs/explanation/one-task.md",
}
PAGES = [
    page
    for page in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
    if str(page.relative_to(ROOT)) not in EXEMPT
]


def prose(page: str) -> list[tuple[int, str]]:
    """Numbered lines of text. Code, tables, link targets and HTML entities are left out."""
    lines: list[tuple[int, str]] = []
    fence = ""
    for number, line in enumerate(page.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and not line.lstrip().startswith("|"):
            text = re.sub(r"`[^`]*`", "`", line)
            lines.append((number, re.sub(r"\]\([^)]*\)|https?://\S+|&\w+;", "", text)))
    return lines


def faults(page: str) -> list[str]:
    return [
        f"line {number}: {fault}"
        for number, line in prose(page)
        for fault, wrong in (("a semicolon", ";" in line), ("too long", len(line) > LONGEST))
        if wrong
    ]


def test_prose_has_no_semicolon_and_no_long_line() -> None:
    wrong = {str(page.relative_to(ROOT)): faults(page.read_text()) for page in PAGES}
    assert {page: lines for page, lines in wrong.items() if lines} == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One fact; another.", ["line 1: a semicolon"]),
        (f"Fine.\n{'long ' * 30}", ["line 2: too long"]),
        ("```\na; b\n```\nAfter; it.", ["line 4: a semicolon"]),
        ("| a; b |", []),
        (f"`a; b` and [a page]({'x' * 130};) and &lt;", []),
        ("```python a.py\nx = 1; y = 2\n```", []),
    ],
)
def test_the_rules_notice_what_they_should(text: str, expected: list[str]) -> None:
    assert faults(text) == expected


def test_every_exempt_page_exists() -> None:
    assert [name for name in EXEMPT if not (ROOT / name).exists()] == []
